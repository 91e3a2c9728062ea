#include "least/onesided.h"

#include "least/dense.h"

/* What is left of an entry of a row, as a part of its largest and of what was taken from it, that is no rounding. */
#define OWN 1e-6
/* Less than this square is rounding, whatever the masses. */
#define LEAST 1e-26

/* ---- memory ---- */

/* Memory for `count` numbers at *used; the address only when there is a base. */
static double* take(char* base, size_t* used, ptrdiff_t count) {
  double* piece = base ? (double*)(void*)(base + *used) : NULL;
  *used += zw_rounded((size_t)count * sizeof(double));
  return piece;
}

static size_t lay_out(ZwOneSided* problem, char* base, ptrdiff_t n, ptrdiff_t k) {
  size_t used = zw_rounded(sizeof *problem);
  problem->D = take(base, &used, k * k);
  problem->R = take(base, &used, k * k);
  problem->Q = take(base, &used, k * n);
  problem->MQ = take(base, &used, k * n);
  problem->terms = take(base, &used, n);
  problem->reach = take(base, &used, n);
  problem->response = take(base, &used, k * n);
  problem->a_free = take(base, &used, n);
  problem->a = take(base, &used, n);
  problem->y = take(base, &used, n);
  problem->w0 = take(base, &used, k);
  problem->mu = take(base, &used, k);
  problem->w = take(base, &used, k);
  problem->size = take(base, &used, k);
  problem->x = take(base, &used, k);
  problem->proof = take(base, &used, k);
  problem->set = (int32_t*)(void*)take(base, &used, k);
  problem->pushes = (bool*)(void*)take(base, &used, k);
  return used;
}

size_t zw_onesided_work_size(int32_t n, int32_t k_max) {
  ZwOneSided problem;
  return lay_out(&problem, NULL, n, k_max);
}

ZwOneSided* zw_onesided_place(void* memory, int32_t n, int32_t k_max) {
  ZwOneSided* problem = memory;
  *problem = (ZwOneSided){.n = n};
  (void)lay_out(problem, memory, n, k_max);
  for (int32_t i = 0; i < k_max; i++) problem->pushes[i] = false;
  return problem;
}

ZwStatus zw_onesided_prepare(ZwOneSided* problem, ZwLeast* least, const double* M, const double* h, const double* b,
                             int32_t k, const double* G, const double* g) {
  int32_t n = problem->n;
  problem->k = k;
  problem->M = M;
  problem->G = G;
  problem->g = g;
  ZwLeastResult result = {.a = problem->a_free};
  if (!zw_all_finite((ptrdiff_t)k * n, G) || !zw_all_finite(k, g)) return ZW_ERR_DOMAIN;
  ZW_TRY(zw_least_answer(least, h, b, &result));
  zw_fill(n, 0, problem->y); /* equality rows are not moved by the forces */
  for (int32_t j = 0; j < k; j++) {
    result.a = problem->response + (ptrdiff_t)j * n;
    ZW_TRY(zw_least_answer(least, G + (ptrdiff_t)j * n, problem->y, &result));
  }
  for (int32_t i = 0; i < k; i++) {
    const double* row = G + (ptrdiff_t)i * n;
    problem->w0[i] = zw_dot(n, row, problem->a_free) - g[i];
    for (int32_t j = 0; j <= i; j++) {
      double one = zw_dot(n, row, problem->response + (ptrdiff_t)j * n);
      double other = zw_dot(n, G + (ptrdiff_t)j * n, problem->response + (ptrdiff_t)i * n);
      problem->D[(ptrdiff_t)i * k + j] = problem->D[(ptrdiff_t)j * k + i] = 0.5 * (one + other);
    }
  }
  return ZW_OK;
}

/* ---- the rows that push ---- */

static double entry(const ZwOneSided* problem, int32_t i, int32_t j) {
  return problem->D[(ptrdiff_t)i * problem->k + j];
}

/* The responses of the pushing rows, in units of the rows, are made orthogonal in the metric of M, so that D of the set is R^T R. D itself is not
 * factored: a light block between a heavy one and the floor makes it singular but for the ratio of the masses, which is rounding beside 1. In the
 * responses each coordinate keeps its digits. */

