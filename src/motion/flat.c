/* Gaps that are flat where they close. Impulses and forces act along the gradient of a gap; that of y^3 vanishes where it is zero, so that
 * nothing finite stops what comes. It does not vanish beside that place, which tells it from one that is written in large units. */
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* How far beside the place the gradient is looked at, in sizes of the state. */
#define BESIDE 1e-2
/* A gradient below this part of that beside it is none: of a square that is nearer to its zero than this part of BESIDE. */
#define FLAT 1e-6
/* Below this part of the largest gap there has been a gradient is suspected. */
#define SUSPECT 1e-3
/* How far what has no size, but for underflow, goes, as at a start in zero: any way will do, since its gradient is zero or not. */
#define NO_SIZE 1e-100
#define ANY 0x1p-20

/* At a start there are no sizes of gaps yet. */
static bool is_suspected(const ZwSim* sim, const ZwContact* contact, double size) {
  double largest = contact->margin >= 0 ? zw_looks_size(&sim->watch.looks, contact->margin) : 0;
  return !(largest > 0) || !(size > SUSPECT * largest);
}

/* The state beside the present one, that the gap holds: up or down. */
static void go_beside(ZwSim* sim, const ZwContact* contact, int32_t first, double sign, double* y) {
  const ZwPattern* pattern = &sim->equations->A;
  memcpy(y, sim->y, (size_t)(2 * sim->n) * sizeof(double));
  for (int32_t k = pattern->begin[contact->row]; k < pattern->begin[contact->row + 1]; k++) {
    int32_t j = first + pattern->column[k];
    double way = BESIDE * fmax(sim->sizes.unit[j], sim->sizes.largest[j]);
    y[j] += sign * (way > NO_SIZE ? way : ANY);
  }
}

/* What the gap changes by on the way to the state y, at the gradient evaluated last. */
static double change_on_way(const ZwSim* sim, const ZwContact* contact, int32_t first, const double* y) {
  const ZwPattern* pattern = &sim->equations->A;
  double size = 0;
  for (int32_t k = pattern->begin[contact->row]; k < pattern->begin[contact->row + 1]; k++) {
    int32_t j = first + pattern->column[k];
    size += fabs(sim->Ax[k] * (y[j] - sim->y[j]));
  }
  return size;
}

/* Beside it there is a gradient, and the gap is below zero: one that only touches zero, as 1 - cos(phi), keeps nothing back. */
static bool is_flat_beside(ZwSim* sim, const ZwContact* contact, ZwLevel level, double sign) {
  int32_t first = level == ZW_LEVEL_POSITION ? 0 : sim->n;
  double* y = sim->y_out;
  go_beside(sim, contact, first, sign, y);
  double here = change_on_way(sim, contact, first, y);
  bool has_value =
      level == ZW_LEVEL_POSITION ? zw_eval_position(sim, sim->t, y) : zw_eval_velocity(sim, sim->t, y, y + sim->n);
  if (!has_value) return false;
  double gap = level == ZW_LEVEL_POSITION ? sim->phi[contact->row] : sim->psi[contact->row];
  double beside = change_on_way(sim, contact, first, y);
  return gap < 0 && here <= FLAT * beside;
}

static bool read_here(ZwSim* sim) {
  return zw_eval_position(sim, sim->t, sim->y) && zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n);
}

ZwStatus zw_flat_check(ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  ZwLevel level = sim->equations->rows.items[contact->row].level;
  if (!is_suspected(sim, contact, zw_still_size(sim, contact->row, level))) return ZW_OK;
  bool is_flat = is_flat_beside(sim, contact, level, -1) || (read_here(sim) && is_flat_beside(sim, contact, level, 1));
  if (!read_here(sim)) {
    return zw_fault_domain(sim, ZW_ENTRY_VELOCITY, sim->t, sim->y, sim->y + sim->n, false);
  }
  if (!is_flat) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_CONTACT, contact->span,
                "at t = %s the contact '%.*s' closes where the gradient of its gap vanishes: no force can act along it",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(contact->name));
  zw_diag_remedy(sim->diags, "write a gap that grows in proportion to the distance, as in y >= 0 instead of y^3 >= 0");
  return ZW_ERR_CONTACT;
}
