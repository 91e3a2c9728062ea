/* What it costs to see the quantities and formulas of the papers, in parts of what the same commands cost without them: `compare --show all`
 * and `derive --all` beside `compare` and `derive`, for every example; and how what `derive --explicit` prints grows with the length of a
 * chain of rods. ZWANG is the path of the program; default build/zwang. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene.h"

enum { ROUNDS = 5, EXAMPLES_MAX = 200, SKIPPED_IF_SHORT = 12, ARGUMENTS = 8, LONG_SECONDS = 1 };

typedef const char* Arguments[ARGUMENTS];

/* ---- processes ---- */

/* That processes which have ended computed, of the user and of the system: the kernel tells their sum well, and shares it by chance. */
static double seconds_of_children(void) {
  struct rusage used;
  if (getrusage(RUSAGE_CHILDREN, &used)) give_up("getrusage", "has failed");
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* The program with these arguments; its output goes into `output`, a file, or nowhere. Gives the seconds that it computed; NaN: it has failed. */
static double run_program(const Arguments arguments, const char* output) {
  pid_t child = fork();
  if (child < 0) give_up(arguments[0], "no process");
  if (child == 0) {
    int to = open(output ? output : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666),
        nowhere = open("/dev/null", O_WRONLY);
    if (to < 0 || nowhere < 0 || dup2(to, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0) _exit(126);
    execv(arguments[0], (char* const*)arguments);
    _exit(127);
  }
  int status;
  double before = seconds_of_children();
  if (waitpid(child, &status, 0) != child) give_up(arguments[0], "has no end");
  if (WIFEXITED(status) && WEXITSTATUS(status) >= 126) give_up(arguments[0], "cannot be run; is it built?");
  return status ? NAN : seconds_of_children() - before;
}

/* What one command costs beside another, both in turns, the least of all rounds; NaN: a command has failed. */
static double find_ratio(const Arguments all, const Arguments alone) {
  double least = INFINITY, least_alone = INFINITY;
  for (int round = 0; round < bench_rounds(ROUNDS) && !(least > LONG_SECONDS && round > 0); round++) {
    double seconds_alone = run_program(alone, NULL), seconds = run_program(all, NULL);
    if (isnan(seconds_alone) || isnan(seconds)) return NAN;
    least = fmin(least, seconds);
    least_alone = fmin(least_alone, seconds_alone);
  }
  return least / least_alone;
}

/* ---- every example ---- */

static int by_name(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

/* Names of models, sorted; how many. */
static int list_examples(const char* path, char** names) {
  DIR* folder = opendir(path);
  int count = 0;
  if (!folder) give_up(path, "is not there; run it from the source tree, or set ZWANG_ROOT");
  for (const struct dirent* entry; (entry = readdir(folder));) {
    size_t size = strlen(entry->d_name);
    if (size < 4 || strcmp(entry->d_name + size - 3, ".zw") != 0) continue;
    if (count == EXAMPLES_MAX) give_up(path, "has too many models");
    names[count] = take_memory(size + 1, 1);
    memcpy(names[count++], entry->d_name, size - 3);
  }
  closedir(folder);
  qsort(names, (size_t)count, sizeof *names, by_name);
  return count;
}

/* The worst of all examples, for `command OPTIONS` beside `command`. */
static void measure_examples(Results* results, const char* program, const char* folder, const char* command,
                             const char* option, const char* value, double goal) {
  char *names[EXAMPLES_MAX], measure[200], path[1000];
  int count = list_examples(folder, names), worst = -1, measured = 0;
  double most = 0;
  for (int i = 0; i < count; i += bench_size(1, SKIPPED_IF_SHORT)) {
    snprintf(path, sizeof path, "%s/%s.zw", folder, names[i]);
    const Arguments alone = {program, command, path}, all = {program, command, path, option, value};
    double ratio = find_ratio(all, alone);
    if (isnan(ratio)) {
      printf("%s %s %s has failed\n", command, names[i], option);
      ratio = INFINITY;
    }
    measured++;
    if (ratio > most) {
      most = ratio;
      worst = i;
    }
  }
  if (worst < 0) give_up(folder, "has no models");
  snprintf(measure, sizeof measure, "%s %s%s%s / %s of %d examples at most: %s", command, option, value ? " " : "",
           value ? value : "", command, measured, names[worst]);
  put(results, measure, most, "x", NAN, goal);
  for (int i = 0; i < count; i++) free(names[i]);
}

/* ---- chains ---- */

static char* read_whole(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file || fseek(file, 0, SEEK_END)) give_up(path, "cannot be read");
  long size = ftell(file);
  char* text = take_memory((size_t)size + 1, 1);
  rewind(file);
  if (fread(text, 1, (size_t)size, file) != (size_t)size) give_up(path, "cannot be read");
  fclose(file);
  return text;
}

/* The steps that the JSON of `derive --explicit` prints, and the operations in all that it solves. */
static void count_steps(const char* text, double* steps, double* operations) {
  const char* at = strstr(text, "\"explicit\":");
  bool is_value = false;
  *steps = *operations = 0;
  if (!at) give_up("derive --explicit", "prints no \"explicit\"");
  for (; *at; at++) {
    if (strncmp(at, "\"name\":", 7) == 0) *steps += 1;
    if (strncmp(at, "\"value\":\"", 9) == 0) {
      is_value = true;
      at += 8;
    } else if (*at == '"') {
      is_value = false;
    } else if (is_value) {
      *operations += strchr("+-*/^", *at) != NULL;
    }
  }
}

/* The exponents between neighbouring lengths, the largest. */
static void measure_chains(Results* results, const char* program, const char* folder) {
  static const int rods[] = {5, 10, 20, 40};
  char path[1000], output[] = "/tmp/bench_papers_XXXXXX", set[20], measure[100];
  double steps[4], operations[4], growth[2] = {0, 0};
  int file = mkstemp(output);
  if (file < 0) give_up(output, "cannot be made");
  close(file);
  snprintf(path, sizeof path, "%s/n-pendulum.zw", folder);
  for (int i = 0; i < 4; i++) {
    snprintf(set, sizeof set, "N=%d", rods[i]);
    const Arguments derive = {program, "derive", path, "--set", set, "--explicit", "--json"};
    if (isnan(run_program(derive, output))) give_up(path, "derive --explicit has failed");
    char* text = read_whole(output);
    count_steps(text, &steps[i], &operations[i]);
    free(text);
    snprintf(measure, sizeof measure, "derive --explicit, steps of a chain of %d rods", rods[i]);
    put(results, measure, steps[i], "steps", NAN, NAN);
    if (i == 0) continue;
    double longer = log((double)rods[i] / rods[i - 1]);
    growth[0] = fmax(growth[0], log(steps[i] / steps[i - 1]) / longer);
    growth[1] = fmax(growth[1], log(operations[i] / operations[i - 1]) / longer);
  }
  remove(output);
  put(results, "they grow with the length to the power of", growth[0], "", NAN, 1.2);
  put(results, "all operations that are printed to the power of", growth[1], "", NAN, 1.2);
}

int main(void) {
  char folder[900];
  const char *root = getenv("ZWANG_ROOT"), *program = getenv("ZWANG");
  snprintf(folder, sizeof folder, "%s/examples", root ? root : ".");
  if (!program) program = "build/zwang";
  Results results = open_results("papers");
  measure_examples(&results, program, folder, "compare", "--show", "all", 5);
  measure_examples(&results, program, folder, "derive", "--all", NULL, 30);
  measure_chains(&results, program, folder);
  close_results(&results);
  return 0;
}
