/* table(file, x): the CSV behind it, its columns, and what is wrong with it. */
#include "expr/eval.h"
#include "model/stages.h"

static const StageFile files[] = {{"plain.csv", "0,1\n1,3\n2,2\n"},
                                  {"header.csv", "angle,lift,speed\n0,1,10\n1,3,20\n2,2,40\n"},
                                  {"quoted.csv", "\"angle\" , \"lift\"\r\n\"0\" , \"1\"\r\n1,3\r\n2,2\r\n"},
                                  {"returns.csv", "angle,lift\r0,1\r1,3\r\r2,2\r"}, /* CR alone */
                                  {"unseen.csv", "0,1\n1,3\xE2\x80\x8B\n2,2\n"},
                                  {"lost.csv",
                                   "0,1\n\xC2\xA0"
                                   "1,3\n2,2\n"},
                                  {"semicolon.csv", "0;1\n1;3\n2;2"}, /* no newline at its end */
                                  {"tab.csv", "0\t1\n1\t3\n2\t2\n\n\n"},
                                  {"signs.csv", "x,y\n-2.5e0,+1\n-1,1e-3\n.5,3\n"},
                                  {"empty.csv", ""},
                                  {"header_only.csv", "x,y\n"},
                                  {"one.csv", "1,2\n"},
                                  {"falls.csv", "0,1\n2,2\n1,3\n"},
                                  {"twice.csv", "0,1\n1,2\n1,3\n"},
                                  {"word.csv", "0,1\n1,two\n2,3\n"},
                                  {"hole.csv", "0,1\n1,\n2,3\n"},
                                  {"short.csv", "0,1\n1\n2,3\n"},
                                  {"infinite.csv", "0,1\n1,inf\n2,3\n"},
                                  {"not.csv", "0,1\nnan,2\n2,3\n"},
                                  {"huge.csv", "0,1\n1,2e309\n2,3\n"},
                                  {"tiny.csv", "0,1\n1,1e-400\n2,3\n"},
                                  {"mark.csv",
                                   "\xEF\xBB\xBF"
                                   "0,1\n1,3\n2,2\n"},
                                  {"comma.csv", "0;1\n1;1,5\n2;3\n"},
                                  {"commas.csv", "0;1,5\n1;2,5\n2;3,5\n"},
                                  {"first.csv", "0,5;1\n1;2\n2;3\n"},
                                  {"begin.csv", "0,1x\n1,2\n2,3\n"},
                                  {"more.csv", "x,y\n0,1\n1,2,3\n2,3\n"},
                                  {"less.csv", "x,y,z\n0,1,2\n1,2\n2,3,4\n"},
                                  {"mixed.csv", "x,y\n0,1\n1;2\n2,3\n"},
                                  {"alike.csv", "x,y,y\n0,1,2\n1,2,3\n2,3,4\n"},
                                  {"others.csv", "x,y,w,z,w\n0,1,2,3,4\n1,2,3,4,5\n2,3,4,5,6\n"},
                                  {"nameless.csv", "x,y,,\n0,1,2,3\n1,3,3,4\n2,2,4,5\n"},
                                  {"minus.csv",
                                   "\xE2\x88\x92"
                                   "1,7\n0,1\n1,2\n"},
                                  {"dashes.csv",
                                   "\xE2\x88\x92"
                                   "1,\xE2\x80\x93"
                                   "7\n0,1\n1,2\n"},
                                  {"nofirst.csv", ",7\n0,1\n1,2\n"},
                                  {"nanfirst.csv", "nan,7\n0,1\n1,2\n"},
                                  {"half.csv", "x,7,8\n0,1,2\n1,2,3\n"},
                                  {"indexed.csv", ",lift\n0,1\n1,3\n2,2\n"},
                                  {"round.csv", "0,1\n1,3\n2,2\n3,1\n"},
                                  {NULL, NULL}};

