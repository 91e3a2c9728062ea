/* Every derivative rule against numbers that know no rule: the complex step f'(x) = Im f(x + i h)/h, h = 1e-40, which has
 * no cancellation, where all operators are analytic, and central differences of order 8 in long double for the others,
 * away from their switches. Forward, reverse and total derivatives must all agree with it, and so must the second
 * derivatives, which differentiate what the rules wrote. */
#include <complex.h>

#include "base/alloc.h"
#include "expr/diff.h"
#include "expr/eval.h"
#include "expr/reads.h"
#include "precise.h"

enum { LEAVES = 3, POINTS = 10 }; /* of each kind: q0 q1 q2, v0 .., a0 .., p0 .. */

static const double tol_derivative = 1e-10;
static const double step_complex = 1e-40;

typedef struct Bench {
  ZwAllocator allocator;
  ZwArena arena;
  ZwGraph graph;
  ZwWalk walk;
  ZwEvaluator evaluator;
  Precise precise;
  ZwTables tables;
  bool is_tested[ZW_OP_COUNT];
  double worst_complex, worst_difference;
  const char* name; /* of the case at hand */
} Bench;

static int open_bench(void** state) {
  Bench* bench = calloc(1, sizeof *bench);
  if (!bench) return -1;
  bench->allocator = zw_allocator_default();
  zw_arena_init(&bench->arena, &bench->allocator);
  zw_graph_init(&bench->graph, &bench->arena);
  zw_walk_init(&bench->walk, &bench->arena);
  zw_evaluator_init(&bench->evaluator, &bench->arena);
  precise_init(&bench->precise, &bench->graph, &bench->arena);
  bench->evaluator.tables = bench->precise.tables = &bench->tables;
  *state = bench;
  return 0;
}

static int close_bench(void** state) {
  Bench* bench = *state;
  zw_arena_destroy(&bench->arena);
  free(bench);
  return 0;
}

/* ---- three evaluators ---- */

/* The program's. */
static double plain_eval(Bench* bench, ZwExpr e, const Point* at) {
  double q[LEAVES], v[LEAVES], a[LEAVES], p[LEAVES];
  for (int i = 0; i < LEAVES; i++) {
    q[i] = (double)at->q[i];
    v[i] = (double)at->v[i];
    a[i] = (double)at->a[i];
    p[i] = (double)at->p[i];
  }
  ZwEnvironment environment = {.t = (double)at->t, .params = p, .q = q, .v = v, .a = a};
  return zw_expr_eval(&bench->evaluator, &bench->graph, e, &environment);
}

/* Whole exponents by products: the logarithm of a negative base would bring pi into the imaginary part. */
static double complex complex_power(double complex a, double complex b) {
  double n = creal(b);
  if (cimag(b) != 0 || n != nearbyint(n) || fabs(n) > 16) return cexp(b * clog(a));
  double complex product = 1;
  for (int i = 0; i < (int)fabs(n); i++) product *= a;
  return n < 0 ? 1 / product : product;
}

/* Analytic operators on complex numbers; NaN for the others. */
static double complex complex_apply(ZwOp op, double complex a, double complex b) {
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
      return complex_power(a, b);
    case ZW_OP_SIN:
      return csin(a);
    case ZW_OP_COS:
      return ccos(a);
    case ZW_OP_TAN:
      return csin(a) / ccos(a);
    case ZW_OP_ASIN:
      return casin(a);
    case ZW_OP_ACOS:
      return cacos(a);
    case ZW_OP_ATAN:
      return catan(a);
    case ZW_OP_SINH:
      return csinh(a);
    case ZW_OP_COSH:
      return ccosh(a);
    case ZW_OP_TANH:
      return ctanh(a);
    case ZW_OP_EXP:
      return cexp(a);
    case ZW_OP_LOG:
      return clog(a);
    case ZW_OP_SQRT:
      return csqrt(a);
    default:
      return NAN;
  }
}

