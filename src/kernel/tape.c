/* Expressions to register tapes. Registers are reused after their last reader, so that a tape's registers stay in the
 * first-level cache at 64 lanes. */
#include "base/assert.h"
#include "kernel/kernel.h"

/* What is known of the nodes of one walk, parallel to its order. */
typedef struct Marks {
  bool *is_static, *is_needed; /* static: depends on slots and literals only */
  int32_t *last_use, *reg;
} Marks;

typedef struct Builder {
  ZwProgram* program;
  ZwWalk* walk;
  ZwTape* tape;
  Marks marks;
  ZW_ARRAY(int32_t) free;
  bool is_setup;
  const ZwExpr* constants; /* entry tapes: what the set-up tape offers, in order */
  int32_t constant_count;
} Builder;

static const ZwNode* node_at(const Builder* b, int32_t i) {
  return zw_graph_node(&b->program->graph, (ZwExpr){b->walk->order.items[i]});
}

static bool open_marks(Builder* b) {
  ZwArena* arena = b->program->arena;
  int32_t count = b->walk->order.count;
  b->marks = (Marks){ZW_NEW(arena, count, bool), ZW_NEW(arena, count, bool), ZW_NEW(arena, count, int32_t),
                     ZW_NEW(arena, count, int32_t)};
  if (arena->failed) return false;
  for (int32_t i = 0; i < count; i++) {
    const ZwNode* node = node_at(b, i);
    bool is_static = node->op == ZW_OP_CONST || node->op == ZW_OP_PARAM;
    if (zw_op_arity(node->op) > 0) {
      is_static = true;
      for (int k = 0; k < zw_op_arity(node->op); k++) {
        is_static = is_static && b->marks.is_static[zw_walk_place(b->walk, node->u.args[k])];
      }
    }
    b->marks.is_static[i] = is_static;
  }
  return true;
}

/* A leaf of this tape: nothing below it is computed here. */
static bool is_leaf(const Builder* b, int32_t i) {
  const ZwNode* node = node_at(b, i);
  return zw_op_arity(node->op) == 0 || (!b->is_setup && b->marks.is_static[i]);
}

static void mark_needed(Builder* b, const ZwExpr* roots, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    uint32_t place = zw_walk_place(b->walk, roots[i].ref);
    b->marks.is_needed[place] = true;
    b->marks.last_use[place] = INT32_MAX; /* outputs are read after the last instruction */
  }
  for (int32_t i = b->walk->order.count - 1; i >= 0; i--) {
    if (!b->marks.is_needed[i] || is_leaf(b, i)) continue;
    const ZwNode* node = node_at(b, i);
    for (int k = 0; k < zw_op_arity(node->op); k++) {
      uint32_t place = zw_walk_place(b->walk, node->u.args[k]);
      b->marks.is_needed[place] = true;
      if (b->marks.last_use[place] < i) b->marks.last_use[place] = i;
    }
  }
}

static int32_t take_register(Builder* b) {
  if (b->free.count > 0) return b->free.items[--b->free.count];
  return b->tape->registers++;
}

static int32_t constant_number(const Builder* b, uint32_t ref) {
  for (int32_t i = 0; i < b->constant_count; i++) {
    if (b->constants[i].ref == ref) return i;
  }
  ZW_ASSERT(false && "a static value that the set-up tape does not offer");
  return 0;
}

static void emit_leaf(Builder* b, int32_t i) {
  ZwArena* arena = b->program->arena;
  const ZwNode* node = node_at(b, i);
  ZwInput input = {.dst = b->marks.reg[i], .mark = node->mark};
  if (node->op == ZW_OP_CONST) return; /* placed before */
  if (!b->is_setup && b->marks.is_static[i]) {
    input.kind = ZW_INPUT_CONSTANT;
    input.index = constant_number(b, b->walk->order.items[i]);
  } else if (node->op == ZW_OP_TIME) {
    input.kind = ZW_INPUT_TIME;
  } else {
    input.kind = node->op == ZW_OP_COORD      ? ZW_INPUT_COORD
                 : node->op == ZW_OP_VELOCITY ? ZW_INPUT_VELOCITY
                 : node->op == ZW_OP_PARAM    ? ZW_INPUT_SLOT
                 : node->op == ZW_OP_REACTION ? ZW_INPUT_REACTION
                                              : ZW_INPUT_ACCELERATION;
    input.index = node->u.index;
  }
  (void)ZW_PUSH(arena, &b->tape->inputs, input);
}

