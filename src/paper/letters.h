/* The letters of the five papers: what each calls what we call M, h, A, b, ... One table serves derive, compare and paper. */
#ifndef ZW_PAPER_LETTERS_H
#define ZW_PAPER_LETTERS_H

#include "base/str.h"

typedef enum ZwLetters {
  ZW_LETTERS_OURS,
  ZW_LETTERS_UK98,
  ZW_LETTERS_BG99,
  ZW_LETTERS_KU93,
  ZW_LETTERS_L96,
  ZW_LETTERS_U96,
  ZW_LETTERS_COUNT
} ZwLetters; /* ORDER LETTERS */

/* The letters of this name: "ours", "uk98", ...; ZW_LETTERS_COUNT: there are none. */
ZwLetters zw_letters_find(const char* name);
const char* zw_letters_name(ZwLetters letters);

/* What is said of a name that zw_letters_find does not know. */
#define ZW_LETTERS_UNKNOWN "--letters knows uk98, bg99, ku93, l96, u96 and ours, not '%s'"

/* What they call it; what they do not name keeps our letter. */
const char* zw_letter(ZwLetters letters, const char* ours);
/* The same for LaTeX. */
const char* zw_letter_latex(ZwLetters letters, const char* ours);

/* Adds a text with all our letters in it replaced by theirs; in LaTeX only those between dollars. Names of a model must not be in it, and G is the
 * Gaussian: "G" is "G/2" and "2 G" is "G" where theirs has no 1/2. What would be defined by itself is written once. */
void zw_letters_add(ZwText* out, ZwLetters letters, const char* text, bool is_latex);

#endif
