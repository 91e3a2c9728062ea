#include "least/formulation.h"

#include <float.h>
#include <string.h>

#include "least/frame.h"
#include "solved.h"

enum { N = 8 };

/* A small problem and what its answer is. */
typedef struct Case {
  int32_t n, m;
  double M[N * N], h[N], A[N * N], b[N];
  const double* scale;
} Case;

static ZwPaperProblem problem_of(const Case* c) {
  return (ZwPaperProblem){.n = c->n, .m = c->m, .M = c->M, .h = c->h, .A = c->A, .b = c->b, .scale = c->scale};
}

static double row_times(int32_t n, const double* row, const double* x) {
  double sum = 0;
  for (int32_t j = 0; j < n; j++) sum += row[j] * x[j];
  return sum;
}

/* ---- expectations of every formulation, for every choice ---- */

/* Qc = M a - h, A a = b, and A^T lambda = Qc where there are multipliers */
static void check_equations(const Case* c, const ZwPaperResult* result, double tol) {
  int32_t n = c->n;
  for (int32_t i = 0; i < n; i++) {
    assert_near(result->Qc[i], row_times(n, c->M + i * n, result->a) - c->h[i], tol);
    if (!result->has_lambda) continue;
    double force = 0;
    for (int32_t k = 0; k < c->m; k++) force += c->A[k * n + i] * result->lambda[k];
    assert_near(force, result->Qc[i], tol);
  }
  for (int32_t k = 0; k < c->m; k++) assert_near(row_times(n, c->A + k * n, result->a), c->b[k], tol);
  assert_true(result->residual <= tol);
  assert_true(result->optimality <= tol);
}

static void expect_answer_by(const Case* c, ZwFormulation formulation, int32_t rank, const double* a, double tol) {
  ZwPaperProblem problem = problem_of(c);
  for (int i = 0; i < choices_of(formulation); i++) {
    Solved solved = solve_by(formulation, choice_seeds[i], &problem);
    if (solved.status) fail_msg("%s: %s", zw_formulation_name(formulation), solved.result.reason);
    assert_string_equal(solved.result.reason, "");
    assert_int_equal(solved.result.rank, rank);
    for (int32_t j = 0; j < c->n; j++) {
      if (!(fabs(solved.result.a[j] - a[j]) <= tol)) {
        fail_msg("%s, choice %d: a[%d] = %.17g, expected %.17g within %g", zw_formulation_name(formulation), i, (int)j,
                 solved.result.a[j], a[j], tol);
      }
    }
    check_equations(c, &solved.result, tol);
    forget_solved(&solved);
  }
}

static void expect_answer(const Case* c, int32_t rank, const double* a, double tol) {
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    expect_answer_by(c, (ZwFormulation)f, rank, a, tol);
  }
}

static void expect_gaussian(const Case* c, double gaussian, double tol) {
  ZwPaperProblem problem = problem_of(c);
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    Solved solved = solve_by((ZwFormulation)f, 0, &problem);
    assert_int_equal(solved.status, ZW_OK);
    assert_true(solved.result.is_minimum);
    if (isnan(gaussian))
      assert_true(isnan(solved.result.gaussian));
    else
      assert_near(solved.result.gaussian, gaussian, tol);
    if (f == ZW_FORMULATION_BELLMAN && gaussian >= 0) { /* where M is indefinite the recursion has M' */
      assert_near(solved.result.bellman.cost, 2 * gaussian, 2 * tol);
    }
    forget_solved(&solved);
  }
}

/* No numbers, and a reason with these words in it. */
static void expect_refusal_by(const Case* c, ZwFormulation formulation, ZwStatus status, const char* words) {
  ZwPaperProblem problem = problem_of(c);
  Solved solved = solve_by(formulation, 0, &problem);
  if (solved.status != status) fail_msg("%s: status %d", zw_formulation_name(formulation), (int)solved.status);
  if (!strstr(solved.result.reason, words)) fail_msg("%s: %s", zw_formulation_name(formulation), solved.result.reason);
  assert_false(solved.result.has_lambda);
  assert_true(isnan(solved.result.gaussian));
  for (int32_t i = 0; i < c->n; i++) {
    assert_true(isnan(solved.result.a[i]));
    assert_true(isnan(solved.result.Qc[i]));
  }
  forget_solved(&solved);
}

static void expect_refusal(const Case* c, ZwStatus status, const char* words) {
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    expect_refusal_by(c, (ZwFormulation)f, status, words);
  }
}

/* ---- the table ---- */

static void each_has_a_name_of_its_own(void** state) {
  (void)state;
  for (int f = 0; f < ZW_FORMULATION_COUNT; f++) {
    assert_int_equal(zw_formulation_find(zw_formulation_name((ZwFormulation)f)), f);
    assert_true(strlen(zw_formulation_words((ZwFormulation)f)) > 0);
    assert_true(zw_formulation_choices((ZwFormulation)f) >= 1);
  }
  assert_int_equal(zw_formulation_find("newton"), ZW_FORMULATION_COUNT);
  assert_int_equal(zw_formulation_find(""), ZW_FORMULATION_COUNT);
}

/* ---- hand cases ---- */

static void without_constraints_the_motion_is_free(void** state) {
  (void)state;
  Case c = {.n = 2, .M = {2, 1, 1, 3}, .h = {5, 10}};
  expect_answer(&c, 0, (double[]){1, 3}, 1e-14);
  expect_gaussian(&c, 0, 1e-28);
  Case one = {.n = 1, .M = {4}, .h = {2}};
  expect_answer(&one, 0, (double[]){0.5}, 1e-14);
  expect_gaussian(&one, 0, 0);
}

static void nothing_moves_without_coordinates(void** state) {
  (void)state;
  Case none = {0};
  expect_answer(&none, 0, NULL, 0);
  Case empty_row = {.m = 1};
  expect_answer(&empty_row, 0, NULL, 0);
  Case impossible_row = {.m = 1, .b = {1}};
  expect_refusal(&impossible_row, ZW_ERR_INCONSISTENT, "contradict");
}

