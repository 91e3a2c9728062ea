#include "motion/ensemble.h"

#include "motion/group.h"

/* One run that is under way. */
typedef struct Place {
  ZwSim* sim; /* NULL: the place is free */
  ZwProgress progress;
  ZwStepSearch search;
  bool is_searching; /* for a step */
  bool is_together;  /* the attempt at hand is the group's */
} Place;

typedef struct Ensemble {
  const ZwMembers* members;
  Place places[ZW_GROUP];
  int32_t busy;
  ZwGroup* group; /* NULL: everyone alone */
  bool was_asked; /* whether there can be one */
  bool is_dry;    /* there was no next one, and none has ended since */
} Ensemble;

static void end(Ensemble* ensemble, Place* place, ZwStatus status) {
  ZwSim* sim = place->sim;
  place->sim = NULL;
  if (ensemble->group) zw_group_leave(ensemble->group, (int)(place - ensemble->places));
  ensemble->busy--;
  ensemble->is_dry = false;
  ensemble->members->done(ensemble->members->context, sim, status);
}

/* A status other than ZW_OK, or the end of the run, frees the place. */
static void go_on(Ensemble* ensemble, Place* place, ZwStatus status) {
  if (status || place->progress.is_over) end(ensemble, place, status);
}

/* ---- places ---- */

/* One alone needs no group. */
static void ask_for_group(Ensemble* ensemble) {
  if (ensemble->was_asked || ensemble->busy < 2) return;
  ensemble->was_asked = true;
  const ZwSim* like = NULL;
  for (int i = 0; i < ZW_GROUP && !like; i++) like = ensemble->places[i].sim;
  ensemble->group = zw_group_create(like);
  if (ensemble->group) ensemble->members->grouped(ensemble->members->context, like);
  for (int i = 0; i < ZW_GROUP; i++) {
    ZwSim* sim = ensemble->places[i].sim;
    if (sim && ensemble->group) zw_group_enter(ensemble->group, i, sim);
  }
}

/* Members that cannot move together wait where they are, for whoever can have them sooner. */
static int32_t room_of(const Ensemble* ensemble) {
  const ZwSim* first = ensemble->places[0].sim;
  bool is_alone = ensemble->was_asked ? !ensemble->group : first && !zw_group_is_for(first);
  return is_alone ? 1 : ZW_GROUP;
}

static bool fill(Ensemble* ensemble, int i) {
  Place* place = &ensemble->places[i];
  ZwSim* sim;
  const ZwRunPlan* plan;
  if (!ensemble->members->next(ensemble->members->context, &sim, &plan)) return false;
  *place = (Place){.sim = sim};
  ensemble->busy++;
  ZwStatus status = zw_run_begin(sim, plan, &place->progress);
  if (!status && ensemble->group) zw_group_enter(ensemble->group, i, sim);
  go_on(ensemble, place, status);
  return true;
}

static void fill_places(Ensemble* ensemble) {
  for (int i = 0; i < room_of(ensemble) && !ensemble->is_dry; i++) {
    while (!ensemble->places[i].sim && !ensemble->is_dry) ensemble->is_dry = !fill(ensemble, i);
  }
}

/* ---- steps ---- */

static ZwStatus open_step(Place* place) {
  ZwSim* sim = place->sim;
  zw_step_choose(sim, sim->plan->to);
  if (sim->stepper->attempt != zw_explicit_attempt) return sim->stepper->step(sim, sim->plan->to);
  place->is_searching = true;
  return zw_step_open(sim, sim->plan->to, &place->search);
}

/* What is known of an attempt becomes a step or another attempt. */
static ZwStatus judge(Place* place, double error, const ZwRefusal* refusal) {
  ZW_TRY(zw_step_judge(place->sim, &place->search, error, refusal));
  place->is_searching = !place->search.is_found;
  return ZW_OK;
}

static ZwStatus attempt_alone(Place* place) {
  ZwRefusal refusal;
  double error = zw_step_attempt(place->sim, place->search.h, &refusal);
  return judge(place, error, &refusal);
}

/* What a group has made is forgotten: only one who is alone looks into a step. */
static ZwStatus attempt_again(Place* place) {
  place->is_together = false;
  place->sim->stats.evaluations -= ZW_DOP853_STAGES;
  return attempt_alone(place);
}

