/* Who allocates, when, and what happens when there is nothing left. */
#include "sample.h"
#include "zwang/hosts.h"

/* ---- none while stepping ---- */

static void assert_steps_without_memory(const char* text, double to) {
  Host host = {0};
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.allocator = host_allocator(&host);
  ZwModel* model;
  ZwRun* run;
  ZwRunDef how = zw_default_run_def();
  how.to = to;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  int64_t before = host.calls;
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_int_equal(host.calls, before);
  assert_true(zw_run_report(run)->steps > 5);
  assert_true(zw_run_report(run)->memory > 0);
  zw_run_destroy(run);
  zw_model_destroy(model);
  assert_int_equal(host.alive, 0);
}

static void stepping_allocates_nothing(void** state) {
  (void)state;
  assert_steps_without_memory(PENDULUM, NAN);
  assert_steps_without_memory(REDUNDANT, NAN);
  assert_steps_without_memory(PENDULUM_BODY "run 0 .. 1 integrator rattle step 0.01\n", NAN);
  /* events, switches and what comes and goes need none either */
  assert_steps_without_memory(
      "coord y = 1, x\nkinetic 1/2*y'^2 + 1/2*x'^2\npotential 9.81*y\nforce x = -abs(x) + floor(t)\nmemory n = 0\n"
      "force x = 1 while n > 2\nwhen y < 0: y' = -0.8*y', n = n + 1\nrun 0 .. 3\n",
      NAN);
  static const char* const examples[] = {"examples/pendulum.zw", "examples/andrews.zw"};
  for (int i = 0; i < 2; i++) {
    char* text = read_source(examples[i]);
    assert_steps_without_memory(text, NAN);
    free(text);
  }
}

/* ---- refused at the n-th call ---- */

typedef struct Case {
  const char *name, *text;
  ZwStatus status; /* with enough memory */
  ZwSet set;
} Case;

/* Files for models that use some; their texts come from the same host's memory. */
static const struct {
  const char *path, *text;
} shelf[] = {
    {"parts.zw",
     "use \"more.zw\"\nparam g = 9.81\nlet twice(u) = 2*u\n"
     "component point(m, at = (0, 0)) { coord r = at; kinetic 1/2*m*r'^2; potential m*g*r.y; let up(s) = r + (0, s) }\n"
     "component rod(a, b, l) { constraint bar: norm(a.r - b.r) = l; output pull = -reaction(bar) }\n"},
    {"more.zw", "param one = 1\nlet half = one/2\n"},
    {"cam.csv", "angle,lift\n-1,0\n0,0.2\n0.5,0.1\n1,0.4\n30,1\n"},
    {"wrong.zw", "let a = missing\nlet b = \n"}};

static ZwStatus shelf_read(void* context, const char* name, const char* path, bool is_library, char** text,
                           size_t* size, const char** why) {
  (void)name, (void)is_library, (void)why;
  for (size_t i = 0; i < sizeof shelf / sizeof *shelf; i++) {
    if (strcmp(shelf[i].path, path) != 0) continue;
    *size = strlen(shelf[i].text);
    *text = host_alloc(context, *size);
    if (!*text) return ZW_ERR_MEMORY;
    memcpy(*text, shelf[i].text, *size);
    return ZW_OK;
  }
  return ZW_ERR_NAME;
}

static void shelf_release(void* context, char* text) {
  host_release(context, text);
}

