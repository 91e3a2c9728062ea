/* When events happen, beside closed forms: balls, switching forces, friction, stick, pendulums, tables, times. Masses,
 * sizes, starts are drawn at random, tolerances go from 1e-5 to 1e-11. An event may be off by 10 tol max(1, 1/|g'|) with g'
 * the rate of its condition. All draws with ZW_LONG set, a fixed sample otherwise. */
#include "../reference/elliptic.h"
#include "../reference/trajectory.h"
#include "drawn.h"

enum { EVENTS_MAX = 400 };

static const double pi = 3.14159265358979323846;

/* ---- what is expected, and what happened ---- */

typedef struct Instant {
  double t, rate; /* of the condition there */
  double gain;    /* of errors made before, on top of that */
} Instant;

typedef struct Case {
  Text text, table; /* the model; a file it reads */
  double to;
  int count;
  Instant events[EVENTS_MAX];
} Case;

static void expect_with_gain(Case* c, double t, double rate, double gain) {
  assert_true(c->count < EVENTS_MAX);
  c->events[c->count++] = (Instant){t, fabs(rate), gain};
}

static void expect(Case* c, double t, double rate) {
  expect_with_gain(c, t, rate, 0);
}

typedef struct Seen {
  int count;
  double t[EVENTS_MAX];
} Seen;

static void see(void* context, double t, const char* name) {
  Seen* seen = context;
  if (name[0] && seen->count < EVENTS_MAX) seen->t[seen->count++] = t;
}

static ZwStatus read_table(void* context, const char* name, const char* path, bool is_library, char** text,
                           size_t* size, const char** why) {
  (void)name, (void)path, (void)is_library, (void)why;
  const Text* table = context;
  *text = malloc(table->size + 1);
  assert_non_null(*text);
  memcpy(*text, table->data, table->size + 1);
  *size = table->size;
  return ZW_OK;
}

static void free_table(void* context, char* text) {
  (void)context;
  free(text);
}

static Seen watch_case(const char* name, Case* c, double tolerance) {
  Seen seen = {0};
  Trajectory trajectory = {0};
  ZwCompileDef def = zw_default_compile_def();
  def.name = name;
  def.text = c->text.data;
  def.size = c->text.size;
  def.reader = (ZwReader){read_table, free_table, &c->table};
  ZwStatus status = zw_model_compile(&def, &trajectory.model);
  ZwRunDef how = zw_default_run_def();
  how.to = c->to;
  how.every = c->to;
  how.tolerance = tolerance;
  how.event = see;
  how.context = &seen;
  if (!status) status = zw_run_create(trajectory.model, &how, &trajectory.run);
  if (!status) status = zw_run_go(trajectory.run);
  if (status) show_diags(&trajectory);
  if (status) fail_msg("%s: %s in\n%s", name, zw_status_text(status), c->text.data);
  forget(&trajectory);
  return seen;
}

/* How far off the worst event is, in units of what is allowed. */
static double check_case(const char* name, int draw, Case* c, double tolerance) {
  Seen seen = watch_case(name, c, tolerance);
  double worst = 0;
  for (int i = 0; i < c->count || i < seen.count; i++) {
    if (i >= c->count || i >= seen.count) {
      fail_msg("%s, draw %d at %.1e: %d events instead of %d; event %d is %s at %.15g in\n%s", name, draw, tolerance,
               seen.count, c->count, i, i < c->count ? "missing" : "one too many",
               i < c->count ? c->events[i].t : seen.t[i], c->text.data);
    }
    double allowed = 10 * tolerance * (fmax(1, 1 / c->events[i].rate) + c->events[i].gain),
           off = fabs(seen.t[i] - c->events[i].t) / allowed;
    if (!(off <= 1)) {
      fail_msg("%s, draw %d at %.1e: event %d is at %.17g instead of %.17g, %.3g of what is allowed, in\n%s", name,
               draw, tolerance, i, seen.t[i], c->events[i].t, off, c->text.data);
    }
    worst = fmax(worst, off);
  }
  return worst;
}

