#include "cli/linearize.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/sweep.h"

static const double pi = 3.14159265358979323846;

enum { SHAPE_MOST = 6 };                /* coordinates of a shape that are printed */
static const double shape_least = 0.01; /* and how large they are at least */

/* ---- what is asked for ---- */

static ZwLinearizeAt where(const Options* options) {
  if (options->at_count > 0) return ZW_LINEARIZE_PRESENT;
  if (options->steady) return ZW_LINEARIZE_STEADY;
  return options->equilibrium ? ZW_LINEARIZE_EQUILIBRIUM : ZW_LINEARIZE_AUTO;
}

/* ---- runs ---- */

/* Does it have the same coordinates and contacts, in the same order? */
static bool is_alike(const ZwModel* model, const ZwModel* other) {
  int32_t coordinates = zw_model_coordinate_count(model), contacts = zw_model_contact_count(model);
  if (zw_model_coordinate_count(other) != coordinates || zw_model_contact_count(other) != contacts) return false;
  bool is_same = true;
  for (int32_t i = 1; i <= coordinates; i++) {
    is_same = is_same && strcmp(zw_model_column(model, i), zw_model_column(other, i)) == 0;
  }
  for (int32_t i = 0; i < contacts; i++) {
    is_same = is_same && strcmp(zw_model_contact(model, i), zw_model_contact(other, i)) == 0;
  }
  return is_same;
}

/* The model with the change, compiled anew; a model of other coordinates has no branch in common with this one, and stays refused. */
static ZwStatus create_anew(const Options* options, const ZwModel* model, ZwRunDef* def, ZwStatus refused,
                            ZwRun** run) {
  char why[ZW_CSV_TEXT + 1];
  ZwRunChange change = *def->changes;
  ZwModel* anew = sweep_rebuild(options, model, &change, &def->change_count, why);
  if (!anew) return refused;
  def->changes = &change;
  if (is_alike(model, anew)) {
    zw_run_destroy(*run);
    refused = zw_run_create(anew, def, run);
  }
  zw_model_destroy(anew);
  return refused;
}

static ZwStatus create(const Options* options, const ZwModel* model, ZwRunDef def, ZwRun** run) {
  ZwStatus status = zw_run_create(model, &def, run);
  bool is_other = status && def.change_count > 0 && *run && zw_run_report(*run)->is_other_model;
  return is_other ? create_anew(options, model, &def, status, run) : status;
}

static ZwStatus open_run(const Options* options, const ZwModel* model, const ZwRunChange* change, ZwRun** run) {
  ZwRunDef def = zw_default_run_def();
  def.tolerance = options->tolerance;
  def.integrator = options->integrator;
  def.changes = change;
  def.change_count = change ? 1 : 0;
  if (options->at_count > 0) def.to = options->at[0];
  ZwStatus status = create(options, model, def, run);
  if (status == ZW_OK && zw_run_report(*run)->is_sparse) { /* the matrices are dense */
    zw_run_destroy(*run);
    def.integrator = "radau";
    status = create(options, model, def, run);
  }
  return status;
}

ZwStatus linearize(const Options* options, const ZwModel* model, const ZwRunChange* change, const double* near_q,
                   ZwRun** run, const ZwLinearization** linearization) {
  *linearization = NULL;
  /* the run begins where it is looked at: there is nothing to run */
  Options at_start = *options;
  ZwRun* first = NULL;
  if (options->at_count > 0) {
    at_start.at_count = 0;
    ZwStatus status = open_run(&at_start, model, change, &first);
    if (status) {
      *run = first;
      return status;
    }
  }
  bool is_moved = first && options->at[0] > zw_run_report(first)->from;
  ZwStatus status = ZW_OK;
  if (first && !is_moved) {
    *run = first;
  } else {
    zw_run_destroy(first);
    status = open_run(options, model, change, run);
  }
  if (status == ZW_OK && is_moved) status = zw_run_to(*run, options->at[0]);
  ZwLinearizeDef def = zw_default_linearize_def();
  def.at = where(options);
  def.near_q = near_q;
  def.anywhere = options->anywhere;
  return status ? status : zw_run_linearize(*run, &def, linearization);
}

