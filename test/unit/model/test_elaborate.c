#include "model/elaborate.h"

#include "expr/eval.h"
#include "model/stages.h"

/* ---- what comes out ---- */

static const char* printed(Stages* s, ZwExpr e) {
  ZwText text;
  zw_text_init(&text, &s->arena);
  zw_system_print(&text, &s->system, e, 1000);
  return zw_text_get(&text);
}

static void statements_become_terms_in_their_order(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s,
                   "param m = 2, g = 9.81\n"
                   "coord x = m, y\n"
                   "let r = x^2 + y^2\n"
                   "kinetic 1/2*m*(x'^2 + y'^2)\n"
                   "potential m*g*y\n"
                   "lagrangian x*y'\n"
                   "dissipation x'^2\n"
                   "force x = 3*t\n"
                   "constraint rod: r = 1\n"
                   "output d = r, x, y', x''\n"
                   "start y = 1, x' = g\n"
                   "run m .. 10 every 0.1 tolerance 1e-9\n");
  assert_no_error(&s);
  const ZwSystem* system = &s.system;
  assert_int_equal(system->params.count, 3); /* with the one of the time at which a run begins */
  assert_true(system->epoch == 3 && system->params.items[2].is_hidden);
  assert_int_equal(system->coords.count, 2);
  static const ZwTermKind kinds[] = {ZW_TERM_KINETIC, ZW_TERM_POTENTIAL,  ZW_TERM_LAGRANGIAN, ZW_TERM_DISSIPATION,
                                     ZW_TERM_FORCE,   ZW_TERM_CONSTRAINT, ZW_TERM_OUTPUT,     ZW_TERM_OUTPUT,
                                     ZW_TERM_OUTPUT,  ZW_TERM_OUTPUT};
  static const char* const names[] = {"", "", "", "", "", "rod", "d", "x", "y'", "x''"};
  static const char* const values[] = {"0.5*m*(x'^2 + y'^2)", "m*g*y",     "x*y'", "x'^2", "3*t",
                                       "x^2 + y^2 - 1",       "x^2 + y^2", "x",    "y'",   "x''"};
  assert_int_equal(system->terms.count, 10);
  for (int32_t i = 0; i < 10; i++) {
    const ZwTerm* term = &system->terms.items[i];
    assert_int_equal(term->kind, kinds[i]);
    assert_int_equal(term->name.size, strlen(names[i]));
    if (term->name.size) assert_memory_equal(term->name.data, names[i], strlen(names[i]));
    assert_string_equal(printed(&s, term->value), values[i]);
  }
  assert_string_equal(printed(&s, system->terms.items[4].rate), "x'");
  assert_string_equal(printed(&s, system->coords.items[0].start_q), "m");
  assert_string_equal(printed(&s, system->coords.items[0].start_v), "g");
  assert_string_equal(printed(&s, system->coords.items[1].start_q), "1");
  assert_int_equal(system->coords.items[1].start_v.ref, 0); /* not typed */
  assert_true(system->run.is_stated);
  assert_string_equal(printed(&s, system->run.from), "m");
  assert_string_equal(printed(&s, system->run.every), "0.1");
  stages_close(&s);
}

