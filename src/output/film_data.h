/* A film as JSON, for the player on a page (src/output/player.js).
 *
 *   times     the times of all rows: doubles, little-endian, as base64
 *   data      all other columns, one behind the other, as base64. A number is a whole count of quanta above the base of its column;
 *             what is stored is how far it is from 2 a - b, what the two before it foretell, as 2 d if d >= 0 and -2 d - 1 if not,
 *             plus 1, seven bits to a byte, low ones first, with the eighth set in all but the last. 0: not a finite number.
 *   bases     of the columns
 *   quanta    of the columns: places are true to half a quantum, less than a fiftieth of a pixel on a large screen
 *
 * Second differences of a smooth motion are small: most numbers take one byte.
 */
#ifndef ZW_OUTPUT_FILM_DATA_H
#define ZW_OUTPUT_FILM_DATA_H

#include "output/film.h"

/* Adds the object; when memory is out, the arena of the text says so. It has no "<": it may stand in a script. */
void zw_film_data(ZwText* out, const ZwFilm* film);

#endif
