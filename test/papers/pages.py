#!/usr/bin/env python3
"""The checks of `zwang paper`, evaluated a second time: models are read from their text and differentiated by sympy, everything else is numpy's.

    pages.py PROGRAM [--lie]   --lie: signs are flipped, of what the program prints check by check, and of quantities paper by paper; ends with 0 only
                               if all are seen

Both sides of each check are compared with each other, and each with the numbers of `zwang paper NAME --json`. The state is what the model's text
says; velocities that it leaves open follow from the constraints. From papers/NAME.paper comes which columns are eliminated, their order, and the
accelerations that are tried."""
import ast
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import sympy as sp

from models import Model, items, read, symbol

TOL, TOL_PINV = 1e-9, 1e-11
NAMES = ("uk98", "bg99", "ku93", "l96", "u96")
program, lies = sys.argv[1], "--lie" in sys.argv
root = pathlib.Path(os.environ.get("ZWANG_ROOT", pathlib.Path(__file__).resolve().parents[2]))


class Unknown(Exception):
    """A name that cannot be formed here."""


# ---- formulas of matrices ----

class Mx:
    """A matrix; 1 x 1 is a number."""

    def __init__(self, at):
        self.at = np.atleast_2d(np.asarray(at, float))

    @property
    def T(self):
        return Mx(self.at.T)

    def number(self):
        if self.at.shape != (1, 1):
            raise ValueError("a matrix where a number belongs")
        return self.at[0, 0]

    def __add__(self, other):
        if self.at.shape != other.at.shape:
            raise ValueError("a sum of different sizes")
        return Mx(self.at + other.at)

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Mx(-self.at)

    def __mul__(self, other):
        if (1, 1) in (self.at.shape, other.at.shape):
            return Mx(self.at * other.at)
        return Mx(self.at @ other.at)

    def __truediv__(self, other):
        return Mx(self.at / other.number())

    def __pow__(self, other):
        return Mx(self.number() ** other.number())


def column(x):
    return np.asarray(x, float).reshape(-1, 1)


def pinv(X):
    return np.linalg.pinv(X, rcond=TOL_PINV)


def root_of(X):
    values, vectors = np.linalg.eigh(X)
    return vectors @ np.diag(np.sqrt(values)) @ vectors.T


def of_number(f):
    return lambda *x: Mx(f(*(y.number() for y in x)))


FUNCTIONS = dict(tr=lambda x: x.T, inv=lambda x: Mx(np.linalg.inv(x.at)), pinv=lambda x: Mx(pinv(x.at)), root=lambda x: Mx(root_of(x.at)),
                 eigen=lambda x: Mx(column(np.linalg.eigvalsh(x.at))), det=lambda x: Mx(np.linalg.det(x.at)),
                 dot=lambda x, y: Mx(x.at.ravel() @ y.at.ravel()), norm=lambda x: Mx(np.linalg.norm(x.at)), eye=lambda n: Mx(np.eye(int(n.number()))),
                 zeros=lambda n, k: Mx(np.zeros((int(n.number()), int(k.number())))), max=lambda x: Mx(x.at.max()), min=lambda x: Mx(x.at.min()),
                 atan2=of_number(math.atan2),
                 **{f: of_number(getattr(math, f)) for f in ("sin", "cos", "tan", "exp", "log", "sqrt")}, abs=of_number(abs))
TOKEN = re.compile(r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|(?P<name>[A-Za-z_][\w.]*'*)|(?P<T>\^T)|(?P<other>\S))")


def translate(text):
    """A formula as an expression of Python: names become V("name"), numbers N(..), [1, 2; 3, 4] becomes B([[1, 2], [3, 4]])."""
    out, at = "", 0
    text = text.strip()
    while at < len(text):
        m = TOKEN.match(text, at)
        at = m.end()
        if m["number"]:
            out += f"N({m['number']})"
        elif m["name"]:
            called = at < len(text) and text[at] == "("
            out += f"F[{m['name']!r}]" if called else f"V({m['name']!r})"
        elif m["T"]:
            out += ".T"
        else:
            out += {"^": "**", "[": "B([[", "]": "]])", ";": "],["}.get(m["other"], m["other"])
    return out


def brackets(rows):
    numbers = [[x.number() for x in row] for row in rows]
    return Mx(column(numbers[0]) if len(numbers) == 1 else numbers)


def summands(tree):
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)):
        return summands(tree.left) + [tree.right]
    return [tree]


