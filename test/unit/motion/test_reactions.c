/* Reactions: multipliers by hand where they are unique, and the smallest where rows repeat each other. */
#include "motion/moving.h"

/* The reactions at the start. */
static const double* reactions_of(Moving* m, const char* text) {
  assert_starts(m, text, 0, 1e-10);
  assert_int_equal(zw_eval_rate(m->sim, m->sim->t, m->sim->y, m->sim->k[0]), ZW_OK);
  for (int32_t i = 0; i < m->sim->m; i++) m->sim->reactions[i] = NAN; /* each must be found */
  assert_int_equal(zw_reactions(m->sim), ZW_OK);
  return m->sim->reactions;
}

/* M a = h + A^T reactions, whatever rows there are. */
static void assert_balance(Moving* m) {
  ZwSim* sim = m->sim;
  assert_true(zw_eval_acceleration(sim, 0, sim->y, sim->y + sim->n));
  zw_eval_dense_M(sim);
  int32_t rows[64];
  for (int32_t i = 0; i < sim->m; i++) rows[i] = i;
  zw_eval_dense_rows(sim, rows, sim->m, sim->all_rows);
  for (int32_t j = 0; j < sim->n; j++) {
    double off = -sim->h[j], size = fabs(sim->h[j]);
    for (int32_t k = 0; k < sim->n; k++) off += sim->M[j * sim->n + k] * sim->a[k];
    for (int32_t i = 0; i < sim->m; i++) {
      off -= sim->all_rows[i * sim->n + j] * sim->reactions[i];
      size += fabs(sim->all_rows[i * sim->n + j] * sim->reactions[i]);
    }
    assert_near(off, 0, 1e-12 * (1 + size));
  }
}

static void unique_reactions_are_those_of_the_textbook(void** state) {
  (void)state;
  Moving m;
  /* a weight on the table: the force on P */
  const double* r = reactions_of(
      &m,
      "param m = 2, g = 9.81\ncoord P = (1, 2)\nkinetic 1/2*m*P'^2\npotential m*g*P.y\nconstraint pin: P = (1, 2)\n");
  assert_near(r[0], 0, 1e-13);
  assert_near(r[1], 2 * 9.81, 1e-12);
  assert_balance(&m);
  moving_close(&m);
  /* the other way round: the force is on the other side */
  r = reactions_of(
      &m,
      "param m = 2, g = 9.81\ncoord P = (1, 2)\nkinetic 1/2*m*P'^2\npotential m*g*P.y\nconstraint pin: (1, 2) = P\n");
  assert_near(r[1], -2 * 9.81, 1e-12);
  moving_close(&m);
  /* a length: push is positive, so a hanging mass that swings through with v gives -(m g + m v^2/l) */
  r = reactions_of(&m,
                   "param m = 3, l = 2, g = 10\ncoord P = (0, -2)\nkinetic 1/2*m*P'^2\npotential m*g*P.y\nconstraint "
                   "rod: norm(P) = l\nstart P' = (4, 0)\n");
  assert_near(r[0], -(3 * 10 + 3 * 16 / 2.0), 1e-11);
  moving_close(&m);
  /* the same with squares: the gradient is 2 l as long */
  r = reactions_of(&m,
                   "param m = 3, l = 2, g = 10\ncoord P = (0, -2)\nkinetic 1/2*m*P'^2\npotential m*g*P.y\nconstraint "
                   "rod: P^2 = l^2\nstart P' = (4, 0)\n");
  assert_near(r[0], -(3 * 10 + 3 * 16 / 2.0) / 4, 1e-11);
  assert_balance(&m);
  moving_close(&m);
  /* a rolling row: force of the ground on a wheel that is pulled with F; x' = R w, m = 2, J = 1, R = 0.5 */
  r = reactions_of(
      &m, "param F = 6\ncoord x, w\nkinetic 1/2*2*x'^2 + 1/2*1*w'^2\nconstraint roll: x' = 0.5*w'\nforce x = F\n");
  double a = 6 / (2 + 1 / 0.25); /* (m + J/R^2) x'' = F */
  assert_near(r[0], 2 * a - 6, 1e-12);
  assert_balance(&m);
  moving_close(&m);
  /* a row on accelerations, and one that time drives */
  r = reactions_of(&m,
                   "coord x, y\nkinetic 1/2*x'^2 + 2*y'^2\nconstraint feel: x'' + 2*y'' = 3\nconstraint drive: y = "
                   "t^2\nforce x = 1\nstart y' = 0\n");
  assert_near(r[0], -1 - 1, 1e-12);           /* x'' = 3 - 4 = 1 + r0 */
  assert_near(4 * 2, 2 * r[0] + r[1], 1e-11); /* 4 y'' = 2 r0 + r1 */
  assert_balance(&m);
  moving_close(&m);
}

