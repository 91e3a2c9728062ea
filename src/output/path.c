#include "output/path.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void zw_path_init(ZwPath* path, ZwText* lines, ZwText* dots) {
  *path = (ZwPath){.lines = lines, .dots = dots};
}

void zw_path_number(ZwText* out, int64_t hundredths) {
  int64_t size = llabs(hundredths), whole = size / 100, rest = size % 100;
  zw_text_addf(out, "%s", hundredths < 0 ? "-" : "");
  if (whole > 0 || rest == 0) zw_text_addf(out, "%" PRId64, whole);
  if (rest == 0) return;
  if (rest % 10 == 0) {
    zw_text_addf(out, ".%" PRId64, rest / 10);
  } else {
    zw_text_addf(out, ".%02" PRId64, rest);
  }
}

static void add_move(ZwText* out, ZwPathPoint point) {
  zw_text_add(out, "M", 1);
  zw_path_number(out, point.x);
  zw_text_add(out, " ", 1);
  zw_path_number(out, point.y);
}

/* A minus sign separates by itself. */
static void add_number(ZwText* out, int64_t hundredths) {
  if (hundredths >= 0) zw_text_add(out, " ", 1);
  zw_path_number(out, hundredths);
}

static void forget_slopes(ZwPath* path) {
  path->slope_low = -INFINITY;
  path->slope_high = INFINITY;
}

static void write_seen(ZwPath* path) {
  int64_t dx = path->seen.x - path->written.x, dy = path->seen.y - path->written.y;
  if (dx == 0 && dy == 0) return;
  if (!path->is_drawn) {
    add_move(path->lines, path->written);
    zw_text_add(path->lines, "l", 1);
    zw_path_number(path->lines, dx);
  } else {
    add_number(path->lines, dx);
  }
  add_number(path->lines, dy);
  path->is_drawn = true;
  path->written = path->seen;
  forget_slopes(path);
}

void zw_path_add(ZwPath* path, ZwPathPoint point) {
  if (!path->has_line) {
    path->has_line = true;
    path->is_drawn = false;
    path->written = path->seen = point;
    forget_slopes(path);
    return;
  }
  if (point.x == path->seen.x && point.y == path->seen.y) return;
  /* straight up or down, or out of the slopes: what came before must be written */
  double dx = (double)(point.x - path->written.x), dy = (double)(point.y - path->written.y);
  if (point.x <= path->seen.x || dy < path->slope_low * dx || dy > path->slope_high * dx) {
    write_seen(path);
    dx = (double)(point.x - path->written.x);
    dy = (double)(point.y - path->written.y);
  }
  path->seen = point;
  if (dx > 0) {
    path->slope_low = fmax(path->slope_low, (dy - ZW_PATH_TOL) / dx);
    path->slope_high = fmin(path->slope_high, (dy + ZW_PATH_TOL) / dx);
  } else {
    write_seen(path);
  }
}

void zw_path_break(ZwPath* path) {
  if (path->has_line) write_seen(path);
  if (path->has_line && !path->is_drawn) {
    add_move(path->dots, path->seen);
    zw_text_add(path->dots, "h0", 2);
  }
  path->has_line = false;
}
