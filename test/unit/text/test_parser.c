/* Every production of the grammar, and the tree that comes out of it. Expressions are compared as lists with the
 * operator in front: -x^2 is (- (^ x 2)). */
#include "text/parser.h"

#include "model/stages.h"
#include "text/lexer.h"

static void show(ZwText* text, const ZwAst* node);

static void show_list(ZwText* text, const ZwAst* node) {
  for (const ZwAst* child = node->first; child; child = child->next) {
    zw_text_add(text, " ", 1);
    show(text, child);
  }
}

static void show_operator(ZwText* text, int32_t kind) {
  const char* quoted = zw_token_text((ZwTokenKind)kind); /* '+' */
  zw_text_add(text, quoted + 1, (ptrdiff_t)strlen(quoted) - 2);
}

/* (a - b) + c from the flat list of a chain */
static void show_chain(ZwText* text, const ZwAst* node) {
  for (const ZwAst* child = node->last; child != node->first;) {
    zw_text_add(text, "(", 1);
    show_operator(text, child->lead);
    zw_text_add(text, " ", 1);
    const ZwAst* before = node->first;
    while (before->next != child) before = before->next;
    child = before;
  }
  show(text, node->first);
  for (const ZwAst* child = node->first->next; child; child = child->next) {
    zw_text_add(text, " ", 1);
    show(text, child);
    zw_text_add(text, ")", 1);
  }
}

static void show_call(ZwText* text, const ZwAst* node) {
  zw_text_add(text, "(call ", 6);
  show(text, node->a);
  show_list(text, node);
  zw_text_add(text, ")", 1);
}

static void show_two(ZwText* text, const char* head, const ZwAst* a, const ZwAst* b) {
  zw_text_addf(text, "(%s ", head);
  show(text, a);
  if (b) zw_text_add(text, " ", 1);
  if (b) show(text, b);
  zw_text_add(text, ")", 1);
}

static void show(ZwText* text, const ZwAst* node) {
  switch (node->kind) {
    case ZW_AST_NUMBER:
      zw_text_add_number(text, node->number);
      break;
    case ZW_AST_STRING:
      zw_text_addf(text, "\"%.*s\"", ZW_STR_ARGS(node->text));
      break;
    case ZW_AST_TIME:
      zw_text_addf(text, "t");
      break;
    case ZW_AST_PI:
      zw_text_addf(text, "pi");
      break;
    case ZW_AST_DEG:
      zw_text_addf(text, "deg");
      break;
    case ZW_AST_NAME:
      zw_text_addf(text, "%.*s", ZW_STR_ARGS(node->text));
      break;
    case ZW_AST_PRIMED:
      show_two(text, node->count == 2 ? "''" : node->count == 1 ? "'" : "'''", node->a, NULL);
      break;
    case ZW_AST_NEGATE:
      show_two(text, "-", node->a, NULL);
      break;
    case ZW_AST_NOT:
      show_two(text, "not", node->a, NULL);
      break;
    case ZW_AST_POWER:
      show_two(text, "^", node->a, node->b);
      break;
    case ZW_AST_RANGE:
      show_two(text, "..", node->a, node->b);
      break;
    case ZW_AST_CALL:
      show_call(text, node);
      break;
    case ZW_AST_TERM:
    case ZW_AST_SUM:
      show_chain(text, node);
      break;
    case ZW_AST_AND:
    case ZW_AST_OR:
    case ZW_AST_VECTOR:
    case ZW_AST_ARRAY:
      zw_text_addf(text, "(%s", zw_ast_kind_text(node->kind));
      show_list(text, node);
      zw_text_add(text, ")", 1);
      break;
    case ZW_AST_COMPARE:
      zw_text_add(text, "(", 1);
      show_operator(text, node->op);
      zw_text_add(text, " ", 1);
      show(text, node->a);
      zw_text_add(text, " ", 1);
      show(text, node->b);
      zw_text_add(text, ")", 1);
      break;
    case ZW_AST_INDEX:
      show_two(text, "index", node->a, NULL);
      text->size--; /* the list goes inside */
      show_list(text, node);
      zw_text_add(text, ")", 1);
      break;
    case ZW_AST_MEMBER:
      show_two(text, "member", node->a, NULL);
      text->size--;
      zw_text_addf(text, " %.*s)", ZW_STR_ARGS(node->text));
      break;
    case ZW_AST_ARGUMENT:
      if (node->text.size) zw_text_addf(text, "%.*s=", ZW_STR_ARGS(node->text));
      if (node->a) show(text, node->a);
      break;
    case ZW_AST_ITER:
      zw_text_addf(text, "%.*s in ", ZW_STR_ARGS(node->text));
      show(text, node->a);
      break;
    case ZW_AST_SUM_OVER:
      zw_text_add(text, "(sum", 4);
      show_list(text, node);
      zw_text_add(text, ": ", 2);
      show(text, node->a);
      zw_text_add(text, ")", 1);
      break;
    case ZW_AST_CHOOSE:
      show_two(text, "if", node->c, NULL);
      text->size--;
      zw_text_add(text, " ", 1);
      show(text, node->a);
      zw_text_add(text, " ", 1);
      show(text, node->b);
      zw_text_add(text, ")", 1);
      break;
    default:
      zw_text_addf(text, "<%s>", zw_ast_kind_text(node->kind));
      break;
  }
}

