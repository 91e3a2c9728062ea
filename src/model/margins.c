/* The margins of conditions: numbers that say how far a comparison, a sign or a whole number is from changing. A run follows
 * them between the places where it looks, so that a condition that holds for a moment only is seen. */
#include "expr/rebuild.h"
#include "model/builder.h"

/* By ref of a value, by who watches it, by kind: its margin, + 1. What contacts watch they decide themselves, so that margins of theirs
 * are not shared with others. */
typedef struct Places {
  int32_t at[2][ZW_MARGIN_KINK + 1];
} Places;

typedef struct Margins {
  int32_t count;           /* values of events before there were margins */
  ZwExpr* conditions;      /* by number of the event value; ref 0: a new value, which nobody watches */
  bool* is_of_contact;     /* by the same: the condition of a contact */
  ZW_ARRAY(ZwReads) reads; /* by margins: what each reads, */
  ZW_ARRAY(bool) watched;  /* and whether it is one of a contact */
  ZW_ARRAY(Places) places;
} Margins;

static ZwMarginKind kind_of(ZwOp op) {
  if (op == ZW_OP_FLOOR || op == ZW_OP_MOD) return ZW_MARGIN_WHOLE;
  return op == ZW_OP_ABS || op == ZW_OP_MIN || op == ZW_OP_MAX ? ZW_MARGIN_KINK : ZW_MARGIN_ZERO;
}

static ZwExpr at_begin(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  (void)graph;
  (void)index;
  return leaf == ZW_OP_TIME ? zw_build_epoch(context) : (ZwExpr){0};
}

/* a/b, where it is a whole number. Of a time it is counted from the last such place before the run, so that it keeps its digits. */
static ZwExpr whole_margin(ZwBuild* build, ZwExpr a, ZwExpr b) {
  ZwGraph* graph = &build->system->graph;
  ZwReads of_b = zw_expr_reads(graph, b);
  bool moves = of_b.time || of_b.coord || of_b.velocity || of_b.acceleration || of_b.reaction;
  if (moves || !zw_build_is_of_time(graph, a)) return zw_expr_div(graph, a, b);
  ZwExpr begin = zw_expr_rebuild(graph, &build->walk, a, at_begin, build);
  if (!begin.ref) return begin;
  ZwExpr whole = zw_expr_unary(graph, ZW_OP_FLOOR, zw_expr_div(graph, begin, b));
  return zw_expr_div(graph, zw_expr_apply(graph, ZW_OP_FUSED, zw_expr_neg(graph, b), whole, a), b);
}

static ZwExpr floor_margin(ZwBuild* build, ZwExpr a) {
  ZwGraph* graph = &build->system->graph;
  ZwNode node = *zw_graph_node(graph, a);
  if (node.op == ZW_OP_DIV) return whole_margin(build, (ZwExpr){node.u.args[0]}, (ZwExpr){node.u.args[1]});
  return whole_margin(build, a, zw_expr_const(graph, 1));
}

/* The margin of a node, ref 0 if it has none. */
static ZwExpr margin_of(ZwBuild* build, ZwNode node) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr a = {node.u.args[0]}, b = {node.u.args[1]};
  switch (node.op) {
    case ZW_OP_MIN:
    case ZW_OP_MAX:
    case ZW_OP_LESS:
    case ZW_OP_LESS_EQUAL:
    case ZW_OP_EQUAL:
    case ZW_OP_NOT_EQUAL:
      return zw_expr_sub(graph, a, b);
    case ZW_OP_ABS:
    case ZW_OP_SIGN:
      return a;
    case ZW_OP_FLOOR:
      return floor_margin(build, a);
    case ZW_OP_MOD:
      return whole_margin(build, a, b);
    default:
      return (ZwExpr){0};
  }
}

