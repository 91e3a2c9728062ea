/* Quantities of the five papers at an instant, named as in docs/papers.md. */
#include <math.h>

#include "base/print.h"
#include "cli/compare.h"

typedef struct Writer {
  ZwJson* json;
  bool is_full;
} Writer;

static double norm_of(ptrdiff_t count, const double* values) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < count; i++) sum += values[i] * values[i];
  return sqrt(sum);
}

static void put_numbers(ZwJson* json, ptrdiff_t count, const double* values) {
  zw_json_begin_array(json);
  for (ptrdiff_t i = 0; i < count; i++) zw_json_number(json, values[i]);
  zw_json_end_array(json);
}

static void vector(const Writer* w, const char* key, ptrdiff_t count, const double* values) {
  zw_json_key(w->json, key);
  if (values)
    put_numbers(w->json, count, values);
  else
    zw_json_null(w->json);
}

static void integers(const Writer* w, const char* key, int32_t count, const int32_t* values) {
  zw_json_key(w->json, key);
  zw_json_begin_array(w->json);
  for (int32_t i = 0; i < count; i++) zw_json_integer(w->json, values[i]);
  zw_json_end_array(w->json);
}

/* One that is too wide is told by size and norm. */
static void put_matrix(const Writer* w, int32_t rows, int32_t columns, const double* values) {
  ZwJson* json = w->json;
  if (!w->is_full && (columns > WIDE || rows > WIDE)) {
    zw_json_begin_object(json);
    zw_json_key(json, "rows");
    zw_json_integer(json, rows);
    zw_json_key(json, "columns");
    zw_json_integer(json, columns);
    json_number(json, "norm", norm_of((ptrdiff_t)rows * columns, values));
    zw_json_end_object(json);
    return;
  }
  zw_json_begin_array(json);
  for (int32_t i = 0; i < rows; i++) put_numbers(json, columns, values + (ptrdiff_t)i * columns);
  zw_json_end_array(json);
}

static void matrix(const Writer* w, const char* key, int32_t rows, int32_t columns, const double* values) {
  zw_json_key(w->json, key);
  if (values)
    put_matrix(w, rows, columns, values);
  else
    zw_json_null(w->json);
}

/* ---- the problem and its answer (T24, T25) ---- */

static void put_forces(const Writer* w, const ZwLeastDetail* d) {
  int32_t n = d->n, m = d->m;
  zw_json_key(w->json, "rank");
  zw_json_integer(w->json, d->rank);
  integers(w, "J", d->rank, d->rows);
  matrix(w, "E", m, d->rank, d->E);
  matrix(w, "M", n, n, d->M);
  vector(w, "h", n, d->h);
  matrix(w, "A", m, n, d->A);
  vector(w, "b", m, d->b);
  vector(w, "a0", n, d->a0);
  vector(w, "d", m, d->d);
  matrix(w, "D", m, m, d->D);
  vector(w, "a", n, d->a);
  vector(w, "lambda", m, d->lambda);
  vector(w, "lambda_b", m, d->lambda_b);
  vector(w, "lambda_h", m, d->lambda_h);
  vector(w, "Qc", n, d->Qc);
  vector(w, "Qc_b", n, d->Qc_b);
  vector(w, "Qc_h", n, d->Qc_h);
  vector(w, "a_b", n, d->a_b);
  vector(w, "a_h", n, d->a_h);
  matrix(w, "X", n, n, d->X);
  matrix(w, "W", m, m, d->W);
  matrix(w, "gain", n, m, d->gain);
  json_number(w->json, "G", d->G);
}

/* ---- partition (T27) ---- */

static void put_displacement(const Writer* w, const ZwPartitionDetail* p) {
  zw_json_key(w->json, "displacement");
  zw_json_begin_object(w->json);
  vector(w, "nu_i", p->f, p->nu_i);
  vector(w, "nu_e", p->r, p->nu_e);
  json_number(w->json, "work", p->work);
  zw_json_end_object(w->json);
}

