/* Kernels against the reference evaluator: every operator at every width, thousands of random expressions, and what the
 * set-up tape takes out of them. The systems are made by hand: terms of kind OUTPUT over expressions nobody would
 * type. */
#include "kernel/kernel.h"

#include "kernel/machine.h"

static void random_expressions_have_the_value_of_the_reference(void** state) {
  (void)state;
  enum { CASES = 4000, INSTANCES_MAX = 140 };
  static const int32_t instances[] = {1, 1, 1, 2, 7, 8, 9, 63, 64, 65, 128, 140};
  Random random = random_from(21);
  static TreeMap maps[INSTANCES_MAX];
  int64_t compared = 0;
  int32_t met[ZW_OP_COUNT] = {0};
  for (int trial = 0; trial < CASES; trial++) {
    Tree tree;
    random_tree(&random, 1 + trial % 6, &tree);
    int32_t count = trial % 10 ? instances[random_int(&random, 0, 5)] : instances[random_int(&random, 6, 11)];
    Stages s;
    open_system(&s);
    for (int32_t i = 0; i < count; i++) {
      draw_map(&maps[i], &random);
      add_output(&s, tree_build(&tree, &maps[i], &s.system.graph));
    }
    compile_system(&s);
    assert_int_equal(s.equations.shapes.count, 1);
    Machine m;
    open_machine(&m, &s);
    for (int point = 0; point < 2; point++) {
      draw_point(&m, &random);
      run_outputs(&s, &m);
      ZwEnvironment at = environment_of(&m);
      for (int32_t i = 0; i < count; i++) {
        TreeValue want = tree_value(&tree, &maps[i], &at);
        if (!want.is_finite) continue;
        assert_near(m.outs[i], want.value, 16 * want.rounding);
        compared++;
      }
    }
    for (int32_t i = 0; i < tree.count; i++) met[tree.nodes[i].op]++;
    close_machine(&m);
    stages_close(&s);
  }
  assert_true(compared > CASES);
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    if (op == ZW_OP_REACTION || op >= ZW_OP_TABLE) continue; /* have tests of their own */
    assert_true(met[op] > 10);
  }
}

/* Several different expressions in one program, so that kernels, constants and registers lie side by side. */
static void expressions_of_one_program_do_not_disturb_each_other(void** state) {
  (void)state;
  enum { OUTPUTS = 60 };
  static Tree trees[OUTPUTS];
  Random random = random_from(22);
  for (int trial = 0; trial < 40; trial++) {
    Stages s;
    open_system(&s);
    for (int i = 0; i < OUTPUTS; i++) {
      random_tree(&random, 5, &trees[i]);
      add_output(&s, tree_build(&trees[i], &tree_as_is, &s.system.graph));
    }
    compile_system(&s);
    Machine m;
    open_machine(&m, &s);
    draw_point(&m, &random);
    run_outputs(&s, &m);
    ZwEnvironment at = environment_of(&m);
    for (int i = 0; i < OUTPUTS; i++) {
      TreeValue want = tree_value(&trees[i], &tree_as_is, &at);
      if (want.is_finite) assert_near(m.outs[i], want.value, 16 * want.rounding);
    }
    close_machine(&m);
    stages_close(&s);
  }
}

static void every_operator_works_in_every_lane(void** state) {
  (void)state;
  static const int32_t widths[] = {1, 2, 8, 9, 64, 67};
  for (int op = ZW_OP_NEG; op < ZW_OP_COUNT; op++) {
    if (op == ZW_OP_TABLE || op == ZW_OP_TABLE_FROM) continue; /* see tables_are_read_in_every_lane */
    for (int w = 0; w < 6; w++) {
      Stages s;
      open_system(&s);
      ZwGraph* g = &s.system.graph;
      for (int32_t i = 0; i < widths[w]; i++) {
        /* the slot is different in every lane */
        ZwExpr x = zw_expr_mul(g, zw_expr_leaf(g, ZW_OP_COORD, 0), zw_expr_const(g, 0.01 * (i + 1)));
        ZwExpr y = zw_expr_leaf(g, ZW_OP_VELOCITY, 0), z = zw_expr_leaf(g, ZW_OP_TIME, 0);
        add_output(&s, zw_expr_apply(g, (ZwOp)op, x, y, z));
      }
      compile_system(&s);
      Machine m;
      open_machine(&m, &s);
      m.q[0] = 0.9;
      m.v[0] = 0.35;
      m.state.t = -1.5;
      run_outputs(&s, &m);
      for (int32_t i = 0; i < widths[w]; i++) {
        double want = zw_op_apply((ZwOp)op, (0.01 * (i + 1)) * 0.9, 0.35, -1.5);
        assert_near(m.outs[i], want, 1e-15 * (1 + fabs(want)));
      }
      close_machine(&m);
      stages_close(&s);
    }
  }
}

