#include "output/film_data.h"

#include <math.h>
#include <string.h>

#include "output/json.h"

static const double quanta_across = 65536;        /* of the stage */
static const double quanta_turn = 32768;          /* of a radian, and of a vector that only has a direction */
static const double quanta_shown = 1e9;           /* of a number that is shown */
static const double whole_most = 281474976710656; /* 2^48: sums of a few are exact in doubles */

/* ---- base64 ---- */

typedef struct Base64 {
  ZwText* out;
  uint32_t bits;
  int32_t count; /* of bytes in `bits` */
} Base64;

static void put_letters(Base64* base, int32_t letters) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char text[4];
  for (int32_t i = 0; i < 4; i++) text[i] = i < letters ? alphabet[(base->bits >> (18 - 6 * i)) & 63] : '=';
  zw_text_add(base->out, text, 4);
  base->bits = 0, base->count = 0;
}

static void put_byte(Base64* base, uint32_t byte) {
  base->bits |= byte << (16 - 8 * base->count);
  if (++base->count == 3) put_letters(base, 4);
}

static void put_end(Base64* base) {
  if (base->count > 0) put_letters(base, base->count + 1);
}

/* ---- rows ---- */

static double value_at(const ZwFilm* film, int32_t row, int32_t column) {
  return film->scene->numbers.items[(ptrdiff_t)row * film->scene->width + column];
}

static void add_times(ZwText* out, const ZwFilm* film) {
  Base64 base = {.out = out};
  for (int32_t row = 0; row < film->scene->row_count; row++) {
    double t = zw_scene_time(film->scene, row);
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    for (int32_t i = 0; i < 8; i++) put_byte(&base, (uint32_t)(bits >> (8 * i)) & 0xff);
  }
  put_end(&base);
}

static void put_number(Base64* base, uint64_t code) {
  for (; code >= 128; code >>= 7) put_byte(base, (uint32_t)(code & 127) | 128);
  put_byte(base, (uint32_t)code);
}

static void put_column(Base64* base, const ZwFilm* film, int32_t column, double zero, double quantum) {
  int64_t last = 0, before = 0;
  for (int32_t row = 0; row < film->scene->row_count; row++) {
    double whole = round((value_at(film, row, column) - zero) / quantum);
    if (!isfinite(whole)) {
      put_number(base, 0);
      continue;
    }
    int64_t now = (int64_t)fmin(fmax(whole, -whole_most), whole_most), off = now - (2 * last - before);
    put_number(base, (off >= 0 ? 2 * (uint64_t)off : 2 * (uint64_t)(-off) - 1) + 1);
    before = last, last = now;
  }
}

/* ---- how finely ---- */

typedef enum Use { USE_PLACE, USE_TURN, USE_SHOWN } Use;

static Use use_of(const ZwDraw* shape, int32_t i) {
  if (i < shape->dim * shape->point_count) return USE_PLACE;
  if (shape->kind == ZW_DRAW_TEXT) return USE_SHOWN;
  if (shape->kind == ZW_DRAW_CIRCLE) return i > shape->dim ? USE_TURN : USE_PLACE;
  return i >= 2 * shape->dim ? USE_TURN : USE_PLACE; /* of a box, behind its sides */
}

static double largest_of(const ZwFilm* film, int32_t column) {
  double largest = 0;
  for (int32_t row = 0; row < film->scene->row_count; row++) {
    double value = fabs(value_at(film, row, column));
    if (isfinite(value)) largest = fmax(largest, value);
  }
  return largest;
}

static double quantum_for(const ZwFilm* film, const ZwDraw* shape, int32_t i) {
  int32_t column = shape->numbers[i].column;
  switch (use_of(shape, i)) {
    case USE_PLACE:
      return 2 * fmax(film->view.half_width, film->view.half_height) / quanta_across;
    case USE_TURN:
      /* an angle is what it is, an axis may have any length */
      return shape->kind == ZW_DRAW_BOX && shape->dim == 2 ? 1 / quanta_turn : largest_of(film, column) / quanta_turn;
    case USE_SHOWN:
      break;
  }
  return largest_of(film, column) / quanta_shown;
}

