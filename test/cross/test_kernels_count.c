/* The number of kernels depends on how many kinds of parts a model has, not on how many parts. */
#include "chain.h"
#include "stages.h"

typedef struct Counts {
  int32_t kernels, shapes, instances, registers;
} Counts;

static Counts count(int links) {
  char* text = chain_text(links);
  Stages stages;
  open_stages(&stages, "chain", text);
  Counts counts = {.kernels = stages.program.kernels.count,
                   .shapes = stages.equations.shapes.count,
                   .registers = stages.program.registers};
  for (int32_t i = 0; i < stages.program.kernels.count; i++) {
    counts.instances += stages.program.kernels.items[i].shape->count;
  }
  assert_int_equal(stages.equations.n, 2 * links + 2);
  assert_int_equal(stages.equations.m, links + 2);
  close_stages(&stages);
  free(text);
  return counts;
}

static void test_kernels_do_not_grow(void** state) {
  (void)state;
  Counts ten = count(10), thousand = count(1000);
  print_message("kernels: %d for 10 links, %d for 1000; instances: %d, %d\n", ten.kernels, thousand.kernels,
                ten.instances, thousand.instances);
  assert_int_equal(ten.kernels, thousand.kernels);
  assert_int_equal(ten.shapes, thousand.shapes);
  assert_int_equal(ten.registers, thousand.registers);
  /* per link two squares of speed, weight, spring, air, constraint and output: seven instances */
  assert_int_equal(thousand.instances - ten.instances, 990 * 7);
  assert_true(ten.kernels < 12);
}

/* Links of different masses and lengths share their kernels too: parameters and numbers are inputs, not code (except small
 * whole ones, which steer derivatives). */
static void test_numbers_share(void** state) {
  (void)state;
  const char* text =
      "param a = 2, b = 3, c = 0.5\ncoord x, y, z\n"
      "kinetic 1/2*a*x'^2\nkinetic 1/2*b*y'^2\nkinetic 1/2*c*z'^2\n"
      "potential a*9.81*x\npotential c*1.62*y\npotential b*3.7*z\n"
      "constraint x^2 + y^2 = 4.5\nconstraint y^2 + z^2 = 9.25\n";
  Stages stages;
  open_stages(&stages, "shared", text);
  assert_int_equal(stages.program.kernels.count, 3);
  close_stages(&stages);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels_do_not_grow), cmocka_unit_test(test_numbers_share)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
