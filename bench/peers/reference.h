/* Where chain and four-bar are after a second, as exactly as doubles allow: extrapolated midpoint steps (Gragg, Bulirsch,
 * Stoer) of order 16 on equations by hand. Nothing of the engine is in it. */
#ifndef ZW_PEERS_REFERENCE_H
#define ZW_PEERS_REFERENCE_H

#include <string.h>

#include "four_bar.h"
#include "rods.h"

enum { REFERENCE_COLUMNS = 8 };

/* Accelerations of `count` coordinates from y: coordinates, then velocities. */
typedef void ReferenceFn(void* context, const double* y, double* acceleration);

static inline void reference_rate(ReferenceFn* f, void* context, int count, const double* y, double* rate) {
  memcpy(rate, y + count, (size_t)count * sizeof(double));
  f(context, y, rate + count);
}

/* y after h by `parts` midpoint steps into `end`; work holds 3 states. */
static inline void reference_midpoint(ReferenceFn* f, void* context, int count, const double* y, double h, int parts,
                                      double* end, double* work) {
  int size = 2 * count;
  double *before = work, *now = work + size, *rate = work + 2 * size;
  double part = h / parts;
  reference_rate(f, context, count, y, rate);
  for (int i = 0; i < size; i++) before[i] = y[i], now[i] = y[i] + part * rate[i];
  for (int k = 1; k < parts; k++) {
    reference_rate(f, context, count, now, rate);
    for (int i = 0; i < size; i++) {
      double next = before[i] + 2 * part * rate[i];
      before[i] = now[i], now[i] = next;
    }
  }
  reference_rate(f, context, count, now, rate);
  for (int i = 0; i < size; i++) end[i] = 0.5 * (now[i] + before[i] + part * rate[i]);
}

static inline void reference_move(ReferenceFn* f, void* context, int count, double* y, double seconds, int steps) {
  size_t size = 2 * (size_t)count;
  double* table = (double*)calloc((REFERENCE_COLUMNS + 3) * size, sizeof(double));
  if (!table) abort();
  double* work = table + REFERENCE_COLUMNS * size;
  for (int step = 0; step < steps; step++) {
    for (int k = 0; k < REFERENCE_COLUMNS; k++) {
      reference_midpoint(f, context, count, y, seconds / steps, 2 * (k + 1), table + (size_t)k * size, work);
      for (int j = k - 1; j >= 0; j--) { /* Neville in the square of the step, in place */
        double ratio = (double)(k + 1) / (j + 1), factor = 1 / (ratio * ratio - 1);
        double *fine = table + (size_t)(j + 1) * size, *coarse = table + (size_t)j * size;
        for (size_t i = 0; i < size; i++) coarse[i] = fine[i] + factor * (fine[i] - coarse[i]);
      }
    }
    memcpy(y, table, size * sizeof(double));
  }
  free(table);
}

static inline void reference_rods_rate(void* context, const double* y, double* acceleration) {
  Rods* rods = (Rods*)context;
  rods_accelerate(rods, y, y + rods->count, acceleration);
}

static inline void reference_rods(int count, int steps, double* centre) {
  Rods rods = rods_new(count);
  double* y = (double*)calloc(2 * (size_t)count, sizeof(double));
  if (!y) abort();
  for (int i = 0; i < count; i++) y[i] = RODS_ANGLE;
  reference_move(reference_rods_rate, &rods, count, y, 1, steps);
  rods_centres(count, y, centre);
  free(y);
  rods_free(&rods);
}

static inline void reference_four_bar_rate(void* context, const double* y, double* acceleration) {
  (void)context;
  four_bar_accelerate(y, y + 3, acceleration);
}

static inline void reference_four_bar(int steps, double* centre) {
  double y[6];
  four_bar_start(y, y + 3);
  reference_move(reference_four_bar_rate, NULL, 3, y, 1, steps);
  four_bar_centres(y, centre);
}

#endif
