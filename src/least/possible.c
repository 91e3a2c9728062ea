#include "least/possible.h"

#include "least/dense.h"

/* Work beside the results: the rows with those of the named accelerations, and what multiplies M. */
ptrdiff_t zw_possible_size(int32_t n_columns, int32_t m_rows) {
  ptrdiff_t n = n_columns, m = m_rows;
  return 2 * n + m + (n + m) * (n + 1) + 3 * n;
}

void zw_possible_place(ZwPossible* possible, int32_t n, int32_t m, double* memory) {
  possible->a = memory;
  possible->nearest = possible->a + n;
  possible->residual = possible->nearest + n; /* work follows */
  (void)m;
}

/* 1/2 (x - from)^T M (x - from); `from` NULL is zero. w has room for 2 n numbers. */
static double half_square(int32_t n, const double* M, const double* x, const double* from, double* w) {
  for (int32_t i = 0; i < n; i++) w[i] = x[i] - (from ? from[i] : 0);
  zw_multiply(n, n, M, w, w + n);
  return 0.5 * zw_dot(n, w, w + n);
}

/* The accelerations that nobody named: those of least G with the rows, or without where the rows cannot be satisfied; of stationary G
 * where it has no minimum (T21). */
static ZwStatus complete(ZwPaper* room, const ZwPaperProblem* problem, const double* named, ZwPossible* possible,
                         double* work, const char** reason) {
  ptrdiff_t n = problem->n, m = problem->m;
  double *A = work, *b = A + (n + m) * n, *Qc = b + n + m;
  int32_t count = 0;
  for (ptrdiff_t j = 0; j < n; j++) {
    if (isnan(named[j])) continue;
    zw_fill(n, 0, A + count * n);
    A[count * n + j] = 1;
    b[count++] = named[j];
  }
  zw_copy(m * n, problem->A, A + count * n);
  zw_copy(m, problem->b, b + count);
  ZwPaperProblem whole = {.n = problem->n, .m = count + problem->m, .M = problem->M, .h = problem->h, .A = A, .b = b};
  ZwPaperResult result = {.a = possible->a, .Qc = Qc};
  ZwStatus status = zw_formulation_solve(room, ZW_FORMULATION_LAGRANGE, 0, &whole, &result);
  possible->is_completed = status == ZW_OK && count < n;
  possible->is_minimum = result.is_minimum;
  if (status == ZW_ERR_INCONSISTENT) {
    whole.m = count;
    status = zw_formulation_solve(room, ZW_FORMULATION_LAGRANGE, 0, &whole, &result);
  }
  *reason = result.reason;
  for (ptrdiff_t j = 0; j < n; j++) {
    if (!isnan(named[j])) possible->a[j] = named[j]; /* to the last digit */
  }
  return status;
}

ZwStatus zw_possible_look(ZwPaper* room, const ZwPaperProblem* problem, const ZwDetail* detail, const double* named,
                          ZwPossible* possible, const char** reason) {
  int32_t n = problem->n, m = problem->m;
  double* work = possible->residual + m;
  double* w = work; /* once the rows in it are used */
  ZW_TRY(complete(room, problem, named, possible, work, reason));
  const double* a = possible->a;
  zw_multiply(m, n, problem->A, a, possible->residual);
  zw_axpy(m, -1, problem->b, possible->residual);
  for (int32_t i = 0; i < n; i++) {
    possible->nearest[i] = a[i] - zw_dot(m, detail->gain + (ptrdiff_t)i * m, possible->residual);
  }
  possible->distance2 = half_square(n, problem->M, a, detail->a, w);
  possible->work = 0;
  for (int32_t i = 0; i < n; i++) possible->work += detail->Qc[i] * (a[i] - detail->a[i]);
  possible->excess = possible->distance2 + possible->work;
  possible->S = half_square(n, problem->M, a, NULL, w);
  bool has_free = detail->is_regular;
  possible->G = has_free ? half_square(n, problem->M, a, detail->a0, w) : NAN;
  possible->G_nearest = has_free ? half_square(n, problem->M, possible->nearest, detail->a0, w) : NAN;
  return ZW_OK;
}
