/* Four numbers at a time for machines with AVX2; this file alone is compiled for them (cmake/native.cmake). The loops are
 * the operations of one number, which the compiler turns into vector instructions: the bits are the same. */
#include <math.h>
#include <stdbool.h>

#include "base/machine.h"
#include "expr/elementary.h"
#include "expr/elementary_core.h"

/* Whether all four are numbers up to this size; the others are left to the functions of one number. */
static bool are_within(const double* x, double limit) {
  int64_t count = 0;
  for (int l = 0; l < ZW_FOUR; l++) count += fabs(x[l]) <= limit ? 1 : 0;
  return count == ZW_FOUR;
}

static inline void turn4(double* x, uint64_t ahead) {
  for (int l = 0; l < ZW_FOUR; l++) {
    ZwAngle angle = zw_reduce(x[l], l);
    double sine = zw_sine_of(angle.hi, angle.less, l), cosine = zw_cosine_of(angle.hi, angle.less, l);
    x[l] = zw_turn(sine, cosine, angle.quarter + ahead);
  }
}

static void sin4(double* x) {
  if (are_within(x, ZW_ANGLE_MAX))
    turn4(x, 0);
  else
    zw_elementary_portable.sin4(x);
}

static void cos4(double* x) {
  if (are_within(x, ZW_ANGLE_MAX))
    turn4(x, 1);
  else
    zw_elementary_portable.cos4(x);
}

static void sincos4(double* restrict x, double* restrict cosines) {
  if (!are_within(x, ZW_ANGLE_MAX)) {
    zw_elementary_portable.sincos4(x, cosines);
    return;
  }
  for (int l = 0; l < ZW_FOUR; l++) {
    ZwAngle angle = zw_reduce(x[l], l);
    double sine = zw_sine_of(angle.hi, angle.less, l), cosine = zw_cosine_of(angle.hi, angle.less, l);
    x[l] = zw_turn(sine, cosine, angle.quarter);
    cosines[l] = zw_turn(sine, cosine, angle.quarter + 1);
  }
}

static void exp4(double* x) {
  if (!are_within(x, ZW_EXP_ORDINARY)) {
    zw_elementary_portable.exp4(x);
    return;
  }
  for (int l = 0; l < ZW_FOUR; l++) {
    uint64_t power;
    double value = zw_exp_of(x[l], &power, l);
    x[l] = value * zw_power_of_two(power);
  }
}

static const ZwElementary avx2 = {sin4, cos4, exp4, sincos4};

const ZwElementary* zw_elementary_avx2(void) {
  return zw_machine_has_avx2() ? &avx2 : NULL;
}
