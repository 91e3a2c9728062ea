"""What the five papers print beside an answer, as arrays; names as in docs/formulations.md."""

from __future__ import annotations

import difflib
import operator
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import Error
from ._result import Array

FORCES, PARTITION, BELLMAN, POSSIBLE = 1, 2, 4, 8
_MANY = 1_000_000  # numbers that R_k of all k may take without being asked for

Places = tuple[int, ...]


@dataclass(frozen=True)
class Displacement:
    """A virtual displacement, and what follows: nu_e = -R nu_i (T27)."""

    nu_i: Array
    """Of the independent coordinates, f."""
    nu_e: Array
    """Of those eliminated, r."""
    work: float
    """nu_iᵀ P."""


@dataclass(frozen=True)
class Partition:
    """The explicit Gibbs-Appell equations K ai = right (T27). Coordinates count from 0."""

    e: NDArray[np.intp]
    """The coordinates whose accelerations are eliminated, as many as the rank r."""
    i: NDArray[np.intp]
    """The others, f."""
    Ae: Array
    Ai: Array
    R: Array
    """Ae⁺ Ai, r x f."""
    K: Array
    P: Array
    right: Array
    """P + (Rᵀ Mee - Mie) c."""
    c: Array
    """Ae⁺ b."""
    S1: Array
    S0: float
    """½ aᵀ M a as a function of ai: ½ aiᵀ K ai + S1.ai + S0."""
    K_eigenvalues: Array
    det: float
    """Of Aeᵀ Ae."""
    uncoupled: bool
    """Mei = 0."""
    displacement: Displacement | None = None
    """The virtual displacement that was asked for."""


@dataclass(frozen=True)
class Bellman:
    """Bellman's recursion (T28). What belongs to a column is a dictionary by k, which counts columns of `order` from 1."""

    order: NDArray[np.intp]
    """Columns, from 0; the first r are independent."""
    C: Array
    """A M^(-1/2), m x n."""
    R: dict[int, Array]
    """R_k, k = r .. n."""
    beta: dict[int, Array]
    """k = r + 1 .. n."""
    kappa: dict[int, Array]
    g: dict[int, float]
    """g_k(d), k = r .. n."""
    gdrop: dict[int, float]
    """What releasing column k is worth, k = r + 1 .. n."""
    feedback: dict[int, Array]
    """What y_k takes of y_j, j = k + 1 .. n, for k = r + 1 .. n."""
    feedback_first: Array
    """What each of the first r takes of the others, r x (n - r)."""
    d: dict[int, Array]
    """d_k, k = r .. n."""
    y: Array
    excess: dict[int, float]
    """How much more it costs beside y_k, at least."""
    cholesky: Bellman | None = None
    """The same with the Cholesky factor of M in the place of its symmetric root."""


@dataclass(frozen=True)
class Possible:
    """Another acceleration beside that of the motion (T26)."""

    a: Array
    """The one that was asked for, completed where it was not stated."""
    residual: Array
    """A a - b."""
    G: float
    """Its Gaussian; NaN where M has no inverse."""
    excess: float
    """G - G(actual) = distance2 + work."""
    distance2: float
    work: float
    nearest: Array
    """The nearest one that satisfies the rows."""
    G_nearest: float
    S: float
    completed: bool
    """Accelerations that were not stated satisfy the rows."""
    G_L: float = np.nan
    """The Gibbs function there; NaN of matrices alone, and where M has no inverse."""


