/* The quadratic program of one-sided rows against enumeration: every subset of the rows is taken for the one that holds
 * with equality, and the best of those that satisfy all rows is the minimum. */
#include "least/onesided.h"

#include <string.h>

#include "numbers.h"

enum { N_MAX = 8, K_MAX = 10, CASES = 10000 };

typedef struct Problem {
  int32_t n, m, k;
  double M[N_MAX * N_MAX], h[N_MAX], A[N_MAX * N_MAX], b[N_MAX];
  double G[K_MAX * N_MAX], g[K_MAX];
} Problem;

typedef struct Solver {
  ZwLeast* least;
  ZwOneSided* onesided;
} Solver;

/* ---- problems ---- */

static void draw_masses(Problem* p, Random* random) {
  int32_t n = p->n;
  double B[N_MAX * N_MAX];
  for (int32_t i = 0; i < n * n; i++) B[i] = random_number(random);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j ? 0.1 : 0;
      for (int32_t l = 0; l < n; l++) sum += B[i * n + l] * B[j * n + l];
      p->M[i * n + j] = sum;
    }
  }
}

/* Small whole numbers meet exactly: rows that repeat each other, vertices where many of them meet, contradictions. */
static double draw_entry(Random* random, bool is_whole) {
  return is_whole ? (double)random_int(random, -2, 2) : random_number(random);
}

static void draw(Problem* p, Random* random) {
  bool is_whole = random_int(random, 0, 1) == 1;
  *p = (Problem){.n = random_int(random, 1, N_MAX), .k = random_int(random, 1, K_MAX)};
  p->m = random_int(random, 0, p->n - 1 < 3 ? p->n - 1 : 3);
  draw_masses(p, random);
  for (int32_t i = 0; i < p->n; i++) p->h[i] = 3 * random_number(random);
  for (int32_t i = 0; i < p->m * p->n; i++) p->A[i] = random_number(random);
  for (int32_t i = 0; i < p->m; i++) p->b[i] = random_number(random);
  for (int32_t i = 0; i < p->k; i++) {
    double* row = p->G + i * p->n;
    int32_t other = random_int(random, 0, i);
    int kind = random_int(random, 0, 9);
    for (int32_t j = 0; j < p->n; j++) row[j] = draw_entry(random, is_whole);
    p->g[i] = draw_entry(random, is_whole);
    if (i == 0 || kind > 3) continue;
    double factor = kind == 0 ? -1 : (double)random_int(random, 1, 3); /* now and then a row the other way round */
    for (int32_t j = 0; j < p->n; j++) row[j] = factor * p->G[other * p->n + j];
    if (kind < 3) p->g[i] = factor * p->g[other];
  }
}

/* ---- enumeration ---- */

/* Of all a with A a = b and equality in the rows of the subset, the one nearest to the free one. False: the rows are
 * dependent; then a smaller subset gives the same. */
static bool solve_subset(const Problem* p, ZwLeast* least, int32_t subset, double* a, double* lambda) {
  static double A[(N_MAX + K_MAX) * N_MAX], b[N_MAX + K_MAX];
  int32_t rows = p->m;
  memcpy(A, p->A, (size_t)(p->m * p->n) * sizeof(double));
  memcpy(b, p->b, (size_t)p->m * sizeof(double));
  for (int32_t i = 0; i < p->k; i++) {
    if (!(subset >> i & 1)) continue;
    if (rows == p->n) return false;
    memcpy(A + rows * p->n, p->G + i * p->n, (size_t)p->n * sizeof(double));
    b[rows++] = p->g[i];
  }
  ZwLeastResult result = {.a = a, .lambda = lambda};
  if (zw_least_factor(least, rows, p->M, A) || zw_least_pivot_ratio(least) < 1e-9) return false;
  return zw_least_answer(least, p->h, b, &result) == ZW_OK;
}

