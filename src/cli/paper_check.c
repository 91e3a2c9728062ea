#include "cli/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/ask.h"
#include "cli/quantities.h"

/* Departures from the start: of a number x by a random part of this of |x| and of the largest number. Larger ones find states that nearly are
 * singular, where both sides lose digits. */
#define DEPARTURE 0.3
enum { ATTEMPTS = 50 }; /* for one state */
/* What agrees this well is equal. */
#define TOL_EQUAL 1e-9

typedef struct Looking {
  Walk* walk;
  int32_t example;
  const Example* of;
  ZwModel* model;
  Ask ask;
  uint64_t seed;
  bool is_first; /* state */
  ZwArena arena; /* of one state */
  ZwRun* run;
} Looking;

bool is_fine(const Checked* checked) {
  return !*checked->reason && checked->difference <= TOL_EQUAL;
}

const ZwLibraryText* find_example(ZwStr name) {
  for (const ZwLibraryText* example = example_texts; example->name; example++) {
    if (zw_str_equal(name, zw_str_from(example->name))) return example;
  }
  return NULL;
}

/* ---- one check ---- */

static Matrix kept(ZwArena* arena, Matrix x) {
  ptrdiff_t count = (ptrdiff_t)x.rows * x.columns;
  double* at = ZW_NEW(arena, count + 1, double);
  if (at) memcpy(at, x.at, (size_t)count * sizeof *at);
  x.at = at;
  x.terms = NULL;
  return x;
}

/* The place of "==" or ">=" between the sides; -1: there is none. */
static int32_t find_relation(ZwStr check, bool* is_below) {
  for (int32_t i = 0; i + 1 < check.size; i++) {
    if (check.data[i + 1] != '=' || (check.data[i] != '=' && check.data[i] != '>')) continue;
    *is_below = check.data[i] == '>';
    return i;
  }
  return -1;
}

static void evaluate(Looking* looking, Quantities* quantities, ZwStr check, Checked* to) {
  Formulas formulas = {.arena = &looking->arena, .find = find_quantity, .context = quantities, .reason = ""};
  Matrix left, right;
  int32_t relation = find_relation(check, &to->is_below);
  if (relation < 0) {
    to->reason = "a check needs == or >=";
    return;
  }
  ZwStr sides[] = {{check.data, relation}, {check.data + relation + 2, check.size - relation - 2}};
  bool has_left = formula_value(&formulas, sides[0], &left);
  bool has_values = has_left && formula_value(&formulas, sides[1], &right);
  if (!has_values || left.rows != right.rows || left.columns != right.columns) {
    const char* why = has_values ? "the sides have different sizes" : formulas.reason;
    to->reason = zw_str_copy(looking->walk->arena, zw_str_from(why));
    return;
  }
  double difference = formula_apart(&looking->arena, &left, &right, to->is_below);
  if (!(difference <= to->difference)) to->difference = difference;
  if (!looking->is_first) return;
  to->left = kept(looking->walk->arena, left);
  to->right = kept(looking->walk->arena, right);
}

