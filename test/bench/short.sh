#!/bin/sh
# Every benchmark runs to its end, with one round. bench_ensemble sweeps the mass of a rod, which is refused as long as the `if` in
# the drawing of a rod counts as what the model is made of.
set -eu
: "${ZWANG:?the program}" "${ZWANG_BUILD:?the folder of the benchmarks}" "${ZWANG_ROOT:?the source tree}"
exec "$ZWANG_ROOT/tools/bench.sh" --short --fails bench_ensemble
