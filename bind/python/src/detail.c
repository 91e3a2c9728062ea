#include "extension.h"

/* ---- what is asked for ---- */

bool places_read(PyObject* places, int32_t** list, int32_t* count) {
  *list = NULL;
  *count = 0;
  if (Py_IsNone(places)) return true;
  Py_ssize_t size = PyTuple_Size(places);
  if (size < 0) return false;
  int32_t* read = calloc((size_t)size + 1, sizeof *read);
  if (!read) PyErr_NoMemory();
  for (Py_ssize_t i = 0; read && i < size; i++) {
    int place;
    if (PyArg_Parse(PyTuple_GetItem(places, i), "i", &place)) {
      read[i] = place;
      continue;
    }
    free(read);
    read = NULL;
  }
  *list = read;
  *count = read ? (int32_t)size : 0;
  return read != NULL;
}

bool wish_read(const WishArguments* given, Py_ssize_t n, Wish* wish) {
  *wish = (Wish){.def.parts = given->parts};
  ZwDetailDef* def = &wish->def;
  if (!places_read(given->eliminate, &wish->eliminate, &def->eliminate_count) ||
      !places_read(given->order, &wish->order, &def->order_count) ||
      (!Py_IsNone(given->possible) &&
       !numbers_get(given->possible, n, false, "the possible acceleration", &wish->possible)) ||
      (!Py_IsNone(given->displacement) &&
       !numbers_get(given->displacement, n, false, "the displacement", &wish->displacement))) {
    return false;
  }
  def->eliminate = wish->eliminate;
  def->order = wish->order;
  def->possible = wish->possible.buf;
  def->displacement = wish->displacement.buf;
  return true;
}

void wish_free(Wish* wish) {
  free(wish->eliminate);
  free(wish->order);
  if (wish->possible.obj) PyBuffer_Release(&wish->possible);
  if (wish->displacement.obj) PyBuffer_Release(&wish->displacement);
  *wish = (Wish){0};
}

/* ---- what is answered: copies, by the names of docs/formulations.md ---- */

typedef struct Filling {
  const ModuleState* state;
  PyObject* dict;
} Filling;

/* None stands for what does not exist. */
static bool matrix(const Filling* to, const char* name, Py_ssize_t rows, Py_ssize_t columns, const double* numbers) {
  return dict_add(to->dict, name, numbers ? rows_copy(to->state, numbers, rows, columns) : Py_NewRef(Py_None));
}

static bool vector(const Filling* to, const char* name, Py_ssize_t count, const double* numbers) {
  return matrix(to, name, 1, count, numbers);
}

static bool number(const Filling* to, const char* name, double value) {
  return dict_add(to->dict, name, PyFloat_FromDouble(value));
}

static bool truth(const Filling* to, const char* name, bool value) {
  return dict_add(to->dict, name, PyBool_FromLong(value));
}

static bool places(const Filling* to, const char* name, int32_t count, const int32_t* numbers) {
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    PyObject* item = PyLong_FromLong(numbers[i]);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return dict_add(to->dict, name, list);
}

static PyObject* displacement_to_python(const ModuleState* state, const ZwPartitionDetail* p) {
  if (!p->nu_i) return Py_NewRef(Py_None);
  Filling to = {state, PyDict_New()};
  bool is_whole = to.dict && vector(&to, "nu_i", p->f, p->nu_i) && vector(&to, "nu_e", p->r, p->nu_e) &&
                  number(&to, "work", p->work);
  if (!is_whole) Py_CLEAR(to.dict);
  return to.dict;
}

static PyObject* partition_to_python(const ModuleState* state, int32_t m, const ZwPartitionDetail* p) {
  Filling to = {state, PyDict_New()};
  int32_t r = p->r, f = p->f;
  bool is_whole = to.dict && places(&to, "e", r, p->e) && places(&to, "i", f, p->i) && matrix(&to, "Ae", m, r, p->Ae) &&
                  matrix(&to, "Ai", m, f, p->Ai) && matrix(&to, "R", r, f, p->R) && matrix(&to, "K", f, f, p->K) &&
                  vector(&to, "P", f, p->P) && vector(&to, "right", f, p->right) && vector(&to, "c", r, p->c) &&
                  vector(&to, "S1", f, p->S1) && number(&to, "S0", p->S0) &&
                  vector(&to, "K_eigenvalues", f, p->K_eigenvalues) && number(&to, "det", p->det) &&
                  truth(&to, "uncoupled", p->is_uncoupled) &&
                  dict_add(to.dict, "displacement", displacement_to_python(state, p));
  if (!is_whole) Py_CLEAR(to.dict);
  return to.dict;
}

/* What belongs to columns is one row for each. */
static PyObject* bellman_to_python(const ModuleState* state, int32_t n, int32_t m, const ZwBellmanDetail* b) {
  Filling to = {state, PyDict_New()};
  Py_ssize_t free_columns = n - b->r, square = (Py_ssize_t)m * m;
  bool is_whole = to.dict && dict_add(to.dict, "r", PyLong_FromLong(b->r)) && places(&to, "order", n, b->order) &&
                  matrix(&to, "C", m, n, b->C) && matrix(&to, "R", free_columns + 1, square, b->R) &&
                  matrix(&to, "beta", free_columns, m, b->beta) && matrix(&to, "kappa", free_columns, m, b->kappa) &&
                  matrix(&to, "feedback", n, n, b->feedback) && matrix(&to, "d", free_columns + 1, m, b->d) &&
                  vector(&to, "y", n, b->y) && vector(&to, "g", free_columns + 1, b->g) &&
                  vector(&to, "gdrop", free_columns, b->gdrop) && vector(&to, "excess", free_columns, b->excess);
  if (!is_whole) Py_CLEAR(to.dict);
  return to.dict;
}

