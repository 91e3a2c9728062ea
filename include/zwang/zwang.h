/* Zwang: the motion of constrained mechanical systems by Gauss's principle of least constraint.
 *
 *   ZwCompileDef def = zw_default_compile_def();
 *   def.text = text; def.size = strlen(text);
 *   ZwModel* model;
 *   if (zw_model_compile(&def, &model) == ZW_OK) {
 *     ZwRunDef how = zw_default_run_def();
 *     how.row = my_row; how.context = my_data;
 *     ZwRun* run;
 *     if (zw_run_create(model, &how, &run) == ZW_OK) zw_run_go(run);
 *     ... zw_run_report(run), zw_run_diag(run, i) ...
 *     zw_run_destroy(run);
 *   }
 *   ... zw_model_diag(model, i) ...
 *   zw_model_destroy(model);
 *
 * The library does not print, does not exit and keeps no globals.
 *
 * Every function looks at what it is given before it does anything; what stands under "Checks" is refused: by ZW_ERR_ARGUMENT where
 * there is a status, else by NULL or 0. A call that is refused changes nothing; a run stays what it was. What no function can see: memory that
 * is too small, texts that do not end, handles that were destroyed.
 *
 * "At work" is a run whose callback has been called and has not returned: there it may be looked at (its report, names, messages, state),
 * not moved, asked for equations or destroyed.
 */
#ifndef ZWANG_ZWANG_H
#define ZWANG_ZWANG_H

#include "zwang/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZW_API __attribute__((visibility("default")))

/* The version, as "1.2.3". Checks: nothing is given. */
ZW_API const char* zw_version(void);
/* One sentence about a status. Checks: "unknown status" for one that there is not. */
ZW_API const char* zw_status_text(ZwStatus status);
/* Its name, as in "ZW_ERR_NAME". Checks: "unknown status" for one that there is not. */
ZW_API const char* zw_status_name(ZwStatus status);

/* The name of formulation number i, from 0. Checks: i; NULL before the first and after the last. */
ZW_API const char* zw_formulation_text(int32_t i);

/* The name of integrator number i, from 0. Checks: i; NULL before the first and after the last. */
ZW_API const char* zw_integrator_text(int32_t i);

/* The name of kernel number i, from 0. Checks: i; NULL before the first and after the last. */
ZW_API const char* zw_kernel_text(int32_t i);

/* Definitions as they usually are, with the cookie and the size that the functions which take them look for. Checks: nothing is given. */
ZW_API ZwCompileDef zw_default_compile_def(void);
ZW_API ZwRunDef zw_default_run_def(void);
ZW_API ZwExportDef zw_default_export_def(void);
ZW_API ZwLinearizeDef zw_default_linearize_def(void);
ZW_API ZwEnsembleDef zw_default_ensemble_def(void);
ZW_API ZwForcesDef zw_default_forces_def(void);
ZW_API ZwCompareDef zw_default_compare_def(void);

/* Compiles a text. Also a wrong text gives a model, which then only holds messages; *model is NULL when there was no
 * memory even for those, or the call was refused. Checks: NULL; the cookie of `def`; text NULL with a size; a text of 2 GiB and more
 * (ZW_ERR_LIMIT); counts below 0, or without what they count; names and values that are NULL; levels; half a reader; half an allocator;
 * negative limits. */
ZW_API ZwStatus zw_model_compile(const ZwCompileDef* def, ZwModel** model);
/* Gives the model back; it is freed when its last run is destroyed, too. Checks: NULL is fine. */
ZW_API void zw_model_destroy(ZwModel* model);

/* Messages, errors and notes in the order they were found. They live as long as the model. Checks: model NULL, i. */
ZW_API int32_t zw_model_diag_count(const ZwModel* model);
ZW_API const ZwDiag* zw_model_diag(const ZwModel* model, int32_t i);
/* Errors found in all; more than are listed when a text is full of them. Checks: model NULL. */
ZW_API int32_t zw_model_error_count(const ZwModel* model);

/* Columns of a row: t, coordinates, velocities, outputs, by the user's names (in NFC); none of a model that did not compile. Checks:
 * model NULL, i. */
