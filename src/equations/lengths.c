#include "equations/lengths.h"

#include <math.h>
#include <string.h>

enum { WORDS = ZW_FORM_WORDS };

static int32_t node_count(const ZwShape* shape) {
  return shape->code_size / WORDS; /* the places of one or two roots follow */
}

int32_t zw_lengths_room(const ZwEquations* equations) {
  int32_t most = 0;
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    int32_t count = node_count(&equations->shapes.items[s]);
    most = count > most ? count : most;
  }
  return most;
}

/* ---- upwards: values, and what they are made of ---- */

/* A number that is not zero is its own size. */
static double size_of(double x, double known) {
  return x != 0 ? fabs(x) : known;
}

static void put_leaf(const ZwLengths* at, const ZwShape* shape, int32_t instance, int32_t i) {
  const uint32_t* words = shape->code + (ptrdiff_t)i * WORDS;
  ptrdiff_t place = (ptrdiff_t)words[1];
  int32_t coord = -1;
  double value = 0;
  switch ((ZwOp)words[0]) {
    case ZW_OP_CONST:
      memcpy(&value, words + 1, sizeof value);
      break;
    case ZW_OP_TIME:
      value = at->t;
      break;
    case ZW_OP_PARAM:
      value = at->values[shape->instance_slots.items[(ptrdiff_t)instance * shape->slots + place]];
      break;
    case ZW_OP_COORD:
    case ZW_OP_VELOCITY:
      coord = shape->instance_coords.items[(ptrdiff_t)instance * shape->coords + place];
      value = words[0] == ZW_OP_COORD ? at->q[coord] : at->v[coord];
      break;
    default: /* accelerations and forces are none of the start's */
      break;
  }
  at->value[i] = value;
  at->size[i] = size_of(value, coord < 0 ? 0 : words[0] == ZW_OP_COORD ? at->size_q[coord] : at->size_v[coord]);
}

/* What an operator makes of sizes a and b, where its value is `value` of x and y. */
static double size_through(ZwOp op, double value, const double* x, const double* a) {
  switch (op) {
    case ZW_OP_ADD:
    case ZW_OP_SUB:
      return a[0] + a[1];
    case ZW_OP_NEG:
    case ZW_OP_ABS:
    case ZW_OP_FLOOR:
      return a[0];
    case ZW_OP_MUL:
      return a[0] * a[1];
    case ZW_OP_DIV:
      return a[0] / fabs(x[1]);
    case ZW_OP_POW:
      return x[1] > 0 ? pow(a[0], x[1]) : fabs(value);
    case ZW_OP_SQRT:
      return sqrt(a[0]);
    case ZW_OP_HYPOT:
      return hypot(a[0], a[1]);
    case ZW_OP_MIN:
    case ZW_OP_MAX:
      return fmax(a[0], a[1]);
    case ZW_OP_MOD:
      return fmin(a[0], fabs(x[1]));
    case ZW_OP_SELECT:
      return x[0] != 0 ? a[1] : a[2];
    case ZW_OP_EXP:
    case ZW_OP_TABLE:
      return fabs(value);
    default: /* angles and what is made of them; conditions */
      return fmax(1, fabs(value));
  }
}

/* What a node reads: parameters alone, t too, or the state. */
enum { READS_NUMBERS, READS_TIME, READS_STATE };

static int reads_of_leaf(ZwOp op) {
  if (op == ZW_OP_CONST || op == ZW_OP_PARAM) return READS_NUMBERS;
  return op == ZW_OP_TIME ? READS_TIME : READS_STATE;
}

/* Times are differences: t - c is made of t0 - c and of the time since t0, however far these are from zero. */
static double size_of_time(const ZwLengths* at, double value, double size) {
  return fabs(value) + size * fabs(at->since) / (fabs(at->epoch) + fabs(at->since));
}

/* Until lengths are known, their room holds what nodes read. */
static void go_up(const ZwLengths* at, const ZwShape* shape, int32_t instance, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const uint32_t* words = shape->code + (ptrdiff_t)i * WORDS;
    ZwOp op = (ZwOp)words[0];
    int arity = zw_op_arity(op);
    if (arity == 0) {
      put_leaf(at, shape, instance, i);
      at->length[i] = reads_of_leaf(op);
      continue;
    }
    double x[3] = {0}, a[3] = {0}, reads = READS_NUMBERS;
    for (int k = 0; k < arity; k++) {
      reads = fmax(reads, at->length[words[1 + k]]);
      x[k] = at->value[words[1 + k]];
      a[k] = at->size[words[1 + k]];
    }
    double value = op == ZW_OP_TABLE ? zw_table_eval(&at->tables->list.items[(int32_t)x[1]], x[0], (int)x[2])
                                     : zw_op_apply(op, x[0], x[1], x[2]);
    double size = size_through(op, value, x, a);
    bool is_sum = op == ZW_OP_ADD || op == ZW_OP_SUB || op == ZW_OP_FUSED;
    if (op == ZW_OP_FUSED) size = a[0] * a[1] + a[2];
    if (is_sum && reads == READS_TIME && at->epoch != 0) size = size_of_time(at, value, size);
    at->value[i] = value;
    at->size[i] = isfinite(size) ? size : 0;
    at->length[i] = reads;
  }
}

