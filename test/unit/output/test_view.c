#include "output/view.h"

#include "scenes.h"

static ZwView fit(const ZwScene* scene, double azimuth, double elevation) {
  ZwView view;
  ZwViewDef def = {azimuth, elevation};
  assert_int_equal(zw_view_fit(&view, &def, scene), ZW_OK);
  assert_true(view.scale > 0 && isfinite(view.scale));
  assert_true(view.width <= ZW_STAGE_WIDTH && view.width >= ZW_STAGE_WIDTH_LEAST);
  assert_true(view.height <= ZW_STAGE_HEIGHT && view.height >= ZW_STAGE_HEIGHT_LEAST);
  assert_true(view.width % 2 == 0 && view.height % 2 == 0);
  return view;
}

/* Every bound of every shape in every row is on the stage, with its margin. */
static void assert_all_seen(const ZwScene* scene, const ZwView* view) {
  assert_false(view->is_cut);
  for (int32_t row = 0; row < scene->row_count; row++) {
    for (int32_t i = 0; i < scene->shape_count; i++) {
      for (int32_t k = 0; k < zw_draw_bound_count(&scene->shapes[i]); k++) {
        double point[3], place[2];
        zw_scene_bound(scene, row, &scene->shapes[i], k, point);
        zw_view_place(view, point, place);
        assert_true(place[0] >= ZW_STAGE_MARGIN - 0.01 && place[0] <= view->width - ZW_STAGE_MARGIN + 0.01);
        assert_true(place[1] >= ZW_STAGE_MARGIN - 0.01 && place[1] <= view->height - ZW_STAGE_MARGIN + 0.01);
      }
    }
  }
}

/* Tiny, huge, far from the origin: the same picture. */
static void test_scales(void** state) {
  (void)state;
  static const double sizes[] = {1e-300, 1e-12, 1e-3, 1, 1e5, 1e12, 1e150};
  for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
    for (int far = 0; far < 2; far++) {
      ZwDraw shapes[] = {SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(far * 1e6 * sizes[s]), FIXED(0), COLUMN(1), COLUMN(2)),
                         SHAPE(ZW_DRAW_CIRCLE, 2, 1, COLUMN(1), COLUMN(2), FIXED(0.2 * sizes[s]))};
      ZwScene scene;
      scene_begin(&scene, shapes, 2);
      for (int i = 0; i < 100; i++) {
        double row[] = {i, sizes[s] * (far * 1e6 + cos(0.1 * i)), sizes[s] * sin(0.1 * i)};
        assert_int_equal(zw_scene_add(&scene, row), ZW_OK);
      }
      ZwView view = fit(&scene, NAN, NAN);
      assert_all_seen(&scene, &view);
      assert_near(view.scale * sizes[s], (ZW_STAGE_HEIGHT - 2 * ZW_STAGE_MARGIN) / 2.4, 0.5);
      /* y is up */
      double low[2], high[2];
      zw_view_place(&view, (double[]){0, 0, 0}, low);
      zw_view_place(&view, (double[]){0, sizes[s], 0}, high);
      assert_true(high[1] < low[1]);
      zw_scene_free(&scene);
    }
  }
}

/* Nothing that moves, one row, one point, nothing finite at all. */
static void test_without_extent(void** state) {
  (void)state;
  static const double places[] = {0, 1, -3e9, 1e-9, NAN, 1e300};
  for (int i = 0; i < 6; i++) {
    for (int dim = 2; dim <= 3; dim++) {
      ZwDraw flat = SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(1));
      ZwDraw deep = SHAPE(ZW_DRAW_POINT, 3, 1, COLUMN(1), COLUMN(1), COLUMN(1));
      ZwScene scene;
      scene_begin(&scene, dim == 2 ? &flat : &deep, 1);
      assert_int_equal(zw_scene_add(&scene, (double[]){0, places[i]}), ZW_OK);
      ZwView view = fit(&scene, NAN, NAN);
      assert_false(view.is_cut);
      double place[2];
      zw_view_place(&view, (double[]){places[i], places[i], dim == 2 ? 0 : places[i]}, place);
      if (!isnan(places[i])) assert_true(place[0] >= 0 && place[0] <= view.width);
      zw_scene_free(&scene);
    }
  }
}

