/* What goes into the HDF5 file of a run: its rows by name, and everything that is needed to make them again. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "cli/cli.h"
#include "output/hdf5.h"

enum { ATTRIBUTES_MAX = 48 };

typedef struct Contents {
  const Options* options;
  const ZwModel* model;
  ZwRun* run;
  const Varied* varied;
  ZwArena arena;
  ZW_ARRAY(ZwHdf5Column) columns;
  ZW_ARRAY(ZwHdf5Number) numbers;
  ZW_ARRAY(ZwHdf5Text) texts;
  ZwHdf5Attribute attributes[ATTRIBUTES_MAX];
  int32_t attribute_count;
} Contents;

/* ---- columns ---- */

/* The four columns of evidence, before the derivatives. */
static const char* const evidence_names[] = {"phi", "phidot", "energy", "work"};

/* "reaction(pin)" -> "pin" */
static const char* reaction_of(ZwArena* arena, const char* name) {
  static const char lead[] = "reaction(";
  int32_t size = (int32_t)strlen(name), begin = (int32_t)strlen(lead);
  if (size <= begin || strncmp(name, lead, (size_t)begin) != 0) return name;
  return zw_str_copy(arena, (ZwStr){name + begin, size - begin - 1});
}

/* By what, and of what: a velocity keeps its name there. */
static ZwHdf5Place place_of_derivative(Contents* contents, int32_t column) {
  const char* group = zw_format(&contents->arena, "sensitivities/%s", varied_by(contents->varied, column));
  return (ZwHdf5Place){group ? group : "", zw_run_column(contents->run, varied_of(contents->varied, column))};
}

/* Columns of a run: t, coordinates, velocities, outputs, multipliers, forces, evidence, derivatives. */
static ZwHdf5Place place_of(Contents* contents, int32_t column) {
  const ZwModel* model = contents->model;
  const char* name = zw_run_column(contents->run, column);
  int32_t n = zw_model_coordinate_count(model), own = zw_model_column_count(model);
  int32_t evidence = varied_first(contents->varied) - (int32_t)(sizeof evidence_names / sizeof *evidence_names);
  if (column == 0) return (ZwHdf5Place){"", "t"};
  if (column <= n) return (ZwHdf5Place){"q", name};
  if (column <= 2 * n) return (ZwHdf5Place){"v", zw_model_column(model, column - n)};
  if (column < own) return (ZwHdf5Place){"outputs", name};
  if (varied_of(contents->varied, column) > 0) return place_of_derivative(contents, column);
  if (column >= evidence) return (ZwHdf5Place){"evidence", evidence_names[column - evidence]};
  const ZwReport* report = zw_run_report(contents->run);
  if (column < own + report->m + report->contacts) { /* a contact has a reaction too */
    return (ZwHdf5Place){"reactions", reaction_of(&contents->arena, name)};
  }
  return (ZwHdf5Place){"forces", name};
}

static void add_columns(Contents* contents, const int32_t* columns, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    ZwHdf5Column column = {zw_run_column(contents->run, columns[i]), place_of(contents, columns[i])};
    (void)ZW_PUSH(&contents->arena, &contents->columns, column);
  }
}

/* ---- texts and parameters ---- */

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The model's own text, and what it used; values of --set are among the parameters. */
static void add_texts(Contents* contents) {
  for (int32_t i = 0; i < zw_model_text_count(contents->model); i++) {
    ZwModelText used = zw_model_text(contents->model, i);
    if (i > 0 && strncmp(used.name, "--set ", 6) == 0) continue;
    ZwHdf5Place place = {i == 0 ? "model" : "model/files", i == 0 ? "text" : base_name(used.name)};
    ZwHdf5Text text = {place, used.text, used.name};
    (void)ZW_PUSH(&contents->arena, &contents->texts, text);
  }
}

static void add_parameters(Contents* contents) {
  for (int32_t i = 0; i < zw_run_parameter_count(contents->run); i++) {
    ZwParameter parameter = zw_run_parameter(contents->run, i);
    ZwHdf5Number number = {{"parameters", parameter.name}, parameter.value};
    (void)ZW_PUSH(&contents->arena, &contents->numbers, number);
  }
}

