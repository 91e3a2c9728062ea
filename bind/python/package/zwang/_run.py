"""Runs: how they are opened, how they fail, and what they give."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from . import _zwang
from ._detail import read_coordinates
from ._errors import DoubtWarning, Error, RunError, StartWarning, describe, read_diags, warn
from ._host import Force, wrap_constraints, wrap_force
from ._result import Array, ContactEvent, Event, Report, Result

if TYPE_CHECKING:
    from ._model import Model

Numbers = Mapping[str, ArrayLike]


class RunOptions(TypedDict, total=False):
    """How to run; what is left out is as the model says, or the language's default."""

    t_end: float | None
    every: float | None
    tolerance: float | None
    integrator: str | None
    step: float | None
    formulation: str | None
    eliminate: str | Iterable[str] | None
    conserve_energy: bool
    forces: bool
    evidence: bool
    sensitivity: str | Iterable[str]
    gradient: bool
    start: Numbers | None
    params: Numbers | None
    force: Force | None
    progress: Callable[[float], object] | None


# ---- what is given, looked at ----


def as_number(name: str, value: object) -> float:
    """A number, finite or not. Texts are none, whatever stands in them."""
    if isinstance(value, (str, bytes, bytearray)) or value is None:
        raise TypeError(f"{name} must be a number, not {value!r}")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None
    except OverflowError:
        raise Error(f"{name} must be a finite number, not {value}") from None


def read_number(name: str, value: object) -> float:
    """A finite number."""
    number = as_number(name, value)
    if not math.isfinite(number):
        raise Error(f"{name} must be a finite number, not {value}")
    return number


def read_text(name: str, value: object) -> str:
    """A name, or a word."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {value!r}")
    return value


def _function(name: str, value: object) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function, not {value!r}")


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
    return [(part, read_number(part, number)) for part, number in zip(names, value)]


def _read_numbers(what: str, numbers: Numbers | None, known: Callable[[], Iterable[str]]) -> dict[str, float]:
    """Vectors and arrays become their components; `known` gives the names there are."""
    changes: dict[str, float] = {}
    if numbers is not None and not isinstance(numbers, Mapping):
        raise TypeError(f"{what} must be a dictionary of numbers by name, not {numbers!r}")
    for name, value in (numbers or {}).items():
        read_text(f"a name of {what}", name)
        if np.ndim(value) == 0:
            changes[name] = read_number(name, value)
        else:
            changes.update(_spread(name, np.ravel(value), known()))
    return changes


# ---- opening, failing ----


def _number(options: RunOptions, name: Literal["t_end", "every", "tolerance", "step"]) -> float:
    value = options.get(name)
    return math.nan if value is None else read_number(name, value)


def _words(name: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and read_text(name, value) not in known:
        raise Error(f"there is no {name} {value!r}; known are {', '.join(known)}")


def _names(what: str, given: str | Iterable[str]) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        read_text(f"a name of {what}", name)
    return names


def _warn_of_moves(run: _zwang.Run, given: Mapping[str, float]) -> None:
    """Values that the text types are told of by the report; what the caller has given by a warning."""
    names = {unicodedata.normalize("NFC", name) for name in given}
    moves = [f"{name} from {from_:.9g} to {to:.9g}" for name, from_, to in run.report()["moves"] if name in names]
    if moves:
        warn(f"start values were moved so that the constraints hold: {', '.join(moves)}", StartWarning)


def _warn_of_doubts(report: Report) -> None:
    if report.verdict != "doubtful":
        return
    reasons = "; ".join(f"{doubt.reason} ({doubt.remedy})" if doubt.remedy else doubt.reason for doubt in report.doubts)
    warn(f"the result is doubtful: {reasons}", DoubtWarning)


def open_run(model: Model, options: RunOptions, record: bool, warns: bool = True) -> _zwang.Run:
    """A run at its consistent start. `warns`: where what was given had to move."""
    _words("formulation", options.get("formulation"), _zwang.formulations)
    _words("integrator", options.get("integrator"), _zwang.integrators)
    n = len(model.coordinates)
    changes = _read_numbers("params", options.get("params"), lambda: [*model.parameters, *model.columns[1 : 1 + 2 * n]])
    changes.update(_read_numbers("start", options.get("start"), lambda: model.columns[1 : 1 + 2 * n]))
    force = options.get("force")
    _function("force", force)
    _function("progress", options.get("progress"))
    room = np.zeros(3 * n)
    call = wrap_force(force, model.coordinates, room) if force else None
    rows_call, rows_room = wrap_constraints(model.constraints, room) if model.constraints else (None, None)
    run = _zwang.Run(
        model=model._compiled,
        to=_number(options, "t_end"),
        every=_number(options, "every"),
        tolerance=_number(options, "tolerance"),
        step=_number(options, "step"),
        formulation=options.get("formulation"),
        integrator=options.get("integrator"),
        conserve_energy=options.get("conserve_energy", False),
        forces=options.get("forces", False),
        evidence=options.get("evidence", False),
        record=record,
        changes=tuple(changes.items()),
        sensitivity=_names("sensitivity", options.get("sensitivity", ())),
        gradient=options.get("gradient", False),
        force=call,
        constraints=rows_call,
        room=room,
        rows_room=rows_room,
        progress=options.get("progress"),
        eliminate=read_coordinates("eliminate", options.get("eliminate"), model.coordinates),
    )
    if run.status()[0] != "ZW_OK":
        fail(run, run.status())
    if warns:
        _warn_of_moves(run, changes)
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
        [ContactEvent(e[0], names[e[1]], e[2], e[3], e[4], e[5], e[6], e[7]) for e in run.contacts()],
        model.diagnostics + read_diags(run.diags()),
    )


def end_run(model: Model, run: _zwang.Run, status: tuple[str, str]) -> Result:
    """The result of a run that has ended, or what it raises."""

    def result() -> Result:
        return make_result(model, run, np.asarray(run.rows()))

    if status[0] != "ZW_OK":
        fail(run, status, result)
    found = result()
    _warn_of_doubts(found.report)
    return found
