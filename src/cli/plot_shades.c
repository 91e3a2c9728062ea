/* zwang plot: when contacts are closed is told by the HDF5 file itself, or by the log of contacts that lies beside a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/contact_log.h"

/* ball.csv -> ball.contacts.csv; ball.csv.part -> ball.contacts.csv.part. NULL also if there is no such file. */
static char* find_log(const char* result) {
  static const char* const endings[][2] = {{".csv.part", ".contacts.csv.part"}, {".csv", ".contacts.csv"}};
  size_t size = strlen(result);
  for (int i = 0; i < 2; i++) {
    size_t end = strlen(endings[i][0]);
    if (size <= end || strcmp(result + size - end, endings[i][0]) != 0) continue;
    char* path = calloc(size + 32, 1);
    if (path) zw_snprintf(path, size + 32, "%.*s%s", (int)(size - end), result, endings[i][1]);
    if (path && access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
  }
  return NULL;
}

typedef const char* (*NameFn)(const void* source, int32_t i);

static const char* name_of_log(const void* source, int32_t i) {
  return zw_contact_reader_name(source, i);
}

static const char* name_of_file(const void* source, int32_t i) {
  return ((const ZwHdf5Contacts*)source)->names[i];
}

static bool copy_names(StoredContacts* contacts, NameFn name_of, const void* source, int32_t count) {
  size_t size = 1;
  for (int32_t i = 0; i < count; i++) size += strlen(name_of(source, i)) + 1;
  contacts->names = calloc((size_t)count + 1, sizeof *contacts->names);
  contacts->text = calloc(size, 1);
  if (!contacts->names || !contacts->text) return false;
  char* at = contacts->text;
  for (; contacts->count < count; contacts->count++) {
    const char* name = name_of(source, contacts->count);
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

/* A log that ends at another time is of another run, and says nothing. */
static bool read_log(StoredContacts* contacts, const char* path, double to) {
  ZwAllocator allocator = zw_allocator_default();
  ZwContactReader reader;
  ZwStatus status = zw_contact_reader_open(&reader, &allocator, path, NULL, 0);
  if (!status) status = read_events(contacts, &reader);
  bool fits = !status && (reader.csv.is_part || reader.end == to);
  if (fits && !copy_names(contacts, name_of_log, &reader, reader.count)) status = ZW_ERR_MEMORY;
  if (!fits || status) stored_contacts_free(contacts);
  zw_contact_reader_close(&reader);
  return status != ZW_ERR_MEMORY;
}

static bool take_file(StoredContacts* contacts, const ZwHdf5Contacts* file) {
  for (int64_t i = 0; i < file->count; i++) {
    ZwContactEvent event = {.t = file->t[i],
                            .contact = (int32_t)file->contact[i],
                            .what = (ZwContactWhat)file->what[i],
                            .impulse = file->impulse[i]};
    if (zw_lanes_add(&contacts->lanes, &event)) return false;
  }
  return copy_names(contacts, name_of_file, file, file->name_count);
}

ZwStatus stored_contacts_read(StoredContacts* contacts, ZwStored* stored, const char* result, double to) {
  ZwHdf5Contacts file;
  *contacts = (StoredContacts){.lanes = {.allocator = zw_allocator_default()}};
  ZW_TRY(zw_stored_contacts(stored, &file));
  if (file.count > 0) return take_file(contacts, &file) ? ZW_OK : ZW_ERR_MEMORY;
  char* log = find_log(result);
  bool is_fine = !log || read_log(contacts, log, to);
  free(log);
  return is_fine ? ZW_OK : ZW_ERR_MEMORY;
}

void stored_contacts_free(StoredContacts* contacts) {
  zw_lanes_free(&contacts->lanes);
  free(contacts->names);
  free(contacts->text);
  *contacts = (StoredContacts){.lanes = {.allocator = contacts->lanes.allocator}};
}
