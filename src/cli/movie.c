/* Films that ffmpeg makes. Every frame is written as an SVG into a temporary folder, then ffmpeg, which draws SVG itself, makes a film of
 * them all: one program that is started once, and no shell reads a name. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/animate.h"

enum { NOT_THERE = 127, LAST_LINE = 400, ARGUMENTS = 40, PATIENCE_MS = 50 };
static const double zoom_mp4 = 2; /* video players enlarge films */

typedef struct Movie {
  const Options* options;
  const ZwFilm* film;
  FilmForm form;
  const char* path;
  char* part; /* where it grows, */
  char*
      output; /* and how ffmpeg calls that: it would take what stands before a ':' for a protocol, and '-' for an option */
  char* folder; /* of the frames; NULL: there is none */
  int32_t written;
  Progress progress;
} Movie;

static int fail(const Movie* movie, ZwStatus status, const char* what, const char* why) {
  complain(movie->options, status, "%s: %s", what, why);
  return EXIT_FAILED;
}

/* ---- is it there ---- */

static bool is_in(const char* folder, size_t size, const char* program) {
  char path[4096];
  int length = zw_snprintf(path, sizeof path, "%.*s/%s", (int)size, folder, program);
  return length > 0 && length < (int)sizeof path && access(path, X_OK) == 0;
}

static bool is_installed(const char* program) {
  const char* path = getenv("PATH");
  for (const char* at = path ? path : "/usr/bin:/bin"; *at;) {
    size_t size = strcspn(at, ":");
    if (size > 0 && is_in(at, size, program)) return true;
    at += size + (at[size] == ':');
  }
  return false;
}

static int complain_missing(const Options* options) {
  ZwDiag diag = plain_error(ZW_ERR_UNSUPPORTED, "MP4 and GIF films are made by the program ffmpeg, which is not here");
  diag.remedy = "on Debian it is in the package ffmpeg; films that end in .html or .svg need nothing";
  return complain_diag(options, &diag);
}

int movie_find(const Options* options) {
  return is_installed("ffmpeg") ? EXIT_FINE : complain_missing(options);
}

/* ---- frames ---- */

static char* frame_path(const Movie* movie, const char* name) {
  return join_path(movie->folder, name, ".svg");
}

static bool write_file(const char* path, const ZwText* text) {
  FILE* file = fopen(path, "wb");
  if (!file) return false;
  bool is_fine = fwrite(zw_text_get(text), 1, (size_t)text->size, file) == (size_t)text->size;
  return (fclose(file) == 0) && is_fine;
}

static int write_frame(Movie* movie, int32_t frame) {
  char name[32];
  zw_snprintf(name, sizeof name, "%06d", (int)frame);
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_film_still(&text, movie->film, zw_film_row(movie->film, frame), false, movie->form == FILM_MP4 ? zoom_mp4 : 1);
  char* path = frame_path(movie, name);
  int exit_code = EXIT_FINE;
  if (arena.failed || !path) {
    exit_code = complain(movie->options, ZW_ERR_MEMORY, "out of memory");
  } else {
    movie->written = frame + 1;
    if (!write_file(path, &text)) exit_code = fail(movie, ZW_ERR_IO, "a frame could not be written", strerror(errno));
  }
  free(path);
  zw_arena_destroy(&arena);
  return exit_code;
}

static int interrupted(const Movie* movie) {
  zw_fprintf(stderr, "zwang: interrupted; no film was written\n");
  if (movie->options->json) print_refused_json(movie->options, NULL, NULL, NULL, status_word(EXIT_INTERRUPTED));
  return EXIT_INTERRUPTED;
}

static int write_frames(Movie* movie) {
  for (int32_t i = 0; i < movie->film->frame_count; i++) {
    if (is_interrupted()) return interrupted(movie);
    int exit_code = write_frame(movie, i);
    if (exit_code) return exit_code;
    progress_update(&movie->progress, i);
  }
  return EXIT_FINE;
}

static bool make_folder(Movie* movie) {
  const char* place = getenv("TMPDIR");
  movie->folder = join_path(place && place[0] ? place : "/tmp", "zwang-film-XXXXXX", "");
  if (movie->folder && mkdtemp(movie->folder)) return true;
  free(movie->folder);
  movie->folder = NULL;
  return false;
}

static void remove_folder(Movie* movie) {
  if (!movie->folder) return;
  for (int32_t i = 0; i < movie->written; i++) {
    char name[32];
    zw_snprintf(name, sizeof name, "%06d", (int)i);
    char* path = frame_path(movie, name);
    if (path) remove(path);
    free(path);
  }
  rmdir(movie->folder);
  free(movie->folder);
}

/* ---- ffmpeg ---- */

/* Colours of a GIF are chosen for all frames; those of an MP4 are what all players understand. */
static void list_arguments(const Movie* movie, const char* input, const char* rate, const char** arguments) {
  static const char* const gif[] = {"-filter_complex",
                                    "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse",
                                    "-loop",
                                    "0",
                                    "-f",
                                    "gif",
                                    NULL};
  static const char* const mp4[] = {"-c:v",      "libx264",    "-crf", "20",  "-pix_fmt", "yuv420p",
                                    "-movflags", "+faststart", "-f",   "mp4", NULL};
  const char* const first[] = {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",  "-framerate", rate,
                               "-f",     "image2",   "-c:v",         "librsvg",   "-i",    input, NULL};
  int count = 0;
  for (int i = 0; first[i]; i++) arguments[count++] = first[i];
  const char* const* rest = movie->form == FILM_GIF ? gif : mp4;
  for (int i = 0; rest[i]; i++) arguments[count++] = rest[i];
  arguments[count++] = movie->output;
  arguments[count] = NULL;
}

