/* zw_run_forces: closed forms, what is missing, what is refused, memory. */
#include "expr/table.h"
#include "zwang/hosts.h"

enum { ROWS = 101, COLUMNS = 8 };

/* A motion of up to COLUMNS columns that are functions of time. */
typedef struct Motion {
  double t[ROWS], values[COLUMNS][ROWS];
  ZwMotionColumn columns[COLUMNS];
  int32_t count;
} Motion;

static void set_times(Motion* motion, double span) {
  motion->count = 0;
  for (int i = 0; i < ROWS; i++) motion->t[i] = span * i / (ROWS - 1);
}

static void add_column(Motion* motion, const char* name, double (*f)(double t)) {
  double* values = motion->values[motion->count];
  for (int i = 0; i < ROWS; i++) values[i] = f(motion->t[i]);
  motion->columns[motion->count++] = (ZwMotionColumn){name, values};
}

static ZwForcesDef def_of(const Motion* motion) {
  ZwForcesDef def = zw_default_forces_def();
  def.t = motion->t;
  def.rows = ROWS;
  def.columns = motion->columns;
  def.column_count = motion->count;
  return def;
}

typedef struct Subject {
  ZwModel* model;
  ZwRun* run;
} Subject;

static Subject open_subject(const char* text) {
  Subject subject;
  ZwRunDef how = zw_default_run_def();
  assert_int_equal(compile_text(text, &subject.model), ZW_OK);
  assert_int_equal(zw_run_create(subject.model, &how, &subject.run), ZW_OK);
  return subject;
}

static void close_subject(Subject* subject) {
  zw_run_destroy(subject->run);
  zw_model_destroy(subject->model);
}

static double swing(double t) {
  return 0.7 * sin(1.3 * t) + 0.2 * t;
}
static double swing_rate(double t) {
  return 0.7 * 1.3 * cos(1.3 * t) + 0.2;
}
static double swing_bend(double t) {
  return -0.7 * 1.3 * 1.3 * sin(1.3 * t);
}

/* ---- closed forms ---- */

/* m l^2 q'' + m g l sin q + c q', with an applied torque taken off; velocities and accelerations given or not. */
static void torque_of_a_pendulum(void** state) {
  (void)state;
  const double bounds[] = {2e-7, 1e-9, 1e-11};
  for (int given = 1; given <= 3; given++) {
    Subject subject = open_subject(
        "param m = 2, l = 0.5, g = 9.81, c = 0.3\ncoord q\nkinetic 1/2*m*l^2*q'^2\npotential -m*g*l*cos(q)\n"
        "dissipation 1/2*c*q'^2\nforce q = 0.4*t\n");
    Motion motion;
    set_times(&motion, 4);
    add_column(&motion, "q", swing);
    if (given > 1) add_column(&motion, "q'", swing_rate);
    if (given > 2) add_column(&motion, "q''", swing_bend);
    ZwForcesDef def = def_of(&motion);
    const ZwForces* forces;
    assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
    assert_true(forces->is_full);
    assert_int_equal(forces->count, 1);
    assert_string_equal(forces->actuators[0].name, "q");
    double worst = 0, largest = 0, power = 0;
    for (int32_t i = 0; i < forces->rows; i++) {
      double t = forces->t[i];
      double torque = 2 * 0.25 * swing_bend(t) + 2 * 9.81 * 0.5 * sin(swing(t)) + 0.3 * swing_rate(t) - 0.4 * t;
      worst = fmax(worst, fabs(forces->force[i] - torque));
      largest = fmax(largest, fabs(torque));
      power = fmax(power, fabs(torque * swing_rate(t)));
    }
    if (!(worst < bounds[given - 1])) print_message("off by %g\n", worst);
    assert_true(worst < bounds[given - 1]);
    assert_near(fabs(forces->actuators[0].largest), largest, 1e-6);
    assert_near(fabs(forces->actuators[0].power), power, 1e-6);
    assert_true(forces->spline_off <= 1e-11);
    close_subject(&subject);
  }
}

