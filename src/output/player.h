/* What the page of a film is made of; from the files beside this one, by cmake/embed.cmake. */
#ifndef ZW_OUTPUT_PLAYER_H
#define ZW_OUTPUT_PLAYER_H

#include "model/library.h"

/* "player", the script; "player_style"; "player_page", where the rest is put in; ended by a NULL name. */
extern const ZwLibraryText zw_player_texts[];

#endif
