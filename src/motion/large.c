/* Large systems: the same steps where M and A have few entries and are never written down as full matrices. The solve is that of
 * src/sparse; all rows that are on are used, dependent ones too, and the answer is refined. What looks at singular values
 * (singular positions, ranks, shared loads) is left to the dense solve. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion/sim.h"

#define TIGHT 0.8   /* rows per coordinate, of a mechanism */
#define MET 64.0    /* roundings that may be left of a row at the start */
#define NEARER 1e-9 /* part of the way that must be gained for another step to the nearest point */
/* A row of which another takes less than this part is not among what it follows from. */
#define SOURCE 1e-6
/* Coordinates that count in a row with at least this part of the most, but yield so many times less than others: the squared sine of
 * the angle between two rows of a light thing is less than the inverse, and as many digits are lost by A M^-1 A^T. */
#define ALIKE 0.01
#define LOPSIDED 1e8

enum {
  LARGE_FREE = 60,    /* coordinates and rows: where there are no rows; */
  LARGE_LOOSE = 200,  /* where most is free, as in chains; */
  LARGE_TIGHT = 2000, /* mechanisms, whose singular positions only the dense solve sees */
  COMPANY_ROWS = 200, /* rows of many small parts, whose ranks are decided together; */
  COMPANY = 6000,     /* and coordinates, of whose masses a full matrix has room */
  NEWTON_MAX = 100,   /* steps onto the constraints at the start */
  HALVINGS = 30,
  NEARER_MAX = 50
};

/* ---- the plan ---- */

/* Where no part of the equations would be large if it were alone, each is solved densely, as it would be then, whatever else
 * stands in the file: so its ranks, singular positions and shared loads are known. */
static bool is_small(const ZwParts* parts, int32_t k) {
  int32_t size = parts->begin[k + 1] - parts->begin[k] + parts->rows[k];
  return size < (parts->rows[k] == 0 ? LARGE_FREE : LARGE_LOOSE);
}

static bool is_company_of_small(const ZwSim* sim) {
  const ZwParts* parts = &sim->equations->parts;
  if (!sim->is_split || sim->m == 0 || sim->m > COMPANY_ROWS || sim->n > COMPANY) return false;
  for (int32_t k = 0; k < parts->count; k++) {
    if (!is_small(parts, k)) return false;
  }
  return true;
}

ZwStatus zw_large_plan(ZwSim* sim) {
  const ZwPattern *M = &sim->equations->M, *A = &sim->equations->A;
  ZwSparseDef def = {.M = {sim->n, sim->n, M->begin, M->column}, .A = {sim->m_start, sim->n, A->begin, A->column}};
  ZwSparsePlan* plan = NULL;
  int32_t least = sim->m == 0 ? LARGE_FREE : LARGE_LOOSE;
  bool may_be = sim->n + sim->m >= least && sim->contacts.count == 0 && sim->quasi_count == 0;
  if (sim->jump.is_on && sim->watch.count + sim->system->modes.count > 0) may_be = false; /* jump.c is dense */
  if (!may_be || is_company_of_small(sim)) return ZW_OK;
  sim->large_arena = zw_alloc(&sim->allocator, sizeof(ZwArena));
  if (!sim->large_arena) return ZW_ERR_MEMORY;
  zw_arena_init(sim->large_arena, &sim->allocator);
  ZwStatus status = zw_sparse_plan(sim->large_arena, &def, &plan);
  if (status == ZW_OK && zw_sparse_cost(plan).is_worth_it) {
    sim->large_plan = plan;
    return ZW_OK;
  }
  zw_large_forget(sim);
  return status == ZW_ERR_MEMORY ? status : ZW_OK; /* else the dense solve has to do */
}

bool zw_large_is_in_doubt(const ZwSim* sim) {
  bool may_be_dense = sim->packed + sim->m < LARGE_TIGHT && sim->n <= COMPANY;
  return sim->large_plan && sim->m > 0 && may_be_dense;
}

/* In row i: how much more the lightest of its coordinates yields than the heaviest, of those that count alike in it. */
static double yield_apart(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  double largest = 0, least = INFINITY, most = 0;
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) largest = fmax(largest, fabs(sim->Ax[k]));
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
    double mass = zw_rows_mass(sim, A->column[k]), part = sim->Ax[k] / largest;
    if (!(mass > 0) || fabs(part) < ALIKE) continue;
    least = fmin(least, part * part / mass);
    most = fmax(most, part * part / mass);
  }
  return most > 0 ? most / least : 1;
}

