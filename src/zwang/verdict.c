/* Whether the evidence of a run speaks for it. docs/design/verdict.md says why it is judged so. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

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
/* Energies that are known only to this part of what was exchanged say nothing. */
#define HIDDEN (DRIFT_MOST / 10)
/* ... and where what moves is less than errors within tolerance, to this part. */
#define ALL_HIDDEN 0.5
/* A motion of this part of sizes is seen in positions, if not in energies. */
#define AMPLITUDE (1024 * DBL_EPSILON)
/* Errors of positions that the tolerance allows may do this part of what the potential does. */
#define FAINT 0.1
/* Rounding of velocities, as a part of all that are solved for together; and the part of what was exchanged that is error where nothing
 * else has moved a group. */
#define ROUNDING (64 * DBL_EPSILON)
#define ALL_ERROR 0.5
/* So many times as far as at the ends of steps the energy may be off at rows between them, which come from the dense output, before that
 * is doubted. */
#define ROWS 100.0
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

/* What is judged of one group. */
typedef struct Balance {
  const ZwEnergyGroup* group;
  int32_t number;
  double work; /* largest |W| */
  double exchanged, rounding, allowed;
  double off, t;  /* by how much the energy was off, and when */
  double part;    /* of what was exchanged */
  double beyond;  /* in units of what is allowed */
  double lasting; /* the part of what is exchanged in the mean, by which it stays off */
  bool is_beyond, is_far, is_lasting, is_hidden;
  bool is_faint; /* its potential moves something that is far and fast, by less than the tolerance allows for */
  bool trembles; /* it moves by rounding of other groups alone */
} Balance;

/* Errors that are no more than those of positions at rest; however loose the tolerance, these are a small part of what forces do over sizes.
 * What moves by itself has a motion to be compared with, and is not excused: far from where positions are counted, the tolerance allows
 * errors that are larger than this motion. */
static double least_of(const ZwSim* sim, const Balance* balance) {
  const ZwEnergyGroup* group = balance->group;
  double part = fmin(growth_of(sim), DRIFT_MOST / sim->tolerance);
  double rounded = group->rounded * growth_of(sim);
  return (group->is_driven ? rounded : fmax(rounded, group->resting * part)) + balance->rounding;
}

/* Rows between steps show it too, where anybody looks at energies there. */
static void take_off(Balance* balance) {
  const ZwEnergyGroup* group = balance->group;
  bool is_row = group->off_row > group->off;
  balance->off = is_row ? group->off_row : group->off;
  balance->t = is_row ? group->t_off_row : group->t_off;
}

/* Where nothing moves but errors of positions, what is exchanged is these errors: they are compared with what forces do over sizes. */
static double part_of(const ZwSim* sim, const Balance* balance) {
  const ZwEnergyGroup* group = balance->group;
  double still = group->is_driven ? group->rounded : group->least;
  bool is_at_rest = fmax(balance->exchanged, balance->off) <= still * growth_of(sim);
  double size = fmax(is_at_rest ? group->least / sim->tolerance : balance->exchanged, balance->rounding);
  return size > 0 ? balance->off / size : 0;
}

/* What moves, or is given, in which nothing is cancelled. */
static double moved_of(const Balance* balance) {
  return fmax(fmax(balance->group->moving, balance->group->given), balance->work);
}

/* Where a group flies by, its kinetic energy says nothing of what moves inside of it. There forces do little beside it, and yet errors of
 * positions within the tolerance are worth as much energy as all of the potential. */
static bool is_faint(const ZwSim* sim, const ZwEnergyGroup* group) {
  double potential = fmax(fabs(group->potential_most), fabs(group->potential_least));
  bool is_aside = group->reach < sqrt(sim->tolerance) * group->kinetic;
  if (!(group->potential_most > group->potential_least)) return false; /* forces of inertia, or across velocities */
  return group->is_pushed && is_aside && sim->tolerance * group->reach > FAINT * potential;
}

