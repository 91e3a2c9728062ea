#!/bin/sh
# Runs the benchmarks that are built, one after the other, and names those that fail.
#   bench.sh [--short]    --short: every one with one round, and nothing is kept
# ZWANG is the program, ZWANG_BUILD the folder of the benchmarks.
set -eu
cd "$(dirname "$0")/.."
ZWANG_BUILD=${ZWANG_BUILD:-build/release}
export ZWANG="${ZWANG:-$ZWANG_BUILD/zwang}"
case "${1:-}" in
  --short) export ZW_BENCH_SHORT=1 ;;
  "") ;;
  *) echo "usage: tools/bench.sh [--short]" >&2; exit 2 ;;
esac
failed=""
for source in bench/bench_*.c; do
  name=$(basename "$source" .c)
  echo "== $name"
  "$ZWANG_BUILD/$name" || failed="$failed $name"
done
bench/run.sh || failed="$failed run.sh"
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
