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

ZwStatus zw_stored_open(ZwStored* stored, const ZwAllocator* allocator, const char* path) {
  *stored = (ZwStored){0};
  ZwStatus status = zw_csv_reader_open(&stored->csv, allocator, path);
  show_csv(stored);
  return status;
}

ZwStatus zw_stored_next(ZwStored* stored, bool* has_row) {
  ZwStatus status = zw_csv_reader_next(&stored->csv, has_row);
  show_csv(stored);
  return status;
}

void zw_stored_close(ZwStored* stored) {
  zw_csv_reader_close(&stored->csv);
  stored->count = 0;
  stored->names = NULL;
  stored->values = NULL;
}
