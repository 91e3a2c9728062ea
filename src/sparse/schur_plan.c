/* Where the entries of S = C C^T come from, C = A L^-T, M = L L^T by blocks.
 *
 * Row i of C has entries for all coordinates of the blocks that row i of A touches. S_ij is a sum over the blocks that
 * rows i and j share. Blocks have their coordinates in one piece, so each shared block is one *run* of products;
 * neighbouring runs are joined, and the diagonal of S is one run. */
#include "base/assert.h"
#include "sparse/sparse_parts.h"

/* Larger blocks are left to the KKT form: C would be full. */
enum { BLOCK_MOST = 64 };

/* So many pairs of rows may share a block, beyond what the entries of A suggest. A coordinate that thousands of rows
 * touch makes S dense, and even counting it takes long. */
enum { PAIRS_FREE = 1000000, PAIRS_PER_ENTRY = 64 };

/* ---- draft ---- */

/* Blocks by rows and rows by blocks. Transposing twice sorts both. */
static bool find_incidences(ZwArena* scratch, const ZwCsr* A, ZwDraft* draft) {
  const ZwBlocks* blocks = &draft->blocks;
  int32_t *begin = ZW_NEW(scratch, A->rows + 1, int32_t), *block = ZW_NEW(scratch, A->begin[A->rows], int32_t);
  int32_t *mark = ZW_NEW(scratch, blocks->count, int32_t), count = 0;
  if (scratch->failed) return false;
  for (int32_t i = 0; i < A->rows; i++) {
    for (int32_t p = A->begin[i]; p < A->begin[i + 1]; p++) {
      int32_t b = blocks->block_of[blocks->place[A->column[p]]];
      if (mark[b] == i + 1) continue;
      mark[b] = i + 1;
      block[count++] = b;
    }
    begin[i + 1] = count;
  }
  ZwCsr unsorted = {.rows = A->rows, .columns = blocks->count, .begin = begin, .column = block}, rows;
  return zw_csr_transpose(scratch, &unsorted, &rows, NULL) &&
         zw_csr_transpose(scratch, &rows, &draft->row_blocks, NULL) &&
         zw_csr_transpose(scratch, &draft->row_blocks, &draft->block_rows, &draft->incidence);
}

static int32_t block_size(const ZwBlocks* blocks, int32_t b) {
  return blocks->begin[b + 1] - blocks->begin[b];
}

/* Operations that forming C and S takes; false when there are too many pairs. */
static bool count_forming(const ZwCsr* A, ZwDraft* draft) {
  const ZwBlocks* blocks = &draft->blocks;
  double pairs = 0, numbers = 0;
  draft->operations = blocks->operations;
  for (int32_t b = 0; b < blocks->count; b++) {
    double rows = draft->block_rows.begin[b + 1] - draft->block_rows.begin[b], size = block_size(blocks, b);
    pairs += 0.5 * rows * (rows + 1);
    numbers += rows * size;
    draft->operations += 0.5 * rows * size * (size + 1) + 0.5 * rows * (rows + 1) * size + 3 * rows * size;
  }
  double most = PAIRS_FREE + (double)PAIRS_PER_ENTRY * A->begin[A->rows];
  return pairs <= most && pairs < INT32_MAX / 4 && numbers < INT32_MAX / 2;
}

/* The graph of S: rows that share a block. */
static bool find_graph(ZwArena* scratch, int32_t m, ZwDraft* draft) {
  const ZwCsr *row_blocks = &draft->row_blocks, *block_rows = &draft->block_rows;
  int32_t *begin = ZW_NEW(scratch, m + 1, int32_t), *mark = ZW_NEW(scratch, m, int32_t), *column = NULL;
  for (int pass = 0; pass < 2 && !scratch->failed; pass++) {
    int32_t count = 0;
    for (int32_t i = 0; i < m; i++) {
      int32_t now = 1 + i + pass * m;
      mark[i] = now;
      for (int32_t p = row_blocks->begin[i]; p < row_blocks->begin[i + 1]; p++) {
        int32_t b = row_blocks->column[p];
        for (int32_t q = block_rows->begin[b]; q < block_rows->begin[b + 1]; q++) {
          int32_t j = block_rows->column[q];
          if (mark[j] == now) continue;
          mark[j] = now;
          if (column) column[count] = j;
          count++;
        }
      }
      begin[i + 1] = count;
    }
    if (!column) column = ZW_NEW(scratch, count, int32_t);
  }
  ZwCsr unsorted = {.rows = m, .columns = m, .begin = begin, .column = column};
  return !scratch->failed && zw_csr_transpose(scratch, &unsorted, &draft->graph, NULL);
}

