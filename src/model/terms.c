/* Statements that become terms: energies, forces, constraints, outputs; and the start and run statements. */
#include "model/builder.h"
#include "text/lexer.h"

/* Terms that drive the motion; the others are looked at between steps only. */
static bool is_of_motion(ZwTermKind kind) {
  return kind != ZW_TERM_OUTPUT && kind != ZW_TERM_CLAIM && kind != ZW_TERM_EVENT && kind != ZW_TERM_EXACT &&
         kind != ZW_TERM_QUASI;
}

bool zw_build_add_term(ZwBuild* build, ZwTerm term) {
  if (!term.value.ref) return false;
  bool is_held = is_of_motion(term.kind);
  term.held_value = is_held ? zw_build_hold(build, term.value) : term.value;
  term.held_rate = is_held && term.rate.ref ? zw_build_hold(build, term.rate) : term.rate;
  return !build->arena->failed && ZW_PUSH(build->arena, &build->system->terms, term);
}

/* ---- energies ---- */

void zw_build_energy(ZwBuild* build, const ZwAst* node) {
  static const struct {
    const char* word;
    ZwTermKind kind;
    ZwNotice notice;
  } kinds[] = {{"kinetic", ZW_TERM_KINETIC, ZW_NOTICE_KINETIC},
               {"potential", ZW_TERM_POTENTIAL, ZW_NOTICE_POTENTIAL},
               {"lagrangian", ZW_TERM_LAGRANGIAN, ZW_NOTICE_KINETIC},
               {"dissipation", ZW_TERM_DISSIPATION, ZW_NOTICE_NOTHING},
               {"gibbs", ZW_TERM_GIBBS, ZW_NOTICE_NOTHING}};
  for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++) {
    if (!zw_str_equal(node->text, zw_str_from(kinds[i].word))) continue;
    bool is_gibbs = kinds[i].kind == ZW_TERM_GIBBS;
    if (build->def->drawing) build->notice = kinds[i].notice;
    ZwExpr value = zw_build_checked_scalar(build, node->a, is_gibbs ? ZW_MAY_READ_ACCELERATION : ZW_MAY_READ_STATE,
                                           is_gibbs ? "a Gibbs function" : "an energy");
    build->notice = ZW_NOTICE_NOTHING;
    (void)zw_build_add_term(build, (ZwTerm){.kind = kinds[i].kind, .span = node->span, .value = value});
  }
}

/* ---- forces ---- */

/* The condition of a term that comes and goes; it may read memory, parameters and time. Ref 0: it is always there, or the
 * condition is wrong (`*is_right`). */
ZwExpr zw_build_while(ZwBuild* build, const ZwAst* condition, bool* is_right) {
  *is_right = true;
  if (!condition) return (ZwExpr){0};
  int32_t errors = build->diags->errors;
  ZwExpr gate = zw_build_condition(build, condition);
  *is_right = build->diags->errors == errors && gate.ref;
  if (!*is_right) return (ZwExpr){0};
  ZwReads reads = zw_expr_reads(&build->system->graph, gate);
  if (!reads.coord && !reads.velocity && !reads.acceleration && !reads.reaction) return gate;
  zw_diag_error(build->diags, ZW_ERR_VALUE, condition->span, "'while' may read memory, parameters and time only");
  zw_diag_remedy(build->diags, "let a 'when' set a memory, and read that");
  *is_right = false;
  return (ZwExpr){0};
}

