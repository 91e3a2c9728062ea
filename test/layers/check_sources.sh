#!/bin/sh
# Every .c file under src/ and every model in lib/ and examples/ is listed in cmake/sources.cmake, and the other way
# round.
set -eu
cd "${1:-$(dirname "$0")/../..}"

wrong=0
for file in $(find src -name '*.c' -o -name '*.zw' | LC_ALL=C sort) $(find lib examples -name '*.zw' | LC_ALL=C sort); do
  grep -Eq "^ *$file *(#.*)?\$" cmake/sources.cmake || { echo "$file: not in cmake/sources.cmake"; wrong=1; }
done
for file in $(grep -Eo '^ *(src|lib|examples)/[^ #]+\.(c|zw)\b' cmake/sources.cmake); do
  [ -f "$file" ] || { echo "cmake/sources.cmake: $file does not exist"; wrong=1; }
done
exit $wrong
