/* Where a motion is linearized: the equilibrium or the steady motion that the start values lead to, mechanism by mechanism. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/svd.h"
#include "zwang/linearize_parts.h"

/* A velocity that was given may move by this part of the largest given one before it is another motion. */
#define TOL_TYPED_VELOCITY 0.1
/* Part of its unit by which a value must move before that is told. */
#define TOL_MOVED 1e-6
/* Part of its unit below which a value that was looked for is rounding. */
#define TOL_ROUNDING 1e-12

/* A force that has not changed by more than this part in this time of the mechanism does not depend on it. */
#define TOL_CONSTANT 1e-9
#define TIME_AHEAD 0.1

/* Numbers farther from 1 than this are softened where symmetries are confirmed, if all together change by more than that. */
#define FAR_FROM_ONE 1e3
#define STIFF_NUMBERS 1e7
/* Part of a field, of length 1, that may be outside a space of fields that it is in. */
#define TOL_COMMON 1e-5

enum { FIELDS_MOST = 60 };

/* ---- what cannot be ---- */

static ZwStatus refuse_singular(ZwLinearTask* task, const ZwSteady* steady) {
  ZwDiagList* diags = &task->run->diags;
  bool is_steady = task->out->at == ZW_LINEARIZE_STEADY;
  ZwStr name = task->sim->system->coords.items[steady->worst].name;
  zw_diag_error(diags, ZW_ERR_STEP, (ZwSpan){0},
                "no %s was found from the start values: the search ends where forces are singular (%.*s'' is %.3g "
                "there, and another one within the rounding of the state)",
                is_steady ? "steady motion" : "equilibrium", ZW_STR_ARGS(name), steady->left);
  zw_diag_remedy(diags, "start nearer to one: a force that grows without bound, as 1/r^2 does, pulls the search in");
  return ZW_ERR_STEP;
}

static ZwStatus refuse_pole(ZwLinearTask* task, const ZwSteady* steady) {
  ZwDiagList* diags = &task->run->diags;
  const ZwCoord* coord = &task->sim->system->coords.items[steady->worst];
  zw_diag_error(diags, ZW_ERR_STEP, coord->span,
                "no %s was found from the start values: the search ends where '%.*s' has no mass left, and no "
                "constraint tells how it moves",
                task->out->at == ZW_LINEARIZE_STEADY ? "steady motion" : "equilibrium", ZW_STR_ARGS(coord->name));
  zw_diag_remedy(diags,
                 "start nearer to one; if that is the one you mean, state the model in coordinates that are "
                 "regular there, as Cartesian ones are at the pole of angles");
  return ZW_ERR_STEP;
}

static ZwStatus refuse_dated(ZwLinearTask* task) {
  ZwDiagList* diags = &task->run->diags;
  zw_diag_error(diags, ZW_ERR_STEP, (ZwSpan){0},
                "no steady motion was found from the start values: the equations depend on the time, and no turn or "
                "shift of the coordinates goes along with it");
  zw_diag_remedy(diags, "ask for the state at a time (--at T)");
  return ZW_ERR_STEP;
}

static ZwStatus refuse_state(ZwLinearTask* task, const ZwSteady* steady) {
  if (steady->is_at_pole) return refuse_pole(task, steady);
  if (steady->is_singular) return refuse_singular(task, steady);
  if (steady->is_dated) return refuse_dated(task);
  ZW_TRY(zw_linear_refuse_kink(task, steady->worst));
  ZwDiagList* diags = &task->run->diags;
  bool is_steady = task->out->at == ZW_LINEARIZE_STEADY;
  ZwStr name = task->sim->system->coords.items[steady->worst].name;
  zw_diag_error(diags, ZW_ERR_STEP, (ZwSpan){0},
                steady->is_endless ? "no %s was found from the start values: the search comes ever nearer to one and "
                                     "does not reach it (%.*s'' is off by %.3g where it gave up)"
                                   : "no %s was found from the start values: where the search ended, %.*s'' is still "
                                     "off by %.3g",
                is_steady ? "steady motion" : "equilibrium", ZW_STR_ARGS(name), steady->left);
  zw_diag_remedy(diags, is_steady
                            ? "start nearer to one; in a steady motion, what changes does so along a symmetry, at a "
                              "constant rate; --at T looks at any state"
                            : "start nearer to one, or ask for a steady motion (--steady) or a state (--at T)");
  return ZW_ERR_STEP;
}

