/* zw_run_linearize: memory, where it begins, what it gives. */
#include "zwang/hosts.h"

/* A disc that rolls, and a swing with a row said twice: all parts of the work take part. */
static const char* const texts[] = {
    "param u = 1\ncoord x, h, e, p\nkinetic 1/2*x'^2 + 1/2*h'^2 + e'^2 + p'^2 + e'*h'\npotential u*cos(e)\n"
    "constraint roll: x' = p'*cos(e)\nstart p' = 1, x' = 1\n",
    "param u = 9.81\ncoord P = (0.2, -1)\nkinetic 1/2*P'^2\npotential u*P.y\noutput far = P.x^2\nconstraint a: P^2 = "
    "1\nconstraint b: 3*P^2 = 3\n"};

static ZwStatus use(const char* text, Host* host, bool* has_answer) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.allocator = host_allocator(host);
  ZwModel* model;
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  const char* const inputs[] = {"u"};
  ZwLinearizeDef where = zw_default_linearize_def();
  where.at = ZW_LINEARIZE_AUTO;
  where.inputs = inputs;
  where.input_count = 1;
  where.has_outputs = true;
  const ZwLinearization* answer = NULL;
  ZwStatus status = zw_model_compile(&def, &model);
  if (status == ZW_OK) status = zw_run_create(model, &how, &run);
  if (status == ZW_OK) status = zw_run_linearize(run, &where, &answer);
  *has_answer = answer != NULL;
  zw_run_destroy(run);
  zw_model_destroy(model);
  return status;
}

static void memory_may_end_anywhere(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    for (int64_t n = 1;; n++) {
      Host host = {.fails_at = n};
      bool has_answer;
      ZwStatus status = use(texts[k], &host, &has_answer);
      assert_int_equal(host.alive, 0);
      assert_int_equal(status, host.refused ? ZW_ERR_MEMORY : ZW_OK);
      assert_int_equal(has_answer, status == ZW_OK);
      if (!host.refused) break;
    }
  }
}

static ZwRun* open_run(const char* text, ZwModel** model) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run;
  assert_int_equal(zw_model_compile(&def, model), ZW_OK);
  assert_int_equal(zw_run_create(*model, &how, &run), ZW_OK);
  return run;
}

