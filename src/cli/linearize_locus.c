/* Root loci: eigenvalues over the values of one parameter, each followed from value to value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/linearize.h"

enum { LOCUS_MODES = 400 }; /* most eigenvalues that are followed */

typedef struct Locus {
  const Options* options;
  const ZwModel* model;
  SweepPlan plan;
  const char* name; /* of the parameter */
  int32_t values, count, failed;
  char *csv_path, *svg_path;
  ZwCsv csv;
  ZwSeries **re, **im; /* count: over the parameter */
  ZwTrace** plane;     /* count: im against re */
  bool* is_shown;      /* count: not a zero of a symmetry all the way */
  double (*now)[2];    /* count: where each was last, */
  double (*before)[2]; /* and before that */
  int32_t steps;       /* values behind us */
  double* near_q;      /* the equilibrium before; NULL: none */
  ZwArena arena;
  ZwText text; /* of --json */
  ZwJson json;
  char verdict[32];  /* at the value before; "" */
  double value;      /* that one */
  char changes[512]; /* "unstable up to 0.57, undamped from 0.58 on" */
} Locus;

/* ---- following ---- */

/* Where a mode should be next: it goes on as before. */
static void predict(const Locus* locus, int32_t i, double* at) {
  for (int k = 0; k < 2; k++) {
    at[k] = locus->now[i][k] + (locus->steps > 1 ? locus->now[i][k] - locus->before[i][k] : 0);
  }
}

/* order[i] becomes the eigenvalue that mode i is now: the nearest pair first, then the nearest of those left. */
static void match(const Locus* locus, const ZwLinearization* l, int32_t* order) {
  bool is_taken[LOCUS_MODES] = {false};
  for (int32_t i = 0; i < locus->count; i++) order[i] = locus->steps == 0 ? i : -1;
  for (int32_t round = 0; locus->steps > 0 && round < locus->count; round++) {
    double least = INFINITY;
    int32_t mode = 0, value = 0;
    for (int32_t i = 0; i < locus->count; i++) {
      if (order[i] >= 0) continue;
      double at[2];
      predict(locus, i, at);
      for (int32_t j = 0; j < locus->count; j++) {
        double off = hypot(l->modes[j].re - at[0], l->modes[j].im - at[1]);
        if (is_taken[j] || !(off < least)) continue;
        least = off;
        mode = i;
        value = j;
      }
    }
    order[mode] = value;
    is_taken[value] = true;
  }
}

/* ---- room ---- */

static bool place_modes(Locus* locus, int32_t count) {
  ZwArena* arena = &locus->arena;
  locus->count = count;
  locus->re = ZW_NEW(arena, count + 1, ZwSeries*);
  locus->im = ZW_NEW(arena, count + 1, ZwSeries*);
  locus->plane = ZW_NEW(arena, count + 1, ZwTrace*);
  locus->is_shown = ZW_NEW(arena, count + 1, bool);
  locus->now = zw_arena_alloc(arena, count + 1, sizeof *locus->now);
  locus->before = zw_arena_alloc(arena, count + 1, sizeof *locus->before);
  for (int32_t i = 0; i < count && !arena->failed; i++) {
    void* re = zw_arena_alloc(arena, 1, zw_series_size(ZW_SERIES_BUCKETS));
    void* im = zw_arena_alloc(arena, 1, zw_series_size(ZW_SERIES_BUCKETS));
    void* plane = zw_arena_alloc(arena, 1, zw_trace_size(ZW_TRACE_POINTS / 8));
    if (arena->failed) break;
    locus->re[i] = zw_series_init(re, ZW_SERIES_BUCKETS);
    locus->im[i] = zw_series_init(im, ZW_SERIES_BUCKETS);
    locus->plane[i] = zw_trace_init(plane, ZW_TRACE_POINTS / 8);
  }
  return !arena->failed;
}

