/* Every body, joint and force of the standard libraries.
 *
 * Two roads to the same forces. On one side what the library's comments promise: a joint's reactions, read as a force F, a
 * moment N and the point P where they act. On the other side the motion itself: finite differences of the momenta of the
 * bodies. With Newton's and Euler's laws,
 *
 *   p' = m g + F          H' = N + (P - r) x F
 *
 * they have to agree, for the body a and, with everything opposite, for the body b. No derivative of ours is used. */
#include "../reference/trajectory.h"
#include "sample.h"

enum { TEXT_SIZE = 1 << 13 };

/* ---- the two bodies of the drawing ---- */

typedef struct World {
  const char *use, *a, *b, *earth, *momenta;
  int32_t size;        /* of vectors */
  int32_t coordinates; /* of a body */
  int32_t body_rows;   /* that a body brings along */
  double gravity[3], m[2];
} World;

static const World planar = {
    .use = "use planar with gravity = (0.3, -9.81)\n",
    .a = "part a = body(2, 0.7, (0, 0), 0.2)\n",
    .b = "part b = body(1.5, 0.4, (0.9, 0.4), -0.5)\n",
    .earth = "part %s = earth()\n",
    .momenta = "output %s_p = %s.m*%s.r', %s_H = %s.J*%s.phi', %s_r = %s.r\n",
    .size = 2,
    .coordinates = 3,
    .gravity = {0.3, -9.81, 0},
    .m = {2, 1.5},
};

static const World spatial = {
    .use =
        "use spatial with gravity = (0.3, -0.5, -9.81)\n"
        "let moment(I, D, w) = (I.x*w.x + D.z*w.y + D.y*w.z, D.z*w.x + I.y*w.y + D.x*w.z,\n"
        "                       D.y*w.x + D.x*w.y + I.z*w.z)\n",
    .a = "part a = body(2, (0.5, 0.7, 0.6), (0, 0, 0), (0.02, -0.03, 0.05))\n",
    .b = "part b = body(1.5, (0.3, 0.2, 0.4), (0.9, 0.4, -0.2), (-0.02, 0.01, 0.03))\n",
    .earth = "part %s = earth()\n",
    .momenta = "output %s_p = %s.m*%s.r', %s_H = %s.dir(moment(%s.I, %s.D, %s.w)), %s_r = %s.r\n",
    .size = 3,
    .coordinates = 7,
    .body_rows = 1,
    .gravity = {0.3, -0.5, -9.81},
    .m = {2, 1.5},
};

/* ---- the table ---- */

typedef struct Joint {
  const World* world;
  const char* name;
  const char* parts;  /* the joint, between a and b */
  const char* wrench; /* on a: F, N and the point P; F_b, N_b, P_b too when b does not get the opposite */
  int32_t rows;
  bool is_driven; /* gains or loses energy */
  bool is_ground; /* of one body and the ground: there is no b */
  double to;      /* how long to look; default 0.6 */
} Joint;

#define OPPOSITE "output F_b = -F, N_b = -N, P_b = P\n"
#define PLACE3 "(0.4, 0.3, 0.1)"
#define AXIS3 "(1, 2, -0.5)"

