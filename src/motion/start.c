/* The start: what the user typed holds, what was not typed is free, and the constraints are met. Positions first, then
 * velocities (start_level.c); then the first rows are frozen and everything a run needs is looked at once. */
#include <math.h>
#include <string.h>

#include "least/qr.h"
#include "motion/sensitivity.h"
#include "motion/start_level.h"

/* A gradient this much smaller than beside the start vanishes. */
#define VANISHES 1e-6

/* The metric at the present values; ones where the model has no finite mass there. */
static void find_metric(ZwSim* sim, double t) {
  if (zw_eval_acceleration(sim, t, sim->y, sim->y + sim->n)) {
    zw_eval_dense_M(sim);
    return;
  }
  if (sim->large && sim->program->is_M_constant) return;
  if (sim->large) {
    for (int32_t k = 0; k < sim->equations->M.count; k++) sim->Mx[k] = 0;
    for (int32_t i = 0; i < sim->n; i++) {
      int32_t last = sim->equations->M.begin[i + 1] - 1;
      if (last >= sim->equations->M.begin[i] && sim->equations->M.column[last] == i) sim->Mx[last] = 1;
    }
    return;
  }
  zw_eval_unit_M(sim);
}

/* ---- what a run needs ---- */

/* A kinetic energy that gives a negative mass. */
static ZwStatus check_masses(ZwSim* sim) {
  bool is_positive = sim->large ? zw_large_factor(sim, &(ZwRowSet){0}) != ZW_ERR_MASS : zw_least_has_metric(sim->least);
  if (is_positive) return ZW_OK;
  const ZwEquations* equations = sim->equations;
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    const ZwContributions* entry = &shape->entries[ZW_ENTRY_ACCELERATION];
    if (shape->kind != ZW_SHAPE_ENERGY) continue;
    for (int32_t i = 0; i < shape->count; i++) {
      const ZwTerm* term = &sim->system->terms.items[equations->pieces.items[shape->instance_pieces.items[i]].term];
      if (term->kind != ZW_TERM_KINETIC) continue;
      zw_program_element(sim->program, s, ZW_ENTRY_ACCELERATION, i, &sim->state);
      for (int32_t k = 0; k < entry->list.count; k++) {
        const ZwContribution* c = &entry->list.items[k];
        double mass = zw_program_element_output(sim->program, s, ZW_ENTRY_ACCELERATION, k, &sim->state);
        if (c->target != ZW_TARGET_M || c->row != c->column || mass >= 0) continue;
        int32_t coord = shape->instance_coords.items[(ptrdiff_t)i * shape->coords + c->row];
        zw_diag_error(sim->diags, ZW_ERR_MASS, term->span, "this kinetic energy gives '%.*s' a negative mass (%.6g)",
                      ZW_STR_ARGS(sim->system->coords.items[coord].name), mass);
        zw_diag_remedy(sim->diags, "check the sign of the parameters in it");
        return ZW_ERR_MASS;
      }
    }
  }
  return ZW_OK;
}

/* The largest entry of each row of A where coordinates are measured by their sizes, into `to`. */
static void row_sizes(const ZwSim* sim, double* to) {
  const ZwPattern* pattern = &sim->equations->A;
  for (int32_t i = 0; i < sim->m; i++) {
    bool is_of_positions = sim->equations->rows.items[i].level == ZW_LEVEL_POSITION;
    const double* size = sim->start_size + (is_of_positions ? 0 : sim->n);
    to[i] = 0;
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      to[i] = fmax(to[i], fabs(sim->Ax[k]) * size[pattern->column[k]]);
    }
  }
}

/* The rows beside the start. */
static bool evaluate_nearby(ZwSim* sim, double t) {
  double* y = sim->y_new;
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    y[i] = sim->y[i] + (i % 2 ? 1e-3 : 0.7e-3) * zw_size_at(sim->start_size[i], sim->y[i]);
  }
  return zw_eval_acceleration(sim, t, y, y + sim->n);
}

/* What the rows are like there: whether a gradient vanishes can only be judged against that. */
static void sizes_nearby(ZwSim* sim, double t, double* to) {
  if (evaluate_nearby(sim, t))
    row_sizes(sim, to);
  else
    memset(to, 0, (size_t)sim->m * sizeof(double));
  (void)zw_eval_acceleration(sim, t, sim->y, sim->y + sim->n); /* back to the start */
}