def evaluate(text, V):
    """Its value, and the largest number in any of its outer summands."""
    names = dict(V=V, N=Mx, F=FUNCTIONS, B=brackets)
    tree = ast.parse(translate(text), mode="eval").body
    value, term = None, 0.0
    parts = summands(tree)
    for part in parts:
        x = eval(compile(ast.Expression(part), text, "eval"), names)
        term = max(term, np.abs(x.at).max(initial=0))
    value = x if len(parts) == 1 else eval(compile(ast.Expression(tree), text, "eval"), names)
    return value, term


# ---- what the names stand for ----

class Quantities:
    """Everything at the start of a model, formed when it is asked for."""

    def __init__(self, text, choices, letters):
        self.model = m = Model(text)
        n = len(m.coords)
        start = {symbol(c + p): m.start.get(c + p, 0) for c in m.coords for p in ("", "'")}
        start = {k: sp.sympify(x).subs(m.known) for k, x in start.items()}
        start[sp.Symbol("t")] = m.start_time
        self.start = start
        untyped = [v for c, v in zip(m.coords, m.v) if c + "'" not in m.start]
        rows = [e.subs({k: x for k, x in start.items() if k not in untyped}).subs(m.known) for e in m.velocity]
        for solution in sp.solve(rows, untyped, dict=True) if untyped and any(e.free_symbols for e in rows) else []:
            start.update(solution)
        self.scalars = {k.name: x for k, x in start.items()} | {k.name: x for k, x in m.known.items()}
        for e in m.position + m.velocity:
            if abs(self.of(e)) > 1e-12:
                raise SystemExit(f"the start does not satisfy the constraints by {self.of(e)}")
        self.choices, self.letters, self.n, self.m = choices, letters, n, len(m.rows)
        self.known, self.inside = {}, []
        self.is_free = set()  # names that are a choice: any null space, any independent rows
        self.form()

    def of(self, e):
        return float(sp.sympify(e).subs(self.model.known).subs(self.start).evalf(25))

    def matrix(self, entries):
        return np.array([[self.of(x) for x in row] for row in entries], float)

    def form(self):
        m, n = self.model, self.n
        M, A = self.matrix(m.M), self.matrix(m.A)
        h, b = column([self.of(x) for x in m.h]), column([self.of(x) for x in m.b])
        Q = column([self.of(m.Q.get(c, 0)) for c in m.coords])
        Mi = np.linalg.inv(M)
        half = root_of(M)
        a0, D, Ap = Mi @ h, A @ Mi @ A.T, pinv(A)
        d, gain = b - A @ a0, Mi @ A.T @ pinv(D)
        a = a0 + gain @ d
        lam = {"lambda": pinv(D) @ d, "lambda_b": pinv(D) @ b, "lambda_h": -pinv(D) @ A @ a0}
        Qc = {k.replace("lambda", "Qc"): A.T @ x for k, x in lam.items()}
        N = np.eye(n) - Ap @ A
        X_L = Mi @ (h - Q)
        C = A @ np.linalg.inv(half)
        def gaussian(x, center):
            return 0.5 * (x - center).T @ M @ (x - center)
        self.known.update(
            M=M, A=A, h=h, b=b, a0=a0, D=D, d=d, gain=gain, a=a, **lam, **Qc, a_b=gain @ b, a_h=a0 - gain @ A @ a0, X=N @ pinv(half @ N) @ half,
            W=np.eye(self.m) - A @ Ap, C=C, G=gaussian(a, a0), S=gaussian(a, 0 * a), X_L=X_L, Q=Q, constant=gaussian(0 * a, X_L),
            G_L=gaussian(a, X_L), y_all=half @ (a - a0), kinetic=self.of(m.kinetic), n=n, rank=np.linalg.matrix_rank(A, tol=1e-9 * np.abs(A).max()), pi=math.pi)
        J = []
        for i in range(self.m):
            if np.linalg.matrix_rank(A[J + [i]], tol=1e-9) > len(J):
                J.append(i)
        self.known["E"] = A @ pinv(A[J])
        for c, x in zip(m.coords, a):
            self.known[c + "''"] = x
        for name, x in self.scalars.items():
            self.known.setdefault(name.replace("_prime", "'"), float(sp.sympify(x).evalf(25)))
        self.partition(M, A, h, b, a, a0)
        self.bellman(C, d, np.linalg.matrix_rank(A, tol=1e-9 * np.abs(A).max()))
        self.tried(M, A, b, a, a0, X_L, gaussian)
        self.velocities(M, A, b, h, Q, a, X_L, gaussian)
        self.known = {k: Mx(x) for k, x in self.known.items()}

    def chosen(self, which):
        text = self.choices.get(which)
        return [self.model.coords.index(c.strip()) for c in text.split(",")] if text else None

    def partition(self, M, A, h, b, a, a0):
        e = self.chosen("eliminate")
        if e is None:
            return
        i = [j for j in range(self.n) if j not in e]
        block = {"e": e, "i": i}
        k = {f"M{x}{y}": M[np.ix_(block[x], block[y])] for x in "ei" for y in "ei"}
        for x in "ei":
            k.update({f"h{x}": h[block[x]], f"a{x}": a[block[x]], f"a0{x}": a0[block[x]], f"A{x}": A[:, block[x]]})
        R, c = pinv(k["Ae"]) @ k["Ai"], pinv(k["Ae"]) @ b
        k["R"], k["c"] = R, c
        k["K"] = k["Mii"] + R.T @ k["Mee"] @ R - k["Mie"] @ R - R.T @ k["Mei"]
        k["P"] = k["hi"] - R.T @ k["he"]
        k["S1"] = (k["Mie"] - R.T @ k["Mee"]) @ c
        k["right"] = k["P"] - k["S1"]
        k["S0"] = 0.5 * c.T @ k["Mee"] @ c
        k["K_eigenvalues"] = column(np.linalg.eigvalsh(k["K"]))
        k["permutation"] = np.eye(self.n)[:, e + i]
        self.known.update(k)

    def bellman(self, C, d, rank):
        order = self.chosen("order")
        if order is None:
            return
        k, C, n = {}, C[:, order], self.n
        first = next(j for j in range(1, n + 1) if np.linalg.matrix_rank(C[:, :j], tol=1e-9 * np.abs(C).max()) == rank)
        for j in range(1, n + 1):
            k[f"C_{j}"], k[f"col_{j}"] = C[:, :j], C[:, j - 1 : j]
            if j >= first:
                k[f"R_{j}"] = pinv(C[:, :j] @ C[:, :j].T)
                k[f"g_{j}"] = d.T @ k[f"R_{j}"] @ d
        left = d
        for j in range(n, first, -1):
            beta = k[f"R_{j - 1}"] @ k[f"col_{j}"]
            k[f"d_{j}"], k[f"beta_{j}"], k[f"kappa_{j}"] = left, beta, beta / (1 + k[f"col_{j}"].T @ beta)
            k[f"gdrop_{j}"] = k[f"g_{j - 1}"] - k[f"g_{j}"]
            k[f"y_{j}"] = k[f"kappa_{j}"].T @ left
            left = left - k[f"col_{j}"] @ k[f"y_{j}"]
        k[f"d_{first}"] = left
        for j, y in enumerate(pinv(C[:, :first]) @ left):
            k[f"y_{j + 1}"] = y
        self.known.update(k)

    def tried(self, M, A, b, a, a0, X_L, gaussian):
        """The possible acceleration: those named, and of the others those of least Gaussian with the rows."""
        text = self.choices.get("possible")
        if not text:
            return
        rows, right = [A], [b]
        for item in items(text):
            name, value = item.split("=")
            rows.append(np.eye(self.n)[[self.model.coords.index(name.strip().rstrip("'"))]])
            right.append(column([float(read(value))]))
        B, c = np.vstack(rows), np.vstack(right)
        half = root_of(M)
        x = a0 + np.linalg.solve(half, pinv(B @ np.linalg.inv(half)) @ (c - B @ a0))
        if np.abs(B @ x - c).max() > 1e-9:
            raise SystemExit("the possible acceleration cannot be completed")
        force = M @ (a - a0)
        self.known.update(a_possible=x, residual=A @ x - b, nearest=x, G_possible=gaussian(x, a0), excess=gaussian(x, a0) - gaussian(a, a0),
                          distance2=gaussian(x, a), work=force.T @ (x - a), S_possible=gaussian(x, 0 * x), G_L_possible=gaussian(x, X_L))

    def velocities(self, M, A, b, h, Q, a, X_L, gaussian):
        """Velocities of one's own: as the model states them, or along any orthonormal null space."""
        m, k = self.model, {}
        if m.quasi:
            rows = [[sp.diff(e, v) for v in m.v] for e in m.quasi.values()]
            at_rest = {v: 0 for v in m.v}
            Cq = self.matrix(rows)
            both = np.vstack([Cq, A])
            s, g0 = (column([self.of(e.subs(at_rest)) for e in x]) for x in (m.quasi.values(), m.velocity))
            k["nu"] = column([self.of(e) for e in m.quasi.values()])
            drift = column([self.of(m.drift(e)) for e in m.quasi.values()])
            k["Bq"] = pinv(both)[:, : len(rows)]
            k["rq"] = -pinv(both) @ np.vstack([s, g0])
            k["cq"] = pinv(both) @ np.vstack([-drift, b])
            k["alpha"] = Cq @ a + drift
            for name, x, rate in zip(m.quasi, k["nu"], k["alpha"]):
                k[name], k[name + "'"] = x, rate
        else:
            _, sigma, Vt = np.linalg.svd(A)
            k["Bq"] = Vt[sum(sigma > 1e-9 * sigma[0]) :].T
            k["cq"] = pinv(A) @ b
            k["alpha"] = k["Bq"].T @ (a - k["cq"])
            self.is_free |= {"Bq", "alpha", "cq", "Kq", "pq", "Pq"}
        k["Kq"] = k["Bq"].T @ M @ k["Bq"]
        k["pq"], k["Pq"] = k["Bq"].T @ (h - M @ k["cq"]), k["Bq"].T @ Q
        k["G_L_constant_part"] = gaussian(k["cq"], X_L)
        self.known.update({name: x for name, x in k.items() if name not in self.known})

    def value(self, name, above=None):
        """Letters stand for formulas with the letters above them."""
        count = len(self.letters) if above is None else above
        for i in range(count - 1, -1, -1):
            if self.letters[i]["name"] == name:
                return evaluate(self.letters[i]["formula"], lambda x: self.value(x, i))[0]
        if name in self.known:
            return self.known[name]
        raise Unknown(name)


