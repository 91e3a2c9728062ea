#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/check_force.h"

const char* trust_word(ZwVerdict verdict) {
  static const char* const words[] = {"none", "trusted", "doubtful", "failed"};
  return words[verdict];
}

static const char* plural(int64_t count) {
  return count == 1 ? "" : "s";
}

void print_system(const ZwReport* report, const char* name) {
  zw_printf("%s: %d coordinate%s, %d constraint%s", name, (int)report->n, plural(report->n), (int)report->m,
            plural(report->m));
  if (report->waiting > 0) zw_printf(" (%d of them not there at the start)", (int)report->waiting);
  if (report->m > 0) zw_printf(" of rank %d", (int)report->rank);
  zw_printf(", %d degree%s of freedom\n", (int)report->dof, plural(report->dof));
  if (report->contacts > 0) {
    zw_printf("  contacts     %d, %d of them closed at the start\n", (int)report->contacts, (int)report->closed);
    zw_printf("               %s\n", report->contact_law);
  }
}

/* Guesses that are far from where they were drawn. */
static void print_guesses(const ZwReport* report) {
  enum { SHOWN = 24 };
  for (int32_t i = 0; i < report->guesses_far && i < SHOWN; i++) {
    const ZwMove* move = &report->guesses[i];
    zw_printf("               the guess %s moved far, from %.6g to %.6g\n", move->name, move->from, move->to);
  }
  if (report->guesses_far > SHOWN) {
    zw_printf("               and %d more guesses moved far; --json has them all\n",
              (int)(report->guesses_far - SHOWN));
  }
}

static void print_names(const char* const* names, int32_t count, int32_t shown) {
  for (int32_t i = 0; i < count && i < shown; i++) zw_printf("%s%s", i ? ", " : "", names[i]);
  if (count > shown) zw_printf(" and %d more", (int)(count - shown));
}

/* Sizes that nothing told. */
static void print_guessed_sizes(const ZwReport* report) {
  if (report->guessed_size_count == 0) return;
  zw_printf("               nothing tells how large these are, and the start depends on it: ");
  print_names(report->guessed_sizes, report->guessed_size_count, 8);
  zw_printf("\n               say it with: coord %s = 0 scale 1e-3, or what it is\n", report->guessed_sizes[0]);
}

static void print_start(const ZwReport* report) {
  if (report->redundant_count > 0) {
    zw_printf("  redundant    ");
    for (int32_t i = 0; i < report->redundant_count; i++) zw_printf("%s%s", i ? ", " : "", report->redundant[i]);
    zw_printf("\n");
  }
  for (int32_t i = 0; i < report->move_count; i++) {
    const ZwMove* move = &report->moves[i];
    zw_printf("  %s  %s moved from %.9g to %.9g\n", i ? "           " : "start      ", move->name, move->from,
              move->to);
  }
  if (report->move_count == 0) zw_printf("  start        consistent, nothing typed was moved\n");
  if (report->guess_count > 0) {
    zw_printf("               %d guess%s inside parts moved\n", (int)report->guess_count,
              report->guess_count == 1 ? "" : "es");
  }
  print_guesses(report);
  print_guessed_sizes(report);
}

enum { SHARES_SHOWN = 6, NAMES_SHOWN = 8, COMBINATIONS_SHOWN = 4 };

/* Who shares which load, and what is unique all the same. */
static void print_shares(const ZwReport* report) {
  for (int32_t i = 0; i < report->shared_count && i < SHARES_SHOWN; i++) {
    const ZwSharedLoad* load = &report->shared[i];
    zw_printf(i ? "               " : "  shared load  ");
    print_names(load->names, load->count, NAMES_SHOWN);
    zw_printf(":\n               their reactions are not unique, %d number%s %s free\n", (int)load->freedom,
              plural(load->freedom), load->freedom == 1 ? "is" : "are");
    if (load->unique_count == 0) continue;
    for (int32_t k = 0; k < load->unique_count && k < COMBINATIONS_SHOWN; k++) {
      zw_printf("               %s %s\n", k ? "              " : "unique (here):", load->unique[k]);
    }
    if (load->unique_count > COMBINATIONS_SHOWN) {
      zw_printf("               and %d more combinations (--json lists all)\n",
                (int)(load->unique_count - COMBINATIONS_SHOWN));
    }
  }
  if (report->shared_count > SHARES_SHOWN) {
    zw_printf("               and %d more groups (--json lists all)\n", (int)(report->shared_count - SHARES_SHOWN));
  }
  if (report->shared_count > 0) {
    zw_printf(
        "               all others, and the force of all constraints together, are unique; of the shared\n"
        "               reactions the smallest are given\n");
  }
}

