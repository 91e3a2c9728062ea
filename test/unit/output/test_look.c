#include "output/look.h"

#include "scenes.h"

static const char* written(ZwArena* arena, int32_t decimals, double value) {
  ZwText text;
  zw_text_init(&text, arena);
  zw_digits_add(&text, (ZwDigits){decimals}, value);
  return zw_text_get(&text);
}

static void test_digits(void** state) {
  (void)state;
  ZwAllocator allocator = usual_allocator();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  assert_string_equal(written(&arena, 0, 0), "0");
  assert_string_equal(written(&arena, 2, 3.14159), "3.14");
  assert_string_equal(written(&arena, 2, -0.999),
                      "\xE2\x88\x92"
                      "1.00");
  assert_string_equal(written(&arena, 2, -0.001), "0.00"); /* no minus before nothing */
  assert_string_equal(written(&arena, 3, 12.0005), "12.001");
  assert_string_equal(written(&arena, 0, 1234567), "1234567");
  assert_string_equal(written(&arena, 9, 0.000000001), "0.000000001");
  assert_string_equal(written(&arena, -1, 1.5e-12),
                      "1.500e\xE2\x88\x92"
                      "12");
  assert_string_equal(written(&arena, -1, 9.9999e20), "1.000e21");
  assert_string_equal(written(&arena, -1, 0), "0.000e0");
  assert_string_equal(written(&arena, 3, NAN), "?");
  assert_int_equal(zw_digits_for(10, 1.0 / 30).decimals, 2);
  assert_int_equal(zw_digits_for(100, 1).decimals, 0);
  assert_int_equal(zw_digits_for(1e-9, 1e-12).decimals, -1);
  assert_int_equal(zw_digits_for(1e9, 1e6).decimals, -1);
  assert_int_equal(zw_digits_for(0, 0).decimals, 0);
  zw_arena_destroy(&arena);
}

static ZwDraw coloured(const char* name, int32_t number) {
  static const ZwDrawNumber numbers[] = {{1, 0}, {2, 0}};
  return (ZwDraw){.kind = ZW_DRAW_POINT,
                  .dim = 2,
                  .point_count = 1,
                  .numbers = numbers,
                  .count = 2,
                  .text = "",
                  .colour = name,
                  .colour_number = number};
}

static ZwLookInk ink_at(const ZwLook* look, int32_t shape) {
  return look->inks.items[look->shapes[shape].ink];
}

static void test_colours(void** state) {
  (void)state;
  ZwDraw shapes[] = {coloured("blue", 0), coloured(NULL, 1),        coloured("#a0b", 0), coloured("#12ab9F", 0),
                     coloured(NULL, 8),   coloured("vermilion", 0), coloured(NULL, 0)};
  ZwScene scene;
  scene_circling(&scene, shapes, 7, 3);
  ZwView view;
  ZwLook look;
  assert_int_equal(zw_view_fit(&view, &(ZwViewDef){NAN, NAN}, &scene), ZW_OK);
  assert_int_equal(zw_look_make(&look, ZW_THEME_AUTO, &scene, &view, 0.1), ZW_OK);
  assert_int_equal(ink_at(&look, 0).light, 0x0072b2);
  assert_true(ink_at(&look, 0).dark != ink_at(&look, 0).light);
  assert_int_equal(look.shapes[0].ink, look.shapes[1].ink); /* the first colour is blue; one ink serves both, */
  assert_int_equal(look.shapes[0].ink, look.shapes[4].ink); /* and they begin again behind the seventh */
  assert_int_equal(ink_at(&look, 2).light, 0xaa00bb);
  assert_int_equal(ink_at(&look, 2).dark, 0xaa00bb);
  assert_int_equal(ink_at(&look, 3).light, 0x12ab9f);
  assert_true(look.shapes[5].ink != look.shapes[0].ink);
  assert_int_equal(look.shapes[6].ink, ZW_LOOK_TEXT);
  /* a surface is between its ink and the paper, and darker shades have more ink */
  for (int dark = 0; dark < 2; dark++) {
    int last = -1;
    for (int shade = 0; shade < ZW_SHADES; shade++) {
      int paper = (int)(zw_look_colour(&look, ZW_LOOK_PAPER, dark) & 0xff);
      int off = abs((int)(zw_look_tint(&look, look.shapes[0].ink, shade, dark) & 0xff) - paper);
      assert_true(off > last);
      last = off;
    }
  }
  zw_scene_free(&scene);
}

/* A spring keeps its windings, and has more the longer it is on the stage. */
static void test_springs(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_SPRING, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_SPRING, 2, 2, FIXED(1), FIXED(1), FIXED(1.1), FIXED(1)),
                     SHAPE(ZW_DRAW_SPRING, 2, 2, FIXED(1), FIXED(1), FIXED(1), FIXED(1))};
  ZwScene scene;
  scene_circling(&scene, shapes, 3, 63);
  ZwView view;
  ZwLook look;
  assert_int_equal(zw_view_fit(&view, &(ZwViewDef){NAN, NAN}, &scene), ZW_OK);
  assert_int_equal(zw_look_make(&look, ZW_THEME_AUTO, &scene, &view, 0.1), ZW_OK);
  assert_true(look.shapes[0].windings > look.shapes[1].windings && look.shapes[1].windings >= 4);
  assert_true(look.shapes[0].coil > look.shapes[2].coil && look.shapes[2].coil > 0);
  zw_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_digits),
      cmocka_unit_test(test_colours),
      cmocka_unit_test(test_springs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
