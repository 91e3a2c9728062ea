/* The parts of `zwang compare`: numbers of an instant as JSON, and as tables with names. */
#ifndef ZW_CLI_COMPARE_H
#define ZW_CLI_COMPARE_H

#include "cli/ask.h"

/* Matrices wider than this are given by size and norm, unless --full is. */
enum { WIDE = 200, NUMBERS_WIDE = 1000000 };

/* The fields of an object that was begun; of a problem alone, or of an instant of a motion. S of the answer stands elsewhere. */
void json_detail(ZwJson* json, bool is_full, const ZwLeastDetail* detail);
void json_frame(ZwJson* json, bool is_full, const ZwFrameReport* frame);

/* Prints a text of ours with the letters of a paper in it. */
void print_letters(ZwLetters letters, const char* text);

/* Whether that needs D, X, W or the gain. */
bool shows_matrices(const Ask* ask);
/* Prints what --show asks for, with these names of coordinates and rows. */
void show_detail(const Ask* ask, bool is_full, const ZwLeastDetail* detail, const char* const* coordinates,
                 const char* const* rows);
/* The same at an instant of a motion. */
void show_frame(const ZwModel* model, const Ask* ask, bool is_full, const ZwFrameReport* frame);
/* Multipliers by the inverse of D that a problem states. */
void show_multipliers(const Ask* ask, int32_t m, const double* lambda, const char* const* rows);

#endif
