/* Pictures in other forms than a file of SVG. Other programs are started without a shell, so no name of a file is read as a command. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/sketch.h"

enum { NOT_THERE = 127 }; /* the exit status of a program that could not be started */

/* ---- other programs ---- */

static void become(const char* const* arguments, int in, int out) {
  int nothing = open("/dev/null", O_RDWR);
  if (dup2(in >= 0 ? in : nothing, STDIN_FILENO) >= 0 && dup2(out >= 0 ? out : nothing, STDOUT_FILENO) >= 0 &&
      dup2(nothing, STDERR_FILENO) >= 0) {
    execvp(arguments[0], (char* const*)(uintptr_t)arguments);
  }
  _exit(NOT_THERE);
}

/* Its exit status; in and out may be -1. */
static int run_program(const char* const* arguments, int in, int out) {
  int status;
  pid_t child = fork();
  if (child < 0) return NOT_THERE;
  if (child == 0) become(arguments, in, out);
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return NOT_THERE;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* ---- PNG ---- */

static bool is_png(const char* path) {
  size_t size = strlen(path);
  return size > 4 && strcasecmp(path + size - 4, ".png") == 0;
}

static int complain_failed(const Options* options, ZwStatus status, const char* error) {
  complain(options, status, "%s", error);
  return EXIT_FAILED;
}

static int convert(const Options* options, FILE* svg, FILE* png, const char* path) {
  static const char* const arguments[] = {"rsvg-convert", "--zoom", "2", "--format", "png", NULL};
  FileText text;
  char error[ZW_DRAFT_ERROR];
  int status = run_program(arguments, fileno(svg), fileno(png));
  if (status == NOT_THERE) {
    ZwDiag diag = plain_error(ZW_ERR_UNSUPPORTED, "a PNG needs the program rsvg-convert, which is not here");
    diag.remedy = "on Debian it is in the package librsvg2-bin; a picture whose name ends in .svg needs nothing";
    complain_diag(options, &diag);
    return EXIT_FAILED;
  }
  if (status) {
    zw_snprintf(error, sizeof error, "rsvg-convert could not make '%.300s'", path);
    return complain_failed(options, ZW_ERR_IO, error);
  }
  if (!leave_mark(fileno(png))) return complain_failed(options, ZW_ERR_IO, "there is no room for temporary files");
  rewind(png);
  const char* why = read_stream(png, &text);
  if (why) return complain_failed(options, ZW_ERR_IO, why);
  ZwAllocator allocator = zw_allocator_default();
  ZwStatus written = zw_draft_whole(&allocator, path, text.data, text.size, error);
  free(text.data);
  return written ? complain_failed(options, written, error) : EXIT_FINE;
}

static int write_png(const Options* options, const ZwText* text, const char* path) {
  FILE *svg = tmpfile(), *png = tmpfile();
  bool is_fine = svg && png && fwrite(zw_text_get(text), 1, (size_t)text->size, svg) == (size_t)text->size &&
                 fflush(svg) == 0 && fseek(svg, 0, SEEK_SET) == 0;
  int exit_code = is_fine ? convert(options, svg, png, path)
                          : complain_failed(options, ZW_ERR_IO, "there is no room for temporary files");
  if (svg) fclose(svg);
  if (png) fclose(png);
  return exit_code;
}

int write_picture(const Options* options, ZwPageDrawFn draw, const void* picture, const char* path) {
  ZwAllocator allocator = zw_allocator_default();
  char error[ZW_DRAFT_ERROR];
  if (!is_png(path)) {
    ZwStatus status = zw_page_write(draw, picture, &allocator, path, error);
    return status ? complain_failed(options, status, error) : EXIT_FINE;
  }
  ZwArena arena;
  ZwText text;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  draw(&text, picture);
  int exit_code =
      arena.failed ? complain_failed(options, ZW_ERR_MEMORY, "out of memory") : write_png(options, &text, path);
  zw_arena_destroy(&arena);
  return exit_code;
}

/* ---- the screen ---- */

int open_picture(const Options* options, const char* path) {
  /* what begins with '-' would be read as an option */
  char* file = path[0] == '-' ? join_path("./", path, "") : join_path(".", path, "");
  const char* const arguments[] = {"xdg-open", file, NULL};
  int status = file ? run_program(arguments, -1, -1) : EXIT_FAILED;
  free(file);
  if (status == 0) return EXIT_FINE;
  ZwDiag diag = plain_error(ZW_ERR_UNSUPPORTED, "--open needs the program xdg-open, which is not here");
  char text[ZW_DRAFT_ERROR];
  zw_snprintf(text, sizeof text, "xdg-open could not show '%.300s'", path);
  if (status == NOT_THERE)
    diag.remedy = "on Debian it is in the package xdg-utils; the picture itself was written";
  else
    diag.text = text;
  complain_diag(options, &diag);
  return EXIT_FAILED;
}

/* ---- the terminal ---- */

/* The first of the three that is set decides, as for all programs. */
static bool is_terminal_utf8(void) {
  static const char* const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; i++) {
    const char* value = getenv(variables[i]);
    if (!value || !value[0]) continue;
    for (; *value; value++) {
      if (strncasecmp(value, "UTF-8", 5) == 0 || strncasecmp(value, "UTF8", 4) == 0) return true;
    }
    return false;
  }
  return false;
}

void print_sketch(const ZwSvgPlot* plot) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_sketch_text(&text, plot, is_terminal_utf8());
  if (arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the sketch\n");
  else
    fputs(zw_text_get(&text), stdout);
  zw_arena_destroy(&arena);
}
