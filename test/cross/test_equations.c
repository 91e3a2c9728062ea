/* M, h, A, b of every example, and of models that use what the examples do not, against a construction that knows no
 * derivative rule: the model's own energies, forces and constraints, evaluated in long double and differenced.
 *
 *   M = d2L/dv dv     h = dL/dq - (d2L/dv dq) v - d2L/dv dt + Q     Q = F d(rate)/dv - dR/dv
 *   position level  A = dphi/dq  b = -d2phi/ds2 along (t, q) + s (1, v)
 *   velocity level  A = dpsi/dv  b = -dpsi/ds   along the same
 *   acceleration    A = dchi/da  b = -chi at a = 0
 *
 * Tolerances: the differences are good to 1e-13 where a model is smooth over a step (see precise.h). Where it bends within
 * a step's reach (near the speed of light, close to the sun, bumps of a tenth of a second) the tenth derivatives cost up to
 * two digits: 2e-12 was the largest disagreement seen. */
#include "extras.h"
#include "precise.h"
#include "stages.h"

enum { STATES = 5, N_MAX = PRECISE_MAX };

static const double tol_first = 1e-11;  /* first differences: A, velocity-level b, Q, psi */
static const double tol_second = 1e-10; /* second differences: M, h, position-level b */

typedef struct Construction {
  Stages* stages;
  Precise precise;
  Point at;
  Point drift; /* (1, v): along the motion at a = 0 */
  int32_t n, m;
  /* each with the sum of the sizes of its parts, which rounding is relative to */
  long double M[N_MAX][N_MAX], h[N_MAX], Q[N_MAX], A[N_MAX][N_MAX], b[N_MAX], phi[N_MAX], psi[N_MAX];
  long double M_size, h_size[N_MAX], Q_size[N_MAX];
  long double energy, momentum, power;
} Construction;

/* ---- the construction ---- */

static Point along_v(int32_t i) {
  Point direction = {0};
  direction.v[i] = 1;
  return direction;
}

static Point along_q(int32_t i) {
  Point direction = {0};
  direction.q[i] = 1;
  return direction;
}

static Point along_a(int32_t i) {
  Point direction = {0};
  direction.a[i] = 1;
  return direction;
}

/* Coordinates an expression does not hold it does not move with. */
typedef struct Held {
  bool by[N_MAX];
} Held;

static Held held_by(Construction* c, ZwExpr e) {
  Held held = {{false}};
  ZwWalk* walk = &c->precise.walk;
  assert_true(zw_walk_collect(walk, c->precise.graph, &e, 1));
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(c->precise.graph, (ZwExpr){walk->order.items[i]});
    if (node->op == ZW_OP_COORD || node->op == ZW_OP_VELOCITY || node->op == ZW_OP_ACCELERATION) {
      held.by[node->u.index] = true;
    }
  }
  return held;
}

static void add_energy(Construction* c, ZwExpr L, long double sign) {
  Precise* p = &c->precise;
  Held held = held_by(c, L);
  const Point time = {.t = 1};
  /* of a large energy that hardly turns the differences see no further than their own rounding */
  long double noise = precise_second_noise(precise_eval(p, L, &c->at));
  c->M_size += noise / tol_second;
  for (int32_t i = 0; i < c->n; i++) {
    if (!held.by[i]) continue;
    Point vi = along_v(i), qi = along_q(i);
    for (int32_t j = 0; j <= i; j++) {
      if (!held.by[j]) continue;
      Point vj = along_v(j);
      long double value = i == j ? precise_second(p, L, &c->at, &vi) : precise_mixed(p, L, &c->at, &vi, &vj);
      c->M[i][j] += sign * value;
      if (i != j) c->M[j][i] += sign * value;
    }
    long double force = sign * precise_first(p, L, &c->at, &qi);
    long double turn = sign * precise_mixed(p, L, &c->at, &vi, &c->drift);
    c->h[i] += force - turn;
    c->h_size[i] += fabsl(force) + fabsl(turn) + noise / tol_second;
    long double pv = sign * precise_first(p, L, &c->at, &vi) * c->at.v[i];
    c->momentum += pv;
    c->energy += pv;
  }
  c->energy -= sign * precise_eval(p, L, &c->at);
  c->power -= sign * precise_first(p, L, &c->at, &time);
}

