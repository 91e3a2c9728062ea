/* What an assembly makes of sensitivities. It has moved x from the values `typed` to the nearest ones that satisfy the rows r = 0, in
 * turns (assemble.h): the firmest values first, by the least amount in their metric W, then those that hold less, with the others held.
 * How the answer changes follows from the conditions that it satisfies. In each turn, on what is not settled yet,
 *
 *   W (x - typed) = J^T lambda,   r(x) = 0      give      (W - K) dx - J^T dlambda = c,   J dx = -dr,
 *
 * where K = d(J^T lambda)/dx is the curvature of the rows and c collects what changes while x stays: what was typed, the masses in W, the
 * gradients J. W counts the values of this turn alone; they are settled then. So nothing has to be known about which values had to
 * move: those of an early turn change with what was typed as long as later ones can follow. */
#include <math.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/sensitivity.h"

#define INDEPENDENT 1e-9 /* of the largest: a row that leaves less is none */
#define SOFTER 1e-10     /* weight of values of later turns, where nothing else determines them */
#define FOLD 1e-6        /* curvature beyond this part of the metric has determined them */

typedef struct Answer {
  ZwSim* sim;
  const ZwAssembly* a;
  ZwLevel level;
  double t;
  const int32_t* rows;
  int32_t column;
  int32_t turn, p, rank; /* p values move */
  double softer;         /* weight of those of later turns */
  int32_t *moving, *order, *place;
  double *J, *W, *unit;  /* m x n; n x n; n: lengths of the values in the metric, by which all is measured */
  double *T, *Z, *H, *B; /* m x p: factors of the rows on what moves; (p - rank) x p: across them; n x n; n x n */
  double *lambda, *size, *right;            /* m: of the rows */
  double *typed, *dx;                       /* n: changes of what was typed; of the answer */
  double *c, *step, *shadow, *full, *image; /* n */
  double *tau, *norms, *turned, *spread;    /* m, 2 m, 2 n, n of the system */
  int32_t* swap;
  ZwQr qr;
} Answer;

static Answer open_answer(ZwSim* sim, const ZwAssembly* a, ZwLevel level, double t, const int32_t* rows) {
  ptrdiff_t n = a->n, m = a->m;
  ZwSensitivity* sensitivity = sim->sensitivity;
  Answer answer = {.sim = sim, .a = a, .level = level, .t = t, .rows = rows};
  double* memory = sensitivity->dense;
  double** parts[] = {&answer.J,      &answer.T,      &answer.Z,     &answer.H,     &answer.W,      &answer.unit,
                      &answer.lambda, &answer.B,      &answer.size,  &answer.right, &answer.tau,    &answer.norms,
                      &answer.typed,  &answer.dx,     &answer.c,     &answer.step,  &answer.shadow, &answer.full,
                      &answer.image,  &answer.turned, &answer.spread};
  ptrdiff_t sizes[] = {m * n, m * n, n * n, n * n, n * n, n, m, n * n, m,     m,     m,
                       2 * m, n,     n,     n,     n,     n, n, n,     2 * n, sim->n};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    *parts[i] = memory;
    memory += sizes[i];
  }
  answer.moving = sensitivity->order;
  answer.order = answer.moving + n;
  answer.swap = answer.order + m;
  answer.place = answer.swap + n;
  return answer;
}

/* ---- the problem at its answer ---- */

/* A start value that is varied counts as typed, with the value that it has, where the start is assembled; contacts that close there then
 * move what is free, as those of an event do. */
static bool is_varied(const Answer* answer, int32_t i) {
  const ZwSensitivity* sensitivity = answer->sim->sensitivity;
  const ZwBy* by = &sensitivity->by[answer->column];
  int32_t place = answer->a->coords[i] + (answer->level == ZW_LEVEL_POSITION ? 0 : answer->sim->n);
  return by->is_start && by->index == place && sensitivity->is_from_typed;
}

