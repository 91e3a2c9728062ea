/* The two files: what is particular to a model, between parts that all of them share. */
#include <string.h>

#include "export/eliminate.h"
#include "export/export.h"
#include "export/flat.h"
#include "export/names.h"
#include "export/statements.h"
#include "export/template.h"

typedef struct Exporter {
  const ZwExportJob* job;
  ZwArena* arena;
  ZwFlat flat;
  int32_t n, m;
  const char **coords, **params, **rows, **outputs; /* names in C */
  ZwCWriter writer;
  int64_t operations; /* of the equations */
  ZwCElimination elimination;
  ZwText* body;                    /* of the functions that are particular to the model */
  ZW_ARRAY(ZwCAssignment) pending; /* assignments of the function at hand */
} Exporter;

/* ---- names ---- */

static const char** name_list(Exporter* x, int32_t count) {
  return ZW_NEW(x->arena, count + 1, const char*);
}

static bool name_everything(Exporter* x) {
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
static void add_user_name(ZwText* text, ZwStr name) {
  for (int32_t i = 0; i < name.size; i++) {
    bool ends = i > 0 && name.data[i] == '/' && name.data[i - 1] == '*';
    if (ends) zw_text_add(text, " ", 1);
    zw_text_add(text, name.data + i, 1);
  }
}

/* "  pendulum_q_x = 0,  (* x *)" for each of a list */
static void add_enum(Exporter* x, ZwText* text, const char* about, const char* kind, const char* const* names,
                     int32_t count, ZwStr (*name)(const Exporter* x, int32_t i)) {
  if (count == 0) return;
  zw_text_addf(text, "\n/* %s */\nenum {\n", about);
  for (int32_t i = 0; i < count; i++) {
    zw_text_addf(text, "  %s_%s_%s = %d%s /* ", x->job->prefix, kind, names[i], (int)i, i + 1 < count ? "," : "");
    add_user_name(text, name(x, i));
    zw_text_addf(text, " */\n");
  }
  zw_text_addf(text, "};\n");
}

static ZwStr coord_name(const Exporter* x, int32_t i) {
  return x->flat.system.coords.items[i].name;
}

static ZwStr row_name(const Exporter* x, int32_t i) {
  return zw_system_row_name(&x->flat.system, i);
}

static ZwStr output_name(const Exporter* x, int32_t i) {
  return x->flat.system.terms.items[x->flat.equations.outputs.items[i]].name;
}

/* ---- the functions of the model ---- */

static void assign(Exporter* x, ZwExpr value, const char* array, int32_t place) {
  ZwCAssignment assignment = {zw_format(x->arena, "%s[%d]", array, (int)place), value};
  (void)ZW_PUSH(x->arena, &x->pending, assignment);
}

static bool is_zero(const Exporter* x, ZwExpr e) {
  return zw_expr_is_const(&x->flat.graph, e, 0);
}

/* M in full; what is zero was filled before. */
static void assign_masses(Exporter* x) {
  const ZwPattern* pattern = &x->flat.equations.M;
  const ZwExpr* M = x->flat.of[ZW_ENTRY_ACCELERATION][ZW_TARGET_M];
  for (int32_t i = 0; i < x->n; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      int32_t j = pattern->column[k];
      if (is_zero(x, M[k])) continue;
      assign(x, M[k], "M", i * x->n + j);
      if (j != i) assign(x, M[k], "M", j * x->n + i);
    }
  }
}

static void assign_forces(Exporter* x) {
  const ZwExpr* h = x->flat.of[ZW_ENTRY_ACCELERATION][ZW_TARGET_H];
  const ZwExpr* Q = x->flat.of[ZW_ENTRY_ACCELERATION][ZW_TARGET_Q];
  for (int32_t i = 0; i < x->n; i++) assign(x, zw_expr_add(&x->flat.graph, h[i], Q[i]), "h", i);
}

static void assign_rows(Exporter* x, ZwEntry entry) {
  const ZwPattern* pattern = &x->flat.equations.A;
  const ZwExpr* A = x->flat.of[entry][ZW_TARGET_A];
  for (int32_t i = 0; i < x->m; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      if (!is_zero(x, A[k])) assign(x, A[k], "A", i * x->n + pattern->column[k]);
    }
  }
}

static void assign_list(Exporter* x, ZwEntry entry, ZwTarget target, const char* array, int32_t count) {
  for (int32_t i = 0; i < count; i++) assign(x, x->flat.of[entry][target][i], array, i);
}