/* force X = F: the rate of X is what F works on; it must be affine in the velocities. */
void zw_build_force(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = &build->system->graph;
  int32_t errors = build->diags->errors;
  ZwValue target = zw_build_checked(build, node->a, ZW_MAY_READ_STATE, "what a force works on");
  ZwValue value = zw_build_checked(build, node->b, ZW_MAY_READ_STATE, "a force");
  bool is_right;
  ZwExpr gate = zw_build_while(build, node->c, &is_right);
  if (!is_right || build->diags->errors > errors || build->arena->failed) return;
  if (!zw_value_match(graph, &target, &value)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->b->span, "the force is %s, what it works on %s",
                  zw_value_type(&value), zw_value_type(&target));
    return;
  }
  bool has_coord = false, has_velocity = false;
  for (int32_t k = 0; k < target.dim; k++) {
    ZwReads reads = zw_expr_reads(graph, target.c[k]);
    has_coord |= reads.coord;
    has_velocity |= reads.velocity;
  }
  if (!has_coord && !has_velocity) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->a->span, "a force works on something that moves, this does not");
    zw_diag_remedy(build->diags, "write force x = F for a coordinate x");
    return;
  }
  zw_build_mark(build, node->a);
  ZwValue rate = has_velocity ? target : zw_build_prime(build, &target, node->a->span);
  for (int32_t k = 0; k < target.dim; k++) {
    if (gate.ref) value.c[k] = zw_expr_select(graph, gate, value.c[k], zw_expr_const(graph, 0));
    (void)zw_build_add_term(
        build, (ZwTerm){.kind = ZW_TERM_FORCE, .span = node->span, .value = value.c[k], .rate = rate.c[k]});
  }
}

/* ---- constraints ---- */

/* Full names of constraints, contacts and outputs are unique, each among its own kind by `key`; false after a message. */
bool zw_build_take_label(ZwBuild* build, ZwStr key, ZwStr name, const ZwAst* node, ZwEntity entity, const char* what) {
  if (zw_build_is_out_of_memory(build)) return false;
  const ZwEntity* before = zw_scope_find_here(&build->labels, key);
  if (before) {
    ZwPlace place = zw_sources_place(build->diags->sources, before->span);
    zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "%s '%.*s' exists already, in line %d", what,
                  ZW_STR_ARGS(name), (int)place.line);
    zw_diag_remedy(build->diags,
                   build->is_in_loop ? "inside a loop write an index behind it, as in %.*s[i]"
                                     : "choose another name for one of them",
                   ZW_STR_ARGS(node->text));
    return false;
  }
  entity.name = key;
  entity.span = node->span;
  return zw_scope_add(&build->labels, entity) != NULL;
}

bool zw_build_label(ZwBuild* build, const ZwAst* node, ZwStr* name) {
  double key[ZW_ARRAY_RANK];
  if (node->label) {
    if (!zw_build_key(build, node->label->first, node->label->count, key, node->label->span)) return false;
    *name = zw_build_full_name(build, node->label->text, key, node->label->count);
  } else {
    ZwPlace place = zw_sources_place(build->diags->sources, node->span);
    *name = zw_str_from(zw_format(build->arena, "%sline %d", build->prefix, (int)place.line));
  }
  return name->data != NULL;
}

/* T1-T4: the highest derivative left after folding tells the level. */
bool zw_build_level(ZwBuild* build, ZwExpr residual, ZwLevel* level) {
  ZwReads reads = zw_expr_reads(&build->system->graph, residual);
  *level = reads.acceleration ? ZW_LEVEL_ACCELERATION : reads.velocity ? ZW_LEVEL_VELOCITY : ZW_LEVEL_POSITION;
  return reads.coord || reads.velocity || reads.acceleration;
}

static bool residual_of(ZwBuild* build, const ZwAst* left, const ZwAst* right, ZwMayRead may_read, const char* what,
                        ZwValue* residual) {
  ZwGraph* graph = &build->system->graph;
  int32_t errors = build->diags->errors;
  ZwValue a = zw_build_checked(build, left, may_read, what), b = zw_build_checked(build, right, may_read, what);
  if (build->diags->errors > errors || build->arena->failed) return false;
  if (!zw_value_match(graph, &a, &b)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, zw_span_join(left->span, right->span),
                  "the left side is %s, the right side %s", zw_value_type(&a), zw_value_type(&b));
    return false;
  }
  if (build->notice == ZW_NOTICE_CONSTRAINT) zw_build_notice_joint(build, &a, &b);
  zw_build_mark(build, left);
  *residual = zw_value_sub(graph, &a, &b);
  return !build->arena->failed;
}