/* ---- roots of closed forms ---- */

typedef long double (*Curve)(const double* p, long double t);

/* Where the curve changes its sign between low and high. */
static double root(Curve curve, const double* p, long double low, long double high) {
  bool is_positive = curve(p, low) > 0;
  assert_true((curve(p, high) > 0) != is_positive);
  for (int i = 0; i < 120; i++) {
    long double middle = (low + high) / 2;
    if ((curve(p, middle) > 0) == is_positive)
      low = middle;
    else
      high = middle;
  }
  return (double)high;
}

/* ---- balls ---- */

static void draw_ball(Random* random, Case* c) {
  double h = between(random, 0.1, 5), v = between(random, -2, 2), g = between(random, 1, 12),
         e = between(random, 0.3, 1);
  write_text(&c->text,
             "coord y = %.17g\nkinetic 1/2*y'^2\npotential %.17g*y\nstart y' = %.17g\nwhen y < 0: y' = -%.17g*y'\n", h,
             g, v, e);
  double u = sqrt(v * v + 2 * g * h), t = (v + u) / g;
  for (int i = 0; i < 6; i++) {
    expect(c, t, u);
    u *= e;
    c->to = t + u / g; /* the top of the next flight */
    t += 2 * u / g;
  }
}

/* Height of a ball with drag: p = gravity, drag, height, speed. */
static long double height_with_drag(const double* p, long double t) {
  long double g = p[0], c = p[1], end = g / c;
  return p[2] + (p[3] + end) * -expm1l(-c * t) / c - end * t;
}

static void draw_ball_with_drag(Random* random, Case* c) {
  double p[4] = {between(random, 1, 12), between(random, 0.1, 1), between(random, 0.1, 3), between(random, -2, 2)};
  double e = between(random, 0.5, 1), t = 0;
  write_text(&c->text,
             "coord y = %.17g\nkinetic 1/2*y'^2\npotential %.17g*y\nforce y = -%.17g*y'\nstart y' = %.17g\n"
             "when y < 0: y' = -%.17g*y'\n",
             p[2], p[0], p[1], p[3], e);
  for (int i = 0; i < 4; i++) {
    double longest = (p[3] + sqrt(p[3] * p[3] + 2 * p[0] * p[2])) / p[0] * (1 + p[1]) + 1;
    double top = log1p(fmax(p[1] * p[3] / p[0], 0)) / p[1]; /* when the speed is 0 */
    double flight = root(height_with_drag, p, top, longest);
    double v = p[3] - p[0] * flight + p[1] * p[2]; /* v + c y = v0 + c y0 - g t at y = 0 */
    t += flight;
    expect(c, t, v);
    p[2] = 0;
    p[3] = -e * v;
  }
  c->to = t + 1e-3;
}

/* Two masses on a line that meet: equal masses exchange their velocities. One is on a spring. */
static long double gap_to_spring(const double* p, long double t) {
  return p[0] * cosl(p[1] * t) - p[2] - p[3] * t;
}

static void draw_collision(Random* random, Case* c) {
  double p[4] = {between(random, 0.2, 0.9), between(random, 1, 4), -between(random, 1, 2), between(random, 1, 2)};
  write_text(&c->text,
             "coord a = %.17g, b = %.17g\nkinetic 1/2*(a'^2 + b'^2)\npotential %.17g*a^2/2\nstart b' = %.17g\n"
             "when b > a: a' = b', b' = a'\n",
             p[0], p[2], p[1] * p[1], p[3]);
  long double high = 0;
  while (gap_to_spring(p, high) > 0) high += 0.01L;
  double t = root(gap_to_spring, p, 0, high), v = -p[0] * p[1] * sin(p[1] * t);
  expect(c, t, p[3] - v);
  c->to = t + 0.01;
}

/* ---- switching forces ---- */

