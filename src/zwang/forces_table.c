/* The table of a motion: which column is what, and whether it can be one. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "text/nfc.h"
#include "zwang/forces.h"

enum { NEAR = 3, LISTED = 12 };

/* Rates are those of their values if the trapezoids below them are what the values change by, but for this part. */
#define TOL_RATES 0.25

static ZwDiagList* diags_of(ZwForceTask* task) {
  return &task->run->diags;
}

/* ---- names ---- */

int32_t zw_forces_coordinate(const ZwForceTask* task, ZwStr name) {
  return zw_system_find_coord(task->sim->system, name);
}

ZwStatus zw_forces_unknown(ZwForceTask* task, const char* what, const char* name) {
  const ZwSystem* system = task->sim->system;
  ZwStr nearest = {0};
  int32_t least = NEAR + 1;
  for (int32_t i = 0; i < system->coords.count; i++) {
    ZwStr known = system->coords.items[i].name;
    int32_t distance = zw_str_distance(zw_str_from(name), known, NEAR);
    if (distance >= least || distance >= known.size) continue;
    least = distance;
    nearest = known;
  }
  zw_diag_error(diags_of(task), ZW_ERR_NAME, (ZwSpan){0}, "%s '%s' is not a coordinate of the model", what, name);
  ZwText list;
  zw_text_init(&list, &task->scratch);
  for (int32_t i = 0; i < system->coords.count && i < LISTED; i++)
    zw_text_addf(&list, "%s%.*s", i ? ", " : "", ZW_STR_ARGS(system->coords.items[i].name));
  if (system->coords.count > LISTED) zw_text_addf(&list, " and %d more", (int)(system->coords.count - LISTED));
  if (nearest.size > 0)
    zw_diag_remedy(diags_of(task), "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  else
    zw_diag_remedy(diags_of(task), "the coordinates are %s", zw_text_get(&list));
  return ZW_ERR_NAME;
}

/* Cuts the primes off a name; how many there were. */
static int32_t cut_primes(ZwStr* name) {
  int32_t primes = 0;
  while (name->size > 0 && name->data[name->size - 1] == '\'') {
    name->size--;
    primes++;
  }
  return primes;
}

static const double** place_of(ZwTrackColumn* column, int32_t primes) {
  return primes == 0 ? &column->q : primes == 1 ? &column->v : &column->a;
}

static ZwStatus find_columns(ZwForceTask* task) {
  const ZwForcesDef* def = task->def;
  const char** unused = ZW_NEW(task->arena, def->column_count + 1, const char*);
  if (!unused) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < def->column_count; k++) {
    ZwStr name = zw_nfc(&task->scratch, zw_str_from(def->columns[k].name));
    int32_t primes = cut_primes(&name), coordinate = zw_forces_coordinate(task, name);
    if (coordinate < 0 || primes > 2) {
      unused[task->out->unused_count++] = zw_str_copy(task->arena, zw_str_from(def->columns[k].name));
      continue;
    }
    const double** place = place_of(&task->columns[coordinate], primes);
    if (*place) {
      return zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0}, "the table has two columns '%s'",
                           def->columns[k].name);
    }
    *place = def->columns[k].values;
  }
  task->out->unused = unused;
  return task->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* Rates stand beside what they are rates of. */
