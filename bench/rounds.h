/* How long benchmarks measure. With ZW_BENCH_SHORT set, as `make bench-short` and a test do, everything is done once, on small
 * sizes where there is a choice, and nothing is kept: that shows whether a benchmark runs at all, and no clock decides. */
#ifndef ZW_BENCH_ROUNDS_H
#define ZW_BENCH_ROUNDS_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_bench_short(void) {
  return getenv("ZW_BENCH_SHORT") != NULL;
}

/* So many rounds; one if it is short. */
static inline int bench_rounds(int many) {
  return is_bench_short() ? 1 : many;
}

/* At least so many seconds of each round; none if it is short. */
static inline double bench_seconds(double least) {
  return is_bench_short() ? 0 : least;
}

/* A size; the smaller one if it is short. */
static inline int bench_size(int full, int small) {
  return is_bench_short() ? small : full;
}

#endif
