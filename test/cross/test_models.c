/* What the compiler and the start make of many models: coordinates, rows, rank, degrees of freedom, which typed values
 * move. Those of the design's own examples are written here as texts; the others are in test/models. All
 * that start run. Below that, systems written in two ways that have to agree. */
#include "../reference/trajectory.h"

typedef struct Model {
  const char* name;
  int32_t n, m, rank;
  const char* moves; /* typed values that do not fit and move, in order, each followed by a space; default none */
  double to;         /* how long to run; 0: as the model says; -1: it must be refused at the start (Painleve) */
  double energy;     /* bound of the relative drift or balance; default 1e-6 */
  const char* text;  /* NULL: in test/models */
} Model;

// clang-format off
static const Model language[] = {
    {"Appell's particle", 3, 2, 1, "", 2, 0,
     "param m = 1, g = 9.81\ncoord x, y, z\nkinetic   1/2*m*(x'^2 + y'^2 + z'^2)\npotential m*g*z\n"
     "constraint cone:  x'^2 + y'^2 = z'^2\nconstraint again: 2*x'^2 + 2*y'^2 = 2*z'^2\nstart x' = 1, z' = 1\nrun 0 .. 2\n"},
    {"slider-crank from parts", 6, 5, 5, "crank.phi coupler.phi ", 10, 0,
     "param g = 9.81\ncomponent rod(m, l) {\n  coord x, y, phi\n"
     "  kinetic   1/2*m*(x'^2 + y'^2) + 1/2*(m*l^2/12)*phi'^2\n  potential m*g*y\n"
     "  let at(s) = (x + s*l*cos(phi), y + s*l*sin(phi))     # a point on the rod, s in -1/2 .. 1/2\n}\n"
     "part crank   = rod(1, 1)\npart coupler = rod(2, 3)\nconstraint ground: crank.at(-1/2) = (0, 0)\n"
     "constraint pin:    crank.at(1/2) = coupler.at(-1/2)\nconstraint slide:  coupler.at(1/2).y = 0\n"
     "start crank.phi = pi/4, coupler.phi = -0.2, crank.phi' = 2\n"
     "force crank.phi = 0.5*cos(t)                           # a torque\noutput slider = coupler.at(1/2).x\nplot slider\n"
     "draw line (0, 0) -> crank.at(1/2) -> coupler.at(1/2)\nrun 0 .. 10 every 0.01 tolerance 1e-9\n"},
    {"hanging chain", 200, 100, 100, "", 0.05, 0,
     "param N = 100, m = 1, l = 1, g = 9.81\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n"
     "  kinetic   1/2*m*(x[i]'^2 + y[i]'^2)\n  potential m*g*y[i]\n  start     x[i] = i*l\n}\n"
     "constraint pin: x[1]^2 + y[1]^2 = l^2\nfor i in 2..N {\n"
     "  constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n}\nrun 0 .. 1\n"},
    {"relativistic particle on a wire", 2, 1, 1, "", 2, 0,
     "param m = 1, c = 3, w = 0.7\ncoord x = 1, y\nlagrangian -m*c^2*sqrt(1 - (x'^2 + y'^2)/c^2)\n"
     "constraint wire: y*cos(w*t) = x*sin(w*t)\nrun 0 .. 5\n"},
    {"knife edge", 3, 1, 1, "", 10, 0,
     "param m = 1, J = 0.5, g = 9.81, alpha = 30*deg\ncoord P = (0, 0), phi\nlet e = (cos(phi), sin(phi))\n"
     "kinetic   1/2*m*P'^2 + 1/2*J*phi'^2\npotential -m*g*sin(alpha)*P.x\nconstraint edge: cross(e, P') = 0\n"
     "quasi u = dot(e, P'), w = phi'\nstart exactly w = 1\noutput side = reaction(edge)\nrun 0 .. 10\n"},
    {"n-link pendulum", 5, 0, 0, "", 5, 0,
     "param N = 5, m = 1, l = 1, g = 9.81\ncoord th[1..N] = 90*deg\nlet P[0] = (0, 0)\nfor i in 1..N {\n"
     "  let P[i] = P[i-1] + l*(sin(th[i]), -cos(th[i]))\n  kinetic   1/2*m*P[i]'^2\n  potential m*g*P[i].y\n"
     "  draw line P[i-1] -> P[i]\n}\nrun 0 .. 5\n"},
    {"N windows of rods", 15, 14, 14, "", 10, 0,
     "use planar\nparam N = 2\npart ground = earth()\nfor i in 0..N {\n  part crank[i] = rod(1, (i, 0), (i, 1))\n"
     "  part foot[i]  = pin(ground, crank[i], (i, 0))\n}\nfor i in 1..N {\n  part bar[i]   = rod(1, (i-1, 1), (i, 1))\n"
     "  part left[i]  = pin(crank[i-1], bar[i], (i-1, 1))\n  part right[i] = pin(crank[i], bar[i], (i, 1))\n}\n"
     "start exactly crank[0].head' = (1, 0)\nrun 0 .. 10\n"},
    {"heavy top", 7, 4, 4, "", 0.2, 0,
     "use spatial\npart ground = earth()\npart top  = body(15, (0.234375, 0.46875, 0.234375), (0, 1, 0))\n"
     "part foot = spherical(ground, top, (0, 0, 0))\nstart exactly top.w = (0, 150, -4.61538)\n"
     "output force = reaction(foot.pin), tip = top.r\nrun 0 .. 0.2 tolerance 1e-10\n"},
    {"bouncing ball", 1, 0, 0, "", 5, 0,
     "param m = 1, g = 9.81\ncoord y = 1\nkinetic 1/2*m*y'^2\npotential m*g*y\ncontact floor: y >= 0, restitution 0.8\n"
     "run 0 .. 5\n"},
};

