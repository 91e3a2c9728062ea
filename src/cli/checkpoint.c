#include "cli/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cli/cli.h"

static const char first_line[] = "zwang checkpoint 3\n";

enum { FILE_LEAST = 64 };

/* FNV-1a over 64 bits: tells changed texts and damaged files, not forged ones. */
uint64_t checkpoint_sum(uint64_t sum, const void* data, size_t size) {
  const unsigned char* bytes = data;
  for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

static const uint64_t SUM_BEGIN = 14695981039346656037u;

/* ---- what a run is ---- */

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void add_number(ZwText* text, const char* what, double value) {
  zw_text_addf(text, "%s: ", what);
  zw_text_add_number(text, value);
  zw_text_add(text, "\n", 1);
}

static void add_texts(ZwText* text, const ZwModel* model) {
  for (int32_t i = 0; i < zw_model_text_count(model); i++) {
    ZwModelText used = zw_model_text(model, i);
    zw_text_addf(text, "text %s: %zu bytes, %016llx\n", base_name(used.name), used.size,
                 (unsigned long long)checkpoint_sum(SUM_BEGIN, used.text, used.size));
  }
}

char* describe_run(const ZwModel* model, ZwRun* run, const char* recorded) {
  const ZwReport* report = zw_run_report(run);
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  zw_text_addf(&text, "version: %s\n", zw_version());
  for (int32_t i = 0; i < zw_run_parameter_count(run); i++) {
    ZwParameter parameter = zw_run_parameter(run, i);
    zw_text_addf(&text, "parameter %s: ", parameter.name);
    zw_text_add_number(&text, parameter.value);
    zw_text_add(&text, "\n", 1);
  }
  add_number(&text, "begin", report->from);
  add_number(&text, "time between rows", report->every);
  add_number(&text, "tolerance", report->tolerance);
  zw_text_addf(&text, "formulation: %s\n", report->formulation);
  zw_text_addf(&text, "integrator: %s\n", report->integrator);
  add_number(&text, "step", report->step);
  zw_text_addf(&text, "energy: %s\n", report->is_energy_held ? "held" : "free");
  zw_text_addf(&text, "sensitivity: by ");
  for (int32_t i = 0; i < report->varied_count; i++) zw_text_addf(&text, "%s%s", i ? ", " : "", report->varied[i].name);
  zw_text_addf(&text, "%s\n", report->varied_count > 0 ? "" : "nothing");
  zw_text_addf(&text, "rows: %s\n", recorded);
  add_texts(&text, model);
  size_t size = (size_t)text.size + 1;
  char* copy = arena.failed ? NULL : malloc(size);
  if (copy) memcpy(copy, zw_text_get(&text), size);
  zw_arena_destroy(&arena);
  return copy;
}

/* The value of `key`, itself with its colon, in a description; an empty one with no data when it is not there. */
static ZwStr value_of(const char* description, ZwStr key) {
  for (const char* at = description; *at;) {
    const char* end = strchr(at, '\n');
    if (!end) break;
    if (end - at > key.size && strncmp(at, key.data, (size_t)key.size) == 0) {
      return (ZwStr){at + key.size, (int32_t)(end - at) - key.size};
    }
    at = end + 1;
  }
  return (ZwStr){NULL, 0};
}

/* "tolerance was 1e-08 and is 1e-10" */
static void tell(char difference[ZW_DRAFT_ERROR], ZwStr key, ZwStr was, ZwStr is) {
  static const char text_of[] = "text ";
  key.size -= 2; /* ": " */
  if (key.size > 5 && strncmp(key.data, text_of, 5) == 0) {
    zw_snprintf(difference, ZW_DRAFT_ERROR, "the text of '%.*s' %s", (int)key.size - 5, key.data + 5,
                !was.data  ? "was not used then"
                : !is.data ? "is not used any more"
                           : "has changed");
  } else if (!was.data || !is.data) {
    zw_snprintf(difference, ZW_DRAFT_ERROR, "'%.*s' %s", ZW_STR_ARGS(key),
                was.data ? "is not there any more" : "was not there");
  } else {
    zw_snprintf(difference, ZW_DRAFT_ERROR, "'%.*s' was %.*s and is %.*s", ZW_STR_ARGS(key), ZW_STR_ARGS(was),
                ZW_STR_ARGS(is));
  }
}

/* Every line of `one` is in `other` too. */
static bool is_within(const char* one, const char* other, bool one_was, char difference[ZW_DRAFT_ERROR]) {
  for (const char* at = one; *at;) {
    const char *end = strchr(at, '\n'), *colon = strstr(at, ": ");
    if (!end || !colon || colon > end) return false;
    ZwStr key = {at, (int32_t)(colon + 2 - at)}, value = {colon + 2, (int32_t)(end - colon) - 2};
    ZwStr there = value_of(other, key);
    if (!there.data || !zw_str_equal(value, there)) {
      tell(difference, key, one_was ? value : there, one_was ? there : value);
      return false;
    }
    at = end + 1;
  }
  return true;
}

bool is_same_run(const char* was, const char* is, char difference[ZW_DRAFT_ERROR]) {
  zw_snprintf(difference, ZW_DRAFT_ERROR, "its description cannot be read");
  return is_within(was, is, true, difference) && is_within(is, was, false, difference);
}

/* ---- the file ---- */

static char* read_all(const char* path, size_t* size, bool* is_missing) {
  struct stat info;
  FILE* file = open_regular(path, NULL);
  *is_missing = !file && errno == ENOENT;
  if (!file) return NULL;
  char* data = NULL;
  if (fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= FILE_LEAST) {
    *size = (size_t)info.st_size;
    data = malloc(*size + 1);
  }
  if (data && fread(data, 1, *size, file) != *size) {
    free(data);
    data = NULL;
  }
  fclose(file);
  if (data) data[*size] = 0;
  return data;
}

/* ---- its numbers ---- */

/* "key value" and what ends it; *at moves on. */
static bool next_whole(const char** at, const char* key, char end, int64_t* value) {
  size_t size = strlen(key);
  if (strncmp(*at, key, size) != 0) return false;
  const char* digit = *at + size;
  for (*value = 0; *digit >= '0' && *digit <= '9'; digit++) {
    if (*value > INT64_MAX / 10 - 1) return false;
    *value = 10 * *value + (*digit - '0');
  }
  if (digit == *at + size || *digit != end) return false;
  *at = digit + 1;
  return true;
}

static bool next_sum(const char** at, uint64_t* sum) {
  enum { DIGITS = 16 };
  *sum = 0;
  for (int i = 0; i < DIGITS; i++) {
    char c = (*at)[i];
    bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && !(c >= 'a' && c <= 'f')) return false;
    *sum = *sum << 4 | (uint64_t)(is_digit ? c - '0' : c - 'a' + 10);
  }
  if ((*at)[DIGITS] != '\n') return false;
  *at += DIGITS + 1;
  return true;
}

