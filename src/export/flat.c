#include "export/flat.h"

#include <string.h>

#include "export/symbolic.h"

typedef struct Runner {
  ZwFlat* flat;
  const double* values;
  ZwExpr* registers;
  ZwExpr* constants; /* of the instance at hand */
  const ZwKernel* kernel;
  int32_t instance;
} Runner;

int64_t zw_flat_operations(const ZwProgram* program) {
  int64_t count = 0;
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    int64_t of_one = kernel->setup.code.count + kernel->tapes[ZW_ENTRY_ACCELERATION].code.count +
                     kernel->tapes[ZW_ENTRY_OUTPUT].code.count;
    count += of_one * kernel->shape->count;
  }
  return count;
}

bool zw_flat_is_fixed(const ZwParam* param) {
  return param->is_structural || param->is_deciding || (param->is_hidden && !param->is_mode);
}

/* ---- the system without modes ---- */

/* Splitting energies adds to the graph of a system, so the copy has its own. */
static bool copy_graph(ZwGraph* to, ZwArena* arena, const ZwGraph* from) {
  *to = *from;
  to->arena = arena;
  to->table = NULL;
  to->table_size = 0;
  to->nodes.capacity = to->nodes.count;
  to->nodes.items = ZW_NEW(arena, from->nodes.count, ZwNode);
  if (!to->nodes.items) return false;
  memcpy(to->nodes.items, from->nodes.items, (size_t)from->nodes.count * sizeof(ZwNode));
  return true;
}

static bool copy_system(ZwSystem* to, ZwArena* arena, const ZwSystem* from) {
  *to = *from;
  to->arena = arena;
  to->epoch = 0; /* t is counted from zero, and stands in the text as it was written */
  to->terms.capacity = to->terms.count;
  to->terms.items = ZW_NEW(arena, from->terms.count + 1, ZwTerm);
  if (!to->terms.items || !copy_graph(&to->graph, arena, &from->graph)) return false;
  to->terms.count = 0;
  for (int32_t i = 0; i < from->terms.count; i++) {
    if (from->terms.items[i].kind == ZW_TERM_CLAIM) continue; /* nobody asks for them there */
    ZwTerm* term = &to->terms.items[to->terms.count++];
    *term = from->terms.items[i];
    term->held_value = term->held_rate = (ZwExpr){0};
  }
  return true;
}

/* ---- tapes run on expressions ---- */

static ZwExpr value_of(ZwFlat* flat, const double* values, int32_t number) {
  const ZwSystem* system = &flat->system;
  if (number >= system->params.count) {
    return zw_expr_const(&flat->graph, flat->equations.literals.items[number - system->params.count]);
  }
  if (zw_flat_is_fixed(&system->params.items[number])) return zw_expr_const(&flat->graph, values[number]);
  return zw_expr_leaf(&flat->graph, ZW_OP_PARAM, number);
}

static ZwExpr leaf_of(const Runner* r, ZwOp op, const int32_t* table, int32_t stride, int32_t number) {
  return zw_expr_leaf(&r->flat->graph, op, table[(ptrdiff_t)r->instance * stride + number]);
}

static ZwExpr read_input(void* context, const ZwInput* input) {
  const Runner* r = context;
  const ZwShape* shape = r->kernel->shape;
  switch (input->kind) {
    case ZW_INPUT_TIME:
      return zw_expr_leaf(&r->flat->graph, ZW_OP_TIME, 0);
    case ZW_INPUT_COORD:
      return leaf_of(r, ZW_OP_COORD, shape->instance_coords.items, shape->coords, input->index);
    case ZW_INPUT_VELOCITY:
      return leaf_of(r, ZW_OP_VELOCITY, shape->instance_coords.items, shape->coords, input->index);
    case ZW_INPUT_ACCELERATION:
      return leaf_of(r, ZW_OP_ACCELERATION, shape->instance_coords.items, shape->coords, input->index);
    case ZW_INPUT_REACTION:
      return leaf_of(r, ZW_OP_REACTION, shape->instance_reactions.items, shape->reactions, input->index);
    case ZW_INPUT_SLOT:
      return value_of(r->flat, r->values,
                      shape->instance_slots.items[(ptrdiff_t)r->instance * shape->slots + input->index]);
    case ZW_INPUT_CONSTANT:
      break;
  }
  return r->constants[input->index];
}

static void run_tape(Runner* r, const ZwTape* tape) {
  zw_tape_run(tape, &r->flat->graph, r->registers, read_input, r);
}

static void add_outputs(const Runner* r, ZwEntry entry) {
  const ZwTape* tape = &r->kernel->tapes[entry];
  const ZwContributions* contributions = &r->kernel->shape->entries[entry];
  int32_t count = contributions->list.count;
  for (int32_t k = 0; k < count; k++) {
    int32_t place = r->kernel->scatter[entry][(ptrdiff_t)r->instance * count + k];
    ZwExpr* to = &r->flat->of[entry][contributions->list.items[k].target][place];
    *to = zw_expr_add(&r->flat->graph, *to, r->registers[tape->outputs.items[k]]);
  }
}