/* M (1, 2)^T = (4, 7)^T, so Qc = (3, 6)^T */
static void constraints_may_leave_nothing_free(void** state) {
  (void)state;
  Case c = {.n = 2, .m = 2, .M = {2, 1, 1, 3}, .h = {1, 1}, .A = {1, 1, 1, -1}, .b = {3, -1}};
  expect_answer(&c, 2, (double[]){1, 2}, 1e-14);
  expect_gaussian(&c, 6.3, 1e-13); /* 1/2 (3, 6) M^-1 (3, 6)^T */
  Case one = {.n = 1, .m = 1, .M = {4}, .h = {2}, .A = {-2}, .b = {6}};
  expect_answer(&one, 1, (double[]){-3}, 1e-15);
}

static void rows_of_zeros_say_nothing(void** state) {
  (void)state;
  Case all = {.n = 2, .m = 3, .M = {2, 1, 1, 3}, .h = {5, 10}};
  expect_answer(&all, 0, (double[]){1, 3}, 1e-14);
  /* a_1 + a_2 = 6 pulls by (1, 1): M^-1 (1, 1)^T = (2, 1)^T / 5 */
  Case one = {.n = 2, .m = 3, .M = {2, 1, 1, 3}, .h = {5, 10}, .A = {0, 0, 1, 1, 0, 0}, .b = {0, 6, 0}};
  expect_answer(&one, 1, (double[]){1 + 4.0 / 3, 3 + 2.0 / 3}, 1e-14);
  Case impossible = {.n = 2, .m = 2, .M = {2, 1, 1, 3}, .h = {5, 10}, .A = {1, 1}, .b = {6, 1e-3}};
  expect_refusal(&impossible, ZW_ERR_INCONSISTENT, "contradict");
}

/* The same row two and a half times, and a second one. The answer is that of the two. */
static void repeated_rows_change_nothing(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 4, .M = {1, 0, 0, 0, 2, 0, 0, 0, 4}, .h = {1, 2, 4}};
  const double A[12] = {1, 1, 0, 2.5, 2.5, 0, 0, 1, 1, -1, -1, 0}, b[4] = {5, 12.5, 2, -5};
  memcpy(c.A, A, sizeof A);
  memcpy(c.b, b, sizeof b);
  /* a0 = (1, 1, 1), d = (3, 0); A M^-1 A^T = [3/2 1/2; 1/2 3/4], so lambda = (18, -12)/7 */
  expect_answer(&c, 2, (double[]){1 + 18.0 / 7, 1 + 3.0 / 7, 1 - 3.0 / 7}, 1e-13);
  expect_gaussian(&c, 0.5 * 3 * 18 / 7, 1e-14);
  c.b[3] = -5.001;
  expect_refusal(&c, ZW_ERR_INCONSISTENT, "contradict");
}

static void more_rows_than_coordinates(void** state) {
  (void)state;
  Case c = {.n = 2, .m = 5, .M = {2, 1, 1, 3}, .h = {1, 1}};
  const double A[10] = {1, 1, 1, -1, 2, 0, 0, 3, 1, 2};
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 2; j++) c.A[2 * i + j] = A[2 * i + j];
    c.b[i] = A[2 * i] * 1 + A[2 * i + 1] * 2;
  }
  expect_answer(&c, 2, (double[]){1, 2}, 1e-14);
  c.b[4] += 0.01;
  expect_refusal(&c, ZW_ERR_INCONSISTENT, "contradict");
}

static void contradictions_are_refused(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 3, .M = {1, 0, 0, 0, 2, 0, 0, 0, 4}, .A = {1, 0, 0, 0, 1, 0, 1, 1, 0}, .b = {1, 2, 3}};
  expect_answer(&c, 2, (double[]){1, 2, 0}, 1e-14);
  c.b[2] = 3 * (1 + 1e-4);
  expect_refusal(&c, ZW_ERR_INCONSISTENT, "contradict");
  /* also where the others ask for nothing */
  Case still = {.n = 1, .m = 2, .M = {1}, .A = {1, 1}, .b = {0, 1e-9}};
  expect_refusal(&still, ZW_ERR_INCONSISTENT, "contradict");
  /* ... unless it is rounding of the free accelerations */
  Case rounding = {.n = 1, .m = 2, .M = {1}, .h = {1e3}, .A = {1, 1}, .b = {0, 1e-12}};
  expect_answer(&rounding, 1, (double[]){0}, 1e-11);
  rounding.b[1] = 1e-6;
  expect_refusal(&rounding, ZW_ERR_INCONSISTENT, "contradict");
}

static void directions_without_inertia_and_constraint_are_refused(void** state) {
  (void)state;
  Case loose = {.n = 2, .m = 1, .M = {1, 0, 0, 0}, .A = {1, 0}, .b = {1}};
  expect_refusal(&loose, ZW_ERR_UNDETERMINED, "inertia");
  Case nothing = {.n = 2};
  expect_refusal(&nothing, ZW_ERR_UNDETERMINED, "inertia");
  /* coordinates 1 and 3 have no inertia; the only row ties them together */
  Case tied = {.n = 4, .m = 1, .M = {2, 0, 1, 0, 0, 0, 0, 0, 1, 0, 3}, .A = {0, 1, 0, -2}};
  expect_refusal(&tied, ZW_ERR_UNDETERMINED, "inertia");
}

/* T20. Two masses on a rope over a massless wheel s that both follow: x = s, y = -s. */
static void massless_coordinates_follow_their_constraints(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 2, .M = {3, 0, 0, 0, 1, 0, 0, 0, 0}, .h = {3 * 9.81, 9.81, 0}, .A = {1, 0, -1, 0, 1, 1}};
  expect_answer(&c, 2, (double[]){9.81 / 2, -9.81 / 2, 9.81 / 2}, 1e-13);
  expect_gaussian(&c, NAN, 0);
  /* the same with a row that repeats both: x + y = 0 */
  Case again = {.n = 3, .m = 3, .M = {3, 0, 0, 0, 1, 0, 0, 0, 0}, .h = {3 * 9.81, 9.81, 0}};
  const double A[9] = {1, 0, -1, 0, 1, 1, 1, 1, 0};
  memcpy(again.A, A, sizeof A);
  expect_answer(&again, 2, (double[]){9.81 / 2, -9.81 / 2, 9.81 / 2}, 1e-13);
}