/* x'' = -F sign(x) from rest */
static void draw_relay(Random* random, Case* c) {
  double x = between(random, 0.1, 3), F = between(random, 0.3, 3), quarter = sqrt(2 * x / F);
  write_text(&c->text, "coord x = %.17g\nkinetic 1/2*x'^2\nforce x = -%.17g*sign(x)\n", x, F);
  for (int i = 0; i < 5; i++) expect(c, (2 * i + 1) * quarter, F * quarter);
  c->to = 10 * quarter;
}

/* One stiffness on the right, another on the left, written in three ways. */
static void draw_two_springs(Random* random, Case* c) {
  static const char* const forms[] = {
      "force x = -(%.17g + %.17g)*x/2 - (%.17g - %.17g)*abs(x)/2\n",
      "let a = %.17g, b = %.17g, c = %.17g, d = %.17g\nforce x = if x > 0 then -(a + 0*c)*x else -(b + 0*d)*x\n",
      "let a = %.17g, b = %.17g, c = %.17g, d = %.17g\nforce x = -(a + 0*c)*max(x, 0) - (b + 0*d)*min(x, 0)\n"};
  double a = between(random, 0.5, 3), b = between(random, 0.5, 3), v = between(random, 0.2, 2);
  int form = random_int(random, 0, 2);
  write_text(&c->text, "coord x\nkinetic 1/2*x'^2\nstart x' = %.17g\n", v);
  write_text(&c->text, forms[form], a * a, b * b, a * a, b * b);
  double t = 0;
  if (form > 0) expect(c, 0, v); /* it starts where it switches: 'x > 0' does not hold yet, 'x <= 0' does */
  for (int i = 0; i < 4; i++) {
    t += pi / (i % 2 ? b : a);
    expect(c, t, v);
  }
  /* max and min switch at the same place: one event */
  c->to = t + 0.1;
}

/* Free play of 2 d between two springs. */
static void draw_play(Random* random, Case* c) {
  double d = between(random, 0.05, 1), w = between(random, 0.5, 4), v = between(random, 0.2, 2);
  write_text(&c->text,
             "param d = %.17g, k = %.17g\ncoord x\nkinetic 1/2*x'^2\nstart x' = %.17g\n"
             "force x = if x > d then -k*(x - d) else if x < -d then -k*(x + d) else 0\n",
             d, w * w, v);
  double t = d / v;
  for (int i = 0; i < 4; i++) {
    expect_with_gain(c, t, v,
                     i < 2 ? 0 : 2 * d / (v * v)); /* the way through takes 2 d / v, by the speed that is left */
    t += i % 2 ? 2 * d / v : pi / w;
  }
  c->to = t - 0.01 * d / v;
}

/* ---- friction ---- */

static void draw_stop(Random* random, Case* c) {
  double v = between(random, 0.1, 3), mu = between(random, 0.1, 3);
  write_text(&c->text, "coord x\nkinetic 1/2*x'^2\nforce x = -%.17g*sign(x')\nstart x' = %.17g\n", mu, v);
  expect(c, v / mu, mu); /* and it stays */
  c->to = 3 * v / mu;
}

/* An oscillator with dry friction: the amplitude falls by 2 F / k with every half swing, until the spring cannot move it any
 * more. There it stays. */
static void draw_dry_oscillator(Random* random, Case* c) {
  double w = between(random, 0.5, 3), less = between(random, 0.01, 0.3);
  int swings = random_int(random, 0, 5);
  double x = less * (2 * swings + between(random, -0.9, 0.9)), left = x;
  if (swings == 0) x = left = fabs(x) + 0.05 * less; /* it does not even begin to move */
  write_text(&c->text, "coord x = %.17g\nkinetic 1/2*x'^2\npotential %.17g*x^2/2\nforce x = -%.17g*sign(x')\n", x,
             w * w, w * w * less);
  expect(c, 0, w * w * x); /* the sign is 0 at rest: friction comes at once */
  for (int i = 1; i <= swings; i++) {
    expect(c, i * pi / w, w * w * (left - less));
    left -= 2 * less;
  }
  c->to = (swings + 2.5) * pi / w;
}

