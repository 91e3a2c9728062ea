#include "kernel/eliminate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest that is written out: beyond, the code is longer than the caches of instructions, and takes long to make. */
enum { UNKNOWNS_MAX = 6000, OPERATIONS_MAX = 120000, SIZED_MAX = 60 };

/* ---- numbers and what they are made of ---- */

/* What a number depends on; ORDER PARTS: the highest one tells the part that computes it. */
enum { ON_M = 1, ON_A = 2, ON_RIGHT = 4, ON_RESIDUAL = 8, ON_GUESS = 16 };

enum { ABSENT = -1 }; /* an entry that is always zero */

/* A node with a sign: many entries of A are 1 or -1, and what they multiply stays what it is. */
typedef int32_t Signed;

typedef enum NodeKind { NODE_LITERAL, NODE_NUMBER, NODE_VELOCITY, NODE_RESULT } NodeKind;

typedef struct Node {
  NodeKind kind;
  ZwOp op;
  int32_t a, b; /* arguments; of a leaf a is its index */
  double value; /* of a literal */
  uint8_t on;
  int32_t kept; /* where in the block it is kept for other parts, or -1 */
} Node;

typedef struct Root {
  int32_t node, place;
} Root;

typedef struct Builder {
  ZwProgram* program;
  ZwElimination* elimination;
  ZwArena* scratch;
  const ZwBlock* block;
  const ZwPattern *M, *A;
  ZwCoupling coupling;
  int32_t n, m, size;
  int32_t *order, *place; /* coordinates, then rows: which is eliminated when */
  ZW_ARRAY(Node) nodes;
  double* literals;            /* entries of A that are the same in every model's state, else NaN */
  int32_t *behind_at, *behind; /* columns: places behind each place that are coupled to it, in their order */
  Signed *V, *L;               /* of these entries: the number, and over the pivot of its column */
  bool* is_given;              /* no elimination has changed it */
  int32_t *pivot, *inverse;    /* by places */
  int32_t *before_at, *before; /* rows: entries of a place in columns before it; */
  int32_t* before_place;       /* and which columns these are */
  int32_t *y, *z, *x;          /* of the right sides at hand, by places; z: y over the pivot */
  int32_t margins[2];          /* of M alone, of all: a number that is positive if all pivots are what they should be */
  ZW_ARRAY(Root) roots[ZW_ELIMINATE_PARTS];
  int32_t zero, one, part_left; /* literals */
  bool is_impossible;
} Builder;

static int32_t add_node(Builder* b, Node node) {
  node.kept = -1;
  if (!ZW_PUSH(b->scratch, &b->nodes, node)) {
    b->is_impossible = true;
    return 0;
  }
  return b->nodes.count - 1;
}

static int32_t number(Builder* b, int32_t index, uint8_t on) {
  return add_node(b, (Node){NODE_NUMBER, .a = index, .on = on});
}

static int32_t literal(Builder* b, double value) {
  return add_node(b, (Node){NODE_LITERAL, .value = value});
}

static int32_t apply(Builder* b, ZwOp op, int32_t first, int32_t second) {
  uint8_t on = b->nodes.items[first].on;
  if (second >= 0) on |= b->nodes.items[second].on;
  return add_node(b, (Node){NODE_RESULT, op, first, second, .on = on});
}

static Signed with_sign(int32_t node, bool is_negative) {
  return 2 * node + is_negative;
}

static Signed positive(int32_t node) {
  return with_sign(node, false);
}

static int32_t node_of(Signed s) {
  return s / 2;
}

static bool is_negative(Signed s) {
  return s % 2 == 1;
}

/* Whether a factor can be left out. */
static bool is_one(const Builder* b, Signed s) {
  const Node* node = &b->nodes.items[node_of(s)];
  return node->kind == NODE_LITERAL && node->value == 1;
}

static Signed multiply(Builder* b, Signed first, Signed second) {
  bool sign = is_negative(first) != is_negative(second);
  if (is_one(b, first)) return with_sign(node_of(second), sign);
  if (is_one(b, second)) return with_sign(node_of(first), sign);
  return with_sign(apply(b, ZW_OP_MUL, node_of(first), node_of(second)), sign);
}

/* sum + a b or sum - a b, where the sum may be absent. */
static Signed accumulate(Builder* b, Signed sum, bool is_plus, Signed first, Signed second) {
  Signed product = multiply(b, first, second);
  bool sign = is_negative(product) == is_plus; /* of what is added */
  int32_t node = node_of(product);
  if (sum == ABSENT) return with_sign(node, sign);
  if (!is_negative(sum)) return positive(apply(b, sign ? ZW_OP_SUB : ZW_OP_ADD, node_of(sum), node));
  if (!sign) return positive(apply(b, ZW_OP_SUB, node, node_of(sum)));
  return with_sign(apply(b, ZW_OP_ADD, node_of(sum), node), true);
}

