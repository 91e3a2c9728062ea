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

void zw_letters_add(ZwText* out, ZwLetters letters, const char* text, bool is_latex) {
  bool is_formula = !is_latex;
  while (*text) {
    if (is_latex && *text == '$') is_formula = !is_formula;
    const char* end = text;
    bool is_command = *text == '\\';
    if (is_command) end++;
    while (is_part(*end) && !(is_latex && *end == '_')) end++;
    if (end == text) {
      zw_text_add(out, text++, 1);
      continue;
    }
    ZwStr word = {text, (int32_t)(end - text)};
    const char* theirs = NULL;
    bool is_ours = is_formula && !is_command && letters != ZW_LETTERS_OURS && (is_latex || !is_article(word, end));
    if (is_ours) theirs = find(letters, word);
    if (theirs && is_latex) theirs = in_latex(theirs);
    /* Qc_b, a_h: a part of it */
    bool is_share = is_ours && !theirs && word.size > 2 && word.data[word.size - 2] == '_';
    if (is_share && (theirs = find(letters, (ZwStr){word.data, word.size - 2}))) word.size -= 2, end -= 2;
    zw_text_add(out, theirs ? theirs : text, theirs ? (ptrdiff_t)strlen(theirs) : word.size);
    text = end;
  }
}

double zw_letters_gaussian(ZwLetters letters) {
  return letters == ZW_LETTERS_OURS || letters == ZW_LETTERS_L96 ? 1 : 2;
}
