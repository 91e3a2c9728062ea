#include "least/eigen.h"

#include <float.h>

#include "least/dense.h"

enum { SWEEPS_MOST = 60 };     /* double steps for one eigenvalue; two or three are usual */
enum { SWEEPS_PATIENCE = 10 }; /* so many without success, and the shifts are replaced by others */

/* The matrix on its way to Schur form, A = D Z H Z^T D^-1 */
typedef struct Schur {
  int32_t n;
  double* H;  /* n x n */
  double* Zt; /* n x n: rows are the columns of Z */
  double* D;  /* n */
  double *re, *im;
} Schur;

static double* row_of(const Schur* s, int32_t i) {
  return s->H + (ptrdiff_t)i * s->n;
}

static double entry(const Schur* s, int32_t i, int32_t j) {
  return s->H[(ptrdiff_t)i * s->n + j];
}

/* ---- balance ---- */

/* Sums of row i and column i without the diagonal. */
static void measure(int32_t n, const double* A, int32_t i, double* row, double* column) {
  *row = *column = 0;
  for (int32_t j = 0; j < n; j++) {
    if (j == i) continue;
    *row += fabs(A[(ptrdiff_t)i * n + j]);
    *column += fabs(A[(ptrdiff_t)j * n + i]);
  }
}

/* A = D^-1 A D, until no row and column differ by more than a factor of two. Exact: D are powers of two. */
static void balance(int32_t n, double* A, double* D) {
  zw_fill(n, 1, D);
  bool has_changed = true;
  for (int sweep = 0; has_changed && sweep < SWEEPS_MOST; sweep++) {
    has_changed = false;
    for (int32_t i = 0; i < n; i++) {
      double row, column;
      measure(n, A, i, &row, &column);
      if (!(row > 0) || !(column > 0)) continue;
      int power = (int)lround((log2(row) - log2(column)) / 2);
      double factor = ldexp(1, power);
      if (power == 0 || !(column * factor + row / factor < 0.95 * (column + row))) continue;
      has_changed = true;
      D[i] *= factor;
      zw_scale(n, 1 / factor, A + (ptrdiff_t)i * n);
      for (int32_t j = 0; j < n; j++) A[(ptrdiff_t)j * n + i] *= factor;
    }
  }
}

/* ---- reflections ---- */

/* 1 - tau v v^T on up to n rows or columns from `first` on */
typedef struct Reflection {
  int32_t first, count;
  double tau;
  double* v;
} Reflection;

/* The reflection that leaves of x only its first number; that becomes *left. x may be v. */
static void make_reflection(Reflection* r, const double* x, double* left) {
  double length = zw_norm(r->count, x), rest = zw_max_abs(r->count - 1, x + 1), first = x[0];
  *left = first;
  r->tau = 0;
  if (rest == 0) return;
  *left = first > 0 ? -length : length;
  for (int32_t i = 0; i < r->count; i++) r->v[i] = x[i] / length;
  r->v[0] = (first - *left) / length;
  r->tau = 2 / zw_dot(r->count, r->v, r->v);
}

static void reflect_rows(double* X, int32_t width, const Reflection* r, int32_t from) {
  if (r->tau == 0) return;
  for (int32_t j = from; j < width; j++) {
    double* x = X + (ptrdiff_t)r->first * width + j;
    double sum = 0;
    for (int32_t i = 0; i < r->count; i++) sum += r->v[i] * x[(ptrdiff_t)i * width];
    for (int32_t i = 0; i < r->count; i++) x[(ptrdiff_t)i * width] -= r->tau * sum * r->v[i];
  }
}

static void reflect_columns(double* X, int32_t width, const Reflection* r, int32_t rows) {
  if (r->tau == 0) return;
  for (int32_t i = 0; i < rows; i++) {
    double* x = X + (ptrdiff_t)i * width + r->first;
    zw_axpy(r->count, -r->tau * zw_dot(r->count, r->v, x), r->v, x);
  }
}

