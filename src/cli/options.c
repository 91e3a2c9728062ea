#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef enum OptionKind {
  OPTION_FLAG,
  OPTION_NUMBER,
  OPTION_SECONDS,
  OPTION_TEXT,
  OPTION_SET,
  OPTION_LIMIT,
  OPTION_INSTANTS,
  OPTION_COLUMNS,
  OPTION_VARIED,
  OPTION_WHOLE,
  OPTION_OVER,
  OPTION_DRAW,
  OPTION_LOG,
  OPTION_THEME,
  OPTION_STILL
} OptionKind;

typedef struct OptionRule {
  const char* name;
  OptionKind kind;
  size_t offset; /* in Options */
  const char* for_commands;
} OptionRule;

static const OptionRule rules[] = {
    {"--to", OPTION_NUMBER, offsetof(Options, to), "run sweep check compare bench animate"},
    {"--every", OPTION_NUMBER, offsetof(Options, every), "run sweep check bench forces"},
    {"--tolerance", OPTION_NUMBER, offsetof(Options, tolerance),
     "run sweep check compare bench animate linearize forces"},
    {"--formulation", OPTION_TEXT, offsetof(Options, formulation), "run sweep bench animate least"},
    {"--integrator", OPTION_TEXT, offsetof(Options, integrator), "run sweep check compare bench animate linearize"},
    {"--kernel", OPTION_TEXT, offsetof(Options, kernel), "run sweep check compare bench animate"},
    {"--step", OPTION_NUMBER, offsetof(Options, step), "run sweep check animate"},
    {"--conserve", OPTION_TEXT, offsetof(Options, conserve_energy), "run sweep animate"},
    {"--forces", OPTION_FLAG, offsetof(Options, forces), "run"},
    {"--force", OPTION_TEXT, offsetof(Options, stated_force), "check"},
    {"--evidence", OPTION_FLAG, offsetof(Options, evidence), "run"},
    {"--strict", OPTION_FLAG, offsetof(Options, strict), "run sweep"},
    {"--sensitivity", OPTION_VARIED, 0, "run"},
    {"--gradient", OPTION_TEXT, offsetof(Options, gradient), "run"},
    {"--format", OPTION_TEXT, offsetof(Options, wants_h5), "run"},
    {"--resume", OPTION_FLAG, offsetof(Options, resume), "run sweep"},
    {"--checkpoint", OPTION_SECONDS, offsetof(Options, checkpoint), "run"},
    {"--over", OPTION_OVER, 0, "sweep linearize"},
    {"--draw", OPTION_DRAW, 0, "sweep"},
    {"--count", OPTION_WHOLE, offsetof(Options, count), "sweep"},
    {"--seed", OPTION_TEXT, offsetof(Options, seed), "sweep"},
    {"--threads", OPTION_WHOLE, offsetof(Options, threads), "sweep"},
    {"--equilibrium", OPTION_FLAG, offsetof(Options, equilibrium), "linearize"},
    {"--steady", OPTION_FLAG, offsetof(Options, steady), "linearize"},
    {"--anywhere", OPTION_FLAG, offsetof(Options, anywhere), "linearize"},
    {"--motion", OPTION_TEXT, offsetof(Options, motion), "forces"},
    {"--by", OPTION_TEXT, offsetof(Options, by), "forces"},
    {"--within", OPTION_NUMBER, offsetof(Options, within), "forces"},
    {"--at", OPTION_INSTANTS, 0, "compare linearize paper"},
    {"--show", OPTION_TEXT, offsetof(Options, show), "compare least"},
    {"--eliminate", OPTION_TEXT, offsetof(Options, eliminate), "run compare least derive"},
    {"--displacement", OPTION_TEXT, offsetof(Options, displacement), "compare least"},
    {"--order", OPTION_TEXT, offsetof(Options, order), "compare least derive"},
    {"--possible", OPTION_TEXT, offsetof(Options, possible), "compare least"},
    {"--full", OPTION_FLAG, offsetof(Options, full), "compare least"},
    {"--out", OPTION_TEXT, offsetof(Options, out), "run sweep plot examples animate export linearize forces"},
    {"--lib", OPTION_TEXT, offsetof(Options, lib),
     "run sweep check compare dump derive bench animate export linearize forces"},
    {"--allow-path", OPTION_TEXT, offsetof(Options, allow_path),
     "run sweep check compare dump derive bench animate export linearize forces"},
    {"--limit", OPTION_LIMIT, 0, "run sweep check compare dump derive bench animate export linearize forces"},
    {"--stage", OPTION_TEXT, offsetof(Options, stage), "dump"},
    {"--set", OPTION_SET, 0, "run sweep check compare dump derive bench animate export linearize forces paper"},
    {"--json", OPTION_FLAG, offsetof(Options, json),
     "run sweep check compare least plot examples derive bench animate export linearize forces paper"},
    {"--quiet", OPTION_FLAG, offsetof(Options, quiet),
     "run sweep check compare least plot derive animate export linearize forces paper"},
    {"-q", OPTION_FLAG, offsetof(Options, quiet),
     "run sweep check compare least plot derive animate export linearize forces paper"},
    {"--write", OPTION_FLAG, offsetof(Options, write), "fmt"},
    {"-w", OPTION_FLAG, offsetof(Options, write), "fmt"},
    {"--check", OPTION_FLAG, offsetof(Options, check), "fmt"},
    {"--copy", OPTION_FLAG, offsetof(Options, copy), "examples"},
    {"--latex", OPTION_FLAG, offsetof(Options, latex), "derive paper"},
    {"--model", OPTION_FLAG, offsetof(Options, model), "paper"},
    {"--random", OPTION_NUMBER, offsetof(Options, random), "paper"},
    {"--explicit", OPTION_FLAG, offsetof(Options, explicit_), "derive"},
    {"--partition", OPTION_FLAG, offsetof(Options, partition), "derive"},
    {"--letters", OPTION_TEXT, offsetof(Options, letters), "derive compare least paper"},
    {"--bellman", OPTION_FLAG, offsetof(Options, bellman), "derive"},
    {"--all", OPTION_FLAG, offsetof(Options, all), "derive"},
    {"--output", OPTION_TEXT, offsetof(Options, output), "run derive plot animate export forces paper"},
    {"-o", OPTION_TEXT, offsetof(Options, output), "run derive plot animate export forces paper"},
    {"--c", OPTION_FLAG, offsetof(Options, as_c), "export"},
    {"--compact", OPTION_FLAG, offsetof(Options, compact), "export"},
    {"--name", OPTION_TEXT, offsetof(Options, name), "export"},
    {"--columns", OPTION_COLUMNS, 0, "plot"},
    {"--against", OPTION_TEXT, offsetof(Options, against), "plot"},
    {"--from", OPTION_NUMBER, offsetof(Options, from), "animate"},
    {"--fps", OPTION_NUMBER, offsetof(Options, fps), "animate"},
    {"--speed", OPTION_NUMBER, offsetof(Options, speed), "animate"},
    {"--still", OPTION_STILL, 0, "animate"},
    {"--view", OPTION_TEXT, offsetof(Options, view), "animate"},
    {"--together", OPTION_FLAG, offsetof(Options, together), "plot"},
    {"--equal", OPTION_FLAG, offsetof(Options, equal), "plot"},
    {"--log", OPTION_LOG, 0, "plot"},
    {"--theme", OPTION_THEME, 0, "run plot animate linearize forces"},
    {"--sketch", OPTION_FLAG, offsetof(Options, sketch), "run plot"},
    {"--open", OPTION_FLAG, offsetof(Options, open), "plot animate"},
    {"--record", OPTION_TEXT, offsetof(Options, record_all), "run sweep"},
};

