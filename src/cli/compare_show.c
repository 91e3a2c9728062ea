/* Quantities of the five papers as tables, with the names of coordinates and constraints beside their numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/print.h"
#include "cli/compare.h"

enum { NUMBER = 13, NAME_LEAST = 6, NAME_MOST = 24 };

/* Names of rows or columns: of coordinates, some of them, or constraints; NULL: they are counted. */
typedef struct Names {
  const char* const* all;
  const int32_t* which; /* NULL: in order */
} Names;

typedef struct Show {
  const Ask* ask;
  bool is_full;
  const ZwFrameReport* frame; /* NULL: there is no motion */
  const ZwLeastDetail* d;
  Names q, rows; /* of coordinates and constraints */
} Show;

static const char* name_of(Names names, int32_t i) {
  return names.all[names.which ? names.which[i] : i];
}

static int width_of(Names names, int32_t count) {
  int width = NAME_LEAST;
  for (int32_t i = 0; i < count; i++) {
    int size = (int)strlen(name_of(names, i));
    if (size > width) width = size;
  }
  return width < NAME_MOST ? width : NAME_MOST;
}

static void print_cell(double value) {
  zw_printf(" %*.6g", NUMBER - 1, value + 0.0); /* no -0 */
}

/* ---- numbers, vectors, matrices ---- */

void print_letters(ZwLetters letters, const char* text) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText out;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&out, &arena);
  zw_letters_add(&out, letters, text, false);
  zw_printf("%s", zw_text_get(&out));
  zw_arena_destroy(&arena);
}

/* In the letters that were asked for. */
static void print_in_letters(const Show* s, const char* text) {
  print_letters(s->ask->letters, text);
}

/* Above the tables of a part. */
static void heading(const Show* s, const char* text) {
  zw_printf("\n");
  print_in_letters(s, text);
  zw_printf("\n");
}

/* What needs the inverse of M. */
static void print_undefined(const Show* s) {
  print_in_letters(s, "undefined: M is singular");
}

static void title(const Show* s, const char* name, const char* what) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  const char* line = *what ? zw_format(&arena, "%s  %s", name, what) : name;
  zw_printf("  ");
  if (line) print_in_letters(s, line);
  zw_printf("\n");
  zw_arena_destroy(&arena);
}

static void show_number(const Show* s, const char* name, double value, const char* what) {
  if (isnan(value)) { /* as of a vector */
    title(s, name, what);
    zw_printf("    ");
    print_undefined(s);
    zw_printf("\n");
    return;
  }
  zw_printf("  ");
  print_in_letters(s, name);
  zw_printf(" = %.10g", value);
  if (*what) zw_printf("  ");
  print_in_letters(s, what);
  zw_printf("\n");
}

/* A line of names and a line of numbers, as many beside each other as fit. */
static void show_vector(const Show* s, const char* name, const char* what, int32_t count, const double* values,
                        Names names) {
  enum { BESIDE = 7 };
  title(s, name, what);
  if (!values) {
    zw_printf("    ");
    print_undefined(s);
    zw_printf("\n");
    return;
  }
  for (int32_t i = 0; i < count; i += BESIDE) {
    zw_printf("   ");
    for (int32_t j = i; j < count && j < i + BESIDE; j++)
      zw_printf(" %*.*s", NUMBER - 1, NUMBER - 1, name_of(names, j));
    zw_printf("\n   ");
    for (int32_t j = i; j < count && j < i + BESIDE; j++) print_cell(values[j]);
    zw_printf("\n");
  }
}

static void show_matrix(const Show* s, const char* name, const char* what, int32_t rows, int32_t columns,
                        const double* values, Names down, Names across) {
  title(s, name, what);
  if (!values) {
    zw_printf("    ");
    print_undefined(s);
    zw_printf("\n");
    return;
  }
  if (!s->is_full && (rows > WIDE || columns > WIDE)) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rows * columns; i++) sum += values[i] * values[i];
    zw_printf("    %d x %d, norm %.6g; --full prints it\n", (int)rows, (int)columns, sqrt(sum));
    return;
  }
  if (rows == 0 || columns == 0) {
    zw_printf("    %d x %d\n", (int)rows, (int)columns);
    return;
  }
  int width = width_of(down, rows);
  zw_printf("    %*s", width, "");
  for (int32_t j = 0; j < columns; j++) zw_printf(" %*.*s", NUMBER - 1, NUMBER - 1, name_of(across, j));
  zw_printf("\n");
  for (int32_t i = 0; i < rows; i++) {
    zw_printf("    %-*.*s", width, width, name_of(down, i));
    for (int32_t j = 0; j < columns; j++) print_cell(values[(ptrdiff_t)i * columns + j]);
    zw_printf("\n");
  }
}

