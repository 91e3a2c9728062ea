/* Minimum degree on a quotient graph.
 *
 * Eliminating an unknown makes its neighbours neighbours of each other. These cliques are never written out: an
 * eliminated unknown stays as an *element*, a list of the variables it joins, and a variable keeps two lists, the
 * elements it belongs to and the variables it still touches directly. Then
 *
 *   - eliminating p makes one new element, the union of its variables and of its elements, which are absorbed by it,
 *     so the graph never grows beyond its first size (plus room to write the new element);
 *   - the degree of i is bounded by |new element - i| + |its variables| + sum over its other elements e of |e - new
 *     element|, and these differences are found for all e at once by counting down;
 *   - an element with nothing outside of the new one is absorbed by it too (aggressive absorption);
 *   - variables with the same lists are merged to one *supervariable* and eliminated together; a hash of the lists
 *     finds them;
 *   - a variable left with the new element alone is eliminated with it at once (mass elimination).
 *
 * A node is at any time a variable, an element, or gone (absorbed or merged into another). */
#include "sparse/order.h"

#include <math.h>

enum { NONE = -1 };

typedef enum NodeKind { NODE_VARIABLE, NODE_ELEMENT, NODE_GONE } NodeKind;

typedef struct Quotient {
  int32_t n;
  int32_t *list, used, room;          /* all adjacency lists; a variable's elements stand before its variables */
  int32_t *begin, *length, *elements; /* of each node: where its list is, its length, how many of it are elements */
  uint8_t* kind;                      /* NodeKind */
  bool* may_come;                     /* it waits for nobody (any more) */
  bool* is_in_pivot;                  /* variable of the new element */
  int32_t* weight;                    /* unknowns in the supervariable; 0 when gone or eliminated */
  int32_t* degree;                    /* of a variable: bound; of an element: unknowns in it */
  int32_t *member_next, *member_last; /* the unknowns of a supervariable, as a chain */
  int32_t* merged_into;               /* supervariable that swallowed it, NONE */
  int32_t *head, *next, *before;      /* lists of variables by degree */
  int32_t* bucket;                    /* lists of variables by hash, linked by `next`; their hashes in `before` */
  int64_t *mark, stamp;               /* mark[e] - stamp: what of e is outside of the new element, if not negative */
  int32_t least_degree;
  int32_t left;         /* unknowns not yet eliminated */
  int32_t element_size; /* unknowns in the new element */
  const int32_t* waits;
  int32_t *order, done;
} Quotient;

/* ---- lists by degree ---- */

static void list_insert(Quotient* g, int32_t i) {
  int32_t degree = g->degree[i], first = g->head[degree];
  g->next[i] = first;
  g->before[i] = NONE;
  if (first != NONE) g->before[first] = i;
  g->head[degree] = i;
  if (degree < g->least_degree) g->least_degree = degree;
}

static void list_remove(Quotient* g, int32_t i) {
  int32_t before = g->before[i], next = g->next[i];
  if (next != NONE) g->before[next] = before;
  if (before != NONE) {
    g->next[before] = next;
  } else {
    g->head[g->degree[i]] = next;
  }
}

/* ---- memory ---- */

static bool take(ZwArena* arena, const ZwCsr* graph, Quotient* g) {
  int32_t n = g->n, count = graph->begin[n];
  int64_t room = (int64_t)count + count / 5 + 2 * (int64_t)n + 1;
  g->room = room > INT32_MAX ? INT32_MAX : (int32_t)room;
  g->list = ZW_NEW(arena, g->room, int32_t);
  int32_t** arrays[] = {&g->begin,       &g->length,      &g->elements, &g->weight, &g->degree, &g->member_next,
                        &g->member_last, &g->merged_into, &g->head,     &g->next,   &g->before, &g->bucket};
  for (int i = 0; i < (int)(sizeof arrays / sizeof *arrays); i++) *arrays[i] = ZW_NEW(arena, n + 1, int32_t);
  g->mark = ZW_NEW(arena, n, int64_t);
  g->kind = ZW_NEW(arena, n, uint8_t);
  g->may_come = ZW_NEW(arena, n, bool);
  g->is_in_pivot = ZW_NEW(arena, n, bool);
  return !arena->failed;
}