/* A time that the run does not come to is another state than the one that was asked for. */
bool linearize_missed(const Options* options, ZwRun* run, const ZwLinearization* l, char* why, size_t size) {
  if (options->at_count == 0) return false;
  double from = zw_run_report(run)->from, at = options->at[0];
  bool is_before = at < from, is_behind = l->t < at - 16 * DBL_EPSILON * fabs(at);
  if (is_before)
    zw_snprintf(why, size, "the run begins at t = %.*g; --at %.*g is before that", zw_clock_digits(from, 6), from,
                zw_clock_digits(at, 6), at);
  if (is_behind)
    zw_snprintf(why, size, "the run stops at t = %.*g, before it comes to --at %.*g", zw_clock_digits(l->t, 6), l->t,
                zw_clock_digits(at, 6), at);
  return is_before || is_behind;
}

/* ---- words ---- */

const char* mode_word(ZwEigenmodeKind kind) {
  static const char* const words[] = {"unstable", "undamped", "stable", "neutral", "symmetry", "stuck"};
  return words[kind];
}

static bool has_kind(const ZwLinearization* l, ZwEigenmodeKind kind) {
  for (int32_t i = 0; i < l->count; i++) {
    if (l->modes[i].kind == kind) return true;
  }
  return false;
}

const char* verdict_word(const ZwLinearization* l) {
  if (l->corner_count > 0) return "corner";
  if (has_kind(l, ZW_MODE_UNSTABLE)) return "unstable";
  if (has_kind(l, ZW_MODE_NEUTRAL)) return "neutral";
  if (has_kind(l, ZW_MODE_UNDAMPED)) return "undamped";
  if (has_kind(l, ZW_MODE_STUCK) && !has_kind(l, ZW_MODE_STABLE)) return "stuck";
  return "stable";
}

const char* contact_word(ZwContactWhat what) {
  static const char* const words[] = {"open", "closed", "sticks", "slips", "hit"};
  return words[what];
}

static const char* place_word(const ZwLinearization* l) {
  return l->at == ZW_LINEARIZE_EQUILIBRIUM ? "equilibrium" : l->at == ZW_LINEARIZE_STEADY ? "steady motion" : "state";
}

static double frequency(const ZwEigenmode* mode) {
  return fabs(mode->im);
}

static double damping(const ZwEigenmode* mode) {
  double size = hypot(mode->re, mode->im);
  return size > 0 ? -mode->re / size : NAN;
}

/* ---- as text ---- */

/* What is nothing but rounding of the others, each measured by the size of its coordinate, is printed as 0. */
static double rounded(const ZwLinearization* l, const double* values, int32_t which) {
  double most = 0;
  for (int32_t i = 0; i < l->n; i++) most = fmax(most, fabs(values[i]) / l->sizes[i]);
  return fabs(values[which]) < 1e-13 * most * l->sizes[which] ? 0 : values[which];
}

/* What the search moved, by its name; NULL: it did not. */
static const ZwMove* find_move(const ZwLinearization* l, const char* name, bool is_velocity) {
  size_t length = strlen(name);
  for (int32_t i = 0; i < l->move_count; i++) {
    const char* moved = l->moves[i].name;
    bool is_same = strncmp(moved, name, length) == 0 && strcmp(moved + length, is_velocity ? "'" : "") == 0;
    if (is_same) return &l->moves[i];
  }
  return NULL;
}

static void print_value(const ZwModel* model, const ZwLinearization* l, int32_t i) {
  const char* name = zw_model_column(model, 1 + i);
  const ZwMove *place = find_move(l, name, false), *rate = find_move(l, name, true);
  bool is_moving = l->at != ZW_LINEARIZE_EQUILIBRIUM;
  zw_printf("  %-20s  %-16.10g", name, rounded(l, l->q, i));
  if (is_moving) zw_printf(l->move_count > 0 ? "  %-16.10g" : "  %.10g", rounded(l, l->v, i));
  if (place) zw_printf("  %.6g", place->from);
  if (rate) zw_printf("%svelocity %.6g", place ? ", " : "  ", rate->from);
  zw_printf("\n");
}