/* The same pendulum in Cartesian coordinates, said twice over, with the angle as a third coordinate without mass: forces on
 * that angle are the torque. Only the angle is given. */
static void torque_through_constraints(void** state) {
  (void)state;
  Subject subject = open_subject(
      "param m = 2, l = 0.5, g = 9.81\ncoord x, y = -0.5, q\nkinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\n"
      "constraint across: x = l*sin(q)\nconstraint up: y = -l*cos(q)\nconstraint rod: x^2 + y^2 = l^2\n");
  Motion motion;
  set_times(&motion, 4);
  add_column(&motion, "q", swing);
  add_column(&motion, "q'", swing_rate);
  add_column(&motion, "q''", swing_bend);
  const char* by[] = {"q"};
  ZwForcesDef def = def_of(&motion);
  def.by = by;
  def.by_count = 1;
  const ZwForces* forces;
  assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
  assert_int_equal(forces->found_count, 2);
  assert_string_equal(forces->found[0], "x");
  assert_int_equal(forces->lack_count, 0);
  assert_true(forces->missing_part < 1e-12);
  assert_int_equal(forces->m, 3);
  assert_string_equal(forces->row_names[2], "rod");
  for (int32_t i = 0; i < forces->rows; i++) {
    double t = forces->t[i], torque = 2 * 0.25 * swing_bend(t) + 2 * 9.81 * 0.5 * sin(swing(t));
    assert_near(forces->force[i], torque, 1e-11);
    assert_near(forces->q[3 * i], 0.5 * sin(swing(t)), 1e-11);
    assert_near(forces->v[3 * i + 1], 0.5 * sin(swing(t)) * swing_rate(t), 1e-11);
  }
  close_subject(&subject);
}

/* KU93 example 4 as a control: x' - t y' = alpha(t) is the motion, the plane is free. On a plate that holds y (constraint), the part
 * of the force along y is the plate's and not the control's. */
static double line_x(double t) {
  return 0.5 * t * t;
}
static double line_v(double t) {
  return t;
}
static double nothing(double t) {
  return 0 * t;
}

static void constraints_bear_their_part(void** state) {
  (void)state;
  Subject subject =
      open_subject("coord x, y\nkinetic 1/2*3*(x'^2 + y'^2)\nforce (x, y) = (1, -7)\nconstraint plate: y = 0\n");
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "x", line_x);
  add_column(&motion, "x'", line_v);
  add_column(&motion, "y", nothing);
  ZwForcesDef def = def_of(&motion);
  const ZwForces* forces;
  assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
  for (int32_t i = 0; i < forces->rows; i++) {
    assert_near(forces->force[2 * i], 2, 1e-9); /* 3 * 1 - 1 */
    assert_near(forces->force[2 * i + 1], 0, 1e-12);
    assert_near(forces->reaction[i], 7, 1e-9);
  }
  assert_true(forces->is_from_start);
  close_subject(&subject);
}

/* ---- what is missing ---- */

/* A cart with a hanging mass, pushed at the cart: by Gauss's principle the cart follows exactly, and the rest is missing:
 * (M + m) x'' + m l (a'' cos a - a'^2 sin a) = F, m l (x'' cos a + l a'' + g sin a) = 0. */
static double cart_x(double t) {
  return 0.3 * sin(2 * t);
}
static double cart_v(double t) {
  return 0.6 * cos(2 * t);
}
static double cart_a(double t) {
  return -1.2 * sin(2 * t);
}