bool zw_schur_draft(ZwArena* scratch, const ZwSparseDef* def, ZwDraft* draft) {
  int32_t m = def->A.rows;
  *draft = (ZwDraft){0};
  if (!zw_blocks_plan(scratch, &def->M, &draft->blocks)) return false;
  if (def->form != ZW_SPARSE_SCHUR && !draft->blocks.has_all_diagonals) return true;
  if (draft->blocks.largest > BLOCK_MOST || m > INT32_MAX / 4) return true;
  if (!find_incidences(scratch, &def->A, draft)) return false;
  if (!count_forming(&def->A, draft)) return true;
  draft->order = ZW_NEW(scratch, m, int32_t);
  if (scratch->failed || !find_graph(scratch, m, draft)) return false;
  double operations;
  if (!zw_ldl_order(scratch, &draft->graph, NULL, draft->order) ||
      !zw_ldl_count(scratch, &draft->graph, draft->order, &operations, &draft->entries)) {
    return false;
  }
  draft->operations += operations + 2 * draft->entries + m;
  draft->is_possible = isfinite(draft->operations);
  return true;
}

/* ---- plan ---- */

/* Rows of C in elimination order; at[q] is where incidence q of row_blocks begins in C. */
static bool plan_c(ZwArena* arena, const ZwCsr* A, const ZwDraft* draft, ZwSchurPlan* plan, int32_t* at) {
  const ZwBlocks* blocks = &plan->blocks;
  int32_t m = A->rows, count = 0, large = 0;
  plan->c_begin = ZW_NEW(arena, m + 1, int32_t);
  if (arena->failed) return false;
  for (int32_t k = 0; k < m; k++) {
    int32_t i = plan->order[k];
    for (int32_t p = draft->row_blocks.begin[i]; p < draft->row_blocks.begin[i + 1]; p++) {
      int32_t size = block_size(blocks, draft->row_blocks.column[p]);
      at[p] = count;
      count += size;
      large += size > 1;
    }
    plan->c_begin[k + 1] = count;
  }
  plan->c_column = ZW_NEW(arena, count, int32_t);
  plan->c_from = ZW_NEW(arena, count, int32_t);
  plan->incidence = ZW_NEW(arena, large, ZwIncidence);
  return !arena->failed;
}

/* What stands in C: columns, and the entries of A that go there. `at_block` takes one number per block. */
static void fill_c(const ZwCsr* A, const ZwDraft* draft, const int32_t* at, int32_t* at_block, ZwSchurPlan* plan) {
  const ZwBlocks* blocks = &plan->blocks;
  for (int32_t k = 0; k < A->rows; k++) {
    int32_t i = plan->order[k];
    for (int32_t p = draft->row_blocks.begin[i]; p < draft->row_blocks.begin[i + 1]; p++) {
      int32_t b = draft->row_blocks.column[p], size = block_size(blocks, b);
      at_block[b] = at[p];
      if (size > 1) plan->incidence[plan->incidence_count++] = (ZwIncidence){at[p], b};
      for (int32_t c = 0; c < size; c++) {
        plan->c_column[at[p] + c] = blocks->begin[b] + c;
        plan->c_from[at[p] + c] = -1;
      }
    }
    for (int32_t p = A->begin[i]; p < A->begin[i + 1]; p++) {
      int32_t place = blocks->place[A->column[p]], b = blocks->block_of[place];
      plan->c_from[at_block[b] + place - blocks->begin[b]] = p;
    }
  }
}

/* The lower triangle of S in elimination order, the diagonal last. */
static bool plan_input(ZwArena* arena, const ZwCsr* graph, const int32_t* order, const int32_t* place, ZwCsr* input) {
  int32_t m = graph->rows, count = 0;
  int32_t *begin = ZW_NEW(arena, m + 1, int32_t), *column = ZW_NEW(arena, graph->begin[m] / 2 + m, int32_t);
  if (arena->failed) return false;
  for (int32_t k = 0; k < m; k++) {
    for (int32_t p = graph->begin[order[k]]; p < graph->begin[order[k] + 1]; p++) {
      int32_t j = place[graph->column[p]];
      if (j < k) column[count++] = j;
    }
    column[count++] = k;
    begin[k + 1] = count;
  }
  *input = (ZwCsr){.rows = m, .columns = m, .begin = begin, .column = column};
  return true;
}

typedef struct Runs {
  int32_t *begin, *count; /* of each input: where its runs may stand, how many do */
  ZwRun* runs;
} Runs;

static void add_run(Runs* runs, int32_t input, ZwRun run) {
  int32_t count = runs->count[input];
  ZwRun* last = runs->runs + runs->begin[input] + count - 1;
  if (count > 0 && last->first + last->count == run.first && last->second + last->count == run.second) {
    last->count += run.count;
  } else {
    last[1] = run;
    runs->count[input]++;
  }
}

/* Goes through all shared blocks of all pairs of rows. Without `runs->runs` they are counted, unjoined. `slot` takes
 * m. */
