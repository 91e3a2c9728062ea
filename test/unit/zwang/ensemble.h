/* Runs of one model in a loop and in an ensemble, with all that can be seen of each. */
#ifndef ZW_TEST_ENSEMBLE_H
#define ZW_TEST_ENSEMBLE_H

#include "hosts.h"

enum { MEMBERS_MAX = 40, WORDS_MAX = 4000 };

/* What a member is. */
typedef struct MemberDef {
  ZwRunDef how;
  ZwRunChange change; /* without a name: none */
  int64_t rows_most;  /* its host refuses the row behind these; 0: never */
  int64_t steps_most; /* ... and wants no step more; 0: it always does */
} MemberDef;

/* What came of it. */
typedef struct Member {
  const MemberDef* def;
  int32_t columns;
  uint64_t bits; /* of all rows */
  int64_t rows, polls;
  ZwStatus status;
  ZwReport report;
  char words[WORDS_MAX]; /* messages */
} Member;

typedef struct Ensemble {
  const ZwModel* model;
  Member* members;
  int32_t count, next, busy, busy_most;
} Ensemble;

static inline ZwStatus member_row(void* context, const double* values) {
  Member* member = context;
  for (int32_t i = 0; i < member->columns; i++) {
    uint64_t word;
    memcpy(&word, &values[i], sizeof word);
    member->bits = (member->bits ^ word) * 0x9e3779b97f4a7c15u;
    member->bits ^= member->bits >> 29;
  }
  return ++member->rows == member->def->rows_most ? ZW_ERR_IO : ZW_OK;
}

static inline bool member_poll(void* context, double t) {
  Member* member = context;
  (void)t;
  return ++member->polls != member->def->steps_most;
}

/* NULL when there is no memory for it. */
static inline ZwRun* open_member(const ZwModel* model, Member* member, const MemberDef* def) {
  ZwRunDef how = def->how;
  ZwRun* run;
  *member = (Member){.def = def};
  how.row = member_row;
  how.poll = member_poll;
  how.context = member;
  if (def->change.name) {
    how.changes = &def->change;
    how.change_count = 1;
  }
  member->status = zw_run_create(model, &how, &run);
  if (run) member->columns = zw_run_column_count(run);
  return run;
}

static inline void close_member(ZwRun* run, ZwStatus status) {
  Member* member = zw_run_context(run);
  member->status = status;
  member->report = *zw_run_report(run);
  for (int32_t i = 0; i < zw_run_diag_count(run); i++) {
    size_t used = strlen(member->words);
    snprintf(member->words + used, WORDS_MAX - used, "%s (%s)\n", zw_run_diag(run, i)->text,
             zw_run_diag(run, i)->remedy);
  }
  zw_run_destroy(run);
}

static inline void run_alone(const ZwModel* model, Member* member, const MemberDef* def) {
  ZwRun* run = open_member(model, member, def);
  if (!run) return;
  ZwStatus status = zw_run_ready(run);
  close_member(run, status ? status : zw_run_go(run));
}

static inline ZwRun* next_member(void* context) {
  Ensemble* ensemble = context;
  while (ensemble->next < ensemble->count) {
    Member* member = &ensemble->members[ensemble->next++];
    ZwRun* run = open_member(ensemble->model, member, member->def);
    if (!run) continue;
    if (++ensemble->busy > ensemble->busy_most) ensemble->busy_most = ensemble->busy;
    return run;
  }
  return NULL;
}

static inline void end_member(void* context, ZwRun* run, ZwStatus status) {
  Ensemble* ensemble = context;
  ensemble->busy--;
  close_member(run, status);
}

/* All together; gives how many were under way at once. */
static inline int32_t run_together(const ZwModel* model, Member* members, const MemberDef* defs, int32_t count) {
  Ensemble ensemble = {.model = model, .members = members, .count = count};
  ZwEnsembleDef def = zw_default_ensemble_def();
  def.next = next_member;
  def.done = end_member;
  def.context = &ensemble;
  for (int32_t i = 0; i < count; i++) members[i].def = &defs[i];
  zw_ensemble_go(&def);
  assert_int_equal(ensemble.busy, 0);
  return ensemble.busy_most;
}

static inline bool is_same_number(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static inline void assert_same_member(const char* name, int32_t i, const Member* got, const Member* want) {
  const ZwReport *a = &got->report, *b = &want->report;
  if (got->status != want->status) {
    fail_msg("%s: member %d ends with %s, alone with %s", name, (int)i, zw_status_name(got->status),
             zw_status_name(want->status));
  }
  assert_string_equal(got->words, want->words);
  bool is_same = got->rows == want->rows && got->polls == want->polls && a->steps == b->steps &&
                 a->rejected == b->rejected && a->evaluations == b->evaluations && a->jacobians == b->jacobians;
  if (!is_same) {
    fail_msg("%s: member %d has %d rows, %d steps, %d rejected, %d evaluations; alone %d, %d, %d, %d", name, (int)i,
             (int)got->rows, (int)a->steps, (int)a->rejected, (int)a->evaluations, (int)want->rows, (int)b->steps,
             (int)b->rejected, (int)b->evaluations);
  }
  if (got->bits != want->bits) fail_msg("%s: the rows of member %d are not those of the run alone", name, (int)i);
  bool has_same_numbers = is_same_number(a->t, b->t) && is_same_number(a->phi_max, b->phi_max) &&
                          is_same_number(a->phidot_max, b->phidot_max) &&
                          is_same_number(a->energy_drift, b->energy_drift) && is_same_number(a->work, b->work) &&
                          is_same_number(a->stiff_from, b->stiff_from) && a->singular == b->singular &&
                          a->events == b->events;
  if (!has_same_numbers) fail_msg("%s: the evidence of member %d is not that of the run alone", name, (int)i);
}

/* Every member alone and in an ensemble. */
static inline int32_t compare_members(const char* name, const ZwModel* model, const MemberDef* defs, int32_t count) {
  Member* alone = calloc((size_t)count + 1, sizeof *alone);
  Member* together = calloc((size_t)count + 1, sizeof *together);
  assert_non_null(alone);
  assert_non_null(together);
  for (int32_t i = 0; i < count; i++) run_alone(model, &alone[i], &defs[i]);
  int32_t most = run_together(model, together, defs, count);
  for (int32_t i = 0; i < count; i++) assert_same_member(name, i, &together[i], &alone[i]);
  free(alone);
  free(together);
  return most;
}

#endif