static ZwStatus refuse_time(ZwLinearTask* task) {
  zw_diag_error(&task->run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                "the equations depend on the time: a state at rest does not stay what it is");
  zw_diag_remedy(&task->run->diags, "ask for a steady motion (--steady), or for the state at a time (--at T)");
  return ZW_ERR_ARGUMENT;
}

/* A velocity that was given has become another: that is not the motion that was asked for. */
static ZwStatus refuse_moved(ZwLinearTask* task, int32_t coord, double from, double to) {
  ZwStr name = task->sim->system->coords.items[coord].name;
  zw_diag_error(&task->run->diags, ZW_ERR_STEP, (ZwSpan){0},
                "the steady motion nearest to the start is another one: %.*s' = %.6g there, and it was given as %.6g",
                ZW_STR_ARGS(name), fabs(to) < TOL_MOVED * fabs(from) ? 0 : to, from);
  zw_diag_remedy(&task->run->diags,
                 "start nearer to a steady motion, or ask for any (--anywhere), or for the state at a time (--at T)");
  return ZW_ERR_STEP;
}

/* ---- the time ---- */

static bool reads_time(const ZwSim* sim, int32_t value) {
  const ZwTerm* term = &sim->system->terms.items[sim->equations->events.items[value]];
  return zw_expr_reads(&sim->system->graph, term->value).time;
}

/* What happens at a given time: a switch or an event whose condition reads it; an empty name: nothing does. */
static ZwStr find_dated(const ZwSim* sim, ZwSpan* span) {
  const ZwSystem* system = sim->system;
  for (int32_t i = 0; i < system->modes.count; i++) {
    if (reads_time(sim, system->modes.items[i].value)) return system->modes.items[i].name;
  }
  for (int32_t i = 0; i < system->events.count; i++) {
    const ZwEvent* event = &system->events.items[i];
    if (event->is_stop || event->contact > 0 || !reads_time(sim, event->condition)) continue;
    *span = event->span;
    return event->name;
  }
  return (ZwStr){0};
}

/* Small motions know no time: what will be, or has been, otherwise must not be taken for what is. */
static ZwStatus check_time(ZwLinearTask* task) {
  ZwSpan span = {0};
  ZwStr name = find_dated(task->sim, &span);
  if (name.size == 0) return ZW_OK;
  zw_diag_error(&task->run->diags, ZW_ERR_ARGUMENT, span,
                "the model is not the same at all times ('%.*s'): no state is steady for ever", ZW_STR_ARGS(name));
  zw_diag_remedy(&task->run->diags, "ask for the state at a time (--at T)");
  return ZW_ERR_ARGUMENT;
}

/* ---- moves ---- */

/* What the search moved, and what it moved most, in units of the mechanism. */
static ZwStatus note_moves(ZwLinearTask* task, const double* typed) {
  ZwLinearization* out = task->out;
  const ZwSim* sim = task->sim;
  int32_t n = sim->n;
  ZW_ARRAY(ZwMove) moves = {0};
  for (int32_t i = 0; i < 2 * n; i++) {
    int32_t coord = i < n ? i : i - n;
    const ZwMechanism* m = &task->mechanisms.list[task->mechanisms.of[coord]];
    double unit = task->mechanisms.unit[coord] * (i < n ? 1 : m->pace);
    double way = fabs(task->near.q[i] - typed[i]) / (unit + fabs(typed[i]));
    if (!(way > TOL_MOVED)) continue;
    ZwMove move = {
        zw_format(task->arena, "%.*s%s", ZW_STR_ARGS(sim->system->coords.items[coord].name), i < n ? "" : "'"),
        typed[i], task->near.q[i]};
    if (!ZW_PUSH(task->arena, &moves, move)) return ZW_ERR_MEMORY;
    if (!(way > out->way)) continue;
    out->way = way;
    out->way_index = i;
    out->way_from = typed[i];
  }
  out->moves = moves.items;
  out->move_count = moves.count;
  return ZW_OK;
}

