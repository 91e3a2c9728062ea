#include <string.h>

#include "extension.h"

/* A copy: the answer belongs to the run, which the arrays may outlive. */
static PyObject* table(const ModuleState* state, const double* numbers, Py_ssize_t rows, Py_ssize_t columns) {
  size_t size = (size_t)(rows * columns) * sizeof(double);
  double* data = malloc(size > 0 ? size : 1);
  if (!data) return PyErr_NoMemory();
  if (size > 0) memcpy(data, numbers, size);
  return rows_create(state, data, rows, columns);
}

/* Real and imaginary part beside each other, as NumPy's complex numbers are: `width` of them in a row. */
static PyObject* complex_table(const ModuleState* state, const ZwLinearization* l, bool is_shape) {
  Py_ssize_t width = is_shape ? l->n : 1;
  double* data = malloc((size_t)(l->count * width * 2 + 1) * sizeof(double));
  if (!data) return PyErr_NoMemory();
  double* to = data;
  for (int32_t i = 0; i < l->count; i++) {
    const ZwEigenmode* mode = &l->modes[i];
    for (Py_ssize_t j = 0; j < width; j++) {
      *to++ = is_shape ? mode->shape_re[j] : mode->re;
      *to++ = is_shape ? mode->shape_im[j] : mode->im;
    }
  }
  return rows_create(state, data, l->count, 2 * width);
}

static PyObject* kinds(const ZwLinearization* l) {
  static const char* const words[] = {[ZW_MODE_UNSTABLE] = "unstable",
                                      [ZW_MODE_UNDAMPED] = "undamped",
                                      [ZW_MODE_STABLE] = "stable",
                                      [ZW_MODE_NEUTRAL] = "neutral",
                                      [ZW_MODE_SYMMETRY] = "symmetry"};
  PyObject* list = PyList_New(l->count);
  for (int32_t i = 0; list && i < l->count; i++) {
    PyObject* word = PyUnicode_FromString(words[l->modes[i].kind]);
    if (!word || PyList_SetItem(list, i, word) < 0) Py_CLEAR(list);
  }
  return list;
}

static const char* place(const ZwLinearization* l) {
  if (l->at == ZW_LINEARIZE_EQUILIBRIUM) return "equilibrium";
  return l->at == ZW_LINEARIZE_STEADY ? "steady" : "state";
}

/* Takes `value` over; NULL when making it has failed. */
static bool add(PyObject* dict, const char* name, PyObject* value) {
  bool is_added = value && PyDict_SetItemString(dict, name, value) == 0;
  Py_XDECREF(value);
  return is_added;
}

static bool add_place(PyObject* dict, const ModuleState* state, const ZwLinearization* l) {
  return add(dict, "at", PyUnicode_FromString(place(l))) && add(dict, "t", PyFloat_FromDouble(l->t)) &&
         add(dict, "q", table(state, l->q, 1, l->n)) && add(dict, "v", table(state, l->v, 1, l->n)) &&
         add(dict, "a", table(state, l->a, 1, l->n)) && add(dict, "reactions", table(state, l->reactions, 1, l->m)) &&
         add(dict, "row_names", text_list(l->row_names, l->m)) &&
         add(dict, "residual", PyFloat_FromDouble(l->residual)) &&
         add(dict, "iterations", PyLong_FromLong(l->iterations)) && add(dict, "way", PyFloat_FromDouble(l->way)) &&
         add(dict, "way_index", PyLong_FromLong(l->way_index)) &&
         add(dict, "way_from", PyFloat_FromDouble(l->way_from)) && add(dict, "freedom", PyLong_FromLong(l->freedom));
}

static bool add_modes(PyObject* dict, const ModuleState* state, const ZwLinearization* l) {
  return add(dict, "eigenvalues", complex_table(state, l, false)) && add(dict, "kinds", kinds(l)) &&
         add(dict, "shapes", complex_table(state, l, true)) &&
         add(dict, "constraint_zeros", PyLong_FromLong(2 * (long)l->position_rows + l->velocity_rows));
}

static bool add_matrices(PyObject* dict, const ModuleState* state, const ZwLinearization* l, Py_ssize_t inputs,
                         Py_ssize_t columns) {
  Py_ssize_t count = l->count, size = 2 * (Py_ssize_t)l->n;
  return add(dict, "A", table(state, l->matrix, count, count)) &&
         add(dict, "basis", table(state, l->basis, count, size)) &&
         add(dict, "projection", table(state, l->projection, count, size)) &&
         add(dict, "B", table(state, l->input_matrix, count, inputs)) &&
         add(dict, "C", table(state, l->output_matrix, columns, count)) &&
         add(dict, "D", table(state, l->direct_matrix, columns, inputs));
}

PyObject* linearization_to_python(const ModuleState* state, const ZwLinearization* l, Py_ssize_t inputs,
                                  Py_ssize_t columns) {
  PyObject* dict = PyDict_New();
  bool is_whole =
      dict && add_place(dict, state, l) && add_modes(dict, state, l) && add_matrices(dict, state, l, inputs, columns);
  if (!is_whole) Py_CLEAR(dict);
  return dict;
}
