/* Which columns of L stand in one panel, and which panels update which.
 *
 * Neighbouring columns whose rows are the same belong together. Panels grow further where this costs few zeros: a
 * panel and the one right behind it, if that is above it in the tree, have all rows of the latter in common. */
#include "sparse/ldl.h"

enum { NONE = -1 };

/* A panel of so many columns may carry this part of zeros along. */
static double zeros_allowed(int32_t columns) {
  if (columns <= 4) return 1;
  if (columns <= 16) return 0.5;
  return columns <= 48 ? 0.1 : 0.05;
}

typedef struct Growing {
  int32_t first, last, below; /* columns, and rows below them */
  double entries;             /* that are not zero, with the diagonal */
} Growing;

static double trapezoid(double columns, double below) {
  return 0.5 * columns * (columns + 1) + columns * below;
}

static bool may_join(const Growing* before, const Growing* behind, const int32_t* parent) {
  int32_t up = parent[before->last];
  if (up < behind->first || up > behind->last) return false;
  double all = trapezoid(behind->last - before->first + 1, behind->below);
  return all - before->entries - behind->entries <= zeros_allowed(behind->last - before->first + 1) * all;
}

/* The first columns of all panels; `stack` takes n. */
static int32_t find_panels(int32_t n, const int32_t* parent, const int32_t* counts, Growing* stack) {
  int32_t height = 0;
  for (int32_t j = 0; j < n; j++) {
    Growing now = {.first = j, .last = j, .below = counts[j], .entries = counts[j] + 1.0};
    Growing* top = height > 0 ? &stack[height - 1] : NULL;
    bool is_same = top && parent[j - 1] == j && counts[j - 1] == counts[j] + 1;
    if (is_same) {
      top->last = j;
      top->below = now.below;
      top->entries += now.entries;
    } else {
      stack[height++] = now;
    }
    /* a panel is complete when the next column does not continue it; then those before it may join */
    bool is_complete = j + 1 == n || parent[j] != j + 1 || counts[j] != counts[j + 1] + 1;
    while (is_complete && height > 1 && may_join(&stack[height - 2], &stack[height - 1], parent)) {
      Growing* before = &stack[height - 2];
      *before = (Growing){.first = before->first,
                          .last = stack[height - 1].last,
                          .below = stack[height - 1].below,
                          .entries = before->entries + stack[height - 1].entries};
      height--;
    }
  }
  return height;
}

/* Row k is a row of all panels on the ways up from the entries of row k of K. With `fill` the rows are written, else
 * counted. */
static void gather_rows(const ZwLdlPlan* plan, const int32_t* panel_of, const int32_t* above, int32_t* mark,
                        int32_t* next, bool has_to_fill) {
  const ZwPanels* panels = &plan->panels;
  for (int32_t s = 0; s < panels->count; s++) mark[s] = NONE;
  for (int32_t k = 0; k < plan->n; k++) {
    mark[panel_of[k]] = k;
    for (int32_t p = plan->input.begin[k]; p < plan->input.begin[k + 1]; p++) {
      for (int32_t s = panel_of[plan->input.column[p]]; mark[s] != k; s = above[s]) {
        mark[s] = k;
        if (has_to_fill) panels->row[next[s]] = k;
        next[s]++;
      }
    }
  }
}

static bool plan_rows_of_panels(ZwArena* arena, ZwArena* scratch, const int32_t* parent, const int32_t* panel_of,
                                ZwLdlPlan* plan) {
  ZwPanels* panels = &plan->panels;
  int32_t count = panels->count;
  int32_t *above = ZW_NEW(scratch, count, int32_t), *mark = ZW_NEW(scratch, count, int32_t);
  int32_t* next = ZW_NEW(scratch, count, int32_t);
  panels->row_begin = ZW_NEW(arena, count + 1, int32_t);
  panels->value_begin = ZW_NEW(arena, count + 1, int64_t);
  if (arena->failed || scratch->failed) return false;
  for (int32_t s = 0; s < count; s++) {
    int32_t up = parent[panels->begin[s + 1] - 1];
    above[s] = up >= 0 ? panel_of[up] : NONE;
  }
  gather_rows(plan, panel_of, above, mark, next, false);
  for (int32_t s = 0; s < count; s++) {
    int32_t columns = panels->begin[s + 1] - panels->begin[s], rows = columns + next[s];
    panels->row_begin[s + 1] = panels->row_begin[s] + rows;
    panels->value_begin[s + 1] = panels->value_begin[s] + (int64_t)rows * columns;
    if (rows > panels->tallest) panels->tallest = rows;
  }
  panels->row = ZW_NEW(arena, panels->row_begin[count], int32_t);
  if (arena->failed) return false;
  for (int32_t s = 0; s < count; s++) {
    next[s] = panels->row_begin[s];
    for (int32_t j = panels->begin[s]; j < panels->begin[s + 1]; j++) panels->row[next[s]++] = j;
  }
  gather_rows(plan, panel_of, above, mark, next, true);
  return true;
}