/* Something moves, by more than errors of positions or rounding of velocities would, but rounding of the energy hides what becomes of it. */
static bool is_hidden(const ZwSim* sim, const Balance* balance) {
  double moved = moved_of(balance), largest = zw_energy_largest(balance->group, balance->work);
  const ZwEnergyGroup* group = balance->group;
  double still = fmax(group->least, ROUNDING * ROUNDING * largest);
  if (balance->trembles) return false;
  if (moved > still * growth_of(sim)) return balance->rounding > HIDDEN * moved;
  return group->is_driven && moved > AMPLITUDE * AMPLITUDE * largest && balance->rounding > ALL_HIDDEN * moved;
}

static double work_of(const ZwSim* sim, int32_t number) {
  return number == sim->energy.works ? sim->energy.work : 0;
}

/* What is exchanged by the group that exchanges most. */
static double whole_of(const ZwSim* sim) {
  double most = 0;
  for (int32_t g = 0; g < sim->energy.group_count; g++) {
    most = fmax(most, zw_energy_exchanged(&sim->energy.groups[g], work_of(sim, g)));
  }
  return most;
}

/* A velocity or a force at the start, work, or an event moves it by itself. */
static bool is_moved(const ZwSim* sim, const Balance* balance) {
  return balance->group->is_moved || balance->group->given > 0 || balance->number == sim->energy.works;
}

/* Some formulations solve for all groups together: the velocities of one are then rounded by parts of those of others. All motion of a
 * group that nothing moves may come from that; one that moves by itself is judged as if it were alone. */
static bool is_trembling(const ZwSim* sim, const Balance* balance, double whole) {
  double most = ROUNDING * ROUNDING * whole;
  if (is_moved(sim, balance)) return false;
  return balance->exchanged <= most && balance->off >= ALL_ERROR * balance->exchanged;
}

static Balance balance_of(const ZwSim* sim, int32_t number, double whole) {
  const ZwEnergyGroup* group = &sim->energy.groups[number];
  Balance balance = {.group = group, .number = number, .work = work_of(sim, number)};
  balance.exchanged = zw_energy_exchanged(group, balance.work);
  take_off(&balance);
  balance.trembles = is_trembling(sim, &balance, whole);
  balance.rounding = zw_energy_rounding(group, balance.work) + (balance.trembles ? ROUNDING * ROUNDING * whole : 0);
  double steepness = zw_energy_steepness(group, balance.work);
  balance.allowed = (sim->tolerance * steepness + group->least) * growth_of(sim) + balance.rounding;
  balance.part = part_of(sim, &balance);
  balance.beyond = fmax(group->off, group->off_row / ROWS) / fmax(balance.allowed, DBL_MIN);
  balance.is_beyond = balance.beyond > BEYOND;
  double least = least_of(sim, &balance);
  balance.is_far = balance.off > DRIFT_MOST * balance.exchanged && balance.off > least;
  if (sim->stats.steps >= STEPS_FEW) balance.lasting = zw_energy_lasting(group, balance.work, least);
  balance.is_lasting = !balance.is_far && balance.lasting > DRIFT_MOST;
  balance.is_hidden = is_hidden(sim, &balance);
  balance.is_faint = is_faint(sim, group);
  return balance;
}

/* How bad it is: above 1 it is doubted. */
static double badness_of(const Balance* balance) {
  double far = balance->is_far || balance->is_lasting ? fmax(balance->part, balance->lasting) / DRIFT_MOST : 0;
  return fmax(fmax(far, balance->is_hidden || balance->is_faint ? 1 : 0), balance->beyond / BEYOND);
}

/* A group that is doubted comes first. Of others one that nothing moves, but rounding of the largest, tells nothing of the run. */
static bool is_worse(const ZwSim* sim, const Balance* one, const Balance* other, double whole) {
  double badness = badness_of(one), before = badness_of(other), least = ROUNDING * ROUNDING * whole;
  bool moves = one->exchanged > least || is_moved(sim, one);
  bool moved = other->exchanged > least || is_moved(sim, other);
  if (fmax(badness, before) < 1 && moves != moved) return moves;
  return badness > before;
}

/* The worst of all groups. */
static Balance worst_of(const ZwSim* sim) {
  double whole = whole_of(sim);
  Balance worst = balance_of(sim, 0, whole);
  for (int32_t g = 1; g < sim->energy.group_count; g++) {
    Balance balance = balance_of(sim, g, whole);
    if (is_worse(sim, &balance, &worst, whole)) worst = balance;
  }
  return worst;
}

