/* A run at its start, as C. */
#include "export/export.h"

#include <string.h>

#include "base/alloc.h"
#include "export/names.h"
#include "zwang/handles.h"

/* "models/two-arms.zw" -> "two-arms" */
static ZwStr base_name(const char* file) {
  const char* slash = strrchr(file, '/');
  ZwStr name = zw_str_from(slash ? slash + 1 : file);
  bool has_ending = name.size > 3 && memcmp(name.data + name.size - 3, ".zw", 3) == 0;
  return (ZwStr){name.data, has_ending ? name.size - 3 : name.size};
}

static const char* choose_prefix(ZwArena* arena, const char* file) {
  ZwCScope scope = {.arena = arena, .is_bare = true};
  return zw_c_name(&scope, base_name(file));
}

static char* copy_text(const ZwRun* run, const ZwText* text) {
  char* copy = zw_alloc(&run->arena.allocator, (size_t)text->size + 1);
  if (copy) memcpy(copy, zw_text_get(text), (size_t)text->size);
  return copy;
}

static ZwStatus hand_over(ZwRun* run, const ZwExportResult* result, ZwExport* texts) {
  texts->source = copy_text(run, &result->source);
  texts->header = copy_text(run, &result->header);
  texts->parameters = result->parameters;
  texts->outputs = result->outputs;
  texts->operations = result->operations;
  if (texts->source && texts->header) return ZW_OK;
  zw_release(&run->arena.allocator, texts->source);
  zw_release(&run->arena.allocator, texts->header);
  *texts = (ZwExport){0};
  return ZW_ERR_MEMORY;
}

static ZwStatus export_run(ZwRun* run, const ZwExportDef* def, ZwArena* scratch, ZwExport* texts) {
  const char* file = zw_model_text(run->model, 0).name;
  const char* prefix = def->prefix ? def->prefix : choose_prefix(scratch, file);
  if (!prefix) return ZW_ERR_MEMORY;
  if (!zw_c_is_prefix(zw_str_from(prefix))) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "'%s' cannot begin names in C", prefix);
    zw_diag_remedy(&run->diags, "use letters, digits and underscores, a letter first");
    return ZW_ERR_ARGUMENT;
  }
  ZW_TRY(zw_export_check(&run->model->program, &run->diags));
  const ZwSim* sim = run->sim;
  if (sim->near.has_limit) {
    zw_diag_error(&run->diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0},
                  "the start is a singular position, where the exported file has no accelerations");
    zw_diag_remedy(&run->diags, "start a little beside it");
    return ZW_ERR_UNSUPPORTED;
  }
  ZwStr base = base_name(file);
  ZwExportJob job = {.program = &run->model->program,
                     .values = sim->values,
                     .t = zw_time(sim, sim->t),
                     .q = sim->y,
                     .v = sim->y + sim->n,
                     .prefix = prefix,
                     .file = def->header ? def->header : zw_format(scratch, "%s.h", prefix),
                     .is_compact = def->compact,
                     .version = zw_version(),
                     .model = zw_str_copy(scratch, base)};
  if (scratch->failed) return ZW_ERR_MEMORY;
  ZwExportResult result;
  ZW_TRY(zw_export_write(&job, scratch, &run->diags, &result));
  return hand_over(run, &result, texts);
}

static ZwStatus export_fresh(ZwRun* run, const ZwExportDef* def, ZwExport* texts) {
  ZW_TRY(run->status);
  ZW_TRY(zw_run_check_fresh(run, "be exported"));
  ZwArena scratch;
  zw_arena_init(&scratch, &run->arena.allocator);
  scratch.limit = run->model->arena.limit;
  ZwStatus status = export_run(run, def, &scratch, texts);
  if (scratch.limit_reached) status = ZW_ERR_LIMIT;
  zw_arena_destroy(&scratch);
  return run->arena.failed ? ZW_ERR_MEMORY : status;
}

ZwStatus zw_run_export(ZwRun* run, const ZwExportDef* def, ZwExport* texts) {
  ZW_CHECK(texts);
  *texts = (ZwExport){0};
  ZW_CHECK(zw_export_def_is_whole(def) && zw_run_enter(run));
  return zw_run_leave(run, export_fresh(run, def, texts));
}
