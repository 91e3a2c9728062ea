"""Models of the language, read from their text and differentiated by sympy, and the linear algebra of the papers with as many digits as mpmath has.
Nothing of the program is used here."""
import re

import mpmath as mp
import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

t = sp.Symbol("t")


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
                     Rational=sp.Rational, pi=sp.pi, acos=sp.acos, abs=sp.Abs, sign=sp.sign, hypot=lambda x, y: sp.sqrt(x**2 + y**2))
    return parse_expr(text, local_dict={**names, **functions}, evaluate=True)


def items(text):
    """Parts between commas that are in no brackets."""
    depth, part = 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            yield part
            part = ""
        else:
            part += c
    yield part


class Model:
    def __init__(self, text):
        self.params, self.coords, self.L, self.Q, self.rows, self.names = {}, [], sp.Integer(0), {}, [], []
        self.start, self.lets, self.quasi, self.kinetic, lagrange = {}, {}, {}, sp.Integer(0), sp.Integer(0)
        self.start_time = sp.Integer(0)
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            word, _, rest = line.partition(" ")
            rest = rest.strip()
            if word == "param":
                for item in items(rest):
                    name, value = item.split("=")
                    self.params[name.strip()] = read(value)
            elif word == "coord":
                for item in items(rest):
                    name, _, value = item.partition("=")
                    self.coords.append(name.strip())
                    self.start[name.strip()] = read(value) if value else sp.Integer(0)
            elif word == "start":
                for item in items(rest):
                    name, value = item.split("=")
                    self.start[name.strip()] = read(value)
            elif word == "let":
                for item in items(rest):
                    name, value = item.split("=")
                    self.lets[name.strip()] = value
            elif word == "quasi":
                for item in items(rest):
                    name, value = item.split("=")
                    self.quasi[name.strip()] = read(value)
            elif word == "run":
                self.start_time = read(rest.split("..")[0])
            elif word in ("kinetic", "lagrangian"):
                lagrange += read(rest)
                self.kinetic += read(rest)
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
        self.q = [symbol(c) for c in self.coords]
        self.v = [symbol(c + "'") for c in self.coords]
        self.a = [symbol(c + "''") for c in self.coords]
        self.L, self.kinetic = self.without_lets(lagrange), self.without_lets(self.kinetic)
        self.Q = {name: self.without_lets(x) for name, x in self.Q.items()}
        self.rows = [self.without_lets(x) for x in self.rows]
        self.quasi = {name: self.without_lets(x) for name, x in self.quasi.items()}
        self.differentiate()

    def without_lets(self, e):
        """Names that `let` defines, and their derivatives by time, by what they stand for."""
        e = sp.sympify(e)
        for s in sorted(e.free_symbols, key=str):
            name, primes = re.fullmatch(r"(.*?)((?:_prime)*)", s.name).groups()
            if name in self.lets:
                meant = self.without_lets(read(self.lets[name]))
                for _ in range(len(primes) // len("_prime")):
                    meant = self.drift(meant) + sum(sp.diff(meant, v) * a for v, a in zip(self.v, self.a))
                e = e.subs(s, meant)
        return e

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
