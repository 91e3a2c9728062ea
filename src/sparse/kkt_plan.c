/* The matrix K = [M A^T; A 0] as a whole: coordinates are unknowns 0 to n - 1, rows of A unknowns n to n + m - 1.
 *
 * The diagonal of a row is zero, so its pivot comes from coordinates eliminated before it, and for k rows it takes k
 * coordinates. Every row is therefore given a coordinate of its own to wait for (order.h), as far as there are enough;
 * where their entries do not vanish by accident no pivot is zero. Coordinates without an entry on the diagonal of M
 * wait for a row in the same way. */
#include "base/assert.h"
#include "sparse/sparse_parts.h"

/* ---- who waits for whom ---- */

static bool has_diagonal(const ZwCsr* M, int32_t j) {
  int32_t end = M->begin[j + 1];
  return end > M->begin[j] && M->column[end - 1] == j;
}

/* The free coordinate with inertia that the fewest rows touch, or any of the row's, or -1. */
static int32_t choose_coordinate(const ZwSparseDef* def, int32_t row, const ZwCsr* touching, const bool* is_taken) {
  int32_t best = -1, fewest = INT32_MAX, any = -1;
  for (int32_t p = def->A.begin[row]; p < def->A.begin[row + 1]; p++) {
    int32_t j = def->A.column[p];
    if (!has_diagonal(&def->M, j)) continue;
    if (any < 0) any = j;
    int32_t rows = touching->begin[j + 1] - touching->begin[j];
    if (is_taken[j] || rows >= fewest) continue;
    best = j;
    fewest = rows;
  }
  return best >= 0 ? best : any;
}

static bool find_waits(ZwArena* scratch, const ZwSparseDef* def, int32_t* waits) {
  int32_t n = def->M.rows, m = def->A.rows;
  bool* is_taken = ZW_NEW(scratch, n, bool);
  ZwCsr touching;
  if (!zw_csr_transpose(scratch, &def->A, &touching, NULL)) return false;
  for (int32_t k = 0; k < m; k++) {
    int32_t j = choose_coordinate(def, k, &touching, is_taken);
    waits[n + k] = j;
    if (j >= 0) is_taken[j] = true;
  }
  for (int32_t j = 0; j < n; j++) {
    bool can_wait = !has_diagonal(&def->M, j) && touching.begin[j + 1] > touching.begin[j];
    waits[j] = can_wait ? n + touching.column[touching.begin[j]] : -1;
  }
  return true;
}

/* ---- draft ---- */

/* [M; A] as the lower triangle of K. */
static bool stack_patterns(ZwArena* scratch, const ZwSparseDef* def, ZwCsr* K) {
  int32_t n = def->M.rows, m = def->A.rows, count = def->M.begin[n];
  int32_t* begin = ZW_NEW(scratch, n + m + 1, int32_t);
  int32_t* column = ZW_NEW(scratch, count + def->A.begin[m], int32_t);
  if (scratch->failed) return false;
  for (int32_t i = 0; i <= n; i++) begin[i] = def->M.begin[i];
  for (int32_t p = 0; p < count; p++) column[p] = def->M.column[p];
  for (int32_t k = 0; k <= m; k++) begin[n + k] = count + def->A.begin[k];
  for (int32_t p = 0; p < def->A.begin[m]; p++) column[count + p] = def->A.column[p];
  *K = (ZwCsr){.rows = n + m, .columns = n + m, .begin = begin, .column = column};
  return true;
}

bool zw_kkt_draft(ZwArena* scratch, const ZwSparseDef* def, ZwDraft* draft) {
  int32_t size = def->M.rows + def->A.rows;
  ZwCsr K, graph;
  int32_t* waits = ZW_NEW(scratch, size, int32_t);
  *draft = (ZwDraft){.order = ZW_NEW(scratch, size, int32_t)};
  if (scratch->failed || !find_waits(scratch, def, waits)) return false;
  if (!stack_patterns(scratch, def, &K) || !zw_csr_graph(scratch, &K, &graph)) return false;
  draft->is_possible = zw_ldl_order(scratch, &graph, waits, draft->order) &&
                       zw_ldl_count(scratch, &graph, draft->order, &draft->operations, &draft->entries);
  return draft->is_possible;
}

/* ---- plan ---- */

typedef struct Entry {
  int32_t row, column; /* places, row >= column */
} Entry;

static Entry entry_at(const int32_t* place, int32_t i, int32_t j) {
  int32_t a = place[i], b = place[j];
  return a > b ? (Entry){a, b} : (Entry){b, a};
}

