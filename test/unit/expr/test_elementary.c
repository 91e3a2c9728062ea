/* sin, cos and exp against the long double functions of the C library, over the whole range of numbers; and their vector
 * members against the scalar ones, bit by bit. */
#include "expr/elementary.h"

#include <float.h>
#include <string.h>

#include "numbers.h"

static const double tol_ulp = 0.85; /* what elementary.h promises */

typedef struct Function {
  const char* name;
  double (*of)(double);
  long double (*reference)(long double);
} Function;

static const Function functions[] = {{"sin", zw_sin, sinl}, {"cos", zw_cos, cosl}, {"exp", zw_exp, expl}};

/* The distance to the exact value in units of the last place of a double of that size. */
static double error_in_ulp(const Function* function, double x) {
  long double exact = function->reference((long double)x);
  int exponent;
  (void)frexpl(exact, &exponent);
  if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
  return (double)(fabsl((long double)function->of(x) - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

typedef struct Worst {
  double error, x;
} Worst;

static void look(const Function* function, double x, Worst* worst) {
  double error = error_in_ulp(function, x);
  if (!(error <= tol_ulp)) fail_msg("%s(%a) = %a is off by %.3f ulp", function->name, x, function->of(x), error);
  if (error > worst->error) *worst = (Worst){error, x};
}

/* Evenly within the size, and evenly in the exponent up to it. */
static double draw(Random* random, double size, int pass) {
  double x = random_number(random);
  return pass % 2 ? size * x : copysign(size * pow(2, -60 * fabs(random_number(random))), x);
}

static void test_accuracy(void** state) {
  (void)state;
  static const double angles[] = {0.79, 3.2, 100, 1e4, 1e6, 1e9, 1e22, DBL_MAX}, powers[] = {0.35, 1, 30, 709.7};
  int count = getenv("ZW_LONG") ? 20000000 : 200000;
  Random random = random_from(7);
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    const double* sizes = functions[f].of == zw_exp ? powers : angles;
    size_t size_count = functions[f].of == zw_exp ? sizeof powers / sizeof *powers : sizeof angles / sizeof *angles;
    for (size_t s = 0; s < size_count; s++) {
      Worst worst = {0};
      for (int i = 0; i < count; i++) look(&functions[f], draw(&random, sizes[s], i), &worst);
      print_message("%s up to %g: at most %.3f ulp, at %a\n", functions[f].name, sizes[s], worst.error, worst.x);
    }
  }
}

/* The doubles next to multiples of pi/2, where most of an angle cancels; and the one where most of all cancels. */
static void test_near_multiples(void** state) {
  (void)state;
  Worst worst = {0};
  for (int f = 0; f < 2; f++) {
    for (int k = 1; k < 700000; k += k < 2000 ? 1 : 97) {
      double x = (double)((long double)k * 1.57079632679489661923132169164L);
      look(&functions[f], x, &worst);
      look(&functions[f], -nextafter(x, 0), &worst);
      look(&functions[f], nextafter(x, INFINITY), &worst);
    }
    look(&functions[f], 0x1.921fb54442d18p+0, &worst);
    look(&functions[f], 0x1.6ac5b262ca1ffp+849, &worst); /* 6381956970095103 2^797 */
    look(&functions[f], 0x1.4f1a6e0000000p+19, &worst);
  }
  print_message("next to multiples of pi/2: at most %.3f ulp, at %a\n", worst.error, worst.x);
}

/* Around the borders between the ways to compute. */
static void test_borders(void** state) {
  (void)state;
  static const double borders[] = {1e6, -1e6, 700, -700, 708.39, -708.4, -745.1, 709.78, 0.785398163397448, 0x1p-1022};
  Worst worst = {0};
  for (size_t b = 0; b < sizeof borders / sizeof *borders; b++) {
    for (int f = 0; f < 3; f++) {
      if (functions[f].of == zw_exp && fabs(borders[b]) > 710 && borders[b] > 0) continue;
      double down = borders[b], up = borders[b];
      for (int i = 0; i < 100; i++, down = nextafter(down, -INFINITY), up = nextafter(up, INFINITY)) {
        if (functions[f].of == zw_exp && fabs(borders[b]) > 1e5) continue;
        look(&functions[f], down, &worst);
        look(&functions[f], up, &worst);
      }
    }
  }
}

static void test_special_values(void** state) {
  (void)state;
  assert_true(zw_sin(0.0) == 0 && !signbit(zw_sin(0.0)) && signbit(zw_sin(-0.0)) && zw_sin(-0.0) == 0);
  assert_true(zw_cos(0.0) == 1 && zw_cos(-0.0) == 1 && zw_exp(0.0) == 1 && zw_exp(-0.0) == 1);
  assert_true(isnan(zw_sin(INFINITY)) && isnan(zw_sin(-INFINITY)) && isnan(zw_sin(NAN)));
  assert_true(isnan(zw_cos(INFINITY)) && isnan(zw_cos(-INFINITY)) && isnan(zw_cos(NAN)));
  assert_true(zw_exp(INFINITY) == INFINITY && zw_exp(-INFINITY) == 0 && isnan(zw_exp(NAN)));
  assert_true(zw_exp(709.79) == INFINITY && zw_exp(1e300) == INFINITY && zw_exp(-745.2) == 0 && zw_exp(-1e300) == 0);
  assert_true(zw_exp(-745.1) == 0x1p-1074 && isfinite(zw_exp(709.78)));
  assert_true(zw_sin(0x1p-1074) == 0x1p-1074 && zw_sin(-0x1p-1030) == -0x1p-1030 && zw_cos(0x1p-1074) == 1);
  assert_false(signbit(zw_exp(-1e300)));
}

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void check_four(const ZwElementary* table, const double* x) {
  double sine[ZW_FOUR], cosine[ZW_FOUR], power[ZW_FOUR], both[ZW_FOUR], other[ZW_FOUR];
  memcpy(sine, x, sizeof sine);
  memcpy(cosine, x, sizeof cosine);
  memcpy(power, x, sizeof power);
  memcpy(both, x, sizeof both);
  table->sin4(sine);
  table->cos4(cosine);
  table->exp4(power);
  table->sincos4(both, other);
  for (int l = 0; l < ZW_FOUR; l++) {
    double one, two;
    zw_sincos(x[l], &one, &two);
    assert_true(is_same(one, zw_sin(x[l])) && is_same(two, zw_cos(x[l])));
    if (!is_same(sine[l], one) || !is_same(both[l], one)) fail_msg("sin4 differs from sin at %a", x[l]);
    if (!is_same(cosine[l], two) || !is_same(other[l], two)) fail_msg("cos4 differs from cos at %a", x[l]);
    if (!is_same(power[l], zw_exp(x[l]))) fail_msg("exp4 differs from exp at %a", x[l]);
  }
}

static void check_table(const ZwElementary* table) {
  static const double special[] = {0.0,        -0.0, 1,    NAN,   INFINITY, -INFINITY, 0x1p-1074,
                                   -0x1p-1030, 1e6,  -1e6, 1.1e6, 1e300,    700,       -700,
                                   701,        -720, -750, 710,   DBL_MAX,  -DBL_MIN};
  enum { SPECIAL = sizeof special / sizeof *special };
  Random random = random_from(8);
  for (int i = 0; i < 200000; i++) {
    double x[ZW_FOUR];
    for (int l = 0; l < ZW_FOUR; l++) {
      x[l] = draw(&random, i % 5 == 0 ? 1e7 : i % 5 == 1 ? 750 : 10, (int)(random_next(&random) % 2));
      if (i % 7 == 0 && random_next(&random) % 3 == 0) x[l] = special[random_int(&random, 0, SPECIAL - 1)];
    }
    check_four(table, x);
  }
}

static void test_vector_members(void** state) {
  (void)state;
  check_table(&zw_elementary_portable);
  if (zw_elementary_avx2())
    check_table(zw_elementary_avx2());
  else
    print_message("this machine has no AVX2: its members were not looked at\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accuracy),       cmocka_unit_test(test_near_multiples), cmocka_unit_test(test_borders),
      cmocka_unit_test(test_special_values), cmocka_unit_test(test_vector_members),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
