/* Members are computed by threads, each with runs of its own of the one model, several at a time (zw_ensemble_go), and written in
 * the order of their numbers by whoever finishes the one that was waited for. No member knows of the others, so the table does not
 * depend on how many threads there are. Those that are ready too early wait in slots; nobody begins a member that has no slot. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/sweep.h"

enum { SLOTS_PER_THREAD = 32 };
enum { WATCH_PAUSE = 50 }; /* ms between looks at the clock, the disk and the progress */

typedef struct Sweep Sweep;

typedef struct Slot {
  Sweep* sweep;
  SweepMember member;
  bool is_done;
  int32_t* places;           /* of the columns, in a member that was compiled anew; NULL: as in the model */
  char why[ZW_CSV_TEXT + 1]; /* it does not compile */
} Slot;

struct Sweep {
  const Options* options;
  const ZwModel* model;
  const SweepPlan* plan;
  SweepTable* table;
  SweepTotals totals;
  Slot* slots;
  double* numbers; /* of all slots */
  int32_t slot_count;
  int32_t next, working; /* the member that nobody has begun yet; threads at work */
  ZwStatus status;
  atomic_bool is_ended; /* before its time */
  pthread_mutex_t lock; /* of all that is above */
  pthread_cond_t moved; /* rows were written, or a thread has ended */
};

/* ---- one member ---- */

static ZwStatus take_row(void* context, const double* values) {
  Slot* slot = context;
  SweepMember* member = &slot->member;
  const ZwModel* model = slot->sweep->model;
  int32_t outputs = zw_model_output_count(model);
  for (int32_t i = 0; i < zw_model_column_count(model); i++) {
    int32_t place = slot->places ? slot->places[i] : i;
    member->last[i] = place < 0 ? NAN : values[place];
  }
  const double* first = member->last + 1 + 2 * zw_model_coordinate_count(model);
  for (int32_t i = 0; i < outputs; i++) { /* a value that is none counts for neither */
    member->least[i] = member->has_row ? fmin(member->least[i], first[i]) : first[i];
    member->most[i] = member->has_row ? fmax(member->most[i], first[i]) : first[i];
  }
  member->has_row = true;
  return ZW_OK;
}

static bool poll(void* context, double t) {
  const Slot* slot = context;
  (void)t;
  return !is_interrupted() && !atomic_load(&slot->sweep->is_ended);
}

static ZwRunDef define_run(const Options* options, Slot* slot) {
  ZwRunDef def = zw_default_run_def();
  def.to = options->to;
  def.every = options->every;
  def.tolerance = options->tolerance;
  def.formulation = options->formulation;
  def.integrator = options->integrator;
  def.step = options->step;
  def.conserve_energy = options->conserve_energy;
  def.row = take_row;
  def.poll = poll;
  def.context = slot;
  return def;
}

/* The run keeps the model that was made for it. */
static ZwStatus create_anew(Sweep* sweep, ZwRunDef* def, ZwRunChange* changes, Slot* slot, ZwRun** run) {
  zw_run_destroy(*run);
  *run = NULL;
  ZwModel* model = sweep_rebuild(sweep->options, sweep->model, changes, &def->change_count, slot->why);
  if (!model) return ZW_ERR_VALUE;
  slot->places = sweep_find_columns(sweep->model, model);
  ZwStatus status = slot->places ? zw_run_create(model, def, run) : ZW_ERR_MEMORY;
  zw_model_destroy(model);
  return status;
}

static ZwStatus create_run(Sweep* sweep, int32_t number, Slot* slot, ZwRun** run) {
  ZwRunDef def = define_run(sweep->options, slot);
  ZwRunChange changes[SETS_MAX];
  for (int32_t i = 0; i < sweep->plan->axis_count; i++) {
    changes[i] = (ZwRunChange){sweep->plan->axes[i].name, sweep_plan_value(sweep->plan, i, number)};
  }
  def.changes = changes;
  def.change_count = sweep->plan->axis_count;
  slot->why[0] = 0;
  ZwStatus status = zw_run_create(sweep->model, &def, run);
  if (status && *run && zw_run_report(*run)->is_other_model) status = create_anew(sweep, &def, changes, slot, run);
  return status ? status : zw_run_ready(*run);
}

