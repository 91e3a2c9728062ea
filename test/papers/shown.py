#!/usr/bin/env python3
"""The formulas of `zwang derive --all --json`, evaluated at the start, against the numbers of `zwang compare --json`.

    shown.py PROGRAM MODEL...   --lie: one sign is flipped in each part of what derive prints; ends with 0 only if all are seen

The strings are read by this program; every name in them has to be a parameter, a coordinate, a velocity, t, or defined in `where`. So models
of any size and of any library can be asked, where derived.py reads the model itself and thereby stays with small ones."""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

TOL = 1e-7  # of the largest entry: what elimination in other orders may lose at the most ill-conditioned example is far less
LEAST = 1e-3  # what is less counts as 0 beside it: forces that cancel
program = sys.argv[1]
lies = "--lie" in sys.argv
models = [a for a in sys.argv[2:] if a not in ("--lie", "-v")]
counted, failures = 0, []
word = re.compile(r"(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?)|(?P<name>[^\W\d]\w*(?:\[[^][]*\]|\.[^\W\d]\w*)*'*)|(?P<other>\^|<=|>=|!=|.)", re.S)
functions = dict(sin=math.sin, cos=math.cos, tan=math.tan, asin=math.asin, acos=math.acos, atan=math.atan, atan2=math.atan2, sinh=math.sinh,
                 cosh=math.cosh, tanh=math.tanh, exp=math.exp, log=math.log, sqrt=math.sqrt, abs=abs, min=min, max=max, floor=math.floor,
                 hypot=math.hypot, sign=lambda x: (x > 0) - (x < 0), mod=lambda x, y: x - y * math.floor(x / y))


def ask(*arguments, status=0):
    ended = subprocess.run([program, *arguments], capture_output=True, text=True)
    if ended.returncode != status:
        raise SystemExit(f"{' '.join(arguments)} ends with {ended.returncode}: {ended.stderr}")
    return ended.stdout


def to_python(text):
    """The language's words in Python's order: `if a then b else c` is `(b if a else c)`."""
    found = re.search(r"(?<![\w.])if (.*)", text, re.S)
    if not found:
        return text
    before, rest = text[:found.start()], found[1]
    depth, parts, begin, nested = 0, [], 0, 0
    for at in re.finditer(r"\(|\)|(?<![\w.])(if|then|else)(?![\w.])", rest):
        if at[0] == "(":
            depth += 1
        elif at[0] == ")":
            depth -= 1
            if depth < 0:
                parts.append(rest[begin:at.start()])
                return before + f"(({to_python(parts[1])}) if ({to_python(parts[0])}) else ({to_python(parts[2])}))" + to_python(rest[at.start():])
        elif depth == 0 and at[0] == "if":
            nested += 1
        elif depth == 0 and nested and at[0] == "else":
            nested -= 1
        elif depth == 0 and not nested and len(parts) < 2:
            parts.append(rest[begin:at.start()])
            begin = at.end()
    parts.append(rest[begin:])
    return before + f"(({to_python(parts[1])}) if ({to_python(parts[0])}) else ({to_python(parts[2])}))"


class Values:
    """Values of strings; names are looked up in `where` when they are met."""
    def __init__(self, known, where):
        self.known, self.where, self.done = known, {w["name"]: w["value"] for w in where}, {}

    def name(self, name):
        if name not in self.known:
            if name not in self.where:
                raise KeyError(f"'{name}' is not defined")
            self.known[name] = self.value(self.where[name])
        return self.known[name]

    def value(self, text):
        python = []
        for found in word.finditer(to_python(text)):
            token = found[0]
            if found["name"] and token in functions and found.end() < len(found.string) and found.string[found.end()] == "(":
                python.append(token)
            elif found["name"] and token in ("if", "else", "and", "or", "not"):
                python.append(f" {token} ")
            elif found["name"] and token == "pi":
                python.append("math.pi")
            elif found["name"]:
                python.append(f"name({token!r})")
            else:
                python.append({"^": "**", "=": "=="}.get(token, token))
        return float(eval("".join(python), {"math": math, "name": self.name, **functions}))


def compare(what, got, want, size=0.0):
    global counted
    counted += 1
    scale = max([abs(x) for x in want] + [abs(x) for x in got] + [size, LEAST])
    off = max([abs(x - y) for x, y in zip(got, want)] + [0.0])
    if not (len(got) == len(want) and off <= TOL * scale):
        failures.append(f"{what}: off by {off / scale:.3g}\n got {got}\n want {want}" if not lies else what)


