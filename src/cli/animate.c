/* zwang animate: a run whose rows are the frames of a film. */
#include "cli/animate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "output/page.h"

enum {
  FRAMES_MOST = 20 * 1000,
  NUMBERS_MOST = 30 * 1000 * 1000, /* in all rows; a byte or two of a page each */
  NUMBERS_FINE = 800 * 1000,       /* up to so many, rows lie closer than frames where there is a trail */
  ROWS_PER_FRAME = 8               /* at most */
};
static const double seconds_least = 5, seconds_most = 60; /* of a film whose speed we choose */
static const double fps_usual = 30;

typedef struct Animation {
  const Options* options;
  ZwModel* model;
  ZwRun* run;
  ZwScene scene;
  ZwFilm film;
  FilmForm form;
  char *name, *path;
  char* source; /* the model's text, ended by 0 */
  double from, to, speed, fps, every;
  bool is_speed_ours;
  Progress progress;
  ZwStatus status;  /* of the run */
  ZwDiag failure;   /* that the run does not tell itself, */
  bool has_failure; /* if there is one */
} Animation;

static int out_of_memory(const Animation* animation) {
  return complain(animation->options, ZW_ERR_MEMORY, "out of memory");
}

/* ---- what is wanted ---- */

static bool ends_in(const char* text, const char* ending) {
  size_t size = strlen(text), end = strlen(ending);
  return size > end && strcasecmp(text + size - end, ending) == 0;
}

/* The ending of the file's name says what it is. */
static int choose_form(Animation* animation) {
  const Options* options = animation->options;
  const char* path = options->output;
  if (options->still) {
    animation->form = FILM_STILL;
    if (!path || ends_in(path, ".svg") || ends_in(path, ".png")) return EXIT_FINE;
    return complain(options, ZW_ERR_ARGUMENT, "a still picture ends in .svg or .png, not as '%s' does", path);
  }
  static const struct {
    const char* ending;
    FilmForm form;
  } forms[] = {{".html", FILM_PAGE}, {".htm", FILM_PAGE}, {".svg", FILM_SVG}, {".mp4", FILM_MP4}, {".gif", FILM_GIF}};
  if (!path) return EXIT_FINE; /* a page */
  for (int i = 0; i < (int)(sizeof forms / sizeof *forms); i++) {
    if (!ends_in(path, forms[i].ending)) continue;
    animation->form = forms[i].form;
    return animation->form == FILM_MP4 || animation->form == FILM_GIF ? movie_find(options) : EXIT_FINE;
  }
  return complain(options, ZW_ERR_ARGUMENT, "a film ends in .html, .svg, .mp4 or .gif, not as '%s' does", path);
}

static int choose_path(Animation* animation) {
  const Options* options = animation->options;
  animation->name = model_name(options->file);
  if (!animation->name) return out_of_memory(animation);
  const char* ending = animation->form == FILM_STILL ? ".still.svg" : ".html";
  animation->path =
      options->output ? join_path(".", options->output, "") : join_path(options->out, animation->name, ending);
  if (!animation->path) return out_of_memory(animation);
  if (!options->output && !is_out_fine(options)) return EXIT_WRONG;
  FileKind kind = animation->form == FILM_PAGE                                 ? KIND_PAGE
                  : animation->form == FILM_MP4 || animation->form == FILM_GIF ? KIND_MOVIE
                                                                               : KIND_PICTURE;
  if (!was_read(options, animation->path)) return check_kind(options, animation->path, kind);
  return complain(options, ZW_ERR_ARGUMENT, "the film '%s' would overwrite a file that the model is made from",
                  animation->path);
}

/* --view AZIMUTH,ELEVATION */
static int read_view(const Options* options, ZwViewDef* view) {
  *view = (ZwViewDef){NAN, NAN};
  if (!options->view) return EXIT_FINE;
  const char* comma = strchr(options->view, ',');
  bool is_fine = comma && zw_number_fills(options->view, comma - options->view, &view->azimuth) &&
                 zw_number_is(comma + 1, &view->elevation) && isfinite(view->azimuth) && fabs(view->elevation) <= 90;
  if (is_fine) return EXIT_FINE;
  return complain(
      options, ZW_ERR_ARGUMENT,
      "--view needs two angles in degrees, around the z axis and above the plane (at most 90), as in --view "
      "30,20, not '%s'",
      options->view);
}

