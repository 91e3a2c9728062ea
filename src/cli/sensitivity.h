/* Sensitivities on the command line: which columns of a run are derivatives, and what the summary says of them. */
#ifndef ZW_CLI_SENSITIVITY_H
#define ZW_CLI_SENSITIVITY_H

#include "output/json.h"
#include "zwang/zwang.h"

typedef struct Varied Varied;

/* NULL: out of memory. A run that varies nothing has one, too. */
Varied* varied_create(ZwRun* run, bool has_evidence);
void varied_free(Varied* varied);
/* The first column that is a derivative; behind the last one where there are none. */
int32_t varied_first(const Varied* varied);
/* The column that `column` is the derivative of; 0: it is none. And by what, for those that are one. */
int32_t varied_of(const Varied* varied, int32_t column);
const char* varied_by(const Varied* varied, int32_t column);
/* Takes a row of the run. */
void varied_row(Varied* varied, const double* values);

/* The derivatives of the last row, of outputs or else of coordinates. */
void print_sensitivity(const Varied* varied, const ZwModel* model);
/* "sensitivity" of the JSON object, of the columns that are recorded, and its evidence. */
void json_sensitivity(ZwJson* json, const Varied* varied, const int32_t* columns, int32_t count);

#endif
