/* Expression trees to values: names are looked up, functions called, primes differentiated. */
#include <math.h>
#include <stdio.h>

#include "expr/diff.h"
#include "expr/rebuild.h"
#include "model/builder.h"
#include "text/lexer.h"

/* ---- marks and messages ---- */

static int32_t* mark_table(ZwBuild* build, const ZwAst* node) {
  int32_t file = node->span.file;
  return file >= 0 && file < build->marks.count ? build->marks.items[file] : NULL;
}

static void use_mark(ZwBuild* build, int32_t* slot, ZwSpan span) {
  ZwSystem* system = build->system;
  if (!*slot && ZW_PUSH(system->arena, &system->marks, span)) *slot = system->marks.count - 1;
  system->graph.mark = (uint32_t)*slot;
}

/* A loop builds the same tree many times: its place is noted once. */
void zw_build_mark(ZwBuild* build, const ZwAst* node) {
  int32_t* table = mark_table(build, node);
  if (table) use_mark(build, &table[2 * node->id], node->span);
}

/* A chain up to one of its members. */
static void mark_link(ZwBuild* build, const ZwAst* chain, const ZwAst* member) {
  int32_t* table = mark_table(build, member);
  if (table) use_mark(build, &table[2 * member->id + 1], zw_span_join(chain->first->span, member->span));
}

static ZwGraph* graph_of(ZwBuild* build) {
  return &build->system->graph;
}

/* A mistake was reported; go on with something that goes with everything. */
static ZwValue zero(ZwBuild* build) {
  return zw_value_zero(graph_of(build), 1);
}

static ZwStr clip(ZwStr name) {
  return (ZwStr){name.data, name.size > 60 ? 60 : name.size};
}

/* ---- functions of the language ---- */

/* Functions of scalars, from the operator list; the language's names for them are the operators' texts. */
static ZwOp find_scalar_function(ZwStr name) {
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    if (zw_op_form((ZwOp)op) == ZW_FORM_CALL && zw_str_equal(name, zw_str_from(zw_op_text((ZwOp)op)))) return (ZwOp)op;
  }
  return ZW_OP_COUNT;
}

typedef ZwValue (*BuiltinFn)(ZwBuild* build, const ZwAst* call);
static ZwValue call_dot(ZwBuild* build, const ZwAst* call);
static ZwValue call_cross(ZwBuild* build, const ZwAst* call);
static ZwValue call_norm(ZwBuild* build, const ZwAst* call);
static ZwValue call_unit(ZwBuild* build, const ZwAst* call);
static ZwValue call_diff(ZwBuild* build, const ZwAst* call);
static ZwValue call_reaction(ZwBuild* build, const ZwAst* call);

static const struct {
  const char* name;
  int32_t arguments;
  BuiltinFn call;
} builtins[] = {{"dot", 2, call_dot},         {"cross", 2, call_cross}, {"norm", 1, call_norm},
                {"unit", 1, call_unit},       {"diff", 2, call_diff},   {"reaction", 1, call_reaction},
                {"table", -1, zw_build_table}};

static int find_builtin(ZwStr name) {
  for (int i = 0; i < (int)(sizeof builtins / sizeof *builtins); i++) {
    if (zw_str_equal(name, zw_str_from(builtins[i].name))) return i;
  }
  return -1;
}

bool zw_is_function_name(ZwStr name) {
  if (name.size < 3 || name.size > 8) return false; /* asked for every name of every loop pass */
  return find_builtin(name) >= 0 || find_scalar_function(name) != ZW_OP_COUNT;
}

static const char* const function_names[] = {"sin",   "cos",  "tan",  "asin",  "acos",     "atan",  "atan2",
                                             "sinh",  "cosh", "tanh", "exp",   "log",      "sqrt",  "abs",
                                             "sign",  "min",  "max",  "hypot", "floor",    "mod",   "dot",
                                             "cross", "norm", "unit", "diff",  "reaction", "table", NULL};

static bool two_vectors(ZwBuild* build, const ZwAst* call, ZwValue* a, ZwValue* b) {
  *a = zw_build_value(build, call->first->a);
  *b = zw_build_value(build, call->first->next->a);
  zw_build_mark(build, call);
  if (zw_value_match(graph_of(build), a, b) && a->dim > 1) return true;
  if (zw_value_is_zero(graph_of(build), a) && zw_value_is_zero(graph_of(build), b)) return false; /* said already */
  zw_diag_error(build->diags, ZW_ERR_TYPE, call->span, "'%.*s' takes two vectors, not %s and %s",
                ZW_STR_ARGS(call->a->text), zw_value_type(a), zw_value_type(b));
  return false;
}

static ZwValue call_dot(ZwBuild* build, const ZwAst* call) {
  ZwValue a, b;
  if (!two_vectors(build, call, &a, &b)) return zero(build);
  return zw_value_scalar(zw_value_dot(graph_of(build), &a, &b));
}

