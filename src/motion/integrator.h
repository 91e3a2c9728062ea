/* The integrators, one line each in the table of integrator.c, one file each. All move the same state by the same right side
 * (zw_eval_rate) and leave a pending step (see zw_step); what happens with it, rows, events and evidence, is the same for all.
 *
 *   auto      explicit, and radau from where the motion is stiff
 *   explicit  order 8, error control, for what is not stiff
 *   radau     Radau IIA of order 5, implicit, error control, for what is stiff
 *   rattle    order 2, fixed step, variational: conservative systems with constraints on positions, over very long times
 *   bdf       SUNDIALS CVODE, order 1 to 5, implicit, projected: a second opinion on what is stiff
 *   adams     SUNDIALS CVODE, order 1 to 12, projected at rows and events only: a second opinion on what is not
 */
#ifndef ZW_MOTION_INTEGRATOR_H
#define ZW_MOTION_INTEGRATOR_H

#include "kernel/kernel.h"

typedef struct ZwSim ZwSim;
typedef struct ZwPass ZwPass; /* over what a checkpoint holds (checkpoint.c) */

/* ORDER INTEGRATOR */
typedef enum ZwIntegratorKind {
  ZW_INTEGRATOR_AUTO,
  ZW_INTEGRATOR_EXPLICIT,
  ZW_INTEGRATOR_RADAU,
  ZW_INTEGRATOR_RATTLE,
  ZW_INTEGRATOR_BDF,
  ZW_INTEGRATOR_ADAMS,
  ZW_INTEGRATOR_COUNT
} ZwIntegratorKind;

typedef struct ZwIntegrator {
  const char* name;
  int order;              /* the error of a step goes with this power of its size */
  bool has_trend;         /* its error is followed from step to step */
  bool is_implicit;       /* it is for stiff motions */
  bool is_fixed;          /* its steps are all sim->step_fixed long */
  bool is_projected_late; /* its states are put onto the constraints at rows and events only */
  bool has_own_equations; /* it does not move by zw_eval_rate: no formulation can be chosen */
  /* Why it cannot move a system, and what to do instead; NULL: it can. A NULL function: it can move all. */
  const char* (*objection)(const ZwEquations* equations, const char** remedy);
  /* Memory of its own, besides that of the simulation; NULL: none. */
  size_t (*work_size)(const ZwProgram* program);
  void (*place)(ZwSim* sim, void* memory);
  /* For what a foreign library takes and gives back by itself, after that and before the end; NULL: nothing. `close` comes
   * also when `open` has failed. */
  ZwStatus (*open)(ZwSim* sim);
  void (*close)(ZwSim* sim);
  /* After the start and after every event: nothing of the past counts. The rate at sim->y is in sim->k[0]. NULL: nothing. */
  void (*forget)(ZwSim* sim);
  /* One acceptable step, left pending. */
  ZwStatus (*step)(ZwSim* sim, double until);
  /* For steps under our error control (step.c): sim->y_new at sim->t + h, not projected, and its error in units of the
   * tolerance. */
  ZwStatus (*attempt)(ZwSim* sim, double h, double* error);
  /* The error of the last attempt, of length h, up to a part of it (1: its end): by the sizes as they are now, and by the larger of the values
   * at sim->y and sim->y_new. NULL: it is not known. */
  double (*measure)(ZwSim* sim, double h, double part);
  /* The dense output of the pending step, and its value at sim->t + x sim->h_dense. */
  ZwStatus (*dense)(ZwSim* sim);
  void (*interpolate)(const ZwSim* sim, double x, double* y);
  /* Visits what of its memory the next step reads (zw_pass). NULL: nothing; one that has a memory all the same then forgets
   * it when a run goes on from a checkpoint. */
  void (*visit)(ZwSim* sim, ZwPass* pass);
} ZwIntegrator;

const ZwIntegrator* zw_integrator(ZwIntegratorKind kind);
/* The multistep methods of SUNDIALS (cvode.c), and its version; in a build without it (cvode_absent.c) they object, and NULL. */
extern const ZwIntegrator zw_bdf, zw_adams;
const char* zw_cvode_version(void);
/* The kind of a name; ZW_INTEGRATOR_COUNT: there is none. */
ZwIntegratorKind zw_integrator_find(const char* name);

#endif