/* The number itself. */
static int32_t settle(Builder* b, Signed s) {
  return is_negative(s) ? apply(b, ZW_OP_NEG, node_of(s), ABSENT) : node_of(s);
}

static void add_root(Builder* b, ZwEliminatePart part, int32_t node, int32_t place) {
  Root root = {node, place};
  if (!ZW_PUSH(b->scratch, &b->roots[part], root)) b->is_impossible = true;
}

/* ---- factors ----
 *
 * With mu = -lambda the matrix K = [M A^T; A 0] is symmetric. Between two rows its entries are kept with the other sign, so that
 * every pivot is positive. */

static bool is_row(const Builder* b, int32_t place) {
  return b->order[place] >= b->n;
}

/* The entry of place i in the column of place k, or -1. */
static int32_t find_entry(const Builder* b, int32_t i, int32_t k) {
  for (int32_t e = b->behind_at[k]; e < b->behind_at[k + 1] && b->behind[e] <= i; e++) {
    if (b->behind[e] == i) return e;
  }
  return -1;
}

/* An entry of A. */
static Signed constraint_entry(Builder* b, int32_t at) {
  double value = b->literals[at];
  if (value == 1 || value == -1) return with_sign(b->one, value < 0);
  return positive(number(b, b->block->A + at, ON_A));
}

/* An entry of K before anything is eliminated; i behind k. */
static Signed given_entry(Builder* b, int32_t i, int32_t k) {
  int32_t u = b->order[i], w = b->order[k];
  int32_t high = u > w ? u : w, low = u > w ? w : u;
  if (low >= b->n) return high == low ? positive(number(b, b->block->slack + low - b->n, ON_A)) : ABSENT;
  const ZwPattern* pattern = high < b->n ? b->M : b->A;
  int32_t row = high < b->n ? high : high - b->n;
  for (int32_t at = pattern->begin[row]; at < pattern->begin[row + 1]; at++) {
    if (pattern->column[at] != low) continue;
    return high < b->n ? positive(number(b, b->block->M + at, ON_M)) : constraint_entry(b, at);
  }
  return ABSENT;
}

/* Whether eliminating k adds to the entry of i and j. */
static bool adds(const Builder* b, int32_t i, int32_t j, int32_t k) {
  int kept_negative =
      (is_row(b, i) && is_row(b, j)) + (is_row(b, i) && is_row(b, k)) + (is_row(b, j) && is_row(b, k)) + is_row(b, k);
  return kept_negative % 2 == 1;
}

static Signed entry_of(Builder* b, int32_t i, int32_t p, bool* is_given) {
  Signed value = given_entry(b, i, p);
  *is_given = true;
  for (int32_t at = b->before_at[p]; at < b->before_at[p + 1]; at++) {
    int32_t k = b->before_place[at], e = find_entry(b, i, k);
    if (e < 0) continue;
    value = accumulate(b, value, adds(b, i, p, k), b->L[e], b->V[b->before[at]]);
    *is_given = false;
  }
  return value;
}

static int32_t less(Builder* b, int32_t other, int32_t value) {
  return other == ABSENT ? value : apply(b, ZW_OP_MIN, other, value);
}

/* First what adds to the pivot, then what takes away: enough must be left. */
static void add_pivot(Builder* b, int32_t p) {
  Signed sum = given_entry(b, p, p), whole = ABSENT;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t at = b->before_at[p]; at < b->before_at[p + 1]; at++) {
      int32_t e = b->before[at];
      if (adds(b, p, p, b->before_place[at]) != (pass == 0)) continue;
      if (pass == 1 && whole == ABSENT) whole = sum;
      if (sum == ABSENT) b->is_impossible = true; /* a coordinate without inertia */
      sum = accumulate(b, sum, pass == 0, b->L[e], b->V[e]);
    }
  }
  if (sum == ABSENT || b->is_impossible) {
    b->is_impossible = true;
    return;
  }
  int32_t value = settle(b, sum), margin = value;
  if (whole != ABSENT) margin = apply(b, ZW_OP_SUB, value, apply(b, ZW_OP_MUL, settle(b, whole), b->part_left));
  int32_t* margins = &b->margins[b->nodes.items[value].on > ON_M];
  *margins = less(b, *margins, margin);
  b->pivot[p] = value;
  b->inverse[p] = apply(b, ZW_OP_DIV, b->one, value);
}

static void add_column(Builder* b, int32_t p) {
  for (int32_t e = b->behind_at[p]; e < b->behind_at[p + 1]; e++) {
    b->V[e] = entry_of(b, b->behind[e], p, &b->is_given[e]);
    b->L[e] = multiply(b, b->V[e], positive(b->inverse[p]));
  }
}

/* ---- right sides ---- */

/* y of a place, from its right side and what comes before it; may be absent. */
static void go_forward(Builder* b, int32_t p, Signed right) {
  for (int32_t at = b->before_at[p]; at < b->before_at[p + 1]; at++) {
    int32_t k = b->before_place[at];
    if (b->y[k] == ABSENT) continue;
    bool is_plus = is_row(b, k) && !is_row(b, p);
    right = accumulate(b, right, is_plus, b->V[b->before[at]], b->z[k]);
  }
  b->y[p] = right;
  if (right != ABSENT) b->z[p] = multiply(b, right, positive(b->inverse[p]));
}

