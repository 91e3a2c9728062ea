/* Times as text: t = epoch + since, where the epoch may be so large that the sum as one number has lost digits. */
#ifndef ZW_BASE_CLOCK_H
#define ZW_BASE_CLOCK_H

#include <stdint.h>

enum { ZW_CLOCK_TEXT = 64 };

/* Writes t with `digits` digits, and with more of them until what is less than `scale` by as many digits can be told apart; returns the
 * length. `out` takes ZW_CLOCK_TEXT bytes. */
int32_t zw_clock_text(double epoch, double since, double scale, int digits, char* out);

/* So many digits, and more for a time so large that they would not tell it from its neighbours. */
int zw_clock_digits(double t, int digits);

#endif
