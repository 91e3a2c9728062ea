#include "base/print.h"

#include <string.h>

#include "base/assert.h"
#include "base/number.h"
#include "base/utf8.h"

/* What has been written so far. When `out` is full it is sent to the stream; without one, what does not fit is counted. */
typedef struct Sink {
  char* out;
  size_t room, size;
  FILE* stream; /* NULL: none; otherwise people read it */
} Sink;

/* %[flags][width][.precision][length]kind */
typedef struct Spec {
  bool is_left, has_plus, has_zeros, has_mark;
  int width, precision; /* precision -1: none */
  char length;          /* 0, 'h', 'H' for hh, 'l', 'L' for ll, 'z', 't', 'j' */
  char kind;
} Spec;

static void send(Sink* sink) {
  (void)fwrite(sink->out, 1, sink->size, sink->stream); /* a failure stays in the stream */
  sink->size = 0;
}

static void add(Sink* sink, const char* data, size_t size) {
  while (sink->stream && size > sink->room - sink->size) {
    size_t fits = sink->room - sink->size;
    memcpy(sink->out + sink->size, data, fits);
    sink->size += fits;
    data += fits;
    size -= fits;
    send(sink);
  }
  if (sink->size < sink->room) {
    size_t fits = sink->room - sink->size < size ? sink->room - sink->size : size;
    memcpy(sink->out + sink->size, data, fits);
  }
  sink->size += size;
}

static void fill(Sink* sink, char with, int count) {
  for (; count > 0; count--) add(sink, &with, 1);
}

/* ---- texts ---- */

static bool is_between(uint32_t c, uint32_t first, uint32_t last) {
  return c >= first && c <= last;
}

bool zw_is_hidden(uint32_t c) {
  if (c < 0x20 || is_between(c, 0x7F, 0x9F)) return true;
  if (c < 0xAD || is_between(c, 0xAE, 0x34E)) return false;
  return c == 0xAD || c == 0x34F || c == 0x61C || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5 ||
         is_between(c, 0x180B, 0x180F) || is_between(c, 0x200B, 0x200F) || is_between(c, 0x2028, 0x202E) ||
         is_between(c, 0x2060, 0x206F) || c == 0x3164 || is_between(c, 0xFE00, 0xFE0F) || c == 0xFEFF || c == 0xFFA0 ||
         is_between(c, 0xFFF0, 0xFFFB) || is_between(c, 0x1D173, 0x1D17A) || is_between(c, 0xE0000, 0xE0FFF);
}

static int put_escape(char* out, char letter, uint32_t value) {
  static const char digits[] = "0123456789ABCDEF";
  int size = 0, shift = 20;
  out[size++] = '\\';
  out[size++] = letter;
  out[size++] = '{';
  while (shift > 4 && value >> shift == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) out[size++] = digits[value >> shift & 15];
  out[size++] = '}';
  return size;
}

int zw_shown(const char* text, ptrdiff_t size, char* out, int* taken) {
  uint32_t c;
  unsigned char first = (unsigned char)text[0];
  *taken = (int)zw_utf8_next(text, size, &c);
  if (*taken == 1 && first >= 0x80) return put_escape(out, 'x', first);
  if (zw_is_hidden(c)) return put_escape(out, 'u', c);
  memcpy(out, text, (size_t)*taken);
  return *taken;
}

static void add_shown(Sink* sink, const char* text, size_t size) {
  int taken;
  for (size_t at = 0; at < size; at += (size_t)taken) {
    char shown[ZW_SHOWN_MOST];
    int wide = zw_shown(text + at, (ptrdiff_t)(size - at), shown, &taken);
    add(sink, shown, (size_t)wide);
  }
}

static bool is_plain(const char* text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7F) return false;
  }
  return true;
}

static void add_string(Sink* sink, const Spec* spec, const char* text) {
  if (!text) text = "(null)";
  size_t size = 0;
  while ((spec->precision < 0 || size < (size_t)spec->precision) && text[size]) size++;
  int padding = size < (size_t)spec->width ? spec->width - (int)size : 0;
  if (!spec->is_left) fill(sink, ' ', padding);
  if (sink->stream && !is_plain(text, size))
    add_shown(sink, text, size);
  else
    add(sink, text, size);
  if (spec->is_left) fill(sink, ' ', padding);
}

/* ---- numbers ---- */

/* `text` may begin with a sign; zeros come after it. */
static void add_padded(Sink* sink, const Spec* spec, const char* text, int size, bool takes_zeros) {
  int padding = spec->width > size ? spec->width - size : 0;
  bool has_zeros = takes_zeros && spec->has_zeros && !spec->is_left;
  int sign = has_zeros && (text[0] == '-' || text[0] == '+');
  if (!spec->is_left && !has_zeros) fill(sink, ' ', padding);
  add(sink, text, (size_t)sign);
  if (has_zeros) fill(sink, '0', padding);
  add(sink, text + sign, (size_t)(size - sign));
  if (spec->is_left) fill(sink, ' ', padding);
}

static void add_whole(Sink* sink, const Spec* spec, uint64_t size, bool is_negative) {
  char text[24];
  int at = (int)sizeof text;
  unsigned base = spec->kind == 'x' || spec->kind == 'X' ? 16 : 10;
  const char* digits = spec->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  do text[--at] = digits[size % base];
  while (size /= base);
  if (is_negative || spec->has_plus) text[--at] = is_negative ? '-' : '+';
  add_padded(sink, spec, text + at, (int)sizeof text - at, true);
}

