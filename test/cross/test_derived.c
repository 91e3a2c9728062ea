/* Programs of derivatives, of every example, along a random direction of time, state and parameters: what entries yield changes as
 * differences of order 8 say, and derivatives of random sums taken in reverse agree with that. By machine code and by the interpreter. */
#include "extras.h"
#include "kernel/native.h"
#include "stages.h"

static const double step = 1e-4, bound = 1e-8;
static double worst, worst_reverse;

static const ZwEntry entries[] = {ZW_ENTRY_POSITION, ZW_ENTRY_VELOCITY, ZW_ENTRY_ACCELERATION, ZW_ENTRY_ENERGY};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* A direction, and room for what it makes of the targets. */
typedef struct Case {
  ZwSim* sim;
  ptrdiff_t values, size; /* numbers; of all targets together */
  double *dq, *dv, *dvalues, *kept, *targets, *differences, *weights;
  ZwDerived forward, backward;
  ZwArena arena;
} Case;

static bool still; /* the time stays */

static double dt_of(void) {
  return still ? 0 : 0.3;
}

static double* numbers(ptrdiff_t count) {
  double* x = calloc((size_t)count + 1, sizeof(double));
  assert_non_null(x);
  return x;
}

static ptrdiff_t target_size(const ZwSim* sim, int target) {
  const ptrdiff_t sizes[ZW_TARGET_COUNT] = {[ZW_TARGET_M] = sim->equations->M.count,
                                            [ZW_TARGET_H] = sim->n,
                                            [ZW_TARGET_Q] = sim->n,
                                            [ZW_TARGET_POWER] = 1,
                                            [ZW_TARGET_A] = sim->equations->A.count,
                                            [ZW_TARGET_B] = sim->m_all,
                                            [ZW_TARGET_PHI] = sim->m_all,
                                            [ZW_TARGET_PSI] = sim->m_all,
                                            [ZW_TARGET_ENERGY] = sim->equations->groups.count + 1,
                                            [ZW_TARGET_MOMENTUM] = sim->equations->groups.count + 1,
                                            [ZW_TARGET_RESTING] = sim->equations->groups.count + 1,
                                            [ZW_TARGET_GROUND] = sim->equations->groups.count + 1,
                                            [ZW_TARGET_OUTPUT] = sim->equations->output_count,
                                            [ZW_TARGET_EVENT] = sim->equations->event_count,
                                            [ZW_TARGET_LV] = sim->n,
                                            [ZW_TARGET_LQ] = sim->n};
  return sizes[target];
}

static void connect(const ZwSim* sim, double* targets, double** to) {
  for (int k = 0; k < ZW_TARGET_COUNT; k++) {
    to[k] = targets;
    targets += target_size(sim, k);
  }
}

static void open_case(Case* c, ZwSim* sim) {
  Random random = random_from(11);
  const ZwSystem* system = sim->system;
  *c = (Case){.sim = sim, .values = system->params.count + sim->equations->literals.count};
  for (int k = 0; k < ZW_TARGET_COUNT; k++) c->size += target_size(sim, k);
  c->dq = numbers(sim->n);
  c->dv = numbers(sim->n);
  c->dvalues = numbers(c->values);
  c->kept = numbers(c->values);
  c->targets = numbers(c->size);
  c->differences = numbers(c->size);
  c->weights = numbers(c->size);
  for (int32_t i = 0; i < sim->n; i++) c->dq[i] = random_number(&random);
  for (int32_t i = 0; i < sim->n; i++) c->dv[i] = random_number(&random);
  for (ptrdiff_t i = 0; i < c->size; i++) c->weights[i] = random_number(&random);
  for (int32_t i = 0; i < system->params.count; i++) {
    bool is_smooth = !system->params.items[i].is_mode && !system->params.items[i].is_hidden;
    c->dvalues[i] = is_smooth ? random_number(&random) * (1 + fabs(sim->values[i])) : 0;
  }
  memcpy(c->kept, sim->values, (size_t)c->values * sizeof(double));
  zw_arena_init(&c->arena, &sim->allocator);
  assert_int_equal(zw_derive_forward(sim->program, &c->arena, &c->forward), ZW_OK);
  assert_int_equal(zw_derive_backward(sim->program, &c->arena, &c->backward), ZW_OK);
}

