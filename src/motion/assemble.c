/* In what order values give way: first only what was not typed moves; if that is not enough, guesses move too, then
 * everything; and each time what has no mass before the rest. Each time from the user's own values, and where that way leads
 * nowhere, or far, from other guesses. */
#include "motion/assemble.h"

#include <math.h>
#include <string.h>

#define HOLDS 1e-9   /* of the length of its gradient: a row that is off by less holds at the user's values */
#define FLAT 1e9     /* a row that would need so large a move, by its gradient, is flat */
#define ABSENT 1e150 /* the length of a row that shall not count */
#define NEAR 1e-2    /* of their size: values that moved less are where they were typed */
#define RIVAL 2.25   /* another assembly at up to this many times the cost, 1.5 times the way, is almost as near */
#define SAME 1e-6    /* of their size: values that differ less belong to one assembly */

enum {
  WIDTHS = 8,     /* other guesses lie in so many widths about the user's values, */
  RESTARTS = 8,   /* so many in all, */
  SMALL_MAX = 40, /* and for problems up to this size */
  SMALL_RESTARTS = 32,
  SEARCHED_MAX = 100 /* values of the largest problem that is searched without need */
};

/* ---- other guesses ---- */

/* The same draws every time. */
static double draw(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* Wide for what is soft, narrower for the firmest that moves: it should end near to where it was. */
static void guess(const ZwAssembly* a, int32_t firm, int attempt, uint64_t* state, double* x) {
  for (int32_t j = 0; j < a->n; j++) {
    bool is_firm = firm > ZW_TURNS_FREE && zw_assembly_turn(a, j) / 2 == (firm - 1) / 2;
    double width = (is_firm ? 0.1 : 0.25) * (attempt % WIDTHS + 1) * zw_assembly_size(a, j, a->typed[j]);
    double shift = width * (attempt == 0 ? draw(state) : 2 * draw(state) - 1);
    x[j] = a->typed[j] + (a->is_fixed[j] ? 0 : shift);
  }
}

/* ---- the phases ---- */

static double apart(const ZwAssembly* a, const double* x, const double* y) {
  double most = 0;
  for (int32_t j = 0; j < a->n; j++) most = fmax(most, fabs(x[j] - y[j]) / zw_assembly_size(a, j, y[j]));
  return most;
}

/* From x onto the rows, and there to the nearest point. */
static bool assemble_from(ZwAssembly* a, int32_t firm, double* x) {
  if (!zw_assembly_levenberg(a, x)) return false;
  /* the way to the nearest point may lead nowhere: then this one has to do */
  double* kept = a->work;
  memcpy(kept, x, (size_t)a->n * sizeof(double));
  zw_assembly_nearest(a, firm, x);
  bool is_there = memcmp(kept, x, (size_t)a->n * sizeof(double)) == 0; /* the rows leave nothing open */
  if (!is_there && !zw_assembly_levenberg(a, x)) memcpy(x, kept, (size_t)a->n * sizeof(double));
  return true;
}

/* How far the firmest of what may move has come from the user's values. */
static double strayed(const ZwAssembly* a, int32_t firm, const double* x) {
  double most = 0;
  for (int32_t j = 0; j < a->n; j++) {
    if (zw_assembly_turn(a, j) / 2 == (firm - 1) / 2)
      most = fmax(most, fabs(x[j] - a->typed[j]) / zw_assembly_size(a, j, a->typed[j]));
  }
  return most;
}

/* Rows whose gradients are the same at both ends are planes: there is one nearest point, and it is found. */
static bool is_straight(ZwAssembly* a, const double* x) {
  ptrdiff_t count = (ptrdiff_t)a->m * a->n;
  if (!a->eval(a->context, a->typed, a->r, a->J)) return false;
  memcpy(a->Y, a->J, (size_t)count * sizeof(double));
  if (!a->eval(a->context, x, a->r, a->J)) return false;
  for (ptrdiff_t k = 0; k < count; k++) {
    if (fabs(a->Y[k] - a->J[k]) > 1e-14 * fabs(a->J[k])) return false;
  }
  return true;
}

/* Takes the values of every row that shares one with a related row in; false: there was none. */
static bool relate_row(ZwAssembly* a, int32_t i, int32_t* is_related) {
  const double* row = a->Y + (ptrdiff_t)i * a->n;
  bool is_one = false, has_grown = false;
  for (int32_t j = 0; j < a->n; j++) is_one = is_one || (row[j] != 0 && is_related[j]);
  for (int32_t j = 0; is_one && j < a->n; j++) {
    has_grown = has_grown || (row[j] != 0 && !is_related[j]);
    is_related[j] = is_related[j] || row[j] != 0;
  }
  return has_grown;
}

/* The same for values whose masses are coupled. */
static bool relate_masses(const ZwAssembly* a, int32_t* is_related) {
  bool has_grown = false;
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t j = 0; is_related[i] && j < a->n; j++) {
      bool is_new = !is_related[j] && a->M[(ptrdiff_t)i * a->n + j] != 0;
      has_grown = has_grown || is_new;
      is_related[j] = is_related[j] || is_new;
    }
  }
  return has_grown;
}