static bool is_at_rest(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->n; i++) {
    if (sim->y[sim->n + i] != 0) return false;
  }
  return true;
}

static bool is_vanishing(double here, double nearby) {
  return !(here > VANISHES * nearby && here > 0);
}

/* The largest entry of a row by coordinates without mass. */
static double massless_size(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  double largest = 0;
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
    if (zw_rows_mass(sim, A->column[k]) == 0) largest = fmax(largest, fabs(sim->Ax[k]));
  }
  return largest;
}

/* A row that tells a coordinate without mass restricts something, however small that is beside what the others are nearby. */
static bool tells_massless(ZwSim* sim, double t, int32_t i) {
  double here = massless_size(sim, i);
  if (here == 0) return false;
  bool does = evaluate_nearby(sim, t) && !is_vanishing(here, massless_size(sim, i));
  (void)zw_eval_acceleration(sim, t, sim->y, sim->y + sim->n);
  return does;
}

/* A row whose gradient vanishes at a state where it holds restricts nothing there. */
static ZwStatus check_gradients(ZwSim* sim, double t) {
  ZwStatus status = ZW_OK;
  double *here = sim->size, *nearby = sim->lambda;
  sizes_nearby(sim, t, nearby);
  row_sizes(sim, here);
  for (int32_t i = 0; i < sim->m; i++) {
    if (!is_vanishing(here[i], nearby[i]) || !zw_rows_is_on(sim, i) || tells_massless(sim, t, i)) continue;
    status = ZW_ERR_START;
    if (sim->equations->rows.items[i].level == ZW_LEVEL_VELOCITY) {
      zw_diag_error(sim->diags, status, zw_row_span(sim, i),
                    "the constraint '%.*s' does not restrict the acceleration at %s: its derivatives by the velocities "
                    "vanish there",
                    ZW_STR_ARGS(zw_row_name(sim, i)), is_at_rest(sim) ? "zero velocity" : "the start");
      zw_start_suggest(sim, i, false);
      continue;
    }
    zw_diag_error(
        sim->diags, status, zw_row_span(sim, i),
        "the constraint '%.*s' does not restrict the motion at the start: its gradient vanishes where it holds",
        ZW_STR_ARGS(zw_row_name(sim, i)));
    zw_diag_remedy(sim->diags,
                   "write what it means without a square: points that coincide as P = Q, directions that agree "
                   "by two perpendicular ones, dot(a, n) = 0");
  }
  return status;
}

/* Rows left out of the independent set must agree with it; if not, nothing can satisfy both. */
static ZwStatus check_accelerations(ZwSim* sim, double t, bool is_start) {
  const double* largest = zw_rows_largest(sim);
  for (int32_t i = 0; i < sim->m; i++) {
    double off = zw_rows_is_on(sim, i) ? zw_rows_off(sim, i, largest) : 0;
    int32_t row = -1;
    if (off != 0 && sim->large && zw_large_is_lopsided(sim, &row)) return zw_large_refuse_masses(sim, row);
    if (off != 0) return zw_fault_inconsistent(sim, i, off, t, is_start);
  }
  return ZW_OK;
}

/* "again repeats cone"; "loop follows from a, b" */
static ZwStatus note_redundant(ZwSim* sim) {
  if (sim->large) return zw_large_note_redundant(sim);
  const ZwRank* rank = sim->rank;
  if (rank->m == rank->rank) return ZW_OK;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  for (int32_t d = rank->rank; d < rank->m; d++) {
    ZwText text;
    zw_text_init(&text, &scratch);
    int32_t row = sim->candidates[rank->order[d]], count = 0;
    for (int32_t other = 0; other < sim->m; other++) {
      if (!zw_rows_follows(sim, d, other)) continue;
      zw_text_addf(&text, "%s'%.*s'", count++ ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, other)));
    }
    const char* how = count == 0 ? "restricts nothing there" : count == 1 ? "repeats " : "follows from ";
    double left = zw_rows_left(sim, row);
    if (left > 0) {
      zw_diag_note(
          sim->diags, zw_row_span(sim, row),
          "the constraint '%.*s' is taken to be redundant: but for %.2g of it, too little to be solved for, it %s%s",
          ZW_STR_ARGS(zw_row_name(sim, row)), left, how, zw_text_get(&text));
      continue;
    }
    zw_diag_note(sim->diags, zw_row_span(sim, row), "the constraint '%.*s' is redundant: it %s%s",
                 ZW_STR_ARGS(zw_row_name(sim, row)), how, zw_text_get(&text));
  }
  if (sim->outputs_need_reaction) {
    zw_diag_note(sim->diags, (ZwSpan){0},
                 "with redundant constraints the reactions are not unique; the smallest are given, and 'zwang check' "
                 "says which sums are unique");
  }
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_OK;
  zw_arena_destroy(&scratch);
  return status;
}