ZW_API int32_t zw_model_column_count(const ZwModel* model);
ZW_API const char* zw_model_column(const ZwModel* model, int32_t i);
/* The column of a coordinate, velocity or output by any of its names: `crank.b.phi` and `crank.phi` are the same column; 0: no column has this name.
 * Checks: NULL. */
ZW_API int32_t zw_model_column_find(const ZwModel* model, const char* name);
/* Contacts, in the order of the text; no two have the same name. Checks: model NULL, i. */
ZW_API int32_t zw_model_contact_count(const ZwModel* model);
ZW_API const char* zw_model_contact(const ZwModel* model, int32_t i);
/* How many columns are coordinates, and as many velocities; how many are outputs. Checks: model NULL. */
ZW_API int32_t zw_model_coordinate_count(const ZwModel* model);
ZW_API int32_t zw_model_output_count(const ZwModel* model);
/* Its `plot` statements, in the order of the text. What they show are columns of the rows. Checks: model NULL, i. */
ZW_API int32_t zw_model_plot_count(const ZwModel* model);
ZW_API const ZwPlot* zw_model_plot(const ZwModel* model, int32_t i);
/* What is drawn of a model that was compiled with `drawing`: its `draw` statements, or those of the libraries it uses and what can
 * be told from its points and constraints. Checks: model NULL, i. */
ZW_API int32_t zw_model_draw_count(const ZwModel* model);
ZW_API const ZwDraw* zw_model_draw(const ZwModel* model, int32_t i);
/* Events and switches the model watches; 0: its rows need no column for them. Checks: model NULL. */
ZW_API int32_t zw_model_event_count(const ZwModel* model);

/* What computes its equations: "native" or "interpret". Checks: model NULL. */
ZW_API const char* zw_model_kernel(const ZwModel* model);

/* The texts the model was made from: its own first, then the values of `sets`, then what it uses: files, libraries, tables. Checks:
 * model NULL, i; the text is empty then, and has no name. */
ZW_API int32_t zw_model_text_count(const ZwModel* model);
ZW_API ZwModelText zw_model_text(const ZwModel* model, int32_t i);

/* What a stage hands to the next, as text. The text belongs to the caller: zw_text_free. NULL when memory is out. The
 * text stage needs keep_tree. Checks: model NULL, stage. */
ZW_API char* zw_model_dump(const ZwModel* model, ZwStage stage);
/* The equations of the model as on paper: L, M, h, the constraints with their rows of A and b, the Gibbs function and its
 * relatives. As `zw_model_dump` otherwise; also NULL when the model did not compile. Checks: model NULL, form. */
ZW_API char* zw_model_derive(const ZwModel* model, ZwDeriveForm form);
/* The same with more parts. The text belongs to the caller: zw_text_free. ZW_ERR_MEMORY; ZW_ERR_VALUE: other than `rank` coordinates to
 * eliminate, or `dependent` is one that cannot be. derived->text is NULL then. Checks: NULL; a model that did not compile; form; parts; letters; coordinates
 * outside, named twice, or a count without a list. */
ZW_API ZwStatus zw_model_derive_parts(const ZwModel* model, const ZwDeriveDef* def, ZwDerivePage* derived);
/* Frees a text that a function gave to the caller. Checks: NULL is fine, for either. */
ZW_API void zw_text_free(const ZwModel* model, char* text);

/* Lays out a text as `zwang fmt` does: tokens and comments stay, space changes. Needs of `def` only text, size, name,
 * limits and allocator. *model holds the messages and cannot run (NULL when there was no memory even for that);
 * *text, ended by 0, is NULL unless the status is ZW_OK and belongs to the caller: zw_text_free. Checks: as zw_model_compile, and NULL. */
ZW_API ZwStatus zw_model_format(const ZwCompileDef* def, ZwModel** model, char** text, size_t* size);

/* A run at its consistent start. On failure too there is a run (unless memory is out) that holds messages. Checks: NULL; a model that did
 * not compile (its status); the cookie of `def`; counts below 0, or without what they count; names that are NULL; force_slope
 * without force. *run is NULL then. Numbers and names that are wrong are refused with a message. */