/* ---- parts ---- */

static void show_data(const Show* s) {
  const ZwLeastDetail* d = s->d;
  zw_printf("\n");
  print_in_letters(s, "The problem M a = h + A^T lambda, A a = b; ");
  zw_printf("rank %d\n", (int)d->rank);
  show_matrix(s, "M", "", d->n, d->n, d->M, s->q, s->q);
  show_vector(s, "h", "", d->n, d->h, s->q);
  show_matrix(s, "A", "", d->m, d->n, d->A, s->rows, s->q);
  show_vector(s, "b", "", d->m, d->b, s->rows);
  show_vector(s, "a0", "M a0 = h, the motion without constraints", d->n, d->a0, s->q);
  show_vector(s, "d", "b - A a0", d->m, d->d, s->rows);
  show_matrix(s, "D", "A M^-1 A^T", d->m, d->m, d->D, s->rows, s->rows);
}

static void show_forces(const Show* s) {
  const ZwLeastDetail* d = s->d;
  heading(s, "The motion and the force of the constraints");
  show_vector(s, "a", "", d->n, d->a, s->q);
  show_vector(s, "a_b", "its part linear in b", d->n, d->a_b, s->q);
  show_vector(s, "a_h", "its part linear in h", d->n, d->a_h, s->q);
  show_vector(s, "lambda", "the smallest", d->m, d->lambda, s->rows);
  show_vector(s, "lambda_b", "", d->m, d->lambda_b, s->rows);
  show_vector(s, "lambda_h", "", d->m, d->lambda_h, s->rows);
  show_vector(s, "Qc", "A^T lambda", d->n, d->Qc, s->q);
  show_vector(s, "Qc_b", "its part linear in b", d->n, d->Qc_b, s->q);
  show_vector(s, "Qc_h", "its part linear in h", d->n, d->Qc_h, s->q);
  show_number(s, "G", d->G,
              d->is_minimum
                  ? "the Gaussian 1/2 (a - a0)^T M (a - a0)"
                  : "the Gaussian 1/2 (a - a0)^T M (a - a0), stationary: M is not positive on the admissible a");
  show_number(s, "S", d->S, "1/2 a^T M a");
}

static void show_possible(const Show* s) {
  const ZwPossibleDetail* p = &s->d->possible;
  if (!p->a) return;
  heading(s, "Another acceleration");
  bool is_whole = true;
  for (int32_t i = 0; i < s->d->n && s->ask->possible; i++) is_whole = is_whole && !isnan(s->ask->possible[i]);
  show_vector(
      s, "a~",
      is_whole           ? ""
      : !p->is_completed ? "with what was stated nothing satisfies the constraints; the rest is that of the free motion"
      : p->is_minimum
          ? "what was not stated satisfies the constraints with the least Gaussian"
          : "what was not stated satisfies the constraints where the Gaussian is stationary; it has no least value",
      s->d->n, p->a, s->q);
  show_vector(s, "residual", "A a~ - b", s->d->m, p->residual, s->rows);
  show_number(s, "G(a~)", p->G, "");
  show_number(s, "excess", p->excess, "G(a~) - G(a) = distance + work");
  show_number(s, "distance", p->distance2, "1/2 (a~ - a)^T M (a~ - a)");
  show_number(s, "work", p->work, "Qc^T (a~ - a); 0 for possible accelerations");
  show_vector(s, "nearest",
              s->d->is_minimum ? "the possible one nearest to a~" : "the possible one at a stationary distance from a~",
              s->d->n, p->nearest, s->q);
  show_number(s, "G(nearest)", p->G_nearest, "");
}

/* " 2", " - 2", " + 2"; false: nothing, the term is zero. */
static bool begin_term(double factor, bool* is_first) {
  if (factor == 0) return false;
  zw_printf(" %s%.6g", *is_first ? "" : factor < 0 ? "- " : "+ ", *is_first ? factor : fabs(factor));
  *is_first = false;
  return true;
}

