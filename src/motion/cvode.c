/* bdf and adams: the multistep methods of SUNDIALS CVODE on our right side, as a second opinion that shares none of our
 * methods' code. CVODE chooses order and step; rows, events and evidence are as for all others.
 *
 *   bdf     Newton iterations with our derivatives of the accelerations; every step is projected, by CVODE's own call
 *   adams   functional iterations; CVODE does not project this family, so its states drift off the constraints. What is
 *           handed out is a projected copy; the motion itself is put back at events only. How far it was off is recorded.
 *
 * The state is y = (q, v, W); W has a tolerance so large that it is no part of the error control. CVODE takes memory by
 * itself, when it is opened and now and then in a step. */
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "least/dense.h"
#include "motion/sim.h"

/* The work done is counted to so many tolerances of the energy: where nothing moves, nothing else would hold steps back. */
#define WORK 100.0
/* A step that CVODE gave up is tried anew, with nothing remembered, from this part of it on. */
#define ANEW 0.01

typedef struct Cvode {
  SUNContext context;
  void* solver;
  N_Vector y;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
  bool is_begun;     /* CVODE stands at sim->t and remembers the way there */
  bool is_straight;  /* the pending step is too short for CVODE, and a straight line */
  ZwRefusal refusal; /* why a call of ours failed last */
  double* failed;    /* dim: the state where it did */
  double *by_q, *by_v, *work;
  double W, W_more;  /* the work where CVODE stands, and how much more it is in our state: work.c may have mended it */
  long int rejected; /* steps that CVODE counts as repeated */
} Cvode;

const char* zw_cvode_version(void) {
  return SUNDIALS_VERSION;
}

/* ---- what CVODE calls; more than 0: try a shorter step ---- */