/* Compiles, dumps and runs; the first status that is not fine. */
static ZwStatus use_all(const Case* c, const char* text, const char* name, Host* host) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.name = name;
  def.keep_tree = true;
  def.sets = &c->set;
  def.set_count = c->set.name ? 1 : 0;
  def.allocator = host_allocator(host);
  def.reader = (ZwReader){shelf_read, shelf_release, host};
  ZwModel* model;
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  ZwStatus status = zw_model_compile(&def, &model);
  if (!model) return status;
  for (int32_t i = 0; i < zw_model_diag_count(model); i++) {
    const ZwDiag* diag = zw_model_diag(model, i);
    assert_true(diag->text && diag->file && diag->remedy);
  }
  if (status == ZW_OK) {
    for (int stage = ZW_STAGE_TEXT; stage <= ZW_STAGE_KERNEL; stage++) {
      char* dump = zw_model_dump(model, (ZwStage)stage);
      if (!dump) status = ZW_ERR_MEMORY;
      zw_text_free(model, dump);
    }
  }
  if (status == ZW_OK) status = zw_run_create(model, &how, &run);
  if (status == ZW_OK) status = zw_run_go(run);
  if (run) (void)zw_run_report(run);
  for (int32_t i = 0; run && i < zw_run_diag_count(run); i++) assert_true(strlen(zw_run_diag(run, i)->text) > 0);
  zw_run_destroy(run);
  zw_model_destroy(model);
  return status;
}

/* True when memory was refused; then that is what the status says. In any case nothing is left behind. */
static bool assert_survives(const Case* c, const char* text, const char* name, int64_t fails_at, bool for_good) {
  Host host = {.fails_at = fails_at, .for_good = for_good};
  ZwStatus status = use_all(c, text, name, &host);
  ZwStatus want = host.refused ? ZW_ERR_MEMORY : c->status;
  if (status != want) {
    fail_msg("%s with call %d refused: %s, not %s", c->name, (int)fails_at, zw_status_name(status),
             zw_status_name(want));
  }
  if (host.alive != 0) fail_msg("%s with call %d refused: %d blocks left", c->name, (int)fails_at, (int)host.alive);
  return host.refused > 0;
}

#define MANY_MISTAKES "param a = , b = 2\ncoord x y\nkinetic 2x\nfoo\nlet c = (1\nlet d = 1 +\nrun 0 ..\n"

