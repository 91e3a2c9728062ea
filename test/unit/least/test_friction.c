/* Contacts with friction against enumeration: each contact is taken to be open, to stick, or to slip one way or the other;
 * every combination is a set of linear equations, and its answer is tried on the inequalities. What is found is tried
 * on Coulomb's law itself, written down once more. */
#include "least/friction.h"

#include <string.h>

#include "least/lu.h"
#include "numbers.h"

enum { N_MAX = 7, COUNT_MAX = 3, ROWS_MAX = 3 * COUNT_MAX };

typedef struct Problem {
  int32_t n, m, count, rows;
  double M[N_MAX * N_MAX], h[N_MAX], A[N_MAX], b[1];
  double G[ROWS_MAX * N_MAX], g[ROWS_MAX];
  ZwRub rubs[COUNT_MAX];
} Problem;

typedef struct Solver {
  ZwLeast* least;
  ZwOneSided* rows;
  ZwFriction* friction;
} Solver;

static Solver open_solver(void) {
  return (Solver){zw_least_place(malloc(zw_least_work_size(N_MAX, N_MAX)), N_MAX, N_MAX), NULL, NULL};
}

static void close_solver(Solver* solver) {
  free(solver->least);
  free(solver->rows);
  free(solver->friction);
}

/* ---- problems ---- */

static void draw_masses(Problem* p, Random* random) {
  double B[N_MAX * N_MAX];
  for (int32_t i = 0; i < p->n * p->n; i++) B[i] = random_number(random);
  for (int32_t i = 0; i < p->n; i++) {
    for (int32_t j = 0; j < p->n; j++) {
      double sum = i == j ? 0.5 : 0;
      for (int32_t l = 0; l < p->n; l++) sum += B[i * p->n + l] * B[j * p->n + l];
      p->M[i * p->n + j] = sum;
    }
  }
}

static void draw(Problem* p, Random* random, int32_t dim, double mu_most) {
  *p = (Problem){.n = random_int(random, dim + 1, N_MAX), .count = random_int(random, 1, COUNT_MAX)};
  p->m = random_int(random, 0, 1);
  draw_masses(p, random);
  for (int32_t i = 0; i < p->n; i++) p->h[i] = 3 * random_number(random);
  for (int32_t i = 0; i < p->n; i++) p->A[i] = random_number(random);
  p->b[0] = random_number(random);
  for (int32_t i = 0; i < p->count; i++) {
    ZwRub* rub = &p->rubs[i];
    rub->dim = random_int(random, 0, 4) == 0 ? 0 : dim;
    rub->gap = p->rows;
    rub->slip = p->rows + 1;
    rub->mu = mu_most * fabs(random_number(random));
    rub->is_slipping = random_int(random, 0, 2) == 0;
    double angle = 7 * random_number(random), length = dim == 2 ? fabs(random_number(random)) : 1;
    rub->along[0] = dim == 2 ? length * cos(angle) : random_int(random, 0, 1) ? 1 : -1;
    rub->along[1] = dim == 2 ? length * sin(angle) : 0;
    for (int32_t r = 0; r <= rub->dim; r++, p->rows++) {
      for (int32_t j = 0; j < p->n; j++) p->G[p->rows * p->n + j] = random_number(random);
      p->g[p->rows] = random_number(random);
    }
  }
}

/* The last contact once more, as a second foot at the same place. */
static void repeat_last(Problem* p) {
  if (p->count == COUNT_MAX) return;
  const ZwRub* last = &p->rubs[p->count - 1];
  ZwRub* copy = &p->rubs[p->count++];
  *copy = *last;
  copy->gap = p->rows;
  copy->slip = p->rows + 1;
  for (int32_t r = 0; r <= last->dim; r++, p->rows++) {
    memcpy(p->G + p->rows * p->n, p->G + (last->gap + r) * p->n, (size_t)p->n * sizeof(double));
    p->g[p->rows] = p->g[last->gap + r];
  }
}

