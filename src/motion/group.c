#include "motion/group.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "kernel/native.h"
#include "motion/group_parts.h"

enum {
  COORDS_MAX = 60,       /* larger systems have enough to do alone */
  OPERATIONS_MAX = 50000 /* of all elements: their code is written one behind the other */
};

/* A step so short, as a part of the time, might be the last one before the run gives up: its reasons are found alone. */
#define SHORTEST 1e-10

/* ---- memory ---- */

enum { ALIGN = 64 };

static char* align(char* memory) {
  return memory + (ALIGN - (uintptr_t)memory % ALIGN) % ALIGN;
}

static void* take(ZwGroup* group, size_t size) {
  char* memory = zw_arena_alloc(&group->arena, 1, size + ALIGN);
  return memory ? align(memory) : NULL;
}

static ZwEight* take_numbers(ZwGroup* group, ptrdiff_t count) {
  return take(group, (size_t)count * sizeof(ZwEight));
}

static void take_problem(ZwGroup* group) {
  const ZwEquations* equations = group->equations;
  const ZwBlock* block = &group->program.block;
  ptrdiff_t n = group->n, m = group->m, m_all = equations->m_all;
  group->values = take_numbers(group, equations->system->params.count + equations->literals.count);
  group->size = take_numbers(group, m);
  group->phi = take_numbers(group, m_all);
  group->psi = take_numbers(group, m_all);
  group->outs = take_numbers(group, zw_equations_values(equations));
  group->zero = take_numbers(group, n);
  group->before = take_numbers(group, n);
  group->x = take_numbers(group, m);
  group->block = take_numbers(group, block->size);
  if (!group->block) return;
  group->Mx = zw_group_number(group, block->M);
  group->Ax = zw_group_number(group, block->A);
  group->b = zw_group_number(group, block->b);
  group->a = zw_group_number(group, block->a);
  group->lambda = zw_group_number(group, block->lambda);
  group->Qc = zw_group_number(group, block->Qc);
  group->scale = zw_group_number(group, block->scale);
  group->guess = zw_group_number(group, block->guess);
}

static void take_step(ZwGroup* group) {
  ptrdiff_t with_time = group->dim + 1;
  group->y = take_numbers(group, with_time);
  group->y_new = take_numbers(group, with_time);
  group->y_out = take_numbers(group, with_time);
  group->unit = take_numbers(group, group->dim);
  for (int level = 0; level < 2; level++) group->row_size[level] = take_numbers(group, group->m);
  for (int i = 0; i < ZW_DOP853_STAGES_ALL; i++) group->k[i] = take_numbers(group, group->dim);
  for (int i = 0; i < 7; i++) group->F[i] = take_numbers(group, group->dim);
  group->sums = take_numbers(group, group->dim);
}

static void take_islands(ZwGroup* group, const ZwSim* sim) {
  group->islands = sim->sizes.islands;
  group->island = ZW_NEW(&group->arena, group->n + 1, int32_t);
  group->island_size = ZW_NEW(&group->arena, group->islands + 1, int32_t);
  if (group->arena.failed) return;
  for (int32_t i = 0; i < group->n; i++) group->island[i] = sim->sizes.island[i];
  for (int32_t g = 0; g < group->islands; g++) group->island_size[g] = sim->sizes.island_size[g];
}

static void take_sets(ZwGroup* group, const ZwSim* sim) {
  for (int level = 0; level < 3; level++) {
    const ZwRowSet* set = &sim->sets[level];
    int32_t* rows = ZW_NEW(&group->arena, set->count + 1, int32_t);
    group->sets[level] = (ZwRowSet){set->count, set->candidates, rows};
    if (rows && set->count > 0) memcpy(rows, set->rows, (size_t)set->count * sizeof(int32_t));
  }
}

static double* half_of(ZwEight* numbers, int half) {
  return (double*)numbers + half * ZW_GROUP_FOUR;
}

/* ORDER TARGET */
static void connect_state(ZwGroup* group, int half) {
  ZwKernelState* state = &group->states[half];
  const ZwBlock* block = &group->program.block;
  ZwEight* const targets[ZW_TARGET_COUNT] = {[ZW_TARGET_M] = group->Mx,
                                             [ZW_TARGET_H] = zw_group_number(group, block->hL),
                                             [ZW_TARGET_Q] = zw_group_number(group, block->Q),
                                             [ZW_TARGET_POWER] = zw_group_number(group, block->power),
                                             [ZW_TARGET_A] = group->Ax,
                                             [ZW_TARGET_B] = group->b,
                                             [ZW_TARGET_PHI] = group->phi,
                                             [ZW_TARGET_PSI] = group->psi,
                                             [ZW_TARGET_OUTPUT] = group->outs};
  state->tables = &group->equations->system->tables;
  state->values = half_of(group->values, half);
  state->constants = take(group, (size_t)group->program.constants * sizeof(double));
  state->registers = half == 0 ? take(group, (size_t)group->program.registers * ZW_LANES * sizeof(double))
                               : group->states[0].registers;
  for (int i = 0; i < ZW_TARGET_COUNT; i++) state->targets[i] = targets[i] ? half_of(targets[i], half) : NULL;
  ZwKernelState* part = &group->parts[half];
  part->tables = state->tables;
  part->values = part->constants = half_of(group->block, half);
  part->registers = half == 0 ? take(group, (size_t)group->program.elimination->registers * sizeof(double))
                              : group->parts[0].registers;
}

