/* Whether the evidence of a run speaks for it. docs/design/verdict.md says why it is judged so. */
#include <math.h>
#include <stdarg.h>

#include "zwang/handles.h"

/* How often what the tolerance allows something may be off before it is doubted. */
#define BEYOND 100.0
/* The part of what was exchanged by which the energy may be off, whatever the tolerance. */
#define DRIFT_MOST 1e-2
/* Steps in which an error of the energy in proportion to their number reaches another tolerance. */
#define STEPS_ALIKE 100.0
/* With fewer steps of a fixed length, or turns of the error, one cannot tell growth from a swing, unless it is as large as this part. */
enum { STEPS_FEW = 16, TURNS = 8 };
#define GROWTH_PLAIN 0.1
/* Part of their size by which derivatives may leave the constraints. */
#define DERIVATIVES_MOST 1e-3

/* ---- reasons ---- */

__attribute__((format(printf, 3, 4))) static void doubt(ZwRun* run, const char* about, const char* format, ...) {
  ZwVerdicts* verdicts = &run->verdicts;
  if (verdicts->count == ZW_DOUBTS) return;
  int32_t i = verdicts->count++;
  va_list arguments;
  va_start(arguments, format);
  (void)zw_vsnprintf(verdicts->reasons[i], ZW_DOUBT_TEXT, format, arguments);
  va_end(arguments);
  verdicts->remedies[i][0] = 0;
  verdicts->doubts[i] = (ZwDoubt){about, verdicts->reasons[i], verdicts->remedies[i]};
}

/* Of the reason given last. */
__attribute__((format(printf, 2, 3))) static void advise(ZwRun* run, const char* format, ...) {
  ZwVerdicts* verdicts = &run->verdicts;
  va_list arguments;
  va_start(arguments, format);
  (void)zw_vsnprintf(verdicts->remedies[verdicts->count - 1], ZW_DOUBT_TEXT, format, arguments);
  va_end(arguments);
}

/* ---- energy ---- */

static void report_shares(ZwRun* run) {
  const ZwEnergy* energy = &run->sim->energy;
  for (int32_t i = 0; i < energy->count; i++) {
    const ZwEnergyEntry* entry = &energy->entries[i];
    run->shares[i] = (ZwEnergyShare){entry->name, entry->energy, entry->count};
  }
  run->report.energy_shares = run->shares;
  run->report.energy_share_count = energy->count;
  run->report.energy_event_count = energy->happened;
  run->report.energy_events = energy->events;
}

/* Each step may be wrong by the tolerance, and its error of the energy adds to those before it. */
static double growth_of(const ZwSim* sim) {
  return 1 + (double)sim->stats.steps / STEPS_ALIKE;
}

static void report_energy(ZwRun* run) {
  const ZwSim* sim = run->sim;
  const ZwEnergy* energy = &sim->energy;
  ZwReport* report = &run->report;
  double exchanged = zw_energy_exchanged(energy), rounding = zw_energy_rounding(energy);
  /* where nothing moves but errors of positions, what is exchanged is these errors: they are compared with what forces do over sizes */
  bool is_at_rest = fmax(exchanged, energy->off) <= energy->least * growth_of(sim);
  double size = fmax(is_at_rest ? energy->least / sim->tolerance : exchanged, rounding);
  report->energy_start = sim->stats.energy_start;
  report->work = energy->work;
  report->energy_off = energy->off;
  report->energy_exchanged = exchanged;
  report->energy_allowed = (sim->tolerance * zw_energy_steepness(energy) + energy->least) * growth_of(sim) + rounding;
  report->energy_drift = size > 0 ? energy->off / size : 0;
}

/* By more of what was exchanged than anyone would call a small part; unless that is itself no more than errors at rest. */
static bool is_far_off(const ZwRun* run) {
  const ZwEnergy* energy = &run->sim->energy;
  double least = energy->resting * growth_of(run->sim) + zw_energy_rounding(energy);
  return energy->off > DRIFT_MOST * run->report.energy_exchanged && energy->off > least;
}

static const char* balance_of(const ZwRun* run) {
  return run->report.is_conservative ? "the energy" : "the energy less the work done";
}

/* By an integrator that chooses its steps for the tolerance. */
static void judge_drift(ZwRun* run) {
  const ZwReport* report = &run->report;
  double beyond = report->energy_off / report->energy_allowed;
  bool is_beyond = report->energy_off > BEYOND * report->energy_allowed, is_far = is_far_off(run);
  if (!is_beyond && !is_far) return;
  if (is_beyond) {
    doubt(run, "energy",
          "%s is off by %.2g times what was exchanged, at t = %s: %.2g times what the tolerance %.3g allows over "
          "%lld steps",
          balance_of(run), report->energy_drift, zw_when(run->sim, run->sim->energy.t_off, 6).text, beyond,
          report->tolerance, (long long)report->steps);
    advise(run, "compare with --tolerance %.3g, and with another integrator, as --integrator radau",
           fmax(report->tolerance / 100, 1e-13));
    if (is_far) run->verdicts.refused = run->verdicts.count - 1;
  } else {
    doubt(run, "energy", "%s is off by %.2g times what was exchanged, at t = %s: the tolerance %.3g is too loose",
          balance_of(run), report->energy_drift, zw_when(run->sim, run->sim->energy.t_off, 6).text, report->tolerance);
    advise(run, "choose a smaller one, as --tolerance %.3g", fmax(report->tolerance / 1000, 1e-13));
  }
}