static void assert_expression(const char* written, const char* want) {
  Stages s;
  stages_open(&s, written, (ptrdiff_t)strlen(written));
  assert_int_equal(zw_parse_expression(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
  assert_no_error(&s);
  assert_int_equal(s.tree->kind, ZW_AST_FILE); /* with the expression as its only child */
  assert_int_equal(s.tree->count, 1);
  assert_null(s.tree->first->next);
  ZwText text;
  zw_text_init(&text, &s.arena);
  show(&text, s.tree->first);
  assert_string_equal(zw_text_get(&text), want);
  stages_close(&s);
}

static void operators_bind_as_in_books(void** state) {
  (void)state;
  assert_expression("-x^2", "(- (^ x 2))");
  assert_expression("a^b^c", "(^ a (^ b c))");
  assert_expression("2^-1", "(^ 2 (- 1))");
  assert_expression("x'^2", "(^ (' x) 2)");
  assert_expression("1/2*m", "(* (/ 1 2) m)");
  assert_expression("a - b - c", "(- (- a b) c)");
  assert_expression("a - b + c*d", "(+ (- a b) (* c d))");
  assert_expression("a/b/c", "(/ (/ a b) c)");
  assert_expression("a*-b", "(* a (- b))");
  assert_expression("a - -b", "(- a (- b))");
  assert_expression("+a", "a");
  assert_expression("--a", "(- (- a))");
  assert_expression("-a*b", "(* (- a) b)");
  assert_expression("-2^-x^2", "(- (^ 2 (- (^ x 2))))");
  assert_expression("(a + b)*c", "(* (+ a b) c)");
  assert_expression("(a^b)^c", "(^ (^ a b) c)");
  assert_expression("x''*2", "(* ('' x) 2)");
  assert_expression("(a + b)'", "(' (+ a b))");
}

static void conditions_bind_weaker_than_sums(void** state) {
  (void)state;
  assert_expression("a + b < c*d", "(< (+ a b) (* c d))");
  assert_expression("a == b and c != d or e >= f", "(or (and (== a b) (!= c d)) (>= e f))");
  assert_expression("not a < b and c > d", "(and (not (< a b)) (> c d))");
  assert_expression("not not a <= b", "(not (not (<= a b)))");
  assert_expression("(a < b or c < d) and e < f", "(and (or (< a b) (< c d)) (< e f))");
  assert_expression("if a < b then c else d + 1", "(if (< a b) c (+ d 1))");
  assert_expression("if a < b then if c < d then 1 else 2 else 3", "(if (< a b) (if (< c d) 1 2) 3)");
  assert_expression("if a < b then 1 else if c < d then 2 else 3", "(if (< a b) 1 (if (< c d) 2 3))");
  assert_expression("1 + (if a < b then c else d)", "(+ 1 (if (< a b) c d))");
}

static void primaries_and_postfixes_are_read(void** state) {
  (void)state;
  assert_expression("t*pi + 30*deg", "(+ (* t pi) (* 30 deg))");
  assert_expression("\"a b\"", "\"a b\"");
  assert_expression("(1, 2)", "(vector 1 2)");
  assert_expression("(x, y + 1, -z)", "(vector x (+ y 1) (- z))");
  assert_expression("f()", "(call f)");
  assert_expression("atan2(x, -y)", "(call atan2 x (- y))");
  assert_expression("rod(1, l = 2*m)", "(call rod 1 l=(* 2 m))");
  assert_expression("x[i]'^2", "(^ (' (index x i)) 2)");
  assert_expression("r[i, j - 1].x", "(member (index r i (- j 1)) x)");
  assert_expression("coupler.at(1/2).y", "(member (call (member coupler at) (/ 1 2)) y)");
  assert_expression("part[i].at(0)'", "(' (call (member (index part i) at) 0))");
  assert_expression("P.x'", "(' (member P x))");
  assert_expression("sum(i in 1..N: x[i])", "(sum i in (.. 1 N): (index x i))");
  assert_expression("sum(i in 1..N, j in 0..i - 1: x[i, j]^2) + 1",
                    "(+ (sum i in (.. 1 N) j in (.. 0 (- i 1)): (^ (index x i j) 2)) 1)");
  assert_expression("((((x))))", "x");
}

/* ---- statements ---- */

typedef struct Written {
  const char* text;
  ZwAstKind kind;
} Written;

static void every_statement_is_read(void** state) {
  (void)state;
  static const Written statements[] = {
      {"param m = 1", ZW_AST_PARAM},
      {"param m = 1, g = 9.81, k[1..3] = [1, 2, 3]", ZW_AST_PARAM},
      {"param c[1..2, 1..2] = [[1, 2], [3, 4]]", ZW_AST_PARAM},
      {"coord x", ZW_AST_COORD},
      {"coord x = 1, y, P = (0, 0), th[1..N] = 90*deg, a[0..N, 1..3]", ZW_AST_COORD},
      {"memory k = 0, on", ZW_AST_MEMORY},
      {"let a = 1, b[i] = 2, c[i, j + 1] = 3", ZW_AST_LET},
      {"let f(x, y) = x + y, g() = 1", ZW_AST_LET},
      {"kinetic 1/2*m*x'^2", ZW_AST_ENERGY},
      {"potential m*g*y", ZW_AST_ENERGY},
      {"lagrangian x'*y", ZW_AST_ENERGY},
      {"dissipation x'^2", ZW_AST_ENERGY},
      {"gibbs x''^2", ZW_AST_ENERGY},
      {"force x = 1", ZW_AST_FORCE},
      {"force P - Q = F while k == 1", ZW_AST_FORCE},
      {"constraint x = 1", ZW_AST_CONSTRAINT},
      {"constraint a: x = 1", ZW_AST_CONSTRAINT},
      {"constraint a[i]: x + y = 1 while k > 0", ZW_AST_CONSTRAINT},
      {"constraint a[i, j]: x[i] = x[j]", ZW_AST_CONSTRAINT},
      {"contact y >= 0", ZW_AST_CONTACT},
      {"contact floor[i]: y <= 1, restitution 0.8, friction 0.1, slip x' while k == 0", ZW_AST_CONTACT},
      {"quasi u = x', w[i] = y', s", ZW_AST_QUASI},
      {"start x = 1", ZW_AST_START},
      {"start exactly P' = (1, 0), w = 2", ZW_AST_START},
      {"when x > 1: k = 1, x' = -x'", ZW_AST_WHEN},
      {"stop when x > 1 and t > 2", ZW_AST_STOP},
      {"output a = x + 1, b, c[i] = y, x', y''", ZW_AST_OUTPUT},
      {"plot x", ZW_AST_PLOT},
      {"plot x, y + 1 against t", ZW_AST_PLOT},
      {"draw line P -> Q -> (1, 2)", ZW_AST_DRAW},
      {"draw circle P, r color \"red\"", ZW_AST_DRAW},
      {"draw spring P -> Q", ZW_AST_DRAW},
      {"draw point P", ZW_AST_DRAW},
      {"draw box P, (w, h), phi", ZW_AST_DRAW},
      {"draw arrow P -> P + F", ZW_AST_DRAW},
      {"draw trail P", ZW_AST_DRAW},
      {"draw ground P -> Q", ZW_AST_DRAW},
      {"draw text P, \"hello\"", ZW_AST_DRAW},
      {"for i in 1..N { kinetic x[i]'^2 }", ZW_AST_FOR},
      {"for i in 1..N, j in i + 1 .. N { }", ZW_AST_FOR},
      {"if N > 1 { coord x } else if N == 1 { coord y } else { coord z }", ZW_AST_IF},
      {"if not N > 1 { }", ZW_AST_IF},
      {"component rod(m, l = 1) { coord x; kinetic 1/2*m*x'^2 }", ZW_AST_COMPONENT},
      {"component earth() { }", ZW_AST_COMPONENT},
      {"part a = rod(1, 2)", ZW_AST_PART},
      {"part a[i, j] = lib.rod(1, l = 2)", ZW_AST_PART},
      {"use planar", ZW_AST_USE},
      {"use \"parts/arm.zw\" with g = 9.81, m = 2*k", ZW_AST_USE},
      {"run 0 .. 10", ZW_AST_RUN},
      {"run -1 .. 2*T every 0.01 tolerance 1e-9 step 1e-3 integrator rattle", ZW_AST_RUN},
  };
  for (int i = 0; i < (int)(sizeof statements / sizeof *statements); i++) {
    Stages s;
    assert_int_equal(stages_parse(&s, statements[i].text), ZW_OK);
    if (s.diags.errors) print_message("in: %s\n", statements[i].text);
    assert_no_error(&s);
    assert_int_equal(s.tree->count, 1);
    assert_int_equal(s.tree->first->kind, statements[i].kind);
    assert_int_equal(s.tree->first->span.begin, 0);
    assert_int_equal(s.tree->first->span.end, strlen(statements[i].text));
    stages_close(&s);
  }
}

/* Words are words only where the grammar expects them. */
static void statement_words_may_be_names(void** state) {
  (void)state;
  Stages s;
  stages_parse(&s,
               "param force = 1, run = 2, every = 3, while = 4, kinetic = 5\n"
               "coord start, with, line, color, against, integrator\n"
               "kinetic 1/2*force*start'^2 + every*with'^2 + line'^2 + color'^2 + against'^2 + integrator'^2\n"
               "potential kinetic*while*run\n"
               "start start = 1, exactly = 2\n"
               "run 0 .. run every every\n");
  assert_no_error(&s);
  assert_int_equal(s.tree->count, 6);
  stages_close(&s);
}

/* ---- where a statement ends ---- */

static int32_t statements_in(const char* text) {
  Stages s;
  stages_parse(&s, text);
  if (s.diags.errors) print_message("in: %s\n", text);
  assert_no_error(&s);
  int32_t count = s.tree->count;
  stages_close(&s);
  return count;
}

static void newline_ends_a_statement(void** state) {
  (void)state;
  assert_int_equal(statements_in("coord x\nkinetic x'^2\nrun 0 .. 1"), 3);
  assert_int_equal(statements_in("coord x\r\nkinetic x'^2\r\n\r\n\r\nrun 0 .. 1\r\n"), 3);
  assert_int_equal(statements_in("\n\n"), 0);
  assert_int_equal(statements_in("let a = x\nlet b = y"), 2);
}

static void newline_inside_brackets_does_not(void** state) { /* rule (a) */
  (void)state;
  static const char* const texts[] = {"kinetic (a\n+\nb\n)",
                                      "kinetic f(a,\n\nb\n)",
                                      "kinetic x[\n1\n]",
                                      "draw point (\na\n,\nb\n)",
                                      "kinetic sum(\ni in 1..2\n:\nx\n)",
                                      "kinetic (f\n(a)\n[1]\n)"};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) assert_int_equal(statements_in(texts[i]), 1);
}

static void newline_after_an_operator_does_not(void** state) { /* rule (b) */
  (void)state;
  static const char* const texts[] = {"kinetic a +\nb",
                                      "kinetic a -\n\n# remark\n b",
                                      "kinetic a *\nb",
                                      "kinetic a /\nb",
                                      "kinetic a ^\nb",
                                      "constraint a =\nb",
                                      "constraint c:\na = b",
                                      "param a = 1,\nb = 2",
                                      "draw line P ->\nQ",
                                      "run 0 ..\n1",
                                      "stop when a < b and\nc < d",
                                      "stop when a < b or\nc < d",
                                      "stop when not\na < b",
                                      "let a = if\nb < c then 1 else 2",
                                      "let a = if b < c then\n1 else\n2",
                                      "stop when a <\nb",
                                      "kinetic -\na"};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) assert_int_equal(statements_in(texts[i]), 1);
}

