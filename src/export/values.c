/* Numbers of a model: its parameters, its start, its tables. */
#include "export/exporter.h"

bool zw_exporter_has_fields(const ZwExporter* x) {
  for (int32_t i = 0; i < x->flat.system.params.count; i++) {
    if (x->params[i]) return true;
  }
  return false;
}

void zw_exporter_write_params(ZwExporter* x) {
  const ZwSystem* system = &x->flat.system;
  ZwText line;
  zw_text_addf(x->body, "%s", zw_exporter_named(x, "void NAME_default_params(NAME_params* p) {\n"));
  for (int32_t i = 0; i < system->params.count; i++) {
    if (!x->params[i]) continue;
    zw_text_init(&line, x->arena);
    x->writer.out = &line;
    zw_text_addf(&line, "p->%s = ", x->params[i]);
    ZwExpr value = zw_flat_copy(&x->flat, system->params.items[i].value, x->job->values);
    if (value.ref) zw_c_write_expression(&x->writer, value);
    zw_text_addf(&line, ";");
    x->writer.out = x->body;
    zw_c_write_line(x->body, 2, zw_text_get(&line));
  }
  if (!zw_exporter_has_fields(x)) zw_text_addf(x->body, "  p->none = 0;\n");
  zw_text_addf(x->body, "}\n\n");
}

static void write_numbers(ZwExporter* x, ZwText* text, const char* array, const double* values) {
  for (int32_t i = 0; i < x->n; i++) {
    zw_text_addf(text, "  %s[%d] = ", array, (int)i);
    zw_c_write_number(text, values[i]);
    zw_text_addf(text, "; /* ");
    zw_exporter_user_name(text, zw_exporter_coord_name(x, i));
    zw_text_addf(text, "%s */\n", array[0] == 'v' ? "'" : "");
  }
}

void zw_exporter_write_start(ZwExporter* x, ZwText* text) {
  zw_text_addf(text, "%s",
               zw_exporter_named(
                   x, "\nvoid NAME_start(double* t, double q[NAME_N], double v[NAME_N], NAME_work* work) {\n  *t = "));
  zw_c_write_number(text, x->job->t);
  zw_text_addf(text, ";\n");
  write_numbers(x, text, "q", x->job->q);
  write_numbers(x, text, "v", x->job->v);
  zw_text_addf(text, "%s", zw_exporter_named(x, "  NAME_reset(work);\n"));
  if (x->m > 0) {
    zw_text_addf(text, "%s",
                 zw_exporter_named(
                     x,
                     "  NAME_params p;\n  NAME_default_params(&p);\n"
                     "  (void)NAME_choose_rows(*t, q, v, &p, work); /* here the state is on the constraints */\n"));
  }
  zw_text_addf(text, "}\n");
}

/* ---- tables ---- */

static void write_column(ZwText* text, int number, const char* what, const double* values, int32_t count,
                         double origin) {
  ZwText line;
  zw_text_init(&line, text->arena);
  zw_text_addf(&line, "static const double table_%d_%s[TABLE_%d_POINTS] = {", number, what, number);
  for (int32_t i = 0; i < count; i++) {
    if (i > 0) zw_text_addf(&line, ", ");
    zw_c_write_number(&line, values[i] + origin);
  }
  zw_text_addf(&line, "};");
  zw_c_write_line(text, 0, zw_text_get(&line));
}

static bool is_table_used(const ZwExporter* x, int32_t number) {
  const ZwGraph* graph = &x->flat.graph;
  for (int32_t i = 1; i < graph->nodes.count; i++) {
    const ZwNode* node = &graph->nodes.items[i];
    if (node->op == ZW_OP_TABLE && graph->nodes.items[node->u.args[1]].u.value == number) return true;
  }
  return false;
}

void zw_exporter_write_tables(ZwExporter* x, ZwText* text) {
  const ZwTables* tables = &x->flat.system.tables;
  for (int32_t i = 0; i < tables->list.count && x->writer.uses[ZW_OP_TABLE]; i++) {
    const ZwTable* table = &tables->list.items[i];
    if (!is_table_used(x, i)) continue;
    int number = (int)i + 1;
    zw_text_addf(text, "/* Points of a table, and the second derivatives of its spline there. */\n");
    zw_text_addf(text, "enum { TABLE_%d_POINTS = %d, TABLE_%d_IS_PERIODIC = %d };\n", number, (int)table->count, number,
                 (int)table->is_periodic);
    write_column(text, number, "x", table->x, table->count, table->origin);
    write_column(text, number, "y", table->y, table->count, 0);
    write_column(text, number, "bend", table->bend, table->count, 0);
    zw_text_addf(text, "\n");
  }
}
