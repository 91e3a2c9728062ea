#include "output/scene.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/str.h"

/* ---- making it ---- */

/* The place of a column of the run among those that are kept. */
static int32_t keep_column(ZwScene* scene, int32_t* place, int32_t column) {
  if (place[column] < 0) {
    place[column] = scene->width;
    scene->columns[scene->width++] = column;
  }
  return place[column];
}

static int32_t largest_column(const ZwDraw* shapes, int32_t shape_count) {
  int32_t largest = 0;
  for (int32_t i = 0; i < shape_count; i++) {
    for (int32_t k = 0; k < shapes[i].count; k++) {
      if (shapes[i].numbers[k].column > largest) largest = shapes[i].numbers[k].column;
    }
  }
  return largest;
}

static const char* copy_text(ZwScene* scene, const char* text) {
  return text ? zw_str_copy(&scene->arena, zw_str_from(text)) : NULL;
}

static void copy_shape(ZwScene* scene, ZwDraw* copy, const ZwDraw* shape, int32_t* place) {
  ZwDrawNumber* numbers = ZW_NEW(&scene->arena, shape->count, ZwDrawNumber);
  *copy = *shape;
  copy->numbers = numbers;
  copy->text = copy_text(scene, shape->text);
  copy->colour = copy_text(scene, shape->colour);
  if (shape->dim == 3) scene->is_spatial = true;
  for (int32_t i = 0; numbers && i < shape->count; i++) {
    numbers[i] = shape->numbers[i];
    if (numbers[i].column >= 0) numbers[i].column = keep_column(scene, place, numbers[i].column);
  }
}