/* Literals and inputs are loaded before the first instruction, so their registers come first and are not shared. */
static void place_leaves(Builder* b) {
  for (int32_t i = 0; i < b->walk->order.count; i++) {
    if (!b->marks.is_needed[i] || node_at(b, i)->op != ZW_OP_CONST) continue;
    ZwLiteral literal = {node_at(b, i)->u.value, b->tape->registers};
    b->marks.reg[i] = b->tape->registers++;
    (void)ZW_PUSH(b->program->arena, &b->tape->literals, literal);
  }
  for (int32_t i = 0; i < b->walk->order.count; i++) {
    if (!b->marks.is_needed[i] || !is_leaf(b, i) || node_at(b, i)->op == ZW_OP_CONST) continue;
    b->marks.reg[i] = b->tape->registers++;
    emit_leaf(b, i);
  }
}

static void release_after(Builder* b, int32_t i) {
  const ZwNode* node = node_at(b, i);
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    uint32_t place = zw_walk_place(b->walk, node->u.args[k]);
    bool is_literal = node_at(b, (int32_t)place)->op == ZW_OP_CONST;
    if (b->marks.last_use[place] != i || is_literal) continue;
    b->marks.last_use[place] = -1; /* an operator may read one register twice */
    (void)ZW_PUSH(b->program->arena, &b->free, b->marks.reg[place]);
  }
}

static void emit_instructions(Builder* b) {
  ZwArena* arena = b->program->arena;
  for (int32_t i = 0; i < b->walk->order.count; i++) {
    if (!b->marks.is_needed[i] || is_leaf(b, i)) continue;
    const ZwNode* node = node_at(b, i);
    int32_t args[3] = {0};
    for (int k = 0; k < zw_op_arity(node->op); k++) args[k] = b->marks.reg[zw_walk_place(b->walk, node->u.args[k])];
    release_after(b, i); /* the result may take an argument's place: lanes are read before they are written */
    b->marks.reg[i] = take_register(b);
    ZwInstr instr = {node->op, b->marks.reg[i], args[0], args[1], args[2]};
    (void)ZW_PUSH(arena, &b->tape->code, instr);
    (void)ZW_PUSH(arena, &b->tape->marks, node->mark);
  }
}

static bool build_tape(Builder* b, const ZwExpr* roots, int32_t count) {
  if (count == 0) return true;
  if (!zw_walk_collect(b->walk, &b->program->graph, roots, count) || !open_marks(b)) return false;
  mark_needed(b, roots, count);
  place_leaves(b);
  emit_instructions(b);
  for (int32_t i = 0; i < count; i++) {
    (void)ZW_PUSH(b->program->arena, &b->tape->outputs, b->marks.reg[zw_walk_place(b->walk, roots[i].ref)]);
  }
  if (b->tape->registers > b->program->registers) b->program->registers = b->tape->registers;
  return !b->program->arena->failed;
}

/* The static values that entries read: outputs themselves, or arguments of something that moves. Literals stay out. */
static bool find_constants(Builder* b, const ZwExpr* roots, int32_t count, ZwExpr** constants,
                           int32_t* constant_count) {
  ZwArena* arena = b->program->arena;
  ZW_ARRAY(ZwExpr) found = {0};
  *constants = NULL;
  *constant_count = 0;
  if (count == 0) return true;
  if (!zw_walk_collect(b->walk, &b->program->graph, roots, count) || !open_marks(b)) return false;
  /* is_needed: already taken */
  for (int32_t r = 0; r < count; r++) b->marks.last_use[zw_walk_place(b->walk, roots[r].ref)] = 1;
  for (int32_t i = 0; i < b->walk->order.count; i++) {
    const ZwNode* node = node_at(b, i);
    for (int k = 0; k < zw_op_arity(node->op) && !b->marks.is_static[i]; k++) {
      b->marks.last_use[zw_walk_place(b->walk, node->u.args[k])] = 1;
    }
  }
  for (int32_t i = 0; i < b->walk->order.count; i++) {
    ZwExpr self = {b->walk->order.items[i]};
    if (!b->marks.is_static[i] || !b->marks.last_use[i] || node_at(b, i)->op == ZW_OP_CONST) continue;
    (void)ZW_PUSH(arena, &found, self);
  }
  *constants = found.items;
  *constant_count = found.count;
  return !arena->failed;
}

bool zw_tape_build(ZwProgram* program, ZwKernel* kernel, ZwWalk* walk, const ZwExpr* lowered) {
  int32_t total = 0;
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) total += kernel->shape->entries[entry].list.count;
  ZwExpr* constants;
  Builder finder = {.program = program, .walk = walk};
  if (!find_constants(&finder, lowered, total, &constants, &kernel->constants)) return false;
  Builder setup = {.program = program, .walk = walk, .tape = &kernel->setup, .is_setup = true};
  if (!build_tape(&setup, constants, kernel->constants)) return false;
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
    int32_t count = kernel->shape->entries[entry].list.count;
    Builder builder = {.program = program,
                       .walk = walk,
                       .tape = &kernel->tapes[entry],
                       .constants = constants,
                       .constant_count = kernel->constants};
    if (!build_tape(&builder, lowered, count)) return false;
    lowered += count;
  }
  return true;
}