/* The conditions of events and what modes hold. */
static bool find_conditions(ZwBuild* build, Margins* margins) {
  ZwSystem* system = build->system;
  margins->count = system->event_value_count;
  ZwExpr* values = margins->conditions = ZW_NEW(build->arena, system->event_value_count, ZwExpr);
  bool* is_watched = ZW_NEW(build->arena, system->event_value_count, bool);
  bool* is_of_contact = margins->is_of_contact = ZW_NEW(build->arena, system->event_value_count, bool);
  if (!values || !is_watched || !is_of_contact) return false;
  for (int32_t i = 0; i < system->events.count; i++) {
    const ZwEvent* event = &system->events.items[i];
    is_watched[event->condition] = true;
    is_of_contact[event->condition] = event->contact > 0;
  }
  for (int32_t i = 0; i < system->modes.count; i++) is_watched[system->modes.items[i].value] = true;
  for (int32_t i = 0, number = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind != ZW_TERM_EVENT) continue;
    if (is_watched[number]) values[number] = system->terms.items[i].value;
    number++;
  }
  return true;
}

static bool collect_nodes(ZwBuild* build, const Margins* margins, bool is_of_contact) {
  ZwExpr* roots = ZW_NEW(build->arena, margins->count, ZwExpr);
  int32_t count = 0;
  for (int32_t i = 0; roots && i < margins->count; i++) {
    bool is_taken = margins->conditions[i].ref && margins->is_of_contact[i] == is_of_contact;
    if (is_taken) roots[count++] = margins->conditions[i];
  }
  return roots && zw_walk_collect(&build->hold_walk, &build->system->graph, roots, count);
}

/* Where the margin of this value is noted; NULL when memory is out. */
static int32_t* place_of(ZwBuild* build, Margins* margins, ZwExpr value, bool is_of_contact, ZwMarginKind kind) {
  const Places none = {{{0}}};
  while ((uint32_t)margins->places.count <= value.ref) {
    if (!ZW_PUSH(build->arena, &margins->places, none)) return NULL;
  }
  return &margins->places.items[value.ref].at[is_of_contact][kind];
}

/* The margin of a node, if it has one that moves and is not there yet. */
static bool add_margin(ZwBuild* build, Margins* margins, ZwExpr node, bool is_of_contact) {
  ZwSystem* system = build->system;
  ZwMarginKind kind = kind_of(zw_graph_node(&system->graph, node)->op);
  system->graph.mark = zw_graph_node(&system->graph, node)->mark;
  ZwExpr value = margin_of(build, *zw_graph_node(&system->graph, node));
  if (!value.ref) return true;
  ZwReads reads = zw_expr_reads(&system->graph, value);
  bool is_of_state = reads.coord || reads.velocity || reads.acceleration || reads.reaction;
  if (!reads.time && !is_of_state) return true;
  int32_t* place = place_of(build, margins, value, is_of_contact, kind);
  if (!place || *place > 0) return place != NULL;
  ZwTerm term = {.kind = ZW_TERM_EVENT, .span = zw_system_span(system, node), .name = ZW_STR("margin"), .value = value};
  ZwMargin margin = {.value = system->event_value_count++,
                     .kind = kind,
                     .is_of_time = !is_of_state,
                     .is_of_force = reads.acceleration || reads.reaction};
  *place = system->margins.count + 1;
  return zw_build_add_term(build, term) && ZW_PUSH(system->arena, &system->margins, margin) &&
         ZW_PUSH(build->arena, &margins->reads, reads) && ZW_PUSH(build->arena, &margins->watched, is_of_contact);
}

/* The margins of all conditions of contacts, or of all others. */
static bool add_all(ZwBuild* build, Margins* margins, bool is_of_contact) {
  if (!collect_nodes(build, margins, is_of_contact)) return false;
  for (int32_t i = 0; i < build->hold_walk.order.count; i++) {
    if (!add_margin(build, margins, (ZwExpr){build->hold_walk.order.items[i]}, is_of_contact)) return false;
  }
  return true;
}

