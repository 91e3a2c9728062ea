#include <math.h>
#include <string.h>
#include <time.h>

#include "extension.h"

/* How often a run without callbacks looks at signals (Ctrl-C) and tells its progress, in seconds. To look costs the lock, which
 * another thread may hold for 5 ms; more often would slow runs beside a busy thread, less often is felt by the user. */
#define LOOK_EVERY 0.05

/* Runs that are moved together, on one thread. */
typedef struct Together {
  Outside outside;
  PyObject *make, *finish; /* make() gives the next run or None; finish(run, status) gets it back */
  PyTypeObject* run_type;
  bool is_stopped; /* a callback has raised something: all end */
} Together;

typedef struct Run {
  PyObject head;
  Model* model;
  ZwRun* run;
  ZwStatus status;  /* of the last call */
  bool is_busy;     /* a thread is inside, or a callback */
  bool is_recorded; /* rows are kept */
  Outside outside;
  Journal journal;
  PyObject *force, *constraints, *progress; /* None: there is none */
  Py_buffer room;                           /* of force and constraints: q, v, Q */
  Py_buffer rows_room;                      /* of the constraints: residual, A, rate, b */
  int32_t n;
  double next_look;   /* s */
  Together* together; /* with which it moves; NULL: alone */
} Run;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what the library calls; the lock is free ---- */

static ZwStatus take_row(void* context, const double* values) {
  Run* self = context;
  if (!self->is_recorded) return ZW_OK;
  if (self->journal.columns == 0) self->journal.columns = zw_run_column_count(self->run);
  return journal_row(&self->journal, values) ? ZW_OK : ZW_ERR_MEMORY;
}

static void take_event(void* context, double t, const char* name) {
  Run* self = context;
  if (self->is_recorded) journal_event(&self->journal, t, name);
}

static void take_contact(void* context, const ZwContactEvent* event) {
  Run* self = context;
  if (self->is_recorded) journal_contact(&self->journal, event);
}

/* What a callback has raised ends the run, and those that move with it. */
static void keep_error(Run* self) {
  outside_keep_error(&self->outside);
  if (self->together) self->together->is_stopped = true;
}

static bool look(Run* self, double t) {
  if (PyErr_CheckSignals() < 0) return false;
  if (Py_IsNone(self->progress)) return true;
  PyObject* answer = PyObject_CallFunction(self->progress, "d", t);
  Py_XDECREF(answer);
  return answer != NULL;
}

static bool poll(void* context, double t) {
  Run* self = context;
  if (outside_has_error(&self->outside) || self->journal.is_out_of_memory) return false;
  if (self->together && self->together->is_stopped) return false;
  double now = seconds_now();
  if (now < self->next_look) return true;
  outside_end(&self->outside);
  bool goes_on = look(self, t);
  if (!goes_on) keep_error(self);
  outside_begin(&self->outside);
  self->next_look = seconds_now() + LOOK_EVERY;
  return goes_on;
}

/* A function finds q and v in the room, and leaves its numbers in a room too. */
static bool call_with_state(Run* self, PyObject* function, double t, const double* q, const double* v) {
  size_t n = (size_t)self->n;
  double* room = self->room.buf;
  memcpy(room, q, n * sizeof(double));
  memcpy(room + n, v, n * sizeof(double));
  PyObject* answer = PyObject_CallFunction(function, "d", t);
  if (!answer) keep_error(self);
  Py_XDECREF(answer);
  return answer != NULL;
}

/* Numbers that are not finite say that there is no value at this state. */
static bool ask(Run* self, PyObject* function, double t, const double* q, const double* v, const double* given,
                size_t count) {
  if (outside_has_error(&self->outside)) return false; /* the run ends as soon as it can */
  outside_end(&self->outside);
  bool has_value = call_with_state(self, function, t, q, v);
  for (size_t i = 0; has_value && i < count; i++) has_value = isfinite(given[i]);
  outside_begin(&self->outside);
  return has_value;
}

