/* Expression trees to expressions: names are looked up, functions called, primes differentiated. */
#include <math.h>

#include "expr/diff.h"
#include "model/builder.h"
#include "text/lexer.h"

static const ZwExpr none = {0};

/* Functions of scalars, from the operator list; the language's names for them are the operators' texts. */
static ZwOp find_function(ZwStr name) {
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    if (zw_op_form((ZwOp)op) == ZW_FORM_CALL && zw_str_equal(name, zw_str_from(zw_op_text((ZwOp)op)))) return (ZwOp)op;
  }
  return ZW_OP_COUNT;
}

/* Functions of the language that belong to parts of it which are not there yet. */
static bool is_later_function(ZwStr name) {
  static const char* const names[] = {"dot", "cross", "norm", "unit", "diff", "reaction", "table"};
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
    if (zw_str_equal(name, zw_str_from(names[i]))) return true;
  }
  return false;
}

static const char* const function_names[] = {
#define FUNCTION_LEAF(text)
#define FUNCTION_PREFIX(text)
#define FUNCTION_SUM(text)
#define FUNCTION_TERM(text)
#define FUNCTION_POWER(text)
#define FUNCTION_COMPARE(text)
#define FUNCTION_LOGIC(text)
#define FUNCTION_SELECT(text)
#define FUNCTION_CALL(text) text,
#define FUNCTION(name, arity, text, form) FUNCTION_##form(text)
    ZW_OP_LIST(FUNCTION) NULL};

void zw_build_mark(ZwBuild* build, ZwSpan span) {
  ZwSystem* system = build->system;
  if (ZW_PUSH(system->arena, &system->marks, span)) system->graph.mark = (uint32_t)(system->marks.count - 1);
}

ZwStatus zw_build_not_yet(ZwBuild* build, ZwSpan span, const char* what) {
  return zw_diag_error(build->diags, ZW_ERR_UNSUPPORTED, span, "%s not supported yet", what);
}

/* A mistake was reported; go on with something harmless. */
static ZwExpr zero(ZwBuild* build) {
  return zw_expr_const(&build->system->graph, 0);
}

ZwExpr zw_build_prime(ZwBuild* build, ZwExpr e, ZwSpan span) {
  ZwGraph* graph = &build->system->graph;
  if (!e.ref) return none;
  if (zw_expr_reads(&build->walk, graph, e).acceleration) {
    zw_diag_error(build->diags, ZW_ERR_DERIVATIVE, span, "this needs a third time derivative of a coordinate");
    zw_diag_remedy(build->diags, "forces, energies and constraints know positions, velocities and accelerations only");
    return zero(build);
  }
  return zw_diff_total(graph, &build->walk, e);
}

static ZwExpr build_name(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = &build->system->graph;
  if (build->arena->failed) return none; /* a name may lack what it stands for */
  const ZwEntity* entity = zw_scope_find(build->scope, node->text);
  if (entity) {
    switch (entity->kind) {
      case ZW_ENTITY_PARAM:
        build->system->params.items[entity->index].is_used = true;
        return zw_expr_leaf(graph, ZW_OP_PARAM, entity->index);
      case ZW_ENTITY_COORD: return zw_expr_leaf(graph, ZW_OP_COORD, entity->index);
      case ZW_ENTITY_LET:
      case ZW_ENTITY_OUTPUT: return entity->value;
    }
  }
  ZwStr shown = {node->text.data, node->text.size > 60 ? 60 : node->text.size};
  if (find_function(node->text) != ZW_OP_COUNT || is_later_function(node->text)) {
    zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "'%.*s' is a function and needs its arguments",
                  ZW_STR_ARGS(shown));
    zw_diag_remedy(build->diags, "write %.*s(...)", ZW_STR_ARGS(shown));
    return zero(build);
  }
  zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "'%.*s' is not declared", ZW_STR_ARGS(shown));
  ZwStr nearest = zw_scope_suggest(build->scope, node->text, NULL);
  if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  else zw_diag_remedy(build->diags, "declare it above with 'param', 'coord' or 'let'");
  return zero(build);
}

static ZwExpr build_primed(ZwBuild* build, const ZwAst* node) {
  ZwExpr e = zw_build_scalar(build, node->a);
  if (node->count > 2) {
    ZwStr shown = zw_sources_text(build->diags->sources, node->a->span);
    zw_diag_error(build->diags, ZW_ERR_DERIVATIVE, node->span, "a time derivative higher than the second");
    zw_diag_remedy(build->diags, "%.*s'' is the highest that can be used", shown.size > 30 ? 1 : shown.size,
                   shown.size > 30 ? "x" : shown.data);
    return zero(build);
  }
  zw_build_mark(build, node->span);
  for (int32_t i = 0; i < node->count; i++) e = zw_build_prime(build, e, node->span);
  return e;
}

