/* Scalars, 2-vectors and 3-vectors: what goes together, what it means, and what is refused where. */
#include "model/value.h"

#include "expr/eval.h"
#include "model/stages.h"

static const char head[] =
    "param m = 2, w = (1, 2)\ncoord x, y, P = (1, 2), Q = (0, 0), R = (1, 2, 3), S = (0, 0, 1)\n";

static void operators_work_component_by_component(void** state) {
  (void)state;
  static const Means table[] = {
      {"P + Q", "P.x + Q.x | P.y + Q.y"},
      {"P - Q - w", "P.x - Q.x - w.x | P.y - Q.y - w.y"},
      {"R + S", "R.x + S.x | R.y + S.y | R.z + S.z"},
      {"-R", "-R.x | -R.y | -R.z"},
      {"+P", "P.x | P.y"},
      {"m*P", "m*P.x | m*P.y"},
      {"P*m", "P.x*m | P.y*m"},
      {"2*P*3", "6*P.x | 6*P.y"},
      {"x*(y*P)", "x*y*P.x | x*y*P.y"},
      {"R/m", "R.x/m | R.y/m | R.z/m"},
      {"(x, y)", "x | y"},
      {"(x, y, x + y)", "x | y | x + y"},
      {"(P.x, P.y, 0) + R", "P.x + R.x | P.y + R.y | R.z"},
      {"P.x", "P.x"},
      {"R.z", "R.z"},
      {"(x, y, 7).z", "7"},
      {"(P + Q).y", "P.y + Q.y"},
      {"if x < y then P else Q", "if x < y then P.x else Q.x | if x < y then P.y else Q.y"},
  };
  assert_all_mean(head, table);
}

static void products_of_vectors_have_names(void** state) {
  (void)state;
  static const Means table[] = {
      {"dot(P, Q)", "P.x*Q.x + P.y*Q.y"},
      {"dot(R, S)", "R.x*S.x + R.y*S.y + R.z*S.z"},
      {"P^2", "P.x^2 + P.y^2"},
      {"R^2", "R.x^2 + R.y^2 + R.z^2"},
      {"R^(1 + 1)", "R.x^2 + R.y^2 + R.z^2"},
      {"dot(P, P)", "P.x^2 + P.y^2"},
      {"P'^2", "P.x'^2 + P.y'^2"},
      {"cross(P, Q)", "P.x*Q.y - P.y*Q.x"},
      {"cross(R, S)", "R.y*S.z - R.z*S.y | R.z*S.x - R.x*S.z | R.x*S.y - R.y*S.x"},
      {"cross(R, R)", "R.y*R.z - R.z*R.y | R.z*R.x - R.x*R.z | R.x*R.y - R.y*R.x"},
      {"cross((1, 0, 0), (0, 1, 0))", "0 | 0 | 1"},
      {"cross((0, 1, 0), (0, 0, 1))", "1 | 0 | 0"},
      {"cross((0, 0, 1), (1, 0, 0))", "0 | 1 | 0"},
      {"cross((1, 0), (0, 1))", "1"},
      {"norm(P)", "sqrt(P.x^2 + P.y^2)"},
      {"norm((3, 4))", "5"},
      {"norm((2, 3, 6))", "7"},
      {"unit(P)", "P.x/sqrt(P.x^2 + P.y^2) | P.y/sqrt(P.x^2 + P.y^2)"},
      {"unit((0, 3, 4))", "0 | 0.6 | 0.8"},
  };
  assert_all_mean(head, table);
}

