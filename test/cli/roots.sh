#!/usr/bin/env bash
# Forces and constraints whose derivative is infinite, or ends, where they are zero: roots and broken powers of abs(x), flows between tanks. The
# motion goes through the zero, or stays there. Against closed forms and the same motion written otherwise, with every integrator.
. "$(dirname "$0")/lib.bash"

# field K of the last row is within M of V
ends_at() {
  checks=$((checks + 1))
  tail -n 1 "$1" | awk -F, -v k="$2" -v v="$3" -v m="$4" '{ d = $k - v; exit !(d <= m && d >= -m) }' ||
    fail "column $2 of $1 ends at $(tail -n 1 "$1" | cut -d, -f"$2"), not at $3"
}
# everywhere MODEL WITHIN [K V]...: these fields of the last row, with every integrator
everywhere() {
  name=$1 within=$2
  shift 2
  for integrator in auto explicit radau adams bdf; do
    zwang run "$name.zw" --integrator $integrator
    is 0
    # the work that these two sum up beside the motion is less accurate than it, and they say so
    [ $integrator = bdf ] || [ $integrator = adams ] || prints "verdict      trusted"
    for ((k = 1; k < $#; k += 2)); do
      following=$((k + 1))
      ends_at "$name.csv" "${!k}" "${!following}" "$within"
    done
  done
}

# x'' = -abs(x)^p sign(x): from the quadrature of the energy
model stiffens <<'E'
coord x = 1
kinetic 1/2*x'^2
force x = -abs(x)^1.5*sign(x)
run 0 .. 20
E
everywhere stiffens 2e-5 2 0.9675213885 3 -0.2517608645
model softens <<'E'
coord x = 1
kinetic 1/2*x'^2
force x = -sqrt(abs(x))*sign(x)
run 0 .. 20
E
everywhere softens 5e-5 2 -0.5995322450 3 -0.8452103286
model of_energy <<'E'
coord x = 1
kinetic 1/2*x'^2
potential abs(x)^1.5/1.5
run 0 .. 20
E
everywhere of_energy 5e-5 2 -0.5995322450 3 -0.8452103286

# v' = -sqrt(v) from 1: at rest at t = 2, after 2/3
model drag <<'E'
coord x = 0
kinetic 1/2*x'^2
force x = -sqrt(abs(x'))*sign(x')
start x' = 1
run 0 .. 4
E
everywhere drag 1e-8 2 0.66666666667 3 0

# two tanks: d' = -2 sqrt(d) from 1, level at t = 1, and they stay so; of h1 = 0.5 + (1 - t)^2/2 there is 0.625 left at t = 0.5
model tanks <<'E'
coord h1 = 1, h2 = 0
let flow = sqrt(abs(h1 - h2))*sign(h1 - h2)
constraint a: h1' = -flow
constraint b: h2' = flow
run 0 .. 4
E
everywhere tanks 1e-9 2 0.5 3 0.5 4 0 5 0
zwang run tanks.zw --to 0.5
ends_at tanks.csv 2 0.625 1e-8
zwang run tanks.zw --to 1
ends_at tanks.csv 2 0.5 1e-8
model three <<'E'
coord a = 1, b = 0.2, c = 0
let ab = sqrt(abs(a - b))*sign(a - b)
let bc = sqrt(abs(b - c))*sign(b - c)
constraint ca: a' = -ab
constraint cb: b' = ab - bc
constraint cc: c' = bc
run 0 .. 10
E
everywhere three 1e-9 2 0.4 3 0.4 4 0.4
# level from the start; and again apart by a pump, which keeps d = 0.0225: sqrt(d) = p/2
model level <<'E'
coord h1 = 1, h2 = 1
memory p = 0
let flow = sqrt(abs(h1 - h2))*sign(h1 - h2)
constraint a: h1' = p - flow
constraint b: h2' = flow
when t > 2: p = 0.3
run 0 .. 8
E
everywhere level 1e-6 2 1.91125 3 1.88875

# an outflow ends at t = 2 for good; one that fills from zero: t = -2 s - log(1 - 2 s) with s = sqrt(h)
model empties <<'E'
coord h = 1
constraint out: h' = -sqrt(max(h, 0))
run 0 .. 4
E
everywhere empties 1e-12 2 0 3 0
model fills <<'E'
coord h = 0
constraint flow: h' = 0.5 - sqrt(abs(h))*sign(h)
run 0 .. 10
E
everywhere fills 1e-7 2 0.2499916491

# a tank beside the sea: its acceleration is infinite wherever both are level. The same by the difference of levels
model tide <<'E'
coord h = 0.5
constraint a: h' = -sqrt(abs(h - sin(t)))*sign(h - sin(t))
run 0 .. 20
E
model difference <<'E'
coord u = 0.5
constraint a: u' = -sqrt(abs(u))*sign(u) - cos(t)
run 0 .. 20
E
everywhere tide 1e-7 2 0.4138588559
everywhere difference 1e-7 2 -0.4990863948 # less sin(20)

# a wire with infinite curvature at its lowest point, from the quadrature of the energy
model wire <<'E'
coord x = 1, y = 1
kinetic 1/2*x'^2 + 1/2*y'^2
potential 9.81*y
constraint w: y = abs(x)^1.5
run 0 .. 4
E
everywhere wire 5e-5 2 -0.6667225682 4 1.8908655904

# a wire with a cusp: the motion ends in it
model cusp <<'E'
coord x = 1, y = 1
kinetic 1/2*x'^2 + 1/2*y'^2
potential 9.81*y
constraint w: y = sqrt(abs(x))
run 0 .. 4
E
zwang run cusp.zw
is 1
says "cusp.zw:4:"

# sensitivities: x(t) = A X(t A^(1/4)) gives X + t X'/4 by A; a root of zero has none
zwang run stiffens.zw --sensitivity start.x
is 0
ends_at stiffens.csv 4 -0.2912829 2e-5
zwang run softens.zw --sensitivity start.x
is 1
says "softens.zw:3:"

echo "$checks checks"
