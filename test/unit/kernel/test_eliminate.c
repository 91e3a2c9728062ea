/* The elimination as straight-line code against the dense solve, on random patterns of M and A: accelerations, multipliers,
 * forces, power, projections; the same bits from machine code and interpreter; rows that are left out; what it must refuse. */
#include "kernel/eliminate.h"

#include <float.h>
#include <string.h>

#include "base/machine.h"
#include "kernel/native.h"
#include "least/least.h"
#include "least/svd.h"
#include "numbers.h"

enum { N_MAX = 14, CASES = 400 };

typedef struct Problem {
  ZwArena arena;
  ZwSystem system;
  ZwEquations equations;
  ZwProgram program;
  ZwKernelState state;
  double *block, *v;
  int32_t n, m;
  double M[N_MAX * N_MAX], A[N_MAX * N_MAX], h[N_MAX], b[N_MAX];
  bool is_out[N_MAX]; /* rows */
} Problem;

/* ---- random problems ---- */

static void begin_pattern(Problem* p, ZwPattern* pattern, int32_t rows) {
  *pattern = (ZwPattern){
      .rows = rows, .begin = ZW_NEW(&p->arena, rows + 1, int32_t), .column = ZW_NEW(&p->arena, N_MAX * N_MAX, int32_t)};
}

/* A lower triangle with its diagonal, A with at least two entries per row. */
static void draw_patterns(Problem* p, Random* random, int density, int row_density) {
  ZwPattern *M = &p->equations.M, *A = &p->equations.A;
  begin_pattern(p, M, p->n);
  begin_pattern(p, A, p->m);
  for (int32_t i = 0; i < p->n; i++) {
    for (int32_t j = 0; j <= i; j++) {
      if (j == i || random_int(random, 0, 9) < density) M->column[M->count++] = j;
    }
    M->begin[i + 1] = M->count;
  }
  for (int32_t i = 0; i < p->m; i++) {
    int32_t first = random_int(random, 0, p->n - 1);
    for (int32_t j = 0; j < p->n; j++) {
      if (j == i || j == first || random_int(random, 0, 9) < row_density) A->column[A->count++] = j;
    }
    A->begin[i + 1] = A->count;
  }
}

/* Densities: tenths of the places that have an entry, of M and of A. */
static void open_problem(Problem* p, Random* random, int32_t n, int32_t m, int density, int row_density) {
  *p = (Problem){.n = n, .m = m};
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&p->arena, &allocator);
  p->equations = (ZwEquations){.arena = &p->arena, .system = &p->system, .n = n, .m = m, .m_start = m, .m_all = m};
  draw_patterns(p, random, density, row_density);
  assert_int_equal(zw_compile_kernels(&p->arena, &p->equations, &p->program), ZW_OK);
  assert_non_null(p->program.elimination);
  p->block = calloc((size_t)p->program.block.size, sizeof(double));
  p->v = calloc((size_t)n, sizeof(double));
  double* registers = malloc((size_t)p->program.elimination->registers * sizeof(double));
  assert_true(p->block && p->v && registers);
  p->state = (ZwKernelState){.v = p->v, .values = p->block, .constants = p->block, .registers = registers};
}

static void close_problem(Problem* p) {
  zw_native_destroy(&p->program);
  free(p->block);
  free(p->v);
  free(p->state.registers);
  zw_arena_destroy(&p->arena);
}

/* Numbers into the block, and the same as full matrices. M is dominated by its diagonal, over several sizes of masses. */
static void draw_numbers(Problem* p, Random* random) {
  const ZwBlock* block = &p->program.block;
  const ZwPattern *M = &p->equations.M, *A = &p->equations.A;
  double mass[N_MAX];
  memset(p->M, 0, sizeof p->M);
  memset(p->A, 0, sizeof p->A);
  for (int32_t i = 0; i < p->n; i++) mass[i] = pow(10, 2 * random_number(random));
  for (int32_t i = 0; i < p->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      double value = i == j ? mass[i] : sqrt(mass[i] * mass[j]) * random_number(random) / p->n;
      p->block[block->M + k] = p->M[i * p->n + j] = p->M[j * p->n + i] = value;
    }
    p->block[block->hL + i] = 10 * random_number(random);
    p->block[block->Q + i] = random_number(random);
    p->h[i] = p->block[block->hL + i] + p->block[block->Q + i];
    p->v[i] = random_number(random);
  }
  for (int32_t i = 0; i < p->m; i++) {
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      double value = random_number(random) + (A->column[k] == i ? 2 : 0);
      p->block[block->A + k] = p->A[i * p->n + A->column[k]] = value;
    }
    p->block[block->b + i] = p->b[i] = random_number(random);
    p->block[block->slack + i] = p->is_out[i] ? ZW_LEFT_OUT : 0;
    p->block[block->residual + i] = p->is_out[i] ? 0 : random_number(random);
    p->block[block->scale + i] = 1.5 + random_number(random);
    p->block[block->guess + i] = random_number(random);
  }
  p->block[block->power] = random_number(random);
}

