/* The members of a sweep. Numbers are drawn from counters, not in a sequence: which value a draw has depends on the seed, on the
 * place of its --draw among the others and on its number, and on nothing else, so that it is the same in any order of work, on
 * any number of threads and on every machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

/* ---- values ---- */

/* The finalizer of SplitMix64: each bit of the result depends on all bits of the counter. */
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* In [0, 1), a multiple of 2^-53. */
static double draw_unit(uint64_t seed, int32_t draw, int32_t number) {
  const uint64_t gamma = 0x9E3779B97F4A7C15u; /* odd, the golden ratio of 2^64 */
  uint64_t stream = mix(seed + gamma * (uint64_t)(draw + 1));
  uint64_t bits = mix(stream + gamma * (uint64_t)(number + 1));
  return (double)(bits >> 11) * 0x1p-53;
}

double sweep_plan_value(const SweepPlan* plan, int32_t axis, int32_t member) {
  const SweepAxis* wanted = &plan->axes[axis];
  if (wanted->is_drawn) {
    double u = draw_unit(plan->seed, wanted->draw, member % plan->draw_count);
    return fmin(wanted->low + (wanted->high - wanted->low) * u, wanted->high);
  }
  int32_t point = member / plan->draw_count;
  for (int32_t i = plan->axis_count - 1; i > axis; i--) {
    if (!plan->axes[i].is_drawn) point /= plan->axes[i].count;
  }
  return wanted->values[point % wanted->count];
}

/* ---- reading ---- */

/* A whole text that is one finite number. */
static bool read_number(const char* text, size_t size, double* number) {
  return zw_number_fills(text, (ptrdiff_t)size, number) && isfinite(*number);
}

/* low..high, with what stands behind it at *rest. */
static bool read_range(const char* text, size_t size, double* low, double* high, const char** rest) {
  const char *end = text + size, *dots = text;
  while (dots + 1 < end && !(dots[0] == '.' && dots[1] == '.')) dots++;
  if (dots + 1 >= end) return false;
  const char* colon = memchr(dots, ':', (size_t)(end - dots));
  *rest = colon ? colon : end;
  return read_number(text, (size_t)(dots - text), low) && read_number(dots + 2, (size_t)(*rest - dots - 2), high);
}

static bool add_value(SweepAxis* axis, double value) {
  if (axis->count == MEMBERS_MAX) return false;
  if ((axis->count & (axis->count - 1)) == 0) { /* full at powers of two */
    size_t room = axis->count ? 2 * (size_t)axis->count : 1;
    double* larger = realloc(axis->values, room * sizeof *larger);
    if (!larger) return false;
    axis->values = larger;
  }
  axis->values[axis->count++] = value;
  return true;
}

typedef enum Reading { READING_FINE, READING_WRONG, READING_MEMORY } Reading;

/* Both ends and what lies evenly between them: each is one quotient, so that 0..1:11 gives 0.1, 0.2, 0.3 as they are typed. */
static Reading add_range(SweepAxis* axis, double low, double high, const char* rest, const char* end) {
  double count;
  if (rest == end || !read_number(rest + 1, (size_t)(end - rest - 1), &count)) return READING_WRONG;
  if (!(count >= 2 && count <= MEMBERS_MAX) || count != floor(count)) return READING_WRONG;
  for (double i = 0; i < count; i++) {
    double value = i == 0 ? low : i == count - 1 ? high : (low * (count - 1 - i) + high * i) / (count - 1);
    if (!isfinite(value)) return READING_WRONG;
    if (!add_value(axis, value)) return READING_MEMORY;
  }
  return READING_FINE;
}

/* A number, or a range. */
static Reading read_item(SweepAxis* axis, const char* text, size_t size) {
  double low, high;
  const char* rest;
  if (read_range(text, size, &low, &high, &rest)) return add_range(axis, low, high, rest, text + size);
  if (!read_number(text, size, &low)) return READING_WRONG;
  return add_value(axis, low) ? READING_FINE : READING_MEMORY;
}

static int read_list(const Options* options, SweepAxis* axis, const char* text, const char* whole) {
  for (const char* at = text;; at++) {
    size_t size = strcspn(at, ",");
    Reading reading = read_item(axis, at, size);
    if (reading == READING_MEMORY) return complain(options, ZW_ERR_MEMORY, "out of memory");
    if (reading == READING_WRONG) {
      return complain(
          options, ZW_ERR_ARGUMENT,
          "--over needs numbers, as in --over m=1,2,4, or two ends and how many points, as in --over m=1..3:5, "
          "not '%s'",
          whole);
    }
    at += size;
    if (!*at) return EXIT_FINE;
  }
}

static int read_draw(const Options* options, SweepAxis* axis, const char* text, const char* whole) {
  const char* rest;
  size_t size = strlen(text);
  bool is_range = read_range(text, size, &axis->low, &axis->high, &rest) && rest == text + size;
  if (is_range && axis->low < axis->high && isfinite(axis->high - axis->low)) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT,
                  "--draw needs the ends of a range, the lower one first, as in --draw x=0..1, not '%s'", whole);
}

static bool is_same_name(const char* a, const char* b) {
  return strcmp(a, b) == 0;
}

