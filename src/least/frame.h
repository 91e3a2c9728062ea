/* Quasi-velocities (T16): k numbers nu that count the velocities which m affine constraints leave free, k + m = n.
 *
 *   [ C ] v = [ nu - s    ]        v = B nu + r
 *   [ A ]     [ -gamma_0  ]
 *
 * C v + s are the velocities the user chose, A v + gamma_0 = 0 the independent constraints. B is the first k columns of
 * the inverse X of the matrix on the left; their rates obey C a = nu' + c and A a = b, so a = B nu' + X [c; b]. The
 * motion makes the Gibbs function, restricted to these a, stationary:
 *
 *   B^T M B nu' = B^T (h - M X [c; b])
 *
 * and depends on neither the multipliers nor an inverse of M. */
#ifndef ZW_LEAST_FRAME_H
#define ZW_LEAST_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Quasi-velocities that count worse than this do not tell the free velocities apart any more (T16). */
#define ZW_FRAME_CONDITION_MAX 1e8

typedef struct ZwFrame {
  int32_t n_max;
  int32_t n, k;
  int32_t sign;     /* of the determinant of [C; A]: where it changes the quasi-velocities have failed in between */
  double condition; /* of the matrix with rows of length one, in the Frobenius norm */
  double* X;        /* n x n: its inverse; the first k columns are B */
  double *LU, *K;   /* n x n, k x k */
  double *lengths, *x, *f;
  int32_t* swap;
} ZwFrame;

size_t zw_frame_work_size(int32_t n);
ZwFrame* zw_frame_place(void* memory, int32_t n);

/* Inverts [C; A], k and n - k rows. ZW_ERR_DOMAIN when an entry is not finite, ZW_ERR_INCONSISTENT when the condition
 * exceeds ZW_FRAME_CONDITION_MAX (`condition` says by how much; infinity when a row depends on the others). */
ZwStatus zw_frame_factor(ZwFrame* frame, int32_t n, int32_t k, const double* C, const double* A);

/* v = B nu + r for right sides nu - s (k) and -gamma_0 (n - k). */
void zw_frame_velocity(const ZwFrame* frame, const double* free, const double* bound, double* v);

/* nu' (k) and a (n) with c (k), b (n - k). ZW_ERR_UNDETERMINED when B^T M B is singular. */
ZwStatus zw_frame_solve(ZwFrame* frame, const double* M, const double* h, const double* c, const double* b,
                        double* nu_rate, double* a);

#endif
