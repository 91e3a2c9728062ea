/* The file beside a journal from which a run can go on: <model>.resume.
 *
 * A text that describes the run, so that it can be told whether another one is the same and what is not; numbers; the
 * state of the simulation as bytes; and a sum over all of it. It is replaced as a whole: there is always an old one or a new one.
 *
 *   zwang checkpoint 3
 *   zwang: 0.1.0
 *   parameter m: 2
 *   ...
 *   (empty line)
 *   rows 1234
 *   ...
 *   state 5678
 *   5678 bytes, then 8 bytes
 */
#ifndef ZW_CLI_CHECKPOINT_H
#define ZW_CLI_CHECKPOINT_H

#include "output/draft.h"
#include "zwang/zwang.h"

typedef struct Checkpoint {
  char* description;                   /* lines "what: value" */
  int64_t rows, bytes;                 /* of the journal that belong to it, */
  uint64_t sum;                        /* over these bytes, */
  int64_t contact_rows, contact_bytes; /* and of the log of contacts; 0: there is none */
  uint64_t contact_sum;
  double t, to, every, seconds;
  void* state;
  size_t state_size;
  char* memory; /* the whole file; the texts point into it */
} Checkpoint;

typedef enum CheckpointFound { CHECKPOINT_MISSING, CHECKPOINT_DAMAGED, CHECKPOINT_READ } CheckpointFound;

/* What is to be the same when a run goes on, one line each. NULL: out of memory. To be freed. */
char* describe_run(const ZwModel* model, ZwRun* run, const char* recorded);
/* Whether both descriptions are the same; else `difference` says what is not. */
bool is_same_run(const char* was, const char* is, char difference[ZW_DRAFT_ERROR]);

/* A sum over bytes, beginning with that of what came before them: it tells changes, not forgeries. */
uint64_t checkpoint_sum(uint64_t sum, const void* data, size_t size);

CheckpointFound checkpoint_read(const char* path, Checkpoint* checkpoint);
/* Needs of it all but `memory`. False with a sentence in `error`; what was there before then stays. */
bool checkpoint_write(const char* path, const Checkpoint* checkpoint, char error[ZW_DRAFT_ERROR]);
void checkpoint_free(Checkpoint* checkpoint);

#endif