/* ---- who may ---- */

static bool is_too_long(const ZwProgram* program) {
  ptrdiff_t count = 0;
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
      count += (ptrdiff_t)kernel->shape->count * (kernel->tapes[entry].code.count + kernel->tapes[entry].outputs.count);
    }
  }
  return count > OPERATIONS_MAX;
}

/* The solve is the one that a group has. */
static bool has_elimination(const ZwSim* sim) {
  bool has_sizes =
      sim->m == 0 || (sim->small.is_on && sim->program->elimination->parts[ZW_ELIMINATE_SIZES].constants > 0);
  for (int level = 0; level < 3; level++) has_sizes = has_sizes && sim->sets[level].count < sim->n;
  return has_sizes && sim->small.is_on && sim->small.is_definite;
}

/* Smooth motion by the production solve, without anything that looks inside a step. */
static bool is_ordinary(const ZwSim* sim) {
  bool is_smooth =
      sim->contacts.count == 0 && sim->watch.count == 0 && sim->watch.looks.count == 0 && sim->system->modes.count == 0;
  return is_smooth && !sim->host.def && !sim->large && sim->n > 0 && sim->n <= COORDS_MAX && !sim->conserves_energy &&
         sim->formulation == ZW_FORMULATION_AUTO && has_elimination(sim);
}

static bool are_same_sets(const ZwGroup* group, const ZwSim* sim) {
  for (int level = 0; level < 3; level++) {
    const ZwRowSet *ours = &group->sets[level], *theirs = &sim->sets[level];
    if (ours->count != theirs->count || ours->candidates != theirs->candidates) return false;
    for (int32_t i = 0; i < ours->count; i++) {
      if (ours->rows[i] != theirs->rows[i]) return false;
    }
  }
  return true;
}

bool zw_group_takes(const ZwGroup* group, int place, double h) {
  const ZwSim* sim = group->sims[place];
  const ZwNearness* near = &sim->near;
  bool is_far = !near->is_near && !near->is_crossing && !near->has_limit;
  bool is_long = h > SHORTEST * fmax(fabs(sim->t), fabs(sim->plan->to));
  return zw_group_has(group->ordinary, place) && is_far && is_long && sim->stepper->attempt == zw_explicit_attempt &&
         are_same_sets(group, sim);
}

/* ---- create, destroy, enter ---- */

static ZwStatus build(ZwGroup* group, const ZwSim* sim) {
  ZW_TRY(zw_program_group(sim->program, &group->arena, ZW_EIGHT, group->dim, &group->program));
  take_problem(group);
  take_step(group);
  take_sets(group, sim);
  take_islands(group, sim);
  if (group->arena.failed) return ZW_ERR_MEMORY;
  for (int half = 0; half < ZW_GROUP_HALVES; half++) connect_state(group, half);
  for (int i = 0; i < ZW_GROUP; i++) group->kept[i] = take(group, (size_t)group->program.constants * sizeof(double));
  if (group->arena.failed) return ZW_ERR_MEMORY;
  const char* why;
  return sim->program->native ? zw_native_compile(&group->program, ZW_NATIVE_BEST, &why) : ZW_OK;
}

bool zw_group_is_for(const ZwSim* sim) {
  return zw_machine_has_avx2() && is_ordinary(sim) && !is_too_long(sim->program);
}

ZwGroup* zw_group_create(const ZwSim* sim) {
  if (!zw_group_is_for(sim)) return NULL;
  char* memory = zw_alloc(&sim->allocator, sizeof(ZwGroup) + ALIGN);
  if (!memory) return NULL;
  ZwGroup* group = (ZwGroup*)(void*)align(memory);
  memset(group, 0, sizeof *group);
  group->memory = memory;
  group->n = sim->n;
  group->m = sim->m;
  group->dim = sim->dim;
  group->equations = sim->equations;
  group->row_count = -1;
  zw_arena_init(&group->arena, &sim->allocator);
  if (build(group, sim) == ZW_OK) return group;
  zw_group_destroy(group);
  return NULL;
}

void zw_group_destroy(ZwGroup* group) {
  if (!group) return;
  ZwAllocator allocator = group->arena.allocator;
  zw_native_destroy(&group->program);
  zw_arena_destroy(&group->arena);
  zw_release(&allocator, group->memory);
}

void zw_group_enter(ZwGroup* group, int place, ZwSim* sim) {
  int32_t count = sim->system->params.count + sim->equations->literals.count;
  group->sims[place] = sim;
  group->occupied |= 1u << place;
  group->ordinary &= ~(1u << place);
  if (sim->equations != group->equations || !is_ordinary(sim)) return;
  group->ordinary |= 1u << place;
  for (int32_t i = 0; i < count; i++) numbers_of(&group->values[i])[place] = sim->values[i];
  numbers_of(&group->tolerance)[place] = sim->tolerance;
  numbers_of(&group->tol_project)[place] = sim->tol_project;
  zw_program_setup(&group->program, &group->states[place / ZW_GROUP_FOUR]);
  group->has_M = false;
}

void zw_group_leave(ZwGroup* group, int place) {
  group->sims[place] = NULL;
  group->occupied &= ~(1u << place);
  group->ordinary &= ~(1u << place);
}
