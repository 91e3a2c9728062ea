/* What `zwang derive` prints is what `zwang run` uses: the very expressions that are printed, after tidying, evaluated at
 * random states, against M, h, A, b as the kernels give them to the solver. And the Gibbs functions against both. */
#include "expr/eval.h"
#include "extras.h"
#include "paper/entries.h"
#include "stages.h"

enum { STATES = 5, N_MAX = ZW_PAPER_COORDS };

/* Relative to the sizes of the summands, which tidying may add in another order and cancel before they meet. */
static const double tol = 1e-12;

typedef struct Check {
  Stages stages;
  ZwSheet paper;
  ZwEvaluator evaluator;
  double t, q[N_MAX], v[2 * N_MAX], a[2 * N_MAX]; /* quasi-velocities behind the velocities */
  double worst;
  const char* name;
} Check;

static double value_of(Check* c, ZwExpr e) {
  ZwEnvironment environment = {.t = c->t, .params = c->stages.sim->values, .q = c->q, .v = c->v, .a = c->a};
  assert_true(e.ref != 0);
  return zw_expr_eval(&c->evaluator, &c->paper.graph, e, &environment);
}

static void compare(Check* c, const char* what, int32_t i, int32_t j, double got, double want, double size) {
  double error = fabs(got - want), scale = fmax(fmax(fabs(want), size), 1e-9);
  if (!(error <= tol * scale)) {
    fail_msg("%s: %s(%d, %d) on paper is %.17g, the kernels give %.17g", c->name, what, (int)i, (int)j, got, want);
  }
  c->worst = fmax(c->worst, error / scale);
}

/* Near the typed start, where the model means something; false where it does not. */
static bool choose_state(Check* c, Random* random) {
  const ZwSim* sim = c->stages.sim;
  int32_t n = c->paper.n;
  c->t = 0.5 + 0.5 * random_number(random);
  for (int32_t i = 0; i < n; i++) {
    c->q[i] = sim->typed[i] + 0.2 * random_number(random);
    c->v[i] = sim->typed[n + i] + 0.2 * random_number(random);
  }
  for (int32_t i = 0; i < 2 * N_MAX; i++) c->a[i] = random_number(random);
  (void)zw_events_set_modes(c->stages.sim, c->t, c->q, c->v);
  return zw_eval_acceleration(c->stages.sim, c->t, c->q, c->v);
}

static double size_of(const double* values, int32_t count) {
  double size = 0;
  for (int32_t i = 0; i < count; i++) size = fmax(size, fabs(values[i]));
  return size;
}

static void compare_system(Check* c) {
  ZwSim* sim = c->stages.sim;
  const ZwSheet* paper = &c->paper;
  int32_t n = paper->n;
  zw_eval_dense_M(sim);
  double M_size = size_of(sim->M, n * n), h_size = size_of(sim->hL, n) + size_of(sim->Q, n);
  double G = 0;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      compare(c, "M", i, j, value_of(c, paper->M[i * n + j]), sim->M[i * n + j], M_size);
      G += 0.5 * c->a[i] * sim->M[i * n + j] * c->a[j];
    }
    compare(c, "h", i, 0, value_of(c, paper->h[i]), sim->hL[i] + sim->Q[i], h_size);
    compare(c, "Q", i, 0, value_of(c, paper->Q[i]), sim->Q[i], h_size);
    G -= sim->hL[i] * c->a[i];
  }
  compare(c, "G", 0, 0, value_of(c, paper->G), G, n * (n * M_size + h_size));
}

static void compare_rows(Check* c) {
  ZwSim* sim = c->stages.sim;
  const ZwSheet* paper = &c->paper;
  int32_t n = paper->n, m = 0, rows[4 * N_MAX];
  for (int32_t i = 0; i < sim->m; i++) {
    bool is_of_contact = sim->system->terms.items[sim->equations->rows.items[i].term].contact > 0;
    if (!is_of_contact) rows[m++] = i;
  }
  assert_int_equal(paper->m, m);
  zw_eval_dense_rows(sim, rows, paper->m, sim->all_rows);
  for (int32_t i = 0; i < paper->m; i++) {
    double size = size_of(&sim->all_rows[i * n], n), v = 1 + n * size_of(c->v, n);
    for (int32_t j = 0; j < n; j++) {
      compare(c, "A", i, j, value_of(c, paper->rows[i].A[j]), sim->all_rows[i * n + j], size);
    }
    compare(c, "b", i, 0, value_of(c, paper->rows[i].b), sim->b[rows[i]], size * v * v);
  }
}

