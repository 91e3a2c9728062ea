/* The examples of the language page, as they stand there: every one must parse. */
#include "model/stages.h"

typedef struct Example {
  const char *name, *text;
  int32_t statements; /* at file level */
} Example;

// clang-format off
static const Example examples[] = {
  {"appell",
    "# Appell's particle (1911): a constraint nonlinear in the velocities, stated twice on purpose.\n"
    "param m = 1, g = 9.81\n"
    "coord x, y, z\n"
    "kinetic   1/2*m*(x'^2 + y'^2 + z'^2)\n"
    "potential m*g*z\n"
    "constraint cone:  x'^2 + y'^2 = z'^2\n"
    "constraint again: 2*x'^2 + 2*y'^2 = 2*z'^2\n"
    "start x' = 1, z' = 1\n"
    "run 0 .. 2\n",
    8},
  {"slider-crank",
    "# Slider-crank from reusable parts: a joint is just two points that coincide.\n"
    "param g = 9.81\n"
    "component rod(m, l) {\n"
    "  coord x, y, phi\n"
    "  kinetic   1/2*m*(x'^2 + y'^2) + 1/2*(m*l^2/12)*phi'^2\n"
    "  potential m*g*y\n"
    "  let at(s) = (x + s*l*cos(phi), y + s*l*sin(phi))     # a point on the rod, s in -1/2 .. 1/2\n"
    "}\n"
    "part crank   = rod(1, 1)\n"
    "part coupler = rod(2, 3)\n"
    "constraint ground: crank.at(-1/2) = (0, 0)\n"
    "constraint pin:    crank.at(1/2) = coupler.at(-1/2)\n"
    "constraint slide:  coupler.at(1/2).y = 0\n"
    "start crank.phi = pi/4, coupler.phi = -0.2, crank.phi' = 2\n"
    "force crank.phi = 0.5*cos(t)                           # a torque\n"
    "output slider = coupler.at(1/2).x\n"
    "plot slider\n"
    "draw line (0, 0) -> crank.at(1/2) -> coupler.at(1/2)\n"
    "run 0 .. 10 every 0.01 tolerance 1e-9\n",
    13},
  {"chain",
    "# A hanging chain of any length; `zwang run chain.zw --set N=100000`.\n"
    "param N = 100, m = 1, l = 1, g = 9.81\n"
    "coord x[1..N], y[1..N]\n"
    "for i in 1..N {\n"
    "  kinetic   1/2*m*(x[i]'^2 + y[i]'^2)\n"
    "  potential m*g*y[i]\n"
    "  start     x[i] = i*l\n"
    "}\n"
    "constraint pin: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N {\n"
    "  constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "}\n"
    "run 0 .. 1\n",
    6},
  {"relativistic",
    "# Relativistic particle on a moving wire: the Lagrangian is not quadratic, the mass tensor depends on velocity.\n"
    "param m = 1, c = 3, w = 0.7\n"
    "coord x = 1, y\n"
    "lagrangian -m*c^2*sqrt(1 - (x'^2 + y'^2)/c^2)\n"
    "constraint wire: y*cos(w*t) = x*sin(w*t)\n"
    "run 0 .. 5\n",
    5},
  {"knife",
    "# Knife edge on an inclined plane: vectors, and quasi-velocities chosen by the user.\n"
    "param m = 1, J = 0.5, g = 9.81, alpha = 30*deg\n"
    "coord P = (0, 0), phi\n"
    "let e = (cos(phi), sin(phi))\n"
    "kinetic   1/2*m*P'^2 + 1/2*J*phi'^2\n"
    "potential -m*g*sin(alpha)*P.x\n"
    "constraint edge: cross(e, P') = 0\n"
    "quasi u = dot(e, P'), w = phi'\n"
    "start exactly w = 1\n"
    "output side = reaction(edge)\n"
    "run 0 .. 10\n",
    10},
  {"pendulum",
    "# n-link pendulum in absolute angles: a running sum is an indexed let.\n"
    "param N = 5, m = 1, l = 1, g = 9.81\n"
    "coord th[1..N] = 90*deg\n"
    "let P[0] = (0, 0)\n"
    "for i in 1..N {\n"
    "  let P[i] = P[i-1] + l*(sin(th[i]), -cos(th[i]))\n"
    "  kinetic   1/2*m*P[i]'^2\n"
    "  potential m*g*P[i].y\n"
    "  draw line P[i-1] -> P[i]\n"
    "}\n"
    "run 0 .. 5\n",
    5},
  {"windows",
    "# N windows of rods (IFToMM A02) with the planar library; passes a singular position about ten times.\n"
    "use planar\n"
    "param N = 2\n"
    "part ground = earth()\n"
    "for i in 0..N {\n"
    "  part crank[i] = rod(1, (i, 0), (i, 1))\n"
    "  part foot[i]  = pin(ground, crank[i], (i, 0))\n"
    "}\n"
    "for i in 1..N {\n"
    "  part bar[i]   = rod(1, (i-1, 1), (i, 1))\n"
    "  part left[i]  = pin(crank[i-1], bar[i], (i-1, 1))\n"
    "  part right[i] = pin(crank[i], bar[i], (i, 1))\n"
    "}\n"
    "start exactly crank[0].head' = (1, 0)\n"
    "run 0 .. 10\n",
    7},
  {"top",
    "# Heavy top from the spatial library; nobody types quaternion rates.\n"
    "use spatial\n"
    "part ground = earth()\n"
    "part top  = body(15, (0.234375, 0.46875, 0.234375), (0, 1, 0))\n"
    "part foot = spherical(ground, top, (0, 0, 0))\n"
    "start exactly top.w = (0, 150, -4.61538)\n"
    "output force = reaction(foot.pin), tip = top.r\n"
    "run 0 .. 0.2 tolerance 1e-10\n",
    7},
  {"ball",
    "# Bouncing ball that comes to rest: a one-sided constraint.\n"
    "param m = 1, g = 9.81\n"
    "coord y = 1\n"
    "kinetic 1/2*m*y'^2\n"
    "potential m*g*y\n"
    "contact floor: y >= 0, restitution 0.8\n"
    "run 0 .. 5\n",
    6},
};
// clang-format on

