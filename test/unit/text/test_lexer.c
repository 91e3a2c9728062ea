#include "text/lexer.h"

#include "model/stages.h"

typedef struct Lexed {
  Stages s;
  ZwTokens tokens;
} Lexed;

static void lex(Lexed* x, const char* text, ptrdiff_t size) {
  stages_open(&x->s, text, size);
  x->tokens = (ZwTokens){0};
  assert_int_equal(zw_lex(&x->s.arena, &x->s.diags, x->s.file, &x->tokens), ZW_OK);
}

/* The kinds of all tokens but the END, which must be there. */
static void assert_kinds(const char* text, const ZwTokenKind* kinds, int32_t count) {
  Lexed x;
  lex(&x, text, (ptrdiff_t)strlen(text));
  assert_no_error(&x.s);
  assert_int_equal(x.tokens.list.count, count + 1);
  for (int32_t i = 0; i < count; i++) {
    if (x.tokens.list.items[i].kind != kinds[i]) fail_msg("token %d of \"%s\"", (int)i, text);
  }
  assert_int_equal(x.tokens.list.items[count].kind, ZW_TOKEN_END);
  assert_int_equal(x.tokens.list.items[count].begin, strlen(text));
  stages_close(&x.s);
}

#define KINDS(...) \
  (const ZwTokenKind[]){__VA_ARGS__}, (int32_t)(sizeof((ZwTokenKind[]){__VA_ARGS__}) / sizeof(ZwTokenKind))

/* Exactly one error, at this column of line 1, and what its text or remedy says. */
static void assert_wrong(const char* text, ptrdiff_t size, int32_t column, const char* part) {
  Lexed x;
  lex(&x, text, size);
  assert_error(&x.s, ZW_ERR_SYNTAX, 1, column, part);
  assert_int_equal(x.s.diags.errors, 1);
  stages_close(&x.s);
}

#define WRONG(text, column, part) assert_wrong((text), (ptrdiff_t)sizeof(text) - 1, (column), (part))

static void every_operator_is_a_token(void** state) {
  (void)state;
  assert_kinds(
      "-> .. == != <= >= + - * / ^ ( ) [ ] { } , : ; = < > . '",
      KINDS(ZW_TOKEN_ARROW, ZW_TOKEN_DOTS, ZW_TOKEN_EQ, ZW_TOKEN_NE, ZW_TOKEN_LE, ZW_TOKEN_GE, ZW_TOKEN_PLUS,
            ZW_TOKEN_MINUS, ZW_TOKEN_STAR, ZW_TOKEN_SLASH, ZW_TOKEN_CARET, ZW_TOKEN_LPAREN, ZW_TOKEN_RPAREN,
            ZW_TOKEN_LBRACKET, ZW_TOKEN_RBRACKET, ZW_TOKEN_LBRACE, ZW_TOKEN_RBRACE, ZW_TOKEN_COMMA, ZW_TOKEN_COLON,
            ZW_TOKEN_SEMICOLON, ZW_TOKEN_ASSIGN, ZW_TOKEN_LT, ZW_TOKEN_GT, ZW_TOKEN_DOT, ZW_TOKEN_PRIME));
}

static void operators_need_no_spaces_and_are_as_long_as_they_can_be(void** state) {
  (void)state;
  assert_kinds("a->b", KINDS(ZW_TOKEN_NAME, ZW_TOKEN_ARROW, ZW_TOKEN_NAME));
  assert_kinds("a<=-b", KINDS(ZW_TOKEN_NAME, ZW_TOKEN_LE, ZW_TOKEN_MINUS, ZW_TOKEN_NAME));
  assert_kinds("===", KINDS(ZW_TOKEN_EQ, ZW_TOKEN_ASSIGN));
  assert_kinds("x''", KINDS(ZW_TOKEN_NAME, ZW_TOKEN_PRIME, ZW_TOKEN_PRIME));
  assert_kinds("a..b.c", KINDS(ZW_TOKEN_NAME, ZW_TOKEN_DOTS, ZW_TOKEN_NAME, ZW_TOKEN_DOT, ZW_TOKEN_NAME));
  assert_kinds("<>", KINDS(ZW_TOKEN_LT, ZW_TOKEN_GT));
}

static void reserved_words_are_told_from_names(void** state) {
  (void)state;
  assert_kinds("if then else and or not in sum t pi deg",
               KINDS(ZW_TOKEN_IF, ZW_TOKEN_THEN, ZW_TOKEN_ELSE, ZW_TOKEN_AND, ZW_TOKEN_OR, ZW_TOKEN_NOT, ZW_TOKEN_IN,
                     ZW_TOKEN_SUM, ZW_TOKEN_T, ZW_TOKEN_PI, ZW_TOKEN_DEG));
  assert_kinds("iff If t1 tt pis param run force sums",
               KINDS(ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME,
                     ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME));
}