static int give_rate(realtype t, N_Vector y, N_Vector rate, void* context) {
  ZwSim* sim = context;
  Cvode* cvode = sim->integrator_memory;
  ZwStatus status = zw_eval_rate(sim, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
  if (!status) return 0;
  cvode->refusal = zw_step_refusal(sim, status);
  zw_copy(sim->dim, N_VGetArrayPointer(y), cvode->failed);
  return 1;
}

/* d(q', v', W')/d(q, v, W). W' is left out: nothing depends on W, and one iteration more brings it. */
static int give_jacobian(realtype t, N_Vector y, N_Vector rate, SUNMatrix J, void* context, N_Vector a, N_Vector b,
                         N_Vector c) {
  ZwSim* sim = context;
  Cvode* cvode = sim->integrator_memory;
  (void)rate, (void)a, (void)b, (void)c;
  ZwStatus status = zw_jacobian_of_steps(sim, t, N_VGetArrayPointer(y), cvode->work, cvode->by_q, cvode->by_v);
  if (status) {
    cvode->refusal = zw_step_refusal(sim, status);
    zw_copy(sim->dim, N_VGetArrayPointer(y), cvode->failed);
    return 1;
  }
  ptrdiff_t n = sim->n;
  SUNMatZero(J);
  for (ptrdiff_t i = 0; i < n; i++) {
    SM_ELEMENT_D(J, i, n + i) = 1;
    for (ptrdiff_t j = 0; j < n; j++) {
      SM_ELEMENT_D(J, n + i, j) = cvode->by_q[i * n + j];
      SM_ELEMENT_D(J, n + i, n + j) = cvode->by_v[i * n + j];
    }
  }
  return 0;
}

static bool project(ZwSim* sim, double t, double* y) {
  Cvode* cvode = sim->integrator_memory;
  int32_t row = -1;
  ZwProjection projection = zw_project(sim, t, y, &row);
  if (projection == ZW_PROJECTED) return true;
  cvode->refusal = (ZwRefusal){.status = row < 0 ? ZW_ERR_DOMAIN : ZW_ERR_STEP,
                               .row = row,
                               .is_outside = projection == ZW_PROJECTION_DROPPED_ROW};
  zw_copy(sim->dim, y, cvode->failed);
  return false;
}

/* The way from y back onto the constraints; the error estimate is left as it is, which errs on the safe side. A long way
 * counts as an error, as in our own methods: the constraints may lead to another branch of the motion there. */
static int give_projection(realtype t, N_Vector y, N_Vector correction, realtype small, N_Vector error, void* context) {
  ZwSim* sim = context;
  double *to = N_VGetArrayPointer(correction), *from = N_VGetArrayPointer(y);
  (void)small, (void)error;
  zw_copy(sim->dim, from, to);
  sim->displacement = sim->moved_most = 0;
  if (!project(sim, t, to)) return 1;
  if (ZW_ERROR_OF_DISPLACEMENT * sim->displacement > 1) {
    Cvode* cvode = sim->integrator_memory;
    cvode->refusal = (ZwRefusal){.status = ZW_ERR_STEP, .row = sim->moved_row};
    return 1;
  }
  for (int32_t i = 0; i < sim->dim; i++) to[i] -= from[i];
  return 0;
}

/* What the work done is measured by: what it has been, and the energies seen where it is done; of what starts at rest and without energy, that of
 * velocities as large as they may become in the step. */
static double size_of_work(const ZwSim* sim, double work) {
  const ZwEnergy* energy = &sim->energy;
  const double *mass = sim->sizes.mass, *v = sim->sizes.unit + sim->n;
  double sum = 0, seen = sim->stats.energy_scale;
  if (energy->group_count > 1 && energy->works >= 0) {
    const ZwEnergyGroup* group = &energy->groups[energy->works];
    seen = zw_larger(group->largest, group->kinetic);
  }
  for (int32_t i = 0; i < sim->n; i++) {
    bool works = energy->works < 0 || zw_energy_group_of(sim, i) == energy->works;
    if (works) sum += mass[i] * v[i] * v[i];
  }
  return zw_larger(zw_larger(seen, sum), fabs(work));
}

/* CVODE takes the root mean square of all numbers; each island counts as if it were alone, and W hardly at all. */
static int give_weights(N_Vector y, N_Vector weights, void* context) {
  ZwSim* sim = context;
  const ZwSizes* sizes = &sim->sizes;
  const double* from = N_VGetArrayPointer(y);
  double* to = N_VGetArrayPointer(weights);
  int32_t n = sim->n;
  for (int32_t i = 0; i < 2 * n; i++) {
    double share = (double)sim->dim / (2.0 * sizes->island_size[sizes->island[i < n ? i : i - n]]);
    to[i] = sqrt(share) / (sim->tolerance * (sizes->unit[i] + fabs(from[i])));
  }
  double work = WORK * size_of_work(sim, from[2 * n]);
  to[2 * n] = 1 / (sim->tolerance * zw_larger(work, DBL_MIN / DBL_EPSILON));
  return 0;
}

/* CVODE's messages are for programmers; ours are made from what it returns. */
static void say_nothing(int code, const char* module, const char* function, char* message, void* context) {
  (void)code, (void)module, (void)function, (void)message, (void)context;
}

/* ---- opening and closing ---- */

static size_t work_size(const ZwProgram* program) {
  size_t n = (size_t)program->equations->n;
  return zw_rounded(sizeof(Cvode)) + (2 * n + 1 + 2 * n * n) * sizeof(double) + zw_jacobian_work_size(program);
}

static void place_memory(ZwSim* sim, void* memory) {
  Cvode* cvode = memory;
  ptrdiff_t n = sim->n;
  *cvode = (Cvode){0};
  cvode->failed = (double*)(void*)((char*)memory + zw_rounded(sizeof(Cvode)));
  cvode->by_q = cvode->failed + sim->dim;
  cvode->by_v = cvode->by_q + n * n;
  cvode->work = cvode->by_v + n * n;
}

static bool is_adams(const ZwSim* sim) {
  return sim->integrator->is_projected_late;
}

/* Iterations: Newton's with dense matrices, or plain ones. */
static bool attach_solver(ZwSim* sim, Cvode* cvode) {
  if (is_adams(sim)) {
    cvode->nonlinear = SUNNonlinSol_FixedPoint(cvode->y, 0, cvode->context);
    return cvode->nonlinear && CVodeSetNonlinearSolver(cvode->solver, cvode->nonlinear) == CV_SUCCESS;
  }
  cvode->matrix = SUNDenseMatrix(sim->dim, sim->dim, cvode->context);
  cvode->linear = cvode->matrix ? SUNLinSol_Dense(cvode->y, cvode->matrix, cvode->context) : NULL;
  if (!cvode->linear) return false;
  return CVodeSetLinearSolver(cvode->solver, cvode->linear, cvode->matrix) == CV_SUCCESS &&
         CVodeSetJacFn(cvode->solver, give_jacobian) == CV_SUCCESS &&
         (sim->m == 0 || CVodeSetProjFn(cvode->solver, give_projection) == CV_SUCCESS) &&
         (sim->m == 0 || CVodeSetProjErrEst(cvode->solver, SUNFALSE) == CV_SUCCESS);
}

static ZwStatus open_solver(ZwSim* sim) {
  Cvode* cvode = sim->integrator_memory;
  if (SUNContext_Create(NULL, &cvode->context)) return ZW_ERR_MEMORY;
  cvode->y = N_VNew_Serial(sim->dim, cvode->context);
  cvode->solver = CVodeCreate(is_adams(sim) ? CV_ADAMS : CV_BDF, cvode->context);
  if (!cvode->y || !cvode->solver) return ZW_ERR_MEMORY;
  bool is_fine = CVodeSetErrHandlerFn(cvode->solver, say_nothing, NULL) == CV_SUCCESS &&
                 CVodeInit(cvode->solver, give_rate, sim->t, cvode->y) == CV_SUCCESS &&
                 CVodeSetUserData(cvode->solver, sim) == CV_SUCCESS &&
                 CVodeWFtolerances(cvode->solver, give_weights) == CV_SUCCESS && attach_solver(sim, cvode);
  return is_fine ? ZW_OK : ZW_ERR_MEMORY;
}

static void close_solver(ZwSim* sim) {
  Cvode* cvode = sim->integrator_memory;
  if (cvode->solver) CVodeFree(&cvode->solver);
  if (cvode->nonlinear) SUNNonlinSolFree(cvode->nonlinear);
  if (cvode->linear) SUNLinSolFree(cvode->linear);
  if (cvode->matrix) SUNMatDestroy(cvode->matrix);
  if (cvode->y) N_VDestroy(cvode->y);
  if (cvode->context) SUNContext_Free(&cvode->context);
}

static void forget(ZwSim* sim) {
  Cvode* cvode = sim->integrator_memory;
  cvode->is_begun = false;
}

/* ---- steps ---- */

/* A first step of about h from sim->y, without a past. */
static ZwStatus begin(ZwSim* sim, Cvode* cvode, double h) {
  zw_copy(sim->dim, sim->y, N_VGetArrayPointer(cvode->y));
  cvode->rejected = 0;
  cvode->is_begun = true;
  cvode->W = sim->y[2 * sim->n];
  cvode->W_more = 0;
  bool is_fine =
      CVodeReInit(cvode->solver, sim->t, cvode->y) == CV_SUCCESS && CVodeSetInitStep(cvode->solver, h) == CV_SUCCESS;
  return is_fine ? ZW_OK : ZW_ERR_MEMORY;
}

static void count_rejected(ZwSim* sim, Cvode* cvode) {
  long int inaccurate = 0, divergent = 0;
  (void)CVodeGetNumErrTestFails(cvode->solver, &inaccurate);
  (void)CVodeGetNumNonlinSolvConvFails(cvode->solver, &divergent);
  long int rejected = inaccurate + divergent - cvode->rejected;
  sim->stats.rejected += rejected;
  cvode->rejected = inaccurate + divergent;
  if (rejected > 0) zw_sizes_note_refused(sim, (int32_t)rejected);
}

static double shortest_step(const ZwSim* sim, double until) {
  return fmax(16 * DBL_EPSILON * fmax(fabs(sim->t), fabs(until)), 1e-300);
}

/* Has the step to t passed over something narrow (narrow.c)? */
static bool is_too_long(ZwSim* sim, const Cvode* cvode, double t) {
  if (!sim->narrow.is_on) return false;
  zw_copy(sim->dim, N_VGetArrayPointer(cvode->y), sim->y_new);
  if (zw_eval_rate(sim, t, sim->y_new, sim->k[ZW_DOP853_STAGES])) return false; /* its end will be looked at again */
  sim->step = sim->h_dense = t - sim->t;
  bool is_passed = zw_narrow_may_be(sim, sim->step) && zw_narrow_is_passed(sim);
  zw_copy(sim->dim, sim->y_new, N_VGetArrayPointer(cvode->y)); /* where states between were written */
  return is_passed;
}

/* Not beyond `until`, and no longer than what was found lets it be. */
static int set_limits(ZwSim* sim, const Cvode* cvode, double until) {
  double longest = zw_narrow_limit(sim, INFINITY);
  int flag = CVodeSetMaxStep(cvode->solver, isfinite(longest) ? longest : 0);
  return flag == CV_SUCCESS ? CVodeSetStopTime(cvode->solver, until) : flag;
}

/* One step of CVODE, by new beginnings if need be; its end and time. */
static ZwStatus advance(ZwSim* sim, Cvode* cvode, double until, double* t) {
  double h = fmin(sim->h_next, until - sim->t);
  if (zw_events_rests(sim, h)) {
    cvode->is_begun = false;
    return zw_step_stand_still(sim);
  }
  for (;;) {
    zw_sizes_take(sim, h);
    cvode->refusal = (ZwRefusal){.status = ZW_ERR_STEP, .row = -1};
    if (!cvode->is_begun) ZW_TRY(begin(sim, cvode, h));
    int flag = set_limits(sim, cvode, until);
    if (flag == CV_SUCCESS) flag = CVode(cvode->solver, until, cvode->y, t, CV_ONE_STEP);
    count_rejected(sim, cvode);
    bool has_moved = flag >= 0 && *t > sim->t;
    if (has_moved && is_too_long(sim, cvode, *t)) {
      h = fmin(zw_narrow_limit(sim, h), ANEW * (*t - sim->t));
      cvode->is_begun = false;
      sim->stats.rejected++;
      continue;
    }
    if (has_moved) return ZW_OK;
    if (flag == CV_MEM_FAIL) return ZW_ERR_MEMORY;
    double last = 0;
    (void)CVodeGetCurrentStep(cvode->solver, &last);
    h = ANEW * fmin(h, last > 0 ? last : h);
    cvode->is_begun = false;
    zw_sizes_ease(sim);
    sim->stats.rejected++;
    bool has_crept = flag >= 0; /* so little that the time did not change */
    if (!has_crept && h >= shortest_step(sim, until)) continue;
    h = fmax(h, shortest_step(sim, until));
    if (zw_events_is_due(sim, h)) return zw_step_stand_still(sim);
    zw_copy(sim->dim, cvode->failed, sim->y_new);
    return zw_step_give_up(sim, &cvode->refusal, h);
  }
}

/* How far the state is off before it is projected. */
static void record_drift(ZwSim* sim, double t, const double* y) {
  if (!zw_eval_position(sim, t, y) || !zw_eval_velocity(sim, t, y, y + sim->n)) return;
  for (int32_t i = 0; i < sim->m; i++) {
    ZwLevel level = sim->equations->rows.items[i].level;
    if (!zw_rows_is_on(sim, i)) continue;
    if (level == ZW_LEVEL_POSITION) sim->stats.phi_drift = fmax(sim->stats.phi_drift, fabs(sim->phi[i]));
    if (level <= ZW_LEVEL_VELOCITY) sim->stats.psi_drift = fmax(sim->stats.psi_drift, fabs(sim->psi[i]));
  }
}

static ZwStatus fault_drift(ZwSim* sim, double t) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s the integrator adams has drifted so far off the constraints (|phi| <= %.2g, |phi'| <= %.2g) "
                "that it cannot be put back",
                zw_when(sim, t, 9).text, sim->stats.phi_drift, sim->stats.psi_drift);
  zw_diag_remedy(sim->diags,
                 "nothing holds it between rows: a smaller tolerance, or bdf, which is projected in every step");
  return ZW_ERR_STEP;
}

