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

/* Rows that it has room for: signs that rest are rows too. */
static inline int32_t zw_near_rows(const ZwSim* sim) {
  return sim->m + sim->system->modes.count;
}
/* Room in the arena for the numbers of `coords` coordinates and `rows` rows; and with what is evaluated into, for a simulation. */
ZwStatus zw_near_place(ZwArena* arena, int32_t coords, int32_t rows, ZwNear* near);
ZwStatus zw_near_create(ZwSim* sim, ZwArena* arena, ZwNear* near);
/* Fills it at (t, near->q, near->v). ZW_ERR_DOMAIN, or why there are no accelerations. */
ZwStatus zw_near_evaluate(ZwSim* sim, double t, ZwNear* near);

/* ---- mechanism.c ---- */

/* One mechanism of the model: coordinates that hang together (connected.h), in units of its own, so that nothing here depends on the
 * user's, nor on what else is in the file. Positions count in `size`, the time in 1/pace, rows in what a unit of positions makes of
 * them. */
typedef struct ZwMechanism {
  int32_t n;
  int32_t* coords; /* n, ascending */
  double* size;    /* n: of each coordinate */
  double pace;
  bool is_moving; /* its velocities are more than rounding */
  ZwNear near;    /* its equations in these units, as zw_mechanism_look found them */
} ZwMechanism;

typedef struct ZwMechanisms {
  int32_t count;
  ZwMechanism* list;
  int32_t* of;  /* n: the mechanism of each coordinate of the model, */
  double* unit; /* n: and its size there */
} ZwMechanisms;

/* All mechanisms of a model, with sizes from the state of `near`, which is evaluated, and from the positions `start` (n). */
ZwStatus zw_mechanisms_find(ZwSim* sim, ZwArena* arena, const ZwNear* near, const double* start,
                            ZwMechanisms* mechanisms);
/* How fast forces could move it at the state of `near`, which is evaluated: by what they do to a change of its size, and by those that
 * hold each other. */
double zw_mechanism_pace(const ZwSim* sim, const ZwNear* near, const ZwMechanism* mechanism);
/* Its equations from those of the model. */
void zw_mechanism_look(const ZwSim* sim, const ZwMechanisms* all, int32_t which, const ZwNear* near);
/* Its state from that of the model, and into it. */
void zw_mechanism_read(ZwMechanism* mechanism, const double* q, const double* v);
void zw_mechanism_write(const ZwMechanism* mechanism, double* q, double* v);
/* A state of the mechanism is put into the model and evaluated there; then its equations are looked at. */
ZwStatus zw_mechanism_evaluate(ZwSim* sim, double t, const ZwMechanisms* all, int32_t which, ZwNear* near);

/* ---- symmetry.c ---- */

/* Affine fields that carry motions to motions, with the time: X(q) = B q + c, t' = tau. */
typedef struct ZwSymmetries {
  int32_t n, count;
  double* fields;     /* count x (n n + n + 1): B by rows, c, tau */
  bool is_autonomous; /* the time alone is one */
} ZwSymmetries;

/* In larger mechanisms only coordinates that one kinetic energy of the text reads turn into each other. */
enum { ZW_SYMMETRY_AFFINE_UP_TO = 20 };

/* Those of a mechanism around the state (t, q, v) of the model, whose rows are frozen, in its own units: what holds at that many states
 * chosen at random holds everywhere. Moves sim->y, and what the mechanism looks at. */
ZwStatus zw_symmetries_find(ZwSim* sim, ZwArena* arena, double t, const ZwMechanisms* all, int32_t which,
                            const double* q, const double* v, ZwSymmetries* symmetries);

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
  bool
      is_endless; /* that is next to nothing, but the next step would be long: a state where equations end, or infinitely far */
  bool is_singular; /* forces there are singular: they change by more than themselves within a rounding of the state */
  bool is_at_pole;  /* there `worst` has no mass left, though it had one at the start */
  bool is_dated;    /* the equations depend on the time, and no symmetry goes with it */
  int32_t iterations;
  double* next; /* n: the step of positions that would be the next one; the state is not known better than that */
} ZwSteady;

/* From the state of `model`, by least steps of one mechanism, to a state with f = X; `symmetries` is NULL for X = 0 and v = 0. What is held
 * (2 n of the mechanism, or NULL) stays. Contacts, friction and switches are those of the motion there. The state is put into `model`.
 * ZW_ERR_STEP: none was found. */
ZwStatus zw_steady_find(ZwSim* sim, ZwArena* arena, double t, const ZwMechanisms* all, int32_t which,
                        const ZwSymmetries* symmetries, const bool* is_held, ZwNear* model, ZwSteady* steady);

/* ---- repose.c: what contacts, friction and switches do at rest ---- */

/* Part of the friction that a state is looked for with at whose border it would slip: one that it holds beyond doubt. */
#define ZW_REPOSE_PART (1 - 1e-6)
/* A gap may be negative by this part of its size. */
#define ZW_THROUGH 1e-9

/* Whether there is anything to be decided. */
bool zw_repose_is_needed(const ZwSim* sim);
/* At positions q and velocities v at t: which contacts are closed, stick or slip, and what signs and switches are, as the motion decides
 * it; with so large a part of the friction of what slips. q is put onto the contacts that are closed. Says nothing when it fails. */
ZwStatus zw_repose_decide(ZwSim* sim, double t, double* q, const double* v, double part);
/* Is a gap of the mechanism, of a contact that is open, below zero by more than this part of its size at q? */
bool zw_repose_is_through(ZwSim* sim, double t, const ZwMechanisms* all, int32_t which, const double* q, double part);
/* At the state of `near`: signs that friction holds at zero become rows of velocities, and their force gives way as that of a
 * constraint does. */
ZwStatus zw_repose_hold_signs(ZwSim* sim, ZwArena* arena, double t, const ZwMechanisms* all, ZwNear* near);

/* ---- linear.c ---- */

/* The tangent space: a change of the free positions moves velocities too. Rows are vectors. */
typedef struct ZwTangent {
  int32_t n, fq, fv; /* free positions, free velocities */
  double *Zq, *P;    /* fq x n: changes of positions, and of velocities with them */
  double* Zv;        /* fv x n: of velocities alone */
} ZwTangent;

ZwStatus zw_tangent_create(ZwArena* arena, const ZwNear* near, ZwTangent* tangent);
/* That of the model, in the user's units: each vector moves one mechanism only, whose equations have been looked at. */
ZwStatus zw_tangent_of_model(ZwArena* arena, const ZwMechanisms* all, int32_t n, ZwTangent* tangent);
/* A change (dq, dv) in coordinates of the tangent space, fq + fv numbers, and back. */
void zw_tangent_enter(const ZwTangent* tangent, const double* dq, const double* dv, double* x);
void zw_tangent_leave(const ZwTangent* tangent, const double* x, double* dq, double* dv);
/* The matrix of small changes in those coordinates; B may be NULL. `scratch`: 4 n numbers. */
void zw_linear_matrix(const ZwNear* near, const ZwTangent* tangent, const double* B, double* R, double* scratch);

#endif
