"""Runs: other numbers, forces in Python, the interpreter lock, and runs that end early."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import zwang

SPRING = "param k = 4\ncoord x = 1\nkinetic 1/2*x'^2\npotential 1/2*k*x^2\nrun 0 .. 2\n"
FREE = "coord x = 1, y = 2\nkinetic 1/2*(x'^2 + 3*y'^2)\nrun 0 .. 2\n"
ENDLESS = {"t_end": 1e9, "every": 1e8}


@pytest.fixture(scope="module")
def chaos(examples):
    return zwang.Model(examples / "double-pendulum.zw")


def test_other_numbers_are_those_of_another_text():
    changed = zwang.Model(text=SPRING).run(params={"k": 9}, start={"x": 2, "x'": 1})
    text = SPRING.replace("k = 4", "k = 9").replace("x = 1", "x = 2") + "start x' = 1\n"
    assert np.array_equal(changed.rows, zwang.Model(text=text).run().rows)
    assert np.array_equal(zwang.Model(text=SPRING, params={"k": 9}).run().rows, zwang.Model(text=SPRING).run(params={"k": 9}).rows)


def test_start_of_vectors_and_arrays():
    vectors = zwang.Model(text="coord P = (0, 0)\nkinetic 1/2*P'^2\nrun 0 .. 1").run(start={"P": (1, 2), "P'": [3, 4]})
    assert vectors["P"][-1] == pytest.approx([4, 6])
    text = "param N = 3\ncoord x[1..N]\nfor i in 1..N { kinetic 1/2*x[i]'^2 }\nrun 0 .. 1"
    arrays = zwang.Model(text=text).run(start={"x'": np.arange(3)})
    assert arrays["x"][-1] == pytest.approx([0, 1, 2])
    both = zwang.Model(text="coord P[0..1] = (0, 0)\nfor i in 0..1 { kinetic 1/2*P[i]'^2 }\nrun 0 .. 1")
    places = both.run(start={"P": [[1, 2], [3, 4]], "P[1]'": (1, 1)})["P"]
    assert places[-1] == pytest.approx(np.array([[1, 2], [4, 5]]))
    with pytest.raises(zwang.Error, match="'x' has 3 numbers, and is given 2"):
        zwang.Model(text=text).run(start={"x": [1, 2]})
    with pytest.raises(zwang.Error, match="no vector or array"):
        zwang.Model(text=text).run(start={"w": [1, 2]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"params": {"kk": 1}}, "did you mean 'k'|no parameter"),
        ({"params": {"k": float("nan")}}, "finite"),
        ({"integrator": "euler"}, "there is no integrator 'euler'; known are auto, explicit"),
        ({"formulation": "newton"}, "there is no formulation 'newton'"),
        ({"tolerance": 1}, "tolerance"),
        ({"t_end": -1}, "end|before"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(zwang.Error, match=message) as caught:
        zwang.Model(text=SPRING).run(**options)
    assert not isinstance(caught.value, zwang.RunError)


def test_force_is_that_of_the_text():
    in_text = zwang.Model(text=FREE + "force x = -4*x - y'\nforce y = t").run(tolerance=1e-10)

    def force(t, q, v):
        return [-4 * q[0] - v[1], t]

    in_python = zwang.Model(text=FREE).run(force=force, tolerance=1e-10)
    assert np.max(np.abs(in_text.rows - in_python.rows)) < 1e-9
    by_name = zwang.Model(text=FREE).run(force=lambda t, q, v: {"y": t, "x": force(t, q, v)[0]}, tolerance=1e-10)
    assert np.array_equal(by_name.rows, in_python.rows)


def test_forces_may_keep_their_arguments():
    kept = []
    zwang.Model(text=FREE).run(force=lambda t, q, v: kept.append((t, q, v)) or [1, 0])
    assert len({t for t, _, _ in kept}) > 10
    assert len({q[0] for _, q, _ in kept}) > 10
    assert len({v[0] for _, _, v in kept}) > 10


@pytest.mark.parametrize(
    ("force", "kind", "message"),
    [
        (lambda t, q, v: None, zwang.Error, "gives nothing"),
        (lambda t, q, v: [1, 2, 3], zwang.Error, r"shape \(3,\)"),
        (lambda t, q, v: 1.0, zwang.Error, "2 numbers"),
        (lambda t, q, v: {"z": 1}, zwang.Error, "'z', which is no coordinate"),
        (lambda t, q, v: 1 / 0, ZeroDivisionError, ""),
        (lambda q: 0, TypeError, "argument"),
    ],
)
def test_forces_that_fail(force, kind, message):
    with pytest.raises(kind, match=message):
        zwang.Model(text=FREE).run(force=force)


def test_what_a_late_force_raises_is_raised_at_once():
    calls = []

    def force(t, q, v):
        if t > 1:
            calls.append(t)
            raise KeyError("late")
        return [0, 0]

    with pytest.raises(KeyError, match="late"):
        zwang.Model(text=FREE).run(force=force)
    assert len(calls) == 1


def test_a_force_without_value_ends_the_run_with_what_there_is():
    with pytest.raises(zwang.RunError) as caught:
        zwang.Model(text=FREE).run(force=lambda t, q, v: [np.nan if t > 1 else 1, 0])
    assert 0.9 < caught.value.result.t[-1] <= 1.0001
    assert caught.value.diagnostics


def test_a_run_that_cannot_go_on_has_its_rows():
    text = "coord x = 1\nkinetic 1/2*x'^2\nforce x = -1/sqrt(x)\nrun 0 .. 10\n"
    with pytest.raises(zwang.RunError) as caught:
        zwang.Model(text=text, name="falls.zw").run()
    assert "falls.zw:3:" in str(caught.value) and "^" in str(caught.value)
    assert len(caught.value.result.t) > 1
    import pickle

    assert np.array_equal(pickle.loads(pickle.dumps(caught.value)).result.rows, caught.value.result.rows)


def test_a_simulation_in_its_own_callback():
    model = zwang.Model(text=FREE)
    simulation = None

    def force(t, q, v):
        if simulation is not None:
            simulation.to(1)
        return [0, 0]

    simulation = model.start(force=force)
    with pytest.raises(RuntimeError, match="under way"):
        simulation.to(0.5)


def test_progress(chaos):
    seen = []

    class Enough(Exception):
        pass

    def progress(t):
        seen.append(t)
        if len(seen) == 5:
            raise Enough

    with pytest.raises(Enough):
        chaos.run(progress=progress, **ENDLESS)
    assert seen == sorted(seen) and len(seen) == 5


def test_control_c_ends_a_run(chaos):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        chaos.run(**ENDLESS)
    timer.join()
    assert chaos.run(t_end=1).t[-1] == 1


def test_the_lock_is_free_while_running(chaos):
    """Another thread goes on while a run is under way; no clock tells, but how far it has counted."""
    counted = 0

    class Enough(Exception):
        pass

    def progress(t):
        if counted > 1000:
            raise Enough

    def run():
        with pytest.raises(Enough):
            chaos.run(t_end=1e5, every=1e4, progress=progress)  # its end is far, and reached only if nobody counts

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0)
    assert counted > 1000
