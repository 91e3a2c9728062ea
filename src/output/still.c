/* A picture of one instant. A strobe shows how things move: earlier positions in lighter and lighter ink, each as soon as something
 * has gone a good part of the stage, so that they do not lie on each other however slow or fast it is. */
#include <math.h>

#include "output/drawing.h"

enum { GHOSTS = 4 };
static const double ghost_distance = 0.09; /* of the stage */
static const double ghost_ink[GHOSTS] = {0.34, 0.24, 0.16, 0.1};

/* How far the point of a shape that was moved farthest is from where it was, in px. */
static double shape_moved(const ZwFilm* film, const ZwDraw* shape, int32_t row, int32_t other) {
  double farthest = 0;
  for (int32_t k = 0; k < zw_draw_bound_count(shape); k++) {
    double a[3], b[3], from[2], to[2];
    zw_scene_bound(film->scene, row, shape, k, a);
    zw_scene_bound(film->scene, other, shape, k, b);
    zw_view_place(&film->view, a, from);
    zw_view_place(&film->view, b, to);
    double distance = hypot(to[0] - from[0], to[1] - from[1]);
    if (distance > farthest) farthest = distance; /* not for nan */
  }
  return farthest;
}

static double moved(const ZwFilm* film, int32_t row, int32_t other) {
  double farthest = 0;
  for (int32_t i = 0; i < film->scene->shape_count; i++) {
    farthest = fmax(farthest, shape_moved(film, &film->scene->shapes[i], row, other));
  }
  return farthest;
}

static double least_distance(const ZwFilm* film) {
  return ghost_distance * hypot(film->view.width, film->view.height);
}

static int32_t find_ghosts(const ZwFilm* film, int32_t row, int32_t ghosts[GHOSTS]) {
  double least = least_distance(film);
  int32_t count = 0, last = row;
  for (int32_t i = row - 1; i >= 0 && count < GHOSTS; i--) {
    if (moved(film, last, i) < least) continue;
    ghosts[count++] = last = i;
  }
  return count;
}

/* Things that have hardly moved would be smeared, and what is told about them is about now: they have no ghosts. */
static bool has_ghost(const ZwFilm* film, const ZwSceneMark* mark, int32_t row, int32_t ghost) {
  const ZwDraw* shape = &film->scene->shapes[mark->shape];
  if (shape->kind == ZW_DRAW_TEXT || shape->kind == ZW_DRAW_ARROW) return false;
  return shape_moved(film, shape, row, ghost) >= least_distance(film) / 2;
}

static void draw_ghost(ZwText* out, const ZwFilm* film, ZwSceneMarks* marks, int32_t row, int32_t ghost) {
  ZwSceneMarksDef def = {film->scene, &film->view, &film->look, false};
  int32_t kept = 0;
  zw_scene_marks_make(marks, &def, ghost);
  for (int32_t i = 0; i < marks->list.count; i++) {
    ZwSceneMark mark = marks->list.items[i];
    if (has_ghost(film, &mark, row, ghost)) marks->list.items[kept++] = mark;
  }
  zw_drawing_marks(out, film, marks, 0, kept, ghost, 100);
}

static void draw_ghosts(ZwText* out, const ZwFilm* film, ZwSceneMarks* marks, int32_t row) {
  int32_t ghosts[GHOSTS], count = find_ghosts(film, row, ghosts);
  for (int32_t i = count - 1; i >= 0; i--) {
    zw_text_addf(out, "<g opacity=\".%02d\">\n", (int)lround(100 * ghost_ink[i]));
    draw_ghost(out, film, marks, row, ghosts[i]);
    zw_text_addf(out, "</g>\n");
  }
}

void zw_film_still(ZwText* out, const ZwFilm* film, int32_t row, bool has_ghosts, double zoom) {
  ZwSceneMarksDef def = {film->scene, &film->view, &film->look, true};
  ZwSceneMarks marks;
  zw_scene_marks_init(&marks, out->arena);
  zw_drawing_begin(out, film, zoom);
  zw_drawing_time(out, film, row);
  zw_drawing_begin_stage(out, film);
  zw_scene_marks_floor(&marks, &def);
  zw_drawing_marks(out, film, &marks, 0, marks.list.count, row, 100);
  if (has_ghosts) draw_ghosts(out, film, &marks, row);
  zw_scene_marks_make(&marks, &def, row);
  zw_drawing_marks(out, film, &marks, 0, marks.list.count, row, 100);
  zw_drawing_end_stage(out);
  zw_drawing_end(out, film);
}
