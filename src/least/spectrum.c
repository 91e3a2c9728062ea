#include "least/spectrum.h"

#include "least/dense.h"
#include "least/eigen.h"
#include "least/svd.h"

/* A direction belongs to a space when no more than this part of it is outside. */
static const double tol_inside = 1e-7;

/* The work on its way. The first `zeros` rows of Q are split off; U = Q R Q^T, with zeros where they are known to be. */
typedef struct Staircase {
  int32_t n, zeros;
  double tol;
  double *Q, *U;
  double *sigma, *left, *right, *block; /* of the block that is left */
  double* x;                            /* 2 n */
  bool* is_known;                       /* n: of the rows split off */
} Staircase;

/* Y = X with its rows from `first` on replaced by combinations V (count x count) of themselves */
static void turn_rows(int32_t n, int32_t first, int32_t count, const double* V, double* X, double* scratch) {
  for (int32_t i = 0; i < count; i++) {
    double* to = scratch + (ptrdiff_t)i * n;
    zw_fill(n, 0, to);
    for (int32_t k = 0; k < count; k++) {
      zw_axpy(n, V[(ptrdiff_t)i * count + k], X + (ptrdiff_t)(first + k) * n, to);
    }
  }
  zw_copy((ptrdiff_t)count * n, scratch, X + (ptrdiff_t)first * n);
}

static void turn_columns(int32_t n, int32_t first, int32_t count, const double* V, double* X, double* x) {
  for (int32_t i = 0; i < n; i++) {
    double* row = X + (ptrdiff_t)i * n + first;
    zw_multiply(count, count, V, row, x);
    zw_copy(count, x, row);
  }
}

/* A new orthonormal basis of the rows from `first` on. */
static void turn(Staircase* s, int32_t first, int32_t count, const double* V) {
  turn_rows(s->n, first, count, V, s->Q, s->block);
  turn_rows(s->n, first, count, V, s->U, s->block);
  turn_columns(s->n, first, count, V, s->U, s->x);
}

/* How many of the `count` directions that were found last are known ones; they are put first. F (rows x count) is zero on
 * known ones. */
static int32_t put_known_first(Staircase* s, int32_t count, int32_t rows, const double* F, double scale) {
  if (rows == 0) return count;
  if (zw_svd(rows, count, F, s->sigma, s->left, s->right)) return 0;
  int32_t k = rows < count ? rows : count, unknown = 0;
  while (unknown < k && s->sigma[unknown] > tol_inside * scale) unknown++;
  /* the directions that F does not see, found by going over all axes, then the others */
  double* V = s->block + (ptrdiff_t)s->n * s->n;
  int32_t have = 0;
  for (int32_t axis = 0; axis < count && have < count - unknown; axis++) {
    double* v = V + (ptrdiff_t)have * count;
    zw_fill(count, 0, v);
    v[axis] = 1;
    for (int pass = 0; pass < 2; pass++) {
      for (int32_t i = 0; i < unknown; i++) {
        const double* seen = s->right + (ptrdiff_t)i * count;
        zw_axpy(count, -zw_dot(count, seen, v), seen, v);
      }
      for (int32_t i = 0; i < have; i++) {
        const double* other = V + (ptrdiff_t)i * count;
        zw_axpy(count, -zw_dot(count, other, v), other, v);
      }
    }
    double length = zw_norm(count, v);
    if (length * length < 0.5 / count) continue; /* most of this axis is there already */
    zw_scale(count, 1 / length, v);
    have++;
  }
  if (have < count - unknown) return 0;
  zw_copy((ptrdiff_t)unknown * count, s->right, V + (ptrdiff_t)have * count);
  turn(s, s->zeros, count, V);
  return have;
}

/* What the directions found last have outside the span of the known ones S (count x n, orthonormal), as rows of F. */
static int32_t outside_known(const Staircase* s, int32_t found, int32_t count, const double* S, double* F) {
  for (int32_t k = 0; k < found; k++) {
    double* x = s->x;
    zw_copy(s->n, s->Q + (ptrdiff_t)(s->zeros + k) * s->n, x);
    for (int32_t i = 0; i < count; i++) {
      const double* known = S + (ptrdiff_t)i * s->n;
      zw_axpy(s->n, -zw_dot(s->n, known, x), known, x);
    }
    for (int32_t i = 0; i < s->n; i++) F[(ptrdiff_t)i * found + k] = x[i];
  }
  return s->n;
}

