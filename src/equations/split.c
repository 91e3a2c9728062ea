/* Energies fall apart at + and -: each summand becomes an element of its own, so that it touches few coordinates and
 * has the same shape as its neighbours. Squares and products are never expanded.
 *
 * What summands share is then there once per summand. That is cheap in the energies of mechanics, but a sum of sums that
 * share (a = b + k*b, b = c + k*c, ...) has exponentially many summands: when the pieces together outgrow the whole, the
 * rest stays one piece. */
#include "equations/equations.h"

enum {
  GROWTH = 32,        /* nodes that all pieces may have for each node of the whole, */
  GROWTH_FREE = 4096, /* and besides; */
  FEW = 8             /* so many pieces are not counted: most energies have no more */
};

/* For nodes of pieces; the whole is counted when it matters. */
typedef struct Room {
  ZwExpr whole;
  int64_t nodes;
  int32_t pieces;
  bool has_counted_whole;
} Room;

static int32_t count_nodes(ZwWalk* walk, const ZwGraph* graph, ZwExpr e) {
  return zw_walk_collect(walk, graph, &e, 1) ? walk->order.count : 0;
}

static bool has_room(Room* room, ZwWalk* walk, const ZwGraph* graph) {
  if (room->nodes < 0 && !room->has_counted_whole) {
    room->has_counted_whole = true;
    room->nodes += GROWTH * (int64_t)count_nodes(walk, graph, room->whole);
  }
  return room->nodes >= 0;
}

static bool is_free_of_state(const ZwGraph* graph, ZwExpr e) {
  ZwReads reads = zw_expr_reads(graph, e);
  return !reads.time && !reads.coord && !reads.velocity && !reads.acceleration;
}

static bool is_switch_of_state(const ZwSystem* system, int32_t param) {
  for (int32_t i = 0; i < system->modes.count; i++) {
    if (system->modes.items[i].param == param) return system->modes.items[i].is_of_state;
  }
  return false;
}

/* Does the motion switch the expression? */
static bool is_switched(const ZwSystem* system, ZwWalk* walk, ZwReads reads, ZwExpr e) {
  if (!reads.param || system->modes.count == 0 || !zw_walk_collect(walk, &system->graph, &e, 1)) return false;
  for (int32_t k = 0; k < walk->order.count; k++) {
    const ZwNode* node = zw_graph_node(&system->graph, (ZwExpr){walk->order.items[k]});
    if (node->op == ZW_OP_PARAM && is_switch_of_state(system, node->u.index)) return true;
  }
  return false;
}

/* A constant in an energy moves nothing, but the energy has it; a function of time alone is no energy of anything, unless the motion
 * switches it. */
static bool is_idle(const ZwEquations* equations, ZwWalk* walk, int32_t term, ZwReads reads, ZwExpr value) {
  const ZwSystem* system = equations->system;
  ZwTermKind kind = system->terms.items[term].kind;
  bool is_energy = kind != ZW_TERM_DISSIPATION && kind != ZW_TERM_GIBBS;
  if (reads.coord || reads.velocity || reads.acceleration) return false;
  if (!is_energy || zw_expr_is_const(&system->graph, value, 0)) return true;
  return reads.time && !is_switched(system, walk, reads, value);
}

static bool add_piece(ZwEquations* equations, ZwGraph* graph, ZwWalk* walk, int32_t term, ZwSummand work, Room* room) {
  ZwExpr value = zw_expr_mul(graph, work.factor, work.e);
  if (!value.ref) return false;
  if (++room->pieces > FEW) room->nodes -= count_nodes(walk, graph, value);
  ZwReads reads = zw_expr_reads(graph, value);
  if (is_idle(equations, walk, term, reads, value)) return true;
  ZwPiece piece = {term, value, {0}};
  return ZW_PUSH(equations->arena, &equations->pieces, piece);
}

/* All that is left to split, as one expression. */
static ZwSummand join(ZwGraph* graph, const ZwSummand* works, int32_t count) {
  ZwSummand whole = {zw_expr_const(graph, 0), zw_expr_const(graph, 1)};
  while (count-- > 0) whole.e = zw_expr_add(graph, whole.e, zw_expr_mul(graph, works[count].factor, works[count].e));
  return whole;
}

bool zw_split_term(ZwSystem* system, ZwWalk* walk, ZwSummands* stack, int32_t term, ZwEquations* equations) {
  ZwGraph* graph = &system->graph;
  ZwTermKind kind = system->terms.items[term].kind;
  stack->list.count = 0;
  ZwExpr held = system->terms.items[term].held_value;
  ZwSummand whole = {held.ref ? held : system->terms.items[term].value,
                     zw_expr_const(graph, kind == ZW_TERM_POTENTIAL ? -1 : 1)};
  if (!whole.e.ref || !ZW_PUSH(walk->arena, &stack->list, whole)) return false;
  Room room = {.whole = whole.e, .nodes = GROWTH_FREE};
  for (; stack->list.count > 0; room.nodes--) {
    if (!has_room(&room, walk, graph)) {
      ZwSummand rest = join(graph, stack->list.items, stack->list.count);
      return add_piece(equations, graph, walk, term, rest, &room);
    }
    ZwSummand work = stack->list.items[--stack->list.count];
    if (!work.e.ref || !work.factor.ref) return false;
    ZwNode node = *zw_graph_node(graph, work.e);
    ZwExpr a = {node.u.args[0]}, b = {node.u.args[1]};
    /* the second summand is pushed first, so that pieces keep the order of the text */
    ZwSummand first = {a, work.factor}, second = {b, work.factor};
    bool has_first = true, has_second = false;
    switch (node.op) {
      case ZW_OP_ADD:
        has_second = true;
        break;
      case ZW_OP_SUB:
        has_second = true;
        second.factor = zw_expr_neg(graph, work.factor);
        break;
      case ZW_OP_NEG:
        first.factor = zw_expr_neg(graph, work.factor);
        break;
      case ZW_OP_MUL:
        if (is_free_of_state(graph, a))
          first = (ZwSummand){b, zw_expr_mul(graph, work.factor, a)};
        else if (is_free_of_state(graph, b))
          first.factor = zw_expr_mul(graph, work.factor, b);
        else
          has_first = false;
        break;
      case ZW_OP_DIV:
        if (is_free_of_state(graph, b))
          first.factor = zw_expr_div(graph, work.factor, b);
        else
          has_first = false;
        break;
      default:
        has_first = false;
        break;
    }
    if (!has_first && !add_piece(equations, graph, walk, term, work, &room)) return false;
    if (has_second && !ZW_PUSH(walk->arena, &stack->list, second)) return false;
    if (has_first && !ZW_PUSH(walk->arena, &stack->list, first)) return false;
  }
  return true;
}
