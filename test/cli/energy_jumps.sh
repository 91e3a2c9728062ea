#!/usr/bin/env bash
# Energies that jump where the motion switches them: the force of a jump is an impulse that no branch knows of, and the run ends with the
# place of the switch. What has a kink only goes on as before. Against closed forms, with every integrator.
. "$(dirname "$0")/lib.bash"

integrators="explicit radau bdf adams rattle"
# by INTEGRATOR MODEL: false where the integrator is not there
by() {
  local step=""
  [ "$1" = rattle ] && step="--step 0.001"
  # shellcheck disable=SC2086
  zwang run "$2.zw" --integrator "$1" $step
  ! grep -q "SUNDIALS\|cannot be used" err
}
# refused MODEL TEXT TIME MOST: by every integrator, with this text; the last row is at that time within MOST
refused() {
  for integrator in $integrators; do
    by $integrator "$1" || continue
    is 1
    says "$2"
    tail -n 1 "$1.csv.part" | awk -F, -v v="$3" -v m="$4" '{ d = $1 - v; exit !(d <= m && d >= -m) }' ||
      fail "$integrator ends $1 at $(tail -n 1 "$1.csv.part" | cut -d, -f1), not at $3"
  done
}
# goes_on MODEL K V MOST: field K of the last row, by every integrator
goes_on() {
  for integrator in $integrators; do
    by $integrator "$1" || continue
    is 0
    tail -n 1 "$1.csv" | awk -F, -v k="$2" -v v="$3" -v m="$4" '{ d = $k - v; exit !(d <= m && d >= -m) }' ||
      fail "$integrator: column $2 of $1 ends at $(tail -n 1 "$1.csv" | cut -d, -f"$2"), not at $3"
  done
}

# ---- jumps ----

# a step of 3, met at 3 m/s after 1 m
model step <<'M'
coord x = 0
kinetic 1/2*x'^2
potential if x > 1 then 3 else 0
start x' = 3
run 0 .. 1
M
refused step "step.zw:3:14: error: at t = 0.333333333 '1 < x' switches and the energy jumps by 3" 0.3333333333333333 1e-12
says "with tanh"

# made steep but smooth it leaves sqrt(9 - 6): to go on at 3 m/s, as before, was wrong
model smooth <<'M'
coord x = 0
kinetic 1/2*x'^2
potential 3/2*(1 + tanh(1e4*(x - 1)))
start x' = 3
run 0 .. 1
M
zwang run smooth.zw
is 0
tail -n 1 smooth.csv | awk -F, '{ d = $3^2 - 3; exit !(d <= 1e-5 && d >= -1e-5) }' || fail "the smooth step leaves another speed"

# a wall of a ten-thousandth; a step of 2e-9; stairs; a saw
sed 's/x > 1/x > 1 and x < 1.0001/' step.zw >wall.zw
refused wall "wall.zw:3:24: error: at t = 0.333333333" 0.3333333333333333 1e-12
sed 's/if x > 1 then 3 else 0/1e-9*sign(x - 1)/' step.zw >small.zw
refused small "small.zw:3:16: error: at t = 0.333333333 'sign(x - 1)' switches and the energy jumps by 2e-09" 0.3333333333333333 1e-12
sed 's/if x > 1 then 3 else 0/floor(2*x)/' step.zw >stairs.zw
refused stairs "stairs.zw:3:11: error: at t = 0.166666667 'floor(2*x)' switches and the energy jumps by 1" 0.16666666666666667 1e-12
sed 's/if x > 1 then 3 else 0/mod(x, 1)/' step.zw >saw.zw
refused saw "saw.zw:3:11: error: at t = 0.354248689 'floor(x)' switches and the energy jumps by -1" 0.3542486889354094 1e-8 # 3 - sqrt(7)

# what is a function of the time on either side has no force, and jumps all the same: by 2 sin(1/3)
sed 's/if x > 1 then 3 else 0/sin(t)*sign(x - 1)/' step.zw >clocked.zw
refused clocked "clocked.zw:3:18: error: at t = 0.333333333 'sign(x - 1)' switches and the energy jumps by 0.65438" 0.3333333333333333 1e-12

# a mass that jumps with the place; one that jumps with the clock, which may change the energy but no momentum
sed 's|1/2\*x|1/2*(if x > 1 then 2 else 1)*x|; /^potential/d' step.zw >mass.zw
refused mass "mass.zw:2:17: error: at t = 0.333333333 '1 < x' switches and the energy jumps by 4.5" 0.3333333333333333 1e-12
sed 's/x > 1/t > 0.5/' mass.zw >fuel.zw
refused fuel "fuel.zw:2:17: error: at t = 0.5 '0.5 < t' switches and dL/dx', the momentum of 'x', jumps by 3 at the same velocities" 0.5 1e-12

# a magnetic field in a sheet turns velocities at once: the energy is the same, a momentum is not
model sheet <<'M'
coord x = 0, y = 0
lagrangian 1/2*(x'^2 + y'^2) + (if x > 1 then 3 else 0)*y'
start x' = 3
run 0 .. 1
M
refused sheet "sheet.zw:2:36: error: at t = 0.333333333 '1 < x' switches and dL/dy', the momentum of 'y', jumps by 3" 0.3333333333333333 1e-12

