/* How the reactions of all rows change. The solve gives the changes of the multipliers of the frozen rows; where others repeat them the smallest
 * multipliers, or those chosen for contacts (cones.h), as zw_reactions has them, change too. */
#include <math.h>
#include <string.h>

#include "least/cholesky.h"
#include "least/dense.h"
#include "motion/variation_cones.h"

static void scatter(const ZwSim* sim, ZwVariation* variation) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  zw_fill(sim->m, 0, variation->dreactions);
  for (int32_t r = 0; r < set->count; r++) variation->dreactions[set->rows[r]] = variation->dlambda[r];
}

static void add_slips(const ZwSim* sim, ZwVariation* variation) {
  for (int32_t s = 0; s < sim->contacts.sliding.count; s++) {
    int32_t i = sim->contacts.sliding.contacts[s];
    const ZwContact* contact = zw_contact_of(sim, i);
    for (int32_t k = 0; k < contact->slip_dim; k++) {
      variation->dreactions[contact->slip + k] = variation->dfriction[2 * i + k];
    }
  }
}

static void dense_row(const ZwSim* sim, const double* values, int32_t row, double* to) {
  const ZwPattern* A = &sim->equations->A;
  zw_fill(sim->n, 0, to);
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) to[A->column[k]] = values[k];
}

/* Redundant rows. With independent rows J and all rows A = C A_J, the smallest multipliers with A^T lambda = Qc are lambda = C y, where
 * C^T C y = mu and A_J^T mu = Qc. Each of the three is differentiated; A_J^T x = right is solved by its QR factors. */
typedef struct Sharing {
  const ZwSim* sim;
  ZwVariation* variation;
  const ZwRank* rank;
  int32_t r, count; /* independent rows; all that are on */
  ZwQr qr;
  double *C, *dC, *G; /* count x r, count x r, r x r */
  double *y, *dmu, *work;
  double *mu, *dmu_whole, *lambda, *dlambda, *dchosen; /* r, r, count, count, count */
} Sharing;

static void solve_independent(const Sharing* sharing, double* x) {
  zw_qr_apply_qt(&sharing->qr, x);
  zw_qr_solve_r(&sharing->qr, sharing->r, x);
}

static int32_t row_of(const Sharing* sharing, int32_t j) {
  return sharing->sim->candidates[sharing->rank->order[j]];
}

/* x -= dA_J^T c */
static void take_off(const Sharing* sharing, const double* c, double* x) {
  const ZwPattern* A = &sharing->sim->equations->A;
  for (int32_t j = 0; j < sharing->r; j++) {
    int32_t row = row_of(sharing, j);
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) x[A->column[k]] -= c[j] * sharing->variation->dA[k];
  }
}

static Sharing open_sharing(ZwSim* sim, ZwVariation* variation) {
  Sharing sharing = {
      .sim = sim, .variation = variation, .rank = sim->rank, .r = sim->rank->rank, .count = sim->rank->m};
  ptrdiff_t n = sim->n, r = sharing.r, count = sharing.count;
  double* memory = variation->dense;
  sharing.qr = (ZwQr){.rows = sim->n, .cols = sharing.r, .T = memory, .tau = memory + r * n};
  sharing.C = sharing.qr.tau + r;
  sharing.dC = sharing.C + count * r;
  sharing.G = sharing.dC + count * r;
  sharing.y = sharing.G + r * r;
  sharing.dmu = sharing.y + n;
  sharing.work = sharing.dmu + n;
  sharing.mu = sharing.work + n;
  sharing.dmu_whole = sharing.mu + r;
  sharing.lambda = sharing.dmu_whole + r;
  sharing.dlambda = sharing.lambda + count;
  sharing.dchosen = sharing.dlambda + count;
  for (int32_t j = 0; j < sharing.r; j++) dense_row(sim, variation->Ax, row_of(&sharing, j), sharing.qr.T + j * n);
  zw_qr_factor(&sharing.qr);
  return sharing;
}

/* C and how it changes, row by row. */
static void find_combinations(const Sharing* sharing) {
  double* x = sharing->work;
  ptrdiff_t r = sharing->r;
  for (int32_t i = 0; i < sharing->count; i++) {
    int32_t row = sharing->sim->candidates[i];
    dense_row(sharing->sim, sharing->variation->Ax, row, x);
    solve_independent(sharing, x);
    zw_copy(r, x, sharing->C + i * r);
    dense_row(sharing->sim, sharing->variation->dA, row, x);
    take_off(sharing, sharing->C + i * r, x);
    solve_independent(sharing, x);
    zw_copy(r, x, sharing->dC + i * r);
  }
}

static bool factor_square(const Sharing* sharing) {
  ptrdiff_t r = sharing->r;
  zw_fill(r * r, 0, sharing->G);
  for (int32_t i = 0; i < sharing->count; i++) {
    const double* c = sharing->C + i * r;
    for (ptrdiff_t j = 0; j < r; j++) zw_axpy(sharing->r, c[j], c, sharing->G + j * r);
  }
  return zw_cholesky_factor(sharing->r, sharing->G) == sharing->r;
}

