#include "least/friction.h"

#include "least/dense.h"
#include "least/lu.h"

#define NOTHING 1e-24  /* what the constraints leave nothing of is rounding: a square, as a part of the largest */
#define SOUND 1e-12    /* a principal minor may be so little below zero: contacts that repeat each other have none */
#define SETTLED 1e-14  /* forces that change no more, as a part of the largest; */
#define CREEPING 1e-11 /* where contacts repeat each other they may go on creeping without an effect */
#define RUNAWAY 1e6    /* forces that grow without end */
#define SOLVED 1e-8    /* how well the conditions must hold */

enum {
  SWEEPS = 20000,  /* over all contacts, where two directions are at rest; */
  PATIENCE = 2000, /* after so many less will do */
  SETS_OF = 10     /* contacts: of so many all sets are looked at, of more the small ones */
};

/* ---- memory ---- */

static double* take(char* base, size_t* used, ptrdiff_t count) {
  double* piece = base ? (double*)(void*)(base + *used) : NULL;
  *used += zw_rounded((size_t)count * sizeof(double));
  return piece;
}

static size_t lay_out(ZwFriction* friction, char* base, ptrdiff_t n, ptrdiff_t count, ptrdiff_t rows, int32_t rubbing) {
  size_t used = zw_rounded(sizeof *friction);
  friction->a = take(base, &used, n);
  friction->w = take(base, &used, rows);
  friction->p = take(base, &used, rows);
  friction->size = take(base, &used, rows);
  friction->E = take(base, &used, count * count);
  friction->set = (int32_t*)(void*)take(base, &used, 2 * count);
  friction->rubs = base ? (ZwRub*)(void*)(base + used) : NULL;
  used += zw_rounded((size_t)count * sizeof(ZwRub));
  friction->lemke = base ? (ZwLemke*)(void*)(base + used) : NULL;
  return used + zw_lemke_work_size((int32_t)count + 2 * rubbing + 1);
}

size_t zw_friction_work_size(int32_t n, int32_t count, int32_t rows, int32_t rubbing) {
  ZwFriction friction;
  return lay_out(&friction, NULL, n, count, rows, rubbing);
}

ZwFriction* zw_friction_place(void* memory, int32_t n, int32_t count, int32_t rows, int32_t rubbing) {
  ZwFriction* friction = memory;
  *friction = (ZwFriction){.n = n};
  (void)lay_out(friction, memory, n, count, rows, rubbing);
  friction->lemke = zw_lemke_place(friction->lemke, count + 2 * rubbing + 1);
  return friction;
}

/* ---- rows in units of their own ---- */

/* Rows are divided by what a unit force does to them, forces are multiplied by it. */
static double entry(const ZwFriction* friction, const ZwOneSided* rows, int32_t i, int32_t j) {
  double product = friction->size[i] * friction->size[j];
  return product > 0 ? rows->D[(ptrdiff_t)i * rows->k + j] / product : 0;
}

static void measure_rows(ZwFriction* friction, const ZwOneSided* rows) {
  double largest = 0, *size = friction->size;
  for (int32_t i = 0; i < rows->k; i++) largest = zw_larger(largest, rows->D[(ptrdiff_t)i * rows->k + i]);
  friction->scale = 0;
  for (int32_t i = 0; i < rows->k; i++) {
    double square = rows->D[(ptrdiff_t)i * rows->k + i];
    size[i] = square > NOTHING * largest ? sqrt(square) : 0;
  }
  for (int32_t i = 0; i < friction->count; i++) {
    int32_t slip = friction->rubs[i].slip;
    if (friction->rubs[i].dim == 2) size[slip] = size[slip + 1] = zw_larger(size[slip], size[slip + 1]); /* a disc */
  }
  for (int32_t i = 0; i < rows->k; i++) {
    if (size[i] > 0) friction->scale = zw_larger(friction->scale, fabs(rows->w0[i]) / size[i]);
  }
  if (friction->scale == 0) friction->scale = 1;
}

/* w0 in those units, and about one. */
static double begin_of(const ZwFriction* friction, const ZwOneSided* rows, int32_t i) {
  return friction->size[i] > 0 ? rows->w0[i] / (friction->size[i] * friction->scale) : 0;
}

/* mu, where T and N are in their units. */
static double mu_of(const ZwFriction* friction, const ZwRub* rub) {
  double slip = friction->size[rub->slip], gap = friction->size[rub->gap];
  return gap > 0 ? rub->mu * slip / gap : 0;
}

static bool is_at_rest(const ZwRub* rub) {
  return rub->dim > 0 && rub->mu > 0 && !rub->is_slipping;
}

/* What a unit of N of `rub` does to row i, with the friction that it brings where it slips. */
static double across(const ZwFriction* friction, const ZwOneSided* rows, int32_t i, const ZwRub* rub) {
  double sum = entry(friction, rows, i, rub->gap);
  for (int32_t k = 0; k < rub->dim && rub->is_slipping; k++) {
    sum -= mu_of(friction, rub) * rub->along[k] * entry(friction, rows, i, rub->slip + k);
  }
  return sum;
}

