/* Runs: from a model to its motion, and what is said about it. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sum.h"
#include "expr/eval.h"
#include "motion/islands.h"
#include "zwang/handles.h"

#define DEFAULT_TOLERANCE 1e-8
#define TOLERANCE_MIN 1e-13
#define TOLERANCE_MAX 0.1
#define DEFAULT_ROWS 500.0
#define ROWS_MAX 1e9

/* With memory that goes at once: large graphs need large walks. */
static double constant_of(ZwRun* run, ZwExpr e) {
  ZwArena scratch;
  zw_arena_init(&scratch, &run->arena.allocator);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &scratch);
  evaluator.tables = &run->model->system.tables;
  ZwEnvironment environment = {.params = run->sim->values};
  double value = zw_expr_eval(&evaluator, &run->model->system.graph, e, &environment);
  run->arena.failed = run->arena.failed || scratch.failed;
  zw_arena_destroy(&scratch);
  return value;
}

/* The command line's number if there is one, else the model's, else the default. */
static double choose(ZwRun* run, double given, ZwExpr stated, double otherwise) {
  if (!isnan(given)) return given;
  return stated.ref ? constant_of(run, stated) : otherwise;
}

static ZwStatus refuse(ZwRun* run, ZwSpan span, const char* what, double value, const char* remedy) {
  if (isfinite(value))
    zw_diag_error(&run->diags, ZW_ERR_VALUE, span, "%s: this is %.9g", what, value);
  else
    zw_diag_error(&run->diags, ZW_ERR_VALUE, span, "%s: this has no finite value", what);
  zw_diag_remedy(&run->diags, "%s", remedy);
  return ZW_ERR_VALUE;
}

static ZwSpan where(double given, ZwSpan stated) {
  return isnan(given) ? stated : (ZwSpan){0};
}

static ZwStatus check_times(ZwRun* run) {
  const ZwRunSpec* spec = &run->model->system.run;
  const ZwRunDef* def = &run->def;
  ZwReport* report = &run->report;
  if (!isfinite(report->from)) {
    return refuse(run, spec->from_span, "the start of the run must be a number", report->from, "as in: run 0 .. 10");
  }
  if (!isfinite(report->to) || !(report->span > 0)) {
    return refuse(run, where(def->to, spec->to_span), "the run must end after it begins", report->to,
                  "as in: run 0 .. 10, or --to 10");
  }
  if (!isfinite(report->every) || !(report->every > 0)) {
    return refuse(run, where(def->every, spec->every_span), "the time between rows must be positive", report->every,
                  "as in: every 0.01");
  }
  if (report->span / report->every > ROWS_MAX) {
    return refuse(run, where(def->every, spec->every_span), "the time between rows would give more than 1e9 of them",
                  report->every, "choose a longer time between rows");
  }
  return ZW_OK;
}

/* Far from zero, numbers are apart from each other: what that takes from times that are typed and read is said. The motion itself counts
 * from its start. */
static void note_clock(ZwRun* run) {
  static const double of_row = 0.01, of_span = 1e-6;
  const ZwReport* report = &run->report;
  double size = fmax(fabs(report->from), fabs(report->to)), apart = nextafter(size, INFINITY) - size;
  bool is_summed = isnan(run->def.to) && run->model->system.run.length.ref;
  if (!is_summed && apart > of_span * report->span) {
    zw_diag_note(
        &run->diags, where(run->def.to, run->model->system.run.to_span),
        "the clock: near t = %.6g numbers are %.3g apart, so the end of the run, %.3g after its start, is no surer",
        report->to, apart, report->span);
    zw_diag_remedy(&run->diags, "write it as the start and something more, as in: run t0 .. t0 + 1");
  }
  if (apart > of_row * report->every) {
    zw_diag_note(
        &run->diags, (ZwSpan){0},
        "the clock: near t = %.6g numbers are %.3g apart, and rows are every %.3g: the column t tells them apart no "
        "better",
        report->from, apart, report->every);
    char from[ZW_NUMBER_TEXT];
    (void)zw_number_text(report->from, from);
    zw_diag_remedy(&run->diags, "an output counts from the start with all digits, as in: output s = t - %s", from);
  }
}