static void level_is_the_highest_derivative_left_after_folding(void** state) {
  (void)state;
  static const struct {
    const char* equation;
    ZwLevel level;
  } table[] = {{"x^2 + y^2 = 1", ZW_LEVEL_POSITION},       {"x = cos(t)", ZW_LEVEL_POSITION},
               {"y*cos(t) = x*sin(t)", ZW_LEVEL_POSITION}, {"x' = 1", ZW_LEVEL_VELOCITY},
               {"x'^2 + y'^2 = t", ZW_LEVEL_VELOCITY},     {"x'*sin(y) = y'*cos(y)", ZW_LEVEL_VELOCITY},
               {"x'' = -x", ZW_LEVEL_ACCELERATION},        {"x''*y' = 1", ZW_LEVEL_ACCELERATION},
               {"x + 0*y' = 1", ZW_LEVEL_POSITION},        {"x + (y'' - y'') = 1", ZW_LEVEL_POSITION},
               {"x' + 0*y'' = 1", ZW_LEVEL_VELOCITY},      {"x + x'^0 = 1", ZW_LEVEL_POSITION},
               {"(x^2 + y^2)' = 0", ZW_LEVEL_VELOCITY},    {"(x*y)'' = 0", ZW_LEVEL_ACCELERATION},
               {"x + (t^2)'' = 0", ZW_LEVEL_POSITION},     {"x + p' = 0", ZW_LEVEL_POSITION}};
  for (int i = 0; i < (int)(sizeof table / sizeof *table); i++) {
    char text[200];
    sprintf(text, "param p = 2\ncoord x, y\nconstraint %s\n", table[i].equation);
    Stages s;
    stages_elaborate(&s, text);
    assert_no_error(&s);
    if (s.system.terms.items[0].level != table[i].level) fail_msg("level of %s", table[i].equation);
    stages_close(&s);
  }
}

static void constraint_without_a_label_is_called_by_its_line(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "coord x, y\n\nconstraint x = 1\nconstraint b: y = 2\n");
  assert_no_error(&s);
  assert_int_equal(s.system.terms.items[0].name.size, 6);
  assert_memory_equal(s.system.terms.items[0].name.data, "line 3", 6);
  stages_close(&s);
}

static void labels_and_values_have_their_own_names(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "param b = 1\ncoord x\nconstraint b: x = b\nconstraint x: x' = 0\n");
  assert_no_error(&s);
  stages_close(&s);
}

static void primes_are_total_derivatives(void** state) {
  (void)state;
  static const struct {
    const char *written, *means;
  } table[] = {{"t'", "1"},
               {"p'", "0"},
               {"x'", "x'"},
               {"(x*y)'", "x'*y + x*y'"},
               {"(p*x)'", "p*x'"},
               {"sin(x)'", "cos(x)*x'"},
               {"x'' ", "x''"},
               {"(x')'", "x''"},
               {"(t*x)'", "x + t*x'"},
               {"5'", "0"},
               {"r'", "2*x*x'"}};
  for (int i = 0; i < (int)(sizeof table / sizeof *table); i++) {
    char text[200];
    sprintf(text, "param p = 2\ncoord x, y\nlet r = x^2\noutput o = %s\n", table[i].written);
    Stages s;
    stages_elaborate(&s, text);
    assert_no_error(&s);
    assert_string_equal(printed(&s, s.system.terms.items[0].value), table[i].means);
    stages_close(&s);
  }
}

static void every_function_is_known_with_its_arguments(void** state) {
  (void)state;
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    if (zw_op_form((ZwOp)op) != ZW_FORM_CALL) continue;
    char text[200];
    bool two = zw_op_arity((ZwOp)op) == 2;
    sprintf(text, "coord x, y\noutput o = %s(%s)\n", zw_op_text((ZwOp)op), two ? "x, y" : "x");
    Stages s;
    stages_elaborate(&s, text);
    assert_no_error(&s);
    assert_int_equal(zw_graph_node(&s.system.graph, s.system.terms.items[0].value)->op, op);
    stages_close(&s);
    sprintf(text, "coord x, y\noutput o = %s(%s)\n", zw_op_text((ZwOp)op), two ? "x" : "x, y");
    stages_elaborate(&s, text);
    assert_error(&s, ZW_ERR_TYPE, 2, 12, "argument");
    stages_close(&s);
  }
}

static void angles_and_pi_have_their_values(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "coord x\noutput a = 180*deg - pi, b = pi\n");
  assert_no_error(&s);
  assert_true(zw_expr_is_const(&s.system.graph, s.system.terms.items[0].value, 0));
  assert_true(zw_expr_is_const(&s.system.graph, s.system.terms.items[1].value, acos(-1.0)));
  stages_close(&s);
}

