#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/sweep.h"

static const char* plural(int64_t count) {
  return count == 1 ? "" : "s";
}

/* ---- adding up ---- */

static void keep(SweepFailure* list, int32_t* count, int32_t number, const SweepMember* member) {
  if (*count < FAILURES_SHOWN) {
    SweepFailure* failure = &list[*count];
    *failure = (SweepFailure){.member = number, .t = member->has_row ? member->last[0] : NAN};
    memcpy(failure->reason, member->reason, sizeof failure->reason);
  }
  ++*count;
}

int sweep_exit_status(const Options* options, const SweepTotals* totals) {
  bool is_fine = totals->failed == 0 && (totals->doubtful == 0 || !options->strict);
  return is_fine ? EXIT_FINE : EXIT_FAILED;
}

void sweep_totals_add(SweepTotals* totals, int32_t number, const SweepMember* member) {
  totals->moved += member->moved > 0;
  totals->steps += member->steps;
  totals->rejected += member->rejected;
  if (member->status == ZW_OK) {
    if (member->is_doubtful)
      keep(totals->doubts, &totals->doubtful, number, member);
    else
      totals->fine++;
    totals->phi = fmax(totals->phi, member->phi);
    totals->phidot = fmax(totals->phidot, member->phidot);
    totals->energy = fmax(totals->energy, member->energy);
    return;
  }
  keep(totals->failures, &totals->failed, number, member);
}

static int32_t shown(int32_t count) {
  return count < FAILURES_SHOWN ? count : FAILURES_SHOWN;
}

/* ---- text ---- */

/* On stderr, as messages are. */
static void print_list(const SweepFailure* list, int32_t count, bool is_doubtful) {
  for (int32_t i = 0; i < shown(count); i++) {
    zw_fprintf(stderr, "zwang: member %d %s", (int)list[i].member, is_doubtful ? "is doubtful" : "failed");
    if (!is_doubtful && !isnan(list[i].t)) zw_fprintf(stderr, " after t = %.*g", zw_clock_digits(list[i].t, 9), list[i].t);
    zw_fprintf(stderr, ": %s\n", list[i].reason);
  }
  int32_t more = count - shown(count);
  if (more > 0) zw_fprintf(stderr, "zwang: and %d more; the column 'reason' of the table has all\n", (int)more);
}

static void print_failures(const SweepTotals* totals) {
  print_list(totals->failures, totals->failed, false);
  print_list(totals->doubts, totals->doubtful, true);
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
  zw_printf("  members      %d fine, ", (int)totals->fine);
  if (totals->doubtful > 0) zw_printf("%d doubtful, ", (int)totals->doubtful);
  zw_printf("%d failed, %.3g s on %d thread%s\n", (int)totals->failed, totals->seconds, (int)totals->threads,
            plural(totals->threads));
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

static void json_failures(ZwJson* json, const char* key, const SweepFailure* list, int32_t count) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < shown(count); i++) {
    zw_json_begin_object(json);
    json_integer(json, "member", list[i].member);
    json_number(json, "t", list[i].t);
    zw_json_key(json, "reason");
    zw_json_string(json, list[i].reason);
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
  json_integer(json, "doubtful", totals->doubtful);
  json_integer(json, "failed", totals->failed);
  json_failures(json, "failures", totals->failures, totals->failed);
  json_failures(json, "doubts", totals->doubts, totals->doubtful);
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
