/* Systems too large for a page: the equations have few shapes, however many coordinates there are. */
#include "paper/entries.h"

/* Which leaves the first element of a shape puts in the place of the local ones. */
typedef struct First {
  const ZwEquations* equations;
  const ZwShape* shape;
} First;

static ZwExpr first_leaf(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const First* first = context;
  const ZwSystem* system = first->equations->system;
  if (leaf == ZW_OP_TIME) return zw_expr_leaf(graph, leaf, 0);
  if (leaf == ZW_OP_REACTION) return zw_expr_leaf(graph, leaf, first->shape->instance_reactions.items[index]);
  if (leaf != ZW_OP_PARAM) return zw_expr_leaf(graph, leaf, first->shape->instance_coords.items[index]);
  int32_t value = first->shape->instance_slots.items[index], params = system->params.count;
  if (value >= params) return zw_expr_const(graph, first->equations->literals.items[value - params]);
  if (!system->params.items[value].is_hidden) return zw_expr_leaf(graph, ZW_OP_PARAM, value);
  return zw_expr_const(graph, zw_graph_node(&system->graph, system->params.items[value].value)->u.value);
}

static bool is_shown(const ZwShape* shape) {
  return shape->kind != ZW_SHAPE_OUTPUT && shape->kind != ZW_SHAPE_EXACT && shape->kind != ZW_SHAPE_QUASI;
}

static ZwExpr tidied(ZwSheet* paper, const First* first, ZwExpr e) {
  return zw_tidy(&paper->tidy, zw_paper_copy(paper, &first->equations->graph, e, first_leaf, (void*)(uintptr_t)first));
}

static void push_shape(ZwSheet* paper, const First* first, int32_t row, ZwPaperEntries* entries) {
  static const int kinds[] = {[ZW_TARGET_M] = ZW_PAPER_M,
                              [ZW_TARGET_H] = ZW_PAPER_H,
                              [ZW_TARGET_Q] = ZW_PAPER_Q,
                              [ZW_TARGET_A] = ZW_PAPER_A,
                              [ZW_TARGET_B] = ZW_PAPER_B};
  const ZwShape* shape = first->shape;
  const int32_t* coords = shape->instance_coords.items;
  bool is_row = shape->kind == ZW_SHAPE_CONSTRAINT, has_b = false;
  ZwPaperEntry value = {
      .kind = is_row ? ZW_PAPER_VALUE : ZW_PAPER_TERM, .k = row, .value = tidied(paper, first, shape->value)};
  if (shape->rate.ref) value.right = tidied(paper, first, shape->rate);
  (void)ZW_PUSH(paper->arena, &entries->list, value);
  const ZwContributions* contributions = &shape->entries[ZW_ENTRY_ACCELERATION];
  for (int32_t i = 0; i < contributions->list.count; i++) {
    const ZwContribution* part = &contributions->list.items[i];
    bool is_known = part->target == ZW_TARGET_M || part->target == ZW_TARGET_H || part->target == ZW_TARGET_Q ||
                    part->target == ZW_TARGET_A || part->target == ZW_TARGET_B;
    if (!is_known) continue;
    ZwPaperEntry entry = {
        .kind = (ZwPaperKind)kinds[part->target], .k = row, .value = tidied(paper, first, part->value)};
    if (zw_expr_is_const(&paper->graph, entry.value, 0)) continue;
    if (part->target == ZW_TARGET_A)
      entry.j = coords[part->column];
    else if (part->target != ZW_TARGET_B)
      entry.i = coords[part->row];
    if (part->target == ZW_TARGET_M) entry.j = coords[part->column];
    (void)ZW_PUSH(paper->arena, &entries->list, entry);
    has_b = has_b || entry.kind == ZW_PAPER_B;
  }
  if (!is_row || has_b) return;
  ZwPaperEntry nothing = {.kind = ZW_PAPER_B, .k = row, .value = zw_expr_const(&paper->graph, 0)};
  (void)ZW_PUSH(paper->arena, &entries->list, nothing);
}

bool zw_paper_shapes(ZwSheet* paper, ZwArena* arena, const ZwEquations* equations, ZwPaperEntries* entries,
                     ZwPaperShapes* shapes) {
  *paper = (ZwSheet){.arena = arena, .system = equations->system, .n = equations->n, .m = equations->m};
  *entries = (ZwPaperEntries){0};
  *shapes = (ZwPaperShapes){0};
  zw_graph_init(&paper->graph, arena);
  zw_tidy_init(&paper->tidy, &paper->graph, arena);
  paper->rows = ZW_NEW(arena, equations->shapes.count + 1, ZwPaperRow);
  if (!paper->rows) return false;
  for (int32_t i = 0; i < equations->shapes.count && !arena->failed; i++) {
    First first = {equations, &equations->shapes.items[i]};
    if (!is_shown(first.shape)) continue;
    const ZwTerm* term =
        &equations->system->terms.items[equations->pieces.items[first.shape->instance_pieces.items[0]].term];
    paper->rows[i] = (ZwPaperRow){.name = term->name, .level = term->level};
    ZwPaperShape shape = {.shape = first.shape, .begin = entries->list.count};
    push_shape(paper, &first, i, entries);
    shape.end = entries->list.count;
    if (!ZW_PUSH(arena, &shapes->list, shape)) return false;
  }
  return !arena->failed && zw_paper_name_shared(paper, entries);
}
