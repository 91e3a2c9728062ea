#include "cli/ask.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* One item of a list, without the blanks around it. */
typedef struct Item {
  const char* begin;
  ptrdiff_t size;
} Item;

static Item trimmed(const char* begin, const char* end) {
  while (begin < end && *begin == ' ') begin++;
  while (end > begin && end[-1] == ' ') end--;
  return (Item){begin, end - begin};
}

/* The next item; commas inside brackets belong to names. *at is after it, NULL at the end of the list. */
static Item next_item(const char** at) {
  int depth = 0;
  const char *begin = *at, *end = begin;
  for (; *end && (*end != ',' || depth > 0); end++) {
    if (*end == '(' || *end == '[') depth++;
    if (*end == ')' || *end == ']') depth--;
  }
  *at = *end ? end + 1 : NULL;
  return trimmed(begin, end);
}

/* ---- coordinates ---- */

typedef struct Asking {
  const Options* options;
  const ZwModel* model;     /* NULL: names alone */
  const char* const* names; /* n; NULL: those of the model */
  ZwArena* arena;
  int32_t n;
} Asking;

static const char* coordinate_name(const Asking* asking, int32_t i) {
  return asking->names ? asking->names[i] : zw_model_column(asking->model, 1 + i);
}

/* From 0; -1: there is none. Models know other names too. */
static int32_t coordinate_called(const Asking* asking, const char* name) {
  if (asking->model) {
    int32_t column = zw_model_column_find(asking->model, name);
    return column <= asking->n ? column - 1 : -1;
  }
  int32_t i = asking->n - 1;
  while (i >= 0 && strcmp(asking->names[i], name) != 0) i--;
  return i;
}

static const char* list_coordinates(const Asking* asking) {
  enum { SHOWN = 12 };
  ZwText text;
  zw_text_init(&text, asking->arena);
  for (int32_t i = 0; i < asking->n && i < SHOWN; i++) {
    zw_text_addf(&text, "%s%s", i ? ", " : "", coordinate_name(asking, i));
  }
  if (asking->n > SHOWN) zw_text_addf(&text, " and %d more", (int)asking->n - SHOWN);
  return zw_text_get(&text);
}

/* The coordinate that an item names, from 0. */
static int find_coordinate(const Asking* asking, const char* option, Item item, int32_t* coordinate) {
  const char* name = zw_format(asking->arena, "%.*s", (int)item.size, item.begin);
  *coordinate = name ? coordinate_called(asking, name) : -1;
  if (*coordinate >= 0) return EXIT_FINE;
  return complain(asking->options, ZW_ERR_NAME, "%s: '%s' is no coordinate; the coordinates are %s", option,
                  name ? name : "", list_coordinates(asking));
}

/* --eliminate x,y and --order y,x,z */
static int read_names(const Asking* asking, const char* option, const char* text, int32_t** list, int32_t* count) {
  *count = 0;
  if (!text) return EXIT_FINE;
  *list = ZW_NEW(asking->arena, asking->n + 1, int32_t);
  if (!*list) return complain(asking->options, ZW_ERR_MEMORY, "out of memory");
  for (const char* at = text; at;) {
    Item item = next_item(&at);
    int32_t coordinate;
    int exit_code = find_coordinate(asking, option, item, &coordinate);
    if (exit_code) return exit_code;
    for (int32_t i = 0; i < *count; i++) {
      if ((*list)[i] == coordinate)
        return complain(asking->options, ZW_ERR_NAME, "%s names '%.*s' twice", option, (int)item.size, item.begin);
    }
    (*list)[(*count)++] = coordinate;
  }
  return EXIT_FINE;
}

/* "x''=1, y''=0": names end in `primes` marks; each stands once. */
static int read_values(const Asking* asking, const char* option, const char* text, int primes, double missing,
                       double** values) {
  static const char* const examples[] = {"y=1,z=0", "", "\"x''=1, y''=0\""};
  if (!text) return EXIT_FINE;
  *values = ZW_NEW(asking->arena, asking->n + 1, double);
  bool* is_given = ZW_NEW(asking->arena, asking->n + 1, bool);
  if (!*values || !is_given) return complain(asking->options, ZW_ERR_MEMORY, "out of memory");
  for (int32_t i = 0; i < asking->n; i++) (*values)[i] = missing;
  for (const char* at = text; at;) {
    Item item = next_item(&at);
    const char* equals = memchr(item.begin, '=', (size_t)item.size);
    Item name = trimmed(item.begin, equals ? equals : item.begin),
         number = equals ? trimmed(equals + 1, item.begin + item.size) : name;
    bool has_primes = name.size > primes;
    for (int k = 0; has_primes && k < primes; k++) has_primes = name.begin[name.size - 1 - k] == '\'';
    double value;
    if (!has_primes || !zw_number_fills(number.begin, number.size, &value) || !isfinite(value)) {
      return complain(asking->options, ZW_ERR_ARGUMENT, "%s needs values of coordinates, as in %s %s, not '%.*s'",
                      option, option, examples[primes], (int)item.size, item.begin);
    }
    name.size -= primes;
    int32_t coordinate;
    int exit_code = find_coordinate(asking, option, name, &coordinate);
    if (exit_code) return exit_code;
    if (is_given[coordinate]) {
      return complain(asking->options, ZW_ERR_NAME, "%s gives '%.*s' twice", option, (int)name.size, name.begin);
    }
    is_given[coordinate] = true;
    (*values)[coordinate] = value;
  }
  return EXIT_FINE;
}

