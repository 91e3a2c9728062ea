/* Texts in the letters of the five papers. */
#include "paper/letters.h"

#include "../numbers.h"
#include "base/alloc.h"

static const char* rewritten(ZwArena* arena, const char* paper, const char* text, bool is_latex) {
  ZwText out;
  zw_text_init(&out, arena);
  zw_letters_add(&out, zw_letters_find(paper), text, is_latex);
  return zw_text_get(&out);
}

typedef struct Case {
  const char *paper, *text, *theirs;
} Case;

static void check(const Case* cases, size_t count, bool is_latex) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  for (size_t i = 0; i < count; i++)
    assert_string_equal(rewritten(&arena, cases[i].paper, cases[i].text, is_latex), cases[i].theirs);
  zw_arena_destroy(&arena);
}

#define CHECK(cases, is_latex) check(cases, sizeof(cases) / sizeof *(cases), is_latex)

/* BG99 (1), KU93 (16) and L96 7.1 have no 1/2, UK98 (6) and U96 (5) have it. */
static void the_gaussian_is_half_of_theirs(void** state) {
  (void)state;
  static const Case cases[] = {
      {"uk98", "2 G(a) = y^T y", "2 G(x'') = y^T y"},
      {"u96", "G(a) - G = 0", "G(x'') - G = 0"},
      {"bg99", "2 G = y^T y", "G = y^T y"},
      {"ku93", "2 G(a) = (M a - h)^T", "G(q'') = (A q'' - (Q - f))^T"},
      {"l96", "G(a~) - G(a)", "G(a~)/2 - G(a)/2"},
      {"bg99", "least G", "least G/2"},
      {"bg99", "1/2 G", "1/2 G/2"},
      {"bg99", "x^2 G", "x^2 G/2"},
      {"bg99", "G_L(a) + G0 + G_s", "G_L(x'') + G0 + G_s"},
  };
  CHECK(cases, false);
  static const Case latex[] = {
      {"ku93", "G: the least $2G$, $G(a)$, $G_0$", "G: the least $G$, $G(\\ddot q)/2$, $G_0$"}};
  CHECK(latex, true);
}

static void a_d_that_differentiates_stays(void** state) {
  (void)state;
  static const Case cases[] = {
      {"ku93", "d/dt (t, q, v)", "d/dt (t, q, v)"},
      {"u96", "(dj/dt) v + d(qb_t)/dt + d phi/dt + dT/dq", "(dj/dt) v + d(qb_t)/dt + d phi/dt + dT/dq"},
      {"ku93", "d/d alpha G_L(Z alpha + c)", "d/d alpha G_L(Z alpha + c)"},
      {"ku93", "dS/dai = P, (dA/dt) v", "dS/dq''_i = P, (dD/dt) v"},
      {"u96", "C y = d, g_k(d) = d^T R_k d", "C y = b - A a, g_k(b - A a) = (b - A a)^T R_k (b - A a)"},
  };
  CHECK(cases, false);
}

static void nothing_is_defined_by_itself(void** state) {
  (void)state;
  static const Case cases[] = {
      {"ku93", "a0 = M^-1 h", "A^-1 (Q - f)"},
      {"bg99", "a0 = M^-1 h", "a = M^-1 f"},
      {"uk98", "d = b - A a0", "b - A a"},
      {"uk98", "C y = d = b - A a0", "C y = b - A a"},
      {"uk98", "Qc = A^T D^{1} d, D = A M^-1 A^T, W = 1 - A A^+", "Qc = A^T (A M^-1 A^T)^{1} (b - A a), W = 1 - A A^+"},
      {"uk98", "lambda = D^+ d, D = A M^-1 A^T", "lambda = (A M^-1 A^T)^+ (b - A a)"},
      {"u96", "D  A M^-1 A^T", "A M^-1 A^T"},
      {"ku93", "a0  M a0 = h, the motion", "A^-1 (Q - f)  A (A^-1 (Q - f)) = Q - f, the motion"},
      {"ku93", "A a = A a~", "D q'' = D q''~"},
      {"ours", "a = a", "a = a"},
  };
  CHECK(cases, false);
}

static void parts_have_the_letter_of_the_whole(void** state) {
  (void)state;
  static const Case cases[] = {
      {"ku93", "A_J = E^+ A, b_J, Qc_b, A_Je", "D_J = E^+ D, g_J, Q'_b, D_Je"},
      {"uk98", "Mee Mii, a0e, hi", "M_ee M_II, a_e, F_I"},
      {"u96", "Mee Mii", "M_e M_I"},
      {"l96", "a0 = X_L + M^-1 Q, lambda, Qc", "X_L + F# = X_L + g^-1 F, mu, lambda"},
      {"bg99", "a word, a = a0 + M^(-1/2) y", "a word, x'' = a + M^(-1/2) y"},
  };
  CHECK(cases, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gaussian_is_half_of_theirs),
      cmocka_unit_test(a_d_that_differentiates_stays),
      cmocka_unit_test(nothing_is_defined_by_itself),
      cmocka_unit_test(parts_have_the_letter_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
