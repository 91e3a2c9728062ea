"""Models: a text, compiled once, that runs as often as one likes."""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _zwang
from ._compare import Comparison, compare
from ._detail import read_coordinates
from ._errors import Diagnostic, Error, describe, read_diags
from ._forces import Forces, Motion, find_forces
from ._gradient import Gradient, find_gradients
from ._host import LEVELS, Constraint, Force
from ._linearize import Linearization, linearize, names_of
from ._locus import Locus, locus
from ._many import Members
from ._result import Result, count
from ._run import Numbers, RunOptions, end_run, open_run, read_text
from ._simulation import Simulation

StrPath = str | os.PathLike[str]
_FORMS = ("text", "latex", "json")


class Plot(NamedTuple):
    """A `plot` statement: columns that are drawn together."""

    columns: list[str]
    names: list[str]
    """Of the curves, as the user wrote them."""
    against: str
    """The column of the axis below."""
    against_name: str
    is_equal: bool
    """Both axes measure components of one vector: they have one scale."""


def _expression(value: Any) -> str:
    """A value of a parameter as the language writes it."""
    if isinstance(value, str):
        return value
    if np.ndim(value) == 1:
        return "(" + ", ".join(_expression(part) for part in value) + ")"
    return str(int(value)) if isinstance(value, (int, np.integer)) else repr(float(value))


class _Reader:
    """Finds files that a model uses. As on the command line they are below the folder of the file that asks, or below
    `allow_path`: a model from a stranger must not read what it likes."""

    def __init__(self, lib: StrPath | None, allow_path: StrPath | None) -> None:
        self.lib = None if lib is None else Path(lib)
        self.allow_path = None if allow_path is None else Path(allow_path).resolve()

    def _is_allowed(self, name: str, path: str) -> bool:
        real = Path(path).resolve()
        folder = Path(path[: len(path) - len(name)] or ".").resolve()
        stays = not Path(name).is_absolute() and ".." not in Path(name).parts and real.is_relative_to(folder)
        return stays or (self.allow_path is not None and real.is_relative_to(self.allow_path))

    def __call__(self, name: str, path: str, is_library: bool) -> bytes | str | None:
        if is_library and self.lib is None:
            return None
        file = self.lib / f"{name}.zw" if is_library and self.lib else Path(path)
        if not is_library and not self._is_allowed(name, path):
            return "a path may not leave the folder of the model; Model(..., allow_path=DIR) allows a further folder"
        try:
            return file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            return error.strerror or str(error)


