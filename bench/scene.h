/* Scenes: something measured beside what it is compared with. Ways to do the same take turns and the least time of each
 * counts, because machines are noisy; what comes out is printed beside its goal and written to
 * bench/results/<cpu model>/<scene>.csv. */
#ifndef ZW_BENCH_SCENE_H
#define ZW_BENCH_SCENE_H

#include <ctype.h>
#include <sys/stat.h>

#include "motion.h"
#include "rounds.h"

enum { SCENE_ROUNDS = 7 };

/* ---- time ---- */

typedef struct Way {
  void (*run)(void* context);
  void* context;
  double seconds; /* of one run, the least of all rounds */
} Way;

/* Each round gives every way at least `least` seconds. */
static inline void take_turns(Way* ways, int count, double least) {
  for (int i = 0; i < count; i++) ways[i].seconds = INFINITY;
  for (int round = 0; round < bench_rounds(SCENE_ROUNDS); round++) {
    for (int i = 0; i < count; i++) {
      double begin = seconds_used(), used;
      int64_t runs = 0, batch = 1;
      do {
        for (int64_t k = 0; k < batch; k++) ways[i].run(ways[i].context);
        runs += batch;
        used = seconds_used() - begin;
        if (used < 0.1 * least) batch *= 2; /* so that reading the clock costs nothing */
      } while (used < bench_seconds(least));
      ways[i].seconds = fmin(ways[i].seconds, used / (double)runs);
    }
  }
}

static inline double wall_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- results ---- */

typedef struct Results {
  FILE* csv;
  char path[1000];
} Results;

/* The model name of the processor, as a name of a folder: letters, digits and dashes. */
static inline void name_processor(char* name, size_t room) {
  char line[500], *value = NULL;
  FILE* file = fopen("/proc/cpuinfo", "r");
  while (file && !value && fgets(line, sizeof line, file)) {
    if (strncmp(line, "model name", 10) == 0) value = strchr(line, ':');
  }
  if (file) fclose(file);
  size_t size = 0;
  for (const char* c = value ? value : "unknown"; *c && size + 1 < room; c++) {
    bool is_kept = isalnum((unsigned char)*c);
    if (is_kept) name[size++] = *c;
    if (!is_kept && size > 0 && name[size - 1] != '-') name[size++] = '-';
  }
  while (size > 0 && name[size - 1] == '-') size--;
  name[size] = 0;
}

static inline Results open_results(const char* scene) {
  Results results = {0};
  if (is_bench_short()) { /* what was measured is not kept */
    snprintf(results.path, sizeof results.path, "/dev/null");
    results.csv = fopen(results.path, "w");
    return results;
  }
  char processor[200], folder[700];
  const char* root = getenv("ZWANG_ROOT");
  name_processor(processor, sizeof processor);
  snprintf(folder, sizeof folder, "%s/bench/results", root ? root : ".");
  mkdir(folder, 0777);
  snprintf(folder, sizeof folder, "%s/bench/results/%s", root ? root : ".", processor);
  mkdir(folder, 0777);
  snprintf(results.path, sizeof results.path, "%s/%s.csv", folder, scene);
  results.csv = fopen(results.path, "w");
  if (!results.csv) give_up(results.path, "cannot be written; run it from the source tree, or set ZWANG_ROOT");
  fprintf(results.csv, "measure,value,unit,at least,at most\n");
  return results;
}

/* A line of the table: value and unit, then the goal. */
static inline void write_line(Results* results, const char* measure, const char* value, const char* unit,
                              double at_least, double at_most) {
  fprintf(results->csv, "%s,%s,%s,", measure, value, unit);
  if (!isnan(at_least)) fprintf(results->csv, "%g", at_least);
  fprintf(results->csv, ",");
  if (!isnan(at_most)) fprintf(results->csv, "%g", at_most);
  fprintf(results->csv, "\n");
}

/* One line without a value: the goal is neither met nor missed. */
static inline void put_absent(Results* results, const char* measure, const char* why, double at_least, double at_most) {
  printf("%-66s %10s %s\n", measure, "-", why);
  fflush(stdout);
  write_line(results, measure, "", why, at_least, at_most);
}

/* One line: what was measured beside its goal. A goal of NaN: without a goal; a value of NaN: not measured. */
static inline void put(Results* results, const char* measure, double value, const char* unit, double at_least,
                       double at_most) {
  if (isnan(value)) {
    put_absent(results, measure, "not measured", at_least, at_most);
    return;
  }
  char goal[100] = "", text[40];
  const char* end = value > at_most || value < at_least ? "missed" : "met"; /* met, where there is no goal */
  if (!isnan(at_least) && !isnan(at_most)) {
    snprintf(goal, sizeof goal, "goal %g ... %g: %s", at_least, at_most, end);
  } else if (!isnan(at_most)) {
    snprintf(goal, sizeof goal, "goal <= %g: %s", at_most, end);
  } else if (!isnan(at_least)) {
    snprintf(goal, sizeof goal, "goal >= %g: %s", at_least, end);
  }
  snprintf(text, sizeof text, "%.4g", value);
  printf("%-66s %10s %-12s %s\n", measure, text, unit, goal);
  fflush(stdout);
  write_line(results, measure, text, unit, at_least, at_most);
}

static inline void close_results(Results* results) {
  bool is_written = !ferror(results->csv);
  is_written = fclose(results->csv) == 0 && is_written;
  if (!is_written) give_up(results->path, "could not be written");
  printf("-> %s\n", results->path);
}

/* The largest |a - b| as a part of the largest |b|: two roads to one number. */
static inline double difference(const double* a, const double* b, int32_t count) {
  double off = 0, size = 0;
  for (int32_t i = 0; i < count; i++) {
    off = a[i] == a[i] ? fmax(off, fabs(a[i] - b[i])) : INFINITY;
    size = fmax(size, fabs(b[i]));
  }
  return off / size;
}

static inline void* take_memory(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (!memory) give_up("memory", "there is not enough");
  return memory;
}

#endif
