#include "text/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/letters.h"

typedef struct Lexer {
  ZwArena* arena;
  ZwDiagList* diags;
  ZwTokens* tokens;
  const char* text;
  int32_t file, size, at;
  bool after_newline, after_space;
} Lexer;

const char* zw_token_text(ZwTokenKind kind) {
  static const char* const texts[] = {
#define ZW_TOKEN_TEXT(name, text) text,
      ZW_TOKEN_LIST(ZW_TOKEN_TEXT)
#undef ZW_TOKEN_TEXT
  };
  return texts[kind];
}

static char peek(const Lexer* x, int32_t ahead) {
  return x->at + ahead < x->size ? x->text[x->at + ahead] : 0;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static ZwSpan span_from(const Lexer* x, int32_t begin) {
  return (ZwSpan){x->file, begin, x->at};
}

static void push(Lexer* x, ZwTokenKind kind, int32_t begin, double number) {
  ZwToken token = {kind, begin, x->at, x->after_newline, x->after_space, number};
  x->after_newline = x->after_space = false;
  (void)ZW_PUSH(x->arena, &x->tokens->list, token); /* a failure stays in the arena */
}

/* Bytes of the letter at the cursor, 0 if there is none. */
static int32_t letter_size(const Lexer* x) {
  uint32_t c;
  if (x->at >= x->size) return 0;
  int32_t bytes = zw_utf8_decode(x->text + x->at, x->size - x->at, &c);
  return bytes && zw_is_letter(c) ? bytes : 0;
}

/* ---- numbers ---- */

static void skip_digits(Lexer* x) {
  while (is_digit(peek(x, 0))) x->at++;
}

static double number_value(Lexer* x, int32_t begin) {
  char small[64];
  int32_t size = x->at - begin;
  if (size < (int32_t)sizeof small) {
    memcpy(small, x->text + begin, (size_t)size);
    small[size] = 0;
    return strtod(small, NULL);
  }
  char* copy = zw_str_copy(x->arena, (ZwStr){x->text + begin, size});
  return copy ? strtod(copy, NULL) : 0;
}

/* number = digits ["." digits] [("e"|"E") ["+"|"-"] digits] */
static void lex_number(Lexer* x) {
  int32_t begin = x->at;
  skip_digits(x);
  if (peek(x, 0) == '.' && is_digit(peek(x, 1))) {
    x->at++;
    skip_digits(x);
  }
  if (peek(x, 0) == 'e' || peek(x, 0) == 'E') {
    int32_t sign = peek(x, 1) == '+' || peek(x, 1) == '-';
    if (is_digit(peek(x, 1 + sign))) {
      x->at += 1 + sign;
      skip_digits(x);
    }
  }
  double value = number_value(x, begin);
  if (isinf(value)) zw_diag_error(x->diags, ZW_ERR_VALUE, span_from(x, begin), "this number is too large");
  if (letter_size(x)) {
    int32_t number_end = x->at;
    while (letter_size(x) || is_digit(peek(x, 0)) || peek(x, 0) == '_') x->at += letter_size(x) ? letter_size(x) : 1;
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span_from(x, begin), "a number directly followed by a name");
    zw_diag_remedy(x->diags, "write %.*s*%.*s", (int)(number_end - begin), x->text + begin, (int)(x->at - number_end),
                   x->text + number_end);
  } else if (peek(x, 0) == '.' && peek(x, 1) != '.' && !letter_size(&(Lexer){.text = x->text, .size = x->size, .at = x->at + 1})) {
    x->at++;
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span_from(x, begin), "a decimal point needs a digit on both sides");
    zw_diag_remedy(x->diags, "write %.*s0", (int)(x->at - begin), x->text + begin);
  }
  push(x, ZW_TOKEN_NUMBER, begin, value);
}

/* ---- names and strings ---- */

static ZwTokenKind word_kind(ZwStr word) {
  /* ORDER RESERVED: as in ZW_TOKEN_LIST */
  static const char* const words[] = {"if", "then", "else", "and", "or", "not", "in", "sum", "t", "pi", "deg"};
  for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
    if (zw_str_equal(word, zw_str_from(words[i]))) return (ZwTokenKind)(ZW_TOKEN_IF + i);
  }
  return ZW_TOKEN_NAME;
}

/* name = letter {letter | digit | "_"} */
static void lex_name(Lexer* x) {
  int32_t begin = x->at;
  while (letter_size(x) || is_digit(peek(x, 0)) || peek(x, 0) == '_') x->at += letter_size(x) ? letter_size(x) : 1;
  push(x, word_kind((ZwStr){x->text + begin, x->at - begin}), begin, 0);
}

static void lex_string(Lexer* x) {
  int32_t begin = x->at++;
  while (x->at < x->size && x->text[x->at] != '"' && x->text[x->at] != '\n') x->at++;
  bool is_closed = peek(x, 0) == '"';
  if (is_closed) {
    x->at++;
  } else {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span_from(x, begin), "this string is not closed");
    zw_diag_remedy(x->diags, "end it with \" on the same line");
  }
  push(x, is_closed ? ZW_TOKEN_STRING : ZW_TOKEN_WRONG, begin, 0);
}

/* ---- operators and everything else ---- */

