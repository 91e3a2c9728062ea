/* Energies that have nothing to do with each other. An error in one must not hide behind the size of another, so each group of coordinates that
 * terms, constraints or contacts join, whether they are in force or not, has an account of its own. Events and memories join
 * nothing: what they give is measured. The work along a motion is one number, so all groups in which work is done are one. */
#include "equations/islands.h"

/* All rows, and a contact's gap with its slip: friction acts where the slip is, by a force that the gap has. */
static void join_rows(const ZwEquations* equations, ZwIslands* islands) {
  const ZwPattern* reads = &equations->row_reads;
  for (int32_t row = 0; row < equations->m; row++) zw_islands_join_row(islands, equations, row);
  for (int32_t i = 0; i < equations->system->contacts.count; i++) {
    const ZwContact* contact = &equations->system->contacts.items[i];
    int32_t gap = reads->begin[contact->row];
    for (int32_t k = 0; k < contact->slip_dim; k++) {
      int32_t slip = reads->begin[contact->slip + k];
      bool are_both = gap < reads->begin[contact->row + 1] && slip < reads->begin[contact->slip + k + 1];
      if (are_both) zw_islands_join(islands, reads->column[gap], reads->column[slip]);
    }
  }
}

static void mark_coord(const ZwIslands* islands, const ZwPattern* reads, int32_t row, bool* works) {
  for (int32_t k = reads->begin[row]; k < reads->begin[row + 1]; k++) works[islands->of[reads->column[k]]] = true;
}

/* The islands in which work is done: by elements, and by friction. */
static void mark_work(ZwEquations* equations, ZwWalk* walk, const ZwIslands* islands, bool* works) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    for (int32_t i = 0; shape->coords > 0 && i < shape->count; i++) {
      int32_t island = islands->of[shape->instance_coords.items[(ptrdiff_t)i * shape->coords]];
      const ZwPiece* piece = &equations->pieces.items[shape->instance_pieces.items[i]];
      if (!works[island] && zw_piece_does_work(equations, walk, piece)) works[island] = true;
    }
  }
  for (int32_t i = 0; i < equations->system->contacts.count; i++) {
    const ZwContact* contact = &equations->system->contacts.items[i];
    if (contact->slip_dim > 0) mark_coord(islands, &equations->row_reads, contact->row, works);
  }
}

/* Islands become groups; those in which work is done become one. */
static void number_groups(ZwEquations* equations, const ZwIslands* islands, const bool* works, int32_t* number) {
  ZwGroups* groups = &equations->groups;
  for (int32_t p = 0; p < islands->count; p++) {
    if (works[p] && groups->works < 0) groups->works = groups->count++;
    number[p] = works[p] ? groups->works : groups->count++;
  }
  for (int32_t j = 0; j < equations->n; j++) groups->of[j] = number[islands->of[j]];
  if (groups->count == 0) groups->count = 1;
}

/* What has no coordinates comes after all groups: it is a constant. */
static void number_elements(ZwEquations* equations) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    for (int32_t i = 0; shape->kind == ZW_SHAPE_ENERGY && i < shape->count; i++) {
      int32_t first = shape->coords > 0 ? shape->instance_coords.items[(ptrdiff_t)i * shape->coords] : -1;
      shape->instance_rows.items[i] = first >= 0 ? equations->groups.of[first] : equations->groups.count;
    }
  }
}

bool zw_groups_find(ZwEquations* equations, ZwWalk* walk) {
  int32_t n = equations->n;
  equations->groups = (ZwGroups){.of = ZW_NEW(equations->arena, n + 1, int32_t), .works = -1};
  int32_t* room = ZW_NEW(equations->arena, 2 * (ptrdiff_t)n + 1, int32_t);
  bool* works = ZW_NEW(equations->arena, n + 1, bool);
  if (!equations->groups.of || !room || !works) return false;
  ZwIslands islands = {.of = room};
  zw_islands_open(&islands, equations, ZW_JOIN_TERMS);
  join_rows(equations, &islands);
  zw_islands_close(&islands);
  if (islands.count == 1)
    works[0] = !equations->is_conservative;
  else if (!equations->is_conservative)
    mark_work(equations, walk, &islands, works);
  number_groups(equations, &islands, works, room + n);
  number_elements(equations);
  return !equations->arena->failed;
}
