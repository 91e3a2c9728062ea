/* Eight problems at once against each of them alone: the same bits, or the group says that it did not go its way to the end. */
#include "least/group.h"

#include <string.h>

#include "base/machine.h"
#include "least/least.h"
#include "least/least_parts.h"
#include "numbers.h"

enum { N = 13 };

/* Problems of one size side by side. */
typedef struct Problems {
  int32_t n, m;
  double M[ZW_EIGHT][N * N], A[ZW_EIGHT][N * N], h[ZW_EIGHT][N], b[ZW_EIGHT][N], r[ZW_EIGHT][N];
} Problems;

typedef struct Group {
  void* memory;
  ZwLeastGroup* least;
  ZwEight *M, *A, *h, *b, *r, *a, *lambda, *Qc, *dx;
} Group;

static void* aligned(size_t size) {
  void* memory = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
  assert_non_null(memory);
  memset(memory, 0, size);
  return memory;
}

static ZwEight* side_by_side(const double* first, size_t apart, int32_t count) {
  ZwEight* to = aligned((size_t)count * sizeof *to);
  for (int32_t i = 0; i < count; i++) {
    for (int l = 0; l < ZW_EIGHT; l++) numbers_of(&to[i])[l] = first[(size_t)l * apart + (size_t)i];
  }
  return to;
}

static void open_group(Group* group, const Problems* p) {
  int32_t n = p->n, m = p->m;
  group->memory = aligned(zw_least_group_size(n, m));
  group->least = zw_least_group_place(group->memory, n, m);
  group->M = side_by_side(p->M[0], N * N, n * n);
  group->A = side_by_side(p->A[0], N * N, m * n);
  group->h = side_by_side(p->h[0], N, n);
  group->b = side_by_side(p->b[0], N, m);
  group->r = side_by_side(p->r[0], N, m);
  ZwEight** const results[] = {&group->a, &group->lambda, &group->Qc, &group->dx};
  for (int i = 0; i < 4; i++) *results[i] = aligned(N * sizeof(ZwEight));
}

static void close_group(Group* group) {
  void* const all[] = {group->memory, group->M, group->A,      group->h,  group->b,
                       group->r,      group->a, group->lambda, group->Qc, group->dx};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void assert_bits(const char* what, const ZwEight* got, int l, const double* want, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    double number = number_of(&got[i], l);
    if (memcmp(&number, &want[i], sizeof number) != 0) {
      fail_msg("%s[%d] of problem %d is %a, alone %a", what, (int)i, l, number, want[i]);
    }
  }
}

/* What the group took on it did as well; how many that were. */
static int compare(const Problems* p) {
  Group group;
  int32_t n = p->n, m = p->m;
  int taken = 0;
  open_group(&group, p);
  ZwEightSet fine = zw_least_group_factor(group.least, m, group.M, group.A);
  ZwEightSet solved = fine & zw_least_group_solve(group.least, group.h, group.b, group.a, group.lambda, group.Qc);
  ZwEightSet projected = fine & zw_least_group_project(group.least, group.r, group.dx);
  for (int l = 0; l < ZW_EIGHT; l++) {
    ZwLeast* least = zw_least_place(malloc(zw_least_work_size(n, m)), n, m);
    double a[N], lambda[N], Qc[N], dx[N];
    ZwLeastResult result = {.a = a, .lambda = lambda, .Qc = Qc};
    ZwStatus status = zw_least_factor(least, m, p->M[l], p->A[l]);
    bool is_plain = status == ZW_OK && least->road == ZW_ROAD_DEFINITE;
    if (fine >> l & 1) assert_true(is_plain);
    if (solved >> l & 1) {
      assert_int_equal(zw_least_solve(least, p->h[l], p->b[l], &result), ZW_OK);
      assert_bits("a", group.a, l, a, n);
      assert_bits("lambda", group.lambda, l, lambda, m);
      assert_bits("Qc", group.Qc, l, Qc, n);
      assert_bits("pivot ratio", &group.least->pivot_ratio, l, &result.pivot_ratio, 1);
      taken++;
    }
    if (projected >> l & 1) {
      assert_int_equal(zw_least_project(least, p->r[l], dx), ZW_OK);
      assert_bits("dx", group.dx, l, dx, n);
    }
    free(least);
  }
  close_group(&group);
  return taken;
}

