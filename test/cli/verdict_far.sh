#!/usr/bin/env bash
# The tolerance is a part of the numbers that positions are counted in. Where what moves is small beside these, its energy tells what is left
# of it; what rests is excused, and what flies by without a force too.
. "$(dirname "$0")/lib.bash"

# ---- a pendulum whose pivot is far from where positions are counted ----

pendulum() { # FILE R
  cat >"$1" <<M
param R = $2
coord P = (0.5, R - sqrt(0.75))
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: norm(P - (0, R)) = 1
run 0 .. 10
M
}
for R in 0 1e3 1e6; do
  pendulum near.zw $R
  zwang run near.zw
  is 0
  prints "verdict      trusted"
done
for R in 1e12 1.5e12; do
  pendulum far.zw $R
  zwang run far.zw
  is 0
  prints "energy       not conserved" "verdict      doubtful" "the tolerance 1e-08 is too loose" \
    "= count 'P.y', which is up to 1" "from nearer to where it moves, or choose a smaller one, as --tolerance 1e-11"
done

# ---- a spring: the same numbers are a small motion near 1 in other units ----

for x in "1e9, x = X + 1" "1e11, x = X + 1" "1, x = X*(1 + 1e-9)"; do
  cat >spring.zw <<M
param X = ${x%%,*}
coord ${x#*, }
kinetic 1/2*x'^2
potential 1/2*(x - X)^2
run 0 .. 10
M
  zwang run spring.zw --json
  is_json
  is 0
  json_is verdict doubtful
  json_is 'doubts[0].about' energy
  zwang run spring.zw --tolerance 1e-13 --json
  is_json
  [ "$x" = "1e11, x = X + 1" ] || json_is verdict trusted # what rounding leaves of positions is enough
done

# ---- two bodies that fly by: their kinetic energy hides what is between them ----

flight() { # FILE V
  cat >"$1" <<M
coord x = 0, y = 0.5
kinetic 1/2*x'^2 + 1/2*y'^2
potential 1/2*(x - y)^2
start x' = $2, y' = $2
run 0 .. 10
M
}
flight slow.zw 1e3
zwang run slow.zw
is 0
prints "verdict      trusted"
flight fast.zw 1e9
zwang run fast.zw
is 0
prints "verdict      doubtful" "the energy tells nothing of its potential: errors of positions that the tolerance 1e-08 allows change that by" \
  "and it was never more than 0.12" "= count 'x', which is up to 1e+10, from nearer to where it moves"
zwang run fast.zw --json
is_json
json_is 'doubts[0].about' tolerance

# ---- a swing that is smaller than what is left of its energy ----

for A in 1e-7 1e-9; do
  cat >small.zw <<M
coord P = (sin($A), -cos($A))
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: norm(P) = 1
run 0 .. 20
M
  zwang run small.zw
  is 0
  prints "rounding hides its errors" "verdict      doubtful" "times what was exchanged" "let nothing cancel: 2*sin(x/2)^2 for 1 - cos(x)"
done

# ---- what is trusted all the same ----

trusts() { # text on standard input
  cat >rest.zw
  zwang run rest.zw
  is 0
  prints "verdict      trusted"
}
# without a force
trusts <<'M'
coord x = 1e12
kinetic 1/2*x'^2
start x' = 1
run 0 .. 10
M
# a circle, on which the potential is zero
trusts <<'M'
coord P = (1, 0)
kinetic 1/2*P'^2
potential log(norm(P))
start P' = (0, 1)
run 0 .. 100
M
# small forces of inertia, without a potential
trusts <<'M'
coord x = 1, y = 2
kinetic 1/2*(1 + 1e-7*cos(x - y))*x'^2 + 1/2*y'^2
start x' = 1, y' = 1.1
run 0 .. 10
M
# a small swing
trusts <<'M'
coord P = (1e-4, -sqrt(1 - 1e-8))
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: norm(P) = 1
run 0 .. 10
M
# at rest, held by a rod, far away
trusts <<'M'
param R = 1e9
coord P = (0, R - 1)
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: norm(P - (0, R)) = 1
run 0 .. 10
M
# at rest, where what has no mass creeps
trusts <<'M'
coord x = 1, s, u = 0 scale 1
kinetic 1/2*x'^2
potential 1/2*(x - 1)^2
constraint r: s' = x - s
constraint q: u = s*x
run 0 .. 10
M
# forces that rounding does not balance
trusts <<'M'
coord x = 0.981
kinetic 1/2*x'^2
potential 1/2*10*x^2 - 9.81*x
run 0 .. 10
M
done_well
