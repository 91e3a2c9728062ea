/* Rates of change of all that kernels yield, of every example, along a random direction of time, state and parameters: against
 * differences of order 8, and against the derivatives of random sums taken in reverse. */
#include "extras.h"
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
  ZwKernelState rates;
} Case;

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
                                            [ZW_TARGET_ENERGY] = 1,
                                            [ZW_TARGET_MOMENTUM] = 1,
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
  c->rates = (ZwKernelState){.t = 0.3,
                             .q = c->dq,
                             .v = c->dv,
                             .a = numbers(sim->n),
                             .reactions = numbers(sim->m_all),
                             .values = c->dvalues,
                             .constants = numbers(sim->program->constants),
                             .registers = numbers((ptrdiff_t)sim->program->registers * ZW_LANES),
                             .tables = sim->state.tables};
  connect(sim, c->targets, c->rates.targets);
}

static void close_case(Case* c) {
  double* all[] = {c->dq,          c->dv,      c->dvalues,         c->kept,           c->targets,
                   c->differences, c->weights, c->rates.constants, c->rates.registers};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free((double*)(uintptr_t)c->rates.a);
  free((double*)(uintptr_t)c->rates.reactions);
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
  state.t = sim->t + x * c->rates.t;
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

static ZwKernelState place_state(Case* c) {
  ZwSim* sim = c->sim;
  memcpy(sim->values, c->kept, (size_t)c->values * sizeof(double));
  zw_sim_set_constants(sim);
  ZwKernelState state = sim->state;
  state.t = sim->t;
  state.q = sim->y;
  state.v = sim->y + sim->n;
  state.a = sim->zero;
  return state;
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

/* weights . rates both ways */
static void check_reverse(Case* c, const char* name, ZwEntry entry) {
  ZwSim* sim = c->sim;
  ptrdiff_t registers = (ptrdiff_t)sim->program->registers * ZW_LANES;
  double t = 0, *q = numbers(sim->n), *v = numbers(sim->n), *constants = numbers(sim->program->constants);
  double *values = numbers(c->values), *adjoints = numbers(registers);
  double* trace = numbers(zw_program_trace_size(sim->program));
  double* weights[ZW_TARGET_COUNT];
  ZwReverse reverse = {.t = &t, .q = q, .v = v, .constants = constants, .trace = trace, .adjoints = adjoints};
  connect(sim, c->weights, weights);
  for (int k = 0; k < ZW_TARGET_COUNT; k++) reverse.weights[k] = weights[k];
  ZwKernelState state = place_state(c);
  zw_program_reverse(sim->program, entry, &state, &reverse);
  zw_program_setup_reverse(sim->program, &state, &reverse, values);
  double forward = 0, backward = t * c->rates.t, size = 1;
  for (ptrdiff_t i = 0; i < c->size; i++) forward += c->weights[i] * c->targets[i];
  for (ptrdiff_t i = 0; i < c->size; i++) size += fabs(c->weights[i] * c->targets[i]);
  for (int32_t i = 0; i < sim->n; i++) backward += q[i] * c->dq[i] + v[i] * c->dv[i];
  for (ptrdiff_t i = 0; i < c->values; i++) backward += values[i] * c->dvalues[i];
  double off = fabs(forward - backward) / size;
  worst_reverse = fmax(worst_reverse, off);
  if (!(off <= 1e-12)) fail_msg("%s, entry %d: %.17g forward, %.17g in reverse", name, (int)entry, forward, backward);
  double* all[] = {q, v, constants, values, adjoints, trace};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void check_model(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  demand(&stages, name, "start", zw_start(sim, sim->t));
  if (sim->n <= 60) { /* a net: its elements are those of the small ones */
    Case c;
    open_case(&c, sim);
    for (int k = 0; k < ENTRIES; k++) {
      ZwKernelState state = place_state(&c);
      memset(c.targets, 0, (size_t)c.size * sizeof(double));
      zw_program_setup_rates(sim->program, &state, &c.rates);
      zw_program_rates(sim->program, entries[k], &state, &c.rates);
      check_differences(&c, name, entries[k]);
      check_reverse(&c, name, entries[k]);
    }
    close_case(&c);
  }
  close_stages(&stages);
}

static void rates_agree(void** state) {
  (void)state;
  check_all_models(check_model);
  print_message("worst %.2g of the largest, %.2g in reverse\n", worst, worst_reverse);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