/* The search begins where it is told to: a pendulum hangs or stands. The matrix is that of the modes. */
static void begins_where_it_is_told(void** state) {
  (void)state;
  for (int is_up = 0; is_up <= 1; is_up++) {
    ZwModel* model;
    ZwRun* run = open_run("coord a = 0.3\nkinetic 1/2*a'^2\npotential -4*cos(a)\n", &model);
    double near[1] = {is_up ? 3.0 : 0.1};
    ZwLinearizeDef where = zw_default_linearize_def();
    where.at = ZW_LINEARIZE_EQUILIBRIUM;
    where.near_q = near;
    const ZwLinearization* l;
    assert_int_equal(zw_run_linearize(run, &where, &l), ZW_OK);
    assert_near(l->q[0], is_up ? 3.14159265358979 : 0, 1e-13);
    assert_int_equal(l->count, 2);
    assert_int_equal(l->modes[0].kind, is_up ? ZW_MODE_UNSTABLE : ZW_MODE_UNDAMPED);
    assert_near(is_up ? l->modes[0].re : l->modes[0].im, 2, 1e-13);
    assert_near(l->matrix[0] * l->matrix[3] - l->matrix[1] * l->matrix[2], is_up ? -4 : 4, 1e-12);
    assert_int_equal(l->move_count, 1);
    assert_near(l->moves[0].from, near[0], 0);
    assert_near(l->moves[0].to, l->q[0], 0);
    assert_near(l->way_from, near[0], 0);
    assert_true(l->way > 0 && l->way < 1);
    assert_near(l->modes[0].shape_re[0], 1, 0);
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

/* Behind zw_run_to, the state of that time. */
static void looks_at_the_present(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run("coord x = 1\nkinetic 1/2*x'^2\npotential 1/4*x^4\n", &model);
  assert_int_equal(zw_run_to(run, 0.5), ZW_OK);
  ZwLinearizeDef where = zw_default_linearize_def();
  where.at = ZW_LINEARIZE_PRESENT;
  const ZwLinearization* l;
  assert_int_equal(zw_run_linearize(run, &where, &l), ZW_OK);
  assert_near(l->t, 0.5, 0);
  assert_true(l->q[0] < 1 && l->v[0] < 0);
  assert_near(l->modes[0].im, sqrt(3) * l->q[0], 1e-13);
  assert_int_equal(l->freedom, -1);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* A state in quasi-velocities is the same state: before the run has begun, on its way, and behind a linearization. */
static void quasi_velocities_are_velocities(void** state) {
  (void)state;
  const char* text =
      "coord x, y, h\nkinetic 1/2*(x'^2 + y'^2) + 1/2*h'^2\nconstraint knife: y'*cos(h) = x'*sin(h)\n"
      "quasi s = x'*cos(h) + y'*sin(h)\nquasi r = h'\nstart x' = 1, h' = 0.5\n";
  for (int is_moved = 0; is_moved <= 1; is_moved++) {
    ZwCompileDef def = zw_default_compile_def();
    def.text = text;
    def.size = strlen(text);
    ZwRunDef how = zw_default_run_def();
    how.formulation = "gibbs-appell-quasi";
    ZwModel* model;
    ZwRun* run;
    assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
    assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
    double t = is_moved ? 0.5 : 0, row[9];
    if (is_moved) assert_int_equal(zw_run_to(run, t), ZW_OK);
    ZwLinearizeDef where = zw_default_linearize_def();
    where.at = ZW_LINEARIZE_PRESENT;
    const ZwLinearization* l = NULL;
    for (int pass = 0; pass < 3; pass++) {
      assert_int_equal(zw_run_read(run, row), ZW_OK);
      assert_near(row[4], cos(t / 2), 1e-8);
      assert_near(row[6], 0.5, 1e-12);
      if (pass == 0) assert_int_equal(zw_run_linearize(run, &where, &l), ZW_OK);
      if (pass == 1) assert_int_equal(zw_run_to(run, t += 0.5), ZW_OK);
    }
    assert_near(l->v[0], cos((t - 0.5) / 2), 1e-8);
    assert_near(l->v[2], 0.5, 1e-12);
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

static bool hold(void* context, double t, const double* q, const double* v, const ZwHostRows* rows) {
  (void)context;
  (void)t;
  rows->A[0] = 2 * q[0];
  rows->A[1] = 2 * q[1];
  rows->b[0] = -2 * (v[0] * v[0] + v[1] * v[1]);
  rows->residual[0] = q[0] * q[0] + q[1] * q[1] - 1;
  return true;
}

/* Its rod would be a straight rail, and the pendulum would not swing. */
static void constraints_of_the_host_are_refused(void** state) {
  (void)state;
  const ZwHostConstraint rod = {.name = "rod"};
  ZwCompileDef def = zw_default_compile_def();
  def.text = "coord x = 0, y = -1\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n";
  def.size = strlen(def.text);
  def.constraints = &rod;
  def.constraint_count = 1;
  ZwRunDef how = zw_default_run_def();
  how.constraints = hold;
  ZwModel* model;
  ZwRun* run;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  ZwLinearizeDef where = zw_default_linearize_def();
  where.at = ZW_LINEARIZE_AUTO;
  const ZwLinearization* l;
  assert_int_equal(zw_run_linearize(run, &where, &l), ZW_ERR_UNSUPPORTED);
  assert_null(l);
  assert_non_null(strstr(zw_run_diag(run, 0)->text, "how constraints bend"));
  zw_run_destroy(run);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_may_end_anywhere),
                                     cmocka_unit_test(begins_where_it_is_told), cmocka_unit_test(looks_at_the_present),
                                     cmocka_unit_test(quasi_velocities_are_velocities),
                                     cmocka_unit_test(constraints_of_the_host_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