/* What the start or the search has brought down to the rounding of its unit is zero. */
static void clear_rounding(ZwLinearTask* task, const double* typed) {
  int32_t n = task->sim->n;
  for (int32_t i = 0; i < 2 * n; i++) {
    int32_t coord = i < n ? i : i - n;
    const ZwMechanism* m = &task->mechanisms.list[task->mechanisms.of[coord]];
    double unit = task->mechanisms.unit[coord] * (i < n ? 1 : m->pace);
    bool has_moved = task->near.q[i] != typed[i] || task->near.q[i] != task->sim->typed[i];
    if (has_moved && fabs(task->near.q[i]) < TOL_ROUNDING * unit) task->near.q[i] = 0;
  }
}

/* ---- one mechanism ---- */

/* What was typed, positions too or velocities alone; how much of it. */
static int32_t hold_typed(const ZwLinearTask* task, const ZwMechanism* m, bool with_positions, bool* is_held) {
  const ZwSim* sim = task->sim;
  int32_t count = 0;
  for (int32_t j = 0; j < m->n; j++) {
    is_held[j] = with_positions && sim->hold[m->coords[j]] == ZW_HOLD_TYPED;
    is_held[m->n + j] = sim->hold[sim->n + m->coords[j]] == ZW_HOLD_TYPED;
    count += is_held[j] + is_held[m->n + j];
  }
  return count;
}

static void put_back(ZwLinearTask* task, const ZwMechanism* m, const double* typed) {
  int32_t n = task->sim->n;
  for (int32_t j = 0; j < m->n; j++) {
    task->near.q[m->coords[j]] = typed[m->coords[j]];
    task->near.v[m->coords[j]] = typed[n + m->coords[j]];
  }
}

/* In [-1, 1), the same ones always. */
static double draw(uint64_t* seed) {
  *seed += 0x9E3779B97F4A7C15u;
  uint64_t z = *seed;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Another place to begin at: positions that are `size` units aside at most, on the constraints. The first time the start itself. */
static bool begin_aside(ZwLinearTask* task, const ZwMechanism* m, const double* typed, double size, uint64_t* seed) {
  ZwSim* sim = task->sim;
  put_back(task, m, typed);
  if (size == 0) return true;
  memcpy(sim->y, task->near.q, 2 * (size_t)sim->n * sizeof(double));
  for (int32_t j = 0; j < m->n; j++) sim->y[m->coords[j]] += size * draw(seed) * m->size[j];
  bool is_met = zw_start_settle(sim, sim->t, false);
  for (int32_t j = 0; j < m->n && is_met; j++) task->near.q[m->coords[j]] = sim->y[m->coords[j]];
  return is_met;
}

/* Do contacts that are closed push, and is no other one crossed? */
static bool contacts_hold(ZwLinearTask* task, int32_t which) {
  ZwSim* sim = task->sim;
  double most = 0;
  if (sim->contacts.count == 0) return true;
  if (zw_eval_rate(sim, sim->t, sim->y, sim->k[ZW_DOP853_STAGES + 1]) || zw_reactions(sim)) return false;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    most = zw_larger(most, fabs(sim->reactions[zw_contact_of(sim, i)->row]));
  }
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    bool pulls = sim->reactions[zw_contact_of(sim, i)->row] < -TOL_CONSTANT * most;
    if (zw_contacts_is_closed(sim, i) && pulls) return false;
  }
  return !zw_repose_is_through(sim, sim->t, &task->mechanisms, which, sim->y, ZW_THROUGH);
}

