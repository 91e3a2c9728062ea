/* A problem that falls into blocks: M and the rows of A join coordinates within a block only. Each block has factors of its own, takes
 * the road that its masses ask for, and is refined or not as it needs; so its answer is that which it has without the others, and
 * a thousand coordinates that stand by cost a thousand divisions. Coordinates that are alone have no block: their factor is a root. */
#include <string.h>

#include "base/assert.h"
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/least_parts.h"

typedef struct Block {
  int32_t n, m, m_max;
  const int32_t* coords; /* n */
  int32_t* rows;         /* m: which of all rows, ascending */
  ZwLeast* least;
  double *M, *A;    /* n x n, m x n */
  double* massless; /* n */
} Block;

struct ZwSplit {
  const ZwLeastBlocks* blocks;
  Block* list;
  int32_t* block_of;   /* n: -1 of a coordinate that is alone */
  double *mass, *root; /* of those that are alone; the root of a mass that is not positive is not a number */
  bool is_definite, is_minimum;
  ZwQr triangle; /* m x m */
  double* z;     /* n: the null vector */
  /* scratch of one block; `w` and `along` of directions */
  double *x, *h, *b, *lambda, *Qc, *along;
};

/* ---- memory ---- */

typedef struct Taker {
  char* base;
  size_t used;
} Taker;

static void* take(Taker* taker, size_t bytes) {
  void* piece = taker->base ? taker->base + taker->used : NULL;
  taker->used += zw_rounded(bytes);
  return piece;
}

static double* take_numbers(Taker* taker, ptrdiff_t count) {
  return take(taker, (size_t)count * sizeof(double));
}

static int32_t least_of(int32_t a, int32_t b) {
  return a < b ? a : b;
}

static void take_block(Taker* taker, Block* block) {
  ptrdiff_t n = block->n;
  void* memory = take(taker, zw_least_work_size(block->n, block->m_max));
  block->M = take_numbers(taker, n * n);
  block->A = take_numbers(taker, block->m_max * n);
  block->massless = take_numbers(taker, n);
  block->rows = take(taker, (size_t)block->m_max * sizeof(int32_t));
  if (taker->base) block->least = zw_least_place(memory, block->n, block->m_max);
}

static void lay_out(Taker* taker, int32_t n, int32_t m_max, const ZwLeastBlocks* blocks, ZwLeast** least) {
  ptrdiff_t rows = least_of(m_max, n);
  *least = take(taker, sizeof(ZwLeast));
  ZwSplit* split = take(taker, sizeof(ZwSplit));
  Block* list = take(taker, (size_t)blocks->count * sizeof(Block));
  ZwSplit own = {.blocks = blocks, .list = list};
  own.block_of = take(taker, (size_t)n * sizeof(int32_t));
  own.mass = take_numbers(taker, blocks->alone_count);
  own.root = take_numbers(taker, blocks->alone_count);
  own.triangle = (ZwQr){.T = take_numbers(taker, rows * rows)};
  double** const vectors[] = {&own.z, &own.x, &own.h, &own.b, &own.lambda, &own.Qc, &own.along};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take_numbers(taker, n);
  for (int32_t k = 0; k < blocks->count; k++) {
    int32_t size = blocks->begin[k + 1] - blocks->begin[k];
    Block block = {.n = size, .m_max = least_of(m_max, size), .coords = blocks->coords + blocks->begin[k]};
    take_block(taker, &block);
    if (list) list[k] = block;
  }
  if (!taker->base) return;
  **least = (ZwLeast){.n = n, .m_max = (int32_t)rows, .split = split, .status = ZW_ERR_ARGUMENT};
  *split = own;
}

size_t zw_least_split_size(int32_t n, int32_t m_max, const ZwLeastBlocks* blocks) {
  Taker taker = {0};
  ZwLeast* least;
  lay_out(&taker, n, m_max, blocks, &least);
  return taker.used;
}

