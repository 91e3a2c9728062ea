#!/bin/sh
# Runs the benchmarks that are built, one after the other, and names those that fail.
#   bench.sh [--short] [--fails NAME]
# --short: every one with one round, and nothing is kept. --fails NAME: this one is known to fail; it is an error if it does not.
# ZWANG is the program, ZWANG_BUILD the folder of the benchmarks.
set -eu
cd "$(dirname "$0")/.."
ZWANG_BUILD=${ZWANG_BUILD:-build/release}
export ZWANG="${ZWANG:-$ZWANG_BUILD/zwang}"
known=""
while [ $# -gt 0 ]; do
  case "$1" in
    --short) export ZW_BENCH_SHORT=1 ;;
    --fails) shift; known=$1 ;;
    *) echo "usage: tools/bench.sh [--short] [--fails NAME]" >&2; exit 2 ;;
  esac
  shift
done
wrong=""
for source in bench/bench_*.c; do
  name=$(basename "$source" .c)
  echo "== $name"
  status=0
  "$ZWANG_BUILD/$name" || status=$?
  if [ "$name" = "$known" ]; then
    [ $status -ne 0 ] || wrong="$wrong $name (which is known to fail, and does not)"
  elif [ $status -ne 0 ]; then
    wrong="$wrong $name"
  fi
done
bench/run.sh || wrong="$wrong run.sh"
[ -z "$wrong" ] || { echo "failed:$wrong" >&2; exit 1; }
