#!/usr/bin/env bash
# Runs that begin far from t = 0: against the same run from 0, byte by byte where the model counts from its start, and against closed
# forms where it does not.
. "$(dirname "$0")/lib.bash"

far="1e6 -1e9 1.7e9 1e12 1e15"

# the columns of a table without t
states_of() { sed '1d; s/^[^,]*,//' "$1"; }
same() {
  checks=$((checks + 1))
  cmp -s <(states_of "$1") <(states_of "$2") || fail "$1 and $2 are other motions"
}

printf 't,f\n0,0\n0.1,0.5\n0.25,1\n0.4,-0.3\n0.5,0\n' >cam.csv

# everything that reads t, counted from the start: drives, switches, remainders, whole numbers, tables, events, contacts that move
model all <<'E2'
param A = 0
coord x = 0, y = 1, r = 0, s = 0
memory n = 0
kinetic 1/2*x'^2 + 1/2*y'^2 + 1/2*r'^2 + 1/2*s'^2
potential 9.81*y + 5*(x - 0.2*sin(7*(t - A) + 1))^2 + 2*r^2 + 5*(s - r)^2
constraint drive: s = 0.1*cos(3*(t - A)) + 0.1*table("cam.csv", 1.3*(t - A) + 0.1, periodic)
contact floor: y >= 0, restitution 0.7, friction 0.2, slip x
contact roof: y <= 1.3 + 0.05*sin(3*(t - A)), restitution 0.5
force r = (if mod(t - A, 0.5) < 0.25 then 1 else -1) + floor((t - A)/0.3)
when t > A + 0.77: x' = x' + 1
when floor((t - A)/0.3) > 3 and n < 1: n = 1, r' = r' + 0.3
when A + 1.1 < t: r' = -r'
output since = t - A
start x' = 1
run A .. A + 2 tolerance 1e-9
E2
zwang run all.zw
is 0
mv all.csv all_0.csv
for A in $far; do
  zwang run all.zw --set A=$A
  is 0
  same all.csv all_0.csv
done

# every integrator, events or not
model drive <<'E2'
param A = 0
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 5*(x - y)^2
constraint d: y = 0.1*sin(3*(t - A) + 0.2)
run A .. A + 2 tolerance 1e-10
E2
for integrator in explicit radau bdf adams; do
  zwang run drive.zw --integrator $integrator
  grep -q 'SUNDIALS' err && continue
  is 0
  mv drive.csv drive_0.csv
  zwang run drive.zw --integrator $integrator --set A=1.7e9
  is 0
  same drive.csv drive_0.csv
done

# the oscillator, whose end is known
for A in 0 1 -1e9 1.7e9 1e15 1e17; do
  model oscillator <<E2
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
run $A .. $A + 1 tolerance 1e-10
E2
  zwang run oscillator.zw
  is 0
  ends_at oscillator.csv 2 0.540302305868140 1e-9
  zwang run oscillator.zw --integrator rattle --step 0.001
  is 0
  ends_at oscillator.csv 2 0.540302305868140 1e-6
done
model long <<'E2'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
run 1e17 .. 1e17 + 100
E2
zwang run long.zw
is 0
ends_at long.csv 2 0.862318872287684 1e-6
says 'the clock: near t = 1e+17 numbers are 16 apart' 'output s = t - 1e+17'
prints 't = 100000000000000000 .. 100000000000000100'

