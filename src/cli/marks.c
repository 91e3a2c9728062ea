/* A mark of ours in what other programs make for us, at the end of the file, where its format has room for notes: a text of a PNG, a comment
 * of a GIF, a free box of an MP4. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

typedef struct Bytes {
  const char* data;
  int32_t size;
} Bytes;

#define BYTES(text) \
  { text, sizeof(text) - 1 }

typedef struct Form {
  int32_t begin_at;
  Bytes begin; /* of every such file, at that byte */
  Bytes mark;  /* stands before */
  Bytes end;   /* what every such file ends with */
} Form;

static const Form forms[] = {
    {0, BYTES("\x89PNG\r\n\x1a\n"),
     BYTES("\0\0\0\x0e"
           "tEXtSoftware\0zwang\x8c\x65\x69\x0c"),
     BYTES("\0\0\0\0IEND\xae\x42\x60\x82")},
    {0, BYTES("GIF89a"), BYTES("\x21\xfe\x0dmade by zwang\0"), BYTES(";")},
    {4, BYTES("ftyp"),
     BYTES("\0\0\0\x15"
           "freemade by zwang"),
     BYTES("")},
};
enum { FORMS = sizeof forms / sizeof *forms, LONGEST = 64 };

/* Whether these bytes are there; a place below 0 has none. */
static bool has_bytes(int fd, int64_t at, Bytes bytes) {
  char there[LONGEST];
  return at >= 0 && pread(fd, there, (size_t)bytes.size, (off_t)at) == bytes.size &&
         memcmp(there, bytes.data, (size_t)bytes.size) == 0;
}

static int64_t size_of(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 ? (int64_t)info.st_size : 0;
}

static const Form* find_form(int fd) {
  for (int i = 0; i < FORMS; i++) {
    if (has_bytes(fd, forms[i].begin_at, forms[i].begin)) return &forms[i];
  }
  return NULL;
}

bool leave_mark(int fd) {
  const Form* form = find_form(fd);
  if (!form) return true;
  int64_t at = size_of(fd) - form->end.size;
  if (!has_bytes(fd, at, form->end)) return true;
  return pwrite(fd, form->mark.data, (size_t)form->mark.size, (off_t)at) == form->mark.size &&
         pwrite(fd, form->end.data, (size_t)form->end.size, (off_t)(at + form->mark.size)) == form->end.size;
}

bool has_mark(int fd) {
  const Form* form = find_form(fd);
  int64_t end = form ? size_of(fd) - form->end.size : 0;
  return form && has_bytes(fd, end, form->end) && has_bytes(fd, end - form->mark.size, form->mark);
}
