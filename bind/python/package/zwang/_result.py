"""What comes out of a run."""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._errors import Diagnostic

Array = NDArray[np.float64]


class Event(NamedTuple):
    """A condition that became true, or a switch inside the equations. It is two rows of the result, before and after it."""

    t: float
    name: str
    row: int
    """The row before it; the next one is after it."""


class ContactEvent(NamedTuple):
    """What a contact is from a time on, or that it was hit then."""

    t: float
    contact: str
    what: str
    """``"open"``, ``"closed"``, ``"sticks"``, ``"slips"`` or ``"hit"``."""
    impulse: float
    """Of a hit, across the gap; else 0."""
    friction: tuple[float, float]
    """Of a hit, the impulse of friction along the slip."""
    lost: float
    """Energy lost in a hit."""
    theta: float
    """Of a hit: gaps open at the rate theta*e*u where they closed at u, with the restitution e; 0: nothing bounces."""
    wall_work: float
    """Of a hit: the work of a wall or belt that moves."""


class Move(NamedTuple):
    """A typed start value that had to move to satisfy the constraints."""

    name: str
    from_: float
    to: float


class SharedLoad(NamedTuple):
    """Redundant constraints share their load: their multipliers are not unique."""

    names: list[str]
    freedom: int
    """How many numbers may be chosen freely."""
    unique: list[str]
    """Combinations that do not depend on the choice, as ``"a + 2*c"``."""


class EnergyShare(NamedTuple):
    """What events of one name gave in all; negative: took."""

    name: str
    """As in the result; of a contact that was hit its own."""
    energy: float
    count: int


class Claim(NamedTuple):
    """What became of a claim of the model: the row at which it fails most, or is nearest to that."""

    name: str
    holds: bool
    worst: float
    """How far it is off at most; negative: an inequality with so much to spare."""
    allowed: float
    t: float


class Doubt(NamedTuple):
    """A reason to doubt the result of a run."""

    about: str
    """One word: ``"energy"``, ``"oscillation"``, ``"constraints"``, ``"events"``, ``"start"``, ..."""
    reason: str
    remedy: str


