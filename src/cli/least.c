/* Gauss's principle on typed matrices: zwang least PROBLEM.json */
#include "cli/least.h"

#include <string.h>

#include "cli/compare.h"

/* ORDER INVERSE */
static const char* const inverse_keys[] = {"", "inverse14", "inverse1", "A_inverse1", "H_inverse13"};

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

static int refuse(Solving* s, ZwStatus status) {
  const char* reason = *s->out.reason ? s->out.reason : zw_status_text(status);
  const char* format = status == ZW_ERR_UNSUPPORTED && s->problem.kind == ZW_INVERSE_NONE && !s->ask.order
                           ? "%s: %s; auto, gibbs-appell, lagrange and geometric do without"
                           : "%s: %s";
  const char* text = zw_format(&s->arena, format, s->options->file, reason);
  return complain(s->options, status, "%s", text ? text : reason);
}

/* ---- the answer ---- */

static void print_answer(const Solving* s) {
  Ask ask = s->ask;
  const Problem* p = &s->problem;
  zw_printf("%s: %d coordinate%s, %d row%s of rank %d, by %s\n", s->options->file, (int)p->n, p->n == 1 ? "" : "s",
            (int)p->m, p->m == 1 ? "" : "s", (int)s->out.rank,
            p->kind == ZW_INVERSE_NONE ? s->options->formulation : "the inverse that is stated");
  print_letters(ask.letters, "  residual of A a = b");
  zw_printf(" %.1e, optimality %.1e\n", s->out.residual, s->out.optimality);
  if (!s->out.is_minimum) {
    print_letters(ask.letters,
                  "  no minimum: M is not positive on the admissible a, and the Gaussian is only stationary");
    zw_printf("\n");
  }
  if (!ask.show) ask.show = SHOW_FORCES;
  show_detail(&ask, s->options->full, s->out.detail, p->coordinates, p->rows);
  if (p->kind != ZW_INVERSE_D1) return;
  show_multipliers(&ask, p->m, s->lambda, p->rows);
}

static void json_vector(ZwJson* json, const char* key, int32_t count, const double* values) {
  zw_json_key(json, key);
  zw_json_begin_array(json);
  for (int32_t i = 0; i < count; i++) zw_json_number(json, values[i]);
  zw_json_end_array(json);
}

/* The formulation or the inverse that has solved it; the other is null. */
static void put_method(const Solving* s, ZwJson* json) {
  bool is_own = s->problem.kind != ZW_INVERSE_NONE;
  zw_json_key(json, "formulation");
  if (is_own)
    zw_json_null(json);
  else
    zw_json_string(json, s->options->formulation);
  zw_json_key(json, "inverse");
  if (is_own)
    zw_json_string(json, inverse_keys[s->problem.kind]);
  else
    zw_json_null(json);
}

static int print_object(Solving* s) {
  ZwText text;
  ZwJson json;
  zw_text_init(&text, &s->arena);
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, "ok");
  put_method(s, &json);
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
  ZwDetailDef detail = {
      parts_of(s),      ask->eliminate, ask->eliminate_count, ask->order,
      ask->order_count, ask->possible,  ask->displacement,    !s->options->json && !shows_matrices(ask)};
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

/* By a word of the command line: no default of an option. */
static bool is_stated(const Options* options, const char* option) {
  size_t size = strlen(option);
  for (int32_t i = 0; i < options->argument_count; i++) {
    const char* text = options->arguments[i];
    if (strcmp(text, "--") == 0) return false;
    if (strncmp(text, option, size) == 0 && (!text[size] || text[size] == '=')) return true;
  }
  return false;
}

/* What is asked for must have a meaning for this problem. */
static int check_ask(const Solving* s) {
  const Options* options = s->options;
  if (s->problem.kind != ZW_INVERSE_NONE && is_stated(options, "--formulation")) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "--formulation %s: %s states '%s', and that is what solves; leave one of them out",
                    options->formulation, options->file, inverse_keys[s->problem.kind]);
  }
  if ((s->ask.show & SHOW_GIBBS) && s->ask.show != SHOW_ALL) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "--show gibbs needs the forces of a model, and matrices have none; use 'zwang compare', or show "
                    "data, forces, partition, bellman or inverses");
  }
  return EXIT_FINE;
}

static int check_formulation(const Options* options) {
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
  if (!exit_code) exit_code = check_ask(s);
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
