/* Eigenvalues of equilibria and steady motions against closed forms. */
#include "numbers.h"

#include <stdio.h>
#include <string.h>

#include "zwang/zwang.h"

enum { MOST = 32 };

typedef struct Answer {
  ZwStatus status;
  int32_t count, symmetry, neutral, freedom;
  double re[MOST], im[MOST];
  ZwEigenmodeKind kind[MOST];
  double q[MOST], reactions[MOST];
} Answer;

static Answer linearize(const char* text, ZwLinearizeAt at, const char* name, double value) {
  Answer answer = {0};
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  ZwModel* model;
  if (zw_model_compile(&def, &model)) fail_msg("%s", model ? zw_model_diag(model, 0)->text : "memory");
  ZwRunDef how = zw_default_run_def();
  ZwRunChange change = {name, value};
  how.changes = &change;
  how.change_count = name ? 1 : 0;
  ZwRun* run;
  if (zw_run_create(model, &how, &run)) fail_msg("%s", run ? zw_run_diag(run, 0)->text : "memory");
  ZwLinearizeDef where = zw_default_linearize_def();
  where.at = at;
  const ZwLinearization* l;
  answer.status = zw_run_linearize(run, &where, &l);
  if (l) {
    assert_true(l->count <= MOST && l->n <= MOST && l->m <= MOST);
    answer.count = l->count;
    answer.freedom = l->freedom;
    memcpy(answer.q, l->q, (size_t)l->n * sizeof(double));
    memcpy(answer.reactions, l->reactions, (size_t)l->m * sizeof(double));
    for (int32_t i = 0; i < l->count; i++) {
      answer.re[i] = l->modes[i].re;
      answer.im[i] = l->modes[i].im;
      answer.kind[i] = l->modes[i].kind;
      answer.symmetry += l->modes[i].kind == ZW_MODE_SYMMETRY;
      answer.neutral += l->modes[i].kind == ZW_MODE_NEUTRAL;
    }
  }
  zw_run_destroy(run);
  zw_model_destroy(model);
  return answer;
}

/* Is (re, im) among them? */
static void assert_has(const Answer* answer, double re, double im, double tol) {
  double least = INFINITY;
  for (int32_t i = 0; i < answer->count; i++) {
    least = fmin(least, hypot(answer->re[i] - re, answer->im[i] - im));
  }
  if (!(least <= tol)) fail_msg("no eigenvalue at %.12g + %.12g i, the nearest is %.3g off", re, im, least);
}

static void assert_same(const Answer* a, const Answer* b, double tol) {
  assert_int_equal(a->count, b->count);
  for (int32_t i = 0; i < a->count; i++) assert_has(b, a->re[i], a->im[i], tol);
}

/* ---- double pendulum ----
 * Equal masses and lengths: M = m l^2 (2 1; 1 1), K = m g l (2 0; 0 1). det(K - w^2 M) = 0: with u = w^2 l/g,
 * (2 - 2 u) (1 - u) - u^2 = u^2 - 4 u + 2 = 0, u = 2 -+ sqrt 2. */

static const char* const angles =
    "param m = 1, l = 1, g = 9.81\ncoord a = 0.3, b = 0.2\n"
    "let P = (l*sin(a), -l*cos(a))\nlet Q = P + (l*sin(b), -l*cos(b))\n"
    "kinetic 1/2*m*P'^2 + 1/2*m*Q'^2\npotential m*g*P.y + m*g*Q.y\n";
static const char* const cartesian =
    "param m = 1, l = 1, g = 9.81\ncoord P = (0.1, -1), Q = (0.2, -2)\n"
    "kinetic 1/2*m*P'^2 + 1/2*m*Q'^2\npotential m*g*P.y + m*g*Q.y\n"
    "constraint upper: P^2 = l^2\nconstraint lower: (Q - P)^2 = l^2\n";

