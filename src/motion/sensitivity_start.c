/* What an assembly makes of sensitivities. It has moved x from the values `typed` to the nearest ones that satisfy the rows r = 0; how
 * the answer changes follows from the conditions that it satisfies. With the metric W of the firmest values that moved,
 *
 *   W (x - typed) = J^T lambda,   r(x) = 0      give      (W - K) dx - J^T dlambda = c,   J dx = -dr,
 *
 * where K = d(J^T lambda)/dx is the curvature of the rows and c collects what changes while x stays. What is held follows what was typed.
 * Where the rows determine x there is no more to it. */
#include <math.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/sensitivity.h"

#define INDEPENDENT 1e-9 /* of the largest: a row that leaves less is none */
#define CONSISTENT 1e-7  /* of what it is made of: this may be left of a row that depends on others */
#define SOFTER 1e-10     /* weight of values that hold less firmly, where nothing else determines them */

typedef struct Answer {
  ZwSim* sim;
  const ZwAssembly* a;
  ZwLevel level;
  double t;
  const int32_t* rows;
  int32_t column;
  int32_t firm, p, rank; /* p values move */
  int32_t *moving, *order;
  double *J, *T, *Z;         /* m x n; m x p: factors of the rows on what moves; (p - rank) x p: across them */
  double *H, *lambda, *size; /* across x across; m; m: of the rows */
  double *right, *c, *dx, *step;
  double *tau, *norms, *full, *image;
  int32_t* swap;
  ZwQr qr;
} Answer;

static Answer open_answer(ZwSim* sim, const ZwAssembly* a, ZwLevel level, double t, const int32_t* rows) {
  ptrdiff_t n = a->n, m = a->m;
  ZwSensitivity* sensitivity = sim->sensitivity;
  Answer answer = {.sim = sim, .a = a, .level = level, .t = t, .rows = rows};
  double* memory = sensitivity->dense;
  double** parts[] = {&answer.J,   &answer.T,     &answer.Z, &answer.H,  &answer.lambda, &answer.size, &answer.right,
                      &answer.tau, &answer.norms, &answer.c, &answer.dx, &answer.step,   &answer.full, &answer.image};
  ptrdiff_t sizes[] = {m * n, m * n, n * n, n * n, m, m, m, m, 2 * m, n, n, n, n, n};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i] = memory;
    memory += sizes[i];
  }
  answer.moving = sensitivity->order;
  answer.order = answer.moving + n;
  answer.swap = answer.order + m;
  return answer;
}

/* ---- the problem at its answer ---- */

static double* column_of(const Answer* answer, bool is_other) {
  bool is_second = (answer->level == ZW_LEVEL_VELOCITY) != is_other;
  return answer->sim->sensitivity->now + ((ptrdiff_t)answer->column * 2 + is_second) * answer->a->n;
}

/* A start value that is varied counts as typed. */
static int32_t hold_of(const Answer* answer, int32_t i) {
  const ZwBy* by = &answer->sim->sensitivity->by[answer->column];
  int32_t place = answer->level == ZW_LEVEL_POSITION ? i : answer->a->n + i;
  bool is_varied = by->is_start && by->index == place && !answer->sim->sensitivity->is_event;
  return is_varied ? ZW_HOLD_TYPED : zw_assembly_hold(answer->a, i);
}

static int32_t firmest_moved(const Answer* answer) {
  int32_t firm = answer->a->softest + 1;
  for (int32_t i = 0; i < answer->a->n; i++) {
    int32_t hold = zw_assembly_hold(answer->a, i);
    if (answer->a->x[i] != answer->a->typed[i] && hold + 1 > firm) firm = hold + 1;
  }
  return firm;
}

static void evaluate_rows(Answer* answer) {
  ZwSim* sim = answer->sim;
  bool is_position = answer->level == ZW_LEVEL_POSITION;
  (void)(is_position ? zw_eval_position(sim, answer->t, sim->y)
                     : zw_eval_velocity(sim, answer->t, sim->y, sim->y + sim->n));
  (void)zw_eval_start(sim, answer->t, sim->y, is_position ? sim->zero : sim->y + sim->n);
  zw_eval_dense_rows(sim, answer->rows, answer->a->m, answer->J);
}

