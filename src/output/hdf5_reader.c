#include "output/hdf5.h"
#include "output/hdf5_library.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/str.h"
#include "zwang/types.h"

bool zw_hdf5_is_file(const char* path) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
  unsigned char begin[8];
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false; /* a fifo is not waited for */
  FILE* file = fopen(path, "rb");
  bool is_file = file && fread(begin, 1, sizeof begin, file) == sizeof begin && memcmp(begin, signature, 8) == 0;
  if (file) fclose(file);
  return is_file;
}

static ZwStatus no_hdf5(ZwHdf5Reader* reader, const char* path) {
  char about[ZW_HDF5_ABOUT];
  (void)zw_hdf5_is_there(about);
  zw_snprintf(reader->error, sizeof reader->error, "'%.300s' cannot be read: %s", path, about);
  return ZW_ERR_UNSUPPORTED;
}

#ifdef ZW_HDF5_SONAME

enum { BLOCK_BYTES = 4 * 1024 * 1024, BLOCK_ROWS = 8192, COLUMNS_MAX = 10 * 1000 * 1000 };

struct ZwHdf5File {
  ZwHdf5Library lib;
  ZwArena arena;
  const char* path;
  hid_t file;
  hid_t text_type;
  hid_t* columns;
  double *block, *row;
  int64_t block_rows, block_first, block_count; /* rows that are in the block */
  int64_t next;                                 /* row */
  int64_t event_count, next_event;
  int64_t* event_rows;
  char** event_names;
};

static ZwStatus fail(ZwHdf5Reader* reader, const char* what) {
  zw_snprintf(reader->error, sizeof reader->error, "'%.300s' %s", reader->file->path, what);
  return ZW_ERR_VALUE;
}

static ZwStatus out_of_memory(ZwHdf5Reader* reader) {
  zw_snprintf(reader->error, sizeof reader->error, "out of memory");
  return ZW_ERR_MEMORY;
}

static ZwStatus damaged(ZwHdf5Reader* reader, const char* what) {
  char text[160];
  zw_snprintf(text, sizeof text, "is damaged, or no result of zwang: %.80s cannot be read", what);
  return fail(reader, text);
}

/* The length of something with one dimension; 1 for a single thing, -1 for everything else. */
static int64_t length_of(const ZwHdf5File* file, hid_t space) {
  hsize_t size = 1;
  int dimensions = space >= 0 ? file->lib.H5Sget_simple_extent_ndims(space) : -1;
  if (dimensions == 1 && file->lib.H5Sget_simple_extent_dims(space, &size, NULL) < 0) dimensions = -1;
  if (space >= 0) file->lib.H5Sclose(space);
  return dimensions == 0 || dimensions == 1 ? (int64_t)size : -1;
}

/* Texts, numbers or whole numbers: is that what is stored? */
static bool is_of(const ZwHdf5File* file, hid_t type, H5T_class_t wanted) {
  bool is_it = type >= 0 && file->lib.H5Tget_class(type) == wanted;
  if (is_it && wanted == H5T_STRING) is_it = file->lib.H5Tis_variable_str(type) > 0;
  if (type >= 0) file->lib.H5Tclose(type);
  return is_it;
}

/* A text of an object, copied; NULL when there is none. */
static const char* text_of(ZwHdf5File* file, hid_t object, const char* name) {
  const ZwHdf5Library* lib = &file->lib;
  if (lib->H5Aexists(object, name) <= 0) return NULL;
  hid_t attribute = lib->H5Aopen(object, name, H5P_DEFAULT);
  char *text = NULL, *copy = NULL;
  bool is_fine = attribute >= 0 && is_of(file, lib->H5Aget_type(attribute), H5T_STRING) &&
                 length_of(file, lib->H5Aget_space(attribute)) == 1 &&
                 lib->H5Aread(attribute, file->text_type, (void*)&text) >= 0;
  if (is_fine && text) copy = zw_str_copy(&file->arena, zw_str_from(text));
  if (text) lib->H5free_memory(text);
  if (attribute >= 0) lib->H5Aclose(attribute);
  return copy;
}

