#!/usr/bin/env bash
# What the papers print beside the answer: tables with names, choices of the user, and what is refused.
. "$(dirname "$0")/lib.bash"

model twice <<'M'
param m = 2
coord x = 0.3, y = 0.2, z
kinetic 1/2*m*(x'^2 + y'^2 + z'^2)
force x = m*(1 - y)
force y = m*x
force z = m/2
constraint one: (x'^2 + y'^2 - z'^2)/2 = 0
constraint two: x'^2 + y'^2 - z'^2 = 0
start x' = 0.6, y' = 0.8, z' = 1
run 0 .. 1
M
zwang compare twice.zw --at 0 --show all
is 0
prints "rank 1" "a0  M a0 = h" "lambda  the smallest" "K  Mii + R^T Mee R - Mie R - R^T Mei" "R_3" "kappa_3" "X  on the null space of A along M" \
  "W  1 - A A^+" "constant" "least eigenvalue of K = 2"
zwang compare twice.zw --at 0 --possible "x''=0, y''=1, z''=0.8"
is 0
prints "G(a~) = 1.22" "excess = 1.1958"
zwang compare twice.zw --at 0 --eliminate x --displacement "y=1, z=0"
is 0
prints "eliminating x" "x -1.33333" "nu_i^T P = -1.533333333"
zwang compare twice.zw --at 0,0.5 --order y,x,z --show bellman
is 0
prints "t = 0.5" "R_1  the first columns" "y      y_1 = (..) - 0.75 y_2 + 1.25 y_3" "x      y_2 = (..)"
zwang compare twice.zw --at 0 --show partition --eliminate x
is 0
prints "S(ai) = 2.77778 y''^2 - 4.44444 y'' z'' + 3.77778 z''^2"
grep -q "+ -" out && fail "a sign stands beside another"
cp "$root/examples/ku93-free.zw" .
for option in --order --eliminate; do
  zwang compare ku93-free.zw --at 0 $option z
  is 2
  says "at t = 0 the constraints do not determine z'': its column of A is 0" "name another coordinate than 'z'"
done

# everything in the letters of the paper: names, headings, sentences
zwang compare twice.zw --at 0 --show all --possible "x''=0, y''=1, z''=0.8" --letters ku93
is 0
prints "The problem A q'' = (Q - f) + D^T lambda, D q'' = g; rank 1" "Q'_b  its part linear in g" "G(q''~)/2 = 1.22" \
  "G(q''~)/2 - G(q'')/2 = distance + work" "equations K q''_i = right, eliminating" "K  Aii + R^T Aee R - Aie R - R^T Aei" "S(q''_i) =" \
  "det De^T De" "Aei = 0: equation (37)" "C y = g - D A^-1 (Q - f), C = D A^(-1/2)" "root A = L L^T" "G_L(q'') = 1/2 (q'' - X_L)^T A"
grep -qE "(^|[^A-Za-z_])(M|Ae|Ai|Mee|Mii|Mie|Mei|ai|hi|he|a0|Qc|b)([^A-Za-z_]|$)" out && fail "a letter of ours is left"
zwang compare twice.zw --at 0 --show partition --letters uk98
is 0
prints "K  M_II + R^T M_ee R - M_Ie R - R^T M_eI" "right  P + (R^T M_ee - M_Ie) A_e^+ b"
# the Gaussian of BG99 (1), KU93 (16) and L96 7.1 has no 1/2; that of UK98 (6) and U96 (5) has it, as ours
for paper in bg99 ku93 l96; do
  zwang compare twice.zw --at 0 --show forces --possible "x''=0, y''=1, z''=0.8" --letters $paper
  is 0
  prints "  G/2 = " ")/2 = 1.22" "distance + work"
  grep -q "G = " out && fail "$paper has half of its Gaussian"
done
for paper in uk98 u96 ours; do
  zwang compare twice.zw --at 0 --show forces --possible "x''=0, y''=1, z''=0.8" --letters $paper
  is 0
  prints "  G = "
  grep -q "G/2\|)/2 =" out && fail "$paper has a Gaussian without 1/2"
done
# quantities that the paper writes without a name are headed by what they are, once
zwang compare twice.zw --at 0 --show data --letters uk98
is 0
for line in "  b - A a" "  A M^-1 A^T"; do
  checks=$((checks + 1))
  [ "$(grep -cxF -- "$line" out)" = 1 ] || fail "no heading '$line'"
done
zwang compare twice.zw --at 0 --letters ku93
is 2
says "--letters names quantities in tables, and none is asked for; add --show all"
zwang compare twice.zw --at 0 --json --letters ku93
is 2
says "--letters names quantities in tables, and --json has none"
is_json

# refused, with names and status 2; nothing half-printed
refused() {
  message=$1
  shift
  zwang compare twice.zw --at 0 "$@"
  is 2
  says "$message"
  prints_nothing
  [ "$*" != --full ] || return 0
  zwang compare twice.zw --at 0 --json "$@"
  is 2
  is_json
  json_is status refused
}
refused "--eliminate: 'q' is no coordinate; the coordinates are x, y, z" --eliminate q
refused "--eliminate names 'x' twice" --eliminate x,x
refused "at t = 0 2 coordinates are to be eliminated, and the rank is 1; name 1" --eliminate x,y
refused "--full is about matrices, and none is asked for; add --show all or --json" --full
refused "--order names 'y' twice" --order y,x,y
refused "--order: 'w' is no coordinate" --order w
model floor <<'M'
coord x = 1, y = 0, z = 0
kinetic 1/2*(x'^2 + y'^2 + z'^2)
potential 9.81*z
constraint c: x - y = 1
constraint d: z = 0
run 0 .. 1
M
zwang compare floor.zw --at 0 --possible "x''=1, y''=2"
prints "with what was stated nothing satisfies the constraints; the rest is that of the free motion"
refused "--possible: 'q' is no coordinate" --possible "q''=1"
refused "--possible gives 'x' twice" --possible "x''=1, x''=2"
refused "--possible needs values of coordinates" --possible "x'=1"
refused "--possible needs values of coordinates" --possible "x''=nan"
refused "--possible needs values of coordinates" --possible ""
refused "--displacement: 'u' is no coordinate" --displacement u=1
# what the partition eliminates follows from the others
for e in x y z; do
  refused "a displacement of '$e' is stated, and the partition eliminates it: it follows from the others" --eliminate $e --displacement $e=1
done
says "state those of x, y, or eliminate others"
refused "a displacement of 'z' is stated" --displacement z=0
refused "--show knows data, forces, partition, bellman, gibbs, inverses and all, not 'everything'" --show everything

# columns that depend on each other, at the start and later
model tied <<'M'
coord x = 0, y = 1, z
kinetic 1/2*(x'^2 + y'^2 + z'^2)
constraint a: x + 2*y + z = 2
constraint b: 2*x + 4*y - z = 4
run 0 .. 1
M
zwang compare tied.zw --at 0 --eliminate x,y
is 2
says "depend on each other: 'y' on those before it"
says "name another coordinate than 'y'"
zwang compare tied.zw --at 0 --order x
is 2
says "1 column is put first, and the rank is 2; name 2 or more"
zwang compare tied.zw --at 0 --eliminate x
is 2
says "1 coordinate is to be eliminated, and the rank is 2; name 2"
zwang compare tied.zw --at 0 --order x,y,z
is 2
says "depend on each other: 'y' on those before it"
model turns <<'M'
coord x = 1, y = 0
kinetic 1/2*(x'^2 + y'^2)
constraint rod: x^2 + y^2 = 1
start y' = pi/2
run 0 .. 2
M
zwang compare turns.zw --at 0.5 --eliminate x
is 0
zwang compare turns.zw --at 0.5,1 --eliminate x
is 1
says "at t = 1 the constraints do not determine x'': its column of A is 0" "name another coordinate than 'x'"

# masses that are indefinite and have an inverse: only what is made of their root is missing
model indefinite <<'M'
param m = 1
coord x = 1, y = 0.5, z
lagrangian 1/2*m*(x'^2 - y'^2 + 2*x'*z') - x^2*y
constraint c: z = x*y - 0.5
force x = 0.3*y'
start x' = 1, y' = 0.2
run 0 .. 1
M
zwang compare indefinite.zw --at 0 --show all
is 0
prints "G = -0.9126  the Gaussian 1/2 (a - a0)^T M (a - a0), stationary: M is not positive" "needs a root of M, and M is indefinite" \
  "constant = -0.5" "G_L = -0.9594" "gain  (1 - X) A^+"
grep -qE "not computed|undefined" out && fail "something is missing that needs an inverse only"
zwang compare indefinite.zw --at 0 --json
is 0
is_json
json_is 'frames[0].a0[1]' 1
json_is 'frames[0].d[0]' 2.34
json_is 'frames[0].D[0][0]' -3
json_has 'frames[0].X[2][2]' 'frames[0].gibbs.X_L[2]'
json_is 'formulations[0].applies' true
zwang compare indefinite.zw --at 0 --possible "x''=1"
is 0
prints "what was not stated satisfies the constraints where the Gaussian is stationary; it has no least value" "G(a~) = 3.84" "excess = 4.7526" \
  "the possible one at a stationary distance from a~"
zwang derive indefinite.zw
is 0
prints "the motion is where the Gaussian is stationary" "It has no minimum: at the start M is not positive on the accelerations that A a = b"
zwang derive indefinite.zw --latex
is 0
prints "the motion is where the Gaussian is stationary"
zwang derive turns.zw
is 0
prints "the motion is the one of least constraint"
# held along its only negative direction the motion is a minimum
sed 's/^constraint c.*/constraint c: y = 0.5 + 0.2*t\nconstraint d: z = t/; s/^start.*/start x'"'"' = 1/' indefinite.zw >held.zw
zwang derive held.zw
is 0
prints "the motion is the one of least constraint"

# what has no mass: neither a0 nor a recursion, and both parts of the force
model massless <<'M'
coord x = 1, s = 2
kinetic 1/2*x'^2
potential -3*x
constraint read: s = 2*x
run 0 .. 1
M
zwang compare massless.zw --at 0 --show all
is 0
prints "undefined: M is singular" "needs a root of M, and M is singular"
zwang compare massless.zw --at 0 --json
is 0
is_json

# events on the way are none of the instants; a motion that ends before one says so
model bounces <<'M'
coord y = 0.5
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= 0.1, restitution 0.5
run 0 .. 1
M
zwang compare bounces.zw --at 0,1 --show forces
is 0
[ "$(grep -c "^t = " out)" = 2 ] || fail "not 2 instants"
zwang compare bounces.zw --at 0,1 --json
is 0
is_json
json_is instants 2
json_is 'frames[1].t' 1
zwang compare bounces.zw
is 0
prints "compared at 11 instants"
grep -qF "instants to compare at" err && fail "none is left out"
model stops <<'M'
coord x = 0
kinetic 1/2*x'^2
start x' = 1
stop when x > 0.5
run 0 .. 1
M
zwang compare stops.zw --at 0,0.25,0.75,1 --show forces
is 0
[ "$(grep -c "^t = " out)" = 2 ] || fail "not 2 instants"
says "the motion ends at t = 0.5, before 2 of the 4 instants to compare at"

# no constraints at all
model free <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
run 0 .. 1
M
zwang compare free.zw --at 0 --show all --possible "x''=2"
is 0
prints "eliminating nothing" "excess = 4.5"
zwang compare free.zw --at 0 --eliminate x
is 2
says "nothing can be eliminated: the rank is 0; leave it out"
zwang compare free.zw --at 0 --json
is 0
is_json
done_well
