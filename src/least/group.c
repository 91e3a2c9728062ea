#include "least/group.h"

#include <math.h>
#include <string.h>

#include "least/cholesky.h"

/* Those of least_definite.c, qr.c, dense.h and least.c, where their reasons stand. */
static const double tol_definite_rel = 1e-7, norm_smallest = 1e-300, square_smallest = 1e-270, square_largest = 1e270;
static const double tol_sine = 1e-14, conditioning_bad = 1e-4;

/* ---- the loops of dense.h ---- */

/* Four sums, added up as one member adds them up. Fewer than four products need one: 0 added to a sum that began with 0 changes
 * no bit. */
static inline ZwEight dot(int32_t n, const ZwEight* x, const ZwEight* y) {
  ZwEight s0 = spread(0);
  int32_t i = 0;
  if (n >= 4) {
    ZwEight s1 = s0, s2 = s0, s3 = s0;
    for (; i + 4 <= n; i += 4) {
      s0 = plus(s0, times(x[i], y[i]));
      s1 = plus(s1, times(x[i + 1], y[i + 1]));
      s2 = plus(s2, times(x[i + 2], y[i + 2]));
      s3 = plus(s3, times(x[i + 3], y[i + 3]));
    }
    for (; i < n; i++) s0 = plus(s0, times(x[i], y[i]));
    return plus(plus(s0, s2), plus(s1, s3));
  }
  for (; i < n; i++) s0 = plus(s0, times(x[i], y[i]));
  return s0;
}

static inline void axpy(int32_t n, ZwEight c, const ZwEight* x, ZwEight* y) {
  for (int32_t i = 0; i < n; i++) y[i] = plus(y[i], times(c, x[i]));
}

static inline void copy(ptrdiff_t count, const ZwEight* from, ZwEight* to) {
  for (ptrdiff_t i = 0; i < count; i++) to[i] = from[i];
}

/* The length, of members whose squares neither overflow nor vanish; the others leave `fine`. */
static inline ZwEight norm(int32_t n, const ZwEight* x, ZwEightSet* fine) {
  ZwEight square = dot(n, x, x);
  *fine &= set_of(is_less(spread(square_smallest), square)) & set_of(is_less(square, spread(square_largest)));
  return root(square);
}

/* ---- M = L L^T ---- */