/* "static void positions(double t, ..) {", what is filled with zeros first, the statements, "}" */
static void end_function(Exporter* x, const char* head, const char* filled, unsigned given) {
  zw_c_write_head(x->body, head);
  zw_text_addf(x->body, "%s", filled);
  zw_c_write_statements(&x->writer, given, x->pending.items, x->pending.count);
  zw_text_addf(x->body, "}\n\n");
  x->pending.count = 0;
}

/* A text of ours with the prefix in the place of NAME. */
static const char* named(Exporter* x, const char* text) {
  ZwTemplateWords words = {x->job->prefix, "", x->job->version, NULL, NULL};
  return zw_template_line(x->arena, text, &words);
}

enum { OF_STATE = ZW_C_GIVEN_T | ZW_C_GIVEN_Q | ZW_C_GIVEN_V | ZW_C_GIVEN_P };

#define STATE "double t, const double q[NAME_N], const double v[NAME_N], const NAME_params* p"
#define ZERO_M "  for (int i = 0; i < NAME_N * NAME_N; i++) M[i] = 0.0;\n"
#define ZERO_A "  for (int i = 0; i < NAME_ROWS * NAME_N; i++) A[i] = 0.0;\n"

static void write_equations(Exporter* x) {
  assign_masses(x);
  assign_forces(x);
  if (x->m > 0) {
    assign_rows(x, ZW_ENTRY_ACCELERATION);
    assign_list(x, ZW_ENTRY_ACCELERATION, ZW_TARGET_B, "b", x->m);
    end_function(
        x,
        named(x, "void NAME_equations(" STATE
                 ", double M[NAME_N * NAME_N], double h[NAME_N], double A[NAME_ROWS * NAME_N], double b[NAME_ROWS]) {"),
        named(x, ZERO_M ZERO_A), OF_STATE);
  } else {
    end_function(x, named(x, "void NAME_equations(" STATE ", double M[NAME_N * NAME_N], double h[NAME_N]) {"),
                 named(x, ZERO_M), OF_STATE);
  }
}

static void write_parts(Exporter* x) {
  assign_masses(x);
  end_function(x, named(x, "void NAME_mass(" STATE ", double M[NAME_N * NAME_N]) {"), named(x, ZERO_M), OF_STATE);
  assign_forces(x);
  end_function(x, named(x, "void NAME_force(" STATE ", double h[NAME_N]) {"), "", OF_STATE);
  if (x->m == 0) return;
  assign_rows(x, ZW_ENTRY_ACCELERATION);
  assign_list(x, ZW_ENTRY_ACCELERATION, ZW_TARGET_B, "b", x->m);
  end_function(x, named(x, "void NAME_constraints(" STATE ", double A[NAME_ROWS * NAME_N], double b[NAME_ROWS]) {"),
               named(x, ZERO_A), OF_STATE);
}

static bool has_level(const Exporter* x, ZwLevel most) {
  for (int32_t i = 0; i < x->m; i++) {
    if (x->flat.equations.rows.items[i].level <= most) return true;
  }
  return false;
}

/* Residuals, and with the rows of A what a projection asks for. */
static void write_residuals(Exporter* x) {
  assign_list(x, ZW_ENTRY_POSITION, ZW_TARGET_PHI, "phi", x->m);
  assign_list(x, ZW_ENTRY_VELOCITY, ZW_TARGET_PSI, "phidot", x->m);
  end_function(x, named(x, "void NAME_residuals(" STATE ", double phi[NAME_ROWS], double phidot[NAME_ROWS]) {"), "",
               OF_STATE);
  assign_list(x, ZW_ENTRY_POSITION, ZW_TARGET_PHI, "phi", x->m);
  assign_rows(x, ZW_ENTRY_POSITION);
  zw_text_addf(x->body, "/* Residuals of positions, and their rows of A. */\n");
  end_function(
      x, named(x, "static void positions(double t, const double* q, const NAME_params* p, double* phi, double* A) {"),
      named(x, ZERO_A), ZW_C_GIVEN_T | ZW_C_GIVEN_Q | ZW_C_GIVEN_P);
  assign_list(x, ZW_ENTRY_VELOCITY, ZW_TARGET_PSI, "psi", x->m);
  assign_rows(x, ZW_ENTRY_VELOCITY);
  zw_text_addf(x->body, "/* Residuals of velocities, and their rows of A. */\n");
  end_function(x,
               named(x,
                     "static void velocities(double t, const double* q, const double* v, const NAME_params* p, double* "
                     "psi, double* A) {"),
               named(x, ZERO_A), OF_STATE);
}

