#include "extension.h"

void outside_begin(Outside* outside) {
  outside->thread = PyEval_SaveThread();
}

void outside_end(Outside* outside) {
  PyEval_RestoreThread(outside->thread);
  outside->thread = NULL;
}

void outside_keep_error(Outside* outside) {
  if (outside->error_type) {
    PyErr_Clear(); /* the first one is the one to tell */
    return;
  }
  PyErr_Fetch(&outside->error_type, &outside->error, &outside->error_trace);
}

bool outside_has_error(const Outside* outside) {
  return outside->error_type != NULL;
}

bool outside_raise(Outside* outside) {
  if (!outside->error_type) return false;
  PyErr_Restore(outside->error_type, outside->error, outside->error_trace);
  outside->error_type = outside->error = outside->error_trace = NULL;
  return true;
}
