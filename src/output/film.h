/* A scene made ready to be shown: its view, its look and its frames; and what it can be written as.
 *
 * Frame i shows the time from + i speed / fps. Rows may lie closer than frames, so that trails are smooth and slow motion is too.
 */
#ifndef ZW_OUTPUT_FILM_H
#define ZW_OUTPUT_FILM_H

#include "output/scene_marks.h"

typedef struct ZwFilmDef {
  const char* title;  /* the model's name */
  const char* source; /* its text, for the page; NULL: none */
  double speed;       /* model time per second */
  double fps;         /* frames per second */
  ZwTheme theme;
  ZwViewDef view;
} ZwFilmDef;

typedef struct ZwFilm {
  ZwFilmDef def;
  ZwScene* scene;
  ZwView view;
  ZwLook look;
  double from, to; /* time */
  int32_t frame_count;
} ZwFilm;

/* The scene must have a row and outlive the film, which uses its memory. ZW_ERR_MEMORY. */
ZwStatus zw_film_make(ZwFilm* film, const ZwFilmDef* def, ZwScene* scene);
/* The row that a frame shows. */
int32_t zw_film_row(const ZwFilm* film, int32_t frame);
/* Seconds that it takes to see it. */
double zw_film_seconds(const ZwFilm* film);

/* All are added to a text; when memory is out, the arena of the text says so. Nothing of them needs a network. */

/* A picture of one instant. `ghosts`: with the last few positions before it in light ink, so that one sees how it moves. `zoom`:
 * pixels per pixel, for films that are to be sharp. */
void zw_film_still(ZwText* out, const ZwFilm* film, int32_t row, bool has_ghosts, double zoom);
/* An SVG that moves by itself, also inside of other pages; no script. Frames are left out until it is of a sensible size. */
void zw_film_svg(ZwText* out, const ZwFilm* film);
/* An HTML page with a player. */
void zw_film_page(ZwText* out, const ZwFilm* film);

#endif
