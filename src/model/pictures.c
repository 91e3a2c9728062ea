/* `plot`, and what plots and drawings share: every number they show is a column of the rows. */
#include "model/builder.h"

enum { NAME_LIMIT = 60 }; /* letters of an expression that is a name */

/* ---- plot ---- */

/* The name of what is plotted: as the user wrote it; inside a loop with the numbers of its indices. */
static ZwStr curve_name(ZwBuild* build, const ZwAst* item, const ZwValue* value, int32_t k) {
  if (build->is_in_loop) {
    ZwText text;
    zw_text_init(&text, build->arena);
    zw_system_print(&text, build->system, value->c[k], NAME_LIMIT);
    return zw_str_from(zw_text_get(&text));
  }
  ZwStr quote = zw_build_quote(build, item->span);
  if (value->dim == 1) return quote;
  int32_t primes = item->kind == ZW_AST_PRIMED && item->a->kind == ZW_AST_NAME ? item->count : 0;
  if (primes > 0) { /* P' has the components P.x' and P.y' */
    ZwStr base = zw_build_component_name(build, item->a->text, value->dim, k);
    return zw_str_from(zw_format(build->arena, "%.*s%s", ZW_STR_ARGS(base), primes > 1 ? "''" : "'"));
  }
  bool is_plain = item->kind == ZW_AST_NAME || item->kind == ZW_AST_MEMBER || item->kind == ZW_AST_INDEX ||
                  item->kind == ZW_AST_CALL;
  if (!is_plain) quote = zw_str_from(zw_format(build->arena, "(%.*s)", ZW_STR_ARGS(quote)));
  return zw_build_component_name(build, quote, value->dim, k);
}

static void add_curves(ZwBuild* build, const ZwAst* item, const ZwValue* value) {
  for (int32_t k = 0; k < value->dim; k++) {
    ZwShown shown = {.e = value->c[k], .name = curve_name(build, item, value, k)};
    (void)ZW_PUSH(build->arena, &build->system->curves, shown);
  }
}

/* P.y and P.x, of one vector */
static bool is_same_vector(ZwBuild* build, const ZwAst* a, const ZwAst* b) {
  while (a->kind == ZW_AST_PRIMED && b->kind == ZW_AST_PRIMED && a->count == b->count) a = a->a, b = b->a;
  if (a->kind != ZW_AST_MEMBER || b->kind != ZW_AST_MEMBER) return false;
  bool are_components = a->text.size == 1 && b->text.size == 1 && a->text.data[0] >= 'x' && a->text.data[0] <= 'z' &&
                        b->text.data[0] >= 'x' && b->text.data[0] <= 'z';
  return are_components && zw_str_equal(zw_build_quote(build, a->a->span), zw_build_quote(build, b->a->span));
}

void zw_build_plot(ZwBuild* build, const ZwAst* node) {
  ZwSystem* system = build->system;
  if (build->is_in_component) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span, "'plot' does not stand inside a component");
    return;
  }
  ZwPlotSpec plot = {.first = system->curves.count, .has_against = node->a != NULL, .is_equal = node->a != NULL};
  for (const ZwAst* item = node->first; item; item = item->next) {
    ZwValue value = zw_build_checked(build, item, ZW_MAY_READ_QUANTITY, "a plot");
    add_curves(build, item, &value);
    if (node->a && !is_same_vector(build, item, node->a)) plot.is_equal = false;
  }
  plot.count = system->curves.count - plot.first;
  if (node->a) {
    ZwValue against = zw_build_checked(build, node->a, ZW_MAY_READ_QUANTITY, "a plot");
    if (against.dim > 1) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, node->a->span, "the axis below measures one number, and this is %s",
                    zw_value_type(&against));
      zw_diag_remedy(build->diags, "name a component, as in: plot P.y against P.x");
      return;
    }
    add_curves(build, node->a, &against);
  }
  if (!build->is_in_library) (void)ZW_PUSH(build->arena, &system->plots, plot);
}

/* ---- columns ---- */

typedef struct Outputs {
  int32_t count;
  int32_t* by_ref; /* number + 1 of the output that is this expression */
} Outputs;

static bool find_outputs(ZwBuild* build, Outputs* outputs) {
  const ZwSystem* system = build->system;
  *outputs = (Outputs){.by_ref = ZW_NEW(build->scratch, system->graph.nodes.count, int32_t)};
  if (!outputs->by_ref) return false;
  for (int32_t i = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind != ZW_TERM_OUTPUT) continue;
    int32_t* number = &outputs->by_ref[system->terms.items[i].value.ref];
    outputs->count++;
    if (!*number) *number = outputs->count;
  }
  return true;
}

static bool is_taken(ZwBuild* build, ZwStr name) {
  ZwStr key = zw_str_from(zw_format(build->scratch, "output %.*s", ZW_STR_ARGS(name)));
  if (!key.data) return false;
  if (zw_scope_find_here(&build->labels, key)) return true;
  return !zw_scope_add(&build->labels, (ZwEntity){.kind = ZW_ENTITY_OUTPUT, .name = key});
}

/* A name that no output has. */
static ZwStr free_name(ZwBuild* build, ZwStr name) {
  ZwStr wanted = name;
  for (int32_t i = 2; is_taken(build, name) && !zw_build_is_out_of_memory(build); i++) {
    name = zw_str_from(zw_format(build->arena, "%.*s (%d)", ZW_STR_ARGS(wanted), (int)i));
  }
  return name;
}

static void add_column(ZwBuild* build, Outputs* outputs, ZwShown* shown) {
  int32_t* number = &outputs->by_ref[shown->e.ref];
  shown->kind = ZW_SHOWN_OUTPUT;
  if (!*number) {
    ZwTerm term = {.kind = ZW_TERM_OUTPUT,
                   .span = zw_system_span(build->system, shown->e),
                   .name = free_name(build, shown->name),
                   .value = shown->e};
    (void)zw_build_add_term(build, term);
    *number = ++outputs->count;
  }
  shown->index = *number - 1;
}

static void find_column(ZwBuild* build, Outputs* outputs, ZwShown* shown) {
  const ZwNode* node = zw_graph_node(&build->system->graph, shown->e);
  switch (node->op) {
    case ZW_OP_TIME:
      shown->kind = ZW_SHOWN_TIME;
      break;
    case ZW_OP_COORD:
      shown->kind = ZW_SHOWN_COORD;
      shown->index = node->u.index;
      break;
    case ZW_OP_VELOCITY:
      shown->kind = ZW_SHOWN_VELOCITY;
      shown->index = node->u.index;
      break;
    default:
      add_column(build, outputs, shown);
  }
}

void zw_build_pictures(ZwBuild* build) {
  ZwSystem* system = build->system;
  Outputs outputs;
  if (system->curves.count == 0 && system->drawn.count == 0) return;
  if (!find_outputs(build, &outputs)) return;
  for (int32_t i = 0; i < system->curves.count; i++) find_column(build, &outputs, &system->curves.items[i]);
  for (int32_t i = 0; i < system->drawn.count; i++) {
    ZwShown* shown = &system->drawn.items[i];
    const ZwNode* node = zw_graph_node(&system->graph, shown->e);
    if (node->op == ZW_OP_CONST) {
      shown->value = node->u.value; /* a curve of it would be a column; here it is nobody's business */
      continue;
    }
    shown->name = zw_str_from(zw_format(build->arena, "drawn %d", (int)i + 1));
    find_column(build, &outputs, shown);
  }
}