static const Model models[] = {
    {"andrews",                 7,   6,  6, "", 0.03, 0, NULL},
    {"appell-hamel",            3,   1,  1, "", 2, 0, NULL},
    {"bouncing-ball-counter",   3,   0,  0, "", 0, 0, NULL},
    {"cam-table",               1,   0,  0, "", 0, 0, NULL},
    {"car-axis",                4,   2,  2, "", 3, 0, NULL},
    {"catch-and-release",       3,   2,  0, "", 5, 0, NULL},   /* nothing is held at the start */
    {"chaplygin-sleigh",        3,   1,  1, "", 10, 0, NULL},
    {"cloth",                 144,   6,  6, "", 0.1, 0, NULL},
    {"crane",                   2,   1,  1, "", 12, 0, NULL},
    {"differential-drive",      7,   5,  5, "", 5, 0, NULL},
    {"dominoes",               18,   0,  0, "stone[1].phi' ", 0.3, 0, NULL},
    {"geodesic",                4,   0,  0, "", 20, 0, NULL},
    {"gimbals",                 3,   0,  0, "", 5, 0, NULL},
    {"heavy-top",               7,   4,  4, "", 0.2, 0, NULL},
    {"magnetic-bottle",         3,   0,  0, "", 100, 0, NULL},
    {"n-fourbar",              15,  14, 14, "", 10, 0, NULL},
    {"n-pendulum-angles",       5,   0,  0, "", 5, 0, NULL},
    {"painleve-rod",            3,   0,  0, "", -1, 0, NULL},
    {"peaucellier",             8,   7,  7, "", 2, 0, NULL},
    {"pendulum-cartesian",      2,   1,  1, "", 0, 0, NULL},
    {"pendulum-polar",          1,   0,  0, "", 10, 0, NULL},
    {"planetary-gear",          6,   7,  5, "", 2, 0, NULL},   /* three planets say the same */
    {"pleiades",               14,   0,  0, "", 3, 0, NULL},
    {"rattleback",              7,   4,  4, "", 1, 0, NULL},
    {"robot-arm",               3,   2,  2, "q[1] q[2] q[3] ", 6, 0, NULL},
    {"rocket",                  1,   0,  0, "", 0, 0, NULL},
    {"satellite",              10,   1,  1, "", 200, 0, NULL},
    {"satellite-tether-sweep", 10,   2,  2, "", 10, 0, NULL},
    {"snakeboard",              6,   5,  5, "", 30, 0, NULL},
    {"spring-network",          8,   0,  0, "", 10, 0, NULL},
    {"stewart",                 7,   7,  7, "", 5, 0, NULL},
    {"strandbeest",            10,  10, 10, "N.x N.y C.x C.y A.x A.y B.x B.y F.x F.y ", 3, 0, NULL},
    {"string",                 50,   0,  0, "", 0.05, 0, NULL},
    {"tippe-top",               7,   2,  2, "", 0.5, 0, NULL},
    {"woodpecker",              3,   0,  0, "y phM phS ", 0.3, 0, NULL},
};
// clang-format on

/* ---- the tables ---- */

static void check_start(const Model* model, ZwRun* run) {
  const ZwReport* report = zw_run_report(run);
  if (report->n != model->n || report->m != model->m || report->rank != model->rank ||
      report->dof != model->n - model->rank) {
    fail_msg("%s: n = %d, m = %d, rank %d, %d degrees of freedom", model->name, (int)report->n, (int)report->m,
             (int)report->rank, (int)report->dof);
  }
  if ((report->redundant_count > 0) != (model->rank < model->m - report->waiting))
    fail_msg("%s: which rows are redundant?", model->name);
  char moves[1024] = "";
  for (int32_t i = 0; i < report->move_count; i++) {
    size_t size = strlen(moves);
    snprintf(moves + size, sizeof moves - size, "%s ", report->moves[i].name);
  }
  if (strcmp(moves, model->moves) != 0) fail_msg("%s: moved %s, expected %s", model->name, moves, model->moves);
}

