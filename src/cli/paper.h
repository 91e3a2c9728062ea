/* The parts of `zwang paper`: the checks of a paper's equations at states of its examples, and how they are told. */
#ifndef ZW_CLI_PAPER_H
#define ZW_CLI_PAPER_H

#include "cli/cli.h"
#include "cli/equations.h"
#include "cli/formula.h"
#include "paper/letters.h"

/* Both sides of a check, and how far they are apart. */
typedef struct Checked {
  Matrix left, right; /* at the first state */
  double difference;  /* the largest of all states, as a part of what they are made of */
  bool is_below;      /* left >= right is asked, not left = right */
  const char* reason; /* why it could not be evaluated; "" */
} Checked;

/* An example that does not run at the time of --at. */
typedef struct AtStart {
  const char* name;
  double from, to;
} AtStart;

typedef struct Walk {
  const Options* options;
  ZwArena* arena;
  Paper paper;
  ZwLetters letters;          /* of our formulas */
  Checked** checked;          /* by equation, by check; NULL: none */
  int32_t states;             /* looked at in each example */
  bool is_set[SETS_MAX];      /* by --set: a model has that parameter */
  bool has_time;              /* an example runs at the time of --at */
  ZW_ARRAY(AtStart) at_start; /* those that do not */
} Walk;

/* Compiles the examples and evaluates all checks. EXIT_FINE, or the exit status after a message. */
int check_paper(Walk* walk);

/* Whether it was evaluated, and agrees. */
bool is_fine(const Checked* checked);

/* All of them do. */
bool is_paper_fine(const Walk* walk);

void paper_text(ZwText* out, const Walk* walk);
void paper_latex(ZwText* out, const Walk* walk);
void paper_json(ZwText* out, const Walk* walk);

/* The text of a shipped example; NULL: there is none. */
const ZwLibraryText* find_example(ZwStr name);
/* generated/papers.c, made from papers/ */
extern const ZwLibraryText paper_texts[];

#endif
