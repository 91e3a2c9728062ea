"""All formulations beside each other along a motion, and what the papers print at its instants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _zwang
from ._detail import (
    BELLMAN,
    FORCES,
    PARTITION,
    POSSIBLE,
    LeastDetail,
    Places,
    has_room,
    read_array,
    read_coordinates,
    read_detail,
    read_displacement,
    read_numbers,
    read_possible,
)
from ._errors import Error, RunError, describe, read_diags
from ._result import Array, count
from ._run import RunOptions, open_run

if TYPE_CHECKING:
    from ._model import Model


@dataclass(frozen=True)
class Formulation:
    """One formulation beside the others; numbers are NaN where it does not apply."""

    name: str
    applies: bool
    """At every instant."""
    reason: str
    """Why it does not, a sentence; ``""``."""
    difference: float
    """The largest difference in acceleration from ``"auto"``, as a part of the largest acceleration at the instant."""
    residual: float
    """Of A a = b, the largest, relative."""
    optimality: float
    """|Zᵀ Qc|, the largest, relative."""
    gaussian: float
    """At the first instant; NaN also where it is undefined."""
    seconds: float
    """One solve, on average."""


@dataclass(frozen=True)
class Frame:
    """The motion at an instant, in free velocities nu: v = B nu + r, a = B nu' + c (T16), and with `detail` what the papers print."""

    t: float
    is_stated: bool
    """`nu` are the quasi-velocities of the model; False: a frame that is carried along."""
    q: Array
    v: Array
    nu: Array
    nu_rate: Array
    B: Array
    r: Array
    c: Array
    K: Array
    p: Array
    """The motion is K nu' = p."""
    P: Array
    """Bᵀ h, the force of virtual work."""
    S: float
    """½ aᵀ M a."""
    X_L: Array | None
    """The motion without forces; None without the detail, and where M has no inverse."""
    Q: Array | None
    """The forces."""
    constant: float
    """½ X_Lᵀ M X_L."""
    G_L: float
    """The Gibbs function with its constant, at the motion."""
    G_L_constant_part: float
    """And at a = c."""
    kinetic: float
    """½ vᵀ M v."""
    rows: list[str]
    """The constraint of each row of A."""
    detail: LeastDetail | None


@dataclass(frozen=True)
class Comparison:
    """What `Model.compare` gives. `str` gives a table of the formulations."""

    formulations: list[Formulation]
    frames: list[Frame]

    def __getitem__(self, name: str) -> Formulation:
        for formulation in self.formulations:
            if formulation.name == name:
                return formulation
        raise KeyError(f"there is no formulation {name!r}; known are {', '.join(_zwang.formulations)}")

    def __repr__(self) -> str:
        return f"<zwang.Comparison: {count(len(self.formulations), 'formulation')} at {count(len(self.frames), 'instant')}>"

    def __str__(self) -> str:
        head = f"{'formulation':<19}  {'difference':<10}  {'residual':<10}  {'optimality':<10}  Gaussian"
        lines = [f"compared at {count(len(self.frames), 'instant')}", head]
        for f in self.formulations:
            numbers = f"{f.difference:<10.1e}  {f.residual:<10.1e}  {f.optimality:<10.1e}  {f.gaussian:.6g}"
            lines.append(f"{f.name:<19}  {numbers if f.applies else 'does not apply: ' + f.reason}")
        return "\n".join(lines)


_VECTORS = ("q", "v", "nu", "nu_rate", "r", "c", "p", "P", "X_L", "Q")
_MATRICES = ("B", "K")


def _read_frame(found: dict[str, Any]) -> Frame:
    for name in _VECTORS + _MATRICES:
        found[name] = read_array(found[name], name in _VECTORS)
    found["detail"] = read_detail(found["detail"], found.pop("G_L_possible"))
    return Frame(**found)


def _read_formulation(name: str, applies: bool, reason: str, *numbers: float) -> Formulation:
    return Formulation(name, applies, reason, *(numbers if applies else [np.nan] * len(numbers)))


def _read_times(times: ArrayLike | None) -> Array | None:
    if times is None:
        return None
    read = np.sort(np.atleast_1d(read_numbers("times", times)))
    if read.ndim != 1 or not len(read):
        raise Error("times must be a list of numbers, one at least")
    if not np.isfinite(read).all():
        raise Error("times must be finite")
    return read


def _open(model: Model, options: RunOptions) -> _zwang.Run:
    """Formulations are compared on full matrices: where a run would not have them it is made by one that has."""
    run = open_run(model, options, record=False)
    if not run.report()["is_sparse"]:
        return run
    options = options.copy()
    options["formulation"] = "lagrange"
    return open_run(model, options, record=False, warns=False)


def _refuse(run: _zwang.Run, instants: int) -> None:
    """What was asked for and cannot be is an Error at the start, and on the way a RunError."""
    status = run.status()
    diagnostics = read_diags(run.diags())
    text = describe(status, diagnostics)
    if run.report()["has_begun"] and not (status[0] == "ZW_ERR_VALUE" and instants <= 1):
        raise RunError(text, status[0], diagnostics)
    raise Error(text, status[0], diagnostics)


def _parts(run: _zwang.Run, order: Places | None, possible: Array | None) -> int:
    report = run.report()
    has_bellman = order is not None or has_room(report["n"], report["m"])
    return FORCES | PARTITION | BELLMAN * has_bellman | POSSIBLE * (possible is not None)


def compare(
    model: Model,
    times: ArrayLike | None,
    detail: bool,
    eliminate: str | Iterable[str] | None,
    order: str | Iterable[str] | None,
    possible: Mapping[str, ArrayLike] | None,
    displacement: Mapping[str, ArrayLike] | None,
    options: RunOptions,
) -> Comparison:
    """The formulations at instants of a motion, or what it raises."""
    names = model.coordinates
    columns = read_coordinates("eliminate", eliminate, names), read_coordinates("order", order, names)
    stated, at = read_possible(possible, names), _read_times(times)
    moved = read_displacement(displacement, names)
    if not detail and any(x is not None for x in (eliminate, order, possible, displacement)):
        raise Error("eliminate, order, possible and displacement are of the detail, which detail=False leaves out")
    run = _open(model, options)
    parts = _parts(run, columns[1], stated) if detail else 0
    instants, frames, formulations = run.compare(at, 0 if at is None else len(at), parts, *columns, stated, moved)
    if formulations is None:
        _refuse(run, instants)
        raise AssertionError
    return Comparison([_read_formulation(*f) for f in formulations], [_read_frame(frame) for frame in frames])
