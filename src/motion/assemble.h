/* The assembly problem: unknowns x (positions or velocities) that shall satisfy rows r(x) = 0, where some of x was typed
 * by the user and holds, and the rest is free. Numbers only; start.c says what the numbers are.
 *
 * Values hold in three degrees: free, a guess, typed; and in each of them what has no mass gives way before the rest. So
 * there are six turns in which values give way, and what holds less firmly moves first. The answer is the nearest assembly:
 * the firmest values that must move do so by the least amount in the mass metric, whatever that means for those that hold
 * less; then these, in turn, by the least amount that is left to them. */
#ifndef ZW_MOTION_ASSEMBLE_H
#define ZW_MOTION_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motion/start_sizes.h"

/* The metric of the masses: as it is; with a little mass for combinations of coordinates that have none, such as the length
 * of a quaternion; or its diagonal alone, where M is not even semidefinite. */
typedef enum ZwMetricKind { ZW_METRIC_FULL, ZW_METRIC_HELPED, ZW_METRIC_DIAGONAL } ZwMetricKind;

enum { ZW_TURNS = 6, ZW_TURNS_FREE = 2 }; /* of giving way; of those, those of free values */

typedef struct ZwAssembly {
  int32_t n, m;
  const int32_t* coords; /* n: which coordinates the unknowns belong to */
  double* x;             /* n: in: the user's values; out: the answer */
  const int32_t* hold;   /* n: 0 free, 1 a guess, 2 typed */
  int32_t softest;       /* what holds less counts as this: 1 lets all that is not typed move by the least amount */
  bool is_direct;        /* no other guesses are tried */
  const double* M;       /* n x n metric */
  const double* size;    /* n: what each value is measured by (start_sizes.h), above zero */
  const double* span;    /* n: the sizes of the coordinates: what has no mass is weighed by them, among itself */
  /* r (m) and J (m x n, row-major) at x; false when they are not finite */
  bool (*eval)(void* context, const double* x, double* r, double* J);
  void* context;
  /* work memory, numbers each: J, Y m n; S m m; L, G, Z, H n n; r 8 m; lengths m; work 13 n; typed n;
   * n flags, m + n whole numbers */
  double *J, *Y, *S, *L, *G, *Z, *H, *r, *lengths, *work, *typed;
  bool* is_fixed;
  int32_t* order;
  double cost_to_beat; /* of the nearest assembly so far */
  ZwMetricKind metric; /* which one L is the factor of */
  double energy;       /* that something without mass counts by where it moves by its span */

  /* how it went */
  bool has_searched; /* the way from the user's values led nowhere, or not to the nearest: another guess did */
  bool has_rival;    /* another assembly was found that is almost as near */
  bool was_between;  /* the user's values were as near to one side as to another; one was taken */
} ZwAssembly;

typedef enum ZwAssembled {
  ZW_ASSEMBLED,
  ZW_ASSEMBLY_NOT_FINITE, /* at the user's values */
  ZW_ASSEMBLY_FLAT,       /* a row is violated and its gradient vanishes: nowhere to go; its number in *row */
  ZW_ASSEMBLY_CONFLICT    /* no x satisfies all rows; the rows with r != 0 contradict each other; r is left in a->r */
} ZwAssembled;

ZwAssembled zw_assemble(ZwAssembly* a, int32_t* row);

/* A value that moved by more than this part of its size was typed far from where it is now. */
#define ZW_ASSEMBLY_FAR 0.1

/* What a combination of coordinates without mass gets, of the masses that it consists of. */
#define ZW_ASSEMBLY_MASSLESS 1e-6

/* ---- for the three files of the assembly only ---- */

/* levenberg.c: moves x, except what is fixed, in the metric G until all rows hold. False: no progress; x is then the best point
 * found. Uses work + n .. work + 3 n. */
bool zw_assembly_levenberg(ZwAssembly* a, double* x);
/* All rows within tolerance or round-off of zero, at x where r and J have just been evaluated. */
bool zw_assembly_is_solved(const ZwAssembly* a, const double* x);

/* nearest.c: the metric of each turn by itself, as a factor L. */
void zw_assembly_metric(ZwAssembly* a);
/* G for levenberg while what holds less firmly than `firm` moves. */
void zw_assembly_weigh(ZwAssembly* a, int32_t firm);
/* The metric itself, n x n: 0 between values of different turns. */
void zw_assembly_form_metric(const ZwAssembly* a, double* W, ZwMetricKind kind);
/* How far x is from the user's values, to compare assemblies: half the square of the way in the metric. All that was typed counts,
 * with a mass or without: which assembly is meant is another question than what gives way in it. Softer values count a little. */
double zw_assembly_cost(ZwAssembly* a, int32_t firm, const double* x);
/* From x, which satisfies the rows, down to the nearest assembly. */
void zw_assembly_nearest(ZwAssembly* a, int32_t firm, double* x);

/* What the value j is measured by where it is x. */
static inline double zw_assembly_size(const ZwAssembly* a, int32_t j, double x) {
  return zw_size_at(a->size[j], x);
}

/* The turn in which the value i gives way: 0, what is free and has no mass, to 5, what was typed and has one. */
static inline int32_t zw_assembly_turn(const ZwAssembly* a, int32_t i) {
  int32_t hold = a->hold[i] > a->softest ? a->hold[i] : a->softest;
  return 2 * hold + (a->M[(ptrdiff_t)i * a->n + i] > 0);
}

#endif