/* One row in a thousand goes very far: the rest is seen all the same, and it is said. What goes far steadily is seen whole. */
static void test_spikes(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_ARROW, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2));
  for (int spike = 0; spike < 2; spike++) {
    ZwScene scene;
    scene_begin(&scene, &shape, 1);
    for (int i = 0; i < 1000; i++) {
      bool is_far = spike && i == 500;
      double row[] = {i, is_far ? 1e5 : cos(0.1 * i), is_far ? -1e7 : sin(0.1 * i)};
      assert_int_equal(zw_scene_add(&scene, row), ZW_OK);
    }
    ZwView view = fit(&scene, NAN, NAN);
    assert_int_equal(view.is_cut, spike);
    assert_true(view.half_height < 2 && view.half_width < 2);
    zw_scene_free(&scene);
  }
  ZwDraw trail = SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2));
  ZwScene scene;
  scene_begin(&scene, &trail, 1);
  for (int i = 0; i < 1000; i++)
    assert_int_equal(zw_scene_add(&scene, (double[]){i, 100.0 * i, 10.0 * i - 0.01 * i * i}), ZW_OK);
  ZwView view = fit(&scene, NAN, NAN);
  assert_all_seen(&scene, &view);
  zw_scene_free(&scene);
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The axes of the stage are at right angles, z is up, what is towards the eye is nearer, and everything is seen. */
static void test_space(void** state) {
  (void)state;
  ZwDraw shapes[] = {
      SHAPE(ZW_DRAW_LINE, 3, 2, FIXED(0), FIXED(0), FIXED(0), COLUMN(1), COLUMN(2), COLUMN(3)),
      SHAPE(ZW_DRAW_CIRCLE, 3, 1, COLUMN(1), COLUMN(2), COLUMN(3), FIXED(0.3), FIXED(0), FIXED(0), FIXED(0)),
      SHAPE(ZW_DRAW_POINT, 2, 1, FIXED(1), FIXED(1))};
  ZwScene scene;
  scene_begin(&scene, shapes, 3);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(zw_scene_add(&scene, (double[]){i, cos(0.1 * i), sin(0.1 * i), -1 + 0.2 * sin(0.3 * i)}), ZW_OK);
  }
  for (double azimuth = -180; azimuth <= 180; azimuth += 45) {
    for (double elevation = -90; elevation <= 90; elevation += 30) {
      ZwView view = fit(&scene, azimuth, elevation);
      assert_all_seen(&scene, &view);
      assert_near(dot(view.right, view.up), 0, 1e-15);
      assert_near(dot(view.right, view.toward), 0, 1e-15);
      assert_near(dot(view.up, view.toward), 0, 1e-15);
      assert_near(dot(view.up, view.up), 1, 1e-15);
      assert_true(view.up[2] >= -1e-15 && fabs(view.right[2]) < 1e-15);
      assert_true(zw_view_nearness(&view, view.toward) > zw_view_nearness(&view, (double[]){0, 0, 0}));
      /* the floor is below all, between lines of its grid */
      assert_near(view.low[2], -1.5, 0.01);
      for (int k = 0; k < 2; k++) {
        assert_near(remainder(view.floor_low[k], view.grid), 0, 1e-12);
        assert_true(view.floor_low[k] <= view.low[k] + 1e-9 && view.floor_high[k] >= view.high[k] - 1e-9);
      }
    }
  }
  ZwView usual = fit(&scene, NAN, NAN);
  double x[2], origin[2], y[2];
  zw_view_place(&usual, (double[]){0, 0, 0}, origin);
  zw_view_place(&usual, (double[]){1, 0, 0}, x);
  zw_view_place(&usual, (double[]){0, 1, 0}, y);
  assert_true(x[0] > origin[0] && y[0] > origin[0] && y[1] < origin[1]); /* x to the right, y into the depth */
  zw_scene_free(&scene);
}

static void test_round_numbers(void** state) {
  (void)state;
  assert_true(zw_view_round(1) == 1 && zw_view_round(1.99) == 1 && zw_view_round(2) == 2 && zw_view_round(4.9) == 2);
  assert_true(zw_view_round(5) == 5 && zw_view_round(9.9) == 5 && zw_view_round(1000) == 1000);
  for (double x = 1e-300; x < 1e300; x *= 3.7) {
    double round = zw_view_round(x);
    assert_true(round <= x && x < 2.5 * round * (1 + 1e-12));
  }
}

static void test_memory(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(1));
  Rations rations = {1000};
  ZwAllocator allocator = rationed(&rations);
  ZwScene scene;
  assert_int_equal(zw_scene_init(&scene, &allocator, &shape, 1), ZW_OK);
  assert_int_equal(zw_scene_add(&scene, (double[]){0, 1}), ZW_OK);
  rations.left = 0;
  ZwView view;
  assert_int_equal(zw_view_fit(&view, &(ZwViewDef){NAN, NAN}, &scene), ZW_ERR_MEMORY);
  zw_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scales), cmocka_unit_test(test_without_extent), cmocka_unit_test(test_spikes),
      cmocka_unit_test(test_space),  cmocka_unit_test(test_round_numbers),  cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
