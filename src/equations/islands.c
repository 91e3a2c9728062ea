/* Islands of coordinates: a forest of parents with path halving. */
#include "equations/islands.h"

#include <string.h>

static int32_t root_of(int32_t* parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* The smaller root stays one, so that the first coordinate of an island is its root. */
static void join(int32_t* parent, int32_t a, int32_t b) {
  a = root_of(parent, a);
  b = root_of(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

/* ---- what always joins ---- */

static bool is_of_motion(const ZwShape* shape) {
  switch (shape->kind) {
    case ZW_SHAPE_ENERGY:
    case ZW_SHAPE_DISSIPATION:
    case ZW_SHAPE_FORCE:
    case ZW_SHAPE_GIBBS:
      return true;
    default:
      return false;
  }
}

static bool is_of_rows(const ZwShape* shape) {
  return shape->kind == ZW_SHAPE_CONSTRAINT || shape->kind == ZW_SHAPE_EXACT || shape->kind == ZW_SHAPE_QUASI;
}

/* Every element joins the coordinates that it reads and acts on. */
static void join_terms(const ZwEquations* equations, int32_t* parent) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    for (int32_t i = 0; is_of_motion(shape) && i < shape->count; i++) {
      const int32_t* coords = shape->instance_coords.items + (ptrdiff_t)i * shape->coords;
      for (int32_t k = 1; k < shape->coords; k++) join(parent, coords[0], coords[k]);
    }
  }
}

static void join_inertia(const ZwEquations* equations, int32_t* parent) {
  const ZwPattern* M = &equations->M;
  for (int32_t i = 0; i < equations->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) join(parent, i, M->column[k]);
  }
}

static void mark_mass(ZwEquations* equations, const ZwShape* shape, const ZwContribution* c, uint8_t flags) {
  for (int32_t i = 0; i < shape->count; i++) {
    const int32_t* coords = shape->instance_coords.items + (ptrdiff_t)i * shape->coords;
    equations->masses[coords[c->row]] |= flags;
    equations->masses[coords[c->column]] |= flags;
  }
}

static void find_masses(ZwEquations* equations) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    const ZwContributions* entry = &shape->entries[ZW_ENTRY_ACCELERATION];
    for (int32_t k = 0; k < entry->list.count; k++) {
      const ZwContribution* c = &entry->list.items[k];
      if (c->target != ZW_TARGET_M) continue;
      bool is_bent = zw_expr_reads(&equations->graph, c->value).velocity;
      uint8_t flags = (uint8_t)((is_bent ? ZW_MASS_BENT : 0) | (shape->kind == ZW_SHAPE_GIBBS ? ZW_MASS_GIBBS : 0));
      if (flags) mark_mass(equations, shape, c, flags);
    }
  }
}

static bool has_bent_rows(const ZwEquations* equations) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    const ZwContributions* entry = &shape->entries[ZW_ENTRY_VELOCITY];
    for (int32_t k = 0; shape->kind == ZW_SHAPE_CONSTRAINT && k < entry->list.count; k++) {
      const ZwContribution* c = &entry->list.items[k];
      if (c->target == ZW_TARGET_A && zw_expr_reads(&equations->graph, c->value).velocity) return true;
    }
  }
  return false;
}

/* What each row reads: a row x' = y*z' holds no y, but has to do with it. Each row has one element. */
static bool find_row_reads(ZwEquations* equations) {
  ZwPattern* reads = &equations->row_reads;
  *reads = (ZwPattern){.rows = equations->m_all, .begin = ZW_NEW(equations->arena, equations->m_all + 1, int32_t)};
  if (!reads->begin) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t s = 0; s < equations->shapes.count; s++) {
      const ZwShape* shape = &equations->shapes.items[s];
      for (int32_t i = 0; is_of_rows(shape) && i < shape->count; i++) {
        int32_t row = shape->instance_rows.items[i];
        if (pass == 0) reads->begin[row + 1] = shape->coords;
        for (int32_t k = 0; pass == 1 && k < shape->coords; k++) {
          reads->column[reads->begin[row] + k] = shape->instance_coords.items[(ptrdiff_t)i * shape->coords + k];
        }
      }
    }
    if (pass == 1) return true;
    for (int32_t i = 0; i < reads->rows; i++) reads->begin[i + 1] += reads->begin[i];
    reads->count = reads->begin[reads->rows];
    reads->column = ZW_NEW(equations->arena, reads->count + 1, int32_t);
    if (!reads->column) return false;
  }
  return true;
}

