#include "output/series.h"

#include <math.h>

#include "base/assert.h"

static size_t header_size(void) {
  size_t align = _Alignof(max_align_t);
  return (sizeof(ZwSeries) + align - 1) / align * align;
}

size_t zw_series_size(int32_t capacity) {
  ZW_ASSERT(capacity >= 4);
  return header_size() + (size_t)capacity * sizeof(ZwSeriesBucket);
}

ZwSeries* zw_series_init(void* memory, int32_t capacity) {
  ZW_ASSERT(capacity >= 4);
  ZwSeries* series = memory;
  *series = (ZwSeries){.capacity = capacity};
  series->buckets = (ZwSeriesBucket*)((char*)memory + header_size());
  return series;
}

/* b came after a */
static void merge(ZwSeriesBucket* a, const ZwSeriesBucket* b) {
  bool low_from_b = b->low.y<a->low.y, high_from_b = b->high.y> a->high.y;
  if (low_from_b && high_from_b) {
    a->low_is_earlier = b->low_is_earlier;
  } else if (low_from_b || high_from_b) {
    a->low_is_earlier = high_from_b;
  }
  if (low_from_b) a->low = b->low;
  if (high_from_b) a->high = b->high;
  a->last = b->last;
}

static bool same_cell(const ZwSeries* series, const ZwSeriesBucket* a, const ZwSeriesBucket* b) {
  if (!(series->cell > 0)) return false;
  return floor((a->first.t - series->origin) / series->cell) == floor((b->first.t - series->origin) / series->cell);
}

/* Merges the neighbours of one cell. */
static void merge_cells(ZwSeries* series) {
  int32_t kept = 0;
  for (int32_t i = 1; i < series->count; i++) {
    ZwSeriesBucket* bucket = &series->buckets[i];
    if (same_cell(series, &series->buckets[kept], bucket)) {
      merge(&series->buckets[kept], bucket);
    } else {
      series->buckets[++kept] = *bucket;
    }
  }
  series->count = kept + 1;
}

/* For times that do not go one way, or do not move at all: cells do not help. */
static void merge_pairs(ZwSeries* series) {
  int32_t half = series->count / 2;
  for (int32_t i = 0; i < half; i++) {
    ZwSeriesBucket bucket = series->buckets[2 * i];
    merge(&bucket, &series->buckets[2 * i + 1]);
    series->buckets[i] = bucket;
  }
  if (series->count % 2) series->buckets[half] = series->buckets[series->count - 1];
  series->count = half + series->count % 2;
}

static void make_room(ZwSeries* series) {
  int32_t cells = series->capacity / 2;
  series->origin = series->t_low;
  series->cell = series->t_high / cells - series->t_low / cells; /* the difference itself might overflow */
  merge_cells(series);
  if (series->count > series->capacity - series->capacity / 4) merge_pairs(series);
}

static void see_time(ZwSeries* series, double t) {
  if (!series->has_time || t < series->t_low) series->t_low = t;
  if (!series->has_time || t > series->t_high) series->t_high = t;
  series->has_time = true;
}

void zw_series_add(ZwSeries* series, double t, double y) {
  if (isfinite(t)) see_time(series, t);
  if (!isfinite(t) || !isfinite(y)) {
    series->at_break = true;
    return;
  }
  ZwPoint point = {t, y};
  ZwSeriesBucket bucket = {point, point, point, point, .low_is_earlier = true, .after_break = series->at_break};
  series->at_break = false;
  if (series->count > 0 && same_cell(series, &series->buckets[series->count - 1], &bucket)) {
    merge(&series->buckets[series->count - 1], &bucket);
    return;
  }
  if (series->count == series->capacity) make_room(series);
  series->buckets[series->count++] = bucket;
}

static bool same_point(ZwPoint a, ZwPoint b) {
  return a.t == b.t && a.y == b.y;
}

int32_t zw_series_points(const ZwSeries* series, int32_t i, ZwPoint points[ZW_SERIES_BUCKET_POINTS]) {
  ZW_ASSERT(i >= 0 && i < series->count);
  const ZwSeriesBucket* b = &series->buckets[i];
  const ZwPoint ordered[ZW_SERIES_BUCKET_POINTS] = {b->first, b->low_is_earlier ? b->low : b->high,
                                                    b->low_is_earlier ? b->high : b->low, b->last};
  int32_t count = 0;
  for (int32_t k = 0; k < ZW_SERIES_BUCKET_POINTS; k++) {
    if (count == 0 || !same_point(points[count - 1], ordered[k])) points[count++] = ordered[k];
  }
  return count;
}

bool zw_series_range(const ZwSeries* series, double* low, double* high) {
  if (series->count == 0) return false;
  *low = series->buckets[0].low.y;
  *high = series->buckets[0].high.y;
  for (int32_t i = 1; i < series->count; i++) {
    *low = fmin(*low, series->buckets[i].low.y);
    *high = fmax(*high, series->buckets[i].high.y);
  }
  return true;
}
