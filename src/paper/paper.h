/* The equations of a model as they would stand on paper: derived for the whole system at once, with the user's names.
 *
 * The motion itself never uses them; test/cross/test_paper.c holds them against what it does use. */
#ifndef ZW_PAPER_PAPER_H
#define ZW_PAPER_PAPER_H

#include "base/str.h"
#include "equations/equations.h"
#include "expr/rebuild.h"
#include "output/json.h"
#include "paper/letters.h"
#include "paper/quasi.h"

/* Above so many coordinates one element of each shape is shown in place of the whole. */
enum { ZW_PAPER_COORDS = 30, ZW_PAPER_WHOLE = 250 };

typedef struct ZwPaperRow {
  ZwStr name;
  ZwLevel level;
  ZwExpr value;    /* left - right */
  ZwExpr *A, b;    /* n */
  int32_t contact; /* of the gap or slip of a contact: its number + 1; 0: a constraint */
} ZwPaperRow;

/* An intermediate result (steps.h). */
typedef struct ZwStep {
  ZwStr name;
  ZwExpr value, leaf;
} ZwStep;
enum { ZW_STEPS_MOST = 20000 };

typedef enum ZwMetric { ZW_METRIC_NONE, ZW_METRIC_FLAT, ZW_METRIC_FIRST, ZW_METRIC_SECOND } ZwMetric;

typedef struct ZwSheet {
  ZwArena* arena;
  const ZwSystem* system;
  ZwGraph graph; /* its own; leaves have the numbers of the system, quasi-velocities follow the coordinates */
  ZwTidy tidy;
  int32_t n, m, p;   /* coordinates, constraints, quasi-velocities */
  ZwExpr L, G;       /* G: without what does not depend on the accelerations, */
  ZwExpr G_constant; /* 1/2 X_L^T M X_L with M X_L = h - Q (T29); ref 0: not told, for the reason in */
  const char* G_why;
  int32_t G_steps;      /* the first of the steps, which the constant needs */
  const char* M_letter; /* of M in the names of steps; NULL: none of them has it */
  ZwExpr *M, *h, *Q;    /* n x n, n, n: M a = h without constraints; Q is the part of h that comes from forces */
  /* where M does not depend on velocities: kinetic energy (or L, if it is stated) = 1/2 v^T M v + p0^T v + T0; NULL: it is 1/2 v^T M v alone */
  ZwExpr *p0, T0;
  bool has_lagrangian; /* L was stated as such: the split is that of L */
  ZwExpr T;            /* the sum of the kinetic energies that were stated */
  bool has_gibbs;      /* a Gibbs function was stated besides L */
  bool is_saddle;      /* at the start the Gaussian has no minimum (extremum.h) */
  ZwPaperRow* rows;    /* m constraints, then the gaps and slips of contacts */
  int32_t contact_rows;
  ZwStr* quasi_names; /* p */
  ZwQuasi quasi;
  const char* quasi_why; /* why there are no equations in quasi-velocities though some were named; or NULL */
  ZwMetric metric;       /* Christoffel symbols: first kind [j k, i], second kind Gamma^i_jk */
  ZwExpr* gamma;         /* n x n x n: (i n + j) n + k */
  ZW_ARRAY(ZwStep) steps;
  struct ZwPaperStates* states;       /* made when they are needed */
  struct ZwExplicit* explicit_;       /* the equations solved; NULL: not asked for */
  struct ZwPaperPartition* partition; /* with a choice of dependent accelerations; NULL */
  struct ZwPaperRecursion* bellman;   /* NULL */
  ZwLetters letters;
} ZwSheet;

/* What is wanted beside M, h, A, b and the Gibbs function. */
typedef struct ZwPaperWish {
  bool is_explicit, has_partition, has_bellman;
  const int32_t* eliminate; /* coordinates whose accelerations depend on the others; NULL: the largest columns */
  int32_t eliminate_count;
  const int32_t* order; /* columns the recursion begins with; NULL: the first ones that are independent */
  int32_t order_count;
  ZwLetters letters; /* of which paper */
  /* the answer */
  int32_t rank; /* of the constraints; -1: nothing needed it */
  bool
      is_refused; /* other than `rank` coordinates were to be eliminated, or one that cannot be, or the order begins with such a one: */
  int32_t dependent; /* its number; -1 */
} ZwPaperWish;

/* Derives everything that is wanted, NULL: nothing more; the system must have at most ZW_PAPER_COORDS coordinates, or ZW_PAPER_WHOLE if it is
 * to be solved. When memory is out the arena says so. */
void zw_paper_derive(ZwSheet* paper, ZwArena* arena, const ZwSystem* system, ZwPaperWish* wish);
/* Whether the whole system is shown, and not its shapes. */
bool zw_paper_is_whole(int32_t n, const ZwPaperWish* wish);
/* rows x columns times the constant 0, to be filled; NULL when memory is out. */
ZwExpr* zw_paper_zeros(ZwSheet* paper, int32_t rows, int32_t columns);
/* *sum + a b, or - a b where the sign is negative. */
void zw_paper_add(ZwSheet* paper, ZwExpr* sum, ZwExpr a, ZwExpr b, double sign);
/* The value that events of this number read: a restitution, a coefficient of friction. */
ZwExpr zw_paper_event_value(ZwSheet* paper, int32_t number);
/* The Christoffel symbols of M, if L is a metric plus a potential (T17). */
void zw_paper_metric(ZwSheet* paper);
/* An expression of another graph in the paper's own, literals in slots being numbers. */
ZwExpr zw_paper_copy(ZwSheet* paper, const ZwGraph* from, ZwExpr e, ZwLeafFn leaf, void* context);

/* The page: derives and writes. Large systems are shown by their shapes. */
void zw_paper_text(ZwText* text, const ZwEquations* equations, ZwPaperWish* wish);
void zw_paper_latex(ZwText* text, const ZwEquations* equations, ZwPaperWish* wish);
/* The fields of an object that was begun. */
void zw_paper_json(ZwJson* json, ZwArena* arena, const ZwEquations* equations, ZwPaperWish* wish);

#endif
