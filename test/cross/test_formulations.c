/* Every formulation against the answer known by construction, against the production solve, and thereby against every
 * other, on random problems made from known factors:
 *
 *   M = Q diag(mu) Q^T or diag(mu),  mu from 1/kM to 1,  kM up to 1e8
 *   C = U diag(sigma) V^T,  m x n of rank r,  sigma from 1/kC to 1,  kC up to 1e4
 *   A = C M^(1/2);  a and lambda are drawn, then b = A a, h = M a - A^T lambda
 *
 * All of it in extended precision, rounded at the end. Inconsistent draws add to b what is orthogonal to all columns of
 * A. 1000 draws; all 10 000 when the environment has ZW_LONG. */
#include <float.h>
#include <stdio.h>

#include "least/least.h"
#include "least/solved.h"

enum { N_MAX = 30, M_MAX = 40, DRAWS = 1000, DRAWS_LONG = 10000 };

typedef long double Real;

typedef struct Draw {
  int32_t n, m, r;
  double kM, kC;
  bool is_full, is_consistent;
  double M[N_MAX * N_MAX], h[N_MAX], A[M_MAX * N_MAX], b[M_MAX];
  double a[N_MAX], lambda[M_MAX];                     /* the answer */
  double root[N_MAX * N_MAX], inverse[N_MAX * N_MAX]; /* M^(1/2), M^(-1/2) */
  double pull[N_MAX];                                 /* y - y0 = M^(-1/2) A^T lambda */
  double size;                                        /* of all accelerations, see bound */
} Draw;

/* ---- drawing ---- */

/* Rows of Q: random directions made orthogonal, twice. */
static void draw_orthogonal(Random* random, int32_t n, Real* Q) {
  for (int32_t i = 0; i < n; i++) {
    Real* row = Q + i * n;
    for (int32_t j = 0; j < n; j++) row[j] = random_number(random);
    for (int32_t k = 0; k < 2 * i; k++) {
      const Real* other = Q + k % i * n;
      Real dot = 0;
      for (int32_t j = 0; j < n; j++) dot += row[j] * other[j];
      for (int32_t j = 0; j < n; j++) row[j] -= dot * other[j];
    }
    Real square = 0;
    for (int32_t j = 0; j < n; j++) square += row[j] * row[j];
    for (int32_t j = 0; j < n; j++) row[j] /= sqrtl(square);
  }
}

/* Numbers from 1/ratio to 1, both ends included if there are two. */
static void draw_spread(Random* random, int32_t count, double ratio, Real* x) {
  for (int32_t i = 0; i < count; i++) {
    double part = i == 0 ? 0 : i == 1 ? 1 : 0.5 + 0.5 * random_number(random);
    x[i] = powl(ratio, -(Real)part);
  }
}

static void round_all(ptrdiff_t count, const Real* from, double* to) {
  for (ptrdiff_t i = 0; i < count; i++) to[i] = (double)from[i];
}

/* Q^T diag(x^power) Q */
static void form_power(int32_t n, const Real* Q, const Real* x, Real power, Real* X) {
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j <= i; j++) {
      Real sum = 0;
      for (int32_t k = 0; k < n; k++) sum += Q[k * n + i] * powl(x[k], power) * Q[k * n + j];
      X[i * n + j] = X[j * n + i] = sum;
    }
  }
}

/* M, its roots, and the extended root */
static void draw_inertia(Random* random, Draw* d, Real* root) {
  int32_t n = d->n;
  Real Q[N_MAX * N_MAX], mu[N_MAX], X[N_MAX * N_MAX];
  draw_orthogonal(random, n, Q);
  if (!d->is_full) {
    for (int32_t i = 0; i < n * n; i++) Q[i] = i / n == i % n;
  }
  draw_spread(random, n, d->kM, mu);
  form_power(n, Q, mu, 1, X);
  round_all(n * n, X, d->M);
  form_power(n, Q, mu, -0.5L, X);
  round_all(n * n, X, d->inverse);
  form_power(n, Q, mu, 0.5L, root);
  round_all(n * n, root, d->root);
}

