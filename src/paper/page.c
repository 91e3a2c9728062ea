/* The page itself, as text and as a LaTeX document. */
#include <string.h>

#include "paper/entries.h"
#include "paper/explicit.h"
#include "paper/recursion.h"

enum { TEXT_WIDTH = 100, LATEX_WIDTH = 72 };

typedef struct Page {
  ZwText* text;
  ZwSheet* paper;
  ZwPaperEntries entries;
  bool is_latex;
  bool is_open;   /* in LaTeX: a display of equations was begun */
  bool has_names; /* names of the model stand in what is said: its letters are left alone */
} Page;

/* ---- pieces of a page ---- */

static void add(Page* page, const char* text) {
  zw_text_add(page->text, text, (ptrdiff_t)strlen(text));
}

static void close_display(Page* page) {
  if (page->is_open) add(page, "\n\\end{align*}\n");
  page->is_open = false;
}

static void open_line(Page* page) {
  add(page, page->is_open ? " \\\\\n" : "\\begin{align*}\n");
  page->is_open = true;
}

/* In the letters of the paper that was asked for. */
static const char* in_letters(Page* page, const char* text) {
  if (page->has_names || page->paper->letters == ZW_LETTERS_OURS) return text;
  ZwText out;
  zw_text_init(&out, page->text->arena);
  zw_letters_add(&out, page->paper->letters, text, page->is_latex);
  return zw_text_get(&out);
}

/* `latex` is the same heading with its formulas in dollars; NULL when there are none. */
static void heading(Page* page, const char* text, const char* latex) {
  close_display(page);
  if (page->is_latex)
    zw_text_addf(page->text, "\n\\subsection*{%s}\n", in_letters(page, latex ? latex : text));
  else
    zw_text_addf(page->text, "%s%s\n", page->text->size ? "\n" : "", in_letters(page, text));
}

/* A space at which no line breaks. */
#define TIE "\1"

/* A sentence, broken between words. */
static void say(Page* page, const char* text, const char* latex) {
  close_display(page);
  if (page->is_latex) {
    zw_text_addf(page->text, "%s\n", in_letters(page, latex ? latex : text));
    return;
  }
  text = in_letters(page, text);
  size_t column = 0;
  for (const char* word = text; *word;) {
    size_t size = strcspn(word, " ");
    size_t columns = (size_t)zw_write_width((ZwStr){word, (int32_t)size}, false);
    if (column == 0 || column + 1 + columns > TEXT_WIDTH) {
      add(page, column ? "\n  " : "  ");
      column = 2;
    } else {
      add(page, " ");
      column++;
    }
    for (size_t i = 0; i < size; i++) zw_text_add(page->text, word[i] == *TIE ? " " : &word[i], 1);
    column += columns;
    word += size + strspn(word + size, " ");
  }
  add(page, "\n");
}

static ZwWriter writer_to(const Page* page, ZwText* text) {
  return (ZwWriter){text, page->paper, &page->entries.share, page->is_latex, false};
}

static void show(Page* page, const ZwPaperEntry* entry, int32_t indent) {
  ZwText left, right;
  zw_text_init(&left, page->text->arena);
  zw_text_init(&right, page->text->arena);
  ZwWriter to_left = writer_to(page, &left), to_right = writer_to(page, &right);
  zw_entry_left(&to_left, entry);
  zw_entry_right(&to_right, &page->entries, entry);
  ZwStr written = {zw_text_get(&right), right.size};
  int32_t width = zw_write_width((ZwStr){zw_text_get(&left), left.size}, page->is_latex);
  if (page->is_latex) {
    open_line(page);
    zw_text_addf(page->text, left.size ? "  %s &= " : "  %s & ", zw_text_get(&left));
    zw_write_lines(page->text, written, true, LATEX_WIDTH, width + 3, " \\\\\n  & \\quad {} ", width + 5);
    return;
  }
  zw_text_addf(page->text, left.size ? "%*s%s = " : "%*s%s", (int)indent, "", zw_text_get(&left));
  const char* turn = zw_format(page->text->arena, "\n%*s", (int)indent + 4, "");
  if (turn)
    zw_write_lines(page->text, written, false, TEXT_WIDTH, indent + width + (left.size ? 3 : 0), turn, indent + 4);
  add(page, "\n");
}

