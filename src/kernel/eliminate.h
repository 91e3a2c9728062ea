/* The solve of a small system as straight-line code. The places of the entries of M and A are known, so the elimination of
 *
 *   M a - A^T lambda = h,   A a = b
 *
 * is written out once, operation by operation, without a zero or a loop. It is kept in parts, by what they depend on, each of them
 * a tape like those of the kernels, which the interpreter runs or the machine code does:
 *
 *   mass      what follows from M alone
 *   solve     a, lambda, A^T lambda, the power
 *   factor    what follows from M and A, for
 *   project   dx with A dx = -r, least in the metric of M (T22)
 *   measure   the smallest singular value of A in that metric, its rows in units of sizes that are given; with the same factors
 *   sizes     of the rows of A in that metric, (A M^-1 A^T)_ii^(1/2)
 *
 * All of them read and write one block of numbers, which begins with the targets of the kernels (ZwBlock). Every pivot is positive
 * and stays above a part of what it is made of, or the answer is refused: then rows are nearly dependent or M is not definite
 * beyond doubt, and the solves that look at ranks (least/least.h) have to do. */
#ifndef ZW_KERNEL_ELIMINATE_H
#define ZW_KERNEL_ELIMINATE_H

#include "kernel/kernel.h"

/* The part of what a pivot is made of that must be left of it: the square of the sine of an angle between rows, below which
 * four digits of the answer would be lost. */
#define ZW_TOL_PIVOT_LEFT 1e-4

/* The measure inverts a guess twice, x to z to w. The cosine of the angle between z and w is 1 if these are a singular vector, and less
 * by half the sum of c^2 (1 - r)^2 over the others in z, with c their parts and r their inverse squares in units of that one's.
 * So much less may it be: it tells whether a smaller singular value has come up (r > 1), of which the first inversion has made c
 * larger, and does not wait for larger ones (r < 1), of which that has left little. */
#define ZW_TOL_MEASURE 2.5e-4

/* Added to the pivot of a row that is left out: beside it everything else of the row is nothing, whatever its unit. At least the
 * first, and so many times the square of the size of the row, but still a number. */
#define ZW_LEFT_OUT 1e200
#define ZW_LEFT_OUT_TIMES 1e100
#define ZW_LEFT_OUT_MOST 1e300

struct ZwElimination {
  int32_t registers; /* numbers of which a state must have room for its parts */
  ZwShape shape;     /* one instance, whose slots are the numbers of the block */
  ZwKernel parts[ZW_ELIMINATE_PARTS];
};

/* Plans the elimination of a program, if it has few enough operations; false when memory is out. */
bool zw_eliminate_plan(ZwProgram* program);

/* ---- eliminate_order.c ---- */

/* Which unknown depends on which, of n coordinates and the rows behind them: a symmetric table of bits. */
typedef struct ZwCoupling {
  int32_t n, size, words; /* words: of 64 bits, per unknown */
  uint64_t* bits;
} ZwCoupling;

bool zw_coupling_open(ZwCoupling* coupling, ZwArena* arena, int32_t n, int32_t size);
void zw_coupling_add(ZwCoupling* coupling, int32_t i, int32_t k);
/* All that are coupled to i, in the order of their numbers; gives how many. */
int32_t zw_coupling_list(const ZwCoupling* coupling, int32_t i, int32_t* to);
/* Chooses an order in which every row comes behind its coordinates and few entries appear, and adds those that do. */
bool zw_eliminate_order(ZwArena* scratch, const ZwPattern* A, ZwCoupling* coupling, int32_t* order, int32_t* place);

#endif