static bool is_doubted(const ZwReport* report, const char* about) {
  for (int32_t i = 0; i < report->doubt_count; i++) {
    if (strcmp(report->doubts[i].about, about) == 0) return true;
  }
  return false;
}

const char* energy_word(const ZwReport* report) {
  if (!report->has_energy) return "unknown";
  if (report->is_energy_held) return "held";
  if (is_doubted(report, "energy")) return "wrong";
  if (is_doubted(report, "rounding")) return "unknown";
  if (!report->is_conservative || report->energy_event_count > 0) return "balance";
  return isfinite(report->step) ? "swings" : "conserved";
}

/* "conserved, relative drift 2.1e-10": never of an energy that is not. */
static void print_energy(const ZwReport* report) {
  const char* with = report->is_conservative          ? "what events took"
                     : report->energy_event_count > 0 ? "the work done and what events took"
                                                      : "the work done";
  zw_printf("  energy       ");
  if (!report->has_energy) {
    zw_printf("unknown: the model has a Gibbs function\n");
  } else if (report->is_energy_held) {
    zw_printf("held by projection, relative drift %.2e (no evidence)\n", report->energy_drift);
  } else if (is_doubted(report, "energy")) {
    zw_printf("%s, off by %.2e of what was exchanged\n", report->is_conservative ? "not conserved" : "does not balance",
              report->energy_drift);
  } else if (is_doubted(report, "rounding")) {
    zw_printf("too large beside what was exchanged: rounding hides its errors\n");
  } else if (report->is_conservative && isfinite(report->step)) {
    zw_printf("swings about its value by up to %.2e, and does not drift\n", report->energy_drift);
  } else if (report->is_conservative && report->energy_event_count == 0) {
    zw_printf("conserved, relative drift %.2e\n", report->energy_drift);
  } else {
    zw_printf("balance with %s, relative error %.2e\n", with, report->energy_drift);
  }
}

enum { SHARES_OF_ENERGY = 6 };

/* The largest of those that are not shown yet, which are larger or stand before it; -1: none. */
static int32_t next_share(const ZwReport* report, int32_t before) {
  int32_t best = -1;
  for (int32_t i = 0; i < report->energy_share_count; i++) {
    double size = fabs(report->energy_shares[i].energy);
    double last = before < 0 ? INFINITY : fabs(report->energy_shares[before].energy);
    bool is_left = size < last || (size == last && i > before);
    if (is_left && (best < 0 || size > fabs(report->energy_shares[best].energy))) best = i;
  }
  return best;
}

/* "3 events took 0.97: floor 0.5 in 2, x > 1 0.47". Several may be at one instant: each counts. */
static void print_shares_of_energy(const ZwReport* report) {
  if (!report->has_energy || report->energy_event_count == 0) return;
  int32_t shown = 0;
  int64_t events = 0;
  for (int32_t i = 0; i < report->energy_share_count; i++) events += report->energy_shares[i].count;
  if (events < report->energy_event_count) events = report->energy_event_count;
  zw_printf("               %lld event%s %s %.6g:", (long long)events, plural(events),
            report->energy_events > 0 ? "gave" : "took", fabs(report->energy_events));
  double sign = report->energy_events > 0 ? 1 : -1;
  for (int32_t i = next_share(report, -1); i >= 0 && shown < SHARES_OF_ENERGY; i = next_share(report, i), shown++) {
    const ZwEnergyShare* share = &report->energy_shares[i];
    zw_printf("%s '%s' %.6g", shown ? "," : "", share->name, share->energy == 0 ? 0 : sign * share->energy);
    if (share->count > 1) zw_printf(" in %lld", (long long)share->count);
  }
  int32_t more = report->energy_share_count - shown;
  if (more > 0) zw_printf(", and %d more (--json lists all)", (int)more);
  zw_printf("\n");
}

