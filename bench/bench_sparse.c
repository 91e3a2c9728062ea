/* What the sparse solve costs: chains against a solve written by hand for chains, nets against CHOLMOD where it is
 * installed, the order against AMD. Minimum of several rounds, everything interleaved, so that ratios come from one
 * run. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "least/least.h"
#include "rounds.h"
#include "sparse/order.h"
#include "sparse/sparse.h"

#ifdef ZW_BENCH_HAS_CHOLMOD
#include <amd.h>
#include <cholmod.h>
#endif

enum { ROUNDS = 9 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* get(size_t count, size_t size) {
  void* memory = calloc(count ? count : 1, size);
  if (!memory) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return memory;
}

/* ---- mechanisms ---- */

typedef struct Mechanism {
  int32_t n, m;
  int32_t *M_begin, *M_column, *A_begin, *A_column;
  double *M, *A, *h, *b, *a, *lambda;
  int32_t points;          /* masses or rods: what costs are counted per */
  double *x, *y, *vx, *vy; /* of a chain */
  int32_t (*edges)[2];     /* of a net */
} Mechanism;

static Mechanism mechanism_new(int32_t n, int32_t m, int32_t entries) {
  Mechanism s = {.n = n, .m = m};
  s.M_begin = get((size_t)n + 1, sizeof(int32_t));
  s.M_column = get((size_t)n, sizeof(int32_t));
  s.A_begin = get((size_t)m + 1, sizeof(int32_t));
  s.A_column = get((size_t)entries, sizeof(int32_t));
  double** arrays[] = {&s.M, &s.h, &s.a};
  for (int i = 0; i < 3; i++) *arrays[i] = get((size_t)n, sizeof(double));
  s.A = get((size_t)entries, sizeof(double));
  s.b = get((size_t)m, sizeof(double));
  s.lambda = get((size_t)m, sizeof(double));
  for (int32_t j = 0; j < n; j++) {
    s.M[j] = 1;
    s.M_column[j] = j;
    s.M_begin[j + 1] = j + 1;
  }
  return s;
}

