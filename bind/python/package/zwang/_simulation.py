"""Runs: what Model.run and Model.start have in common, and simulations that are moved step by step."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from . import _zwang
from ._errors import Error, RunError, describe, read_diags
from ._result import Array, ContactEvent, Event, Report, Result, no_column

if TYPE_CHECKING:
    from ._model import Model

Force = Callable[[float, Array, Array], "ArrayLike | Mapping[str, float]"]
Numbers = Mapping[str, ArrayLike]


class RunOptions(TypedDict, total=False):
    """How to run; what is left out is as the model says, or the language's default."""

    t_end: float | None
    every: float | None
    tolerance: float | None
    integrator: str | None
    step: float | None
    formulation: str | None
    conserve_energy: bool
    forces: bool
    evidence: bool
    start: Numbers | None
    params: Numbers | None
    force: Force | None
    progress: Callable[[float], object] | None


# ---- numbers that a run has in place of the model's ----


def _spread(name: str, value: Array, known: Iterable[str]) -> list[tuple[str, float]]:
    """The components of a vector, or the elements of an array, by their names."""
    bare = name.rstrip("'")
    primes = name[len(bare) :]
    pattern = re.compile(re.escape(bare) + r"(\[\d+\])?(\.[xyz])?" + primes)
    names = [other for other in known if pattern.fullmatch(other) and other != name]
    if not names:
        raise Error(f"{name!r} is given {len(value)} numbers, and the model has no vector or array of this name")
    if len(names) != len(value):
        raise Error(f"{name!r} has {len(names)} numbers, and is given {len(value)}")
    return [(part, float(number)) for part, number in zip(names, value)]


def _read_numbers(numbers: Numbers | None, known: Callable[[], Iterable[str]]) -> dict[str, float]:
    """Vectors and arrays become their components; `known` gives the names there are."""
    changes: dict[str, float] = {}
    for name, value in (numbers or {}).items():
        if np.ndim(value) == 0:
            changes[name] = float(value)  # type: ignore[arg-type]
        else:
            changes.update(_spread(name, np.ravel(value), known()))
    return changes


# ---- forces that Python computes ----


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


def _wrap_force(force: Force, coordinates: Sequence[str], room: Array) -> Callable[[float], None]:
    """The function that the extension calls. They talk through `room`: q, v and Q, one behind the other."""
    q, v, Q = np.split(room, 3)
    places = {name: i for i, name in enumerate(coordinates)}

    def call(t: float) -> None:
        # copies: who keeps what he is given must not find other numbers in it later
        _fill(Q, force(t, q.copy(), v.copy()), places)

    return call


# ---- constraints that Python computes ----


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


def _wrap_constraints(constraints: Mapping[str, Constraint], room: Array) -> tuple[Callable[[float], None], Array]:
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


