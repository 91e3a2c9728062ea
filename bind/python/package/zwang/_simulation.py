"""Simulations that are moved step by step."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ._errors import Error, describe, read_diags
from ._result import Array, Report, Result, no_column
from ._run import RunOptions, as_number, fail, make_result, open_run, read_number, read_text

if TYPE_CHECKING:
    from ._model import Model


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
        """Goes on to the time t, or to where the run ends before. Gives the time reached. It does not go back.

        A run that nobody said the end of goes on to any t.
        """
        status = self._run.to(read_number("the time to go on to", t))
        self._row = None
        self._check_argument(status)
        self._has_begun = True
        self._check(status)
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
            status = self._run.set(read_text("the name", name), as_number(name, value))
            self._check_argument(status)
            self._check(status)
        self._row = None

    def _check_argument(self, status: tuple[str, str]) -> None:
        """A name, a value or a time that is refused ends nothing."""
        if status[0] == "ZW_ERR_ARGUMENT":
            diagnostics = read_diags(self._run.diags())[-1:]
            raise Error(describe(status, diagnostics), status[0], diagnostics)

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
        n, m = len(self.model.coordinates), self._run.row_count()
        q = self.q if q is None else q
        v = self.v if v is None else v
        state = [np.asarray(x, dtype=np.float64, order="C") for x in (q, v)]
        for name, x in zip("qv", state):
            if x.shape != (n,):
                raise Error(f"{name} must have {n} numbers, and has the shape {x.shape}")
            if not np.isfinite(x).all():
                raise Error(f"{name} must have finite numbers")
        M, h, a, Qc = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
        A = np.empty((m, n))
        b, phi, psi, lambda_ = (np.empty(m) for _ in range(4))
        by_q, by_v = (np.empty((n, n)), np.empty((n, n))) if slopes else (None, None)
        time = self.t if t is None else read_number("t", t)
        status = self._run.evaluate(time, *state, M, h, A, b, phi, psi, a, lambda_, Qc, by_q, by_v)
        if status[0] != "ZW_OK":
            raise Error(f"the equations have no value at t = {time:g}: {status[1]}", status[0])
        return Evaluation(M, h, A, b, phi, psi, a, lambda_, Qc, by_q, by_v)

    def __repr__(self) -> str:
        return f"<zwang.Simulation of {self.model.name!r} at t = {self.t:g}>"
