#include "model/elaborate.h"

#include "model/builder.h"

/* ---- declarations ---- */

static bool is_function_name(ZwStr name) {
  static const char* const vector_functions[] = {"dot", "cross", "norm", "unit", "diff", "reaction", "table"};
  for (int i = 0; i < (int)(sizeof vector_functions / sizeof *vector_functions); i++) {
    if (zw_str_equal(name, zw_str_from(vector_functions[i]))) return true;
  }
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    if (zw_op_form((ZwOp)op) == ZW_FORM_CALL && zw_str_equal(name, zw_str_from(zw_op_text((ZwOp)op)))) return true;
  }
  return false;
}

/* Puts a name into the current scope, or says why it cannot stand there. */
static bool declare(ZwBuild* build, ZwEntity entity) {
  const ZwEntity* before = zw_scope_find_here(build->scope, entity.name);
  if (before) {
    ZwPlace place = zw_sources_place(build->diags->sources, before->span);
    zw_diag_error(build->diags, ZW_ERR_NAME, entity.span, "'%.*s' is declared already, in line %d",
                  ZW_STR_ARGS(entity.name), (int)place.line);
    zw_diag_remedy(build->diags, "choose another name for one of them");
    return false;
  }
  if (is_function_name(entity.name)) {
    zw_diag_error(build->diags, ZW_ERR_NAME, entity.span, "'%.*s' is a function of the language",
                  ZW_STR_ARGS(entity.name));
    zw_diag_remedy(build->diags, "choose another name");
    return false;
  }
  return zw_scope_add(build->scope, entity);
}

/* The span of a declaration's name alone. */
static ZwSpan name_span(const ZwAst* decl) {
  return (ZwSpan){decl->span.file, decl->span.begin, decl->span.begin + decl->text.size};
}

static const ZwSetting* find_setting(const ZwSetting* settings, int32_t count, ZwStr name) {
  for (int32_t i = count - 1; i >= 0; i--) { /* the last one counts */
    if (zw_str_equal(settings[i].name, name)) return &settings[i];
  }
  return NULL;
}

static void build_param(ZwBuild* build, const ZwAst* decl, const ZwSetting* settings, int32_t setting_count) {
  if (decl->count > 0) {
    zw_build_not_yet(build, decl->span, "arrays of parameters are");
    return;
  }
  ZwParam param = {.name = decl->text, .span = name_span(decl)};
  const ZwSetting* setting = find_setting(settings, setting_count, decl->text);
  if (!decl->a) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, decl->span, "the parameter '%.*s' has no value", ZW_STR_ARGS(decl->text));
    zw_diag_remedy(build->diags, "write param %.*s = 1", ZW_STR_ARGS(decl->text));
    param.value = zw_expr_const(&build->system->graph, 0);
  } else {
    param.value = zw_build_checked(build, decl->a, ZW_MAY_READ_PARAMS, "the value of a parameter");
  }
  if (setting) param.value = zw_build_checked(build, setting->value, ZW_MAY_READ_PARAMS, "the value of a parameter");
  ZwEntity entity = {ZW_ENTITY_PARAM, decl->text, param.span, build->system->params.count, {0}};
  if (declare(build, entity)) (void)ZW_PUSH(build->arena, &build->system->params, param);
}

static void build_coord(ZwBuild* build, const ZwAst* decl) {
  if (decl->count > 0) {
    zw_build_not_yet(build, decl->span, "arrays of coordinates are");
    return;
  }
  ZwCoord coord = {.name = decl->text, .span = name_span(decl)};
  if (decl->a) {
    coord.start_q = zw_build_checked(build, decl->a, ZW_MAY_READ_PARAMS, "a start value");
    coord.start_q_span = decl->a->span;
  }
  ZwEntity entity = {ZW_ENTITY_COORD, decl->text, coord.span, build->system->coords.count, {0}};
  if (declare(build, entity)) (void)ZW_PUSH(build->arena, &build->system->coords, coord);
}

