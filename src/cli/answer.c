/* Texts that are the answer of a command: to standard output, or into the file that --output names. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/draft.h"

/* Whether a file that is not there yet can be made: its folder is said to be missing, not our unfinished file in it. */
static bool is_place_fine(const Options* options) {
  struct stat info;
  const char* slash = strrchr(options->output, '/');
  if (stat(options->output, &info) == 0) return true;
  size_t size = slash ? (size_t)(slash - options->output) : 0;
  char* folder = slash && size > 0 ? strndup(options->output, size) : strdup(slash ? "/" : ".");
  if (!folder) return true; /* the writer says so */
  bool is_fine = is_folder_fine(options, folder);
  free(folder);
  return is_fine;
}

/* Writes the parts one after the other; EXIT_FINE or what was complained of. */
static int write_file(const Options* options, const char* const* parts, int count) {
  char error[ZW_DRAFT_ERROR] = "";
  ZwAllocator allocator = zw_allocator_default();
  ZwDraft draft = {0};
  if (was_read(options, options->output)) {
    return complain(options, ZW_ERR_ARGUMENT, "the output '%s' would overwrite a file the model is made from",
                    options->output);
  }
  int exit_code = check_kind(options, options->output, KIND_DERIVED);
  if (exit_code) return exit_code;
  if (!is_place_fine(options)) return EXIT_WRONG;
  ZwStatus status = zw_draft_open(&draft, &allocator, options->output, error);
  for (int i = 0; i < count && !status; i++) status = zw_draft_write(&draft, parts[i], strlen(parts[i]), error);
  if (!status) status = zw_draft_finish(&draft, error);
  zw_draft_discard(&draft);
  return status ? complain(options, status, "%s", error) : EXIT_FINE;
}

int answer_text(const Options* options, const char* const* parts, int count) {
  if (options->output) return write_file(options, parts, count);
  for (int i = 0; i < count; i++) fputs(parts[i], stdout);
  return EXIT_FINE;
}
