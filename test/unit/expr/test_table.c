/* Splines against their definition: through the points, twice smooth, straight at both ends; and against another way to
 * find the bends, Gauss elimination of the full system in long double. */
#include "expr/table.h"

#include <string.h>

#include "../numbers.h"

enum { POINTS_MAX = 40 };

typedef struct Fixture {
  ZwArena arena;
  ZwTable table;
} Fixture;

static void open_fixture(Fixture* f, const double* x, const double* y, int32_t count) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  assert_true(zw_table_build(&f->table, &f->arena, x, y, count, false));
}

static void close_fixture(Fixture* f) {
  zw_arena_destroy(&f->arena);
}

/* The bends s: s_0 = s_n = 0, (h_i s_(i-1) + 2 (h_i + h_(i+1)) s_i + h_(i+1) s_(i+1))/6 = jump of the chords' slopes. */
static void solve_bends(const double* x, const double* y, int n, long double* s) {
  static long double A[POINTS_MAX][POINTS_MAX + 1];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= n; j++) A[i][j] = 0;
    if (i == 0 || i == n - 1) {
      A[i][i] = 1;
      continue;
    }
    long double left = (long double)x[i] - x[i - 1], right = (long double)x[i + 1] - x[i];
    A[i][i - 1] = left / 6;
    A[i][i] = (left + right) / 3;
    A[i][i + 1] = right / 6;
    A[i][n] = ((long double)y[i + 1] - y[i]) / right - ((long double)y[i] - y[i - 1]) / left;
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      long double factor = A[i][k] / A[k][k];
      for (int j = k; j <= n; j++) A[i][j] -= factor * A[k][j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    s[i] = A[i][n];
    for (int j = i + 1; j < n; j++) s[i] -= A[i][j] * s[j];
    s[i] /= A[i][i];
  }
}

/* The spline of the textbook, from the bends at both ends of an interval. */
static long double textbook(const double* x, const double* y, const long double* s, int i, long double at, int order) {
  long double h = (long double)x[i + 1] - x[i], a = (x[i + 1] - at) / h, b = (at - x[i]) / h;
  switch (order) {
    case 0:
      return a * y[i] + b * y[i + 1] + ((a * a * a - a) * s[i] + (b * b * b - b) * s[i + 1]) * h * h / 6;
    case 1:
      return ((long double)y[i + 1] - y[i]) / h + ((3 * b * b - 1) * s[i + 1] - (3 * a * a - 1) * s[i]) * h / 6;
    case 2:
      return a * s[i] + b * s[i + 1];
    default:
      return (s[i + 1] - s[i]) / h;
  }
}

static void spline_is_the_natural_one(void** state) {
  (void)state;
  Random random = random_from(41);
  for (int trial = 0; trial < 200; trial++) {
    double x[POINTS_MAX], y[POINTS_MAX];
    int n = random_int(&random, 2, POINTS_MAX);
    x[0] = 3 * random_number(&random);
    for (int i = 0; i < n; i++) {
      if (i > 0) x[i] = x[i - 1] + 0.05 + fabs(random_number(&random));
      y[i] = random_number(&random);
    }
    long double s[POINTS_MAX], size[4] = {1, 0, 0, 0};
    solve_bends(x, y, n, s);
    for (int i = 0; i + 1 < n; i++) {
      for (int k = 1; k < 4; k++) size[k] = fmaxl(size[k], fabsl(textbook(x, y, s, i, x[i], k)));
    }
    Fixture f;
    open_fixture(&f, x, y, n);
    for (int i = 0; i + 1 < n; i++) {
      for (int k = 0; k < 5; k++) {
        double at = x[i] + (x[i + 1] - x[i]) * (0.1 + 0.2 * k);
        for (int order = 0; order <= 3; order++) {
          double want = (double)textbook(x, y, s, i, at, order);
          assert_near(zw_table_eval(&f.table, at, order), want, 1e-12 * (double)(1 + size[order]));
        }
      }
    }
    /* through the points, without a jump of value, slope or bend, and not bent at the ends */
    for (int i = 0; i < n; i++) {
      assert_near(zw_table_eval(&f.table, x[i], 0), y[i], 1e-14);
      if (i == 0 || i == n - 1) continue;
      double before = nextafter(x[i], x[i - 1]);
      for (int order = 0; order <= 2; order++) {
        assert_near(zw_table_eval(&f.table, x[i], order), zw_table_eval(&f.table, before, order),
                    1e-11 * (double)(1 + size[order]));
      }
    }
    assert_near(zw_table_eval(&f.table, x[0], 2), 0, 1e-12 * (double)(1 + size[2]));
    assert_near(zw_table_eval(&f.table, x[n - 1], 2), 0, 1e-12 * (double)(1 + size[2]));
    close_fixture(&f);
  }
}

