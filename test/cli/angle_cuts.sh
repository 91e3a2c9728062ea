#!/usr/bin/env bash
# atan2 jumps at its cut, where y = 0 and x < 0. Conditions see it; a gap that jumps there is refused with its place and what to write, and so is
# a constraint. A gap whose cut the motion does not reach is none of this.
. "$(dirname "$0")/lib.bash"

circle() { # STATEMENT [UNTIL]: a particle once around in 2 pi
  cat >circle.zw <<M
param L = 1e3
coord x = L, y = 0
memory n = 0
kinetic 1/2*(x'^2 + y'^2)
potential 1/2*(x^2 + y^2)
$1
start y' = L
output nn = n
run 0 .. ${2:-20}
M
}

for condition in "> 3" "< -3" "> 1" "> 3.14159" "< -3.14159"; do
  circle "when atan2(y, x) $condition: n = n + 1"
  zwang run circle.zw
  is 0
  prints "verdict      trusted"
  case $condition in
    "> 1") ends_at circle.csv 6 4 0 ;;
    *) ends_at circle.csv 6 3 0 ;;
  esac
done

# downwards, upwards, hidden in a let, and turned to another place; the time is that of the cut
for gap in "atan2(y, x) >= -2 at 3.14159" "atan2(y, x) <= 4 at 3.14159" "atan2(x, -y) >= -2.9 at 1.57079" \
  "2 - atan2(y, x)^3 >= -50 at 3.14159"; do
  circle "contact stop: ${gap% at*}"
  zwang run circle.zw
  is 1
  says "circle.zw:6:1: error: at t = ${gap#* at }"
  says "the gap of the contact 'stop' jumps from"
  says "= atan2(y, x) jumps by 2*pi where y = 0 and x < 0"
  says "write pi + atan2(-y, -x)"
done

circle "contact stop: atan2(y, x) >= -2" 3.1
zwang run circle.zw
is 0
circle "contact stop: pi + atan2(-y, -x) <= 4, restitution 1" 7
zwang run circle.zw
is 0
prints "stop: 1 impact"

circle "coord f
constraint turn: f = atan2(y, x)"
zwang run circle.zw
is 1
says "circle.zw:7:1: error: at t = 3.141593 the constraint 'turn' can no longer be met"
says "= atan2(y, x) jumps by 2*pi where y = 0 and x < 0"
circle "coord f
constraint turn: f' = (x*y' - y*x')/(x^2 + y^2)"
zwang run circle.zw
is 0
prints "verdict      trusted"
ends_at circle.csv 4 20 1e-5
done_well
