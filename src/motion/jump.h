/* Velocities that jump where M depends on them (T32). At an instant only impulses act, and the momenta p = dL/dv obey p+ - p- = A^T Lambda. Of all
 * velocities that the rows allow, those are taken with the least Bregman divergence
 *
 *   Div(v|v-) = L(v) - L(v-) - p- . (v - v-),
 *
 * which for a quadratic L is 1/2 (v - v-)^T M (v - v-), the mass metric of T22. Newton's method: the program of T8 with the mass M(v_k) and the
 * forces p- - p(v_k); steps that leave the velocities where L is defined and convex are halved. With friction the same steps solve
 * Coulomb's complementarity with M(v_k); where they end, p+ - p- is the secant mass times v+ - v-. */
#ifndef ZW_MOTION_JUMP_H
#define ZW_MOTION_JUMP_H

#include "motion/sim.h"

/* Before a jump at sim->t, sim->y: remembers velocities and momenta. ZW_ERR_DOMAIN. */
ZwStatus zw_jump_open(ZwSim* sim);
/* The velocities jump->v after which the gaps in `which` open at the rates jump->target at least, from those in jump->v on; the
 * impulses are in contacts->p, v - v- in contacts->a. Fails as zw_contacts_solve does; ZW_ERR_STEP: none was found; ZW_ERR_MASS: an impulse would close
 * a gap instead of opening it, for the inertia is not positive. */
ZwStatus zw_jump_solve(ZwSim* sim, const bool* which);
/* Div(to|from), by quadrature of the momenta: nothing of the potential energy is cancelled. NaN: they have no value on the way. */
double zw_jump_divergence(ZwSim* sim, const double* to, const double* from);
/* After zw_jump_solve: by rows of the program the energy that each takes, -P_k times the mean of its rate on the way of the momenta
 * p- + s G^T P, into jump->row_loss. False: that way was not found. */
bool zw_jump_share(ZwSim* sim);
/* Momenta at velocities v. */
bool zw_jump_momenta(ZwSim* sim, const double* v, double* p);

/* ---- parts of Newton's method (also of take_hold.c) ---- */

/* At velocities v: momenta into jump->p, M, the rows and their rates. False where they have no value. */
bool zw_jump_look(ZwSim* sim, const double* v);
/* Rows at the velocities looked at last, without what is held (jump->is_fixed). */
void zw_jump_gather(const ZwSim* sim, const int32_t* rows, int32_t count, double* to);
/* There: is M positive for the velocities that the rows allow? Leaves their factors. */
bool zw_jump_is_positive(ZwSim* sim);
/* The length of x in the metric of M there. */
double zw_jump_length(const ZwSim* sim, const double* x);
/* How much of the step jump->along from jump->v is taken, the forces jump->h being those of the velocities; 0: none. `has_merit`: Div must
 * fall, where `lack` is what the rows lack, each times more than its impulse. */
double zw_jump_step(ZwSim* sim, bool has_merit, double lack);
/* Is the step jump->along the last one? `before` was the length of the one before; `is_small`: Div cannot be compared any more. */
bool zw_jump_is_last(ZwSim* sim, double* before, bool* is_small);

#endif
