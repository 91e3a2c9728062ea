/* Passing a status up. */
#ifndef ZW_BASE_STATUS_H
#define ZW_BASE_STATUS_H

#include "zwang/status.h"

#define ZW_TRY(call)                         \
  do {                                       \
    ZwStatus zw_try_status = (call);         \
    if (zw_try_status) return zw_try_status; \
  } while (0)

#endif
