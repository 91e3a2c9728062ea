#include "motion/islands.h"

/* Gaps and slips join: friction acts along a slip that no row holds. */
static void join_contact(const ZwSim* sim, int32_t i, ZwIslands* islands) {
  const ZwContact* contact = zw_contact_of(sim, i);
  zw_islands_join_row(islands, sim->equations, contact->row);
  for (int32_t k = 0; k < contact->slip_dim; k++) {
    const ZwPattern* A = &sim->equations->A;
    int32_t slip = contact->slip + k;
    zw_islands_join_row(islands, sim->equations, slip);
    bool are_both = A->begin[slip] < A->begin[slip + 1] && A->begin[contact->row] < A->begin[contact->row + 1];
    if (are_both) zw_islands_join(islands, A->column[A->begin[slip]], A->column[A->begin[contact->row]]);
  }
}

void zw_islands_now(const ZwSim* sim, ZwJoin join, const bool* with, ZwIslands* islands) {
  zw_islands_open(islands, sim->equations, join);
  for (int32_t i = 0; i < sim->m; i++) {
    if (zw_rows_is_on(sim, i)) zw_islands_join_row(islands, sim->equations, i);
  }
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (zw_contacts_is_closed(sim, i) || (with && with[i])) join_contact(sim, i, islands);
  }
  if (join == ZW_JOIN_TERMS && sim->host.def && sim->host.def->force) zw_islands_join_all(islands);
  zw_islands_close(islands);
}

bool zw_islands_gather(const ZwSim* sim, const ZwIslands* islands, int32_t island, const bool* from, bool* to) {
  bool is_any = false;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    to[i] = from[i] && zw_islands_of_row(islands, sim->equations, zw_contact_of(sim, i)->row) == island;
    is_any = is_any || to[i];
  }
  return is_any;
}

static bool is_bent(const ZwSim* sim, const ZwIslands* islands, int32_t island) {
  for (int32_t j = 0; j < sim->n; j++) {
    if (islands->of[j] == island && (sim->equations->masses[j] & ZW_MASS_BENT)) return true;
  }
  return false;
}

void zw_islands_laws(ZwSim* sim, bool* is_energetic, bool* is_newtonian) {
  *is_energetic = false;
  *is_newtonian = sim->contacts.count > 0;
  if (!sim->jump.is_on || sim->contacts.count == 0) return;
  ZwIslands islands = {.of = sim->contacts.island};
  zw_islands_open(&islands, sim->equations, ZW_JOIN_INERTIA);
  for (int32_t i = 0; i < sim->m; i++) zw_islands_join_row(&islands, sim->equations, i);
  for (int32_t i = 0; i < sim->contacts.count; i++) join_contact(sim, i, &islands);
  zw_islands_close(&islands);
  *is_newtonian = false;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    int32_t island = zw_islands_of_row(&islands, sim->equations, zw_contact_of(sim, i)->row);
    *(is_bent(sim, &islands, island) ? is_energetic : is_newtonian) = true;
  }
}