/* The energy is L = v . dL/dv - E, both known to the kernels. */
static void compare_lagrangian(Check* c) {
  ZwSim* sim = c->stages.sim;
  assert_true(zw_eval_energy(sim, c->t, c->q, c->v));
  double L = sim->scalars[1] - sim->scalars[0], size = fabs(sim->scalars[0]) + fabs(sim->scalars[1]);
  /* terms that move nothing (constants, functions of time alone) are no elements: differences of L are compared */
  double here = value_of(c, c->paper.L);
  Check other = {.t = c->t};
  for (int32_t i = 0; i < c->paper.n; i++) other.q[i] = c->q[i], other.v[i] = 0.5 * c->v[i];
  assert_true(zw_eval_energy(sim, c->t, c->q, other.v));
  double other_L = sim->scalars[1] - sim->scalars[0];
  size += fabs(sim->scalars[0]) + fabs(sim->scalars[1]) + fabs(here);
  for (int32_t i = 0; i < c->paper.n; i++) c->v[i] *= 0.5;
  double there = value_of(c, c->paper.L);
  for (int32_t i = 0; i < c->paper.n; i++) c->v[i] *= 2;
  compare(c, "L", 0, 0, here - there, L - other_L, size);
}

/* Christoffel symbols: Gamma_i(v, v), lifted or lowered, is what h holds besides the potential:
 * h(v) - h(0) + Q(0) - Q(v) = -[v v, i]. */
static void compare_metric(Check* c) {
  const ZwSheet* paper = &c->paper;
  int32_t n = paper->n;
  if (paper->metric == ZW_METRIC_NONE) return;
  double turn[N_MAX], hL[N_MAX];
  for (int32_t i = 0; i < n; i++) {
    turn[i] = 0;
    for (int32_t jk = 0; jk < n * n; jk++)
      turn[i] += value_of(c, paper->gamma[i * n * n + jk]) * c->v[jk / n] * c->v[jk % n];
    hL[i] = c->stages.sim->hL[i];
  }
  double still[N_MAX] = {0}, size = 1 + size_of(hL, n) + size_of(turn, n) * (1 + size_of(c->stages.sim->M, n * n));
  assert_true(zw_eval_acceleration(c->stages.sim, c->t, c->q, still));
  for (int32_t i = 0; i < n; i++) {
    double lowered = turn[i];
    if (paper->metric == ZW_METRIC_SECOND) {
      lowered = 0;
      for (int32_t j = 0; j < n; j++) lowered += value_of(c, paper->M[i * n + j]) * turn[j];
    }
    compare(c, "Gamma", i, 0, -lowered, hL[i] - c->stages.sim->hL[i], n * n * size);
  }
}

/* v = B nu + r satisfies the constraints and gives nu back; the reduced equations are B^T of the full ones. */
static void compare_quasi(Check* c) {
  const ZwSheet* paper = &c->paper;
  const ZwQuasi* quasi = &paper->quasi;
  int32_t n = paper->n, p = paper->p;
  if (p == 0) return;
  assert_null(paper->quasi_why);
  for (int32_t k = 0; k < p; k++) c->v[n + k] = 0.3 + 0.1 * k;
  for (int32_t i = 0; i < n; i++) {
    c->v[i] = value_of(c, quasi->r[i]);
    for (int32_t k = 0; k < p; k++) c->v[i] += value_of(c, quasi->B[i * p + k]) * c->v[n + k];
  }
  ZwSim* sim = c->stages.sim;
  assert_true(zw_eval_velocity(sim, c->t, c->q, c->v));
  for (int32_t i = 0; i < paper->m; i++) compare(c, "psi", i, 0, sim->psi[i], 0, 1);
  /* a by nu': A a = b must hold for it, which also tests B' and r' */
  assert_true(zw_eval_acceleration(sim, c->t, c->q, c->v));
  zw_eval_dense_M(sim);
  double step = 1e-5, a[N_MAX], q[N_MAX], v[N_MAX], rate[N_MAX];
  for (int32_t i = 0; i < n; i++) q[i] = c->q[i], v[i] = c->v[i], a[i] = 0;
  for (int32_t k = 0; k < p; k++) rate[k] = c->a[n + k];
  double t = c->t;
  for (int side = -1; side <= 1; side += 2) { /* a = B nu' + d(B nu + r)/dt along the motion */
    c->t = t + side * step;
    for (int32_t i = 0; i < n; i++) c->q[i] = q[i] + side * step * v[i];
    for (int32_t i = 0; i < n; i++) {
      double moved = value_of(c, quasi->r[i]);
      for (int32_t k = 0; k < p; k++) moved += value_of(c, quasi->B[i * p + k]) * c->v[n + k];
      a[i] += side * moved / (2 * step);
    }
  }
  c->t = t;
  for (int32_t i = 0; i < n; i++) c->q[i] = q[i];
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < p; k++) a[i] += value_of(c, quasi->B[i * p + k]) * rate[k];
  }
  for (int32_t k = 0; k < p; k++) {
    double want = 0, got = value_of(c, quasi->g[k]) - value_of(c, quasi->F[k]);
    for (int32_t l = 0; l < p; l++) got += value_of(c, quasi->M[k * p + l]) * rate[l];
    for (int32_t i = 0; i < n; i++) {
      double row = -sim->hL[i] - sim->Q[i];
      for (int32_t j = 0; j < n; j++) row += sim->M[i * n + j] * a[j];
      want += value_of(c, quasi->B[i * p + k]) * row;
    }
    if (!(fabs(got - want) <= 1e-7 * (1 + fabs(want)))) { /* a was differenced */
      fail_msg("%s: equation of quasi-velocity %d on paper gives %.10g, not %.10g", c->name, (int)k, got, want);
    }
  }
}

