#include "model/system.h"

#include "expr/print.h"
#include "expr/quantity.h"

enum { DUMP_EXPR_LIMIT = 2000 };

const char* zw_term_kind_text(ZwTermKind kind) {
  static const char* const texts[] = {
#define ZW_TERM_TEXT(name, text) text,
      ZW_TERM_LIST(ZW_TERM_TEXT)
#undef ZW_TERM_TEXT
  };
  return texts[kind];
}

ZwSpan zw_system_span(const ZwSystem* system, ZwExpr e) {
  uint32_t mark = zw_graph_node(&system->graph, e)->mark;
  return mark < (uint32_t)system->marks.count ? system->marks.items[mark] : (ZwSpan){0};
}

ZwStr zw_system_row_name(const ZwSystem* system, int32_t row) {
  for (int32_t i = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind == ZW_TERM_CONSTRAINT && row-- == 0) return system->terms.items[i].name;
  }
  return (ZwStr){"?", 1};
}

static void quantity_name(ZwText* text, const ZwSystem* system, int32_t place) {
  ZwStr coord = system->coords.items[place / ZW_QUANTITY_KINDS].name;
  switch ((ZwQuantity)(place % ZW_QUANTITY_KINDS)) {
    case ZW_QUANTITY_FREE:
      zw_text_addf(text, "free(%.*s'')", ZW_STR_ARGS(coord));
      break;
    case ZW_QUANTITY_FORCE:
      zw_text_addf(text, "constraint_force(%.*s)", ZW_STR_ARGS(coord));
      break;
    case ZW_QUANTITY_GAUSSIAN:
      zw_text_addf(text, "gaussian");
      break;
    default:
      zw_text_addf(text, "acceleration_energy");
      break;
  }
}

static void leaf_name(ZwText* text, ZwOp leaf, int32_t index, void* context) {
  const ZwSystem* system = context;
  if (leaf == ZW_OP_REACTION && index >= ZW_QUANTITY) {
    quantity_name(text, system, index - ZW_QUANTITY);
    return;
  }
  if (leaf == ZW_OP_REACTION) {
    zw_text_addf(text, "reaction(%.*s)", ZW_STR_ARGS(zw_system_row_name(system, index)));
    return;
  }
  if (leaf == ZW_OP_PARAM && system->params.items[index].is_hidden && !system->params.items[index].is_mode) {
    zw_text_add_number(text, zw_graph_node(&system->graph, system->params.items[index].value)->u.value);
    return;
  }
  ZwStr name = leaf == ZW_OP_PARAM ? system->params.items[index].name : system->coords.items[index].name;
  zw_text_add(text, name.data, name.size);
}

void zw_system_print(ZwText* text, const ZwSystem* system, ZwExpr e, int32_t limit) {
  zw_expr_print(text, &system->graph, e, limit, leaf_name, (void*)(uintptr_t)system);
}

static void dump_expr(ZwText* text, const ZwSystem* system, const char* lead, ZwExpr e) {
  if (!e.ref) return;
  zw_text_addf(text, "%s", lead);
  zw_system_print(text, system, e, DUMP_EXPR_LIMIT);
}

static void dump_claim(ZwText* text, const ZwSystem* system, const ZwClaim* claim) {
  static const char* const signs[] = {" = ", " <= ", " >= "}; /* ORDER RELATION */
  zw_text_addf(text, "claim %.*s", ZW_STR_ARGS(claim->name));
  dump_expr(text, system, ": ", claim->left);
  dump_expr(text, system, signs[claim->relation], claim->right);
  dump_expr(text, system, " within ", claim->within);
  zw_text_add(text, "\n", 1);
}

static void dump_term(ZwText* text, const ZwSystem* system, const ZwTerm* term) {
  static const char* const levels[] = {"position", "velocity", "acceleration"};
  if (term->kind == ZW_TERM_CLAIM) return; /* a number of one */
  zw_text_addf(text, "%s", zw_term_kind_text(term->kind));
  if (term->kind == ZW_TERM_CONSTRAINT || term->kind == ZW_TERM_EXACT)
    zw_text_addf(text, " (%s level)", levels[term->level]);
  if (term->name.size) zw_text_addf(text, " %.*s", ZW_STR_ARGS(term->name));
  dump_expr(text, system, ": ", term->value);
  dump_expr(text, system, "  working on  ", term->rate);
  zw_text_add(text, "\n", 1);
}

int32_t zw_system_find_coord(const ZwSystem* system, ZwStr name) {
  for (int32_t i = 0; i < system->coords.count; i++) {
    if (zw_str_equal(system->coords.items[i].name, name)) return i;
  }
  for (int32_t i = 0; i < system->aliases.count; i++) {
    if (zw_str_equal(system->aliases.items[i].name, name)) return system->aliases.items[i].coord;
  }
  return -1;
}

void zw_system_dump(ZwText* text, const ZwSystem* system) {
  for (int32_t i = 0; i < system->params.count; i++) {
    if (system->params.items[i].is_hidden) continue;
    zw_text_addf(text, "%s %.*s", system->params.items[i].is_memory ? "memory" : "param",
                 ZW_STR_ARGS(system->params.items[i].name));
    dump_expr(text, system, " = ", system->params.items[i].value);
    zw_text_add(text, "\n", 1);
  }
  for (int32_t i = 0; i < system->coords.count; i++) {
    const ZwCoord* coord = &system->coords.items[i];
    zw_text_addf(text, "coord %.*s", ZW_STR_ARGS(coord->name));
    dump_expr(text, system, "  starts at ", coord->start_q);
    dump_expr(text, system, "  with rate ", coord->start_v);
    dump_expr(text, system, "  scale ", coord->scale);
    zw_text_add(text, "\n", 1);
  }
  for (int32_t i = 0; i < system->terms.count; i++) dump_term(text, system, &system->terms.items[i]);
  for (int32_t i = 0; i < system->claims.count; i++) dump_claim(text, system, &system->claims.items[i]);
  if (!system->run.is_stated) return;
  dump_expr(text, system, "run ", system->run.from);
  dump_expr(text, system, " .. ", system->run.to);
  dump_expr(text, system, " every ", system->run.every);
  dump_expr(text, system, " tolerance ", system->run.tolerance);
  zw_text_add(text, "\n", 1);
}
