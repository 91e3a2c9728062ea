#include "cli/formula.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "least/dense.h"
#include "least/svd.h"

enum { DEPTH_MOST = 60, ARGUMENTS_MOST = 8 };
/* Singular values below this part of the largest are zeros in a pseudo-inverse. */
#define TOL_PINV 1e-11

typedef struct Reader {
  Formulas* to;
  const char *at, *end;
  int32_t depth;
} Reader;

static bool read_sum(Reader* r, Matrix* value, bool is_outer);

static bool fail(Reader* r, const char* format, const char* what) {
  if (!*r->to->reason) r->to->reason = zw_format(r->to->arena, format, what);
  if (!r->to->reason) r->to->reason = "out of memory";
  return false;
}

/* ---- matrices ---- */

static double* room(Reader* r, int32_t rows, int32_t columns, Matrix* value) {
  double* at = ZW_NEW(r->to->arena, (ptrdiff_t)rows * columns + 1, double);
  *value = (Matrix){rows, columns, at};
  if (!at) fail(r, "%s", "out of memory");
  return at;
}

static bool number(Reader* r, double x, Matrix* value) {
  double* at = room(r, 1, 1, value);
  if (at) *at = x;
  return at != NULL;
}

static bool is_scalar(const Matrix* x) {
  return x->rows == 1 && x->columns == 1;
}

static bool transpose(Reader* r, Matrix x, Matrix* value) {
  double* at = room(r, x.columns, x.rows, value);
  for (int32_t i = 0; at && i < x.rows; i++) {
    for (int32_t j = 0; j < x.columns; j++) at[j * x.rows + i] = x.at[i * x.columns + j];
  }
  return at != NULL;
}

static bool add(Reader* r, Matrix x, Matrix y, double sign, Matrix* value) {
  if (x.rows != y.rows || x.columns != y.columns) {
    char sizes[80];
    zw_snprintf(sizes, sizeof sizes, "%d x %d and %d x %d", (int)x.rows, (int)x.columns, (int)y.rows, (int)y.columns);
    return fail(r, "a sum of %s", sizes);
  }
  double* at = room(r, x.rows, x.columns, value);
  for (int32_t i = 0; at && i < x.rows * x.columns; i++) at[i] = x.at[i] + sign * y.at[i];
  return at != NULL;
}

static bool scale(Reader* r, double factor, Matrix x, Matrix* value) {
  double* at = room(r, x.rows, x.columns, value);
  for (int32_t i = 0; at && i < x.rows * x.columns; i++) at[i] = factor * x.at[i];
  return at != NULL;
}

static bool multiply(Reader* r, Matrix x, Matrix y, Matrix* value) {
  if (is_scalar(&x)) return scale(r, x.at[0], y, value);
  if (is_scalar(&y)) return scale(r, y.at[0], x, value);
  if (x.columns != y.rows) {
    char sizes[80];
    zw_snprintf(sizes, sizeof sizes, "%d x %d and %d x %d", (int)x.rows, (int)x.columns, (int)y.rows, (int)y.columns);
    return fail(r, "a product of %s", sizes);
  }
  double* at = room(r, x.rows, y.columns, value);
  for (int32_t i = 0; at && i < x.rows; i++) {
    for (int32_t k = 0; k < x.columns; k++) {
      zw_axpy(y.columns, x.at[i * x.columns + k], y.at + (ptrdiff_t)k * y.columns, at + (ptrdiff_t)i * y.columns);
    }
  }
  return at != NULL;
}

static bool divide(Reader* r, Matrix x, Matrix y, Matrix* value) {
  if (!is_scalar(&y)) return fail(r, "%s", "a quotient by a matrix: write inv(..)");
  double* at = room(r, x.rows, x.columns, value);
  for (int32_t i = 0; at && i < x.rows * x.columns; i++) at[i] = x.at[i] / y.at[0];
  return at != NULL;
}

/* ---- functions of matrices ---- */

static bool pseudo_inverse(Reader* r, Matrix x, Matrix* value) {
  int32_t m = x.rows, n = x.columns, k = m < n ? m : n;
  double* at = room(r, n, m, value);
  double* sigma = ZW_NEW(r->to->arena, k + 1, double);
  double* Ut = ZW_NEW(r->to->arena, (ptrdiff_t)k * m + 1, double);
  double* Vt = ZW_NEW(r->to->arena, (ptrdiff_t)k * n + 1, double);
  if (!at || !sigma || !Ut || !Vt) return fail(r, "%s", "out of memory");
  if (zw_svd(m, n, x.at, sigma, Ut, Vt)) return fail(r, "%s", "a number that is not finite");
  for (int32_t s = 0; s < k && sigma[s] > TOL_PINV * sigma[0]; s++) {
    for (int32_t i = 0; i < n; i++) zw_axpy(m, Vt[s * n + i] / sigma[s], Ut + (ptrdiff_t)s * m, at + (ptrdiff_t)i * m);
  }
  return true;
}

