/* How the quantities that outputs read change. With w = a - a0 = M^-1 Qc:
 *
 *   M dw = dQc - dM w,   da0 = da - dw,   G = 1/2 w.Qc,   dG = 1/2 (dw.Qc + w.dQc),   dS = a^T M da + 1/2 a^T dM a. */
#include <math.h>

#include "expr/quantity.h"
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/lu.h"
#include "least/scaling.h"
#include "motion/variation.h"

/* Pivots of an indefinite M, in units in which its entries are about one, that are smaller: it has no inverse. */
static const double tol_regular = 1e-12;

static void put(ZwVariation* variation, const ZwEquations* equations, int32_t place, double value, double change) {
  variation->reactions[equations->m_all + place] = value;
  variation->reactions[equations->reactions + equations->m_all + place] = change;
}

/* y += dM x; gives x^T dM x */
static double push(const ZwSim* sim, const ZwVariation* variation, const double* x, double* y) {
  const ZwPattern* M = &sim->equations->M;
  double sum = 0;
  for (int32_t i = 0; i < sim->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      sum += (i == j ? 1 : 2) * variation->dM[k] * x[i] * x[j];
      y[i] += variation->dM[k] * x[j];
      if (i != j) y[j] += variation->dM[k] * x[i];
    }
  }
  return sum;
}

/* M = L L^T, or of an indefinite one P^T L U = D^-1 M D^-1; false: it has no inverse. */
static bool factor_masses(ZwVariation* variation, int32_t n, const double* M) {
  ptrdiff_t count = (ptrdiff_t)n * n;
  double *L = variation->L, *unit = variation->mass_unit;
  zw_copy(count, M, L);
  variation->has_LU = zw_cholesky_factor(n, L) != n;
  if (!variation->has_LU) return true;
  zw_scale_coordinates(n, 0, M, NULL, unit, variation->w);
  for (ptrdiff_t i = 0; i < count; i++) L[i] = unit[i / n] * M[i] * unit[i % n];
  return zw_lu_factor(n, L, variation->mass_swap) > tol_regular;
}

/* x = M^-1 x */
static void divide(const ZwVariation* variation, int32_t n, double* x) {
  if (!variation->has_LU) {
    zw_cholesky_solve(n, variation->L, x);
    return;
  }
  for (int32_t i = 0; i < n; i++) x[i] *= variation->mass_unit[i];
  zw_lu_solve(n, variation->L, variation->mass_swap, x);
  for (int32_t i = 0; i < n; i++) x[i] *= variation->mass_unit[i];
}

void zw_variation_quantities_at(ZwSim* sim, ZwVariation* variation) {
  ptrdiff_t n = sim->n;
  zw_eval_dense_M(sim);
  zw_copy(n * n, sim->M, variation->M);
  variation->has_free = factor_masses(variation, sim->n, sim->M);
  zw_copy(n, variation->Qc, variation->w);
  if (variation->has_free)
    divide(variation, sim->n, variation->w);
  else
    zw_fill(n, NAN, variation->w);
}

void zw_variation_quantities(const ZwSim* sim, ZwVariation* variation) {
  const ZwEquations* equations = sim->equations;
  int32_t n = sim->n;
  double *w = variation->w, *dw = w + n, *pushed = variation->right;
  /* S */
  zw_fill(n, 0, pushed);
  double dS = 0.5 * push(sim, variation, variation->a, pushed);
  zw_multiply(n, n, variation->M, variation->a, pushed);
  double S = 0.5 * zw_dot(n, variation->a, pushed);
  dS += zw_dot(n, variation->da, pushed);
  /* dw */
  zw_fill(n, 0, pushed);
  push(sim, variation, w, pushed);
  for (int32_t i = 0; i < n; i++) dw[i] = variation->dQc[i] - pushed[i];
  if (variation->has_free) divide(variation, n, dw);
  for (int32_t i = 0; i < n; i++) {
    put(variation, equations, zw_quantity_place(ZW_QUANTITY_FORCE, i), variation->Qc[i], variation->dQc[i]);
    put(variation, equations, zw_quantity_place(ZW_QUANTITY_FREE, i), variation->a[i] - w[i], variation->da[i] - dw[i]);
  }
  double G = 0.5 * zw_dot(n, w, variation->Qc);
  double dG = 0.5 * (zw_dot(n, dw, variation->Qc) + zw_dot(n, w, variation->dQc));
  put(variation, equations, zw_quantity_place(ZW_QUANTITY_GAUSSIAN, 0), G, dG);
  put(variation, equations, zw_quantity_place(ZW_QUANTITY_ENERGY, 0), S, dS);
}
