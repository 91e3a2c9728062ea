/* Gauss's principle on typed matrices: zwang least PROBLEM.json */
#include "cli/least.h"

#include <string.h>

#include "cli/compare.h"

typedef struct Solving {
  const Options* options;
  ZwArena arena;
  Problem problem;
  Ask ask;
  ZwLeastSolver* solver;
  double *a, *lambda, *Qc;
  ZwLeastOutput out;
} Solving;

static int32_t parts_of(const Solving* s) {
  const Ask* ask = &s->ask;
  bool is_json = s->options->json;
  double numbers = (double)s->problem.n * s->problem.m * s->problem.m;
  int32_t parts = ZW_DETAIL_FORCES;
  if (is_json || (ask->show & SHOW_PARTITION)) parts |= ZW_DETAIL_PARTITION;
  if ((is_json && (numbers <= NUMBERS_WIDE || s->options->full)) || (ask->show & SHOW_BELLMAN))
    parts |= ZW_DETAIL_BELLMAN;
  if (ask->possible) parts |= ZW_DETAIL_POSSIBLE;
  return parts;
}

static int refuse(const Solving* s, ZwStatus status) {
  const char* reason = *s->out.reason ? s->out.reason : zw_status_text(status);
  return complain(s->options, status, "%s: %s", s->options->file, reason);
}

/* ---- the answer ---- */

static void print_answer(const Solving* s) {
  Ask ask = s->ask;
  const Problem* p = &s->problem;
  const char* formulation = s->options->formulation ? s->options->formulation : "auto";
  zw_printf("%s: %d coordinates, %d rows of rank %d, by %s\n", s->options->file, (int)p->n, (int)p->m, (int)s->out.rank,
            p->kind == ZW_INVERSE_NONE ? formulation : "the inverse that is stated");
  zw_printf("  residual of A a = b %.1e, optimality %.1e\n", s->out.residual, s->out.optimality);
  if (!ask.show) ask.show = SHOW_FORCES;
  show_detail(&ask, s->options->full, s->out.detail, p->coordinates, p->rows);
  if (p->kind != ZW_INVERSE_D1) return;
  zw_printf("\nMultipliers by the inverse that is stated, lambda = G d:");
  for (int32_t i = 0; i < p->m; i++) zw_printf(" %.10g", s->lambda[i]);
  zw_printf("\n");
}

static void json_vector(ZwJson* json, const char* key, int32_t count, const double* values) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) zw_json_number(json, values[i]);
  zw_json_end_array(json);
}

static int print_object(Solving* s) {
  ZwText text;
  ZwJson json;
  zw_text_init(&text, &s->arena);
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, "ok");
  zw_json_key(&json, "formulation");
  zw_json_string(&json, s->options->formulation ? s->options->formulation : "auto");
  json_number(&json, "residual", s->out.residual);
  json_number(&json, "optimality", s->out.optimality);
  zw_json_key(&json, "is_minimum");
  zw_json_bool(&json, s->out.is_minimum);
  zw_json_key(&json, "answer"); /* by that formulation, or by the inverse that is stated */
  zw_json_begin_object(&json);
  json_vector(&json, "a", s->problem.n, s->a);
  json_vector(&json, "lambda", s->problem.m, s->lambda);
  json_vector(&json, "Qc", s->problem.n, s->Qc);
  zw_json_end_object(&json);
  json_detail(&json, s->options->full, s->out.detail);
  json_number(&json, "S", s->out.detail->S);
  zw_json_end_object(&json);
  if (s->arena.failed) return complain(s->options, ZW_ERR_MEMORY, "out of memory");
  puts(zw_text_get(&text));
  return EXIT_FINE;
}

/* ---- the solve ---- */

static ZwStatus create_solver(Solving* s) {
  ZwLeastDef def = zw_default_least_def();
  def.n = s->problem.n;
  def.m = s->problem.m;
  def.formulation = s->options->formulation;
  def.detail = parts_of(s);
  s->out.reason = "";
  s->a = ZW_NEW(&s->arena, def.n + 1, double);
  s->lambda = ZW_NEW(&s->arena, def.m + 1, double);
  s->Qc = ZW_NEW(&s->arena, def.n + 1, double);
  return s->arena.failed ? ZW_ERR_MEMORY : zw_least_create(&def, &s->solver);
}

static ZwStatus solve(Solving* s) {
  const Problem* p = &s->problem;
  const Ask* ask = &s->ask;
  ZwDetailDef detail = {parts_of(s),      ask->eliminate, ask->eliminate_count, ask->order,
                        ask->order_count, ask->possible,  ask->displacement};
  ZwLeastInput in = {.m = p->m,
                     .M = p->M,
                     .A = p->A,
                     .h = p->h,
                     .b = p->b,
                     .wants_evidence = true,
                     .kind = p->kind,
                     .inverse = p->inverse,
                     .A_inverse = p->A_inverse,
                     .detail = &detail,
                     .coordinates = p->coordinates};
  s->out = (ZwLeastOutput){.a = s->a, .lambda = s->lambda, .Qc = s->Qc, .reason = ""};
  return zw_least_solve(s->solver, &in, &s->out);
}

static int check_formulation(const Options* options) {
  if (!options->formulation) return EXIT_FINE;
  for (int32_t i = 0; zw_formulation_text(i); i++) {
    const char* name = zw_formulation_text(i);
    if (strcmp(name, options->formulation) == 0 && strcmp(name, "gibbs-appell-quasi") != 0) return EXIT_FINE;
  }
  return complain(options, ZW_ERR_NAME, "there is no formulation '%s' for matrices; 'zwang help run' lists them",
                  options->formulation);
}

static int solve_problem(Solving* s) {
  int exit_code = check_formulation(s->options);
  if (!exit_code) exit_code = read_problem(s->options, &s->arena, &s->problem);
  if (!exit_code) exit_code = read_ask_names(s->options, s->problem.n, s->problem.coordinates, &s->arena, &s->ask);
  if (exit_code) return exit_code;
  ZwStatus status = create_solver(s);
  if (!status) status = solve(s);
  if (status) return refuse(s, status);
  if (s->options->json) return print_object(s);
  if (!s->options->quiet) print_answer(s);
  return EXIT_FINE;
}

int command_least(const Options* options) {
  if (!options->file) return complain(options, ZW_ERR_ARGUMENT, "which problem? write: zwang least PROBLEM.json");
  ZwAllocator allocator = zw_allocator_default();
  Solving solving = {.options = options};
  zw_arena_init(&solving.arena, &allocator);
  int exit_code = solve_problem(&solving);
  zw_least_destroy(solving.solver);
  zw_arena_destroy(&solving.arena);
  return exit_code;
}
