#include "paper/states.h"

#include <math.h>

#include "expr/diff.h"
#include "least/dense.h"
#include "least/svd.h"
#include "paper/entries.h"

/* Newton's method: rounds, attempts with ever smaller departures from the start, and what counts as zero. */
enum { ROUNDS = 60, ATTEMPTS = 12 };
#define TOL_CONSTRAINT 1e-11
/* Directions in which the rows change this little, as a part of the largest, are left alone. */
#define TOL_DIRECTION 1e-9

/* ---- numbers ---- */

/* Uniform in -1 .. 1; a linear congruence is random enough here. */
static double draw(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

double zw_paper_value(ZwPaperStates* states, int32_t s, ZwExpr e) {
  ZwEnvironment at = {.t = states->t[s], .params = states->values[s], .q = states->q[s], .v = states->v[s]};
  return zw_expr_eval(&states->evaluator, &states->paper->graph, e, &at);
}

/* ---- projection ---- */

/* The rows of one level as conditions on x = q or v: residuals, and their derivatives by x. */
typedef struct Projection {
  ZwPaperStates* states;
  int32_t s, n, rows;
  const ZwExpr* residual; /* rows */
  ZwExpr* const* slope;   /* rows lists of n */
  double *r, *J, *sigma, *Ut, *Vt, *dx;
} Projection;

static bool make_room(Projection* p, ZwArena* arena, int32_t m) {
  ptrdiff_t n = p->n, k = m < n ? m : n;
  p->r = ZW_NEW(arena, m + 1, double);
  p->J = ZW_NEW(arena, m * n + 1, double);
  p->sigma = ZW_NEW(arena, k + 1, double);
  p->Ut = ZW_NEW(arena, k * m + 1, double);
  p->Vt = ZW_NEW(arena, k * n + 1, double);
  p->dx = ZW_NEW(arena, n + 1, double);
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

/* The conditions on the positions, or on the velocities; room has place for both. */
static void collect(ZwSheet* paper, Projection* p, bool is_velocity, ZwExpr* residual, ZwExpr** slope) {
  p->rows = 0;
  for (int32_t k = 0; k < paper->m; k++) {
    const ZwPaperRow* row = &paper->rows[k];
    if (row->level == ZW_LEVEL_ACCELERATION || (!is_velocity && row->level == ZW_LEVEL_VELOCITY)) continue;
    bool is_rate = is_velocity && row->level == ZW_LEVEL_POSITION;
    residual[p->rows] = is_rate ? zw_diff_drift(&paper->graph, &paper->tidy.walk, row->value) : row->value;
    slope[p->rows++] = row->A;
  }
  p->residual = residual;
  p->slope = slope;
}

/* ---- states ---- */

static double start_of(ZwSheet* paper, ZwPaperStates* states, ZwExpr e) {
  if (!e.ref) return 0;
  ZwEnvironment at = {.params = states->values[0]};
  double value = zw_expr_eval(&states->evaluator, &paper->system->graph, e, &at);
  return isfinite(value) ? value : 0;
}

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
    states->v[s][i] = v + (fabs(v) + (largest > 0 ? largest : 1)) * draw(seed);
  }
}

static bool find_state(ZwPaperStates* states, int32_t s, Projection* p, uint64_t* seed) {
  ZwSheet* paper = states->paper;
  ZwExpr* residual = ZW_NEW(paper->arena, paper->m + 1, ZwExpr);
  ZwExpr** slope = ZW_NEW(paper->arena, paper->m + 1, ZwExpr*);
  if (!residual || !slope) return false;
  p->s = s;
  double width = 0.5;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++, width *= 0.6) {
    depart(states, s, width, seed);
    collect(paper, p, false, residual, slope);
    if (!project(p, states->q[s])) continue;
    collect(paper, p, true, residual, slope);
    if (project(p, states->v[s])) return true;
  }
  return false;
}

ZwPaperStates* zw_paper_states(ZwSheet* paper) {
  ZwArena* arena = paper->arena;
  ZwPaperStates* states = ZW_NEW(arena, 1, ZwPaperStates);
  const double* params = zw_paper_params(paper);
  if (!states || !params) return NULL;
  states->paper = paper;
  zw_evaluator_init(&states->evaluator, arena);
  states->evaluator.tables = &paper->system->tables;
  int32_t count = paper->system->params.count;
  for (int32_t s = 0; s < ZW_PAPER_STATES; s++) {
    states->q[s] = ZW_NEW(arena, paper->n + 1, double);
    states->v[s] = ZW_NEW(arena, paper->n + 1, double);
    states->values[s] = ZW_NEW(arena, count + ZW_STEPS_MOST, double);
    if (arena->failed) return NULL;
    zw_copy(count, params, states->values[s]);
  }
  Projection p = {.states = states, .n = paper->n};
  if (!make_room(&p, arena, paper->m)) return NULL;
  uint64_t seed = 20;
  states->are_consistent = true;
  for (int32_t s = 0; s < ZW_PAPER_STATES; s++)
    states->are_consistent = find_state(states, s, &p, &seed) && states->are_consistent;
  return states;
}
