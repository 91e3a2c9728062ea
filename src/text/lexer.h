/* Characters to tokens. Newlines are no tokens: each token knows whether a line ended before it, and the parser looks
 * at that where a statement may end. */
#ifndef ZW_TEXT_LEXER_H
#define ZW_TEXT_LEXER_H

#include "base/diag.h"

// clang-format off
#define ZW_TOKEN_LIST(X)                                                                 \
  X(END, "the end of the text") X(NUMBER, "a number") X(NAME, "a name")                  \
  X(STRING, "a string") X(WRONG, "something unreadable")                                 \
  /* reserved words */                                                                   \
  X(IF, "'if'") X(THEN, "'then'") X(ELSE, "'else'") X(AND, "'and'") X(OR, "'or'")        \
  X(NOT, "'not'") X(IN, "'in'") X(SUM, "'sum'") X(T, "'t'") X(PI, "'pi'") X(DEG, "'deg'")\
  /* operators */                                                                        \
  X(ARROW, "'->'") X(DOTS, "'..'") X(EQ, "'=='") X(NE, "'!='") X(LE, "'<='")             \
  X(GE, "'>='") X(PLUS, "'+'") X(MINUS, "'-'") X(STAR, "'*'") X(SLASH, "'/'")            \
  X(CARET, "'^'") X(LPAREN, "'('") X(RPAREN, "')'") X(LBRACKET, "'['") X(RBRACKET, "']'")\
  X(LBRACE, "'{'") X(RBRACE, "'}'") X(COMMA, "','") X(COLON, "':'") X(SEMICOLON, "';'")  \
  X(ASSIGN, "'='") X(LT, "'<'") X(GT, "'>'") X(DOT, "'.'") X(PRIME, "\"'\"")
// clang-format on

typedef enum ZwTokenKind {
#define ZW_TOKEN_ENUM(name, text) ZW_TOKEN_##name,
  ZW_TOKEN_LIST(ZW_TOKEN_ENUM)
#undef ZW_TOKEN_ENUM
} ZwTokenKind;

typedef struct ZwToken {
  ZwTokenKind kind;
  int32_t begin, end;
  bool after_newline; /* the first token of a line */
  bool after_space;
  union {
    double number;       /* of a NUMBER */
    const ZwStr* normal; /* of a NAME that was not typed in NFC: its NFC; else NULL */
  };
} ZwToken;

typedef struct ZwTokens {
  ZW_ARRAY(ZwToken) list; /* ends with END */
} ZwTokens;

/* Reads source number `file`; reports every mistake and goes on. ZW_ERR_MEMORY is the only status. Names that had to be
 * normalised lie in the arena of the messages: they live as long as the text they stand for. */
ZwStatus zw_lex(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwTokens* tokens);

/* What the token says: a name in NFC, all else as it was typed. `text` is that of its source. */
ZwStr zw_token_str(const char* text, const ZwToken* token);

/* How a message calls a token. */
const char* zw_token_text(ZwTokenKind kind);

#endif
