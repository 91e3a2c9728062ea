#include "output/xml.h"

#include <string.h>

#include "base/assert.h"
#include "base/utf8.h"

static void add(ZwText* out, const char* text) {
  zw_text_add(out, text, (ptrdiff_t)strlen(text));
}

static bool is_allowed(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n';
  return code != 0x7F && code != ZW_UTF8_DAMAGED && code != 0xFFFE && code != 0xFFFF;
}

void zw_xml_add(ZwText* out, ZwStr text) {
  for (int32_t i = 0; i < text.size;) {
    uint32_t code;
    int32_t size = zw_utf8_next(text.data + i, text.size - i, &code);
    switch (code) {
      case '&':
        add(out, "&amp;");
        break;
      case '<':
        add(out, "&lt;");
        break;
      case '>':
        add(out, "&gt;");
        break;
      case '"':
        add(out, "&quot;");
        break;
      default:
        if (is_allowed(code)) {
          zw_text_add(out, text.data + i, size);
        } else {
          add(out, "\xEF\xBF\xBD");
        }
    }
    i += size;
  }
}

/* Bytes of the first `count` characters. */
static int32_t bytes_of(ZwStr text, int32_t count) {
  int32_t i = 0;
  for (; count > 0 && i < text.size; count--) {
    uint32_t code;
    i += zw_utf8_next(text.data + i, text.size - i, &code);
  }
  return i;
}

void zw_xml_add_clipped(ZwText* out, ZwStr text, int32_t most) {
  ZW_ASSERT(most >= 3);
  int32_t count = zw_utf8_count(text.data, text.size);
  if (count <= most) {
    zw_xml_add(out, text);
    return;
  }
  int32_t head = (most - 1) / 2, tail = most - 1 - head;
  int32_t cut = bytes_of(text, head), resume = bytes_of(text, count - tail);
  zw_xml_add(out, (ZwStr){text.data, cut});
  add(out, "\xE2\x80\xA6");
  zw_xml_add(out, (ZwStr){text.data + resume, text.size - resume});
}