/* ---- the dense solve ---- */

typedef struct Dense {
  double A[N_MAX * N_MAX], b[N_MAX], r[N_MAX], a[N_MAX], lambda[N_MAX], Qc[N_MAX], dx[N_MAX], sizes[2 * N_MAX];
  double work;
} Dense;

static void solve_dense(const Problem* p, Dense* d) {
  int32_t rows = 0;
  for (int32_t i = 0; i < p->m; i++) {
    if (p->is_out[i]) continue;
    memcpy(d->A + rows * p->n, p->A + i * p->n, (size_t)p->n * sizeof(double));
    d->b[rows] = p->b[i];
    d->r[rows++] = p->block[p->program.block.residual + i];
  }
  void* memory = malloc(zw_least_work_size(p->n, p->m));
  ZwLeast* least = zw_least_place(memory, p->n, p->m);
  ZwLeastResult result = {.a = d->a, .lambda = d->lambda, .Qc = d->Qc};
  assert_int_equal(zw_least_factor(least, rows, p->M, d->A), ZW_OK);
  assert_int_equal(zw_least_answer(least, p->h, d->b, &result), ZW_OK);
  if (rows > 0) assert_int_equal(zw_least_project(least, d->r, d->dx), ZW_OK);
  for (int32_t i = 0; i < p->m; i++) {
    double* x = d->sizes + N_MAX;
    memcpy(x, p->A + i * p->n, (size_t)p->n * sizeof(double));
    zw_least_to_metric(least, x);
    d->sizes[i] = 0;
    for (int32_t j = 0; j < p->n; j++) d->sizes[i] = hypot(d->sizes[i], x[j]);
  }
  d->work = p->block[p->program.block.power];
  for (int32_t i = 0; i < p->n; i++) d->work += (p->block[p->program.block.Q + i] + d->Qc[i]) * p->v[i];
  free(memory);
}

