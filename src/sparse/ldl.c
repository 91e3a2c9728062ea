#include "sparse/ldl.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "sparse/order.h"
#include "sparse/tree.h"

/* Panels when factoring takes more multiply-adds per entry of L than this: below, lists are faster. Nets of 10 x 10
 * masses have 6, of 32 x 32 13, where both take the same time, of 100 x 100 28; chains have 3 to 6
 * (bench/bench_sparse.c). */
static const double panels_from = 12;

bool zw_ldl_order(ZwArena* arena, const ZwCsr* graph, const int32_t* waits, int32_t* order) {
  int32_t n = graph->rows;
  if (!zw_order(arena, graph, waits, order)) return false;
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  int32_t *parent = ZW_NEW(&scratch, n, int32_t), *work = ZW_NEW(&scratch, 4 * (ptrdiff_t)n, int32_t);
  ZwCsr lower;
  if (zw_tree_permute(&scratch, graph, order, &lower) && !scratch.failed) {
    zw_tree_parents(&lower, parent, work);
    zw_tree_postorder(n, parent, order, work);
  }
  return zw_scratch_destroy(&scratch, arena);
}

/* Multiply-adds of a factorisation with these column counts. */
static double count_operations(int32_t n, const int32_t* counts) {
  double sum = 0;
  for (int32_t j = 0; j < n; j++) sum += 4 + 0.5 * counts[j] * (counts[j] + 3.0);
  return sum;
}

bool zw_ldl_count(ZwArena* arena, const ZwCsr* graph, const int32_t* order, double* operations, double* entries) {
  int32_t n = graph->rows;
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  int32_t *parent = ZW_NEW(&scratch, n, int32_t), *counts = ZW_NEW(&scratch, n, int32_t);
  int32_t* work = ZW_NEW(&scratch, n, int32_t);
  ZwCsr lower;
  if (zw_tree_permute(&scratch, graph, order, &lower) && !scratch.failed) {
    zw_tree_parents(&lower, parent, work);
    int64_t sum = zw_tree_counts(&lower, parent, counts, work);
    *entries = sum <= INT32_MAX ? (double)sum : INFINITY;
    *operations = sum <= INT32_MAX ? count_operations(n, counts) : INFINITY;
  }
  return zw_scratch_destroy(&scratch, arena);
}

/* ---- the plan by rows ---- */

/* The columns of row k of L, not yet sorted. Gives how many. */
static int32_t gather_row(const ZwCsr* input, const int32_t* parent, int32_t k, int32_t* mark, int32_t* columns) {
  int32_t count = 0;
  mark[k] = k;
  for (int32_t p = input->begin[k]; p < input->begin[k + 1]; p++) {
    for (int32_t j = input->column[p]; mark[j] != k; j = parent[j]) {
      mark[j] = k;
      columns[count++] = j;
    }
  }
  return count;
}

/* Rows are found one after the other, so each column gets its rows in ascending order; going through the columns once
 * more gives each row its columns in ascending order, which is an order in which they may be eliminated. */
static bool plan_rows(ZwArena* arena, ZwArena* scratch, const int32_t* parent, const int32_t* counts, ZwLdlPlan* plan) {
  int32_t n = plan->n, entries = (int32_t)plan->entries;
  plan->column_begin = ZW_NEW(arena, n + 1, int32_t);
  plan->row = ZW_NEW(arena, entries, int32_t);
  plan->row_begin = ZW_NEW(arena, n + 1, int32_t);
  plan->row_column = ZW_NEW(arena, entries, int32_t);
  plan->row_place = ZW_NEW(arena, entries, int32_t);
  int32_t *mark = ZW_NEW(scratch, n, int32_t), *filled = ZW_NEW(scratch, n, int32_t),
          *columns = ZW_NEW(scratch, n, int32_t);
  if (arena->failed || scratch->failed) return false;
  for (int32_t j = 0; j < n; j++) plan->column_begin[j + 1] = plan->column_begin[j] + counts[j];
  for (int32_t k = 0; k < n; k++) {
    int32_t count = gather_row(&plan->input, parent, k, mark, columns);
    plan->row_begin[k + 1] = plan->row_begin[k] + count;
    for (int32_t c = 0; c < count; c++) {
      int32_t j = columns[c];
      plan->row[plan->column_begin[j] + filled[j]++] = k;
    }
  }
  for (int32_t k = 0; k < n; k++) filled[k] = 0;
  for (int32_t j = 0; j < n; j++) {
    for (int32_t q = plan->column_begin[j]; q < plan->column_begin[j + 1]; q++) {
      int32_t k = plan->row[q], p = plan->row_begin[k] + filled[k]++;
      plan->row_column[p] = j;
      plan->row_place[p] = q;
    }
  }
  return true;
}

/* ---- both ---- */