ZwStatus zw_scene_init(ZwScene* scene, const ZwAllocator* allocator, const ZwDraw* shapes, int32_t shape_count) {
  *scene = (ZwScene){.shape_count = shape_count};
  zw_arena_init(&scene->arena, allocator);
  int32_t column_count = largest_column(shapes, shape_count) + 1;
  int32_t* place = ZW_NEW(&scene->arena, column_count, int32_t);
  scene->columns = ZW_NEW(&scene->arena, column_count, int32_t);
  scene->shapes = ZW_NEW(&scene->arena, shape_count, ZwDraw);
  if (scene->arena.failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < column_count; i++) place[i] = -1;
  keep_column(scene, place, 0); /* t */
  for (int32_t i = 0; i < shape_count; i++) copy_shape(scene, &scene->shapes[i], &shapes[i], place);
  return scene->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static bool repeats_last(const ZwScene* scene, const double* row) {
  if (scene->row_count == 0) return false;
  const double* last = scene->numbers.items + (ptrdiff_t)(scene->row_count - 1) * scene->width;
  for (int32_t i = 0; i < scene->width; i++) {
    if (memcmp(&last[i], &row[scene->columns[i]], sizeof(double)) != 0) return false;
  }
  return true;
}

ZwStatus zw_scene_add(ZwScene* scene, const double* row) {
  if (repeats_last(scene, row)) return ZW_OK;
  for (int32_t i = 0; i < scene->width; i++) {
    if (!ZW_PUSH(&scene->arena, &scene->numbers, row[scene->columns[i]])) return ZW_ERR_MEMORY;
  }
  scene->row_count++;
  return ZW_OK;
}

void zw_scene_free(ZwScene* scene) {
  zw_arena_destroy(&scene->arena);
  *scene = (ZwScene){0};
}

/* ---- reading it ---- */

static double at(const ZwScene* scene, int32_t row, int32_t column) {
  return scene->numbers.items[(ptrdiff_t)row * scene->width + column];
}

double zw_scene_time(const ZwScene* scene, int32_t row) {
  return at(scene, row, 0);
}

int32_t zw_scene_find(const ZwScene* scene, double t) {
  int32_t low = 0, high = scene->row_count; /* the row sought is in low .. high - 1 */
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (zw_scene_time(scene, middle) <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double zw_scene_number(const ZwScene* scene, int32_t row, const ZwDraw* shape, int32_t i) {
  ZW_ASSERT(i >= 0 && i < shape->count && row >= 0 && row < scene->row_count);
  ZwDrawNumber number = shape->numbers[i];
  return number.column < 0 ? number.value : at(scene, row, number.column);
}

bool zw_scene_is_finite(const ZwScene* scene, int32_t row, const ZwDraw* shape) {
  for (int32_t i = 0; i < shape->count; i++) {
    if (!isfinite(zw_scene_number(scene, row, shape, i))) return false;
  }
  return true;
}

bool zw_scene_is_still(const ZwScene* scene, const ZwDraw* shape) {
  for (int32_t i = 0; i < shape->count; i++) {
    for (int32_t row = 1; shape->numbers[i].column >= 0 && row < scene->row_count; row++) {
      double first = zw_scene_number(scene, 0, shape, i), now = zw_scene_number(scene, row, shape, i);
      if (now != first && !(isnan(now) && isnan(first))) return false;
    }
  }
  return true;
}

/* ---- points ---- */

void zw_scene_point(const ZwScene* scene, int32_t row, const ZwDraw* shape, int32_t i, double point[3]) {
  point[2] = 0;
  for (int32_t k = 0; k < shape->dim; k++) point[k] = zw_scene_number(scene, row, shape, i * shape->dim + k);
}

int32_t zw_draw_bound_count(const ZwDraw* shape) {
  if (shape->kind == ZW_DRAW_CIRCLE) return 2 * shape->dim;
  if (shape->kind == ZW_DRAW_BOX) return shape->dim == 2 ? 4 : 8;
  return shape->point_count;
}

void zw_scene_box_axes(const ZwScene* scene, int32_t row, const ZwDraw* shape, double axes[3][3]) {
  memset(axes, 0, 3 * sizeof *axes);
  if (shape->dim == 2) {
    double angle = zw_scene_number(scene, row, shape, 4);
    axes[0][0] = cos(angle), axes[0][1] = sin(angle);
    axes[1][0] = -sin(angle), axes[1][1] = cos(angle);
    axes[2][2] = 1;
    return;
  }
  for (int32_t k = 0; k < 3; k++) {
    axes[0][k] = zw_scene_number(scene, row, shape, 6 + k);
    axes[1][k] = zw_scene_number(scene, row, shape, 9 + k);
  }
  for (int32_t k = 0; k < 3; k++) { /* ez = ex x ey */
    int32_t a = (k + 1) % 3, b = (k + 2) % 3;
    axes[2][k] = axes[0][a] * axes[1][b] - axes[0][b] * axes[1][a];
  }
}

/* In the plane the corners go round; in space the bits of i are the sides. */
static double side(const ZwDraw* shape, int32_t i, int32_t axis) {
  if (shape->dim == 2) return axis == 0 ? (i == 1 || i == 2 ? 0.5 : -0.5) : (i >= 2 ? 0.5 : -0.5);
  return (i >> axis) & 1 ? 0.5 : -0.5;
}

static void box_corner(const ZwScene* scene, int32_t row, const ZwDraw* shape, int32_t i, double point[3]) {
  double axes[3][3];
  zw_scene_box_axes(scene, row, shape, axes);
  zw_scene_point(scene, row, shape, 0, point);
  for (int32_t axis = 0; axis < shape->dim; axis++) {
    double length = side(shape, i, axis) * zw_scene_number(scene, row, shape, shape->dim + axis);
    for (int32_t k = 0; k < 3; k++) point[k] += length * axes[axis][k];
  }
}

void zw_scene_bound(const ZwScene* scene, int32_t row, const ZwDraw* shape, int32_t i, double point[3]) {
  switch (shape->kind) {
    case ZW_DRAW_CIRCLE: {
      double radius = fabs(zw_scene_number(scene, row, shape, shape->dim));
      zw_scene_point(scene, row, shape, 0, point);
      point[i / 2] += i % 2 ? radius : -radius;
      return;
    }
    case ZW_DRAW_BOX:
      box_corner(scene, row, shape, i, point);
      return;
    default:
      zw_scene_point(scene, row, shape, i, point);
  }
}
