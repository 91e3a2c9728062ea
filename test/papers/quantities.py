#!/usr/bin/env python3
"""What outputs may read of the solve: gaussian, acceleration_energy, free(x''), constraint_force(x), on second roads.

    quantities.py PROGRAM     fails with a sentence at the first that is wrong

UK98 has closed forms, `compare` other factors, the dense solve the same numbers as the sparse one, differences of runs the derivatives."""
import csv
import json
import pathlib
import subprocess
import sys

data = pathlib.Path(__file__).resolve().parent / "data"


def fail(sentence):
    sys.exit(f"FAILED: {sentence}")


def near(what, got, want, within, scale=1.0):
    if not abs(got - want) <= within * max(scale, abs(want)):
        fail(f"{what}: {got}, not {want}")


def call(*command):
    ended = subprocess.run([sys.argv[1], *map(str, command)], capture_output=True, text=True)
    if ended.returncode:
        fail(f"{' '.join(map(str, command))}: {ended.stderr}")
    return ended.stdout


def run(model, *options):
    call("run", model, "-q", "-o", "rows.csv", "--record", "all", *options)
    with open("rows.csv", newline="") as file:
        return [{k: float(v) for k, v in row.items() if k != "event"} for row in csv.DictReader(file)]


def with_outputs(name, lines, coordinates, has_free=True):
    """The model with outputs of all quantities."""
    path = pathlib.Path(name + ".zw")
    outputs = ["S = acceleration_energy"] + (["G = gaussian"] if has_free else [])
    for i, x in enumerate(coordinates):
        outputs += [f"Qc{i} = constraint_force({x})"] + ([f"a0{i} = free({x}'')"] if has_free else [])
    path.write_text(lines + "\noutput " + ", ".join(outputs) + "\n")
    return path


# UK98: G = d^2/(2 V2), S = (s^2 + g^2 (x'^2 + y'^2))/(2 V2), a0 = (0, 0, -g), d = s - g z'
uk98 = with_outputs("uk98", (data / "uk98_appell.zw").read_text(), "xyz")
for row in run(uk98):
    t, x, y, z, u, v, w = (row[k] for k in ("t", "x", "y", "z", "x'", "y'", "z'"))
    s, square = 0.5 * (y * u + x * v + t * w + z), u * u + v * v + w * w
    near("UK98 G", row["G"], (s - 9.81 * w) ** 2 / (2 * square), 1e-11)
    near("UK98 S", row["S"], (s * s + 9.81**2 * (u * u + v * v)) / (2 * square), 1e-11)
    near("UK98 Qc", row["Qc1"], (s - 9.81 * w) / square * v, 1e-11)
    if [row["a00"], row["a01"], row["a02"]] != [0, 0, -9.81]:
        fail("UK98 a0")

# other models, also with M that has no inverse, beside compare
others = [(p.stem, p.read_text(), q) for p, q in [(data / "u96_twice.zw", "xyz"), (data / "l96_distribution.zw", "xyz"),
                                                 (data / "chart_polar_1.zw", "xy")]]
others.append(("joint", """coord x = 0.6, y = -0.8, u = 1.2, w
kinetic 1/2*(u'^2 + w'^2)
potential 9.81*w
constraint a: x^2 + y^2 = 1
constraint b: u = 2*x
constraint c: w = 2*y
run 0 .. 1 every 0.1
""", "xyuw"))
indefinite = """param m = 1
coord x = 1, y = 0.5, z
lagrangian 1/2*m*(x'^2 - y'^2 + 2*x'*z') - x^2*y
constraint c: z = x*y - 0.5
force x = 0.3*y'
start x' = 1, y' = 0.2
run 0 .. 1
"""
others.append(("indefinite", indefinite, "xyz"))
for name, lines, coordinates in others:
    names = [c.split()[0].rstrip(",") for c in lines.split("coord ")[1].split("\n")[0].split(", ")]
    model = with_outputs(name, lines, names, name != "joint")
    row = run(model, "--to", 1.01, "--every", 1)[0]
    frame = json.loads(call("compare", model, "--at", row["t"], "--json"))["frames"][0]
    near(f"{name} S", row["S"], frame["S"], 1e-11)
    if name != "joint":
        near(f"{name} G", row["G"], frame["G"], 1e-11)
    for i in range(len(names)):
        near(f"{name} Qc", row[f"Qc{i}"], frame["Qc"][i], 1e-11, 10)
        if name != "joint":
            near(f"{name} a0", row[f"a0{i}"], frame["a0"][i], 1e-11, 10)

# sparse beside dense
N = 130
chain = with_outputs("chain", f"""param N = {N}
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
""", ["x[1]", "y[50]", f"y[{N}]"])
sparse, dense = (run(chain, "--formulation", f)[0] for f in ("auto", "lagrange"))
for column in sparse:
    near(f"chain {column}", sparse[column], dense[column], 1e-8, 1000)

# a point; a plot; a name of the user's
point = pathlib.Path("point.zw")
point.write_text("""coord th = 1
let P = (sin(th), -cos(th))
kinetic 1/2*P'^2 + 1/2*th'^2
potential 9.81*P.y
force th = 2
constraint drive: th = 1 + t^2
output a0 = free(P''), alone = free(th'')
plot gaussian, free(P'')
run 0 .. 1
""")
row = run(point)[0]
near("free(P'')", row["a0.x"], row["alone"] * 0.5403023058681398, 1e-12)
near("free(th'')", row["alone"], (2 - 9.81 * 0.8414709848078965) / 2, 1e-12)
pathlib.Path("own.zw").write_text("""coord x = 3
kinetic 1/2*x'^2
let gaussian = 5, free(a) = 2*a
output a = gaussian, b = free(x)
run 0 .. 1
""")
row = run("own.zw")[0]
if (row["a"], row["b"]) != (5, 6):
    fail("names of the user's")

# derivatives, forward and backward
step, exact = 1e-4, ("--tolerance", "1e-12")
varied = run(uk98, *exact, "--sensitivity", "al")[-1]
low, high = (run(uk98, *exact, "--set", f"al={0.5 + k * step!r}")[-1] for k in (-1, 1))
for column in ["G", "S", "Qc0", "Qc2", "a02"]:
    near(f"d({column})/d(al)", varied[f"d({column})/d(al)"], (high[column] - low[column]) / (2 * step), 1e-6)
bent = with_outputs("varied", indefinite, "xyz")
of_m = run(bent, *exact, "--sensitivity", "m")[-1]
low, high = (run(bent, *exact, "--set", f"m={1 + k * step!r}")[-1] for k in (-1, 1))
for column in ["G", "S", "Qc0", "a01", "a02"]:
    near(f"d({column})/d(m)", of_m[f"d({column})/d(m)"], (high[column] - low[column]) / (2 * step), 1e-6)
answer = json.loads(call("run", uk98, "--json", "-o", "rows.csv", "--gradient", "G", "--sensitivity", "al", *exact))
near("gradient of G", answer["gradient"]["by"][0]["derivative"], varied["d(G)/d(al)"], 1e-7)
print("all quantities are right")
