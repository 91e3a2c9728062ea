/* Every model can be drawn: with its own shapes, those of the libraries, or what was noticed. Its motion is the same then, bit by bit,
 * and all that is drawn is finite. */
#include "examples.h"
#include "zwang/zwang.h"

enum { KEPT = 512 }; /* rows that are compared */

typedef struct Rows {
  double* values;
  int32_t columns, count;
} Rows;

static ZwStatus take_row(void* context, const double* values) {
  Rows* rows = context;
  if (rows->count == KEPT) return ZW_OK;
  memcpy(rows->values + (size_t)rows->count++ * (size_t)rows->columns, values, (size_t)rows->columns * sizeof(double));
  return ZW_OK;
}

static ZwModel* compile(const char* name, const char* text, bool drawing) {
  ZwCompileDef def = zw_default_compile_def();
  ZwModel* model;
  def.text = text;
  def.size = strlen(text);
  def.drawing = drawing;
  if (zw_model_compile(&def, &model)) fail_msg("%s: %s", name, zw_model_diag(model, 0)->text);
  return model;
}

static Rows run_model(const char* name, const ZwModel* model) {
  Rows rows = {.columns = zw_model_column_count(model)};
  rows.values = malloc(KEPT * (size_t)rows.columns * sizeof(double));
  assert_non_null(rows.values);
  ZwRunDef how = zw_default_run_def();
  how.row = take_row;
  how.context = &rows;
  ZwRun* run;
  ZwStatus status = zw_run_create(model, &how, &run);
  if (!status) status = zw_run_go(run);
  if (status) fail_msg("%s: %s", name, zw_status_text(status));
  zw_run_destroy(run);
  return rows;
}

static bool is_finite(const ZwDraw* draw, const double* row) {
  for (int32_t i = 0; i < draw->count; i++) {
    const ZwDrawNumber* number = &draw->numbers[i];
    if (!isfinite(number->column < 0 ? number->value : row[number->column])) return false;
  }
  return true;
}

static bool changes(const Rows* rows, int32_t column) {
  for (int32_t r = 1; r < rows->count; r++) {
    if (rows->values[r * rows->columns + column] != rows->values[column]) return true;
  }
  return false;
}

static bool moves(const ZwModel* model, const Rows* rows) {
  for (int32_t i = 1; i <= zw_model_coordinate_count(model); i++) {
    if (changes(rows, i)) return true;
  }
  return false;
}

/* Whether anything of the drawing is not always at the same place. */
static bool is_seen_to_move(const ZwModel* model, const Rows* rows) {
  for (int32_t i = 0; i < zw_model_draw_count(model); i++) {
    const ZwDraw* draw = zw_model_draw(model, i);
    for (int32_t k = 0; k < draw->count; k++) {
      if (draw->numbers[k].column >= 0 && changes(rows, draw->numbers[k].column)) return true;
    }
  }
  return false;
}

static void look_at(const char* name, const char* text) {
  ZwModel *plain = compile(name, text, false), *drawn = compile(name, text, true);
  Rows a = run_model(name, plain), b = run_model(name, drawn);
  int32_t shapes = zw_model_draw_count(drawn);
  if (shapes == 0) fail_msg("%s shows nothing", name);
  assert_int_equal(zw_model_draw_count(plain), 0);
  assert_int_equal(a.count, b.count);
  for (int32_t r = 0; r < a.count; r++) {
    const double *row = a.values + r * a.columns, *other = b.values + r * b.columns;
    if (memcmp(row, other, (size_t)a.columns * sizeof(double))) fail_msg("%s: another motion in row %d", name, (int)r);
    for (int32_t i = 0; i < shapes; i++) {
      if (!is_finite(zw_model_draw(drawn, i), other)) fail_msg("%s: shape %d in row %d", name, (int)i, (int)r);
    }
  }
  if (moves(drawn, &b) && !is_seen_to_move(drawn, &b)) fail_msg("%s: its drawing does not move", name);
  print_message("%-28s %3d shapes\n", name, (int)shapes);
  free(a.values);
  free(b.values);
  zw_model_destroy(plain);
  zw_model_destroy(drawn);
}

static void every_example_can_be_drawn(void** state) {
  (void)state;
  static Examples examples;
  list_examples(&examples);
  for (int i = 0; i < examples.count; i++) {
    char* text = read_example(examples.names[i]);
    look_at(examples.names[i], text);
    free(text);
  }
}