static void names_hold_letters_of_many_alphabets(void** state) {
  (void)state;
  assert_kinds("φ Ωmega_2 é ß щ 中 α1", KINDS(ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME, ZW_TOKEN_NAME,
                                              ZW_TOKEN_NAME, ZW_TOKEN_NAME));
  Lexed x;
  lex(&x, "Ωmega_2+1", (ptrdiff_t)strlen("Ωmega_2+1"));
  assert_int_equal(x.tokens.list.items[0].end, strlen("Ωmega_2"));
  stages_close(&x.s);
}

/* The first token's text, and the bytes it was typed with. */
static void assert_name(const char* text, const char* name, int32_t typed) {
  Lexed x;
  lex(&x, text, (ptrdiff_t)strlen(text));
  assert_no_error(&x.s);
  const ZwToken* token = &x.tokens.list.items[0];
  assert_int_equal(token->kind, ZW_TOKEN_NAME);
  assert_int_equal(token->end - token->begin, typed);
  assert_true(zw_str_equal(zw_token_str(text, token), zw_str_from(name)));
  stages_close(&x.s);
}

static void names_have_one_form(void** state) {
  (void)state;
  assert_name("e\xCC\x81 + 1", "é", 3);
  assert_name("é + 1", "é", 2);
  assert_name("q\xCC\x87'", "q\xCC\x87", 3); /* no such letter: the accent stays */
  assert_name("\xE2\x84\xA6_1", "Ω_1", 5);   /* the sign of ohm */
  assert_name("\xE2\x84\xAA", "K", 3);       /* kelvin */
}

static void accent_without_a_letter_is_a_mistake(void** state) {
  (void)state;
  WRONG("\xCC\x81", 1, "without a letter");
  WRONG("x + \xCC\x81", 5, "type the letter first");
  WRONG("2\xCC\x81", 2, "without a letter");
  WRONG("x =\xCC\xB8 y", 4, "without a letter");       /* an unequal sign taken apart */
  WRONG("\xD9\xA3", 1, "a name begins with a letter"); /* an Arabic digit */
  WRONG("2e\xCC\x81", 1, "2*é");
}

static void numbers_have_their_values(void** state) {
  (void)state;
  const struct {
    const char* text;
    double value;
  } numbers[] = {
      {"0", 0},
      {"12", 12},
      {"1.5", 1.5},
      {"1.5e-3", 1.5e-3},
      {"2E+10", 2e10},
      {"007", 7},
      {"1e5", 1e5},
      {"5e-324", 5e-324},
      {"0e-400", 0},
      {"0.1", 0.1},
      {"3.141592653589793238462643383279502884197169399375105820974944592307816406286208998628", 3.141592653589793}};
  for (int i = 0; i < (int)(sizeof numbers / sizeof *numbers); i++) {
    Lexed x;
    lex(&x, numbers[i].text, (ptrdiff_t)strlen(numbers[i].text));
    assert_no_error(&x.s);
    assert_int_equal(x.tokens.list.count, 2);
    assert_int_equal(x.tokens.list.items[0].kind, ZW_TOKEN_NUMBER);
    assert_true(x.tokens.list.items[0].number == numbers[i].value);
    stages_close(&x.s);
  }
}

static void ranges_are_no_decimal_points(void** state) {
  (void)state;
  assert_kinds("1..N", KINDS(ZW_TOKEN_NUMBER, ZW_TOKEN_DOTS, ZW_TOKEN_NAME));
  assert_kinds("0..10", KINDS(ZW_TOKEN_NUMBER, ZW_TOKEN_DOTS, ZW_TOKEN_NUMBER));
  assert_kinds("1.5..2.5", KINDS(ZW_TOKEN_NUMBER, ZW_TOKEN_DOTS, ZW_TOKEN_NUMBER));
}

static void number_glued_to_a_name_tells_the_remedy(void** state) {
  (void)state;
  WRONG("2x", 1, "2*x");
  WRONG("1.5e-3φ", 1, "1.5e-3*φ");
  WRONG("a + 3theta_1", 5, "3*theta_1");
  WRONG("2e", 1, "2*e"); /* no exponent without digits */
}

static void half_a_decimal_point_tells_the_remedy(void** state) {
  (void)state;
  WRONG("1.", 1, "1.0");
  WRONG("x + 12. * y", 5, "12.0");
}