static const Joint joints[] = {
    /* planar */
    {&planar, "pin", "part j = pin(a, b, (0.4, 0.1))",
     "output F = reaction(j.pin), N = 0*t, P = a.mark((0.4, 0.1))\n" OPPOSITE, .rows = 2},
    {&planar, "weld", "part j = weld(a, b, (0.4, 0.1))",
     "output F = reaction(j.pin), N = reaction(j.turn), P = a.mark((0.4, 0.1))\n" OPPOSITE, .rows = 3},
    {&planar, "slider", "part j = slider(a, b, (0.4, 0.1), (2, 1))",
     "output F = reaction(j.side)*left(a.dir(unit((2, 1)))), N = reaction(j.turn), P = b.mark((0.4, 0.1))\n" OPPOSITE,
     .rows = 2},
    {&planar, "slot", "part j = slot(a, b, (0.4, 0.1), (2, 1))",
     "output F = reaction(j.side)*left(a.dir(unit((2, 1)))), N = 0*t, P = b.mark((0.4, 0.1))\n" OPPOSITE, .rows = 1},
    {&planar, "gear", "part j = gear(a, b, 1.7)",
     "output F = (0*t, 0), N = reaction(j.teeth), P = a.r, F_b = (0*t, 0), N_b = 1.7*N, P_b = b.r\n", .rows = 1},
    {&planar, "rack", "part j = rack(a, (0.1, 0.2), 0.4, b, (0.5, -0.2), (0.1, 1))",
     "output F = reaction(j.height)*j.up - reaction(j.roll)*left(j.up), N = 0*t, P = j.foot\n" OPPOSITE, .rows = 2},
    {&planar, "distance", "part j = distance(a.mark((0.3, 0.2)), b.mark((0.7, 0.6)), 0.6)",
     "output P = a.mark((0.3, 0.2)), N = 0*t, P_b = b.mark((0.7, 0.6)), N_b = 0*t\n"
     "output F = reaction(j.rod)*unit(P - P_b), F_b = -F\n",
     .rows = 1},
    {&planar, "drive", "part j = drive(a, b, 0.3*sin(2*t))",
     "output F = (0*t, 0), N = -reaction(j.drive), P = a.r\n" OPPOSITE, .rows = 1, .is_driven = true},
    {&planar, "motor", "part j = motor(a, b, 0.8*cos(t))", "output F = (0*t, 0), N = -0.8*cos(t), P = a.r\n" OPPOSITE,
     .rows = 0, .is_driven = true},
    {&planar, "thruster", "part j = thruster(a.mark((0.3, 0.2)), b.mark((0.7, 0.6)), 3 + t)",
     "output P = a.mark((0.3, 0.2)), N = 0*t, P_b = b.mark((0.7, 0.6)), N_b = 0*t\n"
     "output F = (3 + t)*unit(P - P_b), F_b = -F\n",
     .rows = 0, .is_driven = true},
    {&planar, "spring", "part j = spring(a.mark((0.3, 0.2)), b.mark((0.7, 0.6)), 20, 0.9)",
     "output P = a.mark((0.3, 0.2)), N = 0*t, P_b = b.mark((0.7, 0.6)), N_b = 0*t\n"
     "output F = -20*(norm(P - P_b) - 0.9)*unit(P - P_b), F_b = -F\n",
     .rows = 0},
    {&planar, "spring with damper", "part j = spring(a.mark((0.3, 0.2)), b.mark((0.7, 0.6)), 20, 0.9, 0.5)",
     "let A = a.mark((0.3, 0.2)), B = b.mark((0.7, 0.6))\noutput P = A, N = 0*t, P_b = B, N_b = 0*t\n"
     "output F = -(20*(norm(A - B) - 0.9) + 0.5*dot(unit(A - B), A' - B'))*unit(A - B), F_b = -F\n",
     .rows = 0, .is_driven = true},
    {&planar, "damper", "part j = damper(a.mark((0.3, 0.2)), b.mark((0.7, 0.6)), 0.5)",
     "let A = a.mark((0.3, 0.2)), B = b.mark((0.7, 0.6))\noutput P = A, N = 0*t, P_b = B, N_b = 0*t\n"
     "output F = -0.5*dot(unit(A - B), A' - B')*unit(A - B), F_b = -F\n",
     .rows = 0, .is_driven = true},
    {&planar, "turnspring", "part j = turnspring(a, b, 3, 0.2)",
     "output F = (0*t, 0), N = -3*(a.turn - b.turn - 0.2), P = a.r\n" OPPOSITE, .rows = 0},
    {&planar, "turndamper", "part j = turndamper(a, b, 0.3)",
     "output F = (0*t, 0), N = 0.3*(b.spin - a.spin), P = a.r\n" OPPOSITE, .rows = 0, .is_driven = true},
    {&planar, "wheel", "part j = wheel(a, (0.1, 0.2), 0.5)",
     "output F = (reaction(j.roll), reaction(j.height)), N = 0*t, P = j.foot\n", .rows = 2, .is_ground = true},

    /* spatial */
    {&spatial, "spherical", "part j = spherical(a, b, " PLACE3 ")",
     "output F = reaction(j.pin), N = (0*t, 0, 0), P = a.mark(" PLACE3 ")\n" OPPOSITE, .rows = 3},
    {&spatial, "revolute", "part j = revolute(a, b, " PLACE3 ", " AXIS3 ")",
     "output F = reaction(j.pin), N = reaction(j.axis).x*a.dir(across(" AXIS3
     ")) + reaction(j.axis).y*a.dir(across2(" AXIS3 ")), P = a.mark(" PLACE3 ")\n" OPPOSITE,
     .rows = 5},
    {&spatial, "universal", "part j = universal(a, b, " PLACE3 ", (1, 0, 0), (0, 2, 1))",
     "output F = reaction(j.pin), N = reaction(j.square)*cross(a.dir((1, 0, 0)), b.dir(unit((0, 2, 1)))), P = "
     "a.mark(" PLACE3 ")\n" OPPOSITE,
     .rows = 4},
    {&spatial, "cylindrical", "part j = cylindrical(a, b, " PLACE3 ", " AXIS3 ")",
     "output F = reaction(j.line).x*j.a1 + reaction(j.line).y*j.a2, N = reaction(j.axis).x*j.a1 + "
     "reaction(j.axis).y*j.a2,"
     " P = b.mark(" PLACE3 ")\n" OPPOSITE,
     .rows = 4},
    {&spatial, "screw", "part j = screw(a, b, " PLACE3 ", " AXIS3 ", 0.3)",
     "output F = reaction(j.turn.line).x*j.turn.a1 + reaction(j.turn.line).y*j.turn.a2 + reaction(j.thread)*j.turn.na\n"
     "output N = reaction(j.turn.axis).x*j.turn.a1 + reaction(j.turn.axis).y*j.turn.a2"
     " - 0.3/(2*pi)*reaction(j.thread)*j.turn.na, P = b.mark(" PLACE3 ")\n" OPPOSITE,
     .rows = 5},
    {&spatial, "parallel", "part j = parallel(a, b)",
     "output F = (0*t, 0, 0), N = a.dir(reaction(j.turn)), P = a.r\n" OPPOSITE, .rows = 3},
    {&spatial, "prismatic", "part j = prismatic(a, b, " PLACE3 ", " AXIS3 ")",
     "output F = reaction(j.line).x*a.dir(across(" AXIS3 ")) + reaction(j.line).y*a.dir(across2(" AXIS3 ")),"
     " N = a.dir(reaction(j.turn.turn)), P = b.mark(" PLACE3 ")\n" OPPOSITE,
     .rows = 5},
    {&spatial, "weld", "part j = weld(a, b, " PLACE3 ")",
     "output F = reaction(j.pin), N = a.dir(reaction(j.turn.turn)), P = a.mark(" PLACE3 ")\n" OPPOSITE, .rows = 6},
    {&spatial, "planar", "part j = planar(a, b, " PLACE3 ", " AXIS3 ")",
     "output F = reaction(j.height)*j.na, N = reaction(j.axis).x*j.a1 + reaction(j.axis).y*j.a2, P = b.mark(" PLACE3
     ")\n" OPPOSITE,
     .rows = 3},
    {&spatial, "distance", "part j = distance(a.mark((0.3, 0.2, 0.1)), b.mark((0.7, 0.6, 0)), 0.6)",
     "output P = a.mark((0.3, 0.2, 0.1)), N = (0*t, 0, 0), P_b = b.mark((0.7, 0.6, 0)), N_b = (0*t, 0, 0)\n"
     "output F = reaction(j.rod)*unit(P - P_b), F_b = -F\n",
     .rows = 1},
    {&spatial, "drive", "part h = revolute(a, b, " PLACE3 ", " AXIS3 ")\npart j = drive(h, 0.4*sin(2*t))",
     "output F = reaction(h.pin), N = reaction(h.axis).x*h.a1 + reaction(h.axis).y*h.a2 - reaction(j.drive)*h.na, P = "
     "a.mark(" PLACE3 ")\n" OPPOSITE,
     .rows = 6, .is_driven = true},
    {&spatial, "torque", "part j = torque(a, b, (0.2, cos(t), -0.3))",
     "output F = (0*t, 0, 0), N = -(0.2, cos(t), -0.3), P = a.r\n" OPPOSITE, .rows = 0, .is_driven = true},
    {&spatial, "motor", "part j = motor(a, b, " AXIS3 ", 0.8)",
     "output F = (0*t, 0, 0), N = -0.8*a.dir(unit(" AXIS3 ")), P = a.r\n" OPPOSITE, .rows = 0, .is_driven = true},
    {&spatial, "thruster", "part j = thruster(a.mark((0.3, 0.2, 0.1)), b.mark((0.7, 0.6, 0)), 3 + t)",
     "output P = a.mark((0.3, 0.2, 0.1)), N = (0*t, 0, 0), P_b = b.mark((0.7, 0.6, 0)), N_b = (0*t, 0, 0)\n"
     "output F = (3 + t)*unit(P - P_b), F_b = -F\n",
     .rows = 0, .is_driven = true},
    {&spatial, "spring", "part j = spring(a.mark((0.3, 0.2, 0.1)), b.mark((0.7, 0.6, 0)), 20, 0.9)",
     "output P = a.mark((0.3, 0.2, 0.1)), N = (0*t, 0, 0), P_b = b.mark((0.7, 0.6, 0)), N_b = (0*t, 0, 0)\n"
     "output F = -20*(norm(P - P_b) - 0.9)*unit(P - P_b), F_b = -F\n",
     .rows = 0},
    {&spatial, "damper", "part j = damper(a.mark((0.3, 0.2, 0.1)), b.mark((0.7, 0.6, 0)), 0.5)",
     "let A = a.mark((0.3, 0.2, 0.1)), B = b.mark((0.7, 0.6, 0))\n"
     "output P = A, N = (0*t, 0, 0), P_b = B, N_b = (0*t, 0, 0)\n"
     "output F = -0.5*dot(unit(A - B), A' - B')*unit(A - B), F_b = -F\n",
     .rows = 0, .is_driven = true},
    {&spatial, "turndamper", "part j = turndamper(a, b, 0.3)",
     "output F = (0*t, 0, 0), N = 0.3*(b.spin - a.spin), P = a.r\n" OPPOSITE, .rows = 0, .is_driven = true},
    {&spatial, "rolling", "part j = rolling(a, 0.5, (1, 0.3, 0.2), (0.1, 0, -0.1))",
     "output F = (reaction(j.roll).x, reaction(j.roll).y, reaction(j.height)), N = (0*t, 0, 0), P = j.foot\n",
     .rows = 3, .is_ground = true, .to = 0.25},
    {&spatial, "rollingball", "part j = rollingball(a, 0.5, (0.1, 0, -0.1))",
     "output F = (reaction(j.roll).x, reaction(j.roll).y, reaction(j.height)), N = (0*t, 0, 0), P = j.foot\n",
     .rows = 3, .is_ground = true},
};