static ZwStatus look_at(void* context, const ZwFrameReport* frame) {
  Looking* looking = context;
  Quantities quantities = {.arena = &looking->arena,
                           .model = looking->model,
                           .run = looking->run,
                           .frame = frame,
                           .letters = looking->of->letters.items,
                           .letter_count = looking->of->letters.count};
  for (int32_t i = 0; i < looking->walk->paper.equations.count; i++) {
    const Equation* equation = &looking->walk->paper.equations.items[i];
    if (equation->example != looking->example) continue;
    for (int32_t k = 0; k < equation->checks.list.count; k++)
      evaluate(looking, &quantities, equation->checks.list.items[k], &looking->walk->checked[i][k]);
  }
  return looking->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* ---- states ---- */

static double draw(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* Start values near those of the model: all positions and velocities. */
static void depart(Looking* looking, const double* start, ZwRunChange* changes, int32_t n) {
  double largest[2] = {0, 0};
  for (int32_t i = 0; i < 2 * n; i++) largest[i >= n] = fmax(largest[i >= n], fabs(start[i]));
  for (int32_t i = 0; i < 2 * n; i++) {
    double size = largest[i >= n] > 0 ? largest[i >= n] : 1;
    changes[i] = (ZwRunChange){zw_model_column(looking->model, 1 + i),
                               start[i] + DEPARTURE * (fabs(start[i]) + 0.3 * size) * draw(&looking->seed)};
  }
}

static ZwStatus open_state(Looking* looking, const ZwRunChange* changes, int32_t count) {
  ZwRunDef def = zw_default_run_def();
  def.changes = changes;
  def.change_count = count;
  def.tolerance = looking->walk->options->tolerance;
  return zw_run_create(looking->model, &def, &looking->run);
}

/* An example that does not run at the time of --at is looked at where it starts. */
static void note_run(Looking* looking, const ZwReport* report) {
  Walk* walk = looking->walk;
  const char* name = zw_str_copy(walk->arena, looking->of->name);
  if (name) ZW_PUSH(walk->arena, &walk->at_start, ((AtStart){name, report->from, report->to}));
}

static ZwStatus compare_state(Looking* looking) {
  const Options* options = looking->walk->options;
  ZwFormulationReport reports[16];
  ZwCompareDef def = zw_default_compare_def();
  const ZwReport* report = zw_run_report(looking->run);
  double at = report->from;
  bool is_within = options->at_count > 0 && options->at[0] >= report->from && options->at[0] <= report->to;
  if (is_within) at = options->at[0];
  if (is_within)
    looking->walk->has_time = true;
  else if (options->at_count > 0 && looking->is_first)
    note_run(looking, report);
  def.times = &at;
  def.count = 1;
  def.frame = look_at;
  def.frames_only = true;
  def.context = looking;
  const Ask* ask = &looking->ask;
  int32_t parts = ZW_DETAIL_FORCES | ZW_DETAIL_PARTITION | ZW_DETAIL_BELLMAN | (ask->possible ? ZW_DETAIL_POSSIBLE : 0);
  def.detail = (ZwDetailDef){parts, ask->eliminate, ask->eliminate_count, ask->order, ask->order_count, ask->possible,
                             NULL,  false};
  int32_t instants;
  return zw_run_compare(looking->run, &def, reports, &instants);
}

/* One state: the run, its frame, all checks of the example. */
static ZwStatus look(Looking* looking, const ZwRunChange* changes, int32_t count) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&looking->arena, &allocator);
  ZwStatus status = open_state(looking, changes, count);
  if (!status) status = compare_state(looking);
  zw_arena_destroy(&looking->arena);
  return status;
}

static int look_at_random(Looking* looking, const double* start, int32_t n) {
  Walk* walk = looking->walk;
  ZwRunChange* changes = ZW_NEW(walk->arena, 2 * n + 1, ZwRunChange);
  if (!changes) return complain(walk->options, ZW_ERR_MEMORY, "out of memory");
  looking->is_first = false;
  for (int32_t state = 0; state < walk->options->random; state++) {
    ZwStatus status = ZW_ERR_DOMAIN;
    for (int attempt = 0; attempt < ATTEMPTS && status && status != ZW_ERR_MEMORY; attempt++) {
      depart(looking, start, changes, n);
      status = look(looking, changes, 2 * n);
      zw_run_destroy(looking->run);
      looking->run = NULL;
    }
    if (status)
      return complain(walk->options, status, "%.*s: no random state near its start satisfies the constraints",
                      ZW_STR_ARGS(looking->of->name));
  }
  return EXIT_FINE;
}

/* ---- an example ---- */

/* Options that choose columns and the like are those of the paper; it is a mistake of ours if they cannot be read. */
static int read_choices(Looking* looking) {
  Options options = *looking->walk->options;
  ZwArena* arena = looking->walk->arena;
  const Example* of = looking->of;
  options.eliminate = of->eliminate.size ? zw_str_copy(arena, of->eliminate) : NULL;
  options.order = of->order.size ? zw_str_copy(arena, of->order) : NULL;
  options.possible = of->possible.size ? zw_str_copy(arena, of->possible) : NULL;
  options.displacement = NULL;
  options.letters = NULL; /* of the page, not of tables */
  return read_ask(&options, looking->model, arena, &looking->ask);
}

static int look_at_example(Looking* looking) {
  int exit_code = read_choices(looking);
  if (exit_code) return exit_code;
  ZwStatus status = look(looking, NULL, 0);
  if (status) {
    print_refused(looking->walk->options, looking->model, looking->run, status);
    return exit_status(status, false);
  }
  if (looking->walk->options->random == 0) return EXIT_FINE;
  int32_t n = zw_model_coordinate_count(looking->model);
  double* start = ZW_NEW(looking->walk->arena, 2 * n + 1, double);
  if (!start) return complain(looking->walk->options, ZW_ERR_MEMORY, "out of memory");
  ZwRun* first = NULL;
  ZwRunDef def = zw_default_run_def();
  double* row = NULL;
  status = zw_run_create(looking->model, &def, &first);
  if (!status) row = ZW_NEW(looking->walk->arena, zw_run_column_count(first) + 1, double);
  if (row) status = zw_run_read(first, row);
  if (row && !status) memcpy(start, row + 1, (size_t)(2 * n) * sizeof *start);
  zw_run_destroy(first);
  zw_run_destroy(looking->run);
  looking->run = NULL;
  return status ? exit_status(status, false) : look_at_random(looking, start, n);
}