static void straight_lines_are_exact(void** state) {
  (void)state;
  const double x[] = {-1, 0, 0.25, 3, 10}, y[] = {5, 3, 2.5, -3, -17}; /* 3 - 2 x */
  Fixture f;
  open_fixture(&f, x, y, 5);
  for (double at = -1; at <= 10; at += 0.125) {
    assert_near(zw_table_eval(&f.table, at, 0), 3 - 2 * at, 1e-14);
    assert_near(zw_table_eval(&f.table, at, 1), -2, 1e-14);
    assert_near(zw_table_eval(&f.table, at, 2), 0, 1e-14);
    assert_near(zw_table_eval(&f.table, at, 3), 0, 1e-14);
  }
  close_fixture(&f);
}

static void two_points_are_a_line(void** state) {
  (void)state;
  const double x[] = {1, 2}, y[] = {10, 30};
  Fixture f;
  open_fixture(&f, x, y, 2);
  assert_near(zw_table_eval(&f.table, 1, 0), 10, 0);
  assert_near(zw_table_eval(&f.table, 1.25, 0), 15, 1e-14);
  assert_near(zw_table_eval(&f.table, 2, 0), 30, 1e-14);
  assert_near(zw_table_eval(&f.table, 1.5, 1), 20, 1e-14);
  close_fixture(&f);
}

/* Error of order h^4 inside, where the function bends at the ends like the spline: sin on 0 .. 2 pi. */
static void fine_tables_come_near_their_function(void** state) {
  (void)state;
  enum { MANY = 2001 };
  double x[MANY], y[MANY], turn = 2 * acos(-1.0);
  for (int i = 0; i < MANY; i++) {
    x[i] = turn * i / (MANY - 1);
    y[i] = sin(x[i]);
  }
  Fixture f;
  open_fixture(&f, x, y, MANY);
  for (double at = 0.0007; at < turn; at += 0.0123) {
    assert_near(zw_table_eval(&f.table, at, 0), sin(at), 1e-12);
    assert_near(zw_table_eval(&f.table, at, 1), cos(at), 1e-8);
    assert_near(zw_table_eval(&f.table, at, 2), -sin(at), 2e-6);
  }
  close_fixture(&f);
}

static void outside_there_is_nothing(void** state) {
  (void)state;
  const double x[] = {1, 2, 4}, y[] = {1, 0, 1};
  Fixture f;
  open_fixture(&f, x, y, 3);
  const double outside[] = {1 - 1e-8, 0, -INFINITY, 4 + 1e-8, 5, INFINITY, NAN};
  for (int i = 0; i < 7; i++) {
    for (int order = 0; order <= 3; order++) assert_true(isnan(zw_table_eval(&f.table, outside[i], order)));
  }
  assert_true(isfinite(zw_table_eval(&f.table, 1, 0)) && isfinite(zw_table_eval(&f.table, 4, 0)));
  close_fixture(&f);
}

/* What a step holds of a table: the interval, and its cubic also beyond its ends. */
static void intervals_can_be_asked_for(void** state) {
  (void)state;
  const double x[] = {1, 2, 4}, y[] = {1, 0, 1}, at[] = {0.9, 1, 1.9, 2, 3, 4, 4.1};
  const int interval[] = {-1, 0, 0, 1, 1, 1, 2};
  Fixture f;
  open_fixture(&f, x, y, 3);
  for (int i = 0; i < 7; i++) assert_true(zw_table_eval(&f.table, at[i], ZW_TABLE_INTERVAL) == interval[i]);
  assert_true(isnan(zw_table_eval(&f.table, NAN, ZW_TABLE_INTERVAL)));
  for (int i = -1; i <= 2; i++) {
    int inside = i < 0 ? 0 : i > 1 ? 1 : i; /* the neighbour stands for what is outside */
    double begin = zw_table_eval(&f.table, i, ZW_TABLE_BEGIN), width = zw_table_eval(&f.table, i, ZW_TABLE_WIDTH), c[4];
    assert_true(begin == x[inside] && width == x[inside + 1] - x[inside]);
    for (int k = 0; k < 4; k++) c[k] = zw_table_eval(&f.table, i, ZW_TABLE_C0 + k);
    for (double u = 0; u <= width; u += 0.125) {
      assert_near(c[0] + u * (c[1] + u * (c[2] + u * c[3])), zw_table_eval(&f.table, begin + u, 0), 1e-15);
    }
  }
  close_fixture(&f);
}

