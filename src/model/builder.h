/* What the files of the model stage share while a system is being built. */
#ifndef ZW_MODEL_BUILDER_H
#define ZW_MODEL_BUILDER_H

#include "expr/walk.h"
#include "model/names.h"
#include "model/system.h"
#include "text/ast.h"

typedef struct ZwBuild {
  ZwArena* arena;
  ZwDiagList* diags;
  ZwSystem* system;
  ZwScope* scope;
  ZwWalk walk;
} ZwBuild;

/* The value of an expression tree as a scalar. After a mistake, which is reported, it is the constant 0 and
 * `build->diags` has one error more. */
ZwExpr zw_build_scalar(ZwBuild* build, const ZwAst* node);

/* The name of a place where an expression stands decides what it may read. */
typedef enum ZwMayRead { ZW_MAY_READ_PARAMS, ZW_MAY_READ_STATE, ZW_MAY_READ_ACCELERATION } ZwMayRead;

/* zw_build_scalar, then checks that the expression reads no more than it may; `place` names it in the message. */
ZwExpr zw_build_checked(ZwBuild* build, const ZwAst* node, ZwMayRead may_read, const char* place);

/* Total time derivative with the check that no third derivative comes out. */
ZwExpr zw_build_prime(ZwBuild* build, ZwExpr e, ZwSpan span);

/* Nodes built from now on come from this place. */
void zw_build_mark(ZwBuild* build, ZwSpan span);

/* Says that something of the language is not there yet. */
ZwStatus zw_build_not_yet(ZwBuild* build, ZwSpan span, const char* what);

#endif
