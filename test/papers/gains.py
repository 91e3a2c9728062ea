#!/usr/bin/env python3
"""The gains of the exported C (T25): Qc = gain_b b + gain_h h, beside `compare` and closed forms.

    gains.py PROGRAM     fails with a sentence at the first that is wrong"""
import json
import pathlib
import shutil
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
data, examples = here / "data", here.parent.parent / "examples"

driver = r"""
#include <stdio.h>
#include "model.h"
static void put(const char* name, const double* x, int rows, int columns) {
  printf("\"%s\": [", name);
  for (int i = 0; i < rows; i++) {
    printf(i ? ", [" : "[");
    for (int j = 0; j < columns; j++) printf(j ? ", %.17g" : "%.17g", x[i * columns + j]);
    printf("]");
  }
  printf("]");
}
int main(void) {
  static model_work work;
  static double M[model_N * model_N], h[model_N], A[model_ROWS * model_N], b[model_ROWS], gain_b[model_N * model_ROWS],
      gain_h[model_N * model_N], again[model_N * model_N];
  model_params p;
  double t, q[model_N], v[model_N], a[model_N], lambda[model_ROWS], force[model_N];
  model_default_params(&p);
  model_start(&t, q, v, &work);
  if (model_gains(t, q, v, &p, &work, gain_b, gain_h) != model_FINE) return 1;
  if (model_gains(t, q, v, &p, &work, (double*)0, again) != model_FINE) return 2;
  for (int i = 0; i < model_N * model_N; i++) {
    if (again[i] > gain_h[i] || again[i] < gain_h[i]) return 3;
  }
  if (model_accelerations(t, q, v, &p, &work, a, lambda) != model_FINE) return 4; /* they do not disturb each other */
  model_constraint_forces(t, q, v, &p, lambda, &work, force);
  model_equations(t, q, v, &p, M, h, A, b);
  printf("{");
  put("gain_b", gain_b, model_N, model_ROWS);
  printf(", ");
  put("gain_h", gain_h, model_N, model_N);
  printf(", ");
  put("force", force, 1, model_N);
  printf(", ");
  put("h", h, 1, model_N);
  printf(", ");
  put("b", b, 1, model_ROWS);
  printf("}\n");
  return 0;
}
"""


def fail(sentence):
    sys.exit(f"FAILED: {sentence}")


def call(*command):
    ended = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if ended.returncode:
        fail(f"{' '.join(map(str, command))} ends with {ended.returncode}: {ended.stderr}")
    return ended.stdout


def product(X, Y):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*Y)] for row in X]


def near(what, got, want, within=1e-11):
    if [len(r) for r in got] != [len(r) for r in want]:
        fail(f"{what} is of another shape")
    size = max([1e-300] + [abs(x) for row in want for x in row])
    worst = max([0.0] + [abs(x - y) for g, w in zip(got, want) for x, y in zip(g, w)])
    if not worst <= within * max(size, 1.0 if size < 1e-12 else size):
        fail(f"{what}: off by {worst} of {size}")


def exported(model, *options):
    call(sys.argv[1], "export", "--c", model, "--name", "model", "-o", "model.c", "-q", *options)
    pathlib.Path("driver.c").write_text(driver)
    call("cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "driver.c", "model.c", "-lm",
         "-o", "driver")
    return json.loads(call("./driver"))


def check(model, *options):
    gains = exported(model, *options)
    frame = json.loads(call(sys.argv[1], "compare", model, "--at", START.get(model.name, "0"), "--json"))["frames"][0]
    n, m = len(frame["M"]), len(frame["A"])
    # A^T D^+ = M M^-1 A^T D^+, and compare has M^(-1/2) C^+ = M^-1 A^T D^+
    near(f"{model.name} gain_b", gains["gain_b"], product(frame["M"], frame["gain"]))
    near(f"{model.name} gain_h", gains["gain_h"], [[frame["X"][j][i] - (i == j) for j in range(n)] for i in range(n)])
    b, h = [[x] for x in gains["b"][0]], [[x] for x in gains["h"][0]]
    of_b, of_h = product(gains["gain_b"], b), product(gains["gain_h"], h)
    near(f"{model.name} Qc_b", of_b, [[x] for x in frame["Qc_b"]], 1e-10)
    near(f"{model.name} Qc_h", of_h, [[x] for x in frame["Qc_h"]], 1e-10)
    near(f"{model.name} Qc", [[x[0] + y[0] for x, y in zip(of_b, of_h)]], gains["force"], 1e-10)
    return gains, m


def text(name, lines):
    path = pathlib.Path(name + ".zw")
    path.write_text(lines)
    return path


if not shutil.which("cc"):
    print("there is no compiler: nothing to look at")
    sys.exit(0)

START = {"ku93_track.zw": "1"}
for name in "uk98_appell", "bg99_pendulum", "ku93_rosenberg", "ku93_track", "l96_distribution", "u96_twice":
    gains, m = check(data / f"{name}.zw")
    if name == "ku93_track":  # (42): m b/(1 + t^2) (1, -t) and -[1 -t; -t t^2] F/(1 + t^2), m = 2, t = 1
        near("KU93 gain_b", gains["gain_b"], [[1.0], [-1.0]])
        near("KU93 gain_h", gains["gain_h"], [[-0.5, 0.5], [0.5, -0.5]])
    check(data / f"{name}.zw", "--compact")

# rows that repeat each other in several ways; a coordinate without inertia; M that is not definite; nothing left free; other units
models = {
    "many": """coord x = 0.1, y = 0.2, z = 0.3, w = 0.4
kinetic 1/2*(x'^2 + 2*y'^2 + 3*z'^2 + 4*w'^2) + 0.5*x'*w'
potential x*y*z + w^3
constraint a: x' + 2*y' = w
constraint b: y' - z' = 0.3*x
constraint c: x' + 3*y' - z' = w + 0.3*x
constraint d: 2*x' + 4*y' = 2*w
start x' = 0.5, y' = 0.1
run 0 .. 1
""",
    "massless": """coord x = 0.8, s, h = 0.2
kinetic 1/2*x'^2 + 1/2*h'^2
potential 3/2*(x - s)^2 + 5/2*s^2 + 2*h^2
constraint guide: s = 0.4*h + 0.3*x^2
start x' = 1
run 0 .. 4
""",
    "indefinite": """coord x = 0.3, y = 0.1, z
lagrangian 1/2*x'^2 - 1/2*y'^2 + z'^2 - x*y
constraint c: x' + 0.2*y' + z' = t + x
run 0 .. 1
""",
    "held": """coord x, y
kinetic 1/2*x'^2 + y'^2
potential 9.81*y
constraint a: x = 0.1*sin(t)
constraint b: y = 0.2*t^2 + x
run 0 .. 1
""",
    "far": """coord x = 6e-9, y = -8e-9
kinetic 1/2*1e6*(x'^2 + y'^2)
potential 9.81e6*y
constraint rod: x^2 + y^2 = 1e-16
start x' = 8e-9
run 0 .. 1e-4
""",
}
for name, lines in models.items():
    check(text(name, lines))
for name in "slider-crank", "table-four-legs", "andrews", "heavy-top":
    if (examples / f"{name}.zw").exists():
        check(examples / f"{name}.zw")
print("all gains are right")
