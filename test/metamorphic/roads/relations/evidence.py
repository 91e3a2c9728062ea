"""A run that is called trusted is as good as its verdict says.

What a verdict lets pass is the same here as there (docs/design/verdict.md): a hundred tolerances, and one more with each step; and each step itself may
err by one, of which the energy need not know. What one step errs by grows as the motion spreads. How much it spreads is measured: the same run with start values that are a
ten-millionth larger. Beside the models of all relations this one runs those of test/models.
"""
import glob
import os
from dataclasses import replace

from .. import compare
from ..language import is_zero, times
from ..model import map_statements
from .rewritten import Case

NUDGE = 1e-7
DIRECTIONS = 3                      # what is nudged is one direction of the start: others may spread so much more
BEYOND = 100                        # a verdict doubts so many times what the tolerance allows,
STEPS_ALIKE = 100                   # which is the tolerance, and another one after so many steps


REFUSED = {"painleve-rod"}          # of test/models: it shows an error


class Trusted:
    """Tolerance and tolerance/100 differ by no more than the verdict allows."""
    name = "evidence"
    shrinks = False

    def cases(self, models, context):
        names = {model.name for model in models}
        paths = sorted(glob.glob(os.path.join(context.root, "test", "models", "*.zw")))
        more = [context.read(path) for path in paths if os.path.basename(path)[:-3] not in names | REFUSED]
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
        nudged = context.program.run(replace(case.model, statements=map_statements(case.model.statements, nudge)), finer)
        if fine.status != 0:
            return f"trusted, but at a hundredth of the tolerance: {fine.refused()}"
        spread = Spread(fine, nudged)
        if fine.summary["verdict"] != "trusted":
            return f"trusted, but not at a hundredth of the tolerance: {fine.summary['doubts']}"
        steps = coarse.summary["steps"]
        allowed = tolerance*(BEYOND*(1 + steps/STEPS_ALIKE) + steps)
        sizes = compare.sizes_of(fine.table, fine.summary["n"])
        span = fine.table.rows[-1][0] - fine.table.rows[0][0]
        events = coarse.table.events + fine.table.events + (nudged.table.events if nudged.table else [])
        for k, (a, b) in enumerate(zip(coarse.table.rows, fine.table.rows)):
            if compare.is_near_event(b[0], events, span):
                continue
            off = max(compare.differs(x, y, size) for x, y, size in zip(a[1:], b[1:], sizes[1:]))
            factor = DIRECTIONS*spread.until(k, sizes)
            if factor*allowed > 0.1:
                return None                 # nothing is promised from here on
            if off > factor*allowed:
                return f"trusted, but at t = {b[0]:.6g} off by {off:.1e}: {coarse.summary['steps']} steps at {tolerance:g} explain {factor*allowed:.1e}"
        return None


class Spread:
    """By what factor neighbours of a motion have moved apart."""

    def __init__(self, fine, nudged):
        self.rows = list(zip(fine.table.rows, nudged.table.rows)) if nudged.table else []
        self.events = fine.table.events + nudged.table.events if nudged.table else []
        self.largest, self.done = 1.0, 0

    def until(self, k, sizes):
        while self.done <= min(k, len(self.rows) - 1):
            a, b = self.rows[self.done]
            self.largest = max([self.largest] + [compare.differs(x, y, size)/NUDGE for x, y, size in zip(a[1:], b[1:], sizes[1:])])
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


RELATIONS = [Trusted()]
