"""Equilibria and steady motions, and small motions around them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _zwang
from ._errors import Diagnostic, Error, read_diags
from ._result import Array, Move, count, no_column
from ._run import RunOptions, fail, open_run, read_text

if TYPE_CHECKING:
    from ._model import Model

ComplexArray = NDArray[np.complex128]
Words = NDArray[np.str_]

_PLACES = {None: 0, "equilibrium": 1, "steady": 2}  # as in ZwLinearizeAt
_PRESENT = 3
_WORST_FIRST = ("unstable", "neutral", "undamped", "stable", "stuck")
_BORDER = 1e-7  # of the larger value: borders of stability are found to this
_JUMP_TOLD, _RATE_MOST = 1e-6, 2  # an equilibrium that went less far, or was hardly faster than before, has not jumped
_JUMP_LEAST = 0.75  # when the larger part of a way that is halved is less than this, it has gone all the way
_SHAPE_MOST, _SHAPE_LEAST = 4, 0.01  # coordinates of a shape that are printed, and how large they are at least


class Mode(NamedTuple):
    """One eigenvalue s, and the motion that goes as e^(s t); each of a pair has its own."""

    eigenvalue: complex
    kind: str
    """``"unstable"``, ``"undamped"``, ``"stable"``, ``"neutral"`` (a zero that no symmetry explains), ``"symmetry"`` or
    ``"stuck"`` (a zero since friction holds)."""
    shape: dict[str, complex]
    """How far each coordinate moves, and at which phase; the largest is 1."""

    @property
    def frequency(self) -> float:
        """In radians per unit of time."""
        return abs(self.eigenvalue.imag)

    @property
    def hertz(self) -> float:
        """Periods per unit of time."""
        return self.frequency / (2 * math.pi)

    @property
    def damping(self) -> float:
        """-Re s/|s|: 1 does not oscillate, a negative one grows; NaN of a zero."""
        return -self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else math.nan

    @property
    def time_constant(self) -> float:
        """The time in which it falls, or grows, by a factor of e; NaN where it does neither."""
        return 1 / abs(self.eigenvalue.real) if self.eigenvalue.real else math.nan

    def __str__(self) -> str:
        largest = sorted(self.shape.items(), key=lambda item: -round(abs(item[1]), 9))
        parts = [_polar(*item) for item in largest[:_SHAPE_MOST] if abs(item[1]) > _SHAPE_LEAST]
        return f"{self.eigenvalue.real:<14.8g}  {self.eigenvalue.imag:<14.8g}  {self.kind:<9}  {', '.join(parts)}"


def _polar(name: str, value: complex) -> str:
    phase = math.degrees(math.atan2(value.imag, value.real))
    turned = "" if abs(phase) < 0.05 else f" at {180.0 if phase < -179.95 else phase:.4g} deg"
    return f"{name} {abs(value):.3g}{turned}"


@dataclass(frozen=True, eq=False)
class Linearization:
    """Small motions around an equilibrium, a steady motion or any state, on the tangent space of the constraints.

    x' = A x + B u, y = C x + D u: x are coordinates of the motions that the constraints allow, u changes of the inputs, y those of
    the outputs. ``basis @ x`` are the changes of q and v, one behind the other, and ``projection @ change`` is x. Around a steady
    motion all this is seen from the frame that moves along. `str` gives a table.
    """

    at: str
    """``"equilibrium"``, ``"steady"`` or ``"state"``."""
    t: float
    coordinates: tuple[str, ...]
    q: Array
    """Of the state, in the order of `coordinates`; ``linearization["x"]`` is one of them."""
    v: Array
    a: Array
    reactions: dict[str, float]
    """Multipliers of the constraints there, by name."""
    eigenvalues: ComplexArray
    """Unstable ones first, those of symmetries and of friction last; each of a pair by itself."""
    kinds: Words
    """Of the eigenvalues: see `Mode.kind`."""
    shapes: dict[str, ComplexArray]
    """By coordinate: its part in each mode. The largest of a mode is 1."""
    symmetry_zeros: int
    """Eigenvalues that belong to symmetries: nothing pulls back, by nature."""
    constraint_zeros: int
    """Zeros that belong to the constraints, and are left out."""
    A: Array
    """count x count."""
    basis: Array
    """2 n x count."""
    projection: Array
    """count x 2 n."""
    B: Array
    """count x inputs."""
    C: Array
    """outputs x count."""
    D: Array
    """outputs x inputs."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    residual: float
    """Of the equations of a steady state, relative."""
    isolated: bool | None
    """Whether an equilibrium stands alone, or is one of a family; None: it is none."""
    moved: Move | None
    """What the search for the state moved most; None: the start was such a state."""
    moves: tuple[Move, ...]
    """All that it moved."""
    contacts: dict[str, str]
    """What each contact is at the state: ``"open"``, ``"closed"``, ``"sticks"`` or ``"slips"``."""
    held: tuple[str, ...]
    """Signs in the text that friction holds at zero, as ``"sign(x')"``."""
    corners: tuple[str, ...]
    """Switches in the text (if, abs, min, max, sign) at whose border the state lies, with other forces on its sides, as ``"x > 0"``: the modes are those of one side."""
    sizes: Array
    """What the search took for the size of each coordinate."""
    diagnostics: tuple[Diagnostic, ...] = field(repr=False)
    """Notes about the run."""

    @property
    def verdict(self) -> str:
        """The worst of its modes: ``"unstable"``, ``"neutral"``, ``"undamped"`` or ``"stable"``; ``"stuck"`` if friction holds all; ``"corner"`` if it lies on one."""
        if self.corners:
            return "corner"
        return next((kind for kind in _WORST_FIRST if kind in self.kinds), "stable")

    @property
    def modes(self) -> list[Mode]:
        """The eigenvalues one by one, with frequency, damping and shape."""
        return [
            Mode(complex(s), str(kind), {name: complex(part[i]) for name, part in self.shapes.items()})
            for i, (s, kind) in enumerate(zip(self.eigenvalues, self.kinds))
        ]

    def __getitem__(self, name: str) -> float:
        """A coordinate, or with ' a velocity, of the state."""
        names = [*self.coordinates, *(f"{c}'" for c in self.coordinates)]
        bare = unicodedata.normalize("NFC", name)
        if bare not in names:
            raise KeyError(no_column(name, names))
        return float(np.concatenate([self.q, self.v])[names.index(bare)])

    def _summary(self) -> str:
        place = {"steady": "steady motion"}.get(self.at, self.at)
        return f"{place} at t = {self.t:g}, {count(len(self.eigenvalues), 'eigenvalue')}, {self.verdict}"

    def __repr__(self) -> str:
        return f"<zwang.Linearization: {self._summary()}>"

    def __str__(self) -> str:
        head = f"{'real part':<14}  {'imaginary':<14}  {'kind':<9}  shape"
        return "\n".join([self._summary(), head, *map(str, self.modes)])


