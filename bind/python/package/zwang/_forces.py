"""The forces that make a motion."""

from __future__ import annotations

import bisect
import csv
import math
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _zwang
from ._errors import Diagnostic, Error, read_diags
from ._linearize import names_of, open_dense
from ._result import Array, count
from ._run import RunOptions, as_number, fail

if TYPE_CHECKING:
    from ._model import Model

Motion = Mapping[str, ArrayLike]
_LEVELS = ("positions", "velocities", "accelerations")


class Actuator(NamedTuple):
    """A force on one coordinate over the motion. `part` compares it with the forces at work, the largest in the balance of its coordinate."""

    name: str
    largest: float
    """In size, with its sign."""
    t_largest: float
    part: float
    """Of the forces at work."""
    rms: float
    """Over time."""
    power: float
    """Force times velocity, the largest in size, with its sign."""
    t_power: float


class MissingForce(NamedTuple):
    """What the actuators cannot provide on one coordinate."""

    name: str
    largest: float
    """In size, with its sign."""
    t_largest: float
    part: float
    """Of the forces at work."""


class MotionOff(NamedTuple):
    """How far the motion that was given is off at most, or how sure it is."""

    size: float
    """Of 1 + the largest value of the coordinate."""
    t: float
    name: str
    """The coordinate."""


class _Spline:
    """The natural cubic spline that `table` of the language goes through rows by: each column by itself."""

    def __init__(self, x: Array, y: Array) -> None:
        width, rise = np.diff(x), np.diff(y, axis=0)
        slope = rise / width[:, None]
        bend, upper = np.zeros_like(y), np.zeros(len(x))  # second derivatives, which vanish at both ends
        for i in range(1, len(x) - 1):
            pivot = 2 * (width[i - 1] + width[i]) - width[i - 1] * upper[i - 1]
            upper[i] = width[i] / pivot
            bend[i] = (6 * (slope[i] - slope[i - 1]) - width[i - 1] * bend[i - 1]) / pivot
        for i in range(len(x) - 2, 0, -1):
            bend[i] -= upper[i] * bend[i + 1]
        self.x = x.tolist()
        first = slope - width[:, None] * (2 * bend[:-1] + bend[1:]) / 6
        self.cubics = np.stack([np.diff(bend, axis=0) / (6 * width[:, None]), bend[:-1] / 2, first, y[:-1]])

    def __call__(self, x: float) -> Array:
        """NaN outside of the rows."""
        if not self.x[0] <= x <= self.x[-1]:
            return np.full(self.cubics.shape[2], math.nan)
        i = min(max(bisect.bisect_right(self.x, x) - 1, 0), len(self.x) - 2)
        u = x - self.x[i]
        cubic, square, linear, constant = self.cubics[:, i]
        value: Array = constant + u * (linear + u * (square + u * cubic))
        return value


