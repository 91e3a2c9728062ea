/* The reference evaluator: one expression, one state, node by node. Slow and simple; kernels are checked against it. */
#ifndef ZW_EXPR_EVAL_H
#define ZW_EXPR_EVAL_H

#include "expr/table.h"
#include "expr/walk.h"

typedef struct ZwEnvironment {
  double t;
  const double *params, *q, *v, *a; /* by index; may be NULL when the expression reads none of them */
} ZwEnvironment;

typedef struct ZwEvaluator {
  ZwWalk own;
  ZwWalk* shared;          /* used in place of its own, if there is one */
  const ZwTables* tables;  /* for expressions that read them */
  ZW_ARRAY(double) values; /* parallel to the order of the walk */
  ZW_ARRAY(double) rates;  /* the same, of zw_expr_rate */
} ZwEvaluator;

void zw_evaluator_init(ZwEvaluator* evaluator, ZwArena* arena);
/* Works with a walk of the caller, who may use it in between: large graphs need large walks. */
void zw_evaluator_share(ZwEvaluator* evaluator, ZwWalk* walk);

/* The value, NaN when memory is out. */
double zw_expr_eval(ZwEvaluator* evaluator, const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment);

/* How fast the value changes when the parameters change at the rates `dparams` and nothing else does; NaN when memory is out. */
double zw_expr_rate(ZwEvaluator* evaluator, const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment,
                    const double* dparams);

/* The value of an expression of a few levels, without the walk, whose scratch is as long as the graph: a large model has many
 * small expressions to evaluate once. False: it is not so small, or reads a table. */
bool zw_expr_eval_small(const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment, double* value);

/* After zw_expr_eval: the first node without a finite value although all its arguments have one; ref 0 if none. */
ZwExpr zw_evaluator_culprit(const ZwEvaluator* evaluator);
/* After zw_expr_eval: the value of a node the evaluation went through. */
double zw_evaluator_value(const ZwEvaluator* evaluator, ZwExpr node);

#endif
