/* States of rest with contacts, friction and switches, and steady motions that hold what was typed: against closed forms, against the
 * motion itself (which stays where it is started), in other units, and beside other mechanisms. */
#include "numbers.h"

#include <stdio.h>
#include <string.h>

#include "zwang/zwang.h"

enum { MOST = 64, TEXT = 4096, NAMES = 64 };

typedef struct Answer {
  ZwStatus status;
  ZwLinearizeAt at;
  int32_t n, count, kinds[ZW_MODE_STUCK + 1], freedom, held, moved;
  double q[MOST], v[MOST], re[MOST], im[MOST], reactions[MOST];
  ZwEigenmodeKind kind[MOST];
  ZwContactWhat contacts[MOST];
  char names[MOST][NAMES], why[512];
} Answer;

static ZwModel* compile(const char* text) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  ZwModel* model;
  if (zw_model_compile(&def, &model)) fail_msg("%s", model ? zw_model_diag(model, 0)->text : "memory");
  return model;
}

static void read_answer(const ZwModel* model, const ZwLinearization* l, Answer* answer) {
  assert_true(l->count <= MOST && l->n <= MOST && l->m <= MOST && l->contact_count <= MOST);
  answer->at = l->at;
  answer->n = l->n;
  answer->count = l->count;
  answer->freedom = l->freedom;
  answer->held = l->held_count;
  answer->moved = l->move_count;
  memcpy(answer->q, l->q, (size_t)l->n * sizeof(double));
  memcpy(answer->v, l->v, (size_t)l->n * sizeof(double));
  if (l->m > 0) memcpy(answer->reactions, l->reactions, (size_t)l->m * sizeof(double));
  for (int32_t i = 0; i < l->n; i++) snprintf(answer->names[i], NAMES, "%s", zw_model_column(model, 1 + i));
  for (int32_t i = 0; i < l->contact_count; i++) answer->contacts[i] = l->contacts[i];
  for (int32_t i = 0; i < l->count; i++) {
    answer->re[i] = l->modes[i].re;
    answer->im[i] = l->modes[i].im;
    answer->kind[i] = l->modes[i].kind;
    answer->kinds[l->modes[i].kind]++;
  }
}

static Answer linearize_so(const char* text, ZwLinearizeAt at, bool anywhere) {
  Answer answer = {0};
  ZwLinearizeDef where = zw_default_linearize_def();
  where.at = at;
  where.anywhere = anywhere;
  ZwModel* model = compile(text);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run;
  if (zw_run_create(model, &how, &run)) fail_msg("%s", run ? zw_run_diag(run, 0)->text : "memory");
  const ZwLinearization* l;
  answer.status = zw_run_linearize(run, &where, &l);
  if (l) read_answer(model, l, &answer);
  for (int32_t i = 0; i < zw_run_diag_count(run); i++) {
    if (zw_run_diag(run, i)->severity != ZW_SEVERITY_ERROR) continue;
    snprintf(answer.why, sizeof answer.why, "%s", zw_run_diag(run, i)->text);
  }
  zw_run_destroy(run);
  zw_model_destroy(model);
  return answer;
}

static Answer linearize(const char* text) {
  Answer answer = linearize_so(text, ZW_LINEARIZE_AUTO, false);
  if (answer.status) fail_msg("%s", answer.why);
  return answer;
}

