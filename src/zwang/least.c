/* Gauss's principle on the matrices of others.
 *
 * Dense: factors of all rows, if they are clearly independent; where they are not, or a formulation is asked for, the equations of
 * the papers, which decide ranks and give reasons. Sparse: a plan for the places, made once. */
#include "zwang/least.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "least/formulation.h"
#include "least/least.h"
#include "least/own_inverse.h"
#include "sparse/sparse.h"
#include "zwang/details.h"
#include "zwang/door.h"

/* Rows whose factors have pivots closer together than this are independent whatever is said about rank (least/rank.h). */
#define PIVOTS_APART 1e-4

struct ZwLeastSolver {
  ZwArena arena;
  ZwFormulation formulation;
  int32_t n, m;
  double *Qc, *lambda; /* n, m, for those who do not want them */
  char reason[400];    /* of the last refusal */
  int32_t parts;       /* of the details there is room for */
  ZwDetails* details;

  /* dense */
  ZwLeast* least;
  ZwPaper* paper;

  /* sparse */
  ZwSparse* sparse;
  int32_t M_count, A_count;     /* places that were named */
  int32_t *M_slot, *A_slot;     /* where their values go */
  int32_t M_entries, A_entries; /* values on the patterns */
  double *M, *A;                /* those values */
};

ZwLeastDef zw_default_least_def(void) {
  return (ZwLeastDef){ZW_DEF_HEAD(ZwLeastDef), .allocator = zw_allocator_default()};
}

/* ---- places ---- */

typedef struct Pattern {
  ZwCsr csr;
  int32_t* slot; /* by place */
  int32_t entries;
} Pattern;

static ZwLeastPlace place_at(const ZwLeastPlace* places, int32_t i, bool is_symmetric) {
  ZwLeastPlace place = places[i];
  bool is_upper = is_symmetric && place.column > place.row;
  return is_upper ? (ZwLeastPlace){place.column, place.row} : place;
}

static bool are_inside(const ZwLeastPlace* places, int32_t count, int32_t rows, int32_t columns) {
  for (int32_t i = 0; i < count; i++) {
    bool is_inside = places[i].row >= 0 && places[i].row < rows && places[i].column >= 0 && places[i].column < columns;
    if (!is_inside) return false;
  }
  return true;
}

/* Whether an entry of a symmetric matrix is named in both triangles, so that its values would be added up. */
static bool has_both_triangles(const ZwLeastPlace* places, const Pattern* pattern, int32_t count, int8_t* triangle) {
  for (int32_t i = 0; i < count; i++) {
    if (places[i].row == places[i].column) continue;
    int8_t *seen = &triangle[pattern->slot[i]], now = places[i].row > places[i].column ? 1 : 2;
    if (*seen && *seen != now) return true;
    *seen = now;
  }
  return false;
}

/* Places sorted by columns, then, keeping that order, by rows: counting twice. `order` gives the numbers of the places. */
static void sort_by(int32_t* order, const int32_t* from, int32_t count, const int32_t* key, int32_t* begin,
                    int32_t keys) {
  memset(begin, 0, (size_t)(keys + 1) * sizeof *begin);
  for (int32_t i = 0; i < count; i++) begin[key[i] + 1]++;
  for (int32_t k = 0; k < keys; k++) begin[k + 1] += begin[k];
  for (int32_t i = 0; i < count; i++) order[begin[key[from[i]]]++] = from[i];
}

