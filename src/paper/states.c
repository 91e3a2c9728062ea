#include "paper/states.h"

#include <math.h>

#include "expr/diff.h"
#include "least/dense.h"
#include "least/svd.h"
#include "paper/entries.h"
#include "paper/rank.h"

/* Newton's method: rounds, attempts with ever smaller departures from the start, and what counts as zero. */
enum { ROUNDS = 60, ATTEMPTS = 12 };
#define TOL_CONSTRAINT 1e-11
/* Directions in which the rows change this little, as a part of the largest, are left alone. */
#define TOL_DIRECTION 1e-9
/* Departures from the start: the first attempt at a state, the nearest look at the rank; each further attempt goes this part as far. */
static const double far = 0.5, near = 0.01, nearer = 0.6;
/* How far a twin is, as a part of each number; entries that are 0 count as this part of the largest. */
#define TWIN_DISTANCE 1e-10
#define TWIN_LEAST 1e-3
/* What is not 0 exceeds its difference from its twin by this factor. Too small: 0 passes; too large: a pivot fails that varies much. */
#define CLEARLY 1e3

/* ---- numbers ---- */

/* Uniform in -1 .. 1; a linear congruence is random enough here. */
static double draw(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

double zw_paper_value(ZwPaperStates* states, int32_t s, ZwExpr e) {
  ZwEnvironment at = {
      .t = states->t[s], .params = states->values[s], .q = states->q[s], .v = states->v[s], .a = states->a[s]};
  return zw_expr_eval(&states->evaluator, &states->paper->graph, e, &at);
}

static bool is_nonzero_at(ZwPaperStates* states, int32_t s, ZwExpr e) {
  double value = zw_paper_value(states, s, e), twin = zw_paper_value(states, s + ZW_PAPER_TWIN, e);
  return fabs(value) > CLEARLY * fabs(value - twin);
}

bool zw_paper_is_nonzero(ZwPaperStates* states, ZwExpr e) {
  for (int32_t s = 0; s < ZW_PAPER_STATES; s++) {
    if (!is_nonzero_at(states, s, e)) return false;
  }
  return true;
}

bool zw_paper_is_nonzero_at_start(ZwPaperStates* states, ZwExpr e) {
  return !states->has_start || is_nonzero_at(states, ZW_PAPER_START, e);
}

int32_t zw_paper_state_count(const ZwPaperStates* states) {
  return states->has_start ? ZW_PAPER_STATES + 1 : ZW_PAPER_STATES;
}

/* ---- projection ---- */

/* The rows of one level as conditions on x = q or v: residuals, and their derivatives by x. */
typedef struct Projection {
  ZwPaperStates* states;
  int32_t s, n, rows;
  ZwExpr* residual; /* rows */
  ZwExpr** slope;   /* rows lists of n */
  double *r, *J, *sigma, *Ut, *Vt, *dx;
  double *A, *Q; /* m x n, n x n: for the rank */
  int32_t* independent;
} Projection;

static bool make_room(Projection* p, ZwArena* arena, int32_t m) {
  ptrdiff_t n = p->n, k = m < n ? m : n;
  p->r = ZW_NEW(arena, m + 1, double);
  p->J = ZW_NEW(arena, m * n + 1, double);
  p->sigma = ZW_NEW(arena, k + 1, double);
  p->Ut = ZW_NEW(arena, k * m + 1, double);
  p->Vt = ZW_NEW(arena, k * n + 1, double);
  p->dx = ZW_NEW(arena, n + 1, double);
  p->residual = ZW_NEW(arena, m + 1, ZwExpr);
  p->slope = ZW_NEW(arena, m + 1, ZwExpr*);
  p->A = ZW_NEW(arena, m * n + 1, double);
  p->Q = ZW_NEW(arena, n * n + 1, double);
  p->independent = ZW_NEW(arena, m + 1, int32_t);
  return !arena->failed;
}

/* x -= J^+ r; whether that was rounding beside x */
static bool project_once(Projection* p, double* x, bool* is_lost) {
  int32_t n = p->n, m = p->rows, k = m < n ? m : n;
  for (int32_t i = 0; i < m; i++) {
    p->r[i] = zw_paper_value(p->states, p->s, p->residual[i]);
    for (int32_t j = 0; j < n; j++) p->J[i * n + j] = zw_paper_value(p->states, p->s, p->slope[i][j]);
  }
  *is_lost = !zw_all_finite(m, p->r) || zw_svd(m, n, p->J, p->sigma, p->Ut, p->Vt) != ZW_OK;
  if (*is_lost) return false;
  zw_fill(n, 0, p->dx);
  for (int32_t i = 0; i < k && p->sigma[i] > TOL_DIRECTION * p->sigma[0]; i++) {
    double share = zw_dot(m, p->Ut + (ptrdiff_t)i * m, p->r) / p->sigma[i];
    zw_axpy(n, -share, p->Vt + (ptrdiff_t)i * n, p->dx);
  }
  zw_axpy(n, 1, p->dx, x);
  return zw_max_abs(n, p->dx) <= TOL_CONSTRAINT * zw_max_abs(n, x);
}

static bool project(Projection* p, double* x) {
  bool is_lost = false;
  for (int round = 0; round < ROUNDS && !is_lost; round++) {
    if (project_once(p, x, &is_lost)) return true;
  }
  return p->rows == 0;
}

/* The conditions on the positions, or on the velocities. */
static void collect(ZwSheet* paper, Projection* p, bool is_velocity) {
  p->rows = 0;
  for (int32_t k = 0; k < paper->m; k++) {
    const ZwPaperRow* row = &paper->rows[k];
    if (row->level == ZW_LEVEL_ACCELERATION || (!is_velocity && row->level == ZW_LEVEL_VELOCITY)) continue;
    bool is_rate = is_velocity && row->level == ZW_LEVEL_POSITION;
    p->residual[p->rows] = is_rate ? zw_diff_drift(&paper->graph, &paper->tidy.walk, row->value) : row->value;
    p->slope[p->rows++] = row->A;
  }
}

/* ---- states ---- */

static double start_of(ZwSheet* paper, ZwPaperStates* states, ZwExpr e) {
  if (!e.ref) return 0;
  ZwEnvironment at = {.params = states->values[0]};
  double value = zw_expr_eval(&states->evaluator, &paper->system->graph, e, &at);
  return isfinite(value) ? value : 0;
}

/* Width 0: the start itself. */
static void depart(ZwPaperStates* states, int32_t s, double width, uint64_t* seed) {
  ZwSheet* paper = states->paper;
  states->t[s] = start_of(paper, states, paper->system->run.from) + width * fabs(draw(seed));
  double largest = 0;
  for (int32_t i = 0; i < paper->n; i++)
    largest = fmax(largest, fabs(start_of(paper, states, paper->system->coords.items[i].start_q)));
  for (int32_t i = 0; i < paper->n; i++) {
    const ZwCoord* coord = &paper->system->coords.items[i];
    double q = start_of(paper, states, coord->start_q), v = start_of(paper, states, coord->start_v);
    states->q[s][i] = q + width * (fabs(q) + 0.3 * (largest > 0 ? largest : 1)) * draw(seed);
    states->v[s][i] = width > 0 ? v + (fabs(v) + (largest > 0 ? largest : 1)) * draw(seed) : v;
  }
}

/* One attempt to find a state this far from the start. */
static bool try_state(ZwPaperStates* states, int32_t s, Projection* p, double width, uint64_t* seed) {
  depart(states, s, width, seed);
  collect(states->paper, p, false);
  if (!project(p, states->q[s])) return false;
  collect(states->paper, p, true);
  return project(p, states->v[s]);
}

static int32_t rank_at(Projection* p) {
  ZwSheet* paper = p->states->paper;
  int32_t n = paper->n, m = paper->m;
  for (int32_t k = 0; k < m; k++) {
    for (int32_t j = 0; j < n; j++) p->A[k * n + j] = zw_paper_value(p->states, p->s, paper->rows[k].A[j]);
  }
  zw_rank_balance(m, n, 1, &p->A);
  return zw_rank_rows(m, n, p->A, p->independent, p->Q);
}

/* A state of this rank, -1: of any; the rank of what was found, or -1. */
static int32_t find_state(ZwPaperStates* states, int32_t s, Projection* p, double width, int32_t rank, uint64_t* seed) {
  p->s = s;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++, width *= nearer) {
    if (!try_state(states, s, p, width, seed)) continue;
    int32_t found = rank_at(p);
    if (rank < 0 || found == rank) return found;
  }
  return -1;
}

