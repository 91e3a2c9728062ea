#!/usr/bin/env bash
# What events assign and constraints do not allow moves by the least amount, and the run says so, once for each event; what they allow
# is left alone.
. "$(dirname "$0")/lib.bash"

# notes MODEL NUMBER: so many notes
notes() {
  zwang run "$1.zw"
  is 0
  checks=$((checks + 1))
  [ "$(grep -c "the constraints move it" err)" = "$2" ] || fail "not $2 notes"
}

model driven <<'E2'
coord x
kinetic 1/2*x'^2
constraint c: x = 0.3*t
when t > 0.5: x = 2
run 0 .. 1
E2
notes driven 1
says "driven.zw:4:15: note: at t = 0.5 this sets 'x' to 2, and the constraints move it to 0.15"

model tied <<'E2'
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
constraint c: x = y
start x' = 1
when x > 0.5: x = 0.2, y = 0.3
run 0 .. 3
E2
notes tied 1
says "this sets 'x' to 0.2, and the constraints move it to 0.25"

# velocities: those along the rod stay, the others do not
model rod <<'E2'
coord P = (1, 0)
kinetic 1/2*P'^2
constraint c: norm(P) = 1
when t > 0.5: P' = (0, 3)
when t > 0.7: P' = -0.5*P'
when t > 0.8: P' = (5, 5)
when t > 0.9: P' = (5, 5)
run 0 .. 1
E2
notes rod 2
says "rod.zw:6:15: note: at t = 0.8 this sets 'P.x'' to 5"
says "rod.zw:7:15"

# the smallest units: nothing is absolute
model small <<'E2'
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
constraint c: x = y
start x' = 1e-9
when t > 0.5: x = 2e-9, y = 2e-9, x' = 1e-9
when t > 0.7: x = 2e-9, y = 3e-9
run 0 .. 1
E2
notes small 1
done_well