/* ---- downwards: lengths ---- */

/* How far z must move so that z^k moves by `length`. */
static double root_length(double z, double k, double length) {
  if (z == 0) return pow(length, 1 / k);
  return z * expm1(log1p(length / pow(z, k)) / k);
}

static double least(double a, double b) {
  return b < a ? b : a; /* what is not a number tells nothing */
}

static void narrow(const ZwLengths* at, uint32_t node, double length) {
  if (length > 0) at->length[node] = least(at->length[node], length);
}

static void power_down(const ZwLengths* at, const uint32_t* args, double length) {
  double x = fabs(at->value[args[0]]), k = at->value[args[1]];
  if (k > 0)
    narrow(at, args[0], root_length(at->size[args[0]], k, length));
  else if (k < 0)
    narrow(at, args[0], least(x, length / (-k * pow(x, k - 1))));
  narrow(at, args[1], 1);
}

static void product_down(const ZwLengths* at, const uint32_t* args, double length) {
  if (args[0] == args[1]) {
    narrow(at, args[0], root_length(at->size[args[0]], 2, length));
    return;
  }
  narrow(at, args[0], length / at->size[args[1]]);
  narrow(at, args[1], length / at->size[args[0]]);
}

static void quotient_down(const ZwLengths* at, const uint32_t* args, double length) {
  double x = fabs(at->value[args[1]]);
  narrow(at, args[0], length * x);
  narrow(at, args[1], least(x, length * x / at->size[args[0]] * x));
}

static void table_down(const ZwLengths* at, const uint32_t* args) {
  const ZwTable* table = &at->tables->list.items[(int32_t)at->value[args[1]]];
  narrow(at, args[0], (table->x[table->count - 1] - table->x[0]) / (table->count - 1));
}

static void node_down(const ZwLengths* at, const uint32_t* words, double length) {
  const uint32_t* args = words + 1;
  ZwOp op = (ZwOp)words[0];
  switch (op) {
    case ZW_OP_ADD:
    case ZW_OP_SUB:
    case ZW_OP_MIN:
    case ZW_OP_MAX:
    case ZW_OP_HYPOT:
      narrow(at, args[1], length);
      narrow(at, args[0], length);
      break;
    case ZW_OP_NEG:
    case ZW_OP_ABS:
    case ZW_OP_FLOOR:
      narrow(at, args[0], length);
      break;
    case ZW_OP_MUL:
      product_down(at, args, length);
      break;
    case ZW_OP_DIV:
      quotient_down(at, args, length);
      break;
    case ZW_OP_POW:
      power_down(at, args, length);
      break;
    case ZW_OP_SQRT:
      narrow(at, args[0], root_length(at->size[args[0]], 0.5, length));
      break;
    case ZW_OP_ATAN2:
      narrow(at, args[0], hypot(at->size[args[0]], at->size[args[1]]));
      narrow(at, args[1], hypot(at->size[args[0]], at->size[args[1]]));
      break;
    case ZW_OP_LOG:
      narrow(at, args[0], fabs(at->value[args[0]]));
      break;
    case ZW_OP_MOD:
      narrow(at, args[0], fabs(at->value[args[1]]));
      break;
    case ZW_OP_SELECT:
      narrow(at, at->value[args[0]] != 0 ? args[1] : args[2], length);
      break;
    case ZW_OP_TABLE:
      table_down(at, args);
      break;
    default:
      if (zw_op_arity(op) == 1 && op != ZW_OP_SIGN && op != ZW_OP_NOT) narrow(at, args[0], 1);
      break;
  }
}

void zw_lengths_find(const ZwLengths* at, const ZwShape* shape, int32_t instance, ZwOp leaf, double* to) {
  int32_t count = node_count(shape), root = (int32_t)shape->code[(ptrdiff_t)count * WORDS];
  for (int32_t i = 0; i < shape->coords; i++) to[i] = INFINITY;
  go_up(at, shape, instance, count);
  for (int32_t i = 0; i < count; i++) at->length[i] = INFINITY;
  if (!(at->size[root] > 0)) return;
  at->length[root] = at->size[root] / 2;
  for (int32_t i = count - 1; i >= 0; i--) {
    const uint32_t* words = shape->code + (ptrdiff_t)i * WORDS;
    if (zw_op_arity((ZwOp)words[0]) > 0 && at->length[i] < INFINITY) node_down(at, words, at->length[i]);
    if ((ZwOp)words[0] == leaf) to[words[1]] = least(to[words[1]], at->length[i]);
  }
}