static void without_any_inertia_constraints_may_do(void** state) {
  (void)state;
  Case c = {.n = 2, .m = 3, .h = {1, 1}, .A = {1, 1, 1, -1, 2, 1}, .b = {3, 1, 5}};
  expect_answer(&c, 2, (double[]){2, 1}, 1e-14);
  expect_gaussian(&c, NAN, 0);
}

/* T21. Held along the negative direction a minimum is left; the stronger that direction, the larger mu must be. */
static void indefinite_inertia_may_have_a_minimum(void** state) {
  (void)state;
  for (double negative = 1; negative < 1e4; negative *= 10) {
    Case c = {.n = 2, .m = 1, .M = {1, 0, 0, -negative}, .h = {3, 5}, .A = {0, 1}, .b = {2}};
    expect_answer(&c, 1, (double[]){3, 2}, 1e-11);
    double away = 2 + 5 / negative; /* of y, from a0 = -5 / negative */
    expect_gaussian(&c, -0.5 * negative * away * away, 1e-10);
  }
  /* not along a coordinate: M is -2 along (1, -1), which the row holds */
  Case skew = {.n = 2, .m = 1, .M = {1, 3, 3, 1}, .h = {4, 8}, .A = {1, -1}, .b = {2}};
  /* a = (s + 1, s - 1): along (1, 1), 8 s = 12 */
  expect_answer(&skew, 1, (double[]){2.5, 0.5}, 1e-12);
}

static void expect_stationary(const Case* c, int32_t rank, const double* a, double gaussian) {
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    if (inverts_inertia((ZwFormulation)f)) {
      expect_refusal_by(c, (ZwFormulation)f, ZW_ERR_UNSUPPORTED, "minimum");
      continue;
    }
    expect_answer_by(c, (ZwFormulation)f, rank, a, 1e-13);
    ZwPaperProblem problem = problem_of(c);
    Solved solved = solve_by((ZwFormulation)f, 0, &problem);
    assert_false(solved.result.is_minimum);
    assert_near(solved.result.gaussian, gaussian, 1e-13);
    forget_solved(&solved);
  }
}

static void mere_stationary_points_are_told_apart(void** state) {
  (void)state;
  Case free_saddle = {.n = 2, .M = {0, 1, 1, 0}, .h = {3, 5}};
  expect_stationary(&free_saddle, 0, (double[]){5, 3}, 0);
  Case held = {.n = 2, .m = 1, .M = {1, 0, 0, -1}, .h = {3, 5}, .A = {1, 0}, .b = {2}};
  expect_stationary(&held, 1, (double[]){2, -5}, 0.5);
  /* (1, 1) is left free, M is -2 along it twice; twice the same row */
  Case skew = {.n = 2, .m = 2, .M = {1, -3, -3, 1}, .h = {4, 8}, .A = {1, -1, -3, 3}, .b = {2, -6}};
  expect_stationary(&skew, 1, (double[]){-2, -4}, 9);
  /* regular M, but nothing where the constraint leaves it free */
  Case lost = {.n = 2, .m = 1, .M = {0, 1, 1, 0}, .h = {3, 5}, .A = {0, 1}, .b = {2}};
  expect_refusal(&lost, ZW_ERR_UNDETERMINED, "inertia");
}

static void numbers_that_are_not_finite_are_refused(void** state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    for (int where = 0; where < 4; where++) {
      Case c = {.n = 2, .m = 1, .M = {2, 1, 1, 3}, .h = {1, 1}, .A = {1, 1}, .b = {3}};
      double* places[] = {&c.M[3], &c.h[1], &c.A[0], &c.b[0]};
      *places[where] = bad[i];
      expect_refusal(&c, ZW_ERR_DOMAIN, "finite");
    }
  }
}

static void multipliers_may_be_left_out(void** state) {
  (void)state;
  Case c = {.n = 2, .m = 1, .M = {2, 1, 1, 3}, .h = {5, 10}, .A = {1, 1}, .b = {6}};
  ZwPaperProblem problem = problem_of(&c);
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    double a[2], Qc[2];
    ZwPaper* paper = new_paper(2, 1);
    ZwPaperResult result = {.a = a, .Qc = Qc};
    assert_int_equal(zw_formulation_solve(paper, (ZwFormulation)f, 0, &problem, &result), ZW_OK);
    assert_near(a[0], 1 + 4.0 / 3, 1e-14);
    assert_near(Qc[1], 10.0 / 3, 1e-13);
    free(paper);
  }
}

/* Memory for larger problems serves smaller ones. */
static void memory_may_be_larger_than_needed(void** state) {
  (void)state;
  Case c = {.n = 2, .m = 1, .M = {2, 1, 1, 3}, .h = {5, 10}, .A = {1, 1}, .b = {6}};
  ZwPaperProblem problem = problem_of(&c);
  ZwPaper* paper = new_paper(7, 5);
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    double a[2], Qc[2];
    ZwPaperResult result = {.a = a, .Qc = Qc};
    assert_int_equal(zw_formulation_solve(paper, (ZwFormulation)f, 0, &problem, &result), ZW_OK);
    assert_near(a[0], 1 + 4.0 / 3, 1e-14);
  }
  free(paper);
}

/* ---- what only some have ---- */

