/* The reference evaluator: one expression, one state, node by node. Slow and simple; kernels are checked against it. */
#ifndef ZW_EXPR_EVAL_H
#define ZW_EXPR_EVAL_H

#include "expr/walk.h"

typedef struct ZwEnvironment {
  double t;
  const double *params, *q, *v, *a; /* by index; may be NULL when the expression reads none of them */
} ZwEnvironment;

typedef struct ZwEvaluator {
  ZwWalk walk;
  ZW_ARRAY(double) values; /* parallel to walk.order */
} ZwEvaluator;

void zw_evaluator_init(ZwEvaluator* evaluator, ZwArena* arena);

/* The value, NaN when memory is out. */
double zw_expr_eval(ZwEvaluator* evaluator, const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment);

/* After zw_expr_eval: the first node without a finite value although all its arguments have one; ref 0 if none. */
ZwExpr zw_evaluator_culprit(const ZwEvaluator* evaluator);
/* After zw_expr_eval: the value of a node the evaluation went through. */
double zw_evaluator_value(const ZwEvaluator* evaluator, ZwExpr node);

#endif
