#include "expr/graph.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "expr/fold.h"
#include "expr/reads.h"

enum { TABLE_MIN = 256, NEAR = 16, FAR = 32, SURROUNDINGS = 4096 };

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

/* The first slot to look at. Expressions are built near their arguments: a node has its place by the newest of them, so that
 * what is built together lies together in memory too. Leaves lie by their number, likewise whole constants. */
static uint32_t home_of(const ZwNode* node) {
  const uint32_t* args = node->u.args;
  if (zw_op_arity(node->op) > 0) {
    uint32_t newest = args[0] > args[1] ? args[0] : args[1];
    return 4 * (newest > args[2] ? newest : args[2]); /* room for those that are the newest of several */
  }
  uint32_t apart = ((uint32_t)node->op + 1) * 0x9E3779B9u;
  if (node->op != ZW_OP_CONST) return apart + 2 * (uint32_t)node->u.index;
  double value = node->u.value;
  return value >= 0 && value < INT32_MAX && value == (uint32_t)value ? apart + 2 * (uint32_t)value
                                                                     : (uint32_t)hash_node(node);
}

/* Where a search goes on after so many tries. First from slot to slot. Where many nodes have the same newest argument their
 * slots are taken: then anywhere in the surroundings, and at last anywhere. */
static uint32_t next_slot(uint32_t slot, uint32_t tries, uint64_t hash) {
  if (tries < NEAR) return slot + 1;
  if (tries < FAR) return (slot & ~(uint32_t)(SURROUNDINGS - 1)) + (slot + (uint32_t)(hash >> 40 | 1)) % SURROUNDINGS;
  return tries == FAR ? (uint32_t)hash : slot + ((uint32_t)(hash >> 32) | 1);
}

/* The slot of an equal node, or a free one. */
static uint32_t find_slot(const ZwGraph* graph, const uint32_t* table, uint32_t size, const ZwNode* node) {
  uint32_t slot = home_of(node);
  uint64_t hash = 0; /* most are at home */
  for (uint32_t tries = 1;; tries++) {
    uint32_t ref = table[slot & (size - 1)];
    if (!ref || equal_nodes(&graph->nodes.items[ref], node)) return slot & (size - 1);
    if (tries == NEAR) hash = hash_node(node);
    slot = next_slot(slot, tries, hash);
  }
}

/* At most half of the slots are taken. */
static bool is_table_full(const ZwGraph* graph) {
  return (uint32_t)graph->nodes.count >= graph->table_size / 2;
}

static bool grow_table(ZwGraph* graph) {
  uint32_t size = TABLE_MIN;
  while (size / 2 <= (uint32_t)graph->nodes.count) size *= 2;
  uint32_t* table = ZW_NEW(graph->arena, size, uint32_t);
  if (!table) return false;
  for (int32_t i = 1; i < graph->nodes.count; i++) {
    const ZwNode* node = &graph->nodes.items[i];
    table[find_slot(graph, table, size, node)] = (uint32_t)i;
  }
  zw_arena_give_back(graph->arena, graph->table);
  graph->table = table;
  graph->table_size = size;
  return true;
}

static ZwExpr intern(ZwGraph* graph, ZwNode node) {
  if (graph->arena->failed) return (ZwExpr){0};
  if (is_table_full(graph) && !grow_table(graph)) return (ZwExpr){0};
  uint32_t slot = find_slot(graph, graph->table, graph->table_size, &node);
  if (graph->table[slot]) return (ZwExpr){graph->table[slot]};
  node.mark = graph->mark;
  node.reads = zw_node_reads(graph, &node);
  if (!ZW_PUSH(graph->arena, &graph->nodes, node)) return (ZwExpr){0};
  uint32_t ref = (uint32_t)(graph->nodes.count - 1);
  graph->table[slot] = ref;
  return (ZwExpr){ref};
}

void zw_graph_settle(ZwGraph* graph) {
  zw_arena_give_back(graph->arena, graph->table);
  graph->table = NULL;
  graph->table_size = 0;
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
