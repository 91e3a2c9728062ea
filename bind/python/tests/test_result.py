"""Results: the numbers of the program bit by bit, by name, and not copied."""

import csv
import pickle

import numpy as np
import pytest

import zwang


def read_table(path):
    """Columns of a table of the program, the texts of the column `event` apart."""
    with open(path, newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    has_events = head[-1] == "event"
    columns = head[:-1] if has_events else head
    rows = np.array([[float(x) for x in line[: len(columns)]] for line in lines])
    return columns, rows, [line[-1] for line in lines] if has_events else []


@pytest.mark.parametrize(
    ("name", "flags", "options"),
    [
        ("andrews", [], {}),
        ("pendulum", ["--to", "3", "--every", "0.25"], {"t_end": 3, "every": 0.25}),
        ("bouncing-ball", [], {}),
        ("car-axis-vectors", ["--forces", "--evidence"], {"forces": True, "evidence": True}),
        ("dominoes", [], {}),
        ("double-pendulum", ["--to", "2", "--integrator", "radau"], {"t_end": 2, "integrator": "radau"}),
        ("slider-crank", ["--formulation", "lagrange", "--tolerance", "1e-6"], {"formulation": "lagrange", "tolerance": 1e-6}),
    ],
)
def test_rows_are_those_of_the_program(zwang_program, examples, tmp_path, name, flags, options):
    path = examples / f"{name}.zw"
    done = zwang_program("run", path, *flags)
    assert done.returncode == 0, done.stderr
    columns, rows, events = read_table(tmp_path / f"{name}.csv")
    result = zwang.Model(path).run(**options)
    assert list(result.columns) == columns == list(result)
    assert np.array_equal(result.rows, rows, equal_nan=True)
    for event in result.events:
        assert events[event.row] == event.name
        assert result.t[event.row] == event.t
    assert len({row for row, text in enumerate(events) if text}) == 2 * len(result.events)


def test_contacts_are_those_of_the_log(zwang_program, examples, tmp_path):
    path = examples / "newtons-cradle.zw"
    assert zwang_program("run", path).returncode == 0
    with open(tmp_path / "newtons-cradle.contacts.csv", newline="", encoding="utf-8") as file:
        log = [line for line in csv.DictReader(file) if line["what"] != "end"]
    result = zwang.Model(path).run()
    assert len(log) == len(result.contacts) > 10
    for line, event in zip(log, result.contacts):
        assert (float(line["t"]), line["contact"], line["what"]) == (event.t, event.contact, event.what)
        assert (float(line["impulse"]), float(line["lost"])) == (event.impulse, event.lost)
        assert (float(line["friction"]), float(line["friction2"])) == event.friction
        assert (float(line["theta"]), float(line["wall work"])) == (event.theta, event.wall_work)
    assert result.report.impacts == len({e.t for e in result.contacts if e.what == "hit"})


def test_columns_are_views_of_one_block():
    result = zwang.Model(zwang.examples()["car-axis-vectors"]).run()
    assert not result.rows.flags.owndata
    for view in [result["left.x"], result.t, result.q, result.v, result["left"], result["left'"], result.to_numpy()]:
        assert np.shares_memory(view, result.rows)
    assert result["left"].shape == (len(result.t), 2)
    assert np.array_equal(result["left"][:, 1], result["left.y"])
    assert np.array_equal(result["left'"][:, 0], result["left.x'"])
    assert np.array_equal(np.hstack([result.t[:, None], result.q, result.v]), result.rows)


def test_arrays_by_name():
    result = zwang.Model(zwang.examples()["n-pendulum"]).run(t_end=0.1)
    P = result["P"]
    assert P.ndim == 3 and P.shape[2] == 2
    assert np.shares_memory(P, result.rows)
    for i in range(P.shape[1]):
        assert np.array_equal(P[:, i], result[f"P[{i}]"])
    angles = zwang.Model(zwang.examples()["n-pendulum-angles"]).run(t_end=0.1)
    name = angles.columns[1].partition("[")[0]
    assert np.array_equal(angles[name], angles.q)
    assert np.array_equal(angles[name + "'"], angles.v)


def test_rows_outlive_the_run():
    t = zwang.Model(zwang.examples()["pendulum"]).run(t_end=1).t
    [zwang.Model(zwang.examples()["pendulum"]).run(t_end=1) for _ in range(20)]
    assert t[0] == 0 and t[-1] == 1 and np.all(np.diff(t) > 0)


def test_names_are_normalised():
    result = zwang.Model(text="coord \u00e9 = 1\nkinetic 1/2*\u00e9'^2\nrun 0 .. 1").run()
    assert result["e\u0301"] is result["\u00e9"]


def test_unknown_names_are_told():
    result = zwang.Model(text="coord height = 1\nkinetic 1/2*height'^2\nrun 0 .. 1").run()
    with pytest.raises(KeyError, match="did you mean 'height'"):
        result["heigt"]
    with pytest.raises(KeyError, match="there is no column 'w'"):
        result["w"]


def test_it_is_a_dictionary():
    result = zwang.Model(zwang.examples()["pendulum"]).run(t_end=1)
    assert list(dict(result)) == ["t", "x", "y", "x'", "y'", "angle"]
    assert len(result) == 6 and "x" in result
    result["energy"] = result["y"] * 9.81
    back = pickle.loads(pickle.dumps(result))
    assert list(back) == list(result)
    assert all(np.array_equal(back[name], result[name]) for name in result)
    assert str(back.report) == str(result.report) and repr(back.report) == repr(result.report)


def test_pandas():
    pandas = pytest.importorskip("pandas")
    result = zwang.Model(zwang.examples()["pendulum"]).run(t_end=1)
    frame = pandas.DataFrame(result)
    assert tuple(frame.columns) == result.columns
    assert np.array_equal(frame.to_numpy(), result.rows)


def test_report(zwang_program, examples):
    import json

    path = examples / "andrews.zw"
    said = json.loads(zwang_program("run", path, "--json").stdout)
    report = zwang.Model(path).run().report
    assert report.steps == said["steps"] and report.dof == 1 and report.n == 7
    assert report.energy_drift < 1e-8 and report.phi_max < 1e-12
    text = str(report)
    assert text.startswith("7 coordinates, 6 constraints of rank 6, 1 degree of freedom\n")
    assert f"{report.energy_drift:.2e}" in text


def test_report_tells_what_moved_and_what_is_redundant():
    text = "coord x = 1, y = 0.1\nkinetic 1/2*(x'^2 + y'^2)\nconstraint a: x^2 + y^2 = 1\nconstraint b: 2*x^2 + 2*y^2 = 2\nrun 0 .. 1"
    report = zwang.Model(text=text).run().report
    assert [move.name for move in report.moves] == ["x", "y"]
    assert report.moves[0].from_ == 1 and report.moves[0].to < 1
    assert report.redundant and report.rank == 1
    assert report.shared[0].names == ["a", "b"]
    assert "moved from 1 to" in str(report) and "redundant" in str(report)
