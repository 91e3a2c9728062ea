/* What the examples leave out: constraints on accelerations, forces on functions and on velocities, time in the energies,
 * dissipation that mixes coordinates, a Lagrangian of fourth order, switches. */
#ifndef ZW_TEST_EXTRAS_H
#define ZW_TEST_EXTRAS_H

#include "examples.h"

typedef struct ExtraModel {
  const char *name, *text;
} ExtraModel;

static const ExtraModel extra_models[] = {
    {"acceleration level",
     "param k = 2\ncoord x = 1, y = 0.5, z\nkinetic 1/2*(x'^2 + y'^2) + 2*z'^2 + x*y'*z'\n"
     "constraint feel: x''*cos(y) + k*y*z'' = x'*y' - exp(z)*t\n"
     "constraint once: (x*y)' = z'\nconstraint twice: (x*z + y^2)'' = t\n"},
    {"forces",
     "param k = 2, c = 0.3\ncoord x = 1, y = 0.5\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
     "force x*y + sin(y) = k*t*x' - y\nforce x' - y*y' + t = cos(x)*y'\nforce hypot(x, y) = -k*(hypot(x, y) - 1)\n"
     "dissipation 1/2*c*(x' - y')^2 + c/4*(x'*y)^4\n"},
    {"time in the energies",
     "param w = 1.7\ncoord x = 0.4, y\nkinetic 1/2*(2 + sin(w*t))*(x' + t*y')^2 + 1/2*y'^2*exp(-t)\n"
     "potential cos(t)*x*y*x' - t^2*y + 1/2*(x - sin(w*t))^2\n"},
    {"fourth order",
     "param a = 0.7, e = 1.5\ncoord x = 0.4, y = 0.1\nlagrangian x'^4/12 + 1/2*(1 + x^2)*y'^2*exp(a*x') + x'^2\n"
     "lagrangian (1 + y'^2)^e - log(1 + x^2*y^2) + atan2(x, 2 + y) + tanh(x'*y)\n"},
    {"switches",
     "param k = 2\ncoord x = 1, y = -1\nkinetic 1/2*(if x > y then 2 + x^2 else 1)*x'^2 + 1/2*y'^2\n"
     "potential 1/2*k*max(0, x - 0.3)^2 + abs(y)^3 + min(x, y + 10)*y\nforce y = -sign(y)*x'^2\n"},
};

/* Shows every example and every extra model to `check`. */
static inline void check_all_models(void (*check)(const char* name, const char* text)) {
  Examples examples;
  list_examples(&examples);
  for (int i = 0; i < examples.count; i++) {
    char* text = read_example(examples.names[i]);
    check(examples.names[i], text);
    free(text);
  }
  for (size_t i = 0; i < sizeof extra_models / sizeof *extra_models; i++) {
    check(extra_models[i].name, extra_models[i].text);
  }
}

#endif
