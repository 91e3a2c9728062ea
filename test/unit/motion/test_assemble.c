/* The start solver on problems small enough to solve by hand. */
#include "motion/assemble.h"

#include "../numbers.h"

#include <string.h>

typedef bool (*EvalFn)(void* context, const double* x, double* r, double* J);

/* Runs a problem with work memory exactly as large as it must be, so that a sanitizer sees one number too many. r keeps
 * the residuals that are left. */
typedef struct Outcome {
  ZwAssembled answer;
  int32_t row;
  bool has_moved_held, has_searched, has_rival, was_between;
  double r[8];
} Outcome;

enum { WORK = 11 };

static const double metre[8] = {1, 1, 1, 1, 1, 1, 1, 1}; /* sizes of all values */

static Outcome assemble_held(int32_t n, int32_t m, EvalFn eval, const double* M, const int32_t* hold, double* x) {
  const size_t sizes[WORK] = {(size_t)(m * n), (size_t)(m * n),  (size_t)(m * m), (size_t)(n * n),
                              (size_t)(n * n), (size_t)(n * n),  (size_t)(n * n), (size_t)(8 * m),
                              (size_t)m,       (size_t)(13 * n), (size_t)n};
  double* work[WORK];
  bool* is_fixed = calloc((size_t)n, sizeof(bool));
  int32_t* order = calloc((size_t)(m + n), sizeof(int32_t));
  for (int i = 0; i < WORK; i++) work[i] = calloc(sizes[i] ? sizes[i] : 1, sizeof(double));
  ZwAssembly a = {.n = n,
                  .m = m,
                  .x = x,
                  .hold = hold,
                  .M = M,
                  .size = metre,
                  .span = metre,
                  .eval = eval,
                  .J = work[0],
                  .Y = work[1],
                  .S = work[2],
                  .L = work[3],
                  .G = work[4],
                  .Z = work[5],
                  .H = work[6],
                  .r = work[7],
                  .lengths = work[8],
                  .work = work[9],
                  .typed = work[10],
                  .is_fixed = is_fixed,
                  .order = order};
  double before[8];
  memcpy(before, x, (size_t)n * sizeof(double));
  Outcome outcome = {.row = -1};
  outcome.answer = zw_assemble(&a, &outcome.row);
  for (int32_t i = 0; i < n; i++)
    outcome.has_moved_held = outcome.has_moved_held || (hold[i] == 2 && x[i] != before[i]);
  outcome.has_searched = a.has_searched;
  memcpy(outcome.r, a.r, (size_t)m * sizeof(double));
  outcome.has_rival = a.has_rival;
  outcome.was_between = a.was_between;
  for (int i = 0; i < WORK; i++) free(work[i]);
  free(is_fixed);
  free(order);
  return outcome;
}

/* Values are typed or free. */
static Outcome assemble(int32_t n, int32_t m, EvalFn eval, const double* M, const bool* is_held, double* x) {
  int32_t hold[8];
  for (int32_t i = 0; i < n; i++) hold[i] = is_held[i] ? 2 : 0;
  return assemble_held(n, m, eval, M, hold, x);
}

static const double ones[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* for n = 3 */
static const double ones2[4] = {1, 0, 0, 1};

/* ---- the circle x^2 + y^2 = 1 ---- */

static bool eval_circle(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] * x[0] + x[1] * x[1] - 1;
  J[0] = 2 * x[0];
  J[1] = 2 * x[1];
  return true;
}

