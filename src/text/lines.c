/* Which tokens and comments stand on a line.
 *
 * The author's breaks stay, with a few exceptions: a block that is not on one line has its braces at line ends,
 *
 *   for i in 1..N {
 *     kinetic 1/2*m*x[i]'^2
 *   }
 *
 * and a block on one line is opened when its line is longer than ZW_FORMAT_WIDTH. */
#include "text/format.h"
#include "text/layout.h"

enum { INDENT = 2, INDENT_CONTINUED = 4 };

typedef struct Lines {
  ZwLayout* layout;
  int32_t depth; /* open { */
  int32_t open;  /* open ( and [ */
  bool is_open;  /* the last line may get more tokens */
} Lines;

static ZwTokenKind kind_at(const ZwLayout* layout, int32_t i) {
  return layout->tokens[i].kind;
}

/* ---- braces ---- */

static int32_t comments_end(const ZwLayout* layout, int32_t i) {
  return i + 1 < layout->count ? layout->pieces[i + 1].first_comment : layout->comments.count;
}

static bool has_comment(const ZwLayout* layout, int32_t i) {
  return comments_end(layout, i) > layout->pieces[i].first_comment;
}

/* Finds the other half of each brace and the block of each semicolon. */
static ZwStatus pair_braces(ZwLayout* layout) {
  ZW_ARRAY(int32_t) open = {0};
  int32_t line_begin = 0; /* first token of the author's line */
  for (int32_t i = 0; i < layout->count; i++) {
    if (layout->tokens[i].after_newline) line_begin = i;
    if (kind_at(layout, i) == ZW_TOKEN_LBRACE && !ZW_PUSH(layout->arena, &open, i)) return ZW_ERR_MEMORY;
    int32_t brace = open.count ? open.items[open.count - 1] : -1;
    layout->pieces[i].partner = brace;
    if (kind_at(layout, i) != ZW_TOKEN_RBRACE) continue;
    bool is_empty = brace == i - 1 && !has_comment(layout, i);
    layout->pieces[brace].partner = i;
    layout->pieces[brace].is_inline = layout->pieces[i].is_inline = is_empty || brace >= line_begin;
    open.count--;
  }
  return ZW_OK;
}

static void open_block(ZwLayout* layout, int32_t brace) {
  layout->pieces[brace].is_inline = layout->pieces[layout->pieces[brace].partner].is_inline = false;
  layout->pieces[brace].is_opened = true;
}

/* Opens the outermost blocks of lines that are too long; false when there are none. */
static bool open_long_blocks(ZwLayout* layout) {
  bool has_opened = false;
  for (int32_t l = 0; l < layout->lines.count; l++) {
    const ZwLine* line = &layout->lines.items[l];
    if (line->indent + zw_layout_width(layout, line->begin, line->end) <= ZW_FORMAT_WIDTH) continue;
    for (int32_t i = line->begin; i < line->end; i++) {
      const ZwPiece* piece = &layout->pieces[i];
      if (kind_at(layout, i) != ZW_TOKEN_LBRACE || !piece->is_inline) continue;
      if (piece->partner == i + 1) continue; /* {} */
      int32_t end = piece->partner;
      open_block(layout, i);
      has_opened = true;
      i = end;
    }
  }
  return has_opened;
}

/* ---- breaks ---- */

/* A ; in a block that was on one line and no longer is. */
static bool ends_opened_line(const ZwLayout* layout, int32_t i) {
  int32_t brace = layout->pieces[i].partner;
  return kind_at(layout, i) == ZW_TOKEN_SEMICOLON && brace >= 0 && layout->pieces[brace].is_opened;
}

static bool breaks_before(const ZwLayout* layout, int32_t i) {
  if (i == 0 || has_comment(layout, i)) return true;
  ZwTokenKind before = kind_at(layout, i - 1), kind = kind_at(layout, i);
  if (before == ZW_TOKEN_LBRACE) return !layout->pieces[i - 1].is_inline;
  if (kind == ZW_TOKEN_RBRACE) return !layout->pieces[i].is_inline;
  if (kind == ZW_TOKEN_LBRACE) return false;                            /* for ... { */
  if (kind == ZW_TOKEN_ELSE && before == ZW_TOKEN_RBRACE) return false; /* } else { */
  if (layout->tokens[i].after_newline) return true;
  return layout->pieces[i].statement != ZW_AST_FILE && ends_opened_line(layout, i - 1);
}

/* ---- indents ---- */

static bool is_closing_bracket(ZwTokenKind kind) {
  return kind == ZW_TOKEN_RPAREN || kind == ZW_TOKEN_RBRACKET;
}