/* Two tables, all orders; the same number of the table would share a shape, another one does not. */
static void tables_are_read_in_every_lane(void** state) {
  (void)state;
  static const int32_t widths[] = {1, 2, 8, 9, 64, 67};
  static const double x0[] = {-1, -0.2, 0.4, 1}, y0[] = {2, -1, 0.5, 3}, x1[] = {-2, 0, 2}, y1[] = {0, 1, 5};
  for (int w = 0; w < 6; w++) {
    Stages s;
    open_system(&s);
    ZwGraph* g = &s.system.graph;
    ZwTable tables[2];
    assert_true(zw_table_build(&tables[0], &s.arena, x0, y0, 4, false) &&
                zw_table_build(&tables[1], &s.arena, x1, y1, 3, false));
    for (int k = 0; k < 2; k++) assert_true(ZW_PUSH(&s.arena, &s.system.tables.list, tables[k]));
    for (int32_t i = 0; i < widths[w]; i++) {
      for (int k = 0; k < 8; k++) {
        ZwExpr x = zw_expr_mul(g, zw_expr_leaf(g, ZW_OP_COORD, 0), zw_expr_const(g, 0.0149 * (i + 1)));
        add_output(&s, zw_expr_apply(g, ZW_OP_TABLE, x, zw_expr_const(g, k / 4), zw_expr_const(g, k % 4)));
      }
    }
    compile_system(&s);
    assert_int_equal(s.equations.shapes.count, 8);
    Machine m;
    open_machine(&m, &s);
    m.state.tables = &s.system.tables;
    m.q[0] = -0.9;
    run_outputs(&s, &m);
    ZwEvaluator evaluator;
    zw_evaluator_init(&evaluator, &s.arena);
    evaluator.tables = &s.system.tables;
    ZwEnvironment at = environment_of(&m);
    for (int32_t i = 0; i < 8 * widths[w]; i++) {
      double want = zw_table_eval(&tables[i % 8 / 4], -0.9 * (0.0149 * (i / 8 + 1)), i % 4);
      assert_near(m.outs[i], want, 1e-15 * (1 + fabs(want)));
      assert_near(zw_expr_eval(&evaluator, g, s.system.terms.items[i].value, &at), want, 1e-15 * (1 + fabs(want)));
    }
    /* outside of the points: the table is the culprit, with the place it was asked for */
    m.q[0] = -100;
    run_outputs(&s, &m);
    assert_true(isnan(m.outs[0]));
    ZwCulprit culprit = zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, INFINITY);
    assert_true(culprit.is_found);
    assert_int_equal(culprit.op, ZW_OP_TABLE);
    assert_near(culprit.args[0], -100 * 0.0149 * (culprit.instance + 1), 1e-12);
    close_machine(&m);
    stages_close(&s);
  }
}

/* A leaf by row: instances share a shape whatever rows they read. */
static void reactions_are_read_by_their_rows(void** state) {
  (void)state;
  enum { ROWS = 70 };
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  for (int32_t i = 0; i < ROWS; i++) {
    ZwExpr own = zw_expr_leaf(g, ZW_OP_REACTION, i), next = zw_expr_leaf(g, ZW_OP_REACTION, (i + 1) % ROWS);
    add_output(&s, zw_expr_sub(g, zw_expr_mul(g, zw_expr_leaf(g, ZW_OP_COORD, i % COORDS), own), next));
  }
  compile_system(&s);
  assert_int_equal(s.equations.shapes.count, 1);
  assert_int_equal(s.equations.shapes.items[0].reactions, 2);
  Machine m;
  open_machine(&m, &s);
  Random random = random_from(24);
  draw_point(&m, &random);
  double reactions[ROWS];
  random_fill(&random, ROWS, reactions);
  m.state.reactions = reactions;
  run_outputs(&s, &m);
  for (int32_t i = 0; i < ROWS; i++) {
    assert_near(m.outs[i], m.q[i % COORDS] * reactions[i] - reactions[(i + 1) % ROWS], 1e-15);
  }
  close_machine(&m);
  stages_close(&s);
}