static int open_table(Locus* locus) {
  ZwAllocator allocator = zw_allocator_default();
  int32_t numbers = 1 + 2 * locus->count;
  const char** names = ZW_NEW(&locus->arena, numbers + 1, const char*);
  if (!names) return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
  names[0] = locus->name;
  for (int32_t i = 0; i < locus->count; i++) {
    names[1 + 2 * i] = zw_format(&locus->arena, "re %d", (int)(i + 1));
    names[2 + 2 * i] = zw_format(&locus->arena, "im %d", (int)(i + 1));
  }
  names[numbers] = "verdict";
  if (locus->arena.failed) return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
  const char* why;
  ZwStatus status = zw_csv_open_text(&locus->csv, &allocator, locus->csv_path, names, numbers, &why);
  return status ? complain(locus->options, status, "%s", why) : EXIT_FINE;
}

/* ---- one value ---- */

static void note_change(Locus* locus, const char* verdict, double value) {
  if (locus->verdict[0] && strcmp(locus->verdict, verdict) != 0) {
    size_t used = strlen(locus->changes);
    snprintf(locus->changes + used, sizeof locus->changes - used, "%s%s up to %s = %g, %s from %g on",
             used > 0 ? "; " : "", locus->verdict, locus->name, locus->value, verdict, value);
  }
  snprintf(locus->verdict, sizeof locus->verdict, "%s", verdict);
  locus->value = value;
}

static ZwStatus take(Locus* locus, double value, const ZwLinearization* l, const char* reason) {
  double row[1 + 2 * LOCUS_MODES] = {value};
  int32_t order[LOCUS_MODES];
  if (l) match(locus, l, order);
  for (int32_t i = 0; i < locus->count; i++) {
    double re = l ? l->modes[order[i]].re : NAN, im = l ? l->modes[order[i]].im : NAN;
    row[1 + 2 * i] = re;
    row[2 + 2 * i] = im;
    zw_series_add(locus->re[i], value, re);
    zw_series_add(locus->im[i], value, im);
    zw_trace_add(locus->plane[i], re, im);
    if (!l) continue;
    if (l->modes[order[i]].kind != ZW_MODE_SYMMETRY) locus->is_shown[i] = true;
    memcpy(locus->before[i], locus->now[i], sizeof *locus->now);
    locus->now[i][0] = re;
    locus->now[i][1] = im;
  }
  locus->steps = l ? locus->steps + 1 : 0;
  if (l) note_change(locus, verdict_word(l), value);
  return zw_csv_row_text(&locus->csv, row, l ? verdict_word(l) : reason);
}

static void json_value(Locus* locus, double value, const ZwLinearization* l, const char* reason) {
  if (!locus->options->json) return;
  zw_json_begin_object(&locus->json);
  json_number(&locus->json, locus->name, value);
  zw_json_key(&locus->json, "verdict");
  zw_json_string(&locus->json, l ? verdict_word(l) : "failed");
  if (l) {
    zw_json_key(&locus->json, "eigenvalues");
    json_modes(&locus->json, locus->model, l, false);
  } else {
    zw_json_key(&locus->json, "reason");
    zw_json_string(&locus->json, reason);
  }
  zw_json_end_object(&locus->json);
}

static const char* reason_of(ZwRun* run, ZwStatus status) {
  for (int32_t i = 0; run && i < zw_run_diag_count(run); i++) {
    if (zw_run_diag(run, i)->severity == ZW_SEVERITY_ERROR) return zw_run_diag(run, i)->text;
  }
  return zw_status_text(status);
}

/* An equilibrium goes on from that of the value before; a steady motion is what the start values say. */
static void remember(Locus* locus, const ZwLinearization* l) {
  if (!l || l->at != ZW_LINEARIZE_EQUILIBRIUM) return;
  if (!locus->near_q) locus->near_q = ZW_NEW(&locus->arena, l->n + 1, double);
  if (locus->near_q) memcpy(locus->near_q, l->q, (size_t)l->n * sizeof(double));
}