/* All entries of one kind; whether there were any. */
static bool show_all(Page* page, ZwPaperKind kind, const char* text, const char* latex) {
  bool has_any = false;
  for (int32_t i = 0; i < page->entries.list.count; i++) {
    const ZwPaperEntry* entry = &page->entries.list.items[i];
    if (entry->kind != kind) continue;
    if (!has_any && text) heading(page, text, latex);
    has_any = true;
    show(page, entry, 2);
  }
  return has_any;
}

/* ---- sections ---- */

/* Words in lines; names in LaTeX are formulas. */
static void show_list(Page* page, const ZwText* items) {
  if (page->is_latex) {
    zw_text_addf(page->text, "%s\n", zw_text_get(items));
    return;
  }
  page->has_names = true;
  say(page, zw_text_get(items), NULL);
  page->has_names = false;
}

static void show_coordinates(Page* page) {
  ZwText items;
  zw_text_init(&items, page->text->arena);
  ZwWriter w = writer_to(page, &items);
  for (int32_t i = 0; i < page->paper->n; i++) {
    if (i) zw_text_addf(&items, ", ");
    if (page->is_latex) zw_text_addf(&items, "$");
    zw_write_name(&w, zw_paper_coord_name(page->paper, i), 0);
    if (page->is_latex) zw_text_addf(&items, "$");
  }
  heading(page, "Coordinates", NULL);
  show_list(page, &items);
}

static void show_params(Page* page) {
  const ZwSystem* system = page->paper->system;
  const double* values = zw_paper_params(page->paper);
  ZwText items;
  zw_text_init(&items, page->text->arena);
  ZwWriter w = writer_to(page, &items);
  for (int32_t i = 0; values && i < system->params.count; i++) {
    if (system->params.items[i].is_hidden) continue;
    if (items.size) zw_text_addf(&items, ", ");
    if (page->is_latex) zw_text_addf(&items, "$");
    zw_write_name(&w, system->params.items[i].name, 0);
    zw_text_addf(&items, page->is_latex ? " = " : TIE "=" TIE);
    zw_write_decimal(&w, values[i]);
    if (page->is_latex) zw_text_addf(&items, "$");
  }
  if (!items.size) return;
  heading(page, "Parameters", NULL);
  show_list(page, &items);
}

/* Which letters these are, and whose Gaussian is not ours. */
static void show_letters(Page* page) {
  ZwLetters letters = page->paper->letters;
  if (letters == ZW_LETTERS_OURS) return;
  static const char* const ours[] = {"M", "h", "A", "b", "a0", "a", "Q", "Qc", "lambda", "2 G"};
  ZwText list;
  zw_text_init(&list, page->text->arena);
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    const char* theirs = zw_letter(letters, ours[i]);
    if (strcmp(theirs, ours[i]) == 0) continue;
    const char* dollar = page->is_latex ? "$" : "";
    zw_text_addf(&list, "%s%s%s%s for %s%s%s", list.size ? ", " : "", dollar,
                 page->is_latex ? zw_letter_latex(letters, ours[i]) : theirs, dollar, dollar, ours[i], dollar);
  }
  heading(page, zw_format(page->text->arena, "Letters of %s", zw_letters_name(letters)), NULL);
  page->has_names = true;
  say(page, zw_text_get(&list), zw_text_get(&list));
  page->has_names = false;
}

static void show_motion(Page* page) {
  show_all(page, ZW_PAPER_L, "Lagrangian", NULL);
  if (!show_all(page, ZW_PAPER_M, "Mass matrix M = d2L/dv dv, without its zeros",
                "Mass matrix $M = \\partial^2 L/\\partial v\\,\\partial v$, without its zeros")) {
    heading(page, "Mass matrix", NULL);
    say(page, "M = 0", "$M = 0$");
  }
  if (!show_all(page, ZW_PAPER_H, "Right side h: without constraints the motion is M a = h",
                "Right side $h$: without constraints the motion is $M a = h$")) {
    heading(page, "Right side h: without constraints the motion is M a = h",
            "Right side $h$: without constraints the motion is $M a = h$");
    say(page, "h = 0", "$h = 0$");
  }
  bool is_of_L = page->paper->has_lagrangian;
  if (page->paper->p0) {
    heading(page,
            is_of_L ? "L = 1/2 v^T M v + p0^T v + T0, without zeros"
                    : "Kinetic energy T = 1/2 v^T M v + p0^T v + T0, without zeros",
            is_of_L ? "$L = \\tfrac12 v^{\\mathsf T} M v + p_0^{\\mathsf T} v + T_0$, without zeros"
                    : "Kinetic energy $T = \\tfrac12 v^{\\mathsf T} M v + p_0^{\\mathsf T} v + T_0$, without zeros");
    show_all(page, ZW_PAPER_P0, NULL, NULL);
    show_all(page, ZW_PAPER_T0, NULL, NULL);
  }
  show_all(page, ZW_PAPER_Q, "Generalized forces, part of h", "Generalized forces, part of $h$");
}