static bool make_pattern(ZwArena* arena, const ZwLeastPlace* places, int32_t count, int32_t rows, int32_t columns,
                         bool is_symmetric, Pattern* pattern) {
  int32_t keys = rows > columns ? rows : columns;
  int32_t *row = ZW_NEW(arena, count + 1, int32_t), *column = ZW_NEW(arena, count + 1, int32_t);
  int32_t *plain = ZW_NEW(arena, count + 1, int32_t), *by_column = ZW_NEW(arena, count + 1, int32_t);
  int32_t *order = ZW_NEW(arena, count + 1, int32_t), *counts = ZW_NEW(arena, keys + 2, int32_t);
  int32_t *begin = ZW_NEW(arena, rows + 1, int32_t), *kept = ZW_NEW(arena, count + 1, int32_t);
  pattern->slot = ZW_NEW(arena, count + 1, int32_t);
  if (arena->failed) return false;
  for (int32_t i = 0; i < count; i++) {
    ZwLeastPlace place = place_at(places, i, is_symmetric);
    row[i] = place.row;
    column[i] = place.column;
    plain[i] = i;
  }
  sort_by(by_column, plain, count, column, counts, keys);
  sort_by(order, by_column, count, row, counts, keys);
  int32_t entries = 0;
  for (int32_t i = 0; i < count; i++) {
    int32_t now = order[i], before = i > 0 ? order[i - 1] : -1;
    bool is_new = before < 0 || row[now] != row[before] || column[now] != column[before];
    if (is_new) {
      kept[entries++] = column[now];
      begin[row[now] + 1]++;
    }
    pattern->slot[now] = entries - 1;
  }
  for (int32_t r = 0; r < rows; r++) begin[r + 1] += begin[r];
  pattern->csr = (ZwCsr){rows, columns, begin, kept};
  pattern->entries = entries;
  return true;
}

static void add_up(double* to, int32_t entries, const double* values, const int32_t* slot, int32_t count) {
  memset(to, 0, (size_t)entries * sizeof *to);
  for (int32_t i = 0; i < count; i++) to[slot[i]] += values[i];
}

/* ---- create, destroy ---- */

/* Sizes of lists that are a few times longer must not overflow. */
enum { SPARSE_MOST = 1 << 28 };

static ZwStatus make_sparse(ZwLeastSolver* solver, const ZwLeastDef* def) {
  int32_t sizes[] = {def->n, def->m, def->M_count, def->A_count};
  for (int i = 0; i < 4; i++) {
    if (sizes[i] > SPARSE_MOST) return ZW_ERR_LIMIT;
  }
  ZwArena* arena = &solver->arena;
  Pattern M, A;
  ZwSparsePlan* plan;
  bool is_inside = are_inside(def->M_places, def->M_count, def->n, def->n) &&
                   are_inside(def->A_places, def->A_count, def->m, def->n);
  if (!is_inside || solver->formulation != ZW_FORMULATION_AUTO) return ZW_ERR_ARGUMENT;
  if (!make_pattern(arena, def->M_places, def->M_count, def->n, def->n, true, &M)) return ZW_ERR_MEMORY;
  int8_t* triangle = ZW_NEW(arena, M.entries + 1, int8_t);
  if (!triangle) return ZW_ERR_MEMORY;
  if (has_both_triangles(def->M_places, &M, def->M_count, triangle)) return ZW_ERR_ARGUMENT;
  if (!make_pattern(arena, def->A_places, def->A_count, def->m, def->n, false, &A)) return ZW_ERR_MEMORY;
  ZW_TRY(zw_sparse_plan(arena, &(ZwSparseDef){.M = M.csr, .A = A.csr}, &plan));
  solver->M_count = def->M_count;
  solver->A_count = def->A_count;
  solver->M_slot = M.slot;
  solver->A_slot = A.slot;
  solver->M_entries = M.entries;
  solver->A_entries = A.entries;
  solver->M = ZW_NEW(arena, M.entries + 1, double);
  solver->A = ZW_NEW(arena, A.entries + 1, double);
  void* memory = zw_arena_alloc(arena, 1, zw_sparse_work_size(plan));
  if (arena->failed) return ZW_ERR_MEMORY;
  solver->sparse = zw_sparse_place(memory, plan);
  return ZW_OK;
}

/* Full matrices of more rows and columns would need 100 GB and more; their sizes must not overflow. */
enum { DENSE_MOST = 1 << 15 };

