#include "output/film.h"

#include <math.h>

#include "base/assert.h"

ZwStatus zw_film_make(ZwFilm* film, const ZwFilmDef* def, ZwScene* scene) {
  ZW_ASSERT(scene->row_count > 0 && def->speed > 0 && def->fps > 0);
  *film = (ZwFilm){.def = *def, .scene = scene};
  film->from = zw_scene_time(scene, 0);
  film->to = zw_scene_time(scene, scene->row_count - 1);
  double step = def->speed / def->fps;
  film->frame_count = (int32_t)fmin(floor((film->to - film->from) / step + 1e-6), INT32_MAX / 2) + 1;
  ZW_TRY(zw_view_fit(&film->view, &def->view, scene));
  return zw_look_make(&film->look, def->theme, scene, &film->view, step);
}

int32_t zw_film_row(const ZwFilm* film, int32_t frame) {
  double step = film->def.speed / film->def.fps;
  if (frame >= film->frame_count - 1) return film->scene->row_count - 1; /* the end, also if it stopped earlier */
  return zw_scene_find(film->scene, film->from + (frame + 1e-6) * step);
}

double zw_film_seconds(const ZwFilm* film) {
  return (film->to - film->from) / film->def.speed;
}
