#!/usr/bin/env bash
# Derivatives through singular positions, against differences of whole runs (two steps, Richardson), forward and back: mechanisms whose
# neighbours pass the position as they do. Where neighbours do not, there is no derivative, and that is said.
. "$(dirname "$0")/lib.bash"

cat >singular.py <<'PY'
import csv, json, os, subprocess, sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.environ["ZWANG_ROOT"], "test", "cli"))
from differences import differences

FRAME = """param l = 1, w = 2
coord A = (0, 1), B = (1, 1), C = (2, 1)
kinetic 1/2*(A'^2 + B'^2 + 2*C'^2)
potential 3*(A.y + B.y + C.y)
constraint ra: norm(A) = l
constraint rb: norm(B - (1, 0)) = l
constraint rc: norm(C - (2, 0)) = l
constraint ab: norm(A - B) = 1
constraint bc: norm(B - C) = 1
start A' = (w, 0), B' = (w, 0), C' = (w, 0)
run 0 .. 2.2
"""
# a slider-crank with equal arms: the slider goes through the centre, again and again
ARMS = """param g = 2, m = 1.5, k = 0.7, w = 3, L = 1
component rod(m, l) {
  coord x, y, phi
  kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(m*l^2/12)*phi'^2
  potential m*g*y
  let at(s) = (x + s*l*cos(phi), y + s*l*sin(phi))
}
part crank = rod(m, L)
part coupler = rod(1, L)
coord s = 2*L*cos(0.6)
kinetic 1/2*k*s'^2
constraint ground: crank.at(-1/2) = (0, 0)
constraint pin: crank.at(1/2) = coupler.at(-1/2)
constraint slide: coupler.at(1/2) = (s, 0)
start exactly crank.phi = 0.6, crank.phi' = w, coupler.phi = -0.6
run 0 .. 3
"""
MODELS = {
    "frame": (FRAME, {"l": 1, "w": 2}, "A.y"),
    "arms": (ARMS, {"g": 2, "m": 1.5, "k": 0.7, "w": 3, "L": 1}, "s"),
}

def run(name, tolerance, *options):
    subprocess.run([os.environ["ZWANG"], "run", name + ".zw", "--tolerance", tolerance, "--quiet", *options], check=True, capture_output=True)
    rows = list(csv.reader(open(name + ".csv")))
    return rows[0], [[float(x) for x in rows[1 + (len(rows) - 2) * k // 5]] for k in range(6)]

def run_finely(name, *options):
    return run(name, "1e-12", *options)

bad = checks = 0
for name, (text, values, of) in MODELS.items():
    open(name + ".zw", "w").write(text)
    names = run(name, "1e-10")[0]
    for by, value in values.items():
        expected = differences(run_finely, name, by, value, 2e-4)
        for tolerance, bound in (("1e-8", 1e-4), ("1e-11", 1e-5)):
            got = run(name, tolerance, "--sensitivity", by)[1]
            for have, want in zip(got, expected):
                size = 1 + max(abs(x) for x in want)
                for i in range(1, len(names)):
                    checks += 1
                    if not abs(have[len(names) + i - 1] - want[i]) <= bound * size:
                        bad += 1
                        print("%s: d(%s)/d(%s) at t = %g is %.9g, differences say %.9g" % (name, names[i], by, have[0], have[len(names) + i - 1], want[i]))
            out = subprocess.run([os.environ["ZWANG"], "run", name + ".zw", "--tolerance", tolerance, "--gradient", of, "--sensitivity", by, "--json"],
                                 check=True, capture_output=True, text=True).stdout
            derivative = json.loads(out)["gradient"]["by"][0]["derivative"]
            want = expected[-1][names.index(of)]
            checks += 1
            if not abs(derivative - want) <= bound * (1 + abs(want)):
                bad += 1
                print("%s: the gradient of %s by %s is %.9g, differences say %.9g" % (name, of, by, derivative, want))
print("%d of %d derivatives are wrong" % (bad, checks))
raise SystemExit(bad > 0)
PY
checks=$((checks + 1))
ZWANG="$ZWANG" timeout 100 python3 singular.py >report 2>&1 || fail "$(cat report)"

# one side longer: it never lies flat
cp "$root/test/metamorphic/models/window.zw" .
for how in "--sensitivity a" "--gradient A.y"; do
  for tolerance in 1e-7 1e-10; do
    # shellcheck disable=SC2086
    zwang run window.zw $how --tolerance $tolerance --quiet
    is 1
    says "at t = 0.6526" "passes a singular position of 'ra', 'rb', 'ab'" "there is no derivative after it"
  done
done
zwang run window.zw --sensitivity a --to 0.6 --quiet
is 0
zwang run window.zw --sensitivity l,w --quiet
is 0
done_well
