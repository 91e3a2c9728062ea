#include "output/shades.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "output/path.h"
#include "output/xml.h"

enum {
  OWN_MAX = 4,        /* contacts with bands of their own */
  HALVES = 2 * 1024,  /* most columns of half a pixel */
  SWATCH = 22,        /* px */
  SWATCH_HEIGHT = 11, /* px */
  CHAR = 7,           /* px, width of a character */
  NAME_CHARS = 24     /* characters of a name that are shown */
};

/* Beyond the plain one: lines up, lines down, dots. */
static const char* const hatches[OWN_MAX] = {NULL, "M-1 1l2-2M-1 7l8-8M5 7l2-2", "M-1-1l8 8M-1 5l2 2M5-1l2 2",
                                             "M1.5 1.5h0M4.5 4.5h0"};

static bool is_closed(ZwContactWhat what) {
  return what != ZW_CONTACT_OPEN && what != ZW_CONTACT_HIT;
}

static double closed_within(const ZwLaneCell* cell) {
  return cell->spent[ZW_CONTACT_CLOSED] + cell->spent[ZW_CONTACT_STICKS] + cell->spent[ZW_CONTACT_SLIPS];
}

static bool has_band(const ZwLane* lane) {
  for (int32_t i = 0; i < lane->count; i++) {
    if (is_closed(lane->cells[i].what) || closed_within(&lane->cells[i]) > 0) return true;
  }
  return false;
}

static int32_t count_bands(const ZwShades* shades) {
  int32_t count = 0;
  for (int32_t i = 0; i < shades->lanes->lane_count; i++) count += has_band(&shades->lanes->lanes[i]);
  return count;
}

bool zw_shades_any(const ZwShades* shades) {
  return shades->lanes && count_bands(shades) > 0;
}

void zw_shades_patterns(ZwText* out, ZwTheme theme, const ZwShades* shades) {
  int32_t count = count_bands(shades);
  for (int32_t i = 1; i < count && count <= OWN_MAX; i++) {
    zw_text_addf(out, "<defs><pattern id=\"zw-shade%d\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">",
                 (int)i);
    zw_page_line(out, theme, ZW_INK_SHADE);
    zw_text_addf(out, " stroke-opacity=\".4\" stroke-linecap=\"%s\" stroke-width=\"%s\" d=\"%s\"/></pattern></defs>\n",
                 i == OWN_MAX - 1 ? "round" : "butt", i == OWN_MAX - 1 ? "1.6" : "1", hatches[i]);
  }
}

/* The attributes of band i of `count`. */
static void add_fill(ZwText* out, ZwTheme theme, int32_t i, int32_t count) {
  if (i > 0 && count <= OWN_MAX) {
    zw_text_addf(out, " fill=\"url(#zw-shade%d)\"", (int)i);
    return;
  }
  zw_theme_fill(out, theme, ZW_INK_SHADE);
  zw_page_add(out, " fill-opacity=\".16\"");
}

/* ---- bands ---- */

typedef struct Columns {
  bool is_closed[HALVES];
  int32_t count;
} Columns;

static double column_of(const Columns* columns, const ZwTicks* time, double t) {
  double at = time->is_log ? log10(fmax(t, 0)) : t;
  return columns->count * fmin(fmax(zw_ticks_place(time, at), 0), 1);
}

/* Closed from one time to another, if only for less than a column. */
static void close_columns(Columns* columns, const ZwTicks* time, double from, double to) {
  double begin = column_of(columns, time, from), end = column_of(columns, time, to);
  if (begin >= columns->count || end <= 0) return;
  for (int32_t i = (int32_t)begin; i < columns->count && (i < end || i == (int32_t)begin); i++) {
    columns->is_closed[i] = true;
  }
}

/* Adds the times of a lane. */
static void collect(Columns* columns, const ZwTicks* time, const ZwLane* lane) {
  for (int32_t i = 0; i < lane->count; i++) {
    const ZwLaneCell* cell = &lane->cells[i];
    if (closed_within(cell) > 0) close_columns(columns, time, cell->begin, cell->end);
    if (!is_closed(cell->what)) continue;
    double end = time->is_log ? pow(10, time->high) : time->high;
    close_columns(columns, time, cell->end, i + 1 < lane->count ? lane->cells[i + 1].begin : end);
  }
}