static int check_numbers(const Options* options) {
  if (!isnan(options->fps) && !(options->fps >= 1 && options->fps <= 240)) {
    return complain(options, ZW_ERR_ARGUMENT, "--fps needs a number of frames per second from 1 to 240, not %g",
                    options->fps);
  }
  if (!isnan(options->speed) && !(options->speed > 0)) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "--speed needs a number above 0, the model's time that passes in a second, not %g", options->speed);
  }
  return EXIT_FINE;
}

/* ---- how fast ---- */

/* 1, 2 or 5 times a power of ten at or above a number. */
static double round_up(double least) {
  double below = zw_view_round(least), power = pow(10, floor(log10(below) + 0.5e-9));
  if (below >= least * (1 - 1e-12)) return below;
  return below < 1.5 * power ? 2 * power : below < 3 * power ? 5 * power : 10 * power;
}

/* As it is, if one can watch that; else a round speed that makes it long or short enough. */
static void choose_speed(Animation* animation) {
  double span = animation->to - animation->from;
  animation->speed = animation->options->speed;
  if (!isnan(animation->speed)) return;
  animation->speed = 1;
  if (span > seconds_most) animation->speed = round_up(span / seconds_most);
  if (span < seconds_least) animation->speed = zw_view_round(span / seconds_least);
  animation->is_speed_ours = animation->speed != 1;
}

static bool has_trail(const ZwModel* model) {
  for (int32_t i = 0; i < zw_model_draw_count(model); i++) {
    if (zw_model_draw(model, i)->kind == ZW_DRAW_TRAIL) return true;
  }
  return false;
}

/* Frames, and rows between them. */
static int choose_rows(Animation* animation) {
  const Options* options = animation->options;
  double frames = (animation->to - animation->from) * animation->fps / animation->speed + 1;
  if (frames > FRAMES_MOST) {
    return complain(
        options, ZW_ERR_LIMIT,
        "a film of %.0f s at %g frames per second has %.0f frames, more than %d; choose a larger --speed, a "
        "smaller --fps, or a part of it with --from and --to",
        frames / animation->fps, animation->fps, frames, (int)FRAMES_MOST);
  }
  double numbers = frames * animation->scene.width;
  if (numbers > NUMBERS_MOST) {
    return complain(options, ZW_ERR_LIMIT,
                    "%.0f frames of a drawing with %d moving numbers are too much for a film; draw less, or choose a "
                    "larger --speed or a smaller --fps",
                    frames, (int)animation->scene.width);
  }
  double finer = has_trail(animation->model) ? floor(NUMBERS_FINE / numbers) : 1;
  animation->every = animation->speed / animation->fps / fmin(fmax(finer, 1), ROWS_PER_FRAME);
  return EXIT_FINE;
}

/* ---- the run ---- */

static ZwStatus take_row(void* context, const double* values) {
  Animation* animation = context;
  double slack = 1e-9 * animation->every;
  return values[0] < animation->from - slack ? ZW_OK : zw_scene_add(&animation->scene, values);
}

static bool poll(void* context, double t) {
  Animation* animation = context;
  progress_update(&animation->progress, t);
  return !is_interrupted();
}

static ZwRunDef define_run(Animation* animation) {
  ZwRunDef def = zw_default_run_def();
  def.to = animation->options->to;
  def.every = animation->every;
  def.tolerance = animation->options->tolerance;
  def.integrator = animation->options->integrator;
  def.formulation = animation->options->formulation;
  def.step = animation->options->step;
  def.conserve_energy = animation->options->conserve_energy;
  def.row = take_row;
  def.poll = poll;
  def.context = animation;
  return def;
}

static int create_run(Animation* animation) {
  ZwRunDef def = define_run(animation);
  ZwStatus status = zw_run_create(animation->model, &def, &animation->run);
  if (status == ZW_OK) status = zw_run_ready(animation->run);
  if (status == ZW_OK) return EXIT_FINE;
  print_refused(animation->options, animation->model, animation->run, status);
  return exit_status(status, false);
}

/* How long the model moves is known to a run only: one is made to be asked. */
static int learn_times(Animation* animation) {
  const Options* options = animation->options;
  animation->every = NAN;
  int exit_code = create_run(animation);
  if (exit_code) return exit_code;
  const ZwReport* report = zw_run_report(animation->run);
  animation->from = isnan(options->from) ? report->from : options->from;
  animation->to = report->to;
  double begin = report->from;
  zw_run_destroy(animation->run);
  animation->run = NULL;
  if (animation->from >= begin && animation->from < animation->to) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT, "--from needs a time within the run, %g to %g, not %g", begin,
                  animation->to, animation->from);
}

