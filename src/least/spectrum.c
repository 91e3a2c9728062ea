#include "least/spectrum.h"

#include <float.h>
#include <math.h>

#include "least/dense.h"
#include "least/eigen.h"
#include "least/lu.h"
#include "least/svd.h"

/* A direction belongs to a space when no more than this part of it is outside. */
static const double tol_inside = 1e-7;
/* So many times the rounding of its entries may move a number before it counts. */
static const double safety = 8;
/* Balancing ends when a row and its column differ by no more than this. */
static const double nearly_even = 0.95;
/* Of the singular values and of the iteration, in units of eps times the size of the matrix. */
#define ROUNDING 2.0
/* A frame comes from a null space: it is known at best to this part of its speed, and at least to that part of the largest entry. */
#define FRAME_BEST 2e-13
#define FRAME_WORST 1e-8

/* Eigenvalues this near to each other, as a part of the largest entry, may be one. */
static const double tol_together = 1e-2;

enum { BALANCE_ROUNDS = 100 };

/* The work on its way: U = Q R Q^T, with zeros where they are known to be. The known directions are the first m rows of Q; of these,
 * and of the others, zeros are split off first. */
typedef struct Staircase {
  int32_t n, m;
  const double* noise; /* n x n: of the entries of R */
  double leak;         /* how far R leads the known directions astray, at most: by their own rounding */
  double rounding;     /* of the singular values and of the iteration: of the largest entry */
  double *Q, *U;
  double *sigma, *left, *right, *block, *F; /* of the block that is looked at */
  double *x, *y;                            /* 2 n each */
  bool *is_zero, *is_known;                 /* n: of the rows split off */
} Staircase;

/* ---- a new basis ---- */

/* Rows of X from `first` on, replaced by combinations V (count x count) of themselves. */
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

