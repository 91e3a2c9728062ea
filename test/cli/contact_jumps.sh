#!/usr/bin/env bash
# Gaps, slips and constraints that jump under what touches: a contact pushes and never pulls, and friction holds with no more than its
# limit. Against closed forms, with every integrator.
. "$(dirname "$0")/lib.bash"

# everywhere MODEL [K V]...: these fields of the last row, with every integrator
everywhere() {
  name=$1
  shift
  for integrator in auto explicit radau adams bdf; do
    zwang run "$name.zw" --integrator $integrator
    is 0
    prints "verdict      trusted"
    for ((k = 1; k < $#; k += 2)); do
      following=$((k + 1))
      ends_at "$name.csv" "${!k}" "${!following}" 1e-6
    done
  done
}

# a floor that drops away faster than things fall: free fall, -9.81 s^2/2 after s = 0.5
model drops <<'E2'
coord y = 0
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= (if t > 1 then -5*(t - 1) else 0)
run 0 .. 1.5
E2
everywhere drops 2 -1.22625 3 -4.905

# the same by a memory, and what is gained is nothing
model remembers <<'E2'
coord y = 0
memory w = 0
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= w*(t - 1)
when t > 1: w = -5
run 0 .. 1.5
E2
everywhere remembers 2 -1.22625 3 -4.905

# a floor that begins to rise at 0.5 throws at 1.5*0.5, and the wall has a speed from then on
model rises <<'E2'
param w = 0.5, T = 1, e = 0.5
coord y = 0
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= (if t > T then w*(t - T) else 0), restitution e
run 0 .. 1.01
E2
everywhere rises 2 0.0070095 3 0.6519
zwang run rises.zw --sensitivity w,T,e
ends_at rises.csv 4 0.015 1e-9
ends_at rises.csv 6 -0.6519 1e-9
ends_at rises.csv 8 0.005 1e-9

# a kink: what rides upward at 1 flies on, and lands at -3 on a floor that goes at -1
model kink <<'E2'
coord y = 0
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= 1 - abs(t - 1)
start y' = 1
run 0 .. 1.3
E2
everywhere kink 2 0.85855 3 -1.943

# a belt that starts at once: friction takes time to bring the block along
model belt <<'E2'
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 9.81*y
contact floor: y >= 0, friction 0.3, slip x - (if t > 1 then 2*(t - 1) else 0)
run 0 .. 1.5
E2
everywhere belt 2 0.367875 4 1.4715

# a coupling takes hold: the block that stuck shares the speed, and friction has no impulse to hold it with
model coupling <<'E2'
param w = 2, T = 0.5, mu = 0.3
coord x = 0, y = 0, z = 0
kinetic 1/2*x'^2 + 1/2*y'^2 + 1/2*z'^2
potential 9.81*y
contact floor: y >= 0, friction mu, slip x
constraint c: x' = z' while t > T
start z' = w
run 0 .. 1
E2
everywhere coupling 2 0.3160625 5 0.26425
zwang run coupling.zw --sensitivity w,T,mu
ends_at coupling.csv 8 0.25 1e-9
ends_at coupling.csv 14 -0.26425 1e-9
ends_at coupling.csv 20 -0.613125 1e-9

# a coupling lifts what lies on the floor: half the speed of the other, up
model lifts <<'E2'
coord y = 0, z = 1
kinetic 1/2*y'^2 + 1/2*z'^2
potential 9.81*(y + z)
contact floor: y >= 0
constraint c: y' = z' while t > 0.5
start z' = 8
run 0 .. 0.7
E2
everywhere lifts 2 0.1133 4 -0.4145

# ... or presses it down: the constraint goes first, and leaves both at -2.905/2, which bounces by half; 0.1 s later
model presses <<'E2'
coord y = 0, z = 1
kinetic 1/2*y'^2 + 1/2*z'^2
potential 9.81*(y + z)
contact floor: y >= 0, restitution 0.5
constraint c: y' = z' while t > 0.5
start z' = 2
run 0 .. 0.6
E2
everywhere presses 2 0.023575 4 -0.25475

# what the jump does is an event to others
model tells <<'E2'
coord y = 0
memory n = 0
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= (if t > 1 then 0.5*(t - 1) else 0), restitution 1
when y' > 0.9: n = n + 1
output count = n
run 0 .. 1.01
E2
everywhere tells 4 1

# a gap that jumps below zero is refused
model below <<'E2'
coord y = 0
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= (if t > 1 then 0.5 else 0)
run 0 .. 1.5
E2
zwang run below.zw
is 1
says "at t = 1 the gap of the contact 'floor' jumps to -0.5"

# the same while the contact is open and its gap becomes smaller: that is no impact in mid-air. By time, in space, by a sign, a whole
# number, a remainder; when the contact comes; in other units; as an event to others at the same instant; and while it opens.
# jumps GAP [LENGTH]: what falls from 2, in such lengths, onto a contact with this inequality
jumps() {
  cat > jumps.zw <<E2
param L = ${2:-1}
coord P = (0.5*L, 2*L), z = 2 - 9.81*0.4^2/2
memory n = 0
kinetic 1/2*(P'/L)^2 + 1/2*z'^2
potential 9.81*(P.y/L + z)
contact f: $1
contact g: z >= 0, restitution 0.5
when t > 0.4: n = n + 1
start P' = (0.285*L, 0)
run 0 .. 1.9
E2
}
for length in 1 1e6 1e-6; do
  for integrator in auto explicit radau adams bdf; do
    jumps "P.y >= L*(if t > 0.4 then 1.9 else 0), restitution 0.9" $length
    zwang run jumps.zw --integrator $integrator
    is 1
    says "jumps.zw:6:1: error: at t = 0.4 the gap of the contact 'f' jumps to"
    jumps "P.y >= L*(if P.x > L then 0.5 else 0), restitution 0.9" $length
    zwang run jumps.zw --integrator $integrator
    is 1
    says "at t = 1.75438596 the gap of the contact 'f' jumps to"
    jumps "P.y >= L*(if t > 0.4 then 1.2 else 0)" $length
    zwang run jumps.zw --integrator $integrator
    is 0
    prints "verdict      trusted"
    ends_at jumps.csv 3 "$(awk "BEGIN { print 1.2*$length }")" 1e-6
  done
  jumps "P.y >= L*(if t > 0.4 then 1.2153 else 0), restitution 0.9" $length
  zwang run jumps.zw
  is 1
  says "the gap of the contact 'f' jumps to"
  jumps "P.y >= L*(if t > 0.4 then 2 - 9.81*0.4^2/2 else 0)" $length # to zero
  zwang run jumps.zw
  is 0
  prints "verdict      trusted"
done
for gap in "P.y >= 1.9*sign(t - 0.5)" "P.y >= 1.9*floor(2*t)" "P.y >= 0.4*mod(0.4 - t, 5)" "P.y >= (if z < 0.5 then 1.9 else 0)" \
  "P.y >= 1.9*(n - 0*P.x)" "P.y - 2 >= -5 + (if t > 0.4 then 4.9 else 0)"; do
  jumps "$gap, restitution 0.9, friction 0.3, slip P.x"
  zwang run jumps.zw
  is 1
  says "the gap of the contact 'f' jumps to -"
done
jumps "P.y >= 1.9, restitution 0.9 while t > 0.4"
zwang run jumps.zw
is 1
says "at t = 0.4 the contact 'f' comes, and its gap is already -0.6848"
jumps "P.y >= (if t > 0.1 then 1.9 else 0)"
sed -i 's/0.285\*L, 0/0, 3/; s/> 0.1 then 1.9/> 0.1 then 2.9/' jumps.zw
zwang run jumps.zw
is 1
says "at t = 0.1 the gap of the contact 'f' jumps to -0.64905"

# one that jumps up opens
model up <<'E2'
coord y = 0
kinetic 1/2*y'^2
potential 9.81*y
contact floor: y >= (if t > 1 then -0.5 else 0)
run 0 .. 1.1
E2
everywhere up 2 -0.04905 3 -0.981

echo "$checks checks"
