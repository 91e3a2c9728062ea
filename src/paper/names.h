/* Names as they are written: as the user typed them, or in LaTeX. */
#ifndef ZW_PAPER_NAMES_H
#define ZW_PAPER_NAMES_H

#include "base/str.h"

/* crank.phi -> \varphi_{\mathrm{crank}}, x[17] -> x_{17}, th1 -> \mathrm{th}_{1}, P.x -> P_{x}; `dots` 0 to 2 go on top. */
void zw_latex_name(ZwText* text, ZwStr name, int dots);
/* Any text outside of formulas, with what LaTeX takes for commands escaped. */
void zw_latex_words(ZwText* text, ZwStr words);

#endif
