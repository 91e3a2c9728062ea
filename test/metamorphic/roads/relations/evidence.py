"""A run that is called trusted is as good as its verdict says.

What a verdict lets pass is the same here as there (docs/design/verdict.md): a hundred tolerances, and one more with each step; and each step itself may
err by one, of which the energy need not know. What one step errs by grows as the motion spreads. How much it spreads is measured: the same run with start values that are a
ten-millionth larger, all of them, every second one, and positions alone; how much farther apart they are than at the start, the largest. Beside the models of all relations this one runs those of test/models.
"""
import glob
import os
from dataclasses import replace

from .. import compare
from ..language import is_zero, times
from ..model import map_statements
from .rewritten import Case

NUDGE = 1e-7
LEAST = 0.01                        # of it: a start that is so much smaller than the motion becomes is too near to tell how it spreads
BEYOND = 100                        # a verdict doubts so many times what the tolerance allows,
STEPS_ALIKE = 100                   # which is the tolerance, and another one after so many steps


class Trusted:
    """Tolerance and tolerance/100 differ by no more than the verdict allows."""
    name = "evidence"
    shrinks = False

    def cases(self, models, context):
        names = {model.name for model in models}
        paths = sorted(glob.glob(os.path.join(context.root, "test", "models", "*.zw")))
        more = [context.read(path) for path in paths if os.path.basename(path)[:-3] not in names]
        return [Case(self, model, None) for model in list(models) + more]

    def label(self, variant):
        return ""

    def check(self, case, context):
        coarse = context.program.run(case.model, stem="variant")
        if coarse.status != 0:
            return f"cannot be compared: the model itself fails with {coarse.refused()}"
        verdict = coarse.summary.get("verdict")
        if verdict == "doubtful" and coarse.summary["doubts"]:
            return None                     # it said so itself, and why
        if verdict != "trusted":
            return f"it ends without a verdict: {verdict}"
        tolerance = coarse.summary["tolerance"]
        finer = ["--tolerance", repr(max(tolerance/100, 1e-13))]
        fine = context.program.run(case.model, finer)
        nudged = [context.program.run(replace(case.model, statements=map_statements(case.model.statements, how)), finer)
                  for how in (nudge, every_second(), nudge_positions)]
        if fine.status != 0:
            return f"trusted, but at a hundredth of the tolerance: {fine.refused()}"
        spread = Spread(fine, nudged)
        if fine.summary["verdict"] != "trusted":
            return f"trusted, but not at a hundredth of the tolerance: {fine.summary['doubts']}"
        steps = coarse.summary["steps"]
        allowed = tolerance*(BEYOND*(1 + steps/STEPS_ALIKE) + steps)
        sizes = compare.sizes_of(fine.table, fine.summary["n"])
        span = fine.table.rows[-1][0] - fine.table.rows[0][0]
        events = coarse.table.events + fine.table.events + [e for n in nudged if n.table for e in n.table.events]
        for k, (a, b) in enumerate(zip(coarse.table.rows, fine.table.rows)):
            if compare.is_near_event(b[0], events, span):
                continue
            off = max(compare.differs(x, y, size) for x, y, size in zip(a[1:], b[1:], sizes[1:]))
            factor = spread.until(k, sizes)
            if factor*allowed > 0.1:
                return None                 # nothing is promised from here on
            if off > factor*allowed:
                return f"trusted, but at t = {b[0]:.6g} off by {off:.1e}: {coarse.summary['steps']} steps at {tolerance:g} explain {factor*allowed:.1e}"
        return None


class Spread:
    """By what factor neighbours of a motion have moved apart."""

    def __init__(self, fine, nudged):
        self.rows = list(zip(fine.table.rows, *[n.table.rows for n in nudged if n.table]))
        self.largest, self.done, self.first = 1.0, 0, []

    def ways(self, k, sizes):
        """How far each neighbour is, in units of the columns."""
        a, *others = self.rows[k]
        return [max(compare.differs(x, y, size) for x, y, size in zip(a[1:], b[1:], sizes[1:])) for b in others]

    def until(self, k, sizes):
        while self.done <= min(k, len(self.rows) - 1):
            ways = self.ways(self.done, sizes)
            if self.done == 0:
                self.first = [way if way > LEAST*NUDGE else NUDGE for way in ways]
            self.largest = max([self.largest] + [way/first for way, first in zip(ways, self.first)])
            self.done += 1
        return self.largest


def nudge(s):
    """All typed start values a little larger."""
    if s.word == "coord":
        return [replace(s, items=[replace(d, init=times(1 + NUDGE, d.init)) if d.init is not None and d.init.op != "list" and not is_zero(d.init)
                                  else d for d in s.items])]
    if s.word == "start" and not s.exactly:
        return [replace(s, items=[(t, times(1 + NUDGE, v)) for t, v in s.items])]
    return [s]


def nudge_positions(s):
    return nudge(s) if s.word == "coord" else [s]


def every_second():
    """Of the values that `nudge` changes, every second one: constraints may take back what is common to all."""
    count = 0

    def how(s):
        nonlocal count
        [changed] = nudge(s)
        if changed is s:
            return [s]
        items = []
        for before, after in zip(s.items, changed.items):
            count += before != after
            items.append(after if count % 2 else before)
        return [replace(s, items=items)]
    return how


RELATIONS = [Trusted()]
