/* An ensemble: runs of one model that differ in parameters and start values, in threads, with one row each in one table. */
#ifndef ZW_CLI_SWEEP_H
#define ZW_CLI_SWEEP_H

#include "cli/cli.h"
#include "output/csv.h"

enum { MEMBERS_MAX = 10000000, THREADS_MAX = 1024 };

/* ---- sweep_plan.c: which members there are ---- */

/* One name and its values: a list, or draws from a range. */
typedef struct SweepAxis {
  char* name;
  bool is_drawn;
  double* values; /* of a list: count */
  int32_t count;
  double low, high; /* of draws */
  int32_t draw;     /* number among the axes that are drawn */
} SweepAxis;

/* The members are the product of all lists, the last one fastest, and within it the draws. */
typedef struct SweepPlan {
  SweepAxis axes[SETS_MAX];
  int32_t axis_count;
  int32_t draw_count; /* draws for each point of the grid; 1 without any */
  int32_t members;
  uint64_t seed;
} SweepPlan;

/* Reads --over and --draw; EXIT_FINE, or what was complained of. Free in either case. */
int sweep_plan_read(const Options* options, SweepPlan* plan);
/* Aliases of start values, `r.b.phi` of a part that is called `r.phi` in tables, become those names. */
int sweep_plan_resolve(const Options* options, const ZwModel* model, SweepPlan* plan);
void sweep_plan_free(SweepPlan* plan);
/* The value of an axis for a member, counted from 0. */
double sweep_plan_value(const SweepPlan* plan, int32_t axis, int32_t member);

/* ---- sweep_table.c: one row for each member ---- */

/* What is kept of a run. */
typedef struct SweepMember {
  ZwStatus status;
  bool is_doubtful;
  char reason[ZW_CSV_TEXT + 1]; /* why it failed or is doubtful; "" */
  bool has_row;
  int32_t moved;        /* typed start values that had to, to satisfy the constraints */
  double* last;         /* row of the model */
  double *least, *most; /* of the outputs, over all rows */
  double phi, phidot;   /* evidence */
  double energy;        /* relative drift, or error of the balance; NaN: unknown */
  int64_t steps, rejected;
} SweepMember;

typedef struct SweepTable {
  const ZwModel* model;
  const SweepPlan* plan;
  char *path, *resume_path;
  ZwCsv csv;
  int32_t* columns; /* of a row of the model that are recorded */
  int32_t column_count;
  ZwCsvField* fields;
  int32_t field_count;
  bool has_all, has_csv;
  int32_t rows;
  int32_t resumed_rows; /* that an earlier sweep has left; 0 */
  int64_t resumed_size; /* bytes of them, */
  uint64_t resumed_sum; /* and a sum over these */
  char* description;    /* of the sweep, for checkpoints; not its own */
  double noted;         /* s: when the last checkpoint was made */
} SweepTable;

/* Plans <model>.sweep.csv; EXIT_FINE, or what was complained of. Close in either case. */
int sweep_table_plan(SweepTable* table, const Options* options, const ZwModel* model, const SweepPlan* plan);
/* Opens its .part, anew or behind the rows that are resumed; alike. */
int sweep_table_open(SweepTable* table, const Options* options);
ZwStatus sweep_table_row(SweepTable* table, const SweepMember* member);
/* The .part becomes the table. */
ZwStatus sweep_table_finish(SweepTable* table);
/* The .part stays, with whole rows. */
void sweep_table_abandon(SweepTable* table);
void sweep_table_close(SweepTable* table);

/* ---- sweep_rebuild.c: members that are made of other things ---- */

/* The model with those of the changes that are parameters, which leave the list; start values stay. NULL: it does not compile, and
 * `why`, of ZW_CSV_TEXT + 1 bytes, says so. */
ZwModel* sweep_rebuild(const Options* options, const ZwModel* model, ZwRunChange* changes, int32_t* change_count,
                       char* why);
/* For each column of the model the one of that name in rows of the member, -1: it has none. NULL: memory is out. */
int32_t* sweep_find_columns(const ZwModel* model, const ZwModel* member);

typedef struct SweepTotals SweepTotals;

/* ---- sweep_resume.c ---- */

/* What is to be the same when a sweep goes on; `run` is that of its first member. NULL: out of memory. To be freed. */
char* sweep_describe(const Options* options, const ZwModel* model, ZwRun* run, const SweepPlan* plan);
/* The first checkpoint of a sweep that begins, or the check that a sweep goes on with the rows that were looked at. */
int sweep_resume_begin(const Options* options, SweepTable* table, char* description);
/* A checkpoint, if the last one is old enough: rows after it are computed again. */
void sweep_resume_note(SweepTable* table);
/* The last one, of a sweep that ends before its time: of all whole rows. */
void sweep_resume_leave(SweepTable* table);
/* Looks at what is there: adds up its rows, so that the table goes on behind them. EXIT_FINE, or what was complained of. */
int sweep_resume_look(const Options* options, SweepTable* table, const char* description, SweepTotals* totals,
                      bool* is_finished);

/* ---- sweep_summary.c ---- */

enum { FAILURES_SHOWN = 10 };

typedef struct SweepFailure {
  int32_t member; /* from 1 */
  double t;       /* of its last row; NaN: it has none */
  char reason[ZW_CSV_TEXT + 1];
} SweepFailure;

/* How all of them went, as far as their rows are in the table. */
struct SweepTotals {
  int32_t fine, doubtful, failed;
  int32_t moved;                         /* members with start values that were moved */
  SweepFailure failures[FAILURES_SHOWN]; /* the first ones */
  SweepFailure doubts[FAILURES_SHOWN];   /* alike */
  int64_t steps, rejected;
  double phi, phidot, energy; /* largest of those that did not fail; NaN: none */
  int32_t threads;
  double seconds;
};

void sweep_totals_add(SweepTotals* totals, int32_t number, const SweepMember* member);

/* The exit status of a sweep that has all its members. */
int sweep_exit_status(const Options* options, const SweepTotals* totals);

typedef struct SweepOutcome {
  const Options* options;
  const SweepTable* table;
  const SweepTotals* totals;
  const ZwDiag* failure; /* of the sweep itself, such as a full disk; NULL */
  int exit_code;
} SweepOutcome;

void sweep_print(const SweepOutcome* outcome);
void sweep_print_json(const SweepOutcome* outcome);

#endif
