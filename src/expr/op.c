#include "expr/op.h"

#include <math.h>

#include "base/assert.h"
#include "expr/elementary.h"

const signed char zw_op_arities[] = {
#define ZW_OP_ARITY(name, n, text, form) n,
    ZW_OP_LIST(ZW_OP_ARITY)
#undef ZW_OP_ARITY
};

const char* zw_op_text(ZwOp op) {
  static const char* const texts[] = {
#define ZW_OP_TEXT(name, n, text, form) text,
      ZW_OP_LIST(ZW_OP_TEXT)
#undef ZW_OP_TEXT
  };
  return texts[op];
}

ZwOpForm zw_op_form(ZwOp op) {
  static const ZwOpForm forms[] = {
#define ZW_OP_FORM(name, n, text, form) ZW_FORM_##form,
      ZW_OP_LIST(ZW_OP_FORM)
#undef ZW_OP_FORM
  };
  return forms[op];
}

/* Beyond a few turns an angle keeps its direction only, so that what is added to it keeps its digits. */
static double turn(double a) {
  static const double most = 400;
  return fabs(a) <= most || !isfinite(a) ? a : atan2(zw_sin(a), zw_cos(a));
}

static double modulo(double a, double b) {
  return a - floor(a / b) * b; /* has the sign of b, as on paper */
}

double zw_op_apply(ZwOp op, double a, double b, double c) {
  switch (op) {
    case ZW_OP_NEG:
      return -a;
    case ZW_OP_ADD:
      return a + b;
    case ZW_OP_SUB:
      return a - b;
    case ZW_OP_MUL:
      return a * b;
    case ZW_OP_DIV:
      return a / b;
    case ZW_OP_POW:
      return pow(a, b);
    case ZW_OP_SIN:
      return zw_sin(a);
    case ZW_OP_COS:
      return zw_cos(a);
    case ZW_OP_TAN:
      return tan(a);
    case ZW_OP_ASIN:
      return asin(a);
    case ZW_OP_ACOS:
      return acos(a);
    case ZW_OP_ATAN:
      return atan(a);
    case ZW_OP_SINH:
      return sinh(a);
    case ZW_OP_COSH:
      return cosh(a);
    case ZW_OP_TANH:
      return tanh(a);
    case ZW_OP_EXP:
      return zw_exp(a);
    case ZW_OP_LOG:
      return log(a);
    case ZW_OP_SQRT:
      return sqrt(a);
    case ZW_OP_ABS:
      return fabs(a);
    case ZW_OP_SIGN:
      return (double)((a > 0) - (a < 0));
    case ZW_OP_FLOOR:
      return floor(a);
    case ZW_OP_ATAN2:
      return atan2(a, b);
    case ZW_OP_HYPOT:
      return hypot(a, b);
    case ZW_OP_MIN:
      return b < a ? b : a;
    case ZW_OP_MAX:
      return b > a ? b : a;
    case ZW_OP_MOD:
      return modulo(a, b);
    case ZW_OP_LESS:
      return (double)(a < b);
    case ZW_OP_LESS_EQUAL:
      return (double)(a <= b);
    case ZW_OP_EQUAL:
      return (double)(a == b);
    case ZW_OP_NOT_EQUAL:
      return (double)(a != b);
    case ZW_OP_AND:
      return (double)(a != 0 && b != 0);
    case ZW_OP_OR:
      return (double)(a != 0 || b != 0);
    case ZW_OP_NOT:
      return (double)(a == 0);
    case ZW_OP_SELECT:
      return a != 0 ? b : c;
    case ZW_OP_FUSED:
      return fma(a, b, c);
    case ZW_OP_TURN:
      return turn(a);
    case ZW_OP_CONST:
    case ZW_OP_TIME:
    case ZW_OP_PARAM:
    case ZW_OP_COORD:
    case ZW_OP_VELOCITY:
    case ZW_OP_ACCELERATION:
    case ZW_OP_REACTION:
    case ZW_OP_TABLE:
    case ZW_OP_TABLE_FROM:
    case ZW_OP_COUNT:
      break;
  }
  ZW_ASSERT(0 && "a leaf or table has no operator value");
  return NAN;
}

/* a^b; a constant exponent asks for no logarithm of a negative base */
static double pow_rate(const double* x, double value, const double* rates) {
  double rate = rates[0] != 0 ? x[1] * pow(x[0], x[1] - 1) * rates[0] : 0;
  return rates[1] != 0 ? rate + value * log(x[0]) * rates[1] : rate;
}

double zw_op_rate(ZwOp op, const double* x, double value, const double* rates) {
  double a = x[0], b = x[1], da = rates[0], db = rates[1];
  switch (op) {
    case ZW_OP_NEG:
      return -da;
    case ZW_OP_ADD:
      return da + db;
    case ZW_OP_SUB:
      return da - db;
    case ZW_OP_MUL:
      return da * b + a * db;
    case ZW_OP_DIV:
      return (da - value * db) / b;
    case ZW_OP_SELECT:
      return a != 0 ? db : rates[2];
    case ZW_OP_FUSED:
      return da * b + a * db + rates[2];
    case ZW_OP_TURN:
      return da;
    case ZW_OP_MIN:
      return b < a ? db : da;
    case ZW_OP_MAX:
      return b > a ? db : da;
    default:
      break;
  }
  if (da == 0 && db == 0) return 0; /* a root at 0 that does not change */
  switch (op) {
    case ZW_OP_POW:
      return pow_rate(x, value, rates);
    case ZW_OP_SIN:
      return zw_cos(a) * da;
    case ZW_OP_COS:
      return -zw_sin(a) * da;
    case ZW_OP_TAN:
      return (1 + value * value) * da;
    case ZW_OP_ASIN:
      return da / sqrt(1 - a * a);
    case ZW_OP_ACOS:
      return -da / sqrt(1 - a * a);
    case ZW_OP_ATAN:
      return da / (1 + a * a);
    case ZW_OP_SINH:
      return cosh(a) * da;
    case ZW_OP_COSH:
      return sinh(a) * da;
    case ZW_OP_TANH:
      return (1 - value * value) * da;
    case ZW_OP_EXP:
      return value * da;
    case ZW_OP_LOG:
      return da / a;
    case ZW_OP_SQRT:
      return 0.5 * da / value;
    case ZW_OP_ABS:
      return a < 0 ? -da : da;
    case ZW_OP_ATAN2:
      return (b * da - a * db) / (a * a + b * b);
    case ZW_OP_HYPOT:
      return (a * da + b * db) / value;
    case ZW_OP_MOD:
      return da - floor(a / b) * db;
    default:
      return 0; /* sign, floor, comparisons, logic: constant between their switches */
  }
}
