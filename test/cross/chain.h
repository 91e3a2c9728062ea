/* A hanging chain of any number of equal links, written out in scalars. */
#ifndef ZW_TEST_CHAIN_H
#define ZW_TEST_CHAIN_H

#include <stdio.h>

#include "numbers.h"

/* The text of a chain with `links` links between points 0 (fixed) .. links; the caller frees it. Point k is the pair of
 * coordinates 2 k, 2 k + 1. */
static inline char* chain_text(int links) {
  size_t room = 512 + (size_t)links * 512, size = 0;
  char* text = malloc(room);
  assert_non_null(text);
#define CHAIN_PUT(...) size += (size_t)snprintf(text + size, room - size, __VA_ARGS__)
  CHAIN_PUT("param m = 1, l = 1, g = 9.81, k = 3, d = 0.1\n");
  CHAIN_PUT("coord x0 = 0, y0 = 0\nkinetic 1/2*m*(x0'^2 + y0'^2)\nconstraint x0 = 0\nconstraint y0 = 0\n");
  for (int i = 1; i <= links; i++) {
    int b = i - 1;
    CHAIN_PUT("coord x%d = %d, y%d = 0\n", i, i, i);
    CHAIN_PUT("kinetic 1/2*m*(x%d'^2 + y%d'^2)\npotential m*g*y%d\n", i, i, i);
    CHAIN_PUT("potential 1/2*k*(atan2(y%d - y%d, x%d - x%d) + sin(t))^2\n", i, b, i, b);
    CHAIN_PUT("force y%d = -d*y%d'*hypot(x%d', y%d')\n", i, i, i, i);
    CHAIN_PUT("constraint link%d: (x%d - x%d)^2 + (y%d - y%d)^2 = l^2\n", i, i, b, i, b);
    CHAIN_PUT("output tilt%d = atan2(y%d - y%d, x%d - x%d) + 0*x%d''\n", i, i, b, i, b, i);
  }
  CHAIN_PUT("run 0 .. 1\n");
#undef CHAIN_PUT
  assert_true(size < room);
  return text;
}

#endif
