#!/usr/bin/env bash
# A step of rattle that an event cuts: what was between its ends before stays there.
. "$(dirname "$0")/lib.bash"

# rows before the event are those of the same motion without it, byte for byte
model swing <<'M'
memory n = 0
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
when x < 0.1: n = n + 1
output n
run 0 .. 3 every 0.01
M
sed '/^when/d' swing.zw >alone.zw
for name in swing alone; do
  zwang run $name.zw --integrator rattle --step 0.2
  is 0
done
awk -F, '$1 < 1.465' swing.csv | cut -d, -f1-3 >with
awk -F, '$1 < 1.465' alone.csv | cut -d, -f1-3 >without
[ "$(wc -l <with)" -gt 140 ] || fail "rows are missing"
cmp -s with without || fail "an event changes rows before it: $(diff with without | head -n 4)"

# a constraint moves the state of an event by the error of what is between: the event is where its condition says all the same
model pendulum <<'M'
memory n = 0
coord P = (1, 0)
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: norm(P) = 1
when P.y < -0.5: n = n + 1
when P.y > -0.5: n = n + 10
output n
run 0 .. 1
M
for step in 0.001 0.002 0.003 0.005 0.01; do
  zwang run pendulum.zw --integrator rattle --step $step
  is 0
  awk -F, '$NF ~ /P.y/ && $1 > 0 { d = $3 + 0.5; if (d > 1e-6 || d < -1e-6) exit 1; rows++ } END { exit rows != 4 }' pendulum.csv ||
    fail "events of a step of $step are elsewhere: $(grep 'P.y [<>]' pendulum.csv)"
done
