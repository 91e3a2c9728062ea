/* Typed formulas in LaTeX. */
#include "paper/formula.h"

#include "../numbers.h"
#include "base/alloc.h"

typedef struct Case {
  const char *formula, *latex;
} Case;

static void check(const Case* cases, size_t count, bool is_calculated) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  for (size_t i = 0; i < count; i++) {
    ZwText text;
    zw_text_init(&text, &arena);
    zw_latex_formula(&text, zw_str_from(cases[i].formula), is_calculated);
    assert_string_equal(zw_text_get(&text), cases[i].latex);
  }
  zw_arena_destroy(&arena);
}

#define CHECK(cases, is_calculated) check(cases, sizeof(cases) / sizeof *(cases), is_calculated)

static void formulas_of_papers(void** state) {
  (void)state;
  static const Case cases[] = {
      {"x'' = a + M^-1/2 (A M^-1/2)^+ (b - A a)", "\\ddot{x} = a + M^{-1/2}\\,(A\\,M^{-1/2})^{+}\\,(b - A\\,a)"},
      {"x'^2 + nu1'", "\\dot{x}^{2} + \\dot{\\nu{}}_{1}"},
      {"x''_I^T M_II", "\\ddot{x}_{I}^{\\mathsf{T}}\\,M_{II}"},
      {"ae, a0i, Mee, Qc^T, Q'^T", "a_{e},\\ a_{0i},\\ M_{ee},\\ {Q^{c}}^{\\mathsf{T}},\\ {Q'}^{\\mathsf{T}}"},
      {"R_(k-1) c_k", "R_{k-1}\\,c_{k}"},
      {"D D- D, (I - D- D)+, M~ x~'', lambda^",
       "D\\,D^{-}\\,D,\\ (I - D^{-}\\,D)^{+},\\ \\tilde{M}\\,\\ddot{\\tilde{x}},\\ \\hat{\\lambda{}}"},
      {"C^{1,4}, c1^(k)(t), M^(1/2)", "C^{\\{1,4\\}},\\ c_{1}^{(k)}(t),\\ M^{1/2}"},
      {"d2L/dv^i dq^j, dx'/dnu1", "d^{2}L/dv^{i}\\,dq^{j},\\ d\\dot{x}/d\\nu{}_{1}"},
      {"least G(a), A a >= b", "\\text{least}\\ G(a),\\ A\\,a \\ge  b"},
      {"X + F#, Gamma^j_kl, (b - A a)_k", "X + F^{\\sharp},\\ \\Gamma{}^{j}_{kl},\\ (b - A\\,a)_{k}"},
      {"i = 1..m", "i = 1\\ldots m"},
  };
  CHECK(cases, false);
}

static void formulas_of_the_calculator(void** state) {
  (void)state;
  static const Case cases[] = {
      {"a0 + inv(root(M))*pinv(C)*d", "a_{0} + {({M^{1/2}})^{-1}}\\,{C^{+}}\\,d"},
      {"tr(A) == [-y, 0]", "{A^{\\mathsf{T}}} = \\begin{pmatrix}-y \\\\ 0\\end{pmatrix}"},
      {"[1, 2; 3, 4]*x^2/5", "\\begin{pmatrix}1 & 2 \\\\  3 & 4\\end{pmatrix}\\,x^{2}/5"},
      {"dot(x, y)^2 - norm(d)", "\\langle x,\\ y\\rangle ^{2} - {\\lVert d\\rVert }"},
      {"eye(n)*sqrt(m) + sin(x)*1e-3", "{1_{n}}\\,{\\sqrt{m}} + \\sin (x)\\,1\\cdot 10^{-3}"},
  };
  CHECK(cases, true);
}

static void numbers_have_powers(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_latex_number(&text, 1.25e-16, 3);
  zw_text_addf(&text, " ");
  zw_latex_number(&text, -0.0, 3);
  zw_text_addf(&text, " ");
  zw_latex_number(&text, 98.5, 3);
  assert_string_equal(zw_text_get(&text), "1.25\\cdot 10^{-16} 0 98.5");
  zw_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_of_papers),
      cmocka_unit_test(formulas_of_the_calculator),
      cmocka_unit_test(numbers_have_powers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
