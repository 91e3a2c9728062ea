#include <signal.h>

#include "cli/cli.h"

int main(int argc, char** argv) {
  Options options;
  signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes shows as a write that fails, and gets its message */
  int exit_code = read_options(argc, argv, &options);
  if (exit_code == EXIT_FINE) exit_code = find_command(options.command)->run(&options);
  /* a summary that could not be written is a failure too */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    zw_fprintf(stderr, "zwang: error: the output could not be written\n");
    if (exit_code == EXIT_FINE) exit_code = EXIT_FAILED;
  }
  free_options(&options);
  return exit_code;
}