static const Case cases[] = {
    {"pendulum", PENDULUM, ZW_OK, {NULL, NULL}},
    {"set", PENDULUM, ZW_OK, {"l", "2*m + 1"}},
    {"redundant", REDUNDANT, ZW_OK, {NULL, NULL}},
    {"claims",
     "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nclaim \"a law\": x'' = -x\nclaim x <= 0.5 + 1 - x\nrun 0 .. "
     "1\n",
     ZW_ERR_CLAIM,
     {NULL, NULL}},
    {"unlabelled",
     "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint x = y\nconstraint y' = z'\nrun 0 .. 1\n",
     ZW_OK,
     {NULL, NULL}},
    {"rattle", PENDULUM_BODY "run 0 .. 0.1 integrator rattle step 0.01\n", ZW_OK, {NULL, NULL}},
    {"bdf", PENDULUM_BODY "run 0 .. 0.1 integrator bdf\n", ZW_OK, {NULL, NULL}},
    {"adams", PENDULUM_BODY "run 0 .. 0.1 integrator adams\n", ZW_OK, {NULL, NULL}},
    {"moved", "coord x = 3, y = 4\nkinetic x'^2 + y'^2\nconstraint x^2 + y^2 = 1\nrun 0 .. 1\n", ZW_OK, {NULL, NULL}},
    {"syntax", MANY_MISTAKES, ZW_ERR_SYNTAX, {NULL, NULL}},
    {"names",
     "coord x\nkinetic m*x'^2\npotential sinn(x) + y\nconstraint z = 1\nstart w = 2\n",
     ZW_ERR_NAME,
     {NULL, NULL}},
    {"wrong set", PENDULUM, ZW_ERR_NAME, {"lenght", "1"}},
    {"wrong value", PENDULUM, ZW_ERR_VALUE, {"l", "1/(m - 1)"}},
    {"nonlinear", "coord x\nkinetic x'^2\nconstraint x''^2 = 1\n", ZW_ERR_CONSTRAINT, {NULL, NULL}},
    {"contradiction",
     "coord x\nkinetic x'^2\nconstraint a: x = 1\nconstraint b: x = 2\nrun 0 .. 1\n",
     ZW_ERR_START,
     {NULL, NULL}},
    {"no start", "coord x\nkinetic x'^2\npotential log(x)\nrun 0 .. 1\n", ZW_ERR_START, {NULL, NULL}},
    {"no mass", "coord x, y\nkinetic x'^2\nrun 0 .. 1\n", ZW_ERR_UNDETERMINED, {NULL, NULL}},
    {"domain", "coord x\nkinetic x'^2\nforce x = sqrt(0.5 - t)\nrun 0 .. 1\n", ZW_ERR_DOMAIN, {NULL, NULL}},
    {"no run", PENDULUM_BODY, ZW_ERR_VALUE, {NULL, NULL}},
    {"parts and libraries",
     "param N = 3\nuse \"parts.zw\" with g = 2*N\npart p[0] = point(1)\nconstraint pin: p[0].r = 0\n"
     "for i in 1..N { part p[i] = point(i, (i, 0)); part b[i] = rod(p[i-1], p[i], twice(0.5)); if i > 1 { let h[i] = "
     "twice(i) } }\n"
     "start exactly p[N].r'.y = 1\noutput top = p[N].up(h[2]), all = sum(i in 1..N: p[i].r.x), r = reaction(b[2].bar)\n"
     "draw line p[0].r -> p[1].r\nrun 0 .. 0.2\n",
     ZW_OK,
     {NULL, NULL}},
    {"standard library", "use common\ncoord x\nkinetic x'^2\nrun 0 .. 0.1\n", ZW_OK, {NULL, NULL}},
    {"tables",
     "coord x = 0.1, y[1..2] = [1, 2]\nkinetic x'^2 + y[1]'^2 + y[2]'^2\npotential table(\"cam.csv\", x)\n"
     "constraint c: y[1] = table(\"cam.csv\", t, \"lift\")\noutput o = table(\"cam.csv\", x)', s = diff(x^2, x)\nrun 0 "
     ".. 0.5\n",
     ZW_OK,
     {NULL, NULL}},
    {"outside of a table",
     "coord x\nkinetic x'^2\nforce x = table(\"cam.csv\", 50*t)\nrun 0 .. 1\n",
     ZW_ERR_DOMAIN,
     {NULL, NULL}},
    {"wrong library", "use \"wrong.zw\"\nuse \"missing.zw\"\nuse nowhere\ncoord x\n", ZW_ERR_SYNTAX, {NULL, NULL}},
    {"wrong table",
     "coord x\noutput o = table(\"cam.csv\", x, \"weight\"), u = table(\"none.csv\", x)\n",
     ZW_ERR_NAME,
     {NULL, NULL}},
    {"wrong types",
     "coord P = (0, 0), a[1..2]\ncomponent c(k) { coord x; potential k*x + P }\npart p = c(1)\npart q = c()\n"
     "potential P + 1\npotential a[3] + a + p.y\nconstraint P = 1\n",
     ZW_ERR_TYPE,
     {NULL, NULL}},
    {"contact",
     "coord x, y = 0.2\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential y\ncontact floor: y >= 0, restitution 0.1\n"
     "contact limit: x' <= 1\nforce x = 2\noutput f = reaction(floor)\nrun 0 .. 1\n",
     ZW_OK,
     {NULL, NULL}},
    {"sparse",
     "coord x[1..60]\nfor i in 1..60 { kinetic 1/2*x[i]'^2 }\nfor i in 2..60 { potential 1/2*(x[i] - x[i-1])^2 }\n"
     "start x[3] = 1\nrun 0 .. 0.1\n",
     ZW_OK,
     {NULL, NULL}},
    {"friction",
     "coord x, y, z = 0.1\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential z\ncontact floor: z >= 0, friction 0.5, slip x\n"
     "contact plane: z >= 0, friction 0.1 + 0.1*t, slip (x, y) while t > 0.5\nstart x' = 0.2\n"
     "output T = reaction(floor.slip)\nrun 0 .. 1\n",
     ZW_OK,
     {NULL, NULL}},
    {"painleve",
     "coord x, y, a = 1\nkinetic 1/2*(x'^2 + y'^2 + a'^2/3)\npotential 9.81*y\n"
     "contact tip: y - sin(a) >= 0, friction 2, slip x - cos(a)\nstart x' = -2, y = sin(1)\nrun 0 .. 1\n",
     ZW_ERR_CONTACT,
     {NULL, NULL}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void refusing_any_call_is_survived(void** state) {
  (void)state;
  for (int i = 0; i < CASES; i++) {
    for (int for_good = 0; for_good <= 1; for_good++) {
      int64_t n = 1;
      while (assert_survives(&cases[i], cases[i].text, "model", n, for_good)) n++;
      assert_in_range(n, 4, 200); /* the last one was beyond the last call */
    }
  }
}

/* Arenas ask in blocks, so refusals fall on few places. A comment in front moves all of them, piece by piece. */
static void refusing_any_piece_of_the_model_is_survived(void** state) {
  (void)state;
  enum { BLOCK = 16 * 1024, LONGEST = BLOCK + 4000 };
  int step = 16 * sample(211, 43, 13);
  char* text = malloc(LONGEST);
  for (int i = 0; i < CASES; i++) {
    for (int pad = 16 * i; pad < BLOCK; pad += step) {
      text[0] = '#';
      memset(text + 1, '.', (size_t)pad);
      sprintf(text + 1 + pad, "\n%s", cases[i].text);
      for (int64_t n = 1; assert_survives(&cases[i], text, "model", n, true); n++) continue;
    }
  }
  free(text);
}

/* The same for what a run says: its messages hold the model's name. */
static void refusing_any_piece_of_the_run_is_survived(void** state) {
  (void)state;
  enum { BLOCK = 16 * 1024 };
  int step = 16 * sample(311, 71, 23);
  char* name = calloc(1, BLOCK + 1);
  for (int i = 0; i < CASES; i++) {
    for (int size = 16 * i; size < BLOCK; size += step) {
      memset(name, 'n', (size_t)size);
      name[size] = 0;
      for (int64_t n = 1; assert_survives(&cases[i], cases[i].text, name, n, true); n++) continue;
    }
  }
  free(name);
}

/* Long settings: every copy of them may be the one that does not fit. */
static void refusing_any_piece_of_a_setting_is_survived(void** state) {
  (void)state;
  enum { LONG = 20000 };
  char *name = calloc(1, LONG + 1), *value = calloc(1, LONG + 1);
  memset(name, 'n', LONG);
  memset(value, ' ', LONG);
  value[LONG - 1] = '1';
  Case c = {"long set", PENDULUM, ZW_ERR_NAME, {name, "1"}};
  for (int64_t n = 1; assert_survives(&c, c.text, "model", n, true); n++) continue;
  c = (Case){"long value", PENDULUM, ZW_OK, {"l", value}};
  for (int64_t n = 1; assert_survives(&c, c.text, "model", n, true); n++) continue;
  free(name);
  free(value);
}

/* A run with a change, whose n-th call for memory is refused; false: it has fewer. */
static bool assert_survives_change(const char* name, ZwStatus wanted, int64_t n) {
  Host host = {.for_good = true};
  ZwCompileDef def = zw_default_compile_def();
  def.text = PENDULUM;
  def.size = strlen(PENDULUM);
  def.allocator = host_allocator(&host);
  ZwModel* model;
  ZwRun* run;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  host.fails_at = host.calls + n;
  ZwRunChange change = {name, 0.5};
  ZwRunDef how = zw_default_run_def();
  how.changes = &change;
  how.change_count = 1;
  ZwStatus status = zw_run_create(model, &how, &run);
  assert_int_equal(status, host.refused ? ZW_ERR_MEMORY : wanted);
  zw_run_destroy(run);
  zw_model_destroy(model);
  assert_int_equal(host.alive, 0);
  return host.refused > 0;
}

static void refusing_any_piece_of_a_change_is_survived(void** state) {
  (void)state;
  enum { LONG = 20000 };
  char* name = calloc(1, LONG + 1);
  memset(name, 'n', LONG);
  static const char* const names[] = {"l", "x", "y'"};
  for (int i = 0; i < 3; i++) {
    for (int64_t n = 1; assert_survives_change(names[i], ZW_OK, n); n++) continue;
  }
  for (int64_t n = 1; assert_survives_change(name, ZW_ERR_NAME, n); n++) continue;
  free(name);
}

/* A run with derivatives. */
typedef struct Derived {
  const char *text, *integrator, *kernel;
  bool is_gradient;
} Derived;

/* Its n-th call for memory is refused, or all from there on; false: it has fewer. */
static bool assert_survives_derivatives(const Derived* derived, int64_t n, bool for_good) {
  static const char* const by[] = {"g", "start.x'"};
  Host host = {.for_good = for_good};
  ZwCompileDef def = zw_default_compile_def();
  def.text = derived->text;
  def.size = strlen(derived->text);
  def.kernel = derived->kernel;
  def.allocator = host_allocator(&host);
  ZwModel* model;
  ZwRun* run;
  const ZwGradient* gradient;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  host.fails_at = host.calls + n;
  ZwRunDef how = zw_default_run_def();
  how.integrator = derived->integrator;
  how.to = 0.3;
  how.forces = true;
  how.sensitivity = by;
  how.sensitivity_count = 2;
  how.gradient = derived->is_gradient;
  ZwStatus status = zw_run_create(model, &how, &run);
  if (!status) status = zw_run_go(run);
  if (!status && derived->is_gradient) status = zw_run_gradient(run, "x", &gradient);
  assert_int_equal(status, host.refused ? ZW_ERR_MEMORY : ZW_OK);
  zw_run_destroy(run);
  zw_model_destroy(model);
  assert_int_equal(host.alive, 0);
  return host.refused > 0;
}

static void refusing_any_piece_of_derivatives_is_survived(void** state) {
  (void)state;
  static const char twice[] = PENDULUM_BODY
      "constraint again: hypot(x, y) = l\nmemory n = 0\nwhen y < -0.1: n = g, x' = 0.9*x', y' = 0.9*y'\nrun 0 .. 1\n";
  static const Derived runs[] = {{PENDULUM, NULL, "auto", false},
                                 {PENDULUM, "radau", "interpret", false},
                                 {twice, NULL, "interpret", false},
                                 {twice, NULL, "interpret", true},
                                 {PENDULUM, "radau", "interpret", true}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    int64_t step = getenv("ZW_LONG") ? 1 : 2;
    for (int64_t n = 1; assert_survives_derivatives(&runs[i], n, i % 2 == 0); n += step) continue;
  }
}

static void memory_limit_is_a_limit_not_a_crash(void** state) {
  (void)state;
  bool has_passed = false;
  for (size_t limit = 1000; limit < 2000000 && !has_passed; limit = limit * 5 / 4) {
    Host host = {0};
    ZwCompileDef def = zw_default_compile_def();
    def.text = PENDULUM;
    def.size = strlen(PENDULUM);
    def.limits.memory = limit;
    def.allocator = host_allocator(&host);
    ZwModel* model;
    ZwStatus status = zw_model_compile(&def, &model);
    assert_true(status == ZW_ERR_LIMIT || status == ZW_OK);
    has_passed = status == ZW_OK;
    zw_model_destroy(model);
    assert_int_equal(host.alive, 0);
  }
  assert_true(has_passed);
}

static void nothing_is_destroyed_without_complaint(void** state) {
  (void)state;
  zw_model_destroy(NULL);
  zw_run_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stepping_allocates_nothing),
      cmocka_unit_test(refusing_any_call_is_survived),
      cmocka_unit_test(refusing_any_piece_of_the_model_is_survived),
      cmocka_unit_test(refusing_any_piece_of_the_run_is_survived),
      cmocka_unit_test(refusing_any_piece_of_a_setting_is_survived),
      cmocka_unit_test(refusing_any_piece_of_a_change_is_survived),
      cmocka_unit_test(refusing_any_piece_of_derivatives_is_survived),
      cmocka_unit_test(memory_limit_is_a_limit_not_a_crash),
      cmocka_unit_test(nothing_is_destroyed_without_complaint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
