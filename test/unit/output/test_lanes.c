#include "output/lanes.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static ZwLanes* new_lanes(void) {
  ZwLanes* lanes = calloc(1, sizeof *lanes);
  assert_non_null(lanes);
  lanes->allocator = zw_allocator_default();
  return lanes;
}

static void drop(ZwLanes* lanes) {
  zw_lanes_free(lanes);
  zw_lanes_free(lanes);
  free(lanes);
}

static void become(ZwLanes* lanes, double t, int32_t contact, ZwContactWhat what) {
  assert_int_equal(zw_lanes_add(lanes, &(ZwContactEvent){.t = t, .contact = contact, .what = what}), ZW_OK);
}

static void hit(ZwLanes* lanes, double t, int32_t contact, double impulse) {
  ZwContactEvent event = {.t = t, .contact = contact, .what = ZW_CONTACT_HIT, .impulse = impulse};
  assert_int_equal(zw_lanes_add(lanes, &event), ZW_OK);
}

/* Time that a lane spends in each state up to an end. */
static void sum_up(const ZwLane* lane, double end, double spent[ZW_LANE_STATES]) {
  for (int k = 0; k < ZW_LANE_STATES; k++) spent[k] = 0;
  for (int32_t i = 0; i < lane->count; i++) {
    const ZwLaneCell* cell = &lane->cells[i];
    for (int k = 0; k < ZW_LANE_STATES; k++) spent[k] += cell->spent[k];
    spent[cell->what] += (i + 1 < lane->count ? lane->cells[i + 1].begin : end) - cell->end;
  }
}

static void test_few_events_are_kept(void** state) {
  (void)state;
  ZwLanes* lanes = new_lanes();
  hit(lanes, 0, 1, 5); /* at the start a hit comes before the states */
  become(lanes, 0, 0, ZW_CONTACT_OPEN);
  become(lanes, 0, 1, ZW_CONTACT_SLIPS);
  become(lanes, 0, 2, ZW_CONTACT_OPEN);
  become(lanes, 1, 1, ZW_CONTACT_STICKS);
  hit(lanes, 2, 2, 3);
  become(lanes, 3, 1, ZW_CONTACT_OPEN);
  assert_int_equal(lanes->contact_count, 3);
  assert_int_equal(lanes->touched, 2);
  assert_true(lanes->impulse_max == 5);
  assert_true(lanes->has_state[ZW_CONTACT_STICKS] && !lanes->has_state[ZW_CONTACT_CLOSED]);
  assert_null(zw_lanes_find(lanes, 0)); /* never touched */
  const ZwLane* one = zw_lanes_find(lanes, 1);
  assert_int_equal(one->count, 3); /* the hit and what came of it are one instant */
  assert_true(one->cells[0].impulse == 5 && one->cells[0].what == ZW_CONTACT_SLIPS);
  double spent[ZW_LANE_STATES];
  sum_up(one, 10, spent);
  assert_true(spent[ZW_CONTACT_SLIPS] == 1 && spent[ZW_CONTACT_STICKS] == 2 && spent[ZW_CONTACT_OPEN] == 7);
  assert_int_equal(zw_lanes_find(lanes, 2)->count, 1);
  /* in the order of their states, not of their first events */
  int32_t shown[ZW_LANES_MAX];
  assert_int_equal(zw_lanes_order(lanes, shown), 3);
  for (int i = 0; i < 3; i++) assert_int_equal(shown[i], i);
  drop(lanes);
}

