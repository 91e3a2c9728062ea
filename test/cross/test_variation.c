/* Changes of accelerations, reactions and outputs along a random direction of time, state and parameters, of every example:
 * against differences of order 8. */
#include "extras.h"
#include "motion/variation.h"
#include "stages.h"

static const double step = 1e-4, bound = 2e-8;
static double worst;

typedef struct Case {
  ZwSim* sim;
  ptrdiff_t values, size;
  double *dq, *dv, *dvalues, *dconstants, *kept, *y, *got, *differences;
  bool is_off; /* rows that repeat others on the constraints do not beside them: reactions are others there */
} Case;

static double* numbers(ptrdiff_t count) {
  double* x = calloc((size_t)count + 1, sizeof(double));
  assert_non_null(x);
  return x;
}

static void open_case(Case* c, ZwSim* sim) {
  Random random = random_from(5);
  const ZwSystem* system = sim->system;
  *c = (Case){.sim = sim,
              .values = system->params.count + sim->equations->literals.count,
              .size = sim->n + sim->m + sim->equations->output_count};
  double** all[] = {&c->dq, &c->dv, &c->dvalues, &c->kept, &c->y, &c->got, &c->differences};
  ptrdiff_t sizes[] = {sim->n, sim->n, c->values, c->values, sim->dim, c->size, c->size};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = numbers(sizes[i]);
  for (int32_t i = 0; i < sim->n; i++) c->dq[i] = 0.02 * random_number(&random);
  for (int32_t i = 0; i < sim->n; i++) c->dv[i] = 0.02 * random_number(&random);
  for (int32_t i = 0; i < system->params.count; i++) {
    bool is_smooth = !system->params.items[i].is_mode && !system->params.items[i].is_hidden;
    c->dvalues[i] = is_smooth ? 0.3 * random_number(&random) * fabs(sim->values[i]) : 0;
  }
  memcpy(c->kept, sim->values, (size_t)c->values * sizeof(double));
}

static void close_case(Case* c) {
  double* all[] = {c->dq, c->dv, c->dvalues, c->dconstants, c->kept, c->y, c->got, c->differences};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Accelerations, reactions, outputs at the state moved by x along the direction. */
static void add_moved(Case* c, double x, double weight, double* to) {
  ZwSim* sim = c->sim;
  for (int32_t i = 0; i < sim->n; i++) {
    c->y[i] = sim->y[i] + x * c->dq[i];
    c->y[sim->n + i] = sim->y[sim->n + i] + x * c->dv[i];
  }
  for (ptrdiff_t i = 0; i < c->values; i++) sim->values[i] = c->kept[i] + x * c->dvalues[i];
  zw_sim_set_constants(sim);
  double t = sim->t + 0.3 * x;
  assert_int_equal(zw_eval_rate(sim, t, c->y, sim->k[1]), ZW_OK);
  assert_int_equal(zw_reactions(sim), ZW_OK);
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  c->is_off = c->is_off || (set->count < set->candidates && sim->rank->rank != set->count);
  (void)zw_eval_outputs(sim, t, c->y, c->y + sim->n);
  for (int32_t i = 0; i < sim->n; i++) to[i] += weight * sim->a[i];
  for (int32_t i = 0; i < sim->m; i++) to[sim->n + i] += weight * sim->reactions[i];
  for (int32_t i = 0; i < sim->equations->output_count; i++) to[sim->n + sim->m + i] += weight * sim->outs[i];
}

static void vary(Case* c) {
  ZwSim* sim = c->sim;
  ZwArena arena;
  ZwVariation variation;
  zw_arena_init(&arena, &sim->allocator);
  assert_int_equal(zw_variation_create(sim, &arena, &variation), ZW_OK);
  c->dconstants = numbers(zw_variation_constant_count(&variation));
  zw_variation_constants(sim, &variation, c->dvalues, c->dconstants);
  ZwDirection direction = {0.3, c->dq, c->dv, c->dconstants};
  assert_int_equal(zw_variation_at(sim, &variation, sim->t, sim->y), ZW_OK);
  assert_int_equal(zw_reactions(sim), ZW_OK);
  assert_int_equal(zw_variation_solve(sim, &variation, &direction), ZW_OK);
  assert_int_equal(zw_variation_reactions(sim, &variation), ZW_OK);
  zw_variation_outputs(sim, &variation, &direction);
  memcpy(c->got, variation.da, (size_t)sim->n * sizeof(double));
  if (sim->m) memcpy(c->got + sim->n, variation.dreactions, (size_t)sim->m * sizeof(double));
  memcpy(c->got + sim->n + sim->m, variation.douts, (size_t)sim->equations->output_count * sizeof(double));
  zw_variation_destroy(&variation);
  zw_arena_destroy(&arena);
}

static void compare(Case* c, const char* name) {
  static const double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double size = 1, *values = numbers(c->size);
  vary(c);
  for (int k = 0; k < 8; k++) {
    int far = k / 2 + 1, side = k % 2 ? -1 : 1;
    add_moved(c, side * far * step, side * weights[k / 2] / step, c->differences);
  }
  add_moved(c, 0, 1, values);
  for (ptrdiff_t i = 0; i < c->size; i++) {
    if (isfinite(c->got[i])) size = fmax(size, fmax(fabs(c->got[i]), fabs(values[i])));
  }
  for (ptrdiff_t i = 0; i < c->size; i++) {
    bool is_of_reactions = i >= c->sim->n && (i < c->sim->n + c->sim->m || c->sim->outputs_need_reaction);
    if (!isfinite(values[i]) || (c->is_off && is_of_reactions)) continue;
    double off = fabs(c->got[i] - c->differences[i]) / size;
    if (off > worst) worst = off;
    if (!(off <= bound))
      fail_msg("%s: change %d of %d (%d coordinates, %d rows) is %.17g, differences say %.17g, size %.3g", name, (int)i,
               (int)c->size, (int)c->sim->n, (int)c->sim->m, c->got[i], c->differences[i], size);
  }
  free(values);
}

static void check_model(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  demand(&stages, name, "start", zw_start(sim, sim->t));
  if (sim->n <= 60 && !sim->near.has_limit) {
    Case c;
    open_case(&c, sim);
    compare(&c, name);
    close_case(&c);
  }
  close_stages(&stages);
}

static void changes_agree_with_differences(void** state) {
  (void)state;
  check_all_models(check_model);
  print_message("worst %.2g of the largest\n", worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changes_agree_with_differences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