/* What R makes of the directions found last, along zeros that are not known ones. */
static int32_t along_unknown(const Staircase* s, int32_t found, double* F) {
  int32_t rows = 0;
  for (int32_t i = 0; i < s->zeros; i++) {
    if (s->is_known[i]) continue;
    zw_copy(found, s->U + (ptrdiff_t)i * s->n + s->zeros, F + (ptrdiff_t)rows++ * found);
  }
  return rows;
}

/* Splits off the null space of the block that is left; false when there is none. */
static ZwStatus split(Staircase* s, int32_t count, const double* S, double* F, bool* has_found) {
  int32_t n = s->n, rest = n - s->zeros, found = 0;
  *has_found = false;
  if (rest == 0) return ZW_OK;
  for (int32_t i = 0; i < rest; i++) {
    zw_copy(rest, s->U + (ptrdiff_t)(s->zeros + i) * n + s->zeros, s->block + (ptrdiff_t)i * rest);
  }
  ZW_TRY(zw_svd(rest, rest, s->block, s->sigma, s->left, s->right));
  while (found < rest && !(s->sigma[rest - 1 - found] > s->tol)) found++;
  if (found == 0) return ZW_OK;
  *has_found = true;
  for (int32_t i = 0; i < rest / 2; i++) { /* the null space first */
    zw_swap_vectors(rest, s->right + (ptrdiff_t)i * rest, s->right + (ptrdiff_t)(rest - 1 - i) * rest);
  }
  turn(s, s->zeros, rest, s->right);
  int32_t rows = s->zeros == 0 ? outside_known(s, found, count, S, F) : along_unknown(s, found, F);
  double scale = s->zeros == 0 ? 1 : s->tol / ZW_TOL_ZERO_REL;
  int32_t known = put_known_first(s, found, rows, F, scale);
  for (int32_t k = 0; k < found; k++) {
    s->is_known[s->zeros + k] = k < known;
    for (int32_t i = s->zeros; i < n; i++) s->U[(ptrdiff_t)i * n + s->zeros + k] = 0;
  }
  s->zeros += found;
  return ZW_OK;
}

/* Rows of S: orthonormal, as many as are independent. */
static int32_t make_orthonormal(int32_t n, int32_t count, double* S) {
  int32_t have = 0;
  for (int32_t k = 0; k < count; k++) {
    double *v = S + (ptrdiff_t)k * n, *to = S + (ptrdiff_t)have * n;
    double size = zw_norm(n, v);
    if (!(size > 0) || !isfinite(size)) continue;
    zw_scale(n, 1 / size, v);
    for (int pass = 0; pass < 2; pass++) {
      for (int32_t i = 0; i < have; i++) zw_axpy(n, -zw_dot(n, S + (ptrdiff_t)i * n, v), S + (ptrdiff_t)i * n, v);
    }
    double left = zw_norm(n, v);
    if (left < tol_inside) continue;
    zw_scale(n, 1 / left, v);
    zw_copy(n, v, to);
    have++;
  }
  return have;
}

/* The vector of an eigenvalue that is not zero, from its part behind the zeros: (lambda - N) top = C bottom. */
static void lift(const Staircase* s, double re, double im, double* x, double* y) {
  double size = re * re + im * im;
  for (int32_t i = s->zeros - 1; i >= 0; i--) {
    const double* row = s->U + (ptrdiff_t)i * s->n;
    double a = zw_dot(s->n - i - 1, row + i + 1, x + i + 1), b = zw_dot(s->n - i - 1, row + i + 1, y + i + 1);
    x[i] = (a * re + b * im) / size;
    y[i] = (b * re - a * im) / size;
  }
}

/* out = Q^T x */
static void bring_back(const Staircase* s, const double* x, double* out) {
  zw_fill(s->n, 0, out);
  for (int32_t k = 0; k < s->n; k++) zw_axpy(s->n, x[k], s->Q + (ptrdiff_t)k * s->n, out);
}

