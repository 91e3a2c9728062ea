#include "least/balance.h"

#include "least/dense.h"

/* Sweeps over rows and coordinates; nearby ones agree after a few. */
enum { SWEEPS = 12 };
/* Units that have moved by less than this, as a power of two, stay. */
static const double settled = 0.25;
/* Units that differ from those of the masses by less than this hide nothing: a rank is decided a thousand times below. */
static const double hides = 1e3;

/* Sums of exponents by row or by coordinate, and how many there are. */
typedef struct Exponents {
  double *of, *sum, *count;
} Exponents;

static int32_t begin_of(const ZwEntries* entries, int32_t i) {
  return entries->begin ? entries->begin[i] : i * entries->n;
}

static int32_t column_of(const ZwEntries* entries, int32_t i, int32_t k) {
  return entries->column ? entries->column[k] : k - i * entries->n;
}

size_t zw_balance_work(const ZwEntries* entries) {
  return 3 * ((size_t)entries->m + (size_t)entries->n) + (size_t)begin_of(entries, entries->m);
}

static double by_mass(const ZwEntries* entries, int32_t j, double size) {
  double mass = entries->mass ? entries->mass[j] : 0;
  return mass > 0 ? size / sqrt(mass) : 0;
}

/* What entries of row i must have to count: as written, and by the masses. */
typedef struct Least {
  double written, by_mass;
} Least;

static Least least_of(const ZwEntries* entries, int32_t i) {
  Least least = {0, 0};
  for (int32_t k = begin_of(entries, i); k < begin_of(entries, i + 1); k++) {
    double size = entries->most[k];
    least.written = zw_larger(least.written, size);
    least.by_mass = zw_larger(least.by_mass, by_mass(entries, column_of(entries, i, k), size));
  }
  least.written *= ZW_TOL_ENTRY_REL;
  least.by_mass *= ZW_TOL_ENTRY_REL;
  return least;
}

static bool counts(const ZwEntries* entries, Least least, int32_t j, double size) {
  if (!(size > 0)) return false;
  return size >= least.written || (least.by_mass > 0 && by_mass(entries, j, size) >= least.by_mass);
}

/* Exponents of the entries that count, NaN for the others. */
static void take_exponents(const ZwEntries* entries, double* to) {
  for (int32_t i = 0; i < entries->m; i++) {
    Least least = least_of(entries, i);
    for (int32_t k = begin_of(entries, i); k < begin_of(entries, i + 1); k++) {
      int exponent = 0;
      frexp(entries->most[k], &exponent);
      bool has_size = counts(entries, least, column_of(entries, i, k), entries->most[k]);
      to[k] = has_size ? (double)exponent : (double)NAN;
    }
  }
}

/* The means of what is left of the exponents become those of the rows, or of the coordinates. Gives how far one moved. */
static double take_means(Exponents* group, int32_t count) {
  double most = 0;
  for (int32_t i = 0; i < count; i++) {
    if (group->count[i] == 0) continue;
    double mean = group->sum[i] / group->count[i];
    most = zw_larger(most, fabs(mean - group->of[i]));
    group->of[i] = mean;
  }
  return most;
}

/* log |a_ij| = row_i + column_j as well as can be: the rows for given coordinates, or the coordinates for given rows. */
static double fit(const ZwEntries* entries, const double* exponents, Exponents* row, Exponents* column, bool is_row) {
  Exponents *to = is_row ? row : column, *from = is_row ? column : row;
  int32_t size = is_row ? entries->m : entries->n;
  zw_fill(size, 0, to->sum);
  zw_fill(size, 0, to->count);
  for (int32_t i = 0; i < entries->m; i++) {
    for (int32_t k = begin_of(entries, i); k < begin_of(entries, i + 1); k++) {
      if (isnan(exponents[k])) continue;
      int32_t j = column_of(entries, i, k), own = is_row ? i : j, other = is_row ? j : i;
      to->sum[own] += exponents[k] - from->of[other];
      to->count[own]++;
    }
  }
  return take_means(to, size);
}

/* |row i| in the units of the coordinates, without leaving the range of numbers. */
static double length_of(const ZwEntries* entries, int32_t i, const double* unit) {
  double most = 0, sum = 0;
  for (int32_t k = begin_of(entries, i); k < begin_of(entries, i + 1); k++) {
    most = zw_larger(most, entries->most[k] * unit[column_of(entries, i, k)]);
  }
  if (!(most > 0)) return 1;
  for (int32_t k = begin_of(entries, i); k < begin_of(entries, i + 1); k++) {
    double part = entries->most[k] * unit[column_of(entries, i, k)] / most;
    sum += part * part;
  }
  return most * sqrt(sum);
}

/* Whether every entry that there is counts. */
static bool is_whole(const ZwEntries* entries, const double* exponents) {
  for (int32_t k = 0; k < begin_of(entries, entries->m); k++) {
    if (entries->most[k] > 0 && isnan(exponents[k])) return false;
  }
  return true;
}

bool zw_balance(const ZwEntries* entries, double* unit, double* length, double* work) {
  int32_t m = entries->m, n = entries->n;
  Exponents row = {work, work + m, work + 2 * (ptrdiff_t)m}, column;
  work += 3 * (ptrdiff_t)m;
  column = (Exponents){work, work + n, work + 2 * (ptrdiff_t)n};
  double* exponents = work + 3 * (ptrdiff_t)n;
  take_exponents(entries, exponents);
  zw_fill(m, 0, row.of);
  zw_fill(n, 0, column.of);
  zw_fill(n, 0, column.count);
  for (int k = 0; k < SWEEPS; k++) {
    (void)fit(entries, exponents, &row, &column, true);
    if (fit(entries, exponents, &row, &column, false) < settled) break;
  }
  for (int32_t j = 0; j < n; j++) unit[j] = column.count[j] > 0 ? ldexp(1, -(int)lround(column.of[j])) : 0;
  for (int32_t i = 0; i < m; i++) length[i] = length_of(entries, i, unit);
  return is_whole(entries, exponents);
}

bool zw_balance_differs(const ZwEntries* entries, const double* unit) {
  double least = INFINITY, most = 0;
  for (int32_t j = 0; j < entries->n; j++) {
    double mass = entries->mass ? entries->mass[j] : 0, ratio = unit[j] * sqrt(mass > 0 ? mass : 1);
    if (!(ratio > 0)) continue;
    least = zw_smaller(least, ratio);
    most = zw_larger(most, ratio);
  }
  return most > hides * least;
}
