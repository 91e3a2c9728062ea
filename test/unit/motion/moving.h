/* A text as a simulation at its consistent start. */
#ifndef ZW_TEST_MOVING_H
#define ZW_TEST_MOVING_H

#include "model/stages.h"
#include "motion/sim.h"

typedef struct Moving {
  Stages s;
  ZwSim* sim;
} Moving;

static inline ZwStatus moving_open(Moving* m, const char* text, double t0, double tolerance) {
  m->sim = NULL;
  ZW_TRY(stages_compile(&m->s, text));
  ZW_TRY(zw_sim_create(&m->s.program, &m->s.allocator, &m->s.diags, false, 0, &m->sim));
  ZW_TRY(zw_sim_set_params(m->sim, NULL));
  zw_sim_set_up(m->sim, t0, tolerance);
  return zw_start(m->sim, m->sim->t);
}

static inline void moving_close(Moving* m) {
  zw_sim_destroy(m->sim);
  stages_close(&m->s);
}

static inline void assert_starts(Moving* m, const char* text, double t0, double tolerance) {
  ZwStatus status = moving_open(m, text, t0, tolerance);
  assert_no_error(&m->s);
  assert_int_equal(status, ZW_OK);
}

#define PENDULUM                   \
  "param m = 1, l = 1, g = 9.81\n" \
  "coord x = 1, y = 0\n"           \
  "kinetic 1/2*m*(x'^2 + y'^2)\n"  \
  "potential m*g*y\n"              \
  "constraint rod: x^2 + y^2 = l^2\n"

/* Turns with the angle t: x = cos t, y = sin t. */
#define TURNING "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\nconstraint ring: x^2 + y^2 = 1\nstart y' = 1\n"

#endif