static ZwValue call_cross(ZwBuild* build, const ZwAst* call) {
  ZwValue a, b;
  if (!two_vectors(build, call, &a, &b)) return zero(build);
  return zw_value_cross(graph_of(build), &a, &b);
}

static bool one_vector(ZwBuild* build, const ZwAst* call, ZwValue* a) {
  *a = zw_build_value(build, call->first->a);
  zw_build_mark(build, call);
  if (a->dim > 1) return true;
  if (zw_value_is_zero(graph_of(build), a)) return false; /* said already, or the zero vector */
  zw_diag_error(build->diags, ZW_ERR_TYPE, call->span, "'%.*s' takes a vector, not a scalar",
                ZW_STR_ARGS(call->a->text));
  if (zw_str_equal(call->a->text, ZW_STR("norm"))) zw_diag_remedy(build->diags, "write abs(...) for a scalar");
  return false;
}

static ZwValue call_norm(ZwBuild* build, const ZwAst* call) {
  ZwValue a;
  if (!one_vector(build, call, &a)) return zero(build);
  return zw_value_scalar(zw_value_norm(graph_of(build), &a));
}

static ZwValue call_unit(ZwBuild* build, const ZwAst* call) {
  ZwValue a;
  if (!one_vector(build, call, &a)) return zero(build);
  return zw_value_over(graph_of(build), &a, zw_value_norm(graph_of(build), &a));
}

/* ---- diff ---- */

typedef struct Substitution {
  int32_t slot;
  ZwExpr actual;
} Substitution;

static ZwExpr put_actual(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const Substitution* s = context;
  (void)graph;
  return leaf == ZW_OP_PARAM && index == s->slot ? s->actual : (ZwExpr){0};
}

static ZwValue diff_value(ZwBuild* build, const ZwValue* e, ZwOp leaf, int32_t index) {
  ZwValue result = {.dim = e->dim};
  for (int32_t k = 0; k < e->dim; k++) {
    result.c[k] = zw_diff_partial(graph_of(build), &build->walk, e->c[k], leaf, index);
  }
  return result;
}

/* By an argument of the function it stands in: the argument becomes a leaf, and its value is put in afterwards. */
static ZwValue diff_by_argument(ZwBuild* build, const ZwAst* call, ZwEntity* argument) {
  ZwGraph* graph = graph_of(build);
  ZwValue actual = argument->value;
  ZwExpr leaf = zw_build_slot(build, 0);
  if (!leaf.ref) return zero(build);
  argument->value = zw_value_scalar(leaf);
  ZwValue e = zw_build_value(build, call->first->a);
  argument = zw_scope_find(build->scope, call->first->next->a->text);
  argument->value = actual;
  Substitution s = {zw_graph_node(graph, leaf)->u.index, actual.c[0]};
  ZwValue result = diff_value(build, &e, ZW_OP_PARAM, s.slot);
  for (int32_t k = 0; k < result.dim; k++) {
    if (result.c[k].ref) result.c[k] = zw_expr_rebuild(graph, &build->walk, result.c[k], put_actual, &s);
  }
  return result;
}

static ZwValue call_diff(ZwBuild* build, const ZwAst* call) {
  const ZwAst* by = call->first->next->a;
  if (by->kind == ZW_AST_NAME) {
    ZwEntity* entity = zw_scope_find(build->scope, by->text);
    if (entity && entity->kind == ZW_ENTITY_ARGUMENT && !entity->is_of_part && entity->value.dim == 1) {
      return diff_by_argument(build, call, entity);
    }
  }
  ZwValue e = zw_build_value(build, call->first->a), x = zw_build_value(build, by);
  if (!x.c[0].ref || !e.c[0].ref) return zero(build);
  ZwNode leaf = *zw_graph_node(graph_of(build), x.c[0]);
  bool is_leaf = leaf.op == ZW_OP_COORD || leaf.op == ZW_OP_VELOCITY || leaf.op == ZW_OP_PARAM;
  if (x.dim != 1 || !is_leaf) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, by->span,
                  "'diff' differentiates by a scalar coordinate, a velocity, a parameter or an argument");
    zw_diag_remedy(build->diags, "write diff(e, x), diff(e, x') or diff(e, P.x)");
    return zero(build);
  }
  zw_build_mark(build, call);
  return diff_value(build, &e, leaf.op, leaf.u.index);
}

/* ---- reaction and table ---- */

static bool label_name(ZwBuild* build, const ZwAst* node, ZwText* text);

/* The contact of "floor.slip", whose friction that is; "" when it is none. */
static ZwStr slipping_label(ZwBuild* build, const ZwAst* node) {
  bool is_named = node->a->kind == ZW_AST_NAME || node->a->kind == ZW_AST_INDEX || node->a->kind == ZW_AST_MEMBER;
  ZwText name;
  zw_text_init(&name, build->arena);
  if (!is_named || !zw_str_equal(node->text, ZW_STR("slip")) || !label_name(build, node->a, &name)) return ZW_STR("");
  ZwStr label = zw_str_from(zw_text_get(&name));
  return zw_scope_find_here(&build->labels, label) ? label : ZW_STR("");
}