/* The value of output `o = ...` over t. */
static double value_at(Stages* s, double t) {
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &s->arena);
  evaluator.tables = &s->system.tables;
  double q[4] = {0}, v[4] = {0}, a[4] = {0}, p[4] = {0};
  ZwEnvironment at = {t, p, q, v, a};
  return zw_expr_eval(&evaluator, &s->system.graph, stages_find_term(s, ZW_TERM_OUTPUT, "o")->value, &at);
}

static void open_table(Stages* s, const char* call) {
  static char text[300]; /* names point into it */
  snprintf(text, sizeof text, "coord x\noutput o = %s\n", call);
  stages_elaborate_files(s, text, files, NULL);
  assert_no_error(s);
}

/* Natural spline through (0, 1), (1, 3), (2, 2): the bend in the middle is (6 ((2 - 3) - (3 - 1)))/(2 (1 + 1)) = -4.5. */
static double by_hand(double x) {
  if (x < 1) return 1 + x * (2 + 0.75 - 0.75 * x * x);
  double u = 2 - x;
  return 2 + u * (1 + 0.75 - 0.75 * u * u);
}

static void columns_are_read_in_every_dress(void** state) {
  (void)state;
  static const char* const calls[] = {"table(\"plain.csv\", t)",
                                      "table(\"header.csv\", t)",
                                      "table(\"quoted.csv\", t)",
                                      "table(\"semicolon.csv\", t)",
                                      "table(\"mark.csv\", t)",
                                      "table(\"tab.csv\", t)",
                                      "table(\"returns.csv\", t)",
                                      "table(\"returns.csv\", t, \"lift\")",
                                      "table(\"nameless.csv\", t)",
                                      "table(\"indexed.csv\", t)",
                                      "table(\"header.csv\", t, \"lift\")",
                                      "table(\"quoted.csv\", t, \"lift\")"};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    Stages s;
    open_table(&s, calls[i]);
    for (double t = 0; t <= 2; t += 0.125) assert_near(value_at(&s, t), by_hand(t), 1e-14);
    assert_true(isnan(value_at(&s, -0.1)) && isnan(value_at(&s, 2.1)));
    stages_close(&s);
  }
  Stages s;
  open_table(&s, "table(\"header.csv\", t, \"speed\")");
  assert_near(value_at(&s, 1), 20, 1e-14);
  assert_near(value_at(&s, 2), 40, 1e-14);
  stages_close(&s);
  open_table(&s, "table(\"signs.csv\", t)");
  assert_near(value_at(&s, -2.5), 1, 1e-14);
  assert_near(value_at(&s, -1), 1e-3, 1e-14);
  assert_near(value_at(&s, 0.5), 3, 1e-14);
  stages_close(&s);
}

static void periodic_tables_repeat_themselves(void** state) {
  (void)state;
  Stages s;
  open_table(&s, "table(\"round.csv\", t, periodic) + 0*table(\"round.csv\", 1)");
  assert_int_equal(s.system.tables.list.count, 2); /* the same file, another spline */
  for (double t = 0; t <= 3; t += 0.125) {
    assert_near(value_at(&s, t - 6), value_at(&s, t), 1e-13);
    assert_near(value_at(&s, t + 30), value_at(&s, t), 1e-13);
  }
  assert_near(value_at(&s, 3), 1, 1e-14);
  stages_close(&s);
}

static void tables_are_differentiated(void** state) {
  (void)state;
  Stages s;
  open_table(&s, "table(\"plain.csv\", t)'");
  for (double t = 0.0625; t < 2; t += 0.125) {
    assert_near(value_at(&s, t), (by_hand(t + 1e-6) - by_hand(t - 1e-6)) / 2e-6, 1e-8);
  }
  stages_close(&s);
  open_table(&s, "table(\"plain.csv\", t)''");
  for (double t = 0.0625; t < 1; t += 0.125) assert_near(value_at(&s, t), -4.5 * t, 1e-13);
  stages_close(&s);
  open_table(&s, "diff(table(\"plain.csv\", 2*x + t), x)"); /* chain rule: 2 table'(t) at x = 0 */
  assert_near(value_at(&s, 0.25), 2 * (2.75 - 2.25 * 0.0625), 1e-13);
  stages_close(&s);
}