static void double_pendulum(void** state) {
  (void)state;
  Answer minimal = linearize(angles, ZW_LINEARIZE_AUTO, NULL, 0);
  assert_int_equal(minimal.status, ZW_OK);
  assert_int_equal(minimal.count, 4);
  assert_int_equal(minimal.freedom, 0);
  for (int sign = -1; sign <= 1; sign += 2) {
    double w = sqrt(9.81 * (2 + sign * sqrt(2)));
    assert_has(&minimal, 0, w, 1e-12);
    assert_has(&minimal, 0, -w, 1e-12);
  }
  /* the same in other coordinates: lambda (P^2 - l^2)' holds 2 m g with the gradient 2 l, and m g */
  Answer constrained = linearize(cartesian, ZW_LINEARIZE_AUTO, NULL, 0);
  assert_same(&minimal, &constrained, 1e-10);
  assert_near(fabs(constrained.reactions[0]), 9.81, 1e-12);
  assert_near(fabs(constrained.reactions[1]), 9.81 / 2, 1e-12);
}

/* ---- pendulum on a cart ----
 * (M + m) x'' + m l a'' = 0, x'' + l a'' + g a = 0: w^2 = g (M + m) / (l M), and the cart is free to go: two zeros. */
static void pendulum_on_a_cart(void** state) {
  (void)state;
  const char* text =
      "param M = 2, m = 1, l = 0.5, g = 9.81, c = 0\ncoord x, a = 0.1\n"
      "kinetic 1/2*M*x'^2 + 1/2*m*((x' + l*a'*cos(a))^2 + (l*a'*sin(a))^2)\npotential -m*g*l*cos(a)\n"
      "force a = -c*a'\n";
  Answer answer = linearize(text, ZW_LINEARIZE_AUTO, NULL, 0);
  assert_int_equal(answer.count, 4);
  assert_int_equal(answer.symmetry, 2);
  assert_int_equal(answer.freedom, 1);
  double w = sqrt(9.81 * 3 / (0.5 * 2));
  assert_has(&answer, 0, w, 1e-12);
  /* a'' (1 - m/(M + m)) m l^2 = -m g l a - c a': s^2 + 2 d s + w^2 = 0 with 2 d = c (M + m) / (M m l^2) */
  answer = linearize(text, ZW_LINEARIZE_AUTO, "c", 0.2);
  double d = 0.2 * 3 / (2 * 1 * 0.25) / 2;
  assert_has(&answer, -d, sqrt(w * w - d * d), 1e-12);
  assert_int_equal(answer.symmetry, 2);
}

/* ---- inverted pendulum on a support ----
 * that accelerates with c: it stands along the gravity (-c, -g) of its frame, tan a = c/g, and falls with
 * s^2 = sqrt(c^2 + g^2)/l. On a support that moves at a constant speed, c = 0. */
static void inverted_on_a_moving_support(void** state) {
  (void)state;
  const char* text =
      "param l = 0.5, g = 9.81, c = 3\ncoord a = 0.2\nlet P = (1/2*c*t^2 + l*sin(a), l*cos(a))\n"
      "kinetic 1/2*P'^2\npotential g*P.y\n";
  Answer answer = linearize(text, ZW_LINEARIZE_AUTO, NULL, 0);
  assert_near(answer.q[0], atan2(3, 9.81), 1e-13);
  assert_has(&answer, sqrt(hypot(3, 9.81) / 0.5), 0, 1e-12);
  assert_has(&answer, -sqrt(hypot(3, 9.81) / 0.5), 0, 1e-12);
  assert_int_equal(answer.kind[0], ZW_MODE_UNSTABLE);
  const char* rolls =
      "param l = 0.5, g = 9.81, u = 3\ncoord X, P = (0, 0.5)\nkinetic 1/2*P'^2\npotential g*P.y\n"
      "constraint support: X = u*t\nconstraint rod: (P.x - X)^2 + P.y^2 = l^2\nstart X' = u, P.x' = u\n";
  answer = linearize(rolls, ZW_LINEARIZE_AUTO, NULL, 0); /* the support has no mass */
  assert_int_equal(answer.status, ZW_OK);
  assert_int_equal(answer.count, 2);
  assert_has(&answer, sqrt(9.81 / 0.5), 0, 1e-12);
  assert_has(&answer, -sqrt(9.81 / 0.5), 0, 1e-12);
}

/* ---- rolling disc ----
 * m = r = g = 1, A = 1/4 about a diameter, C = 1/2 about the axis. Upright, rolling ahead with the spin w, lean e and turn h:
 *   (A + 1) e'' = e + (C + 1) w h' ... and (A h')' = -C w e', so that h' = -2 w e and
 *   5/4 e'' = e - 3/2 w (2 w e) = (1 - 3 w^2) e: stable for w > 1/sqrt 3; s^2 = 4/5 (1 - 3 w^2). */