static void check_run(const Model* model, ZwRun* run) {
  ZwStatus status = zw_run_go(run);
  const ZwReport* report = zw_run_report(run);
  if (status) fail_msg("%s: %s at t = %g", model->name, zw_status_text(status), report->t);
  print_message("%-32s energy %.1e (%s)  |phi| %.1e\n", model->name, report->energy_drift,
                report->is_conservative ? "drift" : "balance", report->phi_max);
  if (!(report->phi_max < 1e-10)) fail_msg("%s: |phi| = %g", model->name, report->phi_max);
  if (!(report->phidot_max < 1e-10)) fail_msg("%s: |phi'| = %g", model->name, report->phidot_max);
  double size = fmax(fabs(report->energy_start), report->energy_exchanged);
  if (!(report->energy_off <= (model->energy > 0 ? model->energy : 1e-6) * size)) {
    fail_msg("%s: energy off by %g of %g", model->name, report->energy_off, size);
  }
}

/* Tables lie beside the models. */
static ZwStatus read_beside(void* context, const char* name, const char* path, bool is_library, char** text,
                            size_t* size, const char** why) {
  (void)context, (void)path, (void)why;
  if (is_library) return ZW_ERR_NAME; /* the standard ones need no reader */
  char full[PATH_SIZE];
  source_path(full, "test/models", name, "");
  *text = read_text(full);
  *size = strlen(*text);
  return ZW_OK;
}

static void release_text(void* context, char* text) {
  (void)context;
  free(text);
}

static void check_text(const Model* model, const char* text) {
  ZwCompileDef def = zw_default_compile_def();
  def.name = model->name;
  def.text = text;
  def.size = strlen(text);
  def.reader = (ZwReader){.read = read_beside, .release = release_text};
  Trajectory trajectory = {0};
  if (zw_model_compile(&def, &trajectory.model)) {
    show_diags(&trajectory);
    fail_msg("%s does not compile", model->name);
  }
  ZwRunDef how = zw_default_run_def();
  if (model->to > 0) how.to = model->to;
  ZwStatus status = zw_run_create(trajectory.model, &how, &trajectory.run);
  if (model->to < 0) {
    assert_int_equal(status, ZW_ERR_CONTACT);
    forget(&trajectory);
    return;
  }
  if (status) show_diags(&trajectory);
  if (status) fail_msg("%s does not start: %s", model->name, zw_status_text(status));
  check_start(model, trajectory.run);
  check_run(model, trajectory.run);
  forget(&trajectory);
}

static void test_language(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof language / sizeof language[0]; i++) check_text(&language[i], language[i].text);
}

static void test_models(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    char path[PATH_SIZE];
    source_path(path, "test/models", models[i].name, ".zw");
    char* text = read_text(path);
    check_text(&models[i], text);
    free(text);
  }
}

/* No model is forgotten. */
static void test_table_is_complete(void** state) {
  (void)state;
  char path[PATH_SIZE];
  source_path(path, "test/models", "", "");
  DIR* folder = opendir(path);
  assert_non_null(folder);
  for (const struct dirent* entry = readdir(folder); entry; entry = readdir(folder)) {
    size_t size = strlen(entry->d_name);
    if (size < 4 || strcmp(entry->d_name + size - 3, ".zw") != 0) continue;
    bool is_listed = false;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
      is_listed =
          is_listed || (strlen(models[i].name) == size - 3 && strncmp(models[i].name, entry->d_name, size - 3) == 0);
    }
    if (!is_listed) fail_msg("%s is not in the table", entry->d_name);
  }
  closedir(folder);
}

/* ---- two ways to write the same ---- */

static double most_apart(const Trajectory* a, const char* in_a, const Trajectory* b, const char* in_b, int32_t count) {
  int32_t i = column_of(a, in_a), j = column_of(b, in_b);
  double most = 0;
  assert_int_equal(a->rows, b->rows);
  for (int32_t r = 0; r < a->rows; r++) {
    for (int32_t k = 0; k < count; k++) most = fmax(most, fabs(row_of(a, r)[i + k] - row_of(b, r)[j + k]));
  }
  return most;
}

static void assert_alike(const char* what, double apart, double allowed) {
  print_message("%-32s apart by %.1e\n", what, apart);
  if (!(apart <= allowed)) fail_msg("%s: apart by %g", what, apart);
}

