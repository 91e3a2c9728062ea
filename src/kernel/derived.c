/* Programs of derivatives. The expressions of every shape are differentiated, and what comes of it is compiled like any other: changes and
 * weights are further coordinates of the elements, so that nothing else has to know of them. */
#include <string.h>

#include "expr/diff.h"
#include "kernel/native.h"

/* One shape being derived. */
typedef struct Derivation {
  const ZwProgram* program;
  const ZwShape* from;
  ZwShape* to;
  ZwDerived* derived;
  ZwArena* arena;
  ZwWalk from_walk, walk;
} Derivation;

/* ---- copies ---- */

static ZwExpr copy_node(ZwGraph* graph, const ZwNode* node, const ZwExpr* args) {
  if (node->op == ZW_OP_CONST) return zw_expr_const(graph, node->u.value);
  if (zw_op_arity(node->op) == 0) return zw_expr_leaf(graph, node->op, node->u.index);
  return zw_expr_apply(graph, node->op, args[0], args[1], args[2]);
}

/* An expression of the program's equations in the derived graph. */
static ZwExpr copy(Derivation* derivation, ZwExpr e) {
  const ZwGraph* from = &derivation->program->equations->graph;
  ZwGraph* graph = &derivation->derived->equations.graph;
  ZwWalk* walk = &derivation->from_walk;
  if (!zw_walk_collect(walk, from, &e, 1) || !zw_walk_reserve_values(walk)) return (ZwExpr){0};
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(from, (ZwExpr){walk->order.items[i]});
    ZwExpr args[3] = {{0}};
    for (int k = 0; k < zw_op_arity(node->op); k++) {
      args[k] = walk->values.items[zw_walk_place(walk, node->u.args[k])];
    }
    graph->mark = node->mark;
    walk->values.items[i] = copy_node(graph, node, args);
    if (!walk->values.items[i].ref) return (ZwExpr){0};
  }
  return walk->values.items[walk->order.count - 1];
}

static bool add(Derivation* derivation, ZwEntry entry, ZwTarget target, int32_t row, int32_t column, ZwExpr value) {
  if (!value.ref) return false;
  if (zw_expr_is_const(&derivation->derived->equations.graph, value, 0)) return true;
  ZwContribution contribution = {target, row, column, value};
  return ZW_PUSH(derivation->arena, &derivation->to->entries[entry].list, contribution);
}

/* ---- forward ---- */

/* The change of a leaf is the leaf that many places further on. */
static ZwExpr change_of(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const ZwShape* shape = context;
  switch (leaf) {
    case ZW_OP_TIME:
      return zw_expr_leaf(graph, ZW_OP_COORD, 2 * shape->coords);
    case ZW_OP_PARAM:
      return zw_expr_leaf(graph, leaf, shape->slots + index);
    case ZW_OP_REACTION:
      return zw_expr_leaf(graph, leaf, shape->reactions + index);
    default:
      return zw_expr_leaf(graph, leaf, shape->coords + index);
  }
}

/* Numbers of an instance, and the same `further` on. */
static bool double_indices(ZwArena* arena, const int32_t* from, int32_t count, int32_t width, int32_t further,
                           int32_t last, int32_t** to) {
  int32_t wide = 2 * width + (last >= 0);
  int32_t* at = *to = ZW_NEW(arena, (ptrdiff_t)count * wide + 1, int32_t);
  for (int32_t i = 0; at && i < count; i++, from += width) {
    for (int32_t k = 0; k < 2 * width; k++) *at++ = k < width ? from[k] : from[k - width] + further;
    if (last >= 0) *at++ = last;
  }
  return *to != NULL;
}

