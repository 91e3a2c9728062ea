/* Characters of names: letters and digits of all alphabets, as Unicode's XID_Start and XID_Continue list them. */
#ifndef ZW_TEXT_LETTERS_H
#define ZW_TEXT_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Decodes one UTF-8 character; returns its bytes, 0 if it is not well formed. */
int32_t zw_utf8_decode(const char* text, int32_t size, uint32_t* character);
/* The other way: writes at most four bytes, returns how many. */
int32_t zw_utf8_encode(uint32_t character, char* text);

bool zw_is_name_start(uint32_t character);
/* May follow in a name: what may begin one, digits, accents and other marks, '_'. */
bool zw_is_name_continue(uint32_t character);

/* Bytes of the name that a text begins with, 0 if it begins with none. */
int32_t zw_name_size(const char* text, int32_t size);

#endif