/* ---- parts ---- */

static int read_show(const Options* options, Ask* ask) {
  static const struct {
    const char* name;
    ShowPart part;
  } parts[] = {{"data", SHOW_DATA},       {"forces", SHOW_FORCES}, {"partition", SHOW_PARTITION},
               {"bellman", SHOW_BELLMAN}, {"gibbs", SHOW_GIBBS},   {"inverses", SHOW_INVERSES},
               {"all", SHOW_ALL}};
  ask->show = 0;
  for (const char* at = options->show; at;) {
    Item item = next_item(&at);
    size_t i = 0, count = sizeof parts / sizeof *parts;
    while (i < count &&
           !(strlen(parts[i].name) == (size_t)item.size && strncmp(parts[i].name, item.begin, (size_t)item.size) == 0))
      i++;
    if (i == count) {
      return complain(options, ZW_ERR_ARGUMENT,
                      "--show knows data, forces, partition, bellman, gibbs, inverses and all, not '%.*s'",
                      (int)item.size, item.begin);
    }
    ask->show |= (int32_t)parts[i].part;
  }
  return EXIT_FINE;
}

static int read_letters(const Options* options, Ask* ask) {
  if (!options->letters) return EXIT_FINE;
  ask->letters = zw_letters_find(options->letters);
  if (ask->letters != ZW_LETTERS_COUNT) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT, ZW_LETTERS_UNKNOWN, options->letters);
}

/* The names of the JSON object stay, and the comparison of formulations has none. */
static int check_letters(const Options* options, const Ask* ask) {
  bool is_table = ask->show || ask->possible || strcmp(options->command, "least") == 0;
  bool is_derive = strcmp(options->command, "derive") == 0;
  if (!options->letters || (is_derive && !options->json)) return EXIT_FINE;
  if (options->json)
    return complain(options, ZW_ERR_ARGUMENT, "--letters names quantities in %s; leave one of them out",
                    is_derive ? "formulas, and --json keeps their names" : "tables, and --json has none");
  if (is_table) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT,
                  "--letters names quantities in tables, and none is asked for; add --show all");
}

/* Tables and the JSON object have matrices. */
static int check_full(const Options* options, const Ask* ask) {
  bool has_matrices = options->json || ask->show || ask->possible || strcmp(options->command, "least") == 0;
  if (!options->full || has_matrices) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT,
                  "--full is about matrices, and none is asked for; add --show all or --json");
}

static int read_all(const Asking* asking, Ask* ask) {
  const Options* options = asking->options;
  *ask = (Ask){.n = asking->n};
  int exit_code = read_show(options, ask);
  if (!exit_code) exit_code = read_letters(options, ask);
  if (!exit_code)
    exit_code = read_names(asking, "--eliminate", options->eliminate, &ask->eliminate, &ask->eliminate_count);
  if (!exit_code && options->eliminate) ask->show |= SHOW_PARTITION;
  if (!exit_code && options->displacement) ask->show |= SHOW_PARTITION;
  if (!exit_code && options->order) ask->show |= SHOW_BELLMAN;
  if (!exit_code) exit_code = read_names(asking, "--order", options->order, &ask->order, &ask->order_count);
  if (!exit_code) exit_code = read_values(asking, "--possible", options->possible, 2, NAN, &ask->possible);
  if (!exit_code) exit_code = read_values(asking, "--displacement", options->displacement, 0, NAN, &ask->displacement);
  if (!exit_code) exit_code = check_letters(options, ask);
  if (!exit_code) exit_code = check_full(options, ask);
  return exit_code;
}

int read_ask(const Options* options, const ZwModel* model, ZwArena* arena, Ask* ask) {
  Asking asking = {options, model, NULL, arena, zw_model_coordinate_count(model)};
  return read_all(&asking, ask);
}

int read_ask_names(const Options* options, int32_t n, const char* const* names, ZwArena* arena, Ask* ask) {
  Asking asking = {options, NULL, names, arena, n};
  return read_all(&asking, ask);
}

int read_force(const Options* options, const ZwModel* model, ZwArena* arena, double** force) {
  Asking asking = {options, model, NULL, arena, zw_model_coordinate_count(model)};
  return read_values(&asking, "--force", options->stated_force, 0, 0, force);
}

int read_eliminate(const Options* options, const ZwModel* model, ZwArena* arena, int32_t** list, int32_t* count) {
  Asking asking = {options, model, NULL, arena, zw_model_coordinate_count(model)};
  return read_names(&asking, "--eliminate", options->eliminate, list, count);
}
