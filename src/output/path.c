#include "output/path.h"

#include <inttypes.h>
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

static void begin_cone(ZwPath* path) {
  zw_cone_begin(&path->cone, (double)path->written.x, (double)path->written.y);
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
  begin_cone(path);
}

void zw_path_add(ZwPath* path, ZwPathPoint point) {
  if (!path->has_line) {
    path->has_line = true;
    path->is_drawn = false;
    path->written = path->seen = point;
    begin_cone(path);
    return;
  }
  if (!zw_cone_take(&path->cone, (double)point.x, (double)point.y, ZW_PATH_TOL)) {
    write_seen(path);
    (void)zw_cone_take(&path->cone, (double)point.x, (double)point.y, ZW_PATH_TOL);
  }
  path->seen = point;
}

void zw_path_break(ZwPath* path) {
  if (path->has_line) write_seen(path);
  if (path->has_line && !path->is_drawn) {
    add_move(path->dots, path->seen);
    zw_text_add(path->dots, "h0", 2);
  }
  path->has_line = false;
}
