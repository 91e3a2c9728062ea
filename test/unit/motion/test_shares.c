#include "motion/moving.h"

/* The groups at the start, and their arena. */
typedef struct Found {
  Moving m;
  ZwArena arena;
  ZwShares shares;
} Found;

static void find(Found* found, const char* text) {
  *found = (Found){0};
  assert_starts(&found->m, text, 0, 1e-8);
  zw_arena_init(&found->arena, &found->m.sim->allocator);
  assert_int_equal(zw_shares_find(found->m.sim, &found->arena, &found->shares), ZW_OK);
}

static void close_found(Found* found) {
  zw_arena_destroy(&found->arena);
  moving_close(&found->m);
}

static void assert_names(const Found* found, int32_t which, const char* names) {
  char text[512] = "";
  const ZwShare* share = &found->shares.list.items[which];
  for (int32_t i = 0; i < share->rows.count; i++) {
    ZwStr name = zw_row_name(found->m.sim, share->rows.items[i]);
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%.*s", i ? " " : "", ZW_STR_ARGS(name));
  }
  assert_string_equal(text, names);
}

static bool is_unique(const Found* found, int32_t which, const char* combination) {
  const ZwShare* share = &found->shares.list.items[which];
  for (int32_t i = 0; i < share->unique.count; i++) {
    if (strcmp(share->unique.items[i], combination) == 0) return true;
  }
  return false;
}

static void independent_rows_share_nothing(void** state) {
  (void)state;
  Found found;
  find(&found, PENDULUM);
  assert_int_equal(found.shares.list.count, 0);
  close_found(&found);
}

/* U96 42: lambda is known up to the direction (2, -1), so cone + 2*again is what is unique (or half of it). */
static void paper_example_six(void** state) {
  (void)state;
  Found found;
  find(&found,
       "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\nconstraint cone: (x'^2 + y'^2 - z'^2)/2 = 0\n"
       "constraint again: x'^2 + y'^2 - z'^2 = 0\nstart x' = 1, z' = 1\n");
  assert_int_equal(found.shares.list.count, 1);
  assert_names(&found, 0, "cone again");
  assert_int_equal(found.shares.list.items[0].freedom, 1);
  assert_int_equal(found.shares.list.items[0].unique.count, 1);
  assert_true(is_unique(&found, 0, "cone + 2*again") || is_unique(&found, 0, "0.5*cone + again"));
  close_found(&found);
}

/* Four legs under a plate: the diagonals may be pressed against each other. The sums along the edges stay. */
static void table_on_four_legs(void** state) {
  (void)state;
  Found found;
  find(&found,
       "param a = 0.6, b = 0.4\ncoord z, roll, pitch, x\nkinetic 4*z'^2 + roll'^2 + 2*pitch'^2 + x'^2\n"
       "let height(u, v) = z + v*roll - u*pitch\n"
       "constraint wall: x = 0\n"
       "constraint leg[1]: height(a, b) = 0\nconstraint leg[2]: height(a, -b) = 0\n"
       "constraint leg[3]: height(-a, b) = 0\nconstraint leg[4]: height(-a, -b) = 0\n");
  assert_int_equal(found.shares.list.count, 1); /* the wall's reaction is its own */
  assert_names(&found, 0, "leg[1] leg[2] leg[3] leg[4]");
  assert_int_equal(found.shares.list.items[0].freedom, 1);
  assert_int_equal(found.shares.list.items[0].unique.count, 3);
  assert_true(is_unique(&found, 0, "leg[1] + leg[3]"));
  assert_true(is_unique(&found, 0, "leg[3] + leg[4]"));
  assert_true(is_unique(&found, 0, "leg[2] - leg[3]"));
  close_found(&found);
}

/* Two pairs that have nothing to do with each other are two groups. */
static void groups_are_kept_apart(void** state) {
  (void)state;
  Found found;
  find(&found,
       "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint a: x = 0\nconstraint b: y = 0\nconstraint c: 3*x = 0\n"
       "constraint d: -y = 0\n");
  assert_int_equal(found.shares.list.count, 2);
  for (int32_t i = 0; i < 2; i++) {
    assert_int_equal(found.shares.list.items[i].rows.count, 2);
    assert_int_equal(found.shares.list.items[i].freedom, 1);
    assert_int_equal(found.shares.list.items[i].unique.count, 1);
  }
  close_found(&found);
}

/* A combination called unique must be the same for every set of multipliers: it is orthogonal to the null space. The
 * smallest multipliers, and those plus any null vector, have the same value of it. */
static void unique_means_unique(void** state) {
  (void)state;
  Found found;
  find(&found,
       "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + 3*z'^2)\npotential 3*x - y + 2*z\nconstraint a: x + y = 0\n"
       "constraint b: y - z = 0\nconstraint c: x + z = 0\nconstraint d: 2*x + y + z = 0\n");
  const ZwRank* rank = found.m.sim->rank;
  assert_int_equal(rank->rank, 2);
  assert_int_equal(found.shares.list.count, 1);
  assert_int_equal(found.shares.list.items[0].freedom, 2);
  assert_int_equal(found.shares.list.items[0].unique.count, 2);
  /* lambda_j + sum_d K_dj lambda_d from the smallest multipliers is what solves with the independent rows alone */
  assert_int_equal(zw_reactions(found.m.sim), ZW_OK);
  const double* lambda = found.m.sim->reactions;
  double Qc[3] = {0};
  double A[4][3] = {{1, 1, 0}, {0, 1, -1}, {1, 0, 1}, {2, 1, 1}};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 3; j++) Qc[j] += A[i][j] * lambda[i];
  }
  for (int j = 0; j < 3; j++) {
    double from_independent = 0;
    for (int32_t k = 0; k < 2; k++) {
      double unique = lambda[rank->order[k]];
      for (int32_t d = 0; d < 2; d++) unique += rank->coefficients[d * 2 + k] * lambda[rank->order[2 + d]];
      from_independent += unique * A[rank->order[k]][j];
    }
    assert_near(from_independent, Qc[j], 1e-13);
  }
  close_found(&found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(independent_rows_share_nothing),
      cmocka_unit_test(paper_example_six),
      cmocka_unit_test(table_on_four_legs),
      cmocka_unit_test(groups_are_kept_apart),
      cmocka_unit_test(unique_means_unique),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
