/* Root loci: eigenvalues over the values of one parameter, each followed from value to value. Where the verdict changes between two of
 * them, the border is looked for by halving; and so is the end of an equilibrium, where the next one is not near it however near the
 * values are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/linearize.h"

enum { LOCUS_MODES = 400 }; /* most eigenvalues that are followed */

/* Of the larger of the values around it: a border is known when its sides are so near. Six digits are printed. */
static const double tol_border_rel = 1e-7;

/* An equilibrium that has gone less far, in sizes of its coordinates, has not jumped; nor if it is not this much faster than before. */
static const double jump_told = 1e-6, rate_most = 2;
/* When an interval is halved and the larger part of the way is less than this part of all of it, it has gone all the way. */
static const double jump_least = 0.75;

typedef struct Place {
  double re, im; /* of an eigenvalue */
} Place;

/* Between two values with different verdicts, as near to each other as was possible. */
typedef struct Border {
  double low, high, tol;
  double from, to; /* the values it lies between */
  char before[16], after[16];
  bool is_end; /* of the equilibrium itself: after it there is another one, or none */
} Border;

typedef struct Span {
  double begin, end;
} Span;

typedef struct Locus {
  const Options* options;
  const ZwModel* model;
  SweepPlan plan;
  const char* name; /* of the parameter */
  int32_t values, count, failed;
  char *csv_path, *svg_path;
  ZwCsv csv;
  ZwSeries **re, **im;                  /* count: over the parameter */
  ZwTrace** plane;                      /* count: im against re */
  bool* is_shown;                       /* count: not a zero of a symmetry all the way */
  Place *now, *before;                  /* count: where each was last, and before that */
  Place *expected, *found, *low, *high; /* count: where they should be, where they are; on both sides of a border */
  int32_t steps;                        /* values behind us */
  double* near_q;                       /* the equilibrium before; NULL: none */
  double *low_q, *high_q;               /* on both sides of where it may end */
  size_t q_bytes;
  double rate; /* how fast it moved with the parameter; 0: not known */
  ZwArena arena;
  ZwText text; /* of --json */
  ZwJson json;
  char verdict[16]; /* at the value before; "" */
  double value;     /* that one */
  bool has_border;  /* between that one and the present one: the last of */
  Border* borders;  /* at most one for each value */
  int32_t border_count;
  const char* changes; /* "unstable up to w = 0.57735, then undamped"; "" */
  ZwMarks marks;       /* borders in the picture, */
  ZwLanes lanes;       /* and where it is unstable: */
  Span* spans;         /* these, in any order */
  int32_t span_count;
} Locus;

/* ---- following ---- */

/* Where a mode should be next: it goes on as before. */
static void predict(Locus* locus) {
  for (int32_t i = 0; i < locus->count; i++) {
    Place now = locus->now[i], before = locus->steps > 1 ? locus->before[i] : now;
    locus->expected[i] = (Place){now.re + (now.re - before.re), now.im + (now.im - before.im)};
  }
}