ZwLeast* zw_least_place_split(void* memory, int32_t n, int32_t m_max, const ZwLeastBlocks* blocks) {
  Taker taker = {.base = memory};
  ZwLeast* least;
  lay_out(&taker, n, m_max, blocks, &least);
  for (int32_t j = 0; j < n; j++) least->split->block_of[j] = -1;
  for (int32_t k = 0; k < blocks->count; k++) {
    for (int32_t p = blocks->begin[k]; p < blocks->begin[k + 1]; p++) least->split->block_of[blocks->coords[p]] = k;
  }
  return least;
}

/* ---- factors ---- */

/* The block of a row: that of its first entry; a row without any says nothing, whatever block it is given to. */
static int32_t block_of_row(const ZwLeast* least, const double* row) {
  int32_t j = 0;
  while (j < least->n && row[j] == 0) j++;
  int32_t k = j < least->n ? least->split->block_of[j] : 0;
  return k >= 0 ? k : 0;
}

/* False: a block has more rows than coordinates. */
static bool gather_rows(ZwLeast* least, int32_t m, const double* A) {
  ZwSplit* split = least->split;
  bool fit = true;
  for (int32_t k = 0; k < split->blocks->count; k++) split->list[k].m = 0;
  for (int32_t r = 0; r < m; r++) {
    const double* row = A + (ptrdiff_t)r * least->n;
    if (split->blocks->count == 0) return false;
    Block* block = &split->list[block_of_row(least, row)];
    if (block->m == block->m_max) {
      fit = false;
      continue;
    }
    double* to = block->A + (ptrdiff_t)block->m * block->n;
    for (int32_t j = 0; j < block->n; j++) to[j] = row[block->coords[j]];
    block->rows[block->m++] = r;
  }
  return fit;
}

static void gather_masses(Block* block, int32_t n, const double* M) {
  for (ptrdiff_t i = 0; i < block->n; i++) {
    const double* row = M + (ptrdiff_t)block->coords[i] * n;
    for (ptrdiff_t j = 0; j < block->n; j++) block->M[i * block->n + j] = row[block->coords[j]];
  }
}

/* What is worse is said first. */
static ZwStatus worse(ZwStatus a, ZwStatus b) {
  static const ZwStatus order[] = {ZW_ERR_DOMAIN, ZW_ERR_INCONSISTENT, ZW_ERR_UNDETERMINED};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    if (a == order[i] || b == order[i]) return order[i];
  }
  return a ? a : b;
}

static ZwStatus factor_alone(ZwLeast* least, const double* M) {
  ZwSplit* split = least->split;
  ZwStatus status = ZW_OK;
  for (int32_t k = 0; k < split->blocks->alone_count; k++) {
    ptrdiff_t j = split->blocks->alone[k];
    double mass = M[j * least->n + j];
    split->mass[k] = mass;
    split->root[k] = mass > 0 ? sqrt(mass) : NAN;
    if (mass > 0 && isfinite(mass)) continue;
    split->is_definite = false;
    if (mass < 0) split->is_minimum = false;
    if (!isfinite(mass)) status = worse(status, ZW_ERR_DOMAIN);
    if (mass != 0 || status) continue;
    status = ZW_ERR_UNDETERMINED;
    zw_fill(least->n, 0, split->z);
    split->z[j] = 1;
  }
  return status;
}

static void scatter_null_vector(ZwLeast* least, const Block* block) {
  const double* z = zw_least_null_vector(block->least);
  zw_fill(least->n, 0, least->split->z);
  for (int32_t j = 0; z && j < block->n; j++) least->split->z[block->coords[j]] = z[j];
}

