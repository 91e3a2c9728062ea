/* The order in which unknowns are eliminated, so that few entries appear that were zero: approximate minimum degree
 * (the idea is Amestoy's, Davis's and Duff's). It sees the pattern alone, so equal patterns get equal orders and equal
 * rounding. */
#ifndef ZW_SPARSE_ORDER_H
#define ZW_SPARSE_ORDER_H

#include "sparse/csr.h"

/* `order` (n): order[k] is the unknown eliminated in the k-th place. `graph` has both triangles and no diagonal.
 *
 * `waits` (n, or NULL) makes unknowns wait: i comes behind waits[i], one of its neighbours, if that is not negative.
 * An unknown whose own diagonal is zero gets a pivot only from a neighbour eliminated before it. Cycles of waiting are
 * broken where the order comes to a halt.
 *
 * False when memory is out. */
bool zw_order(ZwArena* arena, const ZwCsr* graph, const int32_t* waits, int32_t* order);

#endif