enum { JOINTS = sizeof joints / sizeof joints[0] };

/* ---- making texts ---- */

typedef struct Text {
  int size;
  char text[TEXT_SIZE];
} Text;

__attribute__((format(printf, 2, 3))) static void add(Text* text, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int size = vsnprintf(text->text + text->size, (size_t)(TEXT_SIZE - text->size), format, list);
  va_end(list);
  assert_true(size >= 0 && size < TEXT_SIZE - text->size);
  text->size += size;
}

/* With every %s replaced by the name. */
static void add_for(Text* text, const char* format, const char* name) {
  for (const char* at = format; *at; at++) {
    if (at[0] == '%' && at[1] == 's') {
      add(text, "%s", name);
      at++;
    } else {
      add(text, "%c", *at);
    }
  }
}

static void add_vector(Text* text, int32_t size, const double* x) {
  for (int32_t i = 0; i < size; i++) add(text, "%s%.17g", i ? ", " : "(", x[i]);
  add(text, ")");
}

typedef enum Fixed { FIXED_NONE, FIXED_A, FIXED_B, FIXED_COUNT } Fixed;

static bool has_body(const Joint* joint, Fixed fixed, int i) {
  return i == 0 ? fixed != FIXED_A : fixed != FIXED_B && !joint->is_ground;
}

static int body_count(const Joint* joint, Fixed fixed) {
  return has_body(joint, fixed, 0) + has_body(joint, fixed, 1);
}

/* The bodies, the joint and what it says, without a start. */
static void make(Text* text, const Joint* joint, Fixed fixed) {
  text->size = 0;
  add(text, "%s", joint->world->use);
  for (int i = 0; i < (joint->is_ground ? 1 : 2); i++) {
    const char* name = i ? "b" : "a";
    add_for(text, has_body(joint, fixed, i) ? (i ? joint->world->b : joint->world->a) : joint->world->earth, name);
  }
  add(text, "%s\n%s", joint->parts, joint->wrench);
  for (int i = 0; i < 2; i++) {
    if (has_body(joint, fixed, i)) add_for(text, joint->world->momenta, i ? "b" : "a");
  }
}

static const char* full_name(const Joint* joint, Fixed fixed) {
  static char name[128];
  snprintf(name, sizeof name, "%s %s%s", joint->world == &planar ? "planar" : "spatial", joint->name,
           fixed == FIXED_A   ? ", a fixed"
           : fixed == FIXED_B ? ", b fixed"
                              : "");
  return name;
}

/* ---- degrees of freedom ---- */

static void check_counts(const Joint* joint, Fixed fixed, const ZwReport* report) {
  int bodies = body_count(joint, fixed);
  int32_t n = bodies * joint->world->coordinates, m = bodies * joint->world->body_rows + joint->rows;
  if (report->n != n || report->m != m || report->rank != m || report->dof != n - m || report->redundant_count) {
    fail_msg("%s: n = %d, m = %d, rank %d, %d degrees of freedom; expected n = %d, m = rank = %d",
             full_name(joint, fixed), (int)report->n, (int)report->m, (int)report->rank, (int)report->dof, (int)n,
             (int)m);
  }
}

