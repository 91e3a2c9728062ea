#include "output/drawing.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "output/path.h"
#include "output/xml.h"

enum { TITLE_CHAR = 10, TIME_ROOM = 150, BAR_LONGEST = 120, TRIAD_ARM = 24, TEXT_CHAR = 8 }; /* px */

static void add(ZwText* out, const char* text) {
  zw_text_add(out, text, (ptrdiff_t)strlen(text));
}

static void add_px(ZwText* out, double px) {
  zw_path_number(out, (int64_t)llround(100 * px));
}

static void add_attribute(ZwText* out, const char* name, double px) {
  zw_text_addf(out, " %s=\"", name);
  add_px(out, px);
  add(out, "\"");
}

/* ---- style ---- */

// clang-format off
static const char* const letters[ZW_SCENE_KINDS] = {
    [ZW_SCENE_LINE] = "l",   [ZW_SCENE_SPRING] = "k", [ZW_SCENE_TRAIL] = "w", [ZW_SCENE_GROUND] = "g",
    [ZW_SCENE_HATCH] = "h",  [ZW_SCENE_GRID] = "n",   [ZW_SCENE_ARROW] = "v", [ZW_SCENE_HEAD] = "x",
    [ZW_SCENE_AREA] = "a",   [ZW_SCENE_RING] = "a",   [ZW_SCENE_DOT] = "d",   [ZW_SCENE_TEXT] = "t"};
// clang-format on

static bool is_stroke(ZwSceneMarkKind kind) {
  return kind <= ZW_SCENE_ARROW;
}

static void add_colour(ZwText* out, uint32_t colour) {
  zw_text_addf(out, "#%06x", (unsigned)colour);
}

static void add_width(ZwText* out, const char* letter, double width) {
  zw_text_addf(out, ".%s{stroke-width:", letter);
  add_px(out, width);
  add(out, "}");
}

/* One rule of a colour: .NAMEi{WHAT:#...} */
static void add_rule(ZwText* out, const char* name, int32_t ink, const char* what, uint32_t colour) {
  zw_text_addf(out, ".%s%d{%s:", name, (int)ink, what);
  add_colour(out, colour);
  add(out, "}");
}

/* All colours on one kind of paper: s strokes, f fills, b0 to b2 surfaces. */
static void add_colours(ZwText* out, const ZwFilm* film, bool is_dark) {
  const ZwLook* look = &film->look;
  uint32_t paper = zw_look_colour(look, ZW_LOOK_PAPER, is_dark);
  add(out, ".d,.t{stroke:");
  add_colour(out, paper);
  add(out, "}");
  for (int32_t i = 0; i < look->inks.count; i++) {
    add_rule(out, "s", i, "stroke", zw_look_colour(look, i, is_dark));
    add_rule(out, "f", i, "fill", zw_look_colour(look, i, is_dark));
    for (int32_t shade = 0; i > ZW_LOOK_PAPER && shade < ZW_SHADES; shade++) {
      char name[4] = {'b', (char)('0' + shade), '-', 0};
      add_rule(out, name, i, "fill", zw_look_tint(look, i, shade, is_dark));
    }
  }
  add(out, "\n");
}

static void add_style(ZwText* out, const ZwFilm* film) {
  const ZwLookSizes* sizes = &zw_look_sizes;
  add(out, "<style>\n.l,.k,.w,.g,.h,.n,.v{fill:none;stroke-linecap:round}.l,.k,.w,.g,.a,.x{stroke-linejoin:round}");
  add_width(out, "l", sizes->line);
  add_width(out, "k", sizes->spring);
  add_width(out, "w", sizes->trail);
  add_width(out, "g", sizes->ground);
  add_width(out, "h", sizes->hatch);
  add_width(out, "n", sizes->grid);
  add_width(out, "v", sizes->arrow);
  add_width(out, "a", sizes->edge);
  add_width(out, "d", sizes->halo);
  add_width(out, "t", 3);
  zw_text_addf(out, ".t{font-size:%dpx;paint-order:stroke;stroke-linejoin:round}\n", (int)sizes->text);
  add_colours(out, film, film->def.theme == ZW_THEME_DARK);
  if (film->def.theme == ZW_THEME_AUTO) {
    add(out, "@media screen and (prefers-color-scheme:dark){\n");
    add_colours(out, film, true);
    add(out, "}\n");
  }
  add(out, "</style>\n");
}

void zw_drawing_class(ZwText* out, const ZwSceneMark* mark) {
  zw_text_addf(out, " class=\"%s ", letters[mark->kind]);
  if (is_stroke(mark->kind)) {
    zw_text_addf(out, "s%d\"", (int)mark->ink);
  } else if (mark->kind == ZW_SCENE_AREA || mark->kind == ZW_SCENE_RING) {
    zw_text_addf(out, "s%d b%d-%d\"", (int)mark->ink, (int)mark->shade, (int)mark->ink);
  } else {
    zw_text_addf(out, "f%d\"", (int)mark->ink);
  }
}

/* ---- marks ---- */

