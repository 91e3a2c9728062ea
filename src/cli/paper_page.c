/* The walk through a paper as text, as LaTeX and as JSON. */
#include <math.h>
#include <string.h>

#include "cli/paper.h"
#include "output/json.h"
#include "paper/formula.h"
#include "paper/names.h"

enum { WIDTH = 100, INDENT = 6, WORD = 8, SHOWN = 16 }; /* columns; numbers of a matrix that are shown */

/* Entries of a matrix below this part of the largest are shown as 0. */
#define NOISE 1e-14

/* ---- sums ---- */

typedef struct Count {
  int32_t shown, later;
  double worst;
} Count;

static Count count_equations(const Walk* walk) {
  Count count = {0};
  for (int32_t i = 0; i < walk->paper.equations.count; i++) {
    const Equation* e = &walk->paper.equations.items[i];
    if (e->later.size)
      count.later++;
    else
      count.shown++;
    for (int32_t k = 0; k < e->checks.list.count; k++) count.worst = fmax(count.worst, walk->checked[i][k].difference);
  }
  return count;
}

/* ---- text ---- */

/* A text after what stands in the line up to `column`, broken between words; later lines begin at `indent`. */
static void add_broken(ZwText* out, int32_t column, int32_t indent, ZwStr text) {
  for (int32_t at = 0; at < text.size;) {
    int32_t begin = at, width = 0;
    for (; at < text.size && text.data[at] != ' '; at++) width += ((unsigned char)text.data[at] & 0xC0) != 0x80;
    if (begin > 0 && column + 1 + width > WIDTH) {
      zw_text_addf(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (begin > 0) {
      zw_text_addf(out, " ");
      column++;
    }
    zw_text_addf(out, "%.*s", (int)(at - begin), text.data + begin);
    column += width;
    while (at < text.size && text.data[at] == ' ') at++;
  }
  zw_text_addf(out, "\n");
}

/* After a word of the margin. */
static void add_wrapped(ZwText* out, const char* word, ZwStr text) {
  int32_t size = (int32_t)strlen(word), column = INDENT + (size < WORD ? WORD : size + 1);
  zw_text_addf(out, "%*s%-*s", INDENT, "", (int)(column - INDENT), word);
  add_broken(out, column, INDENT + WORD, text);
}

static void add_line(ZwText* out, const char* form, ZwStr text) {
  const char* line = zw_format(out->arena, form, ZW_STR_ARGS(text));
  if (line) add_broken(out, 0, 2, zw_str_from(line));
}

/* Our formulas in the letters that were asked for. */
static ZwStr in_letters(ZwText* out, const Walk* walk, ZwStr text) {
  const char* copy = zw_str_copy(out->arena, text);
  if (walk->letters == ZW_LETTERS_OURS || !copy) return text;
  ZwText theirs;
  zw_text_init(&theirs, out->arena);
  zw_letters_add(&theirs, walk->letters, copy, false);
  return (ZwStr){zw_text_get(&theirs), theirs.size};
}

/* Of the numbers of a matrix. */
typedef struct Summary {
  double largest, norm;
} Summary;

static Summary summary_of(const Matrix* x) {
  Summary of = {0, 0};
  for (int32_t i = 0; i < x->rows * x->columns; i++) {
    of.largest = fmax(of.largest, fabs(x->at[i]));
    of.norm += x->at[i] * x->at[i];
  }
  of.norm = sqrt(of.norm);
  return of;
}

static double shown(const Summary* of, double x) {
  return fabs(x) <= NOISE * of->largest ? 0 : x;
}

static void add_value(ZwText* out, const char* word, const Matrix* x) {
  int32_t count = x->rows * x->columns;
  ZwText value;
  zw_text_init(&value, out->arena);
  Summary of = summary_of(x);
  if (count == 1) {
    zw_text_addf(&value, "%.12g", x->at[0]);
  } else if (count > SHOWN) {
    zw_text_addf(&value, "%d x %d, norm %.12g", (int)x->rows, (int)x->columns, of.norm);
  } else {
    for (int32_t i = 0; i < count; i++)
      zw_text_addf(&value, "%s%.8g",
                   i == 0                                  ? "["
                   : x->columns > 1 && i % x->columns == 0 ? "; "
                                                           : ", ",
                   shown(&of, x->at[i]));
    zw_text_addf(&value, "]");
  }
  add_wrapped(out, word, (ZwStr){zw_text_get(&value), value.size});
}

static void add_check(ZwText* out, ZwStr check, const Checked* checked) {
  add_wrapped(out, "check", check);
  if (*checked->reason) {
    zw_text_addf(out, "%*snot evaluated: %s\n", INDENT + WORD, "", checked->reason);
    return;
  }
  add_value(out, "left", &checked->left);
  add_value(out, "right", &checked->right);
  zw_text_addf(out, "%*s%-*s%.1e\n", INDENT, "", WORD, "off by", checked->difference);
}

static void add_equation(ZwText* out, const Walk* walk, int32_t i) {
  const Equation* e = &walk->paper.equations.items[i];
  zw_text_addf(out, "\n(%.*s)", ZW_STR_ARGS(e->number));
  if (e->example >= 0 && e->checks.list.count > 0)
    zw_text_addf(out, "  %.*s", ZW_STR_ARGS(walk->paper.examples.items[e->example].name));
  zw_text_addf(out, "\n");
  add_wrapped(out, "", e->about);
  for (int32_t k = 0; k < e->paper.list.count; k++) add_wrapped(out, "paper", e->paper.list.items[k]);
  for (int32_t k = 0; k < e->misprints.list.count; k++) add_wrapped(out, "print", e->misprints.list.items[k]);
  for (int32_t k = 0; k < e->ours.list.count; k++)
    add_wrapped(out, "ours", in_letters(out, walk, e->ours.list.items[k]));
  for (int32_t k = 0; k < e->checks.list.count; k++) add_check(out, e->checks.list.items[k], &walk->checked[i][k]);
  if (e->later.size) add_wrapped(out, "not yet", e->later);
}

/* What letters of the paper stand for. */
static void add_letters(ZwText* out, const Walk* walk, const Example* example) {
  if (example->letters.count == 0) return;
  zw_text_addf(out, "\nIn %.*s:\n", ZW_STR_ARGS(example->name));
  for (int32_t i = 0; i < example->letters.count; i++) {
    const Letter* letter = &example->letters.items[i];
    const char* name = zw_format(walk->arena, "%.*s =", ZW_STR_ARGS(letter->name));
    if (name) add_wrapped(out, name, letter->formula);
  }
}

static void add_later(ZwText* out, const Walk* walk) {
  ZwText list;
  zw_text_init(&list, out->arena);
  for (int32_t i = 0; i < walk->paper.equations.count; i++) {
    const Equation* e = &walk->paper.equations.items[i];
    if (e->later.size) zw_text_addf(&list, "%s%.*s", list.size ? ", " : "", ZW_STR_ARGS(e->number));
  }
  if (list.size) add_line(out, "not yet: %.*s", (ZwStr){zw_text_get(&list), list.size});
}

/* Which examples were not looked at the time of --at; empty: all were. */
static ZwStr left_at_start(ZwText* out, const Walk* walk) {
  ZwText text;
  zw_text_init(&text, out->arena);
  for (int32_t i = 0; i < walk->at_start.count; i++) {
    const AtStart* run = &walk->at_start.items[i];
    zw_text_addf(&text, "%s%s (%.6g .. %.6g)",
                 i ? ", " : "Looked at where they start, since they do not run at the time of --at: ", run->name,
                 run->from, run->to);
  }
  if (text.size) zw_text_addf(&text, ".");
  return (ZwStr){zw_text_get(&text), text.size};
}

void paper_text(ZwText* out, const Walk* walk) {
  const Paper* p = &walk->paper;
  Count count = count_equations(walk);
  zw_text_addf(out, "The equations of %.*s (%.*s):\n", ZW_STR_ARGS(p->authors), ZW_STR_ARGS(p->year));
  add_line(out, "%.*s", p->title);
  add_line(out, "%.*s", p->source);
  if (p->letters.size) add_line(out, "Letters: %.*s", p->letters);
  for (int32_t i = 0; i < p->examples.count; i++) add_letters(out, walk, &p->examples.items[i]);
  for (int32_t i = 0; i < p->equations.count; i++) add_equation(out, walk, i);
  zw_text_addf(out, "\n");
  add_later(out, walk);
  zw_text_addf(out, "%d equations", (int)count.shown);
  if (walk->states > 1) zw_text_addf(out, " at %d states of each example", (int)walk->states);
  zw_text_addf(out, ", worst relative difference %.1e\n", count.worst);
  ZwStr left = left_at_start(out, walk);
  if (left.size) add_line(out, "%.*s", left);
}

/* ---- LaTeX ---- */

static void latex_words(ZwText* out, const char* word, ZwStr text) {
  zw_text_addf(out, "\\\\ \\textit{%s} ", word);
  zw_latex_words(out, text);
  zw_text_addf(out, "\n");
}

static void latex_formula(ZwText* out, const char* word, ZwStr text, bool is_calculated) {
  zw_text_addf(out, "\\\\ \\textit{%s} $", word);
  zw_latex_formula(out, text, is_calculated);
  zw_text_addf(out, "$\n");
}

static void latex_letters(ZwText* out, const Example* example) {
  if (example->letters.count == 0) return;
  zw_text_addf(out, "\\item[");
  zw_latex_words(out, example->name);
  zw_text_addf(out, "]\n");
  for (int32_t i = 0; i < example->letters.count; i++) {
    zw_text_addf(out, "%s$", i > 0 ? "\\\\ " : "");
    zw_latex_formula(out, example->letters.items[i].name, true);
    zw_text_addf(out, " = ");
    zw_latex_formula(out, example->letters.items[i].formula, true);
    zw_text_addf(out, "$\n");
  }
}

/* A column as (1, 2), a matrix by its rows; of large ones the size and the norm, as in the text. */
static void latex_value(ZwText* out, const char* word, const Matrix* x) {
  int32_t count = x->rows * x->columns;
  Summary of = summary_of(x);
  zw_text_addf(out, "\\\\ \\textit{%s} $", word);
  if (count > SHOWN) {
    zw_text_addf(out, "%d \\times %d$, norm $", (int)x->rows, (int)x->columns);
    zw_latex_number(out, of.norm, 12);
  } else if (count == 1) {
    zw_latex_number(out, x->at[0], 12);
  } else {
    for (int32_t i = 0; i < count; i++) {
      zw_text_addf(out, "%s", i == 0 ? "(" : x->columns > 1 && i % x->columns == 0 ? ";\\ " : ",\\ ");
      zw_latex_number(out, shown(&of, x->at[i]), 8);
    }
    zw_text_addf(out, ")");
  }
  zw_text_addf(out, "$\n");
}

static void latex_check(ZwText* out, ZwStr check, const Checked* checked) {
  latex_formula(out, "check:", check, true);
  latex_value(out, "left:", &checked->left);
  latex_value(out, "right:", &checked->right);
  zw_text_addf(out, "\\\\ \\textit{off by:} $");
  zw_latex_number(out, checked->difference, 2);
  zw_text_addf(out, "$\n");
}

static void latex_equation(ZwText* out, const Walk* walk, int32_t i) {
  const Equation* e = &walk->paper.equations.items[i];
  zw_text_addf(out, "\\item[(");
  zw_latex_words(out, e->number);
  zw_text_addf(out, ")] ");
  zw_latex_words(out, e->about);
  zw_text_addf(out, "\n");
  for (int32_t k = 0; k < e->paper.list.count; k++) latex_formula(out, "paper:", e->paper.list.items[k], false);
  for (int32_t k = 0; k < e->misprints.list.count; k++) latex_words(out, "print:", e->misprints.list.items[k]);
  for (int32_t k = 0; k < e->ours.list.count; k++)
    latex_formula(out, "ours:", in_letters(out, walk, e->ours.list.items[k]), false);
  for (int32_t k = 0; k < e->checks.list.count; k++) latex_check(out, e->checks.list.items[k], &walk->checked[i][k]);
  if (e->later.size) latex_words(out, "not yet:", e->later);
}

void paper_latex(ZwText* out, const Walk* walk) {
  const Paper* p = &walk->paper;
  zw_text_addf(out,
               "%% Made by `zwang paper --latex`.\n\\documentclass[a4paper]{article}\n\\usepackage[utf8]{inputenc}\n"
               "\\usepackage{amsmath}\n\\sloppy\n\\raggedright\n\\begin{document}\n\\section*{");
  zw_latex_words(out, p->title);
  zw_text_addf(out, "}\n");
  zw_latex_words(out, p->authors);
  zw_text_addf(out, " (%.*s)\n\n", ZW_STR_ARGS(p->year));
  zw_latex_words(out, p->source);
  zw_text_addf(out, "\n");
  if (p->letters.size) {
    zw_text_addf(out, "\nLetters: ");
    zw_latex_words(out, p->letters);
    zw_text_addf(out, "\n");
  }
  zw_text_addf(out, "\\begin{description}\n");
  for (int32_t i = 0; i < p->examples.count; i++) latex_letters(out, &p->examples.items[i]);
  for (int32_t i = 0; i < p->equations.count; i++) latex_equation(out, walk, i);
  Count count = count_equations(walk);
  zw_text_addf(out, "\\end{description}\n%d equations, worst relative difference $", (int)count.shown);
  zw_latex_number(out, count.worst, 2);
  zw_text_addf(out, "$\n");
  ZwStr left = left_at_start(out, walk);
  if (left.size) zw_text_addf(out, "\n");
  zw_latex_words(out, left);
  zw_text_addf(out, "\n\\end{document}\n");
}

/* ---- JSON ---- */

static void put(ZwJson* json, const char* key, ZwStr text) {
  zw_json_key(json, key);
  zw_json_str(json, text);
}

static void put_lines(ZwJson* json, const char* key, const Lines* lines) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < lines->list.count; i++) zw_json_str(json, lines->list.items[i]);
  zw_json_end_array(json);
}