static void work_on_parameters_alone_is_done_in_the_set_up(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_compile(&s,
                                  "param m = 2, l = 3, g = 9.81\ncoord x\nkinetic 1/2*(m*l^2/12 + m)*x'^2\n"
                                  "output o = exp(m*l)*sin(x) + sqrt(g/l)*cos(x) + log(m + g)\n"),
                   ZW_OK);
  assert_int_equal(s.program.kernels.count, 2);
  const ZwKernel* output = &s.program.kernels.items[1];
  assert_int_equal(output->constants, 3); /* exp(m*l), sqrt(g/l), log(m + g) */
  assert_int_equal(output->setup.code.count, 6);
  assert_int_equal(output->tapes[ZW_ENTRY_OUTPUT].code.count, 6); /* sin * cos * + + */
  for (int32_t i = 0; i < output->tapes[ZW_ENTRY_OUTPUT].code.count; i++) {
    ZwOp op = output->tapes[ZW_ENTRY_OUTPUT].code.items[i].op;
    assert_true(op == ZW_OP_SIN || op == ZW_OP_COS || op == ZW_OP_MUL || op == ZW_OP_ADD);
  }
  /* the mass is one constant; nothing of it is computed while stepping */
  const ZwKernel* kinetic = &s.program.kernels.items[0];
  assert_int_equal(kinetic->tapes[ZW_ENTRY_ACCELERATION].code.count, 0);
  assert_int_equal(kinetic->tapes[ZW_ENTRY_ACCELERATION].inputs.items[0].kind, ZW_INPUT_CONSTANT);
  stages_close(&s);
}

static void set_up_follows_the_parameters(void** state) {
  (void)state;
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  ZwExpr p = zw_expr_leaf(g, ZW_OP_PARAM, 0), x = zw_expr_leaf(g, ZW_OP_COORD, 0);
  add_output(&s, zw_expr_mul(g, zw_expr_unary(g, ZW_OP_EXP, p), x));
  compile_system(&s);
  Machine m;
  open_machine(&m, &s);
  m.q[0] = 2;
  for (int i = 0; i < 3; i++) {
    m.values[0] = i;
    run_outputs(&s, &m);
    assert_near(m.outs[0], 2 * exp(i), 1e-14);
  }
  close_machine(&m);
  stages_close(&s);
}

/* A balanced sum of 2^10 products needs about ten registers besides its inputs, not two thousand. */
static void registers_are_reused(void** state) {
  (void)state;
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  ZwExpr sums[1024];
  for (int32_t i = 0; i < 1024; i++) {
    ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, i % COORDS), t = zw_expr_leaf(g, ZW_OP_TIME, 0);
    sums[i] = zw_expr_unary(g, ZW_OP_SIN, zw_expr_mul(g, zw_expr_const(g, i + 1), zw_expr_add(g, x, t)));
  }
  for (int width = 512; width >= 1; width /= 2) {
    for (int i = 0; i < width; i++) sums[i] = zw_expr_add(g, sums[2 * i], sums[2 * i + 1]);
  }
  add_output(&s, sums[0]);
  compile_system(&s);
  const ZwTape* tape = &s.program.kernels.items[0].tapes[ZW_ENTRY_OUTPUT];
  assert_true(tape->code.count > 3000);
  int32_t fixed = tape->literals.count + tape->inputs.count;
  assert_true(tape->registers < fixed + 16);
  Machine m;
  open_machine(&m, &s);
  Random random = random_from(23);
  draw_point(&m, &random);
  run_outputs(&s, &m);
  double want = 0;
  for (int i = 0; i < 1024; i++) want += sin((i + 1) * (m.q[i % COORDS] + m.t));
  assert_near(m.outs[0], want, 1e-10);
  close_machine(&m);
  stages_close(&s);
}

