/* Starts that were typed badly: the start values of every example with constraints are thrown about at random, by 1e-3 to
 * half of their size and now and then by several times it, some guesses and velocities are typed besides, and the start is
 * made consistent. It must be solved or refused with names, and what is solved must be the nearest assembly or say that
 * there is a choice.
 *
 * Consistent is judged by the model's own expressions in long double, rates by differences (precise.h). Nearest is judged
 * by assemblies this file finds by itself: along a homotopy r(x) = (1 - s) r(typed), and from random guesses by damped
 * Gauss-Newton steps of least length, each then pulled towards the typed values along the constraints; linear algebra by
 * LAPACK. They need not be nearest themselves: any of them that is nearer than the program's answer, with no note, is a
 * wrong branch. All draws with ZW_LONG set, a fixed sample otherwise. */
#include <lapacke.h>

#include "drawn.h"
#include "precise.h"
#include "stages.h"

enum { SIZE = PRECISE_MAX };

/* ---- a level of the start, seen from here ---- */

typedef struct Problem {
  ZwSim* sim;
  ZwLevel level;
  const double* q; /* of a velocity problem */
  int32_t n, m;
  int32_t rows[2 * SIZE];
  double typed[SIZE];
  ZwHold hold[SIZE];
  bool is_fixed[SIZE];
  double L[SIZE * SIZE]; /* factor of the metric, each degree of hold by itself */
  double w[SIZE];        /* weights */
  double r[2 * SIZE], J[2 * SIZE * SIZE];
} Problem;

static bool eval(Problem* p, const double* x) {
  ZwSim* sim = p->sim;
  bool is_position = p->level == ZW_LEVEL_POSITION;
  bool is_finite = is_position ? zw_eval_position(sim, sim->t, x) : zw_eval_velocity(sim, sim->t, p->q, x);
  is_finite = is_finite && zw_eval_start(sim, sim->t, is_position ? x : p->q, is_position ? sim->zero : x);
  const double* residual = is_position ? sim->phi : sim->psi;
  for (int32_t i = 0; i < p->m; i++) p->r[i] = residual[p->rows[i]];
  zw_eval_dense_rows(sim, p->rows, p->m, p->J);
  return is_finite;
}

/* The metric as documented: M at the typed values, ones for coordinates without mass, and a millionth of the masses for
 * combinations that have none. */
static void find_metric(Problem* p, const double* M) {
  int32_t n = p->n;
  for (int attempt = 0; attempt < 3; attempt++) {
    for (int32_t i = 0; i < n * n; i++) {
      int32_t row = i / n, column = i % n;
      p->L[i] = p->hold[row] == p->hold[column] && (attempt < 2 || row == column) ? M[i] : 0;
      if (row == column && !(p->L[i] > 0)) p->L[i] = 1;
      if (row == column && attempt == 1) p->L[i] *= 1 + 1e-6;
    }
    /* rounding may leave a pivot where there is none */
    bool is_definite = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, p->L, n) == 0;
    for (int32_t i = 0; i < n && is_definite; i++) {
      is_definite = p->L[i * n + i] * p->L[i * n + i] > 1e-13 * (M[i * n + i] > 0 ? M[i * n + i] : 1);
    }
    if (is_definite) return;
  }
  fail_msg("there is no metric");
}

/* sqrt(w) L^T (x - typed) */
static double lengths(const Problem* p, const double* x, double* y) {
  double sum = 0;
  for (int32_t j = 0; j < p->n; j++) {
    y[j] = 0;
    for (int32_t i = j; i < p->n; i++) y[j] += p->L[i * p->n + j] * (x[i] - p->typed[i]);
    y[j] *= sqrt(p->w[j]);
    sum += y[j] * y[j];
  }
  return 0.5 * sum;
}