static void put_value(ZwJson* json, const char* key, const Matrix* x) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < x->rows; i++) {
    zw_json_begin_array(json);
    for (int32_t j = 0; j < x->columns; j++) zw_json_number(json, x->at[i * x->columns + j]);
    zw_json_end_array(json);
  }
  zw_json_end_array(json);
}

static void put_check(ZwJson* json, ZwStr check, const Checked* checked) {
  zw_json_begin_object(json);
  put(json, "check", check);
  if (*checked->reason) {
    put(json, "missing", zw_str_from(checked->reason));
  } else {
    put_value(json, "left", &checked->left);
    put_value(json, "right", &checked->right);
    json_number(json, "difference", checked->difference);
  }
  zw_json_end_object(json);
}

static void put_equation(ZwJson* json, const Walk* walk, int32_t i) {
  const Equation* e = &walk->paper.equations.items[i];
  zw_json_begin_object(json);
  put(json, "number", e->number);
  if (e->example >= 0) put(json, "example", walk->paper.examples.items[e->example].name);
  put(json, "about", e->about);
  put_lines(json, "paper", &e->paper);
  put_lines(json, "ours", &e->ours);
  put_lines(json, "misprints", &e->misprints);
  zw_json_key(json, "checks");
  zw_json_begin_array(json);
  for (int32_t k = 0; k < e->checks.list.count; k++) put_check(json, e->checks.list.items[k], &walk->checked[i][k]);
  zw_json_end_array(json);
  if (e->later.size) put(json, "not_yet", e->later);
  zw_json_end_object(json);
}

