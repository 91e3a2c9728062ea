/* What we promise each other. Stays on in every build that is not a plain release; user input is never asserted. */
#ifndef ZW_BASE_ASSERT_H
#define ZW_BASE_ASSERT_H

#ifdef ZW_NO_ASSERT
#define ZW_ASSERT(condition) ((void)sizeof(condition))
#else
#include <assert.h>
#define ZW_ASSERT(condition) assert(condition)
#endif

#endif