/* A = U^T diag(sigma) V M^(1/2); U and sigma are kept */
static void draw_rows(Random* random, Draw* d, const Real* root, Real* U, Real* sigma) {
  int32_t n = d->n, m = d->m, r = d->r;
  Real V[N_MAX * N_MAX], VR[N_MAX * N_MAX];
  draw_orthogonal(random, m, U);
  draw_orthogonal(random, n, V);
  draw_spread(random, r, d->kC, sigma);
  for (int32_t k = 0; k < r; k++) {
    for (int32_t j = 0; j < n; j++) {
      VR[k * n + j] = 0;
      for (int32_t l = 0; l < n; l++) VR[k * n + j] += sigma[k] * V[k * n + l] * root[l * n + j];
    }
  }
  for (int32_t i = 0; i < m; i++) {
    for (int32_t j = 0; j < n; j++) {
      Real sum = 0;
      for (int32_t k = 0; k < r; k++) sum += U[k * m + i] * VR[k * n + j];
      d->A[i * n + j] = (double)sum;
    }
  }
}

/* Accelerations of length one, either as they are or in the metric of the masses: then light directions move most.
 * Multipliers of length one, or such that they pull alike in all directions. */
static void draw_answer(Random* random, Draw* d, const Real* U, const Real* sigma) {
  int32_t n = d->n, m = d->m;
  double x[M_MAX];
  random_fill(random, n, x);
  bool is_whitened = random_next(random) % 2;
  for (int32_t i = 0; i < n; i++) {
    d->a[i] = is_whitened ? 0 : x[i];
    for (int32_t j = 0; j < n && is_whitened; j++) d->a[i] += d->inverse[i * n + j] * x[j];
  }
  random_fill(random, m, d->lambda);
  if (random_next(random) % 2) return;
  random_fill(random, m, x);
  for (int32_t i = 0; i < m; i++) {
    d->lambda[i] = 0;
    for (int32_t k = 0; k < d->r; k++) d->lambda[i] += (double)(U[k * m + i] / sigma[k] * x[k]);
  }
}

static double length(int32_t n, const double* x) {
  double square = 0;
  for (int32_t i = 0; i < n; i++) square += x[i] * x[i];
  return sqrt(square);
}

/* |X x| for an n x n matrix */
static double length_in(int32_t n, const double* X, const double* x) {
  double square = 0;
  for (int32_t i = 0; i < n; i++) {
    double sum = 0;
    for (int32_t j = 0; j < n; j++) sum += X[i * n + j] * x[j];
    square += sum * sum;
  }
  return sqrt(square);
}

/* b = A a, h = M a - A^T lambda, and how large all is */
static void plant(Draw* d) {
  int32_t n = d->n, m = d->m;
  double force[N_MAX], away[N_MAX];
  for (int32_t i = 0; i < n; i++) {
    Real pull = 0, sum = 0;
    for (int32_t k = 0; k < m; k++) pull += (Real)d->A[k * n + i] * d->lambda[k];
    for (int32_t j = 0; j < n; j++) sum += (Real)d->M[i * n + j] * d->a[j];
    d->h[i] = (double)(sum - pull);
    force[i] = (double)pull;
  }
  for (int32_t k = 0; k < m; k++) {
    Real sum = 0;
    for (int32_t j = 0; j < n; j++) sum += (Real)d->A[k * n + j] * d->a[j];
    d->b[k] = (double)sum;
  }
  for (int32_t i = 0; i < n; i++) {
    d->pull[i] = 0;
    for (int32_t j = 0; j < n; j++) d->pull[i] += d->inverse[i * n + j] * force[j];
  }
  for (int32_t i = 0; i < n; i++) {
    away[i] = 0;
    for (int32_t j = 0; j < n; j++) away[i] += d->inverse[i * n + j] * d->pull[j];
  }
  d->size = length(n, d->a) + length(n, away);
}

/* By 1e-4 of b, or more up to all of it, along the last m - r columns of U. */
static void contradict(Random* random, Draw* d, const Real* U) {
  int32_t m = d->m;
  double e[M_MAX] = {0}, ratio = pow(10, fmax(-4, -4 + 4 * random_number(random))), b = length(m, d->b);
  for (int32_t k = d->r; k < m; k++) {
    double part = random_number(random);
    for (int32_t i = 0; i < m; i++) e[i] += part * (double)U[k * m + i];
  }
  double factor = (b > 0 ? ratio * b : 1) / length(m, e);
  for (int32_t i = 0; i < m; i++) d->b[i] += factor * e[i];
}

