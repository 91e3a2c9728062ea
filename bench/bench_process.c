/* The whole process, from its start to its end: `zwang run examples/pendulum.zw` with everything written, beside a process that
 * does nothing. ZWANG is the path of the program; default build/zwang. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene.h"

enum { PROCESSES = 40 };

/* In seconds; its output goes nowhere. */
static double run_process(char* const* arguments) {
  double begin = wall_clock();
  pid_t child = fork();
  if (child < 0) give_up(arguments[0], "no process");
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(126);
    execvp(arguments[0], arguments);
    _exit(127);
  }
  int status;
  if (waitpid(child, &status, 0) != child || status) give_up(arguments[0], "failed; is the program built?");
  return wall_clock() - begin;
}

static void remove_folder(const char* path) {
  char name[1000];
  DIR* folder = opendir(path);
  for (const struct dirent* entry; folder && (entry = readdir(folder));) {
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.') remove(name);
  }
  if (folder) closedir(folder);
  if (rmdir(path)) fprintf(stderr, "%s is left behind\n", path);
}

int main(void) {
  char folder[] = "/tmp/bench_process_XXXXXX", model[1000];
  const char *root = getenv("ZWANG_ROOT"), *program = getenv("ZWANG");
  snprintf(model, sizeof model, "%s/examples/pendulum.zw", root ? root : ".");
  if (!mkdtemp(folder)) give_up(folder, "cannot be made");
  char* run[] = {(char*)(program ? program : "build/zwang"), "run", model, "--out", folder, NULL};
  char* nothing[] = {"true", NULL};
  double least = INFINITY, least_nothing = INFINITY;
  Results results = open_results("process");
  for (int i = 0; i < bench_rounds(PROCESSES); i++) {
    least = fmin(least, run_process(run));
    least_nothing = fmin(least_nothing, run_process(nothing));
  }
  put(&results, "zwang run examples/pendulum.zw, whole process", 1e3 * least, "ms", NAN, 15);
  put(&results, "a process that does nothing", 1e3 * least_nothing, "ms", NAN, NAN);
  remove_folder(folder);
  close_results(&results);
  return 0;
}
