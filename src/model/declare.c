/* Declarations: names, and the scalar parameters and coordinates behind them. */
#include <string.h>

#include "model/builder.h"
#include "text/canonical.h"
#include "text/letters.h"

/* ---- names ---- */

ZwSpan zw_name_span(const ZwBuild* build, const ZwAst* decl) {
  int32_t begin = decl->span.begin;
  ZwStr text = zw_sources_get(build->diags->sources, decl->span.file)->text;
  return (ZwSpan){decl->span.file, begin, begin + zw_name_size(text.data + begin, text.size - begin)};
}

ZwStr zw_build_quote(ZwBuild* build, ZwSpan span) {
  return zw_canonical(build->arena, zw_sources_text(build->diags->sources, span));
}

/* Tables of runs and sweeps have columns of their own. */
void zw_build_check_column(ZwBuild* build, ZwSpan span, ZwStr name) {
  static const char* const own[] = {"t", "event", "member", "status", "reason", "moved", "steps", "rejected"};
  for (int i = 0; i < (int)(sizeof own / sizeof *own); i++) {
    if (!zw_str_equal(name, zw_str_from(own[i]))) continue;
    zw_diag_error(build->diags, ZW_ERR_NAME, span, "tables of results have a column '%s' of their own", own[i]);
    zw_diag_remedy(build->diags, "choose another name, as in %s1", own[i]);
    return;
  }
}

enum { LONGEST_INDEX = 12 }; /* a sign, ten digits, and what stands before it */

/* Writes the digits of an index, which is a whole number, to the end of a buffer; gives where they begin. */
static char* write_index(char* end, double index) {
  int64_t rest = index < 0 ? -(int64_t)index : (int64_t)index;
  do *--end = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (index < 0) *--end = '-';
  return end;
}

/* "[3,-1]", or nothing where there is no index; backwards from the end of the buffer */
static ZwStr key_text(char buffer[ZW_ARRAY_RANK * LONGEST_INDEX + 1], const double* key, int32_t rank) {
  char *end = buffer + ZW_ARRAY_RANK * LONGEST_INDEX + 1, *begin = end;
  if (rank > 0) *--begin = ']';
  for (int32_t i = rank - 1; i >= 0; i--) {
    begin = write_index(begin, key[i]);
    *--begin = i ? ',' : '[';
  }
  return (ZwStr){begin, (int32_t)(end - begin)};
}

ZwStr zw_build_full_name(ZwBuild* build, ZwStr name, const double* key, int32_t rank) {
  char buffer[ZW_ARRAY_RANK * LONGEST_INDEX + 1];
  if (!build->prefix[0] && rank == 0) return name;
  ZwStr indices = key_text(buffer, key, rank);
  if (!build->prefix[0]) return zw_str_from(zw_str_join(build->arena, name, indices));
  return zw_str_from(zw_format(build->arena, "%s%.*s%.*s", build->prefix, ZW_STR_ARGS(name), ZW_STR_ARGS(indices)));
}

ZwStr zw_build_component_name(ZwBuild* build, ZwStr name, int32_t dim, int32_t k) {
  if (dim == 1) return name;
  const char ending[] = {'.', (char)('x' + k)};
  return zw_str_from(zw_str_join(build->arena, name, (ZwStr){ending, 2}));
}

static void declared_twice(ZwBuild* build, const ZwEntity* before, ZwSpan span, ZwStr name) {
  ZwPlace place = zw_sources_place(build->diags->sources, before->span);
  zw_diag_error(build->diags, ZW_ERR_NAME, span, "'%.*s' is declared already, in line %d", ZW_STR_ARGS(name),
                (int)place.line);
  zw_diag_remedy(build->diags, "choose another name for one of them");
}

/* Without memory nothing is declared: the parameters or coordinates behind a name may be missing. */
ZwEntity* zw_build_declare(ZwBuild* build, ZwScope* scope, ZwEntity entity) {
  if (zw_build_is_out_of_memory(build)) return NULL;
  const ZwEntity* before = zw_scope_find_here(scope, entity.name);
  if (before) {
    declared_twice(build, before, entity.span, entity.name);
    return NULL;
  }
  if (zw_is_function_name(entity.name)) {
    zw_diag_error(build->diags, ZW_ERR_NAME, entity.span, "'%.*s' is a function of the language",
                  ZW_STR_ARGS(entity.name));
    zw_diag_remedy(build->diags, "choose another name");
    return NULL;
  }
  return zw_scope_add(scope, entity);
}

