/* Systems made by hand: terms of kind OUTPUT over expressions nobody would type, and the numbers their kernels read and
 * write. */
#ifndef ZW_TEST_MACHINE_H
#define ZW_TEST_MACHINE_H

#include "expr/trees.h"
#include "kernel/kernel.h"
#include "model/stages.h"

enum { COORDS = 12, PARAMS = 12 };

/* A system with COORDS coordinates and PARAMS parameters, no text behind it. */
static inline void open_system(Stages* s) {
  stages_open(s, "", 0);
  s->system = (ZwSystem){.arena = &s->arena};
  zw_graph_init(&s->system.graph, &s->arena);
  for (int i = 0; i < PARAMS; i++) assert_true(ZW_PUSH(&s->arena, &s->system.params, (ZwParam){0}));
  for (int i = 0; i < COORDS; i++) assert_true(ZW_PUSH(&s->arena, &s->system.coords, (ZwCoord){0}));
}

static inline void add_output(Stages* s, ZwExpr e) {
  ZwTerm term = {.kind = ZW_TERM_OUTPUT, .name = ZW_STR("o"), .value = e};
  assert_true(e.ref && ZW_PUSH(&s->arena, &s->system.terms, term));
}

static inline void compile_system(Stages* s) {
  assert_int_equal(zw_derive(&s->arena, &s->diags, &s->system, &s->equations), ZW_OK);
  assert_int_equal(zw_compile_kernels(&s->arena, &s->equations, &s->program), ZW_OK);
}

typedef struct Machine {
  ZwKernelState state;
  double t, q[COORDS], v[COORDS], a[COORDS];
  double *values, *outs;
} Machine;

/* Every block is exactly as long as it must be, so that a sanitizer sees one number too many. */
static inline void open_machine(Machine* m, const Stages* s) {
  const ZwEquations* e = &s->equations;
  m->values = calloc((size_t)(PARAMS + e->literals.count), sizeof(double));
  m->outs = calloc((size_t)e->output_count, sizeof(double));
  m->state = (ZwKernelState){.q = m->q, .v = m->v, .a = m->a, .values = m->values};
  m->state.constants = calloc((size_t)s->program.constants + 1, sizeof(double));
  m->state.registers = calloc((size_t)s->program.registers * ZW_LANES, sizeof(double));
  m->state.targets[ZW_TARGET_OUTPUT] = m->outs;
  for (int32_t i = 0; i < e->literals.count; i++) m->values[PARAMS + i] = e->literals.items[i];
}

static inline void close_machine(Machine* m) {
  free(m->values);
  free(m->outs);
  free(m->state.constants);
  free(m->state.registers);
}

static inline void draw_point(Machine* m, Random* random) {
  m->state.t = m->t = 2 * random_number(random);
  for (int i = 0; i < COORDS; i++) {
    m->q[i] = 2 * random_number(random);
    m->v[i] = 2 * random_number(random);
    m->a[i] = 2 * random_number(random);
  }
  for (int i = 0; i < PARAMS; i++) m->values[i] = 2 * random_number(random);
}

static inline ZwEnvironment environment_of(const Machine* m) {
  return (ZwEnvironment){m->t, m->values, m->q, m->v, m->a};
}

static inline void run_outputs(const Stages* s, Machine* m) {
  memset(m->outs, 0, (size_t)s->equations.output_count * sizeof(double));
  zw_program_setup(&s->program, &m->state);
  zw_program_run(&s->program, ZW_ENTRY_OUTPUT, &m->state);
}

static inline void draw_map(TreeMap* map, Random* random) {
  /* different leaves stay different: with equal ones the shape would be another */
  for (int i = 0; i < TREE_LEAVES; i++) {
    map->param[i] = i * 3 + random_int(random, 0, 2);
    map->coord[i] = i * 3 + random_int(random, 0, 2);
  }
}

#endif