static const char* const disc =
    "param w = 0, W = 0\ncoord x, y, h, e, p\n"
    "let c = (x, y, 0) + (sin(e)*sin(h), -sin(e)*cos(h), cos(e))\n"
    "kinetic 1/2*c'^2 + 1/8*(e'^2 + (h'*cos(e))^2) + 1/4*(p' + h'*sin(e))^2\npotential c.z\n"
    "constraint along: x' = p'*cos(h)\nconstraint across: y' = p'*sin(h)\nstart p' = w, h' = W, x' = w\n";
static const char* const quaternions =
    "use spatial with gravity = (0, 0, -1)\nparam w = 0.7\n"
    "part disc = body(1, (1/4, 1/2, 1/4), (0, 0, 1))\npart ground = rolling(disc, 1, ey)\n"
    "start exactly disc.spin = w*ey\n";

static double growth(const char* text, double w) {
  Answer answer = linearize(text, ZW_LINEARIZE_STEADY, "w", w);
  assert_int_equal(answer.status, ZW_OK);
  assert_int_equal(answer.neutral, 0);
  return answer.count > 0 ? answer.re[0] : NAN; /* unstable ones are first */
}

static void rolling_disc(void** state) {
  (void)state;
  const char* const texts[] = {disc, quaternions};
  for (int k = 0; k < 2; k++) {
    double low = 0.5, high = 0.7;
    while (high - low > 1e-8) {
      double w = (low + high) / 2;
      if (growth(texts[k], w) > 0)
        low = w;
      else
        high = w;
    }
    assert_near((low + high) / 2, 1 / sqrt(3), 1e-7);
    Answer fast = linearize(texts[k], ZW_LINEARIZE_AUTO, "w", 0.7);
    assert_has(&fast, 0, sqrt(0.8 * (3 * 0.49 - 1)), 1e-11);
    assert_int_equal(fast.symmetry, 6);
    assert_int_equal(fast.count, 8);
  }
  for (int i = 0; i <= 100; i++) { /* however slow it is, and at rest */
    Answer any = linearize(disc, ZW_LINEARIZE_AUTO, "w", i / 100.0);
    assert_int_equal(any.symmetry, 6);
    assert_int_equal(any.neutral, 0);
  }
  Answer slow = linearize(disc, ZW_LINEARIZE_AUTO, "w", 0.3);
  assert_has(&slow, sqrt(0.8 * (1 - 3 * 0.09)), 0, 1e-12);
}

/* Spinning on the spot with W about the vertical, e and p' couple: it is stable from W^2 = 4/5 on, with s^2 = 4/5 - W^2. In the frame that
 * turns along, its place turns back: +-i W belong to the symmetries. */
static void disc_on_the_spot(void** state) {
  (void)state;
  Answer answer = linearize(disc, ZW_LINEARIZE_AUTO, "W", 1.5);
  assert_int_equal(answer.status, ZW_OK);
  assert_has(&answer, 0, sqrt(1.5 * 1.5 - 0.8), 1e-11);
  assert_has(&answer, 0, 1.5, 1e-11);
  assert_int_equal(answer.symmetry, 6);
}

/* ---- sleeping top ----
 * A = 1/4 + d^2 about the tip, C = 1/2, m g d = 1. The tilt z = x + i y in space: A z'' - i C w z' - z = 0, so that
 * s = (i C w +- sqrt(4 A - C^2 w^2)) / (2 A): it sleeps for C^2 w^2 > 4 A m g d. */
static void sleeping_top(void** state) {
  (void)state;
  const char* text =
      "use spatial with gravity = (0, 0, -1)\nparam w = 2\npart b = body(1, (1/4, 1/4, 1/2), (0, 0, 1))\n"
      "constraint tip: b.mark((0, 0, 0)) = (0, 0, 0)\nstart exactly b.spin = w*ez\n";
  double A = 1.25, C = 0.5;
  Answer awake = linearize(text, ZW_LINEARIZE_AUTO, "w", 2), asleep = linearize(text, ZW_LINEARIZE_AUTO, "w", 6);
  assert_int_equal(awake.symmetry, 2);
  assert_has(&awake, sqrt(4 * A - C * C * 4) / (2 * A), C * 2 / (2 * A), 1e-10);
  assert_has(&awake, -sqrt(4 * A - C * C * 4) / (2 * A), -C * 2 / (2 * A), 1e-10);
  for (int sign = -1; sign <= 1; sign += 2) {
    assert_has(&asleep, 0, (C * 6 + sign * sqrt(C * C * 36 - 4 * A)) / (2 * A), 1e-10);
  }
  double low = 3, high = 6;
  while (high - low > 1e-7) {
    double w = (low + high) / 2;
    if (growth(text, w) > 0)
      low = w;
    else
      high = w;
  }
  assert_near(low, sqrt(4 * A) / C, 1e-6);
}