def flat(matrix):
    return [x for row in matrix for x in row]


class Sheet:
    """One section of the page beside what compare says."""
    def __init__(self, name, page, section, known):
        self.name, self.page, self.part = f"{name} {section}", page, page[section]
        self.values = Values(dict(known), self.part.get("where", page["where"]))

    def vector(self, key, names, want, size=0.0, k=None):
        got = [0.0] * len(names)
        for e in self.part[key]:
            if k is None or e["k"] == k:
                got[names.index(e["row"])] = self.values.value(e["value"])
        compare(f"{self.name}.{key}", got, want, size)

    def matrix(self, key, rows, columns, want, mirrored=False, k=None, size=0.0):
        got = [[0.0] * len(columns) for _ in rows]
        for e in self.part[key]:
            if k is not None and e["k"] != k:
                continue
            i, j = rows.index(e["row"]), columns.index(e["column"])
            got[i][j] = self.values.value(e["value"])
            if mirrored:
                got[j][i] = got[i][j]
        compare(f"{self.name}.{key}", flat(got), flat(want), size)


def most(numbers):
    return max([abs(x) for x in numbers] + [0.0])


def check_constant(sheet, frame):
    """G0 is printed wherever it is defined."""
    want, page = frame["gibbs"]["constant"], sheet.page
    if "G0" in page:
        if want is not None:
            compare(f"{sheet.name}.G0", [sheet.values.value(page["G0"])], [want], most(frame["h"]) * most(frame["gibbs"]["X_L"]))
    elif want is not None:
        failures.append(f"{sheet.name}.G0 is missing: {page['G0_missing']}")


def check_explicit(sheet, frame, coords, rows):
    x = sheet.part
    if "missing" in x:
        return failures.append(f"{sheet.name} is missing: {x['missing']}")
    J = [rows.index(k) for k in x["rows"]]
    size = most(frame["h"])
    if "D" in x and "rows_added" not in x and frame.get("D"):
        sheet.matrix("D", x["rows"], x["rows"], [[frame["D"][i][j] for j in J] for i in J], True)
        sheet.vector("d", x["rows"], [frame["d"][i] for i in J], most(frame["b"]))
    if len(J) == len(rows) or "E" in x:
        sheet.vector("lambda", rows, frame["lambda"], size)
    sheet.vector("Qc", coords, frame["Qc"], size)
    sheet.vector("a", coords, frame["a"], most(frame.get("a0") or []))
    if "gain" in x and "gain" in frame:
        sheet.matrix("gain", coords, rows, frame["gain"])
    if "W" in x:
        sheet.matrix("W", rows, rows, frame["W"], True)
    for text in x["valid"]:
        if sheet.values.value(text) == 0:
            failures.append(f"{sheet.name}.valid: {text}")


def check_partition(sheet, frame, coords):
    x = sheet.part
    if "missing" in x:
        return failures.append(f"{sheet.name} is missing: {x['missing']}")
    numbers, size = frame["partition"], most(frame["h"])
    compare(f"{sheet.name}.e", [coords.index(k) for k in x["e"]], numbers["e"])
    sheet.matrix("R", x["e"], x["i"], numbers["R"])
    sheet.vector("c", x["e"], numbers["c"], most(frame["b"]))
    sheet.matrix("K", x["i"], x["i"], numbers["K"], True, size=most(flat(frame["M"])))
    sheet.vector("P", x["i"], numbers["P"], size)
    sheet.vector("right", x["i"], numbers["right"], size)
    for text in x.get("valid", []):
        if sheet.values.value(text) == 0:
            failures.append(f"{sheet.name}.valid: {text}")
    for k, a in zip(coords, frame["a"]):
        sheet.values.known[k + "''"] = a
    if "ae" in x:
        sheet.vector("ae", x["e"], [frame["a"][coords.index(k)] for k in x["e"]], most(frame["a"]))
    S = sum(a * b * m for a, row in zip(frame["a"], frame["M"]) for b, m in zip(frame["a"], row)) / 2
    compare(f"{sheet.name}.S", [sheet.values.value(x["S"])], [S], most(frame["a"]) ** 2 * most(flat(frame["M"])))


