/* Problems that fall into blocks, against the solve of the whole, which knows nothing of blocks. */
#include "../numbers.h"

#include <float.h>
#include <string.h>

#include "least/least.h"
#include "least/rank.h"

enum { N = 40 };

typedef struct Case {
  int32_t n, m;
  double M[N * N], A[N * N], h[N], b[N];
  int32_t block_of[N]; /* -1: alone */
  int32_t begin[N + 1], coords[N], alone[N];
  ZwLeastBlocks blocks;
} Case;

/* Coordinates of up to five blocks in any order, and some that are alone. */
static void choose_blocks(Random* random, Case* c) {
  int32_t count = random_int(random, 1, 5);
  for (int32_t j = 0; j < c->n; j++) c->block_of[j] = random_int(random, -1, count - 1);
  c->blocks = (ZwLeastBlocks){.begin = c->begin, .coords = c->coords, .alone = c->alone};
  for (int32_t k = 0; k < count; k++) {
    int32_t at = c->begin[c->blocks.count], begin = at;
    for (int32_t j = 0; j < c->n; j++) {
      if (c->block_of[j] == k) c->coords[at++] = j;
    }
    if (at > begin) c->begin[++c->blocks.count] = at;
  }
  for (int32_t j = 0; j < c->n; j++) {
    if (c->block_of[j] < 0) c->alone[c->blocks.alone_count++] = j;
  }
}

static bool is_joined(const Case* c, int32_t i, int32_t j) {
  return i == j || (c->block_of[i] >= 0 && c->block_of[i] == c->block_of[j]);
}

static void fill_masses(Random* random, Case* c) {
  double full[N * N];
  random_definite(random, c->n, 10, full);
  for (int32_t i = 0; i < c->n; i++) {
    for (int32_t j = 0; j < c->n; j++) c->M[i * c->n + j] = is_joined(c, i, j) ? full[i * c->n + j] : 0;
  }
}

/* Rows of blocks that have more coordinates than rows so far. */
static void fill_rows(Random* random, Case* c) {
  c->m = 0;
  for (int32_t k = 0; k < c->blocks.count; k++) {
    int32_t size = c->begin[k + 1] - c->begin[k], rows = random_int(random, 0, size);
    for (int32_t r = 0; r < rows; r++, c->m++) {
      for (int32_t p = c->begin[k]; p < c->begin[k + 1]; p++) c->A[c->m * c->n + c->coords[p]] = random_number(random);
    }
  }
  for (int32_t r = 0; r < c->m; r++) { /* in any order */
    int32_t other = random_int(random, 0, c->m - 1);
    for (int32_t j = 0; j < c->n; j++) {
      double kept = c->A[r * c->n + j];
      c->A[r * c->n + j] = c->A[other * c->n + j];
      c->A[other * c->n + j] = kept;
    }
  }
}

/* Lists of blocks are inside of the case, so that it cannot be copied. */
static void make_random(Random* random, Case* c) {
  *c = (Case){.n = random_int(random, 1, N)};
  choose_blocks(random, c);
  fill_masses(random, c);
  fill_rows(random, c);
  random_fill(random, c->n, c->h);
  random_fill(random, c->m, c->b);
}

static ZwLeast* new_split(const Case* c) {
  return zw_least_place_split(malloc(zw_least_split_size(c->n, c->n, &c->blocks)), c->n, c->n, &c->blocks);
}

static ZwLeast* new_whole(const Case* c) {
  return zw_least_place(malloc(zw_least_work_size(c->n, c->n)), c->n, c->n);
}

typedef struct Answer {
  double a[N], lambda[N], Qc[N];
  ZwLeastResult result;
} Answer;

static ZwStatus answer(ZwLeast* least, const Case* c, Answer* to) {
  to->result = (ZwLeastResult){.a = to->a, .lambda = to->lambda, .Qc = to->Qc};
  return zw_least_answer(least, c->h, c->b, &to->result);
}

static void check_alike(int32_t n, const double* got, const double* want, double tol) {
  double unit = tol * (1 + largest(n, want));
  for (int32_t i = 0; i < n; i++) assert_near(got[i], want[i], unit);
}

/* Rows that are all but dependent lose digits in either solve. */
static double tolerance_of(const ZwLeast* whole) {
  double ratio = zw_least_pivot_ratio(whole);
  return 1e-12 / (ratio * ratio);
}

