#include "paper/letters.h"

#include <string.h>

/* NULL: as we do. What a paper writes but does not name stands in brackets. */
static const struct Letter {
  const char* in[ZW_LETTERS_COUNT];
} table[] = {
    /* ours    UK98                 BG99             KU93              L96          U96 */
    {{"M", NULL, NULL, "A", "g", NULL}},
    {{"h", "F", "F", "(Q - f)", NULL, "F"}},
    {{"A", NULL, NULL, "D", "beta-hat", NULL}},
    {{"b", NULL, NULL, "g", "(-beta0 - beta v)", NULL}},
    {{"a0", "a", "a", "(A^-1 (Q - f))", NULL, "a"}},
    {{"a", "x''", "x''", "q''", NULL, "x''"}},
    {{"Qc", "F^c", "F^c", "Q'", "lambda", "F^c"}},
    {{"lambda", NULL, NULL, NULL, "mu", NULL}},
    {{"d", "(b - A a)", NULL, "(g - D A^-1 (Q - f))", NULL, "(b - A a)"}},
    {{"D", "(A M^-1 A^T)", "(C C^T)", "(D A^-1 D^T)", NULL, "(A M^-1 A^T)"}},
    {{"nu_rate", NULL, NULL, NULL, "alpha", NULL}},
    {{"Mee", "M_e", NULL, "Aee", "g_ee", "M_e"}},
    {{"Mii", "M_I", NULL, "Aii", "g_ii", "M_I"}},
    {{"Mei", "M_eI", NULL, "Aei", "g_ei", "M_eI"}},
    {{"Mie", "M_Ie", NULL, "Aie", "g_ie", "M_Ie"}},
    {{"Ae", "A_e", NULL, "De", "beta-hat_e", "A_e"}},
    {{"Ai", "A_I", NULL, "Di", "beta-hat_i", "A_I"}},
    {{"ai", "x''_I", "x''_i", "q''_i", NULL, "x''_I"}},
    {{"ae", "x''_e", "x''_e", "q''_e", NULL, "x''_e"}},
    {{"hi", "F_I", "F_i", "(Q - f)_i", NULL, "F_I"}},
    {{"he", "F_e", "F_e", "(Q - f)_e", NULL, "F_e"}},
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

/* d/da, dS/dai: the d of a derivative before a letter. */
static bool is_derivative(ZwStr word, const char* text, const char* begin) {
  return word.size > 1 && *word.data == 'd' && begin > text && begin[-1] == '/';
}

/* A letter in brackets needs none where it is defined, nor where it stands in brackets: "b - A a = ..", g_k(b - A a). */
static bool loses_brackets(const char* theirs, const char* text, const char* begin, const char* end) {
  bool is_first = begin == text || (begin == text + 1 && *text == '$');
  if (is_first) return *theirs == '(' && strncmp(end, " = ", 3) == 0;
  return *theirs == '(' && begin[-1] == '(' && *end == ')';
}

/* The letter of the paper for what stands at `word`, NULL: there is none; *size is how much of the text it takes the place of. */
static const char* find_at(ZwLetters letters, ZwStr word, bool is_latex, size_t* size) {
  const char* ours = is_latex ? from_latex(word.data, size) : NULL;
  const char* theirs = ours ? find(letters, zw_str_from(ours)) : NULL;
  if (!theirs && *word.data != '\\') {
    *size = (size_t)word.size;
    theirs = find(letters, word);
    /* Qc_b, a_h: a part of it */
    bool is_share = !theirs && word.size > 2 && word.data[word.size - 2] == '_';
    if (is_share) *size -= 2, theirs = find(letters, (ZwStr){word.data, word.size - 2});
  }
  return theirs && is_latex ? in_latex(theirs) : theirs;
}

/* Letters, digits, underscores and primes at the beginning; in LaTeX a command, and no underscore. */
static ZwStr word_at(const char* text, bool is_latex) {
  const char* end = text + (*text == '\\');
  while (is_part(*end) && !(is_latex && *end == '_')) end++;
  return (ZwStr){text, (int32_t)(end - text)};
}

void zw_letters_add(ZwText* out, ZwLetters letters, const char* text, bool is_latex) {
  bool is_formula = !is_latex;
  for (const char* at = text; *at;) {
    if (is_latex && *at == '$') is_formula = !is_formula;
    ZwStr word = word_at(at, is_latex);
    bool is_ours =
        is_formula && word.size > 0 && letters != ZW_LETTERS_OURS && (is_latex || !is_article(word, at + word.size));
    if (is_ours && is_derivative(word, text, at) && find(letters, (ZwStr){at + 1, word.size - 1})) {
      zw_text_add(out, at++, 1);
      word = word_at(at, is_latex);
    }
    size_t length = word.size > 0 ? (size_t)word.size : 1, size = length;
    const char* theirs = is_ours ? find_at(letters, word, is_latex, &size) : NULL;
    if (!theirs)
      zw_text_add(out, at, (ptrdiff_t)(size = length));
    else if (loses_brackets(theirs, text, at, at + size))
      zw_text_add(out, theirs + 1, (ptrdiff_t)strlen(theirs) - 2);
    else
      zw_text_add(out, theirs, (ptrdiff_t)strlen(theirs));
    at += size;
  }
}

double zw_letters_gaussian(ZwLetters letters) {
  return letters == ZW_LETTERS_OURS || letters == ZW_LETTERS_L96 ? 1 : 2;
}