static void expressions_know_where_the_user_wrote_them(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "coord x, y\npotential x*y + sqrt(x - y)\n");
  assert_no_error(&s);
  const ZwNode* sum = zw_graph_node(&s.system.graph, s.system.terms.items[0].value);
  ZwSpan span = zw_system_span(&s.system, (ZwExpr){sum->u.args[1]});
  ZwStr text = zw_sources_text(&s.sources, span);
  assert_int_equal(text.size, strlen("sqrt(x - y)"));
  assert_memory_equal(text.data, "sqrt(x - y)", (size_t)text.size);
  stages_close(&s);
}

/* ---- mistakes ---- */

/* The line is the second of a model over m, x, y; exactly one error, at this column of it. */
static void assert_refused(const char* line, ZwStatus code, int32_t column, const char* part) {
  char text[300];
  snprintf(text, sizeof text, "param m = 1, length = 2; coord x, y; let r = x^2; kinetic 1/2*m*x'^2\n%s\n", line);
  Stages s;
  ZwStatus status = stages_elaborate(&s, text);
  if (s.diags.errors != 1) {
    stages_show(&s);
    fail_msg("%d errors in: %s", (int)s.diags.errors, line);
  }
  assert_error(&s, code, 2, column, part);
  assert_int_equal(status, code);
  stages_close(&s);
}

static void unknown_names_are_reported_with_the_nearest(void** state) {
  (void)state;
  assert_refused("potential lenght*x", ZW_ERR_NAME, 11, "length");
  assert_refused("potential z", ZW_ERR_NAME, 11, "declare");
  assert_refused("start z = 1", ZW_ERR_NAME, 7, "z");
  assert_refused("output z", ZW_ERR_NAME, 8, "z");
  assert_refused("potential sinn(x)", ZW_ERR_NAME, 11, "sin");
  assert_refused("potential ln(x)", ZW_ERR_NAME, 11, "log");
  assert_refused("potential sin", ZW_ERR_NAME, 11, "sin(");
  assert_refused("let a = b, b = 1", ZW_ERR_NAME, 9, "b"); /* declare before use */
  assert_refused("param a = later, later = 1", ZW_ERR_NAME, 11, "later");
  assert_refused("param own = own + 1", ZW_ERR_NAME, 13, "own");
}

static void names_declared_twice_are_reported(void** state) {
  (void)state;
  assert_refused("param m = 2", ZW_ERR_NAME, 7, "line 1");
  assert_refused("coord m", ZW_ERR_NAME, 7, "line 1");
  assert_refused("coord z, x", ZW_ERR_NAME, 10, "line 1");
  assert_refused("let r = 1", ZW_ERR_NAME, 5, "line 1");
  assert_refused("output x = 1", ZW_ERR_NAME, 8, "line 1");
  assert_refused("coord sin", ZW_ERR_NAME, 7, "function");
  assert_refused("param dot = 1", ZW_ERR_NAME, 7, "function");
  assert_refused("constraint a: x = 1; constraint a: y = 1", ZW_ERR_NAME, 33, "line 2");
  assert_refused("output x; output x", ZW_ERR_NAME, 18, "line 2");
}

static void values_in_the_wrong_place_are_reported(void** state) {
  (void)state;
  assert_refused("param a = x", ZW_ERR_VALUE, 11, "parameters only");
  assert_refused("param a = t", ZW_ERR_VALUE, 11, "parameters only");
  assert_refused("coord z = x", ZW_ERR_VALUE, 11, "parameters only");
  assert_refused("start x = y", ZW_ERR_VALUE, 11, "parameters only");
  assert_refused("run 0 .. x", ZW_ERR_VALUE, 10, "parameters only");
  assert_refused("kinetic x''^2", ZW_ERR_DERIVATIVE, 9, "accelerations");
  assert_refused("force x = y''", ZW_ERR_DERIVATIVE, 11, "kinetic");
  assert_refused("output o = x'''", ZW_ERR_DERIVATIVE, 12, "x''");
  assert_refused("let a = x'', b = a'", ZW_ERR_DERIVATIVE, 18, "third");
  assert_refused("constraint 1 = 2", ZW_ERR_CONSTRAINT, 12, "no coordinate");
  assert_refused("constraint x - x = 0", ZW_ERR_CONSTRAINT, 12, "no coordinate");
  assert_refused("force 3 = 1", ZW_ERR_VALUE, 7, "moves");
  assert_refused("force m = 1", ZW_ERR_VALUE, 7, "moves");
  assert_refused("start r = 1", ZW_ERR_VALUE, 7, "coordinate");
  assert_refused("start x'' = 1", ZW_ERR_VALUE, 7, "coordinate");
  assert_refused("start x + y = 1", ZW_ERR_VALUE, 7, "coordinate");
  assert_refused("start m = 1", ZW_ERR_VALUE, 7, "coordinate");
  assert_refused("potential x < y", ZW_ERR_TYPE, 11, "condition");
  assert_refused("potential if x then 1 else 2", ZW_ERR_TYPE, 14, "condition");
  assert_refused("potential \"text\"", ZW_ERR_TYPE, 11, "not a value");
  assert_refused("potential m(x)", ZW_ERR_TYPE, 11, "*");
  assert_refused("param a", ZW_ERR_SYNTAX, 7, "value");
  assert_refused("run 0 .. 1; run 0 .. 2", ZW_ERR_SYNTAX, 13, "line 2");
  assert_refused("run 0 .. 1 every 1 every 2", ZW_ERR_SYNTAX, 20, "twice");
}