/* Structural use: known while building. */
static void tables_of_parameters_are_parameters(void** state) {
  (void)state;
  Stages s;
  stages_elaborate_files(&s, "param k = 1\ncoord x = table(\"plain.csv\", k), z[1..table(\"plain.csv\", k)]\n", files,
                         NULL);
  assert_no_error(&s);
  assert_int_equal(s.system.coords.count, 4);
  stages_close(&s);
}

static void file_is_read_once_per_column(void** state) {
  (void)state;
  Stages s;
  int32_t loads = 0;
  stages_elaborate_files(
      &s,
      "coord x\nlet f(u) = table(\"header.csv\", u)\n"
      "output a = f(t) + f(2*t), b = table(\"header.csv\", t, \"speed\"), c = f(x), d = table(\"plain.csv\", t)\n",
      files, &loads);
  assert_no_error(&s);
  assert_int_equal(loads, 3);
  assert_int_equal(s.system.tables.list.count, 3);
  stages_close(&s);
}

static void wrong_tables_are_refused(void** state) {
  (void)state;
  static const Refused table[] = {
      {"table(\"missing.csv\", t)", ZW_ERR_NAME, 18, "there is no file 'missing.csv'"},
      {"table(\"empty.csv\", t)", ZW_ERR_VALUE, 18, "at least two lines"},
      {"table(\"header_only.csv\", t)", ZW_ERR_VALUE, 18, "at least two lines"},
      {"table(\"one.csv\", t)", ZW_ERR_VALUE, 18, "at least two lines"},
      {"table(\"falls.csv\", t)", ZW_ERR_VALUE, 18, "must ascend; line 3"},
      {"table(\"twice.csv\", t)", ZW_ERR_VALUE, 18, "must ascend; line 3"},
      {"table(\"word.csv\", t)", ZW_ERR_VALUE, 18, "line 2 of the table"},
      {"table(\"hole.csv\", t)", ZW_ERR_VALUE, 18, "line 2 of the table"},
      {"table(\"short.csv\", t)", ZW_ERR_VALUE, 18, "line 2 of the table"},
      {"table(\"infinite.csv\", t)", ZW_ERR_VALUE, 18, "line 2 of the table"},
      {"table(\"not.csv\", t)", ZW_ERR_VALUE, 18, "line 2 of the table"},
      {"table(\"huge.csv\", t)", ZW_ERR_VALUE, 18, "line 2 of the table"},
      {"table(\"tiny.csv\", t)", ZW_ERR_VALUE, 18,
       "line 2 of the table does not hold numbers in both columns: '1e-400' is too small"},
      {"table(\"comma.csv\", t)", ZW_ERR_VALUE, 18,
       "line 2 of the table does not hold numbers in both columns: '1,5' is not a number"},
      {"table(\"commas.csv\", t)", ZW_ERR_VALUE, 18,
       "line 1 of the table does not hold numbers in both columns: '1,5' is not a number"},
      {"table(\"first.csv\", t)", ZW_ERR_VALUE, 18,
       "line 1 of the table does not hold numbers in both columns: '0,5' is not a number"},
      {"table(\"begin.csv\", t)", ZW_ERR_VALUE, 18, "line 1 of the table"},
      {"table(\"more.csv\", t)", ZW_ERR_VALUE, 18, "line 3 of the table has 3 fields, and the first 2"},
      {"table(\"less.csv\", t)", ZW_ERR_VALUE, 18, "line 3 of the table has 2 fields, and the first 3"},
      {"table(\"mixed.csv\", t)", ZW_ERR_VALUE, 18, "line 3 of the table has 1 field, and the first 2"},
      {"table(\"alike.csv\", t, \"y\")", ZW_ERR_NAME, 34, "line 1 of the table names two columns 'y'"},
      {"table(\"alike.csv\", t)", ZW_ERR_NAME, 18, "line 1 of the table names two columns 'y'"},
      {"table(\"others.csv\", t)", ZW_ERR_NAME, 18, "line 1 of the table names two columns 'w'"},
      {"table(\"others.csv\", t, \"y\")", ZW_ERR_NAME, 18, "line 1 of the table names two columns 'w'"},
      {"table(\"unseen.csv\", t)", ZW_ERR_VALUE, 18,
       "line 2 of the table does not hold numbers in both columns: a character that cannot be seen (U+200B) stands "
       "after '3'"},
      {"table(\"lost.csv\", t)", ZW_ERR_VALUE, 18,
       "a character that cannot be seen (U+00A0) stands at the start of a field"},
      {"table(\"minus.csv\", t)", ZW_ERR_VALUE, 18, "line 1 of the table"},
      {"table(\"dashes.csv\", t)", ZW_ERR_VALUE, 18, "line 1 of the table"},
      {"table(\"nofirst.csv\", t)", ZW_ERR_VALUE, 18,
       "line 1 of the table does not hold numbers in both columns: '' is"},
      {"table(\"nanfirst.csv\", t)", ZW_ERR_VALUE, 18,
       "line 1 of the table does not hold numbers in both columns: 'nan'"},
      {"table(\"half.csv\", t)", ZW_ERR_VALUE, 18, "line 1 of the table does not hold numbers in both columns: 'x' is"},
      {"table(\"plain.csv\", t, periodic)", ZW_ERR_VALUE, 18,
       "a periodic table must end at the value it begins with; line 3"},
      {"table(\"round.csv\", t, periodic, periodic)", ZW_ERR_TYPE, 12, "the word periodic"},
      {"table(\"round.csv\", t, periodic, \"y\")", ZW_ERR_TYPE, 12, "the word periodic"},
      {"table(\"round.csv\", t, cyclic)", ZW_ERR_TYPE, 12, "the word periodic"},
      {"table(\"header.csv\", t, \"weight\")", ZW_ERR_NAME, 35, "no column 'weight'"},
      {"table(\"header.csv\", t, \"angle\")", ZW_ERR_NAME, 35, "no column 'angle'"}, /* that is x */
      {"table(\"plain.csv\", t, \"lift\")", ZW_ERR_NAME, 34, "no column 'lift'"},
      {"table(\"plain.csv\")", ZW_ERR_TYPE, 12, "a file name in quotes, a value"},
      {"table()", ZW_ERR_TYPE, 12, "table(\"cam.csv\", x)"},
      {"table(t, \"plain.csv\")", ZW_ERR_TYPE, 12, "a file name in quotes"},
      {"table(\"plain.csv\", t, t)", ZW_ERR_TYPE, 12, "perhaps a column"},
      {"table(\"plain.csv\", t, \"lift\", 4)", ZW_ERR_TYPE, 12, "perhaps a column"},
      {"table(\"plain.csv\", (1, 2))", ZW_ERR_TYPE, 31, "the argument of a table must be a scalar"},
      {"table(file = \"plain.csv\", x = t)", ZW_ERR_NAME, 18, "have no names"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[300];
    snprintf(text, sizeof text, "coord x\noutput o = %s\n", table[i].line);
    Stages s;
    ZwStatus status = stages_elaborate_files(&s, text, files, NULL);
    if (s.diags.list.count != 1) stages_show(&s);
    if (s.diags.list.count != 1) fail_msg("%d messages for %s", (int)s.diags.list.count, table[i].line);
    assert_error(&s, table[i].code, 2, table[i].column, table[i].part);
    assert_int_equal(status, table[i].code);
    stages_close(&s);
  }
  assert_line_refused("coord x\n", "output o = table(\"plain.csv\", t)", ZW_ERR_NAME, 18,
                      "no file"); /* nobody to ask */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_read_in_every_dress), cmocka_unit_test(periodic_tables_repeat_themselves),
      cmocka_unit_test(tables_are_differentiated),       cmocka_unit_test(tables_of_parameters_are_parameters),
      cmocka_unit_test(file_is_read_once_per_column),    cmocka_unit_test(wrong_tables_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