/* S(ai) = 1/2 (K11 a^2 + 2 K12 a b + ..) + S1.ai + S0 */
static void show_polynomial(const Show* s, Names i) {
  const ZwPartitionDetail* p = &s->d->partition;
  enum { FEW = 4 };
  if (p->f > FEW || p->f == 0) return;
  print_in_letters(s, "  S(ai) =");
  bool is_first = true;
  for (int32_t j = 0; j < p->f; j++) {
    for (int32_t k = j; k < p->f; k++) {
      double factor = (j == k ? 0.5 : 1) * p->K[(ptrdiff_t)j * p->f + k];
      if (!begin_term(factor, &is_first)) continue;
      zw_printf(" %s''", name_of(i, j));
      if (j == k)
        zw_printf("^2");
      else
        zw_printf(" %s''", name_of(i, k));
    }
  }
  for (int32_t j = 0; j < p->f; j++) {
    if (begin_term(p->S1[j], &is_first)) zw_printf(" %s''", name_of(i, j));
  }
  if (!begin_term(p->S0, &is_first) && is_first) zw_printf(" 0");
  zw_printf("\n");
}

static void show_displacement(const Show* s, Names e) {
  const ZwPartitionDetail* p = &s->d->partition;
  if (!p->nu_i) return;
  zw_printf("  virtual displacement nu_e = -R nu_i:");
  for (int32_t j = 0; j < p->r; j++) zw_printf(" %s %.6g", name_of(e, j), p->nu_e[j] + 0.0);
  zw_printf("; its work nu_i^T P = %.10g\n", p->work + 0.0);
}

static void show_partition(const Show* s) {
  const ZwPartitionDetail* p = &s->d->partition;
  if (!p->e) return;
  Names e = {s->q.all, p->e}, i = {s->q.all, p->i};
  zw_printf("\n");
  print_in_letters(s, "The explicit Gibbs-Appell equations K ai = right, eliminating");
  for (int32_t j = 0; j < p->r; j++) zw_printf("%s %s", j ? "," : "", name_of(e, j));
  zw_printf("%s\n", p->r ? "" : " nothing");
  show_matrix(s, "Ae", "", s->d->m, p->r, p->Ae, s->rows, e);
  show_matrix(s, "Ai", "", s->d->m, p->f, p->Ai, s->rows, i);
  show_matrix(s, "R", "Ae^+ Ai", p->r, p->f, p->R, e, i);
  show_matrix(s, "K", "Mii + R^T Mee R - Mie R - R^T Mei", p->f, p->f, p->K, i, i);
  show_vector(s, "P", "hi - R^T he", p->f, p->P, i);
  show_vector(s, "right", "P + (R^T Mee - Mie) Ae^+ b", p->f, p->right, i);
  show_vector(s, "c", "Ae^+ b", p->r, p->c, e);
  show_polynomial(s, i);
  if (p->f > 0) {
    bool is_minimum = p->K_eigenvalues[0] > 0;
    show_number(s, "least eigenvalue of K", p->K_eigenvalues[0],
                is_minimum ? "positive: a minimum" : "not positive: a stationary point, no minimum");
  }
  show_number(s, "det Ae^T Ae", p->det, "");
  if (p->is_uncoupled) {
    print_in_letters(s, "  Mei = 0");
    zw_printf(": equation (37) of UK98 is (18)\n");
  }
  show_displacement(s, e);
}

/* What y_k is made of: its own coefficient of d, and the later ones. */
static void show_feedback(const Show* s, const ZwBellmanDetail* b, Names order) {
  int32_t n = s->d->n;
  int width = width_of(order, n);
  title(s, "feedback", "y_k = (..) - sum of these times later y, counted in this order of the coordinates");
  for (int32_t k = 0; k < n; k++) {
    zw_printf("    %-*.*s y_%d = (..)", width, width, name_of(order, k), (int)k + 1);
    for (int32_t j = k + 1 > b->r ? k + 1 : b->r; j < n; j++) {
      double factor = -b->feedback[(ptrdiff_t)k * n + j];
      zw_printf(" %s %.6g y_%d", factor < 0 ? "-" : "+", fabs(factor), (int)j + 1);
    }
    zw_printf("\n");
  }
}

static void show_columns(const Show* s, const ZwBellmanDetail* b, Names order) {
  int32_t n = s->d->n, m = s->d->m;
  for (int32_t k = b->r; k <= n; k++) {
    char name[32];
    const char* last = k > 0 ? name_of(order, k - 1) : "no column";
    zw_snprintf(name, sizeof name, "R_%d", (int)k);
    show_matrix(s, name,
                k > b->r ? last
                : k > 0  ? "the first columns"
                         : "",
                m, m, b->R + (ptrdiff_t)(k - b->r) * m * m, s->rows, s->rows);
    zw_snprintf(name, sizeof name, "g_%d", (int)k);
    show_number(s, name, b->g[k - b->r], "at d");
    if (k == b->r) continue;
    ptrdiff_t at = k - b->r - 1;
    zw_snprintf(name, sizeof name, "beta_%d", (int)k);
    show_vector(s, name, "", m, b->beta + at * m, s->rows);
    zw_snprintf(name, sizeof name, "kappa_%d", (int)k);
    show_vector(s, name, "", m, b->kappa + at * m, s->rows);
    zw_printf("  releasing %s is worth %.10g of 2 G; y_%d off by 0.01 sqrt(g_%d) and more costs at least %.3g more\n",
              last, b->gdrop[at], (int)k, (int)k, b->excess[at]);
  }
}