static void unknown_function(ZwBuild* build, const ZwAst* name) {
  ZwStr shown = {name->text.data, name->text.size > 60 ? 60 : name->text.size};
  if (is_later_function(name->text)) {
    zw_build_not_yet(build, name->span, zw_format(build->arena, "the function %.*s is", ZW_STR_ARGS(shown)));
    return;
  }
  if (zw_scope_find(build->scope, name->text)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, name->span, "'%.*s' is not a function", ZW_STR_ARGS(shown));
    zw_diag_remedy(build->diags, "write * between two factors: %.*s*(...)", ZW_STR_ARGS(shown));
    return;
  }
  zw_diag_error(build->diags, ZW_ERR_NAME, name->span, "there is no function '%.*s'", ZW_STR_ARGS(shown));
  ZwStr nearest = zw_scope_suggest(NULL, name->text, function_names);
  if (zw_str_equal(name->text, ZW_STR("ln"))) nearest = ZW_STR("log");
  if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
}

static ZwExpr build_call(ZwBuild* build, const ZwAst* node) {
  if (node->a->kind != ZW_AST_NAME) {
    zw_build_not_yet(build, node->a->span, "functions of parts and arrays are");
    return zero(build);
  }
  ZwOp op = find_function(node->a->text);
  if (is_later_function(node->a->text)) { /* its arguments may be what is not known here, such as a constraint's name */
    unknown_function(build, node->a);
    return zero(build);
  }
  ZwExpr args[3] = {{0}};
  int32_t count = 0;
  for (const ZwAst* argument = node->first; argument; argument = argument->next, count++) {
    if (argument->text.size && op != ZW_OP_COUNT) {
      zw_diag_error(build->diags, ZW_ERR_NAME, argument->span, "the arguments of '%s' have no names", zw_op_text(op));
    }
    ZwExpr e = zw_build_scalar(build, argument->a);
    if (count < 3) args[count] = e;
  }
  if (op == ZW_OP_COUNT) {
    unknown_function(build, node->a);
    return zero(build);
  }
  if (count != zw_op_arity(op)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "'%s' takes %d argument%s, not %d", zw_op_text(op),
                  zw_op_arity(op), zw_op_arity(op) == 1 ? "" : "s", (int)count);
    return zero(build);
  }
  zw_build_mark(build, node->span);
  return zw_expr_apply(&build->system->graph, op, args[0], args[1], args[2]);
}

static ZwExpr build_chain(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr result = none;
  for (const ZwAst* member = node->first; member; member = member->next) {
    ZwExpr next = zw_build_scalar(build, member);
    zw_build_mark(build, zw_span_join(node->first->span, member->span));
    switch ((ZwTokenKind)member->lead) {
      case ZW_TOKEN_PLUS: result = zw_expr_add(graph, result, next); break;
      case ZW_TOKEN_MINUS: result = zw_expr_sub(graph, result, next); break;
      case ZW_TOKEN_STAR: result = zw_expr_mul(graph, result, next); break;
      case ZW_TOKEN_SLASH: result = zw_expr_div(graph, result, next); break;
      default: result = next; break;
    }
  }
  return result;
}

/* ---- conditions ---- */

static ZwExpr build_condition(ZwBuild* build, const ZwAst* node);

static ZwExpr build_compare(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr a = zw_build_scalar(build, node->a), b = zw_build_scalar(build, node->b);
  zw_build_mark(build, node->span);
  switch ((ZwTokenKind)node->op) {
    case ZW_TOKEN_LT: return zw_expr_binary(graph, ZW_OP_LESS, a, b);
    case ZW_TOKEN_GT: return zw_expr_binary(graph, ZW_OP_LESS, b, a);
    case ZW_TOKEN_LE: return zw_expr_binary(graph, ZW_OP_LESS_EQUAL, a, b);
    case ZW_TOKEN_GE: return zw_expr_binary(graph, ZW_OP_LESS_EQUAL, b, a);
    case ZW_TOKEN_EQ: return zw_expr_binary(graph, ZW_OP_EQUAL, a, b);
    default: return zw_expr_binary(graph, ZW_OP_NOT_EQUAL, a, b);
  }
}

static ZwExpr build_logic(ZwBuild* build, const ZwAst* node, ZwOp op) {
  ZwExpr result = none;
  for (const ZwAst* member = node->first; member; member = member->next) {
    ZwExpr next = build_condition(build, member);
    result = result.ref ? zw_expr_binary(&build->system->graph, op, result, next) : next;
  }
  return result;
}