/* "foot[1].pin" as the user writes it, to the full name of a label: parts are looked up, so that an argument works too */
static bool label_name(ZwBuild* build, const ZwAst* node, ZwText* text) {
  double key[ZW_ARRAY_RANK];
  ZwRef owner;
  ZwStr label;
  switch (node->kind) {
    case ZW_AST_NAME:
      zw_text_addf(text, "%s%.*s", build->prefix, ZW_STR_ARGS(node->text));
      return true;
    case ZW_AST_MEMBER:
      label = slipping_label(build, node);
      if (label.size > 0) {
        zw_text_addf(text, "%.*s.slip", ZW_STR_ARGS(label));
        return true;
      }
      if (!zw_build_resolve(build, node->a, &owner)) return false;
      if (owner.is_value || owner.entity.kind != ZW_ENTITY_PART) break;
      zw_text_addf(text, "%s%.*s", owner.entity.prefix, ZW_STR_ARGS(node->text));
      return true;
    case ZW_AST_INDEX:
      if (!label_name(build, node->a, text)) return false;
      if (!zw_build_key(build, node->first, node->count, key, node->span)) return false;
      for (int32_t i = 0; i < node->count; i++) zw_text_addf(text, "%s%.0f", i ? "," : "[", key[i]);
      zw_text_add(text, "]", 1);
      return true;
    default:
      break;
  }
  zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "'reaction' takes the name of a constraint");
  return false;
}

static ZwValue call_reaction(ZwBuild* build, const ZwAst* call) {
  const ZwAst* name = call->first->a;
  ZwText text;
  zw_text_init(&text, build->arena);
  if (!label_name(build, name, &text)) return zero(build);
  ZwStr full = zw_str_from(zw_text_get(&text));
  const ZwEntity* label = zw_scope_find_here(&build->labels, full);
  if (!label) {
    bool is_slip = name->kind == ZW_AST_MEMBER && zw_str_equal(name->text, ZW_STR("slip"));
    zw_diag_error(build->diags, ZW_ERR_NAME, name->span, "there is no constraint '%.*s' above%s",
                  ZW_STR_ARGS(clip(full)), is_slip ? ", nor a contact with friction" : "");
    ZwStr nearest = zw_scope_suggest(&build->labels, full, NULL);
    if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
    return zero(build);
  }
  zw_build_mark(build, call);
  return label->value;
}

/* ---- calls ---- */

static void unknown_function(ZwBuild* build, const ZwAst* name) {
  zw_diag_error(build->diags, ZW_ERR_NAME, name->span, "there is no function '%.*s'", ZW_STR_ARGS(clip(name->text)));
  ZwStr nearest = zw_scope_suggest(build->scope, name->text, function_names);
  if (zw_str_equal(name->text, ZW_STR("ln"))) nearest = ZW_STR("log");
  if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
}

static bool count_fits(ZwBuild* build, const ZwAst* call, const char* name, int32_t wanted) {
  for (const ZwAst* argument = call->first; argument; argument = argument->next) {
    if (!argument->text.size) continue;
    zw_diag_error(build->diags, ZW_ERR_NAME, argument->span, "the arguments of '%s' have no names", name);
    return false;
  }
  if (wanted < 0 || call->count == wanted) return true;
  zw_diag_error(build->diags, ZW_ERR_TYPE, call->span, "'%s' takes %d argument%s, not %d", name, (int)wanted,
                wanted == 1 ? "" : "s", (int)call->count);
  return false;
}

static ZwExpr scalar_argument(ZwBuild* build, const ZwAst* node, ZwOp op) {
  ZwValue value = zw_build_value(build, node);
  if (value.dim == 1) return value.c[0];
  zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "the argument of '%s' must be a scalar, this is %s",
                zw_op_text(op), zw_value_type(&value));
  return zw_expr_const(graph_of(build), 0);
}

static ZwValue call_scalar_function(ZwBuild* build, const ZwAst* call, ZwOp op) {
  ZwExpr args[3] = {{0}};
  if (!count_fits(build, call, zw_op_text(op), zw_op_arity(op))) return zero(build);
  int32_t k = 0;
  for (const ZwAst* argument = call->first; argument; argument = argument->next) {
    args[k++] = scalar_argument(build, argument->a, op);
  }
  zw_build_mark(build, call);
  return zw_value_scalar(zw_expr_apply(graph_of(build), op, args[0], args[1], args[2]));
}