/* The sparse solve asks for an inertia that is positive, or zero where constraints help. */
static ZwStatus refuse_inertia(ZwSim* sim) {
  zw_diag_error(sim->diags, ZW_ERR_MASS, (ZwSpan){0},
                "the inertia is not positive, which the solve for large systems needs");
  zw_diag_remedy(sim->diags, "--formulation lagrange takes any, at the price of a dense solve");
  return ZW_ERR_MASS;
}

static ZwStatus look_once(ZwSim* sim, double t) {
  double* v = sim->y + sim->n;
  if (!zw_eval_acceleration(sim, t, sim->y, v)) {
    return zw_fault_domain(sim, ZW_ENTRY_ACCELERATION, t, sim->y, v, true);
  }
  zw_eval_dense_M(sim);
  if (!sim->large) (void)zw_least_factor(sim->least, 0, sim->M, sim->A); /* for the metric alone */
  ZW_TRY(check_masses(sim));
  ZW_TRY(check_gradients(sim, t));
  ZW_TRY(zw_rows_decide(sim));
  /* in (q, v), which is what y holds here; the papers' formulations have their say when the run begins */
  ZwFormulation formulation = sim->formulation;
  sim->formulation = ZW_FORMULATION_AUTO;
  ZwStatus singular = zw_singular_start(sim, t);
  ZwStatus status = singular ? singular : zw_eval_rate(sim, t, sim->y, sim->k[0]);
  sim->formulation = formulation;
  if (singular) return singular;
  if (status == ZW_ERR_UNDETERMINED) return zw_fault_undetermined(sim, t, true);
  if (status == ZW_ERR_INCONSISTENT) return zw_large_fault(sim, t, true);
  if (status == ZW_ERR_MASS) return refuse_inertia(sim);
  if (status) return zw_fault_domain(sim, ZW_ENTRY_ACCELERATION, t, sim->y, v, true);
  if (!sim->is_minimum) {
    zw_diag_note(sim->diags, (ZwSpan){0},
                 "the inertia is not positive on the admissible accelerations: the motion is a stationary point of the "
                 "Gaussian, not a minimum");
  }
  if (!sim->near.has_limit) ZW_TRY(check_accelerations(sim, t, true));
  ZW_TRY(note_redundant(sim));
  return zw_quasi_check(sim, t);
}

/* Whether an entry reads such a leaf. */
static bool reads(const ZwProgram* program, ZwEntry entry, ZwInputKind kind) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwTape* tape = &program->kernels.items[i].tapes[entry];
    for (int32_t k = 0; k < tape->inputs.count; k++) {
      if (tape->inputs.items[k].kind == kind) return true;
    }
  }
  return false;
}

/* What has to be solved for before outputs and events are evaluated. */
static void find_needs(ZwSim* sim) {
  const ZwProgram* program = sim->program;
  sim->outputs_need_reaction = zw_equations_outputs_read_rows(sim->equations);
  sim->outputs_need_acceleration =
      sim->equations->quantities != 0 || reads(program, ZW_ENTRY_OUTPUT, ZW_INPUT_ACCELERATION);
  sim->watch.needs_reaction = reads(program, ZW_ENTRY_EVENT, ZW_INPUT_REACTION);
  sim->watch.needs_solve = sim->watch.needs_reaction || reads(program, ZW_ENTRY_EVENT, ZW_INPUT_ACCELERATION);
}

