/* One level of the start, one connected part at a time: things that neither a row nor an inertia joins do not matter to each
 * other, so each is assembled (assemble.h) as if it were alone. Large parts of large systems are left to the sparse solve. */
#include "motion/start_level.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "equations/islands.h"
#include "least/dense.h"
#include "motion/sensitivity.h"
#include "motion/take_hold.h"

/* A conflicting row is named when it is off by at least this part of the worst one. */
#define NAMED 1e-3
/* As the assembly asks of rows: what may be left of one, of the length of its gradient; and roundings of its terms. */
#define HOLDS 1e-13
#define ROUNDINGS 8.0

/* Where less than this part of a row is left beside others, that is why it was not met. */
#define CLOSE 1e-3

enum { DENSE_MAX = 300 }; /* coordinates and rows of a part of a large system that is assembled by full matrices */

/* A part of the system while it is assembled; its values lie in the state. */
typedef struct Level {
  ZwSim* sim;
  const ZwStartLevel* def;
  double* values; /* n of the system: positions or velocities, in sim->y */
  int32_t n, count;
  int32_t *coords, *rows; /* of the part, as those of the system */
  int32_t* place;         /* n of the system: of a coordinate in the part */
} Level;

static bool is_of_positions(const Level* level) {
  return level->def->which == ZW_LEVEL_POSITION;
}

/* ---- rows and their gradients ---- */

static bool evaluate(ZwSim* sim, const ZwStartLevel* def) {
  bool is_first = def->which == ZW_LEVEL_POSITION;
  double *q = sim->y, *v = sim->y + sim->n;
  bool is_finite = is_first ? zw_eval_position(sim, def->t, q) : zw_eval_velocity(sim, def->t, q, v);
  return zw_eval_start(sim, def->t, q, is_first ? sim->zero : v) && is_finite;
}

static const double* residual_of(const ZwSim* sim, const ZwStartLevel* def) {
  return def->which == ZW_LEVEL_POSITION ? sim->phi : sim->psi;
}

static const double* sizes_of(const Level* level) {
  return level->sim->start_size + (is_of_positions(level) ? 0 : level->sim->n);
}

static void put(const Level* level, const double* x) {
  for (int32_t k = 0; k < level->n; k++) level->values[level->coords[k]] = x[k];
}

static bool eval_part(void* context, const double* x, double* r, double* J) {
  const Level* level = context;
  ZwSim* sim = level->sim;
  const ZwPattern* A = &sim->equations->A;
  put(level, x);
  bool is_finite = evaluate(sim, level->def);
  const double* residual = residual_of(sim, level->def);
  memset(J, 0, (size_t)level->count * (size_t)level->n * sizeof(double));
  for (ptrdiff_t i = 0; i < level->count; i++) {
    int32_t row = level->rows[i];
    r[i] = residual[row];
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++)
      J[i * level->n + level->place[A->column[k]]] = sim->Ax[k];
  }
  return is_finite;
}

/* ---- what cannot be met ---- */

/* "as in: start crank.phi = 1", with a coordinate of the row that was not typed, if there is one. */
void zw_start_suggest(ZwSim* sim, int32_t row, bool is_position) {
  const ZwPattern* pattern = &sim->equations->A;
  int32_t coord = pattern->column[pattern->begin[row]];
  for (int32_t k = pattern->begin[row + 1] - 1; k >= pattern->begin[row]; k--) {
    if (sim->hold[pattern->column[k] + (is_position ? 0 : sim->n)] != ZW_HOLD_TYPED) coord = pattern->column[k];
  }
  zw_diag_remedy(sim->diags,
                 is_position ? "give start values near the position you mean, as in: start %.*s = 1"
                             : "give a start velocity, as in: start %.*s' = 1",
                 ZW_STR_ARGS(sim->system->coords.items[coord].name));
}

