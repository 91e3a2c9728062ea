#!/usr/bin/env bash
# Every run ends with a verdict, and the energy is accounted for from start to end, with what each event took by name.
. "$(dirname "$0")/lib.bash"

# ---- a step that is too long ----

model swing <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
run 0 .. 10
M
echo kept >swing.csv.old
zwang run swing.zw
is 0
prints "energy       conserved, relative drift" "verdict      trusted"
cp swing.csv good.csv
zwang run swing.zw --integrator rattle --step 2.1
is 1
says "error: the energy drifts away from its value" "choose a shorter step, as --step 0.21"
prints "not conserved" "verdict      failed" "swing.csv.part"
grep -q "energy       conserved" out && fail "an energy that is not conserved is called so"
exists swing.csv.part
whole_rows swing.csv.part
cmp -s swing.csv good.csv || fail "the good result was replaced"
zwang run swing.zw --integrator rattle --step 2.1 --json
is 1
is_json
json_is verdict failed
json_is energy wrong
json_is 'doubts[0].about' energy
json_is 'errors[0].code' ZW_ERR_DOUBT
# just beyond the limit of stability, over a long time
zwang run swing.zw --integrator rattle --step 2.001 --to 300
is 1
# what swings and does not grow is trusted, and says how much it swings
zwang run swing.zw --integrator rattle --step 0.05 --to 1000
is 0
prints "energy       swings about its value by up to 6." "and does not drift" "verdict      trusted"
zwang run swing.zw --integrator rattle --step 0.05 --to 0.5
is 0
prints "verdict      trusted"
# a long rope, which is solved sparsely, begins at no singular position
cat >rope.zw <<'M'
coord P[1..90] = (0, 0)
for k in 1..90 { start P[k] = (0, -k) }
kinetic sum(k in 1..90: 1/2*P[k]'^2)
potential sum(k in 1..90: 9.81*P[k].y)
constraint norm(P[1]) = 1
for k in 2..90 { constraint norm(P[k] - P[k - 1]) = 1 }
run 0 .. 1
M
zwang run rope.zw
is 0
prints ", sparse" "verdict      trusted"
# a swing of more than a hundredth is doubtful
rm swing.csv
zwang run swing.zw --integrator rattle --step 1.5 --to 100
is 0
prints "verdict      doubtful" "the energy swings about its value by up to" "= choose a shorter step, as --step 0.15"
exists swing.csv
rm swing.csv
zwang run swing.zw --integrator rattle --step 1.5 --to 100 --strict
is 1
says "error: the energy swings about its value by up to"
absent swing.csv
exists swing.csv.part
zwang run swing.zw --strict
is 0
zwang run swing.zw --integrator rattle --step 1.5 --to 100 --quiet
is 0
says "zwang: doubtful: the energy swings"
prints_nothing

# ---- a tolerance that is too loose is told, not refused ----

zwang run "$root/examples/car-axis.zw" --out . --tolerance 1e-3 --json
is 0
is_json
json_is verdict doubtful
json_is 'doubts[0].about' energy
zwang run "$root/examples/car-axis.zw" --out . --json
is 0
is_json
json_is verdict trusted

# ---- who took the energy ----

model taken <<'M'
coord x = 1, y = 1
memory on = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 9.81*y
constraint hold: x' = 0.1 while on > 0
contact floor: y >= 0, restitution 0.5
when x > 1.1: y' = y' + 1
when x > 1.15: on = 1
start x' = 0.5
run 0 .. 2
M
zwang run taken.zw
is 0
prints "balance with the work done and what events took" "25 events took 9.93:" "'floor' 8.348 in 23" "'x > 1.1' 1.462" "'x > 1.15; hold takes hold' 0.12" "verdict      trusted"
zwang run taken.zw --json
is_json
json_is 'per_event[0].name' 'x > 1.1'
json_is 'per_event[1].name' 'x > 1.15; hold takes hold'
json_is 'per_event[2].name' floor
json_is 'per_event[2].count' 23
model kink <<'M'
coord x = -1, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
constraint wire: y = if x > 0 then x else 0
start x' = 1
run 0 .. 2
M
zwang run kink.zw
is 0
prints "balance with what events took" "1 event took 0.25: '0 < x switches' 0.25"
grep -q "energy       conserved" out && fail "half of the energy is lost, and it is called conserved"
model bounce <<'M'
coord y = 1
kinetic 1/2*y'^2
potential 9.81*y
when y < 0: y' = -0.5*y'
stop when t > 1
run 0 .. 2
M
zwang run bounce.zw
is 0
prints "'y < 0'" "verdict      trusted"

# ---- the unit of energy does not matter ----

for unit in 1e-12 1 1e12; do
  model scaled <<M
param s = $unit
coord x = 1, y = 2
kinetic 1/2*s*(x'^2 + y'^2)
potential 1/2*s*x^2 + 9.81*s*y
contact floor: y >= 0, restitution 0.8
run 0 .. 3
M
  zwang run scaled.zw --json
  is_json
  is 0
  json_is verdict trusted
done
# nor where it is counted from
model offset <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2 + 1e9
run 0 .. 10
M
zwang run offset.zw --json
is_json
is 0
json_is verdict trusted
# and it hides nothing
zwang run offset.zw --integrator rattle --step 2.1
is 1
# at rest nothing is exchanged
model rest <<'M'
coord P = (0, -1)
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: norm(P) = 1
run 0 .. 10
M
zwang run rest.zw --json
is_json
is 0
json_is verdict trusted

# ---- work that steps were not chosen for ----

# a crank that turns evenly under a load: its steps are long, and the work of its drive is added up all the same
model crank <<'M'
coord phi = 0
kinetic 1/2*phi'^2
constraint drive: phi = t
potential 20*cos(phi)
run 0 .. 30
M
for tolerance in 1e-3 1e-8 1e-12; do
  zwang run crank.zw --tolerance $tolerance --json
  is 0
  is_json
  json_is verdict trusted
done

# ---- other evidence ----

model gibbs <<'M'
coord x = 1
gibbs 1/2*x''^2 + x*x''
run 0 .. 1
M
zwang run gibbs.zw
is 0
prints "verdict      trusted, though no balance of energies speaks for it"
model holes <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2 + (if x > 0 then 0 else 1e308*1e10)
run 0 .. 3
M
zwang run holes.zw --json
is_json
json_is verdict doubtful
json_is 'doubts[0].about' energy

# ---- the account is the same whatever computes the equations (going on later: test_resume) ----

model long <<'M'
coord y = 1, x = 0
kinetic 1/2*y'^2 + 1/2*x'^2
potential 9.81*y + 1/2*x^2
contact floor: y >= 0, restitution 0.9
start x' = 1
run 0 .. 6
M
zwang run long.zw --json
is_json
is 0
grep -E '^.(energy|per_event|verdict|doubts)' json >whole
zwang run long.zw --json --kernel interpret
is_json
grep -E '^.(energy|per_event|verdict|doubts)' json >again
cmp -s whole again || fail "another account the second time"

# ---- sweep ----

zwang sweep swing.zw --over x=1,2 --integrator rattle --step 1.5 --to 100
is 0
prints "0 fine, 2 doubtful, 0 failed"
says "member 1 is doubtful: the energy swings"
[ "$(cut -d, -f3 swing.sweep.csv | grep -c doubtful)" = 2 ] || fail "the table does not say doubtful"
zwang sweep swing.zw --over x=1,2 --integrator rattle --step 1.5 --to 100 --resume --json
is_json
is 0
json_is doubtful 2
json_is fine 0
zwang sweep swing.zw --over x=1,2 --integrator rattle --step 1.5 --to 100 --strict --json
is_json
is 1
json_is doubtful 2
json_is 'doubts[1].member' 2
zwang sweep swing.zw --over x=1,2 --integrator rattle --step 2.1 --json
is_json
is 1
json_is failed 2
zwang sweep swing.zw --over x=1,2 --json
is_json
is 0
json_is fine 2

# ---- a row that another nearly says ----

for near in 1e-7 1e-9 1e-11; do
  model near <<M
coord P = (1, 0, 0)
kinetic 1/2*P'^2
potential P.z
constraint a: norm(P) = 1
constraint b: norm(P - (0, $near, 0)) = sqrt(1 + $near^2)
run 0 .. 1
M
  zwang run near.zw --json
  is_json
  is 0
  json_is verdict doubtful
  json_is 'doubts[0].about' constraints
  zwang run near.zw
  says "note: the constraint 'b' is taken to be redundant: but for $(printf %.2g $near) of it"
  prints "the constraint 'b' was taken to follow from others" "= state what it adds by itself, as the difference of the two"
done
# one that takes hold later
model later <<'M'
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential -y + x/2
constraint a: x + y = 0
constraint b: x' + (1 + 1e-9)*y' = 0 while t >= 0.5
start x' = 1e-9
run 0 .. 1
M
zwang run later.zw
grep -q "verdict      trusted" out && fail "a row that the motion leaves is trusted"
# what repeats itself but for rounding is none of these: far from the origin
for far in 1e2 1e4; do
  model far <<M
param far = $far
coord A = (far, 1), B = (far + 1.5, 1)
kinetic 1/2*(A'^2 + B'^2)
potential A.y + 2*B.y
constraint a: norm(A - (far, 0)) = 1
constraint b: norm(B - (far + 1.5, 0)) = 1
constraint bar: B = A + (1.5, 0)
constraint c: (A - (far, 0))^2 = 1
start A' = (0.5, 0)
run 0 .. 0.5
M
  zwang run far.zw
  is 0
  prints "redundant" "verdict      trusted"
done

# ---- every example is trusted ----

for example in "$root"/examples/*.zw; do
  zwang run "$example" --json --out .
  is_json
  is 0
  json_is verdict trusted
done
done_well
