"""The C interface of Zwang; use the package zwang."""

from collections.abc import Callable
from typing import Any

version: str
formulations: tuple[str, ...]
integrators: tuple[str, ...]
kernels: tuple[str, ...]

_Status = tuple[str, str]
_Diag = tuple[bool, str, str, int, int, str, str, bytes, int, int]

class Model:
    def __new__(
        cls,
        text: bytes,
        name: bytes,
        sets: tuple[tuple[str, str], ...],
        reader: Callable[[str, str, bool], bytes | str | None] | None,
        kernel: str | None,
        memory: int,
        constraints: tuple[tuple[str, int], ...],
    ) -> Model: ...
    def status(self) -> _Status: ...
    def diags(self) -> list[_Diag]: ...
    def columns(self) -> list[str]: ...
    def contacts(self) -> list[str]: ...
    def counts(self) -> tuple[int, int, int]: ...
    def kernel(self) -> str: ...
    def plots(self) -> list[tuple[list[int], list[str], int, str, bool]]: ...
    def derive(
        self, form: int, parts: int, eliminate: tuple[int, ...] | None, order: tuple[int, ...] | None
    ) -> tuple[str, str, str | None, int, int]: ...

class Rows:
    """A table of float64 with the buffer protocol."""

class Run:
    def __new__(
        cls,
        model: Model,
        to: float,
        every: float,
        tolerance: float,
        step: float,
        formulation: str | None,
        integrator: str | None,
        conserve_energy: bool,
        forces: bool,
        evidence: bool,
        record: bool,
        changes: tuple[tuple[str, float], ...],
        sensitivity: tuple[str, ...],
        gradient: bool,
        force: Callable[[float], object] | None,
        constraints: Callable[[float], object] | None,
        room: Any,
        rows_room: Any,
        progress: Callable[[float], object] | None,
        eliminate: tuple[int, ...] | None,
    ) -> Run: ...
    def go(self) -> _Status: ...
    @classmethod
    def go_together(cls, make: Callable[[], Run | None], finish: Callable[[Run, _Status], object]) -> None: ...
    def to(self, t: float) -> _Status: ...
    def set(self, name: str, value: float) -> _Status: ...
    def read(self, row: Any) -> _Status: ...
    def evaluate(self, t: float, q: Any, v: Any, *values: Any) -> _Status: ...
    def linearize(self, at: int, near_q: Any, inputs: tuple[str, ...], has_outputs: bool, anywhere: bool) -> dict[str, Any] | None: ...
    def forces(
        self, table: Any, rows: int, names: tuple[str, ...], by: tuple[str, ...], within: float, every: float, tolerance: float
    ) -> dict[str, Any] | None: ...
    def gradient(self, of: str) -> dict[str, Any] | None: ...
    def compare(
        self,
        times: Any,
        count: int,
        parts: int,
        eliminate: tuple[int, ...] | None,
        order: tuple[int, ...] | None,
        possible: Any,
    ) -> tuple[int, list[dict[str, Any]], list[tuple[str, bool, str, float, float, float, float, float]] | None]: ...
    def row_count(self) -> int: ...
    def status(self) -> _Status: ...
    def diags(self) -> list[_Diag]: ...
    def columns(self) -> list[str]: ...
    def parameters(self) -> dict[str, float]: ...
    def report(self) -> dict[str, Any]: ...
    def rows(self) -> Rows: ...
    def events(self) -> list[tuple[float, str, int]]: ...
    def contacts(self) -> list[tuple[float, int, str, float, tuple[float, float], float]]: ...

class Least:
    def __new__(cls, n: int, m: int, formulation: str, parts: int) -> Least: ...
    def solve(
        self,
        m: int,
        evidence: bool,
        M: Any,
        h: Any,
        A: Any,
        b: Any,
        a: Any,
        lambda_: Any,
        Qc: Any,
        kind: int,
        inverse: Any,
        A_inverse: Any,
        parts: int,
        eliminate: tuple[int, ...] | None,
        order: tuple[int, ...] | None,
        possible: Any,
    ) -> tuple[str, str, int, bool, float, float, float, str, dict[str, Any] | None]: ...