static void move_list(int32_t count, const double* from, double* to, uint64_t* seed) {
  double least = TWIN_LEAST * zw_max_abs(count, from);
  for (int32_t i = 0; i < count; i++) to[i] = from[i] + TWIN_DISTANCE * fmax(fabs(from[i]), least) * draw(seed);
}

static void make_twin(ZwPaperStates* states, int32_t s, uint64_t* seed) {
  int32_t n = states->paper->n, params = states->paper->system->params.count, twin = s + ZW_PAPER_TWIN;
  move_list(1, &states->t[s], &states->t[twin], seed);
  move_list(n, states->q[s], states->q[twin], seed);
  move_list(n, states->v[s], states->v[twin], seed);
  for (int32_t i = 0; i < params; i++) move_list(1, &states->values[s][i], &states->values[twin][i], seed);
}

static bool open_states(ZwPaperStates* states, const double* params) {
  ZwSheet* paper = states->paper;
  int32_t count = paper->system->params.count;
  uint64_t seed = 40;
  zw_evaluator_init(&states->evaluator, paper->arena);
  states->evaluator.tables = &paper->system->tables;
  for (int32_t s = 0; s < ZW_PAPER_ALL; s++) {
    states->q[s] = ZW_NEW(paper->arena, paper->n + 1, double);
    states->v[s] = ZW_NEW(paper->arena, paper->n + 1, double);
    states->a[s] = ZW_NEW(paper->arena, paper->n + 1, double);
    states->values[s] = ZW_NEW(paper->arena, count + ZW_STEPS_MOST, double);
    if (paper->arena->failed) return false;
    zw_copy(count, params, states->values[s]);
    for (int32_t i = 0; i < paper->n; i++) states->a[s][i] = draw(&seed);
  }
  return true;
}