static void setup(const ZwCsr* graph, Quotient* g) {
  int32_t n = g->n;
  for (int32_t p = 0; p < graph->begin[n]; p++) g->list[p] = graph->column[p];
  g->used = graph->begin[n];
  g->stamp = 1;
  g->left = n;
  g->least_degree = n;
  for (int32_t i = 0; i <= n; i++) g->head[i] = g->bucket[i] = NONE;
  for (int32_t i = 0; i < n; i++) {
    g->begin[i] = graph->begin[i];
    g->length[i] = g->degree[i] = graph->begin[i + 1] - graph->begin[i];
    g->weight[i] = 1;
    g->member_next[i] = g->merged_into[i] = NONE;
    g->member_last[i] = i;
    g->may_come[i] = !g->waits || g->waits[i] < 0;
  }
}

/* Moves the lists of all that is alive together, in the order in which they stand. Meanwhile the first place of a list
 * holds its owner, and the owner keeps what was there. */
static void collect_garbage(Quotient* g) {
  for (int32_t i = 0; i < g->n; i++) {
    if (g->kind[i] == NODE_GONE || g->length[i] == 0) continue;
    int32_t first = g->list[g->begin[i]];
    g->list[g->begin[i]] = -i - 2; /* an owner is smaller than NONE */
    g->begin[i] = first;
  }
  int32_t to = 0;
  for (int32_t from = 0; from < g->used;) {
    int32_t owner = -g->list[from] - 2;
    if (owner < 0) {
      from++;
      continue;
    }
    int32_t first = g->begin[owner], length = g->length[owner];
    g->begin[owner] = to;
    g->list[to++] = first;
    for (int32_t k = 1; k < length; k++) g->list[to++] = g->list[from + k];
    from += length;
  }
  g->used = to;
}

/* ---- one elimination ---- */

/* Unknowns of supervariable i go into the order. */
static void put_in_order(Quotient* g, int32_t i) {
  for (int32_t k = i; k != NONE; k = g->member_next[k]) g->order[g->done++] = k;
}

static int32_t choose_pivot(Quotient* g) {
  while (g->least_degree < g->n && g->head[g->least_degree] == NONE) g->least_degree++;
  return g->least_degree < g->n ? g->head[g->least_degree] : NONE;
}

/* Everybody left waits for somebody who waits: all may come. */
static void end_all_waiting(Quotient* g) {
  for (int32_t i = 0; i < g->n; i++) {
    if (g->kind[i] != NODE_VARIABLE || g->may_come[i]) continue;
    g->may_come[i] = true;
    list_insert(g, i);
  }
}

/* Variable i joins the new element, whose list is being written at the end of all lists. */
static void join(Quotient* g, int32_t i) {
  if (g->kind[i] != NODE_VARIABLE || g->is_in_pivot[i]) return;
  g->is_in_pivot[i] = true;
  g->element_size += g->weight[i];
  g->list[g->used++] = i;
  if (g->may_come[i]) list_remove(g, i);
}

/* How long the new element can become. */
static int64_t longest_element(const Quotient* g, int32_t pivot) {
  const int32_t* adjacent = g->list + g->begin[pivot];
  int64_t longest = g->length[pivot] - g->elements[pivot];
  for (int32_t k = 0; k < g->elements[pivot]; k++) longest += g->length[adjacent[k]];
  return longest < g->left ? longest : g->left;
}

static void absorb(Quotient* g, int32_t element) {
  g->kind[element] = NODE_GONE;
  g->length[element] = 0;
}

/* Writes the element that takes the place of `pivot`, and absorbs its elements. */
static void make_element(Quotient* g, int32_t pivot) {
  if (g->used + longest_element(g, pivot) > g->room) collect_garbage(g);
  int32_t begin = g->begin[pivot], elements = g->elements[pivot], length = g->length[pivot];
  g->kind[pivot] = NODE_ELEMENT;
  g->element_size = 0;
  int32_t first = g->used;
  for (int32_t k = 0; k < elements; k++) {
    int32_t e = g->list[begin + k];
    for (int32_t p = g->begin[e]; p < g->begin[e] + g->length[e]; p++) join(g, g->list[p]);
    absorb(g, e);
  }
  for (int32_t k = elements; k < length; k++) join(g, g->list[begin + k]);
  g->begin[pivot] = first;
  g->length[pivot] = g->used - first;
  g->elements[pivot] = 0;
}

