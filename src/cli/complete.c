/* zwang complete: what may come next on a command line. The scripts in completions/ ask, so that a shell knows the commands,
 * options and examples of just this program.
 *
 * Each possibility is a line WORD<TAB>EXPLANATION; behind --option= it is the word behind the sign. Files are the shell's to
 * find: a line ":files .zw .csv" asks for those with one of these endings, ":files" for any, ":folders" for folders. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/paper.h"

enum { EXPLANATION_COLUMN = 21 }; /* of an option, in the help texts */

/* ---- what the help texts say ---- */

static ZwStr line_at(const char* text) {
  return (ZwStr){text, (int32_t)strcspn(text, "\n")};
}

static const char* next_line(ZwStr line) {
  const char* end = line.data + line.size;
  return *end ? end + 1 : end;
}

/* Where a word stands in a line, between spaces and commas; NULL: it does not. */
static const char* find_word(ZwStr line, const char* word) {
  size_t size = strlen(word);
  for (const char* at = line.data; (at = strstr(at, word)) && at < line.data + line.size; at++) {
    if (at > line.data && at[-1] == ' ' && strchr(" ,\n", at[size])) return at;
  }
  return NULL;
}

/* The place of an option's name in the lines that explain options: where it is the first, else where it is one of several. */
static const char* find_option_in(const char* usage, const char* option, ZwStr* line) {
  const char* found = NULL;
  for (*line = line_at(usage); *line->data; *line = line_at(next_line(*line))) {
    if (strncmp(line->data, "  -", 3) != 0) continue;
    const char* at = find_word(*line, option);
    if (at == line->data + 2) return at;
    if (at && !found) found = at;
  }
  if (!found) return NULL;
  *line = line_at(found);
  while (line->data > usage && line->data[-1] != '\n') *line = (ZwStr){line->data - 1, line->size + 1};
  return found;
}

static const char* find_option(const Command* command, const char* option, ZwStr* line) {
  const char* found = NULL;
  for (int i = 0; command->usage[i]; i++) {
    ZwStr here;
    const char* at = find_option_in(command->usage[i], option, &here);
    bool is_first = at && at == here.data + 2;
    if (!at || (found && !is_first)) continue;
    found = at;
    *line = here;
    if (is_first) break;
  }
  return found;
}

/* The begin of a text, up to where details follow. */
static ZwStr headline(ZwStr text) {
  int32_t size = 0;
  while (size < text.size && !(strchr(":;", text.data[size]) && strchr(" \n", text.data[size + 1])) &&
         strncmp(text.data + size, " (default", 9) != 0) {
    size++;
  }
  if (size > 0 && text.data[size - 1] == ',') size--;
  return (ZwStr){text.data, size};
}

/* What an option is for; empty where it is named together with others that are explained elsewhere. */
static ZwStr explain_in(const Command* command, const char* option) {
  ZwStr line;
  if (!find_option(command, option, &line) || line.size <= EXPLANATION_COLUMN) return ZW_STR("");
  const char* comma = strstr(line.data, ", --");
  if (comma && comma < line.data + EXPLANATION_COLUMN) return ZW_STR("");
  return headline((ZwStr){line.data + EXPLANATION_COLUMN, line.size - EXPLANATION_COLUMN});
}

static ZwStr explain(const Command* command, const char* option) {
  ZwStr text = explain_in(command, option);
  for (int i = 0; !text.size && commands[i].name; i++) text = explain_in(&commands[i], option);
  return text;
}

/* What stands behind an option in the help: DIR, F, NAME=VALUE, all. */
static ZwStr placeholder(const Command* command, const char* option) {
  ZwStr line;
  const char* at = find_option(command, option, &line);
  if (!at || at[strlen(option)] != ' ') return ZW_STR("");
  at += strlen(option) + 1;
  return (ZwStr){at, (int32_t)strcspn(at, " ,\n")};
}

/* ---- possibilities ---- */

static void offer(const char* typed, ZwStr word, ZwStr about) {
  size_t size = strlen(typed);
  if ((size_t)word.size < size || strncmp(word.data, typed, size) != 0) return;
  zw_printf("%.*s\t%.*s\n", ZW_STR_ARGS(word), ZW_STR_ARGS(about));
}

static void offer_word(const char* typed, const char* word, const char* about) {
  offer(typed, zw_str_from(word), zw_str_from(about));
}

/* Words with | between them. */
static void offer_list(const char* typed, ZwStr words) {
  for (int32_t i = 0, size; i < words.size; i += size + 1) {
    const char* end = memchr(words.data + i, '|', (size_t)(words.size - i));
    size = end ? (int32_t)(end - words.data) - i : words.size - i;
    offer(typed, (ZwStr){words.data + i, size}, ZW_STR(""));
  }
}

static void offer_names(const char* typed, const char* (*name)(int32_t)) {
  for (int32_t i = 0; name(i); i++) offer_word(typed, name(i), "");
}

static void offer_commands(const char* typed) {
  for (int i = 0; commands[i].name; i++) offer_word(typed, commands[i].name, commands[i].summary);
}

