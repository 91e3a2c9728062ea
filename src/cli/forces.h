/* The parts of `zwang forces`. */
#ifndef ZW_CLI_FORCES_H
#define ZW_CLI_FORCES_H

#include "cli/cli.h"

/* forces_motion.c: the table of the motion, in memory */
typedef struct Motion {
  ZwArena arena;
  int32_t rows, column_count;
  double* t;
  ZwMotionColumn* columns; /* without the time */
} Motion;
/* EXIT_FINE, or what was complained of. `motion` can be freed in either case. */
int motion_read(const Options* options, Motion* motion);
void motion_free(Motion* motion);
/* Names with commas between them, where one inside brackets belongs to a name; NULL: out of memory. */
const char** split_names(ZwArena* arena, const char* list, int32_t* count);

/* forces_files.c: <model>.forces.csv and <model>.forces.svg */
typedef struct ForceFiles {
  char *csv, *svg;
} ForceFiles;
int force_files_name(const Options* options, ForceFiles* files);
int force_files_write(const Options* options, const ForceFiles* files, const ZwForces* forces, const ZwModel* model);
void force_files_free(ForceFiles* files);

/* forces_answer.c */
typedef struct ForceAnswer {
  const Options* options;
  const ZwModel* model;
  ZwRun* run;
  const ZwForces* forces;
  const Motion* motion;
  const ForceFiles* files;
} ForceAnswer;
void print_forces(const ForceAnswer* answer);
void print_forces_json(const ForceAnswer* answer);
/* What the actuators cannot provide, on stderr. */
void say_missing(const ForceAnswer* answer);

#endif
