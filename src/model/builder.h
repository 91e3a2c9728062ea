/* What the files of the model stage share while a system is being built. */
#ifndef ZW_MODEL_BUILDER_H
#define ZW_MODEL_BUILDER_H

#include "expr/eval.h"
#include "expr/reads.h"
#include "model/elaborate.h"
#include "model/names.h"
#include "model/system.h"

/* Limits for texts that come from strangers; each message says which limit it was. */
enum {
  ZW_LIMIT_CALLS = 100,  /* functions and components within each other */
  ZW_LIMIT_LEVELS = 2500 /* expressions and blocks within each other, through all of these: a kilobyte of stack each */
};

/* `use planar with gravity = ...` */
typedef struct ZwWith {
  ZwStr name;
  ZwSpan span;
  ZwValue value;
  bool is_used;
} ZwWith;

typedef struct ZwLibrary {
  ZwStr path;     /* from where the model stands, so that two ways to a file are one */
  ZwScope* scope; /* NULL while it is being read */
  bool is_wrong;  /* it could not be read; that was reported */
} ZwLibrary;

typedef struct ZwTableSource {
  ZwStr file, folder, column;
  bool is_periodic;
} ZwTableSource;

/* What is being read, for those who make a drawing of it. */
typedef enum ZwNotice { ZW_NOTICE_NOTHING, ZW_NOTICE_KINETIC, ZW_NOTICE_POTENTIAL, ZW_NOTICE_CONSTRAINT } ZwNotice;

typedef struct ZwLength {
  ZwValue from, to;
} ZwLength;

/* A coordinate that is a vector. */
typedef struct ZwVectorCoord {
  int32_t first, dim;
  bool is_of_library;
} ZwVectorCoord;

typedef struct ZwBuild {
  ZwArena* arena;   /* of the system */
  ZwArena* scratch; /* of names, scopes and elements: nobody asks for them when all is built */
  ZwDiagList* diags;
  ZwSystem* system;
  const ZwElaborateDef* def;
  ZwScope* scope;         /* where names are declared and looked up */
  ZwScope* indexed_scope; /* where names with an index are declared: outside of loops */
  const char* prefix;     /* of names in results: "" or "crank." */
  bool is_in_component, is_in_loop, is_in_library;
  int32_t depth;                            /* of calls and parts */
  const ZwAst* active[ZW_LIMIT_CALLS];      /* the functions and components they are of, */
  const ZwScope* active_in[ZW_LIMIT_CALLS]; /* and, of functions, where each was declared: in one of several parts */
  int32_t nesting;                          /* of expressions and blocks, through all calls and parts */
  int64_t iterations;
  bool is_over_limit; /* a limit was reached and reported: calls, parts and loops end at once */
  ZwWalk walk;
  ZwWalk hold_walk;          /* of what is being held; printing and reading use the other one meanwhile */
  ZW_ARRAY(int32_t) mode_of; /* by ref of what is held: its mode + 1 */
  ZW_ARRAY(bool) is_chosen;  /* by ref of a condition: it is one of system->choices */
  ZwEvaluator evaluator;
  ZW_ARRAY(double) values;   /* of the parameters declared so far */
  ZW_ARRAY(int32_t*) marks;  /* by file, by node: its mark; then, for chains, the mark up to that member */
  ZwScope labels;            /* names of constraints, contacts and outputs: a space of their own */
  bool has_other_statements; /* than param and use */
  ZwScope* used;             /* names of used files, below the file's own */
  ZW_ARRAY(ZwLibrary) libraries;
  ZwWith* with; /* of the `use` being read */
  int32_t with_count;
  ZW_ARRAY(ZwTableSource) tables;  /* parallel to system->tables */
  ZW_ARRAY(ZwScope*) pool;         /* scopes of loops and calls, to be used again */
  ZW_ARRAY(bool) is_library_shape; /* parallel to system->shapes */
  bool has_own_shapes;             /* the user has drawn something */
  ZwNotice notice;
  ZW_ARRAY(ZwValue) masses;
  ZW_ARRAY(ZwLength) bars, springs, joints;
  ZW_ARRAY(ZwVectorCoord) vectors;
} ZwBuild;

