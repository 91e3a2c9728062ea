/* All formulations beside each other along a run. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/compare.h"
#include "zwang/details.h"
#include "zwang/handles.h"

#define DEFAULT_INSTANTS 11

typedef struct Comparing {
  ZwRun* run;
  const ZwCompareDef* def;
  ZwCompare compare;
  ZwDetails details;
  const char **names, **rows;    /* of all constraints; of the rows that are on */
  double *X_L, *Q, *left, *work; /* n each */
} Comparing;

/* ---- what is asked for beside the frame ---- */

/* A displacement of what the partition eliminates. */
static ZwStatus refuse_displacement(Comparing* comparing, ZwStatus status, double t) {
  enum { SHOWN = 12 };
  ZwRun* run = comparing->run;
  const ZwPartition* p = &comparing->details.partition;
  const ZwCoord* coords = run->sim->system->coords.items;
  ZwText names;
  zw_text_init(&names, &run->arena);
  for (int32_t k = 0; k < p->f && k < SHOWN; k++)
    zw_text_addf(&names, "%s%.*s", k ? ", " : "", ZW_STR_ARGS(coords[p->order[p->r + k]].name));
  if (p->f > SHOWN) zw_text_addf(&names, " and %d more", (int)p->f - SHOWN);
  zw_diag_error(
      &run->diags, status, (ZwSpan){0},
      "at t = %s a displacement of '%.*s' is stated, and the partition eliminates it: it follows from the others",
      zw_when(run->sim, t, 9).text, ZW_STR_ARGS(coords[comparing->details.follows].name));
  if (p->f == 0)
    zw_diag_remedy(&run->diags, "leave it out: no coordinate is independent");
  else
    zw_diag_remedy(&run->diags, "state those of %s, or eliminate others", zw_text_get(&names));
  return status;
}

/* A column that was put first depends on those before it, or is zero. */
static ZwStatus refuse_column(Comparing* comparing, ZwStatus status, double t) {
  ZwRun* run = comparing->run;
  const ZwDetails* details = &comparing->details;
  ZwStr name = run->sim->system->coords.items[details->dependent].name;
  ZwWhen when = zw_when(run->sim, t, 9);
  if (details->is_zero)
    zw_diag_error(&run->diags, status, (ZwSpan){0},
                  "at t = %s the constraints do not determine %.*s'': its column of A is 0", when.text,
                  ZW_STR_ARGS(name));
  else
    zw_diag_error(&run->diags, status, (ZwSpan){0}, "at t = %s %s: '%.*s' on those before it", when.text,
                  details->reason, ZW_STR_ARGS(name));
  zw_diag_remedy(&run->diags, "name another coordinate than '%.*s'", ZW_STR_ARGS(name));
  return status;
}

static ZwStatus refuse_details(Comparing* comparing, ZwStatus status, double t) {
  const ZwDetails* details = &comparing->details;
  if (details->follows >= 0) return refuse_displacement(comparing, status, t);
  if (details->dependent >= 0) return refuse_column(comparing, status, t);
  zw_diag_error(&comparing->run->diags, status, (ZwSpan){0}, "at t = %s %s", zw_when(comparing->run->sim, t, 9).text,
                details->reason);
  return status;
}

/* 1/2 x^T M x; w has room for n numbers */
static double half_square(int32_t n, const double* M, const double* x, double* w) {
  zw_multiply(n, n, M, x, w);
  return 0.5 * zw_dot(n, x, w);
}

/* G_L = 1/2 (a - X_L)^T M (a - X_L) (T29) */
static double gibbs_at(const Comparing* comparing, int32_t n, const double* M, const double* a) {
  for (int32_t i = 0; i < n; i++) comparing->left[i] = a[i] - comparing->X_L[i];
  return half_square(n, M, comparing->left, comparing->work);
}

static void fill_gibbs(Comparing* comparing, const ZwSim* sim, ZwFrameReport* frame) {
  const ZwLeastDetail* detail = &comparing->details.shown;
  int32_t n = sim->n;
  memcpy(comparing->Q, sim->Q, (size_t)n * sizeof(double));
  frame->Q = comparing->Q;
  frame->constant = frame->G_L = frame->G_L_possible = frame->G_L_constant_part = NAN;
  if (!detail->is_regular) return;
  /* X_L = a0 - M^-1 Q */
  ZwLeastResult free = {.a = comparing->X_L};
  for (int32_t i = 0; i < n; i++) comparing->left[i] = detail->h[i] - sim->Q[i];
  bool is_found = zw_least_factor(sim->least, 0, detail->M, NULL) == ZW_OK &&
                  zw_least_answer(sim->least, comparing->left, NULL, &free) == ZW_OK;
  if (!is_found) return;
  frame->X_L = comparing->X_L;
  frame->constant = half_square(n, detail->M, comparing->X_L, comparing->work);
  frame->G_L = gibbs_at(comparing, n, detail->M, detail->a);
  frame->G_L_constant_part = gibbs_at(comparing, n, detail->M, frame->c);
  if (detail->possible.a) frame->G_L_possible = gibbs_at(comparing, n, detail->M, detail->possible.a);
}