static ZwStatus check_tolerance(ZwRun* run) {
  ZwSpan span = where(run->def.tolerance, run->model->system.run.tolerance_span);
  double tolerance = run->report.tolerance;
  if (!isfinite(tolerance) || !(tolerance > 0)) {
    return refuse(run, span, "the tolerance must be positive", tolerance, "as in: tolerance 1e-8");
  }
  if (tolerance < TOLERANCE_MIN) {
    return refuse(run, span, "the tolerance must be at least 1e-13, what double precision can give", tolerance,
                  "1e-12 is a very fine one");
  }
  if (tolerance > TOLERANCE_MAX) {
    return refuse(run, span, "the tolerance must be at most 0.1", tolerance, "1e-6 is a coarse one");
  }
  return ZW_OK;
}

/* A fixed step is for integrators that take one, and those cannot do without. */
static ZwStatus check_step(ZwRun* run) {
  ZwSpan span = where(run->def.step, run->model->system.run.step_span);
  bool is_given = !isnan(run->def.step) || run->model->system.run.step.ref, is_fixed = run->sim->integrator->is_fixed;
  double step = run->report.step;
  if (is_given && !is_fixed) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, span, "a step is given, but the integrator %s chooses its own",
                  run->report.integrator);
    zw_diag_remedy(&run->diags, "leave the step out; the tolerance decides");
    return ZW_ERR_ARGUMENT;
  }
  if (!is_given && is_fixed) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the integrator %s needs a step", run->report.integrator);
    zw_diag_remedy(&run->diags, "as in: run 0 .. 10 integrator rattle step 0.01, or --step 0.01");
    return ZW_ERR_ARGUMENT;
  }
  if (is_given && !(isfinite(step) && step > 0)) {
    return refuse(run, span, "the step must be positive", step, "as in: step 0.01");
  }
  run->sim->step_fixed = is_given ? step : 0;
  return ZW_OK;
}

/* How long the model says that it runs: where another end is asked for, or a run is continued beyond its end, its motion stays
 * the same to the last digit. */
static double stated_span(ZwRun* run) {
  const ZwRunSpec* spec = &run->model->system.run;
  if (spec->length.ref) return constant_of(run, spec->length);
  return choose(run, NAN, spec->to, run->report.to) - run->report.from;
}

static ZwStatus plan_run(ZwRun* run) {
  const ZwRunSpec* spec = &run->model->system.run;
  ZwReport* report = &run->report;
  report->from = choose(run, NAN, spec->from, 0);
  report->to = choose(run, run->def.to, spec->to, NAN);
  report->span = isnan(run->def.to) && spec->length.ref ? constant_of(run, spec->length) : report->to - report->from;
  report->tolerance = choose(run, run->def.tolerance, spec->tolerance, DEFAULT_TOLERANCE);
  report->every = choose(run, run->def.every, spec->every, report->span / DEFAULT_ROWS);
  report->step = choose(run, run->def.step, spec->step, NAN);
  if (run->arena.failed) return ZW_ERR_MEMORY;
  ZW_TRY(check_tolerance(run));
  ZW_TRY(check_step(run));
  if (isnan(report->to) && !spec->is_stated) return ZW_OK; /* can be checked, not run */
  ZW_TRY(check_times(run));
  note_clock(run);
  return ZW_OK;
}

/* The name of a coordinate within its part, and of its vector: "r" of "crank.b.r.x". */
static ZwStr kind_of(ZwStr name) {
  int32_t end = name.size;
  if (end > 2 && name.data[end - 2] == '.' && strchr("xyz", name.data[end - 1])) end -= 2;
  int32_t begin = end;
  while (begin > 0 && name.data[begin - 1] != '.') begin--;
  while (end > begin && name.data[end - 1] == ']') { /* without an index */
    while (end > begin && name.data[end - 1] != '[') end--;
    if (end > begin) end--;
  }
  return (ZwStr){name.data + begin, end - begin};
}

static bool is_same_kind(ZwStr a, ZwStr b) {
  ZwStr x = kind_of(a), y = kind_of(b);
  bool is_same_axis = a.data[a.size - 1] == b.data[b.size - 1] || x.data + x.size == a.data + a.size;
  return x.size == y.size && memcmp(x.data, y.data, (size_t)x.size) == 0 && is_same_axis;
}