/* ---- forces ---- */

static double cross_at(int32_t size, const double* a, const double* b, int32_t i) {
  if (size == 2) return a[0] * b[1] - a[1] * b[0];
  return a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The column of an output, or of the first component of a vector one. */
static int32_t output_of(const Trajectory* trajectory, const char* name, bool is_vector) {
  char full[64];
  snprintf(full, sizeof full, "%s%s", name, is_vector ? ".x" : "");
  return column_of(trajectory, full);
}

/* Slope at row i: seven points, sixth order. */
static double slope(const Trajectory* trajectory, int32_t i, int32_t column, double h) {
  static const double weights[] = {45, -9, 1};
  double sum = 0;
  for (int k = 1; k <= 3; k++) {
    sum += weights[k - 1] * (row_of(trajectory, i + k)[column] - row_of(trajectory, i - k)[column]);
  }
  return sum / (60 * h);
}

/* The largest difference between the change of the momenta and the forces, on body 0 or 1. */
static double unbalanced(const Joint* joint, const Trajectory* trajectory, int body, double h, double* force_max) {
  const World* world = joint->world;
  int32_t size = world->size, turns = size == 2 ? 1 : 3;
  int32_t F = output_of(trajectory, body ? "F_b" : "F", true), N = output_of(trajectory, body ? "N_b" : "N", size == 3);
  int32_t P = output_of(trajectory, body ? "P_b" : "P", true), p = output_of(trajectory, body ? "b_p" : "a_p", true);
  int32_t H = output_of(trajectory, body ? "b_H" : "a_H", size == 3),
          r = output_of(trajectory, body ? "b_r" : "a_r", true);
  double worst = 0;
  for (int32_t i = 3; i + 3 < trajectory->rows; i++) {
    const double* row = row_of(trajectory, i);
    double arm[3] = {0};
    for (int32_t k = 0; k < size; k++) {
      arm[k] = row[P + k] - row[r + k];
      double want = slope(trajectory, i, p + k, h) - world->m[body] * world->gravity[k];
      worst = fmax(worst, fabs(row[F + k] - want));
      *force_max = fmax(*force_max, fabs(row[F + k]));
    }
    for (int32_t k = 0; k < turns; k++) {
      double want = slope(trajectory, i, H + k, h) - cross_at(size, arm, row + F, k);
      worst = fmax(worst, fabs(row[N + k] - want));
      *force_max = fmax(*force_max, fabs(row[N + k]));
    }
  }
  return worst;
}

static void add_velocities(Text* text, const Joint* joint, Fixed fixed) {
  Random random = random_from(7);
  for (int i = 0; i < 2; i++) {
    double x[6];
    random_fill(&random, 6, x);
    if (!has_body(joint, fixed, i)) continue;
    add(text, "start %c.r' = ", i ? 'b' : 'a');
    add_vector(text, joint->world->size, x);
    add(text, joint->world->size == 2 ? ", %c.phi' = " : ", %c.u' = ", i ? 'b' : 'a');
    if (joint->world->size == 2) add(text, "%.17g\n", x[3]);
    if (joint->world->size == 3) add_vector(text, 3, x + 3);
    if (joint->world->size == 3) add(text, "\n");
  }
}

static void test_forces(void** state) {
  (void)state;
  static Text text;
  double h = 0.002, worst_energy = 0, worst_force = 0;
  for (int k = 0; k < JOINTS; k++) {
    for (Fixed fixed = 0; fixed < FIXED_COUNT; fixed++) {
      const Joint* joint = &joints[k];
      if (fixed && joint->is_ground) continue;
      make(&text, joint, fixed);
      if (joint->rows < 6 || joint->is_driven || body_count(joint, fixed) == 2) add_velocities(&text, joint, fixed);
      const char* name = full_name(joint, fixed);
      double to = joint->to > 0 ? joint->to : 0.6;
      if (is_sanitized()) to = h * floor(to / (4 * h)); /* whole intervals */
      Trajectory trajectory = follow(name, text.text, to, h, 1e-12, 0);
      const ZwReport* report = zw_run_report(trajectory.run);
      check_counts(joint, fixed, report);
      if (!(report->phi_max < 1e-12 && report->phidot_max < 1e-12)) fail_msg("%s: |phi| = %g", name, report->phi_max);
      double force = 0, off = 0;
      for (int body = 0; body < 2; body++) {
        if (has_body(joint, fixed, body)) off = fmax(off, unbalanced(joint, &trajectory, body, h, &force));
      }
      print_message("%-28s %2d rows  forces up to %5.1f, off by %.1e\n", name, (int)joint->rows, force, off);
      if (!(off < 1e-8 * (1 + force))) fail_msg("%s: a reaction is off by %g", name, off);
      worst_force = fmax(worst_force, off / (1 + force));
      forget(&trajectory);

      /* energy at a tolerance that leaves something to see */
      trajectory = follow(name, text.text, 3 * to, NAN, 1e-10, 0);
      report = zw_run_report(trajectory.run);
      if (report->is_conservative && joint->is_driven) fail_msg("%s: its energy is not conserved", name);
      if (report->dof > 0 || joint->is_driven) { /* else there is no energy to compare with */
        if (!(report->energy_drift < 1e-8)) fail_msg("%s: energy off by %g", name, report->energy_drift);
        worst_energy = fmax(worst_energy, report->energy_drift);
      }
      forget(&trajectory);
    }
  }
  print_message("forces off by %.1e at most, energy by %.1e\n", worst_force, worst_energy);
}

/* ---- rank where the start is far from the drawing ---- */

/* q = p q */
static void quaternion_multiply(const double p[4], double q[4]) {
  double r[4] = {
      p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
      p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
  memcpy(q, r, sizeof r);
}

static void quaternion_turn(const double q[4], const double v[3], double turned[3]) {
  double p[4] = {0, v[0], v[1], v[2]}, conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
  quaternion_multiply(q, p);
  double r[4];
  memcpy(r, conjugate, sizeof r);
  quaternion_multiply(p, r);
  memcpy(turned, r + 1, 3 * sizeof(double));
}

static void random_turn(Random* random, double size, double q[4]) {
  double axis[3], length = 0;
  random_fill(random, 3, axis);
  for (int i = 0; i < 3; i++) length += axis[i] * axis[i];
  length = sqrt(length) + 1e-9;
  q[0] = cos(size / 2);
  for (int i = 0; i < 3; i++) q[1 + i] = sin(size / 2) * axis[i] / length;
}

/* The drawing, moved as a whole by a random motion, and then b by another one that is `wrong` large. */
static void add_places(Text* text, const Joint* joint, Random* random, double wrong) {
  static const double places[2][3] = {{0, 0, 0}, {0.9, 0.4, -0.2}};
  const World* world = joint->world;
  double turn = 3 * random_number(random), q[4], shift[3];
  random_fill(random, 3, shift);
  random_turn(random, joint->is_ground ? 0.8 : 3, q);
  if (joint->is_ground) shift[world->size - 1] = 0.4;
  if (world->size == 2) {
    q[0] = cos(turn / 2);
    q[1] = q[2] = 0;
    q[3] = sin(turn / 2);
  }
  for (int i = 0; i < (joint->is_ground ? 1 : 2); i++) {
    double r[3], own[4], extra = i ? wrong * random_number(random) : 0;
    random_turn(random, extra, own);
    quaternion_turn(q, places[i], r);
    for (int k = 0; k < 3; k++) r[k] += shift[k] + (i || joint->is_ground ? wrong * random_number(random) : 0);
    quaternion_multiply(q, own);
    add(text, "start %c.r = ", i ? 'b' : 'a');
    add_vector(text, world->size, r);
    if (world->size == 2) add(text, ", %c.phi = %.17g\n", i ? 'b' : 'a', (i ? -0.5 : 0.2) + turn + extra);
    if (world->size == 2) continue;
    add(text, ", %c.s = %.17g, %c.u = ", i ? 'b' : 'a', own[0], i ? 'b' : 'a');
    add_vector(text, 3, own + 1);
    add(text, "\n");
  }
}

/* Whether the start could be made consistent; if so, every row counts there. */
static bool try_start(const Joint* joint, const Text* text) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text->text;
  def.size = (size_t)text->size;
  ZwModel* model = NULL;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &how, &run);
  if (status == ZW_OK) check_counts(joint, FIXED_NONE, zw_run_report(run));
  if (status && status != ZW_ERR_START) fail_msg("%s: %s", joint->name, zw_status_text(status));
  zw_run_destroy(run);
  zw_model_destroy(model);
  return status == ZW_OK;
}

