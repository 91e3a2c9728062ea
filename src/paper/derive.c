#include "expr/diff.h"
#include "paper/explicit.h"
#include "paper/extremum.h"
#include "paper/gibbs.h"
#include "paper/paper.h"
#include "paper/recursion.h"

/* ---- from the system's graph into the paper's ---- */

ZwExpr zw_paper_copy(ZwSheet* paper, const ZwGraph* from, ZwExpr e, ZwLeafFn leaf, void* context) {
  ZwWalk walk;
  zw_walk_init(&walk, paper->arena);
  if (!e.ref || !zw_walk_collect(&walk, from, &e, 1) || !zw_walk_reserve_values(&walk)) return (ZwExpr){0};
  ZwExpr* values = walk.values.items;
  for (int32_t i = 0; i < walk.order.count; i++) {
    const ZwNode* node = zw_graph_node(from, (ZwExpr){walk.order.items[i]});
    ZwExpr args[3] = {{0}};
    for (int k = 0; k < zw_op_arity(node->op); k++) args[k] = values[zw_walk_place(&walk, node->u.args[k])];
    if (zw_op_arity(node->op) > 0)
      values[i] = zw_expr_apply(&paper->graph, node->op, args[0], args[1], args[2]);
    else if (node->op == ZW_OP_CONST)
      values[i] = zw_expr_const(&paper->graph, node->u.value);
    else
      values[i] = leaf(&paper->graph, node->op, node->u.index, context);
  }
  return paper->arena->failed ? (ZwExpr){0} : values[walk.order.count - 1];
}

static ZwExpr same_leaf(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const ZwSystem* system = context;
  if (leaf == ZW_OP_PARAM && system->params.items[index].is_hidden) {
    return zw_expr_const(graph, zw_graph_node(&system->graph, system->params.items[index].value)->u.value);
  }
  return zw_expr_leaf(graph, leaf, index);
}

static ZwExpr own(ZwSheet* paper, ZwExpr e) {
  return zw_paper_copy(paper, &paper->system->graph, e, same_leaf, (void*)(uintptr_t)paper->system);
}

/* ---- helpers ---- */

static ZwExpr number(ZwSheet* paper, double value) {
  return zw_expr_const(&paper->graph, value);
}

ZwExpr* zw_paper_zeros(ZwSheet* paper, int32_t rows, int32_t columns) {
  ptrdiff_t count = (ptrdiff_t)rows * columns;
  ZwExpr* list = ZW_NEW(paper->arena, count + 1, ZwExpr);
  for (ptrdiff_t i = 0; list && i < count; i++) list[i] = number(paper, 0);
  return list;
}

void zw_paper_add(ZwSheet* paper, ZwExpr* sum, ZwExpr a, ZwExpr b, double sign) {
  ZwExpr product = zw_expr_mul(&paper->graph, a, b);
  *sum = sign > 0 ? zw_expr_add(&paper->graph, *sum, product) : zw_expr_sub(&paper->graph, *sum, product);
}

static ZwExpr* gradient(ZwSheet* paper, ZwExpr e, ZwOp leaf) {
  ZwExpr* result = ZW_NEW(paper->arena, paper->n + 1, ZwExpr);
  if (!result || !zw_diff_gradient(&paper->graph, &paper->tidy.walk, e, leaf, 0, paper->n, result)) return NULL;
  return result;
}

static ZwExpr drift(ZwSheet* paper, ZwExpr e) {
  return zw_diff_drift(&paper->graph, &paper->tidy.walk, e);
}

static void add_to(ZwSheet* paper, ZwExpr* sum, ZwExpr e, double sign) {
  *sum = sign > 0 ? zw_expr_add(&paper->graph, *sum, e) : zw_expr_sub(&paper->graph, *sum, e);
}

/* ---- terms ---- */

/* M += d2S/da2, h -= dS/da at a = 0 */
static void add_gibbs(ZwSheet* paper, ZwExpr S) {
  const ZwExpr* slope = gradient(paper, S, ZW_OP_ACCELERATION);
  paper->has_gibbs = true;
  for (int32_t i = 0; slope && i < paper->n; i++) {
    const ZwExpr* bend = gradient(paper, slope[i], ZW_OP_ACCELERATION);
    for (int32_t j = 0; bend && j < paper->n; j++) add_to(paper, &paper->M[i * paper->n + j], bend[j], 1);
    add_to(paper, &paper->h[i], zw_expr_without_acceleration(&paper->graph, &paper->tidy.walk, slope[i]), -1);
  }
}