/* ---- one direction each: linear complementarity ---- */

/* Numbers of the problem: N of every contact; then, of every one at rest, sigma = mu N + T, and the slip backwards. */
static int32_t count_numbers(const ZwFriction* friction) {
  int32_t n = friction->count;
  for (int32_t i = 0; i < friction->count; i++) n += is_at_rest(&friction->rubs[i]) ? 2 : 0;
  return n;
}

/* The part of the problem's row `r` that is row `i` of the contacts. */
static void fill_row(const ZwFriction* friction, const ZwOneSided* rows, int32_t r, int32_t i) {
  ZwLemke* lemke = friction->lemke;
  double* to = lemke->Q + (ptrdiff_t)r * lemke->n;
  for (int32_t j = 0, s = friction->count; j < friction->count; j++) {
    const ZwRub* rub = &friction->rubs[j];
    to[j] = across(friction, rows, i, rub);
    if (!is_at_rest(rub)) continue;
    double along = entry(friction, rows, i, rub->slip);
    to[j] -= mu_of(friction, rub) * along; /* T = sigma - mu N */
    to[s] = along;
    s += 2;
  }
  lemke->q[r] = begin_of(friction, rows, i);
}

static void fill(const ZwFriction* friction, const ZwOneSided* rows) {
  ZwLemke* lemke = friction->lemke;
  int32_t n = lemke->n = count_numbers(friction);
  zw_fill((ptrdiff_t)n * n, 0, lemke->Q);
  zw_fill(n, 0, lemke->q);
  for (int32_t i = 0, s = friction->count; i < friction->count; i++) {
    const ZwRub* rub = &friction->rubs[i];
    fill_row(friction, rows, i, rub->gap);
    if (!is_at_rest(rub)) continue;
    fill_row(friction, rows, s, rub->slip);
    double* back = lemke->Q + (ptrdiff_t)(s + 1) * n;
    lemke->Q[(ptrdiff_t)s * n + s + 1] = 1; /* slip forwards = slip + slip backwards */
    back[i] = 2 * mu_of(friction, rub);
    back[s] = -1;
    s += 2;
  }
}

static ZwStatus solve_lines(ZwFriction* friction, const ZwOneSided* rows) {
  const ZwLemke* lemke = friction->lemke;
  fill(friction, rows);
  ZW_TRY(zw_lemke_solve(friction->lemke));
  if (!(lemke->worst <= SOLVED)) return ZW_ERR_STEP;
  for (int32_t i = 0, s = friction->count; i < friction->count; i++) {
    ZwRub* rub = &friction->rubs[i];
    rub->N = lemke->z[i];
    if (!is_at_rest(rub)) continue;
    rub->T[0] = lemke->z[s] - mu_of(friction, rub) * rub->N;
    s += 2;
  }
  return ZW_OK;
}

/* ---- discs: one contact after the other ---- */

/* Row i with the forces of now, in units of the rows. */
static double row_now(const ZwFriction* friction, const ZwOneSided* rows, int32_t i) {
  double sum = begin_of(friction, rows, i);
  for (int32_t j = 0; j < friction->count; j++) {
    const ZwRub* rub = &friction->rubs[j];
    sum += across(friction, rows, i, rub) * rub->N;
    for (int32_t k = 0; k < rub->dim && is_at_rest(rub); k++)
      sum += entry(friction, rows, i, rub->slip + k) * rub->T[k];
  }
  return sum;
}

/* T as a part of what it may be; 2 where it may be nothing. */
static double part_of(const ZwFriction* friction, const ZwRub* rub) {
  double limit = mu_of(friction, rub) * rub->N;
  return limit > 0 ? zw_norm(rub->dim, rub->T) / limit : 2;
}

/* T back onto the disc of mu N. */
static void put_on_disc(const ZwFriction* friction, ZwRub* rub) {
  double length = zw_norm(rub->dim, rub->T), part = part_of(friction, rub);
  if (part > 1 && length > 0) zw_scale(rub->dim, mu_of(friction, rub) * rub->N / length, rub->T);
}

/* Solves one contact with all others as they are; how much its forces change. */
static double solve_one(const ZwFriction* friction, const ZwOneSided* rows, ZwRub* rub) {
  double own = across(friction, rows, rub->gap, rub), before = rub->N;
  if (friction->size[rub->gap] == 0) return 0;
  if (!(own > 0)) return INFINITY; /* a force that pulls the gap closed */
  rub->N = zw_larger(rub->N - row_now(friction, rows, rub->gap) / own, 0);
  double change = fabs(rub->N - before);
  if (!is_at_rest(rub)) return change;
  double was[2] = {rub->T[0], rub->T[1]}, slip[2] = {0, 0};
  for (int32_t k = 0; k < rub->dim; k++) slip[k] = row_now(friction, rows, rub->slip + k);
  for (int32_t k = 0; k < rub->dim; k++)
    rub->T[k] -= slip[k] / (rub->dim == 2 ? 2 : 1); /* the block's numbers are one at most */
  put_on_disc(friction, rub);
  for (int32_t k = 0; k < rub->dim; k++) change = zw_larger(change, fabs(rub->T[k] - was[k]));
  return change;
}