/* How far values of the kind of number i lie apart, as typed and as found. */
static double spread_of(const ZwSim* sim, int32_t i) {
  const ZwCoord* coords = sim->system->coords.items;
  int32_t n = sim->n, first = i < n ? 0 : n;
  double least = INFINITY, most = -INFINITY;
  for (int32_t j = first; j < first + n; j++) {
    if (!is_same_kind(coords[i % n].name, coords[j % n].name)) continue;
    least = fmin(least, fmin(sim->typed[j], sim->y[j]));
    most = fmax(most, fmax(sim->typed[j], sim->y[j]));
  }
  return most - least;
}

static ZwMove move_of(ZwRun* run, int32_t i) {
  const ZwSim* sim = run->sim;
  ZwStr name = run->model->system.coords.items[i % sim->n].name;
  return (ZwMove){zw_format(&run->arena, "%.*s%s", ZW_STR_ARGS(name), i < sim->n ? "" : "'"), sim->typed[i], sim->y[i]};
}

/* Spreads of the kinds seen so far, each by a number of its kind. */
typedef struct Spreads {
  int32_t count;
  int32_t of[32];
  double spread[32];
} Spreads;

static double known_spread(const ZwSim* sim, Spreads* known, int32_t i) {
  const ZwCoord* coords = sim->system->coords.items;
  int32_t n = sim->n, room = (int32_t)(sizeof known->of / sizeof *known->of);
  for (int32_t k = 0; k < known->count; k++) {
    bool is_level = (known->of[k] < n) == (i < n);
    if (is_level && is_same_kind(coords[known->of[k] % n].name, coords[i % n].name)) return known->spread[k];
  }
  double spread = spread_of(sim, i);
  if (known->count < room) {
    known->of[known->count] = i;
    known->spread[known->count++] = spread;
  }
  return spread;
}

/* A drawing that is far from what it becomes is a surprise, and each such guess has its name told. */
static ZwStatus collect_guesses(ZwRun* run) {
  static const double far = 0.01; /* of the spread */
  const ZwSim* sim = run->sim;
  Spreads known = {0};
  ZW_ARRAY(ZwMove) moves = {0};
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    double way = fabs(sim->y[i] - sim->typed[i]);
    if (sim->hold[i] != ZW_HOLD_GUESS || !(way > 0) || !(way > far * known_spread(sim, &known, i))) continue;
    if (!ZW_PUSH(&run->arena, &moves, move_of(run, i))) return ZW_ERR_MEMORY;
  }
  run->report.guesses = moves.items;
  run->report.guesses_far = moves.count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* A start value that is off by less than this part of its size was not moved. */
#define MOVED 1e-10

static ZwStatus collect_moves(ZwRun* run) {
  const ZwSim* sim = run->sim;
  ZW_ARRAY(ZwMove) moves = {0};
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    bool has_moved = fabs(sim->y[i] - sim->typed[i]) > MOVED * zw_size_at(sim->start_size[i], sim->typed[i]);
    if (has_moved && sim->hold[i] == ZW_HOLD_GUESS) run->report.guess_count++;
    if (!has_moved || sim->hold[i] != ZW_HOLD_TYPED) continue;
    if (!ZW_PUSH(&run->arena, &moves, move_of(run, i))) return ZW_ERR_MEMORY;
  }
  run->report.moves = moves.items;
  run->report.move_count = moves.count;
  return run->arena.failed ? ZW_ERR_MEMORY : collect_guesses(run);
}

