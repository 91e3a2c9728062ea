/* Reads back what a picture says: a small reader of XML that fails the test at whatever is not well-formed. */
#ifndef ZW_TEST_SVG_READER_H
#define ZW_TEST_SVG_READER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SVG_ELEMENTS = 20000, SVG_DEPTH = 16, SVG_VALUE = 128 };

typedef struct SvgElement {
  char name[16];
  const char* attributes; /* up to the end of the tag */
  int attribute_size;
  const char* text; /* right behind the tag */
  int text_size;
} SvgElement;

typedef struct Svg {
  SvgElement elements[SVG_ELEMENTS];
  int count;
} Svg;

static inline bool svg_is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* Text between tags or inside of quotes: no markup, and only entities that XML knows. */
static inline const char* svg_read_text(const char* at, char end) {
  static const char* const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  for (; *at && *at != end && *at != '<'; at++) {
    if ((unsigned char)*at < 0x20 && *at != '\n') fail_msg("a control character in %.40s", at);
    if (*at != '&') continue;
    bool is_known = false;
    for (int i = 0; i < 4; i++) is_known = is_known || strncmp(at, known[i], strlen(known[i])) == 0;
    if (!is_known) fail_msg("a wrong entity: %.40s", at);
  }
  return at;
}

static inline const char* svg_read_attributes(const char* at) {
  while (*at == ' ') {
    for (at++; svg_is_name(*at) || (*at >= '0' && *at <= '9'); at++) continue;
    if (at[0] != '=' || at[1] != '"') fail_msg("a wrong attribute: %.60s", at);
    at = svg_read_text(at + 2, '"');
    if (*at++ != '"') fail_msg("an attribute is not closed: %.60s", at);
  }
  return at;
}

static inline void svg_read(Svg* svg, const char* text) {
  char open[SVG_DEPTH][16];
  int depth = 0;
  svg->count = 0;
  const char* at = text;
  while (*at) {
    at = svg_read_text(at, 0);
    if (!*at) break;
    bool is_end = at[1] == '/';
    char name[16] = "";
    int size = 0;
    for (at += 1 + is_end; svg_is_name(*at) && size < 15; at++) name[size++] = *at;
    if (is_end) {
      if (depth == 0 || strcmp(open[depth - 1], name) != 0) fail_msg("</%s> ends nothing", name);
      if (*at++ != '>') fail_msg("a wrong end of %s", name);
      depth--;
      continue;
    }
    if (depth == 0 && svg->count > 0) fail_msg("a second element: %s", name);
    if (svg->count == SVG_ELEMENTS || depth == SVG_DEPTH) fail_msg("too many elements");
    SvgElement* element = &svg->elements[svg->count++];
    memcpy(element->name, name, sizeof name);
    element->attributes = at;
    at = svg_read_attributes(at);
    element->attribute_size = (int)(at - element->attributes);
    bool is_empty = *at == '/';
    at += is_empty;
    if (*at++ != '>') fail_msg("a wrong tag: %s %.40s", name, at);
    element->text = at;
    element->text_size = (int)(svg_read_text(at, 0) - at);
    if (!is_empty) memcpy(open[depth++], name, sizeof name);
  }
  if (depth != 0) fail_msg("%s is not closed", open[depth - 1]);
}

/* The value of an attribute; NULL: there is none. */
static inline const char* svg_attribute(const SvgElement* element, const char* name, char value[SVG_VALUE]) {
  char pattern[40];
  snprintf(pattern, sizeof pattern, " %s=\"", name);
  const char* at = strstr(element->attributes, pattern);
  if (!at || at >= element->attributes + element->attribute_size) return NULL;
  at += strlen(pattern);
  int size = (int)strcspn(at, "\"");
  snprintf(value, SVG_VALUE, "%.*s", size, at);
  return value;
}

static inline double svg_number(const SvgElement* element, const char* name) {
  char value[SVG_VALUE];
  if (!svg_attribute(element, name, value)) fail_msg("%s has no %s", element->name, name);
  return strtod(value, NULL);
}

static inline bool svg_is(const SvgElement* element, const char* name, const char* attribute, const char* want) {
  char value[SVG_VALUE];
  return strcmp(element->name, name) == 0 && svg_attribute(element, attribute, value) && strcmp(value, want) == 0;
}

/* Element number i of those that are so; NULL: there are not so many. */
static inline const SvgElement* svg_find(const Svg* svg, const char* name, const char* attribute, const char* want,
                                         int i) {
  for (int k = 0; k < svg->count; k++) {
    if (svg_is(&svg->elements[k], name, attribute, want) && i-- == 0) return &svg->elements[k];
  }
  return NULL;
}

static inline int svg_count(const Svg* svg, const char* name, const char* attribute, const char* want) {
  int count = 0;
  for (int k = 0; k < svg->count; k++) count += svg_is(&svg->elements[k], name, attribute, want);
  return count;
}

/* The text with these words, character by character. */
static inline const SvgElement* svg_text(const Svg* svg, const char* words) {
  for (int k = 0; k < svg->count; k++) {
    const SvgElement* element = &svg->elements[k];
    if (strcmp(element->name, "text") == 0 && element->text_size == (int)strlen(words) &&
        strncmp(element->text, words, strlen(words)) == 0) {
      return element;
    }
  }
  return NULL;
}

/* The points of a path of M and l, in px: calls back for each. */
typedef void (*SvgPointFn)(void* context, double x, double y, bool begins);

static inline void svg_points(const SvgElement* path, SvgPointFn take, void* context) {
  const char* at = strstr(path->attributes, " d=\"") + 4;
  double x = 0, y = 0;
  while (*at != '"') {
    char* end;
    bool begins = *at == 'M';
    if (*at == 'M' || *at == 'l') at++;
    double a = strtod(at, &end);
    if (end == at) fail_msg("no path of lines: %.40s", at);
    at = end;
    if (*at == 'h') fail_msg("no path of lines: %.40s", at);
    double b = strtod(at, &end);
    at = end;
    x = begins ? a : x + a;
    y = begins ? b : y + b;
    take(context, x, y, begins);
    if (*at == 'h') break; /* a dot */
  }
}

typedef struct SvgBox {
  double left, right, top, bottom;
  int count, pieces;
} SvgBox;

static inline void svg_widen(void* context, double x, double y, bool begins) {
  SvgBox* box = context;
  if (box->count++ == 0) box->left = box->right = x, box->top = box->bottom = y;
  box->left = x < box->left ? x : box->left;
  box->right = x > box->right ? x : box->right;
  box->top = y < box->top ? y : box->top;
  box->bottom = y > box->bottom ? y : box->bottom;
  box->pieces += begins;
}

static inline SvgBox svg_box(const SvgElement* path) {
  SvgBox box = {0};
  svg_points(path, svg_widen, &box);
  return box;
}

#endif
