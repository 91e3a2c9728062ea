#include "export/eliminate.h"

#include <string.h>

#include "export/statements.h"
#include "export/symbolic.h"
#include "kernel/eliminate.h"

/* ---- the block ---- */

/* What the numbers of the block are called in C; NULL: nothing that a function has. */
typedef struct Places {
  const char** names;
  int32_t count, kept_begin;
} Places;

static void name_list(Places* places, ZwArena* arena, int32_t begin, int32_t count, const char* array) {
  for (int32_t i = 0; i < count; i++) places->names[begin + i] = zw_format(arena, "%s[%d]", array, (int)i);
}

static void name_pattern(Places* places, ZwArena* arena, int32_t begin, const ZwPattern* pattern, int32_t rows,
                         int32_t n, const char* array) {
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      places->names[begin + k] = zw_format(arena, "%s[%d]", array, (int)(i * n + pattern->column[k]));
    }
  }
}

/* What is behind the last number that has a meaning of its own is kept for other parts. */
static bool name_places(Places* places, ZwArena* arena, const ZwFlat* flat) {
  const ZwEquations* equations = &flat->equations;
  const ZwBlock* block = &flat->program.block;
  int32_t n = equations->n, m = equations->m;
  *places = (Places){ZW_NEW(arena, block->size + 1, const char*), block->size, block->impulse + m};
  if (!places->names) return false;
  name_pattern(places, arena, block->M, &equations->M, n, n, "M");
  name_pattern(places, arena, block->A, &equations->A, m, n, "A");
  name_list(places, arena, block->hL, n, "h");
  name_list(places, arena, block->b, m, "b");
  name_list(places, arena, block->slack, m, "slack");
  name_list(places, arena, block->residual, m, "r");
  name_list(places, arena, block->a, n, "a");
  name_list(places, arena, block->lambda, m, "lambda");
  name_list(places, arena, block->pivots, m, "pivots");
  name_list(places, arena, block->dx, n, "dx");
  name_list(places, arena, places->kept_begin, block->size - places->kept_begin, "kept");
  places->names[block->check] = places->names[block->mass_check] = places->names[block->project_check] =
      "const double check";
  return !arena->failed;
}

/* ---- parts ---- */

typedef struct Part {
  const ZwFlat* flat;
  const Places* places;
  ZwGraph graph; /* its leaves are parameters: numbers of the block */
  ZwExpr* registers;
} Part;

static ZwExpr read_number(void* context, const ZwInput* input) {
  Part* part = context;
  const ZwBlock* block = &part->flat->program.block;
  int32_t place = input->index, n = part->flat->equations.n;
  bool is_separate_force = place >= block->Q && place < block->Q + n; /* h holds both */
  bool is_wanted = input->kind == ZW_INPUT_SLOT && !is_separate_force && place != block->power;
  if (!is_wanted) return zw_expr_const(&part->graph, 0); /* the power is not asked for */
  return zw_expr_leaf(&part->graph, ZW_OP_PARAM, place);
}

/* The outputs that have a name and belong to the function; the check comes last. */
static int32_t list_outputs(Part* part, const ZwKernel* kernel, ZwCAssignment* list) {
  int32_t count = 0;
  ZwCAssignment check = {0};
  for (int32_t i = 0; i < kernel->constants; i++) {
    ZwCAssignment output = {part->places->names[kernel->places[i]], part->registers[kernel->setup.outputs.items[i]]};
    if (!output.target) continue;
    if (output.target[0] == 'c')
      check = output;
    else
      list[count++] = output;
  }
  if (check.target) list[count++] = check;
  return count;
}

/* A function to be written. */
typedef struct Function {
  ZwEliminatePart part;
  const char* head;
  const char* given[6]; /* its arguments, but for those that it always writes */
} Function;

static bool is_entry(const char* name, const char* array) {
  size_t size = strlen(array);
  return strncmp(name, array, size) == 0 && name[size] == '[';
}

