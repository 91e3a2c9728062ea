/* What the header says about a model. */
#include "export/exporter.h"

static ZwStr row_name(const ZwExporter* x, int32_t i) {
  return zw_system_row_name(&x->flat.system, i);
}

static ZwStr output_name(const ZwExporter* x, int32_t i) {
  return x->flat.system.terms.items[x->flat.equations.outputs.items[i]].name;
}

/* "  pendulum_q_x = 0,  (* x *)" for each of a list */
static void add_enum(ZwExporter* x, ZwText* text, const char* about, const char* kind, const char* const* names,
                     int32_t count, ZwStr (*name)(const ZwExporter* x, int32_t i)) {
  if (count == 0) return;
  zw_text_addf(text, "\n/* %s */\nenum {\n", about);
  for (int32_t i = 0; i < count; i++) {
    zw_text_addf(text, "  %s_%s_%s = %d%s /* ", x->job->prefix, kind, names[i], (int)i, i + 1 < count ? "," : "");
    zw_exporter_user_name(text, name(x, i));
    zw_text_addf(text, " */\n");
  }
  zw_text_addf(text, "};\n");
}

static const char* about_text(ZwExporter* x) {
  ZwText text;
  zw_text_init(&text, x->arena);
  zw_text_addf(&text, " * The equations of motion of %s: %d coordinate%s", x->job->model, (int)x->n,
               x->n == 1 ? "" : "s");
  if (x->m > 0) zw_text_addf(&text, ", %d constraint%s", (int)x->m, x->m == 1 ? "" : "s");
  zw_text_addf(&text, ".\n");
  return zw_text_get(&text);
}

static const char* sizes_text(ZwExporter* x) {
  const char* prefix = x->job->prefix;
  int32_t outputs = x->flat.equations.output_count;
  ZwText text;
  zw_text_init(&text, x->arena);
  zw_text_addf(&text, "enum {\n  %s_N = %d%s /* coordinates */\n", prefix, (int)x->n, x->m || outputs ? "," : "");
  if (x->m > 0)
    zw_text_addf(&text, "  %s_ROWS = %d%s /* rows of constraints */\n", prefix, (int)x->m, outputs ? "," : "");
  if (outputs > 0) zw_text_addf(&text, "  %s_OUTPUTS = %d\n", prefix, (int)outputs);
  zw_text_addf(&text, "};\n");
  add_enum(x, &text, "Places in q, v and a.", "q", x->coords, x->n, zw_exporter_coord_name);
  add_enum(x, &text, "Places in lambda: reaction(name), and rows of A.", "reaction", x->rows, x->m, row_name);
  add_enum(x, &text, "Places in what the outputs are written to.", "output", x->outputs, outputs, output_name);
  return zw_text_get(&text);
}

static void add_value_comment(ZwExporter* x, ZwText* text, int32_t i) {
  const ZwParam* param = &x->flat.system.params.items[i];
  zw_exporter_user_name(text, param->name);
  zw_text_addf(text, " = ");
  ZwText value;
  zw_text_init(&value, x->arena);
  zw_system_print(&value, &x->flat.system, param->value, 60);
  zw_exporter_user_name(text, zw_str_from(zw_text_get(&value)));
}

static const char* params_text(ZwExporter* x) {
  const ZwSystem* system = &x->flat.system;
  ZwText text;
  zw_text_init(&text, x->arena);
  for (int32_t i = 0; i < system->params.count; i++) {
    const ZwParam* param = &system->params.items[i];
    if (param->is_hidden) continue;
    if (x->params[i])
      zw_text_addf(&text, "  double %s; /* ", x->params[i]);
    else
      zw_text_addf(&text, "  /* fixed, since it decides what is built: ");
    add_value_comment(x, &text, i);
    zw_text_addf(&text, " */\n");
  }
  if (!zw_exporter_has_fields(x)) zw_text_addf(&text, "  int none; /* the model has none */\n");
  return zw_text_get(&text);
}

static bool outputs_read(const ZwExporter* x, bool of_reactions) {
  const ZwExpr* outputs = x->flat.of[ZW_ENTRY_OUTPUT][ZW_TARGET_OUTPUT];
  for (int32_t i = 0; i < x->flat.equations.output_count; i++) {
    ZwReads reads = zw_expr_reads(&x->flat.graph, outputs[i]);
    if (of_reactions ? reads.reaction : reads.acceleration) return true;
  }
  return false;
}

static const char* outputs_text(ZwExporter* x) {
  ZwText text;
  zw_text_init(&text, x->arena);
  bool reads_a = outputs_read(x, false), reads_lambda = outputs_read(x, true);
  zw_text_addf(&text, "/* The outputs.");
  if (reads_a || reads_lambda) {
    zw_text_addf(&text, " %s come%s from %s_accelerations at the same state.",
                 reads_a && reads_lambda ? "a and lambda"
                 : reads_a               ? "a"
                                         : "lambda",
                 reads_a && reads_lambda ? "" : "s", x->job->prefix);
  }
  if (!reads_a) zw_text_addf(&text, " They do not read a, which may be NULL.");
  if (!reads_lambda && x->m > 0) zw_text_addf(&text, " They do not read lambda, which may be NULL.");
  zw_text_addf(&text, " */\n");
  zw_c_write_head(&text, zw_format(x->arena, "%s;", zw_exporter_outputs_head(x)));
  return zw_text_get(&text);
}

static const char* stops_text(ZwExporter* x) {
  const ZwSystem* system = &x->flat.system;
  ZwText text;
  zw_text_init(&text, x->arena);
  zw_text_addf(&text, "/* Whether a condition holds that ends the motion; %s of the same state:\n",
               x->m > 0 ? "a and lambda are those" : "a is that");
  for (int32_t i = 0; i < system->events.count; i++) {
    if (!system->events.items[i].is_stop) continue;
    zw_text_addf(&text, " *   stop when ");
    zw_exporter_user_name(&text, system->events.items[i].name);
    zw_text_addf(&text, "\n");
  }
  zw_text_addf(&text, " */\n");
  zw_c_write_head(&text, zw_format(x->arena, "%s;", zw_exporter_is_over_head(x)));
  return zw_text_get(&text);
}

static const char* levels_text(ZwExporter* x) {
  ZwText line, text;
  zw_text_init(&line, x->arena);
  zw_text_init(&text, x->arena);
  zw_text_addf(&line, "static const int row_level[%s_ROWS] = {", x->job->prefix);
  for (int32_t i = 0; i < x->m; i++) {
    zw_text_addf(&line, "%s%d", i > 0 ? ", " : "", (int)x->flat.equations.rows.items[i].level);
  }
  zw_text_addf(&line, "};");
  zw_c_write_line(&text, 0, zw_text_get(&line));
  return zw_text_get(&text);
}

/* The memory of the elimination; an array has at least one number. */
static const char* kept_text(ZwExporter* x) {
  return zw_format(x->arena, "  double kept[%d]; /* of the solve that is written out */\n",
                   (int)(x->elimination.kept > 0 ? x->elimination.kept : 1));
}

void zw_exporter_describe(ZwExporter* x, ZwTemplateText texts[ZW_EXPORT_TEXTS]) {
  const ZwTemplateText all[ZW_EXPORT_TEXTS] = {
      {"about", about_text(x)}, {"sizes", sizes_text(x)},   {"params", params_text(x)}, {"outputs", outputs_text(x)},
      {"stops", stops_text(x)}, {"levels", levels_text(x)}, {"kept", kept_text(x)},     {NULL, NULL}};
  for (int i = 0; i < ZW_EXPORT_TEXTS; i++) texts[i] = all[i];
}
