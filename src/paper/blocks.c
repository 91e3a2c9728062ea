#include "paper/blocks.h"

#include <string.h>

/* Nodes: entries of blocks that have names; a block of two in which they have none, if that is wished; results of the elimination that have none. */
enum { ENTRY_LONG = 8, PLAIN_MOST = 120, STEP_LONG = 2 };

typedef struct Solve {
  const ZwBlocks* blocks;
  ZwPaperStates* states;
  ZwSheet* paper;
  ZwTidy* tidy;
  ZwGraph* graph;
  int32_t n, c;
  ZwExpr *K, *R, *X;  /* of the whole system, changed in place */
  int32_t* member;    /* n: the block being solved */
  int32_t count;      /* unknowns of it */
  bool* is_done;      /* n */
  const char* prefix; /* of the steps of an elimination */
} Solve;

static bool is_zero(const Solve* s, ZwExpr e) {
  return zw_expr_is_const(s->graph, e, 0);
}

static ZwExpr number(const Solve* s, double value) {
  return zw_expr_const(s->graph, value);
}

static double cost_of(const Solve* s, ZwExpr e) {
  return zw_tidy_facts(s->tidy, e.ref)->cost;
}

/* ---- blocks ---- */

/* The unknowns joined with `first`, which then count as done. */
static void find_block(Solve* s, int32_t first) {
  s->count = 0;
  s->member[s->count++] = first;
  s->is_done[first] = true;
  for (int32_t at = 0; at < s->count; at++) {
    int32_t i = s->member[at];
    for (int32_t j = 0; j < s->n; j++) {
      if (s->is_done[j] || is_zero(s, s->K[i * s->n + j])) continue;
      s->is_done[j] = true;
      s->member[s->count++] = j;
    }
  }
  /* in the order of the model */
  for (int32_t i = 1; i < s->count; i++) {
    int32_t item = s->member[i], j = i;
    for (; j > 0 && s->member[j - 1] > item; j--) s->member[j] = s->member[j - 1];
    s->member[j] = item;
  }
}

/* ---- one unknown ---- */

static ZwSolved solve_one(Solve* s) {
  int32_t i = s->member[0];
  ZwExpr pivot = s->K[i * s->n + i];
  if (is_zero(s, pivot) || !zw_paper_is_nonzero(s->states, pivot)) return ZW_SOLVED_SINGULAR;
  zw_conditions_add(s->paper, s->blocks->conditions, pivot);
  for (int32_t k = 0; k < s->c; k++) {
    ZwExpr r = s->R[i * s->c + k];
    s->X[i * s->c + k] = is_zero(s, r) ? r : zw_tidy(s->tidy, zw_expr_div(s->graph, r, pivot));
  }
  return ZW_SOLVED;
}

/* ---- cofactors ---- */

typedef struct Minors {
  Solve* solve;
  ZwExpr entry[ZW_COFACTORS_MOST][ZW_COFACTORS_MOST];
} Minors;

/* The determinant of these rows and columns, along the first of the rows. */
static ZwExpr minor(const Minors* m, uint32_t rows, uint32_t columns) {
  if (!rows) return number(m->solve, 1);
  ZwGraph* graph = m->solve->graph;
  int32_t i = 0;
  while (!(rows >> i & 1)) i++;
  ZwExpr sum = number(m->solve, 0);
  bool is_odd = false;
  for (int32_t j = 0; j < ZW_COFACTORS_MOST; j++) {
    if (!(columns >> j & 1)) continue;
    if (!is_zero(m->solve, m->entry[i][j])) {
      ZwExpr share = zw_expr_mul(graph, m->entry[i][j], minor(m, rows & ~(1u << i), columns & ~(1u << j)));
      sum = is_odd ? zw_expr_sub(graph, sum, share) : zw_expr_add(graph, sum, share);
    }
    is_odd = !is_odd;
  }
  return zw_tidy(m->solve->tidy, sum);
}