static void close_case(Case* c) {
  double* all[] = {c->dq, c->dv, c->dvalues, c->kept, c->targets, c->differences, c->weights};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  zw_derived_destroy(&c->forward);
  zw_derived_destroy(&c->backward);
  zw_arena_destroy(&c->arena);
}

/* All targets of an entry at the state moved by `x` along the direction, times `weight`, onto the differences. */
static void add_moved(Case* c, ZwEntry entry, double x, double weight) {
  ZwSim* sim = c->sim;
  double *y = numbers(sim->dim), *targets = numbers(c->size);
  for (int32_t i = 0; i < sim->n; i++) {
    y[i] = sim->y[i] + x * c->dq[i];
    y[sim->n + i] = sim->y[sim->n + i] + x * c->dv[i];
  }
  for (ptrdiff_t i = 0; i < c->values; i++) sim->values[i] = c->kept[i] + x * c->dvalues[i];
  zw_sim_set_constants(sim);
  ZwKernelState state = sim->state;
  state.t = sim->t + x * dt_of();
  state.q = y;
  state.v = y + sim->n;
  state.a = sim->zero;
  connect(sim, targets, state.targets);
  zw_program_run(sim->program, entry, &state);
  if (entry == ZW_ENTRY_ACCELERATION) zw_program_masses(sim->program, &state);
  for (ptrdiff_t i = 0; i < c->size; i++) c->differences[i] += weight * targets[i];
  free(y);
  free(targets);
}

static void go_home(Case* c) {
  memcpy(c->sim->values, c->kept, (size_t)c->values * sizeof(double));
  zw_sim_set_constants(c->sim);
}

