/* A text on its way through the formatter: its tokens, what stands before each, and the lines they will form.
 *
 *   zw_layout_spaces   each token: its part in the statement, and whether one space or none goes before it
 *   zw_layout_lines    which tokens and comments stand on a line, and how far it is indented
 *   zw_layout_align    more spaces where the author had columns; the columns of comments
 *
 * Columns count characters from 0. */
#ifndef ZW_TEXT_LAYOUT_H
#define ZW_TEXT_LAYOUT_H

#include "text/ast.h"
#include "text/lexer.h"

typedef enum ZwRole {
  ZW_ROLE_OTHER,
  ZW_ROLE_WORD,    /* a word of the grammar: kinetic, every, while, ... */
  ZW_ROLE_OPERAND, /* a value ends here: a name, a number, a closing bracket, a prime */
  ZW_ROLE_UNARY,   /* a sign */
} ZwRole;

/* What the formatter knows about a token. */
typedef struct ZwPiece {
  ZwRole role;
  ZwAstKind statement; /* kind of the statement that begins here; FILE if none does */
  bool is_tight;       /* + - , without spaces, as in x[i-1,j] */
  bool is_inline;      /* a brace of a block on one line */
  bool is_opened;      /* a { whose block was on one line that became too long */
  int32_t partner;     /* of a brace: the token of the other one; of other tokens: the { around them, or -1 */
  int32_t newlines;    /* before it, after the last token or comment: 0, 1, or 2 for more */
  int32_t source_column;
  int32_t source_space;  /* columns between it and the token before it on the author's line; -1 for the first one */
  int32_t width;         /* columns of the token */
  int32_t space;         /* columns before it, when it does not begin a line */
  int32_t first_comment; /* the comments that stand before it end where those of the next token begin */
} ZwPiece;

typedef struct ZwComment {
  int32_t begin, end; /* bytes, without the space at its end */
  int32_t newlines;   /* before it: 0 when it stands behind code */
  int32_t source_column;
} ZwComment;

typedef struct ZwLine {
  int32_t begin, end; /* tokens; none for a comment alone */
  int32_t comment;    /* its number, or -1 */
  int32_t comment_column;
  int32_t depth; /* blocks around it */
  int32_t indent;
  bool is_after_blank;
  bool goes_on; /* a comment alone that goes on with the one at the end of the line above */
} ZwLine;

typedef struct ZwLayout {
  ZwArena* arena;
  ZwStr text;
  const ZwToken* tokens;
  int32_t count; /* of tokens and pieces, END among them */
  ZwPiece* pieces;
  ZW_ARRAY(ZwComment) comments;
  ZW_ARRAY(ZwLine) lines;
} ZwLayout;

/* Columns of a piece of text that begins at `column`; a tab goes to the next multiple of 8. */
int32_t zw_columns(const char* text, int32_t size, int32_t column);
/* Columns of the tokens begin .. end - 1 on one line, without indent. */
int32_t zw_layout_width(const ZwLayout* layout, int32_t begin, int32_t end);

/* Each gives ZW_OK or ZW_ERR_MEMORY. */
ZwStatus zw_layout_spaces(ZwLayout* layout, const ZwAst* tree);
ZwStatus zw_layout_lines(ZwLayout* layout);
ZwStatus zw_layout_align(ZwLayout* layout);

#endif