static void put_partition(const Writer* w, const ZwLeastDetail* d) {
  const ZwPartitionDetail* p = &d->partition;
  int32_t r = p->r, f = p->f;
  zw_json_key(w->json, "partition");
  zw_json_begin_object(w->json);
  integers(w, "e", r, p->e);
  integers(w, "i", f, p->i);
  matrix(w, "Ae", d->m, r, p->Ae);
  matrix(w, "Ai", d->m, f, p->Ai);
  matrix(w, "R", r, f, p->R);
  matrix(w, "K", f, f, p->K);
  vector(w, "P", f, p->P);
  vector(w, "right", f, p->right);
  vector(w, "c", r, p->c);
  vector(w, "S1", f, p->S1);
  json_number(w->json, "S0", p->S0);
  vector(w, "K_eigenvalues", f, p->K_eigenvalues);
  json_number(w->json, "det", p->det);
  zw_json_key(w->json, "uncoupled");
  zw_json_bool(w->json, p->is_uncoupled);
  if (p->nu_i) put_displacement(w, p);
  zw_json_end_object(w->json);
}

/* ---- Bellman (T28) ---- */

static void key_of(const Writer* w, int32_t k) {
  char text[16];
  zw_snprintf(text, sizeof text, "%d", (int)k);
  zw_json_key(w->json, text);
}

/* Vectors of `size` numbers for k = from .. n */
static void put_by_column(const Writer* w, const char* key, int32_t from, int32_t n, int32_t size,
                          const double* values) {
  zw_json_key(w->json, key);
  zw_json_begin_object(w->json);
  for (int32_t k = from; k <= n; k++) {
    key_of(w, k);
    if (size < 0)
      zw_json_number(w->json, values[k - from]);
    else
      put_numbers(w->json, size, values + (ptrdiff_t)(k - from) * size);
  }
  zw_json_end_object(w->json);
}

static void put_R(const Writer* w, const ZwLeastDetail* d, const ZwBellmanDetail* b) {
  ptrdiff_t square = (ptrdiff_t)d->m * d->m;
  bool is_wide = (double)square * (d->n - b->r + 1) > NUMBERS_WIDE;
  zw_json_key(w->json, "R");
  zw_json_begin_object(w->json);
  for (int32_t k = b->r; k <= d->n; k++) {
    const double* R = b->R + (k - b->r) * square;
    key_of(w, k);
    if (is_wide && !w->is_full) {
      zw_json_begin_object(w->json);
      json_number(w->json, "norm", norm_of(square, R));
      zw_json_end_object(w->json);
    } else
      put_matrix(w, d->m, d->m, R);
  }
  zw_json_end_object(w->json);
}

/* What y_k takes of the later ones; of the first r as rows of a matrix. */
static void put_feedback(const Writer* w, int32_t n, const ZwBellmanDetail* b) {
  zw_json_key(w->json, "feedback");
  zw_json_begin_object(w->json);
  for (int32_t k = b->r; k < n; k++) {
    key_of(w, k + 1);
    put_numbers(w->json, n - k - 1, b->feedback + (ptrdiff_t)k * n + k + 1);
  }
  zw_json_end_object(w->json);
  zw_json_key(w->json, "feedback_first");
  zw_json_begin_array(w->json);
  for (int32_t k = 0; k < b->r; k++) put_numbers(w->json, n - b->r, b->feedback + (ptrdiff_t)k * n + b->r);
  zw_json_end_array(w->json);
}

static void put_recursion(const Writer* w, const ZwLeastDetail* d, const ZwBellmanDetail* b) {
  int32_t n = d->n, m = d->m, r = b->r;
  integers(w, "order", n, b->order);
  matrix(w, "C", m, n, b->C);
  put_R(w, d, b);
  put_by_column(w, "beta", r + 1, n, m, b->beta);
  put_by_column(w, "kappa", r + 1, n, m, b->kappa);
  put_by_column(w, "g", r, n, -1, b->g);
  put_by_column(w, "gdrop", r + 1, n, -1, b->gdrop);
  put_feedback(w, n, b);
  put_by_column(w, "d", r, n, m, b->d);
  vector(w, "y", n, b->y);
  put_by_column(w, "excess", r + 1, n, -1, b->excess);
}

