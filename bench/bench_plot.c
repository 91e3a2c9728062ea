/* What a plot costs: a million rows of a table, read and drawn, over time and against each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "output/chart.h"
#include "output/stored.h"
#include "rounds.h"

enum { ROWS = 1000000, ROUNDS = 3 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A torus that never closes, and noise. */
static bool write_table(const char* path) {
  FILE* file = fopen(path, "w");
  if (!file) return false;
  uint32_t noise = 1;
  fprintf(file, "t,x,y,noise\n");
  for (int i = 0; i < bench_size(ROWS, 10000); i++) {
    double t = 1e-3 * i;
    noise = noise * 1664525u + 1013904223u;
    fprintf(file, "%.17g,%.17g,%.17g,%.17g\n", t, (2 + cos(t)) * cos(sqrt(2) * t), (2 + cos(t)) * sin(sqrt(2) * t),
            noise / 4294967296.0);
  }
  return fclose(file) == 0;
}

/* Reads the table and draws; the seconds of it all, and the size of the picture. */
static bool plot_table(const char* path, const ZwPlot* what, double* seconds, int32_t* size) {
  ZwAllocator allocator = zw_allocator_default();
  double begun = now();
  ZwStored stored;
  ZwChart* chart = zw_chart_create(&allocator, what, 1, false, false);
  bool is_fine = chart && zw_stored_open(&stored, &allocator, path) == ZW_OK;
  for (bool has_row = is_fine; has_row;) {
    is_fine = zw_stored_next(&stored, &has_row) == ZW_OK;
    if (!is_fine) break;
    if (has_row) zw_chart_row(chart, stored.values, stored.event);
  }
  ZwArena arena;
  ZwText text;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  if (is_fine) zw_svg_text(&text, zw_chart_plot(chart));
  *seconds = now() - begun;
  *size = text.size;
  is_fine = is_fine && !arena.failed;
  zw_arena_destroy(&arena);
  if (chart) zw_stored_close(&stored);
  zw_chart_destroy(chart);
  return is_fine;
}

int main(void) {
  static const int32_t columns[] = {1, 2, 3};
  static const char* const names[] = {"x", "y", "noise"};
  static const struct {
    const char* title;
    ZwPlot plot;
  } cases[] = {{"x over t", {columns, names, 1, 0, "t", false}},
               {"noise over t", {columns + 2, names + 2, 1, 0, "t", false}},
               {"y against x", {columns + 1, names + 1, 1, 1, "x", true}},
               {"noise against x", {columns + 2, names + 2, 1, 1, "x", false}}};
  char path[] = "/tmp/bench_plot_XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0 || !write_table(path)) return 1;
  bool is_fine = true;
  for (size_t i = 0; i < sizeof cases / sizeof *cases && is_fine; i++) {
    double least = INFINITY, seconds;
    int32_t size = 0;
    for (int round = 0; round < bench_rounds(ROUNDS) && is_fine; round++) {
      is_fine = plot_table(path, &cases[i].plot, &seconds, &size);
      least = fmin(least, seconds);
    }
    printf("plot, %s: %.2f s for %d rows of 4 columns, %.0f kB\n", cases[i].title, least, bench_size(ROWS, 10000),
           size / 1000.0);
  }
  remove(path);
  return is_fine ? 0 : 1;
}