static void print_values(const ZwModel* model, const ZwLinearization* l) {
  bool is_moving = l->at != ZW_LINEARIZE_EQUILIBRIUM;
  zw_printf("\n  %-20s  %-16s", "coordinate", "value");
  if (is_moving) zw_printf(l->move_count > 0 ? "  %-16s" : "  %s", "velocity");
  zw_printf("%s\n", l->move_count > 0 ? "  moved from" : "");
  for (int32_t i = 0; i < l->n; i++) print_value(model, l, i);
  if (l->m > 0) zw_printf("\n  %-20s  %s\n", "constraint", "reaction");
  for (int32_t i = 0; i < l->m; i++) zw_printf("  %-20s  %.10g\n", l->row_names[i], l->reactions[i]);
  if (l->contact_count > 0) zw_printf("\n  %-20s  %s\n", "contact", "state");
  for (int32_t i = 0; i < l->contact_count; i++)
    zw_printf("  %-20s  %s\n", l->contact_names[i], contact_word(l->contacts[i]));
}

static void print_shape(const ZwModel* model, const ZwLinearization* l, const ZwEigenmode* mode) {
  bool is_printed[RECORD_ALL_UP_TO * 8] = {false};
  int32_t n = l->n < RECORD_ALL_UP_TO * 8 ? l->n : RECORD_ALL_UP_TO * 8;
  for (int k = 0; k < SHAPE_MOST; k++) {
    int32_t best = -1;
    double most = shape_least;
    for (int32_t i = 0; i < n; i++) {
      double size = hypot(mode->shape_re[i], mode->shape_im[i]);
      if (is_printed[i] || !(size > most * (1 + 1e-9))) continue;
      best = i;
      most = size;
    }
    if (best < 0) break;
    is_printed[best] = true;
    double phase = atan2(mode->shape_im[best], mode->shape_re[best]) * 180 / pi;
    zw_printf("%s%s %.3g", k > 0 ? ", " : "", zw_model_column(model, 1 + best), most);
    if (fabs(phase) >= 0.05) zw_printf(" at %.4g deg", phase < -179.95 ? 180.0 : phase);
  }
  zw_printf("\n");
}

static void print_cell(const char* format, double value, bool has_value) {
  char text[32];
  if (has_value)
    zw_snprintf(text, sizeof text, format, value);
  else
    zw_snprintf(text, sizeof text, "-");
  zw_printf("  %-10s", text);
}

static void print_modes(const ZwModel* model, const ZwLinearization* l) {
  if (l->count == 0) return;
  zw_printf("\n  %-14s  %-14s  %-10s  %-10s  %-10s  %-10s  %-9s  %s\n", "real part", "imaginary", "rad/s", "Hz",
            "damping", "time", "kind", "shape");
  for (int32_t i = 0; i < l->count; i++) {
    const ZwEigenmode* mode = &l->modes[i];
    if (mode->im < 0) continue; /* with the other one of the pair */
    char imaginary[32];
    zw_snprintf(imaginary, sizeof imaginary, mode->im > 0 ? "+-%.8g" : "0", mode->im);
    zw_printf("  %-14.8g  %-14s", mode->re + 0.0, imaginary);
    print_cell("%.6g", frequency(mode), mode->im > 0);
    print_cell("%.6g", frequency(mode) / (2 * pi), mode->im > 0);
    print_cell("%.4g", damping(mode) + 0.0, mode->im > 0);
    print_cell("%.4g", 1 / fabs(mode->re), mode->re != 0);
    zw_printf("  %-9s  ", mode_word(mode->kind));
    print_shape(model, l, mode);
  }
}

static int32_t count_kind(const ZwLinearization* l, ZwEigenmodeKind kind) {
  int32_t count = 0;
  for (int32_t i = 0; i < l->count; i++) count += l->modes[i].kind == kind;
  return count;
}

/* The slowest decay of all that decay. */
static double slowest(const ZwLinearization* l) {
  double least = INFINITY;
  for (int32_t i = 0; i < l->count; i++) {
    if (l->modes[i].kind == ZW_MODE_STABLE) least = fmin(least, -l->modes[i].re);
  }
  return 1 / least;
}

