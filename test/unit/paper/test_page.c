/* The page through the public function: what stands on it, and that memory may run out at any moment. */
#include "zwang/hosts.h"

#define QUASI                                                                                                \
  "param m = 2, J = 0.5\ncoord x, y, phi = 0.3\nkinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*phi'^2\nforce x = -x'\n" \
  "constraint edge: x'*sin(phi) = y'*cos(phi)\nquasi u = x'*cos(phi) + y'*sin(phi), w = phi'\n"
#define METRIC \
  "param R = 2\ncoord r = 1, th = 0.5\nkinetic 1/2*(r'^2 + (R + r*cos(th))^2*th'^2)\npotential sqrt(1 + r^2)/r\n"
/* More coordinates than a page holds. */
#define LARGE                                                                                            \
  "param N = 40, k = 3\ncoord x[1..N]\nfor i in 1..N { kinetic 1/2*x[i]'^2; dissipation 0.1*x[i]'^2 }\n" \
  "for i in 2..N { potential 1/2*k*(x[i] - x[i-1])^2 }\nforce x[1] = sin(t)\nconstraint end: x[N] = 1\n"

/* A full M: the constant of the Gibbs function takes an elimination. */
#define FULL                                                                                                        \
  "coord a, b, c, d, e\nkinetic 1/2*(a'^2 + b'^2 + c'^2 + d'^2 + e'^2) + 1/2*(a' + cos(a)*(b' + c' + d' + e'))^2\n" \
  "potential a*b\n"

static const char* const texts[] = {PENDULUM_BODY, QUASI, METRIC, LARGE, FULL};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char* const parts[TEXTS][ZW_DERIVE_JSON + 1] = {
    {"b[rod] = -2*(x'^2 + y'^2)", "b_{\\text{rod}} &= -2 (\\dot{x}^{2} + \\dot{y}^{2})", "\"b\":\"-2*(x'^2 + y'^2)\""},
    {"m*u' = -cos(phi)^2*u", "m\\,\\dot{u} = -\\cos^{2} \\varphi{}\\,u", "\"value\":\"m*u' = -cos(phi)^2*u\""},
    {"Gamma^r_(th th) = -cos(th)*(r*cos(th) + R)", "\\Gamma^{r}_{\\mathrm{th}\\,\\mathrm{th}}", "\"kind\":\"second\""},
    {"In L, 39 terms of this shape", "In L, 39 terms of this shape", "\"count\":39"},
    {"\n  u1 = ", "  u_{1} &= ", "\"name\":\"u1\""},
};

static void pages_hold_the_equations(void** state) {
  (void)state;
  for (int i = 0; i < TEXTS; i++) {
    ZwModel* model;
    assert_int_equal(compile_text(texts[i], &model), ZW_OK);
    for (int form = ZW_DERIVE_TEXT; form <= ZW_DERIVE_JSON; form++) {
      char* page = zw_model_derive(model, (ZwDeriveForm)form);
      assert_non_null(page);
      if (!strstr(page, parts[i][form])) fail_msg("no '%s' in:\n%s", parts[i][form], page);
      zw_text_free(model, page);
    }
    zw_model_destroy(model);
  }
}

static void wrong_models_have_none(void** state) {
  (void)state;
  ZwModel* model;
  assert_int_not_equal(compile_text("coord x\nkinetic m*x'^2\n", &model), ZW_OK);
  assert_null(zw_model_derive(model, ZW_DERIVE_TEXT));
  zw_model_destroy(model);
}

/* Refuses each call once; what was refused gives no page, and nothing is left behind. */
static void refusing_any_call_is_survived(void** state) {
  (void)state;
  for (int i = 0; i < TEXTS; i++) {
    Host host = {0};
    ZwCompileDef def = zw_default_compile_def();
    def.text = texts[i];
    def.size = strlen(texts[i]);
    def.allocator = host_allocator(&host);
    ZwModel* model;
    assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
    int64_t alive = host.alive;
    for (int form = ZW_DERIVE_TEXT; form <= ZW_DERIVE_JSON; form++) {
      for (int64_t n = 1;; n += 1 + n / 16) {
        host.fails_at = host.calls + n;
        host.refused = 0;
        char* page = zw_model_derive(model, (ZwDeriveForm)form);
        if (host.refused > 0 && page) fail_msg("model %d, form %d: a page in spite of call %d", i, form, (int)n);
        if (host.refused == 0 && !page) fail_msg("model %d, form %d: no page", i, form);
        zw_text_free(model, page);
        assert_int_equal(host.alive, alive);
        if (host.refused == 0) break;
      }
    }
    zw_model_destroy(model);
    assert_int_equal(host.alive, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_hold_the_equations),
      cmocka_unit_test(wrong_models_have_none),
      cmocka_unit_test(refusing_any_call_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
