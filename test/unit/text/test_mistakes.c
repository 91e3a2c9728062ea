/* What the parser says about mistakes: where, what to do, and that one mistake does not hide the next. */
#include "model/stages.h"

/* The text has exactly one error, at line 1 and this column, and its text or remedy holds `part`. */
static void assert_mistake(const char* text, int32_t column, const char* part) {
  Stages s;
  stages_parse(&s, text);
  if (s.diags.errors != 1) {
    stages_show(&s);
    fail_msg("%d errors in: %s", (int)s.diags.errors, text);
  }
  assert_error(&s, ZW_ERR_SYNTAX, 1, column, part);
  stages_close(&s);
}

static void classic_slips_tell_the_remedy(void** state) {
  (void)state;
  assert_mistake("let a = 2x", 9, "2*x");
  assert_mistake("let a = f'(x)", 9, "diff");
  assert_mistake("let a = 3(x + 1)", 9, "*");
  assert_mistake("let a = (x)(y)", 9, "*");
  assert_mistake("let a = sin(x)(y)", 9, "*");
  assert_mistake("constraint a == b", 14, "=");
  assert_mistake("constraint y >= 0", 14, "contact");
  assert_mistake("stop when a = b", 13, "==");
  assert_mistake("let a = if x = 1 then 2 else 3", 14, "==");
  assert_mistake("let a = if 0 <= x <= 1 then 1 else 0", 19, "and");
  assert_mistake("let a = 1 + if x < 1 then 2 else 3", 13, "(if");
  assert_mistake("coord t", 7, "reserved");
  assert_mistake("param pi = 3", 7, "reserved");
  assert_mistake("kinetic x '^2", 11, "space");
  assert_mistake("let P = (1, 2, 3, 4)", 9, "two or three");
  assert_mistake("part a = b", 10, "component");
  assert_mistake("start x == 1", 9, "=");
  assert_mistake("force x == 1", 9, "=");
}

static void misspelt_statements_get_a_suggestion(void** state) {
  (void)state;
  assert_mistake("kinteic x'^2", 1, "kinetic");
  assert_mistake("constrain x = 1", 1, "constraint");
  assert_mistake("Coord x", 1, "coord");
  assert_mistake("x = 1", 1, "let");
  assert_mistake("zzzzzz x", 1, "zzzzzz");
}

/* Behind a mistake reading goes on with the next statement, also when its word is misspelt: each is reported. */
static void reading_goes_on_at_misspelt_statements(void** state) {
  (void)state;
  Stages s;
  stages_parse(&s, "param a = , b = 2\nkinteic x'^2\nlet c = (1 +\npotental x\ncoord y y\nforse x = 1\nrun 0 .. 1\n");
  assert_error(&s, ZW_ERR_SYNTAX, 1, 11, "value");
  assert_error(&s, ZW_ERR_SYNTAX, 2, 1, "kinetic");
  assert_error(&s, ZW_ERR_SYNTAX, 6, 1, "force");
  assert_int_equal(s.tree->last->kind, ZW_AST_RUN);
  stages_close(&s);
}

static void what_is_missing_is_named(void** state) {
  (void)state;
  assert_mistake("let a", 6, "'='");
  assert_mistake("let a = ", 9, "value");
  assert_mistake("let = 1", 5, "name");
  assert_mistake("param", 6, "name");
  assert_mistake("run 0", 6, "'..'");
  assert_mistake("run 0 ..", 9, "value");
  assert_mistake("for i 1..2 { }", 7, "'in'");
  assert_mistake("for i in 1..2", 14, "'{'");
  assert_mistake("let a = sum(i in 1..2 x)", 23, "':'");
  assert_mistake("let a = if x < 1 then 2", 24, "'else'");
  assert_mistake("let a = if x < 1", 17, "'then'");
  assert_mistake("draw P", 6, "shape");
  assert_mistake("stop x > 1", 6, "'when'");
  assert_mistake("when x > 1 y = 2", 12, "':'");
  assert_mistake("contact x = 1", 11, "'>='");
  assert_mistake("contact x >= 1, bounce 2", 17, "restitution");
  assert_mistake("component rod { }", 15, "'('");
  assert_mistake("let a = x.", 11, "member");
  assert_mistake("let a = x y", 11, "end of the statement");
  assert_mistake("let a = f(x,)", 13, "value");
  assert_mistake("let a = x[]", 11, "value");
}

static void bracket_left_open_is_pointed_at(void** state) {
  (void)state;
  assert_mistake("let a = (x + (y*2)", 9, "not closed");
  assert_mistake("let a = sin(x", 12, "not closed");
  assert_mistake("for i in 1..2 {", 15, "not closed");
  assert_mistake("let a = (x]", 11, "')'");
  assert_mistake("let a = x)", 10, "end of the statement");
  assert_mistake("}", 1, "statement");
}

