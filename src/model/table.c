/* table(file, x): a CSV file becomes a function. It is read while building, from a file beside the model. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/utf8.h"
#include "model/builder.h"
#include "text/nfc.h"

typedef struct Columns {
  ZW_ARRAY(double) x, y;
  double origin; /* x is counted from it */
} Columns;

/* A file as it is read, line by line. */
typedef struct Reading {
  ZwBuild* build;
  ZwSpan span; /* of its name in the model */
  ZwStr text, file;
  char separator;  /* of all its lines */
  char ending;     /* of all its lines */
  int32_t fields;  /* of all its lines */
  int32_t column;  /* wanted */
  int32_t at;      /* next line begins here, */
  int32_t number;  /* and the present one is so many */
  bool has_header; /* its first line holds names */
} Reading;

/* One field of a line, without quotes and spaces around it; *at moves past its separator. A separator between quotes belongs to
 * the field. False at the end of the line. */
static bool next_field(ZwStr line, char separator, int32_t* at, ZwStr* field) {
  if (*at > line.size) return false;
  int32_t begin = *at, end = begin;
  for (bool is_quoted = false; end < line.size; end++) {
    if (line.data[end] == '"') is_quoted = !is_quoted;
    if (!is_quoted && line.data[end] == separator) break;
  }
  *at = end + 1;
  while (begin < end && (line.data[begin] == ' ' || line.data[begin] == '"')) begin++;
  while (end > begin && (line.data[end - 1] == ' ' || line.data[end - 1] == '"')) end--;
  *field = (ZwStr){line.data + begin, end - begin};
  return true;
}

/* Field number `wanted`, an empty one when there are fewer. */
static ZwStr field_of(ZwStr line, char separator, int32_t wanted) {
  ZwStr field;
  int32_t at = 0;
  for (int32_t k = 0; next_field(line, separator, &at, &field); k++) {
    if (k == wanted) return field;
  }
  return (ZwStr){"", 0};
}

static int32_t count_fields(ZwStr line, char separator) {
  ZwStr field;
  int32_t at = 0, count = 0;
  while (next_field(line, separator, &at, &field)) count++;
  return count;
}

/* The next line that is not empty. */
static bool next_line(Reading* reading, ZwStr* line) {
  ZwStr text = reading->text;
  do {
    if (reading->at >= text.size) return false;
    int32_t begin = reading->at, end = begin;
    while (end < text.size && text.data[end] != reading->ending) end++;
    reading->at = end + 1;
    reading->number++;
    if (end > begin && text.data[end - 1] == '\r') end--;
    *line = (ZwStr){text.data + begin, end - begin};
  } while (line->size == 0);
  return true;
}

/* Semicolons and tabs come before commas: where they separate, a comma is a mistake that is to be told. */
static char find_separator(ZwStr line) {
  static const char separators[] = {';', '\t'};
  for (int i = 0; i < 2; i++) {
    if (count_fields(line, separators[i]) > 1) return separators[i];
  }
  return ',';
}

static bool is_number(ZwStr field) {
  ZwNumber read = zw_number_read(field.data, field.size);
  return read.kind == ZW_NUMBER_FINE && read.size == field.size && isfinite(read.value);
}

/* Nothing but digits and what may stand between them: no name of a column, but "1,5" or "1.5.2". */
static bool is_like_a_number(ZwStr field) {
  bool has_digit = false;
  for (int32_t i = 0; i < field.size; i++) {
    bool is_digit = field.data[i] >= '0' && field.data[i] <= '9';
    if (!is_digit && !memchr("+-.,eE' ", field.data[i], 8)) return false;
    has_digit = has_digit || is_digit;
  }
  return has_digit;
}

/* A minus or a dash of typesetting, where '-' is meant: U+2212, U+2013. */
static bool begins_with_dash(ZwStr field) {
  return field.size >= 3 && (memcmp(field.data, "\xE2\x88\x92", 3) == 0 || memcmp(field.data, "\xE2\x80\x93", 3) == 0);
}

