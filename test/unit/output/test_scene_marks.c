#include "output/scene_marks.h"

#include "scenes.h"

/* A scene with its view and look, and the marks of one of its rows. */
typedef struct Made {
  ZwScene scene;
  ZwView view;
  ZwLook look;
  ZwArena arena;
  ZwSceneMarks marks;
  ZwSceneMarksDef def;
} Made;

static void get_ready(Made* made, double azimuth, double elevation) {
  ZwAllocator allocator = usual_allocator();
  assert_int_equal(zw_view_fit(&made->view, &(ZwViewDef){azimuth, elevation}, &made->scene), ZW_OK);
  assert_int_equal(zw_look_make(&made->look, ZW_THEME_AUTO, &made->scene, &made->view, 0.1), ZW_OK);
  zw_arena_init(&made->arena, &allocator);
  zw_scene_marks_init(&made->marks, &made->arena);
  made->def = (ZwSceneMarksDef){&made->scene, &made->view, &made->look, true};
}

static void done(Made* made) {
  assert_false(made->arena.failed);
  zw_arena_destroy(&made->arena);
  zw_scene_free(&made->scene);
}

static int count_kind(const Made* made, ZwSceneMarkKind kind) {
  int count = 0;
  for (int32_t i = 0; i < made->marks.list.count; i++) count += made->marks.list.items[i].kind == kind;
  return count;
}

static int first_of(const Made* made, int32_t shape) {
  for (int32_t i = 0; i < made->marks.list.count; i++) {
    if (made->marks.list.items[i].shape == shape) return i;
  }
  return -1;
}

static ZwPlace place_at(const Made* made, const ZwSceneMark* mark, int32_t i) {
  assert_true(i < mark->count);
  return made->marks.places.items[mark->first + i];
}

static void assert_at(const Made* made, ZwPlace place, double x, double y, double z) {
  double want[2];
  zw_view_place(&made->view, (double[]){x, y, z}, want);
  assert_near(place.x, want[0], 1e-9);
  assert_near(place.y, want[1], 1e-9);
}

/* The order of the text; the ground and trails before it, arrows and texts behind. */
static void test_order_in_the_plane(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_TEXT, 2, 1, COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_ARROW, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_BOX, 2, 1, COLUMN(1), COLUMN(2), FIXED(0.3), FIXED(0.2), FIXED(0.1)),
                     SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_GROUND, 2, 2, FIXED(-1), FIXED(-1), FIXED(1), FIXED(-1))};
  Made made;
  scene_circling(&made.scene, shapes, 6, 20);
  get_ready(&made, NAN, NAN);
  zw_scene_marks_make(&made.marks, &made.def, 19);
  static const int32_t order[] = {5, 4, 2, 3, 1, 0};
  for (int i = 0; i < 5; i++)
    assert_true(first_of(&made, order[i]) >= 0 && first_of(&made, order[i]) < first_of(&made, order[i + 1]));
  made.def.with_trails = false;
  zw_scene_marks_make(&made.marks, &made.def, 19);
  assert_int_equal(first_of(&made, 4), -1);
  done(&made);
}

