/* What sparse.c and the two forms share; for them only.
 *
 * A form provides `plan`, `size`, `place`, `factor` and `solve`, with a common outside (ZwSparsePass). */
#ifndef ZW_SPARSE_PARTS_H
#define ZW_SPARSE_PARTS_H

#include <float.h>
#include <math.h>

#include "sparse/sparse.h"

/* Refinement ends when every equation holds to eight units of rounding, after eight passes, or when a pass gains less
 * than a factor of two. */
static const double tol_refined = 8 * DBL_EPSILON;
enum { ZW_REFINE_MOST = 8 };
static const double refine_gain = 0.5;
/* Less than this part of what the strongest force would accelerate is no residual: at rest nothing but rounding is left to
 * compare with, however often it is refined. */
static const double tol_nothing = 1e-4 * DBL_EPSILON;

/* A row that is violated by more than this part of its terms, and by more than the rounding of all forces that meet in
 * it, contradicts others. */
static const double tol_inconsistent = 1e-8;
static const double tol_rounding = 64 * DBL_EPSILON;
/* Terms count at least as this part of what the largest acceleration would give: redundant rows hold as well as positions
 * were projected, also those in which nothing moves. */
static const double quiet = 1e-4;

/* Schur form: a coordinate whose inertia is below tol_inertia of its diagonal entry has none. It gets rho of it in its
 * place, and the answer is refined. Less would drown the rest of S in rounding, more would take too many passes. */
static const double tol_inertia = 1e-10;
static const double rho = 1e-5;

/* ---- blocks of M ---- */

/* Coordinates that M couples, directly or through others. Coordinate j stands at place[j] when blocks come one after
 * the other. */
typedef struct ZwBlocks {
  int32_t n, count, largest;
  int32_t* begin;       /* count + 1, places */
  int32_t* place;       /* of each coordinate */
  int32_t* coordinate;  /* at each place */
  int32_t* block_of;    /* of each place */
  int64_t* value_begin; /* count + 1: a block is dense, row by row */
  int64_t* input;       /* where each entry of M goes */
  int32_t input_count;
  double operations;      /* of factoring all */
  bool is_diagonal;       /* no block has two coordinates */
  bool has_all_diagonals; /* every coordinate has an entry in M */
} ZwBlocks;

bool zw_blocks_plan(ZwArena* arena, const ZwCsr* M, ZwBlocks* blocks);

/* M + E = L L^T by blocks; E is not zero only where inertia is missing. */
typedef struct ZwBlockFactor {
  double* L;       /* dense blocks, the diagonal inverted */
  double* E;       /* n */
  double* scale;   /* n: L^-1 for blocks of one coordinate, 1 for larger ones */
  int32_t boosted; /* entries of E that are not zero */
} ZwBlockFactor;

/* False when M is indefinite. */
bool zw_blocks_factor(const ZwBlocks* blocks, const double* M, ZwBlockFactor* factor);
/* x = L\x, x = L'\x and x = L x for one block. */
void zw_block_lower(const ZwBlocks* blocks, const ZwBlockFactor* factor, int32_t block, double* x);
void zw_block_upper(const ZwBlocks* blocks, const ZwBlockFactor* factor, int32_t block, double* x);
void zw_block_multiply(const ZwBlocks* blocks, const ZwBlockFactor* factor, int32_t block, double* x);

/* ---- forms ---- */

/* An entry of S is a sum of runs: products of `count` neighbouring numbers of C. The last one has -count - 1 in its
 * place. */
typedef struct ZwRun {
  int32_t first, second, count;
} ZwRun;

typedef struct ZwIncidence {
  int32_t at, block;
} ZwIncidence;

typedef struct ZwSchurPlan {
  ZwBlocks blocks;
  int32_t* order;         /* m: row eliminated in each place */
  int32_t* c_begin;       /* m + 1: C = A L^-T by rows in elimination order */
  int32_t* c_column;      /* places of coordinates */
  int32_t* c_from;        /* entry of A that is written there, or -1 */
  ZwIncidence* incidence; /* parts of rows of C that belong to blocks with more than one coordinate */
  int32_t incidence_count;
  ZwRun* runs;        /* of all inputs of S, one after the other */
  int32_t* run_begin; /* m + 1: of each row of S */
  ZwLdlPlan ldl;
} ZwSchurPlan;