static ZwStatus report_flat(ZwSim* sim, int32_t row, bool is_position) {
  ZwStr name = zw_row_name(sim, row);
  zw_diag_error(
      sim->diags, ZW_ERR_START, zw_row_span(sim, row),
      "the constraint '%.*s' does not hold at the start, and its gradient vanishes there: nothing tells which "
      "way to go",
      ZW_STR_ARGS(name));
  zw_start_suggest(sim, row, is_position);
  return ZW_ERR_START;
}

/* How far off the row is of those that are named after it, or as far and later. */
static bool is_before(const double* r, const double* lengths, int32_t i, int32_t j) {
  double a = fabs(r[i]) / lengths[i], b = fabs(r[j]) / lengths[j];
  return a > b || (a == b && i < j);
}

/* "'rod' (line 4, off by 0.25), ... and 3 more" of the rows that are off, the SHOWN_ROWS worst by name; how many, and the first named. */
static int32_t add_off(const Level* level, const double* r, const double* lengths, ZwText* text, int32_t* first) {
  enum { SHOWN_ROWS = 8 };
  const ZwSim* sim = level->sim;
  double largest = 0;
  int32_t worst[SHOWN_ROWS], shown = 0, count = 0;
  for (int32_t i = 0; i < level->count; i++) largest = fmax(largest, fabs(r[i]) / lengths[i]);
  for (int32_t i = 0; i < level->count; i++) {
    if (fabs(r[i]) / lengths[i] < NAMED * largest) continue;
    int32_t at = count < SHOWN_ROWS ? count : SHOWN_ROWS;
    count++;
    while (at > 0 && is_before(r, lengths, i, worst[at - 1])) at--;
    for (int32_t k = SHOWN_ROWS - 1; k > at; k--) worst[k] = worst[k - 1];
    if (at < SHOWN_ROWS) worst[at] = i;
  }
  for (int32_t i = 0; i < level->count; i++) { /* in the order of the model */
    bool is_shown = false;
    for (int32_t k = 0; k < SHOWN_ROWS && k < count; k++) is_shown = is_shown || worst[k] == i;
    if (!is_shown) continue;
    if (shown++ == 0) *first = level->rows[i];
    zw_text_addf(text, "%s'%.*s' (", shown > 1 ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, level->rows[i])));
    zw_row_add_line(sim, level->rows[i], text);
    zw_text_addf(text, "off by %.3g)", r[i]);
  }
  if (count > shown) zw_text_addf(text, " and %d more", (int)(count - shown));
  return count;
}

/* Where rows are nearly dependent as typed already, which is no accident of where the search ended, that is the reason: what is left of
 * one beside the others, and which one it is; 0: they are told apart well. */
static double find_close_row(const Level* level, ZwArena* scratch, int32_t* row) {
  ZwSim* sim = level->sim;
  ptrdiff_t n = level->n, count = level->count;
  double *x = ZW_NEW(scratch, n + 1, double), *r = ZW_NEW(scratch, count + 1, double),
         *kept = ZW_NEW(scratch, n + 1, double);
  double* J = ZW_NEW(scratch, count * n + 1, double);
  ZwRank* rank = sim->large ? NULL : sim->rank;
  if (scratch->failed || !rank || count > rank->m_max || n > rank->n_max || !level->def->is_start) return 0;
  const double *typed = sim->typed + (is_of_positions(level) ? 0 : sim->n), *sizes = sizes_of(level);
  for (ptrdiff_t k = 0; k < n; k++) {
    x[k] = typed[level->coords[k]];
    kept[k] = level->values[level->coords[k]];
  }
  bool is_known = eval_part((void*)(uintptr_t)level, x, r, J);
  put(level, kept);
  /* in the sizes of the coordinates, each row as long as any */
  for (ptrdiff_t i = 0; i < count; i++) {
    for (ptrdiff_t k = 0; k < n; k++) J[i * n + k] *= sizes[level->coords[k]];
    double length = zw_norm((int32_t)n, J + i * n);
    if (!(length > 0)) return 0; /* its gradient vanishes there: that is another trouble */
    zw_scale((int32_t)n, 1 / length, J + i * n);
  }
  if (!is_known || zw_rank_decide(rank, level->count, level->n, J, NULL, NULL)) return 0;
  bool is_full = rank->rank == level->count;
  double left = is_full ? rank->kept : 0;
  *row = is_full ? rank->order[rank->rank - 1] : 0;
  for (int32_t d = 0; d < rank->m - rank->rank; d++) {
    if (!(rank->left[d] > left)) continue;
    left = rank->left[d];
    *row = rank->order[rank->rank + d];
  }
  *row = level->rows[*row];
  return left < CLOSE ? left : 0;
}

