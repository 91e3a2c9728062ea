#include "text/format.h"

#include <string.h>

#include "text/layout.h"
#include "text/parser.h"

/* ---- measuring ---- */

int32_t zw_columns(const char* text, int32_t size, int32_t column) {
  int32_t begin = column;
  for (int32_t i = 0; i < size; i++) {
    if (text[i] == '\t')
      column += 8 - column % 8;
    else
      column += ((unsigned char)text[i] & 0xC0) != 0x80;
  }
  return column - begin;
}

int32_t zw_layout_width(const ZwLayout* layout, int32_t begin, int32_t end) {
  int32_t width = 0;
  for (int32_t i = begin; i < end; i++) width += layout->pieces[i].width + (i > begin ? layout->pieces[i].space : 0);
  return width;
}

/* ---- what stands between the tokens ---- */

/* Along the author's text: position and column. */
typedef struct Scan {
  int32_t at, column;
  int32_t newlines; /* since the last token or comment */
  int32_t space;    /* columns since then, -1 after a newline */
} Scan;

static void pass(Scan* scan, ZwStr text, int32_t end) {
  scan->column += zw_columns(text.data + scan->at, end - scan->at, scan->column);
  scan->at = end;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static bool add_comment(ZwLayout* layout, Scan* scan) {
  const char* begin = layout->text.data + scan->at;
  const char* newline = memchr(begin, '\n', (size_t)(layout->text.size - scan->at));
  int32_t line_end = newline ? (int32_t)(newline - layout->text.data) : layout->text.size, end = line_end;
  while (is_blank(layout->text.data[end - 1])) end--;
  ZwComment comment = {scan->at, end, scan->newlines, scan->column};
  pass(scan, layout->text, line_end);
  scan->newlines = 0;
  return ZW_PUSH(layout->arena, &layout->comments, comment);
}

/* Reads the space and the comments before token `i`. */
static bool scan_gap(ZwLayout* layout, Scan* scan, int32_t i) {
  layout->pieces[i].first_comment = layout->comments.count;
  while (scan->at < layout->tokens[i].begin) {
    char c = layout->text.data[scan->at];
    if (c == '#') {
      if (!add_comment(layout, scan)) return false;
    } else if (c == '\n') {
      scan->at++;
      scan->column = 0;
      scan->newlines += scan->newlines < 2;
      scan->space = -1;
    } else {
      int32_t before = scan->column;
      pass(scan, layout->text, scan->at + 1);
      if (scan->space >= 0) scan->space += scan->column - before;
    }
  }
  return true;
}

static ZwStatus scan_pieces(ZwLayout* layout) {
  bool has_mark = layout->text.size >= 3 && memcmp(layout->text.data, "\xEF\xBB\xBF", 3) == 0; /* byte order mark */
  Scan scan = {.at = has_mark ? 3 : 0, .newlines = 1, .space = -1};
  for (int32_t i = 0; i < layout->count; i++) {
    const ZwToken* token = &layout->tokens[i];
    ZwPiece* piece = &layout->pieces[i];
    if (!scan_gap(layout, &scan, i)) return ZW_ERR_MEMORY;
    piece->newlines = scan.newlines;
    piece->source_column = scan.column;
    piece->source_space = scan.space;
    pass(&scan, layout->text, token->end);
    piece->width = scan.column - piece->source_column;
    scan.newlines = scan.space = 0;
  }
  return ZW_OK;
}

/* ---- printing ---- */

static void add_spaces(ZwText* out, int32_t count) {
  static const char spaces[] = "                                ";
  for (int32_t size; count > 0; count -= size) {
    size = count < (int32_t)sizeof spaces - 1 ? count : (int32_t)sizeof spaces - 1;
    zw_text_add(out, spaces, size);
  }
}

static void print_line(const ZwLayout* layout, const ZwLine* line, ZwText* out) {
  if (line->is_after_blank) zw_text_add(out, "\n", 1);
  int32_t column = 0;
  if (line->end > line->begin) {
    add_spaces(out, line->indent);
    column = line->indent + zw_layout_width(layout, line->begin, line->end);
  }
  for (int32_t i = line->begin; i < line->end; i++) {
    const ZwToken* token = &layout->tokens[i];
    if (i > line->begin) add_spaces(out, layout->pieces[i].space);
    zw_text_add(out, layout->text.data + token->begin, token->end - token->begin);
  }
  if (line->comment >= 0) {
    const ZwComment* comment = &layout->comments.items[line->comment];
    bool is_alone = line->end == line->begin && !line->goes_on;
    add_spaces(out, is_alone ? line->indent : line->comment_column - column);
    zw_text_add(out, layout->text.data + comment->begin, comment->end - comment->begin);
  }
  zw_text_add(out, "\n", 1);
}

/* ---- proving that nothing else changed ---- */

static bool are_same_tokens(const ZwTokens* a, const char* a_text, const ZwTokens* b, const char* b_text) {
  if (a->list.count != b->list.count) return false;
  for (int32_t i = 0; i < a->list.count; i++) {
    const ZwToken *x = &a->list.items[i], *y = &b->list.items[i];
    if (x->kind == ZW_TOKEN_END && y->kind == ZW_TOKEN_END) continue;
    if (x->kind != y->kind || x->end - x->begin != y->end - y->begin) return false;
    if (memcmp(a_text + x->begin, b_text + y->begin, (size_t)(x->end - x->begin)) != 0) return false;
  }
  return true;
}

/* Line ends mean something too: the same statements must come out. Numbers and names are compared as tokens. */
static bool are_same_trees(const ZwAst* a, const ZwAst* b) {
  if (!a || !b) return a == b;
  if (a->kind != b->kind || a->id != b->id || a->count != b->count) return false;
  if (a->op != b->op || a->lead != b->lead || a->is_exact != b->is_exact) return false;
  if (!are_same_trees(a->a, b->a) || !are_same_trees(a->b, b->b) || !are_same_trees(a->c, b->c)) return false;
  if (!are_same_trees(a->label, b->label)) return false;
  const ZwAst *x = a->first, *y = b->first;
  for (; x && y; x = x->next, y = y->next) {
    if (!are_same_trees(x, y)) return false;
  }
  return x == y;
}

static ZwStatus check_same(ZwArena* arena, ZwDiagList* diags, int32_t file, const ZwTokens* tokens, const ZwAst* tree,
                           ZwStr result) {
  const ZwSource* source = zw_sources_get(diags->sources, file);
  ZwSources sources = {0};
  ZwDiagList messages;
  zw_diag_init(&messages, arena, &sources);
  int32_t again = zw_sources_add(&sources, arena, source->name, result);
  if (!again) return ZW_ERR_MEMORY;
  ZwTokens result_tokens = {0};
  ZwAst* result_tree = NULL;
  ZW_TRY(zw_lex(arena, &messages, again, &result_tokens));
  ZW_TRY(zw_parse_file(arena, &messages, again, &result_tree));
  bool is_same = messages.errors == 0 && are_same_trees(tree, result_tree) &&
                 are_same_tokens(tokens, source->text.data, &result_tokens, result.data);
  if (is_same) return ZW_OK;
  zw_diag_error(diags, ZW_ERR_SYNTAX, (ZwSpan){file, 0, 0}, "formatting this text would change what it says");
  zw_diag_remedy(diags, "this is a mistake in zwang, please report it; the text is left as it is");
  return ZW_ERR_SYNTAX;
}

ZwStatus zw_format_text(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwText* out) {
  ZwAst* tree = NULL;
  ZwTokens tokens = {0};
  ZW_TRY(zw_parse_file(arena, diags, file, &tree));
  if (diags->errors > 0) return diags->first_error;
  ZW_TRY(zw_lex(arena, diags, file, &tokens));
  ZwLayout layout = {.arena = arena, .tokens = tokens.list.items, .count = tokens.list.count};
  layout.text = zw_sources_get(diags->sources, file)->text;
  layout.pieces = ZW_NEW(arena, layout.count, ZwPiece);
  if (!layout.pieces) return ZW_ERR_MEMORY;
  ZW_TRY(scan_pieces(&layout));
  ZW_TRY(zw_layout_spaces(&layout, tree));
  ZW_TRY(zw_layout_lines(&layout));
  ZW_TRY(zw_layout_align(&layout));
  ZwText result;
  zw_text_init(&result, arena);
  for (int32_t l = 0; l < layout.lines.count; l++) print_line(&layout, &layout.lines.items[l], &result);
  if (arena->failed) return ZW_ERR_MEMORY;
  ZW_TRY(check_same(arena, diags, file, &tokens, tree, (ZwStr){zw_text_get(&result), result.size}));
  zw_text_add(out, zw_text_get(&result), result.size);
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
