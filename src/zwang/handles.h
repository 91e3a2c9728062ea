/* What stands behind the handles of the public functions. */
#ifndef ZW_ZWANG_HANDLES_H
#define ZW_ZWANG_HANDLES_H

#include <stdatomic.h>

#include "kernel/kernel.h"
#include "motion/sim.h"
#include "text/ast.h"
#include "zwang/door.h"
#include "zwang/zwang.h"

struct ZwModel {
  atomic_int users; /* its host, until zw_model_destroy, and its runs: the last one frees it */
  ZwArena arena;    /* text, graph, system, equations, kernels */
  ZwArena compile;  /* tokens and tree */
  ZwSources sources;
  ZwDiagList diags;
  ZwStatus status;
  ZwAst* tree;
  ZwSystem system;
  ZwEquations equations;
  ZwProgram program;
  const char** columns;
  const char** contacts;
  int32_t column_count;
  ZwPlot* plots;
  ZwDraw* draws;
};

enum { ZW_DOUBTS = 8, ZW_DOUBT_TEXT = 320 };

/* The reasons to doubt a run, and their texts. */
typedef struct ZwVerdicts {
  ZwDoubt doubts[ZW_DOUBTS];
  char reasons[ZW_DOUBTS][ZW_DOUBT_TEXT], remedies[ZW_DOUBTS][ZW_DOUBT_TEXT];
  int32_t count;
  int32_t refused; /* that of them which is no doubt but a failure; -1: none */
} ZwVerdicts;

struct ZwRun {
  const ZwModel* model;
  ZwArena arena; /* messages and moves */
  ZwDiagList diags;
  ZwRunDef def;
  ZwSim* sim;
  ZwStatus status;
  ZwReport report;
  ZwRunPlan plan; /* once it goes */
  ZwProgress progress;
  bool is_under_way;                 /* it has begun */
  bool is_busy;                      /* a public function is at work: its callbacks may look, not act */
  bool is_spent;                     /* an ensemble or a comparison has moved it: it cannot go on */
  bool is_endless;                   /* nobody said where it ends: the plan is longer with every zw_run_to */
  double* slopes;                    /* room for zw_run_evaluate, once it was asked for derivatives */
  double* given;                     /* values of parameters that are not the model's; NaN: the model's */
  ZwGradient gradient;               /* the last one; its names stay */
  ZW_ARRAY(const char*) own_columns; /* behind those of the model: forces, evidence */
  ZW_ARRAY(ZwParameter) parameters;
  int32_t start_notes; /* messages about the start; the others are about the motion */
  ZwEnergyShare shares[ZW_ENTRIES];
  ZwVerdicts verdicts;
  ZwClaimReport* claims;   /* those of the report */
  bool has_checked_claims; /* whether they can be evaluated at the start */
  bool has_told_claims;    /* the messages about those that do not hold are there */
};

/* A model that is used once more, or once less. */
const ZwModel* zw_model_keep(const ZwModel* model);
void zw_model_drop(const ZwModel* model);

/* Around all that works on a run: false if there is none, or if it is at work already, in one of whose callbacks this is. */
bool zw_run_enter(ZwRun* run);
ZwStatus zw_run_leave(ZwRun* run, ZwStatus status);
/* Whether it can still be moved by a plan of its own: it has not begun. Otherwise ZW_ERR_ARGUMENT, with a message. */
ZwStatus zw_run_check_fresh(ZwRun* run, const char* what);
/* Whether it is known how long it runs. */
ZwStatus zw_run_check_end(ZwRun* run);
/* zw_run_ready and zw_run_to of a run that was entered. */
ZwStatus zw_run_check_ready(ZwRun* run);
/* Looks at the state of a run that may not have begun. */
ZwStatus zw_run_look_at(ZwRun* run, ZwStatus (*look)(ZwSim* sim));
ZwStatus zw_run_move(ZwRun* run, double t);

/* To its end, with what the definition asks for. */
void zw_run_make_plan(ZwRun* run);
/* Its status, with what may have been lost on the way. */
ZwStatus zw_run_end(ZwRun* run, ZwStatus status);

/* Whether the simulation, with room for a formulation and an integrator, fits the limit of memory. */
ZwStatus zw_run_check_size(ZwRun* run, ZwFormulation formulation, ZwIntegratorKind integrator);

/* ---- pictures.c ---- */

/* Plots and shapes by columns, when those have their names. */
ZwStatus zw_model_name_pictures(ZwModel* model);

/* ---- kernel.c ---- */

/* Machine code if the name asks for it, or leaves the choice and it is possible; NULL: the choice is left. */
ZwStatus zw_model_choose_kernel(ZwModel* model, const char* name);

/* ---- changes.c ---- */

/* Where the changes of the run belong; their numbers are in its arena. */
ZwStatus zw_run_read_changes(ZwRun* run, ZwGiven* given);

/* Whether every `if` that was decided when the model was built comes out as then, with the values that the run has now. */
ZwStatus zw_run_check_choices(ZwRun* run);

/* ---- sensitivity.c ---- */

/* What the definition asks to vary, in the arena; refused where it cannot be. */
ZwStatus zw_run_read_sensitivity(ZwRun* run, const ZwGiven* given);
/* The columns of what is varied, behind all others. */
ZwStatus zw_run_name_sensitivity(ZwRun* run);
/* How it went, into the report. */
void zw_run_report_sensitivity(ZwRun* run);
/* A note where the end of the run moves with what is varied. */
void zw_run_note_moving_end(ZwRun* run);

/* ---- steps.c ---- */

/* The parameter or memory of a name; -1: there is none. */
int32_t zw_run_find_value(const ZwRun* run, ZwStr name);
/* Another value for it. What events remember and what steps hold stays; what follows from it is computed anew. */
ZwStatus zw_run_give_value(ZwRun* run, int32_t index, double value);
/* ZW_ERR_ARGUMENT, with a message. */
ZwStatus zw_run_refuse_value(ZwRun* run, const char* name, const char* why);

/* ---- verdict.c ---- */

/* What the evidence so far says, into the report. */
void zw_run_judge(ZwRun* run);
/* At the end of a run: an error if it cannot be called a result. */
ZwStatus zw_run_pass_verdict(ZwRun* run);

/* ---- claims.c ---- */

ZwStatus zw_run_name_claims(ZwRun* run);
/* What became of them so far, into the report. */
void zw_run_report_claims(ZwRun* run);
/* Before a run begins: ZW_ERR_DOMAIN, with a message, if one of them has no value at the start. */
ZwStatus zw_run_check_claims_start(ZwRun* run);
/* At the end of a run that went well: ZW_ERR_CLAIM, with messages, if one of them does not hold. The motion is right all the same, and the
 * status of the run stays ZW_OK. */
ZwStatus zw_run_pass_claims(ZwRun* run);

/* ---- choose.c: what was asked for by name, or the reason why it cannot be ---- */

ZwStatus zw_run_choose_formulation(ZwRun* run, ZwFormulation* formulation);
ZwStatus zw_run_choose_integrator(ZwRun* run, ZwIntegratorKind* kind);
ZwStatus zw_run_choose_conservation(ZwRun* run);
/* After the formulation is set: ZwRunDef.eliminate. */
ZwStatus zw_run_choose_elimination(ZwRun* run);

#endif