static bool inverse(Reader* r, Matrix x, Matrix* value) {
  if (x.rows != x.columns) return fail(r, "%s", "the inverse of a matrix that is not square");
  if (!pseudo_inverse(r, x, value)) return false;
  Matrix one;
  if (!multiply(r, x, *value, &one)) return false;
  for (int32_t i = 0; i < x.rows; i++) {
    if (!(fabs(one.at[i * x.rows + i] - 1) < 1e-6)) return fail(r, "%s", "the inverse of a singular matrix");
  }
  return true;
}

/* Eigenvalues (ascending) and, by rows, vectors of a symmetric matrix: singular values, with the sign that tells left from right vectors. */
static bool decompose(Reader* r, Matrix x, double** values, double** vectors) {
  int32_t n = x.rows;
  if (n != x.columns) return fail(r, "%s", "eigenvalues of a matrix that is not square");
  *values = ZW_NEW(r->to->arena, n + 1, double);
  *vectors = ZW_NEW(r->to->arena, (ptrdiff_t)n * n + 1, double);
  double* sigma = ZW_NEW(r->to->arena, n + 1, double);
  double* Ut = ZW_NEW(r->to->arena, (ptrdiff_t)n * n + 1, double);
  double* Vt = ZW_NEW(r->to->arena, (ptrdiff_t)n * n + 1, double);
  if (!*values || !*vectors || !sigma || !Ut || !Vt) return fail(r, "%s", "out of memory");
  if (zw_svd(n, n, x.at, sigma, Ut, Vt)) return fail(r, "%s", "a number that is not finite");
  for (int32_t s = 0; s < n; s++) {
    const double *u = Ut + (ptrdiff_t)s * n, *v = Vt + (ptrdiff_t)s * n;
    int32_t place = n - 1 - s;
    (*values)[place] = zw_dot(n, u, v) < 0 ? -sigma[s] : sigma[s];
    zw_copy(n, v, *vectors + (ptrdiff_t)place * n);
  }
  return true;
}

static bool square_root(Reader* r, Matrix x, Matrix* value) {
  double *values, *vectors;
  int32_t n = x.rows;
  if (!decompose(r, x, &values, &vectors)) return false;
  double* at = room(r, n, n, value);
  for (int32_t s = 0; at && s < n; s++) {
    if (!(values[s] > 0)) return fail(r, "%s", "the root of a matrix that is not positive");
    const double* vector = vectors + (ptrdiff_t)s * n;
    for (int32_t i = 0; i < n; i++) zw_axpy(n, sqrt(values[s]) * vector[i], vector, at + (ptrdiff_t)i * n);
  }
  return at != NULL;
}

static bool eigenvalues(Reader* r, Matrix x, Matrix* value) {
  double *values, *vectors;
  if (!decompose(r, x, &values, &vectors)) return false;
  *value = (Matrix){x.rows, 1, values};
  return true;
}

static double determinant(const Matrix* x, double* copy) {
  int32_t n = x->rows;
  double det = 1;
  zw_copy((ptrdiff_t)n * n, x->at, copy);
  for (int32_t p = 0; p < n; p++) {
    int32_t best = p;
    for (int32_t i = p; i < n; i++) best = fabs(copy[i * n + p]) > fabs(copy[best * n + p]) ? i : best;
    if (copy[best * n + p] == 0) return 0;
    if (best != p) zw_swap_vectors(n, copy + (ptrdiff_t)p * n, copy + (ptrdiff_t)best * n);
    det *= (best == p ? 1 : -1) * copy[p * n + p];
    for (int32_t i = p + 1; i < n; i++)
      zw_axpy(n, -copy[i * n + p] / copy[p * n + p], copy + (ptrdiff_t)p * n, copy + (ptrdiff_t)i * n);
  }
  return det;
}

/* ---- calls ---- */

typedef enum Kind {
  OF_NUMBER,
  TRANSPOSED,
  INVERSE,
  PSEUDO_INVERSE,
  ROOT,
  EIGEN,
  DET,
  DOT,
  NORM,
  EYE,
  ZEROS,
  LARGEST,
  LEAST,
  ARC2
} Kind;

