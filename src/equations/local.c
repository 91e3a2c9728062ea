/* The local contributions of a shape: its derivatives. */
#include "equations/equations.h"
#include "expr/diff.h"
#include "expr/rebuild.h"

typedef struct Local {
  ZwEquations* equations;
  ZwGraph* graph;
  ZwWalk* walk;
  ZwShape* shape;
} Local;

/* Structural zeros contribute nothing. */
static void contribute(Local* local, ZwEntry entry, ZwTarget target, int32_t row, int32_t column, ZwExpr value) {
  if (!value.ref || zw_expr_is_const(local->graph, value, 0)) return;
  ZwContribution contribution = {target, row, column, value};
  (void)ZW_PUSH(local->equations->arena, &local->shape->entries[entry].list, contribution);
}

static int32_t leaves(const Local* local, ZwOp leaf) {
  return leaf == ZW_OP_REACTION ? local->shape->reactions : local->shape->coords;
}

static ZwExpr* gradient(Local* local, ZwExpr e, ZwOp leaf) {
  int32_t count = leaves(local, leaf);
  ZwExpr* result = ZW_NEW(local->equations->arena, count, ZwExpr);
  if (!result || !zw_diff_gradient(local->graph, local->walk, e, leaf, 0, count, result)) return NULL;
  return result;
}

static ZwExpr drift(Local* local, ZwExpr e) {
  return zw_diff_drift(local->graph, local->walk, e);
}

static bool reads_velocity(Local* local, ZwExpr e) {
  return zw_expr_reads(local->graph, e).velocity;
}

/* L: M = d2L/dv dv, h = dL/dq - (d2L/dv dq) v - d2L/dv dt, power = -dL/dt, E = v . dL/dv - L */
static void derive_energy(Local* local) {
  ZwGraph* graph = local->graph;
  ZwExpr L = local->shape->value;
  ZwExpr *p = gradient(local, L, ZW_OP_VELOCITY), *force = gradient(local, L, ZW_OP_COORD);
  if (!p || !force) return;
  ZwExpr momentum = zw_expr_const(graph, 0);
  for (int32_t i = 0; i < local->shape->coords; i++) {
    const ZwExpr* M = gradient(local, p[i], ZW_OP_VELOCITY);
    if (!M) return;
    for (int32_t j = 0; j <= i; j++) contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_M, i, j, M[j]);
    ZwExpr h = zw_expr_sub(graph, force[i], drift(local, p[i]));
    contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_H, i, 0, h);
    contribute(local, ZW_ENTRY_VARIATION, ZW_TARGET_LV, i, 0, p[i]);
    contribute(local, ZW_ENTRY_VARIATION, ZW_TARGET_LQ, i, 0, force[i]);
    ZwExpr v = zw_expr_leaf(graph, ZW_OP_VELOCITY, i);
    momentum = zw_expr_add(graph, momentum, zw_expr_mul(graph, v, p[i]));
  }
  ZwExpr power = zw_expr_neg(graph, zw_diff_partial(graph, local->walk, L, ZW_OP_TIME, 0));
  /* without coordinates it is a constant but for the time, and counts where a switch changes it */
  if (local->shape->coords > 0) contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_POWER, 0, 0, power);
  contribute(local, ZW_ENTRY_ENERGY, ZW_TARGET_ENERGY, 0, 0, zw_expr_sub(graph, momentum, L));
  contribute(local, ZW_ENTRY_ENERGY, ZW_TARGET_MOMENTUM, 0, 0, momentum);
  ZwExpr resting = zw_expr_neg(graph, zw_expr_without_velocity(graph, local->walk, L));
  ZwReads reads = resting.ref ? zw_expr_reads(graph, resting) : (ZwReads){0};
  contribute(local, ZW_ENTRY_ENERGY, reads.coord || reads.time ? ZW_TARGET_RESTING : ZW_TARGET_GROUND, 0, 0, resting);
}

/* S, quadratic in a: M = d2S/da2, h = -dS/da at a = 0 */
static ZwStatus derive_gibbs(Local* local, ZwDiagList* diags, ZwSpan span) {
  const ZwExpr* slope = gradient(local, local->shape->value, ZW_OP_ACCELERATION);
  if (!slope) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < local->shape->coords; i++) {
    const ZwExpr* M = gradient(local, slope[i], ZW_OP_ACCELERATION);
    if (!M) return ZW_ERR_MEMORY;
    for (int32_t j = 0; j <= i; j++) {
      if (zw_expr_reads(local->graph, M[j]).acceleration) {
        zw_diag_error(diags, ZW_ERR_VALUE, span, "a Gibbs function is at most quadratic in the accelerations");
        return ZW_ERR_VALUE;
      }
      contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_M, i, j, M[j]);
    }
    ZwExpr rest = zw_expr_without_acceleration(local->graph, local->walk, slope[i]);
    contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_H, i, 0, zw_expr_neg(local->graph, rest));
  }
  return ZW_OK;
}