static bool add_force(void* context, double t, const double* q, const double* v, double* Q) {
  Run* self = context;
  size_t n = (size_t)self->n;
  const double* given = (const double*)self->room.buf + 2 * n;
  if (!ask(self, self->force, t, q, v, given, n)) return false;
  for (size_t i = 0; i < n; i++) Q[i] += given[i];
  return true;
}

static bool fill_rows(void* context, double t, const double* q, const double* v, const ZwHostRows* rows) {
  Run* self = context;
  size_t count = (size_t)rows->count, n = (size_t)self->n;
  const double* given = self->rows_room.buf;
  if (!ask(self, self->constraints, t, q, v, given, count * (n + 3))) return false;
  memcpy(rows->residual, given, count * sizeof(double));
  memcpy(rows->A, given + count, count * n * sizeof(double));
  memcpy(rows->rate, given + count * (n + 1), count * sizeof(double));
  memcpy(rows->b, given + count * (n + 2), count * sizeof(double));
  return true;
}

/* ---- one call at a time ---- */

/* False: an exception is set. */
static bool enter(Run* self) {
  if (self->is_busy)
    PyErr_SetString(PyExc_RuntimeError, "the simulation is under way, in a callback or in another thread");
  return !self->is_busy;
}

static void begin_work(Run* self) {
  self->is_busy = true;
  self->next_look = seconds_now() + LOOK_EVERY;
  outside_begin(&self->outside);
}

/* False: an exception is set. */
static bool end_work(Run* self) {
  outside_end(&self->outside);
  self->is_busy = false;
  if (outside_raise(&self->outside)) return false;
  if (self->status != ZW_ERR_MEMORY && !self->journal.is_out_of_memory) return true;
  PyErr_NoMemory();
  return false;
}

static PyObject* status_to_python(const Run* self) {
  return Py_BuildValue("ss", zw_status_name(self->status), zw_status_text(self->status));
}

/* ---- creating ---- */

/* Pairs of name and number. NULL: an exception is set. */
static ZwRunChange* read_changes(PyObject* changes, Py_ssize_t* count) {
  *count = PyTuple_Size(changes);
  if (*count < 0) return NULL;
  ZwRunChange* list = calloc((size_t)*count + 1, sizeof *list);
  if (!list) PyErr_NoMemory();
  for (Py_ssize_t i = 0; list && i < *count; i++) {
    if (PyArg_ParseTuple(PyTuple_GetItem(changes, i), "sd", &list[i].name, &list[i].value)) continue;
    free(list);
    list = NULL;
  }
  return list;
}

static bool open_run(Run* self, ZwRunDef* def, PyObject* changes, PyObject* varied, PyObject* eliminate) {
  Py_ssize_t count;
  int32_t* columns = NULL;
  ZwRunChange* list = read_changes(changes, &count);
  const char** by = list ? names_read(varied, &def->sensitivity_count) : NULL;
  if (!by || !places_read(eliminate, &columns, &def->eliminate_count)) {
    free(list);
    free(by);
    return false;
  }
  def->eliminate = columns;
  def->changes = list;
  def->change_count = (int32_t)count;
  def->sensitivity = by;
  def->row = take_row;
  def->event = take_event;
  def->contact = take_contact;
  def->poll = poll;
  def->force = Py_IsNone(self->force) ? NULL : add_force;
  def->constraints = Py_IsNone(self->constraints) ? NULL : fill_rows;
  def->context = self;
  begin_work(self);
  self->status = zw_run_create(self->model->model, def, &self->run);
  bool is_fine = end_work(self);
  free(list);
  free(by);
  free(columns);
  return is_fine;
}