/* Contacts that stick and signs that friction holds, by name. */
static void print_stuck(const ZwLinearization* l) {
  int32_t count = 0;
  for (int32_t i = 0; i < l->contact_count; i++) {
    if (l->contacts[i] == ZW_CONTACT_STICKS)
      zw_printf("%s'%s'", count++ > 0 ? ", " : "Friction holds: ", l->contact_names[i]);
  }
  for (int32_t i = 0; i < l->held_count; i++) {
    zw_printf("%s'%s'", count++ > 0 ? ", " : "Friction holds: ", l->held_names[i]);
  }
  if (count > 0) zw_printf(". Small forces move nothing there, and nothing pulls back: one of a family.\n");
}

static void print_zeros(const ZwLinearization* l) {
  print_stuck(l);
  int32_t symmetry = count_kind(l, ZW_MODE_SYMMETRY), removed = 2 * l->position_rows + l->velocity_rows;
  if (symmetry > 0) {
    zw_printf("%d eigenvalue%s to symmetries: nothing pulls back, by nature.\n", (int)symmetry,
              symmetry == 1 ? " belongs" : "s belong");
  }
  if (removed > 0) {
    zw_printf("%d zero%s of the constraints %s left out.\n", (int)removed, removed == 1 ? "" : "s",
              removed == 1 ? "is" : "are");
  }
}

static void print_corners(const ZwLinearization* l) {
  zw_printf("The %s lies on a corner of the forces (", place_word(l));
  for (int32_t i = 0; i < l->corner_count; i++) zw_printf("%s'%s'", i > 0 ? ", " : "", l->corner_names[i]);
  zw_printf(
      "): small motions go over it and are those of no matrix; the eigenvalues are those of one side, and do not tell "
      "whether it is stable.\n");
}

static void print_verdict(const ZwLinearization* l) {
  const char* place = place_word(l);
  zw_printf("\n");
  if (l->corner_count > 0) {
    print_corners(l);
  } else if (has_kind(l, ZW_MODE_UNSTABLE)) {
    zw_printf("The %s is unstable: a disturbance grows, doubled every %.4g of time at the fastest.\n", place,
              log(2) / l->modes[0].re);
  } else if (has_kind(l, ZW_MODE_NEUTRAL)) {
    int32_t count = count_kind(l, ZW_MODE_NEUTRAL);
    zw_printf(
        "The %s is not unstable to first order, but has %d zero%s that no symmetry explains: the border of stability, "
        "or "
        "one of a family.\n",
        place, (int)count, count == 1 ? "" : "s");
  } else if (has_kind(l, ZW_MODE_UNDAMPED)) {
    zw_printf(
        "The %s is stable to first order: disturbances oscillate and do not die out; terms of higher order decide.\n",
        place);
  } else if (has_kind(l, ZW_MODE_STABLE)) {
    zw_printf("The %s is stable: disturbances die out, the slowest with the time constant %.4g.\n", place, slowest(l));
  } else if (has_kind(l, ZW_MODE_STUCK)) {
    zw_printf("The %s is stuck: friction holds all that could move.\n", place);
  } else if (l->count == 0) {
    zw_printf("The %s leaves nothing free: constraints and closed contacts hold every coordinate.\n", place);
  } else {
    zw_printf("The %s has no mode that could be stable or unstable.\n", place);
  }
  print_zeros(l);
  if (l->at == ZW_LINEARIZE_PRESENT) {
    zw_printf(
        "These are the eigenvalues of a moving state, with its coefficients frozen: they say how neighbours move for a "
        "moment, "
        "not whether the motion is stable.\n");
  }
}

