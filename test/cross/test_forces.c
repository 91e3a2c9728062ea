/* Forces of a motion by a second road: the motion of a model needs no force, whatever its constraints are; and the force on a coordinate is the
 * reaction of the constraint that would drive it (T7). */
#include "../reference/trajectory.h"

/* A trajectory as a motion; columns of the caller's memory. */
typedef struct Motion {
  double* numbers;
  ZwMotionColumn* columns;
  ZwForcesDef def;
} Motion;

static Motion motion_of(const Trajectory* trajectory) {
  size_t rows = (size_t)trajectory->rows, count = 2 * (size_t)trajectory->n;
  Motion motion = {calloc(rows * (count + 1), sizeof(double)), calloc(count, sizeof(ZwMotionColumn)), {0}};
  assert_true(motion.numbers && motion.columns);
  for (size_t k = 0; k <= count; k++) {
    double* column = motion.numbers + k * rows;
    for (int32_t i = 0; i < trajectory->rows; i++) column[i] = row_of(trajectory, i)[k];
    if (k > 0) motion.columns[k - 1] = (ZwMotionColumn){zw_model_column(trajectory->model, (int32_t)k), column};
  }
  motion.def = zw_default_forces_def();
  motion.def.t = motion.numbers;
  motion.def.rows = trajectory->rows;
  motion.def.columns = motion.columns;
  motion.def.column_count = (int32_t)count;
  return motion;
}

static void forget_motion(Motion* motion) {
  free(motion->numbers);
  free(motion->columns);
}

/* ---- no force is needed ---- */

typedef struct Subject {
  const char* name;
  double to; /* 200 rows up to there */
} Subject;

/* Minimal and redundant coordinates, quaternions, rolling, moving and nonlinear constraints, rows stated twice, coordinates without mass,
 * masses that depend on velocities. */
static const Subject subjects[] = {{"andrews", 0.03},
                                   {"appell", 2},
                                   {"appell-hamel", 2},
                                   {"bennett", 1},
                                   {"car-axis", 1},
                                   {"chaplygin-sleigh", 4},
                                   {"door-three-hinges", 1},
                                   {"heavy-top", 0.05},
                                   {"knife-edge", 2},
                                   {"ku93-plane", 4},
                                   {"n-four-bar", 1},
                                   {"peaucellier", 1},
                                   {"pendulum", 2},
                                   {"relativistic-wire", 2},
                                   {"robot-arm", 1},
                                   {"rolling-coin", 1},
                                   {"rotating-hoop", 2},
                                   {"rssr", 0.5},
                                   {"slider-crank", 2},
                                   {"stewart", 1},
                                   {"table-four-legs", 1},
                                   {"torus-geodesic", 2},
                                   {"uk98", 1}};

static void own_motions_need_no_force(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
    const Subject* subject = &subjects[k];
    Trajectory trajectory = follow_example(subject->name, subject->to, subject->to / 200, 1e-12);
    Motion motion = motion_of(&trajectory);
    ZwRunDef how = zw_default_run_def();
    ZwRun* run;
    const ZwForces* forces;
    assert_int_equal(zw_run_create(trajectory.model, &how, &run), ZW_OK);
    motion.def.every = subject->to / 10;
    ZwStatus status = zw_run_forces(run, &motion.def, &forces);
    for (int32_t i = 0; status && i < zw_run_diag_count(run); i++) print_message("%s\n", zw_run_diag(run, i)->text);
    if (status) fail_msg("%s has no forces", subject->name);
    double part = 0;
    for (int32_t i = 0; i < forces->count; i++) part = fmax(part, forces->actuators[i].part);
    double bound = fmin(10 * forces->doubt.size + 1e-9, 1e-5);
    if (!(part <= bound)) fail_msg("%s: a force of %.1e is more than %.1e", subject->name, part, bound);
    assert_true(forces->is_from_start);
    zw_run_destroy(run);
    forget_motion(&motion);
    forget(&trajectory);
  }
}

/* ---- a motor, and a constraint in its place ---- */

/* The example with `torque` taken out, and another line in its place. */
static char* without_torque(const char* line) {
  char* text = read_example("slider-crank");
  char* at = strstr(text, "force ph1 = torque*cos(t)");
  assert_non_null(at);
  size_t old = strlen("force ph1 = torque*cos(t)"), size = strlen(text) + strlen(line) + 1;
  char* changed = malloc(size);
  assert_non_null(changed);
  snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, line, at + old);
  free(text);
  return changed;
}

static void a_motor_is_a_driven_coordinate(void** state) {
  (void)state;
  char* driven = without_torque("constraint drive: ph1 = crank + 2*t + 0.3*sin(3*t)\noutput motor = reaction(drive)");
  char* start = strstr(driven, "start ph1' = 2");
  assert_non_null(start);
  memcpy(start, "#", 1);
  char* alone = without_torque("");
  Trajectory trajectory = follow("driven", driven, 2, 0.01, 1e-12, 0);
  Motion motion = motion_of(&trajectory);
  ZwModel* model = compile_text("alone", alone);
  ZwRunDef how = zw_default_run_def();
  const char* by[] = {"ph1"};
  motion.def.by = by;
  motion.def.by_count = 1;
  motion.def.every = 0.01;
  ZwRun* run;
  const ZwForces* forces;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  assert_int_equal(zw_run_forces(run, &motion.def, &forces), ZW_OK);
  assert_int_equal(forces->rows, trajectory.rows);
  assert_int_equal(forces->lack_count, 0);
  int32_t motor = column_of(&trajectory, "motor");
  for (int32_t i = 0; i < forces->rows; i++) assert_near(forces->force[i], row_of(&trajectory, i)[motor], 2e-6);
  zw_run_destroy(run);
  zw_model_destroy(model);
  forget_motion(&motion);
  forget(&trajectory);
  free(driven);
  free(alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_motions_need_no_force),
                                     cmocka_unit_test(a_motor_is_a_driven_coordinate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