static void check_model(const char* name, const char* text) {
  Check* c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->name = name;
  open_stages(&c->stages, name, text);
  if (c->stages.equations.n > N_MAX) {
    close_stages(&c->stages);
    free(c);
    return;
  }
  zw_paper_derive(&c->paper, &c->stages.arena, &c->stages.system, NULL);
  ZwPaperEntries entries;
  assert_true(zw_paper_entries(&c->paper, &entries));
  zw_evaluator_init(&c->evaluator, &c->stages.arena);
  c->evaluator.tables = &c->stages.system.tables;
  Random random = random_from(11);
  int states = 0;
  for (int attempt = 0; attempt < 20 * STATES && states < STATES; attempt++) {
    if (!choose_state(c, &random)) continue;
    compare_system(c);
    compare_rows(c);
    if (c->stages.equations.has_energy) compare_lagrangian(c);
    assert_true(zw_eval_acceleration(c->stages.sim, c->t, c->q, c->v));
    compare_metric(c);
    compare_quasi(c);
    states++;
  }
  assert_int_equal(states, STATES);
  print_message("%-24s %.1g\n", name, c->worst);
  close_stages(&c->stages);
  free(c);
}

/* What matters on paper alone. */
static const ExtraModel for_paper[] = {
    {"roots and signs",
     "param m = 2\ncoord x = 0.7, y = -0.6\nkinetic 1/2*m*sqrt((x*y)^2 + 1)*x'^2 + 1/2*sqrt(y^2)*y'^2\n"
     "potential sqrt(x^2 + y^2)*sqrt(x^2 + y^2)/(x^2 + y^2)^1.5 + (x^2)^0.5*cos(-x) - sin(y - x)*sin(x - y)\n"
     "constraint c: sqrt(x^2 + 2*x*y + y^2) = abs(x) + 1/(x - y)^3\n"},
    {"gibbs", "coord x = 1, y\nkinetic 1/2*x'^2\ngibbs 1/2*(2 + x^2)*(x'' + y'')^2 + x'*y''\n"},
    {"metric",
     "param m = 2\ncoord r = 1, th = 0.4, ph = 0.3\nkinetic 1/2*m*(r'^2 + r^2*th'^2 + r^2*sin(th)^2*ph'^2)\npotential "
     "m/r\n"},
    {"metric with products",
     "coord x = 1, y = 0.5\nkinetic 1/2*(1 + x^2)*x'^2 + x*y*x'*y' + 1/2*(2 + y^2)*y'^2\npotential x*y\n"},
    {"quasi, knife edge",
     "param m = 1, J = 0.5, g = 9.81, alpha = 30*deg\ncoord P = (0, 0), phi\nlet e = (cos(phi), sin(phi))\n"
     "kinetic 1/2*m*P'^2 + 1/2*J*phi'^2\npotential -m*g*sin(alpha)*P.x\nconstraint edge: cross(e, P') = 0\n"
     "quasi u = dot(e, P'), w = phi'\nforce P.x = -0.3*P.x'\n"},
    {"quasi, affine",
     "param m = 2\ncoord x = 0.3, y = 0.5, z\nkinetic 1/2*m*(x'^2 + y'^2 + z'^2) + 0.3*x*x'*y'\n"
     "constraint c: z' - y*x' = cos(t)*x\nquasi a = y' + t, b = y*z' + x'\nforce x = z' + 1\ndissipation 1/2*y'^2\n"},
    {"quasi, positions",
     "param l = 1\ncoord x = 0.6, y = -0.8\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = "
     "l^2*(1 + 0.1*t)\n"
     "quasi w = (x*y' - y*x')/l^2\n"},
};

static void test_all(void** state) {
  (void)state;
  check_all_models(check_model);
}

static void test_for_paper(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof for_paper / sizeof *for_paper; i++) check_model(for_paper[i].name, for_paper[i].text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_for_paper)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