static ZwExpr build_condition(ZwBuild* build, const ZwAst* node) {
  switch (node->kind) {
    case ZW_AST_COMPARE: return build_compare(build, node);
    case ZW_AST_AND: return build_logic(build, node, ZW_OP_AND);
    case ZW_AST_OR: return build_logic(build, node, ZW_OP_OR);
    case ZW_AST_NOT: return zw_expr_unary(&build->system->graph, ZW_OP_NOT, build_condition(build, node->a));
    default:
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "a condition is needed here, not a value");
      zw_diag_remedy(build->diags, "compare two values with < <= > >= == or !=");
      return zero(build);
  }
}

static ZwExpr build_choose(ZwBuild* build, const ZwAst* node) {
  ZwExpr condition = build_condition(build, node->c);
  ZwExpr yes = zw_build_scalar(build, node->a), no = zw_build_scalar(build, node->b);
  zw_build_mark(build, node->span);
  return zw_expr_select(&build->system->graph, condition, yes, no);
}

/* ---- dispatch ---- */

ZwExpr zw_build_scalar(ZwBuild* build, const ZwAst* node) {
  ZwGraph* graph = &build->system->graph;
  zw_build_mark(build, node->span);
  switch (node->kind) {
    case ZW_AST_NUMBER: return zw_expr_const(graph, node->number);
    case ZW_AST_TIME: return zw_expr_leaf(graph, ZW_OP_TIME, 0);
    case ZW_AST_PI: return zw_expr_const(graph, acos(-1.0));
    case ZW_AST_DEG: return zw_expr_const(graph, acos(-1.0) / 180);
    case ZW_AST_NAME: return build_name(build, node);
    case ZW_AST_PRIMED: return build_primed(build, node);
    case ZW_AST_CALL: return build_call(build, node);
    case ZW_AST_NEGATE: {
      ZwExpr e = zw_build_scalar(build, node->a);
      return zw_expr_neg(graph, e);
    }
    case ZW_AST_POWER: {
      ZwExpr base = zw_build_scalar(build, node->a), exponent = zw_build_scalar(build, node->b);
      zw_build_mark(build, node->span);
      return zw_expr_binary(graph, ZW_OP_POW, base, exponent);
    }
    case ZW_AST_TERM:
    case ZW_AST_SUM: return build_chain(build, node);
    case ZW_AST_CHOOSE: return build_choose(build, node);
    case ZW_AST_COMPARE:
    case ZW_AST_AND:
    case ZW_AST_OR:
    case ZW_AST_NOT:
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "a condition is not a value");
      zw_diag_remedy(build->diags, "choose between values with 'if ... then ... else ...'");
      return zero(build);
    case ZW_AST_VECTOR: zw_build_not_yet(build, node->span, "vectors are"); return zero(build);
    case ZW_AST_INDEX: zw_build_not_yet(build, node->span, "arrays are"); return zero(build);
    case ZW_AST_MEMBER: zw_build_not_yet(build, node->span, "members of vectors and parts are"); return zero(build);
    case ZW_AST_SUM_OVER: zw_build_not_yet(build, node->span, "sums over a range are"); return zero(build);
    case ZW_AST_ARRAY: zw_build_not_yet(build, node->span, "array literals are"); return zero(build);
    case ZW_AST_STRING:
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->span, "a text in quotes is not a value");
      return zero(build);
    default: return zero(build); /* WRONG: the parser has reported it */
  }
}

static ZwMayRead highest_read(const ZwReads* reads) {
  if (reads->acceleration) return ZW_MAY_READ_ACCELERATION;
  return reads->time || reads->coord || reads->velocity ? ZW_MAY_READ_STATE : ZW_MAY_READ_PARAMS;
}

ZwExpr zw_build_checked(ZwBuild* build, const ZwAst* node, ZwMayRead may_read, const char* place) {
  int32_t errors = build->diags->errors;
  ZwExpr e = zw_build_scalar(build, node);
  if (!e.ref || build->diags->errors > errors) return e;
  ZwReads reads = zw_expr_reads(&build->walk, &build->system->graph, e);
  if (reads.switches && !build->system->has_switches) {
    build->system->has_switches = true;
    build->system->switch_span = node->span;
  }
  if (highest_read(&reads) <= may_read) return e;
  if (may_read == ZW_MAY_READ_PARAMS) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "%s must be a constant: it may read parameters only", place);
  } else {
    zw_diag_error(build->diags, ZW_ERR_DERIVATIVE, node->span, "%s may not hold accelerations", place);
    zw_diag_remedy(build->diags, "an added mass belongs into 'kinetic'; a condition on accelerations is a constraint");
  }
  return zero(build);
}
