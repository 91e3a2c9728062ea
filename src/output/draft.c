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

/* Reasons of our own beside those of the system. */
enum { TAKEN = -1, LINK = -2, IRREGULAR = -3 };

static ZwStatus fail(char* error, const char* what, const char* path, int code) {
  char reason[128];
  const char* dots;
  if (code == TAKEN)
    zw_snprintf(reason, sizeof reason, "another process is writing it");
  else if (code == LINK)
    zw_snprintf(reason, sizeof reason, "it is a symbolic link");
  else if (code == IRREGULAR)
    zw_snprintf(reason, sizeof reason, "it is no regular file");
  else if (strerror_r(code, reason, sizeof reason) != 0)
    zw_snprintf(reason, sizeof reason, "error %d", code);
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

bool zw_draft_is_device(const char* path, mode_t mode) {
  return S_ISCHR(mode) || (S_ISFIFO(mode) && strncmp(path, "/dev/", 5) == 0);
}

/* Looks at what is in the file's place now. Answers 0, or why nothing may be written there. */
static int look(const char* path, bool* is_direct) {
  *is_direct = strcmp(path, "/dev/stdout") == 0;
  if (*is_direct) return 0;
  struct stat found;
  if (stat(path, &found) != 0) return errno == ENOENT ? 0 : errno;
  if (S_ISDIR(found.st_mode)) return EISDIR;
  *is_direct = zw_draft_is_device(path, found.st_mode);
  if (!*is_direct && !S_ISREG(found.st_mode)) return IRREGULAR;
  /* a rename would replace a write-protected file without asking */
  return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static int open_path(const char* path, int flags, int* code) {
  int fd;
  do fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
  while (fd < 0 && errno == EINTR);
  *code = fd < 0 ? errno : 0;
  return fd;
}

/* Opens a device without waiting for whoever is at its other end; its writes do wait. */
static int open_device(const char* path, int* code) {
  int fd = open_path(path, O_WRONLY | O_NONBLOCK, code);
  if (fd < 0) return -1;
  int flags = fcntl(fd, F_GETFL);
  if (flags >= 0) (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
  return fd;
}

/* Straight to what is there: a device, a pipe, the standard output. */
static int open_direct(const ZwDraft* draft, int* code) {
  *code = 0;
  if (strcmp(draft->path, "/dev/stdout") != 0) return open_device(draft->path, code);
  /* a copy shares its position with what else is printed there, a second opening would write over it */
  int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (fd < 0) *code = errno;
  return fd;
}

/* A .part belongs to one process at a time: 0 when it is ours now. Where files cannot be locked every process may write. */
static int take(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return IRREGULAR;
  return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? TAKEN : 0;
}

/* Whether the file that was opened under this name still has it. Before it was ours its owner may have finished it: then it is a
 * whole result under another name. */
static bool is_still_there(int fd, const char* path) {
  struct stat here, there;
  return fstat(fd, &here) == 0 && lstat(path, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

/* Opens the .part and locks it, before anything in it is looked at. No link is followed: it could lead to a file that is not ours.
 * A fifo without a reader does not keep us waiting. */
static int open_part(const char* part, int flags, int* code) {
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES; i++) {
    int fd = open_path(part, flags | O_NOFOLLOW | O_NONBLOCK, code);
    if (fd < 0) {
      if (*code == ELOOP) *code = LINK;
      if (*code == ENXIO) *code = IRREGULAR;
      return -1;
    }
    *code = take(fd);
    if (!*code && is_still_there(fd, part)) return fd;
    close(fd);
    if (*code) return -1;
  }
  *code = TAKEN;
  return -1;
}

ZwStatus zw_draft_try(const char* part, char* error) {
  int code, fd = open_part(part, O_WRONLY | O_CREAT, &code);
  if (fd < 0) return fail(error, "write", part, code);
  close(fd);
  return ZW_OK;
}

static ZwStatus give_up(ZwDraft* draft, char* error, const char* what, int code) {
  fail(error, what, draft->part, code);
  if (draft->fd >= 0) close(draft->fd);
  release(draft);
  return ZW_ERR_IO;
}

/* Looks at the place and keeps the paths. */
static ZwStatus prepare(ZwDraft* draft, const ZwAllocator* allocator, const char* path, char* error) {
  *draft = (ZwDraft){.allocator = *allocator, .fd = -1, .sum = zw_sum_begin()};
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
  return zw_draft_replace(draft, allocator, path, NULL, error);
}

ZwStatus zw_draft_replace(ZwDraft* draft, const ZwAllocator* allocator, const char* path, const char* stale,
                          char* error) {
  ZW_TRY(prepare(draft, allocator, path, error));
  int code;
  draft->fd = draft->is_direct ? open_direct(draft, &code) : open_part(draft->part, O_WRONLY | O_CREAT, &code);
  if (draft->fd < 0) return give_up(draft, error, "write", code);
  if (stale) (void)unlink(stale); /* first: what is killed in between leaves rows without it, not it without rows */
  if (!draft->is_direct && ftruncate(draft->fd, 0) != 0) return give_up(draft, error, "write", errno);
  draft->is_open = true;
  return ZW_OK;
}

ZwStatus zw_draft_reopen(ZwDraft* draft, const ZwAllocator* allocator, const char* path, char* error) {
  struct stat info;
  int code = ESPIPE;
  ZW_TRY(prepare(draft, allocator, path, error));
  draft->fd = draft->is_direct ? -1 : open_part(draft->part, O_RDWR, &code);
  if (draft->fd < 0) return give_up(draft, error, "go on with", code);
  if (fstat(draft->fd, &info) != 0) return give_up(draft, error, "go on with", errno);
  draft->left = (int64_t)info.st_size;
  draft->is_open = true;
  return ZW_OK;
}

/* The bytes from `from` to `to`, into the sum. */
static bool sum_up(ZwDraft* draft, int64_t from, int64_t to) {
  char there[16384];
  while (from < to) {
    size_t wanted = to - from < (int64_t)sizeof there ? (size_t)(to - from) : sizeof there;
    ssize_t got = pread(draft->fd, there, wanted, (off_t)from);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    zw_sum_add(&draft->sum, there, (size_t)got);
    from += got;
  }
  return true;
}

bool zw_draft_skip(ZwDraft* draft, int64_t to) {
  char before;
  if (to <= 0 || to < draft->size || to - draft->size > draft->left) return false;
  if (pread(draft->fd, &before, 1, (off_t)(to - 1)) != 1 || before != '\n') return false;
  if (!sum_up(draft, draft->size, to)) return false;
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
  zw_sum_add(&draft->sum, *data, same);
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
    zw_sum_add(&draft->sum, data, (size_t)written);
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
  /* late write errors show up when a file is closed, and the lock is to outlast the rename: a second handle closes first */
  int second = draft->is_direct ? -1 : fcntl(draft->fd, F_DUPFD_CLOEXEC, 3);
  ZwStatus status = zw_draft_cut(draft, draft->size, error);
  ZwStatus closed = close_file(draft, error);
  if (!status) status = closed;
  if (!status && !draft->is_direct && rename(draft->part, draft->path) != 0) {
    status = fail(error, "write", draft->path, errno);
  }
  if (second >= 0) close(second);
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
  if (!draft->is_direct) unlink(draft->part); /* while it is locked: afterwards it could be another's */
  close_file(draft, error);
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