static int32_t turn_of(const Answer* answer, int32_t i) {
  int32_t turn = zw_assembly_turn(answer->a, i);
  return is_varied(answer, i) ? 2 * ZW_HOLD_TYPED + turn % 2 : turn;
}

/* How far the value i was moved. */
static double way_of(const Answer* answer, int32_t i) {
  bool counts_as_typed = turn_of(answer, i) != zw_assembly_turn(answer->a, i);
  return counts_as_typed ? 0 : answer->a->x[i] - answer->a->typed[i];
}

static void evaluate_rows(Answer* answer) {
  ZwSim* sim = answer->sim;
  const ZwPattern* A = &sim->equations->A;
  ptrdiff_t n = answer->a->n, m = answer->a->m;
  bool is_position = answer->level == ZW_LEVEL_POSITION;
  (void)(is_position ? zw_eval_position(sim, answer->t, sim->y)
                     : zw_eval_velocity(sim, answer->t, sim->y, sim->y + sim->n));
  (void)zw_eval_start(sim, answer->t, sim->y, is_position ? sim->zero : sim->y + sim->n);
  zw_fill(m * n, 0, answer->J);
  for (ptrdiff_t i = 0; i < m; i++) {
    for (int32_t k = A->begin[answer->rows[i]]; k < A->begin[answer->rows[i] + 1]; k++) {
      answer->J[i * n + answer->place[A->column[k]]] = sim->Ax[k];
    }
  }
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
  if (is_all) direction = zw_sensitivity_direction(sensitivity, answer->column, sensitivity->now);
  zw_fill(sim->n, 0, answer->spread);
  for (int32_t k = 0; dx && k < answer->a->n; k++) answer->spread[answer->a->coords[k]] = dx[k];
  if (is_position) direction.dq = answer->spread;
  direction.dv = is_position ? variation->zero : answer->spread;
  zw_variation_start_rows(sim, variation, is_position ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY, place_of(answer),
                          &direction);
}

/* to = (dA)^T lambda on what moves, after vary_rows */
static void bend(const Answer* answer, const double* lambda, double* to) {
  const ZwPattern* A = &answer->sim->equations->A;
  const double* dA = answer->sim->sensitivity->variation.dA;
  zw_fill(answer->a->n, 0, answer->full);
  for (int32_t i = 0; i < answer->a->m; i++) {
    int32_t row = answer->rows[i];
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      answer->full[answer->place[A->column[k]]] += dA[k] * lambda[i];
    }
  }
  for (int32_t j = 0; j < answer->p; j++) to[j] = answer->full[answer->moving[j]] / answer->unit[answer->moving[j]];
}

/* ---- the metric ---- */

static void find_metric(Answer* answer) {
  const ZwAssembly* a = answer->a;
  zw_assembly_form_metric(a, answer->W, a->metric);
  for (int32_t i = 0; i < a->n; i++) answer->unit[i] = sqrt(answer->W[(ptrdiff_t)i * a->n + i]);
}

static double weight_of(const Answer* answer, int32_t i) {
  return turn_of(answer, i) == answer->turn ? 1 : answer->softer;
}

/* to = W x on what moves; x has n numbers. Both in units of the values' lengths. */
static void weigh(const Answer* answer, const double* x, double* to) {
  ptrdiff_t n = answer->a->n;
  for (int32_t k = 0; k < answer->p; k++) {
    int32_t i = answer->moving[k];
    double sum = 0;
    for (int32_t l = 0; l < answer->p; l++) {
      int32_t j = answer->moving[l];
      if (turn_of(answer, i) == turn_of(answer, j)) sum += answer->W[i * n + j] / answer->unit[j] * x[j];
    }
    to[k] = weight_of(answer, i) * sum / answer->unit[i];
  }
}