/* A sum of squares, or a root of one, that shall be zero: its gradient vanishes, or is 0/0, exactly where it holds. */
static bool is_square_sum(ZwBuild* build, ZwExpr e) {
  ZwGraph* graph = &build->system->graph;
  ZwNode node = *zw_graph_node(graph, e);
  if (node.op == ZW_OP_SQRT || node.op == ZW_OP_NEG) return is_square_sum(build, (ZwExpr){node.u.args[0]});
  for (int depth = 0; node.op == ZW_OP_ADD && depth < 3; depth++) {
    ZwNode last = *zw_graph_node(graph, (ZwExpr){node.u.args[1]});
    if (last.op != ZW_OP_POW || !zw_expr_is_const(graph, (ZwExpr){last.u.args[1]}, 2)) return false;
    node = *zw_graph_node(graph, (ZwExpr){node.u.args[0]});
  }
  return node.op == ZW_OP_POW && zw_expr_is_const(graph, (ZwExpr){node.u.args[1]}, 2);
}

static bool is_well_posed(ZwBuild* build, const ZwAst* node, const ZwValue* residual) {
  if (residual->dim > 1 || !is_square_sum(build, residual->c[0])) return true;
  zw_diag_error(build->diags, ZW_ERR_CONSTRAINT, zw_span_join(node->a->span, node->b->span),
                "a square or a length that shall be zero has no gradient exactly where it holds");
  zw_diag_remedy(build->diags, "write what it means: P = Q for points, x = 0 and y = 0 for components");
  return false;
}

void zw_build_constraint(ZwBuild* build, const ZwAst* node) {
  ZwSystem* system = build->system;
  ZwValue residual;
  ZwStr name = {"", 0};
  bool is_right;
  ZwExpr gate = zw_build_while(build, node->c, &is_right);
  if (build->def->drawing) build->notice = ZW_NOTICE_CONSTRAINT;
  bool has_residual = residual_of(build, node->a, node->b, ZW_MAY_READ_ACCELERATION, "a constraint", &residual);
  build->notice = ZW_NOTICE_NOTHING;
  if (!has_residual) return;
  if (!zw_build_label(build, node, &name) || !is_well_posed(build, node, &residual) || !is_right) return;
  int32_t mode = gate.ref ? zw_build_gate(build, gate) : 0;
  ZwEntity label = {.kind = ZW_ENTITY_LET, .value = {.dim = residual.dim}};
  for (int32_t k = 0; k < residual.dim; k++) {
    label.value.c[k] = zw_expr_leaf(&system->graph, ZW_OP_REACTION, system->row_count + k);
  }
  if (node->label && !zw_build_take_label(build, name, name, node->label, label, "a constraint")) return;
  for (int32_t k = 0; k < residual.dim; k++) {
    ZwTerm term = {.kind = ZW_TERM_CONSTRAINT, .span = node->span, .value = residual.c[k], .gate = mode};
    if (!zw_build_level(build, residual.c[k], &term.level)) {
      zw_diag_error(build->diags, ZW_ERR_CONSTRAINT, zw_span_join(node->a->span, node->b->span),
                    residual.dim == 1 ? "this constraint holds no coordinate: it restricts nothing"
                                      : "component %c of this constraint holds no coordinate: it restricts nothing",
                    'x' + k);
      zw_diag_remedy(build->diags, "a constraint is an equation between coordinates, as in: constraint x^2 + y^2 = 1");
      return;
    }
    term.name = zw_build_component_name(build, name, residual.dim, k);
    (void)zw_build_add_term(build, term);
    system->row_count++;
  }
}

/* ---- outputs and quasi-velocities ---- */

