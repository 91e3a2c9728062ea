/* A member whose values ask for a model that is made of other things (another number of links, another branch of an `if`): the model is compiled
 * anew with them, from the texts that are there already. Its columns are found by their names; one that it does not have is NaN. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/sweep.h"

/* ---- texts ---- */

typedef struct Texts {
  const ZwModel* model;
  ZwReader outside; /* for a file that only this member uses; one at a time */
} Texts;

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static ZwStatus copy_text(ZwModelText from, char** text, size_t* size) {
  *text = malloc(from.size + 1);
  if (!*text) return ZW_ERR_MEMORY;
  if (from.size > 0) memcpy(*text, from.text, from.size);
  *size = from.size;
  return ZW_OK;
}

static ZwStatus read_again(void* context, const char* name, const char* path, bool is_library, char** text,
                           size_t* size, const char** why) {
  const Texts* texts = context;
  for (int32_t i = 1; i < zw_model_text_count(texts->model); i++) {
    ZwModelText one = zw_model_text(texts->model, i);
    if (strcmp(one.name, path) == 0) return copy_text(one, text, size);
  }
  char* found = NULL;
  pthread_mutex_lock(&reading);
  ZwStatus status = texts->outside.read(texts->outside.context, name, path, is_library, &found, size, why);
  if (status == ZW_OK) {
    status = copy_text((ZwModelText){path, found, *size}, text, size);
    texts->outside.release(texts->outside.context, found);
  }
  pthread_mutex_unlock(&reading);
  return status;
}

static void release_again(void* context, char* text) {
  (void)context;
  free(text);
}

/* ---- values ---- */

static bool is_start(const ZwModel* model, const char* name) {
  for (int32_t i = 1; i <= 2 * zw_model_coordinate_count(model); i++) {
    if (strcmp(zw_model_column(model, i), name) == 0) return true;
  }
  return false;
}

static ZwModel* compile_member(const Options* options, const ZwModel* model, const ZwSet* sets, int32_t count,
                               char* why) {
  ZwCompileDef def = zw_default_compile_def();
  ZwModelText own = zw_model_text(model, 0);
  Texts texts = {model, make_reader(options)};
  def.text = own.text;
  def.size = own.size;
  def.name = own.name;
  def.sets = sets;
  def.set_count = count;
  def.reader = (ZwReader){read_again, release_again, &texts};
  def.limits = options->limits;
  def.kernel = options->kernel;
  ZwModel* anew = NULL;
  ZwStatus status = zw_model_compile(&def, &anew);
  if (status == ZW_OK) return anew;
  const char* reason = zw_status_text(status);
  for (int32_t i = zw_model_diag_count(anew) - 1; i >= 0; i--) {
    if (zw_model_diag(anew, i)->severity == ZW_SEVERITY_ERROR) reason = zw_model_diag(anew, i)->text;
  }
  zw_snprintf(why, ZW_CSV_TEXT + 1, "%s", reason);
  zw_model_destroy(anew);
  return NULL;
}

ZwModel* sweep_rebuild(const Options* options, const ZwModel* model, ZwRunChange* changes, int32_t* change_count,
                       char* why) {
  static const size_t longest = 40;
  ZwSet sets[2 * SETS_MAX];
  char values[SETS_MAX][40];
  int32_t count = 0, kept = 0;
  for (; count < options->set_count; count++) sets[count] = options->sets[count];
  for (int32_t i = 0; i < *change_count; i++) {
    if (is_start(model, changes[i].name)) {
      changes[kept++] = changes[i];
      continue;
    }
    zw_snprintf(values[i], longest, "%.17g", changes[i].value);
    sets[count++] = (ZwSet){changes[i].name, values[i]};
  }
  *change_count = kept;
  return compile_member(options, model, sets, count, why);
}

/* ---- columns ---- */

int32_t* sweep_find_columns(const ZwModel* model, const ZwModel* member) {
  int32_t count = zw_model_column_count(model), others = zw_model_column_count(member);
  int32_t* places = calloc((size_t)count + 1, sizeof *places);
  for (int32_t i = 0, k = 0; places && i < count; i++) {
    int32_t looked_at = 0; /* most stand where the one before it did, and one further */
    while (looked_at < others && strcmp(zw_model_column(model, i), zw_model_column(member, k)) != 0) {
      looked_at++;
      k = k + 1 < others ? k + 1 : 0;
    }
    places[i] = looked_at < others ? k : -1;
  }
  return places;
}