static ZwValue build_call(ZwBuild* build, const ZwAst* node) {
  if (node->a->kind == ZW_AST_NAME) {
    int builtin = find_builtin(node->a->text);
    if (builtin >= 0) {
      if (!count_fits(build, node, builtins[builtin].name, builtins[builtin].arguments)) return zero(build);
      return builtins[builtin].call(build, node);
    }
    ZwOp op = find_scalar_function(node->a->text);
    if (op != ZW_OP_COUNT) return call_scalar_function(build, node, op);
    if (!zw_scope_find(build->scope, node->a->text)) {
      ZwValue quantity;
      if (zw_build_quantity_call(build, node, &quantity)) return quantity;
      unknown_function(build, node->a);
      return zero(build);
    }
  }
  ZwRef called;
  if (!zw_build_resolve(build, node->a, &called)) return zero(build);
  if (!called.is_value && called.entity.kind == ZW_ENTITY_FUNCTION) return zw_build_call(build, &called.entity, node);
  ZwStr text = clip(zw_build_quote(build, node->a->span));
  if (!called.is_value && called.entity.kind == ZW_ENTITY_COMPONENT) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "'%.*s' is a component: it makes a part, not a value",
                  ZW_STR_ARGS(text));
    zw_diag_remedy(build->diags, "write part name = %.*s(...)", ZW_STR_ARGS(text));
  } else {
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->a->span, "'%.*s' is not a function", ZW_STR_ARGS(text));
    zw_diag_remedy(build->diags, "write * between two factors: %.*s*(...)", ZW_STR_ARGS(text));
  }
  return zero(build);
}

/* ---- names, members, elements ---- */

static void unknown_name(ZwBuild* build, const ZwAst* node) {
  ZwStr shown = clip(node->text);
  if (zw_is_function_name(node->text)) {
    zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "'%.*s' is a function and needs its arguments",
                  ZW_STR_ARGS(shown));
    zw_diag_remedy(build->diags, "write %.*s(...)", ZW_STR_ARGS(shown));
    return;
  }
  zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "'%.*s' is not declared", ZW_STR_ARGS(shown));
  ZwStr nearest = zw_scope_suggest(build->scope, node->text, NULL);
  if (nearest.size)
    zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  else
    zw_diag_remedy(build->diags, "declare it above with 'param', 'coord' or 'let'");
}

static void mark_used(ZwBuild* build, const ZwEntity* entity) {
  if (entity->kind != ZW_ENTITY_PARAM) return;
  for (int32_t k = 0; k < entity->value.dim; k++) build->system->params.items[entity->first + k].is_used = true;
}

static bool refer(ZwBuild* build, ZwEntity* entity, ZwRef* ref) {
  *ref = (ZwRef){.entity = *entity};
  switch (entity->kind) {
    case ZW_ENTITY_FUNCTION:
    case ZW_ENTITY_COMPONENT:
    case ZW_ENTITY_PART:
    case ZW_ENTITY_ARRAY:
      return true;
    case ZW_ENTITY_INDEX:
      if (!entity->value.dim) entity->value = zw_value_scalar(zw_build_slot(build, entity->number));
      break;
    default:
      mark_used(build, entity);
      break;
  }
  ref->is_value = true;
  ref->value = entity->value;
  return true;
}

static bool resolve_name(ZwBuild* build, const ZwAst* node, ZwRef* ref) {
  ZwEntity* entity = zw_scope_find(build->scope, node->text);
  if (entity && entity->is_ambiguous) {
    zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "two of the used files declare '%.*s'",
                  ZW_STR_ARGS(clip(node->text)));
    zw_diag_remedy(build->diags, "use only one of them, or declare the name yourself");
    return false;
  }
  if (entity) return refer(build, entity, ref);
  *ref = (ZwRef){.is_value = true};
  if (zw_build_quantity(build, node, &ref->value)) return true;
  unknown_name(build, node);
  return false;
}

static bool select_component(ZwBuild* build, const ZwAst* node, const ZwValue* value, ZwRef* ref) {
  int32_t k =
      node->text.size == 1 && node->text.data[0] >= 'x' && node->text.data[0] <= 'z' ? node->text.data[0] - 'x' : 3;
  if (k < value->dim && value->dim > 1) {
    *ref = (ZwRef){.is_value = true, .value = zw_value_scalar(value->c[k])};
    return true;
  }
  if (k < 3 && zw_value_is_zero(graph_of(build), value)) { /* said already, or the zero vector */
    *ref = (ZwRef){.is_value = true, .value = zero(build)};
    return true;
  }
  zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "%s has no member '%.*s'", zw_value_type(value),
                ZW_STR_ARGS(clip(node->text)));
  if (value->dim > 1) zw_diag_remedy(build->diags, value->dim == 2 ? "it has .x and .y" : "it has .x, .y and .z");
  return false;
}

