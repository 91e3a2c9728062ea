#!/usr/bin/env bash
# Every model in the documents compiles and has a consistent start; those that state `run` also run.
set -eu
count=0
for page in "$ZWANG_ROOT"/README.md "$ZWANG_ROOT"/docs/*.md; do
  awk -v base="$(basename "$page" .md)" '
    /^```zw$/ { inside = 1; number++; next }
    /^```$/   { inside = 0; next }
    inside    { print > (base "-" number ".zw") }' "$page"
done
for model in *.zw; do
  if grep -q '^run' "$model"; then "$ZWANG" run "$model" --quiet; else "$ZWANG" check "$model" --quiet; fi
  count=$((count + 1))
done
echo "$count models of the documents"
test "$count" -ge 4