static ZwStatus solve(const Problem* p, Solver* solver) {
  free(solver->rows);
  free(solver->friction);
  free(solver->least);
  solver->least = zw_least_place(malloc(zw_least_work_size(p->n, p->n)), p->n, p->n);
  solver->rows = zw_onesided_place(malloc(zw_onesided_work_size(p->n, p->rows)), p->n, p->rows);
  solver->friction = zw_friction_place(malloc(zw_friction_work_size(p->n, p->count, p->rows, p->count)), p->n, p->count,
                                       p->rows, p->count);
  assert_int_equal(zw_least_factor(solver->least, p->m, p->M, p->A), ZW_OK);
  assert_int_equal(zw_onesided_prepare(solver->rows, solver->least, p->M, p->h, p->b, p->rows, p->G, p->g), ZW_OK);
  memcpy(solver->friction->rubs, p->rubs, (size_t)p->count * sizeof(ZwRub));
  solver->friction->count = p->count;
  return zw_friction_solve(solver->friction, solver->rows);
}

/* ---- Coulomb's law ---- */

/* The largest violation, of forces p and what they do, as a part of the forces. */
static double violation_of(const Problem* problem, const double* p, const double* w) {
  double worst = 0, size = 1;
  for (int32_t r = 0; r < problem->rows; r++) size = fmax(size, fabs(p[r]));
  for (int32_t i = 0; i < problem->count; i++) {
    const ZwRub* rub = &problem->rubs[i];
    double N = p[rub->gap], gap = w[rub->gap], limit = rub->mu * N;
    worst = fmax(worst, fmax(-N, -gap));
    worst = fmax(worst, fabs(fmin(N, gap)));
    const double *T = p + rub->slip, *slip = w + rub->slip;
    double length = 0, speed = 0, power = 0;
    for (int32_t k = 0; k < rub->dim; k++) {
      if (rub->is_slipping) worst = fmax(worst, fabs(T[k] + limit * rub->along[k]));
      length = hypot(length, T[k]);
      speed = hypot(speed, slip[k]);
      power += T[k] * slip[k];
    }
    if (rub->dim == 0 || rub->is_slipping) continue;
    worst = fmax(worst, length - limit);
    worst = fmax(worst, fabs(power + limit * speed)); /* the most that friction can take */
  }
  return worst / size;
}

/* M a = h + A^T lambda + G^T p, A a = b, w = G a - g: from the definition, by elimination. */
static void apply(const Problem* problem, const double* p, double* a, double* w) {
  enum { SIZE = N_MAX + 1 };
  double K[SIZE * SIZE] = {0}, x[SIZE];
  int32_t n = problem->n, m = problem->m, size = n + m, swap[SIZE];
  for (int32_t i = 0; i < n; i++) {
    x[i] = problem->h[i];
    for (int32_t j = 0; j < n; j++) K[i * size + j] = problem->M[i * n + j];
    for (int32_t r = 0; r < problem->rows; r++) x[i] += problem->G[r * n + i] * p[r];
    if (m) K[i * size + n] = -problem->A[i];
    if (m) K[n * size + i] = problem->A[i];
  }
  if (m) x[n] = problem->b[0];
  (void)zw_lu_factor(size, K, swap);
  zw_lu_solve(size, K, swap, x);
  memcpy(a, x, (size_t)n * sizeof(double));
  for (int32_t r = 0; r < problem->rows; r++) {
    w[r] = -problem->g[r];
    for (int32_t j = 0; j < n; j++) w[r] += problem->G[r * n + j] * x[j];
  }
}

/* ---- enumeration, one direction ---- */

typedef enum Way { OPEN, HELD, FORWARDS, BACKWARDS, WAYS } Way;