static void build_let(ZwBuild* build, const ZwAst* decl) {
  if (decl->kind == ZW_AST_LET_FUNCTION) {
    zw_build_not_yet(build, decl->span, "functions of your own are");
    return;
  }
  if (decl->count > 0) {
    zw_build_not_yet(build, decl->span, "indexed names are");
    return;
  }
  ZwExpr value = zw_build_checked(build, decl->a, ZW_MAY_READ_ACCELERATION, "a name");
  declare(build, (ZwEntity){ZW_ENTITY_LET, decl->text, name_span(decl), 0, value});
}

/* ---- terms ---- */

static void add_term(ZwBuild* build, ZwTerm term) {
  if (term.value.ref) (void)ZW_PUSH(build->arena, &build->system->terms, term);
}

static void build_energy(ZwBuild* build, const ZwAst* node) {
  static const struct {
    const char* word;
    ZwTermKind kind;
  } kinds[] = {{"kinetic", ZW_TERM_KINETIC},
               {"potential", ZW_TERM_POTENTIAL},
               {"lagrangian", ZW_TERM_LAGRANGIAN},
               {"dissipation", ZW_TERM_DISSIPATION}};
  for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++) {
    if (!zw_str_equal(node->text, zw_str_from(kinds[i].word))) continue;
    ZwExpr value = zw_build_checked(build, node->a, ZW_MAY_READ_STATE, "an energy");
    add_term(build, (ZwTerm){.kind = kinds[i].kind, .span = node->span, .value = value});
    return;
  }
  zw_build_not_yet(build, node->span, "'gibbs' is");
}

/* force X = F: the rate of X is what F works on; it must be affine in the velocities. */
static void build_force(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = &build->system->graph;
  int32_t errors = build->diags->errors;
  ZwExpr target = zw_build_checked(build, node->a, ZW_MAY_READ_STATE, "what a force works on");
  ZwExpr value = zw_build_checked(build, node->b, ZW_MAY_READ_STATE, "a force");
  if (!target.ref || !value.ref || build->diags->errors > errors) return;
  ZwReads reads = zw_expr_reads(&build->walk, graph, target);
  if (!reads.coord && !reads.velocity) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->a->span, "a force works on something that moves, this does not");
    zw_diag_remedy(build->diags, "write force x = F for a coordinate x");
    return;
  }
  zw_build_mark(build, node->a->span);
  ZwExpr rate = reads.velocity ? target : zw_build_prime(build, target, node->a->span);
  add_term(build, (ZwTerm){.kind = ZW_TERM_FORCE, .span = node->span, .value = value, .rate = rate});
}

static ZwStr constraint_name(ZwBuild* build, const ZwAst* node) {
  if (node->label) return node->label->text;
  ZwPlace place = zw_sources_place(build->diags->sources, node->span);
  return zw_str_from(zw_format(build->arena, "line %d", (int)place.line));
}

static bool name_is_taken(ZwBuild* build, ZwTermKind kind, ZwStr name, ZwSpan span, const char* what) {
  for (int32_t i = 0; i < build->system->terms.count; i++) {
    const ZwTerm* term = &build->system->terms.items[i];
    if (term->kind != kind || !zw_str_equal(term->name, name)) continue;
    ZwPlace place = zw_sources_place(build->diags->sources, term->span);
    zw_diag_error(build->diags, ZW_ERR_NAME, span, "%s '%.*s' exists already, in line %d", what, ZW_STR_ARGS(name),
                  (int)place.line);
    zw_diag_remedy(build->diags, "choose another name for one of them");
    return true;
  }
  return false;
}