/* By example: its letters, in their order. */
static void put_letters(ZwJson* json, const Example* example) {
  if (example->letters.count == 0) return;
  zw_json_begin_object(json);
  put(json, "example", example->name);
  zw_json_key(json, "letters");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < example->letters.count; i++) {
    zw_json_begin_object(json);
    put(json, "name", example->letters.items[i].name);
    put(json, "formula", example->letters.items[i].formula);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
  zw_json_end_object(json);
}

void paper_json(ZwText* out, const Walk* walk) {
  ZwJson json;
  const Paper* p = &walk->paper;
  Count count = count_equations(walk);
  zw_json_init(&json, out);
  zw_json_begin_object(&json);
  json_head(&json, status_word(is_paper_fine(walk) ? EXIT_FINE : EXIT_FAILED));
  put(&json, "paper", p->name);
  put(&json, "title", p->title);
  put(&json, "authors", p->authors);
  put(&json, "year", p->year);
  zw_json_key(&json, "where");
  zw_json_begin_array(&json);
  for (int32_t i = 0; i < p->examples.count; i++) put_letters(&json, &p->examples.items[i]);
  zw_json_end_array(&json);
  zw_json_key(&json, "equations");
  zw_json_begin_array(&json);
  for (int32_t i = 0; i < p->equations.count; i++) put_equation(&json, walk, i);
  zw_json_end_array(&json);
  zw_json_key(&json, "count");
  zw_json_integer(&json, count.shown);
  zw_json_key(&json, "not_yet");
  zw_json_integer(&json, count.later);
  zw_json_key(&json, "states");
  zw_json_integer(&json, walk->states);
  json_number(&json, "worst", count.worst);
  zw_json_key(&json, "at_start");
  zw_json_begin_array(&json);
  for (int32_t i = 0; i < walk->at_start.count; i++) zw_json_string(&json, walk->at_start.items[i].name);
  zw_json_end_array(&json);
  zw_json_end_object(&json);
  zw_text_addf(out, "\n");
}
