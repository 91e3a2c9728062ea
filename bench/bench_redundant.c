/* A straight chain whose links are stated twice, as squares and as lengths, beside the same chain stated once: how the time from the
 * text to a consistent start grows with the links, and what the second statement costs. */
#include "scene.h"

enum { SIZES = 6 };

typedef struct Chain {
  int32_t count;
  bool is_twice;
} Chain;

static void start_chain(void* context) {
  const Chain* chain = context;
  char text[1000];
  snprintf(text, sizeof text,
           "param N = %d\ncoord P[1..N] = (0, 0)\nfor i in 1..N {\n  start P[i] = (i, 0)\n  kinetic 1/2*P[i]'^2\n"
           "  potential 9.81*P[i].y\n}\nconstraint hook: P[1]^2 = 1\n"
           "for i in 2..N { constraint bar[i]: (P[i] - P[i-1])^2 = 1 }\n%srun 0 .. 1\n",
           (int)chain->count,
           chain->is_twice ? "constraint again: norm(P[1]) = 1\n"
                             "for i in 2..N { constraint more[i]: norm(P[i] - P[i-1]) = 1 }\n"
                           : "");
  ZwModel* model = compile_model("chain", text);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = NULL;
  if (zw_run_create(model, &how, &run)) give_up("chain", zw_run_diag(run, 0)->text);
  if (zw_run_report(run)->rank != chain->count) give_up("chain", "has another rank than it has links");
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* Seconds of both statements at one size. */
static void measure(Results* results, int32_t count, double* once, double* twice) {
  char name[100];
  Chain chains[2] = {{count, false}, {count, true}};
  Way ways[2] = {{start_chain, &chains[0], 0}, {start_chain, &chains[1], 0}};
  take_turns(ways, 2, count < 1000 ? 0.02 : 0.1);
  *once = ways[0].seconds;
  *twice = ways[1].seconds;
  snprintf(name, sizeof name, "chain of %d, links once: start", (int)count);
  put(results, name, 1e3 * *once, "ms", NAN, NAN);
  snprintf(name, sizeof name, "chain of %d, links twice: start", (int)count);
  put(results, name, 1e3 * *twice, "ms", NAN, NAN);
  snprintf(name, sizeof name, "chain of %d: twice / once", (int)count);
  put(results, name, *twice / *once, "", NAN, 4);
}

/* The slope of the line nearest to the logarithms. */
static double exponent_of(const int32_t* sizes, const double* seconds) {
  double x_mean = 0, y_mean = 0, above = 0, below = 0;
  for (int i = 0; i < SIZES; i++) {
    x_mean += log(sizes[i]) / SIZES;
    y_mean += log(seconds[i]) / SIZES;
  }
  for (int i = 0; i < SIZES; i++) {
    double x = log(sizes[i]) - x_mean;
    above += x * (log(seconds[i]) - y_mean);
    below += x * x;
  }
  return above / below;
}

int main(void) {
  static const int32_t sizes[SIZES] = {50, 100, 200, 400, 2000, 10000};
  double once[SIZES], twice[SIZES], worst = 0;
  Results results = open_results("redundant");
  for (int i = 0; i < SIZES; i++) {
    measure(&results, sizes[i], &once[i], &twice[i]);
    worst = fmax(worst, twice[i] / once[i]);
  }
  put(&results, "chain, links once: exponent of the growth", exponent_of(sizes, once), "", NAN, NAN);
  put(&results, "chain, links twice: exponent of the growth", exponent_of(sizes, twice), "", NAN, 1.3);
  put(&results, "chain: twice / once, at the worst", worst, "", NAN, 4);
  close_results(&results);
  return 0;
}