static bool is_weighed_by_span(const Answer* answer, int32_t i) {
  const ZwAssembly* a = answer->a;
  return turn_of(answer, i) == answer->turn && !(a->M[(ptrdiff_t)i * a->n + i] > 0) && way_of(answer, i) != 0;
}

/* What has no mass is weighed by 1 / S^2, of sizes S that change too: adds that to dW (x - typed) in `full`. */
static void add_spans(Answer* answer) {
  ZwSim* sim = answer->sim;
  ZwSensitivity* sensitivity = sim->sensitivity;
  const ZwAssembly* a = answer->a;
  ZwSizeRates rates = {sensitivity->dtyped + (ptrdiff_t)answer->column * 2 * sim->n,
                       sensitivity->dvalues + (ptrdiff_t)answer->column * sensitivity->values};
  bool has_any = false;
  for (int32_t i = 0; i < a->n; i++) has_any = has_any || is_weighed_by_span(answer, i);
  if (!has_any) return;
  bool is_found = zw_start_sizes_change(sim, answer->t, sensitivity->is_beginning, &rates, answer->spread);
  if (!is_found) sensitivity->status = ZW_ERR_MEMORY;
  for (int32_t i = 0; i < a->n; i++) {
    if (!is_weighed_by_span(answer, i)) continue;
    double W = answer->W[(ptrdiff_t)i * a->n + i];
    answer->full[i] -= 2 * W * answer->spread[a->coords[i]] * way_of(answer, i);
  }
}

/* c -= dW (x - typed): the metric was that of the state before. */
static void add_metric(Answer* answer) {
  ZwSim* sim = answer->sim;
  ZwSensitivity* sensitivity = sim->sensitivity;
  const ZwAssembly* a = answer->a;
  const ZwPattern* M = &sim->equations->M;
  const double* typed = sensitivity->y;
  ZwStateAt place = {answer->t, answer->level == ZW_LEVEL_POSITION ? typed : sim->y, typed + sim->n};
  ZwDirection direction = zw_sensitivity_direction(sensitivity, answer->column, sensitivity->now);
  zw_variation_masses(sim, &sensitivity->variation, place, &direction);
  zw_fill(a->n, 0, answer->full);
  for (int32_t i = 0; i < a->n; i++) {
    int32_t row = a->coords[i];
    for (int32_t k = M->begin[row]; k < M->begin[row + 1]; k++) {
      int32_t j = answer->place[M->column[k]];
      bool counts = turn_of(answer, i) == answer->turn && turn_of(answer, j) == answer->turn;
      if (!counts || a->M[(ptrdiff_t)i * a->n + i] <= 0 || (i != j && a->metric == ZW_METRIC_DIAGONAL)) continue;
      bool is_helped = i == j && a->metric == ZW_METRIC_HELPED;
      double dW = sensitivity->variation.dM[k] * (is_helped ? 1 + ZW_ASSEMBLY_MASSLESS : 1);
      answer->full[i] += dW * way_of(answer, j);
      if (i != j) answer->full[j] += dW * way_of(answer, i);
    }
  }
  add_spans(answer);
  for (int32_t j = 0; j < answer->p; j++)
    answer->c[j] -= answer->full[answer->moving[j]] / answer->unit[answer->moving[j]];
}

/* ---- the rows on what moves ---- */

static void gather(Answer* answer) {
  const ZwAssembly* a = answer->a;
  answer->p = 0;
  for (int32_t i = 0; i < a->n; i++) {
    if (turn_of(answer, i) <= answer->turn) answer->moving[answer->p++] = i;
  }
  for (int32_t i = 0; i < a->m; i++) {
    const double* row = answer->J + (ptrdiff_t)i * a->n;
    double *to = answer->T + (ptrdiff_t)i * answer->p, square = 0;
    for (int32_t j = 0; j < a->n; j++) square += row[j] / answer->unit[j] * row[j] / answer->unit[j];
    answer->size[i] = square > 0 ? sqrt(square) : 1;
    for (int32_t j = 0; j < answer->p; j++) {
      to[j] = row[answer->moving[j]] / answer->unit[answer->moving[j]] / answer->size[i];
    }
  }
  answer->qr = (ZwQr){.rows = answer->p, .cols = a->m, .T = answer->T, .tau = answer->tau};
  answer->rank = 0;
  if (answer->p == 0) return;
  zw_qr_factor_pivoted(&answer->qr, answer->order, answer->norms);
  answer->rank = zw_qr_rank(&answer->qr, INDEPENDENT);
}

