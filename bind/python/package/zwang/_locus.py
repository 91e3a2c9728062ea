"""Equilibria and steady motions over a parameter: root loci, and the borders of a branch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._errors import Error
from ._linearize import ComplexArray, Linearization, Words, linearize
from ._result import Array, count
from ._run import RunOptions

if TYPE_CHECKING:
    from ._model import Model

_BORDER, _BORDER_AT_ZERO = 1e-8, 1e-13  # borders are found to these parts of the values beside them, and of those that were asked for
_JUMP_TOLD, _RATE_MOST = 1e-6, 2  # a branch that went less far, or was hardly faster than before, has not jumped
_JUMP_LEAST = 0.75  # when the larger part of a way that is halved is less than this, the branch goes on there; nor does it jump
_BACK = 3  # where the way becomes less than that in so many halvings
_TOUCH_TOLD, _TOUCH = 1e-4, 1e-5  # a contact that is nearly closed is closed: there the state moves a little, over a small part of the value
_NEAR_TOLD = 1e-2  # beside a fold the branch is steep: so far it may go between the sides of a border
_BORDERS_BETWEEN = 16
_NO_NUMBER = complex(math.nan, math.nan)


class Changed(NamedTuple):
    """A contact, or a sign that friction holds, that is another one after a border."""

    name: str
    before: str
    """``"open"``, ``"closed"``, ``"sticks"`` or ``"slips"``; of a sign ``"held"`` or ``"free"``."""
    after: str


class Change(NamedTuple):
    """A border of a branch: between two values that differ by 1e-8 of their size.

    They differ by more only where there is no answer between them.
    """

    before: float
    after: float
    verdict_before: str
    verdict_after: str
    """``"none"`` where an equilibrium ends and no other was found."""
    ends: bool = False
    """The equilibrium itself ends here (a fold); what is found after it is another one."""
    kind: str = "verdict"
    """``"verdict"``; ``"corner"``: a contact closes, opens, sticks or slips, and the branch goes on; or ``"end"``."""
    changed: tuple[Changed, ...] = ()
    """What is another one after it, of contacts and of signs that friction holds."""


@dataclass(frozen=True, eq=False)
class Locus:
    """Eigenvalues over the values of a parameter, each followed from value to value: a root locus."""

    name: str
    """The parameter."""
    values: Array
    eigenvalues: ComplexArray
    """values x count: a column is one eigenvalue on its way. NaN where there is no answer, and where contacts leave fewer of them."""
    kinds: Words
    """values x count, as `eigenvalues`; ``""`` where there is none."""
    verdicts: Words
    """As `Linearization.verdict`; ``"failed"`` where there is no answer."""
    linearizations: list[Linearization | Error]
    """The whole answers; with ``return_errors``, what was raised instead."""
    changes: list[Change]
    """Where the verdict changes, a contact closes or opens, or the equilibrium ends."""

    def __repr__(self) -> str:
        return f"<zwang.Locus: {count(len(self.values), 'value')} of {self.name}, {count(self.eigenvalues.shape[1], 'eigenvalue')}>"


# ---- following ----


class _Follower:
    """Puts answers into one order, value by value. An eigenvalue that is absent is not a number."""

    def __init__(self) -> None:
        self.now: list[complex] = []
        self.before: list[complex] | None = None
        self.is_following = False

    def _expected(self) -> list[complex]:
        """Where they should be, if they go on as before."""
        before = self.now if self.before is None else self.before + self.now[len(self.before) :]
        return [now if math.isnan(last.real) else now + (now - last) for now, last in zip(self.now, before, strict=True)]

    def _match(self, found: ComplexArray) -> list[int]:
        """Which eigenvalue each mode is now: the nearest pair first, then the nearest of those left; -1: none."""
        order = [-1] * len(self.now)
        if self.is_following and self.now and len(found):
            off = np.abs(found[None, :] - np.array(self._expected())[:, None])
            off[np.isnan(off)] = np.inf
            while np.isfinite(off).any():
                mode, value = np.unravel_index(np.argmin(off), off.shape)
                order[mode] = int(value)
                off[mode, :] = off[:, value] = np.inf
        return order

    def take(self, answer: Linearization | Error, kind: str) -> tuple[list[complex], list[str]]:
        """The answer at the next value; `kind` is that of the strongest border since the one before."""
        if isinstance(answer, Error):
            self.is_following = False
            self.before = None
            return [], []
        if kind == "end":
            self.is_following = False
        found = answer.eigenvalues
        order = self._match(found)
        for value in range(len(found)):
            if value in order:
                continue
            if -1 in order:
                order[order.index(-1)] = value
            else:
                order.append(value)
        followed = [_NO_NUMBER if value < 0 else complex(found[value]) for value in order]
        goes_on = self.is_following and kind == "verdict"
        self.before, self.now, self.is_following = (self.now if goes_on else None), followed, True
        return followed, ["" if value < 0 else str(answer.kinds[value]) for value in order]


# ---- borders ----


class _Point(NamedTuple):
    """What was found at a value."""

    value: float
    answer: Linearization | None


def _words(answer: Linearization) -> dict[str, str]:
    """Contacts, and signs that are held, by name."""
    return {**answer.contacts, **{name: "held" for name in answer.held}}


def _alike(a: Linearization, b: Linearization) -> bool:
    return a.verdict == b.verdict and _words(a) == _words(b)


def _changed(a: Linearization, b: Linearization) -> tuple[Changed, ...]:
    before, after = _words(a), _words(b)
    return tuple(
        Changed(name, before.get(name, "free"), after.get(name, "free"))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    )


def _near(before: float, after: float, around: float) -> float:
    """How near the sides of a border must be, between values as large as `around`."""
    here = max(abs(before), abs(after))
    is_at_zero = before * after <= 0 or here <= _BORDER_AT_ZERO * around
    return _BORDER_AT_ZERO * around if is_at_zero else _BORDER * here


class _Interval:
    """What is between two values, halved."""

    def __init__(self, low: _Point, high: _Point) -> None:
        self.low, self.high = low, high
        self.before, self.after = low.value, high.value
        self.around = max(abs(self.before), abs(self.after))
        self.ways: list[float] = []

    def is_sharp(self) -> bool:
        return abs(self.after - self.before) <= _near(self.before, self.after, self.around)

    def middle(self) -> float:
        return self.before + (self.after - self.before) / 2

    def take(self, point: _Point, is_low: bool) -> None:
        if is_low:
            self.low, self.before = point, point.value
        else:
            self.high, self.after = point, point.value

    def has_jumped(self, way: float, told: float = _JUMP_TOLD) -> bool:
        return len(self.ways) >= _BACK and way > told and way > _JUMP_LEAST * max(self.ways[-_BACK:])


class _Search:
    """Linearizations over a parameter."""

    def __init__(self, model: Model, name: str, at: float | str | None, options: RunOptions, anywhere: bool) -> None:
        self.model, self.name, self.at, self.options, self.anywhere = model, name, at, options, anywhere
        self.last: _Point | None = None  # where something was found last,
        self.has_last = False  # if its borders with the next one matter,
        self.is_following = False  # and that was the value before
        self.rate = 0.0  # how fast the branch moved with the parameter; 0: not known
        self.mode_size = 0.0  # the largest eigenvalue around
        self.changes: list[Change] = []
        self.is_sharp = False  # the last of them

    def look(self, value: float, near: Linearization | None) -> Linearization:
        """The answer at a value: an equilibrium from that beside it, a steady motion from the start values."""
        options = self.options.copy()
        options["params"] = {**(self.options.get("params") or {}), self.name: value}
        near_q = near.q if near is not None and near.at == "equilibrium" else None
        return linearize(self.model, self.at, options, near_q=near_q, anywhere=self.anywhere)

    def _try(self, value: float, near: Linearization | None) -> _Point | None:
        """The same, without an answer where there is none; None: it is not known whether there is one."""
        try:
            return _Point(value, self.look(value, near))
        except Error as error:
            return _Point(value, None) if error.status == "ZW_ERR_STEP" else None

    def _distance(self, a: Linearization | None, b: Linearization | None) -> float:
        """Of two answers: of equilibria in the sizes of their coordinates, of steady motions by their eigenvalues."""
        if a is None or b is None:
            return math.inf
        if a.at != b.at or a.at not in ("equilibrium", "steady motion"):
            return 0.0
        if a.at == "equilibrium":
            return float(np.max(np.abs(a.q - b.q) / b.sizes, initial=0))
        x, y = a.eigenvalues, b.eigenvalues
        if len(x) != len(y) or not len(x) or not self.mode_size:
            return 0.0
        off = np.abs(x[:, None] - y[None, :])
        return float(max(off.min(axis=0).max(), off.min(axis=1).max())) / self.mode_size

    def _may_have_jumped(self, a: _Point, b: _Point) -> bool:
        way, step = self._distance(a.answer, b.answer), abs(b.value - a.value)
        return self.is_following and way > _JUMP_TOLD and not way < _RATE_MOST * self.rate * step

    def _jump(self, interval: _Interval) -> bool | None:
        """Halves what is between two answers that are alike but far from each other: is there a jump? None: not known."""
        while not interval.is_sharp():
            low, high = interval.low.answer, interval.high.answer
            point = self._try(interval.middle(), low)
            if point is None:
                return None
            all_of_it = self._distance(low, high)
            interval.ways.append(all_of_it)
            if point.answer is None:
                interval.after = point.value
                continue
            to_low, to_high = self._distance(point.answer, low), self._distance(point.answer, high)
            if max(to_low, to_high) <= _JUMP_LEAST * all_of_it:
                return False
            interval.take(point, to_low < to_high)
        return interval.has_jumped(self._distance(interval.low.answer, interval.high.answer))

    def _difference(self, interval: _Interval) -> str | None:
        """Halves what is between two answers that are not alike: the kind of the border. None: not known."""
        while not interval.is_sharp():
            low = interval.low
            assert low.answer is not None
            point = self._try(interval.middle(), low.answer)
            if point is None:
                return None
            is_low = point.answer is not None and _alike(low.answer, point.answer)
            if is_low and self._may_have_jumped(low, point):
                inner = _Interval(low, point)
                inner.around = interval.around
                if self._jump(inner):
                    interval.low, interval.high = inner.low, inner.high
                    interval.before, interval.after = inner.before, inner.after
                    return "end"
            interval.ways.append(self._distance(low.answer, interval.high.answer))
            interval.take(point, is_low)
        a, b = interval.low.answer, interval.high.answer
        if a is None or b is None:
            return "end"
        is_still = _words(a) == _words(b) and "corner" not in (a.verdict, b.verdict)
        if interval.has_jumped(self._distance(a, b), _JUMP_TOLD if is_still else _TOUCH_TOLD):
            return "end"
        return "verdict" if _words(a) == _words(b) else "corner"

    def _unseen_corner(self, interval: _Interval, end: _Point) -> _Point | None:
        """Where a contact only just touches, nothing may be found, over a small part of the value. The point on the other side, if the branch
        is there again with other contacts."""
        low, ahead = interval.low.answer, _TOUCH * abs(interval.after)
        if low is None or interval.high.answer is not None or end.answer is None or not abs(end.value - interval.after) > ahead:
            return None
        point = self._try(interval.after + (ahead if end.value > interval.before else -ahead), low)
        if point is None or point.answer is None or (_words(point.answer) == _words(low) and low.verdict != "corner"):
            return None
        return point if self._distance(low, point.answer) < _TOUCH_TOLD else None

    def _goes_on(self, interval: _Interval, end: _Point) -> tuple[_Point, _Point] | None:
        """Where the branch seems to end: what was found after that may have been looked for from too far. From beside it, is there something
        near? Then the branch goes on: that, and what is found from there at the end."""
        low, high = interval.low.answer, interval.high.answer
        if low is None or low.at != "equilibrium":
            return None
        point = self._try(interval.after, low)
        if point is None or point.answer is None or _words(point.answer) != _words(low):
            return None
        way = self._distance(low, point.answer)
        if not (way < _JUMP_LEAST * self._distance(low, high) and way < _NEAR_TOLD):
            return None
        after = self._try(end.value, point.answer)
        return None if after is None or (after.answer is None and end.answer is not None) else (point, after)

    def _border(self, start: _Point, end: _Point) -> tuple[Change, _Point, float] | tuple[_Point, _Point] | None:
        """The first border between two points, the point after it, and how near its sides are to be; infinite: they could not be. Or two
        points to look between instead, where the branch leads elsewhere."""
        interval = _Interval(start, end)
        assert start.answer is not None
        differ = end.answer is None or not _alike(start.answer, end.answer)
        if not differ and not self._may_have_jumped(start, end):
            return None
        kind = self._difference(interval) if differ else ("end" if self._jump(interval) else None)
        if kind is None and (not differ or end.answer is None):
            return None
        unseen = self._unseen_corner(interval, end) if kind == "end" else None
        if unseen is not None:
            low, high = interval.low.answer, unseen.answer
            interval.high = unseen
            kind = "corner" if low is not None and high is not None and _words(low) != _words(high) else "verdict"
        if kind == "end":
            elsewhere = self._goes_on(interval, end)
            if elsewhere is not None:
                return elsewhere
        is_known = kind is not None and interval.high.answer is not None
        after = interval.high.answer if is_known else end.answer
        low = interval.low.answer
        assert low is not None
        changed = () if after is None else _changed(low, after)
        near = math.inf if kind is None else _near(interval.before, interval.after, interval.around)
        kind = kind or ("corner" if changed else "verdict")
        verdict = "none" if after is None else after.verdict
        change = Change(interval.before, interval.after, low.verdict, verdict, kind == "end", kind, changed)
        return change, _Point(interval.high.value if is_known else end.value, after), near

    def _join(self, change: Change, near: float, is_asked: bool) -> bool:
        """Joins what is so near to the last border that it is the same one: a verdict of one value only that was met by halving; or, at
        a value that was asked for, a corner itself, where a contact touches without force."""
        if not self.changes:
            return False
        last = self.changes[-1]
        is_touching = last.verdict_after == "corner" and bool(last.changed or change.changed or change.ends)
        touch = _TOUCH * max(abs(change.before), abs(last.after)) if is_touching else 0.0
        is_same = last.verdict_after == change.verdict_before and abs(change.before - last.after) <= max(touch, 2 * near)
        if not (self.is_sharp and math.isfinite(near) and is_same) or last.ends or (is_asked and not is_touching):
            return False
        joined = {each.name: each for each in last.changed}
        for each in change.changed:
            joined[each.name] = joined[each.name]._replace(after=each.after) if each.name in joined else each
        changed = tuple(each for each in joined.values() if each.before != each.after)
        kind = "end" if change.ends else "corner" if changed else "verdict"
        self.changes[-1] = Change(last.before, change.after, last.verdict_before, change.verdict_after, change.ends, kind, changed)
        return True

    def _borders(self, start: _Point, end: _Point) -> tuple[str, _Point]:
        """Adds all borders between two points; the kind of the strongest, and the end that the branch leads to."""
        kind = "verdict"
        for round_ in range(_BORDERS_BETWEEN):
            found = self._border(start, end)
            if found is None:
                break
            if len(found) == 2:
                start, end = found
                self.rate = 0.0
                continue
            change, start, near = found
            if not self._join(change, near, round_ == 0):
                self.changes.append(change)
                self.is_sharp = math.isfinite(near)
            if change.kind != "verdict":
                self.rate = 0.0
                kind = "end" if "end" in (kind, change.kind) else "corner"
            if start.answer is None or start.value == end.value:
                break
        return kind, end

    def take(self, value: float) -> tuple[Linearization, str]:
        """The answer at the next value, and the kind of the strongest border since the one before."""
        last = self.last
        try:
            answer = self.look(value, None if last is None else last.answer)
        except Error as error:
            end = _Point(value, None)
            is_end = self.is_following and error.status == "ZW_ERR_STEP" and last is not None and last.answer is not None
            if is_end and last is not None and last.answer is not None and last.answer.at == "equilibrium":
                kind, end = self._borders(last, end)
                self.has_last = kind != "end"
            if end.answer is not None:
                self.rate = 0.0
                self.last, self.has_last, self.is_following = end, True, True
                return end.answer, kind
            self.is_following = False
            raise
        kind, rate, point = "verdict", 0.0, _Point(value, answer)
        self.mode_size = max((abs(s) for a in (answer, last and last.answer) if a for s in a.eigenvalues), default=0.0)
        if last is not None and self.is_following and value != last.value:
            rate = self._distance(last.answer, answer) / abs(value - last.value)
        if last is not None and self.has_last:
            kind, point = self._borders(last, point)
        self.rate = rate if kind == "verdict" and point.answer is answer else 0.0
        if point.answer is not None:
            answer = point.answer
        self.last, self.has_last, self.is_following = point, True, True
        return answer, kind


def locus(
    model: Model, name: str, values: ArrayLike, at: float | str | None, options: RunOptions, return_errors: bool, anywhere: bool
) -> Locus:
    """The linearizations over a parameter, in order."""
    numbers = np.array(values, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers):
        raise Error("the values of a locus are a list of numbers, as numpy.linspace(0, 1, 101)")
    if name in (options.get("params") or {}) or name in (options.get("start") or {}):
        raise Error(f"{name!r} is what the locus varies, and is given a value besides")
    search, follower = _Search(model, name, at, options, anywhere), _Follower()
    answers: list[Linearization | Error] = []
    rows: list[tuple[list[complex], list[str]]] = []
    for value in numbers.tolist():
        kind = "verdict"
        answer: Linearization | Error
        try:
            answer, kind = search.take(value)
        except Error as error:
            if not return_errors:
                raise
            answer = error
        answers.append(answer)
        rows.append(follower.take(answer, kind))
    size = max((len(row) for row, _ in rows), default=0)
    verdicts = ["failed" if isinstance(answer, Error) else answer.verdict for answer in answers]
    return Locus(
        name,
        numbers,
        np.array([row + [_NO_NUMBER] * (size - len(row)) for row, _ in rows], dtype=np.complex128).reshape(len(rows), size),
        np.array([kinds + [""] * (size - len(kinds)) for _, kinds in rows], dtype="U8").reshape(len(rows), size),
        np.array(verdicts, dtype="U8"),
        answers,
        search.changes,
    )
