/* The command line: what the user asked for, and how it is answered. Summary to stdout, messages and progress to stderr.
 *
 * Exit status: 0 fine, 1 the run failed (with --strict: or is doubtful), 2 the model or the command line is wrong, 130 interrupted. */
#ifndef ZW_CLI_CLI_H
#define ZW_CLI_CLI_H

#include <stdio.h>

#include "base/clock.h"
#include "cli/checkpoint.h"
#include "cli/contacts.h"
#include "cli/gradient.h"
#include "cli/sensitivity.h"
#include "model/library.h"
#include "output/json.h"
#include "output/page.h"
#include "output/stored.h"
#include "output/svg.h"
#include "output/theme.h"
#include "zwang/zwang.h"

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_WRONG = 2, EXIT_INTERRUPTED = 130 };

enum { RECORD_ALL_UP_TO = 200 }; /* coordinates; larger models record their outputs only, unless --record all */
enum { SETS_MAX = 256, INSTANTS_MAX = 1000, COLUMNS_MAX = 100 };

/* One --over or --draw of sweep, as it was typed. */
typedef struct AxisText {
  const char* text;
  bool is_drawn;
} AxisText;

/* Files a model was made from: no result may overwrite them. */
typedef struct FilesRead FilesRead;

typedef struct Options {
  const char* command;
  const char* file;
  const char** operands; /* of the commands that take several: files of fmt, names of examples, words of complete */
  int32_t operand_count;
  const char* topic; /* of help */
  const char* out;
  const char* stage;
  const char *lib, *allow_path; /* folders; NULL: not given */
  double to, every, tolerance;  /* NaN: not given */
  const char* formulation;
  const char* integrator; /* NULL: as the model says */
  const char* kernel;     /* NULL: not given */
  double step;
  bool equilibrium, steady, anywhere; /* of linearize */
  const char *motion, *by;            /* of forces: a table; names of coordinates; NULL: not given */
  double within;                      /* of forces; NaN: not given */
  double at[INSTANTS_MAX];            /* of compare and linearize */
  int32_t at_count;
  const char *show, *eliminate, *order, *possible, *displacement; /* of compare; NULL: not given */
  bool full;                                                      /* of compare: matrices of any size */
  ZwSet sets[SETS_MAX];
  int32_t set_count;
  ZwLimits limits;
  FilesRead* files_read;
  const char* gradient;         /* of run: the number that it is of; NULL: not given */
  const char* varied[SETS_MAX]; /* of run: names of --sensitivity */
  int32_t varied_count;
  bool json, quiet, record_all, forces, evidence, conserve_energy;
  bool strict;              /* of run and sweep: a doubt is a failure */
  bool wants_csv, wants_h5; /* of run: --format */
  bool resume;              /* of run and sweep */
  const char** arguments;   /* as they were typed, without the program's name */
  int32_t argument_count;
  double checkpoint;        /* of run: seconds; NaN: not given */
  const char* stated_force; /* of check: "x=1, y=0"; NULL: not given */
  bool write, check;        /* of fmt */
  bool copy;                /* of examples */
  bool latex;               /* of derive, as are these */
  const char* letters; /* those of a paper; NULL: our own */
  bool explicit_, partition, bellman, all;
  bool model;                       /* of paper: print the models */
  double random;                    /* of paper: states besides the start */
  const char* output;               /* of run, derive, plot, export, forces and paper: a file; NULL: not given */
  bool as_c, compact;               /* of export */
  const char* name;                 /* of export: what names in C begin with; NULL: not given */
  const char* against;              /* of plot: the name of a column; NULL: not given */
  const char* columns[COLUMNS_MAX]; /* of plot: lists of names and patterns */
  int32_t column_count;
  bool still;              /* of animate */
  double still_at;         /* time; NaN: the end */
  double from, fps, speed; /* of animate; NaN: not given */
  const char* view;        /* of animate; NULL: not given */
  bool together, equal;    /* of plot */
  bool open;               /* of plot and animate */
  bool log_across, log_up; /* of plot: --log */
  bool sketch;             /* of run and plot */
  bool has_out;            /* --out was given */
  ZwTheme theme;           /* of run, plot and animate */
  AxisText axes[SETS_MAX]; /* of sweep and linearize */
  int32_t axis_count;
  double count, threads; /* of sweep; NaN: not given */
  const char* seed;      /* of sweep; NULL: not given */
} Options;