static void what_is_missing_is_named(void** state) {
  (void)state;
  Subject subject = open_subject(
      "param M = 2, m = 1, l = 0.5, g = 9.81\ncoord x, a\n"
      "kinetic 1/2*M*x'^2 + 1/2*m*((x' + l*a'*cos(a))^2 + (l*a'*sin(a))^2)\npotential -m*g*l*cos(a)\n");
  Motion motion;
  set_times(&motion, 3);
  add_column(&motion, "x", cart_x);
  add_column(&motion, "x'", cart_v);
  add_column(&motion, "x''", cart_a);
  add_column(&motion, "a", swing);
  add_column(&motion, "a'", swing_rate);
  add_column(&motion, "a''", swing_bend);
  const char* by[] = {"x"};
  ZwForcesDef def = def_of(&motion);
  def.by = by;
  def.by_count = 1;
  const ZwForces* forces;
  assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
  assert_int_equal(forces->lack_count, 2);
  assert_true(forces->lacks[0].part >= forces->lacks[1].part);
  for (int32_t i = 0; i < forces->rows; i++) {
    double t = forces->t[i], a = swing(t), da = swing_rate(t), x2 = cart_a(t);
    /* the angle goes its own way */
    double a2 = -(x2 * cos(a) + 9.81 * sin(a)) / 0.5;
    double push = 3 * x2 + 0.5 * (a2 * cos(a) - da * da * sin(a));
    assert_near(forces->force[i], push, 1e-10);
    double off = swing_bend(t) - a2; /* missing: M (0, off) */
    assert_near(forces->missing[2 * i], 0.5 * cos(a) * off, 1e-10);
    assert_near(forces->missing[2 * i + 1], 0.25 * off, 1e-10);
  }
  /* what is missing, added to what acts, makes the motion: M a = h + u + r */
  ZwForcesDef all = def_of(&motion);
  const ZwForces* full;
  assert_int_equal(zw_run_forces(subject.run, &all, &full), ZW_OK);
  assert_near(full->force[0], forces->force[0] + forces->missing[0], 1e-12);
  assert_near(full->force[1], forces->missing[1], 1e-12);
  close_subject(&subject);
}

/* More actuators than freedom: the least of all sets, by the masses, so that one that the constraints hold does nothing. */
static void redundant_actuators_share(void** state) {
  (void)state;
  Subject subject = open_subject(
      "coord x, y, z\nkinetic 1/2*(x'^2 + 3*y'^2 + 5*z'^2)\nconstraint belt: x = y\nconstraint floor: z = 0\n");
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "x", line_x);
  const char* by[] = {"z", "y", "x"};
  ZwForcesDef def = def_of(&motion);
  const ZwForces* forces;
  def.by = by;
  def.by_count = 3;
  assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
  for (int32_t i = 0; i < forces->rows; i++) { /* 4 in all, as 1 : 3 */
    assert_near(forces->force[3 * i], 0, 1e-12);
    assert_near(forces->force[3 * i + 1], 3, 1e-8);
    assert_near(forces->force[3 * i + 2], 1, 1e-8);
  }
  close_subject(&subject);
}

/* ---- nonholonomic, moving ---- */

/* A skate on a blade: its own motion needs no force; a wheel that is driven along needs what its rolling does. */
static double roll(double t) {
  return 0.4 * t * t;
}
static double ahead(double t) {
  return 0.08 * t * t;
}

static void rolling_and_moving(void** state) {
  (void)state;
  /* radius 0.2, mass 2, moment 0.1, on a belt that runs at 0.3 t: x' = 0.2 p' + 0.3 t */
  Subject subject =
      open_subject("coord x, p\nkinetic 1/2*2*x'^2 + 1/2*0.1*p'^2\nconstraint roll: x' = 0.2*p' + 0.3*t\n");
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "p", roll);
  add_column(&motion, "x", ahead);
  for (int i = 0; i < ROWS; i++) motion.values[1][i] += 0.15 * motion.t[i] * motion.t[i];
  const char* by[] = {"p"};
  ZwForcesDef def = def_of(&motion);
  def.by = by;
  def.by_count = 1;
  const ZwForces* forces;
  assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
  for (int32_t i = 0; i < forces->rows; i++) { /* 2 x'' = lambda, 0.1 p'' = T - 0.2 lambda */
    assert_near(forces->reaction[i], 2 * (0.16 + 0.3), 1e-8);
    assert_near(forces->force[i], 0.1 * 0.8 + 0.2 * 0.92, 1e-8);
  }
  assert_true(forces->missing_part < 1e-9);
  close_subject(&subject);
}