static void newline_before_an_operator_does_not(void** state) { /* rule (c) */
  (void)state;
  static const char* const texts[] = {"kinetic a\n+ b",
                                      "kinetic a\n\n  # remark\n  - b",
                                      "kinetic a\n* b",
                                      "kinetic a\n/ b",
                                      "kinetic a\n^ b",
                                      "constraint a\n= b",
                                      "param a = 1\n, b = 2",
                                      "draw line P\n-> Q",
                                      "run 0\n.. 1",
                                      "stop when a < b\nand c < d",
                                      "stop when a < b\nor c < d",
                                      "stop when a\n< b",
                                      "let a = if b < c\nthen 1\nelse 2",
                                      "kinetic (a\n)",
                                      "kinetic x[1\n]"};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) assert_int_equal(statements_in(texts[i]), 1);
}

static void semicolon_ends_a_statement(void** state) {
  (void)state;
  assert_int_equal(statements_in("coord x; kinetic x'^2; run 0 .. 1"), 3);
  assert_int_equal(statements_in(";; coord x;;\n;"), 1);
  assert_int_equal(statements_in("for i in 1..2 { kinetic x'^2; potential y };coord z"), 2);
}

/* What could go on either way does not go on in the next line. */
static void brackets_and_clauses_of_the_next_line_are_not_taken(void** state) {
  (void)state;
  Stages s;
  stages_parse(&s, "let a = f\n(x)\nlet b = g\n[1]\nrun 0 .. 1\nevery 2\n");
  assert_int_equal(s.diags.errors, 3); /* none of these lines begins a statement */
  assert_error(&s, ZW_ERR_SYNTAX, 2, 1, "");
  assert_error(&s, ZW_ERR_SYNTAX, 4, 1, "");
  assert_error(&s, ZW_ERR_SYNTAX, 6, 1, "");
  stages_close(&s);
}