static const ZwDiag* find_error(const ZwRun* run) {
  for (int32_t i = 0; run && i < zw_run_diag_count(run); i++) {
    if (zw_run_diag(run, i)->severity == ZW_SEVERITY_ERROR) return zw_run_diag(run, i);
  }
  return NULL;
}

static void describe(SweepMember* member, ZwRun* run) {
  member->phi = member->phidot = member->energy = NAN;
  if (member->status) {
    const ZwDiag* error = find_error(run);
    zw_snprintf(member->reason, sizeof member->reason, "%s", error ? error->text : zw_status_text(member->status));
    zw_str_end_whole(member->reason);
  }
  member->is_doubtful = false;
  member->moved = 0;
  if (!run || !zw_run_report(run)->has_begun) return;
  const ZwReport* report = zw_run_report(run);
  member->is_doubtful = !member->status && report->verdict == ZW_DOUBTFUL;
  if (member->is_doubtful) {
    zw_snprintf(member->reason, sizeof member->reason, "%s", report->doubts[0].reason);
    zw_str_end_whole(member->reason);
  }
  member->moved = report->move_count;
  member->phi = report->phi_max;
  member->phidot = report->phidot_max;
  if (report->has_energy) member->energy = report->energy_drift;
  member->steps = report->steps;
  member->rejected = report->rejected;
}

/* ---- threads ---- */

static Slot* slot_of(const Sweep* sweep, int32_t number) {
  return &sweep->slots[number % sweep->slot_count];
}

/* One thread with its members. */
typedef struct Worker {
  Sweep* sweep;
  int32_t busy; /* members under way */
} Worker;

/* With the lock: whether there is a slot for the next member. */
static bool has_slot(const Sweep* sweep) {
  return sweep->next < sweep->table->rows + sweep->slot_count;
}

/* With the lock: whether the others would be left without work if this thread took more than its share of what is left. */
static bool has_share(const Worker* worker) {
  int32_t left = worker->sweep->plan->members - worker->sweep->next + worker->busy,
          threads = worker->sweep->totals.threads;
  return worker->busy >= (left - 1) / threads + 1;
}

/* The next member, or -1: there is none. A thread that has others under way does not wait for a slot: it may be one of them that all
 * wait for. */
static int32_t claim(Worker* worker) {
  Sweep* sweep = worker->sweep;
  int32_t number = -1;
  pthread_mutex_lock(&sweep->lock);
  while (!atomic_load(&sweep->is_ended) && sweep->next < sweep->plan->members && worker->busy == 0 &&
         !has_slot(sweep)) {
    pthread_cond_wait(&sweep->moved, &sweep->lock);
  }
  bool is_over = atomic_load(&sweep->is_ended) || sweep->next >= sweep->plan->members;
  if (!is_over && has_slot(sweep) && !has_share(worker)) number = sweep->next++;
  pthread_mutex_unlock(&sweep->lock);
  return number;
}

/* With the lock: an end before the time, for the first reason that there is. */
static void end_early(Sweep* sweep, ZwStatus status) {
  if (!sweep->status) sweep->status = status;
  atomic_store(&sweep->is_ended, true);
}

/* With the lock: all rows whose turn it is. */
static void write_rows(Sweep* sweep) {
  while (!sweep->status && sweep->table->rows < sweep->plan->members) {
    Slot* slot = slot_of(sweep, sweep->table->rows);
    if (!slot->is_done) return;
    ZwStatus status = sweep_table_row(sweep->table, &slot->member);
    if (status) {
      end_early(sweep, status);
      return;
    }
    sweep_totals_add(&sweep->totals, sweep->table->rows, &slot->member);
    slot->is_done = false;
    sweep_resume_note(sweep->table);
  }
}