static void add_bands(ZwText* path, const Columns* columns, const ZwPageFrame* frame) {
  for (int32_t i = 0; i < columns->count;) {
    int32_t begin = i;
    while (i < columns->count && columns->is_closed[i]) i++;
    if (i == begin) {
      i++;
      continue;
    }
    zw_page_add(path, "M");
    zw_path_number(path, 100 * (int64_t)frame->x + 50 * begin);
    zw_text_addf(path, " %dh", (int)frame->y);
    zw_path_number(path, 50 * (i - begin));
    zw_text_addf(path, "v%dh", (int)frame->height);
    zw_path_number(path, -50 * (i - begin));
    zw_page_add(path, "z");
  }
}

static void draw_band(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const Columns* columns, int32_t i,
                      int32_t count) {
  zw_page_add(out, "<path");
  add_fill(out, theme, i, count);
  zw_page_add(out, " d=\"");
  add_bands(out, columns, frame);
  zw_page_add(out, "\"/>\n");
}

void zw_shades_draw(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const ZwShades* shades) {
  Columns columns = {.count = 2 * frame->width < HALVES ? 2 * frame->width : HALVES};
  int32_t count = count_bands(shades), band = 0;
  bool is_shared = count > OWN_MAX; /* over each other they would become black */
  for (int32_t i = 0; i < shades->lanes->lane_count; i++) {
    const ZwLane* lane = &shades->lanes->lanes[i];
    if (!has_band(lane)) continue;
    collect(&columns, time, lane);
    if (is_shared) continue;
    draw_band(out, theme, frame, &columns, band++, count);
    memset(columns.is_closed, 0, sizeof columns.is_closed);
  }
  if (is_shared) draw_band(out, theme, frame, &columns, 0, count);
}

/* ---- the legend ---- */

static void add_swatch(ZwText* out, ZwTheme theme, int32_t x, int32_t y, int32_t band, int32_t count) {
  zw_text_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", (int)x, (int)(y - SWATCH_HEIGHT + 2), SWATCH,
               SWATCH_HEIGHT);
  add_fill(out, theme, band, count);
  zw_page_add(out, "/>\n");
}

static int32_t name_chars(const char* name) {
  int32_t chars = zw_utf8_count(name, (ptrdiff_t)strlen(name));
  return chars > NAME_CHARS ? NAME_CHARS : chars;
}

/* As many names as fit behind each other. */
static void list_names(ZwText* out, const ZwShades* shades, int32_t chars) {
  int32_t named = 0, count = count_bands(shades);
  for (int32_t i = 0; i < shades->lanes->lane_count; i++) {
    const ZwLane* lane = &shades->lanes->lanes[i];
    if (!has_band(lane)) continue;
    const char* name = shades->names[lane->contact];
    chars -= name_chars(name) + 2;
    if (chars < 0) break;
    zw_page_add(out, named++ ? ", " : "");
    zw_xml_add_clipped(out, zw_str_from(name), NAME_CHARS);
  }
  if (named < count) zw_text_addf(out, " and %d more", (int)(count - named));
}

static const char* word_of(const ZwShades* shades) {
  return shades->word ? shades->word : "closed";
}

void zw_shades_legend(ZwText* out, ZwTheme theme, int32_t x, int32_t y, int32_t width, const ZwShades* shades) {
  int32_t count = count_bands(shades), band = 0, right = x + width;
  for (int32_t i = 0; i < shades->lanes->lane_count && count <= OWN_MAX; i++) {
    const ZwLane* lane = &shades->lanes->lanes[i];
    if (!has_band(lane)) continue;
    const char* name = shades->names[lane->contact];
    int32_t behind = 1 + (int32_t)strlen(word_of(shades));
    int32_t chars = name_chars(name) + behind, most = (right - x - SWATCH - 6) / CHAR;
    if (most < 12) return;
    add_swatch(out, theme, x, y, band++, count);
    x += SWATCH + 6;
    zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"12\">", (int)x, (int)y);
    zw_xml_add_clipped(out, zw_str_from(name), chars > most ? most - behind : NAME_CHARS);
    zw_text_addf(out, "%s%s</text>\n", word_of(shades)[0] ? " " : "", word_of(shades));
    x += CHAR * chars + 18;
  }
  if (count <= OWN_MAX) return;
  add_swatch(out, theme, x, y, 0, count);
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"12\">one or more %s: ", (int)(x + SWATCH + 6), (int)y,
               word_of(shades));
  list_names(out, shades, (width - SWATCH) / CHAR - 36);
  zw_page_add(out, "</text>\n");
}
