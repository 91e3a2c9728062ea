/* What a Zwang function can answer. One list feeds the enum, the texts and the exit status of the program.
 *
 * The stage tells a wrong model from a failed run:
 *   MODEL  the text, the command line or the start is wrong: nothing was simulated (exit status 2)
 *   RUN    the motion began and could not go on (exit status 1)
 */
#ifndef ZWANG_STATUS_H
#define ZWANG_STATUS_H

// clang-format off
#define ZW_STATUS_LIST(X)                                                        \
  /* name              stage  text */                                            \
  X(OK,                NONE,  "fine")                                            \
  X(ERR_MEMORY,        RUN,   "out of memory")                                   \
  X(ERR_IO,            RUN,   "a file could not be read or written")             \
  X(ERR_ARGUMENT,      MODEL, "an argument is wrong")                            \
  X(ERR_LIMIT,         MODEL, "a limit was reached")                             \
  X(ERR_SYNTAX,        MODEL, "the text does not follow the grammar")            \
  X(ERR_NAME,          MODEL, "a name is unknown or declared twice")             \
  X(ERR_TYPE,          MODEL, "values of these types do not go together")        \
  X(ERR_VALUE,         MODEL, "a value is not allowed here")                     \
  X(ERR_DERIVATIVE,    MODEL, "a derivative is not allowed here")                \
  X(ERR_CONSTRAINT,    MODEL, "a constraint is not of a known kind")             \
  X(ERR_UNSUPPORTED,   MODEL, "not supported yet")                               \
  X(ERR_MASS,          MODEL, "the inertia is zero or negative")                 \
  X(ERR_UNDETERMINED,  MODEL, "an acceleration is not determined")               \
  X(ERR_START,         MODEL, "the start cannot be made consistent")             \
  X(ERR_INCONSISTENT,  RUN,   "constraints contradict each other")               \
  X(ERR_CONTACT,       RUN,   "contacts have no forces, or more than one set")   \
  X(ERR_DOMAIN,        RUN,   "an expression has no finite value")               \
  X(ERR_STEP,          RUN,   "the step size became too small")                  \
  X(ERR_DOUBT,         RUN,   "the result cannot be trusted")                    \
  X(ERR_INTERRUPTED,   RUN,   "interrupted")                                     \
  X(ERR_CLAIM,         RUN,   "a claim of the model does not hold")
// clang-format on

typedef enum ZwStatus {
#define ZW_STATUS_ENUM(name, stage, text) ZW_##name,
  ZW_STATUS_LIST(ZW_STATUS_ENUM)
#undef ZW_STATUS_ENUM
      ZW_STATUS_COUNT
} ZwStatus;

#endif