/* x_p = (y_p - sum V x) / pivot, where multipliers act on coordinates with the other sign. The sum of a coordinate whose
 * column is as it was given, with rows only, is the force of the constraints on it. */
static void go_back(Builder* b, int32_t p, int32_t* force) {
  Signed value = b->y[p], sum = ABSENT;
  bool is_plain = !is_row(b, p);
  int32_t begin = b->behind_at[p], end = b->behind_at[p + 1];
  for (int32_t e = begin; e < end; e++) is_plain = is_plain && is_row(b, b->behind[e]) && b->is_given[e];
  for (int32_t e = begin; e < end; e++) {
    int32_t i = b->behind[e];
    bool is_plus = !is_row(b, p) && is_row(b, i);
    if (is_plain)
      sum = accumulate(b, sum, true, b->V[e], positive(b->x[i]));
    else
      value = accumulate(b, value, is_plus, b->V[e], positive(b->x[i]));
  }
  int32_t known = sum == ABSENT ? b->zero : settle(b, sum);
  if (is_plain && sum != ABSENT) value = accumulate(b, value, true, positive(known), positive(b->one));
  if (force) *force = is_plain ? known : ABSENT;
  b->x[p] = value == ABSENT ? b->zero : settle(b, multiply(b, value, positive(b->inverse[p])));
}

/* Entries of A by columns, rows in their order: where each column begins, the entries and their rows. */
typedef struct Columns {
  int32_t *begin, *entry, *row;
} Columns;

static bool list_columns(Builder* b, Columns* columns) {
  int32_t count = b->A->begin[b->m];
  *columns = (Columns){ZW_NEW(b->scratch, b->n + 2, int32_t), ZW_NEW(b->scratch, count, int32_t),
                       ZW_NEW(b->scratch, count, int32_t)};
  if (b->scratch->failed) return false;
  for (int32_t at = 0; at < count; at++) columns->begin[b->A->column[at] + 2]++;
  for (int32_t i = 2; i < b->n + 2; i++) columns->begin[i] += columns->begin[i - 1];
  for (int32_t row = 0; row < b->m; row++) {
    for (int32_t at = b->A->begin[row]; at < b->A->begin[row + 1]; at++) {
      int32_t to = columns->begin[b->A->column[at] + 1]++;
      columns->entry[to] = at;
      columns->row[to] = row;
    }
  }
  return true;
}

/* A^T lambda where it is not known yet. */
static void add_forces(Builder* b, int32_t* force) {
  Columns columns;
  if (!list_columns(b, &columns)) return;
  for (int32_t i = 0; i < b->n; i++) {
    Signed sum = ABSENT;
    if (force[i] != ABSENT) continue;
    for (int32_t k = columns.begin[i]; k < columns.begin[i + 1]; k++) {
      int32_t lambda = b->x[b->place[b->n + columns.row[k]]];
      sum = accumulate(b, sum, true, constraint_entry(b, columns.entry[k]), positive(lambda));
    }
    force[i] = sum == ABSENT ? b->zero : settle(b, sum);
  }
}

/* The sum of numbers in pairs, so that none waits for all before it; there is at least one. */
static int32_t sum_in_pairs(Builder* b, int32_t* numbers, int32_t count) {
  for (; count > 1; count = (count + 1) / 2) {
    for (int32_t i = 0; i < count / 2; i++) numbers[i] = apply(b, ZW_OP_ADD, numbers[2 * i], numbers[2 * i + 1]);
    if (count % 2) numbers[count / 2] = numbers[count - 1];
  }
  return numbers[0];
}

/* W' = (Q + Qc) . v - dL/dt */
static int32_t power_of(Builder* b, const int32_t* force) {
  Signed sum = positive(number(b, b->block->power, ON_RIGHT));
  for (int32_t i = 0; i < b->n; i++) {
    if (!zw_groups_is_worked_on(b->program->equations, i)) continue;
    int32_t v = add_node(b, (Node){NODE_VELOCITY, .a = i, .on = ON_RIGHT});
    int32_t all = apply(b, ZW_OP_ADD, number(b, b->block->Q + i, ON_RIGHT), force[i]);
    sum = accumulate(b, sum, true, positive(all), positive(v));
  }
  return node_of(sum);
}

/* Positive if the margin is and all of the numbers are finite. */
static int32_t check_of(Builder* b, int32_t* numbers, int32_t count) {
  int32_t nothing = apply(b, ZW_OP_MUL, sum_in_pairs(b, numbers, count), b->zero);
  int32_t margin = b->margins[1] == ABSENT ? b->one : b->margins[1];
  return apply(b, ZW_OP_ADD, margin, nothing);
}

