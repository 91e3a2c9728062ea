"""The same mechanism stated in two ways: polar and Cartesian, angles and points, parts and flat text, ...

pairs/NAME--HOW.zw: all files of one NAME have outputs of the same names, which must agree.
"""
import glob
import os

from .. import compare
from ..context import HERE
from .rewritten import Case


class Pairs:
    """Every statement of a mechanism against the first one."""
    name = "pairs"
    shrinks = False

    def cases(self, models, context):
        found, first = [], None
        for path in sorted(glob.glob(os.path.join(HERE, "pairs", "*.zw"))):
            model = context.read(path)
            if first is None or group_of(first) != group_of(model):
                first = model
            else:
                found.append(Case(self, first, model))
        return found

    def label(self, variant):
        return variant.name.split("--")[1]

    def check(self, case, context):
        reference = context.reference(case.model)
        if isinstance(reference, str):
            return f"cannot be compared: {case.model.name} {reference}"
        answer = context.program.run(case.variant, stem="variant")
        if answer.status != 0:
            return answer.refused()
        table = answer.table
        outputs = {first_word(t) for s in case.model.statements if s.word == "output" for t, _ in s.items}
        mapping = [(table.columns.index(c), 1.0) if c in table.columns and (c == "t" or c.split(".")[0] in outputs) else None
                   for c in reference.table.columns]
        if sum(place is not None for place in mapping) < 2:
            return "the two have no output in common"
        return compare.difference(reference, table, mapping, loosened=10.0)


def first_word(e):
    return str(e).split("[")[0]


def group_of(model):
    return model.name.split("--")[0]


RELATIONS = [Pairs()]