static double complex complex_leaf(const ZwNode* node, const Point* at, const Point* along) {
  double value = (double)precise_leaf(node, at);
  double slope = node->op == ZW_OP_CONST ? 0 : (double)precise_leaf(node, along);
  return value + step_complex * slope * I;
}

/* d/ds e(at + s along) by the complex step; false when an operator is not analytic. */
static bool complex_slope(Bench* bench, ZwExpr e, const Point* at, const Point* along, double* slope) {
  ZwWalk* walk = &bench->walk;
  assert_true(zw_walk_collect(walk, &bench->graph, &e, 1));
  double complex* values = calloc((size_t)walk->order.count, sizeof *values);
  assert_non_null(values);
  bool is_analytic = true;
  for (int32_t i = 0; i < walk->order.count && is_analytic; i++) {
    const ZwNode* node = zw_graph_node(&bench->graph, (ZwExpr){walk->order.items[i]});
    int arity = zw_op_arity(node->op);
    if (arity == 0) {
      values[i] = complex_leaf(node, at, along);
      continue;
    }
    double complex a = values[zw_walk_place(walk, node->u.args[0])];
    double complex b = arity > 1 ? values[zw_walk_place(walk, node->u.args[1])] : 0;
    values[i] = complex_apply(node->op, a, b);
    is_analytic = !isnan(creal(values[i]));
  }
  *slope = is_analytic ? cimag(values[walk->order.count - 1]) / step_complex : NAN;
  free(values);
  return is_analytic;
}

/* The slope without any rule. */
static double true_slope(Bench* bench, ZwExpr e, const Point* at, const Point* along, double** worst) {
  double slope = 0;
  *worst = &bench->worst_complex;
  if (complex_slope(bench, e, at, along, &slope)) return slope;
  *worst = &bench->worst_difference;
  return (double)precise_first(&bench->precise, e, at, along);
}

/* ---- comparing ---- */

static void compare_slope(Bench* bench, const char* how, ZwExpr derivative, ZwExpr e, const Point* at,
                          const Point* along) {
  assert_true(derivative.ref != 0);
  double* worst = NULL;
  double want = true_slope(bench, e, at, along, &worst), got = plain_eval(bench, derivative, at);
  double scale = fmax(1e-3, fabs(want));
  if (!(fabs(got - want) <= tol_derivative * scale)) {
    fail_msg("%s, %s: the rule gives %.17g, without it %.17g, off by %.3g relative", bench->name, how, got, want,
             fabs(got - want) / scale);
  }
  *worst = fmax(*worst, fabs(got - want) / scale);
}

typedef struct LeafKind {
  ZwOp op;
  const char* text;
  int32_t count;
} LeafKind;

static const LeafKind leaf_kinds[] = {{ZW_OP_TIME, "t", 1},
                                      {ZW_OP_COORD, "q", LEAVES},
                                      {ZW_OP_VELOCITY, "v", LEAVES},
                                      {ZW_OP_ACCELERATION, "a", LEAVES},
                                      {ZW_OP_PARAM, "p", LEAVES}};

static Point along_leaf(ZwOp op, int32_t i) {
  Point along = {0};
  if (op == ZW_OP_TIME) along.t = 1;
  if (op == ZW_OP_COORD) along.q[i] = 1;
  if (op == ZW_OP_VELOCITY) along.v[i] = 1;
  if (op == ZW_OP_ACCELERATION) along.a[i] = 1;
  if (op == ZW_OP_PARAM) along.p[i] = 1;
  return along;
}

/* Forward and reverse, by every leaf; where `deep`, the first derivatives are differentiated again. */
static void check_partials(Bench* bench, ZwExpr e, const Point* at, bool deep) {
  for (size_t k = 0; k < sizeof leaf_kinds / sizeof leaf_kinds[0]; k++) {
    const LeafKind* kind = &leaf_kinds[k];
    ZwExpr gradient[LEAVES];
    assert_true(zw_diff_gradient(&bench->graph, &bench->walk, e, kind->op, 0, kind->count, gradient));
    for (int32_t i = 0; i < kind->count; i++) {
      Point along = along_leaf(kind->op, i);
      ZwExpr forward = zw_diff_partial(&bench->graph, &bench->walk, e, kind->op, i);
      compare_slope(bench, "forward", forward, e, at, &along);
      compare_slope(bench, "reverse", gradient[i], e, at, &along);
      if (deep) check_partials(bench, i % 2 ? gradient[i] : forward, at, false);
    }
  }
}

