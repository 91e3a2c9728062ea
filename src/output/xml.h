/* The user's texts inside XML. */
#ifndef ZW_OUTPUT_XML_H
#define ZW_OUTPUT_XML_H

#include "base/str.h"

/* The fonts of our pictures. No other program names these: our own pictures are known by them (cli/kinds.c). */
#define ZW_SVG_FONTS " font-family=\"Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif\""

/* Adds the text so that it reads as itself, as content or in a quoted attribute. What XML cannot hold (control
 * characters, damaged UTF-8) becomes U+FFFD. */
void zw_xml_add(ZwText* out, ZwStr text);
/* The same, with "…" in place of the middle of a text of more than `most` (at least 3) characters: names tend to
 * differ at their ends. */
void zw_xml_add_clipped(ZwText* out, ZwStr text, int32_t most);

#endif
