#include "zwang/details.h"

#include <math.h>

#include "base/print.h"
#include "zwang/door.h"

/* Numbers that R_k of all k may take: 4 GB. */
#define NUMBERS_MOST 5e8

/* ---- what is asked ---- */

static bool has_infinity(const double* numbers, int32_t n) {
  for (int32_t i = 0; numbers && i < n; i++) {
    if (isinf(numbers[i])) return true;
  }
  return false;
}

static bool columns_are_whole(const int32_t* columns, int32_t count, int32_t n) {
  if (!zw_list_is_whole(columns, count)) return false;
  for (int32_t i = 0; i < count; i++) {
    if (columns[i] < 0 || columns[i] >= n) return false;
    for (int32_t j = 0; j < i; j++) {
      if (columns[j] == columns[i]) return false;
    }
  }
  return true;
}

bool zw_detail_def_is_whole(const ZwDetailDef* def, int32_t n) {
  bool is_known = def->parts >= 0 && def->parts <= ZW_DETAIL_ALL;
  bool has_possible = !(def->parts & ZW_DETAIL_POSSIBLE) || (def->possible && !def->vectors_only);
  return is_known && has_possible && !has_infinity(def->displacement, n) &&
         columns_are_whole(def->eliminate, def->eliminate_count, n) &&
         columns_are_whole(def->order, def->order_count, n);
}

/* ---- room ---- */

static double* numbers(ZwArena* arena, ptrdiff_t count) {
  return zw_arena_alloc(arena, count + 1, sizeof(double));
}

ZwStatus zw_details_make(ZwDetails* details, ZwArena* arena, int32_t n, int32_t m, int32_t parts) {
  *details = (ZwDetails){.n = n, .m = m, .reason = "", .dependent = -1, .follows = -1};
  bool has_bellman = (parts & ZW_DETAIL_BELLMAN) != 0;
  if (has_bellman && 2.0 * n * m * m > NUMBERS_MOST) return ZW_ERR_LIMIT;
  void* paper = zw_arena_alloc(arena, 1, zw_paper_work_size(n, n + m));
  double* room[] = {
      numbers(arena, zw_detail_size(n, m)),
      numbers(arena, parts & ZW_DETAIL_PARTITION ? zw_partition_size(n, m) : 0),
      numbers(arena, has_bellman ? zw_recursion_size(n, m) : 0),
      numbers(arena, has_bellman ? zw_recursion_size(n, m) : 0),
      numbers(arena, parts & ZW_DETAIL_POSSIBLE ? zw_possible_size(n, m) : 0),
  };
  details->chosen = ZW_NEW(arena, n + 1, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  details->paper = zw_paper_place(paper, n, n + m);
  zw_detail_place(&details->detail, n, m, room[0]);
  zw_partition_place(&details->partition, n, m, room[1]);
  zw_recursion_place(&details->bellman, n, m, room[2]);
  zw_recursion_place(&details->chain, n, m, room[3]);
  zw_possible_place(&details->possible, n, m, room[4]);
  return ZW_OK;
}

/* ---- what is shown ---- */

static void show_detail(ZwDetails* details, const ZwPaperProblem* p) {
  const ZwDetail* d = &details->detail;
  bool has_free = d->is_regular, has_matrices = !d->vectors_only;
  details->shown = (ZwLeastDetail){
      .n = d->n,
      .m = d->m,
      .rank = d->rank,
      .is_definite = d->is_definite,
      .is_indefinite = d->is_indefinite,
      .is_regular = d->is_regular,
      .is_minimum = d->is_minimum,
      .rows = d->rows,
      .E = d->E,
      .M = p->M,
      .h = p->h,
      .A = p->A,
      .b = p->b,
      .a0 = has_free ? d->a0 : NULL,
      .d = has_free ? d->d : NULL,
      .D = has_free && has_matrices ? d->D : NULL,
      .a = d->a,
      .a_b = d->a_b,
      .a_h = d->a_h,
      .Qc = d->Qc,
      .Qc_b = d->Qc_b,
      .Qc_h = d->Qc_h,
      .lambda = d->lambda,
      .lambda_b = d->lambda_b,
      .lambda_h = d->lambda_h,
      .X = has_matrices ? d->X : NULL,
      .W = has_matrices ? d->W : NULL,
      .gain = has_matrices ? d->gain : NULL,
      .G = d->G,
      .S = d->S,
  };
}

static void show_partition(ZwDetails* details, bool is_displaced) {
  const ZwPartition* p = &details->partition;
  details->shown.partition = (ZwPartitionDetail){
      .r = p->r,
      .f = p->f,
      .e = p->order,
      .i = p->order + p->r,
      .Ae = p->Ae,
      .Ai = p->Ai,
      .R = p->R,
      .K = p->K,
      .P = p->P,
      .right = p->right,
      .c = p->c,
      .S1 = p->S1,
      .S0 = p->S0,
      .K_eigenvalues = p->eigenvalues,
      .det = p->determinant,
      .is_uncoupled = p->is_uncoupled,
      .nu_i = is_displaced ? p->nu_i : NULL,
      .nu_e = is_displaced ? p->nu_e : NULL,
      .work = is_displaced ? p->work : NAN,
  };
}

static ZwBellmanDetail bellman_of(const ZwRecursion* r) {
  return (ZwBellmanDetail){r->r,        r->order, r->C, r->R, r->beta, r->kappa,
                           r->feedback, r->d,     r->y, r->g, r->drop, r->excess};
}

static void show_possible(ZwDetails* details) {
  const ZwPossible* p = &details->possible;
  details->shown.possible =
      (ZwPossibleDetail){p->a,      p->nearest, p->residual,     p->G,         p->G_nearest, p->distance2, p->work,
                         p->excess, p->S,       p->is_completed, p->is_minimum};
}

/* ---- parts ---- */

/* The column put first that was refused. Nothing stands before the first of all, so that is as good as zero. */
static void name_dependent(ZwDetails* details, const ZwPaperProblem* problem, const ZwPaperResult* result) {
  int32_t j = details->dependent = result->dependent;
  details->reason = result->reason;
  details->is_zero = j >= 0 && problem->first_count > 0 && problem->first[0] == j;
  if (j < 0 || details->is_zero) return;
  details->is_zero = true;
  for (ptrdiff_t i = 0; i < problem->m; i++) details->is_zero = details->is_zero && problem->A[i * problem->n + j] == 0;
}

/* Right after zw_detail_solve of the same problem. */
static ZwStatus fill_bellman(ZwDetails* details, const ZwPaperProblem* problem) {
  ZwPaperResult result = {.reason = "", .dependent = -1};
  const ZwDetail* detail = &details->detail;
  ZwStatus status = zw_recursion_run(details->paper, problem, detail, ZW_ROOT_SYMMETRIC, &details->bellman, &result);
  name_dependent(details, problem, &result);
  if (status == ZW_ERR_UNSUPPORTED && !problem->first) return ZW_OK; /* there is no root: it is absent */
  ZW_TRY(status);
  ZW_TRY(zw_recursion_run(details->paper, problem, detail, ZW_ROOT_CHOLESKY, &details->chain, &result));
  details->shown.bellman = bellman_of(&details->bellman);
  details->shown.chain = bellman_of(&details->chain);
  return ZW_OK;
}

/* Ascending; they are few. */
static void sort(int32_t* list, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    int32_t item = list[i], j = i;
    for (; j > 0 && list[j - 1] > item; j--) list[j] = list[j - 1];
    list[j] = item;
  }
}

