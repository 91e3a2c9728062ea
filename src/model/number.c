/* Numbers known while building. They size arrays and loops, choose elements, and decide which branch is built. */
#include <math.h>
#include <string.h>

#include "model/builder.h"
#include "text/lexer.h"

static void make_structural(ZwBuild* build) {
  const ZwWalk* walk = &build->walk;
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(&build->system->graph, (ZwExpr){walk->order.items[i]});
    if (node->op == ZW_OP_PARAM) build->system->params.items[node->u.index].is_structural = true;
  }
}

static void make_deciding(ZwBuild* build) {
  const ZwWalk* walk = &build->walk;
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(&build->system->graph, (ZwExpr){walk->order.items[i]});
    if (node->op == ZW_OP_PARAM) build->system->params.items[node->u.index].is_deciding = true;
  }
}

/* What a structural parameter is computed from is structural too; it stands above it in the text. So with those that decide. */
bool zw_build_spread_structural(ZwBuild* build) {
  const ZwSystem* system = build->system;
  for (int32_t i = system->params.count - 1; i >= 0; i--) {
    const ZwParam* param = &system->params.items[i];
    if (!(param->is_structural || param->is_deciding) || !param->value.ref) continue;
    if (!zw_walk_collect(&build->walk, &system->graph, &param->value, 1)) return false;
    if (param->is_structural) make_structural(build);
    if (param->is_deciding) make_deciding(build);
  }
  return true;
}

/* Memory is a parameter that events change: not known. Looks at the walk made last. */
static bool reads_memory(const ZwBuild* build) {
  for (int32_t i = 0; i < build->walk.order.count; i++) {
    const ZwNode* node = zw_graph_node(&build->system->graph, (ZwExpr){build->walk.order.items[i]});
    if (node->op == ZW_OP_PARAM && build->system->params.items[node->u.index].is_memory) return true;
  }
  return false;
}

/* The number, if it reads nothing but parameters; the walk made last is the one over it. */
static bool evaluate(ZwBuild* build, ZwExpr e, double* number) {
  const ZwGraph* graph = &build->system->graph;
  if (!e.ref) return false;
  ZwReads reads = zw_expr_reads(graph, e);
  if (reads.time || reads.coord || reads.velocity || reads.acceleration || reads.reaction) return false;
  ZwEnvironment environment = {.params = build->values.items};
  *number = zw_expr_eval(&build->evaluator, graph, e, &environment); /* walks over it */
  return !reads_memory(build);
}

bool zw_build_known(ZwBuild* build, ZwExpr e, double* number) {
  if (!evaluate(build, e, number)) return false;
  make_structural(build);
  return true;
}

/* ---- choices ---- */

/* Whether the walk made last meets a parameter that may get another value. */
static bool reads_changeable(const ZwBuild* build) {
  for (int32_t i = 0; i < build->walk.order.count; i++) {
    const ZwNode* node = zw_graph_node(&build->system->graph, (ZwExpr){build->walk.order.items[i]});
    if (node->op != ZW_OP_PARAM) continue;
    const ZwParam* param = &build->system->params.items[node->u.index];
    if (!param->is_hidden && !param->is_structural) return true;
  }
  return false;
}

/* Parts of the same kind ask the same: once is enough. */
static bool is_new_choice(ZwBuild* build, ZwExpr condition) {
  while (!build->scratch->failed && (uint32_t)build->is_chosen.count <= condition.ref) {
    bool none = false;
    (void)ZW_PUSH(build->scratch, &build->is_chosen, none);
  }
  if (build->scratch->failed || build->is_chosen.items[condition.ref]) return false;
  return build->is_chosen.items[condition.ref] = true;
}

bool zw_build_decided(ZwBuild* build, ZwExpr condition, ZwSpan span, bool* holds) {
  double number;
  if (!evaluate(build, condition, &number)) return false;
  *holds = number != 0;
  if (!reads_changeable(build) || !is_new_choice(build, condition)) return true;
  make_deciding(build);
  ZwChoice choice = {condition, *holds, span};
  (void)ZW_PUSH(build->arena, &build->system->choices, choice);
  return true;
}

/* The common cases without building anything: a loop asks for x[i-1] a hundred thousand times. */
static bool know_directly(ZwBuild* build, const ZwAst* node, ZwAsking asking, double* number) {
  switch (node->kind) {
    case ZW_AST_NUMBER:
      *number = node->number;
      return true;
    case ZW_AST_NEGATE:
      if (!know_directly(build, node->a, asking, number)) return false;
      *number = -*number;
      return true;
    case ZW_AST_NAME: {
      const ZwEntity* entity = zw_scope_find(build->scope, node->text);
      if (!entity || entity->is_ambiguous) return false;
      if (entity->kind == ZW_ENTITY_INDEX) {
        *number = entity->number;
        return true;
      }
      if (entity->kind != ZW_ENTITY_PARAM || entity->value.dim != 1) return false;
      ZwParam* param = &build->system->params.items[entity->first];
      if (asking == ZW_ASK_STRUCTURAL && !param->is_structural) return false;
      param->is_used = true;
      if (asking == ZW_ASK_SIZE) param->is_structural = true;
      *number = build->values.items[entity->first];
      return true;
    }
    case ZW_AST_SUM:
    case ZW_AST_TERM:
      for (const ZwAst* member = node->first; member; member = member->next) {
        double next = 0;
        if (!know_directly(build, member, asking, &next)) return false;
        switch ((ZwTokenKind)member->lead) {
          case ZW_TOKEN_PLUS:
            *number += next;
            break;
          case ZW_TOKEN_MINUS:
            *number -= next;
            break;
          case ZW_TOKEN_STAR:
            *number *= next;
            break;
          case ZW_TOKEN_SLASH:
            *number /= next;
            break;
          default:
            *number = next;
            break;
        }
      }
      return true;
    default:
      return false;
  }
}

