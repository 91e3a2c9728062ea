#!/usr/bin/env bash
# From process start to files written, the median of several runs, beside an empty process.
set -eu
: "${ZWANG:?path of the program}"
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
median() {
  for _ in $(seq 21); do
    begin=$(date +%s%N)
    "$@" > /dev/null
    end=$(date +%s%N)
    echo $(((end - begin) / 1000))
  done | sort -n | sed -n 11p
}
empty=$(median true)
for model in pendulum andrews; do
  whole=$(median "$ZWANG" run "$root/examples/$model.zw" --out "$folder" --quiet)
  echo "start to files, $model: $whole us (an empty process: $empty us)"
done
