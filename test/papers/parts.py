#!/usr/bin/env python3
"""The force of the constraints in two parts (T25), as `run --forces` records it, on second roads.

    parts.py PROGRAM     fails with a sentence at the first that is wrong

UK98 and U96 print closed forms; `compare` solves by other factors; a difference of two runs gives the derivative."""
import csv
import json
import math
import pathlib
import subprocess
import sys

data = pathlib.Path(__file__).resolve().parent / "data"


def fail(sentence):
    sys.exit(f"FAILED: {sentence}")


def near(what, got, want, within, scale=1.0):
    for x, y in zip(got, want, strict=True):
        if not abs(x - y) <= within * max(scale, abs(y)):
            fail(f"{what}: {got}, not {want}")


def run(model, *options):
    """The rows of a run as dictionaries."""
    command = [sys.argv[1], "run", str(model), "-q", "--forces", "-o", "rows.csv", *options]
    pathlib.Path("rows.csv").unlink(missing_ok=True)
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        fail(f"{' '.join(command)}: {ended.stderr}")
    with open("rows.csv", newline="") as file:
        return [{k: float(v) for k, v in row.items() if k != "event"} for row in csv.DictReader(file)]


def compare(model, t):
    command = [sys.argv[1], "compare", str(model), "--at", repr(t), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        fail(f"{' '.join(command)}: {ended.stderr}")
    return json.loads(ended.stdout)["frames"][-1]  # events on the way have frames of their own


def parts(row, names):
    """Qc, Qc_b, Qc_h"""
    return [[row[f"constraints on {name}{part}"] for name in names] for part in ("", " (b)", " (h)")]


def text(name, lines):
    path = pathlib.Path(name + ".zw")
    path.write_text(lines)
    return path


# UK98: Qc_b = (s/V2) w, Qc_h = -(g z'/V2) w with w = (x', y', -z'), s = al (hx x' + hy y' + hz z' + ht)
for row in run(data / "uk98_appell.zw"):
    t, x, y, z, u, v, w = (row[k] for k in ("t", "x", "y", "z", "x'", "y'", "z'"))
    s, square, along = 0.5 * (y * u + x * v + t * w + z), u * u + v * v + w * w, (u, v, -w)
    Qc, b, h = parts(row, "xyz")
    near("UK98 Qc_b", b, [s / square * k for k in along], 1e-11)
    near("UK98 Qc_h", h, [-9.81 * w / square * k for k in along], 1e-11, 10)
    near("UK98 Qc", Qc, [p + q for p, q in zip(b, h)], 1e-12, 10)

# KU93 (42): m b/(1 + t^2) (1, -t) and -[1 -t; -t t^2] F/(1 + t^2)
for row in run(data / "ku93_track.zw"):
    t, x, y, u, v = (row[k] for k in ("t", "x", "y", "x'", "y'"))
    one, b, F = 1 + t * t, v + math.cos(t) / 2, (2 - y, x * u + 1)
    near("KU93 Qc_b", parts(row, "xy")[1], [2 * b / one, -2 * b * t / one], 1e-11)
    near("KU93 Qc_h", parts(row, "xy")[2], [-(F[0] - t * F[1]) / one, t * (F[0] - t * F[1]) / one], 1e-11)

# KU93 36-38: no force but that of the rows
for row in run(data / "ku93_rosenberg.zw"):
    if any(parts(row, "xyz")[2]):
        fail(f"Rosenberg: Qc_h = {parts(row, 'xyz')[2]}")

# redundant rows; masses that couple; a coordinate without inertia; what slips; what is closed; a row that is off; nothing at all
models = [
    data / "u96_twice.zw",
    data / "l96_distribution.zw",
    data / "bg99_pendulum.zw",
    text("joint", """coord x = 0.6, y = -0.8, u = 1.2, w
kinetic 1/2*(u'^2 + w'^2)
potential 9.81*w
constraint a: x^2 + y^2 = 1
constraint b: u = 2*x
constraint c: w = 2*y
run 0 .. 1 every 0.1
"""),
    text("slips", """param mu = 0.2
coord x, y
kinetic 1/2*(x'^2 + y'^2) + 0.3*x'*y'
potential 9.81*y
contact floor: y >= 0, friction mu, slip x
start x' = 3
run 0 .. 0.5 every 0.1
"""),
    text("lets_go", """coord x = 1, y
kinetic 1/2*(x'^2 + 2*y'^2)
potential 9.81*y
constraint rod: x^2 + y^2 = 1 while t < 0.35
run 0 .. 0.5 every 0.1
"""),
    text("free", "coord x, y\nkinetic 1/2*x'^2*(2 + y^2) + 1/2*y'^2\nforce x = 1\nrun 0 .. 1 every 0.5\n"),
]
for model in models:
    names = [c.removeprefix("constraints on ") for c in run(model)[0] if c.startswith("constraints on ") and c[-1] != ")"]
    for options in [], ["--formulation", "gibbs-appell"], ["--integrator", "radau"]:
        rows = run(model, *options)
        for row in (rows[0], rows[len(rows) // 2], rows[-1]):
            if sum(other["t"] == row["t"] for other in rows) > 1:
                continue  # an event: two motions at one time
            frame = compare(model, row["t"])
            Qc, b, h = parts(row, names)
            size = max(1, *map(abs, Qc), *map(abs, b), *map(abs, h))
            within = 2e-5 if row is not rows[0] else 1e-11  # both are at the ends of their own motions
            near(f"{model} {options} Qc_b", b, frame["Qc_b"], within, size)
            near(f"{model} {options} Qc_h", h, frame["Qc_h"], within, size)
            near(f"{model} {options} sum", Qc, [p + q for p, q in zip(b, h)], 1e-11, size)

# what is solved sparsely gives the same
N = 130
chain = text("chain", f"""param N = {N}
coord x[1..N] = 0, y[1..N] = 0
for i in 1..N {{
  start x[i] = 0.6*i, y[i] = -0.8*i, x[i]' = 0.8*i, y[i]' = 0.6*i
  kinetic 1/2*(1 + 0.3*sin(i))*(x[i]'^2 + y[i]'^2)
  potential 9.81*y[i]
}}
constraint first: x[1]^2 + y[1]^2 = 1
for i in 2..N {{
  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1
}}
run 0 .. 0.01 every 0.01
""")
names = [f"{c}[{i}]" for c in "xy" for i in range(1, N + 1)]
sparse, dense = (parts(run(chain, "--formulation", f)[0], names) for f in ("auto", "lagrange"))
for k in range(3):
    near("chain", sparse[k], dense[k], 1e-8, max(map(abs, dense[k])))

# derivatives are those of differences, of rows that repeat each other too
for model, name, value in (data / "uk98_appell.zw", "al", 0.5), (data / "l96_distribution.zw", "m", None):
    lines = model.read_text()
    value = value or float(lines.split(name + " = ")[1].split()[0].rstrip(","))
    step, exact = 1e-4 * value, ("--tolerance", "1e-12")
    varied = run(model, *exact, "--sensitivity", name)[-1]
    low, high = (run(model, *exact, "--set", f"{name}={value + k * step!r}")[-1] for k in (-1, 1))
    for column in low:
        if column.startswith("constraints on"):
            near(f"d({column})/d({name})", [varied[f"d({column})/d({name})"]],
                 [(high[column] - low[column]) / (2 * step)], 1e-5, 1)
print("all parts are right")
