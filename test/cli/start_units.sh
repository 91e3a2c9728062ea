#!/usr/bin/env bash
# The start does not depend on units: the same mechanism from 1e-12 to 1e12, assembled alike.
. "$(dirname "$0")/lib.bash"

# cell COLUMN ROW FILE: a number of a table; the first row after the header is 1
cell() {
  awk -F, -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
    NR == row + 1 { print $at }' "$3"
}
# near A B PART: they agree to that part of B
near() {
  awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(d <= part*b) }' ||
    fail "$1 is not $2"
}

model crank <<'M'
param L = 1
coord phi = 1, s = L, psi
kinetic 1/2*L^2*phi'^2 + 1/2*s'^2
constraint a: L*cos(phi) + 2*L*cos(psi) = s
constraint b: L*sin(phi) + 2*L*sin(psi) = 0
start phi' = 3
run 0 .. 3
M
for L in 1e-12 1e-9 1e-6 1e-3 1 1e3 1e6 1e9 1e12; do
  zwang run crank.zw --set L=$L --strict
  is 0
  near "$(cell phi 1 crank.csv)" 1.638402508547501 1e-12
  near "$(cell s 1 crank.csv)" "$(awk "BEGIN { printf \"%.17g\", 1.665813021914151*$L }")" 1e-12
  near "$(cell psi 1 crank.csv)" -0.522280362101579 1e-12
  near "$(cell s 501 crank.csv)" "$(awk "BEGIN { printf \"%.17g\", 2.672033*$L }")" 1e-6
done

# typed on the ring, beside it, and where its gradient has no part along the free coordinate
model ring <<'M'
param R = 1, off = 0
coord P = (R, off*R), Q = (0, 2*R), w
kinetic 1/2*(P'^2 + Q'^2)
constraint one: norm(P) = R
constraint two: Q^2 = R^2
constraint reads: w = P.y
run 0 .. 1
M
for R in 1e-9 1e-6 1e-3 1 1e3 1e6 1e9; do
  for off in 0 0.75; do
    zwang run ring.zw --set R=$R --set off=$off
    is 0
    near "$(cell Q.y 1 ring.csv)" $R 1e-12
  done
  near "$(cell P.x 1 ring.csv)" "$(awk "BEGIN { printf \"%.17g\", 0.8*$R }")" 1e-12
  near "$(cell w 1 ring.csv)" "$(awk "BEGIN { printf \"%.17g\", 0.6*$R }")" 1e-12
done


# two coordinates without mass share a row, and nothing tells how large they are: the summary says so, and a scale is an answer
model share <<'M'
coord u, w, x
kinetic 1/2*x'^2
constraint both: u' + 2*w' = 3
constraint reads: x = u - w
run 0 .. 1
M
zwang run share.zw
is 0
prints "nothing tells how large these are, and the start depends on it: u, w" "coord u = 0 scale"
zwang run share.zw --json
prints '"guessed_sizes":["u","w"]'
sed 's/coord u, w/coord u scale 2, w scale 1/' share.zw >told.zw
zwang run told.zw --json
is 0
prints '"guessed_sizes":[]'
# with x = u - w and its rate, u' - w' = x' is moved least: x' = 0
near "$(cell "u'" 1 told.csv)" 1 1e-12

# the scale of one in another unit gives the same
sed 's/coord u, w, x/coord U scale 2e-3, w scale 1, x; let u = 1000*U/' share.zw >other.zw
zwang run other.zw
is 0
near "$(cell "U'" 1 other.csv)" 1e-3 1e-12
