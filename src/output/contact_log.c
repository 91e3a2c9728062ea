#include "output/contact_log.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"

/* Logs of earlier versions end with `lost`; they are read too. */
enum { COLUMNS = 9, COLUMNS_EARLIER = 7, TEXTS_BEGIN = 1, TEXTS = 2, NAMES_FIRST = 64 };

static const char* const columns[COLUMNS] = {"t",         "contact", "what",  "impulse",  "friction",
                                             "friction2", "lost",    "theta", "wall work"};

/* The order is that of ZwContactWhat; the last one is no event. */
static const char* const words[] = {"open", "closed", "sticks", "slips", "hit", "end"};
enum { WHAT_END = ZW_CONTACT_HIT + 1 };

const char* zw_contact_what_text(ZwContactWhat what) {
  return words[what];
}

/* ---- writing ---- */

/* Room for every name, and for every word. */
static int32_t longest_text(const char* const* names, int32_t count) {
  size_t longest = strlen("closed");
  for (int32_t i = 0; i < count; i++) longest = strlen(names[i]) > longest ? strlen(names[i]) : longest;
  return (int32_t)longest;
}

static ZwCsvColumns columns_for(const char* const* names, int32_t count) {
  return (ZwCsvColumns){columns, COLUMNS - TEXTS, TEXTS, longest_text(names, count), NULL};
}

ZwStatus zw_contact_log_open(ZwContactLog* log, const ZwAllocator* allocator, const char* path,
                             const char* const* names, int32_t count, const char** why) {
  ZwCsvColumns all = columns_for(names, count);
  *log = (ZwContactLog){.names = names};
  return zw_csv_open_fields(&log->csv, allocator, path, &all, why);
}

ZwStatus zw_contact_log_reopen(ZwContactLog* log, const ZwAllocator* allocator, const char* path,
                               const char* const* names, int32_t count, int64_t rows, int64_t size, const char** why) {
  ZwCsvColumns all = columns_for(names, count);
  *log = (ZwContactLog){.names = names, .rows = rows};
  return zw_csv_reopen_fields(&log->csv, allocator, path, &all, size, why);
}

static ZwStatus add_line(ZwContactLog* log, const ZwContactEvent* event, const char* name, const char* what) {
  const ZwCsvField fields[COLUMNS] = {{.number = event->t},
                                      {.text = name},
                                      {.text = what},
                                      {.number = event->impulse},
                                      {.number = event->friction[0]},
                                      {.number = event->friction[1]},
                                      {.number = event->lost},
                                      {.number = event->theta},
                                      {.number = event->wall_work}};
  return zw_csv_row_fields(&log->csv, fields);
}

ZwStatus zw_contact_log_add(ZwContactLog* log, const ZwContactEvent* event) {
  log->rows++;
  return add_line(log, event, log->names[event->contact], words[event->what]);
}

ZwStatus zw_contact_log_end(ZwContactLog* log, double t) {
  return add_line(log, &(ZwContactEvent){.t = t}, "", words[WHAT_END]);
}

/* ---- names ---- */

/* Numbers by name: slots are numbers + 1, 0 is a free one; at least half of them are free. */
struct ZwContactNames {
  ZwArena arena;
  ZW_ARRAY(const char*) list;
  int32_t* slots;
  int32_t slot_count;
};

static int32_t* find_slot(const ZwContactNames* names, ZwStr name) {
  uint32_t mask = (uint32_t)names->slot_count - 1, at = (uint32_t)zw_str_hash(name) & mask;
  while (names->slots[at] && !zw_str_equal(zw_str_from(names->list.items[names->slots[at] - 1]), name)) {
    at = (at + 1) & mask;
  }
  return &names->slots[at];
}

static bool make_slots(ZwContactNames* names) {
  if (names->slots && 2 * (names->list.count + 1) <= names->slot_count) return true;
  names->slot_count = names->slot_count ? 2 * names->slot_count : NAMES_FIRST;
  names->slots = ZW_NEW(&names->arena, names->slot_count, int32_t);
  if (!names->slots) return false;
  for (int32_t i = 0; i < names->list.count; i++) *find_slot(names, zw_str_from(names->list.items[i])) = i + 1;
  return true;
}

/* The number of a name, a new one if it is not there yet; -1 when memory is out. */
static int32_t number_of(ZwContactNames* names, const char* name) {
  if (!make_slots(names)) return -1;
  int32_t* slot = find_slot(names, zw_str_from(name));
  if (!*slot) {
    const char* copy = zw_str_copy(&names->arena, zw_str_from(name));
    if (!copy || !ZW_PUSH(&names->arena, &names->list, copy)) return -1;
    *slot = names->list.count;
  }
  return *slot - 1;
}

static ZwContactNames* create_names(const ZwAllocator* allocator) {
  ZwContactNames* names = zw_alloc(allocator, sizeof *names);
  if (!names) return NULL;
  zw_arena_init(&names->arena, allocator);
  return names;
}

