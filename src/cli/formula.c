#include "cli/formula.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "least/dense.h"
#include "least/lu.h"
#include "least/svd.h"

enum { DEPTH_MOST = 60, ARGUMENTS_MOST = 8 };
/* Singular values below this part of the largest are zeros in a pseudo-inverse, and such pivots mean that there is no inverse. */
#define TOL_PINV 1e-11

typedef struct Reader {
  Formulas* to;
  const char *at, *end;
  int32_t depth;
} Reader;

static bool read_sum(Reader* r, Matrix* value);

static bool fail(Reader* r, const char* format, const char* what) {
  if (!*r->to->reason) r->to->reason = zw_format(r->to->arena, format, what);
  if (!r->to->reason) r->to->reason = "out of memory";
  return false;
}

/* ---- matrices ---- */

double formula_term(const Matrix* x, ptrdiff_t i) {
  return x->terms ? x->terms[i] : fabs(x->at[i]);
}

static double* room(Reader* r, int32_t rows, int32_t columns, Matrix* value) {
  double* at = ZW_NEW(r->to->arena, (ptrdiff_t)rows * columns + 1, double);
  *value = (Matrix){rows, columns, at, NULL};
  if (!at) fail(r, "%s", "out of memory");
  return at;
}

/* The same with room for terms, zeros. */
static double* room_of_terms(Reader* r, int32_t rows, int32_t columns, Matrix* value, double** terms) {
  double* at = room(r, rows, columns, value);
  *terms = ZW_NEW(r->to->arena, (ptrdiff_t)rows * columns + 1, double);
  value->terms = *terms;
  if (*terms) return at;
  fail(r, "%s", "out of memory");
  return NULL;
}

/* The terms of x y: what is wrong in one is multiplied by the other. */
static double product_term(double x, double x_term, double y, double y_term) {
  return fmax(fabs(x) * y_term, x_term * fabs(y));
}

static bool number_of_terms(Reader* r, double x, double term, Matrix* value) {
  double* terms;
  double* at = room_of_terms(r, 1, 1, value, &terms);
  if (at) *at = x, *terms = fmax(fabs(x), term);
  return at != NULL;
}

static bool number(Reader* r, double x, Matrix* value) {
  return number_of_terms(r, x, 0, value);
}

static bool is_scalar(const Matrix* x) {
  return x->rows == 1 && x->columns == 1;
}

static bool transpose(Reader* r, Matrix x, Matrix* value) {
  double* terms;
  double* at = room_of_terms(r, x.columns, x.rows, value, &terms);
  for (int32_t i = 0; at && i < x.rows; i++) {
    for (int32_t j = 0; j < x.columns; j++) {
      at[j * x.rows + i] = x.at[i * x.columns + j];
      terms[j * x.rows + i] = formula_term(&x, i * x.columns + j);
    }
  }
  return at != NULL;
}

static bool add(Reader* r, Matrix x, Matrix y, double sign, Matrix* value) {
  if (x.rows != y.rows || x.columns != y.columns) {
    char sizes[80];
    zw_snprintf(sizes, sizeof sizes, "%d x %d and %d x %d", (int)x.rows, (int)x.columns, (int)y.rows, (int)y.columns);
    return fail(r, "a sum of %s", sizes);
  }
  double* terms;
  double* at = room_of_terms(r, x.rows, x.columns, value, &terms);
  for (int32_t i = 0; at && i < x.rows * x.columns; i++) {
    at[i] = x.at[i] + sign * y.at[i];
    terms[i] = fmax(formula_term(&x, i), formula_term(&y, i));
  }
  return at != NULL;
}

/* The number f times x. */
static bool scale(Reader* r, Matrix f, Matrix x, Matrix* value) {
  double* terms;
  double* at = room_of_terms(r, x.rows, x.columns, value, &terms);
  for (int32_t i = 0; at && i < x.rows * x.columns; i++) {
    at[i] = f.at[0] * x.at[i];
    terms[i] = product_term(f.at[0], formula_term(&f, 0), x.at[i], formula_term(&x, i));
  }
  return at != NULL;
}