static inline bool zw_build_is_out_of_memory(const ZwBuild* build) {
  return build->arena->failed || build->scratch->failed;
}

/* ---- expression.c ---- */

/* The value of an expression tree. After a mistake, which is reported, it is the number 0. */
ZwValue zw_build_value(ZwBuild* build, const ZwAst* node);
/* The same where only a scalar will do; `what` names the place in the message. */
ZwExpr zw_build_scalar(ZwBuild* build, const ZwAst* node, const char* what);
/* sum(i in 1..N: e), in loops.c */
ZwValue zw_build_sum_over(ZwBuild* build, const ZwAst* node);
/* A condition: 1 or 0. */
ZwExpr zw_build_condition(ZwBuild* build, const ZwAst* node);

/* The name of a place where an expression stands decides what it may read. */
typedef enum ZwMayRead {
  ZW_MAY_READ_PARAMS,
  ZW_MAY_READ_STATE,
  ZW_MAY_READ_ACCELERATION,
  ZW_MAY_READ_REACTION,
  ZW_MAY_READ_QUANTITY
} ZwMayRead;
/* Checks that a value reads no more than it may, after it was built without mistakes; false after a message. */
bool zw_build_may_read(ZwBuild* build, const ZwValue* value, ZwSpan span, ZwMayRead may_read, const char* place);
/* zw_build_value and the check. */
ZwValue zw_build_checked(ZwBuild* build, const ZwAst* node, ZwMayRead may_read, const char* place);
ZwExpr zw_build_checked_scalar(ZwBuild* build, const ZwAst* node, ZwMayRead may_read, const char* place);

/* Total time derivative with the check that no third derivative comes out. */
ZwValue zw_build_prime(ZwBuild* build, const ZwValue* value, ZwSpan span);

/* What a tree refers to: an entity (part, array, function, component), or a value. */
typedef struct ZwRef {
  bool is_value;
  ZwEntity entity; /* when it is no value */
  ZwValue value;
} ZwRef;
/* False after a message. */
bool zw_build_resolve(ZwBuild* build, const ZwAst* node, ZwRef* ref);

/* quantities.c: what the solve gives beside the accelerations, where the name is not the user's; false: it is no name of these */
bool zw_build_quantity(ZwBuild* build, const ZwAst* name, ZwValue* value);
bool zw_build_quantity_call(ZwBuild* build, const ZwAst* call, ZwValue* value);

/* Nodes built from now on come from this tree. */
void zw_build_mark(ZwBuild* build, const ZwAst* node);
/* One level deeper, if the stack allows; false after a message. Every true is followed by a zw_build_leave. */
bool zw_build_enter(ZwBuild* build, ZwSpan span);
void zw_build_leave(ZwBuild* build);
bool zw_is_function_name(ZwStr name);

/* ---- number.c ---- */

/* A number known while building: literals, loop indices, parameters and what is made of them. The parameters in it
 * become compile-time. False after a message. */
bool zw_build_number(ZwBuild* build, const ZwAst* node, double* number);
/* The same for an expression already built; false without a message when it reads more than parameters. */
bool zw_build_known(ZwBuild* build, ZwExpr e, double* number);
/* The same for what can be told without building anything; false without a message for everything else. */
bool zw_build_known_directly(ZwBuild* build, const ZwAst* node, double* number);
/* Whether a condition holds that reads nothing but parameters; false without a message when it reads more. Its parameters may have
 * other values as long as the outcome stays: it becomes one of system->choices. */
