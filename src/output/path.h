/* SVG path data for a curve: short, and true to a twentieth of a pixel.
 *
 * Coordinates are whole hundredths of a pixel, written relative to the point before, so rounding does not add up. A
 * point is left out when the line from the last written point to a later one passes all points between within
 * ZW_PATH_TOL (output/cone.h).
 */
#ifndef ZW_OUTPUT_PATH_H
#define ZW_OUTPUT_PATH_H

#include "base/str.h"
#include "output/cone.h"

enum { ZW_PATH_TOL = 5 }; /* 1/100 px; larger values show as corners */

typedef struct ZwPathPoint {
  int64_t x, y; /* 1/100 px */
} ZwPathPoint;

typedef struct ZwPath {
  ZwText* lines; /* path data of what has length */
  ZwText* dots;  /* path data of single points, each a line of no length: visible with round ends */

  /* private */
  ZwPathPoint written; /* last point in the data; the first of the line while nothing is written */
  ZwPathPoint seen;    /* last point given */
  ZwCone cone;         /* from `written` */
  bool has_line;       /* a line has begun */
  bool is_drawn;       /* ... and some of it is in the data */
} ZwPath;

void zw_path_init(ZwPath* path, ZwText* lines, ZwText* dots);
/* Goes on to the point, or begins a line there. */
void zw_path_add(ZwPath* path, ZwPathPoint point);
/* Ends the line; the next point begins another. */
void zw_path_break(ZwPath* path);

/* A number of hundredths as SVG likes it: `-.5`, `3`, `3.25`. */
void zw_path_number(ZwText* out, int64_t hundredths);

#endif
