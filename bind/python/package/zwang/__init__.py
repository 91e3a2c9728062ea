"""Zwang: the motion of constrained mechanical systems by Gauss's principle of least constraint.

    import zwang

    result = zwang.Model("pendulum.zw").run(t_end=10)
    result["x"], result.t             # columns by name, as NumPy arrays
    print(result.report)              # the evidence that it is right
    print(zwang.Model("pendulum.zw").linearize())      # its equilibrium and eigenvalues

    zwang.least(M, h, A, b).a         # the principle on plain matrices
"""

from __future__ import annotations

from pathlib import Path

from . import _zwang
from ._compare import Comparison, Formulation, Frame
from ._detail import Bellman, Displacement, LeastDetail, Partition, Possible
from ._errors import Diagnostic, DoubtWarning, Error, RunError, StartWarning
from ._forces import Actuator, Forces, MissingForce, MotionOff
from ._gradient import Gradient
from ._host import Constraint, Row
from ._least import Least, LeastResult, least
from ._linearize import Linearization, Mode
from ._locus import Change, Changed, Locus
from ._model import Model, Plot
from ._result import Claim, ContactEvent, Doubt, EnergyShare, Event, Move, Report, Result, SharedLoad
from ._simulation import Evaluation, Simulation

__version__: str = _zwang.version
formulations: tuple[str, ...] = _zwang.formulations
"""Names of the formulations that give accelerations."""
integrators: tuple[str, ...] = _zwang.integrators
"""Names of the integrators."""


def examples() -> dict[str, Path]:
    """The example models that come with the package: file names by model name."""
    folder = Path(__file__).parent / "examples"
    return {path.stem: path for path in sorted(folder.glob("*.zw"))}


__all__ = [
    "Actuator",
    "Bellman",
    "Change",
    "Changed",
    "Claim",
    "Comparison",
    "Constraint",
    "ContactEvent",
    "Diagnostic",
    "Displacement",
    "Doubt",
    "DoubtWarning",
    "EnergyShare",
    "Error",
    "Evaluation",
    "Event",
    "Forces",
    "Formulation",
    "Frame",
    "Gradient",
    "Least",
    "LeastDetail",
    "LeastResult",
    "Linearization",
    "Locus",
    "MissingForce",
    "Mode",
    "Model",
    "MotionOff",
    "Move",
    "Partition",
    "Plot",
    "Possible",
    "Report",
    "Result",
    "Row",
    "RunError",
    "SharedLoad",
    "Simulation",
    "StartWarning",
    "examples",
    "formulations",
    "integrators",
    "least",
]
