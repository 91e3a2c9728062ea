/* Formulas that were typed as text, as in papers/, in LaTeX: x'' = a + M^-1/2 (A M^-1/2)^+ (b - A a). */
#ifndef ZW_PAPER_FORMULA_H
#define ZW_PAPER_FORMULA_H

#include "base/str.h"

/* Adds it for the inside of dollars. Words between formulas stay words: "least G(a)". In a formula of the calculator (cli/formula.h) inv(X), pinv(X),
 * tr(X), root(X), norm(X), dot(x, y) and eye(n) become what they mean, [1, 2; 3, 4] a matrix and [x, y] a column. */
void zw_latex_formula(ZwText* text, ZwStr formula, bool is_calculated);

/* A number with so many digits, 1.5\cdot 10^{-9}. */
void zw_latex_number(ZwText* text, double value, int digits);

#endif