static const struct Function {
  const char* name;
  Kind kind;
  int32_t arguments;
  double (*of)(double);
} functions[] = {
    {"tr", TRANSPOSED, 1, NULL},  {"inv", INVERSE, 1, NULL},   {"pinv", PSEUDO_INVERSE, 1, NULL},
    {"root", ROOT, 1, NULL},      {"eigen", EIGEN, 1, NULL},   {"det", DET, 1, NULL},
    {"dot", DOT, 2, NULL},        {"norm", NORM, 1, NULL},     {"eye", EYE, 1, NULL},
    {"zeros", ZEROS, 2, NULL},    {"max", LARGEST, 1, NULL},   {"min", LEAST, 1, NULL},
    {"atan2", ARC2, 2, NULL},     {"sin", OF_NUMBER, 1, sin},  {"cos", OF_NUMBER, 1, cos},
    {"tan", OF_NUMBER, 1, tan},   {"exp", OF_NUMBER, 1, exp},  {"log", OF_NUMBER, 1, log},
    {"sqrt", OF_NUMBER, 1, sqrt}, {"abs", OF_NUMBER, 1, fabs},
};

static const struct Function* find_function(ZwStr name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (zw_str_equal(name, zw_str_from(functions[i].name))) return &functions[i];
  }
  return NULL;
}

static bool all_scalars(Reader* r, const Matrix* x, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (!is_scalar(&x[i])) return fail(r, "%s", "a matrix where a number belongs");
  }
  return true;
}

static bool call_of_sizes(Reader* r, Kind kind, const Matrix* x, Matrix* value) {
  if (!all_scalars(r, x, kind == ZEROS ? 2 : 1)) return false;
  int32_t rows = (int32_t)x[0].at[0], columns = kind == ZEROS ? (int32_t)x[1].at[0] : rows;
  if (rows < 0 || columns < 0 || rows > 1000 || columns > 1000) return fail(r, "%s", "a size that is none");
  double* at = room(r, rows, columns, value);
  for (int32_t i = 0; at && kind == EYE && i < rows; i++) at[i * rows + i] = 1;
  return at != NULL;
}

static bool call(Reader* r, const struct Function* f, const Matrix* x, Matrix* value) {
  int32_t count = x[0].rows * x[0].columns;
  double extreme = count > 0 ? x[0].at[0] : 0;
  switch (f->kind) {
    case OF_NUMBER:
      return all_scalars(r, x, 1) && number(r, f->of(x[0].at[0]), value);
    case ARC2:
      return all_scalars(r, x, 2) && number(r, atan2(x[0].at[0], x[1].at[0]), value);
    case TRANSPOSED:
      return transpose(r, x[0], value);
    case INVERSE:
      return inverse(r, x[0], value);
    case PSEUDO_INVERSE:
      return pseudo_inverse(r, x[0], value);
    case ROOT:
      return square_root(r, x[0], value);
    case EIGEN:
      return eigenvalues(r, x[0], value);
    case DET: {
      if (x[0].rows != x[0].columns) return fail(r, "%s", "the determinant of a matrix that is not square");
      double* copy = ZW_NEW(r->to->arena, count + 1, double);
      return copy ? number(r, determinant(&x[0], copy), value) : fail(r, "%s", "out of memory");
    }
    case DOT:
      if (count != x[1].rows * x[1].columns) return fail(r, "%s", "a dot product of different lengths");
      return number(r, zw_dot(count, x[0].at, x[1].at), value);
    case NORM:
      return number(r, zw_norm(count, x[0].at), value);
    case EYE:
    case ZEROS:
      return call_of_sizes(r, f->kind, x, value);
    case LARGEST:
    case LEAST:
      for (int32_t i = 0; i < count; i++)
        extreme = f->kind == LARGEST ? fmax(extreme, x[0].at[i]) : fmin(extreme, x[0].at[i]);
      return number(r, extreme, value);
  }
  return false;
}

/* ---- reading ---- */

static void skip_blanks(Reader* r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n')) r->at++;
}

