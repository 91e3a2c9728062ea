/* The extension module zwang._zwang: the C interface as Python objects, and nothing more. Names, results and errors that users
 * see are made in Python (../zwang). Only the limited API of Python 3.11 is used, so one wheel serves all later versions. */
#ifndef ZWANG_PYTHON_EXTENSION_H
#define ZWANG_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zwang/least.h>
#include <zwang/zwang.h>

/* What the module keeps; there are no globals, so every interpreter of a process may have its own. */
typedef struct ModuleState {
  PyTypeObject *model_type, *run_type, *rows_type, *least_type;
} ModuleState;

/* A compiled model; read-only afterwards. */
typedef struct Model {
  PyObject head;
  ZwModel* model;
  ZwStatus status;
  int32_t constraint_count; /* that Python computes */
} Model;

extern PyType_Spec model_spec, run_spec, rows_spec, least_spec;

/* ---- lock.c: the interpreter lock, and what callbacks raise ---- */

/* A stretch of work without the lock. Callbacks of the library come on the same thread and take it back for a moment. */
typedef struct Outside {
  PyThreadState* thread;                      /* NULL: the lock is held */
  PyObject *error_type, *error, *error_trace; /* what a callback raised first */
} Outside;

void outside_begin(Outside* outside);
void outside_end(Outside* outside);
/* Keeps what has been raised just now until outside_raise. */
void outside_keep_error(Outside* outside);
bool outside_has_error(const Outside* outside);
/* Raises what was kept: true if there was something. */
bool outside_raise(Outside* outside);

/* ---- convert.c: to and from Python ---- */

/* The numbers of an object with the buffer protocol: at least `count` doubles, one behind the other. False: an exception is set. */
bool numbers_get(PyObject* object, Py_ssize_t count, bool is_written, const char* what, Py_buffer* view);
PyObject* text_list(const char* const* texts, int32_t count);
/* Names, which belong to their tuple; free them. NULL: an exception is set. */
const char** names_read(PyObject* names, int32_t* count);
/* Takes `value` over; NULL when making it has failed. */
bool dict_add(PyObject* dict, const char* name, PyObject* value);
PyObject* diag_to_python(const ZwDiag* diag);
PyObject* report_to_python(const ZwReport* report);

/* ---- rows.c: numbers that C has written and Python reads in place ---- */

/* Takes over `data`, which is from malloc, also when it fails. */
PyObject* rows_create(const ModuleState* state, double* data, Py_ssize_t rows, Py_ssize_t columns);

/* A copy of what belongs to a run, which the arrays may outlive. */
PyObject* rows_copy(const ModuleState* state, const double* numbers, Py_ssize_t rows, Py_ssize_t columns);

/* ---- linearize.c ---- */

/* By name; `columns` is 0 where no outputs were asked for. */
PyObject* linearization_to_python(const ModuleState* state, const ZwLinearization* l, Py_ssize_t inputs,
                                  Py_ssize_t columns);

/* ---- forces.c ---- */

/* A motion and what is to make it, from Python: (table, rows, names, by, within, every, tolerance), where the table has the times and then
 * each column, one behind the other. */
typedef struct Motion {
  ZwForcesDef def;
  Py_buffer table;
  ZwMotionColumn* columns;
  const char** by;
} Motion;

/* False: an exception is set. Free it in any case; the names belong to `args`. */
bool motion_read(PyObject* args, Motion* motion);
void motion_free(Motion* motion);
PyObject* forces_to_python(const ModuleState* state, const ZwForces* f);

/* ---- gradient.c ---- */

PyObject* gradient_to_python(const ModuleState* state, const ZwGradient* g);

/* ---- detail.c: what the papers print beside an answer ---- */

/* Numbers of coordinates, from 0: a tuple, or None, which is no list. Free it. False: an exception is set. */
bool places_read(PyObject* places, int32_t** list, int32_t* count);

/* Which parts of ZwDetailPart are wanted, and how: tuples of coordinates or None, twice n numbers or None. */
typedef struct WishArguments {
  int parts;
  PyObject *eliminate, *order, *possible, *displacement;
} WishArguments;

typedef struct Wish {
  ZwDetailDef def;
  int32_t *eliminate, *order;
  Py_buffer possible, displacement;
} Wish;

/* False: an exception is set. Free it in any case. */
bool wish_read(const WishArguments* given, Py_ssize_t n, Wish* wish);
void wish_free(Wish* wish);

/* By name, all copied; None where there is none. */
PyObject* detail_to_python(const ModuleState* state, const ZwLeastDetail* detail);
PyObject* frame_to_python(const ModuleState* state, const ZwFrameReport* frame);
/* A list of tuples. */
PyObject* formulations_to_python(const ZwFormulationReport* reports, int32_t count);

/* ---- journal.c: what a run tells while it goes, without Python ---- */

typedef struct JournalEvent {
  double t;
  Py_ssize_t row; /* of the row before the event */
  char* name;     /* owned */
} JournalEvent;

typedef struct Journal {
  double* rows;
  JournalEvent* events;
  ZwContactEvent* contacts;
  Py_ssize_t row_count, row_room, event_count, event_room, contact_count, contact_room;
  Py_ssize_t columns;
  Py_ssize_t rows_taken; /* before those that are here */
  bool is_out_of_memory;
} Journal;

bool journal_row(Journal* journal, const double* values);
void journal_event(Journal* journal, double t, const char* name);
void journal_contact(Journal* journal, const ZwContactEvent* event);
/* Hands over the rows and begins anew; NULL when there are none. */
double* journal_take_rows(Journal* journal, Py_ssize_t* count);
void journal_free(Journal* journal);
/* Lists of tuples. */
PyObject* journal_events(const Journal* journal);
PyObject* journal_contacts(const Journal* journal);

#endif
