"""Sensitivities and gradients against differences of whole runs.

A difference is taken with two steps, and Richardson's extrapolation of both is compared; how far it is from the finer
difference says how sure it is. Where the differences to both sides disagree there is a corner, and no derivative. Parameters are varied by `--set`, start values by `zwang sweep`, of which only ends of
runs are known.
"""
import csv
import os

from .. import compare
from ..model import nodes
from ..rewrite import used
from .rewritten import Case

STEP = 1e-3                         # of the value; differences of runs at FINE are then good to about 1e-9
FINE = 1e-12
AGREE = 1e-5                        # of the largest derivative of a column, and what the difference is unsure of
SURE = 1e-3                         # differences that are less sure than this are not compared
PARTS = (-1, -0.5, 0, 0.5, 1)       # of the step
ROWS = 8                            # so many rows of a run are compared

# Derivatives that docs/sensitivity.md says there are none of: such a refusal is an answer.
WITHOUT = ("decides what the model is made of", "only just touched", "comes to rest", "was lowered", "were lowered", "changes at a corner")
# ... and this one only where differences have no value either.
NOWHERE = "there is no derivative after it"


def scalar_parameters(model):
    """Parameters that are plain numbers and decide nothing about how the model is built."""
    structural = set()
    for s in model.all_statements():
        if s.word in ("for", "if"):
            heads = [s.condition] if s.word == "if" else [e for e, _ in s.items]
            structural |= {n.text for e in heads for n in nodes(e) if n.op == "name"}
        if s.word == "coord":
            structural |= {n.text for d in s.items for pair in d.ranges for e in pair for n in nodes(e) if n.op == "name"}
    read = set().union(*[used(s) for s in model.statements])
    found = [d.name for s in model.statements if s.word == "param" for d in s.items
             if not d.ranges and d.init.op not in ("list", "vector") and is_scalar(d.init, model)]
    return [word for word in found if word not in structural and word in read]


def is_scalar(e, model):
    """Whether a value is surely a number: it holds no vector, and no name of one."""
    vectors = {d.name for s in model.statements if s.word == "param" for d in s.items
               if d.ranges or d.init.op in ("list", "vector") or any(n.op == "vector" for n in nodes(d.init))}
    return not any(n.op in ("vector", "list") or (n.op == "name" and n.text in vectors) for n in nodes(e))


def typed_starts(model):
    """Start values of single numbers, as --sensitivity calls them: start.x, start.x'."""
    scalars = [d.name for s in model.statements if s.word == "coord" for d in s.items
               if not d.ranges and (d.init is None or (d.init.op not in ("list", "vector") and is_scalar(d.init, model) and is_plain(d.init)))]
    found = [d.name for s in model.statements if s.word == "coord" for d in s.items if d.name in scalars and d.init is not None]
    for s in model.statements:
        if s.word == "start" and not s.exactly:
            found += [str(t) for t, _ in s.items if t.op in ("name", "prime") and str(t).rstrip("'") in scalars and str(t) not in found]
    return found


def is_plain(e):
    return not any(n.op == "call" and n.kids[0].text in ("unit", "cross", "table") for n in nodes(e))