static void name_entries(const Solve* s, Minors* m) {
  bool is_plain = s->blocks->is_plain && s->count == 2;
  double cost = 0;
  for (int32_t a = 0; a < s->count; a++) {
    for (int32_t b = 0; b <= a; b++) cost += cost_of(s, s->K[s->member[a] * s->n + s->member[b]]);
  }
  for (int32_t a = 0; a < s->count; a++) {
    for (int32_t b = a; b < s->count; b++) {
      int32_t i = s->member[a], j = s->member[b];
      ZwExpr* e = &s->K[i * s->n + j];
      if (!is_plain || cost > PLAIN_MOST) {
        const char* form = s->n > 9 ? "%s%d_%d" : "%s%d%d";
        *e = zw_name_long_step(s->states, zw_format(s->paper->arena, form, s->blocks->letter, i + 1, j + 1), *e,
                               ENTRY_LONG);
      }
      m->entry[a][b] = m->entry[b][a] = s->K[j * s->n + i] = *e;
    }
  }
}

/* The cofactors with their signs, symmetric as K; with names where they serve several right sides. */
static void find_cofactors(const Solve* s, const Minors* m, ZwExpr cofactor[][ZW_COFACTORS_MOST]) {
  uint32_t all = (1u << s->count) - 1;
  const char* prefix = zw_counted_prefix(s->paper, zw_format(s->paper->arena, "c%s", s->blocks->letter));
  for (int32_t a = 0; a < s->count; a++) {
    for (int32_t b = 0; b <= a; b++) {
      ZwExpr e = minor(m, all & ~(1u << b), all & ~(1u << a));
      if ((a + b) % 2) e = zw_tidy(s->tidy, zw_expr_neg(s->graph, e));
      const char* form = s->n > 9 ? "%s%d_%d" : "%s%d%d";
      const char* name = zw_format(s->paper->arena, form, prefix, s->member[b] + 1, s->member[a] + 1);
      if (s->count > 2 && s->c > 1) e = zw_name_long_step(s->states, name, e, ENTRY_LONG);
      cofactor[a][b] = cofactor[b][a] = e;
    }
  }
}

/* x_a = sum over b of the cofactor (a, b) R_b / det K */
static ZwSolved solve_by_cofactors(Solve* s) {
  Minors m = {.solve = s};
  name_entries(s, &m);
  uint32_t all = (1u << s->count) - 1;
  ZwExpr det = minor(&m, all, all);
  if (!det.ref || !zw_paper_is_nonzero(s->states, det)) return ZW_SOLVED_SINGULAR;
  zw_conditions_add(s->paper, s->blocks->conditions, det);
  if (!s->blocks->is_plain || s->count > 2) {
    const char* name = zw_counted_prefix(s->paper, zw_format(s->paper->arena, "det%s", s->blocks->letter));
    det = zw_name_step(s->states, zw_format(s->paper->arena, "%s%d", name, s->member[0] + 1), det);
  }
  ZwExpr cofactor[ZW_COFACTORS_MOST][ZW_COFACTORS_MOST];
  find_cofactors(s, &m, cofactor);
  for (int32_t a = 0; a < s->count; a++) {
    for (int32_t k = 0; k < s->c; k++) {
      ZwExpr sum = number(s, 0);
      for (int32_t b = 0; b < s->count; b++) {
        ZwExpr r = s->R[s->member[b] * s->c + k];
        sum = zw_expr_add(s->graph, sum, zw_expr_mul(s->graph, cofactor[a][b], r));
      }
      ZwExpr x = is_zero(s, sum) ? sum : zw_expr_div(s->graph, sum, det);
      s->X[s->member[a] * s->c + k] = zw_tidy(s->tidy, x);
    }
  }
  return ZW_SOLVED;
}

/* ---- elimination ---- */

