/* The basis comes with the tangent space. How the accelerations depend on parameters, and the outputs on both, nobody differentiates;
 * differences of fourth order do:
 *
 *   g'(0) = (8 (g(h) - g(-h)) - (g(2 h) - g(-2 h))) / (12 h)
 *
 * which is exact to rounding for what is a polynomial of degree four, as forces mostly are in what drives them. */
#include "zwang/state_space.h"

#include <math.h>
#include <string.h>

#include "least/dense.h"

/* Of the parameter, or of 1 + the coordinate that moves most. Longer ones see more of the fifth derivative (1e-16 of it), shorter ones more
 * rounding (1e-12 of the value). */
#define STEP 1e-4

enum { STENCIL = 4 };
static const double places[STENCIL] = {1, -1, 2, -2}, weights[STENCIL] = {8, -8, -1, 1};

/* ---- the tangent space ---- */

static ZwStatus fill_basis(const ZwStateSpace* space, ZwLinearization* out) {
  const ZwTangent* tangent = space->tangent;
  ptrdiff_t n = out->n;
  double* basis = ZW_NEW(space->arena, 2 * n * out->count + 1, double);
  double* projection = ZW_NEW(space->arena, 2 * n * out->count + 1, double);
  if (space->arena->failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < tangent->fq; i++) {
    zw_copy(out->n, tangent->Zq + i * n, basis + 2 * i * n);
    zw_copy(out->n, tangent->P + i * n, basis + (2 * i + 1) * n);
    zw_copy(out->n, tangent->Zq + i * n, projection + 2 * i * n);
  }
  for (int32_t i = 0; i < tangent->fv; i++) {
    ptrdiff_t row = tangent->fq + i;
    zw_copy(out->n, tangent->Zv + i * n, basis + (2 * row + 1) * n);
    zw_copy(out->n, tangent->Zv + i * n, projection + (2 * row + 1) * n);
  }
  out->basis = basis;
  out->projection = projection;
  return ZW_OK;
}

/* ---- differences ---- */

typedef struct Sample {
  int32_t n, columns; /* columns: 0, if no outputs are asked for */
  double* slope;      /* n + columns: of the accelerations and of the row, added up */
} Sample;

/* Adds weight * (a, row) at the present state. */
static ZwStatus add_sample(const ZwStateSpace* space, double weight, const Sample* sample) {
  ZwSim* sim = space->run->sim;
  ZW_TRY(zw_eval_rate(sim, sim->t, sim->y, sim->k[ZW_DOP853_STAGES + 1]));
  zw_axpy(sample->n, weight, sim->a, sample->slope);
  if (sample->columns == 0) return ZW_OK;
  ZW_TRY(zw_run_present(sim));
  zw_axpy(sample->columns, weight, sim->row, sample->slope + sample->n);
  return ZW_OK;
}

static void clear_sample(const Sample* sample) {
  zw_fill(sample->n + sample->columns, 0, sample->slope);
}

/* ---- inputs ---- */

static ZwStatus find_input(ZwRun* run, const char* name, int32_t* index) {
  *index = zw_run_find_value(run, zw_str_from(name));
  if (*index < 0) {
    zw_diag_error(&run->diags, ZW_ERR_NAME, (ZwSpan){0}, "'%s' is no input: the model has no parameter of this name",
                  name);
    zw_diag_remedy(&run->diags, "as in: param u = 0, and force x = u; then u is one");
    return ZW_ERR_NAME;
  }
  if (!run->model->system.params.items[*index].is_structural) return ZW_OK;
  return zw_run_refuse_value(run, name, "it decides what the model is made of: another value is another model");
}

/* At the present state; a constraint that is not there has none. */
static bool read_residuals(ZwSim* sim, double* residuals) {
  bool is_finite = zw_eval_position(sim, sim->t, sim->y);
  zw_copy(sim->m, sim->phi, residuals);
  is_finite = zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n) && is_finite;
  zw_copy(sim->m, sim->psi, residuals + sim->m);
  return is_finite;
}

/* Residuals that do not depend on the input are the same bit by bit. */
static ZwStatus check_constraints(ZwRun* run, const char* name, const double* before, double* after) {
  ZwSim* sim = run->sim;
  if (!read_residuals(sim, after)) return ZW_ERR_DOMAIN;
  for (int32_t i = 0; i < sim->m; i++) {
    bool has_moved = after[i] != before[i] || after[sim->m + i] != before[sim->m + i];
    if (!has_moved || !zw_rows_is_on(sim, i)) continue;
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "'%s' is no input: it moves the constraint '%.*s'", name,
                  ZW_STR_ARGS(zw_row_name(sim, i)));
    zw_diag_remedy(&run->diags, "an input acts by forces, or by a constraint between accelerations");
    return ZW_ERR_ARGUMENT;
  }
  return ZW_OK;
}

/* Values of parameters, to be put back. */
typedef struct Kept {
  int32_t count;
  double *values, *given;
} Kept;

static void put_back(ZwRun* run, const Kept* kept) {
  zw_copy(kept->count, kept->values, run->sim->values);
  zw_copy(kept->count, kept->given, run->given);
  zw_sim_set_constants(run->sim);
}