static void mechanism_free(Mechanism* s) {
  void* all[] = {s->M_begin, s->M_column, s->A_begin, s->A_column, s->M,  s->A,  s->h,    s->b,
                 s->a,       s->lambda,   s->x,       s->y,        s->vx, s->vy, s->edges};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void add(Mechanism* s, int32_t* p, int32_t column, double value) {
  s->A_column[*p] = column;
  s->A[(*p)++] = value;
}

/* Unit masses in the plane, each at a fixed distance from the one before, the first from the origin. */
static Mechanism chain_of_masses(int32_t count) {
  Mechanism s = mechanism_new(2 * count, count, 4 * count);
  double** arrays[] = {&s.x, &s.y, &s.vx, &s.vy};
  s.points = count;
  for (int i = 0; i < 4; i++) *arrays[i] = get((size_t)count + 1, sizeof(double));
  for (int32_t i = 1; i <= count; i++) {
    s.x[i] = s.x[i - 1] + sin(0.7 * i) * 0.4;
    s.y[i] = s.y[i - 1] - sqrt(1 - 0.16 * sin(0.7 * i) * sin(0.7 * i));
    s.vx[i] = 0.2 * sin(1.3 * i);
    s.vy[i] = 0.1 * cos(2.1 * i);
  }
  int32_t p = 0;
  for (int32_t i = 1; i <= count; i++) {
    double dx = s.x[i] - s.x[i - 1], dy = s.y[i] - s.y[i - 1], wx = s.vx[i] - s.vx[i - 1], wy = s.vy[i] - s.vy[i - 1];
    if (i > 1) add(&s, &p, 2 * i - 4, -dx);
    if (i > 1) add(&s, &p, 2 * i - 3, -dy);
    add(&s, &p, 2 * i - 2, dx);
    add(&s, &p, 2 * i - 1, dy);
    s.A_begin[i] = p;
    s.b[i - 1] = -(wx * wx + wy * wy);
    s.h[2 * i - 1] = -9.81;
  }
  return s;
}

/* Uniform rods in the plane, x, y and angle each, hinged end to end. */
static Mechanism chain_of_rods(int32_t count) {
  Mechanism s = mechanism_new(3 * count, 2 * count, 8 * count);
  s.points = count;
  int32_t p = 0;
  for (int32_t i = 0; i < count; i++) {
    double c = 0.5 * cos(0.3 * i), d = 0.5 * sin(0.3 * i), c0 = 0.5 * cos(0.3 * i - 0.3), d0 = 0.5 * sin(0.3 * i - 0.3);
    for (int32_t k = 0; k < 2; k++) {
      if (i > 0) add(&s, &p, 3 * i - 3 + k, -1);
      if (i > 0) add(&s, &p, 3 * i - 1, k ? -c0 : d0);
      add(&s, &p, 3 * i + k, 1);
      add(&s, &p, 3 * i + 2, k ? -c : d);
      s.A_begin[2 * i + k + 1] = p;
      s.b[2 * i + k] = 0.1 * sin(i + k);
    }
    s.M[3 * i + 2] = 1.0 / 12;
    s.h[3 * i + 1] = -9.81;
  }
  return s;
}

/* side x side masses in space, distances to the right and below fixed, the corner held. */
static Mechanism net_of_masses(int32_t side) {
  int32_t points = side * side, m = 2 * side * (side - 1), p = 0;
  Mechanism s = mechanism_new(3 * points, m, 6 * m);
  s.points = m;
  s.edges = get((size_t)m, sizeof *s.edges);
  int32_t k = 0;
  for (int32_t i = 0; i < points; i++) {
    if ((i + 1) % side) s.edges[k][0] = i, s.edges[k++][1] = i + 1;
    if (i + side < points) s.edges[k][0] = i, s.edges[k++][1] = i + side;
  }
  for (k = 0; k < m; k++) {
    for (int end = 0; end < 2; end++) {
      int32_t i = s.edges[k][end], j = s.edges[k][1 - end];
      double q[2][3];
      for (int e = 0; e < 2; e++) {
        int32_t a = e ? j : i;
        q[e][0] = a % side + 0.1 * sin(3.0 * a);
        q[e][1] = a / side + 0.1 * cos(2.0 * a);
        q[e][2] = 0.3 * sin(0.7 * (a / side) + 0.4 * (a % side));
      }
      for (int d = 0; d < 3 && i > 0; d++) add(&s, &p, 3 * i + d, q[0][d] - q[1][d]);
    }
    s.A_begin[k + 1] = p;
    s.b[k] = 0.1 * sin(k);
  }
  for (int32_t i = 0; i < points; i++) s.h[3 * i + 2] = -9.81;
  return s;
}

/* ---- ours ---- */

typedef struct Ours {
  ZwArena arena;
  ZwSparsePlan* plan;
  ZwSparse* sparse;
  double seconds_to_plan;
} Ours;

static Ours ours_new(const Mechanism* s, ZwSparseForm form, ZwLdlWay way) {
  Ours ours;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&ours.arena, &allocator);
  ZwSparseDef def = {
      .M = {s->n, s->n, s->M_begin, s->M_column}, .A = {s->m, s->n, s->A_begin, s->A_column}, .form = form, .way = way};
  double begin = now();
  if (zw_sparse_plan(&ours.arena, &def, &ours.plan) != ZW_OK) exit(1);
  ours.seconds_to_plan = now() - begin;
  ours.sparse = zw_sparse_place(get(1, zw_sparse_work_size(ours.plan)), ours.plan);
  if (zw_sparse_factor(ours.sparse, s->M, s->A) != ZW_OK) exit(1);
  return ours;
}

static void ours_free(Ours* ours) {
  free(ours->sparse);
  zw_arena_destroy(&ours->arena);
}

/* M is constant. */
static void ours_run(void* context, const Mechanism* s) {
  Ours* ours = context;
  ZwSparseResult result = {.a = s->a, .lambda = s->lambda};
  if (zw_sparse_factor(ours->sparse, NULL, s->A) != ZW_OK) exit(1);
  if (zw_sparse_solve(ours->sparse, s->h, s->b, &result) != ZW_OK) exit(1);
}

static void ours_project(void* context, const Mechanism* s) {
  Ours* ours = context;
  if (zw_sparse_project(ours->sparse, s->b, s->a) != ZW_OK) exit(1);
}