static const char* differentiations(ZwLevel level) {
  static const char* const texts[] = {"position level, differentiated twice", "velocity level, differentiated once",
                                      "acceleration level, as it stands"}; /* ORDER LEVEL */
  return texts[level];
}

static void show_row_head(Page* page, const ZwPaperEntry* entry) {
  const ZwPaperRow* row = &page->paper->rows[entry->k];
  close_display(page);
  if (page->is_latex) {
    add(page, "\\paragraph{");
    zw_latex_words(page->text, row->name);
    zw_text_addf(page->text, "} %s\n", differentiations(row->level));
    show(page, entry, 2);
    return;
  }
  zw_text_addf(page->text, "  %.*s: %s\n", ZW_STR_ARGS(row->name), differentiations(row->level));
  show(page, entry, 4);
}

static void show_rows(Page* page) {
  if (page->paper->m == 0) return;
  heading(page, "Constraints, brought to A a = b", "Constraints, brought to $A a = b$");
  for (int32_t i = 0; i < page->entries.list.count; i++) {
    const ZwPaperEntry* entry = &page->entries.list.items[i];
    if (entry->kind == ZW_PAPER_VALUE) show_row_head(page, entry);
    if (entry->kind == ZW_PAPER_A || entry->kind == ZW_PAPER_B) show(page, entry, 4);
  }
  heading(page, "Motion", NULL);
  if (page->paper->is_saddle) {
    say(page,
        "M a = h + A^T lambda, A a = b: the motion is where the Gaussian is stationary, and lambda are the reactions. "
        "It "
        "has no minimum: at the start M is not positive on the accelerations that A a = b leaves free.",
        "$M a = h + A^{\\mathsf T}\\lambda$, $A a = b$: the motion is where the Gaussian is stationary, and $\\lambda$ "
        "are "
        "the reactions. It has no minimum: at the start $M$ is not positive on the accelerations that $A a = b$ leaves "
        "free.");
    return;
  }
  say(page, "M a = h + A^T lambda, A a = b: the motion is the one of least constraint, and lambda are the reactions.",
      "$M a = h + A^{\\mathsf T}\\lambda$, $A a = b$: the motion is the one of least constraint, and $\\lambda$ are "
      "the reactions.");
}

/* A text whose %s is the Gibbs function; its G is no letter of a paper's Gaussian. */
static const char* of_gibbs(Page* page, const char* form) {
  return zw_format(page->text->arena, in_letters(page, form), "G");
}

static void show_gibbs(Page* page) {
  const ZwSheet* paper = page->paper;
  const char* title = of_gibbs(
      page, page->is_latex ? "Gibbs function $%s = \\tfrac12 (a - X_L)^{\\mathsf T} M (a - X_L)$, $M X_L = h - Q$"
                           : "Gibbs function %s = 1/2 (a - X_L)^T M (a - X_L), M X_L = h - Q");
  const char* motion =
      page->is_latex
          ? of_gibbs(page, "Without constraints $\\partial %s/\\partial a = Q$ is the motion.")
          : zw_format(page->text->arena, in_letters(page, "Without constraints %s/da = Q is the motion."), "dG");
  page->has_names = true;
  heading(page, title, NULL);
  page->has_names = false;
  show_all(page, ZW_PAPER_G, NULL, NULL);
  show_all(page, ZW_PAPER_G_CONSTANT, NULL, NULL);
  if (!paper->G_constant.ref) {
    static const char rest[] = "its part without accelerations, is not printed:";
    say(page, zw_format(page->text->arena, "G0, %s %s.", rest, paper->G_why),
        zw_format(page->text->arena, "$G_0$, %s %s.", rest, paper->G_why));
  }
  page->has_names = true;
  say(page, motion, NULL);
  page->has_names = false;
}