/* mark[e] - stamp becomes |e - new element| for every element e that touches it. */
static void count_outside(Quotient* g, int32_t pivot) {
  for (int32_t p = g->begin[pivot]; p < g->begin[pivot] + g->length[pivot]; p++) {
    int32_t i = g->list[p];
    const int32_t* adjacent = g->list + g->begin[i];
    for (int32_t k = 0; k < g->elements[i]; k++) {
      int32_t e = adjacent[k];
      if (g->kind[e] != NODE_ELEMENT) continue;
      if (g->mark[e] < g->stamp) g->mark[e] = g->stamp + g->degree[e];
      g->mark[e] -= g->weight[i];
    }
  }
}

/* Rewrites the lists of variable i: what is gone or in the new element leaves, the new element comes first. Gives the
 * bound of what i touches outside of the new element, and a hash of both lists. */
static int64_t tidy_variable(Quotient* g, int32_t i, int32_t pivot, uint32_t* hash) {
  int32_t *adjacent = g->list + g->begin[i], elements = g->elements[i], length = g->length[i], kept = 0;
  int64_t outside = 0;
  uint32_t sum = (uint32_t)pivot;
  for (int32_t k = 0; k < elements; k++) {
    int32_t e = adjacent[k];
    if (g->kind[e] != NODE_ELEMENT) continue;
    int64_t beyond = g->mark[e] - g->stamp;
    if (beyond == 0) {
      absorb(g, e);
      continue;
    }
    outside += beyond;
    sum += (uint32_t)e;
    adjacent[kept++] = e;
  }
  int32_t elements_kept = kept;
  for (int32_t k = elements; k < length; k++) {
    int32_t j = adjacent[k];
    if (g->kind[j] != NODE_VARIABLE || g->is_in_pivot[j]) continue;
    outside += g->weight[j];
    sum += (uint32_t)j;
    adjacent[kept++] = j;
  }
  /* There is room in front for one more: the pivot itself or an element it absorbed has left the list. */
  adjacent[kept] = adjacent[elements_kept];
  adjacent[elements_kept] = adjacent[0];
  adjacent[0] = pivot;
  g->elements[i] = elements_kept + 1;
  g->length[i] = kept + 1;
  *hash = sum % (uint32_t)(g->n > 0 ? g->n : 1);
  return outside;
}

/* Variable i has no neighbours but the new element: it is eliminated with the pivot. */
static void eliminate_along(Quotient* g, int32_t i) {
  put_in_order(g, i);
  g->kind[i] = NODE_GONE;
  g->is_in_pivot[i] = false;
  g->length[i] = 0;
  g->left -= g->weight[i];
  g->element_size -= g->weight[i];
  g->weight[i] = 0;
}

/* Whether i waits for nobody (any more). */
static bool has_waited(const Quotient* g, int32_t i) {
  if (g->may_come[i]) return true;
  int32_t k = g->waits[i];
  while (g->merged_into[k] != NONE) k = g->merged_into[k];
  return g->kind[k] != NODE_VARIABLE;
}

/* New bounds for all variables of the element, which are put into the buckets of their hashes. */
static void bound_degrees(Quotient* g, int32_t pivot) {
  for (int32_t p = g->begin[pivot]; p < g->begin[pivot] + g->length[pivot]; p++) {
    int32_t i = g->list[p];
    uint32_t hash;
    int64_t outside = tidy_variable(g, i, pivot, &hash);
    if (outside == 0 && has_waited(g, i)) {
      eliminate_along(g, i);
      continue;
    }
    if (outside < g->degree[i]) g->degree[i] = (int32_t)outside;
    g->next[i] = g->bucket[hash];
    g->before[i] = (int32_t)hash;
    g->bucket[hash] = i;
  }
}

/* Whether j has the lists of i, which are marked with the stamp. */
static bool is_alike(const Quotient* g, int32_t i, int32_t j) {
  if (g->length[i] != g->length[j] || g->elements[i] != g->elements[j]) return false;
  const int32_t* adjacent = g->list + g->begin[j];
  for (int32_t k = 1; k < g->length[j]; k++) {
    if (g->mark[adjacent[k]] != g->stamp) return false;
  }
  return true;
}

