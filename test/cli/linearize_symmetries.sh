#!/usr/bin/env bash
# Steady motions whose symmetries are hard to see: by masses that only seem to depend on a coordinate, and by weights that are nothing beside
# a spin. What is expected comes from closed forms and from runs.
. "$(dirname "$0")/lib.bash"

# look CODE: Python on what --json says, in `found`; `lam` holds the imaginary parts of what is not a symmetry, ascending
look() {
  checks=$((checks + 1))
  python3 -c '
import json, math, sys
found = json.load(open("out"))
q, v = found["q"], found["v"]
lam = sorted(e["im"] for e in found["eigenvalues"] if e["kind"] != "symmetry" and e["im"] > 0)
def near(a, b): return abs(a - b) <= 1e-7*abs(b)
exec(sys.argv[1])' "$1" 2>report || fail "$(tail -1 report)"
}

# a first-order row beside an oscillator: nothing in it depends on the time
model lag <<'M'
coord x = 1, v = 0
kinetic 1/2*x'^2
potential 2*x^2
constraint lag: v' = x
force x = -0.3*x'
run 0 .. 6
M
zwang linearize lag.zw --json
is 0
look 'assert abs(q["x"]) < 1e-12 and near(lam[0], math.sqrt(4 - 0.15**2)), found'

# a motor on a constant voltage: w = U kt/(kt^2 + R d), the eigenvalues are the roots of L J s^2 + (R J + L d) s + kt^2 + R d
model motor <<'M'
param U = 12, R = 1, L = 0.01, kt = 0.05, J = 0.001, d = 0.001
coord phi, i
kinetic 1/2*J*phi'^2
constraint coil: L*i' = U - R*i - kt*phi'
force phi = kt*i - d*phi'
run 0 .. 1
M
zwang linearize motor.zw --json
is 0
look '
assert near(v["phi"], 12*0.05/(0.05**2 + 0.001)), v
b, c = (0.001 + 0.01*0.001)/1e-5, (0.05**2 + 0.001)/1e-5
roots = sorted((-b + s*math.sqrt(b*b - 4*c))/2 for s in (1, -1))
real = sorted(e["re"] for e in found["eigenvalues"] if e["kind"] != "symmetry")
assert near(real[0], roots[0]) and near(real[1], roots[1]), (real, roots)'

# a conical pendulum by its point: cos(th) = g/w^2, lambda^2 = w^2 (1 + 3 cos(th)^2)
model cone <<'M'
coord th = 0.8, ph = 0
let P = (sin(th)*cos(ph), sin(th)*sin(ph), -cos(th))
kinetic 1/2*P'^2
potential 9.81*P.z
start ph' = 4
run 0 .. 1
M
zwang linearize cone.zw --json
is 0
look '
c = 9.81/16
assert near(math.cos(q["th"]), c) and near(lam[0], 4*math.sqrt(1 + 3*c*c)), (q, lam)'

# a sleeping top, ever faster: A s^2 - C w s + m g l = 0 in the frame that does not turn
for w in 200 400 800 1600; do
  model top <<M
use spatial
part ground = earth()
part b = body(1, (0.1, 0.1, 0.02), (0, 0, 1))
part tip = spherical(ground, b, (0, 0, 0))
start exactly b.w = (0, 0, $w)
run 0 .. 1
M
  zwang linearize top.zw --json
  is 0
  look "
A, Cw, mgl = 1.1, 0.02*$w, 9.81
root = Cw*Cw - 4*A*mgl
want = sorted((Cw + s*math.sqrt(root))/(2*A) for s in (1, -1)) if root > 0 else [Cw/(2*A)]*2
assert len(lam) == 2 and near(lam[0], want[0]) and near(lam[1], want[1]), (lam, want)"
done

# The pole of angles is no state of theirs: the search goes elsewhere, or says which angle it is.
model pole <<'M'
coord th = 0.5, ph = 0
let P = (sin(th)*cos(ph), sin(th)*sin(ph), -cos(th))
kinetic 1/2*P'^2
potential 9.81*P.z
run 0 .. 1
M
zwang linearize pole.zw
is 1
says "'ph' has no mass left"
sed 's/^run/start ph'"'"' = 4\nrun/' pole.zw >around.zw
zwang linearize around.zw --json
is 0
look '
c = 9.81/16
assert near(math.cos(q["th"]), c) and near(lam[0], 4*math.sqrt(1 + 3*c*c)), (q, lam)'
# a weak force beside a stiff spring is no symmetry, as long as numbers tell it: s^2 = 1/2 of y pushed away, 1/5 where x = 2 y, 1 of the middle;
# and what is a symmetry stays one
for k in 1e6 1e9 1e11 3e11 1e12 1e13; do
  while read -r square potential; do
    model stiff <<M
