/*           title
 *           +-----------------------------+
 *    floor  |   |     |    |  | |||#######|     A tick for an impact, the higher the larger its impulse; a bar while
 *           +-----------------------------+     closed: light, dark while it sticks, hatched while it slips.
 *     wall  |        //////#####          |
 *           +-----------------------------+
 *            0       5      10
 *                    t
 *           legend
 *           footnote
 *
 * A frame is cut into columns of half a pixel. In a column where a contact is closed at all, the bar is what it is longest
 * there; of the impacts within a pixel the hardest is drawn. So the file stays small, whatever happens how often. */
#include "output/contact_picture.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "output/page.h"
#include "output/path.h"
#include "output/xml.h"

/* px */
enum {
  WIDTH = 640,
  LANE = 36,      /* height of a lane; */
  LANE_LOW = 24,  /* of one of many, */
  LANES_LOW = 16, /* that is of more than so many */
  BAR = 9,
  TICK_LEAST = 4, /* of an impact */
  ABOVE = 4,      /* free above the highest tick */
  LEGEND = 20,    /* height of a line */
  SWATCH = 26,
  LEGEND_CHAR = 7, /* width of a character of the legend */
  NAME_CHARS = 24, /* characters of a name that are shown */
  COLUMNS = 2 * WIDTH,
  DECADES = 4 /* of impulses that are told apart */
};

#define HATCH "zw-slips"

/* Bars of what is closed, in the order of ZwContactWhat; nothing where it is open. */
static const char* const words[ZW_LANE_STATES] = {NULL, "closed", "sticks", "slips"};

/* The fill of a bar: light, dark, hatched. */
static void add_fill(ZwText* out, ZwTheme theme, ZwContactWhat what) {
  if (what == ZW_CONTACT_SLIPS)
    zw_page_add(out, " fill=\"url(#" HATCH ")\"");
  else
    zw_theme_fill(out, theme, what == ZW_CONTACT_CLOSED ? ZW_INK_CLOSED : ZW_INK_CURVE);
}

typedef struct Drawing {
  const ZwContactPicture* picture;
  ZwPage page;
  ZwPageFrame frame;
  ZwTicks time;
  int32_t lane_height;
  int32_t shown[ZW_LANES_MAX]; /* contacts */
  int32_t count;               /* of them */
  bool has_bars, has_hits;
  int top_decade; /* no impulse is larger than this power of ten */

  /* of the lane that is drawn */
  double spent[COLUMNS][ZW_LANE_STATES];
  double hardest[WIDTH];
} Drawing;

/* ---- layout ---- */

static int32_t name_width(const Drawing* drawing) {
  int32_t longest = 4;
  for (int32_t i = 0; i < drawing->count; i++) {
    const char* name = drawing->picture->names[drawing->shown[i]];
    int32_t chars = zw_utf8_count(name, (ptrdiff_t)strlen(name));
    longest = chars > longest ? chars : longest;
  }
  return (longest > NAME_CHARS ? NAME_CHARS : longest) * ZW_PAGE_NAME_CHAR;
}

/* What is not drawn, and what the caller has to say. */
static const char* make_footnote(ZwArena* arena, const Drawing* drawing) {
  const ZwLanes* lanes = drawing->picture->lanes;
  const char* own = drawing->picture->footnote ? drawing->picture->footnote : "";
  int32_t more = lanes->touched - lanes->lane_count, never = lanes->contact_count - lanes->touched;
  ZwText text;
  zw_text_init(&text, arena);
  if (drawing->count < lanes->contact_count) {
    if (more > 0) zw_text_addf(&text, "%d more contacts are touched later. ", (int)more);
    if (never > 0) zw_text_addf(&text, "%d contacts are never touched. ", (int)never);
  } else if (lanes->touched == 0) {
    zw_text_addf(&text, "No contact is touched. ");
  }
  zw_text_addf(&text, "%s", own);
  return zw_text_get(&text);
}

static int32_t legend_height(const Drawing* drawing) {
  int32_t lines = drawing->has_bars + drawing->has_hits;
  return lines ? lines * LEGEND + 6 : 0;
}