static void hand_in(Slot* slot) {
  Sweep* sweep = slot->sweep;
  pthread_mutex_lock(&sweep->lock);
  if (slot->member.status == ZW_ERR_INTERRUPTED) {
    end_early(sweep, ZW_ERR_INTERRUPTED);
  } else {
    slot->is_done = true;
    write_rows(sweep);
  }
  pthread_cond_broadcast(&sweep->moved);
  pthread_mutex_unlock(&sweep->lock);
}

static ZwRun* next_run(void* context) {
  Worker* worker = context;
  for (int32_t number; (number = claim(worker)) >= 0;) {
    Slot* slot = slot_of(worker->sweep, number);
    SweepMember* member = &slot->member;
    ZwRun* run = NULL;
    member->reason[0] = 0;
    member->has_row = false;
    member->steps = member->rejected = 0;
    member->status = create_run(worker->sweep, number, slot, &run);
    if (run) {
      worker->busy++;
      return run;
    }
    describe(member, NULL);
    if (slot->why[0]) memcpy(member->reason, slot->why, sizeof member->reason);
    zw_str_end_whole(member->reason);
    hand_in(slot);
  }
  return NULL;
}

static void end_run(void* context, ZwRun* run, ZwStatus status) {
  Worker* worker = context;
  Slot* slot = zw_run_context(run);
  worker->busy--;
  slot->member.status = status;
  describe(&slot->member, run);
  zw_run_destroy(run);
  free(slot->places);
  slot->places = NULL;
  hand_in(slot);
}

static void* work(void* context) {
  Sweep* sweep = context;
  Worker worker = {.sweep = sweep};
  ZwEnsembleDef ensemble = zw_default_ensemble_def();
  ensemble.next = next_run;
  ensemble.done = end_run;
  ensemble.context = &worker;
  zw_ensemble_go(&ensemble);
  pthread_mutex_lock(&sweep->lock);
  sweep->working--;
  pthread_cond_broadcast(&sweep->moved);
  pthread_mutex_unlock(&sweep->lock);
  return NULL;
}

/* With the lock. */
static void pause_watching(Sweep* sweep) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += WATCH_PAUSE * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  (void)pthread_cond_timedwait(&sweep->moved, &sweep->lock, &until);
}

/* While the others work: rows do not wait too long, Ctrl-C is heard, and the progress is shown. */
static void watch(Sweep* sweep, Progress* progress) {
  pthread_mutex_lock(&sweep->lock);
  while (sweep->working > 0) {
    pause_watching(sweep);
    ZwStatus status = zw_csv_poll(&sweep->table->csv);
    bool is_complete = sweep->table->rows == sweep->plan->members;
    if (!status && !is_complete && is_interrupted()) status = ZW_ERR_INTERRUPTED;
    if (status) {
      end_early(sweep, status);
      pthread_cond_broadcast(&sweep->moved);
    }
    progress_update(progress, sweep->table->rows);
  }
  pthread_mutex_unlock(&sweep->lock);
}

static ZwStatus run_threads(Sweep* sweep, pthread_t* threads) {
  int32_t begun = 0;
  Progress progress;
  progress_begin(&progress, 0, sweep->plan->members, !sweep->options->quiet);
  progress.what = "member";
  sweep->working = sweep->totals.threads;
  while (begun < sweep->totals.threads && pthread_create(&threads[begun], NULL, work, sweep) == 0) begun++;
  /* with fewer than were wanted it takes longer; the table is the same */
  pthread_mutex_lock(&sweep->lock);
  sweep->working -= sweep->totals.threads - begun;
  sweep->totals.threads = begun;
  pthread_mutex_unlock(&sweep->lock);
  watch(sweep, &progress);
  for (int32_t i = 0; i < begun; i++) pthread_join(threads[i], NULL);
  progress_end(&progress);
  return begun > 0 ? sweep->status : ZW_ERR_MEMORY;
}

/* ---- the whole ---- */

