#include "expr/graph.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "expr/fold.h"
#include "expr/reads.h"

enum { TABLE_MIN = 256 };

void zw_graph_init(ZwGraph* graph, ZwArena* arena) {
  *graph = (ZwGraph){.arena = arena};
  ZwNode none = {0};
  (void)ZW_PUSH(arena, &graph->nodes, none); /* ref 0; a failure stays in the arena */
}

const ZwNode* zw_graph_node(const ZwGraph* graph, ZwExpr e) {
  ZW_ASSERT(e.ref < (uint32_t)graph->nodes.count);
  return &graph->nodes.items[e.ref];
}

bool zw_expr_is_const(const ZwGraph* graph, ZwExpr e, double value) {
  const ZwNode* node = zw_graph_node(graph, e);
  return e.ref && node->op == ZW_OP_CONST && node->u.value == value;
}

/* ---- the hash table ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
  return hash ^ (hash >> 32);
}

static uint64_t hash_node(const ZwNode* node) {
  uint64_t hash = mix(0, (uint64_t)node->op);
  if (node->op == ZW_OP_CONST) {
    uint64_t bits;
    memcpy(&bits, &node->u.value, sizeof bits);
    return mix(hash, bits);
  }
  if (zw_op_arity(node->op) == 0) return mix(hash, (uint64_t)(uint32_t)node->u.index);
  hash = mix(hash, (uint64_t)node->u.args[0] << 32 | node->u.args[1]);
  return node->u.args[2] ? mix(hash, node->u.args[2]) : hash;
}

static bool equal_nodes(const ZwNode* a, const ZwNode* b) {
  if (a->op != b->op) return false;
  if (a->op == ZW_OP_CONST) return memcmp(&a->u.value, &b->u.value, sizeof a->u.value) == 0;
  if (zw_op_arity(a->op) == 0) return a->u.index == b->u.index;
  return memcmp(a->u.args, b->u.args, sizeof a->u.args) == 0;
}

static uint32_t find_slot(const ZwGraph* graph, const ZwNode* node, uint64_t hash) {
  uint32_t mask = graph->table_size - 1;
  uint32_t slot = (uint32_t)hash & mask;
  for (; graph->table[slot]; slot = (slot + 1) & mask) {
    uint64_t entry = graph->table[slot];
    if (entry >> 32 == hash >> 32 && equal_nodes(&graph->nodes.items[entry & UINT32_MAX], node)) break;
  }
  return slot;
}

static bool grow_table(ZwGraph* graph) {
  uint32_t size = graph->table_size ? 2 * graph->table_size : TABLE_MIN;
  uint64_t* table = ZW_NEW(graph->arena, size, uint64_t);
  if (!table) return false;
  for (int32_t i = 1; i < graph->nodes.count; i++) { /* along the nodes, so that memory is read in order */
    uint64_t hash = hash_node(&graph->nodes.items[i]);
    uint32_t slot = (uint32_t)hash & (size - 1);
    while (table[slot]) slot = (slot + 1) & (size - 1);
    table[slot] = (hash >> 32 << 32) | (uint32_t)i;
  }
  zw_arena_give_back(graph->arena, graph->table);
  graph->table = table;
  graph->table_size = size;
  return true;
}

static ZwExpr intern(ZwGraph* graph, ZwNode node) {
  if (graph->arena->failed) return (ZwExpr){0};
  if ((uint32_t)graph->nodes.count * 2 >= graph->table_size && !grow_table(graph)) return (ZwExpr){0};
  uint64_t hash = hash_node(&node);
  uint32_t slot = find_slot(graph, &node, hash);
  if (graph->table[slot]) return (ZwExpr){(uint32_t)graph->table[slot]};
  node.mark = graph->mark;
  node.reads = zw_node_reads(graph, &node);
  if (!ZW_PUSH(graph->arena, &graph->nodes, node)) return (ZwExpr){0};
  uint32_t ref = (uint32_t)(graph->nodes.count - 1);
  graph->table[slot] = (hash >> 32 << 32) | ref;
  return (ZwExpr){ref};
}

/* ---- building ---- */

ZwExpr zw_expr_const(ZwGraph* graph, double value) {
  if (value == 0) value = 0; /* one zero */
  return intern(graph, (ZwNode){.op = ZW_OP_CONST, .u.value = value});
}

ZwExpr zw_expr_leaf(ZwGraph* graph, ZwOp op, int32_t index) {
  ZW_ASSERT(zw_op_arity(op) == 0 && op != ZW_OP_CONST);
  return intern(graph, (ZwNode){.op = op, .u.index = index});
}

ZwExpr zw_expr_apply(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b, ZwExpr c) {
  int arity = zw_op_arity(op);
  if (arity < 2) b.ref = 0;
  if (arity < 3) c.ref = 0;
  if (!a.ref || (arity > 1 && !b.ref) || (arity > 2 && !c.ref)) return (ZwExpr){0}; /* memory ran out below */
  ZwExpr folded = zw_fold(graph, op, a, b, c);
  if (folded.ref) return folded;
  return intern(graph, (ZwNode){.op = op, .u.args = {a.ref, b.ref, c.ref}});
}

ZwExpr zw_expr_unary(ZwGraph* graph, ZwOp op, ZwExpr a) {
  ZW_ASSERT(zw_op_arity(op) == 1);
  return zw_expr_apply(graph, op, a, (ZwExpr){0}, (ZwExpr){0});
}

ZwExpr zw_expr_binary(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b) {
  ZW_ASSERT(zw_op_arity(op) == 2);
  return zw_expr_apply(graph, op, a, b, (ZwExpr){0});
}

ZwExpr zw_expr_select(ZwGraph* graph, ZwExpr condition, ZwExpr yes, ZwExpr no) {
  return zw_expr_apply(graph, ZW_OP_SELECT, condition, yes, no);
}

ZwExpr zw_expr_add(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  return zw_expr_binary(graph, ZW_OP_ADD, a, b);
}

ZwExpr zw_expr_sub(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  return zw_expr_binary(graph, ZW_OP_SUB, a, b);
}

ZwExpr zw_expr_mul(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  return zw_expr_binary(graph, ZW_OP_MUL, a, b);
}

ZwExpr zw_expr_div(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  return zw_expr_binary(graph, ZW_OP_DIV, a, b);
}

ZwExpr zw_expr_neg(ZwGraph* graph, ZwExpr a) {
  return zw_expr_unary(graph, ZW_OP_NEG, a);
}
