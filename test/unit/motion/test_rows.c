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

/* ---- units and masses ---- */

static bool has_note(const Moving* m, const char* words) {
  for (int32_t i = 0; i < m->s.diags.list.count; i++) {
    if (strstr(m->s.diags.list.items[i].text, words)) return true;
  }
  return false;
}

/* A row may be written in any unit, beside others in any: a double pendulum has two rods. */
static void units_of_rows_do_not_matter(void** state) {
  (void)state;
  for (int e = -100; e <= 100; e += e >= -20 && e < 20 ? 1 : 10) {
    for (int both = 0; both < 2; both++) {
      char text[400];
      Moving m;
      sprintf(text,
              "param s = 1e%d, r = %s\ncoord P = (1, 0), Q = (2, 0)\nkinetic 1/2*P'^2 + 1/2*Q'^2\npotential 9.81*(P.y "
              "+ Q.y)\n"
              "constraint a: r*norm(P) = r\nconstraint b: s*norm(P - Q) = s\n",
              e, both ? "s" : "1");
      assert_starts(&m, text, 0, 1e-9);
      assert_rows(&m, ZW_LEVEL_ACCELERATION, 2, "0,1");
      assert_int_equal(m.s.diags.list.count, 0);
      /* from a line in the horizontal all fall alike */
      assert_near(m.sim->a[0], 0, 1e-13);
      assert_near(m.sim->a[1], -9.81, 1e-13);
      assert_near(m.sim->a[2], 0, 1e-13);
      assert_near(m.sim->a[3], -9.81, 1e-13);
      moving_close(&m);
    }
  }
}

/* What repeats another row is found, whatever it is multiplied by. */
static void multiples_are_still_found(void** state) {
  (void)state;
  for (int e = -100; e <= 100; e += 20) {
    char text[400];
    Moving m;
    sprintf(text, PENDULUM "constraint again: 3e%d*(x^2 + y^2) = 3e%d*l^2\n", e, e);
    assert_starts(&m, text, 0, 1e-8);
    assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, 1);
    assert_true(has_note(&m, "is redundant: it repeats"));
    moving_close(&m);
  }
}

/* A drive of something heavy beside a ring of something light; and heavy things that light ones hold. */
static void masses_do_not_matter(void** state) {
  (void)state;
  for (double heavy = 1; heavy < 1e25; heavy *= 100) {
    for (int k = 0; k < 3; k++) {
      static const char* rows[] = {
          "constraint drive: X = 0.1*sin(2*t)\nconstraint ring: norm(P) = 1\nstart X' = 0.2\n",
          "constraint ring: norm(P) = 1\nconstraint hold: norm(Q - P) = 1\n",
          "constraint ring: norm(P) = 1\nconstraint hold: norm(Q - P) = 1\nconstraint arm: P.y = X\nstart X = -1\n",
      };
      char text[500];
      Moving m;
      sprintf(text,
              "param M = %.17g, m = 1e-3\ncoord X, P = (0, -1), Q = (0, -2)\n"
              "kinetic 1/2*M*X'^2 + 1/2*m*P'^2 + 1/2*M*Q'^2\n%s",
              heavy, rows[k]);
      assert_starts(&m, text, 0, 1e-9);
      assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, m.sim->m);
      assert_false(has_note(&m, "redundant"));
      moving_close(&m);
    }
  }
}

/* Against what it has been a row vanishes, in whatever unit it is written. */
static void what_vanishes_is_seen_to_vanish(void** state) {
  (void)state;
  for (int e = -90; e <= 90; e += 30) {
    char text[300];
    Moving m;
    sprintf(
        text,
        "param s = 1e%d\ncoord x = 1, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint a: y = 0\nconstraint b: s*x*z = 0\n",
        e);
    assert_starts(&m, text, 0, 1e-9);
    assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, 2);
    for (int k = 0; k < 4; k++) {
      const double q[3] = {k == 0 ? 1e-3 : k == 1 ? 1e-8 : k == 2 ? 1e-16 : 0, 0, 0};
      assert_true(zw_eval_acceleration(m.sim, 0, q, m.sim->zero));
      assert_int_equal(zw_rows_rank(m.sim), ZW_OK);
      assert_int_equal(m.sim->rank->rank, k == 0 ? 2 : 1);
    }
    moving_close(&m);
  }
}

/* Forces that undo each other at a mass leave their rounding, not that of what is left of them. */
static void rounding_is_that_of_all_forces(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m,
                "param F = 1e10\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\nconstraint left: x'' = 0\n"
                "constraint right: x'' - y'' = 0\nforce x = F\nforce y = -F\n",
                0, 1e-9);
  double net = fabs(m.sim->h[0]) + fabs(m.sim->Qc[0]);
  m.sim->lambda[0] = 1e16;
  m.sim->lambda[1] = -1e16;
  const double* largest = zw_rows_largest(m.sim);
  assert_true(largest[0] > ZW_ROUND_OFF * 2.2e-16 / ZW_TOL_CONSISTENT * 1e16);
  assert_true(net < 1e12);
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
      cmocka_unit_test(units_of_rows_do_not_matter),
      cmocka_unit_test(multiples_are_still_found),
      cmocka_unit_test(masses_do_not_matter),
      cmocka_unit_test(what_vanishes_is_seen_to_vanish),
      cmocka_unit_test(rounding_is_that_of_all_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