static ZwStatus solve_discs(ZwFriction* friction, const ZwOneSided* rows) {
  for (int32_t i = 0; i < friction->count; i++) {
    friction->rubs[i].N = friction->rubs[i].T[0] = friction->rubs[i].T[1] = 0;
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, largest = 0;
    for (int32_t i = 0; i < friction->count; i++) {
      change = zw_larger(change, solve_one(friction, rows, &friction->rubs[i]));
      largest = zw_larger(largest, friction->rubs[i].N);
    }
    if (!(change < RUNAWAY && largest < RUNAWAY)) return ZW_ERR_INCONSISTENT;
    double enough = sweep < PATIENCE ? SETTLED : sweep + 1 < SWEEPS ? CREEPING : SOLVED;
    if (change <= enough * (1 + largest)) return ZW_OK;
  }
  return ZW_ERR_INCONSISTENT;
}

/* ---- the answer ---- */

/* Forces in the user's units, and what they do. */
static void conclude(ZwFriction* friction, const ZwOneSided* rows) {
  zw_fill(rows->k, 0, friction->p);
  for (int32_t i = 0; i < friction->count; i++) {
    ZwRub* rub = &friction->rubs[i];
    rub->N = friction->size[rub->gap] > 0 ? zw_larger(rub->N, 0) * friction->scale / friction->size[rub->gap] : 0;
    friction->p[rub->gap] = rub->N;
    for (int32_t k = 0; k < rub->dim; k++) {
      double size = friction->size[rub->slip + k];
      if (rub->is_slipping)
        rub->T[k] = -rub->mu * rub->N * rub->along[k];
      else
        rub->T[k] = size > 0 ? rub->T[k] * friction->scale / size : 0;
      friction->p[rub->slip + k] = rub->T[k];
    }
  }
  zw_copy(friction->n, rows->a_free, friction->a);
  zw_add_transposed(rows->k, friction->n, 1, rows->response, friction->p, friction->a);
  for (int32_t i = 0; i < rows->k; i++) {
    friction->w[i] = zw_dot(friction->n, rows->G + (ptrdiff_t)i * friction->n, friction->a) - rows->g[i];
  }
}

ZwStatus zw_friction_solve(ZwFriction* friction, const ZwOneSided* rows) {
  bool has_disc = false;
  measure_rows(friction, rows);
  for (int32_t i = 0; i < friction->count; i++) {
    ZwRub* rub = &friction->rubs[i];
    rub->N = rub->T[0] = rub->T[1] = 0;
    has_disc = has_disc || (rub->dim == 2 && is_at_rest(rub));
    if (friction->size[rub->gap] == 0 && rows->w0[rub->gap] < 0) return ZW_ERR_INCONSISTENT; /* nothing moves it */
  }
  ZwStatus status = has_disc ? ZW_ERR_STEP : solve_lines(friction, rows);
  if (status) ZW_TRY(solve_discs(friction, rows)); /* Lemke's method may end without an answer where there is one */
  conclude(friction, rows);
  return ZW_OK;
}

/* ---- Painleve ---- */

/* The determinant of the matrix of the contacts in friction->set, in units of its rows. */
static double minor_of(const ZwFriction* friction, const ZwOneSided* rows) {
  int32_t count = friction->set_count, *swap = friction->set + friction->count;
  double* E = friction->E;
  for (int32_t r = 0; r < count; r++) {
    int32_t i = friction->rubs[friction->set[r]].gap;
    for (int32_t c = 0; c < count; c++) {
      E[(ptrdiff_t)r * count + c] = across(friction, rows, i, &friction->rubs[friction->set[c]]);
    }
  }
  double determinant = zw_lu_factor(count, E, swap) > 0 ? 1 : 0;
  for (int32_t r = 0; r < count; r++) determinant *= (swap[r] == r ? 1 : -1) * E[(ptrdiff_t)r * count + r];
  return determinant;
}

static bool is_sliding(const ZwFriction* friction, int32_t i) {
  const ZwRub* rub = &friction->rubs[i];
  return rub->dim > 0 && rub->mu > 0 && rub->is_slipping && friction->size[rub->gap] > 0;
}

/* All sets of up to `most` contacts that slip, from contact `from` on, added to those in the set. */
static bool are_sound(ZwFriction* friction, const ZwOneSided* rows, int32_t from, int32_t most) {
  for (int32_t i = from; i < friction->count; i++) {
    if (!is_sliding(friction, i)) continue;
    friction->set[friction->set_count++] = i;
    if (minor_of(friction, rows) < -SOUND) return false;
    if (friction->set_count < most && !are_sound(friction, rows, i + 1, most)) return false;
    friction->set_count--;
  }
  return true;
}

bool zw_friction_is_sound(ZwFriction* friction, const ZwOneSided* rows) {
  measure_rows(friction, rows);
  friction->set_count = 0;
  for (int32_t most = 1; most <= 2; most++) { /* the smallest set tells most */
    if (!are_sound(friction, rows, 0, most)) return false;
  }
  return friction->count > SETS_OF || are_sound(friction, rows, 0, friction->count);
}
