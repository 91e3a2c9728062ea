/* When what happened, in a fixed amount of memory, for a plot over time.
 *
 * Instants are kept one by one. When there is no room for more, time is cut into half as many equal cells and what lies in the same
 * cell becomes one mark that counts, as often as needed: as long as cells are narrower than a pixel the picture is the same.
 */
#ifndef ZW_OUTPUT_MARKS_H
#define ZW_OUTPUT_MARKS_H

#include <stdint.h>

#include "output/page.h"

enum {
  ZW_MARKS = 2048,
  ZW_MARK_NAMES = 24,  /* that are told apart */
  ZW_MARK_NAME = 96,   /* bytes of one */
  ZW_MARKS_LABELS = 16 /* px, height of the row of labels */
};

typedef struct ZwMark {
  double t;
  int64_t count; /* instants from t on */
  int32_t name;  /* -1: several */
} ZwMark;

/* A zeroed one is empty. */
typedef struct ZwMarks {
  ZwMark marks[ZW_MARKS];
  int32_t count;
  char names[ZW_MARK_NAMES][ZW_MARK_NAME];
  int32_t name_count;

  /* private */
  double cell; /* of time; 0: one for each instant */
  double origin;
} ZwMarks;

/* Times never go back. The same name at the same time is the same instant. */
void zw_marks_add(ZwMarks* marks, double t, const char* name);
/* Thin lines from top to bottom, and short ones at the top where those would be too dense. */
void zw_marks_draw(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const ZwMarks* marks);
/* Their names above the frame; where there is no room for all, how many there are. */
void zw_marks_labels(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const ZwMarks* marks);

#endif
