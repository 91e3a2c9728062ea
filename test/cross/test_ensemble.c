/* Every model in an ensemble: its members are, bit by bit, the runs alone. Each has one of its parameters changed a little, so that
 * steps, rejections, singular positions, events and stiff stretches come at other times for each of them. */
#include "../unit/zwang/ensemble.h"
#include "extras.h"
#include "sample.h"

enum { COUNT = 11 };

typedef struct Names {
  char text[COUNT][128];
} Names;

/* Parameters as they are, one after the other; without any, all members are the same. */
static void draw_members(const ZwModel* model, MemberDef* defs, Names* names, double part) {
  ZwRunDef how = zw_default_run_def();
  how.to = 1;
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &how, &run);
  zw_run_destroy(run);
  how.to = NAN;
  if (zw_run_create(model, &how, &run) == ZW_OK && zw_run_ready(run) == ZW_OK) {
    const ZwReport* report = zw_run_report(run);
    how.to = report->from + part * (report->to - report->from);
    how.every = report->every;
  } else {
    how.to = 0.5;
  }
  int32_t count = run ? zw_run_parameter_count(run) : 0;
  for (int32_t i = 0; i < COUNT; i++) {
    defs[i] = (MemberDef){.how = how};
    if (status || count == 0 || i == 0) continue;
    ZwParameter parameter = zw_run_parameter(run, i % count);
    snprintf(names->text[i], sizeof names->text[i], "%s", parameter.name);
    defs[i].change = (ZwRunChange){names->text[i], parameter.value * (1 + 0.003 * i)};
  }
  zw_run_destroy(run);
}

static void check_kernel(const char* name, const char* text, const char* kernel, double part) {
  ZwCompileDef def = zw_default_compile_def();
  ZwModel* model;
  MemberDef defs[COUNT];
  Names names;
  def.text = text;
  def.size = strlen(text);
  def.kernel = kernel;
  ZwStatus status = zw_model_compile(&def, &model);
  if (!status) {
    draw_members(model, defs, &names, part);
    (void)compare_members(name, model, defs, COUNT);
  }
  zw_model_destroy(model);
}

static void check(const char* name, const char* text) {
  check_kernel(name, text, "auto", is_sanitized() ? 0.05 : 0.25);
  check_kernel(name, text, "interpret", is_sanitized() ? 0.005 : 0.02);
}

static void all_models_agree(void** state) {
  (void)state;
  check_all_models(check);
}

/* Where the constraints lose rank within the run, and where a motion becomes stiff. */
static void singular_and_stiff_motions_agree(void** state) {
  (void)state;
  static const ExtraModel models[] = {
      {"folding",
       "param l = 1, g = 9.81\ncoord x1 = 0.6, y1 = 0.8, x2 = 1.2, y2 = 0\n"
       "kinetic 1/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)\npotential g*(y1 + y2)\nconstraint a: x1^2 + y1^2 = l^2\n"
       "constraint b: (x2 - x1)^2 + (y2 - y1)^2 = l^2\nconstraint rail: y2 = 0\nrun 0 .. 4\n"},
      {"stiff",
       "param k = 3e5, c = 2000\ncoord x = 1, y = 0.1\nkinetic 1/2*(x'^2 + y'^2)\n"
       "potential 1/2*x^2 + 1/2*k*y^2\ndissipation 1/2*c*y'^2\nrun 0 .. 3\n"},
  };
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) check_kernel(models[i].name, models[i].text, "auto", 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_models_agree),
      cmocka_unit_test(singular_and_stiff_motions_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