/* A block on a belt: sticks until the spring pulls with Fs, slides with Fk, sticks again. */
static void draw_belt(Random* random, Case* c) {
  double w = between(random, 0.7, 3), k = w * w, v = between(random, 0.1, 1), Fk = between(random, 0.1, 0.5),
         Fs = Fk + between(random, 0.1, 0.6);
  write_text(&c->text,
             "param k = %.17g, vb = %.17g, Fk = %.17g, Fs = %.17g\ncoord x = 0\nkinetic 1/2*x'^2\npotential k*x^2/2\n"
             "memory sticks = 1\nstart x' = vb\nconstraint belt: x' = vb while sticks == 1\n"
             "force x = Fk while sticks == 0\nwhen k*x > Fs and sticks == 1: sticks = 0\n"
             "when x' > vb and sticks == 0: sticks = 1\n",
             k, v, Fk, Fs);
  double A = (Fs - Fk) / k, t = Fs / (k * v);
  for (int i = 0; i < 2; i++) {
    expect(c, t, k * v);
    t += 2 * (pi - atan2(A * w, v)) / w;
    expect(c, t, k * A);
    c->to = t + A / v;
    t += 2 * A / v;
  }
}

/* A mass on a spring is caught where it passes a place, and let go at a time. */
static void draw_catch(Random* random, Case* c) {
  double w = between(random, 0.7, 3), x = between(random, 0.5, 1.5), part = between(random, -0.7, 0.7),
         stay = between(random, 0.1, 1);
  double t = acos(part) / w;
  write_text(&c->text,
             "coord x = %.17g\nkinetic 1/2*x'^2\npotential %.17g*x^2/2\nmemory held = 0\n"
             "constraint catch: x' = 0 while held == 1\nwhen x < %.17g and held == 0 and t < %.17g: held = 1\n"
             "when t > %.17g: held = 0\nwhen x * %d > 0: held = 0\n",
             x, w * w, part * x, t + stay / 2, t + stay, part > 0 ? -1 : 1);
  expect(c, t, w * x * sqrt(1 - part * part));
  expect(c, t + stay, 1);
  /* let go from rest it passes the middle a quarter of a period later */
  expect(c, t + stay + pi / 2 / w, w * x * fabs(part));
  c->to = t + stay + pi / 2 / w + 0.1;
}

/* ---- pendulums ---- */

/* sin(phi/2) - k sn(K - w t): p = k, w, sin(phi/2) */
static long double swing(const double* p, long double t) {
  return p[2] - p[0] * (long double)elliptic(elliptic_K(p[0]) - p[1] * t, p[0]).sn;
}

static void expect_swing(Case* c, double alpha, double w, double phi, double rate_per_angle) {
  double p[3] = {sin(alpha / 2), w, sin(phi / 2)}, quarter = (double)elliptic_K(p[0]) / w;
  expect(c, root(swing, p, 0, 2 * quarter), rate_per_angle * 2 * w * sqrt(p[0] * p[0] - p[2] * p[2]));
  c->to = 2 * quarter;
}

static void draw_pendulum(Random* random, Case* c) {
  double alpha = between(random, 0.3, 2.8), w = between(random, 0.7, 3), phi = between(random, -0.9, 0.9) * alpha;
  write_text(&c->text, "coord phi = %.17g\nkinetic 1/2*phi'^2\npotential -%.17g*cos(phi)\nstop when phi < %.17g\n",
             alpha, w * w, phi);
  expect_swing(c, alpha, w, phi, 1);
}

/* In cartesian coordinates, where it crosses a line through the pin or a vertical one; it goes on, and what projection does to
 * the state of the event makes no second one. */
