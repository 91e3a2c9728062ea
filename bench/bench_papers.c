/* What it costs to see the quantities and formulas of the papers, in parts of what the same commands cost without them: `compare --show all`
 * and `derive --all` beside `compare` and `derive`, for every example; and how what `derive --explicit` and `derive --all` print grows with
 * the length of a chain of rods. ZWANG is the path of the program; default build/zwang. */
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

/* What is printed of one part: named steps, operations in them, and operations in the part as a whole. */
typedef struct Printed {
  double steps, in_steps, operations;
} Printed;

/* Reads the object `"part":{..}` of the JSON; its strings have neither quotation marks nor backslashes in them. */
static Printed count_printed(const char* text, const char* part) {
  Printed printed = {0, 0, 0};
  char key[40];
  snprintf(key, sizeof key, "\"%s\":{", part);
  const char* at = strstr(text, key);
  if (!at) give_up("derive", "does not print what is measured");
  bool is_step = false;
  int depth = 1;
  for (at += strlen(key); *at && depth > 0; at++) {
    if (*at == '{') depth++, is_step = strncmp(at, "{\"name\":", 8) == 0;
    if (*at == '}') depth--;
    if (*at != '"') continue;
    bool is_name = strncmp(at, "\"name\":", 7) == 0, is_value = at[-1] == ':';
    printed.steps += is_name;
    for (at++; *at && *at != '"'; at++) {
      bool is_operation = is_value && strchr("+-*/^", *at);
      printed.operations += is_operation;
      printed.in_steps += is_operation && is_step;
    }
  }
  return printed;
}

static Printed print_chain(const char* program, const char* path, int rods, const char* option, const char* part) {
  char output[] = "/tmp/bench_papers_XXXXXX", set[20];
  int file = mkstemp(output);
  if (file < 0) give_up(output, "cannot be made");
  close(file);
  snprintf(set, sizeof set, "N=%d", rods);
  const Arguments derive = {program, "derive", path, "--set", set, option, "--json"};
  if (isnan(run_program(derive, output))) give_up(path, "derive has failed");
  char* text = read_whole(output);
  Printed printed = count_printed(text, part);
  free(text);
  remove(output);
  return printed;
}

/* The exponents between neighbouring lengths, the largest. With a partition there are entries for every pair of links, R and K: their number is
 * no goal, and the operations of the steps alone are. */
static void measure_chains(Results* results, const char* program, const char* folder, const char* option,
                           const char* part, bool has_pairs) {
  static const int rods[] = {5, 10, 20, 40};
  char path[1000], measure[200];
  double steps = 0, in_steps = 0, all = 0;
  Printed before = {0, 0, 0};
  snprintf(path, sizeof path, "%s/n-pendulum.zw", folder);
  for (int i = 0; i < 4; i++) {
    Printed now = print_chain(program, path, rods[i], option, part);
    snprintf(measure, sizeof measure, "derive %s, steps of a chain of %d rods", option, rods[i]);
    put(results, measure, now.steps, "steps", NAN, NAN);
    if (i == 0) {
      before = now;
      continue;
    }
    double longer = log((double)rods[i] / rods[i - 1]);
    steps = fmax(steps, log(now.steps / before.steps) / longer);
    in_steps = fmax(in_steps, log(now.in_steps / before.in_steps) / longer);
    all = fmax(all, log(now.operations / before.operations) / longer);
    before = now;
  }
  snprintf(measure, sizeof measure, "derive %s, steps of chains grow with the length to the power of", option);
  put(results, measure, steps, "", NAN, 1.2);
  snprintf(measure, sizeof measure, "derive %s, operations in these steps to the power of", option);
  put(results, measure, in_steps, "", NAN, 1.2);
  snprintf(measure, sizeof measure, "derive %s, all operations that are printed to the power of", option);
  put(results, measure, all, "", NAN, has_pairs ? NAN : 1.2);
}

int main(void) {
  char folder[900];
  const char *root = getenv("ZWANG_ROOT"), *program = getenv("ZWANG");
  snprintf(folder, sizeof folder, "%s/examples", root ? root : ".");
  if (!program) program = "build/zwang";
  Results results = open_results("papers");
  measure_examples(&results, program, folder, "compare", "--show", "all", 5);
  measure_examples(&results, program, folder, "derive", "--all", NULL, 30);
  measure_chains(&results, program, folder, "--explicit", "explicit", false);
  measure_chains(&results, program, folder, "--all", "partition", true);
  close_results(&results);
  return 0;
}
