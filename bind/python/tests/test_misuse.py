"""Wrong arguments raise ValueError or TypeError, and end nothing."""

import math
import warnings

import numpy as np
import pytest

import zwang

TEXT = """
param m = 1
coord x = 1, y = 0
kinetic 1/2*m*(x'^2 + y'^2)
potential 9.81*m*y
constraint rod: x^2 + y^2 = 1
output e = x*y
run 0 .. 1
"""


@pytest.fixture(scope="module")
def model():
    return zwang.Model(text=TEXT)


NUMBERS = [math.nan, math.inf, -math.inf, "1", b"1", [1, 2], {}, 1j, 10**400, object()]
ARGUMENTS = ["t_end", "every", "tolerance", "step"]


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("value", NUMBERS, ids=repr)
def test_numbers_of_a_run(model, name, value):
    for call in (model.run, model.start, lambda **more: model.run_many([{}], **more), lambda **more: model.gradient("x", **more)):
        with pytest.raises((ValueError, TypeError)):
            call(**{name: value})


@pytest.mark.parametrize(
    "options",
    [
        {"t_end": -1},
        {"t_end": 0},
        {"every": 0},
        {"every": -1},
        {"tolerance": 0},
        {"tolerance": 1},
        {"step": 0.1},
        {"formulation": "none"},
        {"formulation": 3},
        {"integrator": "none"},
        {"integrator": 3},
        {"integrator": "rattle"},
        {"force": 3},
        {"progress": 3},
        {"sensitivity": [3]},
        {"sensitivity": [None]},
        {"sensitivity": "none"},
        {"sensitivity": 3},
        {"start": 3},
        {"start": [1, 2]},
        {"start": {"x": "1"}},
        {"start": {"x": None}},
        {"start": {"x": math.nan}},
        {"start": {"x": [1, 2]}},
        {"start": {3: 1}},
        {"start": {"none": 1}},
        {"params": {"m": "1"}},
        {"params": {"m": math.inf}},
        {"params": {"none": 1}},
        {"params": "m"},
        {"force": lambda t, q, v: "text"},
        {"force": lambda t, q, v: [1, 2, 3]},
        {"force": lambda: None},
    ],
    ids=repr,
)
def test_options_of_a_run(model, options):
    with pytest.raises((ValueError, TypeError)):
        model.run(**options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: zwang.Model(),
        lambda: zwang.Model(text=3),
        lambda: zwang.Model(text=None),
        lambda: zwang.Model(3.5),
        lambda: zwang.Model("a.zw", text=TEXT),
        lambda: zwang.Model(text=TEXT, params={"m": None}),
        lambda: zwang.Model(text=TEXT, params={"m": math.nan}),
        lambda: zwang.Model(text=TEXT, params={3: 1}),
        lambda: zwang.Model(text=TEXT, kernel="steam"),
        lambda: zwang.Model(text=TEXT, memory=-1),
        lambda: zwang.Model(text=TEXT, memory="much"),
        lambda: zwang.Model(text=TEXT, constraints={"a": 3}),
    ],
)
def test_models(make):
    with pytest.raises((ValueError, TypeError, AttributeError)):
        make()


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.linearize(at=math.nan),
        lambda m: m.linearize(at="none"),
        lambda m: m.linearize(at=[1]),
        lambda m: m.linearize(inputs=[3]),
        lambda m: m.linearize(outputs=["none"]),
        lambda m: m.locus("none", [1, 2]),
        lambda m: m.locus("m", [math.nan]),
        lambda m: m.locus("m", "12"),
        lambda m: m.forces({"t": [0, 1], "x": [0, 1]}),
        lambda m: m.forces({"t": [0, 1, 2, 3, 4], "x": [0, 1, 2, 3, math.nan]}),
        lambda m: m.forces({"t": "abc"}),
        lambda m: m.forces(3),
        lambda m: m.forces({"t": [0, 1, 2, 3, 4, 5], "x": [1] * 6, "y": [0] * 6}, within=math.nan),
        lambda m: m.forces({"t": [0, 1, 2, 3, 4, 5], "x": [1] * 6, "y": [0] * 6}, every="1"),
        lambda m: m.forces({"t": [0, 1, 2, 3, 4, 5], "x": [1] * 6, "y": [0] * 6}, by="none"),
        lambda m: m.gradient("none"),
        lambda m: m.gradient(3),
        lambda m: m.gradient("x", by=[3]),
        lambda m: m.equations("none"),
        lambda m: m.run_many([3]),
        lambda m: m.run_many([{"m": "1"}]),
        lambda m: m.run_many([{}], none=3),
    ],
)
def test_other_calls(model, call):
    with pytest.raises((ValueError, TypeError)):
        call(model)


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.to(math.nan),
        lambda s: s.to(math.inf),
        lambda s: s.to("1"),
        lambda s: s.to(None),
        lambda s: s.to(0.1),
        lambda s: s.set("m", math.nan),
        lambda s: s.set("m", "1"),
        lambda s: s.set("none", 1),
        lambda s: s.set(3, 1),
        lambda s: s.evaluate(t=math.nan),
        lambda s: s.evaluate(t="1"),
        lambda s: s.evaluate(q=[1]),
        lambda s: s.evaluate(q=[math.nan, 0]),
        lambda s: s.evaluate(v="ab"),
    ],
)
def test_a_refused_call_ends_nothing(model, call):
    simulation = model.start()
    simulation.to(0.5)
    with pytest.raises((ValueError, TypeError)) as caught:
        call(simulation)
    assert not isinstance(caught.value, zwang.RunError)
    assert simulation.t == 0.5
    assert simulation.to(1) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ([[1, 0.5], [0, 1]], [0, 0], [[1, 0]], [0]),
        ([[1, 0], [0, math.nan]], [0, 0], [[1, 0]], [0]),
        ([[1, 0], [0, 1]], [0, 0], [[1, 0]], [0, 0]),
        ([[1, 0]], [0, 0], [[1, 0]], [0]),
        ("ab", [0, 0], [[1, 0]], [0]),
        ([[1, 0], [0, 1]], [0, "a"], [[1, 0]], [0]),
        ([[1, 0], [0, 1]], [0, 0], [[0, 0]], [1]),
    ],
)
def test_matrices(arguments):
    with pytest.raises((ValueError, TypeError)):
        zwang.least(*arguments)


