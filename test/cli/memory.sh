#!/usr/bin/env bash
# A small model stays small: below 10 MB. How long it takes is measured by bench/bench_process.c.
. "$(dirname "$0")/lib.bash"

"${CC:-cc}" -O1 -D_DEFAULT_SOURCE -o peak_memory "$here/peak_memory.c" || fail "peak_memory.c does not compile"
last="zwang run pendulum.zw"
status=0
./peak_memory "$ZWANG" run "$root/examples/pendulum.zw" >out 2>err || status=$?
is 0
read -r memory <err
echo "zwang run pendulum.zw: $memory KB"
exists pendulum.csv pendulum.svg
# the sanitizers keep memory of their own
if grep -q __asan_init "$ZWANG"; then
  echo "left out: the limit on memory (built with sanitizers)"
else
  checks=$((checks + 1))
  [ "$memory" -lt 10240 ] || fail "it takes $memory KB"
fi
done_well
