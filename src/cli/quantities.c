#include "cli/quantities.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "least/dense.h"

/* ---- from a frame ---- */

typedef struct Entry {
  const char* name;
  int32_t rows, columns;
  const double* at;
} Entry;

static bool is_called(ZwStr name, const char* text) {
  return zw_str_equal(name, zw_str_from(text));
}

static bool look_up(const Entry* entries, size_t count, ZwStr name, Matrix* value) {
  for (size_t i = 0; i < count; i++) {
    if (!entries[i].at || !is_called(name, entries[i].name)) continue;
    *value = (Matrix){entries[i].rows, entries[i].columns, entries[i].at, NULL};
    return true;
  }
  return false;
}

static bool find_whole(const Quantities* q, ZwStr name, Matrix* value) {
  const ZwFrameReport* f = q->frame;
  const ZwLeastDetail* d = f->detail;
  const ZwPartitionDetail* p = &d->partition;
  const ZwPossibleDetail* s = &d->possible;
  int32_t n = d->n, m = d->m, r = p->r, g = p->f, free = f->f;
  const Entry entries[] = {
      {"M", n, n, d->M},
      {"h", n, 1, d->h},
      {"A", m, n, d->A},
      {"b", m, 1, d->b},
      {"a0", n, 1, d->a0},
      {"d", m, 1, d->d},
      {"D", m, m, d->D},
      {"a", n, 1, d->a},
      {"a_b", n, 1, d->a_b},
      {"a_h", n, 1, d->a_h},
      {"Qc", n, 1, d->Qc},
      {"Qc_b", n, 1, d->Qc_b},
      {"Qc_h", n, 1, d->Qc_h},
      {"lambda", m, 1, d->lambda},
      {"lambda_b", m, 1, d->lambda_b},
      {"lambda_h", m, 1, d->lambda_h},
      {"X", n, n, d->X},
      {"W", m, m, d->W},
      {"gain", n, m, d->gain},
      {"E", m, d->rank, d->E},
      {"G", 1, 1, &d->G},
      {"S", 1, 1, &f->S},
      {"Ae", m, r, p->Ae},
      {"Ai", m, g, p->Ai},
      {"R", r, g, p->R},
      {"K", g, g, p->K},
      {"P", g, 1, p->P},
      {"right", g, 1, p->right},
      {"c", r, 1, p->c},
      {"S1", g, 1, p->S1},
      {"S0", 1, 1, p->K ? &p->S0 : NULL},
      {"K_eigenvalues", g, 1, p->K_eigenvalues},
      {"y_all", n, 1, d->bellman.y},
      {"X_L", n, 1, f->X_L},
      {"Q", n, 1, f->Q},
      {"constant", 1, 1, &f->constant},
      {"G_L", 1, 1, &f->G_L},
      {"kinetic", 1, 1, &f->kinetic},
      {"G_L_constant_part", 1, 1, &f->G_L_constant_part},
      {"nu", free, 1, f->nu},
      {"alpha", free, 1, f->nu_rate},
      {"Bq", n, free, f->B},
      {"rq", n, 1, f->r},
      {"cq", n, 1, f->c},
      {"Kq", free, free, f->K},
      {"pq", free, 1, f->p},
      {"Pq", free, 1, f->P},
      {"a_possible", n, 1, s->a},
      {"nearest", n, 1, s->nearest},
      {"residual", m, 1, s->residual},
      {"G_possible", 1, 1, s->a ? &s->G : NULL},
      {"excess", 1, 1, s->a ? &s->excess : NULL},
      {"distance2", 1, 1, s->a ? &s->distance2 : NULL},
      {"work", 1, 1, s->a ? &s->work : NULL},
      {"S_possible", 1, 1, s->a ? &s->S : NULL},
      {"G_L_possible", 1, 1, &f->G_L_possible},
  };
  return look_up(entries, sizeof entries / sizeof *entries, name, value);
}