@dataclass(frozen=True)
class LeastDetail:
    """The numbers of one problem M, h, A, b with n coordinates and m rows, and of its answer (T24 to T28).

    `a0`, `d` and `D` are None and `G` is NaN where M has no inverse; where M is indefinite `G` is a stationary value, of either sign.
    Arrays are copies.
    """

    rank: int
    J: NDArray[np.intp]
    """Independent rows, from 0."""
    E: Array
    """A = E A_J, m x rank."""
    M: Array
    h: Array
    A: Array
    b: Array
    a0: Array | None
    """M a0 = h."""
    d: Array | None
    """b - A a0."""
    D: Array | None
    """A M⁻¹ Aᵀ."""
    a: Array
    lambda_: Array
    """The smallest multipliers; `lambda_b` is their part linear in b, `lambda_h` that linear in h."""
    lambda_b: Array
    lambda_h: Array
    Qc: Array
    """The force of the constraints, in the same parts."""
    Qc_b: Array
    Qc_h: Array
    a_b: Array
    a_h: Array
    X: Array
    """The projector on the null space of A along M."""
    W: Array
    """1 - A A⁺: all multipliers are λ + W w."""
    gain: Array
    """M^(-1/2) C⁺, n x m."""
    G: float
    """The Gaussian."""
    S: float
    """½ aᵀ M a."""
    partition: Partition | None = None
    bellman: Bellman | None = None
    """None where M has no root, and where it would take more than a million numbers, unless `order` is given."""
    possible: Possible | None = None


# ---- as the extension gives it ----

_VECTORS = frozenset(
    "h b a0 d a lambda_ lambda_b lambda_h Qc Qc_b Qc_h a_b a_h P right c S1 K_eigenvalues residual nearest y nu_i nu_e".split()
)
_PLACES = frozenset("J e i order".split())


def read_array(value: Any, is_vector: bool) -> Any:
    """A table of the extension as an array; None stays."""
    return value if value is None else np.asarray(value)[0] if is_vector else np.asarray(value)


def _read(found: Mapping[str, Any]) -> dict[str, Any]:
    """Tables as arrays, vectors with one index, coordinates as whole numbers; numbers as they are."""
    read: dict[str, Any] = {}
    for name, value in found.items():
        if name in _PLACES:
            read[name] = np.array(value, dtype=np.intp)
        elif isinstance(value, (int, float, dict)):
            read[name] = value
        else:
            read[name] = read_array(value, name in _VECTORS)
    return read


def _read_bellman(found: Mapping[str, Any]) -> Bellman:
    by_column = ("beta", "kappa", "g", "gdrop", "d", "excess", "R", "feedback")
    read = _read({name: value for name, value in found.items() if name not in by_column})
    r, n, m = read.pop("r"), len(read["order"]), len(read["C"])
    tables = {name: np.asarray(found[name]) for name in by_column}

    def rows(name: str, k: int) -> dict[int, Array]:
        return dict(enumerate(tables[name], k))

    def numbers(name: str, k: int) -> dict[int, float]:
        return dict(enumerate(tables[name][0].tolist(), k))

    feedback = tables["feedback"]
    return Bellman(
        **read,
        R={k: R.reshape(m, m) for k, R in rows("R", r).items()},
        beta=rows("beta", r + 1),
        kappa=rows("kappa", r + 1),
        d=rows("d", r),
        g=numbers("g", r),
        gdrop=numbers("gdrop", r + 1),
        excess=numbers("excess", r + 1),
        feedback={k: feedback[k - 1, k:] for k in range(r + 1, n + 1)},
        feedback_first=feedback[:r, r:],
    )


def _read_partition(found: Mapping[str, Any]) -> Partition:
    read, displacement = _read({name: found[name] for name in found if name != "displacement"}), found["displacement"]
    return Partition(**read, displacement=displacement and Displacement(**_read(displacement)))


def read_detail(found: Mapping[str, Any] | None, G_L_possible: float = np.nan) -> LeastDetail | None:
    """What the extension has copied."""
    if found is None:
        return None
    parts: dict[str, Any] = {}
    if "partition" in found:
        parts["partition"] = _read_partition(found["partition"])
    if "bellman" in found:
        bellman = _read_bellman(found["bellman"])
        parts["bellman"] = Bellman(**{**vars(bellman), "cholesky": _read_bellman(found["cholesky"])})
    if "possible" in found:
        parts["possible"] = Possible(**_read(found["possible"]), G_L=G_L_possible)
    nested = ("partition", "bellman", "cholesky", "possible")
    return LeastDetail(**_read({name: value for name, value in found.items() if name not in nested}), **parts)


# ---- what is asked for ----


def has_room(n: int, m: int) -> bool:
    """Whether Bellman's matrices are few enough to be computed without being asked for."""
    return n * m * m <= _MANY


