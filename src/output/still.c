/* A picture of one instant. A strobe shows how things move: earlier positions in lighter and lighter ink, each as soon as something
 * has gone a good part of the stage, so that they do not lie on each other however slow or fast it is. */
#include <math.h>

#include "output/drawing.h"

enum { GHOSTS = 4 };
static const double ghost_distance = 0.09; /* of the stage */
static const double ghost_ink[GHOSTS] = {0.34, 0.24, 0.16, 0.1};

/* How far the point of any shape that was moved farthest is from where it was, in px. */
static double moved(const ZwFilm* film, int32_t row, int32_t other) {
  double farthest = 0;
  for (int32_t i = 0; i < film->scene->shape_count; i++) {
    const ZwDraw* shape = &film->scene->shapes[i];
    for (int32_t k = 0; k < zw_draw_bound_count(shape); k++) {
      double a[3], b[3], from[2], to[2];
      zw_scene_bound(film->scene, row, shape, k, a);
      zw_scene_bound(film->scene, other, shape, k, b);
      zw_view_place(&film->view, a, from);
      zw_view_place(&film->view, b, to);
      double distance = hypot(to[0] - from[0], to[1] - from[1]);
      if (distance > farthest) farthest = distance; /* not for nan */
    }
  }
  return farthest;
}

static int32_t find_ghosts(const ZwFilm* film, int32_t row, int32_t ghosts[GHOSTS]) {
  double least = ghost_distance * hypot(film->view.width, film->view.height);
  int32_t count = 0, last = row;
  for (int32_t i = row - 1; i >= 0 && count < GHOSTS; i--) {
    if (moved(film, last, i) < least) continue;
    ghosts[count++] = last = i;
  }
  return count;
}

static void draw_ghosts(ZwText* out, const ZwFilm* film, ZwSceneMarks* marks, int32_t row) {
  ZwSceneMarksDef def = {film->scene, &film->view, &film->look, false};
  int32_t ghosts[GHOSTS], count = find_ghosts(film, row, ghosts);
  for (int32_t i = count - 1; i >= 0; i--) {
    zw_scene_marks_make(marks, &def, ghosts[i]);
    int32_t end = 0; /* texts would cover each other; in the order of marks they are the last */
    while (end < marks->list.count && marks->list.items[end].kind != ZW_SCENE_TEXT) end++;
    zw_text_addf(out, "<g opacity=\".%02d\">\n", (int)lround(100 * ghost_ink[i]));
    zw_drawing_marks(out, film, marks, 0, end, ghosts[i], 100);
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
