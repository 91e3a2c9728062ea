/* Every public function, called wrongly: each call in a process of its own, so that one that ends it is seen and named.
 *
 * The list of functions is read from the headers; one that is not called here fails the test, and so does one whose comment does
 * not say what it checks. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "zwang/least.h"
#include "zwang/zwang.h"

#ifndef ZW_TEST_ROOT
#define ZW_TEST_ROOT "."
#endif

/* ---- one call in a process of its own ---- */

enum { RIGHT = 40, WRONG = 41, SECONDS_MOST = 60, FUNCTIONS_MOST = 200, CALLS_LEAST = 300 };

static int calls, ended, wrong;
static const char* called[FUNCTIONS_MOST];
static int called_count;

static void note_function(const char* name) {
  for (int i = 0; i < called_count; i++) {
    if (strcmp(called[i], name) == 0) return;
  }
  if (called_count < FUNCTIONS_MOST) called[called_count++] = name;
}

/* True in the new process; the other one waits for it and counts. */
static bool split(const char* function, const char* what) {
  calls++;
  note_function(function);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    /* a call that never returns ends the process, too; seconds of the processor, for any machine may be busy */
    setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS_MOST, SECONDS_MOST});
    return true;
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    perror("fork");
    exit(2);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == RIGHT) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == WRONG) {
    wrong++;
    printf("%s: %s: answers wrongly\n", function, what);
  } else {
    ended++;
    printf("%s: %s: ends the process (%s %d)\n", function, what, WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  return false;
}

/* `is_right` is computed in the new process. */
#define TRY(function, what, is_right)                              \
  do {                                                             \
    if (split(#function, what)) _exit((is_right) ? RIGHT : WRONG); \
  } while (0)

#define REFUSED(call) ((call) == ZW_ERR_ARGUMENT)

/* ---- models and runs to be misused ---- */

static const char good_text[] =
    "param m = 1, N = 2\ncoord x = 1, y = 0.5\nkinetic 1/2*m*(x'^2 + y'^2)\npotential 9.81*m*y\n"
    "constraint rod: x^2 + y^2 = 1.25\nmemory k = 0\nwhen x < 0: k = k + 1\noutput e = sum(i in 1 .. N: i*x*y)\n"
    "contact floor: y >= -10\nplot x, y\ndraw point (x, y)\nrun 0 .. 1\n";
static const char free_text[] =
    "param u = 0\ncoord x = 1, y = 2\nkinetic 1/2*(x'^2 + y'^2)\npotential x^2 + y^2\nforce x = u\n";
static const char quasi_text[] =
    "coord x, y, p = 0.3\nkinetic 1/2*(x'^2 + y'^2 + p'^2)\nconstraint blade: x'*sin(p) = y'*cos(p)\n"
    "quasi u = x'*cos(p) + y'*sin(p), w = p'\nstart x' = cos(0.3), y' = sin(0.3), p' = 1\nrun 0 .. 1\n";

static ZwModel* compile(const char* text, const char* kernel) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.drawing = true;
  def.keep_tree = true;
  def.kernel = kernel;
  ZwModel* model = NULL;
  (void)zw_model_compile(&def, &model);
  return model;
}

static ZwRun* create(const ZwModel* model, const ZwRunDef* def) {
  ZwRun* run = NULL;
  ZwRunDef usual = zw_default_run_def();
  (void)zw_run_create(model, def ? def : &usual, &run);
  return run;
}

static ZwModel *good, *smooth, *quasi; /* that compile */
static ZwModel* broken[3];             /* a wrong text, a wrong kernel, one of zw_model_format */
static const char* const broken_names[] = {"a wrong text", "a wrong kernel", "a formatted text"};

static void make_models(void) {
  good = compile(good_text, NULL);
  smooth = compile(free_text, NULL);
  quasi = compile(quasi_text, NULL);
  broken[0] = compile("coord x\ncontact\nplot\nkinetic", NULL);
  broken[1] = compile(good_text, "steam");
  ZwCompileDef def = zw_default_compile_def();
  def.text = good_text;
  def.size = sizeof good_text - 1;
  char* text;
  size_t size;
  (void)zw_model_format(&def, &broken[2], &text, &size);
  zw_text_free(broken[2], text);
}

static ZwRun* good_run(void) {
  return create(good, NULL);
}

static ZwRun* smooth_run(void) {
  return create(smooth, NULL);
}

/* Gone to its end. */
static ZwRun* ended_run(void) {
  ZwRun* run = good_run();
  (void)zw_run_go(run);
  return run;
}

/* Runs that hold messages only: no simulation, and one that could not start. */
static ZwRun* nameless_run(void) {
  ZwRunDef def = zw_default_run_def();
  def.formulation = "none such";
  return create(good, &def);
}

static ZwRun* startless_run(void) {
  static const char text[] = "coord x\nkinetic x'^2\nconstraint a: x = 1\nconstraint b: x = 2\nrun 0 .. 1\n";
  ZwModel* model = compile(text, NULL);
  ZwRun* run = create(model, NULL);
  zw_model_destroy(model);
  return run;
}

/* ---- statuses and names ---- */

static void try_names(void) {
  static const int32_t outside[] = {-1, 1000, INT32_MIN, INT32_MAX};
  TRY(zw_version, "is a text", strlen(zw_version()) > 2);
  for (int i = 0; i < 4; i++) {
    TRY(zw_status_text, "wrong enum", strcmp(zw_status_text((ZwStatus)outside[i]), "unknown status") == 0);
    TRY(zw_status_name, "wrong enum", strcmp(zw_status_name((ZwStatus)outside[i]), "unknown status") == 0);
    TRY(zw_formulation_text, "index outside", !zw_formulation_text(outside[i]));
    TRY(zw_integrator_text, "index outside", !zw_integrator_text(outside[i]));
    TRY(zw_kernel_text, "index outside", !zw_kernel_text(outside[i]));
  }
}

/* ---- definitions ---- */

static void try_defaults(void) {
  TRY(zw_default_compile_def, "cookie",
      zw_default_compile_def().cookie != 0 && zw_default_compile_def().def_size == sizeof(ZwCompileDef));
  TRY(zw_default_run_def, "cookie", zw_default_run_def().cookie != 0 && isnan(zw_default_run_def().to));
  TRY(zw_default_export_def, "cookie", zw_default_export_def().cookie != 0);
  TRY(zw_default_linearize_def, "cookie", zw_default_linearize_def().cookie != 0);
  TRY(zw_default_ensemble_def, "cookie", zw_default_ensemble_def().cookie != 0);
  TRY(zw_default_forces_def, "cookie", zw_default_forces_def().cookie != 0);
  TRY(zw_default_compare_def, "cookie", zw_default_compare_def().cookie != 0);
  TRY(zw_default_least_def, "cookie", zw_default_least_def().cookie != 0);
}

/* ---- compiling ---- */

static void* lend(void* context, size_t size) {
  (void)context;
  return malloc(size);
}

static void* lend_nothing(void* context, size_t size) {
  (void)context, (void)size;
  return NULL;
}

static void take_back(void* context, void* memory) {
  (void)context;
  free(memory);
}

static ZwStatus read_nothing(void* context, const char* name, const char* path, bool is_library, char** text,
                             size_t* size, const char** why) {
  (void)context, (void)name, (void)path, (void)is_library, (void)text, (void)size, (void)why;
  return ZW_OK; /* and gives no text */
}

static ZwStatus read_wrongly(void* context, const char* name, const char* path, bool is_library, char** text,
                             size_t* size, const char** why) {
  (void)context, (void)name, (void)path, (void)is_library, (void)text, (void)size, (void)why;
  return (ZwStatus)77;
}

static ZwStatus read_endlessly(void* context, const char* name, const char* path, bool is_library, char** text,
                               size_t* size, const char** why) {
  (void)context, (void)name, (void)path, (void)is_library, (void)why;
  *text = calloc(1, 1);
  *size = SIZE_MAX;
  return ZW_OK;
}

static void release_text(void* context, char* text) {
  (void)context;
  free(text);
}

typedef struct WrongCompile {
  const char* what;
  void (*spoil)(ZwCompileDef* def);
  ZwStatus status;
} WrongCompile;

static ZwSet sets[] = {{"m", "2"}, {NULL, "1"}, {"m", NULL}, {"", ""}};
static ZwHostConstraint rows[] = {{"a", ZW_OF_POSITIONS}, {NULL, ZW_OF_POSITIONS}, {"a", (ZwConstraintLevel)7}};

#define SPOIL(name, ...)                        \
  static void spoil_##name(ZwCompileDef* def) { \
    __VA_ARGS__;                                \
  }
SPOIL(all, memset(def, 0, sizeof *def))
SPOIL(cookie, def->cookie++)
SPOIL(def_size, def->def_size--)
SPOIL(text, def->text = NULL)
SPOIL(size, def->size = SIZE_MAX)
SPOIL(size_signed, def->size = (size_t)INT32_MAX)
SPOIL(set_count, def->set_count = -1)
SPOIL(set_least, def->set_count = INT32_MIN)
SPOIL(sets, def->set_count = 1)
SPOIL(set_name, (def->sets = sets, def->set_count = 2))
SPOIL(set_value, (def->sets = sets + 2, def->set_count = 1))
SPOIL(set_empty, (def->sets = sets + 3, def->set_count = 1))
SPOIL(row_count, def->constraint_count = -5)
SPOIL(rows, def->constraint_count = 2)
SPOIL(row_name, (def->constraints = rows, def->constraint_count = 2))
SPOIL(row_level, (def->constraints = rows + 2, def->constraint_count = 1))
SPOIL(read_only, def->reader.read = read_nothing)
SPOIL(release_only, def->reader.release = release_text)
SPOIL(kernel, def->kernel = "steam")
SPOIL(kernel_empty, def->kernel = "")
SPOIL(iterations, def->limits.iterations = -1)
SPOIL(nesting, def->limits.nesting = -1)
SPOIL(alloc_only, (def->allocator.alloc = lend, def->allocator.release = NULL))
SPOIL(give_only, (def->allocator.alloc = NULL, def->allocator.release = take_back))
SPOIL(no_memory, (def->allocator.alloc = lend_nothing, def->allocator.release = take_back))
SPOIL(binary, (def->text = "\xff\xfe\0\x80", def->size = 4))
SPOIL(empty, (def->text = NULL, def->size = 0))
SPOIL(little, def->limits.memory = 1)

static const WrongCompile wrong_compiles[] = {
    {"zeroed", spoil_all, ZW_ERR_ARGUMENT},
    {"wrong cookie", spoil_cookie, ZW_ERR_ARGUMENT},
    {"wrong def_size", spoil_def_size, ZW_ERR_ARGUMENT},
    {"text NULL", spoil_text, ZW_ERR_ARGUMENT},
    {"size SIZE_MAX", spoil_size, ZW_ERR_LIMIT},
    {"size 2^31 - 1", spoil_size_signed, ZW_ERR_LIMIT},
    {"set_count -1", spoil_set_count, ZW_ERR_ARGUMENT},
    {"set_count INT32_MIN", spoil_set_least, ZW_ERR_ARGUMENT},
    {"sets NULL", spoil_sets, ZW_ERR_ARGUMENT},
    {"name of a set NULL", spoil_set_name, ZW_ERR_ARGUMENT},
    {"value of a set NULL", spoil_set_value, ZW_ERR_ARGUMENT},
    {"set of nothing", spoil_set_empty, ZW_STATUS_COUNT},
    {"constraint_count -5", spoil_row_count, ZW_ERR_ARGUMENT},
    {"constraints NULL", spoil_rows, ZW_ERR_ARGUMENT},
    {"name of a constraint NULL", spoil_row_name, ZW_ERR_ARGUMENT},
    {"level 7", spoil_row_level, ZW_ERR_ARGUMENT},
    {"reader without release", spoil_read_only, ZW_ERR_ARGUMENT},
    {"reader without read", spoil_release_only, ZW_ERR_ARGUMENT},
    {"kernel unknown", spoil_kernel, ZW_STATUS_COUNT},
    {"kernel empty", spoil_kernel_empty, ZW_STATUS_COUNT},
    {"iterations -1", spoil_iterations, ZW_ERR_ARGUMENT},
    {"nesting -1", spoil_nesting, ZW_ERR_ARGUMENT},
    {"half an allocator: alloc", spoil_alloc_only, ZW_ERR_ARGUMENT},
    {"half an allocator: release", spoil_give_only, ZW_ERR_ARGUMENT},
    {"no memory at all", spoil_no_memory, ZW_ERR_MEMORY},
    {"bytes that are no text", spoil_binary, ZW_STATUS_COUNT},
    {"no text at all", spoil_empty, ZW_STATUS_COUNT},
    {"memory of one byte", spoil_little, ZW_STATUS_COUNT},
};

enum { WRONG_COMPILES = sizeof wrong_compiles / sizeof *wrong_compiles };

static ZwCompileDef spoiled(const WrongCompile* how) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = good_text;
  def.size = sizeof good_text - 1;
  how->spoil(&def);
  return def;
}

