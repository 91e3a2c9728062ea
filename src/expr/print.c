#include "expr/print.h"

enum { DEPTH_MAX = 100 };

typedef struct Printer {
  ZwText* text;
  const ZwGraph* graph;
  int32_t end; /* of the text's size */
  ZwNameFn name;
  void* context;
} Printer;

static void print(Printer* p, uint32_t ref, int binding, int depth);

int zw_expr_binding(const ZwNode* node) {
  switch (zw_op_form(node->op)) {
    case ZW_FORM_SELECT:
      return ZW_BIND_SELECT;
    case ZW_FORM_LOGIC:
      return node->op == ZW_OP_OR ? ZW_BIND_OR : ZW_BIND_AND;
    case ZW_FORM_COMPARE:
      return ZW_BIND_COMPARE;
    case ZW_FORM_SUM:
      return ZW_BIND_SUM;
    case ZW_FORM_TERM:
      return ZW_BIND_TERM;
    case ZW_FORM_PREFIX:
      return node->op == ZW_OP_NOT ? ZW_BIND_NOT : ZW_BIND_UNARY;
    case ZW_FORM_POWER:
      return ZW_BIND_POWER;
    case ZW_FORM_LEAF:
      return node->op == ZW_OP_CONST && node->u.value < 0 ? ZW_BIND_UNARY : ZW_BIND_LEAF;
    case ZW_FORM_TABLE:
    case ZW_FORM_CALL:
    case ZW_FORM_OWN:
      break;
  }
  return ZW_BIND_LEAF;
}

static void print_leaf(Printer* p, const ZwNode* node) {
  if (node->op == ZW_OP_CONST) {
    zw_text_add_number(p->text, node->u.value);
  } else if (node->op == ZW_OP_TIME) {
    zw_text_add(p->text, "t", 1);
  } else {
    p->name(p->text, node->op, node->u.index, p->context);
    if (node->op == ZW_OP_VELOCITY) zw_text_add(p->text, "'", 1);
    if (node->op == ZW_OP_ACCELERATION) zw_text_add(p->text, "''", 2);
  }
}

static void print_call(Printer* p, const ZwNode* node, int depth) {
  zw_text_addf(p->text, "%s(", zw_op_text(node->op));
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    if (k) zw_text_add(p->text, ", ", 2);
    print(p, node->u.args[k], ZW_BIND_SELECT, depth);
  }
  zw_text_add(p->text, ")", 1);
}

static void print_binary(Printer* p, const ZwNode* node, int binding, int depth) {
  bool tight = zw_op_form(node->op) == ZW_FORM_TERM || node->op == ZW_OP_POW;
  bool right = node->op == ZW_OP_POW; /* binds from the right: a^b^c = a^(b^c) */
  bool either = node->op == ZW_OP_ADD || node->op == ZW_OP_MUL || zw_op_form(node->op) == ZW_FORM_LOGIC;
  print(p, node->u.args[0], binding + (right || binding == ZW_BIND_COMPARE), depth);
  zw_text_addf(p->text, tight ? "%s" : " %s ", zw_op_text(node->op));
  print(p, node->u.args[1], right ? ZW_BIND_UNARY : binding + !either, depth);
}

static void print_select(Printer* p, const ZwNode* node, int depth) {
  zw_text_add(p->text, "if ", 3);
  print(p, node->u.args[0], ZW_BIND_OR, depth);
  zw_text_add(p->text, " then ", 6);
  print(p, node->u.args[1], ZW_BIND_SELECT, depth);
  zw_text_add(p->text, " else ", 6);
  print(p, node->u.args[2], ZW_BIND_SELECT, depth);
}

static void print(Printer* p, uint32_t ref, int binding, int depth) {
  if (depth > DEPTH_MAX || p->text->size > p->end || p->text->arena->failed) {
    zw_text_add(p->text, "...", 3);
    return;
  }
  const ZwNode* node = &p->graph->nodes.items[ref];
  int own = zw_expr_binding(node);
  bool bracketed = own < binding;
  if (bracketed) zw_text_add(p->text, "(", 1);
  switch (zw_op_form(node->op)) {
    case ZW_FORM_LEAF:
      print_leaf(p, node);
      break;
    case ZW_FORM_CALL:
    case ZW_FORM_OWN:
      print_call(p, node, depth + 1);
      break;
    case ZW_FORM_SELECT:
      print_select(p, node, depth + 1);
      break;
    case ZW_FORM_TABLE:
      zw_text_add(p->text, "table(", 6);
      print(p, node->u.args[0], ZW_BIND_SELECT, depth + 1);
      zw_text_add(p->text, ")", 1);
      break;
    case ZW_FORM_PREFIX:
      zw_text_addf(p->text, node->op == ZW_OP_NOT ? "not " : "-");
      print(p, node->u.args[0], own, depth + 1);
      break;
    default:
      print_binary(p, node, own, depth + 1);
      break;
  }
  if (bracketed) zw_text_add(p->text, ")", 1);
}

void zw_expr_print(ZwText* text, const ZwGraph* graph, ZwExpr e, int32_t limit, ZwNameFn name, void* context) {
  Printer printer = {text, graph, text->size + limit, name, context};
  if (e.ref) print(&printer, e.ref, ZW_BIND_SELECT, 0);
}
