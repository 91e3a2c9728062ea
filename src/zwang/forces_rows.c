/* The times at which forces are given: those of the table, or every so often; and as many more as the spline of `table` needs. */
#include <math.h>
#include <string.h>

#include "expr/table.h"
#include "least/dense.h"
#include "zwang/forces.h"

enum {
  ROWS_MOST = 40000,    /* times in all, unless they are asked for */
  EVERY_MOST = 5000000, /* and if they are */
  PASSES_MOST = 40,     /* halvings of an interval */
  NAMES_MOST = 4        /* in a message */
};

/* Shortest interval, as a part of the motion. */
#define SHORTEST 1e-9

/* ---- why not ---- */

/* The constraints that are off most, with 'and' before the last. */
static void list_constraints(const ZwForceTask* task, ZwText* text) {
  const ZwFollow* follow = &task->follow;
  const ZwSim* sim = task->sim;
  double most = zw_max_abs(sim->m, follow->residual);
  int32_t count = 0;
  for (int32_t i = 0; i < sim->m; i++) {
    if (!(fabs(follow->residual[i]) > 0.1 * most)) continue;
    if (count < NAMES_MOST) zw_text_addf(text, "%s'%.*s'", count ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, i)));
    count++;
  }
  if (count > NAMES_MOST) zw_text_addf(text, " and %d more", (int)(count - NAMES_MOST));
  if (count == 0) zw_text_addf(text, "the model");
}

static const char* level_word(ZwLevel level) {
  return level == ZW_LEVEL_POSITION ? "positions" : level == ZW_LEVEL_VELOCITY ? "velocities" : "accelerations";
}

static ZwStatus refuse_off(ZwForceTask* task, double t, bool is_row) {
  ZwFollow* follow = &task->follow;
  ZwDiagList* diags = &task->run->diags;
  ZwText names;
  zw_text_init(&names, &task->scratch);
  list_constraints(task, &names);
  int32_t worst = 0;
  const double* size = follow->size[follow->level];
  for (int32_t j = 1; j < task->sim->n; j++) {
    if (fabs(follow->moved[j]) / size[j] > fabs(follow->moved[worst]) / size[worst]) worst = j;
  }
  static const char* const primes[] = {"", "'", "''"};
  ZwStr name = task->sim->system->coords.items[worst].name;
  const ZwTrackColumn* column = &task->columns[worst];
  bool is_given = follow->level == ZW_LEVEL_POSITION || (follow->level == ZW_LEVEL_VELOCITY ? column->v : column->a);
  zw_diag_error(diags, ZW_ERR_VALUE, (ZwSpan){0},
                "%s at t = %.*g violates %s: its %s%s are off by %.3g (%.*s%s), and may be by %.3g",
                is_row ? "the motion" : "the motion between the rows of the table",
                zw_clock_digits(zw_time(task->sim, t), 9), zw_time(task->sim, t), zw_text_get(&names),
                level_word(follow->level), is_given ? "" : ", estimated from the rows,", fabs(follow->moved[worst]),
                ZW_STR_ARGS(name), primes[follow->level], follow->limit * size[worst]);
  if (is_row && is_given)
    zw_diag_remedy(diags, "mend the table, leave out columns that follow from others, or allow more with --within");
  else
    zw_diag_remedy(diags, "if the rows are right they are too far apart: give more of them, or columns of %s",
                   follow->level == ZW_LEVEL_ACCELERATION && column->v ? "accelerations" : "velocities");
  return ZW_ERR_VALUE;
}

static ZwStatus refuse_loose(ZwForceTask* task) {
  ZwDiagList* diags = &task->run->diags;
  ZwText names;
  zw_text_init(&names, &task->scratch);
  int32_t count = 0;
  for (int32_t j = 0; j < task->sim->n; j++) {
    if (!task->follow.is_loose[j]) continue;
    ZwStr name = task->sim->system->coords.items[j].name;
    zw_text_addf(&names, "%s%.*s", count++ ? ", " : "", ZW_STR_ARGS(name));
  }
  zw_diag_error(diags, ZW_ERR_VALUE, (ZwSpan){0},
                "the table has no column %s, and the constraints do not determine %s from the columns it has",
                zw_text_get(&names), count == 1 ? "it" : "them");
  zw_diag_remedy(diags, "add the column%s; constraints between velocities alone do not tell positions",
                 count == 1 ? "" : "s");
  return ZW_ERR_VALUE;
}

