/* The basis comes with the tangent space; how accelerations and outputs change along it, and with parameters, is solved for (variation.h). */
#include "zwang/state_space.h"

#include <math.h>
#include <string.h>

#include "expr/eval.h"
#include "least/dense.h"
#include "motion/variation.h"

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

/* ---- changes ---- */

/* What is asked for at the state. */
typedef struct Changes {
  ZwVariation variation;
  int32_t columns; /* of the run; 0, if no outputs are asked for */
  double* row;     /* columns: what changes */
  double *dvalues, *dconstants, *zero;
} Changes;

static ZwStatus open_changes(const ZwStateSpace* space, int32_t columns, Changes* changes) {
  ZwSim* sim = space->run->sim;
  ptrdiff_t n = sim->n, values = sim->system->params.count + sim->equations->literals.count;
  double* y = ZW_NEW(space->scratch, 2 * n + 1, double);
  changes->columns = columns;
  changes->row = ZW_NEW(space->scratch, columns + 1, double);
  changes->dvalues = ZW_NEW(space->scratch, values + 1, double);
  changes->dconstants = ZW_NEW(space->scratch, zw_variation_constant_count(&changes->variation) + 1, double);
  changes->zero = ZW_NEW(space->scratch, n + 1, double);
  if (space->scratch->failed) return ZW_ERR_MEMORY;
  zw_copy(n, sim->y, y);
  zw_copy(n, zw_velocity(sim, sim->t, sim->y), y + n);
  ZW_TRY(zw_variation_at(sim, &changes->variation, sim->t, y));
  return sim->m > 0 ? zw_reactions(sim) : ZW_OK;
}

/* Accelerations, and the row, along a direction. Evidence is no output. */
static ZwStatus change_along(ZwSim* sim, Changes* changes, const ZwDirection* direction) {
  int32_t n = sim->n, outputs = sim->equations->output_count, place = 1 + 2 * n + outputs;
  ZW_TRY(zw_variation_solve(sim, &changes->variation, direction));
  if (changes->columns == 0) return ZW_OK;
  ZW_TRY(zw_variation_reactions(sim, &changes->variation));
  zw_variation_outputs(sim, &changes->variation, direction);
  zw_fill(changes->columns, NAN, changes->row);
  zw_copy(outputs, changes->variation.douts, changes->row + 1 + 2 * n);
  return sim->has_forces ? zw_variation_forces(sim, &changes->variation, changes->row + place) : ZW_OK;
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

/* An input that moved a constraint would jump when it does. */
static ZwStatus check_constraints(ZwRun* run, const char* name, Changes* changes, const ZwDirection* direction) {
  ZwSim* sim = run->sim;
  ZwVariation* variation = &changes->variation;
  ZwStateAt place = {sim->t, variation->y, variation->y + sim->n};
  for (ZwEntry entry = ZW_ENTRY_POSITION; entry <= ZW_ENTRY_VELOCITY; entry++) {
    zw_variation_rows(sim, variation, entry, place, direction);
    for (int32_t i = 0; i < sim->m; i++) {
      if ((variation->dphi[i] == 0 && variation->dpsi[i] == 0) || !zw_rows_is_on(sim, i)) continue;
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "'%s' is no input: it moves the constraint '%.*s'", name,
                    ZW_STR_ARGS(zw_row_name(sim, i)));
      zw_diag_remedy(&run->diags, "an input acts by forces, or by a constraint between accelerations");
      return ZW_ERR_ARGUMENT;
    }
  }
  return ZW_OK;
}

static void vary_input(const ZwStateSpace* space, int32_t index, Changes* changes) {
  ZwSim* sim = space->run->sim;
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, space->scratch);
  evaluator.tables = &sim->system->tables;
  zw_fill(sim->system->params.count, 0, changes->dvalues);
  zw_variation_values(sim, &evaluator, space->run->given, index, changes->dvalues);
  zw_variation_constants(sim, &changes->variation, changes->dvalues, changes->dconstants);
}