/* Q = F d(rate)/dv, Q = -dR/dv */
static void add_force(ZwSheet* paper, const ZwTerm* term) {
  bool is_force = term->kind == ZW_TERM_FORCE;
  const ZwExpr* lever = gradient(paper, own(paper, is_force ? term->rate : term->value), ZW_OP_VELOCITY);
  ZwExpr F = is_force ? own(paper, term->value) : number(paper, -1);
  for (int32_t i = 0; lever && i < paper->n; i++)
    add_to(paper, &paper->Q[i], zw_expr_mul(&paper->graph, F, lever[i]), 1);
}

/* M = d2L/dv dv, h = dL/dq - (d2L/dv dq) v - d2L/dv dt */
static void differentiate_L(ZwSheet* paper) {
  const ZwExpr *momentum = gradient(paper, paper->L, ZW_OP_VELOCITY), *force = gradient(paper, paper->L, ZW_OP_COORD);
  for (int32_t i = 0; momentum && force && i < paper->n; i++) {
    /* tidied once before it is differentiated again: what cancels here need not be carried along */
    ZwExpr p = zw_tidy(&paper->tidy, momentum[i]);
    const ZwExpr* bend = p.ref ? gradient(paper, p, ZW_OP_VELOCITY) : NULL;
    for (int32_t j = 0; bend && j < paper->n; j++) add_to(paper, &paper->M[i * paper->n + j], bend[j], 1);
    add_to(paper, &paper->h[i], force[i], 1);
    add_to(paper, &paper->h[i], drift(paper, p), -1);
  }
}

/* KU93 (10): what is linear in the velocities, and what is without. */
static void derive_split(ZwSheet* paper) {
  for (int32_t i = 0; i < paper->n * paper->n; i++) {
    if (zw_tidy_facts(&paper->tidy, paper->M[i].ref)->reads & ZW_READS_VELOCITY) return;
  }
  ZwExpr whole = paper->has_lagrangian ? paper->L : paper->T;
  const ZwExpr* momentum = gradient(paper, whole, ZW_OP_VELOCITY);
  ZwExpr* p0 = zw_paper_zeros(paper, paper->n, 1);
  bool is_plain = true;
  for (int32_t i = 0; momentum && p0 && i < paper->n; i++) {
    ZwExpr e = zw_expr_without_velocity(&paper->graph, &paper->tidy.walk, momentum[i]);
    p0[i] = zw_tidy(&paper->tidy, e);
    is_plain = is_plain && zw_expr_is_const(&paper->graph, p0[i], 0);
  }
  paper->T0 = zw_tidy(&paper->tidy, zw_expr_without_velocity(&paper->graph, &paper->tidy.walk, whole));
  bool is_rest_zero = paper->has_lagrangian || zw_expr_is_const(&paper->graph, paper->T0, 0);
  if (!is_plain || !is_rest_zero) paper->p0 = p0;
}

static void derive_row(ZwSheet* paper, const ZwTerm* term, ZwPaperRow* row) {
  static const ZwOp leaves[] = {ZW_OP_COORD, ZW_OP_VELOCITY, ZW_OP_ACCELERATION}; /* ORDER LEVEL */
  ZwExpr value = own(paper, term->value), rest = value;
  *row = (ZwPaperRow){.name = term->name, .level = term->level};
  row->A = gradient(paper, value, leaves[term->level]);
  if (term->level == ZW_LEVEL_POSITION) rest = drift(paper, drift(paper, value));
  if (term->level == ZW_LEVEL_VELOCITY) rest = drift(paper, value);
  if (term->level == ZW_LEVEL_ACCELERATION)
    rest = zw_expr_without_acceleration(&paper->graph, &paper->tidy.walk, value);
  row->value = zw_tidy(&paper->tidy, value);
  row->b = zw_tidy(&paper->tidy, zw_expr_neg(&paper->graph, rest));
  for (int32_t i = 0; row->A && i < paper->n; i++) row->A[i] = zw_tidy(&paper->tidy, row->A[i]);
}

