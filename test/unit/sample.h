/* How much of a grid a test draws: a sample, all of it with ZW_LONG, and fewer with sanitizers, which look at lines of code and not at
 * numbers. */
#ifndef ZW_TEST_SAMPLE_H
#define ZW_TEST_SAMPLE_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_sanitized(void) {
#ifdef __SANITIZE_ADDRESS__
  return true;
#else
  return false;
#endif
}

static inline int sample(int sanitized, int usual, int all) {
  if (getenv("ZW_LONG")) return all;
  return is_sanitized() ? sanitized : usual;
}

#endif
