/* In which order coordinates and multipliers are eliminated. A row may go when all of its coordinates are gone: its pivot is
 * positive then, whatever is still there. Among those that may, the one with the fewest neighbours goes first, and of several the
 * one that has waited for the fewest others, so that a chain is taken from both of its ends at once. */
#include "kernel/eliminate.h"

static bool* neighbours_of(const ZwCoupling* coupling, int32_t i) {
  return coupling->is_coupled + (ptrdiff_t)i * coupling->size;
}

typedef struct Unknown {
  bool is_gone;
  int32_t degree; /* neighbours that are still there */
  int32_t waits;  /* of a row: coordinates that are still there */
  int32_t level;  /* eliminations that had to come before, one behind the other */
} Unknown;

static void count_degrees(const ZwCoupling* coupling, Unknown* unknowns) {
  for (int32_t i = 0; i < coupling->size; i++) {
    const bool* is_coupled = neighbours_of(coupling, i);
    for (int32_t j = 0; j < coupling->size; j++) unknowns[i].degree += is_coupled[j] && j != i;
  }
}

static int32_t choose(const ZwCoupling* coupling, const Unknown* unknowns) {
  int32_t best = -1;
  for (int32_t i = 0; i < coupling->size; i++) {
    const Unknown* u = &unknowns[i];
    if (u->is_gone || u->waits > 0) continue;
    bool is_better = best < 0 || u->degree < unknowns[best].degree ||
                     (u->degree == unknowns[best].degree && u->level < unknowns[best].level);
    if (is_better) best = i;
  }
  return best;
}

/* Its neighbours become neighbours of each other. */
static void eliminate(ZwCoupling* coupling, Unknown* unknowns, int32_t gone) {
  const bool* is_coupled = neighbours_of(coupling, gone);
  unknowns[gone].is_gone = true;
  for (int32_t i = 0; i < coupling->size; i++) {
    Unknown* u = &unknowns[i];
    if (u->is_gone || !is_coupled[i]) continue;
    u->degree--;
    if (u->level <= unknowns[gone].level) u->level = unknowns[gone].level + 1;
    bool* of_i = neighbours_of(coupling, i);
    for (int32_t j = 0; j < coupling->size; j++) {
      if (j == i || unknowns[j].is_gone || !is_coupled[j] || of_i[j]) continue;
      of_i[j] = true;
      u->degree++;
    }
  }
}

bool zw_eliminate_order(ZwArena* scratch, const ZwPattern* A, ZwCoupling* coupling, int32_t* order, int32_t* place) {
  int32_t n = coupling->n;
  Unknown* unknowns = ZW_NEW(scratch, coupling->size, Unknown);
  if (!unknowns) return false;
  count_degrees(coupling, unknowns);
  for (int32_t i = n; i < coupling->size; i++) unknowns[i].waits = A->begin[i - n + 1] - A->begin[i - n];
  for (int32_t k = 0; k < coupling->size; k++) {
    int32_t next = choose(coupling, unknowns);
    order[k] = next;
    place[next] = k;
    for (int32_t i = n; next < n && i < coupling->size; i++) {
      int32_t row = i - n;
      for (int32_t at = A->begin[row]; at < A->begin[row + 1]; at++) unknowns[i].waits -= A->column[at] == next;
    }
    eliminate(coupling, unknowns, next);
  }
  return true;
}