static void merge(Quotient* g, int32_t i, int32_t j) {
  g->weight[i] += g->weight[j];
  g->weight[j] = 0;
  g->kind[j] = NODE_GONE;
  g->is_in_pivot[j] = false;
  g->length[j] = 0;
  g->merged_into[j] = i;
  g->member_next[g->member_last[i]] = j;
  g->member_last[i] = g->member_last[j];
}

/* Variables of one bucket, from `first` on: those with equal lists become one. */
static void merge_alike(Quotient* g, int32_t first) {
  for (int32_t i = first; i != NONE; i = g->next[i]) {
    if (g->next[i] == NONE || !g->may_come[i]) continue;
    g->stamp++;
    const int32_t* adjacent = g->list + g->begin[i];
    for (int32_t k = 1; k < g->length[i]; k++) g->mark[adjacent[k]] = g->stamp;
    int32_t before = i;
    for (int32_t j = g->next[i]; j != NONE; j = g->next[j]) {
      if (g->may_come[j] && is_alike(g, i, j)) {
        merge(g, i, j);
        g->next[before] = g->next[j];
      } else {
        before = j;
      }
    }
  }
}

static void find_alike(Quotient* g, int32_t pivot) {
  for (int32_t p = g->begin[pivot]; p < g->begin[pivot] + g->length[pivot]; p++) {
    int32_t i = g->list[p];
    if (g->kind[i] != NODE_VARIABLE) continue;
    int32_t hash = g->before[i], first = g->bucket[hash];
    g->bucket[hash] = NONE;
    merge_alike(g, first);
  }
}

/* What is left of the element goes back into the lists by degree. */
static void put_back(Quotient* g, int32_t pivot) {
  int32_t begin = g->begin[pivot], kept = begin;
  for (int32_t p = begin; p < begin + g->length[pivot]; p++) {
    int32_t i = g->list[p];
    if (g->kind[i] != NODE_VARIABLE) continue;
    g->is_in_pivot[i] = false;
    g->list[kept++] = i;
    int64_t degree = (int64_t)g->degree[i] + g->element_size - g->weight[i];
    int64_t most = (int64_t)g->left - g->weight[i];
    g->degree[i] = (int32_t)(degree < most ? degree : most);
    g->may_come[i] = has_waited(g, i);
    if (g->may_come[i]) list_insert(g, i);
  }
  g->length[pivot] = kept - begin;
  g->used = kept; /* it was written last */
  g->degree[pivot] = g->element_size;
  if (kept == begin) absorb(g, pivot);
}

static void eliminate(Quotient* g, int32_t pivot) {
  list_remove(g, pivot);
  put_in_order(g, pivot);
  g->left -= g->weight[pivot];
  g->weight[pivot] = 0;
  make_element(g, pivot);
  count_outside(g, pivot);
  bound_degrees(g, pivot);
  g->stamp += g->n + 1;
  find_alike(g, pivot);
  g->stamp++;
  put_back(g, pivot);
}

/* Unknowns with very many neighbours would slow everything and are last anyway. */
static void set_dense_aside(Quotient* g, bool* is_dense) {
  int32_t limit = (int32_t)(10 * sqrt((double)g->n));
  if (limit < 16) limit = 16;
  for (int32_t i = 0; i < g->n; i++) {
    is_dense[i] = g->degree[i] > limit;
    if (!is_dense[i]) continue;
    g->kind[i] = NODE_GONE;
    g->left--;
    g->weight[i] = 0;
    g->length[i] = 0;
  }
}

bool zw_order(ZwArena* arena, const ZwCsr* graph, const int32_t* waits, int32_t* order) {
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  Quotient g = {.n = graph->rows, .waits = waits, .order = order};
  bool* is_dense = ZW_NEW(&scratch, g.n, bool);
  if (take(&scratch, graph, &g)) {
    setup(graph, &g);
    set_dense_aside(&g, is_dense);
    for (int32_t i = 0; i < g.n; i++) {
      if (g.kind[i] == NODE_VARIABLE && g.may_come[i]) list_insert(&g, i);
    }
    while (g.left > 0) {
      int32_t pivot = choose_pivot(&g);
      if (pivot == NONE) {
        end_all_waiting(&g);
      } else {
        eliminate(&g, pivot);
      }
    }
    for (int32_t i = 0; i < g.n; i++) {
      if (is_dense[i]) order[g.done++] = i;
    }
  }
  return zw_scratch_destroy(&scratch, arena);
}