/* The changes of all targets of an entry, into c->targets. */
static void run_forward(Case* c, ZwEntry entry) {
  ZwSim* sim = c->sim;
  const ZwProgram* program = &c->forward.program;
  ptrdiff_t n = sim->n;
  ZwKernelState state = {.t = sim->t, .tables = sim->state.tables};
  double *q = numbers(2 * n + 1), *v = numbers(2 * n), *a = numbers(2 * n), *r = numbers(2 * sim->m_all);
  double *values = numbers(2 * c->values), *constants = numbers(program->constants);
  state.q = q;
  state.v = v;
  state.a = a;
  state.reactions = r;
  state.values = values;
  state.constants = constants;
  state.registers = numbers((ptrdiff_t)program->registers * ZW_LANES);
  memcpy(q, sim->y, (size_t)n * sizeof(double));
  memcpy(q + n, c->dq, (size_t)n * sizeof(double));
  q[2 * n] = dt_of();
  memcpy(v, sim->y + n, (size_t)n * sizeof(double));
  memcpy(v + n, c->dv, (size_t)n * sizeof(double));
  memcpy(values, sim->values, (size_t)c->values * sizeof(double));
  memcpy(values + c->values, c->dvalues, (size_t)c->values * sizeof(double));
  connect(sim, c->targets, state.targets);
  memset(c->targets, 0, (size_t)c->size * sizeof(double));
  zw_program_setup(program, &state);
  zw_program_run(program, entry, &state);
  double* all[] = {q, v, a, r, values, constants, state.registers};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void check_differences(Case* c, const char* name, ZwEntry entry) {
  static const double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  memset(c->differences, 0, (size_t)c->size * sizeof(double));
  for (int k = 0; k < 8; k++) {
    int far = k / 2 + 1, side = k % 2 ? -1 : 1;
    add_moved(c, entry, side * far * step, side * weights[k / 2] / step);
  }
  double size = 1;
  for (ptrdiff_t i = 0; i < c->size; i++) size = fmax(size, fabs(c->targets[i]));
  for (ptrdiff_t i = 0; i < c->size; i++) {
    double off = fabs(c->targets[i] - c->differences[i]) / size;
    worst = fmax(worst, off);
    if (!(off <= bound))
      fail_msg("%s, entry %d: rate %d is %.17g, differences say %.17g", name, (int)entry, (int)i, c->targets[i],
               c->differences[i]);
  }
}

static bool is_weighed(ZwEntry entry, int target) {
  if (entry == ZW_ENTRY_POSITION) return target == ZW_TARGET_PHI;
  if (entry == ZW_ENTRY_VELOCITY) return target == ZW_TARGET_PSI;
  bool is_force = target == ZW_TARGET_M || target == ZW_TARGET_H || target == ZW_TARGET_Q;
  return entry == ZW_ENTRY_ACCELERATION && (is_force || target == ZW_TARGET_A || target == ZW_TARGET_B);
}

/* weights . changes both ways; without the time */
static void check_reverse(Case* c, const char* name, ZwEntry entry) {
  ZwSim* sim = c->sim;
  const ZwProgram* program = &c->backward.program;
  ptrdiff_t n = sim->n;
  double *q = numbers(n + c->backward.weight_count), *by_q = numbers(n), *by_v = numbers(n);
  double *by_values = numbers(c->values), *constants = numbers(program->constants);
  double *registers = numbers((ptrdiff_t)program->registers * ZW_LANES), forward = 0, backward = 0, size = 1;
  double *changes[ZW_TARGET_COUNT], *weights[ZW_TARGET_COUNT];
  connect(sim, c->targets, changes);
  connect(sim, c->weights, weights);
  memcpy(q, sim->y, (size_t)n * sizeof(double));
  for (int k = 0; k < ZW_TARGET_COUNT; k++) {
    if (!is_weighed(entry, k)) continue;
    assert_true(c->backward.weights[k] >= 0);
    for (ptrdiff_t i = 0; i < target_size(sim, k); i++) {
      q[n + c->backward.weights[k] + i] = weights[k][i];
      forward += weights[k][i] * changes[k][i];
      size += fabs(weights[k][i] * changes[k][i]);
    }
  }
  ZwKernelState state = {.t = sim->t, .tables = sim->state.tables, .q = q, .v = sim->y + n, .values = sim->values};
  state.constants = constants;
  state.registers = registers;
  state.targets[ZW_TARGET_H] = by_q;
  state.targets[ZW_TARGET_Q] = by_v;
  state.targets[ZW_TARGET_LV] = by_values;
  zw_program_setup(program, &state);
  zw_program_run(program, entry, &state);
  for (ptrdiff_t i = 0; i < n; i++) backward += by_q[i] * c->dq[i] + by_v[i] * c->dv[i];
  for (ptrdiff_t i = 0; i < c->values; i++) backward += by_values[i] * c->dvalues[i];
  double off = fabs(forward - backward) / size;
  worst_reverse = fmax(worst_reverse, off);
  if (!(off <= 1e-12)) fail_msg("%s, entry %d: %.17g forward, %.17g in reverse", name, (int)entry, forward, backward);
  double* all[] = {q, by_q, by_v, by_values, constants, registers};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void check_case(Case* c, const char* name) {
  for (int k = 0; k < ENTRIES; k++) {
    go_home(c);
    run_forward(c, entries[k]);
    check_differences(c, name, entries[k]);
  }
  still = true;
  for (int k = 0; k < ENTRIES - 1; k++) {
    go_home(c);
    run_forward(c, entries[k]);
    check_reverse(c, name, entries[k]);
  }
  still = false;
}

/* From here on by machine code, where there is any. */
static bool compile_natively(Case* c) {
  const char* why;
  return zw_native_compile(&c->forward.program, ZW_NATIVE_BEST, &why) == ZW_OK &&
         zw_native_compile(&c->backward.program, ZW_NATIVE_BEST, &why) == ZW_OK;
}

static void check_model(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  demand(&stages, name, "start", zw_start(sim, sim->t));
  if (sim->n <= 60) { /* a net: its elements are those of the small ones */
    Case c;
    open_case(&c, sim);
    check_case(&c, name);
    if (compile_natively(&c)) check_case(&c, name);
    close_case(&c);
  }
  close_stages(&stages);
}

static void derivatives_agree(void** state) {
  (void)state;
  check_all_models(check_model);
  print_message("worst %.2g of the largest, %.2g in reverse\n", worst, worst_reverse);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