def test_matrices_that_are_not_symmetric_are_named():
    with pytest.raises(ValueError, match="M is not symmetric: row 2, column 1"):
        zwang.least([[1, 0.5], [0, 1]], [0, 0], [[1, 0]], [0])


@pytest.mark.parametrize("size", [(0, 1), (-1, 1), (1, -1), (2**31 - 1, 2**31 - 1), (2**40, 1), ("a", 1)])
def test_solvers(size):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        zwang.Least(*size)


def test_a_start_that_was_moved_is_told_where_it_was_given(model):
    with pytest.warns(zwang.StartWarning, match="x from 2 to 1") as caught:
        model.run(start={"x": 2})
    assert caught[0].filename == __file__
    with pytest.warns(zwang.StartWarning, match="x from 2 to 1") as caught:
        model.start(start={"x": 2})
    assert caught[0].filename == __file__
    with pytest.warns(zwang.StartWarning):
        model.run_many([{"x": 2}])
    with pytest.warns(zwang.StartWarning):
        model.gradient("x", start={"x": 2})


def test_a_start_that_holds_is_not_told(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.run(start={"x": 0.6, "y": -0.8})
        model.run(start={"x'": 0.0, "y'": 1.0}, params={"m": np.float64(2)})
        zwang.Model(text=TEXT.replace("x = 1", "x = 1.1")).run()  # the text's own, which the report tells
