#include "export/statements.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

enum { WEIGHT_MAX = 10, LINE_MAX_SIZE = 110, INDENT = 2 };

/* How tightly parts of an expression hold together in C, weakest first. */
enum { BIND_SELECT, BIND_COMPARE, BIND_SUM, BIND_TERM, BIND_UNARY, BIND_PRIMARY };

/* What is known of the nodes of one walk, parallel to its order. */
typedef struct Plan {
  int32_t* uses;
  int32_t* number; /* of its variable; 0: it stands where it is used */
  int32_t* weight; /* operations that stand in one expression with it */
} Plan;

static void print(ZwCWriter* w, const Plan* plan, uint32_t ref, int binding);

void zw_c_writer_init(ZwCWriter* writer, ZwText* out, ZwArena* arena, const ZwGraph* graph, const ZwCLeaves* leaves) {
  *writer = (ZwCWriter){.out = out, .arena = arena, .graph = graph, .leaves = *leaves};
  zw_walk_init(&writer->walk, arena);
}

/* ---- numbers and lines ---- */

void zw_c_write_number(ZwText* text, double value) {
  char buffer[64];
  if (!isfinite(value)) {
    zw_text_addf(text, "%s", isnan(value) ? "(double)NAN" : value > 0 ? "HUGE_VAL" : "(-HUGE_VAL)");
    return;
  }
  int32_t size = zw_number_text(value, buffer);
  zw_text_add(text, buffer, size);
  if (!memchr(buffer, '.', (size_t)size) && !memchr(buffer, 'e', (size_t)size)) zw_text_add(text, ".0", 2);
}

/* Where a line of at most `room` characters may end: at a space, behind `behind` if that is not 0. */
static int32_t break_at(const char* line, int32_t size, int32_t room, char behind) {
  int32_t end = room;
  if (size <= room) return size;
  while (end > 0 && !(line[end] == ' ' && (!behind || line[end - 1] == behind))) end--;
  if (end > 0) return end;
  for (end = room; end < size && line[end] != ' ';) end++; /* a word longer than a line */
  return end;
}

static void write_lines(ZwText* text, int indent, const char* line, char behind) {
  int32_t size = line ? (int32_t)strlen(line) : 0; /* no line: memory is out */
  for (int margin = indent; size > 0; margin = indent + 2 * INDENT) {
    int32_t end = break_at(line, size, LINE_MAX_SIZE - margin, behind);
    zw_text_addf(text, "%*s%.*s\n", margin, "", (int)end, line);
    for (line += end, size -= end; size > 0 && *line == ' '; size--) line++;
  }
}

void zw_c_write_line(ZwText* text, int indent, const char* line) {
  write_lines(text, indent, line, 0);
}

void zw_c_write_head(ZwText* text, const char* line) {
  write_lines(text, 0, line, ',');
}

/* ---- expressions ---- */

static void add(ZwCWriter* w, const char* text) {
  zw_text_add(w->out, text, (ptrdiff_t)strlen(text));
}

static bool is_condition(ZwOp op) {
  return zw_op_form(op) == ZW_FORM_COMPARE || zw_op_form(op) == ZW_FORM_LOGIC || op == ZW_OP_NOT;
}

/* Something that is true or false in C; in brackets unless it is a whole condition. */
static void print_condition(ZwCWriter* w, const Plan* plan, uint32_t ref, bool is_whole) {
  const ZwNode* node = &w->graph->nodes.items[ref];
  bool is_named = plan && plan->number[zw_walk_place(&w->walk, ref)] > 0;
  if (!is_whole) add(w, "(");
  if (is_named || !is_condition(node->op)) {
    print(w, plan, ref, BIND_SUM);
    add(w, " != 0.0");
  } else if (node->op == ZW_OP_NOT) {
    add(w, "!");
    print_condition(w, plan, node->u.args[0], false);
  } else if (zw_op_form(node->op) == ZW_FORM_LOGIC) {
    print_condition(w, plan, node->u.args[0], false);
    add(w, node->op == ZW_OP_AND ? " && " : " || ");
    print_condition(w, plan, node->u.args[1], false);
  } else {
    print(w, plan, node->u.args[0], BIND_SUM);
    zw_text_addf(w->out, " %s ", zw_op_text(node->op));
    print(w, plan, node->u.args[1], BIND_SUM);
  }
  if (!is_whole) add(w, ")");
}

static void print_leaf(ZwCWriter* w, const ZwNode* node) {
  int32_t i = node->u.index;
  ZW_ASSERT(node->op != ZW_OP_PARAM || w->leaves.params[i]); /* modes and gates are not written */
  switch (node->op) {
    case ZW_OP_CONST:
      zw_c_write_number(w->out, node->u.value);
      break;
    case ZW_OP_TIME:
      add(w, "t");
      break;
    case ZW_OP_PARAM:
      zw_text_addf(w->out, "%s%s", w->leaves.coords ? "p->" : "", w->leaves.params[i]);
      break;
    case ZW_OP_COORD:
      zw_text_addf(w->out, "q_%s", w->leaves.coords[i]);
      break;
    case ZW_OP_VELOCITY:
      zw_text_addf(w->out, "v_%s", w->leaves.coords[i]);
      break;
    case ZW_OP_ACCELERATION:
      zw_text_addf(w->out, "a_%s", w->leaves.coords[i]);
      break;
    default:
      zw_text_addf(w->out, "lambda_%s", w->leaves.reactions[i]);
      break;
  }
}

