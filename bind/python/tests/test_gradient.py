"""How a number at the end of a run depends on parameters and start values."""

import pickle

import numpy as np
import pytest

import zwang

STONE = """
param v = 3, a = 0.6, g = 9.81, h = 0
coord x = 0, y = h
kinetic 1/2*(x'^2 + y'^2)
potential g*y
start x' = v*cos(a), y' = v*sin(a)
stop when y < -1e-300
output range = x
"""
V, A, G = 3, 0.6, 9.81
EXPECTED = {
    "v": 2 * V * np.sin(2 * A) / G,
    "a": 2 * V**2 * np.cos(2 * A) / G,
    "g": -(V**2) * np.sin(2 * A) / G**2,
    "h": np.cos(A) / np.sin(A),
}


def test_range_of_a_stone():
    """v^2 sin(2 a)/g, where it lands: at a time that depends on everything."""
    found = zwang.Model(text=STONE).gradient("range", 10, by=list(EXPECTED))
    assert found.by == tuple(EXPECTED) and found.of == "range" and found.at.tolist() == [3, 0.6, 9.81, 0]
    assert found.value == pytest.approx(V**2 * np.sin(2 * A) / G) and found.t == pytest.approx(2 * V * np.sin(A) / G)
    assert dict(found) == pytest.approx(EXPECTED, abs=1e-9) and found["a"] == found.derivatives[1]
    assert found.relative == pytest.approx([2, 2 * A / np.tan(2 * A), -1, 0])
    assert len(found) == 4 and "v" in found and "x" not in found
    assert found.result["range"][-1] == found.value and found.result.t[-1] == found.t
    assert repr(found) == "<zwang.Gradient: range = 0.85508173 at t = 0.345347079, by 4 numbers>"
    assert str(found).splitlines()[2].split() == ["v", "3", "0.57005449", "2"]
    with pytest.raises(KeyError, match="no derivative by 'start.x'"):
        found["start.x"]


def test_all_that_can_be_varied():
    model = zwang.Model(text=STONE)
    found = model.gradient("range", 10, tolerance=1e-11)
    assert found.by == ("v", "a", "g", "h", "start.x", "start.y", "start.x'", "start.y'")
    assert found["start.x"] == pytest.approx(1) and found["start.x'"] == pytest.approx(found.t)
    assert found["start.x'"] * np.cos(A) + found["start.y'"] * np.sin(A) == pytest.approx(found["v"], abs=1e-9)
    for name in ("v", "start.y'"):
        step = 1e-4

        def value(change):
            given = {name.removeprefix("start."): found.at[found.by.index(name)] + change}
            return model.run(10, tolerance=1e-12, params=given)["range"][-1]

        assert found[name] == pytest.approx((value(step) - value(-step)) / (2 * step), rel=1e-6)


def test_forth_and_back(examples):
    """The way back against sensitivities that are carried along, through impacts."""
    model = zwang.Model(examples / "bouncing-ball.zw")
    found = model.gradient("y", 2, tolerance=1e-11)
    run = model.run(2, tolerance=1e-11, sensitivity=found.by)
    forth = [run.sensitivity("y", name)[-1] for name in found.by]
    assert run.report.events > 1 and found.derivatives == pytest.approx(forth, rel=1e-7, abs=1e-8)


def test_many_numbers_of_one_run():
    calls = []
    model = zwang.Model(text=STONE)

    def drag(t, q, v):
        calls.append(t)
        return -0.1 * v

    x, y = model.gradients(["x'", "y'"], 10, by="v", force=drag, tolerance=1e-11)
    assert x.result is y.result and (x.of, y.of) == ("x'", "y'")
    step = 1e-4
    ends = [model.run(10, tolerance=1e-12, params={"v": V + d}, force=drag) for d in (-step, step)]
    for gradient in (x, y):
        numeric = (ends[1][gradient.of][-1] - ends[0][gradient.of][-1]) / (2 * step)
        assert gradient["v"] == pytest.approx(numeric, rel=1e-7)
    assert calls
    assert [g.of for g in model.gradients("range", 10)] == ["range"]
    with pytest.raises(zwang.Error, match="of names nothing"):
        model.gradients([], 10)
    with pytest.raises(TypeError, match="no argument 'to'"):
        model.gradients(["x"], to=10)