static void gather_runs(const ZwDraft* draft, const ZwSchurPlan* plan, const ZwCsr* input, const int32_t* place,
                        const int32_t* at, int32_t* slot, Runs* runs) {
  for (int32_t k = 0; k < input->rows; k++) {
    int32_t i = plan->order[k];
    for (int32_t p = input->begin[k]; p < input->begin[k + 1]; p++) slot[input->column[p]] = p;
    for (int32_t p = draft->row_blocks.begin[i]; p < draft->row_blocks.begin[i + 1]; p++) {
      int32_t b = draft->row_blocks.column[p], size = block_size(&plan->blocks, b);
      for (int32_t q = draft->block_rows.begin[b]; q < draft->block_rows.begin[b + 1]; q++) {
        int32_t j = place[draft->block_rows.column[q]];
        if (j > k) continue;
        if (!runs->runs) {
          runs->count[slot[j]]++;
        } else {
          add_run(runs, slot[j], (ZwRun){at[p], at[draft->incidence[q]], size});
        }
      }
    }
  }
}

/* Joining has left gaps. An entry without any run is zero: a row without entries has one on its diagonal. */
static bool pack_runs(ZwArena* arena, const ZwCsr* input, const Runs* runs, ZwSchurPlan* plan) {
  int32_t rows = input->rows, count = 0;
  for (int32_t p = 0; p < input->begin[rows]; p++) count += runs->count[p] > 0 ? runs->count[p] : 1;
  plan->runs = ZW_NEW(arena, count, ZwRun);
  if (arena->failed) return false;
  count = 0;
  for (int32_t k = 0; k < rows; k++) {
    for (int32_t p = input->begin[k]; p < input->begin[k + 1]; p++) {
      for (int32_t r = 0; r < runs->count[p]; r++) plan->runs[count++] = runs->runs[runs->begin[p] + r];
      if (runs->count[p] == 0) count++;
      plan->runs[count - 1].count = -plan->runs[count - 1].count - 1;
    }
    plan->run_begin[k + 1] = count;
  }
  return true;
}

static bool plan_runs(ZwArena* arena, ZwArena* scratch, const ZwDraft* draft, const ZwCsr* input, const int32_t* place,
                      const int32_t* at, ZwSchurPlan* plan) {
  int32_t count = input->begin[input->rows];
  int32_t* slot = ZW_NEW(scratch, input->rows, int32_t);
  Runs runs = {.begin = ZW_NEW(scratch, count + 1, int32_t), .count = ZW_NEW(scratch, count, int32_t)};
  plan->run_begin = ZW_NEW(arena, input->rows + 1, int32_t);
  if (scratch->failed || arena->failed) return false;
  gather_runs(draft, plan, input, place, at, slot, &runs);
  for (int32_t p = 0; p < count; p++) {
    runs.begin[p + 1] = runs.begin[p] + runs.count[p];
    runs.count[p] = 0;
  }
  runs.runs = ZW_NEW(scratch, runs.begin[count] + 1, ZwRun);
  if (scratch->failed) return false;
  gather_runs(draft, plan, input, place, at, slot, &runs);
  return pack_runs(arena, input, &runs, plan);
}

static ZwStatus plan_all(ZwArena* arena, ZwArena* scratch, const ZwSparseDef* def, const ZwDraft* draft,
                         ZwSchurPlan* plan) {
  int32_t m = def->A.rows;
  plan->order = ZW_NEW(arena, m, int32_t);
  int32_t* place = ZW_NEW(scratch, m, int32_t);
  int32_t* at = ZW_NEW(scratch, draft->row_blocks.begin[m], int32_t);
  if (!zw_blocks_plan(arena, &def->M, &plan->blocks)) return ZW_ERR_MEMORY;
  int32_t* at_block = ZW_NEW(scratch, plan->blocks.count, int32_t);
  if (scratch->failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < m; k++) {
    plan->order[k] = draft->order[k];
    place[draft->order[k]] = k;
  }
  ZwCsr input;
  if (!plan_c(arena, &def->A, draft, plan, at)) return ZW_ERR_MEMORY;
  fill_c(&def->A, draft, at, at_block, plan);
  if (!plan_input(arena, &draft->graph, plan->order, place, &input)) return ZW_ERR_MEMORY;
  if (!plan_runs(arena, scratch, draft, &input, place, at, plan)) return ZW_ERR_MEMORY;
  return zw_ldl_plan(arena, &input, def->way, &plan->ldl);
}

ZwStatus zw_schur_plan(ZwArena* arena, const ZwSparseDef* def, const ZwDraft* draft, ZwSchurPlan* plan) {
  ZW_ASSERT(draft->is_possible);
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  ZwStatus status = plan_all(arena, &scratch, def, draft, plan);
  return zw_scratch_destroy(&scratch, arena) ? status : ZW_ERR_MEMORY;
}