static ZwStatus make_dense(ZwLeastSolver* solver, const ZwLeastDef* def) {
  if (def->n > DENSE_MOST || def->m > DENSE_MOST) return ZW_ERR_LIMIT;
  int32_t rows = def->m < def->n ? def->m : def->n; /* more cannot be independent */
  void* least = zw_arena_alloc(&solver->arena, 1, zw_least_work_size(def->n, rows));
  void* paper = zw_arena_alloc(&solver->arena, 1, zw_paper_work_size(def->n, def->m));
  if (solver->arena.failed) return ZW_ERR_MEMORY;
  solver->least = zw_least_place(least, def->n, rows);
  solver->paper = zw_paper_place(paper, def->n, def->m);
  solver->parts = def->detail;
  if (!def->detail) return ZW_OK;
  solver->details = ZW_NEW(&solver->arena, 1, ZwDetails);
  if (!solver->details) return ZW_ERR_MEMORY;
  return zw_details_make(solver->details, &solver->arena, def->n, def->m, def->detail);
}

static ZwStatus make(ZwLeastSolver* solver, const ZwLeastDef* def) {
  solver->formulation = zw_formulation_find(def->formulation ? def->formulation : "auto");
  solver->n = def->n;
  solver->m = def->m;
  bool is_known = solver->formulation != ZW_FORMULATION_COUNT && solver->formulation != ZW_FORMULATION_QUASI;
  ZW_CHECK(is_known);
  /* what is too large is refused before anything is allocated */
  ZW_TRY(def->M_places || def->A_places ? make_sparse(solver, def) : make_dense(solver, def));
  solver->Qc = ZW_NEW(&solver->arena, (ptrdiff_t)def->n + 1, double);
  solver->lambda = ZW_NEW(&solver->arena, (ptrdiff_t)def->m + 1, double);
  return ZW_OK;
}

ZwStatus zw_least_create(const ZwLeastDef* def, ZwLeastSolver** out) {
  ZW_CHECK(out);
  *out = NULL;
  ZW_CHECK(zw_least_def_is_whole(def));
  ZwAllocator allocator = zw_allocator_of(&def->allocator);
  ZwLeastSolver* solver = zw_alloc(&allocator, sizeof *solver);
  if (!solver) return ZW_ERR_MEMORY;
  zw_arena_init(&solver->arena, &allocator);
  ZwStatus status = make(solver, def);
  if (status == ZW_OK && solver->arena.failed) status = ZW_ERR_MEMORY;
  if (status)
    zw_least_destroy(solver);
  else
    *out = solver;
  return status;
}

void zw_least_destroy(ZwLeastSolver* solver) {
  if (!solver) return;
  ZwAllocator allocator = solver->arena.allocator;
  zw_arena_destroy(&solver->arena);
  zw_release(&allocator, solver);
}

/* ---- solve ---- */

static void fill_nan(double* x, int32_t count) {
  for (int32_t i = 0; x && i < count; i++) x[i] = NAN;
}

static void take_paper(ZwLeastOutput* out, const ZwPaperResult* result) {
  out->rank = result->rank;
  out->is_minimum = result->is_minimum;
  out->residual = result->residual;
  out->optimality = result->optimality;
  out->gaussian = result->gaussian;
  out->reason = result->reason;
}

typedef struct ColumnName {
  char text[128];
} ColumnName;

/* 'x', or column 1 */
static const char* name_of(const ZwLeastInput* in, int32_t i, ColumnName* name) {
  if (in->coordinates)
    zw_snprintf(name->text, sizeof name->text, "'%.100s'", in->coordinates[i]);
  else
    zw_snprintf(name->text, sizeof name->text, "column %d", (int)i + 1);
  return name->text;
}

/* "neither inertia nor a constraint determines the accelerations of 'x', 'y'" */
static void name_undetermined(ZwLeastSolver* solver, const ZwLeastInput* in, const double* direction,
                              ZwLeastOutput* out) {
  enum { SHOWN = 4 };
  int32_t count = 0;
  for (int32_t j = 0; j < solver->n; j++) count += direction[j] != 0;
  int size = zw_snprintf(solver->reason, sizeof solver->reason,
                         "neither inertia nor a constraint determines the acceleration%s of ", count == 1 ? "" : "s");
  for (int32_t j = 0, shown = 0; j < solver->n && shown < SHOWN; j++) {
    if (direction[j] == 0) continue;
    ColumnName name;
    size += zw_snprintf(solver->reason + size, sizeof solver->reason - (size_t)size, "%s%.70s", shown++ ? ", " : "",
                        name_of(in, j, &name));
  }
  if (count > SHOWN)
    zw_snprintf(solver->reason + size, sizeof solver->reason - (size_t)size, " and %d more", (int)(count - SHOWN));
  out->reason = solver->reason;
}

