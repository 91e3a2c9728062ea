/* The solve of small.c for all members of a group: the same parts of the same elimination, one lane for each. */
#include <math.h>

#include "motion/group_parts.h"

static void run_part(ZwGroup* group, ZwEliminatePart part, const ZwEight* v) {
  for (int half = 0; half < ZW_GROUP_HALVES; half++) {
    if (!zw_group_half(group, half)) continue;
    group->parts[half].v = (const double*)v + half * ZW_GROUP_FOUR;
    zw_program_eliminate(&group->program, part, &group->parts[half]);
  }
}

static ZwEightSet is_sound(const ZwGroup* group, int32_t check) {
  return set_of(is_less(spread(0), *zw_group_number(group, check)));
}

static void ready_masses(ZwGroup* group) {
  if (group->has_M && group->program.is_M_constant) return;
  group->has_M = true;
  run_part(group, ZW_ELIMINATE_MASS, group->zero);
  group->definite = is_sound(group, group->program.block.mass_check) & all_finite(group->equations->M.count, group->Mx);
}

static ZwEight left_out(ZwEight size) {
  ZwEight large = larger(times(spread(ZW_LEFT_OUT_TIMES), times(size, size)), spread(ZW_LEFT_OUT));
  return smaller(large, spread(ZW_LEFT_OUT_MOST));
}

/* Leaves the rows out that are not in the set. */
static void use_rows(ZwGroup* group, const ZwRowSet* set) {
  ZwEight* slack = zw_group_number(group, group->program.block.slack);
  if (set->count == group->m && group->row_count == group->m) return;
  for (int32_t i = 0; i < group->m; i++) slack[i] = set->count == group->m ? spread(0) : left_out(group->scale[i]);
  for (int32_t r = 0; r < set->count; r++) slack[set->rows[r]] = spread(0);
  group->row_count = set->count;
}

ZwEightSet zw_group_solve(ZwGroup* group, const ZwEight* v) {
  const ZwRowSet* set = &group->sets[ZW_LEVEL_ACCELERATION];
  ready_masses(group);
  use_rows(group, set);
  run_part(group, ZW_ELIMINATE_SOLVE, v);
  for (int32_t r = 0; r < set->count; r++) group->lambda[r] = group->lambda[set->rows[r]];
  return group->definite & is_sound(group, group->program.block.check);
}

ZwEightSet zw_group_factor(ZwGroup* group, const ZwRowSet* set) {
  const ZwEight* pivots = zw_group_number(group, group->program.block.pivots);
  ZwEight least = spread(INFINITY), largest = spread(0);
  ready_masses(group);
  use_rows(group, set);
  run_part(group, ZW_ELIMINATE_FACTOR, group->zero);
  for (int32_t r = 0; r < set->count; r++) {
    ZwEight size = group->scale[set->rows[r]], pivot = over(pivots[set->rows[r]], times(size, size));
    least = smaller(pivot, least);
    largest = larger(pivot, largest);
  }
  group->pivot_ratio = root(over(least, largest));
  return group->definite;
}

static ZwEightSet run_projection(ZwGroup* group) {
  run_part(group, ZW_ELIMINATE_PROJECT, group->zero);
  return is_sound(group, group->program.block.project_check);
}

ZwEightSet zw_group_step(ZwGroup* group, const ZwRowSet* set, const ZwEight* residual) {
  ZwEight* r = zw_group_number(group, group->program.block.residual);
  for (int32_t i = 0; i < group->m && set->count < group->m; i++) r[i] = spread(0);
  for (int32_t i = 0; i < set->count; i++) r[set->rows[i]] = residual[set->rows[i]];
  return run_projection(group);
}

ZwEightSet zw_group_measure(ZwGroup* group, ZwEight* smallest, ZwEightSet* sure) {
  const ZwBlock* block = &group->program.block;
  run_part(group, ZW_ELIMINATE_MEASURE, group->zero);
  *smallest = *zw_group_number(group, block->smallest);
  *sure = set_of(is_at_most(spread(0), *zw_group_number(group, block->surety)));
  return is_sound(group, block->measure_check);
}

ZwEightSet zw_group_row_sizes(ZwGroup* group) {
  const ZwEight* sizes = zw_group_number(group, group->program.block.sizes);
  ready_masses(group);
  run_part(group, ZW_ELIMINATE_SIZES, group->zero);
  for (int32_t i = 0; i < group->m; i++) group->size[i] = sizes[i];
  return group->definite;
}
