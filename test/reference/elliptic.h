/* Jacobi's elliptic functions by the arithmetic-geometric mean (Abramowitz, Stegun 16.4), in long double. */
#ifndef ZW_TEST_ELLIPTIC_H
#define ZW_TEST_ELLIPTIC_H

#include <math.h>

typedef struct Elliptic {
  double sn, cn, dn;
} Elliptic;

enum { AGM_MAX = 16 };

/* The means a_i and half differences c_i from a = 1, c = k; the number of steps. */
static inline int agm(long double k, long double a[AGM_MAX], long double c[AGM_MAX]) {
  long double b = sqrtl(1 - k * k);
  a[0] = 1;
  c[0] = k;
  int i = 0;
  while (i + 1 < AGM_MAX && fabsl(c[i]) > 1e-19L) {
    a[i + 1] = (a[i] + b) / 2;
    c[i + 1] = (a[i] - b) / 2;
    b = sqrtl(a[i] * b);
    i++;
  }
  return i;
}

/* The complete integral K of modulus k. */
static inline long double elliptic_K(long double k) {
  long double a[AGM_MAX], c[AGM_MAX];
  return acosl(-1) / 2 / a[agm(k, a, c)];
}

/* sn, cn, dn of u with modulus k. */
static inline Elliptic elliptic(long double u, long double k) {
  long double a[AGM_MAX], c[AGM_MAX];
  int steps = agm(k, a, c);
  long double phi = ldexpl(a[steps] * u, steps);
  for (int i = steps; i > 0; i--) phi = (phi + asinl(c[i] / a[i] * sinl(phi))) / 2;
  long double sn = sinl(phi);
  return (Elliptic){(double)sn, (double)cosl(phi), (double)sqrtl(1 - k * k * sn * sn)};
}

#endif
