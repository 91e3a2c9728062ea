#include "kernel/eliminate.h"

static int32_t target_index(const ZwEquations* equations, const ZwShape* shape, int32_t instance,
                            const ZwContribution* c) {
  const int32_t* coords = shape->coords ? shape->instance_coords.items + (ptrdiff_t)instance * shape->coords : NULL;
  int32_t row = shape->instance_rows.items[instance];
  switch (c->target) {
    case ZW_TARGET_M: {
      int32_t i = coords[c->row], j = coords[c->column];
      return zw_pattern_find(&equations->M, i > j ? i : j, i > j ? j : i);
    }
    case ZW_TARGET_H:
    case ZW_TARGET_Q:
    case ZW_TARGET_LV:
    case ZW_TARGET_LQ:
      return coords[c->row];
    case ZW_TARGET_A:
      return zw_pattern_find(&equations->A, row, coords[c->column]);
    case ZW_TARGET_B:
    case ZW_TARGET_PHI:
    case ZW_TARGET_PSI:
    case ZW_TARGET_EVENT:
    case ZW_TARGET_OUTPUT:
    case ZW_TARGET_ENERGY:
    case ZW_TARGET_MOMENTUM:
    case ZW_TARGET_RESTING:
    case ZW_TARGET_GROUND:
      return row;
    default:
      return 0;
  }
}

static bool build_scatter(ZwArena* arena, const ZwEquations* equations, ZwKernel* kernel) {
  const ZwShape* shape = kernel->shape;
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
    int32_t outputs = shape->entries[entry].list.count;
    if (outputs == 0) continue;
    int32_t* scatter = ZW_NEW(arena, (ptrdiff_t)shape->count * outputs, int32_t);
    if (!scatter) return false;
    kernel->scatter[entry] = scatter;
    for (int32_t instance = 0; instance < shape->count; instance++) {
      for (int32_t k = 0; k < outputs; k++) {
        *scatter++ = target_index(equations, shape, instance, &shape->entries[entry].list.items[k]);
      }
    }
  }
  return true;
}

static int32_t take(ZwBlock* block, int32_t count) {
  int32_t place = block->size;
  block->size += count;
  return place;
}

static ZwBlock plan_block(const ZwEquations* equations) {
  int32_t n = equations->n, m = equations->m;
  ZwBlock block = {0};
  block.M = take(&block, equations->M.count);
  block.A = take(&block, equations->A.count);
  block.hL = take(&block, n);
  block.Q = take(&block, n);
  block.b = take(&block, equations->m_all);
  block.power = take(&block, 1);
  block.targets = block.size;
  block.slack = take(&block, m);
  block.residual = take(&block, m);
  block.scale = take(&block, m);
  block.guess = take(&block, equations->m_all);
  block.h = take(&block, n);
  block.a = take(&block, n);
  block.lambda = take(&block, m);
  block.Qc = take(&block, n);
  block.work = take(&block, 1);
  block.check = take(&block, 1);
  block.mass_check = take(&block, 1);
  block.project_check = take(&block, 1);
  block.pivots = take(&block, m);
  block.sizes = take(&block, m);
  block.smallest = take(&block, 1);
  block.dual = take(&block, n);
  block.length = take(&block, 1);
  block.surety = take(&block, 1);
  block.measure_check = take(&block, 1);
  block.dx = take(&block, n);
  block.impulse = take(&block, m);
  return block;
}

/* Whether an output of a tape is a constant or a literal. */
static bool is_constant_output(const ZwTape* tape, int32_t output) {
  int32_t from = tape->outputs.items[output];
  bool is_constant = false;
  for (int32_t i = 0; i < tape->literals.count; i++) is_constant = is_constant || tape->literals.items[i].dst == from;
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    if (input->dst == from) is_constant = input->kind == ZW_INPUT_CONSTANT;
  }
  for (int32_t i = 0; i < tape->code.count; i++) is_constant = is_constant && tape->code.items[i].dst != from;
  return is_constant;
}

static bool has_constant_M(const ZwProgram* program) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    const ZwContributions* contributions = &kernel->shape->entries[ZW_ENTRY_ACCELERATION];
    for (int32_t k = 0; k < contributions->list.count; k++) {
      bool is_of_M = contributions->list.items[k].target == ZW_TARGET_M;
      if (is_of_M && !is_constant_output(&kernel->tapes[ZW_ENTRY_ACCELERATION], k)) return false;
    }
  }
  return true;
}

bool zw_kernel_takes(const ZwProgram* program, const ZwKernel* kernel, ZwEntry entry, bool is_of_masses,
                     int32_t output) {
  if (entry != ZW_ENTRY_ACCELERATION || !program->is_M_constant) return !is_of_masses;
  return (kernel->shape->entries[entry].list.items[output].target == ZW_TARGET_M) == is_of_masses;
}

ZwStatus zw_compile_shapes(ZwArena* arena, const ZwEquations* equations, ZwProgram* program) {
  *program = (ZwProgram){.arena = arena, .equations = equations, .registers = 1, .block = plan_block(equations)};
  zw_graph_init(&program->graph, arena);
  ZwWalk shape_walk, walk;
  zw_walk_init(&shape_walk, arena);
  zw_walk_init(&walk, arena);
  for (int32_t i = 0; i < equations->shapes.count; i++) {
    ZwKernel kernel = {.shape = &equations->shapes.items[i], .constants_begin = program->constants};
    int32_t count = 0;
    ZwExpr* lowered = zw_lower_shape(program, kernel.shape, &shape_walk, &count);
    if (!lowered || !zw_tape_build(program, &kernel, &walk, lowered)) return ZW_ERR_MEMORY;
    if (!build_scatter(arena, equations, &kernel)) return ZW_ERR_MEMORY;
    if (!zw_kernel_find_bends(arena, equations, &kernel)) return ZW_ERR_MEMORY;
    program->constants += (ptrdiff_t)kernel.constants * kernel.shape->count;
    if (!ZW_PUSH(arena, &program->kernels, kernel)) return ZW_ERR_MEMORY;
  }
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

ZwStatus zw_compile_kernels(ZwArena* arena, const ZwEquations* equations, ZwProgram* program) {
  ZW_TRY(zw_compile_shapes(arena, equations, program));
  program->is_M_constant = has_constant_M(program);
  if (!zw_eliminate_plan(program)) return ZW_ERR_MEMORY;
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
