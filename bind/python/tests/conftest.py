"""The tests run against the installed package, the program and the source tree they were told of."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("ZWANG_ROOT", Path(__file__).resolve().parents[3]))


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def examples():
    return ROOT / "examples"


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("ZWANG") or shutil.which("zwang") or ROOT / "build" / "zwang"
    if not Path(path).exists():
        pytest.fail("the tests compare with the program: set ZWANG to it")
    return str(path)


@pytest.fixture
def zwang_program(program, tmp_path):
    """Calls the program in an empty folder."""

    def call(*arguments, **more):
        return subprocess.run([program, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True, **more)

    return call
