/* Root loci: eigenvalues over the values of one parameter, each followed from value to value, and the borders of the branch
 * (linearize_branch.c), as a table, a picture, a sentence and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/linearize_branch.h"

enum { CHANGE_TEXT = 400 }; /* bytes of what has changed, in the table */

typedef struct Span {
  double begin, end;
} Span;

/* A row of the table. Eigenvalues that come later are not there yet. */
typedef struct Row {
  double value;
  Place* places; /* count; not numbers: there is none */
  int32_t count;
  const char *change, *verdict;
} Row;

typedef struct Locus {
  const Options* options;
  const ZwModel* model;
  SweepPlan plan;
  const char* name; /* of the parameter */
  int32_t values, failed;
  char *csv_path, *svg_path;
  ZwCsv csv;
  Branch branch;
  int32_t count, least;                          /* columns of eigenvalues; and the fewest at a value */
  ZwSeries *re[BRANCH_MODES], *im[BRANCH_MODES]; /* count: over the parameter */
  ZwTrace* plane[BRANCH_MODES];                  /* count: im against re */
  bool is_shown[BRANCH_MODES];                   /* count: not a zero of a symmetry all the way */
  Place now[BRANCH_MODES],
      before[BRANCH_MODES]; /* count: where each was last, and before that; not numbers: it was absent */
  Place expected[BRANCH_MODES], found[BRANCH_MODES];
  int32_t steps; /* values since the eigenvalues are followed */
  double value;  /* where something was found last */
  ZW_ARRAY(Row) rows;
  ZwArena arena;
  ZwText text; /* of --json */
  ZwJson json;
  char verdict[VERDICT_SIZE]; /* at the value before; "" */
  const char* changes;        /* "unstable up to w = 0.5773503, then undamped"; "" */
  ZwMarks marks;              /* borders in the picture, */
  ZwLanes lanes;              /* and where it is unstable: */
  ZW_ARRAY(Span) spans;       /* these, in any order */
  bool has_picture;
} Locus;

/* ---- following ---- */

static const Place absent = {NAN, NAN};

static bool is_absent(Place place) {
  return isnan(place.re);
}

/* Where a mode should be next: it goes on as before. */
static void predict(Locus* locus) {
  for (int32_t i = 0; i < locus->count; i++) {
    Place now = locus->now[i], before = locus->steps > 1 ? locus->before[i] : now;
    if (is_absent(before)) before = now;
    locus->expected[i] = (Place){now.re + (now.re - before.re), now.im + (now.im - before.im)};
  }
}

/* order[i] becomes the eigenvalue that mode i is: the nearest pair first, then the nearest of those left; -1: none, of those that are
 * absent and where there are fewer than modes. `is_taken` tells which eigenvalues have a mode. */
static void match(int32_t count, const Place* expected, int32_t found_count, const Place* found, int32_t* order,
                  bool* is_taken) {
  for (int32_t j = 0; j < found_count; j++) is_taken[j] = false;
  for (int32_t i = 0; i < count; i++) order[i] = -1;
  for (int32_t round = 0; round < count; round++) {
    double least = INFINITY;
    int32_t mode = -1, value = 0;
    for (int32_t i = 0; i < count; i++) {
      for (int32_t j = 0; j < found_count && order[i] < 0; j++) {
        double off = hypot(found[j].re - expected[i].re, found[j].im - expected[i].im);
        if (is_taken[j] || !(off < least)) continue;
        least = off;
        mode = i;
        value = j;
      }
    }
    if (mode < 0) return;
    order[mode] = value;
    is_taken[value] = true;
  }
}

/* One more column. */
static bool add_mode(Locus* locus) {
  ZwArena* arena = &locus->arena;
  int32_t i = locus->count;
  void *re = zw_arena_alloc(arena, 1, zw_series_size(ZW_SERIES_BUCKETS)),
       *im = zw_arena_alloc(arena, 1, zw_series_size(ZW_SERIES_BUCKETS)),
       *plane = zw_arena_alloc(arena, 1, zw_trace_size(ZW_TRACE_POINTS / 8));
  if (arena->failed) return false;
  locus->re[i] = zw_series_init(re, ZW_SERIES_BUCKETS);
  locus->im[i] = zw_series_init(im, ZW_SERIES_BUCKETS);
  locus->plane[i] = zw_trace_init(plane, ZW_TRACE_POINTS / 8);
  locus->now[i] = locus->before[i] = absent;
  locus->count++;
  return true;
}