/* ZW_STATUS_COUNT: any status will do, and there is a model to destroy or none. */
static bool compiles_wrongly(const WrongCompile* how) {
  ZwCompileDef def = spoiled(how);
  ZwModel* model = (ZwModel*)(void*)&def;
  ZwStatus status = zw_model_compile(&def, &model);
  bool is_refused = status == ZW_ERR_ARGUMENT && how->status == ZW_ERR_ARGUMENT;
  bool is_right = how->status == ZW_STATUS_COUNT || (status == how->status && (!is_refused || !model));
  zw_model_destroy(model);
  return is_right;
}

static bool formats_wrongly(const WrongCompile* how) {
  ZwCompileDef def = spoiled(how);
  ZwModel* model = (ZwModel*)(void*)&def;
  char* text = (char*)&def;
  size_t size = 7;
  ZwStatus status = zw_model_format(&def, &model, &text, &size);
  bool is_right = how->status == ZW_STATUS_COUNT || (status == how->status && !text && size == 0);
  zw_text_free(model, text);
  zw_model_destroy(model);
  return is_right;
}

static bool reads_wrongly(ZwStatus (*read)(void*, const char*, const char*, bool, char**, size_t*, const char**)) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = "use \"other.zw\"\ncoord x\nkinetic x'^2\n";
  def.size = strlen(def.text);
  def.reader = (ZwReader){read, release_text, NULL};
  ZwModel* model;
  ZwStatus status = zw_model_compile(&def, &model);
  bool is_right = status != ZW_OK && zw_model_diag_count(model) > 0;
  zw_model_destroy(model);
  return is_right;
}

static void try_compiling(void) {
  ZwModel* model = NULL;
  char* text;
  size_t size;
  ZwCompileDef def = zw_default_compile_def();
  TRY(zw_model_compile, "def NULL", REFUSED(zw_model_compile(NULL, &model)) && !model);
  TRY(zw_model_compile, "model NULL", REFUSED(zw_model_compile(&def, NULL)));
  TRY(zw_model_compile, "all NULL", REFUSED(zw_model_compile(NULL, NULL)));
  TRY(zw_model_compile, "a reader that gives nothing", reads_wrongly(read_nothing));
  TRY(zw_model_compile, "a reader with a wrong status", reads_wrongly(read_wrongly));
  TRY(zw_model_compile, "a reader with an endless text", reads_wrongly(read_endlessly));
  TRY(zw_model_format, "def NULL", REFUSED(zw_model_format(NULL, &model, &text, &size)));
  TRY(zw_model_format, "model NULL", REFUSED(zw_model_format(&def, NULL, &text, &size)));
  TRY(zw_model_format, "text NULL", REFUSED(zw_model_format(&def, &model, NULL, &size)));
  TRY(zw_model_format, "size NULL", REFUSED(zw_model_format(&def, &model, &text, NULL)));
  for (int i = 0; i < WRONG_COMPILES; i++) {
    const WrongCompile* how = &wrong_compiles[i];
    TRY(zw_model_compile, how->what, compiles_wrongly(how));
    bool is_of_compiling = strstr(how->what, "kernel") || strstr(how->what, "set of");
    if (!is_of_compiling) TRY(zw_model_format, how->what, formats_wrongly(how));
  }
}

/* ---- what a model tells ---- */

static bool is_empty(ZwModelText text) {
  return !text.name && !text.text && text.size == 0;
}

static void try_model_indices(const ZwModel* model, const char* what) {
  const int32_t diags = zw_model_diag_count(model), columns = zw_model_column_count(model);
  const int32_t indices[] = {INT32_MIN, -1, INT32_MAX, diags > 100 ? diags : 100 + columns};
  for (int i = 0; i < 4; i++) {
    TRY(zw_model_diag, what, !zw_model_diag(model, indices[i]));
    TRY(zw_model_column, what, !zw_model_column(model, indices[i]));
    TRY(zw_model_contact, what, !zw_model_contact(model, indices[i]));
    TRY(zw_model_plot, what, !zw_model_plot(model, indices[i]));
    TRY(zw_model_draw, what, !zw_model_draw(model, indices[i]));
    TRY(zw_model_text, what, is_empty(zw_model_text(model, indices[i])));
  }
  TRY(zw_model_diag, what, !zw_model_diag(model, zw_model_diag_count(model)));
  TRY(zw_model_column, what, !zw_model_column(model, zw_model_column_count(model)));
  TRY(zw_model_contact, what, !zw_model_contact(model, zw_model_contact_count(model)));
  TRY(zw_model_plot, what, !zw_model_plot(model, zw_model_plot_count(model)));
  TRY(zw_model_draw, what, !zw_model_draw(model, zw_model_draw_count(model)));
  TRY(zw_model_text, what, is_empty(zw_model_text(model, zw_model_text_count(model))));
}

static bool dumps(const ZwModel* model, int stage) {
  char* text = zw_model_dump(model, (ZwStage)stage);
  zw_text_free(model, text);
  return stage < 0 || stage > ZW_STAGE_KERNEL || !model ? !text : true;
}

static bool derives(const ZwModel* model, int form) {
  char* text = zw_model_derive(model, (ZwDeriveForm)form);
  zw_text_free(model, text);
  return form < 0 || form > ZW_DERIVE_JSON || model != good ? !text : true;
}

static bool derives_parts(ZwDeriveDef def, ZwStatus status) {
  ZwDerivePage page = {.text = (char*)(void*)&def};
  ZwStatus got = zw_model_derive_parts(good, &def, &page);
  bool is_right = got == status && !page.text == (status != ZW_OK);
  zw_text_free(good, page.text);
  return is_right;
}

static void try_derive_parts(void) {
  static const int32_t outside[] = {0, 99}, below[] = {-1}, twice[] = {0, 0};
  ZwDerivePage page;
  ZwDeriveDef def = {.parts = ZW_DERIVE_ALL};
  TRY(zw_model_derive_parts, "model NULL", REFUSED(zw_model_derive_parts(NULL, &def, &page)) && !page.text);
  TRY(zw_model_derive_parts, "broken", REFUSED(zw_model_derive_parts(broken[0], &def, &page)) && !page.text);
  TRY(zw_model_derive_parts, "def NULL", REFUSED(zw_model_derive_parts(good, NULL, &page)) && !page.text);
  TRY(zw_model_derive_parts, "page NULL", REFUSED(zw_model_derive_parts(good, &def, NULL)));
  TRY(zw_model_derive_parts, "zeroed", derives_parts((ZwDeriveDef){0}, ZW_OK));
  TRY(zw_model_derive_parts, "all", derives_parts(def, ZW_OK));
  TRY(zw_model_derive_parts, "form -1", derives_parts((ZwDeriveDef){.form = (ZwDeriveForm)-1}, ZW_ERR_ARGUMENT));
  TRY(zw_model_derive_parts, "form 4", derives_parts((ZwDeriveDef){.form = (ZwDeriveForm)4}, ZW_ERR_ARGUMENT));
  TRY(zw_model_derive_parts, "parts -1", derives_parts((ZwDeriveDef){.parts = -1}, ZW_ERR_ARGUMENT));
  TRY(zw_model_derive_parts, "letters", derives_parts((ZwDeriveDef){.letters = "none such"}, ZW_ERR_ARGUMENT));
  TRY(zw_model_derive_parts, "parts 64", derives_parts((ZwDeriveDef){.parts = 64}, ZW_ERR_ARGUMENT));
  const struct {
    const char* what;
    const int32_t* list;
    int32_t count;
  } lists[] = {{"count -1", twice, -1}, {"no list", NULL, 1}, {"outside", outside, 2}, {"below", below, 1}, {"twice", twice, 2}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    def.eliminate = lists[i].list;
    def.eliminate_count = lists[i].count;
    TRY(zw_model_derive_parts, lists[i].what, derives_parts(def, ZW_ERR_ARGUMENT));
  }
}