static void show_quasi(Page* page) {
  const ZwSheet* paper = page->paper;
  if (paper->p == 0) return;
  if (paper->quasi_why) {
    heading(page, "Quasi-velocities", NULL);
    say(page, zw_format(page->text->arena, "The equations in quasi-velocities are not printed: %s.", paper->quasi_why),
        NULL);
    return;
  }
  ZwText names;
  zw_text_init(&names, page->text->arena);
  ZwWriter w = writer_to(page, &names);
  for (int32_t k = 0; k < paper->p; k++) {
    if (k) zw_text_addf(&names, ", ");
    if (page->is_latex) zw_text_addf(&names, "$");
    zw_write_name(&w, paper->quasi_names[k], 0);
    if (page->is_latex) zw_text_addf(&names, "$");
  }
  page->has_names = true;
  const char* title = zw_format(page->text->arena, "Velocities by the quasi-velocities %s", zw_text_get(&names));
  show_all(page, ZW_PAPER_V, title, NULL);
  page->has_names = false;
  heading(page, "Gibbs function in quasi-velocities", NULL);
  show_all(page, ZW_PAPER_G_QUASI, NULL, NULL);
  if (!paper->G_constant.ref || paper->G_steps > 0)
    say(page, "up to what does not depend on the rates of the quasi-velocities.", NULL);
  show_all(page, ZW_PAPER_EQUATION, "Equations of Gibbs and Appell", NULL);
}

static void show_metric(Page* page) {
  switch (page->paper->metric) {
    case ZW_METRIC_NONE:
      break;
    case ZW_METRIC_FLAT:
      heading(page, "Christoffel symbols of M", "Christoffel symbols of $M$");
      say(page, "all are 0", NULL);
      break;
    case ZW_METRIC_FIRST:
      show_all(page, ZW_PAPER_GAMMA, "Christoffel symbols of M, first kind, without zeros; [j k, i] = [k j, i]",
               "Christoffel symbols of $M$, first kind, without zeros; $[j\\,k,\\,i] = [k\\,j,\\,i]$");
      break;
    case ZW_METRIC_SECOND:
      show_all(page, ZW_PAPER_GAMMA,
               "Christoffel symbols of M, second kind, without zeros; Gamma^i_(j k) = Gamma^i_(k j)",
               "Christoffel symbols of $M$, second kind, without zeros; $\\Gamma^{i}_{j\\,k} = \\Gamma^{i}_{k\\,j}$");
      break;
  }
}

/* ---- the equations solved ---- */

/* The names of some constraints: "a, b". */
static const char* row_names(const Page* page, const int32_t* rows, int32_t count) {
  ZwText names;
  zw_text_init(&names, page->text->arena);
  for (int32_t k = 0; k < count; k++) {
    ZwStr name = page->paper->rows[rows ? rows[k] : k].name;
    if (k) zw_text_addf(&names, ", ");
    if (page->is_latex)
      zw_latex_words(&names, name);
    else
      zw_text_add(&names, name.data, name.size);
  }
  return zw_text_get(&names);
}

static const char* coordinate_names(const Page* page, const int32_t* list, int32_t count) {
  ZwText names;
  zw_text_init(&names, page->text->arena);
  ZwWriter w = writer_to(page, &names);
  for (int32_t i = 0; i < count; i++) {
    if (i) zw_text_addf(&names, ", ");
    if (page->is_latex) zw_text_addf(&names, "$");
    zw_write_name(&w, zw_paper_coord_name(page->paper, list[i]), 0);
    if (page->is_latex) zw_text_addf(&names, "$");
  }
  return zw_text_get(&names);
}

/* The heading above what we call by a letter: "D = A M^-1 A^T", without its left side where the paper has only the right one for it. */
static void define(Page* page, ZwPaperKind kind, const char* letter, const char* text, const char* latex,
                   const char* words) {
  ZwArena* arena = page->text->arena;
  const char* theirs = zw_letter(page->paper->letters, letter);
  ZwText value;
  zw_text_init(&value, arena);
  zw_letters_add(&value, page->paper->letters, text, false);
  bool is_itself = strcmp(theirs, zw_format(arena, "(%s)", zw_text_get(&value))) == 0;
  if (is_itself)
    show_all(page, kind, zw_format(arena, "%s%s", text, words), zw_format(arena, "$%s$%s", latex, words));
  else
    show_all(page, kind, zw_format(arena, "%s = %s%s", letter, text, words),
             zw_format(arena, "$%s = %s$%s", letter, latex, words));
}

