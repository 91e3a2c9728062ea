/* The model stage: a tree becomes a flat system. */
#ifndef ZW_MODEL_ELABORATE_H
#define ZW_MODEL_ELABORATE_H

#include "model/system.h"
#include "text/ast.h"

/* A parameter value from outside the text (`--set name=value`). */
typedef struct ZwSetting {
  ZwStr name;
  const ZwAst* file_tree; /* of the value, a text of its own: one expression */
  const ZwAst* value;
  ZwSpan span; /* where the name stands, for messages */
  bool is_used;
} ZwSetting;

enum { ZW_LIMIT_ITERATIONS = 20 * 1000000 };

/* Where `use` and `table` find texts. `name` is a library (is_library) or a path as the user wrote it, `from` the file
 * that asks. Gives the number of the source, or 0 after it put a message into the diagnostics. */
typedef int32_t (*ZwLoadFn)(void* context, ZwStr name, bool is_library, ZwSpan from);

typedef struct ZwElaborateDef {
  ZwSetting* settings;
  int32_t setting_count;
  ZwLoadFn load; /* NULL: there is nothing to load from */
  void* load_context;
  bool drawing;                        /* keep what `draw` shows */
  const ZwHostConstraint* constraints; /* of the host */
  int32_t constraint_count;
  int64_t iteration_limit; /* loop passes and array elements in all; 0: ZW_LIMIT_ITERATIONS */
  ZwArena* trees;          /* for what is needed while building only: trees of used files, scratch */
} ZwElaborateDef;

/* Reports every mistake in `diags`; the status is the first of them, or ZW_ERR_MEMORY. */
ZwStatus zw_elaborate(ZwArena* arena, ZwDiagList* diags, const ZwAst* tree, const ZwElaborateDef* def,
                      ZwSystem* system);

#endif