/* ---- a steady motion that is no symmetry of the energy: falling at the speed where drag holds the weight */
static void falling_at_last(void** state) {
  (void)state;
  const char* text = "param c = 0.3\ncoord z\nkinetic 1/2*z'^2\npotential 9.81*z\nforce z = -c*z'\nstart z' = -32\n";
  Answer answer = linearize(text, ZW_LINEARIZE_AUTO, NULL, 0);
  assert_int_equal(answer.status, ZW_OK);
  assert_int_equal(answer.symmetry, 1);
  assert_has(&answer, -0.3, 0, 1e-13);
  assert_int_equal(linearize(text, ZW_LINEARIZE_EQUILIBRIUM, NULL, 0).status, ZW_ERR_STEP);
}

/* ---- circular orbit ----
 * r'' of a body at distance r with W^2 r^3 = k: in the frame that goes round, s^2 = -W^2, and two eigenvalues belong to turning and to
 * going a little faster. No coordinate is cyclic. */
static void circular_orbit(void** state) {
  (void)state;
  const char* text = "coord x = 1.1, y\nkinetic 1/2*(x'^2 + y'^2)\npotential -1/sqrt(x^2 + y^2)\nstart y' = 0.9\n";
  Answer answer = linearize(text, ZW_LINEARIZE_STEADY, NULL, 0);
  assert_int_equal(answer.status, ZW_OK);
  double r = hypot(answer.q[0], answer.q[1]), W = sqrt(1 / (r * r * r));
  assert_has(&answer, 0, W, 1e-11);
  assert_has(&answer, 0, -W, 1e-11);
  assert_int_equal(answer.symmetry, 2);
}

/* ---- a four-bar with a spring, every row once and twice; and with one angle left */
static void four_bar(void** state) {
  (void)state;
  const char* head =
      "param k = 40\ncoord P = (0.3, 1), Q = (2.2, 1.4)\nkinetic 1/2*P'^2 + 3/4*Q'^2\n"
      "potential 9.81*P.y + 1.5*9.81*Q.y + 1/2*k*((Q.x - 1)^2 + (Q.y - 3)^2)\n";
  const char* rows =
      "constraint %s1: P^2 = 1\nconstraint %s2: (Q - P)^2 = 4\nconstraint %s3: (Q.x - 2)^2 + Q.y^2 = 2\n";
  char once[1024], twice[2048], first[512], second[512];
  snprintf(first, sizeof first, rows, "a", "a", "a");
  snprintf(second, sizeof second, rows, "b", "b", "b");
  snprintf(once, sizeof once, "%s%s", head, first);
  snprintf(twice, sizeof twice, "%s%s%s", head, first, second);
  Answer single = linearize(once, ZW_LINEARIZE_EQUILIBRIUM, NULL, 0),
         both = linearize(twice, ZW_LINEARIZE_EQUILIBRIUM, NULL, 0);
  assert_int_equal(single.status, ZW_OK);
  assert_int_equal(single.count, 2);
  assert_same(&single, &both, 1e-10);
  for (int i = 0; i < 4; i++) assert_near(both.q[i], single.q[i], 1e-12);
  for (int i = 0; i < 3; i++) assert_near(both.reactions[i] + both.reactions[3 + i], single.reactions[i], 1e-9);
  /* the crank's angle and the two others by constraints of angles: other coordinates, the same mechanism */
  const char* other =
      "param k = 40\ncoord a = 1.28, b = 0.2, c = 1.43\n"
      "let P = (cos(a), sin(a))\nlet Q = (2 + sqrt(2)*cos(c), sqrt(2)*sin(c))\n"
      "kinetic 1/2*P'^2 + 3/4*Q'^2\n"
      "potential 9.81*P.y + 1.5*9.81*Q.y + 1/2*k*((Q.x - 1)^2 + (Q.y - 3)^2)\n"
      "constraint loop: P + 2*(cos(b), sin(b)) = Q\n";
  Answer in_angles = linearize(other, ZW_LINEARIZE_EQUILIBRIUM, NULL, 0); /* b has no mass */
  assert_same(&single, &in_angles, 1e-10);
}

