/* The parts of `zwang compare`: numbers of an instant as JSON, and as tables with names. */
#ifndef ZW_CLI_COMPARE_H
#define ZW_CLI_COMPARE_H

#include "cli/ask.h"

/* Matrices wider than this are given by size and norm, unless --full is. */
enum { WIDE = 200, NUMBERS_WIDE = 1000000 };

/* The fields of an object that was begun. */
void json_frame(ZwJson* json, const Ask* ask, bool is_full, const ZwFrameReport* frame);

/* Prints what --show asks for; `name` gives coordinates their names. */
void show_frame(const ZwModel* model, const Ask* ask, bool is_full, const ZwFrameReport* frame);

#endif
