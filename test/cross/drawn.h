/* Models written by a test: numbers drawn at random, texts built from them. */
#ifndef ZW_TEST_DRAWN_H
#define ZW_TEST_DRAWN_H

#include <stdarg.h>
#include <stdio.h>

#include "numbers.h"
#include "sample.h"

/* How many to draw: all with ZW_LONG set, a fixed sample otherwise, a quarter of it with sanitizers. */
static inline int draws(int usual, int all) {
  return sample((usual + 3) / 4, usual, all);
}

static inline double between(Random* random, double low, double high) {
  return low + (high - low) * 0.5 * (1 + random_number(random));
}

/* Evenly in the exponent. */
static inline double drawn_tolerance(Random* random, double low, double high) {
  return pow(10, between(random, low, high));
}

/* A text being written. */
typedef struct Text {
  char data[8000];
  size_t size;
} Text;

static inline void write_text(Text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
static inline void write_text(Text* text, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int size = vsnprintf(text->data + text->size, sizeof text->data - text->size, format, args);
  va_end(args);
  assert_true(size >= 0 && text->size + (size_t)size < sizeof text->data);
  text->size += (size_t)size;
}

static inline void write_array(Text* text, const char* name, int low, int high, const double* values) {
  write_text(text, "param %s[%d..%d] = [", name, low, high);
  for (int i = low; i <= high; i++) write_text(text, "%s%.17g", i > low ? ", " : "", values[i]);
  write_text(text, "]\n");
}

#endif