static void what_holds_already_is_not_touched(void** state) {
  (void)state;
  double x[] = {0.6, 0.8};
  Outcome o = assemble(2, 1, eval_circle, ones2, (bool[]){false, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_true(x[0] == 0.6 && x[1] == 0.8);
  assert_false(o.has_moved_held || o.has_searched);
}

static void typed_values_hold_and_free_ones_move(void** state) {
  (void)state;
  double x[] = {0.6, 0.5};
  Outcome o = assemble(2, 1, eval_circle, ones2, (bool[]){true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_true(x[0] == 0.6); /* to the last bit */
  assert_near(x[1], 0.8, 1e-13);
  assert_false(o.has_moved_held);
}

static void typed_values_move_to_the_nearest_point(void** state) {
  (void)state;
  double x[] = {3, 4};
  Outcome o = assemble(2, 1, eval_circle, ones2, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 0.6, 1e-10);
  assert_near(x[1], 0.8, 1e-10);
  assert_true(o.has_moved_held);
}

/* Nearest in the metric diag(a, b): x = a x0 / (a + s), y = b y0 / (b + s) with the s that puts them on the circle. */
static void nearest_is_measured_by_the_masses(void** state) {
  (void)state;
  const double masses[][2] = {{1, 10}, {100, 1}, {0.5, 3}};
  for (int k = 0; k < 3; k++) {
    double a = masses[k][0], b = masses[k][1];
    double low = 0, high = 1e6; /* outside the circle, so s > 0 */
    for (int i = 0; i < 200; i++) {
      double s = 0.5 * (low + high), u = a * 0.7 / (a + s), v = b * 0.8 / (b + s);
      if (u * u + v * v > 1)
        low = s;
      else
        high = s;
    }
    double x[] = {0.7, 0.8};
    Outcome o = assemble(2, 1, eval_circle, (double[]){a, 0, 0, b}, (bool[]){true, true}, x);
    assert_int_equal(o.answer, ZW_ASSEMBLED);
    assert_near(x[0], a * 0.7 / (a + low), 1e-9);
    assert_near(x[1], b * 0.8 / (b + low), 1e-9);
  }
}

/* ---- the line x + 2 y = 5 ---- */

static bool eval_line(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] + 2 * x[1] - 5;
  J[0] = 1;
  J[1] = 2;
  return true;
}

/* dx = M^-1 A^T (A M^-1 A^T)^-1 5 from the origin, with M = [2 1; 1 3]: M^-1 A^T = (1/5, 3/5), A M^-1 A^T = 7/5. */
static void coupled_masses_share_the_move(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 1, eval_line, (double[]){2, 1, 1, 3}, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 5.0 / 7, 1e-12);
  assert_near(x[1], 15.0 / 7, 1e-12);
}

static void what_has_no_mass_gives_way_first(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 1, eval_line, (double[]){1, 0, 0, 0}, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 0, 0);
  assert_near(x[1], 2.5, 1e-12);
}

/* Without any mass, or free: by the least amount all the same. */
static void free_and_massless_values_share_a_row(void** state) {
  (void)state;
  const double metrics[][4] = {{0, 0, 0, 0}, {1, 0, 0, 1}, {2, 1, 1, 3}};
  const double answers[][2] = {{1, 2}, {1, 2}, {5.0 / 7, 15.0 / 7}};
  for (int k = 0; k < 3; k++) {
    double x[] = {0, 0};
    Outcome o = assemble(2, 1, eval_line, metrics[k], (bool[]){false, false}, x);
    assert_int_equal(o.answer, ZW_ASSEMBLED);
    for (int i = 0; i < 2; i++) assert_near(x[i], answers[k][i], 1e-12);
  }
}

/* ---- several rows ---- */

static bool eval_pin_and_sum(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] + x[1] - 1;
  r[1] = x[1] - 3;
  memcpy(J, (double[]){1, 1, 0, 1}, 4 * sizeof(double));
  return true;
}

static void typed_value_gives_way_when_free_ones_cannot_help(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 2, eval_pin_and_sum, ones2, (bool[]){true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], -2, 1e-12);
  assert_near(x[1], 3, 1e-12);
  assert_true(o.has_moved_held);
}

/* Six values in one row, each of its own rank: one after the other takes the row when those before it are taken away. */
enum { RANKS = 6 };
static int32_t stuck; /* values that rows of their own hold at 0 */

static bool eval_six(void* context, const double* x, double* r, double* J) {
  (void)context;
  memset(J, 0, RANKS * RANKS * sizeof(double));
  r[0] = -7;
  for (int32_t j = 0; j < RANKS; j++) {
    r[0] += (j + 1) * x[j];
    J[j] = j + 1;
  }
  for (int32_t i = 1; i < RANKS; i++) {
    r[i] = i <= stuck ? x[i - 1] : 0;
    J[i * RANKS + i - 1] = i <= stuck ? 1 : 0;
  }
  return true;
}

static void values_give_way_in_their_order(void** state) {
  (void)state;
  double M[RANKS * RANKS] = {0};
  for (int i = 1; i < RANKS; i += 2) M[i * RANKS + i] = 2;
  for (stuck = 0; stuck < RANKS; stuck++) {
    double x[RANKS] = {0};
    Outcome o = assemble_held(RANKS, RANKS, eval_six, M, (int32_t[]){0, 0, 1, 1, 2, 2}, x);
    assert_int_equal(o.answer, ZW_ASSEMBLED);
    for (int j = 0; j < RANKS; j++) assert_near(x[j], j == stuck ? 7.0 / (j + 1) : 0, 1e-12);
  }
}