# clocks that count from elsewhere: the sine of w t, from t = T0 on, is that of the numbers as they are (by 40 digits, bc)
model swing <<'E2'
param w = 3, c = 0.5
coord x, y, z
kinetic 1/2*(x'^2 + y'^2 + z'^2)
constraint a: x = sin(w*t + 0.25)
constraint b: y = cos(w*(t - c))
constraint d: z = sin(2*t/7)
run 1700000000 .. 1700000000 + 0.5 tolerance 1e-10
E2
zwang run swing.zw
is 0
says_nothing
wants=$(python3 - <<'E2'
from fractions import Fraction as F
PI = F(31415926535897932384626433832795028841971693993751058209749445923, 10**64)
def sine(x):
    x -= 2 * PI * round(x / (2 * PI))
    term = total = x
    for k in range(1, 40):
        term = -term * x * x / ((2 * k) * (2 * k + 1))
        total += term
    return float(total)
T = F(1700000000) + F(1, 2)
print("%.17g %.17g %.17g" % (sine(3 * T + F(1, 4)), sine(3 * (T - F(1, 2)) + PI / 2), sine(2 * T / 7)))
E2
)
column=2
for want in $wants; do
  ends_at swing.csv $column "$want" 1e-14
  column=$((column + 1))
done

# a table of a clock: milliseconds since 1970
awk 'BEGIN { print "t,f"; for (i = 0; i <= 400; i++) printf "%d.%03d,%.15g\n", 1700000000 + int(i/200), (i%200)*5, sin(3*i*0.005) }' >clock.csv
awk 'BEGIN { print "t,f"; for (i = 0; i <= 400; i++) printf "%.3f,%.15g\n", i*0.005, sin(3*i*0.005) }' >near.csv
for name in near clock; do
  model $name-run <<E2
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 5*(x - y)^2
constraint d: y = 0.1*table("$name.csv", t)
run $([ $name = near ] && echo 0 || echo 1700000000) .. $([ $name = near ] && echo 0 || echo 1700000000) + 1.9 tolerance 1e-9
E2
  zwang run $name-run.zw
  is 0
done
checks=$((checks + 1))
paste -d, near-run.csv clock-run.csv | awk -F, 'NR > 1 { for (k = 2; k <= 5; k++) { d = $k - $(k+5); if (d > 1e-11 || d < -1e-11) exit 1 } }' ||
  fail "a table of a clock gives another motion"

# derivatives by the start and the length, forward and backward
model slopes <<'E2'
param A = 0, T = 2, w = 3, c = 0
coord x = 0.1, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 5*(x - y)^2
constraint d: y = 0.1*sin(w*(t - c) + 0.2)
when t > c + 1.25: x' = -0.5*x'
run A .. A + T tolerance 1e-10
E2
zwang run slopes.zw --sensitivity A,T,w
is 0
mv slopes.csv slopes_0.csv
zwang run slopes.zw --sensitivity A,T,w --set A=1.7e9 --set c=1.7e9
is 0
same slopes.csv slopes_0.csv
zwang run slopes.zw --gradient x
is 0
grep -A 9 'gradient' out | grep -E ' (A|T|w|start.x) ' | awk '{ print $1, $3 }' | sort >near.txt
zwang run slopes.zw --gradient x --set A=1.7e9 --set c=1.7e9
is 0
prints 'at t = 1700000002'
grep -A 9 'gradient' out | grep -E ' (A|T|w|start.x) ' | awk '{ print $1, $3 }' | sort >far.txt
checks=$((checks + 1))
cmp -s near.txt far.txt && [ "$(wc -l <near.txt)" = 4 ] || fail "gradients differ: $(cat near.txt far.txt)"

# members of a sweep, together and each alone
zwang sweep slopes.zw --over w=2..4:9
is 0
cut -d, -f2-4,6- slopes.sweep.csv >near.txt
zwang sweep slopes.zw --over w=2..4:9 --set A=1.7e9 --set c=1.7e9
is 0
cut -d, -f2-4,6- slopes.sweep.csv >far.txt
checks=$((checks + 1))
cmp -s near.txt far.txt || fail "the sweep from 1.7e9 is another one"

# what is linearised at a time
for A in 0 1.7e9; do
  zwang linearize drive.zw --set A=$A --at "$(awk -v a=$A 'BEGIN { printf "%.1f", a + 1.5 }')"
  is 0
  grep -v 'at t =' out >lin_$A.txt
done
prints 'at t = 1700000001.5'
checks=$((checks + 1))
cmp -s lin_0.txt lin_1.7e9.txt || fail "linearize --at is another one at 1.7e9"

# messages name times that can be told apart
model ends <<'E2'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
stop when t > 1700000000.7
output f = sqrt(1700000000.5 - t)
run 1.7e9 .. 1.7e9 + 1
E2
zwang run ends.zw
is 0
says "no finite value at t = 1700000000.502"
prints 't = 1700000000 .. 1700000000.7'

# an end that is a number of its own is rounded, and that is said
model given <<'E2'
coord x = 1
kinetic 1/2*x'^2
potential 1/2*x^2
run 1e12 .. 1000000000010 every 1
E2
zwang run given.zw
is 0
says 'the clock: near t = 1e+12 numbers are 0.000122 apart, so the end of the run'

# a drive that no clock can follow to this tolerance: the clock is named, and at once
model fast <<'E2'
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 5*(x - y)^2
constraint drive: y = sin(300*t)
run 0 .. 1000 every 10 tolerance 1e-13
E2
zwang run fast.zw
is 1
says "the clock is too coarse for the constraint 'drive'"

# branches and extremes of t
model ramp <<'E2'
param A = 0
coord x = 0
kinetic 1/2*x'^2
force x = max(t, A + 0.3) - A + min(A + 0.6, t) - A + (if t > A + 0.5 then t - A else 0.5) + abs(t - A - 0.4)
run A .. A + 1 tolerance 1e-10
E2
zwang run ramp.zw
is 0
mv ramp.csv ramp_0.csv
zwang run ramp.zw --set A=1.7e9
is 0
checks=$((checks + 1))
paste -d, <(grep -v switches ramp_0.csv | tail -n 1) <(grep -v switches ramp.csv | tail -n 1) | awk -F, '{ n = NF/2; for (k = 2; k <= 3; k++) { d = $k - $(k+n); if (d > 1e-12 || d < -1e-12) exit 1 } }' ||
  fail "max, min and if of t are others at 1.7e9"

# goes on from a checkpoint with the same bytes
model gone <<'E2'
param A = 1.7e9
coord x = 0, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential 5*(x - y)^2
constraint d: y = 0.1*sin(3*(t - A) + 0.2)
force x = if mod(t, 0.7) < 0.3 then 1 else 0
run A .. A + 4000 every 1 tolerance 1e-10
E2
zwang run gone.zw
is 0
mv gone.csv whole.csv
background run gone.zw
await_or_end has_lines gone.csv.part 100
finish INT
if [ -e gone.csv.part ]; then
  zwang run gone.zw --resume
  is 0
fi
checks=$((checks + 1))
cmp -s gone.csv whole.csv || fail "the resumed run is another one"

echo "$checks checks"
