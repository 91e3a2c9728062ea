#include "text/lexer.h"

#include <math.h>
#include <string.h>

#include "text/letters.h"
#include "text/lookalike.h"
#include "text/nfc.h"

typedef struct Lexer {
  ZwArena* arena;
  ZwDiagList* diags;
  ZwTokens* tokens;
  const char* text;
  int32_t file, size, at;
  bool after_newline, after_space;
  bool has_odd_names; /* with letters that may look like others */
} Lexer;

const char* zw_token_text(ZwTokenKind kind) {
  static const char* const texts[] = {
#define ZW_TOKEN_TEXT(name, text) text,
      ZW_TOKEN_LIST(ZW_TOKEN_TEXT)
#undef ZW_TOKEN_TEXT
  };
  return texts[kind];
}

ZwStr zw_token_str(const char* text, const ZwToken* token) {
  if (token->kind == ZW_TOKEN_NAME && token->normal) return *token->normal;
  return (ZwStr){text + token->begin, token->end - token->begin};
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

/* Takes kind, begin and what is special to the kind. */
static void push(Lexer* x, ZwToken token) {
  token.end = x->at;
  token.after_newline = x->after_newline;
  token.after_space = x->after_space;
  x->after_newline = x->after_space = false;
  (void)ZW_PUSH(x->arena, &x->tokens->list, token); /* a failure stays in the arena */
}

static void push_plain(Lexer* x, ZwTokenKind kind, int32_t begin) {
  push(x, (ZwToken){.kind = kind, .begin = begin});
}

/* Bytes of the name at the cursor or behind it, 0 if there is none. */
static int32_t name_size(const Lexer* x, int32_t ahead) {
  return zw_name_size(x->text + x->at + ahead, x->size - x->at - ahead);
}

/* ---- numbers ---- */

static void skip_digits(Lexer* x) {
  while (is_digit(peek(x, 0))) x->at++;
}

/* What a double cannot hold is an error: 0 in place of 1e-400 would be another model. */
static double number_value(Lexer* x, int32_t begin) {
  ZwNumber number = zw_number_read(x->text + begin, x->at - begin);
  if (number.kind == ZW_NUMBER_HUGE) {
    zw_diag_error(x->diags, ZW_ERR_VALUE, span_from(x, begin), "this number is too large");
    zw_diag_remedy(x->diags, "the largest number is 1.797e308; choose other units");
  }
  if (number.kind == ZW_NUMBER_TINY) {
    zw_diag_error(x->diags, ZW_ERR_VALUE, span_from(x, begin), "this number is too small: it would be 0");
    zw_diag_remedy(x->diags, "write 0, or choose other units; the smallest number is 4.94e-324");
  }
  return number.value;
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
  ZwStr name = {x->text + x->at, name_size(x, 0)};
  if (name.size) {
    ZwStr number = {x->text + begin, x->at - begin};
    x->at += name.size;
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span_from(x, begin), "a number directly followed by a name");
    zw_diag_remedy(x->diags, "write %.*s*%.*s", ZW_STR_ARGS(number), ZW_STR_ARGS(zw_nfc(x->diags->arena, name)));
  } else if (peek(x, 0) == '.' && peek(x, 1) != '.' && !name_size(x, 1)) {
    x->at++;
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span_from(x, begin), "a decimal point needs a digit on both sides");
    zw_diag_remedy(x->diags, "write %.*s0", (int)(x->at - begin), x->text + begin);
  }
  push(x, (ZwToken){.kind = ZW_TOKEN_NUMBER, .begin = begin, .number = value});
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

/* The name as all stages after this one know it, NULL where that is as it was typed. */
static const ZwStr* normal_name(Lexer* x, ZwStr typed) {
  ZwStr name = zw_nfc(x->diags->arena, typed);
  if (name.data == typed.data) return NULL;
  ZwStr* normal = ZW_NEW(x->diags->arena, 1, ZwStr);
  if (normal) *normal = name;
  return normal;
}

