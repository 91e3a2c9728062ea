/* Many runs at once. */
#include "motion/ensemble.h"

#include "zwang/handles.h"

typedef struct Members {
  const ZwEnsembleDef* def;
  const ZwModel*
      model; /* whose equations the members share that move together; its runs may all be gone before the ensemble ends */
} Members;

/* Rows of members that move together are made together, without the derivatives of each. */
static ZwStatus check_sensitivity(ZwRun* run) {
  if (run->def.sensitivity_count == 0) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0}, "a member of an ensemble has no sensitivities");
  zw_diag_remedy(&run->diags, "run it alone, with zw_run_go");
  return zw_run_end(run, ZW_ERR_UNSUPPORTED);
}

/* One that is at work already, here or elsewhere, is left alone. */
static ZwStatus join(ZwRun* run) {
  ZW_CHECK(zw_run_enter(run));
  ZwStatus status = zw_run_check_ready(run);
  if (!status) status = zw_run_check_fresh(run, "join an ensemble");
  if (!status) status = check_sensitivity(run);
  return status ? zw_run_leave(run, status) : ZW_OK;
}

/* One that cannot begin has ended. */
static bool next(void* context, ZwSim** sim, const ZwRunPlan** plan) {
  const ZwEnsembleDef* def = ((const Members*)context)->def;
  for (ZwRun* run; (run = def->next(def->context));) {
    ZwStatus status = join(run);
    if (status) {
      def->done(def->context, run, status);
      continue;
    }
    zw_run_make_plan(run);
    run->is_under_way = run->is_spent = true;
    *sim = run->sim;
    *plan = &run->plan;
    return true;
  }
  return false;
}

static void done(void* context, ZwSim* sim, ZwStatus status) {
  const ZwEnsembleDef* def = ((const Members*)context)->def;
  ZwRun* run = sim->plan->context;
  if (!status) status = zw_run_pass_verdict(run);
  status = zw_run_end(run, status);
  if (!status) status = zw_run_pass_claims(run);
  def->done(def->context, run, zw_run_leave(run, status));
}

static void grouped(void* context, const ZwSim* sim) {
  const ZwRun* run = sim->plan->context;
  ((Members*)context)->model = zw_model_keep(run->model);
}

ZwStatus zw_ensemble_go(const ZwEnsembleDef* def) {
  ZW_CHECK(zw_ensemble_def_is_whole(def));
  ZwEnsembleDef own = *def;
  Members own_members = {.def = &own};
  ZwMembers members = {.next = next, .done = done, .grouped = grouped, .context = &own_members};
  zw_ensemble_run(&members);
  if (own_members.model) zw_model_drop(own_members.model);
  return ZW_OK;
}