bool zw_large_is_lopsided(const ZwSim* sim, int32_t* row) {
  double most = LOPSIDED;
  *row = -1;
  for (int32_t i = 0; i < sim->m; i++) {
    double apart = yield_apart(sim, i);
    if (!(apart > most)) continue;
    most = apart;
    *row = i;
  }
  return *row >= 0;
}

void zw_large_forget(ZwSim* sim) {
  if (!sim->large_arena) return;
  zw_arena_destroy(sim->large_arena);
  zw_release(&sim->allocator, sim->large_arena);
  sim->large_arena = NULL;
}

/* ---- factors ---- */

/* M is often the same all the time; looking is cheaper than factoring. */
static const double* changed_masses(ZwSim* sim) {
  size_t size = (size_t)sim->equations->M.count * sizeof(double);
  if (sim->has_large_M && sim->program->is_M_constant) return NULL;
  if (sim->has_large_M && memcmp(sim->large_M, sim->Mx, size) == 0) return NULL;
  memcpy(sim->large_M, sim->Mx, size);
  sim->has_large_M = true;
  return sim->Mx;
}

static ZwStatus factor(ZwSim* sim, const int32_t* rows, int32_t count, const double* A) {
  bool uses_all = count == sim->m && (count == 0 || rows[count - 1] == sim->m - 1);
  if (!uses_all || !sim->large_uses_all) {
    memset(sim->large_uses, 0, (size_t)sim->m_start * sizeof(bool));
    for (int32_t r = 0; r < count; r++) sim->large_uses[rows[r]] = true;
    zw_sparse_use_rows(sim->large, sim->large_uses);
  }
  sim->large_uses_all = uses_all;
  return zw_sparse_factor(sim->large, changed_masses(sim), A);
}

ZwStatus zw_large_factor(ZwSim* sim, const ZwRowSet* set) {
  return factor(sim, set->rows, set->count, sim->Ax);
}

ZwStatus zw_large_solve(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  ZwSparseResult result = {.a = sim->a, .lambda = sim->rI, .Qc = sim->Qc};
  ZW_TRY(zw_large_factor(sim, set));
  memcpy(sim->bI, sim->b, (size_t)sim->m * sizeof(double));
  ZW_TRY(zw_sparse_solve(sim->large, sim->h, sim->bI, &result));
  for (int32_t r = 0; r < set->count; r++) sim->lambda[r] = sim->rI[set->rows[r]];
  sim->is_minimum = true; /* an inertia that is not positive was refused */
  sim->pivot_ratio = 1;
  sim->has_lambda = true;
  return ZW_OK;
}

ZwStatus zw_large_free(ZwSim* sim, const double* h, double* x) {
  ZwSparseResult result = {.a = x, .lambda = sim->rI};
  memset(sim->bI, 0, (size_t)sim->m * sizeof(double));
  ZW_TRY(factor(sim, NULL, 0, sim->Ax));
  return zw_sparse_solve(sim->large, h, sim->bI, &result);
}

/* ---- rows ---- */

void zw_large_decide(ZwSim* sim) {
  for (int level = 0; level < 3; level++) {
    ZwRowSet* set = &sim->sets[level];
    set->count = 0;
    for (int32_t i = 0; i < sim->m; i++) {
      bool is_in = sim->equations->rows.items[i].level <= (ZwLevel)level && zw_rows_is_on(sim, i);
      if (is_in) set->rows[set->count++] = i;
    }
    set->candidates = set->count;
  }
}

/* ---- the start ---- */

/* The worst row, in units of what rounding may leave of it. */
static double worst_row(const ZwSim* sim, const ZwLargeStart* start, const double* residual) {
  const ZwPattern* A = &sim->equations->A;
  double worst = 0;
  for (int32_t r = 0; r < start->count; r++) {
    int32_t i = start->rows[r];
    double size = 0;
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      size += fabs(sim->Ax[k]) * zw_size_at(start->size[A->column[k]], start->x[A->column[k]]);
    }
    double off = fabs(residual[i]) / (MET * DBL_EPSILON * size);
    if (!(off <= worst)) worst = off;
  }
  return worst;
}