static bool multiply(Reader* r, Matrix x, Matrix y, Matrix* value) {
  if (is_scalar(&x)) return scale(r, x, y, value);
  if (is_scalar(&y)) return scale(r, y, x, value);
  if (x.columns != y.rows) {
    char sizes[80];
    zw_snprintf(sizes, sizeof sizes, "%d x %d and %d x %d", (int)x.rows, (int)x.columns, (int)y.rows, (int)y.columns);
    return fail(r, "a product of %s", sizes);
  }
  double* terms;
  double* at = room_of_terms(r, x.rows, y.columns, value, &terms);
  for (int32_t i = 0; at && i < x.rows; i++) {
    for (int32_t k = 0; k < x.columns; k++) {
      int32_t xk = i * x.columns + k;
      zw_axpy(y.columns, x.at[xk], y.at + (ptrdiff_t)k * y.columns, at + (ptrdiff_t)i * y.columns);
      for (int32_t j = 0; j < y.columns; j++) {
        int32_t yk = k * y.columns + j, to = i * y.columns + j;
        terms[to] = fmax(terms[to], product_term(x.at[xk], formula_term(&x, xk), y.at[yk], formula_term(&y, yk)));
      }
    }
  }
  return at != NULL;
}

static bool divide(Reader* r, Matrix x, Matrix y, Matrix* value) {
  if (!is_scalar(&y)) return fail(r, "%s", "a quotient by a matrix: write inv(..)");
  double *terms, over = y.at[0], over_term = formula_term(&y, 0) / (over * over);
  double* at = room_of_terms(r, x.rows, x.columns, value, &terms);
  for (int32_t i = 0; at && i < x.rows * x.columns; i++) {
    at[i] = x.at[i] / over;
    terms[i] = product_term(x.at[i], formula_term(&x, i), 1 / over, over_term);
  }
  return at != NULL;
}

/* ---- functions of matrices ---- */

/* What is wrong in X by dX is wrong in its inverse by X^+ dX X^+. */
static void inverse_terms(Reader* r, const Matrix* x, const Matrix* inverse, double* terms) {
  int32_t m = x->rows, n = x->columns;
  double* half = ZW_NEW(r->to->arena, (ptrdiff_t)m * m + 1, double); /* dX X^+ */
  for (int32_t i = 0; half && i < m; i++) {
    for (int32_t k = 0; k < n; k++) {
      double term = formula_term(x, i * n + k);
      for (int32_t j = 0; j < m; j++) half[i * m + j] = fmax(half[i * m + j], term * fabs(inverse->at[k * m + j]));
    }
  }
  for (int32_t i = 0; half && i < n; i++) {
    for (int32_t j = 0; j < m; j++) {
      terms[i * m + j] = fabs(inverse->at[i * m + j]);
      for (int32_t k = 0; k < m; k++)
        terms[i * m + j] = fmax(terms[i * m + j], fabs(inverse->at[i * m + k]) * half[k * m + j]);
    }
  }
}

static bool pseudo_inverse(Reader* r, Matrix x, Matrix* value) {
  int32_t m = x.rows, n = x.columns, k = m < n ? m : n;
  double* terms;
  double* at = room_of_terms(r, n, m, value, &terms);
  double* sigma = ZW_NEW(r->to->arena, k + 1, double);
  double* Ut = ZW_NEW(r->to->arena, (ptrdiff_t)k * m + 1, double);
  double* Vt = ZW_NEW(r->to->arena, (ptrdiff_t)k * n + 1, double);
  if (!at || !sigma || !Ut || !Vt) return fail(r, "%s", "out of memory");
  if (zw_svd(m, n, x.at, sigma, Ut, Vt)) return fail(r, "%s", "a number that is not finite");
  for (int32_t s = 0; s < k && sigma[s] > TOL_PINV * sigma[0]; s++) {
    for (int32_t i = 0; i < n; i++) zw_axpy(m, Vt[s * n + i] / sigma[s], Ut + (ptrdiff_t)s * m, at + (ptrdiff_t)i * m);
  }
  inverse_terms(r, &x, value, terms);
  return true;
}

/* The power of two that brings the largest of some numbers near 1. */
static double scale_of(const double* x, int32_t count) {
  int exponent = 0;
  double largest = zw_max_abs(count, x);
  (void)frexp(largest, &exponent);
  return largest > 0 && isfinite(largest) ? ldexp(1, -exponent) : 1;
}

