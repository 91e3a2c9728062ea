/* Columns across lines.
 *
 * The author made a column when tokens of neighbouring lines begin in the same place and some of them have more space
 * before them than they need:
 *
 *   kinetic   1/2*m*v^2                 part crank   = rod(1, 1)
 *   potential m*g*y                     part coupler = rod(2, 3)
 *
 * Such a column stays one, as far left as it can be. Space that lines up with nothing goes. What is aligned keeps its
 * group when it is read again, and the widest member needs no more space than before: formatting twice is formatting
 * once.
 *
 * Comments behind code keep their column where they can, and those of neighbouring lines share one. */
#include <stdlib.h>

#include "text/format.h"
#include "text/layout.h"

enum { COMMENT_SPACE = 2 }; /* least columns before a comment behind code */
enum { UNEVEN = 40 };       /* lines that differ more in length do not pull each other's comments along */

/* A token that may be in a column; those of a column are linked. */
typedef struct Member {
  int32_t token, line, next; /* next: number of a member, -1 at the end */
  int32_t column;            /* number of its column */
} Member;

typedef struct Column {
  int32_t source_column;
  int32_t first, last; /* members */
  bool is_wide;        /* some member has more than one space before it */
} Column;

/* How far the output column of each line is known. */
typedef struct Cursor {
  int32_t token, column;
} Cursor;

typedef struct Align {
  ZwLayout* layout;
  ZW_ARRAY(Member) members;
  ZW_ARRAY(Column) columns;
  Cursor* cursors; /* one per line */
} Align;

/* ---- finding columns ---- */

/* Only like goes with like: what follows a word, a label, a comma, an =; or an = or a brace itself. */
static int32_t family(const ZwLayout* layout, int32_t i) {
  ZwTokenKind left = layout->tokens[i - 1].kind, kind = layout->tokens[i].kind;
  if (kind == ZW_TOKEN_ASSIGN || kind == ZW_TOKEN_LBRACE || kind == ZW_TOKEN_RBRACE) return (int32_t)kind;
  if (layout->pieces[i - 1].role == ZW_ROLE_WORD) return -1;
  return left == ZW_TOKEN_COLON || left == ZW_TOKEN_COMMA || left == ZW_TOKEN_ASSIGN ? -2 - (int32_t)left : -2;
}

static bool are_neighbours(const ZwLine* above, const ZwLine* line) {
  return !line->is_after_blank && above->depth == line->depth && above->end > above->begin;
}

/* The member of the line above in the same place, searched from *at on. */
static int32_t find_above(const Align* s, int32_t* at, int32_t end, int32_t token) {
  const ZwPiece* pieces = s->layout->pieces;
  int32_t wanted = pieces[token].source_column;
  while (*at < end && pieces[s->members.items[*at].token].source_column < wanted) ++*at;
  if (*at >= end || pieces[s->members.items[*at].token].source_column != wanted) return -1;
  return family(s->layout, s->members.items[*at].token) == family(s->layout, token) ? *at : -1;
}

static bool add_member(Align* s, int32_t token, int32_t line, int32_t above) {
  const ZwPiece* piece = &s->layout->pieces[token];
  Member member = {token, line, -1, above >= 0 ? s->members.items[above].column : s->columns.count};
  int32_t number = s->members.count;
  if (!ZW_PUSH(s->layout->arena, &s->members, member)) return false;
  if (above < 0) {
    Column column = {piece->source_column, number, number, false};
    if (!ZW_PUSH(s->layout->arena, &s->columns, column)) return false;
  }
  Column* column = &s->columns.items[member.column];
  if (above >= 0) s->members.items[column->last].next = number;
  column->last = number;
  column->is_wide = column->is_wide || piece->source_space > 1;
  return true;
}

static ZwStatus find_columns(Align* s) {
  const ZwLayout* layout = s->layout;
  int32_t above_begin = 0, above_end = 0; /* members of the line above */
  for (int32_t l = 0; l < layout->lines.count; l++) {
    const ZwLine* line = &layout->lines.items[l];
    int32_t begin = s->members.count, at = above_begin;
    if (l == 0 || !are_neighbours(line - 1, line)) at = above_end;
    for (int32_t i = line->begin + 1; i < line->end; i++) {
      if (layout->pieces[i].source_space < 0) break; /* the rest comes from another line of the author's */
      if (layout->pieces[i].source_space == 0 || layout->pieces[i].space == 0) continue;
      if (!add_member(s, i, l, find_above(s, &at, above_end, i))) return ZW_ERR_MEMORY;
    }
    above_begin = begin;
    above_end = s->members.count;
  }
  return ZW_OK;
}

/* ---- setting columns ---- */

/* The output column where a token begins. */
static int32_t place(Align* s, const Member* member) {
  const ZwPiece* pieces = s->layout->pieces;
  Cursor* cursor = &s->cursors[member->line];
  for (; cursor->token < member->token; cursor->token++) {
    cursor->column += pieces[cursor->token].width + pieces[cursor->token + 1].space;
  }
  return cursor->column;
}

