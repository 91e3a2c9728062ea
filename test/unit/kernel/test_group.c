/* A program for four members against the program for one, run for each of them: the same bits, by the interpreter and by machine
 * code, also where one member's numbers are infinite or none. Every NaN counts as the same. */
#include "kernel/kernel.h"

#include "base/machine.h"
#include "kernel/machine.h"
#include "kernel/native.h"

enum { STRIDE = 8, FOUR = ZW_GROUP_FOUR };

static const double odd_numbers[] = {0.0, -0.0, 0x1p-1074, INFINITY, -INFINITY, NAN, 1e300, 720};

/* What four members read and write, in arrays in which other members have a place too. */
typedef struct Members {
  Machine machines[FOUR];
  ZwArena arena;
  ZwProgram program;
  ZwKernelState state;
  double *values, *outs, *constants;
  double q[(COORDS + 1) * STRIDE], v[COORDS * STRIDE], a[COORDS * STRIDE]; /* time stands behind q */
} Members;

static void open_members(Members* members, Stages* s) {
  zw_arena_init(&members->arena, &s->allocator);
  assert_int_equal(zw_program_group(&s->program, &members->arena, STRIDE, COORDS, &members->program), ZW_OK);
  for (int l = 0; l < FOUR; l++) open_machine(&members->machines[l], s);
  size_t values = (size_t)(PARAMS + s->equations.literals.count), outs = (size_t)s->equations.output_count;
  members->values = calloc(values * STRIDE, sizeof(double));
  members->outs = calloc(outs * STRIDE, sizeof(double));
  members->constants = calloc((size_t)members->program.constants + 1, sizeof(double));
  members->state = (ZwKernelState){.tables = &s->system.tables,
                                   .q = members->q,
                                   .v = members->v,
                                   .a = members->a,
                                   .values = members->values,
                                   .constants = members->constants};
  members->state.registers = calloc((size_t)members->program.registers * ZW_LANES, sizeof(double));
  members->state.targets[ZW_TARGET_OUTPUT] = members->outs;
}

static void close_members(Members* members) {
  for (int l = 0; l < FOUR; l++) close_machine(&members->machines[l]);
  free(members->values);
  free(members->outs);
  free(members->constants);
  free(members->state.registers);
  zw_native_destroy(&members->program);
  zw_arena_destroy(&members->arena);
}

static void put(double* to, int l, const double* from, int count) {
  for (int i = 0; i < count; i++) to[i * STRIDE + l] = from[i];
}

static void draw_members(Members* members, const Stages* s, Random* random, bool is_odd) {
  for (int l = 0; l < FOUR; l++) {
    Machine* m = &members->machines[l];
    m->state.tables = &s->system.tables;
    draw_point(m, random);
    for (int i = 0; is_odd && i < COORDS; i++) {
      if (random_next(random) % 4 == 0) m->q[i] = odd_numbers[random_int(random, 0, 7)];
    }
    put(members->values, l, m->values, PARAMS + s->equations.literals.count);
    put(members->q, l, m->q, COORDS);
    put(members->v, l, m->v, COORDS);
    put(members->a, l, m->a, COORDS);
    members->q[COORDS * STRIDE + l] = m->t;
  }
}

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void compare(Members* members, const Stages* s) {
  int32_t count = s->equations.output_count;
  memset(members->outs, 0, (size_t)count * STRIDE * sizeof(double));
  zw_program_setup(&members->program, &members->state);
  zw_program_run(&members->program, ZW_ENTRY_OUTPUT, &members->state);
  for (int l = 0; l < FOUR; l++) {
    run_outputs(s, &members->machines[l]);
    for (int32_t i = 0; i < count; i++) {
      double got = members->outs[i * STRIDE + l], want = members->machines[l].outs[i];
      if (!is_same(got, want)) fail_msg("output %d of member %d is %a, alone %a", (int)i, l, got, want);
    }
  }
  for (int32_t i = 0; i < count * STRIDE; i++) {
    if (i % STRIDE >= FOUR) assert_true(members->outs[i] == 0); /* the others' places */
  }
}

static void compare_at_points(Stages* s, Random* random) {
  compile_system(s);
  Members* members = calloc(1, sizeof *members);
  assert_non_null(members);
  open_members(members, s);
  for (int point = 0; point < 4; point++) {
    draw_members(members, s, random, point % 2 == 1);
    compare(members, s);
    if (point != 1 || !zw_machine_has_avx2()) continue;
    const char* why;
    assert_int_equal(zw_native_compile(&members->program, ZW_NATIVE_BEST, &why), ZW_OK);
  }
  close_members(members);
  free(members);
}

/* Elements of several shapes, with any number of instances. */
static void random_programs_agree(void** state) {
  (void)state;
  Random random = random_from(41);
  for (int trial = 0; trial < 300; trial++) {
    Stages s;
    open_system(&s);
    for (int shape = 0; shape < 1 + trial % 5; shape++) {
      Tree tree;
      random_tree(&random, 1 + random_int(&random, 0, 5), &tree);
      for (int32_t i = random_int(&random, 0, 5); i >= 0; i--) {
        TreeMap map;
        draw_map(&map, &random);
        add_output(&s, tree_build(&tree, &map, &s.system.graph));
      }
    }
    compare_at_points(&s, &random);
    stages_close(&s);
  }
}

/* Each member has its own time, also where nothing else is read. */
static void times_are_the_members_own(void** state) {
  (void)state;
  Random random = random_from(42);
  Stages s;
  open_system(&s);
  ZwGraph* g = &s.system.graph;
  ZwExpr t = zw_expr_leaf(g, ZW_OP_TIME, 0);
  add_output(&s, t);
  for (int32_t i = 0; i < 5; i++) {
    add_output(&s, zw_expr_mul(g, zw_expr_unary(g, ZW_OP_SIN, t), zw_expr_leaf(g, ZW_OP_COORD, i)));
  }
  compare_at_points(&s, &random);
  stages_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_programs_agree),
      cmocka_unit_test(times_are_the_members_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