/* Is the state that was found one where accelerations are determined, and contacts hold? */
static bool is_sound(ZwLinearTask* task, int32_t which) {
  ZwSim* sim = task->sim;
  memcpy(sim->y, task->near.q, 2 * (size_t)sim->n * sizeof(double));
  ZwDiagList kept = *sim->diags;
  bool is_fine = !zw_start_freeze(sim, sim->t) && !zw_near_evaluate(sim, sim->t, &task->near);
  is_fine = is_fine && contacts_hold(task, which);
  *sim->diags = kept;
  return is_fine;
}

static ZwStatus seek(ZwLinearTask* task, int32_t k, const double* typed, const bool* is_held, double size,
                     uint64_t* seed) {
  if (!begin_aside(task, &task->mechanisms.list[k], typed, size, seed)) return ZW_ERR_STEP;
  ZwStatus status = zw_steady_find(task->sim, &task->scratch, task->sim->t, &task->mechanisms, k, &task->symmetries[k],
                                   is_held, &task->near, &task->steady[k]);
  if (status) return status;
  clear_rounding(task, typed);
  return is_sound(task, k) ? ZW_OK : ZW_ERR_STEP;
}

/* From places ever farther around the start, with what is held. */
static ZwStatus seek_around(ZwLinearTask* task, int32_t k, const double* typed, const bool* is_held) {
  enum { TRIES = 6 };
  uint64_t seed = 3;
  ZwStatus status = ZW_ERR_STEP;
  for (int i = 1; i <= TRIES && status == ZW_ERR_STEP; i++) {
    status = seek(task, k, typed, is_held, 0.5 * i, &seed);
  }
  return status;
}

/* First with all that was typed, then with the velocities alone, from the start and from places around it; then with anything. */
static ZwStatus find_steady(ZwLinearTask* task, int32_t k, const double* typed) {
  ZwMechanism* m = &task->mechanisms.list[k];
  bool* is_held = ZW_NEW(&task->scratch, 2 * m->n + 1, bool);
  if (!is_held) return ZW_ERR_MEMORY;
  uint64_t seed = 1;
  int32_t all = hold_typed(task, m, true, is_held);
  ZwStatus status = seek(task, k, typed, is_held, 0, &seed);
  int32_t velocities = hold_typed(task, m, false, is_held);
  if (status == ZW_ERR_STEP && velocities < all) status = seek(task, k, typed, is_held, 0, &seed);
  bool is_small = task->symmetries[k].count <= FIELDS_MOST; /* else each search takes long */
  if (status == ZW_ERR_STEP && velocities > 0 && is_small) status = seek_around(task, k, typed, is_held);
  if (status == ZW_ERR_STEP && all > 0) status = seek(task, k, typed, NULL, 0, &seed);
  return status;
}

/* `start exactly` between velocities gives them all. */
static bool is_started_exactly(const ZwLinearTask* task, const ZwMechanism* m) {
  const ZwSim* sim = task->sim;
  const ZwPattern* A = &sim->equations->A;
  for (int32_t i = sim->m; i < sim->m_start; i++) {
    if (sim->equations->rows.items[i].level != ZW_LEVEL_VELOCITY || A->begin[i] == A->begin[i + 1]) continue;
    if (&task->mechanisms.list[task->mechanisms.of[A->column[A->begin[i]]]] == m) return true;
  }
  return false;
}

static ZwStatus check_typed(ZwLinearTask* task, const ZwMechanism* m, const double* typed) {
  const ZwSim* sim = task->sim;
  double largest = 0;
  bool are_all = is_started_exactly(task, m);
  for (int32_t j = 0; j < m->n; j++) {
    bool is_typed = are_all || sim->hold[sim->n + m->coords[j]] == ZW_HOLD_TYPED;
    if (is_typed) largest = zw_larger(largest, fabs(typed[sim->n + m->coords[j]]) / m->size[j]);
  }
  for (int32_t j = 0; j < m->n && !task->def->anywhere; j++) {
    int32_t coord = m->coords[j];
    if (!are_all && sim->hold[sim->n + coord] != ZW_HOLD_TYPED) continue;
    double from = typed[sim->n + coord], to = task->near.v[coord];
    if (fabs(to - from) / m->size[j] > TOL_TYPED_VELOCITY * largest) return refuse_moved(task, coord, from, to);
  }
  return ZW_OK;
}