/* Along the motion: dt = 1, dq = v, dv = a; the drift leaves a out. */
static void check_total(Bench* bench, ZwExpr e, const Point* at) {
  if (zw_expr_reads(&bench->graph, e).acceleration) return;
  Point motion = {.t = 1};
  for (int i = 0; i < LEAVES; i++) motion.q[i] = at->v[i];
  compare_slope(bench, "drift", zw_diff_drift(&bench->graph, &bench->walk, e), e, at, &motion);
  for (int i = 0; i < LEAVES; i++) motion.v[i] = at->a[i];
  compare_slope(bench, "total", zw_diff_total(&bench->graph, &bench->walk, e), e, at, &motion);
}

static Point random_point(Random* random) {
  Point point = {.t = random_number(random)};
  for (int i = 0; i < LEAVES; i++) {
    point.q[i] = random_number(random);
    point.v[i] = random_number(random);
    point.a[i] = random_number(random);
    point.p[i] = random_number(random);
  }
  return point;
}

/* The evaluators agree, and then the derivatives. */
static void check_at(Bench* bench, ZwExpr e, const Point* at) {
  double value = plain_eval(bench, e, at), want = (double)precise_eval(&bench->precise, e, at);
  assert_true(isfinite(value));
  assert_near(value, want, 1e-13 * fmax(1, fabs(want)));
  check_partials(bench, e, at, true);
  check_total(bench, e, at);
}

/* ---- arguments ---- */

/* A smooth function of all kinds of leaves but accelerations, within (-1, 1). */
static ZwExpr inner(Bench* bench, int which) {
  ZwGraph* g = &bench->graph;
  ZwExpr q = zw_expr_leaf(g, ZW_OP_COORD, which), v = zw_expr_leaf(g, ZW_OP_VELOCITY, (which + 1) % LEAVES);
  ZwExpr p = zw_expr_leaf(g, ZW_OP_PARAM, (which + 2) % LEAVES), t = zw_expr_leaf(g, ZW_OP_TIME, 0);
  ZwExpr sum = zw_expr_add(g, zw_expr_mul(g, q, v), zw_expr_mul(g, p, t));
  ZwExpr wave = zw_expr_unary(g, ZW_OP_SIN, zw_expr_add(g, sum, zw_expr_mul(g, zw_expr_const(g, 0.7 + which), q)));
  return zw_expr_mul(g, zw_expr_const(g, 0.8), wave);
}

/* The same moved into an interval. */
static ZwExpr inner_between(Bench* bench, int which, double low, double high) {
  ZwGraph* g = &bench->graph;
  ZwExpr scaled = zw_expr_mul(g, zw_expr_const(g, (high - low) / 2), inner(bench, which));
  return zw_expr_add(g, zw_expr_const(g, (high + low) / 2), scaled);
}

/* Far enough from the switches of a difference stencil (four steps of 1/2048 along directions of length up to 10). */
static const double clear = 0.15;

typedef struct OpCase {
  ZwOp op;
  double low[2], high[2]; /* where the arguments may lie */
  /* whether a point is far from a switch; NULL: there is none */
  bool (*is_clear)(double a, double b);
} OpCase;

static bool clear_of_zero(double a, double b) {
  (void)b;
  return fabs(a) > clear;
}

static bool clear_of_whole(double a, double b) {
  (void)b;
  return fabs(a - nearbyint(a)) > clear;
}

static bool clear_of_each_other(double a, double b) {
  return fabs(a - b) > clear;
}