static double cost_of(const Problem* p, const double* a) {
  double cost = 0;
  for (int32_t i = 0; i < p->n; i++) {
    cost -= p->h[i] * a[i];
    for (int32_t j = 0; j < p->n; j++) cost += 0.5 * a[i] * p->M[i * p->n + j] * a[j];
  }
  return cost;
}

/* The largest violation of a row, as a part of what it is made of. */
static double violation_of(const Problem* p, const double* a) {
  double worst = 0, largest = 0;
  for (int32_t j = 0; j < p->n; j++) largest = fmax(largest, fabs(a[j]));
  for (int32_t i = 0; i < p->k; i++) {
    double sum = -p->g[i], parts = fabs(p->g[i]);
    for (int32_t j = 0; j < p->n; j++) {
      sum += p->G[i * p->n + j] * a[j];
      parts += fabs(p->G[i * p->n + j]) * largest;
    }
    if (parts > 0) worst = fmax(worst, -sum / parts);
  }
  return worst;
}

static bool enumerate(const Problem* p, ZwLeast* least, double* best) {
  double least_cost = INFINITY;
  for (int32_t subset = 0; subset < 1 << p->k; subset++) {
    double a[N_MAX], lambda[N_MAX + K_MAX];
    if (!solve_subset(p, least, subset, a, lambda) || violation_of(p, a) > 1e-11) continue;
    double cost = cost_of(p, a);
    if (cost >= least_cost) continue;
    least_cost = cost;
    memcpy(best, a, sizeof a);
  }
  return isfinite(least_cost);
}

/* ---- ours ---- */

static ZwStatus solve(const Problem* p, Solver* solver, double* a) {
  assert_int_equal(zw_least_factor(solver->least, p->m, p->M, p->A), ZW_OK);
  assert_int_equal(zw_onesided_prepare(solver->onesided, solver->least, p->M, p->h, p->b, p->k, p->G, p->g), ZW_OK);
  ZW_TRY(zw_onesided_solve(solver->onesided));
  int32_t subset = 0;
  double lambda[N_MAX + K_MAX], size = 1;
  for (int32_t i = 0; i < p->k; i++) subset |= (int32_t)solver->onesided->pushes[i] << i;
  /* the rows that push are independent; taken for equality rows they give the answer to full accuracy */
  assert_true(solve_subset(p, solver->least, subset, a, lambda));
  for (int32_t j = 0; j < p->n; j++) size = fmax(size, fabs(a[j]));
  for (int32_t j = 0; j < p->n; j++) assert_near(solver->onesided->a[j], a[j], 1e-7 * size);
  return ZW_OK;
}

/* The weights of the proof are >= 0; with them the rows together do not depend on what is free, and ask for more than there
 * is. */
static void check_proof(const Problem* p, const Solver* solver) {
  const double* y = solver->onesided->proof;
  double together[N_MAX] = {0}, size = 0, gap = 0;
  for (int32_t i = 0; i < p->k; i++) {
    assert_true(y[i] >= 0);
    gap += y[i] * solver->onesided->w0[i];
    for (int32_t j = 0; j < p->n; j++) together[j] += y[i] * solver->onesided->response[i * p->n + j];
    for (int32_t j = 0; j < p->n; j++) size = fmax(size, fabs(y[i] * solver->onesided->response[i * p->n + j]));
  }
  assert_true(gap < 0);
  for (int32_t j = 0; j < p->n; j++) assert_near(together[j], 0, 1e-5 * size);
}

static void close_solver(Solver* solver) {
  free(solver->least);
  free(solver->onesided);
}

