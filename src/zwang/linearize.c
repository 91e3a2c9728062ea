/* Small motions around a steady one, by the user's names. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "least/dense.h"
#include "least/spectrum.h"
#include "motion/linear.h"
#include "zwang/handles.h"
#include "zwang/state_space.h"

/* A real part below this part of the eigenvalue is zero: rounding of a pair. */
#define TOL_UNDAMPED_REL 1e-9
/* ... or below this part of the largest one. */
#define TOL_UNDAMPED_ABS 1e-13
/* Velocities at the start below this are none. */
#define TOL_AT_REST 1e-12
/* A direction of a symmetry that moves the state by less than this part of the largest does not move it. */
#define TOL_MOVES 1e-9

/* The slowest unit of time, as part of the fastest that forces could ask for. */
#define PACE_LEAST 1e-2

typedef struct Task {
  ZwRun* run;
  ZwSim* sim;
  ZwArena* arena; /* of the answer */
  ZwArena scratch;
  ZwNear near;
  ZwSymmetries symmetries;
  ZwSteady steady;
  ZwTangent tangent;
  ZwLinearization* out;
} Task;

/* ---- where ---- */

static bool is_at_rest(const ZwSim* sim) {
  return zw_max_abs(sim->n, sim->y + sim->n) <= TOL_AT_REST * (1 + zw_max_abs(sim->n, sim->y));
}

static ZwStatus refuse(Task* task, ZwStatus status) {
  if (status != ZW_ERR_STEP) return status;
  ZwDiagList* diags = &task->run->diags;
  bool is_steady = task->out->at == ZW_LINEARIZE_STEADY;
  zw_diag_error(diags, ZW_ERR_STEP, (ZwSpan){0},
                "no %s was found from the start values: where the search ended, %.*s'' is still off by %.3g",
                is_steady ? "steady motion" : "equilibrium",
                ZW_STR_ARGS(task->sim->system->coords.items[task->steady.worst].name), task->steady.left);
  zw_diag_remedy(diags, is_steady
                            ? "start nearer to one; in a steady motion, what changes does so along a symmetry, at a "
                              "constant rate; --at T looks at any state"
                            : "start nearer to one, or ask for a steady motion (--steady) or a state (--at T)");
  return ZW_ERR_STEP;
}

static ZwStatus refuse_time(Task* task) {
  zw_diag_error(&task->run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                "the equations depend on the time: a state at rest does not stay what it is");
  zw_diag_remedy(&task->run->diags, "ask for a steady motion (--steady), or for the state at a time (--at T)");
  return ZW_ERR_ARGUMENT;
}

/* The rows that are independent at sim->y. */
static ZwStatus freeze(Task* task) {
  return zw_start_freeze(task->sim, task->sim->t);
}

/* What the search moved most, in units of 1 + its size. */
static void note_way(Task* task, const double* typed) {
  for (int32_t i = 0; i < 2 * task->sim->n; i++) {
    double way = fabs(task->near.q[i] - typed[i]) / (1 + fabs(typed[i]));
    if (!(way > task->out->way)) continue;
    task->out->way = way;
    task->out->way_index = i;
    task->out->way_from = typed[i];
  }
}

static ZwStatus find_state(Task* task) {
  ZwSim* sim = task->sim;
  ZwNear* near = &task->near;
  size_t bytes = 2 * (size_t)sim->n * sizeof(double);
  memcpy(near->q, sim->y, bytes);
  ZwStatus status = zw_symmetries_find(sim, &task->scratch, sim->t, near->q, near->v, &task->symmetries);
  memcpy(sim->y, near->q, bytes);
  ZW_TRY(status);
  if (task->out->at == ZW_LINEARIZE_EQUILIBRIUM && !task->symmetries.is_autonomous) return refuse_time(task);
  double* typed = ZW_NEW(&task->scratch, 2 * sim->n, double);
  if (!typed) return ZW_ERR_MEMORY;
  memcpy(typed, sim->y, bytes);
  if (task->out->at != ZW_LINEARIZE_PRESENT) {
    const ZwSymmetries* along = task->out->at == ZW_LINEARIZE_STEADY ? &task->symmetries : NULL;
    ZW_TRY(refuse(task, zw_steady_find(sim, &task->scratch, sim->t, along, near, &task->steady)));
    memcpy(sim->y, near->q, bytes);
    note_way(task, typed);
    ZW_TRY(freeze(task)); /* other rows may be the independent ones here */
  }
  return zw_near_evaluate(sim, sim->t, near);
}

/* ---- eigenvalues ---- */