static bool next_number(const char** at, const char* key, double* value) {
  size_t size = strlen(key);
  if (strncmp(*at, key, size) != 0) return false;
  const char *begin = *at + size, *end = strchr(begin, '\n');
  if (!end || !zw_number_fills(begin, end - begin, value)) return false;
  *at = end + 1;
  return true;
}

/* ORDER NUMBERS */
static bool next_numbers(const char** at, Checkpoint* checkpoint) {
  int64_t state;
  bool is_fine = next_whole(at, "rows ", '\n', &checkpoint->rows) &&
                 next_whole(at, "bytes ", ' ', &checkpoint->bytes) && next_sum(at, &checkpoint->sum) &&
                 next_whole(at, "contacts ", ' ', &checkpoint->contact_rows) &&
                 next_whole(at, "", ' ', &checkpoint->contact_bytes) && next_sum(at, &checkpoint->contact_sum) &&
                 next_number(at, "t ", &checkpoint->t) && next_number(at, "to ", &checkpoint->to) &&
                 next_number(at, "every ", &checkpoint->every) && next_number(at, "seconds ", &checkpoint->seconds) &&
                 next_whole(at, "state ", '\n', &state);
  if (is_fine) checkpoint->state_size = (size_t)state;
  return is_fine;
}

/* Takes a whole file apart; false when it is not one. */
static bool take_apart(Checkpoint* checkpoint, size_t size) {
  uint64_t sum;
  size_t body = size - sizeof sum, head = strlen(first_line);
  memcpy(&sum, checkpoint->memory + body, sizeof sum);
  if (memcmp(checkpoint->memory, first_line, head) != 0) return false;
  if (checkpoint_sum(SUM_BEGIN, checkpoint->memory, body) != sum) return false;
  char* numbers = strstr(checkpoint->memory, "\n\n");
  if (!numbers) return false;
  numbers[1] = 0;
  checkpoint->description = checkpoint->memory + head;
  const char* at = numbers + 2;
  if (!next_numbers(&at, checkpoint)) return false;
  size_t before = (size_t)(at - checkpoint->memory);
  if (before > body || checkpoint->state_size != body - before) return false;
  checkpoint->state = checkpoint->memory + before;
  return true;
}