static void number_beyond_all_doubles_is_a_mistake(void** state) {
  (void)state;
  Lexed x;
  lex(&x, "y + 1e999", 9);
  assert_error(&x.s, ZW_ERR_VALUE, 1, 5, "too large");
  stages_close(&x.s);
}

static void number_below_all_doubles_is_a_mistake(void** state) {
  (void)state;
  Lexed x;
  lex(&x, "y + 1e-400", 10);
  assert_error(&x.s, ZW_ERR_VALUE, 1, 5, "too small");
  stages_close(&x.s);
}

static void typographic_characters_tell_the_key_to_press(void** state) {
  (void)state;
  WRONG("x’", 2, "'");
  WRONG("x′", 2, "'");
  WRONG("x″", 2, "''");
  WRONG("a − b", 3, "-");
  WRONG("a – b", 3, "-");
  WRONG("a × b", 3, "*");
  WRONG("a · b", 3, "*");
  WRONG("a·b", 2, "*"); /* Unicode would have it in a name */
  WRONG("a\xCE\x87", 2, "*");
  WRONG("a ≤ b", 3, "<=");
  WRONG("a ≥ b", 3, ">=");
  WRONG("a ≠ b", 3, "!=");
  WRONG("x²", 2, "^2");
}

static void byte_order_mark_is_skipped(void** state) {
  (void)state;
  Lexed x;
  lex(&x,
      "\xEF\xBB\xBF"
      "coord x",
      10);
  assert_no_error(&x.s);
  assert_int_equal(x.tokens.list.count, 3);
  assert_int_equal(x.tokens.list.items[0].begin, 3);
  assert_true(x.tokens.list.items[0].after_newline);
  stages_close(&x.s);
}

/* Editors do not show it, so it must not count as a character of the first line. */
static void byte_order_mark_is_no_column(void** state) {
  (void)state;
  Lexed x;
  lex(&x,
      "\xEF\xBB\xBF"
      "2x",
      5);
  assert_error(&x.s, ZW_ERR_SYNTAX, 1, 1, "2*x");
  stages_close(&x.s);
}

static void zero_byte_is_one_mistake(void** state) {
  (void)state;
  Lexed x;
  lex(&x, "x\0y\0\0z", 6);
  assert_int_equal(x.s.diags.errors, 1);
  assert_int_equal(x.s.diags.list.items[0].column, 2);
  stages_close(&x.s);
  char zeros[1000] = {0};
  lex(&x, zeros, 1000);
  assert_int_equal(x.s.diags.errors, 1);
  stages_close(&x.s);
}

static void bytes_that_are_no_text_are_reported(void** state) {
  (void)state;
  WRONG("x \xFF y", 3, "UTF-8");
  WRONG("x \xC3", 3, "UTF-8");             /* cut short */
  WRONG("x \xC0\xAF y", 3, "UTF-8");       /* overlong */
  WRONG("x \xED\xA0\x80 y", 3, "UTF-8");   /* half of a pair */
  WRONG("x \xF4\x90\x80\x80", 3, "UTF-8"); /* beyond the last character */
  WRONG("x \x01 y", 3, "control");
  WRONG("x $ y", 3, "$");
}

static void run_of_rubbish_is_one_mistake(void** state) {
  (void)state;
  char rubbish[5000];
  memset(rubbish, 0xFE, sizeof rubbish);
  assert_wrong(rubbish, (ptrdiff_t)sizeof rubbish, 1, "UTF-8");
}

static void strings_end_on_their_line(void** state) {
  (void)state;
  assert_kinds("\"a # b\" x \"\"", KINDS(ZW_TOKEN_STRING, ZW_TOKEN_NAME, ZW_TOKEN_STRING));
  WRONG("use \"abc", 5, "not closed");
  Lexed x;
  lex(&x, "\"abc\nx \"d", 9);
  assert_int_equal(x.s.diags.errors, 2); /* the next line is read again */
  assert_error(&x.s, ZW_ERR_SYNTAX, 2, 3, "not closed");
  stages_close(&x.s);
}

static void comments_end_with_the_line(void** state) {
  (void)state;
  Lexed x;
  const char* text = "x # y ’ \xFF 2x\r\n#\n  # z\n w#";
  lex(&x, text, (ptrdiff_t)strlen(text));
  assert_no_error(&x.s);
  assert_int_equal(x.tokens.list.count, 3);
  assert_true(x.tokens.list.items[1].after_newline);
  stages_close(&x.s);
}

