#include "least/balance.h"

#include "../numbers.h"

enum { N = 9 };

typedef struct Balanced {
  double unit[N], length[N], work[6 * N + N * N];
} Balanced;

static Balanced balance(const ZwEntries* entries) {
  Balanced b;
  assert_true(zw_balance_work(entries) <= sizeof b.work / sizeof b.work[0]);
  zw_balance(entries, b.unit, b.length, b.work);
  return b;
}

/* Whatever units rows and coordinates have: in the units that are found, entries are what they were, to some factor of two. */
static void units_are_found(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int round = 0; round < 300; round++) {
    int32_t m = random_int(&random, 1, N), n = random_int(&random, 1, N);
    double most[N * N], mass[N], row[N], column[N];
    for (int32_t j = 0; j < n; j++) {
      column[j] = pow(10, 9 * random_number(&random));
      mass[j] = column[j] * column[j];
    }
    for (int32_t i = 0; i < m; i++) row[i] = pow(10, 100 * random_number(&random));
    for (int32_t k = 0; k < m * n; k++) most[k] = (1.5 + 0.5 * random_number(&random)) * row[k / n] * column[k % n];
    ZwEntries entries = {.m = m, .n = n, .most = most, .mass = mass};
    Balanced b = balance(&entries);
    for (int32_t k = 0; k < m * n; k++) {
      double part = most[k] * b.unit[k % n] / b.length[k / n] * sqrt(n);
      assert_true(part > 0.1 && part < 10);
    }
    assert_false(zw_balance_differs(&entries, b.unit));
  }
}

/* A light knot in a line with something heavy below it: by the masses the two rows are the same but for 1e-12. */
static void masses_hide_nothing(void** state) {
  (void)state;
  const double most[4] = {1, 0, 1, 1}, mass[2] = {1e-12, 1e12};
  ZwEntries entries = {.m = 2, .n = 2, .most = most, .mass = mass};
  Balanced b = balance(&entries);
  assert_near(b.unit[0], b.unit[1], 0);
  assert_true(zw_balance_differs(&entries, b.unit));
}

/* What is small in every unit is left of something that vanishes, and is not made large. */
static void what_vanishes_stays_small(void** state) {
  (void)state;
  const double most[6] = {1, 2, 1e-9, 3, 1, 1e-16}, mass[3] = {1, 1, 1};
  ZwEntries entries = {.m = 2, .n = 3, .most = most, .mass = mass};
  Balanced b = balance(&entries);
  assert_true(b.unit[2] == 0);
  /* in units of a coordinate that is so large it is an entry like others */
  const double light[3] = {1, 1, 1e-18};
  entries.mass = light;
  b = balance(&entries);
  assert_true(b.unit[2] > 1e7);
}

static void empty_rows_have_a_length(void** state) {
  (void)state;
  const double most[4] = {0, 0, 1e-200, 1e-200};
  ZwEntries entries = {.m = 2, .n = 2, .most = most};
  Balanced b = balance(&entries);
  assert_near(b.length[0], 1, 0);
  assert_true(b.length[1] > 0);
  /* entries at places */
  const int32_t begin[3] = {0, 1, 2}, column[2] = {1, 0};
  const double few[2] = {4, 1e9};
  ZwEntries sparse = {.m = 2, .n = 2, .begin = begin, .column = column, .most = few};
  b = balance(&sparse);
  assert_near(few[0] * b.unit[1] / b.length[0], 1, 1e-15);
  assert_near(few[1] * b.unit[0] / b.length[1], 1, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_found),
      cmocka_unit_test(masses_hide_nothing),
      cmocka_unit_test(what_vanishes_stays_small),
      cmocka_unit_test(empty_rows_have_a_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