static void table_keeps_its_own_points(void** state) {
  (void)state;
  double x[] = {1, 2, 4}, y[] = {1, 0, 1};
  Fixture f;
  open_fixture(&f, x, y, 3);
  double before = zw_table_eval(&f.table, 1.5, 0);
  x[1] = y[1] = 99;
  assert_true(zw_table_eval(&f.table, 1.5, 0) == before);
  close_fixture(&f);
}

static void no_memory_is_no_table(void** state) {
  (void)state;
  const double x[] = {1, 2}, y[] = {1, 2};
  Fixture f;
  open_fixture(&f, x, y, 2);
  f.arena.failed = true;
  ZwTable table;
  assert_false(zw_table_build(&table, &f.arena, x, y, 2, false));
  close_fixture(&f);
}

/* At the seam of a periodic spline value, slope and bend are continuous too; far turns are the first one again, and its intervals
 * are numbered on. */
static void periodic_splines_close(void** state) {
  (void)state;
  const double x[] = {1, 1.5, 2.5, 3, 4.25}, y[] = {0.5, 2, -1, 0.25, 0.5};
  for (int32_t count = 2; count <= 5; count++) {
    double ends[5];
    memcpy(ends, y, sizeof ends);
    ends[count - 1] = ends[0];
    ZwAllocator allocator = zw_allocator_default();
    Fixture f;
    zw_arena_init(&f.arena, &allocator);
    assert_true(zw_table_build(&f.table, &f.arena, x, ends, count, true));
    double period = x[count - 1] - x[0], tiny = 1e-7;
    for (int32_t i = 0; i < count; i++) {
      for (int turn = -2; turn <= 2; turn++) {
        double at = x[i] + turn * period;
        assert_near(zw_table_eval(&f.table, at, 0), ends[i], 1e-13);
        for (int order = 0; order <= 2; order++) {
          double before = zw_table_eval(&f.table, at - tiny, order), after = zw_table_eval(&f.table, at + tiny, order);
          assert_near(before, after, 1e-4);
        }
      }
    }
    for (double at = x[0]; at < x[count - 1]; at += 0.0625) {
      for (int order = 0; order <= 3; order++) {
        double first = zw_table_eval(&f.table, at + 1e-6, order);
        assert_near(zw_table_eval(&f.table, at + 1e-6 + 7 * period, order), first, 1e-8);
        assert_near(zw_table_eval(&f.table, at + 1e-6 - 3 * period, order), first, 1e-8);
      }
      double number = zw_table_eval(&f.table, at + 1e-6 - 3 * period, ZW_TABLE_INTERVAL);
      assert_near(number, zw_table_eval(&f.table, at + 1e-6, ZW_TABLE_INTERVAL) - 3 * (count - 1), 0);
      double begin = zw_table_eval(&f.table, number, ZW_TABLE_BEGIN);
      assert_true(begin <= at + 1e-5 - 3 * period &&
                  begin + zw_table_eval(&f.table, number, ZW_TABLE_WIDTH) >= at - 3 * period);
    }
    assert_true(isnan(zw_table_eval(&f.table, NAN, 0)) && isnan(zw_table_eval(&f.table, INFINITY, 0)));
    close_fixture(&f);
  }
}

/* What rounding leaves beyond an end still has a value. */
static void ends_reach_as_far_as_rounding(void** state) {
  (void)state;
  const double x[] = {0, 1, 2}, y[] = {1, 3, 2};
  Fixture f;
  open_fixture(&f, x, y, 3);
  assert_near(zw_table_eval(&f.table, -2e-12, 0), 1, 1e-11);
  assert_near(zw_table_eval(&f.table, 2 + 2e-12, 0), 2, 1e-11);
  assert_near(zw_table_eval(&f.table, -2e-12, ZW_TABLE_INTERVAL), 0, 0);
  assert_near(zw_table_eval(&f.table, 2 + 2e-12, ZW_TABLE_INTERVAL), 1, 0);
  assert_true(isnan(zw_table_eval(&f.table, -1e-8, 0)) && isnan(zw_table_eval(&f.table, 2 + 1e-8, 0)));
  close_fixture(&f);
}