/* ---- by hand ---- */

typedef struct Hand {
  double *dx, *dy, *lower, *right;
} Hand;

/* Positions and velocities to accelerations in two sweeps: geometry, tridiagonal system and elimination in one. */
static void hand_run(void* context, const Mechanism* s) {
  Hand* hand = context;
  double pivot = 0, before = 0, *a = s->a;
  for (int32_t i = 0; i < s->m; i++) {
    double dx = s->x[i + 1] - s->x[i], dy = s->y[i + 1] - s->y[i], wx = s->vx[i + 1] - s->vx[i],
           wy = s->vy[i + 1] - s->vy[i];
    double d = dx * dx + dy * dy, right = -(wx * wx + wy * wy);
    hand->dx[i] = dx;
    hand->dy[i] = dy;
    if (i == 0) {
      right += 9.81 * dy;
    } else {
      double off = -(dx * hand->dx[i - 1] + dy * hand->dy[i - 1]), l = off * pivot;
      hand->lower[i] = l;
      d = 2 * d - l * off;
      right -= l * before;
    }
    pivot = 1 / d;
    before = right;
    hand->right[i] = right * pivot;
  }
  double after = 0, fx = 0, fy = 0;
  for (int32_t i = s->m - 1; i >= 0; i--) {
    double lambda = hand->right[i] - (i + 1 < s->m ? hand->lower[i + 1] * after : 0);
    double px = lambda * hand->dx[i], py = lambda * hand->dy[i];
    a[2 * i] = px - fx;
    a[2 * i + 1] = py - fy - 9.81;
    fx = px;
    fy = py;
    after = lambda;
  }
}

/* ---- dense ---- */

typedef struct Dense {
  ZwLeast* least;
  double *M, *A;
} Dense;

static Dense dense_new(const Mechanism* s) {
  size_t n = (size_t)s->n, m = (size_t)s->m;
  Dense dense = {.M = get(n * n, sizeof(double)), .A = get(m * n, sizeof(double))};
  dense.least = zw_least_place(get(1, zw_least_work_size(s->n, s->m)), s->n, s->m);
  for (size_t j = 0; j < n; j++) dense.M[j * (n + 1)] = s->M[j];
  for (size_t k = 0; k < m; k++) {
    for (int32_t p = s->A_begin[k]; p < s->A_begin[k + 1]; p++) dense.A[k * n + (size_t)s->A_column[p]] = s->A[p];
  }
  return dense;
}

static void dense_free(Dense* dense) {
  free(dense->least);
  free(dense->M);
  free(dense->A);
}

static void dense_run(void* context, const Mechanism* s) {
  Dense* dense = context;
  ZwLeastResult result = {.a = s->a, .lambda = s->lambda};
  if (zw_least_factor(dense->least, s->m, dense->M, dense->A) != ZW_OK) exit(1);
  if (zw_least_answer(dense->least, s->h, s->b, &result) != ZW_OK) exit(1);
}

/* ---- CHOLMOD ---- */

#ifdef ZW_BENCH_HAS_CHOLMOD
typedef struct Cholmod {
  cholmod_common common;
  cholmod_sparse* A; /* m x n: A M^(-1/2), M is one */
  cholmod_factor* L;
  cholmod_dense* right;
  int32_t* from;
} Cholmod;

static void cholmod_new(Cholmod* peer, const Mechanism* s, int supernodal) {
  cholmod_start(&peer->common);
  int32_t count = s->A_begin[s->m];
  peer->A = cholmod_allocate_sparse((size_t)s->m, (size_t)s->n, (size_t)count, 1, 1, 0, CHOLMOD_REAL, &peer->common);
  peer->from = get((size_t)count, sizeof(int32_t));
  int *begin = peer->A->p, *row = peer->A->i;
  for (int32_t p = 0; p < count; p++) begin[s->A_column[p] + 1]++;
  for (int32_t j = 0; j < s->n; j++) begin[j + 1] += begin[j];
  int* next = get((size_t)s->n, sizeof(int));
  memcpy(next, begin, (size_t)s->n * sizeof(int));
  for (int32_t k = 0; k < s->m; k++) {
    for (int32_t p = s->A_begin[k]; p < s->A_begin[k + 1]; p++) {
      int to = next[s->A_column[p]]++;
      row[to] = k;
      peer->from[to] = p;
    }
  }
  free(next);
  peer->common.supernodal = supernodal;
  peer->right = cholmod_allocate_dense((size_t)s->m, 1, (size_t)s->m, CHOLMOD_REAL, &peer->common);
  peer->L = cholmod_analyze(peer->A, &peer->common);
}