static bool eval_sum_of_three(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] + x[1] - 2;
  r[1] = x[1] + x[2] - 5; /* with x0 = x1 = 0 typed, only x2 can help, and only here */
  memcpy(J, (double[]){1, 1, 0, 0, 1, 1}, 6 * sizeof(double));
  return true;
}

static void free_values_take_what_they_can(void** state) {
  (void)state;
  double x[] = {0, 0, 0};
  Outcome o = assemble(3, 2, eval_sum_of_three, ones, (bool[]){true, true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 1, 1e-11); /* the typed ones move as if alone */
  assert_near(x[1], 1, 1e-11);
  assert_near(x[1] + x[2], 5, 1e-12);
}

/* x0 is typed and must be 1 on the row x0 = 1; guesses x1, x2 of masses 1 and 3 then share x1 + x2 = x0 + 3. */
static bool eval_one_after_the_other(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] - 1;
  r[1] = x[1] + x[2] - x[0] - 3;
  memcpy(J, (double[]){1, 0, 0, -1, 1, 1}, 6 * sizeof(double));
  return true;
}

static void what_holds_less_is_as_near_as_it_can_be(void** state) {
  (void)state;
  for (int32_t hold = 0; hold < 2; hold++) {
    double x[] = {5, 0, 0};
    Outcome o = assemble_held(3, 2, eval_one_after_the_other, (double[]){1, 0.5, 0, 0.5, 1, 0, 0, 0, 3},
                              (int32_t[]){2, hold, hold}, x);
    assert_int_equal(o.answer, ZW_ASSEMBLED);
    assert_near(x[0], 1, 1e-12);
    assert_near(x[1], 3, 1e-11);
    assert_near(x[2], 1, 1e-11);
  }
}

static bool eval_circle_three_times(void* context, const double* x, double* r, double* J) {
  (void)context;
  const double factors[] = {1, -2, 1000};
  for (int i = 0; i < 3; i++) {
    r[i] = factors[i] * (x[0] * x[0] + x[1] * x[1] - 1);
    J[2 * i] = factors[i] * 2 * x[0];
    J[2 * i + 1] = factors[i] * 2 * x[1];
  }
  return true;
}