/* The number 0 is the zero of every kind, so is an empty sum, and so is what folds to 0. */
static void zero_stands_for_the_zero_vector(void** state) {
  (void)state;
  static const Means table[] = {
      {"P + 0", "P.x | P.y"},
      {"0 - P", "-P.x | -P.y"},
      {"0 + R - 0", "R.x | R.y | R.z"},
      {"P + (1 - 1)", "P.x | P.y"},
      {"P + sum(i in 1..0: Q)", "P.x | P.y"},
      {"sum(i in 1..0: Q)", "0"},
      {"if x < y then P else 0", "if x < y then P.x else 0 | if x < y then P.y else 0"},
      {"if x < y then 0 else R", "if x < y then 0 else R.x | if x < y then 0 else R.y | if x < y then 0 else R.z"},
      {"dot(P, 0)", "0"},
      {"0*P", "0 | 0"},
      {"cross(R, 0)", "0 | 0 | 0"},
  };
  assert_all_mean(head, table);
  Stages s;
  stages_elaborate(&s,
                   "coord P = (1, 2), v = (1, 0)\nconstraint c: P - v = 0\nforce P = 0\nstart P = 0, v' = (3, 4)\n");
  assert_no_error(&s);
  assert_string_equal(stages_printed(&s, stages_find_term(&s, ZW_TERM_CONSTRAINT, "c.y")->value), "P.y - v.y");
  assert_string_equal(stages_printed(&s, s.system.coords.items[1].start_q), "0");
  assert_string_equal(stages_printed(&s, s.system.coords.items[3].start_v), "4");
  stages_close(&s);
}

static void primes_work_component_by_component(void** state) {
  (void)state;
  static const Means table[] = {
      {"P'", "P.x' | P.y'"},
      {"P''", "P.x'' | P.y''"},
      {"P'.y", "P.y'"},
      {"P.y'", "P.y'"},
      {"w'", "0 | 0"},
      {"(x*P)'", "x'*P.x + x*P.x' | x'*P.y + x*P.y'"},
      {"(P^2)'", "2*P.x*P.x' + 2*P.y*P.y'"},
      {"cross(P, P')'", "P.x'*P.y' + P.x*P.y'' - (P.y'*P.x' + P.y*P.x'')"},
      {"(t, t^2, 3)'", "1 | 2*t | 0"},
  };
  assert_all_mean(head, table);
}

static void diff_is_the_partial_derivative(void** state) {
  (void)state;
  static const Means table[] = {
      {"diff(x^2*y, x)", "2*x*y"}, {"diff(x^2*y, y)", "x^2"},
      {"diff(x*x', x)", "x'"}, /* the velocity is another variable */
      {"diff(x*x', x')", "x"},     {"diff(m*x, m)", "x"},
      {"diff(P^2, P.y)", "2*P.y"}, {"diff(x*P, x)", "P.x | P.y"},
      {"diff(t*x, y)", "0"},       {"diff(R, R.z)", "0 | 0 | 1"},
  };
  assert_all_mean(head, table);
  static const Refused wrong[] = {
      {"output o = diff(x^2, P)", ZW_ERR_VALUE, 22, "diff(e, P.x)"},
      {"output o = diff(x^2, x^2)", ZW_ERR_VALUE, 22, "coordinate"},
      {"output o = diff(x^2, t)", ZW_ERR_VALUE, 22, "coordinate"},
      {"output o = diff(x^2, 2)", ZW_ERR_VALUE, 22, "coordinate"},
      {"output o = diff(x'', x'')", ZW_ERR_VALUE, 22, "velocity"},
      {"output o = diff(x)", ZW_ERR_TYPE, 12, "2 arguments"},
  };
  assert_all_refused(head, wrong);
}

