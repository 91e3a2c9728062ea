/* Marks as SVG, and the sheet they are on: a title, the time, a scale. */
#ifndef ZW_OUTPUT_DRAWING_H
#define ZW_OUTPUT_DRAWING_H

#include "output/film.h"

/* px, of the sheet around the stage */
enum { ZW_SHEET_HEAD = 44, ZW_SHEET_FOOT = 34, ZW_SHEET_EDGE = 18 };

/* The begin and the end of the document. Between them are marks, in pixels of the stage. */
void zw_drawing_begin(ZwText* out, const ZwFilm* film, double zoom);
void zw_drawing_end(ZwText* out, const ZwFilm* film);
/* The stage cuts off what is outside of it. */
void zw_drawing_begin_stage(ZwText* out, const ZwFilm* film);
void zw_drawing_end_stage(ZwText* out);
/* Marks from..to - 1 of a list. `per_px`: 10 or 100, how finely places are written. */
void zw_drawing_marks(ZwText* out, const ZwFilm* film, const ZwSceneMarks* marks, int32_t from, int32_t to, int32_t row,
                      int32_t per_px);
/* The path data of one stroke. */
void zw_drawing_path(ZwText* out, const ZwSceneMarks* marks, const ZwSceneMark* mark, int32_t per_px);
/* " class=..." of a mark */
void zw_drawing_class(ZwText* out, const ZwSceneMark* mark);
/* The time of a row, in the corner of the sheet. */
void zw_drawing_time(ZwText* out, const ZwFilm* film, int32_t row);

#endif