static void redundant_rows_do_no_harm(void** state) {
  (void)state;
  double x[] = {3, 4};
  Outcome o = assemble(2, 3, eval_circle_three_times, ones2, (bool[]){true, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(x[0], 0.6, 1e-7);
  assert_near(x[0] * x[0] + x[1] * x[1], 1, 1e-12);
}

static bool eval_two_places(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0];
  r[1] = x[0] - 1;
  r[2] = x[1] - 2;
  memcpy(J, (double[]){1, 0, 1, 0, 0, 1}, 6 * sizeof(double));
  return true;
}

static void rows_in_conflict_keep_their_residuals(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 3, eval_two_places, ones2, (bool[]){false, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLY_CONFLICT);
  assert_near(o.r[0], 0.5, 1e-3); /* the middle between both */
  assert_near(o.r[1], -0.5, 1e-3);
  assert_near(o.r[2], 0, 1e-6); /* has nothing to do with it */
}

/* Circles about (0, 0) and (5, 0) with radius 1 do not meet. */
static bool eval_far_circles(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[0] * x[0] + x[1] * x[1] - 1;
  r[1] = (x[0] - 5) * (x[0] - 5) + x[1] * x[1] - 1;
  memcpy(J, (double[]){2 * x[0], 2 * x[1], 2 * (x[0] - 5), 2 * x[1]}, 4 * sizeof(double));
  return true;
}

static void circles_that_do_not_meet_are_a_conflict(void** state) {
  (void)state;
  double x[] = {1, 0.3};
  Outcome o = assemble(2, 2, eval_far_circles, ones2, (bool[]){true, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLY_CONFLICT);
  assert_true(fabs(o.r[0]) > 0.5 || fabs(o.r[1]) > 0.5);
}

/* ---- gradients that vanish ---- */

static bool eval_square(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[1] - 1;
  r[1] = x[0] * x[0] - 1;
  memcpy(J, (double[]){0, 1, 2 * x[0], 0}, 4 * sizeof(double));
  return true;
}

static void violated_row_without_a_gradient_is_named(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 2, eval_square, ones2, (bool[]){false, false}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLY_FLAT);
  assert_int_equal(o.row, 1);
  double y[] = {0.1, 0}; /* a little off it knows where to go */
  o = assemble(2, 2, eval_square, ones2, (bool[]){false, false}, y);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_near(y[0], 1, 1e-12);
}

/* y = x^2 - 1 with y = 0 typed: at x = 0 the free x has no influence to first order. */
static bool eval_parabola(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = x[1] - x[0] * x[0] + 1;
  J[0] = -2 * x[0];
  J[1] = 1;
  return true;
}

static void stuck_free_values_are_searched_for(void** state) {
  (void)state;
  double x[] = {0, 0};
  Outcome o = assemble(2, 1, eval_parabola, ones2, (bool[]){false, true}, x);
  assert_int_equal(o.answer, ZW_ASSEMBLED);
  assert_true(o.has_searched);
  assert_false(o.has_moved_held);
  assert_true(x[1] == 0);
  assert_near(fabs(x[0]), 1, 1e-12);
}

/* ---- nearest by a second road: a four-bar in one angle ---- */

/* Pins at (0, 0) and (3, 0), bars 1, 2.6, 2; unknowns are the two joints B = (x0, x1) and C = (x2, x3). */
enum { TURNS = 3000 };
static const double crank = 1, coupler = 2.6, rocker = 2, base = 3;

static bool eval_four_bar(void* context, const double* x, double* r, double* J) {
  (void)context;
  double bx = x[0], by = x[1], cx = x[2], cy = x[3];
  r[0] = bx * bx + by * by - crank * crank;
  r[1] = (cx - bx) * (cx - bx) + (cy - by) * (cy - by) - coupler * coupler;
  r[2] = (cx - base) * (cx - base) + cy * cy - rocker * rocker;
  const double rows[] = {2 * bx,        2 * by,        0, 0, -2 * (cx - bx),  -2 * (cy - by),
                         2 * (cx - bx), 2 * (cy - by), 0, 0, 2 * (cx - base), 2 * cy};
  memcpy(J, rows, sizeof rows);
  return true;
}

/* The joints at a crank angle, on one of two sides, and how they go with the angle. */
static bool place_four_bar(double angle, int side, double* x, double* rate) {
  double bx = crank * cos(angle), by = crank * sin(angle), dx = base - bx, dy = -by;
  double d = hypot(dx, dy), along = (coupler * coupler - rocker * rocker + d * d) / (2 * d);
  double across = coupler * coupler - along * along;
  if (across < 0) return false;
  across = side * sqrt(across);
  x[0] = bx;
  x[1] = by;
  x[2] = bx + (along * dx - across * dy) / d;
  x[3] = by + (along * dy + across * dx) / d;
  rate[0] = -by;
  rate[1] = bx;
  /* (C - B).(C' - B') = 0, (C - D).C' = 0 */
  double ux = x[2] - bx, uy = x[3] - by, wx = x[2] - base, wy = x[3], det = ux * wy - uy * wx;
  double right = ux * rate[0] + uy * rate[1];
  rate[2] = right * wy / det;
  rate[3] = -right * wx / det;
  return true;
}

/* The slope of the cost of the typed values by the angle; the cost too. */
static double slope_of(double angle, int side, const double* M, const int32_t* hold, const double* typed, double* x,
                       double* cost) {
  double rate[4], slope = 0;
  *cost = INFINITY;
  if (!place_four_bar(angle, side, x, rate)) return NAN;
  *cost = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      if (hold[i] < 2 || hold[j] < 2) continue;
      *cost += 0.5 * (x[i] - typed[i]) * M[4 * i + j] * (x[j] - typed[j]);
      slope += rate[i] * M[4 * i + j] * (x[j] - typed[j]);
    }
  }
  return slope;
}

/* The least cost over all angles and both sides: each change of sign of the slope is bisected. */
static double least_four_bar(const double* M, const int32_t* hold, const double* typed, double* best) {
  double least = INFINITY, cost, x[4];
  for (int k = 0; k < 2 * TURNS; k++) {
    int side = k % 2 ? 1 : -1;
    double low = (k / 2) * 2 * 3.14159265358979323846 / TURNS, high = low + 2 * 3.14159265358979323846 / TURNS;
    double at_low = slope_of(low, side, M, hold, typed, x, &cost);
    double at_high = slope_of(high, side, M, hold, typed, x, &cost);
    if (!(at_low <= 0 && at_high > 0)) continue;
    for (int i = 0; i < 80; i++) {
      double middle = 0.5 * (low + high);
      if (slope_of(middle, side, M, hold, typed, x, &cost) > 0)
        high = middle;
      else
        low = middle;
    }
    if (cost >= least) continue;
    least = cost;
    memcpy(best, x, sizeof x);
  }
  return least;
}