/* Some marks and letters of a name have no width: it would be another name, and that could not be seen. */
static void refuse_hidden(Lexer* x, int32_t begin, ZwStr typed) {
  uint32_t c = 0;
  for (int32_t i = 0, bytes; i < typed.size; i += bytes) {
    bytes = zw_utf8_decode(typed.data + i, typed.size - i, &c);
    if (bytes == 0) return;
    if (!zw_is_hidden(c)) continue;
    ZwSpan span = {x->file, begin + i, begin + i + bytes};
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "an invisible character (U+%04X) stands in this name", (unsigned)c);
    zw_diag_remedy(x->diags, "delete it: type the name anew");
    return;
  }
}

static bool is_ascii(ZwStr text) {
  for (int32_t i = 0; i < text.size; i++) {
    if ((unsigned char)text.data[i] >= 0x80) return false;
  }
  return true;
}

/* name = letter {letter | digit | mark | "_"} */
static bool lex_name(Lexer* x) {
  int32_t begin = x->at;
  ZwStr typed = {x->text + begin, name_size(x, 0)};
  if (typed.size == 0) return false;
  x->at += typed.size;
  if (!is_ascii(typed)) {
    x->has_odd_names = true;
    refuse_hidden(x, begin, typed);
  }
  const ZwStr* normal = normal_name(x, typed);
  push(x, (ZwToken){.kind = word_kind(normal ? *normal : typed), .begin = begin, .normal = normal});
  return true;
}

/* ---- names that look alike ---- */

static ZwStr name_at(const Lexer* x, int32_t i) {
  return zw_token_str(x->text, &x->tokens->list.items[i]);
}

static bool is_name(const Lexer* x, int32_t i) {
  return x->tokens->list.items[i].kind == ZW_TOKEN_NAME;
}

static bool was_before(const Lexer* x, int32_t i) {
  for (int32_t k = 0; k < i; k++) {
    if (is_name(x, k) && zw_str_equal(name_at(x, k), name_at(x, i))) return true;
  }
  return false;
}

static void note_twins(Lexer* x, int32_t i) {
  ZwStr name = name_at(x, i);
  const ZwToken* token = &x->tokens->list.items[i];
  ZwSpan span = {x->file, token->begin, token->end};
  uint32_t odd;
  for (int32_t k = 0; k < x->tokens->list.count; k++) {
    if (!is_name(x, k) || zw_str_equal(name_at(x, k), name) || !zw_names_look_alike(name_at(x, k), name)) continue;
    if (k > i && zw_name_has_twins(name_at(x, k))) continue; /* told there */
    const ZwToken* other = &x->tokens->list.items[k];
    ZwPlace place = zw_sources_place(x->diags->sources, (ZwSpan){x->file, other->begin, other->end});
    zw_diag_note(x->diags, span, "'%.*s' looks like '%.*s' in line %d, but is another name: its letters are others",
                 ZW_STR_ARGS(name), ZW_STR_ARGS(name_at(x, k)), (int)place.line);
    return;
  }
  if (!zw_name_is_mixed(name, &odd)) return;
  zw_diag_note(x->diags, span, "the name '%.*s' mixes alphabets: U+%04X in it looks like '%c', and is another letter",
               ZW_STR_ARGS(name), (unsigned)odd, (char)zw_looks_like(odd));
}

/* Once for each name with such letters; few texts have one. */
static void note_lookalikes(Lexer* x) {
  enum { MOST = 500 }; /* names; a text with more of them is past help */
  int32_t looked_at = 0;
  for (int32_t i = 0; i < x->tokens->list.count && looked_at < MOST; i++) {
    if (!is_name(x, i) || !zw_name_has_twins(name_at(x, i)) || was_before(x, i)) continue;
    note_twins(x, i);
    looked_at++;
  }
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
  push_plain(x, is_closed ? ZW_TOKEN_STRING : ZW_TOKEN_WRONG, begin);
}

/* ---- operators and everything else ---- */