class Model:
    """A mechanical system, compiled from its text; read-only, and may be shared between threads.

    >>> model = Model(text="coord x = 1; kinetic 1/2*x'^2; potential 1/2*x^2; run 0 .. 1")
    >>> print(f"{model.run()['x'][-1]:.6f}")
    0.540302

    `params` replaces parameters of the text; a value is a number, a vector, or any constant expression of the language as a
    string. `name` is how messages call a text. `lib` is a folder with libraries of your own, `allow_path` one whose files
    the model may use besides those beside it. `kernel` says what computes the equations (``"native"``, ``"interpret"``),
    `memory` how many bytes a model, or a run of it, may take. `constraints` are computed in Python, by name. Raises `Error` when the text is wrong.
    """

    name: str
    """How messages call it."""
    coordinates: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: tuple[str, ...]
    """Of a row: t, coordinates, velocities, outputs."""
    contacts: tuple[str, ...]
    constraints: Mapping[str, Constraint]
    """Those that Python computes; those of the text are in `equations`."""
    diagnostics: tuple[Diagnostic, ...]
    """Notes about the text."""

    def __init__(
        self,
        path: StrPath | None = None,
        *,
        text: str | None = None,
        params: Mapping[str, object] | None = None,
        name: str | None = None,
        lib: StrPath | None = None,
        allow_path: StrPath | None = None,
        kernel: str | None = None,
        memory: int | None = None,
        constraints: Mapping[str, Constraint] | None = None,
    ) -> None:
        if (path is None) == (text is None):
            raise TypeError("a Model is made of a file, Model('file.zw'), or of a text, Model(text=...)")
        content = Path(path).read_bytes() if path is not None else read_text("text", text).encode()
        self.name = name or (os.fspath(path) if path is not None else "model")
        own = dict(constraints or {})
        self._made_of: tuple[Any, ...] = (content, dict(params or {}), self.name, lib, allow_path, kernel, memory, own)
        self._compile()

    def _compile(self) -> None:
        content, params, name, lib, allow_path, kernel, memory, self.constraints = self._made_of
        if kernel is not None and kernel not in _zwang.kernels:
            raise Error(f"there is no kernel {kernel!r}; known are {', '.join(_zwang.kernels)}")
        sets = tuple((key, _expression(value)) for key, value in params.items())
        limit = -1 if memory is None else operator.index(memory)
        if memory is not None and limit < 1:
            raise Error(f"memory must be a number of bytes, not {memory}")
        if "" in self.constraints:
            raise Error("a constraint needs a name")
        rows = tuple((key, LEVELS.index(constraint.level)) for key, constraint in self.constraints.items())
        compiled = _zwang.Model(content, os.fsencode(name), sets, _Reader(lib, allow_path), kernel, limit, rows)
        self.diagnostics = read_diags(compiled.diags())
        if compiled.status()[0] != "ZW_OK":
            raise Error(describe(compiled.status(), self.diagnostics), compiled.status()[0], self.diagnostics)
        self._compiled = compiled
        n, outputs, _ = compiled.counts()
        self.columns = tuple(compiled.columns())
        self.coordinates = self.columns[1 : 1 + n]
        self.outputs = self.columns[1 + 2 * n : 1 + 2 * n + outputs]
        self.contacts = tuple(compiled.contacts())

    @classmethod
    def _make(cls, *made_of: Any) -> Model:
        self = cls.__new__(cls)
        self._made_of = made_of
        self.name = made_of[2]
        self._compile()
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled model is compiled anew: processes may share it as threads do."""
        return type(self)._make, self._made_of

    @cached_property
    def parameters(self) -> Mapping[str, float]:
        """Parameters and memories with their values at the start of a run."""
        return MappingProxyType(open_run(self, {}, record=False).parameters())

    @property
    def plots(self) -> list[Plot]:
        """Its `plot` statements."""
        return [
            Plot([self.columns[i] for i in columns], names, self.columns[against], against_name, is_equal)
            for columns, names, against, against_name, is_equal in self._compiled.plots()
        ]

    @property
    def kernel(self) -> str:
        """What computes its equations: ``"native"`` or ``"interpret"``."""
        return self._compiled.kernel()

    def equations(self, form: str = "text") -> str:
        """The equations as on paper; `form` is ``"text"``, ``"latex"`` or ``"json"``."""
        if form not in _FORMS:
            raise Error(f"equations are written as {', '.join(_FORMS)}, not as {form!r}")
        return self.derive(form)

    def derive(
        self,
        form: str = "text",
        *,
        explicit: bool = False,
        partition: bool = False,
        bellman: bool = False,
        eliminate: str | Iterable[str] | None = None,
        order: str | Iterable[str] | None = None,
    ) -> str:
        """The equations as on paper, as `equations` gives them, and more of them.

        explicit
            the equations solved: multipliers, forces of the constraints, accelerations
        partition
            the explicit equations of Gibbs and Appell; `eliminate`, which asks for them, names the coordinates whose accelerations are eliminated
        bellman
            Bellman's recursion; `order`, which asks for it, names the columns it begins with
        """
        if form not in _FORMS:
            raise Error(f"equations are written as {', '.join(_FORMS)}, not as {form!r}")
        columns = [
            read_coordinates("eliminate", eliminate, self.coordinates),
            read_coordinates("order", order, self.coordinates),
        ]
        parts = bool(explicit) + 2 * bool(partition or columns[0]) + 4 * bool(bellman or columns[1])
        status, sentence, text, rank, dependent = self._compiled.derive(_FORMS.index(form), parts, columns[0], columns[1])
        if text is not None:
            return text
        if dependent >= 0:
            what = "eliminate" if dependent in (columns[0] or ()) else "order"
            name = self.coordinates[dependent]
            raise Error(
                f"{what}: the constraints do not determine {name}'' beside those named before it; name another coordinate",
                status,
            )
        if status == "ZW_ERR_VALUE":
            named = len(columns[0] or ())
            raise Error(f"eliminate: {named} named, but the constraints have rank {rank}: name as many", status)
        raise Error(sentence, status)

    def compare(
        self,
        times: ArrayLike | None = None,
        *,
        detail: bool = True,
        eliminate: str | Iterable[str] | None = None,
        order: str | Iterable[str] | None = None,
        possible: Mapping[str, ArrayLike] | None = None,
        displacement: Mapping[str, ArrayLike] | None = None,
        tolerance: float | None = None,
        to: float | None = None,
        integrator: str | None = None,
        start: Numbers | None = None,
        params: Numbers | None = None,
        force: Force | None = None,
    ) -> Comparison:
        """Moves along the motion, and solves by every formulation at instants of it.

        times
            the instants, within the run, in any order; None: the start and ten more to the end
        detail
            frames have what the papers print beside an answer
        eliminate, order
            coordinates whose accelerations the partition eliminates, as many as constraints are independent, and those that Bellman's
            recursion begins with, at least as many; left out: the largest columns
        possible
            accelerations to compare with, ``{"x''": 1, "y": 0}``; of those that are not stated the best are taken
        displacement
            a virtual displacement of coordinates that the partition leaves independent, ``{"y": 1}``, 0 where none is stated; those of the
            eliminated ones follow from it
        to
            end of the run

        Other arguments are those of `run`. Raises `Error` where what is asked for cannot be at the start, `RunError` where it
        cannot be later, or where the motion cannot go on.
        """
        options = RunOptions(
            t_end=to, tolerance=tolerance, integrator=integrator, start=start, params=params, force=force
        )
        return compare(self, times, detail, eliminate, order, possible, displacement, options)

    def run(
        self,
        t_end: float | None = None,
        *,
        every: float | None = None,
        tolerance: float | None = None,
        integrator: str | None = None,
        step: float | None = None,
        formulation: str | None = None,
        eliminate: str | Iterable[str] | None = None,
        conserve_energy: bool = False,
        forces: bool = False,
        evidence: bool = False,
        sensitivity: str | Iterable[str] = (),
        start: Numbers | None = None,
        params: Numbers | None = None,
        force: Force | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> Result:
        """Computes the motion to `t_end`. What is left out is as the model says, or the language's default.

        every
            time between rows; a 500th of the run
        tolerance
            local error <= tolerance (|y| + size), docs/numerics.md; 1e-8
        integrator, formulation
            one of `zwang.integrators`, `zwang.formulations`; `step` is for an integrator with a fixed one
        eliminate
            coordinates whose accelerations the formulation ``"gibbs-appell"`` eliminates all the way, as many as constraints are
            independent; left out, the largest columns at every instant
        conserve_energy
            holds the energy of the start, for long runs of conservative models
        forces
            columns of the constraints' forces: ``reaction(pin)``, ``pin on x``, ``constraints on x`` and its parts
            linear in b and in h, ``constraints on x (b)`` and ``constraints on x (h)``
        evidence
            columns ``|phi|``, ``|phi'|``, ``total energy`` and ``total work``
        sensitivity
            parameters, ``"m"``, and start values, ``"start.x"``, ``"start.x'"``: columns ``d(x)/d(m)`` of the derivatives of
            all others by them, which `Result.sensitivity` finds too
        start, params
            other start values, ``{"x": 1, "x'": 0}``, and parameters; vectors and arrays as lists. A `StartWarning` names those that had to
            move so that the constraints hold
        force
            ``force(t, q, v)`` gives what acts on the coordinates besides: an array, or a dictionary by coordinate; NaN where
            there is no value. It must depend on t, q and v only.
        progress
            ``progress(t)`` is called some twenty times a second

        The interpreter lock is free meanwhile: other threads run. Ctrl-C ends the run. Raises `Error` when the run cannot
        begin and `RunError`, which has the rows up to there, when it cannot go on.
        """
        options = RunOptions(
            t_end=t_end,
            every=every,
            tolerance=tolerance,
            integrator=integrator,
            step=step,
            formulation=formulation,
            eliminate=eliminate,
            conserve_energy=conserve_energy,
            forces=forces,
            evidence=evidence,
            sensitivity=sensitivity,
            start=start,
            params=params,
            force=force,
            progress=progress,
        )
        run = open_run(self, options, record=True)
        return end_run(self, run, run.go())

    @overload
    def run_many(
        self, members: Iterable[Numbers], t_end: float | None = None, *, return_errors: Literal[False] = ..., **options: Any
    ) -> list[Result]: ...

    @overload
    def run_many(
        self, members: Iterable[Numbers], t_end: float | None = None, *, return_errors: Literal[True], **options: Any
    ) -> list[Result | Error]: ...

    def run_many(
        self, members: Iterable[Numbers], t_end: float | None = None, *, return_errors: bool = False, **options: Any
    ) -> Any:
        """Runs the model once for each member, a dictionary of parameters and start values: ``{"l": 2, "x'": 1}``.

        Up to eight runs are under way at a time and computed together, for a part of the price; each has, bit by bit, the
        rows of `run`. The results are in the order of the members, which may be a generator. With `return_errors` a member
        that fails has its error in the list; without, it is raised. Other arguments are those of `run`.
        """
        known = set(RunOptions.__annotations__) - {"params", "start", "sensitivity", "gradient"}
        for name in options:
            if name not in known:
                raise TypeError(f"run_many() has no argument {name!r}")
        many = Members(self, members, cast(RunOptions, {"t_end": t_end, **options}), return_errors)
        _zwang.Run.go_together(many.make, many.finish)
        return many.results

    def linearize(
        self,
        at: float | str | None = None,
        *,
        inputs: str | Iterable[str] = (),
        outputs: str | Iterable[str] = (),
        anywhere: bool = False,
        start: Numbers | None = None,
        params: Numbers | None = None,
        force: Force | None = None,
        tolerance: float | None = None,
        integrator: str | None = None,
    ) -> Linearization:
        """Finds an equilibrium or a steady motion near the start, and the eigenvalues of small motions around it.

        Contacts that touch are closed there, and what friction holds is stuck.

        at
            ``"equilibrium"``, ``"steady"``: what to look for; None: an equilibrium if the start is at rest, else a steady
            motion; a time: how neighbours of the motion move at that moment
        inputs
            parameters that act on the motion, for `Linearization.B`; none of them may move a constraint
        outputs
            columns of a run, for `Linearization.C` and `D`: coordinates, velocities, outputs of the text, ``reaction(pin)``
        anywhere
            a steady motion may have other velocities than those that were typed; without, one that moved a typed velocity by more
            than a tenth of the largest typed one is an error

        Other arguments are those of `run`. Raises `Error` when there is no such state in reach.
        """
        options = RunOptions(start=start, params=params, force=force, tolerance=tolerance, integrator=integrator)
        return linearize(self, at, options, names_of(inputs), names_of(outputs), anywhere=anywhere)

    def locus(
        self,
        name: str,
        values: ArrayLike,
        at: float | str | None = None,
        *,
        return_errors: bool = False,
        anywhere: bool = False,
        start: Numbers | None = None,
        params: Numbers | None = None,
        force: Force | None = None,
        tolerance: float | None = None,
        integrator: str | None = None,
    ) -> Locus:
        """Eigenvalues over the values of a parameter, or of a start value, each followed from value to value.

        An equilibrium is looked for from that of the value before, a steady motion from the start values. With
        `return_errors` a value without an answer has NaN; without, its error is raised. Other arguments are those of `linearize`.
        """
        options = RunOptions(start=start, params=params, force=force, tolerance=tolerance, integrator=integrator)
        return locus(self, name, values, at, options, return_errors, anywhere)

    def forces(
        self,
        motion: Motion,
        *,
        by: str | Iterable[str] | None = None,
        within: float | None = None,
        every: float | None = None,
        tolerance: float | None = None,
        start: Numbers | None = None,
        params: Numbers | None = None,
        force: Force | None = None,
    ) -> Forces:
        """Finds the forces that make the model follow a motion, beside its own forces and constraints.

        motion
            columns by name: the times ``"t"`` and coordinates, ``{"t": t, "x": x}``, or a `Result` of any run. Vectors and arrays have
            one row for each time. Velocities ``"x'"`` and accelerations ``"x''"`` are used where they are given, else estimated
            from the rows around. Coordinates that the constraints determine from the others may be missing.
        by
            coordinates on which forces may act, and what they cannot do is `Forces.missing`; None: all
        within
            how far the motion may be off the constraints, of the size and largest value of a coordinate; 1e-6
        every
            time between the rows of the answer; None: as many rows as a cubic spline through them needs to be right to `tolerance`,
            as a part of the forces at work; 1e-11

        `start`, `params` and `force` are those of `run`; a `force` counts as one of the model's own. Raises `Error` when the motion violates
        the constraints, and when the model has contacts or `when`.
        """
        options = RunOptions(start=start, params=params, force=force)
        return find_forces(self, motion, by, within, every, tolerance, options)

    def gradient(
        self,
        of: str,
        t_end: float | None = None,
        *,
        by: str | Iterable[str] | None = None,
        every: float | None = None,
        tolerance: float | None = None,
        integrator: str | None = None,
        step: float | None = None,
        formulation: str | None = None,
        start: Numbers | None = None,
        params: Numbers | None = None,
        force: Force | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> Gradient:
        """How a number at the end of a run depends on parameters and start values: all of them for the price of a few runs.

        of
            a coordinate, a velocity ``"x'"`` or an output
        by
            parameters ``"m"`` and start values ``"start.x"``, ``"start.x'"``; vectors and arrays by their names; None: all parameters that
            can be varied, and the start values that the text gives

        Where the run ends by `stop when`, the number is the one at that event, whose time depends on everything too. Other arguments are those
        of `run`.
        """
        options = RunOptions(
            t_end=t_end,
            every=every,
            tolerance=tolerance,
            integrator=integrator,
            step=step,
            formulation=formulation,
            start=start,
            params=params,
            force=force,
            progress=progress,
        )
        return find_gradients(self, [of], by, options)[0]

    def gradients(
        self, of: Iterable[str], t_end: float | None = None, *, by: str | Iterable[str] | None = None, **options: Any
    ) -> list[Gradient]:
        """The gradients of several numbers, at the end of one run. Arguments are those of `gradient`."""
        known = set(inspect.signature(self.gradient).parameters)
        for name in options:
            if name not in known:
                raise TypeError(f"gradients() has no argument {name!r}")
        return find_gradients(self, names_of(of), by, cast(RunOptions, {"t_end": t_end, **options}))

    def start(
        self,
        t_end: float | None = None,
        *,
        every: float | None = None,
        tolerance: float | None = None,
        integrator: str | None = None,
        step: float | None = None,
        formulation: str | None = None,
        eliminate: str | Iterable[str] | None = None,
        conserve_energy: bool = False,
        forces: bool = False,
        evidence: bool = False,
        sensitivity: str | Iterable[str] = (),
        start: Numbers | None = None,
        params: Numbers | None = None,
        force: Force | None = None,
        record: bool = False,
    ) -> Simulation:
        """A simulation at its consistent start, to be moved by `Simulation.to`. Arguments are those of `run`.

        `record` keeps rows for `Simulation.result`: at the instants that were gone to, or, where the model or `t_end` says
        how long to run, those of such a run.
        """
        options = RunOptions(
            t_end=t_end,
            every=every,
            tolerance=tolerance,
            integrator=integrator,
            step=step,
            formulation=formulation,
            eliminate=eliminate,
            conserve_energy=conserve_energy,
            forces=forces,
            evidence=evidence,
            sensitivity=sensitivity,
            start=start,
            params=params,
            force=force,
        )
        return Simulation(self, options, record)

    def __repr__(self) -> str:
        sizes = f"{count(len(self.coordinates), 'coordinate')}, {count(len(self.outputs), 'output')}"
        return f"<zwang.Model {self.name!r}: {sizes}>"
