/* Functions, components and parts: arguments, members, names, guesses. */
#include "model/stages.h"

/* ---- functions ---- */

static const char functions[] =
    "param k = 3\ncoord x, y, P = (0, 0), R = (0, 0, 0)\n"
    "let square(u) = u^2, mix(a, b) = a + 2*b, along(s) = P + s*(1, 0), twice(u) = mix(u, u), none() = k, hides(x) = "
    "x*y\n"
    "let slope(u) = diff(square(u) + y*u, u), third(v) = v.z, first(a) = a[1]\nlet table2[1] = x, table2[2] = y\n";

static void functions_are_put_in(void** state) {
  (void)state;
  static const Means table[] = {
      {"square(x)", "x^2"},
      {"square(x + y)", "(x + y)^2"},
      {"square(P)", "P.x^2 + P.y^2"}, /* whatever goes in */
      {"mix(x, y)", "x + 2*y"},
      {"mix(b = x, a = y)", "y + 2*x"},
      {"mix(x, b = 1)", "x + 2"},
      {"along(y)", "P.x + y | P.y"},
      {"along(y).y", "P.y"},
      {"along(2)'", "P.x' | P.y'"},
      {"twice(x)", "x + 2*x"},
      {"none()", "k"},
      {"hides(3)", "3*y"},
      {"square(square(x))", "(x^2)^2"},
      {"third(R)", "R.z"},
      {"first(table2)", "x"}, /* a whole array */
      {"slope(x)", "2*x + y"},
      {"slope(3)", "6 + y"}, /* differentiated before the argument is put in */
      {"slope(x + y)", "2*(x + y) + y"},
  };
  assert_all_mean(functions, table);
}

static void wrong_calls_are_refused(void** state) {
  (void)state;
  static const Refused table[] = {
      {"potential square()", ZW_ERR_TYPE, 11, "'square' needs the argument 'u'"},
      {"potential square(x, y)", ZW_ERR_TYPE, 11, "'square' takes 1 argument, not 2"},
      {"potential none(1)", ZW_ERR_TYPE, 11, "'none' takes 0 arguments, not 1"},
      {"potential mix(x, c = y)", ZW_ERR_NAME, 18, "'mix' has no argument 'c'"},
      {"potential mix(x, a = y)", ZW_ERR_NAME, 18, "the argument 'a' is given twice"},
      {"potential mix(a = x, y)", ZW_ERR_SYNTAX, 22, "without a name come before"},
      {"potential square", ZW_ERR_TYPE, 11, "a function and needs its arguments"},
      {"potential square.x", ZW_ERR_TYPE, 11, "has no members"},
      {"potential square[1]", ZW_ERR_TYPE, 11, "not an array"},
      {"potential squaer(x)", ZW_ERR_NAME, 11, "square"},
      {"potential third(P)", ZW_ERR_TYPE, 76, "P"},
      {"let square(v) = v", ZW_ERR_NAME, 5, "declared already"},
      {"let sin(v) = v", ZW_ERR_NAME, 5, "function of the language"},
      {"let f(a, a) = a; potential f(1, 2)", ZW_ERR_NAME, 10, "declared already"},
      {"part p = square(2)", ZW_ERR_TYPE, 10, "this is none"},
      {"part p = x(2)", ZW_ERR_TYPE, 10, "this is none"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].line, "potential third(P)") == 0) continue; /* below: the message stands in the function */
    assert_line_refused(functions, table[i].line, table[i].code, table[i].column, table[i].part);
  }
  Stages s;
  stages_elaborate(&s, "coord P = (0, 0)\nlet third(v) = v.z\npotential third(P)\n");
  assert_int_equal(s.diags.list.count, 1);
  assert_error(&s, ZW_ERR_TYPE, 2, 16, "no member 'z'");
  stages_close(&s);
}

static void recursion_is_refused(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "coord x\nlet f(u) = f(u) + 1\npotential f(x)\n");
  assert_error(&s, ZW_ERR_LIMIT, 2, 12, "'f' uses itself");
  assert_int_equal(s.diags.list.count, 1);
  stages_close(&s);
  stages_elaborate(&s, "coord x\nlet f(u) = 1 + g(u)\nlet g(u) = f(u)*2\npotential f(x)\n");
  assert_error(&s, ZW_ERR_LIMIT, 3, 12, "'f' uses itself");
  stages_close(&s);
  stages_elaborate(&s, "component c(n) { part inner = c(n + 1) }\npart p = c(1)\ncoord x\n");
  assert_error(&s, ZW_ERR_LIMIT, 1, 31, "'c' uses itself");
  stages_close(&s);
  /* also where it would end */
  stages_elaborate(&s, "coord x\nlet power(u, n) = if n == 0 then 1 else u*power(u, n - 1)\noutput o = power(x, 4)\n");
  assert_error(&s, ZW_ERR_LIMIT, 2, 43, "'power' uses itself");
  stages_close(&s);
  /* a function of its own value is none */
  stages_elaborate(&s, "coord x\nlet f(u) = u*u\noutput o = f(f(x))\n");
  assert_no_error(&s);
  stages_close(&s);
}