static void add_row(ZwSheet* paper, const ZwTerm* term, int32_t* row, int32_t* of_contact) {
  ZwPaperRow* to = term->contact == 0 ? &paper->rows[(*row)++] : &paper->rows[paper->m + (*of_contact)++];
  derive_row(paper, term, to);
  to->contact = term->contact;
}

static void add_term(ZwSheet* paper, const ZwTerm* term, int32_t* row, int32_t* of_contact, int32_t* quasi) {
  switch (term->kind) {
    case ZW_TERM_KINETIC:
      add_to(paper, &paper->L, own(paper, term->value), 1);
      add_to(paper, &paper->T, own(paper, term->value), 1);
      break;
    case ZW_TERM_LAGRANGIAN:
      add_to(paper, &paper->L, own(paper, term->value), 1);
      paper->has_lagrangian = true;
      break;
    case ZW_TERM_POTENTIAL:
      add_to(paper, &paper->L, own(paper, term->value), -1);
      break;
    case ZW_TERM_DISSIPATION:
    case ZW_TERM_FORCE:
      add_force(paper, term);
      break;
    case ZW_TERM_GIBBS:
      add_gibbs(paper, own(paper, term->value));
      break;
    case ZW_TERM_CONSTRAINT:
      add_row(paper, term, row, of_contact);
      break;
    case ZW_TERM_QUASI:
      paper->quasi_names[(*quasi)++] = term->name;
      break;
    default:
      break;
  }
}

/* ---- quasi-velocities ---- */

/* The rows as conditions on the velocities: constraints on positions are differentiated once. */
static const char* quasi_rows(ZwSheet* paper, ZwExpr* rows) {
  for (int32_t i = 0, row = 0; i < paper->system->terms.count; i++) {
    const ZwTerm* term = &paper->system->terms.items[i];
    if (term->kind != ZW_TERM_CONSTRAINT || term->contact > 0) continue;
    if (term->level == ZW_LEVEL_ACCELERATION) return "a constraint holds on accelerations only";
    ZwExpr value = own(paper, term->value);
    rows[row++] = term->level == ZW_LEVEL_POSITION ? drift(paper, value) : value;
  }
  return NULL;
}

static const char* derive_quasi(ZwSheet* paper) {
  if (paper->p + paper->m != paper->n)
    return "constraints and quasi-velocities together are not as many as coordinates";
  ZwExpr *nu = zw_paper_zeros(paper, paper->p, 1), *rows = zw_paper_zeros(paper, paper->m, 1);
  if (!nu || !rows) return NULL;
  for (int32_t i = 0, k = 0; i < paper->system->terms.count; i++) {
    const ZwTerm* term = &paper->system->terms.items[i];
    if (term->kind == ZW_TERM_QUASI) nu[k++] = own(paper, term->value);
  }
  const char* why = quasi_rows(paper, rows);
  if (why) return why;
  /* velocities are replaced by quasi-velocities in what is given, which steps would hide */
  ZwExpr constant = paper->G_steps > 0 ? (ZwExpr){0} : paper->G_constant;
  ZwQuasiGiven given = {paper->n, paper->p, nu, rows, paper->M, paper->h, paper->Q, constant};
  switch (zw_quasi_derive(&paper->tidy, &given, &paper->quasi)) {
    case ZW_QUASI_TOO_LARGE:
      return "there are too many coordinates to solve for the velocities on paper";
    case ZW_QUASI_SINGULAR:
      return "they depend on each other or on the constraints";
    case ZW_QUASI_NOT_AFFINE:
      return "a constraint or quasi-velocity is not affine in the velocities";
    case ZW_QUASI_FINE:
      break;
  }
  return NULL;
}

static void count_terms(ZwSheet* paper) {
  for (int32_t i = 0; i < paper->system->terms.count; i++) {
    const ZwTerm* term = &paper->system->terms.items[i];
    paper->m += term->kind == ZW_TERM_CONSTRAINT && term->contact == 0;
    paper->contact_rows += term->kind == ZW_TERM_CONSTRAINT && term->contact > 0;
    paper->p += term->kind == ZW_TERM_QUASI;
  }
}

/* ---- contacts ---- */

ZwExpr zw_paper_event_value(ZwSheet* paper, int32_t number) {
  const ZwSystem* system = paper->system;
  for (int32_t i = 0, at = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind != ZW_TERM_EVENT) continue;
    if (at++ == number) return zw_tidy(&paper->tidy, own(paper, system->terms.items[i].value));
  }
  return (ZwExpr){0};
}