static void add_output(ZwBuild* build, const ZwAst* item, ZwStr name, const char* primes, const ZwValue* value) {
  for (int32_t k = 0; k < value->dim; k++) {
    ZwTerm term = {.kind = ZW_TERM_OUTPUT,
                   .span = item->span,
                   .name = zw_build_component_name(build, name, value->dim, k),
                   .value = value->c[k]};
    if (primes[0])
      term.name = zw_str_from(zw_format(build->arena, "%.*s%s", ZW_STR_ARGS(term.name), primes)); /* P.x' */
    zw_build_check_column(build, item->span, term.name);
    (void)zw_build_add_term(build, term);
  }
}

static bool take_output(ZwBuild* build, const ZwAst* item, ZwStr name) {
  ZwStr key = zw_str_from(zw_format(build->arena, "output %.*s", ZW_STR_ARGS(name))); /* not a constraint's name */
  if (!key.data) return false;
  return zw_build_take_label(build, key, name, item, (ZwEntity){.kind = ZW_ENTITY_OUTPUT}, "an output");
}

/* output x, output x', output x[3]: records what is named */
static void record_name(ZwBuild* build, const ZwAst* item) {
  ZwAst name = {.kind = ZW_AST_NAME, .id = item->id, .span = zw_name_span(build, item), .text = item->text};
  ZwAst element = {
      .kind = ZW_AST_INDEX, .id = item->id, .span = item->span, .a = &name, .first = item->first, .count = item->count};
  const ZwAst* named = item->count > 0 ? &element : &name;
  ZwAst primed = {.kind = ZW_AST_PRIMED,
                  .id = item->id,
                  .span = item->span,
                  .a = (ZwAst*)(uintptr_t)named,
                  .count = (int32_t)item->number};
  double key[ZW_ARRAY_RANK];
  ZwValue value = zw_build_checked(build, item->number > 0 ? &primed : named, ZW_MAY_READ_QUANTITY, "an output");
  if (item->count > 0 && !zw_build_key(build, item->first, item->count, key, item->span)) return;
  ZwStr full = zw_build_full_name(build, item->text, key, item->count);
  const char* primes = item->number > 1 ? "''" : item->number > 0 ? "'" : "";
  ZwStr label = zw_str_from(zw_format(build->arena, "%.*s%s", ZW_STR_ARGS(full), primes));
  if (label.data && take_output(build, item, label)) add_output(build, item, full, primes, &value);
}

static void define_output(ZwBuild* build, const ZwAst* item, ZwMayRead may_read, const char* what) {
  double key[ZW_ARRAY_RANK];
  ZwValue value = zw_build_checked(build, item->a, may_read, what);
  if (item->number > 0) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, item->span, "the name of an output has no prime");
    zw_diag_remedy(build->diags, "write output name = expression");
    return;
  }
  if (item->count > 0 && !zw_build_key(build, item->first, item->count, key, item->span)) return;
  ZwStr full = zw_build_full_name(build, item->text, key, item->count);
  ZwEntity entity = {.kind = ZW_ENTITY_OUTPUT, .name = item->text, .span = zw_name_span(build, item), .value = value};
  if (!take_output(build, item, full) || !zw_build_declare_element(build, item, entity)) return;
  add_output(build, item, full, "", &value);
}

void zw_build_outputs(ZwBuild* build, const ZwAst* node) {
  for (const ZwAst* item = node->first; item; item = item->next) {
    if (item->a)
      define_output(build, item, ZW_MAY_READ_QUANTITY, "an output");
    else
      record_name(build, item);
  }
}

/* A quasi-velocity is an output that may also carry the motion (T16): for each of its components there is a term. */
static void add_quasi(ZwBuild* build, const ZwAst* item, int32_t first_output) {
  ZwSystem* system = build->system;
  int32_t end = system->terms.count;
  for (int32_t i = first_output; i < end; i++) {
    ZwTerm term = system->terms.items[i];
    if (zw_build_level(build, term.value, &term.level) && term.level == ZW_LEVEL_VELOCITY) {
      term.kind = ZW_TERM_QUASI;
      (void)zw_build_add_term(build, term);
      continue;
    }
    zw_diag_error(build->diags, ZW_ERR_VALUE, item->a->span, "'%.*s' holds no velocity", ZW_STR_ARGS(term.name));
    zw_diag_remedy(build->diags, "a quasi-velocity is made of velocities, as in: quasi u = x'*cos(phi) + y'*sin(phi)");
  }
}

