#include "least/partition.h"

#include <math.h>

#include "least/dense.h"
#include "least/eigen.h"
#include "least/lu.h"

/* Work beside the results: a and Qc of the solve; K once more, or Ae^T Ae with the swaps of its rows; what the eigenvalues need. */
static ptrdiff_t work_size(ptrdiff_t n) {
  return 2 * n + n * n + 2 * n + zw_eigen_work((int32_t)n);
}

ptrdiff_t zw_partition_size(int32_t n_columns, int32_t m_rows) {
  ptrdiff_t n = n_columns, m = m_rows;
  return m * n + 2 * n * n + 7 * n + work_size(n);
}

void zw_partition_place(ZwPartition* partition, int32_t n_columns, int32_t m_rows, double* memory) {
  ptrdiff_t n = n_columns, m = m_rows;
  partition->Ae = memory, memory += m * n; /* Ai follows, once r is known */
  partition->R = memory, memory += n * n;
  partition->K = memory, memory += n * n;
  double** const vectors[] = {&partition->P, &partition->right, &partition->c, &partition->S1, &partition->eigenvalues};
  for (int i = 0; i < 5; i++, memory += n) *vectors[i] = memory;
  partition->nu_i = memory, memory += n;      /* nu_e follows, once f is known */
  partition->order = (int32_t*)(void*)memory; /* work follows */
}

static double* work_of(const ZwPartition* partition, ptrdiff_t n) {
  return (double*)(void*)partition->order + n;
}

static void split_columns(const ZwPaperProblem* problem, ZwPartition* p) {
  ptrdiff_t n = problem->n, r = p->r, f = p->f;
  p->Ai = p->Ae + (ptrdiff_t)problem->m * r;
  for (ptrdiff_t i = 0; i < problem->m; i++) {
    for (ptrdiff_t j = 0; j < r; j++) p->Ae[i * r + j] = problem->A[i * n + p->order[j]];
    for (ptrdiff_t j = 0; j < f; j++) p->Ai[i * f + j] = problem->A[i * n + p->order[r + j]];
  }
}

/* det(Ae^T Ae) by factors; the sign is that of a square */
static double find_determinant(const ZwPartition* p, double* work) {
  ptrdiff_t r = p->r;
  int32_t* swap = (int32_t*)(void*)(work + r * r);
  zw_fill(r * r, 0, work);
  for (ptrdiff_t k = 0; k < p->m; k++) {
    for (ptrdiff_t i = 0; i < r; i++) zw_axpy((int32_t)r, p->Ae[k * r + i], p->Ae + k * r, work + i * r);
  }
  (void)zw_lu_factor((int32_t)r, work, swap);
  double product = 1;
  for (ptrdiff_t i = 0; i < r; i++) product *= work[i * r + i];
  return fabs(product);
}

static ZwStatus find_eigenvalues(ZwPartition* p, double* work) {
  ptrdiff_t f = p->f;
  double *K = work, *im = K + f * f;
  zw_copy(f * f, p->K, K);
  ZW_TRY(zw_eigen((int32_t)f, K, p->eigenvalues, im, NULL, im + f));
  for (ptrdiff_t i = 1; i < f; i++) { /* sorted by insertion: they are few */
    double value = p->eigenvalues[i];
    ptrdiff_t j = i;
    for (; j > 0 && p->eigenvalues[j - 1] > value; j--) p->eigenvalues[j] = p->eigenvalues[j - 1];
    p->eigenvalues[j] = value;
  }
  return ZW_OK;
}

static bool is_uncoupled(const ZwPaperProblem* problem, const ZwPartition* p) {
  for (int32_t i = 0; i < p->r; i++) {
    for (int32_t j = p->r; j < p->n; j++) {
      if (problem->M[(ptrdiff_t)p->order[i] * p->n + p->order[j]] != 0) return false;
    }
  }
  return true;
}

ZwStatus zw_partition_make(ZwPaper* paper, const ZwPaperProblem* problem, ZwPartition* p, ZwPaperResult* result) {
  ptrdiff_t n = problem->n;
  double* work = work_of(p, n);
  *result = (ZwPaperResult){.a = work, .Qc = work + n, .reason = ""};
  work += 2 * n;
  ZW_TRY(zw_formulation_solve(paper, ZW_FORMULATION_GIBBS_APPELL, 0, problem, result));
  const ZwGibbsAppell* g = &result->gibbs_appell;
  p->n = problem->n;
  p->m = problem->m;
  p->r = result->rank;
  p->f = g->f;
  ptrdiff_t r = p->r, f = p->f;
  for (ptrdiff_t j = 0; j < n; j++) p->order[j] = g->order[j];
  split_columns(problem, p);
  zw_copy(r * f, g->R, p->R);
  zw_copy(f * f, g->K, p->K);
  zw_copy(f, g->P, p->P);
  zw_copy(f, g->right, p->right);
  zw_copy(r, g->c, p->c);
  for (ptrdiff_t i = 0; i < f; i++) p->S1[i] = g->P[i] - g->right[i];
  p->S0 = g->S0;
  p->determinant = find_determinant(p, work);
  p->is_uncoupled = is_uncoupled(problem, p);
  result->reason = "the eigenvalues of K do not converge";
  ZW_TRY(find_eigenvalues(p, work));
  result->reason = "";
  return ZW_OK;
}

int32_t zw_partition_displace(ZwPartition* p, const double* stated) {
  p->nu_e = p->nu_i + p->f;
  for (int32_t j = 0; j < p->r; j++) {
    if (!isnan(stated[p->order[j]])) return p->order[j];
  }
  for (int32_t k = 0; k < p->f; k++) {
    double nu = stated[p->order[p->r + k]];
    p->nu_i[k] = isnan(nu) ? 0 : nu;
  }
  zw_multiply(p->r, p->f, p->R, p->nu_i, p->nu_e);
  zw_scale(p->r, -1, p->nu_e);
  p->work = zw_dot(p->f, p->nu_i, p->P);
  return -1;
}