static ZwStatus solve_paper(ZwLeastSolver* solver, const ZwLeastInput* in, ZwFormulation formulation,
                            const ZwPaperProblem* problem, ZwLeastOutput* out) {
  ZwPaperResult result = {.a = out->a, .Qc = out->Qc ? out->Qc : solver->Qc, .lambda = out->lambda};
  ZwStatus status = zw_formulation_solve(solver->paper, formulation, 0, problem, &result);
  take_paper(out, &result);
  if (result.free_direction) name_undetermined(solver, in, result.free_direction, out);
  if (!result.has_lambda) fill_nan(out->lambda, problem->m);
  return status;
}

/* False: the rows may depend on each other, or there is something to be explained. */
static bool solve_directly(ZwLeastSolver* solver, const ZwPaperProblem* problem, ZwLeastOutput* out) {
  if (problem->m > problem->n) return false;
  if (zw_least_factor(solver->least, problem->m, problem->M, problem->A)) return false;
  if (zw_least_pivot_ratio(solver->least) < PIVOTS_APART) return false;
  ZwLeastResult result = {.a = out->a, .lambda = out->lambda, .Qc = out->Qc};
  if (zw_least_answer(solver->least, problem->h, problem->b, &result)) return false;
  out->rank = problem->m;
  out->is_minimum = result.is_minimum;
  return true;
}

/* By an inverse of the caller's own, judged like any other answer. */
static ZwStatus solve_by_own(ZwLeastSolver* solver, const ZwLeastInput* in, const ZwPaperProblem* problem,
                             ZwLeastOutput* out) {
  ZwOwnInverse own = {in->kind, in->inverse, in->A_inverse, in->is_seed};
  ZwPaperResult result = {.a = out->a, .Qc = out->Qc ? out->Qc : solver->Qc, .lambda = solver->lambda, .reason = ""};
  if (out->lambda) result.lambda = out->lambda;
  ZwStatus status = zw_own_inverse_solve(solver->paper, problem, &own, &result, solver->reason, sizeof solver->reason);
  bool has_lambda = result.has_lambda;
  if (!status) status = zw_formulation_judge(solver->paper, problem, &result);
  take_paper(out, &result);
  if (status) out->reason = *solver->reason ? solver->reason : result.reason;
  if (result.free_direction) name_undetermined(solver, in, result.free_direction, out);
  if (!has_lambda) fill_nan(out->lambda, problem->m);
  return status;
}

static ZwStatus fill_details(ZwLeastSolver* solver, const ZwLeastInput* in, const ZwPaperProblem* problem,
                             ZwLeastOutput* out) {
  ZwDetails* details = solver->details;
  ColumnName name;
  ZwStatus status = zw_details_fill(details, problem, in->detail);
  out->reason = details->reason;
  if (!status) out->detail = &details->shown;
  if (status && details->dependent >= 0) {
    name_of(in, details->dependent, &name);
    if (details->is_zero)
      zw_snprintf(solver->reason, sizeof solver->reason,
                  "the constraints do not determine the acceleration of %s: its column of A is 0; name another",
                  name.text);
    else
      zw_snprintf(solver->reason, sizeof solver->reason, "%s: %s on those before it; name another", details->reason,
                  name.text);
    out->reason = solver->reason;
  } else if (status && details->follows >= 0) {
    zw_snprintf(
        solver->reason, sizeof solver->reason,
        "a displacement of %s is stated, and the partition eliminates it: it follows from the others; state those, or "
        "eliminate others",
        name_of(in, details->follows, &name));
    out->reason = solver->reason;
  }
  return status;
}