/* The smallest dy with J dy = right, in the lengths above, as a step of x. */
static bool least_step(const Problem* p, const double* right, double* dy, double* dx) {
  int32_t n = p->n, m = p->m, rank;
  double A[2 * SIZE * SIZE], b[2 * SIZE], sigma[2 * SIZE];
  for (int32_t i = 0; i < m; i++) { /* J L^-T / sqrt(w) */
    for (int32_t j = 0; j < n; j++) {
      double sum = p->is_fixed[j] ? 0 : p->J[i * n + j];
      for (int32_t k = 0; k < j; k++) sum -= p->L[j * n + k] * A[i * n + k];
      A[i * n + j] = sum / p->L[j * n + j];
    }
  }
  for (int32_t i = 0; i < m * n; i++) A[i] /= sqrt(p->w[i % n]);
  memset(b, 0, sizeof b);
  memcpy(b, right, (size_t)m * sizeof(double));
  if (LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m, n, 1, A, n, b, 1, sigma, 1e-10, &rank)) return false;
  memcpy(dy, b, (size_t)n * sizeof(double));
  for (int32_t j = n - 1; j >= 0; j--) {
    double sum = dy[j] / sqrt(p->w[j]);
    for (int32_t i = j + 1; i < n; i++) sum -= p->L[i * n + j] * dx[i];
    dx[j] = sum / p->L[j * n + j];
  }
  for (int32_t j = 0; j < n; j++) dx[j] = p->is_fixed[j] ? 0 : dx[j];
  return true;
}

static double size_of(const double* r, int32_t m) {
  double sum = 0;
  for (int32_t i = 0; i < m; i++) sum += r[i] * r[i];
  return sqrt(sum);
}

/* Damped Gauss-Newton onto r(x) = goal. */
static bool onto(Problem* p, const double* goal, int steps, double* x) {
  double right[2 * SIZE], dy[SIZE], dx[SIZE], trial[SIZE];
  for (int k = 0; k < steps; k++) {
    if (!eval(p, x)) return false;
    for (int32_t i = 0; i < p->m; i++) right[i] = goal[i] - p->r[i];
    double before = size_of(right, p->m);
    if (before < 1e-11) return true;
    if (!least_step(p, right, dy, dx)) return false;
    double part = 1, after = INFINITY;
    for (; part > 1e-4; part /= 2) {
      for (int32_t j = 0; j < p->n; j++) trial[j] = x[j] + part * dx[j];
      if (!eval(p, trial)) continue;
      for (int32_t i = 0; i < p->m; i++) right[i] = goal[i] - p->r[i];
      after = size_of(right, p->m);
      if (after < before * (1 - 0.1 * part)) break;
    }
    if (!(after < before)) return before < 1e-9;
    memcpy(x, trial, sizeof trial);
  }
  return false;
}

/* From the typed values, r falling to zero in small steps. */
static bool homotopy(Problem* p, double* x) {
  double first[2 * SIZE], goal[2 * SIZE];
  memcpy(x, p->typed, sizeof p->typed);
  if (!eval(p, x)) return false;
  memcpy(first, p->r, sizeof first);
  for (int k = 1; k <= 40; k++) {
    for (int32_t i = 0; i < p->m; i++) goal[i] = first[i] * (1 - k / 40.0);
    if (!onto(p, goal, 25, x)) return false;
  }
  return true;
}

/* Along the rows towards the typed values. */
static double pull(Problem* p, double* x) {
  static const double zero[2 * SIZE];
  double y[SIZE], right[2 * SIZE], dy[SIZE], dx[SIZE], trial[SIZE], unused[SIZE], part = 1;
  double cost = lengths(p, x, y);
  for (int k = 0; k < 60 && part > 1e-4; k++) {
    if (!eval(p, x)) break;
    for (int32_t i = 0; i < p->m; i++) { /* J L^-T y = J (x - typed) */
      right[i] = 0;
      for (int32_t j = 0; j < p->n; j++) right[i] += p->is_fixed[j] ? 0 : p->J[i * p->n + j] * (x[j] - p->typed[j]);
    }
    if (!least_step(p, right, dy, dx)) break;
    for (int32_t j = 0; j < p->n; j++) {
      trial[j] = p->is_fixed[j] ? x[j] : x[j] + part * (dx[j] - (x[j] - p->typed[j]));
    }
    double found = onto(p, zero, 25, trial) ? lengths(p, trial, unused) : INFINITY;
    if (!(found < cost * (1 - 1e-9))) {
      part /= 2;
      continue;
    }
    cost = found;
    memcpy(x, trial, sizeof trial);
    part = fmin(1, 1.5 * part);
  }
  return cost;
}