static ZwStatus fill_details(Comparing* comparing, ZwSim* sim, double t, const double* y, ZwFrameReport* frame) {
  const double* v = zw_velocity(sim, t, y);
  ZwPaperProblem problem;
  if (!zw_compare_gather(sim, t, y, v, &problem)) return ZW_ERR_DOMAIN;
  ZwStatus status = zw_details_fill(&comparing->details, &problem, &comparing->def->detail);
  if (status) return refuse_details(comparing, status, t);
  for (int32_t i = 0; i < problem.m; i++) comparing->rows[i] = comparing->names[sim->fresh_rows[i]];
  frame->detail = &comparing->details.shown;
  frame->rows = comparing->rows;
  frame->kinetic = half_square(sim->n, problem.M, v, comparing->work);
  fill_gibbs(comparing, sim, frame);
  return ZW_OK;
}

static ZwStatus make_details(Comparing* comparing) {
  ZwRun* run = comparing->run;
  ZwArena* arena = &run->arena;
  int32_t n = run->sim->n, m = run->sim->m;
  ZwStatus status = zw_details_make(&comparing->details, arena, n, m, comparing->def->detail.parts);
  if (status == ZW_ERR_LIMIT) {
    zw_diag_error(&run->diags, status, (ZwSpan){0}, "R_k of all %d columns, of %d rows each, are too many numbers",
                  (int)n, (int)m);
    zw_diag_remedy(&run->diags, "leave Bellman's quantities out");
  }
  ZW_TRY(status);
  double** const vectors[] = {&comparing->X_L, &comparing->Q, &comparing->left, &comparing->work};
  for (int i = 0; i < 4; i++) *vectors[i] = ZW_NEW(arena, n + 1, double);
  comparing->names = ZW_NEW(arena, m + 1, const char*);
  comparing->rows = ZW_NEW(arena, m + 1, const char*);
  for (int32_t i = 0; i < m && !arena->failed; i++) {
    comparing->names[i] = zw_format(arena, "%.*s", ZW_STR_ARGS(zw_row_name(run->sim, i)));
  }
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* ---- an instant ---- */

static ZwStatus compare_here(void* context, ZwSim* sim, double t, const double* y) {
  Comparing* comparing = context;
  ZwCompare* c = &comparing->compare;
  ZW_TRY(zw_compare_state(c, sim, t, y));
  if (!comparing->def->frame) return ZW_OK;
  ZwFrameReport frame = {.t = zw_time(sim, t),
                         .is_stated = c->is_stated,
                         .n = sim->n,
                         .f = c->f,
                         .q = y,
                         .v = zw_velocity(sim, t, y),
                         .nu = c->nu,
                         .nu_rate = c->nu_rate,
                         .B = c->B,
                         .r = c->r,
                         .c = c->c,
                         .K = c->K,
                         .p = c->p,
                         .P = c->P,
                         .S = c->S,
                         .constant = NAN,
                         .G_L = NAN,
                         .G_L_possible = NAN,
                         .G_L_constant_part = NAN,
                         .kinetic = NAN};
  if (comparing->def->detail.parts) ZW_TRY(fill_details(comparing, sim, t, y, &frame));
  return comparing->def->frame(comparing->def->context, &frame);
}

static bool poll_comparing(void* context, double t) {
  const Comparing* comparing = context;
  const ZwRunDef* def = &comparing->run->def;
  return def->poll ? def->poll(def->context, zw_time(comparing->run->sim, t)) : true;
}

/* The instants: those given, or evenly spaced ones, or the start alone. */
static ZwStatus choose_instants(ZwRun* run, const ZwCompareDef* def, ZwRunPlan* plan) {
  const ZwReport* report = &run->report;
  bool has_end = !isnan(report->to);
  int32_t count = def->times ? def->count : has_end ? DEFAULT_INSTANTS : 1;
  double* times = ZW_NEW(&run->arena, count + 1, double);
  if (!times) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < count; i++) {
    double part = (double)i / (DEFAULT_INSTANTS - 1);
    times[i] = def->times ? def->times[i] : has_end ? report->from + part * report->span : report->from;
    bool is_inside = times[i] == report->from || (has_end && times[i] >= report->from && times[i] <= report->to);
    bool is_ascending = i == 0 || times[i] >= times[i - 1];
    if (is_inside && is_ascending) continue;
    if (!is_ascending)
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the instants to compare at must ascend");
    else if (has_end)
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "t = %.*g is not within the run %.*g .. %.*g",
                    zw_clock_digits(times[i], 9), times[i], zw_clock_digits(report->from, 9), report->from,
                    zw_clock_digits(report->to, 9), report->to);
    else
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                    "t = %.9g cannot be reached: the model does not say how long to run", times[i]);
    zw_diag_remedy(&run->diags, "--to T makes the run longer");
    return ZW_ERR_ARGUMENT;
  }
  for (int32_t i = 0; i < count; i++) {
    bool is_even = !def->times && has_end;
    times[i] = is_even ? (double)i / (DEFAULT_INSTANTS - 1) * report->span : times[i] - report->from;
  }
  plan->times = times;
  plan->time_count = count;
  plan->to = count > 0 ? times[count - 1] : 0;
  return ZW_OK;
}

