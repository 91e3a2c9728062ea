/* What is particular to a model, as functions of C. */
#include "export/exporter.h"
#include "export/made_of.h"

static void assign(ZwExporter* x, ZwExpr value, const char* array, int32_t place) {
  ZwCAssignment assignment = {zw_format(x->arena, "%s[%d]", array, (int)place), value};
  (void)ZW_PUSH(x->arena, &x->pending, assignment);
}

static bool is_zero(const ZwExporter* x, ZwExpr e) {
  return zw_expr_is_const(&x->flat.graph, e, 0);
}

/* M in full; what is zero was filled before. */
static void assign_masses(ZwExporter* x) {
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

static void assign_forces(ZwExporter* x) {
  const ZwExpr* h = x->flat.of[ZW_ENTRY_ACCELERATION][ZW_TARGET_H];
  const ZwExpr* Q = x->flat.of[ZW_ENTRY_ACCELERATION][ZW_TARGET_Q];
  for (int32_t i = 0; i < x->n; i++) assign(x, zw_expr_add(&x->flat.graph, h[i], Q[i]), "h", i);
}

static void assign_rows(ZwExporter* x, ZwEntry entry) {
  const ZwPattern* pattern = &x->flat.equations.A;
  const ZwExpr* A = x->flat.of[entry][ZW_TARGET_A];
  for (int32_t i = 0; i < x->m; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      if (!is_zero(x, A[k])) assign(x, A[k], "A", i * x->n + pattern->column[k]);
    }
  }
}

static void assign_list(ZwExporter* x, ZwEntry entry, ZwTarget target, const char* array, int32_t count) {
  for (int32_t i = 0; i < count; i++) assign(x, x->flat.of[entry][target][i], array, i);
}

/* "static void positions(double t, ..) {", what is filled with zeros first, the statements, "}" */
static void end_function(ZwExporter* x, const char* head, const char* filled, unsigned given) {
  zw_c_write_head(x->body, head);
  zw_text_addf(x->body, "%s", filled);
  zw_c_write_statements(&x->writer, given, x->pending.items, x->pending.count);
  zw_text_addf(x->body, "}\n\n");
  x->pending.count = 0;
}

enum { OF_STATE = ZW_C_GIVEN_T | ZW_C_GIVEN_Q | ZW_C_GIVEN_V | ZW_C_GIVEN_P };

#define STATE "double t, const double q[NAME_N], const double v[NAME_N], const NAME_params* p"
#define ZERO_M "  for (int i = 0; i < NAME_N * NAME_N; i++) M[i] = 0.0;\n"
#define ZERO_A "  for (int i = 0; i < NAME_ROWS * NAME_N; i++) A[i] = 0.0;\n"

static void write_equations(ZwExporter* x) {
  assign_masses(x);
  assign_forces(x);
  if (x->m > 0) {
    assign_rows(x, ZW_ENTRY_ACCELERATION);
    assign_list(x, ZW_ENTRY_ACCELERATION, ZW_TARGET_B, "b", x->m);
    end_function(
        x,
        zw_exporter_named(
            x, "void NAME_equations(" STATE
               ", double M[NAME_N * NAME_N], double h[NAME_N], double A[NAME_ROWS * NAME_N], double b[NAME_ROWS]) {"),
        zw_exporter_named(x, ZERO_M ZERO_A), OF_STATE);
  } else {
    end_function(x,
                 zw_exporter_named(x, "void NAME_equations(" STATE ", double M[NAME_N * NAME_N], double h[NAME_N]) {"),
                 zw_exporter_named(x, ZERO_M), OF_STATE);
  }
}

static void write_parts(ZwExporter* x) {
  assign_masses(x);
  end_function(x, zw_exporter_named(x, "void NAME_mass(" STATE ", double M[NAME_N * NAME_N]) {"),
               zw_exporter_named(x, ZERO_M), OF_STATE);
  assign_forces(x);
  end_function(x, zw_exporter_named(x, "void NAME_force(" STATE ", double h[NAME_N]) {"), "", OF_STATE);
  if (x->m == 0) return;
  assign_rows(x, ZW_ENTRY_ACCELERATION);
  assign_list(x, ZW_ENTRY_ACCELERATION, ZW_TARGET_B, "b", x->m);
  end_function(
      x, zw_exporter_named(x, "void NAME_constraints(" STATE ", double A[NAME_ROWS * NAME_N], double b[NAME_ROWS]) {"),
      zw_exporter_named(x, ZERO_A), OF_STATE);
}

static void assign_made_of(ZwExporter* x, ZwWalk* walk, ZwEntry entry, ZwTarget target, const char* array) {
  for (int32_t i = 0; i < x->m; i++) {
    assign(x, zw_made_of(walk, &x->flat.graph, x->flat.of[entry][target][i]), array, i);
  }
}

/* What residuals are measured by. */
static void write_made_of(ZwExporter* x) {
  ZwWalk walk;
  zw_walk_init(&walk, x->arena);
  assign_made_of(x, &walk, ZW_ENTRY_POSITION, ZW_TARGET_PHI, "phi");
  assign_made_of(x, &walk, ZW_ENTRY_VELOCITY, ZW_TARGET_PSI, "phidot");
  zw_text_addf(x->body, "/* What the residuals are made of before terms cancel. */\n");
  end_function(x, zw_exporter_named(x, "static void made_of(" STATE ", double* phi, double* phidot) {"), "", OF_STATE);
}

