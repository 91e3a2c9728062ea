/* Expressions put in the order a person would write them in: like terms collected, numbers in front, fractions cancelled.
 *
 * The value stays the same up to rounding (and up to points where a fraction x/x had none). The work is bounded: what is
 * too large is returned as it is. */
#ifndef ZW_PAPER_TIDY_H
#define ZW_PAPER_TIDY_H

#include "paper/poly.h"

/* e, tidied; ref 0 when memory is out. */
ZwExpr zw_tidy(ZwTidy* tidy, ZwExpr e);
/* The same for an energy: its summands stay apart unless they are alike. */
ZwExpr zw_tidy_energy(ZwTidy* tidy, ZwExpr e);

#endif