static ZwStateAt place_of(const Answer* answer) {
  const ZwSim* sim = answer->sim;
  return (ZwStateAt){answer->t, sim->y, answer->level == ZW_LEVEL_POSITION ? sim->zero : sim->y + sim->n};
}

/* What the rows and their residuals change by along dx; `is_all`: with the time, the parameters and, of velocities, the positions. */
static void vary_rows(Answer* answer, const double* dx, bool is_all) {
  ZwSim* sim = answer->sim;
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  bool is_position = answer->level == ZW_LEVEL_POSITION;
  ZwDirection direction = {.dq = variation->zero, .dv = variation->zero, .dconstants = sensitivity->still};
  if (is_all) {
    direction = zw_sensitivity_direction(sensitivity, answer->column, sensitivity->now);
    direction.dv = variation->zero;
  }
  if (is_position)
    direction.dq = dx;
  else
    direction.dv = dx;
  zw_variation_start_rows(sim, variation, is_position ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY, place_of(answer),
                          &direction);
}

/* to = (dA)^T lambda on what moves, after vary_rows */
static void bend(const Answer* answer, double* to) {
  const ZwPattern* A = &answer->sim->equations->A;
  const double* dA = answer->sim->sensitivity->variation.dA;
  zw_fill(answer->a->n, 0, answer->full);
  for (int32_t i = 0; i < answer->a->m; i++) {
    int32_t row = answer->rows[i];
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      answer->full[A->column[k]] += dA[k] * answer->lambda[i];
    }
  }
  for (int32_t j = 0; j < answer->p; j++) to[j] = answer->full[answer->moving[j]];
}

static double weight_of(const Answer* answer, int32_t i) {
  return hold_of(answer, i) == answer->firm - 1 ? 1 : SOFTER;
}

/* An entry of the metric. */
static double metric_of(const Answer* answer, int32_t i, int32_t j) {
  double mass = answer->a->M[(ptrdiff_t)i * answer->a->n + j];
  if (i == j) return (mass > 0 ? mass : 1) * weight_of(answer, i);
  if (answer->firm == 1 || hold_of(answer, i) != hold_of(answer, j)) return 0;
  return mass * weight_of(answer, i);
}

/* to = W x on what moves; x has n numbers */
static void weigh(const Answer* answer, const double* x, double* to) {
  for (int32_t i = 0; i < answer->p; i++) {
    to[i] = 0;
    for (int32_t j = 0; j < answer->p; j++) {
      to[i] += metric_of(answer, answer->moving[i], answer->moving[j]) * x[answer->moving[j]];
    }
  }
}

/* ---- the rows on what moves ---- */

static void gather(Answer* answer) {
  const ZwAssembly* a = answer->a;
  answer->p = 0;
  for (int32_t i = 0; i < a->n; i++) {
    if (hold_of(answer, i) < answer->firm) answer->moving[answer->p++] = i;
  }
  for (int32_t i = 0; i < a->m; i++) {
    const double* row = answer->J + (ptrdiff_t)i * a->n;
    double* to = answer->T + (ptrdiff_t)i * answer->p;
    answer->size[i] = zw_norm(a->n, row);
    if (answer->size[i] == 0) answer->size[i] = 1;
    for (int32_t j = 0; j < answer->p; j++) to[j] = row[answer->moving[j]] / answer->size[i];
  }
  answer->qr = (ZwQr){.rows = answer->p, .cols = a->m, .T = answer->T, .tau = answer->tau};
  answer->rank = 0;
  if (answer->p == 0) return;
  zw_qr_factor_pivoted(&answer->qr, answer->order, answer->norms);
  answer->rank = zw_qr_rank(&answer->qr, INDEPENDENT);
}

/* What the rows still ask for, -(dr + J dx), where dx is that of what is held. */
static void find_right(Answer* answer, const double* dr) {
  const ZwAssembly* a = answer->a;
  for (int32_t i = 0; i < a->m; i++) {
    answer->right[i] = -(dr[i] + zw_dot(a->n, answer->J + (ptrdiff_t)i * a->n, answer->dx)) / answer->size[i];
  }
}

