#!/bin/sh
# Nothing is compared with 1 + |x|, whose 1 is one metre, one second or one radian: coordinates, velocities and rows have sizes of their own
# (src/motion/start_sizes.h). Reports every place in src/ where it stands, with file and line.
#   check_sizes.sh [ROOT]     default: two folders above this script
set -eu
cd "${1:-$(dirname "$0")/../..}"

# A sine, an angle and what is made of them have the size 1 by themselves.
own='src/equations/lengths.c'

one='1(\.0*)?'
size='(fabs|zw_max_abs|zw_norm|hypot)'
inside='\([^()]*(\([^()]*\)[^()]*)*\)'
plus="(^|[^0-9A-Za-z_.])$one \+ $size *\(|$size$inside \+ $one([^0-9.eE*/]|\$)"
larger="(fmax|zw_larger)\($one, *$size|(fmax|zw_larger)\($size$inside, *$one\)"
found=$(find src \( -name '*.[ch]' -o -name '*.in' \) -exec grep -nE "$plus|$larger" /dev/null {} + |
  grep -vE '^[^:]*:[0-9]*: *(/?\*|//)' | LC_ALL=C sort || true)

wrong=0
files=$(echo "$found" | sed 's/:.*//' | sort -u)
for file in $files; do
  echo "$own" | grep -qx "$file" && continue
  echo "$found" | grep "^$file:"
  wrong=1
done
[ $wrong = 0 ] || echo "these take the number one for a size"
exit $wrong