/* Functions of <math.h> have the names of the language, but for these; those of ours are in src/export/c/. */
static const char* function_name(ZwOp op) {
  switch (op) {
    case ZW_OP_ABS:
      return "fabs";
    case ZW_OP_POW:
      return "pow";
    case ZW_OP_SIGN:
      return "sign_of";
    case ZW_OP_MIN:
      return "lesser";
    case ZW_OP_MAX:
      return "larger";
    case ZW_OP_MOD:
      return "modulo";
    default:
      return zw_op_text(op);
  }
}

static void print_call(ZwCWriter* w, const Plan* plan, const ZwNode* node) {
  zw_text_addf(w->out, "%s(", function_name(node->op));
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    if (k) add(w, ", ");
    print(w, plan, node->u.args[k], BIND_SELECT);
  }
  add(w, ")");
}

static double value_at(const ZwCWriter* w, uint32_t ref) {
  return w->graph->nodes.items[ref].u.value;
}

/* table(x, number, order) */
static void print_table(ZwCWriter* w, const Plan* plan, const ZwNode* node) {
  int number = (int)value_at(w, node->u.args[1]) + 1;
  zw_text_addf(w->out, "spline(TABLE_%d_POINTS, table_%d_x, table_%d_y, table_%d_bend, TABLE_%d_IS_PERIODIC, ", number,
               number, number, number, number);
  print(w, plan, node->u.args[0], BIND_SELECT);
  zw_text_addf(w->out, ", %d)", (int)value_at(w, node->u.args[2]));
}

static void print_binary(ZwCWriter* w, const Plan* plan, const ZwNode* node, int own) {
  bool is_sum = zw_op_form(node->op) == ZW_FORM_SUM;
  print(w, plan, node->u.args[0], own);
  zw_text_addf(w->out, is_sum ? " %s " : "%s", zw_op_text(node->op));
  print(w, plan, node->u.args[1], own + 1); /* sums and products are formed from the left, as C does it */
}

static int binding_of(const ZwNode* node) {
  switch (zw_op_form(node->op)) {
    case ZW_FORM_LEAF:
      return node->op == ZW_OP_CONST && signbit(node->u.value) ? BIND_UNARY : BIND_PRIMARY;
    case ZW_FORM_SUM:
      return BIND_SUM;
    case ZW_FORM_TERM:
      return BIND_TERM;
    case ZW_FORM_SELECT:
      return BIND_SELECT;
    case ZW_FORM_PREFIX:
    case ZW_FORM_COMPARE:
    case ZW_FORM_LOGIC:
      return BIND_UNARY; /* minus, or a cast in front of brackets */
    default:
      return BIND_PRIMARY;
  }
}

static void print_node(ZwCWriter* w, const Plan* plan, const ZwNode* node, uint32_t ref, int own) {
  if (is_condition(node->op)) {
    add(w, "(double)");
    print_condition(w, plan, ref, false);
  } else if (node->op == ZW_OP_NEG) {
    add(w, "-");
    print(w, plan, node->u.args[0], BIND_PRIMARY);
  } else if (node->op == ZW_OP_SELECT) {
    print_condition(w, plan, node->u.args[0], true);
    add(w, " ? ");
    print(w, plan, node->u.args[1], BIND_SELECT + 1);
    add(w, " : ");
    print(w, plan, node->u.args[2], BIND_SELECT + 1);
  } else if (node->op == ZW_OP_TABLE) {
    print_table(w, plan, node);
  } else if (own == BIND_SUM || own == BIND_TERM) {
    print_binary(w, plan, node, own);
  } else {
    print_call(w, plan, node);
  }
}

static void print(ZwCWriter* w, const Plan* plan, uint32_t ref, int binding) {
  const ZwNode* node = &w->graph->nodes.items[ref];
  if (plan && plan->number[zw_walk_place(&w->walk, ref)] > 0) {
    zw_text_addf(w->out, "r%d", (int)plan->number[zw_walk_place(&w->walk, ref)]);
    return;
  }
  int own = binding_of(node);
  bool is_bracketed = own < binding;
  if (is_bracketed) add(w, "(");
  if (zw_op_arity(node->op) == 0) {
    print_leaf(w, node);
  } else {
    w->uses[node->op] = true;
    w->operations++;
    print_node(w, plan, node, ref, own);
  }
  if (is_bracketed) add(w, ")");
}

void zw_c_write_expression(ZwCWriter* writer, ZwExpr e) {
  print(writer, NULL, e.ref, BIND_SELECT);
}

/* ---- statements ---- */

static const ZwNode* node_at(const ZwCWriter* w, int32_t i) {
  return &w->graph->nodes.items[w->walk.order.items[i]];
}

