/* A curve (x, y) that goes anywhere, of any length, in a fixed amount of memory, for plotting one quantity against another.
 *
 * The first samples are kept one by one. When there is no room for more, a box around the range seen so far is cut into ZW_TRACE_CELLS
 * cells each way, which are smaller than a pixel; from then on
 *
 *   points are left out where straight lines pass them within ZW_TRACE_TOL cells (output/cone.h), and
 *   lines are left out that go where lines are already, which are wider than a cell.
 *
 * So a motion that goes round a thousand times costs no more than the places where it has been; one that fills the whole range
 * needs some 20000 points. When the range grows, cells grow with it. If there is still no room, cells become twice as large, as often as
 * needed.
 *
 * A value that is not finite breaks the line.
 */
#ifndef ZW_OUTPUT_TRACE_H
#define ZW_OUTPUT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/cone.h"

enum {
  ZW_TRACE_POINTS = 32768, /* a good capacity: enough to fill the range */
  ZW_TRACE_CELLS = 1024    /* each way */
};
#define ZW_TRACE_TOL 0.25 /* cells; larger values show as corners */

typedef struct ZwTracePoint {
  double x, y;
  bool after_break; /* no line reaches it from the point before */
} ZwTracePoint;

typedef struct ZwTrace {
  ZwTracePoint* points;
  int32_t count, capacity;
  bool has_range; /* some sample was finite, and these are of all that were */
  double x_low, x_high, y_low, y_high;
  int32_t cells; /* each way, in use; 0: points are kept one by one */

  /* private */
  uint64_t* passed; /* a bit for each cell */
  double x_cell, y_cell, x_low_cell,
      y_low_cell;          /* the size of a cell; the range of the box begins at that number of them */
  bool has_line;           /* a line has begun, */
  bool is_drawn;           /* some of it was told from `last` on, */
  bool is_last_kept;       /* which is among the points, */
  ZwTracePoint last, seen; /* and goes on to the newest sample */
  ZwCone cone;
} ZwTrace;

/* Bytes for a trace with so many points (at least 16). */
size_t zw_trace_size(int32_t capacity);
/* An empty trace at the start of `memory` (aligned for any type), which the caller keeps and frees. */
ZwTrace* zw_trace_init(void* memory, int32_t capacity);

void zw_trace_add(ZwTrace* trace, double x, double y);
/* Before the points are read: the newest sample becomes one of them. More samples may follow. */
void zw_trace_flush(ZwTrace* trace);

#endif