static ZwStatus refuse_nowhere(ZwForceTask* task, double t) {
  ZwDiagList* diags = &task->run->diags;
  ZwText names;
  zw_text_init(&names, &task->scratch);
  list_constraints(task, &names);
  zw_diag_error(diags, ZW_ERR_VALUE, (ZwSpan){0},
                "no %s near those of the table meet %s at t = %.*g: the motion violates the constraints",
                level_word(task->follow.level), zw_text_get(&names), zw_clock_digits(zw_time(task->sim, t), 9),
                zw_time(task->sim, t));
  zw_diag_remedy(diags, task->follow.missing > 0
                            ? "columns that are missing are looked for from the start of the model on: start it where "
                              "the table begins, or give them"
                            : "mend the table");
  return ZW_ERR_VALUE;
}

static ZwStatus refuse(ZwForceTask* task, ZwFollowResult result, double t, bool is_row) {
  ZwSim* sim = task->sim;
  switch (result) {
    case ZW_FOLLOW_OFF:
      return refuse_off(task, t, is_row);
    case ZW_FOLLOW_LOOSE:
      return refuse_loose(task);
    case ZW_FOLLOW_NOWHERE:
      return refuse_nowhere(task, t);
    case ZW_FOLLOW_NO_VALUE:
      return zw_fault_domain(sim, sim->entry_evaluated, t, task->follow.y, task->follow.y + sim->n, false);
    case ZW_FOLLOWED:
      break;
  }
  return ZW_OK;
}

/* ---- one time ---- */

static ZwStatus refuse_solve(ZwForceTask* task, ZwStatus status, double t) {
  if (!status || status == ZW_ERR_MEMORY || task->run->diags.errors > 0) return status;
  ZwSim* sim = task->sim;
  if (status == ZW_ERR_DOMAIN) {
    return zw_fault_domain(sim, ZW_ENTRY_ACCELERATION, t, task->follow.y, task->follow.y + sim->n, false);
  }
  return zw_diag_error(&task->run->diags, status, (ZwSpan){0}, "the equations have no answer at t = %.*g of the motion",
                       zw_clock_digits(zw_time(sim, t), 9), zw_time(sim, t));
}

static ZwStatus evaluate(ZwForceTask* task, double t, double near_t, const double* near_y, bool is_row,
                         ZwForcePoint* point) {
  ZwSim* sim = task->sim;
  int32_t n = sim->n;
  ZW_TRY(refuse(task, zw_follow_at(&task->follow, t, near_t, near_y, task->within, ZW_LEVEL_ACCELERATION), t, is_row));
  ZW_TRY(refuse_solve(task, zw_control_solve(&task->control, sim, t, task->follow.y, task->follow.a), t));
  *point = (ZwForcePoint){t, ZW_NEW(&task->scratch, zw_reaction_at(task) + sim->m + 1, double)};
  if (!point->values) return ZW_ERR_MEMORY;
  zw_copy(2 * n, task->follow.y, point->values);
  zw_copy(n, task->follow.a, point->values + 2 * n);
  zw_copy(task->control.count, task->control.force, point->values + zw_force_at(task));
  zw_copy(n, task->control.missing, point->values + zw_missing_at(task));
  zw_copy(sim->m, sim->reactions, point->values + zw_reaction_at(task));
  return ZW_OK;
}

/* ---- rows ---- */

static ZwStatus push(ZwForceTask* task, ZwForcePoint point) {
  return ZW_PUSH(&task->scratch, &task->points, point) ? ZW_OK : ZW_ERR_MEMORY;
}

/* Positions of all rows before velocities of any: what is estimated from rows around has the faults of all of them, and it is the
 * faulty row that is to be named. */