typedef struct Command {
  const char* name;
  const char* summary;
  const char* usage
      [3]; /* the help text, in parts, ended by NULL: compilers need not take a literal of more than 4095 characters */
  int (*run)(const Options* options);
} Command;

/* help.c: all commands, ended by a NULL name */
extern const Command commands[];
const Command* find_command(const char* name);
int print_help(const Options* options);
int print_version(void);

/* options.c: EXIT_FINE, or EXIT_WRONG after a message. Texts in `options` point into argv. */
int read_options(int argc, char** argv, Options* options);
void free_options(Options* options);
/* The name of option number i of a command, from 0, and whether a value follows it; NULL behind the last. */
const char* command_option(const char* command, int i, bool* takes_value);
/* Whether a command works on several files or names. */
bool takes_several(const char* command);

/* files.c */
typedef struct FileText {
  char* data;
  size_t size;
} FileText;
/* The whole of a stream; on failure a reason, and nothing to free. */
const char* read_stream(FILE* file, FileText* text);
bool is_out_of_memory(const char* why);
/* Says why a text could not be read, as read_stream has told; returns the exit status. */
int unreadable_text(const Options* options, const char* file, const char* why);
/* Reads a model; on failure a message, and the exit status. */
int read_model_file(const Options* options, FileText* text);
/* Opens a file for reading that is a regular one: a fifo or a device would keep us waiting. NULL with the reason, and errno. */
FILE* open_regular(const char* path, const char** why);
/* Notes that a file was opened for reading, and whether a path leads to one of them. */
void remember_file(const Options* options, FILE* file);
bool was_read(const Options* options, const char* path);
FilesRead* create_files_read(void);
void free_files_read(FilesRead* files);
/* "dir/pendulum.zw" -> "pendulum" */
char* model_name(const char* file);
char* join_path(const char* folder, const char* name, const char* ending);

/* ---- kinds.c ---- */

/* What a command writes. */
typedef enum FileKind {
  KIND_ROWS,
  KIND_FORCES,
  KIND_CONTACTS,
  KIND_SWEEP,
  KIND_LOCUS,
  KIND_PICTURE,
  KIND_PAGE,
  KIND_CODE,
  KIND_DERIVED,
  KIND_HDF5,
  KIND_MOVIE,
  KIND_CHECKPOINT
} FileKind;

typedef struct ColumnNames {
  const char* const* names;
  int32_t count;
} ColumnNames;

/* Where it goes; in the end. */
typedef struct FilePlace {
  const char* path;
  FileKind kind;
  const ColumnNames* own; /* of KIND_ROWS: the columns of every table of the model, where those have no states; NULL */
  bool keeps_whole;       /* it grows in the .part, and is removed with that */
  bool keeps_part;        /* it goes on with the .part */
} FilePlace;

/* EXIT_FINE when nothing is in the file's place and in that of its .part, or something of the same kind that zwang wrote; else a complaint:
 * it would be lost. */
int check_file_place(const Options* options, const FilePlace* place);
int check_kind(const Options* options, const char* path, FileKind kind);
/* The same for the .part of a text that is of no kind: it may be a piece of the text. */
int check_draft(const Options* options, const char* path, const char* text, size_t size);
/* Removes a file, if it is of this kind. */
void remove_kind(const char* path, FileKind kind);

/* kinds_table.c: ZW_OK when columns are those of such a table, ZW_ERR_VALUE when not, ZW_ERR_MEMORY */
bool kind_is_table(FileKind kind);
ZwStatus know_table(const char* path, FileKind kind, const ColumnNames* own);

/* marks.c: marks a PNG, GIF or MP4 as ours; other files stay as they are. False: it could not be written. */
bool leave_mark(int fd);
bool has_mark(int fd);

/* reader.c: where `use` and `table` find files */
ZwReader make_reader(const Options* options);

/* messages.c */
void print_diag(const ZwDiag* diag);
void print_diags(const ZwModel* model, const ZwRun* run, bool quiet);
bool has_error(const ZwModel* model, const ZwRun* run);
/* A mistake outside any text, as one line on stderr and, with --json, as an object on stdout. */
int complain(const Options* options, ZwStatus code, const char* format, ...) __attribute__((format(printf, 3, 4)));
/* The same with a place or a remedy. */
int complain_diag(const Options* options, const ZwDiag* diag);
/* A failure that belongs to neither model nor run, such as a full disk. */
ZwDiag plain_error(ZwStatus code, const char* text);
/* "errors" and "notes" of a JSON summary; `failure` may be NULL. */
void json_diags(ZwJson* json, const ZwModel* model, const ZwRun* run, const ZwDiag* failure);
/* The object that answers a model or command that was refused. */
void print_refused_json(const Options* options, const ZwModel* model, const ZwRun* run, const ZwDiag* failure,
                        const char* status);