/* How much of what is allowed it takes; an inequality that is far from its border takes less than nothing. */
static double claim_taken(const ZwClaimReport* claim) {
  if (claim->worst < 0) return -1;
  return claim->worst == 0 ? 0 : claim->allowed > 0 ? claim->worst / claim->allowed : INFINITY;
}

static void print_claim(const ZwClaimReport* claim) {
  bool is_far = claim->worst < 0; /* an inequality */
  zw_printf(is_far ? "%.3g to spare" : "off by %.3g", fabs(claim->worst));
  zw_printf(" at t = %.*g, where %.3g is allowed\n", zw_clock_digits(claim->t, 9), claim->t, claim->allowed);
}

enum { CLAIMS_SHOWN = 24 };

/* One line when all hold, else what became of each: those that fail first. */
static void print_claims(const ZwReport* report) {
  int32_t count = report->claim_count, failed = 0, shown = 0;
  const ZwClaimReport* nearest = report->claims;
  for (int32_t i = 0; i < count; i++) {
    failed += !report->claims[i].holds;
    if (claim_taken(&report->claims[i]) > claim_taken(nearest)) nearest = &report->claims[i];
  }
  if (count == 0) return;
  if (!report->has_begun) {
    zw_printf("  claims       %d, to be checked by a run\n", (int)count);
    return;
  }
  if (failed == 0) {
    bool is_ended = report->verdict == ZW_VERDICT_NONE; /* by an error: no claim was checked after it */
    const char* holds = is_ended ? "held as far as the run came" : count == 1 ? "holds" : "hold";
    zw_printf("  claims       %d %s; %s'%s': ", (int)count, holds, count == 1 ? "" : "nearest to failing is ",
              nearest->name);
    print_claim(nearest);
    return;
  }
  zw_printf("  claims       %d of %d do%s not hold\n", (int)failed, (int)count, failed == 1 ? "es" : "");
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < count; i++) {
      const ZwClaimReport* claim = &report->claims[i];
      if (claim->holds != (pass == 1) || shown++ >= CLAIMS_SHOWN) continue;
      zw_printf("               '%s' %s: ", claim->name, claim->holds ? "holds" : "fails");
      print_claim(claim);
    }
  }
  if (count > CLAIMS_SHOWN) zw_printf("               and %d more (--json lists all)\n", (int)(count - CLAIMS_SHOWN));
}

static void print_verdict(const ZwReport* report) {
  if (report->verdict == ZW_VERDICT_NONE) return;
  bool has_balance = report->has_energy && !report->is_energy_held;
  zw_printf("  verdict      %s%s\n", trust_word(report->verdict),
            report->verdict == ZW_TRUSTED && !has_balance ? ", though no balance of energies speaks for it" : "");
  for (int32_t i = 0; i < report->doubt_count; i++) {
    zw_printf("               %s\n", report->doubts[i].reason);
    if (report->doubts[i].remedy[0]) zw_printf("                 = %s\n", report->doubts[i].remedy);
  }
}

