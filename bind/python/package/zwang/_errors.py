"""Messages about a model or a run, as the command line prints them."""

from __future__ import annotations

import sys
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._result import Result

_SHOWN_BEFORE, _SHOWN_AFTER = 60, 80  # bytes of a long line around the culprit

# Remedies are written for the command line; in Python the same is said otherwise.
_IN_PYTHON = (
    ("or --to 10 to the command", "or t_end=10 to run()"),
    ("or --to 10", "or t_end=10"),
    ("give it with --set, once for each value", "give it to Model(..., params=...), once for each value"),
    ("raise it with --limit memory=...", "raise it with Model(..., memory=...)"),
    ("--allow-path DIR allows a further folder", "Model(..., allow_path=DIR) allows a further folder"),
    ("the one that the host computes", "the one that Python computes"),
    ("those that the host computes", "those that Python computes"),
    ("constraints that the host computes", "constraints that Python computes"),
    ("allow more with --within", "allow more with within=..."),
    ("(--steady)", '(at="steady")'),
    ("(--at T)", "(at=T)"),
    ("--to T makes the run longer", "to=T makes the run longer"),
    ("without --eliminate the", "without eliminate the"),
    ("write --formulation gibbs-appell", 'write formulation="gibbs-appell"'),
    ("--at T looks", "at=T looks"),
    ("give it with ZwRunDef.changes", "give it to start(params=...)"),
)


def _in_python(text: str) -> str:
    for command_line, python in _IN_PYTHON:
        text = text.replace(command_line, python)
    return text


def _columns(text: bytes) -> int:
    """How many columns a text takes: an accent of its own is drawn over the letter before it."""
    return sum(not unicodedata.category(c).startswith("M") for c in text.decode(errors="replace"))


def _clean(text: bytes) -> str:
    """One character per column: tabs and control characters would move the underline away from what it marks."""
    return "".join(" " if ord(c) < 0x20 or ord(c) == 0x7F else c for c in text.decode(errors="replace"))


def _continues(line: bytes, i: int) -> bool:
    return i < len(line) and line[i] & 0xC0 == 0x80


@dataclass(frozen=True)
class Diagnostic:
    """One message about the text of a model, or about a run."""

    is_error: bool
    """False: a note."""
    code: str
    """As ``"ZW_ERR_NAME"``; ``"ZW_OK"`` for notes."""
    file: str
    """``""`` when the message belongs to no place in a text; then `line` is 0."""
    line: int
    column: int
    text: str
    """What is wrong, one sentence."""
    remedy: str
    """What to do; ``""`` if nothing is known."""
    source_line: bytes = b""
    offset: int = 0
    """Of the culprit within `source_line`, in bytes."""
    size: int = 0

    def _source(self) -> list[str]:
        """The line, clipped around the culprit when it is long, and the culprit underlined."""
        line, size = self.source_line, len(self.source_line)
        if not line:
            return []
        begin = max(0, self.offset - _SHOWN_BEFORE)
        end = self.offset + _SHOWN_AFTER if size - self.offset > _SHOWN_AFTER else size
        while begin < self.offset and _continues(line, begin):
            begin += 1
        while end > self.offset and end < size and _continues(line, end):
            end -= 1
        lead, trail = "..." if begin > 0 else "", "..." if end < size else ""
        marked = min(self.size, end - self.offset)
        width = _columns(line[self.offset : self.offset + marked]) if marked > 0 else 1
        space = " " * (len(lead) + _columns(line[begin : self.offset]))
        return [
            f"{self.line:6d} | {lead}{_clean(line[begin:end])}{trail}",
            f"       | {space}^{'~' * (width - 1)}",
        ]

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line > 0 else "zwang"
        lines = [f"{place}: {'error' if self.is_error else 'note'}: {self.text}", *self._source()]
        if self.remedy:
            lines.append(f"       = {self.remedy}")
        return "\n".join(lines)


def read_diags(diags: Sequence[tuple[bool, str, str, int, int, str, str, bytes, int, int]]) -> tuple[Diagnostic, ...]:
    """Messages as the extension gives them."""
    return tuple(
        Diagnostic(is_error, code, file, line, column, _in_python(text), _in_python(remedy), source_line, offset, size)
        for is_error, code, file, line, column, text, remedy, source_line, offset, size in diags
    )


class Error(ValueError):
    """A model, an argument or a start that is wrong. Its text is what the command line prints, with the line and a caret."""

    status: str
    """As ``"ZW_ERR_NAME"``."""
    diagnostics: tuple[Diagnostic, ...]
    """All errors, as far as they are listed, then the notes."""

    def __init__(self, text: str, status: str = "ZW_ERR_ARGUMENT", diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.status, self.diagnostics)


class StartWarning(UserWarning):
    """A start value that was given had to move to satisfy the constraints: the motion is that of another start."""


class DoubtWarning(UserWarning):
    """The evidence of a run does not speak for it: `report.doubts` has the reasons, and what to do."""


class RunError(Error):
    """A motion that began and could not go on. `result` has it up to there."""

    result: Result | None

    def __init__(
        self,
        text: str,
        status: str = "ZW_ERR_STEP",
        diagnostics: tuple[Diagnostic, ...] = (),
        result: Result | None = None,
    ) -> None:
        super().__init__(text, status, diagnostics)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.status, self.diagnostics, self.result)


def warn(text: str, category: type[Warning]) -> None:
    """Warns where the package was called from."""
    frame, level = sys._getframe(1), 2
    package = __name__.partition(".")[0]
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def describe(status: tuple[str, str], diagnostics: Sequence[Diagnostic]) -> str:
    """The text of an error: its messages, or the sentence of the status when nobody could write one."""
    errors = [str(d) for d in diagnostics if d.is_error]
    return "\n".join(errors) if errors else f"zwang: error: {status[1]}"