static const ZwEntry entries[] = {ZW_ENTRY_POSITION, ZW_ENTRY_VELOCITY, ZW_ENTRY_ACCELERATION,
                                  ZW_ENTRY_ENERGY,   ZW_ENTRY_OUTPUT,   ZW_ENTRY_EVENT};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void run_instance(Runner* r) {
  run_tape(r, &r->kernel->setup);
  for (int32_t i = 0; i < r->kernel->constants; i++) {
    r->constants[i] = r->registers[r->kernel->setup.outputs.items[i]];
  }
  for (int e = 0; e < ENTRIES; e++) {
    if (r->kernel->shape->entries[entries[e]].list.count == 0) continue;
    run_tape(r, &r->kernel->tapes[entries[e]]);
    add_outputs(r, entries[e]);
  }
}

/* ---- targets ---- */

static int32_t size_of(const ZwEquations* equations, ZwTarget target) {
  switch (target) {
    case ZW_TARGET_M:
      return equations->M.count;
    case ZW_TARGET_A:
      return equations->A.count;
    case ZW_TARGET_H:
    case ZW_TARGET_Q:
      return equations->n;
    case ZW_TARGET_B:
    case ZW_TARGET_PHI:
    case ZW_TARGET_PSI:
      return equations->m_all;
    case ZW_TARGET_ENERGY:
    case ZW_TARGET_MOMENTUM:
    case ZW_TARGET_RESTING:
    case ZW_TARGET_GROUND:
      return equations->groups.count + 1;
    case ZW_TARGET_OUTPUT:
      return equations->output_count;
    case ZW_TARGET_EVENT:
      return equations->event_count;
    default:
      return 1;
  }
}

static bool open_targets(ZwFlat* flat) {
  ZwExpr zero = zw_expr_const(&flat->graph, 0);
  for (int e = 0; e < ENTRIES; e++) {
    for (int target = 0; target < ZW_TARGET_COUNT; target++) {
      int32_t size = size_of(&flat->equations, (ZwTarget)target);
      ZwExpr* list = ZW_NEW(flat->arena, size + 1, ZwExpr);
      if (!list) return false;
      for (int32_t i = 0; i < size; i++) list[i] = zero;
      flat->of[entries[e]][target] = list;
    }
  }
  return true;
}

static bool run_kernels(ZwFlat* flat, const double* values) {
  int32_t constants = 0;
  for (int32_t i = 0; i < flat->program.kernels.count; i++) {
    int32_t count = flat->program.kernels.items[i].constants;
    if (count > constants) constants = count;
  }
  Runner runner = {.flat = flat,
                   .values = values,
                   .registers = ZW_NEW(flat->arena, flat->program.registers, ZwExpr),
                   .constants = ZW_NEW(flat->arena, constants + 1, ZwExpr)};
  if (!runner.registers || !runner.constants) return false;
  for (int32_t i = 0; i < flat->program.kernels.count; i++) {
    runner.kernel = &flat->program.kernels.items[i];
    for (runner.instance = 0; runner.instance < runner.kernel->shape->count; runner.instance++) run_instance(&runner);
  }
  return !flat->arena->failed;
}

ZwStatus zw_flat_build(ZwFlat* flat, ZwArena* arena, ZwDiagList* diags, const ZwSystem* system, const double* values) {
  *flat = (ZwFlat){.arena = arena};
  if (!copy_system(&flat->system, arena, system)) return ZW_ERR_MEMORY;
  ZW_TRY(zw_derive(arena, diags, &flat->system, &flat->equations));
  ZW_TRY(zw_compile_kernels(arena, &flat->equations, &flat->program));
  zw_graph_init(&flat->graph, arena);
  zw_walk_init(&flat->walk, arena);
  return open_targets(flat) && run_kernels(flat, values) ? ZW_OK : ZW_ERR_MEMORY;
}

ZwExpr zw_flat_copy(ZwFlat* flat, ZwExpr e, const double* values) {
  ZwWalk* walk = &flat->walk;
  if (!zw_walk_collect(walk, &flat->system.graph, &e, 1) || !zw_walk_reserve_values(walk)) return (ZwExpr){0};
  for (int32_t i = 0; i < walk->order.count; i++) {
    ZwNode node = *zw_graph_node(&flat->system.graph, (ZwExpr){walk->order.items[i]});
    ZwExpr args[3] = {{0}};
    for (int k = 0; k < zw_op_arity(node.op); k++) args[k] = walk->values.items[zw_walk_place(walk, node.u.args[k])];
    if (node.op == ZW_OP_CONST)
      walk->values.items[i] = zw_expr_const(&flat->graph, node.u.value);
    else if (node.op == ZW_OP_PARAM)
      walk->values.items[i] = value_of(flat, values, node.u.index);
    else if (zw_op_arity(node.op) == 0)
      walk->values.items[i] = zw_expr_leaf(&flat->graph, node.op, node.u.index);
    else
      walk->values.items[i] = zw_expr_apply(&flat->graph, node.op, args[0], args[1], args[2]);
  }
  return walk->values.items[walk->order.count - 1];
}
