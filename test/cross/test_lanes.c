/* Kernels against the reference evaluator, instance by instance, on all examples; and the lane interpreter against itself:
 * whether instances go through alone, in batches of 8 or in batches of 64, every number has the same bits. */
#include "chain.h"
#include "expr/eval.h"
#include "expr/rebuild.h"
#include "stages.h"

enum { STATES = 3, LOCALS_MAX = 64, SLOTS_MAX = 256 };

/* Kernels turn powers into products and roots, so the last bits differ; a few of them at every operation. */
static const double tol_kernel = 1e-13;

typedef struct State {
  double t, *q, *v, *a, *reactions;
} State;

static State random_state(const Stages* stages, Random* random) {
  size_t n = (size_t)stages->equations.n, m = (size_t)stages->equations.m;
  double* numbers = malloc((3 * n + m + 1) * sizeof(double));
  assert_non_null(numbers);
  State state = {0.5 + 0.4 * random_number(random), numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
  random_fill(random, (ptrdiff_t)m, state.reactions);
  for (size_t i = 0; i < n; i++) {
    state.q[i] = stages->sim->typed[i] + 0.2 * random_number(random);
    state.v[i] = stages->sim->typed[n + i] + 0.2 * random_number(random);
    state.a[i] = random_number(random);
  }
  return state;
}

static void put_state(Stages* stages, const State* state) {
  ZwKernelState* kernels = &stages->sim->state;
  kernels->t = state->t;
  kernels->q = state->q;
  kernels->v = state->v;
  kernels->a = state->a;
  kernels->reactions = state->reactions;
}

/* ---- kernels against the evaluator ---- */

/* The largest number on the way to the value: what its rounding is relative to. */
static double evaluation_size(const ZwEvaluator* evaluator) {
  double size = 0;
  for (int32_t i = 0; i < evaluator->values.count; i++) size = fmax(size, fabs(evaluator->values.items[i]));
  return size;
}

/* The evaluator knows no reactions: they are handed to it behind the slots. */
static ZwExpr reaction_as_slot(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const ZwShape* shape = context;
  return leaf == ZW_OP_REACTION ? zw_expr_leaf(graph, ZW_OP_PARAM, shape->slots + index) : (ZwExpr){0};
}

typedef struct Tally {
  double worst;
  int64_t numbers;
} Tally;

static void check_element(Stages* stages, ZwEvaluator* evaluator, const State* state, int32_t k, ZwEntry entry,
                          int32_t instance, const char* name, Tally* tally) {
  const ZwShape* shape = stages->program.kernels.items[k].shape;
  double q[LOCALS_MAX], v[LOCALS_MAX], a[LOCALS_MAX], slots[SLOTS_MAX];
  assert_true(shape->coords <= LOCALS_MAX && shape->slots + shape->reactions <= SLOTS_MAX);
  for (int32_t i = 0; i < shape->coords; i++) {
    int32_t global = shape->instance_coords.items[instance * shape->coords + i];
    q[i] = state->q[global];
    v[i] = state->v[global];
    a[i] = state->a[global];
  }
  for (int32_t i = 0; i < shape->slots; i++) {
    slots[i] = stages->sim->values[shape->instance_slots.items[instance * shape->slots + i]];
  }
  for (int32_t i = 0; i < shape->reactions; i++) {
    slots[shape->slots + i] = state->reactions[shape->instance_reactions.items[instance * shape->reactions + i]];
  }
  ZwEnvironment environment = {.t = state->t, .params = slots, .q = q, .v = v, .a = a};
  zw_program_element(&stages->program, k, entry, instance, &stages->sim->state);
  for (int32_t i = 0; i < shape->entries[entry].list.count; i++) {
    double got = zw_program_element_output(&stages->program, k, entry, i, &stages->sim->state);
    ZwExpr e = shape->entries[entry].list.items[i].value;
    if (shape->reactions > 0) {
      ZwShape copy = *shape;
      e = zw_expr_rebuild(&stages->equations.graph, &evaluator->own, e, reaction_as_slot, &copy);
    }
    double want = zw_expr_eval(evaluator, &stages->equations.graph, e, &environment);
    assert_true(isfinite(got) && isfinite(want));
    double off = fabs(got - want), size = fmax(fabs(want), 1e-2 * evaluation_size(evaluator));
    if (!(off <= tol_kernel * size)) {
      fail_msg("%s: kernel %d, entry %d, output %d is %.17g, the evaluator says %.17g", name, k, (int)entry, i, got,
               want);
    }
    if (size > 0) tally->worst = fmax(tally->worst, off / size);
    tally->numbers++;
  }
}

static void check_kernels(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &stages.arena);
  evaluator.tables = &stages.system.tables;
  Random random = random_from(3);
  Tally tally = {0};
  for (int s = 0; s < STATES; s++) {
    State state = random_state(&stages, &random);
    put_state(&stages, &state);
    for (int32_t k = 0; k < stages.program.kernels.count; k++) {
      for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
        for (int32_t i = 0; i < stages.program.kernels.items[k].shape->count; i++) {
          check_element(&stages, &evaluator, &state, k, (ZwEntry)entry, i, name, &tally);
        }
      }
    }
    free(state.q);
  }
  print_message("%-24s %6lld numbers, off by %.1g\n", name, (long long)tally.numbers, tally.worst);
  assert_true(tally.numbers > 0);
  close_stages(&stages);
}

