#!/bin/sh
# Fuzzes text -> equations -> kernels with libFuzzer: no crash, hang, leak or sanitizer report may come out.
#   fuzz.sh [-j N]    FUZZ_SECONDS: how long (3600)
# The corpus in the repository is read; what is found is kept in build/fuzz/found, crashes in build/fuzz/crashes.
set -eu
cd "$(dirname "$0")/.."
jobs=2
[ "${1:-}" != -j ] || jobs=$2
compiler=$(command -v clang-14 || command -v clang)
folder=build/fuzz
mkdir -p $folder/found $folder/crashes
cmake -S . -B $folder -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug -DZW_BUILD_TESTS=OFF \
  -DZW_BUILD_FUZZER=ON \
  -DCMAKE_C_FLAGS_DEBUG="-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" \
  >$folder/configure.log
cmake --build $folder --target fuzz_compile --parallel "$jobs"
$folder/fuzz/fuzz_compile -max_total_time="${FUZZ_SECONDS:-3600}" -timeout=30 -rss_limit_mb=2048 -max_len=8192 \
  -dict=fuzz/zwang.dict -artifact_prefix=$folder/crashes/ -print_final_stats=1 $folder/found fuzz/corpus
