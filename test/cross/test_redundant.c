/* Loops with rows that follow from others beside the same loops with these rows left out by hand: the same motion, and no
 * more steps. Sizes, masses and starts are drawn at random. All draws with ZW_LONG set, a fixed sample otherwise. */
#include "../reference/trajectory.h"
#include "drawn.h"

enum { WAYS = 6 };

/* A loop, and ways to close it. */
typedef struct Loop {
  Text text;
  int ways;
  const char* closing[WAYS];
  int extra[WAYS]; /* rows that follow from others; the ways without any stand first */
} Loop;

static void add_way(Loop* loop, int extra, const char* closing) {
  assert_true(loop->ways < WAYS && (loop->ways == 0 || extra >= loop->extra[loop->ways - 1]));
  loop->closing[loop->ways] = closing;
  loop->extra[loop->ways++] = extra;
}

/* ---- the loops ---- */

/* Four bars in a plane, built of hinges in space: closed in the plane, by a ball joint, by a fourth hinge. */
static void draw_four_bar_in_space(Random* random, Loop* loop) {
  write_text(&loop->text,
             "use spatial\nparam P2 = (%.17g, %.17g, 0), P3 = (%.17g, %.17g, 0), P4 = (%.17g, %.17g, 0)\n"
             "part ground = earth()\npart b1 = rod(%.17g, (0, 0, 0), P2, 0.05)\npart b2 = rod(%.17g, P2, P3, 0.05)\n"
             "part b3 = rod(%.17g, P3, P4, 0.05)\npart first = revolute(ground, b1, (0, 0, 0), ez)\n"
             "part second = revolute(b1, b2, P2, ez)\npart third = revolute(b2, b3, P3, ez)\n"
             "force b1.head = (1, -2, 0)\nstart exactly first.rate = %.17g\noutput where = first.angle\n",
             between(random, -0.3, 0.3), between(random, 0.7, 1), between(random, 1.8, 2.2), between(random, 1.4, 1.8),
             between(random, 2.3, 2.6), between(random, -0.2, 0.2), between(random, 0.5, 2), between(random, 0.5, 2),
             between(random, 0.5, 2), between(random, -2, 2));
  add_way(loop, 0, "constraint x: b3.head.x = P4.x\nconstraint y: b3.head.y = P4.y\n");
  add_way(loop, 1, "constraint close: b3.head = P4\n");
  add_way(loop, 3, "part fourth = revolute(b3, ground, P4, ez)\n");
}

/* Bennett's linkage: its fourth hinge needs two rows of five. */
static void draw_bennett(Random* random, Loop* loop) {
  write_text(&loop->text,
             "use spatial with gravity = (0, 0, %.17g)\n"
             "param a = 1, alpha = %.17g*deg, beta = %.17g*deg, theta = %.17g*deg\nparam b = a*sin(beta)/sin(alpha)\n"
             "param phi = 2*atan(sin((beta + alpha)/2)/(sin((beta - alpha)/2)*tan(theta/2)))\n"
             "param long = [a, b, a, b], twist = [alpha, beta, alpha, beta], turn = [phi, -theta, -phi, theta]\n"
             "let n[1] = ez, x[1] = ex, P[1] = (0, 0, 0)\nfor i in 1..4 {\n  let P[i+1] = P[i] + long[i]*x[i]\n"
             "  let n[i+1] = turned(n[i], x[i], twist[i])\n  let x[i+1] = turned(x[i], n[i+1], turn[i])\n}\n"
             "part ground = earth()\nfor i in 1..3 { part bar[i] = rod(%.17g*i, P[i], P[i+1], 0.1) }\n"
             "part first = revolute(ground, bar[1], P[1], n[1])\npart second = revolute(bar[1], bar[2], P[2], n[2])\n"
             "part third = revolute(bar[2], bar[3], P[3], n[3])\nstart exactly first.rate = 1\n"
             "output where = first.angle\n",
             between(random, -3, 0), between(random, 45, 55), between(random, 22, 28), between(random, 60, 80),
             between(random, 0.5, 2));
  add_way(loop, 0, "constraint x: bar[3].head.x = P[4].x\nconstraint y: bar[3].head.y = P[4].y\n");
  add_way(loop, 0, "constraint x: bar[3].head.x = P[4].x\nconstraint z: bar[3].head.z = P[4].z\n");
  add_way(loop, 0, "constraint y: bar[3].head.y = P[4].y\nconstraint z: bar[3].head.z = P[4].z\n");
  add_way(loop, 1, "constraint close: bar[3].head = P[4]\n");
  add_way(loop, 3, "part fourth = revolute(bar[3], ground, P[4], n[4])\n");
}