/* Which eigenvalue each mode is at the next value. Those without a mode get one that is absent, or a new one. */
static bool follow_modes(Locus* locus, const ZwLinearization* l, int32_t* order) {
  bool is_taken[BRANCH_MODES];
  for (int32_t j = 0; j < l->count; j++) locus->found[j] = (Place){l->modes[j].re, l->modes[j].im};
  if (locus->steps > 0) predict(locus);
  match(locus->steps > 0 ? locus->count : 0, locus->expected, l->count, locus->found, order, is_taken);
  for (int32_t i = 0; i < locus->count && locus->steps == 0; i++) order[i] = -1;
  for (int32_t j = 0, i = 0; j < l->count; j++) {
    if (is_taken[j]) continue;
    while (i < locus->count && order[i] >= 0) i++;
    if (i == locus->count && !add_mode(locus)) return false;
    order[i] = j;
  }
  return true;
}

/* ---- one value ---- */

static void draw_place(Locus* locus, int32_t mode, double value, Place place) {
  zw_series_add(locus->re[mode], value, place.re);
  zw_series_add(locus->im[mode], value, place.im);
  zw_trace_add(locus->plane[mode], place.re, place.im);
}

/* A side of a border, for the picture: between where each mode was and where it is now. */
static void draw_side(Locus* locus, const int32_t* order, double value, double at, int32_t count, const Place* side) {
  int32_t places[BRANCH_MODES];
  bool is_taken[BRANCH_MODES];
  double part = (at - locus->value) / (value - locus->value);
  for (int32_t i = 0; i < locus->count; i++) {
    Place from = locus->now[i], to = order[i] >= 0 ? locus->found[order[i]] : from;
    if (is_absent(from)) from = to;
    locus->expected[i] = (Place){(1 - part) * from.re + part * to.re, (1 - part) * from.im + part * to.im};
  }
  match(locus->count, locus->expected, count, side, places, is_taken);
  for (int32_t i = 0; i < locus->count; i++) draw_place(locus, i, at, places[i] >= 0 ? side[places[i]] : absent);
}

static bool shade(Locus* locus, const char* verdict, double from, double to) {
  Span span = {fmin(from, to), fmax(from, to)};
  return strcmp(verdict, "unstable") != 0 || ZW_PUSH(&locus->arena, &locus->spans, span);
}

/* Borders since the value before, `first` and those after it, and where it is unstable. Lines break where the branch has a corner or an end. */
static bool draw_borders(Locus* locus, const int32_t* order, double value, int32_t first, const char* verdict) {
  double begin = locus->steps > 0 || first < locus->branch.borders.count ? locus->value : value;
  for (int32_t i = first; i < locus->branch.borders.count; i++) {
    const Border* border = &locus->branch.borders.items[i];
    bool goes_on = border->kind != BORDER_END && order && locus->steps > 0;
    if (goes_on && border->low != border->from) {
      draw_side(locus, order, value, border->low, border->count_before, border->low_places);
    }
    for (int32_t k = 0; k < locus->count && border->kind != BORDER_VERDICT; k++) {
      draw_place(locus, k, border->high, absent);
    }
    if (goes_on && border->high != border->to) {
      draw_side(locus, order, value, border->high, border->count_after, border->high_places);
    }
    if (!shade(locus, border->before, begin, border->low)) return false;
    begin = border->high;
  }
  return !verdict[0] || shade(locus, verdict, begin, value);
}

/* The strongest of the borders from `first` on. */
static BorderKind strongest(const Locus* locus, int32_t first) {
  BorderKind kind = BORDER_VERDICT;
  for (int32_t i = first; i < locus->branch.borders.count; i++) {
    if (locus->branch.borders.items[i].kind > kind) kind = locus->branch.borders.items[i].kind;
  }
  return kind;
}