/* To an end that an event left hardly any way to. */
static void creep(ZwSim* sim, Cvode* cvode, double until) {
  double h = until - sim->t;
  cvode->is_begun = false;
  for (int32_t i = 0; i < sim->dim; i++) sim->y_new[i] = sim->y[i] + h * sim->k[0][i];
}

static ZwStatus step(ZwSim* sim, double until) {
  Cvode* cvode = sim->integrator_memory;
  double t = until;
  cvode->W_more = sim->y[2 * sim->n] - cvode->W;
  cvode->is_straight = until - sim->t < 4 * shortest_step(sim, until);
  if (cvode->is_straight) {
    creep(sim, cvode, until);
  } else {
    ZW_TRY(advance(sim, cvode, until, &t));
    if (!cvode->is_begun) return ZW_OK; /* it stands still: a switch is due */
    zw_copy(sim->dim, N_VGetArrayPointer(cvode->y), sim->y_new);
    cvode->W = sim->y_new[2 * sim->n];
    sim->y_new[2 * sim->n] += cvode->W_more;
  }
  sim->step = sim->h_dense = t - sim->t;
  sim->has_dense = false;
  if (is_adams(sim)) record_drift(sim, t, sim->y_new);
  if (!project(sim, t, sim->y_new)) {
    return is_adams(sim) ? fault_drift(sim, t) : zw_step_give_up(sim, &cvode->refusal, sim->step);
  }
  ZW_TRY(zw_step_settle(sim, t));
  int32_t row = zw_rows_violated(sim);
  if (row >= 0) return zw_fault_inconsistent(sim, row, 0, t, false);
  if (sim->has_next_sets) cvode->is_begun = false; /* other rows from there on */
  sim->h_next = sim->step;
  return ZW_OK;
}

