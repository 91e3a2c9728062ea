/* Energies at a state, group by group, without constants: an energy at rest of 1e18, as the m c^2 of a slow body, would leave no digit of the
 * kinetic energy. Where a group has such a constant inside of a term that moves, its kinetic energy comes from momenta: along s v, 0 <= s <= 1,
 *
 *   dL/ds = P(s)/s  with  P = v . dL/dv,   so   E(v) - E(0) = P(1) - integral of P(s)/s. */
#include <math.h>

#include "motion/energy.h"
#include "motion/sim.h"

/* The constant is this often larger than the kinetic energy: below, Gauss's rule with eight places is no better than a difference. */
#define GROUND_LARGE 50.0
/* They agree as far as the difference is known. */
#define AGREE 1e-13

static bool needs_momenta(const ZwEnergyGroup* group) {
  return group->C != 0 && fabs(group->C) > GROUND_LARGE * fabs(group->E - group->V);
}

/* Hardly ever is there a constant: what comes of one stands apart, so that the others do not pay for its registers. */
static __attribute__((noinline)) bool is_spoiled_by_constant(ZwEnergyGroup* group) {
  bool is_spoiled = needs_momenta(group);
  if (!is_spoiled) group->rounding = fmax(group->rounding, fabs(group->C));
  return is_spoiled;
}

/* What was evaluated last, into the account of a group; whether a constant spoils it. */
static inline bool take(ZwEnergyGroup* group, double E, double P, double V, double C) {
  group->E = E - C;
  group->P = P;
  group->V = V;
  group->C = C;
  return C != 0 && is_spoiled_by_constant(group);
}

/* All groups of the equations are one. */
static bool take_together(ZwSim* sim) {
  double E = 0, P = 0, V = 0, C = 0;
  for (int32_t g = 0; g < sim->equations->groups.count; g++) {
    E += sim->E_of[g];
    P += sim->P_of[g];
    V += sim->V_of[g];
    C += sim->C_of[g];
  }
  return take(&sim->energy.groups[0], E, P, V, C);
}

static bool take_all(ZwSim* sim) {
  int32_t count = sim->energy.group_count, all = sim->equations->groups.count;
  bool is_spoiled = false;
  sim->energy.rest = sim->E_of[all];
  if (count != all) return take_together(sim);
  for (int32_t g = 0; g < count; g++) {
    is_spoiled |= take(&sim->energy.groups[g], sim->E_of[g], sim->P_of[g], sim->V_of[g], sim->C_of[g]);
  }
  return is_spoiled;
}

/* P at the velocities s v, the momenta of one account. */
static double momentum_of(const ZwSim* sim, int32_t g) {
  int32_t all = sim->equations->groups.count;
  if (sim->energy.group_count == all) return sim->P_of[g];
  double sum = 0;
  for (int32_t k = 0; k < all; k++) sum += sim->P_of[k];
  return sum;
}

static bool slow_down(ZwSim* sim, double t, const double* y, const double* v, double s) {
  for (int32_t i = 0; i < sim->n; i++) sim->slowed[i] = s * v[i];
  return zw_eval_energy(sim, t, y, sim->slowed);
}

/* Kinetic energies from momenta, in place of those that the constants have spoiled. */
static __attribute__((noinline)) void measure_by_momenta(ZwSim* sim, double t, const double* y, const double* v) {
  static const double places[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975362};
  static const double weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  int32_t count = sim->energy.group_count;
  double E_all = sim->scalars[0], P_all = sim->scalars[1];
  ZwEnergyGroup* groups = sim->energy.groups;
  for (int32_t g = 0; g < count; g++) groups[g].by_momenta = groups[g].P;
  for (int i = 0; i < 8; i++) {
    double s = 0.5 * (1 + (i % 2 ? places[i / 2] : -places[i / 2]));
    bool is_finite = slow_down(sim, t, y, v, s);
    for (int32_t g = 0; g < count; g++) {
      groups[g].by_momenta -= is_finite ? 0.5 * weights[i / 2] * momentum_of(sim, g) / s : NAN;
    }
  }
  for (int32_t g = 0; g < count; g++) {
    ZwEnergyGroup* group = &groups[g];
    double E = group->V + group->by_momenta;
    if (!needs_momenta(group)) continue;
    bool is_known = fabs(E - group->E) <= AGREE * fabs(group->C);
    if (is_known) group->E = E;
    group->rounding = fmax(group->rounding, fabs(is_known ? group->P : group->C));
  }
  sim->scalars[0] = E_all;
  sim->scalars[1] = P_all;
}

bool zw_energy_measure(ZwSim* sim, double t, const double* y) {
  const double* v = zw_velocity(sim, t, y);
  if (!zw_eval_energy(sim, t, y, v)) return false;
  if (!take_all(sim)) return true;
  measure_by_momenta(sim, t, y, v);
  return true;
}

/* dE/ds = dP/ds - P there, by a difference of momenta: near the speed of light it is much more than the energy. */
void zw_energy_measure_steepness(ZwSim* sim, double t, const double* y) {
  const double more = 0x1p-12;
  double E = sim->scalars[0], P = sim->scalars[1];
  bool is_finite = slow_down(sim, t, y, zw_velocity(sim, t, y), 1 - more);
  for (int32_t g = 0; is_finite && g < sim->energy.group_count; g++) {
    ZwEnergyGroup* group = &sim->energy.groups[g];
    double steep = fabs((group->P - momentum_of(sim, g)) / more - group->P) / 2;
    group->steep = fmax(group->steep, steep);
  }
  sim->scalars[0] = E;
  sim->scalars[1] = P;
}
