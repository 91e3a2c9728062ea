/* Functions, components, parts and libraries: texts that are used again with other arguments. */
#include <string.h>

#include "model/builder.h"
#include "text/parser.h"

enum { CALL_WEIGHT = 10 }; /* a call costs as much as so many loop passes */

/* ---- arguments ---- */

static int32_t position_of(const ZwAst* formals, ZwStr name) {
  int32_t k = 0;
  for (const ZwAst* formal = formals->first; formal; formal = formal->next, k++) {
    if (zw_str_equal(formal->text, name)) return k;
  }
  return -1;
}

/* The actual of the k-th formal: named, or by its place among those without a name. */
static const ZwAst* actual_of(const ZwAst* call, const ZwAst* formal, int32_t k) {
  int32_t place = 0;
  for (const ZwAst* actual = call->first; actual; actual = actual->next) {
    if (actual->text.size ? zw_str_equal(actual->text, formal->text) : place++ == k) return actual->a;
  }
  return NULL;
}

static bool is_named_before(const ZwAst* call, const ZwAst* actual) {
  for (const ZwAst* other = call->first; other != actual; other = other->next) {
    if (zw_str_equal(other->text, actual->text)) return true;
  }
  return false;
}

static bool check_actuals(ZwBuild* build, const ZwAst* formals, const ZwAst* call, ZwStr name) {
  int32_t place = 0;
  bool has_named = false;
  for (const ZwAst* actual = call->first; actual; actual = actual->next) {
    if (!actual->text.size) {
      if (has_named) {
        zw_diag_error(build->diags, ZW_ERR_SYNTAX, actual->span, "arguments without a name come before named ones");
        return false;
      }
      place++;
      continue;
    }
    has_named = true;
    int32_t position = position_of(formals, actual->text);
    if (position >= place && !is_named_before(call, actual)) continue;
    if (position < 0) {
      zw_diag_error(build->diags, ZW_ERR_NAME, actual->span, "'%.*s' has no argument '%.*s'", ZW_STR_ARGS(name),
                    ZW_STR_ARGS(actual->text));
    } else {
      zw_diag_error(build->diags, ZW_ERR_NAME, actual->span, "the argument '%.*s' is given twice",
                    ZW_STR_ARGS(actual->text));
    }
    return false;
  }
  if (place <= formals->count) return true;
  zw_diag_error(build->diags, ZW_ERR_TYPE, call->span, "'%.*s' takes %d argument%s, not %d", ZW_STR_ARGS(name),
                (int)formals->count, formals->count == 1 ? "" : "s", (int)call->count);
  return false;
}

/* What an argument stands for: a part or array as it is, everything else as a value. A function is neither: it may
 * belong to a loop pass that is over when the part is used. */
static bool bind(ZwBuild* build, ZwScope* scope, const ZwAst* formal, const ZwAst* actual, bool with_slots) {
  ZwRef ref;
  int32_t errors = build->diags->errors;
  /* with a wrong argument the body would only complain again */
  if (!zw_build_resolve(build, actual, &ref) || build->diags->errors > errors) return false;
  ZwEntity entity = ref.entity;
  if (!ref.is_value && entity.kind != ZW_ENTITY_PART && entity.kind != ZW_ENTITY_ARRAY) {
    bool is_function = entity.kind == ZW_ENTITY_FUNCTION;
    zw_diag_error(build->diags, ZW_ERR_TYPE, actual->span, "'%.*s' is a %s; values, parts and arrays are arguments",
                  ZW_STR_ARGS(entity.name), is_function ? "function" : "component");
    zw_diag_remedy(build->diags, is_function ? "write %.*s(...) for its value" : "write part p = %.*s(...), and give p",
                   ZW_STR_ARGS(entity.name));
    return false;
  }
  if (ref.is_value) {
    entity = (ZwEntity){.kind = ZW_ENTITY_ARGUMENT, .is_of_part = with_slots};
    entity.value = with_slots ? zw_build_slots(build, &ref.value) : ref.value;
  }
  entity.name = formal->text;
  entity.span = formal->span;
  return zw_build_declare(build, scope, entity) != NULL;
}