/* Memory through which Python's functions talk. False: an exception is set. */
static bool get_rooms(Run* self, PyObject* room, PyObject* rows_room) {
  Py_ssize_t n = self->n, rows = self->model->constraint_count * (n + 3);
  bool is_asked = !Py_IsNone(self->force) || !Py_IsNone(self->constraints);
  if (is_asked && !numbers_get(room, 3 * n, true, "room", &self->room)) return false;
  return Py_IsNone(self->constraints) || numbers_get(rows_room, rows, true, "rows_room", &self->rows_room);
}

static PyObject* run_new(PyTypeObject* type, PyObject* args, PyObject* names) {
  static char* keys[] = {
      "model",           "to",          "every",    "tolerance", "step",     "formulation", "integrator",
      "conserve_energy", "forces",      "evidence", "record",    "changes",  "sensitivity", "gradient",
      "force",           "constraints", "room",     "rows_room", "progress", "eliminate",   NULL};
  const ModuleState* state = PyType_GetModuleState(type);
  ZwRunDef def = zw_default_run_def();
  int conserves, forces, evidence, record, gradient;
  PyObject *model, *changes, *varied, *force, *constraints, *room, *rows_room, *progress, *eliminate;
  if (!PyArg_ParseTupleAndKeywords(args, names, "O!ddddzzppppO!O!pOOOOOO", keys, state->model_type, &model, &def.to,
                                   &def.every, &def.tolerance, &def.step, &def.formulation, &def.integrator, &conserves,
                                   &forces, &evidence, &record, &PyTuple_Type, &changes, &PyTuple_Type, &varied,
                                   &gradient, &force, &constraints, &room, &rows_room, &progress, &eliminate)) {
    return NULL;
  }
  def.conserve_energy = conserves;
  def.forces = forces;
  def.evidence = evidence;
  def.gradient = gradient;
  if (!def.formulation) def.formulation = zw_default_run_def().formulation;
  Run* self = (Run*)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  self->model = (Model*)Py_NewRef(model);
  self->force = Py_NewRef(force);
  self->constraints = Py_NewRef(constraints);
  self->progress = Py_NewRef(progress);
  self->is_recorded = record;
  self->n = zw_model_coordinate_count(self->model->model);
  if (!get_rooms(self, room, rows_room) || !open_run(self, &def, changes, varied, eliminate)) Py_CLEAR(self);
  return (PyObject*)self;
}

static int run_traverse(PyObject* object, visitproc visit, void* arg) {
  Run* self = (Run*)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->model);
  Py_VISIT(self->force);
  Py_VISIT(self->constraints);
  Py_VISIT(self->progress);
  Py_VISIT(self->room.obj);
  Py_VISIT(self->rows_room.obj);
  return 0;
}

/* Whoever is visited while a cycle is taken apart finds a run that can do nothing any more. */
static int run_clear(PyObject* object) {
  Run* self = (Run*)object;
  zw_run_destroy(self->run);
  self->run = NULL;
  self->status = ZW_ERR_ARGUMENT;
  Py_CLEAR(self->model);
  Py_CLEAR(self->force);
  Py_CLEAR(self->constraints);
  Py_CLEAR(self->progress);
  if (self->room.obj) PyBuffer_Release(&self->room);
  if (self->rows_room.obj) PyBuffer_Release(&self->rows_room);
  return 0;
}

static void run_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  run_clear(object);
  journal_free(&((Run*)object)->journal);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

/* ---- moving ---- */

/* As `enter`, and the run is there. */
static bool enter_open(Run* self) {
  if (!enter(self)) return false;
  if (!self->run) PyErr_SetString(PyExc_RuntimeError, "the simulation is gone");
  return self->run != NULL;
}

static PyObject* run_go(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  if (!enter_open(self)) return NULL;
  begin_work(self);
  self->status = zw_run_go(self->run);
  return end_work(self) ? status_to_python(self) : NULL;
}

static PyObject* run_to(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  double t;
  if (!PyArg_ParseTuple(args, "d", &t) || !enter_open(self)) return NULL;
  begin_work(self);
  self->status = zw_run_to(self->run, t);
  return end_work(self) ? status_to_python(self) : NULL;
}