/* ---- components ---- */

#define ROD                                                         \
  "component rod(m, l = 2*m, at = (0, 0)) {\n"                      \
  "  coord x = at.x, y = at.y, phi\n"                               \
  "  let tip(s) = (x + s*l*cos(phi), y + s*l*sin(phi)), mass = m\n" \
  "  kinetic 1/2*m*(x'^2 + y'^2) + m*l^2/24*phi'^2\n"               \
  "  constraint top: y = l\n"                                       \
  "  output height = y\n"                                           \
  "}\n"

static void parts_have_members_and_prefixed_names(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "param a = 5\n" ROD
                       "part one = rod(1, 3)\npart two = rod(a)\npart three = rod(at = (7, 8), m = 4)\n"
                       "output o = one.x + two.phi', tip = one.tip(1/2), lengths = (one.l, two.l, three.l)\n"
                       "output r = reaction(two.top), mass = three.mass, at = three.at\n");
  assert_no_error(&s);
  static const char* const names[] = {"one.x",   "one.y",   "one.phi", "two.x",    "two.y",
                                      "two.phi", "three.x", "three.y", "three.phi"};
  assert_coords(&s, names, 9);
  assert_output(&s, "one.height", "one.y");
  assert_output(&s, "o", "one.x + two.phi'");
  assert_output(&s, "tip.x", "one.x + 0.5*3*cos(one.phi)");
  assert_output(&s, "lengths.x", "3");
  assert_output(&s, "lengths.y", "2*a"); /* defaults may use earlier arguments */
  assert_output(&s, "lengths.z", "2*4");
  assert_output(&s, "r", "reaction(two.top)");
  assert_output(&s, "mass", "4");
  assert_output(&s, "at.y", "8");
  assert_non_null(stages_find_term(&s, ZW_TERM_CONSTRAINT, "three.top"));
  assert_string_equal(stages_printed(&s, s.system.coords.items[7].start_q), "8");
  stages_close(&s);
}

/* Values in a component are guesses, typed ones hold; `start` types them. */
static void values_inside_parts_are_guesses(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "coord z = 1, free\n" ROD "part p = rod(1)\nstart p.y = 3, p.phi' = 4\n");
  assert_no_error(&s);
  const ZwCoord* c = s.system.coords.items; /* z, free, p.x, p.y, p.phi */
  assert_int_equal(c[0].hold_q, ZW_HOLD_TYPED);
  assert_int_equal(c[1].hold_q, ZW_HOLD_FREE);
  assert_int_equal(c[2].hold_q, ZW_HOLD_GUESS);
  assert_int_equal(c[3].hold_q, ZW_HOLD_TYPED);
  assert_int_equal(c[4].hold_q, ZW_HOLD_FREE);
  assert_int_equal(c[4].hold_v, ZW_HOLD_TYPED);
  assert_string_equal(stages_printed(&s, c[3].start_q), "3");
  stages_close(&s);
}

static void parts_and_arrays_go_in_as_arguments(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(
      &s,
      "component point(at) { coord r = at }\n"
      "component spring(a, b, k) { let gap = a.r - b.r; potential 1/2*k*gap^2; let ends = a.r + b.r }\n"
      "component chain(points, n) { output reach = points[n].r - points[1].r, first = points[1].r.x }\n"
      "component pair(at) { part left = point(at); part right = point(-at); part s = spring(left, right, 2) }\n"
      "for i in 1..3 { part p[i] = point((i, 2*i)) }\n"
      "for i in 2..3 { part s[i] = spring(p[i-1], p[i], i) }\n"
      "part c = chain(p, 3)\npart duo = pair((1, 2))\n"
      "output g = s[3].gap, deep = duo.s.gap.x, mine = duo.left.r.y, up = s[2].a.r.x, other = p[2].r'.y\n");
  assert_no_error(&s);
  static const char* const names[] = {"p[1].r.x", "p[1].r.y",     "p[2].r.x",     "p[2].r.y",      "p[3].r.x",
                                      "p[3].r.y", "duo.left.r.x", "duo.left.r.y", "duo.right.r.x", "duo.right.r.y"};
  assert_coords(&s, names, 10);
  assert_output(&s, "c.reach.y", "p[3].r.y - p[1].r.y");
  assert_output(&s, "c.first", "p[1].r.x");
  assert_output(&s, "g.x", "p[2].r.x - p[3].r.x");
  assert_output(&s, "deep", "duo.left.r.x - duo.right.r.x");
  assert_output(&s, "mine", "duo.left.r.y");
  assert_output(&s, "up", "p[1].r.x"); /* arguments are members too, parts among them */
  assert_output(&s, "other", "p[2].r.y'");
  stages_close(&s);
}