static ZwStatus find_one(ZwLinearTask* task, int32_t k, const double* typed) {
  ZwMechanism* m = &task->mechanisms.list[k];
  bool is_still = task->out->at == ZW_LINEARIZE_EQUILIBRIUM ||
                  (task->def->at == ZW_LINEARIZE_AUTO && !m->is_moving && task->symmetries[k].is_autonomous);
  ZwStatus status = is_still ? zw_steady_find(task->sim, &task->scratch, task->sim->t, &task->mechanisms, k, NULL, NULL,
                                              &task->near, &task->steady[k])
                             : find_steady(task, k, typed);
  if (status == ZW_ERR_STEP) return refuse_state(task, &task->steady[k]);
  ZW_TRY(status);
  return is_still ? ZW_OK : check_typed(task, m, typed);
}

/* ---- all of them ---- */

/* A number that is far from 1, brought nearer; equal ones stay equal. */
static double soften(double x) {
  double size = fabs(x), bound = size > 1 ? FAR_FROM_ONE : 1 / FAR_FROM_ONE;
  bool is_far = size > FAR_FROM_ONE || (size > 0 && size < 1 / FAR_FROM_ONE);
  return is_far ? copysign(bound * sqrt(sqrt(size / bound)), x) : x;
}

/* Softens `count` numbers; by how much altogether. */
static double soften_all(int32_t count, double* values) {
  double change = 1;
  for (int32_t i = 0; i < count; i++) {
    double soft = soften(values[i]), ratio = values[i] != 0 ? fabs(values[i] / soft) : 1;
    if (isfinite(ratio)) change *= ratio > 1 ? ratio : 1 / ratio;
    values[i] = soft;
  }
  return change;
}

/* Leaves those combinations of fields that are combinations of `others` too; *dropped: how many are gone. */
static ZwStatus keep_common(ZwArena* arena, ZwSymmetries* fields, const ZwSymmetries* others, int32_t* dropped) {
  ptrdiff_t size = zw_symmetry_size(fields->n), count = fields->count, most = count + others->count + 1;
  double *basis = ZW_NEW(arena, most * size, double), *E = ZW_NEW(arena, size * (count + 1), double),
         *kept = ZW_NEW(arena, (count + 1) * size, double), *sigma = ZW_NEW(arena, most, double),
         *left = ZW_NEW(arena, size * (count + 1), double), *right = ZW_NEW(arena, (count + 1) * (count + 1), double);
  if (arena->failed) return ZW_ERR_MEMORY;
  int32_t rank = 0;
  for (ptrdiff_t k = 0; k < others->count + count; k++) { /* first those, then what of our own is outside of them */
    bool is_other = k < others->count;
    double* x = is_other ? basis + rank * size : kept;
    zw_copy(size, is_other ? zw_symmetry(others, (int32_t)k) : zw_symmetry(fields, (int32_t)(k - others->count)), x);
    double length = zw_norm((int32_t)size, x);
    if (length > 0) zw_scale((int32_t)size, 1 / length, x);
    for (int pass = 0; pass < 2; pass++) {
      for (ptrdiff_t i = 0; i < rank; i++) {
        zw_axpy((int32_t)size, -zw_dot((int32_t)size, basis + i * size, x), basis + i * size, x);
      }
    }
    length = zw_norm((int32_t)size, x);
    if (is_other && length > TOL_COMMON) zw_scale((int32_t)size, 1 / length, x);
    if (is_other && length > TOL_COMMON) rank++;
    for (ptrdiff_t j = 0; j < size && !is_other; j++) E[j * count + k - others->count] = x[j];
  }
  *dropped = 0;
  if (count == 0 || zw_svd((int32_t)size, (int32_t)count, E, sigma, left, right)) return ZW_OK;
  while (*dropped < count && sigma[*dropped] > TOL_COMMON) (*dropped)++;
  if (*dropped == 0) return ZW_OK;
  zw_fill(count * size, 0, kept);
  for (ptrdiff_t k = *dropped; k < count; k++) {
    for (ptrdiff_t i = 0; i < count; i++) {
      const double* field = zw_symmetry(fields, (int32_t)i);
      double part = right[k * count + i] / zw_norm((int32_t)size, field);
      zw_axpy((int32_t)size, part, field, kept + (k - *dropped) * size);
    }
  }
  fields->count -= *dropped;
  zw_copy(fields->count * size, kept, fields->fields);
  return ZW_OK;
}