/* "P" becomes "P = 0.3849002" */
static void add_place(const Locus* locus, const Border* border, ZwText* text) {
  zw_text_addf(text, "%s = %.7g", locus->name, border->is_sharp ? border_value(border) : border->low);
}

static const char* what_ends(const Border* border) {
  return border->at == ZW_LINEARIZE_EQUILIBRIUM ? "this equilibrium" : "this steady motion";
}

/* What has changed since the row before: "'w' closes at P = 0.5". */
static const char* tell_row(Locus* locus, int32_t first) {
  ZwText text;
  zw_text_init(&text, &locus->arena);
  for (int32_t i = first; i < locus->branch.borders.count; i++) {
    const Border* border = &locus->branch.borders.items[i];
    if (i > first) zw_text_addf(&text, "; ");
    if (border->kind == BORDER_END) zw_text_addf(&text, "%s ends at ", what_ends(border));
    if (border->kind == BORDER_CORNER) {
      border_add_changes(border, &text);
      zw_text_addf(&text, " at ");
    }
    if (border->kind == BORDER_VERDICT) zw_text_addf(&text, "%s up to ", border->before);
    add_place(locus, border, &text);
  }
  return zw_text_get(&text);
}

/* Where the modes are at this value. */
static void move_modes(Locus* locus, const ZwLinearization* l, const int32_t* order, double value, Row* row) {
  for (int32_t i = 0; i < locus->count; i++) {
    Place place = l && order[i] >= 0 ? locus->found[order[i]] : absent;
    row->places[i] = place;
    draw_place(locus, i, value, place);
    if (!l) continue;
    if (order[i] >= 0 && l->modes[order[i]].kind != ZW_MODE_SYMMETRY) locus->is_shown[i] = true;
    locus->before[i] = locus->now[i];
    locus->now[i] = place;
  }
}

