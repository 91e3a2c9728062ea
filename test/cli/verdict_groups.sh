#!/usr/bin/env bash
# An error of the energy is judged by what it is an error of: not by other mechanisms in the file, not by constants, not by a pole that was
# passed long ago; and rows that show it are heard.
. "$(dirname "$0")/lib.bash"

# ---- company ----

# $1: the order of coordinates; $2: mass and stiffness of the company
beside() {
  model beside <<M
coord $1
kinetic 1/2*x'^2 + 1/2*$2*1e4*y'^2
potential 1/2*x^2 + 1/2*$2*y^2
run 0 .. 10
M
}
for order in "x = 1, y = 1" "y = 1, x = 1"; do
  for size in 1e-12 1 1e12; do
    beside "$order" $size
    zwang run beside.zw
    is 0
    prints "energy       conserved, relative drift" "verdict      trusted"
    zwang run beside.zw --integrator radau
    is 0
    prints "verdict      trusted"
    zwang run beside.zw --integrator rattle --step 2.1
    is 1
    says "error: the energy of 'x' drifts away from its value"
    prints "not conserved" "verdict      failed"
  done
  beside "$order" 1e8
  zwang run beside.zw --to 3000 --tolerance 1e-2 --json
  is 0
  is_json
  json_is verdict doubtful
  json_is energy wrong
  grep -q "the energy of 'x' is off by" out || fail "the doubt does not say whose energy it is"
done
# the same in other units of the company's energy: where work is done elsewhere, and where it is done here
for size in 1e-6 1 1e6; do
  model worked <<M
coord x = 1, y = 1
kinetic 1/2*x'^2 + 1/2*$size*y'^2
potential 1/2*x^2 + 1/2*$size*y^2
dissipation 0.05*$size*y'^2
run 0 .. 20
M
  zwang run worked.zw
  is 0
  prints "balance with the work done" "verdict      trusted"
  zwang run worked.zw --tolerance 0.1 --to 1000
  is 0
  prints "verdict      doubtful" "the energy of 'x' is off by"
done
# what a spring joins is one
model joined <<'M'
coord x = 1, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 1/2*x^2 + 1/2*y^2 + 1/2*(x - y)^2
run 0 .. 10
M
zwang run joined.zw --integrator rattle --step 2.1
is 1
says "error: the energy drifts away from its value"
# a contact joins what it may touch, and events give to each what is its
model touching <<'M'
coord a = 0, b = 1, z = 3
kinetic 1/2*a'^2 + 1/2*b'^2 + 1/2*1e6*z'^2
potential 1e6*9.81*z
contact balls: b >= a, restitution 0.5
contact floor: z >= 0, restitution 0.9
start a' = 1
run 0 .. 3
M
zwang run touching.zw
is 0
prints "balance with what events took" "'balls' 0.1875" "verdict      trusted"
# a body that nothing moves stays at rest to rounding of the others
zwang run "$root/examples/euler-top.zw" --out . --integrator radau
is 0
prints "verdict      trusted"

# however heavy its company is, a ring is judged by itself: neither is its energy called unknown, nor is an error of it excused
for mass in 1 1e12 1e24 1e30; do
  model company <<M