static void offer_options(const Command* command, const char* typed) {
  const char* name;
  bool takes_value;
  for (int i = 0; (name = command_option(command->name, i, &takes_value)); i++) {
    offer(typed, zw_str_from(name), explain(command, name));
  }
  offer_word(typed, "--help", "explain the command");
}

/* Values that a help text describes in words. */
typedef struct ValueRule {
  const char* option;
  const char* words;            /* with | between them, */
  const char* (*name)(int32_t); /* or by number */
} ValueRule;

static const ValueRule value_rules[] = {
    {"--formulation", NULL, zw_formulation_text},
    {"--integrator", NULL, zw_integrator_text},
    {"--kernel", NULL, zw_kernel_text},
    {"--format", "csv|h5|csv,h5", NULL},
    {"--limit", "memory=|iterations=|nesting=", NULL},
    {"--stage", "text|model|equations|kernel", NULL},
    {"--theme", "light|dark|auto", NULL},
};

static bool is_lower(ZwStr word) {
  for (int32_t i = 0; i < word.size; i++) {
    if (word.data[i] >= 'A' && word.data[i] <= 'Z') return false;
  }
  return word.size > 0;
}

/* The value of an option: known words, or what the help says, where capitals are no words but stand for some. */
static void offer_values(const Command* command, const char* option, const char* typed) {
  for (size_t i = 0; i < sizeof value_rules / sizeof *value_rules; i++) {
    const ValueRule* rule = &value_rules[i];
    if (strcmp(rule->option, option) != 0) continue;
    if (rule->name) offer_names(typed, rule->name);
    if (rule->words) offer_list(typed, zw_str_from(rule->words));
    return;
  }
  ZwStr value = placeholder(command, option);
  if (zw_str_equal(value, ZW_STR("DIR")))
    zw_printf(":folders\n");
  else if (zw_str_equal(value, ZW_STR("F")) || zw_str_equal(value, ZW_STR("FILE")))
    zw_printf(":files\n");
  else if (is_lower(value))
    offer_list(typed, value);
}

/* What a command works on, as its first line of help names it. */
static void offer_operands(const Command* command, const char* typed) {
  ZwStr line = line_at(command->usage[0]);
  const char* end = line.data + line.size;
  const char* model = strstr(line.data, "FILE");
  const char* result = strstr(line.data, "RESULT");
  bool has_model = model && model < end, has_result = result && result < end;
  if (has_model || has_result) zw_printf(":files%s%s\n", has_model ? " .zw" : "", has_result ? " .csv .h5 .part" : "");
  if (strcmp(command->name, "help") == 0) offer_commands(typed);
  if (strcmp(command->name, "examples") == 0) {
    for (const ZwLibraryText* example = example_texts; example->name; example++) offer_word(typed, example->name, "");
    offer_word(typed, "all", "with --copy: all of them");
  }
  if (strcmp(command->name, "paper") == 0) {
    for (const ZwLibraryText* paper = paper_texts; paper->name; paper++) offer_word(typed, paper->name, "");
  }
}

/* ---- the line so far ---- */

/* The command's own spelling of an option that takes a value; NULL: there is none. `size` bytes of text are its name. */
static const char* valued_option(const Command* command, const char* text, size_t size) {
  const char* name;
  bool takes_value;
  for (int i = 0; (name = command_option(command->name, i, &takes_value)); i++) {
    if (takes_value && strlen(name) == size && strncmp(name, text, size) == 0) return name;
  }
  return NULL;
}

/* words[0] is the command, the last word is being typed. */
static void complete_words(const Command* command, const char* const* words, int32_t count) {
  const char* typed = words[count - 1];
  const char* waiting = NULL; /* the option whose value comes next */
  int32_t operands = 0;
  bool only_operands = false; /* after "--" */
  for (int32_t i = 1; i < count - 1; i++) {
    const char* word = words[i];
    if (waiting)
      waiting = NULL;
    else if (only_operands || word[0] != '-' || !word[1])
      operands++;
    else if (strcmp(word, "--") == 0)
      only_operands = true;
    else
      waiting = valued_option(command, word, strlen(word));
  }
  const char* equals = strncmp(typed, "--", 2) == 0 ? strchr(typed, '=') : NULL;
  const char* own = equals && !only_operands ? valued_option(command, typed, (size_t)(equals - typed)) : NULL;
  if (waiting)
    offer_values(command, waiting, typed);
  else if (own)
    offer_values(command, own, equals + 1);
  else if (!only_operands && (typed[0] == '-' || (operands > 0 && !takes_several(command->name))))
    offer_options(command, typed);
  else
    offer_operands(command, typed);
}

int command_complete(const Options* options) {
  int32_t count = options->operand_count;
  if (count == 0) return complain(options, ZW_ERR_ARGUMENT, "which words? write: zwang complete -- WORD...");
  if (count == 1) {
    offer_commands(options->operands[0]);
    offer_word(options->operands[0], "--help", "list the commands");
    offer_word(options->operands[0], "--version", "print the version");
    return EXIT_FINE;
  }
  const Command* command = find_command(options->operands[0]);
  if (command) complete_words(command, options->operands, count);
  return EXIT_FINE; /* of a command that does not exist nothing is known */
}
