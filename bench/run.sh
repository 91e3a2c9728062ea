#!/usr/bin/env bash
# From process start to files written, the median of several runs, beside an empty process. One run with ZW_BENCH_SHORT.
set -eu
: "${ZWANG:?path of the program}"
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
runs=21
[ -z "${ZW_BENCH_SHORT:-}" ] || runs=1
median() {
  for _ in $(seq $runs); do
    begin=$(date +%s%N)
    "$@" > /dev/null
    end=$(date +%s%N)
    echo $(((end - begin) / 1000))
  done | sort -n | sed -n $((runs / 2 + 1))p
}
empty=$(median true)
for model in pendulum andrews; do
  whole=$(median "$ZWANG" run "$root/examples/$model.zw" --out "$folder" --quiet)
  echo "start to files, $model: $whole us (an empty process: $empty us)"
done