/* T1-T4: the highest derivative left after folding tells the level. */
static void build_constraint(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = &build->system->graph;
  if (node->c) zw_build_not_yet(build, node->c->span, "'while' is");
  if (node->label && node->label->count > 0) zw_build_not_yet(build, node->label->span, "indexed labels are");
  int32_t errors = build->diags->errors;
  ZwExpr left = zw_build_checked(build, node->a, ZW_MAY_READ_ACCELERATION, "a constraint");
  ZwExpr right = zw_build_checked(build, node->b, ZW_MAY_READ_ACCELERATION, "a constraint");
  ZwSpan span = zw_span_join(node->a->span, node->b->span);
  zw_build_mark(build, span);
  ZwExpr residual = zw_expr_sub(graph, left, right);
  if (!residual.ref || build->diags->errors > errors) return;
  ZwReads reads = zw_expr_reads(&build->walk, graph, residual);
  ZwTerm term = {.kind = ZW_TERM_CONSTRAINT, .span = node->span, .value = residual};
  if (!reads.coord && !reads.velocity && !reads.acceleration) {
    zw_diag_error(build->diags, ZW_ERR_CONSTRAINT, span, "this constraint holds no coordinate: it restricts nothing");
    zw_diag_remedy(build->diags, "a constraint is an equation between coordinates, as in: constraint x^2 + y^2 = 1");
    return;
  }
  term.level = reads.acceleration ? ZW_LEVEL_ACCELERATION : reads.velocity ? ZW_LEVEL_VELOCITY : ZW_LEVEL_POSITION;
  term.name = constraint_name(build, node);
  if (!term.name.data) return; /* out of memory */
  if (node->label && name_is_taken(build, ZW_TERM_CONSTRAINT, term.name, node->label->span, "a constraint")) return;
  add_term(build, term);
}

static void build_output(ZwBuild* build, const ZwAst* item) {
  if (item->count > 0) {
    zw_build_not_yet(build, item->span, "indexed outputs are");
    return;
  }
  ZwExpr value;
  if (item->a) {
    if (item->number > 0) {
      zw_diag_error(build->diags, ZW_ERR_SYNTAX, item->span, "the name of an output has no prime");
      zw_diag_remedy(build->diags, "write output name = expression");
      return;
    }
    value = zw_build_checked(build, item->a, ZW_MAY_READ_ACCELERATION, "an output");
    if (!declare(build, (ZwEntity){ZW_ENTITY_OUTPUT, item->text, name_span(item), 0, value})) return;
  } else { /* records a name; as a velocity or acceleration with primes */
    ZwAst name = {.kind = ZW_AST_NAME, .span = name_span(item), .text = item->text};
    ZwAst primed = {.kind = ZW_AST_PRIMED, .span = item->span, .a = &name, .count = (int32_t)item->number};
    value = zw_build_checked(build, item->number > 0 ? &primed : &name, ZW_MAY_READ_ACCELERATION, "an output");
  }
  ZwStr shown = {item->text.data, item->text.size + (int32_t)item->number};
  if (name_is_taken(build, ZW_TERM_OUTPUT, shown, item->span, "an output")) return;
  add_term(build, (ZwTerm){.kind = ZW_TERM_OUTPUT, .span = item->span, .name = shown, .value = value});
}

/* ---- start and run ---- */

/* Finds the coordinate a start value is for; `order` is 0 for x, 1 for x'. */
static ZwCoord* start_target(ZwBuild* build, const ZwAst* target, int* order) {
  const ZwAst* name = target->kind == ZW_AST_PRIMED ? target->a : target;
  *order = target->kind == ZW_AST_PRIMED ? target->count : 0;
  const ZwEntity* entity = name->kind == ZW_AST_NAME ? zw_scope_find(build->scope, name->text) : NULL;
  if (name->kind == ZW_AST_NAME && !entity) {
    (void)zw_build_scalar(build, name); /* says that it is not declared */
    return NULL;
  }
  if (!entity || entity->kind != ZW_ENTITY_COORD || *order > 1) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, target->span, "a start value is for a coordinate or its velocity");
    zw_diag_remedy(build->diags, "write start x = 1 or start x' = 1");
    return NULL;
  }
  return &build->system->coords.items[entity->index];
}