/* ---- size ---- */

static void assert_one_limit_error(const char* text, int64_t size) {
  Stages s;
  stages_open(&s, text, size);
  assert_int_equal(zw_parse_file(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
  if (s.diags.errors != 1) stages_show(&s);
  assert_int_equal(s.diags.errors, 1);
  assert_int_equal(s.diags.list.items[0].code, ZW_ERR_LIMIT);
  assert_int_equal(s.diags.list.items[0].line, 1);
  assert_true(strlen(s.diags.list.items[0].remedy) > 0);
  stages_close(&s);
}

/* head, then `count` times `open`, a middle, `count` times `close`. */
static char* nested(const char* head, const char* open, const char* middle, const char* close, int count,
                    int64_t* size) {
  size_t longest = strlen(head) + strlen(middle) + (size_t)count * (strlen(open) + strlen(close)) + 1;
  char *text = malloc(longest), *at = text;
  at += sprintf(at, "%s", head);
  for (int i = 0; i < count; i++) at += sprintf(at, "%s", open);
  at += sprintf(at, "%s", middle);
  for (int i = 0; i < count; i++) at += sprintf(at, "%s", close);
  *size = at - text;
  return text;
}

static void nesting_beyond_the_limit_is_one_clear_error(void** state) {
  (void)state;
  static const struct {
    const char *head, *open, *middle, *close;
  } deep[] = {{"let a = ", "(", "x", ")"},
              {"let a = ", "(", "", ""}, /* never closed */
              {"let a = ", "-", "x", ""},
              {"let a = ", "x^", "x", ""},
              {"let a = ", "sin(", "x", ")"},
              {"let a = ", "x[", "1", "]"},
              {"let a = x", ".y", "", ""},
              {"let a = x", "[1]", "", ""},
              {"let a = ", "(1, ", "2", ")"},
              {"let a = ", "if a < b then ", "1", " else 2"},
              {"let a = ", "if a < b then 1 else ", "2", ""},
              {"stop when ", "not ", "a < b", ""},
              {"param a = ", "[", "1", "]"},
              {"let a = ", "sum(i in 1..2: ", "1", ")"},
              {"", "for i in 1..2 { ", "coord x", " }"},
              {"", "if a < b { } else ", "{ }", ""},
              {"", "component c() { ", "", " }"}};
  for (int i = 0; i < (int)(sizeof deep / sizeof *deep); i++) {
    int64_t size;
    char* text = nested(deep[i].head, deep[i].open, deep[i].middle, deep[i].close, i < 2 ? 100000 : 20000, &size);
    assert_one_limit_error(text, size);
    free(text);
  }
}

static void nesting_below_the_limit_is_fine(void** state) {
  (void)state;
  int64_t size;
  char* text = nested("let a = ", "(", "x", ")", 90, &size);
  assert_int_equal(statements_in(text), 1);
  free(text);
}

/* What stands behind the deep nesting is read again. */
static void reading_goes_on_behind_deep_nesting(void** state) {
  (void)state;
  int64_t size;
  char* text = nested("let a = ", "(", "x", ")", 5000, &size);
  char* longer = malloc((size_t)size + 100);
  sprintf(longer, "%s\ncoord y\nparm m = 1\n", text);
  Stages s;
  stages_parse(&s, longer);
  assert_int_equal(s.diags.errors, 2);
  assert_error(&s, ZW_ERR_SYNTAX, 3, 1, "param");
  assert_int_equal(s.tree->first->next->kind, ZW_AST_COORD);
  stages_close(&s);
  free(longer);
  free(text);
}

static void line_of_ten_megabytes_is_read(void** state) {
  (void)state;
  enum { SIZE = 10 * 1000 * 1000 };
  char* text = malloc(SIZE + 1);
  memcpy(text, "let a = ", 8);
  for (int i = 8; i < SIZE; i++) text[i] = i % 2 ? '+' : 'x';
  text[SIZE - 1] = 'x';
  text[SIZE - 2] = ' ';
  text[SIZE] = 0;
  Stages s;
  stages_open(&s, text, SIZE);
  assert_int_equal(zw_parse_file(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
  assert_no_error(&s);
  assert_int_equal(s.tree->first->first->a->kind, ZW_AST_SUM);
  assert_int_equal(s.tree->first->first->a->count, (SIZE - 8) / 2);
  stages_close(&s);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_bind_as_in_books),
      cmocka_unit_test(conditions_bind_weaker_than_sums),
      cmocka_unit_test(primaries_and_postfixes_are_read),
      cmocka_unit_test(every_statement_is_read),
      cmocka_unit_test(statement_words_may_be_names),
      cmocka_unit_test(newline_ends_a_statement),
      cmocka_unit_test(newline_inside_brackets_does_not),
      cmocka_unit_test(newline_after_an_operator_does_not),
      cmocka_unit_test(newline_before_an_operator_does_not),
      cmocka_unit_test(semicolon_ends_a_statement),
      cmocka_unit_test(brackets_and_clauses_of_the_next_line_are_not_taken),
      cmocka_unit_test(nesting_beyond_the_limit_is_one_clear_error),
      cmocka_unit_test(nesting_below_the_limit_is_fine),
      cmocka_unit_test(reading_goes_on_behind_deep_nesting),
      cmocka_unit_test(line_of_ten_megabytes_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
