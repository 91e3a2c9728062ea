/* Machine code or the interpreter: which names there are, what is used, and what happens where a system forbids code that a program
 * has written. */
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/native.h"
#include "numbers.h"
#include "zwang/zwang.h"

static const char* const pendulums =
    "param m = 1, l = 1, g = 9.81\ncoord a[1..6] = 1\n"
    "for i in 1..6 {\n kinetic 1/2*m*l^2*a[i]'^2\n potential -m*g*l*cos(a[i] + i)\n}\nrun 0 .. 2\n";

static ZwStatus compile(const char* kernel, ZwModel** model) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = pendulums;
  def.size = strlen(pendulums);
  def.kernel = kernel;
  return zw_model_compile(&def, model);
}

static bool has_native(void) {
  return zw_native_obstacle() == NULL;
}

static void names_are_listed(void** state) {
  (void)state;
  assert_string_equal(zw_kernel_text(0), "auto");
  assert_string_equal(zw_kernel_text(1), "interpret");
  assert_string_equal(zw_kernel_text(2), "native");
  assert_null(zw_kernel_text(3));
  assert_null(zw_kernel_text(-1));
}

static void the_kernel_is_chosen_by_name(void** state) {
  (void)state;
  const char* best = has_native() ? "native" : "interpret";
  ZwModel* model;
  assert_int_equal(compile(NULL, &model), ZW_OK);
  assert_string_equal(zw_model_kernel(model), best);
  zw_model_destroy(model);
  assert_int_equal(compile("auto", &model), ZW_OK);
  assert_string_equal(zw_model_kernel(model), best);
  zw_model_destroy(model);
  assert_int_equal(compile("interpret", &model), ZW_OK);
  assert_string_equal(zw_model_kernel(model), "interpret");
  zw_model_destroy(model);
  assert_int_equal(compile("native", &model), has_native() ? ZW_OK : ZW_ERR_UNSUPPORTED);
  zw_model_destroy(model);
}

static void an_unknown_name_is_refused(void** state) {
  (void)state;
  ZwModel* model;
  assert_int_equal(compile("fast", &model), ZW_ERR_ARGUMENT);
  assert_string_equal(zw_model_diag(model, 0)->text, "there is no kernel 'fast'");
  assert_string_equal(zw_model_diag(model, 0)->remedy, "one of auto, interpret, native");
  zw_model_destroy(model);
}

/* ---- where memory is limited ---- */

/* A model that fits its limit compiles, whether there is room for machine code or not. */
static void code_takes_no_memory_from_the_model(void** state) {
  (void)state;
  int refused = 0, interpreted = 0, native = 0;
  for (size_t limit = 4096; limit <= (size_t)1 << 21; limit += 4096) {
    ZwCompileDef def = zw_default_compile_def();
    def.text = pendulums;
    def.size = strlen(pendulums);
    def.limits.memory = limit;
    ZwModel* model;
    ZwStatus status = zw_model_compile(&def, &model);
    assert_true(status == ZW_OK || status == ZW_ERR_LIMIT);
    assert_true(status == ZW_OK || interpreted + native == 0);
    refused += status != ZW_OK;
    if (status == ZW_OK) (strcmp(zw_model_kernel(model), "native") == 0 ? native++ : interpreted++);
    zw_model_destroy(model);
  }
  assert_true(refused > 0 && interpreted + native > 0);
  if (has_native()) assert_true(native > 0);
}

/* ---- where the system forbids it ---- */

enum { NOT_POSSIBLE = 77 };

/* What a process finds that may not turn memory that it has written into code. */
static int look_without_code(void) {
#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
  ZwModel* model;
  if (prctl(PR_SET_MDWE, 1UL, 0UL, 0UL, 0UL) != 0) return NOT_POSSIBLE;
  if (zw_native_obstacle() == NULL) return 1;
  if (compile("auto", &model) != ZW_OK || strcmp(zw_model_kernel(model), "interpret") != 0) return 2;
  zw_model_destroy(model);
  if (compile("native", &model) != ZW_ERR_UNSUPPORTED || zw_model_diag_count(model) != 1) return 3;
  const char* want =
      "the equations cannot become machine code: this system does not let a program run code that it has written";
  if (strcmp(zw_model_diag(model, 0)->text, want) != 0) return 4;
  zw_model_destroy(model);
  return 0;
}

static void a_system_may_forbid_it(void** state) {
  (void)state;
  if (!has_native()) skip();
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(look_without_code());
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == NOT_POSSIBLE) {
    print_message("this system cannot forbid it: not tested\n");
    skip();
  }
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- one model, several threads ---- */

enum { THREADS = 4, COLUMNS = 13 };

typedef struct Work {
  const ZwModel* model;
  double end[COLUMNS];
  ZwStatus status;
} Work;

static ZwStatus keep_row(void* context, const double* values) {
  Work* work = context;
  memcpy(work->end, values, sizeof work->end);
  return ZW_OK;
}

static void* run_model(void* context) {
  Work* work = context;
  ZwRunDef how = zw_default_run_def();
  how.row = keep_row;
  how.context = work;
  ZwRun* run = NULL;
  work->status = zw_run_create(work->model, &how, &run);
  if (!work->status) work->status = zw_run_go(run);
  zw_run_destroy(run);
  return NULL;
}

static void threads_share_the_code(void** state) {
  (void)state;
  ZwModel *model, *interpreted;
  assert_int_equal(compile("auto", &model), ZW_OK);
  assert_int_equal(compile("interpret", &interpreted), ZW_OK);
  assert_int_equal(zw_model_column_count(model), COLUMNS);
  Work alone = {.model = interpreted}, work[THREADS];
  run_model(&alone);
  assert_int_equal(alone.status, ZW_OK);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    work[i] = (Work){.model = model};
    assert_int_equal(pthread_create(&threads[i], NULL, run_model, &work[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(work[i].status, ZW_OK);
    assert_memory_equal(work[i].end, alone.end, sizeof alone.end);
  }
  zw_model_destroy(model);
  zw_model_destroy(interpreted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_listed),           cmocka_unit_test(the_kernel_is_chosen_by_name),
      cmocka_unit_test(an_unknown_name_is_refused), cmocka_unit_test(code_takes_no_memory_from_the_model),
      cmocka_unit_test(a_system_may_forbid_it),     cmocka_unit_test(threads_share_the_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
