#include "paper/tidy.h"

#include <math.h>

/* Steps of work after which products are no longer multiplied out, and after which nothing is tidied any more: about a
 * second, and a few. */
static const int64_t work_expanded = 100 * 1000 * 1000, work_most = 300 * 1000 * 1000;
static const size_t scratch_most = (size_t)64 << 20; /* bytes for one expression */
enum { NODES_EXPANDED = 1000, NODES_MOST = 20000 };  /* of one expression */

typedef struct Polys {
  ZW_ARRAY(const ZwPoly*) list; /* parallel to the order of the walk */
} Polys;

/* sin(-x) = -sin(x), cos(-x) = cos(x) */
static const ZwPoly* tidy_angle(ZwTidy* tidy, ZwOp op, const ZwPoly* angle) {
  ZwMonomial content;
  const ZwPoly* primitive = zw_poly_primitive(tidy, angle, &content);
  if (!primitive) return NULL;
  double sign = content.coef < 0 ? -1 : 1;
  if (sign < 0) angle = zw_poly_mul(tidy, zw_poly_number(tidy, -1), angle);
  if (!angle) return NULL;
  ZwExpr e = zw_poly_thing(tidy, angle);
  if (!e.ref) return NULL;
  const ZwPoly* result = zw_poly_atom(tidy, zw_expr_unary(tidy->graph, op, e));
  return result && op == ZW_OP_SIN && sign < 0 ? zw_poly_mul(tidy, zw_poly_number(tidy, -1), result) : result;
}

static const ZwPoly* tidy_call(ZwTidy* tidy, const ZwNode* node, const ZwPoly* const* args) {
  ZwExpr e[3] = {{0}};
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    e[k] = zw_poly_thing(tidy, args[k]);
    if (!e[k].ref) return NULL;
  }
  return zw_poly_of(tidy, zw_expr_apply(tidy->graph, node->op, e[0], e[1], e[2]));
}

/* A summand that is a number times a bracket is summands itself. */
static const ZwPoly* opened(ZwTidy* tidy, const ZwPoly* a) {
  if (a->count != 1 || a->terms[0].count != 1 || a->terms[0].factors[0].power != 1) return a;
  const ZwPoly* inside = zw_tidy_known(tidy, a->terms[0].factors[0].base);
  if (!inside) return a;
  for (int32_t i = 0; i < inside->count; i++) {
    if (!isnormal(inside->terms[i].coef * a->terms[0].coef)) return a;
  }
  return zw_poly_add(tidy, zw_poly_number(tidy, 0), inside, a->terms[0].coef);
}

static const ZwPoly* tidy_node(ZwTidy* tidy, ZwExpr self, const ZwPoly* const* args) {
  ZwNode node = *zw_graph_node(tidy->graph, self);
  if (zw_op_arity(node.op) == 0) return zw_poly_atom(tidy, self);
  for (int k = 0; k < zw_op_arity(node.op); k++) {
    if (!args[k]) return NULL;
  }
  switch (node.op) {
    case ZW_OP_NEG:
      return zw_poly_add(tidy, zw_poly_number(tidy, 0), args[0], -1);
    case ZW_OP_ADD:
      return zw_poly_add(tidy, opened(tidy, args[0]), opened(tidy, args[1]), 1);
    case ZW_OP_SUB:
      return zw_poly_add(tidy, opened(tidy, args[0]), opened(tidy, args[1]), -1);
    case ZW_OP_MUL:
      return zw_poly_mul(tidy, args[0], args[1]);
    case ZW_OP_DIV:
      return zw_poly_mul(tidy, args[0], zw_poly_power(tidy, args[1], -1));
    case ZW_OP_SQRT:
      return zw_poly_power(tidy, args[0], 0.5);
    case ZW_OP_SIN:
    case ZW_OP_COS: {
      const ZwPoly* angle = zw_poly_reduce(tidy, args[0]);
      return angle ? tidy_angle(tidy, node.op, angle) : NULL;
    }
    case ZW_OP_POW:
      if (args[1]->count == 0) return zw_poly_number(tidy, 1);
      if (args[1]->count == 1 && args[1]->terms[0].count == 0)
        return zw_poly_power(tidy, args[0], args[1]->terms[0].coef);
      return tidy_call(tidy, &node, args);
    default:
      return tidy_call(tidy, &node, args);
  }
}

