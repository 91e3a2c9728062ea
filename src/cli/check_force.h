/* `zwang check --force "x=1, y=0"`: is a stated generalized force a constraint force (L96 4.3)? */
#ifndef ZW_CLI_CHECK_FORCE_H
#define ZW_CLI_CHECK_FORCE_H

#include "base/arena.h"
#include "cli/cli.h"

typedef struct StatedForce {
  int32_t n, m;             /* coordinates; rows that are on at the start */
  double *F, *rest;         /* n each: the force, and the part of it that moves the system */
  double* lambda;           /* m: the smallest multipliers of the other part */
  const char** coordinates; /* n */
  const char** rows;        /* m */
  bool is_one, is_seen;
} StatedForce;

/* Reads the option and looks at the start of the model; the arena keeps everything. EXIT_FINE, or what was complained of. */
int check_force(const Options* options, const ZwModel* model, const ZwRunDef* def, ZwArena* arena, StatedForce* force);
void print_force(const StatedForce* force);
void json_force(ZwJson* json, const StatedForce* force);

#endif
