/* Problem files: a JSON object with M, h, A, b, and perhaps a generalized inverse and names. Read with jansson; its numbers are decimal
 * points whatever the locale. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "cli/least.h"

enum { SIZE_MOST = 4096 };

typedef struct Reading {
  const Options* options;
  ZwArena* arena;
  const json_t* root;
} Reading;

static int wrong(const Reading* reading, const char* format, const char* key, const char* what) {
  const char* text = zw_format(reading->arena, format, key, what);
  return complain(reading->options, ZW_ERR_VALUE, "%s: %s", reading->options->file, text ? text : "out of memory");
}

/* ---- numbers ---- */

static bool take_number(const json_t* value, double* number) {
  if (!json_is_number(value)) return false;
  *number = json_number_value(value);
  return isfinite(*number);
}

/* "and has 2", or "and is no list" */
static const char* found_in(const Reading* reading, const json_t* value) {
  if (!json_is_array(value)) return "is no list";
  return zw_format(reading->arena, "has %zu", json_array_size(value));
}

static int read_entries(const Reading* reading, const char* key, const char* of, const json_t* list, int32_t count,
                        double* to) {
  for (int32_t j = 0; j < count; j++) {
    if (!take_number(json_array_get(list, (size_t)j), &to[j])) {
      const char* place = zw_format(reading->arena, "entry %d%s is no finite number", (int)j + 1, of);
      return wrong(reading, "'%s': %s", key, place);
    }
  }
  return EXIT_FINE;
}

static int read_row(const Reading* reading, const char* key, const json_t* row, int32_t i, int32_t columns,
                    double* to) {
  if (!json_is_array(row) || json_array_size(row) != (size_t)columns) {
    const char* shape = zw_format(reading->arena, "%d number%s in each row; row %d %s", (int)columns,
                                  columns == 1 ? "" : "s", (int)i + 1, found_in(reading, row));
    return wrong(reading, "'%s' needs %s", key, shape);
  }
  const char* of = zw_format(reading->arena, " of row %d", (int)i + 1);
  return of ? read_entries(reading, key, of, row, columns, to)
            : complain(reading->options, ZW_ERR_MEMORY, "out of memory");
}

static double* numbers(const Reading* reading, ptrdiff_t count) {
  return zw_arena_alloc(reading->arena, count + 1, sizeof(double));
}

/* A matrix of one row is a list of one list. */
static bool is_flat(const json_t* value) {
  return json_array_size(value) > 0 && json_is_number(json_array_get(value, 0));
}

static int read_matrix(const Reading* reading, const char* key, int32_t rows, int32_t columns, double** to) {
  const json_t* value = json_object_get(reading->root, key);
  if (is_flat(value)) return wrong(reading, "'%s' is a list of %s", key, "numbers; write rows, as in [[1, 2], [3, 4]]");
  if (!json_is_array(value) || json_array_size(value) != (size_t)rows) {
    const char* shape =
        zw_format(reading->arena, "%d row%s of %d number%s%s%s", (int)rows, rows == 1 ? "" : "s", (int)columns,
                  columns == 1 ? "" : "s", value ? ", and " : "", value ? found_in(reading, value) : "");
    return wrong(reading, value ? "'%s' needs %s" : "'%s' is missing: %s", key, shape);
  }
  *to = numbers(reading, (ptrdiff_t)rows * columns);
  if (!*to) return complain(reading->options, ZW_ERR_MEMORY, "out of memory");
  for (int32_t i = 0; i < rows; i++) {
    int exit_code = read_row(reading, key, json_array_get(value, (size_t)i), i, columns, *to + (ptrdiff_t)i * columns);
    if (exit_code) return exit_code;
  }
  return EXIT_FINE;
}

/* A list of `count` entries. */
static int read_vector(const Reading* reading, const char* key, int32_t count, double** to) {
  const json_t* value = json_object_get(reading->root, key);
  *to = numbers(reading, count);
  if (!*to) return complain(reading->options, ZW_ERR_MEMORY, "out of memory");
  return read_entries(reading, key, "", value, count, *to);
}

/* ---- names ---- */

/* q1, q2, .. */
static int number_names(const Reading* reading, const char* letter, int32_t count, const char** to) {
  for (int32_t i = 0; i < count; i++) to[i] = zw_format(reading->arena, "%s%d", letter, (int)i + 1);
  return reading->arena->failed ? complain(reading->options, ZW_ERR_MEMORY, "out of memory") : EXIT_FINE;
}

/* Options tell coordinates apart by their names. */
static int read_name(const Reading* reading, const char* key, const json_t* value, int32_t i, const char** to) {
  const char* text = json_string_value(json_array_get(value, (size_t)i));
  if (!text || !*text) {
    const char* place = zw_format(reading->arena, "entry %d is no name; write a text, as in \"x\"", (int)i + 1);
    return wrong(reading, "'%s': %s", key, place);
  }
  for (int32_t k = 0; k < i; k++) {
    if (strcmp(to[k], text) == 0) return wrong(reading, "'%s' has the name '%s' twice; each stands once", key, text);
  }
  to[i] = zw_format(reading->arena, "%s", text);
  return to[i] ? EXIT_FINE : complain(reading->options, ZW_ERR_MEMORY, "out of memory");
}