/* One sweep over the nodes, each once. */
static ZwExpr sweep(ZwTidy* tidy, ZwExpr e, bool expand) {
  ZwWalk* walk = &tidy->walk;
  if (!zw_walk_collect(walk, tidy->graph, &e, 1)) return (ZwExpr){0};
  tidy->expand = expand;
  Polys polys = {0};
  /* brackets and arguments within are no energies, whatever stands around them */
  bool is_energy = tidy->is_energy;
  tidy->is_energy = false;
  for (int32_t i = 0; i < walk->order.count; i++) {
    ZwExpr self = {walk->order.items[i]};
    const ZwNode* node = zw_graph_node(tidy->graph, self);
    const ZwPoly* args[3] = {NULL};
    for (int k = 0; k < zw_op_arity(node->op); k++) args[k] = polys.list.items[zw_walk_place(walk, node->u.args[k])];
    const ZwPoly* poly = tidy_node(tidy, self, args);
    if (!poly || !ZW_PUSH(&tidy->scratch, &polys.list, poly)) return (ZwExpr){0};
  }
  tidy->is_energy = is_energy;
  const ZwPoly* whole = polys.list.items[walk->order.count - 1];
  return zw_poly_expr(tidy, whole);
}

static int32_t count_nodes(ZwTidy* tidy, ZwExpr e) {
  return zw_walk_collect(&tidy->walk, tidy->graph, &e, 1) ? tidy->walk.order.count : 0;
}

/* With memory of its own. What would need too much stays as it is; ref 0 only when there is none at all. */
static ZwExpr attempt(ZwTidy* tidy, ZwExpr e, bool expand) {
  bool is_energy = tidy->is_energy;
  zw_arena_init(&tidy->scratch, &tidy->arena->allocator);
  tidy->scratch.limit = scratch_most;
  tidy->epoch++;
  ZwExpr result = sweep(tidy, e, expand);
  if (tidy->scratch.failed && !tidy->scratch.limit_reached) tidy->arena->failed = true;
  if (tidy->scratch.failed) result = e;
  zw_arena_destroy(&tidy->scratch);
  tidy->is_energy = is_energy;
  return tidy->arena->failed ? (ZwExpr){0} : result;
}

static bool is_shorter(ZwTidy* tidy, ZwExpr a, ZwExpr b) {
  return zw_tidy_facts(tidy, a.ref)->cost < zw_tidy_facts(tidy, b.ref)->cost;
}

static int32_t count_sums(ZwTidy* tidy, ZwExpr e) {
  int32_t sums = 0, nodes = count_nodes(tidy, e);
  for (int32_t i = 0; i < nodes; i++) {
    ZwOp op = zw_graph_node(tidy->graph, (ZwExpr){tidy->walk.order.items[i]})->op;
    sums += op == ZW_OP_ADD || op == ZW_OP_SUB;
  }
  return sums;
}

/* A factor taken out of a sum may leave brackets beside what they could be added to, w*((y' + w*x) + y'): another sweep adds them up. */
static ZwExpr attempt_kept(ZwTidy* tidy, ZwExpr e) {
  ZwExpr kept = attempt(tidy, e, false);
  if (!kept.ref || kept.ref == e.ref) return kept;
  ZwExpr again = attempt(tidy, kept, false);
  if (!again.ref || is_shorter(tidy, again, kept)) return again;
  bool has_fewer = !is_shorter(tidy, kept, again) && count_sums(tidy, again) < count_sums(tidy, kept);
  return has_fewer ? again : kept;
}

static ZwExpr tidy_anew(ZwTidy* tidy, ZwExpr e) {
  int32_t nodes = count_nodes(tidy, e);
  if (nodes > NODES_MOST || tidy->work > work_most) return e;
  ZwExpr kept = attempt_kept(tidy, e);
  if (!kept.ref || nodes > NODES_EXPANDED || tidy->work > work_expanded) return kept;
  ZwExpr expanded = attempt(tidy, e, true);
  if (!expanded.ref) return expanded;
  return is_shorter(tidy, expanded, kept) ? expanded : kept;
}

/* Equations that are solved have the same entries again and again. */
ZwExpr zw_tidy(ZwTidy* tidy, ZwExpr e) {
  if (!e.ref) return e;
  uint32_t known = zw_tidy_facts(tidy, e.ref)->tidied;
  if (known) return (ZwExpr){known};
  ZwExpr result = tidy_anew(tidy, e);
  zw_tidy_facts(tidy, e.ref)->tidied = result.ref;
  return result;
}

ZwExpr zw_tidy_energy(ZwTidy* tidy, ZwExpr e) {
  tidy->is_energy = true;
  ZwExpr result = e.ref ? tidy_anew(tidy, e) : e;
  tidy->is_energy = false;
  return result;
}