/* ---- Hessenberg form ---- */

static void make_hessenberg(const Schur* s, double* v) {
  int32_t n = s->n;
  zw_fill((ptrdiff_t)n * n, 0, s->Zt);
  for (int32_t i = 0; i < n; i++) s->Zt[(ptrdiff_t)i * n + i] = 1;
  for (int32_t k = 0; k + 2 < n; k++) {
    Reflection r = {.first = k + 1, .count = n - k - 1, .v = v};
    double left;
    for (int32_t i = 0; i < r.count; i++) v[i] = entry(s, k + 1 + i, k);
    make_reflection(&r, v, &left);
    reflect_rows(s->H, n, &r, k + 1);
    reflect_columns(s->H, n, &r, n);
    reflect_rows(s->Zt, n, &r, 0);
    for (int32_t i = k + 1; i < n; i++) s->H[(ptrdiff_t)i * n + k] = i == k + 1 ? left : 0;
  }
}

/* ---- Schur form ---- */

/* The first row of the part that ends with row `last` and is not split yet. */
static int32_t find_split(const Schur* s, int32_t last, double largest) {
  for (int32_t l = last; l > 0; l--) {
    double beside = fabs(entry(s, l, l)) + fabs(entry(s, l - 1, l - 1));
    if (beside == 0) beside = largest;
    if (fabs(entry(s, l, l - 1)) > DBL_EPSILON * beside) continue;
    s->H[(ptrdiff_t)l * s->n + l - 1] = 0;
    return l;
  }
  return 0;
}

/* The 2 x 2 block at row k is split if its eigenvalues are real. */
static void finish_pair(const Schur* s, int32_t k) {
  int32_t n = s->n;
  double a = entry(s, k, k), b = entry(s, k, k + 1), c = entry(s, k + 1, k), d = entry(s, k + 1, k + 1);
  double p = (a - d) / 2, square = p * p + b * c;
  if (square < 0) {
    s->re[k] = s->re[k + 1] = d + p;
    s->im[k] = sqrt(-square);
    s->im[k + 1] = -s->im[k];
    return;
  }
  double z = p + copysign(sqrt(square), p), r = hypot(z, c), cs = z / r, sn = c / r;
  s->re[k] = d + z;
  s->re[k + 1] = z != 0 ? d - b * c / z : d;
  s->im[k] = s->im[k + 1] = 0;
  for (int32_t j = 0; j < n; j++) { /* (z, c) is the eigenvector of the first: it becomes an axis */
    double *x = row_of(s, k) + j, *y = row_of(s, k + 1) + j, kept = *x;
    *x = cs * kept + sn * *y;
    *y = cs * *y - sn * kept;
    x = s->Zt + (ptrdiff_t)k * n + j, y = x + n, kept = *x;
    *x = cs * kept + sn * *y;
    *y = cs * *y - sn * kept;
  }
  for (int32_t i = 0; i < n; i++) {
    double *x = row_of(s, i) + k, kept = x[0];
    x[0] = cs * kept + sn * x[1];
    x[1] = cs * x[1] - sn * kept;
  }
  double* block = row_of(s, k + 1) + k;
  block[0] = 0;
  block[1] = s->re[k + 1];
  row_of(s, k)[k] = s->re[k];
}

/* The two shifts are the eigenvalues of [a b; c d]. */
typedef struct Shifts {
  double a, d, bc;
} Shifts;

static Shifts choose_shifts(const Schur* s, int32_t last, int sweep) {
  double a = entry(s, last - 1, last - 1), b = entry(s, last - 1, last), c = entry(s, last, last - 1),
         d = entry(s, last, last);
  if (sweep % SWEEPS_PATIENCE == SWEEPS_PATIENCE - 1) { /* away from a cycle: any shifts of that size will do */
    double size = fabs(c) + fabs(entry(s, last - 1, last - 2));
    a = d = 0.75 * size + d;
    b = -0.4375 * size;
    c = size;
  }
  return (Shifts){a, d, b * c};
}

