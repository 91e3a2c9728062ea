#!/usr/bin/env bash
# Derivatives of what the start found, and of times at which a run begins and ends, against differences of whole runs (two steps,
# Richardson). Both ways: --sensitivity and --gradient.
. "$(dirname "$0")/lib.bash"

cat >models.py <<'PY'
import csv, json, os, subprocess, sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.environ["ZWANG_ROOT"], "test", "cli"))
from differences import differences

# name: text, what is varied with its value, and what is looked at
MODELS = {
    "shared": ("""param m = 2, J = 0.3
coord P = (0, 0), phi
kinetic 1/2*m*P'^2 + 1/2*J*phi'^2 + 0.1*m*P.x'*phi'
start exactly P.x' + phi' = 1
run 0 .. 1
""", {"m": 2, "J": 0.3}, "phi"),
    "free": ("""param m = 2, l = 1.5
coord x, y, s
kinetic 1/2*(m*x'^2 + y'^2) + 0.2*m*x'*y' + 1/2*s'^2
potential 2*y + 1/2*s^2
constraint reach: x^2 + 2*y^2 + x*y = l^2 - 0.3*s
start exactly x - y = 0.4*m
run 0 .. 0.7
""", {"m": 2, "l": 1.5}, "y"),
    "typed": ("""param m = 2, l = 1.2, k = 0.7
coord x = 0.9*k, y = -1, phi = 0.4
kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(1 + 0.3*cos(phi))*phi'^2 + 0.2*m*x'*phi'
potential 5*y
constraint rod: x^2 + y^2 = l^2
constraint turn: phi = k*x + 0.1*m
start x' = 0.5, phi' = 0.3*m
run 0 .. 0.7
""", {"m": 2, "l": 1.2, "k": 0.7}, "x"),
    "massless": ("""param m = 2, k = 0.7
coord x = 0.5, y = 0.2, s = 3, u = 1, n
kinetic 1/2*m*x'^2 + 1/2*y'^2
potential 1/2*k*x^2
constraint read: s + k*u = x + m*y + 0.1*x^2
constraint lag: n' = k*x - n + m*y'
constraint creep: u' = k*x'*cos(u)
start y' = 0.3
run 0 .. 0.8
""", {"m": 2, "k": 0.7}, "s"),
    "sizes": ("""param c = 1.3, k = 2, g = 3
coord u, w, z = 0.4, y scale g*c
kinetic 1/2*z'^2
constraint both: 2*u + c*w + u*w = 3*k + z
constraint slide: u' = w'*k
constraint reads: y' + c*u' = z'
start z' = 0.2
run 0 .. 0.3
""", {"c": 1.3, "k": 2, "g": 3}, "w"),
    "guesses": ("""param a = 1.3, m = 0.8
component bead(m, X) {
  coord r = X
  kinetic 1/2*m*r'^2
}
part p = bead(1, (1, 0.3))
part q = bead(2, (2, 0.1))
coord z = 0.4
kinetic 1/2*m*z'^2 + 0.1*m*z'*p.r.x'
potential 3*p.r.y + q.r.y
constraint ring: p.r^2 = a^2
constraint rod: (p.r - q.r)^2 = a
constraint slide: z = 0.3*m + 0.2*q.r.x
start z' = 0.2
run 0 .. 0.6
""", {"a": 1.3, "m": 0.8}, "q.r.y"),
    "stretched": ("""param a = 1.3, b = 0.7, m = 2
coord P = (2.5, 0.4*b), Q = (1, 0.3)
kinetic 1/2*m*P'^2 + 1/2*Q'^2
potential 2*P.y
constraint upper: Q^2 = a^2
constraint lower: (P - Q)^2 = b^2 + 0*t
start P' = (0, 0.5)
run 0 .. 0.4
""", {"a": 1.3, "b": 0.7, "m": 2}, "P.y"),
    "driven": ("""param T = 1.3, t0 = 0.2, w = 2
coord x = 1, y
kinetic 1/2*(x'^2 + y'^2)
potential 1/2*x^2
constraint drive: y = sin(w*t)*x
start x' = 0.5
output e = x*x' + t^2 + x''
run t0 .. T
""", {"T": 1.3, "t0": 0.2, "w": 2}, "e"),
}
QUIET = ["--tolerance", "1e-12", "--quiet"]