static void advise_conflict(const Level* level) {
  bool is_start = level->def->is_start, has_exact = false; /* rows of `start exactly` come after those of the model */
  for (int32_t i = 0; i < level->count; i++) has_exact = has_exact || level->rows[i] >= level->sim->m;
  zw_diag_remedy(level->sim->diags,
                 is_start && has_exact ? "what is started exactly never moves: write 'start' without 'exactly', and "
                                         "start values move by the least amount, or check these"
                 : is_start            ? "check them, or give start values nearer to a position where they can hold"
                                       : "change or remove one of them, or what the event assigns");
}

static ZwStatus report_conflict(ZwSim* sim, const Level* level, const double* r, const double* lengths) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText text, when;
  zw_text_init(&text, &scratch);
  zw_text_init(&when, &scratch);
  int32_t first = level->rows[0], named = add_off(level, r, lengths, &text, &first);
  ZwStatus code = level->def->is_start ? ZW_ERR_START : ZW_ERR_INCONSISTENT;
  if (!level->def->is_start) zw_text_addf(&when, "at t = %s ", zw_when(sim, level->def->t, 9).text);
  zw_diag_error(sim->diags, code, zw_row_span(sim, first), "%sno %s%s were found that satisfy %s %s",
                zw_text_get(&when), level->def->is_start ? "start " : "",
                is_of_positions(level) ? "positions" : "velocities",
                named > 1 ? "these constraints together:" : "the constraint", zw_text_get(&text));
  int32_t row = first;
  double left = find_close_row(level, &scratch, &row);
  if (left > 0) {
    zw_diag_remedy(
        sim->diags,
        "but for %.2g of it '%.*s' says what others say, which is too little to be solved for: state what it adds by "
        "itself, as the difference of the two",
        left, ZW_STR_ARGS(zw_row_name(sim, row)));
  } else {
    advise_conflict(level);
  }
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : code;
  zw_arena_destroy(&scratch);
  return status;
}

/* ---- what was chosen ---- */

/* "a.phi from 0.8 to 2.4, b.phi from 0 to 1": what was typed or drawn far from where it is now; how many. */
static int32_t add_far(const ZwSim* sim, const ZwAssembly* a, bool is_position, ZwText* text) {
  enum { SHOWN = 4 };
  int32_t count = 0;
  for (int32_t i = 0; i < a->n; i++) {
    if (a->hold[i] == ZW_HOLD_FREE ||
        fabs(a->x[i] - a->typed[i]) < ZW_ASSEMBLY_FAR * zw_assembly_size(a, i, a->typed[i]))
      continue;
    if (++count > SHOWN) continue;
    zw_text_addf(text, "%s%.*s%s from %.6g to %.6g", count > 1 ? ", " : "",
                 ZW_STR_ARGS(sim->system->coords.items[a->coords[i]].name), is_position ? "" : "'", a->typed[i],
                 a->x[i]);
  }
  if (count > SHOWN) zw_text_addf(text, " and %d more", (int)(count - SHOWN));
  return count;
}