static ZwStatus plan_way(ZwArena* arena, ZwArena* scratch, ZwLdlWay way, ZwLdlPlan* plan) {
  int32_t n = plan->n;
  int32_t *parent = ZW_NEW(scratch, n, int32_t), *counts = ZW_NEW(scratch, n, int32_t),
          *work = ZW_NEW(scratch, n, int32_t);
  if (scratch->failed) return ZW_ERR_MEMORY;
  zw_tree_parents(&plan->input, parent, work);
  plan->entries = zw_tree_counts(&plan->input, parent, counts, work);
  if (plan->entries > INT32_MAX) return ZW_ERR_LIMIT;
  plan->operations = count_operations(n, counts);
  plan->way = way;
  if (way == ZW_LDL_AUTO) {
    plan->way = plan->operations > panels_from * (double)(plan->entries + n) ? ZW_LDL_PANELS : ZW_LDL_ROWS;
  }
  bool has_worked = plan->way == ZW_LDL_PANELS ? zw_panels_plan(arena, parent, counts, plan)
                                               : plan_rows(arena, scratch, parent, counts, plan);
  return has_worked ? ZW_OK : ZW_ERR_MEMORY;
}

ZwStatus zw_ldl_plan(ZwArena* arena, const ZwCsr* input, ZwLdlWay way, ZwLdlPlan* plan) {
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  *plan = (ZwLdlPlan){.n = input->rows, .input = *input};
  ZwStatus status = plan_way(arena, &scratch, way, plan);
  return zw_scratch_destroy(&scratch, arena) ? status : ZW_ERR_MEMORY;
}

/* ---- numbers ---- */

/* Numbers of L, with a few behind them: panels are read four rows at a time, also where only one is left. */
static int64_t value_count(const ZwLdlPlan* plan) {
  if (plan->way == ZW_LDL_ROWS) return plan->entries;
  return plan->panels.value_begin[plan->panels.count] + 4;
}

static int64_t input_count(const ZwLdlPlan* plan) {
  return plan->way == ZW_LDL_ROWS ? plan->input.begin[plan->n] : 0;
}

static int64_t work_count(const ZwLdlPlan* plan) {
  return plan->way == ZW_LDL_ROWS ? plan->n : plan->panels.tallest + plan->panels.widest_update;
}

size_t zw_ldl_work_size(const ZwLdlPlan* plan) {
  size_t n = (size_t)plan->n, maps = plan->way == ZW_LDL_ROWS ? n : 2 * n;
  size_t numbers = (size_t)(value_count(plan) + input_count(plan) + work_count(plan)) + 3 * n;
  return numbers * sizeof(double) + (maps + 3) / 4 * 4 * sizeof(int32_t);
}

void zw_ldl_place(ZwLdl* ldl, void* memory, const ZwLdlPlan* plan) {
  *ldl = (ZwLdl){.plan = plan};
  double* next = memory;
  ldl->L = next;
  next += value_count(plan);
  ldl->K = plan->way == ZW_LDL_ROWS ? next : ldl->L;
  next += input_count(plan);
  ldl->D = next;
  next += plan->n;
  ldl->D_inverse = next;
  next += plan->n;
  ldl->weight = next;
  next += plan->n;
  ldl->work = next;
  next += work_count(plan);
  ldl->weak = (int32_t*)(void*)next;
  ldl->map = ldl->weak + plan->n;
  memset(ldl->work, 0, (size_t)work_count(plan) * sizeof(double));
}

void zw_ldl_clear(ZwLdl* ldl) {
  if (ldl->plan->way == ZW_LDL_PANELS) memset(ldl->L, 0, (size_t)value_count(ldl->plan) * sizeof(double));
}

/* A pivot of the wrong sign that is larger than this part of its weight is no rounding: replacements of 1e-10 blow
 * that up to 1e-6. */
static const double wrong_sign = 1e-6;

static double larger(double x, double y) {
  return x > y ? x : y;
}

/* Seldom needed: almost every pivot is larger than the smallest so far. */
double zw_ldl_pivot_replaced(ZwLdl* ldl, int32_t k, double d) {
  double weight = ldl->weight[k], part = weight != 0 ? d / weight : 0;
  const ZwPivotRule* rule = weight < 0 ? &ldl->rule_minus : &ldl->rule_plus;
  if (part < ldl->pivot_ratio) {
    ldl->pivot_ratio = part;
    ldl->watched = larger(part, larger(ldl->rule_plus.tol, ldl->rule_minus.tol));
  }
  if (part > rule->tol) return d;
  if (part < -wrong_sign) ldl->wrong_count++;
  ldl->weak[ldl->weak_count++] = k;
  return weight != 0 ? rule->replacement * weight : 1;
}

void zw_ldl_begin(ZwLdl* ldl) {
  ldl->weak_count = ldl->wrong_count = 0;
  ldl->pivot_ratio = ldl->watched = 1;
}

void zw_ldl_factor(ZwLdl* ldl) {
  zw_ldl_begin(ldl);
  if (ldl->plan->way == ZW_LDL_PANELS) {
    zw_ldl_factor_panels(ldl);
  } else {
    zw_ldl_factor_rows(ldl);
  }
}

void zw_ldl_solve_upper(const ZwLdl* ldl, double* x) {
  if (ldl->plan->way == ZW_LDL_PANELS) {
    zw_ldl_solve_upper_panels(ldl, x);
  } else {
    zw_ldl_solve_upper_rows(ldl, x);
  }
}

void zw_ldl_solve(const ZwLdl* ldl, double* x) {
  if (ldl->plan->way == ZW_LDL_PANELS) {
    zw_ldl_solve_lower_panels(ldl, x);
  } else {
    zw_ldl_solve_lower_rows(ldl, x);
  }
  for (int32_t k = 0; k < ldl->plan->n; k++) x[k] *= ldl->D_inverse[k];
  zw_ldl_solve_upper(ldl, x);
}
