#include "export/template.h"

#include <string.h>

#include "base/assert.h"
#include "export/statements.h"

enum { DEPTH_MAX = 8 };

static ZwStr text_of(const char* part) {
  for (const ZwLibraryText* text = zw_export_texts; text->name; text++) {
    if (strcmp(text->name, part) == 0) return (ZwStr){text->text, (int32_t)text->size};
  }
  ZW_ASSERT(false && "there is no such part");
  return (ZwStr){0};
}

static bool is_set(const ZwTemplateWords* words, ZwStr name) {
  for (const ZwTemplateFlag* flag = words->flags; flag->name; flag++) {
    if (zw_str_equal(zw_str_from(flag->name), name)) return flag->is_set;
  }
  ZW_ASSERT(false && "there is no such flag");
  return false;
}

static const char* insertion(const ZwTemplateWords* words, ZwStr key) {
  for (const ZwTemplateText* text = words->texts; text->key; text++) {
    if (zw_str_equal(zw_str_from(text->key), key)) return text->text ? text->text : ""; /* memory is out */
  }
  ZW_ASSERT(false && "there is no such text");
  return "";
}

/* What stands for the word that a text begins with; its size in *size, NULL: it is none of ours. */
static const char* replacement(const ZwTemplateWords* words, ZwStr text, int32_t* size) {
  const ZwTemplateText list[] = {{"NAME", words->name}, {"GUARD", words->guard}, {"VERSION", words->version}};
  for (int i = 0; i < 3; i++) {
    *size = (int32_t)strlen(list[i].key);
    if (text.size >= *size && memcmp(text.data, list[i].key, (size_t)*size) == 0) return list[i].text;
  }
  return NULL;
}

static void add_line(ZwText* text, ZwStr line, const ZwTemplateWords* words) {
  for (int32_t at = 0; at < line.size;) {
    int32_t size = 0;
    const char* other = replacement(words, (ZwStr){line.data + at, line.size - at}, &size);
    if (other)
      zw_text_addf(text, "%s", other);
    else
      zw_text_add(text, line.data + at, size = 1);
    at += size;
  }
}

const char* zw_template_line(ZwArena* arena, const char* line, const ZwTemplateWords* words) {
  ZwText text;
  zw_text_init(&text, arena);
  add_line(&text, zw_str_from(line), words);
  return zw_text_get(&text);
}

/* Heads of functions are lines of their own that become longer with the prefix. */
static void add_whole_line(ZwText* text, ZwStr line, const ZwTemplateWords* words) {
  char first = line.data[0];
  ZwText own;
  zw_text_init(&own, text->arena);
  add_line(&own, line, words);
  while (own.size > 0 && own.data[own.size - 1] == '\n') own.data[--own.size] = 0;
  if ((first >= 'a' && first <= 'z') && own.size > 0)
    zw_c_write_head(text, zw_text_get(&own));
  else
    zw_text_addf(text, "%s\n", zw_text_get(&own));
}

/* "//@if rows" without what it begins with, or nothing. */
static bool begins(ZwStr line, const char* with, ZwStr* rest) {
  int32_t size = (int32_t)strlen(with);
  if (line.size < size || memcmp(line.data, with, (size_t)size) != 0) return false;
  *rest = (ZwStr){line.data + size, line.size - size};
  while (rest->size > 0 && rest->data[rest->size - 1] == '\n') rest->size--;
  return true;
}

void zw_template_expand(ZwText* text, const char* part, const ZwTemplateWords* words) {
  ZwStr whole = text_of(part), rest;
  bool is_on[DEPTH_MAX] = {true};
  int depth = 0;
  for (int32_t at = 0; at < whole.size;) {
    ZwStr line = {whole.data + at, 0};
    while (at < whole.size && whole.data[at] != '\n') at++;
    if (at < whole.size) at++;
    line.size = (int32_t)(whole.data + at - line.data);
    if (begins(line, "//@if ", &rest)) {
      ZW_ASSERT(depth + 1 < DEPTH_MAX);
      is_on[depth + 1] = is_on[depth] && is_set(words, rest);
      depth++;
    } else if (begins(line, "//@else", &rest)) {
      is_on[depth] = is_on[depth - 1] && !is_on[depth];
    } else if (begins(line, "//@end", &rest)) {
      depth--;
    } else if (!is_on[depth]) {
      continue;
    } else if (begins(line, "//@insert ", &rest)) {
      zw_text_addf(text, "%s", insertion(words, rest));
    } else {
      add_whole_line(text, line, words);
    }
  }
  ZW_ASSERT(depth == 0);
}
