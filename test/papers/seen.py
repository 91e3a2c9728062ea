#!/usr/bin/env python3
"""Counts the quantities of the papers that `zwang compare --json` shows, to the digits that their files ask for.

    seen.py PROGRAM     one line for each that is wrong or missing; ends with 'N of M'

The numbers in data/ were computed with 40 digits, from the Lagrangian and the rows, by another program."""
import json
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent / "data"
good = total = 0


def numbers(value):
    """All numbers in order; of objects by k in the order of k."""
    if isinstance(value, dict):
        keys = sorted(value, key=int) if all(k.isdigit() for k in value) else value
        return [x for k in keys for x in numbers(value[k])]
    if isinstance(value, list):
        return [x for e in value for x in numbers(e)]
    return [float(value)]


def count(what, got, want, check, scale=0.0):
    global good, total
    total += 1
    try:
        g, w = numbers(got), numbers(want)
    except (TypeError, ValueError):
        print(f"{what}: {got!r}")
        return
    allowed = check["rel"] * max([abs(x) for x in w] + [scale]) + check["abs"]
    if len(g) == len(w) and all(abs(x - y) <= allowed for x, y in zip(g, w)):
        good += 1
    else:
        print(f"{what}: {got}, not {want}")


def frame(model, t, *options):
    """The frame at t, or {} with the message."""
    command = [sys.argv[1], "compare", str(here / model), "--at", repr(t), "--json", *options]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        print(" ".join(command), ended.stderr)
        return {}
    return json.loads(ended.stdout)["frames"][0]


def accelerations(coordinates, a):
    return ", ".join(f"{c}''={x!r}" for c, x in zip(coordinates, a))


def of_state(name, file):
    expect, coordinates, t, check = file["expect"], file["coordinates"], file["state"]["t"], file["check"]
    seen = frame(file["model"], t)
    for key, want in expect.items():
        if key not in ("partition", "bellman", "possible", "gibbs"):
            count(f"{name} {key}", seen.get(key), want, check)
    for key, want in file.get("quasi", {}).items():
        count(f"{name} quasi {key}", seen.get(key), want, check)
    for key, want in expect.get("gibbs", {}).items():
        count(f"{name} gibbs {key}", seen["gibbs"].get(key), want, check)
    if "partition" in expect:
        want = expect["partition"]
        got = frame(file["model"], t, "--eliminate", ",".join(want["e_names"]))
        for key in want:
            if key != "e_names":
                count(f"{name} partition {key}", got["partition"].get(key), want[key], check)
        count(f"{name} partition a", got["a"], expect["a"], check)
    if "bellman" in expect:
        want = expect["bellman"]
        got = frame(file["model"], t, "--order", ",".join(coordinates[i] for i in want["order"]))
        for key in want:
            count(f"{name} bellman {key}", got["bellman"].get(key), want[key], check)
    if "possible" in expect:
        want = expect["possible"]
        got = frame(file["model"], t, "--possible", accelerations(coordinates, want["a"]))
        for key in want:
            count(f"{name} possible {key}", got["possible"].get(key), want[key], check, abs(expect["G"]))


def of_charts(name, file):
    for model, chart, coordinates in zip(file["models"], (file["first"], file["second"]), (["x", "y"], ["r", "f"])):
        got = frame(model, 0.0, "--possible", accelerations(coordinates, chart["a"]))
        check = file["check"]
        count(f"{name} {model} a0", got["a0"], chart["a0"], check)
        count(f"{name} {model} kinetic", got["kinetic"], chart["kinetic"], check)
        for key in ("X_L", "constant"):
            count(f"{name} {model} {key}", got["gibbs"][key], chart[key], check)
        for key, where in (("G_L", "G_L"), ("S", "S"), ("gaussian", "G")):
            count(f"{name} {model} {key}", got["possible"][where], chart[key], check)


for path in sorted(here.glob("*.json")):
    file = json.loads(path.read_text())
    if "models" in file:
        of_charts(file["name"], file)
    elif "model" in file:
        of_state(file["name"], file)
print(f"{good} of {total}")
sys.exit(0 if good == total and total > 0 else 1)
