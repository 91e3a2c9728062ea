/* Eight threads, one model: every run gives the bits that it gives alone. Under the thread sanitizer (make test-long) nothing is
 * shared that should not be. */
#include <pthread.h>

#include "zwang/hosts.h"
#include "zwang/least.h"

enum { THREADS = 8, RUNS = 6 };

typedef struct Worker {
  const ZwModel* model;
  int number;
  uint64_t sums[RUNS]; /* of all bits of all rows */
  double a[3];         /* of zw_least_solve */
  bool is_fine;
} Worker;

typedef struct Sum {
  int32_t columns;
  uint64_t bits;
} Sum;

static ZwStatus add_row(void* context, const double* values) {
  Sum* sum = context;
  for (int32_t i = 0; i < sum->columns; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    sum->bits = (sum->bits ^ bits) * 1099511628211u;
  }
  return ZW_OK;
}

static bool run_once(const ZwModel* model, int number, uint64_t* bits) {
  static const char* const integrators[] = {"auto", "explicit", "radau"};
  ZwRunChange change = {"m", 1 + 0.25 * (number / 3)};
  Sum sum = {.columns = zw_model_column_count(model)};
  ZwRunDef how = zw_default_run_def();
  how.integrator = integrators[number % 3];
  how.changes = &change;
  how.change_count = 1;
  how.row = add_row;
  how.context = &sum;
  ZwRun* run;
  bool is_fine = zw_run_create(model, &how, &run) == ZW_OK && zw_run_go(run) == ZW_OK;
  zw_run_destroy(run);
  *bits = sum.bits;
  return is_fine;
}

static bool solve_once(double a[3]) {
  static const double M[9] = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 3}, h[3] = {1, 2, 3}, A[6] = {1, 1, 1, 1, -1, 0},
                      b[2] = {0, 1};
  ZwLeastDef def = zw_default_least_def();
  ZwLeastSolver* solver;
  def.n = 3;
  def.m = 2;
  if (zw_least_create(&def, &solver)) return false;
  ZwLeastInput in = {.m = 2, .M = M, .h = h, .A = A, .b = b};
  ZwLeastOutput out = {.a = a};
  bool is_fine = zw_least_solve(solver, &in, &out) == ZW_OK;
  zw_least_destroy(solver);
  return is_fine;
}

static void* work(void* context) {
  Worker* worker = context;
  worker->is_fine = solve_once(worker->a);
  for (int i = 0; i < RUNS; i++) {
    int number = (i + worker->number) % RUNS; /* not all the same at the same time */
    worker->is_fine = run_once(worker->model, number, &worker->sums[number]) && worker->is_fine;
  }
  return NULL;
}

static void threads_share_a_model(const char* text) {
  ZwModel* model;
  assert_int_equal(compile_text(text, &model), ZW_OK);
  Worker alone = {.model = model}, workers[THREADS];
  pthread_t threads[THREADS];
  (void)work(&alone);
  assert_true(alone.is_fine);
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (Worker){.model = model, .number = i};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_true(workers[i].is_fine);
    assert_memory_equal(workers[i].sums, alone.sums, sizeof alone.sums);
    assert_memory_equal(workers[i].a, alone.a, sizeof alone.a);
  }
  zw_model_destroy(model);
}

static void a_pendulum(void** state) {
  (void)state;
  threads_share_a_model(PENDULUM);
}

static void a_spatial_mechanism_with_events(void** state) {
  (void)state;
  threads_share_a_model(
      "use spatial\nparam m = 1\nmemory hits = 0\npart g = earth()\npart a = rod(m, (0, 0, 0), (1, 0, 0), 0.05)\n"
      "part p = revolute(g, a, (0, 0, 0), ey)\nwhen a.head.z < -0.9: hits = hits + 1\n"
      "output tip = a.head, F = reaction(p.pin), n = hits\nrun 0 .. 2 every 0.05\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum),
      cmocka_unit_test(a_spatial_mechanism_with_events),
  };
  return cmocka_run_group_tests_name("unit.zwang.threads", tests, NULL, NULL);
}