/* Has it grown, or has it swung, or not been seen to swing so far? */
static bool grows(const ZwRun* run) {
  const ZwEnergy* energy = &run->sim->energy;
  bool is_plain = run->report.energy_drift > GROWTH_PLAIN;
  bool is_long = run->report.steps >= STEPS_FEW && (energy->envelope.turns >= TURNS || is_far_off(run));
  return (is_long || is_plain) && zw_energy_grows(energy);
}

/* By steps of a fixed length that conserve an energy nearby: the error swings, and only its growth says that they are too long. */
static void judge_growth(ZwRun* run) {
  const ZwReport* report = &run->report;
  bool is_far = is_far_off(run), has_grown = grows(run);
  if (report->energy_off <= BEYOND * report->energy_allowed || (!is_far && !has_grown)) return;
  doubt(run, has_grown ? "energy" : "oscillation", "%s %s %.2g times what was exchanged, at t = %s with the step %.4g",
        balance_of(run), has_grown ? "drifts away from its value by" : "swings about its value by up to",
        report->energy_drift, zw_when(run->sim, run->sim->energy.t_off, 6).text, report->step);
  advise(run, "choose a shorter step, as --step %.3g", report->step / 10);
  if (has_grown && is_far) run->verdicts.refused = run->verdicts.count - 1;
}

static void judge_energy(ZwRun* run) {
  const ZwEnergy* energy = &run->sim->energy;
  const ZwReport* report = &run->report;
  if (!report->has_energy) return;
  if (energy->is_missing) {
    doubt(run, "energy", "the energy has no finite value at t = %s, and cannot be accounted for there",
          zw_when(run->sim, energy->t_missing, 6).text);
    advise(run, "write potentials that are finite wherever the motion goes");
  }
  if (energy->hits_off > BEYOND * report->energy_allowed) {
    doubt(run, "impacts", "an impact changed the energy by %.2g otherwise than its impulses say", energy->hits_off);
    advise(run, "compare with --tolerance %.3g", fmax(report->tolerance / 100, 1e-13));
  }
  if (report->is_energy_held) return;
  if (run->sim->integrator->is_fixed)
    judge_growth(run);
  else
    judge_drift(run);
}

/* ---- other evidence ---- */

static void judge_constraints(ZwRun* run) {
  const ZwStats* stats = &run->sim->stats;
  if (!(stats->residual > BEYOND * ZW_TOL_DROPPED)) return;
  doubt(run, "constraints", "the constraints are met only to %.2g times what the tolerance %.3g allows",
        stats->residual / ZW_TOL_DROPPED, run->report.tolerance);
  advise(run, "compare with --tolerance %.3g", fmax(run->report.tolerance / 100, 1e-13));
}

static void judge_motion(ZwRun* run) {
  const ZwSim* sim = run->sim;
  if (sim->watch.looks.has_noted) {
    doubt(run, "events",
          "a condition changes too fast to be followed, and moments in which it holds may have been missed");
    advise(run, "let it depend on something slower, or choose a smaller tolerance");
  }
  if (sim->contacts.has_noted_carried) {
    doubt(run, "contacts",
          "contacts that slip repeat each other: their friction is not unique, and so may be the motion");
    advise(run, "let one contact stand for those that always touch together");
  }
  if (run->report.varied_count > 0 && run->report.sensitivity_drift > DERIVATIVES_MOST) {
    doubt(run, "derivatives", "columns of derivatives leave their constraints by a part of %.2g of their size",
          run->report.sensitivity_drift);
    advise(run, "compare with --tolerance %.3g", fmax(run->report.tolerance / 100, 1e-13));
  }
}

static void judge_start(ZwRun* run) {
  const ZwSim* sim = run->sim;
  if (sim->has_searched) {
    doubt(run, "start",
          "the constraints leave a choice at the start or at an event, and the values given there do not make it");
    advise(run, "type start values nearer to those you mean; the note says which were taken");
  }
  if (run->report.guessed_size_count > 0) {
    const char* name = run->report.guessed_sizes[0];
    doubt(run, "sizes", "nothing tells how large '%s'%s is, and the start depends on it", name,
          run->report.guessed_size_count > 1 ? " (and others)" : "");
    advise(run, "say it, as in: coord %s = 0 scale 1e-3", name);
  }
  if (sim->near.rank_around >= 0) {
    doubt(run, "start", "the start is a singular position, from which several motions may lead on");
    advise(run, "start beside it");
  }
}

/* ---- verdict ---- */

void zw_run_judge(ZwRun* run) {
  ZwReport* report = &run->report;
  ZwVerdicts* verdicts = &run->verdicts;
  report_shares(run);
  report_energy(run);
  verdicts->count = 0;
  verdicts->refused = -1;
  judge_energy(run);
  judge_constraints(run);
  judge_motion(run);
  judge_start(run);
  report->doubts = verdicts->doubts;
  report->doubt_count = verdicts->count;
  bool has_verdict = report->has_begun && (!run->status || run->status == ZW_ERR_DOUBT);
  report->verdict = !has_verdict             ? ZW_VERDICT_NONE
                    : verdicts->refused >= 0 ? ZW_REFUSED
                    : verdicts->count > 0    ? ZW_DOUBTFUL
                                             : ZW_TRUSTED;
}

ZwStatus zw_run_pass_verdict(ZwRun* run) {
  const ZwReport* report = zw_run_report(run);
  if (report->verdict != ZW_REFUSED) return ZW_OK;
  const ZwDoubt* why = &report->doubts[run->verdicts.refused];
  zw_diag_error(&run->diags, ZW_ERR_DOUBT, (ZwSpan){0}, "%s", why->reason);
  zw_diag_remedy(&run->diags, "%s", why->remedy);
  return ZW_ERR_DOUBT;
}