static void print_evidence(const ZwReport* report, double seconds) {
  char from[ZW_CLOCK_TEXT], to[ZW_CLOCK_TEXT];
  (void)zw_clock_text(report->from, 0, report->since, 9, from);
  (void)zw_clock_text(report->from, report->since, report->since, 9, to);
  zw_printf("  motion       t = %s .. %s, tolerance %.3g", from, to, report->tolerance);
  if (isfinite(report->step)) zw_printf(", step %.6g", report->step);
  if (strcmp(report->integrator, "auto") != 0) zw_printf(", integrator %s", report->integrator);
  if (isfinite(report->stiff_from)) zw_printf(", integrator radau from t = %.4g", report->stiff_from);
  if (strcmp(report->formulation, "auto") != 0) zw_printf(", formulation %s", report->formulation);
  zw_printf("\n");
  zw_printf("  steps        %lld accepted, %lld rejected, %lld evaluations, ", (long long)report->steps,
            (long long)report->rejected, (long long)report->evaluations);
  if (report->jacobians > 0) zw_printf("%lld Jacobians, ", (long long)report->jacobians);
  zw_printf("%.3g s, %s%s\n", seconds, strcmp(report->kernel, "native") == 0 ? "machine code" : "interpreted",
            report->is_sparse ? ", sparse" : "");
  if (report->events > 0) {
    zw_printf("  events       %lld%s\n", (long long)report->events,
              report->is_stopped ? ", the last one ended the run" : "");
  }
  if (report->singular > 0) {
    zw_printf("  singular     %lld position%s passed with continuous velocity\n", (long long)report->singular,
              plural(report->singular));
  }
  if (report->m > 0) zw_printf("  constraints  |phi| <= %.2e, |phi'| <= %.2e\n", report->phi_max, report->phidot_max);
  if (report->m > 0 && report->is_projected_late) {
    zw_printf("               projected at rows and events only; before that |phi| <= %.2e, |phi'| <= %.2e\n",
              report->phi_drift, report->phidot_drift);
  }
  print_energy(report);
  print_shares_of_energy(report);
}

enum { CONTACTS_SHOWN = 8 };

/* "floor: 37 impacts with the impulse 12.3 in all, closed for 4.1" */
static void print_totals(const char* name, const ContactTotals* totals) {
  zw_printf("%s: ", name);
  if (totals->impacts > 0) {
    zw_printf("%lld impact%s with the impulse %.6g%s", (long long)totals->impacts, plural(totals->impacts),
              totals->impulse, totals->impacts > 1 ? " in all" : "");
  }
  if (totals->closed > 0) zw_printf("%sclosed for %.6g", totals->impacts > 0 ? ", " : "", totals->closed);
  if (totals->has_friction) zw_printf(" (sticks %.6g, slips %.6g)", totals->sticking, totals->slipping);
  zw_printf("\n");
}

/* Impacts of all together, then contact by contact; of many only some, and none that was never touched. */
static void print_contacts(const ZwReport* report, const Contacts* contacts) {
  int32_t shown = 0, more = 0, never = 0;
  if (report->impacts > 0) {
    zw_printf("  impacts      %lld, energy lost in them %.6g\n", (long long)report->impacts, contacts_lost(contacts));
  }
  for (int32_t i = 0; i < contacts_count(contacts); i++) {
    ContactTotals totals = contacts_totals(contacts, i, report->t);
    if (totals.impacts == 0 && totals.closed <= 0) {
      never++;
    } else if (shown == CONTACTS_SHOWN) {
      more++;
    } else {
      zw_printf(shown++ ? "               " : "  touched      ");
      print_totals(contacts_name(contacts, i), &totals);
    }
  }
  if (more > 0) zw_printf("               and %d more (--json lists all)\n", (int)more);
  if (never > 0) zw_printf("  untouched    %d contact%s\n", (int)never, plural(never));
}

static void print_resumed(const Outcome* outcome) {
  double t = outcome->results ? results_resumed_at(outcome->results) : NAN;
  if (!isnan(t)) zw_printf("  resumed      at t = %.*g\n", zw_clock_digits(t, 9), t);
}

static void print_unfinished(const Outcome* outcome, const ZwReport* report) {
  const char* path = results_csv(outcome->results);
  const Contacts* contacts = results_contacts(outcome->results);
  if (outcome->failure && outcome->failure->code == ZW_ERR_IO) {
    zw_printf("  files        %s.part (whole rows, as far as they could be written)", path);
  } else {
    zw_printf("  files        %s.part (%lld row%s, up to t = %.*g)", path, (long long)report->rows,
              plural(report->rows), zw_clock_digits(report->t, 9), report->t);
  }
  if (contacts) zw_printf(", %s%s", contacts_csv(contacts), contacts_has_csv(contacts) ? "" : ".part");
  zw_printf("\n");
}