/* One sentence in both forms, its letters those of the paper; the names in it stay what they are. */
static void say_both(Page* page, const char* form, const char* first, const char* second) {
  const char* text = zw_format(page->text->arena, in_letters(page, form), first, second);
  page->has_names = true;
  say(page, text, text);
  page->has_names = false;
}

static void show_redundant(Page* page) {
  const ZwIndependent* rows = &page->paper->explicit_->rows;
  if (rows->r == rows->m) return;
  heading(page, "Rows that repeat others, A = E A_J", "Rows that repeat others, $A = E A_J$");
  say_both(page, "independent rows J: %s%s", row_names(page, rows->J, rows->r), "");
  if (!rows->is_known) {
    static const char form[] =
        "%s is not printed: %s. The multipliers below belong to the rows %s, those of the other rows are put to 0, "
        "which is one choice of many; %s prints the smallest.";
    ZwArena* arena = page->text->arena;
    say(page, zw_format(arena, form, "E", ZW_INDEPENDENT_WHY, "J", "zwang compare --show forces"),
        zw_format(arena, form, "$E$", ZW_INDEPENDENT_WHY, "$J$", "\\texttt{zwang compare -{}-show forces}"));
    return;
  }
  for (int32_t i = 0; i < page->entries.list.count; i++) {
    const ZwPaperEntry* entry = &page->entries.list.items[i];
    if (entry->kind == ZW_PAPER_E && entry->k != entry->j) show(page, entry, 2);
  }
  show_all(page, ZW_PAPER_W, "All multipliers are lambda + W w, W = 1 - A A^+",
           "All multipliers are $\\lambda + W w$, $W = 1 - A A^+$");
}

static void show_validity(Page* page) {
  const ZwExplicit* x = page->paper->explicit_;
  if (x->valid.list.count == 0) return;
  if (x->is_singular)
    heading(page, "Valid where none of these is 0", NULL);
  else if (page->paper->m == 0)
    heading(page, "Valid where none of these is 0: the determinant of M, or the pivots",
            "Valid where none of these is 0: the determinant of $M$, or the pivots");
  else
    heading(page, "Valid where none of these is 0: the determinants of M and D, or the pivots",
            "Valid where none of these is 0: the determinants of $M$ and $D$, or the pivots");
  show_all(page, ZW_PAPER_VALID, NULL, NULL);
}

/* By which equations the multipliers follow: D is there only beside an inverse of M. */
static void show_multipliers(Page* page) {
  const ZwExplicit* x = page->paper->explicit_;
  bool is_redundant = x->rows.r < x->rows.m, is_least = is_redundant && x->rows.is_known;
  const char *text = "D lambda = d", *latex = "D\\lambda = d", *of = "";
  if (is_least) text = "lambda = D^+ d", latex = "\\lambda = D^+ d", of = ", the smallest";
  if (x->is_singular) text = "A^T lambda = M a - h", latex = "A^{\\mathsf T}\\lambda = M a - h";
  if (is_redundant && !is_least) of = " of the rows J, those of the others being 0";
  const char* sign = is_redundant ? ":" : ",";
  ZwArena* arena = page->text->arena;
  show_all(page, ZW_PAPER_LAMBDA, zw_format(arena, "Multipliers%s%s %s", of, sign, text),
           zw_format(arena, "Multipliers%s%s $%s$", of, sign, latex));
}

static void show_gain(Page* page) {
  const ZwExplicit* x = page->paper->explicit_;
  static const char text[] = "Gain M^(-1/2) C^+: what d adds to the accelerations, without zeros";
  static const char latex[] = "Gain $M^{-1/2} C^+$: what $d$ adds to the accelerations, without zeros";
  if (x->gain) {
    show_all(page, ZW_PAPER_GAIN, text, latex);
    return;
  }
  heading(page, text, latex);
  ZwArena* arena = page->text->arena;
  static const char form[] = "It is not printed: %s; %s prints its numbers.";
  say(page, zw_format(arena, form, x->gain_why, "zwang compare --show inverses"),
      zw_format(arena, form, x->gain_why, "\\texttt{zwang compare -{}-show inverses}"));
}

