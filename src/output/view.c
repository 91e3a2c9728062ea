#include "output/view.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum { SAMPLES_MOST = 100 * 1000, GRID_LINES = 6, FLOOR_CORNERS = 4 };
static const double azimuth_usual = -60, elevation_usual = 22; /* degrees */
static const double nearly_all = 0.01;  /* part of the samples left out at either end, when it comes to that */
static const double far_away = 12;      /* times the extent of nearly all */
static const double size_least = 1e-12; /* part of the largest coordinate that is no rounding error */
static const double floor_least = 0.5;  /* of the largest extent: a floor is never a line */

typedef struct Samples {
  double (*points)[3];
  double* along;
  int32_t count;
} Samples;

typedef struct Range {
  double low, high;
} Range;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double zw_view_round(double most) {
  ZW_ASSERT(most > 0);
  double power = pow(10, floor(log10(most)));
  if (power > most) power /= 10; /* log10 may be off by a rounding error */
  return most >= 5 * power ? 5 * power : most >= 2 * power ? 2 * power : power;
}

/* ---- what there is to see ---- */

static int64_t bounds_of_row(const ZwScene* scene) {
  int64_t count = 0;
  for (int32_t i = 0; i < scene->shape_count; i++) count += zw_draw_bound_count(&scene->shapes[i]);
  return count;
}

static void sample_row(Samples* samples, int32_t capacity, const ZwScene* scene, int32_t row) {
  for (int32_t i = 0; i < scene->shape_count; i++) {
    const ZwDraw* shape = &scene->shapes[i];
    int32_t bounds = zw_draw_bound_count(shape);
    if (!zw_scene_is_finite(scene, row, shape)) continue;
    for (int32_t k = 0; k < bounds && samples->count < capacity; k++) {
      double* point = samples->points[samples->count];
      zw_scene_bound(scene, row, shape, k, point);
      samples->count += isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]);
    }
  }
}

/* Of long runs every so many rows, and always the last. */
static bool sample(Samples* samples, ZwArena* arena, const ZwScene* scene) {
  int64_t per_row = bounds_of_row(scene), all = per_row * scene->row_count;
  int64_t stride = all / SAMPLES_MOST + 1;
  int32_t capacity = (int32_t)(per_row * (scene->row_count / stride + 2));
  samples->points = zw_arena_alloc(arena, capacity + FLOOR_CORNERS, sizeof *samples->points);
  samples->along = ZW_NEW(arena, capacity + FLOOR_CORNERS, double);
  if (arena->failed) return false;
  for (int64_t row = 0; row < scene->row_count - 1; row += stride) sample_row(samples, capacity, scene, (int32_t)row);
  if (scene->row_count > 0) sample_row(samples, capacity, scene, scene->row_count - 1);
  return true;
}

static int compare_numbers(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* From where to where the samples reach along a direction. */
static Range range_along(Samples* samples, const double direction[3], bool* is_cut) {
  if (samples->count == 0) return (Range){0, 0};
  for (int32_t i = 0; i < samples->count; i++) samples->along[i] = dot(samples->points[i], direction);
  qsort(samples->along, (size_t)samples->count, sizeof(double), compare_numbers);
  int32_t skipped = (int32_t)(nearly_all * samples->count);
  Range all = {samples->along[0], samples->along[samples->count - 1]};
  Range most = {samples->along[skipped], samples->along[samples->count - 1 - skipped]};
  double size = most.high - most.low;
  if (!(all.high - all.low > far_away * size) || size <= size_least * fmax(fabs(most.low), fabs(most.high))) return all;
  *is_cut = true;
  return (Range){fmax(all.low, most.low - size / 4), fmin(all.high, most.high + size / 4)};
}

/* ---- how it is seen ---- */

static void turn_eye(ZwView* view) {
  const double degree = acos(-1) / 180;
  double a = view->azimuth * degree, e = view->elevation * degree;
  if (!view->is_spatial) {
    view->right[0] = view->up[1] = view->toward[2] = 1;
    return;
  }
  view->right[0] = -sin(a), view->right[1] = cos(a);
  view->up[0] = -sin(e) * cos(a), view->up[1] = -sin(e) * sin(a), view->up[2] = cos(e);
  view->toward[0] = cos(e) * cos(a), view->toward[1] = cos(e) * sin(a), view->toward[2] = sin(e);
}

static double largest_extent(const ZwView* view) {
  double extent = 0;
  for (int32_t k = 0; k < 3; k++) extent = fmax(extent, view->high[k] - view->low[k]);
  return extent;
}

static void widen(double* low, double* high, double least) {
  double missing = least - (*high - *low);
  if (missing > 0) *low -= missing / 2, *high += missing / 2;
}

/* The floor is below everything and reaches from one of its lines to another. */
static void lay_floor(ZwView* view, Samples* samples) {
  double extent = largest_extent(view), wide = 0;
  for (int32_t k = 0; k < 2; k++) {
    view->floor_low[k] = view->low[k], view->floor_high[k] = view->high[k];
    widen(&view->floor_low[k], &view->floor_high[k], floor_least * extent);
    wide = fmax(wide, view->floor_high[k] - view->floor_low[k]);
  }
  view->grid = zw_view_round(wide / (GRID_LINES / 2.0));
  for (int32_t k = 0; k < 2; k++) {
    view->floor_low[k] = view->grid * floor(view->floor_low[k] / view->grid + 1e-9);
    view->floor_high[k] = view->grid * ceil(view->floor_high[k] / view->grid - 1e-9);
  }
  for (int32_t i = 0; i < FLOOR_CORNERS; i++) { /* it is to be seen whole */
    double* corner = samples->points[samples->count++];
    corner[0] = i & 1 ? view->floor_high[0] : view->floor_low[0];
    corner[1] = i & 2 ? view->floor_high[1] : view->floor_low[1];
    corner[2] = view->low[2];
  }
}

/* A scene without extent gets one: about 1, or what its numbers can tell apart. */
static void bound_world(ZwView* view, Samples* samples) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double largest = 0;
  for (int32_t k = 0; k < 3; k++) {
    Range range = range_along(samples, axes[k], &view->is_cut);
    view->low[k] = range.low, view->high[k] = range.high;
    largest = fmax(largest, fmax(fabs(range.low), fabs(range.high)));
  }
  double least = fmax(size_least * largest, DBL_MIN * 1e4);
  if (largest_extent(view) >= least) return;
  double size = largest > 0 && largest < 1e-6 ? largest : fmax(1, 1e-6 * largest);
  for (int32_t k = 0; k < 3; k++) widen(&view->low[k], &view->high[k], k == 2 && !view->is_spatial ? 0 : size);
}

