/* The solve of a model with definite M and independent rows, written out without a zero or a loop (kernel/eliminate.h), as functions
 * of C:
 *
 *   eliminate_mass      what follows from M, into `kept`
 *   eliminate_solve     a and lambda
 *   eliminate_factor    what follows from M and A, for
 *   eliminate_project   dx with A dx = -r, least in the metric of M
 *
 * Those that give a number are fine if it is positive; otherwise the dense solve has to do. */
#ifndef ZW_EXPORT_ELIMINATE_H
#define ZW_EXPORT_ELIMINATE_H

#include "export/flat.h"

/* Longer ones are not written: the dense solve is shorter. */
enum { ZW_EXPORT_ELIMINATION = 8000 };

typedef struct ZwCElimination {
  bool is_there;
  int32_t kept;     /* numbers that parts keep for each other */
  bool uses_lesser; /* the function `lesser` */
} ZwCElimination;

/* Adds the functions to the text, if there is an elimination; those of projections if rows have positions or velocities. */
ZwStatus zw_c_write_elimination(ZwText* text, ZwArena* arena, const ZwFlat* flat, bool has_projection,
                                ZwCElimination* elimination);

#endif
