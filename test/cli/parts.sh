#!/usr/bin/env bash
# Parts are studied as everything else: a rod's mass, length and angle can be swept and differentiated, by the names of the model.
. "$(dirname "$0")/lib.bash"
model rod <<'E2'
use planar
param m = 2, l = 0.8, k = 3
part ground = earth()
part r = rod(m, (0, 0), (l, 0))
part foot = pin(ground, r, (0, 0))
potential 1/2*k*(r.phi - 0.3)^2
run 0 .. 1 tolerance 1e-12
E2

# number COLUMN FILE: of the last row
number() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i } { last = $column } END { print last }' "$2"
}
# at NAME=VALUE...: r.phi at the end of a run with other values, by a sweep of one member
at() {
  "$ZWANG" sweep rod.zw --quiet --over "$1" >log 2>&1 || fail "sweep --over $1: $(cat log)"
  number r.phi rod.sweep.csv
}
near() {
  awk -v a="$1" -v b="$2" -v tolerance="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(d <= tolerance*(1 + b)) }' ||
    fail "$4: $1 is not $2"
}
derivative() { awk -v a="$1" -v b="$2" -v h="$3" 'BEGIN { printf "%.12g", (b - a)/(2*h) }'; }

zwang run rod.zw --sensitivity m,l,start.r.phi
is 0
head -n 1 rod.csv >columns
for by in m l start.r.phi; do
  grep -q "d(r.phi)/d($by)" columns || fail "no column d(r.phi)/d($by)"
done
if grep -q 'r\.b\.phi' columns; then fail "a column has the longer name"; fi
near "$(number 'd(r.phi)/d(m)' rod.csv)" "$(derivative "$(at m=1.9999)" "$(at m=2.0001)" 0.0001)" 1e-6 "by m"
near "$(number 'd(r.phi)/d(l)' rod.csv)" "$(derivative "$(at l=0.7999)" "$(at l=0.8001)" 0.0001)" 1e-6 "by l"
near "$(number 'd(r.phi)/d(start.r.phi)' rod.csv)" "$(derivative "$(at r.phi=-0.0001)" "$(at r.phi=0.0001)" 0.0001)" 1e-6 "by the start"
[ "$(at r.phi=0.1)" = "$(at r.b.phi=0.1)" ] || fail "the alias gives another run"

zwang run rod.zw --sensitivity start.r.b.phi
is 0
grep -q 'd(r.phi)/d(start.r.phi)' rod.csv || fail "an alias names a column"
zwang run rod.zw --gradient r.phi
is 0
grep -q "gradient     of r.phi" out && grep -q "^  *m  " out || fail "the gradient leaves m out"
zwang run rod.zw --gradient r.b.phi
is 0
grep -q "gradient     of r.phi = " out || fail "the alias is no name of a gradient"
zwang run rod.zw --gradient "r.b.phi'"
is 0
grep -q "gradient     of r.phi' = " out || fail "the alias is no name of the gradient of a velocity"
zwang run rod.zw --gradient r.b.psi
is 2
says "the model has no coordinate, velocity or output 'r.b.psi'"

# ---- values that ask for another model ----
model links <<'E2'
param N = 2, damped = 0
coord x[1..N] = 0.1
for i in 1..N { kinetic 1/2*x[i]'^2; potential 1/2*(x[i] - (if i > 1 then x[i-1] else 0))^2 }
if damped > 0 {
  dissipation 1/2*damped*x[1]'^2
}
output all = sum(i in 1..N: x[i])
run 0 .. 1
E2
zwang sweep links.zw --over N=1,2,3 --over damped=0,0.5 --threads 3
is 0
row=0
for N in 1 2 3; do
  for damped in 0 0.5; do
    row=$((row + 1))
    "$ZWANG" run links.zw --quiet --set N=$N --set damped=$damped >log 2>&1 || fail "$(cat log)"
    swept=$(awk -F, -v row=$row 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "all") c = i } NR == row + 1 { print $c }' links.sweep.csv)
    [ "$swept" = "$(number all links.csv)" ] || fail "N = $N, damped = $damped: the sweep has $swept, a run $(number all links.csv)"
  done
done
sed -n 2p links.sweep.csv | grep -q ',nan,' || fail "a coordinate that is not there is not nan"
zwang sweep links.zw --over N=0,1
is 1
says "member 1 failed" "no coordinates"