static double at_least(double value, double least) {
  return value > least ? value : least;
}

/* The stage is as large as its bounds allow, and no larger than what is on it. */
static void set_stage(ZwView* view, Range across, Range upward) {
  double middle[2] = {across.low / 2 + across.high / 2, upward.low / 2 + upward.high / 2};
  double centre_of_world[3];
  for (int32_t k = 0; k < 3; k++) centre_of_world[k] = view->low[k] / 2 + view->high[k] / 2;
  double shift[2] = {middle[0] - dot(centre_of_world, view->right), middle[1] - dot(centre_of_world, view->up)};
  for (int32_t k = 0; k < 3; k++) {
    view->centre[k] = centre_of_world[k] + shift[0] * view->right[k] + shift[1] * view->up[k];
  }
  double size = fmax(across.high - across.low, upward.high - upward.low);
  view->half_width = at_least(across.high - across.low, 1e-6 * size) / 2;
  view->half_height = at_least(upward.high - upward.low, 1e-6 * size) / 2;
  const double margins = 2 * ZW_STAGE_MARGIN;
  view->scale =
      fmin((ZW_STAGE_WIDTH - margins) / view->half_width, (ZW_STAGE_HEIGHT - margins) / view->half_height) / 2;
  view->width = (int32_t)ceil(at_least(2 * view->half_width * view->scale + margins, ZW_STAGE_WIDTH_LEAST) - 1e-6);
  view->height = (int32_t)ceil(at_least(2 * view->half_height * view->scale + margins, ZW_STAGE_HEIGHT_LEAST) - 1e-6);
  view->width += view->width % 2; /* films want even sizes */
  view->height += view->height % 2;
}

static Range planar_range(const ZwView* view, int32_t axis) {
  return (Range){view->low[axis], view->high[axis]};
}

ZwStatus zw_view_fit(ZwView* view, const ZwViewDef* def, const ZwScene* scene) {
  *view = (ZwView){.is_spatial = scene->is_spatial, .azimuth = azimuth_usual, .elevation = elevation_usual};
  if (!isnan(def->azimuth)) view->azimuth = def->azimuth;
  if (!isnan(def->elevation)) view->elevation = def->elevation;
  turn_eye(view);
  ZwArena arena;
  zw_arena_init(&arena, &scene->arena.allocator);
  Samples samples = {0};
  if (sample(&samples, &arena, scene)) {
    bound_world(view, &samples);
    if (view->is_spatial) {
      lay_floor(view, &samples);
      set_stage(view, range_along(&samples, view->right, &view->is_cut),
                range_along(&samples, view->up, &view->is_cut));
    } else {
      set_stage(view, planar_range(view, 0), planar_range(view, 1));
    }
  }
  ZwStatus status = arena.failed ? ZW_ERR_MEMORY : ZW_OK;
  zw_arena_destroy(&arena);
  return status;
}

void zw_view_place(const ZwView* view, const double point[3], double place[2]) {
  double from_centre[3];
  for (int32_t k = 0; k < 3; k++) from_centre[k] = point[k] - view->centre[k];
  place[0] = view->width / 2.0 + view->scale * dot(from_centre, view->right);
  place[1] = view->height / 2.0 - view->scale * dot(from_centre, view->up);
}

double zw_view_nearness(const ZwView* view, const double point[3]) {
  return dot(point, view->toward) - dot(view->centre, view->toward);
}
