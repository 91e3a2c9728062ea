/* Writing JSON, one value after the other, into a text. Commas and colons come by themselves:
 *
 *   zw_json_begin_object(&json);
 *   zw_json_key(&json, "steps");
 *   zw_json_integer(&json, 17);
 *   zw_json_end_object(&json);            {"steps":17}
 *
 * Calls that do not fit (a value without a key in an object, an end without its begin, a second value at the top) are
 * asserted. When memory is out, the arena of the text says so.
 */
#ifndef ZW_OUTPUT_JSON_H
#define ZW_OUTPUT_JSON_H

#include "base/str.h"

enum { ZW_JSON_DEPTH = 32 }; /* objects and arrays inside each other */

typedef struct ZwJson {
  ZwText* out;
  int32_t depth;
  bool after_key;                    /* the next thing must be a value */
  bool is_object[ZW_JSON_DEPTH + 1]; /* level 0 is the top, where one value stands */
  bool has_items[ZW_JSON_DEPTH + 1];
} ZwJson;

void zw_json_init(ZwJson* json, ZwText* out);

void zw_json_begin_object(ZwJson* json);
void zw_json_end_object(ZwJson* json);
void zw_json_begin_array(ZwJson* json);
void zw_json_end_array(ZwJson* json);
/* The name of the next value of an object. */
void zw_json_key(ZwJson* json, const char* key);

/* UTF-8 is kept, bytes that are none become U+FFFD. */
void zw_json_string(ZwJson* json, const char* value);
void zw_json_str(ZwJson* json, ZwStr value);
/* Reads back as the same double. JSON has no nan and no infinity: they are written as null. */
void zw_json_number(ZwJson* json, double value);
void zw_json_integer(ZwJson* json, int64_t value);
void zw_json_bool(ZwJson* json, bool value);
void zw_json_null(ZwJson* json);

/* One whole value has been written. */
bool zw_json_is_complete(const ZwJson* json);

#endif