static void become(const char* const* arguments, int messages) {
  int nothing = open("/dev/null", O_RDWR);
  /* an interrupt is for us to pass on */
  if (setpgid(0, 0) == 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
      dup2(messages, STDERR_FILENO) >= 0) {
    execvp(arguments[0], (char* const*)(uintptr_t)arguments);
  }
  _exit(NOT_THERE);
}

/* The last line that is not empty. */
static void last_line(FILE* messages, char line[LAST_LINE]) {
  char text[LAST_LINE];
  zw_snprintf(line, LAST_LINE, "it does not say why");
  rewind(messages);
  while (fgets(text, sizeof text, messages)) {
    text[strcspn(text, "\r\n")] = 0;
    if (text[0]) memcpy(line, text, LAST_LINE);
  }
}

/* Its exit status, or -1 when we were interrupted. */
static int wait_for(pid_t child) {
  bool is_told = false;
  for (;;) {
    int status;
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return is_told ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
    if (ended < 0 && errno != EINTR) return NOT_THERE;
    if (is_interrupted() && !is_told) {
      kill(child, SIGKILL);
      is_told = true;
    }
    nanosleep(&(struct timespec){.tv_nsec = PATIENCE_MS * 1000 * 1000}, NULL);
  }
}

static int run_ffmpeg(const Movie* movie, const char* const* arguments, FILE* messages) {
  pid_t child = fork();
  if (child < 0) return fail(movie, ZW_ERR_IO, "ffmpeg could not be started", strerror(errno));
  if (child == 0) become(arguments, fileno(messages));
  int status = wait_for(child);
  if (status == 0) return EXIT_FINE;
  if (status < 0) return interrupted(movie);
  if (status == NOT_THERE) return complain_missing(movie->options);
  char line[LAST_LINE];
  last_line(messages, line);
  return fail(movie, ZW_ERR_IO, "ffmpeg could not make the film", line);
}

/* A pattern for all frames, in which a '%' of the folder's own name stands for itself. */
static char* frame_pattern(const Movie* movie) {
  char* folder = calloc(2 * strlen(movie->folder) + 1, 1);
  for (size_t from = 0, to = 0; folder && movie->folder[from]; from++) {
    if (movie->folder[from] == '%') folder[to++] = '%';
    folder[to++] = movie->folder[from];
  }
  char* pattern = folder ? join_path(folder, "%06d", ".svg") : NULL;
  free(folder);
  return pattern;
}

/* The next film of this name may replace this one. */
static int sign(const Movie* movie) {
  int fd = open(movie->part, O_RDWR | O_CLOEXEC);
  bool is_fine = fd >= 0 && leave_mark(fd);
  if (fd >= 0 && close(fd) != 0) is_fine = false;
  return is_fine ? EXIT_FINE : fail(movie, ZW_ERR_IO, "the film could not be written", strerror(errno));
}

static int convert(Movie* movie) {
  const char* arguments[ARGUMENTS];
  char rate[32];
  zw_snprintf(rate, sizeof rate, "%.9g", movie->film->def.fps);
  char* input = frame_pattern(movie);
  FILE* messages = tmpfile();
  int exit_code = EXIT_FAILED;
  if (!input || !messages) {
    fail(movie, ZW_ERR_IO, "ffmpeg could not be started", "there is no room for temporary files");
  } else {
    list_arguments(movie, input, rate, arguments);
    exit_code = run_ffmpeg(movie, arguments, messages);
  }
  if (messages) fclose(messages);
  free(input);
  if (!exit_code) exit_code = sign(movie);
  if (!exit_code && rename(movie->part, movie->path) != 0) {
    exit_code = fail(movie, ZW_ERR_IO, "the film could not be given its name", strerror(errno));
  }
  return exit_code;
}

/* A folder that is not there is found before all frames are drawn. */
static int try_part(const Movie* movie) {
  char error[ZW_DRAFT_ERROR];
  if (!zw_draft_try(movie->part, error)) return EXIT_FINE;
  return complain(movie->options, ZW_ERR_IO, "%s", error);
}

int movie_write(const Options* options, const ZwFilm* film, FilmForm form, const char* path) {
  Movie movie = {.options = options, .film = film, .form = form, .path = path};
  movie.part = join_path(".", path, ".part");
  movie.output = movie.part ? join_path(".", "file:", movie.part) : NULL;
  if (!movie.output) {
    free(movie.part);
    return complain(options, ZW_ERR_MEMORY, "out of memory");
  }
  progress_begin(&movie.progress, 0, film->frame_count, !options->quiet);
  movie.progress.what = "frame";
  int exit_code = try_part(&movie);
  bool has_part = !exit_code; /* else what is there is another's */
  if (!exit_code && !make_folder(&movie)) {
    exit_code = fail(&movie, ZW_ERR_IO, "there is no temporary folder for the frames", strerror(errno));
  }
  if (!exit_code) exit_code = write_frames(&movie);
  if (!exit_code) exit_code = convert(&movie);
  if (exit_code && has_part) remove(movie.part);
  progress_end(&movie.progress);
  remove_folder(&movie);
  free(movie.output);
  free(movie.part);
  return exit_code;
}