/* X^-1 = (R X)^-1 R, column by column, with scales R by which all rows count alike: small numbers beside large ones stay accurate. */
static bool inverse(Reader* r, Matrix x, Matrix* value) {
  int32_t n = x.rows;
  if (n != x.columns) return fail(r, "%s", "the inverse of a matrix that is not square");
  double *terms, *scaled = ZW_NEW(r->to->arena, (ptrdiff_t)n * n + 1, double);
  double *scales = ZW_NEW(r->to->arena, n + 1, double), *column = ZW_NEW(r->to->arena, n + 1, double);
  int32_t* swap = ZW_NEW(r->to->arena, n + 1, int32_t);
  double* at = room_of_terms(r, n, n, value, &terms);
  if (!at || !scaled || !scales || !column || !swap) return fail(r, "%s", "out of memory");
  for (int32_t i = 0; i < n; i++) {
    scales[i] = scale_of(x.at + (ptrdiff_t)i * n, n);
    for (int32_t j = 0; j < n; j++) scaled[i * n + j] = scales[i] * x.at[i * n + j];
  }
  if (!(zw_lu_factor(n, scaled, swap) > TOL_PINV)) return fail(r, "%s", "the inverse of a singular matrix");
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i < n; i++) column[i] = i == j ? scales[i] : 0;
    zw_lu_solve(n, scaled, swap, column);
    for (int32_t i = 0; i < n; i++) at[i * n + j] = column[i];
  }
  inverse_terms(r, &x, value, terms);
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
  *value = (Matrix){x.rows, 1, values, NULL};
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

static double slope_tan(double x) {
  return 1 + tan(x) * tan(x);
}

static double slope_log(double x) {
  return 1 / x;
}

static double slope_sqrt(double x) {
  return 0.5 / sqrt(x);
}

static double slope_abs(double x) {
  return x < 0 ? -1 : 1;
}