/* Q = -dR/dv */
static void derive_dissipation(Local* local) {
  const ZwExpr* slope = gradient(local, local->shape->value, ZW_OP_VELOCITY);
  for (int32_t i = 0; slope && i < local->shape->coords; i++) {
    contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_Q, i, 0, zw_expr_neg(local->graph, slope[i]));
  }
}

/* Q = F d(rate)/dv: virtual power */
static ZwStatus derive_force(Local* local, ZwDiagList* diags, ZwSpan span) {
  const ZwExpr* lever = gradient(local, local->shape->rate, ZW_OP_VELOCITY);
  if (!lever) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < local->shape->coords; i++) {
    if (reads_velocity(local, lever[i])) {
      zw_diag_error(diags, ZW_ERR_VALUE, span, "the velocity this force works on is not linear in the velocities");
      zw_diag_remedy(diags, "a force works on a coordinate, a function of coordinates, or a velocity");
      return ZW_ERR_VALUE;
    }
    ZwExpr Q = zw_expr_mul(local->graph, local->shape->value, lever[i]);
    contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_Q, i, 0, Q);
  }
  return ZW_OK;
}

static void contribute_row(Local* local, ZwEntry entry, const ZwExpr* row) {
  for (int32_t i = 0; i < local->shape->coords; i++) contribute(local, entry, ZW_TARGET_A, 0, i, row[i]);
}

/* T1: phi(q,t), twice differentiated */
static void derive_position(Local* local) {
  ZwExpr phi = local->shape->value, psi = drift(local, phi);
  const ZwExpr* row = gradient(local, phi, ZW_OP_COORD);
  if (!row) return;
  contribute(local, ZW_ENTRY_POSITION, ZW_TARGET_PHI, 0, 0, phi);
  contribute_row(local, ZW_ENTRY_POSITION, row);
  contribute(local, ZW_ENTRY_VELOCITY, ZW_TARGET_PSI, 0, 0, psi);
  contribute_row(local, ZW_ENTRY_VELOCITY, row);
  contribute_row(local, ZW_ENTRY_ACCELERATION, row);
  contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_B, 0, 0, zw_expr_neg(local->graph, drift(local, psi)));
}

/* T2: psi(q,v,t), once differentiated; it need not be linear in v */
static void derive_velocity(Local* local) {
  ZwExpr psi = local->shape->value;
  const ZwExpr* row = gradient(local, psi, ZW_OP_VELOCITY);
  if (!row) return;
  contribute(local, ZW_ENTRY_VELOCITY, ZW_TARGET_PSI, 0, 0, psi);
  contribute_row(local, ZW_ENTRY_VELOCITY, row);
  contribute_row(local, ZW_ENTRY_ACCELERATION, row);
  ZwExpr rate = zw_diff_drift_at_rest(local->graph, local->walk, psi);
  contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_B, 0, 0, zw_expr_neg(local->graph, rate));
}

/* T3: linear in a as it stands */
static ZwStatus derive_acceleration(Local* local, ZwDiagList* diags, ZwSpan span) {
  ZwExpr chi = local->shape->value;
  const ZwExpr* row = gradient(local, chi, ZW_OP_ACCELERATION);
  if (!row) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < local->shape->coords; i++) {
    if (!zw_expr_reads(local->graph, row[i]).acceleration) continue;
    zw_diag_error(diags, ZW_ERR_CONSTRAINT, span, "this constraint is not linear in the accelerations");
    zw_diag_remedy(diags, "constraints may be nonlinear in positions and velocities, but not in accelerations");
    return ZW_ERR_CONSTRAINT;
  }
  contribute_row(local, ZW_ENTRY_ACCELERATION, row);
  ZwExpr rest = zw_expr_without_acceleration(local->graph, local->walk, chi);
  contribute(local, ZW_ENTRY_ACCELERATION, ZW_TARGET_B, 0, 0, zw_expr_neg(local->graph, rest));
  return ZW_OK;
}

/* A row of the start: at its own level only. */
static void derive_exact(Local* local) {
  bool is_position = local->shape->level == ZW_LEVEL_POSITION;
  const ZwExpr* row = gradient(local, local->shape->value, is_position ? ZW_OP_COORD : ZW_OP_VELOCITY);
  if (!row) return;
  contribute(local, ZW_ENTRY_START, is_position ? ZW_TARGET_PHI : ZW_TARGET_PSI, 0, 0, local->shape->value);
  contribute_row(local, ZW_ENTRY_START, row);
}