static void start_overrides_the_declared_value_once(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "coord x = 1, y = 2\nstart x = 3\nstart x' = 4, y' = 5\n");
  assert_no_error(&s);
  assert_string_equal(printed(&s, s.system.coords.items[0].start_q), "3");
  assert_string_equal(printed(&s, s.system.coords.items[0].start_v), "4");
  assert_string_equal(printed(&s, s.system.coords.items[1].start_q), "2");
  stages_close(&s);
  assert_refused("start x = 1; start x = 2", ZW_ERR_NAME, 20, "second");
  assert_refused("start x' = 1, x' = 2", ZW_ERR_NAME, 15, "second");
}

/* Declare before use, as everywhere. */
static void start_stands_after_the_coordinate(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_elaborate(&s, "start x = 3\ncoord x = 1\n"), ZW_ERR_NAME);
  assert_int_equal(s.diags.errors, 1);
  assert_error(&s, ZW_ERR_NAME, 1, 7, "'x' is not declared");
  stages_close(&s);
}

/* Every kind of statement, in its plainest form. */
static void all_statements_are_taken(void** state) {
  (void)state;
  static const char* const lines[] = {
      "memory k = 0",
      "gibbs 1/2*x''^2",
      "contact y >= 0",
      "contact floor: y >= 0, restitution 0.8, friction 0.1, slip x",
      "quasi u = x'",
      "start exactly x = 1",
      "when x > 1: x' = 0",
      "memory k = 0; when x > 1: k = 1, x' = -x'",
      "stop when x > 1",
      "plot x, y against t",
      "draw point (x, y)",
      "for i in 1..2 { }",
      "if m > 0 { }",
      "component rod(l) { }",
      "component rod(l) { }; part a = rod(1)",
      "run 0 .. 1 step 0.1",
      "run 0 .. 1 integrator rattle",
      "run 0 .. 1 integrator auto",
      "constraint x = 1 while t < 1",
      "force x = 1 while t < 1",
      "contact c: x >= 0; output o = reaction(c)",
      "constraint c: x = 1 while t > 1; output o = reaction(c)",
      "contact floor: y >= 0, restitution 0.8, friction 0.1, slip (x, y) while t > 1",
  };
  for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++) {
    char text[300];
    snprintf(text, sizeof text, "param m = 1; coord x, y; kinetic 1/2*m*x'^2\n%s\n", lines[i]);
    Stages s;
    stages_elaborate(&s, text);
    assert_no_error(&s);
    stages_close(&s);
  }
}

