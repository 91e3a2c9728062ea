#!/usr/bin/env bash
# Runs along tables: periodic ones against the function they are made from, and across the seam of a mod.
. "$(dirname "$0")/lib.bash"

awk 'BEGIN { pi = atan2(0, -1); print "a,s"; for (i = 0; i <= 96; i++) printf "%.17g,%.17g\n", 2*pi*i/96, i < 96 ? sin(2*pi*i/96) : 0 }' >wave.csv
printf '0,0\n1,0.4\n2,0.9\n3,1\n4,0.7\n5,0.2\n6,0\n' >lift.csv

# the last line of a table, and how far apart two are
last_of() { tail -n 1 "$1"; }
near() {
  paste -d, <(last_of "$1") <(last_of "$2") | awk -F, -v most="$3" '{ n = NF/2; for (i = 1; i <= n; i++) { d = $i - $(i+n); if (d < 0) d = -d; if (d > most) exit 1 } }' ||
    fail "$1 and $2 end apart: $(last_of "$1") and $(last_of "$2")"
  checks=$((checks + 1))
}

for way in table sine; do
  case $way in
    table) force='table("wave.csv", 2*t - 40, periodic)' ;;
    sine) force='sin(2*t - 40)' ;;
  esac
  model $way <<E
coord x = 0
kinetic 1/2*x'^2
force x = -2*x + $force
run 0 .. 40
E
  zwang run $way.zw --tolerance 1e-10
  is 0
done
near table.csv sine.csv 1e-6

# on and on through the seam, in either direction, slowly and fast
for speed in 1.5 -1.5 37; do
  for drive in 'mod(a, 6)' 'a, periodic'; do
    model seam <<E
coord a = 0.5, y
kinetic 1/2*a'^2 + 1/2*y'^2
potential 0.1*cos(a)
constraint y = table("lift.csv", $drive)
start a' = $speed
run 0 .. 30
E
    zwang run seam.zw
    is 0
  done
done
model slow <<'E'
param w = 1.37
coord y = 0
kinetic 1/2*y'^2
force y = table("lift.csv", mod(w*t, 6)) - 0.1*y
run 0 .. 100
E
zwang run slow.zw
is 0

# exported, it is the same function
model given <<'E'
coord x = 0
kinetic 1/2*x'^2
output pull = table("wave.csv", 2*t - 40, periodic)
run 0 .. 1
E
zwang export given.zw --c
is 0
grep -q "TABLE_1_IS_PERIODIC = 1" given.c || fail "the exported table is not periodic"

printf 'a,a\n0,1\n1,2\n' >twice.csv
model twice <<'E'
coord x = 0
kinetic 1/2*x'^2
force x = table("twice.csv", x)
run 0 .. 1
E
zwang run twice.zw
is 2
says "line 1 of the table names two columns 'a'"
# other encodings are named
for encoding in UTF-16 UTF-16LE UTF-16BE UTF-32; do
  printf 'a,b\n0,1\n1,2\n' | iconv -f UTF-8 -t $encoding >wide.csv
  sed 's/twice/wide/' twice.zw >wide.zw
  zwang run wide.zw
  is 2
  says "wide.zw:3:17: error: the table is written in ${encoding%%?E}, not in UTF-8" "save it as UTF-8"
  zwang plot wide.csv
  is 2
  says "this is ${encoding%%?E}: save the table as UTF-8"
done
# a NUL in a field: what is there is said, and not the part before it
printf '0,1\n1\0,2\n2,3\n' > nul.csv
model with_nul <<'E2'
coord x
kinetic 1/2*x'^2
potential table("nul.csv", x)
E2
zwang check with_nul.zw
is 2
says "a character that cannot be seen (U+0000) stands after '1'"

echo "$checks checks passed"
