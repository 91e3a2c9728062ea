/* The motion near a steady one, on the tangent space of the constraints.
 *
 * x = (q, v) moves by x' = f(x) = (v, a(q, v)) on the manifold of the constraints: phi(q) = 0 and psi(q, v) = 0, to which f is tangent.
 * An affine symmetry X(q) = B q + c carries motions to motions. A state with f(x) = (B q + c, B v) moves along its own symmetry:
 * a relative equilibrium; an equilibrium where B and c vanish. In the frame that moves along, small changes obey
 *
 *   dx' = (Df - diag(B, B)) dx    on the tangent space, which this matrix maps into itself.
 *
 * docs/design/linearize.md has the reasons. */
#ifndef ZW_MOTION_LINEAR_H
#define ZW_MOTION_LINEAR_H

#include "motion/sim.h"

/* The equations at one state, with their derivatives. Rows are those of the frozen sets. */
typedef struct ZwNear {
  int32_t n, m;
  int32_t rp, rv;           /* independent rows of positions, of positions and velocities */
  double *q, *v, *a;        /* n */
  double *a_q, *a_v;        /* n x n */
  double *Ap, *phi;         /* rp x n, rp */
  double *Av, *psi;         /* rv x n, rv */
  double *psi_q, *b;        /* rv x n, rv */
  double *psi_q_all, *work; /* m x n; of zw_jacobian */
} ZwNear;

/* Room for it in the arena. */
ZwStatus zw_near_create(ZwSim* sim, ZwArena* arena, ZwNear* near);
/* Fills it at (t, near->q, near->v). ZW_ERR_DOMAIN, or why there are no accelerations. */
ZwStatus zw_near_evaluate(ZwSim* sim, double t, ZwNear* near);

/* ---- symmetry.c ---- */

/* Affine fields that carry motions to motions, with the time: X(q) = B q + c, t' = tau. */
typedef struct ZwSymmetries {
  int32_t n, count;
  double* fields;     /* count x (n n + n + 1): B by rows, c, tau */
  bool is_autonomous; /* the time alone is one */
} ZwSymmetries;

/* Larger models have only their translations looked for. */
enum { ZW_SYMMETRY_AFFINE_UP_TO = 20 };

/* Those of the equations around (t, q, v), whose rows are frozen: what holds at that many states chosen at random holds everywhere.
 * Moves sim->y. */
ZwStatus zw_symmetries_find(ZwSim* sim, ZwArena* arena, double t, const double* q, const double* v,
                            ZwSymmetries* symmetries);

static inline ptrdiff_t zw_symmetry_size(int32_t n) {
  return (ptrdiff_t)n * n + n + 1;
}
static inline const double* zw_symmetry(const ZwSymmetries* symmetries, int32_t k) {
  return symmetries->fields + k * zw_symmetry_size(symmetries->n);
}
/* The change (dq, dv) that a field makes of a state. */
void zw_symmetry_apply(int32_t n, const double* field, const double* q, const double* v, double* dq, double* dv);

/* ---- steady.c ---- */

typedef struct ZwSteady {
  bool is_moving;  /* along a symmetry */
  double* field;   /* that one: B, c, tau; zero of an equilibrium */
  int32_t freedom; /* of the steady states around this one */
  double residual; /* of the equations, relative */
  int32_t worst;   /* the coordinate whose acceleration is farthest from what it should be, */
  double left;     /* and by how much */
  int32_t iterations;
} ZwSteady;

/* From (q, v) of `near`, by least steps, to a state with f = X; `symmetries` is NULL for X = 0 and v = 0. Fills `near` there.
 * ZW_ERR_STEP: none was found. */
ZwStatus zw_steady_find(ZwSim* sim, ZwArena* arena, double t, const ZwSymmetries* symmetries, ZwNear* near,
                        ZwSteady* steady);

/* ---- linear.c ---- */

/* The tangent space: a change of the free positions moves velocities too. Rows are vectors. */
typedef struct ZwTangent {
  int32_t n, fq, fv; /* free positions, free velocities */
  double *Zq, *P;    /* fq x n: changes of positions, and of velocities with them */
  double* Zv;        /* fv x n: of velocities alone */
} ZwTangent;

ZwStatus zw_tangent_create(ZwArena* arena, const ZwNear* near, ZwTangent* tangent);
/* A change (dq, dv) in coordinates of the tangent space, fq + fv numbers, and back. */
void zw_tangent_enter(const ZwTangent* tangent, const double* dq, const double* dv, double* x);
void zw_tangent_leave(const ZwTangent* tangent, const double* x, double* dq, double* dv);
/* The matrix of small changes in those coordinates; B may be NULL. `scratch`: 4 n numbers. */
void zw_linear_matrix(const ZwNear* near, const ZwTangent* tangent, const double* B, double* R, double* scratch);

#endif