/* The triangles of the blocks in the order of the rows: each block has its rows in that order, so the whole is a triangle too. */
static void gather_triangle(ZwLeast* least) {
  ZwSplit* split = least->split;
  ptrdiff_t m = least->m;
  split->triangle.rows = split->triangle.cols = least->m;
  zw_fill(m * m, 0, split->triangle.T);
  for (int32_t k = 0; k < split->blocks->count; k++) {
    const Block* block = &split->list[k];
    const ZwQr* qr = zw_least_triangle(block->least);
    for (ptrdiff_t j = 0; j < block->m; j++) {
      for (ptrdiff_t i = 0; i <= j; i++)
        split->triangle.T[block->rows[j] * m + block->rows[i]] = qr->T[j * qr->rows + i];
    }
  }
}

ZwStatus zw_split_factor(ZwLeast* least, int32_t m, const double* M, const double* A) {
  ZwSplit* split = least->split;
  least->m = m;
  split->is_definite = split->is_minimum = true;
  bool fit = gather_rows(least, m, A);
  ZwStatus status = worse(fit ? ZW_OK : ZW_ERR_INCONSISTENT, factor_alone(least, M));
  least->pivot_ratio = 1;
  for (int32_t k = 0; k < split->blocks->count; k++) {
    Block* block = &split->list[k];
    gather_masses(block, least->n, M);
    for (int32_t j = 0; least->massless && j < block->n; j++) block->massless[j] = least->massless[block->coords[j]];
    zw_least_set_massless(block->least, least->massless ? block->massless : NULL);
    ZwStatus own = zw_least_factor(block->least, block->m, block->M, block->A);
    if (own == ZW_ERR_UNDETERMINED && worse(status, own) == own) scatter_null_vector(least, block);
    status = worse(status, own);
    split->is_definite = split->is_definite && zw_least_has_metric(block->least);
    split->is_minimum = split->is_minimum && block->least->road != ZW_ROAD_STATIONARY;
    least->pivot_ratio = zw_smaller(least->pivot_ratio, zw_least_pivot_ratio(block->least));
  }
  if (fit) gather_triangle(least);
  least->status = status;
  return status;
}

/* ---- answers ---- */

static void gather(const Block* block, const double* from, double* to) {
  for (int32_t j = 0; j < block->n; j++) to[j] = from[block->coords[j]];
}

static void scatter(const Block* block, const double* from, double* to) {
  for (int32_t j = 0; j < block->n; j++) to[block->coords[j]] = from[j];
}

static void answer_alone(const ZwLeast* least, const double* h, ZwLeastResult* result) {
  const ZwSplit* split = least->split;
  for (int32_t k = 0; k < split->blocks->alone_count; k++) {
    int32_t j = split->blocks->alone[k];
    result->a[j] = split->mass[k] > 0 ? h[j] / split->root[k] / split->root[k] : h[j] / split->mass[k];
    if (result->Qc) result->Qc[j] = 0;
  }
}

static ZwStatus answer_block(ZwSplit* split, const Block* block, const double* h, const double* b,
                             ZwLeastResult* result) {
  ZwLeastResult own = {.a = split->x, .lambda = split->lambda, .Qc = result->Qc ? split->Qc : NULL};
  gather(block, h, split->h);
  for (int32_t r = 0; r < block->m; r++) split->b[r] = b[block->rows[r]];
  ZW_TRY(zw_least_answer(block->least, split->h, split->b, &own));
  scatter(block, split->x, result->a);
  if (result->Qc) scatter(block, split->Qc, result->Qc);
  for (int32_t r = 0; r < block->m && result->lambda; r++) result->lambda[block->rows[r]] = split->lambda[r];
  result->gaussian += own.gaussian;
  result->is_refined = result->is_refined || own.is_refined;
  return ZW_OK;
}

