#include "output/page.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "output/path.h"
#include "output/xml.h"

enum { TIME_TICKS_MAX = 11 };

void zw_page_add(ZwText* out, const char* text) {
  zw_text_add(out, text, (ptrdiff_t)strlen(text));
}

int64_t zw_page_hundredths(double px) {
  return (int64_t)llround(100 * px);
}

void zw_page_attribute(ZwText* out, const char* name, int64_t hundredths) {
  zw_text_addf(out, " %s=\"", name);
  zw_path_number(out, hundredths);
  zw_page_add(out, "\"");
}

static bool is_empty(const char* text) {
  return !text || !text[0];
}

/* ---- the footnote ---- */

/* The next line of at most `most` characters, broken at a space where there is one; moves `rest` behind it. */
static ZwStr next_line(ZwStr* rest, int32_t most) {
  int32_t end = 0, space = 0;
  for (int32_t count = 0; end < rest->size && count < most; count++) {
    if (rest->data[end] == ' ') space = end;
    uint32_t code;
    end += zw_utf8_next(rest->data + end, rest->size - end, &code);
  }
  if (end < rest->size && rest->data[end] != ' ' && space > 0) end = space;
  ZwStr line = {rest->data, end};
  while (end < rest->size && rest->data[end] == ' ') end++;
  *rest = (ZwStr){rest->data + end, rest->size - end};
  return line;
}

static int32_t count_lines(const ZwPage* page) {
  if (is_empty(page->footnote)) return 0;
  int32_t count = 0;
  for (ZwStr rest = zw_str_from(page->footnote); rest.size > 0; count++) next_line(&rest, page->footnote_chars);
  return count;
}

int32_t zw_page_footnote_height(const ZwPage* page) {
  int32_t lines = count_lines(page);
  return lines ? lines * ZW_PAGE_FOOTNOTE + 8 : 0;
}

static void draw_footnote(ZwText* out, const ZwPage* page) {
  if (is_empty(page->footnote)) return;
  int32_t y = page->height - ZW_PAGE_EDGE / 2 - (count_lines(page) - 1) * ZW_PAGE_FOOTNOTE - 4;
  ZwStr rest = zw_str_from(page->footnote);
  for (; rest.size > 0; y += ZW_PAGE_FOOTNOTE) {
    ZwStr line = next_line(&rest, page->footnote_chars);
    zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"11\"", (int)page->left, (int)y);
    zw_theme_fill(out, page->theme, ZW_INK_NOTE);
    zw_page_add(out, ">");
    zw_xml_add(out, line);
    zw_page_add(out, "</text>\n");
  }
}

/* ---- the page ---- */

static void draw_title(ZwText* out, const ZwPage* page) {
  if (is_empty(page->title)) return;
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"17\" font-weight=\"bold\">", (int)page->left,
               ZW_PAGE_EDGE / 2 + 22);
  zw_xml_add_clipped(out, zw_str_from(page->title), (page->width - page->left - ZW_PAGE_EDGE) / ZW_PAGE_TITLE_CHAR);
  zw_page_add(out, "</text>\n");
}

void zw_page_begin(ZwText* out, const ZwPage* page) {
  zw_text_addf(
      out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"" ZW_SVG_FONTS,
      (int)page->width, (int)page->height, (int)page->width, (int)page->height);
  zw_theme_fill(out, page->theme, ZW_INK_TEXT);
  zw_page_add(out, ">\n");
  if (!is_empty(page->title)) {
    zw_page_add(out, "<title>");
    zw_xml_add(out, zw_str_from(page->title));
    zw_page_add(out, "</title>\n");
  }
  zw_theme_rules(out, page->theme);
  zw_text_addf(out, "<rect width=\"%d\" height=\"%d\"", (int)page->width, (int)page->height);
  zw_theme_fill(out, page->theme, ZW_INK_PAPER);
  zw_page_add(out, "/>\n");
  draw_title(out, page);
}

void zw_page_end(ZwText* out, const ZwPage* page) {
  draw_footnote(out, page);
  zw_page_add(out, "</svg>\n");
}

/* ---- time ---- */

void zw_page_time_make(ZwTicks* time, double from, double to, int32_t frame_width) {
  int32_t most = frame_width / ZW_PAGE_TIME_TICK;
  most = most < ZW_TICKS_MOST_MIN ? ZW_TICKS_MOST_MIN : most > TIME_TICKS_MAX ? TIME_TICKS_MAX : most;
  zw_ticks_make(time, from, to, 0, most);
}

int64_t zw_page_time_place(const ZwPageFrame* frame, const ZwTicks* time, double t) {
  return zw_page_hundredths(frame->x + frame->width * zw_ticks_place(time, t));
}

void zw_page_time_ticks(ZwText* out, const ZwPageFrame* frame, const ZwTicks* time) {
  for (int32_t i = 0; i < time->count; i++) {
    zw_page_add(out, "M");
    zw_path_number(out, zw_page_time_place(frame, time, time->value[i]));
    zw_text_addf(out, " %dv%d", (int)(frame->y + frame->height), ZW_PAGE_TICK);
  }
}

void zw_page_note(ZwText* out, ZwTheme theme, const char* note) {
  if (is_empty(note)) return;
  zw_page_add(out, "<tspan dx=\"10\" font-size=\"11\" font-weight=\"normal\" font-style=\"normal\"");
  zw_theme_fill(out, theme, ZW_INK_NOTE);
  zw_text_addf(out, ">%s</tspan>", note);
}

void zw_page_line(ZwText* out, ZwTheme theme, ZwInk ink) {
  zw_page_add(out, "<path fill=\"none\"");
  zw_theme_stroke(out, theme, ink);
}

void zw_page_time_labels(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const char* name) {
  int32_t y = frame->y + frame->height + ZW_PAGE_TICK;
  zw_page_add(out, "<g font-size=\"11\" text-anchor=\"middle\">\n");
  for (int32_t i = 0; i < time->count; i++) {
    zw_page_add(out, "<text");
    zw_page_attribute(out, "x", zw_page_time_place(frame, time, time->value[i]));
    zw_text_addf(out, " y=\"%d\">%s</text>\n", (int)(y + 12), time->label[i]);
  }
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\" font-style=\"italic\">",
               (int)(frame->x + frame->width / 2), (int)(y + 30));
  zw_xml_add_clipped(out, zw_str_from(name ? name : "t"), frame->width / ZW_PAGE_NAME_CHAR);
  zw_page_note(out, theme, time->note);
  zw_page_add(out, "</text>\n</g>\n");
}

/* ---- the file ---- */

ZwStatus zw_page_write(ZwPageDrawFn draw, const void* picture, const ZwAllocator* allocator, const char* path,
                       char* error) {
  error[0] = 0;
  ZwArena arena;
  zw_arena_init(&arena, allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  draw(&text, picture);
  ZwStatus status = ZW_ERR_MEMORY;
  if (arena.failed) {
    zw_snprintf(error, ZW_DRAFT_ERROR, "out of memory");
  } else {
    status = zw_draft_whole(allocator, path, text.data, (size_t)text.size, error);
  }
  zw_arena_destroy(&arena);
  return status;
}
