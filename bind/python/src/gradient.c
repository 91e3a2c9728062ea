#include "extension.h"

PyObject* gradient_to_python(const ModuleState* state, const ZwGradient* g) {
  PyObject* dict = PyDict_New();
  bool is_whole =
      dict && dict_add(dict, "of", PyUnicode_FromString(g->of)) && dict_add(dict, "t", PyFloat_FromDouble(g->t)) &&
      dict_add(dict, "value", PyFloat_FromDouble(g->value)) && dict_add(dict, "by", text_list(g->by, g->count)) &&
      dict_add(dict, "at", rows_copy(state, g->at, 1, g->count)) &&
      dict_add(dict, "derivatives", rows_copy(state, g->derivatives, 1, g->count));
  if (!is_whole) Py_CLEAR(dict);
  return dict;
}
