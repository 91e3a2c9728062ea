/* F is a constraint force exactly if Z^T F = 0: if it does no work on what the constraints leave free. Any F is A^T lambda + X^T F, with
 * lambda = gain^T F and the projector X along M (T25), so that the second part is what would accelerate the system. */
#include "cli/check_force.h"

#include <math.h>
#include <string.h>

#include "cli/ask.h"

#define TOL_FORCE 1e-9 /* of the terms that make the rest: what rounding leaves of it */

enum { REPORTS_MAX = 16 };

typedef struct Looking {
  StatedForce* force;
  ZwArena* arena;
} Looking;

/* to += gain^T F, and the sizes of the terms of that */
static void add_multipliers(const ZwLeastDetail* d, const double* F, double* to, double* size) {
  for (int32_t i = 0; i < d->m; i++) {
    for (int32_t j = 0; j < d->n; j++) {
      double term = d->gain[(ptrdiff_t)j * d->m + i] * F[j];
      to[i] += term;
      size[i] += fabs(term);
    }
  }
}

/* rest = F - A^T lambda; `size` (n): of the terms that it is made of, those of lambda among them */
static void find_rest(StatedForce* force, const ZwLeastDetail* d, const double* lambda_size, double* size) {
  for (int32_t j = 0; j < d->n; j++) {
    force->rest[j] = force->F[j];
    size[j] = fabs(force->F[j]);
    for (int32_t i = 0; i < d->m; i++) {
      double entry = d->A[(ptrdiff_t)i * d->n + j];
      force->rest[j] -= entry * force->lambda[i];
      size[j] += fabs(entry) * lambda_size[i];
    }
  }
}

/* What is rounding of its terms becomes 0; whether all is. */
static bool clear_rounding(int32_t count, double* values, const double* size) {
  bool is_zero = true;
  for (int32_t i = 0; i < count; i++) {
    if (fabs(values[i]) <= TOL_FORCE * size[i]) values[i] = 0;
    is_zero = is_zero && values[i] == 0;
  }
  return is_zero;
}

static ZwStatus take_frame(void* context, const ZwFrameReport* frame) {
  Looking* looking = context;
  StatedForce* force = looking->force;
  const ZwLeastDetail* d = frame->detail;
  force->m = d->m;
  force->lambda = ZW_NEW(looking->arena, d->m + 1, double);
  force->rows = ZW_NEW(looking->arena, d->m + 1, const char*);
  double *lambda_size = ZW_NEW(looking->arena, d->m + 1, double), *size = ZW_NEW(looking->arena, d->n + 1, double);
  if (looking->arena->failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < d->m; i++) force->rows[i] = zw_str_copy(looking->arena, zw_str_from(frame->rows[i]));
  add_multipliers(d, force->F, force->lambda, lambda_size);
  /* one refinement: rows that are nearly dependent cost digits of the gain */
  find_rest(force, d, lambda_size, size);
  add_multipliers(d, force->rest, force->lambda, lambda_size);
  find_rest(force, d, lambda_size, size);
  force->is_one = clear_rounding(d->n, force->rest, size);
  clear_rounding(d->m, force->lambda, lambda_size);
  force->is_seen = true;
  return looking->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus look(ZwRun* run, Looking* looking) {
  ZwFormulationReport reports[REPORTS_MAX];
  int32_t instants;
  double start = zw_run_report(run)->from;
  ZwCompareDef def = zw_default_compare_def();
  def.times = &start;
  def.count = 1;
  def.detail.parts = ZW_DETAIL_FORCES;
  def.frame = take_frame;
  def.frames_only = true;
  def.context = looking;
  return zw_run_compare(run, &def, reports, &instants);
}

int check_force(const Options* options, const ZwModel* model, const ZwRunDef* def, ZwArena* arena, StatedForce* force) {
  int exit_code = read_force(options, model, arena, &force->F);
  if (exit_code) return exit_code;
  force->n = zw_model_coordinate_count(model);
  force->rest = ZW_NEW(arena, force->n + 1, double);
  force->coordinates = ZW_NEW(arena, force->n + 1, const char*);
  if (arena->failed) return complain(options, ZW_ERR_MEMORY, "out of memory");
  for (int32_t i = 0; i < force->n; i++) force->coordinates[i] = zw_model_column(model, 1 + i);
  ZwRunDef whole = *def;
  whole.dense = true; /* the projector is a full matrix */
  Looking looking = {force, arena};
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &whole, &run);
  if (status == ZW_OK) status = look(run, &looking);
  if (status) {
    exit_code = exit_status(status, false);
    print_refused(options, model, run, status);
  }
  zw_run_destroy(run);
  return exit_code;
}

/* ---- the answer ---- */

/* "x 1, y 0" of those that are not zero */
static void print_values(int32_t count, const char* const* names, const double* values) {
  bool is_first = true;
  for (int32_t i = 0; i < count; i++) {
    if (values[i] == 0) continue;
    zw_printf("%s%s %.9g", is_first ? "" : ", ", names[i], values[i]);
    is_first = false;
  }
  zw_printf(is_first ? "0\n" : "\n");
}

void print_force(const StatedForce* force) {
  zw_printf("  force        ");
  print_values(force->n, force->coordinates, force->F);
  if (force->is_one) {
    zw_printf("               is a constraint force: it does no work on what the constraints leave free\n");
  } else {
    zw_printf("               is no constraint force; the part that would move the system: ");
    print_values(force->n, force->coordinates, force->rest);
  }
  if (force->m == 0) return;
  zw_printf("               %s", force->is_one ? "multipliers: " : "multipliers of the other part: ");
  print_values(force->m, force->rows, force->lambda);
}

static void json_list(ZwJson* json, const char* key, int32_t count, const double* values) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) zw_json_number(json, values[i]);
  zw_json_end_array(json);
}

static void json_names(ZwJson* json, const char* key, int32_t count, const char* const* names) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) zw_json_string(json, names[i]);
  zw_json_end_array(json);
}

void json_force(ZwJson* json, const StatedForce* force) {
  zw_json_key(json, "force");
  zw_json_begin_object(json);
  zw_json_key(json, "is_constraint_force");
  zw_json_bool(json, force->is_one);
  json_names(json, "coordinates", force->n, force->coordinates);
  json_list(json, "F", force->n, force->F);
  json_list(json, "rest", force->n, force->rest);
  json_names(json, "rows", force->m, force->rows);
  json_list(json, "lambda", force->m, force->lambda);
  zw_json_end_object(json);
}