/* The directions of all symmetries in the tangent space, those that fix the state left out; how many there are. */
static int32_t find_directions(Task* task, double* directions, double* x) {
  const ZwNear* near = &task->near;
  int32_t n = near->n, size = task->tangent.fq + task->tangent.fv, count = 0;
  double most = 0;
  for (int32_t k = 0; k < task->symmetries.count; k++) {
    double* to = directions + (ptrdiff_t)k * size;
    zw_symmetry_apply(n, zw_symmetry(&task->symmetries, k), near->q, near->v, x, x + n);
    /* time does not move a state: what goes with it is the motion itself */
    double tau = zw_symmetry(&task->symmetries, k)[(ptrdiff_t)n * n + n];
    zw_axpy(n, -tau, near->v, x);
    zw_axpy(n, -tau, near->a, x + n);
    zw_tangent_enter(&task->tangent, x, x + n, to);
    most = zw_larger(most, zw_norm(size, to));
  }
  for (int32_t k = 0; k < task->symmetries.count; k++) {
    double *from = directions + (ptrdiff_t)k * size, *to = directions + (ptrdiff_t)count * size;
    if (!(zw_norm(size, from) > TOL_MOVES * zw_larger(most, 1))) continue;
    zw_copy(size, from, to);
    count++;
  }
  return count;
}

static ZwEigenmodeKind kind_of(const ZwSpectrum* spectrum, int32_t i, double largest) {
  if (spectrum->is_known[i]) return ZW_MODE_SYMMETRY;
  if (i < spectrum->zeros) return ZW_MODE_NEUTRAL;
  double re = spectrum->re[i], size = hypot(re, spectrum->im[i]);
  bool is_zero = fabs(re) <= TOL_UNDAMPED_REL * size + TOL_UNDAMPED_ABS * largest;
  if (is_zero) return spectrum->im[i] != 0 ? ZW_MODE_UNDAMPED : ZW_MODE_NEUTRAL;
  return re > 0 ? ZW_MODE_UNSTABLE : ZW_MODE_STABLE;
}

/* The largest coordinate becomes 1. */
static void normalise(int32_t n, double* re, double* im) {
  int32_t largest = 0;
  for (int32_t i = 1; i < n; i++) {
    /* of two that are equal to rounding the first one */
    if (hypot(re[i], im[i]) > (1 + 1e-9) * hypot(re[largest], im[largest])) largest = i;
  }
  double a = re[largest], b = im[largest], square = a * a + b * b;
  if (!(square > 0)) return;
  for (int32_t i = 0; i < n; i++) {
    double x = re[i], y = im[i];
    re[i] = (x * a + y * b) / square;
    im[i] = (y * a - x * b) / square;
  }
}

static ZwStatus read_mode(Task* task, const ZwSpectrum* spectrum, int32_t i, double largest, ZwEigenmode* mode) {
  int32_t n = task->near.n, size = spectrum->n;
  double *re = ZW_NEW(task->arena, 2 * n, double), *im = ZW_NEW(task->arena, 2 * n, double);
  if (!re || !im) return ZW_ERR_MEMORY;
  bool is_second = spectrum->im[i] < 0;
  const double* vector = spectrum->vectors + (ptrdiff_t)(is_second ? i - 1 : i) * size;
  zw_tangent_leave(&task->tangent, vector, re, re + n);
  if (spectrum->im[i] != 0) zw_tangent_leave(&task->tangent, vector + size, im, im + n);
  if (is_second) zw_scale(2 * n, -1, im);
  double velocities = zw_norm(n, re + n), positions = zw_norm(n, re);
  bool is_of_velocities =
      i < spectrum->zeros && positions < 1e-6 * velocities; /* a partner of a zero may move no coordinate */
  if (is_of_velocities) zw_copy(n, re + n, re);
  normalise(n, re, im);
  *mode = (ZwEigenmode){spectrum->re[i], spectrum->im[i], kind_of(spectrum, i, largest), re, im};
  if (mode->kind != ZW_MODE_STABLE && mode->kind != ZW_MODE_UNSTABLE) mode->re = 0; /* rounding */
  return ZW_OK;
}

/* By kind; within one the fastest growth first, then the slowest oscillation; of a pair the positive one. */
static bool comes_before(const ZwEigenmode* a, const ZwEigenmode* b) {
  if (a->kind != b->kind) return a->kind < b->kind;
  double near = 1e-9 * (1 + fabs(a->re) + fabs(a->im));
  if (fabs(a->re - b->re) > near) return a->re > b->re;
  if (fabs(fabs(a->im) - fabs(b->im)) > near) return fabs(a->im) < fabs(b->im);
  return a->im > b->im;
}

static void sort_modes(int32_t count, ZwEigenmode* modes) {
  for (int32_t i = 1; i < count; i++) {
    ZwEigenmode mode = modes[i];
    int32_t j = i;
    for (; j > 0 && comes_before(&mode, &modes[j - 1]); j--) modes[j] = modes[j - 1];
    modes[j] = mode;
  }
}