/* R_2, beta_3, kappa_3, d_1, g_2, gdrop_3, C_2 (columns 1 and 2), col_2 (column 2), y_2: by the number of the column. */
static bool find_counted(const Quantities* q, ZwStr name, Matrix* value) {
  const ZwLeastDetail* d = q->frame->detail;
  const ZwBellmanDetail* x = &d->bellman;
  int32_t n = d->n, m = d->m, r = x->r, mark = name.size - 1;
  while (mark > 0 && name.data[mark] != '_') mark--;
  double number = 0;
  bool is_counted = x->C && mark > 0 && zw_number_fills(name.data + mark + 1, name.size - mark - 1, &number);
  int32_t k = (int32_t)number, at = k - r;
  if (!is_counted || k < 1 || k > n) return false;
  ZwStr letter = {name.data, mark};
  if (is_called(letter, "C") || is_called(letter, "col")) {
    int32_t first = is_called(letter, "C") ? 0 : k - 1;
    double* columns = ZW_NEW(q->arena, (ptrdiff_t)m * n + 1, double);
    for (int32_t i = 0; columns && i < m; i++) {
      for (int32_t j = first; j < k; j++) columns[i * (k - first) + j - first] = x->C[i * n + j];
    }
    *value = (Matrix){m, k - first, columns, NULL};
    return columns != NULL;
  }
  if (is_called(letter, "y")) {
    *value = (Matrix){1, 1, x->y + (k - 1), NULL};
    return true;
  }
  if (at < 0) return false;
  const Entry entries[] = {{"R", m, m, x->R + (ptrdiff_t)at * m * m},
                           {"d", m, 1, x->d + (ptrdiff_t)at * m},
                           {"g", 1, 1, x->g + at},
                           {"beta", m, 1, at > 0 ? x->beta + (ptrdiff_t)(at - 1) * m : NULL},
                           {"kappa", m, 1, at > 0 ? x->kappa + (ptrdiff_t)(at - 1) * m : NULL},
                           {"gdrop", 1, 1, at > 0 ? x->gdrop + (at - 1) : NULL},
                           {"excess", 1, 1, at > 0 ? x->excess + (at - 1) : NULL}};
  return look_up(entries, sizeof entries / sizeof *entries, letter, value);
}

/* C = A M^(-1/2), its columns as the coordinates are, whatever the order of the recursion. */
static bool find_scaled(const Quantities* q, ZwStr name, Matrix* value) {
  const ZwLeastDetail* d = q->frame->detail;
  int32_t n = d->n, m = d->m;
  if (!d->bellman.C || !is_called(name, "C")) return false;
  double* C = ZW_NEW(q->arena, (ptrdiff_t)m * n + 1, double);
  for (int32_t i = 0; C && i < m; i++) {
    for (int32_t k = 0; k < n; k++) C[i * n + d->bellman.order[k]] = d->bellman.C[i * n + k];
  }
  *value = (Matrix){m, n, C, NULL};
  return C != NULL;
}

/* permutation: the coordinates are this times those eliminated, then the others. */
static bool find_permutation(const Quantities* q, ZwStr name, Matrix* value) {
  const ZwPartitionDetail* p = &q->frame->detail->partition;
  int32_t n = q->frame->detail->n;
  if (!p->K || !is_called(name, "permutation")) return false;
  double* at = ZW_NEW(q->arena, (ptrdiff_t)n * n + 1, double);
  for (int32_t i = 0; at && i < n; i++) at[(i < p->r ? p->e[i] : p->i[i - p->r]) * n + i] = 1;
  *value = (Matrix){n, n, at, NULL};
  return at != NULL;
}

/* Mee, Mei, Mie, Mii, he, hi, ae, ai, a0e, a0i by the partition. */
static bool find_part(const Quantities* q, ZwStr name, Matrix* value) {
  const ZwLeastDetail* d = q->frame->detail;
  const ZwPartitionDetail* p = &d->partition;
  bool is_matrix = name.size == 3 && name.data[0] == 'M', is_free = name.size == 3 && memcmp(name.data, "a0", 2) == 0;
  bool is_vector = is_free || (name.size == 2 && (name.data[0] == 'h' || name.data[0] == 'a'));
  if (!p->K || (!is_matrix && !is_vector) || (is_free && !d->a0)) return false;
  for (int32_t i = is_free ? 2 : 1; i < name.size; i++) {
    if (name.data[i] != 'e' && name.data[i] != 'i') return false;
  }
  bool by_e = name.data[is_free ? 2 : 1] == 'e', columns_e = is_matrix && name.data[2] == 'e';
  const int32_t *rows = by_e ? p->e : p->i, *columns = columns_e ? p->e : p->i;
  int32_t row_count = by_e ? p->r : p->f, column_count = is_vector ? 1 : columns_e ? p->r : p->f;
  const double* vector = is_free ? d->a0 : name.data[0] == 'h' ? d->h : d->a;
  double* at = ZW_NEW(q->arena, (ptrdiff_t)row_count * column_count + 1, double);
  for (int32_t i = 0; at && i < row_count; i++) {
    for (int32_t j = 0; j < column_count; j++)
      at[i * column_count + j] = is_vector ? vector[rows[i]] : d->M[rows[i] * d->n + columns[j]];
  }
  *value = (Matrix){row_count, column_count, at, NULL};
  return at != NULL;
}

/* ---- from the model ---- */

static bool number(const Quantities* q, double x, Matrix* value) {
  double* at = ZW_NEW(q->arena, 1, double);
  if (at) *at = x;
  *value = (Matrix){1, 1, at, NULL};
  return at != NULL;
}

/* What the program has added up to some quantities: much larger than the sum where it cancels. Their terms are those of the formula, evaluated with what
 * the program has found. */