static ZwStatus change_input(const ZwStateSpace* space, const char* name, Changes* changes) {
  int32_t index;
  ZW_TRY(find_input(space->run, name, &index));
  vary_input(space, index, changes);
  if (space->scratch->failed) return ZW_ERR_MEMORY;
  ZwDirection direction = {.dq = changes->zero, .dv = changes->zero, .dconstants = changes->dconstants};
  ZW_TRY(check_constraints(space->run, name, changes, &direction));
  return change_along(space->run->sim, changes, &direction);
}

static ZwStatus fill_inputs(const ZwStateSpace* space, const ZwLinearizeDef* def, Changes* changes,
                            ZwLinearization* out) {
  const ZwTangent* tangent = space->tangent;
  int32_t inputs = def->input_count, n = out->n;
  double* B = ZW_NEW(space->arena, (ptrdiff_t)inputs * out->count + 1, double);
  double* D = ZW_NEW(space->arena, (ptrdiff_t)inputs * changes->columns + 1, double);
  if (space->arena->failed) return ZW_ERR_MEMORY;
  for (int32_t j = 0; j < inputs; j++) {
    ZW_TRY(change_input(space, def->inputs[j], changes));
    for (int32_t i = 0; i < tangent->fv; i++) {
      const double* free = tangent->Zv + (ptrdiff_t)i * n;
      B[(ptrdiff_t)(tangent->fq + i) * inputs + j] = zw_dot(n, free, changes->variation.da);
    }
    for (int32_t i = 1 + 2 * n; i < changes->columns; i++) D[(ptrdiff_t)i * inputs + j] = changes->row[i];
  }
  out->input_matrix = B;
  out->direct_matrix = changes->columns > 0 ? D : NULL;
  return ZW_OK;
}

/* ---- outputs ---- */

static ZwStatus fill_outputs(const ZwStateSpace* space, Changes* changes, ZwLinearization* out) {
  ZwSim* sim = space->run->sim;
  ptrdiff_t n = out->n, count = out->count;
  double* C = ZW_NEW(space->arena, changes->columns * count + 1, double);
  if (space->arena->failed) return ZW_ERR_MEMORY;
  zw_fill(sim->system->params.count, 0, changes->dvalues);
  zw_variation_constants(sim, &changes->variation, changes->dvalues, changes->dconstants);
  for (ptrdiff_t j = 0; j < count; j++) {
    const double* along = out->basis + 2 * j * n;
    ZwDirection direction = {.dq = along, .dv = along + n, .dconstants = changes->dconstants};
    for (ptrdiff_t i = 0; i < 2 * n; i++) C[(1 + i) * count + j] = along[i];
    ZW_TRY(change_along(sim, changes, &direction));
    for (ptrdiff_t i = 1 + 2 * n; i < changes->columns; i++) C[i * count + j] = changes->row[i];
  }
  out->output_matrix = C;
  return ZW_OK;
}

static ZwStatus fill_matrices(const ZwStateSpace* space, const ZwLinearizeDef* def, Changes* changes,
                              ZwLinearization* out) {
  ZW_TRY(open_changes(space, def->has_outputs ? zw_run_column_count(space->run) : 0, changes));
  ZW_TRY(fill_inputs(space, def, changes, out));
  return def->has_outputs ? fill_outputs(space, changes, out) : ZW_OK;
}

ZwStatus zw_state_space_fill(const ZwStateSpace* space, const ZwLinearizeDef* def, ZwLinearization* out) {
  Changes changes = {0};
  ZW_TRY(fill_basis(space, out));
  if (def->input_count == 0 && !def->has_outputs) return ZW_OK;
  ZwStatus status = zw_variation_create(space->run->sim, space->scratch, &changes.variation);
  if (!status) status = fill_matrices(space, def, &changes, out);
  zw_variation_destroy(&changes.variation);
  return status;
}