/* S = A A^T formed and factored by CHOLMOD; right side and accelerations beside it. */
static void cholmod_run(void* context, const Mechanism* s) {
  Cholmod* peer = context;
  double *x = peer->A->x, *right = peer->right->x;
  for (int32_t p = 0; p < s->A_begin[s->m]; p++) x[p] = s->A[peer->from[p]];
  cholmod_factorize(peer->A, peer->L, &peer->common);
  for (int32_t k = 0; k < s->m; k++) {
    double sum = s->b[k];
    for (int32_t p = s->A_begin[k]; p < s->A_begin[k + 1]; p++) sum -= s->A[p] * s->h[s->A_column[p]];
    right[k] = sum;
  }
  cholmod_dense* lambda = cholmod_solve(CHOLMOD_A, peer->L, peer->right, &peer->common);
  memcpy(s->a, s->h, (size_t)s->n * sizeof(double));
  for (int32_t k = 0; k < s->m; k++) {
    double now_ = ((double*)lambda->x)[k];
    for (int32_t p = s->A_begin[k]; p < s->A_begin[k + 1]; p++) s->a[s->A_column[p]] += s->A[p] * now_;
  }
  cholmod_free_dense(&lambda, &peer->common);
}

static void cholmod_end(Cholmod* peer) {
  cholmod_free_dense(&peer->right, &peer->common);
  cholmod_free_factor(&peer->L, &peer->common);
  cholmod_free_sparse(&peer->A, &peer->common);
  cholmod_finish(&peer->common);
  free(peer->from);
}
#endif

/* ---- measuring ---- */

typedef struct Contender {
  const char* name;
  void (*run)(void*, const Mechanism*);
  void* context;
  double best; /* seconds */
} Contender;

static double time_of(const Contender* c, const Mechanism* s) {
  double begin = now(), end;
  int rounds = 0;
  do {
    c->run(c->context, s);
    rounds++;
    end = now();
  } while (end - begin < bench_seconds(0.01));
  return (end - begin) / rounds;
}

/* Everybody in turn, several times; the answers are compared with the first one's. */
static void measure(Contender* all, int count, const Mechanism* s) {
  for (int i = 0; i < count; i++) all[i].best = INFINITY;
  for (int round = 0; round < bench_rounds(ROUNDS); round++) {
    for (int i = 0; i < count; i++) all[i].best = fmin(all[i].best, time_of(&all[i], s));
  }
  double* first = get((size_t)s->n, sizeof(double));
  for (int i = 0; i < count; i++) {
    all[i].run(all[i].context, s);
    if (i == 0) memcpy(first, s->a, (size_t)s->n * sizeof(double));
    double off = 0, most = 0;
    for (int32_t j = 0; j < s->n; j++) {
      off = fmax(off, fabs(s->a[j] - first[j]));
      most = fmax(most, fabs(first[j]));
    }
    if (!(off <= 1e-6 * most)) printf("  %s is off by %.1e\n", all[i].name, off / most);
  }
  free(first);
}

/* ---- chains ---- */

static const int32_t chain_sizes[] = {1000, 10000, 100000};