/* A column that several shapes read is as fine as the finest wants it. */
static double* choose_quanta(ZwArena* arena, const ZwFilm* film) {
  double* quanta = ZW_NEW(arena, film->scene->width, double);
  for (int32_t i = 0; quanta && i < film->scene->shape_count; i++) {
    const ZwDraw* shape = &film->scene->shapes[i];
    for (int32_t k = 0; k < shape->count; k++) {
      int32_t column = shape->numbers[k].column;
      if (column <= 0) continue;
      double quantum = quantum_for(film, shape, k);
      if (quantum > 0 && (quanta[column] == 0 || quantum < quanta[column])) quanta[column] = quantum;
    }
  }
  for (int32_t i = 0; quanta && i < film->scene->width; i++) {
    if (quanta[i] == 0) quanta[i] = 1; /* always 0 */
  }
  return quanta;
}

static double base_of(const ZwFilm* film, int32_t column) {
  for (int32_t row = 0; row < film->scene->row_count; row++) {
    if (isfinite(value_at(film, row, column))) return value_at(film, row, column);
  }
  return 0;
}

/* ---- the object ---- */

static void key_number(ZwJson* json, const char* key, double value) {
  zw_json_key(json, key);
  zw_json_number(json, value);
}

static void key_numbers(ZwJson* json, const char* key, const double* values, int32_t count) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) zw_json_number(json, values[i]);
  zw_json_end_array(json);
}

static void key_string(ZwJson* json, const char* key, const char* value) {
  zw_json_key(json, key);
  zw_json_string(json, value);
}

static void add_view(ZwJson* json, const ZwView* view) {
  zw_json_key(json, "view");
  zw_json_begin_object(json);
  key_number(json, "azimuth", view->azimuth);
  key_number(json, "elevation", view->elevation);
  key_numbers(json, "centre", view->centre, 3);
  key_numbers(json, "half", (double[2]){view->half_width, view->half_height}, 2);
  key_number(json, "width", view->width);
  key_number(json, "height", view->height);
  key_number(json, "margin", ZW_STAGE_MARGIN);
  if (view->is_spatial) {
    zw_json_key(json, "floor");
    zw_json_begin_object(json);
    key_numbers(json, "low", view->floor_low, 2);
    key_numbers(json, "high", view->floor_high, 2);
    key_number(json, "grid", view->grid);
    key_number(json, "height", view->low[2]);
    zw_json_end_object(json);
  }
  zw_json_end_object(json);
}

static void add_look(ZwJson* json, const ZwLook* look) {
  static const char* const themes[] = {[ZW_THEME_AUTO] = "auto", [ZW_THEME_LIGHT] = "light", [ZW_THEME_DARK] = "dark"};
  key_string(json, "theme", themes[look->theme]);
  zw_json_key(json, "sizes");
  zw_json_begin_object(json);
#define ZW_LOOK_KEY(name, value) key_number(json, #name, zw_look_sizes.name);
  ZW_LOOK_SIZES(ZW_LOOK_KEY)
#undef ZW_LOOK_KEY
  zw_json_end_object(json);
  zw_json_key(json, "inks");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < look->inks.count; i++) {
    zw_json_begin_array(json);
    for (int32_t dark = 0; dark < 2; dark++) {
      char text[8];
      zw_snprintf(text, sizeof text, "#%06x", (unsigned)(zw_look_colour(look, i, dark) & 0xffffff));
      zw_json_string(json, text);
    }
    zw_json_end_array(json);
  }
  zw_json_end_array(json);
  zw_json_key(json, "ink");
  zw_json_begin_object(json);
  key_number(json, "paper", ZW_LOOK_PAPER);
  key_number(json, "text", ZW_LOOK_TEXT);
  key_number(json, "quiet", ZW_LOOK_QUIET);
  key_number(json, "grid", ZW_LOOK_GRID);
  zw_json_end_object(json);
  key_numbers(json, "tints", zw_look_tints, ZW_SHADES);
  key_number(json, "timeDigits", look->time_digits.decimals);
}