static bool clear_of_whole_ratio(double a, double b) {
  return fabs(a / b - nearbyint(a / b)) > clear;
}

static bool clear_of_cut(double a, double b) { /* atan2 and hypot: the origin and, for atan2, the negative b axis */
  return hypot(a, b) > 0.4 && !(b < 0 && fabs(a) < clear);
}

static const OpCase op_cases[] = {
    {ZW_OP_NEG, {-1}, {2}, NULL},
    {ZW_OP_ADD, {-1, -1}, {1, 2}, NULL},
    {ZW_OP_SUB, {-1, -1}, {1, 2}, NULL},
    {ZW_OP_MUL, {-1, -1}, {1, 2}, NULL},
    {ZW_OP_DIV, {-1, 0.5}, {1, 2}, NULL},
    {ZW_OP_DIV, {-1, -2}, {1, -0.5}, NULL},
    {ZW_OP_POW, {0.3, -2}, {3, 2}, NULL},
    {ZW_OP_SIN, {-4, 0}, {4, 0}, NULL},
    {ZW_OP_COS, {-4, 0}, {4, 0}, NULL},
    {ZW_OP_TAN, {-1, 0}, {1, 0}, NULL},
    {ZW_OP_TAN, {2, 0}, {4, 0}, NULL},
    {ZW_OP_ASIN, {-0.9, 0}, {0.9, 0}, NULL},
    {ZW_OP_ACOS, {-0.9, 0}, {0.9, 0}, NULL},
    {ZW_OP_ATAN, {-3, 0}, {3, 0}, NULL},
    {ZW_OP_SINH, {-2, 0}, {2, 0}, NULL},
    {ZW_OP_COSH, {-2, 0}, {2, 0}, NULL},
    {ZW_OP_TANH, {-2, 0}, {2, 0}, NULL},
    {ZW_OP_EXP, {-2, 0}, {2, 0}, NULL},
    {ZW_OP_LOG, {0.2, 0}, {4, 0}, NULL},
    {ZW_OP_SQRT, {0.2, 0}, {4, 0}, NULL},
    {ZW_OP_ABS, {-1, 0}, {1, 0}, clear_of_zero},
    {ZW_OP_SIGN, {-1, 0}, {1, 0}, clear_of_zero},
    {ZW_OP_FLOOR, {-3, 0}, {3, 0}, clear_of_whole},
    {ZW_OP_ATAN2, {-2, -2}, {2, 2}, clear_of_cut},
    {ZW_OP_HYPOT, {-2, -2}, {2, 2}, clear_of_cut},
    {ZW_OP_MIN, {-1, -1}, {1, 1}, clear_of_each_other},
    {ZW_OP_MAX, {-1, -1}, {1, 1}, clear_of_each_other},
    {ZW_OP_MOD, {-4, 0.9}, {4, 1.3}, clear_of_whole_ratio},
    {ZW_OP_MOD, {-4, -1.3}, {4, -0.9}, clear_of_whole_ratio},
    {ZW_OP_TURN, {-300, 0}, {300, 0}, NULL},
};

static void test_operators(void** state) {
  Bench* bench = *state;
  Random random = random_from(12);
  for (size_t k = 0; k < sizeof op_cases / sizeof op_cases[0]; k++) {
    const OpCase* c = &op_cases[k];
    bench->name = zw_op_text(c->op);
    ZwExpr a = inner_between(bench, 0, c->low[0], c->high[0]);
    ZwExpr b = zw_op_arity(c->op) > 1 ? inner_between(bench, 1, c->low[1], c->high[1]) : (ZwExpr){0};
    ZwExpr e = zw_expr_apply(&bench->graph, c->op, a, b, (ZwExpr){0});
    assert_int_equal(zw_graph_node(&bench->graph, e)->op, c->op); /* not folded into something else */
    /* the product with another function shows that adjoints are carried on and added up */
    ZwExpr wrapped = zw_expr_mul(&bench->graph, zw_expr_add(&bench->graph, e, a), inner(bench, 2));
    int points = 0;
    for (int attempt = 0; attempt < 100 * POINTS && points < POINTS; attempt++) {
      Point at = random_point(&random);
      double x = plain_eval(bench, a, &at), y = b.ref ? plain_eval(bench, b, &at) : 0;
      if (c->is_clear && !c->is_clear(x, y)) continue;
      check_at(bench, e, &at);
      check_at(bench, wrapped, &at);
      points++;
    }
    assert_int_equal(points, POINTS);
    bench->is_tested[c->op] = true;
  }
  print_message("rules against the complex step: %.2g, against differences: %.2g\n", bench->worst_complex,
                bench->worst_difference);
}

