#include "output/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/print.h"

/* The end of a path is what tells files apart; a long one is shortened at its front so that the reason stays visible.
 */
static const char* path_end(const char* path, const char** dots) {
  enum { LONGEST = 320 };
  size_t size = strlen(path);
  *dots = size > LONGEST ? "..." : "";
  if (size <= LONGEST) return path;
  path += size - LONGEST;
  while (((unsigned char)*path & 0xC0) == 0x80) path++; /* not in the middle of a character */
  return path;
}

static ZwStatus fail(char* error, const char* what, const char* path, int code) {
  char reason[128];
  if (strerror_r(code, reason, sizeof reason) != 0) zw_snprintf(reason, sizeof reason, "error %d", code);
  const char* dots;
  const char* end = path_end(path, &dots);
  zw_snprintf(error, ZW_DRAFT_ERROR, "cannot %s \"%s%s\": %s", what, dots, end, reason);
  return ZW_ERR_IO;
}

static void release(ZwDraft* draft) {
  zw_release(&draft->allocator, draft->path);
  *draft = (ZwDraft){0};
}

/* One block holds "path" and "path.part". */
static bool keep_paths(ZwDraft* draft, const char* path) {
  static const char suffix[] = ".part";
  size_t size = strlen(path);
  draft->path = zw_alloc(&draft->allocator, 2 * (size + 1) + sizeof suffix);
  if (!draft->path) return false;
  draft->part = draft->path + size + 1;
  memcpy(draft->path, path, size);
  memcpy(draft->part, path, size);
  memcpy(draft->part + size, suffix, sizeof suffix);
  return true;
}

