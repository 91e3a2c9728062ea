/* Sparse problems for the tests: random patterns with values, dense copies of them, mechanisms. */
#ifndef ZW_TEST_PROBLEMS_H
#define ZW_TEST_PROBLEMS_H

#include "../numbers.h"

#include <string.h>

#include "base/alloc.h"
#include "least/least.h"
#include "sparse/sparse.h"

/* A pattern that grows by dense rows: entries of `dense` that are not zero, of the lower triangle or all. */
typedef struct Matrix {
  ZwCsr csr;
  int32_t *begin, *column;
  double* value;
} Matrix;

static inline Matrix matrix_new(int32_t rows, int32_t columns, int32_t most) {
  Matrix matrix = {.begin = calloc((size_t)rows + 1, sizeof(int32_t)),
                   .column = malloc(sizeof(int32_t) * (size_t)(most + 1)),
                   .value = malloc(sizeof(double) * (size_t)(most + 1))};
  matrix.csr = (ZwCsr){.rows = rows, .columns = columns, .begin = matrix.begin, .column = matrix.column};
  return matrix;
}

static inline void matrix_free(Matrix* matrix) {
  free(matrix->begin);
  free(matrix->column);
  free(matrix->value);
}

/* Entries are added row by row, columns ascending. */
static inline void matrix_add(Matrix* matrix, int32_t row, int32_t column, double value) {
  int32_t p = matrix->begin[row + 1];
  matrix->column[p] = column;
  matrix->value[p] = value;
  matrix->begin[row + 1] = p + 1;
}

static inline void matrix_next_row(Matrix* matrix, int32_t row) {
  if (row + 1 < matrix->csr.rows) matrix->begin[row + 2] = matrix->begin[row + 1];
}

/* What differs from zero in a dense matrix; of a symmetric one the lower triangle. */
static inline Matrix matrix_from(int32_t rows, int32_t columns, const double* dense, bool is_symmetric) {
  Matrix matrix = matrix_new(rows, columns, rows * columns);
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < (is_symmetric ? i + 1 : columns); j++) {
      if (dense[i * columns + j] != 0) matrix_add(&matrix, i, j, dense[i * columns + j]);
    }
    matrix_next_row(&matrix, i);
  }
  return matrix;
}

/* One plan with its numbers. */
typedef struct Solver {
  ZwArena arena;
  ZwSparsePlan* plan;
  ZwSparse* sparse;
} Solver;

static inline Solver solver_new(const Matrix* M, const Matrix* A, ZwSparseForm form, ZwLdlWay way) {
  Solver solver;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&solver.arena, &allocator);
  ZwSparseDef def = {.M = M->csr, .A = A->csr, .form = form, .way = way};
  assert_int_equal(zw_sparse_plan(&solver.arena, &def, &solver.plan), ZW_OK);
  /* exactly as much memory as was asked for, so that a sanitizer sees one number too many */
  solver.sparse = zw_sparse_place(malloc(zw_sparse_work_size(solver.plan)), solver.plan);
  return solver;
}

static inline void solver_free(Solver* solver) {
  free(solver->sparse);
  zw_arena_destroy(&solver->arena);
}

/* Links of one hanging chain in the plane: unit masses, the distance of each to the one before it is fixed, the first
 * to the origin. b and h for random velocities under gravity. */
typedef struct Chain {
  int32_t links;
  Matrix M, A;
  double *h, *b;
} Chain;

static inline Chain chain_new(int32_t links, uint64_t seed) {
  Random random = random_from(seed);
  Chain chain = {
      .links = links, .M = matrix_new(2 * links, 2 * links, 2 * links), .A = matrix_new(links, 2 * links, 4 * links)};
  chain.h = calloc(2 * (size_t)links, sizeof(double));
  chain.b = calloc((size_t)links, sizeof(double));
  for (int32_t i = 0; i < 2 * links; i++) {
    matrix_add(&chain.M, i, i, 1);
    matrix_next_row(&chain.M, i);
    if (i % 2) chain.h[i] = -9.81;
  }
  for (int32_t i = 0; i < links; i++) {
    double angle = 0.3 * random_number(&random), d[2] = {sin(angle), -cos(angle)}, w = random_number(&random);
    if (i > 0) {
      matrix_add(&chain.A, i, 2 * i - 2, -d[0]);
      matrix_add(&chain.A, i, 2 * i - 1, -d[1]);
    }
    matrix_add(&chain.A, i, 2 * i, d[0]);
    matrix_add(&chain.A, i, 2 * i + 1, d[1]);
    matrix_next_row(&chain.A, i);
    chain.b[i] = -w * w;
  }
  return chain;
}

static inline void chain_free(Chain* chain) {
  matrix_free(&chain->M);
  matrix_free(&chain->A);
  free(chain->h);
  free(chain->b);
}

#endif