static void statements_are_checked(void** state) {
  (void)state;
  assert_refused("contact x >= 0, friction 0.5", ZW_ERR_VALUE, 17, "slip");
  assert_refused("contact (x, y) >= 0", ZW_ERR_TYPE, 9, "scalar");
  assert_refused("contact x >= 0, restitution (x, y)", ZW_ERR_TYPE, 17, "scalar");
  assert_refused("contact x >= 0, friction 1, slip (x, y, 0)", ZW_ERR_TYPE, 29, "2-vector");
  assert_refused("contact x'' >= 0", ZW_ERR_DERIVATIVE, 9, "accelerations");
  assert_refused("contact a: x >= 0; constraint a: y = 0", ZW_ERR_NAME, 31, "a");
  assert_refused("constraint a: x = 0; contact a: y >= 0", ZW_ERR_NAME, 30, "exists already");
  assert_refused("when x > 1: m = 0", ZW_ERR_VALUE, 13, "memory");
  assert_refused("when x > 1: x' = (1, 2)", ZW_ERR_TYPE, 13, "2-vector");
  assert_refused("when x: x' = 1", ZW_ERR_TYPE, 6, "condition");
  assert_refused("stop when z > 1", ZW_ERR_NAME, 11, "z");
  assert_refused("force x = 1 while x > 0", ZW_ERR_VALUE, 19, "memory");
  assert_refused("constraint x = 1 while y > 0", ZW_ERR_VALUE, 24, "memory");
  assert_refused("memory k = x", ZW_ERR_VALUE, 12, "parameters only");
  assert_refused("plot z", ZW_ERR_NAME, 6, "z");
  assert_refused("draw point x", ZW_ERR_TYPE, 12, "point");
  assert_refused("quasi u", ZW_ERR_SYNTAX, 7, "definition");
  assert_refused("quasi u = x''", ZW_ERR_DERIVATIVE, 11, "accelerations");
  assert_refused("force x = reaction(x)", ZW_ERR_NAME, 20, "no constraint 'x'");
  assert_refused("constraint a: x = 1; force y = reaction(a)", ZW_ERR_VALUE, 32, "reaction");
  assert_refused("constraint a: x = 1; output o = reaction(a)'", ZW_ERR_DERIVATIVE, 33, "reaction");
  assert_refused("constraint abc: x = 1; output o = reaction(abd)", ZW_ERR_NAME, 44, "abc");
  assert_refused("if x > 0 { }", ZW_ERR_VALUE, 4, "known while");
  assert_refused("constraint x^2 = 0", ZW_ERR_CONSTRAINT, 12, "gradient");
  assert_refused("constraint x^2 + y^2 = 0", ZW_ERR_CONSTRAINT, 12, "gradient");
  assert_refused("constraint 0 = x^2 + y^2", ZW_ERR_CONSTRAINT, 12, "gradient");
  assert_refused("constraint ((x, y) - (1, 2))^2 = 0", ZW_ERR_CONSTRAINT, 12, "P = Q");
  assert_refused("constraint norm((x, y)) = 0", ZW_ERR_CONSTRAINT, 12, "gradient");
  assert_refused("start exactly m = 1", ZW_ERR_VALUE, 15, "does not move");
  assert_refused("start exactly x'' = 1", ZW_ERR_DERIVATIVE, 15, "accelerations");
  assert_refused("start exactly x = (1, 2)", ZW_ERR_TYPE, 15, "2-vector");
}

/* The same words at the same place, from every pass of a loop or every use of a part, are said once. */
static void same_mistake_is_said_once(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s, "component c() { coord x; kinetic k*x'^2 }\npart a = c()\npart b = c()\n");
  assert_int_equal(s.diags.list.count, 1);
  assert_error(&s, ZW_ERR_NAME, 1, 34, "k");
  stages_close(&s);
}

static void all_mistakes_of_a_model_are_reported(void** state) {
  (void)state;
  Stages s;
  ZwStatus status = stages_elaborate(&s,
                                     "param m = 1\n"
                                     "coord x\n"
                                     "kinetic 1/2*mm*x'^2\n"
                                     "potential x'''\n"
                                     "constraint 1 = 2\n"
                                     "start z = 1\n"
                                     "plot (x, y)\n");
  assert_int_equal(status, ZW_ERR_NAME); /* the first */
  assert_int_equal(s.diags.errors, 5);
  assert_error(&s, ZW_ERR_NAME, 3, 13, "m");
  assert_error(&s, ZW_ERR_DERIVATIVE, 4, 11, "");
  assert_error(&s, ZW_ERR_CONSTRAINT, 5, 12, "");
  assert_error(&s, ZW_ERR_NAME, 6, 7, "");
  assert_error(&s, ZW_ERR_NAME, 7, 10, "");
  stages_close(&s);
}