/* What is nearer to the eye is painted later; a rod goes from before a ball to behind it. */
static void test_order_in_space(void** state) {
  (void)state;
  ZwDraw shapes[] = {
      SHAPE(ZW_DRAW_CIRCLE, 3, 1, FIXED(1), FIXED(0), FIXED(0), FIXED(0.1), FIXED(0), FIXED(0), FIXED(0)),
      SHAPE(ZW_DRAW_CIRCLE, 3, 1, FIXED(-1), FIXED(0), FIXED(0), FIXED(0.1), FIXED(0), FIXED(0), FIXED(0)),
      SHAPE(ZW_DRAW_CIRCLE, 3, 1, FIXED(0), FIXED(0.3), FIXED(0), FIXED(0.1), FIXED(0), FIXED(0), FIXED(1)),
      SHAPE(ZW_DRAW_LINE, 3, 2, FIXED(-2), FIXED(0), FIXED(0), FIXED(2), FIXED(0), FIXED(0))};
  for (int side = 0; side < 2; side++) {
    Made made;
    scene_circling(&made.scene, shapes, 4, 2);
    get_ready(&made, side ? 180 : 0, 30); /* seen from x, or from -x */
    zw_scene_marks_make(&made.marks, &made.def, 0);
    assert_true(side ? first_of(&made, 0) < first_of(&made, 1) : first_of(&made, 1) < first_of(&made, 0));
    double last = -INFINITY;
    int before = 0, behind = 0;
    for (int32_t i = 0; i < made.marks.list.count; i++) {
      const ZwSceneMark* mark = &made.marks.list.items[i];
      assert_true(mark->nearness >= last);
      last = mark->nearness;
      if (mark->shape == 3 && i < first_of(&made, 2)) behind++;
      if (mark->shape == 3 && i > first_of(&made, 2)) before++;
    }
    assert_true(before > 0 && behind > 0);
    assert_int_equal(count_kind(&made, ZW_SCENE_RING), 2);
    assert_int_equal(count_kind(&made, ZW_SCENE_AREA), 1); /* a circle with an axis is an ellipse */
    done(&made);
  }
}

/* Of a box in space at most three faces are seen, and they look to the eye: their corners go round the outline. */
static void test_faces(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_BOX, 3, 1, FIXED(0), FIXED(0), FIXED(0), FIXED(1), FIXED(2), FIXED(3), FIXED(1),
                       FIXED(0), FIXED(0), FIXED(0), FIXED(1), FIXED(0));
  Made made;
  scene_circling(&made.scene, &shape, 1, 2);
  get_ready(&made, 30, 40);
  zw_scene_marks_make(&made.marks, &made.def, 0);
  assert_int_equal(made.marks.list.count, 3);
  double area = 0;
  for (int f = 0; f < 3; f++) {
    const ZwSceneMark* mark = &made.marks.list.items[f];
    double twice = 0;
    for (int i = 0; i < 4; i++) {
      ZwPlace a = place_at(&made, mark, i), b = place_at(&made, mark, (i + 1) % 4);
      twice += a.x * b.y - a.y * b.x;
    }
    area += fabs(twice) / 2;
  }
  /* the outline of a box seen from a direction has the area of its faces, each times the cosine */
  double want = 6 * fabs(made.view.toward[0]) + 3 * fabs(made.view.toward[1]) + 2 * fabs(made.view.toward[2]);
  assert_near(area, want * made.view.scale * made.view.scale, 1e-6 * area);
  done(&made);
}

static void test_what_is_left_out(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_ARROW, 2, 2, FIXED(0.5), FIXED(0), FIXED(0.5), COLUMN(2)),
                     SHAPE(ZW_DRAW_POINT, 2, 1, FIXED(1), FIXED(1))};
  Made made;
  scene_begin(&made.scene, shapes, 3);
  double rows[][3] = {{0, 1, 0.5}, {1, NAN, 0.5}, {2, 1, INFINITY}, {3, 1, 0}};
  for (int i = 0; i < 4; i++) assert_int_equal(zw_scene_add(&made.scene, rows[i]), ZW_OK);
  get_ready(&made, NAN, NAN);
  static const int want[4][3] = {
      {1, 1, 1}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1}}; /* line, arrow, point; an arrow of no length */
  for (int row = 0; row < 4; row++) {
    zw_scene_marks_make(&made.marks, &made.def, row);
    for (int i = 0; i < 3; i++) assert_int_equal(first_of(&made, i) >= 0, want[row][i]);
  }
  done(&made);
}