/* It was made together with others; a step may be found already. */
static ZwStatus end_attempt(Place* place, double error) {
  place->is_searching = !place->search.is_found;
  if (!place->is_searching) return ZW_OK;
  ZwRefusal refusal = {.status = ZW_ERR_STEP, .row = -1};
  if (error <= 1) error = zw_step_end(place->sim, place->search.h, error, &refusal);
  if (error <= 1 && zw_narrow_may_be(place->sim, place->search.h)) return attempt_again(place);
  return judge(place, error, &refusal);
}

static bool is_single(ZwPlaces places) {
  return (places & (places - 1)) == 0;
}

static ZwPlaces attempt_together(Ensemble* ensemble, ZwPlaces places, const double* h, double* errors) {
  ZwStepSearch* searches[ZW_GROUP];
  ZwPlaces ended = zw_group_attempt(ensemble->group, places, h, errors), good = 0;
  for (int i = 0; i < ZW_GROUP; i++) {
    searches[i] = &ensemble->places[i].search;
    bool is_good = ended >> i & 1 && errors[i] <= 1;
    if (is_good && !ensemble->places[i].sim->narrow.is_on) good |= 1u << i;
  }
  if (good) (void)zw_group_settle(ensemble->group, good, searches, errors);
  return ended;
}

/* The attempts of all that search; those together first, those alone after them. */
static void attempt(Ensemble* ensemble, ZwStatus* status) {
  double h[ZW_GROUP] = {0}, errors[ZW_GROUP];
  ZwPlaces together = 0, ended = 0;
  for (int i = 0; i < ZW_GROUP; i++) {
    Place* place = &ensemble->places[i];
    if (!place->sim || status[i] || !place->is_searching) continue;
    h[i] = place->search.h;
    if (ensemble->group && zw_group_takes(ensemble->group, i, h[i])) together |= 1u << i;
  }
  if (!is_single(together)) ended = attempt_together(ensemble, together, h, errors);
  for (int i = 0; i < ZW_GROUP; i++) {
    Place* place = &ensemble->places[i];
    place->is_together = ended >> i & 1;
    if (!place->sim || status[i] || !place->is_searching) continue;
    status[i] = place->is_together ? end_attempt(place, errors[i]) : attempt_alone(place);
  }
}

/* Rows of the pending steps, and on to their ends. */
static void finish_steps(Ensemble* ensemble, ZwStatus* status) {
  ZwProgress* progress[ZW_GROUP];
  ZwPlaces together = 0;
  for (int i = 0; i < ZW_GROUP; i++) {
    Place* place = &ensemble->places[i];
    progress[i] = &place->progress;
    if (!place->sim || status[i] || place->is_searching) continue;
    status[i] = zw_run_look(place->sim, &place->progress);
    if (!status[i] && place->is_together) together |= 1u << i;
  }
  if (together) (void)zw_group_emit(ensemble->group, together, progress, status);
  for (int i = 0; i < ZW_GROUP; i++) {
    Place* place = &ensemble->places[i];
    if (!place->sim || status[i] || place->is_searching) continue;
    status[i] = zw_run_emit(place->sim, &place->progress);
    if (!status[i]) status[i] = zw_run_advance(place->sim, &place->progress);
  }
}

/* One attempt of everyone. */
static void make_round(Ensemble* ensemble) {
  ZwStatus status[ZW_GROUP] = {ZW_OK};
  for (int i = 0; i < ZW_GROUP; i++) {
    Place* place = &ensemble->places[i];
    if (place->sim && !place->is_searching) status[i] = open_step(place);
  }
  attempt(ensemble, status);
  finish_steps(ensemble, status);
  for (int i = 0; i < ZW_GROUP; i++) {
    Place* place = &ensemble->places[i];
    if (place->sim && (status[i] || !place->is_searching)) go_on(ensemble, place, status[i]);
  }
}

/* Without a group: one after the other. */
static void finish_all(Ensemble* ensemble) {
  for (int i = 0; i < ZW_GROUP; i++) {
    Place* place = &ensemble->places[i];
    if (place->sim) end(ensemble, place, zw_run_on(place->sim, &place->progress, place->sim->plan->to));
  }
}

void zw_ensemble_run(const ZwMembers* members) {
  Ensemble ensemble = {.members = members};
  for (;;) {
    fill_places(&ensemble);
    if (ensemble.busy == 0) break;
    ask_for_group(&ensemble);
    if (ensemble.group)
      make_round(&ensemble);
    else
      finish_all(&ensemble);
  }
  zw_group_destroy(ensemble.group);
}