/* Says that there was a choice, and what it means for the values the user gave. */
static ZwStatus note_choice(ZwSim* sim, const ZwAssembly* a, bool is_position) {
  if (!a->has_searched && !a->has_rival && !a->was_between) return ZW_OK;
  const char* what = is_position ? "positions" : "velocities";
  sim->has_searched = true;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText far;
  zw_text_init(&far, &scratch);
  bool is_far = add_far(sim, a, is_position, &far) > 0;
  ZwText text;
  zw_text_init(&text, &scratch);
  if (a->has_searched && is_far) {
    zw_text_addf(&text,
                 "no short way leads from the start values to %s that satisfy the constraints; the nearest that were "
                 "found are taken, others may exist",
                 what);
  } else if (a->has_searched) {
    zw_text_addf(&text,
                 "the typed start leaves a choice of %s; one that satisfies the constraints was taken, others may "
                 "exist",
                 what);
  } else if (a->has_rival) {
    zw_text_addf(&text,
                 "the start values are almost as near to other %s that satisfy the constraints; the nearest that "
                 "were found are taken",
                 what);
  } else {
    zw_text_addf(
        &text, "the start values lie in the middle between %s that satisfy the constraints; one side was taken", what);
  }
  if (is_far) zw_text_addf(&text, ": %s", zw_text_get(&far));
  zw_diag_note(sim->diags, (ZwSpan){0}, "%s", zw_text_get(&text));
  zw_diag_remedy(sim->diags, "type start values nearer to those you mean");
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_OK;
  zw_arena_destroy(&scratch);
  return status;
}

/* ---- a part ---- */

/* Masses of the part, n x n. */
static void gather_masses(const Level* level, double* M) {
  const ZwSim* sim = level->sim;
  const ZwPattern* pattern = &sim->equations->M;
  ptrdiff_t n = level->n;
  memset(M, 0, (size_t)(n * n) * sizeof(double));
  for (ptrdiff_t i = 0; i < n; i++) {
    int32_t row = level->coords[i];
    for (ptrdiff_t j = 0; !sim->large && j < n; j++) M[i * n + j] = sim->M[(ptrdiff_t)row * sim->n + level->coords[j]];
    for (int32_t k = pattern->begin[row]; sim->large && k < pattern->begin[row + 1]; k++) {
      int32_t j = level->place[pattern->column[k]];
      M[i * n + j] = M[j * n + i] = sim->Mx[k];
    }
  }
}

/* Where the simulation is dense and in one piece, its own memory has room for all of its coordinates; else the arena gives what the part
 * needs. */
static bool find_room(const Level* level, ZwArena* arena, ZwAssembly* a, double** M, double** sizes, int32_t** hold) {
  ZwSim* sim = level->sim;
  ptrdiff_t n = level->n, m = level->count;
  if (!sim->large && sim->lends_room) {
    double *r = sim->lm_r, *x = sim->lm_x;
    *M = sim->lm_M;
    *hold = sim->lm_order + sim->n + sim->m_all;
    a->J = sim->lm_J, a->Y = sim->lm_Y, a->S = sim->lm_S, a->L = sim->lm_L, a->G = sim->lm_G;
    a->Z = sim->near.weak, a->H = sim->near.weak_along; /* lent: no singular position is in sight now */
    a->r = r, a->lengths = r + 8 * m;
    a->work = x, a->typed = x + 13 * n, a->x = x + 14 * n, *sizes = x + 15 * n;
    a->is_fixed = sim->is_fixed, a->order = sim->lm_order;
    return true;
  }
  double** squares[] = {&a->L, &a->G, &a->Z, &a->H, M};
  for (int i = 0; i < 5; i++) *squares[i] = ZW_NEW(arena, n * n, double);
  a->J = ZW_NEW(arena, m * n, double);
  a->Y = ZW_NEW(arena, m * n, double);
  a->S = ZW_NEW(arena, m * m, double);
  a->r = ZW_NEW(arena, 9 * m, double);
  a->work = ZW_NEW(arena, 17 * n, double);
  a->is_fixed = ZW_NEW(arena, n, bool);
  a->order = ZW_NEW(arena, m + n, int32_t);
  *hold = ZW_NEW(arena, n, int32_t);
  if (arena->failed) return false;
  a->lengths = a->r + 8 * m;
  a->typed = a->work + 13 * n;
  a->x = a->work + 14 * n;
  *sizes = a->work + 15 * n;
  return true;
}

