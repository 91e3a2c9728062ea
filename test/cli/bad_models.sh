#!/usr/bin/env bash
# Models that are wrong, or that go wrong on the way: exit status, place, words; nothing left that looks like a result.
. "$(dirname "$0")/lib.bash"

# refused NAME WORDS... <<'E': the model is wrong, nothing is written
refused() {
  local name=$1
  shift
  model "$name"
  zwang run "$name.zw"
  is 2
  says "error:" "$@"
  prints_nothing
  no_results
  zwang check "$name.zw"
  is 2
  says "error:" "$@"
  no_results
  rm -f "$name.zw"
}

# failed NAME WORDS... <<'E': the run began and could not go on
failed() {
  local name=$1
  shift
  model "$name"
  zwang run "$name.zw"
  is 1
  says "error:" "$@"
  prints "$name.csv.part"
  no_results_but_part
  whole_rows "$name.csv.part"
  rm -f "$name".*
}

refused unknown "unknown.zw:2:13: error: 'q' is not declared" "declare it above" <<'E2'
coord x
kinetic 1/2*q'^2
E2
refused misspelt "misspelt.zw:2:13: error: 'lenght' is not declared" "did you mean 'length'?" \
  "     2 | kinetic 1/2*lenght'^2" "       |             ^~~~~~" <<'E2'
coord length
kinetic 1/2*lenght'^2
E2
# an accent typed behind its letter counts as a character of the text, and is drawn over the letter
refused accents "accents.zw:2:17: error: 'qén' is not declared" "     2 | kinetic lén'^2*qén" \
  "       |                ^~~" <<'E2'
coord lén
kinetic lén'^2*qén
E2
refused twice "twice.zw:2:7: error: 'x' is declared already, in line 1" <<'E2'
coord x
coord x
E2
refused several "several.zw:2:13: error: 'a' is not declared" "several.zw:3:11: error: 'b' is not declared" \
  "several.zw:4:7: error: expected a value, found '='" <<'E2'
coord x
kinetic 1/2*a'^2
potential b
force = 3
E2
refused third "third.zw:2:15: error: a time derivative higher than the second" "x'' is the highest" <<'E2'
coord x
constraint c: x''' = 0
E2
refused bare "bare.zw:4:15: error: this constraint holds no coordinate" <<'E2'
param l = 1
coord x
kinetic 1/2*x'^2
constraint c: l = 2
run 0 .. 1
E2
refused nonlinear "nonlinear.zw:3:1: error: this constraint is not linear in the accelerations" <<'E2'
coord x
kinetic 1/2*x'^2
constraint c: x''^2 = 1
run 0 .. 1
E2

# constraints against each other, on every level and later
refused positions "satisfy these constraints together" "'here' (line 3" "'there' (line 4" <<'E2'
coord x
kinetic 1/2*x'^2
constraint here: x = 1
constraint there: x = 2
run 0 .. 1
E2
refused velocities "no start velocities were found that satisfy these constraints together" "'slow' (line 3" "'fast' (line 4" <<'E2'
coord x
kinetic 1/2*x'^2
constraint slow: x' = 1
constraint fast: x' = 2
run 0 .. 1
E2
refused accelerations "the constraint 'down' contradicts 'up' (line 3) at t = 0" <<'E2'
coord x
kinetic 1/2*x'^2
constraint up: x'' = 1
constraint down: x'' = -1
run 0 .. 1
E2
failed later "later.zw:4:1: error: the constraint 'leave' jumps at t = 1.3, but the positions do not satisfy it" <<'E2'
coord x = 1
kinetic 1/2*x'^2
constraint stay: x = 1
constraint leave: x = if t < 1.3 then 1 else 2
run 0 .. 2
E2

# starts
refused nowhere "no start positions were found that satisfy the constraint 'c'" <<'E2'
coord x = 1, y = 1
kinetic 1/2*(x'^2 + y'^2)
constraint c: x^2 + y^2 = -1
run 0 .. 1
E2
refused flat "the constraint 'c' does not hold at the start" "give start values" <<'E2'
coord x, y
kinetic 1/2*(x'^2 + y'^2)
constraint c: x^2 + y^2 = 1
run 0 .. 1
E2

# inertia
refused undetermined "undetermined.zw:1:10: error: the acceleration of 'y' is not determined" <<'E2'
coord x, y
kinetic 1/2*x'^2
run 0 .. 1
E2
refused massless "massless.zw:4:1: error:" "'x'" "this kinetic energy gives no mass" <<'E2'
param m = 0
coord x, y
kinetic 1/2*y'^2
kinetic 1/2*m*x'^2
run 0 .. 1
E2
refused negative "negative.zw:4:1: error: this kinetic energy gives 'x' a negative mass (-2)" <<'E2'
param m = -2
coord x, y
kinetic 1/2*y'^2
kinetic 1/2*m*x'^2
run 0 .. 1
E2

# values that are no numbers: at the start
refused division "division.zw:3:15: error: division by zero at t = 0: 2/x" <<'E2'
coord x
kinetic 1/2*x'^2
force x = 1 + 2/x
run 0 .. 1
E2
refused logarithm "logarithm.zw:3:15: error: the logarithm of a negative number (-2) at t = 0: log(x)" <<'E2'
coord x = -2
kinetic 1/2*x'^2
force x = 1 + log(x)
run 0 .. 1
E2
refused indefinite "indefinite.zw:1:7: error: the parameter 'a' has no finite value" "not a number" <<'E2'
param a = 0/0
coord x
kinetic 1/2*x'^2
force x = a
run 0 .. 1
E2
# and at t = 1.3
failed division_later "division_later.zw:3:39: error: division by zero at t = 1.3: 1/0" <<'E2'
coord x
kinetic 1/2*x'^2
force x = 1 + (if t < 1.3 then 1 else 1/0)
run 0 .. 2
E2
failed logarithm_later "logarithm_later.zw:3:15: error: the logarithm of" "at t = 1.3: log(1.3 - t)" <<'E2'
coord x
kinetic 1/2*x'^2
force x = 1 + log(1.3 - t)
run 0 .. 2
E2
failed root_later "root_later.zw:3:15: error: the square root of a negative number" "at t = 1.3: sqrt(1.3 - t)" <<'E2'
coord x
kinetic 1/2*x'^2
force x = 1 + sqrt(1.3 - t)
run 0 .. 2
E2
failed pole_later "division by almost zero" <<'E2'
coord x
kinetic 1/2*x'^2
force x = 1/(1.3 - t)
run 0 .. 2
E2

# how long
refused endless "the run must end after it begins" <<'E2'
coord x
kinetic 1/2*x'^2
run 1 .. 0
E2
model unsaid <<'E2'
coord x
kinetic 1/2*x'^2
E2
zwang run unsaid.zw
is 2
says "the model does not say how long to run" "add 'run 0 .. 10' to the model, or --to 10 to the command"
no_results
zwang check unsaid.zw
is 0
zwang run unsaid.zw --to 1
is 0
exists unsaid.csv unsaid.svg
rm -f unsaid.*

# more mistakes than anyone reads
{ echo "coord x"; for i in $(seq 300); do echo "potential q$i"; done; } >many.zw
zwang run many.zw
is 2
says "many.zw:2:11: error: 'q1' is not declared" "50 errors are shown; there are more"
[ "$(grep -c error: err)" = 50 ] || fail "$(grep -c error: err) errors are shown"
no_results
done_well
