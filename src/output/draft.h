/* A file that grows next to its final place and moves there when it is complete.
 *
 * What is meant for P grows in `P.part`; only a finished draft becomes P, in one rename, so P is always either the old
 * file or the whole new one. When P is a device there is nothing to rename: the bytes go straight to it. Devices are
 * character devices and the pipes that a shell puts below /dev (`/dev/fd/63`). `/dev/stdout` is the standard output wherever that
 * leads. Anything else that is no regular file, a named pipe above all, is refused: to open it could take forever.
 *
 * Failures are told in one sentence that names the file and the reason, in a text of ZW_DRAFT_ERROR bytes that the
 * caller brings.
 */
#ifndef ZW_OUTPUT_DRAFT_H
#define ZW_OUTPUT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/sum.h"

enum { ZW_DRAFT_ERROR = 512 };

/* A zeroed draft is a closed one. */
typedef struct ZwDraft {
  ZwAllocator allocator;
  char* path;   /* where the finished file belongs */
  char* part;   /* where it grows; the same text as `path` when is_direct */
  int64_t size; /* bytes in the file so far */
  int64_t left; /* bytes behind them that an earlier draft has left there */
  ZwSum sum;    /* over the bytes so far, as long as nothing was cut off */
  int fd;       /* valid while is_open */
  bool is_open;
  bool is_direct; /* written without a .part, and therefore never cut, synced or renamed */
} ZwDraft;

/* Whether what is there by this name, of this mode, is written to without a .part. */
bool zw_draft_is_device(const char* path, mode_t mode);
/* Tries whether a .part can be written: it is made if need be, and is no link, no fifo, and locked by no other process. For files that others write. */
ZwStatus zw_draft_try(const char* part, char* error);
/* ZW_ERR_IO when the folder is missing, the file may not be written or is a directory or a named pipe, the .part is a symbolic link or no regular
 * file, or another process writes it; nothing is left behind or changed then. The .part is locked before anything is looked at
 * or changed, until it has become the file. */
ZwStatus zw_draft_open(ZwDraft* draft, const ZwAllocator* allocator, const char* path, char* error);
/* The same; `stale`, which belongs to a .part that was there, is removed with it. NULL: there is none. */
ZwStatus zw_draft_replace(ZwDraft* draft, const ZwAllocator* allocator, const char* path, const char* stale,
                          char* error);
/* Goes on with the .part that an earlier draft left behind; there must be one. At first it is at its begin: everything is
 * still `left`. What is written then is compared with what is there: as long as it is the same nothing is touched, and at the
 * first difference the rest is cut off. So a draft that goes on never has less than the one before, whenever it ends. */
ZwStatus zw_draft_reopen(ZwDraft* draft, const ZwAllocator* allocator, const char* path, char* error);
/* Whether the next bytes there are these. */
bool zw_draft_starts(const ZwDraft* draft, const char* data, size_t size);
/* Moves on to byte number `to`. False when there are not so many, or the one before it is no newline. */
bool zw_draft_skip(ZwDraft* draft, int64_t to);
/* Writes all bytes. On failure `size` tells how far the file has grown; the caller decides what of it to keep. */
ZwStatus zw_draft_write(ZwDraft* draft, const char* data, size_t size, char* error);
/* Cuts the file back to `size` bytes. A direct file stays as it is. */
ZwStatus zw_draft_cut(ZwDraft* draft, int64_t size, char* error);
/* Waits until the bytes are on the disk. */
ZwStatus zw_draft_sync(ZwDraft* draft, char* error);

/* Three ends; each closes the file and frees the memory, also when it fails. Ending a closed draft does nothing. */
ZwStatus zw_draft_finish(ZwDraft* draft, char* error);  /* the .part becomes the file */
ZwStatus zw_draft_abandon(ZwDraft* draft, char* error); /* the .part stays */
void zw_draft_discard(ZwDraft* draft);                  /* the .part is removed */

/* A whole file at once; nothing is left of one that could not be written. */
ZwStatus zw_draft_whole(const ZwAllocator* allocator, const char* path, const char* data, size_t size, char* error);

#endif