static bool resolve_member(ZwBuild* build, const ZwAst* node, ZwRef* ref) {
  ZwRef owner;
  if (!zw_build_resolve(build, node->a, &owner)) return false;
  if (owner.is_value) return select_component(build, node, &owner.value, ref);
  bool is_part = owner.entity.kind == ZW_ENTITY_PART;
  ZwEntity* member = is_part ? zw_scope_find_here(owner.entity.scope, node->text) : NULL;
  if (member) return refer(build, member, ref);
  ZwStr text = clip(zw_build_quote(build, node->a->span));
  if (!is_part) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "'%.*s' has no members", ZW_STR_ARGS(text));
    return false;
  }
  zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "the part '%.*s' has no member '%.*s'", ZW_STR_ARGS(text),
                ZW_STR_ARGS(clip(node->text)));
  ZwScope members = *owner.entity.scope;
  members.outer = NULL;
  ZwStr nearest = zw_scope_suggest(&members, node->text, NULL);
  if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  return false;
}

static void no_element(ZwBuild* build, const ZwAst* node, const ZwArray* array, const double* key) {
  ZwText text;
  zw_text_init(&text, build->arena);
  ZwStr name = clip(zw_build_quote(build, node->a->span));
  zw_text_addf(&text, "%.*s", ZW_STR_ARGS(name));
  for (int32_t i = 0; i < array->rank; i++) zw_text_addf(&text, "%s%.0f", i ? "," : "[", key[i]);
  zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "'%s]' does not exist%s", zw_text_get(&text),
                array->is_declared ? "" : " (yet)");
  if (array->is_declared) {
    ZwText ranges;
    zw_text_init(&ranges, build->arena);
    for (int32_t i = 0; i < array->rank; i++) {
      zw_text_addf(&ranges, "%sfrom %.0f to %.0f", i ? ", " : "", array->low[i], array->high[i]);
    }
    zw_diag_remedy(build->diags, "its indices go %s", zw_text_get(&ranges));
  } else {
    zw_diag_remedy(build->diags, "elements are defined in order, each before it is used");
  }
}

static bool resolve_index(ZwBuild* build, const ZwAst* node, ZwRef* ref) {
  ZwRef owner;
  double key[ZW_ARRAY_RANK];
  if (!zw_build_resolve(build, node->a, &owner)) return false;
  if (owner.is_value || owner.entity.kind != ZW_ENTITY_ARRAY) {
    ZwStr text = clip(zw_build_quote(build, node->a->span));
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "'%.*s' is not an array", ZW_STR_ARGS(text));
    if (owner.is_value && owner.value.dim > 1) zw_diag_remedy(build->diags, "components of a vector are .x, .y, .z");
    return false;
  }
  const ZwArray* array = owner.entity.array;
  if (array->is_wrong) {
    *ref = (ZwRef){.is_value = true, .value = zero(build)};
    return true;
  }
  if (node->count != array->rank) {
    ZwStr text = clip(zw_build_quote(build, node->a->span));
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "'%.*s' has %d ind%s, not %d", ZW_STR_ARGS(text),
                  (int)array->rank, array->rank == 1 ? "ex" : "ices", (int)node->count);
    return false;
  }
  if (!zw_build_key(build, node->first, node->count, key, node->span)) return false;
  ZwEntity* element = zw_array_find(array, key);
  if (element) return refer(build, element, ref);
  no_element(build, node, array, key);
  return false;
}

bool zw_build_resolve(ZwBuild* build, const ZwAst* node, ZwRef* ref) {
  *ref = (ZwRef){.is_value = true};
  switch (node->kind) {
    case ZW_AST_NAME:
      return resolve_name(build, node, ref);
    case ZW_AST_MEMBER:
      return resolve_member(build, node, ref);
    case ZW_AST_INDEX:
      return resolve_index(build, node, ref);
    default:
      ref->value = zw_build_value(build, node);
      return true;
  }
}

static ZwValue build_reference(ZwBuild* build, const ZwAst* node) {
  ZwRef ref;
  if (!zw_build_resolve(build, node, &ref)) return zero(build);
  if (ref.is_value) return ref.value;
  static const char* const kinds[] = {[ZW_ENTITY_FUNCTION] = "a function and needs its arguments",
                                      [ZW_ENTITY_COMPONENT] = "a component, not a value",
                                      [ZW_ENTITY_PART] = "a part, not a value",
                                      [ZW_ENTITY_ARRAY] = "an array and needs an index"};
  ZwStr text = clip(zw_build_quote(build, node->span));
  zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "'%.*s' is %s", ZW_STR_ARGS(text), kinds[ref.entity.kind]);
  if (ref.entity.kind == ZW_ENTITY_PART) zw_diag_remedy(build->diags, "choose one of its members with '.'");
  return zero(build);
}

/* ---- operators ---- */