/* Meant as a number, also one that cannot be used. */
static bool is_meant_as_number(ZwStr field) {
  if (begins_with_dash(field)) field = (ZwStr){field.data + 3, field.size - 3};
  ZwNumber read = zw_number_read(field.data, field.size);
  bool is_read = field.size > 0 && read.kind != ZW_NUMBER_NONE && read.size == field.size; /* nan and inf are */
  return is_read || is_like_a_number(field);
}

/* A first line of names has a name in front, or nothing, as where rows are numbered, but never numbers in all other fields. */
static bool is_header(ZwStr line, char separator) {
  ZwStr field;
  int32_t at = 0, others = 0, numbers = 0;
  if (!next_field(line, separator, &at, &field) || is_meant_as_number(field)) return false;
  for (; next_field(line, separator, &at, &field); others++) numbers += is_meant_as_number(field);
  return others == 0 || numbers < others;
}

/* ---- what is wrong with a line ---- */

/* Where the first character of the field that cannot be seen stands, which *character is; -1: there is none. */
static int32_t find_unseen(ZwStr field, uint32_t* character) {
  for (int32_t i = 0, bytes; i < field.size; i += bytes) {
    bytes = zw_utf8_next(field.data + i, field.size - i, character);
    if (*character < 0x20 || (*character >= 0x7F && *character <= 0xA0) || zw_is_hidden(*character)) return i;
  }
  return -1;
}

/* Quoted as it is, such a field would seem to be a number, or would end where it does not. */
static bool refuse_unseen(const Reading* reading, ZwStr field, int32_t at, uint32_t character) {
  ZwDiagList* diags = reading->build->diags;
  zw_diag_error(diags, ZW_ERR_VALUE, reading->span,
                "line %d of the table does not hold numbers in both columns: a character that cannot be seen (U+%04X) "
                "stands %s%.*s%s",
                (int)reading->number, (unsigned)character, at > 0 ? "after '" : "at the start of a field",
                (int)(at < 40 ? at : 40), field.data, at > 0 ? "'" : "");
  zw_diag_remedy(diags, "delete it, or write the file anew as plain text");
  return false;
}

static bool refuse_field(const Reading* reading, ZwStr field) {
  ZwDiagList* diags = reading->build->diags;
  uint32_t character;
  int32_t unseen = find_unseen(field, &character);
  if (unseen >= 0) return refuse_unseen(reading, field, unseen, character);
  ZwNumberKind kind = zw_number_read(field.data, field.size).kind;
  zw_diag_error(diags, ZW_ERR_VALUE, reading->span,
                "line %d of the table does not hold numbers in both columns: '%.*s' is %s", (int)reading->number,
                (int)(field.size < 40 ? field.size : 40), field.data,
                kind == ZW_NUMBER_HUGE   ? "too large"
                : kind == ZW_NUMBER_TINY ? "too small, it would be 0"
                                         : "not a number");
  if (memchr(field.data, ',', (size_t)field.size)) {
    zw_diag_remedy(diags, "decimals are written with a point");
  } else if (field.size == 0) {
    zw_diag_remedy(diags, "leave the line out, or fill the field");
  } else if (begins_with_dash(field)) {
    zw_diag_remedy(diags, "minus is written as '-', U+002D");
  } else if (reading->number == 1 && kind == ZW_NUMBER_NONE) {
    zw_diag_remedy(diags, "names of columns stand in the first line, all of them");
  }
  return false;
}

static bool refuse_count(const Reading* reading, int32_t count) {
  zw_diag_error(reading->build->diags, ZW_ERR_VALUE, reading->span,
                "line %d of the table has %d field%s, and the first %d", (int)reading->number, (int)count,
                count == 1 ? "" : "s", (int)reading->fields);
  zw_diag_remedy(reading->build->diags,
                 "fields are separated by commas, semicolons or tabs, the same in all lines; decimals "
                 "are written with a point");
  return false;
}

