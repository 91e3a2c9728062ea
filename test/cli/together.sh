#!/usr/bin/env bash
# Bodies that go along together: bounds of their places over a step are wide, and those of their distance are not. Walls far away, gaps that
# close slowly, what passes in between, and contacts that have just let go. Times from closed forms; efforts are counted.
. "$(dirname "$0")/lib.bash"

# three discs at 2e5 lengths a second side by side; one gains on another by 1/4 and hits it at t = 4, what passes meanwhile is within 0.01 for 2e-5 s
for length in 1 1e6 1e-6; do
  cat >fly.zw <<M
param L = $length, V = 1e5*L, W = 1e9*L
coord A = (0, 0), B = (2*L, 0), C = (0, 3*L), D = (-2000*L, 1.5*L)
memory n = 0
kinetic 1/2*(A'^2 + B'^2 + C'^2 + D'^2)
contact hit: norm(A - B) >= L, restitution 1
contact side: hypot(A.x - C.x, A.y - C.y) >= L, restitution 1
contact left: A.x >= -W, restitution 1
contact right: B.x <= W, restitution 1
when norm(A - D) < 1.50001*L: n = n + 1
start A' = (V, 2*V), B' = (V - L/4, 2*V), C' = (V, 2*V), D' = (V + 1000*L, 2*V)
output nn = n
run 0 .. 8
M
  zwang run fly.zw
  is 0
  prints "hit: 1 impact"
  prints "verdict      trusted"
  checks=$((checks + 1))
  awk -F, '$2 == "hit" && $3 == "hit" && ($1 - 4)^2 < 1e-16 { found = 1 } END { exit !found }' fly.contacts.csv || fail "no hit at t = 4"
  ends_at fly.csv 18 1 0
done

# discs that stick together are pulled apart: gap and rate are rounding just then, and have no order
cat >apart.zw <<'M'
param W = 1000, R = 0.5
coord P[1..3] = [(2.1, 0.5), (4.2, 1), (6.3, 0.5)], f[1..3]
start P[1].x' = 30, P[1].y' = 3, P[2].x' = 1, P[2].y' = 3, P[3].x' = 1
potential 10*P[3].x^2
for i in 1..3 {
  kinetic 1/2*P[i]'^2 + 1/4*R^2*f[i]'^2
  for j in i+1..3 {
    contact hit[i,j]: norm(P[i] - P[j]) >= 2*R
  }
}
contact left1: P[1].x - R >= -W
contact right1: P[1].x + R <= W
contact floor1: P[1].y >= 0
contact roof1: P[1].y + R <= W
contact left2: P[2].x - R*sin(f[2])^2 >= -W
contact right2: P[2].x + R*sin(f[2])^2 <= W
contact floor2: P[2].y >= -W
contact roof2: P[2].y + R*sin(f[2])^2 <= W
contact left3: P[3].x - R*cos(f[3]) >= -W
contact right3: P[3].x + R*cos(f[3]) <= W
contact floor3: P[3].y >= 0
contact roof3: P[3].y + R*cos(f[3]) <= W
run 0 .. 1
M
zwang run apart.zw
is 0
prints "verdict      trusted"
checks=$((checks + 1))
[ "$(sed -n 's/.* \([0-9]*\) evaluations.*/\1/p' out)" -lt 4000 ] || fail "more than 4000 evaluations"
done_well
