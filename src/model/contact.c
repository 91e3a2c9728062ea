/* Contacts: one-sided constraints. The gap becomes a constraint row that is there while the contact is closed; two events
 * watch over it. With friction there are one or two rows along the slip too, there while it sticks; two more events watch over a
 * slip in one direction. */
#include "model/builder.h"
#include "text/lexer.h"

typedef struct Options {
  ZwExpr restitution, mu;
  ZwExpr held_mu; /* the same, with switches held by modes: it is part of the forces */
  ZwValue rate;   /* of the slip; dim 0: there is no friction */
} Options;

/* A slip is a position or a velocity; its rate must hold velocities. */
static void read_slip(ZwBuild* build, const ZwAst* node, const ZwValue* slip, ZwValue* rate) {
  ZwReads all = {0};
  for (int32_t k = 0; k < slip->dim; k++) {
    ZwReads reads = zw_expr_reads(&build->system->graph, slip->c[k]);
    all.velocity = all.velocity || reads.velocity;
  }
  zw_build_mark(build, node);
  *rate = all.velocity ? *slip : zw_build_prime(build, slip, node->span);
  for (int32_t k = 0; k < rate->dim && !build->arena->failed; k++) {
    if (zw_expr_reads(&build->system->graph, rate->c[k]).velocity) continue;
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->span,
                  rate->dim == 1 ? "this slip does not move: friction has nothing to work on"
                                 : "component %c of this slip does not move: friction has nothing to work on",
                  'x' + k);
    zw_diag_remedy(build->diags, rate->dim == 1 ? "write the position or velocity along the surface, as in: slip x"
                                                : "a slip in one direction is a scalar, as in: slip P.x");
    return;
  }
}

static bool read_options(ZwBuild* build, const ZwAst* node, Options* options) {
  int32_t errors = build->diags->errors;
  const ZwAst *restitution = NULL, *friction = NULL, *slip = NULL;
  *options = (Options){.restitution = zw_expr_const(&build->system->graph, 0)};
  for (const ZwAst* option = node->first; option; option = option->next) {
    bool is_slip = zw_str_equal(option->text, ZW_STR("slip"));
    bool is_friction = zw_str_equal(option->text, ZW_STR("friction"));
    ZwValue value = zw_build_checked(build, option->a, ZW_MAY_READ_STATE, is_slip ? "a slip" : "a coefficient");
    const ZwAst** known = is_slip ? &slip : is_friction ? &friction : &restitution;
    if (*known) {
      zw_diag_error(build->diags, ZW_ERR_SYNTAX, option->span, "'%.*s' is given twice", ZW_STR_ARGS(option->text));
      zw_diag_remedy(build->diags, "remove one of them");
    }
    *known = option;
    if (build->diags->errors > errors) continue;
    if (is_slip ? value.dim > 2 : value.dim != 1) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, option->span,
                    is_slip ? "a slip is a scalar or a 2-vector, this is %s" : "a coefficient is a scalar, this is %s",
                    zw_value_type(&value));
      if (is_slip) zw_diag_remedy(build->diags, "write the two directions along the surface, as in: slip (P.x, P.y)");
    } else if (is_slip) {
      read_slip(build, option->a, &value, &options->rate);
    } else if (is_friction) {
      options->mu = value.c[0];
    } else {
      options->restitution = value.c[0];
    }
  }
  if (friction && !slip) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, friction->span, "friction needs to know what slips");
    zw_diag_remedy(build->diags, "add: slip expr, the position or velocity along the surface");
  }
  if (slip && !friction) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, slip->span, "a slip without friction says nothing");
    zw_diag_remedy(build->diags, "add: friction mu, the coefficient; or leave the slip out");
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

/* A number that the contacts of a run keep, 0 at first; -1 when memory is out. */
static int32_t add_state(ZwBuild* build, const ZwAst* node, ZwStr name) {
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
static ZwExpr is_closing(ZwBuild* build, const ZwAst* node, const ZwTerm* term, int32_t gate) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr is_below = is_negative(graph, term->value);
  if (gate > 0) is_below = zw_expr_binary(graph, ZW_OP_AND, zw_expr_leaf(graph, ZW_OP_PARAM, gate - 1), is_below);
  if (term->level != ZW_LEVEL_POSITION) return is_below;
  ZwValue gap = {.dim = 1, .c = {term->value}};
  ZwValue rate = zw_build_prime(build, &gap, node->span);
  return zw_expr_binary(graph, ZW_OP_AND, is_below, is_negative(graph, rate.c[0]));
}

