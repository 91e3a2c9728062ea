/* How far coordinates must move to matter to a row: numbers by hand, and the same rows in other units. */
#include "equations/lengths.h"

#include <math.h>

#include "model/stages.h"

enum { N = 3, ROOM = 200 };

/* The lengths of x, y, z in the first constraint of a model, at q. */
static void find(const char* constraint, const double* q, const double* known, double to[N]) {
  char text[600];
  snprintf(text, sizeof text, "param R = 5, s = 1000\ncoord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint %s\n",
           constraint);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  double values[ROOM] = {5, 1000}, v[N] = {0}, none[N] = {0}, room[3][ROOM], local[N];
  int32_t params = s.system.params.count;
  for (int32_t i = 0; i < s.equations.literals.count; i++) values[params + i] = s.equations.literals.items[i];
  assert_true(zw_lengths_room(&s.equations) <= ROOM);
  ZwLengths at = {.values = values,
                  .q = q,
                  .v = v,
                  .size_q = known ? known : none,
                  .size_v = none,
                  .value = room[0],
                  .size = room[1],
                  .length = room[2]};
  for (int32_t i = 0; i < N; i++) to[i] = INFINITY;
  for (int32_t k = 0; k < s.equations.shapes.count; k++) {
    const ZwShape* shape = &s.equations.shapes.items[k];
    if (shape->kind != ZW_SHAPE_CONSTRAINT) continue;
    zw_lengths_find(&at, shape, 0, ZW_OP_COORD, local);
    for (int32_t i = 0; i < shape->coords; i++) to[shape->instance_coords.items[i]] = local[i];
  }
  stages_close(&s);
}

static void assert_lengths(const char* constraint, double x, double y, double z, const double want[N]) {
  double got[N], q[N] = {x, y, z};
  find(constraint, q, NULL, got);
  for (int32_t i = 0; i < N; i++) {
    bool is_same = isinf(want[i]) ? isinf(got[i]) : fabs(got[i] - want[i]) <= 1e-12 * want[i];
    if (!is_same) print_error("%s: length %d is %g, not %g\n", constraint, (int)i, got[i], want[i]);
    assert_true(is_same);
  }
}

static void sums_are_half_their_terms(void** state) {
  (void)state;
  assert_lengths("x + 2*y = 6", 0, 0, 0, (double[N]){3, 1.5, INFINITY});
  assert_lengths("x - y = 0", 4, -2, 0, (double[N]){3, 3, INFINITY});
  assert_lengths("x = y", 0, 0, 0, (double[N]){INFINITY, INFINITY, INFINITY});
}

static void gradients_may_vanish(void** state) {
  (void)state;
  assert_lengths("sqrt(x^2 + y^2) = R", 5, 0, 0, (double[N]){5, 5 * sqrt(3), INFINITY});
  assert_lengths("x^2 + y*y = R^2", 0, 0, 0, (double[N]){sqrt(12.5), sqrt(12.5), INFINITY});
  assert_lengths("R*cos(x) = R", 0, 0, 0, (double[N]){1, INFINITY, INFINITY});
}

static void angles_have_the_size_one(void** state) {
  (void)state;
  assert_lengths("R*cos(x) + 2*R*cos(y) = z", 1, 0, 5, (double[N]){1, 1, 10});
  assert_lengths("R*exp(x/1000) = z", 0, 0, 0, (double[N]){1000, INFINITY, 2.5});
  assert_lengths("atan2(y, x) = 1", 3, 4, 0, (double[N]){5, 5, INFINITY});
}

static void factors_share(void** state) {
  (void)state;
  assert_lengths("x*y = 8", 4, 2, 0, (double[N]){4, 2, INFINITY});
  assert_lengths("x/y = z", 6, 3, 0, (double[N]){3, 3 * 0.5, 1});
}

static void known_sizes_stand_for_zeros(void** state) {
  (void)state;
  double got[N], q[N] = {0}, known[N] = {7, 0, 0};
  find("x = 2*y", q, known, got);
  assert_true(fabs(got[1] - 1.75) < 1e-15);
  assert_true(isinf(got[2]));
}

/* With x written as 1000 X, y as Y/1000, and the row multiplied. */
static void units_do_not_matter(void** state) {
  (void)state;
  const char* rows[][2] = {
      {"sqrt(x^2 + y^2) + x*y/R = R*sin(z)", "1e-8*(sqrt((s*x)^2 + (y/s)^2) + (s*x)*(y/s)/R) = 1e-8*(R*sin(z))"},
      {"x^3/(y + 1) - cos(z)/y = 2*R", "3e20*((s*x)^3/(y/s + 1) - cos(z)/(y/s)) = 3e20*(2*R)"},
      {"exp(x/R)*y + hypot(x, y) = z", "7*(exp(s*x/R)*(y/s) + hypot(s*x, y/s)) = 7*z"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double q[N] = {2, 0.3, 0.7}, other[N] = {2e-3, 300, 0.7}, one[N], two[N];
    find(rows[k][0], q, NULL, one);
    find(rows[k][1], other, NULL, two);
    assert_true(fabs(two[0] * 1e3 / one[0] - 1) < 1e-9);
    assert_true(fabs(two[1] / 1e3 / one[1] - 1) < 1e-9);
    assert_true(fabs(two[2] / one[2] - 1) < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_half_their_terms),   cmocka_unit_test(gradients_may_vanish),
      cmocka_unit_test(angles_have_the_size_one),    cmocka_unit_test(factors_share),
      cmocka_unit_test(known_sizes_stand_for_zeros), cmocka_unit_test(units_do_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
