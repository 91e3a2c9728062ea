/* The tree of a text, printed for `zwang dump --stage text`. */
#ifndef ZW_TEXT_DUMP_H
#define ZW_TEXT_DUMP_H

#include "base/str.h"
#include "text/ast.h"

void zw_ast_dump(ZwText* text, const ZwSources* sources, const ZwAst* tree);

#endif
