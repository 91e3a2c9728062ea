/* A drawing that moves by itself: a pile of sheets of which one is shown at a time (SMIL, so that it also moves inside of <img>).
 * Sheets rather than shapes that move one by one: in space the order of painting changes, and a shape may be there at some instants
 * only. What is still and painted first lies below the pile. So does a trail: one path that is uncovered by its dashes. */
#include <math.h>
#include <string.h>

#include "output/drawing.h"
#include "output/scene_trail.h"

enum { SIZE_WANTED = 1500 * 1000, KEY_TIME = 100 * 1000 }; /* bytes; parts of the duration */
static const double fps_least = 12;

typedef struct Book {
  ZwText* out;
  const ZwFilm* film;
  ZwSceneMarksDef def;
  ZwSceneMarks marks;
  bool* is_still; /* shapes */
  int32_t stride, sheets;
} Book;

static void add(ZwText* out, const char* text) {
  zw_text_add(out, text, (ptrdiff_t)strlen(text));
}

static int32_t row_of(const Book* book, int32_t sheet) {
  return zw_film_row(book->film, sheet * book->stride);
}

static void add_key_time(ZwText* out, const Book* book, int32_t sheet) {
  int64_t part = (int64_t)sheet * KEY_TIME / book->sheets;
  zw_text_addf(out, part == 0 ? "0" : ".%05d", (int)part);
}

/* Round and round, together with all others. */
static void add_duration(ZwText* out, const Book* book) {
  double seconds = book->sheets * book->stride / book->film->def.fps;
  add(out, " dur=\"");
  zw_text_add_number(out, fmax(1, round(1000 * seconds)) / 1000);
  add(out, "s\" repeatCount=\"indefinite\" calcMode=\"discrete\"/>");
}

/* ---- below the pile ---- */

static bool is_ground(const ZwSceneMark* mark) {
  return mark->kind == ZW_SCENE_GROUND || mark->kind == ZW_SCENE_HATCH;
}

/* Marks painted before anything that moves. In space all are sorted anew in every sheet. */
static int32_t still_count(const Book* book) {
  int32_t count = 0;
  while (!book->film->view.is_spatial && count < book->marks.list.count &&
         book->is_still[book->marks.list.items[count].shape]) {
    count++;
  }
  return count;
}

static double length_of(const Book* book, const ZwSceneMark* mark) {
  double length = 0;
  for (int32_t i = 1; i < mark->count; i++) {
    ZwPlace a = book->marks.places.items[mark->first + i - 1], b = book->marks.places.items[mark->first + i];
    length += hypot(b.x - a.x, b.y - a.y);
  }
  return length;
}

/* A corner of a trail: which piece it belongs to, when it was reached, and how long the piece is up to it. */
typedef struct Corner {
  int32_t piece, row;
  ZwPlace place;
  double length;
} Corner;

typedef struct Corners {
  ZwArena* arena;
  ZW_ARRAY(Corner) list;
} Corners;

static void take_corner(void* context, ZwPlace place, double nearness, int32_t row, bool begins) {
  Corners* corners = context;
  (void)nearness;
  Corner corner = {.row = row, .place = place};
  if (corners->list.count > 0) {
    const Corner* last = &corners->list.items[corners->list.count - 1];
    corner.piece = last->piece + begins;
    if (!begins) corner.length = last->length + hypot(place.x - last->place.x, place.y - last->place.y);
  }
  (void)ZW_PUSH(corners->arena, &corners->list, corner);
}

/* Tenths of a pixel of each piece of a trail that are there at each sheet. */
typedef struct Growth {
  int32_t pieces;
  int32_t* tenths; /* sheet by sheet */
} Growth;

