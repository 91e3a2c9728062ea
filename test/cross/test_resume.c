/* A run that was saved between two steps and goes on in another simulation gives the same bits as one that was never ended:
 * every example, formulations of the papers and in quasi-velocities, with forces and evidence, saved at random places (a fixed
 * sample; many with ZW_LONG). */
#include "examples.h"
#include "sample.h"
#include "zwang/zwang.h"

enum { PLACES_MAX = 40 };

typedef struct Rows {
  double* values;
  int64_t count, capacity; /* numbers */
} Rows;

typedef struct Host {
  ZwRun* run;
  Rows rows;
  int32_t columns;
  int64_t polls, most;        /* so far; to be interrupted at; 0: never */
  int64_t places[PLACES_MAX]; /* polls to save at, ascending */
  void* states[PLACES_MAX];
  size_t sizes[PLACES_MAX];
  int64_t begins[PLACES_MAX]; /* rows before each */
  int place, place_count;
} Host;

static ZwStatus take_row(void* context, const double* values) {
  Host* host = context;
  Rows* rows = &host->rows;
  if (rows->count + host->columns > rows->capacity) {
    rows->capacity = 2 * rows->capacity + host->columns * 64;
    rows->values = realloc(rows->values, (size_t)rows->capacity * sizeof(double));
    assert_non_null(rows->values);
  }
  memcpy(rows->values + rows->count, values, (size_t)host->columns * sizeof(double));
  rows->count += host->columns;
  return ZW_OK;
}

static bool poll(void* context, double t) {
  Host* host = context;
  (void)t;
  host->polls++;
  while (host->place < host->place_count && host->places[host->place] == host->polls) {
    size_t size = zw_run_state_size(host->run);
    void* state = malloc(size); /* exactly: a sanitizer sees what is beyond */
    assert_non_null(state);
    zw_run_save(host->run, state);
    host->states[host->place] = state;
    host->sizes[host->place] = size;
    host->begins[host->place++] = host->rows.count / host->columns;
  }
  return host->most == 0 || host->polls < host->most;
}