/* ---- attributes ---- */

static void add(Contents* contents, ZwHdf5Attribute attribute) {
  if (contents->attribute_count < ATTRIBUTES_MAX) contents->attributes[contents->attribute_count++] = attribute;
}

static void add_text(Contents* contents, const char* name, const char* text) {
  add(contents, (ZwHdf5Attribute){.name = name, .text = text ? text : ""});
}

static void add_number(Contents* contents, const char* name, double number) {
  add(contents, (ZwHdf5Attribute){.name = name, .number = number});
}

static void add_whole(Contents* contents, const char* name, int64_t number) {
  add(contents, (ZwHdf5Attribute){.name = name, .number = (double)number, .is_whole = true});
}

/* A quote cannot stand inside quotes: it comes between two pieces. */
static void add_argument(ZwText* text, const char* argument, bool is_plain) {
  zw_text_addf(text, is_plain ? " " : " '");
  for (; *argument; argument++) zw_text_addf(text, *argument == '\'' ? "'\\''" : "%c", *argument);
  zw_text_addf(text, is_plain ? "" : "'");
}

/* What was typed, in quotes where a shell needs them. */
static const char* command_line(Contents* contents) {
  ZwText text;
  zw_text_init(&text, &contents->arena);
  zw_text_addf(&text, "zwang");
  for (int32_t i = 0; i < contents->options->argument_count; i++) {
    const char* argument = contents->options->arguments[i];
    bool is_plain = argument[0] && strspn(argument,
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "+-_./=:,%@") == strlen(argument);
    add_argument(&text, argument, is_plain);
  }
  return zw_text_get(&text);
}

/* One line each. */
static const char* notes_of(Contents* contents) {
  ZwText text;
  zw_text_init(&text, &contents->arena);
  int32_t first = zw_model_diag_count(contents->model), count = first + zw_run_diag_count(contents->run);
  for (int32_t i = 0; i < count; i++) {
    const ZwDiag* diag = i < first ? zw_model_diag(contents->model, i) : zw_run_diag(contents->run, i - first);
    if (diag->line > 0) zw_text_addf(&text, "%s:%d:%d: ", diag->file, (int)diag->line, (int)diag->column);
    zw_text_addf(&text, "%s\n", diag->text);
  }
  return zw_text_get(&text);
}

/* What events gave: a line for each name, with the energy, how often, and the name. */
static const char* shares_of(Contents* contents, const ZwReport* report) {
  ZwText text;
  zw_text_init(&text, &contents->arena);
  for (int32_t i = 0; i < report->energy_share_count; i++) {
    const ZwEnergyShare* share = &report->energy_shares[i];
    zw_text_addf(&text, "%.17g %lld %s\n", share->energy, (long long)share->count, share->name);
  }
  return zw_text_get(&text);
}

/* A line for each reason, with its remedy. */
static const char* doubts_of(Contents* contents, const ZwReport* report) {
  ZwText text;
  zw_text_init(&text, &contents->arena);
  for (int32_t i = 0; i < report->doubt_count; i++) {
    const ZwDoubt* doubt = &report->doubts[i];
    zw_text_addf(&text, "%s: %s; %s\n", doubt->about, doubt->reason, doubt->remedy);
  }
  return zw_text_get(&text);
}

/* A line for each claim: whether it holds, how far it is off, what is allowed, when, and the name. */
static const char* claims_of(Contents* contents, const ZwReport* report) {
  ZwText text;
  zw_text_init(&text, &contents->arena);
  for (int32_t i = 0; i < report->claim_count; i++) {
    const ZwClaimReport* claim = &report->claims[i];
    zw_text_addf(&text, "%s %.17g %.17g %.17g %s\n", claim->holds ? "holds" : "fails", claim->worst, claim->allowed,
                 claim->t, claim->name);
  }
  return zw_text_get(&text);
}