/* One row; `first` is the first border since the one before. */
static bool take(Locus* locus, double value, const ZwLinearization* l, const char* reason, int32_t first) {
  int32_t order[BRANCH_MODES];
  BorderKind kind = strongest(locus, first);
  const char* verdict = l ? verdict_word(l) : "";
  if (kind == BORDER_END) locus->steps = 0; /* the eigenvalues are those of another state */
  if (l && !follow_modes(locus, l, order)) return false;
  if (!draw_borders(locus, l ? order : NULL, value, first, verdict)) return false;
  Row row = {.value = value, .count = locus->count, .change = tell_row(locus, first)};
  row.places = zw_arena_alloc(&locus->arena, locus->count + 1, sizeof(Place));
  row.verdict = zw_str_copy(&locus->arena, zw_str_from(l ? verdict : reason));
  if (locus->arena.failed) return false;
  move_modes(locus, l, order, value, &row);
  locus->steps = !l ? 0 : kind == BORDER_VERDICT ? locus->steps + 1 : 1;
  if (l && l->count < locus->least) locus->least = l->count;
  if (l || kind == BORDER_END) zw_snprintf(locus->verdict, sizeof locus->verdict, "%s", verdict);
  if (l) locus->value = value;
  return ZW_PUSH(&locus->arena, &locus->rows, row);
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

/* What ends the command: the first value has no answer, so that nothing is known yet; or one has too many eigenvalues. */
static int refuse(Locus* locus, ZwRun* run, ZwStatus status, const ZwLinearization* l, const char* reason) {
  if (status == ZW_ERR_MEMORY || (status && !locus->branch.is_open))
    return linearize_refused(locus->options, locus->model, run, status);
  if (!l && !locus->branch.is_open) return complain(locus->options, ZW_ERR_ARGUMENT, "%s", reason);
  if (l && l->count > BRANCH_MODES) {
    return complain(locus->options, ZW_ERR_LIMIT, "%d eigenvalues; %d are the most that are followed", (int)l->count,
                    (int)BRANCH_MODES);
  }
  return EXIT_FINE;
}

/* The answer at a value that the branch has been followed to. */
static void look_again(Locus* locus, double value, ZwRun** run, const ZwLinearization** l, const char** reason) {
  ZwRun* again = NULL;
  const ZwLinearization* found;
  ZwRunChange change = {locus->name, value};
  ZwStatus status = linearize(locus->options, locus->model, &change, branch_near(&locus->branch), &again, &found);
  if (status) {
    zw_run_destroy(again);
    return;
  }
  zw_run_destroy(*run);
  *run = again;
  *l = found;
  *reason = "";
}

static int take_value(Locus* locus, double value) {
  ZwRun* run = NULL;
  const ZwLinearization* l;
  ZwRunChange change = {locus->name, value};
  Branch* branch = &locus->branch;
  ZwStatus status = linearize(locus->options, locus->model, &change, branch_near(branch), &run, &l);
  const char* reason = status ? reason_of(run, status) : "";
  char why[128];
  if (!status && linearize_missed(locus->options, run, l, why, sizeof why)) {
    reason = why;
    l = NULL;
  }
  int exit_code = refuse(locus, run, status, l, reason);
  if (exit_code == EXIT_FINE && (branch->is_open || branch_open(branch, l))) {
    int32_t first = branch_take(branch, value, l, status);
    if (branch->is_other) look_again(locus, value, &run, &l, &reason);
    locus->failed += l == NULL;
    json_value(locus, value, l, reason);
    if (first >= 0) (void)take(locus, value, l, reason, first);
  }
  zw_run_destroy(run);
  if (exit_code == EXIT_FINE && locus->arena.failed) return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
  return exit_code;
}

/* ---- the table ---- */

static ZwStatus write_rows(Locus* locus) {
  int32_t width = 1 + 2 * locus->count + 2;
  ZwCsvField* fields = zw_arena_alloc(&locus->arena, width, sizeof(ZwCsvField));
  if (!fields) return ZW_ERR_MEMORY;
  for (int32_t r = 0; r < locus->rows.count; r++) {
    const Row* row = &locus->rows.items[r];
    fields[0] = (ZwCsvField){NULL, row->value};
    for (int32_t i = 0; i < locus->count; i++) {
      Place place = i < row->count ? row->places[i] : absent;
      fields[1 + 2 * i] = (ZwCsvField){NULL, place.re};
      fields[2 + 2 * i] = (ZwCsvField){NULL, place.im};
    }
    fields[width - 2] = (ZwCsvField){row->change, 0};
    fields[width - 1] = (ZwCsvField){row->verdict, 0};
    ZW_TRY(zw_csv_row_fields(&locus->csv, fields));
  }
  return ZW_OK;
}

/* All rows there are. Where it was interrupted, `is_whole` is false, and they stay a journal. */
static int write_table(Locus* locus, bool is_whole) {
  ZwAllocator allocator = zw_allocator_default();
  int32_t numbers = 1 + 2 * locus->count;
  const char** names = ZW_NEW(&locus->arena, numbers + 2, const char*);
  if (!names) return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
  names[0] = locus->name;
  for (int32_t i = 0; i < locus->count; i++) {
    names[1 + 2 * i] = zw_format(&locus->arena, "re %d", (int)(i + 1));
    names[2 + 2 * i] = zw_format(&locus->arena, "im %d", (int)(i + 1));
  }
  names[numbers] = "change";
  names[numbers + 1] = "verdict";
  if (locus->arena.failed) return complain(locus->options, ZW_ERR_MEMORY, "out of memory");
  ZwCsvColumns columns = {names, numbers, 2, CHANGE_TEXT, NULL};
  const char* why;
  ZwStatus status = zw_csv_open_fields(&locus->csv, &allocator, locus->csv_path, &columns, &why);
  if (status) return complain(locus->options, status, "%s", why);
  status = write_rows(locus);
  if (status == ZW_OK && is_whole) status = zw_csv_finish(&locus->csv);
  if (status || !is_whole) (void)zw_csv_abandon(&locus->csv);
  return status ? complain(locus->options, status, "%s", locus->csv.error) : EXIT_FINE;
}

/* ---- the picture ---- */

static int compare_spans(const void* a, const void* b) {
  double x = ((const Span*)a)->begin, y = ((const Span*)b)->begin;
  return (x > y) - (x < y);
}

/* From left to right, whatever the order of the values was. */
static ZwStatus fill_lanes(Locus* locus) {
  Span* spans = locus->spans.items;
  int32_t count = locus->spans.count;
  if (count > 0) qsort(spans, (size_t)count, sizeof(Span), compare_spans);
  for (int32_t i = 0; i < count;) {
    double begin = spans[i].begin, end = spans[i].end;
    for (; i < count && spans[i].begin <= end; i++) end = fmax(end, spans[i].end);
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
  int32_t count = locus->branch.borders.count;
  Border* borders = zw_arena_alloc(&locus->arena, count + 1, sizeof(Border));
  if (!borders) return ZW_ERR_MEMORY;
  if (count > 0) memcpy(borders, locus->branch.borders.items, (size_t)count * sizeof(Border));
  qsort(borders, (size_t)count, sizeof(Border), compare_borders);
  for (int32_t i = 0; i < count; i++) {
    char name[ZW_MARK_NAME];
    zw_snprintf(name, sizeof name, "%s = %g", locus->name, border_value(&borders[i]));
    if (borders[i].is_sharp) zw_marks_add(&locus->marks, border_value(&borders[i]), name);
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
  locus->has_picture = !status;
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
    int exit_code = is_interrupted() ? EXIT_FINE : take_value(locus, sweep_plan_value(&locus->plan, 0, i));
    if (is_interrupted()) {
      complain(locus->options, ZW_ERR_INTERRUPTED, "interrupted");
      (void)write_table(locus, false);
      return EXIT_INTERRUPTED;
    }
    if (exit_code) return exit_code;
  }
  int exit_code = write_table(locus, true);
  return exit_code ? exit_code : draw(locus);
}

/* At the very value that was asked for, and only there, there is another verdict than on both sides. */
static bool is_there_only(const Border* border, const Border* next) {
  return border->kind == BORDER_VERDICT && next->kind == BORDER_VERDICT && border->to == next->from &&
         border->high == border->to && next->low == next->from && border->is_sharp && next->is_sharp;
}

/* ", where 'w' is closed" */
static void add_contacts(const Border* border, ZwText* text) {
  for (int32_t i = 0; i < border->change_count; i++) {
    const BorderChange* change = &border->changes[i];
    bool is_verb = strcmp(change->after, "sticks") == 0 || strcmp(change->after, "slips") == 0;
    zw_text_addf(text, "%s'%s' %s%s", i > 0 ? " and " : ", where ", change->name, is_verb ? "" : "is ", change->after);
  }
}

static void add_end(const Locus* locus, const Border* border, ZwText* text) {
  bool is_rest = border->at == ZW_LINEARIZE_EQUILIBRIUM;
  zw_text_addf(text, " up to ");
  add_place(locus, border, text);
  zw_text_addf(text, is_rest ? ", where this equilibrium ends" : ", where the search goes to another steady motion");
  if (strcmp(border->after, "none") == 0)
    zw_text_addf(text, ", and no other was found there");
  else
    zw_text_addf(text, is_rest ? ", then %s at another one" : ", then %s", border->after);
  add_contacts(border, text);
}

static void add_corner(const Locus* locus, const Border* border, ZwText* text) {
  zw_text_addf(text, " up to ");
  add_place(locus, border, text);
  zw_text_addf(text, ", where ");
  border_add_changes(border, text);
  zw_text_addf(text, ", then %s", border->after);
}

static void tell_changes(Locus* locus) {
  ZwText text;
  int32_t count = locus->branch.borders.count;
  zw_text_init(&text, &locus->arena);
  for (int32_t i = 0; i < count; i++) {
    const Border *border = &locus->branch.borders.items[i], *next = border + 1;
    bool is_brief = i + 1 < count && is_there_only(border, next);
    bool is_after_brief = i > 0 && is_there_only(border - 1, border);
    if (i == 0 || strcmp(border[-1].after, "none") == 0) zw_text_addf(&text, "%s%s", i > 0 ? "; " : "", border->before);
    if (border->kind == BORDER_END) {
      add_end(locus, border, &text);
    } else if (border->kind == BORDER_CORNER) {
      add_corner(locus, border, &text);
    } else {
      if (!is_after_brief) zw_text_addf(&text, " up to ");
      if (!is_after_brief) add_place(locus, border, &text);
      zw_text_addf(&text, is_brief ? ", %s there" : ", then %s", border->after);
    }
    if (!border->is_sharp) zw_text_addf(&text, " from %g on", border->high);
  }
  if (!locus->arena.failed && count > 0) locus->changes = zw_text_get(&text);
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
  static const char* const kinds[] = {"verdict", "corner", "end"};
  zw_json_begin_object(json);
  json_number(json, "low", border->low);
  json_number(json, "high", border->high);
  zw_json_key(json, "before");
  zw_json_string(json, border->before);
  zw_json_key(json, "after");
  zw_json_string(json, border->after);
  zw_json_key(json, "ends");
  zw_json_bool(json, border->kind == BORDER_END);
  zw_json_key(json, "kind");
  zw_json_string(json, kinds[border->kind]);
  zw_json_key(json, "changed");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < border->change_count; i++) {
    zw_json_begin_object(json);
    zw_json_key(json, "name");
    zw_json_string(json, border->changes[i].name);
    zw_json_key(json, "before");
    zw_json_string(json, border->changes[i].before);
    zw_json_key(json, "after");
    zw_json_string(json, border->changes[i].after);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
  zw_json_end_object(json);
}

static void end_json(Locus* locus) {
  ZwJson* json = &locus->json;
  zw_json_end_array(json);
  zw_json_key(json, "failed");
  zw_json_integer(json, locus->failed);
  zw_json_key(json, "borders");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < locus->branch.borders.count; i++) json_border(json, &locus->branch.borders.items[i]);
  zw_json_end_array(json);
  zw_json_key(json, "changes");
  zw_json_string(json, locus->changes);
  zw_json_key(json, "csv");
  zw_json_string(json, locus->csv_path);
  zw_json_key(json, "svg");
  zw_json_string(json, locus->has_picture ? locus->svg_path : "");
  zw_json_end_object(json);
  if (locus->arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the answer\n");
  else
    puts(zw_text_get(&locus->text));
}

static void print_outcome(const Locus* locus) {
  bool are_all = locus->least == locus->count;
  zw_printf("%d value%s of %s, %s%d eigenvalue%s", (int)locus->values, locus->values == 1 ? "" : "s", locus->name,
            are_all ? "" : "up to ", (int)locus->count, locus->count == 1 ? "" : "s");
  if (locus->failed > 0) zw_printf("; %d failed, and why is in the table", (int)locus->failed);
  zw_printf("\n");
  if (locus->changes[0])
    zw_printf("%s\n", locus->changes);
  else
    zw_printf("%s at %s\n", locus->verdict, locus->failed > 0 ? "those that were found" : "all of them");
  if (locus->has_picture)
    zw_printf("wrote %s and %s\n", locus->csv_path, locus->svg_path);
  else
    zw_printf("wrote %s\n", locus->csv_path);
}

int linearize_locus(const Options* options, const ZwModel* model) {
  ZwAllocator allocator = zw_allocator_default();
  Locus* locus = zw_alloc(&allocator, sizeof *locus);
  if (!locus) return complain(options, ZW_ERR_MEMORY, "out of memory");
  *locus = (Locus){.options = options, .model = model, .lanes.allocator = allocator, .changes = ""};
  locus->least = BRANCH_MODES;
  zw_arena_init(&locus->arena, &allocator);
  zw_text_init(&locus->text, &locus->arena);
  zw_json_init(&locus->json, &locus->text);
  int exit_code = read_plan(locus);
  if (exit_code == EXIT_FINE) exit_code = place_files(locus);
  if (exit_code == EXIT_FINE) {
    catch_signals();
    locus->branch = (Branch){.options = options, .model = model, .name = locus->name, .arena = &locus->arena};
    if (options->json) begin_json(locus);
    exit_code = follow(locus);
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
