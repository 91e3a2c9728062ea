/* The model stage: a tree becomes a flat system. */
#ifndef ZW_MODEL_ELABORATE_H
#define ZW_MODEL_ELABORATE_H

#include "model/system.h"
#include "text/ast.h"

/* A parameter value from outside the text (`--set name=value`). */
typedef struct ZwSetting {
  ZwStr name;
  const ZwAst* value;
  ZwSpan span; /* where the name stands, for messages */
} ZwSetting;

/* Reports every mistake in `diags`; the status is the first of them, or ZW_ERR_MEMORY. */
ZwStatus zw_elaborate(ZwArena* arena, ZwDiagList* diags, const ZwAst* tree, const ZwSetting* settings,
                      int32_t setting_count, ZwSystem* system);

#endif
