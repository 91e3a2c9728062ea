#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/sweep.h"

static const char* plural(int64_t count) {
  return count == 1 ? "" : "s";
}

/* ---- adding up ---- */

void sweep_totals_add(SweepTotals* totals, int32_t number, const SweepMember* member) {
  totals->moved += member->moved > 0;
  totals->steps += member->steps;
  totals->rejected += member->rejected;
  if (member->status == ZW_OK) {
    totals->fine++;
    totals->phi = fmax(totals->phi, member->phi);
    totals->phidot = fmax(totals->phidot, member->phidot);
    totals->energy = fmax(totals->energy, member->energy);
    return;
  }
  if (totals->failed < FAILURES_SHOWN) {
    SweepFailure* failure = &totals->failures[totals->failed];
    *failure = (SweepFailure){.member = number, .t = member->has_row ? member->last[0] : NAN};
    memcpy(failure->reason, member->reason, sizeof failure->reason);
  }
  totals->failed++;
}

static int32_t failures_shown(const SweepTotals* totals) {
  return totals->failed < FAILURES_SHOWN ? totals->failed : FAILURES_SHOWN;
}

/* ---- text ---- */

/* On stderr, as messages are. */
static void print_failures(const SweepTotals* totals) {
  for (int32_t i = 0; i < failures_shown(totals); i++) {
    const SweepFailure* failure = &totals->failures[i];
    zw_fprintf(stderr, "zwang: member %d failed", (int)failure->member);
    if (!isnan(failure->t)) zw_fprintf(stderr, " after t = %.*g", zw_clock_digits(failure->t, 9), failure->t);
    zw_fprintf(stderr, ": %s\n", failure->reason);
  }
  int32_t more = totals->failed - failures_shown(totals);
  if (more > 0) zw_fprintf(stderr, "zwang: and %d more; the column 'reason' of the table has all\n", (int)more);
}

static void print_plan(const SweepOutcome* outcome) {
  const SweepPlan* plan = outcome->table->plan;
  char* name = model_name(outcome->options->file);
  zw_printf("%s: %d member%s", name ? name : outcome->options->file, (int)plan->members, plural(plan->members));
  free(name);
  for (int32_t i = 0, drawn = 0; i < plan->axis_count; i++) {
    const SweepAxis* axis = &plan->axes[i];
    zw_printf("%s%s", i ? ", " : ": ", axis->name);
    if (!axis->is_drawn)
      zw_printf(" (%d)", (int)axis->count);
    else
      zw_printf(drawn++ ? " (drawn)" : " (drawn, %d, seed %llu)", (int)plan->draw_count,
                (unsigned long long)plan->seed);
  }
  zw_printf("\n");
}

void sweep_print(const SweepOutcome* outcome) {
  const SweepTotals* totals = outcome->totals;
  const SweepTable* table = outcome->table;
  print_failures(totals);
  if (outcome->options->quiet) return;
  print_plan(outcome);
  zw_printf("  members      %d fine, %d failed, %.3g s on %d thread%s\n", (int)totals->fine, (int)totals->failed,
            totals->seconds, (int)totals->threads, plural(totals->threads));
  if (table->resumed_rows > 0) {
    zw_printf("  resumed      after member %d\n", (int)table->resumed_rows);
  }
  if (totals->moved > 0) {
    zw_printf("  start        typed values were moved in %d member%s, to satisfy the constraints (column 'moved')\n",
              (int)totals->moved, plural(totals->moved));
  }
  zw_printf("  steps        %lld accepted, %lld rejected\n", (long long)totals->steps, (long long)totals->rejected);
  if (!isnan(totals->phi)) zw_printf("  constraints  |phi| <= %.2e, |phi'| <= %.2e\n", totals->phi, totals->phidot);
  if (!isnan(totals->energy)) zw_printf("  energy       relative drift <= %.2e\n", totals->energy);
  zw_printf("  files        %s%s (%d row%s)\n", table->path, table->has_csv ? "" : ".part", (int)table->rows,
            plural(table->rows));
  if (!table->has_all) {
    zw_printf("               only outputs are recorded above 200 coordinates; --record all records everything\n");
  }
}

/* ---- JSON ---- */

static void json_integer(ZwJson* json, const char* key, int64_t value) {
  zw_json_key(json, key);
  zw_json_integer(json, value);
}

static void json_axes(ZwJson* json, const SweepPlan* plan) {
  zw_json_key(json, "swept");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < plan->axis_count; i++) {
    const SweepAxis* axis = &plan->axes[i];
    zw_json_begin_object(json);
    zw_json_key(json, "name");
    zw_json_string(json, axis->name);
    zw_json_key(json, "drawn");
    zw_json_bool(json, axis->is_drawn);
    json_integer(json, "count", axis->is_drawn ? plan->draw_count : axis->count);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_failures(ZwJson* json, const SweepTotals* totals) {
  zw_json_key(json, "failures");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < failures_shown(totals); i++) {
    zw_json_begin_object(json);
    json_integer(json, "member", totals->failures[i].member);
    json_number(json, "t", totals->failures[i].t);
    zw_json_key(json, "reason");
    zw_json_string(json, totals->failures[i].reason);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_outcome(ZwJson* json, const SweepOutcome* outcome) {
  const SweepTotals* totals = outcome->totals;
  const SweepTable* table = outcome->table;
  char *name = model_name(outcome->options->file), *part = join_path(".", table->path, ".part");
  json_head(json, status_word(outcome->exit_code));
  zw_json_key(json, "model");
  zw_json_string(json, name ? name : "");
  json_integer(json, "members", table->plan->members);
  json_axes(json, table->plan);
  json_integer(json, "seed", (int64_t)table->plan->seed);
  json_integer(json, "fine", totals->fine);
  json_integer(json, "failed", totals->failed);
  json_failures(json, totals);
  json_integer(json, "moved", totals->moved);
  json_integer(json, "threads", totals->threads);
  json_number(json, "seconds", totals->seconds);
  json_integer(json, "steps", totals->steps);
  json_integer(json, "rejected", totals->rejected);
  json_number(json, "phi_max", totals->phi);
  json_number(json, "phidot_max", totals->phidot);
  json_number(json, "energy_drift", totals->energy);
  json_integer(json, "resumed", table->resumed_rows);
  json_integer(json, "rows", table->rows);
  zw_json_key(json, "files");
  zw_json_begin_array(json);
  zw_json_string(json, table->has_csv ? table->path : part ? part : "");
  zw_json_end_array(json);
  json_diags(json, table->model, NULL, outcome->failure);
  free(name);
  free(part);
}

void sweep_print_json(const SweepOutcome* outcome) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  ZwJson json;
  zw_json_init(&json, &text);
  print_failures(outcome->totals);
  zw_json_begin_object(&json);
  json_outcome(&json, outcome);
  zw_json_end_object(&json);
  if (arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the summary\n");
  else
    puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}