ZwStatus zw_split_answer(ZwLeast* least, const double* h, const double* b, ZwLeastResult* result) {
  ZwSplit* split = least->split;
  if (!zw_all_finite(least->n, h) || !zw_all_finite(least->m, b)) return ZW_ERR_DOMAIN;
  result->pivot_ratio = least->pivot_ratio;
  result->is_minimum = split->is_minimum;
  result->is_refined = false;
  result->gaussian = 0;
  answer_alone(least, h, result);
  for (int32_t k = 0; k < split->blocks->count; k++) ZW_TRY(answer_block(split, &split->list[k], h, b, result));
  return zw_all_finite(least->n, result->a) ? ZW_OK : ZW_ERR_DOMAIN;
}

ZwStatus zw_split_project(ZwLeast* least, const double* r, double* dx) {
  ZwSplit* split = least->split;
  for (int32_t k = 0; k < split->blocks->alone_count; k++) dx[split->blocks->alone[k]] = 0;
  for (int32_t k = 0; k < split->blocks->count; k++) {
    const Block* block = &split->list[k];
    for (int32_t i = 0; i < block->m; i++) split->b[i] = r[block->rows[i]];
    ZW_TRY(zw_least_project(block->least, split->b, split->x));
    scatter(block, split->x, dx);
  }
  return ZW_OK;
}

const double* zw_split_null_vector(const ZwLeast* least) {
  return least->status == ZW_ERR_UNDETERMINED ? least->split->z : NULL;
}

/* ---- the metric ---- */

bool zw_split_has_metric(const ZwLeast* least) {
  return least->split->is_definite && (least->status == ZW_OK || least->status == ZW_ERR_INCONSISTENT);
}

void zw_split_rows_to_metric(const ZwLeast* least, int32_t m, double* X) {
  const ZwSplit* split = least->split;
  const ZwLeastBlocks* blocks = split->blocks;
  ptrdiff_t n = blocks->begin[blocks->count];
  for (int32_t k = 0; k < blocks->count; k++) {
    const ZwLeast* block = split->list[k].least;
    if (zw_least_has_metric(block)) zw_cholesky_solve_lower_strided(block->n, block->L, m, X + blocks->begin[k], n);
    if (!zw_least_has_metric(block) && zw_least_has_units(block))
      zw_least_rows_to_units(block, m, X + blocks->begin[k], n);
  }
}

const ZwQr* zw_split_triangle(const ZwLeast* least) {
  return &least->split->triangle;
}

double zw_split_pivot_ratio(const ZwLeast* least) {
  return least->status == ZW_ERR_INCONSISTENT ? 0 : least->pivot_ratio;
}

static double root_of(const ZwSplit* split, int32_t k) {
  return split->mass[k] > 0 ? split->root[k] : 1;
}

/* x in the metric or back, block by block; the root of a single mass is its own transpose. */
static void transform(const ZwLeast* least, void (*of_block)(const ZwLeast*, double*), double* x) {
  ZwSplit* split = least->split;
  for (int32_t k = 0; k < split->blocks->alone_count; k++) x[split->blocks->alone[k]] /= root_of(split, k);
  for (int32_t k = 0; k < split->blocks->count; k++) {
    gather(&split->list[k], x, split->x);
    of_block(split->list[k].least, split->x);
    scatter(&split->list[k], split->x, x);
  }
}

void zw_split_to_metric(const ZwLeast* least, double* x) {
  transform(least, zw_least_to_metric, x);
}

void zw_split_from_metric(const ZwLeast* least, double* x) {
  transform(least, zw_least_from_metric, x);
}

void zw_split_direction(const ZwLeast* least, const double* u, double* w, double* along) {
  ZwSplit* split = least->split;
  for (int32_t k = 0; k < split->blocks->alone_count; k++) {
    w[split->blocks->alone[k]] = along[split->blocks->alone[k]] = 0;
  }
  for (int32_t k = 0; k < split->blocks->count; k++) {
    const Block* block = &split->list[k];
    for (int32_t r = 0; r < block->m; r++) split->b[r] = u[block->rows[r]];
    zw_least_direction(block->least, split->b, split->x, split->along);
    scatter(block, split->x, w);
    scatter(block, split->along, along);
  }
}
