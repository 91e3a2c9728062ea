/* Tokens to a tree. */
#ifndef ZW_TEXT_PARSER_H
#define ZW_TEXT_PARSER_H

#include "base/diag.h"
#include "text/ast.h"

/* Brackets, blocks and operators within each other: the default, and the most that can be asked for (each level takes
 * some hundred bytes of stack). */
enum { ZW_LIMIT_NESTING = 200, ZW_LIMIT_NESTING_MOST = 2000 };

/* Reads source number `file` as a model. The tree is whole except for WRONG nodes at the mistakes, which are all in
 * `diags`. The only status is ZW_ERR_MEMORY. */
ZwStatus zw_parse_file(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwAst** tree);

/* Reads source number `file` as one expression (the value of --set): the only child of a FILE node. */
ZwStatus zw_parse_expression(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwAst** tree);

/* The words that begin a statement, for suggestions; ends with NULL. */
extern const char* const zw_statement_words[];

#endif
