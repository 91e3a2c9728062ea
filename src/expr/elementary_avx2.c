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

/* Sines and cosines of the rests of four angles. Every loop is short: compilers turn those into vector instructions. */
typedef struct Turns {
  double sine[ZW_FOUR], cosine[ZW_FOUR];
  uint64_t quarter[ZW_FOUR];
} Turns;

static inline Turns turns_of(const double* x) {
  double hi[ZW_FOUR], less[ZW_FOUR];
  Turns turns;
  for (int l = 0; l < ZW_FOUR; l++) {
    ZwAngle angle = zw_reduce(x[l], l);
    hi[l] = angle.hi;
    less[l] = angle.less;
    turns.quarter[l] = angle.quarter;
  }
  for (int l = 0; l < ZW_FOUR; l++) turns.sine[l] = zw_sine_of(hi[l], less[l], l);
  for (int l = 0; l < ZW_FOUR; l++) turns.cosine[l] = zw_cosine_of(hi[l], less[l], l);
  return turns;
}

static inline void put_turns(double* to, const Turns* turns, uint64_t ahead) {
  for (int l = 0; l < ZW_FOUR; l++) to[l] = zw_turn(turns->sine[l], turns->cosine[l], turns->quarter[l] + ahead);
}

static void sin4(double* x) {
  if (!are_within(x, ZW_ANGLE_MAX)) {
    zw_elementary_portable.sin4(x);
    return;
  }
  Turns turns = turns_of(x);
  put_turns(x, &turns, 0);
}

static void cos4(double* x) {
  if (!are_within(x, ZW_ANGLE_MAX)) {
    zw_elementary_portable.cos4(x);
    return;
  }
  Turns turns = turns_of(x);
  put_turns(x, &turns, 1);
}

static void sincos4(double* x, double* cosines) {
  if (!are_within(x, ZW_ANGLE_MAX)) {
    zw_elementary_portable.sincos4(x, cosines);
    return;
  }
  Turns turns = turns_of(x);
  put_turns(x, &turns, 0);
  put_turns(cosines, &turns, 1);
}

static void exp4(double* x) {
  if (!are_within(x, ZW_EXP_ORDINARY)) {
    zw_elementary_portable.exp4(x);
    return;
  }
  double value[ZW_FOUR];
  uint64_t power[ZW_FOUR];
  for (int l = 0; l < ZW_FOUR; l++) value[l] = zw_exp_of(x[l], &power[l], l);
  for (int l = 0; l < ZW_FOUR; l++) x[l] = value[l] * zw_power_of_two(power[l]);
}

static const ZwElementary avx2 = {sin4, cos4, exp4, sincos4};

const ZwElementary* zw_elementary_avx2(void) {
  return zw_machine_has_avx2() ? &avx2 : NULL;
}