/* ---- between the ends ---- */

static ZwStatus remember(ZwSim* sim) {
  const Cvode* cvode = sim->integrator_memory;
  /* CVODE remembers its last step; of one that it has not made, the end is kept, in whose place an event puts another state */
  if (cvode->is_straight) zw_copy(sim->dim, sim->y_new, sim->F[0]);
  return ZW_OK;
}

static void interpolate(const ZwSim* sim, double x, double* y) {
  Cvode* cvode = sim->integrator_memory;
  if (cvode->is_straight) {
    for (int32_t i = 0; i < sim->dim; i++) y[i] = (1 - x) * sim->y[i] + x * sim->F[0][i];
    return;
  }
  /* not a number, so that it is found, if CVODE did not know the place; but it does */
  int flag = CVodeGetDky(cvode->solver, sim->t + x * sim->h_dense, 0, cvode->y);
  if (flag != CV_SUCCESS) N_VConst(NAN, cvode->y);
  zw_copy(sim->dim, N_VGetArrayPointer(cvode->y), y);
  y[2 * sim->n] += cvode->W_more;
}

const ZwIntegrator zw_bdf = {.name = "bdf",
                             .order = 2, /* as it begins */
                             .is_implicit = true,
                             .work_size = work_size,
                             .place = place_memory,
                             .open = open_solver,
                             .close = close_solver,
                             .forget = forget,
                             .step = step,
                             .dense = remember,
                             .interpolate = interpolate};

const ZwIntegrator zw_adams = {.name = "adams",
                               .order = 2,
                               .is_projected_late = true,
                               .work_size = work_size,
                               .place = place_memory,
                               .open = open_solver,
                               .close = close_solver,
                               .forget = forget,
                               .step = step,
                               .dense = remember,
                               .interpolate = interpolate};
