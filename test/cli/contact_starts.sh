#!/usr/bin/env bash
# Starts inside of contacts, and in the place to which constraints bring what was typed: a gap that is closed to find positions says nothing
# of velocities, and what has come to rest is not judged by what is left of its energy. Against closed forms.
. "$(dirname "$0")/lib.bash"

# ends MODEL [K V]...: trusted, and these fields of the last row
ends() {
  name=$1
  shift
  zwang run "$name.zw"
  is 0
  prints "verdict      trusted"
  for ((k = 1; k < $#; k += 2)); do
    following=$((k + 1))
    ends_at "$name.csv" "${!k}" "${!following}" 1e-8
  done
}

# thrown up from a millimetre below the floor: y = 3 t - 9.81/2 t^2
for typed in "start" "start exactly"; do
  model throw <<E2
coord y = -0.001, x
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
contact floor: y >= 0, restitution 0.5
$typed x' = 1, y' = 3
run 0 .. 0.5
E2
  ends throw 2 0.27375 3 0.5 4 -1.905
done
# and down: an impact at once
model down <<'E2'
coord y = -0.001
kinetic 1/2*y'^2
contact floor: y >= 0, restitution 0.5
start y' = -2
run 0 .. 1
E2
ends down 2 1 3 1
prints "impacts      1"

# a wall that goes away takes nothing along
for place in 0.2 0.3; do
  model retreat <<E2
coord x = $place
kinetic 1/2*x'^2
contact wall: x >= 0.3 - t
run 0 .. 1
E2
  ends retreat 2 0.3 3 0
done

# a deck that drops away, by a gap that is zero or a rounding below it
for height in "0.1*sin(50*t + pi)" "-0.1*sin(50*t)"; do
  model deck <<E2
coord y = 0
kinetic 1/2*y'^2
potential 9.81*y
contact deck: y >= $height, restitution 0.5
run 0 .. 0.01
E2
  ends deck 2 -0.0004905 3 -0.0981
done

# two gaps that both open turn nothing
model turn <<'E2'
coord x = 0.1, y = -0.002, a = 0.01
kinetic 1/2*(x'^2 + y'^2) + 1/2*0.1*a'^2
potential 9.81*y
let f(s) = y + s*0.3*sin(a)
contact left: f(-1) >= 0, friction 0.3, slip x
contact right: f(1) >= 0, friction 0.3, slip x
start y' = 1
run 0 .. 0.1
E2
ends turn 7 0

# a stop on what has no mass does not throw what has
model damper <<'E2'
param c = 2, k = 30
coord x = 1, z = 0, w
kinetic 1/2*x'^2
constraint maxwell: c*z' = k*(x - z)
constraint meter: w = x - z
force x = -k*w
contact stop: w <= 0.4, restitution 0.3
run 0 .. 2
E2
sed 's/z = 0,/z = 0.6,/' damper.zw >damper_there.zw
ends damper_there
place=$(tail -n 1 damper_there.csv | cut -d, -f2)
ends damper 2 "$place"

# inertias that depend on the velocity
model fast <<'E2'
coord x = -0.1, y = 0
lagrangian -sqrt(1 - x'^2 - y'^2)
contact wall: x >= 0
start x' = 0.5, y' = 0.5
run 0 .. 1
E2
ends fast 2 0.5 4 0.5 5 0.5

# parts
model dropped <<'E2'
use planar
part b = body(1, 0.1, (0, 0.099), 0)
contact f: b.r.y >= 0.1, restitution 0.5
start b.r' = (1, 2)
run 0 .. 0.2
E2
ends dropped 2 0.2 3 0.3038

# inequalities between velocities still move what is typed
model limit <<'E2'
coord x = 0
kinetic 1/2*x'^2
contact fast: x' <= 1
start x' = 3
run 0 .. 1
E2
ends limit 2 1 3 1
prints "x' moved from 3 to 1"

# brought to rest by the start: nothing is left of the energy but rounding
for v in 1 2 3 5 7; do
  model held <<E2
coord x = 1, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
constraint c: x + y = 1
constraint d: x - 0.3*y = 1
start x' = $v, y' = 0.1
run 0 .. 1
E2
  ends held 2 1 3 0 4 0 5 0
done
model supported <<'E2'
use planar
part b = rod(1, (0, 0), (1, 0))
contact l: b.tail.y >= 0, restitution 0.5
contact r: b.head.y >= 0.2, restitution 0.5
run 0 .. 0.2
E2
ends supported 2 0.5 3 0.1
done_well