static void free_names(ZwContactNames* names) {
  if (!names) return;
  ZwAllocator allocator = names->arena.allocator;
  zw_arena_destroy(&names->arena);
  zw_release(&allocator, names);
}

/* ---- reading ---- */

bool zw_contact_log_is(const char* const* names, int32_t count) {
  bool is_log = count == COLUMNS || count == COLUMNS_EARLIER;
  for (int32_t i = 0; is_log && i < count; i++) is_log = strcmp(names[i], columns[i]) == 0;
  return is_log;
}

static ZwStatus fail(ZwContactReader* reader, ZwStatus status, const char* text) {
  zw_snprintf(reader->csv.error, sizeof reader->csv.error, "%s", text);
  return status;
}

static ZwStatus open_reader(ZwContactReader* reader, const ZwAllocator* allocator, const char* path,
                            const char* const* names, int32_t count) {
  ZW_TRY(zw_csv_reader_open(&reader->csv, allocator, path));
  if (!zw_contact_log_is(reader->csv.names, reader->csv.count)) {
    return fail(reader, ZW_ERR_VALUE, "these are not the columns of a log of contacts");
  }
  ZW_TRY(zw_csv_reader_texts(&reader->csv, TEXTS_BEGIN, TEXTS));
  reader->names = create_names(allocator);
  for (int32_t i = 0; reader->names && i < count; i++) {
    if (number_of(reader->names, names[i]) < 0) return fail(reader, ZW_ERR_MEMORY, "out of memory");
  }
  reader->count = count;
  return reader->names ? ZW_OK : fail(reader, ZW_ERR_MEMORY, "out of memory");
}

ZwStatus zw_contact_reader_open(ZwContactReader* reader, const ZwAllocator* allocator, const char* path,
                                const char* const* names, int32_t count) {
  *reader = (ZwContactReader){.end = NAN};
  ZwStatus status = open_reader(reader, allocator, path, names, count);
  if (status) zw_contact_reader_close(reader);
  return status;
}

static int what_of(const char* word) {
  for (int i = 0; i <= WHAT_END; i++) {
    if (strcmp(words[i], word) == 0) return i;
  }
  return -1;
}

static ZwStatus take_event(ZwContactReader* reader, ZwContactWhat what) {
  const double* values = reader->csv.values;
  bool has_all = reader->csv.count == COLUMNS;
  int32_t contact = number_of(reader->names, reader->csv.texts[0]);
  if (contact < 0) return fail(reader, ZW_ERR_MEMORY, "out of memory");
  reader->count = reader->names->list.count;
  reader->event = (ZwContactEvent){.t = values[0],
                                   .contact = contact,
                                   .what = what,
                                   .impulse = values[3],
                                   .friction = {values[4], values[5]},
                                   .lost = values[6],
                                   .theta = has_all ? values[7] : 0,
                                   .wall_work = has_all ? values[8] : 0};
  reader->rows++;
  return ZW_OK;
}

/* The line of the end is the last one. */
static ZwStatus take_end(ZwContactReader* reader, bool* has_event) {
  reader->end = reader->csv.values[0];
  ZW_TRY(zw_csv_reader_next(&reader->csv, has_event));
  if (*has_event) return fail(reader, ZW_ERR_VALUE, "this is behind the end of the run");
  return ZW_OK;
}

static ZwStatus unknown_word(ZwContactReader* reader, const char* word) {
  char text[ZW_DRAFT_ERROR], begin[40];
  zw_snprintf(begin, sizeof begin, "%s", word);
  zw_str_end_whole(begin);
  zw_snprintf(text, sizeof text, "open, closed, sticks, slips, hit or end expected, not '%s'", begin);
  return fail(reader, ZW_ERR_VALUE, text);
}

ZwStatus zw_contact_reader_next(ZwContactReader* reader, bool* has_event) {
  ZW_TRY(zw_csv_reader_next(&reader->csv, has_event));
  if (!*has_event) return ZW_OK;
  double t = reader->csv.values[0];
  int what = what_of(reader->csv.texts[1]);
  if (!isfinite(t)) return fail(reader, ZW_ERR_VALUE, "this time is no finite number");
  if (reader->rows > 0 && t < reader->event.t) {
    return fail(reader, ZW_ERR_VALUE, "this time is before that of the line above");
  }
  if (what < 0) return unknown_word(reader, reader->csv.texts[1]);
  return what == WHAT_END ? take_end(reader, has_event) : take_event(reader, (ZwContactWhat)what);
}

const char* zw_contact_reader_name(const ZwContactReader* reader, int32_t i) {
  return reader->names->list.items[i];
}

void zw_contact_reader_close(ZwContactReader* reader) {
  free_names(reader->names);
  reader->names = NULL;
  zw_csv_reader_close(&reader->csv);
}