static void draw_pendulum_on_a_circle(Random* random, Case* c) {
  double alpha = between(random, 0.3, 1.4), w = between(random, 0.7, 3), phi = between(random, -0.9, 0.9) * alpha,
         l = between(random, 0.3, 2);
  bool is_vertical = random_next(random) % 2;
  write_text(&c->text,
             "param l = %.17g, phi = %.17g\ncoord x = %.17g, y = %.17g\nkinetic 1/2*(x'^2 + y'^2)\npotential %.17g*y\n"
             "constraint rod: x^2 + y^2 = l^2\nmemory n = 0\n%s: n = n + 1\n",
             l, phi, l * sin(alpha), -l * cos(alpha), w * w * l,
             is_vertical ? "when x < l*sin(phi)" : "when x*cos(phi) + y*sin(phi) < 0");
  expect_swing(c, alpha, w, phi, is_vertical ? l * cos(phi) : l);
}

/* ---- an orbit ---- */

static void draw_orbit(Random* random, Case* c) {
  double e = between(random, 0, 0.6), E = between(random, 0.3, 2.8), t = E - e * sin(E);
  write_text(&c->text,
             "coord x = %.17g, y\nkinetic 1/2*(x'^2 + y'^2)\npotential -1/sqrt(x^2 + y^2)\nstart y' = %.17g\n"
             "memory n = 0\nwhen x < %.17g: n = 1\nwhen y < 0: n = 2\n",
             1 - e, sqrt((1 + e) / (1 - e)), cos(E) - e);
  expect(c, t, sin(E) / (1 - e * cos(E)));
  /* half a period is pi a^1.5: an error dv of the speed at the nearest point moves it by 3 pi v dv */
  expect_with_gain(c, pi, sqrt((1 - e) / (1 + e)), 3 * pi * sqrt((1 + e) / (1 - e)));
  c->to = 4;
}

/* ---- times and tables ---- */

static void draw_time(Random* random, Case* c) {
  double T = between(random, 0.1, 3), w = between(random, 0.5, 3), kick = between(random, 0.5, 2);
  write_text(&c->text,
             "coord x = 1\nkinetic 1/2*x'^2\npotential %.17g*x^2/2\nforce x = if t < %.17g then 0 else %.17g\n"
             "memory n = 0\nwhen x < 0 and t >= %.17g: n = 1\n",
             w * w, T, kick * w * w, T);
  expect(c, T, 1);
  /* from there x = kick + (cos(w T) - kick) cos(w s) - sin(w T) sin(w s) */
  double a = cos(w * T) - kick, b = -sin(w * T), A = hypot(a, b), s = atan2(b, a);
  double to_zero = A > kick ? acos(-kick / A) : 2 * pi;
  double at = s + to_zero; /* w s - s = +- to_zero + 2 pi i: the first downward crossing after the switch */
  while (at > 1e-6) at -= 2 * pi;
  at += 2 * pi;
  if (a + kick < 0) at = 0; /* below already: true at once */
  if (at > 0 && A > kick * 1.01) expect(c, T + at / w, w * sqrt(A * A - kick * kick));
  c->to = a + kick < 0 ? T + 1e-3 : T + at / w + 1e-3;
}

enum { KNOTS = 7 };

/* A natural cubic spline on evenly spaced knots: values and second derivatives. */
static void find_spline(int count, double step, const double* y, double* bend) {
  double pivot[KNOTS], right[KNOTS];
  for (int i = 1; i < count - 1; i++) {
    pivot[i] = i > 1 ? 4 - 1 / pivot[i - 1] : 4;
    right[i] = 6 * (y[i + 1] - 2 * y[i] + y[i - 1]) / (step * step) - (i > 1 ? right[i - 1] / pivot[i - 1] : 0);
  }
  bend[0] = bend[count - 1] = 0;
  for (int i = count - 2; i > 0; i--) bend[i] = (right[i] - bend[i + 1]) / pivot[i];
}

/* The place of a mass that the force moves, and its speed. p = step, then values, then second derivatives. */
static long double moved(const double* p, long double t, long double* speed) {
  const double *y = p + 1, *bend = p + 1 + KNOTS;
  long double h = p[0], x = 0, v = 0;
  for (int i = 0; i < KNOTS - 1; i++) {
    long double u = fminl(t - i * h, h), d = (bend[i + 1] - bend[i]) / h / 6, c = bend[i] / 2.0L;
    long double b = (y[i + 1] - y[i]) / h - h * (2 * bend[i] + bend[i + 1]) / 6;
    if (u <= 0) break;
    x += u * (v + u * (y[i] / 2.0L + u * (b / 6 + u * (c / 12 + u * d / 20))));
    v += u * (y[i] + u * (b / 2 + u * (c / 3 + u * d / 4)));
  }
  *speed = v;
  return x;
}

