#include "motion/moving.h"

/* The numbers of the rows frozen at a level, as text. */
static void assert_rows(const Moving* m, ZwLevel level, int32_t candidates, const char* want) {
  const ZwRowSet* set = &m->sim->sets[level];
  char got[100] = "", *at = got;
  for (int32_t i = 0; i < set->count; i++) at += sprintf(at, "%s%d", i ? "," : "", (int)set->rows[i]);
  assert_int_equal(set->candidates, candidates);
  assert_string_equal(got, want);
}

static void each_level_has_its_own_rows(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m,
                "coord x, y, z, u\nkinetic x'^2 + y'^2 + z'^2 + u'^2\n"
                "constraint a: x'' = 0\nconstraint b: y = 0\nconstraint c: z' = 0\n",
                0, 1e-8);
  assert_rows(&m, ZW_LEVEL_POSITION, 1, "1");
  assert_rows(&m, ZW_LEVEL_VELOCITY, 2, "1,2");
  assert_rows(&m, ZW_LEVEL_ACCELERATION, 3, "0,1,2");
  moving_close(&m);
}

/* The same condition at two levels: redundant for accelerations, yet both its position and its velocity are kept. */
static void position_and_its_own_rate_are_both_kept(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x = 0\nconstraint b: x' = 0\n", 0, 1e-8);
  assert_rows(&m, ZW_LEVEL_POSITION, 1, "0");
  assert_int_equal(m.sim->sets[ZW_LEVEL_VELOCITY].count, 1);
  assert_int_equal(m.sim->sets[ZW_LEVEL_VELOCITY].candidates, 2);
  assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, 1);
  moving_close(&m);
}

static void repeated_rows_are_left_out_and_named(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, PENDULUM "constraint again: 3*x^2 + 3*y^2 = 3*l^2\n", 0, 1e-8);
  assert_int_equal(m.sim->sets[ZW_LEVEL_POSITION].count, 1);
  assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, 1);
  bool is_noted = false;
  for (int32_t i = 0; i < m.s.diags.list.count; i++) {
    is_noted = is_noted || strstr(m.s.diags.list.items[i].text, "redundant");
  }
  assert_true(is_noted);
  moving_close(&m);
}

/* z = 0 follows from the other two together, not from one. */
static void row_that_follows_from_two_is_found(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m,
                "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                "constraint a: x + y = 0\nconstraint b: x - y = 0\nconstraint c: 5*x = 0\n",
                0, 1e-8);
  assert_int_equal(m.sim->sets[ZW_LEVEL_POSITION].count, 2);
  assert_int_equal(m.sim->m, 3);
  moving_close(&m);
}

static void review_keeps_rows_that_serve(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, PENDULUM "constraint again: 3*x^2 + 3*y^2 = 3*l^2\n", 0, 1e-8);
  int32_t row = m.sim->sets[ZW_LEVEL_ACCELERATION].rows[0];
  double q[] = {0, -1}, v[] = {1, 0};
  assert_true(zw_eval_acceleration(m.sim, 0, q, v));
  bool has_lost = true;
  assert_int_equal(zw_rows_review(m.sim, 1, false, &has_lost), ZW_OK);
  assert_false(has_lost);
  assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, 1);
  assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].rows[0], row);
  moving_close(&m);
}

/* Two rods hinged together fold flat: x*y = 0 and x + y = 0 lose rank where both vanish. */
static void lost_rank_is_seen(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x = 2, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint a: x*y = 0\nconstraint b: y + z = 0\n",
                0, 1e-8);
  assert_int_equal(m.sim->sets[ZW_LEVEL_POSITION].count, 2);
  double q[] = {0, 0, 0}, v[] = {0, 0, 0};
  assert_true(zw_eval_acceleration(m.sim, 0, q, v));
  bool has_lost = false;
  assert_int_equal(zw_rows_review(m.sim, 0, false, &has_lost), ZW_OK);
  assert_true(has_lost);
  assert_false(m.sim->has_next_sets); /* not believed yet */
  assert_int_equal(zw_rows_review(m.sim, 0, true, &has_lost), ZW_OK);
  assert_true(m.sim->has_next_sets);
  assert_int_equal(m.sim->sets[ZW_LEVEL_POSITION].count, 2); /* frozen until the step is taken */
  zw_rows_take_next(m.sim);
  assert_int_equal(m.sim->sets[ZW_LEVEL_POSITION].count, 1);
  moving_close(&m);
}

/* Scales are the largest size a row ever had, so that a row that vanishes is seen to vanish. */
static void scales_only_grow(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, PENDULUM, 0, 1e-8);
  double before = m.sim->scale[0];
  assert_near(before, 2, 1e-12); /* the gradient (2, 0) in the metric of unit masses */
  double q[] = {10, 0}, v[] = {0, 0};
  assert_true(zw_eval_acceleration(m.sim, 0, q, v));
  assert_int_equal(zw_rows_decide(m.sim), ZW_OK);
  assert_near(m.sim->scale[0], 20, 1e-12);
  q[0] = 0.1;
  assert_true(zw_eval_acceleration(m.sim, 0, q, v));
  assert_int_equal(zw_rows_decide(m.sim), ZW_OK);
  assert_near(m.sim->scale[0], 20, 1e-12);
  moving_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_level_has_its_own_rows),
      cmocka_unit_test(position_and_its_own_rate_are_both_kept),
      cmocka_unit_test(repeated_rows_are_left_out_and_named),
      cmocka_unit_test(row_that_follows_from_two_is_found),
      cmocka_unit_test(review_keeps_rows_that_serve),
      cmocka_unit_test(lost_rank_is_seen),
      cmocka_unit_test(scales_only_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
