/* Exported C against the engine: M, h, A, b, residuals, accelerations, constraint forces, outputs and the energy at random states on
 * the constraints, by every compiler of this machine. `make test` takes a sample; with ZW_LONG all models and all states. */
#include "exported.h"
#include "extras.h"

enum { OPTIONS = 5 };

static const double bound = 1e-12;

/* Reads states (t, q, v) and writes, for each, all that there is to compare. */
static const char driver[] =
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "#include \"model.h\"\n"
    "static void put(const double* x, int n) { (void)fwrite(x, sizeof *x, (size_t)n, stdout); }\n"
    "int main(void) {\n"
    "  static model_work w;\n"
    "  model_params p;\n"
    "  double s[1 + 2 * model_N];\n"
    "  model_default_params(&p);\n"
    "  while (fread(s, sizeof s, 1, stdin) == 1) {\n"
    "    const double t = s[0], *q = s + 1, *v = s + 1 + model_N;\n"
    "    double M[model_N * model_N], h[model_N], a[model_N];\n"
    "    model_mass(t, q, v, &p, M);\n"
    "    model_force(t, q, v, &p, h);\n"
    "    put(M, model_N * model_N);\n"
    "    put(h, model_N);\n"
    "    memset(&w, 0, sizeof w);\n"
    "    model_reset(&w);\n"
    "#ifdef ROWS\n"
    "    double A[model_ROWS * model_N], b[model_ROWS], lambda[model_ROWS];\n"
    "    model_constraints(t, q, v, &p, A, b);\n"
    "    put(A, model_ROWS * model_N);\n"
    "    put(b, model_ROWS);\n"
    "    double status = model_accelerations(t, q, v, &p, &w, a, lambda);\n"
    "    put(a, model_N);\n"
    "    put(lambda, model_ROWS);\n"
    "    model_equations(t, q, v, &p, M, h, A, b);\n"
    "    put(A, model_ROWS * model_N);\n"
    "    put(b, model_ROWS);\n"
    "    double force[model_N];\n"
    "    model_constraint_forces(t, q, v, &p, lambda, &w, force);\n"
    "    put(force, model_N);\n"
    "#ifdef LEVELS\n"
    "    double phi[model_ROWS], psi[model_ROWS];\n"
    "    model_residuals(t, q, v, &p, phi, psi);\n"
    "    put(phi, model_ROWS);\n"
    "    put(psi, model_ROWS);\n"
    "#endif\n"
    "#else\n"
    "    double status = model_accelerations(t, q, v, &p, &w, a);\n"
    "    put(a, model_N);\n"
    "    model_equations(t, q, v, &p, M, h);\n"
    "#endif\n"
    "    put(M, model_N * model_N);\n"
    "    put(h, model_N);\n"
    "    put(&status, 1);\n"
    "#ifdef OUTPUTS\n"
    "    double y[model_OUTPUTS];\n"
    "#ifdef ROWS\n"
    "    model_outputs(t, q, v, &p, a, lambda, y);\n"
    "#else\n"
    "    model_outputs(t, q, v, &p, a, y);\n"
    "#endif\n"
    "    put(y, model_OUTPUTS);\n"
    "#endif\n"
    "#ifdef ENERGY\n"
    "    double energy = model_energy(t, q, v, &p);\n"
    "    put(&energy, 1);\n"
    "#endif\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

typedef struct Numbers {
  ZW_ARRAY(double) list;
} Numbers;

static void push(Numbers* numbers, double value) {
  if (numbers->list.count == numbers->list.capacity) {
    numbers->list.capacity = 2 * numbers->list.capacity + 1024;
    numbers->list.items = realloc(numbers->list.items, (size_t)numbers->list.capacity * sizeof(double));
    assert_non_null(numbers->list.items);
  }
  numbers->list.items[numbers->list.count++] = value;
}

static void push_all(Numbers* numbers, const double* values, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) push(numbers, values[i]);
}

/* ---- what the engine says ---- */

