#include "paper/extremum.h"

#include "least/cholesky.h"
#include "least/dense.h"
#include "least/formulation.h"
#include "least/scaling.h"
#include "paper/states.h"

/* Eigenvalues of M, in units in which its entries are about one, that are no further below zero count as zero. */
#define TOL_NEGATIVE 1e-10

/* n x n, and m x n, at a state. */
static double* evaluate_M(ZwPaperStates* states, int32_t s) {
  ZwSheet* paper = states->paper;
  ptrdiff_t count = (ptrdiff_t)paper->n * paper->n;
  double* M = ZW_NEW(paper->arena, count + 1, double);
  for (ptrdiff_t k = 0; M && k < count; k++) M[k] = zw_paper_value(states, s, paper->M[k]);
  return M;
}

static double* evaluate_A(ZwPaperStates* states, int32_t s) {
  ZwSheet* paper = states->paper;
  ptrdiff_t n = paper->n, m = paper->m;
  double* A = ZW_NEW(paper->arena, m * n + 1, double);
  for (ptrdiff_t k = 0; A && k < m * n; k++) A[k] = zw_paper_value(states, s, paper->rows[k / n].A[k % n]);
  return A;
}

/* M + a little has no Cholesky factor. */
static bool is_indefinite(ZwSheet* paper, const double* M) {
  ptrdiff_t n = paper->n;
  double *unit = ZW_NEW(paper->arena, 2 * n + 1, double), *L = ZW_NEW(paper->arena, n * n + 1, double);
  if (!unit || !L || !zw_all_finite(n * n, M)) return false;
  zw_scale_coordinates((int32_t)n, 0, M, NULL, unit, unit + n);
  for (ptrdiff_t k = 0; k < n * n; k++) L[k] = unit[k / n] * M[k] * unit[k % n] + (k % (n + 1) == 0 ? TOL_NEGATIVE : 0);
  return zw_cholesky_factor((int32_t)n, L) < n;
}

/* Without forces: the rows ask for nothing, and nothing pushes. */
static bool has_no_minimum(ZwSheet* paper, const double* M, const double* A) {
  int32_t n = paper->n, m = paper->m;
  double *zero = ZW_NEW(paper->arena, n + m + 1, double), *a = ZW_NEW(paper->arena, 2 * n + 1, double);
  void* room = zw_arena_alloc(paper->arena, 1, zw_paper_work_size(n, m));
  if (!zero || !a || !room) return false;
  ZwPaperProblem problem = {.n = n, .m = m, .M = M, .h = zero, .A = A, .b = zero};
  ZwPaperResult result = {.a = a, .Qc = a + n};
  ZwStatus status = zw_formulation_solve(zw_paper_place(room, n, m), ZW_FORMULATION_LAGRANGE, 0, &problem, &result);
  return status == ZW_OK && !result.is_minimum;
}

bool zw_paper_is_saddle(ZwSheet* paper) {
  /* few masses are negative anywhere: first at the start as it was typed */
  ZwPaperStates* states = zw_paper_typed_start(paper);
  const double* M = states ? evaluate_M(states, ZW_PAPER_START) : NULL;
  if (!M || !is_indefinite(paper, M)) return false;
  states = zw_paper_states(paper);
  if (!states || !states->has_start) return false;
  M = evaluate_M(states, ZW_PAPER_START);
  const double* A = evaluate_A(states, ZW_PAPER_START);
  return M && A && has_no_minimum(paper, M, A);
}
