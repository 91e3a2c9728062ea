#include <stddef.h>
#include <string.h>

#include "extension.h"

bool numbers_get(PyObject* object, Py_ssize_t count, bool is_written, const char* what, Py_buffer* view) {
  int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, view, flags) < 0) return false;
  bool is_double = view->itemsize == (Py_ssize_t)sizeof(double) && view->format && strcmp(view->format, "d") == 0;
  if (is_double && view->len / view->itemsize >= count) return true;
  PyErr_Format(PyExc_ValueError, "%s must have %zd numbers of type float64", what, count);
  PyBuffer_Release(view);
  return false;
}

/* Texts of the library are UTF-8; a byte that is not must not hide a message. */
static PyObject* text_to_python(const char* text) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject* text_list(const char* const* texts, int32_t count) {
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    PyObject* text = text_to_python(texts[i]);
    if (!text || PyList_SetItem(list, i, text) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject* diag_to_python(const ZwDiag* diag) {
  return Py_BuildValue(
      "NsNiiNNy#ii", PyBool_FromLong(diag->severity == ZW_SEVERITY_ERROR), zw_status_name(diag->code),
      PyUnicode_DecodeFSDefault(diag->file), (int)diag->line, (int)diag->column, text_to_python(diag->text),
      text_to_python(diag->remedy), diag->source_line ? diag->source_line : "",
      (Py_ssize_t)(diag->source_line ? diag->source_line_size : 0), (int)diag->offset, (int)diag->size);
}

const char** names_read(PyObject* names, int32_t* count) {
  Py_ssize_t size = PyTuple_Size(names);
  if (size < 0) return NULL;
  const char** list = calloc((size_t)size + 1, sizeof *list);
  if (!list) PyErr_NoMemory();
  for (Py_ssize_t i = 0; list && i < size; i++) {
    if (PyArg_Parse(PyTuple_GetItem(names, i), "s", &list[i])) continue;
    free(list);
    list = NULL;
  }
  *count = (int32_t)size;
  return list;
}

bool dict_add(PyObject* dict, const char* name, PyObject* value) {
  bool is_added = value && PyDict_SetItemString(dict, name, value) == 0;
  Py_XDECREF(value);
  return is_added;
}

/* ---- the report ---- */

typedef enum FieldKind { INT32, INT64, REAL, BOOL, TEXT } FieldKind;

static const struct {
  const char* name;
  FieldKind kind;
  size_t offset;
} fields[] = {
#define FIELD(kind, name) \
  { #name, kind, offsetof(ZwReport, name) }
    FIELD(INT32, n),
    FIELD(INT32, m),
    FIELD(INT32, waiting),
    FIELD(INT32, contacts),
    FIELD(INT32, closed),
    FIELD(TEXT, contact_law),
    FIELD(INT64, impacts),
    FIELD(INT32, rank),
    FIELD(INT32, dof),
    FIELD(REAL, from),
    FIELD(REAL, to),
    FIELD(REAL, span),
    FIELD(REAL, since),
    FIELD(REAL, every),
    FIELD(REAL, tolerance),
    FIELD(REAL, step),
    FIELD(TEXT, formulation),
    FIELD(BOOL, is_sparse),
    FIELD(TEXT, integrator),
    FIELD(TEXT, kernel),
    FIELD(REAL, t),
    FIELD(BOOL, has_begun),
    FIELD(INT64, steps),
    FIELD(INT64, rejected),
    FIELD(INT64, evaluations),
    FIELD(INT64, rows),
    FIELD(INT64, jacobians),
    FIELD(REAL, stiff_from),
    FIELD(INT64, events),
    FIELD(BOOL, is_stopped),
    FIELD(REAL, energy_events),
    FIELD(INT64, singular),
    FIELD(REAL, phi_max),
    FIELD(REAL, phidot_max),
    FIELD(BOOL, is_projected_late),
    FIELD(REAL, phi_drift),
    FIELD(REAL, phidot_drift),
    FIELD(BOOL, is_conservative),
    FIELD(BOOL, is_energy_held),
    FIELD(REAL, energy_start),
    FIELD(REAL, energy_drift),
    FIELD(REAL, energy_off),
    FIELD(REAL, energy_exchanged),
    FIELD(REAL, energy_allowed),
    FIELD(REAL, work),
    FIELD(INT32, guess_count),
    FIELD(BOOL, has_energy),
    FIELD(REAL, sensitivity_drift),
    FIELD(INT64, sensitivity_steps),
    FIELD(INT64, sensitivity_evaluations),
#undef FIELD
};

static PyObject* field_to_python(FieldKind kind, const void* at) {
  switch (kind) {
    case INT32:
      return PyLong_FromLong(*(const int32_t*)at);
    case INT64:
      return PyLong_FromLongLong(*(const int64_t*)at);
    case REAL:
      return PyFloat_FromDouble(*(const double*)at);
    case BOOL:
      return PyBool_FromLong(*(const bool*)at);
    default: {
      const char* text = *(const char* const*)at;
      return text_to_python(text ? text : ""); /* a run that was refused has not chosen everything */
    }
  }
}

static PyObject* moves_to_python(const ZwMove* moves, int32_t count) {
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    const ZwMove* move = &moves[i];
    PyObject* item = Py_BuildValue("Ndd", text_to_python(move->name), move->from, move->to);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* energy_shares_to_python(const ZwReport* report) {
  PyObject* list = PyList_New(report->energy_share_count);
  for (int32_t i = 0; list && i < report->energy_share_count; i++) {
    const ZwEnergyShare* share = &report->energy_shares[i];
    PyObject* item = Py_BuildValue("NdL", text_to_python(share->name), share->energy, (long long)share->count);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* verdict_to_python(const ZwReport* report) {
  static const char* const words[] = {"none", "trusted", "doubtful", "failed"};
  return text_to_python(words[report->verdict]);
}

static PyObject* doubts_to_python(const ZwReport* report) {
  PyObject* list = PyList_New(report->doubt_count);
  for (int32_t i = 0; list && i < report->doubt_count; i++) {
    const ZwDoubt* doubt = &report->doubts[i];
    PyObject* item = Py_BuildValue("NNN", text_to_python(doubt->about), text_to_python(doubt->reason),
                                   text_to_python(doubt->remedy));
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* claims_to_python(const ZwReport* report) {
  PyObject* list = PyList_New(report->claim_count);
  for (int32_t i = 0; list && i < report->claim_count; i++) {
    const ZwClaimReport* claim = &report->claims[i];
    PyObject* item = Py_BuildValue("NNddd", text_to_python(claim->name), PyBool_FromLong(claim->holds), claim->worst,
                                   claim->allowed, claim->t);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* varied_to_python(const ZwReport* report) {
  PyObject* dict = PyDict_New();
  for (int32_t i = 0; dict && i < report->varied_count; i++) {
    if (!dict_add(dict, report->varied[i].name, PyFloat_FromDouble(report->varied[i].value))) Py_CLEAR(dict);
  }
  return dict;
}

static PyObject* shared_to_python(const ZwReport* report) {
  PyObject* list = PyList_New(report->shared_count);
  for (int32_t i = 0; list && i < report->shared_count; i++) {
    const ZwSharedLoad* load = &report->shared[i];
    PyObject* item = Py_BuildValue("NiN", text_list(load->names, load->count), (int)load->freedom,
                                   text_list(load->unique, load->unique_count));
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject* report_to_python(const ZwReport* report) {
  PyObject* dict = PyDict_New();
  if (!dict) return NULL;
  bool is_whole = true;
  for (size_t i = 0; is_whole && i < sizeof fields / sizeof *fields; i++) {
    is_whole = dict_add(dict, fields[i].name, field_to_python(fields[i].kind, (const char*)report + fields[i].offset));
  }
  is_whole = is_whole && dict_add(dict, "moves", moves_to_python(report->moves, report->move_count)) &&
             dict_add(dict, "guesses", moves_to_python(report->guesses, report->guesses_far)) &&
             dict_add(dict, "guessed_sizes", text_list(report->guessed_sizes, report->guessed_size_count)) &&
             dict_add(dict, "redundant", text_list(report->redundant, report->redundant_count)) &&
             dict_add(dict, "energy_shares", energy_shares_to_python(report)) &&
             dict_add(dict, "claims", claims_to_python(report)) &&
             dict_add(dict, "verdict", verdict_to_python(report)) &&
             dict_add(dict, "doubts", doubts_to_python(report)) && dict_add(dict, "shared", shared_to_python(report)) &&
             dict_add(dict, "varied", varied_to_python(report));
  if (!is_whole) Py_CLEAR(dict);
  return dict;
}
