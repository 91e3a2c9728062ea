/* Intermediate results with a name of their own: D12, u3. In expressions they are leaves, parameters beyond those of the model, so that
 * tidying takes them as one thing, and what is printed stays as short as the steps are. */
#ifndef ZW_PAPER_STEPS_H
#define ZW_PAPER_STEPS_H

#include "paper/paper.h"
#include "paper/states.h"

/* The step of a leaf; NULL: e is no step. */
const ZwStep* zw_step_of(const ZwSheet* paper, ZwExpr e);

/* Names a value, and gives the leaf that stands for it from now on. Numbers, leaves and their negatives keep their own name, and so does what
 * was named before; a name that is there already stays what it is, written as it was. Beyond ZW_STEPS_MOST steps the value itself is given
 * back. */
ZwExpr zw_name_step(ZwPaperStates* states, const char* name, ZwExpr value);
/* The same for what would take more than `most` nodes to write. */
ZwExpr zw_name_long_step(ZwPaperStates* states, const char* name, ZwExpr value, double most);

/* This prefix, or a longer one that begins no name of the model followed by digits only. */
const char* zw_step_prefix(ZwSheet* paper, const char* wish);
/* The same for names whose digits are theirs alone, as the number of the step or of an unknown: they share the prefix, wherever they are made. */
const char* zw_counted_prefix(ZwSheet* paper, const char* wish);

#endif
