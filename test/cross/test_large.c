/* Large systems: the sparse solve against the dense one of the formulation lagrange, on the same models; and the elimination that
 * stands before it where there is one. */
#include "../reference/trajectory.h"
#include "sample.h"
#include "zwang/handles.h"

typedef struct Large {
  const char* name;
  int32_t n, m, rank;
  const char* text;
} Large;

// clang-format off
static const Large models[] = {
    {"chain of points", 134, 67, 67,
     "param N = 67, l = 0.04, g = 9.81\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n  kinetic 1/2*(x[i]'^2 + y[i]'^2)\n"
     "  potential g*y[i]\n  start x[i] = i*l\n}\nconstraint pin: x[1]^2 + y[1]^2 = l^2\n"
     "for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\n"
     "output f = reaction(pin)\nrun 0 .. 0.1 every 0.05\n"},
    {"chain of rods", 120, 80, 80,
     "use planar\nparam N = 40\npart ground = earth()\nfor i in 1..N { part bar[i] = rod(1, (i-1, 0), (i, 0)) }\n"
     "part foot = pin(ground, bar[1], (0, 0))\nfor i in 2..N { part joint[i] = pin(bar[i-1], bar[i], (i-1, 0)) }\n"
     "output f = reaction(foot.pin)\nrun 0 .. 0.1 every 0.05\n"},
    {"cloth", 147, 84, 84,
     "param N = 7, l = 0.1\ncoord P[1..N, 1..N] = (0, 0, 0)\nfor i in 1..N { for j in 1..N {\n"
     "  kinetic 1/2*P[i,j]'^2\n  potential 9.81*P[i,j].z\n  start P[i,j] = (i*l, j*l, 0)\n} }\n"
     "for i in 2..N { for j in 1..N { constraint a[i,j]: (P[i,j] - P[i-1,j])^2 = l^2 } }\n"
     "for i in 1..N { for j in 2..N { constraint b[i,j]: (P[i,j] - P[i,j-1])^2 = l^2 } }\n"
     "force P[1,1] = -200*(P[1,1] - (l, l, 0))\nforce P[N,1] = -200*(P[N,1] - (N*l, l, 0))\nrun 0 .. 0.1 every 0.05\n"},
    {"chain with links twice", 116, 87, 58,
     "param N = 58, l = 0.04, g = 9.81\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n  kinetic 1/2*(x[i]'^2 + y[i]'^2)\n"
     "  potential g*y[i]\n  start x[i] = i*l\n}\nconstraint pin: x[1]^2 + y[1]^2 = l^2\n"
     "for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\n"
     "for i in 1..N/2 { constraint more[i]: 3*(x[2*i] - x[2*i-1])^2 + 3*(y[2*i] - y[2*i-1])^2 = 3*l^2 }\n"
     "run 0 .. 0.1 every 0.05\n"},
    {"chain with all links twice", 110, 110, 55, /* as many rows as a mechanism, yet most is free */
     "param N = 55, l = 0.04, g = 9.81\ncoord P[1..N] = (0, 0)\nfor i in 1..N {\n  kinetic 1/2*P[i]'^2\n"
     "  potential g*P[i].y\n  start P[i] = (i*l, 0)\n}\nconstraint pin: P[1]^2 = l^2\nconstraint again: norm(P[1]) = l\n"
     "for i in 2..N { constraint link[i]: (P[i] - P[i-1])^2 = l^2\n constraint more[i]: 1e-20*norm(P[i] - P[i-1]) = 1e-20*l }\n"
     "run 0 .. 0.1 every 0.05\n"},
    {"straight rods by their ends", 140, 70, 70, /* inertia couples all: the whole matrix is factored */
     "param N = 70, l = 0.1\ncoord P[1..N] = (0, 0)\nlet E[0] = (0, 0)\nfor i in 1..N {\n  let E[i] = P[i]\n"
     "  start P[i] = i*l*(sin(60*deg), -cos(60*deg))\n  kinetic 1/6*(E[i-1]'^2 + dot(E[i-1]', E[i]') + E[i]'^2)\n"
     "  potential 9.81*(E[i-1].y + E[i].y)/2\n  constraint length[i]: norm(E[i] - E[i-1]) = l\n}\n"
     "run 0 .. 0.1 every 0.05\n"},
    {"and some lengths twice", 140, 80, 70,
     "param N = 70, l = 0.1\ncoord P[1..N] = (0, 0)\nlet E[0] = (0, 0)\nfor i in 1..N {\n  let E[i] = P[i]\n"
     "  start P[i] = i*l*(sin(60*deg), -cos(60*deg))\n  kinetic 1/6*(E[i-1]'^2 + dot(E[i-1]', E[i]') + E[i]'^2)\n"
     "  potential 9.81*(E[i-1].y + E[i].y)/2\n  constraint length[i]: norm(E[i] - E[i-1]) = l\n}\n"
     "for i in 1..10 { constraint more[i]: 3*norm(E[7*i] - E[7*i-1]) = 3*l }\nrun 0 .. 0.1 every 0.05\n"},
};
// clang-format on

