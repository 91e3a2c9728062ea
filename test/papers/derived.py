#!/usr/bin/env python3
"""The formulas that `zwang derive --all --json` prints, against sympy's.

    derived.py PROGRAM [--lie]   --lie: one sign is flipped in each part of what the program prints; ends with 0 only if all are seen

Models are read from their text by this program and differentiated by sympy: L, forces and rows become M, h, A, b; pseudo-inverses with 30 digits give
what the papers say of these. The strings of the program are parsed by sympy and evaluated at consistent states."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import mpmath as mp
import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

import drawn

mp.mp.dps = 30
STATES, DRAWN, TOL = 20, 10, mp.mpf(10) ** -12
here = pathlib.Path(__file__).resolve().parent
program = sys.argv[1]
lies = "--lie" in sys.argv
t = sp.Symbol("t")
failures = []
counted = 0


# ---- reading models ----

def symbol(name):
    return sp.Symbol(name.replace("'", "_prime"))


def read(text, known=()):
    """An expression of the language, or one that the program prints."""
    text = re.sub(r"([A-Za-z_]\w*)('+)", lambda m: m[1] + "_prime" * len(m[2]), text).replace("^", "**")
    text = re.sub(r"(?<![\w.])(\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+)", r"Rational('\1')", text)
    text = re.sub(r"(?<![\w.'])(\d+)(?![\w.'])", r"Integer(\1)", text)
    names = {n: sp.Symbol(n) for n in re.findall(r"[A-Za-z_]\w*", text)}
    functions = dict(sin=sp.sin, cos=sp.cos, sqrt=sp.sqrt, exp=sp.exp, log=sp.log, tan=sp.tan, atan2=sp.atan2, Integer=sp.Integer,
                     Rational=sp.Rational, pi=sp.pi, abs=sp.Abs, sign=sp.sign, hypot=lambda x, y: sp.sqrt(x**2 + y**2))
    return parse_expr(text, local_dict={**names, **functions}, evaluate=True)


class Model:
    def __init__(self, text):
        self.params, self.coords, self.L, self.Q, self.rows, self.names = {}, [], sp.Integer(0), {}, [], []
        self.start, lagrange = {}, sp.Integer(0)
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            word, _, rest = line.partition(" ")
            if word == "param":
                for item in rest.split(","):
                    name, value = item.split("=")
                    self.params[name.strip()] = read(value)
            elif word == "coord":
                for item in rest.split(","):
                    name, _, value = item.partition("=")
                    self.coords.append(name.strip())
                    self.start[name.strip()] = read(value) if value else sp.Integer(0)
            elif word == "start":
                for item in rest.split(","):
                    name, value = item.split("=")
                    self.start[name.strip()] = read(value)
            elif word in ("kinetic", "lagrangian"):
                lagrange += read(rest)
            elif word == "potential":
                lagrange -= read(rest)
            elif word == "force":
                name, value = rest.split("=")
                self.Q[name.strip()] = self.Q.get(name.strip(), 0) + read(value)
            elif word == "constraint":
                name, _, equation = rest.partition(":")
                left, right = equation.split("=")
                self.names.append(name.strip())
                self.rows.append(read(left) - read(right))
        self.L = lagrange
        self.q = [symbol(c) for c in self.coords]
        self.v = [symbol(c + "'") for c in self.coords]
        self.a = [symbol(c + "''") for c in self.coords]
        self.differentiate()

    def drift(self, e):
        return sp.diff(e, t) + sum(sp.diff(e, q) * v for q, v in zip(self.q, self.v))

    def differentiate(self):
        p = [sp.diff(self.L, v) for v in self.v]
        self.M = [[sp.diff(x, v) for v in self.v] for x in p]
        self.h = [sp.diff(self.L, q) - self.drift(x) + self.Q.get(c, 0) for q, x, c in zip(self.q, p, self.coords)]
        self.A, self.b, self.position, self.velocity = [], [], [], []
        for e in self.rows:
            if any(e.has(x) for x in self.a):
                slope, rest = [sp.diff(e, x) for x in self.a], e.subs({x: 0 for x in self.a})
            elif any(e.has(x) for x in self.v):
                slope, rest = [sp.diff(e, x) for x in self.v], self.drift(e)
                self.velocity.append(e)
            else:
                slope, rest = [sp.diff(e, x) for x in self.q], self.drift(self.drift(e))
                self.position.append(e)
                self.velocity.append(self.drift(e))
            self.A.append(slope)
            self.b.append(-rest)
        known = {sp.Symbol(k): x for k, x in self.params.items()}
        while any(sp.sympify(x).free_symbols for x in known.values()):
            known = {k: sp.sympify(x).subs(known) for k, x in known.items()}
        self.known = known
        self.arguments = [t, *self.q, *self.v]
        self.call = {key: sp.lambdify(self.arguments, sp.Matrix(value).subs(known), "mpmath")
                     for key, value in dict(M=self.M, h=self.h, A=self.A, b=self.b).items() if value}
        self.solve_q = self.newton(self.position, self.q)
        self.solve_v = self.newton(self.velocity, self.v)

    def newton(self, rows, unknowns):
        if not rows:
            return None
        f = sp.Matrix(rows).subs(self.known)
        return (sp.lambdify(self.arguments, f, "mpmath"),
                sp.lambdify(self.arguments, f.jacobian(unknowns), "mpmath"))

    def state(self, number):
        """A consistent state near the start: (t, q, v)."""
        import random
        draw = random.Random(number)
        known = self.known
        n = len(self.q)
        def first(name):
            return mp.mpf(sp.sympify(self.start.get(name, 0)).subs(known).evalf(30))
        q = [first(c) + mp.mpf(draw.uniform(-0.2, 0.2)) for c in self.coords]
        v = [first(c + "'") + mp.mpf(draw.uniform(-0.4, 0.4)) for c in self.coords]
        time = mp.mpf(draw.uniform(0, 0.5))
        for which, solve in (("q", self.solve_q), ("v", self.solve_v)):
            for _ in range(80 if solve else 0):
                x = q if which == "q" else v
                r, J = solve[0](time, *q, *v), solve[1](time, *q, *v)
                step = pinv(J) * r
                for i in range(n):
                    x[i] -= step[i]
                if mp.norm(step) < mp.mpf(10) ** -27:
                    break
            else:
                if solve:
                    return None
        return time, q, v


# ---- what the papers say ----

def pinv(X):
    U, S, V = mp.svd_r(mp.matrix(X), full_matrices=False)
    largest = max(S) if len(S) else 0
    inverse = mp.zeros(X.cols, X.rows)
    for k in range(len(S)):
        if S[k] > largest * mp.mpf(10) ** -13:
            for i in range(X.cols):
                for j in range(X.rows):
                    inverse[i, j] += V[k, i] * U[j, k] / S[k]
    return inverse


def rank(X):
    S = mp.svd_r(mp.matrix(X), compute_uv=False)
    return sum(1 for s in S if s > max(S) * mp.mpf(10) ** -13)


def root(M):
    values, Q = mp.eigsy(M)
    return Q * mp.diag([mp.sqrt(x) for x in values]) * Q.T


def columns(X, which):
    Y = mp.zeros(X.rows, len(which))
    for k, j in enumerate(which):
        for i in range(X.rows):
            Y[i, k] = X[i, j]
    return Y


def rows_of(X, which):
    return columns(X.T, which).T


# ---- the program's page ----

class Page:
    def __init__(self, model, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.zw"
            file.write_text(text)
            ended = subprocess.run([program, "derive", str(file), "--all", "--json", "-q"], capture_output=True, text=True)
        if ended.returncode:
            raise SystemExit(f"derive failed: {ended.stderr}\n{text}")
        self.page, self.model, self.compiled = json.loads(ended.stdout), model, {}

    def at(self, section, state):
        """A function that evaluates strings of this section."""
        m = self.model
        values = {**{k.name: mp.mpf(sp.sympify(x).evalf(30)) for k, x in m.known.items()}, "t": state[0],
                  **{q.name: x for q, x in zip(m.q, state[1])}, **{v.name: x for v, x in zip(m.v, state[2])}}
        defined = {w["name"]: w["value"] for w in self.page.get(section, {}).get("where", [])}
        def value(text):
            if text not in self.compiled:
                e = read(text)
                names = sorted(s.name for s in e.free_symbols)
                self.compiled[text] = names, sp.lambdify([sp.Symbol(k) for k in names], e, "mpmath")
            names, f = self.compiled[text]
            for k in names:
                if k not in values:
                    if k not in defined:
                        raise KeyError(f"{k} in '{text}' is not defined in where of {section}")
                    values[k] = value(defined[k])
            return mp.mpf(f(*(values[k] for k in names)))
        def with_accelerations(a):
            values.update({s.name: x for s, x in zip(m.a, a)})
        value.accelerations = with_accelerations
        return value

    def vector(self, entries, names, value):
        x = mp.zeros(len(names), 1)
        for e in entries:
            x[names.index(e["row"])] = value(e["value"])
        return x

    def matrix(self, entries, rows, columns, value, mirrored=False):
        x = mp.zeros(len(rows), len(columns))
        for e in entries:
            i, j = rows.index(e["row"]), columns.index(e["column"])
            x[i, j] = value(e["value"])
            if mirrored:
                x[j, i] = x[i, j]
        return x


def compare(what, got, want, size=0):
    global counted
    counted += 1
    got, want = mp.matrix(got), mp.matrix(want)
    scale = max([abs(x) for x in want] + [abs(x) for x in got] + [size, mp.mpf(10) ** -25])
    off = max([abs(x) for x in (got - want)] + [mp.mpf(0)])
    if not off <= TOL * scale:
        failures.append(what)
        if not lies:
            print(f"{what}: off by {mp.nstr(off / scale, 3)}\n got {mp.nstr(got.T, 8)}\n want {mp.nstr(want.T, 8)}")


def flip(page):
    """One sign in each part, in a string that is not zero."""
    for section, key in (("explicit", "lambda"), ("explicit", "Qc"), ("explicit", "a"), ("explicit", "gain"), ("explicit", "D"),
                         ("explicit", "d"), ("explicit", "W"), ("partition", "R"), ("partition", "K"), ("partition", "P"),
                         ("partition", "right"), ("bellman", "R"), ("bellman", "beta"), ("bellman", "kappa"), ("bellman", "g"),
                         ("bellman", "a")):
        for entry in page.get(section, {}).get(key, []):
            if entry["value"] != "0":
                yield f"{section}.{key}", entry
                break


def check_explicit(name, page, model, state, M, h, A, b):
    x = page.page["explicit"]
    if "missing" in x:
        return failures.append(f"{name} explicit is missing: {x['missing']}")
    value = page.at("explicit", state)
    c, r = model.coords, model.names
    D, d = A * M**-1 * A.T, b - A * M**-1 * h
    lam = pinv(D) * d
    Qc = A.T * lam
    J = [r.index(k) for k in x["rows"]]
    size = max(abs(e) for e in h)
    compare(f"{name} D", page.matrix(x["D"], x["rows"], x["rows"], value, True), columns(rows_of(D, J), J))
    compare(f"{name} d", page.vector(x["d"], x["rows"], value), rows_of(d, J))
    compare(f"{name} lambda", page.vector(x["lambda"], r, value), lam)
    compare(f"{name} Qc", page.vector(x["Qc"], c, value), Qc, size)
    compare(f"{name} a", page.vector(x["a"], c, value), M**-1 * (h + Qc))
    if "gain" in x:
        compare(f"{name} gain", page.matrix(x["gain"], c, r, value), M**-1 * A.T * pinv(D))
    if len(J) < len(r):
        E = page.matrix(x["E"], r, x["rows"], value)
        compare(f"{name} E", E * rows_of(A, J), A)
        compare(f"{name} W", page.matrix(x["W"], r, r, value, True), mp.eye(len(r)) - A * pinv(A))
    for text in x["valid"]:
        if abs(value(text)) == 0:
            failures.append(f"{name} valid: {text}")
    return M**-1 * (h + Qc)


def check_partition(name, page, model, state, M, h, A, b, a):
    x = page.page["partition"]
    if "missing" in x:
        return failures.append(f"{name} partition is missing: {x['missing']}")
    value = page.at("partition", state)
    c = model.coords
    e, i = [c.index(k) for k in x["e"]], [c.index(k) for k in x["i"]]
    def part(rows, cols):
        return columns(rows_of(M, rows), cols)
    Ae, Ai = columns(A, e), columns(A, i)
    R, cc = pinv(Ae) * Ai, pinv(Ae) * b
    K = part(i, i) + R.T * part(e, e) * R - part(i, e) * R - R.T * part(e, i)
    P = rows_of(h, i) - R.T * rows_of(h, e)
    right = P + (R.T * part(e, e) - part(i, e)) * cc
    compare(f"{name} R", page.matrix(x["R"], x["e"], x["i"], value), R)
    compare(f"{name} c", page.vector(x["c"], x["e"], value), cc)
    compare(f"{name} K", page.matrix(x["K"], x["i"], x["i"], value, True), K)
    compare(f"{name} P", page.vector(x["P"], x["i"], value), P, max(abs(k) for k in h))
    compare(f"{name} right", page.vector(x["right"], x["i"], value), right, max(abs(k) for k in h))
    value.accelerations(a)
    compare(f"{name} S", [value(x["S"])], [(a.T * M * a)[0] / 2])


def check_bellman(name, page, model, state, M, h, A, b, a):
    x = page.page["bellman"]
    if "missing" in x:
        return failures.append(f"{name} bellman is missing: {x['missing']}")
    value = page.at("bellman", state)
    c, r = model.coords, model.names
    order = [c.index(k) for k in x["order"]]
    L = mp.cholesky(columns(rows_of(M, order), order))
    C = columns(A, order) * (L.T) ** -1
    d = b - A * M**-1 * h
    n, k0 = len(c), rank(A)
    R = {k: pinv(columns(C, range(k)) * columns(C, range(k)).T) for k in range(k0, n + 1)}
    for k in range(k0, n + 1):
        compare(f"{name} R_{k}", page.matrix([e for e in x["R"] if e["k"] == k], r, r, value, True), R[k])
        compare(f"{name} g_{k}", [value(e["value"]) for e in x["g"] if e["k"] == k], d.T * R[k] * d)
        if k > k0:
            beta = R[k - 1] * columns(C, [k - 1])
            kappa = beta / (1 + (columns(C, [k - 1]).T * beta)[0])
            size = max(abs(e) for e in C) * max(abs(e) for e in R[k - 1])
            compare(f"{name} beta_{k}", page.vector([e for e in x["beta"] if e["k"] == k], r, value), beta, size)
            compare(f"{name} kappa_{k}", page.vector([e for e in x["kappa"] if e["k"] == k], r, value), kappa, size)
    value.accelerations(a)
    compare(f"{name} chain", page.vector(x["a"], c, value), a)


def check(name, text):
    model = Model(text)
    page = Page(model, text)
    state = [s for s in (model.state(k) for k in range(3 * STATES)) if s][:1 if lies else STATES]
    if not state:
        failures.append(f"{name}: no consistent state")
    def run():
        for s in state:
            M, h, A, b = (mp.matrix(model.call[key](s[0], *s[1], *s[2])) for key in "MhAb")
            a = check_explicit(name, page, model, s, M, h, A, b)
            if a is not None:
                check_partition(name, page, model, s, M, h, A, b, a)
                check_bellman(name, page, model, s, M, h, A, b, a)
    run()
    if not lies:
        return []
    assert not failures, failures
    unseen = []
    for what, entry in flip(page.page):
        kept, entry["value"] = entry["value"], f"-({entry['value']})"
        run()
        if not failures:
            unseen.append(f"{name} {what}")
        failures.clear()
        entry["value"] = kept
    return unseen


unseen = []
texts = [(p.stem, p.read_text()) for p in sorted((here / "data").glob("*.zw")) if "chart" not in p.stem and "below" not in p.stem]
texts += [(f"drawn {k}", drawn.model(k)[0]) for k in range(DRAWN)]
if lies:
    texts = texts[:6]
for name, text in texts:
    text = "\n".join(line for line in text.splitlines() if not line.startswith(("quasi", "#")))
    unseen += check(name, text + "\n")
for what in failures:
    print("FAIL", what)
for what in unseen:
    print("a wrong sign was not seen:", what)
print(f"{counted} comparisons, {len(failures)} failed")
sys.exit(1 if failures or unseen or counted == 0 else 0)
