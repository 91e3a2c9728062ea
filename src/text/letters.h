/* Which characters beyond ASCII may stand in names. */
#ifndef ZW_TEXT_LETTERS_H
#define ZW_TEXT_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Decodes one UTF-8 character; returns its bytes, 0 if it is not well formed. */
int32_t zw_utf8_decode(const char* text, int32_t size, uint32_t* character);
/* The other way: writes at most four bytes, returns how many. */
int32_t zw_utf8_encode(uint32_t character, char* text);

/* A letter of an alphabet that people name quantities with: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic,
 * Devanagari, kana, Han, Hangul. */
bool zw_is_letter(uint32_t character);
/* An accent written as a character of its own behind the letter. Names hold the composed character instead. */
bool zw_is_combining(uint32_t character);

#endif