static bool outputs_read(const Exporter* x, bool of_reactions) {
  const ZwExpr* outputs = x->flat.of[ZW_ENTRY_OUTPUT][ZW_TARGET_OUTPUT];
  for (int32_t i = 0; i < x->flat.equations.output_count; i++) {
    ZwReads reads = zw_expr_reads(&x->flat.graph, outputs[i]);
    if (of_reactions ? reads.reaction : reads.acceleration) return true;
  }
  return false;
}

static const char* outputs_head(Exporter* x) {
  return named(x, x->m > 0 ? "void NAME_outputs(" STATE
                             ", const double a[NAME_N], const double lambda[NAME_ROWS], double y[NAME_OUTPUTS])"
                           : "void NAME_outputs(" STATE ", const double a[NAME_N], double y[NAME_OUTPUTS])");
}

static void write_outputs(Exporter* x) {
  int32_t count = x->flat.equations.output_count;
  if (count > 0) {
    assign_list(x, ZW_ENTRY_OUTPUT, ZW_TARGET_OUTPUT, "y", count);
    unsigned given = OF_STATE | ZW_C_GIVEN_A | (x->m > 0 ? ZW_C_GIVEN_LAMBDA : 0);
    end_function(x, zw_format(x->arena, "%s {", outputs_head(x)), "", given);
  }
  if (!x->flat.equations.has_energy) return;
  ZwCAssignment energy = {"const double energy", x->flat.of[ZW_ENTRY_ENERGY][ZW_TARGET_ENERGY][0]};
  zw_c_write_head(x->body, named(x, "double NAME_energy(" STATE ") {"));
  zw_c_write_statements(&x->writer, OF_STATE, &energy, 1);
  zw_text_addf(x->body, "  return energy;\n}\n\n");
}

static const char* is_over_head(Exporter* x) {
  return named(x, x->m > 0 ? "int NAME_is_over(" STATE ", const double a[NAME_N], const double lambda[NAME_ROWS])"
                           : "int NAME_is_over(" STATE ", const double a[NAME_N])");
}

/* Any condition of `stop when`; 0: the model has none. */
static ZwExpr stop_condition(Exporter* x) {
  const ZwSystem* system = &x->flat.system;
  ZwExpr any = {0};
  for (int32_t i = 0; i < system->events.count; i++) {
    const ZwEvent* event = &system->events.items[i];
    if (!event->is_stop) continue;
    ZwExpr condition = x->flat.of[ZW_ENTRY_EVENT][ZW_TARGET_EVENT][event->condition];
    any = any.ref ? zw_expr_binary(&x->flat.graph, ZW_OP_OR, any, condition) : condition;
  }
  return any;
}

static void write_is_over(Exporter* x) {
  ZwCAssignment over = {"const double is_over", stop_condition(x)};
  if (!over.value.ref) return;
  zw_c_write_head(x->body, zw_format(x->arena, "%s {", is_over_head(x)));
  zw_c_write_statements(&x->writer, OF_STATE | ZW_C_GIVEN_A | (x->m > 0 ? ZW_C_GIVEN_LAMBDA : 0), &over, 1);
  zw_text_addf(x->body, "  return is_over != 0.0;\n}\n\n");
}

/* ---- parameters and start ---- */

static bool has_fields(const Exporter* x) {
  for (int32_t i = 0; i < x->flat.system.params.count; i++) {
    if (x->params[i]) return true;
  }
  return false;
}

static void write_default_params(Exporter* x) {
  const ZwSystem* system = &x->flat.system;
  ZwText line;
  zw_text_addf(x->body, "%s", named(x, "void NAME_default_params(NAME_params* p) {\n"));
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
  if (!has_fields(x)) zw_text_addf(x->body, "  p->none = 0;\n");
  zw_text_addf(x->body, "}\n\n");
}

static void write_numbers(Exporter* x, ZwText* text, const char* array, const double* values) {
  for (int32_t i = 0; i < x->n; i++) {
    zw_text_addf(text, "  %s[%d] = ", array, (int)i);
    zw_c_write_number(text, values[i]);
    zw_text_addf(text, "; /* ");
    add_user_name(text, coord_name(x, i));
    zw_text_addf(text, "%s */\n", array[0] == 'v' ? "'" : "");
  }
}

static void write_start(Exporter* x, ZwText* text) {
  zw_text_addf(
      text, "%s",
      named(x, "\nvoid NAME_start(double* t, double q[NAME_N], double v[NAME_N], NAME_work* work) {\n  *t = "));
  zw_c_write_number(text, x->job->t);
  zw_text_addf(text, ";\n");
  write_numbers(x, text, "q", x->job->q);
  write_numbers(x, text, "v", x->job->v);
  zw_text_addf(text, "%s", named(x, "  NAME_reset(work);\n"));
  if (x->m > 0) {
    zw_text_addf(text, "%s",
                 named(x,
                       "  NAME_params p;\n  NAME_default_params(&p);\n"
                       "  (void)NAME_choose_rows(*t, q, v, &p, work); /* here the state is on the constraints */\n"));
  }
  zw_text_addf(text, "}\n");
}