/* Between two corners a trail is as long as the straight line to its point: it passes all points in a fraction of a pixel. */
static double length_at(const Book* book, const ZwDraw* shape, const Corner* corner, const Corner* next, int32_t row) {
  double point[3], place[2];
  if (!next || next->piece != corner->piece || row <= corner->row) return corner->length;
  zw_scene_point(book->film->scene, row, shape, 0, point);
  zw_view_place(&book->film->view, point, place);
  return fmin(next->length, corner->length + hypot(place[0] - corner->place.x, place[1] - corner->place.y));
}

static bool measure_growth(Book* book, int32_t shape, int32_t pieces, Growth* growth) {
  const ZwFilm* film = book->film;
  Corners corners = {.arena = book->out->arena};
  zw_scene_trail_walk(film->scene, &film->view, &film->scene->shapes[shape], row_of(book, book->sheets - 1),
                      take_corner, &corners);
  growth->pieces = pieces;
  growth->tenths = ZW_NEW(book->out->arena, (ptrdiff_t)pieces * book->sheets, int32_t);
  if (book->out->arena->failed) return false;
  int32_t at = -1; /* the last corner that is reached */
  for (int32_t sheet = 0; sheet < book->sheets; sheet++) {
    int32_t row = row_of(book, sheet), *now = growth->tenths + (ptrdiff_t)sheet * pieces;
    if (sheet > 0) memcpy(now, now - pieces, (size_t)pieces * sizeof *now);
    for (; at + 1 < corners.list.count && corners.list.items[at + 1].row <= row; at++) {
      const Corner* next = &corners.list.items[at + 1];
      now[next->piece] = (int32_t)lround(10 * next->length);
    }
    if (at < 0) continue;
    const Corner* corner = &corners.list.items[at];
    const Corner* next = at + 1 < corners.list.count ? corner + 1 : NULL;
    now[corner->piece] = (int32_t)lround(10 * length_at(book, &film->scene->shapes[shape], corner, next, row));
  }
  return true;
}

static int32_t tenths_at(const Growth* growth, int32_t sheet, int32_t piece) {
  return growth->tenths[(ptrdiff_t)sheet * growth->pieces + piece];
}

/* The offset of the dashes is listed where it changes: once for what is hidden, once for when. */
static void add_growth(const Book* book, const Growth* growth, int32_t piece, int32_t dash) {
  ZwText* out = book->out;
  add(out, "<animate attributeName=\"stroke-dashoffset\" values=\"");
  for (int32_t sheet = 0; sheet < book->sheets; sheet++) {
    int32_t tenths = tenths_at(growth, sheet, piece);
    if (sheet > 0 && tenths == tenths_at(growth, sheet - 1, piece)) continue;
    zw_text_addf(out, "%s%d", sheet > 0 ? ";" : "", (int)(dash - (tenths + 5) / 10));
  }
  add(out, "\" keyTimes=\"");
  for (int32_t sheet = 0; sheet < book->sheets; sheet++) {
    if (sheet > 0 && tenths_at(growth, sheet, piece) == tenths_at(growth, sheet - 1, piece)) continue;
    if (sheet > 0) add(out, ";");
    add_key_time(out, book, sheet);
  }
  add(out, "\"");
  add_duration(out, book);
}

static void draw_trail(Book* book, int32_t shape) {
  ZwText* out = book->out;
  int32_t last = row_of(book, book->sheets - 1);
  Growth growth;
  zw_scene_marks_trail(&book->marks, &book->def, shape, last);
  if (!measure_growth(book, shape, book->marks.list.count, &growth)) return;
  zw_scene_marks_trail(&book->marks, &book->def, shape, last);
  for (int32_t i = 0; i < book->marks.list.count; i++) {
    const ZwSceneMark* mark = &book->marks.list.items[i];
    int32_t dash = (int32_t)ceil(length_of(book, mark)) + 2;
    add(out, "<path");
    zw_drawing_class(out, mark);
    zw_text_addf(out, " stroke-dasharray=\"%d\" stroke-dashoffset=\"%d\" d=\"", (int)dash, (int)dash);
    zw_drawing_path(out, &book->marks, mark, 10);
    add(out, "\">");
    add_growth(book, &growth, i, dash);
    add(out, "</path>\n");
  }
}