static void solve_for_accelerations(Builder* b, int32_t* force, int32_t* numbers) {
  const ZwBlock* block = b->block;
  for (int32_t p = b->size - 1; p >= 0; p--) {
    int32_t unknown = b->order[p];
    go_back(b, p, unknown < b->n ? &force[unknown] : NULL);
    add_root(b, ZW_ELIMINATE_SOLVE, b->x[p], unknown < b->n ? block->a + unknown : block->lambda + unknown - b->n);
  }
  add_forces(b, force);
  for (int32_t i = 0; i < b->n; i++) add_root(b, ZW_ELIMINATE_SOLVE, force[i], block->Qc + i);
  numbers[b->n] = power_of(b, force);
  add_root(b, ZW_ELIMINATE_SOLVE, numbers[b->n], block->work);
  /* whatever is not finite, of entries, forces or multipliers, is found in one of these */
  for (int32_t i = 0; i < b->n; i++) numbers[i] = b->x[b->place[i]];
  add_root(b, ZW_ELIMINATE_SOLVE, check_of(b, numbers, b->n + 1), block->check);
}

/* Factors and, in the same breath, forward elimination of h and b. */
static void factor(Builder* b) {
  const ZwBlock* block = b->block;
  for (int32_t p = 0; p < b->size && !b->is_impossible; p++) {
    int32_t unknown = b->order[p];
    Signed right;
    add_pivot(b, p);
    if (b->is_impossible) return;
    add_column(b, p);
    if (unknown < b->n) {
      int32_t h =
          apply(b, ZW_OP_ADD, number(b, block->hL + unknown, ON_RIGHT), number(b, block->Q + unknown, ON_RIGHT));
      add_root(b, ZW_ELIMINATE_SOLVE, h, block->h + unknown);
      right = positive(h);
    } else {
      right = positive(number(b, block->b + unknown - b->n, ON_RIGHT));
    }
    go_forward(b, p, right);
  }
}

/* A dx = r, of all unknowns by their places. */
static void solve_for_rows(Builder* b, const Signed* r) {
  for (int32_t p = 0; p < b->size; p++) {
    int32_t unknown = b->order[p];
    go_forward(b, p, unknown < b->n ? ABSENT : r[unknown - b->n]);
  }
  for (int32_t p = b->size - 1; p >= 0; p--) go_back(b, p, NULL);
}

/* A dx = -r; without rows there is nothing to project. */
static void solve_for_projection(Builder* b, Signed* right, int32_t* numbers) {
  const ZwBlock* block = b->block;
  for (int32_t i = 0; i < b->m; i++) right[i] = with_sign(number(b, block->residual + i, ON_RESIDUAL), true);
  solve_for_rows(b, right);
  for (int32_t p = b->size - 1; p >= 0; p--) {
    int32_t unknown = b->order[p];
    add_root(b, ZW_ELIMINATE_PROJECT, b->x[p], unknown < b->n ? block->dx + unknown : block->impulse + unknown - b->n);
  }
  for (int32_t i = 0; i < b->n; i++) numbers[i] = b->x[b->place[i]];
  add_root(b, ZW_ELIMINATE_PROJECT, check_of(b, numbers, b->n), block->project_check);
  for (int32_t p = 0; p < b->size; p++) {
    int32_t unknown = b->order[p];
    if (unknown >= b->n) add_root(b, ZW_ELIMINATE_FACTOR, b->pivot[p], block->pivots + unknown - b->n);
  }
}

/* ---- the smallest singular value ---- */

/* z = S (A M^-1 A^T)^-1 S x, of rows. What they do to coordinates is computed only if a root asks for it. */
static void invert(Builder* b, const int32_t* scale, const int32_t* x, Signed* right, int32_t* z) {
  for (int32_t i = 0; i < b->m; i++) right[i] = positive(apply(b, ZW_OP_MUL, x[i], scale[i]));
  solve_for_rows(b, right);
  for (int32_t i = 0; i < b->m; i++) z[i] = apply(b, ZW_OP_MUL, b->x[b->place[b->n + i]], scale[i]);
}

static int32_t product_of(Builder* b, const int32_t* x, const int32_t* y, int32_t* scratch) {
  for (int32_t i = 0; i < b->m; i++) scratch[i] = apply(b, ZW_OP_MUL, x[i], y[i]);
  return sum_in_pairs(b, scratch, b->m);
}

static int32_t root_of(Builder* b, int32_t x) {
  return apply(b, ZW_OP_SQRT, x, ABSENT);
}

/* Of a guess x, two inversions z and w. The next guess is w over its length, and what the rows make of that has the square
 * z.w / w.w. */
