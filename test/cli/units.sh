#!/bin/sh
# The same motion in other units: what a number is measured by is found from the motion itself.
set -u
fail=0

# last NAME COLUMN: a number of the last row
last() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } END { print $at }' "$1.csv"
}

# near WHAT FOUND EXPECTED ALLOWED
near() {
  awk -v a="$2" -v b="$3" -v e="$4" 'BEGIN { d = a - b; exit !(d <= e && -d <= e) }' && return
  echo "$1: $2, expected $3 within $4"
  fail=1
}

cat > block.zw <<'M'
param m = 1
coord x = 0, y = 0
kinetic 1/2*m*(x'^2 + y'^2)
potential 9.81*m*y + 10*m*(x - 0.3*sin(2*t))^2
contact floor: y >= 0, friction 0.3, slip x
start x' = 1
run 0 .. 3
M
"$ZWANG" run block.zw --quiet || fail=1
x=$(last block x)
"$ZWANG" run block.zw --tolerance 1e-12 --quiet || fail=1
near "block, at a tolerance of 1e-8 and 1e-12" "$(last block x)" "$x" 1e-8
for m in 1e-12 1e-9 1e-6 1e6 1e12; do
  "$ZWANG" run block.zw --set m=$m --quiet || fail=1
  near "block of mass $m" "$(last block x)" "$x" 1e-12
done

cat > circle.zw <<'M'
param R = 1
coord P = (R, 0)
kinetic 1/2*P'^2
constraint ring: P^2 = R^2
start P' = (0, R)
output off = P.x/R + 1
run 0 .. 21*pi
M
for R in 1 1e-6 1e-3 1e6 1e9; do
  "$ZWANG" run circle.zw --set R=$R --quiet || fail=1
  near "circle of radius $R" "$(last circle off)" 0 1e-11
done

# pulled along by a belt and slowed down, until it goes with the belt, in other units of time
cat > belt.zw <<'M'
param T = 1
coord P = (1, 0)
kinetic 1/2*P'^2
constraint ring: norm(P) = 1
let along = (-P.y, P.x), w = P.x*P.y' - P.y*P.x'
force P = -5*sign(w/norm(P) - 2/T)*along/T^2
force P = -w*along/T
run 0 .. 5*T every T tolerance 1e-10
M
for T in 1e-9 1e-6 1 1e6 1e9; do
  "$ZWANG" run belt.zw --set T=$T --quiet || fail=1
  near "belt, seconds of $T" "$(last belt P.x)" -0.9942060759220664 1e-9 # cos(3*log(5/3) + 8)
done

# two rods, by angles: the length is in the masses and weights only
cat > double.zw <<'M'
param l = 1, g = 9.81*l
coord a = 1, b = 1.5
kinetic 1/2*l^2*(2*a'^2 + b'^2 + 2*a'*b'*cos(a - b))
potential -g*l*(2*cos(a) + cos(b))
run 0 .. 2
M
"$ZWANG" run double.zw --quiet || fail=1
a=$(last double a)
for l in 1e-9 1e-4 1e5; do
  "$ZWANG" run double.zw --set l=$l --quiet || fail=1
  near "rods of length $l" "$(last double a)" "$a" 1e-11
done

# company changes nothing: 500 coordinates at rest beside an oscillator
cat > alone.zw <<'M'
coord x = 1
output X = x
kinetic 1/2*x'^2
potential 1/2*x^2
run 0 .. 30
M
{ cat alone.zw; echo "coord z[1..500]"; echo "for i in 1..500 { kinetic 1/2*z[i]'^2 }"; } > company.zw
"$ZWANG" run alone.zw --quiet || fail=1
"$ZWANG" run company.zw --quiet || fail=1
near "an oscillator in company" "$(last company X)" "$(last alone X)" 1e-12
exit $fail
