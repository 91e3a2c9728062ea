/* A problem solved by one formulation, in exactly the memory it asks for: a sanitizer sees one number too many. */
#ifndef ZW_TEST_SOLVED_H
#define ZW_TEST_SOLVED_H

#include "least/paper.h"
#include "numbers.h"

/* Those that zw_formulation_solve knows; ORDER FORMULATION */
enum { FORMULATION_FIRST = ZW_FORMULATION_MOORE_PENROSE, FORMULATION_LAST = ZW_FORMULATION_BELLMAN };

typedef struct Solved {
  ZwStatus status;
  ZwPaperResult result;
  ZwPaper* paper; /* holds what the result points to */
} Solved;

static inline double* new_numbers(int32_t count) {
  return malloc(sizeof(double) * (size_t)count);
}

static inline ZwPaper* new_paper(int32_t n, int32_t m) {
  return zw_paper_place(malloc(zw_paper_work_size(n, m)), n, m);
}

/* With multipliers, if the formulation has them. */
static inline Solved solve_by(ZwFormulation formulation, uint64_t seed, const ZwPaperProblem* problem) {
  Solved solved = {.paper = new_paper(problem->n, problem->m)};
  solved.result.a = new_numbers(problem->n);
  solved.result.Qc = new_numbers(problem->n);
  solved.result.lambda = new_numbers(problem->m);
  solved.status = zw_formulation_solve(solved.paper, formulation, seed, problem, &solved.result);
  return solved;
}

static inline void forget_solved(Solved* solved) {
  free(solved->result.a);
  free(solved->result.Qc);
  free(solved->result.lambda);
  free(solved->paper);
}

/* T9-T12 and T19 invert M; T14-T16 do not. */
static inline bool inverts_inertia(ZwFormulation formulation) {
  return formulation <= ZW_FORMULATION_QUADRATIC || formulation == ZW_FORMULATION_BELLMAN;
}

/* The natural choice of generalized inverses and some others, one for formulations without choice. */
static const uint64_t choice_seeds[] = {0, 1, 2, 12345, 0xfedcba9876543210u};

static inline int choices_of(ZwFormulation formulation) {
  return zw_formulation_choices(formulation) > 1 ? (int)(sizeof choice_seeds / sizeof choice_seeds[0]) : 1;
}

#endif
