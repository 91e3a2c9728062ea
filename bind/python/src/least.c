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
  static char* keys[] = {"n", "m", "formulation", "parts", NULL};
  ZwLeastDef def = zw_default_least_def();
  int n, m, parts;
  if (!PyArg_ParseTupleAndKeywords(args, names, "iisi", keys, &n, &m, &def.formulation, &parts)) return NULL;
  def.n = n;
  def.m = m;
  def.detail = parts;
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
  outside_begin(&outside);
  ZwStatus status = zw_least_solve(self->solver, in, out);
  outside_end(&outside);
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

enum { NUMBERS = 9 }; /* M, h, A, b; a, lambda, Qc; an inverse and A-, or None */

static bool get_views(PyObject* const* given, Py_ssize_t n, Py_ssize_t m, int kind, Py_buffer* views) {
  static const char* const names[NUMBERS] = {"M", "h", "A", "b", "a", "lambda", "Qc", "inverse", "A_inverse"};
  const Py_ssize_t inverses[] = {0, n * m, m * m, n * m, n * n}; /* ORDER INVERSE */
  if (kind < ZW_INVERSE_NONE || kind > ZW_INVERSE_H13) {
    PyErr_SetString(PyExc_ValueError, "there is no inverse of this kind");
    return false;
  }
  const Py_ssize_t sizes[NUMBERS] = {n * n, n, m * n, m, n, m, n, inverses[kind], n * m};
  for (int i = 0; i < NUMBERS; i++) {
    if (i >= 7 && Py_IsNone(given[i])) continue;
    if (!numbers_get(given[i], sizes[i], i >= 4 && i < 7, names[i], &views[i])) return false;
  }
  return true;
}

/* What the solver has found lives until the next solve, so no solve may begin before it has been copied. */
static PyObject* answer_of(const Least* self, ZwStatus status, const ZwLeastOutput* out) {
  const ModuleState* state = PyType_GetModuleState(Py_TYPE((PyObject*)self));
  return Py_BuildValue("ssiNdddsN", zw_status_name(status), zw_status_text(status), (int)out->rank,
                       PyBool_FromLong(out->is_minimum), out->residual, out->optimality, out->gaussian,
                       out->reason ? out->reason : "", detail_to_python(state, out->detail));
}

static PyObject* least_solve(PyObject* object, PyObject* args) {
  Least* self = (Least*)object;
  PyObject *given[NUMBERS], *answer = NULL;
  Py_buffer views[NUMBERS] = {0};
  int m, evidence, kind;
  WishArguments asked;
  Wish wish = {0};
  if (!PyArg_ParseTuple(args, "ipOOOOOOOiOOiOOOO", &m, &evidence, &given[0], &given[1], &given[2], &given[3], &given[4],
                        &given[5], &given[6], &kind, &given[7], &given[8], &asked.parts, &asked.eliminate, &asked.order,
                        &asked.possible, &asked.displacement) ||
      !enter(self, m)) {
    return NULL;
  }
  if (get_views(given, self->n, m, kind, views) && wish_read(&asked, self->n, &wish)) {
    ZwLeastInput in = {.m = m,
                       .M = views[0].buf,
                       .h = views[1].buf,
                       .A = views[2].buf,
                       .b = views[3].buf,
                       .wants_evidence = evidence,
                       .kind = (ZwInverseKind)kind,
                       .inverse = views[7].buf,
                       .A_inverse = views[8].buf,
                       .detail = wish.def.parts ? &wish.def : NULL};
    ZwLeastOutput out = {.a = views[4].buf, .lambda = views[5].buf, .Qc = views[6].buf, .reason = ""};
    self->is_busy = true;
    ZwStatus status = solve(self, &in, &out);
    answer = answer_of(self, status, &out);
    self->is_busy = false;
  }
  wish_free(&wish);
  for (int i = 0; i < NUMBERS; i++) {
    if (views[i].obj) PyBuffer_Release(&views[i]);
  }
  return answer;
}

static PyMethodDef least_methods[] = {
    {"solve", least_solve, METH_VARARGS,
     "solve(m, evidence, M, h, A, b, a, lambda, Qc, kind, inverse, A_inverse, parts, eliminate, order, possible, "
     "displacement) fills "
     "a, lambda and Qc; gives status, sentence, rank, is_minimum, residual, optimality, gaussian, reason, detail."},
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