static bool lex_operator(Lexer* x) {
  static const struct {
    char text[3];
    ZwTokenKind kind;
  } operators[] = {
      {"->", ZW_TOKEN_ARROW}, {"..", ZW_TOKEN_DOTS},      {"==", ZW_TOKEN_EQ},       {"!=", ZW_TOKEN_NE},
      {"<=", ZW_TOKEN_LE},    {">=", ZW_TOKEN_GE},        {"+", ZW_TOKEN_PLUS},      {"-", ZW_TOKEN_MINUS},
      {"*", ZW_TOKEN_STAR},   {"/", ZW_TOKEN_SLASH},      {"^", ZW_TOKEN_CARET},     {"(", ZW_TOKEN_LPAREN},
      {")", ZW_TOKEN_RPAREN}, {"[", ZW_TOKEN_LBRACKET},   {"]", ZW_TOKEN_RBRACKET},  {"{", ZW_TOKEN_LBRACE},
      {"}", ZW_TOKEN_RBRACE}, {",", ZW_TOKEN_COMMA},      {":", ZW_TOKEN_COLON},     {";", ZW_TOKEN_SEMICOLON},
      {"=", ZW_TOKEN_ASSIGN}, {"<", ZW_TOKEN_LT},         {">", ZW_TOKEN_GT},        {".", ZW_TOKEN_DOT},
      {"'", ZW_TOKEN_PRIME}};
  for (int i = 0; i < (int)(sizeof operators / sizeof *operators); i++) {
    int32_t size = (int32_t)strlen(operators[i].text);
    if (x->size - x->at < size || memcmp(x->text + x->at, operators[i].text, (size_t)size) != 0) continue;
    int32_t begin = x->at;
    x->at += size;
    push(x, operators[i].kind, begin, 0);
    return true;
  }
  return false;
}

/* Characters that word processors put in place of the ones on the keyboard. */
static const char* typed_as(uint32_t c) {
  switch (c) {
    case 0x2019: case 0x2018: case 0x2032: case 0xB4: case 0x60: return "'";
    case 0x2033: return "''";
    case 0x2212: case 0x2013: case 0x2014: return "-";
    case 0xD7: case 0x22C5: case 0xB7: return "*";
    case 0xF7: return "/";
    case 0x2264: return "<=";
    case 0x2265: return ">=";
    case 0x2260: return "!=";
    case 0xB2: return "^2";
    case 0x201C: case 0x201D: return "\"";
    default: return NULL;
  }
}

static void lex_wrong(Lexer* x) {
  int32_t begin = x->at;
  uint32_t c = 0;
  int32_t bytes = zw_utf8_decode(x->text + x->at, x->size - x->at, &c);
  x->at += bytes ? bytes : 1;
  ZwSpan span = span_from(x, begin);
  unsigned char byte = (unsigned char)x->text[begin];
  if (bytes == 0) {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "this is not UTF-8 text (byte 0x%02X)", byte);
  } else if (c < 0x20 || c == 0x7F) {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "a control character (0x%02X) stands in the text", byte);
  } else if (zw_is_combining(c)) {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "an accent stands as a character of its own (U+%04X)", (unsigned)c);
    zw_diag_remedy(x->diags, "type the accented letter as one character");
  } else {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "the character '%.*s' has no meaning here", (int)bytes,
                  x->text + begin);
    if (typed_as(c)) zw_diag_remedy(x->diags, "write %s as on the keyboard", typed_as(c));
    if (c == '_') zw_diag_remedy(x->diags, "a name begins with a letter");
  }
  /* one message for a run of unreadable bytes */
  while (bytes == 0 && x->at < x->size && !zw_utf8_decode(x->text + x->at, x->size - x->at, &c)) x->at++;
  push(x, ZW_TOKEN_WRONG, begin, 0);
}

static void skip_space(Lexer* x) {
  for (; x->at < x->size; x->at++) {
    char c = x->text[x->at];
    if (c == '#') {
      while (x->at < x->size && x->text[x->at] != '\n') x->at++;
      if (x->at >= x->size) return;
      c = '\n';
    }
    if (c == '\n') x->after_newline = true;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return;
    x->after_space = true;
  }
}

ZwStatus zw_lex(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwTokens* tokens) {
  ZwStr text = zw_sources_get(diags->sources, file)->text;
  Lexer x = {arena, diags, tokens, text.data, file, text.size, 0, true, true};
  if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) x.at = 3; /* byte order mark */
  const char* zero = text.size > 0 ? memchr(text.data, 0, (size_t)text.size) : NULL;
  if (zero) { /* one message, not one for each byte */
    int32_t at = (int32_t)(zero - text.data);
    zw_diag_error(diags, ZW_ERR_SYNTAX, (ZwSpan){file, at, at + 1}, "this is not a text: it holds a zero byte");
    zw_diag_remedy(diags, "a model is plain text in UTF-8");
    x.at = x.size;
  }
  for (skip_space(&x); x.at < x.size && !arena->failed && diags->errors <= ZW_LIMIT_ERRORS; skip_space(&x)) {
    if (is_digit(x.text[x.at])) {
      lex_number(&x);
    } else if (letter_size(&x)) {
      lex_name(&x);
    } else if (x.text[x.at] == '"') {
      lex_string(&x);
    } else if (!lex_operator(&x)) {
      lex_wrong(&x);
    }
  }
  push(&x, ZW_TOKEN_END, x.size, 0);
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
