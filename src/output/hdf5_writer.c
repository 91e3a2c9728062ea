#include "output/hdf5.h"
#include "output/hdf5_library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "output/contact_log.h"
#include "output/csv_reader.h"

#ifdef ZW_HDF5_SONAME

enum { BLOCK_BYTES = 4 * 1024 * 1024, BLOCK_ROWS = 8192 };

typedef struct Writer {
  ZwHdf5Library lib;
  const ZwHdf5Result* result;
  ZwArena arena;
  char* error;
  const char* part;
  hid_t file;
  hid_t text_type, for_datasets, for_links; /* properties */
  hid_t* columns;                           /* datasets */
  const char** paths;                       /* of them */
  double* block;                            /* columns x block_rows, one column after the other */
  int64_t block_rows;
  struct {
    ZW_ARRAY(double) t;
    ZW_ARRAY(int64_t) rows;
    ZW_ARRAY(const char*) names;
  } events;
} Writer;

static ZwStatus out_of_memory(const Writer* w) {
  zw_snprintf(w->error, ZW_DRAFT_ERROR, "out of memory");
  return ZW_ERR_MEMORY;
}

static ZwStatus fail(const Writer* w, const char* what) {
  int code = errno;
  char reason[128] = "HDF5 gave up";
  if (code) (void)strerror_r(code, reason, sizeof reason);
  zw_snprintf(w->error, ZW_DRAFT_ERROR, "cannot write \"%.300s\" (%.60s): %s", w->part, what, reason);
  return ZW_ERR_IO;
}

/* ---- places ---- */

static const char* without_slashes(Writer* w, const char* name) {
  ZwText text;
  zw_text_init(&text, &w->arena);
  for (; *name; name++) {
    if (*name == '/')
      zw_text_addf(&text, "\u2215");
    else
      zw_text_add(&text, name, 1);
  }
  return zw_text_get(&text);
}

/* The path of a place that is still free. */
static const char* free_path(Writer* w, ZwHdf5Place place) {
  const char *name = without_slashes(w, place.name), *slash = place.group[0] ? "/" : "";
  if (!name[0] || strcmp(name, ".") == 0) name = "unnamed";
  char* path = zw_format(&w->arena, "%s%s%s", place.group, slash, name);
  if (!path || !place.group[0] || w->lib.H5Lexists(w->file, place.group, H5P_DEFAULT) <= 0) return path;
  for (int i = 2; path && w->lib.H5Lexists(w->file, path, H5P_DEFAULT) > 0; i++) {
    path = zw_format(&w->arena, "%s%s%s (%d)", place.group, slash, name, i);
  }
  return path;
}

/* ---- attributes and small things ---- */

static bool put_attribute(const Writer* w, hid_t object, const char* name, hid_t type, hid_t in_memory,
                          const void* value) {
  hid_t space = w->lib.H5Screate(H5S_SCALAR);
  hid_t attribute = w->lib.H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool is_fine = attribute >= 0 && w->lib.H5Awrite(attribute, in_memory, value) >= 0;
  if (attribute >= 0) is_fine = w->lib.H5Aclose(attribute) >= 0 && is_fine;
  w->lib.H5Sclose(space);
  return is_fine;
}

static bool put_text(const Writer* w, hid_t object, const char* name, const char* text) {
  return put_attribute(w, object, name, w->text_type, w->text_type, &text);
}

static bool put_whole(const Writer* w, hid_t object, const char* name, int64_t value) {
  return put_attribute(w, object, name, *w->lib.H5T_STD_I64LE_g, *w->lib.H5T_NATIVE_INT64_g, &value);
}

static bool put_number(const Writer* w, hid_t object, const char* name, double value) {
  return put_attribute(w, object, name, *w->lib.H5T_IEEE_F64LE_g, *w->lib.H5T_NATIVE_DOUBLE_g, &value);
}

/* A dataset of `count` things, or of a single one (-1); negative when it cannot be made. */
static hid_t make_dataset(const Writer* w, const char* path, hid_t type, int64_t count) {
  hsize_t size = (hsize_t)count;
  hid_t space = count < 0 ? w->lib.H5Screate(H5S_SCALAR) : w->lib.H5Screate_simple(1, &size, NULL);
  hid_t dataset = w->lib.H5Dcreate2(w->file, path, type, space, w->for_links, w->for_datasets, H5P_DEFAULT);
  w->lib.H5Sclose(space);
  return dataset;
}