/* A run that fails on its way is shown as far as it went. */
static int go(Animation* animation) {
  const Options* options = animation->options;
  const ZwReport* report = zw_run_report(animation->run);
  progress_begin(&animation->progress, report->from, report->to, !options->quiet);
  catch_signals();
  animation->status = zw_run_go(animation->run);
  progress_end(&animation->progress);
  report = zw_run_report(animation->run);
  if (animation->status == ZW_ERR_INTERRUPTED) {
    print_diags(animation->model, animation->run, options->quiet);
    zw_fprintf(stderr, "zwang: interrupted at t = %.*g; no film was written\n", zw_clock_digits(report->t, 9),
               report->t);
    if (options->json)
      print_refused_json(options, animation->model, animation->run, NULL, status_word(EXIT_INTERRUPTED));
    return EXIT_INTERRUPTED;
  }
  bool is_shown = animation->scene.row_count > 0 && animation->status != ZW_ERR_MEMORY;
  if (animation->status && !is_shown) {
    print_refused(options, animation->model, animation->run, animation->status);
    return exit_status(animation->status, report->has_begun);
  }
  print_diags(animation->model, animation->run, options->quiet);
  animation->failure = plain_error(animation->status, zw_status_text(animation->status));
  animation->has_failure = animation->status && !has_error(animation->model, animation->run);
  if (animation->has_failure) print_diag(&animation->failure); /* no failure goes without a message */
  return EXIT_FINE;
}

/* ---- the film ---- */

static void draw_page(ZwText* out, const void* picture) {
  zw_film_page(out, picture);
}

static void draw_svg(ZwText* out, const void* picture) {
  zw_film_svg(out, picture);
}

typedef struct Still {
  const ZwFilm* film;
  int32_t row;
} Still;

static void draw_still(ZwText* out, const void* picture) {
  const Still* still = picture;
  zw_film_still(out, still->film, still->row, true, 1);
}

static int write_film(Animation* animation) {
  const ZwFilm* film = &animation->film;
  double at = isnan(animation->options->still_at) ? film->to : animation->options->still_at;
  Still still = {film, zw_scene_find(film->scene, at + 1e-9 * animation->every)};
  switch (animation->form) {
    case FILM_PAGE:
      return write_picture(animation->options, draw_page, film, animation->path);
    case FILM_SVG:
      return write_picture(animation->options, draw_svg, film, animation->path);
    case FILM_STILL:
      return write_picture(animation->options, draw_still, &still, animation->path);
    case FILM_MP4:
    case FILM_GIF:
      break;
  }
  return movie_write(animation->options, film, animation->form, animation->path);
}

/* The text of the model is shown on the page; those of libraries are not. */
static bool copy_source(Animation* animation) {
  ZwModelText text = zw_model_text(animation->model, 0);
  animation->source = calloc(text.size + 1, 1);
  if (animation->source) memcpy(animation->source, text.text, text.size);
  return animation->source != NULL;
}

static int make_film(Animation* animation) {
  ZwFilmDef def = {
      .title = animation->name, .speed = animation->speed, .fps = animation->fps, .theme = animation->options->theme};
  int exit_code = read_view(animation->options, &def.view);
  if (exit_code) return exit_code;
  if (!copy_source(animation)) return out_of_memory(animation);
  def.source = animation->source;
  if (zw_film_make(&animation->film, &def, &animation->scene)) return out_of_memory(animation);
  return write_film(animation);
}

/* ---- the answer ---- */

static double size_of(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 ? (double)info.st_size : 0;
}

static void say_what_was_chosen(const Animation* animation) {
  if (animation->options->quiet) return;
  const ZwFilm* film = &animation->film;
  bool is_short = animation->status && animation->status != ZW_ERR_CLAIM;
  if (is_short && animation->form != FILM_STILL) {
    zw_fprintf(stderr, "zwang: note: the film ends at t = %.*g, where the run failed\n", zw_clock_digits(film->to, 9),
               film->to);
  }
  if (film->view.is_cut) {
    zw_fprintf(stderr,
               "zwang: note: a few rows go so far that the rest could not be seen beside them; they are outside of "
               "the picture\n");
  }
}

