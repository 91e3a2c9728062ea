"""Derivatives of runs: closed forms, names, and what is refused."""

import pickle

import numpy as np
import pytest

import zwang

SPRING = "param k = 4, m = 1\ncoord x = 1\nkinetic 1/2*m*x'^2\npotential 1/2*k*x^2\noutput twice = 2*x\nrun 0 .. 3 tolerance 1e-10\n"


def test_an_oscillator_has_a_closed_form():
    result = zwang.Model(text=SPRING).run(sensitivity=["k", "m", "start.x", "start.x'"], evidence=True)
    w, t = 2, result.t
    assert np.allclose(result["x"], np.cos(w * t), atol=1e-8)
    assert np.allclose(result["d(x)/d(k)"], -t * np.sin(w * t) / (2 * w), atol=1e-8)
    assert np.allclose(result.sensitivity("x", "m"), t * np.sin(w * t) * w / 2, atol=1e-8)
    assert np.allclose(result.sensitivity("twice", "start.x"), 2 * np.cos(w * t), atol=1e-8)
    assert np.allclose(result.sensitivity("x'", "start.x'"), np.cos(w * t), atol=1e-8)
    assert result.columns[-1] == "d(twice)/d(start.x')"
    assert result.report.varied == {"k": 4, "m": 1, "start.x": 1, "start.x'": 0}
    assert result.report.sensitivity_steps > 0 and result.report.sensitivity_drift == 0
    assert np.array_equal(pickle.loads(pickle.dumps(result)).sensitivity("x", "m"), result["d(x)/d(m)"])


def test_the_motion_is_that_without():
    model = zwang.Model(text=SPRING)
    plain, varied = model.run(), model.run(sensitivity="k")
    assert np.array_equal(plain.rows, varied.rows[:, : len(plain.columns)])
    assert plain.report.varied == {} and plain.report.evaluations == varied.report.evaluations


def test_vectors_and_arrays_have_all_numbers():
    text = "param g = 1\ncoord P = (0, 0), a[1..3]\nkinetic 1/2*P'^2 + 1/2*(a[1]'^2 + a[2]'^2 + a[3]'^2)\npotential g*(P.y + a[2])\nrun 0 .. 2"
    result = zwang.Model(text=text).run(sensitivity="g")
    fall = -result.t**2 / 2
    assert np.allclose(result.sensitivity("P", "g"), np.stack([0 * fall, fall], axis=1))
    assert np.allclose(result.sensitivity("a", "g"), np.stack([0 * fall, fall, 0 * fall], axis=1))
    assert np.allclose(result.sensitivity("P'", "g")[:, 1], -result.t)


def test_a_simulation_has_them_on_the_way():
    simulation = zwang.Model(text=SPRING).start(sensitivity=["k"])
    simulation.to(1)
    assert simulation["d(x)/d(k)"] == pytest.approx(-np.sin(2) / 4)
    with pytest.raises(zwang.Error, match="the run follows sensitivities"):
        simulation.set("k", 5)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("x", "its start value is 'start.x'"),
        (["k", "k"], "varied twice"),
        (["start.y"], "no coordinate or velocity 'y'"),
    ],
)
def test_what_cannot_be_varied(names, message):
    with pytest.raises(zwang.Error, match=message):
        zwang.Model(text=SPRING).run(sensitivity=names)


def test_mistakes_in_names():
    result = zwang.Model(text=SPRING).run(sensitivity="k")
    with pytest.raises(KeyError, match="nothing is differentiated by 'm'"):
        result.sensitivity("x", "m")
    with pytest.raises(KeyError, match="did you mean 'twice'"):
        result.sensitivity("twise", "k")
    with pytest.raises(TypeError):
        zwang.Model(text=SPRING).run(sensitivity=[1])
    with pytest.raises(TypeError, match="no argument 'sensitivity'"):
        zwang.Model(text=SPRING).run_many([{}], sensitivity="k")


def test_constraints_in_python_have_none():
    rod = zwang.Constraint("positions", lambda t, q, v: zwang.Row(A=2 * q, b=-2 * v @ v, residual=q @ q - 1))
    model = zwang.Model(text="param g = 1\ncoord x = 1, y\nkinetic x'^2 + y'^2\npotential g*y\nrun 0 .. 1", constraints={"rod": rod})
    with pytest.raises(zwang.Error, match="constraints that Python computes have no derivatives"):
        model.run(sensitivity="g")