coord x, y
kinetic 1/2*x'^2 + 1/2*y'^2
potential $potential
run 0 .. 1
M
    zwang linearize stiff.zw --json
    is 0
    look "
kinds = sorted(e['kind'] for e in found['eigenvalues'])
if $square > 0:
  assert kinds == ['stable', 'undamped', 'undamped', 'unstable'], kinds
  assert abs(max(e['re'] for e in found['eigenvalues'])**2/($square) - 1) < 1e-3 + 1e-15*$k, found
elif $square < 0:
  assert kinds == ['undamped']*4 and abs(lam[0]**2/-($square) - 1) < 1e-3 + 1e-15*$k, found
else:
  assert kinds == ['symmetry', 'symmetry', 'undamped', 'undamped'], kinds"
  done <<M
1/2 1/2*$k*(x - y)^2 - 1/2*y^2
1/2 1/2*$k*(x - y)^2 - 1/2*x^2
1/5 1/2*$k*(x - 2*y)^2 - 1/2*y^2
1 1/2*$k*(x - y)^2 - 1/4*(x + y)^2
-1/2 1/2*$k*(x - y)^2 + 1/2*y^2
0 1/2*$k*(x - y)^2
M
done
# where rounding hides the force, that is said; a spring without it is free, however stiff
for k in 1e14 1e16 1e18; do
  model hidden <<M
coord x, y
kinetic 1/2*x'^2 + 1/2*y'^2
potential 1/2*$k*(x - y)^2 - 1/2*y^2
run 0 .. 1
M
  zwang linearize hidden.zw
  is 0
  says "rounding hides weak forces beside stiff ones" "cannot be told"
  prints "2 zeros that no symmetry explains"
  sed -i 's/ - 1.2.y^2$//' hidden.zw
  zwang linearize hidden.zw
  is 0
  prints "2 eigenvalues belong to symmetries"
  ! grep -q "cannot be told" err || fail "a free spring of $k is doubted"
done
# constant forces that cancel leave their rounding, which no step removes and which grows with them: a slide down a slope whose angle is that of
# friction, in any units; three feet carry what they like of the load
slides() {
  zwang linearize "$1.zw" --steady
  is 0
  prints "steady motion, found in"
  prints "$2"
}
for units in "1 1" "1e6 1e-6" "1e-6 1e6" "1e3 1e5"; do
  for mu in 0.3 0.123 1.5; do
    model slope <<M
param M = ${units% *}, L = ${units#* }
coord P = (0, 0)
kinetic 1/2*M*P'^2
potential 9.81*L*M*P.y
contact plane: P.y + $mu*P.x >= 0, friction $mu, slip P.x - $mu*P.y
start P' = (L, -$mu*L)
run 0 .. 1
M
    slides slope "slips"
  done
  model feet <<M
param M = ${units% *}, L = ${units#* }, al = atan(1.5)
coord x, y, phi
kinetic 1/2*M*(x'^2 + y'^2) + 0.1*M*L^2*phi'^2
potential 9.81*L*M*(y*cos(al) - x*sin(al))
for i in -1..1 { contact f[i]: y + i/2*L*phi >= 0, friction 1.5, slip x + 0.1*L*phi }
start x' = 10*L
run 0 .. 1
M
  slides feet "f[-1]"
done
model constant <<'M'
coord x
kinetic 1/2*x'^2
force x = 1000*(0.1 + 0.2)
force x = -1000*0.3
start x' = 1
run 0 .. 1
M
slides constant "symmetry"
# a force that is more than rounding drives
model driven <<'M'
coord P = (0, 0)
kinetic 1/2*P'^2
potential 9.81*P.y
contact plane: P.y + 0.3*P.x >= 0, friction 0.3 + 1e-12, slip P.x - 0.3*P.y
start P' = (1, -0.3)
run 0 .. 1
M
zwang linearize driven.zw --steady
is 1
says "is still off by -9e-12"
done_well