ZwPaperStates* zw_paper_typed_start(ZwSheet* paper) {
  ZwPaperStates* states = ZW_NEW(paper->arena, 1, ZwPaperStates);
  const double* params = zw_paper_params(paper);
  if (!states || !params) return NULL;
  states->paper = paper;
  uint64_t seed = 0;
  if (!open_states(states, params)) return NULL;
  depart(states, ZW_PAPER_START, 0, &seed);
  return states;
}

static ZwPaperStates* find_states(ZwSheet* paper) {
  ZwPaperStates* states = ZW_NEW(paper->arena, 1, ZwPaperStates);
  const double* params = zw_paper_params(paper);
  if (!states || !params) return NULL;
  states->paper = paper;
  Projection p = {.states = states, .n = paper->n};
  if (!open_states(states, params) || !make_room(&p, paper->arena, paper->m)) return NULL;
  uint64_t seed = 20, seed_near = 10, seed_twin = 30;
  int32_t rank = find_state(states, 0, &p, near, -1, &seed_near);
  states->are_consistent = true;
  for (int32_t s = 0; s < ZW_PAPER_STATES; s++) {
    bool is_found = find_state(states, s, &p, far, rank, &seed) >= 0;
    states->are_consistent = is_found && states->are_consistent;
    make_twin(states, s, &seed_twin);
  }
  p.s = ZW_PAPER_START;
  states->has_start = try_state(states, ZW_PAPER_START, &p, 0, &seed) && (rank < 0 || rank_at(&p) == rank);
  make_twin(states, ZW_PAPER_START, &seed_twin);
  return states;
}

ZwPaperStates* zw_paper_states(ZwSheet* paper) {
  if (!paper->states) paper->states = find_states(paper);
  return paper->states;
}