typedef struct Watch {
  const char* ending; /* of its name, behind that of the contact */
  int32_t param;      /* it cannot happen while this is */
  double asleep;      /* this */
  bool is_of_force;
} Watch;

/* The event that `happens`; its number, or -1. */
static int32_t add_event(ZwBuild* build, const ZwAst* node, ZwStr contact, Watch watch, ZwExpr happens) {
  ZwGraph* graph = &build->system->graph;
  const char* name = zw_format(build->arena, "%.*s %s", ZW_STR_ARGS(contact), watch.ending);
  ZwExpr state = zw_expr_leaf(graph, ZW_OP_PARAM, watch.param);
  ZwExpr is_awake = zw_expr_binary(graph, ZW_OP_NOT_EQUAL, state, zw_expr_const(graph, watch.asleep));
  if (!name || build->arena->failed) return -1;
  ZwEvent event = {.name = zw_str_from(name),
                   .span = node->span,
                   .contact = build->system->contacts.count + 1,
                   .asleep_param = watch.param,
                   .asleep_value = watch.asleep,
                   .is_of_force = watch.is_of_force};
  event.condition =
      zw_build_event_value(build, node->span, event.name, zw_expr_binary(graph, ZW_OP_AND, is_awake, happens));
  if (event.condition < 0 || !ZW_PUSH(build->arena, &build->system->events, event)) return -1;
  return build->system->events.count - 1;
}

static bool reads_motion(ZwBuild* build, ZwExpr value) {
  ZwReads reads = zw_expr_reads(&build->system->graph, value);
  return reads.time || reads.coord || reads.velocity;
}

/* |T| > mu N */
static ZwExpr is_too_much(ZwGraph* graph, ZwExpr mu, ZwExpr N, ZwExpr T) {
  ZwExpr limit = zw_expr_mul(graph, mu, N);
  ZwExpr forwards = is_negative(graph, zw_expr_sub(graph, limit, T));
  return zw_expr_binary(graph, ZW_OP_OR, forwards, is_negative(graph, zw_expr_add(graph, limit, T)));
}

/* A slip in one direction comes to rest, and gets loose again. */
static bool watch_slip(ZwBuild* build, const ZwAst* node, const Options* options, ZwExpr N, ZwExpr T,
                       ZwContact* contact) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr slides = zw_expr_leaf(graph, ZW_OP_PARAM, contact->slides);
  ZwExpr turns = is_negative(graph, zw_expr_mul(graph, slides, options->rate.c[0]));
  Watch at_stop = {.ending = "stops", .param = contact->slides, .asleep = 0};
  Watch at_slip = {.ending = "slips", .param = contact->sticks, .asleep = 0, .is_of_force = true};
  contact->stops = add_event(build, node, contact->name, at_stop, turns);
  contact->slips = add_event(build, node, contact->name, at_slip, is_too_much(graph, options->held_mu, N, T));
  return contact->stops >= 0 && contact->slips >= 0;
}

/* The coefficient, whose switches are located like those of other forces. */
static bool add_coefficient(ZwBuild* build, const ZwAst* node, Options* options, ZwContact* contact) {
  options->held_mu = zw_build_hold(build, options->mu);
  if (!options->held_mu.ref) return false;
  contact->friction = zw_build_event_value(build, node->span, contact->name, options->mu);
  if (contact->friction < 0) return false;
  ZwTerm* term = &build->system->terms.items[build->system->terms.count - 1];
  term->held_value = options->held_mu;
  contact->is_friction_steady = !reads_motion(build, options->mu); /* modes may switch after contacts have decided */
  return true;
}

