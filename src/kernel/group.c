/* A program for four members of an ensemble. An instance of a shape becomes four that follow each other, one for each member, and
 * index tables point into arrays in which the members' numbers lie side by side. So four members fill the lanes that otherwise
 * four elements of equal shape fill, and interpreter and machine code run them as they run everything else: the bits are those
 * of each member alone. */
#include <string.h>

#include "kernel/eliminate.h"

typedef struct Layout {
  ZwArena* arena;
  int32_t stride, time;
} Layout;

/* A table of indices, `count` rows of `columns` numbers, with `more` columns at the end for the index `last`. */
static int32_t* spread_table(const Layout* layout, const int32_t* table, int32_t count, int32_t columns, int32_t more,
                             int32_t last) {
  int32_t wide = columns + more;
  int32_t* to = ZW_NEW(layout->arena, (ptrdiff_t)count * ZW_GROUP_FOUR * wide + 1, int32_t);
  if (!to) return NULL;
  for (ptrdiff_t row = 0; row < (ptrdiff_t)count * ZW_GROUP_FOUR; row++) {
    ptrdiff_t instance = row / ZW_GROUP_FOUR;
    int32_t member = (int32_t)(row % ZW_GROUP_FOUR);
    for (int32_t k = 0; k < wide; k++) {
      int32_t index = k < columns ? table[instance * columns + k] : last;
      to[row * wide + k] = index * layout->stride + member;
    }
  }
  return to;
}

/* Time is read as one more coordinate of every instance. */
static const ZwShape* spread_shape(const Layout* layout, const ZwShape* shape) {
  ZwShape* to = ZW_NEW(layout->arena, 1, ZwShape);
  if (!to) return NULL;
  *to = *shape;
  to->count = shape->count * ZW_GROUP_FOUR;
  to->coords = shape->coords + 1;
  to->instance_coords.items =
      spread_table(layout, shape->instance_coords.items, shape->count, shape->coords, 1, layout->time);
  to->instance_slots.items = spread_table(layout, shape->instance_slots.items, shape->count, shape->slots, 0, 0);
  to->instance_reactions.items =
      spread_table(layout, shape->instance_reactions.items, shape->count, shape->reactions, 0, 0);
  return to;
}

static bool spread_tape(const Layout* layout, const ZwShape* shape, ZwTape* tape) {
  ZwInput* inputs = ZW_NEW(layout->arena, tape->inputs.count + 1, ZwInput);
  if (!inputs) return false;
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    inputs[i] = tape->inputs.items[i];
    if (inputs[i].kind != ZW_INPUT_TIME) continue;
    inputs[i].kind = ZW_INPUT_COORD;
    inputs[i].index = shape->coords;
  }
  tape->inputs.items = inputs;
  return true;
}

static bool spread_kernel(const Layout* layout, const ZwKernel* kernel, ZwKernel* to) {
  *to = *kernel;
  to->shape = spread_shape(layout, kernel->shape);
  to->constants_begin = kernel->constants_begin * ZW_GROUP_FOUR;
  bool is_fine = to->shape && spread_tape(layout, kernel->shape, &to->setup);
  for (int entry = 0; entry < ZW_ENTRY_COUNT && is_fine; entry++) {
    is_fine = spread_tape(layout, kernel->shape, &to->tapes[entry]);
    int32_t outputs = kernel->tapes[entry].outputs.count;
    if (!kernel->scatter[entry]) continue;
    to->scatter[entry] = spread_table(layout, kernel->scatter[entry], kernel->shape->count, outputs, 0, 0);
  }
  return is_fine && !layout->arena->failed;
}

enum { INTERPRETED = 8 }; /* lanes in which the interpreter runs four members */

/* The elimination of each member, in blocks that lie side by side too. */
static bool spread_elimination(const Layout* layout, const ZwElimination* elimination, ZwElimination** group) {
  if (!elimination) return true;
  ZwElimination* to = ZW_NEW(layout->arena, 1, ZwElimination);
  if (!to) return false;
  *to = *elimination;
  to->registers = elimination->registers * INTERPRETED;
  const ZwShape* shape = spread_shape(layout, &elimination->shape);
  if (!shape) return false;
  to->shape = *shape;
  for (int part = 0; part < ZW_ELIMINATE_PARTS; part++) {
    ZwKernel* kernel = &to->parts[part];
    int32_t* places = ZW_NEW(layout->arena, kernel->constants + 1, int32_t);
    if (!places) return false;
    for (int32_t i = 0; i < kernel->constants; i++) places[i] = kernel->places[i] * layout->stride;
    kernel->shape = &to->shape;
    kernel->places = places;
  }
  *group = to;
  return true;
}

ZwStatus zw_program_group(const ZwProgram* program, ZwArena* arena, int32_t stride, int32_t time, ZwProgram* group) {
  Layout layout = {arena, stride, time};
  *group = (ZwProgram){.arena = arena,
                       .equations = program->equations,
                       .registers = 4 * program->registers + ZW_LANES, /* for values of several kernels at once */
                       .constants = program->constants * ZW_GROUP_FOUR,
                       .block = program->block,
                       .is_M_constant = program->is_M_constant,
                       .is_group = true};
  if (!spread_elimination(&layout, program->elimination, &group->elimination)) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < program->kernels.count; i++) {
    ZwKernel kernel;
    if (!spread_kernel(&layout, &program->kernels.items[i], &kernel)) return ZW_ERR_MEMORY;
    if (!ZW_PUSH(arena, &group->kernels, kernel)) return ZW_ERR_MEMORY;
  }
  return ZW_OK;
}
