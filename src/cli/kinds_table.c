/* Whose table it is. Tables bear no mark: other programs read them, and to those a comment would be a row. Their columns tell. */
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/csv_reader.h"

bool kind_is_table(FileKind kind) {
  return kind == KIND_ROWS || kind == KIND_FORCES || kind == KIND_CONTACTS || kind == KIND_SWEEP || kind == KIND_LOCUS;
}

static bool is_name(const ColumnNames* table, int32_t i, const char* name) {
  return i >= 0 && i < table->count && strcmp(table->names[i], name) == 0;
}

static bool has_names(const ColumnNames* table, int32_t from, const char* const* names, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (!is_name(table, from + i, names[i])) return false;
  }
  return true;
}

static bool is_velocity_of(const char* name, const char* coordinate) {
  size_t size = strlen(coordinate);
  return strncmp(name, coordinate, size) == 0 && strcmp(name + size, "'") == 0;
}

/* x, y, x', y': how many columns from `first` on are coordinates and then, in the same order, their velocities. */
static int32_t count_states(const ColumnNames* table, int32_t first) {
  int32_t n = 1;
  while (first + n < table->count && !is_velocity_of(table->names[first + n], table->names[first])) n++;
  if (first + 2 * n > table->count) return 0;
  for (int32_t i = 0; i < n; i++) {
    if (!is_velocity_of(table->names[first + n + i], table->names[first + i])) return 0;
  }
  return 2 * n;
}

/* What every table of the model has, among others, in this order. Time alone says nothing: then it must be all there is. */
static bool has_own(const ColumnNames* table, const ColumnNames* own) {
  int32_t found = 0;
  for (int32_t i = 0; i < table->count && found < own->count; i++) found += is_name(table, i, own->names[found]);
  bool is_all = table->count == 1 || (table->count == 2 && is_name(table, 1, "event"));
  return own->count > 0 && found == own->count && (own->count > 1 || is_all);
}

static bool begins_with(const char* name, const char* with) {
  return strncmp(name, with, strlen(with)) == 0;
}

/* What --forces and --evidence add. */
static bool is_beside(const char* name) {
  static const char* const evidence[] = {"|phi|", "|phi'|", "total energy", "total work", "event"};
  for (int i = 0; i < 5; i++) {
    if (strcmp(name, evidence[i]) == 0) return true;
  }
  return begins_with(name, "reaction(") || strstr(name, " on ");
}

/* A large model without outputs: time, and only what no other program calls so. */
static bool has_only_beside(const ColumnNames* table) {
  bool is_ours = false;
  for (int32_t i = 1; i < table->count; i++) {
    if (!is_beside(table->names[i])) return false;
    is_ours = is_ours || begins_with(table->names[i], "constraints on ") || is_name(table, i, "|phi'|");
  }
  return is_ours;
}

static bool is_run(const ColumnNames* table, const ColumnNames* own) {
  if (!is_name(table, 0, "t")) return false;
  return count_states(table, 1) > 0 || (own && (has_own(table, own) || has_only_beside(table)));
}

static bool is_force(const char* name) {
  static const char* const begins[] = {"force on ", "missing on ", "reaction("};
  for (int i = 0; i < 3; i++) {
    if (strncmp(name, begins[i], strlen(begins[i])) == 0) return true;
  }
  return false;
}

/* The motion stands behind the forces. */
static bool is_forces(const ColumnNames* table) {
  int32_t first = 1;
  while (first < table->count && is_force(table->names[first])) first++;
  int32_t states = first < table->count ? count_states(table, first) : 0;
  return is_name(table, 0, "t") && first > 1 && states > 0 && first + states == table->count;
}

static bool is_sweep(const ColumnNames* table) {
  static const char *const middle[] = {"status", "reason"}, *const end[] = {"steps", "rejected"};
  int32_t i = 1;
  while (i < table->count && !is_name(table, i, "status")) i++;
  return is_name(table, 0, "member") && has_names(table, i, middle, 2) && has_names(table, table->count - 2, end, 2);
}

static bool is_locus(const ColumnNames* table) {
  static const char* const first[] = {"re 1", "im 1"};
  return has_names(table, 1, first, 2) && is_name(table, table->count - 1, "verdict");
}

/* Logs of earlier versions end with `lost`. */
static bool is_contacts(const ColumnNames* table) {
  static const char* const names[] = {"t", "contact", "what", "impulse", "friction", "friction2", "lost"};
  return has_names(table, 0, names, 7);
}

static bool is_of(const ColumnNames* table, FileKind kind, const ColumnNames* own) {
  switch (kind) {
    case KIND_ROWS:
      return is_run(table, own);
    case KIND_FORCES:
      return is_forces(table);
    case KIND_CONTACTS:
      return is_contacts(table);
    case KIND_SWEEP:
      return is_sweep(table);
    default:
      return is_locus(table);
  }
}

ZwStatus know_table(const char* path, FileKind kind, const ColumnNames* own) {
  ZwAllocator allocator = zw_allocator_default();
  ZwCsvReader reader;
  ZwStatus status = zw_csv_reader_open(&reader, &allocator, path);
  if (status) return status == ZW_ERR_MEMORY ? ZW_ERR_MEMORY : ZW_ERR_VALUE;
  ColumnNames table = {reader.names, reader.count + reader.has_text};
  bool is_ours = is_of(&table, kind, own);
  zw_csv_reader_close(&reader);
  return is_ours ? ZW_OK : ZW_ERR_VALUE;
}
