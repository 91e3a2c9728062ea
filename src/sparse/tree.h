/* What elimination in a given order does to a pattern: the elimination tree, and where L has entries. */
#ifndef ZW_SPARSE_TREE_H
#define ZW_SPARSE_TREE_H

#include "sparse/csr.h"

/* The lower triangle of P K P^T, without the diagonal, columns not sorted: row k belongs to unknown order[k]. */
bool zw_tree_permute(ZwArena* arena, const ZwCsr* graph, const int32_t* order, ZwCsr* lower);

/* parent[j] is the first row below the diagonal of column j of L, or -1. `lower` as above; `work` takes n. */
void zw_tree_parents(const ZwCsr* lower, int32_t* parent, int32_t* work);

/* Children before parents, every subtree in one piece; `order` is rearranged so, which changes nothing in L but where
 * it stands. `work` takes 4 n. */
void zw_tree_postorder(int32_t n, const int32_t* parent, int32_t* order, int32_t* work);

/* counts[j]: entries in column j of L below the diagonal. Gives their sum; gives up, with the counts unfinished, where it
 * exceeds 2^31 - 1. `work` takes n. */
int64_t zw_tree_counts(const ZwCsr* lower, const int32_t* parent, int32_t* counts, int32_t* work);

#endif