static PyObject* run_set(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  const char* name;
  double value;
  if (!PyArg_ParseTuple(args, "sd", &name, &value) || !enter_open(self)) return NULL;
  begin_work(self);
  self->status = zw_run_set(self->run, name, value);
  return end_work(self) ? status_to_python(self) : NULL;
}

/* ---- moving with others ---- */

/* A run joins those under way, which keep it until it is done. False: an exception is set. */
static bool join(Together* together, PyObject* made) {
  if (!PyObject_TypeCheck(made, together->run_type)) {
    PyErr_SetString(PyExc_TypeError, "a run is expected");
    return false;
  }
  Run* self = (Run*)made;
  if (!enter_open(self)) return false;
  self->is_busy = true;
  self->together = together;
  return true;
}

static ZwRun* next_member(void* context) {
  Together* together = context;
  if (together->is_stopped) return NULL;
  outside_end(&together->outside);
  PyObject* made = PyObject_CallNoArgs(together->make);
  bool has_joined = made && !Py_IsNone(made) && join(together, made);
  if (!has_joined) Py_CLEAR(made);
  if (PyErr_Occurred()) {
    outside_keep_error(&together->outside);
    together->is_stopped = true;
  }
  outside_begin(&together->outside);
  if (!has_joined) return NULL;
  Run* self = (Run*)made;
  self->outside.thread = together->outside.thread;
  self->next_look = seconds_now() + LOOK_EVERY;
  return self->run;
}

/* It is alone again. False: an exception is set. */
static bool leave(Run* self) {
  self->together = NULL;
  self->is_busy = false;
  self->outside.thread = NULL;
  if (outside_raise(&self->outside)) return false;
  if (self->status != ZW_ERR_MEMORY && !self->journal.is_out_of_memory) return true;
  PyErr_NoMemory();
  return false;
}

static void member_done(void* context, ZwRun* run, ZwStatus status) {
  Together* together = context;
  Run* self = zw_run_context(run);
  outside_end(&together->outside);
  self->status = status;
  if (leave(self) && !together->is_stopped) {
    Py_XDECREF(PyObject_CallFunction(together->finish, "ON", (PyObject*)self, status_to_python(self)));
  }
  if (PyErr_Occurred()) {
    outside_keep_error(&together->outside);
    together->is_stopped = true;
  }
  Py_DECREF(self);
  outside_begin(&together->outside);
}

static PyObject* run_go_together(PyObject* type, PyObject* args) {
  Together together = {.run_type = (PyTypeObject*)type};
  if (!PyArg_ParseTuple(args, "OO", &together.make, &together.finish)) return NULL;
  ZwEnsembleDef def = zw_default_ensemble_def();
  def.next = next_member;
  def.done = member_done;
  def.context = &together;
  outside_begin(&together.outside);
  zw_ensemble_go(&def);
  outside_end(&together.outside);
  return outside_raise(&together.outside) ? NULL : Py_NewRef(Py_None);
}

/* ---- looking ---- */

static PyObject* run_read(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  PyObject* into;
  Py_buffer row;
  if (!PyArg_ParseTuple(args, "O", &into) || !enter_open(self)) return NULL;
  if (!numbers_get(into, zw_run_column_count(self->run), true, "the row", &row)) return NULL;
  begin_work(self);
  self->status = zw_run_read(self->run, row.buf);
  bool is_fine = end_work(self);
  PyBuffer_Release(&row);
  return is_fine ? status_to_python(self) : NULL;
}

/* The rows that an evaluation fills in. */
static Py_ssize_t row_count(Run* self) {
  return zw_run_report(self->run)->m_all;
}

enum { STATES = 2, VALUES = 11 };