static void add_shape(ZwJson* json, const ZwDraw* shape, const ZwDrawLook* look) {
  static const char* const kinds[] = {"line", "spring", "point", "circle", "box", "arrow", "trail", "ground", "text"};
  zw_json_begin_object(json);
  key_string(json, "kind", kinds[shape->kind]);
  key_number(json, "dim", shape->dim);
  key_number(json, "points", shape->point_count);
  key_number(json, "ink", look->ink);
  zw_json_key(json, "columns");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < shape->count; i++)
    zw_json_integer(json, shape->numbers[i].column < 0 ? -1 : shape->numbers[i].column);
  zw_json_end_array(json);
  zw_json_key(json, "values");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < shape->count; i++)
    zw_json_number(json, shape->numbers[i].column < 0 ? shape->numbers[i].value : 0);
  zw_json_end_array(json);
  if (shape->kind == ZW_DRAW_SPRING) {
    key_number(json, "windings", look->windings);
    key_number(json, "coil", look->coil);
  }
  if (shape->kind == ZW_DRAW_TEXT) {
    key_string(json, "text", shape->text ? shape->text : "");
    key_number(json, "digits", look->digits.decimals);
  }
  zw_json_end_object(json);
}

/* Base64 goes straight into the text: it needs no escapes. */
static void add_columns(ZwJson* json, ZwText* out, const ZwFilm* film, const double* quanta) {
  const ZwScene* scene = film->scene;
  key_numbers(json, "quanta", quanta + 1, scene->width - 1);
  zw_json_key(json, "bases");
  zw_json_begin_array(json);
  for (int32_t i = 1; i < scene->width; i++) zw_json_number(json, base_of(film, i));
  zw_json_end_array(json);
  zw_text_addf(out, ",\"times\":\"");
  add_times(out, film);
  zw_text_addf(out, "\",\"data\":\"");
  Base64 base = {.out = out};
  for (int32_t i = 1; i < scene->width; i++) put_column(&base, film, i, base_of(film, i), quanta[i]);
  put_end(&base);
  zw_text_addf(out, "\"");
}

/* What one should know who looks at it. */
static void add_note(ZwJson* json, ZwArena* arena, const ZwFilm* film) {
  ZwText note;
  zw_text_init(&note, arena);
  if (film->def.speed != 1) {
    zw_text_addf(&note, "At speed 1 a second shows ");
    zw_text_add_number(&note, film->def.speed);
    zw_text_addf(&note, " of the model's time.");
  }
  if (film->view.is_cut) zw_text_addf(&note, "%sSome of it lies outside of the picture.", note.size > 0 ? " " : "");
  if (note.size > 0) key_string(json, "note", zw_text_get(&note));
}

static void add_object(ZwText* out, const ZwFilm* film, const double* quanta) {
  ZwJson json;
  zw_json_init(&json, out);
  zw_json_begin_object(&json);
  key_string(&json, "title", film->def.title);
  key_number(&json, "speed", film->def.speed);
  key_number(&json, "fps", film->def.fps);
  zw_json_key(&json, "spatial");
  zw_json_bool(&json, film->view.is_spatial);
  add_note(&json, out->arena, film);
  add_view(&json, &film->view);
  add_look(&json, &film->look);
  zw_json_key(&json, "shapes");
  zw_json_begin_array(&json);
  for (int32_t i = 0; i < film->scene->shape_count; i++)
    add_shape(&json, &film->scene->shapes[i], &film->look.shapes[i]);
  zw_json_end_array(&json);
  add_columns(&json, out, film, quanta);
  zw_json_end_object(&json);
}

void zw_film_data(ZwText* out, const ZwFilm* film) {
  double* quanta = choose_quanta(out->arena, film);
  ZwText plain;
  zw_text_init(&plain, out->arena);
  if (!quanta) return;
  add_object(&plain, film, quanta);
  /* "</script>" in a name would end the script that holds it; in JSON a "<" stands in strings only */
  for (int32_t from = 0, at = 0; at <= plain.size; at++) {
    if (at < plain.size && plain.data[at] != '<') continue;
    zw_text_add(out, plain.data + from, at - from);
    if (at < plain.size) zw_text_add(out, "\\u003c", 6);
    from = at + 1;
  }
}