@dataclass(frozen=True, eq=False, repr=False)
class Forces:
    """The forces that make a motion. Made by `Model.forces`.

    They are a function too, which `run` takes as its `force`: ``model.run(force=forces, start=forces.start)`` follows the motion.
    """

    t: Array
    """Times, of the rows."""
    coordinates: tuple[str, ...]
    q: Array
    """The motion, on the constraints: rows x n."""
    v: Array
    a: Array
    force: dict[str, Array]
    """By the coordinate on which it acts."""
    missing: dict[str, Array]
    """By coordinate: what the actuators cannot provide."""
    reactions: dict[str, Array]
    """Multipliers of the model's own constraints beside these forces, by name."""
    actuators: list[Actuator]
    """How large each force is."""
    lacks: list[MissingForce]
    """What is missing by more than `within` of the forces at work, the largest part first. Empty: the forces make the motion."""
    missing_part: float
    """The largest part of all that is missing, also where it is nothing but the accuracy of the motion."""
    is_full: bool
    """Forces act on all coordinates, since none were named."""
    off: dict[str, MotionOff]
    """How far the motion was off the constraints, before it was put onto them: its ``"positions"``, ``"velocities"``, ``"accelerations"``."""
    doubt: MotionOff | None
    """How sure the accelerations are that were estimated from the rows; None: all were given."""
    spline_off: float
    """Between rows a cubic spline is off a force by so much at most, as a part of those at work."""
    t_spline_off: float
    is_from_start: bool
    """The motion begins at the start of the run, to 1e-10."""
    found: tuple[str, ...]
    """Coordinates that were not given and follow from the constraints."""
    unused: tuple[str, ...]
    """Columns that were not used: no coordinates of the model."""
    diagnostics: tuple[Diagnostic, ...] = field(repr=False)
    """Notes about the motion."""

    @property
    def by(self) -> tuple[str, ...]:
        """The coordinates on which forces act."""
        return tuple(self.force)

    @property
    def start(self) -> dict[str, float]:
        """Positions and velocities where the motion begins, as `run` takes them."""
        names = [*self.coordinates, *(f"{c}'" for c in self.coordinates)]
        return dict(zip(names, np.concatenate([self.q[0], self.v[0]]).tolist()))

    @property
    def columns(self) -> dict[str, Array]:
        """What `zwang forces` writes into its table, by the same names: ``pandas.DataFrame(forces.columns)``."""
        table = {"t": self.t} | {f"force on {name}": column for name, column in self.force.items()}
        if not self.is_full:
            table |= {f"missing on {name}": column for name, column in self.missing.items()}
        table |= {f"reaction({name})": column for name, column in self.reactions.items()}
        table |= {name: self.q[:, i] for i, name in enumerate(self.coordinates)}
        return table | {f"{name}'": self.v[:, i] for i, name in enumerate(self.coordinates)}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the table as CSV, for `table` of the language: ``force x = table("forces.csv", t, "force on x")``."""
        table = self.columns
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table)
            writer.writerows(zip(*(column.tolist() for column in table.values())))

    @cached_property
    def _spline(self) -> _Spline:
        forces = np.zeros((len(self.t), len(self.coordinates)))
        for name, column in self.force.items():
            forces[:, self.coordinates.index(name)] = column
        return _Spline(self.t, forces)

    @cached_property
    def _path(self) -> _Spline:
        return _Spline(self.t, np.hstack([self.q, self.v]))

    def motion(self, t: float) -> tuple[Array, Array]:
        """Positions and velocities of the motion at the time t, by a cubic spline: what a controller compares with."""
        state = self._path(t)
        n = len(self.coordinates)
        return state[:n], state[n:]

    def __call__(self, t: float, q: ArrayLike = (), v: ArrayLike = ()) -> Array:
        """The forces on all coordinates at the time t, by a cubic spline; NaN outside of the motion. `q` and `v` are not looked at."""
        return self._spline(t)

    def _summary(self) -> str:
        on = "all coordinates" if self.is_full else ", ".join(self.by)
        lacks = f", missing on {', '.join(lack.name for lack in self.lacks)}" if self.lacks else ""
        return f"on {on}, {count(len(self.t), 'row')}, t = {self.t[0]:g} .. {self.t[-1]:g}{lacks}"

    def __repr__(self) -> str:
        return f"<zwang.Forces: {self._summary()}>"

    def __str__(self) -> str:
        width = max([len("missing on"), *map(len, self.coordinates)])
        lines = [self._summary()]
        lines.append(f"{'force on':<{width}}  {'largest':<13}  {'at t':<10}  {'rms':<13}  {'power, most':<13}  at t")
        for one in self.actuators:
            power = f"{one.power + 0.0:<13.6g}  {one.t_power:.6g}"
            lines.append(f"{one.name:<{width}}  {one.largest + 0.0:<13.6g}  {one.t_largest:<10.6g}  {one.rms:<13.6g}  {power}")
        if self.lacks:
            lines.append(f"{'missing on':<{width}}  {'largest':<13}  {'at t':<10}  part of the forces at work")
        for lack in self.lacks:
            lines.append(f"{lack.name:<{width}}  {lack.largest:<13.6g}  {lack.t_largest:<10.6g}  {lack.part:.3g}")
        return "\n".join(lines)


# ---- what is asked for ----


def _numbers(name: str, value: ArrayLike) -> Array:
    try:
        given = np.asarray(value)
        if np.iscomplexobj(given):
            raise TypeError("complex numbers")
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Error(f"{name!r} of the motion is no column of numbers: {error}") from None


def _parts_of(name: str, coordinates: Iterable[str]) -> list[str]:
    """The columns that a name stands for: itself, or the components of a vector or an array. None: nobody has this name."""
    bare = unicodedata.normalize("NFC", name)
    stem = bare.rstrip("'")
    pattern = re.compile(re.escape(stem) + r"(\[\d+\])?(\.[xyz])?")
    parts = [stem] if stem in coordinates else [other for other in coordinates if pattern.fullmatch(other)]
    return [part + bare[len(stem) :] for part in parts]


def _read_column(name: str, value: ArrayLike, parts: list[str], rows: int) -> dict[str, Array]:
    numbers = _numbers(name, value)
    if numbers.ndim == 0 or len(numbers) != rows:
        has = "is a single number" if numbers.ndim == 0 else f"has {count(len(numbers), 'row')}"
        raise Error(f"{name!r} of the motion {has}, and 't' has {rows}")
    table = numbers.reshape(rows, math.prod(numbers.shape[1:]))
    if table.shape[1] != len(parts):
        raise Error(f"{name!r} of the motion has the shape {numbers.shape}; the model has {count(len(parts), 'such coordinate')}")
    return {part: table[:, i] for i, part in enumerate(parts)}


def _read_motion(motion: Motion, coordinates: tuple[str, ...]) -> tuple[dict[str, Array], tuple[str, ...]]:
    """The columns that the model can use, the times first, and the names of the others."""
    try:
        given = dict(motion)
    except (TypeError, ValueError):
        raise Error(f"a motion is a dictionary of columns by name, or a Result, not {type(motion).__name__}") from None
    if "t" not in given:
        raise Error("the motion has no times: it needs a column 't' beside those of the coordinates")
    t = _numbers("t", given.pop("t"))
    if t.ndim != 1:
        raise Error(f"the times 't' of the motion have the shape {t.shape}; they are a list of numbers")
    columns = {"t": t}
    unused: list[str] = []
    for name, value in given.items():
        parts = _parts_of(str(name), coordinates)
        if not parts:
            unused.append(str(name))
            continue
        for part, column in _read_column(str(name), value, parts, len(t)).items():
            if part in columns:
                raise Error(f"the motion has two columns {part!r}")
            columns[part] = column
    return columns, tuple(unused)


def _positive(name: str, value: float | None) -> float:
    """0 where it is left out."""
    number = 0.0 if value is None else as_number(name, value)
    if value is not None and not (number > 0 and math.isfinite(number)):
        raise Error(f"{name} must be a number above 0, not {value}")
    return number


# ---- the answer ----


def _off(coordinates: tuple[str, ...], off: tuple[float, float, int]) -> MotionOff:
    return MotionOff(off[0], off[1], coordinates[off[2]])


def _by_name(names: Iterable[str], table: object) -> dict[str, Array]:
    return dict(zip(names, np.asarray(table).T))


def _read(model: Model, run: _zwang.Run, found: dict[str, Any], unused: tuple[str, ...]) -> Forces:
    actuators = [Actuator(*one) for one in found["actuators"]]
    spline_off, t_spline_off = found["spline_off"]
    return Forces(
        t=np.asarray(found["t"])[0],
        coordinates=model.coordinates,
        q=np.asarray(found["q"]),
        v=np.asarray(found["v"]),
        a=np.asarray(found["a"]),
        force=_by_name((one.name for one in actuators), found["force"]),
        missing=_by_name(model.coordinates, found["missing"]),
        reactions=_by_name(found["row_names"], found["reactions"]),
        actuators=actuators,
        lacks=[MissingForce(*lack) for lack in found["lacks"]],
        missing_part=found["missing_part"],
        is_full=found["is_full"],
        off={level: _off(model.coordinates, off) for level, off in zip(_LEVELS, found["off"])},
        doubt=None if found["doubt"][2] < 0 else _off(model.coordinates, found["doubt"]),
        spline_off=spline_off,
        t_spline_off=t_spline_off,
        is_from_start=found["is_from_start"],
        found=tuple(found["found"]),
        unused=(*unused, *found["unused"]),
        diagnostics=read_diags(run.diags()),
    )


def find_forces(
    model: Model,
    motion: Motion,
    by: str | Iterable[str] | None,
    within: float | None,
    every: float | None,
    tolerance: float | None,
    options: RunOptions,
) -> Forces:
    """The forces that make a motion of the model, or what it raises."""
    columns, unused = _read_motion(motion, model.coordinates)
    limits = _positive("within", within), _positive("every", every), _positive("tolerance", tolerance)
    actuators = () if by is None else tuple(part for name in names_of(by) for part in _parts_of(name, model.coordinates) or [name])
    if by is not None and not actuators:
        raise Error("by names no coordinate; leave it out for forces on all of them")
    table = np.stack(list(columns.values()))
    run = open_dense(model, options)
    found = run.forces(table, table.shape[1], tuple(columns)[1:], actuators, *limits)
    if found is None:
        fail(run, run.status())
        raise AssertionError
    return _read(model, run, found, unused)
