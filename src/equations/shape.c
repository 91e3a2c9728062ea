/* Canonical forms, and the shapes they are instances of. */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "equations/equations.h"

enum { WORDS = ZW_FORM_WORDS };

/* Literals that steer folding and derivatives belong to the form; all others are slots, so that 2.5*x and 3.7*y have
 * the same shape. Exponents always steer. */
static bool is_structural(double value) {
  return (fabs(value) <= 8 && value == floor(value)) || fabs(value) == 0.5;
}

static uint32_t coord_number(ZwForm* form, ZwArena* arena, int32_t coord) {
  if (!form->coord_number[coord]) {
    (void)ZW_PUSH(arena, &form->coords, coord);
    form->coord_number[coord] = form->coords.count;
  }
  return (uint32_t)form->coord_number[coord] - 1;
}

/* Parameters and literals are leaves of the graph: each is met once, so each gets the next slot. */
static uint32_t add_slot(ZwForm* form, ZwArena* arena, int32_t value) {
  return ZW_PUSH(arena, &form->slots, value) ? (uint32_t)form->slots.count - 1 : 0;
}

static int32_t add_literal(ZwEquations* equations, double value) {
  (void)ZW_PUSH(equations->arena, &equations->literals, value);
  return equations->system->params.count + equations->literals.count - 1;
}

/* Marks, in the walk's scratch values, the constants that steer: exponents, numbers of tables. */
static void mark_steering(ZwWalk* walk, const ZwGraph* graph) {
  for (int32_t i = 0; i < walk->order.count; i++) walk->values.items[i] = (ZwExpr){0};
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(graph, (ZwExpr){walk->order.items[i]});
    bool is_table = node->op == ZW_OP_TABLE;
    if (node->op == ZW_OP_POW || is_table) walk->values.items[zw_walk_place(walk, node->u.args[1])].ref = 1;
    if (is_table) walk->values.items[zw_walk_place(walk, node->u.args[2])].ref = 1;
  }
}

static void encode(ZwForm* form, ZwWalk* walk, ZwEquations* equations, uint32_t ref, uint32_t words[WORDS]) {
  const ZwGraph* graph = &equations->system->graph;
  ZwNode node = *zw_graph_node(graph, (ZwExpr){ref});
  words[0] = (uint32_t)node.op;
  words[1] = words[2] = words[3] = 0;
  switch (node.op) {
    case ZW_OP_TIME: /* kernels count it from the start of the run */
      if (equations->system->epoch > 0) {
        form->epoch = 1 + (int32_t)add_slot(form, equations->arena, equations->system->epoch - 1);
      }
      break;
    case ZW_OP_COORD:
    case ZW_OP_VELOCITY:
    case ZW_OP_ACCELERATION:
      words[1] = coord_number(form, equations->arena, node.u.index);
      break;
    case ZW_OP_REACTION:
      words[1] = (uint32_t)form->reactions.count;
      (void)ZW_PUSH(equations->arena, &form->reactions, node.u.index);
      break;
    case ZW_OP_PARAM:
      words[1] = add_slot(form, equations->arena, node.u.index);
      break;
    case ZW_OP_CONST:
      if (is_structural(node.u.value) || walk->values.items[zw_walk_place(walk, ref)].ref) {
        memcpy(words + 1, &node.u.value, sizeof node.u.value);
      } else {
        words[0] = (uint32_t)ZW_OP_PARAM;
        words[1] = add_slot(form, equations->arena, add_literal(equations, node.u.value));
      }
      break;
    default:
      for (int k = 0; k < zw_op_arity(node.op); k++) words[1 + k] = zw_walk_place(walk, node.u.args[k]);
      break;
  }
}