coord x, u = 1, w, r = 1, q
kinetic 1/2*$mass*(x'^2 + u'^2 + w'^2) + 1/2*1e-3*(r'^2 + q'^2)
constraint heavy: u^2 + w^2 = 1
constraint light: r^2 + q^2 = 1
start x' = 1, w' = 1.3, q' = 1
run 0 .. 5
M
  for integrator in explicit radau; do
    zwang run company.zw --integrator $integrator
    is 0
    prints "energy       conserved" "verdict      trusted"
  done
  model long <<M
coord x, r = 1
kinetic 1/2*$mass*x'^2 + 1/2*1e-3*r'^2
potential 1/2*1e-3*r^2
start x' = 1
run 0 .. 40
M
  zwang run long.zw --integrator rattle --step 2.1
  is 1
  says "error: the energy of 'r' drifts away from its value"
done

# ---- constants ----

for constant in 0 1e9 1e16 -1e300; do
  model constant <<M
coord x = 1
kinetic 1/2*x'^2
potential 1/2*(x^2 + $constant)
run 0 .. 10
M
  zwang run constant.zw
  is 0
  prints "verdict      trusted"
  zwang run constant.zw --integrator rattle --step 2.1
  is 1
  prints "verdict      failed"
done
# one that an event changes is booked under its name
model stepped <<'M'
coord x = 1
memory U = 1e3
kinetic 1/2*x'^2
potential 1/2*x^2 + U
when x < 0: U = 2e3
run 0 .. 10
M
zwang run stepped.zw
is 0
prints "1 event gave 1000: 'x < 0' 1000" "verdict      trusted"
# the energy at rest of a body that is slow beside light
for c in 1e1 1e3 1e6 1e9; do
  model slow <<M
param c = $c
coord x = 1
lagrangian -c^2*sqrt(1 - x'^2/c^2) - 1/2*x^2
when x < 0: x' = 0.1*x'
run 0 .. 10
M
  zwang run slow.zw
  is 0
  prints "balance with what events took" "2 events took 0.49" "verdict      trusted"
done
model fast <<'M'
coord x = 1
lagrangian -1e18*sqrt(1 - x'^2/1e18) - 1/2*x^2
run 0 .. 3000
M
zwang run fast.zw --tolerance 1e-2
is 0
prints "verdict      doubtful" "the energy is off by"
# where no digit of it is left, it is not called conserved
model hidden <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 1e10*sqrt(1e12 + x^2)
run 0 .. 0.01
M
zwang run hidden.zw
is 0
prints "rounding hides its errors" "verdict      doubtful" "the energy is known only to" "= count energies from where the motion is"
grep -q conserved out && fail "an energy that nobody knows is called conserved"
zwang run hidden.zw --json
is_json
json_is energy unknown
json_is 'doubts[0].about' rounding
# at rest nothing is exchanged, and nothing is missed
model still <<'M'
coord x = 0.0981
kinetic 1/2*x'^2
potential 50*x^2 - 9.81*x + 1e9*(x - 0.0981)^2
run 0 .. 100
M
zwang run still.zw
is 0
prints "verdict      trusted"

# ---- poles ----

# $1: eccentricity; $2: unit of length, whose energies are 1/$2
kepler() {
  model kepler <<M
param e = $1, L = $2
coord P = ((1 + e)*L, 0)
kinetic 1/2*P'^2
potential -1/norm(P)
start P' = (0, sqrt((1 - e)/(1 + e)/L))
run 0 .. 20*L^1.5
M
}
for unit in 1e-6 1 1e6; do
  for e in 0.9 0.99 0.999; do
    kepler $e $unit
    zwang run kepler.zw
    is 0
    prints "verdict      trusted"
  done
  kepler 0.999 $unit
  zwang run kepler.zw --tolerance 1e-4
  is 0
  prints "verdict      doubtful" "times what is exchanged in the mean: the tolerance 0.0001 is too loose"
done
model fall <<'M'
coord P = (1, 0)
kinetic 1/2*P'^2
potential -1/norm(P)
start P' = (0, 1e-4)
run 0 .. 2
M
zwang run fall.zw
is 0
prints "not conserved" "verdict      doubtful" "times what is exchanged in the mean"
grep -q "energy       conserved" out && fail "an energy of -1 that becomes -60 is called conserved"
# what was lost to friction is not held against what is left
model settled <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
dissipation 0.2*x'^2
run 0 .. 20000
M
zwang run settled.zw --tolerance 1e-4
is 0
prints "verdict      trusted"

# a coordinate that only trembles beside others says nothing of the run
model legs <<'M'
coord x, y, z, a, b
kinetic 1/2*(x'^2 + y'^2 + z'^2) + 1/2*0.1*(a'^2 + b'^2)
potential 9.81*z
for i in 0..1, j in 0..1 { contact leg[i,j]: z + (2*i - 1)*a + (2*j - 1)*b >= 0, friction 0.2, slip x }
start x' = 3
run 0 .. 1
M
zwang run legs.zw --json
is 0
is_json
json_is verdict trusted
python3 -c 'import json; exit(not json.load(open("out"))["energy_drift"] < 1e-12)' || fail "the drift of what trembles is told"

# ---- rows ----

for integrator in auto explicit radau; do
  for tolerance in 1e-4 1e-8; do
    zwang run "$root/examples/ball-in-a-box.zw" --out . --integrator $integrator --tolerance $tolerance --evidence
    is 0
    prints "verdict      trusted"
  done
done
done_well
