/* The start solver on problems small enough to solve by hand. */
#include "motion/assemble.h"

#include "../numbers.h"

#include <string.h>

typedef bool (*EvalFn)(void* context, const double* x, double* r, double* J);

/* Runs a problem with work memory exactly as large as it must be, so that a sanitizer sees one number too many. r keeps
 * the residuals that are left. */
typedef struct Outcome {
  ZwAssembled answer;
  int32_t row;
  bool has_moved_held, has_searched;
  double r[8];
} Outcome;

static Outcome assemble(int32_t n, int32_t m, EvalFn eval, const double* M, const bool* is_held, double* x) {
  const size_t sizes[] = {(size_t)(m * n), (size_t)(m * n), (size_t)(m * m), (size_t)(n * n),
                          (size_t)(2 * m), (size_t)m,       (size_t)(5 * n), (size_t)n};
  double* work[8];
  int32_t hold[8];
  bool is_fixed[8];
  for (int32_t i = 0; i < n; i++) hold[i] = is_held[i] ? 2 : 0;
  for (int i = 0; i < 8; i++) work[i] = calloc(sizes[i] ? sizes[i] : 1, sizeof(double));
  ZwAssembly a = {.n = n,
                  .m = m,
                  .x = x,
                  .hold = hold,
                  .M = M,
                  .eval = eval,
                  .J = work[0],
                  .Y = work[1],
                  .S = work[2],
                  .G = work[3],
                  .r = work[4],
                  .lengths = work[5],
                  .work = work[6],
                  .typed = work[7],
                  .is_fixed = is_fixed};
  double before[8];
  memcpy(before, x, (size_t)n * sizeof(double));
  Outcome outcome = {.row = -1};
  outcome.answer = zw_assemble(&a, &outcome.row);
  for (int32_t i = 0; i < n; i++) outcome.has_moved_held = outcome.has_moved_held || (is_held[i] && x[i] != before[i]);
  outcome.has_searched = a.has_searched;
  memcpy(outcome.r, a.r, (size_t)m * sizeof(double));
  for (int i = 0; i < 8; i++) free(work[i]);
  return outcome;
}

static const double ones[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* for n = 3 */
static const double ones2[4] = {1, 0, 0, 1};

/* ---- the circle x^2 + y^2 = 1 ---- */

static bool eval_circle(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] * x[0] + x[1] * x[1] - 1;
  J[0] = 2 * x[0];
  J[1] = 2 * x[1];
  return true;
}

static void what_holds_already_is_not_touched(void** state) {
  (void)state;
  double x[] = {0.6, 0.8};
  Outcome o = assemble(2, 1, eval_circle, ones2, (bool[]){false, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_true(x[0] == 0.6 && x[1] == 0.8);
  assert_false(o.has_moved_held || o.has_searched);
}

static void typed_values_hold_and_free_ones_move(void** state) {
  (void)state;
  double x[] = {0.6, 0.5};
  Outcome o = assemble(2, 1, eval_circle, ones2, (bool[]){true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_true(x[0] == 0.6); /* to the last bit */
  assert_near(x[1], 0.8, 1e-13);
  assert_false(o.has_moved_held);
}

static void typed_values_move_to_the_nearest_point(void** state) {
  (void)state;
  double x[] = {3, 4};
  Outcome o = assemble(2, 1, eval_circle, ones2, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 0.6, 1e-10);
  assert_near(x[1], 0.8, 1e-10);
  assert_true(o.has_moved_held);
}

/* Nearest in the metric diag(a, b): x = a x0 / (a + s), y = b y0 / (b + s) with the s that puts them on the circle. */
static void nearest_is_measured_by_the_masses(void** state) {
  (void)state;
  const double masses[][2] = {{1, 10}, {100, 1}, {0.5, 3}};
  for (int k = 0; k < 3; k++) {
    double a = masses[k][0], b = masses[k][1];
    double low = 0, high = 1e6; /* outside the circle, so s > 0 */
    for (int i = 0; i < 200; i++) {
      double s = 0.5 * (low + high), u = a * 0.7 / (a + s), v = b * 0.8 / (b + s);
      if (u * u + v * v > 1)
        low = s;
      else
        high = s;
    }
    double x[] = {0.7, 0.8};
    Outcome o = assemble(2, 1, eval_circle, (double[]){a, 0, 0, b}, (bool[]){true, true}, x);
    assert_int_equal(o.answer, ZW_ASSEMBLED);
    assert_near(x[0], a * 0.7 / (a + low), 1e-9);
    assert_near(x[1], b * 0.8 / (b + low), 1e-9);
  }
}

/* ---- the line x + 2 y = 5 ---- */

static bool eval_line(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] + 2 * x[1] - 5;
  J[0] = 1;
  J[1] = 2;
  return true;
}

/* dx = M^-1 A^T (A M^-1 A^T)^-1 5 from the origin, with M = [2 1; 1 3]: M^-1 A^T = (1/5, 3/5), A M^-1 A^T = 7/5. */
static void coupled_masses_share_the_move(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 1, eval_line, (double[]){2, 1, 1, 3}, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 5.0 / 7, 1e-12);
  assert_near(x[1], 15.0 / 7, 1e-12);
}

static void coordinate_without_mass_counts_euclidean(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 1, eval_line, (double[]){1, 0, 0, 0}, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 1, 1e-12);
  assert_near(x[1], 2, 1e-12);
}

/* ---- several rows ---- */

static bool eval_pin_and_sum(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] + x[1] - 1;
  r[1] = x[1] - 3;
  memcpy(J, (double[]){1, 1, 0, 1}, 4 * sizeof(double));
  return true;
}