static int take_value(Locus* locus, double value) {
  ZwRun* run = NULL;
  const ZwLinearization* l;
  ZwRunChange change = {locus->name, value};
  ZwStatus status = linearize(locus->options, locus->model, &change, locus->near_q, &run, &l);
  int exit_code = EXIT_FINE;
  const char* reason = status ? reason_of(run, status) : "";
  char why[128];
  if (!status && linearize_missed(locus->options, run, l, why, sizeof why)) {
    reason = why;
    l = NULL;
  }
  if (!status && !l && locus->count == 0) {
    exit_code = complain(locus->options, ZW_ERR_ARGUMENT, "%s", reason);
  } else if (status && locus->count == 0) { /* the first one: nothing is known yet */
    exit_code = linearize_refused(locus->options, locus->model, run, status);
  } else if (!status && locus->count == 0) {
    if (l->count > LOCUS_MODES)
      exit_code = complain(locus->options, ZW_ERR_LIMIT, "%d eigenvalues; %d are the most that are followed",
                           (int)l->count, (int)LOCUS_MODES);
    else if (!place_modes(locus, l->count))
      exit_code = complain(locus->options, ZW_ERR_MEMORY, "out of memory");
    else
      exit_code = open_table(locus);
  } else if (l && l->count != locus->count) {
    reason = "the number of eigenvalues is another than before";
    l = NULL;
  }
  if (exit_code == EXIT_FINE) {
    locus->failed += l == NULL;
    remember(locus, l);
    json_value(locus, value, l, reason);
    if (take(locus, value, l, reason)) exit_code = complain(locus->options, ZW_ERR_IO, "%s", locus->csv.error);
  }
  zw_run_destroy(run);
  return exit_code;
}

/* ---- the picture ---- */

static int draw(Locus* locus) {
  ZwAllocator allocator = zw_allocator_default();
  ZwSvgCurve curves[3][ZW_SVG_CURVES];
  int32_t shown = 0, left = 0;
  for (int32_t i = 0; i < locus->count; i++) {
    if (!locus->is_shown[i]) continue;
    if (shown == ZW_SVG_CURVES) {
      left++;
      continue;
    }
    const char *re = zw_format(&locus->arena, "re %d", (int)(i + 1)),
               *im = zw_format(&locus->arena, "im %d", (int)(i + 1));
    zw_trace_flush(locus->plane[i]);
    curves[0][shown] = (ZwSvgCurve){re, locus->re[i], NULL};
    curves[1][shown] = (ZwSvgCurve){im, locus->im[i], NULL};
    curves[2][shown] = (ZwSvgCurve){im, NULL, locus->plane[i]};
    shown++;
  }
  if (shown == 0) return EXIT_FINE;
  char* name = model_name(locus->options->file);
  const char* footnote = left > 0 ? zw_format(&locus->arena, "%d more eigenvalues are not drawn", (int)left) : NULL;
  const char* title = zw_format(&locus->arena, "%s: eigenvalues", name ? name : "");
  ZwSvgPanel panels[3] = {
      {curves[0], shown, NULL, false}, {curves[1], shown, NULL, false}, {curves[2], shown, "re", false}};
  ZwSvgPlot plot = {.title = title,
                    .panels = panels,
                    .panel_count = 3,
                    .footnote = footnote,
                    .time = locus->name,
                    .theme = locus->options->theme};
  free(name);
  if (locus->arena.failed) return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
  char error[ZW_DRAFT_ERROR];
  ZwStatus status = zw_svg_plot(&plot, &allocator, locus->svg_path, error);
  return status ? complain(locus->options, status, "%s", error) : EXIT_FINE;
}

/* ---- all of it ---- */

static int read_plan(Locus* locus) {
  int exit_code = sweep_plan_read(locus->options, &locus->plan);
  if (exit_code) return exit_code;
  if (locus->plan.axis_count != 1 || locus->plan.axes[0].is_drawn) {
    return complain(locus->options, ZW_ERR_ARGUMENT,
                    "linearize follows one parameter: one --over, as in --over v=0..10:101");
  }
  locus->name = locus->plan.axes[0].name;
  locus->values = locus->plan.members;
  return is_out_fine(locus->options) ? EXIT_FINE : EXIT_WRONG;
}