static bool derive_shape_forward(Derivation* derivation) {
  const ZwShape* from = derivation->from;
  ZwShape* to = derivation->to;
  const ZwEquations* equations = derivation->program->equations;
  int32_t values = equations->system->params.count + equations->literals.count;
  to->coords = 2 * from->coords + 1;
  to->slots = 2 * from->slots;
  to->reactions = 2 * from->reactions;
  for (int entry = 0; entry < ZW_ENTRY_SIZE_Q; entry++) { /* sizes have no derivative */
    for (int32_t k = 0; k < from->entries[entry].list.count; k++) {
      const ZwContribution* c = &from->entries[entry].list.items[k];
      ZwExpr value = copy(derivation, c->value);
      if (!value.ref) return false;
      value = zw_diff_along(&derivation->derived->equations.graph, &derivation->walk, value, change_of,
                            (void*)(uintptr_t)from);
      if (!add(derivation, (ZwEntry)entry, c->target, c->row, c->column, value)) return false;
    }
  }
  return double_indices(derivation->arena, from->instance_coords.items, from->count, from->coords, equations->n,
                        2 * equations->n, &to->instance_coords.items) &&
         double_indices(derivation->arena, from->instance_slots.items, from->count, from->slots, values, -1,
                        &to->instance_slots.items) &&
         double_indices(derivation->arena, from->instance_reactions.items, from->count, from->reactions,
                        equations->reactions, -1, &to->instance_reactions.items);
}

/* ---- backward ---- */

/* Of what an entry yields, does somebody weigh this? */
static bool is_weighed(ZwEntry entry, ZwTarget target) {
  switch (target) {
    case ZW_TARGET_PHI:
      return entry == ZW_ENTRY_POSITION;
    case ZW_TARGET_PSI:
      return entry == ZW_ENTRY_VELOCITY;
    case ZW_TARGET_M:
    case ZW_TARGET_H:
    case ZW_TARGET_Q:
    case ZW_TARGET_A:
    case ZW_TARGET_B:
      return entry == ZW_ENTRY_ACCELERATION;
    default:
      return false;
  }
}

static void place_weights(const ZwEquations* equations, ZwDerived* derived) {
  for (int k = 0; k < ZW_TARGET_COUNT; k++) derived->weights[k] = -1;
  const struct {
    ZwTarget target;
    int32_t size;
  } parts[] = {{ZW_TARGET_M, equations->M.count}, {ZW_TARGET_H, equations->n},     {ZW_TARGET_Q, equations->n},
               {ZW_TARGET_A, equations->A.count}, {ZW_TARGET_B, equations->m_all}, {ZW_TARGET_PHI, equations->m_all},
               {ZW_TARGET_PSI, equations->m_all}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    derived->weights[parts[i].target] = derived->weight_count;
    derived->weight_count += parts[i].size;
  }
}

static int32_t count_weights(const ZwShape* shape) {
  int32_t count = 0;
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
    for (int32_t k = 0; k < shape->entries[entry].list.count; k++) {
      count += is_weighed((ZwEntry)entry, shape->entries[entry].list.items[k].target);
    }
  }
  return count;
}

/* The sum of what an entry yields, each times its weight, which are coordinates from *weight on; ref 0: memory is out. */
static ZwExpr weighed_sum(Derivation* derivation, ZwEntry entry, int32_t* weight) {
  ZwGraph* graph = &derivation->derived->equations.graph;
  ZwExpr sum = zw_expr_const(graph, 0);
  const ZwContributions* list = &derivation->from->entries[entry];
  for (int32_t k = 0; k < list->list.count; k++) {
    const ZwContribution* c = &list->list.items[k];
    if (!is_weighed(entry, c->target)) continue;
    ZwExpr value = copy(derivation, c->value);
    if (!value.ref) return value;
    sum = zw_expr_add(graph, sum, zw_expr_mul(graph, zw_expr_leaf(graph, ZW_OP_COORD, (*weight)++), value));
  }
  return sum;
}

static bool add_gradient(Derivation* derivation, ZwEntry entry, ZwExpr sum, ZwOp leaf, int32_t count, ZwTarget target,
                         int32_t first_row) {
  ZwGraph* graph = &derivation->derived->equations.graph;
  ZwExpr* slopes = ZW_NEW(derivation->arena, count + 1, ZwExpr);
  if (!slopes || !zw_diff_gradient(graph, &derivation->walk, sum, leaf, 0, count, slopes)) return false;
  for (int32_t i = 0; i < count; i++) {
    if (!add(derivation, entry, target, first_row + i, 0, slopes[i])) return false;
  }
  return true;
}

/* Its coordinates are the shape's own, then weights, then the numbers of its values, which are no coordinates: only places that
 * derivatives by them go to. */