void zw_build_quasi(ZwBuild* build, const ZwAst* node) {
  for (const ZwAst* item = node->first; item; item = item->next) {
    if (!item->a) {
      zw_diag_error(build->diags, ZW_ERR_SYNTAX, item->span,
                    "a quasi-velocity needs a definition, as in: quasi u = x'");
      continue;
    }
    int32_t first_output = build->system->terms.count, errors = build->diags->errors;
    define_output(build, item, ZW_MAY_READ_STATE, "a quasi-velocity");
    if (build->diags->errors == errors) add_quasi(build, item, first_output);
  }
}

/* ---- start ---- */

static void start_exactly(ZwBuild* build, const ZwAst* assign) {
  ZwValue residual;
  if (!residual_of(build, assign->a, assign->b, ZW_MAY_READ_STATE, "an exact start", &residual)) return;
  ZwStr text = zw_build_quote(build, assign->span);
  for (int32_t k = 0; k < residual.dim; k++) {
    ZwTerm term = {.kind = ZW_TERM_EXACT, .span = assign->span, .name = text, .value = residual.c[k]};
    if (!zw_build_level(build, residual.c[k], &term.level)) {
      zw_diag_error(build->diags, ZW_ERR_VALUE, assign->a->span, "this does not move: it has no start value");
      return;
    }
    (void)zw_build_add_term(build, term);
  }
}

static void set_start(ZwBuild* build, const ZwAst* assign, ZwOp op, int32_t index, ZwExpr value) {
  ZwCoord* coord = &build->system->coords.items[index];
  bool is_velocity = op == ZW_OP_VELOCITY;
  bool* is_started = is_velocity ? &coord->is_started_v : &coord->is_started_q;
  if (*is_started) {
    ZwPlace place = zw_sources_place(build->diags->sources, is_velocity ? coord->start_v_span : coord->start_q_span);
    zw_diag_error(build->diags, ZW_ERR_NAME, assign->span, "a second start value for %.*s%s; the first is in line %d",
                  ZW_STR_ARGS(coord->name), is_velocity ? "'" : "", (int)place.line);
    zw_diag_remedy(build->diags, "remove one of them");
    return;
  }
  *is_started = true;
  *(is_velocity ? &coord->start_v : &coord->start_q) = value;
  *(is_velocity ? &coord->start_v_span : &coord->start_q_span) = assign->b->span;
  *(is_velocity ? &coord->hold_v : &coord->hold_q) = ZW_HOLD_TYPED;
}

bool zw_build_assignment(ZwBuild* build, const ZwAst* assign, ZwMayRead may_read, const char* what, ZwValue* target,
                         ZwValue* value) {
  ZwGraph* graph = &build->system->graph;
  int32_t errors = build->diags->errors;
  *target = zw_build_value(build, assign->a);
  *value = zw_build_checked(build, assign->b, may_read, what);
  if (build->diags->errors > errors || build->arena->failed) return false;
  if (zw_value_is_zero(graph, value)) *value = zw_value_zero(graph, target->dim);
  if (target->dim == value->dim) return true;
  zw_diag_error(build->diags, ZW_ERR_TYPE, assign->span, "the left side is %s, the right side %s",
                zw_value_type(target), zw_value_type(value));
  return false;
}

/* start x = 1, P' = (1, 0): targets are coordinates and velocities */
static void start_value(ZwBuild* build, const ZwAst* assign) {
  const ZwGraph* graph = &build->system->graph;
  ZwValue target, value;
  if (!zw_build_assignment(build, assign, ZW_MAY_READ_PARAMS, "a start value", &target, &value)) return;
  for (int32_t k = 0; k < target.dim; k++) {
    ZwNode node = *zw_graph_node(graph, target.c[k]);
    if (node.op != ZW_OP_COORD && node.op != ZW_OP_VELOCITY) {
      zw_diag_error(build->diags, ZW_ERR_VALUE, assign->a->span, "a start value is for a coordinate or its velocity");
      zw_diag_remedy(build->diags, "write start x = 1 or start x' = 1; 'start exactly' takes any expression");
      return;
    }
    set_start(build, assign, node.op, node.u.index, value.c[k]);
  }
}