static void model_without_coordinates_is_refused(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_elaborate(&s, ""), ZW_ERR_VALUE);
  stages_close(&s);
  assert_int_equal(stages_elaborate(&s, "param m = 1\n"), ZW_ERR_VALUE);
  stages_close(&s);
}

static int32_t notes_of(const Stages* s) {
  int32_t notes = 0;
  for (int32_t i = 0; i < s->diags.list.count; i++) notes += s->diags.list.items[i].severity == ZW_SEVERITY_NOTE;
  return notes;
}

static void unused_parameter_is_noted(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_elaborate(&s, "param used = 1, idle = 2\ncoord x = used\nkinetic x'^2\n"), ZW_OK);
  assert_int_equal(notes_of(&s), 1);
  assert_non_null(strstr(s.diags.list.items[0].text, "idle"));
  assert_int_equal(s.diags.list.items[0].column, 17);
  stages_close(&s);
}

/* What is discrete in a switch is held by a mode; equal ones share it, and what does not move needs none. */
static void switches_become_modes(void** state) {
  (void)state;
  static const struct {
    const char* line;
    int32_t modes;
    const char* name; /* of the first */
  } table[] = {{"potential x^2", 0, ""},
               {"potential abs(x)", 1, "0 <= x"},
               {"force x = -sign(x')", 1, "sign(x')"},
               {"force x = min(x, 2) + max(2, x)", 1, "x <= 2"},
               {"force x = floor(t)", 1, "floor(t)"},
               {"force x = mod(t, 2)", 1, "floor(t/2)"},
               {"force x = if x < 1 and t > 2 then 1 else 2", 1, ""},
               {"force x = abs(x) + 2*abs(x)", 1, "0 <= x"},
               {"force x = abs(m)", 0, ""},
               {"force x = 1 while t < 1", 1, "t < 1"},
               {"constraint x = 1 while t < 1", 1, "t < 1"},
               {"memory k = 0; constraint x = 1 while k == 1", 1, ""},
               {"output o = abs(x)", 0, ""},
               {"when abs(x) > 1: x' = 0", 0, ""}};
  for (int i = 0; i < (int)(sizeof table / sizeof *table); i++) {
    Stages s;
    char text[200];
    snprintf(text, sizeof text, "param m = 1\ncoord x\nkinetic m*x'^2\n%s\n", table[i].line);
    assert_int_equal(stages_elaborate(&s, text), ZW_OK);
    if (s.system.modes.count != table[i].modes) fail_msg("%s: %d modes", table[i].line, (int)s.system.modes.count);
    if (table[i].name[0]) assert_true(zw_str_equal(s.system.modes.items[0].name, zw_str_from(table[i].name)));
    stages_close(&s);
  }
}

/* ---- settings ---- */

typedef struct Set {
  const char *name, *value;
} Set;

static ZwStatus elaborate_with(Stages* s, const char* text, const Set* sets, int32_t count) {
  ZW_TRY(stages_parse(s, text));
  ZwSetting settings[8];
  for (int32_t i = 0; i < count; i++) {
    int32_t file = zw_sources_add(&s->sources, &s->arena, zw_str_from(sets[i].name), zw_str_from(sets[i].value));
    ZwAst* value = NULL;
    ZW_TRY(zw_parse_expression(&s->arena, &s->diags, file, &value));
    settings[i] = (ZwSetting){.name = zw_str_from(sets[i].name),
                              .file_tree = value,
                              .value = value->first,
                              .span = {file, 0, (int32_t)strlen(sets[i].value)}};
  }
  ZwElaborateDef def = {.settings = settings, .setting_count = count, .trees = &s->arena};
  return zw_elaborate(&s->arena, &s->diags, s->tree, &def, &s->system);
}