static void draw(Random* random, Problems* p, int32_t n, int32_t m) {
  memset(p, 0, sizeof *p);
  p->n = n;
  p->m = m;
  for (int l = 0; l < ZW_EIGHT; l++) {
    random_definite(random, n, pow(10, 2 + random_number(random) * 2), p->M[l]);
    random_fill(random, m * n, p->A[l]);
    random_fill(random, n, p->h[l]);
    random_fill(random, m, p->b[l]);
    random_fill(random, m, p->r[l]);
  }
}

static void problems_of_all_sizes_agree(void** state) {
  (void)state;
  Random random = random_from(71);
  for (int32_t n = 1; n <= N; n++) {
    for (int32_t m = 0; m <= n; m++) {
      Problems p;
      draw(&random, &p, n, m);
      assert_int_equal(compare(&p), ZW_EIGHT);
    }
  }
}

/* Bodies that are not coupled, and rows that hold few coordinates: zeros of both signs. */
static void sparse_problems_agree(void** state) {
  (void)state;
  Random random = random_from(72);
  for (int trial = 0; trial < 50; trial++) {
    Problems p;
    draw(&random, &p, 9, 5);
    for (int l = 0; l < ZW_EIGHT; l++) {
      for (int32_t i = 0; i < p.n * p.n; i++) p.M[l][i] = i / p.n == i % p.n ? 1 + l + i % 3 : 0;
      for (int32_t i = 0; i < p.n * p.m; i++) p.A[l][i] *= random_next(&random) % 3 == 0 ? 1 : trial % 2 ? 0.0 : -0.0;
      for (int32_t i = 0; i < p.m; i++) p.A[l][i * p.n + i] = 1;
      for (int32_t i = 0; i < p.n; i++) p.h[l][i] *= random_next(&random) % 2 ? 1 : -0.0;
    }
    assert_int_equal(compare(&p), ZW_EIGHT);
  }
}

/* Some are refined and some are not. */
static void badly_scaled_problems_agree(void** state) {
  (void)state;
  Random random = random_from(73);
  for (int trial = 0; trial < 50; trial++) {
    Problems p;
    draw(&random, &p, 6, 3);
    for (int l = 0; l < ZW_EIGHT; l += 2) random_definite(&random, p.n, 1e6, p.M[l]);
    assert_int_equal(compare(&p), ZW_EIGHT);
  }
}

/* Each of these belongs to no group; its neighbours are not harmed. */
static void what_is_not_plain_is_named(void** state) {
  (void)state;
  Random random = random_from(74);
  Problems p;
  draw(&random, &p, 4, 2);
  p.M[0][5] = -1;                                             /* not definite */
  p.M[1][0] = NAN;                                            /* not a number */
  memcpy(p.A[2] + p.n, p.A[2], (size_t)p.n * sizeof(double)); /* dependent rows */
  memset(p.A[3], 0, (size_t)p.n * sizeof(double));            /* an empty row */
  p.h[4][1] = INFINITY;                                       /* a force without end */
  for (int32_t i = 0; i < p.n; i++) p.A[5][i] *= 1e-160;      /* squares that vanish */
  assert_int_equal(compare(&p), 2);
}

/* The same M again, then another for one of them: what is kept is kept for all or for none. */
static void factors_are_kept_while_nothing_changes(void** state) {
  (void)state;
  Random random = random_from(75);
  Problems p, other;
  draw(&random, &p, 5, 2);
  draw(&random, &other, 5, 2);
  Group group, fresh;
  open_group(&group, &p);
  assert_int_equal(zw_least_group_factor(group.least, 2, group.M, group.A), ZW_EIGHT_ALL);
  assert_int_equal(zw_least_group_factor(group.least, 2, group.M, group.A), ZW_EIGHT_ALL);
  memcpy(p.M[3], other.M[3], sizeof p.M[3]);
  open_group(&fresh, &p);
  assert_int_equal(zw_least_group_factor(group.least, 2, fresh.M, fresh.A), ZW_EIGHT_ALL);
  assert_int_equal(zw_least_group_factor(fresh.least, 2, fresh.M, fresh.A), ZW_EIGHT_ALL);
  assert_memory_equal(group.least->L, fresh.least->L, 25 * sizeof(ZwEight));
  assert_memory_equal(group.least->T, fresh.least->T, 10 * sizeof(ZwEight));
  close_group(&group);
  close_group(&fresh);
}

int main(void) {
  if (!zw_machine_has_avx2()) {
    print_message("this machine has no AVX2: nothing was compared\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(problems_of_all_sizes_agree),
      cmocka_unit_test(sparse_problems_agree),
      cmocka_unit_test(badly_scaled_problems_agree),
      cmocka_unit_test(what_is_not_plain_is_named),
      cmocka_unit_test(factors_are_kept_while_nothing_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
