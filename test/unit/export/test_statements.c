/* Expressions as statements of C. */
#include "export/statements.h"

#include <string.h>

#include "base/alloc.h"
#include "numbers.h"

typedef struct Desk {
  ZwArena arena;
  ZwGraph graph;
  ZwText text;
  ZwCWriter writer;
  ZwExpr x, y, m; /* a coordinate, its velocity, a parameter */
} Desk;

static const char* const coords[] = {"x"};
static const char* const params[] = {"m"};

static void open_desk(Desk* desk) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&desk->arena, &allocator);
  zw_graph_init(&desk->graph, &desk->arena);
  zw_text_init(&desk->text, &desk->arena);
  ZwCLeaves leaves = {coords, params, NULL};
  zw_c_writer_init(&desk->writer, &desk->text, &desk->arena, &desk->graph, &leaves);
  desk->x = zw_expr_leaf(&desk->graph, ZW_OP_COORD, 0);
  desk->y = zw_expr_leaf(&desk->graph, ZW_OP_VELOCITY, 0);
  desk->m = zw_expr_leaf(&desk->graph, ZW_OP_PARAM, 0);
}

static void expect_text(Desk* desk, const char* want) {
  assert_string_equal(zw_text_get(&desk->text), want);
  zw_arena_destroy(&desk->arena);
}

static void expect_expression(Desk* desk, ZwExpr e, const char* want) {
  zw_c_write_expression(&desk->writer, e);
  expect_text(desk, want);
}

static void brackets_keep_the_order(void** state) {
  (void)state;
  Desk d;
  open_desk(&d);
  ZwExpr sum = zw_expr_add(&d.graph, d.x, d.y);
  expect_expression(&d, zw_expr_add(&d.graph, d.m, sum), "p->m + (q_x + v_x)");
  open_desk(&d);
  sum = zw_expr_sub(&d.graph, d.x, zw_expr_sub(&d.graph, d.y, d.m));
  expect_expression(&d, sum, "q_x - (v_x - p->m)");
  open_desk(&d);
  ZwExpr ratio = zw_expr_div(&d.graph, d.x, zw_expr_div(&d.graph, d.y, zw_expr_add(&d.graph, d.m, d.x)));
  expect_expression(&d, ratio, "q_x/(v_x/(p->m + q_x))");
  open_desk(&d);
  ZwExpr negative = zw_expr_neg(&d.graph, zw_expr_mul(&d.graph, d.x, d.y));
  expect_expression(&d, negative, "-(q_x*v_x)");
  open_desk(&d);
  ZwExpr literal = zw_expr_mul(&d.graph, zw_expr_const(&d.graph, -2), d.x);
  expect_expression(&d, literal, "-2.0*q_x");
}

static void conditions_are_those_of_c(void** state) {
  (void)state;
  Desk d;
  open_desk(&d);
  ZwExpr less = zw_expr_binary(&d.graph, ZW_OP_LESS, d.x, d.y);
  ZwExpr not_equal = zw_expr_binary(&d.graph, ZW_OP_NOT_EQUAL, d.x, d.m);
  ZwExpr both = zw_expr_binary(&d.graph, ZW_OP_AND, less, zw_expr_unary(&d.graph, ZW_OP_NOT, not_equal));
  ZwExpr choice = zw_expr_select(&d.graph, both, d.x, zw_expr_add(&d.graph, d.y, d.m));
  expect_expression(&d, choice, "(q_x < v_x) && (!(q_x != p->m)) ? q_x : v_x + p->m");
  open_desk(&d);
  less = zw_expr_binary(&d.graph, ZW_OP_LESS_EQUAL, d.x, d.y);
  expect_expression(&d, zw_expr_mul(&d.graph, d.m, less), "p->m*(double)(q_x <= v_x)");
  open_desk(&d);
  expect_expression(&d, zw_expr_select(&d.graph, d.m, d.x, d.y), "p->m != 0.0 ? q_x : v_x");
}

static void what_is_used_twice_has_a_name(void** state) {
  (void)state;
  Desk d;
  open_desk(&d);
  ZwExpr sine = zw_expr_unary(&d.graph, ZW_OP_SIN, d.x);
  ZwCAssignment list[] = {{"h[0]", zw_expr_mul(&d.graph, d.m, sine)}, {"h[1]", zw_expr_mul(&d.graph, sine, sine)}};
  zw_c_write_statements(&d.writer, ZW_C_GIVEN_T | ZW_C_GIVEN_Q | ZW_C_GIVEN_P, list, 2);
  assert_true(d.writer.operations == 3 && d.writer.uses[ZW_OP_SIN] && !d.writer.uses[ZW_OP_MOD]);
  expect_text(&d,
              "  (void)t;\n"
              "  const double q_x = q[0];\n"
              "  const double r1 = sin(q_x);\n"
              "  h[0] = p->m*r1;\n"
              "  h[1] = r1*r1;\n");
}

static void long_expressions_are_cut(void** state) {
  (void)state;
  Desk d;
  open_desk(&d);
  ZwExpr e = d.x;
  for (int i = 0; i < 100; i++) e = zw_expr_unary(&d.graph, i % 2 ? ZW_OP_SIN : ZW_OP_TANH, e);
  ZwCAssignment one = {"y", e};
  zw_c_write_statements(&d.writer, ZW_C_GIVEN_Q, &one, 1);
  int longest = 0, size = 0;
  for (const char* at = zw_text_get(&d.text); *at; at++) {
    size = *at == '\n' ? 0 : size + 1;
    longest = size > longest ? size : longest;
  }
  assert_true(longest > 40 && longest <= 110);
  zw_arena_destroy(&d.arena);
}

static void expect_number(double value, const char* want) {
  Desk d;
  open_desk(&d);
  zw_c_write_number(&d.text, value);
  expect_text(&d, want);
}

static void numbers_are_doubles(void** state) {
  (void)state;
  expect_number(1, "1.0");
  expect_number(-0.5, "-0.5");
  expect_number(0.1, "0.1");
  expect_number(1e300, "1e+300");
  expect_number(INFINITY, "HUGE_VAL");
  expect_number(-INFINITY, "(-HUGE_VAL)");
  expect_number(NAN, "(double)NAN");
}

static void lines_are_broken(void** state) {
  (void)state;
  Desk d;
  open_desk(&d);
  char line[300] = "";
  for (int i = 0; i < 25; i++) strcat(line, i ? ", double abc" : "double abc");
  zw_c_write_head(&d.text, line);
  const char* text = zw_text_get(&d.text);
  int lines = 0;
  for (const char* at = text; *at; at++) {
    if (*at != '\n') continue;
    lines++;
    assert_true(at[-1] == ',' || !at[1]);
  }
  assert_int_equal(lines, 3);
  zw_arena_destroy(&d.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(brackets_keep_the_order),       cmocka_unit_test(conditions_are_those_of_c),
      cmocka_unit_test(what_is_used_twice_has_a_name), cmocka_unit_test(long_expressions_are_cut),
      cmocka_unit_test(numbers_are_doubles),           cmocka_unit_test(lines_are_broken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