/* The value of a parameter, with those declared before it. */
static double param_value(Stages* s, int32_t number) {
  double values[16];
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &s->arena);
  for (int32_t i = 0; i <= number; i++) {
    values[i] =
        zw_expr_eval(&evaluator, &s->system.graph, s->system.params.items[i].value, &(ZwEnvironment){.params = values});
  }
  return values[number];
}

static const char set_text[] = "param a = 1, b = 2*a, c = a + b\ncoord x = c\nkinetic x'^2\n";

static void settings_replace_values_and_others_follow(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(elaborate_with(&s, set_text, NULL, 0), ZW_OK);
  assert_true(param_value(&s, 2) == 3);
  stages_close(&s);
  assert_int_equal(elaborate_with(&s, set_text, &(Set){"a", "10"}, 1), ZW_OK);
  assert_true(param_value(&s, 0) == 10 && param_value(&s, 1) == 20 && param_value(&s, 2) == 30);
  stages_close(&s);
  assert_int_equal(elaborate_with(&s, set_text, &(Set){"b", "a^2 + 3*10"}, 1), ZW_OK);
  assert_true(param_value(&s, 1) == 31 && param_value(&s, 2) == 32);
  stages_close(&s);
}

static void last_setting_of_a_name_counts(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(elaborate_with(&s, set_text, (Set[]){{"a", "5"}, {"a", "7"}}, 2), ZW_OK);
  assert_true(param_value(&s, 0) == 7);
  stages_close(&s);
}

static void wrong_settings_are_reported_at_their_place(void** state) {
  (void)state;
  static const struct {
    Set set;
    ZwStatus code;
    int32_t column;
    const char* part;
  } table[] = {{{"a", "x"}, ZW_ERR_NAME, 1, "x"},         {{"a", "1 + z"}, ZW_ERR_NAME, 5, "z"},
               {{"a", "c"}, ZW_ERR_NAME, 1, "c"}, /* comes later */
               {{"a", "1 +"}, ZW_ERR_SYNTAX, 4, "value"}, {{"a", "t"}, ZW_ERR_VALUE, 1, "parameters only"},
               {{"aa", "1"}, ZW_ERR_NAME, 1, "aa"},       {{"x", "1"}, ZW_ERR_NAME, 1, "x"}};
  for (int i = 0; i < (int)(sizeof table / sizeof *table); i++) {
    Stages s;
    assert_int_not_equal(elaborate_with(&s, set_text, &table[i].set, 1), ZW_OK);
    assert_error(&s, table[i].code, 1, table[i].column, table[i].part);
    assert_string_equal(s.diags.list.items[0].file, table[i].set.name);
    stages_close(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements_become_terms_in_their_order),
      cmocka_unit_test(level_is_the_highest_derivative_left_after_folding),
      cmocka_unit_test(constraint_without_a_label_is_called_by_its_line),
      cmocka_unit_test(labels_and_values_have_their_own_names),
      cmocka_unit_test(primes_are_total_derivatives),
      cmocka_unit_test(every_function_is_known_with_its_arguments),
      cmocka_unit_test(angles_and_pi_have_their_values),
      cmocka_unit_test(expressions_know_where_the_user_wrote_them),
      cmocka_unit_test(unknown_names_are_reported_with_the_nearest),
      cmocka_unit_test(names_declared_twice_are_reported),
      cmocka_unit_test(values_in_the_wrong_place_are_reported),
      cmocka_unit_test(start_overrides_the_declared_value_once),
      cmocka_unit_test(start_stands_after_the_coordinate),
      cmocka_unit_test(all_statements_are_taken),
      cmocka_unit_test(statements_are_checked),
      cmocka_unit_test(same_mistake_is_said_once),
      cmocka_unit_test(all_mistakes_of_a_model_are_reported),
      cmocka_unit_test(model_without_coordinates_is_refused),
      cmocka_unit_test(unused_parameter_is_noted),
      cmocka_unit_test(switches_become_modes),
      cmocka_unit_test(settings_replace_values_and_others_follow),
      cmocka_unit_test(last_setting_of_a_name_counts),
      cmocka_unit_test(wrong_settings_are_reported_at_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