/* After a run or start that failed: its messages, or that memory is out, and the JSON object if it is wanted. */
void print_refused(const Options* options, const ZwModel* model, const ZwRun* run, ZwStatus status);
void json_head(ZwJson* json, const char* status);
int exit_status(ZwStatus status, bool has_begun);
const char* status_word(int exit_code);

/* Reads and compiles the model of the command; on failure everything is said and *exit_code set. */
ZwModel* compile_model(const Options* options, bool keep_tree, int* exit_code);

/* interrupt.c */
/* Ctrl-C ends a run between two steps, so that its files end with whole rows. A second one ends it at once. */
void catch_signals(void);
bool is_interrupted(void);

/* progress.c */
typedef struct Progress {
  const char* what; /* goes on: "t", until it is replaced after the begin */
  bool is_shown;
  double from, to, begun, last;
} Progress;
double seconds_now(void);
void progress_begin(Progress* progress, double from, double to, bool is_wanted);
void progress_update(Progress* progress, double t);
void progress_end(Progress* progress);

/* resume.c: what there is to go on from */
typedef struct Resume {
  Checkpoint checkpoint; /* with a state if there is one */
  bool is_finished;      /* no rows are waiting, but a result is there */
} Resume;
/* Looks for what an earlier run has left; EXIT_FINE, or what was complained of. */
int resume_look(const Options* options, Resume* resume);
/* Is the finished result that of this run? Says so; EXIT_FINE, or what was complained of. */
int resume_is_finished(const Options* options, ZwRun* run);

/* results_hdf5.c: the HDF5 file of a run, made from its journals; `contacts` may be NULL; false with a sentence in `error` */
bool write_hdf5(const Options* options, const ZwModel* model, ZwRun* run, const char* path, const char* journal,
                const int32_t* columns, int32_t column_count, const Varied* varied, const Contacts* contacts,
                char error[ZW_DRAFT_ERROR]);

/* results_plot.c: the picture of a run, of its `plot` statements or else of its coordinates and outputs */
typedef struct RunPlot RunPlot;
/* Whether a `plot` statement shows this column of the rows. */
bool is_plotted(const ZwModel* model, int32_t column);
/* `has_all`: coordinates are recorded. NULL: out of memory. */
RunPlot* run_plot_create(const ZwModel* model, bool has_all);
void run_plot_row(RunPlot* plot, const double* values, const char* event);
/* The plot of all rows, with a title and the name of the result that holds the rest; NULL: there is nothing to draw. `contacts` may be
 * NULL. */
const ZwSvgPlot* run_plot_get(RunPlot* plot, const Options* options, const char* title, const char* name,
                              const Contacts* contacts);
void run_plot_free(RunPlot* plot);

/* show.c: pictures in other forms than a file of SVG */
/* Writes it to the file; as PNG, by rsvg-convert, if the name ends so. EXIT_FINE, or what was complained of. */
int write_picture(const Options* options, ZwPageDrawFn draw, const void* picture, const char* path);
/* Shows the file on the screen, by xdg-open. The same. */
int open_picture(const Options* options, const char* path);
/* As text on stdout. */
void print_sketch(const ZwSvgPlot* plot);

/* results.c: the files of a run */
/* Whether files can be written into --out: false after a message. */
bool is_out_fine(const Options* options);
bool is_folder_fine(const Options* options, const char* folder);
typedef struct Results Results;
/* Opens <out>/<model>.csv.part, or goes on with it behind a checkpoint, whose state the run then has; `from` may be NULL. On
 * failure a message, *exit_code, and NULL. */