# beside a constraint, and beside switches that are kinks at the same place: after sqrt(11) - 3
model bead <<'M'
coord P = (1, 0), z = 0
kinetic 1/2*P'^2 + 1/2*z'^2
potential max(0, z - 1)^2 + abs(z - 1) + (if z > 1 then 1e-3 else 0)
constraint ring: norm(P) = 1
start P' = (0, 1), z' = 3
run 0 .. 1
M
zwang run bead.zw
is 1
says "bead.zw:3:46: error: at t = 0.31662479 '1 < z' switches and the energy jumps by 0.001"

# ---- kinks ----

# a spring that is there on one side: from 2 to 1 in pi/20, then at 10 m/s
model one_sided <<'M'
coord x = 2
kinetic 1/2*x'^2
potential if x > 1 then 50*(x - 1)^2 else 0
run 0 .. 1
M
goes_on one_sided 2 -7.429203673205103 2e-3
# |x| from 1: a parabola to the middle at sqrt(2), and its mirror image; at 2 sqrt(2) it is at -1
model vee <<'M'
coord x = 1
kinetic 1/2*x'^2
potential abs(x)
run 0 .. sqrt(8)
M
goes_on vee 2 -1 1e-4
# a mass that grows from 1 on: 1/2 (1 + max(0, x - 1)) x'^2 = 9/2, so that 2/3 ((1 + s)^1.5 - 1) = 3 t is the way s beyond 1
model heavier <<'M'
coord x = 0
kinetic 1/2*(1 + max(0, x - 1))*x'^2
start x' = 3
run 0 .. 1
M
goes_on heavier 2 2.519842099789746 1e-4 # 4^(2/3)
# branches that have no value on the other side, and that a rough tolerance beside a constraint finds early or late, are no jumps
model hertz <<'M'
coord x = 1, y = 0
kinetic 1/2*x'^2 + y'^2
potential 12526.8*max(0, -0.98*x + 1.46*y + 0.746)^1.5 + 9.81*y
constraint x^2 + y^2 = 1
start y' = -0.481
run 0 .. 3 tolerance 1e-5
M
for integrator in explicit radau bdf adams; do
  by $integrator hertz || continue
  ! grep -q "switches and" err || fail "a kink is refused by $integrator"
done
# a kink that moves: what is a function of the time alone in one branch belongs to it, and the energy is as before
model moving <<'M'
coord x = 1
kinetic 1/2*x'^2
potential (x - sin(t))*sign(x - sin(t))
run 0 .. 3
M
zwang run moving.zw
is 0
prints "verdict      trusted"
! grep -q "events\? \(gave\|took\) [0-9.]*\(e-0[0-9]\)\?:" out || fail "a kink that moves gives energy"

# ---- what may change energies ----

# the clock does work: at pi/2 the spring is relaxed and becomes 4 times as strong; x = -sin(2 s)/2 after it
model clock <<'M'
coord x = 1
kinetic 1/2*x'^2
potential if t > pi/2 then 2*x^2 else 1/2*x^2
run 0 .. 3
M
goes_on clock 2 -0.13970774909946293 1e-4 # -sin(2 (3 - pi/2))/2
# a 'when' sets what it sets
model remembered <<'M'
memory k = 0
coord x = 0
kinetic 1/2*x'^2
potential 3*k
when x > 1: k = 1, x' = sqrt(3)
start x' = 3
run 0 .. 1
M
zwang run remembered.zw
is 0
tail -n 1 remembered.csv | awk -F, '{ d = $2 - 1 - sqrt(3)*2/3; exit !(d <= 1e-9 && d >= -1e-9) }' || fail "it is elsewhere"

# ---- poles ----

# a switch gives no energy: where a fall ends in a centre, at pi/sqrt(8), nothing goes on with what rounding made of it
for term in "potential -1/abs(x)" "potential -1/max(x, -x)" "force x = -sign(x)/x^2"; do
  model pole <<M
coord x = 1
kinetic 1/2*x'^2
$term
run 0 .. 3
M
  for tolerance in 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12; do
    zwang run pole.zw --tolerance $tolerance
    is 1
    says "error: "
    [ ! -e pole.csv ] || fail "$term at $tolerance has a table"
  done
  zwang run pole.zw --tolerance 1e-2
  is 0
  prints "verdict      doubtful" "is off by"
  rm pole.csv
done
# a kink that is passed gives nothing; a contact, the clock and a 'when' keep their shares
model shares <<'M'
coord x = -1, y = 1
kinetic 1/2*x'^2 + 1/2*y'^2
potential 2*abs(x) + (if t > 0.3 then 5 else 1)*y^2 + 9.81*y
contact floor: y >= 0, restitution 0.5
when x > 0.2: x' = 2*x'
start x' = 3
run 0 .. 3
M
zwang run shares.zw --json
is 0
is_json
json_is verdict trusted
python3 - <<'P' || fail "the shares are others"
import json
names = [share["name"] for share in json.load(open("out"))["per_event"]]
raise SystemExit(not ("floor" in names and any("0.3 < t" in n for n in names) and any("0.2" in n for n in names)) or any("0 <= x" in n for n in names))
P