static void test_rank_anywhere(void** state) {
  (void)state;
  static const double wrongs[] = {0.05, 0.5, 1.5};
  static Text text;
  const int tries = sample(4, 20, 20);
  for (int k = 0; k < JOINTS; k++) {
    const Joint* joint = &joints[k];
    if (joint->rows == 0) continue;
    for (int w = 0; w < 3; w++) {
      Random random = random_from((uint64_t)(100 * k + w));
      int found = 0;
      for (int i = 0; i < tries; i++) {
        make(&text, joint, FIXED_NONE);
        add_places(&text, joint, &random, wrongs[w]);
        found += try_start(joint, &text);
      }
      if (found < tries)
        print_message("%s: %d of %d starts found, %g off\n", full_name(joint, 0), found, tries, wrongs[w]);
      if (found < tries - (w < 2 ? 0 : (tries + 4) / 5))
        fail_msg("%s: only %d of %d starts found", full_name(joint, 0), found, tries);
    }
  }
}

/* ---- forces from a book ---- */

typedef struct Book {
  const char *name, *text;
  struct {
    const char* column;
    double value;
  } wants[6];
} Book;

#define SHELF "part shelf = body(2, (0.1, 0.2, 0.3), (0.5, 0, 0))\n"

static const Book book[] = {
    {"a body hangs from a pin",
     "use planar\npart e = earth()\npart b = body(3, 0.2, (0, -0.4))\npart j = pin(e, b, (0, 0))\n"
     "output F = reaction(j.pin), turn = b.turn\n",
     {{"F.x", 0}, {"F.y", -3 * 9.81}, {"turn", 0}}},
    {"a rod built into a wall",
     "use planar\npart e = earth()\npart b = rod(3, (0, 0), (2, 0))\npart j = weld(e, b, (0, 0))\n"
     "output F = reaction(j.pin), M = reaction(j.turn), tip = b.head\n",
     {{"F.x", 0}, {"F.y", -3 * 9.81}, {"M", -3 * 9.81}, {"tip.x", 2}, {"tip.y", 0}}},
    {"a rod on two pins, one of them in a slot: the lever law",
     "use planar\npart e = earth()\npart b = rod(3, (0, 0), (2, 0))\npart j = pin(e, b, (0, 0))\n"
     "part k = slot(e, b, (1.5, 0), (1, 0))\noutput F = reaction(j.pin), G = reaction(k.side)\n",
     {{"F.x", 0}, {"F.y", -3 * 9.81 / 3}, {"G", -3 * 9.81 * 2 / 3}}},
    {"a drawer on a slope: it slides freely, the slope carries m g cos 30",
     "use planar\npart e = earth()\npart b = body(3, 0.2)\npart j = slider(e, b, (0, 0), (sqrt(3)/2, 1/2))\n"
     "output F = reaction(j.side), M = reaction(j.turn), a = j.travel''\n",
     {{"F", -3 * 9.81 * 0.8660254037844386}, {"M", 0}, {"a", -9.81 / 2}}},
    {"a disc rolls down 30 degrees: a = 2/3 g sin, the friction is a third of the weight's part",
     "use planar\npart e = earth()\nlet n = (-1/2, sqrt(3)/2)\npart b = body(3, 1/2*3*0.2^2, 0.2*n)\n"
     "part j = rack(b, 0.2*n, 0.2, e, (0, 0), n)\n"
     "output N = reaction(j.height), F = reaction(j.roll), a = dot(b.r'', (sqrt(3)/2, 1/2)), w = b.spin'\n",
     {{"N", 3 * 9.81 * 0.8660254037844386}, {"F", 3 * 9.81 / 6}, {"a", -9.81 / 3}, {"w", 9.81 / 3 / 0.2}}},
    {"a wheel driven by a moment: M = 3/2 m R a, pushed forward by the ground",
     "use planar\npart e = earth()\npart b = body(3, 1/2*3*0.2^2, (0, 0.2))\npart j = wheel(b, (0, 0.2), 0.2)\n"
     "part m = motor(e, b, -0.9)\noutput N = reaction(j.height), F = reaction(j.roll), a = b.r''.x\n",
     {{"N", 3 * 9.81}, {"F", 0.9 / 0.3}, {"a", 0.9 / (1.5 * 3 * 0.2)}}},
    {"two gears and a motor: M = (Ja + Jb/ratio^2) alpha",
     "use planar\npart e = earth()\npart a = body(1, 0.3)\npart b = body(1, 0.8, (1, 0))\npart i = pin(e, a, (0, 0))\n"
     "part j = pin(e, b, (1, 0))\npart k = gear(a, b, 2)\npart m = motor(e, a, 1.5)\n"
     "output al = a.spin', be = b.spin', T = reaction(k.teeth)\n",
     {{"al", 3}, {"be", -1.5}, {"T", 0.3 * 3 - 1.5}}},
    {"a drive that speeds up a flywheel",
     "use planar\npart e = earth()\npart a = body(1, 0.3)\npart i = pin(e, a, (0, 0))\npart k = drive(e, a, t^2)\n"
     "output M = reaction(k.drive), turn = a.turn - t^2\n",
     {{"M", 0.6}, {"turn", 0}}},
    {"a mass hangs on a bar, a bar carries the weight by tension",
     "use planar\npart p = particle(2, (0, -1))\npart j = distance(p.r, (0, 0), 1)\noutput S = reaction(j.rod)\n",
     {{"S", -2 * 9.81}}},
    {"a thruster holds the weight",
     "use planar\npart p = particle(2, (0, 1))\npart j = thruster(p.r, (0, 0), 2*9.81)\noutput y = p.r.y, a = "
     "p.r''.y\n",
     {{"y", 1}, {"a", 0}}},
    {"a turned spring swings as its stiffness says",
     "use planar\npart e = earth()\npart a = body(1, 0.25)\npart i = pin(e, a, (0, 0))\npart k = turnspring(a, e, 4)\n"
     "start a.phi = 0.1\noutput off = a.turn - 0.1*cos(4*t)\n",
     {{"off", 0}}},
    {"a planet on a moving arm around a sun that stands still: it turns 1 + 1/ratio times as fast as the arm",
     "use planar with gravity = (0, 0)\npart e = earth()\npart arm = body(1, 0.3)\npart sun = body(1, 0.2)\n"
     "part planet = body(0.5, 0.01, (1, 0))\npart i = pin(e, arm, (0, 0))\npart j = weld(e, sun, (0, 0))\n"
     "part k = pin(arm, planet, (1, 0))\npart g = gear(sun, planet, 0.5, arm.turn)\nstart exactly arm.spin = 1\n"
     "output w = planet.spin, v = arm.spin\n",
     {{"w", 3}, {"v", 1}}},
    {"a shelf on a ball joint and a rope: each carries half",
     "use spatial\npart e = earth()\n" SHELF
     "part j = spherical(e, shelf, (0, 0, 0))\npart k = distance(shelf.mark((1, 0, 0)), (1, 0, 2), 2)\n"
     "output F = reaction(j.pin), S = reaction(k.rod)\n",
     {{"F.x", 0}, {"F.y", 0}, {"F.z", -9.81}, {"S", -9.81}}},
    {"a shelf welded to the wall",
     "use spatial\npart e = earth()\n" SHELF "part j = weld(e, shelf, (0, 0, 0))\n"
     "output F = reaction(j.pin), M = reaction(j.turn.turn)\n",
     {{"F.x", 0}, {"F.z", -2 * 9.81}, {"M.x", 0}, {"M.y", 9.81}, {"M.z", 0}}},
    {"a shelf on a vertical hinge",
     "use spatial\npart e = earth()\n" SHELF "part j = revolute(e, shelf, (0, 0, 0), (0, 0, 3))\n"
     "output F = reaction(j.pin), M = reaction(j.axis).x*j.a1 + reaction(j.axis).y*j.a2\n",
     {{"F.x", 0}, {"F.z", -2 * 9.81}, {"M.x", 0}, {"M.y", 9.81}, {"M.z", 0}}},
    {"a lift in a vertical guide falls",
     "use spatial\npart e = earth()\n" SHELF "part j = prismatic(e, shelf, (0, 0, 0), ez)\n"
     "output F = reaction(j.line), M = reaction(j.turn.turn), a = j.travel''\n",
     {{"F.x", 0}, {"F.y", 0}, {"M.x", 0}, {"M.y", 0}, {"a", -9.81}}},
    {"a drawer in a horizontal guide",
     "use spatial\npart e = earth()\n" SHELF "part j = prismatic(e, shelf, (0, 0, 0), ex)\n"
     "output F = reaction(j.line).x*across(ex) + reaction(j.line).y*across2(ex), M = reaction(j.turn.turn), x = "
     "j.travel\n",
     {{"F.y", 0}, {"F.z", -2 * 9.81}, {"M.x", 0}, {"M.y", 9.81}, {"x", 0}}},
    {"a ring on a horizontal shaft",
     "use spatial\npart e = earth()\npart ring = body(2, (0.3, 0.1, 0.2))\npart j = cylindrical(e, ring, (0, 0, 0), "
     "ex)\n"
     "start exactly ring.w = (3, 0, 0)\nstart exactly ring.r'.x = 0.5\n"
     "output F = reaction(j.line).x*j.a1 + reaction(j.line).y*j.a2, x = j.travel - 0.5*t, w = j.rate\n",
     {{"F.z", -2 * 9.81}, {"F.y", 0}, {"x", 0}, {"w", 3}}},
    {"a puck on a table keeps its speed",
     "use spatial\npart e = earth()\npart puck = body(2, (0.1, 0.1, 0.2))\npart j = planar(e, puck, (0, 0, 0), ez)\n"
     "start exactly puck.r' = (1, 2, 0), puck.w = (0, 0, 5)\noutput F = reaction(j.height), x = puck.r - t*(1, 2, 0)\n",
     {{"F", -2 * 9.81}, {"x.x", 0}, {"x.y", 0}, {"x.z", 0}}},
    {"a nut runs down its bolt: a = g/(1 + J (2 pi/pitch)^2/m)",
     "use spatial\npart e = earth()\npart nut = body(2, (0.1, 0.1, 0.2))\n"
     "part j = screw(e, nut, (0, 0, 0), ez, 2*pi*0.5)\noutput a = j.travel'', S = reaction(j.thread)\n",
     {{"a", -9.81 / 1.4}, {"S", -2 * 9.81 * (1 - 1 / 1.4)}}},
    {"a Cardan joint between two shafts in line turns evenly",
     "use spatial with gravity = (0, 0, 0)\npart e = earth()\npart a = body(1, (0.2, 0.1, 0.1))\n"
     "part b = body(1, (0.3, 0.1, 0.1), (1, 0, 0))\npart i = revolute(e, a, (0, 0, 0), ex)\n"
     "part j = universal(a, b, (0.5, 0, 0), ey, ez)\npart k = motor(e, a, ex, 1)\n"
     "part l = spherical(e, b, (1, 0, 0))\nstart exactly i.rate = 0\n"
     "output al = a.spin'.x, be = b.spin'.x, M = reaction(j.square)\n",
     {{"al", 2}, {"be", 2}, {"M", -0.6}}},
    {"bevel gears: two hinges at right angles",
     "use spatial\npart e = earth()\npart a = body(1, (0.2, 0.2, 0.3))\npart b = body(1, (0.4, 0.2, 0.2), (1, 0, 1))\n"
     "part i = revolute(e, a, (0, 0, 0), ez)\npart j = revolute(e, b, (1, 0, 1), ex)\npart g = gear(i, j, 2)\n"
     "part m = motor(e, a, ez, 1)\noutput al = a.spin'.z, be = b.spin'.x, T = reaction(g.teeth)\n",
     {{"al", 1 / (0.3 + 0.4 / 4)}, {"be", -0.5 / (0.3 + 0.4 / 4)}, {"T", 0.3 / 0.4 - 1}}},
    {"a drive about a hinge",
     "use spatial\npart e = earth()\npart a = body(1, (0.2, 0.2, 0.3))\npart i = revolute(e, a, (0, 0, 0), ez)\n"
     "part k = drive(i, t^2)\noutput M = reaction(k.drive), turn = i.angle - t^2, w = i.rate - 2*t\n",
     {{"M", 0.6}, {"turn", 0}, {"w", 0}}},
    {"a ball rolls straight on",
     "use spatial\npart b = body(2, 0.4*2*0.1^2*(1, 1, 1), (0, 0, 0.1))\npart j = rollingball(b, 0.1)\n"
     "start exactly b.r' = (0.3, 0, 0)\noutput N = reaction(j.height), F = reaction(j.roll), w = b.spin, x = b.r.x - "
     "0.3*t\n",
     {{"N", 2 * 9.81}, {"F.x", 0}, {"F.y", 0}, {"w.y", 3}, {"x", 0}}},
    {"a ball pushed by a moment: M = (7/5) m R a, the ground pushes with m a",
     "use spatial\npart e = earth()\npart b = body(2, 0.4*2*0.1^2*(1, 1, 1), (0, 0, 0.1))\npart j = rollingball(b, "
     "0.1)\n"
     "part k = torque(e, b, (0, 0.28, 0))\noutput N = reaction(j.height), F = reaction(j.roll), a = b.r''.x\n",
     {{"N", 2 * 9.81}, {"F.x", 2}, {"F.y", 0}, {"a", 1}}},
    {"a disc rolls upright and straight",
     "use spatial\npart b = body(2, (0.005, 0.01, 0.005), (0, 0, 0.1))\npart j = rolling(b, 0.1, ey)\n"
     "start exactly b.r' = (0.3, 0, 0), b.w = (0, 3, 0)\n"
     "output N = reaction(j.height), F = reaction(j.roll), x = b.r.x - 0.3*t, z = j.foot\n",
     {{"N", 2 * 9.81}, {"F.x", 0}, {"F.y", 0}, {"x", 0}, {"z.z", 0}}},
    {"a slanted round rod: a moment about its own axis meets m r^2/2",
     "use spatial with gravity = (0, 0, 0)\npart e = earth()\npart b = rod(3, (0, 0, 0), (1, 2, -2), 0.4)\n"
     "part i = revolute(e, b, (0, 0, 0), (1, 2, -2))\npart m = motor(e, b, (1, 2, -2), 0.6)\n"
     "output a = i.rate', F = reaction(i.pin), tip = b.head\n",
     {{"a", 0.6 / (0.5 * 3 * 0.16)}, {"F.x", 0}, {"F.z", 0}, {"tip.x", 1}, {"tip.y", 2}}},
    {"a slanted round rod: a moment about its end, across it, meets m l^2/3 + m r^2/4",
     "use spatial with gravity = (0, 0, 0)\npart e = earth()\npart b = rod(3, (0, 0, 0), (1, 2, -2), 0.4)\n"
     "part i = revolute(e, b, (0, 0, 0), (0, 1, 1))\npart m = motor(e, b, (0, 1, 1), 0.6)\noutput a = i.rate'\n",
     {{"a", 0.6 / (3 * 9 / 3.0 + 3 * 0.16 / 4)}}},
};

