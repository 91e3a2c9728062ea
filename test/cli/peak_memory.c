/* Runs a command and prints the most memory it took, in KB, and its time in milliseconds: peak_memory COMMAND ... */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  double begin = now();
  pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) return 2;
  double end = now();
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  fprintf(stderr, "%ld %.1f\n", usage.ru_maxrss, end - begin);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