static uint64_t random_bits(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

static const char* integrator; /* NULL: as the model says */
static const char* varied;     /* NULL: nothing is */

static ZwRun* create(const ZwModel* model, Host* host, const char* formulation, bool has_more) {
  ZwRunDef def = zw_default_run_def();
  def.formulation = formulation;
  def.integrator = integrator;
  def.forces = def.evidence = has_more;
  def.sensitivity = &varied;
  def.sensitivity_count = varied ? 1 : 0;
  def.row = take_row;
  def.poll = poll;
  def.context = host;
  ZwRun* run = NULL;
  if (zw_run_create(model, &def, &run) || zw_run_ready(run)) {
    zw_run_destroy(run);
    return NULL;
  }
  host->run = run;
  host->columns = zw_run_column_count(run);
  return run;
}

/* Numbers of evidence that must not know of the interruption either. */
static void assert_same_report(const ZwReport* got, const ZwReport* want) {
  assert_int_equal(got->steps, want->steps);
  assert_int_equal(got->rejected, want->rejected);
  assert_int_equal(got->rows, want->rows);
  assert_int_equal(got->events, want->events);
  assert_int_equal(got->singular, want->singular);
  assert_int_equal(got->evaluations, want->evaluations);
  assert_true(got->t == want->t && got->phi_max == want->phi_max && got->phidot_max == want->phidot_max);
  assert_true(got->energy_drift == want->energy_drift && got->energy_events == want->energy_events);
  assert_true(got->work == want->work && got->is_stopped == want->is_stopped);
}

/* How many places were compared. */
static int check_model(const char* name, const ZwModel* model, const char* formulation, bool has_more, int64_t most,
                       int places) {
  static Host whole, again;
  whole = (Host){.most = most};
  ZwRun* run = create(model, &whole, formulation, has_more);
  if (!run) return 0;
  if (zw_run_state_size(run) == 0) { /* a past that cannot be saved */
    zw_run_destroy(run);
    return 0;
  }
  ZwStatus status = zw_run_go(run);
  int64_t polls = whole.polls;
  zw_run_destroy(run);
  free(whole.rows.values);
  if (status == ZW_ERR_INTERRUPTED) status = ZW_OK;
  if (status || polls < 2) return 0;

  /* once more, saving on the way; nothing may change by that */
  uint64_t seed = 20261116;
  whole = (Host){.most = most, .place_count = places};
  for (int i = 0; i < places; i++) whole.places[i] = 1 + (int64_t)(random_bits(&seed) % (uint64_t)(polls - 1));
  for (int i = 1; i < places; i++) {
    for (int k = i; k > 0 && whole.places[k - 1] > whole.places[k]; k--) {
      int64_t other = whole.places[k];
      whole.places[k] = whole.places[k - 1];
      whole.places[k - 1] = other;
    }
  }
  run = create(model, &whole, formulation, has_more);
  (void)zw_run_go(run);
  assert_int_equal(whole.polls, polls);

  for (int i = 0; i < places; i++) {
    again = (Host){.most = most, .polls = whole.places[i]};
    ZwRun* later = create(model, &again, formulation, has_more);
    assert_non_null(later);
    assert_int_equal(zw_run_restore(later, whole.states[i], whole.sizes[i]), ZW_OK);
    (void)zw_run_go(later);
    int64_t begin = whole.begins[i] * whole.columns;
    if (again.rows.count != whole.rows.count - begin ||
        (again.rows.count > 0 &&
         memcmp(again.rows.values, whole.rows.values + begin, (size_t)again.rows.count * sizeof(double)) != 0)) {
      int64_t k = 0;
      while (k < again.rows.count && memcmp(&again.rows.values[k], &whole.rows.values[begin + k], sizeof(double)) == 0)
        k++;
      fail_msg("%s (%s): saved after %lld of %lld steps, column %s of row %lld is another: %.17g, not %.17g", name,
               formulation, (long long)whole.places[i], (long long)polls,
               zw_run_column(later, (int32_t)(k % whole.columns)), (long long)(k / whole.columns), again.rows.values[k],
               whole.rows.values[begin + k]);
    }
    assert_same_report(zw_run_report(later), zw_run_report(run));
    /* what was said on the way is said all the same */
    assert_int_equal(zw_run_diag_count(later), zw_run_diag_count(run));
    for (int32_t k = 0; k < zw_run_diag_count(run); k++) {
      assert_string_equal(zw_run_diag(later, k)->text, zw_run_diag(run, k)->text);
    }
    zw_run_destroy(later);
    free(again.rows.values);
    free(whole.states[i]);
  }
  zw_run_destroy(run);
  free(whole.rows.values);
  return places;
}

static ZwModel* compile(const char* text) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  ZwModel* model = NULL;
  if (zw_model_compile(&def, &model)) {
    zw_model_destroy(model);
    return NULL;
  }
  return model;
}

static bool is_long(void) {
  return getenv("ZW_LONG") != NULL;
}

static void test_examples(void** state) {
  (void)state;
  static Examples examples;
  list_examples(&examples);
  int compared = 0;
  for (int i = 0; i < examples.count; i += sample(3, 1, 1)) {
    char* text = read_example(examples.names[i]);
    ZwModel* model = compile(text);
    free(text);
    if (!model) continue;
    bool is_large = zw_model_coordinate_count(model) > 40;
    int64_t most = is_large ? sample(15, 20, 5000) : sample(50, 150, 5000);
    compared += check_model(examples.names[i], model, "auto", false, most, is_long() ? 40 : 4);
    compared += check_model(examples.names[i], model, "auto", true, most, is_long() ? 20 : 2);
    zw_model_destroy(model);
  }
  print_message("%d places in %d examples\n", compared, examples.count);
  assert_true(compared >= 5 * examples.count / sample(3, 1, 1));
}

static void test_formulations(void** state) {
  (void)state;
  static const char* const names[] = {"andrews", "double-pendulum", "chaplygin-sleigh", "table-four-legs",
                                      "slack-string"};
  int compared = 0;
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
    char* text = read_example(names[i]);
    ZwModel* model = compile(text);
    free(text);
    assert_non_null(model);
    for (int32_t k = 1; zw_formulation_text(k); k++) {
      compared +=
          check_model(names[i], model, zw_formulation_text(k), k % 2, is_long() ? 1000 : 60, is_long() ? 20 : 3);
    }
    zw_model_destroy(model);
  }
  print_message("%d places\n", compared);
  assert_true(compared >= 60);
}