/* The largest entry of a block of R. */
static double largest_of(const double* R, int32_t size, int32_t row, int32_t rows, int32_t column, int32_t columns) {
  double most = 0;
  for (int32_t i = row; i < row + rows; i++) {
    most = zw_larger(most, zw_max_abs(columns, R + (ptrdiff_t)i * size + column));
  }
  return most;
}

/* A unit of time in which positions and velocities are of one size, whatever the user's is; a power of two. Where no forces act it
 * must not become so long that their rounding, 1e-15 of what they are made of, is taken for them. */
static double find_pace(const Task* task, const double* R) {
  const ZwNear* near = &task->near;
  int32_t fq = task->tangent.fq, fv = task->tangent.fv, size = fq + fv;
  ptrdiff_t square = (ptrdiff_t)near->n * near->n;
  double forces = largest_of(R, size, fq, fv, 0, fq), rates = largest_of(R, size, 0, fq, fq, fv);
  double pace = forces > 0 && rates > 0 ? sqrt(forces / rates) : largest_of(R, size, fq, fv, fq, fv);
  double parts = zw_larger(zw_larger(zw_max_abs(square, near->a_q), zw_max_abs(square, near->a_v)), 1);
  pace = zw_larger(pace, PACE_LEAST * sqrt(parts));
  return isfinite(pace) ? ldexp(1, ilogb(pace)) : 1;
}

/* R in units of velocities that are `pace` times those of the user. */
static void scale_matrix(const Task* task, double pace, double* R) {
  int32_t fq = task->tangent.fq, size = fq + task->tangent.fv;
  for (int32_t i = 0; i < size; i++) {
    for (int32_t j = 0; j < size; j++) {
      if (i >= fq) R[(ptrdiff_t)i * size + j] /= pace;
      if (j >= fq) R[(ptrdiff_t)i * size + j] *= pace;
    }
  }
}

static void scale_velocities(const Task* task, double factor, int32_t count, double* vectors) {
  int32_t fq = task->tangent.fq, fv = task->tangent.fv;
  for (int32_t k = 0; k < count; k++) zw_scale(fv, factor, vectors + (ptrdiff_t)k * (fq + fv) + fq);
}

static ZwStatus find_modes(Task* task) {
  ZwLinearization* out = task->out;
  ptrdiff_t n = task->near.n, size = out->count;
  double* R = ZW_NEW(task->arena, size * size, double);
  double* used = ZW_NEW(&task->scratch, size * size, double);
  double* x = ZW_NEW(&task->scratch, 4 * n, double);
  double* directions = ZW_NEW(&task->scratch, task->symmetries.count * size, double);
  double* work = ZW_NEW(&task->scratch, zw_spectrum_work(out->count), double);
  ZwSpectrum spectrum = {.n = out->count};
  spectrum.re = ZW_NEW(&task->scratch, size, double);
  spectrum.im = ZW_NEW(&task->scratch, size, double);
  spectrum.vectors = ZW_NEW(&task->scratch, size * size, double);
  spectrum.is_known = ZW_NEW(&task->scratch, size, bool);
  ZwEigenmode* modes = ZW_NEW(task->arena, size, ZwEigenmode);
  if (task->scratch.failed || task->arena->failed) return ZW_ERR_MEMORY;
  out->matrix = R;
  out->modes = modes;
  zw_linear_matrix(&task->near, &task->tangent, task->steady.is_moving ? task->steady.field : NULL, R, x);
  zw_copy(size * size, R, used);
  int32_t count = find_directions(task, directions, x);
  double pace = find_pace(task, R);
  scale_matrix(task, pace, used);
  scale_velocities(task, 1 / pace, count, directions);
  ZW_TRY(zw_spectrum(&spectrum, used, count, directions, work));
  scale_velocities(task, pace, out->count, spectrum.vectors);
  double largest = 0;
  for (int32_t i = 0; i < out->count; i++) largest = zw_larger(largest, hypot(spectrum.re[i], spectrum.im[i]));
  for (int32_t i = 0; i < out->count; i++) ZW_TRY(read_mode(task, &spectrum, i, largest, &modes[i]));
  sort_modes(out->count, modes);
  for (int32_t i = 0; i < out->count; i++) out->symmetries += spectrum.is_known[i];
  return ZW_OK;
}

/* ---- the answer ---- */

static double* give(Task* task, const double* from, int32_t count) {
  double* to = ZW_NEW(task->arena, count + 1, double);
  if (to) zw_copy(count, from, to);
  return to;
}