CheckpointFound checkpoint_read(const char* path, Checkpoint* checkpoint) {
  size_t size = 0;
  bool is_missing;
  *checkpoint = (Checkpoint){0};
  checkpoint->memory = read_all(path, &size, &is_missing);
  if (!checkpoint->memory) return is_missing ? CHECKPOINT_MISSING : CHECKPOINT_DAMAGED;
  if (take_apart(checkpoint, size)) return CHECKPOINT_READ;
  checkpoint_free(checkpoint);
  return CHECKPOINT_DAMAGED;
}

typedef struct Writer {
  ZwDraft draft;
  ZwStatus status;
  uint64_t sum;
  char* error;
} Writer;

static void put(Writer* writer, const void* data, size_t size) {
  writer->sum = checkpoint_sum(writer->sum, data, size);
  if (!writer->status) writer->status = zw_draft_write(&writer->draft, data, size, writer->error);
}

bool checkpoint_write(const char* path, const Checkpoint* checkpoint, char error[ZW_DRAFT_ERROR]) {
  char numbers[400];
  ZwAllocator allocator = zw_allocator_default();
  Writer writer = {.sum = SUM_BEGIN, .error = error};
  int size = zw_snprintf(numbers, sizeof numbers,
                         "\nrows %lld\nbytes %lld %016llx\ncontacts %lld %lld %016llx\nt %.17g\nto %.17g\nevery "
                         "%.17g\nseconds %.17g\nstate %zu\n",
                         (long long)checkpoint->rows, (long long)checkpoint->bytes, (unsigned long long)checkpoint->sum,
                         (long long)checkpoint->contact_rows, (long long)checkpoint->contact_bytes,
                         (unsigned long long)checkpoint->contact_sum, checkpoint->t, checkpoint->to, checkpoint->every,
                         checkpoint->seconds, checkpoint->state_size);
  writer.status = zw_draft_open(&writer.draft, &allocator, path, error);
  if (writer.status) return false;
  put(&writer, first_line, strlen(first_line));
  put(&writer, checkpoint->description, strlen(checkpoint->description));
  put(&writer, numbers, (size_t)size);
  put(&writer, checkpoint->state, checkpoint->state_size);
  uint64_t sum = writer.sum;
  put(&writer, &sum, sizeof sum);
  if (!writer.status) writer.status = zw_draft_sync(&writer.draft, error);
  if (!writer.status) return zw_draft_finish(&writer.draft, error) == ZW_OK;
  zw_draft_discard(&writer.draft);
  return false;
}

void checkpoint_free(Checkpoint* checkpoint) {
  free(checkpoint->memory);
  *checkpoint = (Checkpoint){0};
}
