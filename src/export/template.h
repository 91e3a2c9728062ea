/* The parts of an exported file that are the same for every model, written in C beside this file (c/) and compiled into the library.
 *
 *   NAME, GUARD, VERSION     are replaced: by the prefix, the prefix in capitals, and the version of zwang
 *   //@if flag               the lines up to //@else or //@end are there if the flag is set; they nest
 *   //@insert key            is replaced by a text of the model
 */
#ifndef ZW_EXPORT_TEMPLATE_H
#define ZW_EXPORT_TEMPLATE_H

#include "base/str.h"
#include "model/library.h"

/* generated/export.c, made from c/ */
extern const ZwLibraryText zw_export_texts[];

typedef struct ZwTemplateFlag {
  const char* name;
  bool is_set;
} ZwTemplateFlag;

typedef struct ZwTemplateText {
  const char *key, *text;
} ZwTemplateText;

/* What stands for what; both lists are ended by NULL. */
typedef struct ZwTemplateWords {
  const char *name, *guard, *version;
  const ZwTemplateFlag* flags;
  const ZwTemplateText* texts;
} ZwTemplateWords;

/* Adds the part called `part` to the text. */
void zw_template_expand(ZwText* text, const char* part, const ZwTemplateWords* words);

/* One line with its words replaced, in the arena. */
const char* zw_template_line(ZwArena* arena, const char* line, const ZwTemplateWords* words);

#endif
