/* Numbers at a state, and the way onto the constraints, for all members of a group. */
#include <float.h>
#include <math.h>

#include "motion/group_parts.h"

static void zero(ZwEight* x, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) x[i] = spread(0);
}

static void run(ZwGroup* group, ZwEntry entry, const ZwEight* q, const ZwEight* v) {
  const ZwPlaces half_mask = (1u << ZW_GROUP_FOUR) - 1;
  for (int half = 0; half < ZW_GROUP_HALVES; half++) {
    if (!(group->occupied >> (half * ZW_GROUP_FOUR) & half_mask)) continue;
    group->states[half].q = (const double*)q + half * ZW_GROUP_FOUR;
    group->states[half].v = (const double*)v + half * ZW_GROUP_FOUR;
    zw_program_run(&group->program, entry, &group->states[half]);
  }
}

static ZwEightSet eval_acceleration(ZwGroup* group, const ZwEight* y) {
  const ZwEquations* equations = group->equations;
  zero(group->Mx, equations->M.count);
  zero(group->Ax, equations->A.count);
  zero(group->hL, group->n);
  zero(group->Q, group->n);
  zero(group->b, equations->m_all);
  zero(group->power, 1);
  run(group, ZW_ENTRY_ACCELERATION, y, y + group->n);
  for (int32_t i = 0; i < group->n; i++) group->h[i] = plus(group->hL[i], group->Q[i]);
  return all_finite(equations->M.count, group->Mx) & all_finite(equations->A.count, group->Ax) &
         all_finite(group->n, group->h) & all_finite(group->m, group->b) & all_finite(1, group->power);
}

static ZwEightSet eval_rows(ZwGroup* group, ZwLevel level, const ZwEight* y) {
  bool is_position = level == ZW_LEVEL_POSITION;
  ZwEight* residual = is_position ? group->phi : group->psi;
  zero(group->Ax, group->equations->A.count);
  zero(residual, group->equations->m_all);
  run(group, is_position ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY, y, is_position ? group->zero : y + group->n);
  return all_finite(group->equations->A.count, group->Ax) & all_finite(group->m, residual);
}

ZwEightSet zw_group_eval_outputs(ZwGroup* group, const ZwEight* y) {
  int32_t count = group->equations->output_count;
  if (count == 0) return ZW_EIGHT_ALL;
  zero(group->outs, count);
  run(group, ZW_ENTRY_OUTPUT, y, y + group->n);
  return all_finite(count, group->outs);
}

static void gather_M(ZwGroup* group) {
  const ZwPattern* pattern = &group->equations->M;
  ptrdiff_t n = group->n;
  zero(group->M, n * n);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      int32_t j = pattern->column[k];
      group->M[i * n + j] = group->M[j * n + i] = group->Mx[k];
    }
  }
}

static void gather_A(ZwGroup* group, const ZwRowSet* set) {
  const ZwPattern* pattern = &group->equations->A;
  ptrdiff_t n = group->n;
  zero(group->A, set->count * n);
  for (ptrdiff_t r = 0; r < set->count; r++) {
    for (int32_t k = pattern->begin[set->rows[r]]; k < pattern->begin[set->rows[r] + 1]; k++) {
      group->A[r * n + pattern->column[k]] = group->Ax[k];
    }
  }
}

/* As zw_eval_rate. */
ZwEightSet zw_group_eval_rate(ZwGroup* group, const ZwEight* y, ZwEight* rate) {
  const ZwRowSet* set = &group->sets[ZW_LEVEL_ACCELERATION];
  int32_t n = group->n;
  ZwEightSet fine = eval_acceleration(group, y);
  gather_M(group);
  gather_A(group, set);
  for (int32_t r = 0; r < set->count; r++) group->bI[r] = group->b[set->rows[r]];
  fine &= zw_least_group_factor(group->least, set->count, group->M, group->A);
  fine &= zw_least_group_solve(group->least, group->h, group->bI, group->a, group->lambda, group->Qc);
  const ZwEight* v = y + n;
  ZwEight power = group->power[0];
  for (int32_t i = 0; i < n; i++) {
    rate[i] = v[i];
    rate[n + i] = group->a[i];
    power = plus(power, times(plus(group->Q[i], group->Qc[i]), v[i]));
  }
  rate[2 * n] = power;
  return fine;
}

/* ---- onto the constraints ---- */

