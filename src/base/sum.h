/* A 64-bit sum over bytes: it tells damage, not forgery. It is the same however the bytes are handed over, and any change within eight
 * bytes in a row at a multiple of eight is sure to change it. */
#ifndef ZW_BASE_SUM_H
#define ZW_BASE_SUM_H

#include <stddef.h>
#include <stdint.h>

typedef struct ZwSum {
  uint64_t state, pending; /* bytes that do not fill eight yet */
  uint64_t size;           /* of all bytes */
} ZwSum;

ZwSum zw_sum_begin(void);
void zw_sum_add(ZwSum* sum, const void* data, size_t size);
uint64_t zw_sum_get(const ZwSum* sum);

#endif