static bool has_levels(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level <= ZW_LEVEL_VELOCITY) return true;
  }
  return false;
}

static void push_M(Numbers* to, const ZwSim* sim) {
  const ZwPattern* pattern = &sim->equations->M;
  int32_t n = sim->n, begin = to->list.count;
  for (int32_t i = 0; i < n * n; i++) push(to, 0);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      int32_t j = pattern->column[k];
      to->list.items[begin + i * n + j] = to->list.items[begin + j * n + i] = sim->Mx[k];
    }
  }
}

static void push_A(Numbers* to, const ZwSim* sim) {
  const ZwPattern* pattern = &sim->equations->A;
  int32_t begin = to->list.count;
  for (int32_t i = 0; i < sim->m * sim->n; i++) push(to, 0);
  for (int32_t i = 0; i < sim->m; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      to->list.items[begin + i * sim->n + pattern->column[k]] = sim->Ax[k];
    }
  }
}

/* In the order of the driver; false: there is no motion at this state. */
static bool ask_engine(ZwSim* sim, double t, const double* y, Numbers* to) {
  const double *q = y, *v = y + sim->n;
  int32_t n = sim->n, m = sim->m;
  ptrdiff_t begin = to->list.count;
  zw_events_set_modes(sim, t, q, v);
  if (!zw_eval_acceleration(sim, t, q, v) || zw_rows_decide(sim)) return false;
  if (zw_eval_rate(sim, t, y, sim->k[0]) || zw_reactions(sim)) return false;
  double* a = calloc((size_t)n + 1, sizeof(double));
  assert_non_null(a);
  memcpy(a, sim->a, (size_t)n * sizeof(double));
  assert_true(zw_eval_acceleration(sim, t, q, v));
  push_M(to, sim);
  push_all(to, sim->h, n);
  if (m > 0) {
    push_A(to, sim);
    push_all(to, sim->b, m);
  }
  push_all(to, a, n);
  if (m > 0) {
    push_all(to, sim->reactions, m);
    push_A(to, sim);
    push_all(to, sim->b, m);
    for (int32_t j = 0; j < n; j++) {
      double force = 0;
      for (int32_t i = 0; i < m; i++) {
        const ZwPattern* A = &sim->equations->A;
        for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
          if (A->column[k] == j) force += sim->Ax[k] * sim->reactions[i];
        }
      }
      push(to, force);
    }
    if (has_levels(sim)) {
      assert_true(zw_eval_position(sim, t, q) && zw_eval_velocity(sim, t, q, v));
      push_all(to, sim->phi, m);
      push_all(to, sim->psi, m);
      assert_true(zw_eval_acceleration(sim, t, q, v));
    }
  }
  push_M(to, sim);
  push_all(to, sim->h, n);
  push(to, 0); /* the status */
  memcpy(sim->a, a, (size_t)n * sizeof(double));
  free(a);
  bool is_fine = zw_eval_outputs(sim, t, q, v);
  push_all(to, sim->outs, sim->equations->output_count);
  if (sim->equations->has_energy) {
    is_fine = zw_eval_energy(sim, t, q, v) && is_fine;
    push(to, sim->scalars[0]);
  }
  if (!is_fine) to->list.count = (int32_t)begin;
  return is_fine;
}

/* ---- random states ---- */

/* About the start, and on the constraints; false: it was not found. */
static bool find_state(ZwSim* sim, const double* start, Random* random, double reach, double* t) {
  int32_t row = -1;
  *t = sim->t + reach * (1 + random_number(random));
  for (int32_t i = 0; i < 2 * sim->n; i++)
    sim->y_new[i] = start[i] + reach * random_number(random) * (0.5 + fabs(start[i]));
  zw_events_set_modes(sim, *t, sim->y_new, sim->y_new + sim->n);
  return zw_eval_acceleration(sim, *t, sim->y_new, sim->y_new + sim->n) &&
         zw_project(sim, *t, sim->y_new, &row) == ZW_PROJECTED;
}