/* What a residual of row i can be asked for is the tolerance, but never less than round-off; this is its part of that. */
static ZwEight part_of_row(const ZwGroup* group, int32_t i, const ZwEight* residual, const ZwEight* x) {
  const ZwPattern* pattern = &group->equations->A;
  ZwEight size = spread(0);
  for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
    size = plus(size, size_of(times(group->Ax[k], x[pattern->column[k]])));
  }
  ZwEight floor = times(spread(ZW_ROUND_OFF * DBL_EPSILON), size);
  return over(size_of(residual[i]), plus(times(group->tol_project, group->scale[i]), floor));
}

static ZwEight worst_frozen(const ZwGroup* group, const ZwEight* residual, const ZwEight* x, const ZwRowSet* set) {
  ZwEight largest = spread(0);
  for (int32_t r = 0; r < set->count; r++) {
    ZwEight off = part_of_row(group, set->rows[r], residual, x);
    largest = choose(is_at_most(off, largest), largest, off);
  }
  return largest;
}

/* All rows up to a level are on: a group has no rows that come and go. */
static ZwEight worst(const ZwGroup* group, const ZwEight* residual, const ZwEight* x, ZwLevel level) {
  ZwEight largest = spread(0);
  for (int32_t i = 0; i < group->m; i++) {
    if (group->equations->rows.items[i].level > level) continue;
    ZwEight off = part_of_row(group, i, residual, x);
    largest = choose(is_at_most(off, largest), largest, off);
  }
  return largest;
}

static ZwEightSet correct(ZwGroup* group, const ZwRowSet* set, const ZwEight* residual, ZwEight* x, bool is_first,
                          ZwEightSet active) {
  ZwEightSet fine = ZW_EIGHT_ALL;
  ZwEightMask moves = mask_of(active);
  if (is_first) {
    gather_A(group, set);
    fine = zw_least_group_factor(group->least, set->count, group->M, group->A);
  }
  for (int32_t r = 0; r < set->count; r++) group->rI[r] = residual[set->rows[r]];
  fine &= zw_least_group_project(group->least, group->rI, group->dx);
  for (int32_t i = 0; i < group->n; i++) x[i] = choose(moves, plus(x[i], group->dx[i]), x[i]);
  return fine;
}

static ZwEight moved(const ZwGroup* group, const ZwEight* before, const ZwEight* after) {
  ZwEight sum = spread(0), one = spread(1);
  for (int32_t i = 0; i < group->n; i++) {
    ZwEight scaled = over(minus(after[i], before[i]), times(group->tolerance, plus(one, size_of(after[i]))));
    sum = plus(sum, times(scaled, scaled));
  }
  return root(over(sum, spread(group->n)));
}

/* Gives those who are on the rows of the level; their displacement grows. Each stops where it would alone: after that its
 * numbers stay what they are. */
static ZwEightSet project_level(ZwGroup* group, ZwLevel level, ZwEight* y, ZwEightSet places, ZwEight* displacement) {
  enum { NEWTON_MAX = 12 };
  const ZwRowSet* set = &group->sets[level];
  ZwEight* x = level == ZW_LEVEL_POSITION ? y : y + group->n;
  const ZwEight* residual = level == ZW_LEVEL_POSITION ? group->phi : group->psi;
  if (set->candidates == 0) return places;
  for (int32_t i = 0; i < group->n; i++) group->before[i] = x[i];
  ZwEightSet active = places, is_last = 0;
  ZwEight previous = spread(INFINITY), one = spread(1), off = spread(0);
  for (int i = 0;; i++) {
    places &= eval_rows(group, level, y);
    off = worst_frozen(group, residual, x, set);
    active &= places & ~is_last;
    if (set->count == 0 || active == 0) break;
    if (i == NEWTON_MAX) {
      places &= ~active;
      break;
    }
    if (i > 2) places &= ~(active & set_of(is_less(times(spread(0.5), previous), off)) & set_of(is_less(one, off)));
    is_last |= active & set_of(is_at_most(off, one));
    previous = off;
    places &= correct(group, set, residual, x, i == 0, active) | ~active;
  }
  *displacement = larger(moved(group, group->before, x), *displacement);
  if (set->count < set->candidates) off = worst(group, residual, x, level);
  return places & ~set_of(is_less(spread(ZW_TOL_DROPPED), off));
}

/* As zw_project. */
ZwEightSet zw_group_project(ZwGroup* group, ZwEight* y, ZwEightSet places, ZwEight* displacement) {
  places = project_level(group, ZW_LEVEL_POSITION, y, places, displacement);
  return places ? project_level(group, ZW_LEVEL_VELOCITY, y, places, displacement) : 0;
}