/* Forces with every contact in its way; false where they are not determined. */
static bool solve_ways(const Problem* problem, const ZwOneSided* rows, const Way* ways, double* p) {
  double K[ROWS_MAX * ROWS_MAX] = {0}, x[ROWS_MAX];
  int32_t size = problem->rows, swap[ROWS_MAX];
  for (int32_t i = 0; i < size; i++) {
    K[i * size + i] = 1; /* no force */
    x[i] = 0;
  }
  for (int32_t i = 0; i < problem->count; i++) {
    const ZwRub* rub = &problem->rubs[i];
    double along = rub->is_slipping ? rub->along[0] : ways[i] == BACKWARDS ? -1 : 1;
    if (ways[i] == OPEN) continue;
    memcpy(K + rub->gap * size, rows->D + rub->gap * size, (size_t)size * sizeof(double));
    x[rub->gap] = -rows->w0[rub->gap];
    if (rub->dim == 0) continue;
    if (ways[i] == HELD && !rub->is_slipping) {
      memcpy(K + rub->slip * size, rows->D + rub->slip * size, (size_t)size * sizeof(double));
      x[rub->slip] = -rows->w0[rub->slip];
    } else {
      K[rub->slip * size + rub->gap] = rub->mu * along;
    }
  }
  if (!(zw_lu_factor(size, K, swap) > 1e-10)) return false;
  zw_lu_solve(size, K, swap, x);
  memcpy(p, x, (size_t)size * sizeof(double));
  return true;
}

/* How many answers there are, with different a; where contacts repeat each other it may overlook one. The
 * first one goes into `first`. */
static int enumerate(const Problem* problem, const ZwOneSided* rows, double* first) {
  int found = 0, all = 1;
  double others[8][N_MAX];
  for (int32_t i = 0; i < problem->count; i++) all *= WAYS;
  for (int code = 0; code < all; code++) {
    Way ways[COUNT_MAX];
    double p[ROWS_MAX], a[N_MAX], w[ROWS_MAX];
    for (int32_t i = 0, rest = code; i < problem->count; i++, rest /= WAYS) ways[i] = (Way)(rest % WAYS);
    if (!solve_ways(problem, rows, ways, p)) continue;
    apply(problem, p, a, w);
    if (violation_of(problem, p, w) > 1e-9) continue;
    bool is_new = true;
    for (int k = 0; k < found; k++) {
      double off = 0;
      for (int32_t j = 0; j < problem->n; j++) off = fmax(off, fabs(a[j] - others[k][j]));
      is_new = is_new && off > 1e-6;
    }
    if (!is_new || found == 8) continue;
    if (found == 0) memcpy(first, a, sizeof a);
    memcpy(others[found++], a, sizeof a);
  }
  return found;
}

typedef struct Tally {
  int problems, unique, several, none, missed, unsound;
  double off, violation;
} Tally;

static void try_one(const Problem* p, Solver* solver, Tally* tally) {
  double first[N_MAX], a[N_MAX], w[ROWS_MAX];
  ZwStatus status = solve(p, solver);
  int found = enumerate(p, solver->rows, first);
  tally->problems++;
  tally->unique += found == 1;
  tally->several += found > 1;
  tally->none += found == 0;
  tally->missed += found > 0 && status != ZW_OK;
  tally->unsound += !zw_friction_is_sound(solver->friction, solver->rows);
  if (status) {
    assert_int_equal(status, ZW_ERR_INCONSISTENT);
    return;
  }
  apply(p, solver->friction->p, a, w);
  double violation = violation_of(p, solver->friction->p, w);
  tally->violation = fmax(tally->violation, violation);
  for (int32_t j = 0; j < p->n; j++) {
    assert_near(solver->friction->a[j], a[j], 1e-9 * (1 + fabs(a[j])));
    if (found == 1) tally->off = fmax(tally->off, fabs(a[j] - first[j]) / (1 + fabs(first[j])));
  }
  for (int32_t r = 0; r < p->rows; r++) assert_near(solver->friction->w[r], w[r], 1e-8 * (1 + fabs(w[r])));
}