Results* results_open(const Options* options, const ZwModel* model, ZwRun* run, const Checkpoint* from, int* exit_code);
ZwStatus results_row(Results* results, const double* values);
/* Names the event that the next rows belong to; "" for none. */
void results_event(Results* results, const char* name);
/* Something happens to a contact; a failure is told by the next row. */
void results_contact(Results* results, const ZwContactEvent* event);
/* Between two steps, at time t: rows do not wait too long, and a checkpoint is made from time to time, or if it `is_last`. */
void results_poll(Results* results, double t, bool is_last);
/* Ends the files of a run that succeeded: false after a message. */
bool results_finish(Results* results);
/* Ends the files of a run that did not: the .part stays, with whole rows. */
void results_abandon(Results* results);
void results_close(Results* results);
const char* results_csv(const Results* results);
const char* results_svg(const Results* results);
const char* results_h5(const Results* results); /* NULL: none, or not written */
const char* results_error(const Results* results);
const Contacts* results_contacts(const Results* results); /* NULL: the model has none */
bool results_has_all(const Results* results);
const Varied* results_varied(const Results* results);
/* The columns of a row that are recorded. */
const int32_t* results_columns(const Results* results, int32_t* count);
/* The plot of all rows; NULL: there is nothing to draw. */
const ZwSvgPlot* results_plot(const Results* results);
/* Whether the .csv is complete and has its name. */
bool results_has_csv(const Results* results);
/* Whether the run can go on later from a checkpoint. */
bool results_has_checkpoint(const Results* results);
/* Time where a run went on, NaN if it began; and the seconds it had taken before. */
double results_resumed_at(const Results* results);
double results_seconds_before(const Results* results);

/* plot_columns.c: which columns of a result are drawn, by --columns and --against */
typedef struct PlotColumns {
  int32_t across; /* the column of the axis below */
  int32_t columns[ZW_SVG_CURVES];
  int32_t count;  /* of them; each is a panel, or all are one if they are drawn together */
  int32_t wanted; /* so many there would be without a limit; 0: they were asked for by name */
} PlotColumns;
/* EXIT_FINE, or what was complained of. */
int choose_plot_columns(const Options* options, const ZwStored* stored, ZwArena* arena, PlotColumns* what);

/* plot_contacts.c: a log of contacts in place of a table; the name and the path of the picture */
int plot_contacts(const Options* options, const char* name, const char* path);
/* plot_shades.c: the contacts of a stored result */
typedef struct StoredContacts {
  ZwLanes lanes;
  const char** names;
  char* text; /* of the names */
  int32_t count;
} StoredContacts;
/* Reads the contacts of a result, which ends at time `to`: those in the file, or the log beside it if it fits. Nothing is said if
 * there are none. ZW_ERR_VALUE: the file is damaged; ZW_ERR_MEMORY. */
ZwStatus stored_contacts_read(StoredContacts* contacts, ZwStored* stored, const char* result, double to);
void stored_contacts_free(StoredContacts* contacts);

/* summary.c */
typedef struct Outcome {
  const Options* options;
  const ZwModel* model;
  ZwRun* run;
  const Results* results; /* NULL for check */
  const ZwDiag* failure;  /* outside model and run; NULL if none */
  int exit_code;
  double seconds;
  const ZwGradient* gradient;      /* NULL: none was asked for */
  const struct StatedForce* force; /* of check --force; NULL: none was stated */
} Outcome;
void print_summary(const Outcome* outcome);
void print_json(const Outcome* outcome);
/* "slider-crank: 6 coordinates, 5 constraints of rank 5, 1 degree of freedom" */
void print_system(const ZwReport* report, const char* name);
/* "trusted" */
const char* trust_word(ZwVerdict verdict);
/* What there is to say of the energy: "conserved", "balance" (with work or with what events took), "swings", "held", "wrong" or "unknown". */
const char* energy_word(const ZwReport* report);
/* "key": number */
void json_number(ZwJson* json, const char* key, double value);
/* n, m, rank, dof of a JSON object */
void json_system(ZwJson* json, const ZwReport* report, const char* name);

/* the commands */
int command_run(const Options* options);
int command_check(const Options* options);
int command_sweep(const Options* options);
int command_compare(const Options* options);
int command_least(const Options* options);
int command_linearize(const Options* options);
int command_forces(const Options* options);
int command_bench(const Options* options);
int command_dump(const Options* options);
int command_derive(const Options* options);
int command_export(const Options* options);
int command_plot(const Options* options);
int command_animate(const Options* options);
int command_fmt(const Options* options);
int command_examples(const Options* options);
/* answer.c: prints the parts one after the other, or writes them into the file that --output names. EXIT_FINE, or what was complained of. */
int answer_text(const Options* options, const char* const* parts, int count);
int command_paper(const Options* options);
int command_complete(const Options* options);

/* generated/examples.c, made from examples/: the shipped models, ended by a NULL name */
extern const ZwLibraryText example_texts[];

#endif
