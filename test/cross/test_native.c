/* Machine code against the interpreter: constants and every entry of all models have the same bits, four elements at a time
 * and one at a time, at ordinary states and at states with infinities, NaN, -0 and denormal numbers. Every NaN counts as
 * the same: which of two NaN an operation passes on is not said in C. */
#include "base/machine.h"
#include "chain.h"
#include "extras.h"
#include "kernel/native.h"
#include "stages.h"

enum { STATES = 6 };

/* The numbers that a program reads: t, then q, v, a and reactions. */
typedef struct State {
  double t, *q, *v, *a, *reactions;
} State;

static const double odd_numbers[] = {0.0,      -0.0,      0x1p-1074, -0x1p-1040, 1e300, -1e300,
                                     INFINITY, -INFINITY, NAN,       1e7,        -3e9,  0.5};

static double drawn(Random* random, double around, bool is_odd) {
  int count = (int)(sizeof odd_numbers / sizeof *odd_numbers);
  if (is_odd && random_next(random) % 4 == 0) return odd_numbers[random_int(random, 0, count - 1)];
  return around + 0.2 * random_number(random);
}

static State draw_state(const Stages* stages, Random* random, bool is_odd) {
  size_t n = (size_t)stages->equations.n, m = (size_t)stages->equations.m;
  double* numbers = malloc((3 * n + m + 1) * sizeof(double));
  assert_non_null(numbers);
  State state = {0.5 + 0.4 * random_number(random), numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
  for (size_t i = 0; i < m; i++) state.reactions[i] = drawn(random, 0, is_odd);
  for (size_t i = 0; i < n; i++) {
    state.q[i] = drawn(random, stages->sim->typed[i], is_odd);
    state.v[i] = drawn(random, stages->sim->typed[n + i], is_odd);
    state.a[i] = drawn(random, 0, is_odd);
  }
  return state;
}

static void put_state(Stages* stages, const State* state) {
  ZwKernelState* kernels = &stages->sim->state;
  kernels->t = state->t;
  kernels->q = state->q;
  kernels->v = state->v;
  kernels->a = state->a;
  kernels->reactions = state->reactions;
}

/* ---- what a program writes ---- */

typedef struct Numbers {
  double* items;
  size_t count;
} Numbers;

static void target_sizes(const Stages* stages, size_t sizes[ZW_TARGET_COUNT]) {
  const ZwEquations* e = &stages->equations;
  size_t n = (size_t)e->n, m = (size_t)e->m_all;
  const size_t all[ZW_TARGET_COUNT] = {
      (size_t)e->M.count,     n, n, 1, (size_t)e->A.count, m, m, m, 1, 1, 1, (size_t)e->output_count,
      (size_t)e->event_count, n, n};
  memcpy(sizes, all, sizeof all);
}

/* Set-up and all entries, into one array. Targets begin with what is there already. */
static Numbers run_all(Stages* stages) {
  ZwKernelState* state = &stages->sim->state;
  size_t sizes[ZW_TARGET_COUNT], constants = (size_t)stages->program.constants, count = 0;
  target_sizes(stages, sizes);
  for (int i = 0; i < ZW_TARGET_COUNT; i++) count += sizes[i];
  Numbers numbers = {malloc((constants + ZW_ENTRY_COUNT * count + 1) * sizeof(double)), 0};
  assert_non_null(numbers.items);
  zw_program_setup(&stages->program, state);
  if (constants > 0) memcpy(numbers.items, state->constants, constants * sizeof(double));
  numbers.count = constants;
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
    for (int i = 0; i < ZW_TARGET_COUNT; i++) {
      for (size_t k = 0; k < sizes[i]; k++) state->targets[i][k] = k % 2 ? 0.25 : -0.0;
    }
    zw_program_run(&stages->program, (ZwEntry)entry, state);
    if (entry == ZW_ENTRY_ACCELERATION) zw_program_masses(&stages->program, state);
    for (int i = 0; i < ZW_TARGET_COUNT; i++) {
      if (sizes[i] > 0) memcpy(numbers.items + numbers.count, state->targets[i], sizes[i] * sizeof(double));
      numbers.count += sizes[i];
    }
  }
  return numbers;
}

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void compare(const char* name, const char* form, const Numbers* want, const Numbers* got) {
  assert_int_equal(want->count, got->count);
  for (size_t i = 0; i < want->count; i++) {
    if (is_same(want->items[i], got->items[i])) continue;
    fail_msg("%s, %s: number %zu is %a, the interpreter says %a", name, form, i, got->items[i], want->items[i]);
  }
}

/* ---- the comparison ---- */

static int64_t compared, not_finite;

static void check_form(Stages* stages, const char* name, ZwNativeForm form, const char* form_name,
                       const Numbers* want) {
  const char* why;
  if (zw_native_compile(&stages->program, form, &why)) fail_msg("%s: no machine code: %s", name, why);
  Numbers got = run_all(stages);
  zw_native_destroy(&stages->program);
  compare(name, form_name, want, &got);
  free(got.items);
}

static void check_text(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  Random random = random_from(11);
  ptrdiff_t values = stages.system.params.count;
  for (int s = 0; s < STATES; s++) {
    bool is_odd = s >= STATES / 2;
    for (ptrdiff_t i = 0; i < values && s == STATES - 1; i++) { /* parameters too */
      stages.sim->values[i] = drawn(&random, stages.sim->values[i], true);
    }
    State state = draw_state(&stages, &random, is_odd);
    put_state(&stages, &state);
    Numbers want = run_all(&stages);
    for (size_t i = 0; i < want.count; i++) not_finite += !isfinite(want.items[i]);
    compared += (int64_t)want.count;
    check_form(&stages, name, ZW_NATIVE_BEST, "four at a time", &want);
    check_form(&stages, name, ZW_NATIVE_SCALAR, "one at a time", &want);
    free(want.items);
    free(state.q);
  }
  close_stages(&stages);
}

static void test_models(void** state) {
  (void)state;
  check_all_models(check_text);
  Examples models;
  list_models("test/models", &models);
  for (int i = 0; i < models.count; i++) {
    if (strcmp(models.names[i], "cam-table") == 0) continue; /* reads another file; test/unit/kernel has tables */
    char* text = read_model("test/models", models.names[i]);
    check_text(models.names[i], text);
    free(text);
  }
  print_message("%lld numbers, %lld of them not finite\n", (long long)compared, (long long)not_finite);
  assert_true(compared > 10000 && not_finite > 100);
}

/* Elements of one shape from 1 to 10 and more: what is left over beside fours. */
static void test_counts(void** state) {
  (void)state;
  static const int counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 63, 64, 65, 130};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    char name[32];
    snprintf(name, sizeof name, "chain of %d", counts[i]);
    char* text = chain_text(counts[i]);
    check_text(name, text);
    free(text);
  }
}

int main(void) {
  if (!zw_machine_has_avx2()) {
    print_message("this machine has no AVX2\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