/* Rows (1, 1, 0) and twice that: the smallest multipliers share the load 1 : 2, and (2, -1) may be added (T15). */
static void lagrange_gives_the_smallest_multipliers(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 2, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .A = {1, 1, 0, 2, 2, 0}, .b = {5, 10}};
  ZwPaperProblem problem = problem_of(&c);
  Solved solved = solve_by(ZW_FORMULATION_LAGRANGE, 0, &problem);
  assert_int_equal(solved.status, ZW_OK);
  assert_true(solved.result.has_lambda);
  assert_near(solved.result.lambda[0], 0.5, 1e-14);
  assert_near(solved.result.lambda[1], 1, 1e-14);
  assert_int_equal(solved.result.lagrange.dim, 1);
  const double* W = solved.result.lagrange.W;
  assert_true(fabs(W[0]) > 0.1);
  assert_near(W[1] / W[0], -0.5, 1e-14);
  forget_solved(&solved);
}

/* lambda has no part along W, and W A = 0, whatever repeats whatever. */
static void freedom_of_multipliers_is_the_whole_null_space(void** state) {
  (void)state;
  Random random = random_from(11);
  for (int round = 0; round < 100; round++) {
    int32_t n = random_int(&random, 1, N), m = random_int(&random, 0, N), r = random_int(&random, 0, n < m ? n : m);
    Case c = {.n = n, .m = m};
    double F[N * N], G[N * N], a[N];
    random_gram(&random, n, n, c.M);
    for (int32_t i = 0; i < n; i++) c.M[i * n + i] += 1;
    random_fill(&random, m * r, F);
    random_fill(&random, r * n, G);
    random_fill(&random, n, a);
    random_fill(&random, n, c.h);
    for (int32_t i = 0; i < m; i++) {
      for (int32_t j = 0; j < n; j++) {
        for (int32_t k = 0; k < r; k++) c.A[i * n + j] += F[i * r + k] * G[k * n + j];
      }
      c.b[i] = row_times(n, c.A + i * n, a);
    }
    ZwPaperProblem problem = problem_of(&c);
    Solved solved = solve_by(ZW_FORMULATION_LAGRANGE, 0, &problem);
    assert_int_equal(solved.status, ZW_OK);
    const ZwLagrange* lagrange = &solved.result.lagrange;
    assert_int_equal(solved.result.rank + lagrange->dim, m);
    for (int32_t d = 0; d < lagrange->dim; d++) {
      const double* w = lagrange->W + (ptrdiff_t)d * m;
      double size = largest(m, w);
      assert_true(size >= 1);
      assert_near(row_times(m, w, solved.result.lambda), 0, 1e-11 * size * (1 + largest(m, solved.result.lambda)));
      for (int32_t j = 0; j < n; j++) {
        double sum = 0;
        for (int32_t i = 0; i < m; i++) sum += w[i] * c.A[i * n + j];
        assert_near(sum, 0, 1e-11 * size);
      }
    }
    forget_solved(&solved);
  }
}

/* T13: those of independent rows; T11 has some, too. Of dependent rows the quadratic form has none. */
static void multipliers_of_independent_rows_agree(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 2, .M = {2, 1, 0, 1, 3, 0, 0, 0, 1}, .h = {1, 2, 3}, .A = {1, 1, 0, 0, 1, -1}, .b = {5, 2}};
  ZwPaperProblem problem = problem_of(&c);
  Solved lagrange = solve_by(ZW_FORMULATION_LAGRANGE, 0, &problem);
  const ZwFormulation others[] = {ZW_FORMULATION_QUADRATIC, ZW_FORMULATION_INVERSE1};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < choices_of(others[i]); k++) {
      Solved solved = solve_by(others[i], choice_seeds[k], &problem);
      assert_true(solved.result.has_lambda);
      for (int j = 0; j < 2; j++) assert_near(solved.result.lambda[j], lagrange.result.lambda[j], 1e-13);
      forget_solved(&solved);
    }
  }
  forget_solved(&lagrange);
  Case twice = {.n = 2, .m = 2, .M = {2, 1, 1, 3}, .A = {1, 1, 1, 1}, .b = {5, 5}};
  problem = problem_of(&twice);
  Solved solved = solve_by(ZW_FORMULATION_QUADRATIC, 0, &problem);
  assert_int_equal(solved.status, ZW_OK);
  assert_false(solved.result.has_lambda);
  forget_solved(&solved);
}

/* T14 for M that is not diagonal: K = B^T M B with B = [-R; 1], and the equation itself. */
static void gibbs_appell_has_its_matrices(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 2, .M = {4, 1, 2, 1, 5, 1, 2, 1, 6}, .h = {1, 2, 3}, .A = {1, 4, 2, 2, 8, 4}, .b = {3, 6}};
  ZwPaperProblem problem = problem_of(&c);
  Solved solved = solve_by(ZW_FORMULATION_GIBBS_APPELL, 0, &problem);
  assert_int_equal(solved.status, ZW_OK);
  const ZwGibbsAppell* g = &solved.result.gibbs_appell;
  assert_int_equal(g->f, 2);
  /* R = Ai / Ae of the first row */
  const double* row = c.A;
  for (int i = 0; i < 2; i++) assert_near(g->R[i], row[g->order[1 + i]] / row[g->order[0]], 1e-15);
  /* columns of B in the order of the coordinates */
  double B[2][3] = {{0}};
  for (int i = 0; i < 2; i++) {
    B[i][g->order[0]] = -g->R[i];
    B[i][g->order[1 + i]] = 1;
  }
  double S = 0;
  for (int i = 0; i < 2; i++) {
    assert_near(g->P[i], row_times(3, B[i], c.h), 1e-14);
    double MB[3], left = 0;
    for (int j = 0; j < 3; j++) MB[j] = row_times(3, c.M + 3 * j, B[i]);
    for (int j = 0; j < 2; j++) assert_near(g->K[2 * i + j], row_times(3, B[j], MB), 1e-14);
    for (int j = 0; j < 2; j++) left += g->K[2 * i + j] * solved.result.a[g->order[1 + j]];
    assert_near(left, g->P[i] - MB[g->order[0]] * 3 / row[g->order[0]], 1e-13);
  }
  for (int i = 0; i < 3; i++) S += 0.5 * solved.result.a[i] * row_times(3, c.M + 3 * i, solved.result.a);
  assert_near(g->S, S, 1e-14);
  forget_solved(&solved);
}