/* Eigenvalues and vectors of what is left. */
static ZwStatus solve_rest(Staircase* s, ZwSpectrum* spectrum, double* small, double* work) {
  int32_t n = s->n, zeros = s->zeros, rest = n - zeros;
  for (int32_t i = 0; i < rest; i++) {
    zw_copy(rest, s->U + (ptrdiff_t)(zeros + i) * n + zeros, s->block + (ptrdiff_t)i * rest);
  }
  double *re = spectrum->re + zeros, *im = spectrum->im + zeros, *x = s->x, *y = x + n;
  ZW_TRY(zw_eigen(rest, s->block, re, im, small, work));
  for (int32_t k = 0; k < rest; k++) {
    double* out = spectrum->vectors + (ptrdiff_t)(zeros + k) * n;
    bool is_pair = im[k] != 0;
    zw_fill(2 * (ptrdiff_t)n, 0, x);
    zw_copy(rest, small + (ptrdiff_t)k * rest, x + zeros);
    if (is_pair) zw_copy(rest, small + (ptrdiff_t)(k + 1) * rest, y + zeros);
    lift(s, re[k], im[k], x, y);
    bring_back(s, x, out);
    double length = zw_norm(n, out);
    if (is_pair) {
      bring_back(s, y, out + n);
      length = hypot(length, zw_norm(n, out + n));
      zw_scale(n, 1 / length, out + n);
      k++;
    }
    zw_scale(n, 1 / length, out);
  }
  return ZW_OK;
}

/* How much of a vector is outside the span of the known directions S. */
static double part_outside(const Staircase* s, int32_t count, const double* S, const double* vector) {
  zw_copy(s->n, vector, s->x);
  for (int32_t i = 0; i < count; i++) {
    const double* known = S + (ptrdiff_t)i * s->n;
    zw_axpy(s->n, -zw_dot(s->n, known, s->x), known, s->x);
  }
  return zw_norm(s->n, s->x);
}

static void tell_apart(const Staircase* s, int32_t count, const double* S, ZwSpectrum* spectrum) {
  for (int32_t k = 0; k < s->n; k++) {
    const double* vector = spectrum->vectors + (ptrdiff_t)k * s->n;
    bool is_pair = spectrum->im[k] > 0;
    double outside = part_outside(s, count, S, vector);
    if (is_pair) outside = hypot(outside, part_outside(s, count, S, vector + s->n));
    spectrum->is_known[k] = k < s->zeros ? k < spectrum->known : outside < tol_inside;
    if (!is_pair) continue;
    spectrum->is_known[k + 1] = spectrum->is_known[k];
    k++;
  }
}

static void give_zeros(const Staircase* s, ZwSpectrum* spectrum) {
  int32_t at = 0;
  spectrum->zeros = s->zeros;
  spectrum->known = 0;
  zw_fill(s->zeros, 0, spectrum->re);
  zw_fill(s->zeros, 0, spectrum->im);
  for (int wants_known = 1; wants_known >= 0; wants_known--) {
    for (int32_t k = 0; k < s->zeros; k++) {
      if (s->is_known[k] != (wants_known == 1)) continue;
      double* out = spectrum->vectors + (ptrdiff_t)at++ * s->n;
      spectrum->known += wants_known;
      zw_copy(s->n, s->Q + (ptrdiff_t)k * s->n, out);
    }
  }
}

ptrdiff_t zw_spectrum_work(int32_t n) {
  ptrdiff_t square = (ptrdiff_t)n * n;
  return 6 * square + 4 * (ptrdiff_t)n + zw_eigen_work(n);
}

ZwStatus zw_spectrum(ZwSpectrum* spectrum, double* R, int32_t count, double* directions, double* work) {
  int32_t n = spectrum->n;
  ptrdiff_t square = (ptrdiff_t)n * n;
  if (!zw_all_finite(square, R)) return ZW_ERR_DOMAIN;
  Staircase s = {.n = n, .Q = work, .U = R};
  s.left = s.Q + square;
  s.right = s.left + square;
  s.block = s.right + square; /* two squares: V of put_known_first is the second */
  double* F = s.block + 2 * square;
  s.sigma = F + square;
  s.x = s.sigma + n;
  s.is_known = (bool*)(s.x + 2 * (ptrdiff_t)n); /* n numbers have room for n flags */
  double* rest = s.x + 3 * (ptrdiff_t)n;
  s.tol = ZW_TOL_ZERO_REL * zw_max_abs(square, R);
  zw_fill(square, 0, s.Q);
  for (int32_t i = 0; i < n; i++) s.Q[(ptrdiff_t)i * n + i] = 1;
  count = make_orthonormal(n, count, directions);
  for (bool has_found = true; has_found;) ZW_TRY(split(&s, count, directions, F, &has_found));
  give_zeros(&s, spectrum);
  ZW_TRY(solve_rest(&s, spectrum, s.left, rest));
  tell_apart(&s, count, directions, spectrum);
  return ZW_OK;
}
