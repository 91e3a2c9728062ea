/* The impacts of T32 with published or closed answers (impact_*.json), where M depends on velocities: velocities, impulses, theta, losses,
 * the work of walls and energies. */
#include <jansson.h>

#include "trajectory.h"

static const struct {
  const char *name, *text; /* the restitution goes into its place */
} cases[] = {
    {"impact_relativistic_ball",
     "coord x, y = 1\nlagrangian -sqrt(1 - x'^2 - y'^2)\n"
     "contact floor: y >= 0, restitution %.17g\nstart x' = 0.5, y' = -0.5\nrun 0 .. 4 every 1\n"},
    {"impact_relativistic_mirror",
     "coord x, y = 1\nlagrangian -sqrt(1 - x'^2 - y'^2)\n"
     "contact mirror: y >= 0.3*t, restitution %.17g\nstart x' = 0.5, y' = -0.5\nrun 0 .. 2 every 1\n"},
    {"impact_relativistic_two",
     "coord x1, x2 = 1\nlagrangian -sqrt(1 - x1'^2) - 3*sqrt(1 - x2'^2)\n"
     "contact hit: x2 - x1 >= 0, restitution %.17g\nstart x1' = 0.8, x2' = -0.2\nrun 0 .. 2 every 1\n"},
    {"impact_quartic",
     "coord x, y = 2\nlagrangian x'^2 + x'*y'/2 + y'^2/2 + x'^4/5\n"
     "contact wall: 0.8*y - 0.6*x >= 0, restitution %.17g\nstart x' = 1.2, y' = -0.7\nrun 0 .. 3 every 1\n"},
};

typedef struct Log {
  Trajectory trajectory;
  ZwContactEvent hit;
  int32_t hits;
} Log;

static void log_contact(void* context, const ZwContactEvent* event) {
  Log* log = context;
  if (event->what != ZW_CONTACT_HIT || log->hits++ > 0) return;
  log->hit = *event;
}

static ZwStatus keep(void* context, const double* values) {
  return keep_row(&((Log*)context)->trajectory, values);
}

static double number(const json_t* impact, const char* name, size_t i) {
  const json_t* value = json_object_get(impact, name);
  if (json_is_array(value)) value = json_array_get(value, i);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static void check(const char* name, const char* text, const json_t* impact) {
  static Log log;
  char whole[600];
  double tol = 1e-10;
  snprintf(whole, sizeof whole, text, number(impact, "e", 0));
  log = (Log){.trajectory = {.model = compile_text(name, whole)}};
  Trajectory* trajectory = &log.trajectory;
  trajectory->n = zw_model_coordinate_count(trajectory->model);
  trajectory->width = zw_model_column_count(trajectory->model) + 4; /* with evidence */
  ZwRunDef how = zw_default_run_def();
  how.tolerance = 1e-12;
  how.evidence = true;
  how.row = keep;
  how.contact = log_contact;
  how.context = &log;
  assert_int_equal(zw_run_create(trajectory->model, &how, &trajectory->run), ZW_OK);
  assert_int_equal(zw_run_go(trajectory->run), ZW_OK);
  const char* law = zw_run_report(trajectory->run)->contact_law;
  assert_true(strncmp(law, "energetic restitution", strlen("energetic restitution")) == 0);
  const double *first = row_of(trajectory, 0), *last = row_of(trajectory, trajectory->rows - 1);
  for (int32_t i = 0; i < 2; i++) assert_near(last[3 + i], number(impact, "v_after", (size_t)i), tol);
  assert_near(log.hit.impulse, number(impact, "impulse", 0), tol);
  assert_near(log.hit.theta, number(impact, "theta", 0), tol);
  assert_near(log.hit.lost, number(impact, "loss", 0), tol);
  assert_near(log.hit.wall_work, number(impact, "wall_work", 0), tol);
  assert_near(first[trajectory->width - 2], number(impact, "E_before", 0), tol);
  assert_near(last[trajectory->width - 2], number(impact, "E_after", 0), tol);
  forget(trajectory);
}

static void impacts_are_those_of_the_references(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[PATH_SIZE];
    source_path(path, "test/reference", cases[i].name, ".json");
    json_error_t error;
    json_t* root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s: %s", path, error.text);
    const json_t* impacts = json_object_get(root, "impacts");
    assert_true(json_array_size(impacts) > 0);
    for (size_t k = 0; k < json_array_size(impacts); k++)
      check(cases[i].name, cases[i].text, json_array_get(impacts, k));
    json_decref(root);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(impacts_are_those_of_the_references)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
