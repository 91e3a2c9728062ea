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