static ZwEntity* add_element(ZwBuild* build, ZwArray* array, const double* key, ZwEntity entity) {
  return zw_build_is_out_of_memory(build) ? NULL : zw_array_add(build->scratch, array, key, entity);
}

ZwEntity* zw_build_declare_element(ZwBuild* build, const ZwAst* name, ZwEntity entity) {
  double key[ZW_ARRAY_RANK];
  if (name->count == 0) return zw_build_declare(build, build->scope, entity);
  if (!zw_build_key(build, name->first, name->count, key, name->span)) return NULL;
  ZwEntity* owner = zw_scope_find_here(build->indexed_scope, entity.name);
  if (!owner) {
    ZwArray* array = ZW_NEW(build->scratch, 1, ZwArray);
    if (!array) return NULL;
    array->rank = name->count;
    owner =
        zw_build_declare(build, build->indexed_scope,
                         (ZwEntity){.kind = ZW_ENTITY_ARRAY, .name = entity.name, .span = entity.span, .array = array});
    if (!owner) return NULL;
  }
  if (owner->kind != ZW_ENTITY_ARRAY || owner->array->is_declared) {
    declared_twice(build, owner, entity.span, entity.name);
    return NULL;
  }
  if (owner->array->rank != name->count) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, name->span, "'%.*s' has %d ind%s, not %d", ZW_STR_ARGS(entity.name),
                  (int)owner->array->rank, owner->array->rank == 1 ? "ex" : "ices", (int)name->count);
    return NULL;
  }
  const ZwEntity* before = zw_array_find(owner->array, key);
  if (before) {
    char buffer[ZW_ARRAY_RANK * LONGEST_INDEX + 1];
    ZwStr indices = key_text(buffer, key, name->count);
    declared_twice(build, before, entity.span, zw_str_from(zw_str_join(build->arena, entity.name, indices)));
    return NULL;
  }
  return add_element(build, owner->array, key, entity);
}

/* ---- scalars, vectors and arrays of them ---- */

/* Makes the scalars behind one name and returns their entity. */
typedef ZwEntity (*MakeFn)(ZwBuild* build, const ZwAst* decl, ZwStr name, const ZwAst* init);

/* The ranges of a declaration, or those an array literal implies. */
static bool find_ranges(ZwBuild* build, const ZwAst* decl, ZwArray* array) {
  if (decl->count > ZW_ARRAY_RANK) {
    zw_diag_error(build->diags, ZW_ERR_LIMIT, decl->span, "more than %d indices", (int)ZW_ARRAY_RANK);
    return false;
  }
  for (const ZwAst* range = decl->first; range; range = range->next, array->rank++) {
    if (!zw_build_whole(build, range->a, &array->low[array->rank])) return false;
    if (!zw_build_whole(build, range->b, &array->high[array->rank])) return false;
  }
  if (decl->count > 0) return true;
  for (const ZwAst* literal = decl->a; literal && literal->kind == ZW_AST_ARRAY; literal = literal->first) {
    if (array->rank == ZW_ARRAY_RANK) {
      zw_diag_error(build->diags, ZW_ERR_LIMIT, decl->span, "more than %d indices", (int)ZW_ARRAY_RANK);
      return false;
    }
    array->low[array->rank] = 1;
    array->high[array->rank++] = literal->count;
  }
  return true;
}

/* Where the last element stood in the literals, so that long ones are not counted through from their begin each time. */
typedef struct Cursor {
  const ZwAst *literal[ZW_ARRAY_RANK], *element[ZW_ARRAY_RANK];
  double key[ZW_ARRAY_RANK];
} Cursor;

