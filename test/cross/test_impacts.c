/* Impacts where M depends on velocities (T32), on a second road: for L = -sqrt(1 - v^T B v) momenta, velocities and energy follow from each
 * other in closed form,
 *
 *   p = B v/sqrt(1 - v^T B v),   E = sqrt(1 + p^T B^-1 p),   v = B^-1 p/E,
 *
 * so that impulses are found here by bisection, one row after the other, and theta by bisection of the energy. Nothing of the program's
 * solves is used. With friction, where the answer is the program's, the laws themselves are looked at. */
#include "../reference/trajectory.h"

enum { N_MAX = 4, ROWS_MAX = 4, SWEEPS = 20000 };

typedef struct Impact {
  int n, gaps, rows; /* coordinates; one-sided rows; with the two-sided ones after them */
  double B[N_MAX][N_MAX], inverse[N_MAX][N_MAX];
  double A[ROWS_MAX][N_MAX], drift[ROWS_MAX], e[ROWS_MAX];
  double v[N_MAX], p[N_MAX]; /* before */
} Impact;

/* ---- closed forms ---- */

static double form(int n, double (*B)[N_MAX], const double* x) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) sum += x[i] * B[i][j] * x[j];
  }
  return sum;
}

static void times(int n, double (*B)[N_MAX], const double* x, double* y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += B[i][j] * x[j];
  }
}

static double energy_of(Impact* impact, const double* p) {
  return sqrt(1 + form(impact->n, impact->inverse, p));
}

static void velocity_of(Impact* impact, const double* p, double* v) {
  times(impact->n, impact->inverse, p, v);
  for (int i = 0; i < impact->n; i++) v[i] /= energy_of(impact, p);
}

static void momentum_of(Impact* impact, const double* v, double* p) {
  times(impact->n, impact->B, v, p);
  for (int i = 0; i < impact->n; i++) p[i] /= sqrt(1 - form(impact->n, impact->B, v));
}

static double rate_of(const Impact* impact, int row, const double* v) {
  double sum = impact->drift[row];
  for (int j = 0; j < impact->n; j++) sum += impact->A[row][j] * v[j];
  return sum;
}

/* ---- the answer by bisection ---- */

static void push(const Impact* impact, const double* impulse, double* p) {
  for (int j = 0; j < impact->n; j++) {
    p[j] = impact->p[j];
    for (int r = 0; r < impact->rows; r++) p[j] += impact->A[r][j] * impulse[r];
  }
}

static double rate_with(Impact* impact, int row, double* impulse, double own) {
  double p[N_MAX], v[N_MAX], kept = impulse[row];
  impulse[row] = own;
  push(impact, impulse, p);
  velocity_of(impact, p, v);
  impulse[row] = kept;
  return rate_of(impact, row, v);
}

/* The impulse of one row at which its rate is `target`, or for a gap 0 where it is more. */
static double settle_row(Impact* impact, int row, double* impulse, double target) {
  bool is_gap = row < impact->gaps;
  if (is_gap && rate_with(impact, row, impulse, 0) >= target) return 0;
  double low = is_gap ? 0 : -1e3, high = 1e3;
  for (int i = 0; i < 100; i++) {
    double middle = 0.5 * (low + high);
    *(rate_with(impact, row, impulse, middle) < target ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

static void settle(Impact* impact, const double* target, double* impulse, double* v) {
  double p[N_MAX];
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0;
    for (int r = 0; r < impact->rows; r++) {
      double next = settle_row(impact, r, impulse, target[r]);
      moved = fmax(moved, fabs(next - impulse[r]));
      impulse[r] = next;
    }
    if (moved < 1e-14) break;
  }
  push(impact, impulse, p);
  velocity_of(impact, p, v);
}

/* What the contacts take: E- - E+, and what walls that move have given. */
static double loss_of(Impact* impact, const double* impulse) {
  double p[N_MAX], loss = energy_of(impact, impact->p);
  push(impact, impulse, p);
  loss -= energy_of(impact, p);
  for (int r = 0; r < impact->rows; r++) loss -= impulse[r] * impact->drift[r];
  return loss;
}

static double answer_at(Impact* impact, double theta, double* impulse, double* v) {
  double target[ROWS_MAX] = {0};
  for (int r = 0; r < impact->gaps; r++) {
    double u = rate_of(impact, r, impact->v);
    target[r] = u < 0 ? -theta * impact->e[r] * u : 0;
  }
  settle(impact, target, impulse, v);
  return loss_of(impact, impulse);
}

/* theta; impulses and velocities after. */
static double answer(Impact* impact, double* impulse, double* v) {
  double plastic = answer_at(impact, 0, impulse, v), sum = 0, bounced = 0;
  for (int r = 0; r < impact->gaps; r++) {
    double u = rate_of(impact, r, impact->v), w = u < 0 ? -impulse[r] * u : 0;
    sum += w;
    bounced += impact->e[r] * impact->e[r] * w;
  }
  if (bounced == 0) return 0;
  double low = 0, high = 1, want = (1 - bounced / sum) * plastic;
  while (answer_at(impact, high, impulse, v) > want && high < 4) low = high, high *= 1.1;
  for (int i = 0; i < 45; i++) {
    double middle = 0.5 * (low + high);
    *(answer_at(impact, middle, impulse, v) > want ? &low : &high) = middle;
  }
  (void)answer_at(impact, 0.5 * (low + high), impulse, v);
  return 0.5 * (low + high);
}

/* ---- random impacts ---- */

static double draw(Random* random, double low, double high) {
  return low + (high - low) * (0.5 + 0.5 * random_number(random));
}

static void invert(int n, double (*B)[N_MAX], double (*inverse)[N_MAX]) {
  double T[N_MAX][2 * N_MAX] = {{0}};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) T[i][j] = B[i][j];
    T[i][n + i] = 1;
  }
  for (int k = 0; k < n; k++) { /* positive definite: no pivots */
    for (int j = 2 * n - 1; j >= 0; j--) T[k][j] /= T[k][k];
    for (int i = 0; i < n; i++) {
      double factor = T[i][k];
      for (int j = 0; i != k && j < 2 * n; j++) T[i][j] -= factor * T[k][j];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) inverse[i][j] = T[i][n + j];
  }
}