bool zw_exporter_has_level(const ZwExporter* x, ZwLevel most) {
  for (int32_t i = 0; i < x->m; i++) {
    if (x->flat.equations.rows.items[i].level <= most) return true;
  }
  return false;
}

/* Residuals, and with the rows of A what a projection asks for. */
static void write_residuals(ZwExporter* x) {
  assign_list(x, ZW_ENTRY_POSITION, ZW_TARGET_PHI, "phi", x->m);
  assign_list(x, ZW_ENTRY_VELOCITY, ZW_TARGET_PSI, "phidot", x->m);
  end_function(
      x, zw_exporter_named(x, "void NAME_residuals(" STATE ", double phi[NAME_ROWS], double phidot[NAME_ROWS]) {"), "",
      OF_STATE);
  assign_list(x, ZW_ENTRY_POSITION, ZW_TARGET_PHI, "phi", x->m);
  assign_rows(x, ZW_ENTRY_POSITION);
  zw_text_addf(x->body, "/* Residuals of positions, and their rows of A. */\n");
  end_function(
      x,
      zw_exporter_named(
          x, "static void positions(double t, const double* q, const NAME_params* p, double* phi, double* A) {"),
      zw_exporter_named(x, ZERO_A), ZW_C_GIVEN_T | ZW_C_GIVEN_Q | ZW_C_GIVEN_P);
  assign_list(x, ZW_ENTRY_VELOCITY, ZW_TARGET_PSI, "psi", x->m);
  assign_rows(x, ZW_ENTRY_VELOCITY);
  zw_text_addf(x->body, "/* Residuals of velocities, and their rows of A. */\n");
  end_function(x,
               zw_exporter_named(
                   x,
                   "static void velocities(double t, const double* q, const double* v, const NAME_params* p, double* "
                   "psi, double* A) {"),
               zw_exporter_named(x, ZERO_A), OF_STATE);
  write_made_of(x);
}

const char* zw_exporter_outputs_head(ZwExporter* x) {
  return zw_exporter_named(x, x->m > 0
                                  ? "void NAME_outputs(" STATE
                                    ", const double a[NAME_N], const double lambda[NAME_ROWS], double y[NAME_OUTPUTS])"
                                  : "void NAME_outputs(" STATE ", const double a[NAME_N], double y[NAME_OUTPUTS])");
}

/* Of all groups, and what has no coordinates. */
static ZwExpr sum_of_energies(ZwExporter* x) {
  const ZwExpr* of = x->flat.of[ZW_ENTRY_ENERGY][ZW_TARGET_ENERGY];
  ZwExpr sum = of[0];
  for (int32_t g = 1; g <= x->flat.equations.groups.count; g++) sum = zw_expr_add(&x->flat.graph, sum, of[g]);
  return sum;
}

static void write_outputs(ZwExporter* x) {
  int32_t count = x->flat.equations.output_count;
  if (count > 0) {
    assign_list(x, ZW_ENTRY_OUTPUT, ZW_TARGET_OUTPUT, "y", count);
    unsigned given = OF_STATE | ZW_C_GIVEN_A | (x->m > 0 ? ZW_C_GIVEN_LAMBDA : 0);
    end_function(x, zw_format(x->arena, "%s {", zw_exporter_outputs_head(x)), "", given);
  }
  if (!x->flat.equations.has_energy) return;
  ZwCAssignment energy = {"const double energy", sum_of_energies(x)};
  zw_c_write_head(x->body, zw_exporter_named(x, "double NAME_energy(" STATE ") {"));
  zw_c_write_statements(&x->writer, OF_STATE, &energy, 1);
  zw_text_addf(x->body, "  return energy;\n}\n\n");
}

const char* zw_exporter_is_over_head(ZwExporter* x) {
  return zw_exporter_named(x, x->m > 0 ? "int NAME_is_over(" STATE
                                         ", const double a[NAME_N], const double lambda[NAME_ROWS])"
                                       : "int NAME_is_over(" STATE ", const double a[NAME_N])");
}

/* Any condition of `stop when`; 0: the model has none. */
ZwExpr zw_exporter_stop_condition(ZwExporter* x) {
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

static void write_is_over(ZwExporter* x) {
  ZwCAssignment over = {"const double is_over", zw_exporter_stop_condition(x)};
  if (!over.value.ref) return;
  zw_c_write_head(x->body, zw_format(x->arena, "%s {", zw_exporter_is_over_head(x)));
  zw_c_write_statements(&x->writer, OF_STATE | ZW_C_GIVEN_A | (x->m > 0 ? ZW_C_GIVEN_LAMBDA : 0), &over, 1);
  zw_text_addf(x->body, "  return is_over != 0.0;\n}\n\n");
}

ZwStatus zw_exporter_write_functions(ZwExporter* x) {
  int64_t before = x->writer.operations;
  write_equations(x);
  x->operations = x->writer.operations - before;
  write_parts(x);
  bool has_projection = zw_exporter_has_level(x, ZW_LEVEL_VELOCITY);
  if (has_projection) write_residuals(x);
  write_outputs(x);
  write_is_over(x);
  if (x->job->is_compact) return ZW_OK;
  return zw_c_write_elimination(x->body, x->arena, &x->flat, has_projection, &x->elimination);
}