static bool allows(const OptionRule* rule, const char* command) {
  const char* found = strstr(rule->for_commands, command);
  return found != NULL && strlen(command) > 0;
}

const char* command_option(const char* command, int i, bool* takes_value) {
  for (int k = 0; k < (int)(sizeof rules / sizeof *rules); k++) {
    if (!allows(&rules[k], command) || i-- > 0) continue;
    *takes_value = rules[k].kind != OPTION_FLAG;
    return rules[k].name;
  }
  return NULL;
}

static const OptionRule* find_rule(const char* name, size_t size) {
  for (int i = 0; i < (int)(sizeof rules / sizeof *rules); i++) {
    if (strlen(rules[i].name) == size && strncmp(rules[i].name, name, size) == 0) return &rules[i];
  }
  return NULL;
}

/* What was probably meant: an option cut short (--tol), else the one with the fewest letters wrong. */
static const char* nearest_option(const char* name, size_t size) {
  ZwStr wrong = {name, (int32_t)size};
  const char* nearest = NULL;
  int32_t least = 3;
  if (size < 4) return NULL; /* "-x" and "--" are near to everything */
  for (int i = 0; i < (int)(sizeof rules / sizeof *rules); i++) {
    if (strncmp(rules[i].name, name, size) == 0) return rules[i].name;
    int32_t distance = zw_str_distance(wrong, zw_str_from(rules[i].name), 2);
    if (distance >= least) continue;
    least = distance;
    nearest = rules[i].name;
  }
  return nearest;
}