/* Actuals are built where the call stands, defaults where the arguments are. */
static bool bind_all(ZwBuild* build, ZwScope* scope, const ZwAst* formals, const ZwAst* call, ZwStr name,
                     bool with_slots) {
  if (!check_actuals(build, formals, call, name)) return false;
  ZwScope* outside = build->scope;
  int32_t k = 0;
  for (const ZwAst* formal = formals->first; formal; formal = formal->next, k++) {
    const ZwAst* actual = actual_of(call, formal, k);
    if (!actual && !formal->a) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, call->span, "'%.*s' needs the argument '%.*s'", ZW_STR_ARGS(name),
                    ZW_STR_ARGS(formal->text));
      return false;
    }
    build->scope = actual ? outside : scope;
    bool is_bound = bind(build, scope, formal, actual ? actual : formal->a, with_slots);
    build->scope = outside;
    if (!is_bound) return false;
  }
  return true;
}

/* Begins a call or part; false after a message. Ends with leave() in either case. A function of one part may call that of another one:
 * `in` is where it was declared; of a component NULL. */
static bool enter(ZwBuild* build, const ZwAst* ast, const ZwScope* in, ZwSpan span) {
  int32_t depth = build->depth++;
  for (int32_t i = 0; i < depth && i < ZW_LIMIT_CALLS; i++) {
    if (build->active[i] != ast || build->active_in[i] != in) continue;
    zw_diag_error(build->diags, ZW_ERR_LIMIT, span, "'%.*s' uses itself", ZW_STR_ARGS(ast->text));
    zw_diag_remedy(build->diags, "a running sum or product is an indexed let: let S[i] = S[i-1] + ...");
    return false;
  }
  if (depth >= ZW_LIMIT_CALLS) {
    zw_diag_error(build->diags, ZW_ERR_LIMIT, span, "functions and components within each other more than %d deep",
                  (int)ZW_LIMIT_CALLS);
    return false;
  }
  build->active[depth] = ast;
  build->active_in[depth] = in;
  return zw_build_count(build, CALL_WEIGHT, span);
}

static void leave(ZwBuild* build) {
  build->depth--;
}

/* ---- functions ---- */

ZwValue zw_build_call(ZwBuild* build, const ZwEntity* function, const ZwAst* call) {
  ZwValue value = zw_value_zero(&build->system->graph, 1);
  ZwScope* outside = build->scope;
  ZwScope* scope = zw_build_open_scope(build, function->scope);
  if (!scope) return value;
  /* the arguments first: f(f(x)) is no recursion */
  if (bind_all(build, scope, function->ast, call, function->ast->text, false)) {
    const char* prefix = build->prefix;
    build->scope = scope;
    build->prefix = function->prefix; /* the constraints it speaks of are those of its part */
    if (enter(build, function->ast, function->scope, call->span)) value = zw_build_value(build, function->ast->a);
    leave(build);
    build->prefix = prefix;
    build->scope = outside;
  }
  zw_build_close_scope(build, scope);
  return value;
}

/* ---- components and parts ---- */

void zw_build_component(ZwBuild* build, const ZwAst* node) {
  if (build->is_in_component || build->is_in_loop) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span, "'component' stands at file level only");
    return;
  }
  ZwEntity entity = {
      .kind = ZW_ENTITY_COMPONENT, .name = node->text, .span = node->span, .ast = node, .scope = build->scope};
  zw_build_declare(build, build->scope, entity);
}

static void build_members(ZwBuild* build, const ZwAst* component, ZwScope* members, const char* prefix) {
  ZwBuild outside = *build;
  build->scope = build->indexed_scope = members;
  build->prefix = prefix;
  build->is_in_component = true;
  build->is_in_loop = false;
  build->is_in_library = component->span.file != 1;
  zw_build_statements(build, component->b);
  build->scope = outside.scope;
  build->indexed_scope = outside.indexed_scope;
  build->prefix = outside.prefix;
  build->is_in_component = outside.is_in_component;
  build->is_in_loop = outside.is_in_loop;
  build->is_in_library = outside.is_in_library;
}

