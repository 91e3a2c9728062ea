#include "paper/steps.h"

#include "paper/write.h"

const ZwStep* zw_step_of(const ZwSheet* paper, ZwExpr e) {
  if (!e.ref) return NULL;
  const ZwNode* node = zw_graph_node(&paper->graph, e);
  int32_t first = paper->system->params.count;
  return node->op == ZW_OP_PARAM && node->u.index >= first ? &paper->steps.items[node->u.index - first] : NULL;
}

static bool is_short(const ZwGraph* graph, ZwExpr e) {
  const ZwNode* node = zw_graph_node(graph, e);
  if (node->op == ZW_OP_NEG) node = zw_graph_node(graph, (ZwExpr){node->u.args[0]});
  return zw_op_arity(node->op) == 0;
}

ZwExpr zw_name_step(ZwPaperStates* states, const char* name, ZwExpr value) {
  ZwSheet* paper = states->paper;
  bool is_full = paper->steps.count >= ZW_STEPS_MOST;
  if (!name || !value.ref || is_full || is_short(&paper->graph, value)) return value;
  ZwStr word = zw_str_from(name);
  for (int32_t i = 0; i < paper->steps.count; i++) {
    const ZwStep* step = &paper->steps.items[i];
    if (step->value.ref == value.ref || zw_str_equal(step->name, word)) return step->leaf;
  }
  int32_t index = paper->system->params.count + paper->steps.count;
  ZwExpr leaf = zw_expr_leaf(&paper->graph, ZW_OP_PARAM, index);
  for (int32_t s = 0; s < ZW_PAPER_ALL; s++) states->values[s][index] = zw_paper_value(states, s, value);
  ZwStep step = {.name = word, .value = value, .leaf = leaf};
  return leaf.ref && ZW_PUSH(paper->arena, &paper->steps, step) ? leaf : (ZwExpr){0};
}

ZwExpr zw_name_long_step(ZwPaperStates* states, const char* name, ZwExpr value, double most) {
  if (!value.ref || zw_tidy_facts(&states->paper->tidy, value.ref)->cost <= most) return value;
  return zw_name_step(states, name, value);
}

const char* zw_step_prefix(ZwSheet* paper, const char* wish) {
  while (wish && !zw_prefix_is_free(paper, wish)) wish = zw_format(paper->arena, "%s_", wish);
  return wish;
}

const char* zw_counted_prefix(ZwSheet* paper, const char* wish) {
  while (wish && !zw_prefix_is_free_in_model(paper, wish)) wish = zw_format(paper->arena, "%s_", wish);
  return wish;
}