typedef struct ZwKktPlan {
  ZwCsr M, A;
  int32_t *order, *place; /* n + m: unknown in each place, place of each unknown; rows of A behind the coordinates */
  int32_t *input_M, *input_A, *input_diagonal; /* inputs of K for each entry, and the diagonal of each unknown */
  ZwLdlPlan ldl;
} ZwKktPlan;

struct ZwSparsePlan {
  int32_t n, m, M_count, A_count;
  ZwSparseCost cost;
  ZwSchurPlan schur;
  ZwKktPlan kkt;
};

/* One question to a form: a and lambda for h and b, refined. h may be NULL for zero. */
typedef struct ZwSparsePass {
  const double *h, *b;
  bool is_projection; /* directions without inertia keep the little they got */
  double *a, *lambda; /* lambda and Qc may be NULL */
  double* Qc;
  /* out */
  double gaussian, residual;
  int32_t worst_row, worst_coordinate, refinements;
  bool is_inconsistent, is_undetermined;
} ZwSparsePass;

struct ZwSparse {
  const ZwSparsePlan* plan;
  ZwStatus status;
  ZwLdl ldl;
  /* Schur */
  ZwBlockFactor blocks;
  double *C, *u, *g, *e, *forces;
  /* KKT */
  double *M, *A, *scale; /* scaled values; n + m factors */
  double* M_given;
  double *x, *dx;       /* n + m: a and lambda, scaled; a correction in elimination order */
  double *r_h, *size_h; /* n */
  double shift;         /* added to all pivots after one had the wrong sign */
  /* both */
  double *b, *lambda, *r, *size; /* m, in the order of the form */
  double *z, *z_force;           /* n: null vector, and the force that finds it */
  double strongest;              /* force of the last solve, in units of accelerations */
  bool* is_off;                  /* m: rows that do not count */
  bool has_off;                  /* there are such */
  bool has_M;
  bool is_massless; /* KKT: some inertia was put in */
};

/* ---- each form: a draft counts, a plan says where everything goes ---- */

/* What is known of a form once its order is; lives in a scratch arena. */
typedef struct ZwDraft {
  bool is_possible; /* else it was ruled out, and nothing below is set */
  double operations, entries;
  int32_t* order;
  /* Schur */
  ZwBlocks blocks;
  ZwCsr row_blocks, block_rows; /* which blocks are touched by which rows */
  int32_t* incidence;           /* the place in row_blocks of each place in block_rows */
  ZwCsr graph;                  /* of S */
} ZwDraft;

bool zw_schur_draft(ZwArena* scratch, const ZwSparseDef* def, ZwDraft* draft);
ZwStatus zw_schur_plan(ZwArena* arena, const ZwSparseDef* def, const ZwDraft* draft, ZwSchurPlan* plan);
size_t zw_schur_numbers(const ZwSparsePlan* plan);
double* zw_schur_place(ZwSparse* sparse, double* next);
ZwStatus zw_schur_factor(ZwSparse* sparse, const double* M, const double* A);
void zw_schur_solve(ZwSparse* sparse, ZwSparsePass* pass);
void zw_schur_residuals(ZwSparse* sparse, double* residuals);
void zw_schur_missing(const ZwSparse* sparse, const double* a, double* force);

/* `missing`: the force (n) that it takes to accelerate the inertia that had to be put in by a. */

bool zw_kkt_draft(ZwArena* scratch, const ZwSparseDef* def, ZwDraft* draft);
ZwStatus zw_kkt_plan(ZwArena* arena, const ZwSparseDef* def, const ZwDraft* draft, ZwKktPlan* plan);
size_t zw_kkt_numbers(const ZwSparsePlan* plan);
double* zw_kkt_place(ZwSparse* sparse, double* next);
ZwStatus zw_kkt_factor(ZwSparse* sparse, const double* M, const double* A);
void zw_kkt_solve(ZwSparse* sparse, ZwSparsePass* pass);
void zw_kkt_residuals(const ZwSparse* sparse, double* residuals);
void zw_kkt_missing(const ZwSparse* sparse, const double* a, double* force);
bool zw_kkt_rows_follow(ZwSparse* sparse, const int32_t* rows, int32_t count);
void zw_kkt_unscale_rows(const ZwSparse* sparse, int32_t row, double* coefficients);

#endif