/* Does the line that begins with token `i` go on with a statement? */
static bool is_continued(const ZwLayout* layout, int32_t i) {
  ZwTokenKind kind = kind_at(layout, i);
  if (layout->pieces[i].statement != ZW_AST_FILE || kind == ZW_TOKEN_END) return false;
  if (kind == ZW_TOKEN_RBRACE || kind == ZW_TOKEN_LBRACE || kind == ZW_TOKEN_SEMICOLON) return false;
  return !(kind == ZW_TOKEN_ELSE && kind_at(layout, i - 1) == ZW_TOKEN_RBRACE);
}

/* Brackets that are open on a continued line indent it further; one that closes them all stands below the statement. */
static int32_t indent_of(const Lines* s, int32_t i, int32_t depth) {
  int32_t indent = INDENT * depth, open = s->open;
  if (!is_continued(s->layout, i)) return indent;
  bool is_closing = is_closing_bracket(kind_at(s->layout, i));
  for (int32_t k = i; is_closing_bracket(kind_at(s->layout, k)); k++) open--;
  if (open > 0) return indent + INDENT_CONTINUED + INDENT * (open - 1);
  return is_closing ? indent : indent + INDENT_CONTINUED;
}

/* ---- lines ---- */

static bool ends_in_brace(const ZwLayout* layout, const ZwLine* line) {
  return line->end > line->begin && kind_at(layout, line->end - 1) == ZW_TOKEN_LBRACE;
}

static bool add_line(Lines* s, ZwLine line, int32_t newlines) {
  ZwLayout* layout = s->layout;
  const ZwLine* last = layout->lines.count ? &layout->lines.items[layout->lines.count - 1] : NULL;
  line.is_after_blank = newlines >= 2 && last && !ends_in_brace(layout, last);
  return ZW_PUSH(layout->arena, &layout->lines, line);
}

/* A comment alone, right below the one at the end of a line and in its column, goes on with it. */
static bool goes_on(const ZwLayout* layout, const ZwComment* comment) {
  if (comment->newlines != 1 || layout->lines.count == 0) return false;
  const ZwLine* last = &layout->lines.items[layout->lines.count - 1];
  if (last->comment < 0 || !(last->goes_on || last->end > last->begin)) return false;
  return layout->comments.items[last->comment].source_column == comment->source_column;
}

static bool add_comment(Lines* s, int32_t number, int32_t next) {
  ZwLayout* layout = s->layout;
  const ZwComment* comment = &layout->comments.items[number];
  if (comment->newlines == 0 && s->is_open) {
    layout->lines.items[layout->lines.count - 1].comment = number;
    s->is_open = false;
    return true;
  }
  s->is_open = false;
  ZwLine line = {next, next, number, 0, s->depth, 0, false, goes_on(layout, comment)};
  line.indent = INDENT * s->depth;
  if (is_continued(layout, next)) line.indent = indent_of(s, next, s->depth);
  return add_line(s, line, comment->newlines);
}

static bool add_token(Lines* s, int32_t i) {
  ZwLayout* layout = s->layout;
  ZwTokenKind kind = kind_at(layout, i);
  if (kind == ZW_TOKEN_END) return true;
  if (kind == ZW_TOKEN_RBRACE) s->depth--;
  if (breaks_before(layout, i)) {
    ZwLine line = {i, i, -1, 0, s->depth, indent_of(s, i, s->depth), false, false};
    int32_t newlines = kind == ZW_TOKEN_RBRACE ? 1 : layout->pieces[i].newlines;
    if (!add_line(s, line, newlines)) return false;
    s->is_open = true;
  }
  layout->lines.items[layout->lines.count - 1].end = i + 1;
  if (kind == ZW_TOKEN_LBRACE) s->depth++;
  s->open += kind == ZW_TOKEN_LPAREN || kind == ZW_TOKEN_LBRACKET;
  s->open -= is_closing_bracket(kind);
  return true;
}

static ZwStatus build(ZwLayout* layout) {
  Lines s = {.layout = layout};
  layout->lines.count = 0;
  for (int32_t i = 0; i < layout->count; i++) {
    for (int32_t c = layout->pieces[i].first_comment; c < comments_end(layout, i); c++) {
      if (!add_comment(&s, c, i)) return ZW_ERR_MEMORY;
    }
    if (!add_token(&s, i)) return ZW_ERR_MEMORY;
  }
  return ZW_OK;
}

ZwStatus zw_layout_lines(ZwLayout* layout) {
  ZW_TRY(pair_braces(layout));
  /* what is opened leaves shorter lines, in which blocks within may fit: at most once per level of blocks */
  do {
    ZW_TRY(build(layout));
  } while (open_long_blocks(layout));
  return ZW_OK;
}
