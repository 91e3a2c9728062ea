#include "paper/letters.h"

#include <string.h>

/* NULL: as we do, for what a paper does not name too. What it writes but does not name stands in brackets. docs/papers.md has the same table. */
static const struct Letter {
  const char* in[ZW_LETTERS_COUNT];
} table[] = {
    /* ours      UK98             BG99         KU93                    L96                  U96 */
    {{"M", NULL, NULL, "A", "g", NULL}},
    {{"h", "F", "f", "(Q - f)", NULL, "F"}},
    {{"A", NULL, NULL, "D", "beta-hat", NULL}},
    {{"b", NULL, NULL, "g", "(-beta0 - beta v)", NULL}},
    {{"a0", "a", "a", "(A^-1 (Q - f))", "(X_L + F#)", "a"}},
    {{"a", "x''", "x''", "q''", NULL, "x''"}},
    {{"Q", NULL, NULL, NULL, "F", NULL}},
    {{"Qc", NULL, NULL, "Q'", "lambda", NULL}},
    {{"lambda", NULL, NULL, NULL, "mu", NULL}}, /* L96 has lambda for both: mu tells the multipliers from the force */
    {{"d", "(b - A a)", NULL, "(g - D A^-1 (Q - f))", NULL, "(b - A a)"}},
    {{"D", "(A M^-1 A^T)", "(C C^T)", "(D A^-1 D^T)", NULL, "(A M^-1 A^T)"}},
    {{"2 G", NULL, "G", "G", "G", NULL}}, /* theirs have no 1/2 */
    {{"nu_rate", NULL, NULL, NULL, "alpha", NULL}},
    {{"Mee", "M_ee", NULL, "Aee", "g_ee", "M_e"}},
    {{"Mii", "M_II", NULL, "Aii", "g_ii", "M_I"}},
    {{"Mei", "M_eI", NULL, "Aei", "g_ei", "M_eI"}},
    {{"Mie", "M_Ie", NULL, "Aie", "g_ie", "M_Ie"}},
    {{"Ae", "A_e", NULL, "De", "beta-hat_e", "A_e"}},
    {{"Ai", "A_I", NULL, "Di", "beta-hat_i", "A_I"}},
    {{"ai", "x''_I", "x''_i", "q''_i", NULL, "x''_I"}},
    {{"ae", "x''_e", "x''_e", "q''_e", NULL, "x''_e"}},
    {{"a0i", "a_I", "a_i", "(A^-1 (Q - f))_i", "(X_L + F#)_i", "a_I"}},
    {{"a0e", "a_e", "a_e", "(A^-1 (Q - f))_e", "(X_L + F#)_e", "a_e"}},
    {{"hi", "F_I", "f_i", "(Q - f)_i", NULL, "F_I"}},
    {{"he", "F_e", "f_e", "(Q - f)_e", NULL, "F_e"}},
};

static const char* const names[] = {"ours", "uk98", "bg99", "ku93", "l96", "u96"}; /* ORDER LETTERS */

ZwLetters zw_letters_find(const char* name) {
  int i = 0;
  while (i < ZW_LETTERS_COUNT && strcmp(names[i], name) != 0) i++;
  return (ZwLetters)i;
}

const char* zw_letters_name(ZwLetters letters) {
  return names[letters];
}

static const char* find(ZwLetters letters, ZwStr ours) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (zw_str_equal(ours, zw_str_from(table[i].in[0]))) return table[i].in[letters];
  }
  return NULL;
}

const char* zw_letter(ZwLetters letters, const char* ours) {
  const char* theirs = find(letters, zw_str_from(ours));
  return theirs ? theirs : ours;
}

