/* What pictures share: the page with its title and footnote, and the axis of time below a frame.
 *
 * All places are whole hundredths of a pixel until they are printed. */
#ifndef ZW_OUTPUT_PAGE_H
#define ZW_OUTPUT_PAGE_H

#include "base/status.h"
#include "base/str.h"
#include "output/draft.h"
#include "output/theme.h"
#include "output/ticks.h"

/* px; widths of characters are those of a wide font, since we do not know which one will be used */
enum {
  ZW_PAGE_EDGE = 20,         /* free space around everything */
  ZW_PAGE_TITLE = 34,        /* height of the title row */
  ZW_PAGE_TIME = 40,         /* tick labels and the name of the time axis below a frame */
  ZW_PAGE_FOOTNOTE = 16,     /* height of a line of the footnote */
  ZW_PAGE_TICK = 4,          /* length of a tick */
  ZW_PAGE_DIGIT = 7,         /* width of a digit of a tick label */
  ZW_PAGE_NAME_CHAR = 8,     /* width of a character of a name */
  ZW_PAGE_TITLE_CHAR = 11,   /* ... of the title */
  ZW_PAGE_FOOTNOTE_CHAR = 6, /* ... of the footnote */
  ZW_PAGE_TIME_TICK = 56     /* least distance of two ticks of time */
};

typedef struct ZwPage {
  const char* title;      /* NULL or "": none */
  const char* footnote;   /* the same */
  int32_t width, height;  /* px, of the whole */
  int32_t left;           /* px, where title and footnote begin */
  int32_t footnote_chars; /* characters in a line of the footnote */
  ZwTheme theme;
} ZwPage;

typedef struct ZwPageFrame {
  int32_t x, y, width, height; /* px */
} ZwPageFrame;

/* px that the footnote takes below everything else. */
int32_t zw_page_footnote_height(const ZwPage* page);
/* The begin of the document and the title; the footnote and the end. */
void zw_page_begin(ZwText* out, const ZwPage* page);
void zw_page_end(ZwText* out, const ZwPage* page);

/* An axis of time for a frame so wide. */
void zw_page_time_make(ZwTicks* time, double from, double to, int32_t frame_width);
int64_t zw_page_time_place(const ZwPageFrame* frame, const ZwTicks* time, double t);
/* Ticks of time below the frame, as path data. */
void zw_page_time_ticks(ZwText* out, const ZwPageFrame* frame, const ZwTicks* time);
/* Their labels, and the name of the axis; NULL: t. */
void zw_page_time_labels(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const char* name);
/* A note behind a name, inside its text. */
void zw_page_note(ZwText* out, ZwTheme theme, const char* note);

/* The begin of an element of lines, up to where its other attributes stand. */
void zw_page_line(ZwText* out, ZwTheme theme, ZwInk ink);

int64_t zw_page_hundredths(double px);
void zw_page_add(ZwText* out, const char* text);
/* ` name="12.5"` */
void zw_page_attribute(ZwText* out, const char* name, int64_t hundredths);

/* A picture that fills a text. */
typedef void (*ZwPageDrawFn)(ZwText* out, const void* picture);
/* Writes it to a file, which appears when it is complete (see output/draft.h). On ZW_ERR_IO and ZW_ERR_MEMORY `error`
 * (ZW_DRAFT_ERROR bytes) holds one sentence and no file is left behind. */
ZwStatus zw_page_write(ZwPageDrawFn draw, const void* picture, const ZwAllocator* allocator, const char* path,
                       char* error);

#endif