static void report_energy(ZwRun* run, const Balance* worst) {
  ZwReport* report = &run->report;
  report->energy_start = run->sim->stats.energy_start;
  report->work = run->sim->energy.work;
  report->energy_off = worst->off;
  report->energy_exchanged = worst->exchanged;
  report->energy_allowed = worst->allowed;
  report->energy_drift = worst->is_lasting ? worst->lasting : worst->part;
}

enum { NAMES_SHOWN = 3, SUBJECT = 256, CLAIM_SHOWN = 160 };

/* "the energy", or "the energy of 'x' and 'y'" where it is not that of all. */
static const char* subject_of(const ZwSim* sim, const Balance* balance, char text[SUBJECT]) {
  bool is_work = balance->number == sim->energy.works;
  size_t used = 0, shown = 0, count = 0;
  bool is_part = sim->energy.group_count > 1;
  text[0] = 0;
  for (int32_t i = 0; is_part && i < sim->n; i++) count += zw_energy_group_of(sim, i) == balance->number;
  for (int32_t i = 0; is_part && i < sim->n && shown < NAMES_SHOWN; i++) {
    if (zw_energy_group_of(sim, i) != balance->number) continue;
    const char* before = shown == 0 ? " of " : shown + 1 == count ? " and " : ", ";
    (void)zw_snprintf(text + used, SUBJECT - used, "%s'%.*s'", before, ZW_STR_ARGS(sim->system->coords.items[i].name));
    zw_str_end_whole(text);
    used = strlen(text);
    shown++;
  }
  if (count > shown) (void)zw_snprintf(text + used, SUBJECT - used, " and %d others", (int)(count - shown));
  char names[SUBJECT];
  memcpy(names, text, SUBJECT);
  (void)zw_snprintf(text, SUBJECT, "the energy%s%s", names,
                    is_work ? (is_part ? ", less the work done," : " less the work done") : "");
  return text;
}

/* "3 times what was exchanged, at t = 5", or what else it is compared with. */
static const char* size_of(const ZwSim* sim, const Balance* balance, char text[SUBJECT]) {
  const char* when = zw_when(sim, balance->t, 6).text;
  if (balance->is_lasting)
    (void)zw_snprintf(text, SUBJECT, "%.2g times what is exchanged in the mean", balance->lasting);
  else
    (void)zw_snprintf(text, SUBJECT, "%.2g times what was exchanged, at t = %s", balance->part, when);
  return text;
}

/* The coordinate of a group over whose error, within the tolerance, forces do most: -1 where errors are small beside what was exchanged. */
static int32_t farthest_of(const ZwSim* sim, const Balance* balance) {
  const ZwEnergyGroup* group = balance->group;
  double most = 0;
  int32_t farthest = -1;
  if (sim->tolerance * group->reach < DRIFT_MOST * balance->exchanged && !balance->is_faint) return -1;
  for (int32_t i = 0; i < sim->n; i++) {
    double reach = zw_energy_group_of(sim, i) == balance->number ? fabs(sim->hL[i]) * sim->sizes.largest[i] : 0;
    if (!(reach > most)) continue;
    most = reach;
    farthest = i;
  }
  return farthest;
}

/* A smaller tolerance, or numbers that are smaller. */
static void advise_closer(ZwRun* run, const Balance* balance) {
  const ZwSim* sim = run->sim;
  int32_t i = farthest_of(sim, balance);
  double tolerance = fmax(run->report.tolerance / 1000, 1e-13);
  if (i < 0) {
    advise(run, "choose a smaller one, as --tolerance %.3g", tolerance);
    return;
  }
  ZwStr name = sim->system->coords.items[i].name;
  advise(
      run,
      "count '%.*s', which is up to %.3g, from nearer to where it moves, or choose a smaller one, as --tolerance %.3g",
      ZW_STR_ARGS(name), sim->sizes.largest[i], tolerance);
}