static void test_book(void** state) {
  (void)state;
  double worst = 0;
  for (size_t i = 0; i < sizeof book / sizeof book[0]; i++) {
    Trajectory trajectory = follow(book[i].name, book[i].text, 0.5, 0.05, 1e-11, 0);
    for (int k = 0; k < 6 && book[i].wants[k].column; k++) {
      int32_t column = column_of(&trajectory, book[i].wants[k].column);
      for (int32_t r = 0; r < trajectory.rows; r++) {
        double got = row_of(&trajectory, r)[column], want = book[i].wants[k].value;
        worst = fmax(worst, fabs(got - want) / (1 + fabs(want)));
        if (fabs(got - want) <= 1e-9 * (1 + fabs(want))) continue;
        fail_msg("%s: %s = %.12g at t = %g, expected %.12g", book[i].name, book[i].wants[k].column, got,
                 row_of(&trajectory, r)[0], want);
      }
    }
    forget(&trajectory);
  }
  print_message("%d pages, off by %.1e at most\n", (int)(sizeof book / sizeof book[0]), worst);
}

/* ---- what is left ---- */

typedef struct Count {
  const char* text;
  int32_t n, m, rank;
} Count;

/* Bodies alone, and joints that need others. */
static const Count counts[] = {
    {"use planar\npart p = particle(1)\n", 2, 0, 0},
    {"use planar\npart b = body(1, 2)\n", 3, 0, 0},
    {"use planar\npart b = rod(1, (0, 0), (1, 1))\n", 3, 0, 0},
    {"use planar\npart p = particle(1, (1, 1))\npart b = rod(1, (0, 0), (1, 1))\npart j = pin(b, p, (1, 1))\n", 5, 2,
     2},
    {"use spatial\npart p = particle(1)\n", 3, 0, 0},
    {"use spatial\npart b = body(1, (1, 2, 2))\n", 7, 1, 1},
    {"use spatial\npart b = rod(1, (0, 0, 0), (1, 1, 2), 0.1)\n", 7, 1, 1},
    {"use spatial\npart e = earth()\npart a = body(1, (1, 1, 1))\npart b = body(1, (1, 1, 1), (1, 0, 1))\n"
     "part i = revolute(e, a, (0, 0, 0), ez)\npart j = revolute(e, b, (1, 0, 1), ex)\npart g = gear(i, j, 2)\n",
     14, 13, 13},
    /* a differential: two wheels and a carrier on one axle, a planet between them, one row to spare */
    {"use spatial\npart e = earth()\npart c = body(1, (1, 1, 1))\npart l = body(1, (1, 1, 1), (-1, 0, 0))\n"
     "part r = body(1, (1, 1, 1), (1, 0, 0))\npart p = body(1, (1, 1, 1), (0, 1, 0))\n"
     "part i = revolute(e, c, (0, 0, 0), ex)\npart j = revolute(c, l, (-1, 0, 0), ex)\npart k = revolute(c, r, (1, 0, "
     "0), ex)\n"
     "part h = revolute(c, p, (0, 1, 0), ey)\npart g = gear(j, h, 0.5)\npart f = gear(k, h, -0.5)\n",
     28, 26, 26},
};