static ZwStatus look_at_table(ZwForceTask* task, ZwLevel up_to, double* near_y) {
  ZwFollow* follow = &task->follow;
  ZW_TRY(refuse(task, zw_follow_begin(follow), task->t[0], true));
  zw_fill(task->sim->n, 0, follow->y + task->sim->n);
  for (int32_t i = 0; i < task->rows; i++) {
    double near_t = task->t[i > 0 && up_to > ZW_LEVEL_POSITION ? i - 1 : i];
    zw_copy(2 * task->sim->n, follow->y, near_y);
    ZW_TRY(refuse(task, zw_follow_at(follow, task->t[i], near_t, near_y, task->within, up_to), task->t[i], true));
  }
  return ZW_OK;
}

/* All rows of the table are looked at, whichever rows the answer has. */
static ZwStatus evaluate_table(ZwForceTask* task) {
  double* near_y = ZW_NEW(&task->scratch, 2 * task->sim->n + 1, double);
  if (!near_y) return ZW_ERR_MEMORY;
  ZW_TRY(look_at_table(task, ZW_LEVEL_POSITION, near_y));
  ZW_TRY(look_at_table(task, ZW_LEVEL_VELOCITY, near_y));
  ZW_TRY(refuse(task, zw_follow_begin(&task->follow), task->t[0], true));
  zw_copy(task->sim->n, task->follow.y, near_y);
  zw_fill(task->sim->n, 0, near_y + task->sim->n);
  double near_t = task->t[0];
  for (int32_t i = 0; i < task->rows; i++) {
    ZwForcePoint point;
    ZW_TRY(evaluate(task, task->t[i], near_t, i > 0 ? task->points.items[i - 1].values : near_y, true, &point));
    ZW_TRY(push(task, point));
    near_t = task->t[i];
  }
  return ZW_OK;
}

static ZwStatus evaluate_every(ZwForceTask* task) {
  double from = task->t[0], to = task->t[task->rows - 1], every = task->def->every;
  double wanted = (to - from) / every * (1 + 1e-12);
  if (!(wanted < EVERY_MOST)) {
    return zw_diag_error(&task->run->diags, ZW_ERR_LIMIT, (ZwSpan){0}, "every %g gives %.3g rows; %d are the most",
                         every, wanted, (int)EVERY_MOST);
  }
  int64_t count = (int64_t)floor(wanted) + 1;
  ZwForcePoint* table = task->points.items;
  int32_t row = 0;
  memset(&task->points, 0, sizeof task->points);
  for (int64_t k = 0; k <= count; k++) {
    double t = k == count ? to : zw_smaller(from + (double)k * every, to);
    if (task->points.count > 0 && !(t > task->points.items[task->points.count - 1].t + 1e-9 * every)) continue;
    while (row + 1 < task->rows && table[row + 1].t <= t) row++;
    ZwForcePoint point;
    ZW_TRY(evaluate(task, t, table[row].t, table[row].values, t == table[row].t, &point));
    ZW_TRY(push(task, point));
  }
  return ZW_OK;
}

/* ---- between rows ---- */

typedef struct Refining {
  ZwForceTask* task;
  ZwForcePoint* middles; /* by intervals; without values: not known yet */
  ZwArena arena;         /* of a pass */
  ZwTable* splines;      /* of the actuators */
} Refining;

static ZwStatus build_splines(Refining* refining) {
  ZwForceTask* task = refining->task;
  int32_t count = task->points.count, actuators = task->control.count;
  double *x = ZW_NEW(&refining->arena, count, double), *y = ZW_NEW(&refining->arena, count, double);
  refining->splines = ZW_NEW(&refining->arena, actuators + 1, ZwTable);
  if (refining->arena.failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < count; i++) x[i] = task->points.items[i].t;
  for (int32_t k = 0; k < actuators; k++) {
    for (int32_t i = 0; i < count; i++) y[i] = task->points.items[i].values[zw_force_at(task) + k];
    if (!zw_table_build(&refining->splines[k], &refining->arena, x, y, count, false)) return ZW_ERR_MEMORY;
  }
  return ZW_OK;
}

/* How far splines are off the forces in the middle of an interval, as a part of what forces are there. */
static double off_at(const Refining* refining, const ZwForcePoint* middle) {
  const ZwForceTask* task = refining->task;
  double most = 0;
  for (int32_t k = 0; k < task->control.count; k++) {
    double balance = zw_control_scale(&task->control, task->control.by[k]);
    double off = fabs(zw_table_eval(&refining->splines[k], middle->t, 0) - middle->values[zw_force_at(task) + k]);
    if (off > 0 && balance > 0) most = zw_larger(most, off / balance);
  }
  return most;
}

