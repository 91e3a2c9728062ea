/* The consistent start: what is exact, what is typed, what is a guess, and what contradicts. */
#include "motion/moving.h"

#define RING "coord x = 1, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint ring: x^2 + y^2 = 1\n"

static double q_of(const Moving* m, int32_t i) {
  return m->sim->y[i];
}

static double v_of(const Moving* m, int32_t i) {
  return m->sim->y[m->sim->n + i];
}

static void exact_positions_hold_and_typed_ones_move(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, RING "start exactly y = 0.6\n", 0, 1e-10);
  assert_near(q_of(&m, 1), 0.6, 1e-13);
  assert_near(q_of(&m, 0), 0.8, 1e-13); /* typed 1 */
  assert_int_equal(m.sim->m, 1);
  assert_int_equal(m.sim->m_all, 2);
  moving_close(&m);
  /* any expression: the angle, a point, a sum */
  assert_starts(&m, RING "start exactly atan2(y, x) = 30*deg\n", 0, 1e-10);
  assert_near(q_of(&m, 0), sqrt(3) / 2, 1e-13);
  assert_near(q_of(&m, 1), 0.5, 1e-13);
  moving_close(&m);
  assert_starts(&m,
                "coord P = (1, 2), Q = (3, 4)\nkinetic 1/2*P'^2 + 1/2*Q'^2\nstart exactly P + Q = (1, 1), P - Q = 0\n",
                0, 1e-10);
  for (int i = 0; i < 4; i++) assert_near(q_of(&m, i), 0.5, 1e-13);
  moving_close(&m);
  assert_starts(&m, "coord x = 1\nkinetic x'^2\nstart exactly x = 2*t\n", 3, 1e-10); /* at the first instant */
  assert_near(q_of(&m, 0), 6, 1e-13);
  moving_close(&m);
}

static void exact_velocities_hold(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, RING "start exactly x*y' - y*x' = 2\n", 0, 1e-10);
  assert_near(v_of(&m, 1), 2, 1e-13);
  assert_near(v_of(&m, 0), 0, 1e-13);
  moving_close(&m);
  assert_starts(&m, RING "start y' = 5\nstart exactly y' = 2\n", 0, 1e-10); /* typed 5 gives way */
  assert_near(v_of(&m, 1), 2, 1e-13);
  moving_close(&m);
  /* both levels, one after the other */
  assert_starts(&m, RING "start exactly y = 0.6, y' = 1\n", 0, 1e-10);
  assert_near(q_of(&m, 1), 0.6, 1e-13);
  assert_near(v_of(&m, 1), 1, 1e-13);
  assert_near(v_of(&m, 0), -0.75, 1e-12); /* 0.8 x' + 0.6 y' = 0 */
  moving_close(&m);
  /* an exact position has no rate: a typed velocity holds beside it */
  assert_starts(&m, "coord x\nkinetic x'^2\nstart exactly x = 1\nstart x' = 5\n", 0, 1e-10);
  assert_near(q_of(&m, 0), 1, 1e-13);
  assert_near(v_of(&m, 0), 5, 0);
  moving_close(&m);
  assert_starts(&m,
                "coord P = (0, 0), phi = 0.5\nlet e = (cos(phi), sin(phi))\nkinetic 1/2*P'^2 + 1/2*phi'^2\n"
                "constraint edge: cross(e, P') = 0\nquasi u = dot(e, P'), w = phi'\nstart exactly u = 3, w = 1\n",
                0, 1e-10);
  assert_near(v_of(&m, 0), 3 * cos(0.5), 1e-12);
  assert_near(v_of(&m, 1), 3 * sin(0.5), 1e-12);
  assert_near(v_of(&m, 2), 1, 1e-13);
  moving_close(&m);
}

