/* Rates of operators against differences of their values, for every operator that has any. */
#include "expr/op.h"

#include "numbers.h"

/* Arguments at which all operators are defined and away from their switches: 0 < a < 1 < b, c between. */
static void rates_agree_with_differences(void** state) {
  (void)state;
  Random random = random_from(3);
  const double h = 1e-3;
  static const double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    if (zw_op_arity((ZwOp)op) == 0 || op == ZW_OP_TABLE || op == ZW_OP_TABLE_FROM) continue;
    for (int k = 0; k < 20; k++) {
      double x[3] = {0.5 + 0.4 * random_number(&random), 2.5 + random_number(&random),
                     1 + 0.3 * random_number(&random)};
      double rates[3] = {random_number(&random), random_number(&random), random_number(&random)}, want = 0;
      if (op == ZW_OP_MOD) x[0] += 2 * x[1];
      for (int s = 0; s < 8; s++) {
        double far = (s % 2 ? -1 : 1) * (s / 2 + 1) * h;
        double value = zw_op_apply((ZwOp)op, x[0] + far * rates[0], x[1] + far * rates[1], x[2] + far * rates[2]);
        want += (s % 2 ? -1 : 1) * weights[s / 2] * value / h;
      }
      double value = zw_op_apply((ZwOp)op, x[0], x[1], x[2]), got = zw_op_rate((ZwOp)op, x, value, rates);
      if (!(fabs(got - want) <= 1e-10 * (1 + fabs(want)))) {
        fail_msg("%s: %.17g, differences say %.17g", zw_op_text((ZwOp)op), got, want);
      }
    }
  }
}

/* Where a rule has no value but nothing changes. */
static void what_does_not_change_has_no_rate(void** state) {
  (void)state;
  double zeros[3] = {0, 0, 0}, zero[3] = {0, 0, 0}, base[3] = {-2, 3, 0}, along[3] = {1, 0, 0};
  assert_near(zw_op_rate(ZW_OP_SQRT, zeros, 0, zero), 0, 0);
  assert_near(zw_op_rate(ZW_OP_HYPOT, zeros, 0, zero), 0, 0);
  assert_near(zw_op_rate(ZW_OP_POW, base, -8, along), 12, 1e-15); /* no logarithm of -2 */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_agree_with_differences),
                                     cmocka_unit_test(what_does_not_change_has_no_rate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