static void typed_value_gives_way_when_free_ones_cannot_help(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 2, eval_pin_and_sum, ones2, (bool[]){true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], -2, 1e-12);
  assert_near(x[1], 3, 1e-12);
  assert_true(o.has_moved_held);
}

static bool eval_sum_of_three(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] + x[1] - 2;
  r[1] = x[1] + x[2] - 5; /* with x0 = x1 = 0 typed, only x2 can help, and only here */
  memcpy(J, (double[]){1, 1, 0, 0, 1, 1}, 6 * sizeof(double));
  return true;
}

static void free_values_take_what_they_can(void** state) {
  (void)state;
  double x[] = {0, 0, 0};
  Outcome o = assemble(3, 2, eval_sum_of_three, ones, (bool[]){true, true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 1, 1e-5); /* the free one weighs a millionth, so the typed ones move as if alone */
  assert_near(x[1], 1, 1e-5);
  assert_near(x[1] + x[2], 5, 1e-12);
}

static bool eval_circle_three_times(void* context, const double* x, double* r, double* J) {
  (void)context;
  const double factors[] = {1, -2, 1000};
  for (int i = 0; i < 3; i++) {
    r[i] = factors[i] * (x[0] * x[0] + x[1] * x[1] - 1);
    J[2 * i] = factors[i] * 2 * x[0];
    J[2 * i + 1] = factors[i] * 2 * x[1];
  }
  return true;
}

static void redundant_rows_do_no_harm(void** state) {
  (void)state;
  double x[] = {3, 4};
  Outcome o = assemble(2, 3, eval_circle_three_times, ones2, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 0.6, 1e-7);
  assert_near(x[0] * x[0] + x[1] * x[1], 1, 1e-12);
}

static bool eval_two_places(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0];
  r[1] = x[0] - 1;
  r[2] = x[1] - 2;
  memcpy(J, (double[]){1, 0, 1, 0, 0, 1}, 6 * sizeof(double));
  return true;
}

static void rows_in_conflict_keep_their_residuals(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 3, eval_two_places, ones2, (bool[]){false, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLY_CONFLICT);
  assert_near(o.r[0], 0.5, 1e-3); /* the middle between both */
  assert_near(o.r[1], -0.5, 1e-3);
  assert_near(o.r[2], 0, 1e-6); /* has nothing to do with it */
}

