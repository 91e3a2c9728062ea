"""Gauss's principle on plain matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import _zwang
from ._errors import Error
from ._result import Array


@dataclass(frozen=True)
class LeastResult:
    """The accelerations of least constraint, and how they were found."""

    a: Array
    """Accelerations."""
    lambda_: Array
    """Multipliers, M a = h + Aᵀ λ; the smallest where rows repeat each other; NaN where the formulation has none."""
    Qc: Array
    """The force of the constraints, Aᵀ λ."""
    rank: int
    """Independent rows."""
    is_minimum: bool
    """False: `a` is the stationary point, but the Gaussian has no minimum there."""
    residual: float
    """|A a - b|, the largest row in units of its size; NaN without `evidence`."""
    optimality: float
    """|Zᵀ Qc|, the largest in units of |Qc| and |h|; NaN without `evidence`."""
    gaussian: float
    """What was minimised; NaN without `evidence`, or when M has no inverse."""


def _numbers(value: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """An array of this shape as C reads it; not copied when it is one already."""
    array = np.asarray(value, dtype=np.float64, order="C")
    if array.shape != shape:
        wanted = " x ".join(map(str, shape))
        raise Error(f"{name} must be {wanted}, and is {' x '.join(map(str, array.shape)) or 'a single number'}")
    return array


class Least:
    """A solver that is used again and again, for problems of n coordinates and up to m rows.

    >>> solver = Least(2, 1)
    >>> solver([[1, 0], [0, 1]], [0, -9.81], [[0, 1]], [0]).Qc
    array([0.  , 9.81])
    """

    n: int
    m: int
    formulation: str

    def __init__(self, n: int, m: int, formulation: str = "auto") -> None:
        if n < 1 or m < 0:
            raise Error(f"a problem has at least one coordinate and no fewer than 0 rows, not n = {n}, m = {m}")
        if formulation == "gibbs-appell-quasi":
            raise Error("'gibbs-appell-quasi' needs a model, which says what the quasi-velocities are")
        if formulation not in _zwang.formulations:
            raise Error(f"there is no formulation {formulation!r}; known are {', '.join(_zwang.formulations)}")
        self.n, self.m, self.formulation = n, m, formulation
        self._solver = _zwang.Least(n, m, formulation)

    def __call__(
        self, M: ArrayLike, h: ArrayLike, A: ArrayLike, b: ArrayLike, *, evidence: bool = False
    ) -> LeastResult:
        """Solves one problem; see `least`."""
        b = np.asarray(b, dtype=np.float64, order="C")
        if b.ndim != 1 or len(b) > self.m:
            raise Error(f"b must be a list of up to {self.m} numbers")
        n, m = self.n, len(b)
        M, h = _numbers(M, "M", (n, n)), _numbers(h, "h", (n,))
        A = _numbers(A, "A", (m, n)) if m else np.zeros((0, n))
        a, lambda_, Qc = np.empty(n), np.empty(m), np.empty(n)
        status, sentence, rank, is_minimum, *looked_at, reason = self._solver.solve(
            m, evidence, M, h, A, b, a, lambda_, Qc
        )
        if status != "ZW_OK":
            raise Error(reason or sentence, status)
        return LeastResult(a, lambda_, Qc, rank, is_minimum, *looked_at)


def least(
    M: ArrayLike, h: ArrayLike, A: ArrayLike, b: ArrayLike, formulation: str = "auto", *, evidence: bool = False
) -> LeastResult:
    """Minimises ½ (a - a0)ᵀ M (a - a0) subject to A a = b, where M a0 = h: Gauss's principle of least constraint.

    Rows of A may repeat each other, M may be semidefinite. `formulation` is one of `zwang.formulations`; `evidence` fills
    residual, optimality and gaussian, for about the price of the solve. Raises `Error` with the reason when there is no
    answer. To solve many problems of one size, make a `Least`.

    >>> least([[1, 0], [0, 1]], [0, -9.81], [[0, 1]], [0]).a
    array([0., 0.])
    """
    h = np.asarray(h, dtype=np.float64)
    if h.ndim != 1:
        raise Error("h must be a list of numbers")
    return Least(len(h), len(np.atleast_1d(b)), formulation)(M, h, A, b, evidence=evidence)