static ZwStatus check_columns(ZwForceTask* task) {
  bool has_any = false;
  for (int32_t j = 0; j < task->sim->n; j++) {
    const ZwTrackColumn* column = &task->columns[j];
    ZwStr name = task->sim->system->coords.items[j].name;
    has_any = has_any || column->q;
    const char* lacks = !column->q && (column->v || column->a) ? "" : column->a && !column->v ? "'" : NULL;
    if (!lacks) continue;
    zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0}, "the table has %.*s%s without %.*s%s", ZW_STR_ARGS(name),
                  column->v ? "'" : "''", ZW_STR_ARGS(name), lacks);
    zw_diag_remedy(diags_of(task), "give %.*s%s too, or leave it to be estimated from the rows", ZW_STR_ARGS(name),
                   lacks);
    return ZW_ERR_VALUE;
  }
  if (has_any || task->sim->n == 0) return ZW_OK;
  zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0}, "no column of the table is a coordinate of the model");
  ZwStr first = task->sim->system->coords.items[0].name;
  zw_diag_remedy(diags_of(task), "columns are called as the coordinates are: %.*s, and %.*s' for its velocity",
                 ZW_STR_ARGS(first), ZW_STR_ARGS(first));
  return ZW_ERR_VALUE;
}

/* ---- rows ---- */

static ZwStatus check_numbers(ZwForceTask* task) {
  const ZwForcesDef* def = task->def;
  for (int32_t i = 0; i < def->rows; i++) {
    if (!isfinite(def->t[i])) {
      return zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0}, "row %d of the table has no finite time",
                           (int)(i + 1));
    }
    for (int32_t k = 0; k < def->column_count; k++) {
      ZwStr name = zw_nfc(&task->scratch, zw_str_from(def->columns[k].name));
      if (isfinite(def->columns[k].values[i])) continue;
      (void)cut_primes(&name);
      if (zw_forces_coordinate(task, name) < 0) continue;
      return zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0}, "%s has no finite value at t = %.*g (row %d)",
                           def->columns[k].name, zw_clock_digits(def->t[i], 9), def->t[i], (int)(i + 1));
    }
    if (i > 0 && def->t[i] < def->t[i - 1]) {
      return zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0},
                           "times must ascend: row %d has t = %.*g behind t = %.*g", (int)(i + 1),
                           zw_clock_digits(def->t[i], 9), def->t[i], zw_clock_digits(def->t[i - 1], 9), def->t[i - 1]);
    }
  }
  return ZW_OK;
}

static ZwStatus refuse_jump(ZwForceTask* task, int32_t i, ZwStr name, const char* primes) {
  zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0},
                "%.*s%s jumps at t = %.*g (rows %d and %d): no force makes a jump, only an impulse does",
                ZW_STR_ARGS(name), primes, zw_clock_digits(task->def->t[i], 9), task->def->t[i], (int)i, (int)(i + 1));
  zw_diag_remedy(diags_of(task), "cut the table there, and give each part by itself");
  return ZW_ERR_VALUE;
}

/* Of a column: coordinate j or a derivative of it. */
static double size_of(const ZwForceTask* task, int32_t j, int p, double value) {
  const ZwForcesDef* def = task->def;
  return zw_size_at(zw_size_over(task->sim, j, p, def->t[def->rows - 1] - def->t[0]), value);
}

static bool differs(const ZwForceTask* task, int32_t j, int p, int32_t i) {
  const double* values = *place_of(&task->columns[j], p);
  return values && fabs(values[i] - values[i - 1]) > task->within * size_of(task, j, p, values[i]);
}