bool zw_build_decided(ZwBuild* build, ZwExpr condition, ZwSpan span, bool* holds);
/* The same for what can be told without building anything. */
typedef enum ZwAsking {
  ZW_ASK_SIZE,       /* parameters become structural */
  ZW_ASK_STRUCTURAL, /* only if all are structural already */
  ZW_ASK_LOOK        /* and they stay what they are */
} ZwAsking;
bool zw_build_decided_directly(ZwBuild* build, const ZwAst* node, ZwAsking asking, bool* holds);
/* When all is built: marks what the structural parameters are computed from; false when memory is out. */
bool zw_build_spread_structural(ZwBuild* build);
/* A whole number, for ranges and indices. */
bool zw_build_whole(ZwBuild* build, const ZwAst* node, double* number);
/* The indices of "name[i, j]"; rank is their count. */
bool zw_build_key(ZwBuild* build, const ZwAst* first, int32_t count, double* key, ZwSpan span);
/* A nameless parameter of this value: a literal that must not decide the shape of an element. */
ZwExpr zw_build_slot(ZwBuild* build, double number);
/* t; the parameter of the time at which a run begins is made with it. */
ZwExpr zw_build_time(ZwBuild* build);
/* Does an expression read t, and nothing else that moves? */
bool zw_build_is_of_time(const ZwGraph* graph, ZwExpr e);
/* That parameter. */
ZwExpr zw_build_epoch(ZwBuild* build);
/* Literals other than 0 become slots. */
ZwValue zw_build_slots(ZwBuild* build, const ZwValue* value);

/* ---- declare.c ---- */

/* Puts a name into a scope, or says why it cannot stand there. */
ZwEntity* zw_build_declare(ZwBuild* build, ZwScope* scope, ZwEntity entity);
/* Declares an element of an array that grows with its definitions (let P[i], part rod[i]). */
ZwEntity* zw_build_declare_element(ZwBuild* build, const ZwAst* name, ZwEntity entity);
void zw_build_params(ZwBuild* build, const ZwAst* statement);
void zw_build_coords(ZwBuild* build, const ZwAst* statement);
void zw_build_memory(ZwBuild* build, const ZwAst* statement);
void zw_build_lets(ZwBuild* build, const ZwAst* statement);
/* The folder of the file a span stands in: from there paths count. */
ZwStr zw_build_folder(const ZwBuild* build, ZwSpan span);
/* "crank." + "x" + "[3]" */
ZwStr zw_build_full_name(ZwBuild* build, ZwStr name, const double* key, int32_t rank);
ZwStr zw_build_component_name(ZwBuild* build, ZwStr name, int32_t dim, int32_t k);
/* Where the name stands that a declaration begins with. */
ZwSpan zw_name_span(const ZwBuild* build, const ZwAst* decl);
/* What the user wrote there, to be quoted: names in it are in NFC, as everywhere. */
ZwStr zw_build_quote(ZwBuild* build, ZwSpan span);
/* Refuses a name that tables of results use themselves. */
void zw_build_check_column(ZwBuild* build, ZwSpan span, ZwStr name);

/* ---- terms.c ---- */

void zw_build_energy(ZwBuild* build, const ZwAst* node);
void zw_build_force(ZwBuild* build, const ZwAst* node);
void zw_build_constraint(ZwBuild* build, const ZwAst* node);
void zw_build_outputs(ZwBuild* build, const ZwAst* node);
void zw_build_quasi(ZwBuild* build, const ZwAst* node);
/* An expression of the motion with its switches held by modes; itself if it does not switch. Ref 0: memory is out. */
ZwExpr zw_build_hold(ZwBuild* build, ZwExpr e);
/* The parameter, + 1, that holds a condition; 0 when memory is out or the condition is always true. */
int32_t zw_build_gate(ZwBuild* build, ZwExpr condition);
/* The two sides of `target = value`, of the same type; 0 stands for the zero vector. False after a message. */
bool zw_build_assignment(ZwBuild* build, const ZwAst* assign, ZwMayRead may_read, const char* what, ZwValue* target,
                         ZwValue* value);
/* At the end: what modes read, and which of them the energies read. */
void zw_build_relate_modes(ZwBuild* build);
/* At the end: adds the margins of all conditions and modes. */
void zw_build_margins(ZwBuild* build);
/* Adds a term to the system; false when memory is out. */
bool zw_build_add_term(ZwBuild* build, ZwTerm term);
void zw_build_start(ZwBuild* build, const ZwAst* node);
void zw_build_run(ZwBuild* build, const ZwAst* node);

