/* What `zwang forces` says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/forces.h"

enum { NAMES_MOST = 8, LINES_MOST = 24 };

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* ---- as text ---- */

static void print_names(const char* what, const char* const* names, int32_t count, const char* remark) {
  if (count == 0) return;
  zw_printf("  %-12s ", what);
  for (int32_t i = 0; i < count && i < NAMES_MOST; i++) zw_printf("%s%s", i ? ", " : "", names[i]);
  if (count > NAMES_MOST) zw_printf(" and %d more", (int)(count - NAMES_MOST));
  zw_printf("%s\n", remark);
}

static void print_off(const ForceAnswer* answer) {
  static const char* const words[] = {"positions", "velocities", "accelerations"};
  const ZwForces* forces = answer->forces;
  if (forces->m == 0) return;
  zw_printf("  constraints  the motion is off by");
  for (int k = 0; k < 3; k++) zw_printf("%s %.1e (%s)", k ? "," : "", forces->off[k].size, words[k]);
  zw_printf(" at most, and was put onto them\n");
}

static void print_doubt(const ForceAnswer* answer) {
  const ZwMotionOff* doubt = &answer->forces->doubt;
  if (doubt->coordinate < 0) return;
  zw_printf("               accelerations estimated from the rows, to %.1e or better (%s'' at t = %.*g)\n", doubt->size,
            zw_model_column(answer->model, 1 + doubt->coordinate), zw_clock_digits(doubt->t, 6), doubt->t);
}

static void print_head(const ForceAnswer* answer) {
  const ZwForces* forces = answer->forces;
  char* name = model_name(answer->options->file);
  print_system(zw_run_report(answer->run), name ? name : answer->options->file);
  free(name);
  zw_printf("  motion       t = %.*g .. %.*g, %d rows in %s\n", zw_clock_digits(forces->t[0], 6), forces->t[0],
            zw_clock_digits(forces->t[forces->rows - 1], 6), forces->t[forces->rows - 1], (int)answer->motion->rows,
            answer->options->motion);
  print_doubt(answer);
  print_names("found", forces->found, forces->found_count, ": not in the table, from the constraints");
  print_names("not used", forces->unused, forces->unused_count, ": no coordinates of the model");
  print_off(answer);
  zw_printf("  forces       %s, %d rows; between them the spline of `table` is right to %.1e\n",
            forces->is_full ? "on all coordinates, the least in the metric of the masses" : "on the coordinates named",
            (int)forces->rows, forces->spline_off);
  zw_printf("  files        %s, %s\n", answer->files->csv, answer->files->svg);
}

static void print_actuators(const ZwForces* forces) {
  zw_printf("\n  %-20s  %-13s  %-10s  %-13s  %-13s  %s\n", "force on", "largest", "at t", "rms", "power, most", "at t");
  for (int32_t i = 0; i < forces->count && i < LINES_MOST; i++) {
    const ZwActuator* actuator = &forces->actuators[i];
    zw_printf("  %-20s  %-13.6g  %-10.6g  %-13.6g  %-13.6g  %.6g\n", actuator->name, actuator->largest + 0.0,
              actuator->t_largest, actuator->rms, actuator->power + 0.0, actuator->t_power);
  }
  if (forces->count > LINES_MOST) zw_printf("  and %d more in the table\n", (int)(forces->count - LINES_MOST));
}

static void print_missing(const ZwForces* forces) {
  if (forces->is_full) return;
  if (forces->lack_count == 0) {
    zw_printf("\nNothing is missing: these forces make the motion, to %.1e of the forces at work.\n",
              forces->missing_part);
    return;
  }
  zw_printf("\n  %-20s  %-13s  %-10s  %s\n", "missing on", "largest", "at t", "part of the forces at work");
  for (int32_t i = 0; i < forces->lack_count && i < LINES_MOST; i++) {
    const ZwMissingForce* lack = &forces->lacks[i];
    zw_printf("  %-20s  %-13.6g  %-10.6g  %.3g\n", lack->name, lack->largest, lack->t_largest, lack->part);
  }
  if (forces->lack_count > LINES_MOST)
    zw_printf("  and %d more in the table\n", (int)(forces->lack_count - LINES_MOST));
}

