"""Many runs of one model at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import _zwang
from ._errors import Error
from ._result import Result
from ._run import Numbers, RunOptions, end_run, open_run

if TYPE_CHECKING:
    from ._model import Model


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