def test_vectors_by_their_names():
    text = "param G = (1, -9.81)\ncoord P = (1, 0), c[1..2] = 1\nkinetic 1/2*P'^2 + 1/2*(c[1]'^2 + c[2]'^2)\n"
    model = zwang.Model(text=text + "potential -dot(G, P) + 1/2*(c[1]^2 + c[2]^2)\nrun 0 .. 2\n")
    found = model.gradient("P.y", by=["G", "start.P", "start.P'", "start.c"])
    names = ("G.x", "G.y", "start.P.x", "start.P.y", "start.P.x'", "start.P.y'", "start.c[1]", "start.c[2]")
    assert found.by == names and found.derivatives == pytest.approx([0, 2, 0, 1, 0, 2, 0, 0], abs=1e-12)
    assert model.gradient("c[2]", by="start.c")["start.c[2]"] == pytest.approx(np.cos(2))
    assert np.isnan(model.gradient("P.x'", by="G", params={"G": (0, 0)}).relative).all()
    with pytest.raises(zwang.Error, match="'P' has 2 numbers; a gradient is of one of them, as 'P.x'"):
        model.gradient("P")


def test_constraints():
    """A Cartesian pendulum and one by its angle, each differentiated by its length."""
    rod = "param l = 1\ncoord x = l*sin(1), y = -l*cos(1)\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
    rod += "constraint rod: x^2 + y^2 = l^2\noutput angle = atan2(x, -y)\nrun 0 .. 3\n"
    angle = "param l = 1\ncoord th = 1\nkinetic 1/2*l^2*th'^2\npotential -9.81*l*cos(th)\nrun 0 .. 3\n"
    ours = zwang.Model(text=rod).gradient("angle", by="l", tolerance=1e-11)
    theirs = zwang.Model(text=angle).gradient("th", by="l", tolerance=1e-11)
    assert ours["l"] == pytest.approx(theirs["l"], rel=1e-8) and ours.value == pytest.approx(theirs.value, abs=1e-8)


def test_a_large_model():
    text = "param k = 1\ncoord x[1..80] = 0.1\nfor i in 1..80 { kinetic 1/2*x[i]'^2 }\npotential 1/2*k*x[1]^2\n"
    model = zwang.Model(text=text + "for i in 2..80 { potential 1/2*(x[i] - x[i - 1])^2 }\n")
    assert model.start().report.is_sparse
    found = model.gradient("x[1]", 2)
    assert len(found) == 81
    steps = [model.run(2, tolerance=1e-12, params={"k": 1 + d})["x"][-1, 0] for d in (-1e-4, 1e-4)]
    assert found["k"] == pytest.approx((steps[1] - steps[0]) / 2e-4, rel=1e-6)


@pytest.mark.parametrize(
    ("of", "options", "message"),
    [
        ("rang", {}, "no coordinate, velocity or output 'rang'; did you mean 'range'"),
        ("t", {}, "no coordinate, velocity or output 't'"),
        (["x"], {}, r"not of \['x'\]; gradients\(\) takes several"),
        ("x", {"by": []}, "by names nothing"),
        ("x", {"by": "w"}, "no parameter 'w' to vary"),
        ("x", {"by": "x"}, "its start value is 'start.x'"),
        ("x", {"by": "start.z"}, "no coordinate or velocity 'z' to vary"),
        ("x", {"by": ["v", "v"]}, "'v' is to be varied twice"),
        ("x", {"t_end": None}, r"t_end=10 to run\(\)"),
        ("x", {"t_end": 0}, "or t_end=10"),
        ("x", {"integrator": "euler"}, "no integrator"),
    ],
)
def test_what_cannot_be(of, options, message):
    with pytest.raises(zwang.Error, match=message):
        zwang.Model(text=STONE).gradient(of, **({"t_end": 10} | options))


def test_what_has_no_gradient():
    rod = zwang.Constraint("positions", lambda t, q, v: zwang.Row(2 * q, -2 * v @ v, q @ q - 1))
    text = "coord x, y = -1\nkinetic 1/2*(x'^2 + y'^2)\npotential y\nrun 0 .. 1\n"
    with pytest.raises(zwang.Error, match="constraints that Python computes have no derivatives"):
        zwang.Model(text=text, constraints={"rod": rod}).gradient("x")
    with pytest.raises(ZeroDivisionError):
        zwang.Model(text=STONE).gradient("x", 10, force=lambda t, q, v: 1 / 0)
    root = "param c = 0\ncoord x = 1\nkinetic 1/2*x'^2\noutput r = sqrt(c)\nrun 0 .. 1\n"
    with pytest.raises(zwang.Error, match="the gradient of 'r' at t = 1 has no finite value"):
        zwang.Model(text=root).gradient("r")
    ends = "coord x = 1\nkinetic 1/2*x'^2\nforce x = -1/x^2\nrun 0 .. 5\n"
    with pytest.raises(zwang.RunError) as caught:
        zwang.Model(text=ends).gradient("x")
    assert 1 < caught.value.result.t[-1] < 1.2  # it falls into the centre at pi/sqrt(8)


def test_answers_outlive_their_model():
    found = zwang.Model(text=STONE).gradient("range", 10)
    again = pickle.loads(pickle.dumps(found))
    assert dict(again) == dict(found) and again.result.t[-1] == found.t
