#!/usr/bin/env bash
# A small model stays small: below 10 MB, and far below half a second.
. "$(dirname "$0")/lib.bash"

"${CC:-cc}" -O1 -D_DEFAULT_SOURCE -o peak_memory "$here/peak_memory.c" || fail "peak_memory.c does not compile"
best=1000000
for _ in 1 2 3 4 5; do
  last="zwang run pendulum.zw"
  status=0
  ./peak_memory "$ZWANG" run "$root/examples/pendulum.zw" >out 2>err || status=$?
  is 0
  read -r memory time <err
  time=${time%.*}
  [ "$time" -lt "$best" ] && best=$time
done
echo "zwang run pendulum.zw: $memory KB, $best ms at best"
exists pendulum.csv pendulum.svg
[ "$best" -lt 500 ] || fail "it takes $best ms"
# the sanitizers keep memory of their own
if grep -q __asan_init "$ZWANG"; then
  echo "left out: the limit on memory (built with sanitizers)"
else
  checks=$((checks + 1))
  [ "$memory" -lt 10240 ] || fail "it takes $memory KB"
fi
done_well