def run(name, *options):
    subprocess.run([os.environ["ZWANG"], "run", name + ".zw", *QUIET, *options], check=True, capture_output=True)
    rows = list(csv.reader(open(name + ".csv")))
    return rows[0], [[float(x) for x in rows[i]] for i in (1, -1)]

bad = checks = 0
for name, (text, values, of) in MODELS.items():
    open(name + ".zw", "w").write(text)
    names = run(name)[0]
    for by, value in values.items():
        expected = differences(run, name, by, value)
        # with the times of rows themselves the rows move; only the end by the gradient
        got = run(name, "--sensitivity", by)[1] if by not in ("T", "t0") else []
        for row, (have, want) in enumerate(zip(got, expected)):
            for i in range(1, len(names)):
                checks += 1
                if not abs(have[len(names) + i - 1] - want[i]) <= 1e-6 * (1 + abs(want[i])):
                    bad += 1
                    print("%s: d(%s)/d(%s) in row %d is %.9g, differences say %.9g" % (name, names[i], by, row, have[len(names) + i - 1], want[i]))
        out = subprocess.run([os.environ["ZWANG"], "run", name + ".zw", "--tolerance", "1e-12", "--gradient", of, "--sensitivity", by, "--json"],
                             check=True, capture_output=True, text=True).stdout
        derivative = json.loads(out)["gradient"]["by"][0]["derivative"]
        want = expected[1][names.index(of)]
        checks += 1
        if not abs(derivative - want) <= 1e-6 * (1 + abs(want)):
            bad += 1
            print("%s: the gradient of %s by %s is %.9g, differences say %.9g" % (name, of, by, derivative, want))
print("%d of %d derivatives are wrong" % (bad, checks))
raise SystemExit(bad > 0)
PY
checks=$((checks + 1))
ZWANG="$ZWANG" python3 models.py >report || fail "$(cat report)"

# A start value of what sticks at the start: beside it the foot slips for a moment, which ends where rows of the contact take hold.
cat >foot.py <<'PY'
import csv, os, subprocess

TEXT = """param b = 0.01, h = 0.05, m = 0.01
coord x, y = h/2, phi
kinetic 1/2*m*(x'^2 + y'^2) + 1/2*m*(b^2 + h^2)/12*phi'^2
potential 9.81*m*y
contact foot: y + b/2*sin(phi) - h/2*cos(phi) >= 0, friction 0.4, slip x + b/2*cos(phi) + h/2*sin(phi)
start phi' = -6, x' = %r, y' = 6*b/2
run 0 .. 0.05
"""

def run(value, *options):
    open("foot.zw", "w").write(TEXT % value)
    subprocess.run([os.environ["ZWANG"], "run", "foot.zw", "--tolerance", "1e-12", "--quiet", *options], check=True, capture_output=True)
    rows = list(csv.reader(open("foot.csv")))
    return rows[0], [float(x) for x in rows[-1][:len(rows[0]) - (rows[0][-1] == "event")]]

names, got = run(0.15, "--sensitivity", "start.x'")
(_, up), (_, down) = run(0.15 + 1e-6), run(0.15 - 1e-6)
for name in ("x", "y", "phi", "x'", "y'", "phi'"):
    have, want = got[names.index("d(%s)/d(start.x')" % name)], (up[names.index(name)] - down[names.index(name)])/2e-6
    assert abs(have - want) <= 1e-5*(1 + abs(want)), "d(%s)/d(start.x') is %.9g, differences say %.9g" % (name, have, want)
PY
checks=$((checks + 1))
ZWANG="$ZWANG" python3 foot.py 2>report || fail "$(cat report)"
done_well
