#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "text/letters.h"
#include "text/nfc.h"

enum { SHOWN_BEFORE = 60, SHOWN_AFTER = 40 }; /* bytes of a long line around the culprit */

static bool is_coloured(void) {
  return isatty(STDERR_FILENO) && !getenv("NO_COLOR");
}

static bool continues_character(char c) {
  return ((unsigned char)c & 0xC0) == 0x80;
}

/* A character as it is shown; a tab as a space: it would move the underline away from what it marks. */
static int shown(const char* text, int32_t size, char out[ZW_SHOWN_MOST], int* taken) {
  if (text[0] != '\t') return zw_shown(text, size, out, taken);
  out[0] = ' ';
  *taken = 1;
  return 1;
}

static void print_clean(const char* text, int32_t size) {
  int taken;
  for (int32_t i = 0; i < size; i += taken) {
    char out[ZW_SHOWN_MOST];
    int bytes = shown(text + i, size - i, out, &taken);
    fwrite(out, 1, (size_t)bytes, stderr);
  }
}

/* How many columns a character takes when `bytes` of it are shown. An accent of its own is drawn over the letter before it. */
static int32_t width_of(const char* text, int32_t size, int bytes) {
  uint32_t c;
  int32_t whole = zw_utf8_decode(text, size, &c);
  if (whole != bytes) return bytes; /* an escape */
  return zw_is_mark(c) ? 0 : 1;
}

static int32_t columns(const char* text, int32_t size) {
  int32_t count = 0;
  int taken;
  for (int32_t i = 0; i < size; i += taken) {
    char out[ZW_SHOWN_MOST];
    int bytes = shown(text + i, size - i, out, &taken);
    count += width_of(text + i, size - i, bytes);
  }
  return count;
}

/* The line, clipped around the culprit when it is long, and the culprit underlined. */
static void print_source(const ZwDiag* diag) {
  const char* line = diag->source_line;
  int32_t size = diag->source_line_size, begin = 0, end = size;
  if (!line || size == 0) return;
  if (diag->offset > SHOWN_BEFORE) begin = diag->offset - SHOWN_BEFORE;
  if (end - diag->offset > SHOWN_AFTER + 40) end = diag->offset + SHOWN_AFTER + 40;
  while (begin < diag->offset && continues_character(line[begin])) begin++;
  while (end > diag->offset && end < size && continues_character(line[end])) end--;
  const char* lead = begin > 0 ? "..." : "";
  zw_fprintf(stderr, "%6d | %s", (int)diag->line, lead);
  print_clean(line + begin, end - begin);
  zw_fprintf(stderr, "%s\n       | ", end < size ? "..." : "");
  zw_fprintf(stderr, "%*s", (int)(strlen(lead) + (size_t)columns(line + begin, diag->offset - begin)), "");
  int32_t marked = diag->size;
  if (diag->offset + marked > end) marked = end - diag->offset;
  int32_t width = marked > 0 ? columns(line + diag->offset, marked) : 1;
  fputs(is_coloured() ? "\033[1;32m^" : "^", stderr);
  for (int32_t i = 1; i < width; i++) fputc('~', stderr);
  fputs(is_coloured() ? "\033[0m\n" : "\n", stderr);
}

void print_diag(const ZwDiag* diag) {
  bool is_error = diag->severity == ZW_SEVERITY_ERROR;
  if (diag->line > 0)
    zw_fprintf(stderr, "%s:%d:%d: ", diag->file, (int)diag->line, (int)diag->column);
  else
    zw_fprintf(stderr, "zwang: ");
  if (is_coloured()) fputs(is_error ? "\033[1;31m" : "\033[1;36m", stderr);
  fputs(is_error ? "error:" : "note:", stderr);
  if (is_coloured()) fputs("\033[0m", stderr);
  zw_fprintf(stderr, " %s\n", diag->text);
  print_source(diag);
  if (diag->remedy[0]) zw_fprintf(stderr, "       = %s\n", diag->remedy);
}

