#!/bin/sh
# Runs a command on a busy machine: beside four loops per processor, which end with it.
#   busy.sh COMMAND [ARGUMENT...]
# A test that passes alone and fails here compares clocks.
set -u
[ $# -gt 0 ] || { echo "usage: tools/busy.sh COMMAND [ARGUMENT...]" >&2; exit 2; }

loops=""
# shellcheck disable=SC2086 # a list of process numbers
stop() { kill $loops 2>/dev/null; wait $loops 2>/dev/null; loops=""; }
trap stop EXIT
trap 'exit 130' INT TERM

for _ in $(seq $((4 * $(nproc)))); do
  (while :; do :; done) &
  loops="$loops $!"
done
status=0
"$@" || status=$?
exit "$status"