static void bench_chain_of_masses(void) {
  double mine[3];
  for (int i = 0; i < 3; i++) {
    Mechanism s = chain_of_masses(chain_sizes[i]);
    Ours schur = ours_new(&s, ZW_SPARSE_AUTO, ZW_LDL_AUTO), kkt = ours_new(&s, ZW_SPARSE_KKT, ZW_LDL_AUTO);
    size_t count = (size_t)s.m;
    Hand hand = {get(count, 8), get(count, 8), get(count, 8), get(count, 8)};
    Contender all[] = {{.name = "ours", .run = ours_run, .context = &schur},
                       {.name = "hand", .run = hand_run, .context = &hand},
                       {.name = "kkt", .run = ours_run, .context = &kkt}};
    measure(all, 3, &s);
    mine[i] = all[0].best;
    Contender project = {.run = ours_project, .context = &schur};
    double to_project = time_of(&project, &s);
    printf(
        "chain of %6d masses: %5.1f ns per mass (%s), by hand %4.1f, ratio %.2f; KKT form %5.1f; a projection %4.1f; "
        "planned in %.0f ms, KKT %.0f; %.0f bytes per mass\n",
        (int)s.points, 1e9 * mine[i] / s.points, zw_sparse_cost(schur.plan).form == ZW_SPARSE_SCHUR ? "Schur" : "KKT",
        1e9 * all[1].best / s.points, mine[i] / all[1].best, 1e9 * all[2].best / s.points, 1e9 * to_project / s.points,
        1e3 * schur.seconds_to_plan, 1e3 * kkt.seconds_to_plan,
        (double)(schur.arena.bytes + zw_sparse_work_size(schur.plan)) / s.points);
    ours_free(&schur);
    ours_free(&kkt);
    free(hand.dx), free(hand.dy), free(hand.lower), free(hand.right);
    mechanism_free(&s);
  }
  printf("  time at 100000 / time at 1000: %.0f, growth exponent %.2f\n", mine[2] / mine[0],
         log10(mine[2] / mine[0]) / 2);
}

static void bench_chain_of_rods(void) {
  double mine[3];
  for (int i = 0; i < 3; i++) {
    Mechanism s = chain_of_rods(chain_sizes[i]);
    Ours schur = ours_new(&s, ZW_SPARSE_AUTO, ZW_LDL_AUTO);
    Contender all[] = {{.name = "ours", .run = ours_run, .context = &schur}};
    measure(all, 1, &s);
    mine[i] = all[0].best;
    printf("chain of %6d rods: %5.1f ns per rod, planned in %.0f ms\n", (int)s.points, 1e9 * mine[i] / s.points,
           1e3 * schur.seconds_to_plan);
    ours_free(&schur);
    mechanism_free(&s);
  }
  printf("  time at 100000 / time at 1000: %.0f, growth exponent %.2f\n", mine[2] / mine[0],
         log10(mine[2] / mine[0]) / 2);
}

/* ---- where the sparse solve begins to pay ---- */

static void bench_short_chains(bool is_of_rods) {
  int32_t counted = 0, timed = 0;
  for (int32_t links = 1; links <= 30 && !(counted && timed); links++) {
    Mechanism s = is_of_rods ? chain_of_rods(links) : chain_of_masses(links);
    Ours ours = ours_new(&s, ZW_SPARSE_AUTO, ZW_LDL_AUTO);
    Dense dense = dense_new(&s);
    Contender all[] = {{.name = "ours", .run = ours_run, .context = &ours},
                       {.name = "dense", .run = dense_run, .context = &dense}};
    measure(all, 2, &s);
    if (!timed && all[0].best < all[1].best) timed = links;
    if (!counted && zw_sparse_cost(ours.plan).is_worth_it) counted = links;
    ours_free(&ours);
    dense_free(&dense);
    mechanism_free(&s);
  }
  int32_t unknowns = is_of_rods ? 5 : 3;
  printf("sparse before dense for chains of %s: by counting from n + m = %d, by the clock from %d\n",
         is_of_rods ? "rods" : "masses", (int)(unknowns * counted), (int)(unknowns * timed));
}

/* ---- nets ---- */

