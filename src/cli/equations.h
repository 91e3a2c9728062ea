/* The equations of the papers as they are stored (papers/NAME.paper): one entry for each equation, theorem or remark.
 *
 *   paper ku93                          the short name, as in `zwang paper ku93`
 *   title, authors, year, source, letters
 *   example ku93-track                  the entries that follow belong to this model of examples/; it may be taken up again
 *   model l96-charge                    the same for a model that is not the paper's own: it is no worked example
 *   where Fx = 1 - y                    a letter of the paper that is no quantity, for the checks of this example
 *   eliminate y / order x,y / possible x''=1, y''=0         how its quantities are taken
 *   equation 42                         number, or name, of an entry
 *     about SENTENCE
 *     paper FORMULA                     as the paper prints it, in its letters; may be repeated, as may the next ones
 *     ours FORMULA                      the same as we write it
 *     check FORMULA == FORMULA          what must be equal (formula.h); `check FORMULA >= FORMULA` too
 *     misprint SENTENCE                 what is wrong in the print, or in the scan
 *     later SENTENCE                    why it is not shown yet
 *
 * A line that is indented further than the one before, and begins with no keyword, goes on with it; # begins a comment line. */
#ifndef ZW_CLI_EQUATIONS_H
#define ZW_CLI_EQUATIONS_H

#include "base/str.h"

typedef struct Lines {
  ZW_ARRAY(ZwStr) list;
} Lines;

/* A letter of the paper and what it stands for. */
typedef struct Letter {
  ZwStr name, formula;
} Letter;

/* How the quantities of an example are taken; empty: as usual. */
typedef struct Example {
  ZwStr name, eliminate, order, possible;
  bool is_ours; /* not an example of the paper */
  ZW_ARRAY(Letter) letters;
} Example;

typedef struct Equation {
  ZwStr number, about, later;
  int32_t example; /* of the paper's examples; -1: it needs none */
  Lines paper, ours, checks, misprints;
} Equation;

typedef struct Paper {
  ZwStr name, title, authors, year, source, letters;
  ZW_ARRAY(Example) examples;
  ZW_ARRAY(Equation) equations;
  int32_t wrong_line; /* of what is not understood, from 1; 0: all is */
} Paper;

/* Reads the text of a paper, which must outlive it. False when memory is out, or wrong_line says where. */
bool read_paper(ZwArena* arena, const char* text, size_t size, Paper* paper);

#endif
