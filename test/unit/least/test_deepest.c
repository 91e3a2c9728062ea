/* The deepest point against enumeration: the best of all corners of the linear program. */
#include "least/deepest.h"

#include <string.h>

#include "least/lu.h"
#include "numbers.h"

enum { COLS_MAX = 3, ROWS_MAX = 8 };

typedef struct Problem {
  int32_t rows, cols;
  double C[ROWS_MAX * COLS_MAX], d[ROWS_MAX];
} Problem;

static double depth_of(const Problem* p, const double* x) {
  double least = INFINITY;
  for (int32_t i = 0; i < p->rows; i++) {
    double sum = -p->d[i];
    for (int32_t j = 0; j < p->cols; j++) sum += p->C[i * p->cols + j] * x[j];
    least = fmin(least, sum);
  }
  return least;
}

/* Where the rows of a subset are equally deep; false unless that is one point. */
static bool corner(const Problem* p, int subset, double* x) {
  enum { SIZE = COLS_MAX + 1 };
  double K[SIZE * SIZE], right[SIZE];
  int32_t n = p->cols + 1, r = 0, swap[SIZE];
  for (int32_t i = 0; i < p->rows; i++) {
    if (!(subset >> i & 1)) continue;
    if (r == n) return false;
    for (int32_t j = 0; j < p->cols; j++) K[r * n + j] = p->C[i * p->cols + j];
    K[r * n + p->cols] = -1;
    right[r++] = p->d[i];
  }
  if (r < n || !(zw_lu_factor(n, K, swap) > 1e-9)) return false;
  zw_lu_solve(n, K, swap, right);
  memcpy(x, right, (size_t)p->cols * sizeof(double));
  return true;
}

/* Rows that enclose the origin in all directions have a deepest point. */
static void draw(Problem* p, Random* random) {
  *p = (Problem){.cols = random_int(random, 1, COLS_MAX)};
  p->rows = random_int(random, p->cols + 1, ROWS_MAX);
  double sum[COLS_MAX] = {0}, weight[ROWS_MAX];
  for (int32_t i = 0; i < p->rows; i++) {
    bool is_last = i + 1 == p->rows;
    weight[i] = 0.3 + fabs(random_number(random));
    for (int32_t j = 0; j < p->cols; j++) {
      p->C[i * p->cols + j] = is_last ? -sum[j] / weight[i] : random_number(random);
      sum[j] += weight[i] * p->C[i * p->cols + j];
    }
    p->d[i] = random_number(random);
  }
}

static void is_as_deep_as_the_best_corner(void** state) {
  (void)state;
  Random random = random_from(17);
  ZwLemke* lemke = zw_lemke_place(malloc(zw_lemke_work_size(ROWS_MAX + 1)), ROWS_MAX + 1);
  double worst = 0;
  int compared = 0;
  for (int trial = 0; trial < 3000; trial++) {
    Problem p;
    double x[COLS_MAX], best = -INFINITY, size = 0;
    draw(&p, &random);
    assert_int_equal(zw_deepest(lemke, p.rows, p.cols, p.C, p.d, 1e3, x), ZW_OK);
    for (int subset = 0; subset < 1 << p.rows; subset++) {
      double y[COLS_MAX];
      if (!corner(&p, subset, y) || depth_of(&p, y) <= best) continue;
      best = depth_of(&p, y);
      size = 0;
      for (int32_t j = 0; j < p.cols; j++) size = fmax(size, fabs(y[j]));
    }
    assert_true(depth_of(&p, x) <= best + 1e-12);
    if (size > 3) continue; /* far away for numbers that shall be about one */
    worst = fmax(worst, best - depth_of(&p, x));
    compared++;
    /* with less room that is enough: just that, and the point is no farther away */
    double y[COLS_MAX], enough = best - 0.2, far_x = 0, far_y = 0;
    assert_int_equal(zw_deepest(lemke, p.rows, p.cols, p.C, p.d, enough, y), ZW_OK);
    for (int32_t j = 0; j < p.cols; j++) far_x = hypot(far_x, x[j]), far_y = hypot(far_y, y[j]);
    assert_true(depth_of(&p, y) >= enough - 1e-12 && far_y <= far_x + 1e-9);
  }
  print_message("%d of 3000: less deep than the best corner by %.2g at most\n", compared, worst);
  assert_true(compared > 2000 && worst < 1e-12);
  free(lemke);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_as_deep_as_the_best_corner)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
