/* zwang examples: the models of examples/, which are part of the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"

enum { WIDTH = 80, INDENT = 6 }; /* of the list */

/* ---- what a model is about ---- */

/* Does a sentence end at `at`? Not in "..." and not at a dot between spaces. */
static bool ends_sentence(ZwStr text, int32_t at) {
  if (text.data[at] != '.' || at == 0 || text.data[at - 1] == '.' || text.data[at - 1] == ' ') return false;
  return at + 1 == text.size || text.data[at + 1] == ' ';
}

/* The first sentence of the comment that the text begins with, on one line, without its full stop. */
static void add_about(ZwText* out, const ZwLibraryText* example) {
  ZwText comment;
  zw_text_init(&comment, out->arena);
  for (const char* line = example->text; *line == '#';) {
    const char* end = strchr(line, '\n');
    if (!end) end = line + strlen(line);
    for (line++; *line == ' ';) line++;
    if (line == end) break; /* the end of the first paragraph */
    if (comment.size) zw_text_add(&comment, " ", 1);
    zw_text_add(&comment, line, end - line);
    line = *end ? end + 1 : end;
  }
  ZwStr text = {zw_text_get(&comment), comment.size};
  int32_t size = 0;
  while (size < text.size && !ends_sentence(text, size)) size++;
  zw_text_add(out, text.data, size);
}

/* Words in lines of at most WIDTH columns, each indented. */
static void print_wrapped(const char* text) {
  int32_t column = WIDTH + 1;
  while (*text) {
    size_t size = strcspn(text, " ");
    int32_t width = 0;
    for (size_t i = 0; i < size; i++) width += ((unsigned char)text[i] & 0xC0) != 0x80;
    if (column + 1 + width > WIDTH) {
      if (column <= WIDTH) putchar('\n');
      zw_printf("%*s", INDENT, "");
      column = INDENT;
    } else {
      putchar(' ');
      column++;
    }
    fwrite(text, 1, size, stdout);
    column += width;
    text += size + strspn(text + size, " ");
  }
  putchar('\n');
}

/* ---- the list ---- */

static void print_list(ZwArena* arena) {
  for (const ZwLibraryText* example = example_texts; example->name; example++) {
    ZwText about;
    zw_text_init(&about, arena);
    add_about(&about, example);
    zw_printf("  %s\n", example->name);
    print_wrapped(zw_text_get(&about));
  }
  zw_printf("\n'zwang examples NAME' prints one, 'zwang examples --copy NAME' writes NAME.zw.\n");
}

static void print_json_list(ZwArena* arena) {
  ZwText text;
  zw_text_init(&text, arena);
  ZwJson json;
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, status_word(EXIT_FINE));
  zw_json_key(&json, "examples");
  zw_json_begin_array(&json);
  for (const ZwLibraryText* example = example_texts; example->name; example++) {
    ZwText about;
    zw_text_init(&about, arena);
    add_about(&about, example);
    zw_json_begin_object(&json);
    zw_json_key(&json, "name");
    zw_json_string(&json, example->name);
    zw_json_key(&json, "about");
    zw_json_string(&json, zw_text_get(&about));
    zw_json_end_object(&json);
  }
  zw_json_end_array(&json);
  zw_json_end_object(&json);
  puts(zw_text_get(&text));
}

static int list(const Options* options) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  if (options->json)
    print_json_list(&arena);
  else
    print_list(&arena);
  bool has_failed = arena.failed;
  zw_arena_destroy(&arena);
  return has_failed ? complain(options, ZW_ERR_MEMORY, "out of memory") : EXIT_FINE;
}

/* ---- finding ---- */

/* `pendulum` and `pendulum.zw` name the same model. */
static ZwStr bare_name(const char* name) {
  ZwStr bare = zw_str_from(name);
  if (bare.size > 3 && strcmp(name + bare.size - 3, ".zw") == 0) bare.size -= 3;
  return bare;
}

static const ZwLibraryText* find(ZwStr name) {
  for (const ZwLibraryText* example = example_texts; example->name; example++) {
    if (zw_str_equal(name, zw_str_from(example->name))) return example;
  }
  return NULL;
}