/* q and v, then M, h, A, b, phi, psi, a, lambda, Qc, a_by_q, a_by_v, of which None is not wanted. */
static bool get_views(PyObject* const* objects, Py_ssize_t n, Py_ssize_t m, Py_buffer* views) {
  const Py_ssize_t sizes[STATES + VALUES] = {n, n, n * n, n, m * n, m, m, m, n, m, n, n * n, n * n};
  for (int i = 0; i < STATES + VALUES; i++) {
    if (i >= STATES && Py_IsNone(objects[i])) continue;
    if (!numbers_get(objects[i], sizes[i], i >= STATES, i < STATES ? "q and v" : "the values", &views[i])) return false;
  }
  return true;
}

static void release_views(Py_buffer* views) {
  for (int i = 0; i < STATES + VALUES; i++) {
    if (views[i].obj) PyBuffer_Release(&views[i]);
  }
}

static PyObject* run_evaluate(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  PyObject* given[STATES + VALUES];
  Py_buffer views[STATES + VALUES] = {0};
  double t;
  if (!PyArg_ParseTuple(args, "dOOOOOOOOOOOOO", &t, &given[0], &given[1], &given[2], &given[3], &given[4], &given[5],
                        &given[6], &given[7], &given[8], &given[9], &given[10], &given[11], &given[12]) ||
      !enter_open(self)) {
    return NULL;
  }
  bool is_fine = get_views(given, self->n, row_count(self), views);
  if (is_fine) {
    double* to[VALUES];
    for (int i = 0; i < VALUES; i++) to[i] = views[STATES + i].buf;
    ZwEvaluation values = {to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7], to[8], to[9], to[10]};
    begin_work(self);
    self->status = zw_run_evaluate(self->run, t, views[0].buf, views[1].buf, &values);
    is_fine = end_work(self);
  }
  release_views(views);
  return is_fine ? status_to_python(self) : NULL;
}

static const ZwLinearization* linearize(Run* self, ZwLinearizeDef* def, PyObject* inputs) {
  const ZwLinearization* l = NULL;
  const char** names = names_read(inputs, &def->input_count);
  if (!names) return NULL;
  def->inputs = names;
  begin_work(self);
  self->status = zw_run_linearize(self->run, def, &l);
  bool is_fine = end_work(self);
  free(names);
  return is_fine ? l : NULL;
}

/* The answer, or None: the status tells why. */
static PyObject* run_linearize(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  int at, has_outputs, anywhere;
  PyObject *near, *inputs;
  if (!PyArg_ParseTuple(args, "iOO!pp", &at, &near, &PyTuple_Type, &inputs, &has_outputs, &anywhere) ||
      !enter_open(self))
    return NULL;
  ZwLinearizeDef def = zw_default_linearize_def();
  def.at = (ZwLinearizeAt)at;
  def.has_outputs = has_outputs;
  def.anywhere = anywhere;
  Py_buffer view = {0};
  if (!Py_IsNone(near) && !numbers_get(near, self->n, false, "the positions", &view)) return NULL;
  def.near_q = view.buf;
  const ZwLinearization* l = linearize(self, &def, inputs);
  if (view.obj) PyBuffer_Release(&view);
  if (PyErr_Occurred()) return NULL;
  if (!l) return Py_NewRef(Py_None);
  return linearization_to_python(PyType_GetModuleState(Py_TYPE(object)), l, def.input_count,
                                 has_outputs ? zw_run_column_count(self->run) : 0);
}

/* The same. */
static PyObject* run_forces(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  Motion motion = {0};
  PyObject* answer = NULL;
  if (motion_read(args, &motion) && enter_open(self)) {
    const ZwForces* forces = NULL;
    begin_work(self);
    self->status = zw_run_forces(self->run, &motion.def, &forces);
    if (end_work(self)) {
      answer = forces ? forces_to_python(PyType_GetModuleState(Py_TYPE(object)), forces) : Py_NewRef(Py_None);
    }
  }
  motion_free(&motion);
  return answer;
}