/* The rows along the slip, and `reaction(floor.slip)`, the friction. */
static bool add_friction(ZwBuild* build, const ZwAst* node, Options* options, ZwExpr N, ZwContact* contact) {
  ZwSystem* system = build->system;
  ZwStr name = zw_str_from(zw_format(build->arena, "%.*s.slip", ZW_STR_ARGS(contact->name)));
  ZwEntity label = {.kind = ZW_ENTITY_LET, .value = {.dim = options->rate.dim}};
  contact->slip = system->row_count;
  contact->slip_dim = options->rate.dim;
  contact->sticks = add_state(build, node, contact->name);
  contact->slides = add_state(build, node, contact->name);
  if (contact->sticks < 0 || contact->slides < 0 || !name.data) return false;
  if (!add_coefficient(build, node, options, contact)) return false;
  for (int32_t k = 0; k < contact->slip_dim; k++) {
    label.value.c[k] = zw_expr_leaf(&system->graph, ZW_OP_REACTION, system->row_count++);
    ZwTerm term = {.kind = ZW_TERM_CONSTRAINT,
                   .span = node->span,
                   .name = zw_build_component_name(build, name, contact->slip_dim, k),
                   .value = options->rate.c[k],
                   .level = ZW_LEVEL_VELOCITY,
                   .gate = contact->sticks + 1,
                   .contact = system->contacts.count + 1};
    if (!zw_build_add_term(build, term)) return false;
  }
  if (node->label && !zw_build_take_label(build, name, name, node->label, label, "a constraint or contact"))
    return false;
  return contact->slip_dim > 1 || watch_slip(build, node, options, N, label.value.c[0], contact);
}

/* The row of the gap, and the events that watch over it. */
static bool add_gap(ZwBuild* build, const ZwAst* node, ZwTerm term, ZwExpr N, ZwContact* contact) {
  ZwGraph* graph = &build->system->graph;
  Watch at_close = {.ending = "closes", .param = contact->closed, .asleep = 1};
  Watch at_open = {.ending = "opens", .param = contact->closed, .asleep = 0, .is_of_force = true};
  term.name = contact->name;
  term.gate = contact->closed + 1;
  term.contact = build->system->contacts.count + 1;
  if (!zw_build_add_term(build, term)) return false;
  contact->row = build->system->row_count++;
  contact->closes = add_event(build, node, contact->name, at_close, is_closing(build, node, &term, contact->gate));
  contact->opens = add_event(build, node, contact->name, at_open, is_negative(graph, N));
  return contact->closes >= 0 && contact->opens >= 0;
}

static bool may_rub(ZwBuild* build, const ZwAst* node, const ZwTerm* gap, const Options* options) {
  if (options->rate.dim == 0 || gap->level == ZW_LEVEL_POSITION) return true;
  zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "an inequality between velocities has no surface to rub on");
  zw_diag_remedy(build->diags, "leave friction and slip out, or write the gap as one of positions");
  return false;
}

void zw_build_contact(ZwBuild* build, const ZwAst* node) {
  ZwSystem* system = build->system;
  Options options;
  ZwContact contact = {.span = node->span, .stops = -1, .slips = -1};
  ZwTerm gap = {.kind = ZW_TERM_CONSTRAINT, .span = node->span};
  bool is_right;
  ZwExpr gate = zw_build_while(build, node->c, &is_right);
  if (!read_gap(build, node, &gap.value, &gap.level) || !read_options(build, node, &options) || !is_right) return;
  if (!may_rub(build, node, &gap, &options) || !zw_build_label(build, node, &contact.name)) return;
  ZwExpr N = zw_expr_leaf(&system->graph, ZW_OP_REACTION, system->row_count);
  ZwEntity label = {.kind = ZW_ENTITY_LET, .value = {.dim = 1, .c = {N}}};
  if (node->label &&
      !zw_build_take_label(build, contact.name, contact.name, node->label, label, "a constraint or contact"))
    return;
  contact.gate = gate.ref ? zw_build_gate(build, gate) : 0;
  contact.is_steady = !reads_motion(build, options.restitution);
  contact.closed = add_state(build, node, contact.name);
  contact.restitution = zw_build_event_value(build, node->span, contact.name, options.restitution);
  if (contact.closed < 0 || contact.restitution < 0 || !add_gap(build, node, gap, N, &contact)) return;
  if (options.rate.dim > 0 && !add_friction(build, node, &options, N, &contact)) return;
  (void)ZW_PUSH(system->arena, &system->contacts, contact);
}