/* In lowered form the exponent is y*y - y*y, which is nothing: x^0 must then be 1, not a failure. */
static void exponent_that_vanishes_in_lowering_gives_one(void** state) {
  (void)state;
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, 0), y = zw_expr_leaf(g, ZW_OP_COORD, 1);
  ZwExpr square = zw_expr_binary(g, ZW_OP_POW, y, zw_expr_const(g, 2));
  add_output(&s, zw_expr_binary(g, ZW_OP_POW, x, zw_expr_sub(g, square, zw_expr_mul(g, y, y))));
  compile_system(&s);
  Machine m;
  open_machine(&m, &s);
  m.q[0] = 5;
  m.q[1] = 3;
  run_outputs(&s, &m);
  assert_near(m.outs[0], 1, 0);
  close_machine(&m);
  stages_close(&s);
}

static void contributions_add_up_in_their_targets(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_compile(&s,
                                  "param m = 2, k = 3\ncoord x, y\nkinetic 1/2*m*x'^2 + 1/2*(x' + y')^2\n"
                                  "potential 1/2*k*x^2 + x*y\nforce x = 7\nconstraint x*y = 1\n"),
                   ZW_OK);
  double q[] = {0.5, 2}, v[] = {1, -1}, a[] = {0, 0}, values[16] = {2, 3};
  for (int32_t i = 0; i < s.equations.literals.count; i++) values[2 + i] = s.equations.literals.items[i];
  double M[4] = {0}, h[2] = {0}, Q[2] = {0}, A[2] = {0}, b[1] = {0}, phi[1] = {0}, psi[1] = {0}, scalars[4] = {0};
  ZwKernelState state_ = {.q = q, .v = v, .a = a, .values = values};
  state_.constants = calloc((size_t)s.program.constants + 1, sizeof(double));
  state_.registers = calloc((size_t)s.program.registers * ZW_LANES, sizeof(double));
  double* targets[ZW_TARGET_COUNT] = {M,   h,   Q,           &scalars[0], A,           b,
                                      phi, psi, &scalars[1], &scalars[2], &scalars[3], NULL};
  memcpy(state_.targets, targets, sizeof targets);
  zw_program_setup(&s.program, &state_);
  zw_program_run(&s.program, ZW_ENTRY_ACCELERATION, &state_);
  assert_true(s.program.is_M_constant && M[0] == 0);
  zw_program_masses(&s.program, &state_);
  assert_int_equal(s.equations.M.count, 3);
  assert_near(M[0], 3, 1e-15); /* xx: m + 1 */
  assert_near(M[1], 1, 1e-15); /* yx */
  assert_near(M[2], 1, 1e-15); /* yy */
  assert_near(h[0], -3 * 0.5 - 2, 1e-15);
  assert_near(h[1], -0.5, 1e-15);
  assert_near(Q[0], 7, 0);
  assert_near(A[0], 2, 0);
  assert_near(A[1], 0.5, 0);
  assert_near(b[0], -2 * 1 * -1, 1e-15); /* -2 x' y' */
  memset(A, 0, sizeof A);
  zw_program_run(&s.program, ZW_ENTRY_POSITION, &state_);
  assert_near(phi[0], 0, 0);
  zw_program_run(&s.program, ZW_ENTRY_VELOCITY, &state_);
  assert_near(psi[0], 1 * 2 + 0.5 * -1, 1e-15);
  zw_program_run(&s.program, ZW_ENTRY_ENERGY, &state_);
  assert_near(scalars[1], 1 + 0 + 0.375 + 1, 1e-15); /* T + V */
  assert_near(scalars[2], 2, 1e-15);                 /* 2 T */
  assert_near(scalars[3], 0.375 + 1, 1e-15);         /* V */
  free(state_.constants);
  free(state_.registers);
  stages_close(&s);
}

/* ---- the operation that failed ---- */

