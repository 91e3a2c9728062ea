"""Constraints that Python computes, against the same in the text."""

import numpy as np
import pytest

import zwang

FREE = "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nstart x' = 0.1\nrun 0 .. 2\n"


def moving_rod(t, q, v):
    """x^2 + y^2 = (1 + 0.1 sin t)^2"""
    length, rate, bend = 1 + 0.1 * np.sin(t), 0.1 * np.cos(t), -0.1 * np.sin(t)
    b = -2 * v @ v + 2 * (rate**2 + length * bend)
    return zwang.Row(A=2 * q, b=b, residual=q @ q - length**2, rate=-2 * length * rate)


def knife(t, q, v):
    """y' = x x'"""
    return [-q[0], 1], v[0] ** 2, v[1] - q[0] * v[0]


def pulled(t, q, v):
    """x'' = -x"""
    return [1, 0], -q[0]


@pytest.mark.parametrize(
    ("level", "function", "text"),
    [
        ("positions", moving_rod, "x^2 + y^2 = (1 + 0.1*sin(t))^2"),
        ("velocities", knife, "y' = x*x'"),
        ("accelerations", pulled, "x'' = -x"),
    ],
)
def test_rows_are_those_of_the_text(level, function, text):
    options = {"tolerance": 1e-10, "forces": True}
    in_text = zwang.Model(text=FREE + f"constraint c: {text}\n").run(**options)
    model = zwang.Model(text=FREE, constraints={"c": zwang.Constraint(level, function)})
    in_python = model.run(**options)
    assert in_python.report.m == 1 and in_python.report.dof == 1
    for name in in_text:
        assert in_python[name] == pytest.approx(in_text[name], abs=1e-6), name
    assert dict(model.parameters) == {}


def test_several_with_a_force():
    constraints = {"c": zwang.Constraint("accelerations", pulled), "hold": zwang.Constraint("positions", lambda t, q, v: ([0, 1], 0, q[1]))}
    model = zwang.Model(text=FREE, constraints=constraints)
    result = model.run(force=lambda t, q, v: [3, 5], forces=True)
    assert result.report.dof == 0
    assert result["y"] == pytest.approx(0, abs=1e-12)
    assert result["reaction(hold)"] == pytest.approx(9.81 - 5)
    assert result["c on x"] == pytest.approx(-result["x"] - 3)
    e = model.start().evaluate()
    assert e.A == pytest.approx(np.eye(2))
    assert len(model.run_many([{"x": 1}, {"x": 2}])) == 2


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (lambda t, q, v: ([1, 2, 3], 0), zwang.Error, r"A of the constraint 'c' must have 2 numbers"),
        (lambda t, q, v: 1 / 0, ZeroDivisionError, ""),
        (lambda t, q, v: ([1, 0],), TypeError, "b"),
    ],
)
def test_functions_that_fail(function, kind, message):
    model = zwang.Model(text=FREE, constraints={"c": zwang.Constraint("positions", function)})
    with pytest.raises(kind, match=message):
        model.run()


def test_wrong_names_and_levels():
    with pytest.raises(zwang.Error, match="not of 'speed'"):
        zwang.Constraint("speed", knife)
    with pytest.raises(zwang.Error, match="needs a name"):
        zwang.Model(text=FREE, constraints={"": zwang.Constraint("velocities", knife)})
    with pytest.raises(zwang.Error, match="(?s)'c' exists already.*the one that Python computes"):
        zwang.Model(text=FREE + "constraint c: y = 0\n", constraints={"c": zwang.Constraint("velocities", knife)})