/* All gaps are zero and close. Two-sided rows hold before. */
static Impact draw_impact(Random* random, int n, int gaps, int two_sided) {
  Impact impact = {.n = n, .gaps = gaps, .rows = gaps + two_sided};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      impact.B[i][j] = impact.B[j][i] = i == j ? draw(random, 0.7, 1.3) : draw(random, -0.15, 0.15);
  }
  invert(n, impact.B, impact.inverse);
  for (int i = 0; i < n; i++) impact.v[i] = draw(random, -0.9, 0.9);
  double size = sqrt(form(n, impact.B, impact.v)), speed = draw(random, 0.2, 0.98);
  for (int i = 0; i < n; i++) impact.v[i] *= speed / size;
  momentum_of(&impact, impact.v, impact.p);
  for (int r = 0; r < impact.rows; r++) {
    for (int j = 0; j < n; j++) impact.A[r][j] = (j == r) + draw(random, -0.4, 0.4);
    bool is_two_sided = r >= gaps;
    impact.drift[r] = is_two_sided ? 0 : draw(random, -0.05, 0.05);
    double u = rate_of(&impact, r, impact.v);
    if (is_two_sided) impact.drift[r] = -u; /* a row that the velocity satisfies */
    if (!is_two_sided && u > 0) {
      for (int j = 0; j < n; j++) impact.A[r][j] *= -1;
      impact.drift[r] *= -1;
    }
    impact.e[r] =
        draw(random, 0, 1) < 0.2 ? 0 : draw(random, 0.1, 1); /* less, and bisection of the energy does not see it */
  }
  return impact;
}

static void write_row(char** to, const Impact* impact, int r) {
  *to += sprintf(*to, "%.17g*t", impact->drift[r]);
  for (int j = 0; j < impact->n; j++) *to += sprintf(*to, " + %.17g*x[%d]", impact->A[r][j], j + 1);
}

static void write_model(char* to, const Impact* impact) {
  to += sprintf(to, "coord x[1..%d]\nlagrangian -sqrt(1", impact->n);
  for (int i = 0; i < impact->n; i++) {
    for (int j = 0; j < impact->n; j++) to += sprintf(to, " - (%.17g)*x[%d]'*x[%d]'", impact->B[i][j], i + 1, j + 1);
  }
  to += sprintf(to, ")\n");
  for (int r = 0; r < impact->rows; r++) {
    to += sprintf(to, r < impact->gaps ? "contact c%d: " : "constraint r%d: ", r);
    write_row(&to, impact, r);
    to += r < impact->gaps ? sprintf(to, " >= 0, restitution %.17g\n", impact->e[r]) : sprintf(to, " = 0\n");
  }
  for (int i = 0; i < impact->n; i++) to += sprintf(to, "start x[%d]' = %.17g\n", i + 1, impact->v[i]);
  sprintf(to, "run 0 .. 1e-3\n");
}

typedef struct Log {
  Trajectory trajectory;
  double impulse[ROWS_MAX], friction[ROWS_MAX], lost, theta, work;
} Log;