static const struct Function {
  const char* name;
  Kind kind;
  int32_t arguments;
  double (*of)(double);
  double (*slope)(double); /* up to its sign */
} functions[] = {
    {"tr", TRANSPOSED, 1, NULL, NULL},
    {"inv", INVERSE, 1, NULL, NULL},
    {"pinv", PSEUDO_INVERSE, 1, NULL, NULL},
    {"root", ROOT, 1, NULL, NULL},
    {"eigen", EIGEN, 1, NULL, NULL},
    {"det", DET, 1, NULL, NULL},
    {"dot", DOT, 2, NULL, NULL},
    {"norm", NORM, 1, NULL, NULL},
    {"eye", EYE, 1, NULL, NULL},
    {"zeros", ZEROS, 2, NULL, NULL},
    {"max", LARGEST, 1, NULL, NULL},
    {"min", LEAST, 1, NULL, NULL},
    {"atan2", ARC2, 2, NULL, NULL},
    {"sin", OF_NUMBER, 1, sin, cos},
    {"cos", OF_NUMBER, 1, cos, sin},
    {"tan", OF_NUMBER, 1, tan, slope_tan},
    {"exp", OF_NUMBER, 1, exp, exp},
    {"log", OF_NUMBER, 1, log, slope_log},
    {"sqrt", OF_NUMBER, 1, sqrt, slope_sqrt},
    {"abs", OF_NUMBER, 1, fabs, slope_abs},
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

/* What cancels in the argument goes on by the slope; the argument itself is exact. */
static bool call_of_number(Reader* r, const struct Function* f, const Matrix* x, Matrix* value) {
  if (!all_scalars(r, x, 1)) return false;
  double of = f->of(x->at[0]), more = formula_term(x, 0) - fabs(x->at[0]);
  return number_of_terms(r, of, more > 0 ? fabs(of) + fabs(f->slope(x->at[0])) * more : 0, value);
}

static bool dot(Reader* r, const Matrix* x, const Matrix* y, Matrix* value) {
  int32_t count = x->rows * x->columns;
  double term = 0;
  if (count != y->rows * y->columns) return fail(r, "%s", "a dot product of different lengths");
  for (int32_t i = 0; i < count; i++)
    term = fmax(term, product_term(x->at[i], formula_term(x, i), y->at[i], formula_term(y, i)));
  return number_of_terms(r, zw_dot(count, x->at, y->at), term, value);
}

static double largest_term(const Matrix* x) {
  double term = 0;
  for (int32_t i = 0; i < x->rows * x->columns; i++) term = fmax(term, formula_term(x, i));
  return term;
}

static bool call(Reader* r, const struct Function* f, const Matrix* x, Matrix* value) {
  int32_t count = x[0].rows * x[0].columns;
  double extreme = count > 0 ? x[0].at[0] : 0;
  switch (f->kind) {
    case OF_NUMBER:
      return call_of_number(r, f, x, value);
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
      return dot(r, &x[0], &x[1], value);
    case NORM:
      return number_of_terms(r, zw_norm(count, x[0].at), largest_term(&x[0]), value);
    case EYE:
    case ZEROS:
      return call_of_sizes(r, f->kind, x, value);
    case LARGEST:
    case LEAST:
      for (int32_t i = 0; i < count; i++)
        extreme = f->kind == LARGEST ? fmax(extreme, x[0].at[i]) : fmin(extreme, x[0].at[i]);
      return number_of_terms(r, extreme, largest_term(&x[0]), value);
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
    if (count == 2 || !read_sum(r, &x[count])) return fail(r, "%s", "too many arguments");
    count++;
  } while (takes(r, ','));
  if (!expect(r, ')')) return false;
  if (count != f->arguments) return fail(r, "'%s' takes another number of arguments", f->name);
  return call(r, f, x, value);
}

/* [1, 2; 3, 4]; an entry may be a matrix only if it is the only one in its row: [x; y] stacks columns */
static bool read_matrix(Reader* r, Matrix* value) {
  double numbers[400], sizes[400];
  int32_t rows = 0, columns = 0, count = 0;
  do {
    int32_t in_row = 0;
    do {
      Matrix entry;
      if (!read_sum(r, &entry)) return false;
      if (!is_scalar(&entry)) return fail(r, "%s", "a matrix inside of brackets");
      if (count == 400) return fail(r, "%s", "a matrix of more than 400 numbers");
      sizes[count] = formula_term(&entry, 0);
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
  double* terms;
  double* at = room_of_terms(r, is_vector ? columns : rows, is_vector ? 1 : columns, value, &terms);
  if (at) zw_copy(count, numbers, at);
  if (at) zw_copy(count, sizes, terms);
  return at != NULL;
}

static bool read_thing(Reader* r, Matrix* value) {
  skip_blanks(r);
  if (r->at >= r->end) return fail(r, "%s", "the formula ends too early");
  if (takes(r, '(')) return read_sum(r, value) && expect(r, ')');
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
    double of = value->at[0], to = is_negative ? -power.at[0] : power.at[0], result = pow(of, to);
    if (!number_of_terms(r, result, of == 0 ? 0 : fabs(result / of) * formula_term(value, 0), value)) return false;
  }
  return true;
}

static bool read_signed(Reader* r, Matrix* value) {
  static const double minus[] = {-1};
  if (!takes(r, '-')) return read_power(r, value);
  return read_signed(r, value) && scale(r, (Matrix){1, 1, minus, NULL}, *value, value);
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

static bool read_sum(Reader* r, Matrix* value) {
  if (++r->depth > DEPTH_MOST) return fail(r, "%s", "too many brackets");
  if (!read_product(r, value)) return false;
  for (;;) {
    Matrix other;
    double sign = takes(r, '+') ? 1 : takes(r, '-') ? -1 : 0;
    if (sign == 0) break;
    if (!read_product(r, &other)) return false;
    if (!add(r, *value, other, sign, value)) return false;
  }
  r->depth--;
  return true;
}

bool formula_value(Formulas* formulas, ZwStr text, Matrix* value) {
  Reader r = {formulas, text.data, text.data + text.size, 0};
  formulas->reason = "";
  if (!read_sum(&r, value)) return false;
  skip_blanks(&r);
  return r.at == r.end ||
         fail(&r, "'%s' is left over", zw_str_copy(formulas->arena, (ZwStr){r.at, (int32_t)(r.end - r.at)}));
}

/* ---- two values ---- */

/* What the numbers of both sides are made of before it cancels, entry by entry; of a matrix at least the largest of the row, or of the column if that is
 * less: an entry that is zero only nearly is measured so, and rows of other units do not hide it. */
typedef struct Terms {
  double *rows, *columns;
} Terms;

static bool gather_terms(ZwArena* arena, const Matrix* left, const Matrix* right, Terms* terms) {
  int32_t count = left->rows * left->columns;
  *terms = (Terms){ZW_NEW(arena, left->rows + 1, double), ZW_NEW(arena, left->columns + 1, double)};
  for (int32_t k = 0; k < count && !arena->failed; k++) {
    double *row = &terms->rows[k / left->columns], *column = &terms->columns[k % left->columns];
    double term = fmax(formula_term(left, k), formula_term(right, k));
    *row = fmax(*row, term);
    *column = fmax(*column, term);
  }
  return !arena->failed;
}

double formula_apart(ZwArena* arena, const Matrix* left, const Matrix* right, bool is_below) {
  Terms terms;
  double most = 0;
  if (!gather_terms(arena, left, right, &terms)) return NAN;
  for (int32_t k = 0; k < left->rows * left->columns; k++) {
    double off = left->at[k] - right->at[k];
    if (is_below) off = fmin(off, 0);
    if (off == 0) continue;
    double term = fmin(terms.rows[k / left->columns], terms.columns[k % left->columns]);
    double part = isfinite(term) ? fabs(off) / term : NAN;
    if (!(part <= most)) most = part;
  }
  return most;
}
