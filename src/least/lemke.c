#include "least/lemke.h"

#include "least/dense.h"
#include "least/lu.h"

#define PIVOT 1e-11 /* what is no larger is rounding, in numbers that are about one */
#define TIE 1e-12

/* ---- memory ---- */

static size_t lay_out(ZwLemke* lemke, char* base, ptrdiff_t n) {
  size_t used = zw_rounded(sizeof *lemke);
  double** const numbers[] = {&lemke->Q, &lemke->tableau, &lemke->q, &lemke->z, &lemke->w};
  const ptrdiff_t counts[] = {n * n, n * (2 * n + 2), n, n, n};
  for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
    *numbers[i] = base ? (double*)(void*)(base + used) : NULL;
    used += zw_rounded((size_t)counts[i] * sizeof(double));
  }
  lemke->row_of = base ? (int32_t*)(void*)(base + used) : NULL;
  used += zw_rounded((size_t)n * sizeof(int32_t));
  lemke->swap = base ? (int32_t*)(void*)(base + used) : NULL;
  used += zw_rounded((size_t)n * sizeof(int32_t));
  lemke->is_in = base ? (bool*)(void*)(base + used) : NULL;
  return used + zw_rounded((size_t)n * sizeof(bool));
}

size_t zw_lemke_work_size(int32_t n) {
  ZwLemke lemke;
  return lay_out(&lemke, NULL, n);
}

ZwLemke* zw_lemke_place(void* memory, int32_t n) {
  ZwLemke* lemke = memory;
  *lemke = (ZwLemke){.n = n};
  (void)lay_out(lemke, memory, n);
  return lemke;
}

/* ---- exchanges ---- */

static ptrdiff_t width_of(const ZwLemke* lemke) {
  return 2 * (ptrdiff_t)lemke->n + 2;
}

static double* row(const ZwLemke* lemke, int32_t i) {
  return lemke->tableau + i * width_of(lemke);
}

/* Columns: w_i is i, z_i is n + i, then the common push and the right side. */
static int32_t push_of(const ZwLemke* lemke) {
  return 2 * lemke->n;
}

static double right(const ZwLemke* lemke, int32_t i) {
  return row(lemke, i)[push_of(lemke) + 1];
}

static void set_up(ZwLemke* lemke) {
  int32_t n = lemke->n;
  zw_fill(n * width_of(lemke), 0, lemke->tableau);
  for (int32_t i = 0; i < n; i++) {
    double* to = row(lemke, i);
    to[i] = 1;
    for (int32_t j = 0; j < n; j++) to[n + j] = -lemke->Q[(ptrdiff_t)i * n + j];
    to[push_of(lemke)] = -1;
    to[push_of(lemke) + 1] = lemke->q[i];
    lemke->row_of[i] = i;
  }
}

/* Row i, over its number in `column`, before row k in the lexicographic order. */
static bool is_before(const ZwLemke* lemke, int32_t i, int32_t k, int32_t column) {
  const double *a = row(lemke, i), *b = row(lemke, k);
  double difference = right(lemke, i) / a[column] - right(lemke, k) / b[column];
  if (fabs(difference) > TIE) return difference < 0;
  for (int32_t j = 0; j < lemke->n; j++) {
    difference = a[j] / a[column] - b[j] / b[column];
    if (fabs(difference) > TIE) return difference < 0;
  }
  return false;
}

/* The row that reaches zero first while `column` grows; the push itself where it is one of several. -1: none ever. */
static int32_t first_to_leave(const ZwLemke* lemke, int32_t column) {
  int32_t first = -1, push = -1;
  for (int32_t i = 0; i < lemke->n; i++) {
    if (!(row(lemke, i)[column] > PIVOT)) continue;
    if (lemke->row_of[i] == push_of(lemke)) push = i;
    if (first < 0 || is_before(lemke, i, first, column)) first = i;
  }
  if (push < 0 || push == first) return first;
  double later = right(lemke, push) / row(lemke, push)[column] - right(lemke, first) / row(lemke, first)[column];
  return later <= TIE ? push : first;
}