/* What the run was asked for. */
static void add_settings(Contents* contents, const ZwReport* report, const char* name) {
  add_text(contents, "zwang", zw_version());
  add_text(contents, "model", name);
  add_text(contents, "command", command_line(contents));
  add_number(contents, "from", report->from);
  add_number(contents, "to", report->to);
  add_number(contents, "every", report->every);
  add_number(contents, "tolerance", report->tolerance);
  add_text(contents, "integrator", report->integrator);
  add_number(contents, "step", report->step);
  add_text(contents, "formulation", report->formulation);
  add_text(contents, "kernel", report->kernel);
  add_text(contents, "conserve", report->is_energy_held ? "energy" : "");
  add_whole(contents, "seed", 0); /* of the arbitrary parts of the papers' inverses; nothing else is drawn */
}

/* How it went. */
static void add_evidence(Contents* contents, const ZwReport* report) {
  add_whole(contents, "coordinates", report->n);
  add_whole(contents, "constraints", report->m);
  add_whole(contents, "rank", report->rank);
  add_whole(contents, "degrees_of_freedom", report->dof);
  add_whole(contents, "rows", report->rows);
  add_whole(contents, "steps", report->steps);
  add_whole(contents, "rejected", report->rejected);
  add_whole(contents, "evaluations", report->evaluations);
  add_whole(contents, "jacobians", report->jacobians);
  add_number(contents, "stiff_from", report->stiff_from);
  add_whole(contents, "events", report->events);
  add_whole(contents, "contacts", report->contacts);
  add_whole(contents, "impacts", report->impacts);
  add_whole(contents, "stopped", report->is_stopped);
  add_whole(contents, "singular", report->singular);
  add_number(contents, "phi_max", report->phi_max);
  add_number(contents, "phidot_max", report->phidot_max);
  add_text(contents, "energy", energy_word(report));
  add_number(contents, "energy_start", report->energy_start);
  add_number(contents, "energy_drift", report->energy_drift);
  add_number(contents, "energy_exchanged", report->energy_exchanged);
  add_number(contents, "energy_events", report->energy_events);
  add_text(contents, "per_event", shares_of(contents, report));
  add_text(contents, "verdict", trust_word(report->verdict));
  add_text(contents, "doubts", doubts_of(contents, report));
  if (report->claim_count > 0) add_text(contents, "claims", claims_of(contents, report));
  if (report->varied_count > 0) {
    add_number(contents, "sensitivity_drift", report->sensitivity_drift);
    add_whole(contents, "sensitivity_steps", report->sensitivity_steps);
    add_whole(contents, "sensitivity_evaluations", report->sensitivity_evaluations);
  }
  add_text(contents, "notes", notes_of(contents));
}

bool write_hdf5(const Options* options, const ZwModel* model, ZwRun* run, const char* path, const char* journal,
                const int32_t* columns, int32_t column_count, const Varied* varied, const Contacts* contacts,
                char error[ZW_DRAFT_ERROR]) {
  ZwAllocator allocator = zw_allocator_default();
  Contents contents = {.options = options, .model = model, .run = run, .varied = varied};
  const ZwReport* report = zw_run_report(run);
  char* name = model_name(options->file);
  zw_arena_init(&contents.arena, &allocator);
  add_columns(&contents, columns, column_count);
  add_texts(&contents);
  add_parameters(&contents);
  add_settings(&contents, report, name);
  add_evidence(&contents, report);
  ZwStatus status = ZW_ERR_MEMORY;
  if (contents.arena.failed || !name) {
    zw_snprintf(error, ZW_DRAFT_ERROR, "out of memory");
  } else {
    ZwHdf5Result result = {.path = path,
                           .journal = journal,
                           .rows = report->rows,
                           .columns = contents.columns.items,
                           .column_count = contents.columns.count,
                           .numbers = contents.numbers.items,
                           .number_count = contents.numbers.count,
                           .texts = contents.texts.items,
                           .text_count = contents.texts.count,
                           .attributes = contents.attributes,
                           .attribute_count = contents.attribute_count};
    if (contacts) {
      result.contacts = contacts_part(contacts);
      result.contact_rows = contacts_rows(contacts);
      result.contact_names = contacts_names(contacts);
      result.contact_count = contacts_count(contacts);
    }
    status = zw_hdf5_write(&result, &allocator, error);
  }
  zw_arena_destroy(&contents.arena);
  free(name);
  return status == ZW_OK;
}