/* Circles about (0, 0) and (5, 0) with radius 1 do not meet. */
static bool eval_far_circles(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] * x[0] + x[1] * x[1] - 1;
  r[1] = (x[0] - 5) * (x[0] - 5) + x[1] * x[1] - 1;
  memcpy(J, (double[]){2 * x[0], 2 * x[1], 2 * (x[0] - 5), 2 * x[1]}, 4 * sizeof(double));
  return true;
}

static void circles_that_do_not_meet_are_a_conflict(void** state) {
  (void)state;
  double x[] = {1, 0.3};
  Outcome o = assemble(2, 2, eval_far_circles, ones2, (bool[]){true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLY_CONFLICT);
  assert_true(fabs(o.r[0]) > 0.5 || fabs(o.r[1]) > 0.5);
}

/* ---- gradients that vanish ---- */

static bool eval_square(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[1] - 1;
  r[1] = x[0] * x[0] - 1;
  memcpy(J, (double[]){0, 1, 2 * x[0], 0}, 4 * sizeof(double));
  return true;
}

static void violated_row_without_a_gradient_is_named(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 2, eval_square, ones2, (bool[]){false, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLY_FLAT);
  assert_int_equal(o.row, 1);
  double y[] = {0.1, 0}; /* a little off it knows where to go */
  o = assemble(2, 2, eval_square, ones2, (bool[]){false, false}, y);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(y[0], 1, 1e-12);
}

/* y = x^2 - 1 with y = 0 typed: at x = 0 the free x has no influence to first order. */
static bool eval_parabola(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[1] - x[0] * x[0] + 1;
  J[0] = -2 * x[0];
  J[1] = 1;
  return true;
}

static void stuck_free_values_are_searched_for(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 1, eval_parabola, ones2, (bool[]){false, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_true(o.has_searched);
  assert_false(o.has_moved_held);
  assert_true(x[1] == 0);
  assert_near(fabs(x[0]), 1, 1e-12);
}

/* ---- edges ---- */

static bool eval_never(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = NAN;
  J[0] = J[1] = x[0];
  return false;
}

static void start_without_a_value_is_told_apart(void** state) {
  (void)state;
  double x[] = {1, 1};
  assert_int_equal(assemble(2, 1, eval_never, ones2, (bool[]){false, false}, x).answer, ZW_ASSEMBLY_NOT_FINITE);
}

static bool eval_root(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = sqrt(x[0]) - 0.1; /* a full step from 4 ends where there is no root */
  J[0] = 0.5 / sqrt(x[0]);
  return isfinite(r[0]) && isfinite(J[0]);
}

static void steps_out_of_the_domain_are_shortened(void** state) {
  (void)state;
  double x[] = {4};
  assert_int_equal(assemble(1, 1, eval_root, ones2, (bool[]){false}, x).answer, ZW_ASSEMBLED);
  assert_near(x[0], 0.01, 1e-12);
}

static void no_rows_are_no_problem(void** state) {
  (void)state;
  double x[] = {1, 2};
  assert_int_equal(assemble(2, 0, eval_never, ones2, (bool[]){true, false}, x).answer, ZW_ASSEMBLED);
  assert_true(x[0] == 1 && x[1] == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_holds_already_is_not_touched),
      cmocka_unit_test(typed_values_hold_and_free_ones_move),
      cmocka_unit_test(typed_values_move_to_the_nearest_point),
      cmocka_unit_test(nearest_is_measured_by_the_masses),
      cmocka_unit_test(coupled_masses_share_the_move),
      cmocka_unit_test(coordinate_without_mass_counts_euclidean),
      cmocka_unit_test(typed_value_gives_way_when_free_ones_cannot_help),
      cmocka_unit_test(free_values_take_what_they_can),
      cmocka_unit_test(redundant_rows_do_no_harm),
      cmocka_unit_test(rows_in_conflict_keep_their_residuals),
      cmocka_unit_test(circles_that_do_not_meet_are_a_conflict),
      cmocka_unit_test(violated_row_without_a_gradient_is_named),
      cmocka_unit_test(stuck_free_values_are_searched_for),
      cmocka_unit_test(start_without_a_value_is_told_apart),
      cmocka_unit_test(steps_out_of_the_domain_are_shortened),
      cmocka_unit_test(no_rows_are_no_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
