/* What the papers print beside an answer, part by part as asked for: the room for it, and one call that fills it. */
#ifndef ZW_ZWANG_DETAILS_H
#define ZW_ZWANG_DETAILS_H

#include "base/arena.h"
#include "least/partition.h"
#include "least/possible.h"
#include "least/recursion.h"
#include "zwang/types.h"

typedef struct ZwDetails {
  int32_t n, m;   /* most rows */
  ZwPaper* paper; /* room for n + m rows: accelerations may be stated beside the rows */
  ZwDetail detail;
  ZwPartition partition;
  ZwRecursion bellman, chain;
  ZwPossible possible;
  int32_t* chosen; /* n: what the partition eliminates where nothing is asked for */
  ZwLeastDetail shown;
  const char* reason; /* why the last call failed; "" */
  char counts[120];   /* the reason where another number of columns is asked for than there can be */
  int32_t dependent;  /* the column put first that depends on those before it; -1 */
  bool is_zero;       /* that column is zero, there is nothing to depend on */
  int32_t follows;    /* the eliminated coordinate that a displacement was stated of; -1 */
} ZwDetails;

/* Checks: counts below 0 or without lists, coordinates outside 0 .. n - 1 or named twice, a part without what it needs. */
bool zw_detail_def_is_whole(const ZwDetailDef* def, int32_t n);

/* Room for these parts. ZW_ERR_MEMORY; ZW_ERR_LIMIT: the recursion alone would take more than 4 GB. */
ZwStatus zw_details_make(ZwDetails* details, ZwArena* arena, int32_t n, int32_t m, int32_t parts);

/* Fills details->shown. Statuses are those of zw_formulation_solve. A recursion that does not exist is left out. */
ZwStatus zw_details_fill(ZwDetails* details, const ZwPaperProblem* problem, const ZwDetailDef* def);

#endif
