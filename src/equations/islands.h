/* Islands: which coordinates have to do with each other. Two coordinates belong to one island if something joins them, directly or by
 * way of others; what happens on one island must not depend on what else stands in the file.
 *
 * Three kinds of things join coordinates, and each caller takes what it needs:
 *
 *   inertia    terms of M, through which impulses pass
 *   terms      all energies, forces, dissipations and Gibbs functions that read them, as a spring does; they include the inertia
 *   rows       constraints and contacts that are in force at a state: the caller joins them, since only the state tells which they are
 *
 * The first two never change, and are found once (zw_islands_find). At a state:
 *
 *   ZwIslands islands = {.of = n numbers of the caller's};
 *   zw_islands_open(&islands, equations, ZW_JOIN_INERTIA);
 *   zw_islands_join_row(&islands, equations, row);         for each row in force
 *   zw_islands_close(&islands);                            then islands.of[j] is the island of coordinate j
 *
 * motion/islands.h does this for a simulation. Conditions of events and memories join nothing. A force that the host computes is
 * not known here; zw_islands_join_all is for that. */
#ifndef ZW_EQUATIONS_ISLANDS_H
#define ZW_EQUATIONS_ISLANDS_H

#include "equations/equations.h"

typedef enum ZwJoin { ZW_JOIN_INERTIA, ZW_JOIN_TERMS } ZwJoin;

typedef struct ZwIslands {
  ZwJoin by;
  int32_t n;
  int32_t count; /* islands, from zw_islands_close on */
  int32_t*
      of; /* n, the caller's: the island of each coordinate, counted in the order of their first coordinates. Before
                  * zw_islands_close: another coordinate of the same island, or itself */
} ZwIslands;

/* The last step of the equations stage: fills equations->joined, row_reads, masses, has_bent_rows and parts. */
bool zw_islands_find(ZwEquations* equations);

/* Begins with what always joins. */
void zw_islands_open(ZwIslands* islands, const ZwEquations* equations, ZwJoin join);
void zw_islands_join(ZwIslands* islands, int32_t a, int32_t b);
/* The coordinates of a row: those that it holds for ZW_JOIN_INERTIA, all that it reads for ZW_JOIN_TERMS. */
void zw_islands_join_row(ZwIslands* islands, const ZwEquations* equations, int32_t row);
void zw_islands_join_all(ZwIslands* islands);
/* Counts and numbers them. Nothing can be joined afterwards. */
void zw_islands_close(ZwIslands* islands);
/* After that: the island of a row, by its first coordinate; -1: it has none. */
int32_t zw_islands_of_row(const ZwIslands* islands, const ZwEquations* equations, int32_t row);

#endif