/* A mechanism that stretches itself again and again: singular positions, weak directions, shortened steps. */
static const char crank[] =
    "coord a = 0.3, x\nkinetic 1/2*(1.5 + cos(3*a))*a'^2 + 1/2*x'^2\nconstraint crank: (x - cos(a))^2 + sin(a)^2 = 1\n"
    "start a' = 2, x = 1.9\nrun 0 .. 12\n";
/* Memory, events that assign, switches, an end by an event. */
static const char hopping[] =
    "coord x = 1\nmemory count = 0, force_on = 1\nkinetic 1/2*x'^2\npotential 9.81*x\nforce x = "
    "-0.3*sign(x')*force_on\n"
    "when x < 0: x' = -0.9*x', count = count + 1, force_on = 1 - force_on\nwhen x < 0.4: force_on = 1\nstop when count "
    ">= 30\noutput n = "
    "count\nrun 0 .. 100\n";

static void test_special(void** state) {
  (void)state;
  const char* const texts[] = {crank, hopping};
  for (int i = 0; i < 2; i++) {
    ZwModel* model = compile(texts[i]);
    assert_non_null(model);
    assert_int_equal(check_model(i ? "hopping" : "crank", model, "auto", i == 1, 0, 40), 40);
    zw_model_destroy(model);
  }
}

/* Stiff, with a sudden change now and then; stiff and constrained, with an event. */
static const char relaxing[] =
    "coord x = 2\nkinetic 1/2*x'^2\nforce x = 500*(1 - x^2)*x' - x\nrun 0 .. 900 tolerance 1e-7\n";
static const char damped[] =
    "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
    "force x = -2e4*x'\nforce y = -2e4*y'\nmemory n = 0\nwhen y < -0.001: n = 1\nrun 0 .. 20\n";

