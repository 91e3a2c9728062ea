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
/* The same of a component, in parts of the whole vector: along an axis that the vector is perpendicular to, a component is what rounding and the
 * solve leave of the others. Smaller: that counts as a mistake; larger: the claim hangs on which way axes are laid. */
#define ZW_TOL_CLAIM_VECTOR 1e-12

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

static double size_of(const ZwSim* sim, const ZwClaim* claim) {
  const double* sizes = sim->claim_sizes + claim->first;
  return fmax(sizes[0], sizes[1]);
}

/* What an equation or inequality may be off by that does not state it. */
static double allowance(const ZwSim* sim, const ZwClaim* claim) {
  const ZwClaim* components = claim - claim->component;
  double largest = 0;
  for (int32_t k = 0; k < claim->dim; k++) largest = fmax(largest, size_of(sim, &components[k]));
  return fmax(ZW_TOL_CLAIM * size_of(sim, claim), ZW_TOL_CLAIM_VECTOR * largest);
}

static ZwClaimSeen measure(const ZwSim* sim, const ZwClaim* claim, double t) {
  const double* values = sim->outs + sim->equations->output_count + claim->first;
  double left = values[0], right = values[1], off = left - right;
  double allowed = claim->within.ref ? values[2] : allowance(sim, claim);
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

/* "not a number", "infinite", or the number. */
static const char* in_words(double value, char text[ZW_NUMBER_TEXT]) {
  if (isnan(value)) return "not a number";
  if (isinf(value)) return "infinite";
  (void)zw_snprintf(text, ZW_NUMBER_TEXT, "%g", value);
  return text;
}

static ZwStatus fault(const ZwSim* sim, const ZwClaim* claim, const ZwClaimSeen* now, bool is_start) {
  bool has_left = isfinite(now->left), has_sides = has_left && isfinite(now->right);
  double value = !has_left ? now->left : !has_sides ? now->right : now->allowed;
  char text[ZW_NUMBER_TEXT];
  zw_diag_error(sim->diags, ZW_ERR_DOMAIN, claim->span, "the claim '%.*s' cannot be evaluated at t = %s: %s is %s",
                ZW_STR_ARGS(claim->name), zw_when(sim, now->t, 9).text,
                !has_left    ? "its left side"
                : !has_sides ? "its right side"
                             : "what it allows",
                in_words(value, text));
  if (has_sides)
    zw_diag_remedy(sim->diags, "'within' takes a number from 0 on, as in: within 1e-6");
  else if (is_start)
    zw_diag_remedy(sim->diags, "check the start values and parameters that its roots, logarithms and quotients read");
  else
    zw_diag_remedy(sim->diags,
                   "a root, logarithm or quotient in it has no value there; write, as in sqrt(max(x, 0)), what has one "
                   "at all rows");
  return ZW_ERR_DOMAIN;
}

/* What a claim is at a state; ZW_ERR_DOMAIN, with a message: nothing. */
static ZwStatus look(ZwSim* sim, const ZwClaim* claim, double t, bool is_start, ZwClaimSeen* now) {
  *now = measure(sim, claim, t);
  bool has_value = isfinite(now->left) && isfinite(now->right) && isfinite(now->allowed) && now->allowed >= 0;
  return has_value ? ZW_OK : fault(sim, claim, now, is_start);
}

ZwStatus zw_claims_check_start(ZwSim* sim, double t, const double* y) {
  ZwClaimSeen now;
  find_sizes(sim, t, y);
  for (int32_t i = 0; i < sim->system->claims.count; i++) {
    ZW_TRY(look(sim, &sim->system->claims.items[i], t, true, &now));
  }
  return ZW_OK;
}

ZwStatus zw_claims_check(ZwSim* sim, double t, const double* y) {
  if (sim->system->claims.count > 0) find_sizes(sim, t, y);
  for (int32_t i = 0; i < sim->system->claims.count; i++) {
    const ZwClaim* claim = &sim->system->claims.items[i];
    ZwClaimSeen *worst = &sim->claims[i], now;
    ZW_TRY(look(sim, claim, t, false, &now));
    now.rows = worst->rows + 1;
    if (is_worse(claim, &now, worst))
      *worst = now;
    else
      worst->rows = now.rows;
  }
  return ZW_OK;
}
