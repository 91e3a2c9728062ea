/* What the user claims of the motion, at the rows: of each claim the row is kept at which it fails most, or is nearest to that.
 *
 *   left = right holds where |left - right| <= allowed; left <= right where left - right <= allowed
 *
 * `allowed` is stated, or a part of the largest term of both sides before terms cancel. */
#include <math.h>

#include "motion/sim.h"

/* Both sides are computed from one state, so that they differ by rounding and by what the solve for accelerations leaves. Smaller: that
 * counts as a mistake; larger: a mistake in a small term goes unseen. */
#define ZW_TOL_CLAIM 1e-9

/* The terms of both sides, before they cancel. */
static void find_sizes(ZwSim* sim, double t, const double* y) {
  ZwKernelState state = sim->state;
  ZwTermSizes terms = {.part = ZW_TOL_CLAIM,
                       .sizes = sim->sizes.errors,
                       .constants = sim->claim_constants,
                       .first = sim->equations->output_count,
                       .to = sim->claim_sizes};
  state.t = t;
  state.q = y;
  state.v = zw_velocity(sim, t, y);
  state.a = sim->a;
  state.reactions = sim->reactions;
  zw_program_term_sizes(sim->program, &state, &terms);
}

static ZwClaimSeen measure(const ZwSim* sim, const ZwClaim* claim, double t) {
  const double* values = sim->outs + sim->equations->output_count + claim->first;
  const double* sizes = sim->claim_sizes + claim->first;
  double left = values[0], right = values[1], off = left - right;
  double allowed = claim->within.ref ? values[2] : ZW_TOL_CLAIM * fmax(sizes[0], sizes[1]);
  if (claim->relation == ZW_RELATION_EQUAL) off = fabs(off);
  if (claim->relation == ZW_RELATION_AT_LEAST) off = -off;
  return (ZwClaimSeen){t, left, right, off, allowed, 1};
}

/* Where a claim fails, by how far it is off. Where it holds, equations by how much of what is allowed they take, inequalities by how near
 * they are. */
static bool is_worse(const ZwClaim* claim, const ZwClaimSeen* now, const ZwClaimSeen* worst) {
  if (worst->rows == 0) return true;
  bool fails = now->off > now->allowed, has_failed = worst->off > worst->allowed;
  if (fails != has_failed) return fails;
  if (fails) return now->off > worst->off;
  if (claim->relation != ZW_RELATION_EQUAL) return now->off - now->allowed > worst->off - worst->allowed;
  return now->off * worst->allowed > worst->off * now->allowed;
}

static ZwStatus fault(const ZwSim* sim, const ZwClaim* claim, const ZwClaimSeen* now) {
  const char* what = isfinite(now->left) ? isfinite(now->right) ? "what it allows" : "its right side" : "its left side";
  double value = isfinite(now->left) ? isfinite(now->right) ? now->allowed : now->right : now->left;
  zw_diag_error(sim->diags, ZW_ERR_DOMAIN, claim->span, "the claim '%.*s' cannot be evaluated at t = %s: %s is %g",
                ZW_STR_ARGS(claim->name), zw_when(sim, now->t, 9).text, what, value);
  zw_diag_remedy(sim->diags, isfinite(now->left) && isfinite(now->right)
                                 ? "'within' takes a number from 0 on, as in: within 1e-6"
                                 : "a root, logarithm or quotient in it has no value there; write, as in sqrt(max(x, "
                                   "0)), what has one at all rows");
  return ZW_ERR_DOMAIN;
}

ZwStatus zw_claims_check(ZwSim* sim, double t, const double* y) {
  if (sim->system->claims.count > 0) find_sizes(sim, t, y);
  for (int32_t i = 0; i < sim->system->claims.count; i++) {
    const ZwClaim* claim = &sim->system->claims.items[i];
    ZwClaimSeen* worst = &sim->claims[i];
    ZwClaimSeen now = measure(sim, claim, t);
    bool has_values = isfinite(now.left) && isfinite(now.right) && isfinite(now.allowed) && now.allowed >= 0;
    if (!has_values) return fault(sim, claim, &now);
    now.rows = worst->rows + 1;
    if (is_worse(claim, &now, worst))
      *worst = now;
    else
      worst->rows = now.rows;
  }
  return ZW_OK;
}