static void answers_are_those_of_the_whole(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int round = 0; round < 300; round++) {
    Case c;
    make_random(&random, &c);
    ZwLeast *split = new_split(&c), *whole = new_whole(&c);
    Answer one, other;
    double dx[N], dx_whole[N];
    assert_int_equal(zw_least_factor(whole, c.m, c.M, c.A), ZW_OK);
    assert_int_equal(zw_least_factor(split, c.m, c.M, c.A), ZW_OK);
    double tol = tolerance_of(whole);
    assert_int_equal(answer(whole, &c, &other), ZW_OK);
    assert_int_equal(answer(split, &c, &one), ZW_OK);
    check_alike(c.n, one.a, other.a, tol);
    check_alike(c.m, one.lambda, other.lambda, tol);
    check_alike(c.n, one.Qc, other.Qc, tol);
    check_alike(1, &one.result.gaussian, &other.result.gaussian, tol);
    assert_near(one.result.pivot_ratio, other.result.pivot_ratio, 1e-9);
    assert_true(one.result.is_minimum);
    assert_int_equal(zw_least_project(whole, c.b, dx_whole), ZW_OK);
    assert_int_equal(zw_least_project(split, c.b, dx), ZW_OK);
    check_alike(c.n, dx, dx_whole, tol);
    free(split);
    free(whole);
  }
}

/* R^T R = A M^-1 A^T, whichever orthogonal coordinates it is in. */
static void triangle_and_metric_are_those_of_the_whole(void** state) {
  (void)state;
  Random random = random_from(2);
  for (int round = 0; round < 100; round++) {
    Case c;
    make_random(&random, &c);
    ZwLeast *split = new_split(&c), *whole = new_whole(&c);
    assert_int_equal(zw_least_factor(whole, c.m, c.M, c.A), ZW_OK);
    assert_int_equal(zw_least_factor(split, c.m, c.M, c.A), ZW_OK);
    assert_true(zw_least_has_metric(split));
    const ZwQr *one = zw_least_triangle(split), *other = zw_least_triangle(whole);
    for (int32_t i = 0; i < c.m; i++) {
      for (int32_t j = 0; j <= i; j++) {
        double got = 0, want = 0;
        for (int32_t k = 0; k <= j; k++) got += one->T[i * one->rows + k] * one->T[j * one->rows + k];
        for (int32_t k = 0; k <= j; k++) want += other->T[i * other->rows + k] * other->T[j * other->rows + k];
        assert_near(got, want, 1e-12 * c.n);
      }
    }
    double x[N], y[N], rows[N * N], rows_whole[N * N];
    memcpy(x, c.h, sizeof x);
    memcpy(y, c.h, sizeof y);
    zw_least_to_metric(split, x);
    zw_least_from_metric(split, x);
    zw_least_to_metric(whole, y);
    zw_least_from_metric(whole, y);
    check_alike(c.n, x, y, 1e-12);
    int32_t packed = c.begin[c.blocks.count];
    for (int32_t r = 0; r < c.m; r++) {
      for (int32_t k = 0; k < packed; k++) rows[r * packed + k] = c.A[r * c.n + c.coords[k]];
    }
    memcpy(rows_whole, c.A, sizeof rows);
    zw_least_rows_to_metric(split, c.m, rows);
    zw_least_rows_to_metric(whole, c.m, rows_whole);
    for (int32_t r = 0; r < c.m; r++) {
      for (int32_t k = 0; k < packed; k++) {
        assert_near(rows[r * packed + k], rows_whole[r * c.n + c.coords[k]], 1e-12);
      }
    }
    free(split);
    free(whole);
  }
}

/* u . u = w . M w, and `along` is what meets w with u . u and leaves what is across the rows alone. */
static void directions_are_in_the_span_of_the_rows(void** state) {
  (void)state;
  Random random = random_from(3);
  for (int round = 0; round < 100; round++) {
    Case c;
    make_random(&random, &c);
    ZwLeast* split = new_split(&c);
    Answer free_motion;
    double u[N], w[N], along[N], energy = 0, length = 0, met = 0, across = 0, zero[N] = {0};
    assert_int_equal(zw_least_factor(split, c.m, c.M, c.A), ZW_OK);
    random_fill(&random, c.m, u);
    zw_least_direction(split, u, w, along);
    for (int32_t i = 0; i < c.n; i++) {
      for (int32_t j = 0; j < c.n; j++) energy += w[i] * c.M[i * c.n + j] * w[j];
      met += along[i] * w[i];
    }
    for (int32_t k = 0; k < c.m; k++) length += u[k] * u[k];
    assert_near(energy, length, 1e-11 * (1 + length));
    assert_near(met, length, 1e-11 * (1 + length));
    memcpy(c.b, zero, sizeof zero);
    assert_int_equal(answer(split, &c, &free_motion), ZW_OK);
    for (int32_t i = 0; i < c.n; i++) across += along[i] * free_motion.a[i];
    assert_near(across, 0, 1e-9 * (1 + largest(c.n, free_motion.a)));
    free(split);
  }
}

/* Two blocks of two coordinates, interleaved, and one that is alone. */
static Case two_and_one(void) {
  static const int32_t begin[] = {0, 2, 4}, coords[] = {0, 2, 1, 3}, alone[] = {4};
  Case c = {.n = 5, .m = 2};
  for (int32_t i = 0; i < 5; i++) c.M[i * 5 + i] = 2;
  c.A[0] = c.A[2] = 1;
  c.A[5 + 1] = c.A[5 + 3] = 1;
  c.blocks = (ZwLeastBlocks){.count = 2, .begin = begin, .coords = coords, .alone_count = 1, .alone = alone};
  return c;
}

