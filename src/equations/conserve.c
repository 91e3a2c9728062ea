/* Is energy conserved? Then its drift is evidence by itself; otherwise the balance with the work done is. */
#include <math.h>

#include "equations/equations.h"
#include "expr/eval.h"

/* A small generator for test points; the same points every time. */
static double draw(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return 0.25 + 0.5 * (double)(*state >> 11) / 9007199254740992.0;
}

/* Velocities are also tried this many powers of two smaller and larger: beside numbers of the model that are small or large a term of
 * another degree is seen only there. */
static const int powers[] = {1, -60, 60};

/* psi(q, s v) = s^k psi(q, v) for one k at random points: then A v = k psi = 0, the constraint does no work (Euler). */
static bool is_homogeneous(ZwEquations* equations, ZwEvaluator* evaluator, ZwExpr psi) {
  const ZwSystem* system = equations->system;
  int32_t n = equations->n, params = system->params.count, tries = (int32_t)(sizeof powers / sizeof *powers);
  double* memory = ZW_NEW(equations->arena, 3 * n + params, double);
  if (!memory) return false;
  double *q = memory, *v = memory + n, *p = memory + 2 * n, *scaled = p + params;
  uint64_t state = 20181;
  double degree = NAN;
  for (int trial = 0; trial < 4 * tries; trial++) {
    for (int32_t i = 0; i < 2 * n + params; i++) memory[i] = draw(&state);
    int power = powers[trial % tries];
    for (int32_t i = 0; i < n; i++) scaled[i] = ldexp(v[i], power);
    ZwEnvironment environment = {.t = 0, .params = p, .q = q, .v = v};
    double before = zw_expr_eval(evaluator, &system->graph, psi, &environment);
    environment.v = scaled;
    double found = log2(zw_expr_eval(evaluator, &system->graph, psi, &environment) / before) / power;
    if (!isfinite(found)) return false;
    if (trial == 0) degree = round(found);
    if (degree < 1 || fabs(found - degree) > 1e-9) return false;
  }
  return true;
}

static bool row_does_work(ZwEquations* equations, ZwEvaluator* evaluator, const ZwTerm* term) {
  if (zw_expr_reads(&equations->system->graph, term->value).time) return true;
  if (term->level == ZW_LEVEL_POSITION) return false;
  return term->level != ZW_LEVEL_VELOCITY || !is_homogeneous(equations, evaluator, term->value);
}

/* A term, or a piece of its value. */
static bool does_work(ZwEquations* equations, ZwEvaluator* evaluator, const ZwTerm* term, ZwExpr value) {
  const ZwGraph* graph = &equations->system->graph;
  switch (term->kind) {
    case ZW_TERM_FORCE:
    case ZW_TERM_DISSIPATION:
      return !zw_expr_is_const(graph, value, 0); /* a damper of strength 0 is none */
    case ZW_TERM_CONSTRAINT:
      return row_does_work(equations, evaluator, term);
    case ZW_TERM_EXACT:
    case ZW_TERM_QUASI:
    case ZW_TERM_EVENT:
    case ZW_TERM_OUTPUT:
    case ZW_TERM_CLAIM:
      return false;
    default:
      return zw_expr_reads(graph, value).time;
  }
}

static ZwEvaluator open_evaluator(ZwEquations* equations, ZwWalk* walk) {
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, equations->arena);
  zw_evaluator_share(&evaluator, walk);
  evaluator.tables = &equations->system->tables;
  return evaluator;
}

bool zw_piece_does_work(ZwEquations* equations, ZwWalk* walk, const ZwPiece* piece) {
  ZwEvaluator evaluator = open_evaluator(equations, walk);
  return does_work(equations, &evaluator, &equations->system->terms.items[piece->term], piece->value);
}

bool zw_is_conservative(ZwEquations* equations, ZwWalk* walk) {
  const ZwSystem* system = equations->system;
  ZwEvaluator evaluator = open_evaluator(equations, walk);
  for (int32_t i = 0; i < system->contacts.count; i++) {
    if (system->contacts.items[i].slip_dim > 0) return false; /* friction takes energy */
  }
  for (int32_t i = 0; i < system->terms.count; i++) {
    const ZwTerm* term = &system->terms.items[i];
    if (does_work(equations, &evaluator, term, term->value)) return false;
  }
  return true;
}