ZW_API ZwStatus zw_run_create(const ZwModel* model, const ZwRunDef* def, ZwRun** run);
/* Whether zw_run_go has all it needs: ZW_ERR_VALUE when neither model nor def says how long to run, ZW_ERR_DOMAIN when a claim of the model has no value at
 * the start. Checks: NULL, at work. */
ZW_API ZwStatus zw_run_ready(ZwRun* run);
/* To the end. Allocates nothing while stepping. At its end already: ZW_OK, nothing happens. ZW_ERR_CLAIM: it is at its end, with all its rows,
 * and what the model claims of it does not hold; whatever can be asked of a run can be asked of this one. Checks: NULL, at work; a run that an
 * ensemble or a comparison has moved. */
ZW_API ZwStatus zw_run_go(ZwRun* run);
/* Instead of zw_run_go, for many runs of one model: up to eight are under way at a time and are evaluated together, where the
 * machine has AVX2 and the motion is smooth, for a part of the price. Results and messages are those of zw_run_go, bit by bit, and
 * a run that fails harms no other. Ends when `next` gives NULL while none is under way. Each run's `row` and `poll` are called
 * from here, those of one run between those of others. Threads may do the same at once, with other runs. Checks: NULL; the
 * cookie of `def`; functions that are NULL. A run that has begun, or is at work, is given back with ZW_ERR_ARGUMENT. */
ZW_API ZwStatus zw_ensemble_go(const ZwEnsembleDef* def);
/* Instead of zw_run_go: moves to the instants asked for and solves by every formulation there. `reports` has room for all
 * formulations (zw_formulation_text). A model that does not say how long it runs is compared at its start.
 * Checks: NULL, at work; the cookie of `def`; count below 0, or without times; times that do not ascend or lie outside; a run that has begun. */
ZW_API ZwStatus zw_run_compare(ZwRun* run, const ZwCompareDef* def, ZwFormulationReport* reports, int32_t* instants);
/* Instead of zw_run_go: measures what the parts of a run cost at its start, then runs to the end. `clock` gives seconds from
 * anywhere. Checks: NULL, at work; a run that has begun. A clock that stands still makes nothing endless. */
ZW_API ZwStatus zw_run_measure(ZwRun* run, double (*clock)(void), ZwCosts* costs);
/* Instead of zw_run_go, or before it: goes on to the time t, where a step ends, or to where the run ends before; rows, events and
 * polls are handed out on the way. At the end of the run it answers as zw_run_go. A run that nobody said the end of, goes on to any t, and its only rows are those. Between two
 * calls the host may change what its own forces and constraints are. Checks: NULL, at work; a t that is no number, not finite while the run
 * has no end, or before where the run is; a run that an ensemble or a comparison has moved. */
ZW_API ZwStatus zw_run_to(ZwRun* run, double t);
/* Between two calls of zw_run_to: another value of a parameter, or of a memory, from now on; what follows from it in the text
 * follows. Positions and velocities are put onto the constraints as they are then. ZW_ERR_ARGUMENT as for ZwRunDef.changes.
 * Checks: NULL, at work; a name that the model does not have; a value that is not finite; a run that has not begun, or has sensitivities. */
ZW_API ZwStatus zw_run_set(ZwRun* run, const char* name, double value);
/* The row of the present state: zw_run_column_count numbers. Checks: NULL, at work. */
ZW_API ZwStatus zw_run_read(ZwRun* run, double* row);
/* The equations in numbers at any state, which need not be on the constraints: what `values` has room for. Not while the run is
 * under way in a callback; its own state stays what it is. ZW_ERR_UNSUPPORTED: derivatives where the solve is sparse.
 * Checks: run, q, v or values NULL, at work; t, q and v that are not finite. */
ZW_API ZwStatus zw_run_evaluate(ZwRun* run, double t, const double* q, const double* v, const ZwEvaluation* values);
/* The gradient of a coordinate, a velocity or an output ("x", "x'", "angle") where the run is, of a run with `gradient`. Its cost is about that
 * of the run, however many numbers it is by. It belongs to the run until the next call. ZW_ERR_NAME: there is no such number.
 * Checks: NULL, at work; a run without `gradient`, or that has not begun. */