/* Events of a run have two rows at one time: one of them is enough if nothing jumps. Accelerations may; then it is cut there too. */
static ZwStatus merge_rows(ZwForceTask* task) {
  static const char* const primes[] = {"", "'", "''"};
  const ZwForcesDef* def = task->def;
  int32_t* from = ZW_NEW(&task->scratch, def->rows + 1, int32_t);
  task->t = ZW_NEW(&task->scratch, def->rows + 1, double);
  if (!from || !task->t) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < def->rows; i++) {
    bool is_again = i > 0 && def->t[i] == def->t[i - 1];
    for (int32_t j = 0; is_again && j < task->sim->n; j++) {
      for (int32_t p = 0; p < 3; p++) {
        if (differs(task, j, p, i)) return refuse_jump(task, i, task->sim->system->coords.items[j].name, primes[p]);
      }
    }
    if (is_again) task->rows--;
    from[task->rows] = i;
    task->t[task->rows++] = def->t[i] - task->sim->epoch;
  }
  for (int32_t j = 0; task->rows < def->rows && j < task->sim->n; j++) {
    for (int32_t p = 0; p < 3; p++) {
      const double** place = place_of(&task->columns[j], p);
      double* kept = *place ? ZW_NEW(&task->scratch, task->rows + 1, double) : NULL;
      for (int32_t i = 0; kept && i < task->rows; i++) kept[i] = (*place)[from[i]];
      if (*place) *place = kept;
    }
  }
  return task->scratch.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus check_count(ZwForceTask* task) {
  if (task->rows >= ZW_TRACK_ROWS) return ZW_OK;
  if (task->rows == 0) return zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0}, "the table has no rows");
  return zw_diag_error(diags_of(task), ZW_ERR_VALUE, (ZwSpan){0},
                       "the table has %d times: accelerations need at least %d", (int)task->rows, (int)ZW_TRACK_ROWS);
}

/* Degrees in the place of radians, another unit of time, columns of another run. */
static ZwStatus check_rates(ZwForceTask* task, int32_t j, const double* values, const double* rates,
                            const char* primes) {
  double off = 0, way = 0, most = -1, quotient = 0, mean = 0, at = 0;
  for (int32_t i = 0; i + 1 < task->rows; i++) {
    double h = task->t[i + 1] - task->t[i], change = values[i + 1] - values[i];
    double below = h * (rates[i] + rates[i + 1]) / 2;
    off += fabs(change - below);
    way += fabs(change) + fabs(below);
    if (fabs(change - below) <= most) continue;
    most = fabs(change - below);
    quotient = change / h;
    mean = below / h;
    at = zw_time(task->sim, task->t[i]);
  }
  double size = 0;
  for (int32_t i = 0; i < task->rows; i++) size = fmax(size, fabs(values[i]));
  if (off <= TOL_RATES * way + task->within * size_of(task, j, (int)strlen(primes), size)) return ZW_OK;
  ZwStr name = task->sim->system->coords.items[j].name;
  zw_diag_error(
      diags_of(task), ZW_ERR_VALUE, (ZwSpan){0},
      "%.*s'%s is not the rate of %.*s%s: behind t = %.*g it is %.4g, and %.*s%s changes by %.4g per unit of time",
      ZW_STR_ARGS(name), primes, ZW_STR_ARGS(name), primes, zw_clock_digits(at, 6), at, mean, ZW_STR_ARGS(name), primes,
      quotient);
  zw_diag_remedy(diags_of(task),
                 "look at its units, or leave the column %.*s'%s out: it is then estimated from the rows",
                 ZW_STR_ARGS(name), primes);
  return ZW_ERR_VALUE;
}

ZwStatus zw_forces_read(ZwForceTask* task) {
  task->columns = ZW_NEW(&task->scratch, task->sim->n + 1, ZwTrackColumn);
  if (!task->columns) return ZW_ERR_MEMORY;
  ZW_TRY(find_columns(task));
  ZW_TRY(check_columns(task));
  ZW_TRY(check_numbers(task));
  ZW_TRY(merge_rows(task));
  ZW_TRY(check_count(task));
  for (int32_t j = 0; j < task->sim->n; j++) {
    const ZwTrackColumn* column = &task->columns[j];
    if (column->v) ZW_TRY(check_rates(task, j, column->q, column->v, ""));
    if (column->a) ZW_TRY(check_rates(task, j, column->v, column->a, "'"));
  }
  double* size = ZW_NEW(&task->scratch, task->sim->n + 1, double);
  if (!size) return ZW_ERR_MEMORY;
  for (int32_t j = 0; j < task->sim->n; j++) size[j] = size_of(task, j, 2, 0);
  return zw_track_build(&task->track, &task->scratch, task->rows, task->t, task->sim->n, task->columns, size);
}