static void test_examples(void** state) {
  (void)state;
  Examples examples;
  list_examples(&examples);
  for (int i = 0; i < examples.count; i++) {
    char* text = read_example(examples.names[i]);
    check_kernels(examples.names[i], text);
    free(text);
  }
}

/* Every function of the language, and powers of every kind: kernels make products and roots of those. x > 0 > w. */
static const char* const every_operator =
    "param n = 3, r = 0.7\n"
    "coord x = 0.8, y = 0.5, w = -0.6\n"
    "kinetic 1/2*(x'^2 + y'^2 + w'^2)\n"
    "output f1 = sin(x*y), f2 = cos(x - w), f3 = tan(x), f4 = asin(0.7*x), f5 = acos(0.7*w), f6 = atan(w*y)\n"
    "output f7 = sinh(w), f8 = cosh(y), f9 = tanh(x'), f10 = exp(-x*x), f11 = log(x + 1), f12 = sqrt(x)\n"
    "output g1 = abs(w), g2 = sign(w), g3 = floor(3*w), g4 = atan2(w, -x), g5 = hypot(w, y'), g6 = min(x, w)\n"
    "output g7 = max(w, y'), g8 = mod(w, 0.21), g9 = if x > w and not (y <= w) then -x else y'\n"
    "output h1 = if x' == y' or x != w then x/(y + 2) else 1, h2 = x''*w'' - y''\n"
    "output p1 = w^1, p2 = w^2, p3 = w^3, p4 = w^4, p5 = w^5, p6 = w^6, p7 = w^7, p8 = w^13, p9 = w^64, p10 = w^65\n"
    "output m1 = w^-1, m2 = w^-2, m3 = w^-3, m4 = w^-7, m5 = x^-64\n"
    "output s1 = x^0.5, s2 = x^1.5, s3 = x^2.5, s4 = x^7.5, s5 = x^-0.5, s6 = x^-1.5, s7 = x^-3.5\n"
    "output e1 = x^r, e2 = w^n, e3 = x^w, e4 = x^0.3, e5 = 2^y, e6 = x^(1/3), e7 = x^y^2\n";

static void test_every_operator(void** state) {
  (void)state;
  check_kernels("every operator", every_operator);
}

/* ---- lanes against each other ---- */

/* Where the numbers of an entry go, in one array of all targets. */
typedef struct Targets {
  size_t sizes[ZW_TARGET_COUNT];
  double* begins[ZW_TARGET_COUNT];
} Targets;

static Targets targets_of(const Stages* stages) {
  const ZwEquations* e = &stages->equations;
  size_t n = (size_t)e->n, m = (size_t)e->m_all; /* rows of the start stand behind the others */
  Targets targets = {.sizes = {(size_t)e->M.count, n, n, 1, (size_t)e->A.count, m, m, m, 1, 1, (size_t)e->output_count,
                               (size_t)e->event_count, n, n}};
  for (int i = 0; i < ZW_TARGET_COUNT; i++) targets.begins[i] = stages->sim->state.targets[i];
  return targets;
}

static void zero_targets(const Targets* targets) {
  for (int i = 0; i < ZW_TARGET_COUNT; i++) {
    if (targets->sizes[i] > 0) memset(targets->begins[i], 0, targets->sizes[i] * sizeof(double));
  }
}

static double* copy_targets(const Targets* targets, size_t* count) {
  *count = 0;
  for (int i = 0; i < ZW_TARGET_COUNT; i++) *count += targets->sizes[i];
  double *copy = malloc((*count + 1) * sizeof(double)), *to = copy;
  assert_non_null(copy);
  for (int i = 0; i < ZW_TARGET_COUNT; i++) {
    if (targets->sizes[i] > 0) memcpy(to, targets->begins[i], targets->sizes[i] * sizeof(double));
    to += targets->sizes[i];
  }
  return copy;
}