/* Modes that hold a sign know what it is the sign of. */
static void connect_signs(ZwSystem* system, const Margins* margins) {
  for (int32_t i = 0; i < system->modes.count; i++) {
    ZwMode* mode = &system->modes.items[i];
    const ZwNode* node = zw_graph_node(&system->graph, margins->conditions[mode->value]);
    bool has_margin = node->op == ZW_OP_SIGN && node->u.args[0] < (uint32_t)margins->places.count;
    if (has_margin) mode->sign_of = margins->places.items[node->u.args[0]].at[false][ZW_MARGIN_ZERO];
  }
}

/* The margins of a condition, by the number of its event value, one after the other, to `visit`. */
static bool visit_margins(ZwBuild* build, const Margins* margins, int32_t value, ZwEvent* event,
                          bool (*visit)(ZwSystem* system, int32_t number, int32_t value, ZwEvent* event)) {
  ZwSystem* system = build->system;
  if (!zw_walk_collect(&build->hold_walk, &system->graph, &margins->conditions[value], 1)) return false;
  for (int32_t k = 0; k < build->hold_walk.order.count; k++) {
    ZwNode node = *zw_graph_node(&system->graph, (ZwExpr){build->hold_walk.order.items[k]});
    ZwExpr margin = margin_of(build, node);
    if (!margin.ref || margin.ref >= (uint32_t)margins->places.count) continue;
    int32_t number = margins->places.items[margin.ref].at[margins->is_of_contact[value]][kind_of(node.op)] - 1;
    if (number >= 0 && !visit(system, number, value, event)) return false;
  }
  return true;
}

/* Events know which margins decide them. */
static bool note_margin(ZwSystem* system, int32_t number, int32_t value, ZwEvent* event) {
  (void)value;
  if (system->margins.items[number].is_of_time) return ZW_PUSH(system->arena, &event->time_margins, number);
  return ZW_PUSH(system->arena, &event->margins, number);
}

static bool connect_events(ZwBuild* build, const Margins* margins) {
  for (int32_t i = 0; i < build->system->events.count; i++) {
    ZwEvent* event = &build->system->events.items[i];
    if (!visit_margins(build, margins, event->condition, event, note_margin)) return false;
  }
  return true;
}

static bool note_use(ZwSystem* system, int32_t number, int32_t value, ZwEvent* event) {
  (void)event;
  ZwMarginUse use = {.margin = number, .value = value};
  return ZW_PUSH(system->arena, &system->margin_uses, use);
}

/* Margins are asked only where one of the conditions and modes that change with them may change. */
static bool connect_values(ZwBuild* build, const Margins* margins) {
  for (int32_t i = 0; i < margins->count; i++) {
    if (margins->conditions[i].ref && !visit_margins(build, margins, i, NULL, note_use)) return false;
  }
  return true;
}

static bool claim(ZwSystem* system, int32_t number, int32_t value, ZwEvent* event) {
  (void)value;
  ZwMargin* margin = &system->margins.items[number];
  int32_t own = (int32_t)(event - system->events.items) + 1;
  margin->event = margin->event == 0 || margin->event == own ? own : -1;
  return true;
}

static bool share(ZwSystem* system, int32_t number, int32_t value, ZwEvent* event) {
  (void)event;
  (void)value;
  system->margins.items[number].event = -1;
  return true;
}

/* Contacts that are closed do not watch their gaps, those that are open not their forces, and so on, unless others do. */
static bool connect_contacts(ZwBuild* build, const Margins* margins) {
  ZwSystem* system = build->system;
  if (system->contacts.count == 0) return true;
  for (int32_t i = 0; i < system->events.count; i++) {
    ZwEvent* event = &system->events.items[i];
    if (!visit_margins(build, margins, event->condition, event, event->contact > 0 ? claim : share)) return false;
  }
  for (int32_t i = 0; i < system->modes.count; i++) {
    if (!visit_margins(build, margins, system->modes.items[i].value, NULL, share)) return false;
  }
  for (int32_t i = 0; i < system->margins.count; i++) {
    if (system->margins.items[i].event < 0) system->margins.items[i].event = 0;
  }
  return true;
}