/* Fills V (count x count, orthonormal) up from its row `have` on: of each axis what is perpendicular to the rows before. */
static bool fill_up(int32_t count, int32_t have, double* V) {
  for (int32_t axis = 0; axis < count && have < count; axis++) {
    double* v = V + (ptrdiff_t)have * count;
    zw_fill(count, 0, v);
    v[axis] = 1;
    for (int pass = 0; pass < 2; pass++) {
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
  return have == count;
}

/* ---- zeros ---- */

/* |x|^T noise |y| */
static double noise_between(const Staircase* s, const double* x, const double* y) {
  double sum = 0;
  for (int32_t i = 0; i < s->n; i++) {
    double row = 0;
    for (int32_t j = 0; j < s->n; j++) row += s->noise[(ptrdiff_t)i * s->n + j] * fabs(y[j]);
    sum += fabs(x[i]) * row;
  }
  return sum;
}

/* to = the vector with these components along rows of Q from `first` on */
static void add_up(const Staircase* s, int32_t first, int32_t count, const double* part, double* to) {
  zw_fill(s->n, 0, to);
  for (int32_t i = 0; i < count; i++) zw_axpy(s->n, part[i], s->Q + (ptrdiff_t)(first + i) * s->n, to);
}

static void copy_block(const Staircase* s, int32_t first, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    zw_copy(count, s->U + (ptrdiff_t)(first + i) * s->n + first, s->block + (ptrdiff_t)i * count);
  }
}

/* By how much the k-th singular value of a block may be off: its vectors tell which entries it is made of. */
static double doubt_of_singular(const Staircase* s, int32_t first, int32_t count, int32_t k) {
  add_up(s, first, count, s->left + (ptrdiff_t)k * count, s->x);
  add_up(s, first, count, s->right + (ptrdiff_t)k * count, s->y);
  return safety * (noise_between(s, s->x, s->y) + s->leak) + s->rounding;
}

/* The null space of the block of `count` rows from `first` on becomes its first rows; how many these are. */
static ZwStatus split(Staircase* s, int32_t first, int32_t count, int32_t* found) {
  *found = 0;
  if (count == 0) return ZW_OK;
  copy_block(s, first, count);
  ZW_TRY(zw_svd(count, count, s->block, s->sigma, s->left, s->right));
  while (*found < count) {
    int32_t k = count - 1 - *found;
    if (s->sigma[k] > doubt_of_singular(s, first, count, k)) break;
    (*found)++;
  }
  if (*found == 0) return ZW_OK;
  for (int32_t i = 0; i < count / 2; i++) { /* the null space first */
    zw_swap_vectors(count, s->right + (ptrdiff_t)i * count, s->right + (ptrdiff_t)(count - 1 - i) * count);
  }
  turn(s, first, count, s->right);
  for (int32_t k = first; k < first + *found; k++) {
    s->is_zero[k] = true;
    for (int32_t i = first; i < first + count; i++) s->U[(ptrdiff_t)i * s->n + k] = 0;
  }
  return ZW_OK;
}

/* Of `found` zeros from m on, which R leads to known directions: those are explained that R leads to a known direction that it does not
 * lead to from others: going faster along a symmetry. What stays where it is, or can be made to by a known direction, is not. */
static ZwStatus tell_led_apart(Staircase* s, int32_t found) {
  int32_t m = s->m, rank = 0, led = 0;
  if (m == 0 || found == 0) return ZW_OK;
  copy_block(s, 0, m);
  ZW_TRY(zw_svd(m, m, s->block, s->sigma, s->left, s->right));
  while (rank < m && s->sigma[rank] > doubt_of_singular(s, 0, m, rank)) rank++;
  double scale = 0, *F = s->F; /* found x m: what R makes of them outside the range of the block of known ones */
  for (int32_t k = 0; k < found; k++) {
    double* to = F + (ptrdiff_t)k * m;
    for (int32_t i = 0; i < m; i++) to[i] = s->U[(ptrdiff_t)i * s->n + m + k];
    scale = zw_larger(scale, zw_norm(m, to));
    for (int32_t i = 0; i < rank; i++) {
      const double* along = s->left + (ptrdiff_t)i * m;
      zw_axpy(m, -zw_dot(m, along, to), along, to);
    }
  }
  double *by_found = s->block, *other = s->right;
  if (!(scale > s->rounding)) return ZW_OK;
  ZW_TRY(zw_svd(found, m, F, s->sigma, by_found, other)); /* left vectors: combinations of those found */
  int32_t most = found < m ? found : m;
  while (led < most && s->sigma[led] > tol_inside * scale) led++;
  double* V = s->left;
  zw_copy((ptrdiff_t)led * found, by_found, V);
  if (!fill_up(found, led, V)) return ZW_OK;
  turn(s, m, found, V);
  for (int32_t k = 0; k < led; k++) s->is_known[m + k] = true;
  return ZW_OK;
}

/* ---- known directions ---- */

/* The longest of the rows of S from `first` on is brought there; its length. */
static double bring_longest(int32_t n, int32_t first, int32_t count, double* S) {
  int32_t longest = first;
  double most = 0;
  for (int32_t k = first; k < count; k++) {
    double length = zw_norm(n, S + (ptrdiff_t)k * n);
    if (!(length > most) || !isfinite(length)) continue;
    most = length;
    longest = k;
  }
  if (longest != first) zw_swap_vectors(n, S + (ptrdiff_t)first * n, S + (ptrdiff_t)longest * n);
  return most;
}

/* Rows of S: orthonormal, as many as are independent. What is left of each outside those before it decides which is next: all are known equally
 * well, so that short ones would spoil the others. */
static int32_t make_orthonormal(int32_t n, int32_t count, double* S) {
  double first = 0;
  for (int32_t have = 0; have < count; have++) {
    double length = bring_longest(n, have, count, S), *v = S + (ptrdiff_t)have * n;
    first = zw_larger(first, length);
    if (!(length > tol_inside * first)) return have;
    zw_scale(n, 1 / length, v);
    for (int32_t i = 0; i < have; i++) zw_axpy(n, -zw_dot(n, S + (ptrdiff_t)i * n, v), S + (ptrdiff_t)i * n, v);
    zw_scale(n, 1 / zw_norm(n, v), v);
    for (int32_t k = have + 1; k < count; k++) {
      double* other = S + (ptrdiff_t)k * n;
      for (int pass = 0; pass < 2; pass++) zw_axpy(n, -zw_dot(n, v, other), v, other);
    }
  }
  return count;
}

/* What is left of R s_k outside the span of S (count x n, orthonormal). */
static void lead_out(int32_t n, const double* R, int32_t count, const double* S, int32_t k, double* x) {
  zw_multiply(n, n, R, S + (ptrdiff_t)k * n, x);
  for (int32_t i = 0; i < count; i++) {
    const double* known = S + (ptrdiff_t)i * n;
    zw_axpy(n, -zw_dot(n, known, x), known, x);
  }
}

/* How far R leads the known directions out of their span, which it should not, is how well it is known. */
static void add_noise_of_frame(int32_t n, const double* R, double frame, int32_t count, const double* S, double* noise,
                               double* x) {
  double off = FRAME_BEST * frame, most = FRAME_WORST * zw_max_abs((ptrdiff_t)n * n, R);
  for (int32_t k = 0; k < count; k++) {
    lead_out(n, R, count, S, k, x);
    off = zw_larger(off, zw_max_abs(n, x));
  }
  if (off > most) off = most;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; i++) noise[i] += off;
}

