#!/bin/sh
# Builds and runs all tests in the presets release and asan, warnings being errors, and sums up.
#   test.sh [--long] [-j N]    --long: the tests labelled `long` too
# With ZW_LONG set, optimised tests draw all of every grid. Sanitizers look at lines of code, not at numbers: they see the sample.
set -u
cd "$(dirname "$0")/.." || exit 1

leave_out="-LE ^long$"
jobs=2
while [ $# -gt 0 ]; do
  case "$1" in
    --long) leave_out="" ;;
    -j) shift; jobs=$1 ;;
    *) echo "usage: tools/test.sh [--long] [-j N]" >&2; exit 2 ;;
  esac
  shift
done

# what works for ever is ended, by seconds of the processor: a busy machine needs no more of them
ulimit -S -t 3600 2>/dev/null || true

mkdir -p build
passed=0
failed=0

# Counts the results ctest wrote; whatever did not pass has failed.
count() {
  good=$(grep -c '<testcase .*status="run"' "$1" 2>/dev/null)
  all=$(grep -c '<testcase ' "$1" 2>/dev/null)
  passed=$((passed + ${good:-0}))
  failed=$((failed + ${all:-0} - ${good:-0}))
}

for preset in release asan; do
  echo "== $preset: build"
  results=build/$preset/test-results.xml
  rm -f "$results"
  log=build/$preset-configure.log
  if ! cmake --preset "$preset" -DZW_BUILD_TESTS=ON -DZW_WERROR=ON >"$log" 2>&1; then
    cat "$log"
    echo "== $preset: could not be configured"
    failed=$((failed + 1))
    continue
  fi
  if ! cmake --build --preset "$preset" --parallel "$jobs"; then
    echo "== $preset: does not build"
    failed=$((failed + 1))
    continue
  fi
  echo "== $preset: test"
  [ "$preset" = asan ] && unset ZW_LONG
  # shellcheck disable=SC2086 # two words or none
  ctest --preset "$preset" -j "$jobs" --output-junit test-results.xml $leave_out
  status=$?
  before=$failed
  count "$results"
  # a ctest that fails without naming a test must not pass for a success
  if [ $status -ne 0 ] && [ "$failed" -eq "$before" ]; then failed=$((failed + 1)); fi
done

# where they are looked for
for program in zwang test/test_api_misuse; do
  if [ -x "build/release/$program" ]; then ln -sf "release/$program" "build/$(basename "$program")"; fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