bool zw_build_known_directly(ZwBuild* build, const ZwAst* node, double* number) {
  return know_directly(build, node, ZW_ASK_SIZE, number);
}

static bool compare(ZwTokenKind op, double a, double b) {
  switch (op) {
    case ZW_TOKEN_LT:
      return a < b;
    case ZW_TOKEN_GT:
      return a > b;
    case ZW_TOKEN_LE:
      return a <= b;
    case ZW_TOKEN_GE:
      return a >= b;
    case ZW_TOKEN_EQ:
      return a == b;
    default:
      return a != b;
  }
}

bool zw_build_decided_directly(ZwBuild* build, const ZwAst* node, ZwAsking asking, bool* holds) {
  double a, b;
  bool is_or = node->kind == ZW_AST_OR;
  switch (node->kind) {
    case ZW_AST_COMPARE:
      if (!know_directly(build, node->a, asking, &a) || !know_directly(build, node->b, asking, &b)) return false;
      *holds = compare((ZwTokenKind)node->op, a, b);
      return true;
    case ZW_AST_NOT:
      if (!zw_build_decided_directly(build, node->a, asking, holds)) return false;
      *holds = !*holds;
      return true;
    case ZW_AST_AND:
    case ZW_AST_OR:
      *holds = !is_or;
      for (const ZwAst* member = node->first; member; member = member->next) {
        bool next;
        if (!zw_build_decided_directly(build, member, asking, &next)) return false;
        *holds = is_or ? *holds || next : *holds && next;
      }
      return true;
    default:
      return false;
  }
}

bool zw_build_number(ZwBuild* build, const ZwAst* node, double* number) {
  if (zw_build_known_directly(build, node, number)) return true;
  int32_t errors = build->diags->errors;
  ZwExpr e = zw_build_scalar(build, node, "a range or index");
  if (build->diags->errors > errors) return false;
  if (zw_build_known(build, e, number)) return true;
  zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "this number must be known while the model is built");
  zw_diag_remedy(build->diags, "it may be made of numbers, loop indices and parameters, not of things that move");
  return false;
}

bool zw_build_whole(ZwBuild* build, const ZwAst* node, double* number) {
  if (!zw_build_number(build, node, number)) return false;
  double nearest = round(*number);
  if (!(fabs(*number - nearest) <= 1e-9 && fabs(nearest) <= 1e9)) { /* not a number is no whole one */
    if (isnan(*number))
      zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "a whole number is needed here, this is not a number");
    else
      zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "a whole number is needed here, this is %.9g", *number);
    if (fabs(nearest) <= 1e9) zw_diag_remedy(build->diags, "floor(...) makes a number whole");
    return false;
  }
  *number = nearest + 0.0; /* there is no minus zero among indices */
  return true;
}

bool zw_build_key(ZwBuild* build, const ZwAst* first, int32_t count, double* key, ZwSpan span) {
  if (count > ZW_ARRAY_RANK) {
    zw_diag_error(build->diags, ZW_ERR_LIMIT, span, "more than %d indices", (int)ZW_ARRAY_RANK);
    return false;
  }
  for (int32_t i = 0; i < count; i++, first = first->next) {
    if (!zw_build_whole(build, first, &key[i])) return false;
  }
  return true;
}

ZwExpr zw_build_slot(ZwBuild* build, double number) {
  ZwSystem* system = build->system;
  ZwParam param = {.value = zw_expr_const(&system->graph, number), .is_hidden = true, .is_used = true};
  if (!ZW_PUSH(system->arena, &system->params, param) || !ZW_PUSH(build->arena, &build->values, number)) {
    return (ZwExpr){0};
  }
  return zw_expr_leaf(&system->graph, ZW_OP_PARAM, system->params.count - 1);
}

bool zw_build_is_of_time(const ZwGraph* graph, ZwExpr e) {
  ZwReads reads = zw_expr_reads(graph, e);
  return reads.time && !(reads.coord || reads.velocity || reads.acceleration || reads.reaction);
}

ZwExpr zw_build_epoch(ZwBuild* build) {
  ZwSystem* system = build->system;
  if (system->epoch == 0 && zw_build_slot(build, 0).ref) system->epoch = system->params.count;
  return system->epoch > 0 ? zw_expr_leaf(&system->graph, ZW_OP_PARAM, system->epoch - 1) : (ZwExpr){0};
}

ZwExpr zw_build_time(ZwBuild* build) {
  (void)zw_build_epoch(build);
  return zw_expr_leaf(&build->system->graph, ZW_OP_TIME, 0);
}

ZwValue zw_build_slots(ZwBuild* build, const ZwValue* value) {
  ZwValue slots = *value;
  for (int32_t k = 0; k < value->dim; k++) {
    if (!value->c[k].ref) continue;
    ZwNode node = *zw_graph_node(&build->system->graph, value->c[k]);
    if (node.op == ZW_OP_CONST && node.u.value != 0) slots.c[k] = zw_build_slot(build, node.u.value);
  }
  return slots;
}