static ZwExpr named(const Solve* s, ZwExpr value) {
  const char* name = zw_format(s->paper->arena, "%s%d", s->prefix, (int)s->paper->steps.count + 1);
  return zw_name_long_step(s->states, name, zw_tidy(s->tidy, value), STEP_LONG);
}

static int32_t neighbours(const Solve* s, const bool* is_gone, int32_t i) {
  int32_t count = 0;
  for (int32_t b = 0; b < s->count; b++) {
    int32_t j = s->member[b];
    count += j != i && !is_gone[j] && !is_zero(s, s->K[i * s->n + j]);
  }
  return count;
}

/* The unknown with the fewest neighbours whose pivot is not zero, if possible not at the start either; -1: there is none. */
static int32_t next_pivot(const Solve* s, const bool* is_gone) {
  int32_t best = -1, least = INT32_MAX;
  for (int32_t a = 0; a < s->count; a++) {
    int32_t i = s->member[a];
    if (is_gone[i]) continue;
    ZwExpr pivot = s->K[i * s->n + i];
    int32_t count = neighbours(s, is_gone, i);
    if (count >= least && least < s->n) continue;
    if (is_zero(s, pivot) || !zw_paper_is_nonzero(s->states, pivot)) continue;
    if (!zw_paper_is_nonzero_at_start(s->states, pivot)) count += s->n;
    if (count >= least) continue;
    least = count;
    best = i;
  }
  return best;
}

/* Row i and column i, less their share of the pivot p. */
static void subtract(Solve* s, const bool* is_gone, int32_t p, int32_t i) {
  ZwExpr factor = named(s, zw_expr_div(s->graph, s->K[i * s->n + p], s->K[p * s->n + p]));
  for (int32_t b = 0; b < s->count; b++) {
    int32_t j = s->member[b];
    ZwExpr e = s->K[p * s->n + j];
    if (j < i || j == p || is_gone[j] || is_zero(s, e)) continue;
    ZwExpr left = zw_expr_sub(s->graph, s->K[i * s->n + j], zw_expr_mul(s->graph, factor, e));
    s->K[i * s->n + j] = s->K[j * s->n + i] = named(s, left);
  }
  for (int32_t k = 0; k < s->c; k++) {
    ZwExpr e = s->R[p * s->c + k], *r = &s->R[i * s->c + k];
    if (!is_zero(s, e)) *r = named(s, zw_expr_sub(s->graph, *r, zw_expr_mul(s->graph, factor, e)));
  }
}

/* Pivots on the diagonal, as many as there are; *count of them, in their order. */
static ZwSolved eliminate(Solve* s, bool* is_gone, int32_t* order, int32_t* count) {
  for (*count = 0; *count < s->count; ++*count) {
    int32_t p = next_pivot(s, is_gone);
    if (p < 0) return ZW_SOLVED;
    ZwExpr* pivot = &s->K[p * s->n + p];
    *pivot = named(s, *pivot);
    zw_conditions_add(s->paper, s->blocks->conditions, *pivot);
    is_gone[order[*count] = p] = true;
    for (int32_t a = 0; a < s->count; a++) {
      int32_t i = s->member[a];
      if (!is_gone[i] && !is_zero(s, s->K[i * s->n + p])) subtract(s, is_gone, p, i);
    }
    if (s->paper->arena->failed) return ZW_SOLVED;
    if (s->paper->steps.count >= ZW_STEPS_MOST) return ZW_SOLVED_TOO_LARGE;
  }
  return ZW_SOLVED;
}

