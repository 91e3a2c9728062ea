/* How much space goes before each token.
 *
 *   param a = 1, b = -a*x[i-1,j]^2      sums and = are set wide, products, powers and indices are not
 *   for i in 1..N, sum(i in 1..N: x[i]) ranges are tight, the time of a run is not: run 0 .. 10
 *   rod(1, (i-1, 1), (i, 1))            a loop index and its neighbour are one thing
 */
#include "text/layout.h"

/* A bracket that is open, or the file itself. */
typedef struct Level {
  ZwTokenKind kind;
  int32_t statement; /* token that began the statement, for level { and the file */
  bool is_index;     /* [ ] behind a name */
  bool has_range;    /* .. has been seen in it */
  bool in_range;     /* right of a .. that sets its bounds tight */
} Level;

/* A loop index and how long its name means that. */
typedef struct Index {
  ZwStr name;
  int32_t level;       /* it ends with the bracket that closes this level ... */
  ZwTokenKind closing; /* ... and is of this kind */
} Index;

typedef struct Spacing {
  ZwLayout* layout;
  ZW_ARRAY(Level) levels;
  ZW_ARRAY(Index) indices;
} Spacing;

static ZwStr token_str(const ZwLayout* layout, int32_t i) {
  return zw_token_str(layout->text.data, &layout->tokens[i]);
}

static bool is_kind(const ZwLayout* layout, int32_t i, ZwTokenKind kind) {
  return i >= 0 && i < layout->count && layout->tokens[i].kind == kind;
}

static bool is_opening(ZwTokenKind kind) {
  return kind == ZW_TOKEN_LPAREN || kind == ZW_TOKEN_LBRACKET || kind == ZW_TOKEN_LBRACE;
}

static bool is_closing(ZwTokenKind kind) {
  return kind == ZW_TOKEN_RPAREN || kind == ZW_TOKEN_RBRACKET || kind == ZW_TOKEN_RBRACE;
}

static bool is_sign(ZwTokenKind kind) {
  return kind == ZW_TOKEN_PLUS || kind == ZW_TOKEN_MINUS;
}

static Level* top(Spacing* s) {
  return &s->levels.items[s->levels.count - 1];
}

/* ---- where statements begin ---- */

static void mark_block(ZwLayout* layout, const ZwAst* block, int32_t* at);

static void mark_inner(ZwLayout* layout, const ZwAst* node, int32_t* at) {
  if (node->kind == ZW_AST_FOR || node->kind == ZW_AST_COMPONENT) mark_block(layout, node->b, at);
  if (node->kind != ZW_AST_IF) return;
  mark_block(layout, node->a, at);
  if (!node->b) return;
  if (node->b->kind == ZW_AST_IF)
    mark_inner(layout, node->b, at);
  else
    mark_block(layout, node->b, at);
}

/* Statements come in the order of their tokens, so one cursor goes along. */
static void mark_block(ZwLayout* layout, const ZwAst* block, int32_t* at) {
  for (const ZwAst* node = block->first; node; node = node->next) {
    while (*at < layout->count - 1 && layout->tokens[*at].begin < node->span.begin) ++*at;
    layout->pieces[*at].statement = node->kind;
    mark_inner(layout, node, at);
  }
}

/* ---- roles ---- */

/* The second word of some statements: start exactly, stop when, draw line. */
static bool is_second_word(const ZwLayout* layout, int32_t i, int32_t statement) {
  if (i != statement + 1) return false;
  switch (layout->pieces[statement].statement) {
    case ZW_AST_DRAW:
    case ZW_AST_STOP:
      return true;
    case ZW_AST_START:
      return !layout->tokens[i].after_newline && zw_str_equal(token_str(layout, i), ZW_STR("exactly"));
    default:
      return false;
  }
}

static ZwRole name_role(Spacing* s, int32_t i) {
  const ZwLayout* layout = s->layout;
  int32_t statement = top(s)->statement;
  if (layout->pieces[i].statement != ZW_AST_FILE) return ZW_ROLE_WORD;
  if (is_second_word(layout, i, statement)) return ZW_ROLE_WORD;
  /* contact ..., restitution 0.8 */
  bool is_outside = top(s)->kind != ZW_TOKEN_LPAREN && top(s)->kind != ZW_TOKEN_LBRACKET;
  bool in_contact = is_outside && layout->pieces[statement].statement == ZW_AST_CONTACT;
  if (in_contact && is_kind(layout, i - 1, ZW_TOKEN_COMMA)) return ZW_ROLE_WORD;
  /* a name behind a value can only be a word: run 0 .. 1 every 0.1 */
  return i > 0 && layout->pieces[i - 1].role == ZW_ROLE_OPERAND ? ZW_ROLE_WORD : ZW_ROLE_OPERAND;
}

