/* What the parts of an export share; for them only. */
#ifndef ZW_EXPORT_EXPORTER_H
#define ZW_EXPORT_EXPORTER_H

#include "export/eliminate.h"
#include "export/export.h"
#include "export/flat.h"
#include "export/statements.h"
#include "export/template.h"

typedef struct ZwExporter {
  const ZwExportJob* job;
  ZwArena* arena;
  ZwFlat flat;
  int32_t n, m;
  const char **coords, **params, **rows, **outputs; /* names in C */
  ZwCWriter writer;
  int64_t operations; /* of the equations */
  ZwCElimination elimination;
  ZwText* body;                    /* of the functions that are particular to the model */
  ZW_ARRAY(ZwCAssignment) pending; /* assignments of the function at hand */
} ZwExporter;

/* ---- write.c ---- */

/* A text of ours with the prefix in the place of NAME. */
const char* zw_exporter_named(ZwExporter* x, const char* text);
/* The user's name inside a comment, which it must not end. */
void zw_exporter_user_name(ZwText* text, ZwStr name);
ZwStr zw_exporter_coord_name(const ZwExporter* x, int32_t i);

/* ---- functions.c ---- */

/* The functions of the model, into x->body: M, h, A, b and parts of them, residuals, outputs, the energy, the conditions that end the
 * motion, and the solve that is written out. */
ZwStatus zw_exporter_write_functions(ZwExporter* x);
/* Whether a row states something at this level or below. */
bool zw_exporter_has_level(const ZwExporter* x, ZwLevel most);
/* Any condition of `stop when`; ref 0: the model has none. */
ZwExpr zw_exporter_stop_condition(ZwExporter* x);
/* Heads without ';' or '{'. */
const char* zw_exporter_outputs_head(ZwExporter* x);
const char* zw_exporter_is_over_head(ZwExporter* x);

/* ---- values.c ---- */

bool zw_exporter_has_fields(const ZwExporter* x);
/* The function of the default parameters, into x->body. */
void zw_exporter_write_params(ZwExporter* x);
void zw_exporter_write_start(ZwExporter* x, ZwText* text);
/* The tables that are used. */
void zw_exporter_write_tables(ZwExporter* x, ZwText* text);

/* ---- describe.c: what is inserted into the parts that all files share ---- */

enum { ZW_EXPORT_TEXTS = 8 };
/* Fills the list, which is ended by NULL. */
void zw_exporter_describe(ZwExporter* x, ZwTemplateText texts[ZW_EXPORT_TEXTS]);

#endif