bool zw_form_build(ZwForm* form, ZwWalk* walk, ZwEquations* equations, const ZwPiece* piece) {
  if (!form->coord_number) form->coord_number = ZW_NEW(equations->arena, equations->n, int32_t);
  if (!form->coord_number) return false;
  for (int32_t i = 0; i < form->coords.count; i++) form->coord_number[form->coords.items[i]] = 0;
  form->code.count = form->coords.count = form->slots.count = form->reactions.count = form->epoch = 0;
  ZwExpr roots[2] = {piece->value, piece->rate};
  int32_t root_count = piece->rate.ref ? 2 : 1;
  if (!zw_walk_collect(walk, &equations->system->graph, roots, root_count)) return false;
  if (!zw_walk_reserve_values(walk)) return false;
  mark_steering(walk, &equations->system->graph);
  form->node_count = walk->order.count;
  for (int32_t i = 0; i < walk->order.count; i++) {
    uint32_t words[WORDS];
    encode(form, walk, equations, walk->order.items[i], words);
    for (int k = 0; k < WORDS; k++) (void)ZW_PUSH(equations->arena, &form->code, words[k]);
  }
  for (int32_t k = 0; k < root_count; k++) {
    uint32_t place = zw_walk_place(walk, roots[k].ref);
    (void)ZW_PUSH(equations->arena, &form->code, place);
  }
  return !equations->arena->failed;
}

/* Builds the form's expressions in the shape graph; the two roots stand behind the nodes. */
static void build_expressions(ZwEquations* equations, ZwShape* shape, const ZwForm* form) {
  ZwGraph* graph = &equations->graph;
  int32_t count = form->node_count;
  ZwExpr* built = ZW_NEW(equations->arena, count, ZwExpr);
  if (!built) return;
  for (int32_t i = 0; i < count; i++) {
    const uint32_t* words = form->code.items + (ptrdiff_t)i * WORDS;
    ZwOp op = (ZwOp)words[0];
    graph->mark = (uint32_t)i + 1;
    if (op == ZW_OP_CONST) {
      double value;
      memcpy(&value, words + 1, sizeof value);
      built[i] = zw_expr_const(graph, value);
    } else if (zw_op_arity(op) == 0) {
      built[i] = zw_expr_leaf(graph, op, (int32_t)words[1]);
    } else {
      int arity = zw_op_arity(op);
      built[i] = zw_expr_apply(graph, op, built[words[1]], arity > 1 ? built[words[2]] : (ZwExpr){0},
                               arity > 2 ? built[words[3]] : (ZwExpr){0});
    }
  }
  const uint32_t* roots = form->code.items + (ptrdiff_t)count * WORDS;
  shape->value = built[roots[0]];
  if (form->code.count > count * WORDS + 1) shape->rate = built[roots[1]];
}

static bool is_instance(const ZwShape* shape, ZwShapeKind kind, ZwLevel level, const ZwForm* form) {
  return shape->kind == kind && shape->level == level && shape->code_size == form->code.count &&
         memcmp(shape->code, form->code.items, (size_t)form->code.count * sizeof(uint32_t)) == 0;
}

ZwShape* zw_shape_find(ZwEquations* equations, ZwShapeKind kind, ZwLevel level, const ZwForm* form, bool* is_new) {
  *is_new = false;
  /* neighbours are mostly alike, so the search goes backwards */
  for (int32_t i = equations->shapes.count - 1; i >= 0; i--) {
    if (is_instance(&equations->shapes.items[i], kind, level, form)) return &equations->shapes.items[i];
  }
  uint32_t* code = ZW_NEW(equations->arena, form->code.count, uint32_t);
  if (!code) return NULL;
  memcpy(code, form->code.items, (size_t)form->code.count * sizeof(uint32_t));
  ZwShape shape = {.kind = kind,
                   .level = level,
                   .code = code,
                   .code_size = form->code.count,
                   .coords = form->coords.count,
                   .slots = form->slots.count,
                   .epoch = form->epoch,
                   .reactions = form->reactions.count};
  build_expressions(equations, &shape, form);
  if (!shape.value.ref || !ZW_PUSH(equations->arena, &equations->shapes, shape)) return NULL;
  *is_new = true;
  return &equations->shapes.items[equations->shapes.count - 1];
}
