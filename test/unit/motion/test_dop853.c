/* The tables of motion/dop853.c against the theory they must satisfy, so that a mistyped digit cannot hide.
 *
 * A Runge-Kutta method is of order p when sum_i b_i g_i(t) = 1 / gamma(t) for every rooted tree t with at most p nodes:
 * 200 trees for p = 8. A tree is either one node or a tree u with one more tree v hung on its root, and then
 *
 *   g_i(t) = g_i(u) sum_j a_ij g_j(v),   gamma(t) = |t| product of gamma over the subtrees at the root.
 *
 * Hanging the subtrees on in falling order makes each tree once.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "motion/dop853.h"

enum { TREES = 200, STAGES = ZW_DOP853_STAGES, ALL = ZW_DOP853_STAGES_ALL };

/* Rounding the coefficients to double leaves 2e-15; a wrong 11th digit leaves more than this. */
static const long double tol_condition = 1e-14L;

typedef struct Tree {
  int nodes;
  int u, v; /* u = -1: a single node */
  long double gamma;
} Tree;

static int make_trees(Tree* trees) {
  int count = 0;
  trees[count++] = (Tree){.nodes = 1, .u = -1, .v = -1, .gamma = 1};
  for (int nodes = 2; nodes <= ZW_DOP853_ORDER; nodes++) {
    int smaller = count;
    for (int u = 0; u < smaller; u++) {
      for (int v = 0; v < smaller; v++) {
        bool in_order = trees[u].u < 0 || v <= trees[u].v;
        if (trees[u].nodes + trees[v].nodes != nodes || !in_order) continue;
        long double gamma = trees[u].gamma / trees[u].nodes * trees[v].gamma * nodes;
        if (count < TREES) trees[count] = (Tree){.nodes = nodes, .u = u, .v = v, .gamma = gamma};
        count++;
      }
    }
  }
  return count;
}

static Tree trees[TREES];
static long double g[TREES][ALL]; /* of the table looked at last */

static void make_weights(const ZwDop853* table) {
  for (int t = 0; t < TREES; t++) {
    for (int i = 0; i < ALL; i++) {
      long double sum = 0;
      for (int j = 0; j < i && t > 0; j++) sum += table->a[i][j] * g[trees[t].v][j];
      g[t][i] = t > 0 ? g[trees[t].u][i] * sum : 1;
    }
  }
}

static long double dot(const double* weights, const long double* values, int count) {
  long double sum = 0;
  for (int i = 0; i < count; i++) sum += weights[i] * values[i];
  return sum;
}

static long double larger(long double a, long double b) {
  return a > b ? a : b;
}

/* The dense output of the header for a step of size 1 from y = 0 with stages k. */
static long double dense(const ZwDop853* table, const long double* k, long double x) {
  long double F[3 + ZW_DOP853_DENSE];
  F[0] = dot(table->b, k, STAGES);
  F[1] = k[0] - F[0];
  F[2] = 2 * F[0] - (k[0] + k[STAGES]);
  for (int r = 0; r < ZW_DOP853_DENSE; r++) F[3 + r] = dot(table->d[r], k, ALL);
  return x * (F[0] + (1 - x) * (F[1] + x * (F[2] + (1 - x) * (F[3] + x * (F[4] + (1 - x) * (F[5] + x * F[6]))))));
}

/* The largest errors of each kind of condition, for all trees with exactly so many nodes. */
typedef struct Defects {
  long double b[ZW_DOP853_ORDER + 1], e5[ZW_DOP853_ORDER + 1], e3[ZW_DOP853_ORDER + 1], dense[ZW_DOP853_ORDER + 1];
  long double rows;  /* c_i - sum_j a_ij */
  long double upper; /* a on and above its diagonal */
  long double end;   /* a_12j - b_j */
} Defects;

static Defects find_defects(const ZwDop853* table) {
  static const long double places[] = {0.05L, 0.2L, 1 / 3.0L, 0.5L, 0.71L, 0.9L, 1.0L};
  Defects found = {.rows = 0};
  make_weights(table);
  for (int t = 0; t < TREES; t++) {
    int p = trees[t].nodes;
    found.b[p] = larger(found.b[p], fabsl(dot(table->b, g[t], STAGES) - 1 / trees[t].gamma));
    found.e5[p] = larger(found.e5[p], fabsl(dot(table->e5, g[t], STAGES)));
    found.e3[p] = larger(found.e3[p], fabsl(dot(table->e3, g[t], STAGES)));
    for (size_t s = 0; s < sizeof places / sizeof *places; s++) {
      long double x = places[s];
      found.dense[p] = larger(found.dense[p], fabsl(dense(table, g[t], x) - powl(x, p) / trees[t].gamma));
    }
  }
  for (int i = 0; i < ALL; i++) {
    long double sum = 0;
    for (int j = 0; j < i; j++) sum += table->a[i][j];
    found.rows = larger(found.rows, fabsl(sum - table->c[i]));
    for (int j = i; j < ALL; j++) found.upper = larger(found.upper, fabsl((long double)table->a[i][j]));
    long double b = i < STAGES ? table->b[i] : 0;
    found.end = larger(found.end, fabsl(table->a[STAGES][i] - b));
  }
  return found;
}

