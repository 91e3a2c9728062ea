/* Expressions written out, as text or LaTeX, with places where a line may break. */
#ifndef ZW_PAPER_WRITE_H
#define ZW_PAPER_WRITE_H

#include "paper/paper.h"

/* Subexpressions that are large and used more than once have a name of their own: s1, s2, ...; so have parts of a formula that is too large. */
typedef struct ZwPaperShare {
  int32_t* number;    /* by ref: 0 has no name */
  double* cost;       /* by ref: nodes to be written, a name counting as one */
  int32_t node_count; /* how many refs that is */
  ZW_ARRAY(ZwExpr) named;
  const char* prefix;
} ZwPaperShare;

typedef struct ZwWriter {
  ZwText* text;
  const ZwSheet* paper;
  const ZwPaperShare* share; /* NULL: everything is written out */
  bool is_latex;
  bool has_fractions; /* 4/5 and not 0.8 */
} ZwWriter;

/* Finds what is to be named among all these. */
bool zw_share_find(ZwPaperShare* share, const ZwSheet* paper, const ZwExpr* roots, int32_t count);
/* Whether no name of the model is this prefix followed by digits; */
bool zw_prefix_is_free_in_model(const ZwSheet* paper, const char* prefix);
/* nor that of any step. */
bool zw_prefix_is_free(const ZwSheet* paper, const char* prefix);

/* Name of coordinate or quasi-velocity i. */
ZwStr zw_paper_coord_name(const ZwSheet* paper, int32_t i);
void zw_write_name(ZwWriter* writer, ZwStr name, int primes);
/* 1/2, 1/3, pi/4 as such, all else as decimals. */
void zw_write_number(ZwWriter* writer, double value);
void zw_write_decimal(ZwWriter* writer, double value);
/* e itself, also if it has a name; its subexpressions by name. A line may break where `zw_write_lines` looks for it. */
void zw_write_expr(ZwWriter* writer, ZwExpr e);
/* The same with its own name, if it has one. */
void zw_write_value(ZwWriter* writer, ZwExpr e);
void zw_write_share_name(ZwWriter* writer, int32_t number);

/* Copies a written expression in lines of at most `width` columns (glyphs in LaTeX), the first of which begins at column
 * `first`; between lines goes `turn`, which takes `indent` columns. Width 0: one line. */
void zw_write_lines(ZwText* out, ZwStr written, bool is_latex, int32_t width, int32_t first, const char* turn,
                    int32_t indent);
/* Columns (glyphs) of a text. */
int32_t zw_write_width(ZwStr text, bool is_latex);

#endif
