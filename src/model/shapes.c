/* `draw`: shapes whose points and measures are expressions. */
#include "base/colour.h"
#include "model/builder.h"

enum { ANY = 1000 }; /* as many points as one likes */

/* What a shape is made of: points, then the rest. */
typedef struct Form {
  const char* word;
  ZwDrawKind kind;
  int32_t least, most; /* points */
  const char* says;    /* what it needs */
  const char* as_in;
} Form;

static const Form forms[] = {
    {"line", ZW_DRAW_LINE, 2, ANY, "a line goes through two points or more", "draw line P -> Q"},
    {"spring", ZW_DRAW_SPRING, 2, 2, "a spring has two ends", "draw spring P -> Q"},
    {"point", ZW_DRAW_POINT, 1, 1, "a point is one 2- or 3-vector", "draw point P"},
    {"circle", ZW_DRAW_CIRCLE, 1, 1, "a circle is a centre and a radius, in space perhaps also its axis",
     "draw circle P, 0.1"},
    {"box", ZW_DRAW_BOX, 1, 1,
     "a box is a centre, its sides and its angle; in space two unit vectors along the first sides stand for the angle",
     "draw box P, (0.2, 0.1), phi"},
    {"arrow", ZW_DRAW_ARROW, 2, 2, "an arrow goes from one point to another", "draw arrow P -> P + F"},
    {"trail", ZW_DRAW_TRAIL, 1, 1, "a trail is what one point leaves behind", "draw trail P"},
    {"ground", ZW_DRAW_GROUND, 2, ANY, "ground is a line through two points or more", "draw ground (-1, 0) -> (1, 0)"},
    {"text", ZW_DRAW_TEXT, 1, 1, "a text is a point, the words in quotes, and perhaps a number to be shown behind them",
     "draw text P, \"mass\""},
};

/* The items of one statement, and their values. */
typedef struct Shape {
  const Form* form;
  const ZwAst* node;
  ZwDrawSpec spec;
  ZW_ARRAY(ZwValue) values; /* a string has dim 0 */
} Shape;

static bool refuse(ZwBuild* build, const Shape* shape) {
  zw_diag_error(build->diags, ZW_ERR_TYPE, shape->node->span, "%s", shape->form->says);
  zw_diag_remedy(build->diags, "as in: %s", shape->form->as_in);
  return false;
}

static const Form* find_form(ZwStr word) {
  const Form* form = forms;
  while (!zw_str_equal(word, zw_str_from(form->word))) form++; /* the parser knows the same */
  return form;
}

static bool read_items(ZwBuild* build, Shape* shape) {
  int32_t errors = build->diags->errors;
  for (const ZwAst* item = shape->node->first; item; item = item->next) {
    ZwValue value = {0};
    if (item->kind != ZW_AST_STRING) value = zw_build_checked(build, item, ZW_MAY_READ_QUANTITY, "a drawing");
    if (!ZW_PUSH(build->scratch, &shape->values, value)) return false;
  }
  return build->diags->errors == errors;
}

/* The first items are points of one dimension; 0 stands for the origin. */
static bool read_points(ZwBuild* build, Shape* shape) {
  ZwGraph* graph = &build->system->graph;
  ZwDrawSpec* spec = &shape->spec;
  int32_t items = shape->values.count;
  spec->point_count = shape->form->most == ANY ? items : shape->form->most;
  if (items < shape->form->least || items < spec->point_count) return refuse(build, shape);
  const ZwAst* item = shape->node->first;
  for (int32_t i = 0; i < spec->point_count; i++, item = item->next) {
    ZwValue* value = &shape->values.items[i];
    if (zw_value_is_zero(graph, value)) continue;
    if (value->dim < 2) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, item->span, "a point of a drawing is a 2- or 3-vector");
      zw_diag_remedy(build->diags, "as in: %s", shape->form->as_in);
      return false;
    }
    if (spec->dim == 0) spec->dim = value->dim;
    if (value->dim != spec->dim) {
      zw_diag_error(build->diags, ZW_ERR_TYPE, item->span, "this point is %s, the one before is not",
                    zw_value_type(value));
      return false;
    }
  }
  if (spec->dim == 0) spec->dim = 2;
  for (int32_t i = 0; i < spec->point_count; i++) {
    ZwValue* value = &shape->values.items[i];
    if (value->dim == 1) *value = zw_value_zero(graph, spec->dim);
  }
  return true;
}

