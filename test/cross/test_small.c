/* The solve that is written out as code against the dense one, on the matrices of every example: at its start and at states
 * beside it, with the rows that are frozen there. Projections too. */
#include "extras.h"
#include "stages.h"

enum { STATES = 5 };

/* Forces that the constraints undo leave their round-off in the accelerations, so these are measured beside what the forces
 * alone would do. */
static const double bound = 1e-11;
static double worst[4]; /* accelerations, forces, power, projections */
static int models, solved, refused;

typedef struct Answer {
  double *a, *Qc, *lambda, *rate, *dx;
} Answer;

static Answer open_answer(const ZwSim* sim) {
  size_t n = (size_t)sim->n, m = (size_t)sim->m;
  double* numbers = calloc(3 * n + m + (size_t)sim->dim + 1, sizeof(double));
  assert_non_null(numbers);
  return (Answer){numbers, numbers + n, numbers + 2 * n, numbers + 2 * n + m, numbers + 2 * n + m + sim->dim};
}

/* By the one solve or by the other; false: it was left to the other. */
static bool solve(ZwSim* sim, bool is_small, const double* residual, const Answer* answer) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  bool was_on = sim->small.is_on;
  sim->small.is_on = is_small;
  sim->small.is_ahead = false;
  bool is_solved = zw_eval_rate(sim, sim->t, sim->y, answer->rate) == ZW_OK && sim->small.is_ahead == is_small;
  memcpy(answer->a, sim->a, (size_t)sim->n * sizeof(double));
  memcpy(answer->Qc, sim->Qc, (size_t)sim->n * sizeof(double));
  memcpy(answer->lambda, sim->lambda, (size_t)set->count * sizeof(double));
  for (int32_t r = 0; r < set->count; r++) sim->rI[r] = residual[set->rows[r]];
  if (set->count == 0) {
    /* nothing to project onto */
  } else if (is_solved && is_small) {
    is_solved = zw_small_factor(sim, set) && zw_small_project(sim, set, residual, answer->dx);
  } else if (is_solved) {
    is_solved = zw_least_project(sim->least, sim->rI, answer->dx) == ZW_OK;
  }
  sim->small.is_on = was_on;
  return is_solved;
}

static void look(const char* name, int what, const double* x, const double* y, ptrdiff_t count, double size) {
  static const char* const texts[] = {"accelerations", "forces", "the power", "projections"};
  for (ptrdiff_t i = 0; i < count; i++) size = fmax(size, fabs(y[i]));
  for (ptrdiff_t i = 0; i < count; i++) {
    double off = fabs(x[i] - y[i]) / (size > 0 ? size : 1);
    if (!(off <= bound)) fail_msg("%s: %s are %.17g, should be %.17g (of %.3g)", name, texts[what], x[i], y[i], size);
    worst[what] = fmax(worst[what], off);
  }
}

/* What the forces alone would do, by the diagonal of M. */
static double free_size(const ZwSim* sim) {
  const ZwPattern* M = &sim->equations->M;
  double size = 1e-6;
  for (int32_t j = 0; j < sim->n; j++) {
    size = fmax(size, (fabs(sim->h[j]) + fabs(sim->Qc[j])) / sim->Mx[M->begin[j + 1] - 1]);
  }
  return size;
}

static void compare_at(ZwSim* sim, const char* name, Random* random) {
  Answer small = open_answer(sim), dense = open_answer(sim);
  double* residual = calloc((size_t)sim->m + 1, sizeof(double));
  assert_non_null(residual);
  for (int32_t i = 0; i < sim->m; i++) residual[i] = random_number(random);
  bool is_solved = solve(sim, true, residual, &small);
  solved += is_solved;
  refused += !is_solved;
  if (is_solved) {
    if (!solve(sim, false, residual, &dense)) fail_msg("%s: the dense solve gives no answer", name);
    double largest = 0, power = 1e-6;
    for (int32_t i = 0; i < sim->n; i++) {
      largest = fmax(largest, fabs(sim->h[i]));
      power += fabs(sim->Q[i] * sim->y[sim->n + i]) + fabs(sim->Qc[i] * sim->y[sim->n + i]);
    }
    look(name, 0, small.a, dense.a, sim->n, free_size(sim));
    look(name, 1, small.Qc, dense.Qc, sim->n, largest);
    look(name, 2, small.rate + 2 * sim->n, dense.rate + 2 * sim->n, 1, power);
    look(name, 3, small.dx, dense.dx, sim->n, 0);
  }
  free(residual);
  free(small.a);
  free(dense.a);
}

static void check_model(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  demand(&stages, name, "start", zw_start(sim, sim->t));
  Random random = random_from(7);
  models += sim->small.is_on;
  bool is_independent = sim->sets[ZW_LEVEL_ACCELERATION].count == sim->m;
  for (int k = 0; k < (is_independent ? STATES : 1) && sim->small.is_on; k++) {
    compare_at(sim, name, &random);
    for (int32_t i = 0; i < 2 * sim->n; i++) sim->y[i] += 0.02 * random_number(&random);
  }
  close_stages(&stages);
}

static void every_model_moves_alike(void** state) {
  (void)state;
  check_all_models(check_model);
  print_message(
      "%d models, %d states, %d left to the dense solve; worst: accelerations %.2g, forces %.2g, power %.2g, "
      "projections %.2g\n",
      models, solved, refused, worst[0], worst[1], worst[2], worst[3]);
  assert_true(models > 40 && solved > 200 && refused < 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_moves_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