static void draw(Random* random, Draw* d) {
  d->n = random_int(random, 1, N_MAX);
  d->m = random_int(random, 0, M_MAX);
  d->r = random_int(random, 0, d->n < d->m ? d->n : d->m);
  d->is_full = random_next(random) % 2;
  d->is_consistent = d->m == d->r || random_next(random) % 4 > 0;
  d->kM = pow(10, 4 + 4 * random_number(random));
  d->kC = pow(10, 2 + 2 * random_number(random));
  Real root[N_MAX * N_MAX], U[M_MAX * M_MAX], sigma[N_MAX];
  draw_inertia(random, d, root);
  draw_rows(random, d, root, U, sigma);
  draw_answer(random, d, U, sigma);
  plant(d);
  if (!d->is_consistent) contradict(random, d, U);
}

/* ---- how far off an answer may be ---- */

/* In the metric of the masses, |M^(1/2) (a - a*)|, where |M| = |C| = 1. Rounding of A moves the answer by C^+ dA a, that is
 * kC eps |a|; rounding of M by M^(-1/2) dM a, that is sqrt(kM) eps |a|; and both by the like of a - a0, what the
 * constraints do to the free acceleration. That comes with the data, and
 *
 *   factor (n + m) eps (kC + sqrt(kM)) (|a| + |a - a0|)
 *
 * is what a method can do that sees A only through C: the production solve, moore-penrose, inverse14. Of the others
 *   quadratic, gibbs-appell, geometric   solve with A or columns of A before they know of M. The condition of A is up to
 *                                        kC sqrt(kM), the product in place of the sum.
 *   inverse1, bellman                    form C C^T or its inverse, R_r = (Cr Cr^T)^+: kC comes squared.
 *   lagrange                             rounds in the zero block of its matrix, d(A a) = eps lambda, where lambda is as
 *                                        large as kC |a - a0|: squared, too. */
typedef struct Bound {
  double factor;
  double (*condition)(double kC, double kM);
} Bound;

static double of_data(double kC, double kM) {
  return kC + sqrt(kM);
}

static double of_rows(double kC, double kM) {
  return kC * sqrt(kM);
}

static double squared(double kC, double kM) {
  return kC * kC + sqrt(kM);
}

static const Bound bounds[ZW_FORMULATION_COUNT] = {
    [ZW_FORMULATION_AUTO] = {0.25, of_data},      [ZW_FORMULATION_MOORE_PENROSE] = {0.25, of_data},
    [ZW_FORMULATION_INVERSE14] = {0.25, of_data}, [ZW_FORMULATION_INVERSE1] = {0.25, squared},
    [ZW_FORMULATION_QUADRATIC] = {1, of_rows},    [ZW_FORMULATION_GIBBS_APPELL] = {0.25, of_rows},
    [ZW_FORMULATION_LAGRANGE] = {0.25, squared},  [ZW_FORMULATION_GEOMETRIC] = {1, of_rows},
    [ZW_FORMULATION_BELLMAN] = {0.25, squared},
};

static double bound_of(const Draw* d, ZwFormulation formulation) {
  const Bound* bound = &bounds[formulation];
  return bound->factor * (d->n + d->m) * DBL_EPSILON * bound->condition(d->kC, d->kM) * d->size;
}

/* The worst seen so far, in units of the bound. */
typedef struct Tally {
  int answers, contradictions, others; /* of consistent draws */
  int of_inconsistent, flagged;        /* inconsistent draws, and those found out */
  double a, Qc, lambda, gaussian, cost, matrices;
} Tally;

static Tally tallies[ZW_FORMULATION_COUNT];
static int draws, draws_redundant, draws_rank_0, draws_rank_n;

static void keep(double* worst, double off) {
  if (!(off <= *worst)) *worst = off; /* NaN stays */
}

static double distance(int32_t n, const double* X, const double* x, const double* y) {
  double off[N_MAX];
  for (int32_t i = 0; i < n; i++) off[i] = x[i] - y[i];
  return length_in(n, X, off);
}

/* A^T lambda */
static void force_of(const Draw* d, const double* lambda, double* force) {
  for (int32_t i = 0; i < d->n; i++) {
    Real sum = 0;
    for (int32_t k = 0; k < d->m; k++) sum += (Real)d->A[k * d->n + i] * lambda[k];
    force[i] = (double)sum;
  }
}

