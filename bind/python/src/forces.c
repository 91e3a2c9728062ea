#include "extension.h"

/* ---- the motion, and what is to make it ---- */

/* NULL: an exception is set. */
static ZwMotionColumn* read_columns(PyObject* names, const double* numbers, Py_ssize_t count, Py_ssize_t rows) {
  ZwMotionColumn* columns = calloc((size_t)count + 1, sizeof *columns);
  if (!columns) PyErr_NoMemory();
  for (Py_ssize_t i = 0; columns && i < count; i++) {
    columns[i].values = numbers + i * rows;
    if (PyArg_Parse(PyTuple_GetItem(names, i), "s", &columns[i].name)) continue;
    free(columns);
    columns = NULL;
  }
  return columns;
}

bool motion_read(PyObject* args, Motion* motion) {
  PyObject *table, *names, *by;
  Py_ssize_t rows;
  ZwForcesDef* def = &motion->def;
  *def = zw_default_forces_def();
  if (!PyArg_ParseTuple(args, "OnO!O!ddd", &table, &rows, &PyTuple_Type, &names, &PyTuple_Type, &by, &def->within,
                        &def->every, &def->tolerance)) {
    return false;
  }
  Py_ssize_t count = PyTuple_Size(names);
  if (rows < 0 || rows > INT32_MAX || count >= INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "a motion of %zd rows is too long", rows);
    return false;
  }
  if (!numbers_get(table, rows * (count + 1), false, "the motion", &motion->table)) return false;
  const double* numbers = motion->table.buf;
  motion->columns = read_columns(names, numbers + rows, count, rows);
  motion->by = motion->columns ? names_read(by, &def->by_count) : NULL;
  def->t = numbers;
  def->rows = (int32_t)rows;
  def->columns = motion->columns;
  def->column_count = (int32_t)count;
  def->by = motion->by;
  return motion->by != NULL;
}

void motion_free(Motion* motion) {
  free(motion->columns);
  free(motion->by);
  if (motion->table.obj) PyBuffer_Release(&motion->table);
}

/* ---- the answer ---- */

static PyObject* actuators(const ZwForces* f) {
  PyObject* list = PyList_New(f->count);
  for (int32_t i = 0; list && i < f->count; i++) {
    const ZwActuator* a = &f->actuators[i];
    PyObject* item = Py_BuildValue("sdddddd", a->name, a->largest, a->t_largest, a->part, a->rms, a->power, a->t_power);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* lacks(const ZwForces* f) {
  PyObject* list = PyList_New(f->lack_count);
  for (int32_t i = 0; list && i < f->lack_count; i++) {
    const ZwMissingForce* lack = &f->lacks[i];
    PyObject* item = Py_BuildValue("sddd", lack->name, lack->largest, lack->t_largest, lack->part);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* off(const ZwMotionOff* o) {
  return Py_BuildValue("ddi", o->size, o->t, (int)o->coordinate);
}

static bool add_tables(PyObject* dict, const ModuleState* state, const ZwForces* f) {
  return dict_add(dict, "t", rows_copy(state, f->t, 1, f->rows)) &&
         dict_add(dict, "q", rows_copy(state, f->q, f->rows, f->n)) &&
         dict_add(dict, "v", rows_copy(state, f->v, f->rows, f->n)) &&
         dict_add(dict, "a", rows_copy(state, f->a, f->rows, f->n)) &&
         dict_add(dict, "force", rows_copy(state, f->force, f->rows, f->count)) &&
         dict_add(dict, "missing", rows_copy(state, f->missing, f->rows, f->n)) &&
         dict_add(dict, "reactions", rows_copy(state, f->reaction, f->rows, f->m)) &&
         dict_add(dict, "row_names", text_list(f->row_names, f->m));
}

static bool add_evidence(PyObject* dict, const ZwForces* f) {
  return dict_add(dict, "is_full", PyBool_FromLong(f->is_full)) && dict_add(dict, "actuators", actuators(f)) &&
         dict_add(dict, "lacks", lacks(f)) && dict_add(dict, "missing_part", PyFloat_FromDouble(f->missing_part)) &&
         dict_add(dict, "doubt", off(&f->doubt)) &&
         dict_add(dict, "off", Py_BuildValue("NNN", off(&f->off[0]), off(&f->off[1]), off(&f->off[2]))) &&
         dict_add(dict, "spline_off", Py_BuildValue("dd", f->spline_off, f->t_spline_off)) &&
         dict_add(dict, "is_from_start", PyBool_FromLong(f->is_from_start)) &&
         dict_add(dict, "found", text_list(f->found, f->found_count)) &&
         dict_add(dict, "unused", text_list(f->unused, f->unused_count));
}

PyObject* forces_to_python(const ModuleState* state, const ZwForces* f) {
  PyObject* dict = PyDict_New();
  bool is_whole = dict && add_tables(dict, state, f) && add_evidence(dict, f);
  if (!is_whole) Py_CLEAR(dict);
  return dict;
}