static void add_force(Construction* c, const ZwTerm* term) {
  Precise* p = &c->precise;
  bool is_dissipation = term->kind == ZW_TERM_DISSIPATION;
  long double factor = is_dissipation ? -1 : precise_eval(p, term->value, &c->at);
  for (int32_t i = 0; i < c->n; i++) {
    Point vi = along_v(i);
    long double value = factor * precise_first(p, is_dissipation ? term->value : term->rate, &c->at, &vi);
    c->Q[i] += value;
    c->Q_size[i] += fabsl(value);
  }
}

static void add_constraint(Construction* c, const ZwTerm* term, int32_t row) {
  Precise* p = &c->precise;
  ZwExpr e = term->value;
  Held held = held_by(c, e);
  for (int32_t i = 0; i < c->n; i++) {
    if (!held.by[i]) continue;
    Point direction = term->level == ZW_LEVEL_POSITION   ? along_q(i)
                      : term->level == ZW_LEVEL_VELOCITY ? along_v(i)
                                                         : along_a(i);
    c->A[row][i] = precise_first(p, e, &c->at, &direction);
  }
  switch (term->level) {
    case ZW_LEVEL_POSITION:
      c->phi[row] = precise_eval(p, e, &c->at);
      c->psi[row] = precise_first(p, e, &c->at, &c->drift);
      c->b[row] = -precise_second(p, e, &c->at, &c->drift);
      break;
    case ZW_LEVEL_VELOCITY:
      c->psi[row] = precise_eval(p, e, &c->at);
      c->b[row] = -precise_first(p, e, &c->at, &c->drift);
      break;
    case ZW_LEVEL_ACCELERATION:
      c->b[row] = -precise_eval(p, e, &c->at);
      break;
  }
}

static void construct(Construction* c) {
  const ZwSystem* system = &c->stages->system;
  int32_t row = 0;
  for (int32_t i = 0; i < system->terms.count; i++) {
    const ZwTerm* term = &system->terms.items[i];
    switch (term->kind) {
      case ZW_TERM_KINETIC:
      case ZW_TERM_LAGRANGIAN:
        add_energy(c, term->value, 1);
        break;
      case ZW_TERM_POTENTIAL:
        add_energy(c, term->value, -1);
        break;
      case ZW_TERM_DISSIPATION:
      case ZW_TERM_FORCE:
        add_force(c, term);
        break;
      case ZW_TERM_CONSTRAINT:
        add_constraint(c, term, row++);
        break;
      case ZW_TERM_GIBBS:
      case ZW_TERM_EXACT:
      case ZW_TERM_QUASI:
      case ZW_TERM_EVENT:
      case ZW_TERM_OUTPUT:
      case ZW_TERM_CLAIM:
        break;
    }
  }
}

/* ---- the states ---- */

/* Near the typed start, where the model means something; no accelerations. */
static void choose_state(Construction* c, Random* random, double* t, double* q, double* v) {
  const ZwSim* sim = c->stages->sim;
  *t = 0.5 + 0.5 * random_number(random);
  c->at = (Point){.t = *t};
  c->drift = (Point){.t = 1};
  for (int32_t i = 0; i < c->n; i++) {
    q[i] = sim->typed[i] + 0.2 * random_number(random);
    v[i] = sim->typed[c->n + i] + 0.2 * random_number(random);
    c->at.q[i] = q[i];
    c->at.v[i] = c->drift.q[i] = v[i];
  }
  for (int32_t i = 0; i < c->stages->system.params.count; i++) c->at.p[i] = sim->values[i];
}

/* ---- comparing ---- */

typedef struct Worst {
  double M, h, A, b;
} Worst;

static double off(long double got, long double want, long double size, double tol, const char* name, const char* what,
                  int32_t i, int32_t j) {
  long double error = fabsl(got - want), scale = fmaxl(fabsl(want), size);
  if (scale < 1e-12L) scale = 1e-12L;
  if (!(error <= tol * scale)) {
    fail_msg("%s: %s(%d, %d) is %.17Lg, differences give %.17Lg: off by %.3Lg relative", name, what, i, j, got, want,
             error / scale);
  }
  return (double)(error / scale);
}

static long double row_size(int32_t n, const long double* row) {
  long double size = 0;
  for (int32_t j = 0; j < n; j++) size = fmaxl(size, fabsl(row[j]));
  return size;
}