static int read_number(const Options* options, const char* name, const char* text, double* number) {
  if (!zw_number_is(text, number) || !isfinite(*number)) {
    return complain(options, ZW_ERR_ARGUMENT, "%s needs a number, not '%s'", name, text);
  }
  return EXIT_FINE;
}

static int read_seconds(const Options* options, const char* name, const char* text, double* number) {
  int exit_code = read_number(options, name, text, number);
  if (exit_code || *number >= 0) return exit_code;
  return complain(options, ZW_ERR_ARGUMENT, "%s needs a number of seconds, not '%s'", name, text);
}

/* 1 or more; what is too many is for the command to say */
static int read_whole(const Options* options, const char* name, const char* text, double* number) {
  if (zw_number_is(text, number) && *number >= 1 && *number < 1e15 && *number == floor(*number)) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT, "%s needs a whole number, 1 or more, not '%s'", name, text);
}

static int read_axis(Options* options, const char* text, bool is_drawn) {
  if (options->axis_count == SETS_MAX) {
    return complain(options, ZW_ERR_LIMIT, "more than %d --over and --draw options", (int)SETS_MAX);
  }
  options->axes[options->axis_count++] = (AxisText){text, is_drawn};
  return EXIT_FINE;
}

static bool is_set(const Options* options, const char* name, size_t size) {
  for (int32_t i = 0; i < options->set_count; i++) {
    const char* known = options->sets[i].name;
    if (strlen(known) == size && memcmp(known, name, size) == 0) return true;
  }
  return false;
}

static int read_set(Options* options, const char* text) {
  const char* equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    return complain(options, ZW_ERR_ARGUMENT, "--set needs name=value, as in --set m=2.5, not '%s'", text);
  }
  if (is_set(options, text, (size_t)(equals - text))) {
    return complain(options, ZW_ERR_ARGUMENT, "'%.*s' is set twice; leave one --set out", (int)(equals - text), text);
  }
  if (options->set_count == SETS_MAX) {
    return complain(options, ZW_ERR_LIMIT, "more than %d --set options", (int)SETS_MAX);
  }
  char* name = calloc((size_t)(equals - text) + 1, 1);
  if (!name) return complain(options, ZW_ERR_MEMORY, "out of memory");
  memcpy(name, text, (size_t)(equals - text));
  options->sets[options->set_count++] = (ZwSet){name, equals + 1};
  return EXIT_FINE;
}

