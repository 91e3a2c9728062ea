#include "extension.h"

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
  static const char* const words[] = {
      [ZW_MODE_UNSTABLE] = "unstable", [ZW_MODE_UNDAMPED] = "undamped", [ZW_MODE_STABLE] = "stable",
      [ZW_MODE_NEUTRAL] = "neutral",   [ZW_MODE_SYMMETRY] = "symmetry", [ZW_MODE_STUCK] = "stuck"};
  PyObject* list = PyList_New(l->count);
  for (int32_t i = 0; list && i < l->count; i++) {
    PyObject* word = PyUnicode_FromString(words[l->modes[i].kind]);
    if (!word || PyList_SetItem(list, i, word) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* contacts(const ZwLinearization* l) {
  static const char* const words[] = {[ZW_CONTACT_OPEN] = "open",
                                      [ZW_CONTACT_CLOSED] = "closed",
                                      [ZW_CONTACT_STICKS] = "sticks",
                                      [ZW_CONTACT_SLIPS] = "slips",
                                      [ZW_CONTACT_HIT] = "hit"};
  PyObject* dict = PyDict_New();
  for (int32_t i = 0; dict && i < l->contact_count; i++) {
    if (!dict_add(dict, l->contact_names[i], PyUnicode_FromString(words[l->contacts[i]]))) Py_CLEAR(dict);
  }
  return dict;
}

static PyObject* moves(const ZwLinearization* l) {
  PyObject* list = PyList_New(l->move_count);
  for (int32_t i = 0; list && i < l->move_count; i++) {
    const ZwMove* move = &l->moves[i];
    PyObject* item = Py_BuildValue("(sdd)", move->name, move->from, move->to);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static const char* place(const ZwLinearization* l) {
  if (l->at == ZW_LINEARIZE_EQUILIBRIUM) return "equilibrium";
  return l->at == ZW_LINEARIZE_STEADY ? "steady" : "state";
}

static bool add_place(PyObject* dict, const ModuleState* state, const ZwLinearization* l) {
  return dict_add(dict, "at", PyUnicode_FromString(place(l))) && dict_add(dict, "t", PyFloat_FromDouble(l->t)) &&
         dict_add(dict, "q", rows_copy(state, l->q, 1, l->n)) && dict_add(dict, "v", rows_copy(state, l->v, 1, l->n)) &&
         dict_add(dict, "a", rows_copy(state, l->a, 1, l->n)) &&
         dict_add(dict, "reactions", rows_copy(state, l->reactions, 1, l->m)) &&
         dict_add(dict, "row_names", text_list(l->row_names, l->m)) &&
         dict_add(dict, "residual", PyFloat_FromDouble(l->residual)) &&
         dict_add(dict, "iterations", PyLong_FromLong(l->iterations)) &&
         dict_add(dict, "way", PyFloat_FromDouble(l->way)) &&
         dict_add(dict, "way_index", PyLong_FromLong(l->way_index)) &&
         dict_add(dict, "way_from", PyFloat_FromDouble(l->way_from)) &&
         dict_add(dict, "freedom", PyLong_FromLong(l->freedom)) && dict_add(dict, "contacts", contacts(l)) &&
         dict_add(dict, "held", text_list(l->held_names, l->held_count)) &&
         dict_add(dict, "corners", text_list(l->corner_names, l->corner_count)) && dict_add(dict, "moves", moves(l)) &&
         dict_add(dict, "sizes", rows_copy(state, l->sizes, 1, l->n));
}

static bool add_modes(PyObject* dict, const ModuleState* state, const ZwLinearization* l) {
  return dict_add(dict, "eigenvalues", complex_table(state, l, false)) && dict_add(dict, "kinds", kinds(l)) &&
         dict_add(dict, "shapes", complex_table(state, l, true)) &&
         dict_add(dict, "constraint_zeros", PyLong_FromLong(2 * (long)l->position_rows + l->velocity_rows));
}

static bool add_matrices(PyObject* dict, const ModuleState* state, const ZwLinearization* l, Py_ssize_t inputs,
                         Py_ssize_t columns) {
  Py_ssize_t count = l->count, size = 2 * (Py_ssize_t)l->n;
  return dict_add(dict, "A", rows_copy(state, l->matrix, count, count)) &&
         dict_add(dict, "basis", rows_copy(state, l->basis, count, size)) &&
         dict_add(dict, "projection", rows_copy(state, l->projection, count, size)) &&
         dict_add(dict, "B", rows_copy(state, l->input_matrix, count, inputs)) &&
         dict_add(dict, "C", rows_copy(state, l->output_matrix, columns, count)) &&
         dict_add(dict, "D", rows_copy(state, l->direct_matrix, columns, inputs));
}

PyObject* linearization_to_python(const ModuleState* state, const ZwLinearization* l, Py_ssize_t inputs,
                                  Py_ssize_t columns) {
  PyObject* dict = PyDict_New();
  bool is_whole =
      dict && add_place(dict, state, l) && add_modes(dict, state, l) && add_matrices(dict, state, l, inputs, columns);
  if (!is_whole) Py_CLEAR(dict);
  return dict;
}