void zw_build_part(ZwBuild* build, const ZwAst* node) {
  const ZwAst* call = node->a;
  double key[ZW_ARRAY_RANK];
  ZwRef component;
  if (!zw_build_resolve(build, call->a, &component)) return;
  if (component.is_value || component.entity.kind != ZW_ENTITY_COMPONENT) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, call->a->span, "a part is made by a component, this is none");
    return;
  }
  if (!zw_build_key(build, node->label->first, node->label->count, key, node->span)) return;
  ZwScope* members = ZW_NEW(build->scratch, 1, ZwScope);
  if (!members) return;
  zw_scope_init(members, build->scratch, component.entity.scope);
  ZwStr name = zw_build_full_name(build, node->text, key, node->label->count);
  const char* prefix = zw_format(build->scratch, "%.*s.", ZW_STR_ARGS(name));
  const ZwAst* ast = component.entity.ast;
  if (prefix && bind_all(build, members, ast, call, ast->text, true)) {
    int32_t coords = build->system->coords.count;
    if (enter(build, ast, NULL, call->span)) build_members(build, ast, members, prefix);
    leave(build);
    if (build->is_in_loop && node->label->count == 0 && build->system->coords.count > coords) {
      zw_diag_error(build->diags, ZW_ERR_NAME, node->label->span,
                    "the part '%.*s' has coordinates, and every pass of the loop would make one of the same name",
                    ZW_STR_ARGS(node->text));
      zw_diag_remedy(build->diags, "write an index behind it, as in part %.*s[i]", ZW_STR_ARGS(node->text));
    }
  }
  zw_build_declare_element(
      build, node->label,
      (ZwEntity){
          .kind = ZW_ENTITY_PART, .name = node->text, .span = node->label->span, .scope = members, .prefix = prefix});
}

/* ---- libraries ---- */

static bool make_marks(ZwBuild* build, const ZwAst* tree) {
  int32_t file = tree->span.file;
  while (build->marks.count <= file) {
    int32_t* none = NULL;
    if (!ZW_PUSH(build->scratch, &build->marks, none)) return false;
  }
  build->marks.items[file] = ZW_NEW(build->scratch, 2 * (int32_t)tree->number + 4, int32_t);
  return build->marks.items[file] != NULL;
}

bool zw_build_open_file(ZwBuild* build, const ZwAst* tree) {
  return make_marks(build, tree);
}

static bool may_stand_in_library(ZwAstKind kind) {
  return kind == ZW_AST_PARAM || kind == ZW_AST_LET || kind == ZW_AST_COMPONENT || kind == ZW_AST_USE ||
         kind == ZW_AST_WRONG;
}

static bool check_library(ZwBuild* build, const ZwAst* tree) {
  for (const ZwAst* node = tree->first; node; node = node->next) {
    if (may_stand_in_library(node->kind)) continue;
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span,
                  "a file that is used holds 'param', 'let', 'component' and 'use' only");
    return false;
  }
  return true;
}

ZwStr zw_build_folder(const ZwBuild* build, ZwSpan span) {
  ZwStr name = zw_sources_get(build->diags->sources, span.file)->name;
  while (name.size > 0 && name.data[name.size - 1] != '/') name.size--;
  return name;
}

static ZwLibrary* find_library(ZwBuild* build, ZwStr path) {
  for (int32_t i = 0; i < build->libraries.count; i++) {
    if (zw_str_equal(build->libraries.items[i].path, path)) return &build->libraries.items[i];
  }
  return NULL;
}

/* Names of a used file lie below the file's own; one that two files share cannot be used. */
static void add_names(ZwBuild* build, const ZwScope* library) {
  for (int32_t i = 0; i < library->entities.count; i++) {
    ZwEntity entity = library->entities.items[i];
    ZwEntity* before = zw_scope_find_here(build->used, entity.name);
    if (!before)
      (void)zw_scope_add(build->used, entity);
    else if (before->span.file != entity.span.file)
      before->is_ambiguous = true;
  }
}