static ZwEightSet factor_M(ZwLeastGroup* group) {
  ptrdiff_t n = group->n;
  ZwEightSet fine = ZW_EIGHT_ALL;
  ZwEight zero = spread(0), one = spread(1), weakest = one;
  copy(n * n, group->M, group->L);
  for (int32_t j = 0; j < n; j++) {
    ZwEight* row_j = group->L + j * n;
    ZwEight diagonal = row_j[j], pivot = minus(diagonal, dot(j, row_j, row_j));
    fine &= set_of(is_less(times(spread(ZW_TOL_PIVOT_REL), diagonal), pivot)) & all_finite(1, &pivot);
    row_j[j] = root(pivot);
    ZwEight inverse = over(one, row_j[j]);
    for (int32_t i = j + 1; i < n; i++) {
      ZwEight* row_i = group->L + i * n;
      row_i[j] = times(minus(row_i[j], dot(j, row_i, row_j)), inverse);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    const ZwEight* row = group->L + i * n;
    int32_t first = 0;
    while (first < i && set_of(is_equal(row[first], zero)) == ZW_EIGHT_ALL) first++;
    group->begin[i] = first - first % 4;
    weakest = smaller(over(times(row[i], row[i]), dot(i + 1, row, row)), weakest);
  }
  return fine & ~set_of(is_less(weakest, spread(tol_definite_rel)));
}

/* (smallest / largest entry on the diagonal of L) squared */
static ZwEight ratio_of_L(const ZwLeastGroup* group) {
  ptrdiff_t n = group->n;
  if (n == 0) return spread(1);
  ZwEight least = group->L[0], most = group->L[0];
  for (ptrdiff_t i = 1; i < n; i++) {
    least = smaller(group->L[i * n + i], least);
    most = larger(group->L[i * n + i], most);
  }
  ZwEight ratio = over(least, most);
  return times(ratio, ratio);
}

static void solve_lower(const ZwLeastGroup* group, ZwEight* x) {
  for (int32_t i = 0; i < group->n; i++) {
    const ZwEight* row = group->L + (ptrdiff_t)i * group->n;
    int32_t first = group->begin[i];
    x[i] = over(minus(x[i], dot(i - first, row + first, x + first)), row[i]);
  }
}

static void solve_lower_rows(const ZwLeastGroup* group, int32_t m, ZwEight* X) {
  for (int32_t i = 0; i < group->n; i++) {
    const ZwEight* row = group->L + (ptrdiff_t)i * group->n;
    ZwEight inverse = over(spread(1), row[i]);
    int32_t first = group->begin[i];
    for (int32_t k = 0; k < m; k++) {
      ZwEight* x = X + (ptrdiff_t)k * group->n;
      x[i] = times(minus(x[i], dot(i - first, row + first, x + first)), inverse);
    }
  }
}

static void solve_upper(const ZwLeastGroup* group, ZwEight* x) {
  for (int32_t i = group->n - 1; i >= 0; i--) {
    const ZwEight* row = group->L + (ptrdiff_t)i * group->n;
    x[i] = over(x[i], row[i]);
    axpy(i, negative(x[i]), row, x);
  }
}

/* ---- L\A^T = Q R ---- */

static ZwEight* column(const ZwLeastGroup* group, int32_t j) {
  return group->T + (ptrdiff_t)j * group->n;
}

static ZwEight reflect(int32_t size, ZwEight* x, ZwEightSet* fine) {
  if (size < 2) return spread(0);
  ZwEight length = norm(size, x, fine);
  *fine &= ~set_of(is_less(length, spread(norm_smallest)));
  ZwEight beta = choose(is_less(spread(0), x[0]), negative(length), length), first = minus(x[0], beta);
  ZwEight inverse = over(spread(1), first);
  x[0] = beta;
  for (int32_t i = 1; i < size; i++) x[i] = times(x[i], inverse);
  return over(negative(first), beta);
}

static inline void apply_reflector(int32_t size, const ZwEight* tail, ZwEight tau, ZwEight* x) {
  ZwEight c = times(tau, plus(x[0], dot(size - 1, tail, x + 1)));
  x[0] = minus(x[0], c);
  axpy(size - 1, negative(c), tail, x + 1);
}

static ZwEightSet factor_A(ZwLeastGroup* group) {
  int32_t n = group->n, m = group->m;
  ZwEightSet fine = ZW_EIGHT_ALL;
  copy((ptrdiff_t)m * n, group->A, group->T);
  solve_lower_rows(group, m, group->T);
  for (int32_t k = 0; k < m; k++) {
    ZwEight* pivot = column(group, k) + k;
    group->tau[k] = reflect(n - k, pivot, &fine);
    for (int32_t j = k + 1; j < m; j++) apply_reflector(n - k, pivot + 1, group->tau[k], column(group, j) + k);
  }
  return fine;
}

/* Rows that are dependent to rounding leave `fine`. */
static void look_at_triangle(ZwLeastGroup* group, ZwEightSet* fine) {
  ZwEight sine = spread(1), least = spread(INFINITY), most = spread(0);
  group->pivot_ratio = spread(1);
  for (int32_t k = 0; k < group->m; k++) {
    ZwEight length = norm(k + 1, column(group, k), fine), diagonal = size_of(column(group, k)[k]);
    sine = smaller(over(diagonal, length), sine);
    least = smaller(diagonal, least);
    most = larger(diagonal, most);
  }
  if (group->m > 0) group->pivot_ratio = over(least, most);
  group->conditioning = times(group->conditioning, times(sine, sine));
  *fine &= set_of(is_less(spread(tol_sine), sine));
}

static void apply_q(const ZwLeastGroup* group, ZwEight* x) {
  for (int32_t k = group->m - 1; k >= 0; k--) {
    apply_reflector(group->n - k, column(group, k) + k + 1, group->tau[k], x + k);
  }
}

static void apply_qt(const ZwLeastGroup* group, ZwEight* x) {
  for (int32_t k = 0; k < group->m; k++) {
    apply_reflector(group->n - k, column(group, k) + k + 1, group->tau[k], x + k);
  }
}

static void solve_r(const ZwLeastGroup* group, ZwEight* x) {
  for (int32_t j = group->m - 1; j >= 0; j--) {
    x[j] = over(x[j], column(group, j)[j]);
    axpy(j, negative(x[j]), column(group, j), x);
  }
}

static void solve_rt(const ZwLeastGroup* group, ZwEight* x) {
  for (int32_t j = 0; j < group->m; j++) {
    x[j] = over(minus(x[j], dot(j, column(group, j), x)), column(group, j)[j]);
  }
}

/* ---- least.h ---- */

static size_t count_numbers(int32_t n, int32_t m_max) {
  size_t cols = (size_t)n, rows = (size_t)m_max;
  /*     L, M_known     T, A_known        x, r_h, da  tau, r_b, dlambda */
  return 2 * cols * cols + 2 * rows * cols + 3 * cols + 3 * rows;
}

size_t zw_least_group_size(int32_t n, int32_t m_max) {
  size_t rest = sizeof(ZwLeastGroup) + (size_t)n * sizeof(int32_t);
  return count_numbers(n, m_max) * sizeof(ZwEight) + (rest + 63) / 64 * 64;
}

static ZwEight* take(ZwEight** next, ptrdiff_t count) {
  ZwEight* taken = *next;
  *next += count;
  return taken;
}

ZwLeastGroup* zw_least_group_place(void* memory, int32_t n, int32_t m_max) {
  ZwEight* next = memory;
  ptrdiff_t cols = n, rows = m_max;
  ZwLeastGroup* group = (ZwLeastGroup*)(void*)(next + count_numbers(n, m_max));
  *group = (ZwLeastGroup){.n = n};
  group->L = take(&next, cols * cols);
  group->M_known = take(&next, cols * cols);
  group->T = take(&next, rows * cols);
  group->A_known = take(&next, rows * cols);
  group->x = take(&next, cols);
  group->r_h = take(&next, cols);
  group->da = take(&next, cols);
  group->tau = take(&next, rows);
  group->r_b = take(&next, rows);
  group->dlambda = take(&next, rows);
  group->begin = (int32_t*)(void*)(group + 1);
  return group;
}

ZwEightSet zw_least_group_factor(ZwLeastGroup* group, int32_t m, const ZwEight* M, const ZwEight* A) {
  size_t size_M = (size_t)group->n * (size_t)group->n * sizeof(ZwEight);
  size_t size_A = (size_t)m * (size_t)group->n * sizeof(ZwEight);
  ZwEightSet fine = ZW_EIGHT_ALL;
  group->M = M;
  group->A = A;
  if (!group->has_L || (size_M > 0 && memcmp(M, group->M_known, size_M) != 0)) {
    group->definite = factor_M(group);
    copy((ptrdiff_t)group->n * group->n, M, group->M_known);
    group->has_L = true;
    group->has_qr = false;
  }
  bool is_known = group->has_qr && m == group->m_known && (size_A == 0 || memcmp(A, group->A_known, size_A) == 0);
  group->m = m;
  if (!is_known) {
    fine = factor_A(group);
    copy((ptrdiff_t)m * group->n, A, group->A_known);
    group->m_known = m;
    group->has_qr = fine == ZW_EIGHT_ALL; /* who was not fine is told again */
  }
  group->conditioning = ratio_of_L(group);
  look_at_triangle(group, &fine);
  return fine & group->definite;
}

static void pass(ZwLeastGroup* group, const ZwEight* h, const ZwEight* b, ZwEight* a, ZwEight* lambda) {
  int32_t n = group->n, m = group->m;
  copy(n, h, a);
  solve_lower(group, a);
  apply_qt(group, a);
  copy(m, b, group->x);
  solve_rt(group, group->x);
  for (int32_t i = 0; i < m; i++) {
    lambda[i] = minus(group->x[i], a[i]);
    a[i] = group->x[i];
  }
  solve_r(group, lambda);
  apply_q(group, a);
  solve_upper(group, a);
}

/* Of the members in `which` only. */
static void refine(ZwLeastGroup* group, const ZwEight* h, const ZwEight* b, ZwEight* a, ZwEight* lambda,
                   ZwEightMask which) {
  int32_t n = group->n, m = group->m;
  ZwEight one = spread(1);
  copy(n, h, group->r_h);
  for (int32_t i = 0; i < m; i++) axpy(n, times(one, lambda[i]), group->A + (ptrdiff_t)i * n, group->r_h);
  for (int32_t i = 0; i < n; i++) group->r_h[i] = minus(group->r_h[i], dot(n, group->M + (ptrdiff_t)i * n, a));
  for (int32_t i = 0; i < m; i++) group->r_b[i] = minus(b[i], dot(n, group->A + (ptrdiff_t)i * n, a));
  pass(group, group->r_h, group->r_b, group->da, group->dlambda);
  for (int32_t i = 0; i < n; i++) a[i] = choose(which, plus(a[i], group->da[i]), a[i]);
  for (int32_t i = 0; i < m; i++) lambda[i] = choose(which, plus(lambda[i], group->dlambda[i]), lambda[i]);
}

ZwEightSet zw_least_group_solve(ZwLeastGroup* group, const ZwEight* h, const ZwEight* b, ZwEight* a, ZwEight* lambda,
                                ZwEight* Qc) {
  int32_t n = group->n, m = group->m;
  ZwEightMask is_refined = is_less(group->conditioning, spread(conditioning_bad));
  pass(group, h, b, a, lambda);
  if (set_of(is_refined)) refine(group, h, b, a, lambda, is_refined);
  for (int32_t i = 0; i < n; i++) Qc[i] = spread(0);
  for (int32_t i = 0; i < m; i++) axpy(n, lambda[i], group->A + (ptrdiff_t)i * n, Qc);
  return all_finite(n, a) & all_finite(m, lambda);
}

ZwEightSet zw_least_group_project(ZwLeastGroup* group, const ZwEight* r, ZwEight* dx) {
  int32_t n = group->n, m = group->m;
  for (int32_t i = 0; i < m; i++) dx[i] = negative(r[i]);
  solve_rt(group, dx);
  for (int32_t i = m; i < n; i++) dx[i] = spread(0);
  apply_q(group, dx);
  solve_upper(group, dx);
  return all_finite(n, dx);
}

void zw_least_group_solve_normal(const ZwLeastGroup* group, ZwEight* x) {
  solve_rt(group, x);
  solve_r(group, x);
}

ZwEightSet zw_least_group_row_sizes(const ZwLeastGroup* group, int32_t m, ZwEight* A, ZwEight* size) {
  ZwEightSet fine = ZW_EIGHT_ALL;
  solve_lower_rows(group, m, A);
  for (int32_t i = 0; i < m; i++) size[i] = norm(group->n, A + (ptrdiff_t)i * group->n, &fine);
  return fine;
}