static bool open_plan(ZwCWriter* w, Plan* plan, const ZwCAssignment* list, int32_t count) {
  int32_t nodes = w->walk.order.count;
  *plan = (Plan){ZW_NEW(w->arena, nodes + 1, int32_t), ZW_NEW(w->arena, nodes + 1, int32_t),
                 ZW_NEW(w->arena, nodes + 1, int32_t)};
  if (w->arena->failed) return false;
  for (int32_t i = 0; i < count; i++) plan->uses[zw_walk_place(&w->walk, list[i].value.ref)]++;
  for (int32_t i = 0; i < nodes; i++) {
    const ZwNode* node = node_at(w, i);
    for (int k = 0; k < zw_op_arity(node->op); k++) plan->uses[zw_walk_place(&w->walk, node->u.args[k])]++;
  }
  return true;
}

/* Gives numbers to what is used more than once, and to what would make a line too long. */
static void name_values(ZwCWriter* w, Plan* plan) {
  int32_t next = 0;
  for (int32_t i = 0; i < w->walk.order.count; i++) {
    const ZwNode* node = node_at(w, i);
    if (zw_op_arity(node->op) == 0) continue;
    int32_t weight = 1;
    for (int k = 0; k < zw_op_arity(node->op); k++) {
      uint32_t at = zw_walk_place(&w->walk, node->u.args[k]);
      if (plan->number[at] == 0) weight += plan->weight[at];
    }
    plan->weight[i] = weight;
    if (plan->uses[i] > 1 || weight > WEIGHT_MAX) plan->number[i] = ++next;
  }
}

/* What a leaf is read from; 0: nothing that has to be read first. */
static unsigned given_of(ZwOp op) {
  switch (op) {
    case ZW_OP_TIME:
      return ZW_C_GIVEN_T;
    case ZW_OP_COORD:
      return ZW_C_GIVEN_Q;
    case ZW_OP_VELOCITY:
      return ZW_C_GIVEN_V;
    case ZW_OP_PARAM:
      return ZW_C_GIVEN_P;
    case ZW_OP_ACCELERATION:
      return ZW_C_GIVEN_A;
    case ZW_OP_REACTION:
      return ZW_C_GIVEN_LAMBDA;
    default:
      return 0;
  }
}

static void read_leaves(ZwCWriter* w, unsigned given) {
  static const struct {
    ZwOp op;
    const char* from;
  } kinds[] = {{ZW_OP_TIME, "t"},  {ZW_OP_COORD, "q"},        {ZW_OP_VELOCITY, "v"},
               {ZW_OP_PARAM, "p"}, {ZW_OP_ACCELERATION, "a"}, {ZW_OP_REACTION, "lambda"}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    bool is_read = false, is_array = kinds[k].op != ZW_OP_TIME && kinds[k].op != ZW_OP_PARAM;
    for (int32_t i = 0; i < w->walk.order.count; i++) {
      const ZwNode* node = node_at(w, i);
      if (node->op != kinds[k].op) continue;
      is_read = true;
      if (!is_array) continue;
      add(w, "  const double ");
      print_leaf(w, node);
      zw_text_addf(w->out, " = %s[%d];\n", kinds[k].from, (int)node->u.index);
    }
    if (!is_read && (given & given_of(kinds[k].op))) zw_text_addf(w->out, "  (void)%s;\n", kinds[k].from);
  }
}

/* One statement through a text of its own, so that it can be broken into lines. */
static void write_statement(ZwCWriter* w, const Plan* plan, const char* target, int32_t i) {
  ZwText line, *out = w->out;
  zw_text_init(&line, w->arena);
  w->out = &line;
  int32_t number = plan->number[i];
  if (target)
    zw_text_addf(&line, "%s = ", target);
  else
    zw_text_addf(&line, "const double r%d = ", (int)number);
  if (!target) plan->number[i] = 0; /* its own value, not its name */
  print(w, plan, w->walk.order.items[i], BIND_SELECT);
  plan->number[i] = number;
  add(w, ";");
  w->out = out;
  zw_c_write_line(out, INDENT, zw_text_get(&line));
}

void zw_c_write_statements(ZwCWriter* w, unsigned given, const ZwCAssignment* list, int32_t count) {
  ZwExpr* roots = ZW_NEW(w->arena, count + 1, ZwExpr);
  if (!roots) return;
  for (int32_t i = 0; i < count; i++) roots[i] = list[i].value;
  Plan plan;
  w->walk.order.count = 0;
  if (count > 0 && !zw_walk_collect(&w->walk, w->graph, roots, count)) return;
  if (!open_plan(w, &plan, list, count)) return;
  name_values(w, &plan);
  read_leaves(w, given);
  int32_t next = 0;
  for (int32_t i = 0; i < count; i++) {
    int32_t place = (int32_t)zw_walk_place(&w->walk, list[i].value.ref);
    for (; next <= place; next++) {
      if (plan.number[next] > 0) write_statement(w, &plan, NULL, next);
    }
    write_statement(w, &plan, list[i].target, place);
  }
}