/* The initial value of an element: its place in a literal, or the one value for all. */
static const ZwAst* init_of(ZwBuild* build, const ZwAst* decl, const ZwArray* array, const double* key,
                            Cursor* cursor) {
  const ZwAst* init = decl->a;
  for (int32_t i = 0; i < array->rank && init && init->kind == ZW_AST_ARRAY; i++) {
    double wanted = array->high[i] - array->low[i] + 1;
    if (init->count != (int32_t)wanted) {
      zw_diag_error(build->diags, ZW_ERR_VALUE, init->span, "the range has %.0f elements, the literal %d", wanted,
                    (int)init->count);
      return NULL;
    }
    if (cursor->literal[i] != init || cursor->key[i] > key[i]) {
      cursor->literal[i] = init;
      cursor->element[i] = init->first;
      cursor->key[i] = array->low[i];
    }
    for (; cursor->key[i] < key[i]; cursor->key[i]++) cursor->element[i] = cursor->element[i]->next;
    init = cursor->element[i];
    if (i + 1 < array->rank && init->kind != ZW_AST_ARRAY) {
      zw_diag_error(build->diags, ZW_ERR_VALUE, init->span, "a row of the literal is missing its brackets");
      zw_diag_remedy(build->diags, "write one list for each row, as in [[1, 2], [3, 4]]");
      return NULL;
    }
  }
  return init;
}

static void make_elements(ZwBuild* build, const ZwAst* decl, ZwArray* array, MakeFn make) {
  double key[ZW_ARRAY_RANK], count = 1;
  Cursor cursor = {0};
  for (int32_t i = 0; i < array->rank; i++) {
    if (array->low[i] > array->high[i]) return; /* an empty range */
    key[i] = array->low[i];
    count *= array->high[i] - array->low[i] + 1;
  }
  if (!zw_build_count(build, count, decl->span)) return;
  int32_t errors = build->diags->errors;
  for (;;) {
    const ZwAst* init = init_of(build, decl, array, key, &cursor);
    if (build->diags->errors > errors || build->arena->failed) return;
    ZwStr name = zw_build_full_name(build, decl->text, key, array->rank);
    if (!add_element(build, array, key, make(build, decl, name, init))) return;
    int32_t i = array->rank - 1;
    while (i >= 0 && ++key[i] > array->high[i]) key[i] = array->low[i], i--;
    if (i < 0) return;
  }
}

static void declare_all(ZwBuild* build, const ZwAst* decl, MakeFn make) {
  bool is_literal = decl->a && decl->a->kind == ZW_AST_ARRAY;
  if (decl->count == 0 && !is_literal) {
    ZwEntity entity = make(build, decl, zw_build_full_name(build, decl->text, NULL, 0), decl->a);
    zw_build_declare(build, build->scope, entity);
    return;
  }
  ZwArray* array = ZW_NEW(build->scratch, 1, ZwArray);
  int32_t errors = build->diags->errors;
  if (!array) return;
  array->is_declared = true;
  array->is_wrong = !find_ranges(build, decl, array);
  ZwEntity entity = {.kind = ZW_ENTITY_ARRAY, .name = decl->text, .span = zw_name_span(build, decl), .array = array};
  if (zw_build_declare(build, build->scope, entity) && !array->is_wrong) make_elements(build, decl, array, make);
  if (build->diags->errors > errors) array->is_wrong = true;
}

/* ---- parameters ---- */

/* A value from outside: the command line's --set, or the `with` of the file that uses this one. */
static bool set_from_outside(ZwBuild* build, ZwStr name, ZwValue* value, bool* is_joined) {
  bool is_set = *is_joined = false;
  for (int32_t i = 0; i < build->with_count; i++) {
    if (!zw_str_equal(build->with[i].name, name)) continue;
    build->with[i].is_used = *is_joined = is_set = true;
    *value = build->with[i].value;
  }
  for (int32_t i = 0; i < build->def->setting_count; i++) { /* the command line has the last word */
    ZwSetting* setting = &build->def->settings[i];
    if (!zw_str_equal(setting->name, name)) continue;
    setting->is_used = is_set = true;
    *value = zw_build_checked(build, setting->value, ZW_MAY_READ_PARAMS, "the value of a parameter");
  }
  return is_set;
}

static bool add_param(ZwBuild* build, ZwParam param) {
  ZwSystem* system = build->system;
  ZwEnvironment environment = {.params = build->values.items};
  double number = param.value.ref ? zw_expr_eval(&build->evaluator, &system->graph, param.value, &environment) : 0;
  return ZW_PUSH(system->arena, &system->params, param) && ZW_PUSH(build->arena, &build->values, number);
}

