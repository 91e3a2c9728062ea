/* The contacts of a run: their log <model>.contacts.csv, what they come to in all, and their picture <model>.contacts.svg. */
#ifndef ZW_CLI_CONTACTS_H
#define ZW_CLI_CONTACTS_H

#include "cli/checkpoint.h"
#include "output/draft.h"
#include "output/lanes.h"
#include "output/theme.h"
#include "zwang/zwang.h"

typedef struct Contacts Contacts;

/* Of one contact, up to now. */
typedef struct ContactTotals {
  int64_t impacts;
  double impulse, lost, wall_work;   /* of all impacts */
  double closed, sticking, slipping; /* time; `closed` holds the other two */
  bool has_friction;                 /* it stuck or slipped at all */
} ContactTotals;

/* For the results NAME.contacts.* in a folder, and a picture with this title; nothing is opened yet. NULL: out of memory. */
Contacts* contacts_create(const ZwModel* model, const char* folder, const char* name, const char* title);
/* Begins the log, or goes on with one that is there: behind a checkpoint, or without one from its first line on if `is_resumed`.
 * On failure a sentence in `error`. */
ZwStatus contacts_open(Contacts* contacts, const Checkpoint* from, bool is_resumed, char error[ZW_DRAFT_ERROR]);
/* A failure is kept: contacts_status and contacts_error tell it. */
void contacts_take(Contacts* contacts, const ZwContactEvent* event);
ZwStatus contacts_status(const Contacts* contacts);
const char* contacts_error(const Contacts* contacts);
void contacts_poll(Contacts* contacts);
/* All lines on the disk; how many events, and bytes. */
bool contacts_sync(Contacts* contacts, int64_t* rows, int64_t* bytes);
/* The log goes to a device or a pipe, and cannot be gone on with. */
/* Over the bytes of the log. */
uint64_t contacts_sum(const Contacts* contacts);
bool contacts_is_direct(const Contacts* contacts);

/* The ends of the log: its last line; it gets its name; it has served its purpose; it stays as it is. False: contacts_error. */
bool contacts_end(Contacts* contacts, double t);
bool contacts_finish(Contacts* contacts);
void contacts_discard(Contacts* contacts);
void contacts_abandon(Contacts* contacts);
bool contacts_draw(Contacts* contacts, double from, double to, ZwTheme theme);
void contacts_free(Contacts* contacts);

const char* contacts_csv(const Contacts* contacts);
const char* contacts_svg(const Contacts* contacts);
const char* contacts_part(const Contacts* contacts); /* of the log, while it is open */
/* Whether the log is complete and has its name. */
bool contacts_has_csv(const Contacts* contacts);
int64_t contacts_rows(const Contacts* contacts);
int32_t contacts_count(const Contacts* contacts);
const char* contacts_name(const Contacts* contacts, int32_t i);
const char* const* contacts_names(const Contacts* contacts);
const ZwLanes* contacts_lanes(const Contacts* contacts);
ContactTotals contacts_totals(const Contacts* contacts, int32_t i, double t);
double contacts_lost(const Contacts* contacts);

#endif
