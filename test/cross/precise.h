/* A second evaluator, in long double, and differences of high order made with it. It shares nothing with the program but
 * the operator list: what an operator means is typed here once more. */
#ifndef ZW_TEST_PRECISE_H
#define ZW_TEST_PRECISE_H

#include <float.h>
#include <math.h>

#include "expr/table.h"
#include "expr/walk.h"
#include "numbers.h"

enum { PRECISE_MAX = 64, PRECISE_PARAMS = 512 }; /* coordinates; parameters, of which the first PRECISE_MAX can move */

/* A point of (t, q, v, a, parameters), or a direction in that space (parameters stay, except for `p`). */
typedef struct Point {
  long double t;
  long double q[PRECISE_MAX], v[PRECISE_MAX], a[PRECISE_MAX], p[PRECISE_PARAMS], r[PRECISE_MAX]; /* r: reactions */
} Point;

typedef struct Precise {
  const ZwGraph* graph;
  ZwWalk walk;
  ZW_ARRAY(long double) values;
  const ZwTables* tables;    /* for expressions that read them */
  bool is_used[ZW_OP_COUNT]; /* operators met so far */
} Precise;

static inline void precise_init(Precise* precise, const ZwGraph* graph, ZwArena* arena) {
  *precise = (Precise){.graph = graph};
  zw_walk_init(&precise->walk, arena);
}

static inline long double precise_leaf(const ZwNode* node, const Point* point) {
  int32_t i = node->u.index;
  switch (node->op) {
    case ZW_OP_CONST:
      return (long double)node->u.value;
    case ZW_OP_TIME:
      return point->t;
    case ZW_OP_PARAM:
      return point->p[i];
    case ZW_OP_COORD:
      return point->q[i];
    case ZW_OP_VELOCITY:
      return point->v[i];
    case ZW_OP_ACCELERATION:
      return point->a[i];
    case ZW_OP_REACTION:
      return point->r[i];
    default:
      return NAN;
  }
}

static inline long double precise_apply(ZwOp op, long double a, long double b, long double c) {
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
      return powl(a, b);
    case ZW_OP_SIN:
      return sinl(a);
    case ZW_OP_COS:
      return cosl(a);
    case ZW_OP_TAN:
      return tanl(a);
    case ZW_OP_ASIN:
      return asinl(a);
    case ZW_OP_ACOS:
      return acosl(a);
    case ZW_OP_ATAN:
      return atanl(a);
    case ZW_OP_SINH:
      return sinhl(a);
    case ZW_OP_COSH:
      return coshl(a);
    case ZW_OP_TANH:
      return tanhl(a);
    case ZW_OP_EXP:
      return expl(a);
    case ZW_OP_LOG:
      return logl(a);
    case ZW_OP_SQRT:
      return sqrtl(a);
    case ZW_OP_ABS:
      return a < 0 ? -a : a;
    case ZW_OP_SIGN:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case ZW_OP_FLOOR:
      return floorl(a);
    case ZW_OP_ATAN2:
      return atan2l(a, b);
    case ZW_OP_HYPOT:
      return sqrtl(a * a + b * b);
    case ZW_OP_MIN:
      return fminl(a, b);
    case ZW_OP_MAX:
      return fmaxl(a, b);
    case ZW_OP_MOD:
      return a - b * floorl(a / b);
    case ZW_OP_FUSED:
      return a * b + c;
    case ZW_OP_TURN: /* what is tested has few turns */
      return a;
    case ZW_OP_LESS:
      return a < b;
    case ZW_OP_LESS_EQUAL:
      return a <= b;
    case ZW_OP_EQUAL:
      return a == b;
    case ZW_OP_NOT_EQUAL:
      return a != b;
    case ZW_OP_AND:
      return a != 0 && b != 0;
    case ZW_OP_OR:
      return a != 0 || b != 0;
    case ZW_OP_NOT:
      return a == 0;
    case ZW_OP_SELECT:
      return a != 0 ? b : c;
    default:
      return NAN;
  }
}

/* Table number b at a, or its derivative of order c: the interval's cubic, from the points and their bends as the program
 * has them (test/unit/expr/test_table.c checks those). */