static bool find_smallest(Builder* b, Signed* right) {
  const ZwBlock* block = b->block;
  ptrdiff_t m = b->m;
  int32_t *x = ZW_NEW(b->scratch, 5 * m, int32_t), *z = x + m, *w = z + m, *scale = w + m, *scratch = scale + m;
  if (!x) return false;
  for (int32_t i = 0; i < b->m; i++) {
    x[i] = number(b, block->guess + i, ON_GUESS);
    scale[i] = number(b, block->scale + i, ON_GUESS);
  }
  invert(b, scale, x, right, z);
  invert(b, scale, z, right, w);
  int32_t zz = product_of(b, z, z, scratch), zw = product_of(b, z, w, scratch), ww = product_of(b, w, w, scratch);
  int32_t length = root_of(b, ww), part = apply(b, ZW_OP_DIV, b->one, length);
  for (int32_t i = 0; i < b->m; i++) {
    add_root(b, ZW_ELIMINATE_MEASURE, apply(b, ZW_OP_MUL, w[i], part), block->guess + i);
  }
  for (int32_t i = 0; i < b->n; i++) add_root(b, ZW_ELIMINATE_MEASURE, b->x[b->place[i]], block->dual + i);
  add_root(b, ZW_ELIMINATE_MEASURE, length, block->length);
  add_root(b, ZW_ELIMINATE_MEASURE, root_of(b, apply(b, ZW_OP_DIV, zw, ww)), block->smallest);
  int32_t lengths = root_of(b, apply(b, ZW_OP_MUL, zz, ww));
  int32_t least = apply(b, ZW_OP_MUL, literal(b, 1 - ZW_TOL_MEASURE), lengths);
  add_root(b, ZW_ELIMINATE_MEASURE, apply(b, ZW_OP_SUB, zw, least), block->surety);
  add_root(b, ZW_ELIMINATE_MEASURE, check_of(b, &lengths, 1), block->measure_check);
  return true;
}

/* ---- sizes ----
 *
 * With M = L D L^T of its own, whatever the order of the rows: the square of a size is the sum of y^2 / D, y = L\A^T. */

typedef struct Metric {
  Signed *V, *L; /* n x n, of coordinates in the order of their elimination */
  int32_t *inverse, *coordinate, *place;
} Metric;

static bool open_metric(Builder* b, Metric* metric) {
  ptrdiff_t square = (ptrdiff_t)b->n * b->n;
  *metric =
      (Metric){ZW_NEW(b->scratch, square, Signed), ZW_NEW(b->scratch, square, Signed),
               ZW_NEW(b->scratch, b->n, int32_t), ZW_NEW(b->scratch, b->n, int32_t), ZW_NEW(b->scratch, b->n, int32_t)};
  if (b->scratch->failed) return false;
  for (ptrdiff_t i = 0; i < square; i++) metric->V[i] = metric->L[i] = ABSENT;
  for (int32_t p = 0, count = 0; p < b->size; p++) {
    if (is_row(b, p)) continue;
    metric->coordinate[count] = b->order[p];
    metric->place[metric->coordinate[count]] = count;
    count++;
  }
  return true;
}

/* One entry, less what the columns before leave of it. */
static Signed reduce(Builder* b, const Metric* metric, int32_t i, int32_t p, Signed value) {
  ptrdiff_t n = b->n;
  for (int32_t k = 0; k < p; k++) {
    Signed l = metric->L[i * n + k], v = metric->V[p * n + k];
    if (l != ABSENT && v != ABSENT) value = accumulate(b, value, false, l, v);
  }
  return value;
}

static void factor_metric(Builder* b, const Metric* metric) {
  ptrdiff_t n = b->n;
  for (int32_t p = 0; p < b->n; p++) {
    int32_t place = b->place[metric->coordinate[p]];
    Signed pivot = reduce(b, metric, p, p, given_entry(b, place, place));
    metric->inverse[p] = apply(b, ZW_OP_DIV, b->one, settle(b, pivot));
    for (int32_t i = p + 1; i < b->n; i++) {
      Signed given = given_entry(b, b->place[metric->coordinate[i]], place);
      Signed value = reduce(b, metric, i, p, given);
      metric->V[i * n + p] = value;
      if (value != ABSENT) metric->L[i * n + p] = multiply(b, value, positive(metric->inverse[p]));
    }
  }
}

static int32_t size_of_row(Builder* b, const Metric* metric, int32_t row, Signed* y, Signed* z) {
  ptrdiff_t n = b->n;
  Signed sum = ABSENT;
  for (int32_t p = 0; p < b->n; p++) y[p] = ABSENT;
  for (int32_t at = b->A->begin[row]; at < b->A->begin[row + 1]; at++) {
    y[metric->place[b->A->column[at]]] = constraint_entry(b, at);
  }
  for (int32_t p = 0; p < b->n; p++) {
    for (int32_t k = 0; k < p; k++) {
      Signed v = metric->V[p * n + k];
      if (v != ABSENT && y[k] != ABSENT) y[p] = accumulate(b, y[p], false, v, z[k]);
    }
    if (y[p] == ABSENT) continue;
    z[p] = multiply(b, y[p], positive(metric->inverse[p]));
    sum = accumulate(b, sum, true, y[p], z[p]);
  }
  return sum == ABSENT ? b->zero : apply(b, ZW_OP_SQRT, settle(b, sum), ABSENT);
}

