/* table(file, x): a CSV file becomes a function. It is read while building, from a file beside the model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/builder.h"
#include "text/nfc.h"

typedef struct Columns {
  ZW_ARRAY(double) x, y;
} Columns;

/* One field of a line, without quotes and spaces around it; *at moves behind its comma. A comma between quotes belongs to the
 * field. False at the end of the line. */
static bool next_field(ZwStr line, int32_t* at, ZwStr* field) {
  if (*at > line.size) return false;
  int32_t begin = *at, end = begin;
  for (bool is_quoted = false; end < line.size; end++) {
    if (line.data[end] == '"') is_quoted = !is_quoted;
    if (!is_quoted && (line.data[end] == ',' || line.data[end] == ';' || line.data[end] == '\t')) break;
  }
  *at = end + 1;
  while (begin < end && (line.data[begin] == ' ' || line.data[begin] == '"')) begin++;
  while (end > begin && strchr(" \"\r", line.data[end - 1])) end--;
  *field = (ZwStr){line.data + begin, end - begin};
  return true;
}

static bool next_line(ZwStr text, int32_t* at, ZwStr* line) {
  if (*at >= text.size) return false;
  int32_t end = *at;
  while (end < text.size && text.data[end] != '\n') end++;
  *line = (ZwStr){text.data + *at, end - *at};
  *at = end + 1;
  return true;
}

static bool field_number(ZwStr field, double* number) {
  ZwNumber read = zw_number_read(field.data, field.size);
  *number = read.value;
  return read.kind != ZW_NUMBER_NONE && read.size == field.size && isfinite(read.value);
}

/* The number of the column called `name` in the first line, -1 if there is none. Either may have been typed in any
 * form, as names are. */
static int32_t find_column(ZwArena* arena, ZwStr header, ZwStr name) {
  ZwStr field;
  int32_t at = 0;
  name = zw_nfc(arena, name);
  for (int32_t k = 0; next_field(header, &at, &field); k++) {
    if (zw_str_equal(zw_nfc(arena, field), name)) return k;
  }
  return -1;
}

/* Both numbers of a line; false when it holds none. */
static bool line_numbers(ZwStr line, int32_t column, double* x, double* y) {
  ZwStr field;
  int32_t at = 0;
  bool has_x = false, has_y = false;
  for (int32_t k = 0; next_field(line, &at, &field); k++) {
    if (k == 0) has_x = field_number(field, x);
    if (k == column) has_y = field_number(field, y);
  }
  return has_x && has_y;
}

static bool read_columns(ZwBuild* build, ZwStr text, int32_t column, ZwSpan span, Columns* columns) {
  ZwStr line;
  int32_t at = 0, number = 0;
  while (next_line(text, &at, &line)) {
    double x = 0, y = 0;
    number++;
    bool is_blank = line.size == 0 || (line.size == 1 && line.data[0] == '\r');
    if (is_blank) continue;
    if (!line_numbers(line, column, &x, &y)) {
      if (number == 1) continue; /* a line of names */
      zw_diag_error(build->diags, ZW_ERR_VALUE, span, "line %d of the table does not hold numbers in both columns",
                    (int)number);
      return false;
    }
    if (columns->x.count > 0 && !(x > columns->x.items[columns->x.count - 1])) {
      zw_diag_error(build->diags, ZW_ERR_VALUE, span, "the first column of the table must ascend; line %d does not",
                    (int)number);
      return false;
    }
    if (!ZW_PUSH(build->arena, &columns->x, x) || !ZW_PUSH(build->arena, &columns->y, y)) return false;
  }
  if (columns->x.count >= 2) return true;
  zw_diag_error(build->diags, ZW_ERR_VALUE, span, "a table needs at least two lines of numbers");
  return false;
}

static bool load_table(ZwBuild* build, const ZwAst* file, const ZwAst* name, ZwTable* table) {
  if (!build->def->load) {
    zw_diag_error(build->diags, ZW_ERR_NAME, file->span, "there is no file '%.*s'", ZW_STR_ARGS(file->text));
    return false;
  }
  int32_t source = build->def->load(build->def->load_context, file->text, false, file->span);
  if (!source) return false;
  ZwStr text = zw_sources_get(build->diags->sources, source)->text, header = {"", 0};
  int32_t at = 0, column = 1;
  if (name) {
    (void)next_line(text, &at, &header);
    column = find_column(build->def->trees, header, name->text);
    if (column < 1) {
      zw_diag_error(build->diags, ZW_ERR_NAME, name->span, "the table has no column '%.*s'", ZW_STR_ARGS(name->text));
      return false;
    }
  }
  Columns columns = {0};
  return read_columns(build, text, column, file->span, &columns) &&
         zw_table_build(table, build->arena, columns.x.items, columns.y.items, columns.x.count);
}

/* The same file and column is read once. */
static int32_t find_table(ZwBuild* build, const ZwAst* file, const ZwAst* name) {
  ZwStr folder = zw_build_folder(build, file->span);
  for (int32_t i = 0; i < build->tables.count; i++) {
    const ZwTableSource* known = &build->tables.items[i];
    bool same_column = name ? zw_str_equal(known->column, name->text) : known->column.size == 0;
    bool same_file = zw_str_equal(known->file, file->text) && zw_str_equal(known->folder, folder);
    if (same_file && same_column) return i;
  }
  ZwTable table;
  ZwTableSource source = {file->text, folder, name ? name->text : (ZwStr){"", 0}};
  if (!load_table(build, file, name, &table)) return -1;
  if (!ZW_PUSH(build->arena, &build->system->tables.list, table) || !ZW_PUSH(build->arena, &build->tables, source))
    return -1;
  return build->tables.count - 1;
}

ZwValue zw_build_table(ZwBuild* build, const ZwAst* call) {
  ZwGraph* graph = &build->system->graph;
  ZwValue none = zw_value_zero(graph, 1);
  const ZwAst* file = call->first ? call->first->a : NULL;
  const ZwAst* at = file && call->first->next ? call->first->next->a : NULL;
  const ZwAst* name = at && call->first->next->next ? call->first->next->next->a : NULL;
  bool is_fine = at && file->kind == ZW_AST_STRING && (!name || name->kind == ZW_AST_STRING) && call->count <= 3;
  if (!is_fine) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, call->span,
                  "'table' takes a file name in quotes, a value, and perhaps a column");
    zw_diag_remedy(build->diags, "as in table(\"cam.csv\", x) or table(\"cam.csv\", x, \"lift\")");
    return none;
  }
  ZwExpr x = zw_build_scalar(build, at, "the argument of a table");
  int32_t number = find_table(build, file, name);
  if (number < 0) return none;
  zw_build_mark(build, call);
  return zw_value_scalar(zw_expr_apply(graph, ZW_OP_TABLE, x, zw_expr_const(graph, number), zw_expr_const(graph, 0)));
}
