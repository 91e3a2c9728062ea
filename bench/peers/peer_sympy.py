#!/usr/bin/env python3
"""SymPy's equations, its lambdify, and SciPy's integrators; the questions and answers are those of peer.h.

A chain of rods is derived by Kane's method, a four-bar by Lagrange's with two loop equations. The scene "derive" asks for
the seconds that derivation and lambdify take; they are answered in place of those of a run, with nothing behind them.
"""

import sys
import time

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me
from scipy.integrate import solve_ivp
from sympy.core.cache import clear_cache

G = 9.81
LENGTHS = (0.35, 0.9, 0.75)  # crank, coupler, rocker


class Scene:
    """A state at the start, its rate, and where the centres of the rods are in a state."""

    def __init__(self, start, rate, centres):
        self.start, self.rate, self.centres = start, rate, centres


def plain(expression, replaced):
    """Functions of time become symbols; rates first, because they hold the functions."""
    for old, new in replaced:
        expression = expression.subs(dict(zip(old, new)))
    return expression


def rods(count):
    q, u = me.dynamicsymbols(f"q:{count}"), me.dynamicsymbols(f"u:{count}")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    bodies, loads, end = [], [], origin
    for i in range(count):
        axes = frame.orientnew(f"A{i}", "Axis", [q[i], frame.z])
        axes.set_ang_vel(frame, u[i] * frame.z)
        centre = end.locatenew(f"C{i}", -axes.y / 2)
        centre.v2pt_theory(end, frame, axes)
        tip = end.locatenew(f"E{i}", -axes.y)
        tip.v2pt_theory(end, frame, axes)
        inertia = (me.inertia(axes, 0, 0, sm.Rational(1, 12)), centre)
        bodies.append(me.RigidBody(f"B{i}", centre, axes, 1, inertia))
        loads.append((centre, -G * frame.y))
        end = tip
    rates = [x.diff(me.dynamicsymbols._t) - v for x, v in zip(q, u)]
    kane = me.KanesMethod(frame, q_ind=q, u_ind=u, kd_eqs=rates)
    kane.kanes_equations(bodies, loads)
    qs, us = sm.symbols(f"p:{count}"), sm.symbols(f"w:{count}")
    replaced = [(u, us), (q, qs)]
    f = sm.lambdify([qs + us], [plain(kane.mass_matrix, replaced), plain(kane.forcing, replaced)], cse=True)

    def rate(_, y):
        mass, force = f(y)
        return np.concatenate([y[count:], np.linalg.solve(mass, force).ravel()])

    def centres(y):
        s, c = np.sin(y[:count]), -np.cos(y[:count])
        return np.column_stack([np.cumsum(s) - s / 2, np.cumsum(c) - c / 2]).ravel()

    return Scene(np.array([np.pi / 3] * count + [0.0] * count), rate, centres)


def four_bar_start():
    a, b, c = LENGTHS
    crank, speed = 1.1, 2.0
    x, y = a * np.cos(crank), a * np.sin(crank)
    d = np.hypot(1 - x, y)
    coupler = np.arctan2(-y, 1 - x) + np.arccos((b * b + d * d - c * c) / (2 * b * d))
    rocker = np.arctan2(y + b * np.sin(coupler), x + b * np.cos(coupler) - 1)
    rows = [[-b * np.sin(coupler), c * np.sin(rocker)], [b * np.cos(coupler), -c * np.cos(rocker)]]
    others = np.linalg.solve(rows, [speed * y, -speed * x])
    return np.array([crank, coupler, rocker, speed, *others])


def four_bar_centres(y):
    a, b, c = LENGTHS
    cx, sx = np.cos(y[:3]), np.sin(y[:3])
    return np.array([a / 2 * cx[0], a / 2 * sx[0], a * cx[0] + b / 2 * cx[1], a * sx[0] + b / 2 * sx[1],
                     1 + c / 2 * cx[2], c / 2 * sx[2]])


def four_bar():
    t = me.dynamicsymbols._t
    q = me.dynamicsymbols("q:3")
    a, b, c = LENGTHS
    cos, sin = [sm.cos(x) for x in q], [sm.sin(x) for x in q]
    x = [a / 2 * cos[0], a * cos[0] + b / 2 * cos[1], 1 + c / 2 * cos[2]]
    y = [a / 2 * sin[0], a * sin[0] + b / 2 * sin[1], c / 2 * sin[2]]
    energy = 0
    for i, l in enumerate(LENGTHS):
        energy += l / 2 * (x[i].diff(t) ** 2 + y[i].diff(t) ** 2) + l**3 / 24 * q[i].diff(t) ** 2 - l * G * y[i]
    loop = [a * cos[0] + b * cos[1] - 1 - c * cos[2], a * sin[0] + b * sin[1] - c * sin[2]]
    lagrange = me.LagrangesMethod(energy, q, hol_coneqs=loop)
    lagrange.form_lagranges_equations()
    qs, us = sm.symbols("p:3"), sm.symbols("u:3")
    replaced = [([v.diff(t) for v in q], us), (q, qs)]
    whole = [plain(lagrange.mass_matrix_full, replaced), plain(lagrange.forcing_full, replaced)]
    f = sm.lambdify([qs + us], whole, cse=True)

    def rate(_, state):
        mass, force = f(state)
        return np.linalg.solve(mass, force).ravel()[:6]

    return Scene(four_bar_start(), rate, four_bar_centres)


def derive(name, count):
    clear_cache()
    begin = time.process_time()
    scene = rods(count) if name == "rods" else four_bar()
    return scene, time.process_time() - begin


def move(scene, method, tolerance, least):
    begin, runs, used = time.process_time(), 0, 0.0
    while runs == 0 or used < least:
        solution = solve_ivp(scene.rate, (0, 1), scene.start, method=method, rtol=tolerance, atol=tolerance)
        runs += 1
        used = time.process_time() - begin
    return used / runs, solution


def answer(words, scenes):
    name, count, method, setting, least = words[0], int(words[1]), words[2], float(words[3]), float(words[4])
    if name == "derive":
        return f"ok {derive(method, count)[1]:.9g} 0"
    if (name, count) not in scenes:
        scenes[name, count] = derive(name, count)[0]
    scene = scenes[name, count]
    seconds, solution = move(scene, method, setting, least)
    if not solution.success:
        return "no " + solution.message.replace("\n", " ")
    places = scene.centres(solution.y[:, -1])
    return f"ok {seconds:.9g} {len(places)} " + " ".join(f"{x:.17g}" for x in places)


def main():
    scenes = {}
    for line in sys.stdin:
        print(answer(line.split(), scenes), flush=True)


main()
