/* In which order coordinates and multipliers are eliminated. A row may go when all of its coordinates are gone: its pivot is
 * positive then, whatever is still there. Among those that may, the one with the fewest neighbours goes first, and of several the
 * one that has waited for the fewest others, so that a chain is taken from both of its ends at once. */
#include "kernel/eliminate.h"

static uint64_t* neighbours_of(const ZwCoupling* coupling, int32_t i) {
  return coupling->bits + (ptrdiff_t)i * coupling->words;
}

bool zw_coupling_open(ZwCoupling* coupling, ZwArena* arena, int32_t n, int32_t size) {
  *coupling = (ZwCoupling){.n = n, .size = size, .words = size / 64 + 1};
  coupling->bits = ZW_NEW(arena, (ptrdiff_t)size * coupling->words, uint64_t);
  return coupling->bits != NULL;
}

static void set_bit(uint64_t* bits, int32_t i) {
  bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void clear_bit(uint64_t* bits, int32_t i) {
  bits[i / 64] &= ~((uint64_t)1 << i % 64);
}

static bool has_bit(const uint64_t* bits, int32_t i) {
  return bits[i / 64] >> i % 64 & 1;
}

void zw_coupling_add(ZwCoupling* coupling, int32_t i, int32_t k) {
  set_bit(neighbours_of(coupling, i), k);
  set_bit(neighbours_of(coupling, k), i);
}

int32_t zw_coupling_list(const ZwCoupling* coupling, int32_t i, int32_t* to) {
  const uint64_t* of_i = neighbours_of(coupling, i);
  int32_t count = 0;
  for (int32_t k = 0; k < coupling->size; k++) {
    if (k % 64 == 0 && of_i[k / 64] == 0)
      k += 63;
    else if (has_bit(of_i, k))
      to[count++] = k;
  }
  return count;
}

typedef struct Unknown {
  bool is_gone;
  int32_t degree; /* neighbours that are still there */
  int32_t waits;  /* of a row: coordinates that are still there */
  int32_t level;  /* eliminations that had to come before, one behind the other */
} Unknown;

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

static int32_t count_bits(uint64_t word) {
  int32_t count = 0;
  for (; word; word &= word - 1) count++;
  return count;
}

/* How many neighbours of i are still there. */
static int32_t degree_of(const ZwCoupling* coupling, const uint64_t* is_there, int32_t i) {
  const uint64_t* of_i = neighbours_of(coupling, i);
  int32_t degree = 0;
  for (int32_t w = 0; w < coupling->words; w++) degree += count_bits(of_i[w] & is_there[w]);
  return degree - (has_bit(of_i, i) && has_bit(is_there, i));
}

/* Its neighbours become neighbours of each other. */
static void eliminate(ZwCoupling* coupling, Unknown* unknowns, uint64_t* is_there, int32_t gone) {
  const uint64_t* of_gone = neighbours_of(coupling, gone);
  unknowns[gone].is_gone = true;
  clear_bit(is_there, gone);
  for (int32_t i = 0; i < coupling->size; i++) {
    Unknown* u = &unknowns[i];
    if (u->is_gone || !has_bit(of_gone, i)) continue;
    if (u->level <= unknowns[gone].level) u->level = unknowns[gone].level + 1;
    uint64_t* of_i = neighbours_of(coupling, i);
    for (int32_t w = 0; w < coupling->words; w++) of_i[w] |= of_gone[w] & is_there[w];
    u->degree = degree_of(coupling, is_there, i);
  }
}

/* Coordinates of its rows that are still there; those that elimination has added do not hold a row up. */
static void count_waits(const ZwCoupling* coupling, const ZwPattern* A, Unknown* unknowns) {
  for (int32_t i = coupling->n, row = 0; i < coupling->size; i++, row++) {
    unknowns[i].waits = 0;
    for (int32_t at = A->begin[row]; at < A->begin[row + 1]; at++) {
      unknowns[i].waits += !unknowns[A->column[at]].is_gone;
    }
  }
}

bool zw_eliminate_order(ZwArena* scratch, const ZwPattern* A, ZwCoupling* coupling, int32_t* order, int32_t* place) {
  Unknown* unknowns = ZW_NEW(scratch, coupling->size, Unknown);
  uint64_t* is_there = ZW_NEW(scratch, coupling->words, uint64_t);
  if (!unknowns || !is_there) return false;
  for (int32_t i = 0; i < coupling->size; i++) set_bit(is_there, i);
  for (int32_t i = 0; i < coupling->size; i++) unknowns[i].degree = degree_of(coupling, is_there, i);
  count_waits(coupling, A, unknowns);
  for (int32_t k = 0; k < coupling->size; k++) {
    int32_t next = choose(coupling, unknowns);
    order[k] = next;
    place[next] = k;
    eliminate(coupling, unknowns, is_there, next);
    if (next < coupling->n) count_waits(coupling, A, unknowns);
  }
  return true;
}