/* A parallelogram with a third crank, which swings where its height alone would hold it. */
static void draw_parallelogram(Random* random, Loop* loop) {
  double angle = between(random, 0.3, 0.7);
  write_text(&loop->text,
             "use planar\nparam w = %.17g, v = %.17g\nlet d = (cos(%.17g), -sin(%.17g))\npart ground = earth()\n"
             "part c1 = rod(%.17g, (0, 0), d)\npart c2 = rod(%.17g, (w, 0), (w, 0) + d)\n"
             "part c3 = rod(%.17g, (v, 0), (v, 0) + d)\npart bar = rod(%.17g, d, (w, 0) + d)\n"
             "part f1 = pin(ground, c1, (0, 0))\npart f2 = pin(ground, c2, (w, 0))\npart f3 = pin(ground, c3, (v, 0))\n"
             "part t1 = pin(c1, bar, d)\npart t2 = pin(c2, bar, (w, 0) + d)\npart spring = turnspring(ground, c1, 60)\n"
             "output where = c1.phi\n",
             between(random, 1.5, 2.5), between(random, 0.5, 1.2), angle, angle, between(random, 0.5, 2),
             between(random, 0.5, 2), between(random, 0.5, 2), between(random, 0.5, 2));
  add_way(loop, 0, "constraint y: c3.mark((v, 0) + d).y = bar.mark((v, 0) + d).y\n");
  add_way(loop, 1, "part t3 = pin(c3, bar, (v, 0) + d)\n");
}

/* ---- beside each other ---- */

typedef struct Outcome {
  ZwReport report;
  double where;
} Outcome;

static Outcome run_loop(const char* name, const Loop* loop, int way, double tolerance) {
  Text text = loop->text;
  write_text(&text, "%srun 0 .. 2 every 2\n", loop->closing[way]);
  Trajectory trajectory = follow(name, text.data, NAN, NAN, tolerance, 0);
  Outcome outcome = {*zw_run_report(trajectory.run), last_row(&trajectory)[column_of(&trajectory, "where")]};
  forget(&trajectory);
  return outcome;
}

/* By so many steps independent forms of one loop differ; not all of them are drawn. */
enum { FORMS_APART = 1 };

/* Steps in all, of the ways without and with rows that follow from others, each on average. */
typedef struct Effort {
  int runs;
  double once, more;
} Effort;

static void compare_ways(const char* name, int draw, const Loop* loop, double tolerance, Effort* effort) {
  Outcome outcomes[WAYS];
  int64_t most = 0;
  int once = 0;
  for (int way = 0; way < loop->ways; way++) {
    outcomes[way] = run_loop(name, loop, way, tolerance);
    const ZwReport* report = &outcomes[way].report;
    assert_int_equal(report->rank, outcomes[0].report.m);
    assert_int_equal(report->m - report->rank, loop->extra[way]);
    assert_near(outcomes[way].where, outcomes[0].where, 200 * tolerance);
    if (loop->extra[way] == 0) most = report->steps > most ? report->steps : most;
    once += loop->extra[way] == 0;
  }
  for (int way = 0; way < loop->ways; way++) {
    int64_t steps = outcomes[way].report.steps;
    if (steps > most + FORMS_APART) {
      fail_msg("%s, draw %d at %.0e: %d rows too many cost %d steps, none %d", name, draw, tolerance, loop->extra[way],
               (int)steps, (int)most);
    }
    *(loop->extra[way] == 0 ? &effort->once : &effort->more) +=
        (double)steps / (loop->extra[way] == 0 ? once : loop->ways - once);
  }
  effort->runs += loop->ways;
}

/* A loop has several independent forms, which differ by a step or so themselves, as rows outside of the constraints they are
 * on give other accelerations: no run takes more steps than the longest of them may, and all together no more than they do on
 * average. */
static void redundant_loops_cost_no_steps(void** state) {
  (void)state;
  static const struct {
    const char* name;
    void (*draw)(Random* random, Loop* loop);
  } kinds[] = {{"four-bar in space", draw_four_bar_in_space},
               {"Bennett's linkage", draw_bennett},
               {"parallelogram", draw_parallelogram}};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    Random random = random_from(400 + k);
    Effort effort = {0};
    for (int i = 0; i < sample(2, 4, 40); i++) { /* steps are compared: one would be chance */
      Loop loop = {0};
      kinds[k].draw(&random, &loop);
      for (int d = 5; d <= 11; d++) compare_ways(kinds[k].name, i, &loop, pow(10, -d), &effort);
    }
    print_message("%s: %d runs, %.0f steps with redundant rows, %.0f without\n", kinds[k].name, effort.runs,
                  effort.more, effort.once);
    assert_true(effort.more <= effort.once);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(redundant_loops_cost_no_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