/* Contacts know the margin of their gap. */
static void connect_gaps(ZwBuild* build, const Margins* margins) {
  ZwSystem* system = build->system;
  for (int32_t i = 0; i < system->contacts.count; i++) {
    ZwContact* contact = &system->contacts.items[i];
    const ZwTerm* gap = NULL;
    for (int32_t k = 0, row = 0; k < system->terms.count && !gap; k++) {
      if (system->terms.items[k].kind == ZW_TERM_CONSTRAINT && row++ == contact->row) gap = &system->terms.items[k];
    }
    bool is_known = gap && gap->value.ref < (uint32_t)margins->places.count;
    contact->margin = is_known ? margins->places.items[gap->value.ref].at[true][ZW_MARGIN_ZERO] - 1 : -1;
    if (contact->margin < 0) continue;
    system->margins.items[contact->margin].may_jump =
        zw_expr_has(build->arena, &system->graph, gap->value, ZW_OP_ATAN2);
  }
}

/* Forces that only contacts watch need not be known while all of them are open. */
static bool find_watched_forces(ZwBuild* build) {
  ZwSystem* system = build->system;
  bool* is_of_contact = ZW_NEW(build->arena, system->event_value_count, bool);
  if (!is_of_contact) return false;
  for (int32_t i = 0; i < system->events.count; i++) {
    if (system->events.items[i].contact > 0) is_of_contact[system->events.items[i].condition] = true;
  }
  for (int32_t i = 0; i < system->margins.count; i++) {
    if (system->margins.items[i].event > 0) is_of_contact[system->margins.items[i].value] = true;
  }
  for (int32_t i = 0, number = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind != ZW_TERM_EVENT || is_of_contact[number++]) continue;
    ZwReads reads = zw_expr_reads(&system->graph, system->terms.items[i].value);
    system->has_watched_forces = system->has_watched_forces || reads.acceleration || reads.reaction;
  }
  return true;
}

/* ---- ties ---- */

/* Constraints may hold the two sides of a comparison equal; rounding would then decide it. So that a run can (motion/ties.c), what is
 * compared has a hidden number that speaks in the place of the two sides while it is not 0. */

static bool has_constraints(const ZwSystem* system) {
  for (int32_t i = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind == ZW_TERM_CONSTRAINT) return true;
  }
  return false;
}

static bool add_tie(ZwBuild* build, const Margins* margins, int32_t number) {
  ZwSystem* system = build->system;
  ZwMargin* margin = &system->margins.items[number];
  const ZwReads* reads = &margins->reads.items[number];
  bool is_left = margins->watched.items[number] || margin->kind == ZW_MARGIN_KINK || margin->is_of_time;
  if (is_left || reads->acceleration || reads->reaction) return true;
  ZwParam param = {
      .value = zw_expr_const(&system->graph, ZW_TIE_LOOSE), .is_used = true, .is_memory = true, .is_hidden = true};
  double start = ZW_TIE_LOOSE;
  margin->tie = system->params.count + 1;
  return ZW_PUSH(system->arena, &system->params, param) && ZW_PUSH(build->arena, &build->values, start);
}

/* What a node is while its margin is tied. */
static ZwExpr tied(ZwGraph* graph, ZwOp op, const ZwExpr* args, ZwExpr tie) {
  ZwExpr whole;
  switch (op) {
    case ZW_OP_SIGN:
      return zw_expr_sub(graph, tie, zw_expr_const(graph, ZW_TIE_ZERO));
    case ZW_OP_FLOOR:
      return zw_expr_unary(graph, ZW_OP_FLOOR, tie);
    case ZW_OP_MOD:
      whole = zw_expr_unary(graph, ZW_OP_FLOOR, tie);
      return zw_expr_sub(graph, args[0], zw_expr_mul(graph, args[1], whole));
    default:
      return zw_expr_binary(graph, op, tie, zw_expr_const(graph, ZW_TIE_ZERO));
  }
}