/* Values that have nothing to do with the rows that do not hold stay where they are: another guess is none for them. Which
 * values a row has is seen at the user's own, where a gradient may vanish, and at another guess together. */
static void fix_unrelated(ZwAssembly* a, int32_t firm) {
  ptrdiff_t count = (ptrdiff_t)a->m * a->n;
  double* trial = a->work + 10 * (ptrdiff_t)a->n;
  int32_t* is_related = a->order;
  uint64_t state = 7;
  guess(a, firm, 1, &state, trial);
  if (!a->eval(a->context, trial, a->r, a->J)) return;
  memcpy(a->Y, a->J, (size_t)count * sizeof(double));
  if (!a->eval(a->context, a->typed, a->r, a->J)) return;
  for (ptrdiff_t k = 0; k < count; k++) a->Y[k] = fabs(a->Y[k]) + fabs(a->J[k]);
  memset(is_related, 0, (size_t)a->n * sizeof(int32_t));
  for (ptrdiff_t i = 0; i < a->m; i++) {
    for (ptrdiff_t j = 0; fabs(a->r[i]) > HOLDS * a->lengths[i] && j < a->n; j++) {
      if (a->Y[i * a->n + j] != 0) is_related[j] = 1;
    }
  }
  for (bool has_grown = true; has_grown;) {
    has_grown = relate_masses(a, is_related);
    for (int32_t i = 0; i < a->m; i++) has_grown = relate_row(a, i, is_related) || has_grown;
  }
  for (int32_t j = 0; j < a->n; j++) a->is_fixed[j] = a->is_fixed[j] || !is_related[j];
}

/* Other guesses, of which the nearest assembly is taken. */
static bool search(ZwAssembly* a, int32_t firm, bool is_found, double* x) {
  uint64_t state = 1829;
  double *trial = a->work + 10 * (ptrdiff_t)a->n, cost = is_found ? zw_assembly_cost(a, firm, x) : INFINITY;
  double rival = INFINITY;
  bool was_between = a->was_between;
  fix_unrelated(a, firm);
  for (int attempt = 0; attempt < (a->n > SMALL_MAX ? RESTARTS : SMALL_RESTARTS); attempt++) {
    a->cost_to_beat = cost;
    guess(a, firm, attempt, &state, trial);
    if (!assemble_from(a, firm, trial)) continue;
    double found = zw_assembly_cost(a, firm, trial);
    if (is_found && apart(a, trial, x) < SAME) continue;
    if (!is_found || found < cost * (1 - SAME)) {
      rival = cost;
      cost = found;
      memcpy(x, trial, (size_t)a->n * sizeof(double));
      is_found = a->has_searched = true;
    } else {
      rival = fmin(rival, found);
    }
  }
  a->was_between = was_between;
  a->has_rival = is_found && firm > ZW_TURNS_FREE && rival < RIVAL * cost;
  return is_found;
}

static bool has_turn(const ZwAssembly* a, int32_t turn) {
  for (int32_t i = 0; i < a->n; i++) {
    if (zw_assembly_turn(a, i) == turn) return true;
  }
  return false;
}

/* Moves what holds less firmly than `firm`. Where that is not enough, what holds as firmly and has a mass comes next: it is
 * not worth a search before. */
static bool move_below(ZwAssembly* a, int32_t firm, const double* begin, double* x) {
  bool has_more = firm % 2 == 1 && has_turn(a, firm);
  a->was_between = false;
  a->cost_to_beat = INFINITY;
  if (!has_turn(a, firm - 1)) return false;
  for (int32_t i = 0; i < a->n; i++) a->is_fixed[i] = zw_assembly_turn(a, i) >= firm;
  memcpy(x, begin, (size_t)a->n * sizeof(double));
  zw_assembly_weigh(a, firm);
  bool is_found = assemble_from(a, firm, x);
  if (a->is_direct || (has_more && !is_found)) return is_found;
  bool is_near =
      is_found && (firm <= ZW_TURNS_FREE || strayed(a, firm, x) < NEAR || a->n > SEARCHED_MAX || is_straight(a, x));
  return is_near || search(a, firm, is_found, x);
}