/* The cost of the firmest that moves; softer values count with a part of it. */
static double cost_of(const Problem* p, ZwHold firmest, double soft, const double* x) {
  double y[SIZE], sum = 0;
  (void)lengths(p, x, y);
  for (int32_t i = 0; i < p->n; i++) {
    double weight = p->hold[i] >= firmest ? 1 : p->hold[i] == ZW_HOLD_FREE ? 0.1 * soft : soft;
    sum += weight * 0.5 * y[i] * y[i] / p->w[i];
  }
  return sum;
}

/* Is x nearer than the answer? Not if softer values had to go a hundred thousand times as far for it: a drawing is not turned
 * over for the last digits of a typed value. */
static bool is_nearer(const Problem* p, ZwHold firmest, const double* x, const double* answer) {
  double cost = cost_of(p, firmest, 0, answer), in_all = cost_of(p, firmest, 1e-5, answer);
  return cost > cost_of(p, firmest, 0, x) * (1 + 1e-3) + 1e-14 && in_all > cost_of(p, firmest, 1e-5, x);
}

static void let_move(Problem* p, ZwHold firmest) {
  for (int32_t i = 0; i < p->n; i++) {
    p->is_fixed[i] = p->hold[i] > firmest;
    p->w[i] = p->hold[i] >= firmest ? 1 : 1e-4;
  }
}

/* Looks for assemblies nearer than the answer; the nearest of them in `best`. */
static bool find_nearer(Problem* p, ZwHold firmest, int guesses, Random* random, const double* answer, double* best) {
  static const double zero[2 * SIZE];
  bool is_found = false;
  double x[SIZE];
  let_move(p, firmest);
  for (int k = 0; k <= guesses; k++) {
    for (int32_t j = 0; j < p->n; j++) {
      double width = (k % 4 + 1) * 0.3 * (1 + fabs(p->typed[j])) * (p->hold[j] == firmest ? 0.4 : 1);
      x[j] = p->typed[j] + (p->is_fixed[j] ? 0 : width * random_number(random));
    }
    if (!(k == 0 ? homotopy(p, x) : onto(p, zero, 60, x))) continue;
    (void)pull(p, x);
    if (!is_nearer(p, firmest, x, is_found ? best : answer)) continue;
    memcpy(best, x, sizeof x);
    is_found = true;
  }
  return is_found;
}

/* ---- one throw ---- */

typedef struct Tally {
  int consistent, moved, noted, refused, missed;
} Tally;

typedef struct Throw {
  const char* name;
  int draw;
  Stages* stages;
  Random* random;
  Tally* tally;
} Throw;

static bool has_text(const Throw* t, ZwSeverity severity, const char* part) {
  for (int32_t i = 0; i < t->stages->diags.list.count; i++) {
    const ZwDiag* diag = &t->stages->diags.list.items[i];
    if (diag->severity == severity && strstr(diag->text, part)) return true;
  }
  return false;
}

static void show(const Throw* t) {
  for (int32_t i = 0; i < t->stages->diags.list.count; i++) {
    print_message("  %s\n", t->stages->diags.list.items[i].text);
  }
}

static bool has_choice_note(const Throw* t) {
  return has_text(t, ZW_SEVERITY_NOTE, "satisfy the constraints") ||
         has_text(t, ZW_SEVERITY_NOTE, "satisfies the constraints");
}