/* ---- memory ---- */

typedef enum Inertia { INERTIA_DEFINITE, INERTIA_HELD, INERTIA_SADDLE } Inertia;

/* m rows of rank r; inertia that is definite, or -1 or 0 along some of the first r coordinates, which the rows hold, or
 * negative where nothing holds it. */
typedef struct Drawn {
  double *M, *h, *A, *b;
} Drawn;

static Drawn draw(Random* random, int32_t n, int32_t m, int32_t r, Inertia inertia) {
  Drawn drawn = {calloc((size_t)(n * n + 1), sizeof(double)), calloc((size_t)n + 1, sizeof(double)),
                 calloc((size_t)(m * n + 1), sizeof(double)), calloc((size_t)m + 1, sizeof(double))};
  for (int32_t i = 0; i < n; i++) {
    drawn.M[i * n + i] = 1.5 + random_number(random);
    if (i > 0) drawn.M[i * n + i - 1] = drawn.M[i * n - n + i] = 0.1;
  }
  if (inertia == INERTIA_HELD && r > 0) drawn.M[0] = -1;
  if (inertia == INERTIA_SADDLE && n > r) drawn.M[n * n - 1] = -1;
  /* rows 0 .. r - 1 hold the first r coordinates, the others are sums of them */
  for (int32_t i = 0; i < m && r > 0; i++) {
    if (i < r)
      drawn.A[i * n + i] = 1;
    else
      for (int32_t k = 0; k < r; k++) drawn.A[i * n + k] = random_number(random);
    for (int32_t k = 0; k < r; k++) drawn.b[i] += drawn.A[i * n + k] * (k + 1);
  }
  random_fill(random, n, drawn.h);
  return drawn;
}

static void forget_drawn(Drawn* drawn) {
  free(drawn->M);
  free(drawn->h);
  free(drawn->A);
  free(drawn->b);
}

/* Solves by every formulation and choice; returns how full the stack got. */
static double fill_memory(Random* random, int32_t n, int32_t m, int32_t r, Inertia inertia) {
  double fullest = 0;
  Drawn drawn = draw(random, n, m, r, inertia);
  ZwPaperProblem problem = {.n = n, .m = m, .M = drawn.M, .h = drawn.h, .A = drawn.A, .b = drawn.b};
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    for (uint64_t seed = 0; seed < (uint64_t)zw_formulation_choices((ZwFormulation)f); seed++) {
      Solved solved = solve_by((ZwFormulation)f, seed, &problem);
      bool has_none = inertia == INERTIA_SADDLE && n > r && inverts_inertia((ZwFormulation)f);
      if (solved.status != (has_none ? ZW_ERR_UNSUPPORTED : ZW_OK)) {
        fail_msg("n = %d, m = %d, r = %d, inertia %d, %s: %s", (int)n, (int)m, (int)r, (int)inertia,
                 zw_formulation_name((ZwFormulation)f), solved.result.reason);
      }
      fullest = fmax(fullest, (double)solved.paper->used / (double)solved.paper->capacity);
      forget_solved(&solved);
    }
  }
  forget_drawn(&drawn);
  return fullest;
}

/* Exactly as much as was asked for is enough: zw_paper_take asserts it. Some sizes with every kind of problem; every size
 * up to 40 where the environment has ZW_LONG, the kinds in turn. */
static void memory_is_enough(void** state) {
  (void)state;
  static const int32_t some[] = {0, 1, 2, 3, 4, 7, 12, 25, 40};
  bool is_long = getenv("ZW_LONG") != NULL;
  int count = is_long ? 41 : (int)(sizeof some / sizeof some[0]), kinds = is_long ? 1 : 9;
  Random random = random_from(12);
  double fullest = 0;
  for (int i = 0; i < count * count; i++) {
    int32_t n = is_long ? i / count : some[i / count], m = is_long ? i % count : some[i % count];
    int32_t most = n < m ? n : m;
    const int32_t ranks[] = {0, most / 2, most};
    for (int k = 0; k < kinds; k++) {
      int kind = (i + k) % 9;
      fullest = fmax(fullest, fill_memory(&random, n, m, ranks[kind % 3], (Inertia)(kind / 3)));
    }
  }
  print_message("the fullest stack was filled to %.0f %%\n", 100 * fullest);
  assert_true(fullest > 0.5); /* or it is too generous to prove anything */
}

/* ---- units ---- */

/* The same mechanism in other units: coordinates and rows differ by up to 1e12 in size. Powers of two, so that the
 * numbers themselves stay exact. */
static double unit(Random* random) {
  return ldexp(1, random_int(random, -20, 20));
}