static PyObject* possible_to_python(const ModuleState* state, int32_t n, int32_t m, const ZwPossibleDetail* p) {
  Filling to = {state, PyDict_New()};
  bool is_whole = to.dict && vector(&to, "a", n, p->a) && vector(&to, "residual", m, p->residual) &&
                  number(&to, "G", p->G) && number(&to, "excess", p->excess) &&
                  number(&to, "distance2", p->distance2) && number(&to, "work", p->work) &&
                  vector(&to, "nearest", n, p->nearest) && number(&to, "G_nearest", p->G_nearest) &&
                  number(&to, "S", p->S) && truth(&to, "completed", p->is_completed);
  if (!is_whole) Py_CLEAR(to.dict);
  return to.dict;
}

static bool add_answer(const Filling* to, const ZwLeastDetail* d) {
  int32_t n = d->n, m = d->m;
  return dict_add(to->dict, "rank", PyLong_FromLong(d->rank)) && places(to, "J", d->rank, d->rows) &&
         matrix(to, "E", m, d->rank, d->E) && matrix(to, "M", n, n, d->M) && vector(to, "h", n, d->h) &&
         matrix(to, "A", m, n, d->A) && vector(to, "b", m, d->b) && vector(to, "a0", n, d->a0) &&
         vector(to, "d", m, d->d) && matrix(to, "D", m, m, d->D) && vector(to, "a", n, d->a) &&
         vector(to, "lambda_", m, d->lambda) && vector(to, "lambda_b", m, d->lambda_b) &&
         vector(to, "lambda_h", m, d->lambda_h) && vector(to, "Qc", n, d->Qc) && vector(to, "Qc_b", n, d->Qc_b) &&
         vector(to, "Qc_h", n, d->Qc_h) && vector(to, "a_b", n, d->a_b) && vector(to, "a_h", n, d->a_h) &&
         matrix(to, "X", n, n, d->X) && matrix(to, "W", m, m, d->W) && matrix(to, "gain", n, m, d->gain) &&
         number(to, "G", d->G) && number(to, "S", d->S);
}

static bool add_parts(const Filling* to, const ZwLeastDetail* d) {
  bool is_whole = true;
  if (d->partition.e) is_whole = dict_add(to->dict, "partition", partition_to_python(to->state, d->m, &d->partition));
  if (is_whole && d->bellman.order) {
    is_whole = dict_add(to->dict, "bellman", bellman_to_python(to->state, d->n, d->m, &d->bellman)) &&
               dict_add(to->dict, "cholesky", bellman_to_python(to->state, d->n, d->m, &d->chain));
  }
  if (is_whole && d->possible.a)
    is_whole = dict_add(to->dict, "possible", possible_to_python(to->state, d->n, d->m, &d->possible));
  return is_whole;
}

PyObject* detail_to_python(const ModuleState* state, const ZwLeastDetail* detail) {
  if (!detail) return Py_NewRef(Py_None);
  Filling to = {state, PyDict_New()};
  if (to.dict && !(add_answer(&to, detail) && add_parts(&to, detail))) Py_CLEAR(to.dict);
  return to.dict;
}

/* ---- frames ---- */

PyObject* frame_to_python(const ModuleState* state, const ZwFrameReport* frame) {
  Filling to = {state, PyDict_New()};
  Py_ssize_t n = frame->n, f = frame->f;
  int32_t rows = frame->detail ? frame->detail->m : 0;
  bool is_whole =
      to.dict && number(&to, "t", frame->t) && truth(&to, "is_stated", frame->is_stated) &&
      vector(&to, "q", n, frame->q) && vector(&to, "v", n, frame->v) && vector(&to, "nu", f, frame->nu) &&
      vector(&to, "nu_rate", f, frame->nu_rate) && matrix(&to, "B", n, f, frame->B) && vector(&to, "r", n, frame->r) &&
      vector(&to, "c", n, frame->c) && matrix(&to, "K", f, f, frame->K) && vector(&to, "p", f, frame->p) &&
      vector(&to, "P", f, frame->P) && number(&to, "S", frame->S) && vector(&to, "X_L", n, frame->X_L) &&
      vector(&to, "Q", n, frame->Q) && number(&to, "constant", frame->constant) && number(&to, "G_L", frame->G_L) &&
      number(&to, "G_L_possible", frame->G_L_possible) && number(&to, "G_L_constant_part", frame->G_L_constant_part) &&
      number(&to, "kinetic", frame->kinetic) && dict_add(to.dict, "rows", text_list(frame->rows, rows)) &&
      dict_add(to.dict, "detail", detail_to_python(state, frame->detail));
  if (!is_whole) Py_CLEAR(to.dict);
  return to.dict;
}

PyObject* formulations_to_python(const ZwFormulationReport* reports, int32_t count) {
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    const ZwFormulationReport* r = &reports[i];
    PyObject* item = Py_BuildValue("sNsddddd", r->name, PyBool_FromLong(r->applies), r->reason, r->difference,
                                   r->residual, r->optimality, r->gaussian, r->seconds);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}