/* Whether all that must be zero is, which is the whole promise of the tables. */
static bool is_sound(const Defects* found) {
  for (int p = 1; p <= ZW_DOP853_ORDER; p++) {
    if (!(found->b[p] < tol_condition)) return false;
    if (p <= 7 && !(found->dense[p] < tol_condition)) return false;
    if (p <= 5 && !(found->e5[p] < tol_condition)) return false;
    if (p <= 3 && !(found->e3[p] < tol_condition)) return false;
  }
  return found->rows < tol_condition && found->upper == 0 && found->end == 0;
}

static int setup(void** state) {
  (void)state;
  return make_trees(trees) == TREES ? 0 : -1;
}

static void test_trees_are_all_there(void** state) {
  (void)state;
  static const int want[ZW_DOP853_ORDER + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
  int have[ZW_DOP853_ORDER + 1] = {0};
  for (int t = 0; t < TREES; t++) have[trees[t].nodes]++;
  assert_memory_equal(have, want, sizeof want);
  /* the bush and the stalk of eight nodes have the smallest and the largest gamma */
  long double least = INFINITY, most = 0;
  for (int t = TREES - want[8]; t < TREES; t++) {
    least = trees[t].gamma < least ? trees[t].gamma : least;
    most = larger(most, trees[t].gamma);
  }
  assert_true(least == 8);
  assert_true(most == 40320);
}

static void test_stages(void** state) {
  (void)state;
  Defects found = find_defects(&zw_dop853);
  assert_true(found.rows < tol_condition);
  assert_true(found.upper == 0);
  assert_true(found.end == 0);
  assert_true(zw_dop853.c[0] == 0 && zw_dop853.c[STAGES] == 1);
}

static void test_step_is_of_order_8(void** state) {
  (void)state;
  Defects found = find_defects(&zw_dop853);
  for (int p = 1; p <= 8; p++) assert_true(found.b[p] < tol_condition);
}

/* The differences vanish up to the lower order and no further: an estimate that sees nothing would pass otherwise. */
static void test_estimates_are_of_order_5_and_3(void** state) {
  (void)state;
  Defects found = find_defects(&zw_dop853);
  for (int p = 1; p <= 5; p++) assert_true(found.e5[p] < tol_condition);
  for (int p = 1; p <= 3; p++) assert_true(found.e3[p] < tol_condition);
  assert_true(found.e5[6] > 1e-4L);
  assert_true(found.e3[4] > 1e-2L);
}

static void test_dense_output_is_of_order_7(void** state) {
  (void)state;
  Defects found = find_defects(&zw_dop853);
  for (int p = 1; p <= 7; p++) assert_true(found.dense[p] < tol_condition);
  assert_true(found.dense[8] > 1e-6L);
}

/* The conditions see the first 11 digits of each number; the rest of its bits are held by a fingerprint (FNV-1a). */
static void test_last_bits(void** state) {
  (void)state;
  uint64_t hash = 14695981039346656037u;
  const double* numbers = (const double*)&zw_dop853;
  for (size_t i = 0; i < sizeof zw_dop853 / sizeof *numbers; i++) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  assert_true(hash == 0xad6da65919dc97d1u);
}

/* Is the test itself any good? Every single number, zeros too, is changed by one in its 11th digit (of
 * those behind the point, for numbers below 1) and must be noticed. */
static void test_a_wrong_digit_is_noticed(void** state) {
  (void)state;
  Defects found = find_defects(&zw_dop853);
  assert_true(is_sound(&found));
  for (size_t i = 0; i < sizeof zw_dop853 / sizeof(double); i++) {
    ZwDop853 wrong = zw_dop853;
    double* number = (double*)&wrong + i;
    *number += 1e-11 * pow(10, ceil(log10(fmax(1, fabs(*number)))));
    found = find_defects(&wrong);
    if (is_sound(&found)) fail_msg("number %zu of the tables may be wrong unnoticed", i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trees_are_all_there),        cmocka_unit_test(test_stages),
      cmocka_unit_test(test_step_is_of_order_8),         cmocka_unit_test(test_estimates_are_of_order_5_and_3),
      cmocka_unit_test(test_dense_output_is_of_order_7), cmocka_unit_test(test_last_bits),
      cmocka_unit_test(test_a_wrong_digit_is_noticed),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