/* At the start, with the rows of the start, what was not typed is free. Afterwards it is where the motion was, and moves by
 * the least amount. */
static ZwStatus open_assembly(Level* level, ZwArena* arena, ZwAssembly* a) {
  const ZwStartLevel* def = level->def;
  int32_t first = is_of_positions(level) ? 0 : level->sim->n, *hold = NULL;
  double *M = NULL, *size = NULL;
  *a = (ZwAssembly){.n = level->n,
                    .m = level->count,
                    .coords = level->coords,
                    .softest = def->is_start ? ZW_HOLD_FREE : ZW_HOLD_GUESS,
                    .is_direct = def->is_direct,
                    .eval = eval_part,
                    .context = level};
  if (!find_room(level, arena, a, &M, &size, &hold)) return ZW_ERR_MEMORY;
  gather_masses(level, M);
  for (int32_t k = 0; k < level->n; k++) {
    a->x[k] = level->values[level->coords[k]];
    hold[k] = (int32_t)def->hold[first + level->coords[k]];
    size[k] = level->sim->start_size[first + level->coords[k]];
    size[level->n + k] = level->sim->start_size[level->coords[k]];
  }
  a->M = M;
  a->size = size;
  a->span = size + level->n;
  a->hold = hold;
  return ZW_OK;
}

static ZwStatus report(Level* level, const ZwAssembly* a, ZwAssembled answer, int32_t row) {
  ZwSim* sim = level->sim;
  bool is_first = is_of_positions(level);
  if (level->def->is_direct) return ZW_ERR_INCONSISTENT;
  switch (answer) {
    case ZW_ASSEMBLY_NOT_FINITE:
      return zw_fault_domain(sim, is_first ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY, level->def->t, sim->y,
                             sim->y + sim->n, true);
    case ZW_ASSEMBLY_FLAT:
      return report_flat(sim, level->rows[row], is_first);
    default:
      return report_conflict(sim, level, a->r, a->lengths);
  }
}

/* Without mass, and moved from where it was. */
static bool is_moved_by_span(const ZwAssembly* a, int32_t k) {
  return !(a->M[(ptrdiff_t)k * a->n + k] > 0) && a->x[k] != a->typed[k];
}

/* How many values without mass have moved in the turn of value k: they share what there was to do, by their spans. */
static int32_t count_sharing(const ZwAssembly* a, int32_t k) {
  int32_t count = 0;
  for (int32_t i = 0; i < a->n; i++) {
    count += is_moved_by_span(a, i) && zw_assembly_turn(a, i) == zw_assembly_turn(a, k);
  }
  return count;
}

/* Sizes that nothing told, where they decided how far a value moved or when it was near enough. */
static void note_guesses(const Level* level, const ZwAssembly* a) {
  const ZwSim* sim = level->sim;
  int32_t first = is_of_positions(level) ? 0 : sim->n;
  for (int32_t k = 0; k < a->n; k++) {
    int32_t j = level->coords[k];
    bool is_guess = sim->start_told[first + j] == ZW_TOLD_GUESS && a->x[k] != a->typed[k];
    bool is_shared = sim->start_told[j] == ZW_TOLD_GUESS && is_moved_by_span(a, k) && count_sharing(a, k) > 1;
    if (is_guess || is_shared) sim->start_guessed[j] = true;
  }
}

