"""How a number at the end of a run depends on parameters and start values."""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from . import _zwang
from ._errors import Error
from ._linearize import names_of
from ._result import Array, Result, count
from ._run import RunOptions, end_run, fail, open_run

if TYPE_CHECKING:
    from ._model import Model


@dataclass(frozen=True, eq=False, repr=False)
class Gradient(Mapping[str, float]):
    """Derivatives of one number by many, a mapping by name: ``gradient["m"]``, ``gradient["start.x'"]``. Made by `Model.gradient`.

    `str` gives a table, those that count most first.
    """

    of: str
    """The number that is differentiated."""
    t: float
    """When: at the end of the run."""
    value: float
    """What it is there."""
    by: tuple[str, ...]
    """What it is differentiated by."""
    at: Array
    """The values of these."""
    derivatives: Array
    """d(of)/d(by), in the order of `by`."""
    result: Result = field(repr=False)
    """The run, as `Model.run` gives it."""

    @property
    def relative(self) -> Array:
        """By how many percent the number changes when each of `by` changes by one: p/G dG/dp; NaN where the number is 0."""
        return self.at * self.derivatives / self.value if self.value else np.full(len(self.by), math.nan)

    def __getitem__(self, name: str) -> float:
        bare = unicodedata.normalize("NFC", name)
        if bare not in self.by:
            near = difflib.get_close_matches(bare, self.by, n=1)
            raise KeyError(f"there is no derivative by {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return float(self.derivatives[self.by.index(bare)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.by)

    def __len__(self) -> int:
        return len(self.by)

    def _summary(self) -> str:
        return f"{self.of} = {self.value:.9g} at t = {self.t:.9g}, by {count(len(self.by), 'number')}"

    def __repr__(self) -> str:
        return f"<zwang.Gradient: {self._summary()}>"

    def __str__(self) -> str:
        width = max([len("by"), *map(len, self.by)])
        lines = [self._summary(), f"{'by':<{width}}  {'at':<14}  {'derivative':<14}  percent by percent"]
        for i in np.argsort(-np.abs(self.at * self.derivatives), kind="stable"):
            numbers = f"{self.at[i]:<14.8g}  {self.derivatives[i]:<14.8g}  {self.relative[i] + 0.0:.4g}"
            lines.append(f"{self.by[i]:<{width}}  {numbers}")
        return "\n".join(lines)


def _spread(names: Sequence[str], model: Model) -> tuple[str, ...]:
    """Vectors and arrays become their components. A name that nobody knows stays: the run says so."""
    n = len(model.coordinates)
    known = [*model.parameters, *(f"start.{column}" for column in model.columns[1 : 1 + 2 * n])]
    spread: list[str] = []
    for name in names:
        bare = unicodedata.normalize("NFC", name)
        stem = bare.rstrip("'")
        pattern = re.compile(re.escape(stem) + r"(\[\d+\])?(\.[xyz])?" + bare[len(stem) :])
        parts = [] if bare in known else [other for other in known if pattern.fullmatch(other)]
        spread += parts or [bare]
    return tuple(spread)


def _check_of(of: object, model: Model) -> str:
    """One number of a row, before the run has been waited for."""
    if not isinstance(of, str):
        raise Error(f"a gradient is of a coordinate, a velocity or an output, as 'x', not of {of!r}; gradients() takes several")
    name = unicodedata.normalize("NFC", of)
    if name in model.columns[1:]:
        return name
    stem = name.rstrip("'")
    pattern = re.compile(re.escape(stem) + r"(\[\d+\])?(\.[xyz])?" + name[len(stem) :])
    parts = [column for column in model.columns if pattern.fullmatch(column) and column != "t"]
    if parts:
        raise Error(f"{of!r} has {len(parts)} numbers; a gradient is of one of them, as {parts[0]!r}; gradients() takes several")
    near = difflib.get_close_matches(name, model.columns[1:], n=1)
    remedy = f"; did you mean {near[0]!r}?" if near else ""
    raise Error(f"the model has no coordinate, velocity or output {of!r}{remedy}", "ZW_ERR_NAME")


def _read(run: _zwang.Run, of: str, result: Result) -> Gradient:
    found = run.gradient(of)
    if found is None:
        fail(run, run.status())
        raise AssertionError
    return Gradient(
        of=found["of"],
        t=found["t"],
        value=found["value"],
        by=tuple(found["by"]),
        at=np.asarray(found["at"])[0],
        derivatives=np.asarray(found["derivatives"])[0],
        result=result,
    )


def find_gradients(model: Model, of: Iterable[str], by: str | Iterable[str] | None, options: RunOptions) -> list[Gradient]:
    """The gradients of numbers where a run ends, or what it raises."""
    names = [_check_of(name, model) for name in of]
    options = options.copy()
    options["gradient"] = True
    if by is not None:
        options["sensitivity"] = _spread(names_of(by), model)
    if not names or by is not None and not options["sensitivity"]:
        raise Error("of names nothing" if not names else "by names nothing; leave it out for all parameters and start values")
    run = open_run(model, options, record=True)
    result = end_run(model, run, run.go())
    return [_read(run, name, result) for name in names]