static bool takes(Reader* r, char c) {
  skip_blanks(r);
  if (r->at >= r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool expect(Reader* r, char c) {
  char text[] = {c, 0};
  return takes(r, c) || fail(r, "'%s' is missing", text);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* x, R_2, x'', P.x */
static ZwStr take_name(Reader* r) {
  const char* begin = r->at;
  while (r->at < r->end && (is_letter(*r->at) || is_digit(*r->at) || *r->at == '.')) r->at++;
  while (r->at < r->end && *r->at == '\'') r->at++;
  return (ZwStr){begin, (int32_t)(r->at - begin)};
}

static bool read_call(Reader* r, ZwStr name, Matrix* value) {
  const struct Function* f = find_function(name);
  Matrix x[2];
  int32_t count = 0;
  if (!f) return fail(r, "there is no function '%s'", zw_str_copy(r->to->arena, name));
  do {
    if (count == 2 || !read_sum(r, &x[count], false)) return fail(r, "%s", "too many arguments");
    count++;
  } while (takes(r, ','));
  if (!expect(r, ')')) return false;
  if (count != f->arguments) return fail(r, "'%s' takes another number of arguments", f->name);
  return call(r, f, x, value);
}

/* [1, 2; 3, 4]; an entry may be a matrix only if it is the only one in its row: [x; y] stacks columns */
static bool read_matrix(Reader* r, Matrix* value) {
  double numbers[400];
  int32_t rows = 0, columns = 0, count = 0;
  do {
    int32_t in_row = 0;
    do {
      Matrix entry;
      if (!read_sum(r, &entry, false)) return false;
      if (!is_scalar(&entry)) return fail(r, "%s", "a matrix inside of brackets");
      if (count == 400) return fail(r, "%s", "a matrix of more than 400 numbers");
      numbers[count++] = entry.at[0];
      in_row++;
    } while (takes(r, ','));
    if (rows > 0 && in_row != columns) return fail(r, "%s", "rows of different lengths");
    columns = in_row;
    rows++;
  } while (takes(r, ';'));
  if (!expect(r, ']')) return false;
  /* one row is a vector: a column */
  bool is_vector = rows == 1;
  double* at = is_vector ? room(r, columns, 1, value) : room(r, rows, columns, value);
  if (at) zw_copy(count, numbers, at);
  return at != NULL;
}

static bool read_thing(Reader* r, Matrix* value) {
  skip_blanks(r);
  if (r->at >= r->end) return fail(r, "%s", "the formula ends too early");
  if (takes(r, '(')) return read_sum(r, value, false) && expect(r, ')');
  if (takes(r, '[')) return read_matrix(r, value);
  if (is_digit(*r->at) || *r->at == '.') {
    const char* begin = r->at;
    while (r->at < r->end && (is_digit(*r->at) || *r->at == '.' || *r->at == 'e' ||
                              ((*r->at == '-' || *r->at == '+') && r->at[-1] == 'e')))
      r->at++;
    return number(r, zw_number_read(begin, r->at - begin).value, value);
  }
  if (!is_letter(*r->at)) return fail(r, "'%s' is not understood", zw_format(r->to->arena, "%c", *r->at));
  ZwStr name = take_name(r);
  if (takes(r, '(')) return read_call(r, name, value);
  return r->to->find(r->to->context, name, value) || fail(r, "'%s' is unknown", zw_str_copy(r->to->arena, name));
}

/* x^2, A^T */
static bool read_power(Reader* r, Matrix* value) {
  if (!read_thing(r, value)) return false;
  while (takes(r, '^')) {
    skip_blanks(r);
    if (r->at < r->end && *r->at == 'T') {
      r->at++;
      if (!transpose(r, *value, value)) return false;
      continue;
    }
    Matrix power;
    bool is_negative = takes(r, '-');
    if (!read_thing(r, &power)) return false;
    if (!is_scalar(value) || !is_scalar(&power)) return fail(r, "%s", "a power of a matrix: write inv, root or pinv");
    if (!number(r, pow(value->at[0], is_negative ? -power.at[0] : power.at[0]), value)) return false;
  }
  return true;
}

static bool read_signed(Reader* r, Matrix* value) {
  if (!takes(r, '-')) return read_power(r, value);
  return read_signed(r, value) && scale(r, -1, *value, value);
}

static bool read_product(Reader* r, Matrix* value) {
  if (!read_signed(r, value)) return false;
  for (;;) {
    Matrix other;
    if (takes(r, '*')) {
      if (!read_signed(r, &other) || !multiply(r, *value, other, value)) return false;
    } else if (takes(r, '/')) {
      if (!read_signed(r, &other) || !divide(r, *value, other, value)) return false;
    } else {
      return true;
    }
  }
}

static void note_term(Reader* r, const Matrix* x) {
  r->to->term = fmax(r->to->term, zw_max_abs((ptrdiff_t)x->rows * x->columns, x->at));
}

static bool read_sum(Reader* r, Matrix* value, bool is_outer) {
  if (++r->depth > DEPTH_MOST) return fail(r, "%s", "too many brackets");
  if (!read_product(r, value)) return false;
  if (is_outer) note_term(r, value);
  for (;;) {
    Matrix other;
    double sign = takes(r, '+') ? 1 : takes(r, '-') ? -1 : 0;
    if (sign == 0) break;
    if (!read_product(r, &other)) return false;
    if (is_outer) note_term(r, &other);
    if (!add(r, *value, other, sign, value)) return false;
  }
  r->depth--;
  return true;
}

bool formula_value(Formulas* formulas, ZwStr text, Matrix* value) {
  Reader r = {formulas, text.data, text.data + text.size, 0};
  formulas->reason = "";
  formulas->term = 0;
  if (!read_sum(&r, value, true)) return false;
  skip_blanks(&r);
  return r.at == r.end ||
         fail(&r, "'%s' is left over", zw_str_copy(formulas->arena, (ZwStr){r.at, (int32_t)(r.end - r.at)}));
}