/* The motion of a model without any geometry: a hand on a dial, and its name. */
static void coordinates_alone_are_dials(void** state) {
  (void)state;
  ZwModel* model = compile(
      "dials", "coord charge = 1, ϑ\nkinetic charge'^2 + ϑ'^2\npotential charge^2*(1 + ϑ^2)\nrun 0 .. 1\n", true);
  assert_int_equal(zw_model_draw_count(model), 8);
  assert_int_equal(zw_model_draw(model, 0)->kind, ZW_DRAW_CIRCLE);
  assert_int_equal(zw_model_draw(model, 3)->kind, ZW_DRAW_TEXT);
  assert_string_equal(zw_model_draw(model, 3)->text, "charge");
  assert_string_equal(zw_model_draw(model, 7)->text, "ϑ");
  zw_model_destroy(model);
}

typedef struct Noticed {
  const char* text;
  int32_t counts[ZW_DRAW_TEXT + 1]; /* by kind */
} Noticed;

// clang-format off
static const Noticed noticed[] = {
  /* a rod from the origin, or from somewhere else */
  {"coord x = 1, y = 0\nkinetic x'^2 + y'^2\nconstraint x^2 + y^2 = 1\nrun 0 .. 1\n",
   {[ZW_DRAW_LINE] = 1, [ZW_DRAW_POINT] = 1, [ZW_DRAW_TRAIL] = 1}},
  {"coord x = 1, y = 0\nkinetic x'^2 + y'^2\nconstraint hypot(x - 2, y) = 1\nrun 0 .. 1\n",
   {[ZW_DRAW_LINE] = 1, [ZW_DRAW_POINT] = 1, [ZW_DRAW_TRAIL] = 1}},
  {"coord P = (1, 0, 0)\nkinetic P'^2\nconstraint norm(P - (0, 0, 1)) = sqrt(2)\nrun 0 .. 1\n",
   {[ZW_DRAW_LINE] = 1, [ZW_DRAW_POINT] = 1, [ZW_DRAW_TRAIL] = 1}},
  /* angles: the second mass goes on from the first, which turns about the cart */
  {"coord x = 0, a = 1, b = 2\nlet P = (x, 0) + (sin(a), -cos(a)), Q = P + (sin(b), -cos(b))\n"
   "kinetic x'^2 + P'^2 + dot(Q', Q')\nrun 0 .. 1\n", {[ZW_DRAW_LINE] = 2, [ZW_DRAW_POINT] = 2, [ZW_DRAW_TRAIL] = 1}},
  /* a spring; gravity is none */
  {"coord P = (1, 0), Q = (2, 0)\nkinetic P'^2 + Q'^2\npotential 1/2*(norm(P - Q) - 1)^2 - 1/norm(P)\nrun 0 .. 1\n",
   {[ZW_DRAW_SPRING] = 1, [ZW_DRAW_POINT] = 2, [ZW_DRAW_TRAIL] = 2}},
  /* sums and functions */
  {"coord P[1..3] = (1, 0)\nlet energy(m, X) = 1/2*m*X'^2\nkinetic sum(i in 1..3: energy(i, P[i]))\nrun 0 .. 1\n",
   {[ZW_DRAW_POINT] = 3, [ZW_DRAW_TRAIL] = 3}},
  /* a speed is no length */
  {"coord P = (1, 0)\nstart P' = (1, 0)\nkinetic P'^2\nconstraint norm(P') = 1\nrun 0 .. 1\n",
   {[ZW_DRAW_POINT] = 1, [ZW_DRAW_TRAIL] = 1}},
  /* bodies that are joined, with their axes */
  {"use planar\npart g = earth()\npart a = body(1, 1, (1, 0))\npart p = pin(g, a, (0, 0))\nrun 0 .. 1\n",
   {[ZW_DRAW_LINE] = 2, [ZW_DRAW_POINT] = 3}},
  {"use spatial\npart g = earth()\npart a = body(1, (1, 1, 1), (1, 0, 0))\npart p = revolute(g, a, (0, 0, 0), ey)\nrun 0 .. 1\n",
   {[ZW_DRAW_LINE] = 4, [ZW_DRAW_POINT] = 2}},
};
// clang-format on

static void what_is_noticed_is_drawn(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof noticed / sizeof *noticed; i++) {
    ZwModel* model = compile("noticed", noticed[i].text, true);
    int32_t counts[ZW_DRAW_TEXT + 1] = {0};
    for (int32_t k = 0; k < zw_model_draw_count(model); k++) counts[zw_model_draw(model, k)->kind]++;
    for (int kind = 0; kind <= ZW_DRAW_TEXT; kind++) {
      if (counts[kind] == noticed[i].counts[kind]) continue;
      fail_msg("%d shapes of kind %d, not %d, in:\n%s", (int)counts[kind], kind, (int)noticed[i].counts[kind],
               noticed[i].text);
    }
    zw_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_can_be_drawn),
      cmocka_unit_test(coordinates_alone_are_dials),
      cmocka_unit_test(what_is_noticed_is_drawn),
  };
  return cmocka_run_group_tests_name("cross.drawings", tests, NULL, NULL);
}
