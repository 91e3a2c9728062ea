"""Models drawn at random, as texts of the language: 2 to 5 coordinates, inertia that depends on everything, rows of all levels."""
import random

NAMES = ["x", "y", "z", "u", "w"]


def inertia(draw, c, n):
    """The energy of motion: positive for moderate velocities, with couplings, time, and velocities to the fourth power."""
    terms = []
    for i in range(n):
        other = c[draw.randrange(n)]
        factor = draw.choice(["m", f"(m + sin({other})^2)", f"(2 + m*cos({other}))", "(m + t/4)", "1"])
        terms.append(f"1/2*{factor}*{c[i]}'^2")
    if n > 1:
        i, j = draw.sample(range(n), 2)
        terms.append(f"1/4*cos({c[i]} - {c[j]})*{c[i]}'*{c[j]}'")
    if draw.random() < 0.3:
        terms.append(f"1/20*{c[draw.randrange(n)]}'^4")
    return " + ".join(terms)


def row(draw, c, n):
    i, j = draw.sample(range(n), 2)
    p, q = c[i], c[j]
    return draw.choice([
        f"{p}^2 + {q}^2 = 2",
        f"sin({p}) + 2*{q} = t/3",
        f"{p}' = {q}*{q}' + 1/5",
        f"{p}'^2 + 2*{q}'^2 = 3 + sin(t)",
        f"{p}'*(1 + {q}^2) = k*cos(t)",
        f"(2 + {p}')*{q}'' + {p}'' = k*{p}",
    ])


def model(seed):
    """(text, coordinates) of model number `seed`."""
    draw = random.Random(seed)
    n = 2 + seed % 4
    c = NAMES[:n]
    rows = []
    for k in range(1 + (draw.random() < 0.5 and n > 2)):
        text = row(draw, c, n)
        while any(text.split("=")[0] == other.split("=")[0] for other in rows):
            text = row(draw, c, n)
        rows.append(text)
    if seed % 3 == 0:  # one row again, doubled
        left, right = rows[0].split(" = ")
        rows.append(f"2*({left}) = 2*({right})")
    i = draw.randrange(n)
    lines = ["param m = 1.5, k = 0.7", "coord " + ", ".join(f"{name} = {0.3 + 0.2*i:.1f}" for i, name in enumerate(c)),
             "start " + ", ".join(f"{name}' = {0.4 + 0.3*i:.1f}" for i, name in enumerate(c)), "kinetic " + inertia(draw, c, n), f"potential k*{c[i]}^2 + sin({c[0]})",
             f"force {c[-1]} = -k*{c[-1]}' + cos(t)"]
    lines += [f"constraint r{i + 1}: {text}" for i, text in enumerate(rows)]
    return "\n".join(lines + ["run 0 .. 1", ""]), c