static void check_units(Random* random, Inertia inertia, double tol) {
  int32_t n = random_int(random, 1, N), m = random_int(random, 0, N), most = n < m ? n : m;
  Drawn drawn = draw(random, n, m, random_int(random, 0, most), inertia);
  ZwPaperProblem plain = {.n = n, .m = m, .M = drawn.M, .h = drawn.h, .A = drawn.A, .b = drawn.b};
  double M[N * N], h[N], A[N * N], b[N], coordinate[N], row[N], size[N];
  for (int32_t i = 0; i < n; i++) coordinate[i] = unit(random);
  for (int32_t i = 0; i < m; i++) row[i] = unit(random);
  for (int32_t i = 0; i < n * n; i++) M[i] = drawn.M[i] * coordinate[i / n] * coordinate[i % n];
  for (int32_t i = 0; i < n; i++) h[i] = drawn.h[i] * coordinate[i];
  for (int32_t i = 0; i < m * n; i++) A[i] = drawn.A[i] * row[i / n] * coordinate[i % n];
  for (int32_t i = 0; i < m; i++) b[i] = drawn.b[i] * row[i];
  for (int32_t i = 0; i < m; i++) size[i] = row[i];
  ZwPaperProblem other = {.n = n, .m = m, .M = M, .h = h, .A = A, .b = b, .scale = size};
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    for (uint64_t seed = 0; seed < (uint64_t)zw_formulation_choices((ZwFormulation)f); seed++) {
      Solved want = solve_by((ZwFormulation)f, seed, &plain), got = solve_by((ZwFormulation)f, seed, &other);
      assert_int_equal(want.status, ZW_OK);
      if (got.status) fail_msg("%s: %s", zw_formulation_name((ZwFormulation)f), got.result.reason);
      assert_int_equal(got.result.rank, want.result.rank);
      double scale = 1 + largest(n, want.result.a) + largest(n, want.result.Qc);
      for (int32_t i = 0; i < n; i++) {
        if (!(fabs(got.result.a[i] * coordinate[i] - want.result.a[i]) <= tol * scale)) {
          fail_msg("%s, choice %d: %.17g became %.17g", zw_formulation_name((ZwFormulation)f), (int)seed,
                   want.result.a[i], got.result.a[i] * coordinate[i]);
        }
        assert_near(got.result.Qc[i] / coordinate[i], want.result.Qc[i], tol * scale);
      }
      if (inertia == INERTIA_DEFINITE) assert_near(got.result.gaussian, want.result.gaussian, tol * scale * scale);
      forget_solved(&want);
      forget_solved(&got);
    }
  }
  forget_drawn(&drawn);
}

/* A row is measured by what it can be itself, never by others (R1): without known sizes its unit does not matter; with them it is
 * seen to vanish. */
static void short_rows_count(void** state) {
  (void)state;
  for (double unit = 1; unit > 1e-100; unit /= 64) {
    Case c = {.n = 2, .m = 2, .M = {2, 1, 1, 3}, .h = {1, 1}, .A = {1, 1, unit, -unit}, .b = {3, -unit}};
    expect_answer(&c, 2, (double[]){1, 2}, 1e-14);
  }
  Case gone = {.n = 2, .m = 2, .M = {2, 1, 1, 3}, .h = {5, 10}, .A = {1, 1, 1e-14, -1e-14}, .b = {4, 0}};
  expect_answer(&gone, 2, (double[]){2, 2}, 1e-13);
  const double known[2] = {1, 1};
  gone.scale = known;
  expect_answer(&gone, 1, (double[]){1, 3}, 1e-7); /* and a residual of 1e-8, what is left of that row */
}

/* Masses 1e12 apart: what is heavy beside others in its rows is seen all the same, and so is what follows from what. */
static void heavy_coordinates_are_seen(void** state) {
  (void)state;
  for (double heavy = 1; heavy < 1e13; heavy *= 1000) {
    double tol = 1e-9 + 1e-14 * heavy; /* Qc is what is left of h */
    /* x0 light between x1 and x2 heavy: x0 = x1, x0 = x2, and x1 = x2, which follows */
    Case c = {.n = 3, .m = 3, .M = {1, 0, 0, 0, heavy, 0, 0, 0, heavy}, .h = {0, heavy, heavy}};
    const double A[9] = {1, -1, 0, 1, 0, -1, 0, 1, -1};
    memcpy(c.A, A, sizeof A);
    expect_answer(
        &c, 2, (double[]){2 * heavy / (2 * heavy + 1), 2 * heavy / (2 * heavy + 1), 2 * heavy / (2 * heavy + 1)}, tol);
    /* driven through the light one */
    Case driven = {.n = 2, .m = 2, .M = {1, 0, 0, heavy}, .h = {0, 0}, .A = {1, -1, 1, 0}, .b = {0, 3}};
    expect_answer(&driven, 2, (double[]){3, 3}, 1e-9 + 1e-13 * heavy);
  }
}

static void units_do_not_matter(void** state) {
  (void)state;
  Random random = random_from(13);
  for (int round = 0; round < 200; round++) check_units(&random, INERTIA_DEFINITE, 1e-12);
}

/* The rows have to outweigh the negative inertia: their weight costs digits (T21). */
static void units_do_not_matter_for_indefinite_inertia_either(void** state) {
  (void)state;
  Random random = random_from(14);
  for (int round = 0; round < 200; round++) check_units(&random, INERTIA_HELD, 1e-10);
}

/* Twice the forces, twice the accelerations: also when they are as small as 1e-30. */
static void answers_are_linear_in_forces(void** state) {
  (void)state;
  Random random = random_from(17);
  for (int round = 0; round < 200; round++) {
    int32_t n = random_int(&random, 1, N), m = random_int(&random, 0, N), r = random_int(&random, 0, n < m ? n : m);
    Drawn drawn = draw(&random, n, m, r, (Inertia)random_int(&random, 0, 1));
    ZwPaperProblem plain = {.n = n, .m = m, .M = drawn.M, .h = drawn.h, .A = drawn.A, .b = drawn.b};
    double h[N], b[N], factor = ldexp(1, random_int(&random, -100, 100));
    for (int32_t i = 0; i < n; i++) h[i] = factor * drawn.h[i];
    for (int32_t i = 0; i < m; i++) b[i] = factor * drawn.b[i];
    ZwPaperProblem other = {.n = n, .m = m, .M = drawn.M, .h = h, .A = drawn.A, .b = b};
    for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
      Solved want = solve_by((ZwFormulation)f, 1, &plain), got = solve_by((ZwFormulation)f, 1, &other);
      assert_int_equal(want.status, ZW_OK);
      assert_int_equal(got.status, ZW_OK);
      for (int32_t i = 0; i < n; i++) assert_true(got.result.a[i] == factor * want.result.a[i]);
      forget_solved(&want);
      forget_solved(&got);
    }
    forget_drawn(&drawn);
  }
}

