"""What the pages, the docstrings and the examples say is so."""

import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import zwang

MODULES = ["zwang"] + [f"zwang._{name}" for name in "compare detail errors forces gradient host least linearize many model result run simulation".split()]


def blocks(root):
    text = (root / "docs" / "python.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_page_runs(root, tmp_path, monkeypatch, capsys):
    """Every block, one after the other, in one folder; `# prints` says what a line prints."""
    monkeypatch.chdir(tmp_path)
    page = blocks(root)
    assert len(page) >= 8
    names = {"__name__": "page"}
    for number, block in enumerate(page):
        exec(compile(block, f"docs/python.md, block {number + 1}", "exec"), names)
        expected = re.findall(r"# prints (.*)$", block, re.MULTILINE)
        printed = capsys.readouterr().out.splitlines()
        assert printed[: len(expected)] == expected, f"block {number + 1}"
        assert expected or "print(" not in block, f"block {number + 1} prints, and nobody looks"


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0


def test_everything_public_is_described():
    for name in zwang.__all__:
        thing = getattr(zwang, name)
        if not callable(thing):
            continue
        assert inspect.getdoc(thing), name
        members = vars(thing).items() if inspect.isclass(thing) else []
        for key, member in members:
            if key.startswith("_") or not inspect.isfunction(member):
                continue
            assert inspect.getdoc(member), f"{name}.{key}"
            signature = inspect.signature(member)
            hinted = [p.annotation is not p.empty for p in list(signature.parameters.values())[1:]]
            assert all(hinted) and signature.return_annotation is not signature.empty, f"{name}.{key}"


def test_type_hints_hold(root, tmp_path):
    """Those of the package, and what a user of it sees."""
    pytest.importorskip("mypy")
    user = tmp_path / "user.py"
    user.write_text(
        "import zwang\n"
        "result = zwang.Model('a.zw').run(t_end=10, force=lambda t, q, v: -q)\n"
        "drift: float = result.report.energy_drift\n"
        "rank: int = zwang.least([[1.0]], [0.0], [[1.0]], [0.0]).rank\n"
        "wrong: str = result.report.energy_drift\n"
        "forces: zwang.Forces = zwang.Model('a.zw').forces(result, by='x')\n"
        "back = zwang.Model('a.zw').run(force=forces, start=forces.start)\n"
        "gain: zwang.LeastDetail | None = zwang.least([[1.0]], [0.0], [[1.0]], [0.0], detail=True).detail\n"
        "frame: zwang.Frame = zwang.Model('a.zw').compare(possible={'x': 1.0}, eliminate='x').frames[0]\n"
        "page: str = zwang.Model('a.zw').derive(explicit=True)\n"
        "slope: float = zwang.Model('a.zw').gradient('x', 10, by=['m'])['m']\n"
    )
    package = os.path.dirname(zwang.__file__)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), package, str(user)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    complaints = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(complaints) == 1 and complaints[0].startswith("user.py:5:"), done.stdout


@pytest.mark.parametrize("with_matplotlib", [True, False])
def test_andrews_squeezer(root, tmp_path, with_matplotlib):
    """The script runs with matplotlib, which draws, and without."""
    if with_matplotlib:
        pytest.importorskip("matplotlib")
    else:
        (tmp_path / "matplotlib.py").write_text("raise ImportError('there is none')\n")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    script = root / "examples" / "python" / "andrews.py"
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 24
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "7 coordinates, 6 constraints of rank 6, 1 degree of freedom" in done.stdout
    if with_matplotlib:
        assert (tmp_path / "andrews.png").read_bytes().startswith(b"\x89PNG")
    else:
        table = np.loadtxt(tmp_path / "andrews.txt")
        assert table.shape[1] == 8 and table[-1, 0] == 0.03


def test_andrews_ends_where_it_is_known_to(examples):
    """The reference solution of the IVP test set at t = 0.03."""
    result = zwang.Model(examples / "andrews.zw").run(tolerance=1e-12)
    assert result["be"][-1] == pytest.approx(15.81077119973, rel=1e-8)