/* Known directions are believed as far as R keeps them among themselves, but for its rounding and theirs: those that it leads elsewhere
 * are dropped. */
static int32_t keep_invariant(const Staircase* s, const double* R, int32_t count, double* S) {
  int32_t n = s->n;
  double largest = zw_max_abs((ptrdiff_t)n * n, R);
  for (int32_t out = 1; out > 0 && count > 0; count -= out) {
    for (int32_t k = 0; k < count; k++) lead_out(n, R, count, S, k, s->F + (ptrdiff_t)k * n); /* count x n */
    if (zw_svd(count, n, s->F, s->sigma, s->left, s->right)) return 0; /* left: combinations of directions */
    for (int32_t i = 0; i < count; i++) {
      double* to = s->block + (ptrdiff_t)i * n;
      zw_fill(n, 0, to);
      for (int32_t k = 0; k < count; k++) zw_axpy(n, s->left[(ptrdiff_t)i * count + k], S + (ptrdiff_t)k * n, to);
    }
    out = 0;
    while (out < count) {
      double doubt = safety * noise_between(s, s->right + (ptrdiff_t)out * n, s->block + (ptrdiff_t)out * n);
      if (!(s->sigma[out] > doubt + FRAME_BEST * largest)) break;
      out++;
    }
    if (out > 0) zw_copy((ptrdiff_t)(count - out) * n, s->block + (ptrdiff_t)out * n, S);
  }
  return count;
}

/* Q begins with the known directions; U = Q R Q^T, in place of R. */
static bool begin(Staircase* s, int32_t count, const double* S) {
  int32_t n = s->n;
  s->m = count;
  zw_copy((ptrdiff_t)count * n, S, s->Q);
  if (!fill_up(n, count, s->Q)) return false;
  for (int32_t i = 0; i < n; i++)
    zw_multiply(n, n, s->Q, s->U + (ptrdiff_t)i * n, s->block + (ptrdiff_t)i * n); /* R Q^T */
  for (int32_t i = 0; i < n; i++) {
    double* to = s->U + (ptrdiff_t)i * n;
    zw_fill(n, 0, to);
    for (int32_t k = 0; k < n; k++) zw_axpy(n, s->Q[(ptrdiff_t)i * n + k], s->block + (ptrdiff_t)k * n, to);
  }
  for (int32_t i = count; i < n; i++) zw_fill(count, 0, s->U + (ptrdiff_t)i * n);
  return true;
}

/* ---- the others ---- */

