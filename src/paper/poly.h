/* Sums of products, for tidying: what is collected, cancelled and put in order before it is printed.
 *
 *   ZwFactor     base^power; the base is an expression taken as one thing: a leaf, a function call, a sum in brackets
 *   ZwMonomial   coef * product of factors, in the order of `zw_poly_compare_bases`
 *   ZwPoly       a sum of monomials no two of which differ in nothing but their coefficient
 *
 * All are immutable once built and live in a scratch arena, which ends with the expression that is tidied. NULL is what
 * every builder answers when that is out of memory. The work is bounded: products are multiplied out only while they stay
 * short (`expand`), everything else becomes a sum in brackets. */
#ifndef ZW_PAPER_POLY_H
#define ZW_PAPER_POLY_H

#include "expr/walk.h"

typedef struct ZwFactor {
  uint32_t base; /* ref */
  double power;
} ZwFactor;

typedef struct ZwMonomial {
  double coef;
  int32_t count;
  const ZwFactor* factors;
  uint64_t hash; /* of the factors */
} ZwMonomial;

typedef struct ZwPoly {
  int32_t count;
  ZwMonomial* terms;
  bool is_reduced;
} ZwPoly;

/* What an expression reads, and how much there is to read in it. */
enum { ZW_READS_PARAM = 1, ZW_READS_TIME = 2, ZW_READS_COORD = 4, ZW_READS_VELOCITY = 8, ZW_READS_ACCELERATION = 16 };

typedef struct ZwFacts {
  uint8_t reads;
  double cost;        /* nodes, counted as in a tree */
  uint32_t epoch;     /* of `poly` */
  const ZwPoly* poly; /* the sum it stands for, known while the expression is tidied in which that was found */
  uint32_t tidied;    /* what it was tidied to; 0: it was not, or as an energy */
} ZwFacts;

typedef struct ZwTidy {
  ZwArena* arena;  /* of what stays */
  ZwArena scratch; /* of the sums and products */
  uint32_t epoch;  /* which expression is tidied */
  ZwGraph* graph;
  ZwWalk walk;
  bool expand;             /* multiply out */
  bool is_energy;          /* energies keep their summands apart */
  int64_t work;            /* steps done so far, a measure of time that is the same on every machine */
  ZW_ARRAY(ZwFacts) facts; /* by ref */
  ZwFacts none;            /* of nodes there was no memory for */
} ZwTidy;

void zw_tidy_init(ZwTidy* tidy, ZwGraph* graph, ZwArena* arena);
/* Facts of a node; a zero record when memory is out. */
ZwFacts* zw_tidy_facts(ZwTidy* tidy, uint32_t ref);

/* The sum a node stands for; NULL when it is not known, or is the node itself. */
const ZwPoly* zw_tidy_known(ZwTidy* tidy, uint32_t ref);
void zw_tidy_know(ZwTidy* tidy, uint32_t ref, const ZwPoly* poly);

/* The order in which factors are written: sums of parameters, parameters, time, coordinates, functions, velocities,
 * accelerations, sums in brackets. */
int zw_poly_compare_bases(ZwTidy* tidy, uint32_t a, uint32_t b);

const ZwPoly* zw_poly_number(ZwTidy* tidy, double value);
const ZwPoly* zw_poly_atom(ZwTidy* tidy, ZwExpr e);
/* The sum an expression made by this tidying stands for. */
const ZwPoly* zw_poly_of(ZwTidy* tidy, ZwExpr e);
/* a + sign b */
const ZwPoly* zw_poly_add(ZwTidy* tidy, const ZwPoly* a, const ZwPoly* b, double sign);
const ZwPoly* zw_poly_mul(ZwTidy* tidy, const ZwPoly* a, const ZwPoly* b);
const ZwPoly* zw_poly_power(ZwTidy* tidy, const ZwPoly* a, double power);

/* A sum while it grows. */
typedef struct ZwTerms {
  ZW_ARRAY(ZwMonomial) list;
} ZwTerms;
void zw_terms_add(ZwTidy* tidy, ZwTerms* terms, ZwMonomial term);
const ZwPoly* zw_terms_poly(ZwTidy* tidy, const ZwTerms* terms);

/* The parts of all of these. */
ZwMonomial zw_monomial_mul(ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b);
ZwMonomial zw_monomial_power(ZwTidy* tidy, const ZwMonomial* a, double power);
/* What both have in common, with the coefficient 1. */
ZwMonomial zw_monomial_common(ZwTidy* tidy, const ZwMonomial* a, const ZwMonomial* b);
bool zw_monomial_alike(const ZwMonomial* a, const ZwMonomial* b);
double zw_monomial_power_of(const ZwMonomial* a, uint32_t base);
const ZwPoly* zw_poly_from(ZwTidy* tidy, const ZwMonomial* terms, int32_t count);
/* c * monomial * sum with whole coefficients without a common divisor, the first one positive; `sum` is sorted. */
const ZwPoly* zw_poly_primitive(ZwTidy* tidy, const ZwPoly* a, ZwMonomial* content);

/* a + b when these are a^2 + 2 a b + b^2, in any order; NULL otherwise. */
const ZwPoly* zw_poly_square_root(ZwTidy* tidy, const ZwMonomial* terms, int32_t count);

/* Numbers, then what moves, then parameters: 1 + y^2, x^2 + y^2 - l^2. */
void zw_poly_sort(ZwTidy* tidy, ZwMonomial* terms, int32_t count);

/* reduce.c: sin^2 + cos^2 = 1, cos a cos b + sin a sin b = cos(a - b) and their kin; fractions that cancel. */
const ZwPoly* zw_poly_reduce(ZwTidy* tidy, const ZwPoly* a);
/* factor.c: the expression, common factors pulled out. */
ZwExpr zw_poly_expr(ZwTidy* tidy, const ZwPoly* a);
/* The same, and the node remembers which sum it stands for: for what is taken as one thing from now on. */
ZwExpr zw_poly_thing(ZwTidy* tidy, const ZwPoly* a);

/* A simple fraction p/q of the same value: false if there is none with q up to `most`. */
bool zw_fraction(double value, int32_t most, int64_t* p, int64_t* q);

#endif
