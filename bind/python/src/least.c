#include <math.h>

#include "extension.h"

/* A solve that is shorter than this keeps the lock: to get it back may take longer than the solve, when another thread wants it. */
enum { LARGE = 64 }; /* coordinates and rows together */

typedef struct Least {
  PyObject head;
  ZwLeastSolver* solver;
  int32_t n, m;
  bool is_busy;
} Least;

static PyObject* least_new(PyTypeObject* type, PyObject* args, PyObject* names) {
  static char* keys[] = {"n", "m", "formulation", NULL};
  ZwLeastDef def = zw_default_least_def();
  int n, m;
  if (!PyArg_ParseTupleAndKeywords(args, names, "iis", keys, &n, &m, &def.formulation)) return NULL;
  def.n = n;
  def.m = m;
  Least* self = (Least*)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  self->n = def.n;
  self->m = def.m;
  ZwStatus status = zw_least_create(&def, &self->solver);
  if (status == ZW_OK) return (PyObject*)self;
  Py_DECREF(self);
  if (status == ZW_ERR_MEMORY) return PyErr_NoMemory();
  PyErr_SetString(PyExc_ValueError, zw_status_text(status));
  return NULL;
}

static void least_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  zw_least_destroy(((Least*)object)->solver);
  PyObject_Free(object);
  Py_DECREF(type);
}

static ZwStatus solve(Least* self, const ZwLeastInput* in, ZwLeastOutput* out) {
  if (self->n + in->m < LARGE) return zw_least_solve(self->solver, in, out);
  Outside outside = {0};
  self->is_busy = true;
  outside_begin(&outside);
  ZwStatus status = zw_least_solve(self->solver, in, out);
  outside_end(&outside);
  self->is_busy = false;
  return status;
}

static bool enter(const Least* self, int m) {
  if (self->is_busy) {
    PyErr_SetString(PyExc_RuntimeError, "the solver is at work in another thread");
  } else if (m < 0 || m > self->m) {
    PyErr_Format(PyExc_ValueError, "the solver has room for %d rows", (int)self->m);
  } else {
    return true;
  }
  return false;
}

enum { NUMBERS = 7 }; /* M, h, A, b; a, lambda, Qc */

static bool get_views(PyObject* const* given, Py_ssize_t n, Py_ssize_t m, Py_buffer* views) {
  static const char* const names[NUMBERS] = {"M", "h", "A", "b", "a", "lambda", "Qc"};
  const Py_ssize_t sizes[NUMBERS] = {n * n, n, m * n, m, n, m, n};
  for (int i = 0; i < NUMBERS; i++) {
    if (!numbers_get(given[i], sizes[i], i >= 4, names[i], &views[i])) return false;
  }
  return true;
}

static PyObject* least_solve(PyObject* object, PyObject* args) {
  Least* self = (Least*)object;
  PyObject *given[NUMBERS], *answer = NULL;
  Py_buffer views[NUMBERS] = {0};
  int m, evidence;
  if (!PyArg_ParseTuple(args, "ipOOOOOOO", &m, &evidence, &given[0], &given[1], &given[2], &given[3], &given[4],
                        &given[5], &given[6]) ||
      !enter(self, m)) {
    return NULL;
  }
  if (get_views(given, self->n, m, views)) {
    ZwLeastInput in = {m, views[0].buf, views[2].buf, views[1].buf, views[3].buf, evidence};
    ZwLeastOutput out = {.a = views[4].buf, .lambda = views[5].buf, .Qc = views[6].buf, .reason = ""};
    ZwStatus status = solve(self, &in, &out);
    answer = Py_BuildValue("ssiNddds", zw_status_name(status), zw_status_text(status), (int)out.rank,
                           PyBool_FromLong(out.is_minimum), out.residual, out.optimality, out.gaussian,
                           out.reason ? out.reason : "");
  }
  for (int i = 0; i < NUMBERS; i++) {
    if (views[i].obj) PyBuffer_Release(&views[i]);
  }
  return answer;
}

static PyMethodDef least_methods[] = {
    {"solve", least_solve, METH_VARARGS,
     "solve(m, evidence, M, h, A, b, a, lambda, Qc) fills the last three; gives status, sentence, rank, is_minimum, "
     "residual, "
     "optimality, gaussian, reason."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot least_slots[] = {
    {Py_tp_doc, "Gauss's principle on plain matrices."},
    {Py_tp_new, least_new},
    {Py_tp_dealloc, least_dealloc},
    {Py_tp_methods, least_methods},
    {0, NULL},
};

PyType_Spec least_spec = {
    .name = "zwang._zwang.Least", .basicsize = sizeof(Least), .flags = Py_TPFLAGS_DEFAULT, .slots = least_slots};
