/* Definitions as they should be: made by their zw_default_..._def(), with all that their counts promise. */
#include "zwang/door.h"

#include "base/alloc.h"

/* ---- defaults ---- */

ZwExportDef zw_default_export_def(void) {
  return (ZwExportDef){ZW_DEF_HEAD(ZwExportDef)};
}

ZwLinearizeDef zw_default_linearize_def(void) {
  return (ZwLinearizeDef){ZW_DEF_HEAD(ZwLinearizeDef)};
}

ZwEnsembleDef zw_default_ensemble_def(void) {
  return (ZwEnsembleDef){ZW_DEF_HEAD(ZwEnsembleDef)};
}

ZwForcesDef zw_default_forces_def(void) {
  return (ZwForcesDef){ZW_DEF_HEAD(ZwForcesDef)};
}

ZwCompareDef zw_default_compare_def(void) {
  return (ZwCompareDef){ZW_DEF_HEAD(ZwCompareDef)};
}

/* ---- parts ---- */

bool zw_names_are_whole(const char* const* names, int32_t count) {
  if (!zw_list_is_whole(names, count)) return false;
  for (int32_t i = 0; i < count; i++) {
    if (!names[i]) return false;
  }
  return true;
}

/* Both functions or none. */
static bool allocator_is_whole(const ZwAllocator* allocator) {
  return (allocator->alloc == NULL) == (allocator->release == NULL);
}

static bool reader_is_whole(const ZwReader* reader) {
  return (reader->read == NULL) == (reader->release == NULL);
}

ZwAllocator zw_allocator_of(const ZwAllocator* given) {
  return given->alloc ? *given : zw_allocator_default();
}

static bool sets_are_whole(const ZwSet* sets, int32_t count) {
  if (!zw_list_is_whole(sets, count)) return false;
  for (int32_t i = 0; i < count; i++) {
    if (!sets[i].name || !sets[i].value) return false;
  }
  return true;
}

static bool constraints_are_whole(const ZwHostConstraint* constraints, int32_t count) {
  if (!zw_list_is_whole(constraints, count)) return false;
  for (int32_t i = 0; i < count; i++) {
    int level = (int)constraints[i].level;
    if (!constraints[i].name || level < ZW_OF_POSITIONS || level > ZW_OF_ACCELERATIONS) return false;
  }
  return true;
}

static bool changes_are_whole(const ZwRunChange* changes, int32_t count) {
  if (!zw_list_is_whole(changes, count)) return false;
  for (int32_t i = 0; i < count; i++) {
    if (!changes[i].name) return false;
  }
  return true;
}

static bool columns_are_whole(const ZwMotionColumn* columns, int32_t count, int32_t rows) {
  if (!zw_list_is_whole(columns, count)) return false;
  for (int32_t i = 0; i < count; i++) {
    if (!columns[i].name || !zw_list_is_whole(columns[i].values, rows)) return false;
  }
  return true;
}

/* ---- definitions ---- */

bool zw_compile_def_is_whole(const ZwCompileDef* def) {
  return ZW_DEF_IS_WHOLE(def) && (def->text || def->size == 0) && sets_are_whole(def->sets, def->set_count) &&
         constraints_are_whole(def->constraints, def->constraint_count) && reader_is_whole(&def->reader) &&
         def->limits.iterations >= 0 && def->limits.nesting >= 0 && allocator_is_whole(&def->allocator);
}

bool zw_run_def_is_whole(const ZwRunDef* def) {
  return ZW_DEF_IS_WHOLE(def) && changes_are_whole(def->changes, def->change_count) &&
         zw_list_is_whole(def->eliminate, def->eliminate_count) &&
         zw_names_are_whole(def->sensitivity, def->sensitivity_count) && (def->force || !def->force_slope);
}

bool zw_export_def_is_whole(const ZwExportDef* def) {
  return ZW_DEF_IS_WHOLE(def);
}

bool zw_linearize_def_is_whole(const ZwLinearizeDef* def) {
  if (!ZW_DEF_IS_WHOLE(def)) return false;
  int at = (int)def->at;
  return at >= ZW_LINEARIZE_AUTO && at <= ZW_LINEARIZE_PRESENT && zw_names_are_whole(def->inputs, def->input_count);
}

bool zw_ensemble_def_is_whole(const ZwEnsembleDef* def) {
  return ZW_DEF_IS_WHOLE(def) && def->next && def->done;
}

bool zw_forces_def_is_whole(const ZwForcesDef* def) {
  return ZW_DEF_IS_WHOLE(def) && zw_list_is_whole(def->t, def->rows) &&
         columns_are_whole(def->columns, def->column_count, def->rows) && zw_names_are_whole(def->by, def->by_count);
}

bool zw_compare_def_is_whole(const ZwCompareDef* def) {
  return ZW_DEF_IS_WHOLE(def) && zw_list_is_whole(def->times, def->count);
}

bool zw_least_def_is_whole(const ZwLeastDef* def) {
  return ZW_DEF_IS_WHOLE(def) && def->n >= 1 && def->m >= 0 && zw_list_is_whole(def->M_places, def->M_count) &&
         zw_list_is_whole(def->A_places, def->A_count) && allocator_is_whole(&def->allocator) && def->detail >= 0 &&
         def->detail <= ZW_DETAIL_ALL && !(def->detail && (def->M_places || def->A_places));
}