static bool find_sizes(Builder* b) {
  Metric metric;
  if (b->m == 0 || b->n > SIZED_MAX) return true;
  if (!open_metric(b, &metric)) return false;
  Signed *y = ZW_NEW(b->scratch, b->n, Signed), *z = ZW_NEW(b->scratch, b->n, Signed);
  if (!y || !z) return false;
  factor_metric(b, &metric);
  int64_t entries = 0;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)b->n * b->n; i++) entries += metric.V[i] != ABSENT;
  if (entries * b->m > OPERATIONS_MAX) return true;
  for (int32_t row = 0; row < b->m; row++) {
    add_root(b, ZW_ELIMINATE_SIZES, size_of_row(b, &metric, row, y, z), b->block->sizes + row);
  }
  return true;
}

/* ---- tapes ---- */

static ZwEliminatePart part_of(const Node* node) {
  if (node->on & ON_GUESS) return ZW_ELIMINATE_MEASURE;
  if (node->on & ON_RESIDUAL) return ZW_ELIMINATE_PROJECT;
  if (node->on & ON_RIGHT) return ZW_ELIMINATE_SOLVE;
  return node->on & ON_A ? ZW_ELIMINATE_FACTOR : ZW_ELIMINATE_MASS;
}

/* Whether another part has computed it. The solve computes what it needs of the factors itself; projections and measures come
 * when A has changed already, and want it as it was. */
static bool is_computed_before(const Node* node, ZwEliminatePart part) {
  ZwEliminatePart own = part_of(node);
  bool has_factors = part == ZW_ELIMINATE_PROJECT || part == ZW_ELIMINATE_MEASURE;
  if (node->kind == NODE_NUMBER) return has_factors && own == ZW_ELIMINATE_FACTOR;
  if (node->kind != NODE_RESULT || own == part) return false;
  return own != ZW_ELIMINATE_FACTOR || has_factors;
}

/* A place for what another part must compute. */
static void keep(Builder* b, int32_t i) {
  Node* node = &b->nodes.items[i];
  if (node->kept >= 0) return;
  ZwEliminatePart part = part_of(node);
  node->kept = b->program->block.size++;
  add_root(b, part, i, node->kept);
}

static void mark_needed(Builder* b, ZwEliminatePart part, bool* is_needed) {
  memset(is_needed, 0, (size_t)b->nodes.count * sizeof(bool));
  for (int32_t i = 0; i < b->roots[part].count; i++) is_needed[b->roots[part].items[i].node] = true;
  for (int32_t i = b->nodes.count - 1; i >= 0; i--) {
    const Node* node = &b->nodes.items[i];
    if (!is_needed[i]) continue;
    if (is_computed_before(node, part)) {
      keep(b, i);
      continue;
    }
    if (node->kind != NODE_RESULT) continue;
    is_needed[node->a] = true;
    if (node->b >= 0) is_needed[node->b] = true;
  }
}

static void emit_node(Builder* b, ZwTape* tape, ZwEliminatePart part, const Node* node, const int32_t* in) {
  ZwArena* arena = b->program->arena;
  int32_t to = tape->registers++;
  if (node->kind == NODE_LITERAL) {
    ZwLiteral constant = {node->value, to};
    (void)ZW_PUSH(arena, &tape->literals, constant);
  } else if (node->kind == NODE_RESULT && !is_computed_before(node, part)) {
    ZwInstr instr = {node->op, to, in[node->a], node->b >= 0 ? in[node->b] : 0, 0};
    (void)ZW_PUSH(arena, &tape->code, instr);
    (void)ZW_PUSH(arena, &tape->marks, 0);
  } else {
    ZwInputKind kind = node->kind == NODE_VELOCITY ? ZW_INPUT_VELOCITY : ZW_INPUT_SLOT;
    ZwInput input = {kind, is_computed_before(node, part) ? node->kept : node->a, to, 0};
    (void)ZW_PUSH(arena, &tape->inputs, input);
  }
}

static int compare_places(const void* a, const void* b) {
  int32_t first = *(const int32_t*)a, second = *(const int32_t*)b;
  return (first > second) - (first < second);
}

static int compare_roots(const void* a, const void* b) {
  const Root *first = a, *second = b;
  return (first->node > second->node) - (first->node < second->node);
}