static ZwStatus collect_guessed_sizes(ZwRun* run) {
  const ZwSim* sim = run->sim;
  int32_t count = zw_guessed_sizes(sim, NULL);
  int32_t* coords = ZW_NEW(&run->arena, sim->n + 1, int32_t);
  const char** names = ZW_NEW(&run->arena, count + 1, const char*);
  if (run->arena.failed) return ZW_ERR_MEMORY;
  (void)zw_guessed_sizes(sim, coords);
  for (int32_t k = 0; k < count; k++) names[k] = zw_str_copy(&run->arena, sim->system->coords.items[coords[k]].name);
  run->report.guessed_sizes = names;
  run->report.guessed_size_count = count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus collect_redundant(ZwRun* run) {
  const ZwSim* sim = run->sim;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  ZW_ARRAY(const char*) names = {0};
  if (sim->near.rank_around > set->count) return ZW_OK; /* dependent at this position only */
  for (int32_t i = 0, r = 0; i < sim->m; i++) {
    if (r < set->count && set->rows[r] == i) {
      r++;
      continue;
    }
    if (!zw_rows_is_on(sim, i)) {
      bool is_contact = sim->system->terms.items[sim->equations->rows.items[i].term].contact > 0;
      run->report.waiting += !is_contact;
      continue;
    }
    const char* name = zw_str_copy(&run->arena, zw_row_name(sim, i));
    if (!ZW_PUSH(&run->arena, &names, name)) return ZW_ERR_MEMORY;
  }
  run->report.redundant = names.items;
  run->report.redundant_count = names.count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static const char** copy_names(ZwRun* run, const int32_t* rows, int32_t count) {
  const char** names = ZW_NEW(&run->arena, count + 1, const char*);
  for (int32_t i = 0; names && i < count; i++) names[i] = zw_str_copy(&run->arena, zw_row_name(run->sim, rows[i]));
  return names;
}

static ZwStatus collect_shares(ZwRun* run) {
  ZwShares shares = {0};
  if (!run->sim->rank) return ZW_OK; /* of large systems it is not known */
  ZW_TRY(zw_shares_find(run->sim, &run->arena, &shares));
  ZwSharedLoad* loads = ZW_NEW(&run->arena, shares.list.count + 1, ZwSharedLoad);
  for (int32_t i = 0; loads && i < shares.list.count; i++) {
    const ZwShare* share = &shares.list.items[i];
    loads[i] = (ZwSharedLoad){copy_names(run, share->rows.items, share->rows.count), share->rows.count, share->freedom,
                              share->unique.items, share->unique.count};
  }
  run->report.shared = loads;
  run->report.shared_count = shares.list.count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* The columns of zw_reactions_row. */
static ZwStatus name_forces(ZwRun* run) {
  const ZwSim* sim = run->sim;
  const ZwPattern* pattern = &sim->equations->A;
  ZwArena* arena = &run->arena;
  for (int32_t i = 0; i < sim->m; i++) {
    const char* name = zw_format(arena, "reaction(%.*s)", ZW_STR_ARGS(zw_row_name(sim, i)));
    (void)ZW_PUSH(arena, &run->own_columns, name);
  }
  for (int32_t i = 0; i < sim->m; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      ZwStr coord = sim->system->coords.items[pattern->column[k]].name;
      const char* name = zw_format(arena, "%.*s on %.*s", ZW_STR_ARGS(zw_row_name(sim, i)), ZW_STR_ARGS(coord));
      (void)ZW_PUSH(arena, &run->own_columns, name);
    }
  }
  static const char* const parts[] = {"", " (b)", " (h)"};
  for (int32_t k = 0; k < 3 * sim->n; k++) {
    ZwStr coord = sim->system->coords.items[k % sim->n].name;
    const char* name = zw_format(arena, "constraints on %.*s%s", ZW_STR_ARGS(coord), parts[k / sim->n]);
    (void)ZW_PUSH(arena, &run->own_columns, name);
  }
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus name_evidence(ZwRun* run) {
  static const char* const names[ZW_EVIDENCE] = {"|phi|", "|phi'|", "total energy", "total work"};
  for (int i = 0; i < ZW_EVIDENCE; i++) (void)ZW_PUSH(&run->arena, &run->own_columns, names[i]);
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* What the user declared, before events change it. */
static ZwStatus collect_parameters(ZwRun* run) {
  const ZwSystem* system = &run->model->system;
  for (int32_t i = 0; i < system->params.count; i++) {
    if (system->params.items[i].is_hidden) continue;
    ZwParameter parameter = {zw_str_copy(&run->arena, system->params.items[i].name), run->sim->values[i]};
    (void)ZW_PUSH(&run->arena, &run->parameters, parameter);
  }
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* The solve is dense: its memory grows with the square of the number of coordinates. */
ZwStatus zw_run_check_size(ZwRun* run, ZwFormulation formulation, ZwIntegratorKind integrator) {
  const ZwProgram* program = &run->model->program;
  size_t limit = run->model->arena.limit;
  size_t size = zw_sim_size(program) + zw_sim_formulation_size(program, formulation) +
                zw_sim_integrator_size(program, integrator);
  if (limit == 0 || size <= limit) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_LIMIT, (ZwSpan){0},
                "%d coordinates and %d constraints need %.3g GB for the dense solve, the limit is %.3g GB",
                (int)run->model->equations.n, (int)run->model->equations.m, (double)size / 1e9, (double)limit / 1e9);
  zw_diag_remedy(&run->diags,
                 run->def.sensitivity_count > 0
                     ? "raise it with --limit memory=..., or run without sensitivities, whose solves are dense"
                     : "raise it with --limit memory=...; the formulation auto with the integrator explicit needs no "
                       "dense matrices for models without contacts");
  return ZW_ERR_LIMIT;
}

/* A formulation that does not apply is refused before anything is simulated. */
static ZwStatus try_formulation(ZwSim* sim) {
  if (!sim->paper) return ZW_OK;
  ZwStatus status = zw_eval_rate_projected(sim, sim->t, sim->y, sim->k[0]);
  return status ? zw_fault_evaluation(sim, status, sim->y) : ZW_OK;
}

static ZwStatus check_host(ZwRun* run) {
  if (run->model->system.host_rows.count == 0 || run->def.constraints) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                "the host computes constraints, and the run was given no function for them");
  zw_diag_remedy(&run->diags, "set `constraints` of ZwRunDef");
  return ZW_ERR_ARGUMENT;
}

static const char* law_of_contacts(ZwSim* sim) {
  static const char* const laws[3][3] = {
      {"Newton's restitution, all that touch at once",
       "Newton's restitution, all that touch at once; Coulomb's friction",
       "Newton's restitution, all that touch at once; Coulomb's friction, discs regularised"},
      {"energetic restitution, all that touch at once",
       "energetic restitution, all that touch at once; Coulomb's friction",
       "energetic restitution, all that touch at once; Coulomb's friction, discs regularised"},
      {"energetic restitution where inertia depends on velocities, elsewhere Newton's, all that touch at once",
       "energetic restitution where inertia depends on velocities, elsewhere Newton's, all that touch at once; "
       "Coulomb's friction",
       "energetic restitution where inertia depends on velocities, elsewhere Newton's, all that touch at once; "
       "Coulomb's friction, discs regularised"}};
  bool is_energetic, is_newtonian;
  zw_islands_laws(sim, &is_energetic, &is_newtonian);
  int law = !is_energetic ? 0 : is_newtonian ? 2 : 1;
  return laws[law][sim->contacts.has_discs ? 2 : sim->contacts.rubbing > 0 ? 1 : 0];
}

static ZwStatus open_run(ZwRun* run) {
  ZwFormulation formulation;
  ZwIntegratorKind integrator;
  ZW_TRY(zw_run_choose_formulation(run, &formulation));
  ZW_TRY(zw_run_choose_integrator(run, &integrator));
  bool is_explicit = integrator == ZW_INTEGRATOR_AUTO || integrator == ZW_INTEGRATOR_EXPLICIT;
  bool may_be_large = formulation == ZW_FORMULATION_AUTO && is_explicit && !run->def.conserve_energy &&
                      !run->def.dense && run->def.sensitivity_count == 0 &&
                      !run->def.gradient; /* their solves are dense */
  if (!may_be_large) ZW_TRY(zw_run_check_size(run, formulation, integrator));
  ZwStatus status = zw_sim_create(&run->model->program, &run->arena.allocator, &run->diags, may_be_large,
                                  run->model->arena.limit, &run->sim);
  if (status == ZW_ERR_LIMIT) return zw_run_check_size(run, formulation, integrator);
  ZW_TRY(status);
  ZwSim* sim = run->sim;
  ZW_TRY(check_host(run));
  ZW_TRY(zw_host_set(sim, &run->def));
  if (sim->large) integrator = ZW_INTEGRATOR_EXPLICIT; /* radau is dense */
  ZW_TRY(zw_sim_set_formulation(sim, formulation));
  ZW_TRY(zw_run_choose_elimination(run));
  ZW_TRY(zw_sim_set_integrator(sim, integrator));
  run->report.formulation = zw_formulation_name(formulation);
  run->report.is_sparse = sim->large != NULL;
  run->report.kernel = zw_model_kernel(run->model);
  run->report.integrator = zw_integrator(integrator)->name;
  run->report.n = sim->n;
  run->report.m = sim->m - sim->contacts.rows;
  run->report.m_all = sim->m;
  run->report.contacts = sim->contacts.count;
  run->report.contact_law = law_of_contacts(sim);
  ZwGiven given;
  ZW_TRY(zw_run_read_changes(run, &given));
  run->given = (double*)(uintptr_t)given.params;
  ZW_TRY(zw_sim_set_params(sim, &given));
  ZwStatus outcome = run->def.change_count > 0 ? zw_run_check_choices(run) : ZW_OK;
  run->report.is_other_model = outcome == ZW_ERR_ARGUMENT;
  ZW_TRY(outcome);
  ZW_TRY(plan_run(run));
  zw_sim_set_up(sim, run->report.from, run->report.tolerance);
  zw_sizes_set_span(sim, stated_span(run));
  ZW_TRY(zw_run_read_sensitivity(run, &given));
  ZW_TRY(zw_start(sim, sim->t));
  ZW_TRY(try_formulation(sim));
  ZW_TRY(zw_quantities_check(sim, sim->t));
  ZW_TRY(zw_run_choose_conservation(run));
  run->report.rank = sim->sets[ZW_LEVEL_ACCELERATION].count - sim->large_redundant;
  if (sim->near.rank_around > run->report.rank) run->report.rank = sim->near.rank_around;
  run->report.dof = sim->n - run->report.rank;
  ZW_TRY(collect_redundant(run));
  ZW_TRY(collect_guessed_sizes(run));
  ZW_TRY(collect_shares(run));
  ZW_TRY(zw_contacts_begin(sim));
  for (int32_t i = 0; i < sim->contacts.count; i++) run->report.closed += zw_contacts_is_closed(sim, i);
  sim->has_forces = run->def.forces;
  if (sim->has_forces) ZW_TRY(name_forces(run));
  sim->has_evidence = run->def.evidence;
  if (sim->has_evidence) ZW_TRY(name_evidence(run));
  ZW_TRY(zw_run_name_sensitivity(run));
  ZW_TRY(collect_parameters(run));
  ZW_TRY(zw_run_name_claims(run));
  return collect_moves(run);
}

ZwStatus zw_run_create(const ZwModel* model, const ZwRunDef* def, ZwRun** out) {
  ZW_CHECK(out);
  *out = NULL;
  ZW_CHECK(model && zw_run_def_is_whole(def));
  if (model->status) return model->status;
  ZwRun* run = zw_alloc(&model->arena.allocator, sizeof *run);
  if (!run) return ZW_ERR_MEMORY;
  run->model = zw_model_keep(model);
  run->def = *def;
  zw_arena_init(&run->arena, &model->arena.allocator);
  zw_diag_init(&run->diags, &run->arena, &model->sources);
  run->status = open_run(run);
  run->start_notes = run->diags.list.count;
  if (run->arena.failed) run->status = ZW_ERR_MEMORY; /* messages may be lost */
  *out = run;
  return run->status;
}

static ZwStatus hand_row(void* context, const double* values) {
  ZwRun* run = context;
  run->report.has_begun = true;
  run->report.rows++;
  return run->def.row ? run->def.row(run->def.context, values) : ZW_OK;
}

static void hand_event(void* context, double t, const char* name) {
  ZwRun* run = context;
  if (run->def.event) run->def.event(run->def.context, zw_time(run->sim, t), name);
}

static void hand_contact(void* context, const ZwContactEvent* event) {
  ZwRun* run = context;
  ZwContactEvent told = *event;
  told.t = zw_time(run->sim, event->t);
  if (run->def.contact) run->def.contact(run->def.context, &told);
}

static bool hand_poll(void* context, double t) {
  const ZwRun* run = context;
  return run->def.poll ? run->def.poll(run->def.context, zw_time(run->sim, t)) : true;
}

bool zw_run_enter(ZwRun* run) {
  if (!run || run->is_busy) return false;
  return run->is_busy = true;
}

ZwStatus zw_run_leave(ZwRun* run, ZwStatus status) {
  run->is_busy = false;
  return status;
}

ZwStatus zw_run_check_fresh(ZwRun* run, const char* what) {
  if (!run->is_under_way && !run->report.has_begun) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the run has begun: it cannot %s any more", what);
  zw_diag_remedy(&run->diags, "create another run of the model");
  return ZW_ERR_ARGUMENT;
}

ZwStatus zw_run_check_end(ZwRun* run) {
  if (run->status || !isnan(run->report.to)) return run->status;
  zw_diag_error(&run->diags, ZW_ERR_VALUE, (ZwSpan){0}, "the model does not say how long to run");
  zw_diag_remedy(&run->diags, "add 'run 0 .. 10' to the model, or --to 10 to the command");
  return run->status = run->arena.failed ? ZW_ERR_MEMORY : ZW_ERR_VALUE;
}

void zw_run_make_plan(ZwRun* run) {
  const ZwReport* report = &run->report;
  run->plan = (ZwRunPlan){.to = report->span,
                          .end = report->to,
                          .has_end = true,
                          .every = report->every,
                          .row = hand_row,
                          .event = hand_event,
                          .poll = hand_poll,
                          .contact = hand_contact,
                          .context = run};
}

ZwStatus zw_run_end(ZwRun* run, ZwStatus status) {
  return run->status = run->arena.failed ? ZW_ERR_MEMORY : status; /* messages may be lost */
}

ZwStatus zw_run_check_ready(ZwRun* run) {
  ZW_TRY(zw_run_check_end(run));
  return zw_run_end(run, zw_run_check_claims_start(run));
}

ZwStatus zw_run_ready(ZwRun* run) {
  ZW_CHECK(zw_run_enter(run));
  return zw_run_leave(run, zw_run_check_ready(run));
}

ZwStatus zw_run_go(ZwRun* run) {
  ZW_CHECK(zw_run_enter(run));
  ZwStatus status = zw_run_check_ready(run);
  if (!status) status = zw_run_move(run, run->report.to);
  if (!status || status == ZW_ERR_CLAIM) zw_run_note_moving_end(run);
  return zw_run_leave(run, status);
}

/* ---- going on later ---- */

/* What was said about the motion so far: a run that goes on says it too. The messages about the start it finds itself. */
static int32_t note_size(const ZwDiag* note) {
  return (int32_t)strlen(note->text) + 1;
}

static size_t notes_size(const ZwRun* run) {
  size_t size = sizeof(int32_t);
  for (int32_t i = run->start_notes; i < run->diags.list.count; i++) {
    size += (size_t)note_size(&run->diags.list.items[i]);
  }
  return size;
}

/* Their number, then the texts, each ended by 0. */
static char* save_notes(const ZwRun* run, char* to) {
  int32_t count = run->diags.list.count - run->start_notes;
  memcpy(to, &count, sizeof count);
  to += sizeof count;
  for (int32_t i = run->start_notes; i < run->diags.list.count; i++) {
    const ZwDiag* note = &run->diags.list.items[i];
    memcpy(to, note->text, (size_t)note_size(note));
    to += note_size(note);
  }
  return to;
}

/* NULL: they do not fit. */
static const char* restore_notes(ZwRun* run, const char* from, const char* end) {
  int32_t count;
  if (end - from < (ptrdiff_t)sizeof count) return NULL;
  memcpy(&count, from, sizeof count);
  from += sizeof count;
  for (int32_t i = 0; i < count; i++) {
    const char* last = memchr(from, 0, (size_t)(end - from));
    if (!last) return NULL;
    zw_diag_note(&run->diags, (ZwSpan){0}, "%s", from);
    from = last + 1;
  }
  return count < 0 ? NULL : from;
}

/* One that could not be created has no state. */
static bool has_state(const ZwRun* run) {
  return run && run->sim && (!run->status || run->report.has_begun);
}

/* What a saved state begins with: it is known by its mark, and damage by its length and its sum over all that follows. */
typedef struct Seal {
  char mark[8];
  uint64_t size, sum;
} Seal;

static const char seal_mark[8] = {'z', 'w', 's', 't', 'a', 't', 'e', '1'};

static Seal make_seal(const char* state, size_t size) {
  Seal seal = {.size = size};
  ZwSum sum = zw_sum_begin();
  memcpy(seal.mark, seal_mark, sizeof seal.mark);
  zw_sum_add(&sum, state + sizeof seal, size - sizeof seal);
  seal.sum = zw_sum_get(&sum);
  return seal;
}

static bool is_whole(const char* state, size_t size) {
  Seal seal;
  if (size < sizeof seal) return false;
  seal = make_seal(state, size);
  return memcmp(&seal, state, sizeof seal) == 0;
}

size_t zw_run_state_size(ZwRun* run) {
  if (!has_state(run)) return 0;
  size_t size = zw_checkpoint_size(run->sim);
  return size > 0 ? sizeof(Seal) + sizeof run->report.rows + notes_size(run) + size : 0;
}

ZwStatus zw_run_save(ZwRun* run, void* state) {
  size_t size = zw_run_state_size(run);
  ZW_CHECK(state && size > 0 && run->report.has_begun);
  char* rows = (char*)state + sizeof(Seal);
  memcpy(rows, &run->report.rows, sizeof run->report.rows);
  zw_checkpoint_save(run->sim, save_notes(run, rows + sizeof run->report.rows));
  Seal seal = make_seal(state, size);
  memcpy(state, &seal, sizeof seal);
  return ZW_OK;
}

static bool restore(ZwRun* run, const char* state, const char* end) {
  if (end - state < (ptrdiff_t)sizeof run->report.rows) return false;
  memcpy(&run->report.rows, state, sizeof run->report.rows);
  const char* rest = restore_notes(run, state + sizeof run->report.rows, end);
  if (!rest || !zw_checkpoint_restore(run->sim, rest, (size_t)(end - rest))) return false;
  return run->sim->epoch == run->report.from && run->sim->t <= run->report.span;
}

ZwStatus zw_run_restore(ZwRun* run, const void* state, size_t size) {
  ZW_CHECK(run && !run->is_busy && state && size <= PTRDIFF_MAX);
  if (run->status) return run->status;
  ZW_TRY(zw_run_check_fresh(run, "go on from a saved state"));
  if (!is_whole(state, size)) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "this is no saved state, or it is damaged");
    return run->status = ZW_ERR_ARGUMENT;
  }
  if (!restore(run, (const char*)state + sizeof(Seal), (const char*)state + size)) {
    run->report.rows = 0;
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the saved state does not belong to this run");
    return run->status = ZW_ERR_ARGUMENT;
  }
  run->report.has_begun = true;
  return ZW_OK;
}

void zw_run_destroy(ZwRun* run) {
  if (!run || run->is_busy) return;
  const ZwModel* model = run->model;
  ZwAllocator allocator = run->arena.allocator;
  zw_sim_destroy(run->sim);
  if (run->slopes) zw_release(&allocator, run->slopes);
  zw_arena_destroy(&run->arena);
  zw_release(&allocator, run);
  zw_model_drop(model);
}

const ZwReport* zw_run_report(ZwRun* run) {
  if (!run) return NULL;
  ZwReport* report = &run->report;
  report->is_conservative = run->sim && run->sim->is_conservative;
  report->has_energy = run->model->equations.has_energy;
  if (!run->sim) return report;
  const ZwStats* stats = &run->sim->stats;
  report->since = fmax(run->sim->t, run->sim->t_row); /* a run that fails inside of a step has rows of it */
  report->t = zw_time(run->sim, report->since);
  report->memory = run->sim->block_size;
  report->steps = stats->steps;
  report->rejected = stats->rejected;
  report->evaluations = stats->evaluations;
  report->jacobians = stats->jacobians;
  report->stiff_from = zw_time(run->sim, run->sim->stiff.t);
  report->singular = run->sim->near.crossings;
  report->events = run->sim->watch.happened;
  report->impacts = run->sim->contacts.impacts;
  report->is_stopped = run->sim->watch.is_stopped;
  report->phi_max = stats->phi_max;
  report->phidot_max = stats->psi_max;
  report->is_projected_late = run->sim->integrator->is_projected_late;
  report->phi_drift = stats->phi_drift;
  report->phidot_drift = stats->psi_drift;
  zw_run_report_sensitivity(run);
  zw_run_report_claims(run);
  zw_run_judge(run);
  return report;
}

void* zw_run_context(const ZwRun* run) {
  return run ? run->def.context : NULL;
}

int32_t zw_run_parameter_count(const ZwRun* run) {
  return run ? run->parameters.count : 0;
}

ZwParameter zw_run_parameter(const ZwRun* run, int32_t i) {
  return zw_index_is_inside(i, zw_run_parameter_count(run)) ? run->parameters.items[i] : (ZwParameter){0};
}

int32_t zw_run_column_count(const ZwRun* run) {
  return run ? run->model->column_count + run->own_columns.count : 0;
}

const char* zw_run_column(const ZwRun* run, int32_t i) {
  if (!zw_index_is_inside(i, zw_run_column_count(run))) return NULL;
  int32_t own = run->model->column_count;
  return i < own ? run->model->columns[i] : run->own_columns.items[i - own];
}

int32_t zw_run_diag_count(const ZwRun* run) {
  return run ? run->diags.list.count : 0;
}

const ZwDiag* zw_run_diag(const ZwRun* run, int32_t i) {
  return zw_index_is_inside(i, zw_run_diag_count(run)) ? &run->diags.list.items[i] : NULL;
}
