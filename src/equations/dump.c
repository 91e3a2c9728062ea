#include "equations/equations.h"
#include "expr/print.h"

enum { DUMP_EXPR_LIMIT = 600 };

const char* zw_target_text(ZwTarget target) {
  /* ORDER TARGET */
  static const char* const texts[] = {"M",     "h",     "Q",     "power", "A",      "b",
                                      "phi",   "psi",   "E",     "v.p",   "E(v=0)", "E(v=0) everywhere",
                                      "value", "event", "dL/dv", "dL/dq"};
  return texts[target];
}

static void leaf_name(ZwText* text, ZwOp leaf, int32_t index, void* context) {
  (void)context;
  zw_text_addf(text, "%c%d", leaf == ZW_OP_REACTION ? 'r' : leaf == ZW_OP_PARAM ? 'p' : 'q', (int)index);
}

static void dump_contribution(ZwText* text, const ZwEquations* equations, const ZwContribution* c) {
  zw_text_addf(text, "    %s", zw_target_text(c->target));
  if (c->target == ZW_TARGET_M) zw_text_addf(text, "[%d,%d]", (int)c->row, (int)c->column);
  bool is_vector =
      c->target == ZW_TARGET_H || c->target == ZW_TARGET_Q || c->target == ZW_TARGET_LV || c->target == ZW_TARGET_LQ;
  if (is_vector) zw_text_addf(text, "[%d]", (int)c->row);
  if (c->target == ZW_TARGET_A) zw_text_addf(text, "[%d]", (int)c->column);
  zw_text_add(text, " = ", 3);
  zw_expr_print(text, &equations->graph, c->value, DUMP_EXPR_LIMIT, leaf_name, NULL);
  zw_text_add(text, "\n", 1);
}

static void dump_instance(ZwText* text, const ZwEquations* equations, const ZwShape* shape, int32_t instance) {
  const ZwSystem* system = equations->system;
  const ZwPiece* piece = &equations->pieces.items[shape->instance_pieces.items[instance]];
  const ZwTerm* term = &system->terms.items[piece->term];
  zw_text_addf(text, "  of %s", zw_term_kind_text(term->kind));
  if (term->name.size) zw_text_addf(text, " %.*s", ZW_STR_ARGS(term->name));
  zw_text_add(text, ":", 1);
  for (int32_t k = 0; k < shape->coords; k++) {
    int32_t coord = shape->instance_coords.items[instance * shape->coords + k];
    zw_text_addf(text, " q%d=%.*s", (int)k, ZW_STR_ARGS(system->coords.items[coord].name));
  }
  for (int32_t k = 0; k < shape->slots; k++) {
    int32_t value = shape->instance_slots.items[instance * shape->slots + k];
    zw_text_addf(text, " p%d=", (int)k);
    if (value < system->params.count)
      zw_text_addf(text, "%.*s", ZW_STR_ARGS(system->params.items[value].name));
    else
      zw_text_add_number(text, equations->literals.items[value - system->params.count]);
  }
  zw_text_add(text, "\n", 1);
}

const char* zw_entry_text(ZwEntry entry) {
  /* ORDER ENTRY */
  static const char* const texts[] = {
      "position",  "velocity",          "acceleration",       "energy",           "output", "start", "event", "quasi",
      "variation", "size by positions", "size by velocities", "size by reactions"};
  return texts[entry];
}

static void dump_shape(ZwText* text, const ZwEquations* equations, int32_t number) {
  enum { SHOWN = 8 };
  const ZwShape* shape = &equations->shapes.items[number];
  zw_text_addf(text, "shape %d: ", (int)number);
  zw_expr_print(text, &equations->graph, shape->value, DUMP_EXPR_LIMIT, leaf_name, NULL);
  if (shape->rate.ref) {
    zw_text_add(text, "  working on  ", 14);
    zw_expr_print(text, &equations->graph, shape->rate, DUMP_EXPR_LIMIT, leaf_name, NULL);
  }
  zw_text_addf(text, "   (%d element%s)\n", (int)shape->count, shape->count == 1 ? "" : "s");
  for (int32_t i = 0; i < shape->count && i < SHOWN; i++) dump_instance(text, equations, shape, i);
  if (shape->count > SHOWN) zw_text_addf(text, "  and %d more\n", (int)(shape->count - SHOWN));
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
    const ZwContributions* contributions = &shape->entries[entry];
    if (contributions->list.count > 0) zw_text_addf(text, "  %s\n", zw_entry_text((ZwEntry)entry));
    for (int32_t i = 0; i < contributions->list.count; i++) {
      dump_contribution(text, equations, &contributions->list.items[i]);
    }
  }
}

void zw_equations_dump(ZwText* text, const ZwEquations* equations) {
  zw_text_addf(text, "%d coordinates, %d constraint rows, %d shapes, %d elements\n", (int)equations->n,
               (int)equations->m, (int)equations->shapes.count, (int)equations->pieces.count);
  zw_text_addf(text, "M has %d entries in its lower triangle, A has %d\n", (int)equations->M.count,
               (int)equations->A.count);
  zw_text_addf(text, "energy is %s\n", equations->is_conservative ? "conserved" : "not conserved by the model");
  for (int32_t i = 0; i < equations->shapes.count; i++) dump_shape(text, equations, i);
}