static void what_does_not_go_together_is_refused(void** state) {
  (void)state;
  static const Refused table[] = {
      {"potential (P + 1).x", ZW_ERR_TYPE, 16, "cannot add a scalar to a 2-vector"},
      {"potential (1 + P).x", ZW_ERR_TYPE, 16, "cannot add a 2-vector to a scalar"},
      {"potential (P - R).x", ZW_ERR_TYPE, 16, "cannot subtract a 3-vector from a 2-vector"},
      {"potential dot(P + R, P)", ZW_ERR_TYPE, 19, "cannot add a 3-vector to a 2-vector"},
      {"potential P*Q", ZW_ERR_TYPE, 13, "dot(a, b) or cross(a, b)"},
      {"potential P*R", ZW_ERR_TYPE, 13, "product of two vectors"},
      {"potential 1/P", ZW_ERR_TYPE, 13, "divide by a vector"},
      {"potential P/Q", ZW_ERR_TYPE, 13, "divide by a vector"},
      {"potential P^3", ZW_ERR_TYPE, 11, "P^2 = dot(P, P)"},
      {"potential P^0.5", ZW_ERR_TYPE, 11, "only the square"},
      {"potential P^m", ZW_ERR_TYPE, 11, "only the square"}, /* although m is 2 */
      {"potential 2^P", ZW_ERR_TYPE, 13, "an exponent must be a scalar, this is a 2-vector"},
      {"potential sin(P)", ZW_ERR_TYPE, 15, "must be a scalar, this is a 2-vector"},
      {"potential atan2(x, R)", ZW_ERR_TYPE, 20, "a 3-vector"},
      {"potential norm(x)", ZW_ERR_TYPE, 11, "abs(...)"},
      {"potential unit(x).x", ZW_ERR_TYPE, 11, "takes a vector, not a scalar"},
      {"potential dot(x, y)", ZW_ERR_TYPE, 11, "two vectors, not a scalar and a scalar"},
      {"potential dot(P, R)", ZW_ERR_TYPE, 11, "a 2-vector and a 3-vector"},
      {"potential dot(P, x)", ZW_ERR_TYPE, 11, "a 2-vector and a scalar"},
      {"potential cross(P, R)", ZW_ERR_TYPE, 11, "a 2-vector and a 3-vector"},
      {"potential cross(P)", ZW_ERR_TYPE, 11, "2 arguments, not 1"},
      {"potential norm(P, Q)", ZW_ERR_TYPE, 11, "1 argument, not 2"},
      {"potential dot(a = P, b = Q)", ZW_ERR_NAME, 15, "have no names"},
      {"potential P.z", ZW_ERR_TYPE, 11, ".x and .y"},
      {"potential R.w", ZW_ERR_TYPE, 11, ".x, .y and .z"},
      {"potential x.x", ZW_ERR_TYPE, 11, "a scalar has no member 'x'"},
      {"potential x.length", ZW_ERR_TYPE, 11, "no member 'length'"},
      {"potential (x, P).x", ZW_ERR_TYPE, 15, "a component of a vector must be a scalar"},
      {"potential P", ZW_ERR_TYPE, 11, "an energy must be a scalar, this is a 2-vector"},
      {"kinetic R'", ZW_ERR_TYPE, 9, "a 3-vector"},
      {"force P = 1", ZW_ERR_TYPE, 11, "the force is a scalar, what it works on a 2-vector"},
      {"force x = P", ZW_ERR_TYPE, 11, "the force is a 2-vector, what it works on a scalar"},
      {"force P = R", ZW_ERR_TYPE, 11, "a 3-vector"},
      {"constraint P = 1", ZW_ERR_TYPE, 12, "the left side is a 2-vector, the right side a scalar"},
      {"constraint x = P", ZW_ERR_TYPE, 12, "the left side is a scalar, the right side a 2-vector"},
      {"constraint P = R", ZW_ERR_TYPE, 12, "the right side a 3-vector"},
      {"constraint P - (P.x, 1) = 0", ZW_ERR_CONSTRAINT, 12, "component x"},
      {"start P = 1", ZW_ERR_TYPE, 7, "the left side is a 2-vector, the right side a scalar"},
      {"start x = (1, 2)", ZW_ERR_TYPE, 7, "the right side a 2-vector"},
      {"run 0 .. (1, 2)", ZW_ERR_TYPE, 10, "must be a scalar"},
      {"run 0 .. 1 tolerance w", ZW_ERR_TYPE, 22, "the tolerance must be a scalar"},
      {"potential if P < 0 then 1 else 2", ZW_ERR_TYPE, 14, "must be a scalar, this is a 2-vector"},
      {"potential if x < P.x then P else x", ZW_ERR_TYPE, 11, "one branch is a 2-vector, the other a scalar"},
      {"potential sum(i in 1..2: if i == 1 then x else P)", ZW_ERR_TYPE, 26,
       "one summand is a scalar, another a 2-vector"},
      {"potential P[1]", ZW_ERR_TYPE, 11, ".x, .y, .z"},
      {"potential x[1]", ZW_ERR_TYPE, 11, "not an array"},
      {"potential P(1)", ZW_ERR_TYPE, 11, "not a function"},
      {"potential x < y", ZW_ERR_TYPE, 11, "a condition is not a value"},
      {"potential \"text\"", ZW_ERR_TYPE, 11, "not a value"},
      {"let a = [1, 2]", ZW_ERR_SYNTAX, 9, "expected a value"},
  };
  assert_all_refused(head, table);
}

