/* Every status that the library can answer, provoked once by a text. */
#include "zwang/hosts.h"

typedef struct Provocation {
  ZwStatus status;
  const char* text;
} Provocation;

static const Provocation provocations[] = {
    {ZW_OK, PENDULUM},
    {ZW_ERR_SYNTAX, "coord\n"},
    {ZW_ERR_NAME, "coord x\nkinetic m*x'^2\n"},
    {ZW_ERR_TYPE, "coord x\nkinetic x'^2\npotential x < 1\n"},
    {ZW_ERR_VALUE, "coord x\nkinetic x'^2\nrun 1 .. 0\n"},
    {ZW_ERR_DERIVATIVE, "coord x\nkinetic x''^2\n"},
    {ZW_ERR_CONSTRAINT, "coord x\nkinetic x'^2\nconstraint 1 = 2\n"},
    {ZW_ERR_CONTACT,
     "coord x, y, a = 1\nkinetic 1/2*(x'^2 + y'^2 + a'^2/3)\npotential 9.81*y\n"
     "contact tip: y - sin(a) >= 0, friction 2, slip x - cos(a)\nstart x' = -2, y = sin(1)\nrun 0 .. 1\n"},
    {ZW_ERR_MASS, "param m = -1\ncoord x\nkinetic 1/2*m*x'^2\nrun 0 .. 1\n"},
    {ZW_ERR_UNDETERMINED, "coord x, y\nkinetic x'^2\nrun 0 .. 1\n"},
    {ZW_ERR_START, "coord x\nkinetic x'^2\nconstraint a: x = 1\nconstraint b: x = 2\nrun 0 .. 1\n"},
    {ZW_ERR_INCONSISTENT,
     "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x = t\nconstraint b: x = t + (if t < 0.5 then 0 else (t - "
     "0.5)^3)\n"
     "run 0 .. 1\n"},
    {ZW_ERR_DOMAIN, "coord x\nkinetic x'^2\nforce x = log(1 - t)\nrun 0 .. 2\n"},
    {ZW_ERR_CLAIM, "coord x = 1\nkinetic 1/2*x'^2\nclaim x = 2\nrun 0 .. 1\n"},
    {ZW_ERR_DOUBT, "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nrun 0 .. 10 integrator rattle step 2.1\n"},
    {ZW_ERR_STEP, "coord x = 1\nkinetic 1/2*x'^2\nconstraint c: x = if t < 1.3 then 1 else 2\nrun 0 .. 10\n"},
};

static bool is_provoked[ZW_STATUS_COUNT];

/* Compiles and runs; at least one message when it fails. */
static ZwStatus provoke(const char* text) {
  ZwModel* model;
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  ZwStatus status = compile_text(text, &model);
  if (status == ZW_OK) status = zw_run_create(model, &how, &run);
  if (status == ZW_OK) status = zw_run_go(run);
  int32_t messages = zw_model_diag_count(model) + (run ? zw_run_diag_count(run) : 0);
  if (status) {
    assert_true(messages > 0);
    const ZwDiag* last = run && zw_run_diag_count(run) ? zw_run_diag(run, zw_run_diag_count(run) - 1)
                                                       : zw_model_diag(model, zw_model_diag_count(model) - 1);
    assert_int_equal(last->code, status);
    assert_int_equal(last->severity, ZW_SEVERITY_ERROR);
  }
  zw_run_destroy(run);
  zw_model_destroy(model);
  return status;
}

static void texts_provoke_their_statuses(void** state) {
  (void)state;
  for (int i = 0; i < (int)(sizeof provocations / sizeof *provocations); i++) {
    ZwStatus status = provoke(provocations[i].text);
    if (status != provocations[i].status) {
      fail_msg("%s, not %s, from:\n%s", zw_status_name(status), zw_status_name(provocations[i].status),
               provocations[i].text);
    }
    is_provoked[status] = true;
  }
}

static ZwStatus refuse_row(void* context, const double* values) {
  (void)values;
  return *(ZwStatus*)context;
}

