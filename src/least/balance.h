/* Units of rows and coordinates for a rank decision (R1), found from the entries of the rows themselves.
 *
 * Whether rows depend on each other is no matter of units: neither of those that a row was written in, nor of those of a
 * coordinate, nor of how heavy a coordinate is. In the metric of the masses a coordinate that is heavy beside others in its
 * rows is hardly seen: a knot of a milligram and what hangs below it seem to be held by the same rows. So, for a second look,
 * the sizes that entries can have are brought near to one, by a power of two for each row and each coordinate. */
#ifndef ZW_LEAST_BALANCE_H
#define ZW_LEAST_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry smaller than this part of its row counts as none, if it is that small in the units it was written in and in
 * those of the masses: it is what is left of one that vanishes. */
#define ZW_TOL_ENTRY_REL 1e-6

typedef struct ZwEntries {
  int32_t m, n;
  const int32_t *begin, *column; /* m + 1; where the entries of each row stand. NULL: everywhere, row by row */
  const double* most;            /* the sizes entries can have, none negative */
  const double* mass;            /* n: the diagonal of M, 0 where there is no positive one; NULL: no masses are known */
} ZwEntries;

/* Numbers of work memory. */
size_t zw_balance_work(const ZwEntries* entries);

/* Factors of the coordinates into `unit` (n; 0: only rounding stands there) and, in those units, the lengths that rows can
 * have into `length` (m; 1 for a row without entries). False when an entry was taken for rounding:
 * then these units tell which rows are new, but not what others are made of. */
bool zw_balance(const ZwEntries* entries, double* unit, double* length, double* work);

/* Whether these units are so far from those of the masses that the metric of the masses may hide a coordinate. */
bool zw_balance_differs(const ZwEntries* entries, const double* unit);

#endif