static void show_bellman(const Show* s) {
  const ZwBellmanDetail* b = &s->d->bellman;
  if (!b->order) {
    heading(s, s->d->is_indefinite ? "The Bellman-Gauss recursion needs a root of M, and M is indefinite"
                                   : "The Bellman-Gauss recursion needs a root of M, and M is singular");
    return;
  }
  Names order = {s->q.all, b->order};
  heading(s, "The Bellman-Gauss recursion on C y = d, C = A M^(-1/2), with the symmetric root");
  show_matrix(s, "C", "", s->d->m, s->d->n, b->C, s->rows, order);
  show_columns(s, b, order);
  show_vector(s, "y", "M^(1/2) (a - a0)", s->d->n, b->y, order);
  show_feedback(s, b, order);
  heading(s, "The chain by the Cholesky root M = L L^T, y = L^T (a - a0), where y_k holds later accelerations only");
  show_vector(s, "y", "", s->d->n, s->d->chain.y, order);
  show_feedback(s, &s->d->chain, order);
}

static void show_gibbs(const Show* s) {
  heading(s, "The Gibbs function G_L(a) = 1/2 (a - X_L)^T M (a - X_L)");
  show_vector(s, "X_L", "the motion without forces", s->d->n, s->frame->X_L, s->q);
  show_number(s, "constant", s->frame->constant, "1/2 X_L^T M X_L");
  show_number(s, "G_L", s->frame->G_L, "at the motion");
  if (s->d->possible.a) show_number(s, "G_L(a~)", s->frame->G_L_possible, "");
}

static void show_inverses(const Show* s) {
  const ZwLeastDetail* d = s->d;
  heading(s, "Projectors and gains");
  show_matrix(s, "X", "on the null space of A along M", d->n, d->n, d->X, s->q, s->q);
  show_matrix(s, "W", "1 - A A^+: all multipliers are lambda + W w", d->m, d->m, d->W, s->rows, s->rows);
  show_matrix(s, "gain", d->is_definite ? "M^(-1/2) C^+" : "(1 - X) A^+", d->n, d->m, d->gain, s->q, s->rows);
}

static void show_parts(const Show* s) {
  int32_t parts = s->ask->show;
  if (parts & SHOW_DATA) show_data(s);
  if (parts & SHOW_FORCES) show_forces(s);
  show_possible(s);
  if (parts & SHOW_PARTITION) show_partition(s);
  if (parts & SHOW_BELLMAN) show_bellman(s);
  if ((parts & SHOW_GIBBS) && s->frame) show_gibbs(s);
  if (parts & SHOW_INVERSES) show_inverses(s);
}

bool shows_matrices(const Ask* ask) {
  return (ask->show & (SHOW_DATA | SHOW_INVERSES)) || ask->possible;
}

void show_detail(const Ask* ask, bool is_full, const ZwLeastDetail* detail, const char* const* coordinates,
                 const char* const* rows) {
  Show s = {.ask = ask, .is_full = is_full, .d = detail, .q = {coordinates, NULL}, .rows = {rows, NULL}};
  show_parts(&s);
}

void show_multipliers(const Ask* ask, int32_t m, const double* lambda, const char* const* rows) {
  Show s = {.ask = ask};
  heading(&s, "Multipliers by the inverse that is stated");
  show_vector(&s, "lambda", "inverse1 d", m, lambda, (Names){rows, NULL});
}

void show_frame(const ZwModel* model, const Ask* ask, bool is_full, const ZwFrameReport* frame) {
  const char** coordinates = calloc((size_t)frame->n + 1, sizeof *coordinates);
  if (!coordinates) return;
  for (int32_t i = 0; i < frame->n; i++) coordinates[i] = zw_model_column(model, 1 + i);
  Show s = {ask, is_full, frame, frame->detail, {coordinates, NULL}, {frame->rows, NULL}};
  zw_printf("\nt = %.9g\n", frame->t);
  show_parts(&s);
  free(coordinates);
}
