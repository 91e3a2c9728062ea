#include <string.h>

#include "extension.h"

/* ---- files that the model uses ---- */

typedef struct Reading {
  Outside outside;
  PyObject*
      reader; /* reader(name, path, is_library) gives bytes, a text that says why not, or None: there is no such file */
  PyObject* kept; /* a list of reasons: they live until the model is compiled */
} Reading;

static ZwStatus take_bytes(PyObject* answer, char** text, size_t* size) {
  char* bytes;
  Py_ssize_t count;
  if (PyBytes_AsStringAndSize(answer, &bytes, &count) < 0) return ZW_ERR_IO;
  *text = malloc((size_t)count + 1);
  if (!*text) return ZW_ERR_MEMORY;
  memcpy(*text, bytes, (size_t)count);
  (*text)[count] = 0;
  *size = (size_t)count;
  return ZW_OK;
}

static ZwStatus take_answer(Reading* reading, PyObject* answer, char** text, size_t* size, const char** why) {
  if (!answer) return ZW_ERR_IO;
  if (Py_IsNone(answer)) return ZW_ERR_NAME;
  if (!PyUnicode_Check(answer)) return take_bytes(answer, text, size);
  *why = PyUnicode_AsUTF8AndSize(answer, NULL);
  if (*why) PyList_Append(reading->kept, answer);
  return ZW_ERR_IO;
}

static ZwStatus read_used(void* context, const char* name, const char* path, bool is_library, char** text, size_t* size,
                          const char** why) {
  Reading* reading = context;
  *why = "it could not be read";
  outside_end(&reading->outside);
  PyObject* answer = PyObject_CallFunction(reading->reader, "NNN", PyUnicode_DecodeFSDefault(name),
                                           PyUnicode_DecodeFSDefault(path), PyBool_FromLong(is_library));
  ZwStatus status = take_answer(reading, answer, text, size, why);
  Py_XDECREF(answer);
  if (PyErr_Occurred()) outside_keep_error(&reading->outside);
  outside_begin(&reading->outside);
  return status;
}

static void release_used(void* context, char* text) {
  (void)context;
  free(text);
}

/* ---- compiling ---- */

/* Pairs of name and value. The texts belong to `sets`, which outlives the call. NULL: an exception is set. */
static ZwSet* read_sets(PyObject* sets, Py_ssize_t* count) {
  *count = PyTuple_Size(sets);
  if (*count < 0) return NULL;
  ZwSet* list = calloc((size_t)*count + 1, sizeof *list);
  if (!list) PyErr_NoMemory();
  for (Py_ssize_t i = 0; list && i < *count; i++) {
    if (PyArg_ParseTuple(PyTuple_GetItem(sets, i), "ss", &list[i].name, &list[i].value)) continue;
    free(list);
    list = NULL;
  }
  return list;
}

/* Pairs of name and level, alike. */
static ZwHostConstraint* read_constraints(PyObject* constraints, Py_ssize_t* count) {
  *count = PyTuple_Size(constraints);
  if (*count < 0) return NULL;
  ZwHostConstraint* list = calloc((size_t)*count + 1, sizeof *list);
  if (!list) PyErr_NoMemory();
  for (Py_ssize_t i = 0; list && i < *count; i++) {
    int level = 0;
    bool is_read = PyArg_ParseTuple(PyTuple_GetItem(constraints, i), "si", &list[i].name, &level);
    list[i].level = (ZwConstraintLevel)level;
    if (is_read) continue;
    free(list);
    list = NULL;
  }
  return list;
}

static void compile(Model* self, ZwCompileDef* def, Reading* reading) {
  if (!Py_IsNone(reading->reader)) def->reader = (ZwReader){read_used, release_used, reading};
  outside_begin(&reading->outside);
  self->status = zw_model_compile(def, &self->model);
  outside_end(&reading->outside);
}

static PyObject* model_new(PyTypeObject* type, PyObject* args, PyObject* names) {
  static char* keys[] = {"text", "name", "sets", "reader", "kernel", "memory", "constraints", NULL};
  ZwCompileDef def = zw_default_compile_def();
  PyObject *sets, *constraints;
  Reading reading = {0};
  Py_ssize_t size, count, constraint_count = 0, memory;
  if (!PyArg_ParseTupleAndKeywords(args, names, "y#yO!OznO!", keys, &def.text, &size, &def.name, &PyTuple_Type, &sets,
                                   &reading.reader, &def.kernel, &memory, &PyTuple_Type, &constraints)) {
    return NULL;
  }
  def.size = (size_t)size;
  if (memory >= 0) def.limits.memory = (size_t)memory;
  ZwSet* list = read_sets(sets, &count);
  ZwHostConstraint* rows = list ? read_constraints(constraints, &constraint_count) : NULL;
  if (!rows) {
    free(list);
    return NULL;
  }
  def.sets = list;
  def.set_count = (int32_t)count;
  def.constraints = rows;
  def.constraint_count = (int32_t)constraint_count;
  Model* self = (Model*)PyType_GenericAlloc(type, 0);
  if (self) self->constraint_count = def.constraint_count;
  reading.kept = PyList_New(0);
  if (self && reading.kept) compile(self, &def, &reading);
  Py_XDECREF(reading.kept);
  free(list);
  free(rows);
  bool is_wrong = !self || outside_raise(&reading.outside) || PyErr_Occurred();
  if (!is_wrong && !self->model) {
    is_wrong = true;
    PyErr_NoMemory();
  }
  if (is_wrong) Py_CLEAR(self);
  return (PyObject*)self;
}