/* The same. */
static PyObject* run_gradient(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  const char* of;
  const ZwGradient* gradient = NULL;
  if (!PyArg_ParseTuple(args, "s", &of) || !enter_open(self)) return NULL;
  begin_work(self);
  self->status = zw_run_gradient(self->run, of, &gradient);
  if (!end_work(self)) return NULL;
  if (!gradient) return Py_NewRef(Py_None);
  return gradient_to_python(PyType_GetModuleState(Py_TYPE(object)), gradient);
}

/* ---- all formulations beside each other ---- */

typedef struct Comparing {
  Run* run;
  const ModuleState* state;
  PyObject* frames;
} Comparing;

static ZwStatus take_frame(void* context, const ZwFrameReport* frame) {
  Comparing* comparing = context;
  Run* self = comparing->run;
  outside_end(&self->outside);
  PyObject* item = frame_to_python(comparing->state, frame);
  bool is_kept = item && PyList_Append(comparing->frames, item) == 0;
  Py_XDECREF(item);
  if (!is_kept) keep_error(self);
  outside_begin(&self->outside);
  return is_kept ? ZW_OK : ZW_ERR_MEMORY;
}

/* Instants, frames and formulations; the last are None where the status tells why. */
static PyObject* compare(Comparing* comparing, ZwCompareDef* def) {
  Run* self = comparing->run;
  int32_t count = 0, instants = 0;
  while (zw_formulation_text(count)) count++;
  ZwFormulationReport* reports = calloc((size_t)count, sizeof *reports);
  if (!reports) return PyErr_NoMemory();
  def->clock = seconds_now;
  def->frame = take_frame;
  def->context = comparing;
  begin_work(self);
  self->status = zw_run_compare(self->run, def, reports, &instants);
  PyObject* answer = NULL;
  if (end_work(self)) {
    bool is_whole = self->status == ZW_OK;
    answer = Py_BuildValue("iON", (int)instants, comparing->frames,
                           is_whole ? formulations_to_python(reports, count) : Py_NewRef(Py_None));
  }
  free(reports);
  return answer;
}

static PyObject* run_compare(PyObject* object, PyObject* args) {
  Run* self = (Run*)object;
  PyObject *times, *answer = NULL;
  int count;
  WishArguments asked;
  Wish wish = {0};
  Py_buffer view = {0};
  if (!PyArg_ParseTuple(args, "OiiOOOO", &times, &count, &asked.parts, &asked.eliminate, &asked.order, &asked.possible,
                        &asked.displacement) ||
      !enter_open(self)) {
    return NULL;
  }
  Comparing comparing = {self, PyType_GetModuleState(Py_TYPE(object)), PyList_New(0)};
  bool is_read = comparing.frames && wish_read(&asked, self->n, &wish) &&
                 (Py_IsNone(times) || numbers_get(times, count, false, "the times", &view));
  if (is_read) {
    ZwCompareDef def = zw_default_compare_def();
    def.times = view.buf;
    def.count = view.buf ? count : 0;
    def.detail = wish.def;
    answer = compare(&comparing, &def);
  }
  Py_XDECREF(comparing.frames);
  if (view.obj) PyBuffer_Release(&view);
  wish_free(&wish);
  return answer;
}

static PyObject* run_row_count(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  return enter_open(self) ? PyLong_FromSsize_t(row_count(self)) : NULL;
}

/* ---- what it tells ---- */

static PyObject* run_status(PyObject* object, PyObject* nothing) {
  (void)nothing;
  return status_to_python((Run*)object);
}

