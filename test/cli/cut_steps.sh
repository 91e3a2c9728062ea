#!/usr/bin/env bash
# Steps that a switch cuts: what the branch of a step does beyond the next switch must not decide how exact the step is before it. Against
# closed forms, at tolerances from coarse to fine.
. "$(dirname "$0")/lib.bash"

# at MODEL K V M TOLERANCE INTEGRATOR
at() {
  zwang run "$1.zw" --tolerance "$5" --integrator "$6"
  is 0
  prints "verdict      trusted"
  ends_at "$1.csv" "$2" "$3" "$4"
}

# the force of a short window, of which 1 - u^2 runs to -7e6 beyond: y' = 16/15; z is stiff, and makes auto take radau
model window <<'M'
coord x = 0, y = 0, z = 1
kinetic 1/2*(x'^2 + y'^2 + z'^2)
potential 1/2*1e6*z^2
dissipation 1/2*1e6*z'^2
start x' = 1
let u = 1e3*(x - 3.3)
force y = 1e3*max(0, 1 - u^2)^2
run 0 .. 6
M
at window 6 1.06666667 3e-5 1e-4 auto
at window 6 1.06666667 1e-6 1e-6 auto
at window 6 1.06666667 1e-8 1e-8 auto
at window 6 1.06666667 1e-8 1e-8 bdf
at window 6 1.06666667 1e-8 1e-10 auto

# a narrower one, by radau alone: the forces are zero where the step begins, so that a single iteration finds nothing
model short <<'M'
coord x = 0, y = 0
kinetic 1/2*(x'^2 + y'^2)
start x' = 1
let u = 1e4*(x - 3.3)
force y = 1e3*max(0, 1 - u^2)^2
run 0 .. 6
M
for integrator in radau explicit; do
  at short 5 0.106666667 1e-6 1e-5 $integrator
  at short 5 0.106666667 1e-9 1e-8 $integrator
  at short 5 0.106666667 1e-9 1e-10 $integrator
done

# one that no step integrates exactly: y' = 256/315
model steep <<'M'
coord x = 0, y = 0
kinetic 1/2*(x'^2 + y'^2)
start x' = 1
let u = 1e3*(x - 3.3)
force y = 1e3*max(0, 1 - u^2)^4
run 0 .. 6
M
for integrator in radau explicit; do
  at steep 5 0.812698413 3e-6 1e-5 $integrator
  at steep 5 0.812698413 2e-8 1e-8 $integrator
  at steep 5 0.812698413 2e-9 1e-12 $integrator
done

# a table whose cubics run away beyond their intervals, of which a step could pass a thousand: the work of half an interval is 5/16 of it
awk 'BEGIN { print "x,f"; for (i = 0; i <= 3000; i++) printf "%.3f,%d\n", i*0.002, i % 2 ? -1 : 1 }' >alternating.csv
model zigzag <<'M'
coord x = 0, y = 0
kinetic 1/2*(x'^2 + y'^2)
start x' = 1
force y = table("alternating.csv", x, periodic)
run 0 .. 5.801
M
at zigzag 5 0.000625 2e-8 1e-5 explicit
at zigzag 5 0.000625 5e-10 1e-8 explicit
at zigzag 5 0.000625 5e-7 1e-5 radau
done_well
