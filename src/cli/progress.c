#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

enum { BAR_WIDTH = 30 };
static const double patience = 1.0; /* s before a bar is shown */
static const double interval = 0.1; /* s between updates */

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(Progress* progress, double from, double to, bool is_wanted) {
  *progress = (Progress){.what = "t", .from = from, .to = to};
  if (!is_wanted || !isatty(STDERR_FILENO)) return;
  progress->begun = seconds_now();
  progress->last = progress->begun + patience - interval;
}

void progress_update(Progress* progress, double t) {
  if (progress->begun == 0) return;
  double now = seconds_now();
  if (now - progress->last < interval) return;
  progress->last = now;
  progress->is_shown = true;
  double part = (t - progress->from) / (progress->to - progress->from);
  int filled = (int)(part * BAR_WIDTH);
  double left = part > 0 ? (now - progress->begun) * (1 - part) / part : 0;
  fputs("\r[", stderr);
  for (int i = 0; i < BAR_WIDTH; i++) fputc(i < filled ? '#' : ' ', stderr);
  zw_fprintf(stderr, "] %3.0f %%  %s = %-10.4g about %.0f s left ", 100 * part, progress->what, t, left);
  fflush(stderr);
}

void progress_end(Progress* progress) {
  if (progress->is_shown) fputs("\r\033[K", stderr);
}