static bool make_slots(Sweep* sweep) {
  int32_t columns = zw_model_column_count(sweep->model), outputs = zw_model_output_count(sweep->model);
  size_t each = (size_t)columns + 2 * (size_t)outputs;
  sweep->slot_count = SLOTS_PER_THREAD * sweep->totals.threads;
  sweep->slots = calloc((size_t)sweep->slot_count, sizeof *sweep->slots);
  sweep->numbers = calloc((size_t)sweep->slot_count * each, sizeof *sweep->numbers);
  if (!sweep->slots || !sweep->numbers) return false;
  for (int32_t i = 0; i < sweep->slot_count; i++) {
    SweepMember* member = &sweep->slots[i].member;
    sweep->slots[i].sweep = sweep;
    member->last = sweep->numbers + (size_t)i * each;
    member->least = member->last + columns;
    member->most = member->least + outputs;
  }
  return true;
}

static ZwStatus compute(Sweep* sweep) {
  pthread_t* threads = calloc((size_t)sweep->totals.threads, sizeof *threads);
  pthread_condattr_t steady;
  bool is_fine = threads && make_slots(sweep) && pthread_condattr_init(&steady) == 0;
  ZwStatus status = ZW_ERR_MEMORY;
  if (is_fine) {
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&sweep->lock, NULL);
    pthread_cond_init(&sweep->moved, &steady);
    status = run_threads(sweep, threads);
    pthread_cond_destroy(&sweep->moved);
    pthread_mutex_destroy(&sweep->lock);
    pthread_condattr_destroy(&steady);
  }
  free(threads);
  free(sweep->slots);
  free(sweep->numbers);
  return status;
}

static int end_sweep(Sweep* sweep, ZwStatus status) {
  const Options* options = sweep->options;
  SweepTable* table = sweep->table;
  if (!status) status = sweep_table_finish(table);
  if (!status) remove_kind(table->resume_path, KIND_CHECKPOINT); /* nothing is left to do */
  if (status) sweep_resume_leave(table);
  if (status) sweep_table_abandon(table);
  print_diags(sweep->model, NULL, options->quiet);
  ZwDiag failure = plain_error(status, status == ZW_ERR_IO ? table->csv.error : zw_status_text(status));
  bool is_ours = status && status != ZW_ERR_INTERRUPTED;
  if (is_ours) print_diag(&failure);
  if (status == ZW_ERR_INTERRUPTED) {
    zw_fprintf(stderr, "zwang: interrupted; %s.part holds the members up to %d of %d, and --resume goes on\n",
               table->path, (int)table->rows, (int)sweep->plan->members);
  }
  int exit_code = exit_status(status, true);
  if (!status) exit_code = sweep_exit_status(options, &sweep->totals);
  SweepOutcome outcome = {options, table, &sweep->totals, is_ours ? &failure : NULL, exit_code};
  (options->json ? sweep_print_json : sweep_print)(&outcome);
  return exit_code;
}

/* What no member could run with is wrong on the command line: a name, an option, a limit. Values are the member's own affair. A
 * message without a place in the text is about the command line. */
static bool is_hopeless(ZwStatus status, const ZwRun* run) {
  const ZwDiag* error = find_error(run);
  if (status == ZW_ERR_VALUE) return error && error->line == 0;
  return status == ZW_ERR_NAME || status == ZW_ERR_ARGUMENT || status == ZW_ERR_LIMIT || status == ZW_ERR_UNSUPPORTED ||
         status == ZW_ERR_MEMORY;
}

static bool can_begin(Sweep* sweep, char** description, int* exit_code) {
  ZwRun* run = NULL;
  Slot nobody = {.sweep = sweep};
  ZwStatus status = create_run(sweep, 0, &nobody, &run);
  bool is_fine = !status || nobody.why[0] || !is_hopeless(status, run);
  if (!run) { /* that member does not compile; others may */
    ZwRunDef def = define_run(sweep->options, &nobody);
    (void)zw_run_create(sweep->model, &def, &run);
  }
  if (!is_fine) {
    *exit_code = exit_status(status, false);
    print_refused(sweep->options, sweep->model, run, status);
  } else if (!run || !(*description = sweep_describe(sweep->options, sweep->model, run, sweep->plan))) {
    *exit_code = complain(sweep->options, ZW_ERR_MEMORY, "out of memory");
    is_fine = false;
  }
  zw_run_destroy(run);
  free(nobody.places);
  return is_fine;
}

