#include <string.h>

#include "extension.h"

typedef struct Rows {
  PyObject head;
  double* data;
  Py_ssize_t shape[2], strides[2];
} Rows;

PyObject* rows_create(const ModuleState* state, double* data, Py_ssize_t rows, Py_ssize_t columns) {
  Rows* self = (Rows*)PyType_GenericAlloc(state->rows_type, 0);
  if (!self) {
    free(data);
    return NULL;
  }
  Py_ssize_t size = (Py_ssize_t)sizeof(double);
  self->data = data;
  self->shape[0] = rows;
  self->shape[1] = columns;
  self->strides[0] = columns * size;
  self->strides[1] = size;
  return (PyObject*)self;
}

PyObject* rows_copy(const ModuleState* state, const double* numbers, Py_ssize_t rows, Py_ssize_t columns) {
  size_t size = (size_t)(rows * columns) * sizeof(double);
  double* data = malloc(size > 0 ? size : 1);
  if (!data) return PyErr_NoMemory();
  if (size > 0) memcpy(data, numbers, size);
  return rows_create(state, data, rows, columns);
}

static void rows_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  free(((Rows*)object)->data);
  PyObject_Free(object);
  Py_DECREF(type);
}

/* All of it, and always as what it is: a writable table of doubles, row by row. */
static int rows_get_buffer(PyObject* object, Py_buffer* view, int flags) {
  Rows* self = (Rows*)object;
  static double nothing; /* a buffer needs an address, also where there are no rows */
  bool has_shape = (flags & PyBUF_ND) == PyBUF_ND, has_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) {
    view->obj = NULL;
    PyErr_SetString(PyExc_BufferError, "rows are stored one behind the other");
    return -1;
  }
  *view = (Py_buffer){.buf = self->data ? (void*)self->data : (void*)&nothing,
                      .obj = Py_NewRef(object),
                      .len = self->shape[0] * self->strides[0],
                      .itemsize = (Py_ssize_t)sizeof(double),
                      .format = flags & PyBUF_FORMAT ? "d" : NULL,
                      .ndim = has_shape ? 2 : 1,
                      .shape = has_shape ? self->shape : NULL,
                      .strides = has_strides ? self->strides : NULL};
  return 0;
}

static PyType_Slot rows_slots[] = {
    {Py_tp_doc, "Numbers of a run, which NumPy reads where they are."},
    {Py_tp_dealloc, rows_dealloc},
    {Py_bf_getbuffer, rows_get_buffer},
    {0, NULL},
};

PyType_Spec rows_spec = {.name = "zwang._zwang.Rows",
                         .basicsize = sizeof(Rows),
                         .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         .slots = rows_slots};