/* All is held still against a force of 1e3: the accelerations are rounding of the free ones. */
static void holding_still_is_an_answer(void** state) {
  (void)state;
  Random random = random_from(18);
  for (int round = 0; round < 100; round++) {
    int32_t n = random_int(&random, 1, N);
    Case c = {.n = n, .m = n};
    random_gram(&random, n, n, c.M);
    random_fill(&random, n * n, c.A);
    for (int32_t i = 0; i < n; i++) {
      c.h[i] = 1e3 * random_number(&random);
      c.M[i * n + i] += 1;
      c.A[i * n + i] += n;
    }
    expect_answer(&c, n, (double[N]){0}, 1e-9);
  }
}

/* sin(pi) is not zero: a row that vanishes where it should is rounding, and so is what it asks for. */
static void rows_that_vanish_say_nothing(void** state) {
  (void)state;
  const double sizes[3] = {1, 1, 1};
  Case c = {.n = 2, .m = 3, .M = {2, 1, 1, 3}, .h = {5, 10}, .A = {1, 1, 1.2e-16, -1.2e-16, 0, 3e-16}, .b = {6, 2e-16}};
  c.scale = sizes;
  expect_answer(&c, 1, (double[]){1 + 4.0 / 3, 3 + 2.0 / 3}, 1e-14);
  c.b[1] = 1e-3;
  expect_refusal(&c, ZW_ERR_INCONSISTENT, "contradict");
}

/* ---- generalized inverses ---- */

enum { P = 9 };

/* Z = X Y, X is p x k, Y is k x q */
static void multiply(int32_t p, int32_t k, int32_t q, const double* X, const double* Y, double* Z) {
  for (int32_t i = 0; i < p; i++) {
    for (int32_t j = 0; j < q; j++) {
      double sum = 0;
      for (int32_t l = 0; l < k; l++) sum += X[i * k + l] * Y[l * q + j];
      Z[i * q + j] = sum;
    }
  }
}

static void assert_same(int32_t count, const double* got, const double* want, double tol) {
  for (int32_t i = 0; i < count; i++) assert_near(got[i], want[i], tol);
}

static void assert_symmetric(int32_t n, const double* X, double tol) {
  for (int32_t i = 0; i < n * n; i++) assert_near(X[i], X[i % n * n + i / n], tol);
}

/* The four conditions of Penrose on the p x q matrix X and its inverse Y; `which` has bit i - 1 for condition i. */
static void check_penrose(int32_t p, int32_t q, const double* X, const double* Y, int which, double tol) {
  double XY[P * P], YX[P * P], back[P * P];
  multiply(p, q, p, X, Y, XY);
  multiply(q, p, q, Y, X, YX);
  multiply(p, p, q, XY, X, back);
  if (which & 1) assert_same(p * q, back, X, tol * largest(p * q, X));
  multiply(q, q, p, YX, Y, back);
  if (which & 2) assert_same(q * p, back, Y, tol * largest(q * p, Y));
  if (which & 4) assert_symmetric(p, XY, tol);
  if (which & 8) assert_symmetric(q, YX, tol);
}

static void inverses_satisfy_their_conditions(void** state) {
  (void)state;
  Random random = random_from(15);
  for (int round = 0; round < 400; round++) {
    int32_t p = random_int(&random, 1, P), q = random_int(&random, 1, P), r = random_int(&random, 0, p < q ? p : q);
    double F[P * P], G[P * P], X[P * P];
    random_fill(&random, p * r, F);
    random_fill(&random, r * q, G);
    multiply(p, r, q, F, G, X);
    void* memory = malloc(zw_rank_work_size(p, q));
    ZwRank* rank = zw_rank_place(memory, p, q);
    assert_int_equal(zw_rank_decide(rank, p, q, X, NULL, NULL), ZW_OK);
    if (rank->rank == r && !(rank->kept < 1e-2)) { /* else a bad draw */
      ZwPaper* paper = new_paper(P, P);
      check_penrose(p, q, X, zw_inverse_moore_penrose(paper, p, q, r, X), 1 | 2 | 4 | 8, 1e-10);
      check_penrose(p, q, X, zw_inverse_basic(paper, p, q, r, X, rank->order), 1 | 2, 1e-10);
      check_penrose(p, q, X, zw_inverse_of_rows(paper, p, q, r, X, rank->order), 1 | 2 | 8, 1e-10);
      check_penrose(p, q, X, zw_inverse_of_columns(paper, p, q, r, X), 1 | 2 | 4, 1e-10);
      free(paper);
    }
    free(memory);
  }
}

static void random_matrices_repeat_with_their_seed(void** state) {
  (void)state;
  ZwPaper* paper = new_paper(4, 4);
  const double* X = zw_random_matrix(paper, 3, 4, 2.5, 7);
  const double* Y = zw_random_matrix(paper, 3, 4, 2.5, 7);
  const double* Z = zw_random_matrix(paper, 3, 4, 2.5, 8);
  assert_same(12, X, Y, 0);
  assert_true(largest(12, X) <= 2.5 && largest(12, X) > 0.25);
  bool differs = false;
  for (int i = 0; i < 12; i++) differs = differs || X[i] != Z[i];
  assert_true(differs);
  free(paper);
}

/* ---- frames ---- */

static ZwFrame* new_frame(int32_t n) {
  return zw_frame_place(malloc(zw_frame_work_size(n)), n);
}

