#!/bin/sh
# Numbers are read and written by base/number.c and base/print.c alone: the C library does it after the locale of the program that
# calls us, where 0.25 may be read as 0. Reports every other way, with file and line.
#   check_locale.sh [ROOT]     default: two folders above this script
set -eu
cd "${1:-$(dirname "$0")/../..}"

reading='strto(d|f|ld)|atof|v?[fs]?scanf'
writing='v?(f|s|sn|d|as)?printf|strfmon|[efg]cvt'
choosing='setlocale|newlocale|uselocale|localeconv'
letters='is(alpha|alnum|upper|lower|space|punct|print|graph|digit|xdigit|blank|cntrl)|to(upper|lower)|str(coll|xfrm|ftime)'
wrong=$(find src bind/python/src \( -name '*.[ch]' -o -name '*.in' \) -exec grep -nE \
  "(^|[^A-Za-z0-9_])($reading|$writing|$choosing|$letters)[ ]*\(" /dev/null {} + |
  grep -vE '^[^:]*:[0-9]*: *(/?\*|//)' |            # comments
  grep -vE '__attribute__\(\(format\(printf' || true)
[ -z "$wrong" ] && exit 0
echo "these obey the locale of the calling program; base/number.h and base/print.h do not:"
echo "$wrong"
exit 1
