#include "cli/equations.h"

#include <string.h>

typedef struct Reading {
  ZwArena* arena;
  Paper* paper;
  const char *at, *end;
  int32_t line;
  int32_t example; /* that equations belong to now; -1: none */
} Reading;

/* ---- lines ---- */

static int32_t indent_of(const char* at, const char* end) {
  int32_t blanks = 0;
  while (at + blanks < end && at[blanks] == ' ') blanks++;
  return blanks;
}

static const char* line_end(const char* at, const char* end) {
  const char* found = memchr(at, '\n', (size_t)(end - at));
  return found ? found : end;
}

static bool is_blank(const char* at, const char* end) {
  at += indent_of(at, end);
  return at == end || *at == '#';
}

static bool begins_with_keyword(const char* at, const char* end) {
  static const char* const keywords[] = {"paper",   "title",     "authors",  "year",     "source",   "letters",
                                         "example", "eliminate", "order",    "possible", "equation", "about",
                                         "ours",    "check",     "misprint", "later"};
  at += indent_of(at, end);
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    size_t size = strlen(keywords[i]);
    if ((size_t)(end - at) > size && memcmp(at, keywords[i], size) == 0 && at[size] == ' ') return true;
  }
  return false;
}

/* A line that is indented further and begins with no keyword goes on with the one before. */
static bool goes_on(const Reading* r, int32_t indent) {
  if (r->at >= r->end) return false;
  const char* stop = line_end(r->at, r->end);
  return !is_blank(r->at, stop) && indent_of(r->at, r->end) > indent && !begins_with_keyword(r->at, stop);
}

/* The next line with those that go on with it; the whole of them is one text, in which ends of lines are blanks for readers. */
static bool next_line(Reading* r, ZwStr* keyword, ZwStr* rest) {
  while (r->at < r->end) {
    const char* stop = line_end(r->at, r->end);
    if (!is_blank(r->at, stop)) break;
    r->at = stop < r->end ? stop + 1 : r->end;
    r->line++;
  }
  if (r->at >= r->end) return false;
  int32_t indent = indent_of(r->at, r->end);
  const char *begin = r->at + indent, *stop = line_end(r->at, r->end);
  r->at = stop < r->end ? stop + 1 : r->end;
  r->line++;
  while (goes_on(r, indent)) {
    stop = line_end(r->at, r->end);
    r->at = stop < r->end ? stop + 1 : r->end;
    r->line++;
  }
  const char* word = begin;
  while (word < stop && *word != ' ' && *word != '\n') word++;
  *keyword = (ZwStr){begin, (int32_t)(word - begin)};
  while (word < stop && (*word == ' ' || *word == '\n')) word++;
  *rest = (ZwStr){word, (int32_t)(stop - word)};
  return true;
}

/* Words with one blank between them. */
static ZwStr joined(Reading* r, ZwStr text) {
  ZwText out;
  zw_text_init(&out, r->arena);
  const char *at = text.data, *end = text.data + text.size;
  while (at < end) {
    const char* word = at;
    while (at < end && *at != ' ' && *at != '\n') at++;
    if (at > word && out.size) zw_text_add(&out, " ", 1);
    zw_text_add(&out, word, at - word);
    while (at < end && (*at == ' ' || *at == '\n')) at++;
  }
  return (ZwStr){zw_text_get(&out), out.size};
}

/* ---- keywords ---- */

static bool is_word(ZwStr keyword, const char* word) {
  return zw_str_equal(keyword, zw_str_from(word));
}

static bool take_head(Reading* r, ZwStr keyword, ZwStr rest) {
  Paper* p = r->paper;
  const struct {
    const char* word;
    ZwStr* to;
  } heads[] = {{"paper", &p->name}, {"title", &p->title},   {"authors", &p->authors},
               {"year", &p->year},  {"source", &p->source}, {"letters", &p->letters}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    if (!is_word(keyword, heads[i].word)) continue;
    *heads[i].to = joined(r, rest);
    return true;
  }
  return false;
}

static ZwStr trimmed(const char* begin, const char* end) {
  while (begin < end && *begin == ' ') begin++;
  while (end > begin && end[-1] == ' ') end--;
  return (ZwStr){begin, (int32_t)(end - begin)};
}

/* NAME = FORMULA */
static bool take_letter(Reading* r, Example* example, ZwStr text) {
  const char* equals = text.size > 0 ? memchr(text.data, '=', (size_t)text.size) : NULL;
  if (!equals) return false;
  Letter letter = {trimmed(text.data, equals), trimmed(equals + 1, text.data + text.size)};
  return letter.name.size > 0 && letter.formula.size > 0 && ZW_PUSH(r->arena, &example->letters, letter);
}

/* An example may be taken up again further down. */
static bool open_example(Reading* r, ZwStr name, bool is_ours) {
  Paper* p = r->paper;
  for (r->example = 0; r->example < p->examples.count; r->example++) {
    if (zw_str_equal(p->examples.items[r->example].name, name)) return true;
  }
  return ZW_PUSH(r->arena, &p->examples, ((Example){.name = name, .is_ours = is_ours}));
}

static bool take_example(Reading* r, ZwStr keyword, ZwStr rest) {
  bool is_ours = is_word(keyword, "model");
  if (is_ours || is_word(keyword, "example")) return open_example(r, rest, is_ours);
  if (r->example < 0) return false;
  Example* example = &r->paper->examples.items[r->example];
  if (is_word(keyword, "where")) return take_letter(r, example, joined(r, rest));
  if (is_word(keyword, "eliminate"))
    example->eliminate = rest;
  else if (is_word(keyword, "order"))
    example->order = rest;
  else if (is_word(keyword, "possible"))
    example->possible = rest;
  else
    return false;
  return true;
}

static bool take_part(Reading* r, ZwStr keyword, ZwStr rest) {
  Paper* p = r->paper;
  if (is_word(keyword, "equation"))
    return ZW_PUSH(r->arena, &p->equations, ((Equation){.number = rest, .example = r->example}));
  if (p->equations.count == 0) return false;
  Equation* e = &p->equations.items[p->equations.count - 1];
  ZwStr text = joined(r, rest);
  if (is_word(keyword, "paper")) return ZW_PUSH(r->arena, &e->paper.list, text);
  if (is_word(keyword, "ours")) return ZW_PUSH(r->arena, &e->ours.list, text);
  if (is_word(keyword, "check")) return ZW_PUSH(r->arena, &e->checks.list, text);
  if (is_word(keyword, "misprint")) return ZW_PUSH(r->arena, &e->misprints.list, text);
  if (is_word(keyword, "about"))
    e->about = text;
  else if (is_word(keyword, "later"))
    e->later = text;
  else
    return false;
  return true;
}

bool read_paper(ZwArena* arena, const char* text, size_t size, Paper* paper) {
  *paper = (Paper){0};
  Reading r = {arena, paper, text, text + size, 1, -1};
  ZwStr keyword, rest;
  for (int32_t line = 1; next_line(&r, &keyword, &rest); line = r.line) {
    bool is_inside = paper->equations.count > 0;
    bool is_taken =
        (!is_inside && take_head(&r, keyword, rest)) || take_example(&r, keyword, rest) || take_part(&r, keyword, rest);
    if (arena->failed) return false;
    if (is_taken) continue;
    paper->wrong_line = line;
    return false;
  }
  return true;
}