static ZwStatus assemble_part(Level* level, ZwArena* arena) {
  ZwAssembly assembly;
  int32_t row = -1;
  ZW_TRY(open_assembly(level, arena, &assembly));
  ZwAssembled answer = zw_assemble(&assembly, &row);
  put(level, assembly.x);
  if (answer != ZW_ASSEMBLED) return report(level, &assembly, answer, row);
  const ZwStartLevel* def = level->def;
  if (def->is_start) note_guesses(level, &assembly);
  bool is_jump = level->sim->jump.is_on && !is_of_positions(level) && !def->is_start && !def->is_direct; /* T32 */
  if (is_jump)
    ZW_TRY(zw_take_hold(level->sim, &assembly, def->t, level->rows));
  else if (def->is_motion)
    zw_sensitivity_assembled(level->sim, &assembly, def->which, def->t, level->rows);
  return level->def->is_direct ? ZW_OK : note_choice(level->sim, &assembly, is_of_positions(level));
}

/* ---- a large part ---- */

static bool eval_large(ZwSim* sim, const ZwLargeStart* start) {
  ZwStartLevel def = {.which = start->x == sim->y ? ZW_LEVEL_POSITION : ZW_LEVEL_VELOCITY, .t = start->t};
  return evaluate(sim, &def);
}

static ZwStatus assemble_large(Level* level) {
  ZwSim* sim = level->sim;
  const ZwStartLevel* def = level->def;
  ZwLargeStart start = {.count = level->count,
                        .rows = level->rows,
                        .x = level->values,
                        .hold = def->hold + (is_of_positions(level) ? 0 : sim->n),
                        .softest = def->is_start ? ZW_HOLD_FREE : ZW_HOLD_GUESS,
                        .residual = residual_of(sim, def),
                        .size = sizes_of(level),
                        .eval = eval_large,
                        .t = def->t};
  if (!evaluate(sim, def)) return report(level, NULL, ZW_ASSEMBLY_NOT_FINITE, -1);
  if (zw_large_assemble(sim, &start)) return ZW_OK;
  ZwAssembly left = {.r = sim->lm_r, .lengths = sim->lm_r + sim->m_start};
  for (int32_t i = 0; i < level->count; i++) {
    left.r[i] = start.residual[level->rows[i]];
    left.lengths[i] = 1;
  }
  return report(level, &left, ZW_ASSEMBLY_CONFLICT, -1);
}

/* ---- all parts ---- */

/* A row of the motion holds with its rate; one of the start at its own level only. */
static int32_t find_rows(const ZwSim* sim, const ZwStartLevel* def, int32_t* rows) {
  int32_t m = def->is_start ? sim->m_start : sim->m, count = 0;
  for (int32_t i = 0; i < m; i++) {
    ZwLevel own = sim->equations->rows.items[i].level;
    if (i < sim->m ? own <= def->which && zw_rows_is_on(sim, i) : own == def->which) rows[count++] = i;
  }
  return count;
}

/* Coordinates and rows by parts, of which there are `count`; those of part p from begin[p] on. */
typedef struct Parts {
  int32_t count;
  int32_t *coords, *coord_begin, *rows, *row_begin, *place;
} Parts;

/* Sorts things by the part that `of` gives. */
static void sort_by_part(int32_t parts, int32_t count, const int32_t* of, const int32_t* things, int32_t* begin,
                         int32_t* to) {
  for (int32_t p = 0; p <= parts; p++) begin[p] = 0;
  for (int32_t i = 0; i < count; i++) begin[of[i] + 1]++;
  for (int32_t p = 0; p < parts; p++) begin[p + 1] += begin[p];
  for (int32_t i = 0; i < count; i++) to[begin[of[i]]++] = things ? things[i] : i;
  for (int32_t p = parts; p > 0; p--) begin[p] = begin[p - 1];
  begin[0] = 0;
}