static void build_start(ZwBuild* build, const ZwAst* node, bool* is_started) {
  if (node->is_exact) {
    zw_build_not_yet(build, node->span, "'start exactly' is");
    return;
  }
  for (const ZwAst* assign = node->first; assign; assign = assign->next) {
    ZwExpr value = zw_build_checked(build, assign->b, ZW_MAY_READ_PARAMS, "a start value");
    int order = 0;
    ZwCoord* coord = start_target(build, assign->a, &order);
    if (!coord) continue;
    bool* is_twice = &is_started[2 * (coord - build->system->coords.items) + order];
    if (*is_twice) {
      ZwPlace place = zw_sources_place(build->diags->sources, order ? coord->start_v_span : coord->start_q_span);
      zw_diag_error(build->diags, ZW_ERR_NAME, assign->span, "a second start value for %.*s%s; the first is in line %d",
                    ZW_STR_ARGS(coord->name), order ? "'" : "", (int)place.line);
      zw_diag_remedy(build->diags, "remove one of them");
      continue;
    }
    *is_twice = true;
    if (order) {
      coord->start_v = value;
      coord->start_v_span = assign->b->span;
    } else { /* overrides the value in coord */
      coord->start_q = value;
      coord->start_q_span = assign->b->span;
    }
  }
}

static void build_run(ZwBuild* build, const ZwAst* node) {
  ZwRunSpec* run = &build->system->run;
  if (run->is_stated) {
    ZwPlace place = zw_sources_place(build->diags->sources, run->span);
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span, "a second 'run'; the first is in line %d", (int)place.line);
    zw_diag_remedy(build->diags, "a model runs once; remove one of them");
    return;
  }
  *run = (ZwRunSpec){.is_stated = true, .span = node->span, .from_span = node->a->span, .to_span = node->b->span};
  run->from = zw_build_checked(build, node->a, ZW_MAY_READ_PARAMS, "the begin of a run");
  run->to = zw_build_checked(build, node->b, ZW_MAY_READ_PARAMS, "the end of a run");
  for (const ZwAst* option = node->first; option; option = option->next) {
    bool is_every = zw_str_equal(option->text, ZW_STR("every"));
    if (is_every || zw_str_equal(option->text, ZW_STR("tolerance"))) {
      ZwExpr* value = is_every ? &run->every : &run->tolerance;
      if (value->ref) {
        zw_diag_error(build->diags, ZW_ERR_SYNTAX, option->span, "'%.*s' is stated twice", ZW_STR_ARGS(option->text));
      }
      *value = zw_build_checked(build, option->a, ZW_MAY_READ_PARAMS, is_every ? "'every'" : "the tolerance");
      *(is_every ? &run->every_span : &run->tolerance_span) = option->a->span;
    } else {
      zw_build_not_yet(build, option->span,
                       zw_str_equal(option->text, ZW_STR("step")) ? "'step' is" : "'integrator' is");
    }
  }
}

/* ---- the file ---- */

static const char* later_statement(ZwAstKind kind) {
  switch (kind) {
    case ZW_AST_MEMORY: return "'memory' is";
    case ZW_AST_CONTACT: return "'contact' is";
    case ZW_AST_QUASI: return "'quasi' is";
    case ZW_AST_WHEN: return "'when' is";
    case ZW_AST_STOP: return "'stop when' is";
    case ZW_AST_PLOT: return "'plot' is";
    case ZW_AST_DRAW: return "'draw' is";
    case ZW_AST_FOR: return "'for' is";
    case ZW_AST_IF: return "a statement 'if' is";
    case ZW_AST_COMPONENT: return "'component' is";
    case ZW_AST_PART: return "'part' is";
    case ZW_AST_USE: return "'use' is";
    default: return NULL;
  }
}

