#include "output/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/utf8.h"

static void add(ZwJson* json, const char* text) {
  zw_text_add(json->out, text, (ptrdiff_t)strlen(text));
}

static void add_escaped(ZwJson* json, const char* data, int32_t size, uint32_t code) {
  switch (code) {
    case '"':
      add(json, "\\\"");
      return;
    case '\\':
      add(json, "\\\\");
      return;
    case '\n':
      add(json, "\\n");
      return;
    case '\r':
      add(json, "\\r");
      return;
    case '\t':
      add(json, "\\t");
      return;
    case ZW_UTF8_DAMAGED:
      add(json, "\xEF\xBF\xBD");
      return;
    default:
      break;
  }
  if (code < 0x20) {
    zw_text_addf(json->out, "\\u%04x", (unsigned)code);
  } else {
    zw_text_add(json->out, data, size);
  }
}

static void add_quoted(ZwJson* json, ZwStr value) {
  add(json, "\"");
  for (int32_t i = 0; i < value.size;) {
    uint32_t code;
    int32_t size = zw_utf8_next(value.data + i, value.size - i, &code);
    add_escaped(json, value.data + i, size, code);
    i += size;
  }
  add(json, "\"");
}

static void separate(ZwJson* json) {
  if (json->has_items[json->depth]) add(json, ",");
  json->has_items[json->depth] = true;
}

/* Before every value: the comma, unless a key has already brought it. */
static void begin_value(ZwJson* json) {
  ZW_ASSERT(json->after_key == json->is_object[json->depth]);
  ZW_ASSERT(json->depth > 0 || !json->has_items[0]);
  if (!json->after_key) separate(json);
  json->after_key = false;
}

static void begin_level(ZwJson* json, bool is_object) {
  begin_value(json);
  ZW_ASSERT(json->depth < ZW_JSON_DEPTH);
  json->depth++;
  json->is_object[json->depth] = is_object;
  json->has_items[json->depth] = false;
  add(json, is_object ? "{" : "[");
}

static void end_level(ZwJson* json, bool is_object) {
  ZW_ASSERT(json->depth > 0 && json->is_object[json->depth] == is_object && !json->after_key);
  json->depth--;
  add(json, is_object ? "}" : "]");
}

void zw_json_init(ZwJson* json, ZwText* out) {
  *json = (ZwJson){.out = out};
}

void zw_json_begin_object(ZwJson* json) {
  begin_level(json, true);
}

void zw_json_end_object(ZwJson* json) {
  end_level(json, true);
}

void zw_json_begin_array(ZwJson* json) {
  begin_level(json, false);
}

void zw_json_end_array(ZwJson* json) {
  end_level(json, false);
}

void zw_json_key(ZwJson* json, const char* key) {
  ZW_ASSERT(json->is_object[json->depth] && !json->after_key);
  separate(json);
  add_quoted(json, zw_str_from(key));
  add(json, ":");
  json->after_key = true;
}

void zw_json_string(ZwJson* json, const char* value) {
  zw_json_str(json, zw_str_from(value));
}

void zw_json_str(ZwJson* json, ZwStr value) {
  begin_value(json);
  add_quoted(json, value);
}

void zw_json_number(ZwJson* json, double value) {
  begin_value(json);
  if (isfinite(value)) {
    zw_text_add_number(json->out, value);
  } else {
    add(json, "null");
  }
}

void zw_json_integer(ZwJson* json, int64_t value) {
  begin_value(json);
  zw_text_addf(json->out, "%" PRId64, value);
}

void zw_json_bool(ZwJson* json, bool value) {
  begin_value(json);
  add(json, value ? "true" : "false");
}

void zw_json_null(ZwJson* json) {
  begin_value(json);
  add(json, "null");
}

bool zw_json_is_complete(const ZwJson* json) {
  return json->depth == 0 && json->has_items[0];
}