/* ---- what is no steady state ---- */
/* ---- bead on a hoop that a motor turns ----
 * At the bottom, seen from the hoop: s^2 = w^2 - g/l; at the side, where cos a = g/(l w^2), s^2 = -w^2 sin(a)^2. The motor's row reads the
 * time, and the steady motion turns with it: how slowly does not matter, nor do units. */
static void bead_on_a_turning_hoop(void** state) {
  (void)state;
  static const double spins[] = {1e-9, 1e-6, 1e-5, 0.01, 0.1, 0.3, 0.5, 0.8, 0.9, 1, 1.1, 2, 3, 20, 100};
  static const double units[] = {1, 1e-6, 1e6};
  for (size_t k = 0; k < 3 * sizeof spins / sizeof *spins; k++) {
    double unit = units[k % 3], w = spins[k / 3] / unit, g = 9.81;
    char text[500];
    snprintf(text, sizeof text,
             "param m = %g, l = %g, g = %.17g, w = %.17g\ncoord x = 0.1*l, y = 0, z = -sqrt(l^2 - (0.1*l)^2)\n"
             "kinetic 1/2*m*(x'^2 + y'^2 + z'^2)\npotential m*g*z\nconstraint hoop: x^2 + y^2 + z^2 = l^2\n"
             "constraint motor: y*cos(w*t) = x*sin(w*t)\n",
             1 / unit, unit * unit, g, w);
    Answer answer = linearize(text, ZW_LINEARIZE_AUTO, NULL, 0);
    assert_int_equal(answer.status, ZW_OK);
    assert_int_equal(answer.count, 2);
    double spin = w * unit, s2 = (pow(answer.re[0], 2) - pow(answer.im[0], 2)) * unit * unit;
    bool is_side = hypot(answer.q[0], answer.q[1]) > 0.01 * unit * unit;
    double cosine = g / (spin * spin), expected = is_side ? spin * spin * (cosine * cosine - 1) : spin * spin - g;
    assert_near(s2, expected, 1e-10 * (g + spin * spin));
  }
  /* a weak force that does not turn with it is not overlooked */
  const char* weak =
      "coord x = 0.1, y = 0, z = -sqrt(0.99)\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 9.81*z + 1e-10*sin(3*t)*x\n"
      "constraint hoop: x^2 + y^2 + z^2 = 1\nconstraint motor: y*cos(t) = x*sin(t)\n";
  assert_int_equal(linearize(weak, ZW_LINEARIZE_AUTO, NULL, 0).status, ZW_ERR_STEP);
}

/* Reactions count in the forces around them, however small those are, and rounding of these is zero. */
static void small_reactions(void** state) {
  (void)state;
  for (double m = 1e-30; m < 1e31; m *= 1e10) {
    char text[400];
    snprintf(text, sizeof text,
             "param m = %g\ncoord P = (0.6, -0.8), Q = (1.2, -0.8)\nkinetic 1/2*m*(P'^2 + Q'^2)\n"
             "potential m*9.81*(P.y + Q.y)\nconstraint a: norm(P) = 1\nconstraint b: Q.x - P.x = 0.6\n"
             "constraint c: Q.y = -0.8\nconstraint d: P.x = 0.6\n",
             m);
    Answer answer = linearize(text, ZW_LINEARIZE_EQUILIBRIUM, NULL, 0);
    assert_int_equal(answer.status, ZW_OK);
    assert_near(answer.reactions[0] / m, -9.81 / 0.8, 1e-12);
    assert_true(answer.reactions[1] == 0);
    assert_near(answer.reactions[2] / m, 9.81, 1e-12);
  }
}