static void all_mistakes_of_a_file_are_reported_at_their_places(void** state) {
  (void)state;
  static const char text[] =
      "param m = , g = 9.81\n"           /* 1: 11 */
      "coord x, y\n"                     /* fine */
      "kinetic 1/2*m*(x'^2 + y'^2\n"     /* 3: 15 not closed */
      "potential m*g*y\n"                /* fine */
      "constraint rod: x^2 + y^2 == 1\n" /* 5: 27 */
      "for i in 1..3 {\n"                /* a block with two mistakes of its own */
      "  kinetic x[i]'^2 +* 2\n"         /* 7: 20 */
      "  potential y\n"
      "  foo = 3\n" /* 9: 3 */
      "}\n"
      "let é = 2, b = φ φ\n"                /* 11: 18; columns count characters */
      "start x = 1; start y = ; output x\n" /* 12: 24, the rest of the line is read */
      "outptu y\n"                          /* 13: 1 */
      "run 0 .. 1\n";
  Stages s;
  stages_parse(&s, text);
  assert_error(&s, ZW_ERR_SYNTAX, 1, 11, "value");
  assert_error(&s, ZW_ERR_SYNTAX, 3, 15, "not closed");
  assert_error(&s, ZW_ERR_SYNTAX, 5, 27, "=");
  assert_error(&s, ZW_ERR_SYNTAX, 7, 20, "value");
  assert_error(&s, ZW_ERR_SYNTAX, 9, 3, "let");
  assert_error(&s, ZW_ERR_SYNTAX, 11, 18, "end of the statement");
  assert_error(&s, ZW_ERR_SYNTAX, 12, 24, "value");
  assert_error(&s, ZW_ERR_SYNTAX, 13, 1, "output");
  if (s.diags.errors != 8) stages_show(&s);
  assert_int_equal(s.diags.errors, 8);
  /* what was fine is there */
  int fine = 0;
  for (const ZwAst* node = s.tree->first; node; node = node->next) fine += node->kind != ZW_AST_WRONG;
  assert_int_equal(fine, 6);
  stages_close(&s);
}

static void places_are_right_with_carriage_returns(void** state) {
  (void)state;
  Stages s;
  stages_parse(&s, "coord x\r\nkinetic x'^2 +\r\n\r\nfoo bar\r\nlet a = 1 2\r\n");
  assert_error(&s, ZW_ERR_SYNTAX, 5, 11, "end of the statement");
  stages_close(&s);
}

static void file_full_of_mistakes_ends_soon(void** state) {
  (void)state;
  enum { LINES = 100000 };
  char *text = malloc(LINES * 9 + 1), *at = text;
  for (int i = 0; i < LINES; i++) at += sprintf(at, "let = 1\n");
  Stages s;
  stages_parse(&s, text);
  assert_int_equal(s.diags.list.count, ZW_LIMIT_ERRORS);
  assert_in_range(s.diags.errors, ZW_LIMIT_ERRORS, ZW_LIMIT_ERRORS + 2);
  assert_true(s.tree->count < 100);
  stages_close(&s);
  free(text);
}

static void wrong_declarations_are_told_from_other_mistakes(void** state) {
  (void)state;
  static const struct {
    const char* text;
    bool is_declaration;
  } texts[] = {{"param m = \n", true},    {"coord 3\n", true},   {"cord x, y\n", true},          {"let a\n", true},
               {"kinetic +* 2\n", false}, {"run 0 ..\n", false}, {"constraint x == 1\n", false}, {"coord x\n", false}};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) {
    Stages s;
    stages_parse(&s, texts[i].text);
    assert_int_equal(zw_ast_has_wrong_declaration(s.tree), texts[i].is_declaration);
    stages_close(&s);
  }
}

static void expression_of_a_setting_must_be_whole(void** state) {
  (void)state;
  Stages s;
  stages_open(&s, "1 + 2 3", 7);
  assert_int_equal(zw_parse_expression(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
  assert_error(&s, ZW_ERR_SYNTAX, 1, 7, "end of the expression");
  stages_close(&s);
  stages_open(&s, "", 0);
  assert_int_equal(zw_parse_expression(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
  assert_int_equal(s.diags.errors, 1);
  stages_close(&s);
  stages_open(&s, "1\n+\n2", 5); /* newlines end nothing here */
  assert_int_equal(zw_parse_expression(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
  assert_no_error(&s);
  stages_close(&s);
}

/* Words of the language in any order: no crash, no endless loop, and something to say if it is wrong. */
static void random_words_do_no_harm(void** state) {
  (void)state;
  static const char* const words[] = {
      "param ", "coord ",     "let ",  "kinetic ", "constraint ", "contact ", "start ", "when ", "for ", "if ",
      "else ",  "component ", "part ", "use ",     "run ",        "sum",      "x",      "y'",    "1",    "2.5",
      "(",      ")",          "[",     "]",        "{",           "}",        ",",      ":",     ";",    "=",
      "==",     "<",          "..",    "->",       "+",           "-",        "*",      "^",     "'",    ".",
      "\n",     "\n",         " in ",  " then ",   " not ",       " and ",    "\"s\"",  "t"};
  Random random = random_from(8);
  for (int trial = 0; trial < 4000; trial++) {
    char text[600];
    int32_t size = 0, count = random_int(&random, 1, 40);
    for (int32_t i = 0; i < count; i++) {
      size += sprintf(text + size, "%s", words[random_int(&random, 0, (int32_t)(sizeof words / sizeof *words) - 1)]);
    }
    Stages s;
    stages_parse(&s, text);
    for (int32_t i = 0; i < s.diags.list.count; i++) {
      assert_true(s.diags.list.items[i].line >= 1 && s.diags.list.items[i].column >= 1);
      assert_true(strlen(s.diags.list.items[i].text) > 0);
    }
    stages_close(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classic_slips_tell_the_remedy),
      cmocka_unit_test(misspelt_statements_get_a_suggestion),
      cmocka_unit_test(reading_goes_on_at_misspelt_statements),
      cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(bracket_left_open_is_pointed_at),
      cmocka_unit_test(all_mistakes_of_a_file_are_reported_at_their_places),
      cmocka_unit_test(places_are_right_with_carriage_returns),
      cmocka_unit_test(file_full_of_mistakes_ends_soon),
      cmocka_unit_test(wrong_declarations_are_told_from_other_mistakes),
      cmocka_unit_test(expression_of_a_setting_must_be_whole),
      cmocka_unit_test(random_words_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