class Differences:
    """What both relations share: derivatives of all columns by differences."""
    shrinks = True

    def tolerance(self, context, model):
        reference = context.reference(model)
        return reference if isinstance(reference, str) else max(FINE, min(reference.tolerance/100, 1e-10))

    def by_parameter(self, model, word, value, tolerance, context):
        """For each regular row the differences of all columns with the steps h and h/2: (rows, coarse, fine, h)."""
        h = STEP*(abs(value) or 1.0)
        tables = {}
        for part in PARTS:
            answer = context.program.run(model, ["--set", f"{word}={value + part*h!r}", "--tolerance", repr(tolerance)])
            if answer.status != 0:
                return None
            tables[part] = answer.table
        count = min(len(table.rows) for table in tables.values())
        picked = sorted({count - 1} | {count*k//ROWS for k in range(1, ROWS)})
        return {k: quotients({part: table.rows[k] for part, table in tables.items()}, h) for k in picked}, h

    def by_start(self, model, word, value, tolerance, context, options=()):
        """The same by a start value, for the last row only, by the table of a sweep: {column: (extrapolated, unsure)}."""
        h = STEP*(abs(value) or 1.0)
        values = ",".join(repr(value + part*h) for part in PARTS)
        folder = context.program.folder()
        path, libraries = model.write(folder, "base")
        answer = context.program.call(["sweep", path, "--over", f"{word}={values}", "--tolerance", repr(tolerance), "--quiet", *libraries, *options], folder)
        table = os.path.join(folder, "base.sweep.csv")
        if answer.status != 0 or not os.path.exists(table):
            return None
        with open(table, newline="", encoding="utf-8") as file:
            records = list(csv.DictReader(file))
        columns = list(records[0])[list(records[0]).index("t"):]
        rows = {part: [number_or_nan(record[c]) for c in columns] for part, record in zip(PARTS, records)}
        return dict(zip(columns, quotients(rows, h))), h


def number_or_nan(text):
    try:
        return float(text)
    except ValueError:
        return float("nan")


def quotients(rows, h):
    """(extrapolated, how unsure) for every column."""
    found = []
    for low2, low, middle, high, high2 in zip(*[rows[part] for part in PARTS]):
        coarse, fine = (high2 - low2)/(2*h), (high - low)/h
        better = (4*fine - coarse)/3
        right, left = (4*high - 3*middle - high2)/h, (low2 + 3*middle - 4*low)/h
        corner = abs(right - left)
        found.append((better, abs(better - fine) + (corner if corner > SURE*abs(better) else 0)))
    return found


def is_documented(message):
    return any(words in message for words in WITHOUT)


def has_values(found):
    """Whether differences by a value have a limit, in all columns of the last row: (rows, h) of by_parameter, (columns, h) of by_start."""
    if found is None:
        return False
    last = found[0].values() if not any(isinstance(k, int) for k in found[0]) else found[0][max(found[0])]
    sizes = [abs(expected) for expected, _ in last if expected == expected]
    return all(unsure <= SURE*max(sizes) for expected, unsure in last if expected == expected)


def parameter_value(model, word, context):
    """What the program says it is: from a run that is over at once."""
    begin = context.reference(model).begin()
    answer = context.program.run(model, ["--sensitivity", word, "--to", repr(begin + 1e-9*(context.reference(model).end() - begin))], stem="variant")
    return answer.summary["sensitivity"][0]["value"] if answer.status == 0 else None


class Sensitivities(Differences):
    """Every column of --sensitivity NAME."""
    name = "sensitivity"

    def cases(self, models, context):
        return [Case(self, model, word) for model in models
                for word in scalar_parameters(model) + ["start." + s for s in typed_starts(model)]]

    def label(self, variant):
        return variant

    def check(self, case, context):
        tolerance = self.tolerance(context, case.model)
        if isinstance(tolerance, str):
            return f"cannot be compared: the model itself {tolerance}"
        answer = context.program.run(case.model, ["--sensitivity", case.variant, "--tolerance", repr(tolerance)], stem="variant")
        if answer.status != 0 and NOWHERE in answer.refused():
            return self.check_refusal(case, tolerance, answer.refused(), context)
        if answer.status != 0:
            return None if is_documented(answer.refused()) else answer.refused()
        value = answer.summary["sensitivity"][0]["value"]
        if case.variant.startswith("start."):
            return self.check_start(case, value, tolerance, answer, context)
        return self.check_parameter(case, value, tolerance, answer, context)

    def check_refusal(self, case, tolerance, refusal, context):
        """A derivative that is said not to exist has no differences either."""
        if case.variant.startswith("start."):
            return refusal                  # start values stay on the branch: their derivatives pass
        value = parameter_value(case.model, case.variant, context)
        found = None if value is None else self.by_parameter(case.model, case.variant, value, tolerance, context)
        return f"differences have a value, but: {refusal}" if has_values(found) else None

    def check_parameter(self, case, value, tolerance, answer, context):
        found = self.by_parameter(case.model, case.variant, value, tolerance, context)
        if found is None:
            return None                     # a neighbour has no motion: nothing to compare with
        differences, h = found
        table, known = answer.table, context.reference(case.model).rows_known()
        events, span = table.events, table.rows[-1][0] - table.rows[0][0]
        places = derivative_places(table, case.variant)
        sizes = {c: max(abs(row[i]) for row in table.rows) for c, i in places.items()}
        for k, quotient in differences.items():
            if k >= known or k >= len(table.rows) or compare.is_near_event(table.rows[k][0], events, span):
                continue
            for column, i in places.items():
                message = disagrees(table.rows[k][i], quotient[table.columns.index(column)], sizes, column, h, table.rows[k])
                if message:
                    return f"d({column})/d({case.variant}) at t = {table.rows[k][0]:.6g} {message}"
        return None

    def check_start(self, case, value, tolerance, answer, context):
        reference = context.reference(case.model)
        if reference.rows_known() < len(reference.table.rows):
            return None                     # the end is not known well enough
        found = self.by_start(case.model, case.variant[len("start."):], value, tolerance, context)
        if found is None:
            return None
        differences, h = found
        table = answer.table
        places = derivative_places(table, case.variant)
        sizes = {c: max(abs(row[i]) for row in table.rows) for c, i in places.items()}
        given = answer.summary["sensitivity"][0]["of"]
        for column in places:
            if column in differences and column in given and given[column] is not None:
                message = disagrees(given[column], differences[column], sizes, column, h, table.rows[-1])
                if message:
                    return f"d({column})/d({case.variant}) at the end {message}"
        return None


def derivative_places(table, word):
    """Columns that have a derivative by `word`: name -> its place."""
    end = f")/d({word})"
    return {c[2:-len(end)]: i for i, c in enumerate(table.columns) if c.startswith("d(") and c.endswith(end)}


def disagrees(got, difference, sizes, column, h, row):
    """A sentence, if a derivative is not the difference within what both are good for."""
    expected, unsure = difference
    size = max(sizes[column], 1e-3*max(sizes.values()))
    noise = 1e-9*max(abs(x) for x in row if x == x)/h
    if not expected == expected or size == 0 and abs(expected) < noise:
        return None
    if unsure > SURE*max(size, abs(expected)):
        return None
    if abs(got - expected) > AGREE*size + 3*unsure + noise:
        return f"is {got:.8g}, differences of whole runs say {expected:.8g} (sure to {unsure:.1e})"
    return None


class Gradients(Differences):
    """--gradient of the first output, or else the first coordinate, by everything."""
    name = "gradient"

    def cases(self, models, context):
        return [Case(self, model, None) for model in models if not model.run() is None]

    def label(self, variant):
        return ""

    def check(self, case, context):
        reference = context.reference(case.model)
        tolerance = self.tolerance(context, case.model)
        if isinstance(tolerance, str):
            return f"cannot be compared: the model itself {tolerance}"
        column = reference.table.columns[1]
        answer = context.program.run(case.model, ["--gradient", column, "--tolerance", repr(tolerance)], stem="variant")
        if answer.status != 0 and NOWHERE in answer.refused():
            return self.check_refusal(case.model, tolerance, answer.refused(), context)
        if answer.status != 0:
            return None if is_documented(answer.refused()) else answer.refused()
        if reference.rows_known() < len(reference.table.rows):
            return None
        given = {entry["name"]: entry for entry in answer.summary["gradient"]["by"]}
        parameters = scalar_parameters(case.model)
        missing = [word for word in parameters if word not in given]
        if missing:
            return f"leaves out {', '.join(missing)}"
        largest = max((abs(e["derivative"]*(e["value"] or 1)) for e in given.values()), default=0)
        for word, entry in given.items():
            found = self.one(case.model, word, entry["value"], parameters, column, tolerance, context)
            if found is None:
                continue
            (expected, unsure), h = found
            size = max(abs(entry["derivative"]), 1e-3*largest/(abs(entry["value"]) or 1))
            noise = 1e-9*max(abs(answer.summary["gradient"]["value"]), reference.sizes[1])/h
            if unsure > SURE*size or expected != expected:
                continue
            if abs(entry["derivative"] - expected) > AGREE*size + 3*unsure + noise:
                return (f"d({column})/d({word}) is {entry['derivative']:.8g}, differences of whole runs say {expected:.8g} "
                        f"(sure to {unsure:.1e})")
        return None

    def check_refusal(self, model, tolerance, refusal, context):
        """Of all that it is by, something must have no differences either."""
        for word in scalar_parameters(model):
            value = parameter_value(model, word, context)
            if value is not None and not has_values(self.by_parameter(model, word, value, tolerance, context)):
                return None
        return f"differences have values, but: {refusal}"

    def one(self, model, word, value, parameters, column, tolerance, context):
        if word.startswith("start."):
            found = self.by_start(model, word[len("start."):], value, tolerance, context)
            return (found[0][column], found[1]) if found and column in found[0] else None
        if word not in parameters:
            return None
        found = self.by_parameter(model, word, value, tolerance, context)
        if found is None:
            return None
        differences, h = found
        return differences[max(differences)][1], h


RELATIONS = [Sensitivities(), Gradients()]
