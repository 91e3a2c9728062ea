/* What a run can be asked for by name: formulation, integrator, what is held. */
#include <string.h>

#include "zwang/handles.h"

/* Says that there is no such name, which one may have been meant, and which there are. */
static ZwStatus refuse_name(ZwRun* run, ZwSpan span, const char* what, const char* name,
                            const char* (*text)(int32_t i)) {
  ZwText names;
  const char* meant = NULL;
  zw_text_init(&names, &run->arena);
  for (int32_t i = 0; text(i); i++) zw_text_addf(&names, "%s%s", i ? ", " : "", text(i));
  for (int32_t i = 0; text(i) && !meant; i++) {
    bool is_near = zw_str_distance(zw_str_from(name), zw_str_from(text(i)), 2) <= 2;
    if (is_near || (name[0] && strstr(text(i), name))) meant = text(i);
  }
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, span, "there is no %s '%s'%s%s%s", what, name,
                meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
  zw_diag_remedy(&run->diags, "one of %s", zw_text_get(&names));
  return ZW_ERR_ARGUMENT;
}

ZwStatus zw_run_choose_formulation(ZwRun* run, ZwFormulation* formulation) {
  const char* name = run->def.formulation ? run->def.formulation : "auto";
  const ZwEquations* equations = &run->model->equations;
  *formulation = zw_formulation_find(name);
  if (*formulation == ZW_FORMULATION_COUNT) {
    return refuse_name(run, (ZwSpan){0}, "formulation", name, zw_formulation_text);
  }
  if (*formulation == ZW_FORMULATION_QUASI && run->model->system.contacts.count > 0) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                  "the formulation '%s' cannot be used with contacts: what is free changes with them", name);
    zw_diag_remedy(&run->diags, "leave --formulation out");
    return ZW_ERR_ARGUMENT;
  }
  if (*formulation == ZW_FORMULATION_QUASI && equations->m_all == equations->m_start) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                  "the formulation '%s' needs quasi-velocities, and the model states none", name);
    zw_diag_remedy(&run->diags,
                   "state as many as degrees of freedom, as in: quasi u = x'*cos(phi) + y'*sin(phi), w = phi'");
    return ZW_ERR_ARGUMENT;
  }
  return ZW_OK;
}

static ZwStatus refuse_eliminating(ZwRun* run, const char* why, const char* remedy) {
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "accelerations cannot be eliminated%s", why);
  zw_diag_remedy(&run->diags, "%s", remedy);
  return ZW_ERR_ARGUMENT;
}

/* Does every number name a coordinate, and none twice? */
static bool is_elimination(const ZwRunDef* def, int32_t n) {
  if (def->eliminate_count > n) return false;
  for (int32_t i = 0; i < def->eliminate_count; i++) {
    if (def->eliminate[i] < 0 || def->eliminate[i] >= n) return false;
    for (int32_t j = 0; j < i; j++) {
      if (def->eliminate[j] == def->eliminate[i]) return false;
    }
  }
  return true;
}

ZwStatus zw_run_choose_elimination(ZwRun* run) {
  const ZwRunDef* def = &run->def;
  ZwSim* sim = run->sim;
  ptrdiff_t r = def->eliminate_count;
  if (r == 0) return ZW_OK;
  if (sim->formulation != ZW_FORMULATION_GIBBS_APPELL) {
    return refuse_eliminating(run, " by this formulation: gibbs-appell does that", "write --formulation gibbs-appell");
  }
  if (!is_elimination(def, sim->n)) {
    return refuse_eliminating(run, ": a coordinate is named twice, or there is none of its number",
                              "coordinates count from 0 in the order of the model");
  }
  int32_t* list = ZW_NEW(&run->arena, r, int32_t);
  sim->eliminate_work = ZW_NEW(&run->arena, r * (r + sim->n), double);
  sim->eliminate_swap = ZW_NEW(&run->arena, r, int32_t);
  if (run->arena.failed) return ZW_ERR_MEMORY;
  memcpy(list, def->eliminate, (size_t)r * sizeof *list);
  sim->eliminate = list;
  sim->eliminate_count = def->eliminate_count;
  return ZW_OK;
}

ZwStatus zw_run_choose_integrator(ZwRun* run, ZwIntegratorKind* kind) {
  const ZwRunSpec* spec = &run->model->system.run;
  const char* name = run->def.integrator;
  ZwSpan span = {0};
  if (!name && spec->integrator.size > 0) {
    name = zw_str_copy(&run->arena, spec->integrator);
    span = spec->integrator_span;
    if (!name) return ZW_ERR_MEMORY;
  }
  *kind = zw_integrator_find(name ? name : "auto");
  if (*kind == ZW_INTEGRATOR_COUNT) return refuse_name(run, span, "integrator", name, zw_integrator_text);
  const ZwIntegrator* integrator = zw_integrator(*kind);
  bool is_in_v = *kind != ZW_INTEGRATOR_AUTO && *kind != ZW_INTEGRATOR_EXPLICIT;
  if (is_in_v && run->def.formulation && zw_formulation_find(run->def.formulation) == ZW_FORMULATION_QUASI) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, span, "the integrator %s works in velocities, not in quasi-velocities",
                  name);
    zw_diag_remedy(&run->diags, "leave --formulation out, or use the integrator explicit");
    return ZW_ERR_ARGUMENT;
  }
  const char* remedy = NULL;
  const char* objection = integrator->objection ? integrator->objection(&run->model->equations, &remedy) : NULL;
  bool has_formulation = run->def.formulation && strcmp(run->def.formulation, "auto") != 0;
  if (!objection && integrator->has_own_equations && has_formulation) {
    objection = "it has equations of its own, and a formulation is asked for";
    remedy = "leave --formulation or --integrator out";
  }
  if (!objection && integrator->has_own_equations && run->def.force) {
    objection = "it has equations of its own, and the host computes a force";
    remedy = "use auto, explicit or radau";
  }
  if (!objection) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, span, "the integrator %s cannot be used: %s", name, objection);
  zw_diag_remedy(&run->diags, "%s", remedy);
  return ZW_ERR_ARGUMENT;
}

static ZwStatus refuse_holding(ZwRun* run, const char* why, const char* remedy) {
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "energy cannot be held%s", why);
  zw_diag_remedy(&run->diags, "%s", remedy);
  return ZW_ERR_ARGUMENT;
}

ZwStatus zw_run_choose_conservation(ZwRun* run) {
  const ZwEquations* equations = &run->model->equations;
  if (!run->def.conserve_energy) return ZW_OK;
  if (!run->sim->is_conservative || !equations->has_energy) {
    return refuse_holding(run, ": the model does not conserve it",
                          "a force, dissipation, explicit time, a moving constraint or a Gibbs function changes it");
  }
  if (run->sim->formulation == ZW_FORMULATION_QUASI) {
    return refuse_holding(run, " in quasi-velocities", "leave --formulation or --conserve out");
  }
  if (!run->sim->integrator->attempt) {
    return refuse_holding(run, " with this integrator", "use auto, explicit or radau, or leave --conserve out");
  }
  run->sim->conserves_energy = run->report.is_energy_held = true;
  return ZW_OK;
}