static bool place_instances(Derivation* derivation, int32_t kernel, int32_t weights) {
  const ZwShape* from = derivation->from;
  ZwShape* to = derivation->to;
  const ZwKernel* own = &derivation->program->kernels.items[kernel];
  int32_t n = derivation->program->equations->n;
  to->coords = from->coords + weights + from->slots;
  int32_t* at = to->instance_coords.items = ZW_NEW(derivation->arena, (ptrdiff_t)from->count * to->coords + 1, int32_t);
  for (ptrdiff_t i = 0; at && i < from->count; i++) {
    for (int32_t k = 0; k < from->coords; k++) *at++ = from->instance_coords.items[i * from->coords + k];
    for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
      int32_t outputs = from->entries[entry].list.count;
      for (int32_t k = 0; k < outputs; k++) {
        ZwTarget target = from->entries[entry].list.items[k].target;
        if (!is_weighed((ZwEntry)entry, target)) continue;
        *at++ = n + derivation->derived->weights[target] + own->scatter[entry][i * outputs + k];
      }
    }
    for (int32_t k = 0; k < from->slots; k++) *at++ = from->instance_slots.items[i * from->slots + k];
  }
  return to->instance_coords.items != NULL;
}

static bool derive_shape_backward(Derivation* derivation, int32_t kernel) {
  const ZwShape* from = derivation->from;
  int32_t weight = from->coords, values = from->coords + count_weights(from);
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
    ZwExpr sum = weighed_sum(derivation, (ZwEntry)entry, &weight);
    if (!sum.ref) return false;
    bool is_fine = add_gradient(derivation, (ZwEntry)entry, sum, ZW_OP_COORD, from->coords, ZW_TARGET_H, 0) &&
                   add_gradient(derivation, (ZwEntry)entry, sum, ZW_OP_VELOCITY, from->coords, ZW_TARGET_Q, 0) &&
                   add_gradient(derivation, (ZwEntry)entry, sum, ZW_OP_PARAM, from->slots, ZW_TARGET_LV, values);
    if (!is_fine) return false;
  }
  return place_instances(derivation, kernel, values - from->coords);
}

/* ---- programs ---- */

static ZwShape open_shape(const ZwShape* from) {
  ZwShape shape = *from;
  memset(shape.entries, 0, sizeof shape.entries);
  return shape;
}

static ZwStatus compile(const ZwProgram* program, ZwArena* arena, ZwDerived* derived) {
  const char* why;
  ZW_TRY(zw_compile_shapes(arena, &derived->equations, &derived->program));
  if (!program->native) return ZW_OK;
  ZwStatus status = zw_native_compile(&derived->program, ZW_NATIVE_BEST, &why);
  return status == ZW_ERR_UNSUPPORTED ? ZW_OK : status; /* it is interpreted then */
}

static ZwStatus derive(const ZwProgram* program, ZwArena* arena, bool is_backward, ZwDerived* derived) {
  *derived = (ZwDerived){.equations = *program->equations};
  ZwEquations* equations = &derived->equations;
  equations->arena = arena;
  memset(&equations->shapes, 0, sizeof equations->shapes);
  zw_graph_init(&equations->graph, arena);
  if (is_backward) place_weights(program->equations, derived);
  Derivation derivation = {.program = program, .derived = derived, .arena = arena};
  zw_walk_init(&derivation.from_walk, arena);
  zw_walk_init(&derivation.walk, arena);
  for (int32_t i = 0; i < program->equations->shapes.count; i++) {
    ZwShape shape = open_shape(&program->equations->shapes.items[i]);
    derivation.from = &program->equations->shapes.items[i];
    derivation.to = &shape;
    bool is_fine = is_backward ? derive_shape_backward(&derivation, i) : derive_shape_forward(&derivation);
    if (!is_fine || !ZW_PUSH(arena, &equations->shapes, shape)) return ZW_ERR_MEMORY;
  }
  return compile(program, arena, derived);
}

ZwStatus zw_derive_forward(const ZwProgram* program, ZwArena* arena, ZwDerived* derived) {
  return derive(program, arena, false, derived);
}

ZwStatus zw_derive_backward(const ZwProgram* program, ZwArena* arena, ZwDerived* derived) {
  return derive(program, arena, true, derived);
}

void zw_derived_destroy(ZwDerived* derived) {
  zw_native_destroy(&derived->program);
}