/* The shortest step of what moves that satisfies the independent rows. */
static void step_onto_rows(Answer* answer) {
  double* y = answer->step;
  zw_fill(answer->a->n, 0, y);
  for (int32_t k = 0; k < answer->rank; k++) y[k] = answer->right[answer->order[k]];
  if (answer->rank > 0) {
    zw_qr_solve_rt(&answer->qr, answer->rank, y);
    zw_qr_apply_q(&answer->qr, y);
  }
  for (int32_t j = 0; j < answer->p; j++) answer->dx[answer->moving[j]] = y[j];
}

/* Do the dependent rows agree? Otherwise firmer values have to move. */
static bool is_met(const Answer* answer, const double* dr) {
  const ZwAssembly* a = answer->a;
  double largest = zw_max_abs(a->n, answer->dx);
  for (int32_t i = 0; i < a->m; i++) {
    double off = dr[i] + zw_dot(a->n, answer->J + (ptrdiff_t)i * a->n, answer->dx);
    if (fabs(off) > CONSISTENT * (fabs(dr[i]) + answer->size[i] * largest)) return false;
  }
  return true;
}

/* ---- what the rows leave open ---- */

static bool has_moved(const Answer* answer) {
  for (int32_t i = 0; i < answer->a->n; i++) {
    if (answer->a->x[i] != answer->a->typed[i]) return true;
  }
  return false;
}

/* W (x - typed) = J^T lambda */
static void find_multipliers(Answer* answer) {
  const ZwAssembly* a = answer->a;
  double* u = answer->image;
  zw_fill(a->m, 0, answer->lambda);
  if (!has_moved(answer) || answer->firm == 1 || answer->rank == 0) return;
  for (int32_t i = 0; i < a->n; i++) answer->step[i] = a->x[i] - a->typed[i];
  weigh(answer, answer->step, u);
  zw_qr_apply_qt(&answer->qr, u);
  zw_qr_solve_r(&answer->qr, answer->rank, u);
  for (int32_t k = 0; k < answer->rank; k++) answer->lambda[answer->order[k]] = u[k] / answer->size[answer->order[k]];
}

/* c -= dW (x - typed): the metric was that of the state before. */
static void add_metric(Answer* answer) {
  ZwSim* sim = answer->sim;
  const ZwAssembly* a = answer->a;
  ZwVariation* variation = &sim->sensitivity->variation;
  const ZwPattern* M = &sim->equations->M;
  bool is_position = answer->level == ZW_LEVEL_POSITION;
  ZwStateAt place = {answer->t, is_position ? a->typed : sim->y, is_position ? sim->y + sim->n : a->typed};
  ZwDirection direction = zw_sensitivity_direction(sim->sensitivity, answer->column, sim->sensitivity->now);
  zw_variation_masses(sim, variation, place, &direction);
  zw_fill(a->n, 0, answer->full);
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      if (hold_of(answer, i) != hold_of(answer, j)) continue;
      double dW = variation->dM[k] * weight_of(answer, i);
      answer->full[i] += dW * (a->x[j] - a->typed[j]);
      if (i != j) answer->full[j] += dW * (a->x[i] - a->typed[i]);
    }
  }
  for (int32_t j = 0; j < answer->p; j++) answer->c[j] -= answer->full[answer->moving[j]];
}

/* c, with what is held and the step onto the rows taken off: what is left for the open directions. */
static void find_pull(Answer* answer, bool is_curved) {
  const double* typed = column_of(answer, false);
  weigh(answer, typed, answer->c);
  if (is_curved) {
    add_metric(answer);
    vary_rows(answer, answer->dx, true);
    bend(answer, answer->image);
    for (int32_t j = 0; j < answer->p; j++) answer->c[j] += answer->image[j];
  }
  weigh(answer, answer->dx, answer->image);
  for (int32_t j = 0; j < answer->p; j++) answer->c[j] -= answer->image[j];
}