/* However many events there are: the cells stay within bounds, narrow, in order, and no time is lost. */
static void test_many_events_are_merged(void** state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    ZwLanes* lanes = new_lanes();
    double t = 0, last = 0, want[ZW_LANE_STATES] = {0}, hardest = 0;
    ZwContactWhat what = ZW_CONTACT_OPEN;
    uint32_t noise = 1;
    become(lanes, 0, 0, ZW_CONTACT_OPEN);
    become(lanes, 0, 0, what = ZW_CONTACT_CLOSED);
    for (int i = 0; i < 100000; i++) {
      noise = noise * 1664525u + 1013904223u;
      /* evenly, ever faster, ever more slowly */
      t += kind == 0 ? 1e-3 : kind == 1 ? 0.5 * exp(-i / 3000.0) : 1e-6 * (i + 1);
      if (noise >> 30) {
        double impulse = (noise >> 8) / 1e6;
        hardest = fmax(hardest, impulse);
        hit(lanes, t, 0, impulse);
      } else {
        want[what] += t - last;
        last = t;
        what = (ZwContactWhat)((noise >> 20) % ZW_LANE_STATES);
        become(lanes, t, 0, what);
      }
    }
    double end = t + 1;
    want[what] += end - last;
    const ZwLane* lane = zw_lanes_find(lanes, 0);
    assert_in_range(lane->count, kind == 1 ? 2 : ZW_LANE_CELLS / 2 - 2, ZW_LANE_CELLS);
    double spent[ZW_LANE_STATES], found = 0;
    sum_up(lane, end, spent);
    for (int k = 0; k < ZW_LANE_STATES; k++) assert_true(fabs(spent[k] - want[k]) < 1e-9 * end);
    for (int32_t i = 0; i < lane->count; i++) {
      const ZwLaneCell* cell = &lane->cells[i];
      assert_true(cell->end - cell->begin <= t / (ZW_LANE_CELLS / 4));
      assert_true(i == 0 || cell->begin > lane->cells[i - 1].end);
      if (cell->impulse > 0) assert_true(cell->hit >= cell->begin && cell->hit <= cell->end);
      found = fmax(found, cell->impulse);
    }
    assert_true(found == hardest && lanes->impulse_max == hardest);
    drop(lanes);
  }
}

static void test_many_at_one_instant(void** state) {
  (void)state;
  ZwLanes* lanes = new_lanes();
  for (int i = 0; i < 10000; i++) hit(lanes, 1, 0, i);
  assert_int_equal(zw_lanes_find(lanes, 0)->count, 1);
  assert_true(zw_lanes_find(lanes, 0)->cells[0].impulse == 9999);
  /* impulses that cannot be still are hits */
  hit(lanes, 2, 0, NAN);
  hit(lanes, 3, 0, -1);
  hit(lanes, 4, 0, INFINITY);
  for (int i = 1; i < 4; i++) assert_true(zw_lanes_find(lanes, 0)->cells[i].impulse > 0);
  assert_true(lanes->impulse_max == 9999);
  drop(lanes);
}

/* Of too many contacts those that are touched first have lanes. */
static void test_many_contacts(void** state) {
  (void)state;
  enum { COUNT = 1000 };
  ZwLanes* lanes = new_lanes();
  int32_t shown[ZW_LANES_MAX];
  for (int32_t i = 0; i < COUNT; i++) become(lanes, 0, i, ZW_CONTACT_OPEN);
  assert_int_equal(zw_lanes_order(lanes, shown), 0);
  for (int32_t i = 0; i < 100; i++) hit(lanes, 1 + i, COUNT - 1 - 2 * i, 1);
  assert_int_equal(lanes->contact_count, COUNT);
  assert_int_equal(lanes->touched, 100);
  assert_int_equal(lanes->lane_count, ZW_LANES_MAX);
  assert_int_equal(zw_lanes_order(lanes, shown), ZW_LANES_MAX);
  for (int32_t i = 0; i < ZW_LANES_MAX; i++) assert_int_equal(shown[i], COUNT - 1 - 2 * (ZW_LANES_MAX - 1 - i));
  assert_null(zw_lanes_find(lanes, COUNT - 1 - 2 * ZW_LANES_MAX));
  drop(lanes);
}

typedef struct Counting {
  int calls, fail_at, live;
} Counting;

static void* counting_alloc(void* context, size_t size) {
  Counting* counting = context;
  if (++counting->calls == counting->fail_at) return NULL;
  counting->live++;
  return malloc(size);
}

static void counting_release(void* context, void* memory) {
  ((Counting*)context)->live--;
  free(memory);
}

static void test_memory(void** state) {
  (void)state;
  ZwStatus status = ZW_ERR_MEMORY;
  for (int n = 1; status; n++) {
    Counting counting = {.fail_at = n};
    ZwLanes* lanes = new_lanes();
    lanes->allocator = (ZwAllocator){counting_alloc, counting_release, &counting};
    status = ZW_OK;
    for (int i = 0; !status && i < 500; i++) {
      status = zw_lanes_add(lanes, &(ZwContactEvent){.t = i, .contact = i % 50, .what = ZW_CONTACT_CLOSED});
    }
    assert_int_equal(status, counting.calls < n ? ZW_OK : ZW_ERR_MEMORY);
    drop(lanes);
    assert_int_equal(counting.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_few_events_are_kept),
      cmocka_unit_test(test_many_events_are_merged),
      cmocka_unit_test(test_many_at_one_instant),
      cmocka_unit_test(test_many_contacts),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