/* All files are there: the run has come to its end, whatever was claimed of it. */
static bool is_complete(const Outcome* outcome) {
  bool has_table = results_has_csv(outcome->results) || results_h5(outcome->results);
  return outcome->exit_code == EXIT_FINE || (outcome->exit_code == EXIT_FAILED && has_table && !outcome->failure);
}

static void print_files(const Outcome* outcome, const ZwReport* report) {
  const Results* results = outcome->results;
  if (!results) return;
  const char *h5 = results_h5(results), *svg = is_complete(outcome) ? results_svg(results) : NULL;
  if (!results_has_csv(results) && (!h5 || outcome->options->wants_csv)) {
    print_unfinished(outcome, report);
    return;
  }
  const char* first = results_has_csv(results) ? results_csv(results) : h5;
  zw_printf("  files        %s (%lld rows)", first, (long long)report->rows);
  if (h5 && first != h5) zw_printf(", %s", h5);
  if (svg) zw_printf(", %s", svg);
  const Contacts* contacts = results_contacts(results);
  if (contacts && contacts_has_csv(contacts)) {
    zw_printf(", %s (%lld line%s)", contacts_csv(contacts), (long long)contacts_rows(contacts),
              plural(contacts_rows(contacts)));
  }
  if (contacts && is_complete(outcome)) zw_printf(", %s", contacts_svg(contacts));
  zw_printf("\n");
  if (!results_has_all(results)) {
    zw_printf("               only outputs%s are recorded above 200 coordinates; --record all records everything\n",
              zw_model_plot_count(outcome->model) > 0 ? " and plots" : "");
  }
}

void print_summary(const Outcome* outcome) {
  const ZwReport* report = zw_run_report(outcome->run);
  char* name = model_name(outcome->options->file);
  print_system(report, name ? name : outcome->options->file);
  print_start(report);
  if (!report->has_begun || outcome->options->forces) print_shares(report);
  if (outcome->force) print_force(outcome->force);
  print_resumed(outcome);
  if (report->has_begun) print_evidence(report, outcome->seconds);
  const Contacts* contacts = outcome->results ? results_contacts(outcome->results) : NULL;
  if (contacts && report->has_begun) print_contacts(report, contacts);
  print_claims(report);
  if (report->has_begun) print_verdict(report);
  if (outcome->results) print_sensitivity(results_varied(outcome->results), outcome->model);
  if (outcome->gradient) print_gradient(outcome->gradient);
  print_files(outcome, report);
  const ZwSvgPlot* plot = outcome->options->sketch && outcome->results ? results_plot(outcome->results) : NULL;
  if (plot) print_sketch(plot);
  free(name);
}

/* ---- JSON ---- */

static void json_integer(ZwJson* json, const char* key, int64_t value) {
  zw_json_key(json, key);
  zw_json_integer(json, value);
}

void json_number(ZwJson* json, const char* key, double value) {
  zw_json_key(json, key);
  zw_json_number(json, value);
}

void json_system(ZwJson* json, const ZwReport* report, const char* name) {
  zw_json_key(json, "model");
  zw_json_string(json, name);
  json_integer(json, "n", report->n);
  json_integer(json, "m", report->m);
  json_integer(json, "waiting", report->waiting);
  json_integer(json, "rank", report->rank);
  json_integer(json, "dof", report->dof);
}

static void json_strings(ZwJson* json, const char* key, const char* const* texts, int32_t count) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) zw_json_string(json, texts[i]);
  zw_json_end_array(json);
}

static void json_share(ZwJson* json, const ZwSharedLoad* load) {
  zw_json_begin_object(json);
  json_strings(json, "constraints", load->names, load->count);
  json_integer(json, "freedom", load->freedom);
  json_strings(json, "unique", load->unique, load->unique_count);
  zw_json_end_object(json);
}