/* The square of the way from one to the other, by the diagonal of M. */
static double distance(const ZwSim* sim, const double* x, const double* y) {
  double sum = 0;
  for (int32_t j = 0; j < sim->n; j++) {
    double mass = zw_rows_mass(sim, j);
    sum += (mass > 0 ? mass : 1) * (x[j] - y[j]) * (x[j] - y[j]);
  }
  return sum;
}

/* How far the rows are from being met, each in units of its own size: a way, whatever the rows are written in. */
static double length_of(const ZwSim* sim, const ZwLargeStart* start, const double* residual) {
  double sum = 0;
  for (int32_t r = 0; r < start->count; r++) {
    double size = zw_rows_size(sim, start->rows[r]), off = fabs(residual[start->rows[r]]);
    if (off > 0) sum += size > 0 ? (off / size) * (off / size) : INFINITY;
  }
  return sqrt(sum);
}

static int32_t hold_of(const ZwLargeStart* start, int32_t j) {
  return (int32_t)(start->hold[j] > start->softest ? start->hold[j] : start->softest);
}

/* The rows without the columns of what holds. */
static void mask(ZwSim* sim, const ZwLargeStart* start, int32_t firm) {
  const ZwPattern* A = &sim->equations->A;
  for (int32_t k = 0; k < A->begin[sim->m_start]; k++) {
    sim->large_A[k] = hold_of(start, A->column[k]) >= firm ? 0 : sim->Ax[k];
  }
}

/* The step onto the rows without what holds `firm` or firmer. What neither a row nor a mass holds stays where it is. */
static bool step_below(ZwSim* sim, const ZwLargeStart* start, int32_t firm, const double* residual, double* dx) {
  mask(sim, start, firm);
  ZwStatus status = factor(sim, start->rows, start->count, sim->large_A);
  if (status && status != ZW_ERR_UNDETERMINED) return false;
  return zw_sparse_project(sim->large, residual, dx) == ZW_OK;
}

/* Newton steps of what holds less than `firm`, halved until they help. */
static bool move_below(ZwSim* sim, const ZwLargeStart* start, int32_t firm) {
  const double* residual = start->residual;
  double *before = sim->lm_x, *dx = sim->lm_x + sim->n, part;
  if (!start->eval(sim, start)) return false;
  for (int i = 0; i < NEWTON_MAX; i++) {
    if (worst_row(sim, start, residual) <= 1) return true;
    double length = length_of(sim, start, residual);
    if (!step_below(sim, start, firm, residual, dx)) return false;
    memcpy(before, start->x, (size_t)sim->n * sizeof(double));
    for (part = 1;; part *= 0.5) {
      for (int32_t k = 0; k < sim->n; k++) start->x[k] = before[k] + part * dx[k];
      bool is_better = start->eval(sim, start) && length_of(sim, start, residual) < length;
      if (is_better) break;
      if (part < ldexp(1, -HALVINGS)) {
        memcpy(start->x, before, (size_t)sim->n * sizeof(double));
        return start->eval(sim, start) && worst_row(sim, start, residual) <= MET;
      }
    }
  }
  return false;
}

/* From a point on the rows towards the one nearest to `typed`: of all points on their tangents the nearest, and back onto
 * them; as long as that comes nearer. */
static void come_nearer(ZwSim* sim, const ZwLargeStart* start, int32_t firm, const double* typed) {
  const ZwPattern* A = &sim->equations->A;
  double *r = sim->lm_r, *kept = sim->lm_x + 3 * (ptrdiff_t)sim->n, *dx = sim->lm_x + sim->n;
  double far = distance(sim, start->x, typed);
  for (int i = 0; i < NEARER_MAX; i++) {
    memcpy(kept, start->x, (size_t)sim->n * sizeof(double));
    if (!start->eval(sim, start)) break;
    mask(sim, start, firm);
    for (int32_t k = 0; k < sim->m_start; k++) {
      r[k] = start->residual[k];
      for (int32_t p = A->begin[k]; p < A->begin[k + 1]; p++) {
        r[k] += sim->large_A[p] * (typed[A->column[p]] - start->x[A->column[p]]);
      }
    }
    bool is_solved = step_below(sim, start, firm, r, dx);
    for (int32_t k = 0; k < sim->n && is_solved; k++) start->x[k] = typed[k] + dx[k];
    double now = is_solved && move_below(sim, start, firm) ? distance(sim, start->x, typed) : INFINITY;
    if (!(now < far * (1 - NEARER))) {
      memcpy(start->x, kept, (size_t)sim->n * sizeof(double));
      (void)start->eval(sim, start);
      return;
    }
    far = now;
  }
}