static void loops_inside_components_belong_to_the_part(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s,
                   "component chain(n, l) {\n  coord x[1..n]\n  let s[0] = 0\n"
                   "  for i in 1..n { let s[i] = s[i-1] + x[i]; constraint link[i]: x[i] = l*i }\n"
                   "  if n > 2 { output long = s[n] } else { output short = s[n] }\n}\n"
                   "part a = chain(2, 1)\nfor k in 1..2 { part b[k] = chain(k + 1, 2) }\noutput o = b[2].s[3], r = "
                   "reaction(b[1].link[2])\n");
  assert_no_error(&s);
  static const char* const names[] = {"a.x[1]",    "a.x[2]",    "b[1].x[1]", "b[1].x[2]",
                                      "b[2].x[1]", "b[2].x[2]", "b[2].x[3]"};
  assert_coords(&s, names, 7);
  assert_output(&s, "a.short", "a.x[1] + a.x[2]");
  assert_output(&s, "b[2].long", "b[2].x[1] + b[2].x[2] + b[2].x[3]");
  assert_output(&s, "o", "b[2].x[1] + b[2].x[2] + b[2].x[3]");
  assert_output(&s, "r", "reaction(b[1].link[2])");
  stages_close(&s);
}

/* A component sees its file's names as they are where it is used, and what stands in it; never those of the caller. */
static void components_see_their_own_file_only(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s,
                   "param g = 9\ncomponent c(k) { coord x; potential g*x*k }\n"
                   "component outer() { let g = 1, k = 2; part inner = c(k) }\npart p = outer()\n");
  assert_no_error(&s);
  assert_string_equal(stages_printed(&s, s.system.terms.items[0].value), "g*p.inner.x*2");
  stages_close(&s);
  stages_elaborate(
      &s,
      "component c() { coord x; potential hidden*x }\ncomponent d() { let hidden = 1; part i = c() }\npart p = d()\n");
  assert_error(&s, ZW_ERR_NAME, 1, 36, "hidden");
  stages_close(&s);
}

static void equal_parts_share_their_shapes(void** state) {
  (void)state;
  for (int n = 2; n <= 40; n += 38) {
    char text[1000];
    snprintf(text, sizeof text, ROD "for i in 1..%d { part p[i] = rod(i/3, i + 0.5, (i, 1)) }\n", n);
    Stages s;
    assert_int_equal(stages_derive(&s, text), ZW_OK);
    assert_int_equal(s.equations.n, 3 * n);
    assert_int_equal(s.equations.shapes.count, 4); /* two squares of speed share one; turning, row, output */
    stages_close(&s);
  }
}

