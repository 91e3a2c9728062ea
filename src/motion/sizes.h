/* Sizes: what the numbers of a motion are measured by. No number is compared with 1, whose meaning depends on the units of the
 * model. A coordinate or velocity is measured by the largest value that it has had, and by what velocities and forces
 * can make of it within the step:
 *
 *   position  max(largest |q|, h (size of the velocity))
 *   velocity  max(largest |v|, h f / m, h r / m T, largest |q| / duration of the run)
 *
 * where f is what its forces and the reactions come to before they cancel, r by how much they may be wrong by rounding (T is the
 * tolerance, so that this is none of the errors that count), and m its inertia. So a body at rest under forces in
 * balance, or a coordinate that starts at zero, has a size too, and multiplying a coordinate, all energies or the time by a
 * number multiplies the sizes alike: errors in parts of them, and with these the steps, stay what they are. */
#ifndef ZW_MOTION_SIZES_H
#define ZW_MOTION_SIZES_H

#include <stdbool.h>
#include <stdint.h>

struct ZwSim;

typedef struct ZwSizes {
  double* unit;         /* 2 n: sizes in the pending step; zeros after them */
  double* largest;      /* 2 n: |y| at accepted states, and as typed or stated by `scale` */
  double* mass;         /* n: inertia of each at the last accepted state; 0: none */
  double* give;         /* n: 1 / sqrt(mass); 0: none */
  double* pace;         /* n: accelerations: f / m, and what makes the size of a velocity in the duration of the run */
  double* pace_before;  /* n: scratch */
  double* kept;         /* 3 n + 2 m: see zw_sizes_keep */
  double* noise;        /* n: accelerations that rounding of the forces may be */
  double* errors;       /* scratch: registers */
  double* reaction;     /* by rows: what withstands such accelerations */
  double* row[2];       /* by rows: what positions, and velocities, of their sizes come to in it */
  double* entry;        /* by the places in A: |A| */
  double* move;         /* ... how far a unit of the row moves the coordinate, in the metric of the masses */
  uint8_t* joins;       /* by rows: from which level on it joins what it holds */
  int32_t* island;      /* n: to which island each coordinate belongs (equations/islands.h) */
  int32_t* island_size; /* islands: coordinates of each */
  int32_t islands;
  double* sums;   /* 2 n: scratch, by island */
  double* events; /* scratch: of the values that events read */
  bool is_taken;  /* they are those of the forces noted last, for steps about as long as h */
  double h;
  int64_t age;          /* steps since the start, or since something changed */
  bool has_masses;      /* they are those of the model as it is now, if they are constant */
  int32_t refused;      /* attempts for their errors, since rounding of the forces was looked at, */
  int32_t unseen, wait; /* steps since then, and how many there must be */
  bool is_eased;        /* steps have been refused for what nothing told the size of */
  double span;          /* duration of the run; infinite: not known */
} ZwSizes;

/* How long the model says that it runs; infinite or not a number: it does not. */
void zw_sizes_set_span(struct ZwSim* sim, double span);
/* What a time is measured by: the duration of the run, or what is known of it. */
double zw_sizes_time(const struct ZwSim* sim);
/* From what was typed; before the start is looked for. */
void zw_sizes_open(struct ZwSim* sim);
/* The state holds quasi-velocities from here on. */
void zw_sizes_enter_quasi(struct ZwSim* sim);
/* The forces and rows of the state evaluated last, at the end of a step or at a start, and its rate. */
void zw_sizes_note_forces(struct ZwSim* sim, const double* rate);
/* The forces of the state evaluated last, where they are larger than those noted. */
void zw_sizes_include_forces(struct ZwSim* sim, const double* rate);
/* Sizes are kept, and put back as they were. */
void zw_sizes_keep(struct ZwSim* sim);
void zw_sizes_put_back(struct ZwSim* sim);
/* The state y is accepted. */
void zw_sizes_note_state(struct ZwSim* sim, const double* y);
/* An attempt was refused for its error, the number `again` of the step: rounding of the forces is looked at, if that is due. */
void zw_sizes_note_refused(struct ZwSim* sim, int32_t again);
/* Something else that rounding of the forces may have done: looks at it, if that is due; whether it has. */
bool zw_sizes_note_suspect(struct ZwSim* sim);
/* Several attempts of a step in a row were refused. From here on nothing is measured by less than rounding of the whole. */
void zw_sizes_ease(struct ZwSim* sim);
/* After that: a coordinate without mass that is still at zero, and nothing tells how large it becomes; -1 if there is no such one. */
int32_t zw_sizes_untold(const struct ZwSim* sim);
/* Which coordinates are judged together, as the rows are now. */
void zw_sizes_find_islands(struct ZwSim* sim);
/* After the start, and wherever rows come and go, or an event or a host has changed something: all is looked at anew. */
void zw_sizes_restart(struct ZwSim* sim);
/* The worst island's root mean square of x / (tolerance (unit + |y|)), for `count` (n or 2 n) entries from the first on; y may be NULL. */
double zw_sizes_norm(const struct ZwSim* sim, int32_t first, int32_t count, const double* x, const double* y,
                     double tolerance);
/* The larger of two errors; what is not a number is worse than anything. */
static inline double zw_sizes_worse(double worst, double error) {
  return error <= worst || worst != worst ? worst : error;
}

/* Sizes of the margins (looks.c) at a state, from those of positions and velocities. */
void zw_sizes_take_margins(struct ZwSim* sim, double t, const double* y);
/* Sizes for a step of length h. */
void zw_sizes_take(struct ZwSim* sim, double h);

#endif