/* Roots in the order in which they become known, so that none has to wait in a register. */
static bool emit_part(Builder* b, ZwEliminatePart part) {
  ZwArena* arena = b->program->arena;
  ZwKernel* kernel = &b->elimination->parts[part];
  ZwTape* tape = &kernel->setup;
  bool* is_needed = ZW_NEW(b->scratch, b->nodes.count, bool);
  int32_t* in = ZW_NEW(b->scratch, b->nodes.count, int32_t);
  if (!is_needed || !in) return false;
  mark_needed(b, part, is_needed);
  int32_t count = b->roots[part].count;
  if (count > 0) qsort(b->roots[part].items, (size_t)count, sizeof(Root), compare_roots);
  for (int32_t i = 0; i < b->nodes.count; i++) {
    if (!is_needed[i]) continue;
    in[i] = tape->registers;
    emit_node(b, tape, part, &b->nodes.items[i], in);
  }
  int32_t* places = ZW_NEW(arena, count, int32_t);
  for (int32_t i = 0; i < count && places; i++) {
    places[i] = b->roots[part].items[i].place;
    (void)ZW_PUSH(arena, &tape->outputs, in[b->roots[part].items[i].node]);
  }
  kernel->shape = &b->elimination->shape;
  kernel->constants = count;
  kernel->places = places;
  int32_t registers = tape->registers + tape->code.count; /* of the interpreter; machine code needs no more */
  if (b->elimination->registers < registers) b->elimination->registers = registers;
  return !arena->failed;
}

/* The literal that an output of a tape is, or NaN. */
static double literal_output(const ZwTape* tape, int32_t output) {
  for (int32_t i = 0; i < tape->literals.count; i++) {
    if (tape->literals.items[i].dst == tape->outputs.items[output]) return tape->literals.items[i].value;
  }
  return NAN;
}

/* ---- all parts ---- */

/* The block as slots, and the coordinates as they are numbered. */
static bool open_shape(Builder* b) {
  ZwArena* arena = b->program->arena;
  ZwShape* shape = &b->elimination->shape;
  *shape = (ZwShape){.coords = b->n, .slots = b->program->block.size, .count = 1};
  for (int32_t i = 0; i < shape->slots; i++) (void)ZW_PUSH(arena, &shape->instance_slots, i);
  for (int32_t i = 0; i < shape->coords; i++) (void)ZW_PUSH(arena, &shape->instance_coords, i);
  return !arena->failed;
}

/* What a part keeps for others is known when those are written. */
static bool emit(Builder* b) {
  static const ZwEliminatePart parts[] = {ZW_ELIMINATE_PROJECT, ZW_ELIMINATE_MEASURE, ZW_ELIMINATE_FACTOR,
                                          ZW_ELIMINATE_SIZES,   ZW_ELIMINATE_SOLVE,   ZW_ELIMINATE_MASS};
  int32_t margin = b->margins[0] == ABSENT ? b->one : b->margins[0];
  add_root(b, ZW_ELIMINATE_MASS, margin, b->block->mass_check);
  for (int i = 0; i < ZW_ELIMINATE_PARTS; i++) {
    if (!emit_part(b, parts[i])) return false;
  }
  return open_shape(b);
}

/* ---- the plan ---- */

static bool couple(Builder* b) {
  if (!zw_coupling_open(&b->coupling, b->scratch, b->n, b->size)) return false;
  for (int pass = 0; pass < 2; pass++) {
    const ZwPattern* pattern = pass == 0 ? b->M : b->A;
    int32_t rows = pass == 0 ? b->n : b->m, first = pass == 0 ? 0 : b->n;
    for (int32_t i = 0; i < rows; i++) {
      for (int32_t at = pattern->begin[i]; at < pattern->begin[i + 1]; at++) {
        zw_coupling_add(&b->coupling, first + i, pattern->column[at]);
      }
    }
  }
  return true;
}

/* Entries of the columns, from the couplings. */
static bool list_behind(Builder* b) {
  ZwArena* arena = b->scratch;
  const int32_t *order = b->order, *place = b->place;
  ZW_ARRAY(int32_t) behind = {0};
  b->behind_at = ZW_NEW(arena, b->size + 1, int32_t);
  int32_t* neighbours = ZW_NEW(arena, b->size, int32_t);
  if (!b->behind_at || !neighbours) return false;
  for (int32_t p = 0; p < b->size; p++) {
    int32_t count = zw_coupling_list(&b->coupling, order[p], neighbours), begin = behind.count;
    for (int32_t i = 0; i < count; i++) {
      if (place[neighbours[i]] > p && !ZW_PUSH(arena, &behind, place[neighbours[i]])) return false;
    }
    if (behind.count > begin) {
      qsort(behind.items + begin, (size_t)(behind.count - begin), sizeof(int32_t), compare_places);
    }
    b->behind_at[p + 1] = behind.count;
  }
  b->behind = behind.items;
  return true;
}

/* The same entries by rows. */
static bool list_before(Builder* b) {
  int32_t count = b->behind_at[b->size];
  b->before_at = ZW_NEW(b->scratch, b->size + 2, int32_t);
  b->before = ZW_NEW(b->scratch, count, int32_t);
  b->before_place = ZW_NEW(b->scratch, count, int32_t);
  if (!b->before_at || !b->before || !b->before_place) return false;
  for (int32_t e = 0; e < count; e++) b->before_at[b->behind[e] + 2]++;
  for (int32_t p = 2; p < b->size + 2; p++) b->before_at[p] += b->before_at[p - 1];
  for (int32_t k = 0; k < b->size; k++) {
    for (int32_t e = b->behind_at[k]; e < b->behind_at[k + 1]; e++) {
      int32_t at = b->before_at[b->behind[e] + 1]++;
      b->before[at] = e;
      b->before_place[at] = k;
    }
  }
  return true;
}