bool zw_large_assemble(ZwSim* sim, const ZwLargeStart* start) {
  double* typed = sim->lm_x + 2 * (ptrdiff_t)sim->n;
  memcpy(typed, start->x, (size_t)sim->n * sizeof(double));
  for (int32_t firm = 1; firm <= 3; firm++) {
    if (move_below(sim, start, firm)) {
      if (firm > 1) come_nearer(sim, start, firm, typed);
      return true;
    }
    memcpy(start->x, typed, (size_t)sim->n * sizeof(double));
  }
  return false;
}

/* ---- what is said ---- */

ZwStatus zw_large_refuse_masses(ZwSim* sim, int32_t row) {
  zw_diag_error(sim->diags, ZW_ERR_MASS, zw_row_span(sim, row),
                "the masses that '%.*s' joins are too far apart for the solve of large systems: by a factor of %.2g",
                ZW_STR_ARGS(zw_row_name(sim, row)), yield_apart(sim, row));
  zw_diag_remedy(sim->diags, "--formulation lagrange takes any, at the price of a dense solve");
  return ZW_ERR_MASS;
}

ZwStatus zw_large_fault(ZwSim* sim, double t, bool is_start) {
  int32_t worst = 0, row = -1;
  if (zw_large_is_lopsided(sim, &row)) return zw_large_refuse_masses(sim, row);
  zw_sparse_row_residuals(sim->large, sim->lm_r);
  for (int32_t i = 1; i < sim->m; i++) worst = sim->lm_r[i] > sim->lm_r[worst] ? i : worst;
  return zw_fault_inconsistent(sim, worst, 0, t, is_start);
}

/* What a row follows from: "'a', 'b' and 3 more"; how many they are, and the last of them. */
static int32_t add_sources(ZwSim* sim, int32_t row, ZwText* text, int32_t* last) {
  enum { SHOWN = 6 };
  double* coefficients = sim->lm_r;
  int32_t count = 0;
  zw_sparse_dependence(sim->large, row, coefficients);
  for (int32_t i = 0; i < sim->m; i++) {
    double share = fabs(coefficients[i]) * sim->scale[i]; /* whatever unit it is written in */
    if (i == row || !(share > SOURCE * sim->scale[row])) continue;
    *last = i;
    if (count++ >= SHOWN) continue;
    zw_text_addf(text, "%s'%.*s'", count > 1 ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, i)));
  }
  if (count > SHOWN) zw_text_addf(text, " and %d more", (int)(count - SHOWN));
  return count;
}

/* Of two rows that say the same the later one repeats the other. */
static void note_row(ZwSim* sim, int32_t row, ZwArena* scratch) {
  ZwText text;
  int32_t last = row;
  zw_text_init(&text, scratch);
  int32_t count = add_sources(sim, row, &text, &last);
  bool is_pair = count == 1, is_first = is_pair && last > row;
  if (is_first) {
    zw_text_init(&text, scratch);
    zw_text_addf(&text, "'%.*s'", ZW_STR_ARGS(zw_row_name(sim, row)));
    row = last;
  }
  const char* how = count == 0 ? "restricts nothing there" : is_pair ? "repeats " : "follows from ";
  zw_diag_note(sim->diags, zw_row_span(sim, row), "the constraint '%.*s' is redundant: it %s%s",
               ZW_STR_ARGS(zw_row_name(sim, row)), how, zw_text_get(&text));
}

/* Those of weak rows that really follow from others, put first; how many. A weak pivot may also mean that the row came before the
 * coordinates that it could be told by: then halves are looked at. */