static void print_answer(const Animation* animation) {
  const ZwFilm* film = &animation->film;
  zw_printf("%s: %d shape%s in %s, t = %.*g .. %.*g\n", animation->name, (int)film->scene->shape_count,
            film->scene->shape_count == 1 ? "" : "s", film->view.is_spatial ? "space" : "the plane",
            zw_clock_digits(film->from, 9), film->from, zw_clock_digits(film->to, 9), film->to);
  if (animation->form != FILM_STILL) {
    zw_printf("  film         %.3g s, %d frame%s, %g per second, at speed %g%s\n", zw_film_seconds(film),
              (int)film->frame_count, film->frame_count == 1 ? "" : "s", film->def.fps, film->def.speed,
              animation->is_speed_ours ? " (chosen; --speed for another)" : "");
  }
  zw_printf("  files        %s (%.0f kB)\n", animation->path, ceil(size_of(animation->path) / 1000));
}

static void key_number(ZwJson* json, const char* key, double value) {
  zw_json_key(json, key);
  zw_json_number(json, value);
}

static void print_json_answer(Animation* animation, int exit_code) {
  const ZwFilm* film = &animation->film;
  ZwText text;
  zw_text_init(&text, &animation->scene.arena);
  ZwJson json;
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, status_word(exit_code));
  zw_json_key(&json, "model");
  zw_json_string(&json, animation->name);
  key_number(&json, "shapes", film->scene->shape_count);
  key_number(&json, "dimensions", film->view.is_spatial ? 3 : 2);
  key_number(&json, "from", film->from);
  key_number(&json, "to", film->to);
  if (animation->form != FILM_STILL) {
    key_number(&json, "seconds", zw_film_seconds(film));
    key_number(&json, "speed", film->def.speed);
    key_number(&json, "fps", film->def.fps);
    key_number(&json, "frames", film->frame_count);
  }
  zw_json_key(&json, "outside");
  zw_json_bool(&json, film->view.is_cut);
  zw_json_key(&json, "files");
  zw_json_begin_array(&json);
  zw_json_string(&json, animation->path);
  zw_json_end_array(&json);
  json_diags(&json, animation->model, animation->run, animation->has_failure ? &animation->failure : NULL);
  zw_json_end_object(&json);
  if (animation->scene.arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the summary\n");
  else
    puts(zw_text_get(&text));
}

/* ---- all ---- */

static int begin_scene(Animation* animation) {
  const ZwModel* model = animation->model;
  ZwAllocator allocator = zw_allocator_default();
  int32_t count = zw_model_draw_count(model);
  if (count == 0) {
    ZwDiag diag =
        plain_error(ZW_ERR_VALUE, "there is nothing to draw: the model has no `draw`, and no points to be seen");
    diag.remedy = "write what it looks like, as in: draw line (0, 0) -> P";
    return complain_diag(animation->options, &diag);
  }
  ZwDraw* shapes = calloc((size_t)count, sizeof *shapes);
  if (!shapes) return out_of_memory(animation);
  for (int32_t i = 0; i < count; i++) shapes[i] = *zw_model_draw(model, i);
  ZwStatus status = zw_scene_init(&animation->scene, &allocator, shapes, count);
  free(shapes);
  return status ? out_of_memory(animation) : EXIT_FINE;
}

static int animate(Animation* animation) {
  int exit_code = choose_path(animation);
  if (!exit_code) exit_code = begin_scene(animation);
  if (!exit_code) exit_code = learn_times(animation);
  if (exit_code) return exit_code;
  choose_speed(animation);
  exit_code = choose_rows(animation);
  if (!exit_code) exit_code = create_run(animation);
  if (!exit_code) exit_code = go(animation);
  if (!exit_code) exit_code = make_film(animation);
  if (!exit_code && animation->options->open) exit_code = open_picture(animation->options, animation->path);
  if (exit_code) return exit_code;
  say_what_was_chosen(animation);
  exit_code = exit_status(animation->status, true);
  if (animation->options->json)
    print_json_answer(animation, exit_code);
  else if (!animation->options->quiet)
    print_answer(animation);
  return exit_code;
}

int command_animate(const Options* options) {
  Animation animation = {.options = options, .fps = isnan(options->fps) ? fps_usual : options->fps};
  ZwViewDef view;
  int exit_code = check_numbers(options);
  if (!exit_code) exit_code = read_view(options, &view);
  if (!exit_code) exit_code = choose_form(&animation);
  if (!exit_code) animation.model = compile_model(options, false, &exit_code);
  if (animation.model) exit_code = animate(&animation);
  zw_run_destroy(animation.run);
  zw_scene_free(&animation.scene);
  free(animation.source);
  free(animation.name);
  free(animation.path);
  zw_model_destroy(animation.model);
  return exit_code;
}