/* The shortest step of what moves that satisfies the independent rows, which ask for -(dr + J dx) beside what is settled. */
static void step_onto_rows(Answer* answer, const double* dr) {
  const ZwAssembly* a = answer->a;
  double* y = answer->step;
  for (int32_t j = 0; j < answer->p; j++) answer->dx[answer->moving[j]] = 0;
  for (int32_t i = 0; i < a->m; i++) {
    double sum = dr[i];
    for (int32_t j = 0; j < a->n; j++) sum += answer->J[(ptrdiff_t)i * a->n + j] / answer->unit[j] * answer->dx[j];
    answer->right[i] = -sum / answer->size[i];
  }
  zw_fill(a->n, 0, y);
  for (int32_t k = 0; k < answer->rank; k++) y[k] = answer->right[answer->order[k]];
  if (answer->rank > 0) {
    zw_qr_solve_rt(&answer->qr, answer->rank, y);
    zw_qr_apply_q(&answer->qr, y);
  }
  for (int32_t j = 0; j < answer->p; j++) answer->dx[answer->moving[j]] = y[j];
}

/* ---- what the rows leave open ---- */

/* W (x - typed) = J^T lambda */
static void find_multipliers(Answer* answer) {
  const ZwAssembly* a = answer->a;
  double* u = answer->image;
  zw_fill(a->m, 0, answer->lambda);
  for (int32_t i = 0; i < a->n; i++) {
    answer->step[i] = turn_of(answer, i) == answer->turn ? answer->unit[i] * way_of(answer, i) : 0;
  }
  if (answer->rank == 0 || !(zw_max_abs(a->n, answer->step) > 0)) return;
  weigh(answer, answer->step, u);
  zw_qr_apply_qt(&answer->qr, u);
  zw_qr_solve_r(&answer->qr, answer->rank, u);
  for (int32_t k = 0; k < answer->rank; k++) answer->lambda[answer->order[k]] = u[k] / answer->size[answer->order[k]];
}

/* x, which is in units of the values' lengths, as a change of the coordinates. */
static const double* plain(const Answer* answer, const double* x) {
  for (int32_t i = 0; i < answer->a->n; i++) answer->shadow[i] = x[i] / answer->unit[i];
  return answer->shadow;
}

/* c, with what is held and the step onto the rows taken off: what is left for the open directions. */
static void find_pull(Answer* answer, bool has_moved, bool is_curved) {
  weigh(answer, answer->typed, answer->c);
  if (has_moved) add_metric(answer);
  if (is_curved) {
    vary_rows(answer, plain(answer, answer->dx), true);
    bend(answer, answer->lambda, answer->image);
    for (int32_t j = 0; j < answer->p; j++) answer->c[j] += answer->image[j];
  }
  weigh(answer, answer->dx, answer->image);
  for (int32_t j = 0; j < answer->p; j++) answer->c[j] -= answer->image[j];
}

/* A direction that the rows leave open, as a row of Z. */
static void open_direction(Answer* answer, int32_t k) {
  double* z = answer->Z + (ptrdiff_t)k * answer->p;
  zw_fill(answer->p, 0, z);
  z[answer->rank + k] = 1;
  if (answer->rank > 0) zw_qr_apply_q(&answer->qr, z);
}