static int collect_states(ZwSim* sim, int wanted, Numbers* states, Numbers* answers) {
  Random random = random_from(17);
  double* start = calloc((size_t)sim->dim, sizeof(double));
  assert_non_null(start);
  memcpy(start, sim->y, (size_t)sim->dim * sizeof(double));
  int found = 0;
  double reach = 0.3;
  sim->tol_project = ZW_TOL_PROJECT_MIN; /* redundant rows agree with each other on the constraints, not beside them */
  for (int tries = 0; found < wanted && tries < 20 * wanted; tries++) {
    double t;
    if (tries > 2 * (found + 5)) reach *= 0.9; /* farther away there may be no assembly */
    if (!find_state(sim, start, &random, reach, &t)) continue;
    double* y = calloc((size_t)sim->dim, sizeof(double));
    assert_non_null(y);
    memcpy(y, sim->y_new, (size_t)(2 * sim->n) * sizeof(double));
    if (ask_engine(sim, t, y, answers)) {
      push(states, t);
      push_all(states, y, 2 * sim->n);
      found++;
    }
    free(y);
  }
  free(start);
  return found;
}

/* ---- comparison ---- */

/* A part of the answers. Its numbers belong together: they are measured by the largest of them, and by more where that says less than
 * what they are made of. */
typedef struct Part {
  const char* name;
  int32_t count;
  enum { BY_ITSELF, BY_ONE, BY_FORCES, BY_FREE } measure;
} Part;

static int list_parts(const ZwSim* sim, Part* parts) {
  int32_t n = sim->n, m = sim->m, count = 0;
  parts[count++] = (Part){"M", n * n, BY_ITSELF};
  parts[count++] = (Part){"h", n, BY_ONE};
  if (m > 0) parts[count++] = (Part){"A", m * n, BY_ITSELF};
  if (m > 0) parts[count++] = (Part){"b", m, BY_ONE};
  parts[count++] = (Part){"a", n, BY_FREE};
  if (m > 0) {
    parts[count++] = (Part){"lambda", m, BY_FORCES};
    parts[count++] = (Part){"A of the equations", m * n, BY_ITSELF};
    parts[count++] = (Part){"b of the equations", m, BY_ONE};
    parts[count++] = (Part){"A^T lambda", n, BY_FORCES};
    if (has_levels(sim)) parts[count++] = (Part){"phi", m, BY_ONE};
    if (has_levels(sim)) parts[count++] = (Part){"phi'", m, BY_ONE};
  }
  parts[count++] = (Part){"M of the equations", n * n, BY_ITSELF};
  parts[count++] = (Part){"h of the equations", n, BY_ONE};
  parts[count++] = (Part){"status", 1, BY_ITSELF};
  if (sim->equations->output_count > 0) parts[count++] = (Part){"outputs", sim->equations->output_count, BY_FORCES};
  if (sim->equations->has_energy) parts[count++] = (Part){"energy", 1, BY_ONE};
  return count;
}