static void print_answer(const Options* options, const ZwModel* model, ZwRun* run, const ZwLinearization* l) {
  char* name = model_name(options->file);
  print_system(zw_run_report(run), name ? name : options->file);
  free(name);
  if (l->at == ZW_LINEARIZE_PRESENT)
    zw_printf("at t = %.*g\n", zw_clock_digits(l->t, 6), l->t);
  else
    zw_printf("%s, found in %d step%s, residual %.1e", place_word(l), (int)l->iterations, l->iterations == 1 ? "" : "s",
              l->residual);
  if (l->at == ZW_LINEARIZE_EQUILIBRIUM) {
    if (l->freedom > 0)
      zw_printf("; one of a family with %d parameter%s", (int)l->freedom, l->freedom == 1 ? "" : "s");
    else
      zw_printf("; it stands alone");
  }
  if (l->at != ZW_LINEARIZE_PRESENT) zw_printf("\n");
  if (l->move_count > 0) {
    bool is_velocity = l->way_index >= l->n;
    int32_t i = is_velocity ? l->way_index - l->n : l->way_index;
    zw_printf("the start is another state; most of all %s%s moved, from %g to %g\n", zw_model_column(model, 1 + i),
              is_velocity ? "'" : "", l->way_from, rounded(l, is_velocity ? l->v : l->q, i));
  }
  print_values(model, l);
  print_modes(model, l);
  print_verdict(l);
}

/* ---- as JSON ---- */

static void json_integer_of(ZwJson* json, const char* key, int64_t value) {
  zw_json_key(json, key);
  zw_json_integer(json, value);
}

static void json_text(ZwJson* json, const char* key, const char* value) {
  zw_json_key(json, key);
  zw_json_string(json, value);
}

static void json_shape(ZwJson* json, const ZwModel* model, const ZwLinearization* l, const ZwEigenmode* mode) {
  zw_json_key(json, "shape");
  zw_json_begin_object(json);
  for (int32_t i = 0; i < l->n; i++) {
    zw_json_key(json, zw_model_column(model, 1 + i));
    zw_json_begin_object(json);
    json_number(json, "re", mode->shape_re[i]);
    json_number(json, "im", mode->shape_im[i]);
    zw_json_end_object(json);
  }
  zw_json_end_object(json);
}

void json_modes(ZwJson* json, const ZwModel* model, const ZwLinearization* l, bool has_shapes) {
  zw_json_begin_array(json);
  for (int32_t i = 0; i < l->count; i++) {
    const ZwEigenmode* mode = &l->modes[i];
    zw_json_begin_object(json);
    json_number(json, "re", mode->re);
    json_number(json, "im", mode->im);
    json_text(json, "kind", mode_word(mode->kind));
    if (has_shapes) {
      json_number(json, "frequency", frequency(mode));
      json_number(json, "hertz", frequency(mode) / (2 * pi));
      json_number(json, "damping", damping(mode));
      json_number(json, "time_constant", mode->re != 0 ? 1 / fabs(mode->re) : NAN);
      json_shape(json, model, l, mode);
    }
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_named(ZwJson* json, const char* key, const ZwModel* model, const ZwLinearization* l,
                       const double* values) {
  zw_json_key(json, key);
  zw_json_begin_object(json);
  for (int32_t i = 0; i < l->n; i++) json_number(json, zw_model_column(model, 1 + i), values[i]);
  zw_json_end_object(json);
}

static void json_reactions(ZwJson* json, const ZwLinearization* l) {
  zw_json_key(json, "reactions");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < l->m; i++) {
    zw_json_begin_object(json);
    json_text(json, "constraint", l->row_names[i]);
    json_number(json, "value", l->reactions[i]);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

/* Row by row. */
static void json_matrix(ZwJson* json, const char* key, int32_t rows, int32_t columns, const double* numbers) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < rows; i++) {
    zw_json_begin_array(json);
    for (int32_t j = 0; j < columns; j++) zw_json_number(json, numbers[(ptrdiff_t)i * columns + j]);
    zw_json_end_array(json);
  }
  zw_json_end_array(json);
}

static void json_moves(ZwJson* json, const ZwLinearization* l) {
  zw_json_key(json, "moved");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < l->move_count; i++) {
    zw_json_begin_object(json);
    json_text(json, "name", l->moves[i].name);
    json_number(json, "from", l->moves[i].from);
    json_number(json, "to", l->moves[i].to);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_contacts(ZwJson* json, const ZwLinearization* l) {
  zw_json_key(json, "contacts");
  zw_json_begin_object(json);
  for (int32_t i = 0; i < l->contact_count; i++) json_text(json, l->contact_names[i], contact_word(l->contacts[i]));
  zw_json_end_object(json);
  zw_json_key(json, "held");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < l->held_count; i++) zw_json_string(json, l->held_names[i]);
  zw_json_end_array(json);
  zw_json_key(json, "corners");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < l->corner_count; i++) zw_json_string(json, l->corner_names[i]);
  zw_json_end_array(json);
}