ZwValue zw_build_prime(ZwBuild* build, const ZwValue* value, ZwSpan span) {
  ZwGraph* graph = graph_of(build);
  ZwValue rate = {.dim = value->dim};
  for (int32_t k = 0; k < value->dim; k++) {
    if (!value->c[k].ref) return zero(build);
    ZwNode leaf = *zw_graph_node(graph, value->c[k]);
    if (leaf.op == ZW_OP_COORD) { /* by far the most common */
      rate.c[k] = zw_expr_leaf(graph, ZW_OP_VELOCITY, leaf.u.index);
      continue;
    }
    ZwReads reads = zw_expr_reads(graph, value->c[k]);
    if (reads.acceleration || reads.reaction) {
      zw_diag_error(build->diags, ZW_ERR_DERIVATIVE, span,
                    reads.quantity   ? "what the solve of the equations gives has no time derivative"
                    : reads.reaction ? "a reaction has no time derivative"
                                     : "this needs a third time derivative of a coordinate");
      zw_diag_remedy(build->diags,
                     "forces, energies and constraints know positions, velocities and accelerations only");
      return zero(build);
    }
    rate.c[k] = zw_diff_total(graph, &build->walk, value->c[k]);
  }
  return rate;
}

static ZwValue build_primed(ZwBuild* build, const ZwAst* node) {
  ZwValue value = zw_build_value(build, node->a);
  if (node->count > 2) {
    ZwStr shown = zw_build_quote(build, node->a->span);
    zw_diag_error(build->diags, ZW_ERR_DERIVATIVE, node->span, "a time derivative higher than the second");
    zw_diag_remedy(build->diags, "%.*s'' is the highest that can be used", shown.size > 30 ? 1 : shown.size,
                   shown.size > 30 ? "x" : shown.data);
    return zero(build);
  }
  zw_build_mark(build, node);
  for (int32_t i = 0; i < node->count; i++) value = zw_build_prime(build, &value, node->span);
  return value;
}

static ZwValue add_values(ZwBuild* build, ZwValue a, ZwValue b, bool is_minus, ZwSpan span) {
  if (!zw_value_match(graph_of(build), &a, &b)) {
    if (is_minus) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, span, "cannot subtract %s from %s", zw_value_type(&b),
                    zw_value_type(&a));
    } else {
      zw_diag_error(build->diags, ZW_ERR_TYPE, span, "cannot add %s to %s", zw_value_type(&b), zw_value_type(&a));
    }
    return zero(build);
  }
  return is_minus ? zw_value_sub(graph_of(build), &a, &b) : zw_value_add(graph_of(build), &a, &b);
}

static ZwValue multiply_values(ZwBuild* build, const ZwValue* a, const ZwValue* b, ZwSpan span) {
  if (a->dim == 1) return zw_value_scale(graph_of(build), a->c[0], b);
  if (b->dim == 1) {
    ZwValue product = {.dim = a->dim};
    for (int32_t k = 0; k < a->dim; k++) product.c[k] = zw_expr_mul(graph_of(build), a->c[k], b->c[0]);
    return product;
  }
  zw_diag_error(build->diags, ZW_ERR_TYPE, span, "the product of two vectors can mean two things");
  zw_diag_remedy(build->diags, "write dot(a, b) or cross(a, b)");
  return zero(build);
}

static ZwValue divide_values(ZwBuild* build, const ZwValue* a, const ZwValue* b, ZwSpan span) {
  if (b->dim == 1) return zw_value_over(graph_of(build), a, b->c[0]);
  zw_diag_error(build->diags, ZW_ERR_TYPE, span, "cannot divide by a vector");
  return zero(build);
}

static ZwValue build_chain(ZwBuild* build, const ZwAst* node) {
  ZwValue result = {0};
  for (const ZwAst* member = node->first; member; member = member->next) {
    ZwValue next = zw_build_value(build, member);
    mark_link(build, node, member);
    switch ((ZwTokenKind)member->lead) {
      case ZW_TOKEN_PLUS:
      case ZW_TOKEN_MINUS:
        result = add_values(build, result, next, member->lead == (int32_t)ZW_TOKEN_MINUS, member->span);
        break;
      case ZW_TOKEN_STAR:
        result = multiply_values(build, &result, &next, member->span);
        break;
      case ZW_TOKEN_SLASH:
        result = divide_values(build, &result, &next, member->span);
        break;
      default:
        result = next;
        break;
    }
  }
  return result;
}

static ZwValue build_power(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = graph_of(build);
  ZwValue base = zw_build_value(build, node->a);
  ZwExpr exponent = zw_build_scalar(build, node->b, "an exponent");
  zw_build_mark(build, node);
  if (base.dim == 1) return zw_value_scalar(zw_expr_binary(graph, ZW_OP_POW, base.c[0], exponent));
  if (zw_expr_is_const(graph, exponent, 2)) return zw_value_scalar(zw_value_dot(graph, &base, &base));
  zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "of a vector only the square is defined: P^2 = dot(P, P)");
  return zero(build);
}

static ZwValue build_vector(ZwBuild* build, const ZwAst* node) {
  ZwValue value = {0};
  for (const ZwAst* part = node->first; part && value.dim < 3; part = part->next) {
    value.c[value.dim++] = zw_build_scalar(build, part, "a component of a vector");
  }
  return value;
}