static int32_t keep_redundant(ZwSim* sim, int32_t* rows, int32_t count) {
  if (count == 0 || zw_sparse_rows_follow(sim->large, rows, count)) return count;
  if (count == 1) return 0;
  int32_t half = count / 2, first = keep_redundant(sim, rows, half);
  int32_t second = keep_redundant(sim, rows + half, count - half);
  memmove(rows + first, rows + half, (size_t)second * sizeof *rows);
  return first + second;
}

static int32_t find_redundant(ZwSim* sim, int32_t* rows) {
  return keep_redundant(sim, rows, zw_sparse_weak_rows(sim->large, rows));
}

static bool reads_reactions(const ZwProgram* program, ZwEntry entry) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwTape* tape = &program->kernels.items[i].tapes[entry];
    for (int32_t k = 0; k < tape->inputs.count; k++) {
      if (tape->inputs.items[k].kind == ZW_INPUT_REACTION) return true;
    }
  }
  return false;
}

/* A mechanism: its rows leave little free. One coordinate that is held has no positions to be singular in. */
static bool is_mechanism(const ZwParts* parts, int32_t k, int32_t rows) {
  int32_t n = parts->begin[k + 1] - parts->begin[k];
  return n > 1 && rows >= TIGHT * n;
}

/* The part that a row belongs to; -1: it holds nothing. */
static int32_t part_of(const ZwSim* sim, int32_t row) {
  const ZwPattern* A = &sim->equations->A;
  return A->begin[row] < A->begin[row + 1] ? sim->equations->parts.of[A->column[A->begin[row]]] : -1;
}

/* Rows of a part among these. */
static int32_t rows_of(const ZwSim* sim, int32_t part, const int32_t* rows, int32_t count) {
  int32_t found = 0;
  for (int32_t r = 0; r < count; r++) found += part_of(sim, rows[r]) == part;
  return found;
}

/* How rows that repeat each other share a load only the dense solve knows: it is kept where the model asks for that.
 * Rows as they are typed are as good as those of the start to see whether many repeat others; where they do not hold yet they look
 * independent, and the dense solve has its say. One mechanism is enough, whatever stands beside it. */
bool zw_large_is_loose(ZwSim* sim) {
  const ZwParts* parts = &sim->equations->parts;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  bool is_tight = false;
  for (int32_t k = 0; k < parts->count; k++) is_tight = is_tight || is_mechanism(parts, k, parts->rows[k]);
  bool has_reactions = zw_equations_outputs_read_rows(sim->equations) || reads_reactions(sim->program, ZW_ENTRY_EVENT);
  if (is_tight && has_reactions) return false;
  zw_sim_set_up(sim, 0, 1);
  if (!zw_eval_acceleration(sim, 0, sim->y, sim->y + sim->n)) return !is_tight;
  zw_large_decide(sim);
  int32_t row;
  if (zw_large_is_lopsided(sim, &row)) return false;
  if (!is_tight && !has_reactions) return true;
  if (zw_large_factor(sim, set)) return !is_tight;
  int32_t redundant = find_redundant(sim, sim->candidates);
  for (int32_t k = 0; k < parts->count; k++) {
    if (parts->rows[k] == 0) continue;
    int32_t repeated = rows_of(sim, k, sim->candidates, redundant);
    if (has_reactions && repeated > 0 && is_small(parts, k)) return false;
    if (is_mechanism(parts, k, rows_of(sim, k, set->rows, set->count) - repeated)) return false;
  }
  return true;
}

static int by_place(const void* a, const void* b) {
  int32_t one = *(const int32_t*)a, other = *(const int32_t*)b;
  return (one > other) - (one < other);
}

ZwStatus zw_large_note_redundant(ZwSim* sim) {
  enum { NOTES = 8 };
  int32_t* rows = sim->candidates;
  if (sim->small.is_ahead) return ZW_OK; /* all rows have sound pivots */
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  int32_t count = find_redundant(sim, rows);
  sim->large_redundant = count;
  sim->small.is_on = sim->small.is_on && count == 0;  /* its pivots would be refused every time */
  qsort(rows, (size_t)count, sizeof *rows, by_place); /* in the order of the text */
  for (int32_t k = 0; k < count && k < NOTES; k++) note_row(sim, rows[k], &scratch);
  if (count > NOTES) zw_diag_note(sim->diags, (ZwSpan){0}, "%d more constraints are redundant", (int)(count - NOTES));
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_OK;
  zw_arena_destroy(&scratch);
  return status;
}