static int32_t diag_count(const ZwModel* model, const ZwRun* run) {
  return (model ? zw_model_diag_count(model) : 0) + (run ? zw_run_diag_count(run) : 0);
}

static const ZwDiag* diag_at(const ZwModel* model, const ZwRun* run, int32_t i) {
  int32_t first = model ? zw_model_diag_count(model) : 0;
  return i < first ? zw_model_diag(model, i) : zw_run_diag(run, i - first);
}

bool has_error(const ZwModel* model, const ZwRun* run) {
  for (int32_t i = 0; i < diag_count(model, run); i++) {
    if (diag_at(model, run, i)->severity == ZW_SEVERITY_ERROR) return true;
  }
  return false;
}

void print_diags(const ZwModel* model, const ZwRun* run, bool quiet) {
  int32_t shown = 0;
  for (int32_t i = 0; i < diag_count(model, run); i++) {
    const ZwDiag* diag = diag_at(model, run, i);
    if (quiet && diag->severity != ZW_SEVERITY_ERROR) continue;
    print_diag(diag);
    shown += diag->severity == ZW_SEVERITY_ERROR;
  }
  int32_t errors = model ? zw_model_error_count(model) : 0;
  if (errors > shown && shown > 0) {
    zw_fprintf(stderr, "zwang: %d errors are shown; there are more\n", (int)shown);
  }
}

/* ---- JSON ---- */

void json_head(ZwJson* json, const char* status) {
  zw_json_key(json, "zwang");
  zw_json_string(json, zw_version());
  zw_json_key(json, "schema");
  zw_json_integer(json, 1);
  zw_json_key(json, "status");
  zw_json_string(json, status);
}

static void json_diag(ZwJson* json, const ZwDiag* diag) {
  zw_json_begin_object(json);
  zw_json_key(json, "file");
  zw_json_string(json, diag->file);
  zw_json_key(json, "line");
  zw_json_integer(json, diag->line);
  zw_json_key(json, "column");
  zw_json_integer(json, diag->column);
  if (diag->severity == ZW_SEVERITY_ERROR) {
    zw_json_key(json, "code");
    zw_json_string(json, zw_status_name(diag->code));
  }
  zw_json_key(json, "text");
  zw_json_string(json, diag->text);
  if (diag->remedy[0]) {
    zw_json_key(json, "remedy");
    zw_json_string(json, diag->remedy);
  }
  zw_json_end_object(json);
}

ZwDiag plain_error(ZwStatus code, const char* text) {
  return (ZwDiag){.severity = ZW_SEVERITY_ERROR, .code = code, .file = "", .text = text, .remedy = ""};
}

void json_diags(ZwJson* json, const ZwModel* model, const ZwRun* run, const ZwDiag* failure) {
  static const char* const keys[] = {"errors", "notes"};
  for (int severity = ZW_SEVERITY_ERROR; severity <= ZW_SEVERITY_NOTE; severity++) {
    zw_json_key(json, keys[severity]);
    zw_json_begin_array(json);
    for (int32_t i = 0; i < diag_count(model, run); i++) {
      const ZwDiag* diag = diag_at(model, run, i);
      if ((int)diag->severity == severity) json_diag(json, diag);
    }
    if (failure && (int)failure->severity == severity) json_diag(json, failure);
    zw_json_end_array(json);
  }
}

void print_refused_json(const Options* options, const ZwModel* model, const ZwRun* run, const ZwDiag* failure,
                        const char* status) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  ZwJson json;
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, status);
  if (options->file) {
    zw_json_key(&json, "file");
    zw_json_string(&json, options->file);
  }
  json_diags(&json, model, run, failure);
  zw_json_end_object(&json);
  puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}

