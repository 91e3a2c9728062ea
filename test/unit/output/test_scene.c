#include "output/scene.h"

#include "scenes.h"

static void test_keeps_what_is_read(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(0), FIXED(-1), COLUMN(5), COLUMN(2)),
                     SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(2), COLUMN(5))};
  ZwScene scene;
  scene_begin(&scene, shapes, 2);
  assert_int_equal(scene.width, 3); /* t and two */
  assert_false(scene.is_spatial);
  double row[] = {0.5, 1, 2, 3, 4, 5, 6};
  assert_int_equal(zw_scene_add(&scene, row), ZW_OK);
  double point[3];
  zw_scene_point(&scene, 0, &scene.shapes[0], 0, point);
  assert_true(point[0] == 0 && point[1] == -1 && point[2] == 0);
  zw_scene_point(&scene, 0, &scene.shapes[0], 1, point);
  assert_true(point[0] == 5 && point[1] == 2);
  zw_scene_point(&scene, 0, &scene.shapes[1], 0, point);
  assert_true(point[0] == 2 && point[1] == 5);
  assert_true(zw_scene_time(&scene, 0) == 0.5);
  zw_scene_free(&scene);
  zw_scene_free(&scene);
}

/* Two rows with one time are an event; a row that repeats another is none. */
static void test_rows(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), FIXED(0));
  ZwScene scene;
  scene_begin(&scene, &shape, 1);
  double rows[][3] = {{0, 1, 0}, {1, 2, 0}, {1, 2, 7}, {1, -2, 0}, {2, NAN, 0}, {2, NAN, 0}};
  for (int i = 0; i < 6; i++) assert_int_equal(zw_scene_add(&scene, rows[i]), ZW_OK);
  assert_int_equal(scene.row_count, 4); /* column 2 is not read */
  assert_int_equal(zw_scene_find(&scene, -1), 0);
  assert_int_equal(zw_scene_find(&scene, 0.99), 0);
  assert_int_equal(zw_scene_find(&scene, 1), 2); /* what it is from then on */
  assert_int_equal(zw_scene_find(&scene, 100), 3);
  assert_true(zw_scene_is_finite(&scene, 2, scene.shapes));
  assert_false(zw_scene_is_finite(&scene, 3, scene.shapes));
  assert_false(zw_scene_is_still(&scene, scene.shapes));
  zw_scene_free(&scene);
}

static void test_what_is_still(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_POINT, 2, 1, FIXED(3), FIXED(4)), SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), FIXED(0)),
                     SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(2), FIXED(0))};
  ZwScene scene;
  scene_begin(&scene, shapes, 3);
  for (int i = 0; i < 5; i++) assert_int_equal(zw_scene_add(&scene, (double[]){i, NAN, i == 4}), ZW_OK);
  assert_true(zw_scene_is_still(&scene, &scene.shapes[0]));
  assert_true(zw_scene_is_still(&scene, &scene.shapes[1]));
  assert_false(zw_scene_is_still(&scene, &scene.shapes[2]));
  zw_scene_free(&scene);
}

/* The corners of a box are where trigonometry says, and all as far from the centre as half its diagonal. */
static void test_boxes(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_BOX, 2, 1, FIXED(1), FIXED(2), FIXED(4), FIXED(2), COLUMN(1)),
                     SHAPE(ZW_DRAW_BOX, 3, 1, FIXED(1), FIXED(2), FIXED(3), FIXED(2), FIXED(4), FIXED(6), FIXED(0),
                           FIXED(1), FIXED(0), FIXED(0), FIXED(0), FIXED(1))};
  ZwScene scene;
  scene_begin(&scene, shapes, 2);
  assert_true(scene.is_spatial);
  double angle = 0.3, row[] = {0, angle};
  assert_int_equal(zw_scene_add(&scene, row), ZW_OK);
  double point[3];
  assert_int_equal(zw_draw_bound_count(&shapes[0]), 4);
  zw_scene_bound(&scene, 0, &scene.shapes[0], 1, point);
  assert_near(point[0], 1 + 2 * cos(angle) + sin(angle), 1e-15);
  assert_near(point[1], 2 + 2 * sin(angle) - cos(angle), 1e-15);
  assert_int_equal(zw_draw_bound_count(&shapes[1]), 8);
  double axes[3][3];
  zw_scene_box_axes(&scene, 0, &scene.shapes[1], axes);
  assert_true(axes[2][0] == 1 && axes[2][1] == 0 && axes[2][2] == 0); /* y x z = x */
  for (int i = 0; i < 8; i++) {
    zw_scene_bound(&scene, 0, &scene.shapes[1], i, point);
    /* w along y, h along z, d along x */
    assert_near(point[0], 1 + (i & 4 ? 3 : -3), 1e-15);
    assert_near(point[1], 2 + (i & 1 ? 1 : -1), 1e-15);
    assert_near(point[2], 3 + (i & 2 ? 2 : -2), 1e-15);
  }
  zw_scene_free(&scene);
}

static void test_memory(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_TEXT, 2, 1, COLUMN(1), COLUMN(2));
  shape.text = "name";
  bool has_failed = false, has_succeeded = false;
  for (int calls = 0; calls < 40; calls++) {
    Rations rations = {calls};
    ZwAllocator allocator = rationed(&rations);
    ZwScene scene;
    ZwStatus status = zw_scene_init(&scene, &allocator, &shape, 1);
    for (int i = 0; i < 5000 && !status; i++) status = zw_scene_add(&scene, (double[]){i, i, i});
    assert_true(status == ZW_OK || status == ZW_ERR_MEMORY);
    has_failed |= status == ZW_ERR_MEMORY;
    has_succeeded |= status == ZW_OK;
    zw_scene_free(&scene);
  }
  assert_true(has_failed && has_succeeded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keeps_what_is_read),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_what_is_still),
      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