/* ---- columns ---- */

/* The number of the column called `name` in the first line. Either may have been typed in any form, as names are. */
static bool find_column(Reading* reading, ZwStr header, const ZwAst* name) {
  ZwBuild* build = reading->build;
  ZwStr field, wanted = zw_nfc(build->def->trees, name->text);
  int32_t at = 0, found = -1;
  for (int32_t k = 0; next_field(header, reading->separator, &at, &field); k++) {
    if (!zw_str_equal(zw_nfc(build->def->trees, field), wanted)) continue;
    if (found >= 0) {
      zw_diag_error(build->diags, ZW_ERR_NAME, name->span, "line %d of the table names two columns '%.*s'",
                    (int)reading->number, ZW_STR_ARGS(name->text));
      return false;
    }
    found = k;
  }
  reading->column = found;
  if (found >= 1) return true;
  zw_diag_error(build->diags, ZW_ERR_NAME, name->span, "the table has no column '%.*s'", ZW_STR_ARGS(name->text));
  return false;
}

static int compare_names(const void* a, const void* b) {
  const ZwStr *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  return memcmp(x->data, y->data, (size_t)x->size);
}

/* Of two columns named alike nothing tells which one is meant, and one may be a slip. Columns without a name are not meant. */
static bool check_names(const Reading* reading, ZwStr header) {
  ZwBuild* build = reading->build;
  ZwStr field, *names = ZW_NEW(build->def->trees, reading->fields, ZwStr);
  int32_t at = 0, count = 0;
  if (!names) return false;
  while (next_field(header, reading->separator, &at, &field)) names[count++] = zw_nfc(build->def->trees, field);
  qsort(names, (size_t)count, sizeof *names, compare_names);
  for (int32_t i = 1; i < count; i++) {
    if (names[i].size == 0 || !zw_str_equal(names[i - 1], names[i])) continue;
    zw_diag_error(build->diags, ZW_ERR_NAME, reading->span, "line %d of the table names two columns '%.*s'",
                  (int)reading->number, ZW_STR_ARGS(names[i]));
    return false;
  }
  return true;
}

/* Spreadsheets write "Unicode text" in 16 bits per character. */
static bool check_encoding(const Reading* reading) {
  const char* encoding = zw_utf8_other(reading->text.data, reading->text.size);
  if (!encoding) return true;
  zw_diag_error(reading->build->diags, ZW_ERR_VALUE, reading->span, "the table is written in %s, not in UTF-8",
                encoding);
  zw_diag_remedy(reading->build->diags, "save it as UTF-8, or by iconv -f %s -t UTF-8", encoding);
  return false;
}

/* Old programs end lines by CR alone. */
static char find_ending(ZwStr text) {
  bool has_newlines = text.size > 0 && memchr(text.data, '\n', (size_t)text.size);
  return has_newlines ? '\n' : '\r';
}

/* Looks at the first line: what separates, how many fields there are, whether they are names. */
static bool begin_table(Reading* reading, const ZwAst* name) {
  ZwStr line;
  static const char mark[] = "\xEF\xBB\xBF";
  if (!check_encoding(reading)) return false;
  if (reading->text.size >= 3 && memcmp(reading->text.data, mark, 3) == 0) reading->at = 3;
  int32_t at = reading->at;
  reading->column = 1;
  reading->ending = find_ending(reading->text);
  if (!next_line(reading, &line)) line = (ZwStr){"", 0};
  reading->separator = find_separator(line);
  reading->fields = count_fields(line, reading->separator);
  reading->has_header = name || is_header(line, reading->separator);
  if (name && !find_column(reading, line, name)) return false;
  if (reading->has_header && !check_names(reading, line)) return false;
  if (!reading->has_header) { /* numbers already */
    reading->at = at;
    reading->number--;
  }
  return true;
}