static void refusals(void** state) {
  (void)state;
  const char* driven = "coord x\nkinetic 1/2*x'^2\npotential 1/2*x^2\nforce x = sin(t)\n";
  assert_int_equal(linearize(driven, ZW_LINEARIZE_EQUILIBRIUM, NULL, 0).status, ZW_ERR_ARGUMENT);
  const char* free = "coord z\nkinetic 1/2*z'^2\npotential 9.81*z\n";
  assert_int_equal(linearize(free, ZW_LINEARIZE_EQUILIBRIUM, NULL, 0).status, ZW_ERR_STEP);
  assert_int_equal(linearize(free, ZW_LINEARIZE_STEADY, NULL, 0).status, ZW_ERR_STEP);
  /* fields that vanish on the constraints, B (y - 2 x), are symmetries of nothing, and must not be blown up to be one */
  const char* flat =
      "coord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential 1/4*x^4\nforce x = cos(t)\n"
      "constraint tied: y = 2*x\nstart x' = 1\n";
  assert_int_equal(linearize(flat, ZW_LINEARIZE_STEADY, NULL, 0).status, ZW_ERR_STEP);
  /* it would be steady where its only constraint ends: at rest */
  const char* machine =
      "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 9.81*z\n"
      "constraint machine: x'^2 + y'^2 = 2.25*z'^2\nstart x' = 0.48, y' = 0.36, z' = -0.4\n";
  assert_int_equal(linearize(machine, ZW_LINEARIZE_STEADY, NULL, 0).status, ZW_ERR_STEP);
  /* the pendulum swings: no symmetry carries it along, and the state is looked at as it is */
  Answer swing = linearize(angles, ZW_LINEARIZE_PRESENT, NULL, 0);
  assert_int_equal(swing.status, ZW_OK);
  assert_near(swing.q[0], 0.3, 0);
}

/* x'' = -x^3 at 0: both zeros are real ones, and no symmetry is to blame */
static void border_of_stability(void** state) {
  (void)state;
  Answer answer = linearize("coord x\nkinetic 1/2*x'^2\npotential 1/4*x^4\n", ZW_LINEARIZE_AUTO, NULL, 0);
  assert_int_equal(answer.status, ZW_OK);
  assert_int_equal(answer.neutral, 2);
  assert_int_equal(answer.symmetry, 0);
}

/* ---- a crane as a state-space model ----
 * A trolley X with a load P on a rod, both in Cartesian coordinates, driven by u. Where it hangs, X'' = u/M and the load follows later;
 * the angle is (P.x - X)/l. */

static const char* const crane =
    "param M = 2, m = 1, l = 0.5, g = 9.81, u = 0, L = l\ncoord X, P = (0.1, -0.5)\n"
    "kinetic 1/2*M*X'^2 + 1/2*m*P'^2\npotential m*g*P.y\nconstraint rod: (P.x - X)^2 + P.y^2 = L^2\nforce X = u - "
    "m*X'\n"
    "output angle = atan2(P.x - X, -P.y), thrust = M*X''\n";

typedef struct Crane {
  ZwModel* model;
  ZwRun* run;
  const ZwLinearization* l;
} Crane;

static ZwStatus open_crane(Crane* c, const char* const* inputs, int32_t input_count) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = crane;
  def.size = strlen(crane);
  assert_int_equal(zw_model_compile(&def, &c->model), ZW_OK);
  ZwRunDef how = zw_default_run_def();
  assert_int_equal(zw_run_create(c->model, &how, &c->run), ZW_OK);
  ZwLinearizeDef where = zw_default_linearize_def();
  where.inputs = inputs;
  where.input_count = input_count;
  where.has_outputs = true;
  return zw_run_linearize(c->run, &where, &c->l);
}

static void close_crane(Crane* c) {
  zw_run_destroy(c->run);
  zw_model_destroy(c->model);
}

/* Df T = T A, with derivatives that another function gives: A is the motion on the tangent space, and T its basis. */
static void assert_invariant(Crane* c) {
  const ZwLinearization* l = c->l;
  double a_q[9], a_v[9];
  ZwEvaluation values = {.a_by_q = a_q, .a_by_v = a_v};
  assert_int_equal(zw_run_evaluate(c->run, l->t, l->q, l->v, &values), ZW_OK);
  for (int32_t j = 0; j < l->count; j++) {
    const double *dq = l->basis + 6 * j, *dv = dq + 3;
    for (int i = 0; i < 3; i++) {
      double rate_q = dv[i], rate_v = 0;
      for (int k = 0; k < 3; k++) rate_v += a_q[3 * i + k] * dq[k] + a_v[3 * i + k] * dv[k];
      for (int32_t k = 0; k < l->count; k++) {
        rate_q -= l->basis[6 * k + i] * l->matrix[k * l->count + j];
        rate_v -= l->basis[6 * k + 3 + i] * l->matrix[k * l->count + j];
      }
      assert_near(rate_q, 0, 1e-13);
      assert_near(rate_v, 0, 1e-12);
    }
  }
}