def count(number: int, word: str) -> str:
    """As in "1 row" and "2 rows"."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


@dataclass(frozen=True)
class Report:
    """How a run went: the evidence. `str(report)` is a summary."""

    n: int
    """Coordinates."""
    m: int
    """Constraint rows."""
    rank: int
    """Independent rows, at the start."""
    dof: int
    """Degrees of freedom, n - rank."""
    from_: float
    to: float
    span: float
    """to - from_, with digits that `to` may have lost far from zero."""
    since: float
    """t - from_, likewise."""
    every: float
    tolerance: float
    step: float
    """Of an integrator with a fixed one; else NaN."""
    formulation: str
    integrator: str
    kernel: str
    """What computed the equations: ``"native"`` or ``"interpret"``."""
    t: float
    """Time reached."""
    steps: int
    rejected: int
    evaluations: int
    jacobians: int
    rows: int
    phi_max: float
    """Largest residual of positions |phi|."""
    phidot_max: float
    """Largest residual of velocities |phi'|."""
    is_projected_late: bool
    """States are put onto the constraints at rows and events only, and the drifts are the residuals before that."""
    phi_drift: float
    phidot_drift: float
    has_energy: bool
    """False: the energy of a Gibbs function is unknown."""
    is_conservative: bool
    """The drift is that of the energy; else that of the energy less the work done."""
    is_energy_held: bool
    """By projection: its drift is no evidence."""
    energy_start: float
    energy_drift: float
    """Its largest error, as a part of what was exchanged."""
    energy_off: float
    """The same in its own unit: |E - E0 - work - what events gave|."""
    energy_exchanged: float
    """The largest of kinetic energy, range of the potential, work, and what events gave and took."""
    energy_allowed: float
    """What the tolerance allows `energy_off` to be; a hundred times that is a doubt."""
    energy_events: float
    """What events gave in all; negative: took."""
    work: float
    """Largest work done by forces and constraints; 0 when conservative."""
    events: int
    is_stopped: bool
    """A `stop when` ended the run before its time."""
    singular: int
    """Singular positions that the motion passed."""
    stiff_from: float
    """Where the integrator found the motion stiff; NaN: nowhere."""
    contacts: int
    closed: int
    """Contacts that are closed at the start."""
    contact_law: str
    impacts: int
    waiting: int
    """Rows that are not there at the start (`while`)."""
    guess_count: int
    """Guesses inside parts that moved."""
    is_sparse: bool
    has_begun: bool
    sensitivity_drift: float
    """How far columns of derivatives were off their constraints, the largest part of their size."""
    sensitivity_steps: int
    sensitivity_evaluations: int
    varied: dict[str, float] = field(default_factory=dict)
    """What the columns ``d(x)/d(m)`` are derivatives by, with its value."""
    moves: list[Move] = field(default_factory=list)
    guesses: list[Move] = field(default_factory=list)
    """Guesses inside parts that moved by more than a hundredth of the mechanism's size."""
    guessed_sizes: list[str] = field(default_factory=list)
    """Coordinates of which nothing told how large they are, where the start depends on it."""
    redundant: list[str] = field(default_factory=list)
    """Names of constraints that follow from others."""
    shared: list[SharedLoad] = field(default_factory=list)
    energy_shares: list[EnergyShare] = field(default_factory=list)
    """What events gave, by their names."""
    verdict: str = "none"
    """``"trusted"``, ``"doubtful"`` for the reasons in `doubts`, or ``"failed"``; ``"none"`` of a run that did not end well."""
    doubts: list[Doubt] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    """Of the model, in the order of its text."""

    @classmethod
    def _read(cls, values: dict[str, Any]) -> Report:
        values["from_"] = values.pop("from")
        values["moves"] = [Move(*move) for move in values["moves"]]
        values["guesses"] = [Move(*move) for move in values["guesses"]]
        values["energy_shares"] = [EnergyShare(*share) for share in values["energy_shares"]]
        values["claims"] = [Claim(*claim) for claim in values["claims"]]
        values["doubts"] = [Doubt(*doubt) for doubt in values["doubts"]]
        values["shared"] = [SharedLoad(*load) for load in values["shared"]]
        return cls(**values)

    def _start(self) -> str:
        if not self.moves:
            return "consistent, nothing typed was moved"
        return ", ".join(f"{move.name} moved from {move.from_:g} to {move.to:.9g}" for move in self.moves)

    def _energy(self) -> str:
        if not self.has_energy:
            return "unknown: the model is a Gibbs function"
        if self.is_energy_held:
            return "held by projection"
        if any(doubt.about == "energy" for doubt in self.doubts):
            return f"wrong by {self.energy_drift:.2e} of what was exchanged"
        if any(doubt.about == "rounding" for doubt in self.doubts):
            return "too large beside what was exchanged: rounding hides its errors"
        if self.is_conservative and math.isfinite(self.step):
            return f"swings about its value by up to {self.energy_drift:.2e}"
        if self.is_conservative and not self.energy_shares:
            return f"conserved, relative drift {self.energy_drift:.2e}"
        parts = ([] if self.is_conservative else ["the work done"]) + (["what events took"] if self.energy_shares else [])
        return f"balance with {' and '.join(parts)}, relative drift {self.energy_drift:.2e}"

    def __str__(self) -> str:
        constraints = f"{count(self.m, 'constraint')} of rank {self.rank}" if self.m else "no constraints"
        freedom = "1 degree of freedom" if self.dof == 1 else f"{self.dof} degrees of freedom"
        lines = [
            f"{count(self.n, 'coordinate')}, {constraints}, {freedom}",
            f"  start        {self._start()}",
            f"  motion       t = {self.from_:g} .. {self.t:g}, tolerance {self.tolerance:g}",
            f"  steps        {self.steps} accepted, {self.rejected} rejected, {self.evaluations} evaluations",
            f"  constraints  |phi| <= {self.phi_max:.2e}, |phi'| <= {self.phidot_max:.2e}",
            f"  energy       {self._energy()}",
        ]
        if self.redundant:
            lines.append(f"  redundant    {', '.join(self.redundant)}")
        if self.contacts:
            lines.append(f"  contacts     {count(self.contacts, 'contact')}, {count(self.impacts, 'impact')}")
        if self.events:
            lines.append(f"  events       {self.events}")
        if self.claims:
            wrong = [claim.name for claim in self.claims if not claim.holds]
            lines.append(f"  claims       {len(self.claims) - len(wrong)} of {len(self.claims)} hold")
            lines += [f"               {name!r} does not" for name in wrong]
        lines.append(f"  verdict      {self.verdict}")
        lines += [f"               {doubt.reason}" for doubt in self.doubts]
        return "\n".join(lines)


def no_column(name: str, columns: Iterable[str]) -> str:
    """What is said about a name that no column has."""
    near = difflib.get_close_matches(unicodedata.normalize("NFC", name), columns, n=1)
    return f"there is no column {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")


def _split_primes(name: str) -> tuple[str, str]:
    """A name, and the primes of a velocity at its end."""
    bare = name.rstrip("'")
    return bare, name[len(bare) :]