/* if, with conditions made of every comparison and connective. */
static void test_conditions(void** state) {
  Bench* bench = *state;
  ZwGraph* g = &bench->graph;
  Random random = random_from(13);
  ZwExpr a = inner(bench, 0), b = inner(bench, 1), c = inner(bench, 2);
  static const ZwOp compares[] = {ZW_OP_LESS, ZW_OP_LESS_EQUAL, ZW_OP_EQUAL, ZW_OP_NOT_EQUAL};
  static const ZwOp joins[] = {ZW_OP_AND, ZW_OP_OR};
  for (size_t i = 0; i < 4; i++) {
    for (size_t j = 0; j < 2; j++) {
      bench->name = zw_op_text(compares[i]);
      ZwExpr other = zw_expr_unary(g, ZW_OP_NOT, zw_expr_binary(g, ZW_OP_LESS, b, c));
      ZwExpr condition = zw_expr_binary(g, joins[j], zw_expr_binary(g, compares[i], a, b), other);
      ZwExpr yes = zw_expr_unary(g, ZW_OP_EXP, a), no = zw_expr_mul(g, zw_expr_mul(g, a, b), c);
      ZwExpr e = zw_expr_select(g, condition, yes, no);
      /* conditions have slope 0 themselves */
      ZwExpr flag = zw_expr_mul(g, condition, c);
      int points = 0;
      while (points < POINTS) {
        Point at = random_point(&random);
        double x = plain_eval(bench, a, &at), y = plain_eval(bench, b, &at), z = plain_eval(bench, c, &at);
        if (fabs(x - y) < clear || fabs(y - z) < clear) continue;
        check_at(bench, e, &at);
        check_at(bench, flag, &at);
        points++;
      }
      bench->is_tested[compares[i]] = bench->is_tested[joins[j]] = true;
    }
  }
  bench->is_tested[ZW_OP_NOT] = bench->is_tested[ZW_OP_SELECT] = true;
}

/* A leaf by itself, and accelerations, which the other cases leave out. */
static void test_leaves(void** state) {
  Bench* bench = *state;
  ZwGraph* g = &bench->graph;
  Random random = random_from(14);
  for (size_t k = 0; k < sizeof leaf_kinds / sizeof leaf_kinds[0]; k++) {
    bench->name = leaf_kinds[k].text;
    for (int32_t i = 0; i < leaf_kinds[k].count; i++) {
      ZwExpr leaf = zw_expr_leaf(g, leaf_kinds[k].op, i);
      Point at = random_point(&random);
      check_at(bench, leaf, &at);
      check_at(bench, zw_expr_mul(g, zw_expr_unary(g, ZW_OP_COS, leaf), inner(bench, 1)), &at);
    }
    bench->is_tested[leaf_kinds[k].op] = true;
  }
  bench->name = "const";
  Point at = random_point(&random);
  check_at(bench, zw_expr_const(g, 2.5), &at);
  bench->is_tested[ZW_OP_CONST] = true;
}