/* By an integrator that chooses its steps for the tolerance. */
static void judge_drift(ZwRun* run, const Balance* balance) {
  char subject[SUBJECT], size[SUBJECT];
  double tolerance = run->report.tolerance;
  bool is_far = balance->is_far || balance->is_lasting;
  if (!balance->is_beyond && !is_far) return;
  (void)subject_of(run->sim, balance, subject);
  (void)size_of(run->sim, balance, size);
  if (balance->is_beyond) {
    doubt(run, "energy", "%s is off by %s: %.2g times what the tolerance %.3g allows over %lld steps", subject, size,
          balance->beyond, tolerance, (long long)run->report.steps);
    advise(run, "compare with --tolerance %.3g, and with another integrator, as --integrator radau",
           fmax(tolerance / 100, 1e-13));
    if (is_far) run->verdicts.refused = run->verdicts.count - 1;
  } else {
    doubt(run, "energy", "%s is off by %s: the tolerance %.3g is too loose", subject, size, tolerance);
    advise_closer(run, balance);
  }
}

/* Has it grown, or has it swung, or not been seen to swing so far? */
static bool grows(const ZwRun* run, const Balance* balance) {
  bool is_plain = balance->part > GROWTH_PLAIN;
  bool is_long = run->report.steps >= STEPS_FEW && (balance->group->envelope.turns >= TURNS || balance->is_far);
  return (is_long || is_plain) && zw_energy_grows(balance->group);
}

/* By steps of a fixed length that conserve an energy nearby: the error swings, and only its growth says that they are too long. */
static void judge_growth(ZwRun* run, const Balance* balance) {
  char subject[SUBJECT], size[SUBJECT];
  bool is_far = balance->is_far || balance->is_lasting, has_grown = grows(run, balance);
  if (!balance->is_beyond || (!is_far && !has_grown)) return;
  doubt(run, has_grown ? "energy" : "oscillation", "%s %s %s with the step %.4g",
        subject_of(run->sim, balance, subject),
        has_grown ? "drifts away from its value by" : "swings about its value by up to",
        size_of(run->sim, balance, size), run->report.step);
  advise(run, "choose a shorter step, as --step %.3g", run->report.step / 10);
  if (has_grown && is_far) run->verdicts.refused = run->verdicts.count - 1;
}

/* Nothing speaks against the run, but the energy could not. */
static void judge_rounding(ZwRun* run, const Balance* balance) {
  char subject[SUBJECT];
  if (balance->is_faint && run->verdicts.count == 0) {
    double error = run->report.tolerance * balance->group->reach;
    doubt(run, "tolerance",
          "%s tells nothing of its potential: errors of positions that the tolerance %.3g allows change that by %.2g, "
          "and it was never more than %.2g",
          subject_of(run->sim, balance, subject), run->report.tolerance, error,
          fmax(fabs(balance->group->potential_most), fabs(balance->group->potential_least)));
    advise_closer(run, balance);
    return;
  }
  if (!balance->is_hidden || run->verdicts.count > 0) return;
  doubt(run, "rounding",
        "%s is known only to %.2g times what was exchanged: it is so large beside it that rounding hides errors",
        subject_of(run->sim, balance, subject), balance->rounding / moved_of(balance));
  advise(run,
         "count energies from where the motion is, so that those at rest are small, and let nothing cancel: "
         "2*sin(x/2)^2 for 1 - cos(x)");
}

static void judge_missing(ZwRun* run) {
  const ZwEnergy* energy = &run->sim->energy;
  if (!energy->is_missing) return;
  if (energy->is_beyond) {
    doubt(run, "energy", "the kinetic energy is larger than all numbers at t = %s, after it was finite",
          zw_when(run->sim, energy->t_missing, 6).text);
    advise(run, "is a force singular there? Let the motion end before, or count in larger units");
    run->verdicts.refused = run->verdicts.count - 1;
    return;
  }
  doubt(run, "energy", "the energy has no finite value at t = %s, and cannot be accounted for there",
        zw_when(run->sim, energy->t_missing, 6).text);
  advise(run, "write potentials that are finite wherever the motion goes");
}

static void judge_impacts(ZwRun* run) {
  double most = 0, whole = whole_of(run->sim);
  for (int32_t g = 0; g < run->sim->energy.group_count; g++) {
    Balance balance = balance_of(run->sim, g, whole);
    bool is_off = balance.group->hits_off > BEYOND * balance.allowed;
    if (is_off) most = fmax(most, balance.group->hits_off);
  }
  if (most == 0) return;
  doubt(run, "impacts", "an impact changed the energy by %.2g otherwise than its impulses say", most);
  advise(run, "compare with --tolerance %.3g", fmax(run->report.tolerance / 100, 1e-13));
}

