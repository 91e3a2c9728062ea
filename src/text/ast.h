/* The tree of a text. One node type serves statements and expressions; which fields mean what stands beside each kind.
 *
 * Chains (sums, products, comparisons joined by and/or) are one node with a list, not nested pairs: a sum of a million
 * terms is one level deep. */
#ifndef ZW_TEXT_AST_H
#define ZW_TEXT_AST_H

#include "base/source.h"

// clang-format off
#define ZW_AST_LIST(X)                                                                          \
  X(FILE,       "file")        /* list: statements, or one expression; number: of nodes */      \
  /* statements */                                                                              \
  X(PARAM,      "param")       /* list: DECL */                                                 \
  X(COORD,      "coord")       /* list: DECL */                                                 \
  X(MEMORY,     "memory")      /* list: DECL */                                                 \
  X(LET,        "let")         /* list: DECL (with index), LET_FUNCTION */                      \
  X(ENERGY,     "energy")      /* text: kinetic potential lagrangian dissipation gibbs; a */    \
  X(FORCE,      "force")       /* a: target, b: value, c: while */                              \
  X(CONSTRAINT, "constraint")  /* label: LABEL, a = b, c: while */                              \
  X(CONTACT,    "contact")     /* label: LABEL, a, b; op: GE or LE; list: OPTION; c: while */ \
  X(QUASI,      "quasi")       /* list: ITEM */                                                 \
  X(START,      "start")       /* list: ASSIGN; is_exact */                                     \
  X(WHEN,       "when")        /* c: condition; list: ASSIGN */                                 \
  X(STOP,       "stop")        /* c: condition */                                               \
  X(OUTPUT,     "output")      /* list: ITEM */                                                 \
  X(CLAIM,      "claim")       /* label: LABEL, a, b; op: ASSIGN, GE or LE; c: within */        \
  X(PLOT,       "plot")        /* list: expressions; a: against */                              \
  X(DRAW,       "draw")        /* text: shape; list: expressions; a: color */                   \
  X(FOR,        "for")         /* list: ITER; b: BLOCK */                                       \
  X(IF,         "if")          /* c: condition; a: BLOCK; b: BLOCK or IF */                     \
  X(COMPONENT,  "component")   /* text: name; list: ARGUMENT; b: BLOCK */                       \
  X(PART,       "part")        /* text: name; label: INDEX list; a: CALL */                     \
  X(USE,        "use")         /* text: library, or a: STRING; list: ASSIGN (with) */           \
  X(RUN,        "run")         /* a: from; b: to; list: OPTION */                               \
  /* pieces of statements */                                                                    \
  X(BLOCK,      "block")       /* list: statements */                                           \
  X(DECL,       "decl")        /* text: name; list: RANGE or index expressions; a: value; b: scale */ \
  X(LET_FUNCTION, "function")  /* text: name; list: ARGUMENT; a: value */                       \
  X(ITEM,       "item")        /* text: name; list: index expressions; a: value */              \
  X(LABEL,      "label")       /* text: name; list: index expressions */                        \
  X(ASSIGN,     "assign")      /* a = b */                                                      \
  X(OPTION,     "option")      /* text: word; a: value, or label: NAME */                       \
  X(ITER,       "iter")        /* text: name; a: RANGE */                                       \
  X(RANGE,      "range")       /* a .. b */                                                     \
  X(ARGUMENT,   "argument")    /* text: name; a: default or actual value */                     \
  X(ARRAY,      "array")       /* list: values */                                               \
  /* expressions */                                                                             \
  X(NUMBER,     "number")      /* number */                                                     \
  X(STRING,     "string")      /* text: without quotes */                                       \
  X(TIME,       "t")                                                                            \
  X(PI,         "pi")                                                                           \
  X(DEG,        "deg")                                                                          \
  X(NAME,       "name")        /* text */                                                       \
  X(PRIMED,     "primed")      /* a; count: number of primes */                                 \
  X(INDEX,      "index")       /* a; list */                                                    \
  X(MEMBER,     "member")      /* a; text */                                                    \
  X(CALL,       "call")        /* a: what is called; list: ARGUMENT */                          \
  X(VECTOR,     "vector")      /* list: two or three components */                              \
  X(SUM_OVER,   "sum-over")    /* list: ITER; a */                                              \
  X(NEGATE,     "negate")      /* a */                                                          \
  X(POWER,      "power")       /* a ^ b */                                                      \
  X(TERM,       "term")        /* list; each but the first has lead STAR or SLASH */            \
  X(SUM,        "sum")         /* list; each but the first has lead PLUS or MINUS */            \
  X(COMPARE,    "compare")     /* a, b; op */                                   \
  X(NOT,        "not")         /* a */                                                          \
  X(AND,        "and")         /* list */                                                       \
  X(OR,         "or")          /* list */                                                       \
  X(CHOOSE,     "choose")      /* if c then a else b */                                         \
  X(WRONG,      "wrong")       /* a place where the parser reported a mistake; text: its first word */
// clang-format on

typedef enum ZwAstKind {
#define ZW_AST_ENUM(name, text) ZW_AST_##name,
  ZW_AST_LIST(ZW_AST_ENUM)
#undef ZW_AST_ENUM
} ZwAstKind;

typedef struct ZwAst ZwAst;
struct ZwAst {
  ZwAstKind kind;
  int32_t id;    /* from 1, unique within the file */
  int32_t lead;  /* a ZwTokenKind: the operator before this member of a chain */
  int32_t op;    /* a ZwTokenKind: the operator of a comparison or contact */
  int32_t count; /* of the list; of primes */
  bool is_exact; /* start exactly; a parenthesised expression */
  ZwSpan span;
  ZwStr text;
  double number;
  ZwAst *a, *b, *c, *label;
  ZwAst *first, *last, *next; /* the list, and the place in the list of the parent */
};

const char* zw_ast_kind_text(ZwAstKind kind);

/* A statement that declares names could not be read: what follows would only complain about those names. */
bool zw_ast_has_wrong_declaration(const ZwAst* tree);

#endif
