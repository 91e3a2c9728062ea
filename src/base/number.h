/* Numbers as text and text as numbers, exactly rounded, and the same whatever locale the calling program has chosen. */
#ifndef ZW_BASE_NUMBER_H
#define ZW_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ZwNumberKind {
  ZW_NUMBER_NONE, /* there is no number */
  ZW_NUMBER_FINE,
  ZW_NUMBER_HUGE, /* digits beyond the largest double; the value is infinite */
  ZW_NUMBER_TINY  /* digits below the least double; the value is 0, and the digits are not */
} ZwNumberKind;

typedef struct ZwNumber {
  double value;
  ptrdiff_t size; /* bytes that belong to it */
  ZwNumberKind kind;
} ZwNumber;

/* The number that the text begins with: [sign] digits with a point at most, [e [sign] digits]; or `nan`, `inf`, `infinity` in
 * either case. The nearest double, and the even one of two. No space is passed over, and no digit is left out of account. */
ZwNumber zw_number_read(const char* text, ptrdiff_t size);
/* Whether the whole of a text is a number; infinite ones and nan too. */
bool zw_number_fills(const char* text, ptrdiff_t size, double* value);
/* The same of a 0-ended text. */
bool zw_number_is(const char* text, double* value);

enum { ZW_NUMBER_TEXT = 32, ZW_NUMBER_DECIMALS = 40, ZW_NUMBER_ROOM = 384 };

/* Writes the shortest decimal that reads back as the same double into `out` (ZW_NUMBER_TEXT bytes); returns its length. */
int32_t zw_number_text(double value, char* out);
/* As %e, %f or %g of printf would write it: `how` is e, f or g, `precision` at most ZW_NUMBER_DECIMALS; `out` takes
 * ZW_NUMBER_ROOM bytes. With `keeps_zeros` g keeps its last zeros, as %#g. */
int32_t zw_number_print(double value, char how, int precision, bool keeps_zeros, char* out);

#endif