/* The entry instance by instance, one lane wide, added up in that order. */
static void run_alone(Stages* stages, ZwEntry entry) {
  ZwKernelState* state = &stages->sim->state;
  for (int32_t k = 0; k < stages->program.kernels.count; k++) {
    const ZwKernel* kernel = &stages->program.kernels.items[k];
    const ZwContributions* contributions = &kernel->shape->entries[entry];
    int32_t outputs = contributions->list.count;
    if (outputs == 0) continue;
    for (int32_t i = 0; i < kernel->shape->count; i++) {
      zw_program_element(&stages->program, k, entry, i, state);
      for (int32_t o = 0; o < outputs; o++) {
        double value = zw_program_element_output(&stages->program, k, entry, o, state);
        state->targets[contributions->list.items[o].target][kernel->scatter[entry][i * outputs + o]] += value;
      }
    }
  }
}

static void check_lanes(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  Targets targets = targets_of(&stages);
  Random random = random_from(4);
  for (int s = 0; s < STATES; s++) {
    State state = random_state(&stages, &random);
    put_state(&stages, &state);
    for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
      size_t count = 0;
      zero_targets(&targets);
      run_alone(&stages, (ZwEntry)entry);
      double* alone = copy_targets(&targets, &count);
      zero_targets(&targets);
      zw_program_run(&stages.program, (ZwEntry)entry, &stages.sim->state);
      if (entry == ZW_ENTRY_ACCELERATION) zw_program_masses(&stages.program, &stages.sim->state);
      double* together = copy_targets(&targets, &count);
      if (memcmp(alone, together, count * sizeof(double)) != 0) {
        fail_msg("%s: entry %d differs in lanes from one at a time", name, entry);
      }
      free(alone);
      free(together);
    }
    free(state.q);
  }
  close_stages(&stages);
}

/* Batches of 1; of 8, partly filled and full; of 64, the same; several; and a last batch of each width. */
static const int link_counts[] = {1, 2, 5, 8, 9, 63, 64, 65, 70, 128, 130};

static void test_lanes(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof link_counts / sizeof link_counts[0]; i++) {
    char name[32];
    snprintf(name, sizeof name, "chain of %d", link_counts[i]);
    char* text = chain_text(link_counts[i]);
    check_lanes(name, text);
    free(text);
  }
}

static void test_lanes_of_examples(void** state) {
  (void)state;
  check_lanes("every operator", every_operator);
  Examples examples;
  list_examples(&examples);
  for (int i = 0; i < examples.count; i++) {
    char* text = read_example(examples.names[i]);
    check_lanes(examples.names[i], text);
    free(text);
  }
}

/* The rows of one link are the same bits in chains of 1, 5 and 70: batches of width 1, 8 and 64. */
static void link_rows(int links, const double* q, const double* v, double rows[2 + 4]) {
  char* text = chain_text(links);
  Stages stages;
  open_stages(&stages, "chain", text);
  ZwSim* sim = stages.sim;
  assert_true(zw_eval_acceleration(sim, 0.3, q, v));
  int32_t row = 2; /* the first link, after the two rows that hold its begin */
  const ZwPattern* A = &stages.equations.A;
  assert_int_equal(A->begin[row + 1] - A->begin[row], 4);
  rows[0] = sim->b[row];
  rows[1] = sim->Q[3]; /* the air on y1 */
  memcpy(rows + 2, sim->Ax + A->begin[row], 4 * sizeof(double));
  close_stages(&stages);
  free(text);
}

static void test_chains_agree(void** state) {
  (void)state;
  enum { LINKS = 70 };
  double q[2 * LINKS + 2], v[2 * LINKS + 2], one[6], five[6], seventy[6];
  Random random = random_from(5);
  for (int s = 0; s < 20; s++) {
    random_fill(&random, 2 * LINKS + 2, q);
    random_fill(&random, 2 * LINKS + 2, v);
    for (int i = 0; i <= LINKS; i++) q[2 * i] += i;
    link_rows(1, q, v, one);
    link_rows(5, q, v, five);
    link_rows(LINKS, q, v, seventy);
    assert_memory_equal(one, five, sizeof one);
    assert_memory_equal(one, seventy, sizeof one);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),          cmocka_unit_test(test_every_operator), cmocka_unit_test(test_lanes),
      cmocka_unit_test(test_lanes_of_examples), cmocka_unit_test(test_chains_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
