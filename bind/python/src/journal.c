#include <string.h>

#include "extension.h"

/* Room for one more entry, doubled whenever it is used up. False: memory is out, and what is there stays. */
static bool make_room(void** list, Py_ssize_t count, Py_ssize_t* room, size_t size) {
  if (count < *room) return true;
  Py_ssize_t more = *room > 0 ? 2 * *room : 64;
  if ((size_t)more > (size_t)PY_SSIZE_T_MAX / size) return false;
  void* larger = realloc(*list, (size_t)more * size);
  if (!larger) return false;
  *list = larger;
  *room = more;
  return true;
}

bool journal_row(Journal* journal, const double* values) {
  size_t size = (size_t)journal->columns * sizeof(double);
  void* rows = journal->rows;
  bool has_room = make_room(&rows, journal->row_count, &journal->row_room, size);
  journal->rows = rows;
  if (!has_room) return false;
  memcpy(journal->rows + journal->row_count++ * journal->columns, values, size);
  return true;
}

void journal_event(Journal* journal, double t, const char* name) {
  if (!name[0]) return; /* it is over */
  void* events = journal->events;
  bool has_room = make_room(&events, journal->event_count, &journal->event_room, sizeof(JournalEvent));
  journal->events = events;
  size_t size = strlen(name) + 1;
  char* own = has_room ? malloc(size) : NULL;
  if (!own) {
    journal->is_out_of_memory = true;
    return;
  }
  memcpy(own, name, size);
  journal->events[journal->event_count++] = (JournalEvent){t, journal->rows_taken + journal->row_count, own};
}

void journal_contact(Journal* journal, const ZwContactEvent* event) {
  void* contacts = journal->contacts;
  bool has_room = make_room(&contacts, journal->contact_count, &journal->contact_room, sizeof *event);
  journal->contacts = contacts;
  if (has_room)
    journal->contacts[journal->contact_count++] = *event;
  else
    journal->is_out_of_memory = true;
}

double* journal_take_rows(Journal* journal, Py_ssize_t* count) {
  double* rows = journal->rows;
  *count = journal->row_count;
  size_t size = (size_t)(*count * journal->columns) * sizeof(double);
  double* tight = size > 0 ? realloc(rows, size) : NULL;
  journal->rows_taken += *count;
  journal->row_count = journal->row_room = 0;
  journal->rows = NULL;
  if (size == 0) free(rows);
  return tight || size == 0 ? tight : rows;
}

void journal_free(Journal* journal) {
  for (Py_ssize_t i = 0; i < journal->event_count; i++) free(journal->events[i].name);
  free(journal->events);
  free(journal->contacts);
  free(journal->rows);
  *journal = (Journal){0};
}

/* Puts an item into a list that was made for it; both may be missing because memory is out. */
static bool put(PyObject* list, Py_ssize_t i, PyObject* item) {
  return item && PyList_SetItem(list, i, item) == 0;
}

PyObject* journal_events(const Journal* journal) {
  PyObject* list = PyList_New(journal->event_count);
  for (Py_ssize_t i = 0; list && i < journal->event_count; i++) {
    const JournalEvent* event = &journal->events[i];
    if (!put(list, i, Py_BuildValue("dsn", event->t, event->name, event->row))) Py_CLEAR(list);
  }
  return list;
}

PyObject* journal_contacts(const Journal* journal) {
  static const char* const words[] = {[ZW_CONTACT_OPEN] = "open",
                                      [ZW_CONTACT_CLOSED] = "closed",
                                      [ZW_CONTACT_STICKS] = "sticks",
                                      [ZW_CONTACT_SLIPS] = "slips",
                                      [ZW_CONTACT_HIT] = "hit"};
  PyObject* list = PyList_New(journal->contact_count);
  for (Py_ssize_t i = 0; list && i < journal->contact_count; i++) {
    const ZwContactEvent* event = &journal->contacts[i];
    PyObject* item = Py_BuildValue("disd(dd)ddd", event->t, (int)event->contact, words[event->what], event->impulse,
                                   event->friction[0], event->friction[1], event->lost, event->theta, event->wall_work);
    if (!put(list, i, item)) Py_CLEAR(list);
  }
  return list;
}
