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
  for (int32_t w = 0; w < coupling->words; w++) {
    for (uint64_t word = of_i[w]; word; word &= word - 1) to[count++] = 64 * w + __builtin_ctzll(word);
  }
  return count;
}

/* ---- who is next ---- */

typedef struct Unknown {
  bool is_gone;
  int32_t degree; /* neighbours that are still there */
  int32_t waits;  /* of a row: coordinates that are still there */
  int32_t level;  /* eliminations that had to come before, one behind the other */
} Unknown;

typedef struct Candidate {
  int32_t degree, level, unknown;
} Candidate;

/* A heap with the next one on top. Whoever changes is put in once more; what is no longer true is thrown away when it comes up. */
typedef struct Queue {
  ZwArena* arena;
  ZW_ARRAY(Candidate) heap;
} Queue;

static bool comes_before(const Candidate* a, const Candidate* b) {
  if (a->degree != b->degree) return a->degree < b->degree;
  if (a->level != b->level) return a->level < b->level;
  return a->unknown < b->unknown;
}

static void put(Queue* queue, const Unknown* unknowns, int32_t i) {
  Candidate candidate = {unknowns[i].degree, unknowns[i].level, i};
  if (!ZW_PUSH(queue->arena, &queue->heap, candidate)) return;
  Candidate* heap = queue->heap.items;
  int32_t at = queue->heap.count - 1;
  for (; at > 0 && comes_before(&candidate, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = candidate;
}

static Candidate take(Queue* queue) {
  Candidate *heap = queue->heap.items, top = heap[0], last = heap[--queue->heap.count];
  int32_t at = 0, count = queue->heap.count;
  for (int32_t child = 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && comes_before(&heap[child + 1], &heap[child])) child++;
    if (!comes_before(&heap[child], &last)) break;
    heap[at] = heap[child];
    at = child;
  }
  if (count > 0) heap[at] = last;
  return top;
}

static int32_t choose(Queue* queue, const Unknown* unknowns) {
  for (;;) {
    Candidate top = take(queue);
    const Unknown* u = &unknowns[top.unknown];
    if (!u->is_gone && u->degree == top.degree && u->level == top.level) return top.unknown;
  }
}

/* ---- elimination ---- */

/* How many neighbours of i are still there. */
static int32_t degree_of(const ZwCoupling* coupling, const uint64_t* is_there, int32_t i) {
  const uint64_t* of_i = neighbours_of(coupling, i);
  int32_t degree = 0;
  for (int32_t w = 0; w < coupling->words; w++) degree += __builtin_popcountll(of_i[w] & is_there[w]);
  return degree - (has_bit(of_i, i) && has_bit(is_there, i));
}

/* Coordinates of a row that are still there; those that elimination has added do not hold it up. */
static int32_t waits_of(const ZwPattern* A, const Unknown* unknowns, int32_t row) {
  int32_t waits = 0;
  for (int32_t at = A->begin[row]; at < A->begin[row + 1]; at++) waits += !unknowns[A->column[at]].is_gone;
  return waits;
}

typedef struct Order {
  const ZwPattern* A;
  ZwCoupling* coupling;
  Unknown* unknowns;
  uint64_t* is_there;
  int32_t* neighbours; /* scratch */
  Queue queue;
} Order;

/* Its neighbours become neighbours of each other. */
static void eliminate(Order* order, int32_t gone) {
  ZwCoupling* coupling = order->coupling;
  const uint64_t* of_gone = neighbours_of(coupling, gone);
  int32_t count = zw_coupling_list(coupling, gone, order->neighbours);
  order->unknowns[gone].is_gone = true;
  clear_bit(order->is_there, gone);
  for (int32_t k = 0; k < count; k++) {
    int32_t i = order->neighbours[k];
    Unknown* u = &order->unknowns[i];
    if (u->is_gone) continue;
    if (u->level <= order->unknowns[gone].level) u->level = order->unknowns[gone].level + 1;
    if (i >= coupling->n) u->waits = waits_of(order->A, order->unknowns, i - coupling->n);
    uint64_t* of_i = neighbours_of(coupling, i);
    for (int32_t w = 0; w < coupling->words; w++) of_i[w] |= of_gone[w] & order->is_there[w];
    u->degree = degree_of(coupling, order->is_there, i);
    if (u->waits == 0) put(&order->queue, order->unknowns, i);
  }
}

bool zw_eliminate_order(ZwArena* scratch, const ZwPattern* A, ZwCoupling* coupling, int32_t* order, int32_t* place) {
  Order all = {.A = A,
               .coupling = coupling,
               .unknowns = ZW_NEW(scratch, coupling->size, Unknown),
               .is_there = ZW_NEW(scratch, coupling->words, uint64_t),
               .neighbours = ZW_NEW(scratch, coupling->size, int32_t),
               .queue = {.arena = scratch}};
  if (scratch->failed) return false;
  for (int32_t i = 0; i < coupling->size; i++) set_bit(all.is_there, i);
  for (int32_t i = 0; i < coupling->size; i++) {
    Unknown* u = &all.unknowns[i];
    u->degree = degree_of(coupling, all.is_there, i);
    if (i >= coupling->n) u->waits = waits_of(A, all.unknowns, i - coupling->n);
    if (u->waits == 0) put(&all.queue, all.unknowns, i);
  }
  for (int32_t k = 0; k < coupling->size && !scratch->failed; k++) {
    order[k] = choose(&all.queue, all.unknowns);
    place[order[k]] = k;
    eliminate(&all, order[k]);
  }
  return !scratch->failed;
}