static int32_t count_threads(const Options* options, const SweepPlan* plan) {
  double count = options->threads;
  if (isnan(count)) count = (double)sysconf(_SC_NPROCESSORS_ONLN);
  count = fmax(1, fmin(count, THREADS_MAX));
  return (int32_t)fmin(count, plan->members);
}

/* The table of this sweep, anew or where it was left. */
static int open_table(Sweep* sweep, char* description, bool* is_finished) {
  const Options* options = sweep->options;
  SweepTable* table = sweep->table;
  int exit_code = sweep_table_plan(table, options, sweep->model, sweep->plan);
  if (exit_code == EXIT_FINE && options->resume) {
    exit_code = sweep_resume_look(options, table, description, &sweep->totals, is_finished);
    sweep->next = table->rows;
  }
  if (exit_code != EXIT_FINE || *is_finished) return exit_code;
  exit_code = sweep_table_open(table, options);
  return exit_code == EXIT_FINE ? sweep_resume_begin(options, table, description) : exit_code;
}

static int run_sweep(Sweep* sweep) {
  double begun = seconds_now();
  catch_signals();
  ZwStatus status = compute(sweep);
  sweep->totals.seconds = seconds_now() - begun;
  return end_sweep(sweep, status);
}

/* Nothing is left to do. */
static int say_finished(const Sweep* sweep) {
  int exit_code = sweep_exit_status(sweep->options, &sweep->totals);
  SweepTable* table = sweep->table;
  table->has_csv = true;
  table->resumed_rows = table->rows;
  SweepOutcome outcome = {sweep->options, table, &sweep->totals, NULL, exit_code};
  if (sweep->options->json)
    sweep_print_json(&outcome);
  else if (!sweep->options->quiet)
    zw_printf("'%s' is finished: it has all %d members, and nothing is left to do\n", table->path, (int)table->rows);
  remove_kind(table->resume_path, KIND_CHECKPOINT); /* a sweep that was killed at its very end may have left it */
  return exit_code;
}

static int sweep_model(const Options* options, const ZwModel* model, const SweepPlan* plan) {
  SweepTable table = {0};
  Sweep sweep = {.options = options, .model = model, .plan = plan, .table = &table};
  sweep.totals = (SweepTotals){.threads = count_threads(options, plan), .phi = NAN, .phidot = NAN, .energy = NAN};
  int exit_code;
  char* description = NULL;
  bool is_finished = false;
  if (can_begin(&sweep, &description, &exit_code)) {
    exit_code = open_table(&sweep, description, &is_finished);
    if (exit_code == EXIT_FINE) exit_code = is_finished ? say_finished(&sweep) : run_sweep(&sweep);
    sweep_table_close(&table);
  }
  free(description);
  return exit_code;
}

int command_sweep(const Options* options) {
  SweepPlan* plan = calloc(1, sizeof *plan);
  if (!plan) return complain(options, ZW_ERR_MEMORY, "out of memory");
  int exit_code = EXIT_FINE;
  if (options->threads > THREADS_MAX) {
    exit_code = complain(options, ZW_ERR_LIMIT, "--threads %.0f: %d are the most", options->threads, (int)THREADS_MAX);
  }
  ZwModel* model = exit_code ? NULL : compile_model(options, false, &exit_code);
  if (model) exit_code = sweep_plan_read(options, plan);
  if (model && exit_code == EXIT_FINE) exit_code = sweep_plan_resolve(options, model, plan);
  if (model && exit_code == EXIT_FINE) exit_code = sweep_model(options, model, plan);
  zw_model_destroy(model);
  sweep_plan_free(plan);
  free(plan);
  return exit_code;
}
