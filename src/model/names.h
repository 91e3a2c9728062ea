/* Names and what they stand for. Scopes nest: an inner name hides an outer one. */
#ifndef ZW_MODEL_NAMES_H
#define ZW_MODEL_NAMES_H

#include "base/source.h"
#include "model/value.h"
#include "text/ast.h"

typedef struct ZwScope ZwScope;
typedef struct ZwArray ZwArray;

typedef enum ZwEntityKind {
  ZW_ENTITY_PARAM,     /* value, first */
  ZW_ENTITY_COORD,     /* value, first */
  ZW_ENTITY_MEMORY,    /* value, first (a parameter that events change) */
  ZW_ENTITY_LET,       /* value */
  ZW_ENTITY_OUTPUT,    /* value: outputs may be read below them */
  ZW_ENTITY_ARGUMENT,  /* value */
  ZW_ENTITY_INDEX,     /* number; value is made when it is first used as one */
  ZW_ENTITY_FUNCTION,  /* ast, scope: where it was written */
  ZW_ENTITY_COMPONENT, /* ast, scope: its file's */
  ZW_ENTITY_PART,      /* scope: its members */
  ZW_ENTITY_ARRAY      /* array */
} ZwEntityKind;

typedef struct ZwEntity {
  ZwEntityKind kind;
  bool is_ambiguous; /* two used files declare it */
  bool is_of_part;   /* an argument of a component, not of a function */
  ZwStr name;
  ZwSpan span;
  int32_t first; /* number of its first scalar coordinate or parameter */
  double number;
  ZwValue value;
  const ZwAst* ast;
  ZwScope* scope;
  const char* prefix; /* of a part, or the part a function belongs to: "crank." */
  ZwArray* array;
} ZwEntity;

enum { ZW_ARRAY_RANK = 4 }; /* most indices of an array */

/* Elements by their indices; in the order of their definition. */
struct ZwArray {
  int32_t rank;
  bool is_declared; /* with ranges: its elements exist */
  bool is_wrong;    /* ... or would, had its declaration been right: what is missing is not complained about again */
  double low[ZW_ARRAY_RANK], high[ZW_ARRAY_RANK];
  ZW_ARRAY(ZwEntity) elements;
  ZW_ARRAY(double) keys; /* rank per element */
  int32_t* table;
  int32_t table_size;
};

struct ZwScope {
  ZwArena* arena;
  const ZwScope* outer;
  ZW_ARRAY(ZwEntity) entities; /* in the order of declaration */
  int32_t* table;              /* hash table of entity numbers + 1; small scopes do without */
  int32_t table_size;
};

void zw_scope_init(ZwScope* scope, ZwArena* arena, const ZwScope* outer);
/* Empties a scope to use it again. */
void zw_scope_reset(ZwScope* scope);
/* The new entity, NULL when memory is out. The name must not stand in this scope yet. */
ZwEntity* zw_scope_add(ZwScope* scope, ZwEntity entity);
/* In this scope only. */
ZwEntity* zw_scope_find_here(const ZwScope* scope, ZwStr name);
/* In this scope and those around it, the innermost first. */
ZwEntity* zw_scope_find(const ZwScope* scope, ZwStr name);
/* The name most like a misspelt one, or an empty string. `others` is a NULL-ended list of further candidates. */
ZwStr zw_scope_suggest(const ZwScope* scope, ZwStr name, const char* const* others);

ZwEntity* zw_array_find(const ZwArray* array, const double* key);
ZwEntity* zw_array_add(ZwArena* arena, ZwArray* array, const double* key, ZwEntity entity);

#endif