/* Goes through all entries of K off its diagonal. Without `column` they are counted by rows, else they get their
 * places. */
static void gather_entries(const ZwCsr* M, const ZwCsr* A, const ZwKktPlan* plan, int32_t* next, int32_t* column) {
  for (int32_t i = 0; i < M->rows; i++) {
    for (int32_t p = M->begin[i]; p < M->begin[i + 1]; p++) {
      if (M->column[p] == i) continue;
      Entry entry = entry_at(plan->place, i, M->column[p]);
      if (column) column[next[entry.row]] = entry.column;
      if (column) plan->input_M[p] = next[entry.row];
      next[entry.row]++;
    }
  }
  for (int32_t k = 0; k < A->rows; k++) {
    for (int32_t p = A->begin[k]; p < A->begin[k + 1]; p++) {
      Entry entry = entry_at(plan->place, M->rows + k, A->column[p]);
      if (column) column[next[entry.row]] = entry.column;
      if (column) plan->input_A[p] = next[entry.row];
      next[entry.row]++;
    }
  }
}

static bool plan_input(ZwArena* arena, ZwArena* scratch, ZwKktPlan* plan, ZwCsr* input) {
  const ZwCsr *M = &plan->M, *A = &plan->A;
  int32_t size = M->rows + A->rows, *next = ZW_NEW(scratch, size, int32_t);
  int32_t* begin = ZW_NEW(arena, size + 1, int32_t);
  if (arena->failed || scratch->failed) return false;
  gather_entries(M, A, plan, next, NULL);
  for (int32_t k = 0; k < size; k++) {
    begin[k + 1] = begin[k] + next[k] + 1;
    next[k] = begin[k];
  }
  int32_t* column = ZW_NEW(arena, begin[size], int32_t);
  if (arena->failed) return false;
  gather_entries(M, A, plan, next, column);
  for (int32_t k = 0; k < size; k++) {
    column[next[k]] = k;
    plan->input_diagonal[plan->order[k]] = next[k];
  }
  for (int32_t j = 0; j < M->rows; j++) {
    if (has_diagonal(M, j)) plan->input_M[M->begin[j + 1] - 1] = plan->input_diagonal[j];
  }
  *input = (ZwCsr){.rows = size, .columns = size, .begin = begin, .column = column};
  return true;
}

static bool copy_pattern(ZwArena* arena, const ZwCsr* from, ZwCsr* to) {
  int32_t count = from->begin[from->rows];
  int32_t *begin = ZW_NEW(arena, from->rows + 1, int32_t), *column = ZW_NEW(arena, count, int32_t);
  if (arena->failed) return false;
  for (int32_t i = 0; i <= from->rows; i++) begin[i] = from->begin[i];
  for (int32_t p = 0; p < count; p++) column[p] = from->column[p];
  *to = (ZwCsr){.rows = from->rows, .columns = from->columns, .begin = begin, .column = column};
  return true;
}

static ZwStatus plan_all(ZwArena* arena, ZwArena* scratch, const ZwSparseDef* def, const ZwDraft* draft,
                         ZwKktPlan* plan) {
  int32_t size = def->M.rows + def->A.rows;
  plan->order = ZW_NEW(arena, size, int32_t);
  plan->place = ZW_NEW(arena, size, int32_t);
  plan->input_M = ZW_NEW(arena, def->M.begin[def->M.rows], int32_t);
  plan->input_A = ZW_NEW(arena, def->A.begin[def->A.rows], int32_t);
  plan->input_diagonal = ZW_NEW(arena, size, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < size; k++) {
    plan->order[k] = draft->order[k];
    plan->place[draft->order[k]] = k;
  }
  ZwCsr input;
  if (!copy_pattern(arena, &def->M, &plan->M) || !copy_pattern(arena, &def->A, &plan->A)) return ZW_ERR_MEMORY;
  if (!plan_input(arena, scratch, plan, &input)) return ZW_ERR_MEMORY;
  return zw_ldl_plan(arena, &input, def->way, &plan->ldl);
}

ZwStatus zw_kkt_plan(ZwArena* arena, const ZwSparseDef* def, const ZwDraft* draft, ZwKktPlan* plan) {
  ZW_ASSERT(draft->is_possible);
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  ZwStatus status = plan_all(arena, &scratch, def, draft, plan);
  return zw_scratch_destroy(&scratch, arena) ? status : ZW_ERR_MEMORY;
}