static int read_names(const Reading* reading, const char* key, const char* letter, int32_t count, const char*** to) {
  const json_t* value = json_object_get(reading->root, key);
  *to = ZW_NEW(reading->arena, count + 1, const char*);
  if (!*to) return complain(reading->options, ZW_ERR_MEMORY, "out of memory");
  if (!value) return number_names(reading, letter, count, *to);
  if (!json_is_array(value) || json_array_size(value) != (size_t)count) {
    const char* shape =
        zw_format(reading->arena, "a list of %d names, one for each number of %s, and %s; leave it out for %s1, ..",
                  (int)count, *letter == 'q' ? "h" : "b", found_in(reading, value), letter);
    return wrong(reading, "'%s' needs %s", key, shape);
  }
  for (int32_t i = 0; i < count; i++) {
    int exit_code = read_name(reading, key, value, i, *to);
    if (exit_code) return exit_code;
  }
  return EXIT_FINE;
}

/* ---- inverses ---- */

/* The one that is stated; A_inverse1 beside H_inverse13 says how H is formed. */
static int read_inverse(const Reading* reading, Problem* p) {
  static const char* const keys[] = {"inverse14", "inverse1", "H_inverse13", "A_inverse1"};
  static const ZwInverseKind kinds[] = {ZW_INVERSE_C14, ZW_INVERSE_D1, ZW_INVERSE_H13, ZW_INVERSE_A1};
  int32_t n = p->n, m = p->m, sizes[][2] = {{n, m}, {m, m}, {n, n}, {n, m}};
  const char* before = NULL;
  for (int i = 0; i < 4; i++) {
    if (!json_object_get(reading->root, keys[i])) continue;
    bool is_beside = kinds[i] == ZW_INVERSE_A1 && p->kind == ZW_INVERSE_H13;
    if (m == 0 && kinds[i] != ZW_INVERSE_H13) {
      return wrong(reading, "'%s' is an inverse for constraints, and the file states no constraints%s", keys[i],
                   "; state A and b, or leave it out");
    }
    if (before && !is_beside) return wrong(reading, "'%s' and '%s' cannot both be the inverse", before, keys[i]);
    int exit_code = read_matrix(reading, keys[i], sizes[i][0], sizes[i][1], is_beside ? &p->A_inverse : &p->inverse);
    if (exit_code) return exit_code;
    if (!is_beside) p->kind = kinds[i];
    before = keys[i];
  }
  return EXIT_FINE;
}

/* ---- the file ---- */

static int read_parts(const Reading* reading, Problem* p) {
  const json_t *h = json_object_get(reading->root, "h"), *b = json_object_get(reading->root, "b");
  size_t n = json_array_size(h), m = json_array_size(b);
  if (n < 1 || n > SIZE_MOST || m > SIZE_MOST || (b && !json_is_array(b)))
    return n < 1 || n > SIZE_MOST ? wrong(reading, "'%s' needs a list of %s numbers", "h", "1 to 4096")
                                  : wrong(reading, "'%s' needs a list of %s numbers", "b", "up to 4096");
  if (m == 0 && json_array_size(json_object_get(reading->root, "A")) > 0)
    return wrong(reading, "'%s' %s", "A", "has rows, and 'b' has no number for them: a row of A a = b needs both");
  size_t rows = json_array_size(json_object_get(reading->root, "A"));
  if (m > 0 && rows > 0 && rows != m && !is_flat(json_object_get(reading->root, "A"))) {
    const char* counts = zw_format(reading->arena, "%zu row%s, and 'b' has %zu number%s: each row of A a = b needs one",
                                   rows, rows == 1 ? "" : "s", m, m == 1 ? "" : "s");
    return wrong(reading, "'%s' has %s", "A", counts);
  }
  p->n = (int32_t)n;
  p->m = (int32_t)m;
  int exit_code = read_vector(reading, "h", p->n, &p->h);
  if (!exit_code) exit_code = read_matrix(reading, "M", p->n, p->n, &p->M);
  if (!exit_code && p->m > 0) exit_code = read_vector(reading, "b", p->m, &p->b);
  if (!exit_code && p->m > 0) exit_code = read_matrix(reading, "A", p->m, p->n, &p->A);
  if (!exit_code) exit_code = read_inverse(reading, p);
  if (!exit_code) exit_code = read_names(reading, "coordinates", "q", p->n, &p->coordinates);
  if (!exit_code) exit_code = read_names(reading, "rows", "c", p->m, &p->rows);
  return exit_code;
}

/* What is meant by most of what is no JSON. */
static const char* remedy_of(const json_error_t* error) {
  switch (json_error_code(error)) {
    case json_error_invalid_syntax:
      return strstr(error->text, "invalid token")
                 ? "; numbers are finite, as 0.5 or -1e-3, and names stand in double quotes"
                 : "; a problem is {\"M\": [[1]], \"h\": [0], \"A\": [[1]], \"b\": [0]}";
    case json_error_numeric_overflow:
      return "; numbers are finite, up to 1.79e308";
    case json_error_premature_end_of_input:
      return "; a problem is {\"M\": [[1]], \"h\": [0], \"A\": [[1]], \"b\": [0]}";
    case json_error_duplicate_key:
      return "; each key stands once";
    default:
      return "";
  }
}

int read_problem(const Options* options, ZwArena* arena, Problem* problem) {
  FileText text;
  *problem = (Problem){0};
  int exit_code = read_model_file(options, &text);
  if (exit_code) return exit_code;
  json_error_t error;
  json_t* root = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &error);
  if (!root || !json_is_object(root)) {
    exit_code = complain(options, ZW_ERR_SYNTAX, "%s:%d:%d: %s%s", options->file, root ? 1 : error.line,
                         root ? 1 : error.column, root ? "a JSON object with M, h, A and b is expected" : error.text,
                         root ? "" : remedy_of(&error));
  } else {
    Reading reading = {options, arena, root};
    exit_code = read_parts(&reading, problem);
  }
  json_decref(root);
  free(text.data);
  return exit_code;
}
