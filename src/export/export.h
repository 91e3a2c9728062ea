/* A model as one file of C99 and its header, for a microcontroller or a rig: M, h, A, b, accelerations, constraint forces, outputs, a
 * start, a step, in fixed memory and without a library. docs/export.md tells what it has; docs/design/export.md why. */
#ifndef ZW_EXPORT_EXPORT_H
#define ZW_EXPORT_EXPORT_H

#include "kernel/kernel.h"

/* More operations than this, in all elements, or more unknowns, are refused: the file would be too long for a compiler, and the
 * solve, which is dense, too slow for its purpose. */
enum { ZW_EXPORT_OPERATIONS = 30000, ZW_EXPORT_UNKNOWNS = 300 };

typedef struct ZwExportJob {
  const ZwProgram* program; /* of the model */
  const double* values;     /* of its parameters */
  double t;
  const double *q, *v; /* its start */
  const char* prefix;  /* of all names: an identifier of C */
  const char* file;    /* how the header is included: "pendulum.h" */
  bool is_compact;     /* without the solve that is written out */
  const char* version;
  const char* model; /* what it is made from, for a comment */
} ZwExportJob;

typedef struct ZwExportResult {
  ZwText source, header;
  int32_t parameters, outputs;
  int64_t operations; /* of M, h, A and b together */
} ZwExportResult;

/* Why a model cannot be exported: a message for each reason, and ZW_ERR_UNSUPPORTED or ZW_ERR_LIMIT. */
ZwStatus zw_export_check(const ZwProgram* program, ZwDiagList* diags);

/* Both texts are in the arena. */
ZwStatus zw_export_write(const ZwExportJob* job, ZwArena* arena, ZwDiagList* diags, ZwExportResult* result);

#endif