static int place_files(Locus* locus) {
  char* name = model_name(locus->options->file);
  if (name) {
    locus->csv_path = join_path(locus->options->out, name, ".locus.csv");
    locus->svg_path = join_path(locus->options->out, name, ".locus.svg");
  }
  free(name);
  if (!locus->csv_path || !locus->svg_path) return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
  return EXIT_FINE;
}

static int follow(Locus* locus) {
  for (int32_t i = 0; i < locus->values; i++) {
    if (is_interrupted()) {
      complain(locus->options, ZW_ERR_INTERRUPTED, "interrupted");
      return EXIT_INTERRUPTED;
    }
    int exit_code = take_value(locus, sweep_plan_value(&locus->plan, 0, i));
    if (exit_code) return exit_code;
  }
  if (zw_csv_finish(&locus->csv)) return complain(locus->options, ZW_ERR_IO, "%s", locus->csv.error);
  return draw(locus);
}

static void begin_json(Locus* locus) {
  char* name = model_name(locus->options->file);
  zw_json_begin_object(&locus->json);
  json_head(&locus->json, "ok");
  zw_json_key(&locus->json, "model");
  zw_json_string(&locus->json, name ? name : "");
  free(name);
  zw_json_key(&locus->json, "parameter");
  zw_json_string(&locus->json, locus->name);
  zw_json_key(&locus->json, "locus");
  zw_json_begin_array(&locus->json);
}

static void end_json(Locus* locus) {
  ZwJson* json = &locus->json;
  zw_json_end_array(json);
  zw_json_key(json, "failed");
  zw_json_integer(json, locus->failed);
  zw_json_key(json, "changes");
  zw_json_string(json, locus->changes);
  zw_json_key(json, "csv");
  zw_json_string(json, locus->csv_path);
  zw_json_key(json, "svg");
  zw_json_string(json, locus->svg_path);
  zw_json_end_object(json);
  if (locus->arena.failed)
    fprintf(stderr, "zwang: error: out of memory for the answer\n");
  else
    printf("%s\n", zw_text_get(&locus->text));
}

static void print_outcome(const Locus* locus) {
  printf("%d value%s of %s, %d eigenvalues", (int)locus->values, locus->values == 1 ? "" : "s", locus->name,
         (int)locus->count);
  if (locus->failed > 0) printf("; %d failed, and why is in the table", (int)locus->failed);
  printf("\n");
  if (locus->changes[0])
    printf("%s\n", locus->changes);
  else
    printf("%s at all of them\n", locus->verdict);
  printf("wrote %s and %s\n", locus->csv_path, locus->svg_path);
}

int linearize_locus(const Options* options, const ZwModel* model) {
  ZwAllocator allocator = zw_allocator_default();
  Locus* locus = zw_alloc(&allocator, sizeof *locus);
  if (!locus) return complain(options, ZW_ERR_MEMORY, "out of memory");
  *locus = (Locus){.options = options, .model = model};
  zw_arena_init(&locus->arena, &allocator);
  zw_text_init(&locus->text, &locus->arena);
  zw_json_init(&locus->json, &locus->text);
  int exit_code = read_plan(locus);
  if (exit_code == EXIT_FINE) exit_code = place_files(locus);
  if (exit_code == EXIT_FINE) {
    catch_signals();
    if (options->json) begin_json(locus);
    exit_code = follow(locus);
    if (exit_code) zw_csv_abandon(&locus->csv);
  }
  if (exit_code == EXIT_FINE) {
    if (options->json)
      end_json(locus);
    else if (!options->quiet)
      print_outcome(locus);
    if (locus->failed > 0) exit_code = EXIT_FAILED;
  }
  free(locus->csv_path);
  free(locus->svg_path);
  sweep_plan_free(&locus->plan);
  zw_arena_destroy(&locus->arena);
  zw_release(&allocator, locus);
  return exit_code;
}