# ---- papers ----

def choices(name):
    """By example what papers/NAME.paper chooses; an example that comes again has the choices of its first."""
    found, example = {}, None
    for line in (root / "papers" / f"{name}.paper").read_text().splitlines():
        word, _, rest = line.strip().partition(" ")
        if line.startswith(("example ", "model ")):
            example = rest.strip()
        elif line.startswith(("eliminate ", "order ", "possible ")):
            found.setdefault(example, {})[word] = rest.strip()
    return found


def off(left, right, term, is_below=False):
    """As a part of the largest number."""
    apart = left - right
    apart = np.minimum(apart, 0) if is_below else apart
    scale = max(term, np.abs(left).max(initial=0), np.abs(right).max(initial=0))
    worst = np.abs(apart).max(initial=0)
    return 0.0 if worst == 0 else worst / scale if worst == worst else math.inf


class Check:
    def __init__(self, name, equation, entry, quantities):
        self.name = f"{name} {equation['number']}: {entry['check']}"
        self.entry, self.of = entry, quantities
        self.sides = re.split(r"==|>=", entry["check"])
        self.is_below = ">=" in entry["check"]

    def wrong(self):
        """What does not hold, a sentence; "": it does. Raises Unknown."""
        self.used = used = set()
        def value(name):
            used.add(name)
            return self.of.value(name)
        (left, term_left), (right, term_right) = (evaluate(s, value) for s in self.sides)
        if left.at.shape != right.at.shape:
            return f"sides of different sizes, {left.at.shape} and {right.at.shape}"
        apart = off(left.at, right.at, max(term_left, term_right), self.is_below)
        if not apart <= TOL:
            return f"the sides are apart by {apart:.1e}"
        for side, mine, term in (("left", left.at, term_left), ("right", right.at, term_right)):
            theirs = np.array(self.entry[side], float)
            if theirs.shape != mine.shape:
                return f"{side}: another size is printed"
            if used & self.of.is_free:  # one direction is free: known up to its sign
                mine, theirs = np.abs(mine), np.abs(theirs)
            # the terms of both sides: what cancels leaves their rounding
            apart = off(mine, theirs, max(term_left, term_right))
            if not apart <= TOL:
                return f"{side}: {apart:.1e} beside what is printed"
        return ""