static void judge_energy(ZwRun* run, const Balance* worst) {
  if (!run->report.has_energy) return;
  judge_missing(run);
  judge_impacts(run);
  if (run->report.is_energy_held) return;
  if (run->sim->integrator->is_fixed)
    judge_growth(run, worst);
  else
    judge_drift(run, worst);
  judge_rounding(run, worst);
}

/* ---- other evidence ---- */

static void judge_constraints(ZwRun* run) {
  const ZwStats* stats = &run->sim->stats;
  if (stats->close.row > 0 && run->sim->near.rank_around < 0) {
    doubt(run, "constraints",
          "the constraint '%.*s' was taken to follow from others, but for %.2g of it, at t = %s: too little to be "
          "solved for, and the motion need not keep to it",
          ZW_STR_ARGS(zw_row_name(run->sim, stats->close.row - 1)), stats->close.left,
          zw_when(run->sim, stats->close.t, 6).text);
    advise(run, "state what it adds by itself, as the difference of the two, or remove it");
  }
  if (!(stats->residual > BEYOND * ZW_TOL_DROPPED)) return;
  doubt(run, "constraints", "the constraints are met only to %.2g times what the tolerance %.3g allows",
        stats->residual / ZW_TOL_DROPPED, run->report.tolerance);
  advise(run, "compare with --tolerance %.3g", fmax(run->report.tolerance / 100, 1e-13));
}

static void judge_motion(ZwRun* run) {
  const ZwSim* sim = run->sim;
  if (sim->watch.looks.given_up > 0) {
    ZwSpan span;
    ZwStr name = zw_looks_name(sim, sim->watch.looks.given_up - 1, &span);
    doubt(run, "events", "'%.*s' changes too fast to be followed, and moments in which it holds may have been missed",
          ZW_STR_ARGS(name));
    advise(run, "let it depend on something slower, or choose a smaller tolerance");
  }
  if (sim->contacts.has_noted_carried) {
    doubt(run, "contacts",
          "the force across a contact that slips can be shared with others in many ways: its friction is not unique, "
          "and so may be the motion");
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

/* What the model says of its motion is evidence too. */
/* Whether a claim is off by more of what it allows. */
static bool is_further(const ZwClaimReport* claim, const ZwClaimReport* than) {
  return claim->worst * than->allowed > than->worst * claim->allowed;
}

static void judge_claims(ZwRun* run) {
  int32_t failed = 0, worst = 0;
  for (int32_t i = 0; i < run->report.claim_count; i++) {
    if (run->claims[i].holds) continue;
    if (failed++ == 0 || is_further(&run->claims[i], &run->claims[worst])) worst = i;
  }
  if (failed == 0) return;
  const ZwClaimReport* claim = &run->claims[worst];
  char name[CLAIM_SHOWN], others[64] = "";
  (void)zw_snprintf(name, sizeof name, "%s", claim->name);
  zw_str_end_whole(name);
  if (failed > 1)
    (void)zw_snprintf(others, sizeof others, ", nor do%s %d more", failed == 2 ? "es" : "", (int)failed - 1);
  doubt(run, "claims", "the claim '%s' does not hold%s: off by %.3g at t = %s, where %.3g is allowed", name, others,
        claim->worst, zw_when(run->sim, run->sim->claims[worst].t, 6).text, claim->allowed);
  advise(run, "the claim or the model is wrong, if a smaller tolerance, as --tolerance %.3g, changes nothing",
         fmax(run->report.tolerance / 100, 1e-13));
}

/* ---- verdict ---- */

void zw_run_judge(ZwRun* run) {
  ZwReport* report = &run->report;
  ZwVerdicts* verdicts = &run->verdicts;
  report_shares(run);
  Balance worst = worst_of(run->sim);
  report_energy(run, &worst);
  verdicts->count = 0;
  verdicts->refused = -1;
  judge_energy(run, &worst);
  judge_constraints(run);
  judge_motion(run);
  judge_start(run);
  judge_claims(run); /* last: what is told before may be the cause */
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
