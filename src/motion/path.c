#include "motion/path.h"

#include <math.h>

#include "least/dense.h"

#define INSIDE 1e-11 /* part of a step: at its ends something may switch, and what holds between them is wanted */
/* The shortest part, and what its error may be in units of the tolerance: so near to a switch the side may not be clear, and it hardly
 * matters. */
#define SHORTEST 1e-6
#define SHORTEST_ERROR 1e4
#define SAFETY 0.9
#define NEARLY_OVER 0.8 /* of a step that has a singular position between its stages: it is taken for one */
#define LEAST_WAY 0.1   /* of a step, before one that does */
#define NO_WAY 1e-3     /* of the path: so short a step, or one begun so near, leads over no position */

/* Where the extrema of Chebyshev's polynomial of degree 7 are, (1 - cos(pi i/7))/2: interpolation there is stable. */
static const double places[ZW_PATH_NODES] = {0,
                                             0.04951556604879043,
                                             0.1882550990706332,
                                             0.3887395330218428,
                                             0.6112604669781572,
                                             0.8117449009293667,
                                             0.9504844339512095,
                                             1};

void zw_path_state(const ZwPath* path, double x, double* y) {
  double sum = 0, weights[ZW_PATH_NODES];
  for (int i = 0; i < ZW_PATH_NODES; i++) {
    double off = x - places[i], weight = (i % 2 ? -1 : 1) * (i == 0 || i == ZW_PATH_NODES - 1 ? 0.5 : 1);
    if (off == 0) {
      zw_copy(path->dim, path->nodes + (ptrdiff_t)i * path->dim, y);
      return;
    }
    sum += weights[i] = weight / off;
  }
  zw_fill(path->dim, 0, y);
  for (int i = 0; i < ZW_PATH_NODES; i++) {
    zw_axpy(path->dim, weights[i] / sum, path->nodes + (ptrdiff_t)i * path->dim, y);
  }
}

static void note_state(ZwSim* sim, double t, const double* y, double* to) {
  zw_copy(sim->n, y, to);
  zw_copy(sim->n, zw_velocity(sim, t, y), to + sim->n);
}

ZwStatus zw_path_record(ZwSim* sim, ZwPath* path, double t_end) {
  path->t = sim->t;
  path->h = t_end - sim->t;
  bool is_over = sim->near.is_crossing && sim->near.t_singular < t_end;
  path->singular = is_over ? (sim->near.t_singular - sim->t) / path->h : NAN;
  path->is_near = sim->near.is_near || is_over;
  if (!(path->h > 0)) return ZW_OK; /* a switch that is due at once */
  ZW_TRY(zw_dense(sim));
  for (int i = 0; i < ZW_PATH_NODES; i++) {
    double x = places[i], *to = path->nodes + (ptrdiff_t)i * path->dim;
    if (i == 0) {
      note_state(sim, sim->t, sim->y, to);
    } else if (i == ZW_PATH_NODES - 1) {
      note_state(sim, t_end, sim->y_new, to);
    } else {
      zw_interpolate(sim, x * path->h / sim->h_dense, sim->y_out);
      note_state(sim, sim->t + x * path->h, sim->y_out, to);
    }
  }
  return ZW_OK;
}

ZwStatus zw_path_vary(ZwSim* sim, ZwVariation* variation, const ZwPath* path, double x) {
  double inside = fmin(fmax(x, INSIDE), 1 - INSIDE);
  zw_path_state(path, inside, variation->y);
  return zw_variation_at(sim, variation, path->t + inside * path->h, variation->y);
}

/* Over a singular position as the motion goes over it: in the widest gap between the stages. */
static double part_over(double part, double ahead, double rest) {
  double over = fmin(ahead / ZW_SINGULAR_GAP, rest);
  if (part >= NEARLY_OVER * over) return over;
  return fmin(part, fmax(ahead - ZW_SINGULAR_GAP * part, LEAST_WAY * part)); /* the next one then has it there */
}

double zw_path_part(double next, double rest, double ahead) {
  double part = next < 0.99 * rest ? fmin(next, 0.5 * rest) : rest;
  if (!(ahead > 0)) return part;
  if (next < NO_WAY || ahead < NO_WAY) return 0;
  return fmin(part_over(part, ahead, rest), rest);
}

ZwStatus zw_path_judge(double part, double error, int order, bool* is_accepted, double* next) {
  bool is_shortest = part <= SHORTEST;
  *is_accepted = error <= (is_shortest ? SHORTEST_ERROR : 1);
  if (is_shortest && !*is_accepted) return ZW_ERR_STEP;
  double factor = SAFETY * pow(fmax(error, 1e-10), -1.0 / order);
  *next = fmax(SHORTEST, part * fmin(fmax(factor, 0.2), 5));
  return ZW_OK;
}