/* Whatever there is, is there. */
static bool tells_all(const ZwModel* model) {
  bool is_right = true;
  for (int32_t i = 0; i < zw_model_diag_count(model); i++) is_right = is_right && zw_model_diag(model, i)->text;
  for (int32_t i = 0; i < zw_model_column_count(model); i++) is_right = is_right && zw_model_column(model, i);
  for (int32_t i = 0; i < zw_model_contact_count(model); i++) is_right = is_right && zw_model_contact(model, i);
  for (int32_t i = 0; i < zw_model_plot_count(model); i++) is_right = is_right && zw_model_plot(model, i)->names;
  for (int32_t i = 0; i < zw_model_draw_count(model); i++) is_right = is_right && zw_model_draw(model, i)->numbers;
  for (int32_t i = 0; i < zw_model_text_count(model); i++) is_right = is_right && zw_model_text(model, i).name;
  return is_right && zw_model_kernel(model);
}

static void try_model(const ZwModel* model, const char* what) {
  bool is_there = model != NULL;
  TRY(zw_model_diag_count, what, is_there || zw_model_diag_count(model) == 0);
  TRY(zw_model_error_count, what, zw_model_error_count(model) >= (is_there && model != good && model != broken[2]));
  TRY(zw_model_column_count, what, model == good || zw_model_column_count(model) == 0);
  TRY(zw_model_column_find, what, zw_model_column_find(model, NULL) == 0);
  TRY(zw_model_column_find, what, zw_model_column_find(model, "") == 0);
  TRY(zw_model_column_find, what, zw_model_column_find(model, "'") == 0);
  TRY(zw_model_contact_count, what, model == good || zw_model_contact_count(model) == 0);
  TRY(zw_model_coordinate_count, what, is_there || zw_model_coordinate_count(model) == 0);
  TRY(zw_model_output_count, what, is_there || zw_model_output_count(model) == 0);
  TRY(zw_model_plot_count, what, model == good || zw_model_plot_count(model) == 0);
  TRY(zw_model_draw_count, what, model == good || zw_model_draw_count(model) == 0);
  TRY(zw_model_event_count, what, is_there || zw_model_event_count(model) == 0);
  TRY(zw_model_text_count, what, is_there || zw_model_text_count(model) == 0);
  TRY(zw_model_kernel, what, is_there || !zw_model_kernel(model));
  if (is_there) TRY(zw_model_diag, what, tells_all(model));
  try_model_indices(model, what);
  for (int stage = -1; stage <= 5; stage++) TRY(zw_model_dump, what, dumps(model, stage));
  for (int form = -1; form <= 4; form++) TRY(zw_model_derive, what, derives(model, form));
}

static bool outlives_its_host(void) {
  ZwModel* model = compile(good_text, NULL);
  ZwRun* run = create(model, NULL);
  zw_model_destroy(model); /* too early */
  bool is_right = zw_run_go(run) == ZW_OK && zw_run_report(run)->rows > 0 && zw_run_column(run, 1);
  zw_run_destroy(run);
  return is_right;
}

static void try_models(void) {
  try_model(NULL, "model NULL");
  try_model(good, "a good model");
  for (int i = 0; i < 3; i++) try_model(broken[i], broken_names[i]);
  char* text = NULL;
  TRY(zw_text_free, "model NULL", (zw_text_free(NULL, text), true));
  TRY(zw_text_free, "text NULL", (zw_text_free(good, NULL), true));
  TRY(zw_model_destroy, "model NULL", (zw_model_destroy(NULL), true));
  TRY(zw_model_destroy, "before its run", outlives_its_host());
}

/* ---- creating runs ---- */

static bool add_slope(void* context, double t, const double* q, const double* v, double* by_q, double* by_v) {
  (void)context, (void)t, (void)q, (void)v, (void)by_q, (void)by_v;
  return false;
}

static ZwRunChange changes[] = {{"m", 2}, {NULL, 1}, {"none such", 1}, {"m", NAN}, {"x", INFINITY}, {"", 1}, {"N", 3}};
static const char* const varied[] = {"m", NULL, "none such", "", "start.", "start.x''", "N"};

typedef struct WrongRun {
  const char* what;
  void (*spoil)(ZwRunDef* def);
  ZwStatus status; /* ZW_STATUS_COUNT: any but ZW_OK */
} WrongRun;

static const int32_t eliminated[] = {0, 0, -1, 1000};

#define SPOIL_RUN(name, ...)                    \
  static void spoil_run_##name(ZwRunDef* def) { \
    __VA_ARGS__;                                \
  }
SPOIL_RUN(all, memset(def, 0, sizeof *def))
SPOIL_RUN(cookie, def->cookie = 1)
SPOIL_RUN(def_size, def->def_size = 0)
SPOIL_RUN(change_count, def->change_count = -1)
SPOIL_RUN(changes, def->change_count = 1)
SPOIL_RUN(change_null, (def->changes = changes, def->change_count = 2))
SPOIL_RUN(change_name, (def->changes = changes + 2, def->change_count = 1))
SPOIL_RUN(change_nan, (def->changes = changes + 3, def->change_count = 1))
SPOIL_RUN(change_inf, (def->changes = changes + 4, def->change_count = 1))
SPOIL_RUN(change_empty, (def->changes = changes + 5, def->change_count = 1))
SPOIL_RUN(change_size, (def->changes = changes + 6, def->change_count = 1))
SPOIL_RUN(vary_count, def->sensitivity_count = -1)
SPOIL_RUN(vary, def->sensitivity_count = 3)
SPOIL_RUN(vary_null, (def->sensitivity = varied, def->sensitivity_count = 2))
SPOIL_RUN(vary_name, (def->sensitivity = varied + 2, def->sensitivity_count = 1))
SPOIL_RUN(vary_empty, (def->sensitivity = varied + 3, def->sensitivity_count = 1))
SPOIL_RUN(vary_start, (def->sensitivity = varied + 4, def->sensitivity_count = 1))
SPOIL_RUN(vary_primes, (def->sensitivity = varied + 5, def->sensitivity_count = 1))
SPOIL_RUN(vary_size, (def->sensitivity = varied + 6, def->sensitivity_count = 1))
SPOIL_RUN(slope, def->force_slope = add_slope)
SPOIL_RUN(formulation, def->formulation = "none such")
SPOIL_RUN(formulation_empty, def->formulation = "")
SPOIL_RUN(quasi, def->formulation = "gibbs-appell-quasi")
SPOIL_RUN(eliminate_count, def->eliminate_count = -1)
SPOIL_RUN(eliminate, def->eliminate_count = 1)
SPOIL_RUN(eliminate_auto, (def->eliminate = eliminated, def->eliminate_count = 1))
SPOIL_RUN(eliminate_twice, (def->formulation = "gibbs-appell", def->eliminate = eliminated, def->eliminate_count = 2))
SPOIL_RUN(eliminate_less,
          (def->formulation = "gibbs-appell", def->eliminate = eliminated + 2, def->eliminate_count = 1))
SPOIL_RUN(eliminate_far, (def->formulation = "gibbs-appell", def->eliminate = eliminated + 3, def->eliminate_count = 1))
SPOIL_RUN(integrator, def->integrator = "none such")
SPOIL_RUN(integrator_empty, def->integrator = "")
SPOIL_RUN(step, def->step = -1)
SPOIL_RUN(rattle, def->integrator = "rattle")
SPOIL_RUN(rattle_step, (def->integrator = "rattle", def->step = -INFINITY))
SPOIL_RUN(to, def->to = -1)
SPOIL_RUN(to_inf, def->to = INFINITY)
SPOIL_RUN(every, def->every = 0)
SPOIL_RUN(every_less, def->every = -1)
SPOIL_RUN(every_tiny, def->every = 1e-300)
SPOIL_RUN(tolerance, def->tolerance = 0)
SPOIL_RUN(tolerance_less, def->tolerance = -1e-8)
SPOIL_RUN(tolerance_more, def->tolerance = 1e9)
SPOIL_RUN(tolerance_inf, def->tolerance = INFINITY)

static const WrongRun wrong_runs[] = {
    {"zeroed", spoil_run_all, ZW_ERR_ARGUMENT},
    {"wrong cookie", spoil_run_cookie, ZW_ERR_ARGUMENT},
    {"wrong def_size", spoil_run_def_size, ZW_ERR_ARGUMENT},
    {"change_count -1", spoil_run_change_count, ZW_ERR_ARGUMENT},
    {"changes NULL", spoil_run_changes, ZW_ERR_ARGUMENT},
    {"name of a change NULL", spoil_run_change_null, ZW_ERR_ARGUMENT},
    {"name of a change unknown", spoil_run_change_name, ZW_ERR_NAME},
    {"change to NaN", spoil_run_change_nan, ZW_ERR_ARGUMENT},
    {"change to infinity", spoil_run_change_inf, ZW_ERR_ARGUMENT},
    {"change of nothing", spoil_run_change_empty, ZW_STATUS_COUNT},
    {"change of a size", spoil_run_change_size, ZW_ERR_ARGUMENT},
    {"sensitivity_count -1", spoil_run_vary_count, ZW_ERR_ARGUMENT},
    {"sensitivity NULL", spoil_run_vary, ZW_ERR_ARGUMENT},
    {"name of a sensitivity NULL", spoil_run_vary_null, ZW_ERR_ARGUMENT},
    {"sensitivity unknown", spoil_run_vary_name, ZW_ERR_NAME},
    {"sensitivity empty", spoil_run_vary_empty, ZW_STATUS_COUNT},
    {"sensitivity by start.", spoil_run_vary_start, ZW_STATUS_COUNT},
    {"sensitivity by an acceleration", spoil_run_vary_primes, ZW_STATUS_COUNT},
    {"sensitivity by a size", spoil_run_vary_size, ZW_ERR_ARGUMENT},
    {"force_slope without force", spoil_run_slope, ZW_ERR_ARGUMENT},
    {"formulation unknown", spoil_run_formulation, ZW_ERR_ARGUMENT},
    {"formulation empty", spoil_run_formulation_empty, ZW_ERR_ARGUMENT},
    {"formulation that cannot be", spoil_run_quasi, ZW_ERR_ARGUMENT},
    {"eliminate_count -1", spoil_run_eliminate_count, ZW_ERR_ARGUMENT},
    {"eliminate NULL", spoil_run_eliminate, ZW_ERR_ARGUMENT},
    {"eliminate by auto", spoil_run_eliminate_auto, ZW_ERR_ARGUMENT},
    {"eliminate twice", spoil_run_eliminate_twice, ZW_ERR_ARGUMENT},
    {"eliminate -1", spoil_run_eliminate_less, ZW_ERR_ARGUMENT},
    {"eliminate one too many", spoil_run_eliminate_far, ZW_ERR_ARGUMENT},
    {"integrator unknown", spoil_run_integrator, ZW_ERR_ARGUMENT},
    {"integrator empty", spoil_run_integrator_empty, ZW_ERR_ARGUMENT},
    {"step of one that chooses its own", spoil_run_step, ZW_ERR_ARGUMENT},
    {"rattle without a step", spoil_run_rattle, ZW_STATUS_COUNT},
    {"rattle with a step of -infinity", spoil_run_rattle_step, ZW_STATUS_COUNT},
    {"to before the start", spoil_run_to, ZW_ERR_VALUE},
    {"to infinity", spoil_run_to_inf, ZW_ERR_VALUE},
    {"every 0", spoil_run_every, ZW_ERR_VALUE},
    {"every -1", spoil_run_every_less, ZW_ERR_VALUE},
    {"every 1e-300", spoil_run_every_tiny, ZW_ERR_VALUE},
    {"tolerance 0", spoil_run_tolerance, ZW_ERR_VALUE},
    {"tolerance -1e-8", spoil_run_tolerance_less, ZW_ERR_VALUE},
    {"tolerance 1e9", spoil_run_tolerance_more, ZW_ERR_VALUE},
    {"tolerance infinity", spoil_run_tolerance_inf, ZW_ERR_VALUE},
};

