#!/bin/sh
# Every benchmark runs to its end, with one round.
set -eu
: "${ZWANG:?the program}" "${ZWANG_BUILD:?the folder of the benchmarks}" "${ZWANG_ROOT:?the source tree}"
exec "$ZWANG_ROOT/tools/bench.sh" --short
