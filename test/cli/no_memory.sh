#!/usr/bin/env bash
# Every allocation of a command refused in turn, alone and with all that follow: a message and exit status 1, or a run that has come
# to its end without it; never silence, never a crash.
. "$(dirname "$0")/lib.bash"

if [ "${ZWANG_BUILD_TYPE:-Release}" != Release ]; then
  echo "allocations belong to the sanitizers here"
  exit 0
fi

cat >refuse.c <<'C'
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
static long count, from = -1;
static int goes_on;
static int is_refused(void) {
  if (from < 0) {
    const char* text = getenv("REFUSE_FROM");
    from = text ? strtol(text, NULL, 10) : 0;
    goes_on = getenv("REFUSE_ALL") != NULL;
  }
  long number = __sync_add_and_fetch(&count, 1);
  if (from == 0 || (goes_on ? number < from : number != from)) return 0;
  errno = ENOMEM;
  return 1;
}
void* malloc(size_t size) { return is_refused() ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return is_refused() ? NULL : __libc_calloc(n, size); }
void* realloc(void* old, size_t size) { return is_refused() ? NULL : __libc_realloc(old, size); }
__attribute__((destructor)) static void end(void) {
  char digits[24];
  int at = 24;
  if (!getenv("REFUSE_COUNT")) return;
  do digits[--at] = (char)('0' + count % 10);
  while (count /= 10);
  if (write(9, digits + at, (size_t)(24 - at)) < 0) _exit(9);
}
C
cc -shared -fPIC -O1 -o refuse.so refuse.c

model falls <<'E'
param k = 9.81
coord x = 1
kinetic 1/2*x'^2
potential 1/2*k*x^2
force x = 0.01*table("push.csv", t)
draw circle (0, x), 0.1
run 0 .. 1 every 0.1
E
printf 't,F\n0,1\n1,2\n2,1\n' >push.csv
model bounces <<'E'
coord y = 1.5
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= 0, restitution 0.625
run 0 .. 0.7 every 0.1
E

refuse() {
  status=0
  REFUSE_COUNT=1 LD_PRELOAD=$PWD/refuse.so "$ZWANG" "$@" >out 2>err 9>number || status=$?
  is 0
  most=$(cat number)
  for all in "" 1; do
    for from in $(seq "$most"); do
      last="allocation $from${all:+ and all after it} refused: zwang $*"
      status=0
      (ulimit -S -t $processor_most && exec env REFUSE_FROM="$from" ${all:+REFUSE_ALL=1} LD_PRELOAD="$PWD/refuse.so" "$ZWANG" "$@") \
        >out 2>err || status=$?
      checks=$((checks + 1))
      [ "$status" = 0 ] && continue
      is 1
      [ -s err ] || fail "no word"
    done
  done
}

refuse run falls.zw
refuse run bounces.zw --json
refuse sweep falls.zw --over k=1,2 --threads 1
refuse linearize falls.zw --at 0
refuse animate falls.zw -o film.html
refuse derive falls.zw -o derived.txt
refuse export falls.zw --c
refuse plot falls.csv
refuse fmt falls.zw
refuse check falls.zw
echo "$checks checks passed"
