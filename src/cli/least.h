/* A problem typed as matrices: what `zwang least` reads. */
#ifndef ZW_CLI_LEAST_H
#define ZW_CLI_LEAST_H

#include "cli/cli.h"
#include "zwang/least.h"

typedef struct Problem {
  int32_t n, m;
  double *M, *h, *A, *b;
  ZwInverseKind kind;
  double *inverse, *A_inverse;      /* NULL: not given */
  const char **coordinates, **rows; /* names: n, m */
} Problem;

/* Reads a problem file into the arena. EXIT_FINE, or the exit status after a message. (problem.c, or problem_absent.c where there is no
 * reader of JSON.) */
int read_problem(const Options* options, ZwArena* arena, Problem* problem);

#endif
