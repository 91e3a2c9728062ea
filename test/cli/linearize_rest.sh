#!/usr/bin/env bash
# Rest is where nothing is driven, whatever is stiff beside it, and whatever the units. What is expected comes from closed forms, and from runs
# that are started where rest was found.
. "$(dirname "$0")/lib.bash"

# stays COORDINATES...: a run from what --json has found of $name.zw stays there
stays() {
  checks=$((checks + 1))
  python3 - "$name" "$@" <<'PY' || fail "$name does not stay where it was found"
import csv, json, os, subprocess, sys
name, coords = sys.argv[1], sys.argv[2:]
found = json.load(open("out"))
lines = [line for line in open(name + ".zw") if not line.startswith("run")]
length = [line for line in open(name + ".zw") if line.startswith("run")]
starts = ["start exactly %s = %r\n" % (k, found["q"][k]) for k in coords]
open("stay.zw", "w").writelines(lines + starts + length)
subprocess.run([os.environ["ZWANG"], "run", "stay.zw", "--quiet"], check=True)
rows = list(csv.DictReader(open("stay.csv")))
for k in coords:
    size = max(abs(float(rows[0][k])), max(abs(found["q"][c]) for c in coords))
    assert abs(float(rows[-1][k]) - float(rows[0][k])) <= 1e-7*size, (k, rows[0][k], rows[-1][k])
PY
}

# expect CODE: Python on what --json says
expect() {
  checks=$((checks + 1))
  python3 -c '
import json, math, sys
found = json.load(open("out"))
q, lam = found["q"], [complex(e["re"], e["im"]) for e in found["eigenvalues"]]
exec(sys.argv[1])' "$1" 2>report || fail "$(tail -1 report)"
}
export ZWANG

# a weight sinks to a floor beside a spring, in micrometres and in megametres: y is typed as zero, and only the floor tells its size
for e in -6 0 6; do
  name=sinking
  model sinking <<M
coord x = 1e$e, y = 0
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*y + 500*(x - 2e$e)^2
contact ground: y >= -1e$e
run 0 .. 0.01
M
  zwang linearize sinking.zw --json
  is 0
  expect "assert abs(q['y']/1e$e + 1) < 1e-9 and abs(q['x']/2e$e - 1) < 1e-9 and abs(abs(lam[0]) - math.sqrt(1000)) < 1e-6, (q, lam)"
  stays x y
done

# a wall moves up to a spring, and past it: it closes where the spring ends, without a stretch of rounding before
model approaching <<'M'
param w = -1
coord x = 0
kinetic 1/2*x'^2
potential 1/2*x^2
contact wall: x >= w
run 0 .. 1
M
zwang linearize approaching.zw --over w=-1..1:21
is 0
prints "undamped up to w = 0, where 'wall' closes, then stable"

# ... and past a hill, where it starts to push what falls off on the other side
model past <<'M'
param w = -1
coord x = 0
kinetic 1/2*x'^2
potential -1/2*x^2 + 1/4*x^4
contact wall: x >= w
start x = -1
run 0 .. 1
M
zwang linearize past.zw --over w=-2..0.5:26
is 0
prints "undamped up to w = -1, where 'wall' closes"
prints "then undamped at another one, where 'wall' is open"

# two masses on a spring fall, however stiff it is: there is no rest, nor a steady motion; with a floor there is one
for k in 1e4 1e8 1e10 1e12 1e14; do
  model falling <<M
coord x = 0.5, y = 1.5
kinetic 1/2*(x'^2 + y'^2)
potential 9.81*(x + y) + 1/2*$k*(y - x - 1)^2
run 0 .. 1e-3
M
  zwang linearize falling.zw
  is 1
  says "no equilibrium was found"
  sed "s/^run/start x' = 2, y' = 2\nrun/" falling.zw >thrown.zw
  [ $k = 1e14 ] || {
    zwang linearize thrown.zw
    is 1
    says "no steady motion was found"
  }
  name=caught
  sed 's/^run/contact ground: x >= 0\nrun/' falling.zw >caught.zw
  zwang linearize caught.zw --json
  is 0
  expect "assert q['x'] == 0 and abs(q['y'] - (1 - 9.81/$k)) < 1e-12 and abs(abs(lam[0])/math.sqrt($k) - 1) < 1e-9, (q, lam)"
  stays x y
done

# a weight that no spring holds, tied weakly to a stiff one, rests far away: y^3 = k 9.81/2, x = -9.81/(2 y). It is found there, or not at all.
for k in 1e2 1e3 1e4 1e8 1e12 1e14; do
  name=beside
  model beside <<M
coord x = 0.1, y = 1
kinetic 1/2*(x'^2 + y'^2)
potential 1/2*$k*x^2 + 9.81*y + x*y^2
run 0 .. 1e-3
M
  zwang linearize beside.zw --json
  [ $status = 1 ] || expect "
y = ($k*9.81/2)**(1/3)
assert abs(q['y']/y - 1) < 1e-9 and abs(q['x']/(-9.81/(2*y)) - 1) < 1e-9, q"
done

# a rod that is a spring falls over and lies: its middle stays where it is, nothing pushes it aside
model rod <<'M'
coord P = (0.1, 0.5), Q = (0.3, 1.5)
kinetic 1/2*(P'^2 + Q'^2)
potential 9.81*(P.y + Q.y) + 5000*(norm(P - Q) - 1)^2
contact one: P.y >= 0
contact two: Q.y >= 0
run 0 .. 1
M
zwang linearize rod.zw --json
is 0
expect "
assert q['P.y'] == 0 and q['Q.y'] == 0 and abs(math.hypot(q['P.x'] - q['Q.x'], 0) - 1) < 1e-9, q
assert max(abs(z) for z in lam) - math.sqrt(2e4) < 1e-6, lam"

# a double pendulum of springs, stiff ones: it hangs straight down, longer by what the springs give
for k in 1e5 1e7 1e9 1e11 1e12; do
  model springs <<M
coord P = (0.2, -1), Q = (0.3, -2.1)
kinetic 1/2*(P'^2 + Q'^2)
potential 9.81*(P.y + Q.y) + 1/2*$k*(norm(P - Q) - 1)^2 + 1/2*$k*(norm(P) - 1)^2
run 0 .. 1
M
  zwang linearize springs.zw --json
  is 0
  expect "
d = 9.81/$k
assert abs(q['P.y'] + 1 + 2*d) < 1e-11 and abs(q['Q.y'] + 2 + 3*d) < 1e-11 and abs(q['P.x']) + abs(q['Q.x']) < 1e-9, q"
done
# a point on a stiff rod stands on top of it, or hangs below, from wherever the search begins: the valley is a circle, as narrow as the rod is stiff
for k in 1e4 1e6 1e8 1e10 1e12; do
  for start in "0.01, 0.99" "0.01, 0.9999" "0.1, -0.9" "0.5, 0.5" "0.5, -0.5" "1, 0"; do
    model rod <<M
coord P = ($start)
kinetic 1/2*P'^2
potential 9.81*P.y + 1/2*$k*(norm(P) - 1)^2
run 0 .. 1
M
    zwang linearize rod.zw --json
    is 0
    expect "
side = math.copysign(1, q['P.y'])
assert abs(q['P.x']) < 1e-9 and abs(q['P.y'] - side + 9.81/$k) < 1e-11, q
assert found['verdict'] == ('unstable' if side > 0 else 'undamped'), found['verdict']
near = ($start)[0] < 0.05
assert not near or side > 0, q"
  done
done
done_well
