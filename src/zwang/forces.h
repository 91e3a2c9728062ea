/* The parts of zw_run_forces. */
#ifndef ZW_ZWANG_FORCES_H
#define ZW_ZWANG_FORCES_H

#include "motion/follow.h"
#include "zwang/handles.h"

/* A time with all that is known there: q, v, a, forces, missing forces, reactions. */
typedef struct ZwForcePoint {
  double t;
  double* values;
} ZwForcePoint;

typedef struct ZwForceTask {
  ZwRun* run;
  ZwSim* sim;
  const ZwForcesDef* def;
  ZwArena* arena; /* of the answer */
  ZwArena scratch;
  ZwForces* out;
  double within, tolerance;

  /* forces_table.c */
  int32_t rows;
  double* t;
  ZwTrackColumn* columns; /* n */
  ZwTrack track;

  ZwFollow follow;
  ZwControl control;

  /* forces_rows.c */
  ZW_ARRAY(ZwForcePoint) points;
} ZwForceTask;

/* Reads the table: which column is what; times that ascend, numbers that are finite, rates that are those of what they belong to. */
ZwStatus zw_forces_read(ZwForceTask* task);
/* The number of a coordinate by its name; -1. */
int32_t zw_forces_coordinate(const ZwForceTask* task, ZwStr name);
/* An error with the name of a coordinate that may have been meant. */
ZwStatus zw_forces_unknown(ZwForceTask* task, const char* what, const char* name);

/* Evaluates all rows of the table, then as many times between as the spline needs. */
ZwStatus zw_forces_fill(ZwForceTask* task);

/* Offsets in the values of a point. */
static inline ptrdiff_t zw_force_at(const ZwForceTask* task) {
  return 3 * (ptrdiff_t)task->sim->n;
}
static inline ptrdiff_t zw_missing_at(const ZwForceTask* task) {
  return zw_force_at(task) + task->control.count;
}
static inline ptrdiff_t zw_reaction_at(const ZwForceTask* task) {
  return zw_missing_at(task) + task->sim->n;
}

#endif