/* A row without coordinates counts with the first part. */
static void find_parts(ZwSim* sim, const int32_t* rows, int32_t count, Parts* parts) {
  int32_t n = sim->n, *memory = sim->lm_parts;
  ZwIslands islands = {.of = memory};
  int32_t* of_rows = memory + n;
  parts->coords = of_rows + sim->m_all;
  parts->coord_begin = parts->coords + n;
  parts->rows = parts->coord_begin + n + 1;
  parts->row_begin = parts->rows + sim->m_all;
  parts->place = parts->row_begin + n + 1;
  zw_islands_open(&islands, sim->equations, ZW_JOIN_INERTIA);
  for (int32_t i = 0; i < count; i++) zw_islands_join_row(&islands, sim->equations, rows[i]);
  zw_islands_close(&islands);
  for (int32_t i = 0; i < count; i++) {
    int32_t part = zw_islands_of_row(&islands, sim->equations, rows[i]);
    of_rows[i] = part < 0 ? 0 : part;
  }
  parts->count = islands.count;
  sort_by_part(parts->count, n, islands.of, NULL, parts->coord_begin, parts->coords);
  sort_by_part(parts->count, count, of_rows, rows, parts->row_begin, parts->rows);
  for (int32_t p = 0; p < parts->count; p++) {
    for (int32_t k = parts->coord_begin[p]; k < parts->coord_begin[p + 1]; k++) {
      parts->place[parts->coords[k]] = k - parts->coord_begin[p];
    }
  }
}

/* Rows that hold at the state evaluated last. */
static bool is_met(const Level* level) {
  const ZwSim* sim = level->sim;
  const ZwPattern* A = &sim->equations->A;
  const double *residual = residual_of(sim, level->def), *sizes = sizes_of(level);
  for (int32_t i = 0; i < level->count; i++) {
    int32_t row = level->rows[i];
    double size = 0, square = 0;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      double part = sim->Ax[k] * sizes[A->column[k]];
      size += fabs(sim->Ax[k] * level->values[A->column[k]]);
      square += part * part;
    }
    if (!(fabs(residual[row]) <= HOLDS * sqrt(square) + ROUNDINGS * DBL_EPSILON * size)) return false;
  }
  return true;
}

/* What rows do not tell of the sizes. Those of the velocities need rows at the present state. */
static void find_sizes(const Level* level) {
  ZwStartPart part = {level->n, level->count, level->coords, level->rows};
  zw_start_sizes_fill(level->sim, &part);
  if (!is_of_positions(level)) zw_start_sizes_of_velocities(level->sim, &part, level->def->is_start);
}

ZwStatus zw_start_level(ZwSim* sim, const ZwStartLevel* def) {
  Parts parts;
  Level level = {.sim = sim, .def = def, .values = def->which == ZW_LEVEL_POSITION ? sim->y : sim->y + sim->n};
  int32_t count = find_rows(sim, def, sim->fresh_rows);
  bool is_known = false, is_finite = true; /* rows belong to the present values */
  ZwStatus status = ZW_OK;
  zw_start_sizes_find(sim, def->t, def->is_start);
  find_parts(sim, sim->fresh_rows, count, &parts);
  if (def->is_motion) zw_sensitivity_open_level(sim, def->which, def->is_start);
  level.place = parts.place;
  for (int32_t p = 0; p < parts.count && !status; p++) {
    level.coords = parts.coords + parts.coord_begin[p];
    level.rows = parts.rows + parts.row_begin[p];
    level.n = parts.coord_begin[p + 1] - parts.coord_begin[p];
    level.count = parts.row_begin[p + 1] - parts.row_begin[p];
    if (level.count > 0 && !is_known) is_finite = evaluate(sim, def);
    find_sizes(&level);
    if (level.count == 0) continue;
    is_known = is_finite && is_met(&level);
    if (is_known && !(sim->sensitivity && def->is_motion)) continue;
    is_known = false;
    ZwArena scratch;
    zw_arena_init(&scratch, &sim->allocator);
    bool is_large = sim->large && level.n + level.count > DENSE_MAX;
    status = is_large ? assemble_large(&level) : assemble_part(&level, &scratch);
    zw_arena_destroy(&scratch);
  }
  if (def->is_motion) zw_sensitivity_close_level(sim, def->which);
  return status;
}