static void show_explicit(Page* page) {
  const ZwExplicit* x = page->paper->explicit_;
  bool has_rows = page->paper->m > 0;
  if (x->why) {
    heading(page, "Equations solved", NULL);
    say_both(page, "They are not printed: %s.%s", x->why, "");
    return;
  }
  if (has_rows) show_redundant(page);
  if (x->added_count > 0) {
    heading(page, "M without an inverse", NULL);
    say_both(
        page,
        page->is_latex
            ? "In its place stands $M + A_s^{\\mathsf T} A_s$, and $h + A_s^{\\mathsf T} b_s$ in that of $h$, with the "
              "rows $s$: %s%s"
            : "In its place stands M + A_s^T A_s, and h + A_s^T b_s in that of h, with the rows s: %s%s",
        row_names(page, x->added, x->added_count), "");
  }
  if (has_rows && !x->is_singular) {
    define(page, ZW_PAPER_D, "D", "A M^-1 A^T", "A M^{-1} A^{\\mathsf T}", ", without its zeros");
    define(page, ZW_PAPER_D_PART, "d", "b - A M^-1 h", "b - A M^{-1} h", "");
  }
  if (has_rows) {
    show_multipliers(page);
    show_all(page, ZW_PAPER_QC, "Force of the constraints, Qc = A^T lambda",
             "Force of the constraints, $Q^c = A^{\\mathsf T}\\lambda$");
  }
  if (x->is_singular) {
    heading(page, "Accelerations", NULL);
    say_both(page,
             page->is_latex ? "$M$ has no inverse. By the constraints these accelerations depend on the others: %s%s"
                            : "M has no inverse. By the constraints these accelerations depend on the others: %s%s",
             coordinate_names(page, x->split.order, x->split.r), "");
    show_all(page, ZW_PAPER_ACCELERATION, NULL, NULL);
  } else if (has_rows) {
    show_all(page, ZW_PAPER_ACCELERATION, "Accelerations, a = M^-1 (h + Qc)", "Accelerations, $a = M^{-1}(h + Q^c)$");
  } else {
    show_all(page, ZW_PAPER_ACCELERATION, "Accelerations, a = M^-1 h", "Accelerations, $a = M^{-1} h$");
  }
  if (has_rows) show_gain(page);
  show_validity(page);
}

static void show_partition(Page* page) {
  const ZwPaperPartition* p = page->paper->partition;
  heading(page, "Explicit equations of Gibbs and Appell", NULL);
  if (p->why) {
    say_both(page, "They are not printed: %s%s.", p->why,
             p->dependent < 0 ? "" : zw_format(page->text->arena, " (%s)", coordinate_names(page, &p->dependent, 1)));
    return;
  }
  if (p->r > 0) {
    say_both(page, "dependent, ae: %s; independent, ai: %s", coordinate_names(page, p->order, p->r),
             coordinate_names(page, p->order + p->r, p->f));
    show_all(page, ZW_PAPER_R, "ae = c - R ai", "$a_e = c - R a_i$");
    show_all(page, ZW_PAPER_C, NULL, NULL);
  }
  show_all(page, ZW_PAPER_K, "K ai = right; K = Mii + R^T Mee R - Mie R - R^T Mei",
           "$K a_i = \\mathrm{right}$; $K = M_{ii} + R^{\\mathsf T} M_{ee} R - M_{ie} R - R^{\\mathsf T} M_{ei}$");
  show_all(page, ZW_PAPER_P, "P = hi - R^T he: a virtual displacement nu of the independent ones does the work nu^T P",
           "$P = h_i - R^{\\mathsf T} h_e$: a virtual displacement $\\nu$ of the independent ones does the work "
           "$\\nu^{\\mathsf T} P$");
  show_all(page, ZW_PAPER_RIGHT, "right = P + (R^T Mee - Mie) c",
           "$\\mathrm{right} = P + (R^{\\mathsf T} M_{ee} - M_{ie}) c$");
  if (p->r > 0 && p->is_uncoupled)
    say_both(page, "The masses of dependent and independent coordinates are not coupled, Mie = 0.%s%s", "", "");
  show_all(page, ZW_PAPER_DEPENDING, "ae by ai, one after the other in the steps",
           "$a_e$ by $a_i$, one after the other in the steps");
  show_all(page, ZW_PAPER_S, "S(ai) = 1/2 a^T M a, dS/dai = P",
           "$S(a_i) = \\tfrac12 a^{\\mathsf T} M a$, $\\partial S/\\partial a_i = P$");
  if (p->has_steps)
    show_all(page, ZW_PAPER_PIVOT, "Valid where none of these pivots is 0", NULL);
  else
    show_all(page, ZW_PAPER_PIVOT, "Valid where this is not 0: the determinant of the dependent columns Ae",
             "Valid where this is not 0: the determinant of the dependent columns $A_e$");
}