/* Inside its intervals a table is a cubic: all its derivatives against differences, and second ones too. */
static void test_tables(void** state) {
  Bench* bench = *state;
  ZwGraph* g = &bench->graph;
  Random random = random_from(16);
  static const double x[] = {-1.5, -0.5, 0.25, 1.5}, y[] = {1, -0.5, 2, 0.75};
  ZwTable table;
  assert_true(zw_table_build(&table, &bench->arena, x, y, 4, false) &&
              ZW_PUSH(&bench->arena, &bench->tables.list, table));
  ZwExpr a = inner_between(bench, 0, -1.4, 1.4);
  for (int order = 0; order <= 3; order++) {
    bench->name = "table";
    ZwExpr e = zw_expr_apply(g, ZW_OP_TABLE, a, zw_expr_const(g, 0), zw_expr_const(g, order));
    ZwExpr wrapped = zw_expr_mul(g, zw_expr_add(g, e, a), inner(bench, 2));
    int points = 0;
    while (points < POINTS) {
      Point at = random_point(&random);
      double place = plain_eval(bench, a, &at);
      if (fabs(place - x[1]) < clear || fabs(place - x[2]) < clear) continue;
      check_at(bench, e, &at);
      check_at(bench, wrapped, &at);
      points++;
    }
  }
  bench->is_tested[ZW_OP_TABLE] = true;
}

/* a b + c, which only differs from the sum by its rounding. */
static void test_fused(void** state) {
  Bench* bench = *state;
  Random random = random_from(17);
  bench->name = "fused";
  ZwExpr e = zw_expr_apply(&bench->graph, ZW_OP_FUSED, inner(bench, 0), inner(bench, 1), inner(bench, 2));
  for (int i = 0; i < POINTS; i++) {
    Point at = random_point(&random);
    check_at(bench, e, &at);
    check_at(bench, zw_expr_mul(&bench->graph, zw_expr_unary(&bench->graph, ZW_OP_SIN, e), inner(bench, 1)), &at);
  }
  bench->is_tested[ZW_OP_FUSED] = true;
}

/* A reaction is a number of its own: nothing else moves it, and it has no rate. */
static void test_reactions(void** state) {
  Bench* bench = *state;
  ZwGraph* g = &bench->graph;
  ZwExpr reaction = zw_expr_leaf(g, ZW_OP_REACTION, 1), e = zw_expr_mul(g, reaction, inner(bench, 0));
  for (size_t k = 0; k < sizeof leaf_kinds / sizeof leaf_kinds[0]; k++) {
    assert_true(zw_expr_is_const(g, zw_diff_partial(g, &bench->walk, reaction, leaf_kinds[k].op, 0), 0));
  }
  ZwExpr by = zw_diff_partial(g, &bench->walk, e, ZW_OP_REACTION, 1);
  assert_true(zw_expr_equal(by, inner(bench, 0)));
  assert_true(zw_expr_is_const(g, zw_diff_partial(g, &bench->walk, e, ZW_OP_REACTION, 0), 0));
  ZwExpr gradient[2];
  assert_true(zw_diff_gradient(g, &bench->walk, e, ZW_OP_REACTION, 0, 2, gradient));
  assert_true(zw_expr_is_const(g, gradient[0], 0) && zw_expr_equal(gradient[1], by));
  assert_true(zw_expr_is_const(g, zw_diff_total(g, &bench->walk, reaction), 0)); /* asking for it is refused before */
  assert_true(zw_expr_reads(g, e).reaction);
  Point at = {.r = {0, 2.5}};
  assert_true(precise_eval(&bench->precise, reaction, &at) == 2.5L);
  bench->is_tested[ZW_OP_REACTION] = true;
}

/* ---- what the general cases cannot reach ---- */

static ZwExpr power_of(Bench* bench, ZwExpr base, double exponent) {
  return zw_expr_binary(&bench->graph, ZW_OP_POW, base, zw_expr_const(&bench->graph, exponent));
}