/* ---- back through the host ---- */

typedef struct Drive {
  ZwTable tables[2];
} Drive;

static bool push(void* context, double t, const double* q, const double* v, double* Q) {
  const Drive* drive = context;
  (void)q;
  (void)v;
  for (int k = 0; k < 2; k++) Q[k] += zw_table_eval(&drive->tables[k], t, 0);
  return true;
}

/* Two links: the forces, as a host's, make the motion again; the run itself stays at its start meanwhile. */
static void forces_make_the_motion(void** state) {
  (void)state;
  const char* text =
      "coord a = 0, b = 0\nkinetic 1/2*a'^2 + 1/2*b'^2 + 1/2*a'*b'*cos(a - b)\npotential -5*cos(a) - 3*cos(b)\n"
      "start a' = 1.11, b' = 0.6\n";
  Subject subject = open_subject(text);
  Motion motion;
  set_times(&motion, 3);
  add_column(&motion, "a", swing);
  add_column(&motion, "a'", swing_rate);
  add_column(&motion, "b", cart_x);
  add_column(&motion, "b'", cart_v);
  ZwForcesDef def = def_of(&motion);
  const ZwForces* forces;
  assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
  assert_true(forces->is_from_start);
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  Drive drive;
  double* column = ZW_NEW(&arena, forces->rows, double);
  for (int k = 0; k < 2; k++) {
    for (int32_t i = 0; i < forces->rows; i++) column[i] = forces->force[2 * i + k];
    assert_true(zw_table_build(&drive.tables[k], &arena, forces->t, column, forces->rows, false));
  }
  ZwRunDef how = zw_default_run_def();
  how.tolerance = 1e-11;
  how.to = 3;
  how.force = push;
  how.context = &drive;
  ZwRun* back;
  assert_int_equal(zw_run_create(subject.model, &how, &back), ZW_OK);
  for (int i = 1; i < 7; i++) {
    double t = 0.5 * i - (i == 6 ? 1e-9 : 0), row[5];
    assert_int_equal(zw_run_to(back, t), ZW_OK);
    assert_int_equal(zw_run_read(back, row), ZW_OK);
    assert_near(row[1], swing(t), 1e-8);
    assert_near(row[2], cart_x(t), 1e-8);
    assert_near(row[3], swing_rate(t), 1e-7);
  }
  zw_run_destroy(back);
  double row[5];
  assert_int_equal(zw_run_to(subject.run, 0.001), ZW_OK); /* it begins where it would have */
  assert_int_equal(zw_run_read(subject.run, row), ZW_OK);
  assert_near(row[1], 0.00111, 1e-5);
  zw_arena_destroy(&arena);
  close_subject(&subject);
}

/* ---- refusals ---- */

#define ROD \
  "coord x = 1, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n"

static double circle_x(double t) {
  return cos(t);
}
static double circle_y(double t) {
  return sin(t);
}

static void is_refused(const char* text, const ZwForcesDef* def, ZwStatus code, const char* words) {
  Subject subject = open_subject(text);
  const ZwForces* forces;
  assert_int_equal(zw_run_forces(subject.run, def, &forces), code);
  assert_null(forces);
  bool has_said = false;
  for (int32_t i = 0; i < zw_run_diag_count(subject.run); i++) {
    const ZwDiag* diag = zw_run_diag(subject.run, i);
    if (diag->severity == ZW_SEVERITY_ERROR && strstr(diag->text, words)) has_said = true;
  }
  for (int32_t i = 0; !has_said && i < zw_run_diag_count(subject.run); i++)
    print_message("said: %s\n", zw_run_diag(subject.run, i)->text);
  assert_true(has_said);
  close_subject(&subject);
}

