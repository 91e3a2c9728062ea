#!/usr/bin/env bash
# The other compiler: it has no warning, and its program writes the same tables.
. "$(dirname "$0")/same_tables.bash"
command -v clang >/dev/null || { echo "clang is not here; tools/setup.sh test installs what the tests need"; exit 1; }
same_tables clang zwang_program