static ZwStatus compile_text(const Walk* walk, const ZwLibraryText* text, const ZwSet* sets, int32_t count,
                             ZwModel** model) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text->text;
  def.size = text->size;
  def.name = text->name;
  def.sets = sets;
  def.set_count = count;
  def.limits = walk->options->limits;
  def.kernel = "interpret";
  return zw_model_compile(&def, model);
}

static bool has_parameter(const ZwRun* run, const char* name) {
  for (int32_t i = 0; i < zw_run_parameter_count(run); i++) {
    if (strcmp(zw_run_parameter(run, i).name, name) == 0) return true;
  }
  return false;
}

/* Those of --set that are parameters of this model: a paper has several, each with its own. */
static int32_t own_sets(Walk* walk, const ZwLibraryText* text, ZwSet* own) {
  const Options* options = walk->options;
  ZwModel* model = NULL;
  ZwRun* run = NULL;
  ZwRunDef def = zw_default_run_def();
  int32_t count = 0;
  bool is_there = options->set_count > 0 && compile_text(walk, text, NULL, 0, &model) == ZW_OK &&
                  zw_run_create(model, &def, &run) == ZW_OK;
  for (int32_t i = 0; is_there && i < options->set_count; i++) {
    if (!has_parameter(run, options->sets[i].name)) continue;
    own[count++] = options->sets[i];
    walk->is_set[i] = true;
  }
  zw_run_destroy(run);
  zw_model_destroy(model);
  return count;
}

static ZwModel* compile_example(Walk* walk, const Example* of, int* exit_code) {
  const ZwLibraryText* text = find_example(of->name);
  ZwModel* model = NULL;
  ZwSet sets[SETS_MAX];
  *exit_code = EXIT_FINE;
  if (!text) {
    *exit_code =
        complain(walk->options, ZW_ERR_NAME, "the paper's example '%.*s' does not exist", ZW_STR_ARGS(of->name));
    return NULL;
  }
  ZwStatus status = compile_text(walk, text, sets, own_sets(walk, text, sets), &model);
  if (!status) return model;
  if (model)
    print_refused(walk->options, model, NULL, status);
  else
    complain(walk->options, status, "%s", zw_status_text(status));
  zw_model_destroy(model);
  *exit_code = exit_status(status, false);
  return NULL;
}

static int check_sets(const Walk* walk) {
  const Options* options = walk->options;
  for (int32_t i = 0; i < options->set_count; i++) {
    if (!walk->is_set[i])
      return complain(options, ZW_ERR_NAME,
                      "no model of %s has a parameter '%s' to set; 'zwang paper %s --model' prints them", options->file,
                      options->sets[i].name, options->file);
  }
  return EXIT_FINE;
}

/* A time that no example has is refused before anything is printed. */
static int check_time(const Walk* walk) {
  if (walk->options->at_count == 0 || walk->has_time) return EXIT_FINE;
  ZwText runs;
  zw_text_init(&runs, walk->arena);
  for (int32_t i = 0; i < walk->at_start.count; i++) {
    const AtStart* run = &walk->at_start.items[i];
    zw_text_addf(&runs, "%s%s %.6g .. %.6g", i ? ", " : "", run->name, run->from, run->to);
  }
  return complain(walk->options, ZW_ERR_ARGUMENT, "--at %.9g is not within the run of any example of %s: %s",
                  walk->options->at[0], walk->options->file, zw_text_get(&runs));
}

static bool make_room(Walk* walk) {
  int32_t count = walk->paper.equations.count;
  walk->checked = ZW_NEW(walk->arena, count + 1, Checked*);
  for (int32_t i = 0; walk->checked && i < count; i++) {
    int32_t checks = walk->paper.equations.items[i].checks.list.count;
    walk->checked[i] = ZW_NEW(walk->arena, checks + 1, Checked);
    for (int32_t k = 0; walk->checked[i] && k < checks; k++) walk->checked[i][k].reason = "";
  }
  return !walk->arena->failed;
}

int check_paper(Walk* walk) {
  if (!make_room(walk)) return complain(walk->options, ZW_ERR_MEMORY, "out of memory");
  walk->states = 1 + (int32_t)walk->options->random;
  for (int32_t i = 0; i < walk->paper.examples.count; i++) {
    int exit_code;
    Looking looking = {.walk = walk, .example = i, .of = &walk->paper.examples.items[i], .seed = 1, .is_first = true};
    looking.model = compile_example(walk, looking.of, &exit_code);
    if (looking.model) exit_code = look_at_example(&looking);
    zw_run_destroy(looking.run);
    zw_model_destroy(looking.model);
    if (exit_code) return exit_code;
  }
  if (walk->arena->failed) return complain(walk->options, ZW_ERR_MEMORY, "out of memory");
  int exit_code = check_sets(walk);
  return exit_code ? exit_code : check_time(walk);
}