static ZwStatus solve_plain(ZwLeastSolver* solver, const ZwLeastInput* in, ZwPaperProblem problem, ZwLeastOutput* out) {
  bool wants_evidence = in->wants_evidence || in->detail; /* that costs many times as much */
  if (in->kind != ZW_INVERSE_NONE) return solve_by_own(solver, in, &problem, out);
  if (solver->formulation != ZW_FORMULATION_AUTO) return solve_paper(solver, in, solver->formulation, &problem, out);
  double* wanted = out->Qc;
  if (wants_evidence && !wanted) out->Qc = solver->Qc;
  bool is_solved = solve_directly(solver, &problem, out);
  ZwStatus status = ZW_OK;
  if (!is_solved) {
    status = solve_paper(solver, in, ZW_FORMULATION_LAGRANGE, &problem, out);
  } else if (wants_evidence) {
    ZwPaperResult result = {.a = out->a, .Qc = out->Qc, .reason = ""};
    status = zw_formulation_judge(solver->paper, &problem, &result);
    take_paper(out, &result);
  }
  out->Qc = wanted;
  return status;
}

static ZwStatus solve_dense(ZwLeastSolver* solver, const ZwLeastInput* in, ZwLeastOutput* out) {
  ZwPaperProblem problem = {.n = solver->n, .m = in->m, .M = in->M, .h = in->h, .A = in->A, .b = in->b};
  ZW_TRY(solve_plain(solver, in, problem, out));
  return in->detail ? fill_details(solver, in, &problem, out) : ZW_OK;
}

static const char* sparse_reason(ZwStatus status) {
  switch (status) {
    case ZW_OK:
      return "";
    case ZW_ERR_INCONSISTENT:
      return "rows of A contradict each other";
    case ZW_ERR_UNDETERMINED:
      return "neither inertia nor a constraint determines some direction";
    case ZW_ERR_MASS:
      return "M is indefinite; dense matrices may be";
    default:
      return "a number is not finite, or numbers are too far apart";
  }
}

static ZwStatus solve_sparse(ZwLeastSolver* solver, const ZwLeastInput* in, ZwLeastOutput* out) {
  ZwSparseResult result = {.a = out->a, .lambda = out->lambda, .Qc = out->Qc};
  add_up(solver->M, solver->M_entries, in->M, solver->M_slot, solver->M_count);
  add_up(solver->A, solver->A_entries, in->A, solver->A_slot, solver->A_count);
  ZwStatus status = zw_sparse_factor(solver->sparse, solver->M, solver->A);
  if (!status) status = zw_sparse_solve(solver->sparse, in->h, in->b, &result);
  out->is_minimum = status == ZW_OK;
  out->reason = sparse_reason(status);
  return status;
}

/* ---- what goes in ---- */

/* Entries that should be equal may differ by rounding of what they are made of: this part of their own size, or of the masses of
 * their row and column. */
#define TOL_SYMMETRIC 1e-10

/* The first entry below the diagonal that is not that above it. Numbers that are not finite are found later. */
static bool is_symmetric(int32_t n, const double* M, int32_t* row, int32_t* column) {
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < i; j++) {
      double below = M[(ptrdiff_t)i * n + j], above = M[(ptrdiff_t)j * n + i], off = fabs(below - above);
      if (!(off > TOL_SYMMETRIC * fmax(fabs(below), fabs(above)))) continue;
      double masses = sqrt(fabs(M[(ptrdiff_t)i * n + i])) * sqrt(fabs(M[(ptrdiff_t)j * n + j]));
      if (!(off > TOL_SYMMETRIC * masses)) continue;
      *row = i;
      *column = j;
      return false;
    }
  }
  return true;
}

typedef struct Range {
  const double* from;
  ptrdiff_t count;
} Range;

static bool overlap(Range a, Range b) {
  if (!a.from || !b.from || a.count <= 0 || b.count <= 0) return false;
  uintptr_t x = (uintptr_t)a.from, y = (uintptr_t)b.from;
  return x < y + (uintptr_t)b.count * sizeof(double) && y < x + (uintptr_t)a.count * sizeof(double);
}