static void wrong_tables(void** state) {
  (void)state;
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "x", circle_x);
  add_column(&motion, "y", circle_y);
  ZwForcesDef def = def_of(&motion);
  /* values */
  motion.values[1][50] += 0.01;
  is_refused(ROD, &def, ZW_ERR_VALUE, "the motion at t = 1 violates 'rod', 'again'");
  motion.values[1][50] = NAN;
  is_refused(ROD, &def, ZW_ERR_VALUE, "y has no finite value at t = 1 (row 51)");
  motion.values[1][50] = sin(1);
  /* times */
  motion.t[7] = 0.01;
  is_refused(ROD, &def, ZW_ERR_VALUE, "times must ascend: row 8 has t = 0.01 behind t = 0.12");
  motion.t[7] = motion.t[6];
  is_refused(ROD, &def, ZW_ERR_VALUE, "jumps at t = 0.12 (rows 7 and 8): no force makes a jump");
  motion.t[7] = INFINITY;
  is_refused(ROD, &def, ZW_ERR_VALUE, "row 8 of the table has no finite time");
  motion.t[7] = 0.14;
  /* counts */
  def.rows = 4;
  is_refused(ROD, &def, ZW_ERR_VALUE, "the table has 4 times: accelerations need at least 5");
  def.rows = 0;
  is_refused(ROD, &def, ZW_ERR_VALUE, "the table has no rows");
  def.rows = ROWS;
  /* columns */
  def.column_count = 0;
  is_refused(ROD, &def, ZW_ERR_VALUE, "no column of the table is a coordinate of the model");
  motion.columns[1].name = "x";
  def.column_count = 2;
  is_refused(ROD, &def, ZW_ERR_VALUE, "the table has two columns 'x'");
  motion.columns[1].name = "y'";
  is_refused(ROD, &def, ZW_ERR_VALUE, "the table has y' without y");
  motion.columns[1].name = "x'";
  is_refused(ROD, &def, ZW_ERR_VALUE, "x' is not the rate of x");
  motion.columns[1].name = "x''";
  is_refused(ROD, &def, ZW_ERR_VALUE, "the table has x'' without x'");
  def.column_count = 1;
  is_refused("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n", &def, ZW_ERR_VALUE,
             "the table has no column y, and the constraints do not determine it");
  is_refused("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint c: x' = y'\n", &def, ZW_ERR_VALUE,
             "the table has no column y, and the constraints do not determine it");
  is_refused("coord x, y = 1\nkinetic 1/2*(x'^2 + y'^2)\nconstraint c: y^2 = x\n", &def, ZW_ERR_VALUE, "at t = ");
}

static void wrong_models_and_names(void** state) {
  (void)state;
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "x", circle_x);
  add_column(&motion, "y", circle_y);
  ZwForcesDef def = def_of(&motion);
  const char *unknown[] = {"xx"}, *twice[] = {"x", "x"};
  def.by = unknown;
  def.by_count = 1;
  is_refused(ROD, &def, ZW_ERR_NAME, "the actuator 'xx' is not a coordinate of the model");
  def.by = twice;
  def.by_count = 2;
  is_refused(ROD, &def, ZW_ERR_NAME, "the actuator 'x' is named twice");
  def.by_count = 0;
  is_refused("coord x, y = 1\nkinetic 1/2*(x'^2 + y'^2)\ncontact floor: y >= 0\n", &def, ZW_ERR_UNSUPPORTED,
             "the contact 'floor'");
  is_refused("coord x, y = 1\nmemory k = 0\nkinetic 1/2*(x'^2 + y'^2)\nwhen x > 3: k = 1\noutput o = k\n", &def,
             ZW_ERR_UNSUPPORTED, "when x > 3");
  def.every = -1;
  is_refused(ROD, &def, ZW_ERR_ARGUMENT, "the time between rows");
  def.every = 1e-9;
  is_refused(ROD, &def, ZW_ERR_LIMIT, "are the most");
  def.every = 0;
  def.within = NAN;
  is_refused(ROD, &def, ZW_ERR_ARGUMENT, "off the constraints");
  def.within = 0;
  def.tolerance = 1e-20;
  is_refused(ROD, &def, ZW_ERR_ARGUMENT, "the tolerance");
}