static PyObject* run_diags(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  if (!enter_open(self)) return NULL;
  int32_t count = zw_run_diag_count(self->run);
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    PyObject* diag = diag_to_python(zw_run_diag(self->run, i));
    if (!diag || PyList_SetItem(list, i, diag) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* run_columns(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  if (!enter_open(self)) return NULL;
  int32_t count = zw_run_column_count(self->run);
  PyObject* list = PyList_New(count);
  for (int32_t i = 0; list && i < count; i++) {
    PyObject* name = PyUnicode_FromString(zw_run_column(self->run, i));
    if (!name || PyList_SetItem(list, i, name) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* run_parameters(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  PyObject* dict = enter_open(self) ? PyDict_New() : NULL;
  int32_t count = dict ? zw_run_parameter_count(self->run) : 0;
  for (int32_t i = 0; dict && i < count; i++) {
    ZwParameter parameter = zw_run_parameter(self->run, i);
    PyObject* value = PyFloat_FromDouble(parameter.value);
    if (!value || PyDict_SetItemString(dict, parameter.name, value) < 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

static PyObject* run_report(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  return enter_open(self) ? report_to_python(zw_run_report(self->run)) : NULL;
}

static PyObject* run_rows(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  if (!enter_open(self)) return NULL;
  Py_ssize_t rows, columns = zw_run_column_count(self->run);
  double* data = journal_take_rows(&self->journal, &rows);
  return rows_create(PyType_GetModuleState(Py_TYPE(object)), data, rows, columns);
}

static PyObject* run_events(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  return enter_open(self) ? journal_events(&self->journal) : NULL;
}

static PyObject* run_contacts(PyObject* object, PyObject* nothing) {
  (void)nothing;
  Run* self = (Run*)object;
  return enter_open(self) ? journal_contacts(&self->journal) : NULL;
}

static PyMethodDef run_methods[] = {
    {"go", run_go, METH_NOARGS, "Moves to the end; gives name and sentence of the status."},
    {"go_together", run_go_together, METH_VARARGS | METH_CLASS,
     "go_together(make, finish) moves the runs that make() gives until it gives None; finish(run, status) gets them "
     "back."},
    {"to", run_to, METH_VARARGS, "Moves to a time; gives name and sentence of the status."},
    {"set", run_set, METH_VARARGS, "Another value of a parameter from now on."},
    {"read", run_read, METH_VARARGS, "Fills a row with the present state."},
    {"evaluate", run_evaluate, METH_VARARGS, "Fills arrays with the equations at a state."},
    {"linearize", run_linearize, METH_VARARGS, "Eigenvalues and matrices of small motions; None: see the status."},
    {"forces", run_forces, METH_VARARGS, "The forces that make a motion; None: see the status."},
    {"gradient", run_gradient, METH_VARARGS, "The gradient of a number where the run is; None: see the status."},
    {"compare", run_compare, METH_VARARGS,
     "compare(times, count, parts, eliminate, order, possible) gives instants, frames, formulations."},
    {"row_count", run_row_count, METH_NOARGS, "How many rows of constraints an evaluation needs room for."},
    {"status", run_status, METH_NOARGS, "Name and sentence of the last status."},
    {"diags", run_diags, METH_NOARGS, "Messages as tuples."},
    {"columns", run_columns, METH_NOARGS, "Names of the columns of rows."},
    {"parameters", run_parameters, METH_NOARGS, "Parameters and their values at the start."},
    {"report", run_report, METH_NOARGS, "The evidence, by name."},
    {"rows", run_rows, METH_NOARGS, "Hands over the rows that were recorded since the last time."},
    {"events", run_events, METH_NOARGS, "Events as tuples: time, name, row."},
    {"contacts", run_contacts, METH_NOARGS, "What became of contacts, as tuples."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot run_slots[] = {
    {Py_tp_doc, "One simulation of a model."},
    {Py_tp_new, run_new},
    {Py_tp_dealloc, run_dealloc},
    {Py_tp_traverse, run_traverse},
    {Py_tp_clear, run_clear},
    {Py_tp_methods, run_methods},
    {0, NULL},
};

PyType_Spec run_spec = {.name = "zwang._zwang.Run",
                        .basicsize = sizeof(Run),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                        .slots = run_slots};