static bool refuse_poll(void* context, double t) {
  (void)context, (void)t;
  return false;
}

static void host_ends_a_run_with_its_own_status(void** state) {
  (void)state;
  ZwModel* model;
  assert_int_equal(compile_text(PENDULUM, &model), ZW_OK);
  ZwStatus status = ZW_ERR_IO;
  ZwRunDef how = zw_default_run_def();
  how.row = refuse_row;
  how.context = &status;
  ZwRun* run;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  assert_int_equal(zw_run_go(run), ZW_ERR_IO);
  is_provoked[ZW_ERR_IO] = true;
  zw_run_destroy(run);
  how = zw_default_run_def();
  how.poll = refuse_poll;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  assert_int_equal(zw_run_go(run), ZW_ERR_INTERRUPTED);
  assert_int_equal(zw_run_report(run)->steps, 1);
  is_provoked[ZW_ERR_INTERRUPTED] = true;
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* Two masses of opposite sign have a motion, and no minimum for those who need one. */
static void formulation_that_cannot_has_its_status(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run;
  ZwRunDef how = zw_default_run_def();
  how.formulation = "bellman";
  assert_int_equal(compile_text("coord x, y\nlagrangian x'^2 - y'^2\nrun 0 .. 1\n", &model), ZW_OK);
  assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_UNSUPPORTED);
  is_provoked[ZW_ERR_UNSUPPORTED] = true;
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void memory_and_limits_have_their_statuses(void** state) {
  (void)state;
  Host host = {.fails_at = 1, .for_good = true};
  ZwCompileDef def = zw_default_compile_def();
  def.text = PENDULUM;
  def.size = strlen(PENDULUM);
  def.allocator = host_allocator(&host);
  ZwModel* model;
  assert_int_equal(zw_model_compile(&def, &model), ZW_ERR_MEMORY);
  assert_null(model);
  is_provoked[ZW_ERR_MEMORY] = true;
  def.allocator = zw_default_compile_def().allocator;
  def.limits.memory = 20000;
  assert_int_equal(zw_model_compile(&def, &model), ZW_ERR_LIMIT);
  zw_model_destroy(model);
  char deep[1000] = "coord x\nlet a = ";
  for (int i = 0; i < 300; i++) strcat(deep, "(");
  assert_int_equal(compile_text(deep, &model), ZW_ERR_LIMIT);
  is_provoked[ZW_ERR_LIMIT] = true;
  zw_model_destroy(model);
}

/* ZW_ERR_ARGUMENT belongs to the command line. */
static void no_status_is_left_out(void** state) {
  (void)state;
  for (int status = 0; status < ZW_STATUS_COUNT; status++) {
    if (status == ZW_ERR_ARGUMENT) continue;
    if (!is_provoked[status]) fail_msg("%s was not provoked", zw_status_name((ZwStatus)status));
  }
}

static void statuses_have_names_and_texts(void** state) {
  (void)state;
  assert_string_equal(zw_status_name(ZW_OK), "ZW_OK");
  assert_string_equal(zw_status_name(ZW_ERR_NAME), "ZW_ERR_NAME");
  for (int status = 0; status < ZW_STATUS_COUNT; status++) {
    assert_memory_equal(zw_status_name((ZwStatus)status), "ZW_", 3);
    assert_true(strlen(zw_status_text((ZwStatus)status)) > 3);
  }
  assert_string_equal(zw_status_text(ZW_STATUS_COUNT), "unknown status");
  assert_string_equal(zw_status_name((ZwStatus)1000), "unknown status");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_provoke_their_statuses),
      cmocka_unit_test(host_ends_a_run_with_its_own_status),
      cmocka_unit_test(formulation_that_cannot_has_its_status),
      cmocka_unit_test(memory_and_limits_have_their_statuses),
      cmocka_unit_test(no_status_is_left_out),
      cmocka_unit_test(statuses_have_names_and_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
