/* For machines other than x86-64. */
#include <stddef.h>

#include "expr/elementary.h"

const ZwElementary* zw_elementary_avx2(void) {
  return NULL;
}
