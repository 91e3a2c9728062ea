/* The picture of contacts over time: a lane for each, with a bar while it is closed and a tick for each impact. */
#ifndef ZW_OUTPUT_CONTACT_PICTURE_H
#define ZW_OUTPUT_CONTACT_PICTURE_H

#include "base/status.h"
#include "base/str.h"
#include "output/draft.h"
#include "output/lanes.h"
#include "output/theme.h"

/* Only data; nothing of it is kept. */
typedef struct ZwContactPicture {
  const char* title; /* the model's name; NULL or "": none */
  const ZwLanes* lanes;
  const char* const* names; /* of all contacts, by number */
  double from, to;          /* time */
  const char* footnote;     /* NULL or "": none */
  ZwTheme theme;
} ZwContactPicture;

/* The picture as SVG, added to a text. When memory is out, the arena of the text says so. */
void zw_contact_picture_text(ZwText* out, const ZwContactPicture* picture);
/* Writes it to a file; as zw_svg_plot. */
ZwStatus zw_contact_picture_write(const ZwContactPicture* picture, const ZwAllocator* allocator, const char* path,
                                  char* error);

#endif
