"""Time in other units, and counted from elsewhere."""
from dataclasses import replace

from .. import compare
from ..rewrite import scale_time, shift_time
from .rewritten import Rewriting, with_run


class TimeUnit(Rewriting):
    """t = factor*T. Velocities of the new model are `factor` times as large."""
    name = "time-unit"
    variants = (1e-6, 1e6)

    def rewrite(self, model, variant):
        return scale_time(model, variant)

    def mapping(self, reference, table, variant):
        kinds = compare.kinds(reference.table, reference.coordinates)
        return [(i, (variant, 1.0, 1/variant, 1.0)[kind]) for i, kind in enumerate(kinds)]


class TimeShift(Rewriting):
    """The same motion at another time. Ends of runs are rounded there, so rows get their distance in numbers, the end is
    not compared, and neither is t itself."""
    name = "time-shift"
    variants = (1e6, 1e9)

    def check(self, case, context):
        model, shift = case.model, case.variant
        reference = context.reference(model)
        if isinstance(reference, str):
            return f"cannot be compared: the model itself {reference}"
        shifted = shift_time(model, shift)
        if not any(word == "every" for word, _ in model.run().options):
            shifted = with_run(shifted, {"every": (reference.end() - reference.begin())/500})
        answer = context.program.run(shifted, stem="variant")
        if answer.status != 0:
            return answer.refused()
        known = replace(reference, allowed=reference.allowed[:len(reference.table.rows) - 1])
        return compare.difference(known, answer.table, [None] + [(i, 1.0) for i in range(1, len(answer.table.columns))])


RELATIONS = [TimeUnit(), TimeShift()]