class Result(dict[str, Array]):
    """Rows of a run: a dictionary of columns by name, each an array over the rows. ``pandas.DataFrame(result)`` is a table.

    The columns are views of one block of memory, `rows`, which the run has written: nothing is copied. Vectors have their
    own name besides those of their components: ``result["P"]`` is an array of shape (rows, 2) or (rows, 3), and
    ``result["P'"]`` the velocity. An array ``l[1], l[2], ...`` has the shape (rows, length).
    """

    rows: Array
    """All numbers, one row per instant; the columns are `columns`."""
    columns: tuple[str, ...]
    """Names, as the header of the table that `zwang run` writes."""
    report: Report
    """The evidence."""
    events: list[Event]
    contacts: list[ContactEvent]
    diagnostics: tuple[Diagnostic, ...]
    """Notes about the model and the run."""

    def __init__(
        self,
        rows: Array,
        columns: Sequence[str],
        coordinate_count: int,
        report: Report,
        events: Sequence[Event] = (),
        contacts: Sequence[ContactEvent] = (),
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        super().__init__((name, rows[:, i]) for i, name in enumerate(columns))
        self.rows = rows
        self.columns = tuple(columns)
        self._n = coordinate_count
        self._place = {name: i for i, name in enumerate(self.columns)}
        self.report = report
        self.events = list(events)
        self.contacts = list(contacts)
        self.diagnostics = tuple(diagnostics)

    @property
    def t(self) -> Array:
        """Times."""
        return self.rows[:, 0]

    @property
    def verdict(self) -> str:
        """``"trusted"``, or ``"doubtful"``: `report.doubts` says why, and a `DoubtWarning` has told."""
        return self.report.verdict

    @property
    def q(self) -> Array:
        """Coordinates, of shape (rows, n)."""
        return self.rows[:, 1 : 1 + self._n]

    @property
    def v(self) -> Array:
        """Velocities, of shape (rows, n)."""
        return self.rows[:, 1 + self._n : 1 + 2 * self._n]

    def sensitivity(self, of: str, by: str) -> Array:
        """The derivative of a column by a parameter or a start value that `run` was asked for: ``d(x)/d(m)``. A vector or an
        array has that of all its numbers, in the shape of ``result[of]``."""
        ending = f")/d({unicodedata.normalize('NFC', by)})"
        names = [name[2 : -len(ending)] for name in self.columns if name.endswith(ending)]
        if not names:
            raise KeyError(f"nothing is differentiated by {by!r}; ask for it with run(..., sensitivity=[{by!r}])")
        places = [self._place[f"d({name}{ending}"] for name in names]
        rows = self.rows[:, places[0] : places[0] + len(places)]
        return Result(rows, names, 0, self.report)[of]

    def to_numpy(self) -> Array:
        """All numbers as one array, not copied."""
        return self.rows

    def _take(self, names: list[str]) -> Array:
        """Columns beside each other: a view where they are neighbours."""
        places = [self._place[name] for name in names]
        if places == list(range(places[0], places[0] + len(places))):
            return self.rows[:, places[0] : places[0] + len(places)]
        return self.rows[:, places]

    def _vector(self, name: str, primes: str) -> Array | None:
        names = [f"{name}.{axis}{primes}" for axis in "xyz"]
        parts = [part for part in names if part in self._place]
        return self._take(parts) if len(parts) >= 2 else None

    def _array(self, name: str, primes: str) -> Array | None:
        pattern = re.compile(re.escape(name) + r"\[(\d+)\](\.[xyz])?" + primes + "$")
        found = [match for column in self.columns if (match := pattern.match(column))]
        if not found:
            return None
        names = [match[0] for match in sorted(found, key=lambda match: int(match[1]))]
        length = len({match[1] for match in found})
        numbers = self._take(names)
        return numbers if len(names) == length else numbers.reshape(len(numbers), length, -1)

    def __missing__(self, key: str) -> Array:
        name = unicodedata.normalize("NFC", key)
        if name in self._place:
            return self[name]
        bare, primes = _split_primes(name)
        value = self._vector(bare, primes)
        if value is None:
            value = self._array(bare, primes)
        if value is None:
            raise KeyError(no_column(key, self.columns))
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.rows, self.columns, self._n, self.report, self.events, self.contacts, self.diagnostics)
        return type(self), parts, None, None, iter([(k, v) for k, v in self.items() if k not in self._place])

    def __repr__(self) -> str:
        if not len(self.rows):
            return f"<zwang.Result: no rows of {len(self.columns)} columns>"
        shape = f"{len(self.rows)} rows of {len(self.columns)} columns"
        return f"<zwang.Result: {shape}, t = {self.t[0]:g} .. {self.t[-1]:g}>"