static void add_number(ZwBuild* build, ZwExpr e) {
  ZwShown shown = {.e = e};
  (void)ZW_PUSH(build->arena, &build->system->drawn, shown);
}

static void add_value(ZwBuild* build, const ZwValue* value) {
  for (int32_t k = 0; k < value->dim; k++) add_number(build, value->c[k]);
}

static void add_constants(ZwBuild* build, const double* values, int32_t count) {
  for (int32_t k = 0; k < count; k++) add_number(build, zw_expr_const(&build->system->graph, values[k]));
}

/* Item i, if it is there, is of this dimension. */
static bool fits(const Shape* shape, int32_t i, int32_t dim) {
  return i >= shape->values.count || shape->values.items[i].dim == dim;
}

static bool add_circle(ZwBuild* build, const Shape* shape) {
  static const double ball[3] = {0, 0, 0};
  const ZwValue* values = shape->values.items;
  int32_t count = shape->values.count;
  bool is_flat = shape->spec.dim == 2;
  if (count < 2 || count > (is_flat ? 2 : 3) || !fits(shape, 1, 1) || !fits(shape, 2, 3)) return refuse(build, shape);
  add_value(build, &values[1]);
  if (!is_flat && count > 2) add_value(build, &values[2]);
  if (!is_flat && count == 2) add_constants(build, ball, 3);
  return true;
}

static bool add_box(ZwBuild* build, const Shape* shape) {
  static const double axes[6] = {1, 0, 0, 0, 1, 0};
  const ZwValue* values = shape->values.items;
  int32_t count = shape->values.count, dim = shape->spec.dim;
  if (count < 2 || !fits(shape, 1, dim)) return refuse(build, shape);
  add_value(build, &values[1]);
  if (dim == 2) {
    if (count > 3 || !fits(shape, 2, 1)) return refuse(build, shape);
    if (count > 2) add_value(build, &values[2]);
    if (count == 2) add_constants(build, (double[]){0}, 1);
    return true;
  }
  if ((count != 2 && count != 4) || !fits(shape, 2, 3) || !fits(shape, 3, 3)) return refuse(build, shape);
  for (int32_t i = 2; i < count; i++) add_value(build, &values[i]);
  if (count == 2) add_constants(build, axes, 6);
  return true;
}

static bool add_text(ZwBuild* build, Shape* shape) {
  const ZwAst* words = shape->node->first->next;
  int32_t count = shape->values.count;
  if (count < 2 || count > 3 || words->kind != ZW_AST_STRING || !fits(shape, 2, 1)) return refuse(build, shape);
  shape->spec.text = words->text;
  if (count > 2) add_value(build, &shape->values.items[2]);
  return true;
}

static bool add_rest(ZwBuild* build, Shape* shape) {
  switch (shape->spec.kind) {
    case ZW_DRAW_CIRCLE:
      return add_circle(build, shape);
    case ZW_DRAW_BOX:
      return add_box(build, shape);
    case ZW_DRAW_TEXT:
      return add_text(build, shape);
    default:
      return shape->values.count == shape->spec.point_count || refuse(build, shape);
  }
}

/* ---- colours ---- */

static bool unknown_colour(ZwBuild* build, const ZwAst* node) {
  ZwText names;
  zw_text_init(&names, build->scratch);
  for (int32_t i = 0; zw_colour_all(i); i++) zw_text_addf(&names, "%s%s", i ? ", " : "", zw_colour_all(i)->name);
  zw_diag_error(build->diags, ZW_ERR_NAME, node->span, "there is no colour '%.*s'", ZW_STR_ARGS(node->text));
  zw_diag_remedy(build->diags, "there are %s, \"#rrggbb\", and numbers from 1", zw_text_get(&names));
  return false;
}