static void tokens_know_the_space_before_them(void** state) {
  (void)state;
  Lexed x;
  const char* text = "x' 'y\r\n\tz";
  lex(&x, text, (ptrdiff_t)strlen(text));
  const ZwToken* t = x.tokens.list.items;
  assert_int_equal(x.tokens.list.count, 6);
  assert_true(t[0].after_newline);
  assert_false(t[1].after_space);
  assert_true(t[2].after_space);
  assert_false(t[2].after_newline);
  assert_false(t[3].after_space);
  assert_true(t[4].after_newline && t[4].after_space);
  stages_close(&x.s);
}

static void lexing_stops_after_too_many_mistakes(void** state) {
  (void)state;
  enum { SIZE = 200000 };
  char* text = malloc(SIZE);
  for (int i = 0; i < SIZE; i++) text[i] = i % 2 ? ' ' : '$';
  Lexed x;
  lex(&x, text, SIZE);
  assert_int_equal(x.s.diags.list.count, ZW_LIMIT_ERRORS);
  assert_true(x.tokens.list.count < 100);
  assert_int_equal(x.tokens.list.items[x.tokens.list.count - 1].kind, ZW_TOKEN_END);
  stages_close(&x.s);
  free(text);
}

static void empty_text_has_an_end(void** state) {
  (void)state;
  assert_kinds("", NULL, 0);
  assert_kinds(" \n\t\r\n", NULL, 0);
}

/* Any bytes at all: no crash, an END, and tokens in order within the text. */
static void random_bytes_do_no_harm(void** state) {
  (void)state;
  static const char likely[] = "x1.e+-'\"#\n (){}[]=<>!$_\xC3\xA9\xCC\x81\xCC\xA3\xE2\x80\x99\xF0\x9F\x98\x80";
  Random random = random_from(7);
  for (int trial = 0; trial < 3000; trial++) {
    char text[64];
    int32_t size = random_int(&random, 0, 64);
    for (int32_t i = 0; i < size; i++) {
      bool any = random_int(&random, 0, 9) == 0;
      text[i] = any ? (char)random_int(&random, 1, 255) : likely[random_int(&random, 0, (int32_t)sizeof likely - 2)];
    }
    char* exact = malloc((size_t)size + 1); /* a sanitizer sees every byte read too far */
    memcpy(exact, text, (size_t)size);
    exact = realloc(exact, (size_t)size ? (size_t)size : 1);
    Lexed x;
    lex(&x, exact, size);
    int32_t before = 0;
    for (int32_t i = 0; i < x.tokens.list.count; i++) {
      assert_true(x.tokens.list.items[i].begin >= before);
      before = x.tokens.list.items[i].end;
    }
    assert_true(before <= size);
    assert_int_equal(x.tokens.list.items[x.tokens.list.count - 1].kind, ZW_TOKEN_END);
    stages_close(&x.s);
    free(exact);
  }
}

static void every_token_has_a_name_for_messages(void** state) {
  (void)state;
  for (int kind = ZW_TOKEN_END; kind <= ZW_TOKEN_PRIME; kind++)
    assert_true(strlen(zw_token_text((ZwTokenKind)kind)) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operator_is_a_token),
      cmocka_unit_test(operators_need_no_spaces_and_are_as_long_as_they_can_be),
      cmocka_unit_test(reserved_words_are_told_from_names),
      cmocka_unit_test(names_hold_letters_of_many_alphabets),
      cmocka_unit_test(names_have_one_form),
      cmocka_unit_test(accent_without_a_letter_is_a_mistake),
      cmocka_unit_test(numbers_have_their_values),
      cmocka_unit_test(ranges_are_no_decimal_points),
      cmocka_unit_test(number_glued_to_a_name_tells_the_remedy),
      cmocka_unit_test(half_a_decimal_point_tells_the_remedy),
      cmocka_unit_test(number_beyond_all_doubles_is_a_mistake),
      cmocka_unit_test(number_below_all_doubles_is_a_mistake),
      cmocka_unit_test(typographic_characters_tell_the_key_to_press),
      cmocka_unit_test(byte_order_mark_is_skipped),
      cmocka_unit_test(byte_order_mark_is_no_column),
      cmocka_unit_test(zero_byte_is_one_mistake),
      cmocka_unit_test(bytes_that_are_no_text_are_reported),
      cmocka_unit_test(run_of_rubbish_is_one_mistake),
      cmocka_unit_test(strings_end_on_their_line),
      cmocka_unit_test(comments_end_with_the_line),
      cmocka_unit_test(tokens_know_the_space_before_them),
      cmocka_unit_test(lexing_stops_after_too_many_mistakes),
      cmocka_unit_test(empty_text_has_an_end),
      cmocka_unit_test(random_bytes_do_no_harm),
      cmocka_unit_test(every_token_has_a_name_for_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