/* ---- conditions ---- */

static ZwExpr build_compare(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = graph_of(build);
  ZwExpr a = zw_build_scalar(build, node->a, "what is compared"),
         b = zw_build_scalar(build, node->b, "what is compared");
  zw_build_mark(build, node);
  switch ((ZwTokenKind)node->op) {
    case ZW_TOKEN_LT:
      return zw_expr_binary(graph, ZW_OP_LESS, a, b);
    case ZW_TOKEN_GT:
      return zw_expr_binary(graph, ZW_OP_LESS, b, a);
    case ZW_TOKEN_LE:
      return zw_expr_binary(graph, ZW_OP_LESS_EQUAL, a, b);
    case ZW_TOKEN_GE:
      return zw_expr_binary(graph, ZW_OP_LESS_EQUAL, b, a);
    case ZW_TOKEN_EQ:
      return zw_expr_binary(graph, ZW_OP_EQUAL, a, b);
    default:
      return zw_expr_binary(graph, ZW_OP_NOT_EQUAL, a, b);
  }
}

static ZwExpr build_logic(ZwBuild* build, const ZwAst* node, ZwOp op) {
  ZwExpr result = {0};
  for (const ZwAst* member = node->first; member; member = member->next) {
    ZwExpr next = zw_build_condition(build, member);
    result = result.ref ? zw_expr_binary(graph_of(build), op, result, next) : next;
  }
  return result;
}

static ZwExpr build_condition_node(ZwBuild* build, const ZwAst* node) {
  switch (node->kind) {
    case ZW_AST_COMPARE:
      return build_compare(build, node);
    case ZW_AST_AND:
      return build_logic(build, node, ZW_OP_AND);
    case ZW_AST_OR:
      return build_logic(build, node, ZW_OP_OR);
    case ZW_AST_NOT:
      return zw_expr_unary(graph_of(build), ZW_OP_NOT, zw_build_condition(build, node->a));
    case ZW_AST_WRONG:
      return zw_expr_const(graph_of(build), 0);
    default:
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "a condition is needed here, not a value");
      zw_diag_remedy(build->diags, "compare two values with < <= > >= == or !=");
      return zw_expr_const(graph_of(build), 0);
  }
}

ZwExpr zw_build_condition(ZwBuild* build, const ZwAst* node) {
  if (!zw_build_enter(build, node->span)) return zw_expr_const(graph_of(build), 0);
  ZwExpr condition = build_condition_node(build, node);
  zw_build_leave(build);
  return condition;
}

/* A condition known while building takes one branch; the other is not even built. */
static ZwValue build_choose(ZwBuild* build, const ZwAst* node) {
  int32_t errors = build->diags->errors;
  ZwExpr condition = zw_build_condition(build, node->c);
  bool holds;
  if (build->diags->errors == errors && zw_build_decided(build, condition, node->c->span, &holds)) {
    return zw_build_value(build, holds ? node->a : node->b);
  }
  ZwValue yes = zw_build_value(build, node->a), no = zw_build_value(build, node->b);
  zw_build_mark(build, node);
  if (!zw_value_match(graph_of(build), &yes, &no)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "one branch is %s, the other %s", zw_value_type(&yes),
                  zw_value_type(&no));
    return zero(build);
  }
  ZwValue value = {.dim = yes.dim};
  for (int32_t k = 0; k < yes.dim; k++) value.c[k] = zw_expr_select(graph_of(build), condition, yes.c[k], no.c[k]);
  return value;
}

/* ---- dispatch ---- */

static ZwValue build_constant(ZwBuild* build, double number) {
  return zw_value_scalar(zw_expr_const(graph_of(build), number));
}

bool zw_build_enter(ZwBuild* build, ZwSpan span) {
  if (build->nesting < ZW_LIMIT_LEVELS) return ++build->nesting > 0;
  if (!build->is_over_limit) {
    zw_diag_error(build->diags, ZW_ERR_LIMIT, span,
                  "functions, parts and expressions within each other more than %d levels deep in all",
                  (int)ZW_LIMIT_LEVELS);
    zw_diag_remedy(build->diags, "name parts of them with 'let'");
  }
  build->is_over_limit = true;
  return false;
}

void zw_build_leave(ZwBuild* build) {
  build->nesting--;
}