/* A run from the state of the answer stays there: positions to `tol` of `unit`, after `time`. */
static void assert_stays(const char* text, const Answer* answer, double time, double unit, double tol) {
  ZwModel* model = compile(text);
  ZwRunDef how = zw_default_run_def();
  ZwRunChange changes[2 * MOST];
  char rates[MOST][NAMES + 2];
  for (int32_t i = 0; i < answer->n; i++) {
    snprintf(rates[i], sizeof rates[i], "%s'", answer->names[i]);
    changes[2 * i] = (ZwRunChange){answer->names[i], answer->q[i]};
    changes[2 * i + 1] = (ZwRunChange){rates[i], answer->v[i]};
  }
  how.changes = changes;
  how.change_count = 2 * answer->n;
  how.to = time;
  ZwRun* run;
  if (zw_run_create(model, &how, &run)) fail_msg("%s", run ? zw_run_diag(run, 0)->text : "memory");
  if (zw_run_to(run, time)) fail_msg("%s", zw_run_diag(run, zw_run_diag_count(run) - 1)->text);
  double row[8 * MOST];
  assert_true(zw_run_column_count(run) <= 8 * MOST);
  assert_int_equal(zw_run_read(run, row), ZW_OK);
  for (int32_t i = 0; i < answer->n; i++) {
    double want = answer->q[i] + answer->v[i] * time;
    if (!(fabs(row[1 + i] - want) <= tol * unit)) {
      fail_msg("%s = %.12g after %g, and it was at rest at %.12g", answer->names[i], row[1 + i], time, answer->q[i]);
    }
  }
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* ---- contacts ---- */

static const char* const wall =
    "coord a = 1\nkinetic 1/2*a'^2\npotential -9.81*cos(a)\ncontact wall: sin(a) >= 0.2\nrun 0 .. 1\n";

/* A pendulum that would hang inside a wall leans on it: N cos a = 9.81 sin a. */
static void pendulum_at_a_wall(void** state) {
  (void)state;
  Answer answer = linearize(wall);
  assert_near(answer.q[0], asin(0.2), 1e-12);
  assert_int_equal(answer.contacts[0], ZW_CONTACT_CLOSED);
  assert_near(answer.reactions[0], 9.81 * tan(asin(0.2)), 1e-10);
  assert_int_equal(answer.count, 0);
  assert_int_equal(answer.moved, 1);
  assert_stays(wall, &answer, 1, 1, 1e-9);
  /* on the other side of the wall nothing is in the way */
  const char* free =
      "coord a = 1\nkinetic 1/2*a'^2\npotential -9.81*cos(a)\ncontact wall: sin(a) >= -0.2\nrun 0 .. 1\n";
  answer = linearize(free);
  assert_near(answer.q[0], 0, 1e-12);
  assert_int_equal(answer.contacts[0], ZW_CONTACT_OPEN);
  assert_near(answer.im[0], sqrt(9.81), 1e-12);
  /* a wall that pushes it up holds it at the top of its way; one that it hangs on from above does not exist */
  const char* up = "coord a = 0.5\nkinetic 1/2*a'^2\npotential 9.81*cos(a)\ncontact wall: 1 - a >= 0\nrun 0 .. 1\n";
  answer = linearize(up);
  assert_stays(up, &answer, 1, 1, 1e-6);
}

/* What falls comes to rest on what is below it. */
static void falling(void** state) {
  (void)state;
  const char* ball = "coord y = 1\nkinetic 1/2*y'^2\npotential 9.81*y\ncontact floor: y >= 0\nrun 0 .. 1\n";
  Answer answer = linearize(ball);
  assert_near(answer.q[0], 0, 1e-12);
  assert_near(answer.reactions[0], 9.81, 1e-12);
  assert_stays(ball, &answer, 1, 1, 1e-9);
  const char* groove =
      "coord x = 0.3, y = 2\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
      "contact left: y + x >= 0\ncontact right: y - x >= 0\nrun 0 .. 1\n";
  answer = linearize(groove);
  assert_near(hypot(answer.q[0], answer.q[1]), 0, 1e-9);
  for (int i = 0; i < 2; i++) assert_near(answer.reactions[i], 9.81 / 2, 1e-6);
  assert_stays(groove, &answer, 1, 1, 1e-8);
  /* in a bowl with a floor: y = x^2 is above y = 0.25 only at |x| >= 0.5; it lies on both, and slides along neither */
  const char* bowl =
      "coord x = 0.9, y = 2\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + 1/2*x^2\n"
      "contact bowl: y - x^2 >= 0\ncontact floor: y >= 0.25\nrun 0 .. 1\n";
  answer = linearize(bowl);
  assert_near(answer.q[1], 0.25, 1e-9);
  assert_stays(bowl, &answer, 1, 1, 1e-6);
}

/* A bead on the floor of a bowl y = x^2/2: modes of what is closed, w^2 = g y''. */
static void modes_of_what_is_closed(void** state) {
  (void)state;
  const char* bowl =
      "coord x = 0.3, y = 1\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\ncontact bowl: y - x^2/2 >= 0\nrun 0 .. 1\n";
  Answer answer = linearize(bowl);
  assert_near(hypot(answer.q[0], answer.q[1]), 0, 1e-9);
  assert_int_equal(answer.count, 2);
  assert_near(answer.im[0], sqrt(9.81), 1e-9);
  assert_int_equal(answer.kind[0], ZW_MODE_UNDAMPED);
  assert_stays(bowl, &answer, 1, 1, 1e-8);
}

/* ---- friction ---- */

/* Dry friction holds where it is started, if it can; else the nearest place where it can: |x| <= 0.3. */
static void dry_friction(void** state) {
  (void)state;
  const char* text = "coord x = %g\nkinetic 1/2*x'^2\npotential 1/2*x^2\nforce x = -0.3*sign(x')\nrun 0 .. 1\n";
  const double starts[] = {0.1, -0.25, 2, -3}, rests[] = {0.1, -0.25, 0.3, -0.3};
  for (int i = 0; i < 4; i++) {
    char model[TEXT];
    snprintf(model, sizeof model, text, starts[i]);
    Answer answer = linearize(model);
    assert_near(answer.q[0], rests[i], i < 2 ? 0 : 1e-6);
    assert_int_equal(answer.held, 1);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.kind[0], ZW_MODE_STUCK);
    assert_int_equal(answer.freedom, 1);
    assert_stays(model, &answer, 1, 1, 1e-9);
  }
  /* on a belt it slips: friction is a constant force, and nothing is held */
  const char* belt = "coord x\nkinetic 1/2*x'^2\npotential 1/2*x^2\nforce x = -0.3*sign(x' - 1)\nrun 0 .. 1\n";
  Answer answer = linearize(belt);
  assert_near(answer.q[0], 0.3, 1e-12);
  assert_int_equal(answer.held, 0);
  assert_near(answer.im[0], 1, 1e-12);
  assert_stays(belt, &answer, 1, 1, 1e-9);
}