/* What is left, without a pivot on its diagonal. The unknowns of it go to the end of the order. */
static ZwSolved solve_rest(Solve* s, const bool* is_gone, int32_t* order, int32_t count) {
  int32_t rest = s->count - count, *member = order + count;
  if (rest == 0) return ZW_SOLVED;
  for (int32_t a = 0, at = 0; a < s->count; a++) {
    if (!is_gone[s->member[a]]) member[at++] = s->member[a];
  }
  ZwExpr *K = zw_paper_zeros(s->paper, rest, rest), *R = zw_paper_zeros(s->paper, rest, s->c),
         *X = zw_paper_zeros(s->paper, rest, s->c);
  if (s->paper->arena->failed) return ZW_SOLVED;
  for (int32_t i = 0; i < rest; i++) {
    for (int32_t j = 0; j < rest; j++) K[i * rest + j] = s->K[member[i] * s->n + member[j]];
    for (int32_t k = 0; k < s->c; k++) R[i * s->c + k] = s->R[member[i] * s->c + k];
  }
  ZwSolved solved = zw_square_solve(s->states, s->blocks->conditions, rest, K, s->c, R, X);
  for (int32_t i = 0; i < rest; i++) {
    for (int32_t k = 0; k < s->c; k++) s->X[member[i] * s->c + k] = X[i * s->c + k];
  }
  return solved;
}

/* x_p = (R_p - sum of those solved before) / K_pp, the last pivot first */
static void substitute_back(Solve* s, const int32_t* order, int32_t count) {
  for (int32_t at = count - 1; at >= 0; at--) {
    int32_t p = order[at];
    for (int32_t k = 0; k < s->c; k++) {
      ZwExpr sum = s->R[p * s->c + k];
      for (int32_t after = at + 1; after < s->count; after++) {
        ZwExpr e = s->K[p * s->n + order[after]], x = s->X[order[after] * s->c + k];
        if (!is_zero(s, e)) sum = zw_expr_sub(s->graph, sum, zw_expr_mul(s->graph, e, x));
      }
      if (!is_zero(s, sum)) sum = named(s, zw_expr_div(s->graph, sum, s->K[p * s->n + p]));
      s->X[p * s->c + k] = sum;
    }
  }
}

static ZwSolved solve_by_elimination(Solve* s) {
  bool* is_gone = ZW_NEW(s->paper->arena, s->n, bool);
  int32_t *order = ZW_NEW(s->paper->arena, s->n, int32_t), count = 0;
  s->prefix = zw_counted_prefix(s->paper, "u");
  if (!is_gone || !order || !s->prefix) return ZW_SOLVED;
  ZwSolved solved = eliminate(s, is_gone, order, &count);
  if (solved == ZW_SOLVED && !s->paper->arena->failed) solved = solve_rest(s, is_gone, order, count);
  if (solved == ZW_SOLVED && !s->paper->arena->failed) substitute_back(s, order, count);
  return solved;
}

/* ---- all ---- */

static ZwSolved solve_block(Solve* s) {
  if (s->count == 1) return solve_one(s);
  return s->count <= ZW_COFACTORS_MOST ? solve_by_cofactors(s) : solve_by_elimination(s);
}

ZwSolved zw_blocks_solve(const ZwBlocks* blocks, int32_t n, const ZwExpr* K, int32_t c, const ZwExpr* R, ZwExpr* X) {
  ZwSheet* paper = blocks->states->paper;
  ZwArena* arena = paper->arena;
  Solve s = {blocks, blocks->states, paper, &paper->tidy, &paper->graph, n, c, .X = X};
  s.K = ZW_NEW(arena, (ptrdiff_t)n * n + 1, ZwExpr);
  s.R = ZW_NEW(arena, (ptrdiff_t)n * c + 1, ZwExpr);
  s.member = ZW_NEW(arena, n + 1, int32_t);
  s.is_done = ZW_NEW(arena, n + 1, bool);
  if (arena->failed) return ZW_SOLVED;
  if (n > 0) memcpy(s.K, K, (size_t)n * (size_t)n * sizeof *K);
  if (n > 0 && c > 0) memcpy(s.R, R, (size_t)n * (size_t)c * sizeof *R);
  for (int32_t i = 0; i < n; i++) {
    if (s.is_done[i]) continue;
    find_block(&s, i);
    ZwSolved solved = solve_block(&s);
    if (solved != ZW_SOLVED || arena->failed) return solved;
  }
  return ZW_SOLVED;
}