static const double* direction_of(const Answer* answer, int32_t k) {
  zw_fill(answer->a->n, 0, answer->step);
  for (int32_t j = 0; j < answer->p; j++) {
    answer->step[answer->moving[j]] = answer->Z[(ptrdiff_t)k * answer->p + j];
  }
  return answer->step;
}

/* Turns the open directions so that those from the number given on leave the values of this turn where they are. */
static int32_t part_directions(Answer* answer) {
  int32_t f = answer->p - answer->rank, of_turn = 0;
  ptrdiff_t p = answer->p;
  double *B = answer->B, *y = answer->full;
  for (int32_t j = 0; j < answer->p; j++) {
    if (turn_of(answer, answer->moving[j]) != answer->turn) continue;
    for (int32_t k = 0; k < f; k++) B[(ptrdiff_t)of_turn * f + k] = answer->Z[k * p + j];
    of_turn++;
  }
  ZwQr qr = {.rows = f, .cols = of_turn, .T = B, .tau = answer->shadow};
  zw_qr_factor_pivoted(&qr, answer->swap, answer->turned);
  int32_t bound = zw_qr_rank(&qr, INDEPENDENT);
  for (int32_t k = 0; k < f; k++) {
    zw_fill(f, 0, y);
    y[k] = 1;
    zw_qr_apply_q(&qr, y);
    zw_fill(answer->p, 0, answer->H + k * p);
    zw_add_transposed(f, answer->p, 1, answer->Z, y, answer->H + k * p);
  }
  zw_copy((ptrdiff_t)f * p, answer->H, answer->Z);
  return bound;
}

/* image = (W - K) z for the open direction k */
static void apply(Answer* answer, int32_t k, bool is_curved, double* image) {
  weigh(answer, direction_of(answer, k), image);
  if (!is_curved) return;
  vary_rows(answer, plain(answer, answer->step), false);
  bend(answer, answer->lambda, answer->turned);
  for (int32_t j = 0; j < answer->p; j++) image[j] -= answer->turned[j];
}

/* Whether the rows bend, under the load of this turn, along directions that leave its values where they are: then these are stretched to
 * their end, and the curvature determines what holds less, too. */
static bool is_at_fold(Answer* answer, int32_t bound, bool is_curved) {
  for (int32_t k = bound; is_curved && k < answer->p - answer->rank; k++) {
    vary_rows(answer, plain(answer, direction_of(answer, k)), false);
    bend(answer, answer->lambda, answer->image);
    if (zw_max_abs(answer->p, answer->image) > FOLD) return true;
  }
  return false;
}

/* Settles the values of this turn; `is_end`: and all others. */
static ZwStatus settle_open(Answer* answer, bool* is_end) {
  int32_t f = answer->p - answer->rank;
  find_multipliers(answer);
  if (f == 0) return ZW_OK;
  bool has_moved = zw_max_abs(answer->a->n, answer->step) > 0, is_curved = zw_max_abs(answer->a->m, answer->lambda) > 0;
  for (int32_t k = 0; k < f; k++) open_direction(answer, k);
  int32_t bound = part_directions(answer);
  *is_end = is_at_fold(answer, bound, is_curved);
  if (*is_end) {
    bound = f;
    answer->softer = SOFTER;
  }
  find_pull(answer, has_moved, is_curved);
  for (int32_t k = 0; k < bound; k++) { /* column k of Z^T (W - K) Z */
    apply(answer, k, is_curved, answer->image);
    for (int32_t i = 0; i < bound; i++) {
      answer->H[(ptrdiff_t)i * bound + k] = zw_dot(answer->p, answer->Z + (ptrdiff_t)i * answer->p, answer->image);
    }
  }
  if (bound == 0) return ZW_OK;
  double* y = answer->full;
  zw_multiply(bound, answer->p, answer->Z, answer->c, y);
  if (!(zw_lu_factor(bound, answer->H, answer->swap) > 0)) return ZW_ERR_INCONSISTENT;
  zw_lu_solve(bound, answer->H, answer->swap, y);
  zw_fill(answer->p, 0, answer->c);
  zw_add_transposed(bound, answer->p, 1, answer->Z, y, answer->c);
  for (int32_t j = 0; j < answer->p; j++) answer->dx[answer->moving[j]] += answer->c[j];
  return ZW_OK;
}

