/* Names and what they stand for. Scopes nest: an inner name hides an outer one. */
#ifndef ZW_MODEL_NAMES_H
#define ZW_MODEL_NAMES_H

#include "base/source.h"
#include "expr/graph.h"

typedef enum ZwEntityKind {
  ZW_ENTITY_PARAM, /* index */
  ZW_ENTITY_COORD, /* index */
  ZW_ENTITY_LET,   /* value */
  ZW_ENTITY_OUTPUT /* value: outputs may be read below them */
} ZwEntityKind;

typedef struct ZwEntity {
  ZwEntityKind kind;
  ZwStr name;
  ZwSpan span;
  int32_t index;
  ZwExpr value;
} ZwEntity;

typedef struct ZwScope ZwScope;
struct ZwScope {
  ZwArena* arena;
  ZwScope* outer;
  ZW_ARRAY(ZwEntity) entities; /* in the order of declaration */
  int32_t* table;              /* hash table of entity numbers + 1 */
  int32_t table_size;
};

void zw_scope_init(ZwScope* scope, ZwArena* arena, ZwScope* outer);
/* False when memory is out. The name must not stand in this scope yet. */
bool zw_scope_add(ZwScope* scope, ZwEntity entity);
/* In this scope only. */
ZwEntity* zw_scope_find_here(const ZwScope* scope, ZwStr name);
/* In this scope and those around it, the innermost first. */
ZwEntity* zw_scope_find(const ZwScope* scope, ZwStr name);
/* The name most like a misspelt one, or an empty string. `others` is a NULL-ended list of further candidates. */
ZwStr zw_scope_suggest(const ZwScope* scope, ZwStr name, const char* const* others);

#endif
