/* In the place of cvode.c, in a build without SUNDIALS. */
#include "motion/integrator.h"

const char* zw_cvode_version(void) {
  return NULL;
}

static const char* object(const ZwEquations* equations, const char** remedy) {
  (void)equations;
  *remedy = "build zwang where SUNDIALS 6 is installed (libsundials-dev on Debian), or use auto, explicit or radau";
  return "this build has no SUNDIALS";
}

const ZwIntegrator zw_bdf = {.name = "bdf", .objection = object};
const ZwIntegrator zw_adams = {.name = "adams", .objection = object};