/* Behind another number a sign separates as well as a space does. */
static void add_step(ZwText* out, int64_t value, bool is_first, int32_t per_px) {
  if (value >= 0 && !is_first) add(out, " ");
  zw_path_number(out, value * (100 / per_px));
}

static int64_t whole(double px, int32_t per_px) {
  return (int64_t)llround(px * per_px);
}

/* Where path data end, in whole parts of a pixel. */
typedef struct PathEnd {
  bool is_there;
  int64_t x, y;
} PathEnd;

/* Places are written relative to the one before, as whole parts of a pixel: rounding does not add up. A stroke that begins where the
 * data end goes on from there: links of a chain, pieces of a rod. */
static void add_path(ZwText* out, const ZwSceneMarks* marks, const ZwSceneMark* mark, int32_t per_px, PathEnd* end) {
  for (int32_t i = 0; i < mark->count; i++) {
    ZwPlace place = marks->places.items[mark->first + i];
    int64_t x = whole(place.x, per_px), y = whole(place.y, per_px);
    if (i > 0) {
      if (i == 1 && !end->is_there) add(out, "l");
      add_step(out, x - end->x, i == 1 && !end->is_there, per_px);
      add_step(out, y - end->y, false, per_px);
      end->is_there = true;
    } else if (!end->is_there || x != end->x || y != end->y) {
      add(out, "M");
      add_step(out, x, true, per_px);
      add_step(out, y, false, per_px);
      end->is_there = false;
    }
    end->x = x, end->y = y;
  }
}

void zw_drawing_path(ZwText* out, const ZwSceneMarks* marks, const ZwSceneMark* mark, int32_t per_px) {
  PathEnd end = {0};
  add_path(out, marks, mark, per_px, &end);
}

static bool goes_with(const ZwSceneMark* a, const ZwSceneMark* b) {
  return a->kind == b->kind && a->ink == b->ink && is_stroke(a->kind);
}

/* Strokes of one kind that follow each other are one path. */
static int32_t draw_strokes(ZwText* out, const ZwSceneMarks* marks, int32_t from, int32_t to, int32_t per_px) {
  const ZwSceneMark* first = &marks->list.items[from];
  add(out, "<path");
  zw_drawing_class(out, first);
  add(out, " d=\"");
  PathEnd end = {0};
  for (; from < to && goes_with(first, &marks->list.items[from]); from++) {
    add_path(out, marks, &marks->list.items[from], per_px, &end);
  }
  add(out, "\"/>\n");
  return from;
}

static void draw_area(ZwText* out, const ZwSceneMarks* marks, const ZwSceneMark* mark, int32_t per_px) {
  add(out, "<path");
  zw_drawing_class(out, mark);
  add(out, " d=\"");
  zw_drawing_path(out, marks, mark, per_px);
  add(out, "z\"/>\n");
}

static void draw_round(ZwText* out, const ZwSceneMarks* marks, const ZwSceneMark* mark) {
  ZwPlace place = marks->places.items[mark->first];
  add(out, "<circle");
  zw_drawing_class(out, mark);
  add_attribute(out, "cx", place.x);
  add_attribute(out, "cy", place.y);
  add_attribute(out, "r", mark->radius);
  add(out, "/>\n");
}

/* Above and to the right of its place, or where there is room. */
static void draw_text(ZwText* out, const ZwFilm* film, const ZwSceneMarks* marks, const ZwSceneMark* mark,
                      int32_t row) {
  const ZwDraw* shape = &film->scene->shapes[mark->shape];
  ZwPlace place = marks->places.items[mark->first];
  ZwStr text = zw_str_from(shape->text ? shape->text : "");
  bool has_number = shape->count > shape->dim;
  double off = zw_look_sizes.text_off, room = TEXT_CHAR * (zw_utf8_count(text.data, text.size) + (has_number ? 7 : 0));
  bool is_left = place.x + off + room > film->view.width && place.x - off - room > 0;
  bool is_below = place.y - off - zw_look_sizes.text < 0;
  add(out, "<text");
  zw_drawing_class(out, mark);
  add_attribute(out, "x", is_left ? place.x - off : place.x + off);
  add_attribute(out, "y", is_below ? place.y + off + zw_look_sizes.text * 0.7 : place.y - off);
  add(out, is_left ? " text-anchor=\"end\">" : ">");
  zw_xml_add(out, text);
  if (has_number) {
    zw_digits_add(out, film->look.shapes[mark->shape].digits, zw_scene_number(film->scene, row, shape, shape->dim));
  }
  add(out, "</text>\n");
}

void zw_drawing_marks(ZwText* out, const ZwFilm* film, const ZwSceneMarks* marks, int32_t from, int32_t to, int32_t row,
                      int32_t per_px) {
  while (from < to) {
    const ZwSceneMark* mark = &marks->list.items[from];
    if (is_stroke(mark->kind)) {
      from = draw_strokes(out, marks, from, to, per_px);
      continue;
    }
    if (mark->kind == ZW_SCENE_TEXT)
      draw_text(out, film, marks, mark, row);
    else if (mark->kind == ZW_SCENE_RING || mark->kind == ZW_SCENE_DOT)
      draw_round(out, marks, mark);
    else
      draw_area(out, marks, mark, per_px);
    from++;
  }
}

