/* The parts of `zwang linearize`. */
#ifndef ZW_CLI_LINEARIZE_H
#define ZW_CLI_LINEARIZE_H

#include "cli/cli.h"
#include "cli/sweep.h"

/* linearize.c: a run brought to where it is to be linearized, and the answer. `change` may be NULL, `near_q` too. */
ZwStatus linearize(const Options* options, const ZwModel* model, const ZwRunChange* change, const double* near_q,
                   ZwRun** run, const ZwLinearization** linearization);
/* Says why there is none; the exit status. */
int linearize_refused(const Options* options, const ZwModel* model, ZwRun* run, ZwStatus status);
/* Whether the run did not come to the time that --at asks for, and why. */
bool linearize_missed(const Options* options, ZwRun* run, const ZwLinearization* l, char* why, size_t size);
/* "unstable", "stable", "undamped", "neutral": the worst of its modes. */
const char* verdict_word(const ZwLinearization* linearization);
const char* mode_word(ZwEigenmodeKind kind);
const char* contact_word(ZwContactWhat what);
/* Its eigenvalues as "eigenvalues": [{"re", "im", ...}, ...]. */
void json_modes(ZwJson* json, const ZwModel* model, const ZwLinearization* linearization, bool has_shapes);

/* linearize_locus.c: over the values of a parameter */
int linearize_locus(const Options* options, const ZwModel* model);

#endif