void print_refused(const Options* options, const ZwModel* model, const ZwRun* run, ZwStatus status) {
  ZwDiag failure = plain_error(status, zw_status_text(status));
  bool is_ours = !has_error(model, run); /* as when memory is out: nobody could write a message about it */
  print_diags(model, run, options->quiet);
  if (is_ours) print_diag(&failure);
  if (!options->json) return;
  print_refused_json(options, model, run, is_ours ? &failure : NULL, status_word(exit_status(status, false)));
}

/* ---- mistakes outside a text ---- */

int complain_diag(const Options* options, const ZwDiag* diag) {
  print_diag(diag);
  int exit_code = exit_status(diag->code, false);
  if (!options->json) return exit_code;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText out;
  zw_text_init(&out, &arena);
  ZwJson json;
  zw_json_init(&json, &out);
  zw_json_begin_object(&json);
  json_head(&json, status_word(exit_code));
  zw_json_key(&json, "errors");
  zw_json_begin_array(&json);
  json_diag(&json, diag);
  zw_json_end_array(&json);
  zw_json_end_object(&json);
  puts(zw_text_get(&out));
  zw_arena_destroy(&arena);
  return exit_code;
}

int complain(const Options* options, ZwStatus code, const char* format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  zw_vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ZwDiag diag = plain_error(code, text);
  return complain_diag(options, &diag);
}

/* A run that has begun has failed; before that the model or the command is wrong. Memory and files are nobody's model. */
int exit_status(ZwStatus status, bool has_begun) {
  if (status == ZW_OK) return EXIT_FINE;
  if (status == ZW_ERR_INTERRUPTED) return EXIT_INTERRUPTED;
  if (status == ZW_ERR_MEMORY || status == ZW_ERR_IO) return EXIT_FAILED;
  return has_begun ? EXIT_FAILED : EXIT_WRONG;
}

const char* status_word(int exit_code) {
  switch (exit_code) {
    case EXIT_FINE:
      return "ok";
    case EXIT_FAILED:
      return "failed";
    case EXIT_WRONG:
      return "refused";
    default:
      return "interrupted";
  }
}

/* ---- compiling, as every command begins ---- */

/* Other commands look at equations only: they need no machine code. */
static bool does_run(const char* command) {
  static const char* const movers[] = {"run", "sweep", "check", "compare", "bench", "animate"};
  for (size_t i = 0; i < sizeof movers / sizeof *movers; i++) {
    if (strcmp(command, movers[i]) == 0) return true;
  }
  return false;
}

ZwModel* compile_model(const Options* options, bool keep_tree, int* exit_code) {
  *exit_code = EXIT_WRONG;
  if (!options->file) {
    complain(options, ZW_ERR_ARGUMENT, "which model? write: zwang %s FILE", options->command);
    return NULL;
  }
  FileText text;
  *exit_code = read_model_file(options, &text);
  if (*exit_code) return NULL;
  ZwCompileDef def = zw_default_compile_def();
  def.text = text.data;
  def.size = text.size;
  def.name = options->file;
  def.sets = options->sets;
  def.set_count = options->set_count;
  def.reader = make_reader(options);
  def.limits = options->limits;
  def.keep_tree = keep_tree;
  def.drawing = strcmp(options->command, "animate") == 0;
  def.kernel = does_run(options->command) ? options->kernel : "interpret";
  ZwModel* model;
  ZwStatus status = zw_model_compile(&def, &model);
  free(text.data);
  *exit_code = exit_status(status, false);
  if (status == ZW_OK) return model;
  if (model && zw_model_error_count(model) > 0) {
    print_refused(options, model, NULL, status);
  } else if (status == ZW_ERR_LIMIT) {
    complain(options, status, "the model needs more memory than the limit of %zu MB; raise it with --limit memory=...",
             def.limits.memory >> 20);
  } else {
    complain(options, status, "%s", zw_status_text(status));
  }
  zw_model_destroy(model);
  return NULL;
}