static void log_contact(void* context, const ZwContactEvent* event) {
  Log* log = context;
  if (event->what != ZW_CONTACT_HIT || event->t > 0) return;
  log->impulse[event->contact] += event->impulse;
  log->friction[event->contact] += event->friction[0];
  log->lost += event->lost;
  log->work += event->wall_work;
  log->theta = event->theta;
}

static ZwStatus keep_first(void* context, const double* values) {
  return keep_row(&((Log*)context)->trajectory, values);
}

/* Velocities after the impact at the start. */
static const double* run_start(Log* log, const char* text) {
  *log = (Log){.trajectory = {.model = compile_text("impact", text), .rows_max = 1}};
  Trajectory* trajectory = &log->trajectory;
  trajectory->n = zw_model_coordinate_count(trajectory->model);
  trajectory->width = zw_model_column_count(trajectory->model);
  ZwRunDef how = zw_default_run_def();
  how.tolerance = 1e-12;
  how.row = keep_first;
  how.contact = log_contact;
  how.context = log;
  ZwStatus status = zw_run_create(trajectory->model, &how, &trajectory->run);
  if (!status) status = zw_run_go(trajectory->run);
  if (status != ZW_ERR_INTERRUPTED) {
    show_diags(trajectory);
    fail_msg("%s\n%s", zw_status_text(status), text);
  }
  return row_of(trajectory, 0) + 1 + trajectory->n;
}

static double compare(Random* random, int n, int gaps, int two_sided) {
  static Log log;
  char text[4000];
  Impact impact = draw_impact(random, n, gaps, two_sided);
  double impulse[ROWS_MAX] = {0}, v[N_MAX], worst = 0, work = 0;
  double theta = answer(&impact, impulse, v);
  for (int r = 0; r < impact.rows; r++) {
    if (fabs(impulse[r]) > 100) return compare(random, n, gaps, two_sided); /* no velocity below 1 satisfies all rows */
  }
  write_model(text, &impact);
  const double* got = run_start(&log, text);
  for (int j = 0; j < n; j++) worst = fmax(worst, fabs(got[j] - v[j]));
  for (int r = 0; r < gaps; r++) {
    worst = fmax(worst, fabs(log.impulse[r] - impulse[r]) / (1 + impulse[r]));
    work -= impulse[r] * impact.drift[r];
  }
  double loss = energy_of(&impact, impact.p), p[N_MAX];
  push(&impact, impulse, p);
  loss += work - energy_of(&impact, p);
  for (int r = gaps; r < impact.rows; r++) loss -= impulse[r] * impact.drift[r]; /* work of rows that move is no loss */
  worst = fmax(worst, fabs(log.lost - loss));
  worst = fmax(worst, fabs(log.work - work));
  if (theta > 0) worst = fmax(worst, 0.01 * fabs(log.theta - theta)); /* a small restitution hardly tells it */
  if (!(worst <= 1e-9)) fail_msg("off by %.3g: theta %.12g, not %.12g\n%s", worst, log.theta, theta, text);
  forget(&log.trajectory);
  return worst;
}

static void impacts_are_those_of_bisection(void** state) {
  (void)state;
  const struct {
    int n, gaps, two_sided, count;
  } kinds[] = {{1, 1, 0, 30}, {2, 1, 0, 60}, {3, 1, 1, 40}, {2, 2, 0, 40}, {3, 2, 1, 25}, {4, 3, 0, 15}};
  Random random = random_from(32);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    double worst = 0;
    for (int i = 0; i < kinds[k].count; i++) {
      worst = fmax(worst, compare(&random, kinds[k].n, kinds[k].gaps, kinds[k].two_sided));
    }
    print_message("%d coordinates, %d gaps, %d constraints: off by %.2g in %d impacts\n", kinds[k].n, kinds[k].gaps,
                  kinds[k].two_sided, worst, kinds[k].count);
  }
}

/* ---- friction ---- */

