/* zw_least_solve: Gauss's principle on matrices, against the conditions that its answer must satisfy, dense and sparse. */
#include "zwang/hosts.h"
#include "zwang/least.h"

enum { N = 12, M_ROWS = 20 };

typedef struct Problem {
  int32_t n, m, rank;
  double M[N * N], h[N], A[M_ROWS * N], b[M_ROWS];
} Problem;

typedef struct Answer {
  double a[N], lambda[M_ROWS], Qc[N];
  ZwLeastOutput out;
} Answer;

static uint64_t seed;

static double draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

/* `rank` rows, and the others made of them, so that all can hold. */
static void make_problem(Problem* p, int32_t n, int32_t m, int32_t rank) {
  double root[N * N], x[N];
  *p = (Problem){.n = n, .m = m, .rank = rank};
  for (int32_t i = 0; i < n * n; i++) root[i] = draw();
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      for (int32_t k = 0; k < n; k++) p->M[i * n + j] += root[i * n + k] * root[j * n + k];
    }
    p->M[i * n + i] += 0.5;
    p->h[i] = draw();
    x[i] = draw();
  }
  for (int32_t r = 0; r < m; r++) {
    for (int32_t j = 0; j < n && r < rank; j++) p->A[r * n + j] = draw();
    for (int32_t k = 0; k < rank && r >= rank; k++) {
      double factor = draw();
      for (int32_t j = 0; j < n; j++) p->A[r * n + j] += factor * p->A[k * n + j];
    }
    for (int32_t j = 0; j < n; j++) p->b[r] += p->A[r * n + j] * x[j];
  }
}

static ZwStatus solve(ZwLeastSolver* solver, const Problem* p, Answer* answer) {
  ZwLeastInput in = {.m = p->m, .M = p->M, .h = p->h, .A = p->A, .b = p->b};
  answer->out = (ZwLeastOutput){.a = answer->a, .lambda = answer->lambda, .Qc = answer->Qc};
  return zw_least_solve(solver, &in, &answer->out);
}

static ZwLeastSolver* create(int32_t n, int32_t m, const char* formulation) {
  ZwLeastDef def = zw_default_least_def();
  ZwLeastSolver* solver;
  def.n = n;
  def.m = m;
  def.formulation = formulation;
  assert_int_equal(zw_least_create(&def, &solver), ZW_OK);
  return solver;
}

/* A a = b and M a = h + Qc; Qc = A^T lambda makes it the minimum (T15). */
static double worst_of(const Problem* p, const Answer* answer, bool has_lambda) {
  double worst = 0;
  for (int32_t r = 0; r < p->m; r++) {
    double sum = -p->b[r];
    for (int32_t j = 0; j < p->n; j++) sum += p->A[r * p->n + j] * answer->a[j];
    worst = fmax(worst, fabs(sum));
  }
  for (int32_t i = 0; i < p->n; i++) {
    double sum = -p->h[i] - answer->Qc[i], force = -answer->Qc[i];
    for (int32_t j = 0; j < p->n; j++) sum += p->M[i * p->n + j] * answer->a[j];
    for (int32_t r = 0; r < p->m && has_lambda; r++) force += p->A[r * p->n + i] * answer->lambda[r];
    worst = fmax(worst, fabs(sum));
    if (has_lambda) worst = fmax(worst, fabs(force));
  }
  return worst;
}

static void any_rows(void** state) {
  (void)state;
  double worst = 0;
  ZwLeastSolver* solver = create(N, M_ROWS, NULL);
  ZwLeastSolver* smaller[N + 1] = {0};
  for (int32_t n = 1; n < N; n++) smaller[n] = create(n, M_ROWS, "auto");
  smaller[N] = solver;
  for (int draws = 0; draws < 3000; draws++) {
    Problem p;
    Answer answer;
    int32_t n = 1 + draws % N, rank = draws / N % (n + 1), m = draws % 3 == 0 ? rank + draws % 5 : rank;
    if (rank == 0) m = 0;
    make_problem(&p, n, m, rank);
    assert_int_equal(solve(smaller[n], &p, &answer), ZW_OK);
    assert_int_equal(answer.out.rank, rank);
    assert_true(answer.out.is_minimum && answer.out.reason[0] == 0 && !(answer.out.residual > 1e-9));
    double scale = 1;
    for (int32_t j = 0; j < n; j++) scale = fmax(scale, fabs(answer.Qc[j]));
    worst = fmax(worst, worst_of(&p, &answer, true) / scale);
  }
  for (int32_t n = 1; n <= N; n++) zw_least_destroy(smaller[n]);
  print_message("worst equation: %.2g\n", worst);
  assert_true(worst < 1e-9);
}