# ---- what is asked for ----


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """One name, or several."""
    several = (names,) if isinstance(names, str) else tuple(names)
    for name in several:
        read_text("a name", name)
    return several


def _find_outputs(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Columns; vectors and arrays become their components."""
    found: list[str] = []
    for name in names:
        bare = unicodedata.normalize("NFC", name)
        stem = bare.rstrip("'")
        pattern = re.compile(re.escape(stem) + r"(\[\d+\])?(\.[xyz])?" + bare[len(stem) :])
        parts = [bare] if bare in columns else [column for column in columns if pattern.fullmatch(column)]
        if not parts or bare == "t":
            raise Error("outputs are columns of a run: " + no_column(name, columns[1:]))
        found += parts
    return found


def open_dense(model: Model, options: RunOptions) -> _zwang.Run:
    """A run at its start, whose solve is dense."""
    run = open_run(model, options, record=False, warns=False)
    if run.report()["is_sparse"]:  # the matrices are dense
        dense = options.copy()
        dense["integrator"] = "radau"
        run = open_run(model, dense, record=False, warns=False)
    return run


def _open_at(model: Model, options: RunOptions, t: float) -> _zwang.Run:
    """A run that has come to the time t."""
    if not math.isfinite(t):
        raise Error(f"the time to look at must be a finite number, not {t}")
    run = open_dense(model, options)
    begin = run.report()["from"]
    if t < begin:
        raise Error(f"the run begins at t = {begin:g}; at={t:g} is before that")
    if t == begin:
        return run
    moving = options.copy()
    moving["t_end"] = t
    run = open_dense(model, moving)
    status = run.to(t)
    if status[0] != "ZW_OK":
        fail(run, status)
    reached = run.report()["t"]
    if reached < t - 1e-9 * (1 + abs(t)):
        raise Error(f"the run stops at t = {reached:g}, before it comes to at={t:g}")
    return run


def _place(at: object) -> int:
    if at is None or isinstance(at, str) and at in _PLACES:
        return _PLACES[at]
    if isinstance(at, (int, float, np.integer, np.floating)) and not isinstance(at, bool):
        return _PRESENT
    raise Error(f'at is None, "equilibrium", "steady" or a time, not {at!r}')


# ---- one answer ----


def _complex(table: object) -> ComplexArray:
    """Real and imaginary parts stand beside each other."""
    return np.asarray(table).view(np.complex128)


def _find_move(model: Model, found: dict[str, Any], q: Array, v: Array) -> Move | None:
    if not found["moves"]:
        return None
    i = found["way_index"]
    return Move(model.columns[1 + i], found["way_from"], float(np.concatenate([q, v])[i]))


def _read(model: Model, run: _zwang.Run, found: dict[str, Any], inputs: tuple[str, ...], outputs: list[str]) -> Linearization:
    q, v, a, reactions = (np.asarray(found[name])[0] for name in ("q", "v", "a", "reactions"))
    shapes = _complex(found["shapes"])
    columns = run.columns()
    places = [columns.index(name) for name in outputs]
    size = len(found["kinds"])
    return Linearization(
        at=found["at"],
        t=found["t"],
        coordinates=model.coordinates,
        q=q,
        v=v,
        a=a,
        reactions=dict(zip(found["row_names"], reactions.tolist())),
        eigenvalues=_complex(found["eigenvalues"])[:, 0],
        kinds=np.array(found["kinds"], dtype="U8"),
        shapes={name: shapes[:, i] for i, name in enumerate(model.coordinates)},
        symmetry_zeros=found["kinds"].count("symmetry"),
        constraint_zeros=found["constraint_zeros"],
        A=np.asarray(found["A"]),
        basis=np.asarray(found["basis"]).T,
        projection=np.asarray(found["projection"]),
        B=np.asarray(found["B"]),
        C=np.asarray(found["C"])[places] if places else np.empty((0, size)),
        D=np.asarray(found["D"])[places] if places else np.empty((0, len(inputs))),
        inputs=inputs,
        outputs=tuple(outputs),
        residual=found["residual"],
        isolated=None if found["freedom"] < 0 else found["freedom"] == 0,
        moved=_find_move(model, found, q, v),
        moves=tuple(Move(*move) for move in found["moves"]),
        contacts=found["contacts"],
        held=tuple(found["held"]),
        corners=tuple(found["corners"]),
        sizes=np.asarray(found["sizes"])[0],
        diagnostics=read_diags(run.diags()),
    )


def linearize(
    model: Model,
    at: float | str | None,
    options: RunOptions,
    inputs: tuple[str, ...] = (),
    outputs: tuple[str, ...] = (),
    near_q: Array | None = None,
    anywhere: bool = False,
) -> Linearization:
    """The linearization of a model, or what it raises."""
    place = _place(at)
    options = options.copy()
    options["forces"] = any(name not in model.columns for name in outputs)
    run = _open_at(model, options, float(at)) if place == _PRESENT and at is not None else open_dense(model, options)
    names = _find_outputs(outputs, run.columns())
    found = run.linearize(place, near_q, inputs, bool(names), anywhere)
    if found is None:
        fail(run, run.status())
        raise AssertionError
    return _read(model, run, found, inputs, names)


# ---- over a parameter ----


class Change(NamedTuple):
    """Where the verdict changes, or an equilibrium ends: between two values that differ by 1e-7 of their size.

    They differ by more only where there is no answer between them.
    """

    before: float
    after: float
    verdict_before: str
    verdict_after: str
    """``"none"`` where an equilibrium ends and no other was found."""
    ends: bool = False
    """The equilibrium itself ends here (a fold); what is found after it is another one."""


@dataclass(frozen=True, eq=False)
class Locus:
    """Eigenvalues over the values of a parameter, each followed from value to value: a root locus."""

    name: str
    """The parameter."""
    values: Array
    eigenvalues: ComplexArray
    """values x count: a column is one eigenvalue on its way. NaN where there is no answer."""
    kinds: Words
    """values x count, as `eigenvalues`; ``""`` where there is no answer."""
    verdicts: Words
    """As `Linearization.verdict`; ``"failed"`` where there is no answer."""
    linearizations: list[Linearization | Error]
    """The whole answers; with ``return_errors``, what was raised instead."""
    changes: list[Change]
    """Where the verdict changes, or the equilibrium ends."""

    def __repr__(self) -> str:
        return f"<zwang.Locus: {count(len(self.values), 'value')} of {self.name}, {count(self.eigenvalues.shape[1], 'eigenvalue')}>"


def _match(now: ComplexArray, before: ComplexArray | None, found: ComplexArray) -> NDArray[np.intp]:
    """Which eigenvalue each mode is now, if it goes on as before: the nearest pair first, then the nearest of those left."""
    expected = now if before is None else now + (now - before)
    off = np.abs(found[None, :] - expected[:, None])
    order = np.zeros(len(now), dtype=np.intp)
    for _ in now:
        mode, value = np.unravel_index(np.argmin(off), off.shape)
        order[mode] = value
        off[mode, :] = off[:, value] = np.inf
    return order


class _Follower:
    """Puts answers into one order, value by value."""

    def __init__(self) -> None:
        self.now: ComplexArray | None = None
        self.before: ComplexArray | None = None

    def take(self, answer: Linearization | Error, size: int) -> tuple[ComplexArray, Words]:
        if isinstance(answer, Error):
            self.now = self.before = None
            return np.full(size, complex(math.nan, math.nan)), np.full(size, "", dtype="U8")
        found = answer.eigenvalues
        order = np.arange(size) if self.now is None else _match(self.now, self.before, found)
        followed = found[order]
        self.before, self.now = self.now, followed
        return followed, answer.kinds[order]


def _distance(a: Array, b: Array, sizes: Array) -> float:
    """Of two equilibria, in the sizes of their coordinates."""
    return float(np.max(np.abs(a - b) / sizes, initial=0))


class _Search:
    """Linearizations over a parameter."""

    def __init__(self, model: Model, name: str, at: float | str | None, options: RunOptions, anywhere: bool) -> None:
        self.model, self.name, self.at, self.options, self.anywhere = model, name, at, options, anywhere
        self.near_q: Array | None = None
        self.size: int | None = None  # eigenvalues
        self.last: tuple[float, str] | None = None  # value and verdict
        self.is_following = False  # there was an answer at the value before
        self.rate = 0.0  # how fast the equilibrium moved with the parameter; 0: not known
        self.changes: list[Change] = []

    def look(self, value: float, near_q: Array | None = None) -> Linearization:
        """The answer at a value."""
        options = self.options.copy()
        options["params"] = {**(self.options.get("params") or {}), self.name: value}
        near_q = self.near_q if near_q is None else near_q
        answer = linearize(self.model, self.at, options, near_q=near_q, anywhere=self.anywhere)
        size = len(answer.eigenvalues)
        if self.size is not None and size != self.size:
            raise Error(f"at {self.name} = {value:g} there are {size} eigenvalues, and {self.size} before")
        return answer

    def _border(self, change: Change) -> Change:
        """The same, halved as often as it can be."""
        before, after = change.before, change.after
        near = _BORDER * max(abs(before), abs(after))
        try:
            while abs(after - before) > near:
                middle = before + (after - before) / 2
                if self.look(middle).verdict == change.verdict_before:
                    before = middle
                else:
                    after = middle
        except Error:  # there is no answer between; what is known stays
            pass
        return change._replace(before=before, after=after)

    def _end(self, value: float, answer: Linearization | None) -> Change | None:
        """Where the equilibrium before ends, if it does so before this value, where `answer` was found."""
        if self.last is None or self.near_q is None:
            return None
        before, after = self.last[0], value
        low, high = self.near_q, None if answer is None else answer.q
        near = _BORDER * max(abs(before), abs(after))
        while abs(after - before) > near:
            middle = before + (after - before) / 2
            try:
                found = self.look(middle, low)
            except Error:
                after = middle
                continue
            to_low = _distance(found.q, low, found.sizes)
            to_high = math.inf if high is None else _distance(found.q, high, found.sizes)
            if high is not None and max(to_low, to_high) <= _JUMP_LEAST * _distance(low, high, found.sizes):
                return None  # it is on the way between them: nothing jumps
            if to_low < to_high:
                before, low = middle, found.q
            else:
                after, high = middle, high if high is None else found.q
        return Change(before, after, self.last[1], "none" if answer is None else answer.verdict, True)

    def _may_have_jumped(self, value: float, answer: Linearization) -> bool:
        if answer.at != "equilibrium" or self.near_q is None or self.last is None or value == self.last[0]:
            return False
        way, before = _distance(answer.q, self.near_q, answer.sizes), self.rate
        self.rate = way / abs(value - self.last[0])
        return way > _JUMP_TOLD and not self.rate < _RATE_MOST * before

    def take(self, value: float) -> Linearization:
        """The answer at the next value, and what has changed since the one before."""
        try:
            answer = self.look(value)
        except Error as error:
            end = self._end(value, None) if self.is_following and error.status == "ZW_ERR_STEP" else None
            if end is not None:
                self.changes.append(end)
                self.last = None
            self.is_following = False
            raise
        end = self._end(value, answer) if self.is_following and self._may_have_jumped(value, answer) else None
        self.is_following = True
        if end is not None:
            self.changes.append(end)
            self.rate = 0.0
        elif self.last is not None and self.last[1] != answer.verdict:
            self.changes.append(self._border(Change(self.last[0], value, self.last[1], answer.verdict)))
        self.size = len(answer.eigenvalues)
        self.last = value, answer.verdict
        if answer.at == "equilibrium":  # the next one is looked for from here; a steady motion is what the start values say
            self.near_q = answer.q
        return answer


def locus(
    model: Model, name: str, values: ArrayLike, at: float | str | None, options: RunOptions, return_errors: bool, anywhere: bool
) -> Locus:
    """The linearizations over a parameter, in order."""
    numbers = np.array(values, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers):
        raise Error("the values of a locus are a list of numbers, as numpy.linspace(0, 1, 101)")
    if name in (options.get("params") or {}) or name in (options.get("start") or {}):
        raise Error(f"{name!r} is what the locus varies, and is given a value besides")
    search = _Search(model, name, at, options, anywhere)
    answers: list[Linearization | Error] = []
    for value in numbers.tolist():
        try:
            answers.append(search.take(value))
        except Error as error:
            if not return_errors:
                raise
            answers.append(error)
    size = search.size or 0
    follower = _Follower()
    rows = [follower.take(answer, size) for answer in answers]
    verdicts = ["failed" if isinstance(answer, Error) else answer.verdict for answer in answers]
    return Locus(
        name,
        numbers,
        np.array([row for row, _ in rows]).reshape(len(rows), size),
        np.array([kinds for _, kinds in rows], dtype="U8").reshape(len(rows), size),
        np.array(verdicts, dtype="U8"),
        answers,
        search.changes,
    )