/* The nearest name by edit distance, or one that begins alike. */
static const char* nearest(ZwStr name) {
  const char* best = NULL;
  int32_t least = 4;
  for (const ZwLibraryText* example = example_texts; example->name; example++) {
    int32_t distance = zw_str_distance(name, zw_str_from(example->name), 3);
    if (distance < least) {
      least = distance;
      best = example->name;
    }
  }
  for (const ZwLibraryText* example = example_texts; example->name && !best; example++) {
    if (name.size >= 3 && strncmp(example->name, name.data, (size_t)name.size) == 0) {
      best = example->name;
    }
  }
  return best;
}

static int unknown(const Options* options, const char* name) {
  const char* guess = nearest(bare_name(name));
  return complain(options, ZW_ERR_ARGUMENT, "there is no example '%s'%s%s%s", name,
                  guess ? "; did you mean '" : "; 'zwang examples' lists them", guess ? guess : "", guess ? "'?" : "");
}

/* ---- copying ---- */

static bool is_all(const Options* options) {
  return options->operand_count == 1 && strcmp(options->operands[0], "all") == 0;
}

static bool is_wanted(const Options* options, const ZwLibraryText* example) {
  if (is_all(options)) return true;
  for (int32_t i = 0; i < options->operand_count; i++) {
    if (zw_str_equal(bare_name(options->operands[i]), zw_str_from(example->name))) return true;
  }
  return false;
}

static int refuse_to_overwrite(const Options* options, const char* path) {
  return complain(options, ZW_ERR_ARGUMENT, "'%s' exists already and is left as it is; nothing was written", path);
}

/* Creates the file; one that appeared in the meantime is not overwritten either. */
static int write_example(const Options* options, const ZwLibraryText* example, const char* path) {
  FILE* file = fopen(path, "wbx");
  if (!file && errno == EEXIST) return refuse_to_overwrite(options, path);
  if (!file) return complain(options, ZW_ERR_ARGUMENT, "cannot write '%s': %s", path, strerror(errno));
  bool is_written = fwrite(example->text, 1, example->size, file) == example->size;
  is_written = fclose(file) == 0 && is_written;
  if (!is_written) {
    int code = errno;
    unlink(path);
    return complain(options, ZW_ERR_IO, "cannot write '%s': %s", path, strerror(code));
  }
  zw_printf("%s\n", path);
  return EXIT_FINE;
}

static int check_place(const Options* options, const ZwLibraryText* example, const char* path) {
  (void)example;
  return access(path, F_OK) == 0 ? refuse_to_overwrite(options, path) : EXIT_FINE;
}

static int for_each_wanted(const Options* options, int (*act)(const Options*, const ZwLibraryText*, const char*)) {
  int worst = EXIT_FINE;
  for (const ZwLibraryText* example = example_texts; example->name; example++) {
    if (!is_wanted(options, example)) continue;
    char* path = join_path(options->out, example->name, ".zw");
    int exit_code = path ? act(options, example, path) : complain(options, ZW_ERR_MEMORY, "out of memory");
    free(path);
    if (exit_code > worst) worst = exit_code;
  }
  return worst;
}

static int copy(const Options* options) {
  if (options->operand_count == 0) {
    return complain(options, ZW_ERR_ARGUMENT, "which example? write: zwang examples --copy NAME, or --copy all");
  }
  for (int32_t i = 0; i < options->operand_count && !is_all(options); i++) {
    if (!find(bare_name(options->operands[i]))) return unknown(options, options->operands[i]);
  }
  /* all places are looked at before the first file is written */
  int exit_code = for_each_wanted(options, check_place);
  return exit_code ? exit_code : for_each_wanted(options, write_example);
}

int command_examples(const Options* options) {
  if (options->copy) return copy(options);
  if (options->operand_count == 0) return list(options);
  if (options->operand_count > 1) {
    return complain(options, ZW_ERR_ARGUMENT, "one example is printed at a time; --copy writes several");
  }
  const ZwLibraryText* example = find(bare_name(options->operands[0]));
  if (!example) return unknown(options, options->operands[0]);
  fwrite(example->text, 1, example->size, stdout); /* main says when this failed */
  return EXIT_FINE;
}