static void every_formulation(void** state) {
  (void)state;
  Problem p;
  Answer first, answer;
  make_problem(&p, 9, 8, 6);
  for (int32_t i = 0; zw_formulation_text(i); i++) {
    const char* name = zw_formulation_text(i);
    if (strcmp(name, "gibbs-appell-quasi") == 0) continue;
    ZwLeastSolver* solver = create(9, 8, name);
    assert_int_equal(solve(solver, &p, &answer), ZW_OK);
    if (i == 0) first = answer;
    for (int32_t j = 0; j < 9; j++) assert_true(fabs(answer.a[j] - first.a[j]) < 1e-11);
    assert_true(worst_of(&p, &answer, !isnan(answer.lambda[0])) < 1e-10);
    zw_least_destroy(solver);
  }
}

static void evidence_when_asked_for(void** state) {
  (void)state;
  Problem p;
  Answer answer;
  double a0[N], gaussian = 0;
  ZwLeastSolver* solver = create(7, 4, NULL);
  make_problem(&p, 7, 4, 4);
  Problem free = p;
  free.m = 0;
  assert_int_equal(solve(solver, &free, &answer), ZW_OK);
  memcpy(a0, answer.a, sizeof a0);
  ZwLeastInput in = {.m = 4, .M = p.M, .h = p.h, .A = p.A, .b = p.b, .wants_evidence = true};
  answer.out = (ZwLeastOutput){.a = answer.a};
  assert_int_equal(zw_least_solve(solver, &in, &answer.out), ZW_OK);
  for (int32_t i = 0; i < 7; i++) {
    for (int32_t j = 0; j < 7; j++) gaussian += 0.5 * (answer.a[i] - a0[i]) * p.M[i * 7 + j] * (answer.a[j] - a0[j]);
  }
  assert_true(fabs(answer.out.gaussian - gaussian) < 1e-11 * gaussian);
  assert_true(answer.out.residual < 1e-12 && answer.out.optimality < 1e-10);
  assert_null(answer.out.Qc);
  zw_least_destroy(solver);
}

/* Places in any order, of M in either triangle, and some of them twice. */
static int32_t list_places(const double* from, int32_t rows, int32_t columns, bool is_symmetric, ZwLeastPlace* places,
                           double* values) {
  int32_t count = 0;
  for (int32_t i = rows - 1; i >= 0; i--) {
    for (int32_t j = 0; j < columns; j++) {
      double value = from[i * columns + j];
      if ((is_symmetric && j > i) || value == 0) continue;
      bool is_turned = is_symmetric && (i + j) % 2 == 0, is_split = (i + j) % 3 == 0;
      places[count] = is_turned ? (ZwLeastPlace){j, i} : (ZwLeastPlace){i, j};
      values[count++] = is_split ? value - 0.25 : value;
      if (!is_split) continue;
      places[count] = places[count - 1];
      values[count++] = 0.25;
    }
  }
  return count;
}

static void sparse_is_dense(void** state) {
  (void)state;
  for (int draws = 0; draws < 200; draws++) {
    Problem p;
    Answer dense, sparse;
    ZwLeastPlace M_places[2 * N * N], A_places[2 * N * M_ROWS];
    double M[2 * N * N], A[2 * N * M_ROWS];
    make_problem(&p, N, 5, 5);
    for (int32_t i = 0; i < N; i++) { /* blocks of two, as of point masses, and rows of few entries */
      for (int32_t j = 0; j < N; j++) p.M[i * N + j] *= i / 2 == j / 2;
    }
    for (int32_t r = 0; r < 5; r++) {
      for (int32_t j = 0; j < N; j++) p.A[r * N + j] *= (j + r) % 3 == 0;
    }
    ZwLeastDef def = zw_default_least_def();
    def.n = N;
    def.m = 5;
    def.M_places = M_places;
    def.A_places = A_places;
    def.M_count = list_places(p.M, N, N, true, M_places, M);
    def.A_count = list_places(p.A, 5, N, false, A_places, A);
    ZwLeastSolver *solver, *plain = create(N, 5, NULL);
    assert_int_equal(zw_least_create(&def, &solver), ZW_OK);
    assert_int_equal(solve(plain, &p, &dense), ZW_OK);
    ZwLeastInput in = {.m = 5, .M = M, .h = p.h, .A = A, .b = p.b};
    sparse.out = (ZwLeastOutput){.a = sparse.a, .lambda = sparse.lambda, .Qc = sparse.Qc};
    assert_int_equal(zw_least_solve(solver, &in, &sparse.out), ZW_OK);
    assert_int_equal(sparse.out.rank, -1);
    for (int32_t j = 0; j < N; j++) assert_true(fabs(dense.a[j] - sparse.a[j]) < 1e-9 * (1 + fabs(dense.a[j])));
    for (int32_t r = 0; r < 5; r++) {
      assert_true(fabs(dense.lambda[r] - sparse.lambda[r]) < 1e-8 * (1 + fabs(dense.lambda[r])));
    }
    in.m = 4;
    assert_int_equal(zw_least_solve(solver, &in, &sparse.out), ZW_ERR_ARGUMENT);
    assert_true(sparse.out.reason[0] != 0);
    zw_least_destroy(solver);
    zw_least_destroy(plain);
  }
}

