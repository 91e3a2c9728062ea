/* Sums of stages: what they are, and the same bits from every way to add. */
#include "motion/stages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROOM = 64, STATES = 5 };

typedef struct Scene {
  double k[ZW_DOP853_STAGES_ALL][ROOM];
  double states[STATES][ROOM];
  double* stages[ZW_DOP853_STAGES_ALL];
  ZwDop853Weights weights;
} Scene;

static double any_number(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*seed / 9.3e18;
}

static Scene* scene_new(void) {
  static Scene scene;
  uint64_t seed = 7;
  zw_dop853_weights(&scene.weights);
  for (int s = 0; s < ZW_DOP853_STAGES_ALL; s++) {
    scene.stages[s] = scene.k[s];
    for (int i = 0; i < ROOM; i++) scene.k[s][i] = any_number(&seed);
  }
  for (int s = 0; s < STATES; s++) {
    for (int i = 0; i < ROOM; i++) scene.states[s][i] = any_number(&seed);
  }
  return &scene;
}

/* One number of a sum, as the header says it. */
static double add_one(const Scene* scene, const ZwWeights* weights, double h, double from, int i) {
  double sum = from;
  for (int32_t j = 0; j < weights->count; j++) sum += h * weights->weight[j] * scene->k[weights->stage[j]][i];
  return sum;
}

static void check_sum(const ZwStages* way, Scene* scene, const ZwWeights* weights, const double* from) {
  const double h = 0.37;
  for (int32_t size = 4; size <= ROOM; size += ZW_STAGES_FOUR) {
    double to[ROOM];
    for (int i = 0; i < ROOM; i++) to[i] = 99;
    way->add(weights, scene->stages, h, from, to, size);
    for (int i = 0; i < ROOM; i++) {
      double want = i < size ? add_one(scene, weights, h, from ? from[i] : 0, i) : 99;
      assert_memory_equal(&to[i], &want, sizeof want);
    }
  }
}

static void check_sums(const ZwStages* way) {
  Scene* scene = scene_new();
  const ZwDop853Weights* all = &scene->weights;
  for (int s = 1; s < ZW_DOP853_STAGES_ALL; s++) {
    check_sum(way, scene, &all->stages[s], scene->states[0]);
    check_sum(way, scene, &all->stages[s], NULL);
  }
  const ZwWeights* const others[] = {&all->end,      &all->e5,       &all->e3,       &all->along,
                                     &all->dense[0], &all->dense[1], &all->dense[2], &all->dense[3]};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) check_sum(way, scene, others[i], NULL);
}

static void check_squares(const ZwStages* way) {
  Scene* scene = scene_new();
  const double *d5 = scene->states[0], *d3 = scene->states[1], *y = scene->states[2], *y_new = scene->states[3],
               *unit = scene->states[4];
  const double tolerance = 1e-3;
  double want[2] = {0, 0};
  for (int32_t count = 0; count < ROOM; count++) {
    double sums[2];
    way->square(d5, d3, y, y_new, unit, tolerance, count, sums);
    assert_memory_equal(sums, want, sizeof want);
    double scale = tolerance * (unit[count] + fmax(fabs(y[count]), fabs(y_new[count])));
    want[0] += d5[count] / scale * (d5[count] / scale);
    want[1] += d3[count] / scale * (d3[count] / scale);
  }
}

/* Sums that are written out for one stage, and the end of a step with its errors, are those of the same weights. */
static void check_steps(const ZwStages* way) {
  Scene* scene = scene_new();
  const ZwDop853Weights* all = &scene->weights;
  const double h = 0.37, tolerance = 1e-3, *y = scene->states[0], *unit = scene->states[4];
  double want[ROOM], got[ROOM], d5[ROOM], d3[ROOM];
  for (int32_t size = ZW_STAGES_FOUR; size <= ROOM; size += ZW_STAGES_FOUR) {
    for (int s = 1; s < ZW_DOP853_STAGES; s++) {
      zw_stages_plain.add(&all->stages[s], scene->stages, h, y, want, size);
      way->up_to[s](&all->stages[s], scene->stages, h, y, got, size);
      assert_memory_equal(got, want, (size_t)size * sizeof(double));
    }
    zw_stages_plain.add(&all->end, scene->stages, h, y, want, size);
    zw_stages_plain.add(&all->e5, scene->stages, 1, NULL, d5, size);
    zw_stages_plain.add(&all->e3, scene->stages, 1, NULL, d3, size);
    for (int32_t count = size - ZW_STAGES_FOUR; count <= size; count++) {
      double sums[2], want_sums[2];
      zw_stages_plain.square(d5, d3, y, want, unit, tolerance, count, want_sums);
      way->finish(all, scene->stages, h, y, got, size, unit, tolerance, count, sums);
      assert_memory_equal(got, want, (size_t)size * sizeof(double));
      assert_memory_equal(sums, want_sums, sizeof sums);
    }
  }
}

static void test_plain(void** state) {
  (void)state;
  check_sums(&zw_stages_plain);
  check_squares(&zw_stages_plain);
  check_steps(&zw_stages_plain);
}

static void test_best(void** state) {
  (void)state;
  check_sums(zw_stages_best());
  check_squares(zw_stages_best());
  check_steps(zw_stages_best());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_best)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