static void what_is_missing_is_named(void** state) {
  (void)state;
  Case c = two_and_one();
  ZwLeast* split = new_split(&c);
  c.M[1 * 5 + 1] = 0; /* its row holds it */
  assert_int_equal(zw_least_factor(split, 2, c.M, c.A), ZW_OK);
  assert_false(zw_least_has_metric(split));
  assert_null(zw_least_null_vector(split));
  assert_int_equal(zw_least_factor(split, 1, c.M, c.A), ZW_ERR_UNDETERMINED); /* nothing does */
  const double* z = zw_least_null_vector(split);
  for (int32_t j = 0; j < 5; j++) assert_near(fabs(z[j]), j == 1, 0);
  double r[1] = {1}, dx[5];
  assert_int_equal(zw_least_project(split, r, dx), ZW_OK);
  assert_near(dx[0], -0.5, 1e-15);
  assert_near(dx[1], 0, 0);
  c = two_and_one();
  c.M[4 * 5 + 4] = 0;
  assert_int_equal(zw_least_factor(split, 2, c.M, c.A), ZW_ERR_UNDETERMINED);
  z = zw_least_null_vector(split);
  for (int32_t j = 0; j < 5; j++) assert_near(z[j], j == 4, 0);
  free(split);
}

static void masses_below_zero_give_the_stationary_point(void** state) {
  (void)state;
  Case c = two_and_one();
  Answer found;
  ZwLeast* split = new_split(&c);
  c.M[4 * 5 + 4] = -2;
  c.h[4] = 3;
  assert_int_equal(zw_least_factor(split, 2, c.M, c.A), ZW_OK);
  assert_int_equal(answer(split, &c, &found), ZW_OK);
  assert_false(found.result.is_minimum);
  assert_false(zw_least_has_metric(split));
  assert_near(found.a[4], -1.5, 0);
  free(split);
}

static void dependent_rows_are_noticed(void** state) {
  (void)state;
  Case c = two_and_one();
  ZwLeast* split = new_split(&c);
  memcpy(c.A + 5, c.A, 5 * sizeof(double));
  assert_int_equal(zw_least_factor(split, 2, c.M, c.A), ZW_ERR_INCONSISTENT);
  assert_near(zw_least_pivot_ratio(split), 0, 0);
  assert_true(zw_least_has_metric(split));
  for (int32_t r = 1; r < 4; r++) { /* more rows than the block has coordinates */
    memset(c.A + r * 5, 0, 5 * sizeof(double));
    c.A[r * 5] = 1;
    c.A[r * 5 + 2] = r;
  }
  assert_int_equal(zw_least_factor(split, 4, c.M, c.A), ZW_ERR_INCONSISTENT);
  memset(c.A + 5, 0, 5 * sizeof(double)); /* a row that is empty there */
  assert_int_equal(zw_least_factor(split, 2, c.M, c.A), ZW_ERR_INCONSISTENT);
  c = two_and_one();
  assert_int_equal(zw_least_factor(split, 2, c.M, c.A), ZW_OK); /* and all is well again */
  c.M[4 * 5 + 4] = NAN;
  assert_int_equal(zw_least_factor(split, 2, c.M, c.A), ZW_ERR_DOMAIN);
  free(split);
}

/* A neighbour without mass does not take the metric from the others. */
static void ranks_are_decided_in_the_metric_of_each_block(void** state) {
  (void)state;
  Case c = two_and_one();
  ZwLeast* split = new_split(&c);
  ZwRank* rank = zw_rank_place(malloc(zw_rank_work_size(2, 5)), 2, 5);
  double size[2];
  c.M[1 * 5 + 1] = 0;
  c.M[0] = 8;
  assert_int_equal(zw_least_factor(split, 0, c.M, c.A), ZW_ERR_UNDETERMINED);
  const double rows[] = {1, 1, 0, 0, 0, 0, 1, 1}; /* of the coordinates of blocks, in their order */
  zw_rank_row_sizes_by(rank, 2, 4, rows, split, size);
  assert_near(size[0], sqrt(1.0 / 8 + 1.0 / 2), 1e-15);
  assert_near(size[1], sqrt(2), 1e-15);
  assert_int_equal(zw_rank_decide_by(rank, 2, 4, rows, size, split), ZW_OK);
  assert_int_equal(rank->rank, 2);
  free(rank);
  free(split);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_the_whole),
      cmocka_unit_test(triangle_and_metric_are_those_of_the_whole),
      cmocka_unit_test(directions_are_in_the_span_of_the_rows),
      cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(masses_below_zero_give_the_stationary_point),
      cmocka_unit_test(dependent_rows_are_noticed),
      cmocka_unit_test(ranks_are_decided_in_the_metric_of_each_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