static ZwRole role_of(Spacing* s, int32_t i) {
  switch (s->layout->tokens[i].kind) {
    case ZW_TOKEN_NAME:
      return name_role(s, i);
    case ZW_TOKEN_NUMBER:
    case ZW_TOKEN_STRING:
    case ZW_TOKEN_T:
    case ZW_TOKEN_PI:
    case ZW_TOKEN_DEG:
    case ZW_TOKEN_RPAREN:
    case ZW_TOKEN_RBRACKET:
    case ZW_TOKEN_PRIME:
      return ZW_ROLE_OPERAND;
    case ZW_TOKEN_PLUS:
    case ZW_TOKEN_MINUS:
      return s->layout->pieces[i - 1].role == ZW_ROLE_OPERAND ? ZW_ROLE_OTHER : ZW_ROLE_UNARY;
    default:
      return ZW_ROLE_OTHER;
  }
}

/* ---- what is set tight ---- */

/* The left bound of a range, back from its dots. */
static void tighten_before(ZwLayout* layout, int32_t dots) {
  int32_t depth = 0;
  for (int32_t i = dots - 1; i >= 0; i--) {
    ZwTokenKind kind = layout->tokens[i].kind;
    if (is_opening(kind) && depth-- == 0) return;
    if (is_closing(kind)) depth++;
    if (depth == 0 && (kind == ZW_TOKEN_IN || kind == ZW_TOKEN_COMMA)) return;
    if (depth == 0 && is_sign(kind)) layout->pieces[i].is_tight = true;
  }
}

static void meet_dots(Spacing* s, int32_t i) {
  Level* level = top(s);
  bool is_time = level->kind != ZW_TOKEN_LPAREN && level->kind != ZW_TOKEN_LBRACKET &&
                 s->layout->pieces[level->statement].statement == ZW_AST_RUN;
  level->has_range = level->in_range = !is_time;
  s->layout->pieces[i].is_tight = !is_time;
  if (!is_time) tighten_before(s->layout, i);
}

static bool is_loop_index(const Spacing* s, int32_t i) {
  if (!is_kind(s->layout, i, ZW_TOKEN_NAME)) return false;
  for (int32_t k = s->indices.count - 1; k >= 0; k--) {
    if (zw_str_equal(s->indices.items[k].name, token_str(s->layout, i))) return true;
  }
  return false;
}

static bool is_whole_number(const ZwLayout* layout, int32_t i) {
  if (!is_kind(layout, i, ZW_TOKEN_NUMBER)) return false;
  for (int32_t at = layout->tokens[i].begin; at < layout->tokens[i].end; at++) {
    if (layout->text.data[at] < '0' || layout->text.data[at] > '9') return false;
  }
  return true;
}

/* (i-1, and i+1) as whole members of a list */
static bool is_neighbour(const Spacing* s, int32_t sign) {
  const ZwLayout* layout = s->layout;
  return is_loop_index(s, sign - 1) && is_whole_number(layout, sign + 1) &&
         (is_kind(layout, sign - 2, ZW_TOKEN_LPAREN) || is_kind(layout, sign - 2, ZW_TOKEN_COMMA)) &&
         (is_kind(layout, sign + 2, ZW_TOKEN_RPAREN) || is_kind(layout, sign + 2, ZW_TOKEN_COMMA));
}

/* ---- levels ---- */

static bool open_level(Spacing* s, int32_t i) {
  ZwTokenKind kind = s->layout->tokens[i].kind;
  Level level = {.kind = kind, .statement = top(s)->statement};
  level.is_index = kind == ZW_TOKEN_LBRACKET && s->layout->pieces[i - 1].role == ZW_ROLE_OPERAND;
  top(s)->in_range = top(s)->in_range && kind != ZW_TOKEN_LBRACE;
  return ZW_PUSH(s->layout->arena, &s->levels, level);
}