/* rattle has models of its own, with its step in them; those of SUNDIALS say that they cannot be saved. */
static void test_integrators_with_more(void** state) {
  (void)state;
  static const char* const texts[] = {
      "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
      "constraint again: hypot(x, y) = 1\nrun 0 .. 5 every 0.013 integrator rattle step 0.02\n",
      "coord a = 2, b = 1\nlet P = (sin(a), -cos(a)), Q = P + (sin(b), -cos(b))\nkinetic 1/2*P'^2 + 1/2*Q'^2\n"
      "potential 9.81*(P.y + Q.y)\nmemory n = 0\nwhen Q.y < P.y: n = n + 1\n"
      "run 0 .. 5 every 0.013 integrator rattle step 0.02\n"};
  for (int i = 0; i < 2; i++) {
    ZwModel* model = compile(texts[i]);
    assert_int_equal(check_model("rattle", model, "auto", i == 0, 0, 12), 12);
    zw_model_destroy(model);
  }
  ZwModel* model = compile(damped);
  Host host = {0};
  integrator = "bdf";
  ZwRun* run = create(model, &host, "auto", false);
  if (run) assert_int_equal(zw_run_state_size(run), 0); /* else a build without it */
  integrator = NULL;
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void test_integrators(void** state) {
  (void)state;
  const char* const texts[] = {relaxing, damped, crank, hopping};
  int compared = 0;
  for (int32_t k = 0; zw_integrator_text(k); k++) {
    for (int i = 0; i < 4; i++) {
      ZwModel* model = compile(texts[i]);
      assert_non_null(model);
      integrator = zw_integrator_text(k);
      compared += check_model(integrator, model, "auto", i % 2, 3000, is_long() ? 40 : 12);
      integrator = NULL;
      zw_model_destroy(model);
    }
  }
  print_message("%d places\n", compared);
  assert_true(compared >= 10 * 12); /* not every integrator gets over every singular position */
}

/* Derivatives go on as the motion does: through events with memories, impacts, friction, singular steps of their own, stiff motion. */
static void test_sensitivities(void** state) {
  (void)state;
  static const struct {
    const char *name, *by, *integrator;
  } cases[] = {{"pendulum", "l", NULL},         {"andrews", "start.be", NULL},   {"bouncing-ball", "g", NULL},
               {"woodpecker", "mu", NULL},      {"stick-slip", "k", NULL},       {"newtons-cradle", "g", NULL},
               {"bennett", "a", NULL},          {"slider-crank", "l2", "radau"}, {"flyball-governor", "g", "radau"},
               {"chaplygin-sleigh", "a", NULL}, {"rattleback", "h", "explicit"}, {"relaxing", "start.x", NULL},
               {"remembers", "a", NULL}};
  static const char remembers[] =
      "param a = 0.5, b = 0.7, c = 2\ncoord x = 1, y\nmemory m = a, k = 1\nkinetic 1/2*(x'^2 + y'^2) + 0.1*x'*y'\n"
      "potential 1/2*k*x^2 + 1/2*y^2 - m*y\nwhen x < a*y: x' = -b*x', m = x'*c, k = k + a\nforce y = -y'*abs(x)*c\n"
      "run 0 .. 20 every 0.05\n";
  int count = (int)(sizeof cases / sizeof *cases), compared = 0;
  for (int i = 0; i < count; i++) {
    bool is_here = i >= count - 2;
    char* text = is_here ? NULL : read_example(cases[i].name);
    ZwModel* model = compile(!is_here ? text : i == count - 1 ? remembers : relaxing);
    free(text);
    assert_non_null(model);
    varied = cases[i].by;
    integrator = cases[i].integrator;
    int places = check_model(cases[i].name, model, "auto", i % 2, is_long() ? 3000 : 100, is_long() ? 40 : 4);
    if (places == 0) fail_msg("%s has no derivatives by %s", cases[i].name, varied);
    compared += places;
    varied = integrator = NULL;
    zw_model_destroy(model);
  }
  print_message("%d places\n", compared);
}

/* A later end is taken; what does not fit is refused and not followed. */
static void test_other_ends(void** state) {
  (void)state;
  static Host host, other;
  ZwModel* model = compile(hopping);
  assert_non_null(model);
  host = (Host){.place_count = 1, .places = {60}, .most = 61};
  ZwRun* run = create(model, &host, "auto", false);
  assert_int_equal(zw_run_go(run), ZW_ERR_INTERRUPTED);
  zw_run_destroy(run);
  /* bytes that are wrong in length */
  for (size_t size = 0; size < host.sizes[0]; size += 13) {
    other = (Host){0};
    run = create(model, &other, "auto", false);
    assert_int_equal(zw_run_restore(run, host.states[0], size), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_run_go(run), ZW_ERR_ARGUMENT);
    assert_int_equal(other.rows.count, 0);
    zw_run_destroy(run);
  }
  /* bytes that are damaged: none of them is taken */
  for (size_t at = 0; at < host.sizes[0]; at += is_long() ? 1 : 7) {
    other = (Host){0};
    run = create(model, &other, "auto", false);
    ((unsigned char*)host.states[0])[at] ^= (unsigned char)(1u << at % 8);
    assert_int_equal(zw_run_restore(run, host.states[0], host.sizes[0]), ZW_ERR_ARGUMENT);
    ((unsigned char*)host.states[0])[at] ^= (unsigned char)(1u << at % 8);
    zw_run_destroy(run);
  }
  /* another model */
  ZwModel* another = compile(crank);
  other = (Host){0};
  run = create(another, &other, "auto", false);
  assert_int_equal(zw_run_restore(run, host.states[0], host.sizes[0]), ZW_ERR_ARGUMENT);
  zw_run_destroy(run);
  zw_model_destroy(another);
  /* an end before the place that was reached */
  ZwRunDef def = zw_default_run_def();
  def.to = 1e-9;
  assert_int_equal(zw_run_create(model, &def, &run), ZW_OK);
  assert_int_equal(zw_run_restore(run, host.states[0], host.sizes[0]), ZW_ERR_ARGUMENT);
  zw_run_destroy(run);
  free(host.states[0]);
  free(host.rows.values);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_formulations),
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_integrators),
      cmocka_unit_test(test_integrators_with_more),
      cmocka_unit_test(test_sensitivities),
      cmocka_unit_test(test_other_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