static double measure(const ZwOneSided* problem, const double* x, const double* y) {
  double sum = 0;
  for (int32_t i = 0; i < problem->n; i++) {
    if (x[i] != 0) sum += x[i] * zw_dot(problem->n, problem->M + (ptrdiff_t)i * problem->n, y);
  }
  return sum;
}

/* What is left of the response of row p beside the first `count` of the set, into problem->y; how much of each there is, into x, and what each
 * coordinate is the sum of, into problem->terms. */
static void split_off(const ZwOneSided* problem, int32_t p, int32_t count, double* x) {
  enum { TWICE = 2 }; /* that is enough for rounding */
  ptrdiff_t n = problem->n;
  const double* response = problem->response + p * n;
  double *rest = problem->y, *terms = problem->terms;
  for (int32_t j = 0; j < n; j++) {
    rest[j] = response[j] / problem->size[p];
    terms[j] = fabs(rest[j]);
  }
  for (int32_t r = 0; r < count; r++) x[r] = 0;
  for (int pass = 0; pass < TWICE; pass++) {
    for (int32_t r = 0; r < count; r++) {
      const double* q = problem->Q + r * n;
      double part = zw_dot(problem->n, problem->MQ + r * n, rest);
      x[r] += part;
      for (int32_t j = 0; j < n; j++) {
        rest[j] -= part * q[j];
        terms[j] += fabs(part * q[j]);
      }
    }
  }
}

/* x = R \ x */
static void go_back(const ZwOneSided* problem, double* x) {
  for (int32_t r = problem->count; r-- > 0;) {
    for (int32_t c = r + 1; c < problem->count; c++) x[r] -= problem->R[(ptrdiff_t)r * problem->k + c] * x[c];
    x[r] /= problem->R[(ptrdiff_t)r * problem->k + r];
  }
}

/* x (by set) = D_set \ right side, both in units of the rows */
static void solve_set(const ZwOneSided* problem, double* x) {
  for (int32_t r = 0; r < problem->count; r++) {
    for (int32_t c = 0; c < r; c++) x[r] -= problem->R[(ptrdiff_t)c * problem->k + r] * x[c];
    x[r] /= problem->R[(ptrdiff_t)r * problem->k + r];
  }
  go_back(problem, x);
}

/* Place `place` of the set, whose places before it are there. */
static void orthogonalize(ZwOneSided* problem, int32_t place) {
  ptrdiff_t n = problem->n;
  double *q = problem->Q + place * n, *Mq = problem->MQ + place * n;
  split_off(problem, problem->set[place], place, problem->x);
  double length = sqrt(measure(problem, problem->y, problem->y));
  for (int32_t r = 0; r < place; r++) problem->R[(ptrdiff_t)r * problem->k + place] = problem->x[r];
  problem->R[(ptrdiff_t)place * problem->k + place] = length;
  for (int32_t j = 0; j < n; j++) q[j] = problem->y[j] / length;
  for (int32_t j = 0; j < n; j++) Mq[j] = zw_dot(problem->n, problem->M + j * n, q);
}

static void factor_from(ZwOneSided* problem, int32_t first) {
  for (int32_t r = first; r < problem->count; r++) orthogonalize(problem, r);
}

/* Is the row, as it is written, another than what the pushing rows come to, in a coordinate that is not left by rounding? M times what is
 * left of the response is that. */
static bool has_own(const ZwOneSided* problem, int32_t p) {
  ptrdiff_t n = problem->n;
  const double* row = problem->G + p * n;
  double largest = 0;
  for (int32_t j = 0; j < n; j++) largest = zw_larger(largest, fabs(row[j]));
  for (int32_t j = 0; j < n; j++) {
    const double* M = problem->M + j * n;
    double left = fabs(zw_dot(problem->n, M, problem->y)), terms = 0;
    for (int32_t i = 0; i < n; i++) terms += fabs(M[i]) * problem->terms[i];
    if (left * problem->size[p] > OWN * largest && left > OWN * terms) return true;
  }
  return false;
}

