/* Where a sparse matrix has entries: by rows, the columns of a row ascending and each at most once. Values live
 * elsewhere, one for each place, so that a pattern is looked at once and values change as often as they like. */
#ifndef ZW_SPARSE_CSR_H
#define ZW_SPARSE_CSR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ZwCsr {
  int32_t rows, columns;
  const int32_t* begin;  /* rows + 1; the places of row i are begin[i] to begin[i + 1] - 1 */
  const int32_t* column; /* begin[rows] */
} ZwCsr;

/* Whether rows are within bounds and ascending, columns too. Symmetric matrices are given by their lower triangle. */
bool zw_csr_is_valid(const ZwCsr* csr);
bool zw_csr_is_lower(const ZwCsr* csr);

/* The transposed pattern; `place` (as long as the columns, may be NULL) tells for each of its places where it was.
 * False when memory is out. */
bool zw_csr_transpose(ZwArena* arena, const ZwCsr* csr, ZwCsr* transposed, int32_t** place);

/* The graph of a symmetric matrix given by its lower triangle: both triangles, without the diagonal. */
bool zw_csr_graph(ZwArena* arena, const ZwCsr* lower, ZwCsr* graph);

/* A scratch arena that takes its memory from where `arena` does and obeys what is left of its limit. */
void zw_scratch_init(ZwArena* scratch, const ZwArena* arena);
/* Drops it; true when it never failed. A limit reached in it counts as reached in `arena`. */
bool zw_scratch_destroy(ZwArena* scratch, ZwArena* arena);

#endif
