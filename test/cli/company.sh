#!/usr/bin/env bash
# What stands in the same file and touches nothing does not matter, however heavy it is: a mechanism takes the steps that it takes alone, its
# errors are seen, and so are the jumps of its energy.
. "$(dirname "$0")/lib.bash"

# near TABLE COLUMN VALUE TOLERANCE: the last row
near() {
  python3 - "$@" <<'P' || fail "$2 is not $3 at the end of $1"
import csv, sys
row = list(csv.DictReader(open(sys.argv[1])))[-1]
sys.exit(not abs(float(row[sys.argv[2]]) - float(sys.argv[3])) <= float(sys.argv[4]))
P
}

# ---- a ring under its weight; alone it is at (0.2750873, -0.9614192) after 10 s ----

# $1: mass of the company, which moves at 1 m/s
beside() {
  model beside <<M
coord x, P = (1, 0)
kinetic 1/2*$1*x'^2 + 1/2*P'^2
potential 9.81*P.y
constraint ring: norm(P) = 1
start x' = 1
run 0 .. 10
M
}
for mass in 1e-30 1 1e15 1e20 1e24 1e28 1e30 1e40; do
  beside $mass
  zwang run beside.zw --json
  is 0
  is_json
  json_is verdict trusted
  near beside.csv P.x 0.2750873 2e-7
  near beside.csv P.y -0.9614192 2e-7
  [ $mass = 1e-30 ] && cp beside.csv first.csv
  cmp -s beside.csv first.csv || fail "the motion beside a mass of $mass is another one"
  # what is told is the error of the ring, which moves
  python3 -c 'import json; exit(not 1e-9 < json.load(open("out"))["energy_drift"] < 1e-6)' || fail "the drift of the ring is not told"
done
for formulation in auto geometric moore-penrose; do
  beside 1e30
  zwang run beside.zw --integrator radau --formulation $formulation
  is 0
  prints "verdict      trusted"
  near beside.csv P.y -0.9614192 1e-6
done
# what nothing moves stays at rest, to rounding of the others
model resting <<'M'
coord x, q = 1, P
kinetic 1/2*1e24*(x'^2 + q'^2) + 1/2*P^2*P'^2 + 1/2*P'^2
constraint heavy: x^2 + q^2 = 1
start x' = 1
run 0 .. 1
M
for formulation in auto geometric; do
  zwang run resting.zw --formulation $formulation
  is 0
  prints "verdict      trusted"
done

# a drive
for mass in 1 1e24 1e30; do
  model drive <<M
coord x, P = (1, 0)
kinetic 1/2*$mass*x'^2 + 1/2*1e-3*P'^2
potential 9.81*1e-3*P.y
constraint ring: norm(P) = 1
constraint drive: x' = sin(t)
run 0 .. 10
M
  zwang run drive.zw
  is 0
  prints "verdict      trusted"
  near drive.csv x 1.8390715 1e-7
  near drive.csv P.x 0.2750873 2e-7
  near drive.csv P.y -0.9614192 2e-7
done

# contacts: alone the ring is at (0.9423054, -0.3347544) after 5 s
for mass in 1 1e20 1e30; do
  model bounce <<M
param M = $mass, m = 1e-10
coord y = 1, Y = 3, P = (1, 0)
kinetic 1/2*y'^2 + 1/2*M*Y'^2 + 1/2*m*P'^2
potential 9.81*y + 9.81*M*Y + 9.81*m*P.y
constraint r: norm(P) = 1
contact floor: y >= 0, restitution 0.9
contact f2: Y >= 0, restitution 0.7
run 0 .. 5
M
  zwang run bounce.zw
  is 0
  prints "verdict      trusted"
  near bounce.csv P.x 0.9423054 2e-7
  near bounce.csv P.y -0.3347544 2e-7
done

# ---- the energy of each is held ----

for mass in 1 1e24; do
  model held <<M
coord X = 1, a = 0.3
kinetic 1/2*$mass*X'^2 + 1/2*a'^2
potential 1/2*$mass*X^2 - 9.81*cos(a)
output E = 1/2*a'^2 - 9.81*cos(a)
run 0 .. 200
M
  zwang run held.zw --conserve energy --tolerance 1e-6
  is 0
  near held.csv E -9.371850958322195 1e-12
done

# ---- jumps of an energy, with coordinates and without ----

for mass in 1 1e30; do
  for jump in "3" "3*exp(-x)"; do
    model jump <<M
coord X = 1, x = 0
kinetic 1/2*$mass*X'^2 + 1/2*x'^2
potential 1/2*$mass*X^2 + (if x > 1 then $jump else 0)
start x' = 3
run 0 .. 1
M
    zwang run jump.zw
    is 1
    says "'1 < x' switches and the energy jumps by"
  done
done
# and a kink whose constant moves is none
model kink <<'M'
coord X = 1, x
kinetic 1/2*1e30*X'^2 + 1/2*x'^2
potential 1/2*1e30*X^2 + (x - sin(t))*sign(x - sin(t))
start x' = 0.7
run 0 .. 3
M
zwang run kink.zw
is 0
prints "verdict      trusted"

# ---- a fast one hides no contradiction of another ----

for speed in 0 1e9; do
  model contradiction <<M
coord x, y, q = 1, p
kinetic 1/2*(x'^2 + y'^2 + q'^2 + p'^2)
constraint circle: q^2 + p^2 = 1
constraint push: x'' = 2
constraint same: y'' = x''
constraint other: y'' = 2 + 1e-3
start p' = $speed
run 0 .. 1e-3
M
  zwang run contradiction.zw
  is 2
  says "the constraint 'same' contradicts 'push'"
done
done_well