/* The same table, counted from elsewhere and read from elsewhere: each time to the last bit. */
static void far_places_keep_their_digits(void** state) {
  (void)state;
  static const double x[] = {0, 0.125, 0.3, 0.5}, y[] = {1, -2, 0.5, 1};
  static const double origins[] = {0, 1e6, -1e9, 1.7e9, 1e15};
  for (int periodic = 0; periodic <= 1; periodic++) {
    for (int k = 0; k < 5; k++) {
      Fixture f;
      ZwAllocator allocator = zw_allocator_default();
      zw_arena_init(&f.arena, &allocator);
      assert_true(zw_table_build(&f.table, &f.arena, x, y, 4, periodic));
      ZwTables near = {0}, far = {0};
      assert_true(ZW_PUSH(&f.arena, &near.list, f.table) && ZW_PUSH(&f.arena, &far.list, f.table));
      far.list.items[0].origin = origins[k];
      for (int i = 0; i <= 100; i++) {
        double s = 0.005 * i;
        for (int order = 0; order <= ZW_TABLE_INTERVAL; order++) {
          double code = zw_table_code(0, order), want = zw_table_eval(&f.table, s, order);
          assert_true(zw_table_eval_from(&near, s, 0, code) == want);
          assert_true(zw_table_eval_from(&far, s, origins[k], code) == want);
          /* whole periods further on, of 0.5 each: the table itself is near */
          if (!periodic || order == ZW_TABLE_INTERVAL) continue;
          assert_near(zw_table_eval_from(&near, s, origins[k], code), want, 1e-12 * (1 + fabs(want)));
        }
      }
      double interval = zw_table_eval_from(&near, 0.2, periodic ? origins[k] : 0, zw_table_code(0, ZW_TABLE_INTERVAL));
      double since = zw_table_eval_from(&near, interval, periodic ? origins[k] : 0, zw_table_code(0, ZW_TABLE_SINCE));
      assert_near(since, -0.125, 0);
      close_fixture(&f);
    }
  }
}

static void bounds_hold_all_values(void** state) {
  (void)state;
  static const double x[] = {0, 0.125, 0.25, 0.375, 0.5}, y[] = {0, 2, -1, 0.5, 0};
  enum { PLACES = 41, FINE = 200 };
  for (int periodic = 0; periodic <= 1; periodic++) {
    Fixture f;
    ZwAllocator allocator = zw_allocator_default();
    zw_arena_init(&f.arena, &allocator);
    assert_true(zw_table_build(&f.table, &f.arena, x, y, 5, periodic));
    for (int i = 0; i < PLACES; i++) {
      for (int k = i; k < PLACES; k++) {
        double low = -0.25 + 0.03 * i, high = -0.25 + 0.03 * k, widest = 0;
        ZwTableBounds bounds = {0};
        double cells = zw_table_range(&f.table, low, high, &bounds);
        double least = bounds.least, most = bounds.most;
        bool is_inside = periodic || (low <= 0.5 && high >= 0);
        assert_true(is_inside == (cells > 0));
        for (int j = 0; j <= FINE && is_inside; j++) {
          double value = zw_table_eval(&f.table, low + (high - low) * j / FINE, 0);
          if (isnan(value)) continue; /* outside of the points */
          assert_true(value >= least - 1e-13 && value <= most + 1e-13);
          widest = fmax(widest, fabs(value));
        }
        if (!is_inside) continue;
        double from = periodic ? low : fmax(low, 0), to = periodic ? high : fmin(high, 0.5);
        double first = zw_table_eval(&f.table, from, ZW_TABLE_INTERVAL);
        assert_true(cells == zw_table_eval(&f.table, to, ZW_TABLE_INTERVAL) - first + 1);
        assert_true(most - least <= 8 && fmax(fabs(least), fabs(most)) >= widest - 1e-13);
      }
    }
    close_fixture(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spline_is_the_natural_one),    cmocka_unit_test(straight_lines_are_exact),
      cmocka_unit_test(two_points_are_a_line),        cmocka_unit_test(fine_tables_come_near_their_function),
      cmocka_unit_test(outside_there_is_nothing),     cmocka_unit_test(intervals_can_be_asked_for),
      cmocka_unit_test(table_keeps_its_own_points),   cmocka_unit_test(no_memory_is_no_table),
      cmocka_unit_test(periodic_splines_close),       cmocka_unit_test(ends_reach_as_far_as_rounding),
      cmocka_unit_test(far_places_keep_their_digits), cmocka_unit_test(bounds_hold_all_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
