#!/usr/bin/env python3
"""The formulas that `zwang derive --all --json` prints, against sympy's.

    derived.py PROGRAM [--lie]   --lie: one sign is flipped in each part of what the program prints; ends with 0 only if all are seen

Models are read from their text by this program and differentiated by sympy: L, forces and rows become M, h, A, b; pseudo-inverses with 30 digits give
what the papers say of these. The strings of the program are parsed by sympy and evaluated at consistent states."""
import json
import pathlib
import subprocess
import sys
import tempfile

import mpmath as mp
import sympy as sp

import drawn
from models import Model, columns, pinv, rank, read, rows_of

mp.mp.dps = 30
STATES, DRAWN, TOL = 20, 10, mp.mpf(10) ** -12
here = pathlib.Path(__file__).resolve().parent
program = sys.argv[1]
lies = "--lie" in sys.argv
failures = []
counted = 0


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
