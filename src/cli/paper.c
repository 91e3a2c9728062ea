/* zwang paper: the equations of the five papers, in their order, beside what the program computes. */
#include "cli/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "output/json.h"

/* ---- the list ---- */

static const ZwLibraryText* find_paper(const char* name) {
  for (const ZwLibraryText* text = paper_texts; text->name; text++) {
    if (strcmp(text->name, name) == 0) return text;
  }
  return NULL;
}

static int list_papers(const Options* options) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  int32_t papers = 0, examples = 0;
  bool is_read = true;
  zw_arena_init(&arena, &allocator);
  for (const ZwLibraryText* text = paper_texts; text->name && is_read; text++, papers++) {
    Paper paper;
    is_read = read_paper(&arena, text->text, text->size, &paper);
    zw_printf("%-6s %.*s (%.*s): %.*s\n", text->name, ZW_STR_ARGS(paper.authors), ZW_STR_ARGS(paper.year),
              ZW_STR_ARGS(paper.title));
    for (int32_t i = 0; i < paper.examples.count; i++) {
      if (paper.examples.items[i].is_ours) continue;
      zw_printf("         example %.*s\n", ZW_STR_ARGS(paper.examples.items[i].name));
      examples++;
    }
  }
  zw_arena_destroy(&arena);
  if (!is_read) return complain(options, ZW_ERR_MEMORY, "out of memory");
  zw_printf("\n%d papers, %d examples. 'zwang paper NAME' walks through the equations of one.\n", (int)papers,
            (int)examples);
  return EXIT_FINE;
}

static void put_paper(ZwJson* json, const char* name, const Paper* paper) {
  zw_json_begin_object(json);
  zw_json_key(json, "name");
  zw_json_string(json, name);
  zw_json_key(json, "title");
  zw_json_str(json, paper->title);
  zw_json_key(json, "authors");
  zw_json_str(json, paper->authors);
  zw_json_key(json, "year");
  zw_json_str(json, paper->year);
  zw_json_key(json, "examples");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < paper->examples.count; i++) {
    if (!paper->examples.items[i].is_ours) zw_json_str(json, paper->examples.items[i].name);
  }
  zw_json_end_array(json);
  zw_json_end_object(json);
}

static int list_as_json(const Options* options) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  ZwJson json;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, "ok");
  zw_json_key(&json, "papers");
  zw_json_begin_array(&json);
  for (const ZwLibraryText* stored = paper_texts; stored->name; stored++) {
    Paper paper;
    if (read_paper(&arena, stored->text, stored->size, &paper)) put_paper(&json, stored->name, &paper);
  }
  zw_json_end_array(&json);
  zw_json_end_object(&json);
  bool has_failed = arena.failed;
  if (!has_failed) puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
  return has_failed ? complain(options, ZW_ERR_MEMORY, "out of memory") : EXIT_FINE;
}

/* Options that speak of one paper. NULL: none is given. */
static const char* find_option_of_one(const Options* options) {
  if (options->model) return "--model";
  if (options->set_count > 0) return "--set";
  if (options->at_count > 0) return "--at";
  if (options->letters) return "--letters";
  if (options->random != 0) return "--random";
  if (options->latex) return "--latex";
  return options->output ? "-o" : NULL;
}

static int list_all(const Options* options) {
  const char* option = find_option_of_one(options);
  if (option)
    return complain(options, ZW_ERR_ARGUMENT, "%s is about one paper; write its name, as in: zwang paper uk98", option);
  if (options->json) return list_as_json(options);
  return options->quiet ? EXIT_FINE : list_papers(options);
}

/* The models are printed as they are. */
static int check_model(const Options* options) {
  Options others = *options;
  others.model = false;
  const char* option = options->json ? "--json" : find_option_of_one(&others);
  if (!options->model || !option) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT,
                  "--model prints the models as they are, and %s changes nothing in them; leave one of them out",
                  option);
}

/* ---- one paper ---- */

static int print_models(const Walk* walk) {
  for (int32_t i = 0; i < walk->paper.examples.count; i++) {
    const ZwLibraryText* example = find_example(walk->paper.examples.items[i].name);
    if (!example) continue;
    if (i > 0) putchar('\n');
    fwrite(example->text, 1, example->size, stdout);
  }
  return EXIT_FINE;
}

/* The first check that does not hold; NULL: all do. */
static const Checked* find_wrong(const Walk* walk, const Equation** equation) {
  for (int32_t i = 0; i < walk->paper.equations.count; i++) {
    *equation = &walk->paper.equations.items[i];
    for (int32_t k = 0; k < (*equation)->checks.list.count; k++) {
      if (!is_fine(&walk->checked[i][k])) return &walk->checked[i][k];
    }
  }
  return NULL;
}

