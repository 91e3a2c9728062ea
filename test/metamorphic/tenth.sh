#!/bin/sh
# The tenth of the second roads that `make test` walks; `make metamorphic` walks all.
set -eu
: "${ZWANG:?the program to test}" "${ZWANG_ROOT:?the source tree}"
here=$ZWANG_ROOT/test/metamorphic
exec python3 -B "$here/walk.py" --sample 10 -j 2