/* The constraints by their own expressions. */
static void check_consistent(const Throw* t) {
  const Stages* stages = t->stages;
  const ZwSim* sim = stages->sim;
  static Precise precise;
  precise_init(&precise, &stages->system.graph, &t->stages->arena);
  precise.tables = &stages->system.tables;
  double fast = 1 + largest(sim->n, sim->y + sim->n),
         slow = 1 / (256 * fast); /* differences see no bends in so short a time */
  Point at = {.t = sim->t}, drift = {.t = slow};
  assert_true(stages->system.params.count <= PRECISE_PARAMS);
  for (int32_t i = 0; i < stages->system.params.count; i++) at.p[i] = sim->values[i];
  for (int32_t i = 0; i < sim->n; i++) {
    at.q[i] = sim->y[i];
    at.v[i] = sim->y[sim->n + i];
    drift.q[i] = slow * at.v[i];
  }
  for (int32_t i = 0; i < stages->system.terms.count; i++) {
    const ZwTerm* term = &stages->system.terms.items[i];
    bool is_exact = term->kind == ZW_TERM_EXACT;
    if ((term->kind != ZW_TERM_CONSTRAINT && !is_exact) || term->gate > 0) continue;
    if (is_exact && sim->m_start == sim->m) continue;
    long double value = term->level <= ZW_LEVEL_VELOCITY ? precise_eval(&precise, term->value, &at) : 0;
    long double rate =
        term->level == ZW_LEVEL_POSITION && !is_exact ? precise_first(&precise, term->value, &at, &drift) / slow : 0;
    long double size = 1;
    for (int32_t j = 0; j < sim->n; j++) {
      Point along = {0};
      along.q[j] = slow;
      /* a gradient of a thousand, as of a disc that nearly lies flat, magnifies the rounding of the state */
      size = fmaxl(size, fmaxl(fabsl(at.q[j]), fabsl(at.v[j])));
      size = fmaxl(size, sqrtl(fabsl(precise_first(&precise, term->value, &at, &along)) / slow));
    }
    if (fabsl(value) < 1e-10L * size * size && fabsl(rate) < 1e-9L * size * size) continue;
    show(t);
    fail_msg("%s, draw %d: '%.*s' is off by %Lg, its rate by %Lg", t->name, t->draw, ZW_STR_ARGS(term->name), value,
             rate);
  }
}

static void open_problem(Problem* p, ZwSim* sim, ZwLevel level, const double* typed, const double* q) {
  *p = (Problem){.sim = sim, .level = level, .n = sim->n, .q = q};
  memcpy(p->typed, typed, (size_t)sim->n * sizeof(double));
  for (int32_t i = 0; i < sim->n; i++) p->hold[i] = sim->hold[level == ZW_LEVEL_POSITION ? i : sim->n + i];
  for (int32_t i = 0; i < sim->m_start; i++) {
    ZwLevel own = sim->equations->rows.items[i].level;
    if (i < sim->m ? own <= level && zw_rows_is_on(sim, i) : own == level) p->rows[p->m++] = i;
  }
  assert_true(p->m <= 2 * SIZE);
}

/* The largest difference of values that hold at least so firmly, in units of 1 + their size. */
static double apart(const Problem* p, ZwHold firmest, const double* x, const double* y) {
  double most = 0;
  for (int32_t i = 0; i < p->n; i++) {
    if (p->hold[i] >= firmest) most = fmax(most, fabs(x[i] - y[i]) / (1 + fabs(p->typed[i])));
  }
  return most;
}

