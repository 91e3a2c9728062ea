/* The road for positive definite M (T6, T9 with L for M^(1/2)).
 *
 * With M = L L^T and u = L^T a the Gaussian is 1/2 |u - w|^2, w = L\h, and the constraints are C u = b, C = A L^-T.
 * Orthogonal factors C^T = Q [R; 0] split u into m numbers that the constraints fix and n - m that they leave free:
 *
 *   Q^T u = [ R'\b ]      Q^T w = [ g1 ]
 *           [  g2  ]              [ g2 ]
 *
 * and a = L'\u. From C^T lambda = u - w follows lambda = R\(R'\b - g1). This is a = a0 + L'\Q R'\(b - A a0) without
 * forming a0, which may be large where the constraints undo it. */
#include <string.h>

#include "least/cholesky.h"
#include "least/dense.h"
#include "least/least_parts.h"

/* M counts as definite when every pivot is at least this part of its diagonal entry. Smaller pivots may be rounding that
 * earlier small pivots blew up (1e-16 / 1e-7 is safely below 1e-7); the other road is slower and looks closer. */
static const double tol_definite_rel = 1e-7;

bool zw_least_factor_definite(ZwLeast* least) {
  int32_t n = least->n, m = least->m;
  ptrdiff_t size = (ptrdiff_t)m * n;
  if (!least->has_L) {
    /* M = L L^T */
    least->has_qr = false;
    zw_copy((ptrdiff_t)n * n, least->M, least->L);
    if (zw_cholesky_factor(n, least->L) < n || zw_cholesky_weakest(n, least->L) < tol_definite_rel) return false;
    zw_copy((ptrdiff_t)n * n, least->M, least->M_known);
    least->has_L = true;
  }
  bool is_known = least->has_qr && m == least->m_known &&
                  (size == 0 || memcmp(least->A, least->A_known, (size_t)size * sizeof(double)) == 0);
  if (!is_known) {
    /* L\A^T = Q R; the rows of C are the columns that the factorisation wants */
    zw_copy(size, least->A, least->qr.T);
    zw_cholesky_solve_lower_rows(n, least->L, m, least->qr.T);
    zw_qr_factor(&least->qr);
    zw_copy(size, least->A, least->A_known);
    least->m_known = m;
    least->has_qr = true;
  }
  least->road = ZW_ROAD_DEFINITE;
  least->conditioning = zw_cholesky_ratio(n, least->L);
  return true;
}

/* Returns the Gaussian at the answer. */
double zw_least_solve_definite(ZwLeast* least, const double* h, const double* b, double* a, double* lambda) {
  int32_t n = least->n, m = least->m;
  /* Q^T w */
  zw_copy(n, h, a);
  zw_cholesky_solve_lower(n, least->L, a);
  zw_qr_apply_qt(&least->qr, a);
  /* c = R'\b takes the place of g1; their difference is the force of the constraints */
  double* c = least->x;
  zw_copy(m, b, c);
  zw_qr_solve_rt(&least->qr, m, c);
  for (int32_t i = 0; i < m; i++) {
    lambda[i] = c[i] - a[i];
    a[i] = c[i];
  }
  double gaussian = 0.5 * zw_dot(m, lambda, lambda); /* |u - w| = |c - g1| */
  zw_qr_solve_r(&least->qr, m, lambda);
  /* a = L'\Q [c; g2] */
  zw_qr_apply_q(&least->qr, a);
  zw_cholesky_solve_upper(n, least->L, a);
  return gaussian;
}

void zw_least_project_definite(ZwLeast* least, const double* r, double* dx) {
  int32_t n = least->n, m = least->m;
  for (int32_t i = 0; i < m; i++) dx[i] = -r[i];
  zw_qr_solve_rt(&least->qr, m, dx);
  zw_fill(n - m, 0, dx + m);
  zw_qr_apply_q(&least->qr, dx);
  zw_cholesky_solve_upper(n, least->L, dx); /* dx = L'\Q [R'\(-r); 0] */
}
