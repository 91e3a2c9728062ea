/* Machine code against the interpreter, bit by bit, on thousands of random expressions over any number of elements, with
 * ordinary numbers and with infinities, NaN, -0 and denormal ones. Every NaN counts as the same. */
#include "kernel/native.h"

#include "base/machine.h"
#include "kernel/machine.h"

static const double odd_numbers[] = {0.0,  -0.0,   0x1p-1074, -0x1p-1050, INFINITY, -INFINITY, NAN, 1e300,
                                     -1e9, 1e-300, 1,         -1,         0.5,      2e6,       720, -720};

/* Some of the numbers become odd ones. */
static void make_odd(double* x, int count, Random* random) {
  for (int i = 0; i < count; i++) {
    if (random_next(random) % 3 == 0) x[i] = odd_numbers[random_int(random, 0, 15)];
  }
}

static void draw_odd_point(Machine* m, Random* random) {
  draw_point(m, random);
  make_odd(m->q, COORDS, random);
  make_odd(m->v, COORDS, random);
  make_odd(m->a, COORDS, random);
  make_odd(m->values, PARAMS, random);
}

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void fill_rubbish(const Stages* s, Machine* m) {
  for (ptrdiff_t i = 0; i < (ptrdiff_t)s->program.registers * ZW_LANES; i++) m->state.registers[i] = NAN;
}

/* The outputs by the interpreter, then by both forms of machine code. */
static void compare_outputs(Stages* s, Machine* m) {
  size_t count = (size_t)s->equations.output_count;
  run_outputs(s, m);
  double* want = malloc(count * sizeof(double));
  assert_non_null(want);
  memcpy(want, m->outs, count * sizeof(double));
  for (int form = 0; form < 2; form++) {
    const char* why;
    assert_int_equal(zw_native_compile(&s->program, form ? ZW_NATIVE_SCALAR : ZW_NATIVE_BEST, &why), ZW_OK);
    fill_rubbish(s, m);
    run_outputs(s, m);
    for (size_t i = 0; i < count; i++) {
      if (is_same(want[i], m->outs[i])) continue;
      fail_msg("output %zu of %zu is %a, the interpreter says %a", i, count, m->outs[i], want[i]);
    }
    zw_native_destroy(&s->program);
  }
  free(want);
}

static void compare_at_points(Stages* s, Random* random) {
  compile_system(s);
  Machine m;
  open_machine(&m, s);
  m.state.tables = &s->system.tables;
  for (int point = 0; point < 3; point++) {
    if (point < 2)
      draw_point(&m, random);
    else
      draw_odd_point(&m, random);
    compare_outputs(s, &m);
  }
  close_machine(&m);
}

static void random_expressions_agree(void** state) {
  (void)state;
  enum { CASES = 3000 };
  static const int32_t instances[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 64, 70};
  Random random = random_from(31);
  for (int trial = 0; trial < CASES; trial++) {
    Tree tree;
    random_tree(&random, 1 + trial % 7, &tree);
    Stages s;
    open_system(&s);
    int32_t count = instances[random_int(&random, 0, trial % 10 ? 8 : 11)];
    for (int32_t i = 0; i < count; i++) {
      TreeMap map;
      draw_map(&map, &random);
      add_output(&s, tree_build(&tree, &map, &s.system.graph));
    }
    compare_at_points(&s, &random);
    stages_close(&s);
  }
}

/* Elements side by side, some of the same shape: sections of all kinds follow one another. */
static void programs_of_many_expressions_agree(void** state) {
  (void)state;
  Random random = random_from(32);
  for (int trial = 0; trial < 150; trial++) {
    Stages s;
    open_system(&s);
    for (int shape = 0; shape < 12; shape++) {
      Tree tree;
      random_tree(&random, 1 + random_int(&random, 0, 5), &tree);
      for (int32_t i = random_int(&random, 0, 9); i >= 0; i--) {
        TreeMap map;
        draw_map(&map, &random);
        add_output(&s, tree_build(&tree, &map, &s.system.graph));
      }
    }
    compare_at_points(&s, &random);
    stages_close(&s);
  }
}

/* Every operator, on every pair of odd numbers. */
static void every_operator_agrees_on_odd_numbers(void** state) {
  (void)state;
  for (int op = ZW_OP_NEG; op < ZW_OP_COUNT; op++) {
    if (op == ZW_OP_TABLE || op == ZW_OP_TABLE_FROM) continue;
    for (int count = 1; count <= 9; count += 2) {
      Stages s;
      open_system(&s);
      ZwGraph* g = &s.system.graph;
      for (int32_t i = 0; i < count; i++) {
        ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, i), y = zw_expr_leaf(g, ZW_OP_VELOCITY, i);
        add_output(&s, zw_expr_apply(g, (ZwOp)op, x, y, zw_expr_leaf(g, ZW_OP_ACCELERATION, i)));
      }
      compile_system(&s);
      Machine m;
      open_machine(&m, &s);
      for (int k = 0; k < 256; k++) {
        for (int i = 0; i < COORDS; i++) {
          m.q[i] = odd_numbers[(k + i) % 16];
          m.v[i] = odd_numbers[(k / 16 + i * 3) % 16];
          m.a[i] = odd_numbers[(k + 5 * i) % 16];
        }
        if (k % 16 == 0 || count == 5) compare_outputs(&s, &m);
      }
      close_machine(&m);
      stages_close(&s);
    }
  }
}

