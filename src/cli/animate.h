/* Films of models: what `zwang animate` shares between its files. */
#ifndef ZW_CLI_ANIMATE_H
#define ZW_CLI_ANIMATE_H

#include "cli/cli.h"
#include "output/film.h"

typedef enum FilmForm { FILM_PAGE, FILM_SVG, FILM_STILL, FILM_MP4, FILM_GIF } FilmForm;

/* movie.c: films that ffmpeg makes, from pictures of all frames */
/* Whether ffmpeg is here; EXIT_FINE, or what was complained of. */
int movie_find(const Options* options);
/* Writes the film, which appears when it is complete. The same. */
int movie_write(const Options* options, const ZwFilm* film, FilmForm form, const char* path);

#endif