/* Marks the arguments that the statements do not touch. */
static void mark_unread(ZwText* text, const Function* function, const Part* part, const ZwWalk* walk,
                        const ZwCAssignment* list, int32_t count) {
  for (int i = 0; function->given[i]; i++) {
    bool is_touched = false;
    for (int32_t k = 0; k < count; k++) is_touched = is_touched || is_entry(list[k].target, function->given[i]);
    for (int32_t k = 0; k < walk->order.count && !is_touched; k++) {
      const ZwNode* node = zw_graph_node(&part->graph, (ZwExpr){walk->order.items[k]});
      is_touched = node->op == ZW_OP_PARAM && is_entry(part->places->names[node->u.index], function->given[i]);
    }
    if (!is_touched) zw_text_addf(text, "  (void)%s;\n", function->given[i]);
  }
}

static bool write_function(ZwText* text, ZwArena* arena, Part* part, const Function* function,
                           ZwCElimination* elimination) {
  const ZwKernel* kernel = &part->flat->program.elimination->parts[function->part];
  ZwCAssignment* list = ZW_NEW(arena, kernel->constants + 1, ZwCAssignment);
  part->registers = ZW_NEW(arena, kernel->setup.registers + 1, ZwExpr);
  if (!list || !part->registers) return false;
  zw_graph_init(&part->graph, arena);
  zw_tape_run(&kernel->setup, &part->graph, part->registers, read_number, part);
  int32_t count = list_outputs(part, kernel, list);
  if (arena->failed) return false;
  ZwText body;
  zw_text_init(&body, arena);
  ZwCLeaves leaves = {.params = part->places->names};
  ZwCWriter writer;
  zw_c_writer_init(&writer, &body, arena, &part->graph, &leaves);
  zw_c_write_statements(&writer, 0, list, count);
  elimination->uses_lesser = elimination->uses_lesser || writer.uses[ZW_OP_MIN];
  bool has_check = count > 0 && list[count - 1].target[0] == 'c';
  zw_c_write_head(text, function->head);
  mark_unread(text, function, part, &writer.walk, list, count);
  zw_text_addf(text, "%s%s}\n\n", zw_text_get(&body), has_check ? "  return check;\n" : "");
  return !arena->failed;
}

static const Function mass = {
    ZW_ELIMINATE_MASS, "static double eliminate_mass(const double* M, double* kept) {", {"M", "kept"}};
static const Function solve = {
    ZW_ELIMINATE_SOLVE,
    "static double eliminate_solve(const double* M, const double* h, const double* A, const double* "
    "b, const double* slack, const double* kept, double* a, double* lambda) {",
    {"M", "A", "b", "slack", "kept"}};
static const Function solve_free = {
    ZW_ELIMINATE_SOLVE,
    "static double eliminate_solve(const double* M, const double* h, const double* kept, double* a) {",
    {"M", "kept"}};
static const Function factor = {
    ZW_ELIMINATE_FACTOR,
    "static void eliminate_factor(const double* M, const double* A, const double* slack, double* "
    "kept, double* pivots) {",
    {"M", "A", "slack", "kept", "pivots"}};
static const Function project = {
    ZW_ELIMINATE_PROJECT,
    "static double eliminate_project(const double* M, const double* A, const double* kept, const "
    "double* r, double* dx) {",
    {"M", "A", "kept", "r"}};

/* Parts behind the projection are not written. */
static int32_t count_operations(const ZwElimination* elimination) {
  int32_t count = 0;
  for (int i = 0; i <= ZW_ELIMINATE_PROJECT; i++) count += elimination->parts[i].setup.code.count;
  return count;
}

ZwStatus zw_c_write_elimination(ZwText* text, ZwArena* arena, const ZwFlat* flat, bool has_projection,
                                ZwCElimination* elimination) {
  *elimination = (ZwCElimination){0};
  const ZwElimination* plan = flat->program.elimination;
  if (!plan || count_operations(plan) > ZW_EXPORT_ELIMINATION) return ZW_OK;
  Places places;
  if (!name_places(&places, arena, flat)) return ZW_ERR_MEMORY;
  elimination->is_there = true;
  elimination->kept = places.count - places.kept_begin;
  Part part = {.flat = flat, .places = &places};
  const Function* const all[] = {&mass, flat->equations.m > 0 ? &solve : &solve_free, &factor, &project};
  zw_text_addf(text,
               "/* ---- the solve, written out for what is zero in M and A ----\n *\n"
               " * It is fine where it gives a positive number. */\n\n");
  for (int i = 0; i < (has_projection ? 4 : 2); i++) {
    if (!write_function(text, arena, &part, all[i], elimination)) return ZW_ERR_MEMORY;
  }
  return ZW_OK;
}
