/* A pendulum over 10 000 periods by every integrator: what happens to its energy and to its phase. Released from the
 * horizontal, with a period of exactly 2; the phase comes from Jacobi's elliptic functions. */
#include "../test/reference/elliptic.h"
#include "motion.h"
#include "rounds.h"

enum { PERIODS = 10000 };

static const char text[] =
    "param g = 13.750371636040745654980191559621114395801712\ncoord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\n"
    "potential g*y\nconstraint rod: x^2 + y^2 = 1\nrun 0 .. 1\n";
static const double g = 13.750371636040745655, period = 2;

typedef struct Clock {
  double phase; /* periods since the start, minus those of the exact motion */
} Clock;

/* The incomplete integral by Simpson's rule, good to 1e-13 or so. */
static double elliptic_F(double amplitude, double k) {
  enum { PARTS = 400 };
  double sum = 0, h = amplitude / PARTS;
  for (int i = 0; i <= PARTS; i++) {
    double s = k * sin(i * h), weight = i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2;
    sum += weight / sqrt(1 - s * s);
  }
  return sum * h / 3;
}

/* sin(theta/2) = k sn(u), theta' = 2 k w cn(u): u tells where in its period the motion is, whatever its energy. */
static double phase_of(const double* row) {
  double k = sqrt(0.5), w = sqrt(g), x = row[1], y = row[2];
  double half = 0.5 * atan2(x, -y), rate = x * row[4] - y * row[3];
  double amplitude = atan2(sin(half) / k, rate / (2 * k * w));
  return elliptic_F(amplitude, k) / (4 * (double)elliptic_K((long double)k)); /* periods, 1/4 at the start */
}

/* Rows are whole periods apart, so the phase should be what it was; it moves by less than half a period between them. */
static ZwStatus follow_phase(void* context, const double* row) {
  Clock* clock = context;
  double off = phase_of(row) - 0.25;
  clock->phase += remainder(off - clock->phase, 1);
  return ZW_OK;
}

static void measure(const ZwModel* model, const char* integrator, double setting, bool is_held) {
  Clock clock = {0};
  ZwRunDef how = zw_default_run_def();
  how.integrator = integrator;
  how.to = bench_size(PERIODS, 10) * period;
  how.every = period;
  how.conserve_energy = is_held;
  *(has_fixed_step(integrator) ? &how.step : &how.tolerance) = setting;
  how.row = follow_phase;
  how.context = &clock;
  if (!accepts(model, how)) return;
  ZwRun* run = NULL;
  double begun = seconds_used();
  ZwStatus status = zw_run_create(model, &how, &run);
  if (!status) status = zw_run_go(run);
  const ZwReport* report = zw_run_report(run);
  char name[100];
  snprintf(name, sizeof name, "%s%s", integrator, is_held ? ", energy held" : "");
  if (status) {
    printf("| %-22s | %s %-6g | fails after %.0f periods: %s | | | | |\n", name,
           has_fixed_step(integrator) ? "step     " : "tolerance", setting, report->t / period, zw_status_text(status));
    zw_run_destroy(run);
    return;
  }
  printf("| %-22s | %s %-6g | %8.1e | %9.1e | %9.2e | %9.2e | %6.1f |\n", name,
         has_fixed_step(integrator) ? "step     " : "tolerance", setting, report->energy_drift, clock.phase,
         (double)report->steps, (double)report->evaluations, seconds_used() - begun);
  fflush(stdout);
  zw_run_destroy(run);
}

/* All, or those named on the command line; not auto, which is one of the others. */
static bool is_wanted(const char* name, int argc, char** argv) {
  bool is_named = argc < 2;
  for (int i = 1; i < argc; i++) is_named = is_named || strcmp(argv[i], name) == 0;
  return is_named && strcmp(name, "auto") != 0;
}

int main(int argc, char** argv) {
  static const double tolerances[] = {1e-6, 1e-9}, steps[] = {0.02, 0.005};
  ZwModel* model = compile_model("pendulum", text);
  printf("Pendulum over %d periods\n\n", PERIODS);
  printf("| integrator             | setting          | energy   | phase     | steps     | evaluat.  | s      |\n");
  printf("|---|---|---|---|---|---|---|\n");
  for (int32_t i = 0; zw_integrator_text(i); i++) {
    const char* name = zw_integrator_text(i);
    if (!is_wanted(name, argc, argv)) continue;
    for (int k = 0; k < 2; k++) measure(model, name, has_fixed_step(name) ? steps[k] : tolerances[k], false);
    for (int k = 0; k < 2; k++) measure(model, name, has_fixed_step(name) ? steps[k] : tolerances[k], true);
  }
  zw_model_destroy(model);
  return 0;
}