def read_places(name: str, given: Iterable[int] | None, n: int) -> Places | None:
    """Coordinates by number, from 0; None: not given."""
    if given is None:
        return None
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of coordinates counted from 0, not {given!r}")
    places = []
    for item in given:
        try:
            places.append(operator.index(item))
        except TypeError:
            raise TypeError(f"{name} must be a list of coordinates counted from 0, and has {item!r}") from None
        if not 0 <= places[-1] < n:
            raise Error(f"{name}: there is no coordinate {item}; they count from 0 to {n - 1}", "ZW_ERR_NAME")
    return _check_places(name, places, [str(i) for i in range(n)])


def _check_places(name: str, places: Sequence[int], names: Sequence[str]) -> Places:
    if not places:
        raise Error(f"{name} names nothing; leave it out, and a choice is made")
    for i, place in enumerate(places):
        if place in places[:i]:
            raise Error(f"{name} names {names[place]!r} twice", "ZW_ERR_NAME")
    return tuple(places)


def _coordinates(what: str, name: str, names: Sequence[str]) -> list[int]:
    """The coordinate of this name, or those of a vector or an array."""
    bare = unicodedata.normalize("NFC", name)
    if bare in names:
        return [names.index(bare)]
    pattern = re.compile(re.escape(bare) + r"(\[\d+\])?(\.[xyz])?")
    places = [i for i, other in enumerate(names) if pattern.fullmatch(other)]
    if not places:
        near = difflib.get_close_matches(bare, names, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else f"the coordinates are {_listed(names)}"
        raise Error(f"{what}: {name!r} is no coordinate; {remedy}", "ZW_ERR_NAME")
    return places


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"


def read_coordinates(what: str, given: str | Iterable[str] | None, names: Sequence[str]) -> Places | None:
    """Coordinates by name, of vectors and arrays all; None: not given."""
    if given is None:
        return None
    if not isinstance(given, Iterable):
        raise TypeError(f"{what} must be names of coordinates, not {given!r}")
    places: list[int] = []
    for name in (given,) if isinstance(given, str) else given:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be names of coordinates, not {name!r}")
        places += _coordinates(what, name, names)
    return _check_places(what, places, names)


def read_possible(given: Mapping[str, ArrayLike] | None, names: Sequence[str]) -> Array | None:
    """Accelerations by name, ``"x''"`` or ``"x"``; NaN where none is stated; None: not given."""
    return _read_stated("possible", "accelerations", given, names)


def read_displacement(given: Mapping[str, ArrayLike] | None, names: Sequence[str]) -> Array | None:
    """The same of a virtual displacement, by names of coordinates."""
    return _read_stated("displacement", "displacements", given, names)


def _read_stated(
    option: str, what: str, given: Mapping[str, ArrayLike] | None, names: Sequence[str]
) -> Array | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise TypeError(f"{option} must be a dictionary of {what} by name, not {given!r}")
    stated = np.full(len(names), np.nan)
    for name, value in given.items():
        if not isinstance(name, str):
            raise TypeError(f"{option} must be a dictionary of {what} by name, and has {name!r}")
        bare = name.removesuffix("''") if option == "possible" else name
        if bare.endswith("'"):
            example = "\"x''\" or 'x'" if option == "possible" else "'x'"
            raise Error(f"{option} states {what}, as {example}, not {name!r}", "ZW_ERR_NAME")
        places, numbers = _coordinates(option, bare, names), read_numbers(f"{option}: {name}", value)
        if numbers.shape not in ((), (len(places),)) or numbers.ndim == 0 and len(places) > 1:
            raise Error(f"{option}: {name!r} has {len(places)} numbers, and is given {numbers.size}")
        if not np.isnan(stated[places]).all():
            raise Error(f"{option} states {name!r} twice", "ZW_ERR_NAME")
        if not np.isfinite(numbers).all():
            raise Error(f"{option}: {name!r} must be finite, not {value}")
        stated[places] = numbers
    return stated


def read_numbers(what: str, value: ArrayLike) -> Array:
    """Numbers as C reads them. Texts are none, whatever stands in them."""
    given = np.asarray(value)
    if given.dtype.kind not in "buif":
        raise TypeError(f"{what} must be numbers, not {value!r}")
    return np.asarray(given, dtype=np.float64, order="C")