/* The same with a contact: mu m g = 2.943, k = 10. And in two directions, on a slope below and above the angle of friction. */
static void friction_of_contacts(void** state) {
  (void)state;
  const char* text =
      "coord x = %g, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + 5*x^2\n"
      "contact floor: y >= 0, friction 0.3, slip x\nrun 0 .. 1\n";
  const double starts[] = {0.1, 2, -1}, rests[] = {0.1, 0.2943, -0.2943};
  for (int i = 0; i < 3; i++) {
    char model[TEXT];
    snprintf(model, sizeof model, text, starts[i]);
    Answer answer = linearize(model);
    assert_near(answer.q[0], rests[i], i < 1 ? 0 : 1e-6);
    assert_int_equal(answer.contacts[0], ZW_CONTACT_STICKS);
    assert_int_equal(answer.kinds[ZW_MODE_STUCK], 1);
    assert_stays(model, &answer, 1, 1, 1e-9);
  }
  const char* slope =
      "coord P = (0, 0, 0)\nkinetic 1/2*P'^2\npotential 9.81*(P.z*cos(0.3) - P.x*sin(0.3))\n"
      "contact floor: P.z >= 0, friction %g, slip (P.x, P.y)\nrun 0 .. 1\n";
  char model[TEXT];
  snprintf(model, sizeof model, slope, 1.01 * tan(0.3));
  Answer answer = linearize(model);
  assert_int_equal(answer.contacts[0], ZW_CONTACT_STICKS);
  assert_int_equal(answer.kinds[ZW_MODE_STUCK], 2);
  assert_near(answer.reactions[1], -9.81 * sin(0.3), 1e-9);
  snprintf(model, sizeof model, slope, 0.99 * tan(0.3));
  assert_int_equal(linearize_so(model, ZW_LINEARIZE_EQUILIBRIUM, false).status, ZW_ERR_STEP);
}

/* ---- the time ---- */

static void what_has_a_date(void** state) {
  (void)state;
  const char* const texts[] = {
      "coord x = 0.1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nforce x = if t > 0.5 then 1 else 0\nrun 0 .. 1\n",
      "coord x = 0.1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nconstraint hold: x' = 0 while t > 0.5\nrun 0 .. 1\n",
      "memory k = 1\ncoord x = 0.1\nkinetic 1/2*x'^2\npotential 1/2*k*x^2\nwhen t > 0.5: k = 2\nrun 0 .. 1\n",
      "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*(y - t*x)\n"
      "contact floor: y >= 0, friction 0.3, slip x\nrun 0 .. 1\n",
  };
  for (int i = 0; i < 4; i++) {
    assert_int_equal(linearize_so(texts[i], ZW_LINEARIZE_AUTO, false).status, ZW_ERR_ARGUMENT);
    assert_int_equal(linearize_so(texts[i], ZW_LINEARIZE_PRESENT, false).status, ZW_OK);
  }
  const char* stops =
      "coord x = 0.1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nstop when t > 0.5\nrun 0 .. 1\n"; /* that changes nothing */
  assert_int_equal(linearize_so(stops, ZW_LINEARIZE_AUTO, false).status, ZW_OK);
}

