/* zw_ensemble_go: any number of runs, each as if it were alone, whatever happens to the others. */
#include "ensemble.h"

#define SPRING                                                                                  \
  "param m = 1, k = 40, d = 0.5, w = 6\ncoord x = 0\nkinetic 1/2*m*x'^2\npotential 1/2*k*x^2\n" \
  "force x = -d*x' + sin(w*t)\noutput size = abs(x)\nrun 0 .. 5\n"

static ZwModel* compile(const char* text, const char* kernel) {
  ZwCompileDef def = zw_default_compile_def();
  ZwModel* model;
  def.text = text;
  def.size = strlen(text);
  def.kernel = kernel;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  return model;
}

static void sweep_change(MemberDef* defs, int32_t count, const char* name, double low, double high) {
  for (int32_t i = 0; i < count; i++) {
    defs[i] = (MemberDef){.how = zw_default_run_def(), .change = {name, low + (high - low) * i / count}};
  }
}

static void any_number_of_members(void** state) {
  (void)state;
  static const int32_t counts[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 33};
  MemberDef defs[MEMBERS_MAX];
  for (int kernel = 0; kernel < 2; kernel++) {
    ZwModel* model = compile(PENDULUM_BODY "output angle = atan2(x, -y)\nrun 0 .. 1\n", kernel ? "auto" : "interpret");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      sweep_change(defs, counts[i], "g", 5, 20);
      int32_t most = compare_members("pendulum", model, defs, counts[i]);
      assert_true(most <= 8 && most <= counts[i]);
    }
    zw_model_destroy(model);
  }
}

static void each_member_has_its_own_time(void** state) {
  (void)state;
  MemberDef defs[20];
  ZwModel* model = compile(SPRING, "auto");
  sweep_change(defs, 20, "w", 1, 40);
  (void)compare_members("spring", model, defs, 20);
  zw_model_destroy(model);
}

static void start_values_differ(void** state) {
  (void)state;
  MemberDef defs[12];
  ZwModel* model = compile(PENDULUM_BODY "run 0 .. 1\n", "auto");
  sweep_change(defs, 12, "x'", -1, 1); /* not possible there: it moves */
  (void)compare_members("pendulum", model, defs, 12);
  sweep_change(defs, 12, "y", -0.9, 0.9);
  (void)compare_members("pendulum", model, defs, 12);
  zw_model_destroy(model);
}

/* Everything that a definition can ask for, side by side. */
static void definitions_differ(void** state) {
  (void)state;
  enum { COUNT = 14 };
  MemberDef defs[COUNT];
  ZwModel* model = compile(PENDULUM, "auto"); /* with an output that needs accelerations */
  sweep_change(defs, COUNT, "l", 0.5, 2);
  defs[1].how.tolerance = 1e-4;
  defs[2].how.tolerance = 1e-12;
  defs[3].how.every = 0.7;
  defs[4].how.to = 0.3;
  defs[5].how.forces = true;
  defs[6].how.evidence = true;
  defs[7].how.integrator = "radau";
  defs[8].how.integrator = "rattle";
  defs[8].how.step = 0.01;
  defs[9].how.formulation = "lagrange";
  defs[10].how.conserve_energy = true;
  defs[11].how.integrator = "explicit";
  defs[12].how.every = 1e-3;
  (void)compare_members("pendulum", model, defs, COUNT);
  zw_model_destroy(model);
}

/* Members with few rows help those with many; hosts that have seen enough are left in peace. */
static void numbers_of_rows_differ(void** state) {
  (void)state;
  enum { COUNT = 17 };
  static const double every[] = {1e-3, 0.5, 0.1, 3, 0.02, 1, 1e-3, 0.3};
  static const char* const texts[] = {PENDULUM_BODY "output angle = atan2(x, -y)\nrun 0 .. 3\n", SPRING, REDUNDANT};
  static const char* const names[] = {"m", "k", "x'"};
  MemberDef defs[COUNT];
  for (int k = 0; k < 3; k++) {
    ZwModel* model = compile(texts[k], "auto");
    sweep_change(defs, COUNT, names[k], 0.5, 0.9);
    for (int32_t i = 0; i < COUNT; i++) {
      defs[i].how.every = every[i % 8];
      defs[i].how.tolerance = i % 3 ? 1e-8 : 1e-5;
    }
    (void)compare_members(texts[k], model, defs, COUNT);
    for (int32_t i = 0; i < COUNT; i += 4) defs[i].rows_most = 50 + 7 * i;
    (void)compare_members(texts[k], model, defs, COUNT);
    zw_model_destroy(model);
  }
}

/* Refused at once, refused at the start, failing on the way, ended by the host: the neighbours do not notice. */
static void failures_harm_no_other(void** state) {
  (void)state;
  enum { COUNT = 20 };
  static const char text[] =
      "param m = 1, l = 1, c = 0\ncoord x = 0.6, y = -0.8\nkinetic 1/2*m*(x'^2 + y'^2)\npotential 9.81*m*y\n"
      "force x = c*sqrt(x)\nconstraint rod: x^2 + y^2 = l^2\noutput root = sqrt(0.5 + x)\nrun 0 .. 2\n";
  MemberDef defs[COUNT];
  ZwModel* model = compile(text, "auto");
  sweep_change(defs, COUNT, "l", 0.9, 1.1);
  defs[2].change = (ZwRunChange){"m", -1};
  defs[3].change = (ZwRunChange){"nothing", 1};
  defs[5].change = (ZwRunChange){"c", 0.1}; /* no root when it swings to the other side */
  defs[6].change = (ZwRunChange){"l", 0};
  defs[7].rows_most = 17;
  defs[9].steps_most = 5;
  defs[10].change = (ZwRunChange){"m", INFINITY};
  defs[11].rows_most = 1;
  defs[13].change = (ZwRunChange){"m", 1e300};
  defs[14].change = (ZwRunChange){"c", 1e4};
  for (int32_t i = 15; i < 18; i++) defs[i].change = (ZwRunChange){"c", 0.01 * i};
  (void)compare_members("rod", model, defs, COUNT);
  Member member;
  run_alone(model, &member, &defs[5]);
  assert_int_equal(member.status, ZW_ERR_DOMAIN); /* on the way */
  assert_true(member.report.steps > 3);
  zw_model_destroy(model);
}