/* Velocities may violate too, where positions do not. */
static void velocities_are_looked_at(void** state) {
  (void)state;
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "x", swing);
  add_column(&motion, "y", swing);
  ZwForcesDef def = def_of(&motion);
  is_refused("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint knife: y' = 0.5*x'\n", &def, ZW_ERR_VALUE,
             "violates 'knife': its velocities, estimated from the rows, are off");
  Subject subject = open_subject("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint knife: y' = x'\n");
  const ZwForces* forces;
  assert_int_equal(zw_run_forces(subject.run, &def, &forces), ZW_OK);
  close_subject(&subject);
}

/* Within what is allowed, a table is put onto the constraints, and how far it was off is told. */
static void small_errors_are_allowed(void** state) {
  (void)state;
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "x", circle_x);
  add_column(&motion, "y", circle_y);
  for (int i = 0; i < ROWS; i++) motion.values[0][i] = round(1e5 * motion.values[0][i]) / 1e5;
  ZwForcesDef def = def_of(&motion);
  is_refused(ROD, &def, ZW_ERR_VALUE, "violates");
  def.within = 1e-4;
  def.every = 0.5;
  Subject subject = open_subject(ROD);
  const ZwForces* forces;
  ZwStatus status = zw_run_forces(subject.run, &def, &forces);
  if (status) print_message("said: %s\n", zw_run_diag(subject.run, zw_run_diag_count(subject.run) - 1)->text);
  assert_int_equal(status, ZW_OK);
  assert_true(forces->off[0].size > 1e-7 && forces->off[0].size < 1e-5);
  assert_int_equal(forces->rows, 5);
  for (int32_t i = 0; i < 5; i++) {
    const double *q = forces->q + 2 * i, *v = forces->v + 2 * i;
    assert_near(q[0] * q[0] + q[1] * q[1], 1, 1e-13);
    assert_near(q[0] * v[0] + q[1] * v[1], 0, 1e-13);
  }
  close_subject(&subject);
}

/* ---- memory ---- */

static ZwStatus use(Host* host, const ZwForcesDef* forces_def, bool* has_answer) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = ROD;
  def.size = strlen(ROD);
  def.allocator = host_allocator(host);
  ZwModel* model;
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  const ZwForces* forces = NULL;
  ZwStatus status = zw_model_compile(&def, &model);
  if (status == ZW_OK) status = zw_run_create(model, &how, &run);
  if (status == ZW_OK) status = zw_run_forces(run, forces_def, &forces);
  *has_answer = forces != NULL;
  zw_run_destroy(run);
  zw_model_destroy(model);
  return status;
}

static void memory_may_end_anywhere(void** state) {
  (void)state;
  Motion motion;
  set_times(&motion, 2);
  add_column(&motion, "x", circle_x);
  add_column(&motion, "y", circle_y);
  add_column(&motion, "speed", circle_y);
  const char* by[] = {"x"};
  ZwForcesDef def = def_of(&motion);
  def.rows = 12;
  def.by = by;
  def.by_count = 1;
  def.tolerance = 1e-2;
  for (int64_t n = 1;; n++) {
    Host host = {.fails_at = n};
    bool has_answer;
    ZwStatus status = use(&host, &def, &has_answer);
    assert_int_equal(host.alive, 0);
    assert_int_equal(status, host.refused ? ZW_ERR_MEMORY : ZW_OK);
    assert_int_equal(has_answer, status == ZW_OK);
    if (!host.refused) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torque_of_a_pendulum),        cmocka_unit_test(torque_through_constraints),
      cmocka_unit_test(constraints_bear_their_part), cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(redundant_actuators_share),   cmocka_unit_test(rolling_and_moving),
      cmocka_unit_test(forces_make_the_motion),      cmocka_unit_test(wrong_tables),
      cmocka_unit_test(wrong_models_and_names),      cmocka_unit_test(velocities_are_looked_at),
      cmocka_unit_test(small_errors_are_allowed),    cmocka_unit_test(memory_may_end_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