static void json_answer(ZwJson* json, const ZwModel* model, const ZwLinearization* l) {
  json_text(json, "at", place_word(l));
  json_number(json, "t", l->t);
  json_named(json, "q", model, l, l->q);
  json_named(json, "v", model, l, l->v);
  json_reactions(json, l);
  json_contacts(json, l);
  json_moves(json, l);
  json_number(json, "residual", l->residual);
  zw_json_key(json, "isolated");
  if (l->freedom < 0)
    zw_json_null(json);
  else
    zw_json_bool(json, l->freedom == 0);
  json_text(json, "verdict", verdict_word(l));
  zw_json_key(json, "eigenvalues");
  json_modes(json, model, l, true);
  json_integer_of(json, "symmetry_zeros", count_kind(l, ZW_MODE_SYMMETRY));
  json_integer_of(json, "stuck_zeros", count_kind(l, ZW_MODE_STUCK));
  json_integer_of(json, "constraint_zeros", 2 * l->position_rows + l->velocity_rows);
  json_matrix(json, "matrix", l->count, l->count, l->matrix);
  json_matrix(json, "basis", l->count, 2 * l->n, l->basis);
  json_matrix(json, "projection", l->count, 2 * l->n, l->projection);
}

static void print_json_answer(const Options* options, const ZwModel* model, ZwRun* run, const ZwLinearization* l) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  ZwJson json;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_json_init(&json, &text);
  char* name = model_name(options->file);
  zw_json_begin_object(&json);
  json_head(&json, "ok");
  json_system(&json, zw_run_report(run), name ? name : "");
  free(name);
  json_answer(&json, model, l);
  json_diags(&json, model, run, NULL);
  zw_json_end_object(&json);
  if (arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the answer\n");
  else
    puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}

/* ---- the command ---- */

static int check_place(const Options* options) {
  int asked = options->equilibrium + options->steady + (options->at_count > 0);
  if (asked > 1) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "--equilibrium, --steady and --at exclude each other: one place at a time");
  }
  if (options->at_count > 1) return complain(options, ZW_ERR_ARGUMENT, "linearize looks at one instant: --at T");
  return EXIT_FINE;
}

/* A state that was searched for and not found is a failure, not a wrong model. */
int linearize_refused(const Options* options, const ZwModel* model, ZwRun* run, ZwStatus status) {
  int exit_code = exit_status(status, status == ZW_ERR_STEP || (run && zw_run_report(run)->has_begun));
  ZwDiag failure = plain_error(status, zw_status_text(status));
  bool is_ours = !has_error(model, run);
  print_diags(model, run, options->quiet);
  if (is_ours) print_diag(&failure);
  if (options->json) print_refused_json(options, model, run, is_ours ? &failure : NULL, status_word(exit_code));
  return exit_code;
}

static int linearize_once(const Options* options, const ZwModel* model) {
  ZwRun* run = NULL;
  const ZwLinearization* l;
  char why[128];
  ZwStatus status = linearize(options, model, NULL, NULL, &run, &l);
  int exit_code = EXIT_FINE;
  if (status) {
    exit_code = linearize_refused(options, model, run, status);
  } else if (linearize_missed(options, run, l, why, sizeof why)) {
    exit_code = complain(options, ZW_ERR_ARGUMENT, "%s", why);
  } else {
    print_diags(model, run, options->quiet);
    if (options->json)
      print_json_answer(options, model, run, l);
    else if (!options->quiet)
      print_answer(options, model, run, l);
  }
  zw_run_destroy(run);
  return exit_code;
}

int command_linearize(const Options* options) {
  int exit_code = check_place(options);
  if (exit_code) return exit_code;
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  exit_code = options->axis_count > 0 ? linearize_locus(options, model) : linearize_once(options, model);
  zw_model_destroy(model);
  return exit_code;
}