/* --limit memory=8e9, iterations=1e9, nesting=1000 */
static int read_limit(Options* options, const char* text) {
  const char* equals = strchr(text, '=');
  size_t size = equals ? (size_t)(equals - text) : strlen(text);
  double value = 0;
  bool is_number = equals && zw_number_is(equals + 1, &value) && value >= 1 && value <= 1e15;
  if (is_number && strncmp(text, "memory", size) == 0 && size == 6) {
    options->limits.memory = (size_t)value;
  } else if (is_number && strncmp(text, "iterations", size) == 0 && size == 10) {
    options->limits.iterations = (int64_t)value;
  } else if (is_number && strncmp(text, "nesting", size) == 0 && size == 7) {
    options->limits.nesting = (int32_t)(value < 1e6 ? value : 1e6);
  } else {
    return complain(options, ZW_ERR_ARGUMENT,
                    "--limit knows memory=BYTES, iterations=NUMBER and nesting=NUMBER, not '%s'", text);
  }
  return EXIT_FINE;
}

/* --at 0.5, or --at 0,0.5,1; they are put in order */
static int read_instants(Options* options, const char* text) {
  for (const char* at = text;;) {
    const char* end = at + strcspn(at, ",");
    double value;
    if (!zw_number_fills(at, end - at, &value) || !isfinite(value)) {
      return complain(options, ZW_ERR_ARGUMENT,
                      "--at needs a time, or several with commas, as in --at 0,0.5,1, not '%s'", text);
    }
    if (options->at_count == INSTANTS_MAX) {
      return complain(options, ZW_ERR_LIMIT, "more than %d instants", (int)INSTANTS_MAX);
    }
    int32_t i = options->at_count++;
    for (; i > 0 && options->at[i - 1] > value; i--) options->at[i] = options->at[i - 1];
    options->at[i] = value;
    if (!*end) return EXIT_FINE;
    at = end + 1;
  }
}

static int read_columns(Options* options, const char* text) {
  if (options->column_count == COLUMNS_MAX) {
    return complain(options, ZW_ERR_LIMIT, "more than %d --columns options", (int)COLUMNS_MAX);
  }
  options->columns[options->column_count++] = text;
  return EXIT_FINE;
}

static int add_varied(Options* options, const char* from, size_t size) {
  if (options->varied_count == SETS_MAX) {
    return complain(options, ZW_ERR_LIMIT, "more than %d names for --sensitivity", (int)SETS_MAX);
  }
  char* name = calloc(size + 1, 1);
  if (!name) return complain(options, ZW_ERR_MEMORY, "out of memory");
  memcpy(name, from, size);
  options->varied[options->varied_count++] = name;
  return EXIT_FINE;
}

/* --sensitivity m,l,start.x; a comma inside brackets belongs to a name */
static int read_varied(Options* options, const char* text) {
  int depth = 0;
  for (const char *from = text, *at = text;; at++) {
    if (*at == '(' || *at == '[') depth++;
    if (*at == ')' || *at == ']') depth--;
    if (*at && (*at != ',' || depth > 0)) continue;
    const char* end = at;
    while (*from == ' ') from++;
    while (end > from && end[-1] == ' ') end--;
    if (end == from) {
      return complain(options, ZW_ERR_ARGUMENT,
                      "--sensitivity needs names with commas between them, as in --sensitivity m,start.x, not '%s'",
                      text);
    }
    int exit_code = add_varied(options, from, (size_t)(end - from));
    if (exit_code || !*at) return exit_code;
    from = at + 1;
  }
}

/* --format csv, h5 or both; an HDF5 file is to be complete */
static int read_format(Options* options, const char* text) {
  bool has_csv = strcmp(text, "csv") == 0, has_h5 = strcmp(text, "h5") == 0;
  if (strcmp(text, "csv,h5") == 0 || strcmp(text, "h5,csv") == 0) has_csv = has_h5 = true;
  if (!has_csv && !has_h5) {
    return complain(options, ZW_ERR_ARGUMENT, "--format knows csv, h5 and csv,h5, not '%s'", text);
  }
  options->wants_csv = has_csv;
  options->wants_h5 = has_h5;
  if (has_h5) options->forces = options->evidence = true;
  return EXIT_FINE;
}