def check_bellman(sheet, frame, coords, rows):
    x = sheet.part
    if "missing" in x:
        return
    numbers = frame["bellman"] if x["root"] == "diagonal" else frame["bellman"]["cholesky"]
    for k, R in numbers["R"].items():
        sheet.matrix("R", rows, rows, R, True, int(k))
    for key in ("beta", "kappa"):
        for k, want in numbers[key].items():
            size = most(flat(numbers["C"])) * (most(flat(numbers["R"][str(int(k) - 1)])) if key == "beta" else 1)
            sheet.vector(key, rows, want, size, int(k))
    for k, want in numbers["g"].items():
        compare(f"{sheet.name}.g", [sheet.values.value(e["value"]) for e in x["g"] if e["k"] == int(k)], [want], most(numbers["g"].values()))
    for k, a in zip(coords, frame["a"]):
        sheet.values.known[k + "''"] = a
    sheet.vector("a", coords, frame["a"], most(frame["a0"]))


def flip(page):
    """One sign in each part, in a string that is not zero."""
    if page.get("G0", "0") != "0":
        yield "G0", page, "G0"
    for section, keys in (("explicit", "lambda Qc a gain D d W"), ("partition", "R K P right ae"), ("bellman", "R beta kappa g a")):
        for key in keys.split():
            for entry in page.get(section, {}).get(key, []):
                if entry["value"] != "0":
                    yield f"{section}.{key}", entry, "value"
                    break


def start_of(file, t):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "table.csv"
        subprocess.run([program, "run", file, "-o", str(table), "--to", repr(t + 1e-9 * max(1, abs(t))), "-q"], capture_output=True)
        if not table.exists():
            return None
        text = table.read_text().splitlines()
    names = re.findall(r"(?:[^,\[\"]|\[[^]]*\])+", text[0].replace('"', ""))
    return dict(zip(names, (float(x or "nan") for x in text[1].split(","))))


def check(file, *settings):
    name = pathlib.Path(file).stem
    page = json.loads(ask("derive", file, "--all", "--json", "-q", *settings))
    coords, rows = page["coordinates"], [row["name"] for row in page["constraints"]]
    begin = re.search(r"^run\s+(-?[\d.]+)\s*\.\.", pathlib.Path(file).read_text(), re.M)
    start = start_of(file, float(begin[1]) if begin else 0.0)
    if start is None or any(k not in start or k + "'" not in start for k in coords):
        return []  # nothing starts, or coordinates have indices that the table's head writes otherwise
    at = ["--json", "-q", "--full", "--at", repr(start["t"])]
    if json.loads(ask("compare", file, *at))["frames"][0]["rows"] != rows:
        return []  # a contact is closed
    known = {**{p["name"]: p["value"] for p in page["parameters"]}, "t": start["t"],
             **{k + d: start[k + d] for k in coords for d in ("", "'")}}
    wish = []
    if page["partition"].get("e"):
        wish += ["--eliminate", ",".join(page["partition"]["e"])]
    if page["bellman"].get("order"):
        wish += ["--order", ",".join(page["bellman"]["order"])]
    frame = json.loads(ask("compare", file, *at, "--show", "all", *wish))["frames"][0]
    def run():
        try:
            sheet = Sheet(name, {**page, "data": {k: page[k] for k in "Mh"}}, "data", known)
            sheet.matrix("M", coords, coords, frame["M"], True)
            sheet.vector("h", coords, frame["h"])
            check_constant(sheet, frame)
            check_explicit(Sheet(name, page, "explicit", known), frame, coords, rows)
            check_partition(Sheet(name, page, "partition", known), frame, coords)
            check_bellman(Sheet(name, page, "bellman", known), frame, coords, rows)
        except KeyError as e:
            failures.append(f"{name}: {e.args[0]}")
    run()
    if not lies:
        return []
    if failures:
        raise SystemExit("\n".join(failures))
    unseen = []
    for what, entry, key in flip(page):
        kept, entry[key] = entry[key], f"-({entry[key]})"
        run()
        if not failures:
            unseen.append(f"{name} {what}")
        failures.clear()
        entry[key] = kept
    return unseen


if __name__ == "__main__":
    unseen = []
    for model in models:
        before = counted
        unseen += check(model)
        if "-v" in sys.argv or counted == before:
            print(f"{pathlib.Path(model).stem}: {counted - before} comparisons")
    for text in failures:
        print("FAIL", text)
    for text in unseen:
        print("a wrong sign was not seen:", text)
    print(f"{counted} comparisons, {len(failures)} failed")
    sys.exit(1 if failures or unseen or counted == 0 else 0)
