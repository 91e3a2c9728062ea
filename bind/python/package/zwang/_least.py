"""Gauss's principle on plain matrices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
    read_detail,
    read_numbers,
    read_places,
)
from ._errors import Error
from ._result import Array

_KINDS = (None, "inverse14", "inverse1", "A_inverse1", "H_inverse13")  # ORDER INVERSE


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
    """|A a - b|, the largest row in units of its size; NaN without `evidence` and `detail`."""
    optimality: float
    """|Zᵀ Qc|, the largest in units of |Qc| and |h|; NaN without `evidence` and `detail`."""
    gaussian: float
    """What was minimised, or is stationary; NaN without `evidence` and `detail`, or when M has no inverse."""
    detail: LeastDetail | None = None
    """What the papers print beside it, if that was asked for."""


def _numbers(value: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """An array of this shape as C reads it; not copied when it is one already."""
    array = np.asarray(value, dtype=np.float64, order="C")
    if array.shape != shape:
        wanted = " x ".join(map(str, shape))
        raise Error(f"{name} must be {wanted}, and is {' x '.join(map(str, array.shape)) or 'a single number'}")
    return array


def _inverse(kind: str | None, inverse: ArrayLike | None, n: int, m: int) -> tuple[int, Array | None]:
    """The number of the kind, and the inverse in its shape."""
    if kind is not None and not isinstance(kind, str):
        raise TypeError(f"kind must be a text, not {kind!r}")
    if kind not in _KINDS:
        raise Error(f"there is no inverse of the kind {kind!r}; known are {', '.join(filter(None, _KINDS))}")
    if kind is None or inverse is None:
        if kind is not None or inverse is not None:
            raise Error("an inverse needs its kind, and a kind its inverse: inverse=..., kind='inverse14'")
        return 0, None
    number = _KINDS.index(kind)
    shapes = ((0, 0), (n, m), (m, m), (n, m), (n, n))
    return number, _numbers(read_numbers("the inverse", inverse), "the inverse", shapes[number])


class Least:
    """A solver that is used again and again, for problems of n coordinates and up to m rows.

    With `detail` it has room for what the papers print beside an answer, too.

    >>> solver = Least(2, 1)
    >>> solver([[1, 0], [0, 1]], [0, -9.81], [[0, 1]], [0]).Qc
    array([0.  , 9.81])
    """

    n: int
    m: int
    formulation: str

    def __init__(self, n: int, m: int, formulation: str = "auto", *, detail: bool = False) -> None:
        self._make(n, m, formulation, (FORCES | PARTITION | POSSIBLE | BELLMAN * has_room(n, m)) * bool(detail))

    def _make(self, n: int, m: int, formulation: str, parts: int) -> None:
        if n < 1 or m < 0:
            raise Error(f"a problem has at least one coordinate and no fewer than 0 rows, not n = {n}, m = {m}")
        if formulation == "gibbs-appell-quasi":
            raise Error("'gibbs-appell-quasi' needs a model, which says what the quasi-velocities are")
        if formulation not in _zwang.formulations:
            raise Error(f"there is no formulation {formulation!r}; known are {', '.join(_zwang.formulations)}")
        self.n, self.m, self.formulation = n, m, formulation
        self._parts = parts
        try:
            self._solver = _zwang.Least(n, m, formulation, parts)
        except ValueError as error:
            raise Error(f"{n} coordinates and {m} rows: {error}", "ZW_ERR_LIMIT") from None

    @classmethod
    def _of(cls, n: int, m: int, formulation: str, parts: int) -> Least:
        self = cls.__new__(cls)
        self._make(n, m, formulation, parts)
        return self

    def __call__(
        self,
        M: ArrayLike,
        h: ArrayLike,
        A: ArrayLike,
        b: ArrayLike,
        *,
        evidence: bool = False,
        eliminate: Iterable[int] | None = None,
        order: Iterable[int] | None = None,
        possible: ArrayLike | None = None,
        displacement: ArrayLike | None = None,
        inverse: ArrayLike | None = None,
        kind: str | None = None,
        A_inverse: ArrayLike | None = None,
    ) -> LeastResult:
        """Solves one problem; see `least`."""
        b = np.asarray(b, dtype=np.float64, order="C")
        if b.ndim != 1 or len(b) > self.m:
            raise Error(f"b must be a list of up to {self.m} numbers")
        n, m = self.n, len(b)
        M, h = _numbers(M, "M", (n, n)), _numbers(h, "h", (n,))
        A = _numbers(A, "A", (m, n)) if m else np.zeros((0, n))
        a, lambda_, Qc = np.empty(n), np.empty(m), np.empty(n)
        number, own = _inverse(kind, inverse, n, m)
        if A_inverse is not None and kind != "H_inverse13":
            raise Error("A_inverse is for an inverse of the kind 'H_inverse13'")
        A_own = None if A_inverse is None else _numbers(read_numbers("A_inverse", A_inverse), "A_inverse", (n, m))
        parts, columns, stated = self._asked(eliminate, order, possible, displacement)
        status, sentence, rank, is_minimum, residual, optimality, gaussian, reason, detail = self._solver.solve(
            m, evidence, M, h, A, b, a, lambda_, Qc, number, own, A_own, parts, *columns, *stated
        )
        if status != "ZW_OK":
            raise Error(reason or sentence, status)
        return LeastResult(a, lambda_, Qc, rank, is_minimum, residual, optimality, gaussian, read_detail(detail))

    def _asked(
        self,
        eliminate: Iterable[int] | None,
        order: Iterable[int] | None,
        possible: ArrayLike | None,
        displacement: ArrayLike | None,
    ) -> tuple[int, tuple[Places | None, Places | None], tuple[Array | None, Array | None]]:
        """Which parts, columns by number, and the acceleration and the displacement to look at."""
        columns = read_places("eliminate", eliminate, self.n), read_places("order", order, self.n)
        stated = self._stated("possible", possible), self._stated("displacement", displacement)
        if not self._parts and any(x is not None for x in (eliminate, order, possible, displacement)):
            raise Error("eliminate, order, possible and displacement are of the detail: Least(n, m, detail=True)")
        if order is not None and not self._parts & BELLMAN:
            raise Error("Bellman's matrices are more than a million numbers here; least(..., order=...) makes room for them")
        return self._parts & ~(POSSIBLE * (stated[0] is None)), columns, stated

    def _stated(self, name: str, given: ArrayLike | None) -> Array | None:
        if given is None:
            return None
        stated = _numbers(read_numbers(name, given), name, (self.n,))
        if np.isinf(stated).any():
            raise Error(f"{name} must have finite numbers, or NaN where nothing is stated")
        return stated


def least(
    M: ArrayLike,
    h: ArrayLike,
    A: ArrayLike,
    b: ArrayLike,
    formulation: str = "auto",
    *,
    evidence: bool = True,
    detail: bool = False,
    eliminate: Iterable[int] | None = None,
    order: Iterable[int] | None = None,
    possible: ArrayLike | None = None,
    displacement: ArrayLike | None = None,
    inverse: ArrayLike | None = None,
    kind: str | None = None,
    A_inverse: ArrayLike | None = None,
) -> LeastResult:
    """Minimises ½ (a - a0)ᵀ M (a - a0) subject to A a = b, where M a0 = h: Gauss's principle of least constraint.

    Rows of A may repeat each other, M may be semidefinite. `formulation` is one of `zwang.formulations`; `evidence` fills
    residual, optimality and gaussian, for about the price of the solve. An indefinite M has a motion too, where the Gaussian is only
    stationary: `LeastResult.is_minimum` is False. Raises `Error` with the reason when there is no answer. To solve many problems of one
    size, make a `Least`, which looks for evidence only where it is asked to.

    detail
        `LeastResult.detail` has what the papers print beside the answer: free acceleration, multipliers, forces in their parts
        linear in b and in h, projectors, the explicit Gibbs-Appell equations, Bellman's recursion
    eliminate, order, possible, displacement
        for the detail, which they ask for: coordinates, from 0, whose accelerations are eliminated, as many as the rank; columns that the recursion
        begins with, at least as many; an acceleration to compare with, NaN where it is not stated; a virtual displacement, NaN where it is not
        stated and for those eliminated, which follow from the others
    inverse, kind
        a generalized inverse of your own, by which it is solved in place of the formulation. ``"inverse14"`` is one of A M^(-1/2), n x m;
        ``"inverse1"`` of A M⁻¹ Aᵀ, m x m; ``"A_inverse1"`` of A, n x m; ``"H_inverse13"`` of M^(1/2) (1 - A⁻ A), n x n, where
        `A_inverse` is A⁻, else A⁺. An `Error` names the condition that does not hold

    >>> least([[1, 0], [0, 1]], [0, -9.81], [[0, 1]], [0]).a
    array([0., 0.])
    """
    h = np.asarray(h, dtype=np.float64)
    if h.ndim != 1:
        raise Error("h must be a list of numbers")
    n, m = len(h), len(np.atleast_1d(b))
    parts = 0
    if detail or any(x is not None for x in (eliminate, order, possible, displacement)):
        has_bellman = order is not None or has_room(n, m)
        parts = FORCES | PARTITION | BELLMAN * has_bellman | POSSIBLE * (possible is not None)
    return Least._of(n, m, formulation, parts)(
        M,
        h,
        A,
        b,
        evidence=evidence,
        eliminate=eliminate,
        order=order,
        possible=possible,
        displacement=displacement,
        inverse=inverse,
        kind=kind,
        A_inverse=A_inverse,
    )