/* ---- by number: the graph's own functions ---- */

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
  ZwEvaluator evaluator;
} Fixture;

static ZwValue vector(Fixture* f, const double* x, int32_t dim) {
  ZwValue value = {.dim = dim};
  for (int32_t k = 0; k < dim; k++) value.c[k] = zw_expr_const(&f->g, x[k]);
  return value;
}

static double number(Fixture* f, ZwExpr e) {
  return zw_expr_eval(&f->evaluator, &f->g, e, &(ZwEnvironment){0});
}

static void products_obey_the_rules_of_vectors(void** state) {
  (void)state;
  Fixture f;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f.arena, &allocator);
  zw_graph_init(&f.g, &f.arena);
  zw_evaluator_init(&f.evaluator, &f.arena);
  Random random = random_from(31);
  for (int trial = 0; trial < 50; trial++) {
    double x[9];
    random_fill(&random, 9, x);
    ZwValue a = vector(&f, x, 3), b = vector(&f, x + 3, 3), c = vector(&f, x + 6, 3);
    ZwValue ab = zw_value_cross(&f.g, &a, &b), bc = zw_value_cross(&f.g, &b, &c), ca = zw_value_cross(&f.g, &c, &a);
    double volume = number(&f, zw_value_dot(&f.g, &ab, &c));
    assert_near(number(&f, zw_value_dot(&f.g, &bc, &a)), volume, 1e-14);
    assert_near(number(&f, zw_value_dot(&f.g, &ca, &b)), volume, 1e-14);
    assert_near(number(&f, zw_value_dot(&f.g, &ab, &a)), 0, 1e-14);
    /* |a x b|^2 + (a.b)^2 = a^2 b^2 */
    double aa = number(&f, zw_value_dot(&f.g, &a, &a)), bb = number(&f, zw_value_dot(&f.g, &b, &b));
    double dot = number(&f, zw_value_dot(&f.g, &a, &b)), sine = number(&f, zw_value_norm(&f.g, &ab));
    assert_near(sine * sine + dot * dot, aa * bb, 1e-14);
    ZwValue p = vector(&f, x, 2), q = vector(&f, x + 3, 2);
    ZwValue turn = zw_value_cross(&f.g, &p, &q);
    assert_int_equal(turn.dim, 1);
    assert_near(number(&f, turn.c[0]), x[0] * x[4] - x[1] * x[3], 1e-15);
    ZwValue unit = zw_value_over(&f.g, &p, zw_value_norm(&f.g, &p));
    assert_near(number(&f, zw_value_norm(&f.g, &unit)), 1, 1e-15);
  }
  zw_arena_destroy(&f.arena);
}

static void only_zero_matches_every_kind(void** state) {
  (void)state;
  Fixture f;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f.arena, &allocator);
  zw_graph_init(&f.g, &f.arena);
  double some[] = {1, 2, 3};
  for (int32_t dim = 1; dim <= 3; dim++) {
    ZwValue zero = zw_value_zero(&f.g, 1), v = vector(&f, some, dim), w = zw_value_zero(&f.g, 2);
    assert_true(zw_value_is_zero(&f.g, &zero));
    assert_true(zw_value_match(&f.g, &zero, &v));
    assert_int_equal(zero.dim, dim);
    ZwValue one = zw_value_scalar(zw_expr_const(&f.g, 1));
    assert_int_equal(zw_value_match(&f.g, &one, &v), dim == 1);
    assert_int_equal(zw_value_match(&f.g, &w, &v), dim == 2); /* a zero 2-vector is a 2-vector */
    assert_false(zw_value_is_zero(&f.g, &w));
  }
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_work_component_by_component), cmocka_unit_test(products_of_vectors_have_names),
      cmocka_unit_test(zero_stands_for_the_zero_vector),       cmocka_unit_test(primes_work_component_by_component),
      cmocka_unit_test(diff_is_the_partial_derivative),        cmocka_unit_test(what_does_not_go_together_is_refused),
      cmocka_unit_test(products_obey_the_rules_of_vectors),    cmocka_unit_test(only_zero_matches_every_kind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
