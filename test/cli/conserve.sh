#!/usr/bin/env bash
# --conserve energy: long runs of conservative models.
. "$(dirname "$0")/lib.bash"

model swing <<'M'
param g = 9.81
coord x = 0.8414709848078965, y = -0.5403023058681398
kinetic 1/2*(x'^2 + y'^2)
potential g*y
constraint rod: x^2 + y^2 = 1
output angle = atan2(x, -y)
run 0 .. 2000 every 500 tolerance 1e-9
M
model angle <<'M'
param g = 9.81
coord th = 1
kinetic 1/2*th'^2
potential -g*cos(th)
run 0 .. 2000 every 500 tolerance 1e-13
M
zwang run angle.zw
is 0
exact=$(tail -n 1 angle.csv | cut -d, -f2)
off() { tail -n 1 swing.csv | awk -F, -v want="$exact" '{ d = $6 - want; if (d < 0) d = -d; printf "%.3e", d }'; }

zwang run swing.zw
is 0
prints "energy       conserved"
free=$(off)
zwang run swing.zw --conserve energy
is 0
prints "energy       held by projection" "no evidence"
held=$(off)
# the phase follows the energy: a tenth of the error at most
awk -v a="$held" -v b="$free" 'BEGIN { exit !(a < 0.1*b && a < 1e-7) }' || fail "the angle is off by $held, and by $free without"
zwang run swing.zw --conserve energy --json
is_json
json_is energy held
awk -F, 'NR > 1 { d = $2^2 + $3^2 - 1; if (d > 1e-12 || d < -1e-12) exit 1 }' swing.csv || fail "off the constraint"

# only where it is conserved
model pushed <<'M'
coord x
kinetic 1/2*x'^2
force x = 1
run 0 .. 1
M
zwang run pushed.zw --conserve energy
is 2
says "energy cannot be held: the model does not conserve it"
absent pushed.csv pushed.csv.part
zwang run swing.zw --conserve momentum
is 2
says "--conserve knows 'energy', not 'momentum'"
zwang check swing.zw --conserve energy
is 2
done_well