ZwStatus zw_start_tie(ZwSim* sim, double t0) {
  if (!sim->watch.ties.is_on || sim->near.has_limit) return ZW_OK;
  if (zw_ties_find(sim)) (void)zw_events_set_modes(sim, t0, sim->y, sim->y + sim->n);
  ZwFormulation formulation = sim->formulation;
  sim->formulation = ZW_FORMULATION_AUTO;
  ZwStatus status = zw_eval_rate(sim, t0, sim->y, sim->k[0]);
  sim->formulation = formulation;
  return status ? zw_fault_domain(sim, ZW_ENTRY_ACCELERATION, t0, sim->y, sim->y + sim->n, true) : ZW_OK;
}

ZwStatus zw_start_assemble(ZwSim* sim, double t0, ZwLevel which) {
  ZwStartLevel level = {.t = t0, .which = which, .hold = sim->hold, .is_start = true, .is_motion = true};
  find_metric(sim, t0);
  return zw_start_level(sim, &level);
}

/* ---- where the typed values cannot be begun at ---- */

/* Rows of `start exactly` between positions; how many. */
static int32_t find_exact_rows(const ZwSim* sim, int32_t* rows) {
  int32_t count = 0;
  for (int32_t i = sim->m; i < sim->m_start; i++) {
    if (sim->equations->rows.items[i].level == ZW_LEVEL_POSITION) rows[count++] = i;
  }
  return count;
}

/* What a coordinate is measured by; one where nothing tells. */
static double unit_of(const ZwSim* sim, int32_t coord) {
  double size = zw_size_at(sim->start_size[coord], sim->y[coord]);
  return size > 0 && isfinite(size) ? size : 1;
}

/* One step of Newton's onto these rows, the shortest in the sizes of the coordinates; false where there is none. */
static bool step_to_rows(ZwSim* sim, const int32_t* rows, int32_t count, ZwQr* qr, int32_t* order, double* norms,
                         double* x) {
  const ZwPattern* A = &sim->equations->A;
  int32_t n = sim->n;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)count * n; i++) qr->T[i] = 0;
  for (int32_t r = 0; r < count; r++) {
    for (int32_t k = A->begin[rows[r]]; k < A->begin[rows[r] + 1]; k++) {
      int32_t j = A->column[k];
      qr->T[(ptrdiff_t)r * n + j] = sim->Ax[k] * unit_of(sim, j);
    }
    if (!isfinite(sim->phi[rows[r]])) return false;
  }
  for (ptrdiff_t i = 0; i < (ptrdiff_t)count * n; i++) {
    if (!isfinite(qr->T[i])) return false;
  }
  zw_qr_factor_pivoted(qr, order, norms);
  double first = zw_qr_steps(qr) > 0 ? fabs(zw_qr_diagonal(qr, 0)) : 0;
  int32_t rank = first > 0 ? zw_qr_rank(qr, 1e-10 * first) : 0;
  for (int32_t j = 0; j < n; j++) x[j] = 0;
  for (int32_t r = 0; r < rank; r++) x[r] = -sim->phi[rows[order[r]]];
  zw_qr_solve_rt(qr, rank, x);
  zw_qr_apply_q(qr, x);
  for (int32_t j = 0; j < n; j++) sim->y[j] += x[j] * unit_of(sim, j);
  return rank > 0;
}

/* Rows between positions at the present ones, those of `start exactly` with them; are all of them numbers? */
static bool eval_rows(ZwSim* sim, double t) {
  bool is_finite = zw_eval_position(sim, t, sim->y);
  return zw_eval_start(sim, t, sim->y, sim->zero) && is_finite;
}

/* Where the model has no values at what was typed, but `start exactly` leads away from there, the start is looked for from where that
 * leads: norm(P) = 1 has no derivatives at (0, 0), which `start exactly P = (1, 0)` does not mean. */