static const struct Sum {
  const char *name, *formula;
  bool is_even; /* its entries have one unit and are found together: each may be as wrong as the largest */
} sums[] = {
    {"d", "b - A*a0", false},
    {"a_h", "a0 - gain*A*a0", false},
    {"a", "a_b + a_h", false},
    {"Qc", "Qc_b + Qc_h", false},
    {"lambda", "lambda_b + lambda_h", false},
    {"y_all", "pinv(C)*d", true},
    {"K", "Mii + R^T*Mee*R - Mie*R - R^T*Mei", false},
    {"P", "hi - R^T*he", false},
    {"S1", "(Mie - R^T*Mee)*c", false},
    {"right", "P - S1", false},
    {"a_possible", "a0", false},
    {"nearest", "a0 + a_possible", false},
    {"residual", "A*a_possible - b", false},
    {"cq", "a - Bq*alpha", false},
    {"G_L_constant_part", "1/2*dot(cq - X_L, M*(cq - X_L))", false},
};

static void share_largest(int32_t count, double* terms) {
  double largest = zw_max_abs(count, terms);
  for (int32_t k = 0; k < count; k++) terms[k] = largest;
}

static bool find_terms(const Quantities* q, ZwStr name, Matrix* value) {
  Quantities own = *q; /* no letters of the paper */
  own.letter_count = 0;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    if (!is_called(name, sums[i].name)) continue;
    Formulas formulas = {.arena = q->arena, .find = find_quantity, .context = &own, .reason = ""};
    Matrix sum;
    int32_t count = value->rows * value->columns;
    bool is_found = formula_value(&formulas, zw_str_from(sums[i].formula), &sum) && sum.rows * sum.columns == count;
    double* terms = is_found ? ZW_NEW(q->arena, count + 1, double) : NULL; /* a0 of a singular M: it stays alone */
    for (int32_t k = 0; terms && k < count; k++) terms[k] = fmax(fabs(value->at[k]), formula_term(&sum, k));
    if (terms && sums[i].is_even) share_largest(count, terms);
    value->terms = terms;
  }
  return true;
}

/* A number of a, with its terms. */
static bool find_acceleration(const Quantities* q, int32_t i, Matrix* value) {
  Matrix a = {q->frame->n, 1, q->frame->detail->a, NULL};
  find_terms(q, ZW_STR("a"), &a);
  *value = (Matrix){1, 1, a.at + i, a.terms ? a.terms + i : NULL};
  return true;
}

static bool find_in_model(const Quantities* q, ZwStr name, Matrix* value) {
  const ZwFrameReport* f = q->frame;
  int32_t n = f->n, primes = 0;
  while (primes < name.size && name.data[name.size - 1 - primes] == '\'') primes++;
  ZwStr bare = {name.data, name.size - primes};
  if (primes == 0 && is_called(name, "t")) return number(q, f->t, value);
  if (primes == 0 && is_called(name, "pi")) return number(q, 3.14159265358979323846, value);
  if (primes == 0 && is_called(name, "n")) return number(q, n, value);
  if (primes == 0 && is_called(name, "rank")) return number(q, f->detail->rank, value);
  for (int32_t i = 0; i < n && primes <= 2; i++) {
    if (!is_called(bare, zw_model_column(q->model, 1 + i))) continue;
    if (primes == 2) return find_acceleration(q, i, value);
    return number(q, (primes == 1 ? f->v : f->q)[i], value);
  }
  for (int32_t i = 0; f->is_stated && i < f->f && primes <= 1; i++) {
    if (!is_called(bare, zw_model_column(q->model, 1 + 2 * n + i))) continue;
    return number(q, (primes == 1 ? f->nu_rate : f->nu)[i], value);
  }
  for (int32_t i = 0; primes == 0 && i < zw_run_parameter_count(q->run); i++) {
    ZwParameter parameter = zw_run_parameter(q->run, i);
    if (is_called(name, parameter.name)) return number(q, parameter.value, value);
  }
  return false;
}

/* Letters may stand for letters above them: each is read with those only. */
static bool find_letter(const Quantities* q, ZwStr name, Matrix* value) {
  for (int32_t i = q->letter_count - 1; i >= 0; i--) {
    if (!zw_str_equal(name, q->letters[i].name)) continue;
    Quantities above = *q;
    above.letter_count = i;
    Formulas formulas = {.arena = q->arena, .find = find_quantity, .context = &above, .reason = ""};
    return formula_value(&formulas, q->letters[i].formula, value);
  }
  return false;
}

bool find_quantity(void* context, ZwStr name, Matrix* value) {
  const Quantities* q = context;
  if (find_letter(q, name, value)) return true;
  if (find_whole(q, name, value)) return find_terms(q, name, value);
  return find_scaled(q, name, value) || find_permutation(q, name, value) || find_part(q, name, value) ||
         find_counted(q, name, value) || find_in_model(q, name, value);
}