/* The part of a vector before `top`, from its part after it: (lambda - U_tt) t = U_tc c, with t in x and y. */
static void lift(const Staircase* s, int32_t top, int32_t count, double re, double im, double* x, double* y, double* K,
                 int32_t* swap) {
  int32_t n = s->n, size = 2 * top;
  double* right = s->F;
  for (int32_t i = 0; i < top; i++) {
    const double* row = s->U + (ptrdiff_t)i * n;
    right[i] = zw_dot(count, row + top, x + top);
    right[top + i] = zw_dot(count, row + top, y + top);
    for (int32_t j = 0; j < top; j++) {
      double entry = (i == j ? re : 0) - row[j], turn_by = i == j ? im : 0;
      K[(ptrdiff_t)i * size + j] = K[(ptrdiff_t)(top + i) * size + top + j] = entry;
      K[(ptrdiff_t)i * size + top + j] = -turn_by;
      K[(ptrdiff_t)(top + i) * size + j] = turn_by;
    }
  }
  if (top == 0 || !(zw_lu_factor(size, K, swap) > 0)) return;
  zw_lu_solve(size, K, swap, right);
  zw_copy(top, right, x);
  zw_copy(top, right + top, y);
}

/* What the rounding of R makes of an eigenvalue of the block from `first` on, by its left and its right vector, y^T x = 1. */
static double doubt_of(const Staircase* s, int32_t first, int32_t count, const double* left, const double* right,
                       bool is_pair) {
  double *y = s->x, *x = s->y, *other = s->x + s->n;
  add_up(s, first, count, left, y);
  if (is_pair) {
    add_up(s, first, count, left + count, other);
    for (int32_t i = 0; i < s->n; i++) y[i] = 0.5 * hypot(y[i], other[i]);
  }
  add_up(s, first, count, right, x);
  if (is_pair) {
    add_up(s, first, count, right + count, other);
    for (int32_t i = 0; i < s->n; i++) x[i] = hypot(x[i], other[i]);
  }
  return safety * noise_between(s, y, x) + s->rounding * zw_norm(s->n, y) * zw_norm(s->n, x);
}

/* What rounding can make of an eigenvalue that m others are near to, whatever its vectors are: a root of order m + 1 of it. */
static double most_doubt(const Staircase* s, int32_t count, const double* re, const double* im, int32_t k) {
  double size = s->rounding / (ROUNDING * s->n * DBL_EPSILON), noise = 0;
  int32_t near = 0;
  for (int32_t j = 0; j < count; j++) near += hypot(re[j] - re[k], im[j] - im[k]) <= tol_together * size;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)s->n * s->n; i++) noise = zw_larger(noise, s->noise[i]);
  noise = (safety * s->n * noise + s->rounding) / size;
  return noise < 1 ? size * pow(noise, 1.0 / near) : size;
}

/* The left vectors of a block are the rows of the inverse of the matrix of its right ones. */
static void find_doubts(const Staircase* s, int32_t first, int32_t count, const double* vectors, const double* re,
                        const double* im, double* doubt, int32_t* swap) {
  double *X = s->block, *y = s->F;
  zw_copy((ptrdiff_t)count * count, vectors, X); /* its rows are the vectors; those of a pair are two */
  bool is_regular = count > 0 && zw_lu_factor(count, X, swap) > 0;
  for (int32_t k = 0; k < count; k++) {
    bool is_pair = im[k] > 0;
    zw_fill(2 * (ptrdiff_t)count, 0, y);
    y[k] = 1; /* X y = e_k */
    if (is_pair) y[count + k + 1] = 1;
    if (is_regular) zw_lu_solve(count, X, swap, y);
    if (is_regular && is_pair) zw_lu_solve(count, X, swap, y + count);
    doubt[k] = most_doubt(s, count, re, im, k);
    if (is_regular) {
      double by_vectors = doubt_of(s, first, count, y, vectors + (ptrdiff_t)k * count, is_pair);
      if (by_vectors < doubt[k]) doubt[k] = by_vectors;
    }
    if (!is_pair) continue;
    doubt[k + 1] = doubt[k];
    k++;
  }
}

