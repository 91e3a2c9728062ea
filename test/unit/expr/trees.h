/* Random expressions as plain trees that nothing has folded, and their values with the rounding they may carry: the
 * yardstick for folding, printing and kernels. */
#ifndef ZW_TEST_TREES_H
#define ZW_TEST_TREES_H

#include "../numbers.h"

#include <float.h>

#include "expr/eval.h"

enum { TREE_MAX = 512, TREE_LEAVES = 4 }; /* leaves of each kind */

typedef struct TreeNode {
  ZwOp op;
  int32_t args[3]; /* earlier nodes */
  int32_t index;
  double value; /* of a constant */
} TreeNode;

typedef struct Tree {
  TreeNode nodes[TREE_MAX];
  int32_t count; /* the root is the last one */
} Tree;

static inline int32_t tree_add(Tree* tree, TreeNode node) {
  tree->nodes[tree->count] = node;
  return tree->count++;
}

static inline int32_t random_constant(Random* random, Tree* tree) {
  static const double some[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3, 0.1, -7.25, 10, 1.0 / 3};
  return tree_add(tree, (TreeNode){.op = ZW_OP_CONST, .value = some[random_int(random, 0, 11)]});
}

static inline int32_t random_leaf(Random* random, Tree* tree) {
  if (random_int(random, 0, 3) == 0) return random_constant(random, tree);
  ZwOp op = (ZwOp)random_int(random, ZW_OP_TIME, ZW_OP_ACCELERATION);
  return tree_add(tree, (TreeNode){.op = op, .index = op == ZW_OP_TIME ? 0 : random_int(random, 0, TREE_LEAVES - 1)});
}

static inline int32_t random_value(Random* random, Tree* tree, int depth);

static inline int32_t random_condition(Random* random, Tree* tree, int depth) {
  int kind = depth > 0 ? random_int(random, 0, 6) : random_int(random, 0, 3);
  TreeNode node = {.op = (ZwOp)(ZW_OP_LESS + kind)}; /* LESS .. NOT_EQUAL, AND, OR, NOT */
  bool is_comparison = kind < 4;
  node.args[0] = is_comparison ? random_value(random, tree, depth - 1) : random_condition(random, tree, depth - 1);
  if (zw_op_arity(node.op) > 1) {
    node.args[1] = is_comparison ? random_value(random, tree, depth - 1) : random_condition(random, tree, depth - 1);
  }
  return tree_add(tree, node);
}

/* Exponents that have a rule of their own in folding or lowering, mostly. */
static inline int32_t random_exponent(Random* random, Tree* tree, int depth) {
  static const double some[] = {0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.5, -2.5, 7, 13, 0.3, 64, -64, 65};
  if (random_int(random, 0, 4) == 0) return random_value(random, tree, depth);
  return tree_add(tree, (TreeNode){.op = ZW_OP_CONST, .value = some[random_int(random, 0, 15)]});
}

static inline int32_t random_value(Random* random, Tree* tree, int depth) {
  if (depth <= 0 || tree->count > TREE_MAX / 2) return random_leaf(random, tree);
  TreeNode node = {.op = (ZwOp)random_int(random, ZW_OP_NEG, ZW_OP_MOD)};
  int kind = random_int(random, 0, 9);
  if (kind == 0) node.op = ZW_OP_SELECT;
  if (kind > 4) node.op = (ZwOp)random_int(random, ZW_OP_NEG, ZW_OP_POW); /* as in real formulas */
  if (node.op == ZW_OP_SELECT) {
    node.args[0] = random_condition(random, tree, depth - 1);
    node.args[1] = random_value(random, tree, depth - 1);
    node.args[2] = random_value(random, tree, depth - 1);
    return tree_add(tree, node);
  }
  node.args[0] = random_value(random, tree, depth - 1);
  if (node.op == ZW_OP_POW)
    node.args[1] = random_exponent(random, tree, depth - 1);
  else if (zw_op_arity(node.op) > 1)
    node.args[1] = random_value(random, tree, depth - 1);
  return tree_add(tree, node);
}