/* Is the answer of one level the nearest assembly there is, as far as this file can tell? */
static void check_level(const Throw* t, ZwLevel level, const double* typed, const double* q, const double* M,
                        const double* answer) {
  ZwSim* sim = t->stages->sim;
  static Problem p;
  open_problem(&p, sim, level, typed, q);
  if (p.m == 0) return;
  ZwHold firmest = ZW_HOLD_FREE;
  for (int32_t i = 0; i < p.n; i++) {
    if (answer[i] != p.typed[i] && p.hold[i] > firmest) firmest = p.hold[i];
  }
  t->tally->moved += firmest == ZW_HOLD_TYPED;
  if (firmest == ZW_HOLD_FREE) return;
  find_metric(&p, M);
  double x[SIZE], guesses = getenv("ZW_LONG") ? 12 : 6;
  /* nothing firmer moves where something softer would do */
  let_move(&p, (ZwHold)(firmest - 1));
  bool is_enough = homotopy(&p, x);
  /* rows that would need a millionfold move are as good as dependent */
  double size = largest(p.n, answer) + largest(p.n, p.typed);
  if (is_enough && largest(p.n, x) < 1e6 * size && !has_choice_note(t)) {
    show(t);
    fail_msg("%s, draw %d: softer values would have done at level %d", t->name, t->draw, level);
  }
  if (!find_nearer(&p, firmest, (int)guesses, t->random, answer, x)) return;
  /* what was typed to a hundredth is on the side where it was typed and drawn; another side is another branch */
  if (apart(&p, firmest, answer, p.typed) < 0.01 && apart(&p, ZW_HOLD_GUESS, answer, x) > 0.1) return;
  if (has_choice_note(t)) {
    t->tally->missed++; /* it said so */
    return;
  }
  for (int32_t i = 0; i < p.n; i++) {
    print_message("  %.*s: %d, %g, is %g, nearer %g\n", ZW_STR_ARGS(sim->system->coords.items[i].name), p.hold[i],
                  p.typed[i], answer[i], x[i]);
  }
  show(t);
  fail_msg("%s, draw %d: another assembly is nearer at level %d, %.9g instead of %.9g", t->name, t->draw, level,
           cost_of(&p, firmest, 0, x), cost_of(&p, firmest, 0, answer));
}

/* A refusal names constraints and by how much they are off, or the one that says nothing. */
static void check_refusal(const Throw* t, ZwStatus status) {
  const ZwSim* sim = t->stages->sim;
  bool has_name = false;
  for (int32_t i = 0; i < sim->m_start; i++) {
    char name[300];
    (void)snprintf(name, sizeof name, "'%.*s'", ZW_STR_ARGS(zw_row_name(sim, i)));
    has_name = has_name || has_text(t, ZW_SEVERITY_ERROR, name);
  }
  bool says_why = has_text(t, ZW_SEVERITY_ERROR, "off by") || has_text(t, ZW_SEVERITY_ERROR, "vanishes") ||
                  has_text(t, ZW_SEVERITY_ERROR, "singular position") || has_text(t, ZW_SEVERITY_ERROR, "at t = 0");
  if (has_name && says_why) return;
  show(t);
  fail_msg("%s, draw %d: refused without names, with status %d", t->name, t->draw, (int)status);
}

static void metric_at(ZwSim* sim, const double* q, const double* v, double* M) {
  if (!zw_eval_acceleration(sim, sim->t, q, v)) {
    for (int32_t i = 0; i < sim->n * sim->n; i++) M[i] = i / sim->n == i % sim->n;
    return;
  }
  zw_eval_dense_M(sim);
  memcpy(M, sim->M, (size_t)(sim->n * sim->n) * sizeof(double));
}

