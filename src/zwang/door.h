/* The door: public functions look at what they are given before they do anything with it. A call that is refused here changes nothing.
 * What cannot be seen is not looked at: memory that is too small, handles that were destroyed. */
#ifndef ZW_ZWANG_DOOR_H
#define ZW_ZWANG_DOOR_H

#include "zwang/least.h"
#include "zwang/zwang.h"

/* What zw_default_..._def() puts in front of a definition. */
#define ZW_DEF_COOKIE UINT32_C(0x7a776465)

#define ZW_CHECK(condition)                   \
  do {                                        \
    if (!(condition)) return ZW_ERR_ARGUMENT; \
  } while (0)

#define ZW_DEF_IS_WHOLE(def) ((def) && (def)->cookie == ZW_DEF_COOKIE && (def)->def_size == sizeof *(def))

/* The first fields of a definition, for designated initializers. */
#define ZW_DEF_HEAD(type) .cookie = ZW_DEF_COOKIE, .def_size = (uint32_t)sizeof(type)

static inline bool zw_index_is_inside(int32_t i, int32_t count) {
  return i >= 0 && i < count;
}

/* A count, and what there are so many of. */
static inline bool zw_list_is_whole(const void* items, int32_t count) {
  return count >= 0 && (items || count == 0);
}

/* Names, of which none may be missing. */
bool zw_names_are_whole(const char* const* names, int32_t count);

bool zw_compile_def_is_whole(const ZwCompileDef* def);
bool zw_run_def_is_whole(const ZwRunDef* def);
bool zw_export_def_is_whole(const ZwExportDef* def);
bool zw_linearize_def_is_whole(const ZwLinearizeDef* def);
bool zw_ensemble_def_is_whole(const ZwEnsembleDef* def);
bool zw_forces_def_is_whole(const ZwForcesDef* def);
bool zw_compare_def_is_whole(const ZwCompareDef* def);
bool zw_least_def_is_whole(const ZwLeastDef* def);

/* The allocator of a definition; malloc and free where it names none. */
ZwAllocator zw_allocator_of(const ZwAllocator* given);

#endif
