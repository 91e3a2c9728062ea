/* sin, cos and exp of our own, one number or four numbers at a time.
 *
 * The C library's functions differ in the last bits from machine to machine, and its vector functions differ from its
 * scalar ones. These give the same bits everywhere: every member of the table below runs the operations of
 * expr/elementary_core.h in the same order, without fused ones, whatever it is compiled for. They err by less than 0.85
 * units in the last place over the whole range of numbers (test/unit/expr/test_elementary.c). */
#ifndef ZW_EXPR_ELEMENTARY_H
#define ZW_EXPR_ELEMENTARY_H

double zw_sin(double x);
double zw_cos(double x);
double zw_exp(double x);
/* *sine = zw_sin(x) and *cosine = zw_cos(x), for less than the price of both. */
void zw_sincos(double x, double* sine, double* cosine);

enum { ZW_FOUR = 4 };

/* The same on four numbers, in their place; sincos4 leaves the sines in x. */
typedef struct ZwElementary {
  void (*sin4)(double* x);
  void (*cos4)(double* x);
  void (*exp4)(double* x);
  void (*sincos4)(double* x, double* cosine);
} ZwElementary;

/* What this machine does best. */
const ZwElementary* zw_elementary(void);

/* Its candidates: for every machine, and for those with AVX2 (NULL in builds for other machines). */
extern const ZwElementary zw_elementary_portable;
const ZwElementary* zw_elementary_avx2(void);

#endif
