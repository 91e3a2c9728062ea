/* A motion through the rows of a table. */
#include "../numbers.h"

#include "base/alloc.h"
#include "motion/track.h"

enum { ROWS = 21 };

typedef struct Table {
  double t[ROWS], q[ROWS], v[ROWS], a[ROWS];
} Table;

typedef struct Value {
  double q, v, a;
} Value;

static Value power(double t, int degree) {
  double x = t - 0.3;
  return (Value){pow(x, degree), degree * pow(x, degree - 1), degree * (degree - 1) * pow(x, degree - 2)};
}

static Value swing(double t, int unused) {
  (void)unused;
  return (Value){sin(3 * t) + 2, 3 * cos(3 * t), -9 * sin(3 * t)};
}

/* Times that are not equally far apart. */
static void fill(Table* table, Value (*of)(double, int), int degree, double span) {
  for (int i = 0; i < ROWS; i++) {
    table->t[i] = span * (i + 0.3 * sin(i)) / (ROWS - 1);
    Value value = of(table->t[i], degree);
    table->q[i] = value.q;
    table->v[i] = value.v;
    table->a[i] = value.a;
  }
}

static double worst_acceleration(const Table* table, int given, Value (*of)(double, int), int degree) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  double size = 1;
  ZwTrackColumn column = {table->q, given > 1 ? table->v : NULL, given > 2 ? table->a : NULL};
  ZwTrack track;
  assert_int_equal(zw_track_build(&track, &arena, ROWS, table->t, 1, &column, &size), ZW_OK);
  double worst = 0;
  for (int k = 0; k <= 1000; k++) {
    double t = table->t[0] + (table->t[ROWS - 1] - table->t[0]) * k / 1000, q, v, a;
    zw_track_at(&track, 0, t, &q, &v, &a);
    worst = fmax(worst, fabs(a - of(t, degree).a));
  }
  for (int i = 0; i < ROWS; i++) { /* what is given is met to the last bit */
    double q, v, a;
    zw_track_at(&track, 0, table->t[i], &q, &v, &a);
    assert_near(q, table->q[i], 0);
    if (given > 1) assert_near(v, table->v[i], 0);
    if (given > 2) assert_near(a, table->a[i], 0);
  }
  zw_arena_destroy(&arena);
  return worst;
}

/* Polynomials that the interpolation holds come out exact, at the ends too. */
static void polynomials_are_exact(void** state) {
  (void)state;
  for (int given = 1; given <= 3; given++) {
    for (int degree = 2; degree <= 9; degree++) {
      Table table;
      fill(&table, power, degree, 1);
      double worst = worst_acceleration(&table, given, power, degree);
      if (!(worst < 1e-8)) print_message("%d given, degree %d: off by %g\n", given, degree, worst);
      assert_true(worst < 1e-8);
    }
  }
}

/* Rows twice as dense make the acceleration better by the order: 8 in the middle, where velocities are given. */
static void denser_rows_are_better(void** state) {
  (void)state;
  for (int given = 1; given <= 3; given++) {
    Table wide, dense;
    fill(&wide, swing, 0, 4);
    fill(&dense, swing, 0, 2);
    double before = worst_acceleration(&wide, given, swing, 0), behind = worst_acceleration(&dense, given, swing, 0);
    assert_true(behind < before / 100);
    assert_true(behind < (given == 1 ? 1e-3 : 1e-6));
  }
}

/* Five rows are enough. */
static void few_rows(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  double t[] = {0, 1, 2, 3, 4}, q[] = {0, 1, 4, 9, 16}, size = 1, x, v, a;
  ZwTrackColumn column = {.q = q};
  ZwTrack track;
  assert_int_equal(zw_track_build(&track, &arena, ZW_TRACK_ROWS, t, 1, &column, &size), ZW_OK);
  zw_track_at(&track, 0, 2.5, &x, &v, &a);
  assert_near(x, 6.25, 1e-13);
  assert_near(v, 5, 1e-13);
  assert_near(a, 2, 1e-12);
  zw_arena_destroy(&arena);
}

/* How sure accelerations are does not depend on the units of lengths and times. */
static void doubt_has_no_units(void** state) {
  (void)state;
  double wanted = 0;
  for (int length = -9; length <= 9; length += 9) {
    for (int time = -6; time <= 6; time += 6) {
      ZwAllocator allocator = zw_allocator_default();
      ZwArena arena;
      zw_arena_init(&arena, &allocator);
      Table table;
      fill(&table, swing, 0, 4);
      double L = pow(10, length), T = pow(10, time), size = L / (T * T);
      for (int i = 0; i < ROWS; i++) table.t[i] *= T, table.q[i] *= L;
      ZwTrackColumn column = {.q = table.q};
      ZwTrack track;
      assert_int_equal(zw_track_build(&track, &arena, ROWS, table.t, 1, &column, &size), ZW_OK);
      if (wanted == 0) wanted = track.doubt;
      assert_true(track.doubt > 0);
      assert_near(track.doubt, wanted, 1e-3 * wanted);
      zw_arena_destroy(&arena);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(polynomials_are_exact), cmocka_unit_test(denser_rows_are_better),
                                     cmocka_unit_test(few_rows), cmocka_unit_test(doubt_has_no_units)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
