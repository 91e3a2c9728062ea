/* Formulas of matrices as papers write them, evaluated at a state: `zwang paper` holds them against what the program computes.
 *
 *   a0 + inv(root(M))*pinv(C)*(b - A*a0)      [x', y', -z']      [1, 2; 2, 4]*m/25      R_2      x1''
 *
 * A scalar is a 1 x 1 matrix. Products of matrices, sums, quotients by scalars, powers of scalars, x^T. Functions: tr(X) (transposed), inv, pinv, root
 * (of a symmetric positive matrix), dot(x, y), norm, eye(n), zeros(n, k), max(X), min(X), eigen(X) (ascending, of a symmetric one), det, and those of
 * numbers. */
#ifndef ZW_CLI_FORMULA_H
#define ZW_CLI_FORMULA_H

#include <stddef.h>

#include "base/status.h"
#include "base/str.h"

/* The terms of a number are what it is made of before that cancels: to first order rounding makes it wrong by as many times 1e-16. */
typedef struct Matrix {
  int32_t rows, columns;
  const double* at;    /* rows x columns */
  const double* terms; /* the same; NULL: each number is its own */
} Matrix;

typedef struct Formulas {
  ZwArena* arena;
  /* What a name stands for; false: nothing. */
  bool (*find)(void* context, ZwStr name, Matrix* value);
  void* context;
  const char* reason; /* why there is no value, a sentence; "" */
} Formulas;

/* The terms of number i of a matrix. */
double formula_term(const Matrix* x, ptrdiff_t i);

/* The value of a formula. False: there is none, for the reason. */
bool formula_value(Formulas* formulas, ZwStr text, Matrix* value);

/* How far two values of one size are apart: the largest difference as a part of the terms of both, NaN where these are not finite. With is_below only
 * where left is below right. */
double formula_apart(ZwArena* arena, const Matrix* left, const Matrix* right, bool is_below);

#endif