static void lines_agree_with_enumeration(void** state) {
  (void)state;
  const double mu_most[] = {0.2, 0.6, 3};
  for (int kind = 0; kind < 3; kind++) {
    Solver solver = open_solver();
    Tally tally = {0};
    Random random = random_from(6 + (uint64_t)kind);
    for (int i = 0; i < 5000; i++) {
      Problem p;
      draw(&p, &random, 1, mu_most[kind]);
      if (i % 5 == 0) repeat_last(&p);
      try_one(&p, &solver, &tally);
    }
    print_message("mu <= %g: %d with one answer, %d with several, %d with none; %d missed; off by %.2g, law by %.2g\n",
                  mu_most[kind], tally.unique, tally.several, tally.none, tally.missed, tally.off, tally.violation);
    assert_true(tally.violation < 1e-8 && tally.off < 1e-7);
    if (kind < 2) assert_int_equal(tally.missed, 0);
    close_solver(&solver);
  }
}

/* ---- discs ---- */

static void discs_obey_the_law(void** state) {
  (void)state;
  const double mu_most[] = {0.2, 0.6, 1.5};
  for (int kind = 0; kind < 3; kind++) {
    Solver solver = open_solver();
    double worst = 0;
    int none = 0, sticking = 0;
    Random random = random_from(60 + (uint64_t)kind);
    for (int i = 0; i < 1000; i++) {
      Problem p;
      double a[N_MAX], w[ROWS_MAX];
      draw(&p, &random, 2, mu_most[kind]);
      if (i % 5 == 0) repeat_last(&p);
      ZwStatus status = solve(&p, &solver);
      none += status != ZW_OK;
      if (status) continue;
      apply(&p, solver.friction->p, a, w);
      worst = fmax(worst, violation_of(&p, solver.friction->p, w));
      for (int32_t k = 0; k < p.count; k++) {
        const ZwRub* rub = &solver.friction->rubs[k];
        bool is_held = rub->dim > 0 && !rub->is_slipping;
        sticking += is_held && hypot(rub->T[0], rub->T[1]) < (1 - 1e-8) * rub->mu * rub->N;
      }
    }
    print_message("mu <= %g: 1000 with discs, %d sticking, %d without an answer, law by %.2g\n", mu_most[kind],
                  sticking, none, worst);
    assert_true(worst < 1e-9 && sticking > 20 * kind);
    close_solver(&solver);
  }
}

/* ---- Painleve's rod ---- */

/* A rod of mass 1, half length 1, at an angle, its lower end slipping on the ground: p = 1 + 3 cos^2 - 3 mu sin cos for a slip
 * to the left; where it is negative the force has no answer or two. */
static void finds_what_is_unsound(void** state) {
  (void)state;
  Solver solver = open_solver();
  for (int i = 0; i < 200; i++) {
    double angle = 0.05 + 1.4 * i / 200, mu = 0.2 + 0.02 * i, c = cos(angle), s = sin(angle);
    Problem p = {.n = 3, .count = 1, .rows = 2};
    p.M[0] = p.M[4] = 1;
    p.M[8] = 1.0 / 3;
    p.h[1] = -9.81;
    /* the lower end is at (x - cos, y - sin) */
    const double G[] = {0, 1, -c, 1, 0, s};
    memcpy(p.G, G, sizeof G);
    p.rubs[0] = (ZwRub){.gap = 0, .slip = 1, .dim = 1, .mu = mu, .is_slipping = true, .along = {1, 0}};
    bool is_sound = 1 + 3 * c * c + 3 * mu * s * c > 0; /* to the right the friction lifts the rod off */
    (void)solve(&p, &solver);
    assert_int_equal(zw_friction_is_sound(solver.friction, solver.rows), is_sound);
    solver.friction->rubs[0].along[0] = -1;
    is_sound = 1 + 3 * c * c - 3 * mu * s * c > 0;
    assert_int_equal(zw_friction_is_sound(solver.friction, solver.rows), is_sound);
  }
  close_solver(&solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(discs_obey_the_law),
      cmocka_unit_test(finds_what_is_unsound),
      cmocka_unit_test(lines_agree_with_enumeration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