/* --still, or --still 2.5 */
static int read_still(Options* options, const char* text) {
  options->still = true;
  return text ? read_number(options, "--still", text, &options->still_at) : EXIT_FINE;
}

static int read_log(Options* options, const char* text) {
  options->log_across = strcmp(text, "x") == 0 || strcmp(text, "xy") == 0;
  options->log_up = strcmp(text, "y") == 0 || strcmp(text, "xy") == 0;
  if (options->log_across || options->log_up) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT, "--log knows x (the axis below), y (the one on the left) and xy, not '%s'",
                  text);
}

static int read_theme(Options* options, const char* text) {
  if (zw_theme_find(text, &options->theme)) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT, "--theme knows light, dark and auto, not '%s'", text);
}

static int apply(Options* options, const OptionRule* rule, const char* value) {
  char* field = (char*)options + rule->offset;
  switch (rule->kind) {
    case OPTION_FLAG:
      *(bool*)field = true;
      return EXIT_FINE;
    case OPTION_NUMBER:
      return read_number(options, rule->name, value, (double*)field);
    case OPTION_SECONDS:
      return read_seconds(options, rule->name, value, (double*)field);
    case OPTION_SET:
      return read_set(options, value);
    case OPTION_LIMIT:
      return read_limit(options, value);
    case OPTION_INSTANTS:
      return read_instants(options, value);
    case OPTION_COLUMNS:
      return read_columns(options, value);
    case OPTION_VARIED:
      return read_varied(options, value);
    case OPTION_WHOLE:
      return read_whole(options, rule->name, value, (double*)field);
    case OPTION_OVER:
    case OPTION_DRAW:
      return read_axis(options, value, rule->kind == OPTION_DRAW);
    case OPTION_STILL:
      return read_still(options, value);
    case OPTION_LOG:
      return read_log(options, value);
    case OPTION_THEME:
      return read_theme(options, value);
    case OPTION_TEXT:
      break;
  }
  if (strcmp(rule->name, "--record") == 0) {
    if (strcmp(value, "all") != 0) return complain(options, ZW_ERR_ARGUMENT, "--record knows 'all', not '%s'", value);
    options->record_all = true;
  } else if (strcmp(rule->name, "--format") == 0) {
    return read_format(options, value);
  } else if (strcmp(rule->name, "--conserve") == 0) {
    if (strcmp(value, "energy") != 0)
      return complain(options, ZW_ERR_ARGUMENT, "--conserve knows 'energy', not '%s'", value);
    options->conserve_energy = true;
  } else {
    *(const char**)field = value;
    if (strcmp(rule->name, "--out") == 0) options->has_out = true;
  }
  return EXIT_FINE;
}

static bool is_number(const char* text) {
  double value;
  return zw_number_is(text, &value);
}