/* A line of the model for each force that is ever needed. */
static bool is_needed(const ZwForces* forces, int32_t i) {
  return !forces->is_full || forces->actuators[i].largest != 0;
}

/* The state that the motion begins at, in digits that read back as the same numbers. */
static void print_start(const ForceAnswer* answer) {
  const ZwForces* forces = answer->forces;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_text_addf(&text, "and in place of its own `run` and `start`, so that it begins where the motion does:\n  run ");
  zw_text_add_number(&text, forces->t[0]);
  zw_text_addf(&text, " .. ");
  zw_text_add_number(&text, forces->t[forces->rows - 1]);
  for (int32_t j = 0; j < forces->n; j++) {
    const char* name = zw_model_column(answer->model, 1 + j);
    zw_text_addf(&text, "\n  start %s = ", name);
    zw_text_add_number(&text, forces->q[j] + 0.0);
    zw_text_addf(&text, ", %s' = ", name);
    zw_text_add_number(&text, forces->v[j] + 0.0);
  }
  if (!arena.failed) puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}

static void print_feedback(const ForceAnswer* answer) {
  const ZwForces* forces = answer->forces;
  int32_t needed = 0;
  for (int32_t i = 0; i < forces->count; i++) needed += is_needed(forces, i);
  double part = 0;
  for (int32_t i = 0; i < forces->count; i++) part = fmax(part, forces->actuators[i].part);
  double accuracy = isnan(answer->options->within) ? 1e-6 : answer->options->within;
  if (part <= accuracy) {
    zw_printf("\nHardly a force is needed, at most %.1e of those at work: the model moves so by itself.\n", part);
  }
  if (needed == 0) return;
  zw_printf("\nTo feed them back, add to the model, with %s beside it:\n", base_name(answer->files->csv));
  for (int32_t i = 0; i < forces->count; i++) {
    if (!is_needed(forces, i)) continue;
    const char* name = forces->actuators[i].name;
    zw_printf("  force %s = table(\"%s\", t, \"force on %s\")\n", name, base_name(answer->files->csv), name);
  }
  double to = zw_run_report(answer->run)->to, last = forces->t[forces->rows - 1];
  if (!forces->is_from_start)
    print_start(answer);
  else if (to > last)
    zw_printf("The motion ends at t = %.*g, the model would run to %.*g: run it with --to %.*g.\n",
              zw_clock_digits(last, 9), last, zw_clock_digits(to, 9), to, zw_clock_digits(last, 9), last);
}

void print_forces(const ForceAnswer* answer) {
  print_head(answer);
  print_actuators(answer->forces);
  print_missing(answer->forces);
  print_feedback(answer);
}

void say_missing(const ForceAnswer* answer) {
  const ZwForces* forces = answer->forces;
  if (forces->lack_count == 0) return;
  zw_fprintf(stderr, "zwang: note: these actuators cannot make the motion: missing is a force on ");
  for (int32_t i = 0; i < forces->lack_count && i < NAMES_MOST; i++) {
    const ZwMissingForce* lack = &forces->lacks[i];
    zw_fprintf(stderr, "%s%s (%.4g at t = %.6g)", i ? ", " : "", lack->name, lack->largest, lack->t_largest);
  }
  if (forces->lack_count > NAMES_MOST) zw_fprintf(stderr, " and %d more", (int)(forces->lack_count - NAMES_MOST));
  zw_fprintf(stderr, "\n");
}

/* ---- as JSON ---- */

static void json_text(ZwJson* json, const char* key, const char* value) {
  zw_json_key(json, key);
  zw_json_string(json, value);
}

static void json_integer_of(ZwJson* json, const char* key, int64_t value) {
  zw_json_key(json, key);
  zw_json_integer(json, value);
}

