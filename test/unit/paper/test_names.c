/* Names in LaTeX. */
#include "paper/names.h"

#include "../numbers.h"
#include "base/alloc.h"

typedef struct Case {
  const char* name;
  int dots;
  const char* latex;
} Case;

static const Case cases[] = {
    {"x", 0, "x"},
    {"x", 1, "\\dot{x}"},
    {"x[17]", 2, "\\ddot{x}_{17}"},
    {"m1", 0, "m_{1}"},
    {"phi", 1, "\\dot{\\varphi{}}"},
    {"Omega0", 0, "\\Omega{}_{0}"},
    {"th1", 0, "\\mathrm{th}_{1}"},
    {"crank.phi", 1, "\\dot{\\varphi{}}_{\\mathrm{crank}}"},
    {"crank.x", 0, "x_{\\mathrm{crank}}"},
    {"P.x", 1, "\\dot{P}_{x}"},
    {"top.r.x", 0, "r_{\\mathrm{top},x}"},
    {"rod[2].P[1,3].y", 0, "P_{\\mathrm{rod}_{2},1,3,y}"},
    {"tip_x", 0, "\\mathrm{tip}_{x}"},
    {"a_b_12", 0, "a_{b,12}"},
    {"\xCF\x86", 0, "\\varphi{}"}, /* phi */
    {"\xCE\xA9"
     "1",
     1, "\\dot{\\Omega{}}_{1}"}, /* Omega1 */
    {"h\xC3\xB6he", 0, "\\mathrm{h}\\text{\xC3\xB6}\\mathrm{he}"},
    {"\xE4\xB8\xAD", 0, "\\mathrm{u4E2D}"},
};

static void names_are_taken_apart(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ZwText text;
    zw_text_init(&text, &arena);
    zw_latex_name(&text, zw_str_from(cases[i].name), cases[i].dots);
    assert_string_equal(zw_text_get(&text), cases[i].latex);
  }
  zw_arena_destroy(&arena);
}

static void words_are_escaped(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  zw_latex_words(&text, ZW_STR("a_1 & 50% #{x}\\^~\xCE\xB1"));
  assert_string_equal(zw_text_get(&text), "a\\_1 \\& 50\\% \\#\\{x\\}\\textbackslash{}\\^{}\\~{}$\\alpha{}$");
  zw_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_taken_apart), cmocka_unit_test(words_are_escaped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