static void show_bellman(Page* page) {
  const ZwPaperRecursion* x = page->paper->bellman;
  heading(page, "Recursion of Bellman", NULL);
  if (x->why) {
    say_both(page, "It is not printed: %s%s.", x->why,
             x->dependent < 0 ? "" : zw_format(page->text->arena, " (%s)", coordinate_names(page, &x->dependent, 1)));
    return;
  }
  say_both(page, "columns in the order %s%s", coordinate_names(page, x->order, x->n), "");
  if (x->is_diagonal)
    say(page,
        "y = M^(1/2) (a - a0), C = A M^(-1/2); g_k(d) = d^T R_k d is the least 2 G when the columns after k keep a0.",
        "$y = M^{1/2}(a - a_0)$, $C = A M^{-1/2}$; $g_k(d) = d^{\\mathsf T} R_k d$ is the least $2G$ when the columns "
        "after $k$ "
        "keep $a_0$.");
  else
    say(page,
        "M = L L^T in this order, y = L^T (a - a0), C = A L^-T; g_k(d) = d^T R_k d is the least 2 G when y after k is "
        "0.",
        "$M = L L^{\\mathsf T}$ in this order, $y = L^{\\mathsf T}(a - a_0)$, $C = A L^{-\\mathsf T}$; $g_k(d) = "
        "d^{\\mathsf T} R_k d$ is "
        "the least $2G$ when $y$ after $k$ is 0.");
  for (int32_t i = 0; i < page->entries.list.count; i++) {
    const ZwPaperEntry* entry = &page->entries.list.items[i];
    if (entry->kind >= ZW_PAPER_BELLMAN_R && entry->kind <= ZW_PAPER_COST) show(page, entry, 2);
  }
  show_all(page, ZW_PAPER_LINK, "Accelerations one after the other, each by those before it in this list", NULL);
  show_all(page, ZW_PAPER_BELLMAN_VALID, "Valid where this is not 0: the determinant of the columns that come first",
           NULL);
}

static void show_contacts(Page* page) {
  const ZwSheet* paper = page->paper;
  if (paper->contact_rows == 0) return;
  bool has_slip = false;
  heading(page, "Contacts, one-sided rows", NULL);
  say(page,
      "Where the gap is positive lambda = 0. Closed, with gap and rate 0, u = A a - b >= 0, lambda >= 0 and lambda u = "
      "0; "
      "M a = h + A^T lambda has these rows beside those of the constraints.",
      "Where the gap is positive $\\lambda = 0$. Closed, with gap and rate 0, $u = A a - b \\ge 0$, $\\lambda \\ge 0$ "
      "and "
      "$\\lambda u = 0$; $M a = h + A^{\\mathsf T}\\lambda$ has these rows beside those of the constraints.");
  for (int32_t i = 0; i < page->entries.list.count; i++) {
    const ZwPaperEntry* entry = &page->entries.list.items[i];
    bool is_head = entry->kind == ZW_PAPER_GAP || entry->kind == ZW_PAPER_SLIP;
    has_slip = has_slip || entry->kind == ZW_PAPER_SLIP;
    if (is_head) show_row_head(page, entry);
    if (!is_head && entry->kind >= ZW_PAPER_GAP && entry->kind <= ZW_PAPER_FRICTION) show(page, entry, 4);
  }
  if (!has_slip) return;
  say(page,
      "A slip of 0 stays while its force is at most friction times lambda of the gap; sliding, it is that, against the "
      "slip.",
      "A slip of 0 stays while its force is at most friction times $\\lambda$ of the gap; sliding, it is that, against "
      "the slip.");
}