static void exchange(ZwLemke* lemke, int32_t pivot, int32_t column) {
  double* from = row(lemke, pivot);
  int32_t width = (int32_t)width_of(lemke);
  zw_scale(width, 1 / from[column], from);
  from[column] = 1;
  for (int32_t i = 0; i < lemke->n; i++) {
    double* to = row(lemke, i);
    if (i == pivot || to[column] == 0) continue;
    zw_axpy(width, -to[column], from, to);
    to[column] = 0;
  }
  lemke->row_of[pivot] = column;
  lemke->exchanges++;
}

/* The push comes in for the most negative w; of several equal ones for the last in the lexicographic order. */
static int32_t begin(ZwLemke* lemke) {
  int32_t first = 0;
  for (int32_t i = 1; i < lemke->n; i++) {
    if (lemke->q[i] <= lemke->q[first]) first = i;
  }
  exchange(lemke, first, push_of(lemke));
  return first;
}

/* ---- the answer ---- */

bool zw_lemke_correct(const ZwLemke* lemke, const double* change, double* dz) {
  int32_t count = 0;
  double* x = lemke->tableau + (ptrdiff_t)lemke->n * lemke->n; /* behind the factors */
  if (!lemke->has_factors) return false;
  for (int32_t i = 0; i < lemke->n; i++) {
    if (lemke->is_in[i]) x[count++] = change[i];
  }
  zw_lu_solve(count, lemke->tableau, lemke->swap, x);
  count = 0;
  for (int32_t i = 0; i < lemke->n; i++) dz[i] = lemke->is_in[i] ? x[count++] : 0;
  return true;
}

/* z from the rows that are in, without the rounding of the exchanges, unless they do not determine it. */
static void solve_again(ZwLemke* lemke) {
  int32_t n = lemke->n, count = 0, r = 0;
  double* K = lemke->tableau;
  for (int32_t i = 0; i < n; i++) count += lemke->is_in[i];
  for (int32_t i = 0; i < n; i++) {
    if (!lemke->is_in[i]) continue;
    for (int32_t j = 0, c = 0; j < n; j++) {
      if (lemke->is_in[j]) K[(ptrdiff_t)r * count + c++] = lemke->Q[(ptrdiff_t)i * n + j];
    }
    r++;
  }
  lemke->has_factors = zw_lu_factor(count, K, lemke->swap) > PIVOT;
  for (int32_t i = 0; i < n; i++) lemke->w[i] = -lemke->q[i];
  (void)zw_lemke_correct(lemke, lemke->w, lemke->z);
}

static void measure(ZwLemke* lemke) {
  int32_t n = lemke->n;
  zw_multiply(n, n, lemke->Q, lemke->z, lemke->w);
  lemke->worst = 0;
  for (int32_t i = 0; i < n; i++) {
    double off = lemke->w[i] + lemke->q[i];
    lemke->w[i] = lemke->is_in[i] ? 0 : off;
    off = lemke->is_in[i] ? fabs(off) : zw_larger(-off, 0);
    lemke->worst = zw_larger(lemke->worst, zw_larger(off, -lemke->z[i]));
  }
}

static ZwStatus conclude(ZwLemke* lemke) {
  int32_t n = lemke->n;
  for (int32_t i = 0; i < n; i++) {
    lemke->is_in[i] = false;
    lemke->z[i] = 0;
  }
  for (int32_t i = 0; i < n; i++) {
    int32_t column = lemke->row_of[i] - n;
    if (column < 0 || column >= n) continue;
    lemke->is_in[column] = true;
    lemke->z[column] = right(lemke, i);
  }
  solve_again(lemke);
  measure(lemke);
  return ZW_OK;
}

ZwStatus zw_lemke_solve(ZwLemke* lemke) {
  int32_t n = lemke->n, push = push_of(lemke);
  lemke->exchanges = 0;
  set_up(lemke);
  bool is_solved = true;
  for (int32_t i = 0; i < n; i++) is_solved = is_solved && lemke->q[i] >= 0;
  if (is_solved) return conclude(lemke);
  int32_t left = begin(lemke);
  for (int32_t steps = 0; steps < 100 + 50 * n; steps++) {
    int32_t column = left < n ? left + n : left - n;
    int32_t pivot = first_to_leave(lemke, column);
    if (pivot < 0) return ZW_ERR_INCONSISTENT;
    left = lemke->row_of[pivot];
    exchange(lemke, pivot, column);
    if (left == push) return conclude(lemke);
  }
  return ZW_ERR_STEP;
}