/* Springs end at their points and stay within their width; arrows end with the tip of their head. */
static void test_springs_and_arrows(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_SPRING, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_ARROW, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2))};
  Made made;
  scene_circling(&made.scene, shapes, 2, 63);
  get_ready(&made, NAN, NAN);
  int32_t places = 0;
  for (int row = 0; row < 63; row += 7) {
    double x = cos(0.1 * row), y = sin(0.1 * row);
    zw_scene_marks_make(&made.marks, &made.def, row);
    const ZwSceneMark* spring = &made.marks.list.items[first_of(&made, 0)];
    if (places == 0) places = spring->count;
    assert_int_equal(spring->count, places); /* it keeps its windings */
    assert_at(&made, place_at(&made, spring, 0), 0, 0, 0);
    assert_at(&made, place_at(&made, spring, places - 1), x, y, 0);
    ZwPlace from = place_at(&made, spring, 0);
    for (int i = 0; i < places; i++) {
      ZwPlace p = place_at(&made, spring, i);
      double off = -(p.x - from.x) * y - (p.y - from.y) * x; /* from its line; y on the stage is down */
      assert_true(fabs(off) <= zw_look_sizes.coil + 1e-9);
    }
    assert_int_equal(count_kind(&made, ZW_SCENE_HEAD), 1);
    for (int32_t i = 0; i < made.marks.list.count; i++) {
      if (made.marks.list.items[i].kind == ZW_SCENE_HEAD)
        assert_at(&made, place_at(&made, &made.marks.list.items[i], 0), x, y, 0);
    }
  }
  done(&made);
}

/* The ground is on the right of them who go along. */
static void test_ground(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_GROUND, 2, 2, FIXED(-1), FIXED(0), FIXED(1), FIXED(0)),
                     SHAPE(ZW_DRAW_GROUND, 2, 2, FIXED(1), FIXED(1), FIXED(-1), FIXED(1))};
  Made made;
  scene_circling(&made.scene, shapes, 2, 10);
  get_ready(&made, NAN, NAN);
  zw_scene_marks_make(&made.marks, &made.def, 0);
  int hatches[2] = {0, 0};
  for (int32_t i = 0; i < made.marks.list.count; i++) {
    const ZwSceneMark* mark = &made.marks.list.items[i];
    if (mark->kind != ZW_SCENE_HATCH) continue;
    hatches[mark->shape]++;
    double down = place_at(&made, mark, 1).y - place_at(&made, mark, 0).y;
    assert_true(mark->shape == 0 ? down > 3 : down < -3);
  }
  assert_true(hatches[0] > 20 && hatches[1] == hatches[0]);
  done(&made);
}

/* Nothing is written that single precision cannot hold, and lines keep their direction. */
static void test_far_away(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_BOX, 2, 1, COLUMN(1), COLUMN(2), FIXED(1), FIXED(1), FIXED(0)),
                     SHAPE(ZW_DRAW_CIRCLE, 2, 1, FIXED(0), FIXED(0), COLUMN(1)),
                     SHAPE(ZW_DRAW_SPRING, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_GROUND, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2))};
  Made made;
  scene_begin(&made.scene, shapes, 6);
  for (int i = 0; i < 1000; i++) {
    double far = i == 700 ? 1e9 : 1;
    assert_int_equal(zw_scene_add(&made.scene, (double[]){i, far * cos(0.1 * i), far * sin(0.1 * i)}), ZW_OK);
  }
  get_ready(&made, NAN, NAN);
  assert_true(made.view.is_cut);
  zw_scene_marks_make(&made.marks, &made.def, 700);
  assert_true(first_of(&made, 0) >= 0);
  for (int32_t i = 0; i < made.marks.places.count; i++) {
    assert_true(fabs(made.marks.places.items[i].x) <= 20001 && fabs(made.marks.places.items[i].y) <= 20001);
  }
  const ZwSceneMark* line = &made.marks.list.items[first_of(&made, 0)];
  ZwPlace a = place_at(&made, line, 0), b = place_at(&made, line, 1);
  assert_near(atan2(-(b.y - a.y), b.x - a.x), remainder(70.0, 2 * acos(-1)), 1e-9);
  done(&made);
}

/* ---- trails ---- */

static double distance_to_segment(double x, double y, ZwPlace a, ZwPlace b) {
  double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  double s = square > 0 ? fmin(1, fmax(0, ((x - a.x) * dx + (y - a.y) * dy) / square)) : 0;
  return hypot(x - a.x - s * dx, y - a.y - s * dy);
}

