#!/usr/bin/env bash
# What is narrower than the steps of a smooth motion: bumps, fronts and hills that no sample of a step meets by itself. Against closed
# forms, with every integrator, in other units, and in a sweep.
. "$(dirname "$0")/lib.bash"

# everywhere MODEL K V M: with every integrator; those of low order add up errors of some thousand steps
everywhere() {
  for choice in "auto" "auto --tolerance 1e-12" "radau" "bdf" "adams"; do
    case $choice in bdf | adams) margin=$(awk -v m="$4" 'BEGIN { print 30*m }') ;; *) margin=$4 ;; esac
    # shellcheck disable=SC2086
    zwang run "$1.zw" --integrator $choice
    is 0
    prints "verdict      trusted"
    ends_at "$1.csv" "$2" "$3" "$margin"
  done
}

# a road with one bump, on a straight way: w^2 b sqrt(pi) s exp(-(w s/2)^2) sin(w (t - t0)) / w after it
model driven <<'E2'
coord y = 0, z = 0
kinetic 1/2*(y'^2 + z'^2)
potential 200*(z - y)^2
constraint d: y = 0.05*exp(-((t - 5.123)/0.01)^2)
run 0 .. 10
E2
everywhere driven 3 -0.00263325817 1e-7

# a hill that costs time: the integral of 1/sqrt(1 - 2 V) - 1 over it, 0.02497882
model hill <<'E2'
coord x = 0
kinetic 1/2*x'^2
potential 0.3*exp(-((x - 5.123)/0.03)^2)
start x' = 1
run 0 .. 10 every 0.01
E2
everywhere hill 2 9.97502118 1e-6

# a front that is too high: it turns the motion back
model front <<'E2'
coord x = 0
kinetic 1/2*x'^2
potential 0.3*tanh((x - 5.123)/0.0003)
start x' = 1
run 0 .. 10
E2
everywhere front 2 0.24790443 2e-7

# a bump that is no exponential, aside of the way
model ridge <<'E2'
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 1/2*y^2 + 0.01*y/(1 + ((x - 5.123)/0.0003)^2)
start x' = 1
run 0 .. 10
E2
everywhere ridge 3 9.294525e-06 1e-11

# several of them, one of a width of its own; one that acts on nothing
model pulses <<'E2'
coord x = 0
kinetic 1/2*x'^2
force x = exp(-((t - 2.5)/0.001)^2) - exp(-((t - 7.5)/0.001)^2) + exp(-((t - 7.6)/1e-5)^2) + 1e-30*exp(-((t - 5)/1e-4)^2)
run 0 .. 10
E2
everywhere pulses 2 0.00890480815 1e-9

# powers: of a number, and of what moves (int cos^p = 3 B(p/2 + 1/2, 1/2) with p = 1e5)
model base <<'E2'
coord x = 0
kinetic 1/2*x'^2
force x = 2^(-((t - 5.123)/0.001)^2)
run 0 .. 10
E2
everywhere base 3 0.00212893404 1e-9
model power <<'E2'
coord x = 0
kinetic 1/2*x'^2
force x = cos(t - 5.123)^100000
run 0 .. 10
E2
everywhere power 3 0.02377990433 1e-8

# and again and again
model clock <<'E2'
coord x = 0
kinetic 1/2*x'^2
force x = exp(-1e6*sin(t)^2)
run 0.1 .. 100
E2
everywhere clock 3 0.0549460831 1e-7

# a hill in the plane, met aside of its top; the dense output of a step that has met it leads elsewhere
model plane <<'E2'
coord P = (-3, 0.01)
kinetic 1/2*P'^2
potential 0.2*exp(-(P/0.02)^2)
start P' = (1, 0)
run 0 .. 6
E2
everywhere plane 2 2.82566363 2e-7

# under a contact, which is thrown off
model thrown <<'E2'
coord y = 0
kinetic 1/2*y'^2
potential 9.81*y
contact road: y >= 0.05*exp(-((10*t - 50)/0.2)^2)
run 4 .. 5.1
E2
zwang run thrown.zw --tolerance 1e-12
is 0
y=$(tail -n 1 thrown.csv | cut -d, -f2)
everywhere thrown 2 "$y" 1e-7

# in other units of length and time
model units <<'E2'
param L = 1, T = 1
coord x = 0
kinetic 1/2*x'^2
potential 0.3*(L/T)^2*exp(-((x/L - 5.123)/0.03)^2)
start x' = L/T
output part = x/L
run 0 .. 10*T
E2
for units in "1e6 1" "1e-6 1" "1 1e6" "1 1e-6" "1e-9 1e9"; do
  zwang run units.zw --set "L=${units% *}" --set "T=${units#* }"
  is 0
  ends_at units.csv 4 9.97502118 1e-6
done

# members of a sweep go together as far as they can, and get the bits that they get alone
model lanes <<'E2'
param v = 1
coord x = 0, y = 0.1
kinetic 1/2*x'^2 + 1/2*y'^2
potential 0.3*exp(-((x - 5.123)/0.03)^2) + 1/2*y^2
start x' = v
run 0 .. 10
E2
zwang sweep lanes.zw --over v=0.9,1,1.1,1.2,1.3,1.4,1.5,1.6
is 0
row=1
for v in 0.9 1 1.1 1.2 1.3 1.4 1.5 1.6; do
  row=$((row + 1))
  zwang run lanes.zw --set v=$v
  is 0
  alone=$(tail -n 1 lanes.csv)
  together=$(sed -n "${row}p" lanes.sweep.csv | cut -d, -f5-9)
  checks=$((checks + 1))
  [ "$alone" = "$together" ] || fail "member $v is $together, the run $alone"
done

# corners that are rounded off: roots whose arguments are small between the ends; the bell that is left of three of them, and the ways beside
# the others, which fall off as 1/u
corner() { # NAME FORCE
  model "$1" <<E2
coord x = 0, y = 0
kinetic 1/2*(x'^2 + y'^2)
start x' = 1
let u = 1e4*(x - 3.3)
force y = 1e3*($2)
run 0 .. 6
E2
}
corner roots "sqrt(1 + u^2) - 2*sqrt(1 + (u - 1)^2) + sqrt(1 + (u - 2)^2)"
corner beside "sqrt(1 + u^2) - sqrt(u^2)"
corner lengths "norm((u, 1)) - norm((u, 0.1))"
for integrator in auto radau bdf adams; do
  for choice in "1e-5 1e-4" "1e-8 1e-6" "1e-11 1e-6"; do
    zwang run roots.zw --integrator "$integrator" --tolerance "${choice% *}"
    is 0
    ends_at roots.csv 5 0.2 "${choice#* }"
  done
  for choice in "1e-5 3e-3" "1e-8 3e-6"; do
    zwang run beside.zw --integrator "$integrator" --tolerance "${choice% *}"
    is 0
    ends_at beside.csv 5 1.14970747 "${choice#* }"
    zwang run lengths.zw --integrator "$integrator" --tolerance "${choice% *}"
    is 0
    ends_at lengths.csv 5 1.13590781 "${choice#* }"
  done
done

echo "$checks checks"
