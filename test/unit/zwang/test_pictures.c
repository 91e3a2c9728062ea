/* zw_model_plot and zw_model_draw: what a model shows, by the columns of its rows. */
#include "zwang/hosts.h"

static ZwModel* compile(const char* text, bool drawing) {
  ZwCompileDef def = zw_default_compile_def();
  ZwModel* model;
  def.text = text;
  def.size = strlen(text);
  def.drawing = drawing;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  return model;
}

static const char* column(const ZwModel* model, int32_t i) {
  assert_in_range(i, 0, zw_model_column_count(model) - 1);
  return zw_model_column(model, i);
}

#define SWING                                                                                           \
  "coord th = 1\nlet P = (sin(th), -cos(th))\nkinetic 1/2*P'^2\npotential 9.81*P.y\noutput e = th'^2\n" \
  "run 0 .. 1\n"

static void curves_have_columns_and_names(void** state) {
  (void)state;
  ZwModel* model = compile(SWING "plot th, th'\nplot th'^2, P, P'\nplot t against th\n", false);
  assert_int_equal(zw_model_plot_count(model), 3);
  const ZwPlot* plot = zw_model_plot(model, 0);
  assert_int_equal(plot->count, 2);
  assert_string_equal(column(model, plot->columns[0]), "th");
  assert_string_equal(column(model, plot->columns[1]), "th'");
  assert_int_equal(plot->against, 0);
  assert_string_equal(plot->against_name, "t");
  plot = zw_model_plot(model, 1);
  assert_int_equal(plot->count, 5);
  assert_string_equal(column(model, plot->columns[0]), "e"); /* it is there already, */
  assert_string_equal(plot->names[0], "th'^2");              /* under another name */
  assert_string_equal(column(model, plot->columns[2]), "P.y");
  assert_string_equal(plot->names[4], "P.y'");
  plot = zw_model_plot(model, 2);
  assert_int_equal(plot->columns[0], 0);
  assert_string_equal(column(model, plot->against), "th");
  assert_int_equal(zw_model_output_count(model), 5); /* e, P.x, P.y, P.x', P.y' */
  zw_model_destroy(model);
}

static void components_of_one_vector_have_one_scale(void** state) {
  (void)state;
  ZwModel* model = compile(
      "coord P = (1, 0), Q = (0, 1), x = 2\nkinetic 1/2*(P'^2 + Q'^2 + x'^2)\nrun 0 .. 1\n"
      "plot P.y against P.x\nplot P.y' against P.x'\nplot P.y' against P.x\nplot P.y against Q.x\n"
      "plot P.y, Q.y against P.x\nplot x against P.x\nplot P.x\n",
      false);
  static const bool is_equal[] = {true, true, false, false, false, false, false};
  assert_int_equal(zw_model_plot_count(model), 7);
  for (int32_t i = 0; i < 7; i++) assert_int_equal(zw_model_plot(model, i)->is_equal, is_equal[i]);
  zw_model_destroy(model);
}

#define LONG                                                                                                    \
  "(cos(angle_of_the_rotor[1] + angle_of_the_rotor[2]) + sin(angle_of_the_rotor[1] - angle_of_the_rotor[2]) + " \
  "exp(angle_of_the_rotor[1])/(1 + exp(angle_of_the_rotor[2]) + angle_of_the_rotor[1]^2))"

/* Long names are cut, and may be the same then. */
static void names_of_columns_stay_apart(void** state) {
  (void)state;
  ZwModel* model = compile(
      "coord angle_of_the_rotor[1..2] = 1\nkinetic 1/2*(angle_of_the_rotor[1]'^2 + angle_of_the_rotor[2]'^2)\n"
      "for i in 1..2 { plot angle_of_the_rotor[i]^2 }\n"
      "for i in 1..2 { plot " LONG "*sin(angle_of_the_rotor[i]) }\nrun 0 .. 1\n",
      false);
  assert_int_equal(zw_model_plot_count(model), 4);
  assert_string_equal(zw_model_plot(model, 0)->names[0], "angle_of_the_rotor[1]^2");
  assert_string_equal(column(model, zw_model_plot(model, 1)->columns[0]), "angle_of_the_rotor[2]^2");
  const char* third = column(model, zw_model_plot(model, 2)->columns[0]);
  const char* fourth = column(model, zw_model_plot(model, 3)->columns[0]);
  assert_string_not_equal(third, fourth);
  assert_string_equal(zw_model_plot(model, 3)->names[0], third);
  assert_int_equal(strncmp(third, fourth, strlen(third)), 0); /* "... (2)" */
  zw_model_destroy(model);
}