static void lay_out(Drawing* drawing, ZwArena* arena) {
  const ZwContactPicture* picture = drawing->picture;
  const ZwLanes* lanes = picture->lanes;
  drawing->count = zw_lanes_order(lanes, drawing->shown);
  drawing->lane_height = drawing->count > LANES_LOW ? LANE_LOW : LANE;
  for (int i = ZW_CONTACT_CLOSED; i < ZW_LANE_STATES; i++) drawing->has_bars = drawing->has_bars || lanes->has_state[i];
  drawing->has_hits = lanes->impulse_max > 0;
  drawing->top_decade = drawing->has_hits ? (int)ceil(log10(lanes->impulse_max) - 1e-9) : 0;
  zw_page_time_make(&drawing->time, picture->from, picture->to, WIDTH);
  int32_t half_time = zw_ticks_label_width(&drawing->time) * ZW_PAGE_DIGIT / 2;
  bool has_title = picture->title && picture->title[0];
  drawing->frame = (ZwPageFrame){ZW_PAGE_EDGE + name_width(drawing) + 8,
                                 ZW_PAGE_EDGE / 2 + (has_title ? ZW_PAGE_TITLE : 0) + ZW_PAGE_EDGE / 2, WIDTH,
                                 drawing->count * drawing->lane_height};
  ZwPage* page = &drawing->page;
  *page = (ZwPage){.title = picture->title,
                   .footnote = make_footnote(arena, drawing),
                   .left = drawing->frame.x,
                   .theme = picture->theme};
  page->width = drawing->frame.x + WIDTH + ZW_PAGE_EDGE + half_time / 2;
  page->footnote_chars = WIDTH / ZW_PAGE_FOOTNOTE_CHAR;
  page->height = drawing->frame.y + drawing->frame.height + ZW_PAGE_TIME + legend_height(drawing) +
                 zw_page_footnote_height(page) + ZW_PAGE_EDGE / 2;
}

/* ---- what a lane holds, by columns ---- */

static double column_of(const Drawing* drawing, double t) {
  return COLUMNS * fmin(fmax(zw_ticks_place(&drawing->time, t), 0), 1);
}

static int32_t clamp_column(double column, int32_t count) {
  return column >= count ? count - 1 : (int32_t)column;
}

/* From one time to another the contact is something; what is outside of the picture counts for nothing. */
static void spend(Drawing* drawing, double from, double to, ZwContactWhat what) {
  double begin = column_of(drawing, from), end = column_of(drawing, to);
  if (!(end > begin)) return;
  for (int32_t i = clamp_column(begin, COLUMNS); i < COLUMNS && i < end; i++) {
    drawing->spent[i][what] += fmin(end, i + 1) - fmax(begin, i);
  }
}

static void collect(Drawing* drawing, const ZwLane* lane) {
  memset(drawing->spent, 0, sizeof drawing->spent);
  memset(drawing->hardest, 0, sizeof drawing->hardest);
  double per_time = column_of(drawing, drawing->time.high) / (drawing->time.high - drawing->time.low);
  for (int32_t i = 0; i < lane->count; i++) {
    const ZwLaneCell* cell = &lane->cells[i];
    int32_t column = clamp_column(column_of(drawing, cell->begin), COLUMNS);
    for (int k = 0; k < ZW_LANE_STATES; k++) drawing->spent[column][k] += per_time * cell->spent[k];
    spend(drawing, cell->end, i + 1 < lane->count ? lane->cells[i + 1].begin : drawing->time.high, cell->what);
    if (cell->impulse <= 0) continue;
    double* hardest = &drawing->hardest[clamp_column(column_of(drawing, cell->hit) / 2, WIDTH)];
    *hardest = fmax(*hardest, cell->impulse);
  }
}

/* What the bar is in a column; open only where nothing is closed. */
static ZwContactWhat bar_of(const Drawing* drawing, int32_t column) {
  ZwContactWhat what = ZW_CONTACT_OPEN;
  for (int i = ZW_CONTACT_CLOSED; i < ZW_LANE_STATES; i++) {
    double most = what == ZW_CONTACT_OPEN ? 0 : drawing->spent[column][what];
    if (drawing->spent[column][i] > most) what = (ZwContactWhat)i;
  }
  return what;
}

/* ---- drawing ---- */

static int32_t base_of(const Drawing* drawing, int32_t lane) {
  return drawing->frame.y + (lane + 1) * drawing->lane_height;
}