/* The margin of a node of a condition that may be tied, + 1; 0: none. */
static int32_t tie_of(ZwBuild* build, const Margins* margins, ZwNode node) {
  ZwExpr value = margin_of(build, node);
  if (!value.ref || value.ref >= (uint32_t)margins->places.count) return 0;
  int32_t number = margins->places.items[value.ref].at[false][kind_of(node.op)];
  return number > 0 ? build->system->margins.items[number - 1].tie : 0;
}

/* The condition with ties; ref 0 when memory is out. */
static ZwExpr with_ties(ZwBuild* build, const Margins* margins, ZwExpr condition) {
  ZwGraph* graph = &build->system->graph;
  ZwWalk* walk = &build->hold_walk;
  if (!zw_walk_collect(walk, graph, &condition, 1)) return (ZwExpr){0};
  ZwExpr* refs = ZW_NEW(build->arena, walk->order.count, ZwExpr);
  for (int32_t i = 0; refs && i < walk->order.count; i++) {
    ZwNode node = *zw_graph_node(graph, (ZwExpr){walk->order.items[i]});
    ZwExpr args[3] = {{0}};
    int arity = zw_op_arity(node.op);
    refs[i] = (ZwExpr){walk->order.items[i]};
    if (arity == 0) continue;
    for (int k = 0; k < arity; k++) args[k] = refs[zw_walk_place(walk, node.u.args[k])];
    int32_t param = tie_of(build, margins, node);
    graph->mark = node.mark;
    refs[i] = zw_expr_apply(graph, node.op, args[0], args[1], args[2]);
    if (param == 0) continue;
    ZwExpr tie = zw_expr_leaf(graph, ZW_OP_PARAM, param - 1);
    ZwExpr is_loose = zw_expr_binary(graph, ZW_OP_EQUAL, tie, zw_expr_const(graph, ZW_TIE_LOOSE));
    refs[i] = zw_expr_select(graph, is_loose, refs[i], tied(graph, node.op, args, tie));
  }
  return refs ? refs[walk->order.count - 1] : (ZwExpr){0};
}

/* The conditions of contacts stay as they are. */
static bool tie_conditions(ZwBuild* build, const Margins* margins) {
  ZwSystem* system = build->system;
  for (int32_t i = 0, number = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind != ZW_TERM_EVENT) continue;
    if (number >= margins->count) break;
    ZwExpr condition = margins->conditions[number];
    if (margins->is_of_contact[number++] || !condition.ref) continue;
    ZwExpr value = with_ties(build, margins, condition);
    if (!value.ref) return false;
    system->terms.items[i].held_value = value;
  }
  return true;
}

static bool add_ties(ZwBuild* build, const Margins* margins) {
  ZwSystem* system = build->system;
  if (!has_constraints(system)) return true;
  for (int32_t i = 0; i < system->margins.count; i++) {
    if (!add_tie(build, margins, i)) return false;
  }
  return tie_conditions(build, margins);
}

void zw_build_margins(ZwBuild* build) {
  ZwSystem* system = build->system;
  Margins margins = {0};
  if (system->event_value_count == 0 || !find_conditions(build, &margins)) return;
  uint32_t mark = system->graph.mark;
  if (!add_all(build, &margins, false) || !add_all(build, &margins, true)) return;
  system->graph.mark = mark;
  connect_signs(system, &margins);
  if (!connect_events(build, &margins) || !connect_values(build, &margins)) return;
  if (!connect_contacts(build, &margins)) return;
  connect_gaps(build, &margins);
  mark = system->graph.mark;
  bool is_fine = add_ties(build, &margins);
  system->graph.mark = mark;
  if (is_fine) (void)find_watched_forces(build);
}