static void set_column(Align* s, const Column* column) {
  int32_t wanted = 0;
  for (int32_t m = column->first; m >= 0; m = s->members.items[m].next) {
    int32_t at = place(s, &s->members.items[m]);
    if (at > wanted) wanted = at;
  }
  for (int32_t m = column->first; m >= 0; m = s->members.items[m].next) {
    const Member* member = &s->members.items[m];
    s->layout->pieces[member->token].space += wanted - s->cursors[member->line].column;
    s->cursors[member->line].column = wanted;
  }
}

static int compare_columns(const void* a, const void* b) {
  const Column *left = a, *right = b;
  if (left->source_column != right->source_column) return left->source_column < right->source_column ? -1 : 1;
  return left->first < right->first ? -1 : left->first > right->first;
}

/* From left to right, so that what stands left of a column is settled before it. */
static ZwStatus set_columns(Align* s) {
  const ZwLayout* layout = s->layout;
  s->cursors = ZW_NEW(layout->arena, layout->lines.count, Cursor);
  if (!s->cursors) return ZW_ERR_MEMORY;
  for (int32_t l = 0; l < layout->lines.count; l++) {
    s->cursors[l] = (Cursor){layout->lines.items[l].begin, layout->lines.items[l].indent};
  }
  int32_t kept = 0;
  for (int32_t c = 0; c < s->columns.count; c++) {
    Column column = s->columns.items[c];
    if (column.is_wide && column.first != column.last) s->columns.items[kept++] = column;
  }
  if (kept > 0) qsort(s->columns.items, (size_t)kept, sizeof(Column), compare_columns);
  for (int32_t c = 0; c < kept; c++) set_column(s, &s->columns.items[c]);
  return ZW_OK;
}

/* ---- comments behind code ---- */

static int32_t comment_width(const ZwLayout* layout, const ZwLine* line) {
  const ZwComment* comment = &layout->comments.items[line->comment];
  return zw_columns(layout->text.data + comment->begin, comment->end - comment->begin, 0);
}

static int32_t code_end(const ZwLayout* layout, const ZwLine* line) {
  return line->indent + zw_layout_width(layout, line->begin, line->end);
}

static bool is_behind_code(const ZwLine* line) {
  return line->comment >= 0 && (line->end > line->begin || line->goes_on);
}

/* Where a comment would stand by itself: where it stood, unless code is in the way or the line gets too long. */
static int32_t own_column(const ZwLayout* layout, const ZwLine* line) {
  int32_t least = code_end(layout, line) + COMMENT_SPACE;
  int32_t stood = layout->comments.items[line->comment].source_column;
  bool begins_same = layout->pieces[line->begin].source_space < 0; /* else it was pulled out of a longer line */
  return begins_same && stood > least && stood + comment_width(layout, line) <= ZW_FORMAT_WIDTH ? stood : least;
}

/* Does the comment of line `l` share its column with the one above? */
static bool joins_above(const ZwLayout* layout, int32_t l) {
  const ZwLine *line = &layout->lines.items[l], *above = line - 1;
  if (l == 0 || !is_behind_code(line) || !is_behind_code(above)) return false;
  if (line->goes_on) return true;
  if (line->is_after_blank || line->depth != above->depth) return false;
  const ZwComment* comments = layout->comments.items;
  if (comments[line->comment].source_column == comments[above->comment].source_column) return true;
  while (above->goes_on) above--;
  return abs(code_end(layout, line) - code_end(layout, above)) <= UNEVEN;
}

/* One column for the comments of lines begin .. end - 1, if all of them fit there. */
static void set_comments(ZwLayout* layout, int32_t begin, int32_t end) {
  ZwLine* lines = layout->lines.items;
  int32_t shared = 0;
  for (int32_t l = begin; l < end; l++) {
    lines[l].comment_column = lines[l].goes_on ? lines[l - 1].comment_column : own_column(layout, &lines[l]);
    if (lines[l].comment_column > shared) shared = lines[l].comment_column;
  }
  for (int32_t l = begin; l < end; l++) {
    if (!lines[l].goes_on && shared + comment_width(layout, &lines[l]) > ZW_FORMAT_WIDTH) return;
  }
  for (int32_t l = begin; l < end; l++) lines[l].comment_column = shared;
}

static void align_comments(ZwLayout* layout) {
  for (int32_t l = 0, end; l < layout->lines.count; l = end) {
    end = l + 1;
    if (!is_behind_code(&layout->lines.items[l])) continue;
    while (end < layout->lines.count && joins_above(layout, end)) end++;
    set_comments(layout, l, end);
  }
}

ZwStatus zw_layout_align(ZwLayout* layout) {
  Align s = {.layout = layout};
  ZW_TRY(find_columns(&s));
  ZW_TRY(set_columns(&s));
  align_comments(layout);
  return ZW_OK;
}