ZW_API ZwStatus zw_run_gradient(ZwRun* run, const char* of, const ZwGradient** gradient);
/* Instead of zw_run_go, or after zw_run_to: finds an equilibrium or a steady motion, the forces of its constraints, and the
 * eigenvalues of small motions around it. Redundant constraints and coordinates without mass are fine. The run then stands there.
 * ZW_ERR_STEP: there is no such state in reach, and a message says why. Checks: NULL, at work; the cookie of `def`; at; near_q that is not
 * finite; input_count below 0, or without names. */
ZW_API ZwStatus zw_run_linearize(ZwRun* run, const ZwLinearizeDef* def, const ZwLinearization** linearization);
/* Instead of zw_run_go, or before it: the forces that make the model follow a motion, on all coordinates or on those that are named,
 * beside its own forces and constraints. The run stays at its start. ZW_ERR_VALUE: the table is wrong or violates the constraints;
 * ZW_ERR_NAME: there is no such coordinate; ZW_ERR_UNSUPPORTED: contacts and events; a message says more. Checks:
 * NULL, at work; the cookie of `def`; counts below 0, or without what they count; names and values that are NULL. */
ZW_API ZwStatus zw_run_forces(ZwRun* run, const ZwForcesDef* def, const ZwForces** forces);
/* Frees the run. Checks: NULL is fine; a run at work is not freed. */
ZW_API void zw_run_destroy(ZwRun* run);

/* A run that is ended can go on later, also in another process. Inside `poll`: how many bytes hold all that it needs, and
 * those bytes; 0: the integrators of SUNDIALS remember a past that cannot be saved. They are meant for the same version of the library on the same kind of machine.
 * Checks: NULL; a run that could not be created (0), or that has not begun (nothing is saved). */
ZW_API size_t zw_run_state_size(ZwRun* run);
ZW_API ZwStatus zw_run_save(ZwRun* run, void* state);
/* Before zw_run_go, on a run of the same model (its parameters too) with the same definition, except that `to` may be later:
 * zw_run_go then goes on after the rows given out before the state was saved, and gives out the same rows as if the run had
 * never ended. ZW_ERR_ARGUMENT: the state is damaged (it holds its length and a sum over all of it) or does not fit; the run is of no
 * use then. Checks: NULL, at work; a run that has begun. */
ZW_API ZwStatus zw_run_restore(ZwRun* run, const void* state, size_t size);

/* The model as one file of C99 and its header, with the run's parameters and start; the run has not begun. What cannot be exported is
 * refused with a message of the run: ZW_ERR_UNSUPPORTED, ZW_ERR_LIMIT, ZW_ERR_ARGUMENT for a prefix that is no name in C.
 * Checks: NULL, at work; the cookie of `def`; a run that has begun. */
ZW_API ZwStatus zw_run_export(ZwRun* run, const ZwExportDef* def, ZwExport* texts);

/* The `context` of its definition. Checks: NULL. */
ZW_API void* zw_run_context(const ZwRun* run);
/* Parameters and memories the user declared, with their values at the start of the run. Checks: run NULL, i; the name is NULL then. */
ZW_API int32_t zw_run_parameter_count(const ZwRun* run);
ZW_API ZwParameter zw_run_parameter(const ZwRun* run, int32_t i);
/* Columns of the run's rows: those of the model; with `forces`, "reaction(pin)" (the multiplier of the constraint),
 * "pin on x" (its generalized force on a coordinate), "constraints on x" (of all together), "constraints on x (b)" and
 * "constraints on x (h)" (its parts linear in b and in h); with `evidence`, "|phi|", "|phi'|", "total energy" and "total work". Checks: run NULL, i. */
ZW_API int32_t zw_run_column_count(const ZwRun* run);
ZW_API const char* zw_run_column(const ZwRun* run, int32_t i);
/* How it went so far; belongs to the run, and is filled anew with every call. Checks: NULL. */
ZW_API const ZwReport* zw_run_report(ZwRun* run);
/* Messages about the run, in the order they were found. Checks: run NULL, i. */
ZW_API int32_t zw_run_diag_count(const ZwRun* run);
ZW_API const ZwDiag* zw_run_diag(const ZwRun* run, int32_t i);

#ifdef __cplusplus
}
#endif

#endif
