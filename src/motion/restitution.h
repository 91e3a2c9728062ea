/* The law of impacts where M depends on velocities (T32). With v_c the answer without any restitution and `loss(0)` what it takes, gaps that were
 * hit at the rates u open at -theta e u, with the one theta for which a part eb^2 of loss(0) comes back (Stronge's energetic restitution),
 *
 *   eb^2 = sum e^2 w / sum w,      w = Lambda_c |u|.
 *
 * Friction: theta is that of the same impact without friction, lowered where energy would be gained; Coulomb's law holds between the
 * impulses and the slips after the impact. For a quadratic L and equal e all of this is Newton's law, theta = 1. */
#ifndef ZW_MOTION_RESTITUTION_H
#define ZW_MOTION_RESTITUTION_H

#include "motion/sim.h"

/* Solves the impact of the contacts in `which`, whose restitutions and rates are known: contacts->a and p, energies, and sensitivities.
 * `*theta` as above; `*is_lowered`: so that no energy is gained. */
ZwStatus zw_restitution_solve(ZwSim* sim, const bool* which, double* theta, bool* is_lowered);

#endif