/* order[i] becomes the eigenvalue that mode i is: the nearest pair first, then the nearest of those left. */
static void match(int32_t count, const Place* expected, const Place* found, int32_t* order) {
  bool is_taken[LOCUS_MODES] = {false};
  for (int32_t i = 0; i < count; i++) order[i] = -1;
  for (int32_t round = 0; round < count; round++) {
    double least = INFINITY;
    int32_t mode = 0, value = 0;
    for (int32_t i = 0; i < count; i++) {
      for (int32_t j = 0; j < count && order[i] < 0; j++) {
        double off = hypot(found[j].re - expected[i].re, found[j].im - expected[i].im);
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

static void copy_places(Place* to, const ZwLinearization* l) {
  for (int32_t i = 0; i < l->count; i++) {
    to[i] = (Place){l->modes[i].re, l->modes[i].im};
  }
}

/* Which eigenvalue each mode is at the next value. */
static void follow_modes(Locus* locus, const ZwLinearization* l, int32_t* order) {
  copy_places(locus->found, l);
  for (int32_t i = 0; i < locus->count; i++) order[i] = i;
  if (locus->steps == 0) return;
  predict(locus);
  match(locus->count, locus->expected, locus->found, order);
}

/* ---- room ---- */

static bool place_modes(Locus* locus, int32_t count) {
  ZwArena* arena = &locus->arena;
  locus->count = count;
  locus->re = ZW_NEW(arena, count + 1, ZwSeries*);
  locus->im = ZW_NEW(arena, count + 1, ZwSeries*);
  locus->plane = ZW_NEW(arena, count + 1, ZwTrace*);
  locus->is_shown = ZW_NEW(arena, count + 1, bool);
  locus->spans = ZW_NEW(arena, 2 * (ptrdiff_t)locus->values, Span);
  locus->borders = ZW_NEW(arena, locus->values, Border);
  Place** places[] = {&locus->now, &locus->before, &locus->expected, &locus->found, &locus->low, &locus->high};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++)
    *places[k] = zw_arena_alloc(arena, count + 1, sizeof(Place));
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

/* ---- borders ---- */

/* The verdict at a value between; its eigenvalues go to `low` if it is that of the border's lower side, else to `high`. */
static bool look_between(Locus* locus, Border* border, double value) {
  ZwRun* run = NULL;
  const ZwLinearization* l;
  ZwRunChange change = {locus->name, value};
  char why[128];
  ZwStatus status = linearize(locus->options, locus->model, &change, locus->near_q, &run, &l);
  bool is_known = !status && l->count == locus->count && !linearize_missed(locus->options, run, l, why, sizeof why);
  if (is_known) {
    bool is_low = strcmp(verdict_word(l), border->before) == 0;
    copy_places(is_low ? locus->low : locus->high, l);
    *(is_low ? &border->low : &border->high) = value;
  }
  zw_run_destroy(run);
  return is_known;
}

static bool is_sharp(const Border* border) {
  return fabs(border->high - border->low) <= border->tol;
}

/* To be printed: what is next to 0 is 0. */
static double border_value(const Border* border) {
  return fabs(border->high) <= border->tol ? 0 : border->high;
}

static void find_border(Locus* locus, Border* border) {
  while (!is_sharp(border)) {
    double middle = border->low + (border->high - border->low) / 2;
    if (is_interrupted() || !look_between(locus, border, middle)) return;
  }
}

/* What has changed since the value before. */
static void note_change(Locus* locus, const ZwLinearization* l, double value) {
  const char* verdict = verdict_word(l);
  locus->has_border = locus->verdict[0] && strcmp(locus->verdict, verdict) != 0;
  if (locus->has_border) {
    Border border = {.low = locus->value, .high = value, .from = locus->value, .to = value};
    border.tol = tol_border_rel * fmax(fabs(border.low), fabs(border.high));
    zw_snprintf(border.before, sizeof border.before, "%s", locus->verdict);
    zw_snprintf(border.after, sizeof border.after, "%s", verdict);
    memcpy(locus->low, locus->now, (size_t)locus->count * sizeof(Place));
    copy_places(locus->high, l);
    find_border(locus, &border);
    locus->borders[locus->border_count++] = border;
  }
  zw_snprintf(locus->verdict, sizeof locus->verdict, "%s", verdict);
}

/* ---- where an equilibrium ends ---- */

/* How far two equilibria are from each other, in the sizes of their coordinates. */
static double distance(const ZwLinearization* l, const double* a, const double* b) {
  double most = 0;
  for (int32_t i = 0; i < l->n; i++) most = fmax(most, fabs(a[i] - b[i]) / l->sizes[i]);
  return most;
}

/* The equilibrium at a value between, from that of the lower side: which side is it on? What is not found is on the upper one. False: it
 * is on the way between them, so that nothing jumps. */
static bool look_at_side(Locus* locus, Border* border, double value, bool has_high) {
  ZwRun* run = NULL;
  const ZwLinearization* l;
  ZwRunChange change = {locus->name, value};
  bool is_jump = true, is_low = false;
  if (!linearize(locus->options, locus->model, &change, locus->low_q, &run, &l)) {
    double low = distance(l, l->q, locus->low_q), high = has_high ? distance(l, l->q, locus->high_q) : INFINITY;
    double all = has_high ? distance(l, locus->low_q, locus->high_q) : INFINITY;
    is_jump = !has_high || fmax(low, high) > jump_least * all;
    is_low = low < high;
    memcpy(is_low ? locus->low_q : locus->high_q, l->q, (size_t)l->n * sizeof(double));
  }
  *(is_low ? &border->low : &border->high) = value;
  zw_run_destroy(run);
  return is_jump;
}

/* Is there an end of the equilibrium before between its value and this one, where `l` (NULL: nothing) was found? It becomes a border. */
static bool find_end(Locus* locus, const ZwLinearization* l, double value) {
  if (!locus->near_q || locus->steps == 0 || !locus->low_q) return false;
  Border border = {.low = locus->value, .high = value, .from = locus->value, .to = value, .is_end = true};
  border.tol = tol_border_rel * fmax(fabs(border.low), fabs(border.high));
  zw_snprintf(border.before, sizeof border.before, "%s", locus->verdict);
  zw_snprintf(border.after, sizeof border.after, "%s", l ? verdict_word(l) : "none");
  memcpy(locus->low_q, locus->near_q, locus->q_bytes);
  if (l) memcpy(locus->high_q, l->q, locus->q_bytes);
  while (!is_sharp(&border)) {
    double middle = border.low + (border.high - border.low) / 2;
    if (is_interrupted() || !look_at_side(locus, &border, middle, l != NULL)) return false;
  }
  locus->borders[locus->border_count++] = border;
  return true;
}

/* Does the equilibrium move so much faster than before that it may have jumped? */
static bool may_have_jumped(Locus* locus, const ZwLinearization* l, double value) {
  if (l->at != ZW_LINEARIZE_EQUILIBRIUM || !locus->near_q || locus->steps == 0 || value == locus->value) return false;
  double way = distance(l, l->q, locus->near_q), before = locus->rate;
  locus->rate = way / fabs(value - locus->value);
  return way > jump_told && !(locus->rate < rate_most * before);
}

/* ---- one value ---- */

static void draw_place(Locus* locus, int32_t mode, double value, Place place) {
  zw_series_add(locus->re[mode], value, place.re);
  zw_series_add(locus->im[mode], value, place.im);
  zw_trace_add(locus->plane[mode], place.re, place.im);
}

/* Both sides of a border, for the picture: between where each mode was and where it is now. */
static void draw_side(Locus* locus, const int32_t* order, double value, double at, const Place* side) {
  int32_t places[LOCUS_MODES];
  double part = (at - locus->value) / (value - locus->value);
  for (int32_t i = 0; i < locus->count; i++) {
    Place from = locus->now[i], to = locus->found[order[i]];
    locus->expected[i] = (Place){(1 - part) * from.re + part * to.re, (1 - part) * from.im + part * to.im};
  }
  match(locus->count, locus->expected, side, places);
  for (int32_t i = 0; i < locus->count; i++) draw_place(locus, i, at, side[places[i]]);
}

static void shade(Locus* locus, const char* verdict, double from, double to) {
  if (strcmp(verdict, "unstable") != 0) return;
  locus->spans[locus->span_count++] = (Span){fmin(from, to), fmax(from, to)};
}

/* The border since the value before, if there is one, and where it is unstable. */
static void draw_border(Locus* locus, const int32_t* order, double value) {
  const Border* border = locus->has_border ? &locus->borders[locus->border_count - 1] : NULL;
  if (!border) {
    shade(locus, locus->verdict, locus->steps > 0 ? locus->value : value, value);
    return;
  }
  if (border->low != locus->value) draw_side(locus, order, value, border->low, locus->low);
  if (border->high != value) draw_side(locus, order, value, border->high, locus->high);
  shade(locus, border->before, border->from, border->low);
  shade(locus, border->after, border->high, value);
}

/* After an end the eigenvalues are those of another equilibrium: lines break, and nothing is followed. */
static void begin_anew(Locus* locus, const ZwLinearization* l) {
  const Border* border = &locus->borders[locus->border_count - 1];
  for (int32_t i = 0; i < locus->count; i++) draw_place(locus, i, border->high, (Place){NAN, NAN});
  shade(locus, border->before, border->from, border->low);
  if (l) shade(locus, border->after, border->high, border->to);
  zw_snprintf(locus->verdict, sizeof locus->verdict, "%s", l ? border->after : "");
  locus->steps = 0;
  locus->rate = 0;
}

static ZwStatus take(Locus* locus, double value, const ZwLinearization* l, const char* reason, bool has_ended) {
  double row[1 + 2 * LOCUS_MODES] = {value};
  int32_t order[LOCUS_MODES];
  if (has_ended) begin_anew(locus, l);
  if (l) {
    follow_modes(locus, l, order);
    if (has_ended)
      locus->has_border = false;
    else
      note_change(locus, l, value);
    if (!has_ended) draw_border(locus, order, value);
  }
  for (int32_t i = 0; i < locus->count; i++) {
    Place place = l ? locus->found[order[i]] : (Place){NAN, NAN};
    row[1 + 2 * i] = place.re;
    row[2 + 2 * i] = place.im;
    draw_place(locus, i, value, place);
    if (!l) continue;
    if (l->modes[order[i]].kind != ZW_MODE_SYMMETRY) locus->is_shown[i] = true;
    locus->before[i] = locus->now[i];
    locus->now[i] = place;
  }
  locus->steps = l ? locus->steps + 1 : 0;
  if (l) locus->value = value;
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
  if (!locus->near_q) {
    locus->q_bytes = (size_t)l->n * sizeof(double);
    locus->near_q = ZW_NEW(&locus->arena, l->n + 1, double);
    locus->low_q = ZW_NEW(&locus->arena, l->n + 1, double);
    locus->high_q = ZW_NEW(&locus->arena, l->n + 1, double);
  }
  if (locus->near_q) memcpy(locus->near_q, l->q, locus->q_bytes);
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
  } else if (status && (locus->count == 0 || status == ZW_ERR_MEMORY)) { /* the first one: nothing is known yet */
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
    bool has_ended = status == ZW_ERR_STEP || (l && may_have_jumped(locus, l, value));
    has_ended = has_ended && find_end(locus, l, value);
    locus->failed += l == NULL;
    remember(locus, l);
    json_value(locus, value, l, reason);
    if (take(locus, value, l, reason, has_ended))
      exit_code = complain(locus->options, ZW_ERR_IO, "%s", locus->csv.error);
  }
  zw_run_destroy(run);
  return exit_code;
}

/* ---- the picture ---- */

static int compare_spans(const void* a, const void* b) {
  double x = ((const Span*)a)->begin, y = ((const Span*)b)->begin;
  return (x > y) - (x < y);
}

/* From left to right, whatever the order of the values was. */
static ZwStatus fill_lanes(Locus* locus) {
  qsort(locus->spans, (size_t)locus->span_count, sizeof(Span), compare_spans);
  for (int32_t i = 0; i < locus->span_count;) {
    double begin = locus->spans[i].begin, end = locus->spans[i].end;
    for (; i < locus->span_count && locus->spans[i].begin <= end; i++) end = fmax(end, locus->spans[i].end);
    ZW_TRY(zw_lanes_add(&locus->lanes, &(ZwContactEvent){.t = begin, .what = ZW_CONTACT_CLOSED}));
    ZW_TRY(zw_lanes_add(&locus->lanes, &(ZwContactEvent){.t = end, .what = ZW_CONTACT_OPEN}));
  }
  return ZW_OK;
}

static int compare_borders(const void* a, const void* b) {
  double x = ((const Border*)a)->high, y = ((const Border*)b)->high;
  return (x > y) - (x < y);
}

static ZwStatus fill_marks(Locus* locus) {
  Border* borders = ZW_NEW(&locus->arena, locus->border_count + 1, Border);
  if (!borders) return ZW_ERR_MEMORY;
  memcpy(borders, locus->borders, (size_t)locus->border_count * sizeof(Border));
  qsort(borders, (size_t)locus->border_count, sizeof(Border), compare_borders);
  for (int32_t i = 0; i < locus->border_count; i++) {
    char name[ZW_MARK_NAME];
    zw_snprintf(name, sizeof name, "%s = %g", locus->name, border_value(&borders[i]));
    if (is_sharp(&borders[i])) zw_marks_add(&locus->marks, border_value(&borders[i]), name);
  }
  return ZW_OK;
}

static int draw(Locus* locus) {
  static const char* const unstable = "unstable";
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
                    .marks = &locus->marks,
                    .shades = {.lanes = &locus->lanes, .names = &unstable, .word = ""},
                    .theme = locus->options->theme};
  free(name);
  if (locus->arena.failed || fill_lanes(locus) || fill_marks(locus))
    return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
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
  const char* paths[] = {locus->csv_path, locus->svg_path};
  for (int i = 0; i < 2; i++) {
    if (was_read(locus->options, paths[i])) {
      return complain(locus->options, ZW_ERR_ARGUMENT,
                      "'%s' would be overwritten, which the model reads; choose another folder with --out DIR",
                      paths[i]);
    }
    int exit_code = check_kind(locus->options, paths[i], i == 0 ? KIND_LOCUS : KIND_PICTURE);
    if (exit_code) return exit_code;
  }
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

/* At the very value that was asked for, and only there, there is another verdict than on both sides. */
static bool is_there_only(const Border* border, const Border* next) {
  return border->to == next->from && fabs(border->high - border->to) <= border->tol &&
         fabs(next->low - next->from) <= next->tol && is_sharp(border) && is_sharp(next);
}

static void add_end(const Locus* locus, const Border* border, ZwText* text) {
  zw_text_addf(text, " up to %s = %.7g, where this equilibrium ends", locus->name, border_value(border));
  if (strcmp(border->after, "none") == 0)
    zw_text_addf(text, ", and no other was found there");
  else
    zw_text_addf(text, ", then %s at another one", border->after);
}

static void tell_changes(Locus* locus) {
  ZwText text;
  zw_text_init(&text, &locus->arena);
  for (int32_t i = 0; i < locus->border_count; i++) {
    const Border *border = &locus->borders[i], *next = border + 1;
    bool is_brief = i + 1 < locus->border_count && is_there_only(border, next);
    bool is_behind_brief = i > 0 && is_there_only(border - 1, border);
    double value = is_sharp(border) ? border_value(border) : border->low;
    if (i == 0 || strcmp(border[-1].after, "none") == 0) zw_text_addf(&text, "%s%s", i > 0 ? "; " : "", border->before);
    if (border->is_end) {
      add_end(locus, border, &text);
      continue;
    }
    if (!is_behind_brief) zw_text_addf(&text, " up to %s = %g", locus->name, value);
    zw_text_addf(&text, is_brief ? ", %s there" : ", then %s", border->after);
    if (!is_sharp(border)) zw_text_addf(&text, " from %g on", border->high);
  }
  if (!locus->arena.failed && locus->border_count > 0) locus->changes = zw_text_get(&text);
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

static void json_border(ZwJson* json, const Border* border) {
  zw_json_begin_object(json);
  json_number(json, "low", border->low);
  json_number(json, "high", border->high);
  zw_json_key(json, "before");
  zw_json_string(json, border->before);
  zw_json_key(json, "after");
  zw_json_string(json, border->after);
  zw_json_key(json, "ends");
  zw_json_bool(json, border->is_end);
  zw_json_end_object(json);
}

static void end_json(Locus* locus) {
  ZwJson* json = &locus->json;
  zw_json_end_array(json);
  zw_json_key(json, "failed");
  zw_json_integer(json, locus->failed);
  zw_json_key(json, "borders");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < locus->border_count; i++) json_border(json, &locus->borders[i]);
  zw_json_end_array(json);
  zw_json_key(json, "changes");
  zw_json_string(json, locus->changes);
  zw_json_key(json, "csv");
  zw_json_string(json, locus->csv_path);
  zw_json_key(json, "svg");
  zw_json_string(json, locus->svg_path);
  zw_json_end_object(json);
  if (locus->arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the answer\n");
  else
    puts(zw_text_get(&locus->text));
}

static void print_outcome(const Locus* locus) {
  zw_printf("%d value%s of %s, %d eigenvalues", (int)locus->values, locus->values == 1 ? "" : "s", locus->name,
            (int)locus->count);
  if (locus->failed > 0) zw_printf("; %d failed, and why is in the table", (int)locus->failed);
  zw_printf("\n");
  if (locus->changes[0])
    zw_printf("%s\n", locus->changes);
  else
    zw_printf("%s at all of them\n", locus->verdict);
  zw_printf("wrote %s and %s\n", locus->csv_path, locus->svg_path);
}

int linearize_locus(const Options* options, const ZwModel* model) {
  ZwAllocator allocator = zw_allocator_default();
  Locus* locus = zw_alloc(&allocator, sizeof *locus);
  if (!locus) return complain(options, ZW_ERR_MEMORY, "out of memory");
  *locus = (Locus){.options = options, .model = model, .lanes.allocator = allocator, .changes = ""};
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
    tell_changes(locus);
    if (options->json)
      end_json(locus);
    else if (!options->quiet)
      print_outcome(locus);
    if (locus->failed > 0) exit_code = EXIT_FAILED;
  }
  free(locus->csv_path);
  free(locus->svg_path);
  sweep_plan_free(&locus->plan);
  zw_lanes_free(&locus->lanes);
  zw_arena_destroy(&locus->arena);
  zw_release(&allocator, locus);
  return exit_code;
}