static bool build_with(ZwBuild* build, const ZwAst* node, ZwWith* with) {
  int32_t errors = build->diags->errors;
  int32_t k = 0;
  for (const ZwAst* setting = node->first; setting; setting = setting->next, k++) {
    with[k] = (ZwWith){.name = setting->text, .span = setting->span};
    with[k].value = zw_build_checked(build, setting->a, ZW_MAY_READ_PARAMS, "the value of a parameter");
  }
  return build->diags->errors == errors;
}

static ZwScope* read_library(ZwBuild* build, const ZwAst* node, ZwStr name, bool is_library) {
  ZwAst* tree = NULL;
  int32_t file = build->def->load ? build->def->load(build->def->load_context, name, is_library, node->span) : 0;
  if (!file) {
    if (!build->def->load)
      zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "there is nothing to use '%.*s' from", ZW_STR_ARGS(name));
    return NULL;
  }
  int32_t errors = build->diags->errors;
  if (zw_parse_file(build->def->trees, build->diags, file, &tree)) {
    build->arena->failed = true;
    return NULL;
  }
  ZwScope* scope = ZW_NEW(build->scratch, 1, ZwScope);
  ZwScope* used = ZW_NEW(build->scratch, 1, ZwScope);
  if (!scope || !used || !make_marks(build, tree)) return NULL;
  if (build->diags->errors > errors || !check_library(build, tree)) return NULL;
  zw_scope_init(used, build->scratch, NULL);
  zw_scope_init(scope, build->scratch, used);
  ZwBuild outside = *build;
  build->scope = build->indexed_scope = scope;
  build->used = used;
  build->is_in_library = true;
  build->has_other_statements = false;
  zw_build_statements(build, tree);
  build->scope = outside.scope;
  build->indexed_scope = outside.indexed_scope;
  build->used = outside.used;
  build->is_in_library = outside.is_in_library;
  build->has_other_statements = outside.has_other_statements;
  return scope;
}

static void check_with(ZwBuild* build, const ZwWith* with, int32_t count, const ZwScope* library) {
  for (int32_t i = 0; i < count; i++) {
    if (with[i].is_used) continue;
    zw_diag_error(build->diags, ZW_ERR_NAME, with[i].span, "the library has no parameter '%.*s'",
                  ZW_STR_ARGS(with[i].name));
    ZwStr nearest = zw_scope_suggest(library, with[i].name, NULL);
    if (nearest.size) zw_diag_remedy(build->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  }
}

void zw_build_use(ZwBuild* build, const ZwAst* node) {
  ZwStr name = node->a ? node->a->text : node->text;
  if (build->is_in_component || build->is_in_loop || build->has_other_statements) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span, "'use' comes before every other statement except 'param'");
    return;
  }
  ZwStr folder = node->a ? zw_build_folder(build, node->span) : ZW_STR("<>"); /* "planar" and planar differ */
  ZwStr path = zw_str_from(zw_format(build->arena, "%.*s%.*s", ZW_STR_ARGS(folder), ZW_STR_ARGS(name)));
  if (!path.data) return;
  ZwLibrary* known = find_library(build, path);
  if (known) {
    if (known->is_wrong) return;
    if (!known->scope)
      zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "'%.*s' uses itself", ZW_STR_ARGS(name));
    else if (node->count > 0)
      zw_diag_error(build->diags, ZW_ERR_NAME, node->span,
                    "'%.*s' is used already; its parameters are set where it is used first", ZW_STR_ARGS(name));
    else
      add_names(build, known->scope);
    return;
  }
  ZwWith* with = ZW_NEW(build->arena, node->count, ZwWith);
  ZwLibrary library = {.path = path};
  if (!with || !build_with(build, node, with) || !ZW_PUSH(build->arena, &build->libraries, library)) return;
  int32_t number = build->libraries.count - 1;
  ZwWith* outside_with = build->with;
  int32_t outside_count = build->with_count;
  build->with = with;
  build->with_count = node->count;
  ZwScope* scope = read_library(build, node, name, node->a == NULL);
  build->with = outside_with;
  build->with_count = outside_count;
  build->libraries.items[number].scope = scope;
  build->libraries.items[number].is_wrong = !scope;
  if (!scope) return;
  check_with(build, with, node->count, scope);
  add_names(build, scope);
}