static void put_bellman(const Writer* w, const ZwLeastDetail* d) {
  zw_json_key(w->json, "bellman");
  zw_json_begin_object(w->json);
  put_recursion(w, d, &d->bellman);
  zw_json_key(w->json, "cholesky");
  zw_json_begin_object(w->json);
  put_recursion(w, d, &d->chain);
  zw_json_end_object(w->json);
  zw_json_end_object(w->json);
}

/* ---- possible accelerations (T26), Gibbs (T29) ---- */

static void put_possible(const Writer* w, const ZwLeastDetail* d, double G_L) {
  const ZwPossibleDetail* p = &d->possible;
  zw_json_key(w->json, "possible");
  zw_json_begin_object(w->json);
  vector(w, "a", d->n, p->a);
  vector(w, "residual", d->m, p->residual);
  json_number(w->json, "G", p->G);
  json_number(w->json, "excess", p->excess);
  json_number(w->json, "distance2", p->distance2);
  json_number(w->json, "work", p->work);
  vector(w, "nearest", d->n, p->nearest);
  json_number(w->json, "G_nearest", p->G_nearest);
  json_number(w->json, "S", p->S);
  if (!isnan(G_L)) json_number(w->json, "G_L", G_L);
  zw_json_key(w->json, "completed");
  zw_json_bool(w->json, p->is_completed);
  zw_json_end_object(w->json);
}

static void put_gibbs(const Writer* w, const ZwFrameReport* frame) {
  zw_json_key(w->json, "gibbs");
  zw_json_begin_object(w->json);
  vector(w, "X_L", frame->n, frame->X_L);
  json_number(w->json, "constant", frame->constant);
  json_number(w->json, "G_L", frame->G_L);
  json_number(w->json, "G_L_at_a", frame->G_L);
  vector(w, "Q", frame->n, frame->Q);
  zw_json_end_object(w->json);
}

static void put_frame(const Writer* w, const ZwFrameReport* frame) {
  ZwJson* json = w->json;
  json_number(json, "t", frame->t);
  zw_json_key(json, "quasi");
  zw_json_string(json, frame->is_stated ? "stated" : "carried");
  vector(w, "nu", frame->f, frame->nu);
  vector(w, "nu_rate", frame->f, frame->nu_rate);
  matrix(w, "B", frame->n, frame->f, frame->B);
  vector(w, "r", frame->n, frame->r);
  vector(w, "c", frame->n, frame->c);
  matrix(w, "K", frame->f, frame->f, frame->K);
  vector(w, "p", frame->f, frame->p);
  vector(w, "P", frame->f, frame->P);
  json_number(json, "S", frame->S);
}

void json_detail(ZwJson* json, bool is_full, const ZwLeastDetail* d) {
  Writer w = {json, is_full};
  put_forces(&w, d);
  if (d->partition.e) put_partition(&w, d);
  if (d->bellman.order) put_bellman(&w, d);
  if (d->possible.a) put_possible(&w, d, NAN);
}

void json_frame(ZwJson* json, bool is_full, const ZwFrameReport* frame) {
  Writer w = {json, is_full};
  const ZwLeastDetail* d = frame->detail;
  put_frame(&w, frame);
  json_number(json, "G_L_constant_part", frame->G_L_constant_part);
  json_number(json, "kinetic", frame->kinetic);
  zw_json_key(json, "rows");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < d->m; i++) zw_json_string(json, frame->rows[i]);
  zw_json_end_array(json);
  put_forces(&w, d);
  put_gibbs(&w, frame);
  if (d->partition.e) put_partition(&w, d);
  if (d->bellman.order) put_bellman(&w, d);
  if (d->possible.a) put_possible(&w, d, frame->G_L_possible);
}
