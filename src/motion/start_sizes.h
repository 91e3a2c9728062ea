/* Sizes of the start: how far each coordinate and velocity must move to matter. What 1 + |x| was before, with one metre or one
 * radian for the 1, is S + |x| with a size S of its own, from the first of these that tells:
 *
 *   scale    what the model states: coord x = 0 scale 1e-6
 *   rows     the least of what its rows say: how far it must move to change one of them by what it is made of
 *            (equations/lengths.h). Where a row reads nothing but zeros, the sizes of its other coordinates count
 *   typed    its own value
 *   rates    where a row of velocities reads it: the sizes of the other coordinates of that row
 *   inertia  the sizes of others of the same connected part, as if their energies were alike
 *   guess    1, which depends on units
 *
 * A velocity has the size that its rows say, or the size of its coordinate times the rate of its part: the largest v/S and
 * sqrt(f/(m S)) there. Where a coordinate is written in another unit its size is another number for the same length; so it is with
 * units of rows, masses and time.
 *
 * Sizes are found anew wherever a state is assembled, always from the state as it was typed: after that coordinates may be zero
 * but for rounding, which tells nothing. So a run that is resumed finds the same. After the start all rows and contacts count, in
 * force or not. */
#ifndef ZW_MOTION_START_SIZES_H
#define ZW_MOTION_START_SIZES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ZwEquations;
struct ZwSim;

/* What told a size. */
typedef enum ZwTold {
  ZW_TOLD_NOTHING,
  ZW_TOLD_GUESS,
  ZW_TOLD_INERTIA,
  ZW_TOLD_TYPED,
  ZW_TOLD_ROWS,
  ZW_TOLD_SCALE
} ZwTold;

/* Numbers of scratch that it takes. */
ptrdiff_t zw_start_sizes_room(const struct ZwEquations* equations);
/* Sizes of all coordinates into sim->start_size. `is_start`: by the rows in force and those of the start; else by all. */
void zw_start_sizes_find(struct ZwSim* sim, double t, bool is_start);
/* A connected part: coordinates, and rows that hold for it. */
typedef struct ZwStartPart {
  int32_t count, row_count;
  const int32_t *coords, *rows;
} ZwStartPart;

/* What was not told so far of a part; masses and rows are those evaluated last. */
void zw_start_sizes_fill(struct ZwSim* sim, const ZwStartPart* part);
/* Sizes of its velocities, after that; `is_start`: of the start, not of an event. */
void zw_start_sizes_of_velocities(struct ZwSim* sim, const ZwStartPart* part, bool is_start);
/* Coordinates whose sizes were guessed and on which the start depended: how many, their numbers in `to` (n numbers, or NULL). */
int32_t zw_guessed_sizes(const struct ZwSim* sim, int32_t* to);

/* Rates of what sizes are made of: 2 n typed values, and the parameters. */
typedef struct ZwSizeRates {
  const double *dtyped, *dvalues;
} ZwSizeRates;

/* How the logarithms of the sizes of coordinates change then, by differences; n numbers. False when memory is out. */
bool zw_start_sizes_change(struct ZwSim* sim, double t, bool is_start, const ZwSizeRates* rates, double* to);

/* What the derivative of order k of coordinate j is measured by, over a time, if nothing but the start is known of it. */
double zw_size_over(const struct ZwSim* sim, int32_t j, int k, double time);

/* What a value is measured by where it is x. */
static inline double zw_size_at(double size, double x) {
  return size + fabs(x);
}

#endif