static void say_contacts(Page* page) {
  int32_t count = page->paper->system->contacts.count;
  if (count == 0) return;
  heading(page, "Not shown", NULL);
  say(page,
      count == 1 ? "The model also states a contact, which is not part of these equations."
                 : "The model also states contacts, which are not part of these equations.",
      NULL);
}

/* ---- large systems ---- */

static void show_shapes(Page* page, const ZwEquations* equations, const ZwPaperShapes* shapes) {
  static const char* const kinds[] = {"In L", "Dissipation", "Force", "In the Gibbs function",
                                      "Constraint"}; /* as ZwShapeKind */
  show_params(page);
  heading(page, "Equations by shape", NULL);
  say(page,
      zw_format(
          page->text->arena,
          "%d coordinates and %d constraints are too many for a page. Terms that are equal up to the coordinates and "
          "numbers they read have one shape; the first of each is shown with what it adds to the equations.",
          (int)equations->n, (int)equations->m),
      NULL);
  for (int32_t s = 0; s < shapes->list.count; s++) {
    const ZwPaperShape* shape = &shapes->list.items[s];
    const char* title = zw_format(page->text->arena, "%s, %d %s", kinds[shape->shape->kind], (int)shape->shape->count,
                                  shape->shape->count == 1 ? "term" : "terms of this shape");
    heading(page, title, NULL);
    for (int32_t i = shape->begin; i < shape->end; i++) {
      const ZwPaperEntry* entry = &page->entries.list.items[i];
      bool is_row = shape->shape->kind == ZW_SHAPE_CONSTRAINT;
      if (entry->kind == ZW_PAPER_VALUE && is_row)
        show_row_head(page, entry);
      else
        show(page, entry, is_row ? 4 : 2);
    }
  }
}

/* ---- the document ---- */

static void begin(Page* page) {
  if (!page->is_latex) return;
  add(page,
      "% Made by `zwang derive --latex`.\n"
      "\\documentclass[a4paper,fleqn]{article}\n"
      "\\usepackage[utf8]{inputenc}\n"
      "\\usepackage{amsmath}\n"
      "\\setlength{\\textwidth}{16.5cm}\n"
      "\\setlength{\\textheight}{24cm}\n"
      "\\setlength{\\oddsidemargin}{-0.3cm}\n"
      "\\setlength{\\evensidemargin}{-0.3cm}\n"
      "\\setlength{\\topmargin}{-1.5cm}\n"
      "\\setlength{\\parindent}{0pt}\n"
      "\\allowdisplaybreaks\n"
      "\\sloppy\n"
      "\\begin{document}\n");
}

static void end(Page* page) {
  close_display(page);
  if (page->is_latex) add(page, "\n\\end{document}\n");
}

static void write_page(ZwText* text, const ZwEquations* equations, ZwPaperWish* wish, bool is_latex) {
  ZwSheet paper;
  Page page = {.text = text, .paper = &paper, .is_latex = is_latex};
  begin(&page);
  if (!zw_paper_is_whole(equations->n, wish)) {
    ZwPaperShapes shapes;
    if (!zw_paper_shapes(&paper, text->arena, equations, &page.entries, &shapes)) return;
    show_shapes(&page, equations, &shapes);
    say_contacts(&page);
  } else {
    zw_paper_derive(&paper, text->arena, equations->system, wish);
    if (!zw_paper_entries(&paper, &page.entries)) return;
    show_coordinates(&page);
    show_params(&page);
    show_letters(&page);
    show_motion(&page);
    show_rows(&page);
    show_contacts(&page);
    show_gibbs(&page);
    show_quasi(&page);
    show_metric(&page);
    if (paper.explicit_) show_explicit(&page);
    if (paper.partition) show_partition(&page);
    if (paper.bellman) show_bellman(&page);
  }
  show_all(&page, ZW_PAPER_STEP, "Steps", NULL);
  show_all(&page, ZW_PAPER_SHARED, "where", NULL);
  end(&page);
}

void zw_paper_text(ZwText* text, const ZwEquations* equations, ZwPaperWish* wish) {
  write_page(text, equations, wish, false);
}

void zw_paper_latex(ZwText* text, const ZwEquations* equations, ZwPaperWish* wish) {
  write_page(text, equations, wish, true);
}
