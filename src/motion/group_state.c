/* Numbers at a state, and the way onto the constraints, for all members of a group. */
#include <float.h>
#include <math.h>

#include "motion/group_parts.h"

static void zero(ZwEight* x, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) x[i] = spread(0);
}

bool zw_group_half(const ZwGroup* group, int half) {
  const ZwPlaces half_mask = (1u << ZW_GROUP_FOUR) - 1;
  return (group->occupied >> (half * ZW_GROUP_FOUR) & half_mask) != 0;
}

static void run(ZwGroup* group, ZwEntry entry, const ZwEight* q, const ZwEight* v) {
  for (int half = 0; half < ZW_GROUP_HALVES; half++) {
    if (!zw_group_half(group, half)) continue;
    group->states[half].q = (const double*)q + half * ZW_GROUP_FOUR;
    group->states[half].v = (const double*)v + half * ZW_GROUP_FOUR;
    zw_program_run(&group->program, entry, &group->states[half]);
  }
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
  int32_t count = zw_equations_values(group->equations);
  if (count == 0) return ZW_EIGHT_ALL;
  zero(group->outs, count);
  run(group, ZW_ENTRY_OUTPUT, y, y + group->n);
  return all_finite(group->equations->output_count, group->outs);
}

/* As zw_eval_rate. */
ZwEightSet zw_group_eval_rate(ZwGroup* group, const ZwEight* y, ZwEight* rate) {
  int32_t n = group->n;
  const ZwEight* v = y + n;
  bool has_M = group->program.is_M_constant && group->has_M;
  int32_t kept = has_M ? group->program.block.A : 0;
  zero(group->block + kept, group->program.block.targets - kept);
  run(group, ZW_ENTRY_ACCELERATION, y, v);
  for (int half = 0; half < ZW_GROUP_HALVES && !has_M; half++) {
    if (zw_group_half(group, half)) zw_program_masses(&group->program, &group->states[half]);
  }
  ZwEightSet fine = zw_group_solve(group, v);
  for (int32_t i = 0; i < n; i++) {
    rate[i] = v[i];
    rate[n + i] = group->a[i];
  }
  rate[2 * n] = *zw_group_number(group, group->program.block.work);
  return fine;
}

/* ---- onto the constraints ---- */

/* As in project.c: residuals are measured by what may be asked of their rows. */
static void look_at(const ZwGroup* group, int32_t i, const ZwEight* residual, const ZwEight* x, ZwEight* worst) {
  const ZwPattern* pattern = &group->equations->A;
  ZwEight sum = group->row_size[residual == group->phi ? ZW_LEVEL_POSITION : ZW_LEVEL_VELOCITY][i];
  sum = choose(is_less(spread(0), sum), sum, group->scale[i]);
  ZwEight size = size_of(residual[i]), asked = times(group->tol_project, sum), terms = spread(0);
  ZwEightMask is_less_anyway = is_at_most(size, times(*worst, asked));
  if (set_of(is_less_anyway) == ZW_EIGHT_ALL) return;
  for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
    terms = plus(terms, size_of(times(group->Ax[k], x[pattern->column[k]])));
  }
  ZwEight off = over(size, plus(asked, times(spread(ZW_ROUND_OFF * DBL_EPSILON), terms)));
  off = choose(is_at_most(off, *worst), *worst, off);
  *worst = choose(is_less_anyway, *worst, off);
}

static ZwEight worst_frozen(const ZwGroup* group, const ZwEight* residual, const ZwEight* x, const ZwRowSet* set) {
  ZwEight worst = spread(0);
  for (int32_t r = 0; r < set->count; r++) look_at(group, set->rows[r], residual, x, &worst);
  return worst;
}

/* All rows up to a level are on: a group has no rows that come and go. */
static ZwEight worst_of_all(const ZwGroup* group, const ZwEight* residual, const ZwEight* x, ZwLevel level) {
  ZwEight worst = spread(0);
  for (int32_t i = 0; i < group->m; i++) {
    if (group->equations->rows.items[i].level <= level) look_at(group, i, residual, x, &worst);
  }
  return worst;
}

static ZwEightSet correct(ZwGroup* group, const ZwRowSet* set, const ZwEight* residual, ZwEight* x, bool is_first,
                          ZwEightSet active) {
  const ZwEight* dx = zw_group_number(group, group->program.block.dx);
  ZwEightMask moves = mask_of(active);
  ZwEightSet fine = is_first ? zw_group_factor(group, set) : ZW_EIGHT_ALL;
  fine &= zw_group_step(group, set, residual);
  for (int32_t i = 0; i < group->n; i++) x[i] = choose(moves, plus(x[i], dx[i]), x[i]);
  return fine;
}

static ZwEight moved(const ZwGroup* group, const ZwEight* unit, const ZwEight* before, const ZwEight* after) {
  ZwEight *sums = group->sums, worst = spread(0);
  for (int32_t g = 0; g < group->islands; g++) sums[g] = spread(0);
  for (int32_t i = 0; i < group->n; i++) {
    ZwEight scaled = over(minus(after[i], before[i]), times(group->tolerance, plus(unit[i], size_of(after[i]))));
    sums[group->island[i]] = plus(sums[group->island[i]], times(scaled, scaled));
  }
  for (int32_t g = 0; g < group->islands; g++) {
    worst = worse(worst, over(sums[g], spread(group->island_size[g])));
  }
  return root(worst);
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
  *displacement =
      larger(moved(group, group->unit + (level == ZW_LEVEL_POSITION ? 0 : group->n), group->before, x), *displacement);
  if (set->count < set->candidates) off = worst_of_all(group, residual, x, level);
  return places & ~set_of(is_less(spread(ZW_TOL_DROPPED), off));
}

/* As zw_project. */
ZwEightSet zw_group_project(ZwGroup* group, ZwEight* y, ZwEightSet places, ZwEight* displacement) {
  group->pivot_ratio = spread(1);
  places = project_level(group, ZW_LEVEL_POSITION, y, places, displacement);
  return places ? project_level(group, ZW_LEVEL_VELOCITY, y, places, displacement) : 0;
}
