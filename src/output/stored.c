#include "output/stored.h"

static void show_csv(ZwStored* stored) {
  const ZwCsvReader* csv = &stored->csv;
  stored->count = csv->count;
  stored->names = csv->names;
  stored->values = csv->values;
  stored->event = csv->text;
  stored->is_part = csv->is_part;
  stored->is_torn = csv->is_torn;
  stored->error = csv->error;
  stored->line = csv->line;
  stored->column = csv->column;
}

static void show_hdf5(ZwStored* stored) {
  const ZwHdf5Reader* hdf5 = &stored->hdf5;
  stored->count = hdf5->count;
  stored->names = hdf5->names;
  stored->values = hdf5->values;
  stored->event = hdf5->event;
  stored->error = hdf5->error;
}

static void show(ZwStored* stored) {
  (stored->is_hdf5 ? show_hdf5 : show_csv)(stored);
}

ZwStatus zw_stored_open(ZwStored* stored, const ZwAllocator* allocator, const char* path) {
  *stored = (ZwStored){.is_hdf5 = zw_hdf5_is_file(path)};
  ZwStatus status = stored->is_hdf5 ? zw_hdf5_reader_open(&stored->hdf5, allocator, path)
                                    : zw_csv_reader_open(&stored->csv, allocator, path);
  show(stored);
  return status;
}

ZwStatus zw_stored_next(ZwStored* stored, bool* has_row) {
  ZwStatus status =
      stored->is_hdf5 ? zw_hdf5_reader_next(&stored->hdf5, has_row) : zw_csv_reader_next(&stored->csv, has_row);
  show(stored);
  return status;
}

ZwStatus zw_stored_contacts(ZwStored* stored, ZwHdf5Contacts* contacts) {
  *contacts = (ZwHdf5Contacts){0};
  if (!stored->is_hdf5) return ZW_OK;
  ZwStatus status = zw_hdf5_reader_contacts(&stored->hdf5, contacts);
  show(stored);
  return status;
}

void zw_stored_close(ZwStored* stored) {
  zw_csv_reader_close(&stored->csv);
  zw_hdf5_reader_close(&stored->hdf5);
  stored->count = 0;
  stored->names = NULL;
  stored->values = NULL;
}
