/* What least.c and the two roads share; for them only.
 *
 * A road provides `factor`, `solve`, `project`. `solve` is one plain pass, without checks and without refinement:
 *   in   h (n), b (m)
 *   out  a (n), lambda (m)   with M a = h + A^T lambda, A a = b */
#ifndef ZW_LEAST_PARTS_H
#define ZW_LEAST_PARTS_H

#include "least/least.h"
#include "least/qr.h"

typedef enum ZwLeastRoad {
  ZW_ROAD_DEFINITE,     /* M = L L^T */
  ZW_ROAD_MINIMUM,      /* Z^T M Z = L L^T */
  ZW_ROAD_STATIONARY,   /* Z^T M Z = P^T L U, regular, not definite */
  ZW_ROAD_UNDETERMINED, /* Z^T M Z = U S V^T, singular */
} ZwLeastRoad;

typedef struct ZwSplit ZwSplit;

struct ZwLeast {
  int32_t n, m_max, m;
  ZwSplit*
      split; /* NULL: one block, and all that follows; else that has the factors, and here are `n`, `m_max` and `status` */
  const double *M, *A; /* the caller's */
  ZwStatus status;     /* of the last factorisation */
  ZwLeastRoad road;
  double pivot_ratio;
  double conditioning; /* in (0, 1], small is bad */

  /* the constraints: definite road: QR of L^-1 A^T; null space: QR of (A D^-1)^T */
  ZwQr qr;
  double* L; /* n x n: the factor of M, or D^-1 M D^-1 on the null-space road */

  /* M and A are often the same as before; looking is cheaper than factoring */
  double *M_known, *A_known; /* n x n, m x n: what L and qr are the factors of, */
  bool has_L, has_qr;        /* if they are, on the definite road */
  int32_t m_known;

  /* null-space road only; f = n - m free directions */
  double* D_inverse;       /* n: scales of the coordinates, */
  const double* massless;  /* n: of those without inertia, where the caller knows them; or NULL */
  double* Zt;              /* f x n: orthonormal basis of the null space of A D^-1 */
  double* ZtM;             /* f x n */
  double* K;               /* f x f: Z^T M Z, then its factor */
  int32_t* swap;           /* f: of the LU factors */
  double *sigma, *Ut, *Vt; /* f, f x f, f x f */
  double* z;               /* n: the null vector */

  /* scratch */
  double *x, *f;                    /* n, n: inside a road */
  double* lambda;                   /* m: when the caller does not want it */
  double *r_h, *r_b, *da, *dlambda; /* n, m, n, m: refinement */
};

/* Gives false when M is not positive definite beyond doubt. */
bool zw_least_factor_definite(ZwLeast* least);
double zw_least_solve_definite(ZwLeast* least, const double* h, const double* b, double* a, double* lambda);
void zw_least_project_definite(ZwLeast* least, const double* r, double* dx);

/* Gives ZW_ERR_UNDETERMINED when nothing determines some direction. */
ZwStatus zw_least_factor_null(ZwLeast* least);
void zw_least_solve_null(ZwLeast* least, const double* h, const double* b, double* a, double* lambda);
void zw_least_project_null(ZwLeast* least, const double* r, double* dx);

/* Of a problem in blocks (split.c), each as the function of least.h of that name. */
ZwStatus zw_split_factor(ZwLeast* least, int32_t m, const double* M, const double* A);
ZwStatus zw_split_answer(ZwLeast* least, const double* h, const double* b, ZwLeastResult* result);
ZwStatus zw_split_project(ZwLeast* least, const double* r, double* dx);
const double* zw_split_null_vector(const ZwLeast* least);
bool zw_split_has_metric(const ZwLeast* least);
void zw_split_rows_to_metric(const ZwLeast* least, int32_t m, double* X);
const ZwQr* zw_split_triangle(const ZwLeast* least);
double zw_split_pivot_ratio(const ZwLeast* least);
void zw_split_to_metric(const ZwLeast* least, double* x);
void zw_split_from_metric(const ZwLeast* least, double* x);
void zw_split_direction(const ZwLeast* least, const double* u, double* w, double* along);

/* Where there is no metric, but units for all coordinates: rows in these; `stride` numbers from row to row. */
bool zw_least_has_units(const ZwLeast* least);
void zw_least_rows_to_units(const ZwLeast* least, int32_t m, double* X, ptrdiff_t stride);

/* Looks at the triangle of the constraints: false when a row depends on those before it. */
bool zw_least_rows_are_independent(ZwLeast* least);

#endif