/* Whether this machine moves several at a time. */
static bool has_groups(void) {
  MemberDef defs[4];
  ZwModel* model = compile(SPRING, "auto");
  sweep_change(defs, 4, "k", 10, 50);
  int32_t most = compare_members("spring", model, defs, 4);
  zw_model_destroy(model);
  return most > 1;
}

/* Has none for the moment whenever three are under way. */
static ZwRun* next_of_three(void* context) {
  return ((Ensemble*)context)->busy == 3 ? NULL : next_member(context);
}

/* Those under way go on, and it is asked again. */
static void members_may_come_late(void** state) {
  (void)state;
  enum { COUNT = 9 };
  MemberDef defs[COUNT];
  Member members[COUNT] = {0}, alone;
  ZwModel* model = compile(SPRING, "auto");
  sweep_change(defs, COUNT, "k", 10, 50);
  Ensemble ensemble = {.model = model, .members = members, .count = COUNT};
  ZwEnsembleDef def = zw_default_ensemble_def();
  def.next = next_of_three;
  def.done = end_member;
  def.context = &ensemble;
  for (int32_t i = 0; i < COUNT; i++) members[i].def = &defs[i];
  zw_ensemble_go(&def);
  assert_int_equal(ensemble.next, COUNT);
  assert_int_equal(ensemble.busy_most, has_groups() ? 3 : 1);
  for (int32_t i = 0; i < COUNT; i++) {
    run_alone(model, &alone, &defs[i]);
    assert_same_member("spring", i, &members[i], &alone);
  }
  zw_model_destroy(model);
}

/* Runs of different models may meet; they do not move together. */
static ZwRun* next_of_two(void* context) {
  Ensemble* ensembles = context;
  Ensemble* first = ensembles[0].next <= ensembles[1].next ? &ensembles[0] : &ensembles[1];
  return next_member(first);
}

static void models_may_differ(void** state) {
  (void)state;
  enum { COUNT = 6 };
  MemberDef defs[2][COUNT];
  Member members[2][COUNT] = {0}, alone;
  ZwModel* models[2] = {compile(SPRING, "auto"), compile(PENDULUM_BODY "run 0 .. 1\n", "auto")};
  Ensemble ensembles[2];
  for (int k = 0; k < 2; k++) {
    sweep_change(defs[k], COUNT, "m", 1, 2);
    ensembles[k] = (Ensemble){.model = models[k], .members = members[k], .count = COUNT};
    for (int32_t i = 0; i < COUNT; i++) members[k][i].def = &defs[k][i];
  }
  ZwEnsembleDef def = zw_default_ensemble_def();
  def.next = next_of_two;
  def.done = end_member;
  def.context = ensembles;
  zw_ensemble_go(&def);
  for (int k = 0; k < 2; k++) {
    for (int32_t i = 0; i < COUNT; i++) {
      run_alone(models[k], &alone, &defs[k][i]);
      assert_same_member("two models", i, &members[k][i], &alone);
    }
    zw_model_destroy(models[k]);
  }
}

/* Refused memory costs a member its life or all of them their company, never a wrong number, a leak or another's life. */
static void memory_may_be_refused(void** state) {
  (void)state;
  enum { COUNT = 3 };
  MemberDef defs[COUNT];
  Member alone[COUNT], together[COUNT] = {0};
  Host host = {0};
  ZwCompileDef def = zw_default_compile_def();
  ZwModel* model;
  def.text = PENDULUM_BODY "run 0 .. 0.2\n";
  def.size = strlen(def.text);
  def.allocator = host_allocator(&host);
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  int64_t at_rest = host.alive;
  sweep_change(defs, COUNT, "g", 5, 20);
  for (int32_t i = 0; i < COUNT; i++) run_alone(model, &alone[i], &defs[i]);
  int64_t refused = 0, survived = 0;
  for (int64_t fails_at = 1;; fails_at++) {
    host.calls = host.refused = 0;
    host.fails_at = fails_at;
    (void)run_together(model, together, defs, COUNT);
    host.fails_at = 0;
    assert_int_equal(host.alive, at_rest);
    if (host.refused == 0) break;
    refused++;
    int32_t lost = 0;
    for (int32_t i = 0; i < COUNT; i++) {
      if (together[i].status == ZW_ERR_MEMORY)
        lost++;
      else
        assert_same_member("pendulum", i, &together[i], &alone[i]);
    }
    assert_true(lost <= 1);
    survived += lost == 0;
  }
  assert_true(refused > 0);
  if (has_groups()) assert_true(survived > 0); /* one that cannot be made is done without */
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_members),  cmocka_unit_test(each_member_has_its_own_time),
      cmocka_unit_test(start_values_differ),    cmocka_unit_test(definitions_differ),
      cmocka_unit_test(numbers_of_rows_differ), cmocka_unit_test(failures_harm_no_other),
      cmocka_unit_test(members_may_come_late),  cmocka_unit_test(models_may_differ),
      cmocka_unit_test(memory_may_be_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