static void test_counts(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    Trajectory trajectory = follow("bodies", counts[i].text, 0.1, NAN, NAN, 0);
    const ZwReport* report = zw_run_report(trajectory.run);
    if (report->n != counts[i].n || report->m != counts[i].m || report->rank != counts[i].rank) {
      fail_msg("n = %d, m = %d, rank %d:\n%s", (int)report->n, (int)report->m, (int)report->rank, counts[i].text);
    }
    assert_int_equal(report->dof, report->n - report->rank);
    forget(&trajectory);
  }
}

/* Directions, points and angular velocities of a tumbling body say the same in every way one can write them. */
static void test_geometry(void** state) {
  (void)state;
  static const char text[] =
      "use spatial\npart b = body(2, (1, 2, 3), (0.3, -0.2, 0.5), (0.1, 0.2, -0.1))\n"
      "start exactly b.w = (1, -2, 0.5)\nstart b.r' = (1, 2, 3)\n"
      "let n = (0.3, -1, 0.4), p = (0.7, 0.1, 0.2), P = b.mark(p)\n"
      "output o1 = b.back(b.dir(n)) - n, o2 = b.back(b.spin) - b.w, o3 = b.dir(n)' - cross(b.spin, b.dir(n))\n"
      "output o4 = spin(b.dir(ex), b.dir(ey), b.dir(ez)) - b.spin, o5 = b.mark(p)' - b.vel(P), o6 = b.at(p - b.c) - P\n"
      "output o7 = cross(across(n), across2(n)) - unit(n) + 0*t*n, o8 = (norm(b.dir(n)) - norm(n), dot(across(n), "
      "n)*t, 0)\n"
      "output o9 = turned(n, ez, t) - rotz(t, n), p1 = turned(n, ex, t) - rotx(t, n), p2 = turned(n, ey, t) - roty(t, "
      "n)\n";
  static const char flat[] =
      "use planar\nuse common\npart b = body(2, 1, (0.3, -0.2), 0.4)\nstart b.phi' = 2, b.r' = (1, 3)\n"
      "let p = (0.7, 0.1), P = b.mark(p)\n"
      "output o1 = b.mark(p)' - b.vel(P), o2 = b.dir(p)' - b.spin*left(b.dir(p)), o3 = b.at(turned(p - b.c, -b.angle)) "
      "- P\n"
      "output o4 = (step5(t, 0.2, 1, 0.3, 2) - (if t < 0.2 then 1 else if t > 0.3 then 2 else step5(t, 0.2, 1, 0.3, "
      "2)), 0)\n"
      "output o5 = polar(2, t) - 2*(cos(t), sin(t)), o6 = coulomb(b.r', 0)*norm(b.r') - b.r'\n"
      "output o7 = (clamp(5*t - 1, 0, 1) - min(1, max(0, 5*t - 1)), 60*rpm - 2*pi)\n";
  for (int k = 0; k < 2; k++) {
    Trajectory trajectory = follow("geometry", k ? flat : text, 0.5, 0.1, 1e-10, 0);
    int32_t first = column_of(&trajectory, "o1.x");
    double worst = 0;
    for (int32_t r = 0; r < trajectory.rows; r++) {
      worst = fmax(worst, largest(trajectory.width - first, row_of(&trajectory, r) + first));
    }
    print_message("geometry: off by %.1e\n", worst);
    assert_true(worst < 1e-13);
    forget(&trajectory);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces), cmocka_unit_test(test_rank_anywhere), cmocka_unit_test(test_book),
      cmocka_unit_test(test_counts), cmocka_unit_test(test_geometry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