static void check_throw(Throw* t) {
  ZwSim* sim = t->stages->sim;
  static double M[SIZE * SIZE], Mv[SIZE * SIZE];
  int32_t n = sim->n;
  zw_diag_init(&t->stages->diags, &t->stages->arena, &t->stages->sources); /* it takes a limited number */
  memset(sim->scale, 0, (size_t)sim->m * sizeof(double));
  zw_sim_set_up(sim, 0, 1e-8);
  /* every other time without exact starts: most of them would contradict what is thrown */
  int32_t m_start = sim->m_start;
  if (t->draw % 2 && sim->quasi_count == 0) sim->m_start = sim->m;
  metric_at(sim, sim->typed, sim->typed + n, M);
  ZwStatus status = zw_start(sim, 0);
  if (status) {
    t->tally->refused++;
    check_refusal(t, status);
    sim->m_start = m_start;
    return;
  }
  double y[2 * SIZE];
  memcpy(y, sim->y, (size_t)(2 * n) * sizeof(double));
  t->tally->consistent++;
  t->tally->noted += has_choice_note(t);
  check_consistent(t);
  check_level(t, ZW_LEVEL_POSITION, sim->typed, NULL, M, y);
  metric_at(sim, y, sim->typed + n, Mv);
  check_level(t, ZW_LEVEL_VELOCITY, sim->typed + n, y, Mv, y + n);
  sim->m_start = m_start;
}

/* ---- all throws ---- */

static void throw_about(Throw* t, const double* typed, const ZwHold* hold) {
  ZwSim* sim = t->stages->sim;
  Random* random = t->random;
  int32_t n = sim->n;
  double mean = 0, size = pow(10, -1.65 + 1.35 * random_number(random)); /* 1e-3 .. 0.5 */
  bool is_gross = t->draw % 10 == 9, types_more = t->draw % 3 == 2;
  if (is_gross) size = 2;
  for (int32_t i = 0; i < n; i++) mean += fabs(typed[i]) / n;
  for (int32_t i = 0; i < 2 * n; i++) {
    sim->hold[i] = hold[i];
    sim->typed[i] = typed[i];
    if (types_more && random_number(random) > 0.4 && (i >= n || hold[i] == ZW_HOLD_GUESS)) sim->hold[i] = ZW_HOLD_TYPED;
    if (sim->hold[i] == ZW_HOLD_FREE) continue;
    double width = fabs(typed[i]) + (i < n ? 0.3 * mean : 0.3);
    sim->typed[i] += size * width * random_number(random);
  }
}

static void throw_example(const char* name, Tally* all) {
  static double typed[2 * SIZE];
  static ZwHold hold[2 * SIZE];
  char* text = read_example(name);
  static Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  bool fits = sim->m > 0 && sim->n <= SIZE && sim->m_start <= 2 * SIZE;
  if (fits) {
    Random random = random_from(7001);
    Tally tally = {0};
    memcpy(typed, sim->typed, (size_t)(2 * sim->n) * sizeof(double));
    memcpy(hold, sim->hold, (size_t)(2 * sim->n) * sizeof(ZwHold));
    for (int k = 0; k < draws(12, 200); k++) {
      Throw t = {.name = name, .draw = k, .stages = &stages, .random = &random, .tally = &tally};
      throw_about(&t, typed, hold);
      check_throw(&t);
    }
    print_message(
        "%-22s n = %2d: %3d solved (%d moved typed values, %d with a note, %d of them not nearest), %d refused\n", name,
        (int)sim->n, tally.consistent, tally.moved, tally.noted, tally.missed, tally.refused);
    all->consistent += tally.consistent;
    all->moved += tally.moved;
    all->noted += tally.noted;
    all->refused += tally.refused;
    all->missed += tally.missed;
  }
  close_stages(&stages);
  free(text);
}

static void starts_thrown_about_are_solved_or_refused_with_names(void** state) {
  (void)state;
  Examples examples;
  list_examples(&examples);
  Tally all = {0};
  for (int i = 0; i < examples.count; i++) throw_example(examples.names[i], &all);
  print_message("all: %d solved (%d moved typed values, %d with a note, %d of them not nearest), %d refused\n",
                all.consistent, all.moved, all.noted, all.missed, all.refused);
  assert_true(all.moved > 50);
  assert_true(all.refused * 20 < all.consistent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_thrown_about_are_solved_or_refused_with_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