/* Two values for one thing: which one was meant is not known. */
static int check_once(const Options* options, const SweepPlan* plan, const char* name) {
  for (int32_t i = 0; i < plan->axis_count; i++) {
    if (!is_same_name(plan->axes[i].name, name)) continue;
    return complain(options, ZW_ERR_ARGUMENT, "'%s' is swept twice; give all its values in one --over", name);
  }
  for (int32_t i = 0; i < options->set_count; i++) {
    if (!is_same_name(options->sets[i].name, name)) continue;
    return complain(options, ZW_ERR_ARGUMENT, "'%s' is swept and set; leave out --set %s=...", name, name);
  }
  return EXIT_FINE;
}

/* The values have a column under this name, beside those that every table of a sweep has. */
static int check_column(const Options* options, const char* name) {
  static const char* const own[] = {"t", "event", "member", "status", "reason", "moved", "steps", "rejected"};
  for (size_t i = 0; strcmp(options->command, "sweep") == 0 && i < sizeof own / sizeof *own; i++) {
    if (strcmp(name, own[i]) != 0) continue;
    return complain(options, ZW_ERR_NAME,
                    "the table of a sweep has a column '%s' of its own; call the parameter otherwise", name);
  }
  return EXIT_FINE;
}

static int read_axis(const Options* options, SweepPlan* plan, const char* text, bool is_drawn) {
  const char* equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    return complain(options, ZW_ERR_ARGUMENT, "%s, not '%s'",
                    is_drawn ? "--draw needs name=low..high, as in --draw x=0..1"
                             : "--over needs name=values, as in --over m=1,2,4 or --over m=1..3:5",
                    text);
  }
  SweepAxis* axis = &plan->axes[plan->axis_count];
  char* name = calloc((size_t)(equals - text) + 1, 1);
  if (!name) return complain(options, ZW_ERR_MEMORY, "out of memory");
  memcpy(name, text, (size_t)(equals - text));
  int exit_code = check_once(options, plan, name);
  if (!exit_code) exit_code = check_column(options, name);
  *axis = (SweepAxis){.name = name, .is_drawn = is_drawn};
  plan->axis_count++;
  if (exit_code) return exit_code;
  return is_drawn ? read_draw(options, axis, equals + 1, text) : read_list(options, axis, equals + 1, text);
}

/* ---- the plan ---- */

static int count_members(const Options* options, SweepPlan* plan) {
  double members = 1;
  int32_t draws = 0;
  for (int32_t i = 0; i < plan->axis_count; i++) {
    SweepAxis* axis = &plan->axes[i];
    if (axis->is_drawn)
      axis->draw = draws++;
    else
      members *= axis->count;
  }
  bool has_count = !isnan(options->count);
  if (draws > 0 && !has_count) {
    return complain(options, ZW_ERR_ARGUMENT, "how many draws? --draw needs --count N, as in --count 100");
  }
  if (draws == 0 && (has_count || options->seed)) {
    return complain(options, ZW_ERR_ARGUMENT, "%s is about draws, and there is no --draw",
                    has_count ? "--count" : "--seed");
  }
  if (has_count) members *= options->count;
  if (members > MEMBERS_MAX) {
    return complain(options, ZW_ERR_LIMIT, "the sweep would have %.9g members; %d are the most", members,
                    (int)MEMBERS_MAX);
  }
  plan->draw_count = has_count ? (int32_t)options->count : 1;
  plan->members = (int32_t)members;
  return EXIT_FINE;
}

static int read_seed(const Options* options, SweepPlan* plan) {
  plan->seed = 1;
  if (!options->seed) return EXIT_FINE;
  size_t size = strlen(options->seed);
  if (size == 0 || size > 18 || strspn(options->seed, "0123456789") != size) {
    return complain(options, ZW_ERR_ARGUMENT, "--seed needs a whole number of at most 18 digits, not '%s'",
                    options->seed);
  }
  plan->seed = strtoull(options->seed, NULL, 10);
  return EXIT_FINE;
}

int sweep_plan_read(const Options* options, SweepPlan* plan) {
  *plan = (SweepPlan){0};
  for (int32_t i = 0; i < options->axis_count; i++) {
    int exit_code = read_axis(options, plan, options->axes[i].text, options->axes[i].is_drawn);
    if (exit_code) return exit_code;
  }
  if (plan->axis_count == 0) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "what is to be swept? write --over m=1,2,4, or --draw x=0..1 --count 100");
  }
  int exit_code = read_seed(options, plan);
  return exit_code ? exit_code : count_members(options, plan);
}

/* The model's own name of a start value; NULL: it is none, or it is called so already. */
static const char* own_name(const ZwModel* model, const char* name) {
  int32_t column = zw_model_column_find(model, name);
  bool is_start = column >= 1 && column <= 2 * zw_model_coordinate_count(model);
  const char* own = is_start ? zw_model_column(model, column) : NULL;
  return own && strcmp(own, name) != 0 ? own : NULL;
}

int sweep_plan_resolve(const Options* options, const ZwModel* model, SweepPlan* plan) {
  for (int32_t i = 0; i < plan->axis_count; i++) {
    const char* own = own_name(model, plan->axes[i].name);
    if (!own) continue;
    int exit_code = check_once(options, plan, own);
    char* copy = exit_code ? NULL : join_path(".", own, "");
    if (!copy) return exit_code ? exit_code : complain(options, ZW_ERR_MEMORY, "out of memory");
    free(plan->axes[i].name);
    plan->axes[i].name = copy;
  }
  return EXIT_FINE;
}

void sweep_plan_free(SweepPlan* plan) {
  for (int32_t i = 0; i < plan->axis_count; i++) {
    free(plan->axes[i].name);
    free(plan->axes[i].values);
  }
}