static void assert_dual(const ZwLinearization* l) {
  for (int32_t i = 0; i < l->count; i++) {
    for (int32_t j = 0; j < l->count; j++) {
      double sum = 0;
      for (int32_t k = 0; k < 2 * l->n; k++) sum += l->projection[2 * l->n * i + k] * l->basis[2 * l->n * j + k];
      assert_near(sum, i == j ? 1 : 0, 1e-14);
    }
  }
}

static void state_space(void** state) {
  (void)state;
  const char* const inputs[] = {"u", "g"};
  Crane c;
  assert_int_equal(open_crane(&c, inputs, 2), ZW_OK);
  const ZwLinearization* l = c.l;
  assert_int_equal(l->n, 3);
  assert_int_equal(l->count, 4);
  assert_dual(l);
  assert_invariant(&c);
  /* u pushes the trolley alone; the weight of what hangs pushes nothing */
  const double want[2][6] = {{0, 0, 0, 0.5, 0, 0}, {0}};
  for (int j = 0; j < 2; j++) {
    for (int k = 0; k < 6; k++) {
      double rate = 0;
      for (int i = 0; i < 4; i++) rate += l->basis[6 * i + k] * l->input_matrix[2 * i + j];
      assert_near(rate, want[j][k], 1e-11);
    }
  }
  /* columns: t, X, P.x, P.y, their velocities, angle, thrust = u - m X' - (force of the rod) = u - m X' + m g angle */
  for (int i = 0; i < 4; i++) {
    const double* T = l->basis + 6 * i;
    double angle = (T[1] - T[0]) / 0.5;
    assert_near(l->output_matrix[i], 0, 0);
    for (int k = 0; k < 6; k++) assert_near(l->output_matrix[4 * (1 + k) + i], T[k], 0);
    assert_near(l->output_matrix[4 * 7 + i], angle, 1e-11);
    assert_near(l->output_matrix[4 * 8 + i], 9.81 * angle - T[3], 1e-10);
  }
  for (int i = 0; i < 9; i++) {
    assert_near(l->direct_matrix[2 * i], i == 8 ? 1 : 0, 1e-11);
    assert_near(l->direct_matrix[2 * i + 1], 0, 1e-11);
  }
  /* the run has its parameters back */
  assert_near(zw_run_parameter(c.run, 4).value, 0, 0);
  double row[9];
  assert_int_equal(zw_run_read(c.run, row), ZW_OK);
  assert_near(row[8], 0, 1e-12);
  close_crane(&c);
}

static void what_is_no_input(void** state) {
  (void)state;
  const struct {
    const char *name, *why;
    ZwStatus status;
  } wrong[] = {{"l", "it moves the constraint 'rod'", ZW_ERR_ARGUMENT}, {"w", "no parameter", ZW_ERR_NAME}};
  for (int i = 0; i < 2; i++) {
    Crane c;
    assert_int_equal(open_crane(&c, &wrong[i].name, 1), wrong[i].status);
    assert_null(c.l);
    const ZwDiag* diag = zw_run_diag(c.run, zw_run_diag_count(c.run) - 1);
    if (!strstr(diag->text, wrong[i].why)) fail_msg("%s", diag->text);
    close_crane(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum),
      cmocka_unit_test(pendulum_on_a_cart),
      cmocka_unit_test(inverted_on_a_moving_support),
      cmocka_unit_test(rolling_disc),
      cmocka_unit_test(disc_on_the_spot),
      cmocka_unit_test(sleeping_top),
      cmocka_unit_test(falling_at_last),
      cmocka_unit_test(circular_orbit),
      cmocka_unit_test(four_bar),
      cmocka_unit_test(bead_on_a_turning_hoop),
      cmocka_unit_test(small_reactions),
      cmocka_unit_test(refusals),
      cmocka_unit_test(border_of_stability),
      cmocka_unit_test(state_space),
      cmocka_unit_test(what_is_no_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
