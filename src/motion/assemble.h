/* The assembly problem: unknowns x (positions or velocities) that shall satisfy rows r(x) = 0, where some of x was typed
 * by the user and holds, and the rest is free. Numbers only; start.c says what the numbers are. */
#ifndef ZW_MOTION_ASSEMBLE_H
#define ZW_MOTION_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ZwAssembly {
  int32_t n, m;
  double* x;           /* n: in: the user's values; out: the answer */
  const int32_t* hold; /* n: 0 free, 1 a guess, 2 typed: moved in this order, as far as needed */
  const double* M;     /* n x n metric; massless directions count Euclidean */
  /* r (m) and J (m x n, row-major) at x; false when they are not finite */
  bool (*eval)(void* context, const double* x, double* r, double* J);
  void* context;
  /* work memory, numbers each: J m n, Y m n, S m m, G n n, r 2 m, lengths m, work 5 n, typed n;
   * and n flags */
  double *J, *Y, *S, *G, *r, *lengths, *work, *typed;
  bool* is_fixed;

  /* how it went */
  bool has_searched; /* free values were found from another guess: several answers are possible */
} ZwAssembly;

typedef enum ZwAssembled {
  ZW_ASSEMBLED,
  ZW_ASSEMBLY_NOT_FINITE, /* at the user's values */
  ZW_ASSEMBLY_FLAT,       /* a row is violated and its gradient vanishes: nowhere to go; its number in *row */
  ZW_ASSEMBLY_CONFLICT    /* no x satisfies all rows; the rows with r != 0 contradict each other; r is left in a->r */
} ZwAssembled;

ZwAssembled zw_assemble(ZwAssembly* a, int32_t* row);

#endif