enum { WRONG_RUNS = sizeof wrong_runs / sizeof *wrong_runs };

/* Also what it then holds can be asked. */
static bool creates_wrongly(const WrongRun* how) {
  ZwRunDef def = zw_default_run_def();
  how->spoil(&def);
  ZwRun* run = (ZwRun*)(void*)&def;
  ZwStatus status = zw_run_create(good, &def, &run);
  bool is_right = how->status == ZW_STATUS_COUNT ? status != ZW_OK : status == how->status;
  if (run) is_right = is_right && zw_run_diag_count(run) > 0 && zw_run_report(run) && zw_run_go(run) == status;
  zw_run_destroy(run);
  return is_right;
}

static void try_creating(void) {
  ZwRunDef def = zw_default_run_def();
  ZwRun* run = NULL;
  TRY(zw_run_create, "model NULL", REFUSED(zw_run_create(NULL, &def, &run)) && !run);
  TRY(zw_run_create, "def NULL", REFUSED(zw_run_create(good, NULL, &run)) && !run);
  TRY(zw_run_create, "run NULL", REFUSED(zw_run_create(good, &def, NULL)));
  for (int i = 0; i < 3; i++) TRY(zw_run_create, broken_names[i], zw_run_create(broken[i], &def, &run) && !run);
  for (int i = 0; i < WRONG_RUNS; i++) TRY(zw_run_create, wrong_runs[i].what, creates_wrongly(&wrong_runs[i]));
}

/* ---- runs without a motion ---- */

static ZwRun* made(ZwRun* (*make)(void)) {
  return make ? make() : NULL;
}

static double still(void) {
  return 0;
}

/* A definition each, as it should be. */
static bool compares(ZwRun* run) {
  ZwCompareDef def = zw_default_compare_def();
  ZwFormulationReport reports[40];
  int32_t instants = 7;
  return zw_run_compare(run, &def, reports, &instants) != ZW_OK && instants == 0;
}

static bool measures(ZwRun* run) {
  ZwCosts costs;
  return zw_run_measure(run, still, &costs) != ZW_OK;
}

static bool evaluates(ZwRun* run) {
  double q[2] = {1, 0.5}, v[2] = {0};
  ZwEvaluation values = {.a = v};
  return zw_run_evaluate(run, 0, q, q, &values) != ZW_OK;
}

static bool has_gradient(ZwRun* run) {
  const ZwGradient* gradient = NULL;
  return zw_run_gradient(run, "x", &gradient) != ZW_OK && !gradient;
}

static bool linearizes(ZwRun* run) {
  ZwLinearizeDef def = zw_default_linearize_def();
  const ZwLinearization* answer = NULL;
  return zw_run_linearize(run, &def, &answer) != ZW_OK && !answer;
}

static bool has_forces(ZwRun* run) {
  double t[6] = {0, 1, 2, 3, 4, 5};
  ZwMotionColumn column = {"x", t};
  ZwForcesDef def = zw_default_forces_def();
  def.t = t;
  def.rows = 6;
  def.columns = &column;
  def.column_count = 1;
  const ZwForces* answer = NULL;
  return zw_run_forces(run, &def, &answer) != ZW_OK && !answer;
}

static bool exports(ZwRun* run) {
  ZwExportDef def = zw_default_export_def();
  ZwExport texts;
  return zw_run_export(run, &def, &texts) != ZW_OK && !texts.source && !texts.header;
}

/* No run, one without a simulation, one without a start. */
static void try_motionless(ZwRun* (*make)(void), const char* what) {
  static char state[100000];
  double row[100] = {0};
  bool is_there = make != NULL;
  TRY(zw_run_ready, what, zw_run_ready(made(make)) != ZW_OK);
  TRY(zw_run_go, what, zw_run_go(made(make)) != ZW_OK);
  TRY(zw_run_to, what, zw_run_to(made(make), 1) != ZW_OK);
  TRY(zw_run_set, what, zw_run_set(made(make), "m", 1) != ZW_OK);
  TRY(zw_run_read, what, zw_run_read(made(make), row) != ZW_OK);
  TRY(zw_run_compare, what, compares(made(make)));
  TRY(zw_run_measure, what, measures(made(make)));
  TRY(zw_run_evaluate, what, evaluates(made(make)));
  TRY(zw_run_gradient, what, has_gradient(made(make)));
  TRY(zw_run_linearize, what, linearizes(made(make)));
  TRY(zw_run_forces, what, has_forces(made(make)));
  TRY(zw_run_export, what, exports(made(make)));
  TRY(zw_run_state_size, what, zw_run_state_size(made(make)) == 0);
  TRY(zw_run_save, what, zw_run_save(made(make), state) != ZW_OK);
  TRY(zw_run_restore, what, zw_run_restore(made(make), state, sizeof state) != ZW_OK);
  TRY(zw_run_context, what, !zw_run_context(made(make)));
  TRY(zw_run_parameter_count, what, is_there || zw_run_parameter_count(NULL) == 0);
  TRY(zw_run_column_count, what, is_there || zw_run_column_count(NULL) == 0);
  TRY(zw_run_report, what, is_there == (zw_run_report(made(make)) != NULL));
  TRY(zw_run_diag_count, what, is_there == (zw_run_diag_count(made(make)) > 0));
  TRY(zw_run_destroy, what, (zw_run_destroy(made(make)), true));
  ZwRun* run = made(make);
  const int32_t indices[] = {INT32_MIN, -1, INT32_MAX, zw_run_column_count(run) + 100};
  for (int i = 0; i < 4; i++) {
    TRY(zw_run_parameter, what, !zw_run_parameter(run, indices[i]).name);
    TRY(zw_run_column, what, !zw_run_column(run, indices[i]));
    TRY(zw_run_diag, what, !zw_run_diag(run, indices[i]));
  }
  TRY(zw_run_parameter, what, !zw_run_parameter(run, zw_run_parameter_count(run)).name);
  TRY(zw_run_column, what, !zw_run_column(run, zw_run_column_count(run)));
  TRY(zw_run_diag, what, !zw_run_diag(run, zw_run_diag_count(run)));
  zw_run_destroy(run);
}

/* ---- wrong arguments of a good run ---- */

static bool goes_back(ZwRun* run) {
  return !zw_run_to(run, 2) && REFUSED(zw_run_to(run, 1)) && !zw_run_to(run, 3);
}

static void try_moving(void) {
  ZwRun* run = good_run();
  double row[100], q[2] = {1, 0.5}, v[2] = {0}, a[2], nan2[2] = {NAN, 0}, inf2[2] = {0, INFINITY};
  double far[2] = {1e308, -1e308};
  ZwEvaluation values = {.a = a}, nothing = {0};
  TRY(zw_run_to, "NaN", REFUSED(zw_run_to(run, NAN)) && zw_run_go(run) == ZW_OK);
  TRY(zw_run_to, "before the start", REFUSED(zw_run_to(run, -1)) && zw_run_go(run) == ZW_OK);
  TRY(zw_run_to, "-infinity", REFUSED(zw_run_to(run, -INFINITY)));
  TRY(zw_run_to, "backwards", !zw_run_to(run, 0.5) && REFUSED(zw_run_to(run, 0.2)) && !zw_run_to(run, 0.7));
  TRY(zw_run_to, "backwards by one bit", !zw_run_to(run, 0.5) && REFUSED(zw_run_to(run, nextafter(0.5, 0))));
  TRY(zw_run_to, "infinity without an end", REFUSED(zw_run_to(smooth_run(), INFINITY)));
  TRY(zw_run_to, "backwards without an end", goes_back(smooth_run()));
  TRY(zw_run_go, "twice", !zw_run_go(run) && !zw_run_go(run));
  TRY(zw_run_go, "without an end", zw_run_go(smooth_run()) == ZW_ERR_VALUE);
  TRY(zw_run_set, "name NULL", REFUSED(zw_run_set(run, NULL, 1)));
  TRY(zw_run_set, "not begun", REFUSED(zw_run_set(run, "m", 1)));
  TRY(zw_run_set, "unknown", !zw_run_to(run, 0.5) && REFUSED(zw_run_set(run, "none such", 1)));
  TRY(zw_run_set, "a coordinate", !zw_run_to(run, 0.5) && REFUSED(zw_run_set(run, "x", 1)));
  TRY(zw_run_set, "NaN", !zw_run_to(run, 0.5) && REFUSED(zw_run_set(run, "m", NAN)) && zw_run_go(run) == ZW_OK);
  TRY(zw_run_set, "a size", !zw_run_to(run, 0.5) && REFUSED(zw_run_set(run, "N", 3)));
  TRY(zw_run_read, "row NULL", REFUSED(zw_run_read(run, NULL)));
  TRY(zw_run_read, "at the start", zw_run_read(run, row) == ZW_OK && row[0] == 0);
  TRY(zw_run_evaluate, "q NULL", REFUSED(zw_run_evaluate(run, 0, NULL, v, &values)));
  TRY(zw_run_evaluate, "v NULL", REFUSED(zw_run_evaluate(run, 0, q, NULL, &values)));
  TRY(zw_run_evaluate, "values NULL", REFUSED(zw_run_evaluate(run, 0, q, v, NULL)));
  TRY(zw_run_evaluate, "nothing wanted", zw_run_evaluate(run, 0, q, v, &nothing) == ZW_OK);
  TRY(zw_run_evaluate, "t NaN", REFUSED(zw_run_evaluate(run, NAN, q, v, &values)));
  TRY(zw_run_evaluate, "t infinite", REFUSED(zw_run_evaluate(run, INFINITY, q, v, &values)));
  TRY(zw_run_evaluate, "q NaN", REFUSED(zw_run_evaluate(run, 0, nan2, v, &values)));
  TRY(zw_run_evaluate, "v infinite", REFUSED(zw_run_evaluate(run, 0, q, inf2, &values)));
  TRY(zw_run_evaluate, "far out", (zw_run_evaluate(run, 0, far, far, &values), true));
  zw_run_destroy(run);
}

