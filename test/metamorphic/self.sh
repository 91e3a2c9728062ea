#!/bin/sh
# Every relation can fail.
set -eu
: "${ZWANG:?the program to test}" "${ZWANG_ROOT:?the source tree}"
exec python3 -B "$ZWANG_ROOT/test/metamorphic/self_test.py"