/* More values at once than there are registers, and calls in between. */
static void many_values_at_once_agree(void** state) {
  (void)state;
  enum { LEAVES = 64 };
  Random random = random_from(33);
  for (int count = 1; count <= 5; count++) {
    Stages s;
    open_system(&s);
    ZwGraph* g = &s.system.graph;
    for (int32_t e = 0; e < count; e++) {
      ZwExpr parts[LEAVES], sum = zw_expr_const(g, 0);
      for (int i = 0; i < LEAVES; i++) {
        ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, (e + i) % COORDS), y = zw_expr_leaf(g, ZW_OP_VELOCITY, i % COORDS);
        parts[i] = zw_expr_add(g, zw_expr_mul(g, zw_expr_const(g, i + 1), x), zw_expr_mul(g, y, x));
      }
      for (int i = 0; i < LEAVES; i++) { /* all parts are needed until the end */
        static const ZwOp calls[] = {ZW_OP_SIN, ZW_OP_COS, ZW_OP_EXP, ZW_OP_ATAN, ZW_OP_SQRT};
        ZwExpr other = zw_expr_unary(g, calls[i % 5], parts[LEAVES - 1 - i]);
        sum = zw_expr_add(g, sum, zw_expr_mul(g, parts[i], other));
        sum = zw_expr_sub(g, sum, zw_expr_binary(g, i % 2 ? ZW_OP_ATAN2 : ZW_OP_HYPOT, parts[i], parts[i / 2]));
      }
      add_output(&s, sum);
    }
    compare_at_points(&s, &random);
    stages_close(&s);
  }
}

static void tables_agree(void** state) {
  (void)state;
  static const double x[] = {-1, -0.2, 0.4, 1}, y[] = {2, -1, 0.5, 3};
  Random random = random_from(34);
  for (int count = 1; count <= 6; count++) {
    Stages s;
    open_system(&s);
    ZwGraph* g = &s.system.graph;
    ZwTable table;
    assert_true(zw_table_build(&table, &s.arena, x, y, 4, false) && ZW_PUSH(&s.arena, &s.system.tables.list, table));
    for (int32_t i = 0; i < 4 * count; i++) {
      ZwExpr at = zw_expr_leaf(g, ZW_OP_COORD, i / 4);
      add_output(&s, zw_expr_apply(g, ZW_OP_TABLE, at, zw_expr_const(g, 0), zw_expr_const(g, i % 4)));
    }
    compare_at_points(&s, &random);
    stages_close(&s);
  }
}

static void reactions_agree(void** state) {
  (void)state;
  enum { ROWS = 30 };
  Random random = random_from(35);
  double reactions[ROWS];
  random_fill(&random, ROWS, reactions);
  for (int is_even = 0; is_even < 2; is_even++) {
    for (int count = 1; count <= ROWS; count += 3) {
      Stages s;
      open_system(&s);
      ZwGraph* g = &s.system.graph;
      for (int32_t i = 0; i < count; i++) {
        ZwExpr own = zw_expr_leaf(g, ZW_OP_REACTION, is_even ? i : i * 7 % ROWS);
        add_output(&s, zw_expr_mul(g, zw_expr_leaf(g, ZW_OP_COORD, is_even ? 0 : i * i % COORDS), own));
      }
      compile_system(&s);
      Machine m;
      open_machine(&m, &s);
      draw_point(&m, &random);
      m.state.reactions = reactions;
      compare_outputs(&s, &m);
      close_machine(&m);
      stages_close(&s);
    }
  }
}

/* Sines of sines: what is computed together must not depend on each other. */
static void nested_angles_agree(void** state) {
  (void)state;
  Random random = random_from(36);
  for (int count = 1; count <= 9; count++) {
    Stages s;
    open_system(&s);
    ZwGraph* g = &s.system.graph;
    for (int32_t i = 0; i < count; i++) {
      ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, i), sum = x;
      for (int k = 0; k < 40; k++) {
        ZwExpr sine = zw_expr_unary(g, ZW_OP_SIN, x), cosine = zw_expr_unary(g, ZW_OP_COS, x);
        sum = zw_expr_add(g, zw_expr_mul(g, sum, sine), cosine);
        x = zw_expr_add(g, k % 3 ? x : sine, zw_expr_const(g, 0.1 * (k + 1)));
      }
      add_output(&s, sum);
    }
    compare_at_points(&s, &random);
    stages_close(&s);
  }
}

int main(void) {
  if (!zw_machine_has_avx2()) {
    print_message("this machine has no AVX2: nothing was compared\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_expressions_agree),
      cmocka_unit_test(programs_of_many_expressions_agree),
      cmocka_unit_test(every_operator_agrees_on_odd_numbers),
      cmocka_unit_test(many_values_at_once_agree),
      cmocka_unit_test(tables_agree),
      cmocka_unit_test(reactions_agree),
      cmocka_unit_test(nested_angles_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