/* ---- what is solved ---- */

static bool is_solved(const ZwPaperWish* wish) {
  return wish && (wish->is_explicit || wish->has_partition || wish->has_bellman);
}

bool zw_paper_is_whole(int32_t n, const ZwPaperWish* wish) {
  return n <= (is_solved(wish) ? ZW_PAPER_WHOLE : ZW_PAPER_COORDS);
}

static void solve(ZwSheet* paper, ZwPaperWish* wish) {
  ZwPaperStates* states = zw_paper_states(paper);
  ZwExplicit* x = ZW_NEW(paper->arena, 1, ZwExplicit);
  ZwPaperPartition* partition = ZW_NEW(paper->arena, 1, ZwPaperPartition);
  ZwPaperRecursion* bellman = ZW_NEW(paper->arena, 1, ZwPaperRecursion);
  if (paper->arena->failed) return;
  if (wish->is_explicit) {
    paper->explicit_ = x;
    zw_explicit_derive(states, x);
  } else {
    zw_independent_find(states, &x->rows);
  }
  wish->rank = x->rows.r;
  if (wish->has_partition && !paper->arena->failed) {
    paper->partition = partition;
    zw_paper_partition(states, &x->rows, wish->eliminate, wish->eliminate_count, false, partition);
    wish->dependent = partition->dependent;
    wish->is_refused = wish->dependent >= 0 || (wish->eliminate && wish->eliminate_count != x->rows.r);
  }
  if (wish->has_bellman && !wish->is_refused && !paper->arena->failed) {
    paper->bellman = bellman;
    zw_paper_recursion(states, &x->rows, wish->order, wish->order_count, bellman);
    wish->dependent = bellman->dependent;
    wish->is_refused = wish->dependent >= 0;
  }
}

/* ---- all ---- */

void zw_paper_derive(ZwSheet* paper, ZwArena* arena, const ZwSystem* system, ZwPaperWish* wish) {
  *paper = (ZwSheet){.arena = arena, .system = system, .n = system->coords.count};
  zw_graph_init(&paper->graph, arena);
  zw_tidy_init(&paper->tidy, &paper->graph, arena);
  count_terms(paper);
  int32_t n = paper->n, row = 0, of_contact = 0, quasi = 0;
  if (wish) paper->letters = wish->letters;
  paper->L = paper->T = number(paper, 0);
  paper->M = zw_paper_zeros(paper, n, n);
  paper->h = zw_paper_zeros(paper, n, 1);
  paper->Q = zw_paper_zeros(paper, n, 1);
  paper->rows = ZW_NEW(arena, paper->m + paper->contact_rows + 1, ZwPaperRow);
  paper->quasi_names = ZW_NEW(arena, paper->p + 1, ZwStr);
  if (arena->failed) return;
  for (int32_t i = 0; i < system->terms.count; i++) add_term(paper, &system->terms.items[i], &row, &of_contact, &quasi);
  if (arena->failed) return;
  differentiate_L(paper);
  paper->L = zw_tidy_energy(&paper->tidy, paper->L);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j <= i; j++) {
      paper->M[i * n + j] = paper->M[j * n + i] = zw_tidy(&paper->tidy, paper->M[i * n + j]);
    }
    paper->h[i] = zw_tidy(&paper->tidy, paper->h[i]);
    paper->Q[i] = zw_tidy(&paper->tidy, paper->Q[i]);
  }
  if (arena->failed) return;
  derive_split(paper);
  zw_paper_gibbs(paper);
  if (paper->p > 0 && !arena->failed) paper->quasi_why = derive_quasi(paper);
  if (!arena->failed && n <= ZW_PAPER_COORDS) zw_paper_metric(paper);
  /* from here on h is the whole right side */
  for (int32_t i = 0; i < n && !arena->failed; i++) {
    if (zw_expr_is_const(&paper->graph, paper->Q[i], 0)) continue;
    paper->h[i] = zw_tidy(&paper->tidy, zw_expr_add(&paper->graph, paper->h[i], paper->Q[i]));
  }
  if (!arena->failed && zw_paper_is_whole(n, wish)) paper->is_saddle = zw_paper_is_saddle(paper);
  if (is_solved(wish) && !arena->failed) solve(paper, wish);
}