static void examples_parse_without_a_mistake(void** state) {
  (void)state;
  for (int i = 0; i < (int)(sizeof examples / sizeof *examples); i++) {
    Stages s;
    assert_int_equal(stages_parse(&s, examples[i].text), ZW_OK);
    if (s.diags.errors) print_message("in %s:\n", examples[i].name);
    assert_no_error(&s);
    assert_int_equal(s.tree->count, examples[i].statements);
    assert_false(zw_ast_has_wrong_declaration(s.tree));
    stages_close(&s);
  }
}

/* One line taken away or cut short must never bring the parser down, and what is left must still be read. */
static void examples_survive_cuts(void** state) {
  (void)state;
  for (int i = 0; i < (int)(sizeof examples / sizeof *examples); i++) {
    ptrdiff_t size = (ptrdiff_t)strlen(examples[i].text);
    for (ptrdiff_t cut = 0; cut < size; cut++) {
      char* text = malloc((size_t)size); /* one byte is missing, and a sanitizer watches the end */
      memcpy(text, examples[i].text, (size_t)cut);
      memcpy(text + cut, examples[i].text + cut + 1, (size_t)(size - cut - 1));
      Stages s;
      stages_open(&s, text, size - 1);
      assert_int_equal(zw_parse_file(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
      stages_close(&s);
      stages_open(&s, text, cut);
      assert_int_equal(zw_parse_file(&s.arena, &s.diags, s.file, &s.tree), ZW_OK);
      stages_close(&s);
      free(text);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_parse_without_a_mistake),
      cmocka_unit_test(examples_survive_cuts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