/* Looks at what is in the file's place now. Answers 0, or why nothing may be written there. */
static int look(const char* path, bool* is_direct) {
  *is_direct = strcmp(path, "/dev/stdout") == 0;
  if (*is_direct) return 0;
  struct stat found;
  if (stat(path, &found) != 0) return errno == ENOENT ? 0 : errno;
  if (S_ISDIR(found.st_mode)) return EISDIR;
  *is_direct = !S_ISREG(found.st_mode);
  /* a rename would replace a write-protected file without asking */
  return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static int open_file(const ZwDraft* draft) {
  /* a copy shares its position with what else is printed there, a second opening would write over it */
  if (strcmp(draft->path, "/dev/stdout") == 0) return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  if (!draft->is_direct) flags |= O_CREAT;
  int fd;
  do fd = open(draft->part, flags, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/* A .part belongs to one process at a time. Where files cannot be locked nobody is kept out. */
static bool is_taken(const ZwDraft* draft) {
  return !draft->is_direct && flock(draft->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool zw_draft_is_busy(const char* part) {
  int fd = open(part, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  bool is_busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (fd >= 0) close(fd);
  return is_busy;
}

static ZwStatus give_up(ZwDraft* draft, char* error, int code) {
  if (code == EWOULDBLOCK) {
    const char* dots;
    const char* end = path_end(draft->part, &dots);
    zw_snprintf(error, ZW_DRAFT_ERROR, "cannot write \"%s%s\": another process is writing it", dots, end);
  } else {
    fail(error, "write", draft->part, code);
  }
  if (draft->fd >= 0) close(draft->fd);
  release(draft);
  return ZW_ERR_IO;
}

/* Looks at the place and keeps the paths. */
static ZwStatus prepare(ZwDraft* draft, const ZwAllocator* allocator, const char* path, char* error) {
  *draft = (ZwDraft){.allocator = *allocator};
  error[0] = 0;
  int code = look(path, &draft->is_direct);
  if (code) return fail(error, "write", path, code);
  if (!keep_paths(draft, path)) {
    zw_snprintf(error, ZW_DRAFT_ERROR, "out of memory");
    return ZW_ERR_MEMORY;
  }
  if (draft->is_direct) draft->part = draft->path;
  return ZW_OK;
}

ZwStatus zw_draft_open(ZwDraft* draft, const ZwAllocator* allocator, const char* path, char* error) {
  ZW_TRY(prepare(draft, allocator, path, error));
  draft->fd = open_file(draft);
  if (draft->fd < 0) return give_up(draft, error, errno);
  if (is_taken(draft)) return give_up(draft, error, EWOULDBLOCK);
  if (!draft->is_direct && ftruncate(draft->fd, 0) != 0) return give_up(draft, error, errno);
  draft->is_open = true;
  return ZW_OK;
}

ZwStatus zw_draft_reopen(ZwDraft* draft, const ZwAllocator* allocator, const char* path, char* error) {
  struct stat info;
  ZW_TRY(prepare(draft, allocator, path, error));
  int code = draft->is_direct ? ESPIPE : 0;
  if (!code) {
    do draft->fd = open(draft->part, O_RDWR | O_CLOEXEC | O_NOCTTY);
    while (draft->fd < 0 && errno == EINTR);
    if (draft->fd < 0) code = errno;
  }
  if (!code && (fstat(draft->fd, &info) != 0 || !S_ISREG(info.st_mode))) {
    code = EINVAL;
    close(draft->fd);
  }
  if (code) {
    fail(error, "go on with", draft->part, code);
    release(draft);
    return ZW_ERR_IO;
  }
  if (is_taken(draft)) return give_up(draft, error, EWOULDBLOCK);
  draft->left = (int64_t)info.st_size;
  draft->is_open = true;
  return ZW_OK;
}

bool zw_draft_skip(ZwDraft* draft, int64_t to) {
  char before;
  if (to <= 0 || to < draft->size || to - draft->size > draft->left) return false;
  if (pread(draft->fd, &before, 1, (off_t)(to - 1)) != 1 || before != '\n') return false;
  draft->left -= to - draft->size;
  draft->size = to;
  return lseek(draft->fd, (off_t)to, SEEK_SET) >= 0;
}

/* How many of the bytes are in the file already. */
static size_t count_same(const ZwDraft* draft, const char* data, size_t size) {
  char there[4096];
  size_t count = 0;
  while (count < size) {
    size_t wanted = size - count < sizeof there ? size - count : sizeof there;
    ssize_t got = pread(draft->fd, there, wanted, (off_t)draft->size + (off_t)count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size_t same = 0;
    while (same < (size_t)got && there[same] == data[count + same]) same++;
    count += same;
    if (same < (size_t)got) break;
  }
  return count;
}

bool zw_draft_starts(const ZwDraft* draft, const char* data, size_t size) {
  return count_same(draft, data, size) == size;
}

/* Passes over what an earlier draft has left and is the same; at the first difference the rest is cut off. */
static ZwStatus pass_same(ZwDraft* draft, const char** data, size_t* size, char* error) {
  size_t most = (int64_t)*size < draft->left ? *size : (size_t)draft->left;
  size_t same = count_same(draft, *data, most);
  draft->size += (int64_t)same;
  draft->left -= (int64_t)same;
  *data += same;
  *size -= same;
  if (lseek(draft->fd, (off_t)draft->size, SEEK_SET) < 0) return fail(error, "write", draft->part, errno);
  return same < most ? zw_draft_cut(draft, draft->size, error) : ZW_OK;
}

ZwStatus zw_draft_write(ZwDraft* draft, const char* data, size_t size, char* error) {
  ZW_ASSERT(draft->is_open);
  if (draft->left > 0) ZW_TRY(pass_same(draft, &data, &size, error));
  while (size > 0) {
    ssize_t written = write(draft->fd, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(error, "write", draft->part, written < 0 ? errno : EIO);
    draft->size += written;
    data += written;
    size -= (size_t)written;
  }
  return ZW_OK;
}

ZwStatus zw_draft_cut(ZwDraft* draft, int64_t size, char* error) {
  ZW_ASSERT(draft->is_open && size >= 0 && size <= draft->size);
  if (draft->is_direct || (size == draft->size && draft->left == 0)) return ZW_OK;
  int result;
  do result = ftruncate(draft->fd, (off_t)size);
  while (result != 0 && errno == EINTR);
  if (result != 0 || lseek(draft->fd, (off_t)size, SEEK_SET) < 0) return fail(error, "shorten", draft->part, errno);
  draft->size = size;
  draft->left = 0;
  return ZW_OK;
}

ZwStatus zw_draft_sync(ZwDraft* draft, char* error) {
  ZW_ASSERT(draft->is_open);
  if (draft->is_direct) return ZW_OK;
  int result;
  do result = fsync(draft->fd);
  while (result != 0 && errno == EINTR);
  /* some file systems cannot sync: that is no reason to lose the result */
  if (result != 0 && errno != EINVAL && errno != ENOTSUP) return fail(error, "write", draft->part, errno);
  return ZW_OK;
}

/* Late write errors (quota, network) show up here. An interrupted close has closed. */
static ZwStatus close_file(ZwDraft* draft, char* error) {
  draft->is_open = false;
  if (close(draft->fd) != 0 && errno != EINTR) return fail(error, "write", draft->part, errno);
  return ZW_OK;
}

ZwStatus zw_draft_finish(ZwDraft* draft, char* error) {
  if (!draft->is_open) return ZW_OK;
  ZwStatus status = zw_draft_cut(draft, draft->size, error);
  ZwStatus closed = close_file(draft, error);
  if (!status) status = closed;
  if (!status && !draft->is_direct && rename(draft->part, draft->path) != 0) {
    status = fail(error, "write", draft->path, errno);
  }
  release(draft);
  return status;
}

ZwStatus zw_draft_abandon(ZwDraft* draft, char* error) {
  if (!draft->is_open) return ZW_OK;
  ZwStatus status = close_file(draft, error);
  release(draft);
  return status;
}

void zw_draft_discard(ZwDraft* draft) {
  if (!draft->is_open) return;
  char error[ZW_DRAFT_ERROR];
  close_file(draft, error);
  if (!draft->is_direct) unlink(draft->part);
  release(draft);
}

ZwStatus zw_draft_whole(const ZwAllocator* allocator, const char* path, const char* data, size_t size, char* error) {
  ZwDraft draft;
  ZW_TRY(zw_draft_open(&draft, allocator, path, error));
  ZwStatus status = zw_draft_write(&draft, data, size, error);
  if (!status) return zw_draft_finish(&draft, error);
  zw_draft_discard(&draft);
  return status;
}