/* ---- tables ---- */

static void write_column(ZwText* text, int number, const char* what, const double* values, int32_t count) {
  ZwText line;
  zw_text_init(&line, text->arena);
  zw_text_addf(&line, "static const double table_%d_%s[TABLE_%d_POINTS] = {", number, what, number);
  for (int32_t i = 0; i < count; i++) {
    if (i > 0) zw_text_addf(&line, ", ");
    zw_c_write_number(&line, values[i]);
  }
  zw_text_addf(&line, "};");
  zw_c_write_line(text, 0, zw_text_get(&line));
}

static bool is_table_used(const Exporter* x, int32_t number) {
  const ZwGraph* graph = &x->flat.graph;
  for (int32_t i = 1; i < graph->nodes.count; i++) {
    const ZwNode* node = &graph->nodes.items[i];
    if (node->op == ZW_OP_TABLE && graph->nodes.items[node->u.args[1]].u.value == number) return true;
  }
  return false;
}

static void write_tables(Exporter* x, ZwText* text) {
  const ZwTables* tables = &x->flat.system.tables;
  for (int32_t i = 0; i < tables->list.count && x->writer.uses[ZW_OP_TABLE]; i++) {
    const ZwTable* table = &tables->list.items[i];
    if (!is_table_used(x, i)) continue;
    int number = (int)i + 1;
    zw_text_addf(text, "/* Points of a table, and the second derivatives of its spline there. */\n");
    zw_text_addf(text, "enum { TABLE_%d_POINTS = %d };\n", number, (int)table->count);
    write_column(text, number, "x", table->x, table->count);
    write_column(text, number, "y", table->y, table->count);
    write_column(text, number, "bend", table->bend, table->count);
    zw_text_addf(text, "\n");
  }
}

/* ---- what is inserted ---- */

static const char* about_text(Exporter* x) {
  ZwText text;
  zw_text_init(&text, x->arena);
  zw_text_addf(&text, " * The equations of motion of %s: %d coordinate%s", x->job->model, (int)x->n,
               x->n == 1 ? "" : "s");
  if (x->m > 0) zw_text_addf(&text, ", %d constraint%s", (int)x->m, x->m == 1 ? "" : "s");
  zw_text_addf(&text, ".\n");
  return zw_text_get(&text);
}

static const char* sizes_text(Exporter* x) {
  const char* prefix = x->job->prefix;
  int32_t outputs = x->flat.equations.output_count;
  ZwText text;
  zw_text_init(&text, x->arena);
  zw_text_addf(&text, "enum {\n  %s_N = %d%s /* coordinates */\n", prefix, (int)x->n, x->m || outputs ? "," : "");
  if (x->m > 0)
    zw_text_addf(&text, "  %s_ROWS = %d%s /* rows of constraints */\n", prefix, (int)x->m, outputs ? "," : "");
  if (outputs > 0) zw_text_addf(&text, "  %s_OUTPUTS = %d\n", prefix, (int)outputs);
  zw_text_addf(&text, "};\n");
  add_enum(x, &text, "Places in q, v and a.", "q", x->coords, x->n, coord_name);
  add_enum(x, &text, "Places in lambda: reaction(name), and rows of A.", "reaction", x->rows, x->m, row_name);
  add_enum(x, &text, "Places in what the outputs are written to.", "output", x->outputs, outputs, output_name);
  return zw_text_get(&text);
}

static void add_value_comment(Exporter* x, ZwText* text, int32_t i) {
  const ZwParam* param = &x->flat.system.params.items[i];
  add_user_name(text, param->name);
  zw_text_addf(text, " = ");
  ZwText value;
  zw_text_init(&value, x->arena);
  zw_system_print(&value, &x->flat.system, param->value, 60);
  add_user_name(text, zw_str_from(zw_text_get(&value)));
}

static const char* params_text(Exporter* x) {
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
  if (!has_fields(x)) zw_text_addf(&text, "  int none; /* the model has none */\n");
  return zw_text_get(&text);
}

static const char* outputs_text(Exporter* x) {
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
  zw_c_write_head(&text, zw_format(x->arena, "%s;", outputs_head(x)));
  return zw_text_get(&text);
}