static ZwEntity add_params(ZwBuild* build, const ZwAst* decl, ZwStr name, const ZwValue* value, ZwEntityKind kind) {
  ZwEntity entity = {.kind = kind,
                     .name = decl->text,
                     .span = zw_name_span(build, decl),
                     .first = build->system->params.count,
                     .value = {.dim = value->dim}};
  for (int32_t k = 0; k < value->dim; k++) {
    ZwParam param = {.name = zw_build_component_name(build, name, value->dim, k),
                     .span = entity.span,
                     .value = value->c[k],
                     .is_used = build->is_in_library || kind == ZW_ENTITY_MEMORY,
                     .is_memory = kind == ZW_ENTITY_MEMORY};
    if (!add_param(build, param)) return entity;
    entity.value.c[k] = zw_expr_leaf(&build->system->graph, ZW_OP_PARAM, entity.first + k);
  }
  return entity;
}

static ZwEntity make_param(ZwBuild* build, const ZwAst* decl, ZwStr name, const ZwAst* init) {
  ZwValue value = zw_value_zero(&build->system->graph, 1);
  if (init) {
    value = zw_build_checked(build, init, ZW_MAY_READ_PARAMS, "the value of a parameter");
  } else {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, decl->span, "the parameter '%.*s' has no value", ZW_STR_ARGS(name));
    zw_diag_remedy(build->diags, "write param %.*s = 1", ZW_STR_ARGS(decl->text));
  }
  ZwValue outside;
  bool is_joined;
  if (set_from_outside(build, name, &outside, &is_joined)) {
    if (outside.dim != value.dim) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, zw_name_span(build, decl), "'%.*s' is %s and is set to %s",
                    ZW_STR_ARGS(name), zw_value_type(&value), zw_value_type(&outside));
    } else {
      value = outside;
    }
  }
  ZwEntity entity = add_params(build, decl, name, &value, ZW_ENTITY_PARAM);
  for (int32_t i = entity.first; i < build->system->params.count; i++)
    build->system->params.items[i].is_joined = is_joined;
  return entity;
}

void zw_build_params(ZwBuild* build, const ZwAst* statement) {
  if (build->is_in_component || build->is_in_loop) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, statement->span, "'param' stands at file level only");
    zw_diag_remedy(build->diags, "inside a component, use an argument; inside a loop, use 'let'");
    return;
  }
  for (const ZwAst* decl = statement->first; decl; decl = decl->next) declare_all(build, decl, make_param);
}

static ZwEntity make_memory(ZwBuild* build, const ZwAst* decl, ZwStr name, const ZwAst* init) {
  ZwValue value = zw_value_zero(&build->system->graph, 1);
  if (init) value = zw_build_checked(build, init, ZW_MAY_READ_PARAMS, "the first value of a memory");
  return add_params(build, decl, name, &value, ZW_ENTITY_MEMORY);
}

void zw_build_memory(ZwBuild* build, const ZwAst* statement) {
  for (const ZwAst* decl = statement->first; decl; decl = decl->next) declare_all(build, decl, make_memory);
}

/* ---- coordinates ---- */

/* One scale for all components, or one for each. */
static ZwValue scale_of(ZwBuild* build, const ZwAst* decl, const ZwValue* value) {
  ZwValue scale = zw_build_checked(build, decl->b, ZW_MAY_READ_PARAMS, "a scale");
  if (scale.dim == value->dim || scale.dim == 1) return scale;
  zw_diag_error(build->diags, ZW_ERR_TYPE, decl->b->span, "the scale of '%.*s' is %s, the coordinate is %s",
                ZW_STR_ARGS(decl->text), zw_value_type(&scale), zw_value_type(value));
  zw_diag_remedy(build->diags, "give one number for all components, or one for each");
  return zw_value_zero(&build->system->graph, 1);
}