static bool read_number(const Reading* reading, ZwStr line, int32_t column, double* number) {
  ZwStr field = field_of(line, reading->separator, column);
  if (!is_number(field)) return refuse_field(reading, field);
  *number = zw_number_read(field.data, field.size).value;
  return true;
}

/* Whole numbers up to this one and their fractions fit into a number side by side. */
#define NEAR 1048576.0

/* A decimal as a whole number and the rest of it, neither rounded for the sake of the other; false: it is written otherwise. */
static bool split_decimal(ZwStr field, double* whole, double* rest) {
  int32_t at = field.size > 0 && (field.data[0] == '-' || field.data[0] == '+'), begin = at;
  bool is_negative = at > 0 && field.data[0] == '-';
  for (*whole = 0; at < field.size && field.data[at] >= '0' && field.data[at] <= '9'; at++) {
    *whole = 10 * *whole + (field.data[at] - '0');
  }
  bool is_plain = at > begin && *whole < 1 / DBL_EPSILON;
  for (int32_t i = at; i < field.size; i++) {
    is_plain = is_plain && ((i == at && field.data[i] == '.') || (field.data[i] >= '0' && field.data[i] <= '9'));
  }
  if (!is_plain) return false;
  *rest = at + 1 < field.size ? zw_number_read(field.data + at, field.size - at).value : 0;
  if (is_negative) *whole = -*whole;
  if (is_negative) *rest = -*rest;
  return true;
}

/* x of a line. Far ones are counted from the first, so that clocks in seconds keep their milliseconds. */
static bool read_x(const Reading* reading, ZwStr line, Columns* columns, double* x) {
  double whole, rest;
  if (!read_number(reading, line, 0, x)) return false;
  bool is_plain = split_decimal(field_of(line, reading->separator, 0), &whole, &rest);
  if (columns->x.count == 0 && is_plain && fabs(whole) > NEAR) columns->origin = whole;
  if (columns->origin != 0) *x = is_plain ? (whole - columns->origin) + rest : *x - columns->origin;
  return true;
}

static bool read_columns(Reading* reading, Columns* columns) {
  ZwDiagList* diags = reading->build->diags;
  ZwStr line;
  while (next_line(reading, &line)) {
    double x, y;
    int32_t count = count_fields(line, reading->separator);
    if (count != reading->fields) return refuse_count(reading, count);
    if (!read_x(reading, line, columns, &x) || !read_number(reading, line, reading->column, &y)) return false;
    if (columns->x.count > 0 && !(x > columns->x.items[columns->x.count - 1])) {
      zw_diag_error(diags, ZW_ERR_VALUE, reading->span, "the first column of the table must ascend; line %d does not",
                    (int)reading->number);
      return false;
    }
    ZwArena* arena = reading->build->arena;
    if (!ZW_PUSH(arena, &columns->x, x) || !ZW_PUSH(arena, &columns->y, y)) return false;
  }
  if (columns->x.count >= 2) return true;
  zw_diag_error(diags, ZW_ERR_VALUE, reading->span, "a table needs at least two lines of numbers");
  zw_diag_remedy(diags, "each line is one point of the curve, as in: 0, 1");
  return false;
}

/* The last point is the first one again, up to the digits that a file may leave out. */
static bool close_period(const Reading* reading, Columns* columns) {
  double *y = columns->y.items, least = y[0], most = y[0];
  int32_t last = columns->y.count - 1;
  for (int32_t i = 1; i <= last; i++) {
    least = fmin(least, y[i]);
    most = fmax(most, y[i]);
  }
  if (fabs(y[last] - y[0]) > 1e-9 * (most - least)) {
    zw_diag_error(reading->build->diags, ZW_ERR_VALUE, reading->span,
                  "a periodic table must end at the value it begins with; line %d has %.9g, not %.9g",
                  (int)reading->number, y[last], y[0]);
    return false;
  }
  y[last] = y[0];
  return true;
}