static long double moved_from(const double* p, long double t) {
  long double speed;
  return moved(p, t, &speed) - p[1 + 2 * KNOTS];
}

/* A force given by a table over the time; the third derivative jumps at its points. */
static void draw_table(Random* random, Case* c) {
  double p[2 + 2 * KNOTS] = {between(random, 0.2, 1)};
  write_text(&c->table, "t,F\n");
  for (int i = 0; i < KNOTS; i++) {
    p[1 + i] = i == 0 ? 1 : between(random, 0.2, 2);
    write_text(&c->table, "%.17g,%.17g\n", i * p[0], p[1 + i]);
  }
  find_spline(KNOTS, p[0], p + 1, p + 1 + KNOTS);
  double t = between(random, 2.2, KNOTS - 1.5) * p[0];
  long double speed;
  p[1 + 2 * KNOTS] = (double)moved(p, t, &speed);
  write_text(&c->text, "coord x\nkinetic 1/2*x'^2\nforce x = table(\"F.csv\", t)\nstop when x > %.17g\n",
             p[1 + 2 * KNOTS]);
  expect(c, root(moved_from, p, t - 0.1 * p[0], t + 0.1 * p[0]), (double)speed);
  c->to = (KNOTS - 1) * p[0];
}

/* ---- conditions that hold for a moment, in motions with long steps ---- */

/* Where sin(w t) > level for the i-th time, and the rate. */
static void expect_sines(Case* c, double w, double level, int count) {
  for (int i = 0; i < count; i++) expect(c, (asin(level) + 2 * pi * i) / w, w * sqrt(1 - level * level));
  c->to = (pi / 2 + 2 * pi * (count - 0.5)) / w;
}

/* A free mass has nothing that limits its steps. */
static void draw_clock(Random* random, Case* c) {
  double w = between(random, 1, 100), level = 1 - pow(10, between(random, -6, -1));
  write_text(&c->text, "coord x\nkinetic 1/2*x'^2\nstart x' = 1\nmemory n = 0\nwhen sin(%.17g*t) > %.17g: n = n + 1\n",
             w, level);
  expect_sines(c, w, level, 100);
}

static void draw_crest(Random* random, Case* c) {
  double w = between(random, 0.5, 5), A = between(random, 0.3, 1), level = 1 - pow(10, between(random, -3, -1));
  write_text(&c->text,
             "coord x\nkinetic 1/2*x'^2\npotential %.17g*x^2/2\nstart x' = %.17g\nmemory n = 0\n"
             "when x > %.17g: n = n + 1\n",
             w * w, A * w, level * A);
  expect_sines(c, w, level, 2);
  for (int i = 0; i < c->count; i++) c->events[i].rate *= A;
}

/* A ball thrown up just reaches a line, by no less than the largest tolerance; the flight is one step. */
static void draw_grazing(Random* random, Case* c) {
  double g = between(random, 1, 12), v = between(random, 1, 10), top = v * v / (2 * g),
         below = pow(10, between(random, -5, -2)), speed = sqrt(2 * g * below);
  write_text(&c->text,
             "coord y\nkinetic 1/2*y'^2\npotential %.17g*y\nstart y' = %.17g\nmemory n = 0\nwhen y > %.17g: n = 1\n", g,
             v, top - below);
  expect(c, (v - speed) / g, speed);
  c->to = 4 * v / g;
}