static const char* in_latex(const char* letter) {
  static const char* const pairs[][2] = {
      {"beta-hat", "\\hat\\beta"},
      {"(-beta0 - beta v)", "(-\\beta_0 - \\beta v)"},
      {"beta-hat_e", "\\hat\\beta_e"},
      {"beta-hat_i", "\\hat\\beta_i"},
      {"lambda", "\\lambda"},
      {"mu", "\\mu"},
      {"alpha", "\\alpha"},
      {"Qc", "Q^c"},
      {"x''", "\\ddot x"},
      {"q''", "\\ddot q"},
      {"x''_I", "\\ddot x_I"},
      {"x''_e", "\\ddot x_e"},
      {"x''_i", "\\ddot x_i"},
      {"q''_i", "\\ddot q_i"},
      {"q''_e", "\\ddot q_e"},
      {"(A^-1 (Q - f))", "(A^{-1}(Q - f))"},
      {"(A^-1 (Q - f))_e", "(A^{-1}(Q - f))_e"},
      {"(A^-1 (Q - f))_i", "(A^{-1}(Q - f))_i"},
      {"(X_L + F#)", "(X_L + F^\\sharp)"},
      {"(X_L + F#)_e", "(X_L + F^\\sharp)_e"},
      {"(X_L + F#)_i", "(X_L + F^\\sharp)_i"},
      {"M_ee", "M_{ee}"},
      {"M_II", "M_{II}"},
      {"M_eI", "M_{eI}"},
      {"M_Ie", "M_{Ie}"},
      {"g_ee", "g_{ee}"},
      {"g_ii", "g_{ii}"},
      {"g_ei", "g_{ei}"},
      {"g_ie", "g_{ie}"},
      {"(g - D A^-1 (Q - f))", "(g - D A^{-1}(Q - f))"},
      {"(D A^-1 D^T)", "(D A^{-1} D^{\\mathsf T})"},
      {"(C C^T)", "(C C^{\\mathsf T})"},
      {"(A M^-1 A^T)", "(A M^{-1} A^{\\mathsf T})"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (strcmp(letter, pairs[i][0]) == 0) return pairs[i][1];
  }
  return letter;
}

const char* zw_letter_latex(ZwLetters letters, const char* ours) {
  return in_latex(zw_letter(letters, ours));
}

/* Theirs has no 1/2. */
static bool is_doubled(ZwLetters letters) {
  return find(letters, ZW_STR("2 G")) != NULL;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_part(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}

/* "a" is an article where a word follows. */
static bool is_article(ZwStr word, const char* after) {
  return word.size == 1 && *word.data == 'a' && after[0] == ' ' && after[1] >= 'a' && after[1] <= 'z';
}

/* What LaTeX writes of one of our letters in another way: Q^c is Qc. NULL: it is none of these; *size is its length. */
static const char* from_latex(const char* text, size_t* size) {
  static const char* const pairs[][2] = {{"Q^c", "Qc"}, {"a_0", "a0"}, {"\\lambda", "lambda"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    *size = strlen(pairs[i][0]);
    if (strncmp(text, pairs[i][0], *size) == 0 && !is_letter(text[*size])) return pairs[i][1];
  }
  return NULL;
}

/* After the bracket that closes the one at `at`; NULL: none does. */
static const char* bracket_end(const char* at) {
  int32_t depth = 0;
  for (; *at; at++) {
    depth += *at == '(' || *at == '[' || *at == '{';
    depth -= *at == ')' || *at == ']' || *at == '}';
    if (depth == 0) return at + 1;
  }
  return NULL;
}

/* The d of a derivative that stands for itself: d/dt, d phi/dt, d(x y)/dt, and below the line d/d alpha. Ours is a column, by which nothing is
 * divided. */
static bool is_differential(ZwStr word, const char* text) {
  if (word.size != 1 || *word.data != 'd') return false;
  if (word.data > text && word.data[-1] == '/') return true;
  const char* end = word.data + 1;
  if (*end == ' ') end++;
  while (is_part(*end)) end++;
  if (*end == '(') end = bracket_end(end);
  return end && end[0] == '/' && end[1] == 'd';
}

/* d/da, dS/dai, dA/dt: the d of a derivative in one word with a letter. */
static bool is_derivative(ZwStr word, const char* text) {
  const char *begin = word.data, *end = word.data + word.size;
  bool is_below = begin > text && begin[-1] == '/';
  return word.size > 1 && *begin == 'd' && (is_below || (end[0] == '/' && end[1] == 'd'));
}

/* A letter in brackets needs none where it is defined, nor where it stands in brackets: "b - A a = ..", g_k(b - A a). */
static bool loses_brackets(const char* theirs, const char* text, const char* begin, const char* end) {
  bool is_first = begin == text || (begin == text + 1 && *text == '$');
  if (*theirs != '(' || theirs[strlen(theirs) - 1] != ')') return false;
  if (is_first) return strncmp(end, " = ", 3) == 0;
  return begin[-1] == '(' && *end == ')';
}

/* The letter of the paper for what stands at `word`, NULL: there is none; *size is how much of the text it takes the place of. */
static const char* find_at(ZwLetters letters, ZwStr word, bool is_latex, size_t* size) {
  const char* ours = is_latex ? from_latex(word.data, size) : NULL;
  const char* theirs = ours ? find(letters, zw_str_from(ours)) : NULL;
  if (!theirs && *word.data != '\\') {
    *size = (size_t)word.size;
    theirs = find(letters, word);
    /* Qc_b, a_h, A_Je: a part of it */
    const char* mark = theirs ? NULL : memchr(word.data, '_', (size_t)word.size);
    if (mark) *size = (size_t)(mark - word.data), theirs = find(letters, (ZwStr){word.data, (int32_t)*size});
  }
  return theirs && is_latex ? in_latex(theirs) : theirs;
}

/* Letters, digits, underscores and primes at the beginning; in LaTeX a command, and no underscore. */
static ZwStr word_at(const char* text, bool is_latex) {
  const char* end = text + (*text == '\\');
  while (is_part(*end) && !(is_latex && *end == '_')) end++;
  return (ZwStr){text, (int32_t)(end - text)};
}

/* ---- a text with letters in it ---- */

typedef struct Rewriting {
  ZwText* out;
  ZwLetters letters;
  const char* text;
  bool is_latex;
  const char* half; /* the end of a Gaussian of ours, half of theirs: "/2" belongs there; NULL */
} Rewriting;

/* "2 G" or "2G", and what stands in its place: *size is its length. Our Gaussian alone is G/2, also with what it is taken of: G(q'')/2. */
static bool add_gaussian(Rewriting* r, ZwStr word, size_t* size) {
  const char *at = word.data, *begin = at;
  if (!is_doubled(r->letters)) return false;
  bool is_alone = at == r->text || (!is_part(at[-1]) && !strchr("^./", at[-1]));
  if (*at == '2' && word.size == 1 && is_alone && at[1] == ' ') begin = at + 2;
  if (*at == '2' && is_alone && at[1] == 'G') begin = at + 1;
  if (*begin != 'G' || is_part(begin[1])) return false;
  if (begin == at) r->half = begin[1] == '(' ? bracket_end(begin + 1) : begin + 1;
  zw_text_add(r->out, begin, 1);
  *size = (size_t)(begin + 1 - at);
  return true;
}

/* What stands at `at`; how much of the text it was. */
static size_t add_thing(Rewriting* r, const char* at) {
  ZwStr word = word_at(at, r->is_latex);
  size_t size = word.size > 0 ? (size_t)word.size : 1;
  bool is_word = (!r->is_latex && is_article(word, at + word.size)) || is_differential(word, r->text);
  if (word.size > 0 && add_gaussian(r, word, &size)) return size;
  if (is_derivative(word, r->text) && find(r->letters, (ZwStr){at + 1, word.size - 1})) {
    zw_text_add(r->out, at, 1);
    return 1;
  }
  size_t length = size;
  const char* theirs = word.size > 0 && !is_word ? find_at(r->letters, word, r->is_latex, &size) : NULL;
  if (!theirs)
    zw_text_add(r->out, at, (ptrdiff_t)(size = length));
  else if (loses_brackets(theirs, r->text, at, at + size))
    zw_text_add(r->out, theirs + 1, (ptrdiff_t)strlen(theirs) - 2);
  else
    zw_text_add(r->out, theirs, (ptrdiff_t)strlen(theirs));
  return size;
}

static void rewrite(Rewriting* r) {
  bool is_formula = !r->is_latex;
  for (const char* at = r->text; *at;) {
    if (r->is_latex && *at == '$') is_formula = !is_formula;
    if (is_formula)
      at += add_thing(r, at);
    else
      zw_text_add(r->out, at++, 1);
    if (at != r->half) continue;
    zw_text_addf(r->out, "/2");
    r->half = NULL;
  }
}

/* ---- what would be defined by itself ---- */

/* Where the next side of an equation ends, outside of brackets; *size is the length of what parts it from the next. */
static const char* side_end(const char* at, size_t* size) {
  static const char* const parts[] = {" = ", "  ", ", ",
                                      "; ",  ": ", " with "}; /* the first two: what follows is the same */
  for (const char* end; *at; at = end) {
    end = *at == '(' || *at == '[' || *at == '{' ? bracket_end(at) : at + 1;
    if (!end) end = at + 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      *size = strlen(parts[i]);
      if (strncmp(at, parts[i], *size) == 0) return at;
    }
  }
  *size = 0;
  return at;
}

/* A letter of theirs in brackets, without them. */
static ZwStr bare(ZwLetters letters, ZwStr side) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char* theirs = table[i].in[letters];
    bool is_it = theirs && *theirs == '(' && zw_str_equal(side, zw_str_from(theirs));
    if (is_it && theirs[side.size - 1] == ')') return (ZwStr){side.data + 1, side.size - 2};
  }
  return side;
}

