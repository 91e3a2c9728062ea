/* Numbers for tests: a small deterministic generator, random matrices, and comparison with a tolerance. */
#ifndef ZW_TEST_NUMBERS_H
#define ZW_TEST_NUMBERS_H

/* cmocka wants these four before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* then */
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Fails unless |got - want| <= tol, all three in the same unit. NaN fails. */
#define assert_near(got, want, tol)                                                                           \
  do {                                                                                                        \
    double near_got = (got), near_want = (want), near_tol = (tol);                                            \
    if (!(fabs(near_got - near_want) <= near_tol)) {                                                          \
      fail_msg("%s = %.17g, expected %.17g within %.3g, is off by %.3g", #got, near_got, near_want, near_tol, \
               fabs(near_got - near_want));                                                                   \
    }                                                                                                         \
  } while (0)

/* xoshiro256++ (Blackman, Vigna), seeded by splitmix64. */
typedef struct Random {
  uint64_t s[4];
} Random;

static inline Random random_from(uint64_t seed) {
  Random random;
  for (int i = 0; i < 4; i++) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    random.s[i] = z ^ (z >> 31);
  }
  return random;
}

static inline uint64_t rotated(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

static inline uint64_t random_next(Random* random) {
  uint64_t* s = random->s;
  uint64_t result = rotated(s[0] + s[3], 23) + s[0], t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotated(s[3], 45);
  return result;
}

/* Uniform in [-1, 1). */
static inline double random_number(Random* random) {
  return (double)(random_next(random) >> 11) * 0x1p-52 - 1;
}

static inline int32_t random_int(Random* random, int32_t low, int32_t high) {
  return low + (int32_t)(random_next(random) % (uint64_t)(high - low + 1));
}

static inline void random_fill(Random* random, ptrdiff_t count, double* x) {
  for (ptrdiff_t i = 0; i < count; i++) x[i] = random_number(random);
}

/* n x n orthogonal: a product of random reflections. */
static inline void random_orthogonal(Random* random, int32_t n, double* Q) {
  for (int32_t i = 0; i < n * n; i++) Q[i] = i / n == i % n;
  double v[64];
  for (int32_t pass = 0; pass < 4; pass++) {
    random_fill(random, n, v);
    double vv = 0;
    for (int32_t i = 0; i < n; i++) vv += v[i] * v[i];
    for (int32_t j = 0; j < n; j++) {
      double s = 0;
      for (int32_t i = 0; i < n; i++) s += v[i] * Q[i * n + j];
      for (int32_t i = 0; i < n; i++) Q[i * n + j] -= 2 * s / vv * v[i];
    }
  }
}

/* Symmetric n x n matrix with the given eigenvalues, n <= 64. */
static inline void random_symmetric(Random* random, int32_t n, const double* eigenvalues, double* M) {
  double* Q = malloc(sizeof(double) * (size_t)(n * n + 1));
  random_orthogonal(random, n, Q);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j <= i; j++) {
      double s = 0;
      for (int32_t k = 0; k < n; k++) s += Q[i * n + k] * eigenvalues[k] * Q[j * n + k];
      M[i * n + j] = M[j * n + i] = s;
    }
  }
  free(Q);
}

/* B B^T with a random n x r matrix B, r <= 64: the mass matrix of n coordinates that move r masses. Unlike a matrix made
 * from eigenvalues, its rounding is small against its own diagonal in every row, as it is in mechanics. */
static inline void random_gram(Random* random, int32_t n, int32_t r, double* M) {
  double* B = malloc(sizeof(double) * (size_t)(n * r + 1));
  random_fill(random, n * r, B);
  for (int32_t i = 0; i < n * n; i++) {
    M[i] = 0;
    for (int32_t k = 0; k < r; k++) M[i] += B[i / n * r + k] * B[i % n * r + k];
  }
  free(B);
}

/* Positive definite n x n matrix with eigenvalues spread evenly in the exponent from 1/cond to 1. */
static inline void random_definite(Random* random, int32_t n, double cond, double* M) {
  double eigenvalues[64];
  for (int32_t i = 0; i < n; i++) eigenvalues[i] = pow(cond, n > 1 ? -(double)i / (n - 1) : 0);
  random_symmetric(random, n, eigenvalues, M);
}

static inline double largest(ptrdiff_t count, const double* x) {
  double most = 0;
  for (ptrdiff_t i = 0; i < count; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

#endif