void zw_build_start(ZwBuild* build, const ZwAst* node) {
  for (const ZwAst* assign = node->first; assign; assign = assign->next) {
    if (node->is_exact)
      start_exactly(build, assign);
    else
      start_value(build, assign);
  }
}

/* ---- run ---- */

/* A number behind a word: every 0.01 */
static void build_run_number(ZwBuild* build, const ZwAst* option, const char* what, ZwExpr* value, ZwSpan* span) {
  if (value->ref) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, option->span, "'%.*s' is stated twice", ZW_STR_ARGS(option->text));
  }
  *value = zw_build_checked_scalar(build, option->a, ZW_MAY_READ_PARAMS, what);
  *span = option->a->span;
}

static void build_run_option(ZwBuild* build, const ZwAst* option) {
  ZwRunSpec* run = &build->system->run;
  if (zw_str_equal(option->text, ZW_STR("every"))) {
    build_run_number(build, option, "'every'", &run->every, &run->every_span);
  } else if (zw_str_equal(option->text, ZW_STR("tolerance"))) {
    build_run_number(build, option, "the tolerance", &run->tolerance, &run->tolerance_span);
  } else if (zw_str_equal(option->text, ZW_STR("step"))) {
    build_run_number(build, option, "the step", &run->step, &run->step_span);
  } else {
    if (run->integrator.size > 0) {
      zw_diag_error(build->diags, ZW_ERR_SYNTAX, option->span, "'integrator' is stated twice");
    }
    run->integrator = option->label->text;
    run->integrator_span = option->label->span;
  }
}

/* How long a run is that ends at its start and something more; ref 0: it is not written so. */
static ZwExpr build_length(ZwBuild* build, const ZwAst* to, ZwExpr from) {
  static const char what[] = "the end of a run";
  ZwGraph* graph = &build->system->graph;
  if (to->kind != ZW_AST_SUM || build->diags->errors > 0) return (ZwExpr){0};
  if (!zw_expr_equal(zw_build_checked_scalar(build, to->first, ZW_MAY_READ_PARAMS, what), from)) return (ZwExpr){0};
  ZwExpr length = zw_expr_const(graph, 0);
  for (const ZwAst* member = to->first->next; member; member = member->next) {
    ZwExpr more = zw_build_checked_scalar(build, member, ZW_MAY_READ_PARAMS, what);
    bool is_minus = member->lead == (int32_t)ZW_TOKEN_MINUS;
    length = is_minus ? zw_expr_sub(graph, length, more) : zw_expr_add(graph, length, more);
  }
  return length;
}

void zw_build_run(ZwBuild* build, const ZwAst* node) {
  ZwRunSpec* run = &build->system->run;
  if (build->is_in_component || build->is_in_loop) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span, "'run' stands at file level only");
    return;
  }
  if (run->is_stated) {
    ZwPlace place = zw_sources_place(build->diags->sources, run->span);
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span, "a second 'run'; the first is in line %d", (int)place.line);
    zw_diag_remedy(build->diags, "a model runs once; remove one of them");
    return;
  }
  *run = (ZwRunSpec){.is_stated = true, .span = node->span, .from_span = node->a->span, .to_span = node->b->span};
  run->from = zw_build_checked_scalar(build, node->a, ZW_MAY_READ_PARAMS, "the start of a run");
  run->to = zw_build_checked_scalar(build, node->b, ZW_MAY_READ_PARAMS, "the end of a run");
  run->length = build_length(build, node->b, run->from);
  for (const ZwAst* option = node->first; option; option = option->next) build_run_option(build, option);
}