/* Every point of the motion is near the trail, which has far fewer corners. */
static void test_trail_is_true(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2));
  for (int kind = 0; kind < 4; kind++) {
    Made made;
    scene_begin(&made.scene, &shape, 1);
    Random random = random_from(5);
    for (int i = 0; i < 4000; i++) {
      double t = 0.005 * i, x = cos(t), y = sin(t);
      if (kind == 1) x = cos(3 * t), y = sin(4 * t); /* turns back at the corners of a square */
      if (kind == 2) x = sin(5 * t), y = 0.3;        /* to and fro on a line */
      if (kind == 3) x += 1e-4 * (double)(random.s[0] % 7), y = fabs(sin(2 * t)); /* with noise and edges */
      if (kind == 3) random = random_from(random.s[0] + (uint64_t)i);
      assert_int_equal(zw_scene_add(&made.scene, (double[]){t, x, y}), ZW_OK);
    }
    get_ready(&made, NAN, NAN);
    zw_scene_marks_trail(&made.marks, &made.def, 0, 3999);
    assert_int_equal(made.marks.list.count, 1);
    const ZwSceneMark* mark = &made.marks.list.items[0];
    assert_true(mark->count > 3 && mark->count < 1500);
    for (int i = 0; i < 4000; i += 3) {
      double point[3], place[2], nearest = INFINITY;
      zw_scene_point(&made.scene, i, made.scene.shapes, 0, point);
      zw_view_place(&made.view, point, place);
      for (int k = 0; k + 1 < mark->count; k++) {
        nearest = fmin(nearest,
                       distance_to_segment(place[0], place[1], place_at(&made, mark, k), place_at(&made, mark, k + 1)));
      }
      assert_true(nearest < 0.35);
    }
    done(&made);
  }
}

static void test_trail_is_interrupted(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2));
  Made made;
  scene_begin(&made.scene, &shape, 1);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(zw_scene_add(&made.scene, (double[]){i, i == 30 ? NAN : (double)(i % 50), i}), ZW_OK);
    if (i == 49) assert_int_equal(zw_scene_add(&made.scene, (double[]){i, 0, i}), ZW_OK); /* it jumps at this instant */
  }
  get_ready(&made, NAN, NAN);
  static const int pieces[][2] = {{0, 1}, {29, 1}, {30, 1}, {31, 2}, {49, 2}, {50, 3}, {100, 3}};
  for (int i = 0; i < 7; i++) {
    zw_scene_marks_trail(&made.marks, &made.def, 0, pieces[i][0]);
    assert_int_equal(made.marks.list.count, pieces[i][1]);
  }
  done(&made);
}

static void test_memory(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_LINE, 3, 2, FIXED(0), FIXED(0), FIXED(0), COLUMN(1), COLUMN(2), FIXED(1)),
                     SHAPE(ZW_DRAW_CIRCLE, 2, 1, COLUMN(1), COLUMN(2), FIXED(1)),
                     SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2))};
  Made made;
  scene_circling(&made.scene, shapes, 4, 200);
  get_ready(&made, NAN, NAN);
  for (int calls = 0; calls < 8; calls++) {
    Rations rations = {calls};
    ZwAllocator allocator = rationed(&rations);
    ZwArena arena;
    zw_arena_init(&arena, &allocator);
    ZwSceneMarks marks;
    zw_scene_marks_init(&marks, &arena);
    zw_scene_marks_make(&marks, &made.def, 199);
    zw_scene_marks_floor(&marks, &made.def);
    assert_true(calls > 0 || arena.failed);
    zw_arena_destroy(&arena);
  }
  done(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_in_the_plane),
      cmocka_unit_test(test_order_in_space),
      cmocka_unit_test(test_faces),
      cmocka_unit_test(test_what_is_left_out),
      cmocka_unit_test(test_springs_and_arrows),
      cmocka_unit_test(test_ground),
      cmocka_unit_test(test_far_away),
      cmocka_unit_test(test_trail_is_true),
      cmocka_unit_test(test_trail_is_interrupted),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