static void wrong_parts_are_refused(void** state) {
  (void)state;
  static const char head[] =
      "param N = 2\ncoord z\ncomponent c(a, b = 1) { coord x; let f(s) = s*x, v = (x, a) }\npart p = c(1)\npart q[1] = "
      "c(2)\n";
  static const Refused table[] = {
      {"part r = c()", ZW_ERR_TYPE, 10, "'c' needs the argument 'a'"},
      {"part r = c(1, 2, 3)", ZW_ERR_TYPE, 10, "'c' takes 2 arguments, not 3"},
      {"part r = c(1, d = 2)", ZW_ERR_NAME, 15, "'c' has no argument 'd'"},
      {"part r = c(1, a = 2)", ZW_ERR_NAME, 15, "given twice"},
      {"part r = c(missing)", ZW_ERR_NAME, 12, "missing"},
      {"part r = d(1)", ZW_ERR_NAME, 10, "d"},
      {"part r = z(1)", ZW_ERR_TYPE, 10, "made by a component"},
      {"part p = c(1)", ZW_ERR_NAME, 6, "declared already"},
      {"part q[1] = c(1)", ZW_ERR_NAME, 6, "'q[1]' is declared already"},
      {"part q[1, 2] = c(1)", ZW_ERR_TYPE, 6, "1 index, not 2"},
      {"part q[1/2] = c(1)", ZW_ERR_VALUE, 8, "whole"},
      {"potential p", ZW_ERR_TYPE, 11, "a part, not a value"},
      {"potential p + 1", ZW_ERR_TYPE, 11, "choose one of its members"},
      {"potential c", ZW_ERR_TYPE, 11, "a component, not a value"},
      {"potential c(1)", ZW_ERR_TYPE, 11, "part name = c(...)"},
      {"potential p.y", ZW_ERR_NAME, 11, "the part 'p' has no member 'y'"},
      {"potential p.z", ZW_ERR_NAME, 11, "no member 'z'"}, /* not what lies around the component */
      {"potential p.N", ZW_ERR_NAME, 11, "no member 'N'"},
      {"potential p.f", ZW_ERR_TYPE, 11, "function and needs its arguments"},
      {"potential p.v", ZW_ERR_TYPE, 11, "an energy must be a scalar"},
      {"potential q.x", ZW_ERR_TYPE, 11, "no members"},
      {"potential q[2].x", ZW_ERR_NAME, 11, "'q[2]' does not exist (yet)"},
      {"potential q[1]", ZW_ERR_TYPE, 11, "a part, not a value"},
      {"output o = reaction(p.nothing)", ZW_ERR_NAME, 21, "'p.nothing'"},
      {"output o = reaction(z.top)", ZW_ERR_NAME, 21, "name of a constraint"},
      {"component c() { }", ZW_ERR_NAME, 1, "declared already"},
      {"component k() { component l() { } }; part r = k()", ZW_ERR_SYNTAX, 17, "file level"},
      {"component k() { param u = 1 }; part r = k()", ZW_ERR_SYNTAX, 17, "use an argument"},
      {"component k() { run 0 .. 1 }; part r = k()", ZW_ERR_SYNTAX, 17, "file level"},
      {"component k() { plot t }; part r = k()", ZW_ERR_SYNTAX, 17, "inside a component"},
      {"component k() { use planar }; part r = k()", ZW_ERR_SYNTAX, 17, "before every other"},
      {"component k(a, a) { }; part r = k(1, 2)", ZW_ERR_NAME, 16, "declared already"},
      {"component k(a) { coord a }; part r = k(1)", ZW_ERR_NAME, 24, "declared already"},
      {"component k(a = b, b = 1) { }; part r = k()", ZW_ERR_NAME, 17, "b"}, /* earlier ones only */
      {"start p.a = 2", ZW_ERR_VALUE, 7, "coordinate"},
  };
  assert_all_refused(head, table);
}

/* ---- a chain of any length ---- */

static const char chain[] =
    "param N = %d, m = 1, l = 1, g = 9.81\ncoord x[1..N], y[1..N]\n"
    "for i in 1..N { kinetic 1/2*m*(x[i]'^2 + y[i]'^2); potential m*g*y[i]; start x[i] = i*l }\n"
    "constraint pin: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\nrun 0 .. 1\n";

/* With no more than `limit` bytes at any time: tree, graph and equations in one arena. */
static int32_t chain_shapes(int n, size_t limit, size_t* bytes) {
  char text[600];
  int size = snprintf(text, sizeof text, chain, n);
  Stages s;
  stages_open(&s, text, size);
  s.arena.limit = limit;
  ZwElaborateDef def = {.trees = &s.arena};
  assert_int_equal(zw_parse_file(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
  assert_int_equal(zw_elaborate(&s.arena, &s.diags, s.tree, &def, &s.system), ZW_OK);
  assert_int_equal(zw_derive(&s.arena, &s.diags, &s.system, &s.equations), ZW_OK);
  assert_no_error(&s);
  assert_int_equal(s.equations.n, 2 * n);
  assert_int_equal(s.equations.m, n);
  int32_t shapes = s.equations.shapes.count;
  *bytes = s.arena.bytes;
  stages_close(&s);
  return shapes;
}

/* Measured: 3.3 KB a link at the end, and less than 4.5 KB at any time. */
static void long_chains_stay_small(void** state) {
  (void)state;
  enum { LINKS = 100000 };
  size_t few = 0, many = 0;
  assert_int_equal(chain_shapes(10, 0, &few), chain_shapes(LINKS, (size_t)LINKS * 4500, &many));
  print_message("a chain of %d links takes %.0f bytes a link\n", (int)LINKS, (double)many / LINKS);
  assert_true(few < 300000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_are_put_in),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(recursion_is_refused),
      cmocka_unit_test(parts_have_members_and_prefixed_names),
      cmocka_unit_test(values_inside_parts_are_guesses),
      cmocka_unit_test(parts_and_arrays_go_in_as_arguments),
      cmocka_unit_test(loops_inside_components_belong_to_the_part),
      cmocka_unit_test(components_see_their_own_file_only),
      cmocka_unit_test(equal_parts_share_their_shapes),
      cmocka_unit_test(wrong_parts_are_refused),
      cmocka_unit_test(long_chains_stay_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