static void add_bar(ZwText* path, const Drawing* drawing, int32_t base, int32_t begin, int32_t end) {
  zw_page_add(path, "M");
  zw_path_number(path, 100 * drawing->frame.x + 50 * begin);
  zw_text_addf(path, " %dh", (int)(base - BAR));
  zw_path_number(path, 50 * (end - begin));
  zw_text_addf(path, "v%dh", BAR);
  zw_path_number(path, -50 * (end - begin));
  zw_page_add(path, "z");
}

static void draw_bars(ZwText* out, const Drawing* drawing, int32_t base, ZwContactWhat what) {
  ZwText path;
  zw_text_init(&path, out->arena);
  for (int32_t i = 0; i < COLUMNS;) {
    int32_t begin = i;
    while (i < COLUMNS && bar_of(drawing, i) == what) i++;
    if (i > begin) add_bar(&path, drawing, base, begin, i);
    if (i == begin) i++;
  }
  if (path.size == 0) return;
  zw_page_add(out, "<path");
  add_fill(out, drawing->page.theme, what);
  zw_text_addf(out, " d=\"%s\"/>\n", zw_text_get(&path));
}

/* Hundredths of a pixel: the logarithm of the impulse, over some decades. */
static int64_t tick_height(const Drawing* drawing, double impulse) {
  double part = 1 + (log10(impulse) - drawing->top_decade) / DECADES;
  int32_t most = drawing->lane_height - ABOVE;
  return zw_page_hundredths(TICK_LEAST + (most - TICK_LEAST) * fmin(fmax(part, 0), 1));
}

static void add_tick(ZwText* out, int64_t x, int32_t base, int64_t height) {
  zw_page_add(out, "M");
  zw_path_number(out, x);
  zw_text_addf(out, " %dv", (int)base);
  zw_path_number(out, -height);
}

static void draw_hits(ZwText* out, const Drawing* drawing, int32_t base) {
  ZwText path;
  zw_text_init(&path, out->arena);
  for (int32_t i = 0; i < WIDTH; i++) {
    if (drawing->hardest[i] <= 0) continue;
    add_tick(&path, 100 * (drawing->frame.x + i) + 50, base, tick_height(drawing, drawing->hardest[i]) / 10 * 10);
  }
  if (path.size == 0) return;
  zw_page_line(out, drawing->page.theme, ZW_INK_TEXT);
  zw_text_addf(out, " d=\"%s\"/>\n", path.data);
}

static void draw_lane(ZwText* out, Drawing* drawing, int32_t i) {
  int32_t contact = drawing->shown[i], base = base_of(drawing, i);
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\" text-anchor=\"end\">", (int)(drawing->frame.x - 8),
               (int)(base - 4));
  zw_xml_add_clipped(out, zw_str_from(drawing->picture->names[contact]), NAME_CHARS);
  zw_page_add(out, "</text>\n");
  const ZwLane* lane = zw_lanes_find(drawing->picture->lanes, contact);
  if (!lane) return;
  collect(drawing, lane);
  for (int k = ZW_CONTACT_CLOSED; k < ZW_LANE_STATES; k++) draw_bars(out, drawing, base, (ZwContactWhat)k);
  draw_hits(out, drawing, base);
}

/* Lines of time from top to bottom, and between the lanes. */
static void draw_grid(ZwText* out, const Drawing* drawing) {
  const ZwPageFrame* frame = &drawing->frame;
  zw_page_line(out, drawing->page.theme, ZW_INK_GRID);
  zw_page_add(out, " d=\"");
  for (int32_t i = 0; i < drawing->time.count; i++) {
    zw_page_add(out, "M");
    zw_path_number(out, zw_page_time_place(frame, &drawing->time, drawing->time.value[i]));
    zw_text_addf(out, " %dv%d", (int)frame->y, (int)frame->height);
  }
  zw_page_add(out, "\"/>\n");
  zw_page_line(out, drawing->page.theme, ZW_INK_FRAME);
  zw_page_add(out, " stroke-opacity=\".5\" d=\"");
  for (int32_t i = 0; i + 1 < drawing->count; i++) {
    zw_text_addf(out, "M%d %dh%d", (int)frame->x, (int)base_of(drawing, i), WIDTH);
  }
  zw_page_add(out, "\"/>\n");
}