static void culprit_is_named_with_its_instance_and_arguments(void** state) {
  (void)state;
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  for (int32_t i = 0; i < 10; i++) {
    ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, i);
    add_output(&s, zw_expr_unary(g, ZW_OP_SIN, zw_expr_unary(g, ZW_OP_SQRT, x)));
  }
  compile_system(&s);
  Machine m;
  open_machine(&m, &s);
  for (int i = 0; i < COORDS; i++) m.q[i] = 1;
  run_outputs(&s, &m);
  assert_false(zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, INFINITY).is_found);
  m.q[7] = -4;
  run_outputs(&s, &m);
  assert_true(isnan(m.outs[7]));
  ZwCulprit culprit = zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, INFINITY);
  assert_true(culprit.is_found);
  assert_int_equal(culprit.instance, 7);
  assert_int_equal(culprit.op, ZW_OP_SQRT);
  assert_near(culprit.args[0], -4, 0);
  assert_true(isnan(culprit.value));
  assert_int_equal(culprit.mark, 2); /* the second node of the form: x, then its root */
  close_machine(&m);
  stages_close(&s);
}

/* With a limit an operation that makes an enormous number is found too, but not the sum that passes it on. */
static void enormous_value_is_traced_to_its_origin(void** state) {
  (void)state;
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, 0), y = zw_expr_leaf(g, ZW_OP_COORD, 1);
  add_output(&s, zw_expr_add(g, zw_expr_mul(g, x, zw_expr_div(g, x, y)), y));
  compile_system(&s);
  Machine m;
  open_machine(&m, &s);
  m.q[0] = 3;
  m.q[1] = 1e-9;
  run_outputs(&s, &m);
  assert_false(zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, INFINITY).is_found);
  assert_false(zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, 1e12).is_found);
  ZwCulprit culprit = zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, 1e6);
  assert_true(culprit.is_found);
  assert_int_equal(culprit.op, ZW_OP_DIV);
  assert_near(culprit.args[1], 1e-9, 0);
  close_machine(&m);
  stages_close(&s);
}

static void culprit_in_the_set_up_is_found_too(void** state) {
  (void)state;
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  ZwExpr p = zw_expr_leaf(g, ZW_OP_PARAM, 0), x = zw_expr_leaf(g, ZW_OP_COORD, 0);
  add_output(&s, zw_expr_mul(g, zw_expr_unary(g, ZW_OP_LOG, p), x));
  compile_system(&s);
  Machine m;
  open_machine(&m, &s);
  m.q[0] = 1;
  m.values[0] = 0;
  run_outputs(&s, &m);
  ZwCulprit culprit = zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, INFINITY);
  assert_true(culprit.is_found);
  assert_int_equal(culprit.op, ZW_OP_LOG);
  assert_true(culprit.value == -INFINITY);
  m.values[0] = 1;
  m.q[0] = INFINITY; /* the state itself */
  run_outputs(&s, &m);
  culprit = zw_program_culprit(&s.program, ZW_ENTRY_OUTPUT, &m.state, INFINITY);
  assert_true(culprit.is_found);
  assert_true(culprit.value == INFINITY);
  close_machine(&m);
  stages_close(&s);
}

static void program_can_be_dumped(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_compile(&s, "param m = 1\ncoord x\nkinetic 1/2*m*x'^2\noutput o = sin(x)\n"), ZW_OK);
  ZwText text;
  zw_text_init(&text, &s.arena);
  zw_program_dump(&text, &s.program);
  assert_non_null(strstr(zw_text_get(&text), "2 kernels"));
  assert_non_null(strstr(zw_text_get(&text), "= sin r"));
  stages_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_expressions_have_the_value_of_the_reference),
      cmocka_unit_test(expressions_of_one_program_do_not_disturb_each_other),
      cmocka_unit_test(every_operator_works_in_every_lane),
      cmocka_unit_test(tables_are_read_in_every_lane),
      cmocka_unit_test(reactions_are_read_by_their_rows),
      cmocka_unit_test(work_on_parameters_alone_is_done_in_the_set_up),
      cmocka_unit_test(set_up_follows_the_parameters),
      cmocka_unit_test(registers_are_reused),
      cmocka_unit_test(exponent_that_vanishes_in_lowering_gives_one),
      cmocka_unit_test(contributions_add_up_in_their_targets),
      cmocka_unit_test(culprit_is_named_with_its_instance_and_arguments),
      cmocka_unit_test(enormous_value_is_traced_to_its_origin),
      cmocka_unit_test(culprit_in_the_set_up_is_found_too),
      cmocka_unit_test(program_can_be_dumped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
