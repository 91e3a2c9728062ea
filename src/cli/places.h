/* Where the files of a run go: NAME.csv and, beside it, NAME.svg, NAME.h5, NAME.resume and the log of contacts.
 *
 * NAME is that of the model, in the folder of --out. With -o F.csv the table is F.csv, and NAME and folder of the others are
 * its own; --out puts pictures, the log and the HDF5 file elsewhere. The checkpoint stays beside the table that it goes on with.
 * Without a table (--format h5), -o F.h5 names the HDF5 file in the same way. */
#ifndef ZW_CLI_PLACES_H
#define ZW_CLI_PLACES_H

#include "cli/cli.h"

typedef struct RunPlaces {
  char *name, *folder; /* of files beside the table; folder may be "." */
  char *csv, *svg, *h5, *resume;
  char* home; /* the folder of the table */
} RunPlaces;

/* EXIT_FINE, or what was complained of: a wrong name, no memory. To be freed in any case. */
int places_find(const Options* options, RunPlaces* places);
/* Whether files can be written there: false after a message. */
bool places_are_fine(const Options* options, const RunPlaces* places);
/* The file that is the result: the table, or else the HDF5 file. */
const char* places_result(const Options* options, const RunPlaces* places);
void places_free(RunPlaces* places);

#endif