/* One double step on rows first .. last: a bulge of 3 x 3 is made at the top and chased out at the bottom. Shifts are subtracted before anything is
 * multiplied: where eigenvalues are nearly the same, nothing else is left of them. */
static void chase(const Schur* s, int32_t first, int32_t last, Shifts shifts) {
  int32_t n = s->n;
  double below = entry(s, first + 1, first), h = entry(s, first, first);
  double from_a = shifts.a - h, from_d = shifts.d - h;
  double x[3] = {(from_a * from_d - shifts.bc) / below + entry(s, first, first + 1),
                 entry(s, first + 1, first + 1) - h - from_a - from_d, entry(s, first + 2, first + 1)};
  for (int32_t k = first; k < last; k++) {
    double v[3], left;
    Reflection r = {.first = k, .count = k + 2 <= last ? 3 : 2, .v = v};
    if (k > first) {
      for (int32_t i = 0; i < r.count; i++) x[i] = entry(s, k + i, k - 1);
    }
    make_reflection(&r, x, &left);
    reflect_rows(s->H, n, &r, k > first ? k - 1 : k);
    if (k > first) {
      for (int32_t i = 0; i < r.count; i++) s->H[(ptrdiff_t)(k + i) * n + k - 1] = i == 0 ? left : 0;
    }
    reflect_columns(s->H, n, &r, k + 3 <= last ? k + 4 : last + 1);
    reflect_rows(s->Zt, n, &r, 0);
  }
}

static ZwStatus make_schur(const Schur* s) {
  double largest = zw_max_abs((ptrdiff_t)s->n * s->n, s->H);
  int sweep = 0;
  for (int32_t last = s->n - 1; last >= 0;) {
    int32_t first = find_split(s, last, largest);
    if (first == last) {
      s->re[last] = entry(s, last, last);
      s->im[last] = 0;
      last -= 1;
      sweep = 0;
    } else if (first == last - 1) {
      finish_pair(s, first);
      last -= 2;
      sweep = 0;
    } else {
      if (sweep == SWEEPS_MOST) return ZW_ERR_STEP;
      chase(s, first, last, choose_shifts(s, last, sweep++));
    }
  }
  return ZW_OK;
}

/* ---- vectors ---- */

typedef struct Complex {
  double re, im;
} Complex;