static void compare_mass(const Construction* c, const char* name, Worst* worst) {
  ZwSim* sim = c->stages->sim;
  zw_eval_dense_M(sim);
  for (int32_t i = 0; i < c->n; i++) {
    for (int32_t j = 0; j < c->n; j++) {
      long double size = fminl(row_size(c->n, c->M[i]), row_size(c->n, c->M[j])) + c->M_size;
      worst->M = fmax(worst->M, off(sim->M[i * c->n + j], c->M[i][j], size, tol_second, name, "M", i, j));
    }
    worst->h = fmax(worst->h, off(sim->hL[i], c->h[i], c->h_size[i], tol_second, name, "h", i, 0));
    worst->h = fmax(worst->h, off(sim->Q[i], c->Q[i], c->Q_size[i], tol_first, name, "Q", i, 0));
  }
  off(*sim->power, c->power, fabsl(c->energy) + fabsl(c->momentum), tol_first, name, "-dL/dt", 0, 0);
}

static void compare_rows(const Construction* c, const char* name, Worst* worst) {
  ZwSim* sim = c->stages->sim;
  int32_t rows[N_MAX];
  for (int32_t i = 0; i < c->m; i++) rows[i] = i;
  zw_eval_dense_rows(sim, rows, c->m, sim->all_rows);
  long double v = row_size(c->n, c->at.v), all_v = 1 + (long double)c->n * v;
  for (int32_t i = 0; i < c->m; i++) {
    ZwLevel level = sim->equations->rows.items[i].level;
    long double size = row_size(c->n, c->A[i]);
    for (int32_t j = 0; j < c->n; j++) {
      worst->A = fmax(worst->A, off(sim->all_rows[i * c->n + j], c->A[i][j], size, tol_first, name, "A", i, j));
    }
    double tol = level == ZW_LEVEL_POSITION ? tol_second : tol_first;
    worst->b = fmax(worst->b, off(sim->b[i], c->b[i], size * all_v, tol, name, "b", i, 0));
  }
}

/* The entries for projection and energy, at the same state. */
static void compare_residuals(const Construction* c, const char* name, double t, const double* q, const double* v) {
  ZwSim* sim = c->stages->sim;
  assert_true(zw_eval_position(sim, t, q));
  for (int32_t i = 0; i < c->m; i++) off(sim->phi[i], c->phi[i], 1, tol_first, name, "phi", i, 0);
  assert_true(zw_eval_velocity(sim, t, q, v));
  long double all_v = 1 + (long double)c->n * row_size(c->n, c->at.v);
  for (int32_t i = 0; i < c->m; i++) {
    off(sim->psi[i], c->psi[i], all_v * (1 + row_size(c->n, c->A[i])), tol_first, name, "psi", i, 0);
  }
  assert_true(zw_eval_energy(sim, t, q, v));
  long double size = fabsl(c->energy) + fabsl(c->momentum);
  off(sim->scalars[0], c->energy, size, tol_first, name, "energy", 0, 0);
  off(sim->scalars[1], c->momentum, size, tol_first, name, "v.p", 0, 0);
}

static void check_model(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  Random random = random_from(7);
  Worst worst = {0};
  int states = 0;
  for (int attempt = 0; attempt < 20 * STATES && states < STATES; attempt++) {
    Construction* c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->stages = &stages;
    c->n = stages.equations.n;
    c->m = stages.equations.m;
    assert_true(c->n <= N_MAX && c->m <= N_MAX && stages.system.params.count <= PRECISE_PARAMS);
    precise_init(&c->precise, &stages.system.graph, &stages.arena);
    double t = 0, q[N_MAX], v[N_MAX];
    choose_state(c, &random, &t, q, v);
    (void)zw_events_set_modes(stages.sim, t, q, v);
    if (zw_eval_acceleration(stages.sim, t, q, v)) {
      construct(c);
      compare_mass(c, name, &worst);
      compare_rows(c, name, &worst);
      compare_residuals(c, name, t, q, v);
      states++;
    }
    free(c);
  }
  assert_int_equal(states, STATES);
  print_message("%-24s M %.1g  h %.1g  A %.1g  b %.1g\n", name, worst.M, worst.h, worst.A, worst.b);
  close_stages(&stages);
}

static void test_all(void** state) {
  (void)state;
  check_all_models(check_model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