static void try_gradient(void) {
  const ZwGradient* gradient;
  ZwRunDef def = zw_default_run_def();
  def.gradient = true;
  ZwRun *run = good_run(), *recorded = create(quasi, &def);
  TRY(zw_run_gradient, "of NULL", REFUSED(zw_run_gradient(recorded, NULL, &gradient)) && !gradient);
  TRY(zw_run_gradient, "gradient NULL", REFUSED(zw_run_gradient(recorded, "x", NULL)));
  TRY(zw_run_gradient, "not begun", REFUSED(zw_run_gradient(recorded, "x", &gradient)) && !gradient);
  TRY(zw_run_gradient, "not recorded", !zw_run_go(run) && REFUSED(zw_run_gradient(run, "x", &gradient)) && !gradient);
  TRY(zw_run_gradient, "unknown", !zw_run_go(recorded) && zw_run_gradient(recorded, "none", &gradient) == ZW_ERR_NAME);
  TRY(zw_run_gradient, "nothing", !zw_run_go(recorded) && zw_run_gradient(recorded, "", &gradient) == ZW_ERR_NAME);
  TRY(zw_run_gradient, "the time", !zw_run_go(recorded) && zw_run_gradient(recorded, "t", &gradient) == ZW_ERR_NAME);
  zw_run_destroy(run);
  zw_run_destroy(recorded);
}

static bool linearize_with(ZwLinearizeDef def, ZwStatus status) {
  const ZwLinearization* answer = (const ZwLinearization*)(const void*)&def;
  return zw_run_linearize(smooth_run(), &def, &answer) == status && !answer;
}

static void try_linearizing(void) {
  ZwRun* run = smooth_run();
  const ZwLinearization* answer = NULL;
  ZwLinearizeDef def = zw_default_linearize_def(), zeroed = {0};
  static const char *const names[] = {"u", NULL}, *const unknown[] = {"none such"};
  static const double nan2[2] = {NAN, 0};
  TRY(zw_run_linearize, "def NULL", REFUSED(zw_run_linearize(run, NULL, &answer)) && !answer);
  TRY(zw_run_linearize, "answer NULL", REFUSED(zw_run_linearize(run, &def, NULL)));
  TRY(zw_run_linearize, "zeroed", REFUSED(zw_run_linearize(run, &zeroed, &answer)) && !answer);
  def.at = (ZwLinearizeAt)9;
  TRY(zw_run_linearize, "at 9", linearize_with(def, ZW_ERR_ARGUMENT));
  def.at = (ZwLinearizeAt)-1;
  TRY(zw_run_linearize, "at -1", linearize_with(def, ZW_ERR_ARGUMENT));
  def = zw_default_linearize_def();
  def.input_count = -1;
  TRY(zw_run_linearize, "input_count -1", linearize_with(def, ZW_ERR_ARGUMENT));
  def.input_count = 1;
  TRY(zw_run_linearize, "inputs NULL", linearize_with(def, ZW_ERR_ARGUMENT));
  def.inputs = names;
  def.input_count = 2;
  TRY(zw_run_linearize, "name of an input NULL", linearize_with(def, ZW_ERR_ARGUMENT));
  def.inputs = unknown;
  def.input_count = 1;
  TRY(zw_run_linearize, "input unknown", linearize_with(def, ZW_ERR_NAME));
  def = zw_default_linearize_def();
  def.near_q = nan2;
  TRY(zw_run_linearize, "near_q NaN", linearize_with(def, ZW_ERR_ARGUMENT));
  zw_run_destroy(run);
}

static double times[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5}, numbers[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5};

static ZwForcesDef good_forces(void) {
  static const ZwMotionColumn columns[] = {{"x", numbers}, {"y", numbers}};
  ZwForcesDef def = zw_default_forces_def();
  def.t = times;
  def.rows = 6;
  def.columns = columns;
  def.column_count = 2;
  return def;
}

static bool forces_with(ZwForcesDef def, ZwStatus status) {
  const ZwForces* answer = (const ZwForces*)(const void*)&def;
  return zw_run_forces(smooth_run(), &def, &answer) == status && (status == ZW_OK) == (answer != NULL);
}

static void try_forces(void) {
  ZwRun* run = smooth_run();
  const ZwForces* answer = NULL;
  ZwForcesDef def = good_forces(), zeroed = {0};
  static const ZwMotionColumn nameless[] = {{NULL, numbers}}, empty[] = {{"x", NULL}};
  static const char *const by[] = {"x", NULL}, *const unknown[] = {"none such"}, *const twice[] = {"x", "x"};
  static double down[] = {5, 4, 3, 2, 1, 0}, nans[] = {0, NAN, 0, 0, 0, 0};
  TRY(zw_run_forces, "as it should be", forces_with(def, ZW_OK));
  TRY(zw_run_forces, "def NULL", REFUSED(zw_run_forces(run, NULL, &answer)) && !answer);
  TRY(zw_run_forces, "answer NULL", REFUSED(zw_run_forces(run, &def, NULL)));
  TRY(zw_run_forces, "zeroed", REFUSED(zw_run_forces(run, &zeroed, &answer)) && !answer);
  def.rows = -1;
  TRY(zw_run_forces, "rows -1", forces_with(def, ZW_ERR_ARGUMENT));
  def.rows = 0;
  TRY(zw_run_forces, "rows 0", forces_with(def, ZW_ERR_VALUE));
  def.rows = 2;
  TRY(zw_run_forces, "rows 2", forces_with(def, ZW_ERR_VALUE));
  def = good_forces();
  def.t = NULL;
  TRY(zw_run_forces, "t NULL", forces_with(def, ZW_ERR_ARGUMENT));
  def.t = down;
  TRY(zw_run_forces, "t descends", forces_with(def, ZW_ERR_VALUE));
  def.t = nans;
  TRY(zw_run_forces, "t NaN", forces_with(def, ZW_ERR_VALUE));
  def = good_forces();
  def.column_count = -2;
  TRY(zw_run_forces, "column_count -2", forces_with(def, ZW_ERR_ARGUMENT));
  def.column_count = 2;
  def.columns = NULL;
  TRY(zw_run_forces, "columns NULL", forces_with(def, ZW_ERR_ARGUMENT));
  def.column_count = 0;
  TRY(zw_run_forces, "no columns", forces_with(def, ZW_ERR_VALUE));
  def.column_count = 1;
  def.columns = nameless;
  TRY(zw_run_forces, "name of a column NULL", forces_with(def, ZW_ERR_ARGUMENT));
  def.columns = empty;
  TRY(zw_run_forces, "values of a column NULL", forces_with(def, ZW_ERR_ARGUMENT));
  def = good_forces();
  def.by_count = -1;
  TRY(zw_run_forces, "by_count -1", forces_with(def, ZW_ERR_ARGUMENT));
  def.by_count = 1;
  TRY(zw_run_forces, "by NULL", forces_with(def, ZW_ERR_ARGUMENT));
  def.by = by;
  def.by_count = 2;
  TRY(zw_run_forces, "name of an actuator NULL", forces_with(def, ZW_ERR_ARGUMENT));
  def.by = twice;
  TRY(zw_run_forces, "actuator twice", forces_with(def, ZW_ERR_NAME));
  def.by = unknown;
  def.by_count = 1;
  TRY(zw_run_forces, "actuator unknown", forces_with(def, ZW_ERR_NAME));
  def = good_forces();
  def.within = NAN;
  TRY(zw_run_forces, "within NaN", forces_with(def, ZW_ERR_ARGUMENT));
  def = good_forces();
  def.every = -1;
  TRY(zw_run_forces, "every -1", forces_with(def, ZW_ERR_ARGUMENT));
  def = good_forces();
  def.tolerance = INFINITY;
  TRY(zw_run_forces, "tolerance infinite", forces_with(def, ZW_ERR_ARGUMENT));
  zw_run_destroy(run);
}

static bool compare_with(ZwCompareDef def) {
  ZwFormulationReport reports[40];
  int32_t instants = 7;
  return REFUSED(zw_run_compare(good_run(), &def, reports, &instants)) && instants == 0;
}

