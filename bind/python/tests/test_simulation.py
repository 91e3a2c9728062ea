"""Simulations that are looked at and acted on."""

import numpy as np
import pytest

import zwang

PUSHED = "param u = 0\ncoord x\nkinetic 1/2*x'^2\nforce x = u\noutput twice = 2*x\n"


def test_stepping_and_acting():
    simulation = zwang.Model(text=PUSHED).start()
    assert simulation.t == 0
    simulation.set("u", 2.0)  # before it has begun
    assert simulation.to(1) == 1
    assert simulation["x"] == pytest.approx(1) and simulation.read()["twice"] == pytest.approx(2)
    simulation.set("u", -2.0)
    assert simulation.to(2) == 2
    assert simulation.q == pytest.approx([2]) and simulation.v == pytest.approx([0], abs=1e-12)
    with pytest.raises(KeyError, match="did you mean 'twice'"):
        simulation["twise"]
    assert simulation.columns == ("t", "x", "x'", "twice")
    assert "t = 2" in repr(simulation)
    assert simulation.report.t == 2


def test_what_was_read_stays():
    simulation = zwang.Model(text=PUSHED).start(params={"u": 2})
    before = simulation.q
    simulation.to(1)
    assert before[0] == 0 and simulation.q[0] == pytest.approx(1)


def test_refused_values_end_nothing():
    simulation = zwang.Model(text=PUSHED).start()
    with pytest.raises(zwang.Error, match="'w'"):
        simulation.set("w", 1)
    simulation.to(1)
    with pytest.raises(zwang.Error, match="'w' cannot be changed"):
        simulation.set("w", 1)
    with pytest.raises(zwang.Error, match="'u' cannot be changed"):
        simulation.set("u", np.nan)
    with pytest.raises(zwang.Error, match="finite number"):
        simulation.to(np.inf)
    assert simulation.to(2) == 2


def test_stops_where_the_run_ends():
    simulation = zwang.Model(text=PUSHED + "run 0 .. 3\n").start()
    assert simulation.to(10) == 3
    stopped = zwang.Model(text=PUSHED + "start x' = 1\nstop when x > 0.5\n").start()
    assert stopped.to(10) == pytest.approx(0.5)


def test_rows_on_the_way():
    model = zwang.Model(text=PUSHED)
    simulation = model.start(record=True, params={"u": 2})
    for t in [0.5, 1.0]:
        simulation.to(t)
    first = simulation.result()
    simulation.to(2)
    second = simulation.result()
    assert first.t.tolist() == [0, 0.5, 1] and second.t.tolist() == [0, 0.5, 1, 2]
    assert second["x"] == pytest.approx(second.t**2)
    assert model.start().result().rows.shape == (0, 4)


def test_a_run_in_pieces_is_the_run():
    model = zwang.Model(zwang.examples()["slider-crank"])
    whole = model.run()
    simulation = model.start(record=True)
    simulation.to(whole.t[-1])
    assert np.array_equal(simulation.result().rows, whole.rows)


def test_evaluate_is_gauss_principle():
    simulation = zwang.Model(zwang.examples()["andrews"]).start()
    simulation.to(0.01)
    e = simulation.evaluate()
    assert e.M.shape == (7, 7) and e.A.shape == (6, 7)
    assert e.M @ e.a == pytest.approx(e.h + e.A.T @ e.lambda_, rel=1e-9, abs=1e-9)
    assert e.A @ e.a == pytest.approx(e.b, rel=1e-8)
    assert e.Qc == pytest.approx(e.A.T @ e.lambda_, rel=1e-9, abs=1e-9)
    assert np.max(np.abs(e.phi)) < 1e-12
    again = zwang.least(e.M, e.h, e.A, e.b)
    assert again.a == pytest.approx(e.a, rel=1e-9, abs=1e-6)


def test_evaluate_elsewhere():
    simulation = zwang.Model(zwang.examples()["pendulum"]).start()
    e = simulation.evaluate(0, [0, -2], [1, 0], slopes=True)
    assert e.phi == pytest.approx([3]) and e.a_by_q.shape == (2, 2)
    assert simulation.q == pytest.approx([1, 0])
    step = 1e-6
    a = [simulation.evaluate(0, [s * step, -2], [1, 0]).a for s in (1, -1)]
    assert e.a_by_q[:, 0] == pytest.approx((a[0] - a[1]) / (2 * step), abs=1e-6)
    with pytest.raises(zwang.Error, match="q must have 2 numbers"):
        simulation.evaluate(0, [1], [1, 0])


@pytest.mark.parametrize("name", ["block-on-incline", "dominoes", "ball-in-a-box", "newtons-cradle"])
def test_evaluate_with_contacts(name):
    simulation = zwang.Model(zwang.examples()[name]).start()
    e = simulation.evaluate()
    m, n = e.A.shape
    assert n == len(simulation.q) and m >= len(simulation.model.contacts)
    for values in (e.b, e.phi, e.psi, e.lambda_):
        assert values.shape == (m,) and np.all(np.isfinite(values))
    assert np.all(np.isfinite(e.A))
    assert e.M @ e.a == pytest.approx(e.h + e.Qc, abs=1e-8)


def test_a_state_without_value():
    simulation = zwang.Model(text="coord x = 1\nkinetic 1/2*x'^2\nforce x = sqrt(x)").start()
    with pytest.raises(zwang.Error, match="no value at t = 0"):
        simulation.evaluate(0, [-1], [0])
    assert simulation.to(1) == 1
