/* Texts that are the answer of a command: to standard output, or into the file that --output names. */
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/draft.h"

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
