/* What became of the claims of the model: in the report, and as messages at the end of a run. */
#include <math.h>

#include "zwang/handles.h"

ZwStatus zw_run_name_claims(ZwRun* run) {
  const ZwSystem* system = &run->model->system;
  int32_t count = system->claims.count;
  run->claims = ZW_NEW(&run->arena, count + 1, ZwClaimReport);
  for (int32_t i = 0; run->claims && i < count; i++) {
    run->claims[i].name = zw_str_copy(&run->arena, system->claims.items[i].name);
  }
  run->report.claims = run->claims;
  run->report.claim_count = run->claims ? count : 0;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

void zw_run_report_claims(ZwRun* run) {
  for (int32_t i = 0; i < run->report.claim_count; i++) {
    const ZwClaimSeen* seen = &run->sim->claims[i];
    ZwClaimReport* claim = &run->claims[i];
    bool is_seen = seen->rows > 0;
    claim->holds = !(seen->off > seen->allowed);
    claim->worst = is_seen ? seen->off : NAN;
    claim->allowed = is_seen ? seen->allowed : NAN;
    claim->t = is_seen ? zw_time(run->sim, seen->t) : NAN;
    claim->left = is_seen ? seen->left : NAN;
    claim->right = is_seen ? seen->right : NAN;
  }
}

ZwStatus zw_run_check_claims_start(ZwRun* run) {
  bool is_due = run->report.claim_count > 0 && !run->has_checked_claims && !run->report.has_begun;
  run->has_checked_claims = true;
  return is_due ? zw_run_look_at(run, zw_run_check_claims) : ZW_OK;
}

/* So many times what is allowed is no rounding, and no error of the motion either. */
#define FAR 1e5
/* What is allowed is no more than this part of a value: it has no larger terms. */
#define PART_OF_SIZE 1.000001e-9

/* One side is 0, and the other is all that there is: it is off by its size, whatever that is. */
static bool has_no_size(const ZwClaim* claim, const ZwClaimSeen* seen) {
  bool is_beside_nothing = seen->left == 0 || seen->right == 0;
  return !claim->within.ref && is_beside_nothing && seen->off * PART_OF_SIZE >= seen->allowed;
}

static void tell(ZwRun* run, int32_t i) {
  static const char* const words[] = {"differs from", "is more than", "is less than"}; /* ORDER RELATION */
  const ZwClaim* claim = &run->model->system.claims.items[i];
  const ZwClaimSeen* seen = &run->sim->claims[i];
  zw_diag_error(
      &run->diags, ZW_ERR_CLAIM, claim->span,
      "the claim '%.*s' does not hold: at t = %s the left side, %.12g, %s the right side, %.12g, by %.3g, where "
      "%.3g is allowed",
      ZW_STR_ARGS(claim->name), zw_when(run->sim, seen->t, 9).text, seen->left, words[claim->relation], seen->right,
      seen->off, seen->allowed);
  if (has_no_size(claim, seen)) {
    zw_diag_remedy(&run->diags,
                   "beside 0 nothing tells rounding from a mistake: say how far the sides may be apart, as in: within "
                   "1e-6");
  } else if (seen->off > FAR * seen->allowed && seen->allowed > 0) {
    zw_diag_remedy(&run->diags, "that is more than rounding: compare the signs, terms and units of both sides");
  } else if (!claim->within.ref) {
    zw_diag_remedy(
        &run->diags,
        "if it is meant to hold to the tolerance of the run only, say how far the sides may be apart, as in: "
        "within 1e-6");
  }
}

ZwStatus zw_run_pass_claims(ZwRun* run) {
  bool all_hold = true;
  zw_run_report_claims(run);
  for (int32_t i = 0; i < run->report.claim_count; i++) {
    if (run->claims[i].holds) continue;
    all_hold = false;
    if (!run->has_told_claims) tell(run, i);
  }
  run->has_told_claims = run->has_told_claims || !all_hold;
  if (run->arena.failed) return ZW_ERR_MEMORY;
  return all_hold ? ZW_OK : ZW_ERR_CLAIM;
}