static void try_comparing(void) {
  ZwRun* run = good_run();
  ZwFormulationReport reports[40];
  int32_t instants = 0;
  ZwCompareDef def = zw_default_compare_def(), zeroed = {0};
  static const double down[] = {0.5, 0.2}, far[] = {0, 100}, nans[] = {NAN};
  ZwCosts costs;
  TRY(zw_run_compare, "def NULL", REFUSED(zw_run_compare(run, NULL, reports, &instants)));
  TRY(zw_run_compare, "zeroed", REFUSED(zw_run_compare(run, &zeroed, reports, &instants)));
  TRY(zw_run_compare, "reports NULL", REFUSED(zw_run_compare(run, &def, NULL, &instants)));
  TRY(zw_run_compare, "instants NULL", REFUSED(zw_run_compare(run, &def, reports, NULL)));
  def.count = -1;
  TRY(zw_run_compare, "count -1", compare_with(def));
  def.count = 2;
  TRY(zw_run_compare, "times NULL", compare_with(def));
  def.times = down;
  TRY(zw_run_compare, "times descend", compare_with(def));
  def.times = far;
  TRY(zw_run_compare, "times outside", compare_with(def));
  def.times = nans;
  def.count = 1;
  TRY(zw_run_compare, "times NaN", compare_with(def));
  def = zw_default_compare_def();
  static const int32_t twice[] = {0, 0}, outside[] = {1000}, negative[] = {-1};
  def.detail.parts = -1;
  TRY(zw_run_compare, "detail parts -1", compare_with(def));
  def.detail.parts = 16;
  TRY(zw_run_compare, "detail parts unknown", compare_with(def));
  def.detail = (ZwDetailDef){.parts = ZW_DETAIL_POSSIBLE};
  TRY(zw_run_compare, "detail possible NULL", compare_with(def));
  def.detail = (ZwDetailDef){.parts = ZW_DETAIL_ALL, .possible = down, .eliminate = twice, .eliminate_count = 2};
  TRY(zw_run_compare, "detail eliminate twice", compare_with(def));
  def.detail = (ZwDetailDef){.parts = ZW_DETAIL_PARTITION, .eliminate = outside, .eliminate_count = 1};
  TRY(zw_run_compare, "detail eliminate outside", compare_with(def));
  def.detail = (ZwDetailDef){.parts = ZW_DETAIL_BELLMAN, .order = negative, .order_count = 1};
  TRY(zw_run_compare, "detail order negative", compare_with(def));
  def.detail = (ZwDetailDef){.parts = ZW_DETAIL_BELLMAN, .order_count = 3};
  TRY(zw_run_compare, "detail order NULL", compare_with(def));
  def.detail = (ZwDetailDef){.parts = ZW_DETAIL_POSSIBLE, .possible = down, .vectors_only = true};
  TRY(zw_run_compare, "detail possible without matrices", compare_with(def));
  def.detail = (ZwDetailDef){.parts = ZW_DETAIL_BELLMAN, .order = twice, .order_count = -1};
  TRY(zw_run_compare, "detail order count -1", compare_with(def));
  TRY(zw_run_measure, "clock NULL", REFUSED(zw_run_measure(run, NULL, &costs)));
  TRY(zw_run_measure, "costs NULL", REFUSED(zw_run_measure(run, still, NULL)));
  TRY(zw_run_measure, "a clock that stands still", zw_run_measure(run, still, &costs) == ZW_OK && costs.run == 0);
  TRY(zw_run_measure, "without an end", zw_run_measure(smooth_run(), still, &costs) == ZW_ERR_VALUE);
  zw_run_destroy(run);
}

static bool export_with(const char* prefix, const char* header) {
  ZwExportDef def = zw_default_export_def();
  def.prefix = prefix;
  def.header = header;
  ZwExport texts;
  ZwStatus status = zw_run_export(smooth_run(), &def, &texts);
  bool is_right = header ? status == ZW_OK : status == ZW_ERR_ARGUMENT && !texts.source;
  zw_text_free(smooth, texts.source);
  zw_text_free(smooth, texts.header);
  return is_right;
}

static void try_exporting(void) {
  ZwRun* run = smooth_run();
  ZwExportDef def = zw_default_export_def(), zeroed = {0};
  ZwExport texts;
  TRY(zw_run_export, "def NULL", REFUSED(zw_run_export(run, NULL, &texts)) && !texts.source);
  TRY(zw_run_export, "texts NULL", REFUSED(zw_run_export(run, &def, NULL)));
  TRY(zw_run_export, "zeroed", REFUSED(zw_run_export(run, &zeroed, &texts)) && !texts.source);
  TRY(zw_run_export, "prefix empty", export_with("", NULL));
  TRY(zw_run_export, "prefix no name", export_with("1 2", NULL));
  TRY(zw_run_export, "header empty", export_with("a", ""));
  zw_run_destroy(run);
}

/* ---- states ---- */

static bool restores_wrongly(size_t size, int fill) {
  ZwRun *from = good_run(), *to = good_run();
  (void)zw_run_to(from, 0.5);
  size_t whole = zw_run_state_size(from);
  unsigned char* state = calloc(1, whole + 100);
  if (zw_run_save(from, state)) return false;
  if (size == 0) size = whole;
  if (fill >= 0) memset(state, fill, whole);
  bool is_right = zw_run_restore(to, state, size < whole + 100 ? size : whole + 100) == ZW_ERR_ARGUMENT &&
                  zw_run_go(to) == ZW_ERR_ARGUMENT;
  free(state);
  zw_run_destroy(from);
  zw_run_destroy(to);
  return is_right;
}

/* There is nothing to go on from. */
static bool saves_early(void) {
  ZwRun* run = good_run();
  char* state = calloc(1, zw_run_state_size(run) + 1);
  bool is_right = REFUSED(zw_run_save(run, state)) && zw_run_go(run) == ZW_OK;
  free(state);
  return is_right;
}

static void try_states(void) {
  static char state[100000];
  ZwRun* run = good_run();
  TRY(zw_run_save, "state NULL", REFUSED(zw_run_save(run, NULL)));
  TRY(zw_run_save, "not begun", saves_early());
  TRY(zw_run_restore, "state NULL", REFUSED(zw_run_restore(run, NULL, 100)) && zw_run_go(run) == ZW_OK);
  TRY(zw_run_restore, "size 1", restores_wrongly(1, -1));
  TRY(zw_run_restore, "size 100", restores_wrongly(100, -1));
  TRY(zw_run_restore, "size too large", restores_wrongly(SIZE_MAX, -1));
  TRY(zw_run_restore, "zeroes", restores_wrongly(0, 0));
  TRY(zw_run_restore, "ones", restores_wrongly(0, 255));
  TRY(zw_run_restore, "text", restores_wrongly(0, 'z'));
  TRY(zw_run_restore, "has begun",
      !zw_run_to(run, 0.5) && REFUSED(zw_run_restore(run, state, 100)) && zw_run_go(run) == ZW_OK);
  TRY(zw_run_restore, "has ended", REFUSED(zw_run_restore(ended_run(), state, 100)));
  TRY(zw_run_state_size, "has ended", (zw_run_state_size(ended_run()), true));
  zw_run_destroy(run);
}

/* ---- calls out of order ---- */

static void try_order(void) {
  static char state[100000];
  double row[100] = {0};
  ZwRun* run = ended_run();
  TRY(zw_run_compare, "has ended", compares(run));
  TRY(zw_run_measure, "has ended", measures(run));
  TRY(zw_run_export, "has ended", exports(run));
  TRY(zw_run_to, "after the end", zw_run_to(run, 5) == ZW_OK && zw_run_report(run)->t == 1);
  TRY(zw_run_to, "back from the end", REFUSED(zw_run_to(run, 0.5)));
  TRY(zw_run_read, "has ended", zw_run_read(run, row) == ZW_OK && row[0] == 1);
  TRY(zw_run_set, "has ended", (zw_run_set(run, "m", 3), true));
  TRY(zw_run_save, "has ended", zw_run_state_size(run) > sizeof state || (zw_run_save(run, state), true));
  TRY(zw_run_ready, "has ended", zw_run_ready(run) == ZW_OK);
  TRY(zw_run_forces, "has ended", has_forces(run));
  TRY(zw_run_linearize, "has ended", (linearizes(run), true));
  zw_run_destroy(run);
}

/* What a comparison has moved cannot go on, but be looked at. */
static bool goes_after_comparison(void) {
  ZwRunDef how = zw_default_run_def();
  how.formulation = "gibbs-appell-quasi";
  ZwRun* run = create(quasi, &how);
  ZwCompareDef def = zw_default_compare_def();
  ZwFormulationReport reports[40];
  int32_t instants;
  double row[100] = {0};
  bool is_right = zw_run_compare(run, &def, reports, &instants) == ZW_OK && instants == 11;
  is_right = is_right && zw_run_read(run, row) == ZW_OK && fabs(hypot(row[4], row[5]) - 1) < 1e-6;
  is_right = is_right && REFUSED(zw_run_go(run)) && REFUSED(zw_run_to(run, 2)) &&
             REFUSED(zw_run_compare(run, &def, reports, &instants));
  zw_run_destroy(run);
  return is_right;
}

/* ---- callbacks that act on their own run ---- */

typedef struct Meddler {
  ZwRun* run;
  int kind;
  bool was_refused, was_asked;
} Meddler;

enum {
  MEDDLE_GO,
  MEDDLE_TO,
  MEDDLE_SET,
  MEDDLE_READ,
  MEDDLE_EVALUATE,
  MEDDLE_LINEARIZE,
  MEDDLE_FORCES,
  MEDDLE_COMPARE,
  MEDDLE_MEASURE,
  MEDDLE_GRADIENT,
  MEDDLE_EXPORT,
  MEDDLE_RESTORE,
  MEDDLE_READY,
  MEDDLE_DESTROY,
  MEDDLE_COUNT
};
static const char* const meddles[] = {"go",      "to",      "set",      "read",   "evaluate", "linearize", "forces",
                                      "compare", "measure", "gradient", "export", "restore",  "ready",     "destroy"};

static bool is_refused(ZwRun* run, int kind) {
  double row[100] = {0};
  switch (kind) {
    case MEDDLE_GO:
      return REFUSED(zw_run_go(run));
    case MEDDLE_TO:
      return REFUSED(zw_run_to(run, 0.9));
    case MEDDLE_SET:
      return REFUSED(zw_run_set(run, "m", 2));
    case MEDDLE_READ:
      return REFUSED(zw_run_read(run, row));
    case MEDDLE_EVALUATE:
      return evaluates(run);
    case MEDDLE_LINEARIZE:
      return linearizes(run);
    case MEDDLE_FORCES:
      return has_forces(run);
    case MEDDLE_COMPARE:
      return compares(run);
    case MEDDLE_MEASURE:
      return measures(run);
    case MEDDLE_GRADIENT:
      return has_gradient(run);
    case MEDDLE_EXPORT:
      return exports(run);
    case MEDDLE_RESTORE:
      return REFUSED(zw_run_restore(run, row, sizeof row));
    case MEDDLE_READY:
      return REFUSED(zw_run_ready(run));
    default:
      zw_run_destroy(run);
      return true;
  }
}

static void meddle(Meddler* meddler) {
  if (!meddler->run) return;
  if (!meddler->was_asked) meddler->was_refused = true;
  meddler->was_asked = true;
  meddler->was_refused = is_refused(meddler->run, meddler->kind) && meddler->was_refused;
}

static ZwStatus meddle_in_row(void* context, const double* values) {
  (void)values;
  meddle(context);
  return ZW_OK;
}

static bool meddle_in_poll(void* context, double t) {
  (void)t;
  meddle(context);
  return true;
}

static bool meddle_in_force(void* context, double t, const double* q, const double* v, double* Q) {
  (void)t, (void)q, (void)v, (void)Q;
  meddle(context);
  return true;
}

