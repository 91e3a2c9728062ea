#!/usr/bin/env bash
# Places where a coefficient of friction switches or is narrow, and narrow forces that a contact or a constraint takes up, so that
# nothing but a reaction tells of them. Against closed forms, with every integrator.
. "$(dirname "$0")/lib.bash"

# everywhere MODEL K V M: with every integrator; those of low order add up errors of some hundred steps
everywhere() {
  for choice in "auto" "auto --tolerance 1e-12" "radau" "bdf" "adams"; do
    case $choice in bdf | adams) margin=5e-5 ;; *) margin=$4 ;; esac
    # shellcheck disable=SC2086
    zwang run "$1.zw" --integrator $choice
    is 0
    prints "verdict      trusted"
    ends_at "$1.csv" "$2" "$3" "$margin"
  done
}
# block NAME 'FRICTION, SLIP' <<MORE: a block of mass 1 and weight 10 on a floor
block() {
  {
    printf '%s\n' "coord x = 0, y = 0" "kinetic 1/2*(x'^2 + y'^2)" "potential 10*y" "contact floor: y >= 0$2"
    cat
  } >"$1.zw"
}

# ---- coefficients that switch ----

# 9/2 = 1 + 9 (x - 1); the switch is an event of its own
block strip ", friction (if x < 1 then 0.1 else 0.9), slip x" <<'E2'
start x' = 3
run 0 .. 2
E2
everywhere strip 2 1.3888888888888889 1e-9
zwang run strip.zw
checks=$((checks + 1))
grep -q ',x < 1 switches$' strip.csv || fail "no event at the switch"

# the instant moves with what the model is given: d(x)/d(c) at rest is 1 - 1/9
model moved <<'E2'
param c = 1
coord x = 0, y = 0
kinetic 1/2*(x'^2 + y'^2)
potential 10*y
contact floor: y >= 0, friction (if x < c then 0.1 else 0.9), slip x
start x' = 3
run 0 .. 0.7
E2
zwang run moved.zw --sensitivity c
is 0
ends_at moved.csv 6 0.8888888888888889 1e-9

# by the time
block timed ", friction (if t < 1 then 0.1 else 0.2), slip x" <<'E2'
start x' = 3
run 0 .. 1.5
E2
everywhere timed 2 3.25 1e-9

# one that is zero for a while: it slides down at 2, then is braked at 3
block ice ", friction (if t < 1 then 0.5 else if t < 2 then 0 else 0.5), slip x" <<'E2'
potential 2*x
run 0 .. 3
E2
everywhere ice 2 -1.6666666666666667 1e-7

# another one in each direction: from t = 3/2 on x'' = 1 - 2 t
block furry ", friction (if x' < 0 then 0.3 else 0.5), slip x" <<'E2'
force x = -2 - 2*t
run 0 .. 3
E2
everywhere furry 4 -5.25 1e-6

# one that drives the slip to a speed from both sides: 1/30 s at 3/2, then 0.05
block paced ", friction 0.45 + 0.15*sign(x' - 0.05), slip x" <<'E2'
force x = 4.5
run 0 .. 1
E2
everywhere paced 2 0.049166666666666667 1e-8

# a speed that is read as abs(x' - v) turns where the slip stops; where it begins, its branch is the right one at once
model belt <<'E2'
coord x, y
kinetic 1/2*(x'^2 + y'^2)
potential 50*x^2 + 10*y
contact belt: y >= 0, friction 0.5 - 0.1*abs(x' - 0.2), slip x - 0.2*t
run 0 .. 6
E2
zwang run belt.zw
is 0
checks=$((checks + 1))
grep -q ",belt stops; 0 <= x' - 0.2 switches$" belt.csv || fail "the slip does not stop where its speed is zero"
grep -q ",0 <= x' - 0.2 switches$" belt.csv && fail "a branch is found late"

# ---- coefficients with a narrow place ----

# energies: 9/2 - 8000 1e-4 sqrt(pi); the slip in a plane crosses it at 3/5
block rough ", friction 0.1 + 800*exp(-((x - 1.0123)/1e-4)^2), slip x" <<'E2'
param v = 3
output E = 1/2*x'^2 + x
start x' = v
run 0 .. 1
E2
everywhere rough 6 3.082036919275587 1e-6
model plane <<'E2'
coord P = (0, 0), y = 0
kinetic 1/2*(P'^2 + y'^2)
potential 10*y
contact floor: y >= 0, friction 0.1 + 800*exp(-((P.x - 1.0123)/1e-4)^2), slip P
output E = 1/2*P'^2 + norm(P)
start P' = (3, 4)
run 0 .. 1
E2
everywhere plane 8 10.136728198792646 1e-6

# members of a sweep get the bits that they get alone
zwang sweep rough.zw --over v=2.9,3,3.1,3.2
is 0
row=1
for v in 2.9 3 3.1 3.2; do
  row=$((row + 1))
  zwang run rough.zw --set v=$v
  is 0
  alone=$(tail -n 1 rough.csv | cut -d, -f1-6)
  together=$(sed -n "${row}p" rough.sweep.csv | cut -d, -f5-10)
  checks=$((checks + 1))
  [ "$alone" = "$together" ] || fail "member $v is $together, the run $alone"
done

# ---- narrow forces that something takes up ----

# the floor, and its friction brakes: 0.1 sqrt(pi)
block pressed ", friction 0.1, slip x" <<'E2'
force y = -1e4*exp(-((t - 1)/1e-4)^2)
start x' = 3
run 0 .. 2
E2
everywhere pressed 4 0.8227546149094485 1e-6

# the floor, until it lets go where 1e4 exp(-s^2) = 10
block lifted "" <<'E2'
force y = 1e4*exp(-((t - 1)/1e-4)^2)
run 0 .. 1.1
E2
everywhere lifted 5 0.7696468694942433 1e-6

# friction, until 1e4 exp(-s^2) = 5
block pushed ", friction 0.5, slip x" <<'E2'
force x = 1e4*exp(-((t - 1)/1e-4)^2)
run 0 .. 1.2
E2
everywhere pushed 4 0.7709897448921024 1e-6

# the weight, so that friction gives way for a moment: x'' = 4 exp(-s^2) - 1 from 4 exp(-s^2) = 1 until it stops
block eased ", friction 0.5, slip x" <<'E2'
force x = 4
force y = 8*exp(-((t - 1.0123)/0.01)^2)
run 0 .. 2
E2
everywhere eased 2 0.0014333123691548939 1e-6

# a constraint whose reaction is watched
model held <<'E2'
coord P = (1, 0)
memory n = 0
kinetic 1/2*P'^2
force P.x = -10*exp(-((t - 1.0123)/1e-5)^2)
constraint rail: P.x = 1
when abs(reaction(rail)) > 5: n = n + 1
start P.y' = 1
output times = n
run 0 .. 2
E2
everywhere held 6 1 0

echo "$checks checks"