static void draw_frame(ZwText* out, const Drawing* drawing) {
  const ZwPageFrame* frame = &drawing->frame;
  zw_page_line(out, drawing->page.theme, ZW_INK_FRAME);
  zw_page_add(out, " d=\"");
  zw_page_time_ticks(out, frame, &drawing->time);
  zw_text_addf(out, "M%d %dh%dv%dh-%dz\"/>\n", (int)frame->x, (int)frame->y, WIDTH, (int)frame->height, WIDTH);
  zw_page_time_labels(out, drawing->page.theme, frame, &drawing->time, "t");
}

/* Lines from lower left to upper right. */
static void draw_hatch(ZwText* out, const Drawing* drawing) {
  if (!drawing->picture->lanes->has_state[ZW_CONTACT_SLIPS]) return;
  zw_page_add(out, "<defs><pattern id=\"" HATCH "\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">");
  zw_page_line(out, drawing->page.theme, ZW_INK_CURVE);
  zw_page_add(out, " stroke-width=\"1.5\" d=\"M-1 1l2-2M-1 6l7-7M4 6l2-2\"/></pattern></defs>\n");
}

static void draw_legend_of_bars(ZwText* out, const Drawing* drawing, int32_t y) {
  int32_t x = drawing->frame.x;
  for (int i = ZW_CONTACT_CLOSED; i < ZW_LANE_STATES; i++) {
    if (!drawing->picture->lanes->has_state[i]) continue;
    zw_text_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", (int)x, (int)(y - BAR), SWATCH, BAR);
    add_fill(out, drawing->page.theme, (ZwContactWhat)i);
    zw_page_add(out, "/>\n");
    x += SWATCH + 6;
    zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"12\">%s</text>\n", (int)x, (int)y, words[i]);
    x += LEGEND_CHAR * (int32_t)strlen(words[i]) + 20;
  }
}

/* Three ticks with their impulses. */
static void draw_legend_of_hits(ZwText* out, const Drawing* drawing, int32_t y) {
  static const char text[] = "impact, its impulse on a logarithmic scale:";
  int32_t x = drawing->frame.x;
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"12\">%s</text>\n", (int)x, (int)y, text);
  x += LEGEND_CHAR * (int32_t)strlen(text) - 20;
  for (int below = DECADES; below >= 0; below -= DECADES / 2) {
    int decade = drawing->top_decade - below;
    double impulse = pow(10, decade);
    char label[32];
    zw_snprintf(label, sizeof label, "%s%g", below == DECADES ? "\u2264 " : "", impulse);
    zw_page_line(out, drawing->page.theme, ZW_INK_TEXT);
    zw_page_add(out, " d=\"");
    add_tick(out, 100 * x + 50, y, tick_height(drawing, impulse));
    zw_text_addf(out, "\"/>\n<text x=\"%d\" y=\"%d\" font-size=\"12\">%s</text>\n", (int)(x + 5), (int)y, label);
    x += LEGEND_CHAR * zw_utf8_count(label, (ptrdiff_t)strlen(label)) + 24;
  }
}

static void draw_legend(ZwText* out, const Drawing* drawing) {
  int32_t y = drawing->frame.y + drawing->frame.height + ZW_PAGE_TIME + LEGEND;
  if (drawing->has_bars) {
    draw_legend_of_bars(out, drawing, y);
    y += LEGEND;
  }
  if (drawing->has_hits) draw_legend_of_hits(out, drawing, y);
}

void zw_contact_picture_text(ZwText* out, const ZwContactPicture* picture) {
  Drawing* drawing = ZW_NEW(out->arena, 1, Drawing);
  if (!drawing) return;
  drawing->picture = picture;
  lay_out(drawing, out->arena);
  zw_page_begin(out, &drawing->page);
  draw_hatch(out, drawing);
  draw_grid(out, drawing);
  for (int32_t i = 0; i < drawing->count; i++) draw_lane(out, drawing, i);
  draw_frame(out, drawing);
  draw_legend(out, drawing);
  zw_page_end(out, &drawing->page);
}

static void draw_any(ZwText* out, const void* picture) {
  zw_contact_picture_text(out, picture);
}

ZwStatus zw_contact_picture_write(const ZwContactPicture* picture, const ZwAllocator* allocator, const char* path,
                                  char* error) {
  return zw_page_write(draw_any, picture, allocator, path, error);
}