/* How much a row changes where each value moves by its size. */
static double length_of(const ZwAssembly* a, int32_t i) {
  double sum = 0;
  for (int32_t j = 0; j < a->n; j++) {
    double part = a->J[(ptrdiff_t)i * a->n + j] * a->size[j];
    sum += part * part;
  }
  return sqrt(sum);
}

/* Whether a row is violated, at a->x, and its gradient so small that it leads nowhere. */
static bool is_flat(const ZwAssembly* a, int32_t i) {
  double reach = 0;
  for (int32_t j = 0; j < a->n; j++) {
    reach = fmax(reach, fabs(a->J[(ptrdiff_t)i * a->n + j]) * zw_assembly_size(a, j, a->x[j]));
  }
  return a->r[i] != 0 && reach * FLAT < fabs(a->r[i]);
}

/* Rows whose gradients vanish where they hold are measured beside it. */
static bool measure_aside(ZwAssembly* a) {
  double* trial = a->work + 10 * (ptrdiff_t)a->n;
  uint64_t state = 11;
  bool has_any = false;
  for (int32_t i = 0; i < a->m; i++) has_any = has_any || a->lengths[i] == 0;
  if (!has_any) return true;
  for (int32_t j = 0; j < a->n; j++) {
    trial[j] = a->x[j] + 0.1 * (0.5 + draw(&state)) * zw_assembly_size(a, j, a->x[j]);
  }
  bool is_finite = a->eval(a->context, trial, a->r, a->J);
  for (int32_t i = 0; i < a->m; i++) {
    if (a->lengths[i] > 0) continue;
    double aside = is_finite ? length_of(a, i) : 0;
    a->lengths[i] = aside > 0 ? aside : 1; /* it says nothing at all */
  }
  return a->eval(a->context, a->x, a->r, a->J);
}

/* The lengths of the rows at the user's values, so that rows count alike. False: one is violated and flat. */
static bool measure_rows(ZwAssembly* a, int32_t* row) {
  for (int32_t i = 0; i < a->m; i++) a->lengths[i] = length_of(a, i);
  for (int32_t i = 0; i < a->m; i++) {
    *row = i;
    if (is_flat(a, i)) return false;
  }
  return measure_aside(a);
}

/* A row is flat at the user's values. The others alone may lead to where it is not: there free values begin, at x. */
static bool leave_flat(ZwAssembly* a, double* x, int32_t* row) {
  for (int32_t i = 0; i < a->m; i++) {
    double length = length_of(a, i);
    a->lengths[i] = is_flat(a, i) ? ABSENT : length > 0 ? length : 1;
  }
  for (int32_t i = 0; i < a->n; i++) a->is_fixed[i] = a->hold[i] > 0;
  zw_assembly_metric(a);
  zw_assembly_weigh(a, ZW_TURNS_FREE);
  memcpy(x, a->typed, (size_t)a->n * sizeof(double));
  (void)zw_assembly_levenberg(a, x);
  return a->eval(a->context, x, a->r, a->J) && measure_rows(a, row);
}

ZwAssembled zw_assemble(ZwAssembly* a, int32_t* row) {
  a->has_searched = a->has_rival = a->was_between = false;
  if (a->m == 0) return ZW_ASSEMBLED;
  double* begin = a->work + 11 * (ptrdiff_t)a->n;
  memcpy(a->typed, a->x, (size_t)a->n * sizeof(double));
  memcpy(begin, a->x, (size_t)a->n * sizeof(double));
  if (!a->eval(a->context, a->x, a->r, a->J)) return ZW_ASSEMBLY_NOT_FINITE;
  if (!measure_rows(a, row)) {
    int32_t flat = *row;
    bool is_left = leave_flat(a, begin, row);
    *row = flat;
    if (!is_left) return ZW_ASSEMBLY_FLAT;
  }
  zw_assembly_metric(a);
  if (zw_assembly_is_solved(a, begin) && memcmp(begin, a->x, (size_t)a->n * sizeof(double)) == 0) return ZW_ASSEMBLED;
  for (int32_t firm = 1; firm <= ZW_TURNS; firm++) {
    if (move_below(a, firm, begin, a->x)) return ZW_ASSEMBLED;
  }
  /* the least-squares point from the user's own values names the rows in conflict */
  memcpy(a->x, a->typed, (size_t)a->n * sizeof(double));
  for (int32_t i = 0; i < a->n; i++) a->is_fixed[i] = false;
  zw_assembly_weigh(a, ZW_TURNS);
  (void)zw_assembly_levenberg(a, a->x);
  if (!a->eval(a->context, a->x, a->r, a->J)) return ZW_ASSEMBLY_NOT_FINITE;
  return ZW_ASSEMBLY_CONFLICT;
}
