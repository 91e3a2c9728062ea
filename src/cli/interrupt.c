#include <signal.h>
#include <stdatomic.h>

#include "cli/cli.h"

/* Read by all threads of a sweep. */
static atomic_bool interrupted;

static void on_signal(int signal_number) {
  (void)signal_number;
  atomic_store(&interrupted, true);
}

void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

bool is_interrupted(void) {
  return atomic_load(&interrupted);
}