/* Two or three of four values typed, which is too many; the rest guesses or free. Typed values must move as if the rest
 * were not there. */
static void typed_values_move_least_whatever_guesses_say(void** state) {
  (void)state;
  Random random = random_from(311);
  int checked = 0, noted = 0;
  for (int k = 0; k < 400; k++) {
    double M[16], typed[4], rate[4], x[4], best[4];
    int32_t hold[4], count = 0;
    random_gram(&random, 4, 5, M);
    for (int i = 0; i < 4; i++) {
      hold[i] = random_int(&random, 0, 2);
      count += hold[i] == 2;
    }
    if (!place_four_bar(3 * random_number(&random), k % 2 ? 1 : -1, typed, rate) || count < 2) continue;
    for (int i = 0; i < 4; i++) typed[i] += 0.3 * random_number(&random) * (hold[i] < 2 ? 2 : 1);
    memcpy(x, typed, sizeof x);
    double least = least_four_bar(M, hold, typed, best);
    Outcome o = assemble_held(4, 3, eval_four_bar, M, hold, x);
    assert_int_equal(o.answer, ZW_ASSEMBLED);
    double cost = 0, off = 0;
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        if (hold[i] == 2 && hold[j] == 2) cost += 0.5 * (x[i] - typed[i]) * M[4 * i + j] * (x[j] - typed[j]);
      }
      if (hold[i] == 2) off = fmax(off, fabs(x[i] - best[i]));
    }
    checked++;
    noted += o.has_searched || o.has_rival;
    if (!(off < 1e-8)) {
      fail_msg("draw %d: typed values are off by %.3g, cost %.12g instead of %.12g", k, off, cost, least);
    }
  }
  print_message("%d four-bars, %d with a note\n", checked, noted);
  assert_true(checked > 100);
}

/* ---- edges ---- */

static bool eval_never(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = NAN;
  J[0] = J[1] = x[0];
  return false;
}

static void start_without_a_value_is_told_apart(void** state) {
  (void)state;
  double x[] = {1, 1};
  assert_int_equal(assemble(2, 1, eval_never, ones2, (bool[]){false, false}, x).answer, ZW_ASSEMBLY_NOT_FINITE);
}

static bool eval_root(void* context, const double* x, double* r, double* J) {
  (void)context;
  r[0] = sqrt(x[0]) - 0.1; /* a full step from 4 ends where there is no root */
  J[0] = 0.5 / sqrt(x[0]);
  return isfinite(r[0]) && isfinite(J[0]);
}

static void steps_out_of_the_domain_are_shortened(void** state) {
  (void)state;
  double x[] = {4};
  assert_int_equal(assemble(1, 1, eval_root, ones2, (bool[]){false}, x).answer, ZW_ASSEMBLED);
  assert_near(x[0], 0.01, 1e-12);
}

static void no_rows_are_no_problem(void** state) {
  (void)state;
  double x[] = {1, 2};
  assert_int_equal(assemble(2, 0, eval_never, ones2, (bool[]){true, false}, x).answer, ZW_ASSEMBLED);
  assert_true(x[0] == 1 && x[1] == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_holds_already_is_not_touched),
      cmocka_unit_test(typed_values_hold_and_free_ones_move),
      cmocka_unit_test(typed_values_move_to_the_nearest_point),
      cmocka_unit_test(nearest_is_measured_by_the_masses),
      cmocka_unit_test(coupled_masses_share_the_move),
      cmocka_unit_test(what_has_no_mass_gives_way_first),
      cmocka_unit_test(free_and_massless_values_share_a_row),
      cmocka_unit_test(typed_value_gives_way_when_free_ones_cannot_help),
      cmocka_unit_test(values_give_way_in_their_order),
      cmocka_unit_test(free_values_take_what_they_can),
      cmocka_unit_test(what_holds_less_is_as_near_as_it_can_be),
      cmocka_unit_test(redundant_rows_do_no_harm),
      cmocka_unit_test(rows_in_conflict_keep_their_residuals),
      cmocka_unit_test(circles_that_do_not_meet_are_a_conflict),
      cmocka_unit_test(violated_row_without_a_gradient_is_named),
      cmocka_unit_test(stuck_free_values_are_searched_for),
      cmocka_unit_test(typed_values_move_least_whatever_guesses_say),
      cmocka_unit_test(start_without_a_value_is_told_apart),
      cmocka_unit_test(steps_out_of_the_domain_are_shortened),
      cmocka_unit_test(no_rows_are_no_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
