#include "base/sum.h"

enum { WORD = 8 };

ZwSum zw_sum_begin(void) {
  return (ZwSum){.state = 0x9E3779B97F4A7C15u};
}

/* For a given word it maps states one to one, and for a given state words: nothing that differs once becomes the same by itself. */
static uint64_t mix(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0xBF58476D1CE4E5B9u;
  return state ^ state >> 29;
}

/* Eight bytes as a number, the lowest first on every machine. */
static uint64_t read_word(const unsigned char* bytes) {
  uint64_t word = 0;
  for (int i = WORD - 1; i >= 0; i--) word = word << 8 | bytes[i];
  return word;
}

static void add_byte(ZwSum* sum, unsigned char byte) {
  unsigned place = (unsigned)(sum->size % WORD);
  sum->pending |= (uint64_t)byte << 8 * place;
  sum->size++;
  if (place < WORD - 1) return;
  sum->state = mix(sum->state, sum->pending);
  sum->pending = 0;
}

void zw_sum_add(ZwSum* sum, const void* data, size_t size) {
  const unsigned char* bytes = data;
  for (; size > 0 && sum->size % WORD; size--) add_byte(sum, *bytes++);
  for (; size >= WORD; size -= WORD, bytes += WORD) {
    sum->state = mix(sum->state, read_word(bytes));
    sum->size += WORD;
  }
  for (; size > 0; size--) add_byte(sum, *bytes++);
}

uint64_t zw_sum_get(const ZwSum* sum) {
  uint64_t state = mix(mix(sum->state, sum->pending), sum->size);
  return mix(state, 0);
}
