#include "cli/contacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/contact_log.h"
#include "output/contact_picture.h"

typedef struct Tally {
  int64_t impacts;
  double impulse, lost, wall_work;
  double spent[ZW_LANE_STATES]; /* time, by what it was, */
  double since;                 /* until then; from then on it is `what` */
  ZwContactWhat what;
} Tally;

struct Contacts {
  char *title, *csv_path, *svg_path;
  const char** names;
  int32_t count;
  Tally* tallies;
  ZwLanes lanes;
  ZwContactLog log;
  bool has_csv;
  ZwStatus status;
  char error[ZW_DRAFT_ERROR];
};

Contacts* contacts_create(const ZwModel* model, const char* folder, const char* name, const char* title) {
  Contacts* contacts = calloc(1, sizeof *contacts);
  if (!contacts) return NULL;
  contacts->lanes.allocator = zw_allocator_default();
  contacts->count = zw_model_contact_count(model);
  contacts->names = calloc((size_t)contacts->count, sizeof(char*));
  contacts->tallies = calloc((size_t)contacts->count, sizeof(Tally));
  contacts->title = join_path(".", title, "");
  contacts->csv_path = join_path(folder, name, ".contacts.csv");
  contacts->svg_path = join_path(folder, name, ".contacts.svg");
  if (!contacts->names || !contacts->tallies || !contacts->title || !contacts->csv_path || !contacts->svg_path) {
    contacts_free(contacts);
    return NULL;
  }
  for (int32_t i = 0; i < contacts->count; i++) contacts->names[i] = zw_model_contact(model, i);
  return contacts;
}

/* ---- events ---- */

/* What an event is to totals and picture; the log has it already, or is told apart. */
static ZwStatus count_event(Contacts* contacts, const ZwContactEvent* event) {
  Tally* tally = &contacts->tallies[event->contact];
  if (event->what == ZW_CONTACT_HIT) {
    tally->impacts++;
    tally->impulse += event->impulse;
    tally->lost += event->lost;
    tally->wall_work += event->wall_work;
  } else {
    tally->spent[tally->what] += event->t - tally->since;
    tally->since = event->t;
    tally->what = event->what;
  }
  return zw_lanes_add(&contacts->lanes, event);
}

void contacts_take(Contacts* contacts, const ZwContactEvent* event) {
  if (contacts->status) return;
  contacts->status = zw_contact_log_add(&contacts->log, event);
  if (!contacts->status) contacts->status = count_event(contacts, event);
  if (contacts->status == ZW_ERR_MEMORY) zw_snprintf(contacts->error, sizeof contacts->error, "out of memory");
}

ZwStatus contacts_status(const Contacts* contacts) {
  return contacts->status;
}

const char* contacts_error(const Contacts* contacts) {
  return contacts->error[0] ? contacts->error : contacts->log.csv.error;
}

void contacts_poll(Contacts* contacts) {
  ZwStatus status = zw_csv_poll(&contacts->log.csv);
  if (!contacts->status) contacts->status = status;
}

bool contacts_sync(Contacts* contacts, int64_t* rows, int64_t* bytes) {
  *rows = contacts->log.rows;
  return !contacts->status && zw_csv_sync(&contacts->log.csv, bytes) == ZW_OK;
}

uint64_t contacts_sum(const Contacts* contacts) {
  return zw_sum_get(&contacts->log.csv.draft.sum);
}

bool contacts_is_direct(const Contacts* contacts) {
  return contacts->log.csv.draft.is_direct;
}

/* ---- the log ---- */

/* Totals and picture of the events that are there. */
static ZwStatus read_again(Contacts* contacts, ZwContactReader* reader, int64_t rows) {
  bool has_event;
  while (reader->rows < rows) {
    ZW_TRY(zw_contact_reader_next(reader, &has_event));
    if (!has_event || reader->count > contacts->count) return ZW_ERR_VALUE;
    ZW_TRY(count_event(contacts, &reader->event));
  }
  return ZW_OK;
}

static ZwStatus read_log(Contacts* contacts, int64_t rows, char error[ZW_DRAFT_ERROR]) {
  ZwAllocator allocator = zw_allocator_default();
  ZwContactReader reader;
  const char* part = contacts_part(contacts);
  ZwStatus status = zw_contact_reader_open(&reader, &allocator, part, contacts->names, contacts->count);
  if (!status) status = read_again(contacts, &reader, rows);
  if (status) {
    zw_snprintf(error, ZW_DRAFT_ERROR, "'%.200s' cannot be gone on with: line %lld: %.200s", part,
                (long long)reader.csv.line, reader.csv.error[0] ? reader.csv.error : "lines are missing");
  }
  zw_contact_reader_close(&reader);
  return status;
}