/* The rows of panel `from`, beginning with row `first` of it, that are columns of one panel. */
static int32_t rows_in_one_panel(const ZwPanels* panels, const int32_t* panel_of, int32_t from, int32_t first) {
  int32_t end = panels->row_begin[from + 1] - panels->row_begin[from], last = first;
  const int32_t* row = panels->row + panels->row_begin[from];
  while (last < end && panel_of[row[last]] == panel_of[row[first]]) last++;
  return last - first;
}

static void gather_updates(ZwPanels* panels, const int32_t* panel_of, int32_t* next, bool has_to_fill) {
  for (int32_t from = 0; from < panels->count; from++) {
    int32_t columns = panels->begin[from + 1] - panels->begin[from];
    int32_t rows = panels->row_begin[from + 1] - panels->row_begin[from];
    for (int32_t first = columns; first < rows;) {
      int32_t count = rows_in_one_panel(panels, panel_of, from, first);
      int32_t to = panel_of[panels->row[panels->row_begin[from] + first]];
      if (has_to_fill) panels->updates[next[to]] = (ZwPanelUpdate){from, first, count};
      next[to]++;
      int64_t work = ((int64_t)count + 3) / 4 * 4 * columns;
      if (work > panels->widest_update) panels->widest_update = work;
      first += count;
    }
    int64_t own = 4 * (int64_t)columns;
    if (own > panels->widest_update) panels->widest_update = own;
  }
}

static bool plan_updates(ZwArena* arena, ZwArena* scratch, const int32_t* panel_of, ZwPanels* panels) {
  int32_t* next = ZW_NEW(scratch, panels->count, int32_t);
  panels->update_begin = ZW_NEW(arena, panels->count + 1, int32_t);
  if (arena->failed || scratch->failed) return false;
  gather_updates(panels, panel_of, next, false);
  for (int32_t s = 0; s < panels->count; s++) panels->update_begin[s + 1] = panels->update_begin[s] + next[s];
  panels->updates = ZW_NEW(arena, panels->update_begin[panels->count], ZwPanelUpdate);
  if (arena->failed) return false;
  for (int32_t s = 0; s < panels->count; s++) next[s] = panels->update_begin[s];
  gather_updates(panels, panel_of, next, true);
  return true;
}

/* Where each input goes. */
static bool plan_inputs(ZwArena* arena, ZwArena* scratch, ZwLdlPlan* plan) {
  const ZwPanels* panels = &plan->panels;
  ZwCsr columns;
  int32_t *place, *map = ZW_NEW(scratch, plan->n, int32_t);
  plan->input_place = ZW_NEW(arena, plan->input.begin[plan->n], int64_t);
  if (!zw_csr_transpose(scratch, &plan->input, &columns, &place) || arena->failed) return false;
  for (int32_t s = 0; s < panels->count; s++) {
    int32_t rows = panels->row_begin[s + 1] - panels->row_begin[s];
    for (int32_t i = 0; i < rows; i++) map[panels->row[panels->row_begin[s] + i]] = i;
    for (int32_t j = panels->begin[s]; j < panels->begin[s + 1]; j++) {
      int64_t column = panels->value_begin[s] + (int64_t)(j - panels->begin[s]) * rows;
      for (int32_t p = columns.begin[j]; p < columns.begin[j + 1]; p++) {
        plan->input_place[place[p]] = column + map[columns.column[p]];
      }
    }
  }
  return true;
}

static bool plan_panels(ZwArena* arena, ZwArena* scratch, const int32_t* parent, const int32_t* counts,
                        ZwLdlPlan* plan) {
  int32_t n = plan->n;
  ZwPanels* panels = &plan->panels;
  Growing* found = ZW_NEW(scratch, n, Growing);
  int32_t* panel_of = ZW_NEW(scratch, n, int32_t);
  if (scratch->failed) return false;
  panels->count = find_panels(n, parent, counts, found);
  panels->begin = ZW_NEW(arena, panels->count + 1, int32_t);
  if (arena->failed) return false;
  for (int32_t s = 0; s < panels->count; s++) {
    panels->begin[s + 1] = found[s].last + 1;
    for (int32_t j = found[s].first; j <= found[s].last; j++) panel_of[j] = s;
  }
  return plan_rows_of_panels(arena, scratch, parent, panel_of, plan) &&
         plan_updates(arena, scratch, panel_of, panels) && plan_inputs(arena, scratch, plan);
}

bool zw_panels_plan(ZwArena* arena, const int32_t* parent, const int32_t* counts, ZwLdlPlan* plan) {
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  bool has_worked = plan_panels(arena, &scratch, parent, counts, plan);
  return zw_scratch_destroy(&scratch, arena) && has_worked;
}
