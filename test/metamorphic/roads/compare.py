"""When are two tables the same motion?

A model is run at its tolerance and at a hundredth of it. As far as these two agree to AGREE of the size of every column
the motion is known, and a rewritten model is compared; a chaotic motion ends there. What the rewritten model may be off is
AGREE and ten times what the two runs differ by, so that no fault hides behind a loose bound and no rounding is called one.
"""
import math
from dataclasses import dataclass

AGREE = 1e-6
SLACK = 10
FLOOR = 1e-3                        # a coordinate or velocity is never smaller than this part of the largest one
OUTPUT_FLOOR = 0.1                  # an output than this part of all columns: it may be the small difference of large terms
NEAR = 1e-6                         # rows this near to an event, of the run's length, may be before or after it


@dataclass
class Reference:
    """What is known of a motion."""
    table: object                   # at a hundredth of the tolerance
    sizes: list                     # of each column
    allowed: list                   # of each regular row: the part of the size by which others may differ
    events: list                    # times of events in either run
    coordinates: int
    tolerance: float

    def begin(self):
        return self.table.rows[0][0]

    def end(self):
        return self.table.rows[-1][0]

    def rows_known(self):
        return len(self.allowed)


def kinds(table, coordinates):
    """0 for t, 1 for coordinates, 2 for velocities, 3 for the rest."""
    n = coordinates
    has_all = len(table.columns) > 2*n and table.columns[1 + n:1 + 2*n] == [velocity(c) for c in table.columns[1:1 + n]]
    return [0 if i == 0 else 3 if not has_all or i > 2*n else 1 if i <= n else 2 for i in range(len(table.columns))]


def velocity(column):
    return column + "'"


def sizes_of(table, coordinates):
    """The largest value of each column, but not less than a part of the largest of its kind."""
    found = kinds(table, coordinates)
    largest = [max((abs(row[i]) for row in table.rows if math.isfinite(row[i])), default=0) for i in range(len(table.columns))]
    by_kind = [FLOOR*max((size for size, kind in zip(largest, found) if kind == k), default=0) for k in range(3)]
    by_kind.append(OUTPUT_FLOOR*max(largest[1:], default=0))
    return [max(size, by_kind[kind]) or 1.0 for size, kind in zip(largest, found)]


def is_near_event(t, events, span):
    return any(abs(t - event) <= NEAR*span for event in events)


def differs(a, b, size):
    if math.isnan(a) and math.isnan(b):
        return 0.0
    if not (math.isfinite(a) and math.isfinite(b)):
        return 0.0 if a == b else math.inf
    return abs(a - b)/size


def reference_of(coarse, fine, coordinates, tolerance):
    """From the tables of both runs."""
    sizes = sizes_of(fine, coordinates)
    span = fine.rows[-1][0] - fine.rows[0][0]
    sizes[0] = span
    events = sorted(set(coarse.events + fine.events))
    allowed, envelope = [], 0.0
    for a, b in zip(coarse.rows, fine.rows):
        if not is_near_event(b[0], events, span):
            envelope = max([envelope] + [differs(x, y, size) for x, y, size in zip(a, b, sizes)])
        if envelope > AGREE:
            break
        allowed.append(AGREE + SLACK*envelope)
    return Reference(fine, sizes, allowed, events, coordinates, tolerance)


def difference(reference, table, mapping, loosened=1.0):
    """Where a table leaves the reference: a sentence, or None.

    mapping: for each column of the reference the column of `table` and the factor that makes it comparable,
    (index, factor), or None for a column that is not compared.
    """
    ref = reference.table
    span = reference.sizes[0]
    events = reference.events + ([t*mapping[0][1] for t in table.events] if mapping[0] else [])
    for k, allowed in enumerate(reference.allowed):
        expected = ref.rows[k]
        if is_near_event(expected[0], events, span):
            continue
        if k >= len(table.rows):
            return f"has no row for t = {expected[0]:.6g}: it ends after {len(table.rows)} of {len(ref.rows)} rows"
        for i, place in enumerate(mapping):
            if place is None:
                continue
            index, factor = place
            got = table.rows[k][index]*factor
            off = differs(got, expected[i], reference.sizes[i])
            if off > allowed*loosened:
                return (f"{ref.columns[i]} at t = {expected[0]:.6g} is {got:.10g}, not {expected[i]:.10g}: "
                        f"off by {off:.1e} of its size, {allowed*loosened:.1e} is allowed")
    return None