static void close_level(Spacing* s, int32_t i) {
  ZwTokenKind kind = s->layout->tokens[i].kind;
  int32_t level = s->levels.count - 1;
  while (s->indices.count > 0) {
    const Index* last = &s->indices.items[s->indices.count - 1];
    if (last->level < level || last->closing != kind) break;
    s->indices.count--;
  }
  s->levels.count--;
}

/* A name before `in`: of a sum until its bracket closes, of a loop until its block does. */
static bool open_index(Spacing* s, int32_t i) {
  bool is_sum = top(s)->kind == ZW_TOKEN_LPAREN;
  int32_t level = s->levels.count - 1;
  Index index = {token_str(s->layout, i), is_sum ? level : level + 1, is_sum ? ZW_TOKEN_RPAREN : ZW_TOKEN_RBRACE};
  return ZW_PUSH(s->layout->arena, &s->indices, index);
}

static bool visit(Spacing* s, int32_t i) {
  ZwPiece* piece = &s->layout->pieces[i];
  ZwTokenKind kind = s->layout->tokens[i].kind;
  if (is_closing(kind)) close_level(s, i);
  if (piece->statement != ZW_AST_FILE) top(s)->statement = i;
  piece->role = role_of(s, i);
  Level* level = top(s);
  if (kind == ZW_TOKEN_DOTS) meet_dots(s, i);
  if (kind == ZW_TOKEN_COMMA || kind == ZW_TOKEN_COLON) level->in_range = false;
  if (kind == ZW_TOKEN_COMMA) piece->is_tight = level->is_index && !level->has_range;
  if (is_sign(kind) && piece->role != ZW_ROLE_UNARY) {
    piece->is_tight = level->is_index || level->in_range || is_neighbour(s, i);
  }
  if (kind == ZW_TOKEN_NAME && is_kind(s->layout, i + 1, ZW_TOKEN_IN) && !open_index(s, i)) return false;
  return !is_opening(kind) || open_level(s, i);
}

/* ---- spaces ---- */

static bool is_factor_sign(ZwTokenKind kind) {
  return kind == ZW_TOKEN_STAR || kind == ZW_TOKEN_SLASH || kind == ZW_TOKEN_CARET;
}

static bool hugs_left(ZwTokenKind kind) {
  return kind == ZW_TOKEN_COMMA || kind == ZW_TOKEN_SEMICOLON || kind == ZW_TOKEN_COLON || kind == ZW_TOKEN_RPAREN ||
         kind == ZW_TOKEN_RBRACKET || kind == ZW_TOKEN_PRIME || kind == ZW_TOKEN_DOT || is_factor_sign(kind);
}

static bool hugs_right(ZwTokenKind kind) {
  return kind == ZW_TOKEN_LPAREN || kind == ZW_TOKEN_LBRACKET || kind == ZW_TOKEN_DOT || is_factor_sign(kind);
}

static int32_t space_before(const ZwLayout* layout, int32_t i) {
  const ZwPiece *before = &layout->pieces[i - 1], *piece = &layout->pieces[i];
  ZwTokenKind left = layout->tokens[i - 1].kind, right = layout->tokens[i].kind;
  if (hugs_left(right) || hugs_right(left) || before->role == ZW_ROLE_UNARY) return 0;
  if (left == ZW_TOKEN_LBRACE && right == ZW_TOKEN_RBRACE) return 0;
  if (right == ZW_TOKEN_LPAREN || right == ZW_TOKEN_LBRACKET) {
    if (before->role == ZW_ROLE_OPERAND || left == ZW_TOKEN_SUM) return 0;
  }
  return before->is_tight || piece->is_tight ? 0 : 1;
}

ZwStatus zw_layout_spaces(ZwLayout* layout, const ZwAst* tree) {
  Spacing s = {.layout = layout};
  int32_t at = 0;
  mark_block(layout, tree, &at);
  if (!ZW_PUSH(layout->arena, &s.levels, ((Level){.kind = ZW_TOKEN_END}))) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < layout->count; i++) {
    if (!visit(&s, i)) return ZW_ERR_MEMORY;
  }
  for (int32_t i = 1; i < layout->count; i++) layout->pieces[i].space = space_before(layout, i);
  return ZW_OK;
}