/* A check without a value; NULL: all have one. */
static const Checked* find_undefined(const Walk* walk, const Equation** equation, ZwStr* check) {
  for (int32_t i = 0; i < walk->paper.equations.count; i++) {
    *equation = &walk->paper.equations.items[i];
    for (int32_t k = 0; k < (*equation)->checks.list.count; k++) {
      const Checked* checked = &walk->checked[i][k];
      *check = (*equation)->checks.list.items[k];
      if (*checked->reason || !isfinite(checked->difference)) return checked;
    }
  }
  return NULL;
}

/* Where the parameters or the time leave an equation without a value there is no page: it would show numbers of nothing. */
static int refuse_undefined(const Walk* walk) {
  const Equation* e;
  ZwStr check;
  const Checked* undefined = find_undefined(walk, &e, &check);
  if (!undefined) return EXIT_FINE;
  const Options* options = walk->options;
  const char* remedy = options->set_count > 0  ? "; give --set other values"
                       : options->at_count > 0 ? "; give --at another time"
                       : options->random > 0   ? "; leave --random out"
                                               : "";
  if (*undefined->reason)
    return complain(options, ZW_ERR_DOMAIN, "%.*s %.*s, '%.*s', cannot be evaluated: %s%s",
                    ZW_STR_ARGS(walk->paper.name), ZW_STR_ARGS(e->number), ZW_STR_ARGS(check), undefined->reason,
                    remedy);
  return complain(options, ZW_ERR_DOMAIN, "%.*s %.*s has no finite value on one side of '%.*s'%s",
                  ZW_STR_ARGS(walk->paper.name), ZW_STR_ARGS(e->number), ZW_STR_ARGS(check), remedy);
}

/* The object of --json tells by itself; the sentence goes to standard error. */
static int judge(const Walk* walk) {
  const Equation* e;
  const Checked* wrong = find_wrong(walk, &e);
  if (!wrong) return EXIT_FINE;
  Options options = *walk->options;
  options.json = false;
  complain(&options, ZW_ERR_DOUBT, "%.*s %.*s is off by %.1e", ZW_STR_ARGS(walk->paper.name), ZW_STR_ARGS(e->number),
           wrong->difference);
  return EXIT_FAILED;
}

bool is_paper_fine(const Walk* walk) {
  const Equation* e;
  return !find_wrong(walk, &e);
}

static int walk_paper(Walk* walk) {
  const Options* options = walk->options;
  if (options->model) return print_models(walk);
  int exit_code = check_paper(walk);
  if (!exit_code) exit_code = refuse_undefined(walk);
  if (exit_code) return exit_code;
  ZwText text;
  zw_text_init(&text, walk->arena);
  if (options->json)
    paper_json(&text, walk);
  else if (options->latex)
    paper_latex(&text, walk);
  else
    paper_text(&text, walk);
  if (walk->arena->failed) return complain(options, ZW_ERR_MEMORY, "out of memory");
  bool is_shown = options->output || options->json || !options->quiet;
  if (is_shown) exit_code = answer_text(options, (const char* const[]){zw_text_get(&text)}, 1);
  return exit_code ? exit_code : judge(walk);
}

static int unknown(const Options* options, const char* name) {
  char names[120] = "";
  for (const ZwLibraryText* text = paper_texts; text->name; text++) {
    size_t used = strlen(names);
    zw_snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", text->name);
  }
  return complain(options, ZW_ERR_NAME, "there is no paper '%s'; there are %s", name, names);
}

int command_paper(const Options* options) {
  if (!options->file) return list_all(options);
  int exit_code = check_model(options);
  if (exit_code) return exit_code;
  if (options->at_count > 1)
    return complain(options, ZW_ERR_ARGUMENT, "--at needs one time here, and %d were given", (int)options->at_count);
  if (options->json && options->letters)
    return complain(options, ZW_ERR_ARGUMENT,
                    "--letters names quantities in formulas, and --json keeps their names; leave one of them out");
  if (options->json && options->latex) return complain(options, ZW_ERR_ARGUMENT, "--json or --latex, not both");
  if (!(options->random >= 0 && options->random <= 100000 && options->random == floor(options->random)))
    return complain(options, ZW_ERR_ARGUMENT, "--random needs a whole number from 0 to 100000");
  ZwLetters letters = zw_letters_find(options->letters ? options->letters : "ours");
  if (letters == ZW_LETTERS_COUNT) return complain(options, ZW_ERR_ARGUMENT, ZW_LETTERS_UNKNOWN, options->letters);
  const ZwLibraryText* text = find_paper(options->file);
  if (!text) return unknown(options, options->file);
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  Walk walk = {.options = options, .arena = &arena, .letters = letters};
  if (read_paper(&arena, text->text, text->size, &walk.paper))
    exit_code = walk_paper(&walk);
  else if (walk.paper.wrong_line)
    exit_code = complain(options, ZW_ERR_SYNTAX, "papers/%s.paper:%d: this line is not understood", text->name,
                         (int)walk.paper.wrong_line);
  else
    exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
  zw_arena_destroy(&arena);
  return exit_code;
}
