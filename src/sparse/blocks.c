/* M falls into blocks of coordinates that it couples: the three coordinates of a point mass one by one, the seven of a
 * rigid body together. Each block is factored by itself. */
#include <math.h>

#include "sparse/sparse_parts.h"

/* ---- finding them ---- */

static int32_t find_root(int32_t* up, int32_t i) {
  while (up[i] != i) {
    up[i] = up[up[i]];
    i = up[i];
  }
  return i;
}

/* up[i]: the smallest coordinate of the block of i. */
static void join_coupled(const ZwCsr* M, int32_t* up) {
  for (int32_t i = 0; i < M->rows; i++) up[i] = i;
  for (int32_t i = 0; i < M->rows; i++) {
    for (int32_t p = M->begin[i]; p < M->begin[i + 1]; p++) {
      int32_t a = find_root(up, i), b = find_root(up, M->column[p]);
      if (a < b) up[b] = a;
      if (b < a) up[a] = b;
    }
  }
  for (int32_t i = 0; i < M->rows; i++) up[i] = find_root(up, i);
}

/* Blocks in the order of their smallest coordinates, coordinates ascending within. */
static void number_blocks(ZwBlocks* blocks, const int32_t* up, int32_t* number, int32_t* next) {
  int32_t n = blocks->n;
  for (int32_t j = 0; j < n; j++) {
    if (up[j] == j) number[j] = blocks->count++;
    blocks->begin[number[up[j]] + 1]++;
  }
  for (int32_t b = 0; b < blocks->count; b++) {
    int32_t size = blocks->begin[b + 1];
    if (size > blocks->largest) blocks->largest = size;
    blocks->operations += size * (size + 1.0) * (size + 2.0) / 6 + 8.0 * size;
    blocks->begin[b + 1] += blocks->begin[b];
    blocks->value_begin[b + 1] = blocks->value_begin[b] + (int64_t)size * size;
    next[b] = blocks->begin[b];
  }
  for (int32_t j = 0; j < n; j++) {
    int32_t block = number[up[j]];
    blocks->place[j] = next[block]++;
    blocks->coordinate[blocks->place[j]] = j;
    blocks->block_of[blocks->place[j]] = block;
  }
}

static void plan_input(const ZwCsr* M, ZwBlocks* blocks) {
  int32_t diagonals = 0;
  for (int32_t i = 0; i < M->rows; i++) {
    for (int32_t p = M->begin[i]; p < M->begin[i + 1]; p++) {
      int32_t row = blocks->place[i], column = blocks->place[M->column[p]], block = blocks->block_of[row];
      int32_t begin = blocks->begin[block], size = blocks->begin[block + 1] - begin;
      blocks->input[p] = blocks->value_begin[block] + (int64_t)(row - begin) * size + (column - begin);
      diagonals += row == column;
    }
  }
  blocks->has_all_diagonals = diagonals == M->rows;
}

bool zw_blocks_plan(ZwArena* arena, const ZwCsr* M, ZwBlocks* blocks) {
  int32_t n = M->rows;
  *blocks = (ZwBlocks){.n = n, .input_count = M->begin[n]};
  blocks->begin = ZW_NEW(arena, n + 1, int32_t);
  blocks->place = ZW_NEW(arena, n, int32_t);
  blocks->coordinate = ZW_NEW(arena, n, int32_t);
  blocks->block_of = ZW_NEW(arena, n, int32_t);
  blocks->value_begin = ZW_NEW(arena, n + 1, int64_t);
  blocks->input = ZW_NEW(arena, blocks->input_count, int64_t);
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  int32_t* up = ZW_NEW(&scratch, n, int32_t);
  int32_t *number = ZW_NEW(&scratch, n, int32_t), *next = ZW_NEW(&scratch, n, int32_t);
  if (!arena->failed && !scratch.failed) {
    join_coupled(M, up);
    number_blocks(blocks, up, number, next);
    plan_input(M, blocks);
    blocks->is_diagonal = blocks->largest <= 1;
  }
  return zw_scratch_destroy(&scratch, arena) && !arena->failed;
}