static void test_pendulums(void** state) {
  (void)state;
  Trajectory angles = follow_example("n-pendulum-angles", 2, 0.05, 1e-12);
  Trajectory points = follow_example("n-pendulum", 2, 0.05, 1e-12);
  assert_alike("n-pendulum, angles and points", most_apart(&angles, "tip.x", &points, "tip.x", 2), 1e-9);
  assert_int_equal(zw_run_report(points.run)->dof, zw_run_report(angles.run)->dof);
  forget(&angles);
  forget(&points);
}

/* Slider-crank in the crank's angle alone: the coupler's follows by the sine rule. */
static void test_slider_crank(void** state) {
  (void)state;
  static const char one_angle[] =
      "param g = 9.81\ncoord a = pi/4\nlet b = -asin(sin(a)/3)\n"
      "let crank = 1/2*(cos(a), sin(a)), pin = 2*crank, coupler = pin + 3/2*(cos(b), sin(b))\n"
      "kinetic 1/2*crank'^2 + 1/2*(1/12)*a'^2 + 1/2*2*coupler'^2 + 1/2*(2*9/12)*b'^2\n"
      "potential g*crank.y + 2*g*coupler.y\nforce a = 0.5*cos(t)\nstart a' = 2\noutput slider = pin.x + 3*cos(b)\n";
  Trajectory parts = follow_example("slider-crank-parts", 5, 0.05, 1e-12);
  Trajectory angle = follow("one angle", one_angle, 5, 0.05, 1e-12, 0);
  assert_alike("slider-crank, parts and one angle", most_apart(&parts, "slider", &angle, "slider", 1), 1e-9);
  assert_alike("  its crank", most_apart(&parts, "crank.phi", &angle, "a", 1), 1e-9);
  forget(&parts);
  forget(&angle);
}

/* The spatial four-bar in two angles and one distance. The coupler is a round rod that does not spin. */
static void test_rssr(void** state) {
  (void)state;
  static const char two_angles[] =
      "use spatial\ncoord a, b\nlet A = rotz(a, (0.5, 0, 0)), O = (2, 0.5, 0), arm = (0, 0.7, 1.4), B = O + rotx(b, "
      "arm)\n"
      "let l = norm((1.5, 1.2, 1.4)), e = (B - A)/l, m = 0.8\n"
      "kinetic 1/2*0.3*a'^2 + 1/2*(0.25 + 1/4*arm^2)*b'^2\nkinetic 1/2*m*((A + B)'/2)^2 + 1/2*(m*(3*0.04^2 + "
      "l^2)/12)*e'^2\n"
      "potential 9.81*((B.z + O.z)/2 + m*(A.z + B.z)/2)\nconstraint coupler: norm(B - A) = l\nstart exactly a' = 4\n";
  Trajectory parts = follow_example("rssr", 2, 0.02, 1e-12);
  Trajectory angles = follow("two angles", two_angles, 2, 0.02, 1e-12, 0);
  const ZwReport* report = zw_run_report(parts.run);
  assert_int_equal(report->n, 21);
  assert_int_equal(report->rank, 19);
  assert_int_equal(report->dof, 2); /* one of them idle */
  int32_t crank = column_of(&parts, "crank_angle"), rocker = column_of(&parts, "rocker_angle");
  int32_t idle = column_of(&parts, "idle");
  double apart[2] = {0}, turn = 4 * acos(0), spin = 0; /* the parts count angles from -pi to pi */
  for (int32_t i = 0; i < parts.rows; i++) {
    const double *row = row_of(&parts, i), *other = row_of(&angles, i);
    apart[0] = fmax(apart[0], fabs(remainder(row[crank] - other[1], turn)));
    apart[1] = fmax(apart[1], fabs(remainder(row[rocker] - other[2], turn)));
    spin = fmax(spin, fabs(row[idle]));
  }
  assert_alike("RSSR, parts and two angles", apart[0], 1e-9);
  assert_alike("  its rocker", apart[1], 1e-9);
  assert_alike("  its idle spin", spin, 1e-8);
  forget(&parts);
  forget(&angles);
}

/* Two forms of the metric in one model. */
static void test_geodesic(void** state) {
  (void)state;
  char path[PATH_SIZE];
  source_path(path, "test/models", "geodesic", ".zw");
  char* text = read_text(path);
  Trajectory trajectory = follow("geodesic", text, 20, 0.1, 1e-12, 0);
  free(text);
  assert_alike("geodesic, embedded and by metric", most_apart(&trajectory, "u", &trajectory, "q[1]", 2), 1e-9);
  forget(&trajectory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_language),  cmocka_unit_test(test_models),       cmocka_unit_test(test_table_is_complete),
      cmocka_unit_test(test_pendulums), cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_rssr),
      cmocka_unit_test(test_geodesic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