/* How the pushing rows give way while row p is pushed, into x; the rest of row p that is its own, as a part of it: the
 * square of what is left of its response, measured by M. It may be as small as masses are far apart, if that is what makes it small: 0 if it is
 * one of the pushing rows. */
static double give_way(const ZwOneSided* problem, int32_t p, double* x) {
  split_off(problem, p, problem->count, x);
  go_back(problem, x);
  double square = measure(problem, problem->y, problem->y);
  bool is_own = square > ZW_TOL_ONESIDED_RANK || (square > LEAST && has_own(problem, p));
  return is_own ? square : 0;
}

static void take_in(ZwOneSided* problem, int32_t p) {
  problem->set[problem->count++] = p;
  problem->changes++;
  factor_from(problem, problem->count - 1);
}

static void leave_out(ZwOneSided* problem, int32_t r) {
  problem->mu[problem->set[r]] = 0;
  for (int32_t s = r + 1; s < problem->count; s++) problem->set[s - 1] = problem->set[s];
  problem->count--;
  problem->changes++;
  factor_from(problem, r);
}

/* a with the forces mu, and what each of its numbers is the sum of. */
static void find_a(ZwOneSided* problem) {
  ptrdiff_t n = problem->n;
  for (int32_t i = 0; i < n; i++) problem->reach[i] = fabs(problem->a_free[i]);
  for (int32_t j = 0; j < problem->k; j++) {
    double mu = fabs(problem->mu[j]);
    const double* response = problem->response + j * n;
    for (int32_t i = 0; mu > 0 && i < n; i++) problem->reach[i] += mu * fabs(response[i]);
  }
  zw_copy(problem->n, problem->a_free, problem->a);
  zw_add_transposed(problem->k, problem->n, 1, problem->response, problem->mu, problem->a);
}

static double gap_of(const ZwOneSided* problem, int32_t i) {
  return zw_dot(problem->n, problem->G + (ptrdiff_t)i * problem->n, problem->a) - problem->g[i];
}

/* mu of the set so that its rows are met exactly: what is left is taken from a itself, so that it is small at last. */
static void solve_mu(ZwOneSided* problem) {
  double* x = problem->x;
  for (int32_t i = 0; i < problem->k; i++) problem->mu[i] = 0;
  find_a(problem);
  for (int pass = 0; pass < 3 && problem->count > 0; pass++) {
    for (int32_t r = 0; r < problem->count; r++)
      x[r] = -gap_of(problem, problem->set[r]) / problem->size[problem->set[r]];
    solve_set(problem, x);
    for (int32_t r = 0; r < problem->count; r++) problem->mu[problem->set[r]] += x[r] / problem->size[problem->set[r]];
    find_a(problem);
  }
}

/* Begins with as many of the guessed rows as are independent and do push. */
static void begin(ZwOneSided* problem) {
  problem->count = problem->changes = 0;
  for (int32_t p = 0; p < problem->k; p++) {
    if (!problem->pushes[p] || problem->size[p] == 0) continue;
    if (give_way(problem, p, problem->x) > 0) take_in(problem, p);
  }
  for (;;) {
    int32_t least = -1;
    solve_mu(problem);
    for (int32_t r = 0; r < problem->count; r++) {
      double mu = problem->mu[problem->set[r]];
      if (mu < 0 && (least < 0 || mu < problem->mu[problem->set[least]])) least = r;
    }
    if (least < 0) break;
    leave_out(problem, least);
  }
  problem->changes = 0;
}

/* ---- the steps ---- */

/* What the gap of row i is made of. */
static double parts_of(const ZwOneSided* problem, int32_t i) {
  const double* row = problem->G + (ptrdiff_t)i * problem->n;
  double sum = fabs(problem->g[i]);
  for (int32_t j = 0; j < problem->n; j++) sum += fabs(row[j]) * problem->reach[j];
  return sum;
}

/* The row that is violated most, in units of the rows; -1: none is. */
static int32_t most_violated(const ZwOneSided* problem) {
  int32_t worst = -1;
  double most = 0;
  for (int32_t i = 0; i < problem->k; i++) {
    double w = gap_of(problem, i);
    bool is_in = false;
    for (int32_t r = 0; r < problem->count; r++) is_in = is_in || problem->set[r] == i;
    if (is_in || !(w < -ZW_TOL_ONESIDED * parts_of(problem, i))) continue;
    if (problem->size[i] == 0) return i; /* nothing moves it: no other row matters any more */
    if (w / problem->size[i] < most) {
      most = w / problem->size[i];
      worst = i;
    }
  }
  return worst;
}

