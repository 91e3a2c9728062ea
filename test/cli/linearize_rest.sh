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
done_well
