/* Whether Gauss's principle has a minimum (T21), asked of the numbers at the start: nothing else can be told of an M that varies. */
#ifndef ZW_PAPER_EXTREMUM_H
#define ZW_PAPER_EXTREMUM_H

#include "paper/paper.h"

/* The start satisfies the constraints, and M is not positive there on the accelerations that they admit: the motion is where the Gaussian is
 * stationary, and it has no least value. */
bool zw_paper_is_saddle(ZwSheet* paper);

#endif
