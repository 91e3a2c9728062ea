/* K = L D L^T without pivoting: the order is fixed by the pattern, so all places are known beforehand and factoring is
 * nothing but arithmetic. L has a unit diagonal, D is diagonal. K is definite, or quasi-definite: every pivot has a
 * sign that is known beforehand too.
 *
 * A pivot that comes out smaller than its `weight` allows is what rounding left of a dependent row (or of a direction
 * without inertia). It is *replaced*, which makes L D L^T the factors of K + E with a few entries E on the diagonal;
 * who solves with them refines.
 *
 * Two ways to the same L: row by row through lists (ldl_rows.c), which is best where L has few entries per column, as
 * in chains and trees; or panels of columns with equal rows (ldl_panels.c), where dense loops pay. The plan counts and
 * chooses. */
#ifndef ZW_SPARSE_LDL_H
#define ZW_SPARSE_LDL_H

#include "base/status.h"
#include "sparse/csr.h"

typedef enum ZwLdlWay { ZW_LDL_AUTO, ZW_LDL_ROWS, ZW_LDL_PANELS } ZwLdlWay;

/* Rows [first, first + count) of panel `from`, counted within it, are columns of the panel that is updated. */
typedef struct ZwPanelUpdate {
  int32_t from, first, count;
} ZwPanelUpdate;

/* Columns begin[s] to begin[s + 1] - 1 of L, with the rows they have in common: their own and those below. */
typedef struct ZwPanels {
  int32_t count;
  int32_t* begin;         /* count + 1 */
  int32_t* row_begin;     /* count + 1 */
  int32_t* row;           /* ascending; the first ones are the columns themselves */
  int64_t* value_begin;   /* count + 1: where the panel stands in L, column by column */
  int32_t* update_begin;  /* count + 1 */
  ZwPanelUpdate* updates; /* of each panel by earlier ones, in their order */
  int32_t tallest;        /* rows of the tallest panel */
  int64_t widest_update;  /* numbers of work that one update takes at most */
} ZwPanels;

/* Everything that the pattern tells; read-only once it is made. */
typedef struct ZwLdlPlan {
  int32_t n;
  ZwLdlWay way;
  double operations; /* multiply-adds of one factorisation; a division counts as four */
  int64_t entries;   /* of L below the diagonal; panels carry zeros along besides */
  ZwCsr input; /* K as it is handed over: the lower triangle in elimination order, the diagonal last in each row */
  int64_t* input_place; /* panels: where each input goes in L; NULL: they are kept as they are */
  /* rows: L by columns, and for row k the columns with entries in it and where these stand */
  int32_t *column_begin, *row;
  int32_t *row_begin, *row_column, *row_place;
  ZwPanels panels;
} ZwLdlPlan;

/* The order for a graph: zw_order, then children before parents. False when memory is out. */
bool zw_ldl_order(ZwArena* arena, const ZwCsr* graph, const int32_t* waits, int32_t* order);

/* What a factorisation in this order would cost, without planning it; infinite where L has more than 2^31 - 1 entries.
 * False when memory is out. */
bool zw_ldl_count(ZwArena* arena, const ZwCsr* graph, const int32_t* order, double* operations, double* entries);

/* Plans for K with the pattern `input` in elimination order. `input` is kept, not copied. ZW_ERR_MEMORY, or
 * ZW_ERR_LIMIT when L has more than 2^31 - 1 entries. */
ZwStatus zw_ldl_plan(ZwArena* arena, const ZwCsr* input, ZwLdlWay way, ZwLdlPlan* plan);

/* How small a pivot may be and what replaces it, as parts of its weight. */
typedef struct ZwPivotRule {
  double tol, replacement;
} ZwPivotRule;

typedef struct ZwLdl {
  const ZwLdlPlan* plan;
  double* K;                         /* the inputs (rows), or the same as L (panels) */
  double *L, *D, *D_inverse;         /* values of the factors */
  double* weight;                    /* n: what pivot k is measured by; its sign is the sign the pivot must have */
  ZwPivotRule rule_plus, rule_minus; /* for positive and negative weights */
  int32_t *weak, weak_count;         /* places of replaced pivots */
  int32_t wrong_count;               /* those among them that had the wrong sign by more than rounding */
  double pivot_ratio;                /* the smallest pivot as a part of its weight, before replacement */
  double watched;                    /* no pivot above this part of its weight is looked at closer */
  double* work;
  int32_t* map;
} ZwLdl;

size_t zw_ldl_work_size(const ZwLdlPlan* plan);
void zw_ldl_place(ZwLdl* ldl, void* memory, const ZwLdlPlan* plan);

/* Where input number p is to be written, before zw_ldl_factor: ldl->K[zw_ldl_input(plan, p)]. All must be.
 * zw_ldl_clear comes first. */
static inline int64_t zw_ldl_input(const ZwLdlPlan* plan, int32_t p) {
  return plan->input_place ? plan->input_place[p] : p;
}
void zw_ldl_clear(ZwLdl* ldl);

/* Factors what was written; weights and rules are to be set. The first part alone: for those who factor row by row. */
void zw_ldl_factor(ZwLdl* ldl);
void zw_ldl_begin(ZwLdl* ldl);

/* x = (L D L^T)^-1 x, in elimination order. */
void zw_ldl_solve(const ZwLdl* ldl, double* x);
/* x = L'\x alone. For x = e_k and a pivot k that was nothing but rounding, K x = 0. */
void zw_ldl_solve_upper(const ZwLdl* ldl, double* x);

/* ---- the two ways; for ldl.c ---- */
void zw_ldl_factor_rows(ZwLdl* ldl);
void zw_ldl_solve_lower_rows(const ZwLdl* ldl, double* x);
void zw_ldl_solve_upper_rows(const ZwLdl* ldl, double* x);
bool zw_panels_plan(ZwArena* arena, const int32_t* parent, const int32_t* counts, ZwLdlPlan* plan);
void zw_ldl_factor_panels(ZwLdl* ldl);
void zw_ldl_solve_lower_panels(const ZwLdl* ldl, double* x);
void zw_ldl_solve_upper_panels(const ZwLdl* ldl, double* x);

/* Checks pivot d of column k against its weight; gives what to divide by. */
double zw_ldl_pivot_replaced(ZwLdl* ldl, int32_t k, double d);
static inline double zw_ldl_pivot(ZwLdl* ldl, int32_t k, double d) {
  double weight = ldl->weight[k], part = d * weight, square = weight * weight;
  if (part > square * ldl->watched) return d;
  return zw_ldl_pivot_replaced(ldl, k, d);
}

#endif
