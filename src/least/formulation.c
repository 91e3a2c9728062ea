#include "least/formulation.h"

#include <string.h>

#include "base/assert.h"
#include "least/dense.h"
#include "least/paper.h"

/* An answer that violates the constraints or the optimality by more than this is no answer: the numbers were too far
 * apart in size. */
static const double tol_answer = 1e-5;

typedef struct Row {
  const char *name, *words;
  ZwStatus (*solve)(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
  bool needs_minimum; /* it inverts M, or M' */
  int32_t choices;
} Row;

/* ORDER FORMULATION */
static const Row rows[] = {
    {"auto", "the production solve: orthogonal factors of L^-1 A^T, or a null space", NULL, false, 1},
    {"moore-penrose", "a = a0 + M^(-1/2) C^+ (b - A a0) (T9)", zw_solve_moore_penrose, true, 1},
    {"inverse14", "any {1,4}-inverse in place of C^+ (T10)", zw_solve_inverse14, true, 2},
    {"inverse1", "M a = h + A^T (A M^-1 A^T)^{1} (b - A a0) (T11)", zw_solve_inverse1, true, 2},
    {"quadratic", "the quadratic program by inverses of A and M^(1/2) (1 - A- A) (T12)", zw_solve_quadratic, true, 2},
    {"gibbs-appell", "explicit Gibbs-Appell equations in independent accelerations (T14)", zw_solve_gibbs_appell, false,
     1},
    {"lagrange", "M a = h + A^T lambda, A a = b (T15)", zw_solve_lagrange, false, 1},
    {"geometric", "Gibbs-Appell equations on a basis of the null space of A (T16)", zw_solve_geometric, false, 2},
    {"bellman", "Bellman-Gauss beta-R recursion, column by column (T19)", zw_solve_bellman, true, 1},
    {"gibbs-appell-quasi", "Gibbs-Appell equations in the quasi-velocities of the model (T16)", NULL, false, 1},
};

const char* zw_formulation_name(ZwFormulation formulation) {
  return rows[formulation].name;
}

const char* zw_formulation_words(ZwFormulation formulation) {
  return rows[formulation].words;
}

ZwFormulation zw_formulation_find(const char* name) {
  int i = 0;
  while (i < ZW_FORMULATION_COUNT && strcmp(rows[i].name, name) != 0) i++;
  return (ZwFormulation)i;
}

int32_t zw_formulation_choices(ZwFormulation formulation) {
  return rows[formulation].choices;
}

/* |A a - b|, the worst row; the free acceleration may be much larger than what the constraints leave of it */
static double residual_of(ZwPaper* paper, const double* a) {
  const ZwPaperProblem* p = &paper->p;
  int32_t n = p->n;
  double worst = 0, length = zw_norm(n, a);
  if (paper->L) length += zw_norm(n, zw_paper_free_acceleration(paper));
  for (int32_t i = 0; i < p->m; i++) {
    const double* row = p->A + (ptrdiff_t)i * n;
    double can_be = paper->E[i] *
                    p->scale[i]; /* what the row has been or can be, in our units: one near a singular place is short */
    double size = zw_larger(zw_norm(n, row), can_be) * length + fabs(p->b[i]);
    if (size > 0) worst = zw_larger(worst, fabs(zw_dot(n, row, a) - p->b[i]) / size);
  }
  return worst;
}

/* |Z^T Qc| (T7) */
static double optimality_of(ZwPaper* paper, const double* Qc) {
  int32_t n = paper->p.n, f = n - paper->r;
  const double* Zt = zw_paper_null_space(paper, zw_paper_independent_rows(paper));
  double* rest = zw_paper_take(paper, f);
  zw_multiply(f, n, Zt, Qc, rest);
  double size = zw_norm(n, Qc) + zw_norm(n, paper->p.h);
  return size > 0 ? zw_norm(f, rest) / size : 0;
}

static ZwStatus judge(ZwPaper* paper, ZwPaperResult* result) {
  result->reason = "the numbers are too far apart in size for double precision";
  if (!zw_all_finite(paper->p.n, result->a) || !zw_all_finite(paper->p.n, result->Qc)) return ZW_ERR_DOMAIN;
  result->gaussian = zw_paper_gaussian(paper, result->Qc);
  result->residual = residual_of(paper, result->a);
  result->optimality = optimality_of(paper, result->Qc);
  if (!(result->residual <= tol_answer) || !(result->optimality <= tol_answer)) return ZW_ERR_DOMAIN;
  zw_paper_give_back(paper, result);
  result->reason = "";
  return ZW_OK;
}

ZwStatus zw_formulation_judge(ZwPaper* paper, const ZwPaperProblem* problem, ZwPaperResult* result) {
  ZW_TRY(zw_paper_put(paper, problem, result));
  zw_paper_take_over(paper, result);
  ZwStatus status = judge(paper, result);
  if (status) zw_paper_give_back(paper, result);
  return status;
}

static ZwStatus solve(ZwPaper* paper, const Row* row, uint64_t seed, const ZwPaperProblem* problem,
                      ZwPaperResult* result) {
  ZW_TRY(zw_paper_put(paper, problem, result));
  if (row->needs_minimum && !paper->is_minimum) {
    result->reason =
        "it needs a minimum, and the Gaussian has none on the admissible accelerations: the inertia is not "
        "positive there";
    return ZW_ERR_UNSUPPORTED;
  }
  result->reason = "its factors do not exist in double precision";
  ZW_TRY(row->solve(paper, seed, result));
  return judge(paper, result);
}

ZwStatus zw_formulation_solve(ZwPaper* paper, ZwFormulation formulation, uint64_t seed, const ZwPaperProblem* problem,
                              ZwPaperResult* result) {
  const Row* row = &rows[formulation];
  ZW_ASSERT(row->solve);
  double *a = result->a, *Qc = result->Qc, *lambda = result->lambda;
  *result = (ZwPaperResult){.a = a, .Qc = Qc, .lambda = lambda, .reason = "", .dependent = -1};
  result->gaussian = result->residual = result->optimality = NAN;
  ZwStatus status = solve(paper, row, seed, problem, result);
  if (status) {
    zw_fill(problem->n, NAN, a);
    zw_fill(problem->n, NAN, Qc);
    result->has_lambda = false;
  }
  return status;
}