/* --name value, --name=value, or a flag; *at moves over what was read */
static int read_option(Options* options, int argc, char** argv, int* at) {
  const char* text = argv[*at];
  const char* equals = strchr(text, '=');
  size_t size = equals && strncmp(text, "--", 2) == 0 ? (size_t)(equals - text) : strlen(text);
  const OptionRule* rule = find_rule(text, size);
  if (!rule) {
    const char* nearest = nearest_option(text, size);
    return complain(options, ZW_ERR_ARGUMENT, "unknown option '%.*s'%s%s%s", (int)size, text,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  if (!allows(rule, options->command)) {
    return complain(options, ZW_ERR_ARGUMENT, "'zwang %s' has no option '%s'", options->command, rule->name);
  }
  if (rule->kind == OPTION_FLAG) {
    if (text[size]) return complain(options, ZW_ERR_ARGUMENT, "'%s' takes no value", rule->name);
    return apply(options, rule, NULL);
  }
  if (text[size]) return apply(options, rule, text + size + 1);
  /* its value may be left out */
  if (rule->kind == OPTION_STILL && (*at + 1 >= argc || !is_number(argv[*at + 1]))) return apply(options, rule, NULL);
  if (*at + 1 >= argc) return complain(options, ZW_ERR_ARGUMENT, "%s needs a value", rule->name);
  return apply(options, rule, argv[++*at]);
}

static bool is_help(const char* text) {
  return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

/* What decides how everything else is answered is looked for first. */
static void look_ahead(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) options->json = true;
  }
}

bool takes_several(const char* command) {
  return strcmp(command, "fmt") == 0 || strcmp(command, "examples") == 0 || strcmp(command, "complete") == 0;
}

static int read_operand(Options* options, const char* text) {
  if (takes_several(options->command)) {
    options->operands[options->operand_count++] = text;
    return EXIT_FINE;
  }
  if (strcmp(options->command, "help") == 0) {
    options->topic = text;
    return EXIT_FINE;
  }
  if (options->file) {
    return complain(options, ZW_ERR_ARGUMENT, "one %s at a time: '%s' and '%s' were given",
                    strcmp(options->command, "plot") == 0    ? "result"
                    : strcmp(options->command, "paper") == 0 ? "paper"
                    : strcmp(options->command, "least") == 0 ? "problem"
                                                             : "model",
                    options->file, text);
  }
  options->file = text;
  return EXIT_FINE;
}

int read_options(int argc, char** argv, Options* options) {
  *options = (Options){.command = "help",
                       .out = ".",
                       .to = NAN,
                       .every = NAN,
                       .tolerance = NAN,
                       .within = NAN,
                       .checkpoint = NAN,
                       .count = NAN,
                       .threads = NAN,
                       .from = NAN,
                       .fps = NAN,
                       .speed = NAN,
                       .still_at = NAN,
                       .wants_csv = true,
                       .arguments = (const char**)(argv + 1),
                       .argument_count = argc > 1 ? argc - 1 : 0,
                       .step = NAN,
                       .formulation = "auto",
                       .limits = zw_default_compile_def().limits};
  look_ahead(argc, argv, options);
  if (argc < 2) return EXIT_FINE;
  options->command = is_help(argv[1]) ? "help" : strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
  if (!find_command(options->command)) {
    const char* nearest = NULL;
    for (int i = 0; commands[i].name; i++) {
      if (zw_str_distance(zw_str_from(argv[1]), zw_str_from(commands[i].name), 2) <= 2) nearest = commands[i].name;
    }
    return complain(options, ZW_ERR_ARGUMENT, "there is no command '%s'%s%s%s", argv[1],
                    nearest ? "; did you mean '" : "; 'zwang help' lists them", nearest ? nearest : "",
                    nearest ? "'?" : "");
  }
  options->operands = calloc((size_t)argc, sizeof *options->operands);
  options->files_read = create_files_read();
  if (!options->operands || !options->files_read) return complain(options, ZW_ERR_MEMORY, "out of memory");
  bool only_operands = false; /* after "--" */
  for (int i = 2; i < argc; i++) {
    int exit_code = EXIT_FINE;
    if (!only_operands && strcmp(argv[i], "--") == 0) {
      only_operands = true;
    } else if (!only_operands && is_help(argv[i])) {
      options->topic = options->command;
      options->command = "help";
      return EXIT_FINE;
    } else if (!only_operands && argv[i][0] == '-' && argv[i][1]) {
      exit_code = read_option(options, argc, argv, &i);
    } else {
      exit_code = read_operand(options, argv[i]);
    }
    if (exit_code) return exit_code;
  }
  return EXIT_FINE;
}

void free_options(Options* options) {
  for (int32_t i = 0; i < options->set_count; i++) free((void*)(uintptr_t)options->sets[i].name);
  for (int32_t i = 0; i < options->varied_count; i++) free((void*)(uintptr_t)options->varied[i]);
  free(options->operands);
  free_files_read(options->files_read);
}