/* |2 G - |y - y0|^2|, when y - y0 may be off by the bound */
static double off_square(const Draw* d, double twice, double bound) {
  double pull = length(d->n, d->pull);
  return fabs(twice - pull * pull) / (bound * (2 * pull + bound));
}

/* K = B^T M B, P = B^T h, B = [-R; 1], entry by entry in units of what they are sums of. */
static double off_matrices(const Draw* d, const ZwGibbsAppell* g) {
  int32_t n = d->n, f = g->f, r = n - f;
  double worst = 0;
  Real B[N_MAX * N_MAX] = {0}; /* f x n */
  for (int32_t i = 0; i < f; i++) {
    for (int32_t j = 0; j < r; j++) B[i * n + g->order[j]] = -g->R[j * f + i];
    B[i * n + g->order[r + i]] = 1;
  }
  for (int32_t i = 0; i < f; i++) {
    Real P = 0, P_size = 0;
    for (int32_t k = 0; k < n; k++) {
      P += B[i * n + k] * d->h[k];
      P_size += fabsl(B[i * n + k] * d->h[k]);
    }
    keep(&worst, (double)(fabsl(g->P[i] - P) / (n * DBL_EPSILON * P_size)));
    for (int32_t j = 0; j <= i; j++) {
      Real K = 0, K_size = 0;
      for (int32_t kl = 0; kl < n * n; kl++) {
        Real part = B[i * n + kl / n] * d->M[kl] * B[j * n + kl % n];
        K += part;
        K_size += fabsl(part);
      }
      keep(&worst, (double)(fabsl(g->K[i * f + j] - K) / (2 * n * DBL_EPSILON * K_size)));
    }
  }
  return worst;
}

static void compare(const Draw* d, ZwFormulation formulation, const ZwPaperResult* result, Tally* tally) {
  double bound = bound_of(d, formulation), force[N_MAX], got[N_MAX];
  assert_int_equal(result->rank, d->r);
  assert_true(result->is_minimum);
  force_of(d, d->lambda, force);
  keep(&tally->a, distance(d->n, d->root, result->a, d->a) / bound);
  keep(&tally->Qc, distance(d->n, d->inverse, result->Qc, force) / bound);
  keep(&tally->gaussian, off_square(d, 2 * result->gaussian, bound));
  if (result->has_lambda) {
    force_of(d, result->lambda, got);
    keep(&tally->lambda, distance(d->n, d->inverse, got, force) / bound);
  }
  if (formulation == ZW_FORMULATION_BELLMAN) keep(&tally->cost, off_square(d, result->bellman.cost, bound));
  if (formulation == ZW_FORMULATION_GIBBS_APPELL) keep(&tally->matrices, off_matrices(d, &result->gibbs_appell));
}

static void run_formulation(const Draw* d, ZwFormulation formulation, uint64_t seed) {
  ZwPaperProblem problem = {.n = d->n, .m = d->m, .M = d->M, .h = d->h, .A = d->A, .b = d->b};
  Tally* tally = &tallies[formulation];
  Solved solved = solve_by(formulation, seed, &problem);
  bool is_contradiction = solved.status == ZW_ERR_INCONSISTENT;
  if (d->is_consistent) {
    tally->answers += solved.status == ZW_OK;
    tally->contradictions += is_contradiction;
    tally->others += solved.status != ZW_OK && !is_contradiction;
    if (solved.status == ZW_OK) compare(d, formulation, &solved.result, tally);
  } else {
    tally->of_inconsistent++;
    tally->flagged += is_contradiction;
  }
  forget_solved(&solved);
}