static bool meddles_in(int kind, int where) {
  Meddler meddler = {.kind = kind};
  ZwRunDef def = zw_default_run_def();
  def.context = &meddler;
  if (where == 0) def.row = meddle_in_row;
  if (where == 1) def.poll = meddle_in_poll;
  if (where == 2) def.force = meddle_in_force;
  ZwRun* run = create(good, &def);
  meddler.run = run;
  bool is_right = zw_run_go(run) == ZW_OK && meddler.was_asked && meddler.was_refused && zw_run_report(run)->t == 1;
  meddler.run = NULL;
  zw_run_destroy(run);
  return is_right;
}

static void try_callbacks(void) {
  for (int kind = 0; kind < MEDDLE_COUNT; kind++) {
    char what[80];
    for (int where = 0; where < 3; where++) {
      snprintf(what, sizeof what, "zw_run_%s from a callback (%d)", meddles[kind], where);
      TRY(zw_run_go, what, meddles_in(kind, where));
    }
  }
}

/* ---- ensembles ---- */

typedef struct Members {
  ZwRun* runs[4];
  ZwRun* own;
  int count, next, done, refused;
  bool keeps; /* those that are done */
} Members;

static ZwRun* next_member(void* context) {
  Members* members = context;
  return members->next < members->count ? members->runs[members->next++] : NULL;
}

static void end_member(void* context, ZwRun* run, ZwStatus status) {
  Members* members = context;
  members->done++;
  members->refused += status == ZW_ERR_ARGUMENT;
  if (status == ZW_OK && !members->keeps) zw_run_destroy(run);
}

static ZwEnsembleDef ensemble_of(Members* members) {
  ZwEnsembleDef def = zw_default_ensemble_def();
  def.next = next_member;
  def.done = end_member;
  def.context = members;
  return def;
}

static bool goes_together(ZwRun* a, ZwRun* b, ZwRun* c, int refused) {
  Members members = {.runs = {a, b, c}, .count = c ? 3 : 2, .keeps = a == b};
  ZwEnsembleDef def = ensemble_of(&members);
  return zw_ensemble_go(&def) == ZW_OK && members.done == members.count && members.refused == refused;
}

static bool member_goes_on(void) {
  ZwRun* run = good_run();
  Members members = {.runs = {run}, .count = 1};
  ZwEnsembleDef def = ensemble_of(&members);
  return zw_ensemble_go(&def) == ZW_OK && members.done == 1;
}

static void keep_member(void* context, ZwRun* run, ZwStatus status) {
  Members* members = context;
  members->own = run;
  members->refused = status != ZW_OK;
}

static bool goes_after_ensemble(void) {
  Members members = {.runs = {good_run()}, .count = 1};
  ZwEnsembleDef def = ensemble_of(&members);
  def.done = keep_member;
  double row[100] = {0};
  bool is_right =
      zw_ensemble_go(&def) == ZW_OK && !members.refused && zw_run_read(members.own, row) == ZW_OK && row[0] == 1;
  is_right = is_right && REFUSED(zw_run_go(members.own)) && REFUSED(zw_run_to(members.own, 2)) &&
             REFUSED(zw_run_set(members.own, "m", 2));
  zw_run_destroy(members.own);
  return is_right;
}

static void try_ensembles(void) {
  ZwEnsembleDef zeroed = {0}, def = zw_default_ensemble_def();
  ZwRun* run = good_run();
  TRY(zw_ensemble_go, "def NULL", REFUSED(zw_ensemble_go(NULL)));
  TRY(zw_ensemble_go, "zeroed", REFUSED(zw_ensemble_go(&zeroed)));
  TRY(zw_ensemble_go, "functions NULL", REFUSED(zw_ensemble_go(&def)));
  def.next = next_member;
  TRY(zw_ensemble_go, "done NULL", REFUSED(zw_ensemble_go(&def)));
  def.next = NULL;
  def.done = end_member;
  TRY(zw_ensemble_go, "next NULL", REFUSED(zw_ensemble_go(&def)));
  TRY(zw_ensemble_go, "one that has ended", goes_together(good_run(), ended_run(), NULL, 1));
  TRY(zw_ensemble_go, "one twice", goes_together(run, run, good_run(), 1));
  TRY(zw_ensemble_go, "one that could not be created", goes_together(good_run(), nameless_run(), NULL, 1));
  TRY(zw_ensemble_go, "of several models", goes_together(good_run(), create(quasi, NULL), good_run(), 0));
  TRY(zw_ensemble_go, "one alone", member_goes_on());
  TRY(zw_run_go, "after an ensemble", goes_after_ensemble());
  TRY(zw_run_go, "after a comparison", goes_after_comparison());
  zw_run_destroy(run);
}

/* ---- matrices ---- */