static ZwStatus go_on(Contacts* contacts, const Checkpoint* from, char error[ZW_DRAFT_ERROR]) {
  ZwAllocator allocator = zw_allocator_default();
  const char* why = "";
  ZwStatus status = zw_contact_log_reopen(&contacts->log, &allocator, contacts->csv_path, contacts->names,
                                          contacts->count, from->contact_rows, from->contact_bytes, &why);
  zw_snprintf(error, ZW_DRAFT_ERROR, "%s", why);
  if (status) return status;
  if (contacts_sum(contacts) != from->contact_sum) {
    zw_snprintf(error, ZW_DRAFT_ERROR,
                "\"%.300s\" has other rows than when its checkpoint was made: it was changed or damaged",
                contacts_part(contacts));
    return ZW_ERR_VALUE;
  }
  return read_log(contacts, from->contact_rows, error);
}

/* A run that was killed right at its end may have given the log its name, and not yet the table: then it is taken back. If it was
 * another one it keeps its name. */
static ZwStatus go_on_with_named(Contacts* contacts, const Checkpoint* from, char error[ZW_DRAFT_ERROR]) {
  char* part = join_path(".", contacts->csv_path, ".part");
  bool is_taken = part && access(part, F_OK) != 0 && rename(contacts->csv_path, part) == 0;
  ZwStatus status = go_on(contacts, from, error);
  if (status && is_taken) {
    contacts_abandon(contacts);
    (void)rename(part, contacts->csv_path);
  }
  free(part);
  return status;
}

ZwStatus contacts_open(Contacts* contacts, const Checkpoint* from, bool is_resumed, char error[ZW_DRAFT_ERROR]) {
  if (from) return go_on_with_named(contacts, from, error);
  ZwAllocator allocator = zw_allocator_default();
  const char* why = "";
  ZwStatus status = ZW_ERR_IO;
  if (is_resumed) {
    status = zw_contact_log_reopen(&contacts->log, &allocator, contacts->csv_path, contacts->names, contacts->count, 0,
                                   0, &why);
  }
  if (status) {
    status =
        zw_contact_log_open(&contacts->log, &allocator, contacts->csv_path, contacts->names, contacts->count, &why);
  }
  zw_snprintf(error, ZW_DRAFT_ERROR, "%s", why);
  return status;
}

bool contacts_end(Contacts* contacts, double t) {
  if (!contacts->status) contacts->status = zw_contact_log_end(&contacts->log, t);
  return contacts->status == ZW_OK;
}

bool contacts_finish(Contacts* contacts) {
  contacts->has_csv = !contacts->status && zw_csv_finish(&contacts->log.csv) == ZW_OK;
  return contacts->has_csv;
}

void contacts_discard(Contacts* contacts) {
  zw_csv_discard(&contacts->log.csv);
}

void contacts_abandon(Contacts* contacts) {
  (void)zw_csv_abandon(&contacts->log.csv);
}

/* ---- the picture ---- */

bool contacts_draw(Contacts* contacts, double from, double to, ZwTheme theme) {
  ZwAllocator allocator = zw_allocator_default();
  ZwContactPicture picture = {.title = contacts->title,
                              .lanes = &contacts->lanes,
                              .names = contacts->names,
                              .from = from,
                              .to = to,
                              .theme = theme};
  return zw_contact_picture_write(&picture, &allocator, contacts->svg_path, contacts->error) == ZW_OK;
}

void contacts_free(Contacts* contacts) {
  if (!contacts) return;
  contacts_abandon(contacts); /* does nothing when it was finished */
  zw_lanes_free(&contacts->lanes);
  free(contacts->names);
  free(contacts->tallies);
  free(contacts->title);
  free(contacts->csv_path);
  free(contacts->svg_path);
  free(contacts);
}

/* ---- what there is to tell ---- */

const char* contacts_csv(const Contacts* contacts) {
  return contacts->csv_path;
}

const char* contacts_svg(const Contacts* contacts) {
  return contacts->svg_path;
}

const char* contacts_part(const Contacts* contacts) {
  return contacts->log.csv.draft.part;
}

bool contacts_has_csv(const Contacts* contacts) {
  return contacts->has_csv;
}

int64_t contacts_rows(const Contacts* contacts) {
  return contacts->log.rows;
}

int32_t contacts_count(const Contacts* contacts) {
  return contacts->count;
}

const char* contacts_name(const Contacts* contacts, int32_t i) {
  return contacts->names[i];
}

const char* const* contacts_names(const Contacts* contacts) {
  return contacts->names;
}

const ZwLanes* contacts_lanes(const Contacts* contacts) {
  return &contacts->lanes;
}

ContactTotals contacts_totals(const Contacts* contacts, int32_t i, double t) {
  Tally tally = contacts->tallies[i];
  tally.spent[tally.what] += t - tally.since;
  ContactTotals totals = {.impacts = tally.impacts,
                          .impulse = tally.impulse,
                          .lost = tally.lost,
                          .wall_work = tally.wall_work,
                          .sticking = tally.spent[ZW_CONTACT_STICKS],
                          .slipping = tally.spent[ZW_CONTACT_SLIPS]};
  totals.closed = tally.spent[ZW_CONTACT_CLOSED] + totals.sticking + totals.slipping;
  totals.has_friction = totals.sticking > 0 || totals.slipping > 0;
  return totals;
}

double contacts_lost(const Contacts* contacts) {
  double lost = 0;
  for (int32_t i = 0; i < contacts->count; i++) lost += contacts->tallies[i].lost;
  return lost;
}
