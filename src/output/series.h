/* A curve (t, y) of any length in a fixed amount of memory, for plotting.
 *
 * The first samples are kept one by one. When the buckets are full, time is cut into half as many equal cells and the
 * neighbours that begin in the same cell merge, as often as needed. A bucket keeps its first, lowest, highest and last
 * sample in the order they came, which draws the same picture as all samples do as long as a cell is narrower than
 * a pixel. Cells are cells of time, not of sample counts: a burst of samples at an event does not thin out the rest.
 *
 * A value that is not finite breaks the line. A break shorter than a cell cannot be seen and is not kept.
 */
#ifndef ZW_OUTPUT_SERIES_H
#define ZW_OUTPUT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  ZW_SERIES_BUCKETS = 2048,   /* a good capacity: at least 1024 cells over the plot */
  ZW_SERIES_BUCKET_POINTS = 4 /* most points of one bucket */
};

typedef struct ZwPoint {
  double t, y;
} ZwPoint;

typedef struct ZwSeriesBucket {
  ZwPoint first, low, high, last;
  bool low_is_earlier; /* than high */
  bool after_break;    /* the line does not reach it from the bucket before */
} ZwSeriesBucket;

typedef struct ZwSeries {
  ZwSeriesBucket* buckets;
  int32_t count, capacity;
  bool at_break;        /* the last value was not finite */
  bool has_time;        /* some time was finite; t_low and t_high are set */
  double t_low, t_high; /* of all samples, also of those without a finite value */
  double origin, cell;  /* where the cells begin and how long they are; 0: one bucket per sample */
} ZwSeries;

/* Bytes for a series with so many buckets (at least 4). */
size_t zw_series_size(int32_t capacity);
/* An empty series at the start of `memory` (aligned for any type), which the caller keeps and frees. */
ZwSeries* zw_series_init(void* memory, int32_t capacity);

void zw_series_add(ZwSeries* series, double t, double y);

/* The points of bucket i in the order they came, without repetition; returns how many, 1 to 4. */
int32_t zw_series_points(const ZwSeries* series, int32_t i, ZwPoint points[ZW_SERIES_BUCKET_POINTS]);
/* Lowest and highest value; false when there is none. */
bool zw_series_range(const ZwSeries* series, double* low, double* high);

#endif