static bool lex_operator(Lexer* x) {
  static const struct {
    char text[3];
    ZwTokenKind kind;
  } operators[] = {
      {"->", ZW_TOKEN_ARROW}, {"..", ZW_TOKEN_DOTS},    {"==", ZW_TOKEN_EQ},      {"!=", ZW_TOKEN_NE},
      {"<=", ZW_TOKEN_LE},    {">=", ZW_TOKEN_GE},      {"+", ZW_TOKEN_PLUS},     {"-", ZW_TOKEN_MINUS},
      {"*", ZW_TOKEN_STAR},   {"/", ZW_TOKEN_SLASH},    {"^", ZW_TOKEN_CARET},    {"(", ZW_TOKEN_LPAREN},
      {")", ZW_TOKEN_RPAREN}, {"[", ZW_TOKEN_LBRACKET}, {"]", ZW_TOKEN_RBRACKET}, {"{", ZW_TOKEN_LBRACE},
      {"}", ZW_TOKEN_RBRACE}, {",", ZW_TOKEN_COMMA},    {":", ZW_TOKEN_COLON},    {";", ZW_TOKEN_SEMICOLON},
      {"=", ZW_TOKEN_ASSIGN}, {"<", ZW_TOKEN_LT},       {">", ZW_TOKEN_GT},       {".", ZW_TOKEN_DOT},
      {"'", ZW_TOKEN_PRIME}};
  for (int i = 0; i < (int)(sizeof operators / sizeof *operators); i++) {
    int32_t size = (int32_t)strlen(operators[i].text);
    if (x->size - x->at < size || memcmp(x->text + x->at, operators[i].text, (size_t)size) != 0) continue;
    int32_t begin = x->at;
    x->at += size;
    push_plain(x, operators[i].kind, begin);
    return true;
  }
  return false;
}

/* Characters that word processors put in place of the ones on the keyboard. */
static const char* typed_as(uint32_t c) {
  switch (c) {
    case 0x2019:
    case 0x2018:
    case 0x2032:
    case 0xB4:
    case 0x60:
      return "'";
    case 0x2033:
      return "''";
    case 0x2212:
    case 0x2013:
    case 0x2014:
      return "-";
    case 0xD7:
    case 0x22C5:
    case 0xB7:
    case 0x387:
      return "*";
    case 0xF7:
      return "/";
    case 0x2264:
      return "<=";
    case 0x2265:
      return ">=";
    case 0x2260:
      return "!=";
    case 0xB2:
      return "^2";
    case 0x201C:
    case 0x201D:
      return "\"";
    default:
      return NULL;
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
  } else if (zw_is_hidden(c)) {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "an invisible character (U+%04X) stands in the text", (unsigned)c);
    zw_diag_remedy(x->diags, "delete it");
  } else if (zw_is_mark(c)) {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "an accent without a letter before it (U+%04X)", (unsigned)c);
    zw_diag_remedy(x->diags, "type the letter first, or the accented letter as one character");
  } else {
    zw_diag_error(x->diags, ZW_ERR_SYNTAX, span, "the character '%.*s' has no meaning here", (int)bytes,
                  x->text + begin);
    if (typed_as(c)) zw_diag_remedy(x->diags, "write %s as on the keyboard", typed_as(c));
    if (zw_is_name_continue(c)) zw_diag_remedy(x->diags, "a name begins with a letter");
  }
  /* one message for a run of unreadable bytes */
  while (bytes == 0 && x->at < x->size && !zw_utf8_decode(x->text + x->at, x->size - x->at, &c)) x->at++;
  push_plain(x, ZW_TOKEN_WRONG, begin);
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
  Lexer x = {arena, diags, tokens, text.data, file, text.size, 0, true, true, false};
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
    } else if (x.text[x.at] == '"') {
      lex_string(&x);
    } else if (!lex_name(&x) && !lex_operator(&x)) {
      lex_wrong(&x);
    }
  }
  push_plain(&x, ZW_TOKEN_END, x.size);
  if (x.has_odd_names && !arena->failed) note_lookalikes(&x);
  return arena->failed || diags->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