/* A direction that the rows leave open, as a row of Z. */
static double* open_direction(Answer* answer, int32_t k) {
  double* z = answer->Z + (ptrdiff_t)k * answer->p;
  zw_fill(answer->p, 0, z);
  z[answer->rank + k] = 1;
  if (answer->rank > 0) zw_qr_apply_q(&answer->qr, z);
  return z;
}

/* Row k of Z^T (W - K) Z. */
static void fill_hessian(Answer* answer, int32_t k, bool is_curved) {
  int32_t f = answer->p - answer->rank;
  const double* z = answer->Z + (ptrdiff_t)k * answer->p;
  double *full = answer->step, *image = answer->image;
  zw_fill(answer->a->n, 0, full);
  for (int32_t j = 0; j < answer->p; j++) full[answer->moving[j]] = z[j];
  weigh(answer, full, image);
  for (int32_t i = 0; i < f; i++) {
    answer->H[(ptrdiff_t)i * f + k] = zw_dot(answer->p, answer->Z + (ptrdiff_t)i * answer->p, image);
  }
  if (!is_curved) return;
  vary_rows(answer, full, false);
  bend(answer, image);
  for (int32_t i = 0; i < f; i++) {
    answer->H[(ptrdiff_t)i * f + k] -= zw_dot(answer->p, answer->Z + (ptrdiff_t)i * answer->p, image);
  }
}

static ZwStatus settle_open(Answer* answer) {
  int32_t f = answer->p - answer->rank;
  if (f == 0) return ZW_OK;
  find_multipliers(answer);
  bool is_curved = zw_max_abs(answer->a->m, answer->lambda) > 0;
  find_pull(answer, is_curved);
  for (int32_t k = 0; k < f; k++) (void)open_direction(answer, k);
  for (int32_t k = 0; k < f; k++) fill_hessian(answer, k, is_curved);
  double* y = answer->full;
  zw_multiply(f, answer->p, answer->Z, answer->c, y);
  if (!(zw_lu_factor(f, answer->H, answer->swap) > 0)) return ZW_ERR_INCONSISTENT;
  zw_lu_solve(f, answer->H, answer->swap, y);
  zw_fill(answer->p, 0, answer->c);
  zw_add_transposed(f, answer->p, 1, answer->Z, y, answer->c);
  for (int32_t j = 0; j < answer->p; j++) answer->dx[answer->moving[j]] += answer->c[j];
  return ZW_OK;
}

static ZwStatus move_column(Answer* answer, double* dr) {
  const ZwAssembly* a = answer->a;
  double* column = column_of(answer, false);
  const ZwVariation* variation = &answer->sim->sensitivity->variation;
  const double* residuals = answer->level == ZW_LEVEL_POSITION ? variation->dphi : variation->dpsi;
  vary_rows(answer, variation->zero, true);
  for (int32_t i = 0; i < a->m; i++) dr[i] = residuals[answer->rows[i]];
  for (answer->firm = firmest_moved(answer);; answer->firm++) {
    gather(answer);
    zw_copy(a->n, column, answer->dx);
    for (int32_t j = 0; j < answer->p; j++) answer->dx[answer->moving[j]] = 0;
    find_right(answer, dr);
    step_onto_rows(answer);
    if (answer->firm == ZW_HOLD_TYPED + 1 || is_met(answer, dr)) break;
  }
  ZW_TRY(settle_open(answer));
  zw_copy(a->n, answer->dx, column);
  return ZW_OK;
}

void zw_sensitivity_typed(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (sensitivity) zw_copy((ptrdiff_t)sensitivity->count * 2 * sim->n, sensitivity->dtyped, sensitivity->now);
}

void zw_sensitivity_assembled(ZwSim* sim, const ZwAssembly* assembly, ZwLevel level, double t, const int32_t* rows) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity || assembly->m == 0 || sensitivity->status) return;
  Answer answer = open_answer(sim, assembly, level, t, rows);
  evaluate_rows(&answer);
  for (int32_t c = 0; c < sensitivity->count; c++) {
    answer.column = c;
    ZwStatus status = move_column(&answer, sensitivity->rights);
    if (status) sensitivity->status = status;
  }
}
