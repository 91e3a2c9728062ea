/* What is asked of the papers' quantities on the command line: --show, --eliminate, --order, --possible, --displacement, --full. */
#ifndef ZW_CLI_ASK_H
#define ZW_CLI_ASK_H

#include "cli/cli.h"
#include "paper/letters.h"

/* What --show prints; they are added up. */
typedef enum ShowPart {
  SHOW_DATA = 1,
  SHOW_FORCES = 2,
  SHOW_PARTITION = 4,
  SHOW_BELLMAN = 8,
  SHOW_GIBBS = 16,
  SHOW_INVERSES = 32,
  SHOW_ALL = 63
} ShowPart;

typedef struct Ask {
  int32_t n;
  int32_t *eliminate, *order; /* coordinates from 0; NULL: not given */
  int32_t eliminate_count, order_count;
  double *possible, *displacement; /* n; NaN where not stated; NULL: not given */
  ZwLetters letters;               /* of which paper */
  int32_t show;                    /* of ShowPart; 0: not given */
} Ask;

/* Reads the options against the coordinates of the model. EXIT_FINE, or the exit status after a message. */
int read_ask(const Options* options, const ZwModel* model, ZwArena* arena, Ask* ask);
/* The same against n names; those are not of a model. */
int read_ask_names(const Options* options, int32_t n, const char* const* names, ZwArena* arena, Ask* ask);

/* --eliminate x,y alone. */
int read_eliminate(const Options* options, const ZwModel* model, ZwArena* arena, int32_t** list, int32_t* count);

/* --force "x=1, y=0": n values, 0 where none is stated. The same. */
int read_force(const Options* options, const ZwModel* model, ZwArena* arena, double** force);

#endif