/* ---- the sheet ---- */

static int32_t sheet_height(const ZwFilm* film) {
  return film->view.height + ZW_SHEET_HEAD + ZW_SHEET_FOOT;
}

void zw_drawing_begin(ZwText* out, const ZwFilm* film, double zoom) {
  int32_t width = film->view.width, height = sheet_height(film);
  zw_text_addf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"" ZW_SVG_FONTS
               ">\n<title>",
               (int)(zoom * width), (int)(zoom * height), (int)width, (int)height);
  zw_xml_add(out, zw_str_from(film->def.title));
  add(out, "</title>\n");
  add_style(out, film);
  zw_text_addf(out, "<rect class=\"f%d\" width=\"%d\" height=\"%d\"/>\n", ZW_LOOK_PAPER, (int)width, (int)height);
  zw_text_addf(out, "<text class=\"f%d\" x=\"%d\" y=\"28\" font-size=\"17\" font-weight=\"bold\">", ZW_LOOK_TEXT,
               ZW_SHEET_EDGE);
  zw_xml_add_clipped(out, zw_str_from(film->def.title), (width - ZW_SHEET_EDGE - TIME_ROOM) / TITLE_CHAR);
  add(out, "</text>\n");
}

void zw_drawing_time(ZwText* out, const ZwFilm* film, int32_t row) {
  zw_text_addf(out, "<text class=\"f%d\" x=\"%d\" y=\"28\" font-size=\"14\" text-anchor=\"end\">t = ", ZW_LOOK_QUIET,
               (int)(film->view.width - ZW_SHEET_EDGE));
  zw_digits_add(out, film->look.time_digits, zw_scene_time(film->scene, row));
  add(out, "</text>\n");
}

/* A length that can be compared with the drawing. */
static void draw_scale(ZwText* out, const ZwFilm* film) {
  int32_t y = sheet_height(film) - 16, x = ZW_SHEET_EDGE;
  double length = film->view.is_spatial ? film->view.grid : zw_view_round(BAR_LONGEST / film->view.scale);
  double px = film->view.is_spatial ? 0 : length * film->view.scale;
  if (px > 0) {
    zw_text_addf(out, "<path class=\"n s%d\" d=\"M%d %dv8m0-4h", ZW_LOOK_QUIET, (int)x, (int)(y - 8));
    add_px(out, px);
    add(out, "m0-4v8\"/>\n");
  }
  zw_text_addf(out, "<text class=\"f%d\" font-size=\"12\" y=\"%d\" x=\"", ZW_LOOK_QUIET, (int)y);
  add_px(out, px > 0 ? x + px + 8 : x);
  add(out, film->view.is_spatial ? "\">grid " : "\">");
  zw_text_add_number(out, length);
  add(out, "</text>\n");
}

/* Where the axes of space point, in a corner of the stage. */
static void draw_triad(ZwText* out, const ZwFilm* film) {
  static const char* const names[3] = {"x", "y", "z"};
  const ZwView* view = &film->view;
  if (!view->is_spatial) return;
  double x = ZW_SHEET_EDGE + TRIAD_ARM + 6, y = ZW_SHEET_HEAD + view->height - TRIAD_ARM;
  for (int32_t k = 0; k < 3; k++) {
    double dx = TRIAD_ARM * view->right[k], dy = -TRIAD_ARM * view->up[k], length = hypot(dx, dy);
    if (length < 4) continue; /* it points to the eye */
    zw_text_addf(out, "<path class=\"n s%d\" d=\"M", ZW_LOOK_QUIET);
    add_px(out, x);
    add(out, " ");
    add_px(out, y);
    add(out, "L");
    add_px(out, x + dx);
    add(out, " ");
    add_px(out, y + dy);
    zw_text_addf(out, "\"/><text class=\"f%d\" font-size=\"12\" font-style=\"italic\" text-anchor=\"middle\"",
                 ZW_LOOK_QUIET);
    add_attribute(out, "x", x + dx + 8 * dx / length);
    add_attribute(out, "y", y + dy + 8 * dy / length + 4);
    zw_text_addf(out, ">%s</text>\n", names[k]);
  }
}

void zw_drawing_end(ZwText* out, const ZwFilm* film) {
  draw_triad(out, film);
  draw_scale(out, film);
  if (film->view.is_cut) {
    zw_text_addf(out,
                 "<text class=\"f%d\" x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"end\">"
                 "Some of it lies outside of the picture.</text>\n",
                 ZW_LOOK_QUIET, (int)(film->view.width - ZW_SHEET_EDGE), (int)(sheet_height(film) - 16));
  }
  add(out, "</svg>\n");
}

void zw_drawing_begin_stage(ZwText* out, const ZwFilm* film) {
  zw_text_addf(out, "<svg y=\"%d\" width=\"%d\" height=\"%d\">\n", ZW_SHEET_HEAD, (int)film->view.width,
               (int)film->view.height);
}

void zw_drawing_end_stage(ZwText* out) {
  add(out, "</svg>\n");
}
