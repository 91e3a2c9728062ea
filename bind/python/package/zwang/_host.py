"""Forces and constraints that Python computes, and the memory through which the extension asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._errors import Error
from ._result import Array

Force = Callable[[float, Array, Array], "ArrayLike | Mapping[str, float]"]

# ---- forces ----


def _fill(Q: Array, given: Any, places: Mapping[str, int]) -> None:
    if isinstance(given, np.ndarray) and given.shape == Q.shape:  # in most cases, and the fastest
        Q[:] = given
        return
    if isinstance(given, Mapping):
        Q[:] = 0
        for name, value in given.items():
            if name not in places:
                raise Error(f"the force acts on {name!r}, which is no coordinate")
            Q[places[name]] = value
        return
    if np.shape(given) != Q.shape:
        got = "nothing" if given is None else f"an array of shape {np.shape(given)}"
        raise Error(f"the force must give {len(Q)} numbers, one for each coordinate, or a dictionary; it gives {got}")
    Q[:] = given


def wrap_force(force: Force, coordinates: Sequence[str], room: Array) -> Callable[[float], None]:
    """The function that the extension calls. They talk through `room`: q, v and Q, one behind the other."""
    q, v, Q = np.split(room, 3)
    places = {name: i for i, name in enumerate(coordinates)}

    def call(t: float) -> None:
        # copies: who keeps what he is given must not find other numbers in it later
        _fill(Q, force(t, q.copy(), v.copy()), places)

    return call


# ---- constraints ----


class Row(NamedTuple):
    """What a constraint is at a state: A a = b for the accelerations a."""

    A: ArrayLike
    """Factors, one for each coordinate: dphi/dq of positions, dpsi/dv of velocities."""
    b: float
    """What the second derivative of phi, or the first of psi, has besides A a, with the other sign: -(dA/dt v + ...)."""
    residual: float = 0.0
    """phi(t, q) of positions, psi(t, q, v) of velocities, which is to be 0; nothing of accelerations."""
    rate: float = 0.0
    """dphi/dt of positions: how fast the constraint itself moves."""


LEVELS = ("positions", "velocities", "accelerations")


@dataclass(frozen=True)
class Constraint:
    """A constraint that Python computes, for ``Model(..., constraints={"name": Constraint(...)})``.

    `level` says what it is an equation between: ``"positions"``, ``"velocities"`` or ``"accelerations"``. `function(t, q, v)`
    gives its `Row`, or a tuple in the same order; v is zero where only positions are asked for. It must depend on t, q and
    v only; NaN says that there is no value at this state.
    """

    level: str
    function: Callable[[float, Array, Array], Row | tuple[Any, ...]]

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise Error(f"a constraint is of {', '.join(LEVELS)}, not of {self.level!r}")


def wrap_constraints(constraints: Mapping[str, Constraint], room: Array) -> tuple[Callable[[float], None], Array]:
    """The function that the extension calls, and the memory for its rows: residual, A, rate, b."""
    n, count = len(room) // 3, len(constraints)
    q, v, _ = np.split(room, 3)
    rows_room = np.zeros(count * (n + 3))
    residual, rate, b = rows_room[:count], rows_room[count * (n + 1) : count * (n + 2)], rows_room[count * (n + 2) :]
    A = rows_room[count : count * (n + 1)].reshape(count, n)

    def call(t: float) -> None:
        for i, (name, constraint) in enumerate(constraints.items()):
            row = Row(*constraint.function(t, q.copy(), v.copy()))
            if np.shape(row.A) != (n,):
                raise Error(f"A of the constraint {name!r} must have {n} numbers, and has the shape {np.shape(row.A)}")
            A[i], b[i], residual[i], rate[i] = row

    return call, rows_room