static double size_of(const double* x, int32_t count) {
  double size = 1e-3;
  for (int32_t i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
  return size;
}

static double apart(const double* x, const double* y, int32_t count) {
  double most = 0;
  for (int32_t i = 0; i < count; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most / size_of(y, count);
}

static bool is_sound(const Problem* p, int32_t check) {
  return p->block[check] > 0;
}

static void run_all(Problem* p) {
  for (int part = 0; part < ZW_ELIMINATE_PARTS; part++) {
    zw_program_eliminate(&p->program, (ZwEliminatePart)part, &p->state);
  }
}

/* ---- the tests ---- */

static double compare(const Problem* p) {
  const ZwBlock* block = &p->program.block;
  Dense dense;
  double lambda[N_MAX], worst;
  solve_dense(p, &dense);
  int32_t rows = 0;
  for (int32_t i = 0; i < p->m; i++) {
    if (!p->is_out[i]) lambda[rows++] = p->block[block->lambda + i];
    if (p->is_out[i]) assert_true(fabs(p->block[block->lambda + i]) < 1e-150);
  }
  worst = apart(p->block + block->a, dense.a, p->n);
  worst = fmax(worst, apart(lambda, dense.lambda, rows));
  worst = fmax(worst, apart(p->block + block->Qc, dense.Qc, p->n));
  worst = fmax(worst, apart(p->block + block->h, p->h, p->n));
  worst = fmax(worst, apart(p->block + block->work, &dense.work, 1) / (1 + size_of(dense.Qc, p->n)));
  if (rows > 0) worst = fmax(worst, apart(p->block + block->dx, dense.dx, p->n));
  if (p->m > 0) worst = fmax(worst, apart(p->block + block->sizes, dense.sizes, p->m));
  return worst;
}

static void agrees_with_the_dense_solve(void** state) {
  (void)state;
  Random random = random_from(7);
  double worst = 0;
  int sound = 0;
  for (int trial = 0; trial < CASES; trial++) {
    Problem p;
    int32_t n = random_int(&random, 1, N_MAX), m = random_int(&random, 0, n);
    open_problem(&p, &random, n, m, trial % 4 * 3, 3);
    for (int32_t i = 0; i < m; i++) p.is_out[i] = trial % 3 == 0 && random_int(&random, 0, 3) == 0;
    draw_numbers(&p, &random);
    run_all(&p);
    assert_true(is_sound(&p, p.program.block.mass_check));
    if (is_sound(&p, p.program.block.check)) {
      sound++;
      worst = fmax(worst, compare(&p));
    }
    close_problem(&p);
  }
  print_message("%d of %d are sound, apart by at most %.2g\n", sound, CASES, worst);
  assert_true(sound > CASES * 9 / 10);
  assert_true(worst < N_MAX * DBL_EPSILON / ZW_TOL_PIVOT_LEFT); /* what the smallest pivots may do to round-off */
}

/* The smallest singular value of the rows that are in, by all of them. */
static double smallest_value(const Problem* p) {
  double B[N_MAX * N_MAX], sigma[N_MAX], Ut[N_MAX * N_MAX], Vt[N_MAX * N_MAX], smallest = INFINITY;
  void* memory = malloc(zw_least_work_size(p->n, p->m));
  ZwLeast* least = zw_least_place(memory, p->n, p->m);
  assert_int_equal(zw_least_factor(least, 0, p->M, p->A), ZW_OK);
  int32_t rows = 0;
  for (int32_t i = 0; i < p->m; i++) rows += !p->is_out[i];
  for (int32_t i = 0, r = 0; i < p->m; i++) {
    double x[N_MAX];
    if (p->is_out[i]) continue;
    memcpy(x, p->A + i * p->n, (size_t)p->n * sizeof(double));
    zw_least_to_metric(least, x);
    for (int32_t j = 0; j < p->n; j++) B[j * rows + r] = x[j] / p->block[p->program.block.scale + i];
    r++;
  }
  free(memory);
  assert_int_equal(zw_svd(p->n, rows, B, sigma, Ut, Vt), ZW_OK);
  for (int32_t i = 0; i < rows; i++) smallest = fmin(smallest, sigma[i]);
  return smallest;
}

/* The length of the dual in the metric of M. */
static double length_of_dual(const Problem* p) {
  const double *dual = p->block + p->program.block.dual, length = p->block[p->program.block.length];
  double sum = 0;
  for (int32_t i = 0; i < p->n; i++) {
    for (int32_t j = 0; j < p->n; j++) sum += dual[i] * p->M[i * p->n + j] * dual[j];
  }
  return sqrt(sum) / length;
}

/* From any guess it comes down to the smallest singular value, is sure of it then, and knows the direction. */
static void measures_the_smallest_singular_value(void** state) {
  enum { RUNS = 100 };
  (void)state;
  Random random = random_from(11);
  int sound = 0, unsure = 0;
  for (int trial = 0; trial < CASES; trial++) {
    Problem p;
    int32_t n = random_int(&random, 2, N_MAX), m = random_int(&random, 1, n);
    open_problem(&p, &random, n, m, trial % 4 * 3, 3);
    const ZwBlock* block = &p.program.block;
    for (int32_t i = 1; i < m; i++) p.is_out[i] = trial % 3 == 0 && random_int(&random, 0, 3) == 0;
    draw_numbers(&p, &random);
    run_all(&p);
    if (is_sound(&p, block->measure_check)) {
      double want = smallest_value(&p), first = p.block[block->smallest];
      bool was_sure = p.block[block->surety] >= 0;
      sound++;
      unsure += !was_sure;
      assert_true(first > want * (1 - 1e-9));
      for (int k = 0; k < RUNS; k++) zw_program_eliminate(&p.program, ZW_ELIMINATE_MEASURE, &p.state);
      double got = p.block[block->smallest];
      if (!(fabs(got - want) < 1e-3 * want)) fail_msg("trial %d: %.9g instead of %.9g", trial, got, want);
      assert_true(p.block[block->surety] >= 0);
      assert_true(fabs(length_of_dual(&p) - got) < 1e-6 * got);
    }
    close_problem(&p);
  }
  print_message("%d of %d are sound, %d of them not sure at once\n", sound, CASES, unsure);
  assert_true(sound > CASES * 9 / 10);
  assert_true(unsure > 0 && unsure < sound);
}

static void machine_code_gives_the_same_bits(void** state) {
  (void)state;
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e300, 0x1p-1060, -1};
  Random random = random_from(8);
  if (zw_native_obstacle()) skip();
  for (int trial = 0; trial < CASES; trial++) {
    Problem p;
    const char* why;
    int32_t n = random_int(&random, 1, N_MAX);
    open_problem(&p, &random, n, random_int(&random, 0, n), trial % 4 * 3, 3);
    draw_numbers(&p, &random);
    for (int32_t i = 0; i < p.program.block.targets && trial % 2 == 1; i++) {
      if (random_int(&random, 0, 20) == 0) p.block[i] = odd[random_int(&random, 0, 7)];
    }
    size_t size = (size_t)p.program.block.size * sizeof(double);
    double *given = malloc(size), *want = malloc(size);
    assert_true(given && want);
    memcpy(given, p.block, size);
    run_all(&p);
    memcpy(want, p.block, size);
    memcpy(p.block, given, size);
    assert_int_equal(zw_native_compile(&p.program, ZW_NATIVE_BEST, &why), ZW_OK);
    run_all(&p);
    for (int32_t i = 0; i < p.program.block.size; i++) {
      bool is_same = memcmp(&p.block[i], &want[i], sizeof(double)) == 0 || (isnan(p.block[i]) && isnan(want[i]));
      if (!is_same) fail_msg("number %d is %a, the interpreter says %a", (int)i, p.block[i], want[i]);
    }
    free(given);
    free(want);
    close_problem(&p);
  }
}

/* Two rows nearly along each other; a mass that is none; numbers that are not finite. */
static void refuses_what_it_cannot_tell(void** state) {
  (void)state;
  Random random = random_from(9);
  for (int trial = 0; trial < CASES; trial++) {
    Problem p;
    int32_t n = random_int(&random, 3, N_MAX), m = random_int(&random, 2, n - 1);
    open_problem(&p, &random, n, m, 9, 3);
    const ZwBlock* block = &p.program.block;
    draw_numbers(&p, &random);
    if (trial % 3 == 0) { /* dependent rows, where the pattern allows it */
      const ZwPattern* A = &p.equations.A;
      int32_t count = A->begin[1];
      for (int32_t k = 0; k < count; k++) p.block[block->A + k] = 0;
      p.block[block->A] = 1e-160;
    } else if (trial % 3 == 1) {
      p.block[block->M + p.equations.M.begin[n] - 1] *= random_int(&random, 0, 1) ? -1 : 0;
    } else {
      int32_t place = block->A + random_int(&random, 0, block->targets - block->A - 1);
      p.block[place] = random_int(&random, 0, 1) ? NAN : INFINITY;
    }
    run_all(&p);
    bool is_fine = is_sound(&p, block->mass_check) && is_sound(&p, block->check);
    if (is_fine) fail_msg("trial %d was not refused", trial);
    close_problem(&p);
  }
}

/* The sine of the angle between two rows, below which the answer is refused, is what it should be. */
static void refuses_nearly_dependent_rows(void** state) {
  (void)state;
  Random random = random_from(10);
  Problem p;
  open_problem(&p, &random, 3, 2, 0, 10);
  const ZwBlock* block = &p.program.block;
  draw_numbers(&p, &random);
  for (int32_t k = 0; k < 3; k++) p.block[block->M + k] = 1;
  for (int exponent = 1; exponent <= 4; exponent++) {
    double part = 2 * pow(10, -exponent), sine = part / sqrt(1 + part * part), rows[2][3] = {{1, 1, 0}, {1, 1, 0}};
    rows[1][0] += part;
    rows[1][1] -= part;
    for (int32_t i = 0; i < 2; i++) {
      for (int32_t k = p.equations.A.begin[i]; k < p.equations.A.begin[i + 1]; k++) {
        p.block[block->A + k] = rows[i][p.equations.A.column[k]];
      }
    }
    run_all(&p);
    assert_int_equal(is_sound(&p, block->check), sine * sine > ZW_TOL_PIVOT_LEFT);
    assert_int_equal(is_sound(&p, block->project_check), sine * sine > ZW_TOL_PIVOT_LEFT);
  }
  close_problem(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_dense_solve),      cmocka_unit_test(measures_the_smallest_singular_value),
      cmocka_unit_test(machine_code_gives_the_same_bits), cmocka_unit_test(refuses_what_it_cannot_tell),
      cmocka_unit_test(refuses_nearly_dependent_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