/* A `stop when` may end the motion before the last instants. */
static void note_missed(Comparing* comparing, const ZwRunPlan* plan) {
  ZwRun* run = comparing->run;
  int32_t missed = plan->time_count - comparing->compare.states;
  if (missed <= 0) return;
  zw_diag_note(&run->diags, (ZwSpan){0}, "the motion ends at t = %s, before %d of the %d instants to compare at",
               zw_when(run->sim, run->sim->t, 9).text, (int)missed, (int)plan->time_count);
}

static ZwStatus compare_run(ZwRun* run, Comparing* comparing) {
  ZW_TRY(zw_run_check_fresh(run, "be compared"));
  ZwSim* sim = run->sim;
  ZwFormulation kept = sim->formulation;
  if (sim->large) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                  "formulations are compared on full matrices, and this run has none");
    zw_diag_remedy(&run->diags, "make the run with `dense` of ZwRunDef, or with another formulation than auto");
    return ZW_ERR_ARGUMENT;
  }
  ZW_TRY(zw_run_check_size(run, ZW_FORMULATION_LAGRANGE, ZW_INTEGRATOR_AUTO));
  ZW_TRY(zw_sim_set_formulation(sim, ZW_FORMULATION_LAGRANGE)); /* makes room */
  ZW_TRY(zw_sim_set_formulation(sim, kept));
  double* memory = ZW_NEW(&run->arena, (int32_t)zw_compare_size(sim->n), double);
  if (!memory) return ZW_ERR_MEMORY;
  zw_compare_place(&comparing->compare, sim->n, memory);
  zw_compare_begin(&comparing->compare);
  comparing->compare.clock = comparing->def->clock;
  comparing->compare.has_frame = comparing->def->frame != NULL;
  comparing->compare.is_alone = comparing->def->frames_only;
  if (comparing->def->detail.parts) ZW_TRY(make_details(comparing));
  ZwRunPlan plan = {.look = compare_here, .poll = poll_comparing, .context = comparing};
  ZW_TRY(choose_instants(run, comparing->def, &plan));
  if (plan.to > plan.from) ZW_TRY(zw_run_check_end(run));
  run->report.has_begun = run->is_under_way = run->is_spent = true;
  ZW_TRY(zw_run(sim, &plan));
  note_missed(comparing, &plan);
  return ZW_OK;
}

static ZwStatus compare_all(ZwRun* run, const ZwCompareDef* def, ZwFormulationReport* reports, int32_t* instants) {
  Comparing comparing = {.run = run, .def = def};
  if (run->status == ZW_OK) run->status = compare_run(run, &comparing);
  if (run->arena.failed) run->status = ZW_ERR_MEMORY; /* messages may be lost */
  for (int i = 0; i < ZW_FORMULATION_COUNT && run->status == ZW_OK; i++) {
    const ZwComparison* one = &comparing.compare.of[i];
    reports[i] = (ZwFormulationReport){zw_formulation_name((ZwFormulation)i),
                                       one->applies,
                                       one->reason,
                                       one->difference,
                                       one->residual,
                                       one->optimality,
                                       one->gaussian,
                                       one->seconds / (double)one->solves};
  }
  *instants = comparing.compare.states;
  return run->status;
}

ZwStatus zw_run_compare(ZwRun* run, const ZwCompareDef* def, ZwFormulationReport* reports, int32_t* instants) {
  ZW_CHECK(instants);
  *instants = 0;
  ZW_CHECK(reports && zw_compare_def_is_whole(def) && zw_run_enter(run));
  if (!zw_detail_def_is_whole(&def->detail, run->sim ? run->sim->n : 0)) return zw_run_leave(run, ZW_ERR_ARGUMENT);
  return zw_run_leave(run, compare_all(run, def, reports, instants));
}