/* Multiplications of the factors and of two solves with them. */
static int64_t count_operations(const Builder* b) {
  int64_t count = 0;
  for (int32_t k = 0; k < b->size; k++) {
    int64_t behind = b->behind_at[k + 1] - b->behind_at[k];
    count += behind * (behind + 1) / 2 + 4 * behind + 4;
  }
  return count;
}

static bool open_numbers(Builder* b) {
  int32_t entries = b->behind_at[b->size];
  int32_t** const of_places[] = {&b->pivot, &b->inverse, &b->y, &b->z, &b->x};
  for (size_t i = 0; i < sizeof of_places / sizeof *of_places; i++) {
    *of_places[i] = ZW_NEW(b->scratch, b->size, int32_t);
    if (!*of_places[i]) return false;
  }
  b->V = ZW_NEW(b->scratch, entries, Signed);
  b->L = ZW_NEW(b->scratch, entries, Signed);
  b->is_given = ZW_NEW(b->scratch, entries, bool);
  b->margins[0] = b->margins[1] = ABSENT;
  b->zero = literal(b, 0);
  b->one = literal(b, 1);
  b->part_left = literal(b, ZW_TOL_PIVOT_LEFT);
  return b->V && b->L && b->is_given;
}

/* An entry that one element alone adds a literal to is that literal. */
static bool find_literals(Builder* b) {
  b->literals = ZW_NEW(b->scratch, b->A->count, double);
  if (!b->literals) return false;
  for (int32_t i = 0; i < b->A->count; i++) b->literals[i] = 0; /* nothing has added to it */
  for (int32_t i = 0; i < b->program->kernels.count; i++) {
    const ZwKernel* kernel = &b->program->kernels.items[i];
    const ZwContributions* contributions = &kernel->shape->entries[ZW_ENTRY_ACCELERATION];
    const int32_t* to = kernel->scatter[ZW_ENTRY_ACCELERATION];
    for (int32_t k = 0, count = contributions->list.count; k < count; k++) {
      double value = literal_output(&kernel->tapes[ZW_ENTRY_ACCELERATION], k);
      if (contributions->list.items[k].target != ZW_TARGET_A) continue;
      for (ptrdiff_t l = 0; l < kernel->shape->count; l++) {
        double* entry = &b->literals[to[l * count + k]];
        *entry = *entry == 0 ? value : NAN;
      }
    }
  }
  return true;
}

static bool build(Builder* b) {
  int32_t *force = ZW_NEW(b->scratch, b->n, int32_t), *numbers = ZW_NEW(b->scratch, b->n + 1, int32_t);
  Signed* right = ZW_NEW(b->scratch, b->m + 1, Signed);
  if (!open_numbers(b) || !find_literals(b) || !force || !numbers || !right) return false;
  factor(b);
  if (b->is_impossible) return !b->scratch->failed;
  solve_for_accelerations(b, force, numbers);
  if (b->m > 0) solve_for_projection(b, right, numbers);
  if (b->m > 0 && !find_smallest(b, right)) return false;
  if (!find_sizes(b)) return false;
  return !b->scratch->failed && emit(b);
}

static bool plan(Builder* b) {
  ZwArena* arena = b->program->arena;
  b->elimination = ZW_NEW(arena, 1, ZwElimination);
  if (!b->elimination) return false;
  b->order = ZW_NEW(b->scratch, b->size, int32_t);
  b->place = ZW_NEW(b->scratch, b->size, int32_t);
  if (b->scratch->failed || !couple(b)) return false;
  if (!zw_eliminate_order(b->scratch, b->A, &b->coupling, b->order, b->place)) return false;
  if (!list_behind(b)) return false;
  if (count_operations(b) > OPERATIONS_MAX) return true;
  int32_t size = b->program->block.size;
  if (!list_before(b) || !build(b)) return false;
  if (b->is_impossible)
    b->program->block.size = size;
  else
    b->program->elimination = b->elimination;
  return true;
}

bool zw_eliminate_plan(ZwProgram* program) {
  const ZwEquations* equations = program->equations;
  int32_t n = equations->n, m = equations->m;
  if (n == 0 || n + m > UNKNOWNS_MAX || equations->system->contacts.count > 0) return true;
  ZwArena scratch;
  zw_arena_init(&scratch, &program->arena->allocator);
  scratch.limit = program->arena->limit;
  Builder b = {.program = program,
               .scratch = &scratch,
               .block = &program->block,
               .M = &equations->M,
               .A = &equations->A,
               .n = n,
               .m = m,
               .size = n + m};
  bool is_fine = plan(&b);
  if (scratch.limit_reached) program->arena->limit_reached = true;
  zw_arena_destroy(&scratch);
  return is_fine;
}