static ZwStatus follow_exact_rows(ZwSim* sim, double t) {
  enum { STEPS = 8 };
  if (sim->m_start == sim->m || sim->large || sim->sensitivity || eval_rows(sim, t)) return ZW_OK;
  ZwArena arena;
  zw_arena_init(&arena, &sim->allocator);
  int32_t n = sim->n, *rows = ZW_NEW(&arena, sim->m_start + 1, int32_t);
  int32_t count = rows ? find_exact_rows(sim, rows) : 0, *order = ZW_NEW(&arena, count + 1, int32_t);
  double *T = ZW_NEW(&arena, (ptrdiff_t)count * n + 1, double), *tau = ZW_NEW(&arena, n + count + 1, double),
         *norms = ZW_NEW(&arena, 2 * count + 1, double), *x = ZW_NEW(&arena, n + count + 1, double),
         *kept = ZW_NEW(&arena, n + 1, double);
  ZwStatus status = arena.failed ? ZW_ERR_MEMORY : ZW_OK;
  if (!status && count > 0) {
    bool is_finite = false;
    memcpy(kept, sim->y, (size_t)n * sizeof(double));
    zw_start_sizes_find(sim, t, true);
    (void)eval_rows(sim, t);
    for (int step = 0; step < STEPS && !is_finite; step++) {
      ZwQr qr = {n, count, T, tau};
      if (!step_to_rows(sim, rows, count, &qr, order, norms, x)) break;
      is_finite = eval_rows(sim, t);
    }
    if (!is_finite) memcpy(sim->y, kept, (size_t)n * sizeof(double));
  }
  zw_arena_destroy(&arena);
  return status;
}

ZwStatus zw_start(ZwSim* sim, double t0) {
  enum { TRIES = 4 }; /* to find a start on the branches that it then is on */
  find_needs(sim);
  zw_ties_open(sim);
  memset(sim->start_guessed, 0, (size_t)sim->n * sizeof(bool));
  ZW_TRY(follow_exact_rows(sim, t0));
  if (sim->system->modes.count > 0 && !zw_eval_events(sim, t0, sim->y, sim->y + sim->n) && !sim->watch.needs_solve) {
    return zw_fault_domain(sim, ZW_ENTRY_EVENT, t0, sim->y, sim->y + sim->n, true);
  }
  (void)zw_events_set_modes(sim, t0, sim->y, sim->y + sim->n);
  zw_sensitivity_typed(sim);
  for (int i = 0; i < TRIES; i++) {
    ZW_TRY(zw_start_assemble(sim, t0, ZW_LEVEL_POSITION));
    ZW_TRY(zw_start_assemble(sim, t0, ZW_LEVEL_VELOCITY));
    if (!zw_events_set_modes(sim, t0, sim->y, sim->y + sim->n)) break;
  }
  ZW_TRY(look_once(sim, t0));
  return zw_start_tie(sim, t0);
}

/* A constraint that comes while positions stay must hold where they are, as well as the motion is asked to keep to it: where nothing
 * moves, its terms may be nothing but rounding. */
static ZwStatus check_positions(ZwSim* sim, double t) {
  if (!zw_eval_position(sim, t, sim->y)) return zw_fault_domain(sim, ZW_ENTRY_POSITION, t, sim->y, sim->zero, false);
  zw_start_sizes_find(sim, t, false);
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level != ZW_LEVEL_POSITION || !zw_rows_is_on(sim, i)) continue;
    double size = 0;
    for (int32_t k = sim->equations->A.begin[i]; k < sim->equations->A.begin[i + 1]; k++) {
      int32_t j = sim->equations->A.column[k];
      size += fabs(sim->Ax[k]) * zw_size_at(sim->start_size[j], sim->y[j]);
    }
    size = fmax(size, sim->sizes.row[ZW_LEVEL_POSITION][i]);
    if (fabs(sim->phi[i]) <= 10 * sim->tolerance * size) continue;
    bool comes = sim->system->terms.items[sim->equations->rows.items[i].term].gate > 0;
    zw_diag_error(sim->diags, ZW_ERR_STEP, zw_row_span(sim, i),
                  "the constraint '%.*s' %s at t = %s, but the positions do not satisfy it: it is off by %.3g",
                  ZW_STR_ARGS(zw_row_name(sim, i)), comes ? "comes" : "jumps", zw_when(sim, t, 9).text, sim->phi[i]);
    zw_diag_remedy(sim->diags,
                   comes ? "let it come where it holds, or remember in a 'memory' where things are, and hold that"
                         : "its two branches must agree where it switches");
    return ZW_ERR_STEP;
  }
  return ZW_OK;
}

