#include "output/legend.h"

#include <string.h>

#include "base/utf8.h"
#include "output/xml.h"

/* px */
enum {
  SAMPLE = 26,
  SAMPLE_GAP = 6, /* to its name */
  GAP = 18,       /* to the next sample */
  NAME_LEAST = 12 /* characters of a name that are shown in any case */
};

/* px; the first is a whole line */
static const char* const dashes[ZW_INK_CURVES] = {NULL, "8 3", "2 2.5", "8 3 2 3", "14 4", "4.5 2", "8 3 2 3 2 3"};

void zw_legend_dashes(ZwText* out, int32_t i) {
  /* colours repeat, and then with other dashes */
  const char* pattern = dashes[(i + i / ZW_INK_CURVES) % ZW_INK_CURVES];
  if (pattern) zw_text_addf(out, " stroke-linecap=\"butt\" stroke-dasharray=\"%s\"", pattern);
}

static int32_t length(const char* text) {
  return zw_utf8_count(text, (ptrdiff_t)strlen(text));
}

/* Where the names go. */
typedef struct Rows {
  int32_t x, row; /* of the next entry, from the left end of the first row */
  int32_t width;
} Rows;

/* Characters of a name that are shown. A note must stay whole; a single name gets what is left of the row. */
static int32_t shown_chars(const ZwSvgPanel* panel, int32_t i, const char* note, int32_t width) {
  int32_t chars = length(panel->curves[i].name);
  int32_t room = panel->curve_count > 1 ? (width - SAMPLE - SAMPLE_GAP) / ZW_PAGE_NAME_CHAR
                                        : width / ZW_PAGE_NAME_CHAR - length(note);
  if (room < NAME_LEAST) room = NAME_LEAST;
  return chars < room ? chars : room;
}

/* Makes room for an entry so wide; its begin is at (x, row) then. */
static void place_entry(Rows* rows, int32_t entry) {
  if (rows->x == 0 || rows->x + entry <= rows->width) return;
  rows->x = 0;
  rows->row++;
}

static int32_t entry_width(const ZwSvgPanel* panel, int32_t i, const char* note, int32_t width) {
  int32_t sample = panel->curve_count > 1 ? SAMPLE + SAMPLE_GAP : 0;
  return sample + shown_chars(panel, i, note, width) * ZW_PAGE_NAME_CHAR;
}

static int32_t note_width(const char* note) {
  return length(note) * ZW_PAGE_DIGIT + 10;
}

int32_t zw_legend_rows(const ZwSvgPanel* panel, const char* note, int32_t width) {
  Rows rows = {.width = width};
  if (panel->curve_count == 1) return 1;
  for (int32_t i = 0; i < panel->curve_count; i++) {
    int32_t entry = entry_width(panel, i, note, width);
    place_entry(&rows, entry);
    rows.x += entry + GAP;
  }
  if (note[0]) place_entry(&rows, note_width(note));
  return rows.row + 1;
}

static void draw_sample(ZwText* out, ZwTheme theme, int32_t i, int32_t x, int32_t y) {
  zw_page_line(out, theme, (ZwInk)(ZW_INK_CURVE + i));
  zw_legend_dashes(out, i);
  zw_text_addf(out, " stroke-width=\"2\" d=\"M%d %dh%d\"/>\n", (int)x, (int)(y - 4), SAMPLE);
}

static void draw_name(ZwText* out, const ZwSvgPanel* panel, int32_t i, int32_t chars, int32_t x, int32_t y) {
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\">", (int)x, (int)y);
  zw_xml_add_clipped(out, zw_str_from(panel->curves[i].name), chars < 3 ? 3 : chars);
}

static void draw_single(ZwText* out, ZwTheme theme, const ZwSvgPanel* panel, const char* note, int32_t x, int32_t y,
                        int32_t width) {
  draw_name(out, panel, 0, shown_chars(panel, 0, note, width), x, y);
  zw_page_note(out, theme, note);
  zw_page_add(out, "</text>\n");
}

void zw_legend_draw(ZwText* out, ZwTheme theme, const ZwSvgPanel* panel, const char* note, int32_t x, int32_t y,
                    int32_t width) {
  if (panel->curve_count == 1) {
    draw_single(out, theme, panel, note, x, y, width);
    return;
  }
  Rows rows = {.width = width};
  y -= (zw_legend_rows(panel, note, width) - 1) * ZW_LEGEND_ROW;
  for (int32_t i = 0; i < panel->curve_count; i++) {
    int32_t entry = entry_width(panel, i, note, width);
    place_entry(&rows, entry);
    int32_t left = x + rows.x, base = y + rows.row * ZW_LEGEND_ROW;
    draw_sample(out, theme, i, left, base);
    draw_name(out, panel, i, shown_chars(panel, i, note, width), left + SAMPLE + SAMPLE_GAP, base);
    zw_page_add(out, "</text>\n");
    rows.x += entry + GAP;
  }
  if (!note[0]) return;
  place_entry(&rows, note_width(note));
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\">", (int)(x + rows.x - (rows.x ? GAP : 0)),
               (int)(y + rows.row * ZW_LEGEND_ROW));
  zw_page_note(out, theme, note);
  zw_page_add(out, "</text>\n");
}
