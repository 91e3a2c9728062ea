/* For machines without AVX2. */
#include <stddef.h>

#include "motion/stages.h"

const ZwStages* zw_stages_wide(void) {
  return NULL;
}