/* The worst intervals first, so that all are about alike where rows come to their end: those off by this part of the worst. */
#define WORST_FIRST 0.02

/* One pass over all intervals: middles where splines are off by more than `most` become points. */
static ZwStatus refine(Refining* refining, double most, bool* has_added) {
  ZwForceTask* task = refining->task;
  int32_t count = task->points.count;
  ZwForcePoint* old = task->points.items;
  ZwForcePoint* middles = ZW_NEW(&task->scratch, 2 * (ptrdiff_t)count, ZwForcePoint);
  if (!middles) return ZW_ERR_MEMORY;
  double shortest = SHORTEST * (old[count - 1].t - old[0].t);
  memset(&task->points, 0, sizeof task->points);
  task->out->spline_off = 0;
  *has_added = false;
  for (int32_t i = 0; i < count; i++) {
    ZW_TRY(push(task, old[i]));
    if (i + 1 == count) break;
    ZwForcePoint middle = refining->middles[i];
    double t = old[i].t + (old[i + 1].t - old[i].t) / 2;
    if (!middle.values) ZW_TRY(evaluate(task, t, old[i].t, old[i].values, false, &middle));
    double off = off_at(refining, &middle);
    if (off > task->out->spline_off) {
      task->out->spline_off = off;
      task->out->t_spline_off = zw_time(task->sim, middle.t);
    }
    bool is_long = old[i + 1].t - old[i].t > shortest;
    if (is_long && off > most) {
      ZW_TRY(push(task, middle));
      *has_added = true;
    } else {
      middles[task->points.count - 1] = middle;
    }
  }
  refining->middles = middles;
  return ZW_OK;
}

/* Which intervals the next pass halves. Near the end also those that are hardly better: else each new point moves the spline beside
 * it over the bound, and passes add one by one. */
static double next_bound(const ZwForceTask* task, int pass) {
  double off = pass > 0 ? task->out->spline_off : 0, tolerance = task->tolerance;
  return off > tolerance && off < 2 * tolerance ? 0.5 * tolerance : zw_larger(tolerance, WORST_FIRST * off);
}

static ZwStatus refine_all(Refining* refining) {
  ZwForceTask* task = refining->task;
  bool may_add = !(task->def->every > 0), is_done = false;
  for (int pass = 0; !is_done && pass < PASSES_MOST; pass++) {
    ZW_TRY(build_splines(refining));
    bool may_go_on = may_add && task->points.count < ROWS_MOST;
    double most = may_go_on ? next_bound(task, pass) : INFINITY;
    bool has_added = false;
    ZW_TRY(refine(refining, most, &has_added));
    bool has_looked_at_all = !may_go_on || most <= task->tolerance;
    is_done = !has_added && has_looked_at_all;
    zw_arena_destroy(&refining->arena);
    zw_arena_init(&refining->arena, &task->run->arena.allocator);
  }
  if (!may_add || !(task->out->spline_off > task->tolerance)) return ZW_OK;
  zw_diag_note(
      &task->run->diags, (ZwSpan){0},
      "a force changes so fast around t = %.*g that %d rows do not follow it: between them a table is off by %.1e",
      zw_clock_digits(task->out->t_spline_off, 6), task->out->t_spline_off, (int)task->points.count,
      task->out->spline_off);
  zw_diag_remedy(&task->run->diags,
                 "actuators that lose hold there need large forces; or the table of the motion is noisy");
  return ZW_OK;
}

ZwStatus zw_forces_fill(ZwForceTask* task) {
  ZW_TRY(evaluate_table(task));
  if (task->def->every > 0) ZW_TRY(evaluate_every(task));
  Refining refining = {.task = task, .middles = ZW_NEW(&task->scratch, task->points.count, ZwForcePoint)};
  if (!refining.middles) return ZW_ERR_MEMORY;
  zw_arena_init(&refining.arena, &task->run->arena.allocator);
  ZwStatus status = refine_all(&refining);
  zw_arena_destroy(&refining.arena);
  return status;
}