/* ---- steady motions ---- */

/* A cart on two wheels in line: its start is steady, and is found as it is. It falls over like an inverted pendulum of its whole mass about
 * the line on which the wheels touch: (m h^2 + I) s^2 = m g h, I = 1 + 2*0.05, h = 0.3. */
static void cart_with_two_wheels(void** state) {
  (void)state;
  Answer answer = linearize(
      "use spatial\nparam v = 5, R = 0.3\npart b = body(10, (1, 1, 1), (0, 0, R))\n"
      "part f = body(1, (0.05, 0.09, 0.05), (1, 0, R))\npart g = body(1, (0.05, 0.09, 0.05), (-1, 0, R))\n"
      "part jf = revolute(b, f, (1, 0, R), ey)\npart jg = revolute(b, g, (-1, 0, R), ey)\n"
      "part rf = rolling(f, R, ey)\npart rg = rolling(g, R, ey)\nstart b.r.x' = v\nrun 0 .. 1\n");
  assert_int_equal(answer.at, ZW_LINEARIZE_STEADY);
  assert_near(answer.v[0], 5, 1e-12);
  assert_int_equal(answer.moved, 0);
  assert_int_equal(answer.kinds[ZW_MODE_UNSTABLE], 1);
  assert_near(answer.re[0], sqrt(12 * 9.81 * 0.3 / (12 * 0.09 + 1.1)), 1e-9);
  assert_int_equal(answer.kinds[ZW_MODE_SYMMETRY], 6);
}

/* Typed velocities are held; where that cannot be, it is said. */
static void typed_velocities(void** state) {
  (void)state;
  const char* fall =
      "param c = 0.3\ncoord z\nkinetic 1/2*z'^2\npotential 9.81*z\nforce z = -c*z'\nstart z' = %g\nrun 0 .. 1\n";
  char model[TEXT];
  snprintf(model, sizeof model, fall, -3.0);
  assert_int_equal(linearize_so(model, ZW_LINEARIZE_AUTO, false).status, ZW_ERR_STEP);
  Answer any = linearize_so(model, ZW_LINEARIZE_AUTO, true);
  assert_int_equal(any.status, ZW_OK);
  assert_near(any.v[0], -9.81 / 0.3, 1e-10);
  snprintf(model, sizeof model, fall, -32.0); /* it moves by 2 % */
  assert_int_equal(linearize_so(model, ZW_LINEARIZE_AUTO, false).status, ZW_OK);
  /* a pendulum that goes round: the typed speed stays, the angle follows, cos b = g/(l w^2) */
  const char* cone =
      "coord p, b = 0.5\nkinetic 1/2*(b'^2 + (sin(b)*p')^2)\npotential -9.81*cos(b)\nstart p' = 4\nrun 0 .. 1\n";
  Answer answer = linearize(cone);
  assert_near(answer.v[0], 4, 0);
  assert_near(answer.q[1], acos(9.81 / 16), 1e-12);
}

/* ---- zeros ---- */

/* A slow growth beside a fast oscillation, in one mechanism: s = 1 beside 1e6. And the lean of a disc at its critical spin. */
static void zeros_that_are_none(void** state) {
  (void)state;
  Answer answer = linearize(
      "coord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential -1/2*x^2 - 1/2*y^2 + 1/4*1e12*(x - y)^2\nrun 0 .. 1\n");
  assert_int_equal(answer.kind[0], ZW_MODE_UNSTABLE);
  assert_near(answer.re[0], 1, 1e-3);
  assert_int_equal(answer.kinds[ZW_MODE_SYMMETRY], 0);
  const char* disc =
      "param w = %.17g\ncoord x, y, h, e, p\nlet c = (x, y, 0) + (sin(e)*sin(h), -sin(e)*cos(h), cos(e))\n"
      "kinetic 1/2*c'^2 + 1/8*(e'^2 + (h'*cos(e))^2) + 1/4*(p' + h'*sin(e))^2\npotential c.z\n"
      "constraint along: x' = p'*cos(h)\nconstraint across: y' = p'*sin(h)\nstart p' = w, x' = w\nrun 0 .. 1\n";
  char model[TEXT];
  snprintf(model, sizeof model, disc, 1 / sqrt(3));
  answer = linearize(model);
  assert_int_equal(answer.kinds[ZW_MODE_SYMMETRY], 6);
  assert_int_equal(answer.kinds[ZW_MODE_NEUTRAL], 2);
  snprintf(model, sizeof model, disc, 1 / sqrt(3) - 1e-7);
  answer = linearize(model);
  assert_int_equal(answer.kinds[ZW_MODE_UNSTABLE], 1);
}

