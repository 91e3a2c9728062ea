#!/usr/bin/env bash
# Derivatives of forces that are not unique, against differences of whole runs (two steps, Richardson): of redundant constraints, and of
# contacts that repeat each other. Both ways: --sensitivity and --gradient.
. "$(dirname "$0")/lib.bash"

cat >shares.py <<'PY'
import csv, json, os, subprocess, sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.environ["ZWANG_ROOT"], "test", "cli"))
from differences import differences

FEET = """param mu = 0.4, g = 9.81, m = 2, a = 0.2, b = 0.1, s = 0.02
coord x, y = b, phi
kinetic   1/2*m*(x'^2 + y'^2) + 1/2*(m*(a^2 + b^2)/3)*phi'^2
potential m*g*(y*cos(TILT) - x*sin(TILT)) + m*g*s*phi
for i in 0..COUNT - 1 {
  let e = -1 + 2*i/(COUNT - 1) + 0.1*i*(COUNT - 1 - i)
  contact foot[i]: y - b*cos(phi) + e*a*sin(phi) >= 0, friction mu, slip x + b*sin(phi) + e*a*cos(phi)
  output N[i] = reaction(foot[i]), T[i] = reaction(foot[i].slip)
}
run 0 .. 3.5
"""

def feet(count, tilt):
    return FEET.replace("COUNT", str(count)).replace("TILT", tilt)

VALUES = {"mu": 0.4, "g": 9.81, "m": 2, "a": 0.2, "b": 0.1, "s": 0.02}

# name: text, what is varied with its value, and what is looked at
MODELS = {
    "two": (feet(2, "0.1*t"), VALUES, "T[0]"),
    "three": (feet(3, "0.1*t"), VALUES, "N[1]"),
    "five": (feet(5, "0.05*t + 0.02*sin(t)"), {"mu": 0.4, "a": 0.2, "s": 0.02}, "T[3]"),
    "legs": ("""param m = 1, c = 0.1, d = 0.05, r = 0.5
coord z, a, b
kinetic 1/2*m*z'^2 + 1/6*(a'^2 + b'^2)
potential 9.81*m*(z + c*a + d*b*cos(t))
for i in 0..5 {
  contact leg[i]: z + r*cos(i*pi/3)*a + (r + d)*sin(i*pi/3)*b >= 0
  output N[i] = reaction(leg[i])
}
run 0 .. 1
""", {"m": 1, "c": 0.1, "d": 0.05, "r": 0.5}, "N[2]"),
    "braced": ("""param m = 1, l = 1.3, u = 0.4
coord P = (0.3, -1), phi
kinetic 1/2*m*P'^2 + 1/2*phi'^2
potential 3*P.y + 0.2*phi^2
constraint one: P^2 = l^2
constraint two: P^2*(1 + P.x^2*u) = l^2*(1 + P.x^2*u)
constraint three: P^2 + u*(phi - P.x) = l^2
constraint four: phi = P.x
start P' = (1, 0.2)
run 0 .. 1
""", {"m": 1, "l": 1.3, "u": 0.4}, "P.x"),
}

def run(name, *options):
    subprocess.run([os.environ["ZWANG"], "run", name + ".zw", "--forces", "--tolerance", "1e-12", "--quiet", *options], check=True, capture_output=True)
    rows = list(csv.reader(open(name + ".csv")))
    if rows[0][-1] == "event":
        rows = [row[:-1] for row in rows]
    return rows[0], [[float(x) for x in rows[1 + (len(rows) - 2) * k // 4]] for k in range(5)]

bad = checks = 0
for name, (text, values, of) in MODELS.items():
    open(name + ".zw", "w").write(text)
    names = run(name)[0]
    for by, value in values.items():
        expected = differences(run, name, by, value)
        got = run(name, "--sensitivity", by)[1]
        for have, want in zip(got, expected):
            size = 1 + max(abs(x) for x in want)
            for i in range(1, len(names)):
                checks += 1
                if not abs(have[len(names) + i - 1] - want[i]) <= 1e-6 * size:
                    bad += 1
                    print("%s: d(%s)/d(%s) at t = %g is %.9g, differences say %.9g" % (name, names[i], by, have[0], have[len(names) + i - 1], want[i]))
        out = subprocess.run([os.environ["ZWANG"], "run", name + ".zw", "--tolerance", "1e-12", "--gradient", of, "--sensitivity", by, "--json"],
                             check=True, capture_output=True, text=True).stdout
        derivative = json.loads(out)["gradient"]["by"][0]["derivative"]
        want = expected[-1][names.index(of)]
        checks += 1
        if not abs(derivative - want) <= 1e-6 * (1 + abs(want)):
            bad += 1
            print("%s: the gradient of %s by %s is %.9g, differences say %.9g" % (name, of, by, derivative, want))
print("%d of %d derivatives are wrong" % (bad, checks))
raise SystemExit(bad > 0)
PY
checks=$((checks + 1))
ZWANG="$ZWANG" python3 shares.py >report || fail "$(cat report)"
done_well