/* Eigenvalues and vectors of the block of `count` rows from `top` on, to place `at` of the answer. */
static ZwStatus solve_block(Staircase* s, int32_t top, int32_t count, ZwSpectrum* spectrum, int32_t at, double* work) {
  int32_t n = s->n;
  double *re = spectrum->re + at, *im = spectrum->im + at, *x = s->x, *y = s->y, *small = s->left, *K = work;
  int32_t* swap = (int32_t*)(void*)(s->sigma);
  if (count == 0) return ZW_OK;
  copy_block(s, top, count);
  ZW_TRY(zw_eigen(count, s->block, re, im, small, work));
  find_doubts(s, top, count, small, re, im, spectrum->doubt + at, swap);
  for (int32_t k = 0; k < count; k++) {
    double* out = spectrum->vectors + (ptrdiff_t)(at + k) * n;
    bool is_pair = im[k] != 0;
    zw_fill(n, 0, x);
    zw_fill(n, 0, y);
    zw_copy(count, small + (ptrdiff_t)k * count, x + top);
    if (is_pair) zw_copy(count, small + (ptrdiff_t)(k + 1) * count, y + top);
    lift(s, top, count, re[k], im[k], x, y, K, swap);
    add_up(s, 0, n, x, out);
    double length = zw_norm(n, out);
    if (is_pair) {
      add_up(s, 0, n, y, out + n);
      length = hypot(length, zw_norm(n, out + n));
      zw_scale(n, 1 / length, out + n);
      k++;
    }
    zw_scale(n, 1 / length, out);
  }
  return ZW_OK;
}

static void give_zeros(const Staircase* s, ZwSpectrum* spectrum) {
  int32_t at = 0;
  spectrum->known = 0;
  for (int wants_known = 1; wants_known >= 0; wants_known--) {
    for (int32_t k = 0; k < s->n; k++) {
      if (!s->is_zero[k] || s->is_known[k] != (wants_known == 1)) continue;
      spectrum->re[at] = spectrum->im[at] = spectrum->doubt[at] = 0;
      spectrum->is_known[at] = wants_known == 1;
      spectrum->known += wants_known;
      zw_copy(s->n, s->Q + (ptrdiff_t)k * s->n, spectrum->vectors + (ptrdiff_t)at++ * s->n);
    }
  }
  spectrum->zeros = at;
}

/* ---- units ---- */

/* Is an entry more than rounding? */
static bool counts(const double* R, const double* noise, ptrdiff_t at) {
  return fabs(R[at]) > safety * noise[at];
}

/* Row and column i by powers of two: R becomes D^-1 R D, and the rounding of its entries with it. */
static void scale_one(int32_t n, int32_t i, double factor, double* R) {
  for (int32_t j = 0; j < n; j++) {
    R[(ptrdiff_t)i * n + j] /= factor;
    R[(ptrdiff_t)j * n + i] *= factor;
  }
}

/* Brings rows and columns to one size, so that slow motions count as much as fast ones; rounding is not taken for more than it is. */
static void balance(int32_t n, double* R, double* noise, double* D) {
  for (int32_t i = 0; i < n; i++) D[i] = 1;
  bool is_even = false;
  for (int round = 0; round < BALANCE_ROUNDS && !is_even; round++) {
    is_even = true;
    for (int32_t i = 0; i < n; i++) {
      double row = 0, column = 0;
      for (int32_t j = 0; j < n; j++) {
        ptrdiff_t in_row = (ptrdiff_t)i * n + j, in_column = (ptrdiff_t)j * n + i;
        if (i != j && counts(R, noise, in_row)) row += fabs(R[in_row]);
        if (i != j && counts(R, noise, in_column)) column += fabs(R[in_column]);
      }
      if (!(row > 0) || !(column > 0)) continue;
      double factor = ldexp(1, ilogb(sqrt(row / column)));
      if (!(factor * column + row / factor < nearly_even * (row + column))) continue;
      is_even = false;
      D[i] *= factor;
      scale_one(n, i, factor, R);
      scale_one(n, i, factor, noise);
    }
  }
}

/* Back in the units of the caller; each vector has length 1 again. */
static void unbalance(ZwSpectrum* spectrum, const double* D) {
  int32_t n = spectrum->n;
  for (int32_t k = 0; k < n; k++) {
    int32_t rows = spectrum->im[k] > 0 ? 2 : 1;
    double* x = spectrum->vectors + (ptrdiff_t)k * n;
    for (int32_t i = 0; i < rows * n; i++) x[i] *= D[i % n];
    double length = zw_norm(rows * n, x);
    if (length > 0) zw_scale(rows * n, 1 / length, x);
    k += rows - 1;
  }
}