static ZwEntity make_coord(ZwBuild* build, const ZwAst* decl, ZwStr name, const ZwAst* init) {
  ZwSystem* system = build->system;
  ZwValue value = {.dim = 1};
  if (init) value = zw_build_checked(build, init, ZW_MAY_READ_PARAMS, "a start value");
  ZwValue scale = decl->b ? scale_of(build, decl, &value) : (ZwValue){0};
  ZwEntity entity = {.kind = ZW_ENTITY_COORD,
                     .name = decl->text,
                     .span = zw_name_span(build, decl),
                     .first = system->coords.count,
                     .value = {.dim = value.dim}};
  for (int32_t k = 0; k < value.dim; k++) {
    ZwCoord coord = {.name = zw_build_component_name(build, name, value.dim, k), .span = entity.span};
    if (init) {
      coord.start_q = value.c[k];
      coord.start_q_span = init->span;
      coord.hold_q = build->is_in_component ? ZW_HOLD_GUESS : ZW_HOLD_TYPED;
    }
    if (decl->b) {
      coord.scale = scale.c[scale.dim > 1 ? k : 0];
      coord.scale_span = decl->b->span;
    }
    zw_build_check_column(build, entity.span, coord.name);
    if (!ZW_PUSH(system->arena, &system->coords, coord)) return entity;
    entity.value.c[k] = zw_expr_leaf(&system->graph, ZW_OP_COORD, entity.first + k);
  }
  ZwVectorCoord vector = {entity.first, value.dim, build->is_in_library};
  if (build->def->drawing && value.dim > 1) (void)ZW_PUSH(build->scratch, &build->vectors, vector);
  return entity;
}

void zw_build_coords(ZwBuild* build, const ZwAst* statement) {
  if (build->is_in_loop) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, statement->span, "'coord' does not stand inside a loop");
    zw_diag_remedy(build->diags, "declare an array before it, as in: coord x[1..N]");
    return;
  }
  for (const ZwAst* decl = statement->first; decl; decl = decl->next) declare_all(build, decl, make_coord);
}

/* ---- let ---- */

/* ---- names of coordinates ---- */

/* Whether a coordinate is one of an inner part and is called so there: "crank.b.phi" where "crank." is being built and "phi" is meant. */
static bool is_called(const ZwBuild* build, ZwStr coord, ZwStr ending) {
  size_t prefix = strlen(build->prefix);
  if (coord.size < (int32_t)prefix + ending.size + 2) return false;
  const char* end = coord.data + coord.size - ending.size;
  return memcmp(coord.data, build->prefix, prefix) == 0 && memcmp(end, ending.data, (size_t)ending.size) == 0 &&
         end[-1] == '.';
}

static bool has_inner_name(ZwBuild* build, const ZwValue* value, ZwStr name) {
  const ZwSystem* system = build->system;
  for (int32_t k = 0; k < value->dim; k++) {
    const ZwNode* node = value->c[k].ref ? zw_graph_node(&system->graph, value->c[k]) : NULL;
    if (!node || node->op != ZW_OP_COORD) return false;
    ZwStr ending = zw_build_component_name(build, name, value->dim, k);
    if (!ending.data || !is_called(build, system->coords.items[node->u.index].name, ending)) return false;
  }
  return true;
}

/* `let phi = b.phi` in a component makes the angle of its inner part one of its own: from now on it is called so, and the longer name is
 * an alias. */
static void take_name(ZwBuild* build, const ZwAst* decl, const ZwValue* value) {
  ZwSystem* system = build->system;
  if (!build->is_in_component || build->is_in_loop || decl->count > 0 || !has_inner_name(build, value, decl->text))
    return;
  ZwStr name = zw_build_full_name(build, decl->text, NULL, 0);
  for (int32_t k = 0; name.data && k < value->dim; k++) {
    int32_t i = zw_graph_node(&system->graph, value->c[k])->u.index;
    ZwAlias alias = {system->coords.items[i].name, i};
    ZwStr own = zw_build_component_name(build, name, value->dim, k);
    if (own.data && ZW_PUSH(build->arena, &system->aliases, alias)) system->coords.items[i].name = own;
  }
}

void zw_build_lets(ZwBuild* build, const ZwAst* statement) {
  for (const ZwAst* decl = statement->first; decl; decl = decl->next) {
    ZwEntity entity = {.kind = ZW_ENTITY_LET, .name = decl->text, .span = zw_name_span(build, decl)};
    if (decl->kind == ZW_AST_LET_FUNCTION) {
      entity.kind = ZW_ENTITY_FUNCTION;
      entity.ast = decl;
      entity.scope = build->scope;
      entity.prefix = build->prefix;
      zw_build_declare(build, build->scope, entity);
      continue;
    }
    entity.value =
        zw_build_value(build, decl->a); /* it may read everything; what it reads is checked where it is used */
    if (zw_build_declare_element(build, decl, entity)) take_name(build, decl, &entity.value);
  }
}