/* ---- turn by turn ---- */

static bool has_turn(const Answer* answer) {
  for (int32_t i = 0; i < answer->a->n; i++) {
    if (turn_of(answer, i) == answer->turn) return true;
  }
  return false;
}

static ZwStatus move_column(Answer* answer, double* dr) {
  ZwSensitivity* sensitivity = answer->sim->sensitivity;
  const ZwAssembly* a = answer->a;
  const ZwVariation* variation = &sensitivity->variation;
  bool is_position = answer->level == ZW_LEVEL_POSITION;
  const double* residuals = is_position ? variation->dphi : variation->dpsi;
  ptrdiff_t first = ((ptrdiff_t)answer->column * 2 + !is_position) * answer->sim->n;
  vary_rows(answer, NULL, true);
  for (int32_t i = 0; i < a->m; i++) dr[i] = residuals[answer->rows[i]];
  for (int32_t i = 0; i < a->n; i++) answer->typed[i] = answer->unit[i] * sensitivity->now[first + a->coords[i]];
  bool is_end = false;
  answer->softer = 0;
  for (answer->turn = ZW_TURNS - 1; answer->turn >= 0 && !is_end; answer->turn--) {
    if (!has_turn(answer)) continue;
    gather(answer);
    step_onto_rows(answer, dr);
    ZW_TRY(settle_open(answer, &is_end));
  }
  const double* dx = plain(answer, answer->dx);
  double* to = sensitivity->settled + (ptrdiff_t)answer->column * answer->sim->n;
  for (int32_t i = 0; i < a->n; i++) to[a->coords[i]] = dx[i];
  return ZW_OK;
}

void zw_sensitivity_typed(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return;
  zw_copy((ptrdiff_t)sensitivity->count * 2 * sim->n, sensitivity->dtyped, sensitivity->now);
  sensitivity->is_beginning = true;
}

/* Columns of a level as the other half of the columns does not know them yet. */
static void copy_level(ZwSim* sim, ZwLevel level, bool is_end) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ptrdiff_t n = sim->n;
  for (int32_t c = 0; c < sensitivity->count; c++) {
    double *now = sensitivity->now + ((ptrdiff_t)c * 2 + (level == ZW_LEVEL_VELOCITY)) * n,
           *settled = sensitivity->settled + c * n;
    zw_copy(n, is_end ? settled : now, is_end ? now : settled);
  }
}

void zw_sensitivity_open_level(ZwSim* sim, ZwLevel level, bool is_start) {
  if (!sim->sensitivity) return;
  sim->sensitivity->is_from_typed = is_start;
  zw_copy(2 * (ptrdiff_t)sim->n, sim->y, sim->sensitivity->y);
  copy_level(sim, level, false);
}

void zw_sensitivity_assembled(ZwSim* sim, const ZwAssembly* assembly, ZwLevel level, double t, const int32_t* rows) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity || assembly->m == 0 || sensitivity->status) return;
  Answer answer = open_answer(sim, assembly, level, t, rows);
  for (int32_t i = 0; i < assembly->n; i++) answer.place[assembly->coords[i]] = i;
  find_metric(&answer);
  evaluate_rows(&answer);
  for (int32_t c = 0; c < sensitivity->count; c++) {
    answer.column = c;
    ZwStatus status = move_column(&answer, sensitivity->rights);
    if (status) sensitivity->status = status;
  }
}

void zw_sensitivity_close_level(ZwSim* sim, ZwLevel level) {
  if (sim->sensitivity) copy_level(sim, level, true);
}
