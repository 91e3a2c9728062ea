#!/usr/bin/env bash
# check --force: is a stated generalized force a constraint force (L96 4.3)?
. "$(dirname "$0")/lib.bash"
model thread <<'E'
param m = 2, g = 9.81
coord x, y = -1, z
kinetic 1/2*m*(x'^2 + y'^2 + z'^2)
potential m*g*y
constraint thread: x^2 + y^2 = 1
constraint wall: z = 0
run 0 .. 1 every 0.5
E

# along the rows: yes, whatever the numbers
zwang check thread.zw --force "y=3, z=5"
is 0
says_nothing
prints "force        y 3, z 5" "is a constraint force: it does no work on what the constraints leave free" \
  "multipliers: thread -1.5, wall 5" "3 coordinates, 2 constraints of rank 2"
# along the thread's circle: no
zwang check thread.zw --force "x=1,y=3"
is 0
prints "is no constraint force; the part that would move the system: x 1" "multipliers of the other part: thread -1.5"
zwang check thread.zw --force "x=1, y=3" --json
is 0
is_json
json_is force.is_constraint_force false
json_is 'force.rest[0]' 1
json_is 'force.rest[1]' 0
json_is 'force.lambda[0]' -1.5
json_is 'force.rows[1]' wall
json_is 'force.coordinates[2]' z
zwang check thread.zw --json
is 0
is_json
! grep -q '"force"' out || fail "a force that nobody stated"
zwang check thread.zw --force "x=0"
is 0
prints "is a constraint force"

# with other masses another part would move the system: F = X^T F + A^T lambda, X^T F = (1/(1 + 4), ..) for the row x + y = 0, M = (1, 4)
model masses <<'E'
coord x, y
kinetic 1/2*x'^2 + 1/2*4*y'^2
constraint both: x + y = 0
E
zwang check masses.zw --force "x=1"
is 0
prints "would move the system: x 0.2, y -0.8" "multipliers of the other part: both 0.8"
zwang check masses.zw --force "y=2, x=2"
is 0
prints "is a constraint force" "multipliers: both 2"

# a row of the constraints itself, where a multiplier and a component vanish but for rounding
model rows <<'E'
param m = 1.3
coord x = 1, y = 1, z = 0.5
kinetic 1/2*m*(x'^2 + 1.7*y'^2 + 0.3*z'^2)
constraint c1: x = y
constraint c2: y = 2*z
E
zwang check rows.zw --force "x=1, y=-1"
is 0
prints "is a constraint force" "multipliers: c1 1"
zwang check rows.zw --force "x=1, y=-1, z=1e-6"
is 0
prints "is no constraint force"

# every row of a mechanism is one
cat >rows_of.py <<'E'
import json
names = json.load(open("names.json"))["coordinates"]
for row in json.load(open("out"))["frames"][0]["A"][:4]:
    print(", ".join(f"{name}={value!r}" for name, value in zip(names, row) if value))
E
for example in andrews peaucellier slider-crank-parts heavy-top n-four-bar; do
  zwang derive "$root/examples/$example.zw" --json -o names.json
  is 0
  zwang compare "$root/examples/$example.zw" --at 0 --json
  is 0
  python3 rows_of.py >forces.txt || fail "$example: no rows"
  [ -s forces.txt ] || fail "$example has no rows"
  while read -r force; do
    zwang check "$root/examples/$example.zw" --force "$force"
    is 0
    prints "is a constraint force"
  done <forces.txt
done

# rows that repeat each other: the smallest multipliers; a coordinate without inertia; many coordinates; no constraints
cp "$root/test/papers/data/u96_twice.zw" "$root/examples/table-four-legs.zw" .
zwang check u96_twice.zw --force "x=1"
is 0
prints "would move the system: x 0.82, y -0.24, z 0.3" "multipliers of the other part: one 0.06, two 0.12"
zwang check table-four-legs.zw --force "z=1"
is 0
prints "multipliers: leg[1] 0.25, leg[2] 0.25, leg[3] 0.25, leg[4] 0.25"
model massless <<'E'
coord x = 0.8, s, h = 0.2
kinetic 1/2*x'^2 + 1/2*h'^2
potential (x - s)^2 + s^2
constraint guide: s = 0.4*h + 0.3*x
E
zwang check massless.zw --force "x=-0.3, s=1, h=-0.4"
is 0
prints "is a constraint force" "multipliers: guide 1"
zwang check massless.zw --force "s=1"
is 0
prints "would move the system: x 0.3, h 0.4" "multipliers of the other part: guide 1"
model many <<'E'
coord x[1..300], y[1..300]
for i in 1..300 {
  kinetic 1/2*(x[i]'^2 + y[i]'^2)
  constraint pair[i]: x[i] = 2*y[i]
}
E
zwang check many.zw --force "x[7]=3, y[7]=-6" -q
is 0
prints_nothing
zwang check many.zw --force "x[7]=3, y[7]=-6"
is 0
prints "is a constraint force" "multipliers: pair[7] 3"
model free <<'E'
coord P = (0, 1)
kinetic 1/2*P'^2
E
zwang check free.zw --force "P.y=2"
is 0
prints "is no constraint force; the part that would move the system: P.y 2"

# ---- what is refused ----
refused() { # TEXT WORDS
  zwang check thread.zw --force "$1"
  is 2
  says "$2"
  prints_nothing
}
for wrong in "" x "x=a" "x=nan" "x=1,," "=1"; do refused "$wrong" "--force needs values of coordinates, as in --force y=1,z=0"; done
refused "q=1" "--force: 'q' is no coordinate; the coordinates are x, y, z"
refused "x'=1" "--force: 'x'' is no coordinate"
refused "x=1, x=2" "--force gives 'x' twice"
zwang check thread.zw --force "q=1" --json
is 2
is_json
json_is status refused
zwang run thread.zw --force "x=1"
is 2
says "'zwang run' has no option '--force'"
done_well
