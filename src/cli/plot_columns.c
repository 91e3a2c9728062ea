/* zwang plot: which columns of a stored result are drawn. */
#include <string.h>

#include "cli/cli.h"

enum {
  NEAR = 3,   /* letters that may be wrong in a name that was meant */
  LISTED = 40 /* names in a message */
};

typedef struct Choice {
  const Options* options;
  const ZwStored* stored;
  ZwArena* arena;
  PlotColumns* what;
} Choice;

static int out_of_memory(const Choice* choice) {
  return complain(choice->options, ZW_ERR_MEMORY, "out of memory");
}

/* '*' stands for any letters, '?' for one; everything else, brackets too, for itself. */
static bool fits(const char* pattern, const char* name) {
  for (; *pattern && *pattern != '*'; pattern++, name++) {
    if (!*name || (*pattern != '?' && *pattern != *name)) return false;
    while (*pattern == '?' && ((unsigned char)name[1] & 0xC0) == 0x80) name++; /* one letter, whatever its bytes */
  }
  if (!*pattern) return !*name;
  while (*pattern == '*') pattern++;
  for (;; name++) {
    if (fits(pattern, name)) return true;
    if (!*name) return false;
  }
}

static int32_t find_column(const Choice* choice, const char* name) {
  for (int32_t i = 0; i < choice->stored->count; i++) {
    if (strcmp(choice->stored->names[i], name) == 0) return i;
  }
  return -1;
}

static const char* nearest_column(const Choice* choice, const char* name) {
  const char* nearest = NULL;
  int32_t least = NEAR + 1;
  for (int32_t i = 0; i < choice->stored->count; i++) {
    int32_t distance = zw_str_distance(zw_str_from(name), zw_str_from(choice->stored->names[i]), NEAR);
    if (distance >= least || distance >= (int32_t)strlen(name)) continue;
    least = distance;
    nearest = choice->stored->names[i];
  }
  return nearest;
}

static int no_column(Choice* choice, const char* name) {
  const ZwStored* stored = choice->stored;
  ZwText list;
  zw_text_init(&list, choice->arena);
  for (int32_t i = 0; i < stored->count && i < LISTED; i++)
    zw_text_addf(&list, "%s%s", i ? ", " : "there are: ", stored->names[i]);
  if (stored->count > LISTED) zw_text_addf(&list, " and %d more", (int)(stored->count - LISTED));
  const char* nearest = nearest_column(choice, name);
  char text[1024];
  zw_snprintf(text, sizeof text, "'%s' has no column '%s'%s%s%s", choice->options->file, name,
              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  ZwDiag diag = plain_error(ZW_ERR_NAME, text);
  diag.remedy = zw_text_get(&list);
  return complain_diag(choice->options, &diag);
}

/* Panels, or curves of one panel. */
static int32_t most_columns(const Choice* choice) {
  return choice->options->together ? ZW_SVG_CURVES : ZW_SVG_PANELS;
}

static int too_many(const Choice* choice) {
  return complain(choice->options, ZW_ERR_LIMIT, "more than %d columns in one %s; choose fewer with --columns",
                  (int)most_columns(choice), choice->options->together ? "panel" : "picture");
}

/* A column asked for twice is drawn once. */
static int add_column(Choice* choice, int32_t column) {
  for (int32_t i = 0; i < choice->what->count; i++) {
    if (choice->what->columns[i] == column) return EXIT_FINE;
  }
  if (choice->what->count == most_columns(choice)) return too_many(choice);
  choice->what->columns[choice->what->count++] = column;
  return EXIT_FINE;
}

/* A name as it stands there, or a pattern. The axis itself is drawn only if it is named. */
static int add_columns(Choice* choice, const char* name) {
  int32_t column = find_column(choice, name);
  if (column >= 0) return add_column(choice, column);
  bool has_found = false;
  for (int32_t i = 0; i < choice->stored->count; i++) {
    if (!fits(name, choice->stored->names[i])) continue;
    has_found = true;
    int exit_code = i == choice->what->across ? EXIT_FINE : add_column(choice, i);
    if (exit_code) return exit_code;
  }
  return has_found ? EXIT_FINE : no_column(choice, name);
}

/* Names with commas between them; a comma inside brackets belongs to a name. */
static int read_columns(Choice* choice, const char* list) {
  if (find_column(choice, list) >= 0) return add_columns(choice, list);
  int depth = 0;
  for (const char *from = list, *at = list;; at++) {
    if (*at == '(' || *at == '[') depth++;
    if (*at == ')' || *at == ']') depth--;
    if (*at && (*at != ',' || depth > 0)) continue;
    const char* name = zw_str_copy(choice->arena, (ZwStr){from, (int32_t)(at - from)});
    if (!name) return out_of_memory(choice);
    int exit_code = add_columns(choice, name);
    if (exit_code || !*at) return exit_code;
    from = at + 1;
  }
}

static bool ends_in(const char* text, const char* ending) {
  size_t size = strlen(text), end = strlen(ending);
  return size >= end && strcmp(text + size - end, ending) == 0;
}

/* Coordinates and outputs: neither velocities, nor forces, nor what a run records about itself. */
static bool is_plain(const char* name) {
  return !ends_in(name, "'") && !strchr(name, ' ') && !strchr(name, '(') && !strchr(name, '|');
}

/* Without a choice of the user's: what a run draws. */
static void choose_columns(Choice* choice) {
  for (int pass = 0; pass < 2 && choice->what->wanted == 0; pass++) {
    for (int32_t i = 0; i < choice->stored->count; i++) {
      if (i == choice->what->across || i == 0 || (pass == 0 && !is_plain(choice->stored->names[i]))) continue;
      choice->what->wanted++;
      if (choice->what->count < most_columns(choice)) choice->what->columns[choice->what->count++] = i;
    }
  }
}

int choose_plot_columns(const Options* options, const ZwStored* stored, ZwArena* arena, PlotColumns* what) {
  Choice choice = {options, stored, arena, what};
  if (options->against && (what->across = find_column(&choice, options->against)) < 0) {
    return no_column(&choice, options->against);
  }
  for (int32_t i = 0; i < options->column_count; i++) {
    int exit_code = read_columns(&choice, options->columns[i]);
    if (exit_code) return exit_code;
  }
  if (options->column_count == 0) choose_columns(&choice);
  if (what->count > 0) return EXIT_FINE;
  return complain(options, ZW_ERR_VALUE, "'%s' has no column to draw against '%s'", options->file,
                  stored->names[what->across]);
}