static void bench_net(int32_t side) {
  Mechanism s = net_of_masses(side);
  Ours chosen = ours_new(&s, ZW_SPARSE_AUTO, ZW_LDL_AUTO), rows = ours_new(&s, ZW_SPARSE_SCHUR, ZW_LDL_ROWS);
  Ours panels = ours_new(&s, ZW_SPARSE_SCHUR, ZW_LDL_PANELS), kkt = ours_new(&s, ZW_SPARSE_KKT, ZW_LDL_AUTO);
  Contender all[] = {
      {.name = "ours", .run = ours_run, .context = &chosen},   {.name = "rows", .run = ours_run, .context = &rows},
      {.name = "panels", .run = ours_run, .context = &panels}, {.name = "KKT", .run = ours_run, .context = &kkt},
#ifdef ZW_BENCH_HAS_CHOLMOD
      {.name = "CHOLMOD simplicial", .run = cholmod_run},      {.name = "CHOLMOD supernodal", .run = cholmod_run},
#endif
  };
  int count = (int)(sizeof all / sizeof *all);
#ifdef ZW_BENCH_HAS_CHOLMOD
  Cholmod simplicial, supernodal;
  cholmod_new(&simplicial, &s, CHOLMOD_SIMPLICIAL);
  cholmod_new(&supernodal, &s, CHOLMOD_SUPERNODAL);
  all[4].context = &simplicial;
  all[5].context = &supernodal;
#endif
  measure(all, count, &s);
  ZwSparseCost cost = zw_sparse_cost(chosen.plan);
  printf(
      "net of %d x %d masses, m = %d: %.0f us (%s, %s), L has %.0f entries, %.2g operations (KKT %.2g, dense %.2g), "
      "planned "
      "in %.0f ms\n",
      (int)side, (int)side, (int)s.m, 1e6 * all[0].best, cost.form == ZW_SPARSE_SCHUR ? "Schur" : "KKT",
      cost.way == ZW_LDL_PANELS ? "panels" : "rows", cost.entries, cost.schur, cost.kkt, cost.dense,
      1e3 * chosen.seconds_to_plan);
  for (int i = 1; i < count; i++)
    printf("  %-18s %8.0f us, ours / it %.2f\n", all[i].name, 1e6 * all[i].best, all[0].best / all[i].best);
#ifdef ZW_BENCH_HAS_CHOLMOD
  cholmod_end(&simplicial);
  cholmod_end(&supernodal);
#endif
  ours_free(&chosen);
  ours_free(&rows);
  ours_free(&panels);
  ours_free(&kkt);
  mechanism_free(&s);
}

/* ---- order ---- */

/* A grid in which all eight neighbours touch. */
static void grid_graph(int32_t side, int32_t* begin, int32_t* column) {
  int32_t p = 0;
  for (int32_t i = 0; i < side * side; i++) {
    for (int32_t dy = -1; dy <= 1; dy++) {
      for (int32_t dx = -1; dx <= 1; dx++) {
        int32_t x = i % side + dx, y = i / side + dy;
        if ((dx || dy) && x >= 0 && x < side && y >= 0 && y < side) column[p++] = y * side + x;
      }
    }
    begin[i + 1] = p;
  }
}

static void bench_order(int32_t side) {
  int32_t n = side * side, *begin = get((size_t)n + 1, 4), *column = get(8 * (size_t)n, 4), *order = get((size_t)n, 4);
  grid_graph(side, begin, column);
  ZwCsr graph = {n, n, begin, column};
  ZwArena arena;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&arena, &allocator);
  double time = now(), operations, entries;
  if (!zw_order(&arena, &graph, NULL, order)) exit(1);
  time = now() - time;
  if (!zw_ldl_count(&arena, &graph, order, &operations, &entries)) exit(1);
  printf("order of a grid, n = %7d: %4.0f ns per node, L has %.1f entries per node", (int)n, 1e9 * time / n,
         entries / n);
#ifdef ZW_BENCH_HAS_CHOLMOD
  double peer = now(), peer_operations, peer_entries;
  amd_order(n, begin, column, order, NULL, NULL);
  peer = now() - peer;
  if (!zw_ldl_count(&arena, &graph, order, &peer_operations, &peer_entries)) exit(1);
  printf("; AMD %4.0f ns, ours / it: time %.2f, entries %.3f", 1e9 * peer / n, time / peer, entries / peer_entries);
#endif
  printf("\n");
  zw_arena_destroy(&arena);
  free(begin), free(column), free(order);
}

int main(void) {
  bench_chain_of_masses();
  bench_chain_of_rods();
  bench_short_chains(false);
  bench_short_chains(true);
  for (int32_t side = 4; side <= 100; side = side < 10 ? 10 : side < 32 ? 32 : side < 100 ? 100 : 1000) bench_net(side);
  for (int32_t side = 100; side <= 1000; side *= side < 1000 ? 10 : 2) bench_order(side);
  return 0;
}