/* ---- units and company ---- */

/* A pendulum with a wall and a spring, in units of L, m and T: a is an angle, s a length, held against a stop with dry friction. */
static void in_other_units(void** state) {
  (void)state;
  const char* text =
      "param L = %g, m = %g, T = %g\nlet g = 9.81*L/T^2, k = 20*m/T^2\ncoord a = 1, s = 1.3*L\n"
      "kinetic 1/2*m*((s*a')^2 + s'^2)\npotential -m*g*s*cos(a) + 1/2*k*(s - L)^2\n"
      "contact wall: s*sin(a) >= 0.2*L\nforce a = -0.1*m*s^2*a'/T\nrun 0 .. 1\n";
  char model[TEXT];
  snprintf(model, sizeof model, text, 1.0, 1.0, 1.0);
  Answer plain = linearize(model);
  assert_int_equal(plain.contacts[0], ZW_CONTACT_CLOSED);
  assert_int_equal(plain.count, 2);
  const double powers[] = {1e-6, 1, 1e6};
  for (int i = 0; i < 27; i++) {
    double L = powers[i % 3], m = powers[i / 3 % 3], T = powers[i / 9];
    snprintf(model, sizeof model, text, L, m, T);
    Answer answer = linearize(model);
    assert_near(answer.q[0], plain.q[0], 1e-9);
    assert_near(answer.q[1] / L, plain.q[1], 1e-9);
    assert_int_equal(answer.count, plain.count);
    for (int k = 0; k < plain.count; k++) {
      assert_near(answer.re[k] * T, plain.re[k], 1e-7);
      assert_near(answer.im[k] * T, plain.im[k], 1e-7);
      assert_int_equal(answer.kind[k], plain.kind[k]);
    }
  }
}

/* A mechanism in the same file changes nothing, whatever it does: not the state that is found, nor what is called a zero. */
static void in_company(void** state) {
  (void)state;
  const char* const alone[] = {
      wall,
      "coord a = 0.4\nkinetic 1/2*a'^2\npotential 9.81*cos(a)\nrun 0 .. 1\n",
      "coord a = 0.1\nkinetic 1/2*a'^2\npotential 1/2*a^2\nforce a = -0.3*sign(a')\nrun 0 .. 1\n",
  };
  const char* const others[] = {
      "coord X = 1e3, Y = -2e5\nkinetic 1/2*1e-4*(X'^2 + Y'^2)\npotential 1e9*(X - Y)^2 + 1e7*X^4\n",
      "coord X, Y = 3\nkinetic 1/2*(X'^2 + Y'^2)\npotential 9.81*Y\ncontact ground: Y >= 0, friction 0.2, slip X\n",
      "coord X = 0.01\nkinetic 1/2*X'^2\npotential -1/2*1e10*X^2\n",
  };
  for (int i = 0; i < 3; i++) {
    Answer want = linearize(alone[i]);
    for (int k = 0; k < 6; k++) {
      char model[TEXT];
      snprintf(model, sizeof model, "%s%s", k % 2 ? others[k / 2] : alone[i], k % 2 ? alone[i] : others[k / 2]);
      Answer answer = linearize(model);
      int32_t at = 0;
      while (strcmp(answer.names[at], "a") != 0) at++;
      if (answer.q[at] != want.q[0]) fail_msg("a = %.17g beside another, %.17g alone", answer.q[at], want.q[0]);
      for (int32_t j = 0; j < want.count; j++) {
        bool is_there = false;
        for (int32_t l = 0; l < answer.count; l++) {
          double off = hypot(answer.re[l] - want.re[j], answer.im[l] - want.im[j]);
          is_there = is_there || (off <= 1e-12 && answer.kind[l] == want.kind[j]);
        }
        assert_true(is_there);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_at_a_wall),
      cmocka_unit_test(falling),
      cmocka_unit_test(modes_of_what_is_closed),
      cmocka_unit_test(dry_friction),
      cmocka_unit_test(friction_of_contacts),
      cmocka_unit_test(what_has_a_date),
      cmocka_unit_test(cart_with_two_wheels),
      cmocka_unit_test(typed_velocities),
      cmocka_unit_test(zeros_that_are_none),
      cmocka_unit_test(in_other_units),
      cmocka_unit_test(in_company),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
