"""Many runs at a time: each is what it is alone."""

import os
import signal
import threading

import numpy as np
import pytest

import zwang


@pytest.fixture(scope="module")
def pendulum(examples):
    return zwang.Model(examples / "double-pendulum.zw")


def test_members_are_what_they_are_alone(pendulum):
    first = pendulum.coordinates[0]
    members = [{first: 0.1 * i, first + "'": 0.01 * i} for i in range(20)]
    many = pendulum.run_many(iter(members), t_end=1, evidence=True)
    assert len(many) == 20
    for member, result in zip(members, many):
        alone = pendulum.run(t_end=1, evidence=True, start=member)
        assert np.array_equal(result.rows, alone.rows) and result.columns == alone.columns
        assert result.report.steps == alone.report.steps


def test_events_and_contacts(examples):
    model = zwang.Model(examples / "bouncing-ball.zw")
    name = next(iter(model.parameters))
    value = model.parameters[name]
    many = model.run_many({name: value * s} for s in (1, 0.9))
    assert many[0].events == model.run().events and len(many[1].events) > 0


def test_no_members(pendulum):
    assert pendulum.run_many([]) == []


TEXT = "param k = 1\ncoord x = 1\nkinetic 1/2*x'^2\npotential 1/2*k*x^2\nforce x = -sqrt(x + 0.5) + 1\nrun 0 .. 5\n"


def test_failures_harm_no_other():
    model = zwang.Model(text=TEXT)
    members = [{"x": 0.2}, {"x": 3}, {"w": 1}, {"x": 0.3}]
    with pytest.raises(zwang.Error):
        model.run_many(members)
    results = model.run_many(members, return_errors=True)
    assert [type(r) for r in results] == [zwang.Result, zwang.RunError, zwang.Error, zwang.Result]
    assert np.array_equal(results[3].rows, model.run(start={"x": 0.3}).rows)
    assert len(results[1].result.t) > 1 and "'w'" in str(results[2])


def test_forces_in_python():
    model = zwang.Model(text="coord x = 1\nkinetic 1/2*x'^2\nrun 0 .. 1")
    many = model.run_many([{"x": i} for i in range(10)], force=lambda t, q, v: -q)
    for i, result in enumerate(many):
        assert result["x"][-1] == pytest.approx(i * np.cos(1), abs=1e-6)
    with pytest.raises(ZeroDivisionError):
        model.run_many([{"x": i} for i in range(10)], force=lambda t, q, v: q / 0 if q[0] > 3 else 1 // 0)


def test_what_members_raise_ends_all(pendulum):
    def members():
        yield {}
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        pendulum.run_many(members(), t_end=1)
    with pytest.raises(TypeError, match="no argument 'start'"):
        pendulum.run_many([{}], start={})


def test_control_c_ends_all(pendulum):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        pendulum.run_many([{}] * 20, t_end=1e9, every=1e8)
    timer.join()
    assert len(pendulum.run_many([{}] * 3, t_end=1)) == 3
