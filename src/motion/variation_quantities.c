/* How the quantities that outputs read change. With w = a - a0 = M^-1 Qc:
 *
 *   M dw = dQc - dM w,   da0 = da - dw,   G = 1/2 w.Qc,   dG = 1/2 (dw.Qc + w.dQc),   dS = a^T M da + 1/2 a^T dM a. */
#include <math.h>

#include "expr/quantity.h"
#include "least/cholesky.h"
#include "least/dense.h"
#include "motion/variation.h"

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

void zw_variation_quantities_at(ZwSim* sim, ZwVariation* variation) {
  ptrdiff_t n = sim->n;
  zw_eval_dense_M(sim);
  zw_copy(n * n, sim->M, variation->M);
  zw_copy(n * n, sim->M, variation->L);
  variation->has_free = zw_cholesky_factor(sim->n, variation->L) == sim->n;
  zw_copy(n, variation->Qc, variation->w);
  if (variation->has_free)
    zw_cholesky_solve(sim->n, variation->L, variation->w);
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
  if (variation->has_free) zw_cholesky_solve(n, variation->L, dw);
  for (int32_t i = 0; i < n; i++) {
    put(variation, equations, zw_quantity_place(ZW_QUANTITY_FORCE, i), variation->Qc[i], variation->dQc[i]);
    put(variation, equations, zw_quantity_place(ZW_QUANTITY_FREE, i), variation->a[i] - w[i], variation->da[i] - dw[i]);
  }
  double G = 0.5 * zw_dot(n, w, variation->Qc);
  double dG = 0.5 * (zw_dot(n, dw, variation->Qc) + zw_dot(n, w, variation->dQc));
  put(variation, equations, zw_quantity_place(ZW_QUANTITY_GAUSSIAN, 0), G, dG);
  put(variation, equations, zw_quantity_place(ZW_QUANTITY_ENERGY, 0), S, dS);
}