/* Rows 1 and 2 of the same equation: the load f is shared as (1, 2)/5, since r1 + 2 r2 = f and (r1, r2) is along (1, 2). */
static void repeated_rows_share_the_load(void** state) {
  (void)state;
  Moving m;
  const double* r =
      reactions_of(&m, "coord x\nkinetic 1/2*x'^2\npotential 10*x\nconstraint a: x = 0\nconstraint b: 2*x = 0\n");
  assert_near(r[0], 10.0 / 5, 1e-13);
  assert_near(r[1], 20.0 / 5, 1e-13);
  assert_balance(&m);
  moving_close(&m);
  r = reactions_of(
      &m, "coord x\nkinetic 1/2*x'^2\npotential 10*x\nconstraint b: 2*x = 0\nconstraint a: x = 0\n"); /* in any order */
  assert_near(r[0], 20.0 / 5, 1e-13);
  assert_near(r[1], 10.0 / 5, 1e-13);
  moving_close(&m);
  /* Appell's cone, stated twice */
  r = reactions_of(
      &m,
      "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 9.81*z\nconstraint cone: x'^2 + y'^2 = z'^2\n"
      "constraint again: 2*x'^2 + 2*y'^2 = 2*z'^2\nstart x' = 1, z' = 1\n");
  assert_true(fabs(r[0]) > 0.1);
  assert_near(r[1], 2 * r[0], 1e-12);
  assert_balance(&m);
  moving_close(&m);
  /* four legs under a beam of weight 12: 3 each */
  r = reactions_of(&m,
                   "coord y\nkinetic 1/2*y'^2\npotential 12*y\nconstraint leg[1]: y = 0\nconstraint leg[2]: y = 0\n"
                   "constraint leg[3]: y = 0\nconstraint leg[4]: y' = 0\n");
  for (int i = 0; i < 4; i++) assert_near(r[i], 3, 1e-13);
  moving_close(&m);
}

/* Rows that are sums of others: the smallest reactions are across every such relation. */
static void smallest_reactions_lie_across_the_relations(void** state) {
  (void)state;
  enum { N = 6, INDEPENDENT = 3, DEPENDENT = 4 };
  Random random = random_from(51);
  for (int trial = 0; trial < 20; trial++) {
    double row[INDEPENDENT + DEPENDENT][N], K[DEPENDENT][INDEPENDENT];
    random_fill(&random, INDEPENDENT * N, row[0]);
    random_fill(&random, DEPENDENT * INDEPENDENT, K[0]);
    char text[6000];
    int size = snprintf(text, sizeof text,
                        "coord q[1..%d]\nfor i in 1..%d { kinetic 1/2*i*q[i]'^2; potential (i^2 - 7)*q[i] }\n", N, N);
    for (int i = 0; i < INDEPENDENT + DEPENDENT; i++) {
      size += snprintf(text + size, sizeof text - (size_t)size, "constraint c[%d]: 0", i + 1);
      for (int j = 0; j < N; j++) {
        if (i >= INDEPENDENT) {
          row[i][j] = 0;
          for (int k = 0; k < INDEPENDENT; k++) row[i][j] += K[i - INDEPENDENT][k] * row[k][j];
        }
        size += snprintf(text + size, sizeof text - (size_t)size, " + (%.17g)*q[%d]", row[i][j], j + 1);
      }
      size += snprintf(text + size, sizeof text - (size_t)size, " = 0\n");
    }
    Moving m;
    const double* r = reactions_of(&m, text);
    assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, INDEPENDENT);
    assert_balance(&m);
    for (int d = 0; d < DEPENDENT; d++) {
      double across = -r[INDEPENDENT + d];
      for (int k = 0; k < INDEPENDENT; k++) across += K[d][k] * r[k];
      assert_near(across, 0, 1e-11);
    }
    moving_close(&m);
  }
}

/* Rows of the start stand behind those of the motion, wherever they are written. */
static void exact_start_does_not_shift_the_rows(void** state) {
  (void)state;
  Moving m;
  const double* r = reactions_of(
      &m,
      "coord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential 5*x + 7*y\nstart exactly x + y = 3\n"
      "constraint a: x = 1\nstart exactly x' = 0\nconstraint b: y = 2\noutput ra = reaction(a), rb = reaction(b)\n");
  assert_int_equal(m.sim->m, 2);
  assert_int_equal(m.sim->m_all, 4);
  assert_near(r[0], 5, 1e-13);
  assert_near(r[1], 7, 1e-13);
  assert_true(m.sim->outputs_need_reaction);
  moving_close(&m);
}

/* ---- in the results ---- */

typedef struct Rows {
  int count;
  double worst;
} Rows;

static ZwStatus watch_swing(void* context, const double* row) {
  Rows* rows = context;
  /* t, x, y, x', y', pull: a mass 1 on a rod of length 1 under g = 9.81 */
  double want = -(9.81 * -row[2] + row[3] * row[3] + row[4] * row[4]);
  rows->worst = fmax(rows->worst, fabs(row[5] - want));
  rows->count++;
  return ZW_OK;
}

static bool go_on(void* context, double t) {
  (void)context, (void)t;
  return true;
}

static void reactions_are_right_along_the_motion(void** state) {
  (void)state;
  static const char* const texts[] = {
      "coord x = 1, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: norm((x, y)) = 1\noutput pull = "
      "reaction(rod)\n",
      /* a second, equal rod takes half of it */
      "coord x = 1, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: norm((x, y)) = 1\n"
      "constraint other: hypot(x, y) = 1\noutput pull = 2*reaction(other)\n"};
  for (int i = 0; i < 2; i++) {
    Moving m;
    assert_starts(&m, texts[i], 0, 1e-10);
    Rows rows = {0};
    ZwRunPlan plan = {.from = 0, .to = 3, .every = 0.05, .row = watch_swing, .poll = go_on, .context = &rows};
    assert_int_equal(zw_run(m.sim, &plan), ZW_OK);
    assert_int_equal(rows.count, 61);
    assert_near(rows.worst, 0, 1e-8);
    moving_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unique_reactions_are_those_of_the_textbook),
      cmocka_unit_test(repeated_rows_share_the_load),
      cmocka_unit_test(smallest_reactions_lie_across_the_relations),
      cmocka_unit_test(exact_start_does_not_shift_the_rows),
      cmocka_unit_test(reactions_are_right_along_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