/* Sorts coordinates by islands: `rows` and `size` count what each has. */
static void sort_parts(ZwEquations* equations, const ZwIslands* islands, const int32_t* rows, const int32_t* size,
                       int32_t* number) {
  ZwParts* parts = &equations->parts;
  for (int32_t p = 0; p < islands->count; p++) {
    bool is_alone = size[p] == 1 && rows[p] == 0;
    number[p] = is_alone ? -1 : parts->count++;
    if (is_alone) continue;
    parts->rows[number[p]] = rows[p];
    parts->begin[number[p] + 1] = parts->begin[number[p]] + size[p];
  }
  for (int32_t i = 0; i < equations->n; i++) {
    int32_t k = parts->of[i] = number[islands->of[i]];
    if (k < 0)
      parts->alone[parts->alone_count++] = i;
    else
      parts->coords[parts->begin[k]++] = i;
  }
  for (int32_t k = parts->count; k > 0; k--) parts->begin[k] = parts->begin[k - 1]; /* each had moved to its end */
  if (parts->count > 0) parts->begin[0] = 0;
}

static bool find_parts(ZwEquations* equations) {
  int32_t n = equations->n, m = equations->m;
  ZwParts* parts = &equations->parts;
  int32_t* room = ZW_NEW(equations->arena, 9 * (ptrdiff_t)n + 2, int32_t);
  if (!room) return false;
  int32_t *rows = room + n, *size = rows + n, *number = size + n;
  *parts = (ZwParts){.rows = number + n, .coords = number + 2 * (ptrdiff_t)n, .alone = number + 3 * (ptrdiff_t)n};
  parts->of = parts->alone + n;
  parts->begin = parts->of + n;
  ZwIslands islands = {.of = room};
  zw_islands_open(&islands, equations, ZW_JOIN_INERTIA);
  for (int32_t i = 0; i < m; i++) zw_islands_join_row(&islands, equations, i);
  zw_islands_close(&islands);
  for (int32_t p = 0; p < n; p++) rows[p] = size[p] = 0;
  for (int32_t i = 0; i < n; i++) size[islands.of[i]]++;
  for (int32_t i = 0; i < m; i++) {
    int32_t p = zw_islands_of_row(&islands, equations, i);
    if (p >= 0) rows[p]++;
  }
  parts->begin[0] = 0;
  sort_parts(equations, &islands, rows, size, number);
  return true;
}

bool zw_islands_find(ZwEquations* equations) {
  for (int k = 0; k < 2; k++) {
    equations->joined[k] = ZW_NEW(equations->arena, equations->n + 1, int32_t);
    for (int32_t i = 0; equations->joined[k] && i < equations->n; i++) equations->joined[k][i] = i;
  }
  equations->masses = ZW_NEW(equations->arena, equations->n + 1, uint8_t);
  if (equations->arena->failed) return false;
  for (int k = 0; k < 2; k++) join_inertia(equations, equations->joined[k]);
  join_terms(equations, equations->joined[ZW_JOIN_TERMS]);
  find_masses(equations);
  equations->has_bent_rows = has_bent_rows(equations);
  return find_row_reads(equations) && find_parts(equations);
}

/* ---- at a state ---- */

void zw_islands_open(ZwIslands* islands, const ZwEquations* equations, ZwJoin join_by) {
  islands->by = join_by;
  islands->n = equations->n;
  islands->count = 0;
  if (islands->n > 0) memcpy(islands->of, equations->joined[join_by], (size_t)islands->n * sizeof(int32_t));
}

void zw_islands_join(ZwIslands* islands, int32_t a, int32_t b) {
  join(islands->of, a, b);
}

/* By which the island of a row is known. */
static const ZwPattern* pattern_of(const ZwIslands* islands, const ZwEquations* equations) {
  return islands->by == ZW_JOIN_INERTIA ? &equations->A : &equations->row_reads;
}

void zw_islands_join_row(ZwIslands* islands, const ZwEquations* equations, int32_t row) {
  const ZwPattern* pattern = pattern_of(islands, equations);
  for (int32_t k = pattern->begin[row] + 1; k < pattern->begin[row + 1]; k++) {
    join(islands->of, pattern->column[pattern->begin[row]], pattern->column[k]);
  }
}

void zw_islands_join_all(ZwIslands* islands) {
  for (int32_t i = 1; i < islands->n; i++) join(islands->of, 0, i);
}

void zw_islands_close(ZwIslands* islands) {
  int32_t* of = islands->of;
  for (int32_t i = 0; i < islands->n; i++) of[i] = root_of(of, i);
  islands->count = 0;
  for (int32_t i = 0; i < islands->n; i++) of[i] = of[i] == i ? islands->count++ : of[of[i]]; /* roots come first */
}

int32_t zw_islands_of_row(const ZwIslands* islands, const ZwEquations* equations, int32_t row) {
  const ZwPattern* pattern = pattern_of(islands, equations);
  int32_t begin = pattern->begin[row];
  return begin < pattern->begin[row + 1] ? islands->of[pattern->column[begin]] : -1;
}