static bool is_equality(const char* mark) {
  return strncmp(mark, " = ", 3) == 0 || strncmp(mark, "  ", 2) == 0;
}

/* "D = A M^-1 A^T" where D is (A M^-1 A^T) would be "A M^-1 A^T = A M^-1 A^T": it is written once, and after a comma not at all. */
static void add_sides(ZwText* out, ZwLetters letters, const char* text) {
  ZwStr mark = {text, 0}; /* before the next side */
  for (const char* at = text; *at;) {
    size_t size, next_size;
    const char *end = side_end(at, &size), *next = end + size, *next_end = side_end(next, &next_size);
    ZwStr side = bare(letters, (ZwStr){at, (int32_t)(end - at)});
    ZwStr other = bare(letters, (ZwStr){next, (int32_t)(next_end - next)});
    bool is_repeated = is_equality(end) && zw_str_equal(side, other);
    bool is_nothing = is_repeated && zw_str_equal(mark, ZW_STR(", ")) && !is_equality(next_end);
    if (!is_repeated) zw_text_addf(out, "%.*s%.*s", ZW_STR_ARGS(mark), ZW_STR_ARGS(side));
    at = is_nothing ? next_end + next_size : next;
    if (is_nothing)
      mark = (ZwStr){next_end, (int32_t)next_size};
    else if (!is_repeated)
      mark = (ZwStr){end, (int32_t)size};
  }
  zw_text_add(out, mark.data, mark.size);
}

void zw_letters_add(ZwText* out, ZwLetters letters, const char* text, bool is_latex) {
  ZwText theirs;
  zw_text_init(&theirs, out->arena);
  Rewriting r = {&theirs, letters, text, is_latex, NULL};
  if (letters == ZW_LETTERS_OURS) {
    zw_text_add(out, text, (ptrdiff_t)strlen(text));
    return;
  }
  rewrite(&r);
  if (is_latex)
    zw_text_add(out, zw_text_get(&theirs), theirs.size);
  else
    add_sides(out, letters, zw_text_get(&theirs));
}