bool zw_start_settle(ZwSim* sim, double t, bool is_motion) {
  ZwHold* hold = sim->watch.hold; /* of the last event; the next one makes it anew */
  for (int32_t i = 0; i < 2 * sim->n; i++) hold[i] = ZW_HOLD_FREE;
  ZwStartLevel level = {.t = t, .hold = hold, .is_direct = true, .is_motion = is_motion};
  for (level.which = ZW_LEVEL_POSITION; level.which <= ZW_LEVEL_VELOCITY; level.which++) {
    find_metric(sim, t);
    if (zw_start_level(sim, &level)) return false;
  }
  return true;
}

/* ---- after an event ---- */

void zw_start_note_rows(ZwSim* sim) {
  for (int32_t i = 0; i < sim->m; i++) sim->watch.was_on[i] = zw_rows_is_on(sim, i);
}

bool zw_start_comes(const ZwSim* sim, int32_t row) {
  bool is_of_contact = sim->system->terms.items[sim->equations->rows.items[row].term].contact > 0;
  return !is_of_contact && !sim->watch.was_on[row] && zw_rows_is_on(sim, row);
}

bool zw_start_any_comes(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->m; i++) {
    if (zw_start_comes(sim, i)) return true;
  }
  return false;
}

/* Rows that come must restrict something where they do, as those of the start. */
static ZwStatus check_coming(ZwSim* sim, double t) {
  double *here = sim->size, *nearby = sim->lambda;
  if (!zw_start_any_comes(sim)) return ZW_OK;
  sizes_nearby(sim, t, nearby);
  row_sizes(sim, here);
  for (int32_t i = 0; i < sim->m; i++) {
    if (!zw_start_comes(sim, i) || !is_vanishing(here[i], nearby[i]) || tells_massless(sim, t, i)) continue;
    zw_diag_error(sim->diags, ZW_ERR_INCONSISTENT, zw_row_span(sim, i),
                  "the constraint '%.*s' comes at t = %s and restricts nothing there: its gradient vanishes",
                  ZW_STR_ARGS(zw_row_name(sim, i)), zw_when(sim, t, 9).text);
    zw_diag_remedy(sim->diags, "write what it means without a square, or let it come where it holds something");
    return ZW_ERR_INCONSISTENT;
  }
  return ZW_OK;
}

ZwStatus zw_start_check(ZwSim* sim) {
  /* with contacts that are closed the rows without them have been looked at: what contacts do is decided, and no contradiction */
  bool is_asked = !sim->near.has_limit && !zw_contacts_any_closed(sim);
  return is_asked ? check_accelerations(sim, sim->t, false) : ZW_OK;
}

ZwStatus zw_start_check_apart(ZwSim* sim) {
  ZwFormulation formulation = sim->formulation;
  sim->formulation = ZW_FORMULATION_AUTO;
  ZwStatus status = zw_eval_rate(sim, sim->t, sim->y, sim->k[ZW_DOP853_STAGES + 1]) ? ZW_OK : zw_start_check(sim);
  sim->formulation = formulation;
  return status;
}

ZwStatus zw_start_again(ZwSim* sim, double t, const ZwHold* hold, bool has_moved) {
  sim->near.has_limit = false;
  if (!has_moved) ZW_TRY(check_positions(sim, t));
  ZwStartLevel level = {.t = t, .hold = hold, .is_motion = true};
  for (level.which = has_moved ? ZW_LEVEL_POSITION : ZW_LEVEL_VELOCITY; level.which <= ZW_LEVEL_VELOCITY;
       level.which++) {
    find_metric(sim, t);
    ZW_TRY(zw_start_level(sim, &level));
  }
  int32_t before = sim->sets[ZW_LEVEL_ACCELERATION].count;
  ZW_TRY(zw_start_freeze(sim, t));
  ZW_TRY(check_masses(sim));
  ZW_TRY(check_coming(sim, t));
  zw_rows_note_rank(sim, before, t);
  return ZW_OK;
}

ZwStatus zw_start_freeze(ZwSim* sim, double t) {
  if (!zw_eval_acceleration(sim, t, sim->y, sim->y + sim->n)) {
    return zw_fault_domain(sim, ZW_ENTRY_ACCELERATION, t, sim->y, sim->y + sim->n, false);
  }
  zw_eval_dense_M(sim);
  if (!sim->large) (void)zw_least_factor(sim->least, 0, sim->M, sim->A); /* for the metric alone */
  return zw_rows_decide(sim);
}