static inline long double precise_table(const ZwTables* tables, long double a, long double b, long double c) {
  const ZwTable* table = &tables->list.items[(int)b];
  int i = 0;
  while (i + 2 < table->count && (long double)table->x[i + 1] <= a) i++;
  long double x0 = table->x[i], x1 = table->x[i + 1], h = x1 - x0, left = x1 - a, right = a - x0;
  long double y0 = table->y[i], y1 = table->y[i + 1], s0 = table->bend[i], s1 = table->bend[i + 1];
  switch ((int)c) {
    case 0:
      return (s0 * left * left * left + s1 * right * right * right) / (6 * h) + (y0 / h - s0 * h / 6) * left +
             (y1 / h - s1 * h / 6) * right;
    case 1:
      return (s1 * right * right - s0 * left * left) / (2 * h) + (y1 - y0) / h - (s1 - s0) * h / 6;
    case 2:
      return (s0 * left + s1 * right) / h;
    case 3:
      return (s1 - s0) / h;
    default:
      return 0;
  }
}

/* The value of e at a point. */
static inline long double precise_eval(Precise* precise, ZwExpr e, const Point* point) {
  ZwWalk* walk = &precise->walk;
  assert_true(zw_walk_collect(walk, precise->graph, &e, 1));
  precise->values.count = 0;
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(precise->graph, (ZwExpr){walk->order.items[i]});
    long double args[3] = {0};
    int arity = zw_op_arity(node->op);
    for (int k = 0; k < arity; k++) args[k] = precise->values.items[zw_walk_place(walk, node->u.args[k])];
    long double value = node->op == ZW_OP_TABLE ? precise_table(precise->tables, args[0], args[1], args[2])
                        : arity                 ? precise_apply(node->op, args[0], args[1], args[2])
                                                : precise_leaf(node, point);
    precise->is_used[node->op] = true;
    assert_true(ZW_PUSH(walk->arena, &precise->values, value));
  }
  return precise->values.items[walk->order.count - 1];
}

/* ---- directions ---- */

/* at + s * along */
static inline Point moved(const Point* at, long double s, const Point* along) {
  Point point = *at;
  point.t += s * along->t;
  for (int i = 0; i < PRECISE_MAX; i++) {
    point.q[i] += s * along->q[i];
    point.v[i] += s * along->v[i];
    point.a[i] += s * along->a[i];
    point.p[i] += s * along->p[i];
    point.r[i] += s * along->r[i];
  }
  return point;
}

/* ---- differences ----
 *
 * Central, of order 8, with steps that are small in units of the distance to the next singularity. With 64 bits of mantissa
 * rounding costs 1e-19/step = 2e-16 of a first and 1e-19/step^2 = 3e-14 of a second difference; truncation step^8/630 of the
 * 9th and step^8/3150 of the 10th derivative. */
#define PRECISE_STEP_FIRST 0x1p-11L
#define PRECISE_STEP_SECOND 0x1p-9L

/* What rounding leaves of a second difference of numbers of this size, however small the derivative: a few units in the last
 * place of nine of them, weighted. */
static inline long double precise_second_noise(long double size) {
  return 16 * fabsl(size) * LDBL_EPSILON / (PRECISE_STEP_SECOND * PRECISE_STEP_SECOND);
}

/* d/ds e(at + s along) at s = 0 */
static inline long double precise_first(Precise* precise, ZwExpr e, const Point* at, const Point* along) {
  static const long double weights[4] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
  long double sum = 0, step = PRECISE_STEP_FIRST;
  for (int k = 1; k <= 4; k++) {
    Point ahead = moved(at, k * step, along), behind = moved(at, -k * step, along);
    sum += weights[k - 1] * (precise_eval(precise, e, &ahead) - precise_eval(precise, e, &behind));
  }
  return sum / step;
}

/* d2/ds2 e(at + s along) at s = 0 */
static inline long double precise_second(Precise* precise, ZwExpr e, const Point* at, const Point* along) {
  static const long double weights[4] = {8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
  long double here = precise_eval(precise, e, at), sum = 0, step = PRECISE_STEP_SECOND;
  for (int k = 1; k <= 4; k++) {
    Point ahead = moved(at, k * step, along), behind = moved(at, -k * step, along);
    sum += weights[k - 1] * ((precise_eval(precise, e, &ahead) - here) + (precise_eval(precise, e, &behind) - here));
  }
  return sum / (step * step);
}

/* The mixed second derivative along two directions, from those along their sum and difference. */
static inline long double precise_mixed(Precise* precise, ZwExpr e, const Point* at, const Point* a, const Point* b) {
  Point plus = moved(a, 1, b), minus = moved(a, -1, b);
  return (precise_second(precise, e, at, &plus) - precise_second(precise, e, at, &minus)) / 4;
}

#endif
