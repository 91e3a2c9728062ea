/* Contacts: one-sided constraints. The gap becomes a constraint row that is there while the contact is closed; two events
 * watch over it. */
#include "model/builder.h"
#include "text/lexer.h"

typedef struct Options {
  ZwExpr restitution;
  const ZwAst *friction, *slip;
} Options;

static bool read_options(ZwBuild* build, const ZwAst* node, Options* options) {
  int32_t errors = build->diags->errors;
  *options = (Options){.restitution = zw_expr_const(&build->system->graph, 0)};
  for (const ZwAst* option = node->first; option; option = option->next) {
    bool is_slip = zw_str_equal(option->text, ZW_STR("slip"));
    if (zw_str_equal(option->text, ZW_STR("friction"))) options->friction = option;
    if (is_slip) options->slip = option;
    ZwValue value = zw_build_checked(build, option->a, ZW_MAY_READ_STATE, is_slip ? "a slip" : "a coefficient");
    bool fits = is_slip ? value.dim <= 2 : value.dim == 1;
    if (!fits) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, option->span,
                    is_slip ? "a slip is a scalar or a 2-vector, this is %s" : "a coefficient is a scalar, this is %s",
                    zw_value_type(&value));
    } else if (zw_str_equal(option->text, ZW_STR("restitution"))) {
      options->restitution = value.c[0];
    }
  }
  if (options->friction && !options->slip) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, options->friction->span, "friction needs to know what slips");
    zw_diag_remedy(build->diags, "add: slip expr, the position or velocity along the surface");
  }
  return build->diags->errors == errors && !build->arena->failed;
}

/* left - right of `left >= right`, the other way round of `left <= right`. */
static bool read_gap(ZwBuild* build, const ZwAst* node, ZwExpr* gap, ZwLevel* level) {
  int32_t errors = build->diags->errors;
  ZwExpr a = zw_build_checked_scalar(build, node->a, ZW_MAY_READ_STATE, "a side of a contact");
  ZwExpr b = zw_build_checked_scalar(build, node->b, ZW_MAY_READ_STATE, "a side of a contact");
  if (build->diags->errors > errors || build->arena->failed) return false;
  zw_build_mark(build, node->a);
  bool is_less = node->op == (int32_t)ZW_TOKEN_LE;
  *gap = zw_expr_sub(&build->system->graph, is_less ? b : a, is_less ? a : b);
  if (!gap->ref) return false;
  if (zw_build_level(build, *gap, level)) return true;
  zw_diag_error(build->diags, ZW_ERR_CONSTRAINT, zw_span_join(node->a->span, node->b->span),
                "this contact holds no coordinate: it restricts nothing");
  zw_diag_remedy(build->diags, "a contact is an inequality between coordinates, as in: contact floor: y >= 0");
  return false;
}

/* The parameter that is 1 while the contact is closed; -1 when memory is out. */
static int32_t add_closed(ZwBuild* build, const ZwAst* node, ZwStr name) {
  ZwParam param = {.name = name,
                   .span = node->span,
                   .value = zw_expr_const(&build->system->graph, 0),
                   .is_used = true,
                   .is_memory = true,
                   .is_hidden = true};
  double start = 0;
  if (!ZW_PUSH(build->system->arena, &build->system->params, param)) return -1;
  return ZW_PUSH(build->arena, &build->values, start) ? build->system->params.count - 1 : -1;
}

static ZwExpr is_negative(ZwGraph* graph, ZwExpr value) {
  return zw_expr_binary(graph, ZW_OP_LESS, value, zw_expr_const(graph, 0));
}

/* The gap is below zero and goes down: one that goes up again needs no attention. */
static ZwExpr is_closing(ZwBuild* build, const ZwAst* node, const ZwTerm* term) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr is_below = is_negative(graph, term->value);
  if (term->level != ZW_LEVEL_POSITION) return is_below;
  ZwValue gap = {.dim = 1, .c = {term->value}};
  ZwValue rate = zw_build_prime(build, &gap, node->span);
  return zw_expr_binary(graph, ZW_OP_AND, is_below, is_negative(graph, rate.c[0]));
}

/* `happens` while the parameter `closed` is `when`; the number of the event, or -1. */
static int32_t add_event(ZwBuild* build, const ZwAst* node, const char* name, ZwExpr happens, int32_t closed,
                         double when) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr state = zw_expr_leaf(graph, ZW_OP_PARAM, closed);
  ZwExpr is_there = zw_expr_binary(graph, ZW_OP_EQUAL, state, zw_expr_const(graph, when));
  if (!name || build->arena->failed) return -1;
  ZwEvent event = {.name = zw_str_from(name), .span = node->span, .contact = build->system->contacts.count + 1};
  event.condition =
      zw_build_event_value(build, node->span, event.name, zw_expr_binary(graph, ZW_OP_AND, is_there, happens));
  if (event.condition < 0 || !ZW_PUSH(build->arena, &build->system->events, event)) return -1;
  return build->system->events.count - 1;
}

void zw_build_contact(ZwBuild* build, const ZwAst* node) {
  ZwSystem* system = build->system;
  Options options;
  ZwStr name = {"", 0};
  ZwTerm term = {.kind = ZW_TERM_CONSTRAINT, .span = node->span};
  bool is_right;
  (void)zw_build_while(build, node->c, &is_right);
  if (!read_gap(build, node, &term.value, &term.level) || !read_options(build, node, &options) || !is_right) return;
  if (!zw_build_label(build, node, &name)) return;
  ZwExpr force = zw_expr_leaf(&system->graph, ZW_OP_REACTION, system->row_count);
  ZwEntity label = {.kind = ZW_ENTITY_LET, .value = {.dim = 1, .c = {force}}};
  if (node->label && !zw_build_take_label(build, name, name, node->label, label, "a constraint or contact")) return;
  if (options.friction) zw_build_need(build, options.friction->span, "friction at a contact");
  if (node->c) zw_build_need(build, node->c->span, "a contact that comes and goes ('while')");
  ZwContact contact = {.name = name, .span = node->span, .row = system->row_count};
  ZwReads reads = zw_expr_reads(&build->walk, &system->graph, options.restitution);
  contact.is_steady = !reads.time && !reads.coord && !reads.velocity;
  contact.closed = add_closed(build, node, name);
  contact.restitution = zw_build_event_value(build, node->span, name, options.restitution);
  if (contact.closed < 0 || contact.restitution < 0) return;
  term.name = name;
  term.gate = contact.closed + 1;
  term.contact = system->contacts.count + 1;
  (void)zw_build_add_term(build, term);
  system->row_count++;
  const char* closes = zw_format(build->arena, "%.*s closes", ZW_STR_ARGS(name));
  const char* opens = zw_format(build->arena, "%.*s opens", ZW_STR_ARGS(name));
  contact.closes = add_event(build, node, closes, is_closing(build, node, &term), contact.closed, 0);
  contact.opens = add_event(build, node, opens, is_negative(&system->graph, force), contact.closed, 1);
  if (contact.closes >= 0 && contact.opens >= 0) (void)ZW_PUSH(system->arena, &system->contacts, contact);
}
