/* zwang plot, of a table: the log of contacts that lies beside it tells when they are closed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/contact_log.h"

/* ball.csv, ball.h5 -> ball.contacts.csv; ball.csv.part -> ball.contacts.csv.part. NULL also if there is no such file. */
static char* find_log(const char* result) {
  static const char* const endings[][2] = {
      {".csv.part", ".contacts.csv.part"}, {".csv", ".contacts.csv"}, {".h5", ".contacts.csv"}};
  size_t size = strlen(result);
  for (int i = 0; i < 3; i++) {
    size_t end = strlen(endings[i][0]);
    if (size <= end || strcmp(result + size - end, endings[i][0]) != 0) continue;
    char* path = calloc(size + 32, 1);
    if (path) snprintf(path, size + 32, "%.*s%s", (int)(size - end), result, endings[i][1]);
    if (path && access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
  }
  return NULL;
}

static bool copy_names(StoredContacts* contacts, const ZwContactReader* reader) {
  size_t size = 1;
  for (int32_t i = 0; i < reader->count; i++) size += strlen(zw_contact_reader_name(reader, i)) + 1;
  contacts->names = calloc((size_t)reader->count + 1, sizeof *contacts->names);
  contacts->text = calloc(size, 1);
  if (!contacts->names || !contacts->text) return false;
  char* at = contacts->text;
  for (; contacts->count < reader->count; contacts->count++) {
    const char* name = zw_contact_reader_name(reader, contacts->count);
    memcpy(at, name, strlen(name) + 1);
    contacts->names[contacts->count] = at;
    at += strlen(name) + 1;
  }
  return true;
}

static ZwStatus read_events(StoredContacts* contacts, ZwContactReader* reader) {
  for (bool has_event;;) {
    ZW_TRY(zw_contact_reader_next(reader, &has_event));
    if (!has_event) return ZW_OK;
    ZW_TRY(zw_lanes_add(&contacts->lanes, &reader->event));
  }
}

bool stored_contacts_read(StoredContacts* contacts, const char* result, double to) {
  ZwAllocator allocator = zw_allocator_default();
  *contacts = (StoredContacts){.lanes = {.allocator = allocator}};
  char* path = find_log(result);
  if (!path) return true;
  ZwContactReader reader;
  ZwStatus status = zw_contact_reader_open(&reader, &allocator, path, NULL, 0);
  if (!status) status = read_events(contacts, &reader);
  /* a log that ends at another time is of another run */
  bool fits = !status && (reader.csv.is_part || reader.end == to);
  if (fits && !copy_names(contacts, &reader)) status = ZW_ERR_MEMORY;
  if (!fits || status) stored_contacts_free(contacts);
  zw_contact_reader_close(&reader);
  free(path);
  return status != ZW_ERR_MEMORY;
}

void stored_contacts_free(StoredContacts* contacts) {
  zw_lanes_free(&contacts->lanes);
  free(contacts->names);
  free(contacts->text);
  *contacts = (StoredContacts){.lanes = {.allocator = contacts->lanes.allocator}};
}