/* A point on a rough floor, perhaps a belt: momenta, Coulomb's law and the energy, from the velocities alone. */
static void friction_obeys_its_laws(void** state) {
  (void)state;
  Random random = random_from(7);
  int sticking = 0, slipping = 0;
  for (int i = 0; i < 60; i++) {
    static Log log;
    char text[600];
    double vx = draw(&random, -0.6, 0.6), vy = draw(&random, -0.7, -0.1), mu = draw(&random, 0.05, 1.2);
    double e = draw(&random, 0, 1), belt = i % 2 ? draw(&random, -0.5, 0.5) : 0;
    snprintf(text, sizeof text,
             "coord x, y\nlagrangian -sqrt(1 - x'^2 - y'^2)\n"
             "contact floor: y >= 0, restitution %.17g, friction %.17g, slip x - (%.17g)*t\n"
             "start x' = %.17g, y' = %.17g\nrun 0 .. 1e-3\n",
             e, mu, belt, vx, vy);
    const double* v = run_start(&log, text);
    double before = 1 / sqrt(1 - vx * vx - vy * vy), after = 1 / sqrt(1 - v[0] * v[0] - v[1] * v[1]);
    double N = v[1] * after - vy * before, T = v[0] * after - vx * before, slip = v[0] - belt;
    assert_near(log.impulse[0], N, 1e-11 * (1 + N));
    assert_near(log.friction[0], T, 1e-11 * (1 + fabs(T)));
    if (fabs(slip) < 1e-11) {
      assert_true(fabs(T) <= mu * N * (1 + 1e-10));
      sticking++;
    } else {
      assert_near(T, slip > 0 ? -mu * N : mu * N, 1e-10 * (1 + N));
      slipping++;
    }
    assert_near(log.work, -T * -belt, 1e-11 * (1 + fabs(T)));
    assert_near(log.lost, before - after + log.work, 1e-11);
    assert_true(log.lost >= -1e-11);
    forget(&log.trajectory);
  }
  assert_true(sticking > 5 && slipping > 5);
}

/* ---- islands ---- */

static const char* const alone[] = {
    /* a point in a wedge, whose restitutions would gain energy together */
    "coord x@, y@\nkinetic 1/2*(x@'^2 + y@'^2)\ncontact left@: y@ + x@/2 >= 0, restitution 1\n"
    "contact right@: y@ - 2*x@ >= 0, restitution 0.1\nstart x@' = 0.7, y@' = -1\n",
    /* a ball that loses */
    "coord b@\nkinetic 1/2*b@'^2\ncontact floor@: b@ >= 0, restitution 0.619\nstart b@' = -1\n",
    /* one of each law, and friction */
    "coord r@\nlagrangian -sqrt(1 - r@'^2)\ncontact stop@: r@ >= 0, restitution 0.5\nstart r@' = -0.8\n",
    "coord u@, w@\nkinetic 1/2*u@'^2 + 1/2*w@'^2 + 0.3*u@'*w@'\n"
    "contact rough@: w@ >= 0, restitution 0.8, friction 0.9, slip u@\nstart u@' = 2, w@' = -1\n"};

/* Text number `kind` with its names ended by a letter. */
static char* write_kind(char* to, int kind, char letter) {
  for (const char* from = alone[kind]; *from; from++) *to++ = *from == '@' ? letter : *from;
  *to = 0;
  return to;
}

static int read_velocities(const char* text, double* to) {
  static Log log;
  char whole[3000];
  snprintf(whole, sizeof whole, "%srun 0 .. 1e-3\n", text);
  const double* v = run_start(&log, whole);
  int n = log.trajectory.n;
  memcpy(to, v, (size_t)n * sizeof(double));
  forget(&log.trajectory);
  return n;
}

static void company_does_not_matter(void** state) {
  (void)state;
  enum { KINDS = sizeof alone / sizeof *alone };
  char text[3000];
  double by_itself[KINDS][4], together[8];
  int n[KINDS];
  for (int k = 0; k < KINDS; k++) {
    write_kind(text, k, 'a');
    n[k] = read_velocities(text, by_itself[k]);
  }
  for (int first = 0; first < KINDS; first++) {
    for (int second = 0; second < KINDS; second++) {
      (void)write_kind(write_kind(text, first, 'a'), second, 'b');
      assert_int_equal(read_velocities(text, together), n[first] + n[second]);
      for (int j = 0; j < n[first]; j++) assert_near(together[j], by_itself[first][j], 1e-14);
      for (int j = 0; j < n[second]; j++) assert_near(together[n[first] + j], by_itself[second][j], 1e-14);
    }
  }
}

/* What passes impulses joins, and a spring does not. */
static void springs_pass_no_impulses(void** state) {
  (void)state;
  char text[3000];
  double apart[8], joined[8];
  char* end = write_kind(write_kind(text, 0, 'a'), 1, 'b');
  int n = read_velocities(text, apart);
  sprintf(end, "potential (xa - bb)^2\n");
  assert_int_equal(read_velocities(text, joined), n);
  for (int j = 0; j < n; j++) assert_near(joined[j], apart[j], 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impacts_are_those_of_bisection),
      cmocka_unit_test(friction_obeys_its_laws),
      cmocka_unit_test(company_does_not_matter),
      cmocka_unit_test(springs_pass_no_impulses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