/* They hold at the first instant only. */
static void exact_rows_do_not_bind_the_motion(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x\nkinetic 1/2*x'^2\npotential 10*x\nstart exactly x = 1, x' = 2\n", 0, 1e-10);
  assert_int_equal(m.sim->m, 0);
  assert_int_equal(m.sim->m_all, 2);
  assert_near(m.sim->k[0][1], -10, 1e-12); /* falls freely */
  moving_close(&m);
}

/* Guesses of parts move before anything typed. */
static void guesses_move_before_typed_values(void** state) {
  (void)state;
  Moving m;
  assert_starts(
      &m,
      "component point(x0) { coord x = x0; kinetic 1/2*x'^2 }\ncoord y = 1\nkinetic 1/2*y'^2\n"
      "part p = point(5)\npart q = point(7)\nconstraint c: p.x = y + 1\nconstraint d: q.x + p.x = 10\nstart q.x = 7\n",
      0, 1e-10);
  /* y = 1 and q.x = 7 are typed and cannot both stay: they share the move, least (y - 1)^2 + (q - 7)^2 with q = 9 - y, and
   * the guess p.x = 5 does not count */
  assert_near(q_of(&m, 0), 1.5, 1e-11);
  assert_near(q_of(&m, 1), 2.5, 1e-11);
  assert_near(q_of(&m, 2), 7.5, 1e-11);
  moving_close(&m);
  assert_starts(&m,
                "component point(x0) { coord x = x0; kinetic 1/2*x'^2 }\npart p = point(5)\npart q = point(7)\n"
                "constraint c: p.x + q.x = 10\nstart q.x = 7\n",
                0, 1e-10);
  assert_near(q_of(&m, 0), 3, 1e-12);
  assert_near(q_of(&m, 1), 7, 0);
  moving_close(&m);
}

static void assert_contradicts(const char* text, int32_t line, const char* first, const char* second) {
  Moving m;
  assert_int_equal(moving_open(&m, text, 0, 1e-10), ZW_ERR_START);
  const ZwDiag* diag = &m.s.diags.list.items[m.s.diags.list.count - 1];
  assert_int_equal(diag->code, ZW_ERR_START);
  if (!strstr(diag->text, first) || !strstr(diag->text, second)) fail_msg("'%s' names not both", diag->text);
  assert_int_equal(diag->line, line);
  moving_close(&m);
}

static void contradictions_are_errors_that_name_both(void** state) {
  (void)state;
  assert_contradicts("coord x\nkinetic x'^2\nconstraint wall: x = 1\nstart exactly x = 2\n", 3, "'wall'", "x = 2");
  assert_contradicts("coord x\nkinetic x'^2\nconstraint stop: x' = 0\nstart exactly x' = 2\n", 3, "'stop'", "x' = 2");
  assert_contradicts("coord x\nkinetic x'^2\nstart exactly x = 1\nstart exactly x = 2\n", 3, "x = 1", "x = 2");
  assert_contradicts("coord x\nkinetic x'^2\nconstraint wall: x = 1\nstart exactly 2*x' = 3\n", 3, "'wall'",
                     "2*x' = 3");
  assert_contradicts(RING "start exactly y = 2\n", 3, "'ring'", "y = 2"); /* beyond reach */
}

/* Said twice and in agreement is fine. */
static void agreeing_exact_starts_are_fine(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, RING "start exactly x = 0.6, y = 0.8, 2*x = 1.2, x*y' - y*x' = 1\n", 0, 1e-10);
  assert_near(q_of(&m, 0), 0.6, 1e-13);
  assert_near(q_of(&m, 1), 0.8, 1e-13);
  moving_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_positions_hold_and_typed_ones_move), cmocka_unit_test(exact_velocities_hold),
      cmocka_unit_test(exact_rows_do_not_bind_the_motion),        cmocka_unit_test(guesses_move_before_typed_values),
      cmocka_unit_test(contradictions_are_errors_that_name_both), cmocka_unit_test(agreeing_exact_starts_are_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
