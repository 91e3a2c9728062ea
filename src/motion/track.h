/* A motion that is given by a table: values at times, and a smooth motion through them.
 *
 * At each time four derivatives are known or estimated: by the polynomial through the nearest times, which has the given
 * velocities and accelerations too (divided differences with repeated places). Between two times the motion is the polynomial of
 * degree 9 that has those at both. So it passes through everything that is given, and its accelerations are as smooth as a cubic
 * spline is. docs/design/forces.md has the reasons. */
#ifndef ZW_MOTION_TRACK_H
#define ZW_MOTION_TRACK_H

#include "base/arena.h"
#include "base/status.h"

enum { ZW_TRACK_ROWS = 5 }; /* fewest rows that tell accelerations */
enum { ZW_TRACK_JET = 5 };  /* numbers at a time: the value and four derivatives, each over its factorial */

/* One coordinate: what is given of it at each time. Velocities go with positions, accelerations with both; else NULL. */
typedef struct ZwTrackColumn {
  const double *q, *v, *a;
} ZwTrackColumn;

typedef struct ZwTrack {
  int32_t count, n; /* times, coordinates */
  const double* t;  /* ascending */
  const ZwTrackColumn* columns;
  double* jets; /* n x count x ZW_TRACK_JET; of coordinates that are not given nothing */

  /* accelerations that are estimated: what the last places of the polynomials add to them, at most, by
   * their sizes and largest values, */
  double doubt, t_doubt;
  int32_t doubtful; /* and of which coordinate; -1: none is estimated */
} ZwTrack;

/* `t` and what `columns` (n of them) points to stay the caller's; at least ZW_TRACK_ROWS times. `size` has n numbers above zero: what
 * accelerations are measured by that are zero all the time. ZW_ERR_MEMORY. */
ZwStatus zw_track_build(ZwTrack* track, ZwArena* arena, int32_t count, const double* t, int32_t n,
                        const ZwTrackColumn* columns, const double* size);
/* The interval t lies in: times i and i + 1. */
int32_t zw_track_interval(const ZwTrack* track, double t);
/* Position, velocity and acceleration of a coordinate that is given. */
void zw_track_at(const ZwTrack* track, int32_t coordinate, double t, double* q, double* v, double* a);

#endif