static double largest_of(const double* x, int32_t count) {
  double largest = 0;
  for (int32_t i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

/* What the forces alone would do, by the diagonal of M. Forces that the constraints undo leave their round-off in the accelerations;
 * where these are nearly zero the dense solve, and numbers of 80 bits, leave another one than the engine. */
static double free_size(const ZwSim* sim, const double* want) {
  int32_t n = sim->n, m = sim->m;
  const double *M = want, *h = M + n * n;
  const double* force = m > 0 ? h + n + 2 * (m * n + m) + n + m : NULL;
  double size = 0;
  for (int32_t i = 0; i < n; i++) {
    double total = fabs(h[i]) + (force ? fabs(force[i]) : 0);
    if (M[i * n + i] > 0) size = fmax(size, total / M[i * n + i]);
  }
  return size;
}

static double size_of(const ZwSim* sim, bool is_strict, const Part* part, const double* values, const double* want) {
  double size = largest_of(values, part->count);
  switch (part->measure) {
    case BY_ITSELF:
      return size > 0 ? size : 1;
    case BY_ONE:
      return fmax(size, 1);
    case BY_FORCES:
      return fmax(fmax(size, 1), largest_of(want + sim->n * sim->n, sim->n));
    case BY_FREE:
      break;
  }
  size = fmax(size, 1e-3);
  return is_strict ? size : fmax(size, free_size(sim, want));
}

static double compare(const char* name, const ZwSim* sim, bool is_strict, int states, const double* got,
                      const double* want) {
  Part parts[20];
  int count = list_parts(sim, parts);
  double worst = 0;
  const char* where = "nothing";
  for (int s = 0; s < states; s++) {
    const double* first = want;
    for (int k = 0; k < count; k++) {
      double size = size_of(sim, is_strict, &parts[k], want, first);
      for (int32_t i = 0; i < parts[k].count; i++) {
        double off = fabs(got[i] - want[i]) / size;
        if (!(off <= bound)) {
          fail_msg("%s: state %d: %s[%d] = %.17g, should be %.17g (of %.3g)", name, s, parts[k].name, i, got[i],
                   want[i], size);
        }
        if (off > worst) where = parts[k].name;
        worst = fmax(worst, off);
      }
      got += parts[k].count;
      want += parts[k].count;
    }
  }
  print_message("%s: %d states, off by %.2g at most (%s)\n", name, states, worst, where);
  return worst;
}

/* ---- models ---- */

static Folder folder;
static const char* compilers[OPTIONS];
static int compiler_count;
static int exported, refused;
static double worst_of_all;

static void find_compilers(void) {
  static const char* const known[] = {"cc -O2 -ffp-contract=off", "clang -O2 -ffp-contract=off",
                                      "cc -m32 -O2 -ffp-contract=off", "cc -O2 -mfpmath=387",
                                      "cc -O1 -g -fsanitize=address,undefined"};
  compiler_count = 0;
  for (int i = 0; i < OPTIONS; i++) {
    if (is_there(&folder, known[i]))
      compilers[compiler_count++] = known[i];
    else
      print_message("not here: %s\n", known[i]);
  }
  assert_true(compiler_count > 0);
}

static void compare_with(const char* name, const ZwSim* sim, const char* compiler, bool is_compact, int states,
                         const Numbers* want) {
  char options[COMMAND_SIZE];
  snprintf(options, sizeof options, "%s%s%s%s%s", compiler, sim->m > 0 ? " -DROWS" : "",
           has_levels(sim) ? " -DLEVELS" : "", sim->equations->output_count > 0 ? " -DOUTPUTS" : "",
           sim->equations->has_energy ? " -DENERGY" : "");
  compile_driver(&folder, name, options, driver);
  if (run_in(&folder, "./driver < states > answers") != 0) fail_msg("%s: the driver fails", name);
  size_t size = (size_t)want->list.count * sizeof(double);
  double* got = malloc(size + 1);
  assert_non_null(got);
  char path[COMMAND_SIZE];
  snprintf(path, sizeof path, "%s/answers", folder.path);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  size_t read = fread(got, 1, size + 1, file);
  fclose(file);
  if (read != size) fail_msg("%s: %zu bytes in place of %zu", name, read, size);
  bool is_strict = !is_compact && !strstr(compiler, "387") && !strstr(compiler, "m32");
  worst_of_all = fmax(worst_of_all, compare(name, sim, is_strict, states, got, want->list.items));
  free(got);
}

/* Reads about `wanted` states and looks at them with so many compilers. */
static void check_form(const char* name, const char* text, const ZwReader* reader, bool is_compact, int wanted,
                       int compilers_wanted) {
  Exported e;
  if (!open_exported(&e, &folder, name, text, reader, is_compact)) {
    refused++;
    close_exported(&e);
    return;
  }
  exported++;
  Numbers states = {0}, answers = {0};
  int found = collect_states(e.sim, wanted, &states, &answers);
  if (found < wanted / 2 || found == 0) fail_msg("%s: only %d of %d states were found", name, found, wanted);
  write_file(&folder, "states", states.list.items, (size_t)states.list.count * sizeof(double));
  for (int i = 0; i < compiler_count && i < compilers_wanted; i++)
    compare_with(name, e.sim, compilers[i], is_compact, found, &answers);
  free(states.list.items);
  free(answers.list.items);
  close_exported(&e);
}

/* With the solve that is written out, then with the dense one alone. */
static void check_text(const char* name, const char* text, const ZwReader* reader, int wanted, int compilers_wanted) {
  check_form(name, text, reader, false, wanted, compilers_wanted);
  check_form(name, text, reader, true, wanted, 1);
}

static bool is_long(void) {
  return getenv("ZW_LONG") != NULL;
}

static void check_example(const char* name, int wanted, int compilers_wanted) {
  char* text = read_example(name);
  check_text(name, text, NULL, wanted, compilers_wanted);
  free(text);
}

/* The three of the demand, by all compilers. */
static void named_models_agree(void** state) {
  (void)state;
  static const char* const names[] = {"pendulum", "andrews", "heavy-top"};
  for (int i = 0; i < 3; i++) check_example(names[i], is_long() ? 1000 : 100, is_long() ? OPTIONS : 2);
  assert_int_equal(exported, 2 * 3);
}

static void some_examples_agree(void** state) {
  (void)state;
  static const char* const names[] = {"slider-crank", "door-three-hinges", "chaplygin-sleigh", "relativistic-wire",
                                      "double-pendulum"};
  for (int i = 0; i < 5; i++) {
    char* text = read_example(names[i]);
    check_form(names[i], text, NULL, i % 2 == 1, 20, 1); /* the written-out solve and the dense one in turns */
    free(text);
  }
}

static void check_one(const char* name, const char* text) {
  check_text(name, text, NULL, 50, 1);
}

static void every_model_agrees(void** state) {
  (void)state;
  if (!is_long()) return;
  exported = refused = 0;
  check_all_models(check_one);
  print_message("%d exported, %d refused, worst %.2g\n", exported, refused, worst_of_all);
  assert_true(exported > 2 * 45 && refused < 2 * 20);
}

/* ---- models of our own ---- */

static ZwStatus read_points(void* context, const char* name, const char* path, bool is_library, char** text,
                            size_t* size, const char** why) {
  static const char points[] = "x,y\n-3,0.2\n-1,0\n0,0.5\n0.5,0.4\n2,1\n3.5,-1\n";
  (void)context, (void)name, (void)path, (void)is_library, (void)why;
  *text = malloc(sizeof points);
  assert_non_null(*text);
  memcpy(*text, points, sizeof points);
  *size = sizeof points - 1;
  return ZW_OK;
}

static void free_points(void* context, char* text) {
  (void)context;
  free(text);
}

static const ExtraModel own_models[] = {
    {"names that are none in C",
     "param N = 2, double = 2, α = 0.3, q_φ = 1.5, int = double*α, m[1..N] = 1, é = 0.1\n"
     "coord φ[1..N] = 0.4, register, P = (0.1, 0.2)\n"
     "kinetic 1/2*double*register'^2 + 1/2*P'^2 + é*P.x'*φ[1]'\n"
     "for i in 1..N { kinetic 1/2*m[i]*(1 + q_φ*φ[i]^2)*φ[i]'^2\n potential int*cos(φ[i]) }\n"
     "constraint link[1]: φ[1] + P.x = register\nconstraint P.y*φ[2] = 0.1*t + 0.08\nstart φ[2] = 0.4\n"
     "output total = φ[1] + φ[2], pull = reaction(link[1]), Ω = φ[1]'', volatile = P\n"},
    {"tables and switches",
     "param k = 2, w = 3\ncoord x = 0.3, y = -0.2, z = 0.1\n"
     "let f = table(\"points.csv\", x)\n"
     "kinetic 1/2*(1 + f^2)*x'^2 + 1/2*y'^2 + 1/2*z'^2\npotential k*table(\"points.csv\", y + 0.1)\n"
     "constraint cam: z = f + 0.1*sin(w*t)\n"
     "force x = -sign(x')*abs(y) + (if x > 0 and not y > 1 or z < -1 then 3 else mod(x, 0.7))\n"
     "force y = min(x, y)*max(z, -1) - floor(4*y) + hypot(x, y)^1.5\n"
     "output high = if x > 0.2 then 1 else 0, far = abs(z) + atan2(y, x)\n"},
    {"a coordinate without mass",
     "coord x = 1, y, s\nkinetic 1/2*x'^2 + 1/2*(y' + s')^2\npotential 9.81*y\n"
     "constraint drive: s = sin(2*t) + 0.1*x\nconstraint again: 2*s = 2*sin(2*t) + 0.2*x\n"},
    {"rows in units of their own",
     "param s = 1e-30, r = 1e60\ncoord P = (1, 0), Q = (2, 0)\nkinetic 1/2*P'^2 + 1/2*Q'^2\npotential 9.81*(P.y + "
     "Q.y)\n"
     "constraint a: r*norm(P) = r\nconstraint b: s*norm(P - Q) = s\n"},
    {"a light knot above something heavy",
     "param m = 1e-6, M = 1e7\ncoord P = (0, -1), Q = (0, -2)\nkinetic 1/2*m*P'^2 + 1/2*M*Q'^2\npotential 9.81*(m*P.y "
     "+ M*Q.y)\n"
     "constraint a: norm(P) = 1\nconstraint b: norm(P - Q) = 1\n"},
    {"energies of both signs", "coord x = 1, y = 0.3\nlagrangian x'*y' - x*y + 0.1*x^3\n"},
    {"constraints of all levels",
     "coord x = 1, y = 0.5, z, u\nkinetic 1/2*(x'^2 + y'^2 + z'^2 + 2*u'^2)\npotential x*y*z\n"
     "constraint ball: x^2 + y^2 + z^2 = 1.25\nconstraint slope: z' = x*y' + 0.1\nconstraint feel: u'' = x - z''\n"
     "constraint slope_again: 2*z' = 2*x*y' + 0.2\nstart x' = 0.1\noutput a = reaction(slope), b = u''\n"},
};

static void own_models_agree(void** state) {
  (void)state;
  ZwReader reader = {read_points, free_points, NULL};
  exported = 0;
  for (size_t i = 0; i < sizeof own_models / sizeof *own_models; i++) {
    check_text(own_models[i].name, own_models[i].text, &reader, 50, is_long() ? OPTIONS : 1);
  }
  assert_int_equal(exported, 2 * (sizeof own_models / sizeof *own_models));
}

/* ---- projections ---- */

/* Reads states and writes them as they are on the constraints, with what is left of these. */
static const char projector[] =
    "#include <stdio.h>\n"
    "#include \"model.h\"\n"
    "int main(void) {\n"
    "  static model_work work;\n"
    "  model_params p;\n"
    "  double t, q[model_N], v[model_N], phi[model_ROWS], psi[model_ROWS], s[1 + 2 * model_N];\n"
    "  model_default_params(&p);\n"
    "  while (fread(s, sizeof s, 1, stdin) == 1) {\n"
    "    model_start(&t, q, v, &work);\n"
    "    if (model_project(s[0], s + 1, s + 1 + model_N, &p, &work) != model_FINE) return 1;\n"
    "    model_residuals(s[0], s + 1, s + 1 + model_N, &p, phi, psi);\n"
    "    for (int i = 0; i < model_ROWS; i++) {\n"
    "      if (phi[i] > 1e-11 || phi[i] < -1e-11 || psi[i] > 1e-10 || psi[i] < -1e-10) return 2;\n"
    "    }\n"
    "    (void)fwrite(s, sizeof s, 1, stdout);\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

/* States beside the start go to the same place, by the least amount in the same metric. */
static void check_projection(const char* name, bool is_compact) {
  enum { STATES = 50 };
  Exported e;
  char* text = read_example(name);
  assert_true(open_exported(&e, &folder, name, text, NULL, is_compact));
  compile_driver(&folder, name, compilers[0], projector);
  ZwSim* sim = e.sim;
  Numbers states = {0}, answers = {0};
  Random random = random_from(5);
  double* start = calloc((size_t)sim->dim, sizeof(double));
  assert_non_null(start);
  memcpy(start, sim->y, (size_t)sim->dim * sizeof(double));
  sim->tol_project = 1e-12;
  for (int s = 0; s < STATES; s++) {
    int32_t row = -1;
    for (int32_t i = 0; i < 2 * sim->n; i++) sim->y_new[i] = start[i] + 1e-3 * random_number(&random);
    push(&states, sim->t);
    push_all(&states, sim->y_new, 2 * sim->n);
    assert_true(zw_eval_acceleration(sim, sim->t, sim->y_new, sim->y_new + sim->n));
    assert_int_equal(zw_project(sim, sim->t, sim->y_new, &row), ZW_PROJECTED);
    push(&answers, sim->t);
    push_all(&answers, sim->y_new, 2 * sim->n);
  }
  write_file(&folder, "states", states.list.items, (size_t)states.list.count * sizeof(double));
  assert_int_equal(run_in(&folder, "./driver < states > answers"), 0);
  char path[COMMAND_SIZE];
  snprintf(path, sizeof path, "%s/answers", folder.path);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  double *got = calloc((size_t)answers.list.count, sizeof(double)), worst = 0;
  assert_non_null(got);
  assert_int_equal(fread(got, sizeof(double), (size_t)answers.list.count, file), answers.list.count);
  fclose(file);
  for (int32_t i = 0; i < answers.list.count; i++) {
    double want = answers.list.items[i];
    worst = fmax(worst, fabs(got[i] - want) / (1 + fabs(want)));
  }
  print_message("%s: projections are off by %.2g\n", name, worst);
  if (!(worst <= 1e-11)) fail_msg("%s: projections are off by %.3g", name, worst);
  free(got);
  free(start);
  free(states.list.items);
  free(answers.list.items);
  close_exported(&e);
  free(text);
}

static void projections_agree(void** state) {
  (void)state;
  static const char* const names[] = {"pendulum", "slider-crank", "rolling-coin", "andrews", "heavy-top"};
  for (int i = 0; i < (is_long() ? 5 : 3); i++) {
    check_projection(names[i], false);
    check_projection(names[i], true);
  }
}

/* ---- motion ---- */

/* Moves in steps of argv[1] to the end argv[2] and writes q and v so often as argv[3] says. */
static const char mover[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include \"model.h\"\n"
    "int main(int argc, char** argv) {\n"
    "  static model_work work;\n"
    "  model_params p;\n"
    "  double t, q[model_N], v[model_N];\n"
    "  if (argc < 4) return 1;\n"
    "  const double dt = strtod(argv[1], NULL);\n"
    "  const long steps = strtol(argv[2], NULL, 10), every = strtol(argv[3], NULL, 10);\n"
    "  model_default_params(&p);\n"
    "  model_start(&t, q, v, &work);\n"
    "  for (long i = 0; i <= steps; i++) {\n"
    "    if (i % every == 0 && (fwrite(q, sizeof q, 1, stdout) != 1 || fwrite(v, sizeof v, 1, stdout) != 1)) return "
    "2;\n"
    "    if (model_step(&t, q, v, &p, dt, &work) != model_FINE) return 3;\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

typedef struct Rows {
  int n;
  Numbers numbers;
} Rows;

static ZwStatus keep_row(void* context, const double* values) {
  Rows* rows = context;
  push_all(&rows->numbers, values + 1, 2 * (ptrdiff_t)rows->n);
  return ZW_OK;
}

/* The engine's motion to `to` against steps of dt; off by no more than the method is. */
static void check_motion(const char* name, double to, double dt, int every, double tolerance) {
  Exported e;
  char* text = read_example(name);
  assert_true(open_exported(&e, &folder, name, text, NULL, false));
  compile_driver(&folder, name, compilers[0], mover);
  char command[COMMAND_SIZE], path[COMMAND_SIZE];
  int steps = (int)lround(to / dt);
  snprintf(command, sizeof command, "./driver %.17g %d %d > motion", dt, steps, every);
  assert_int_equal(run_in(&folder, command), 0);
  Rows rows = {.n = e.sim->n};
  ZwRunDef def = zw_default_run_def();
  def.to = to;
  def.every = every * dt;
  def.tolerance = 1e-12;
  def.row = keep_row;
  def.context = &rows;
  ZwRun* run;
  assert_int_equal(zw_run_create(e.model, &def, &run), ZW_OK);
  assert_int_equal(zw_run_go(run), ZW_OK);
  int32_t count = rows.numbers.list.count;
  double *got = calloc((size_t)count, sizeof(double)), worst = 0;
  assert_non_null(got);
  snprintf(path, sizeof path, "%s/motion", folder.path);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fread(got, sizeof(double), (size_t)count, file), count);
  fclose(file);
  for (int32_t i = 0; i < count; i++) {
    double want = rows.numbers.list.items[i];
    worst = fmax(worst, fabs(got[i] - want) / (1 + fabs(want)));
  }
  print_message("%s: the motion to t = %g is off by %.2g\n", name, to, worst);
  if (!(worst <= tolerance)) fail_msg("%s: the motion is off by %.3g", name, worst);
  free(got);
  free(rows.numbers.list.items);
  zw_run_destroy(run);
  close_exported(&e);
  free(text);
}

static void steps_follow_the_motion(void** state) {
  (void)state;
  check_motion("pendulum", 10, 1e-3, 100, 1e-9);
  check_motion("slider-crank", 2, 1e-3, 100, 1e-8);
  check_motion("chaplygin-sleigh", 5, 1e-3, 100, 1e-9);
  check_motion("double-pendulum", 2, 1e-3, 100, 1e-8);
}

/* ---- memory ---- */

typedef struct Budget {
  long left; /* pieces of memory that there still are */
} Budget;

static void* take(void* context, size_t size) {
  Budget* budget = context;
  if (budget->left-- <= 0) return NULL;
  return calloc(1, size);
}

static void give(void* context, void* memory) {
  (void)context;
  free(memory);
}

/* Wherever memory ends, the answer is that it has, and nothing is lost. */
static void memory_may_end_anywhere(void** state) {
  (void)state;
  const char* text = own_models[4].text;
  Budget budget = {1000000};
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.allocator = (ZwAllocator){take, give, &budget};
  ZwModel* model;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  int failures = 0;
  for (long left = 0;; left++) {
    ZwRunDef how = zw_default_run_def();
    ZwRun* run;
    budget.left = 1000000;
    assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
    budget.left = left;
    ZwExportDef what = zw_default_export_def();
    ZwExport texts;
    ZwStatus status = zw_run_export(run, &what, &texts);
    bool has_texts = texts.source || texts.header;
    zw_text_free(model, texts.source);
    zw_text_free(model, texts.header);
    zw_run_destroy(run);
    if (status == ZW_OK) break;
    assert_int_equal(status, ZW_ERR_MEMORY);
    assert_false(has_texts);
    failures++;
  }
  print_message("%d places where memory may end\n", failures);
  assert_true(failures > 10);
  zw_model_destroy(model);
}

static int open_all(void** state) {
  (void)state;
  open_folder(&folder);
  find_compilers();
  return 0;
}

static int close_all(void** state) {
  (void)state;
  close_folder(&folder);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(named_models_agree),      cmocka_unit_test(some_examples_agree),
      cmocka_unit_test(own_models_agree),        cmocka_unit_test(every_model_agrees),
      cmocka_unit_test(projections_agree),       cmocka_unit_test(memory_may_end_anywhere),
      cmocka_unit_test(steps_follow_the_motion),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