/* Two conditions, true together in passing. */
static void draw_window(Random* random, Case* c) {
  double v = between(random, 0.1, 3), at = between(random, 1, 30), width = pow(10, between(random, -5, -1));
  write_text(&c->text, "coord x\nkinetic 1/2*x'^2\nstart x' = %.17g\nmemory n = 0\nwhen ", v);
  if (random_next(random) % 2)
    write_text(&c->text, "x > %.17g and x < %.17g: n = n + 1\n", at - width, at + width);
  else
    write_text(&c->text, "abs(x - %.17g) < %.17g: n = n + 1\n", at, width);
  expect(c, (at - width) / v, v);
  c->to = 50 / v;
}

/* A short push on a free mass: without it, it would not get to where it stops. */
static void draw_push(Random* random, Case* c) {
  double at = between(random, 5, 30), width = pow(10, between(random, -4, -1)), v = between(random, 0.5, 2);
  write_text(&c->text,
             "coord x\nkinetic 1/2*x'^2\nforce x = if abs(t - %.17g) < %.17g then %.17g else 0\nmemory n = 0\n"
             "when x > 1: n = 1\n",
             at, width, v / (2 * width));
  expect(c, at - width, 1);
  expect(c, at, 1); /* abs switches */
  expect(c, at + width, 1);
  expect(c, at + 1 / v, v);
  c->to = 50;
}

/* Strokes of a clock. */
static void draw_strokes(Random* random, Case* c) {
  double period = between(random, 0.1, 2), part = pow(10, between(random, -4, -1));
  write_text(&c->text,
             "coord x\nkinetic 1/2*x'^2\nstart x' = 1\nmemory n = 0\nwhen mod(t + %.17g, %.17g) < %.17g: n = n + 1\n",
             0.5 * period, period, part * period);
  for (int i = 0; i < 60; i++) expect(c, (i + 0.5) * period, 1);
  c->to = 60 * period;
}

/* Two masses that pass the same place at almost the same time are two events, at the same time one. */
static void draw_two_at_once(Random* random, Case* c) {
  double v = between(random, 0.5, 2), apart = random_next(random) % 2 ? 0 : pow(10, between(random, -9, -3));
  write_text(&c->text,
             "coord a = 0, b = %.17g\nkinetic 1/2*(a'^2 + b'^2)\nstart a' = %.17g, b' = %.17g\nmemory m = 0, n = 0\n"
             "when a > 3: m = 1\nwhen b > 3: n = 1\n",
             -apart * v, v, v);
  expect(c, 3 / v, v);
  if (apart > 0) expect(c, 3 / v + apart, v);
  c->to = 10 / v;
}

typedef struct CaseKind {
  const char* name;
  void (*draw)(Random* random, Case* c);
} CaseKind;

static const CaseKind kinds[] = {
    {"ball", draw_ball},
    {"ball with drag", draw_ball_with_drag},
    {"collision", draw_collision},
    {"relay", draw_relay},
    {"two springs", draw_two_springs},
    {"play", draw_play},
    {"stop", draw_stop},
    {"dry oscillator", draw_dry_oscillator},
    {"belt", draw_belt},
    {"catch", draw_catch},
    {"pendulum", draw_pendulum},
    {"pendulum on a circle", draw_pendulum_on_a_circle},
    {"orbit", draw_orbit},
    {"time", draw_time},
    {"table", draw_table},
    {"clock", draw_clock},
    {"crest", draw_crest},
    {"grazing", draw_grazing},
    {"window", draw_window},
    {"push", draw_push},
    {"strokes", draw_strokes},
    {"two at once", draw_two_at_once},
};

static void events_are_on_time(void** state) {
  (void)state;
  int count = draws(8, 200);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    Random random = random_from(300 + k);
    double worst[12] = {0};
    int events = 0;
    for (int i = 0; i < count; i++) {
      Case c = {0};
      kinds[k].draw(&random, &c);
      events += c.count;
      for (int d = 5; d <= 11; d++) worst[d] = fmax(worst[d], check_case(kinds[k].name, i, &c, pow(10, -d)));
    }
    print_message("%-22s %4d events, off by at most", kinds[k].name, 7 * events);
    for (int d = 5; d <= 11; d++) print_message(" %.2g", worst[d]);
    print_message(" of what is allowed\n");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_are_on_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
