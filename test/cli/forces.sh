#!/usr/bin/env bash
# run --forces: multipliers, generalized forces by constraint and coordinate, and who shares a load.
. "$(dirname "$0")/lib.bash"

# a hanging weight: the thread pulls with m g, along y only
model thread <<'M'
param m = 2, g = 9.81
coord x, y = -1, z
kinetic 1/2*m*(x'^2 + y'^2 + z'^2)
potential m*g*y
constraint thread: x^2 + y^2 = 1
constraint wall: z = 0
run 0 .. 1 every 0.5
M
zwang run thread.zw --forces
is 0
says_nothing
exists thread.csv
head -n 1 thread.csv >header
grep -qxF "t,x,y,z,x',y',z',reaction(thread),reaction(wall),thread on x,thread on y,wall on z,constraints on x,constraints on y,constraints on z,constraints on x (b),constraints on y (b),constraints on z (b),constraints on x (h),constraints on y (h),constraints on z (h)" header ||
  fail "the header is: $(cat header)"
# reaction * d(x^2 + y^2)/dy = m g with y = -1: the multiplier is -m g/2
awk -F, 'NR > 1 {
  if ($8 + 9.81 > 1e-9 || $8 + 9.81 < -1e-9) exit 1
  if ($11 - 19.62 > 1e-9 || $11 - 19.62 < -1e-9) exit 1
  if ($14 - 19.62 > 1e-9 || $14 - 19.62 < -1e-9) exit 1
  if ($9 != 0 || $12 != 0 || $15 != 0) exit 1
}' thread.csv || fail "the forces in thread.csv are wrong"

# without --forces there are none
zwang run thread.zw
is 0
head -n 1 thread.csv >header
grep -qxF "t,x,y,z,x',y',z'" header || fail "forces nobody asked for"

# a door on three hinges: its axis is held three times
model door <<'M'
use spatial
part ground = earth()
part door = body(20, (4, 1, 5), (0.5, 0, 1))
part low    = revolute(ground, door, (0, 0, 0.2), (0, 0, 1))
part middle = revolute(ground, door, (0, 0, 1), (0, 0, 1))
part high   = revolute(ground, door, (0, 0, 1.8), (0, 0, 1))
start exactly door.w = (0, 0, 1)
run 0 .. 1
M
zwang check door.zw --json
is 0
is_json
json_is n 7
json_is m 16
json_is rank 6
json_is dof 1
json_has 'shared[0].unique[0]'
zwang run door.zw --forces
is 0
says "is redundant: it follows from"
prints "shared load" "their reactions are not unique" "unique (here):" "the smallest are given"
# the hinges carry the weight together, whoever carries it: every split gives the same force on the door
head -n 1 door.csv | tr ',' '\n' | grep -n . >columns
column() { grep -F ":$1" columns | cut -d: -f1 | head -n 1; }
awk -F, -v a="$(column 'reaction(low.pin.z)')" -v b="$(column 'reaction(middle.pin.z)')" -v c="$(column 'reaction(high.pin.z)')" \
  'NR > 1 { s = $a + $b + $c; d = (s < 0 ? -s : s) - 20*9.81; if (d > 1e-6 || d < -1e-6) exit 1 }' door.csv ||
  fail "the hinges do not carry the weight of the door"

# one number may be chosen: said in numbers too
model legs <<'M'
coord z, roll, pitch
kinetic z'^2 + roll'^2 + pitch'^2
let height(x, y) = z + y*roll - x*pitch
for i in 1..2, k in 1..2 { constraint leg[i,k]: height(2*i - 3, 2*k - 3) = 0 }
M
zwang check legs.zw
is 0
prints "leg[1,1], leg[1,2], leg[2,1], leg[2,2]" "1 number is free"
zwang check legs.zw --json
is_json
json_is 'shared[0].freedom' 1
json_is 'shared[0].constraints[3]' 'leg[2,2]'
done_well