static const double unit[4] = {2, 0, 0, 3}, ones[4] = {1, 1, 1, 1};
static const ZwLeastPlace diagonal[] = {{0, 0}, {1, 1}}, both[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
                          far_off[] = {{0, 0}, {7, 1}}, below[] = {{0, 0}, {-1, 1}}, line[] = {{0, 0}, {0, 1}};

static bool makes(ZwLeastDef def, ZwStatus status) {
  ZwLeastSolver* solver = (ZwLeastSolver*)(void*)&def;
  ZwStatus got = zw_least_create(&def, &solver);
  bool is_right = got == status && !solver;
  zw_least_destroy(solver);
  return is_right;
}

static ZwLeastDef least_def(int32_t n, int32_t m) {
  ZwLeastDef def = zw_default_least_def();
  def.n = n;
  def.m = m;
  return def;
}

static ZwLeastDef places_def(const ZwLeastPlace* M, int32_t M_count, const ZwLeastPlace* A, int32_t A_count) {
  ZwLeastDef def = least_def(2, 1);
  def.M_places = M;
  def.M_count = M_count;
  def.A_places = A;
  def.A_count = A_count;
  return def;
}

static void try_least_create(void) {
  ZwLeastSolver* solver = NULL;
  ZwLeastDef def = least_def(2, 1), zeroed = {0};
  TRY(zw_least_create, "def NULL", REFUSED(zw_least_create(NULL, &solver)) && !solver);
  TRY(zw_least_create, "solver NULL", REFUSED(zw_least_create(&def, NULL)));
  TRY(zw_least_create, "zeroed", makes(zeroed, ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "n 0", makes(least_def(0, 0), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "n -1", makes(least_def(-1, 0), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "m -1", makes(least_def(2, -1), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "n 2^31 - 1", makes(least_def(INT32_MAX, 1), ZW_ERR_LIMIT));
  TRY(zw_least_create, "m 2^31 - 1", makes(least_def(1, INT32_MAX), ZW_ERR_LIMIT));
  TRY(zw_least_create, "n and m 2^31 - 1", makes(least_def(INT32_MAX, INT32_MAX), ZW_ERR_LIMIT));
  def = places_def(diagonal, 2, line, 2);
  def.m = INT32_MAX;
  TRY(zw_least_create, "m 2^31 - 1, sparse", makes(def, ZW_ERR_LIMIT));
  def = least_def(2, 1);
  def.cookie = 0;
  TRY(zw_least_create, "cookie 0", makes(def, ZW_ERR_ARGUMENT));
  def = least_def(2, 1);
  def.formulation = "none such";
  TRY(zw_least_create, "formulation unknown", makes(def, ZW_ERR_ARGUMENT));
  def.formulation = "gibbs-appell-quasi";
  TRY(zw_least_create, "formulation of models", makes(def, ZW_ERR_ARGUMENT));
  def.formulation = "";
  TRY(zw_least_create, "formulation empty", makes(def, ZW_ERR_ARGUMENT));
  def = least_def(2, 1);
  def.allocator.release = NULL;
  TRY(zw_least_create, "half an allocator", makes(def, ZW_ERR_ARGUMENT));
  def.allocator.alloc = NULL;
  TRY(zw_least_create, "no allocator", zw_least_create(&def, &solver) == ZW_OK && (zw_least_destroy(solver), true));
  def.allocator.alloc = lend_nothing;
  def.allocator.release = take_back;
  TRY(zw_least_create, "no memory", makes(def, ZW_ERR_MEMORY));
  TRY(zw_least_create, "M_count -1", makes(places_def(diagonal, -1, line, 2), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "A_count -1", makes(places_def(diagonal, 2, line, -1), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "M_places NULL", makes(places_def(NULL, 2, line, 2), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "A_places NULL", makes(places_def(diagonal, 2, NULL, 2), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "place of M outside", makes(places_def(far_off, 2, line, 2), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "place of M negative", makes(places_def(below, 2, line, 2), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "place of A outside", makes(places_def(diagonal, 2, far_off, 2), ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "place of A negative", makes(places_def(diagonal, 2, below, 2), ZW_ERR_ARGUMENT));
  def = least_def(2, 1);
  def.detail = -1;
  TRY(zw_least_create, "detail -1", makes(def, ZW_ERR_ARGUMENT));
  def.detail = 16;
  TRY(zw_least_create, "detail unknown", makes(def, ZW_ERR_ARGUMENT));
  def = places_def(diagonal, 2, line, 2);
  def.detail = ZW_DETAIL_ALL;
  TRY(zw_least_create, "detail, sparse", makes(def, ZW_ERR_ARGUMENT));
  TRY(zw_least_create, "M in both triangles", makes(places_def(both, 4, line, 2), ZW_ERR_ARGUMENT));
  TRY(zw_least_destroy, "NULL", (zw_least_destroy(NULL), true));
}

typedef struct Solving {
  ZwLeastInput in;
  ZwLeastOutput out;
  double a[2], lambda[2], Qc[2];
} Solving;

/* ZW_STATUS_COUNT: any but ZW_OK. */
static bool solves(ZwLeastDef def, void (*spoil)(Solving* s), ZwStatus status) {
  Solving s = {.in = {.m = 1, .M = unit, .h = ones, .A = ones, .b = ones, .wants_evidence = true}};
  s.out = (ZwLeastOutput){.a = s.a, .lambda = s.lambda, .Qc = s.Qc};
  ZwLeastSolver* solver;
  if (zw_least_create(&def, &solver)) return false;
  if (spoil) spoil(&s);
  ZwStatus got = zw_least_solve(solver, &s.in, &s.out);
  bool is_right = status == ZW_STATUS_COUNT ? got != ZW_OK : got == status;
  is_right = is_right && s.out.reason && (status == ZW_OK) == (s.out.reason[0] == 0);
  zw_least_destroy(solver);
  return is_right;
}

static const double crooked[4] = {2, 1, 0, 3}, hardly[4] = {2, 1, 1 + 1e-12, 3}, upper[4] = {2, 1e-6, 0, 3},
                    nans[4] = {NAN, 0, 0, 1}, infinite[4] = {1, INFINITY, INFINITY, 1},
                    light[4] = {2e-20, 1e-20, 0, 3e-20}, zeros[4] = {0};

#define SPOIL_SOLVE(name, ...)                 \
  static void spoil_solve_##name(Solving* s) { \
    __VA_ARGS__;                               \
  }
SPOIL_SOLVE(m, s->in.m = -1)
SPOIL_SOLVE(m_more, s->in.m = 2)
SPOIL_SOLVE(m_most, s->in.m = INT32_MAX)
SPOIL_SOLVE(m_least, s->in.m = INT32_MIN)
SPOIL_SOLVE(M, s->in.M = NULL)
SPOIL_SOLVE(h, s->in.h = NULL)
SPOIL_SOLVE(A, s->in.A = NULL)
SPOIL_SOLVE(b, s->in.b = NULL)
SPOIL_SOLVE(a, s->out.a = NULL)
SPOIL_SOLVE(no_rows, (s->in.m = 0, s->in.A = NULL, s->in.b = NULL))
SPOIL_SOLVE(bare, (s->out.lambda = NULL, s->out.Qc = NULL))
SPOIL_SOLVE(crooked, s->in.M = crooked)
SPOIL_SOLVE(hardly, s->in.M = hardly)
SPOIL_SOLVE(upper, s->in.M = upper)
SPOIL_SOLVE(light, s->in.M = light)
SPOIL_SOLVE(nans, s->in.M = nans)
SPOIL_SOLVE(infinite, s->in.M = infinite)
SPOIL_SOLVE(h_nan, s->in.h = nans)
SPOIL_SOLVE(A_zero, s->in.A = zeros)
SPOIL_SOLVE(M_zero, s->in.M = zeros)
SPOIL_SOLVE(a_is_h, (s->a[0] = 1, s->in.h = s->a))
SPOIL_SOLVE(a_is_Qc, s->out.Qc = s->out.a)
SPOIL_SOLVE(lambda_in_a, s->out.lambda = s->a + 1)
static const ZwDetailDef all_details = {.parts = ZW_DETAIL_ALL, .possible = ones},
                         no_possible = {.parts = ZW_DETAIL_POSSIBLE}, wrong_parts = {.parts = 99};
SPOIL_SOLVE(kind, s->in.kind = (ZwInverseKind)17)
SPOIL_SOLVE(kind_negative, s->in.kind = (ZwInverseKind)-1)
SPOIL_SOLVE(no_inverse, s->in.kind = ZW_INVERSE_D1)
SPOIL_SOLVE(inverse_nan, (s->in.kind = ZW_INVERSE_D1, s->in.inverse = nans))
SPOIL_SOLVE(inverse_wrong, (s->in.kind = ZW_INVERSE_D1, s->in.inverse = ones))
SPOIL_SOLVE(inverse_seed, (s->in.kind = ZW_INVERSE_D1, s->in.inverse = ones, s->in.is_seed = true))
SPOIL_SOLVE(details, s->in.detail = &all_details)
SPOIL_SOLVE(no_possible, s->in.detail = &no_possible)
SPOIL_SOLVE(wrong_parts, s->in.detail = &wrong_parts)

static void try_least_solve(void) {
  ZwLeastSolver* solver = NULL;
  ZwLeastDef def = least_def(2, 1), sparse = places_def(diagonal, 2, line, 2);
  ZwLeastInput in = {.m = 1, .M = unit, .h = ones, .A = ones, .b = ones};
  double a[2];
  ZwLeastOutput out = {.a = a};
  (void)zw_least_create(&def, &solver);
  TRY(zw_least_solve, "solver NULL", REFUSED(zw_least_solve(NULL, &in, &out)));
  TRY(zw_least_solve, "in NULL", REFUSED(zw_least_solve(solver, NULL, &out)));
  TRY(zw_least_solve, "out NULL", REFUSED(zw_least_solve(solver, &in, NULL)));
  zw_least_destroy(solver);
  for (int i = 0; i < 2; i++) {
    ZwLeastDef how = i ? sparse : def;
    TRY(zw_least_solve, "as it should be", solves(how, NULL, ZW_OK));
    TRY(zw_least_solve, "m -1", solves(how, spoil_solve_m, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "m too large", solves(how, spoil_solve_m_more, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "m 2^31 - 1", solves(how, spoil_solve_m_most, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "m -2^31", solves(how, spoil_solve_m_least, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "M NULL", solves(how, spoil_solve_M, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "h NULL", solves(how, spoil_solve_h, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "A NULL", solves(how, spoil_solve_A, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "b NULL", solves(how, spoil_solve_b, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "a NULL", solves(how, spoil_solve_a, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "no lambda, no Qc", solves(how, spoil_solve_bare, ZW_OK));
    TRY(zw_least_solve, "NaN in M", solves(how, spoil_solve_nans, ZW_ERR_DOMAIN));
    TRY(zw_least_solve, "NaN in h", solves(how, spoil_solve_h_nan, ZW_ERR_DOMAIN));
    TRY(zw_least_solve, "A zero", solves(how, spoil_solve_A_zero, ZW_STATUS_COUNT));
    TRY(zw_least_solve, "M zero", solves(how, spoil_solve_M_zero, ZW_ERR_UNDETERMINED));
    TRY(zw_least_solve, "a is h", solves(how, spoil_solve_a_is_h, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "a is Qc", solves(how, spoil_solve_a_is_Qc, ZW_ERR_ARGUMENT));
    TRY(zw_least_solve, "lambda lies in a", solves(how, spoil_solve_lambda_in_a, ZW_ERR_ARGUMENT));
  }
  ZwLeastDef detailed = def;
  detailed.detail = ZW_DETAIL_ALL;
  TRY(zw_least_solve, "kind unknown", solves(def, spoil_solve_kind, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "kind -1", solves(def, spoil_solve_kind_negative, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "inverse NULL", solves(def, spoil_solve_no_inverse, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "inverse NaN", solves(def, spoil_solve_inverse_nan, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "inverse of something else", solves(def, spoil_solve_inverse_wrong, ZW_ERR_VALUE));
  TRY(zw_least_solve, "inverse made of anything", solves(def, spoil_solve_inverse_seed, ZW_OK));
  TRY(zw_least_solve, "inverse, sparse", solves(sparse, spoil_solve_inverse_seed, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "details", solves(detailed, spoil_solve_details, ZW_OK));
  TRY(zw_least_solve, "details without room", solves(def, spoil_solve_details, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "details, sparse", solves(sparse, spoil_solve_details, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "details, possible NULL", solves(detailed, spoil_solve_no_possible, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "details unknown", solves(detailed, spoil_solve_wrong_parts, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "no rows", solves(def, spoil_solve_no_rows, ZW_OK));
  TRY(zw_least_solve, "no rows, sparse", solves(sparse, spoil_solve_no_rows, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "M not symmetric", solves(def, spoil_solve_crooked, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "M not symmetric by 1e-6", solves(def, spoil_solve_upper, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "light M not symmetric", solves(def, spoil_solve_light, ZW_ERR_ARGUMENT));
  TRY(zw_least_solve, "M symmetric to rounding", solves(def, spoil_solve_hardly, ZW_OK));
  TRY(zw_least_solve, "M infinite", solves(def, spoil_solve_infinite, ZW_ERR_DOMAIN));
}

/* ---- the list of functions ---- */

static bool is_called(const char* name) {
  for (int i = 0; i < called_count; i++) {
    if (strcmp(called[i], name) == 0) return true;
  }
  return false;
}

/* Declarations share the comment above them, up to an empty line. Gives how many functions there are. */
static int check_header(const char* file, int* missing) {
  char path[4096], name[100], comment[8192] = "";
  char lines[2000];
  bool is_inside = false;
  int count = 0;
  snprintf(path, sizeof path, "%s/include/zwang/%s", ZW_TEST_ROOT, file);
  FILE* header = fopen(path, "r");
  if (!header) {
    printf("%s cannot be read\n", path);
    exit(2);
  }
  while (fgets(lines, sizeof lines, header)) {
    if (lines[0] == '\n') comment[0] = 0;
    if (strncmp(lines, "/*", 2) == 0) {
      comment[0] = 0;
      is_inside = true;
    }
    if (is_inside) {
      strncat(comment, lines, sizeof comment - strlen(comment) - 1);
      is_inside = !strstr(lines, "*/");
    }
    const char* begin = strncmp(lines, "ZW_API ", 7) == 0 ? strstr(lines, "zw_") : NULL;
    if (!begin) continue;
    size_t size = strcspn(begin, "(");
    if (size >= sizeof name) size = sizeof name - 1;
    memcpy(name, begin, size);
    name[size] = 0;
    count++;
    if (!is_called(name)) {
      printf("%s of %s is not called here\n", name, file);
      ++*missing;
    }
    if (!strstr(comment, "Checks:")) {
      printf("%s of %s: the comment does not say what it checks\n", name, file);
      ++*missing;
    }
  }
  fclose(header);
  return count;
}

int main(void) {
  make_models();
  try_names();
  try_defaults();
  try_compiling();
  try_models();
  try_derive_parts();
  try_creating();
  try_motionless(NULL, "run NULL");
  try_motionless(nameless_run, "a run without a simulation");
  try_motionless(startless_run, "a run without a start");
  try_moving();
  try_gradient();
  try_linearizing();
  try_forces();
  try_comparing();
  try_exporting();
  try_states();
  try_order();
  try_callbacks();
  try_ensembles();
  try_least_create();
  try_least_solve();
  zw_model_destroy(good);
  zw_model_destroy(smooth);
  zw_model_destroy(quasi);
  for (int i = 0; i < 3; i++) zw_model_destroy(broken[i]);

  int missing = 0;
  int functions = check_header("zwang.h", &missing) + check_header("least.h", &missing);
  if (functions != called_count) printf("%d functions in the headers, %d called here\n", functions, called_count);
  printf("%d of %d answer wrongly\n", wrong, calls);
  printf("%d of %d end the process\n", ended, calls);
  bool is_fine = wrong == 0 && ended == 0 && missing == 0 && functions == called_count && calls >= CALLS_LEAST;
  return is_fine ? 0 : 1;
}