def read_checks(name):
    ended = subprocess.run([program, "paper", name, "--json"], capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"paper {name} failed: {ended.stderr}")
    page = json.loads(ended.stdout)
    letters = {w["example"]: w["letters"] for w in page["where"]}
    chosen, examples = choices(name), {}
    for equation in page["equations"]:
        example = equation.get("example")
        for entry in equation["checks"]:
            if example not in examples:
                text = (root / "examples" / f"{example}.zw").read_text()
                examples[example] = Quantities(text, chosen.get(example, {}), letters.get(example, []))
            yield Check(name, equation, entry, examples[example])


def flipped(entry):
    """The first number that is not 0, with its sign turned, of what is printed on the left; None: all are 0."""
    for row in entry["left"]:
        for j, x in enumerate(row):
            if abs(x) > 1e-6 * max(abs(y) for r in entry["left"] for y in r):
                row[j] = -x
                return row, j, x
    return None


def lie(name, checks):
    """Signs of what is printed, one by one; then of the quantities that the checks name."""
    unseen, told = [], 0
    for check in checks:
        if check.of.is_free and any(re.search(rf"\b{x}\b", check.name) for x in check.of.is_free):
            continue  # known up to its sign
        place = flipped(check.entry)
        if place:
            told += 1
            if not check.wrong():
                unseen.append(check.name)
            place[0][place[1]] = place[2]
    named = set().union(*(check.used for check in checks))
    for quantity in [x for x in ("M", "h", "A", "b", "a0", "a", "d", "Qc", "lambda", "G", "R", "K") if x in named]:
        models = [of.known for of in {id(c.of): c.of for c in checks}.values() if quantity in of.known]
        for known in models:
            known[quantity] = -known[quantity]
        told += 1
        if not any(check.wrong() for check in checks):
            unseen.append(f"{name}: the sign of {quantity}")
        for known in models:
            known[quantity] = -known[quantity]
    return told, unseen


count = evaluated = wrong = told = 0
unformed, unseen = [], []
for name in NAMES:
    good = []
    for check in read_checks(name):
        count += 1
        try:
            why = check.wrong()
        except Unknown as missing:
            unformed.append(f"{check.name} ('{missing}')")
            continue
        evaluated += 1
        good.append(check)
        if why:
            wrong += 1
            print(f"{check.name}\n  {why}")
    if lies:
        more, not_seen = lie(name, good)
        told += more
        unseen += not_seen
for what in unformed:
    print("not evaluated:", what)
print(f"{evaluated} of {count} checks evaluated, {wrong} wrong")
if lies:
    for what in unseen:
        print("a wrong sign was not seen:", what)
    print(f"{told} wrong signs, {len(unseen)} not seen")
sys.exit(1 if wrong or unseen or count == 0 or evaluated < 0.95 * count else 0)