/* dy with C^T C dy = dmu - dC^T (C y) - C^T (dC y), in place of dmu. */
static void vary_shares(const Sharing* sharing) {
  ptrdiff_t r = sharing->r;
  for (int32_t i = 0; i < sharing->count; i++) {
    const double *c = sharing->C + i * r, *dc = sharing->dC + i * r;
    double along = zw_dot(sharing->r, c, sharing->y), turned = zw_dot(sharing->r, dc, sharing->y);
    zw_axpy(sharing->r, -along, dc, sharing->dmu);
    zw_axpy(sharing->r, -turned, c, sharing->dmu);
  }
  zw_cholesky_solve(sharing->r, sharing->G, sharing->dmu);
}

/* The change of the smallest multipliers, or of those that are chosen for the sake of contacts. */
static void share(ZwSim* sim, ZwVariation* variation) {
  Sharing sharing = open_sharing(sim, variation);
  ptrdiff_t r = sharing.r;
  find_combinations(&sharing);
  if (!factor_square(&sharing)) {
    zw_fill(sim->m, NAN, variation->dreactions);
    return;
  }
  zw_copy(sim->n, variation->Qc, sharing.y);
  solve_independent(&sharing, sharing.y); /* mu */
  zw_copy(sim->n, variation->dQc, sharing.dmu);
  take_off(&sharing, sharing.y, sharing.dmu);
  solve_independent(&sharing, sharing.dmu);
  zw_copy(r, sharing.y, sharing.mu);
  zw_copy(r, sharing.dmu, sharing.dmu_whole);
  zw_cholesky_solve(sharing.r, sharing.G, sharing.y);
  vary_shares(&sharing);
  for (int32_t i = 0; i < sharing.count; i++) {
    const double *c = sharing.C + i * r, *dc = sharing.dC + i * r;
    sharing.lambda[i] = zw_dot(sharing.r, c, sharing.y);
    sharing.dlambda[i] = zw_dot(sharing.r, c, sharing.dmu) + zw_dot(sharing.r, dc, sharing.y);
  }
  ZwShared shared = {.m = sharing.count,
                     .r = sharing.r,
                     .C = sharing.C,
                     .dC = sharing.dC,
                     .mu = sharing.mu,
                     .dmu = sharing.dmu_whole,
                     .lambda = sharing.lambda,
                     .dsmallest = sharing.dlambda};
  double* dlambda = sharing.dchosen;
  zw_variation_cones(sim, variation, &shared, dlambda);
  for (int32_t i = 0; i < sharing.count; i++) variation->dreactions[sim->candidates[i]] = dlambda[i];
}

/* da_b and dlambda_b solve the problem of zw_variation_solve with the part linear in b in place of the motion, and without changes of h;
 * dQc_b = A^T dlambda_b + dA^T lambda_b. */
static ZwStatus vary_part_b(ZwSim* sim, ZwVariation* variation, double* dQc_b) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwPattern *M = &sim->equations->M, *A = &sim->equations->A;
  double *right = variation->right, *dlambda = variation->bI + set->count;
  zw_fill(sim->n, 0, right);
  for (int32_t i = 0; i < sim->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      right[i] -= variation->dM[k] * variation->a_b[j];
      if (i != j) right[j] -= variation->dM[k] * variation->a_b[i];
    }
  }
  for (int32_t r = 0; r < set->count; r++) {
    int32_t i = set->rows[r];
    variation->bI[r] = variation->db[i];
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      right[A->column[k]] += variation->dA[k] * variation->lambda_b[r];
      variation->bI[r] -= variation->dA[k] * variation->a_b[A->column[k]];
    }
  }
  ZwLeastResult result = {.a = sim->dx, .lambda = dlambda};
  ZW_TRY(zw_least_answer(sim->least, right, variation->bI, &result));
  zw_fill(sim->n, 0, dQc_b);
  for (int32_t r = 0; r < set->count; r++) {
    int32_t i = set->rows[r];
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++)
      dQc_b[A->column[k]] += variation->Ax[k] * dlambda[r] + variation->dA[k] * variation->lambda_b[r];
  }
  return ZW_OK;
}

ZwStatus zw_variation_forces(ZwSim* sim, ZwVariation* variation, double* to) {
  const ZwPattern* pattern = &sim->equations->A;
  int32_t m = sim->m, entries = pattern->begin[m];
  zw_copy(m, variation->dreactions, to);
  for (int32_t i = 0; i < m; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      to[m + k] = variation->Ax[k] * variation->dreactions[i] + variation->dA[k] * sim->reactions[i];
    }
  }
  double *dQc = to + m + entries, *dQc_b = dQc + sim->n, *dQc_h = dQc_b + sim->n;
  zw_copy(sim->n, variation->dQc, dQc);
  ZW_TRY(vary_part_b(sim, variation, dQc_b));
  for (int32_t i = 0; i < sim->n; i++) dQc_h[i] = dQc[i] - dQc_b[i];
  return ZW_OK;
}

ZwStatus zw_variation_reactions(ZwSim* sim, ZwVariation* variation) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  zw_fill(sim->m, 0, variation->dreactions);
  if (set->count == set->candidates)
    scatter(sim, variation);
  else if (sim->rank->rank > 0)
    share(sim, variation);
  add_slips(sim, variation);
  return ZW_OK;
}
