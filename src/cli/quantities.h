/* The quantities of an instant by the names of docs/papers.md, for formulas: M, h, A, b, a0, Qc, R_2, Mei, x'', ... */
#ifndef ZW_CLI_QUANTITIES_H
#define ZW_CLI_QUANTITIES_H

#include "cli/equations.h"
#include "cli/formula.h"
#include "zwang/zwang.h"

typedef struct Quantities {
  ZwArena* arena;
  const ZwModel* model;
  const ZwRun* run;
  const ZwFrameReport* frame;
  const Letter* letters; /* of the paper, for this example */
  int32_t letter_count;
} Quantities;

/* As `find` of Formulas; the context is Quantities. Letters of the paper come first, then quantities, then names of the model: coordinates,
 * quasi-velocities and their rates, parameters. */
bool find_quantity(void* context, ZwStr name, Matrix* value);

#endif