static void build_statement(ZwBuild* build, const ZwAst* node, const ZwSetting* settings, int32_t setting_count) {
  switch (node->kind) {
    case ZW_AST_PARAM:
      for (const ZwAst* decl = node->first; decl; decl = decl->next) build_param(build, decl, settings, setting_count);
      break;
    case ZW_AST_COORD:
      for (const ZwAst* decl = node->first; decl; decl = decl->next) build_coord(build, decl);
      break;
    case ZW_AST_LET:
      for (const ZwAst* decl = node->first; decl; decl = decl->next) build_let(build, decl);
      break;
    case ZW_AST_OUTPUT:
      for (const ZwAst* item = node->first; item; item = item->next) build_output(build, item);
      break;
    case ZW_AST_ENERGY: build_energy(build, node); break;
    case ZW_AST_FORCE:
      if (node->c) zw_build_not_yet(build, node->c->span, "'while' is");
      build_force(build, node);
      break;
    case ZW_AST_CONSTRAINT: build_constraint(build, node); break;
    case ZW_AST_START: break; /* after all coordinates are known */
    case ZW_AST_RUN: build_run(build, node); break;
    default:
      if (later_statement(node->kind)) zw_build_not_yet(build, node->span, later_statement(node->kind));
      break;
  }
}

static void build_starts(ZwBuild* build, const ZwAst* tree) {
  bool* is_started = ZW_NEW(build->arena, 2 * build->system->coords.count + 1, bool);
  if (!is_started) return;
  for (const ZwAst* node = tree->first; node; node = node->next) {
    if (node->kind == ZW_AST_START) build_start(build, node, is_started);
  }
}

static void check_settings(ZwBuild* build, const ZwSetting* settings, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const ZwEntity* entity = zw_scope_find(build->scope, settings[i].name);
    if (entity && entity->kind == ZW_ENTITY_PARAM) continue;
    zw_diag_error(build->diags, ZW_ERR_NAME, settings[i].span, "the model has no parameter '%.*s' to set",
                  ZW_STR_ARGS(settings[i].name));
    if (entity) {
      zw_diag_remedy(build->diags, "it is not a parameter; --set changes values declared with 'param'");
      continue;
    }
    ZwStr nearest = zw_scope_suggest(build->scope, settings[i].name, NULL);
    if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  }
}

static void note_unused(ZwBuild* build) {
  if (build->diags->errors > 0) return; /* what was wrong may have used it */
  for (int32_t i = 0; i < build->system->params.count; i++) {
    const ZwParam* param = &build->system->params.items[i];
    if (param->is_used) continue;
    zw_diag_note(build->diags, param->span, "the parameter '%.*s' is never used", ZW_STR_ARGS(param->name));
  }
}

static void check_whole(ZwBuild* build, const ZwAst* tree) {
  if (build->diags->errors > 0) return;
  if (build->system->coords.count == 0) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, tree->span,
                  tree->count == 0 ? "the model is empty" : "the model has no coordinates: nothing can move");
    zw_diag_remedy(build->diags, "declare coordinates with 'coord', as in: coord x = 1, y");
  }
}

ZwStatus zw_elaborate(ZwArena* arena, ZwDiagList* diags, const ZwAst* tree, const ZwSetting* settings,
                      int32_t setting_count, ZwSystem* system) {
  *system = (ZwSystem){.arena = arena};
  zw_graph_init(&system->graph, arena);
  ZwScope scope;
  zw_scope_init(&scope, arena, NULL);
  ZwBuild build = {.arena = arena, .diags = diags, .system = system, .scope = &scope};
  zw_walk_init(&build.walk, arena);
  zw_build_mark(&build, (ZwSpan){0}); /* mark 0: nowhere */
  for (const ZwAst* node = tree->first; node; node = node->next) {
    build_statement(&build, node, settings, setting_count);
    if (arena->failed) return ZW_ERR_MEMORY;
  }
  build_starts(&build, tree);
  check_settings(&build, settings, setting_count);
  check_whole(&build, tree);
  note_unused(&build);
  if (arena->failed) return ZW_ERR_MEMORY;
  return diags->errors > 0 ? diags->first_error : ZW_OK;
}