/* Beside something very stiff, rounding hides weak forces, and what they forbid seems to be a symmetry. Where numbers of the model are so far
 * apart they are brought nearer to each other: a field that is none then is not taken for one, and what it leaves is not told. */
static ZwStatus confirm_symmetries(ZwLinearTask* task, int32_t k, const double* typed) {
  ZwSim* sim = task->sim;
  int32_t count = sim->system->params.count + sim->equations->literals.count, dropped = 0;
  double* values = ZW_NEW(&task->scratch, count + 1, double);
  if (!values) return ZW_ERR_MEMORY;
  zw_copy(count, sim->values, values);
  ZwSymmetries soft = {0};
  ZwStatus status = ZW_ERR_STEP;
  if (soften_all(count, sim->values) > STIFF_NUMBERS) {
    zw_sim_set_constants(sim);
    status = zw_symmetries_find(sim, &task->scratch, sim->t, &task->mechanisms, k, typed, typed + sim->n, &soft);
  }
  zw_copy(count, values, sim->values);
  zw_sim_set_constants(sim);
  if (status == ZW_ERR_MEMORY) return status;
  if (status) return ZW_OK;
  ZW_TRY(keep_common(&task->scratch, &task->symmetries[k], &soft, &dropped));
  if (dropped > 0) {
    zw_diag_note(
        &task->run->diags, (ZwSpan){0},
        "numbers of the model are so far apart that rounding hides weak forces beside stiff ones: whether a zero "
        "is one, or slow growth, cannot be told");
  }
  return ZW_OK;
}

static ZwStatus find_symmetries(ZwLinearTask* task, const double* typed) {
  ZwSim* sim = task->sim;
  for (int32_t k = 0; k < task->mechanisms.count; k++) {
    ZW_TRY(zw_symmetries_find(sim, &task->scratch, sim->t, &task->mechanisms, k, typed, typed + sim->n,
                              &task->symmetries[k]));
    memcpy(sim->y, typed, 2 * (size_t)sim->n * sizeof(double));
    if (task->out->at == ZW_LINEARIZE_EQUILIBRIUM) ZW_TRY(confirm_symmetries(task, k, typed));
    memcpy(sim->y, typed, 2 * (size_t)sim->n * sizeof(double));
    bool is_still = task->out->at == ZW_LINEARIZE_EQUILIBRIUM;
    if (is_still && !task->symmetries[k].is_autonomous) return refuse_time(task);
  }
  return ZW_OK;
}

static void choose_place(ZwLinearTask* task) {
  task->out->at = task->def->at;
  if (task->def->at != ZW_LINEARIZE_AUTO) return;
  task->out->at = ZW_LINEARIZE_EQUILIBRIUM;
  for (int32_t k = 0; k < task->mechanisms.count; k++) {
    if (task->mechanisms.list[k].is_moving) task->out->at = ZW_LINEARIZE_STEADY;
  }
}