static inline void random_tree(Random* random, int depth, Tree* tree) {
  tree->count = 0;
  (void)random_value(random, tree, depth);
}

/* Which leaf a leaf of the tree stands for. */
typedef struct TreeMap {
  int32_t param[TREE_LEAVES], coord[TREE_LEAVES];
} TreeMap;

static const TreeMap tree_as_is = {{0, 1, 2, 3}, {0, 1, 2, 3}};

static inline int32_t mapped(const TreeNode* node, const TreeMap* map) {
  return node->op == ZW_OP_PARAM ? map->param[node->index] : node->op == ZW_OP_TIME ? 0 : map->coord[node->index];
}

static inline ZwExpr tree_build(const Tree* tree, const TreeMap* map, ZwGraph* graph) {
  ZwExpr built[TREE_MAX] = {{0}};
  for (int32_t i = 0; i < tree->count; i++) {
    const TreeNode* node = &tree->nodes[i];
    if (node->op == ZW_OP_CONST)
      built[i] = zw_expr_const(graph, node->value);
    else if (zw_op_arity(node->op) == 0)
      built[i] = zw_expr_leaf(graph, node->op, mapped(node, map));
    else
      built[i] = zw_expr_apply(graph, node->op, built[node->args[0]], built[node->args[1]], built[node->args[2]]);
  }
  return built[tree->count - 1];
}

typedef struct TreeValue {
  double value, rounding; /* how far rounding may have moved it, to first order */
  bool is_finite;         /* and so is everything below it */
} TreeValue;

static inline double leaf_of(const TreeNode* node, const TreeMap* map, const ZwEnvironment* at) {
  switch (node->op) {
    case ZW_OP_CONST:
      return node->value;
    case ZW_OP_TIME:
      return at->t;
    case ZW_OP_PARAM:
      return at->params[mapped(node, map)];
    case ZW_OP_COORD:
      return at->q[mapped(node, map)];
    case ZW_OP_VELOCITY:
      return at->v[mapped(node, map)];
    default:
      return at->a[mapped(node, map)];
  }
}

/* Each argument is moved by its own rounding, both ways, and the result watched: a switch on the edge shows too. */
static inline TreeValue applied(ZwOp op, const TreeValue* args[3]) {
  double a[3] = {0};
  TreeValue result = {.is_finite = true};
  for (int k = 0; k < zw_op_arity(op); k++) {
    a[k] = args[k]->value;
    result.is_finite = result.is_finite && args[k]->is_finite;
  }
  result.value = zw_op_apply(op, a[0], a[1], a[2]);
  result.rounding = 4 * DBL_EPSILON * fabs(result.value);
  for (int k = 0; k < zw_op_arity(op); k++) {
    double worst = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
      double moved[3] = {a[0], a[1], a[2]};
      moved[k] += sign * args[k]->rounding;
      double off = fabs(zw_op_apply(op, moved[0], moved[1], moved[2]) - result.value);
      worst = off <= worst ? worst : off; /* not a number counts as large */
    }
    result.rounding += worst;
  }
  result.is_finite = result.is_finite && isfinite(result.value) && isfinite(result.rounding);
  return result;
}

static inline TreeValue tree_value(const Tree* tree, const TreeMap* map, const ZwEnvironment* at) {
  TreeValue values[TREE_MAX] = {{0}};
  for (int32_t i = 0; i < tree->count; i++) {
    const TreeNode* node = &tree->nodes[i];
    if (zw_op_arity(node->op) == 0) {
      double value = leaf_of(node, map, at);
      values[i] = (TreeValue){value, 0, isfinite(value)};
    } else {
      const TreeValue* args[3] = {&values[node->args[0]], &values[node->args[1]], &values[node->args[2]]};
      values[i] = applied(node->op, args);
    }
  }
  return values[tree->count - 1];
}

#endif
