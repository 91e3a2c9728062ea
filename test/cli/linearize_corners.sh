#!/usr/bin/env bash
# Small motions where there is no matrix, or where friction makes one: corners are told, singular forces are refused, and friction whose
# coefficient depends on the state damps or drives. What is expected comes from closed forms and from equations written down here.
. "$(dirname "$0")/lib.bash"

# verdict NAME WORD CORNERS: what --json says of an equilibrium
verdict() {
  zwang linearize "$1.zw" --equilibrium --json
  is 0
  checks=$((checks + 1))
  python3 -c '
import json, sys
found = json.load(open("out"))
said = found["verdict"] + " " + ", ".join(found["corners"])
sys.exit(0 if said.strip() == sys.argv[1].strip() else "it says: " + said)' "$2 $3" || fail "$1: $2 $3 expected"
}

model kinked <<'M'
coord x = 1
kinetic 1/2*x'^2
potential if x > 0 then 2*x^2 else 5*x^2
run 0 .. 6
M
verdict kinked corner "0 < x"
zwang linearize kinked.zw
prints "lies on a corner of the forces ('0 < x')"

model smooth <<'M'
coord x = 1
kinetic 1/2*x'^2
potential (if x > 0 then x^4 else x^3) + 2*x^2 + 0.1*abs(x)^3
run 0 .. 6
M
verdict smooth undamped ""

model aside <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 2*(x - 0.3)^2 + max(x - 0.5, 0)^2
force x = -0.1*max(abs(x') - 0.5, 0)*sign(x')
run 0 .. 6
M
verdict aside undamped ""

model damper <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 2*x^2
force x = -max(x', 0)
run 0 .. 6
M
verdict damper corner "0 <= x'"

model touching <<'M'
coord x = 1
kinetic 1/2*x'^2
potential 2*x^2
contact wall: x >= 0
run 0 .. 6
M
verdict touching corner wall

model pressed <<'M'
coord x = 1, y = 0.2
kinetic 1/2*(x'^2 + y'^2)
potential 2*(x + 0.1)^2 + y^2
contact wall: x >= 0
run 0 .. 6
M
verdict pressed undamped ""

# what attracts falls into each other: no state of rest; with a core it has one
model falling <<'M'
coord x = 0, y = 0, u = 1, v = 0.3
kinetic 1/2*(x'^2 + y'^2 + u'^2 + v'^2)
potential -1/sqrt((x - u)^2 + (y - v)^2)
run 0 .. 0.5
M
zwang linearize falling.zw --equilibrium
is 1
says "forces are singular"

model core <<'M'
coord r = 1.5
kinetic 1/2*r'^2
potential -1/r + 1/2/r^2
run 0 .. 1
M
zwang linearize core.zw --equilibrium --json
is 0
checks=$((checks + 1))
python3 -c '
import json
found = json.load(open("out"))
assert abs(found["q"]["r"] - 1) < 1e-9 and abs(abs(found["eigenvalues"][0]["im"]) - 1) < 1e-9, found["q"]' || fail "the core at r = 1, 1 rad/s"

# friction that depends on the slip, and on the place, along a curved belt
cat >belt.py <<'PY'
import cmath, json, os, subprocess

TEXT = """coord x = 0.1, y = 0.1
kinetic 1/2*(x'^2 + y'^2)
potential 50*(x - 0.05)^2 + 9.81*y
contact belt: y - 0.4*x^2 >= 0, friction 0.3*(1 + 0.5*x)/(1 + abs(x' - 1)), slip x + 0.3*x*y - t
run 0 .. 1
"""

def acceleration(x, dx):
    """x'' along y = 0.4 x^2: (x'', y'') = F + N (-0.8 x, 1) + T (1 + 0.3 y, 0.3 x), y'' = 0.8 (x'^2 + x x''), T = mu N, the belt being faster."""
    y, mu = 0.4*x*x, 0.3*(1 + 0.5*x)/(1 + abs(dx - 1))
    fx, fy = -100*(x - 0.05), -9.81
    ax, ay = -0.8*x + mu*(1 + 0.3*y), 1 + mu*0.3*x      # per unit of N
    # 0.8 (dx^2 + x (fx + N ax)) = fy + N ay
    N = (0.8*(dx*dx + x*fx) - fy)/(ay - 0.8*x*ax)
    return fx + N*ax

low, high = -1.0, 1.0
for _ in range(200):
    middle = (low + high)/2
    low, high = (middle, high) if acceleration(middle, 0) > 0 else (low, middle)
rest, h = low, 1e-4
def slope(f):
    return (8*(f(h) - f(-h)) - (f(2*h) - f(-2*h)))/(12*h)
k, c = slope(lambda d: acceleration(rest + d, 0)), slope(lambda d: acceleration(rest, d))
expected = c/2 + cmath.sqrt(c*c/4 + k)

open("belt.zw", "w").write(TEXT)
out = subprocess.run([os.environ["ZWANG"], "linearize", "belt.zw", "--equilibrium", "--json"], check=True, capture_output=True, text=True).stdout
found = json.loads(out)
value = max((complex(e["re"], e["im"]) for e in found["eigenvalues"]), key=lambda z: z.imag)
assert abs(found["q"]["x"] - rest) < 1e-8, (found["q"], rest)
assert abs(value - expected) < 1e-7*abs(expected), (value, expected)
PY
checks=$((checks + 1))
ZWANG="$ZWANG" python3 belt.py 2>report || fail "$(cat report)"

# the closed form of examples/stick-slip.zw: mu N/(4 (1 + v)^2 m)
zwang linearize "$root/examples/stick-slip.zw" --equilibrium
prints "0.8515625"

# on a border outcomes may be those of no side: both parts are there at x = 0, and the frequency is that of one of them
bent() { # FACTOR
  cat >bent.zw <<M
coord x = 0.3, y = 0
kinetic 1/2*x'^2 + 1/2*y'^2
potential max(x - y, 0)^2 + $1*max(y - x, 0)^2 + 1/2*(x + y)^2
run 0 .. 1
M
  zwang linearize bent.zw --equilibrium --json
  is_json
  is 0
}
bent 1
json_is verdict undamped
json_is 'eigenvalues[2].frequency' 2
bent 4
json_is verdict corner
zwang linearize bent.zw --equilibrium
grep -qE ' (0\.31831|0\.63662) ' out || fail "no side has such a frequency" # 2 or 4
done_well