static const char* stops_text(Exporter* x) {
  const ZwSystem* system = &x->flat.system;
  ZwText text;
  zw_text_init(&text, x->arena);
  zw_text_addf(&text, "/* Whether a condition holds that ends the motion; %s of the same state:\n",
               x->m > 0 ? "a and lambda are those" : "a is that");
  for (int32_t i = 0; i < system->events.count; i++) {
    if (!system->events.items[i].is_stop) continue;
    zw_text_addf(&text, " *   stop when ");
    add_user_name(&text, system->events.items[i].name);
    zw_text_addf(&text, "\n");
  }
  zw_text_addf(&text, " */\n");
  zw_c_write_head(&text, zw_format(x->arena, "%s;", is_over_head(x)));
  return zw_text_get(&text);
}

static const char* levels_text(Exporter* x) {
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
static const char* kept_text(Exporter* x) {
  return zw_format(x->arena, "  double kept[%d]; /* of the solve that is written out */\n",
                   (int)(x->elimination.kept > 0 ? x->elimination.kept : 1));
}

static const char* guard_text(Exporter* x) {
  char* guard = zw_str_copy(x->arena, zw_str_from(x->job->prefix));
  for (char* at = guard; at && *at; at++) *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
  return guard;
}

/* ---- both files ---- */

static ZwStatus write_body(Exporter* x) {
  write_default_params(x);
  int64_t before = x->writer.operations;
  write_equations(x);
  x->operations = x->writer.operations - before;
  write_parts(x);
  if (has_level(x, ZW_LEVEL_VELOCITY)) write_residuals(x);
  write_outputs(x);
  write_is_over(x);
  if (x->job->is_compact) return ZW_OK;
  return zw_c_write_elimination(x->body, x->arena, &x->flat, has_level(x, ZW_LEVEL_VELOCITY), &x->elimination);
}

static void assemble(Exporter* x, ZwExportResult* result) {
  const bool* uses = x->writer.uses;
  const ZwTemplateFlag flags[] = {{"rows", x->m > 0},
                                  {"several", x->m > 1},
                                  {"levels", has_level(x, ZW_LEVEL_VELOCITY)},
                                  {"outputs", x->flat.equations.output_count > 0},
                                  {"stops", stop_condition(x).ref != 0},
                                  {"energy", x->flat.equations.has_energy},
                                  {"sign", uses[ZW_OP_SIGN]},
                                  {"lesser", uses[ZW_OP_MIN] || x->elimination.uses_lesser},
                                  {"written", x->elimination.is_there},
                                  {"larger", uses[ZW_OP_MAX]},
                                  {"modulo", uses[ZW_OP_MOD]},
                                  {"spline", uses[ZW_OP_TABLE]},
                                  {NULL, false}};
  const char* prefix = x->job->prefix;
  const ZwTemplateText texts[] = {
      {"about", about_text(x)},   {"sizes", sizes_text(x)}, {"params", params_text(x)}, {"outputs", outputs_text(x)},
      {"levels", levels_text(x)}, {"kept", kept_text(x)},   {"stops", stops_text(x)},   {NULL, NULL}};
  const ZwTemplateWords words = {prefix, guard_text(x), x->job->version, flags, texts};
  zw_text_init(&result->header, x->arena);
  zw_text_init(&result->source, x->arena);
  zw_template_expand(&result->header, "header", &words);
  ZwText* source = &result->source;
  zw_text_addf(source,
               "/* The equations of motion of %s; what it gives is described in its header. Made by zwang %s. */\n",
               x->job->model, x->job->version);
  zw_text_addf(source, "#include \"%s\"\n\n#include <math.h>\n\n", x->job->file);
  write_tables(x, source);
  zw_template_expand(source, "helpers", &words);
  zw_text_add(source, zw_text_get(x->body), x->body->size);
  zw_template_expand(source, "dense", &words);
  zw_template_expand(source, "solve", &words);
  zw_template_expand(source, "move", &words);
  write_start(x, source);
}

static int32_t count_fields(const Exporter* x) {
  int32_t count = 0;
  for (int32_t i = 0; i < x->flat.system.params.count; i++) count += x->params[i] != NULL;
  return count;
}

ZwStatus zw_export_write(const ZwExportJob* job, ZwArena* arena, ZwDiagList* diags, ZwExportResult* result) {
  *result = (ZwExportResult){0};
  Exporter* x = ZW_NEW(arena, 1, Exporter);
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
  ZW_TRY(write_body(x));
  if (arena->failed) return ZW_ERR_MEMORY;
  assemble(x, result);
  result->parameters = count_fields(x);
  result->outputs = x->flat.equations.output_count;
  result->operations = x->operations;
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