static Complex times(Complex x, Complex y) {
  return (Complex){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static Complex minus(Complex x, Complex y) {
  return (Complex){x.re - y.re, x.im - y.im};
}

static Complex over(Complex x, Complex y) {
  bool is_flat = fabs(y.re) >= fabs(y.im);
  double ratio = is_flat ? y.im / y.re : y.re / y.im, size = is_flat ? y.re + y.im * ratio : y.re * ratio + y.im;
  return is_flat ? (Complex){(x.re + x.im * ratio) / size, (x.im - x.re * ratio) / size}
                 : (Complex){(x.re * ratio + x.im) / size, (x.im * ratio - x.re) / size};
}

/* A pivot that is nothing but rounding: the eigenvalue is there twice. */
static Complex at_least(Complex pivot, double least) {
  return fabs(pivot.re) + fabs(pivot.im) < least ? (Complex){least, 0} : pivot;
}

/* -(row i of H) x, from column `from` on */
static Complex right_side(const Schur* s, int32_t i, int32_t from, int32_t to, const double* x, const double* y) {
  const double* row = row_of(s, i);
  return (Complex){-zw_dot(to - from, row + from, x + from), -zw_dot(to - from, row + from, y + from)};
}

/* Keeps numbers that grow from step to step within range. */
static void tame(int32_t count, double* x, double* y) {
  double most = zw_larger(zw_max_abs(count, x), zw_max_abs(count, y));
  if (most < 1e100) return;
  zw_scale(count, 1 / most, x);
  zw_scale(count, 1 / most, y);
}

/* Rows above `end` of (H - lambda) (x + i y) = 0. */
static void substitute(const Schur* s, Complex lambda, int32_t end, int32_t to, double least, double* x, double* y) {
  for (int32_t i = end - 1; i >= 0; i--) {
    bool is_pair = s->im[i] != 0;
    if (!is_pair) {
      Complex pivot = at_least((Complex){entry(s, i, i) - lambda.re, -lambda.im}, least);
      Complex value = over(right_side(s, i, i + 1, to, x, y), pivot);
      x[i] = value.re;
      y[i] = value.im;
    } else { /* two rows at once, by determinants */
      int32_t k = i - 1;
      Complex a = {entry(s, k, k) - lambda.re, -lambda.im}, d = {entry(s, i, i) - lambda.re, -lambda.im};
      Complex b = {entry(s, k, i), 0}, c = {entry(s, i, k), 0};
      Complex f = right_side(s, k, i + 1, to, x, y), g = right_side(s, i, i + 1, to, x, y);
      double size = fabs(b.re) + fabs(c.re) + fabs(a.re) + fabs(d.re) + fabs(lambda.im);
      Complex det = at_least(minus(times(a, d), times(b, c)), least * size);
      Complex upper = over(minus(times(d, f), times(b, g)), det), lower = over(minus(times(a, g), times(c, f)), det);
      x[k] = upper.re, y[k] = upper.im;
      x[i] = lower.re, y[i] = lower.im;
      i = k;
    }
    tame(to, x, y);
  }
}

/* out = D Z x */
static void bring_back(const Schur* s, int32_t count, const double* x, double* out) {
  zw_fill(s->n, 0, out);
  for (int32_t k = 0; k < count; k++) zw_axpy(s->n, x[k], s->Zt + (ptrdiff_t)k * s->n, out);
  for (int32_t i = 0; i < s->n; i++) out[i] *= s->D[i];
}

static void find_vectors(const Schur* s, double* vectors, double* x, double* y) {
  int32_t n = s->n;
  double least = DBL_EPSILON * zw_larger(zw_max_abs((ptrdiff_t)n * n, s->H), DBL_MIN / DBL_EPSILON);
  for (int32_t k = 0; k < n; k++) {
    double* out = vectors + (ptrdiff_t)k * n;
    bool is_pair = s->im[k] != 0;
    int32_t to = is_pair ? k + 2 : k + 1;
    zw_fill(n, 0, x);
    zw_fill(n, 0, y);
    x[to - 1] = 1;
    if (is_pair) { /* of the second row of the block */
      double below = entry(s, k + 1, k);
      x[k] = (s->re[k] - entry(s, k + 1, k + 1)) / below;
      y[k] = s->im[k] / below;
    }
    substitute(s, (Complex){s->re[k], s->im[k]}, k, to, least, x, y);
    tame(to, x, y);
    bring_back(s, to, x, out);
    double length = zw_norm(n, out);
    if (is_pair) {
      bring_back(s, to, y, out + n);
      length = hypot(length, zw_norm(n, out + n));
      zw_scale(n, 1 / length, out + n);
      k++;
    }
    zw_scale(n, 1 / length, out);
  }
}

/* ---- all of it ---- */

ptrdiff_t zw_eigen_work(int32_t n) {
  return (ptrdiff_t)n * n + 3 * (ptrdiff_t)n;
}

ZwStatus zw_eigen(int32_t n, double* A, double* re, double* im, double* vectors, double* work) {
  if (!zw_all_finite((ptrdiff_t)n * n, A)) return ZW_ERR_DOMAIN;
  double *D = work + (ptrdiff_t)n * n, *x = D + n;
  Schur schur = {n, A, work, D, re, im};
  balance(n, A, D);
  make_hessenberg(&schur, x);
  ZW_TRY(make_schur(&schur));
  if (vectors) find_vectors(&schur, vectors, x, x + n);
  return ZW_OK;
}