static void what_cannot_be_has_a_reason(void** state) {
  (void)state;
  Problem p;
  Answer answer;
  ZwLeastSolver* solver = create(3, 3, NULL);
  make_problem(&p, 3, 2, 1);
  p.b[1] += 1;
  assert_int_equal(solve(solver, &p, &answer), ZW_ERR_INCONSISTENT);
  assert_true(isnan(answer.a[0]) && isnan(answer.lambda[1]) && answer.out.reason[0] != 0);
  make_problem(&p, 3, 1, 1);
  memset(p.M, 0, sizeof p.M);
  p.M[0] = p.M[4] = 1;
  p.A[2] = 0;
  assert_int_equal(solve(solver, &p, &answer), ZW_ERR_UNDETERMINED);
  assert_true(answer.out.reason[0] != 0);
  p.A[2] = 1; /* inertia is missing where a row determines: no harm */
  assert_int_equal(solve(solver, &p, &answer), ZW_OK);
  assert_true(worst_of(&p, &answer, true) < 1e-13);
  p.h[0] = NAN;
  assert_int_equal(solve(solver, &p, &answer), ZW_ERR_DOMAIN);
  p.m = 4;
  assert_int_equal(solve(solver, &p, &answer), ZW_ERR_ARGUMENT);
  zw_least_destroy(solver);
}

static void definitions_are_checked(void** state) {
  (void)state;
  ZwLeastSolver* solver;
  ZwLeastDef def = zw_default_least_def();
  assert_int_equal(zw_least_create(&def, &solver), ZW_ERR_ARGUMENT); /* no coordinates */
  assert_null(solver);
  def.n = 2;
  def.formulation = "newton";
  assert_int_equal(zw_least_create(&def, &solver), ZW_ERR_ARGUMENT);
  def.formulation = "gibbs-appell-quasi";
  assert_int_equal(zw_least_create(&def, &solver), ZW_ERR_ARGUMENT);
  ZwLeastPlace outside = {2, 0};
  def.formulation = NULL;
  def.M_places = &outside;
  def.M_count = 1;
  assert_int_equal(zw_least_create(&def, &solver), ZW_ERR_ARGUMENT);
  outside.row = 1;
  def.formulation = "lagrange";
  assert_int_equal(zw_least_create(&def, &solver), ZW_ERR_ARGUMENT);
  zw_least_destroy(NULL);
}

/* All memory is taken when a solver is made, and refused memory is no disaster. */
static void nothing_is_allocated_while_solving(void** state) {
  (void)state;
  Host host = {0};
  Problem p;
  Answer answer;
  ZwLeastSolver* solver;
  ZwLeastDef def = zw_default_least_def();
  def.n = 9;
  def.m = 10;
  def.allocator = host_allocator(&host);
  assert_int_equal(zw_least_create(&def, &solver), ZW_OK);
  int64_t calls = host.calls;
  for (int i = 0; i < 100; i++) {
    make_problem(&p, 9, i % 2 ? 8 : 10, i % 2 ? 8 : 7);
    assert_int_equal(solve(solver, &p, &answer), ZW_OK);
  }
  assert_int_equal(host.calls, calls);
  zw_least_destroy(solver);
  assert_int_equal(host.alive, 0);
  for (int64_t at = 1; at <= calls; at++) {
    host = (Host){.fails_at = at, .for_good = true};
    assert_int_equal(zw_least_create(&def, &solver), ZW_ERR_MEMORY);
    assert_int_equal(host.alive, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_rows),
      cmocka_unit_test(every_formulation),
      cmocka_unit_test(evidence_when_asked_for),
      cmocka_unit_test(sparse_is_dense),
      cmocka_unit_test(what_cannot_be_has_a_reason),
      cmocka_unit_test(definitions_are_checked),
      cmocka_unit_test(nothing_is_allocated_while_solving),
  };
  return cmocka_run_group_tests_name("unit.zwang.least", tests, NULL, NULL);
}