static void add_number(Sink* sink, const Spec* spec, double value) {
  char text[ZW_NUMBER_ROOM + 1];
  int precision = spec->precision < 0 ? 6 : spec->precision;
  if (precision > ZW_NUMBER_DECIMALS) precision = ZW_NUMBER_DECIMALS;
  text[0] = '+';
  int size = (int)zw_number_print(value, spec->kind, precision, spec->has_mark, text + 1);
  bool has_plus = spec->has_plus && text[1] != '-' && value == value;
  bool is_finite = value - value == 0;
  add_padded(sink, spec, text + !has_plus, size + has_plus, is_finite);
}

/* ---- formats ---- */

static const char* read_flags(const char* at, Spec* spec) {
  for (;; at++) {
    if (*at == '-')
      spec->is_left = true;
    else if (*at == '+')
      spec->has_plus = true;
    else if (*at == '0')
      spec->has_zeros = true;
    else if (*at == '#')
      spec->has_mark = true;
    else
      return at;
  }
}

static const char* read_digits(const char* at, int* value) {
  enum { MOST = 100000 };
  for (*value = 0; *at >= '0' && *at <= '9'; at++) {
    if (*value < MOST) *value = 10 * *value + (*at - '0');
  }
  return at;
}

static const char* read_length(const char* at, char* length) {
  *length = 0;
  while (*at && strchr("hlztj", *at)) {
    *length = *length == 'h' ? 'H' : *length == 'l' ? 'L' : *at;
    at++;
  }
  return at;
}

/* va_list is handed on by its address: the caller goes on where this ends. */
typedef struct Args {
  va_list list;
} Args;

static int64_t next_signed(Args* args, char length) {
  switch (length) {
    case 'l':
      return va_arg(args->list, long);
    case 'L':
      return va_arg(args->list, long long);
    case 'z':
    case 't':
      return va_arg(args->list, ptrdiff_t);
    case 'j':
      return va_arg(args->list, intmax_t);
    default:
      return va_arg(args->list, int);
  }
}

static uint64_t next_unsigned(Args* args, char length) {
  switch (length) {
    case 'l':
      return va_arg(args->list, unsigned long);
    case 'L':
      return va_arg(args->list, unsigned long long);
    case 'z':
    case 't':
      return va_arg(args->list, size_t);
    case 'j':
      return va_arg(args->list, uintmax_t);
    default:
      return va_arg(args->list, unsigned);
  }
}

static const char* read_spec(const char* at, Spec* spec, Args* args) {
  *spec = (Spec){.precision = -1};
  at = read_flags(at, spec);
  if (*at == '*') {
    at++;
    spec->width = va_arg(args->list, int);
    if (spec->width < 0) {
      spec->is_left = true;
      spec->width = -spec->width;
    }
  } else {
    at = read_digits(at, &spec->width);
  }
  if (*at == '.' && at[1] == '*') {
    at += 2;
    spec->precision = va_arg(args->list, int);
  } else if (*at == '.') {
    at = read_digits(at + 1, &spec->precision);
  }
  at = read_length(at, &spec->length);
  spec->kind = *at;
  return *at ? at + 1 : at;
}

static void add_spec(Sink* sink, const Spec* spec, Args* args) {
  switch (spec->kind) {
    case 'd':
    case 'i': {
      int64_t value = next_signed(args, spec->length);
      add_whole(sink, spec, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
      break;
    }
    case 'u':
    case 'x':
    case 'X':
      add_whole(sink, spec, next_unsigned(args, spec->length), false);
      break;
    case 'c': {
      char c = (char)va_arg(args->list, int);
      add_padded(sink, spec, &c, 1, false);
      break;
    }
    case 's':
      add_string(sink, spec, va_arg(args->list, const char*));
      break;
    case 'e':
    case 'f':
    case 'g':
      add_number(sink, spec, va_arg(args->list, double));
      break;
    case '%':
      add(sink, "%", 1);
      break;
    default:
      ZW_ASSERT(false && "a format that zw_printf does not know");
  }
}

static void print(Sink* sink, const char* format, Args* args) {
  for (const char* at = format; *at;) {
    const char* percent = strchr(at, '%');
    add(sink, at, percent ? (size_t)(percent - at) : strlen(at));
    if (!percent) break;
    Spec spec;
    at = read_spec(percent + 1, &spec, args);
    add_spec(sink, &spec, args);
  }
}

int zw_vsnprintf(char* out, size_t room, const char* format, va_list list) {
  Args args;
  Sink sink = {.out = out, .room = room > 0 ? room - 1 : 0};
  va_copy(args.list, list);
  print(&sink, format, &args);
  va_end(args.list);
  if (room > 0) out[sink.size < sink.room ? sink.size : sink.room] = 0;
  return (int)sink.size;
}

int zw_snprintf(char* out, size_t room, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int size = zw_vsnprintf(out, room, format, args);
  va_end(args);
  return size;
}

static void print_to(FILE* stream, const char* format, va_list list) {
  char buffer[1024];
  Args args;
  Sink sink = {.out = buffer, .room = sizeof buffer, .stream = stream};
  va_copy(args.list, list);
  print(&sink, format, &args);
  va_end(args.list);
  send(&sink);
}

void zw_fprintf(FILE* stream, const char* format, ...) {
  va_list args;
  va_start(args, format);
  print_to(stream, format, args);
  va_end(args);
}

void zw_printf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  print_to(stdout, format, args);
  va_end(args);
}