ZwStatus zw_linear_look(ZwLinearTask* task) {
  ZwSim* sim = task->sim;
  ZW_TRY(zw_near_evaluate(sim, sim->t, &task->near));
  ZW_TRY(zw_repose_hold_signs(sim, &task->scratch, sim->t, &task->mechanisms, &task->near));
  for (int32_t k = 0; k < task->mechanisms.count; k++) zw_mechanism_look(sim, &task->mechanisms, k, &task->near);
  return ZW_OK;
}

/* With the rows that are independent there. */
static ZwStatus look_there(ZwLinearTask* task) {
  ZwSim* sim = task->sim;
  memcpy(sim->y, task->near.q, 2 * (size_t)sim->n * sizeof(double));
  ZW_TRY(zw_start_freeze(sim, sim->t));
  return zw_linear_look(task);
}

/* Contacts whose forces change while nothing moves do not hold for ever. */
static ZwStatus check_forces(ZwLinearTask* task) {
  ZwSim* sim = task->sim;
  const ZwPattern* A = &sim->equations->A;
  double *rate = sim->k[ZW_DOP853_STAGES + 1], *now = ZW_NEW(&task->scratch, sim->m + 1, double), most = 0;
  if (!now) return ZW_ERR_MEMORY;
  ZW_TRY(zw_eval_rate(sim, sim->t, sim->y, rate));
  ZW_TRY(zw_reactions(sim));
  zw_copy(sim->m, sim->reactions, now);
  for (int32_t i = 0; i < sim->contacts.count; i++) most = zw_larger(most, fabs(now[zw_contact_of(sim, i)->row]));
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (!zw_contacts_is_closed(sim, i) || A->begin[contact->row] == A->begin[contact->row + 1]) continue;
    int32_t which = task->mechanisms.of[A->column[A->begin[contact->row]]];
    ZW_TRY(zw_eval_rate(sim, sim->t + TIME_AHEAD / task->mechanisms.list[which].pace, sim->y, rate));
    ZW_TRY(zw_reactions(sim));
    for (int32_t k = -1; k < contact->slip_dim; k++) {
      int32_t row = k < 0 ? contact->row : contact->slip + k;
      if (fabs(sim->reactions[row] - now[row]) > TOL_CONSTANT * most) return refuse_time(task);
    }
  }
  return zw_eval_rate(sim, sim->t, sim->y, rate);
}

ZwStatus zw_linear_find_state(ZwLinearTask* task) {
  ZwSim* sim = task->sim;
  double* typed = ZW_NEW(&task->scratch, 2 * sim->n + 1, double);
  if (!typed) return ZW_ERR_MEMORY;
  memcpy(typed, sim->y, 2 * (size_t)sim->n * sizeof(double));
  memcpy(task->near.q, typed, 2 * (size_t)sim->n * sizeof(double));
  ZW_TRY(zw_near_evaluate(sim, sim->t, &task->near));
  ZW_TRY(zw_mechanisms_find(sim, &task->scratch, &task->near, task->start, &task->mechanisms));
  task->symmetries = ZW_NEW(&task->scratch, task->mechanisms.count + 1, ZwSymmetries);
  task->steady = ZW_NEW(&task->scratch, task->mechanisms.count + 1, ZwSteady);
  if (task->scratch.failed) return ZW_ERR_MEMORY;
  choose_place(task);
  if (task->out->at != ZW_LINEARIZE_PRESENT) ZW_TRY(check_time(task));
  ZW_TRY(find_symmetries(task, typed));
  for (int32_t k = 0; k < task->mechanisms.count && task->out->at != ZW_LINEARIZE_PRESENT; k++) {
    ZW_TRY(find_one(task, k, typed));
  }
  if (task->out->at != ZW_LINEARIZE_PRESENT) clear_rounding(task, typed);
  if (task->out->at != ZW_LINEARIZE_PRESENT) ZW_TRY(note_moves(task, typed));
  ZW_TRY(look_there(task));
  return task->out->at == ZW_LINEARIZE_EQUILIBRIUM && sim->contacts.count > 0 ? check_forces(task) : ZW_OK;
}
