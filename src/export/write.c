/* The two files: what is particular to a model, between parts that all of them share. */
#include "export/exporter.h"
#include "export/names.h"

/* ---- names ---- */

static const char** name_list(ZwExporter* x, int32_t count) {
  return ZW_NEW(x->arena, count + 1, const char*);
}

static bool name_everything(ZwExporter* x) {
  const ZwSystem* system = &x->flat.system;
  const ZwEquations* equations = &x->flat.equations;
  ZwCScope coords = {.arena = x->arena}, rows = coords, outputs = coords;
  ZwCScope params = {.arena = x->arena, .is_bare = true};
  x->coords = name_list(x, x->n);
  x->params = name_list(x, system->params.count);
  x->rows = name_list(x, x->m);
  x->outputs = name_list(x, equations->output_count);
  if (x->arena->failed) return false;
  for (int32_t i = 0; i < x->n; i++) x->coords[i] = zw_c_name(&coords, system->coords.items[i].name);
  for (int32_t i = 0; i < x->m; i++) x->rows[i] = zw_c_name(&rows, zw_system_row_name(system, i));
  for (int32_t i = 0; i < equations->output_count; i++) {
    x->outputs[i] = zw_c_name(&outputs, system->terms.items[equations->outputs.items[i]].name);
  }
  for (int32_t i = 0; i < system->params.count; i++) {
    const ZwParam* param = &system->params.items[i];
    if (!param->is_hidden && !zw_flat_is_fixed(param)) x->params[i] = zw_c_name(&params, param->name);
  }
  return !x->arena->failed;
}

/* The user's name inside a comment, which it must not end. */
void zw_exporter_user_name(ZwText* text, ZwStr name) {
  for (int32_t i = 0; i < name.size; i++) {
    bool ends = i > 0 && name.data[i] == '/' && name.data[i - 1] == '*';
    if (ends) zw_text_add(text, " ", 1);
    zw_text_add(text, name.data + i, 1);
  }
}

ZwStr zw_exporter_coord_name(const ZwExporter* x, int32_t i) {
  return x->flat.system.coords.items[i].name;
}

/* A text of ours with the prefix in the place of NAME. */
const char* zw_exporter_named(ZwExporter* x, const char* text) {
  ZwTemplateWords words = {x->job->prefix, "", x->job->version, NULL, NULL};
  return zw_template_line(x->arena, text, &words);
}

static const char* guard_text(ZwExporter* x) {
  char* guard = zw_str_copy(x->arena, zw_str_from(x->job->prefix));
  for (char* at = guard; at && *at; at++) *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
  return guard;
}

/* ---- both files ---- */

static void assemble(ZwExporter* x, ZwExportResult* result) {
  const bool* uses = x->writer.uses;
  const ZwTemplateFlag flags[] = {{"rows", x->m > 0},
                                  {"several", x->m > 1},
                                  {"levels", zw_exporter_has_level(x, ZW_LEVEL_VELOCITY)},
                                  {"outputs", x->flat.equations.output_count > 0},
                                  {"stops", zw_exporter_stop_condition(x).ref != 0},
                                  {"energy", x->flat.equations.has_energy},
                                  {"sign", uses[ZW_OP_SIGN]},
                                  {"lesser", uses[ZW_OP_MIN] || x->elimination.uses_lesser},
                                  {"written", x->elimination.is_there},
                                  {"larger", uses[ZW_OP_MAX]},
                                  {"modulo", uses[ZW_OP_MOD]},
                                  {"spline", uses[ZW_OP_TABLE]},
                                  {NULL, false}};
  const char* prefix = x->job->prefix;
  ZwTemplateText texts[ZW_EXPORT_TEXTS];
  zw_exporter_describe(x, texts);
  const ZwTemplateWords words = {prefix, guard_text(x), x->job->version, flags, texts};
  zw_text_init(&result->header, x->arena);
  zw_text_init(&result->source, x->arena);
  zw_template_expand(&result->header, "header", &words);
  ZwText* source = &result->source;
  zw_text_addf(source,
               "/* The equations of motion of %s; what it gives is described in its header. Made by zwang %s. */\n",
               x->job->model, x->job->version);
  zw_text_addf(source, "#include \"%s\"\n\n#include <math.h>\n\n", x->job->file);
  zw_exporter_write_tables(x, source);
  zw_template_expand(source, "helpers", &words);
  zw_text_add(source, zw_text_get(x->body), x->body->size);
  zw_template_expand(source, "dense", &words);
  zw_template_expand(source, "solve", &words);
  zw_template_expand(source, "move", &words);
  zw_exporter_write_start(x, source);
}

static int32_t count_fields(const ZwExporter* x) {
  int32_t count = 0;
  for (int32_t i = 0; i < x->flat.system.params.count; i++) count += x->params[i] != NULL;
  return count;
}

ZwStatus zw_export_write(const ZwExportJob* job, ZwArena* arena, ZwDiagList* diags, ZwExportResult* result) {
  *result = (ZwExportResult){0};
  ZwExporter* x = ZW_NEW(arena, 1, ZwExporter);
  if (!x) return ZW_ERR_MEMORY;
  x->job = job;
  x->arena = arena;
  ZW_TRY(zw_flat_build(&x->flat, arena, diags, job->program->equations->system, job->values));
  x->n = x->flat.equations.n;
  x->m = x->flat.equations.m;
  if (!name_everything(x)) return ZW_ERR_MEMORY;
  ZwText body;
  zw_text_init(&body, arena);
  x->body = &body;
  ZwCLeaves leaves = {x->coords, x->params, x->rows};
  zw_c_writer_init(&x->writer, &body, arena, &x->flat.graph, &leaves);
  zw_exporter_write_params(x);
  ZW_TRY(zw_exporter_write_functions(x));
  if (arena->failed) return ZW_ERR_MEMORY;
  assemble(x, result);
  result->parameters = count_fields(x);
  result->outputs = x->flat.equations.output_count;
  result->operations = x->operations;
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
