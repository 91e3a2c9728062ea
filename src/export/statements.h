/* Expressions as statements of C: what is used more than once gets a name, everything else stands where it is used.
 *
 *   const double q_phi = q[0];
 *   const double r1 = sin(q_phi);
 *   h[0] = -p->m*p->g*p->l*r1;
 *
 * No expression grows so long that nobody could read it, and sums are formed in the order of the graph. */
#ifndef ZW_EXPORT_STATEMENTS_H
#define ZW_EXPORT_STATEMENTS_H

#include "base/str.h"
#include "expr/walk.h"

/* What leaves are called: q_NAME, v_NAME, a_NAME, lambda_NAME, p->NAME. Where there are no coordinates, parameters are called as they
 * are: numbers of arrays. */
typedef struct ZwCLeaves {
  const char *const *coords, *const *params, *const *reactions;
} ZwCLeaves;

/* The arrays that a function is given; those that it does not read are marked as such. */
typedef enum ZwCGiven {
  ZW_C_GIVEN_T = 1,
  ZW_C_GIVEN_Q = 2,
  ZW_C_GIVEN_V = 4,
  ZW_C_GIVEN_P = 8,
  ZW_C_GIVEN_A = 16,
  ZW_C_GIVEN_LAMBDA = 32
} ZwCGiven;

typedef struct ZwCAssignment {
  const char* target; /* "M[3]" */
  ZwExpr value;
} ZwCAssignment;

typedef struct ZwCWriter {
  ZwText* out;
  ZwArena* arena;
  const ZwGraph* graph;
  ZwCLeaves leaves;
  ZwWalk walk;
  int64_t operations;     /* written so far */
  bool uses[ZW_OP_COUNT]; /* operators written so far: some need a function of ours */
} ZwCWriter;

void zw_c_writer_init(ZwCWriter* writer, ZwText* out, ZwArena* arena, const ZwGraph* graph, const ZwCLeaves* leaves);

/* The statements of a function that is given what the bits of `given` say. */
void zw_c_write_statements(ZwCWriter* writer, unsigned given, const ZwCAssignment* list, int32_t count);
/* One expression, whose leaves are written as they stand. */
void zw_c_write_expression(ZwCWriter* writer, ZwExpr e);

/* A number that C reads back as the same double. */
void zw_c_write_number(ZwText* text, double value);
/* A line, broken at spaces where it is long; the head of a function, broken behind commas. */
void zw_c_write_line(ZwText* text, int indent, const char* line);
void zw_c_write_head(ZwText* text, const char* line);

#endif