/* Where nothing is asked for, the largest columns are eliminated, and all are told in the order of the model. */
static ZwStatus fill_partition(ZwDetails* details, ZwPaperProblem problem, const ZwDetailDef* def) {
  ZwPaperResult result;
  ZwPartition* partition = &details->partition;
  problem.first = def->eliminate;
  problem.first_count = def->eliminate_count;
  ZwStatus status = zw_partition_make(details->paper, &problem, partition, &result);
  if (!status && !def->eliminate) {
    for (int32_t i = 0; i < partition->r; i++) details->chosen[i] = partition->order[i];
    sort(details->chosen, partition->r);
    problem.first = details->chosen;
    problem.first_count = partition->r;
    status = zw_partition_make(details->paper, &problem, partition, &result);
  }
  name_dependent(details, &problem, &result);
  ZW_TRY(status);
  if (def->displacement) details->follows = zw_partition_displace(partition, def->displacement);
  if (details->follows >= 0) return ZW_ERR_VALUE;
  show_partition(details, def->displacement != NULL);
  return ZW_OK;
}

static ZwStatus fill_possible(ZwDetails* details, const ZwPaperProblem* problem, const ZwDetailDef* def) {
  ZW_TRY(
      zw_possible_look(details->paper, problem, &details->detail, def->possible, &details->possible, &details->reason));
  show_possible(details);
  return ZW_OK;
}

/* As many are eliminated as the rank; the recursion begins with that many, or more. */
static bool has_wrong_count(ZwDetails* details, const ZwDetailDef* def) {
  int32_t rank = details->detail.rank, e = def->eliminate_count, order = def->order_count;
  bool is_other = (def->parts & ZW_DETAIL_PARTITION) && def->eliminate && e != rank;
  bool is_few = (def->parts & ZW_DETAIL_BELLMAN) && def->order && order < rank;
  if (is_other && rank == 0)
    zw_snprintf(details->counts, sizeof details->counts, "nothing can be eliminated: the rank is 0; leave it out");
  else if (is_other)
    zw_snprintf(details->counts, sizeof details->counts,
                "%d coordinate%s to be eliminated, and the rank is %d; name %d", (int)e, e == 1 ? " is" : "s are",
                (int)rank, (int)rank);
  else if (is_few)
    zw_snprintf(details->counts, sizeof details->counts, "%d column%s put first, and the rank is %d; name %d or more",
                (int)order, order == 1 ? " is" : "s are", (int)rank, (int)rank);
  if (is_other || is_few) details->reason = details->counts;
  return is_other || is_few;
}

ZwStatus zw_details_fill(ZwDetails* details, const ZwPaperProblem* problem, const ZwDetailDef* def) {
  ZwPaperProblem ordered = *problem;
  ordered.first = def->order;
  ordered.first_count = def->order_count;
  details->dependent = details->follows = -1;
  details->detail.vectors_only = def->vectors_only;
  ZW_TRY(zw_detail_solve(details->paper, &ordered, &details->detail, &details->reason));
  show_detail(details, problem);
  if (has_wrong_count(details, def)) return ZW_ERR_VALUE;
  if (def->parts & ZW_DETAIL_BELLMAN) ZW_TRY(fill_bellman(details, &ordered));
  if (def->parts & ZW_DETAIL_PARTITION) ZW_TRY(fill_partition(details, *problem, def));
  if (def->parts & ZW_DETAIL_POSSIBLE) ZW_TRY(fill_possible(details, problem, def));
  details->reason = "";
  return ZW_OK;
}
