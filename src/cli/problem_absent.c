#include "cli/least.h"

int read_problem(const Options* options, ZwArena* arena, Problem* problem) {
  (void)arena, (void)problem;
  return complain(options, ZW_ERR_UNSUPPORTED, "this zwang was built without jansson, which reads problem files");
}
