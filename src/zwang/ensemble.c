/* Many runs at once. */
#include "motion/ensemble.h"

#include "zwang/handles.h"

/* Rows of members that move together are made together, without the derivatives of each. */
static ZwStatus check_sensitivity(ZwRun* run) {
  if (run->def.sensitivity_count == 0) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0}, "a member of an ensemble has no sensitivities");
  zw_diag_remedy(&run->diags, "run it alone, with zw_run_go");
  return zw_run_end(run, ZW_ERR_UNSUPPORTED);
}

/* One that cannot begin has ended. */
static bool next(void* context, ZwSim** sim, const ZwRunPlan** plan) {
  const ZwEnsembleDef* def = context;
  for (ZwRun* run; (run = def->next(def->context));) {
    ZwStatus status = zw_run_ready(run);
    if (!status) status = check_sensitivity(run);
    if (status) {
      def->done(def->context, run, status);
      continue;
    }
    zw_run_make_plan(run);
    *sim = run->sim;
    *plan = &run->plan;
    return true;
  }
  return false;
}

static void done(void* context, ZwSim* sim, ZwStatus status) {
  const ZwEnsembleDef* def = context;
  ZwRun* run = sim->plan->context;
  def->done(def->context, run, zw_run_end(run, status));
}

void zw_ensemble_go(const ZwEnsembleDef* def) {
  ZwEnsembleDef own = *def;
  ZwMembers members = {.next = next, .done = done, .context = &own};
  zw_ensemble_run(&members);
}