/* What a constraint or contact is called; false after a message. */
bool zw_build_label(ZwBuild* build, const ZwAst* node, ZwStr* name);
/* Makes a full name unique among those of its kind by `key`; false after a message. */
bool zw_build_take_label(ZwBuild* build, ZwStr key, ZwStr name, const ZwAst* node, ZwEntity entity, const char* what);
/* The condition of a term that comes and goes; ref 0: it is always there, or the condition is wrong (`*is_right`). */
ZwExpr zw_build_while(ZwBuild* build, const ZwAst* condition, bool* is_right);
/* How many differentiations bring an expression to acceleration level; false: it holds no coordinate. */
bool zw_build_level(ZwBuild* build, ZwExpr residual, ZwLevel* level);

/* ---- host.c ---- */

/* At the end: the constraints that the host computes. */
void zw_build_host_rows(ZwBuild* build);

/* ---- contact.c ---- */

void zw_build_contact(ZwBuild* build, const ZwAst* node);

/* ---- events.c ---- */

/* A number that the run asks for at every step; its number, or -1. */
int32_t zw_build_event_value(ZwBuild* build, ZwSpan span, ZwStr name, ZwExpr value);

void zw_build_when(ZwBuild* build, const ZwAst* node);
void zw_build_stop(ZwBuild* build, const ZwAst* node);

/* ---- claims.c ---- */

void zw_build_claim(ZwBuild* build, const ZwAst* node);

/* ---- pictures.c ---- */

void zw_build_plot(ZwBuild* build, const ZwAst* node);
/* At the end: what plots and drawings show gets its columns. */
void zw_build_pictures(ZwBuild* build);

/* ---- shapes.c ---- */

void zw_build_draw(ZwBuild* build, const ZwAst* node);
/* Adds a shape of points of one dimension. */
void zw_build_add_shape(ZwBuild* build, ZwDrawKind kind, const ZwValue* points, int32_t count);
/* A circle in the plane, and a text. */
void zw_build_add_circle(ZwBuild* build, const ZwValue* centre, double radius);
void zw_build_add_label(ZwBuild* build, const ZwValue* place, ZwStr text);
/* At the end: what the user draws stands in place of what the libraries draw. */
void zw_build_choose_shapes(ZwBuild* build);

/* ---- notice.c ---- */

/* Looks at a tree whose value was built while something is noticed. */
void zw_build_notice(ZwBuild* build, const ZwAst* node);
/* The two sides of a constraint between vectors. */
void zw_build_notice_joint(ZwBuild* build, const ZwValue* a, const ZwValue* b);

/* ---- automatic.c ---- */

/* At the end: shapes of what was noticed, if the user has drawn nothing. */
void zw_build_draw_noticed(ZwBuild* build);

/* ---- table.c ---- */

/* table(file, x[, column]) */
ZwValue zw_build_table(ZwBuild* build, const ZwAst* call);

/* ---- loops.c ---- */

ZwScope* zw_build_open_scope(ZwBuild* build, const ZwScope* outer);
void zw_build_close_scope(ZwBuild* build, ZwScope* scope);
/* Counts loop passes, array elements or calls; false after a message when there are too many. */
bool zw_build_count(ZwBuild* build, double count, ZwSpan span);
void zw_build_for(ZwBuild* build, const ZwAst* node);
void zw_build_if(ZwBuild* build, const ZwAst* node);

/* ---- component.c ---- */

ZwValue zw_build_call(ZwBuild* build, const ZwEntity* function, const ZwAst* call);
void zw_build_component(ZwBuild* build, const ZwAst* node);
void zw_build_part(ZwBuild* build, const ZwAst* node);
void zw_build_use(ZwBuild* build, const ZwAst* node);
/* Makes room for the marks of a file's tree. */
bool zw_build_open_file(ZwBuild* build, const ZwAst* tree);

/* ---- elaborate.c ---- */

void zw_build_statements(ZwBuild* build, const ZwAst* block);

#endif