/* A word, with or without quotes, or a number known while building. */
static bool read_colour(ZwBuild* build, ZwDrawSpec* spec, const ZwAst* node) {
  bool is_word = node->kind == ZW_AST_STRING || (node->kind == ZW_AST_NAME && !zw_scope_find(build->scope, node->text));
  if (is_word || (node->kind == ZW_AST_NAME && zw_colour_find(node->text))) {
    spec->colour = node->text;
    return zw_colour_find(node->text) || zw_colour_is_exact(node->text) || unknown_colour(build, node);
  }
  double number;
  if (!zw_build_number(build, node, &number)) return false;
  spec->colour_number = number >= 1 && number <= INT16_MAX ? (int32_t)number : 0;
  if (spec->colour_number == number) return true;
  zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "colours have whole numbers from 1");
  return false;
}

/* ---- the statement ---- */

void zw_build_draw(ZwBuild* build, const ZwAst* node) {
  ZwSystem* system = build->system;
  Shape shape = {.form = find_form(node->text), .node = node};
  shape.spec = (ZwDrawSpec){.kind = shape.form->kind, .first = system->drawn.count};
  bool is_right = read_items(build, &shape) && read_points(build, &shape);
  if (is_right) {
    for (int32_t i = 0; i < shape.spec.point_count; i++) add_value(build, &shape.values.items[i]);
    is_right = add_rest(build, &shape);
  }
  if (node->a) is_right = read_colour(build, &shape.spec, node->a) && is_right;
  shape.spec.count = system->drawn.count - shape.spec.first;
  bool is_kept = is_right && build->def->drawing;
  if (!is_kept) {
    system->drawn.count = shape.spec.first; /* it was only checked */
    return;
  }
  if (!build->is_in_library) build->has_own_shapes = true;
  (void)ZW_PUSH(build->arena, &system->shapes, shape.spec);
  (void)ZW_PUSH(build->scratch, &build->is_library_shape, build->is_in_library);
}

void zw_build_add_shape(ZwBuild* build, ZwDrawKind kind, const ZwValue* points, int32_t count) {
  ZwDrawSpec spec = {.kind = kind, .dim = points[0].dim, .point_count = count, .first = build->system->drawn.count};
  for (int32_t i = 0; i < count; i++) add_value(build, &points[i]);
  spec.count = build->system->drawn.count - spec.first;
  (void)ZW_PUSH(build->arena, &build->system->shapes, spec);
}

static ZwDrawSpec* last_shape(ZwBuild* build) {
  int32_t count = build->system->shapes.count;
  return build->arena->failed ? NULL : &build->system->shapes.items[count - 1];
}

void zw_build_add_circle(ZwBuild* build, const ZwValue* centre, double radius) {
  zw_build_add_shape(build, ZW_DRAW_CIRCLE, centre, 1);
  add_constants(build, &radius, 1);
  ZwDrawSpec* shape = last_shape(build);
  if (shape) shape->count++;
}

void zw_build_add_label(ZwBuild* build, const ZwValue* place, ZwStr text) {
  zw_build_add_shape(build, ZW_DRAW_TEXT, place, 1);
  ZwDrawSpec* shape = last_shape(build);
  if (shape) shape->text = text;
}

void zw_build_choose_shapes(ZwBuild* build) {
  ZwSystem* system = build->system;
  if (!build->has_own_shapes || zw_build_is_out_of_memory(build)) return;
  int32_t shapes = 0, drawn = 0;
  for (int32_t i = 0; i < system->shapes.count; i++) {
    ZwDrawSpec shape = system->shapes.items[i];
    if (build->is_library_shape.items[i]) continue;
    for (int32_t k = 0; k < shape.count; k++) {
      system->drawn.items[drawn + k] = system->drawn.items[shape.first + k];
    }
    shape.first = drawn;
    drawn += shape.count;
    system->shapes.items[shapes++] = shape;
  }
  system->shapes.count = shapes;
  system->drawn.count = drawn;
}