/* ---- all of it ---- */

ptrdiff_t zw_spectrum_work(int32_t n) {
  ptrdiff_t square = (ptrdiff_t)n * n, own = 4 * square > zw_eigen_work(n) ? 4 * square : zw_eigen_work(n);
  return 5 * square + 16 * (ptrdiff_t)n + own;
}

static void place(Staircase* s, double* work, double** D, double** rest) {
  ptrdiff_t n = s->n, square = n * n;
  s->Q = work;
  s->left = s->Q + square;
  s->right = s->left + square;
  s->block = s->right + square;
  s->F = s->block + square;
  s->sigma = s->F + square + 4 * n; /* F has room for two vectors more; sigma for 2 n indices */
  s->x = s->sigma + 2 * n;
  s->y = s->x + 2 * n;
  s->is_zero = (bool*)(s->y + 2 * n); /* n numbers have room for n flags */
  s->is_known = (bool*)(s->y + 3 * n);
  *D = s->y + 4 * n;
  *rest = *D + n;
  for (ptrdiff_t i = 0; i < n; i++) s->is_zero[i] = s->is_known[i] = false;
}

/* Zeros among the known directions, and those that R leads to them, and all others. *of_known, *of_others: where what is left begins. */
static ZwStatus split_all(Staircase* s, int32_t* of_known, int32_t* of_others) {
  int32_t found = 1;
  for (*of_known = 0; found > 0; *of_known += found) ZW_TRY(split(s, *of_known, s->m - *of_known, &found));
  for (int32_t k = 0; k < s->m; k++) s->is_known[k] = true;
  found = 1;
  for (*of_others = s->m; found > 0; *of_others += found) {
    ZW_TRY(split(s, *of_others, s->n - *of_others, &found));
    if (*of_others == s->m) ZW_TRY(tell_led_apart(s, found));
  }
  return ZW_OK;
}

ZwStatus zw_spectrum(ZwSpectrum* spectrum, double* R, double* noise, int32_t count, double* directions, double* work) {
  int32_t n = spectrum->n, of_known, of_others;
  ptrdiff_t square = (ptrdiff_t)n * n;
  if (!zw_all_finite(square, R)) return ZW_ERR_DOMAIN;
  Staircase s = {.n = n, .U = R, .noise = noise};
  double *D, *rest;
  place(&s, work, &D, &rest);
  count = make_orthonormal(n, count, directions);
  if (spectrum->frame > 0) add_noise_of_frame(n, R, spectrum->frame, count, directions, noise, s.x);
  balance(n, R, noise, D);
  for (int32_t k = 0; k < count; k++) {
    for (int32_t i = 0; i < n; i++) directions[(ptrdiff_t)k * n + i] /= D[i];
  }
  s.rounding = ROUNDING * n * DBL_EPSILON * zw_max_abs(square, R);
  count = keep_invariant(&s, R, make_orthonormal(n, count, directions), directions);
  for (int32_t k = 0; k < count; k++) {
    lead_out(n, R, count, directions, k, s.x);
    s.leak = zw_larger(s.leak, zw_norm(n, s.x));
  }
  if (!begin(&s, count, directions)) return ZW_ERR_STEP;
  ZW_TRY(split_all(&s, &of_known, &of_others));
  give_zeros(&s, spectrum);
  int32_t turning = s.m - of_known, at = spectrum->zeros;
  ZW_TRY(solve_block(&s, of_known, turning, spectrum, at, rest));
  for (int32_t k = 0; k < turning; k++) spectrum->is_known[at + k] = true;
  ZW_TRY(solve_block(&s, of_others, n - of_others, spectrum, at + turning, rest));
  for (int32_t k = at + turning; k < n; k++) spectrum->is_known[k] = false;
  unbalance(spectrum, D);
  return ZW_OK;
}