static void leave_elimination_out(ZwRun* run) {
  run->sim->small.is_on = false;
}

static void compare_with_dense(const Large* model, ZwRunDef how, const Trajectory* dense) {
  Trajectory sparse = follow_how(model->name, model->text, how, 0);
  const ZwReport* report = zw_run_report(sparse.run);
  assert_true(report->is_sparse && !zw_run_report(dense->run)->is_sparse);
  assert_int_equal(report->n, model->n);
  assert_int_equal(report->m, model->m);
  assert_int_equal(report->rank, model->rank);
  assert_int_equal(report->rank, zw_run_report(dense->run)->rank);
  double apart = 0;
  assert_int_equal(sparse.rows, dense->rows);
  for (int32_t r = 0; r < sparse.rows; r++) {
    for (int32_t k = 0; k < sparse.width; k++) {
      double a = row_of(&sparse, r)[k], b = row_of(dense, r)[k];
      apart = fmax(apart, fabs(a - b) / (1 + fabs(b)));
    }
  }
  print_message("%-30s apart by %.2g; energy %.2g, |phi| %.2g\n", model->name, apart, report->energy_drift,
                report->phi_max);
  assert_true(apart < 1e-7 && report->phi_max < 1e-12 && report->phidot_max < 1e-12);
  forget(&sparse);
}

static void sparse_and_dense_agree(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof models / sizeof *models; i += (size_t)sample(3, 1, 1)) {
    ZwRunDef how = zw_default_run_def();
    how.tolerance = 1e-9;
    how.formulation = "lagrange";
    before_it_goes = NULL;
    Trajectory dense = follow_how(models[i].name, models[i].text, how, 0);
    how.formulation = "auto";
    compare_with_dense(&models[i], how, &dense);
    before_it_goes = leave_elimination_out;
    compare_with_dense(&models[i], how, &dense);
    forget(&dense);
  }
  before_it_goes = NULL;
}

/* The square of the way from what was typed to the first row. */
static double way_of(const Trajectory* trajectory) {
  double sum = 0;
  for (int32_t k = 1; k <= 70; k++) {
    const double* row = row_of(trajectory, 0);
    sum += pow(row[k] - 0.08 * k, 2) + pow(row[k + 70] + 0.05 * k, 2);
  }
  return sum;
}

/* Typed values that do not fit move by the least amount: no farther than where the dense solve moves them. */
static void a_start_is_put_together(void** state) {
  (void)state;
  static const char text[] =
      "param N = 70, l = 0.1, g = 9.81\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n  kinetic 1/2*(x[i]'^2 + y[i]'^2)\n"
      "  potential g*y[i]\n  start x[i] = 0.08*i, y[i] = -0.05*i\n}\nconstraint pin: x[1]^2 + y[1]^2 = l^2\n"
      "for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\n"
      "constraint end: x[N] = 5.4\nstart y[5]' = 1\nrun 0 .. 0.1 every 0.05\n";
  ZwRunDef how = zw_default_run_def();
  Trajectory sparse = follow_how("sparse", text, how, 0);
  how.formulation = "lagrange";
  Trajectory dense = follow_how("dense", text, how, 0);
  const ZwReport* report = zw_run_report(sparse.run);
  print_message("way of the sparse start %.6g, of the dense one %.6g\n", way_of(&sparse), way_of(&dense));
  assert_true(report->is_sparse && report->move_count > 70);
  assert_true(way_of(&sparse) > 0.01 && way_of(&sparse) <= way_of(&dense) * (1 + 1e-6));
  assert_true(report->phi_max < 1e-12 && report->phidot_max < 1e-12);
  assert_near(row_of(&sparse, 0)[column_of(&sparse, "y[5]'")], 1, 1e-12); /* what can hold does */
  forget(&sparse);
  forget(&dense);
}

/* What needs full matrices says so. */
static void comparison_is_refused(void** state) {
  (void)state;
  ZwModel* model = compile_text("free", "coord x[1..60]\nfor i in 1..60 { kinetic 1/2*x[i]'^2 }\nrun 0 .. 1\n");
  ZwRunDef how = zw_default_run_def();
  ZwCompareDef def = zw_default_compare_def();
  ZwFormulationReport reports[20];
  ZwRun* run = NULL;
  int32_t instants = 0;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  assert_true(zw_run_report(run)->is_sparse);
  assert_int_equal(zw_run_compare(run, &def, reports, &instants), ZW_ERR_ARGUMENT);
  assert_non_null(strstr(zw_run_diag(run, zw_run_diag_count(run) - 1)->text, "full matrices"));
  zw_run_destroy(run);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_and_dense_agree),
                                     cmocka_unit_test(a_start_is_put_together),
                                     cmocka_unit_test(comparison_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