static ZwValue build_node(ZwBuild* build, const ZwAst* node) {
  zw_build_mark(build, node);
  switch (node->kind) {
    case ZW_AST_NUMBER:
      return build_constant(build, node->number);
    case ZW_AST_TIME:
      return zw_value_scalar(zw_build_time(build));
    case ZW_AST_PI:
      return build_constant(build, acos(-1.0));
    case ZW_AST_DEG:
      return build_constant(build, acos(-1.0) / 180);
    case ZW_AST_NAME:
    case ZW_AST_MEMBER:
    case ZW_AST_INDEX:
      return build_reference(build, node);
    case ZW_AST_PRIMED:
      return build_primed(build, node);
    case ZW_AST_CALL:
      return build_call(build, node);
    case ZW_AST_NEGATE: {
      ZwValue value = zw_build_value(build, node->a);
      return zw_value_neg(graph_of(build), &value);
    }
    case ZW_AST_POWER:
      return build_power(build, node);
    case ZW_AST_TERM:
    case ZW_AST_SUM:
      return build_chain(build, node);
    case ZW_AST_CHOOSE:
      return build_choose(build, node);
    case ZW_AST_VECTOR:
      return build_vector(build, node);
    case ZW_AST_SUM_OVER:
      return zw_build_sum_over(build, node);
    case ZW_AST_COMPARE:
    case ZW_AST_AND:
    case ZW_AST_OR:
    case ZW_AST_NOT:
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "a condition is not a value");
      zw_diag_remedy(build->diags, "choose between values with 'if ... then ... else ...'");
      return zero(build);
    case ZW_AST_ARRAY:
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "an array literal gives start values or parameters only");
      return zero(build);
    case ZW_AST_STRING:
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "a text in quotes is not a value");
      return zero(build);
    default:
      return zero(build); /* WRONG: the parser has reported it */
  }
}

ZwValue zw_build_value(ZwBuild* build, const ZwAst* node) {
  if (!zw_build_enter(build, node->span)) return zero(build);
  ZwValue value = build_node(build, node);
  if (build->notice) zw_build_notice(build, node);
  zw_build_leave(build);
  return value;
}

ZwExpr zw_build_scalar(ZwBuild* build, const ZwAst* node, const char* what) {
  ZwValue value = zw_build_value(build, node);
  if (value.dim == 1) return value.c[0];
  zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "%s must be a scalar, this is %s", what, zw_value_type(&value));
  return zw_expr_const(graph_of(build), 0);
}

/* ---- what may be read where ---- */

static ZwMayRead highest_read(const ZwReads* reads) {
  if (reads->quantity) return ZW_MAY_READ_QUANTITY;
  if (reads->reaction) return ZW_MAY_READ_REACTION;
  if (reads->acceleration) return ZW_MAY_READ_ACCELERATION;
  return reads->time || reads->coord || reads->velocity ? ZW_MAY_READ_STATE : ZW_MAY_READ_PARAMS;
}

static void read_too_much(ZwBuild* build, ZwSpan span, ZwMayRead may_read, ZwMayRead read, const char* place) {
  if (may_read == ZW_MAY_READ_PARAMS) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, span, "%s must be a constant: it may read parameters only", place);
  } else if (read == ZW_MAY_READ_QUANTITY) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, span,
                  "%s may not read what the solve of the equations gives: gaussian, acceleration_energy, free(..) and "
                  "constraint_force(..)",
                  place);
    zw_diag_remedy(build->diags, "these can stand in output, plot, draw and claim");
  } else if (read == ZW_MAY_READ_REACTION) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, span, "%s may not read a reaction", place);
    zw_diag_remedy(build->diags, "reactions can stand in output, plot, draw, when and stop");
  } else {
    zw_diag_error(build->diags, ZW_ERR_DERIVATIVE, span, "%s may not hold accelerations", place);
    zw_diag_remedy(build->diags, "an added mass belongs into 'kinetic'; a condition on accelerations is a constraint");
  }
}

bool zw_build_may_read(ZwBuild* build, const ZwValue* value, ZwSpan span, ZwMayRead may_read, const char* place) {
  for (int32_t k = 0; k < value->dim; k++) {
    if (!value->c[k].ref) return false;
    ZwReads reads = zw_expr_reads(graph_of(build), value->c[k]);
    if (highest_read(&reads) <= may_read) continue;
    read_too_much(build, span, may_read, highest_read(&reads), place);
    return false;
  }
  return true;
}

ZwValue zw_build_checked(ZwBuild* build, const ZwAst* node, ZwMayRead may_read, const char* place) {
  int32_t errors = build->diags->errors;
  ZwValue value = zw_build_value(build, node);
  if (build->diags->errors == errors)
    return zw_build_may_read(build, &value, node->span, may_read, place) ? value : zero(build);
  for (int32_t k = 0; k < value.dim; k++) { /* what is left of a wrong value must not be evaluated where it cannot be */
    if (!value.c[k].ref) return zero(build);
    ZwReads reads = zw_expr_reads(graph_of(build), value.c[k]);
    if (highest_read(&reads) > may_read) return zw_value_zero(graph_of(build), value.dim);
  }
  return value;
}

ZwExpr zw_build_checked_scalar(ZwBuild* build, const ZwAst* node, ZwMayRead may_read, const char* place) {
  ZwValue value = zw_build_checked(build, node, may_read, place);
  if (value.dim == 1) return value.c[0];
  zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "%s must be a scalar, this is %s", place, zw_value_type(&value));
  return zw_expr_const(graph_of(build), 0);
}