static ZwStatus difference_input(const ZwStateSpace* space, const char* name, const Kept* kept, double* residuals,
                                 const Sample* sample) {
  ZwRun* run = space->run;
  int32_t index, m = run->sim->m;
  ZW_TRY(find_input(run, name, &index));
  double value = kept->values[index], h = STEP * (value != 0 ? fabs(value) : 1);
  clear_sample(sample);
  if (!read_residuals(run->sim, residuals)) return ZW_ERR_DOMAIN;
  ZwStatus status = ZW_OK;
  for (int k = 0; k < STENCIL && !status; k++) {
    status = zw_run_give_value(run, index, value + places[k] * h);
    zw_sim_set_constants(run->sim);
    if (!status) status = check_constraints(run, name, residuals, residuals + 2 * m);
    if (!status) status = add_sample(space, weights[k] / (12 * h), sample);
    put_back(run, kept);
  }
  return status;
}

static ZwStatus fill_inputs(const ZwStateSpace* space, const ZwLinearizeDef* def, const Sample* sample,
                            ZwLinearization* out) {
  const ZwTangent* tangent = space->tangent;
  ZwSim* sim = space->run->sim;
  int32_t inputs = def->input_count, params = sim->system->params.count;
  double* B = ZW_NEW(space->arena, (ptrdiff_t)inputs * out->count + 1, double);
  double* D = ZW_NEW(space->arena, (ptrdiff_t)inputs * sample->columns + 1, double);
  double* residuals = ZW_NEW(space->scratch, 4 * (ptrdiff_t)sim->m + 1, double);
  Kept kept = {params, ZW_NEW(space->scratch, params + 1, double), ZW_NEW(space->scratch, params + 1, double)};
  if (space->arena->failed || space->scratch->failed) return ZW_ERR_MEMORY;
  zw_copy(params, sim->values, kept.values);
  zw_copy(params, space->run->given, kept.given);
  for (int32_t j = 0; j < inputs; j++) {
    ZW_TRY(difference_input(space, def->inputs[j], &kept, residuals, sample));
    for (int32_t i = 0; i < tangent->fv; i++) {
      B[(ptrdiff_t)(tangent->fq + i) * inputs + j] = zw_dot(out->n, tangent->Zv + (ptrdiff_t)i * out->n, sample->slope);
    }
    for (int32_t i = 1 + 2 * out->n; i < sample->columns; i++) D[(ptrdiff_t)i * inputs + j] = sample->slope[out->n + i];
  }
  out->input_matrix = B;
  out->direct_matrix = sample->columns > 0 ? D : NULL;
  return ZW_OK;
}

/* ---- outputs ---- */

/* A step along a direction that moves no coordinate by more than it may. */
static double step_along(int32_t count, const double* direction, const double* y) {
  double most = 0;
  for (int32_t i = 0; i < count; i++) most = zw_larger(most, fabs(direction[i]) / (1 + fabs(y[i])));
  return most > 0 ? STEP / most : STEP;
}

static ZwStatus difference_state(const ZwStateSpace* space, const double* direction, const double* y,
                                 const Sample* sample) {
  ZwSim* sim = space->run->sim;
  int32_t size = 2 * sim->n;
  double h = step_along(size, direction, y);
  ZwStatus status = ZW_OK;
  clear_sample(sample);
  for (int k = 0; k < STENCIL && !status; k++) {
    zw_axpy(size, places[k] * h, direction, sim->y);
    status = add_sample(space, weights[k] / (12 * h), sample);
    zw_copy(size, y, sim->y);
  }
  return status;
}

/* Coordinates and velocities are known without differences. */
static ZwStatus fill_outputs(const ZwStateSpace* space, const Sample* sample, ZwLinearization* out) {
  ptrdiff_t n = out->n, count = out->count;
  double* C = ZW_NEW(space->arena, sample->columns * count + 1, double);
  double* y = ZW_NEW(space->scratch, 2 * n, double);
  if (space->arena->failed || space->scratch->failed) return ZW_ERR_MEMORY;
  zw_copy(2 * out->n, space->run->sim->y, y);
  for (ptrdiff_t j = 0; j < count; j++) {
    const double* direction = out->basis + 2 * j * n;
    for (ptrdiff_t i = 0; i < 2 * n; i++) C[(1 + i) * count + j] = direction[i];
    ZW_TRY(difference_state(space, direction, y, sample));
    for (ptrdiff_t i = 1 + 2 * n; i < sample->columns; i++) C[i * count + j] = sample->slope[n + i];
  }
  out->output_matrix = C;
  return ZW_OK;
}

ZwStatus zw_state_space_fill(const ZwStateSpace* space, const ZwLinearizeDef* def, ZwLinearization* out) {
  Sample sample = {out->n, def->has_outputs ? zw_run_column_count(space->run) : 0, NULL};
  ZW_TRY(fill_basis(space, out));
  sample.slope = ZW_NEW(space->scratch, sample.n + sample.columns + 1, double);
  if (!sample.slope) return ZW_ERR_MEMORY;
  ZW_TRY(fill_inputs(space, def, &sample, out));
  return def->has_outputs ? fill_outputs(space, &sample, out) : ZW_OK;
}