static bool load_table(ZwBuild* build, const ZwAst* file, const ZwAst* name, bool is_periodic, ZwTable* table) {
  if (!build->def->load) {
    zw_diag_error(build->diags, ZW_ERR_NAME, file->span, "there is no file '%.*s'", ZW_STR_ARGS(file->text));
    return false;
  }
  int32_t source = build->def->load(build->def->load_context, file->text, false, file->span);
  if (!source) return false;
  Reading reading = {.build = build,
                     .span = file->span,
                     .text = zw_sources_get(build->diags->sources, source)->text,
                     .file = file->text};
  Columns columns = {0};
  bool is_built = begin_table(&reading, name) && read_columns(&reading, &columns) &&
                  (!is_periodic || close_period(&reading, &columns)) &&
                  zw_table_build(table, build->arena, columns.x.items, columns.y.items, columns.x.count, is_periodic);
  if (is_built) table->origin = columns.origin;
  return is_built;
}

/* The same file and column is read once. */
static int32_t find_table(ZwBuild* build, const ZwAst* file, const ZwAst* name, bool is_periodic) {
  ZwStr folder = zw_build_folder(build, file->span);
  for (int32_t i = 0; i < build->tables.count; i++) {
    const ZwTableSource* known = &build->tables.items[i];
    bool same_column = name ? zw_str_equal(known->column, name->text) : known->column.size == 0;
    bool same_file = zw_str_equal(known->file, file->text) && zw_str_equal(known->folder, folder);
    if (same_file && same_column && known->is_periodic == is_periodic) return i;
  }
  ZwTable table;
  ZwTableSource source = {file->text, folder, name ? name->text : (ZwStr){"", 0}, is_periodic};
  if (!load_table(build, file, name, is_periodic, &table)) return -1;
  if (!ZW_PUSH(build->arena, &build->system->tables.list, table) || !ZW_PUSH(build->arena, &build->tables, source))
    return -1;
  return build->tables.count - 1;
}

static bool is_word(const ZwAst* node, const char* word) {
  return node->kind == ZW_AST_NAME && zw_str_equal(node->text, zw_str_from(word));
}

/* table(file, x [, column] [, periodic]) */
typedef struct Call {
  const ZwAst *file, *at, *column;
  bool is_periodic;
} Call;

static bool read_call(const ZwAst* call, Call* parts) {
  const ZwAst* arg = call->first;
  *parts = (Call){0};
  if (call->count < 2 || call->count > 4 || arg->a->kind != ZW_AST_STRING) return false;
  parts->file = arg->a;
  parts->at = arg->next->a;
  for (arg = arg->next->next; arg; arg = arg->next) {
    if (arg->a->kind == ZW_AST_STRING && !parts->column && !parts->is_periodic)
      parts->column = arg->a;
    else if (is_word(arg->a, "periodic") && !parts->is_periodic)
      parts->is_periodic = true;
    else
      return false;
  }
  return true;
}

ZwValue zw_build_table(ZwBuild* build, const ZwAst* call) {
  ZwGraph* graph = &build->system->graph;
  ZwValue none = zw_value_zero(graph, 1);
  Call parts;
  if (!read_call(call, &parts)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, call->span,
                  "'table' takes a file name in quotes, a value, and perhaps a column and the word periodic");
    zw_diag_remedy(build->diags,
                   "as in table(\"cam.csv\", x), table(\"cam.csv\", x, \"lift\") or table(\"cam.csv\", x, "
                   "periodic)");
    return none;
  }
  ZwExpr x = zw_build_scalar(build, parts.at, "the argument of a table");
  int32_t number = find_table(build, parts.file, parts.column, parts.is_periodic);
  if (number < 0) return none;
  zw_build_mark(build, call);
  return zw_value_scalar(zw_expr_apply(graph, ZW_OP_TABLE, x, zw_expr_const(graph, number), zw_expr_const(graph, 0)));
}
