/* Runs a command and prints the most memory it took, in KB: peak_memory COMMAND ... */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) return 2;
  struct rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  fprintf(stderr, "%ld\n", usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