static void json_names(ZwJson* json, const char* key, const char* const* names, int32_t count) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) zw_json_string(json, names[i]);
  zw_json_end_array(json);
}

static void json_actuators(ZwJson* json, const ZwForces* forces) {
  zw_json_key(json, "forces");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < forces->count; i++) {
    const ZwActuator* actuator = &forces->actuators[i];
    zw_json_begin_object(json);
    json_text(json, "on", actuator->name);
    json_number(json, "largest", actuator->largest);
    json_number(json, "t_largest", actuator->t_largest);
    json_number(json, "part", actuator->part);
    json_number(json, "rms", actuator->rms);
    json_number(json, "power", actuator->power);
    json_number(json, "t_power", actuator->t_power);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
}

static void json_missing(ZwJson* json, const ZwForces* forces) {
  zw_json_key(json, "missing");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < forces->lack_count; i++) {
    const ZwMissingForce* lack = &forces->lacks[i];
    zw_json_begin_object(json);
    json_text(json, "on", lack->name);
    json_number(json, "largest", lack->largest);
    json_number(json, "t_largest", lack->t_largest);
    json_number(json, "part", lack->part);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
  json_number(json, "missing_part", forces->missing_part);
}

static void json_feedback(ZwJson* json, const ForceAnswer* answer, ZwArena* arena) {
  const ZwForces* forces = answer->forces;
  zw_json_key(json, "feedback");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < forces->count; i++) {
    if (!is_needed(forces, i)) continue;
    const char* name = forces->actuators[i].name;
    const char* line =
        zw_format(arena, "force %s = table(\"%s\", t, \"force on %s\")", name, base_name(answer->files->csv), name);
    zw_json_string(json, line ? line : "");
  }
  zw_json_end_array(json);
}

static void json_start(ZwJson* json, const ForceAnswer* answer) {
  const ZwForces* forces = answer->forces;
  zw_json_key(json, "from_start");
  zw_json_bool(json, forces->is_from_start);
  zw_json_key(json, "start");
  zw_json_begin_object(json);
  for (int32_t j = 0; j < 2 * forces->n; j++) {
    json_number(json, zw_model_column(answer->model, 1 + j), j < forces->n ? forces->q[j] : forces->v[j - forces->n]);
  }
  zw_json_end_object(json);
}

static void json_answer(ZwJson* json, const ForceAnswer* answer, ZwArena* arena) {
  const ZwForces* forces = answer->forces;
  json_text(json, "motion", answer->options->motion);
  json_number(json, "from", forces->t[0]);
  json_number(json, "to", forces->t[forces->rows - 1]);
  json_integer_of(json, "rows", forces->rows);
  json_number(json, "spline_off", forces->spline_off);
  zw_json_key(json, "full");
  zw_json_bool(json, forces->is_full);
  json_number(json, "doubt", forces->doubt.coordinate < 0 ? NAN : forces->doubt.size);
  json_number(json, "off_positions", forces->off[0].size);
  json_number(json, "off_velocities", forces->off[1].size);
  json_number(json, "off_accelerations", forces->off[2].size);
  json_names(json, "found", forces->found, forces->found_count);
  json_names(json, "unused", forces->unused, forces->unused_count);
  json_actuators(json, forces);
  json_missing(json, forces);
  json_start(json, answer);
  json_feedback(json, answer, arena);
  json_text(json, "csv", answer->files->csv);
  json_text(json, "svg", answer->files->svg);
}

void print_forces_json(const ForceAnswer* answer) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  ZwJson json;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_json_init(&json, &text);
  char* name = model_name(answer->options->file);
  zw_json_begin_object(&json);
  json_head(&json, "ok");
  json_system(&json, zw_run_report(answer->run), name ? name : "");
  free(name);
  json_answer(&json, answer, &arena);
  json_diags(&json, answer->model, answer->run, NULL);
  zw_json_end_object(&json);
  if (arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the answer\n");
  else
    puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}