static void agrees_with_enumeration(void** state) {
  (void)state;
  Solver solver = {0};
  int infeasible = 0, changes = 0;
  double worst = 0, worst_conditions = 0;
  Random random = random_from(8);
  for (int i = 0; i < CASES; i++) {
    Problem p;
    draw(&p, &random);
    double best[N_MAX], a[N_MAX];
    solver.least = zw_least_place(malloc(zw_least_work_size(p.n, p.n)), p.n, p.n);
    solver.onesided = zw_onesided_place(malloc(zw_onesided_work_size(p.n, p.k)), p.n, p.k);
    bool has_answer = enumerate(&p, solver.least, best);
    for (int32_t j = 0; j < p.k; j++)
      solver.onesided->pushes[j] = random_int(&random, 0, 3) == 0; /* any guess will do */
    ZwStatus status = solve(&p, &solver, a);
    if (has_answer != (status == ZW_OK))
      fail_msg("case %d: %s, enumeration says %d", i, has_answer ? "answer" : "none", status);
    if (!has_answer) {
      assert_int_equal(status, ZW_ERR_INCONSISTENT);
      check_proof(&p, &solver);
      infeasible++;
      close_solver(&solver);
      continue;
    }
    double size = 1;
    for (int32_t j = 0; j < p.n; j++) size = fmax(size, fabs(best[j]));
    for (int32_t j = 0; j < p.n; j++) {
      worst = fmax(worst, fabs(a[j] - best[j]) / size);
      if (!(fabs(a[j] - best[j]) <= 1e-9 * size)) fail_msg("case %d: a[%d] is %.17g, not %.17g", i, j, a[j], best[j]);
    }
    worst_conditions = fmax(worst_conditions, solver.onesided->worst);
    changes = changes > solver.onesided->changes ? changes : solver.onesided->changes;
    /* from its own answer it starts at its end */
    assert_int_equal(solve(&p, &solver, a), ZW_OK);
    assert_int_equal(solver.onesided->changes, 0);
    close_solver(&solver);
  }
  print_message("%d problems, %d without an answer; off by %.2g at most, conditions by %.2g; up to %d changes\n", CASES,
                infeasible, worst, worst_conditions, changes);
  assert_true(infeasible > CASES / 50 && infeasible < CASES / 2);
  assert_true(worst_conditions < 1e-9);
}

/* Blocks on each other under their weights, masses up to 1e15 apart in any order, rows in units of their own: each contact bears what lies on it. */
static void bears_what_lies_on_it(void** state) {
  (void)state;
  enum { BLOCKS = 5 };
  static const double masses[] = {1e-8, 1e-4, 1, 1e3, 1e7};
  Random random = random_from(5);
  Solver solver = {zw_least_place(malloc(zw_least_work_size(BLOCKS, BLOCKS)), BLOCKS, BLOCKS),
                   zw_onesided_place(malloc(zw_onesided_work_size(BLOCKS, BLOCKS)), BLOCKS, BLOCKS)};
  for (int round = 0; round < 500; round++) {
    Problem p = {.n = BLOCKS, .k = BLOCKS};
    double unit[BLOCKS];
    for (int32_t i = 0; i < BLOCKS; i++) {
      double mass = masses[random_int(&random, 0, 4)];
      p.M[i * BLOCKS + i] = mass;
      p.h[i] = -9.81 * mass;
      unit[i] = 1 / sqrt(1 / mass + (i > 0 ? 1 / p.M[(i - 1) * (BLOCKS + 1)] : 0));
      p.G[i * BLOCKS + i] = unit[i];
      if (i > 0) p.G[i * BLOCKS + i - 1] = -unit[i];
    }
    for (int32_t i = 0; i < BLOCKS; i++) solver.onesided->pushes[i] = random_int(&random, 0, 1) == 1;
    assert_int_equal(zw_least_factor(solver.least, 0, p.M, p.A), ZW_OK);
    assert_int_equal(zw_onesided_prepare(solver.onesided, solver.least, p.M, p.h, p.b, p.k, p.G, p.g), ZW_OK);
    assert_int_equal(zw_onesided_solve(solver.onesided), ZW_OK);
    double above = 0;
    for (int32_t i = BLOCKS; i-- > 0;) {
      above += 9.81 * p.M[i * BLOCKS + i];
      assert_true(solver.onesided->pushes[i]);
      assert_near(solver.onesided->mu[i] * unit[i], above, 1e-9 * above);
    }
  }
  close_solver(&solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_enumeration),
                                     cmocka_unit_test(bears_what_lies_on_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
