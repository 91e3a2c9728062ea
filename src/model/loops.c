/* Loops and branches of the text: unrolled, never kept. */
#include <math.h>

#include "model/builder.h"

/* Scopes of loops and calls are taken from a pool: there may be a hundred thousand of them one after the other. */
ZwScope* zw_build_open_scope(ZwBuild* build, const ZwScope* outer) {
  ZwScope* scope = NULL;
  if (build->pool.count > 0) {
    scope = build->pool.items[--build->pool.count];
    zw_scope_reset(scope);
    scope->outer = outer;
    return scope;
  }
  scope = ZW_NEW(build->scratch, 1, ZwScope);
  if (scope) zw_scope_init(scope, build->scratch, outer);
  return scope;
}

void zw_build_close_scope(ZwBuild* build, ZwScope* scope) {
  (void)ZW_PUSH(build->scratch, &build->pool, scope);
}

bool zw_build_count(ZwBuild* build, double count, ZwSpan span) {
  int64_t limit = build->def->iteration_limit ? build->def->iteration_limit : ZW_LIMIT_ITERATIONS;
  if (build->is_over_limit) return false;
  if (count <= (double)(limit - build->iterations)) {
    build->iterations += (int64_t)count;
    return true;
  }
  build->is_over_limit = true;
  zw_diag_error(build->diags, ZW_ERR_LIMIT, span, "more than %lld elements, loop passes and calls in all",
                (long long)limit);
  zw_diag_remedy(build->diags, "raise the limit with --limit iterations=%lld", 10 * (long long)limit);
  return false;
}

/* What is done for every combination of the iterators. */
typedef void (*PassFn)(ZwBuild* build, const ZwAst* node, ZwValue* sum);

static bool reads_index(const ZwAst* node, const ZwAst* iters) {
  if (!node) return false;
  for (const ZwAst* iter = iters; iter && node->kind == ZW_AST_NAME; iter = iter->next) {
    if (zw_str_equal(iter->text, node->text)) return true;
  }
  if (reads_index(node->a, iters)) return true;
  for (const ZwAst* member = node->first; member; member = member->next) {
    if (reads_index(member, iters)) return true;
  }
  return false;
}

/* A loop that is too long is refused before it is begun; its passes are counted one by one. */
static bool has_room(ZwBuild* build, double count, ZwSpan span) {
  int64_t before = build->iterations;
  bool fits = zw_build_count(build, count, span);
  build->iterations = before;
  return fits;
}

/* The passes of all ranges together, as far as ranges that do not depend on each other tell. */
static double count_passes(ZwBuild* build, const ZwAst* node) {
  double count = 1, low, high;
  for (const ZwAst* iter = node->first; iter && count > 0; iter = iter->next) {
    if (reads_index(iter->a->a, node->first) || reads_index(iter->a->b, node->first)) break;
    if (!zw_build_known_directly(build, iter->a->a, &low) || !zw_build_known_directly(build, iter->a->b, &high)) break;
    count *= high >= low ? floor(high - low) + 1 : 0;
  }
  return count;
}

/* Runs over the ranges of `iter` and those after it; a later range may use an earlier index. */
static void iterate(ZwBuild* build, const ZwAst* node, const ZwAst* iter, PassFn pass, ZwValue* sum) {
  if (!iter) {
    pass(build, node, sum);
    return;
  }
  double low, high;
  int32_t errors = build->diags->errors;
  if (build->is_over_limit) return;
  if (iter == node->first && !has_room(build, count_passes(build, node), node->span)) return;
  if (!zw_build_whole(build, iter->a->a, &low) || !zw_build_whole(build, iter->a->b, &high)) return;
  if (high >= low && !has_room(build, high - low + 1, node->span)) return;
  ZwScope* scope = zw_build_open_scope(build, build->scope);
  ZwScope* before = build->scope;
  if (!scope) return;
  for (double k = low; k <= high; k++) {
    if (zw_build_is_out_of_memory(build) || build->diags->errors > errors) break; /* one pass's mistakes are enough */
    if (!zw_build_count(build, 1, node->span)) break;
    zw_scope_reset(scope);
    ZwEntity index = {.kind = ZW_ENTITY_INDEX, .name = iter->text, .span = iter->span, .number = k};
    build->scope = scope;
    if (zw_build_declare(build, scope, index)) iterate(build, node, iter->next, pass, sum);
    build->scope = before;
  }
  zw_build_close_scope(build, scope);
}

static void pass_block(ZwBuild* build, const ZwAst* node, ZwValue* sum) {
  (void)sum;
  zw_build_statements(build, node->b);
}

void zw_build_for(ZwBuild* build, const ZwAst* node) {
  bool was_in_loop = build->is_in_loop;
  ZwScope* indexed = build->indexed_scope;
  if (!was_in_loop) build->indexed_scope = build->scope;
  build->is_in_loop = true;
  iterate(build, node, node->first, pass_block, NULL);
  build->is_in_loop = was_in_loop;
  build->indexed_scope = indexed;
}

static void pass_summand(ZwBuild* build, const ZwAst* node, ZwValue* sum) {
  ZwGraph* graph = &build->system->graph;
  ZwValue next = zw_build_value(build, node->a);
  if (!zw_value_match(graph, sum, &next)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, node->a->span, "one summand is %s, another %s", zw_value_type(sum),
                  zw_value_type(&next));
    return;
  }
  zw_build_mark(build, node);
  *sum = zw_value_add(graph, sum, &next);
}

ZwValue zw_build_sum_over(ZwBuild* build, const ZwAst* node) {
  ZwValue sum = zw_value_zero(&build->system->graph, 1); /* the empty sum stands for any zero */
  iterate(build, node, node->first, pass_summand, &sum);
  return sum;
}

/* Whether the condition holds; false after a message. */
static bool decide(ZwBuild* build, const ZwAst* node, bool* holds) {
  if (zw_build_decided_directly(build, node, ZW_ASK_STRUCTURAL, holds)) return true;
  int32_t errors = build->diags->errors;
  ZwExpr condition = zw_build_condition(build, node);
  if (build->diags->errors > errors) return false;
  if (!zw_build_decided(build, condition, node->span, holds)) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->span,
                  "the condition of a statement 'if' must be known while the model is built");
    zw_diag_remedy(build->diags, "for a choice during the motion write if ... then ... else inside an expression");
    return false;
  }
  /* a quotient 0/0 is lost where expressions are simplified: such a condition is no expression that could be asked again */
  bool seen;
  if (zw_build_decided_directly(build, node, ZW_ASK_LOOK, &seen) && seen != *holds)
    return zw_build_decided_directly(build, node, ZW_ASK_SIZE, holds);
  return true;
}

void zw_build_if(ZwBuild* build, const ZwAst* node) {
  bool holds;
  if (!decide(build, node->c, &holds)) return;
  if (holds) {
    zw_build_statements(build, node->a);
  } else if (node->b && node->b->kind != ZW_AST_IF) {
    zw_build_statements(build, node->b);
  } else if (node->b && zw_build_enter(build, node->b->span)) {
    zw_build_if(build, node->b);
    zw_build_leave(build);
  }
}
