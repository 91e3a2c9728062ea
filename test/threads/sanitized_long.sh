#!/bin/sh
# unit.zwang.threads under the thread sanitizer, which needs a build of its own.
set -eu
cd "$ZWANG_ROOT"
cmake --preset tsan -DZW_BUILD_TESTS=ON -DZW_WERROR=ON >/dev/null
cmake --build --preset tsan --target unit.zwang.threads >/dev/null
TSAN_OPTIONS="halt_on_error=1 exitcode=66" build/tsan/test/unit.zwang.threads