/* Whatever quasi-velocities are chosen, the accelerations are those of Lagrange. */
static void frames_agree_with_lagrange(void** state) {
  (void)state;
  Random random = random_from(16);
  for (int round = 0; round < 300; round++) {
    int32_t n = random_int(&random, 0, N), m = random_int(&random, 0, n), k = n - m;
    Case c = {.n = n, .m = m};
    double C[N * N], shift[N], a[N], nu_rate[N];
    random_gram(&random, n, n, c.M);
    for (int32_t i = 0; i < n; i++) c.M[i * n + i] += 0.1;
    random_fill(&random, n, c.h);
    random_fill(&random, m * n, c.A);
    random_fill(&random, m, c.b);
    random_fill(&random, k * n, C);
    random_fill(&random, k, shift);
    ZwFrame* frame = new_frame(n);
    ZwStatus status = zw_frame_factor(frame, n, k, C, c.A);
    if (status == ZW_OK && frame->condition < 1e3) {
      ZwPaperProblem problem = problem_of(&c);
      Solved want = solve_by(ZW_FORMULATION_LAGRANGE, 0, &problem);
      assert_int_equal(want.status, ZW_OK);
      assert_int_equal(zw_frame_solve(frame, c.M, c.h, shift, c.b, nu_rate, a), ZW_OK);
      double tol = 1e-15 * frame->condition * frame->condition * (1 + largest(n, a)) * 100;
      assert_same(n, a, want.result.a, tol);
      /* C a = nu' + c, A a = b */
      for (int32_t i = 0; i < k; i++) assert_near(row_times(n, C + i * n, a), nu_rate[i] + shift[i], tol);
      for (int32_t i = 0; i < m; i++) assert_near(row_times(n, c.A + i * n, a), c.b[i], tol);
      /* v = B nu + r counts back to nu */
      zw_frame_velocity(frame, shift, c.b, a);
      for (int32_t i = 0; i < k; i++) assert_near(row_times(n, C + i * n, a), shift[i], tol);
      forget_solved(&want);
    }
    free(frame);
  }
}

static void frames_that_do_not_count_are_refused(void** state) {
  (void)state;
  ZwFrame* frame = new_frame(2);
  const double C[2] = {1, 1};
  assert_int_equal(zw_frame_factor(frame, 2, 1, C, (double[]){2, 2}), ZW_ERR_INCONSISTENT);
  assert_true(isinf(frame->condition));
  assert_int_equal(zw_frame_factor(frame, 2, 1, C, (double[]){0, 0}), ZW_ERR_INCONSISTENT);
  assert_true(isinf(frame->condition));
  /* the angle decides, not the length: 1e-9 is refused, 1e-7 is not, in any unit */
  for (double length = 1e-100; length < 1e101; length *= 1e50) {
    assert_int_equal(zw_frame_factor(frame, 2, 1, C, (double[]){length, length * (1 + 1e-9)}), ZW_ERR_INCONSISTENT);
    assert_true(frame->condition > ZW_FRAME_CONDITION_MAX && frame->condition < 1e11);
    assert_int_equal(zw_frame_factor(frame, 2, 1, C, (double[]){length, length * (1 + 1e-7)}), ZW_OK);
  }
  assert_int_equal(zw_frame_factor(frame, 2, 1, C, (double[]){NAN, 1}), ZW_ERR_DOMAIN);
  assert_int_equal(zw_frame_factor(frame, 2, 1, (double[]){INFINITY, 0}, C), ZW_ERR_DOMAIN);
  free(frame);
}

static void frames_know_directions_without_inertia(void** state) {
  (void)state;
  ZwFrame* frame = new_frame(3);
  const double C[6] = {0, 1, 0, 0, 0, 1}, A[3] = {1, 0, 0}, M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, zero[3] = {0};
  double nu_rate[2], a[3];
  assert_int_equal(zw_frame_factor(frame, 3, 2, C, A), ZW_OK);
  assert_int_equal(zw_frame_solve(frame, M, zero, zero, zero, nu_rate, a), ZW_ERR_UNDETERMINED);
  /* without inertia everywhere but where it is held, and with no free velocity at all */
  const double held[9] = {0, 0, 0, 0, 2, 0, 0, 0, -3}, h[3] = {1, 4, 6};
  assert_int_equal(zw_frame_solve(frame, held, h, zero, (double[]){5}, nu_rate, a), ZW_OK);
  assert_same(3, a, (double[]){5, 2, -2}, 1e-15);
  const double all[9] = {1, 0, 0, 0, 2, 0, 0, 0, 4}, b[3] = {1, 2, 4};
  assert_int_equal(zw_frame_factor(frame, 3, 0, NULL, all), ZW_OK);
  assert_int_equal(zw_frame_solve(frame, M, h, NULL, b, nu_rate, a), ZW_OK);
  assert_same(3, a, (double[]){1, 1, 1}, 1e-15);
  free(frame);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_has_a_name_of_its_own),
      cmocka_unit_test(without_constraints_the_motion_is_free),
      cmocka_unit_test(nothing_moves_without_coordinates),
      cmocka_unit_test(constraints_may_leave_nothing_free),
      cmocka_unit_test(rows_of_zeros_say_nothing),
      cmocka_unit_test(repeated_rows_change_nothing),
      cmocka_unit_test(more_rows_than_coordinates),
      cmocka_unit_test(contradictions_are_refused),
      cmocka_unit_test(directions_without_inertia_and_constraint_are_refused),
      cmocka_unit_test(massless_coordinates_follow_their_constraints),
      cmocka_unit_test(without_any_inertia_constraints_may_do),
      cmocka_unit_test(indefinite_inertia_may_have_a_minimum),
      cmocka_unit_test(mere_stationary_points_are_told_apart),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(multipliers_may_be_left_out),
      cmocka_unit_test(memory_may_be_larger_than_needed),
      cmocka_unit_test(lagrange_gives_the_smallest_multipliers),
      cmocka_unit_test(freedom_of_multipliers_is_the_whole_null_space),
      cmocka_unit_test(multipliers_of_independent_rows_agree),
      cmocka_unit_test(gibbs_appell_has_its_matrices),
      cmocka_unit_test(memory_is_enough),
      cmocka_unit_test(short_rows_count),
      cmocka_unit_test(heavy_coordinates_are_seen),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(units_do_not_matter_for_indefinite_inertia_either),
      cmocka_unit_test(rows_that_vanish_say_nothing),
      cmocka_unit_test(answers_are_linear_in_forces),
      cmocka_unit_test(holding_still_is_an_answer),
      cmocka_unit_test(inverses_satisfy_their_conditions),
      cmocka_unit_test(random_matrices_repeat_with_their_seed),
      cmocka_unit_test(frames_agree_with_lagrange),
      cmocka_unit_test(frames_that_do_not_count_are_refused),
      cmocka_unit_test(frames_know_directions_without_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