static ZwStatus put_dataset(const Writer* w, const char* path, hid_t type, hid_t in_memory, int64_t count,
                            const void* data) {
  hid_t dataset = make_dataset(w, path, type, count);
  bool is_fine =
      dataset >= 0 && (count == 0 || w->lib.H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (dataset >= 0) is_fine = w->lib.H5Dclose(dataset) >= 0 && is_fine;
  return is_fine ? ZW_OK : fail(w, path);
}

static ZwStatus write_attributes(const Writer* w) {
  const ZwHdf5Result* result = w->result;
  bool is_fine = put_text(w, w->file, "format", "zwang result") && put_whole(w, w->file, "schema", ZW_HDF5_SCHEMA);
  for (int32_t i = 0; is_fine && i < result->attribute_count; i++) {
    const ZwHdf5Attribute* a = &result->attributes[i];
    is_fine = a->text       ? put_text(w, w->file, a->name, a->text)
              : a->is_whole ? put_whole(w, w->file, a->name, (int64_t)a->number)
                            : put_number(w, w->file, a->name, a->number);
  }
  return is_fine ? ZW_OK : fail(w, "attributes");
}

static ZwStatus write_numbers(Writer* w) {
  for (int32_t i = 0; i < w->result->number_count; i++) {
    const ZwHdf5Number* number = &w->result->numbers[i];
    const char* path = free_path(w, number->place);
    if (!path) return out_of_memory(w);
    ZW_TRY(put_dataset(w, path, *w->lib.H5T_IEEE_F64LE_g, *w->lib.H5T_NATIVE_DOUBLE_g, -1, &number->value));
  }
  return ZW_OK;
}

static ZwStatus write_texts(Writer* w) {
  for (int32_t i = 0; i < w->result->text_count; i++) {
    const ZwHdf5Text* text = &w->result->texts[i];
    const char* path = free_path(w, text->place);
    if (!path) return out_of_memory(w);
    hid_t dataset = make_dataset(w, path, w->text_type, -1);
    bool is_fine = dataset >= 0 &&
                   w->lib.H5Dwrite(dataset, w->text_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text->text) >= 0 &&
                   (!text->path || put_text(w, dataset, "path", text->path));
    if (dataset >= 0) is_fine = w->lib.H5Dclose(dataset) >= 0 && is_fine;
    if (!is_fine) return fail(w, path);
  }
  return ZW_OK;
}

/* ---- rows ---- */

static ZwStatus make_columns(Writer* w) {
  const ZwHdf5Result* result = w->result;
  int32_t count = result->column_count;
  w->columns = ZW_NEW(&w->arena, count, hid_t);
  w->paths = ZW_NEW(&w->arena, count, const char*);
  if (w->arena.failed) return out_of_memory(w);
  for (int32_t i = 0; i < count; i++) w->columns[i] = -1;
  for (int32_t i = 0; i < count; i++) {
    w->paths[i] = free_path(w, result->columns[i].place);
    if (!w->paths[i]) return out_of_memory(w);
    w->columns[i] = make_dataset(w, w->paths[i], *w->lib.H5T_IEEE_F64LE_g, result->rows);
    if (w->columns[i] < 0 || !put_text(w, w->columns[i], "name", result->columns[i].journal))
      return fail(w, w->paths[i]);
  }
  return put_dataset(w, "columns", w->text_type, w->text_type, count, w->paths);
}

/* Rows `first` .. first + count - 1, which are in the block. */
static ZwStatus write_block(const Writer* w, int64_t first, int64_t count) {
  hsize_t begin = (hsize_t)first, size = (hsize_t)count, all = (hsize_t)w->result->rows;
  hid_t there = w->lib.H5Screate_simple(1, &all, NULL), here = w->lib.H5Screate_simple(1, &size, NULL);
  bool is_fine = w->lib.H5Sselect_hyperslab(there, H5S_SELECT_SET, &begin, NULL, &size, NULL) >= 0;
  int32_t i = 0;
  for (; is_fine && i < w->result->column_count; i++) {
    is_fine = w->lib.H5Dwrite(w->columns[i], *w->lib.H5T_NATIVE_DOUBLE_g, here, there, H5P_DEFAULT,
                              w->block + (int64_t)i * w->block_rows) >= 0;
  }
  w->lib.H5Sclose(here);
  w->lib.H5Sclose(there);
  return is_fine ? ZW_OK : fail(w, i > 0 ? w->paths[i - 1] : "rows");
}

/* An event is two rows: the one before it and the one after it. */
static ZwStatus note_event(Writer* w, const ZwCsvReader* reader, int64_t row, bool* is_after) {
  if (!reader->text[0]) return ZW_OK;
  if (*is_after) {
    const char* name = zw_str_copy(&w->arena, zw_str_from(reader->text));
    (void)ZW_PUSH(&w->arena, &w->events.t, reader->values[0]);
    (void)ZW_PUSH(&w->arena, &w->events.rows, row);
    (void)ZW_PUSH(&w->arena, &w->events.names, name);
  }
  *is_after = !*is_after;
  return w->arena.failed ? out_of_memory(w) : ZW_OK;
}

static ZwStatus copy_rows(Writer* w, ZwCsvReader* reader) {
  int32_t count = w->result->column_count;
  bool is_after = false;
  for (int64_t row = 0, used = 0; row < w->result->rows;) {
    bool has_row;
    ZwStatus status = zw_csv_reader_next(reader, &has_row);
    if (status || !has_row) {
      zw_snprintf(w->error, ZW_DRAFT_ERROR, "\"%.300s\", line %lld: %.100s", w->result->journal,
                  (long long)reader->line, status ? reader->error : "rows are missing");
      return status ? status : ZW_ERR_VALUE;
    }
    for (int32_t i = 0; i < count; i++) w->block[(int64_t)i * w->block_rows + used] = reader->values[i];
    ZW_TRY(note_event(w, reader, row, &is_after));
    row++;
    if (++used < w->block_rows && row < w->result->rows) continue;
    ZW_TRY(write_block(w, row - used, used));
    used = 0;
  }
  return ZW_OK;
}

static ZwStatus write_rows(Writer* w) {
  int32_t count = w->result->column_count;
  w->block_rows = BLOCK_BYTES / (int64_t)sizeof(double) / count;
  if (w->block_rows > BLOCK_ROWS) w->block_rows = BLOCK_ROWS;
  if (w->block_rows < 1) w->block_rows = 1;
  w->block = ZW_NEW(&w->arena, w->block_rows * count, double);
  if (!w->block) return out_of_memory(w);
  ZW_TRY(make_columns(w));
  ZwCsvReader reader;
  ZwStatus status = zw_csv_reader_open(&reader, &w->arena.allocator, w->result->journal);
  bool has_same = !status && reader.count == count;
  for (int32_t i = 0; has_same && i < count; i++) {
    has_same = strcmp(reader.names[i], w->result->columns[i].journal) == 0;
  }
  if (status) {
    zw_snprintf(w->error, ZW_DRAFT_ERROR, "\"%.300s\": %.180s", w->result->journal, reader.error);
  } else if (!has_same) {
    zw_snprintf(w->error, ZW_DRAFT_ERROR, "\"%.300s\" has other columns", w->result->journal);
    status = ZW_ERR_VALUE;
  } else {
    status = copy_rows(w, &reader);
  }
  zw_csv_reader_close(&reader);
  return status;
}

static ZwStatus write_events(const Writer* w) {
  int64_t count = w->events.names.count;
  ZW_TRY(put_dataset(w, "events/t", *w->lib.H5T_IEEE_F64LE_g, *w->lib.H5T_NATIVE_DOUBLE_g, count, w->events.t.items));
  ZW_TRY(
      put_dataset(w, "events/row", *w->lib.H5T_STD_I64LE_g, *w->lib.H5T_NATIVE_INT64_g, count, w->events.rows.items));
  return put_dataset(w, "events/name", w->text_type, w->text_type, count, w->events.names.items);
}

/* ---- contacts ---- */

typedef struct ContactColumns {
  double *t, *impulse, *friction[2], *lost, *theta, *wall_work;
  int64_t *contact, *what;
} ContactColumns;

static ZwStatus read_contacts(Writer* w, ZwContactReader* reader, ContactColumns* columns) {
  for (int64_t i = 0; i < w->result->contact_rows; i++) {
    bool has_event;
    ZwStatus status = zw_contact_reader_next(reader, &has_event);
    if (!status && (!has_event || reader->count > w->result->contact_count)) status = ZW_ERR_VALUE;
    if (status) {
      zw_snprintf(w->error, ZW_DRAFT_ERROR, "\"%.300s\", line %lld: %.100s", w->result->contacts,
                  (long long)reader->csv.line, reader->csv.error[0] ? reader->csv.error : "lines are missing");
      return status;
    }
    const ZwContactEvent* event = &reader->event;
    columns->t[i] = event->t;
    columns->contact[i] = event->contact;
    columns->what[i] = event->what;
    columns->impulse[i] = event->impulse;
    columns->friction[0][i] = event->friction[0];
    columns->friction[1][i] = event->friction[1];
    columns->lost[i] = event->lost;
    columns->theta[i] = event->theta;
    columns->wall_work[i] = event->wall_work;
  }
  return ZW_OK;
}

static ZwStatus collect_contacts(Writer* w, ContactColumns* columns) {
  const ZwHdf5Result* result = w->result;
  double** numbers[] = {&columns->t,    &columns->impulse, &columns->friction[0], &columns->friction[1],
                        &columns->lost, &columns->theta,   &columns->wall_work};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    *numbers[i] = ZW_NEW(&w->arena, result->contact_rows + 1, double);
  columns->contact = ZW_NEW(&w->arena, result->contact_rows + 1, int64_t);
  columns->what = ZW_NEW(&w->arena, result->contact_rows + 1, int64_t);
  if (w->arena.failed) return out_of_memory(w);
  ZwContactReader reader;
  ZwStatus status = zw_contact_reader_open(&reader, &w->arena.allocator, result->contacts, result->contact_names,
                                           result->contact_count);
  if (status)
    zw_snprintf(w->error, ZW_DRAFT_ERROR, "\"%.300s\": %.180s", result->contacts, reader.csv.error);
  else
    status = read_contacts(w, &reader, columns);
  zw_contact_reader_close(&reader);
  return status;
}

static ZwStatus write_contacts(Writer* w) {
  const ZwHdf5Result* result = w->result;
  ContactColumns columns;
  if (!result->contacts) return ZW_OK;
  ZW_TRY(collect_contacts(w, &columns));
  const char* words[ZW_CONTACT_HIT + 1];
  for (int i = 0; i <= ZW_CONTACT_HIT; i++) words[i] = zw_contact_what_text((ZwContactWhat)i);
  ZW_TRY(
      put_dataset(w, "contacts/name", w->text_type, w->text_type, result->contact_count, (void*)result->contact_names));
  ZW_TRY(put_dataset(w, "contacts/word", w->text_type, w->text_type, ZW_CONTACT_HIT + 1, words));
  const struct {
    const char* path;
    const double* data;
  } numbers[] = {{"contacts/t", columns.t},
                 {"contacts/impulse", columns.impulse},
                 {"contacts/friction", columns.friction[0]},
                 {"contacts/friction2", columns.friction[1]},
                 {"contacts/lost", columns.lost},
                 {"contacts/theta", columns.theta},
                 {"contacts/wall work", columns.wall_work}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    ZW_TRY(put_dataset(w, numbers[i].path, *w->lib.H5T_IEEE_F64LE_g, *w->lib.H5T_NATIVE_DOUBLE_g, result->contact_rows,
                       numbers[i].data));
  }
  ZW_TRY(put_dataset(w, "contacts/contact", *w->lib.H5T_STD_I64LE_g, *w->lib.H5T_NATIVE_INT64_g, result->contact_rows,
                     columns.contact));
  return put_dataset(w, "contacts/what", *w->lib.H5T_STD_I64LE_g, *w->lib.H5T_NATIVE_INT64_g, result->contact_rows,
                     columns.what);
}

/* ---- the file ---- */

static bool make_properties(Writer* w) {
  const ZwHdf5Library* lib = &w->lib;
  w->text_type = lib->H5Tcopy(*lib->H5T_C_S1_g);
  w->for_datasets = lib->H5Pcreate(*lib->H5P_CLS_DATASET_CREATE_ID_g);
  w->for_links = lib->H5Pcreate(*lib->H5P_CLS_LINK_CREATE_ID_g);
  if (w->text_type < 0 || w->for_datasets < 0 || w->for_links < 0) return false;
  return lib->H5Tset_size(w->text_type, H5T_VARIABLE) >= 0 && lib->H5Tset_cset(w->text_type, H5T_CSET_UTF8) >= 0 &&
         lib->H5Pset_obj_track_times(w->for_datasets, 0) >= 0 &&
         lib->H5Pset_char_encoding(w->for_links, H5T_CSET_UTF8) >= 0 &&
         lib->H5Pset_create_intermediate_group(w->for_links, 1) >= 0;
}

static ZwStatus write_file(Writer* w) {
  w->file = w->lib.H5Fcreate(w->part, ZW_HDF5_TRUNCATE, H5P_DEFAULT, H5P_DEFAULT);
  if (w->file < 0 || !make_properties(w)) return fail(w, "the file");
  ZW_TRY(write_attributes(w));
  ZW_TRY(write_rows(w));
  ZW_TRY(write_events(w));
  ZW_TRY(write_contacts(w));
  ZW_TRY(write_numbers(w));
  return write_texts(w);
}

/* Closes everything; writing may fail here too. */
static ZwStatus close_file(Writer* w, ZwStatus status) {
  const ZwHdf5Library* lib = &w->lib;
  bool is_fine = true;
  for (int32_t i = 0; w->columns && i < w->result->column_count; i++) {
    if (w->columns[i] >= 0) is_fine = lib->H5Dclose(w->columns[i]) >= 0 && is_fine;
  }
  if (w->text_type >= 0) lib->H5Tclose(w->text_type);
  if (w->for_datasets >= 0) lib->H5Pclose(w->for_datasets);
  if (w->for_links >= 0) lib->H5Pclose(w->for_links);
  errno = status ? errno : 0;
  if (w->file >= 0) is_fine = lib->H5Fclose(w->file) >= 0 && is_fine;
  return status ? status : is_fine ? ZW_OK : fail(w, "the end");
}

/* On the disk first, then in its place. */
static ZwStatus put_in_place(const Writer* w) {
  errno = 0;
  if (!zw_hdf5_seal(w->part)) return fail(w, "the end");
  int fd = open(w->part, O_RDWR | O_CLOEXEC);
  bool is_synced = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
  if (fd >= 0) close(fd);
  if (!is_synced) return fail(w, "the end");
  errno = 0;
  return rename(w->part, w->result->path) == 0 ? ZW_OK : fail(w, "its name");
}

ZwStatus zw_hdf5_write(const ZwHdf5Result* result, const ZwAllocator* allocator, char* error) {
  Writer w = {.result = result, .error = error, .file = -1, .text_type = -1, .for_datasets = -1, .for_links = -1};
  char about[ZW_HDF5_ABOUT];
  error[0] = 0;
  if (!zw_hdf5_load(&w.lib)) {
    (void)zw_hdf5_is_there(about);
    zw_snprintf(error, ZW_DRAFT_ERROR, "%s", about);
    return ZW_ERR_UNSUPPORTED;
  }
  zw_arena_init(&w.arena, allocator);
  w.part = zw_format(&w.arena, "%s.part", result->path);
  if (w.part && zw_draft_try(w.part, error)) {
    zw_arena_destroy(&w.arena);
    return ZW_ERR_IO;
  }
  ZwStatus status = w.part ? ZW_OK : out_of_memory(&w);
  if (!status) {
    errno = 0;
    status = close_file(&w, write_file(&w));
    if (!status) status = put_in_place(&w);
    if (status) (void)unlink(w.part);
  }
  zw_arena_destroy(&w.arena);
  return status;
}

#else

ZwStatus zw_hdf5_write(const ZwHdf5Result* result, const ZwAllocator* allocator, char* error) {
  char about[ZW_HDF5_ABOUT];
  (void)result;
  (void)allocator;
  (void)zw_hdf5_is_there(about);
  zw_snprintf(error, ZW_DRAFT_ERROR, "%s", about);
  return ZW_ERR_UNSUPPORTED;
}

#endif