static ZwStatus fill_state(Task* task) {
  ZwLinearization* out = task->out;
  ZwSim* sim = task->sim;
  ZW_TRY(zw_eval_rate(sim, sim->t, sim->y, sim->k[ZW_DOP853_STAGES + 1]));
  ZW_TRY(zw_reactions(sim));
  out->t = sim->t;
  out->n = sim->n;
  out->m = sim->m;
  out->q = give(task, task->near.q, sim->n);
  out->v = give(task, task->near.v, sim->n);
  out->a = give(task, task->near.a, sim->n);
  out->reactions = give(task, sim->reactions, sim->m);
  const char** names = ZW_NEW(task->arena, sim->m + 1, const char*);
  for (int32_t i = 0; names && i < sim->m; i++) names[i] = zw_str_copy(task->arena, zw_row_name(sim, i));
  out->row_names = names;
  out->residual = task->steady.residual;
  out->iterations = task->steady.iterations;
  out->freedom = out->at == ZW_LINEARIZE_EQUILIBRIUM ? task->steady.freedom : -1;
  out->position_rows = task->near.rp;
  out->velocity_rows = task->near.rv - task->near.rp;
  out->count = task->tangent.fq + task->tangent.fv;
  return task->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus work(Task* task, const ZwLinearizeDef* def) {
  ZwSim* sim = task->sim;
  if (def->near_q) {
    memcpy(sim->y, def->near_q, (size_t)sim->n * sizeof(double));
    if (!zw_start_settle(sim, sim->t, false)) {
      task->steady.residual = NAN;
      zw_diag_error(&task->run->diags, ZW_ERR_START, (ZwSpan){0},
                    "the constraints cannot be met near the positions that the search begins at");
      return ZW_ERR_START;
    }
  }
  ZW_TRY(freeze(task));
  ZW_TRY(zw_near_create(sim, &task->scratch, &task->near));
  ZW_TRY(find_state(task));
  ZW_TRY(zw_tangent_create(&task->scratch, &task->near, &task->tangent));
  ZW_TRY(fill_state(task));
  ZW_TRY(find_modes(task));
  ZwStateSpace space = {task->run, task->arena, &task->scratch, &task->near, &task->tangent};
  return zw_state_space_fill(&space, def, task->out);
}

static ZwStatus refuse_large(ZwRun* run) {
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "a linearization needs the dense solve");
  zw_diag_remedy(&run->diags, "set `integrator` of ZwRunDef to \"radau\"");
  return ZW_ERR_ARGUMENT;
}

/* What the host does not tell cannot be left out: a rod that is taken for straight holds no pendulum back. */
static ZwStatus refuse_host_rows(ZwRun* run) {
  zw_diag_error(&run->diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0},
                "a linearization needs to know how constraints bend, and those that the host computes do not tell");
  zw_diag_remedy(&run->diags, "state them in the text of the model");
  return ZW_ERR_UNSUPPORTED;
}

static ZwStatus linearize(ZwRun* run, const ZwLinearizeDef* def, const ZwLinearization** linearization) {
  ZwSim* sim = run->sim;
  if (run->status) return run->status;
  ZW_CHECK(!def->near_q || zw_all_finite(sim->n, def->near_q));
  if (sim->large) return zw_run_end(run, refuse_large(run));
  if (run->model->system.host_rows.count > 0) return zw_run_end(run, refuse_host_rows(run));
  Task task = {.run = run, .sim = sim, .arena = &run->arena};
  zw_arena_init(&task.scratch, &run->arena.allocator);
  ZwLinearization* out = task.out = ZW_NEW(&run->arena, 1, ZwLinearization);
  ZwFormulation formulation = sim->formulation;
  bool is_quasi = formulation == ZW_FORMULATION_QUASI && run->is_under_way; /* y holds quasi-velocities */
  if (is_quasi) memmove(sim->y + sim->n, zw_velocity(sim, sim->t, sim->y), (size_t)sim->n * sizeof(double));
  if (formulation == ZW_FORMULATION_QUASI) sim->formulation = ZW_FORMULATION_AUTO;
  ZwStatus status = out ? ZW_OK : ZW_ERR_MEMORY;
  if (out) {
    out->at = def->at != ZW_LINEARIZE_AUTO ? def->at : is_at_rest(sim) ? ZW_LINEARIZE_EQUILIBRIUM : ZW_LINEARIZE_STEADY;
    status = work(&task, def);
  }
  zw_arena_destroy(&task.scratch);
  sim->formulation = formulation;
  if (is_quasi && !status) status = zw_quasi_enter(sim, sim->t, sim->y);
  if (!status) *linearization = out;
  return zw_run_end(run, status);
}

ZwStatus zw_run_linearize(ZwRun* run, const ZwLinearizeDef* def, const ZwLinearization** linearization) {
  ZW_CHECK(linearization);
  *linearization = NULL;
  ZW_CHECK(zw_linearize_def_is_whole(def) && zw_run_enter(run));
  return zw_run_leave(run, linearize(run, def, linearization));
}