/* Results may overlap neither what goes in nor each other. */
static bool are_apart(const ZwLeastSolver* solver, const ZwLeastInput* in, const ZwLeastOutput* out) {
  ptrdiff_t n = solver->n, m = in->m;
  Range to[] = {{out->a, n}, {out->lambda, m}, {out->Qc, n}};
  Range from[] = {{in->M, solver->sparse ? solver->M_count : n * n},
                  {in->A, solver->sparse ? solver->A_count : m * n},
                  {in->h, n},
                  {in->b, m}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) {
      if (overlap(to[i], from[j])) return false;
    }
    for (int j = 0; j < i; j++) {
      if (overlap(to[i], to[j])) return false;
    }
  }
  return true;
}

static bool is_finite(const double* x, ptrdiff_t count) {
  for (ptrdiff_t i = 0; x && i < count; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

/* Of what is asked for beside the answer. */
static const char* object_to_more(const ZwLeastSolver* solver, const ZwLeastInput* in) {
  ptrdiff_t n = solver->n, m = in->m, kind = (ptrdiff_t)in->kind;
  if (kind < ZW_INVERSE_NONE || kind > ZW_INVERSE_H13) return "there is no inverse of this kind";
  bool has_inverse = kind != ZW_INVERSE_NONE;
  if (solver->sparse && (has_inverse || in->detail)) return "sparse matrices have neither inverses nor details";
  if (has_inverse && !in->inverse) return "the inverse is missing";
  ptrdiff_t sizes[] = {0, n * m, m * m, n * m, n * n}; /* ORDER INVERSE */
  if (has_inverse && (!is_finite(in->inverse, sizes[kind]) || !is_finite(in->A_inverse, n * m)))
    return "a number of the inverse is not finite";
  if (!in->detail) return NULL;
  bool has_room = zw_detail_def_is_whole(in->detail, solver->n) && (in->detail->parts & ~solver->parts) == 0;
  return has_room ? NULL : "the details are not what the solver has room for";
}

static const char* objection(ZwLeastSolver* solver, const ZwLeastInput* in, const ZwLeastOutput* out) {
  bool has_room = in->m >= 0 && (solver->sparse ? in->m == solver->m : in->m <= solver->m);
  if (!has_room) return "the number of rows is not what the solver was made for";
  bool has_M = in->M || (solver->sparse && solver->M_count == 0),
       has_A = in->A || in->m == 0 || (solver->sparse && solver->A_count == 0);
  if (!has_M || !has_A || !in->h || (!in->b && in->m > 0)) return "M, h, A or b is missing";
  if (!out->a) return "there is no room for a";
  if (!are_apart(solver, in, out)) return "results overlap what goes in, or each other";
  const char* why = object_to_more(solver, in);
  if (why) return why;
  int32_t row, column;
  if (solver->sparse || is_symmetric(solver->n, in->M, &row, &column)) return NULL;
  zw_snprintf(solver->reason, sizeof solver->reason, "M is not symmetric: row %d, column %d is not row %d, column %d",
              (int)(row + 1), (int)(column + 1), (int)(column + 1), (int)(row + 1));
  return solver->reason;
}

ZwStatus zw_least_solve(ZwLeastSolver* solver, const ZwLeastInput* in, ZwLeastOutput* out) {
  ZW_CHECK(solver && in && out);
  double *a = out->a, *lambda = out->lambda, *Qc = out->Qc;
  *out = (ZwLeastOutput){.a = a, .lambda = lambda, .Qc = Qc, .rank = -1, .reason = ""};
  out->residual = out->optimality = out->gaussian = NAN;
  const char* why = objection(solver, in, out);
  if (why) {
    out->reason = why;
    return ZW_ERR_ARGUMENT;
  }
  ZwStatus status = solver->sparse ? solve_sparse(solver, in, out) : solve_dense(solver, in, out);
  if (status) {
    fill_nan(a, solver->n);
    fill_nan(lambda, in->m);
    fill_nan(Qc, solver->n);
  }
  return status;
}
