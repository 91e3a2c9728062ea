/* Text that is not ours: a pointer and a length. And text that grows: a buffer for messages, printers and writers. */
#ifndef ZW_BASE_STR_H
#define ZW_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/print.h"

typedef struct ZwStr {
  const char* data; /* not ended by 0 */
  int32_t size;
} ZwStr;

#define ZW_STR(literal) ((ZwStr){(literal), (int32_t)sizeof(literal) - 1})
/* For printf: printf("%.*s", ZW_STR_ARGS(s)). */
#define ZW_STR_ARGS(s) (int)(s).size, (s).data

ZwStr zw_str_from(const char* text);
bool zw_str_equal(ZwStr a, ZwStr b);
uint64_t zw_str_hash(ZwStr s);
/* A copy that ends in 0, in the arena; NULL when memory is out. */
char* zw_str_copy(ZwArena* arena, ZwStr s);
/* The same of two, one behind the other. */
char* zw_str_join(ZwArena* arena, ZwStr a, ZwStr b);
/* Removes the begin of a character whose rest was cut off, from the end of a UTF-8 text. */
void zw_str_end_whole(char* text);
/* Edit distance (insert, delete, replace, swap neighbours), or `limit + 1` as soon as it is more than `limit`. */
int32_t zw_str_distance(ZwStr a, ZwStr b, int32_t limit);

/* A growing, 0-ended text in an arena. When memory is out the text stays as it was and `arena->failed` is set. */
typedef struct ZwText {
  ZwArena* arena;
  char* data;
  int32_t size, capacity;
} ZwText;

void zw_text_init(ZwText* text, ZwArena* arena);
void zw_text_add(ZwText* text, const char* data, ptrdiff_t size);
void zw_text_addf(ZwText* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
void zw_text_addv(ZwText* text, const char* format, va_list args) __attribute__((format(printf, 2, 0)));
/* The shortest decimal that reads back as the same double; `nan`, `inf`, `-inf`. */
void zw_text_add_number(ZwText* text, double value);
/* Its text, "" if nothing was ever added. */
const char* zw_text_get(const ZwText* text);

/* printf into the arena. */
char* zw_format(ZwArena* arena, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
