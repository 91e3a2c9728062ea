#!/usr/bin/env bash
# Conditions that say nothing most of the time: min, max, clamp, if and tables that are constant but for a short window. Every passage
# through every window is counted, by every integrator, as the closed form says.
. "$(dirname "$0")/lib.bash"

# The number in the last row of column `n` of a model.
counted() {
  tail -n 1 "$1.csv" | awk -F, -v at="$(head -n 1 "$1.csv" | tr , '\n' | grep -nx n | cut -d: -f1)" '{ print $at }'
}

# counts MODEL NUMBER: with every integrator that is there
counts() {
  for integrator in explicit radau bdf adams rattle; do
    local step=""
    [ "$integrator" = rattle ] && step="--step 0.001"
    # shellcheck disable=SC2086
    zwang run "$1.zw" --integrator "$integrator" $step
    grep -q "SUNDIALS\|cannot be used" err && continue
    is 0
    [ "$(counted "$1")" = "$2" ] || fail "$1 by $integrator counts $(counted "$1") and not $2"
  done
}

# windows of a ten-thousandth and less in a step that is as long as the run: x = t
model windows <<'M'
let clamp(a) = max(0, min(1, a))
memory n = 0
coord x = 0
kinetic 1/2*x'^2
start x' = 1
when min(1, 10*(x - 1)) > 0.5: n = n + 1
when clamp(1e6*(x - 1.2))*clamp(1e6*(1.2001 - x)) > 0.5: n = n + 10
when max(0, 1 - 1e6*abs(x - 1.3)) > 0.5: n = n + 100
when clamp(1e9*(x - 1.4))*clamp(1e9*(1.4000001 - x)) > 0.5: n = n + 1000
when (if x > 1.5 then exp(-1e5*(x - 1.5)) else 0) > 0.5: n = n + 10000
when min(abs(x - 1.8), abs(x - 1.9)) < 1e-7: n = n + 100000
when min(max(x, 0.4), 0.4001) > 0.40005: n = n + 1000000
output n
run 0 .. 2
M
counts windows 1211111

# saturated remainders: once in every period, for a ten-thousandth of it
model teeth <<'M'
memory n = 0
coord x = 0
kinetic 1/2*x'^2
start x' = 1
when max(0, mod(x, 1) - 0.9999)*1e4 > 0.5: n = n + 1
when (if mod(x, 2) < 1e-4 and x > 0.5 then 1 else 0) > 0.5: n = n + 100
when max(0, 1 - 1e5*abs(sin(pi*x))) > 0.5 and x > 0.5: n = n + 10000
output n
run 0 .. 10.25
M
counts teeth 100510

# three points of a table of thousands, at which it is 1; two of the periods of another one
{
  echo "x,y"
  seq 0 10000 | awk '{ printf "%.3f,%d\n", $1/1000, $1 == 3301 || $1 == 7013 || $1 == 9994 }'
} >peaks.csv
{
  echo "x,y"
  seq 0 1000 | awk '{ printf "%.4f,%d\n", $1/200, $1 == 500 }'
} >period.csv
model spikes <<'M'
memory n = 0
coord x = 0
kinetic 1/2*x'^2
start x' = 1
when table("peaks.csv", x) > 0.5: n = n + 1
when table("period.csv", x + 10, periodic) > 0.5: n = n + 10
output n
run 0 .. 10
M
counts spikes 23

# a pendulum from the horizontal has |a|^2 = g^2 (1 + 3 sin^2): 30 degrees below it twice in a swing, each in a short window
model pin <<'M'
memory n = 0
coord P = (1, 0)
kinetic 1/2*P'^2
potential 9.81*P.y
constraint rod: norm(P) = 1
when max(0, 1 - 1e3*abs(norm(P'')^2 - 9.81^2*(1 + 3/4))) > 0.5: n = n + 1
when max(0, 1 - 1e4*abs(P.y + 0.5)) > 0.5: n = n + 100
output n
run 0 .. 1
M
counts pin 202

# several gaps joined by min are as good as several contacts: a ball between two planes and a ceiling
model joined <<'M'
coord x = 0, y = 1
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
contact c: min(min(y - x, y + x), 2 - y) >= 0, restitution 1
start x' = 0.3
run 0 .. 5
M
model apart <<'M'
coord x = 0, y = 1
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y
contact a: y - x >= 0, restitution 1
contact b: y + x >= 0, restitution 1
contact d: 2 - y >= 0, restitution 1
start x' = 0.3
run 0 .. 5
M
zwang run joined.zw
is 0
zwang run apart.zw
is 0
paste -d, <(tail -n 1 joined.csv | cut -d, -f2-5) <(tail -n 1 apart.csv | cut -d, -f2-5) |
  awk -F, '{ for (i = 1; i <= 4; i++) { d = $i - $(i + 4); if (d > 1e-6 || d < -1e-6) exit 1 } }' ||
  fail "one contact of three gaps moves otherwise than three contacts"

# a tooth of 0.2 mm on the floor, met at 10 m/s 1 mm above the floor
model tooth <<'M'
coord x = 0, y = 1e-3
kinetic 1/2*(x'^2 + y'^2)
contact c: y - max(0, 0.01 - 100*abs(x - 1.234)) >= 0, restitution 1
start x' = 10
run 0 .. 1
M
zwang run tooth.zw
is 0
prints "impacts      1"
# its flank, of the slope 100, throws it back
tail -n 1 tooth.csv | awk -F, '{ d = $4 + 10*(1e4 - 1)/(1e4 + 1); if (d > 1e-9 || d < -1e-9) exit 1 }' || fail "it is thrown elsewhere"
