/* What a file with fixed memory and a fixed step cannot do is refused, by name. */
#include "export/export.h"
#include "export/flat.h"

static void refuse_event(const ZwEvent* event, ZwDiagList* diags) {
  zw_diag_error(diags, ZW_ERR_UNSUPPORTED, event->span,
                "'when %.*s' cannot be exported: a step of fixed size does not look for events",
                ZW_STR_ARGS(event->name));
  zw_diag_remedy(diags, "leave it out, and change the state or the parameters between steps of the exported file");
}

static void refuse_events(const ZwSystem* system, ZwDiagList* diags) {
  for (int32_t i = 0; i < system->contacts.count; i++) {
    const ZwContact* contact = &system->contacts.items[i];
    zw_diag_error(
        diags, ZW_ERR_UNSUPPORTED, contact->span,
        "the contact '%.*s' cannot be exported: impacts and contacts that open and close need steps that end at events",
        ZW_STR_ARGS(contact->name));
    zw_diag_remedy(diags, "a stiff spring and damper, 'potential' and 'force' with 'if', can be exported");
  }
  for (int32_t i = 0; i < system->events.count; i++) {
    const ZwEvent* event = &system->events.items[i];
    if (event->contact == 0 && !event->is_stop) refuse_event(event, diags);
  }
}

static void refuse_gates(const ZwProgram* program, ZwDiagList* diags) {
  for (int32_t i = 0; i < program->equations->m; i++) {
    const ZwTerm* term = &program->equations->system->terms.items[program->equations->rows.items[i].term];
    if (term->gate == 0 || term->contact > 0) continue;
    zw_diag_error(diags, ZW_ERR_UNSUPPORTED, term->span,
                  "the constraint '%.*s' cannot be exported: it comes and goes ('while'), and that is an impact",
                  ZW_STR_ARGS(term->name));
    zw_diag_remedy(diags, "leave the 'while' out, or export one file with the constraint and one without");
  }
}

static void refuse_quantities(const ZwEquations* equations, ZwDiagList* diags) {
  for (int32_t i = 0; i < equations->output_count; i++) {
    const ZwTerm* term = &equations->system->terms.items[equations->outputs.items[i]];
    if (!zw_expr_reads(&equations->system->graph, term->value).quantity) continue;
    zw_diag_error(diags, ZW_ERR_UNSUPPORTED, term->span,
                  "the output '%.*s' cannot be exported: it reads gaussian, acceleration_energy, free(..) or "
                  "constraint_force(..), which the exported outputs do not know",
                  ZW_STR_ARGS(term->name));
    zw_diag_remedy(diags, "leave it out; the exported M, h, A, b and Qc give the same");
  }
}

ZwStatus zw_export_check(const ZwProgram* program, ZwDiagList* diags) {
  const ZwEquations* equations = program->equations;
  int32_t errors = diags->errors;
  refuse_events(equations->system, diags);
  refuse_gates(program, diags);
  if (equations->quantities) refuse_quantities(equations, diags);
  if (diags->errors > errors) return ZW_ERR_UNSUPPORTED;
  if (equations->n == 0) {
    return zw_diag_error(diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0}, "a model without coordinates has nothing to export");
  }
  if (equations->n + equations->m > ZW_EXPORT_UNKNOWNS) {
    zw_diag_error(diags, ZW_ERR_LIMIT, (ZwSpan){0},
                  "%d coordinates and %d constraints are too many to export: the exported solve is dense, the limit is "
                  "%d of both "
                  "together",
                  (int)equations->n, (int)equations->m, (int)ZW_EXPORT_UNKNOWNS);
    zw_diag_remedy(diags, "export a model with fewer parts");
    return ZW_ERR_LIMIT;
  }
  int64_t operations = zw_flat_operations(program);
  if (operations > ZW_EXPORT_OPERATIONS) {
    zw_diag_error(diags, ZW_ERR_LIMIT, (ZwSpan){0},
                  "the equations have %lld operations, too many to export: the limit is %d", (long long)operations,
                  (int)ZW_EXPORT_OPERATIONS);
    zw_diag_remedy(diags, "export a model with fewer parts");
    return ZW_ERR_LIMIT;
  }
  return ZW_OK;
}
