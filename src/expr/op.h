/* The one list of operators. It feeds the graph, the folder, the derivative rules, the evaluator, the printers and the
 * kernels. To add an operator, add a line here and follow the compiler through the switches that lack it. */
#ifndef ZW_EXPR_OP_H
#define ZW_EXPR_OP_H

// clang-format off
#define ZW_OP_LIST(X)                                                      \
  /* name         arity  text     how it is printed */                     \
  X(CONST,        0,     "const",  LEAF)                                   \
  X(TIME,         0,     "t",      LEAF)                                   \
  X(PARAM,        0,     "param",  LEAF)                                   \
  X(COORD,        0,     "q",      LEAF)                                   \
  X(VELOCITY,     0,     "v",      LEAF)                                   \
  X(ACCELERATION, 0,     "a",      LEAF)                                   \
  X(REACTION,     0,     "lambda", LEAF)                                   \
  X(NEG,          1,     "-",      PREFIX)                                 \
  X(ADD,          2,     "+",      SUM)                                    \
  X(SUB,          2,     "-",      SUM)                                    \
  X(MUL,          2,     "*",      TERM)                                   \
  X(DIV,          2,     "/",      TERM)                                   \
  X(POW,          2,     "^",      POWER)                                  \
  X(SIN,          1,     "sin",    CALL)                                   \
  X(COS,          1,     "cos",    CALL)                                   \
  X(TAN,          1,     "tan",    CALL)                                   \
  X(ASIN,         1,     "asin",   CALL)                                   \
  X(ACOS,         1,     "acos",   CALL)                                   \
  X(ATAN,         1,     "atan",   CALL)                                   \
  X(SINH,         1,     "sinh",   CALL)                                   \
  X(COSH,         1,     "cosh",   CALL)                                   \
  X(TANH,         1,     "tanh",   CALL)                                   \
  X(EXP,          1,     "exp",    CALL)                                   \
  X(LOG,          1,     "log",    CALL)                                   \
  X(SQRT,         1,     "sqrt",   CALL)                                   \
  X(ABS,          1,     "abs",    CALL)                                   \
  X(SIGN,         1,     "sign",   CALL)                                   \
  X(FLOOR,        1,     "floor",  CALL)                                   \
  X(ATAN2,        2,     "atan2",  CALL)                                   \
  X(HYPOT,        2,     "hypot",  CALL)                                   \
  X(MIN,          2,     "min",    CALL)                                   \
  X(MAX,          2,     "max",    CALL)                                   \
  X(MOD,          2,     "mod",    CALL)                                   \
  X(LESS,         2,     "<",      COMPARE)                                \
  X(LESS_EQUAL,   2,     "<=",     COMPARE)                                \
  X(EQUAL,        2,     "==",     COMPARE)                                \
  X(NOT_EQUAL,    2,     "!=",     COMPARE)                                \
  X(AND,          2,     "and",    LOGIC)                                  \
  X(OR,           2,     "or",     LOGIC)                                  \
  X(NOT,          1,     "not",    PREFIX)                                 \
  X(SELECT,       3,     "if",     SELECT)                                 \
  X(TABLE,        3,     "table",  TABLE)  /* x, number, order */          \
  /* made by the kernel stage, for times that are far from zero (kernel/epoch.h) */ \
  X(FUSED,        3,     "fused",  OWN)    /* a b + c, rounded once */     \
  X(TURN,         1,     "turn",   OWN)    /* an angle; a large one without its whole turns */ \
  X(TABLE_FROM,   3,     "table_from", OWN) /* x, the origin it is counted from, zw_table_code */
// clang-format on

typedef enum ZwOp {
#define ZW_OP_ENUM(name, arity, text, form) ZW_OP_##name,
  ZW_OP_LIST(ZW_OP_ENUM)
#undef ZW_OP_ENUM
      ZW_OP_COUNT
} ZwOp;

/* How an operator is written. */
typedef enum ZwOpForm {
  ZW_FORM_LEAF,
  ZW_FORM_PREFIX,
  ZW_FORM_SUM,
  ZW_FORM_TERM,
  ZW_FORM_POWER,
  ZW_FORM_CALL,
  ZW_FORM_COMPARE,
  ZW_FORM_LOGIC,
  ZW_FORM_SELECT,
  ZW_FORM_TABLE,
  ZW_FORM_OWN /* like a call, but the language has no such function */
} ZwOpForm;

extern const signed char zw_op_arities[];
static inline int zw_op_arity(ZwOp op) {
  return zw_op_arities[op];
}
const char* zw_op_text(ZwOp op);
ZwOpForm zw_op_form(ZwOp op);

/* The value of an operator on numbers. Conditions are 1 and 0. Leaves and tables are not evaluated here: they need more
 * than numbers. */
double zw_op_apply(ZwOp op, double a, double b, double c);
/* Its rate of change when the arguments x, whose value it is, change at these rates; the rules of expr/diff.c in numbers. */
double zw_op_rate(ZwOp op, const double* x, double value, const double* rates);

#endif