# ---- opening, failing ----


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _words(name: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise Error(f"there is no {name} {value!r}; known are {', '.join(known)}")


def open_run(model: Model, options: RunOptions, record: bool) -> _zwang.Run:
    """A run at its consistent start."""
    _words("formulation", options.get("formulation"), _zwang.formulations)
    _words("integrator", options.get("integrator"), _zwang.integrators)
    n = len(model.coordinates)
    changes = _read_numbers(options.get("params"), lambda: [*model.parameters, *model.columns[1 : 1 + 2 * n]])
    changes.update(_read_numbers(options.get("start"), lambda: model.columns[1 : 1 + 2 * n]))
    force = options.get("force")
    room = np.zeros(3 * n)
    call = _wrap_force(force, model.coordinates, room) if force else None
    rows_call, rows_room = _wrap_constraints(model.constraints, room) if model.constraints else (None, None)
    run = _zwang.Run(
        model=model._compiled,
        to=_number(options.get("t_end")),
        every=_number(options.get("every")),
        tolerance=_number(options.get("tolerance")),
        step=_number(options.get("step")),
        formulation=options.get("formulation"),
        integrator=options.get("integrator"),
        conserve_energy=options.get("conserve_energy", False),
        forces=options.get("forces", False),
        evidence=options.get("evidence", False),
        record=record,
        changes=tuple(changes.items()),
        force=call,
        constraints=rows_call,
        room=room,
        rows_room=rows_room,
        progress=options.get("progress"),
    )
    if run.status()[0] != "ZW_OK":
        fail(run, run.status())
    return run


def fail(run: _zwang.Run, status: tuple[str, str], make_result: Callable[[], Result] | None = None) -> None:
    """Raises what a run has to say: RunError when it had begun."""
    diagnostics = read_diags(run.diags())
    text = describe(status, diagnostics)
    if make_result and run.report()["has_begun"]:
        raise RunError(text, status[0], diagnostics, make_result())
    raise Error(text, status[0], diagnostics)


def make_result(model: Model, run: _zwang.Run, rows: Array) -> Result:
    """The rows of a run, with all that it tells."""
    names = model.contacts
    return Result(
        rows,
        run.columns(),
        len(model.coordinates),
        Report._read(run.report()),
        [Event(*event) for event in run.events()],
        [ContactEvent(e[0], names[e[1]], e[2], e[3], e[4], e[5]) for e in run.contacts()],
        model.diagnostics + read_diags(run.diags()),
    )


def end_run(model: Model, run: _zwang.Run, status: tuple[str, str]) -> Result:
    """The result of a run that has ended, or what it raises."""

    def result() -> Result:
        return make_result(model, run, np.asarray(run.rows()))

    if status[0] != "ZW_OK":
        fail(run, status, result)
    return result()


# ---- many at a time ----


class Members:
    """Runs of one model with numbers of their own, which the extension asks for and gives back, one by one."""

    def __init__(self, model: Model, members: Iterable[Numbers], options: RunOptions, return_errors: bool) -> None:
        self._model, self._options, self._return_errors = model, options, return_errors
        self._waiting = iter(members)
        self._places: dict[int, int] = {}  # of runs under way
        self.results: list[Result | Error] = []

    def _refuse(self, place: int, error: Error) -> None:
        if not self._return_errors:
            raise error
        self.results[place] = error

    def make(self) -> _zwang.Run | None:
        """The next run; None: there are no more."""
        for member in self._waiting:
            place = len(self.results)
            self.results.append(Error("the run has not ended"))
            options = self._options.copy()
            options["params"] = member
            try:
                run = open_run(self._model, options, record=True)
            except Error as error:
                self._refuse(place, error)
                continue
            self._places[id(run)] = place
            return run
        return None

    def finish(self, run: _zwang.Run, status: tuple[str, str]) -> None:
        """A run has ended."""
        place = self._places.pop(id(run))
        try:
            self.results[place] = end_run(self._model, run, status)
        except Error as error:
            self._refuse(place, error)


# ---- step by step ----


@dataclass(frozen=True)
class Evaluation:
    """The equations M a = h + Aᵀ λ, A a = b in numbers, at one state of n coordinates and m rows.

    Rows of contacts, open or closed, are behind those of constraints.
    """

    M: Array
    """Masses, n x n."""
    h: Array
    """Forces, n."""
    A: Array
    """Rows of the constraints, m x n."""
    b: Array
    phi: Array
    """Residuals of positions, m; 0 where a row has none."""
    psi: Array
    """Residuals of velocities, m."""
    a: Array
    """Accelerations, n."""
    lambda_: Array
    """Multipliers, as reaction(..) has them; the smallest where they are not unique."""
    Qc: Array
    """The force of the constraints, Aᵀ λ."""
    a_by_q: Array | None = None
    """Derivatives of the accelerations, n x n, if they were asked for."""
    a_by_v: Array | None = None


class Simulation:
    """A run that is looked at and acted on, on its way. Made by `Model.start`.

    It belongs to one thread at a time.
    """

    model: Model

    def __init__(self, model: Model, options: RunOptions, record: bool = False) -> None:
        self.model = model
        self._options = options
        self._is_recorded = record
        self._has_begun = False
        self._parts: list[Array] = []
        self._row: Array | None = None
        self._run = open_run(model, options, record)
        self._places = {name: i for i, name in enumerate(self._run.columns())}

    def _check(self, status: tuple[str, str]) -> None:
        if status[0] != "ZW_OK":
            fail(self._run, status, self.result)

    # ---- moving and acting ----

    def to(self, t: float) -> float:
        """Goes on to the time t, or to where the run ends before. Gives the time reached.

        A run that nobody said the end of goes on to any t.
        """
        if not math.isfinite(t):
            raise Error(f"the time to go on to must be a finite number, not {t}")
        self._row = None
        self._has_begun = True
        self._check(self._run.to(t))
        return self.t

    def set(self, name: str, value: float) -> None:
        """Gives a parameter, or a memory, another value from now on. What follows from it in the text follows."""
        if not self._has_begun:
            changed = dict(self._options.get("params") or {})
            changed[name] = value
            options = self._options.copy()
            options["params"] = changed
            self._run = open_run(self.model, options, self._is_recorded)
            self._options = options
        else:
            self._check_set(self._run.set(name, value))
        self._row = None

    def _check_set(self, status: tuple[str, str]) -> None:
        """A name or value that is refused ends nothing."""
        if status[0] == "ZW_ERR_ARGUMENT":
            diagnostics = read_diags(self._run.diags())[-1:]
            raise Error(describe(status, diagnostics), status[0], diagnostics)
        self._check(status)

    # ---- looking ----

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of what `read` gives."""
        return tuple(self._places)

    @property
    def row(self) -> Array:
        """The present state: numbers in the order of `columns`."""
        if self._row is None:
            row = np.empty(len(self._places))
            self._check(self._run.read(row))
            self._row = row
        return self._row

    @property
    def t(self) -> float:
        """The present time."""
        return float(self.row[0])

    @property
    def q(self) -> Array:
        """The coordinates."""
        return self.row[1 : 1 + len(self.model.coordinates)]

    @property
    def v(self) -> Array:
        """The velocities."""
        n = len(self.model.coordinates)
        return self.row[1 + n : 1 + 2 * n]

    def read(self) -> dict[str, float]:
        """The present state, by name."""
        return dict(zip(self._places, self.row.tolist()))

    def __getitem__(self, name: str) -> float:
        place = self._places.get(unicodedata.normalize("NFC", name))
        if place is None:
            raise KeyError(no_column(name, self._places))
        return float(self.row[place])

    @property
    def report(self) -> Report:
        """How it went so far."""
        return Report._read(self._run.report())

    def result(self) -> Result:
        """The rows so far, of a simulation that was started with ``record=True``."""
        self._parts.append(np.asarray(self._run.rows()))
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return make_result(self.model, self._run, self._parts[0])

    def evaluate(
        self,
        t: float | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        slopes: bool = False,
    ) -> Evaluation:
        """The equations in numbers, here or at any other state, which need not be on the constraints.

        `slopes` gives the derivatives of the accelerations too.
        """
        n, most = len(self.model.coordinates), self._run.most_rows()
        q = self.q if q is None else q
        v = self.v if v is None else v
        state = [np.asarray(x, dtype=np.float64, order="C") for x in (q, v)]
        for name, x in zip("qv", state):
            if x.shape != (n,):
                raise Error(f"{name} must have {n} numbers, and has the shape {x.shape}")
        M, h, a, Qc = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
        A = np.full((most, n), np.nan)
        b, phi, psi, lambda_ = (np.empty(most) for _ in range(4))
        by_q, by_v = (np.empty((n, n)), np.empty((n, n))) if slopes else (None, None)
        time = self.t if t is None else t
        status = self._run.evaluate(time, *state, M, h, A, b, phi, psi, a, lambda_, Qc, by_q, by_v)
        if status[0] != "ZW_OK":
            raise Error(f"the equations have no value at t = {time:g}: {status[1]}", status[0])
        # how many rows contacts have is known by what was filled in
        m = int(np.count_nonzero(~np.isnan(A[:, 0]))) if n else 0
        return Evaluation(M, h, A[:m], b[:m], phi[:m], psi[:m], a, lambda_[:m], Qc, by_q, by_v)

    def __repr__(self) -> str:
        return f"<zwang.Simulation of {self.model.name!r} at t = {self.t:g}>"