static void model_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  zw_model_destroy(((Model*)object)->model);
  PyObject_Free(object);
  Py_DECREF(type);
}

/* ---- what it tells ---- */

static PyObject* model_status(PyObject* object, PyObject* nothing) {
  (void)nothing;
  ZwStatus status = ((Model*)object)->status;
  return Py_BuildValue("ss", zw_status_name(status), zw_status_text(status));
}

static PyObject* model_diags(PyObject* object, PyObject* nothing) {
  (void)nothing;
  const ZwModel* model = ((Model*)object)->model;
  int32_t count = zw_model_diag_count(model);
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    PyObject* diag = diag_to_python(zw_model_diag(model, i));
    if (!diag || PyList_SetItem(list, i, diag) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* name_list(const ZwModel* model, int32_t count, const char* (*name_at)(const ZwModel*, int32_t)) {
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    PyObject* name = PyUnicode_FromString(name_at(model, i));
    if (!name || PyList_SetItem(list, i, name) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* model_columns(PyObject* object, PyObject* nothing) {
  (void)nothing;
  const ZwModel* model = ((Model*)object)->model;
  return name_list(model, zw_model_column_count(model), zw_model_column);
}

static PyObject* model_contacts(PyObject* object, PyObject* nothing) {
  (void)nothing;
  const ZwModel* model = ((Model*)object)->model;
  return name_list(model, zw_model_contact_count(model), zw_model_contact);
}

/* coordinates, outputs, errors */
static PyObject* model_counts(PyObject* object, PyObject* nothing) {
  (void)nothing;
  const ZwModel* model = ((Model*)object)->model;
  return Py_BuildValue("iii", (int)zw_model_coordinate_count(model), (int)zw_model_output_count(model),
                       (int)zw_model_error_count(model));
}

static PyObject* model_kernel(PyObject* object, PyObject* nothing) {
  (void)nothing;
  return PyUnicode_FromString(zw_model_kernel(((Model*)object)->model));
}

static PyObject* model_plots(PyObject* object, PyObject* nothing) {
  (void)nothing;
  const ZwModel* model = ((Model*)object)->model;
  int32_t count = zw_model_plot_count(model);
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    const ZwPlot* plot = zw_model_plot(model, i);
    PyObject* columns = PyList_New(plot->count);
    for (int32_t k = 0; columns && k < plot->count; k++) {
      PyList_SetItem(columns, k, PyLong_FromLong(plot->columns[k]));
    }
    PyObject* item = Py_BuildValue("NNisN", columns, text_list(plot->names, plot->count), (int)plot->against,
                                   plot->against_name, PyBool_FromLong(plot->is_equal));
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

/* The page, or None: the status tells why. */
static PyObject* derive(const ZwModel* model, int form, int parts, const ZwDetailDef* columns) {
  ZwDeriveDef def = {(ZwDeriveForm)form,       parts,          columns->eliminate,
                     columns->eliminate_count, columns->order, columns->order_count};
  ZwDerivePage page;
  Outside outside = {0};
  outside_begin(&outside);
  ZwStatus status = zw_model_derive_parts(model, &def, &page);
  outside_end(&outside);
  if (status == ZW_ERR_MEMORY) return PyErr_NoMemory();
  PyObject* answer = Py_BuildValue("sszii", zw_status_name(status), zw_status_text(status), page.text, (int)page.rank,
                                   (int)page.dependent);
  zw_text_free(model, page.text);
  return answer;
}

static PyObject* model_derive(PyObject* object, PyObject* args) {
  const ZwModel* model = ((Model*)object)->model;
  int form, parts;
  WishArguments asked = {.possible = Py_None, .displacement = Py_None};
  Wish wish = {0};
  PyObject* answer = NULL;
  if (!PyArg_ParseTuple(args, "iiOO", &form, &parts, &asked.eliminate, &asked.order)) return NULL;
  if (wish_read(&asked, 0, &wish)) answer = derive(model, form, parts, &wish.def);
  wish_free(&wish);
  return answer;
}

static PyMethodDef model_methods[] = {
    {"status", model_status, METH_NOARGS, "Name and sentence of what compiling has answered."},
    {"diags", model_diags, METH_NOARGS, "Messages as tuples."},
    {"columns", model_columns, METH_NOARGS, "Names of the columns of rows."},
    {"contacts", model_contacts, METH_NOARGS, "Names of contacts."},
    {"counts", model_counts, METH_NOARGS, "How many coordinates, outputs and errors there are."},
    {"kernel", model_kernel, METH_NOARGS, "What computes the equations."},
    {"plots", model_plots, METH_NOARGS, "Plot statements as tuples."},
    {"derive", model_derive, METH_VARARGS,
     "derive(form, parts, eliminate, order) gives status, sentence, the equations as text (0), LaTeX (1) or JSON (2), "
     "rank, dependent coordinate."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_doc, "A compiled model."},
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, model_methods},
    {0, NULL},
};

PyType_Spec model_spec = {
    .name = "zwang._zwang.Model", .basicsize = sizeof(Model), .flags = Py_TPFLAGS_DEFAULT, .slots = model_slots};