/* Whole exponents: any sign of the base, and zero. */
static void test_powers(void** state) {
  Bench* bench = *state;
  ZwGraph* g = &bench->graph;
  ZwExpr q = zw_expr_leaf(g, ZW_OP_COORD, 0), p = zw_expr_leaf(g, ZW_OP_PARAM, 0);
  static const double bases[] = {-1.3, -0.4, 0, 0.7};
  for (int n = -4; n <= 6; n++) {
    for (size_t i = 0; i < 4; i++) {
      double x = bases[i];
      if (n < 0 && x == 0) continue;
      Point at = {.q = {x}, .p = {n}};
      double want = n == 0 ? 0 : n * pow(x, n - 1);
      /* the exponent as a number and as a parameter: by q there is no logarithm in either */
      ZwExpr forms[2] = {power_of(bench, q, n), zw_expr_binary(g, ZW_OP_POW, q, p)};
      for (int k = 0; k < 2; k++) {
        if (k == 1 && x == 0) continue; /* 0 * 0^-1 when the exponent happens to be 0 */
        ZwExpr reverse = {0};
        assert_true(zw_diff_gradient(g, &bench->walk, forms[k], ZW_OP_COORD, 0, 1, &reverse));
        ZwExpr forward = zw_diff_partial(g, &bench->walk, forms[k], ZW_OP_COORD, 0);
        assert_near(plain_eval(bench, forward, &at), want, 1e-14 * fabs(want));
        assert_near(plain_eval(bench, reverse, &at), want, 1e-14 * fabs(want));
      }
    }
  }
}

/* The second derivative of q^2 at 0 is 2, of q^3 is 0: no 0/0 on the way. */
static void test_second_at_zero(void** state) {
  Bench* bench = *state;
  ZwGraph* g = &bench->graph;
  ZwExpr q = zw_expr_leaf(g, ZW_OP_COORD, 0);
  static const double want[] = {0, 0, 2, 0, 0};
  Point at = {0};
  for (int n = 1; n <= 4; n++) {
    ZwExpr e = power_of(bench, q, n), first = zw_diff_partial(g, &bench->walk, e, ZW_OP_COORD, 0);
    assert_near(plain_eval(bench, zw_diff_partial(g, &bench->walk, first, ZW_OP_COORD, 0), &at), want[n], 0);
    ZwExpr gradient = {0};
    assert_true(zw_diff_gradient(g, &bench->walk, first, ZW_OP_COORD, 0, 1, &gradient));
    assert_near(plain_eval(bench, gradient, &at), want[n], 0);
  }
}

/* A coordinate used along many paths: adjoints add up. Deep nesting: products do too. */
static void test_sharing(void** state) {
  Bench* bench = *state;
  ZwGraph* g = &bench->graph;
  bench->name = "shared";
  ZwExpr e = inner(bench, 0);
  for (int i = 0; i < 12; i++) {
    ZwExpr wave = zw_expr_unary(g, i % 2 ? ZW_OP_TANH : ZW_OP_ATAN, e);
    e = zw_expr_add(g, zw_expr_mul(g, e, wave), zw_expr_div(g, e, zw_expr_add(g, zw_expr_const(g, 2), wave)));
  }
  Random random = random_from(15);
  for (int i = 0; i < POINTS; i++) {
    Point at = random_point(&random);
    check_partials(bench, e, &at, false);
    check_total(bench, e, &at);
  }
}

/* Runs last: a new line in ZW_OP_LIST must come with a case here. */
static void test_all_covered(void** state) {
  const Bench* bench = *state;
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    if (op == ZW_OP_TABLE_FROM) continue; /* made when all is differentiated */
    if (!bench->is_tested[op]) fail_msg("no derivative test for the operator %s", zw_op_text((ZwOp)op));
    if (!bench->precise.is_used[op]) fail_msg("the operator %s was folded away in every test", zw_op_text((ZwOp)op));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operators),   cmocka_unit_test(test_conditions),     cmocka_unit_test(test_leaves),
      cmocka_unit_test(test_tables),      cmocka_unit_test(test_fused),          cmocka_unit_test(test_reactions),
      cmocka_unit_test(test_powers),      cmocka_unit_test(test_second_at_zero), cmocka_unit_test(test_sharing),
      cmocka_unit_test(test_all_covered),
  };
  return cmocka_run_group_tests(tests, open_bench, close_bench);
}