/* All of a dataset with one dimension, copied; *count is -1 when it cannot be read. */
static void* all_of(ZwHdf5File* file, const char* path, H5T_class_t wanted, hid_t in_memory, size_t size,
                    int64_t* count) {
  const ZwHdf5Library* lib = &file->lib;
  *count = -1;
  hid_t dataset = lib->H5Dopen2(file->file, path, H5P_DEFAULT);
  if (dataset < 0) return NULL;
  int64_t length = length_of(file, lib->H5Dget_space(dataset));
  void* data = NULL;
  if (length >= 0 && length <= COLUMNS_MAX && is_of(file, lib->H5Dget_type(dataset), wanted)) {
    data = zw_arena_alloc(&file->arena, (ptrdiff_t)length + 1, size);
    bool is_read = data && (length == 0 || lib->H5Dread(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (is_read) *count = length;
  }
  lib->H5Dclose(dataset);
  return data;
}

static ZwStatus open_column(ZwHdf5Reader* reader, int32_t i, const char* path) {
  ZwHdf5File* file = reader->file;
  const ZwHdf5Library* lib = &file->lib;
  file->columns[i] = path ? lib->H5Dopen2(file->file, path, H5P_DEFAULT) : -1;
  if (file->columns[i] < 0) return damaged(reader, path ? path : "a column");
  int64_t length = length_of(file, lib->H5Dget_space(file->columns[i]));
  if (i == 0) reader->rows = length;
  reader->names[i] = text_of(file, file->columns[i], "name");
  bool is_fine = length >= 0 && length == reader->rows && reader->names[i] &&
                 is_of(file, lib->H5Dget_type(file->columns[i]), H5T_FLOAT);
  return is_fine ? ZW_OK : damaged(reader, path);
}

static ZwStatus open_columns(ZwHdf5Reader* reader) {
  ZwHdf5File* file = reader->file;
  int64_t count;
  char** paths = all_of(file, "columns", H5T_STRING, file->text_type, sizeof(char*), &count);
  if (file->arena.failed) return out_of_memory(reader);
  if (count < 1) return damaged(reader, "'columns'");
  reader->count = (int32_t)count;
  reader->names = ZW_NEW(&file->arena, count, const char*);
  file->columns = ZW_NEW(&file->arena, count, hid_t);
  file->row = ZW_NEW(&file->arena, count, double);
  file->block_rows = BLOCK_BYTES / (int64_t)sizeof(double) / count;
  if (file->block_rows > BLOCK_ROWS) file->block_rows = BLOCK_ROWS;
  if (file->block_rows < 1) file->block_rows = 1;
  file->block = ZW_NEW(&file->arena, file->block_rows * count, double);
  ZwStatus status = file->arena.failed ? out_of_memory(reader) : ZW_OK;
  for (int32_t i = 0; i < reader->count && !file->arena.failed; i++) file->columns[i] = -1;
  for (int32_t i = 0; i < reader->count && !status; i++) status = open_column(reader, i, paths[i]);
  for (int64_t i = 0; i < count; i++) {
    if (paths[i]) file->lib.H5free_memory(paths[i]);
  }
  return file->arena.failed ? out_of_memory(reader) : status;
}

static ZwStatus read_events(ZwHdf5Reader* reader) {
  ZwHdf5File* file = reader->file;
  int64_t names;
  file->event_rows =
      all_of(file, "events/row", H5T_INTEGER, *file->lib.H5T_NATIVE_INT64_g, sizeof(int64_t), &file->event_count);
  if (file->event_count < 0) return file->arena.failed ? out_of_memory(reader) : damaged(reader, "'events/row'");
  file->event_names = all_of(file, "events/name", H5T_STRING, file->text_type, sizeof(char*), &names);
  if (names != file->event_count) {
    if (names < 0) file->event_names = NULL;
    return file->arena.failed ? out_of_memory(reader) : damaged(reader, "'events/name'");
  }
  return ZW_OK;
}

static ZwStatus open_result(ZwHdf5Reader* reader) {
  ZwHdf5File* file = reader->file;
  const ZwHdf5Library* lib = &file->lib;
  if (!zw_hdf5_is_whole(file->path)) return fail(reader, "is an HDF5 file that is damaged or not complete");
  file->file = lib->H5Fopen(file->path, ZW_HDF5_READ, H5P_DEFAULT);
  if (file->file < 0) return fail(reader, "is an HDF5 file that is damaged or not complete");
  file->text_type = lib->H5Tcopy(*lib->H5T_C_S1_g);
  if (file->text_type < 0 || lib->H5Tset_size(file->text_type, H5T_VARIABLE) < 0 ||
      lib->H5Tset_cset(file->text_type, H5T_CSET_UTF8) < 0) {
    return fail(reader, "cannot be read");
  }
  const char* format = text_of(file, file->file, "format");
  if (!format || strcmp(format, "zwang result") != 0) return fail(reader, "is an HDF5 file, but no result of zwang");
  ZW_TRY(open_columns(reader));
  return read_events(reader);
}

ZwStatus zw_hdf5_reader_open(ZwHdf5Reader* reader, const ZwAllocator* allocator, const char* path) {
  *reader = (ZwHdf5Reader){.event = ""};
  ZwHdf5File* file = reader->file = zw_alloc(allocator, sizeof *file);
  if (!file) return out_of_memory(reader);
  zw_arena_init(&file->arena, allocator);
  file->file = file->text_type = -1;
  file->path = zw_str_copy(&file->arena, zw_str_from(path));
  ZwStatus status = !file->path                 ? out_of_memory(reader)
                    : !zw_hdf5_load(&file->lib) ? no_hdf5(reader, path)
                                                : open_result(reader);
  if (status) zw_hdf5_reader_close(reader);
  return status;
}

/* The rows from the next one on. */
static bool read_block(ZwHdf5Reader* reader) {
  ZwHdf5File* file = reader->file;
  const ZwHdf5Library* lib = &file->lib;
  int64_t left = reader->rows - file->next;
  file->block_first = file->next;
  file->block_count = left < file->block_rows ? left : file->block_rows;
  hsize_t begin = (hsize_t)file->next, size = (hsize_t)file->block_count, all = (hsize_t)reader->rows;
  hid_t there = lib->H5Screate_simple(1, &all, NULL), here = lib->H5Screate_simple(1, &size, NULL);
  bool is_fine = lib->H5Sselect_hyperslab(there, H5S_SELECT_SET, &begin, NULL, &size, NULL) >= 0;
  for (int32_t i = 0; is_fine && i < reader->count; i++) {
    is_fine = lib->H5Dread(file->columns[i], *lib->H5T_NATIVE_DOUBLE_g, here, there, H5P_DEFAULT,
                           file->block + (int64_t)i * file->block_rows) >= 0;
  }
  lib->H5Sclose(here);
  lib->H5Sclose(there);
  return is_fine;
}

/* An event belongs to the row after it and the one before that. */
static const char* event_at(ZwHdf5File* file, int64_t row) {
  while (file->next_event < file->event_count && file->event_rows[file->next_event] < row) file->next_event++;
  if (file->next_event == file->event_count) return "";
  int64_t after = file->event_rows[file->next_event];
  const char* name = file->event_names[file->next_event];
  return (after == row || after == row + 1) && name ? name : "";
}

ZwStatus zw_hdf5_reader_next(ZwHdf5Reader* reader, bool* has_row) {
  ZwHdf5File* file = reader->file;
  *has_row = false;
  if (file->next == reader->rows) return ZW_OK;
  if (file->next >= file->block_first + file->block_count && !read_block(reader))
    return damaged(reader, "a block of rows");
  int64_t at = file->next - file->block_first;
  for (int32_t i = 0; i < reader->count; i++) file->row[i] = file->block[(int64_t)i * file->block_rows + at];
  reader->values = file->row;
  reader->event = event_at(file, file->next++);
  *has_row = true;
  return ZW_OK;
}

/* ---- contacts ---- */

/* Numbers of one kind, `count` of them; NULL: they cannot be read, or are not so many. */
static const void* contact_numbers(ZwHdf5File* file, const char* path, bool is_whole, int64_t count) {
  int64_t length;
  hid_t in_memory = is_whole ? *file->lib.H5T_NATIVE_INT64_g : *file->lib.H5T_NATIVE_DOUBLE_g;
  const void* data = all_of(file, path, is_whole ? H5T_INTEGER : H5T_FLOAT, in_memory, sizeof(double), &length);
  return length == count ? data : NULL;
}

static bool read_contact_names(ZwHdf5File* file, ZwHdf5Contacts* contacts) {
  int64_t count;
  char** texts = all_of(file, "contacts/name", H5T_STRING, file->text_type, sizeof(char*), &count);
  if (count < 0) return false;
  const char** names = ZW_NEW(&file->arena, count + 1, const char*);
  for (int64_t i = 0; i < count; i++) {
    if (names) names[i] = zw_str_copy(&file->arena, zw_str_from(texts[i] ? texts[i] : ""));
    if (texts[i]) file->lib.H5free_memory(texts[i]);
  }
  contacts->names = names;
  contacts->name_count = (int32_t)count;
  return !file->arena.failed;
}

static bool are_contacts_right(const ZwHdf5Contacts* contacts) {
  for (int64_t i = 0; i < contacts->count; i++) {
    bool is_contact = contacts->contact[i] >= 0 && contacts->contact[i] < contacts->name_count;
    bool is_what = contacts->what[i] >= ZW_CONTACT_OPEN && contacts->what[i] <= ZW_CONTACT_HIT;
    if (!is_contact || !is_what) return false;
  }
  return true;
}

ZwStatus zw_hdf5_reader_contacts(ZwHdf5Reader* reader, ZwHdf5Contacts* contacts) {
  ZwHdf5File* file = reader->file;
  *contacts = (ZwHdf5Contacts){0};
  if (file->lib.H5Lexists(file->file, "contacts", H5P_DEFAULT) <= 0) return ZW_OK;
  contacts->t = all_of(file, "contacts/t", H5T_FLOAT, *file->lib.H5T_NATIVE_DOUBLE_g, sizeof(double), &contacts->count);
  bool is_fine = contacts->count >= 0 && read_contact_names(file, contacts);
  if (is_fine) {
    contacts->contact = contact_numbers(file, "contacts/contact", true, contacts->count);
    contacts->what = contact_numbers(file, "contacts/what", true, contacts->count);
    contacts->impulse = contact_numbers(file, "contacts/impulse", false, contacts->count);
    is_fine = contacts->contact && contacts->what && contacts->impulse && are_contacts_right(contacts);
  }
  if (is_fine) return ZW_OK;
  *contacts = (ZwHdf5Contacts){0};
  return file->arena.failed ? out_of_memory(reader) : damaged(reader, "'contacts'");
}

void zw_hdf5_reader_close(ZwHdf5Reader* reader) {
  ZwHdf5File* file = reader->file;
  if (!file) return;
  const ZwHdf5Library* lib = &file->lib;
  for (int64_t i = 0; file->event_names && i < file->event_count; i++) {
    if (file->event_names[i]) lib->H5free_memory(file->event_names[i]);
  }
  for (int32_t i = 0; file->columns && i < reader->count; i++) {
    if (file->columns[i] >= 0) lib->H5Dclose(file->columns[i]);
  }
  if (file->text_type >= 0) lib->H5Tclose(file->text_type);
  if (file->file >= 0) lib->H5Fclose(file->file);
  ZwAllocator allocator = file->arena.allocator;
  zw_arena_destroy(&file->arena);
  zw_release(&allocator, file);
  reader->file = NULL;
  reader->names = NULL;
  reader->values = NULL;
  reader->event = "";
  reader->count = 0;
}

#else

ZwStatus zw_hdf5_reader_open(ZwHdf5Reader* reader, const ZwAllocator* allocator, const char* path) {
  *reader = (ZwHdf5Reader){.event = ""};
  (void)allocator;
  return no_hdf5(reader, path);
}

ZwStatus zw_hdf5_reader_next(ZwHdf5Reader* reader, bool* has_row) {
  (void)reader;
  *has_row = false;
  return ZW_OK;
}

ZwStatus zw_hdf5_reader_contacts(ZwHdf5Reader* reader, ZwHdf5Contacts* contacts) {
  (void)reader;
  *contacts = (ZwHdf5Contacts){0};
  return ZW_OK;
}

void zw_hdf5_reader_close(ZwHdf5Reader* reader) {
  (void)reader;
}

#endif