/* The production solve: independent rows by rank.h, then least.h. */
static void run_production(const Draw* d) {
  int32_t n = d->n, m = d->m;
  double rows[N_MAX * N_MAX], b[N_MAX], a[N_MAX], Qc[N_MAX], force[N_MAX], size[M_MAX];
  ZwLeast* least = zw_least_place(malloc(zw_least_work_size(n, m)), n, m);
  ZwRank* rank = zw_rank_place(malloc(zw_rank_work_size(m, n)), m, n);
  assert_int_equal(zw_least_factor(least, 0, d->M, NULL), ZW_OK);
  zw_rank_row_sizes(rank, m, n, d->A, zw_least_metric(least), size);
  for (int32_t i = 0; i < m; i++) size[i] = d->r > 0 ? size[i] : 1;
  assert_int_equal(zw_rank_decide(rank, m, n, d->A, size, zw_least_metric(least)), ZW_OK);
  assert_int_equal(rank->rank, d->r);
  for (int32_t i = 0; i < d->r; i++) {
    for (int32_t j = 0; j < n; j++) rows[i * n + j] = d->A[rank->order[i] * n + j];
    b[i] = d->b[rank->order[i]];
  }
  ZwLeastProblem problem = {.n = n, .m = d->r, .M = d->M, .h = d->h, .A = rows, .b = b};
  ZwLeastResult result = {.a = a, .Qc = Qc};
  assert_int_equal(zw_least_minimise(least, &problem, &result), ZW_OK);
  double bound = bound_of(d, ZW_FORMULATION_AUTO);
  force_of(d, d->lambda, force);
  Tally* tally = &tallies[ZW_FORMULATION_AUTO];
  tally->answers++;
  keep(&tally->a, distance(n, d->root, a, d->a) / bound);
  keep(&tally->Qc, distance(n, d->inverse, Qc, force) / bound);
  if (isfinite(result.gaussian)) keep(&tally->gaussian, off_square(d, 2 * result.gaussian, bound));
  free(least);
  free(rank);
}

static int run_draws(void** state) {
  (void)state;
  Random random = random_from(1998);
  Draw* d = malloc(sizeof *d);
  draws = getenv("ZW_LONG") ? DRAWS_LONG : DRAWS;
  for (int i = 0; i < draws; i++) {
    draw(&random, d);
    draws_redundant += d->m > d->r;
    draws_rank_0 += d->r == 0;
    draws_rank_n += d->r == d->n;
    for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
      run_formulation(d, (ZwFormulation)f, 0);
      if (zw_formulation_choices((ZwFormulation)f) > 1) run_formulation(d, (ZwFormulation)f, 1 + (uint64_t)i);
    }
    if (d->is_consistent) run_production(d);
  }
  free(d);
  return 0;
}

static void agree_to_the_bound(void** state) {
  (void)state;
  print_message("%d draws: %d with redundant rows, %d of rank 0, %d of rank n; worst, in units of the bound:\n", draws,
                draws_redundant, draws_rank_0, draws_rank_n);
  for (int f = 0; f <= FORMULATION_LAST; f++) {
    const Tally* t = &tallies[f];
    print_message("  %-13s a %.2g, Qc %.2g, lambda %.2g, gaussian %.2g", zw_formulation_name((ZwFormulation)f), t->a,
                  t->Qc, t->lambda, t->gaussian);
    if (f == ZW_FORMULATION_BELLMAN) print_message(", cost %.2g", t->cost);
    if (f == ZW_FORMULATION_GIBBS_APPELL) print_message(", matrices %.2g", t->matrices);
    print_message("\n");
  }
  for (int f = 0; f <= FORMULATION_LAST; f++) {
    const Tally* t = &tallies[f];
    const double worst[] = {t->a, t->Qc, t->lambda, t->gaussian, t->cost, t->matrices};
    assert_true(t->answers > draws / 2);
    for (int i = 0; i < 6; i++) assert_true(worst[i] <= 1);
  }
}

static void contradictions_are_told_from_rounding(void** state) {
  (void)state;
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    const Tally* t = &tallies[f];
    print_message("  %-13s inconsistent: %d of %d flagged; consistent: %d of %d flagged, %d refused\n",
                  zw_formulation_name((ZwFormulation)f), t->flagged, t->of_inconsistent, t->contradictions,
                  t->answers + t->contradictions + t->others, t->others);
  }
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    const Tally* t = &tallies[f];
    assert_true(t->of_inconsistent > draws / 10);
    assert_int_equal(t->flagged, t->of_inconsistent);
    assert_int_equal(t->contradictions, 0);
    assert_int_equal(t->others, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agree_to_the_bound),
      cmocka_unit_test(contradictions_are_told_from_rounding),
  };
  return cmocka_run_group_tests(tests, run_draws, NULL);
}
