/* The table of a motion, read from a file. */
#include <string.h>

#include "cli/forces.h"

static int out_of_memory(const Options* options) {
  return complain(options, ZW_ERR_MEMORY, "out of memory");
}

static int unreadable(const Options* options, const ZwStored* stored, ZwStatus status) {
  if (status == ZW_ERR_MEMORY) return out_of_memory(options);
  ZwDiag diag = plain_error(ZW_ERR_VALUE, stored->error);
  if (stored->line > 0) {
    diag.file = options->motion;
    diag.line = (int32_t)stored->line;
    diag.column = (int32_t)stored->column;
  }
  return complain_diag(options, &diag);
}

static int32_t find_time(const ZwStored* stored) {
  for (int32_t i = 0; i < stored->count; i++) {
    if (strcmp(stored->names[i], "t") == 0) return i;
  }
  return -1;
}

typedef struct Rows {
  ZW_ARRAY(double) numbers; /* of all columns, row by row */
} Rows;

static int read_rows(const Options* options, Motion* motion, ZwStored* stored, Rows* rows) {
  for (bool has_row;;) {
    ZwStatus status = zw_stored_next(stored, &has_row);
    if (status) return unreadable(options, stored, status);
    if (!has_row) return EXIT_FINE;
    for (int32_t k = 0; k < stored->count; k++) {
      if (!ZW_PUSH(&motion->arena, &rows->numbers, stored->values[k])) return out_of_memory(options);
    }
    motion->rows++;
  }
}

/* Columns that stand together. */
static bool take_apart(Motion* motion, const ZwStored* stored, const Rows* rows, int32_t time) {
  motion->t = ZW_NEW(&motion->arena, motion->rows + 1, double);
  motion->columns = ZW_NEW(&motion->arena, stored->count + 1, ZwMotionColumn);
  if (motion->arena.failed) return false;
  for (int32_t k = 0; k < stored->count; k++) {
    double* values = k == time ? motion->t : ZW_NEW(&motion->arena, motion->rows + 1, double);
    if (!values) return false;
    for (int32_t i = 0; i < motion->rows; i++) values[i] = rows->numbers.items[(ptrdiff_t)i * stored->count + k];
    if (k == time) continue;
    const char* name = zw_str_copy(&motion->arena, zw_str_from(stored->names[k]));
    motion->columns[motion->column_count++] = (ZwMotionColumn){name, values};
  }
  return !motion->arena.failed;
}

static int read_table(const Options* options, Motion* motion, ZwStored* stored) {
  ZwAllocator allocator = zw_allocator_default();
  FILE* file = open_regular(options->motion, NULL);
  if (file) {
    remember_file(options, file);
    fclose(file);
  }
  ZwStatus status = zw_stored_open(stored, &allocator, options->motion);
  if (status) return unreadable(options, stored, status);
  int32_t time = find_time(stored);
  if (time < 0) {
    ZwDiag diag = plain_error(ZW_ERR_NAME, "the table of the motion has no column 't'");
    diag.remedy =
        "its first line names the columns, with commas between them: t, then coordinates as the model calls them";
    return complain_diag(options, &diag);
  }
  Rows rows = {0};
  int exit_code = read_rows(options, motion, stored, &rows);
  if (exit_code) return exit_code;
  return take_apart(motion, stored, &rows, time) ? EXIT_FINE : out_of_memory(options);
}

int motion_read(const Options* options, Motion* motion) {
  ZwAllocator allocator = zw_allocator_default();
  ZwStored stored = {0};
  *motion = (Motion){0};
  zw_arena_init(&motion->arena, &allocator);
  int exit_code = read_table(options, motion, &stored);
  zw_stored_close(&stored);
  return exit_code;
}

void motion_free(Motion* motion) {
  zw_arena_destroy(&motion->arena);
}

const char** split_names(ZwArena* arena, const char* list, int32_t* count) {
  const char** names = ZW_NEW(arena, strlen(list) + 2, const char*);
  int depth = 0;
  *count = 0;
  for (const char *from = list, *at = list; names; at++) {
    if (*at == '(' || *at == '[') depth++;
    if (*at == ')' || *at == ']') depth--;
    if (*at && (*at != ',' || depth > 0)) continue;
    const char* end = at;
    while (from < end && *from == ' ') from++;
    while (end > from && end[-1] == ' ') end--;
    names[(*count)++] = zw_str_copy(arena, (ZwStr){from, (int32_t)(end - from)});
    if (!*at) break;
    from = at + 1;
  }
  return arena->failed ? NULL : names;
}