static void draw_background(Book* book) {
  zw_drawing_begin_stage(book->out, book->film);
  zw_scene_marks_floor(&book->marks, &book->def);
  zw_drawing_marks(book->out, book->film, &book->marks, 0, book->marks.list.count, 0, 10);
  zw_scene_marks_make(&book->marks, &book->def, 0);
  int32_t still = still_count(book), ground = 0;
  while (ground < still && is_ground(&book->marks.list.items[ground])) ground++;
  zw_drawing_marks(book->out, book->film, &book->marks, 0, ground, 0, 10);
  for (int32_t i = 0; i < book->film->scene->shape_count; i++) {
    if (book->film->scene->shapes[i].kind == ZW_DRAW_TRAIL) draw_trail(book, i);
  }
  zw_scene_marks_make(&book->marks, &book->def, 0);
  zw_drawing_marks(book->out, book->film, &book->marks, ground, still, 0, 10);
  zw_drawing_end_stage(book->out);
}

/* ---- the pile ---- */

/* Shown from its time to that of the next. A program that knows no motion shows the first. */
static void add_showing(const Book* book, int32_t sheet) {
  ZwText* out = book->out;
  bool is_first = sheet == 0, is_last = sheet == book->sheets - 1;
  if (is_first && is_last) return;
  zw_text_addf(out, "<animate attributeName=\"display\" values=\"%sinline%s\" keyTimes=\"0", is_first ? "" : "none;",
               is_last ? "" : ";none");
  if (!is_first) add(out, ";");
  if (!is_first) add_key_time(out, book, sheet);
  if (!is_last) add(out, ";");
  if (!is_last) add_key_time(out, book, sheet + 1);
  add(out, "\"");
  add_duration(out, book);
}

static void draw_marks(Book* book, int32_t row) {
  zw_drawing_begin_stage(book->out, book->film);
  zw_scene_marks_make(&book->marks, &book->def, row);
  zw_drawing_marks(book->out, book->film, &book->marks, still_count(book), book->marks.list.count, row, 10);
  zw_drawing_end_stage(book->out);
}

static void draw_sheet(Book* book, int32_t sheet) {
  int32_t row = row_of(book, sheet);
  add(book->out, sheet == 0 ? "<g>" : "<g display=\"none\">");
  add_showing(book, sheet);
  zw_drawing_time(book->out, book->film, row);
  draw_marks(book, row);
  add(book->out, "</g>\n");
}

/* Every so many frames, so that it does not become too large; but not so few that it does not move any more. */
static void choose_sheets(Book* book) {
  ZwText trial;
  ZwText* out = book->out;
  zw_text_init(&trial, out->arena);
  book->out = &trial;
  draw_marks(book, book->film->scene->row_count / 2);
  book->out = out;
  double size = 400.0 + trial.size, frames = book->film->frame_count;
  double stride = ceil(frames * size / SIZE_WANTED), most = fmax(1, floor(book->film->def.fps / fps_least));
  book->stride = (int32_t)fmin(fmax(stride, 1), most);
  book->sheets = (book->film->frame_count - 1) / book->stride + 1;
}

void zw_film_svg(ZwText* out, const ZwFilm* film) {
  Book book = {.out = out, .film = film, .def = {film->scene, &film->view, &film->look, false}};
  zw_scene_marks_init(&book.marks, out->arena);
  book.is_still = ZW_NEW(out->arena, film->scene->shape_count, bool);
  if (!book.is_still) return;
  for (int32_t i = 0; i < film->scene->shape_count; i++) {
    book.is_still[i] = zw_scene_is_still(film->scene, &film->scene->shapes[i]);
  }
  choose_sheets(&book);
  zw_drawing_begin(out, film, 1);
  draw_background(&book);
  for (int32_t sheet = 0; sheet < book.sheets; sheet++) draw_sheet(&book, sheet);
  zw_drawing_end(out, film);
}