/* The pushing row whose force comes to an end first while row p is pushed, and when; -1: none ever. */
static int32_t first_to_end(const ZwOneSided* problem, const double* x, double* when) {
  int32_t first = -1;
  for (int32_t r = 0; r < problem->count; r++) {
    int32_t i = problem->set[r];
    double end = problem->mu[i] * problem->size[i] / x[r];
    if (x[r] > ZW_TOL_ONESIDED && (first < 0 || end < *when)) {
      first = r;
      *when = end;
    }
  }
  return first;
}

static ZwStatus refuse(ZwOneSided* problem, int32_t p, const double* x) {
  for (int32_t i = 0; i < problem->k; i++) problem->proof[i] = 0;
  problem->proof[p] = problem->size[p] > 0 ? 1 / problem->size[p] : 1;
  for (int32_t r = 0; r < problem->count && problem->size[p] > 0; r++) {
    double weight = -x[r] / problem->size[problem->set[r]];
    if (weight > ZW_TOL_ONESIDED * problem->proof[p]) problem->proof[problem->set[r]] = weight;
  }
  return ZW_ERR_INCONSISTENT;
}

/* Pushes row p until it is met; rows that then would pull leave the set. */
static ZwStatus push(ZwOneSided* problem, int32_t p) {
  double* x = problem->x;
  if (problem->size[p] == 0) return refuse(problem, p, x);
  for (double w = gap_of(problem, p) / problem->size[p];;) {
    double rest = give_way(problem, p, x), end = INFINITY;
    double until = rest > 0 ? -w / rest : INFINITY;
    int32_t first = first_to_end(problem, x, &end);
    double step = zw_smaller(until, end);
    if (isinf(step)) return refuse(problem, p, x);
    for (int32_t r = 0; r < problem->count; r++) {
      int32_t i = problem->set[r];
      problem->mu[i] = zw_larger(problem->mu[i] - step * x[r] / problem->size[i], 0);
    }
    problem->mu[p] += step / problem->size[p];
    w += step * rest;
    if (until <= end) {
      take_in(problem, p);
      solve_mu(problem); /* rounding does not add up */
      return ZW_OK;
    }
    leave_out(problem, first);
  }
}

/* The answer, and how well it satisfies the conditions. */
static void conclude(ZwOneSided* problem) {
  problem->worst = 0;
  for (int32_t i = 0; i < problem->k; i++) problem->pushes[i] = false;
  for (int32_t r = 0; r < problem->count; r++) problem->pushes[problem->set[r]] = true;
  for (int32_t i = 0; i < problem->k; i++) {
    double w = gap_of(problem, i), parts = parts_of(problem, i);
    double off = problem->pushes[i] ? fabs(w) : zw_larger(-w, 0);
    if (problem->mu[i] < 0) off = zw_larger(off, -problem->mu[i] * entry(problem, i, i));
    if (parts > 0) problem->worst = zw_larger(problem->worst, off / parts);
    problem->w[i] = problem->pushes[i] ? 0 : w;
  }
}

ZwStatus zw_onesided_solve(ZwOneSided* problem) {
  int32_t k = problem->k;
  double largest = 0;
  for (int32_t i = 0; i < k; i++) largest = zw_larger(largest, entry(problem, i, i));
  for (int32_t i = 0; i < k; i++) {
    double square = entry(problem, i, i);
    /* what the equality rows leave nothing of is rounding */
    problem->size[i] = square > 1e-24 * largest && square > 0 ? sqrt(square) : 0;
  }
  begin(problem);
  for (int32_t steps = 0; steps < 50 + 20 * k; steps++) {
    int32_t p = most_violated(problem);
    if (p < 0) {
      conclude(problem);
      return ZW_OK;
    }
    ZW_TRY(push(problem, p));
  }
  return ZW_ERR_STEP;
}