static void json_moves(ZwJson* json, const char* key, const ZwMove* moves, int32_t count) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) {
    zw_json_begin_object(json);
    zw_json_key(json, "name");
    zw_json_string(json, moves[i].name);
    json_number(json, "from", moves[i].from);
    json_number(json, "to", moves[i].to);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_start(ZwJson* json, const ZwReport* report) {
  json_moves(json, "moved", report->moves, report->move_count);
  json_moves(json, "guesses_moved_far", report->guesses, report->guesses_far);
  json_strings(json, "guessed_sizes", report->guessed_sizes, report->guessed_size_count);
  json_strings(json, "redundant", report->redundant, report->redundant_count);
  zw_json_key(json, "shared");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < report->shared_count; i++) json_share(json, &report->shared[i]);
  zw_json_end_array(json);
}

static void json_claims(ZwJson* json, const ZwReport* report) {
  zw_json_key(json, "claims");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < report->claim_count; i++) {
    const ZwClaimReport* claim = &report->claims[i];
    zw_json_begin_object(json);
    zw_json_key(json, "name");
    zw_json_string(json, claim->name);
    zw_json_key(json, "holds");
    if (isnan(claim->worst))
      zw_json_null(json); /* no row was looked at */
    else
      zw_json_bool(json, claim->holds);
    json_number(json, "worst", claim->worst);
    json_number(json, "allowed", claim->allowed);
    json_number(json, "t", claim->t);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

/* What events gave, by their names. */
static void json_shares(ZwJson* json, const ZwReport* report) {
  json_number(json, "energy_events", report->energy_events);
  zw_json_key(json, "per_event");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < report->energy_share_count; i++) {
    const ZwEnergyShare* share = &report->energy_shares[i];
    zw_json_begin_object(json);
    zw_json_key(json, "name");
    zw_json_string(json, share->name);
    json_number(json, "energy", share->energy);
    json_integer(json, "count", share->count);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_verdict(ZwJson* json, const ZwReport* report) {
  zw_json_key(json, "verdict");
  zw_json_string(json, trust_word(report->verdict));
  zw_json_key(json, "doubts");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < report->doubt_count; i++) {
    const ZwDoubt* doubt = &report->doubts[i];
    zw_json_begin_object(json);
    zw_json_key(json, "about");
    zw_json_string(json, doubt->about);
    zw_json_key(json, "reason");
    zw_json_string(json, doubt->reason);
    zw_json_key(json, "remedy");
    zw_json_string(json, doubt->remedy);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_evidence(ZwJson* json, const ZwReport* report, double seconds) {
  json_number(json, "from", report->from);
  json_number(json, "to", report->to);
  json_number(json, "t", report->t);
  json_number(json, "span", report->span);
  json_number(json, "since", report->since);
  json_number(json, "tolerance", report->tolerance);
  if (isfinite(report->step)) json_number(json, "step", report->step);
  zw_json_key(json, "integrator");
  zw_json_string(json, report->integrator);
  zw_json_key(json, "formulation");
  zw_json_string(json, report->formulation);
  zw_json_key(json, "kernel");
  zw_json_string(json, report->kernel);
  zw_json_key(json, "sparse");
  zw_json_bool(json, report->is_sparse);
  json_integer(json, "steps", report->steps);
  json_integer(json, "rejected", report->rejected);
  json_integer(json, "evaluations", report->evaluations);
  json_integer(json, "jacobians", report->jacobians);
  json_number(json, "stiff_from", report->stiff_from);
  json_integer(json, "events", report->events);
  zw_json_key(json, "stopped");
  zw_json_bool(json, report->is_stopped);
  json_integer(json, "contacts", report->contacts);
  if (report->contacts > 0) {
    zw_json_key(json, "contact_law");
    zw_json_string(json, report->contact_law);
  }
  json_integer(json, "closed", report->closed);
  json_integer(json, "impacts", report->impacts);
  json_integer(json, "singular", report->singular);
  json_number(json, "seconds", seconds);
  json_number(json, "phi_max", report->phi_max);
  json_number(json, "phidot_max", report->phidot_max);
  zw_json_key(json, "projected");
  zw_json_string(json, report->is_projected_late ? "rows and events" : "steps");
  json_number(json, "phi_drift", report->phi_drift);
  json_number(json, "phidot_drift", report->phidot_drift);
  zw_json_key(json, "energy");
  zw_json_string(json, energy_word(report));
  json_number(json, "energy_start", report->energy_start);
  json_number(json, "energy_drift", report->energy_drift);
  json_number(json, "energy_off", report->energy_off);
  json_number(json, "energy_exchanged", report->energy_exchanged);
  json_number(json, "energy_allowed", report->energy_allowed);
  json_shares(json, report);
  json_verdict(json, report);
}

static void json_contacts(ZwJson* json, const ZwReport* report, const Contacts* contacts) {
  json_number(json, "energy_lost", contacts ? contacts_lost(contacts) : 0);
  zw_json_key(json, "per_contact");
  zw_json_begin_array(json);
  for (int32_t i = 0; contacts && i < contacts_count(contacts); i++) {
    ContactTotals totals = contacts_totals(contacts, i, report->t);
    zw_json_begin_object(json);
    zw_json_key(json, "name");
    zw_json_string(json, contacts_name(contacts, i));
    json_integer(json, "impacts", totals.impacts);
    json_number(json, "impulse", totals.impulse);
    json_number(json, "energy_lost", totals.lost);
    json_number(json, "wall_work", totals.wall_work);
    json_number(json, "time_closed", totals.closed);
    json_number(json, "time_sticking", totals.sticking);
    json_number(json, "time_slipping", totals.slipping);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_varied(ZwJson* json, const Results* results) {
  int32_t count;
  const int32_t* columns = results_columns(results, &count);
  json_sensitivity(json, results_varied(results), columns, count);
}

static void json_part(ZwJson* json, const char* path) {
  char* part = join_path(".", path, ".part");
  zw_json_string(json, part ? part : "");
  free(part);
}

static void json_files(ZwJson* json, const Outcome* outcome, const ZwReport* report) {
  json_number(json, "resumed_at", results_resumed_at(outcome->results));
  json_integer(json, "rows", report->rows);
  zw_json_key(json, "files");
  zw_json_begin_array(json);
  const char* h5 = results_h5(outcome->results);
  const Contacts* contacts = results_contacts(outcome->results);
  if (results_has_csv(outcome->results) || (h5 && !outcome->options->wants_csv)) {
    if (results_has_csv(outcome->results)) zw_json_string(json, results_csv(outcome->results));
    if (h5) zw_json_string(json, h5);
    const char* svg = is_complete(outcome) ? results_svg(outcome->results) : NULL;
    if (svg) zw_json_string(json, svg);
    if (contacts && contacts_has_csv(contacts)) zw_json_string(json, contacts_csv(contacts));
    if (contacts && is_complete(outcome)) zw_json_string(json, contacts_svg(contacts));
  } else {
    json_part(json, results_csv(outcome->results));
    if (contacts && contacts_has_csv(contacts)) zw_json_string(json, contacts_csv(contacts));
    if (contacts && !contacts_has_csv(contacts)) json_part(json, contacts_csv(contacts));
  }
  zw_json_end_array(json);
}

void print_json(const Outcome* outcome) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  ZwJson json;
  zw_json_init(&json, &text);
  const ZwReport* report = zw_run_report(outcome->run);
  char* name = model_name(outcome->options->file);
  zw_json_begin_object(&json);
  json_head(&json, status_word(outcome->exit_code));
  json_system(&json, report, name ? name : "");
  json_start(&json, report);
  json_claims(&json, report);
  if (outcome->results) {
    json_evidence(&json, report, outcome->seconds);
    json_contacts(&json, report, results_contacts(outcome->results));
    json_varied(&json, outcome->results);
    json_files(&json, outcome, report);
  }
  if (outcome->gradient) json_gradient(&json, outcome->gradient);
  if (outcome->force) json_force(&json, outcome->force);
  json_diags(&json, outcome->model, outcome->run, outcome->failure);
  zw_json_end_object(&json);
  if (arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the summary\n");
  else
    puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
  free(name);
}