/* T16: a velocity that shall count the motion, and its rate A a - b. */
static ZwStatus derive_quasi(Local* local, ZwDiagList* diags, ZwSpan span) {
  ZwExpr psi = local->shape->value;
  const ZwExpr* row = gradient(local, psi, ZW_OP_VELOCITY);
  if (!row) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < local->shape->coords; i++) {
    if (!reads_velocity(local, row[i])) continue;
    zw_diag_error(diags, ZW_ERR_VALUE, span, "a quasi-velocity is not affine in the velocities");
    zw_diag_remedy(diags, "name what you want to see with 'output' instead");
    return ZW_ERR_VALUE;
  }
  contribute(local, ZW_ENTRY_QUASI, ZW_TARGET_PSI, 0, 0, psi);
  contribute_row(local, ZW_ENTRY_QUASI, row);
  contribute(local, ZW_ENTRY_QUASI, ZW_TARGET_B, 0, 0, zw_expr_neg(local->graph, drift(local, psi)));
  return ZW_OK;
}

/* Taken as it is: an output that is constantly 0 still is an output. */
static void contribute_value(Local* local, ZwEntry entry, ZwTarget target) {
  ZwContribution value = {target, 0, 0, local->shape->value};
  (void)ZW_PUSH(local->equations->arena, &local->shape->entries[entry].list, value);
}

/* How far a number that events read moves when what it is made of moves by its sizes. These stand in the place of the
 * reactions themselves, and for coordinates and velocities in that of the accelerations: what reads accelerations is measured by its
 * own values only. */
static void derive_size(Local* local, ZwEntry entry, ZwOp leaf) {
  ZwGraph* graph = local->graph;
  ZwReads reads = zw_expr_reads(graph, local->shape->value);
  bool is_read = leaf == ZW_OP_COORD ? reads.coord : leaf == ZW_OP_VELOCITY ? reads.velocity : reads.reaction;
  if (reads.acceleration || !is_read) return;
  const ZwExpr* slope = gradient(local, local->shape->value, leaf);
  ZwExpr sum = zw_expr_const(graph, 0);
  for (int32_t i = 0; slope && i < leaves(local, leaf); i++) {
    ZwExpr size = zw_expr_leaf(graph, leaf == ZW_OP_REACTION ? leaf : ZW_OP_ACCELERATION, i);
    sum = zw_expr_add(graph, sum, zw_expr_mul(graph, zw_expr_unary(graph, ZW_OP_ABS, slope[i]), size));
  }
  if (slope) contribute(local, entry, ZW_TARGET_EVENT, 0, 0, sum);
}

static ZwStatus derive_constraint(Local* local, ZwDiagList* diags, ZwSpan span) {
  switch (local->shape->level) {
    case ZW_LEVEL_POSITION:
      derive_position(local);
      return ZW_OK;
    case ZW_LEVEL_VELOCITY:
      derive_velocity(local);
      return ZW_OK;
    case ZW_LEVEL_ACCELERATION:
      return derive_acceleration(local, diags, span);
  }
  return ZW_OK;
}

ZwStatus zw_shape_derive(ZwEquations* equations, ZwShape* shape, ZwWalk* walk, ZwDiagList* diags, ZwSpan span) {
  Local local = {equations, &equations->graph, walk, shape};
  ZwStatus status = ZW_OK;
  switch (shape->kind) {
    case ZW_SHAPE_ENERGY:
      derive_energy(&local);
      break;
    case ZW_SHAPE_DISSIPATION:
      derive_dissipation(&local);
      break;
    case ZW_SHAPE_FORCE:
      status = derive_force(&local, diags, span);
      break;
    case ZW_SHAPE_GIBBS:
      status = derive_gibbs(&local, diags, span);
      break;
    case ZW_SHAPE_EXACT:
      derive_exact(&local);
      break;
    case ZW_SHAPE_QUASI:
      status = derive_quasi(&local, diags, span);
      break;
    case ZW_SHAPE_CONSTRAINT:
      status = derive_constraint(&local, diags, span);
      break;
    case ZW_SHAPE_OUTPUT:
      contribute_value(&local, ZW_ENTRY_OUTPUT, ZW_TARGET_OUTPUT);
      break;
    case ZW_SHAPE_EVENT:
      contribute_value(&local, ZW_ENTRY_EVENT, ZW_TARGET_EVENT);
      derive_size(&local, ZW_ENTRY_SIZE_Q, ZW_OP_COORD);
      derive_size(&local, ZW_ENTRY_SIZE_V, ZW_OP_VELOCITY);
      derive_size(&local, ZW_ENTRY_SIZE_R, ZW_OP_REACTION);
      break;
  }
  return equations->arena->failed ? ZW_ERR_MEMORY : status;
}