typedef struct Rows {
  double first[64];
  int32_t count;
} Rows;

static ZwStatus keep_first(void* context, const double* values) {
  Rows* rows = context;
  if (!isnan(rows->first[0])) return ZW_OK;
  memcpy(rows->first, values, (size_t)rows->count * sizeof(double));
  return ZW_OK;
}

static double number(const Rows* rows, const ZwDraw* draw, int32_t i) {
  const ZwDrawNumber* n = &draw->numbers[i];
  return n->column < 0 ? n->value : rows->first[n->column];
}

static void shapes_have_their_numbers(void** state) {
  (void)state;
  ZwModel* model = compile(SWING
                           "draw line 0 -> P color black\ndraw circle P, 0.05 color 3\ndraw box P, (1, 2)\n"
                           "draw text P, \"angle <&> \", th\ndraw arrow P -> P + P''\n",
                           true);
  Rows rows = {.first = {NAN}, .count = zw_model_column_count(model)};
  assert_in_range(rows.count, 4, 64);
  ZwRunDef how = zw_default_run_def();
  how.row = keep_first;
  how.context = &rows;
  ZwRun* run;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_int_equal(zw_model_draw_count(model), 5);
  const ZwDraw* line = zw_model_draw(model, 0);
  assert_int_equal(line->kind, ZW_DRAW_LINE);
  assert_int_equal(line->dim, 2);
  assert_int_equal(line->point_count, 2);
  assert_string_equal(line->colour, "black");
  assert_int_equal(line->numbers[0].column, -1);
  assert_true(number(&rows, line, 1) == 0);
  assert_true(fabs(number(&rows, line, 2) - sin(1)) < 1e-15);
  const ZwDraw* circle = zw_model_draw(model, 1);
  assert_null(circle->colour);
  assert_int_equal(circle->colour_number, 3);
  assert_true(number(&rows, circle, 2) == 0.05);
  const ZwDraw* box = zw_model_draw(model, 2);
  assert_int_equal(box->count, 5);
  assert_true(number(&rows, box, 3) == 2 && number(&rows, box, 4) == 0);
  const ZwDraw* text = zw_model_draw(model, 3);
  assert_string_equal(text->text, "angle <&> ");
  assert_true(number(&rows, text, 2) == 1);
  const ZwDraw* arrow = zw_model_draw(model, 4);
  double push = -9.81 * sin(1) * cos(1); /* x'' of a pendulum at rest: th'' cos(th) */
  assert_true(fabs(number(&rows, arrow, 2) - number(&rows, arrow, 0) - push) < 1e-13);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void drawings_are_made_when_asked_for(void** state) {
  (void)state;
  ZwModel* model = compile(SWING "draw line 0 -> P\n", false);
  assert_int_equal(zw_model_draw_count(model), 0);
  assert_int_equal(zw_model_output_count(model), 1);
  zw_model_destroy(model);
}

#define ROD \
  "use planar\npart ground = earth()\npart r = rod(1, (0, 0), (1, 0))\npart p = pin(ground, r, (0, 0))\nrun 0 .. 1\n"

/* What the user draws stands in place of what the libraries draw. */
static void libraries_draw_for_those_who_do_not(void** state) {
  (void)state;
  ZwModel* model = compile(ROD, true);
  assert_true(zw_model_draw_count(model) >= 2);
  zw_model_destroy(model);
  model = compile(ROD "draw trail r.head\n", true);
  assert_int_equal(zw_model_draw_count(model), 1);
  assert_int_equal(zw_model_draw(model, 0)->kind, ZW_DRAW_TRAIL);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curves_have_columns_and_names),    cmocka_unit_test(components_of_one_vector_have_one_scale),
      cmocka_unit_test(names_of_columns_stay_apart),      cmocka_unit_test(shapes_have_their_numbers),
      cmocka_unit_test(drawings_are_made_when_asked_for), cmocka_unit_test(libraries_draw_for_those_who_do_not),
  };
  return cmocka_run_group_tests_name("unit.zwang.pictures", tests, NULL, NULL);
}