/* ---- numbers ---- */

static double mean_diagonal(const ZwBlocks* blocks, const double* values) {
  double sum = 0;
  for (int32_t b = 0; b < blocks->count; b++) {
    int32_t size = blocks->begin[b + 1] - blocks->begin[b];
    for (int32_t i = 0; i < size; i++) sum += values[blocks->value_begin[b] + (int64_t)i * (size + 1)];
  }
  return blocks->n > 0 && sum > 0 ? sum / blocks->n : 1;
}

/* L L^T = block + E, in place, the inverse of the diagonal of L in its place. False when a pivot is negative by more
 * than rounding. */
static bool factor_block(int32_t size, double* L, double* E, double mean, int32_t* boosted) {
  for (int32_t i = 0; i < size; i++) {
    double *row = L + (ptrdiff_t)i * size, diagonal = row[i];
    for (int32_t j = 0; j < i; j++) {
      const double* other = L + (ptrdiff_t)j * size;
      double sum = row[j];
      for (int32_t k = 0; k < j; k++) sum -= row[k] * other[k];
      row[j] = sum * other[j];
    }
    double pivot = diagonal;
    for (int32_t k = 0; k < i; k++) pivot -= row[k] * row[k];
    E[i] = 0;
    if (!(pivot > tol_inertia * diagonal)) {
      if (pivot < -1e-6 * fabs(diagonal) || (diagonal < 0)) return false;
      double instead = rho * (diagonal > 0 ? diagonal : mean);
      E[i] = instead - pivot;
      pivot = instead;
      ++*boosted;
    }
    row[i] = 1 / sqrt(pivot);
  }
  return true;
}

bool zw_blocks_factor(const ZwBlocks* blocks, const double* M, ZwBlockFactor* factor) {
  for (int64_t p = 0; p < blocks->value_begin[blocks->count]; p++) factor->L[p] = 0;
  for (int32_t p = 0; p < blocks->input_count; p++) factor->L[blocks->input[p]] = M[p];
  double mean = mean_diagonal(blocks, factor->L);
  factor->boosted = 0;
  for (int32_t b = 0; b < blocks->count; b++) {
    int32_t begin = blocks->begin[b], size = blocks->begin[b + 1] - begin;
    double* L = factor->L + blocks->value_begin[b];
    if (!factor_block(size, L, factor->E + begin, mean, &factor->boosted)) return false;
    if (size == 1) factor->scale[begin] = L[0];
    for (int32_t i = 0; size > 1 && i < size; i++) factor->scale[begin + i] = 1;
  }
  return true;
}

void zw_block_lower(const ZwBlocks* blocks, const ZwBlockFactor* factor, int32_t block, double* x) {
  int32_t size = blocks->begin[block + 1] - blocks->begin[block];
  const double* row = factor->L + blocks->value_begin[block];
  for (int32_t i = 0; i < size; i++, row += size) {
    double sum = x[i];
    for (int32_t k = 0; k < i; k++) sum -= row[k] * x[k];
    x[i] = sum * row[i];
  }
}

void zw_block_upper(const ZwBlocks* blocks, const ZwBlockFactor* factor, int32_t block, double* x) {
  int32_t size = blocks->begin[block + 1] - blocks->begin[block];
  const double* L = factor->L + blocks->value_begin[block];
  for (int32_t i = size - 1; i >= 0; i--) {
    const double* row = L + (ptrdiff_t)i * size;
    x[i] *= row[i];
    for (int32_t k = 0; k < i; k++) x[k] -= row[k] * x[i];
  }
}

void zw_block_multiply(const ZwBlocks* blocks, const ZwBlockFactor* factor, int32_t block, double* x) {
  int32_t size = blocks->begin[block + 1] - blocks->begin[block];
  const double* L = factor->L + blocks->value_begin[block];
  for (int32_t i = size - 1; i >= 0; i--) {
    const double* row = L + (ptrdiff_t)i * size;
    double sum = x[i] / row[i];
    for (int32_t k = 0; k < i; k++) sum += row[k] * x[k];
    x[i] = sum;
  }
}
